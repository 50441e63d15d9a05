"""The labels of charsets mean what the web means by them. Python's codecs are the reference. NEARDUP_PROGRAM names
the program."""

import base64
import random
import subprocess

from harness import A, SANITIZED, CommandTest, main, run

# The labels of the WHATWG Encoding Standard. The key is a codec of Python that knows all characters of the charset.
LABELS = {
    "utf_8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859_2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso8859_3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso8859_4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso8859_5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso8859_6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i "
    "iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso8859_7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
    "iso_8859-7:1987 sun_eu_greek",
    "iso8859_8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 "
    "iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso8859_10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859_13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859_14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859_15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso8859_16": "iso-8859-16",
    "koi8_r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8_u": "koi8-ru koi8-u",
    "mac_roman": "csmacintosh mac macintosh x-mac-roman",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 "
    "iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 "
    "x-cp1254",
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "mac_cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022_jp_ext": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949",
    "utf_16_be": "unicodefffe utf-16be",
    "utf_16_le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "hz": "hz-gb-2312",
    "iso2022_kr": "iso-2022-kr csiso2022kr",
    "utf_7": "unicode-1-1-utf-7 utf-7",
}

# Characters that differ between Python and glibc, besides those of user-defined areas.
LEFT_OUT = set("～〜∥‖－−￠¢￡£￢¬Δ∆€╴￣ˍ／＼十卅")
NEWER = {"gb18030": "镕啰喆瞭囧", "cp949": "똠펲햏", "cp932": "髙①㈱", "big5hkscs": "嘢喺冇", "cp1252": "“€š", "cp1254": "“š", "cp874": "“"}


def text_in(codec, rng):
    """Returns letters of a charset. Some of them are only in the larger charset that the web means by the label."""
    found = []
    if codec.startswith(("gb", "big5", "euc", "cp9", "iso2022", "hz")):
        pairs = [bytes((a, b)) for a in range(0x81, 0xFF) for b in range(0x40, 0xFF)]
        table = {"iso2022_jp_ext": "euc_jp", "iso2022_kr": "euc_kr", "hz": "gb2312"}.get(codec, codec)
        found = [p.decode(table, "replace") for p in rng.sample(pairs, 3000)]
    elif codec.startswith("utf"):
        found = list("äöüßŁĄжшあ漢")
    else:
        found = [bytes([b]).decode(codec, "replace") for b in range(0x80, 0x100)]
    letters = [c for c in found if len(c) == 1 and c.isalpha() and c not in LEFT_OUT and not 0xE000 <= ord(c) < 0xF900]
    return "x " + "".join(NEWER.get(codec, "")) + "".join(rng.choices(letters, k=40))


def response(uri, label, body):
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=" + label.encode() + b"\r\n\r\n" + body
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {uri}\r\nContent-Type: application/http; msgtype=response\r\n"
    return head.encode() + f"Content-Length: {len(http)}\r\n\r\n".encode() + http + b"\r\n\r\n"


