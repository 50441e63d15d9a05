"""Mails in files and in mail boxes, against Python's email and mailbox."""

import contextlib
import email.base64mime
import email.message
import email.mime.application
import email.mime.message
import email.mime.multipart
import email.mime.text
import mailbox
import pathlib
import quopri
import random
import re

from harness import A, B, CommandTest, cpu_seconds, main, run

MAIL = ("--input-format", "mail")
FROM = "From someone@example.org Thu Nov 27 04:12:00 2026\n"
TEXT = "Grüße aus Zürich: die Rechnung über 1.250 € liegt bei, bitte prüfen Sie sie bis Freitag, danke, Jürgen Müller"


def part(text, charset="utf-8", encoding=None, kind="plain"):
    """A part of text with a Content-Transfer-Encoding."""
    made = email.mime.text.MIMEText("", kind, "us-ascii")
    del made["Content-Transfer-Encoding"], made["Content-Type"]
    made["Content-Type"] = f"text/{kind}; charset={charset}"
    data = text.encode(charset)
    if encoding == "base64":
        made.set_payload(email.base64mime.body_encode(data))
    elif encoding == "quoted-printable":
        made.set_payload(quopri.encodestring(data).decode())
    else:
        made.set_payload(data.decode("ascii", "surrogateescape"))
    made["Content-Transfer-Encoding"] = encoding or "8bit"
    return made


def mail(body, name, **fields):
    for key, value in ({"From": "A <a@example.org>", "Message-ID": f"<{name}>"} | fields).items():
        body[key.replace("_", "-")] = value
    return body.as_bytes()


def several(kind, *parts):
    made = email.mime.multipart.MIMEMultipart(kind)
    for one in parts:
        made.attach(one)
    return made


def box(*mails):
    """Returns a mail box. Lines of mails that look like a separator are quoted."""
    return b"".join(FROM.encode() + re.sub(rb"(?m)^(>*From )", rb">\1", one) + b"\n\n" for one in mails)


def mails_in(path):
    """The messages of a mail box, as Python reads it."""
    with contextlib.closing(mailbox.mbox(path)) as read:
        return list(read)


