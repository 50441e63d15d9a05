"""A table of inputs, formats, encodings and damage, and what the program makes of each: the texts that it reads, or why
it refuses. With --table it is printed. NEARDUP_PROGRAM names the program."""

import bz2
import collections
import gzip
import io
import json
import lzma
import sys
import tarfile
import zipfile
import zlib

from harness import CommandTest, main, run, unittest

CHINESE = "我们在春天的早晨走到河边去看花，那里有很多人在唱歌跳舞。中国的文化有几千年的历史，大家都知道。"
TRADITIONAL = "我們在春天的早晨走到河邊去看花，那裡有很多人在唱歌跳舞。這個國家的文化有幾千年的歷史。"
JAPANESE = "わたしたちは春の朝に川のそばへ花を見に行きました。そこでは多くの人が歌ったり踊ったりしていました。"
KOREAN = "우리는 봄날 아침에 강가로 꽃을 보러 갔습니다. 그곳에는 많은 사람들이 노래하고 춤을 추고 있었습니다."
RUSSIAN = "Весенним утром мы пошли к реке смотреть на цветы, и там было много людей, которые пели и танцевали."
FRENCH = "L'été dernier, nous étions allés à la rivière où l'élève préféré avait déjà été aperçu près de la forêt."
ENGLISH = "the quick brown fox jumps over the lazy dog and runs away"

Row = collections.namedtuple("Row", "name data options texts refusal")
ROWS = []


def reads(name, data, *texts, options=()):
    ROWS.append(Row(name, data.encode() if isinstance(data, str) else data, tuple(options), list(texts), None))


def refuses(name, data, why, options=()):
    ROWS.append(Row(name, data.encode() if isinstance(data, str) else data, tuple(options), None, why))


LINES, JSONL = ("--lines",), ("--jsonl",)


def form(name):
    return ("--input-format", name)


def record(text):
    return json.dumps({"text": text}, ensure_ascii=False)


def warc(kind, body, headers="", length=None, uri=""):
    body = body.encode() if isinstance(body, str) else body
    size = len(body) if length is None else length
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\n{uri}{headers}Content-Length: {size}\r\n\r\n"
    return head.encode() + body + b"\r\n\r\n"


def http(body, kind="text/plain", headers=""):
    body = body.encode() if isinstance(body, str) else body
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{headers}\r\n".encode() + body


def in_chunks(body):
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


