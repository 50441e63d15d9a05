"""Bad input ends with a message that names the place. NEARDUP_PROGRAM names the program."""

import base64
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys

from harness import A, B, PROGRAM, SANITIZED, CommandTest, jsonl, large_corpus, run, unittest, main


class BadInput(CommandTest):
    def test_missing_and_unreadable_files(self):
        good = self.write("good", A)
        missing = self.folder / "missing"
        done = self.assert_fails(run("hash", good, missing), f"{missing}: no such file or folder")
        self.assertEqual(done.text, "")  # known before the work began
        done = self.assert_done(run("hash", "--skip-bad", good, missing))
        self.assertEqual(done.text.count("\n"), 1)
        self.assertIn(f"skipped {missing}: no such file or folder", done.err)
        self.assertIn("1 bad input was skipped (the first: ", done.err)
        (self.folder / "dangling").symlink_to("nowhere")
        done = run(self.folder)
        self.assertEqual(done.status, 2)
        self.assertIn(f"{self.folder}/dangling: a link that leads nowhere", done.err)
        (self.folder / "dangling").unlink()
        self.assert_fails(run("pairs", "groups", cwd=self.folder), "groups: no such file", "neardup groups")

    def test_no_permission(self):
        file = self.write("closed.txt", A)
        self.write("folder/a", A)
        file.chmod(0)
        (self.folder / "folder").chmod(0)
        self.addCleanup((self.folder / "folder").chmod, 0o700)
        self.folder.chmod(0o755)
        more = {}
        if os.geteuid() == 0:
            # Root can read every file, so the program runs as another user.
            copy = self.folder / "program"
            shutil.copy(PROGRAM, copy)
            more = {"user": 65534, "group": 65534, "executable": str(copy)}
        for path, mode in ((file, ()), (file, ("--lines",)), (self.folder / "folder", ())):
            with self.subTest(path=path, mode=mode):
                self.assert_fails(run("hash", *mode, path, **more), f"{path}: ", "ermission denied")
                self.assert_done(run("hash", "--skip-bad", *mode, path, "-", data="a document", **more))

    def test_bad_records_name_file_and_line(self):
        for line, message in (
            ("nonsense", "not valid JSON: it does not begin with {"),
            ("[1]", "not a JSON object"),
            ("17", "not a JSON object"),
            ('"text"', "not a JSON object"),
            ('{"text":"a"', "not valid JSON: a comma, colon, bracket or quote is missing"),
            ('{"text":"a}', "not valid JSON: a string has no end"),
            ('{"text":"a"}}', "not valid JSON"),
            ('{"text":"a"} {"text":"b"}', "not valid JSON: something follows the object"),
            ('{"text":"a","n":01}', "not valid JSON: a wrong number"),
            ('{"text":"a","n":nul}', "not valid JSON"),
            ('{"text":"a","n":nan}', "not valid JSON"),
            ('{"text":"a","n":-NaN}', "not valid JSON"),
            ('{"text":"a","n":Infinit}', "not valid JSON"),
            ('{"text":NaN}', 'field "text" is a number, not a string'),
            ('{"text":"a","n":"\\x"}', "not valid JSON: a wrong escape"),
            ('{"text":"a\\u12g4"}', "not valid JSON: a wrong escape"),
            ('{"text":"a\tb"}', "not valid JSON: a control character"),
            ('{"text":"a\0b"}', "not valid JSON: a control character"),
            ('{"text":"a","n":' + "[" * 5000 + "]" * 5000 + "}", "nested deeper than 1,024 levels"),
            ('{"txt":"a"}', 'no field "text"'),
            ('{"text":5}', 'field "text" is a number, not a string'),
            ('{"text":["a",1]}', 'field "text" is an array of other things than strings, not a string'),
            ('{"text":{"text":"a"}}', 'field "text" is an object, not a string'),
            ('{"text":"a","text":false}', 'field "text" is true or false, not a string'),
        ):
            with self.subTest(line=line[:40]):
                path = self.write("c.jsonl", '{"text":"x y"}\n\n' + line + "\n")
                done = self.assert_fails(run("hash", "--jsonl", path), f"neardup: {path}:3: {message}")
                self.assertEqual(done.text.count("\n"), 1)
                done = self.assert_done(run("hash", "--jsonl", "--skip-bad", path))
                self.assertIn(f"skipped {path}:3: {message}", done.err)
                self.assertIn("1 bad input was skipped", done.err)
        self.assertEqual(run("hash", "--jsonl", "-", data='{"text":"a","n":' + "[" * 1000 + "]" * 1000 + "}").status, 0)

    def test_a_null_text_is_an_empty_text(self):
        lines = ['{"text":"one two three","id":1}\n', '{"text":null,"id":2,"label":"keep me"}\n', '{"text":null,"id":3}\n', '{"text":"","id":4}\n']
        path = self.write("null.jsonl", "".join(lines))
        for options in ((), ("--skip-bad",), ("--similarity", 1), ("--check", "edit"), ("--check", "containment"), ("--distance", 3)):
            with self.subTest(options=options):
                done = self.assert_done(run("unique", "--jsonl", *options, path))
                self.assertEqual(done.text, "".join(lines))
                self.assertIn(f"3 documents have no tokens (the first: {path}:2) and cannot be compared", done.err)
                self.assertEqual(self.assert_done(run("pairs", "--jsonl", *options, path)).text, "")
        # One of several texts; features that are given; the ids that verify reads are no texts.
        done = run("pairs", "--jsonl", "--text-field", "a", "--text-field", "b", "-",
                   data='{"a":null,"b":"one two three"}\n{"a":"one two three","b":null}\n{"a":null,"b":null}\n')
        self.assertEqual(len(self.assert_done(done).text.splitlines()), 1)
        done = run("hash", "--jsonl", "--weighted-field", "w", "-", data='{"w":null}\n')
        self.assertTrue(self.assert_done(done).text.startswith("-"))
        codes = self.write("codes.jsonl", '{"code":null}\n')
        self.assert_fails(run("pairs", "--jsonl", "--code-field", "code", "--distance", 3, codes), ':1: field "code" is null, not a string')

    def test_a_field_that_was_named_must_be_there(self):
        done = run("hash", "--jsonl", "--id-field", "key", "-", data='{"text":"a","key":1}\n{"text":"a"}\n')
        self.assert_fails(done, 'standard input:2: no field "key" in the record, which has: text\n')
        done = run("hash", "--jsonl", "--id-field", "key", "-", data='{"text":"a","key":null}\n')
        self.assert_fails(done, 'field "key" is null, not a string or a number')
        done = run("hash", "--jsonl", "--text-field", "a", "--text-field", "b", "-", data='{"a":"x"}\n')
        self.assert_fails(done, 'standard input:1: no field "b"')
        self.assertNotIn("--text-field", done.err)
        done = run("hash", "--jsonl", "-", data='{"content":"x"}\n')
        self.assert_fails(done, 'standard input:1: no field "text" in the record, which has: content; --text-field names another')
        done = run("hash", "--jsonl", "--text-field", "txet", "-", data='{"text":"x","a\\u0041":{"b":NaN},"n":[1,{"c":2}]}\n')
        self.assert_fails(done, 'standard input:1: no field "txet" in the record, which has: text, aA, n\n')
        done = run("hash", "--jsonl", "-", data=json.dumps({f"k{i}": i for i in range(20)} | {"x" * 99: 1}))
        self.assert_fails(done, 'which has: k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, …;')
        self.assert_fails(run("hash", "--jsonl", "-", data="{}"), 'no field "text" in the record, which is empty;')

    def test_compressed_input_is_recognised(self):
        import bz2
        import lzma

        for pack in (bz2.compress, lzma.compress):
            path = self.write("c.jsonl.packed", pack(jsonl([A, B])))
            self.assert_fails(run("groups", "--jsonl", path), f"{path}: compressed by ")

    @unittest.skipIf(SANITIZED, "with sanitizers the program needs terabytes of addresses")
    @unittest.skipUnless(sys.platform == "linux", "needs a limit of memory")
    def test_a_line_beyond_the_memory_is_named(self):
        def limit():
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))

        self.write("c.txt", (A + "\n") * 20000)
        with open(self.folder / "c.txt", "ab") as file:
            file.truncate(file.tell() + 2**29)
        message = f"{self.folder}/c.txt:20001: not enough memory for this line"
        for verb in ("hash", "unique", "advise"):
            options = (verb, "--lines", "--threads", 1)
            done = run(*options, self.folder / "c.txt", preexec_fn=limit)
            self.assert_fails(done, message)
        other = self.write("other.txt", A)
        done = self.assert_done(run(*options[1:], "--skip-bad", self.folder / "c.txt", other, preexec_fn=limit))
        self.assertIn("skipped " + message, done.err)
        self.assertIn("20,001 documents", done.err)

    @unittest.skipUnless(shutil.which("strace"), "no strace")
    def test_a_thread_that_cannot_start_is_named(self):
        fails = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=clone,clone3", "-e", "inject=clone,clone3:error=EAGAIN"]
        done = subprocess.run([*fails, PROGRAM, "pairs", "--jsonl", "--threads", "2", self.write("c.jsonl", jsonl([A, B]))],
                              capture_output=True, check=False)
        if b"ptrace" in done.stderr:
            self.skipTest("strace may not trace here")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b": a thread cannot start; --threads N takes fewer\n", done.stderr)

    def test_numbers_of_lines_go_through_batches_and_sources(self):
        one = self.write("1.jsonl", jsonl(large_corpus(9000, 14, words=40)))
        self.assertGreater(one.stat().st_size, 1_200_000)
        lines = jsonl(large_corpus(9000, 15, words=40)).splitlines(keepends=True)
        lines[8500] = b'{"text":1}\n'
        two = self.write("2.jsonl", b"".join(lines))
        self.assert_fails(run("groups", "--jsonl", one, two), f"{two}:8501: ")

    def test_much_bad_input_is_counted(self):
        data = "".join('{"text":"one two"}\n' + "bad\n" for _ in range(50))
        done = self.assert_done(run("unique", "--jsonl", "--skip-bad", "-", data=data))
        self.assertEqual(done.text, '{"text":"one two"}\n')
        self.assertEqual(done.err.count(": skipped "), 5)
        self.assertIn("further input is skipped, and not named", done.err)
        self.assertIn("50 bad inputs were skipped (the first: standard input:2: ", done.err)
        quiet = self.assert_done(run("unique", "--jsonl", "--skip-bad", "--quiet", "-", data=data))
        self.assertIn("50 bad inputs were skipped", quiet.err)

    def test_input_that_is_all_bad_is_a_failure(self):
        for verb in ("unique", "hash", "pairs", "groups"):
            for data in ("bad\n", "bad\nworse\n" * 20, '{"no":"text"}\n', '{"text":"a b"}{"text":"c d"}\n'):
                done = run(verb, "--jsonl", "--skip-bad", "-", data=data)
                self.assert_fails(done, "all of the input was bad: no document could be read")
                self.assertIn(" skipped (the first: ", done.err)
            self.assert_done(run(verb, "--jsonl", "--skip-bad", "-", data=""))
            self.assert_done(run(verb, "--jsonl", "--skip-bad", "-", data='bad\n{"text":"..."}\n'))
        self.assert_fails(run("hash", "--skip-bad", self.folder / "missing"), "all of the input was bad")
        good = self.write("good.jsonl", jsonl([A]))
        done = run("unique", "--jsonl", "--skip-bad", "--against", good, "-", data="bad\n")
        self.assert_fails(done, "all of the input was bad")
        index = self.folder / "index"
        done = run("index", "--jsonl", "--skip-bad", "--output", index, "-", data="bad\n")
        self.assert_fails(done, "all of the input was bad")

    def test_strict_searches_refuse_texts_without_words(self):
        path = self.write("t.txt", f"{A}\n?!\n\n{A}\n")
        out = ("--output", self.folder / "out")
        for search in (("find", "quick brown fox"), ("passages",), ("unique", "--passages", 5, *out), ("unique", "--parts", "line", *out),
                       ("unique", "--cut-passages", "--check", "containment", "--against", self.write("b.txt", B), *out), ("pairs",)):
            self.assert_done(run(*search, "--lines", path))
            self.assert_fails(run(*search, "--lines", "--strict", path), f"{path}:2: a document without tokens")
            done = self.assert_done(run(*search, "--lines", "--strict", "--skip-bad", path))
            self.assertIn("2 bad inputs were skipped", done.err)
            if "--passages" in search or "--parts" in search:
                self.assertEqual((self.folder / "out").read_text(), f"{A}\n")
        self.assert_done(run("unique", "--passages", "bytes:1", *out, "--lines", "--strict", "--skip-bad", path))

    def test_ill_formed_texts_in_any_encoding_are_counted(self):
        """A note counts them and names the first; --strict refuses; --skip-bad leaves them out."""
        def utf16(text, big=False):
            return (b"\xfe\xff" if big else b"\xff\xfe") + text.encode("utf-16-be" if big else "utf-16-le", "surrogatepass")

        def warc(charset, body):
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=" + charset + b"\r\n\r\n" + body
            return (b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n"
                    b"Content-Length: %d\r\n\r\n" % len(http)) + http + b"\r\n\r\n"

        def mail(charset, body):
            return (b"Subject: x\nMIME-Version: 1.0\nContent-Type: text/plain; charset=" + charset
                    + b"\nContent-Transfer-Encoding: base64\n\n" + base64.b64encode(body))

        cases = []
        for broken in (A + "\ud800 " + B, A + "\udc00", A + " \ud800", "\ud800\ud800" + A, A + "\udc00\ud800" + B):
            for big in (False, True):
                cases += [
                    ("UTF-16", "", (), utf16(broken, big)),
                    ("UTF-16", ":2", ("--lines",), utf16(f"{A}\n{broken}\n{B}\n", big)),
                    ("UTF-16", ":2", ("--jsonl",), utf16(f'{{"text":"{A}"}}\n{{"text":"{broken}"}}\n{{"text":"{B}"}}\n', big)),
                    ("UTF-16", ":2", ("--jsonl",), utf16(f'[{{"text":"{A}"}},{{"text":"{broken}"}},{{"text":"{B}"}}]', big)),
                    ("UTF-16", ":3", ("--input-format", "csv"), utf16(f"id,text\n1,{A}\n2,{broken}\n3,{B}\n", big)),
                    ("UTF-16", ":2", ("--lines", "--encoding", "shift_jis"), utf16(f"{A}\n{broken}\n{B}\n", big)),
                ]
        cases.append(("UTF-16", "", (), utf16(A) + b"x"))
        cases.append(("UTF-16", ":2", ("--lines",), utf16(f"{B}\n{A}") + b"x"))
        lone, odd, beyond = utf16(A + "\ud800 " + B)[2:], utf16(A)[2:] + b"x", A.encode("utf-32-le") + b"\0\0\x11\0"
        for charset, body in ((b"utf-16le", lone), (b"utf-16", b"\xff\xfe" + lone), (b"utf-16le", odd), (b"utf-32le", beyond),
                              (b"utf-32le", A.encode("utf-32-le") + b"\0\xd8\0\0"), (b"shift_jis", A.encode() + b"\x81"),
                              (b"gb18030", A.encode() + b" \xff x"),
                              (b"utf-8", A.encode() + b"\xff"), (b"iso-2022-jp", A.encode() + b"\x1b$B!")):
            good = warc(b"utf-8", B.encode())
            name = "text" if charset.startswith(b"utf") else charset.decode()
            cases.append((name, ":2", ("--input-format", "warc"), good + warc(charset, body) + good))
            cases.append((name, "", ("--input-format", "mail"), mail(charset, body)))
        for encoding, broken in (("shift_jis", b"\x81"), ("gb18030", b"\xff x"), ("iso-2022-jp", b"\x1b$B!"), ("windows-1253", b"\xaa x")):
            lines = A.encode() + b"\n" + A.encode() + broken + b"\n" + B.encode() + b"\n"
            cases.append((encoding, ":2", ("--lines", "--encoding", encoding), lines))
        for name, place, options, data in cases[:: 5 if SANITIZED else 1]:  # 5: all of the six forms of UTF-16
            with self.subTest(options=options, data=data):
                done = run("hash", *options, "-", data=data)
                if "this build of neardup reads no mail" in done.err:
                    continue
                where = f"standard input{place}"
                self.assertIn(f"1 document is not well-formed {name} ({where}); ill-formed bytes read as U+FFFD", done.err)
                self.assertNotIn("zero bytes", self.assert_done(done).err)
                strict = ("--strict", *options)
                self.assert_fails(run("hash", *strict, "-", data=data), f"neardup: {where}: not well-formed {name}\n")
                self.assert_fails(run("groups", *strict, "--grouping", "components", "-", data=data), f"{where}: not well-formed {name}")
                skipped = run("hash", *strict, "--skip-bad", "-", data=data)
                self.assertEqual(len(skipped.text.splitlines()), len(done.text.splitlines()) - 1)
                self.assertEqual(skipped.status, 0 if place else 2)
        for text in (A + "\U0001f600 \ufffd", "w \ufffd", "\U0001f600 " * 40000):  # well-formed
            done = self.assert_done(run("unique", "--lines", "--strict", "-", data=utf16(f"{text}\n{B}")))
            self.assertEqual((done.text, "well-formed" in done.err), (f"{text}\n{B}", False))
        # The second pass reads a copy, and large input comes in several batches.
        lines = [f"{A} {i}" + "\ud800" * (i % 7 == 3) for i in range(70_000)]
        done = self.assert_done(run("unique", "--lines", "--grouping", "components", "-", data=utf16("\n".join(lines))))
        self.assertIn("10,000 documents are not well-formed UTF-16 (the first: standard input:4)", done.err)

    def test_zero_bytes_are_noted(self):
        for options, data in (((), f"{A}\0"), (("--jsonl",), '{"text":"a few\\u0000 words"}'), (("--jsonl",), '{"text":["a","b\\u0000"]}'),
                              (("--input-format", "csv"), f"id,text\n1,{A}\0\n"), (("--lines",), f"{A}\0\n{B}")):
            done = self.assert_done(run("hash", *options, "-", data=data))
            self.assertIn("1 document has zero bytes (standard input", done.err, options)
        path = self.write("zeros", f"{A}\0\n{A}\n")
        for mode, where in (((), ""), (("--lines",), ":1")):
            done = self.assert_done(run("hash", *mode, path))
            self.assertIn(f"1 document has zero bytes ({path}{where}): is that text? UTF-16 without", done.err)
            self.assertNotIn("zero bytes", run("hash", *mode, "--binary", path).err)
        for data in ('{"id":"\\u0000","text":"a few words"}', '{"text":"a few \\\\u0000 words"}'):
            self.assertNotIn("zero bytes", self.assert_done(run("hash", "--jsonl", "-", data=data)).err)

    def test_ill_formed_utf8_is_counted(self):
        self.write("bad", b"one \xff two \xe2\x82")
        self.write("good", "one \ufffd two \ufffd".encode())
        done = self.assert_done(run("hash", self.folder))
        self.assertIn(f"1 document is not well-formed UTF-8 ({self.folder}/bad)", done.err)
        for features in ("words", "chars:2"):
            rows = run("hash", "--features", features, self.folder).text.splitlines()
            self.assertEqual(rows[0].split()[0], rows[1].split()[0])
        done = self.assert_fails(run("hash", "--strict", self.folder), f"{self.folder}/bad: not well-formed UTF-8")
        data = b'{"text":"a \xff b"}\n{"text":"a \\ud800 b"}\n{"text":"a \xef\xbf\xbd b"}\n'
        done = self.assert_done(run("hash", "--jsonl", "--features", "chars:2", "-", data=data))
        self.assertEqual(len({line.split()[0] for line in done.text.splitlines()}), 1)
        self.assertIn("2 documents are not well-formed UTF-8 (the first: standard input:1)", done.err)
        self.assert_fails(run("hash", "--jsonl", "--strict", "-", data=data), "standard input:1: not well-formed UTF-8")
        # Half a surrogate pair in a field that is not read, also under the empty key.
        for key in ("", "other"):
            done = run("hash", "--jsonl", "--strict", "-", data='{"' + key + '":"\\ud800","text":"a word or two"}')
            self.assertNotIn("well-formed", self.assert_done(done).err)
        done = self.assert_done(run("hash", "--jsonl", "--strict", "--skip-bad", "-", data=data))
        self.assertEqual(done.text.count("\n"), 1)
        self.assertIn("2 bad inputs were skipped", done.err)
        done = self.assert_done(run("hash", "--lines", "-", data=b"ok\n\xc3\n"))
        self.assertIn("(standard input:2)", done.err)
        done = self.assert_done(run("unique", "--jsonl", "-", data=data))
        self.assertEqual(done.bytes, data.splitlines(keepends=True)[0])

    def test_ill_formed_ids_of_tables_are_counted(self):
        rows = b"id,text,other\na,some words here,1\n\xff,some words there,2\nc,other words here,\xff\n"
        self.assertIn("1 document is not well-formed UTF-8", self.assert_done(run("pairs", "--input-format", "csv", "-", data=rows)).err)
        self.assert_fails(run("pairs", "--input-format", "csv", "--strict", "-", data=rows), "not well-formed UTF-8")

    def test_ill_formed_headers_of_tables_are_counted(self):
        rows = b"id,text,o\xff\na,some words here,1\nb,some words there,2\n"
        wide = "id,text,o\ud800\na,some words here,1\nb,some words there,2\n".encode("utf-16", "surrogatepass")
        for data in (rows, wide):
            done = self.assert_done(run("unique", "--input-format", "csv", "-", data=data))
            self.assertIn("2 documents are not well-formed", done.err)
            self.assert_fails(run("unique", "--input-format", "csv", "--strict", "-", data=data), "not well-formed")

    def test_ids_are_valid_json_whatever_they_hold(self):
        data = b'{"id":"\xff\\u0000\\"\\\\\\n","text":"a"}\n'
        done = self.assert_done(run("hash", "--jsonl", "--format", "jsonl", "-", data=data))
        self.assertEqual(done.json[0]["id"], '\ufffd\0"\\\n')

    def test_documents_without_tokens_are_in_no_group(self):
        data = jsonl(["", "...", "", "...", A, A])
        done = self.assert_done(run("groups", "--jsonl", "--format", "jsonl", "-", data=data))
        self.assertEqual([[m["id"] for m in row["members"]] for row in done.json], [["d4", "d5"]])
        self.assertIn("4 documents have no tokens (the first: standard input:1)", done.err)
        self.assertEqual(len(run("pairs", "--jsonl", "-", data=data).text.splitlines()), 1)
        done = run("groups", "--jsonl", "--strict", "-", data=data)
        self.assert_fails(done, "standard input:1: a document without tokens")
        quiet = self.assert_done(run("groups", "--jsonl", "--quiet", "-", data=data))
        self.assertEqual(quiet.err, "")

    def test_takes_what_python_takes(self):
        """Mutated records: what json.loads reads is read, with the same text; what it refuses is refused."""
        rng = random.Random(16)
        seeds = [
            '{"id":"a","text":"one two","n":-1.5e+3,"o":{"a":[true,false,null,"x"]}}',
            '{"text":"h\\u00e4 \\ud83d\\ude00 \\n\\t\\"\\\\","k":[]}',
            '{ "x" : 0 , "text" : "漢字 ß" , "y" : { } }',
            '{"text":"a","text":"b","id":12}',
            '{"n":NaN,"text":"c","m":[-Infinity,Infinity,{"x":NaN}]}',
        ]
        alphabet = '"\\{}[],:01-.eud8tn a\t'
        lines = []
        for _ in range(6000):
            line = list(rng.choice(seeds))
            for _ in range(rng.choice([0, 1, 1, 2, 3])):
                at = rng.randrange(len(line))
                change = rng.random()
                if change < 0.35:
                    line[at] = rng.choice(alphabet)
                elif change < 0.7:
                    del line[at]
                else:
                    line.insert(at, rng.choice(alphabet))
            raw = "".join(line).encode()
            if rng.random() < 0.05:
                at = rng.randrange(len(raw))
                raw = raw[:at] + bytes([rng.randrange(128, 256)]) + raw[at + 1 :]
            lines.append(raw)

        expected = {}
        for number, raw in enumerate(lines, 1):
            try:
                record = json.loads(raw.decode("utf-8", "replace"))
            except ValueError:
                continue
            if isinstance(record, dict) and isinstance(record.get("text"), str):
                expected[number] = re.sub("[\ud800-\udfff]", "\ufffd", record["text"])
        options = ("--skip-bad", "--id-field", "text", "--format", "jsonl")
        done = self.assert_done(run("hash", "--jsonl", *options, "-", data=b"\n".join(lines)))
        self.assertEqual([row["id"] for row in done.json], list(expected.values()))
        self.assertGreater(len(expected), 1500)
        self.assertGreater(len(lines) - len(expected), 1500)


if __name__ == "__main__":
    main()
