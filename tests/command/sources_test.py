"""Sources of documents: files, folders, standard input, records. NEARDUP_PROGRAM names the program."""

import json
import os
import pathlib
import random
import subprocess
import threading

from harness import A, B, PROGRAM, SANITIZED, TIMEOUT, CommandTest, corpus
from harness import cpu_seconds, effort, jsonl, run, run_with, unittest, main


class Sources(CommandTest):
    def ids(self, *arguments, data=b"", **more):
        done = self.assert_done(run("hash", "--format", "jsonl", *arguments, data=data, **more))
        return [row["id"] for row in done.json]

    def test_folders_are_read_in_order(self):
        for name in ("b/2.txt", "b/10.txt", "a.txt", "c/d/e.md", "b.txt", "B"):
            self.write(name, name)
        os.chdir(self.folder)
        self.addCleanup(os.chdir, "/")
        self.assertEqual(self.ids("."), ["./B", "./a.txt", "./b/10.txt", "./b/2.txt", "./b.txt", "./c/d/e.md"])
        self.assertEqual(self.ids("c/", "a.txt"), ["c/d/e.md", "a.txt"])

    def test_include_and_exclude(self):
        for name in ("a.txt", "b.md", "c/a.txt", "c/d/b.md", "c/d/e/f.txt", ".git/x.txt", "c/[1].txt"):
            self.write(name, name)
        os.chdir(self.folder)
        self.addCleanup(os.chdir, "/")
        for options, expected in (
            (("--include", "*.md"), ["./b.md", "./c/d/b.md"]),
            (("--include", "*.md", "--include", "f.*"), ["./b.md", "./c/d/b.md", "./c/d/e/f.txt"]),
            (("--exclude", "d"), ["./a.txt", "./b.md", "./c/[1].txt", "./c/a.txt"]),
            (("--hidden", "--exclude", ".git", "--exclude", "d"), ["./a.txt", "./b.md", "./c/[1].txt", "./c/a.txt"]),
            (("--include", "c/*"), ["./c/[1].txt", "./c/a.txt"]),
            (("--include", "**/e/*"), ["./c/d/e/f.txt"]),
            (("--include", "c/**.md"), []),  # two stars beside other characters mean one star
            (("--include", "c/d/**.md"), ["./c/d/b.md"]),
            (("--include", "**/b.md"), ["./b.md", "./c/d/b.md"]),
            (("--include", "[a-b].??"), ["./b.md", "./c/d/b.md"]),
            (("--include", "[!a-e]*.txt", "--exclude", ".git/*"), ["./c/[1].txt", "./c/d/e/f.txt"]),
            (("--include", "\\[1].txt"), ["./c/[1].txt"]),
        ):
            with self.subTest(options=options):
                self.assertEqual(self.ids(".", *options), expected)
        # A file that is named is read, whatever its name.
        self.assertEqual(self.ids("a.txt", "c", "--include", "*.md"), ["a.txt", "c/d/b.md"])

    def test_patterns_against_the_oracle(self):
        def matches(pattern, text):
            """The rules for patterns, by trying all matches. A pattern is a list of elements."""
            if not pattern:
                return not text
            first, rest = pattern[0], pattern[1:]
            if first == "**/":
                return any(matches(rest, text[i:]) for i in range(len(text) + 1) if i == 0 or text[i - 1] == "/")
            if first in ("*", "**"):
                if matches(rest, text):
                    return True
                return bool(text) and (first == "**" or text[0] != "/") and matches(pattern, text[1:])
            if not text:
                return False
            one_of = {"?": "ab-ä漢", "[ab]": "ab", "[!a]": "b-ä漢", "[a-z]": "ab", "[ä-漢]": "ä漢", "\\-": "-"}
            return text[0] in one_of.get(first, first) and matches(rest, text[1:])

        def resolved(pattern):
            """Replaces two stars by one star unless they are between slashes, where they stand for folders."""
            result = []
            for i, element in enumerate(pattern):
                begins_name = i == 0 or pattern[i - 1].endswith("/")
                if element == "**" and not (begins_name and i + 1 == len(pattern)):
                    result.append("*")
                elif element == "**/" and not begins_name:
                    result += ["*", "/"]
                else:
                    result.append(element)
            return result

        rng = random.Random(23)
        files = {"a", "b/a", "b/b/a", "漢", "漢漢"}
        while len(files) < 150:
            name = "/".join("".join(rng.choice("ab-ä漢") for _ in range(rng.randrange(1, 5))) for _ in range(rng.randrange(1, 4)))
            if not any(other == name or other.startswith(name + "/") or name.startswith(other + "/") for other in files):
                files.add(name)
        for name in files:
            self.write("f/" + name, "x")
        elements = ["a", "b", "ä", "/", "?", "*", "*", "**", "**/", "[ab]", "[!a]", "[a-z]", "[ä-漢]", "\\-"]
        hits = 0
        rounds = effort(80, 400)
        for _ in range(rounds):
            pattern = []
            for _ in range(rng.randrange(1, 7)):
                element = rng.choice(elements)
                # Together, these two elements would be another element.
                if pattern and pattern[-1] in ("*", "**") and element[0] in "*/":
                    continue
                pattern.append(element)
            whole = "".join(pattern)
            if whole.startswith("/") or whole.endswith("/") or "//" in whole:
                continue  # such patterns are refused, or mean folders only
            expected = {name for name in files if matches(resolved(pattern), name if "/" in whole else name.rpartition("/")[2])}
            # Names are compared as sets, because Python and the program order them differently.
            ids = self.ids("--include", whole, "f", cwd=self.folder)
            self.assertEqual({id[2:] for id in ids}, expected, whole)
            hits += bool(expected)
        self.assertGreater(hits, rounds * 3 // 10)

    def test_patterns_with_many_stars_are_quick(self):
        self.write("a" * 200, A)
        begin = cpu_seconds()
        for pattern in ("*a" * 20 + "*b", "**a" * 20 + "b", "**/" * 20 + "*b", "*?[a]" * 15 + "*b"):
            self.assertEqual(self.ids(self.folder, "--include", pattern), [])
        self.assertEqual(len(self.ids(self.folder, "--include", "*a" * 20 + "*")), 1)
        self.assertLess(cpu_seconds() - begin, 20)

    def test_standard_input(self):
        self.assertEqual(self.ids("-", data=A), ["-"])
        self.assertEqual(self.ids("--lines", "-", data=f"{A}\n{B}"), ["-:1", "-:2"])
        self.assertEqual(self.ids("--jsonl", "-", data='{"text":"x"}\n\n{"text":"y","id":"z"}'), ["-:1", "z"])
        self.assert_fails(run("-", "-"), "only once")

    @unittest.skipUnless(os.path.exists("/dev/stdin"), "no /dev/stdin")
    def test_standard_input_by_two_names_is_read_once(self):
        data = f"{A}\n{B}\n"
        for names in (("/dev/stdin", "-"), ("-", "/dev/stdin"), ("/dev/stdin", "/dev/stdin")):
            done = self.assert_done(run("hash", "--lines", "--format", "jsonl", *names, data=data))
            self.assertEqual([row["id"] for row in done.json], [f"{names[0]}:1", f"{names[0]}:2"])
            self.assertIn("reached more than once", done.err)
            # The same file as standard input and under its name.
            file = self.write("c.txt", data)
            for other in (names[1], file):
                with open(file, "rb") as stdin:
                    done = run_with(("hash", "--lines", names[0], other), stdin=stdin, capture_output=True)
                self.assertEqual(done.stdout.count(b"\n"), 2)
        # An open file that was read in part is another input than the file. So is a hard link.
        with open(file, "rb") as stdin:
            os.lseek(stdin.fileno(), len(A) + 1, os.SEEK_SET)
            done = run_with(("hash", "--lines", "-", file), stdin=stdin, capture_output=True)
        self.assertEqual(done.stdout.count(b"\n"), 3)
        os.link(file, self.folder / "hard.txt")
        with open(file, "rb") as stdin:
            done = run_with(("hash", "--lines", file, self.folder / "hard.txt"), stdin=stdin, capture_output=True)
        self.assertEqual(done.stdout.count(b"\n"), 4)

    def test_no_standard_input_at_all(self):
        for options in ("--lines", "--jsonl", "--strict"):
            done = subprocess.run(
                ["/bin/sh", "-c", '"$0" hash "$1" - <&-', PROGRAM, options], capture_output=True, timeout=TIMEOUT
            )
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"neardup: standard input: ", done.stderr)
            self.assertEqual(done.stdout, b"")

    def test_regular_file_as_standard_input(self):
        data = jsonl(corpus(50, 11))
        path = self.write("c.jsonl", data)
        for options in ((), ("--min-similarity", "0.7"), ("--weights", "idf")):
            arguments = ("pairs", "--jsonl", *options, "-")
            with open(path, "rb") as file:
                done = run_with(arguments, stdin=file, capture_output=True)
            self.assertEqual(done.stdout, run("pairs", "--jsonl", *options, path).bytes)
            with open(path, "rb") as file:
                os.lseek(file.fileno(), len(data.splitlines(keepends=True)[0]), os.SEEK_SET)
                done = run_with(arguments, stdin=file, capture_output=True)
            rest = b"".join(data.splitlines(keepends=True)[1:])
            self.assertEqual(done.stdout, run("pairs", "--jsonl", *options, "-", data=rest).bytes)

    def test_fields_and_ids(self):
        data = '{"id":7,"title":"one two","body":"three four"}\n{"id":1.50,"title":"one two","body":"three four"}\n'
        options = ("--jsonl", "--text-field", "title", "--text-field", "body")
        self.assertEqual(self.ids(*options, "-", data=data), ["7", "1.50"])
        big = "123456789012345678901234567890"
        odd = "".join('{"id":' + value + ',"text":"x"}\n' for value in (big, "null", "true", '""'))
        self.assertEqual(self.ids("--jsonl", "-", data=odd), [big, "-:2", "-:3", ""])
        self.assertEqual(self.ids("--jsonl", "--id-field", "key", "-", data='{"key":"k","id":"i","text":"x"}'), ["k"])
        self.assertEqual(self.ids("--jsonl", "--id-field", "text", "-", data='{"id":"i","text":"x"}'), ["x"])
        # Duplicate ids are allowed.
        done = run("pairs", "--jsonl", "-", data='{"id":"a","text":"one two"}\n{"id":"a","text":"one two"}\n')
        self.assertEqual(done.text, "1.000\t-\ta\ta\n")

    def test_no_feature_spans_two_fields(self):
        def fingerprint(record, *fields):
            options = [o for f in fields for o in ("--text-field", f)]
            return run("hash", "--jsonl", *options, "-", data=json.dumps(record)).text

        together = fingerprint({"t": "one two", "b": "three four"}, "t", "b")
        self.assertEqual(together, fingerprint({"t": "three four", "b": "one two"}, "t", "b"))
        self.assertNotEqual(together, fingerprint({"t": "one two three four"}, "t"))
        self.assertEqual(fingerprint({"t": "one two", "b": ""}, "t", "b"), fingerprint({"t": "one two"}, "t"))
        pair = '{"t":"a b","u":"c d"}\n{"t":"c d","u":"a b"}\n'
        fields = ("--text-field", "t", "--text-field", "u")
        done = run("pairs", "--jsonl", "--format", "jsonl", *fields, "--min-similarity", 1, "-", data=pair)
        self.assertEqual(done.json[0]["similarity"], 1)

    def test_escapes_and_the_last_of_two_keys(self):
        same = [
            '{"text":"h\\u00e4user \\"am\\" see\\n\\ud83d\\ude00"}',
            '{"text":"häuser \\"am\\" see\\n😀"}',
            '{"text":"other","text":"häuser \\"am\\" see\\n😀"}',
            '{"te\\u0078t":"häuser \\"am\\" see\\n😀", "n": [1, {"text": "inner"}, "x"]}',
        ]
        for features in ("words", "bytes:3", "chars:1"):
            rows = run("hash", "--jsonl", "--features", features, "-", data="\n".join(same)).text.splitlines()
            self.assertEqual(len({row.split()[0] for row in rows}), 1, features)

    def test_escapes_at_any_place_of_a_long_text(self):
        rng = random.Random(3)
        pieces = ["a", "漢字", "\n", '"', "\\", "\t", "😀", "one two ", "x" * 70]
        lines = []
        for _ in range(300):
            text = "".join(rng.choices(pieces, k=rng.randrange(1, 40)))
            units = text.encode("utf-16-be")
            spelled = "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
            lines += [json.dumps({"text": text}, ensure_ascii=False), '{"text":"' + spelled + '"}']
        # A text shorter than its n-grams has one feature, the whole text.
        done = run("hash", "--jsonl", "--features", "bytes:1000", "-", data="\n".join(lines))
        rows = [row.split()[0] for row in self.assert_done(done).text.splitlines()]
        self.assertEqual(len(rows), len(lines))
        self.assertEqual(rows[::2], rows[1::2])
        self.assertGreater(len(set(rows)), 250)

    def test_links_are_one_document(self):
        self.write("a.txt", A)
        self.write("sub/b.txt", B)
        (self.folder / "link.txt").symlink_to("a.txt")
        (self.folder / "z").symlink_to("sub")
        done = self.assert_done(run("hash", "--format", "jsonl", self.folder, self.folder / "a.txt"))
        self.assertEqual([row["id"] for row in done.json], [f"{self.folder}/a.txt", f"{self.folder}/sub/b.txt"])
        self.assertIn("3 files and folders were reached more than once", done.err)
        # Two names of one file are two documents.
        os.link(self.folder / "a.txt", self.folder / "hard.txt")
        self.assertIn("2 documents, similarity 1.000", run(self.folder).text)

    def test_folder_that_loops(self):
        self.write("a.txt", A)
        self.write("sub/b.txt", B)
        (self.folder / "sub" / "up").symlink_to("..")
        done = run("hash", self.folder)
        self.assertEqual(done.status, 2)
        self.assertIn(f"skipped {self.folder}/sub/up: the folder loops: it leads back to {self.folder}", done.err)
        done = self.assert_done(run("hash", "--skip-bad", self.folder))
        self.assertEqual(done.text.count("\n"), 2)
        self.assertIn("1 bad input was skipped", done.err)
        (self.folder / "sub" / "up").unlink()
        (self.folder / "self").symlink_to("self")
        self.assertIn(f"skipped {self.folder}/self: ", run("hash", self.folder).err)
        self.assert_done(run("hash", self.folder, "--exclude", "self"))

    def test_pipes(self):
        fifo = self.folder / "pipe"
        os.mkfifo(fifo)
        # Within a folder a pipe is left out: reading it would wait for ever.
        self.write("a.txt", A)
        done = self.assert_done(run("hash", self.folder))
        self.assertEqual(done.text.count("\n"), 1)
        self.assertIn("1 pipe, socket or device in a folder was left out", done.err)
        data = jsonl(corpus(100, 12))
        plain = self.write("c.jsonl", data)
        for options in (
            ("hash",),
            ("pairs", "--jsonl"),
            ("pairs", "--jsonl", "--min-similarity", "0.7"),
            ("unique", "--jsonl", "--grouping", "components"),
        ):
            writer = threading.Thread(target=lambda: fifo.write_bytes(data))
            writer.start()
            done = self.assert_done(run(*options, fifo))
            writer.join()
            self.assertEqual(done.bytes.replace(str(fifo).encode(), str(plain).encode()), run(*options, plain).bytes)

    def test_odd_files(self):
        self.write("empty", b"")
        self.write("nul", b"one\0two\0three\0")
        self.write("bom", b"\xef\xbb\xbfone two three")
        self.write("nobom", b"one two three")
        done = self.assert_done(run("hash", "--format", "jsonl", "--binary", self.folder))
        rows = {pathlib.Path(row["id"]).name: row["fingerprint"] for row in done.json}
        self.assertIsNone(rows["empty"])
        self.assertEqual(rows["bom"], rows["nobom"])
        self.assertEqual(rows["nul"], rows["nobom"])
        self.assertIn("1 document has no tokens", done.err)
        for features in ("bytes:2", "chars:2"):
            rows = run("hash", "--features", features, self.folder / "bom", self.folder / "nobom").text.splitlines()
            self.assertEqual(rows[0].split()[0], rows[1].split()[0])
        for mode in ("--lines", "--jsonl"):
            done = self.assert_done(run("groups", mode, self.folder / "empty"))
            self.assertEqual(done.text, "")
            self.assertIn("there were no documents in the input", done.err)

    def test_large_documents_and_lines(self):
        # A document that is longer than one read. Every possible cut between reads is within a character.
        rng = random.Random(13)
        pieces = ["".join(rng.choice("abcde éß漢") for _ in range(1000)) for _ in range(50)]
        text = "".join(rng.choice(pieces) for _ in range(13000))
        data = text.encode()
        self.assertGreater(len(data), 17_000_000)
        file = self.write("large", data)
        for features in ("chars:3",) if SANITIZED else ("words:2", "chars:3", "bytes:4"):
            whole = run("hash", "--features", features, file).text.split()[0]
            for options in (("--lines",), ())[1 if SANITIZED else 0 :]:
                done = run("hash", "--features", features, *options, "-", data=data)
                self.assertEqual(whole, done.text.split()[0], features)
        if not SANITIZED:
            copy = self.write("large2", data + b" x")
            done = run("pairs", "--format", "jsonl", "--min-similarity", 0.5, file, copy)
            self.assertGreater(done.json[0]["similarity"], 0.99)
        record = json.dumps({"text": text}, ensure_ascii=False) + "\n" + json.dumps({"text": "small one"}) + "\n"
        self.assertEqual(run("hash", "--jsonl", "-", data=record).text.count("\n"), 2)

    def test_control_characters_stay_on_their_line(self):
        name = "new\nline\x1b[31m\tä\udcff"
        path = os.fsencode(str(self.folder / name))
        with open(path, "wb") as file:
            file.write(A.encode())
        done = self.assert_done(run("hash", self.folder))
        self.assertEqual(done.bytes.count(b"\n"), 1)
        self.assertIn(b"new\\nline\\x1b[31m\\t\xc3\xa4\xff", done.bytes)
        done = self.assert_done(run("hash", "--format", "jsonl", self.folder))
        self.assertEqual(done.json[0]["id"], f"{self.folder}/new\nline\x1b[31m\tä\ufffd")


if __name__ == "__main__":
    main()