class Charsets(CommandTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(76)
        self.texts = {label: (codec, text_in(codec, rng)) for codec, labels in LABELS.items() for label in labels.split()}

    def kept(self, records, *options):
        """Runs unique --copies on the records."""
        done = self.assert_done(run("unique", "--copies", *options, "-", data=b"".join(records)))
        return done

    def test_each_label_of_a_crawl(self):
        records = []
        for label, (codec, text) in self.texts.items():
            records += [response(f"u/{label}", "utf-8", text.encode()), response(label, label.upper(), text.encode(codec))]
        path = self.write("labels.warc", b"".join(records))
        done = self.assert_done(run("pairs", "--input-format", "warc", "--features", "bytes:1", "--check-features", "bytes:1",
                                    "--similarity", 1, "--format", "jsonl", path))
        found = {(row["a"], row["b"]) for row in done.json}
        self.assertEqual([label for label in self.texts if (f"u/{label}", label) not in found], [])
        done = self.kept(records, "--input-format", "warc")
        self.assertEqual(done.bytes, b"".join(records[::2]))
        self.assertNotIn("well-formed", done.err)

    def test_each_label_of_a_mail(self):
        def mail(name, label, body):
            head = f'From: a@example.org\nMessage-ID: <{name}>\nContent-Type: text/plain; charset="{label}"\n'
            return head.encode() + b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(body)

        mails = []
        for label, (codec, text) in self.texts.items():
            if label not in ("ascii", "us-ascii"):  # these labels are treated as no charset
                mails += [mail(f"u/{label}", "utf-8", text.encode()), mail(label, label, text.encode(codec))]
        box = [b"From a@example.org Thu Nov 27 04:12:00 2026\n" + one + b"\n" for one in mails]
        done = run("unique", "--copies", "--input-format", "mail", "-", data=b"".join(box))
        if "GMime was missing" in done.err:
            self.skipTest("built without GMime")
        self.assertEqual(self.assert_done(done).bytes, b"".join(box[::2]))

    def test_each_encoding_of_lines_and_tables(self):
        for label, (codec, text) in list(self.texts.items())[:: 4 if SANITIZED else 1]:
            twin = run("hash", "--lines", "--features", "bytes:1", "-", data=text + "\n").text
            done = run("hash", "--lines", "--features", "bytes:1", "--encoding", label, "-", data=(text + "\n").encode(codec))
            self.assertEqual(self.assert_done(done).text, twin, label)
            if codec.startswith(("iso2022", "hz", "utf_7")):
                continue  # in these charsets, the bytes of quotes and commas are parts of characters
            table = f"id,text\n1,{text}\n".encode(codec)
            done = run("hash", "--input-format", "csv", "--features", "bytes:1", "--encoding", label, "-", data=table)
            self.assertEqual(self.assert_done(done).text.split()[0], twin.split()[0], label)

    def test_characters_that_standards_add(self):
        """Control characters of Windows, the euro sign, kana of one byte, three bytes of Japanese, Chinese in 7 bits."""
        cases = [("windows-1252", b"\x81\x8d \x80", "\x81\x8d €"), ("windows-874", b"\x81\xa1", "\x81ก"), ("gbk", b"\x80 \xd6\xd0", "€ 中"),
                 ("big5", b"\xa3\xe1", "€"), ("koi8-u", b"\xae\xbe", "ўЎ"), ("x-user-defined", b"\x80\xff", "\uf780\uf7ff"),
                 ("iso-2022-jp", b"\x1b(I\x31\x1b(B a\x1b$B-!\x1b(B\n\x1b$@0!", "ｱ a①\n亜"), ("euc-jp", b"\x8e\xb1\x8f\xb0\xa1\xad\xa1", "ｱ丂①"),
                 ("hz-gb-2312", b"a~~b~{VP~}~\nc", "a~b中c"), ("windows-1255", b"\xe0\xc1", "\u05d0\u05b1")]
        if subprocess.run(["iconv", "-f", "UTF-8", "-t", "ISO-2022-CN"], input="中国".encode(), capture_output=True, check=False).returncode == 0:
            chinese = subprocess.run(["iconv", "-f", "UTF-8", "-t", "ISO-2022-CN"], input="中国".encode(), capture_output=True, check=True).stdout
            cases += [("iso-2022-cn", chinese, "中国"), ("iso-2022-cn-ext", chinese, "中国")]
        records = []
        for label, data, text in cases:
            records += [response(f"u/{label}", "utf-8", f"{label} {text}".encode()), response(label, label, f"{label} ".encode() + data)]
        done = self.kept(records, "--input-format", "warc")
        self.assertEqual(done.bytes, b"".join(records[::2]))

    def test_a_mark_outweighs_a_label_of_utf16(self):
        text = "eins zwei dr\u00fcben\n\U0001d11e vier\n"
        twin = self.assert_done(run("hash", "--lines", "-", data=text)).text
        for data in ("\ufeff" + text).encode("utf-16-be"), ("\ufeff" + text).encode("utf-16-le"), ("\ufeff" + text).encode(), text.encode("utf-16-le"):
            done = self.assert_done(run("hash", "--lines", "--encoding", "utf-16", "-", data=data))
            self.assertEqual((done.text, done.err.count("well-formed")), (twin, 0))
        path = self.write("one.txt", text.encode("utf-16-be") + b"\xdc")
        done = run("hash", "--encoding", "utf-16be", path)
        self.assertIn("1 document is not well-formed UTF-16", done.err)
        records = [response(f"u/{label}", "utf-8", text.encode()) for label in ("utf-16", "utf-16be")]
        crawl = self.write("a.warc", b"".join([records[0], response("x", "utf-8", text.encode("utf-16-le"))]))
        for options in (["--input-format", "warc"], ["--input-format", "auto"]):
            self.assertEqual(self.assert_done(run("unique", *options, "--encoding", "utf-16", crawl)).bytes, records[0])

    def test_a_page_that_is_utf8_stays_utf8(self):
        text = "Grüße, 你好, こんにちは"
        records = [response("a", "utf-8", text.encode())]
        records += [response(label, label, text.encode()) for label in ("gb2312", "iso-8859-1", "shift_jis", "iso-2022-jp", "hz-gb-2312", "utf8")]
        self.assertEqual(self.kept(records, "--input-format", "warc").bytes, records[0])

    def test_what_is_ill_formed_or_unknown_is_named(self):
        records = [response("a", "gb2312", b"one \xff two"), response("b", "klingon", A.encode()), response("c", "klingon", b"x \xe4 y"),
                   response("d", "utf-8", b"z \xe4"), response("e", "x-vulcan", b"other words")]
        path = self.write("a.warc", b"".join(records))
        other = self.write("b.warc", response("f", "klingon", b"last words"))
        err = self.assert_done(run("hash", "--input-format", "warc", path, other)).err
        for line in (f"{path}: the unknown charset 'klingon' of 2 records is read as UTF-8", f"{other}: the unknown charset 'klingon' of 1 record is",
                     f"{path}: the unknown charset 'x-vulcan' of 1 record is", f"1 document is not well-formed gb2312 ({path}:1)",
                     f"2 documents are not well-formed text (the first: {path}:3)"):
            self.assertEqual(err.count(line), 1, (line, err))
        for label in ("iso-2022-jp", "hz-gb-2312"):
            done = run("hash", "--input-format", "csv", "--encoding", label, path)
            self.assert_fails(done, f"--encoding {label}: its characters have the bytes of commas")
        self.assert_fails(run("hash", "--lines", "--encoding", "klingon", path), "--encoding 'klingon': iconv does not know it")
        for name in ("", "  "):
            self.assert_fails(run("hash", "--lines", "--encoding", name, path), f"--encoding '{name}': not the name of an encoding")
        self.assert_fails(run("hash", "--strict", "--input-format", "warc", path), f"{path}:1: not well-formed gb2312")


if __name__ == "__main__":
    main()