def all_rows():
    # ---- encodings ---------------------------------------------------------------------------------------------
    for name, text, encodings in (
        ("chinese", CHINESE, ("gb2312", "gbk", "gb18030")),
        ("traditional", TRADITIONAL, ("big5", "gb18030")),
        ("japanese", JAPANESE, ("shift_jis", "euc-jp")),
        ("korean", KOREAN, ("euc-kr", "cp949")),
        ("russian", RUSSIAN, ("koi8-r", "cp1251", "iso8859-5")),
        ("french", FRENCH, ("latin-1", "cp1252", "iso8859-15")),
    ):
        reads(f"{name}.utf-8", text, text)
        reads(f"{name}.utf-8-mark", text.encode("utf-8-sig"), text)
        for order in ("le", "be"):
            mark = b"\xff\xfe" if order == "le" else b"\xfe\xff"
            reads(f"{name}.utf-16-{order}", mark + text.encode("utf-16-" + order), text)
        for encoding in encodings:
            known = {"latin-1": "ISO-8859-1", "cp949": "CP949", "gb2312": "EUC-CN"}.get(encoding, encoding.upper())
            known = known.replace("ISO8859", "ISO-8859")
            option = ("--encoding", known)
            reads(f"{name}.{encoding}", text.encode(encoding), text, options=option)
            reads(f"{name}.{encoding}.lines", f"{text}\n{text} 1\r\n".encode(encoding), text, text + " 1", options=option + LINES)
            reads(f"{name}.{encoding}.jsonl", (record(text) + "\n").encode(encoding), text, options=option + JSONL)
            reads(f"{name}.{encoding}.csv", f'n,text\n1,"{text}"\n'.encode(encoding), text, options=option + form("csv"))
            reads(f"{name}.{encoding}.wet", warc("conversion", text.encode(encoding)), text, options=option + form("warc"))
            reads(f"{name}.{encoding}.http",
                  warc("response", http(text.encode(encoding), f'text/plain; charset="{known}"')), text, options=form("warc"))

        for wide, order in (("utf-16", "le"), ("utf-32", "le"), ("utf-16", "be"), ("utf-32", "be")):
            encoded = text.encode(f"{wide}-{order}")
            mark = "\ufeff".encode(f"{wide}-{order}")
            for label, body in ((wide + order, encoded), (wide + "-" + order, mark + encoded), (wide, mark + encoded),
                                (wide.upper() + "-" + order.upper(), encoded), ("", mark + encoded), ("utf-8", mark + encoded)):
                kind = "text/plain" + (f"; charset={label}" if label else "")
                reads(f"{name}.{wide}-{order}.{label}.{len(body) - len(encoded)}.http", warc("response", http(body, kind)), text, options=form("warc"))
            # Without a byte order mark the zeros of ASCII characters show the order.
            reads(f"{name}.{wide}-{order}.bare.http",
                  warc("response", http((text + ENGLISH).encode(f"{wide}-{order}"), f"text/plain; charset='{wide}'")), text + ENGLISH, options=form("warc"))
            reads(f"{name}.{wide}-{order}.stale.http", warc("response", http(text, f"text/plain; charset={wide}{order}")), text, options=form("warc"))
        reads(f"{name}.marked.http", warc("response", http("\ufeff" + text, "text/plain; charset=utf-8")), text, options=form("warc"))

    # ---- what is packed, whole and damaged ----------------------------------------------------------------------
    for name, plain, options in (
        ("text", ENGLISH, ()),
        ("lines", ENGLISH + "\n", LINES),
        ("jsonl", record(ENGLISH) + "\n", JSONL),
        ("array", f"[{record(ENGLISH)}]", JSONL),
        ("csv", f"text\n{ENGLISH}\n", form("csv")),
        ("tsv", f"text\tn\n{ENGLISH}\t1\n", form("tsv")),
        ("wet", warc("conversion", ENGLISH).decode(), form("warc")),
    ):
        packed = gzip.compress(plain.encode(), mtime=0)
        half = len(plain) // 2
        members = gzip.compress(plain[:half].encode()) + gzip.compress(plain[half:].encode())
        reads(f"{name}.gz", packed, ENGLISH, options=options)
        reads(f"{name}.members.gz", members, ENGLISH, options=options)
        reads(f"{name}.zeros.gz", packed + bytes(512), ENGLISH, options=options)
        refuses(f"{name}.cut.gz", packed[:-9], "ends too early", options)
        refuses(f"{name}.behind.gz", packed + b"more", "something else follows", options)
        refuses(f"{name}.changed.gz", packed[:-6] + b"\xff" + packed[-5:], "corrupt", options)
        refuses(f"{name}.twice.gz", gzip.compress(bz2.compress(plain.encode())), "compressed by bzip2", options)
        refuses(f"{name}.not.gz", plain, "not compressed by gzip", options)
        refuses(f"{name}.bz2", bz2.compress(plain.encode()), "compressed by bzip2", options)
        refuses(f"{name}.xz", lzma.compress(plain.encode()), "compressed by xz", options)

    # ---- what is no text ----------------------------------------------------------------------------------------
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("a.txt", ENGLISH)
    with tarfile.open(fileobj=tarred, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        entry = tarfile.TarInfo("a.txt")
        entry.size = len(ENGLISH)
        archive.addfile(entry, io.BytesIO(ENGLISH.encode()))
    rest = b"\0" * 8 + ENGLISH.encode()
    for name, data, why in (
        ("zip", zipped.getvalue(), "an archive of zip"),
        ("tar", tarred.getvalue(), "an archive of tar"),
        ("7z", b"7z\xbc\xaf\x27\x1c" + rest, "7-Zip"),
        ("rar", b"Rar!\x1a\x07\x00" + rest, "RAR"),
        ("lzma", lzma.compress(ENGLISH.encode(), lzma.FORMAT_ALONE), "compressed by lzma"),
        ("lz", b"LZIP\x01" + rest, "lzip"),
        ("lzo", b"\x89LZO\x00\r\n\x1a\n" + rest, "lzop"),
        ("lz4", b"\x04\x22\x4d\x18" + rest, "lz4"),
        ("Z", b"\x1f\x9d" + rest, "compress"),
        ("sz", b"\xff\x06\x00\x00sNaPpY" + rest, "snappy"),
        ("parquet", b"PAR1\x15" + rest, "a Parquet file; make text of it first, perhaps (untested) by"),
        ("arrow", b"ARROW1\0\0" + rest, "an Arrow file; make text of it first, perhaps (untested) by"),
        ("arrows", b"\xff\xff\xff\xff" + rest, "an Arrow stream"),
        ("avro", b"Obj\x01" + rest, "an Avro file"),
        ("sqlite", b"SQLite format 3\0" + rest, "a database of SQLite"),
        ("hdf5", b"\x89HDF\r\n\x1a\n" + rest, "an HDF5 file"),
        ("npy", b"\x93NUMPY" + rest, "NumPy"),
        ("pickle", b"\x80\x04\x95" + rest, "pickle"),
        ("pdf", b"%PDF-1.7\n" + rest, "a PDF file"),
        ("doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + rest, "Word"),
        ("elf", b"\x7fELF" + rest, "a program"),
        ("png", b"\x89PNG\r\n\x1a\n" + rest, "a picture"),
        ("jpg", b"\xff\xd8\xff" + rest, "a picture"),
        ("gif", b"GIF89a" + rest, "a picture"),
        ("utf-32", b"\xff\xfe\0\0" + ENGLISH.encode("utf-32-le"), "UTF-32"),
        ("warc", warc("conversion", ENGLISH), "a WARC file; --input-format warc"),
    ):
        for options in ((), LINES, JSONL, form("csv")):
            refuses(f"foreign.{name}.{len(options)}{len(ROWS)}", data, why, options)

    # ---- JSON Lines ---------------------------------------------------------------------------------------------
    good = record("one two")
    for name, data, texts in (
        ("two", f"{good}\n{record('three')}\n", ["one two", "three"]),
        ("no-end", good, ["one two"]),
        ("crlf", f"{good}\r\n\r\n{good}\r\n", ["one two"] * 2),
        ("blank", f"\n\n  \n{good}\n\n", ["one two"]),
        ("mark", "\ufeff" + good, ["one two"]),
        ("empty", "", []),
        ("escapes", '{"text":"a\\n\\u00e4 \\ud83d\\ude00"}', ["a\nä 😀"]),
        ("list", '{"text":["a","b"]}', ["a\nb"]),
        ("null", '{"text":null}', [""]),
        ("nested", '{"doc":{"text":"x"},"text":"y"}', ["y"]),
        ("spaces", '  { "text" : "x y" }  ', ["x y"]),
        ("beyond-numbers", '{"a":NaN,"text":"x","b":[Infinity,-Infinity]}', ["x"]),
    ):
        reads(f"jsonl.{name}", data, *texts, options=JSONL)
        reads(f"jsonl.{name}.auto.jsonl", data, *texts, options=form("auto"))
    for name, data, why in (
        ("no-text", '{"txt":"a"}', 'no field "text"'),
        ("cut", good[:-2], "a string has no end"),
        ("cut-brace", good[:-1], "not valid JSON"),
        ("two-on-line", good + good, "something follows"),
        ("number", "17", "not a JSON object"),
        ("array-of-numbers", "[1,2]", "not a JSON object"),
        ("python", "{'text': 'a'}", "not valid JSON"),
        ("nan", '{"text":"a","n":nan}', "not valid JSON"),
        ("text", ENGLISH, "it does not begin with {"),
        ("control", '{"text":"a\tb"}', "a control character"),
        ("escape", '{"text":"\\q"}', "a wrong escape"),
        ("pretty", '{\n"text": "a" }', "not valid JSON"),
        ("html", "<html><body>x</body></html>", "it does not begin with {"),
    ):
        refuses(f"jsonl.{name}", data, why, JSONL)

    # ---- an array of JSON ----------------------------------------------------------------------------------------
    for name, data, texts in (
        ("one", f"[{good}]", ["one two"]),
        ("two", f"[{good},{record('three')}]", ["one two", "three"]),
        ("pretty", json.dumps([{"text": "a b", "x": [1, [2]]}, {"text": "c]}\"["}], indent=2) + "\n", ["a b", 'c]}"[']),
        ("mark", f"\ufeff [ {good} ] \n", ["one two"]),
        ("empty", "[]", []),
        ("empty-blanks", " [ \n ] \n", []),
        ("escapes", '[{"text":"\\\\\\" , ]"},{"text":"x"}]', ['\\" , ]', "x"]),
    ):
        reads(f"array.{name}", data, *texts, options=JSONL)
        reads(f"array.{name}.auto", data, *texts, options=form("auto"))
    for name, data, why in (
        ("cut", f"[{good},{good}", "the array is cut off"),
        ("cut-element", f"[{good},{good[:-3]}", "the array is cut off"),
        ("cut-comma", f"[{good},\n", "the array of JSON has no end"),
        ("two-commas", f"[{good},,{good}]", "a comma or a bracket"),
        ("last-comma", f"[{good},]", "a comma or a bracket"),
        ("first-comma", f"[{{}},{good}]", 'no field "text"'),
        ("no-comma", f"[{good} {good}]", "something follows the object"),
        ("behind", f"[{good}] x", "something follows it"),
        ("two-arrays", f"[{good}]\n[{good}]", "something follows the object"),
        ("object-behind", f"[{good}]{good},{good}]", "something follows the object"),
        ("scalar", f"[{good},17]", "not a JSON object"),
        ("string", f'[{good},"x"]', "not a JSON object"),
        ("bad-element", f'[{good},{{"text":"\\q"}}]', "a wrong escape"),
    ):
        refuses(f"array.{name}", data, why, JSONL)

    # ---- tables --------------------------------------------------------------------------------------------------
    for name, data, texts in (
        ("plain", "n,text\n1,a b\n2,c d\n", ["a b", "c d"]),
        ("no-end", "text\na b", ["a b"]),
        ("crlf", "n,text\r\n1,a b\r\n2,c d\r\n", ["a b", "c d"]),
        ("quotes", 'n,text\n1,"a, b"\n2,"c ""d"" e"\n3,""\n', ["a, b", 'c "d" e', ""]),
        ("lines", 'n,text,m\n1,"a\nb\r\nc",2\n2,d,3\n', ["a\nb\r\nc", "d"]),
        ("mark", '\ufeff"text",n\nx y,1\n', ["x y"]),
        ("quote-within", 'n,text\n1,5" pipe\n2,x\n', ['5" pipe', "x"]),
        ("blank", "n,text\n\n1,a\n\n\n2,b\n\n", ["a", "b"]),
        ("empty", "", []),
        ("header-only", "n,text\n", []),
        ("last", "text\n\"a\"", ["a"]),
        ("quoted-header", '"n","te""xt","text"\n1,2,"x"\n', ["x"]),
        ("empty-values", "n,text,m\n,a,\n,,\n", ["a", ""]),
    ):
        reads(f"csv.{name}", data, *texts, options=form("csv"))
        reads(f"csv.{name}.auto.csv", data, *texts, options=form("auto"))
    for name, data, why in (
        ("few", "n,text\n1,a\n2\n", ":3: 1 value, and the header has 2"),
        ("many", "n,text\n1,a,b\n", ":2: 3 values, and the header has 2"),
        ("many-later", 'n,text\n1,"a\n\nb"\n1,2,3\n', ":5: 3 values"),
        ("no-column", "n,body\n1,a\n", ':1: no column "text" in the header, which has: n, body; --text-field'),
        ("twice", "text,text\na,b\n", ':1: there are two columns "text"'),
        ("open", 'n,text\n1,"a\n2,b\n', ":2: a value in quotes has no end"),
        ("open-header", '"n,text\n1,a\n', ":1: a value in quotes has no end"),
        ("behind-quote", 'n,text\n1,"a"b\n', ":2: something follows the closing quote of value 2"),
        ("semicolon", "n;text\n1;a\n", 'no column "text"'),
        ("tabs", "n\ttext\n1\ta\n", 'no column "text"'),
    ):
        refuses(f"csv.{name}", data, why, form("csv"))
    for name, data, texts in (
        ("plain", "n\ttext\n1\ta b\n2\tc, d\n", ["a b", "c, d"]),
        ("crlf", "text\tn\r\na b\t1\r\n", ["a b"]),
        ("quotes", 'n\ttext\n1\t"a" b\n2\t"c\n', ['"a" b', '"c']),
        ("empty", "", []),
    ):
        reads(f"tsv.{name}", data, *texts, options=form("tsv"))
        reads(f"tsv.{name}.auto.tsv", data, *texts, options=form("auto"))
    refuses("tsv.few", "n\ttext\n1\n", ":2: 1 value, and the header has 2", form("tsv"))
    refuses("tsv.many", "n\ttext\n1\ta\tb\n", ":2: 3 values", form("tsv"))

    # ---- crawls --------------------------------------------------------------------------------------------------
    info = warc("warcinfo", "software: x\r\n", "Content-Type: application/warc-fields\r\n")
    page = warc("response", http("<p>x</p>", "text/html; charset=utf-8"))
    plain = warc("response", http(ENGLISH))
    wet = warc("conversion", ENGLISH, "Content-Type: text/plain\r\n")
    for name, data, texts in (
        ("wet", info + wet + warc("conversion", "a b"), [ENGLISH, "a b"]),
        ("no-type", warc("conversion", "a b"), ["a b"]),
        ("response", info + page + plain, [ENGLISH]),
        ("resource", warc("resource", "a b", "Content-Type: text/plain; charset=utf-8\r\n"), ["a b"]),
        ("chunked", warc("response", http("3\r\na b\r\n2;x=y\r\n c\r\n0\r\n\r\n", headers="Transfer-Encoding: chunked\r\n")), ["a b c"]),
        ("joined", warc("response", http("a b c", headers="Transfer-Encoding: chunked\r\n")), ["a b c"]),
        ("only-html", info + page, []),
        ("request", warc("request", "GET / HTTP/1.1\r\n\r\n", "Content-Type: application/http\r\n"), []),
        ("metadata", warc("metadata", "a: b\r\n"), []),
        ("picture", warc("response", http(b"\x89PNG\r\n\x1a\n\0\0", "image/png")), []),
        ("packed", warc("response", http(gzip.compress(b"a b"), headers="Content-Encoding: gzip\r\n")), []),
        ("packed-unsaid", warc("response", http(gzip.compress(b"a b"))), []),
        ("packed-otherwise", warc("response", http(gzip.compress(b"a b"), headers="Content-Encoding: utf-8\r\n")), []),
        ("deflated", warc("response", http(zlib.compress(b"a b"), headers="Content-Encoding: deflate\r\n")), []),
        ("packed-chunks", warc("response", http(in_chunks(gzip.compress(b"a b")), headers="Transfer-Encoding: gzip, chunked\r\n")), []),
        ("brotli", warc("response", http(b"\x0b\x02\x80a b c\x03", headers="Content-Encoding: br\r\n")), []),
        *(("unpacked-" + name.strip(), warc("response", http(ENGLISH, headers=f"Content-Encoding: {name}\r\n")), [ENGLISH])
          for name in ("none", "utf-8", "identity", "gzip", "br", "deflate", "GZIP", "x-unknown")),
        ("unpacked-latin", warc("response", http(FRENCH.encode("latin-1"), "text/plain; charset=iso-8859-1", "Content-Encoding: gzip\r\n")), [FRENCH]),
        ("blank-lines", warc("conversion", "a\r\n\r\n\r\nb"), ["a\r\n\r\n\r\nb"]),
        ("warc-within", warc("conversion", "WARC/1.0\r\n\r\nx"), ["WARC/1.0\r\n\r\nx"]),
        ("small-letters", b"WARC/1.1\r\nwarc-type: conversion\r\ncontent-length: 3\r\n\r\na b\r\n\r\n", ["a b"]),
        ("line-feeds", b"WARC/1.0\nWARC-Type: conversion\nContent-Length: 3\n\na b\n\n", ["a b"]),
        ("no-end", warc("conversion", "a b")[:-4], ["a b"]),
        ("empty-text", warc("conversion", "") + warc("conversion", "x"), ["", "x"]),
    ):
        reads(f"warc.{name}", data, *texts, options=form("warc"))
        reads(f"warc.{name}.auto", data, *texts, options=form("auto"))
        reads(f"warc.{name}.auto.warc.gz", gzip.compress(data[:50]) + gzip.compress(data[50:]), *texts, options=form("auto"))
    reads("warc.empty", "", options=form("warc"))
    for name, data, why in (
        ("cut", wet + wet[:-20], "the record is shorter than its Content-Length"),
        ("cut-header", wet + wet[:30], "the header of a record has no end"),
        ("no-length", b"WARC/1.0\r\nWARC-Type: conversion\r\n\r\na b\r\n\r\n" + wet, "without a Content-Length"),
        ("wrong-length", warc("conversion", "a b", length="x"), "without a Content-Length"),
        ("short-length", warc("conversion", "abcdef", length=3) + wet, "something follows the record"),
        ("long-length", warc("conversion", "abcdef", length=16) + wet, "something follows the record"),
        ("text", ENGLISH + "\n\n" + ENGLISH, "it does not begin with WARC/"),
        ("jsonl", good, "it does not begin with WARC/"),
    ):
        refuses(f"warc.{name}", data, why, form("warc"))

    # ---- by the first bytes, and otherwise text ------------------------------------------------------------------
    for name, data, texts in (
        ("text", ENGLISH, [ENGLISH]),
        ("brackets", "[Verse 1] " + ENGLISH, ["[Verse 1] " + ENGLISH]),
        ("brace", "{ not JSON }", ["{ not JSON }"]),
        ("jsonl", f"{good}\n{good}\n", ["one two"] * 2),
        ("mark", "\ufeff" + good, ["one two"]),
        ("warc-word", "WARC/ is a format", ["WARC/ is a format"]),
        ("empty", "", [""]),
        ("blanks", " \n" * 3000, [" \n" * 3000]),
    ):
        reads(f"auto.{name}", data, *texts, options=form("auto"))


class Inputs(CommandTest):
    def outcomes(self, options, rows):
        """Returns the fingerprints of the documents of each file, and the messages."""
        paths = {row.name: str(self.write(row.name, row.data)) for row in rows}
        done = run("hash", "--skip-bad", "--features", "bytes:3", "--format", "jsonl", *options, *paths.values())
        is_partial = any(words in done.err for words in ("were not read", "was not read", "all of the input was bad"))
        self.assertEqual("all of the input was bad" in done.err, "skipped" in done.err and not done.text, done.err)
        self.assertEqual(done.status, 2 if is_partial else 0, done.err)
        found = {row.name: [] for row in rows}
        names = {path: name for name, path in paths.items()}
        for document in done.json:
            path = document["id"] if document["id"] in names else document["id"].rsplit(":", 1)[0]
            found[names[path]].append(document["fingerprint"])
        return found, done.err

    def test_every_input_is_read_right_or_refused(self):
        if not ROWS:
            all_rows()
        self.assertGreaterEqual(len(ROWS), 200)
        self.assertEqual(len({row.name for row in ROWS}), len(ROWS))
        texts = sorted({text for row in ROWS for text in row.texts or ()})
        twins = run("hash", "--jsonl", "--features", "bytes:3", "--format", "jsonl", "-",
                    data="\n".join(json.dumps({"id": "x", "text": text}) for text in texts))
        prints = dict(zip(texts, (twin["fingerprint"] for twin in self.assert_done(twins).json)))
        groups = collections.defaultdict(list)
        for row in ROWS:
            # A run names only the first refused files, so refused files are spread over several runs.
            part = sum(r.options == row.options and r.texts is None for r in ROWS[: ROWS.index(row)]) // 4
            groups[row.options, row.texts is None and part].append(row)
        table, wrong = [], []
        for (options, _), rows in groups.items():
            found, err = self.outcomes(options, rows)
            for row in rows:
                said = [line for line in err.splitlines() if f"skipped {self.folder}/{row.name}:" in line]
                if row.texts is None:
                    is_right = bool(said) and row.refusal in said[0]
                    out = said[0].split(f"{row.name}:", 1)[1].strip() if said else f"{len(found[row.name])} documents"
                else:
                    is_right = not said and found[row.name] == [prints[text] for text in row.texts]
                    out = said[0] if said else f"{len(found[row.name])} texts" + ("" if is_right else ", not the right ones")
                table.append(f"{row.name:34} {' '.join(options):40} {out[:100]}")
                if not is_right:
                    wrong.append(table[-1])
        if "--table" in TABLE:
            print("\n".join(table))
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))


TABLE = [sys.argv.pop(sys.argv.index("--table"))] if "--table" in sys.argv else []

if __name__ == "__main__":
    main()