class Mail(CommandTest):
    def setUp(self):
        super().setUp()
        if "GMime was missing" in run("hash", *MAIL, "-", data=b"a: b\n\nc\n").err:
            self.skipTest("built without GMime")

    def test_one_mail_in_many_encodings(self):
        html = "<html><head><style>p {color: red}</style></head><body><p>" + TEXT.replace("ü", "&uuml;").replace(
            "€", "&#8364;").replace("ß", "&#xDF;").replace("Rechnung", "<b>Rech</b>nung<!-- -->") + "</p></body></html>"
        versions = [
            mail(part(TEXT), "utf8"), mail(part(TEXT, "utf-8", "quoted-printable"), "qp"),
            mail(part(TEXT, "utf-8", "base64"), "b64"), mail(part(TEXT, "iso-8859-15", "quoted-printable"), "latin"),
            mail(part(TEXT, "windows-1252"), "8bit"), mail(part(TEXT, "utf-16", "base64"), "wide"),
            mail(part(html, kind="html"), "html"), mail(part(html, "iso-8859-1", "base64", "html"), "html64"),
            mail(several("alternative", part(TEXT), part("<p>something else</p>", kind="html")), "both"),
            mail(several("mixed", several("related", part(TEXT, "utf-8", "base64")), email.mime.application.MIMEApplication(b"\0")), "deep"),
            mail(part(TEXT), "crlf").replace(b"\n", b"\r\n"),
            mail(part(TEXT), "untyped").replace(b"text/plain;", b"text;"),
        ]
        names = ["utf8", "qp", "b64", "latin", "8bit", "wide", "html", "html64", "both", "deep", "crlf", "untyped"]
        for data in (box(*versions), b"".join(reversed([box(one) for one in reversed(versions)]))):
            done = self.assert_done(run("groups", *MAIL, "--similarity", "1", "--format", "jsonl", "-", data=data))
            self.assertEqual([m["id"] for row in done.json for m in row["members"]], names, done.err)
            self.assertIn("1 mail has attachments, which are not compared", done.err)
            self.assertNotIn("well-formed", done.err)
        folder = self.folder / "inbox"
        for name, one in zip(names, versions):
            self.write(f"inbox/{name}.eml", one)
        for options in (MAIL, ("--input-format", "auto")):
            done = self.assert_done(run("groups", *options, "--similarity", "1", "--format", "jsonl", folder))
            self.assertEqual({m["id"] for row in done.json for m in row["members"]}, set(names), done.err)
        kept = self.assert_done(run("unique", *MAIL, "--similarity", "1", folder))
        self.assertEqual(kept.text, f"{folder}/8bit.eml\n")

    def test_mail_boxes_are_those_of_python(self):
        rng = random.Random(3)
        mails = []
        for i in range(400):
            lines = [" ".join(f"w{rng.randrange(300)}" for _ in range(rng.randrange(1, 12))) for _ in range(rng.randrange(1, 60))]
            lines.insert(rng.randrange(len(lines) + 1), rng.choice(["", "From here on", ">From quoted", "\nFrom 10:30 on we wait"]))
            body = part("\n".join(lines), encoding=rng.choice([None, "base64", "quoted-printable"]))
            mails.append(mail(body, f"m{i}"))
        mails[200] = mails[100].replace(b"<m100>", b"<m200>")
        path = self.write("a.mbox", box(*mails))
        theirs = [one.get("Message-ID").strip("<>") for one in mails_in(path)]
        self.assertEqual(theirs, [f"m{i}" for i in range(400)])
        for threads in (1, 4):
            done = self.assert_done(run("hash", *MAIL, "--format", "jsonl", "--threads", threads, path))
            self.assertEqual([row["id"] for row in done.json], theirs)
        kept = self.assert_done(run("unique", *MAIL, "--similarity", "1", path))
        self.assertEqual(kept.bytes, box(*mails[:200], *mails[201:]))
        for data in (path.read_bytes(), path.read_bytes().rstrip(b"\n")):
            kept = self.assert_done(run("unique", *MAIL, "--similarity", "1", "-", self.write("more", box(mail(part(A), "last"))), data=data))
            self.assertEqual(len(mails_in(self.write("k", kept.bytes))), 400)
        eml = self.folder / "eml"
        for one, name in zip(mails, theirs):
            self.write(f"eml/{name}.eml", one)
        prints = {row["id"]: row["fingerprint"] for row in run("hash", *MAIL, "--format", "jsonl", path).json}
        self.assertEqual({row["id"]: row["fingerprint"] for row in run("hash", *MAIL, "--format", "jsonl", eml).json}, prints)

    def test_what_cannot_be_decoded_is_said_and_kept(self):
        header = "From: a@example.org\nMessage-ID: <x>\nMIME-Version: 1.0\n"
        for fields, body in (
            ("Content-Type: text/plain\nContent-Transfer-Encoding: base64\n", f"{A}!\n"),
            ("Content-Type: text/plain\nContent-Transfer-Encoding: rot13\n", A),
            ("Content-Type: multipart/mixed; boundary=missing\n", A),
            ("Content-Type: multipart/mixed\n", A),
            ('Content-Type: multipart/encrypted; boundary=b; protocol="application/pgp-encrypted"\n',
             f"--b\nContent-Type: text/plain\n\n{A}\n--b--\n"),
        ):
            data = f"{header}{fields}\n{body}\n".encode()
            other = mail(part(A), "y")
            path, same = self.write("x.eml", data), self.write("y.eml", other)
            done = self.assert_done(run("pairs", *MAIL, "--format", "jsonl", path, same))
            self.assertEqual([(row["a"], row["b"], row["similarity"]) for row in done.json], [("x", "y", 1)], (fields, done.err))
            self.assertIn(f"1 mail has a part that cannot be decoded, and is read as it stands ({path})", done.err)
            self.assertEqual(self.assert_done(run("unique", *MAIL, "-", data=box(data))).bytes, box(data))
        path = self.write("x.eml", f"{header}Content-Type: text/plain; charset=klingon-1\n\n{A}\n")
        done = self.assert_done(run("pairs", *MAIL, "--format", "jsonl", path, same))
        self.assertEqual([(row["a"], row["b"], row["similarity"]) for row in done.json], [("x", "y", 1)])
        self.assertIn(f"{path}: the unknown charset 'klingon-1' of 1 record is read as UTF-8", done.err)
        broken = self.write("z.eml", header.encode() + b"Content-Type: text/plain; charset=utf-8\n\nGr\xfc\xdfe aus Z\xfcrich\n")
        self.assertIn("1 document is not well-formed", self.assert_done(run("hash", *MAIL, broken)).err)
        cut = mail(several("mixed", part(A), part(B, encoding="base64")), "cut")
        self.assert_done(run("hash", *MAIL, "-", data=cut[: len(cut) // 2]))
        deep = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(3000))
        self.assertIn(run("hash", *MAIL, "-", data=deep).status, (0, 2))

    def test_boxes_that_other_programs_wrote(self):
        """Messages without a blank line before them or a date, a byte order mark, blank lines, no message."""
        one, two = "Message-ID: <1>\n\nhello there\n", "Message-ID: <2>\n\ngood bye\n"
        for data in (FROM + one + FROM + two, FROM + one + " \n" + FROM + two, "\n\n" + FROM + one + "\n" + FROM + two,
                     "\ufeff" + FROM + one + "\n" + FROM + two, "From a@b\n" + one + "\nFrom c@d 2024-01-01\n" + two,
                     "From foo\n" + one + "\nFrom bar\n" + two):
            done = self.assert_done(run("hash", *MAIL, "--format", "jsonl", "-", data=data))
            self.assertEqual([row["id"] for row in done.json], ["1", "2"], data)
        # These lines do not begin a message: they lack an address, or the next line is not a header field.
        for line in ("From here on we walk\nNote: it rains\n", "From a@b\nwe heard nothing\n", "From foo\n\nNote: no\n"):
            done = self.assert_done(run("hash", *MAIL, "--format", "jsonl", "-", data=f"{FROM}{one}\n{line}"))
            self.assertEqual([row["id"] for row in done.json], ["1"], line)
        empty = self.write("empty.mbox", "")
        full = self.write("full.mbox", FROM + one)
        self.assertEqual(len(self.assert_done(run("hash", *MAIL, "--format", "jsonl", empty, full)).json), 1)

    def test_charsets_that_are_named_otherwise_or_not_at_all(self):
        def raw(charset, data):
            head = f"Content-Type: text/plain; charset={charset}\n\n" if charset else "\n"
            return head.encode() + data

        def tokens(*options, charset, data):
            path = self.write("m.eml", b"Message-ID: <1>\n" + raw(charset, data))
            utf8 = self.write("u.eml", b"Message-ID: <2>\n" + raw("utf-8", text.encode()))
            done = self.assert_done(run("groups", *MAIL, "--similarity", "1", "--format", "jsonl", *options, path, utf8))
            self.assertEqual([len(row["members"]) for row in done.json], [2], (charset, done.err))

        text = "Привет мир это письмо в старой кодировке"
        for charset in ("", "us-ascii", "x-unknown"):
            tokens("--encoding", "WINDOWS-1251", charset=charset, data=text.encode("cp1251"))
        tokens(charset="iso-8859-1", data=text.encode())  # the charset is wrong, because the bytes are UTF-8
        text = "한국어 편지 입니다 안녕하세요 여러분"
        for charset in ("ks_c_5601-1987", "ksc5601", "euc-kr"):
            tokens(charset=charset, data=text.encode("cp949"))
        text = "谢谢"  # the bytes of this text are also well-formed UTF-8
        tokens("--features", "chars:1", charset="gb2312", data=text.encode("gb2312"))
        text = "朱镕基先生"  # GB2312 lacks one of these characters
        tokens("--features", "chars:1", charset="gb2312", data=text.encode("gbk"))
        text = "שלום לכולם זה מכתב"
        tokens(charset="iso-8859-8-i", data=text.encode("iso-8859-8"))

    def test_copies_are_equal_texts_whatever_the_line_ends(self):
        mails = [mail(part(TEXT + "\n", encoding=how), f"m{i}") for i, how in enumerate((None, "base64", "quoted-printable"))]
        data = box(*mails, mails[0].replace(b"\n", b"\r\n")).rstrip(b"\n")
        kept = self.assert_done(run("unique", *MAIL, "--copies", "-", data=data))
        self.assertEqual(kept.bytes, box(mails[0]))

    def test_a_body_without_a_blank_line_before_it_is_read(self):
        header = "Subject: a\n folded\nX-Old : b\n>From someone\nX-Last: c\n"
        self.write("inbox/whole.eml", f"{header}\n{TEXT}\n")
        self.write("inbox/below.eml", f"{header}{TEXT}\n")
        self.write("inbox/crlf.eml", f"{header}{TEXT}\n".replace("\n", "\r\n"))
        done = self.assert_done(run("groups", *MAIL, "--similarity", "1", "--format", "jsonl", self.folder / "inbox"))
        self.assertEqual([len(row["members"]) for row in done.json], [3], done.err)

    def same_own_text(self, mails):
        """`mails` has (mail, own text) pairs. The document of a mail must have the words of its own text only, but
        more with --mail all."""
        for made, own in mails:
            path, twin = self.write("m.eml", made), self.write("t.eml", mail(part(own), "t"))
            options = (*MAIL, "--similarity", 1, "--features", "words", "--format", "jsonl")
            done = self.assert_done(run("pairs", *options, path, twin))
            shown = run("tokens", *MAIL, "--features", "words", path).text
            self.assertEqual(len(done.json), 1, (made.decode(errors="replace"), own, shown))
            self.assertEqual(self.assert_done(run("pairs", *options, "--mail", "all", path, twin)).json, [])

    def test_own_text_is_compared_in_place_of_quotes(self):
        old = "First line of the old mail\nand the second one with other words\n\nBest wishes"
        lines = "".join(f"> {line}\n" for line in old.split("\n"))
        wrote = "On Thu, 26 Nov 2026 at 10:15, Bob Example <bob@example.org> wrote:\n"
        fields = "From: Bob <bob@example.org>\nSent: Thursday, 26 November 2026 10:15\nTo: Ann\nSubject: RE: rivers\n\n"
        own = "I do not agree with that at all, because the river is longer."
        more = "And here is one more answer below."
        plain = (
            (f"{own}\n\n{wrote}{lines}", own),
            (f"{own}\n\nOn Thu, 26 Nov 2026 at 10:15, Bob Example\n<bob@example.org> wrote:\n\n{lines}", own),
            (f"{wrote}{lines}\n{own}\n> quoted again\n>> and deeper\n{more}\n", f"{own}\n{more}"),
            (f"Bob Example wrote:\n{lines}{own}\n", own),
            (f"{own}\n\n{wrote}\n{old}\n", own),
            (f"{wrote}\n{own}\n\n{lines}", own),
            (f"{more}\n\n{wrote}\n{own}\n{lines}", f"{more}\n{own}"),
            (f"{own}\r\n\r\n-----Original Message-----\r\n{fields}{old}", own),
            (f"{own}\n\n-----Original Message-----\n{fields}{lines}\n{more}", f"{own}\n{more}"),
            (f"{own}\n\n---------- Forwarded message ---------\n{fields}{old}", own),
            (f"{own}\n\n________________________________\n{fields}{old}", own),
            (f"{own}\n\n*From:* Bob\n*Date:* 26 Nov\n*To:* Ann\n*Subject:* x\n\n{old}", own),
            (f"{own}\n\nVon: Bob\nGesendet: Donnerstag, 26. November 2026 10:15\nAn: Ann\nBetreff: AW: Fluss\n\n{old}", own),
            (f"{own}\n\nAm 26.11.2026 um 10:15 schrieb Bob Example:\n{lines}", own),
            (f"{own}\n\nBegin forwarded message:\n\n{fields}{old}", own),
            (f"{own}\nOn that page Bob wrote:\n{more}\n> x", f"{own}\nOn that page Bob wrote:\n{more}"),
            (f"{own}\n>>> print(17)\n17\n\n{lines}", f"{own}\nprint 17 17"),
        )
        self.same_own_text((mail(part(text, encoding=how), "m"), mine) for text, mine in plain for how in (None, "quoted-printable"))
        quote = f"<blockquote type=cite><p>{old}</p><blockquote>deeper</blockquote></blockquote>"
        html = (
            (f"<p>{own}</p><br>{wrote}{quote}<p>{more}</p>", f"{own} {more}"),
            (f'<div>{own}</div><div class="gmail_quote"><div class="gmail_attr">{wrote}<br></div>{quote}<div>{more}</div></div>', f"{own} {more}"),
            (f'<div>{own}</div><div class="gmail_quote">---------- Forwarded message ---------<br>{old}</div>', own),
            (f'<div>{own}</div><hr><div id="divRplyFwdMsg"><b>From:</b> Bob</div><div>{old}</div>', own),
            (f"<p>{own}</p><p><b>From:</b> Bob<br><b>Sent:</b> now<br><b>To:</b> Ann<br><b>Subject:</b> x</p><p>{old}</p>", own),
        )
        self.same_own_text((mail(part(text, kind="html"), "m"), mine) for text, mine in html)
        both = several("alternative", part(f"{own}\n{wrote}{lines}"), part(html[0][0], kind="html"))
        forwarded = several("mixed", part(own), email.mime.message.MIMEMessage(email.message_from_bytes(mail(part(old), "f"))))
        self.same_own_text([(mail(both, "m"), own), (mail(forwarded, "m"), own)])

    def words_at_once(self, html):
        """Returns the words of an HTML mail. Reading the mail must not take seconds."""
        path = self.write("m.eml", mail(part(html, kind="html"), "m"))
        before = cpu_seconds()
        done = self.assert_done(run("tokens", *MAIL, "--features", "words", path))
        self.assertLess(cpu_seconds() - before, 3)
        return [line.split("\t")[0] for line in done.text.splitlines()]

    def test_quotes_that_contain_each_other_are_read_in_linear_time(self):
        begin = "<div class=gmail_quote>"
        for count in (2, 32_000):  # an earlier version took 11 s
            html = f"{begin * count}<blockquote>x</blockquote>{'</div>' * (count - 1)}own</div>"
            self.assertEqual(self.words_at_once(html), ["own"])

    def test_a_value_that_does_not_end_is_read_in_linear_time(self):
        for count in (2, 100_000):
            html = "own " + """<a x=">" """ * count + "y='>text"
            self.assertEqual(self.words_at_once(html), ["own", "text"])

    def test_no_answer_of_a_thread_is_lost(self):
        """Threads of mails, in which each answer quotes all mails before it. An answer is dropped only if a kept
        mail has its own words."""
        rng = random.Random(4)
        words = [f"w{i}" for i in range(4000)]
        mails, owns, thread = [], [], ""
        for i in range(60):
            own = rng.choice(["I agree.", "Thanks!", "+1", "I do not agree."]) if i % 3 == 0 else " ".join(rng.sample(words, rng.randrange(3, 80)))
            if i % 10 == 0:
                thread = " ".join(rng.sample(words, 300))
            quoted = "".join(f"> {line}\n" for line in thread.splitlines())
            thread = f"{own}\n\nOn Thu, 26 Nov 2026, b wrote:\n{quoted}"
            mails.append(mail(part(thread), f"m{i}"))
            owns.append(own)
        for options in ((), ("--check", "containment"), ("--copies",), ("--similarity", 0.5)):
            done = self.assert_done(run("unique", *MAIL, *options, "-", data=box(*mails)))
            kept = [i for i in range(60) if f"Message-ID: <m{i}>\n".encode() in done.bytes]
            for i in set(range(60)) - set(kept):
                self.assertTrue(any(owns[i] == owns[k] for k in kept), (options, i, owns[i]))
            self.assertGreaterEqual(len(kept), 40, options)
        lost = self.assert_done(run("unique", *MAIL, "--mail", "all", "-", data=box(*mails)))
        self.assertLess(lost.bytes.count(b"Message-ID"), 40)

    def test_a_mail_of_quotes_alone_is_compared_by_all_of_it(self):
        quotes = "".join(f"> {line}\n" for line in (A, B, "more words that somebody wrote before"))
        made = [mail(part(quotes), "1"), mail(part(f"\n{quotes}"), "2"), mail(part("> other quotes\n> of other mails"), "3")]
        done = self.assert_done(run("unique", *MAIL, "-", data=box(*made)))
        self.assertEqual(done.bytes, box(made[0], made[2]))

    def test_what_is_no_mail(self):
        for data, place, message in ((A, "standard input", "no mail: it does not begin with a header"), ("", "", ""),
                                     (FROM + "\n", "standard input:1", "no mail"), (f"{FROM}{A}\n", "standard input:1", "no mail")):
            done = run("hash", *MAIL, "-", data=data)
            if message:
                self.assert_fails(done, f"{place}: {message}")
        good = box(mail(part(A), "a"))
        # A separator line without a header after it belongs to the body.
        body = self.write("b", good + FROM.encode() + b"nothing\n\n" + box(mail(part(B), "b")) + FROM.encode())
        done = self.assert_done(run("hash", *MAIL, "--format", "jsonl", body))
        self.assertEqual([row["id"] for row in done.json], ["a", "b"])
        data = pathlib.Path(body).read_bytes()
        self.assertEqual(self.assert_done(run("unique", *MAIL, "-", data=data)).bytes, data)
        self.assert_fails(run("groups", "--jsonl", "--mail", "all", "-"), "--mail needs --input-format mail or auto")
        self.assert_fails(run("groups", *MAIL, "--mail", "most", "-"), "--mail 'most'")
        self.assert_fails(run("hash", *MAIL, "--text-field", "x", "-"), "the text of a mail is its body")
        self.assert_fails(run("groups", "--jsonl", "--by", "thread", "-"), "--by thread needs --input-format mail")

    def test_senders_threads_and_ids(self):
        data = box(
            mail(part(A), "1", From="Ann <Ann@Example.org>"), mail(part(A), "2", From="ann@example.org", In_Reply_To="<1>"),
            mail(part(A), "3", From="=?utf-8?q?J=C3=BCrgen?= <j@example.org>", References="<1> <2>", X_Id="=?utf-8?b?w7w=?="))
        for by, counts in (("sender", ("2 1 1 50.0 % ann@example.org", "1 0 1 100.0 % j@example.org")),
                           ("thread", ("3 1 2 66.7 % 1; of these like 1: 2",))):
            done = self.assert_done(run("unique", *MAIL, "--by", by, "-", data=data))
            lines = [" ".join(line.split()) for line in done.err.splitlines()]
            for line in counts:
                self.assertTrue(any(line in one for one in lines), (line, done.err))
        done = run("hash", *MAIL, "--id-field", "X-Id", "--skip-bad", "--format", "jsonl", "-", data=data)
        self.assertEqual([row["id"] for row in done.json], ["ü"])
        self.assertIn('standard input:1: no header field "X-Id"', done.err)


if __name__ == "__main__":
    main()
