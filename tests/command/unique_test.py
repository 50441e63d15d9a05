"""The input without its near-duplicates. NEARDUP_PROGRAM names the program."""

import gzip
import json
import os
import random
import threading

from harness import A, B, TIMEOUT, CommandTest, close_pairs, connected, corpus, fingerprints, jsonl, run, start, stop, words
from harness import write_all, main


class Unique(CommandTest):
    def test_equal_sets_against_the_oracle(self):
        rng = random.Random(8)
        texts = [" ".join(rng.choice(("tea", "milk", "rum")) for _ in range(rng.randrange(2, 7))) for _ in range(3000)]
        texts[100] = texts[200] = "..."  # texts without tokens are kept
        data = jsonl(texts)
        file = self.write("c.jsonl", data)
        seen = set()
        expected = b""
        for line, text in zip(data.splitlines(keepends=True), texts):
            features = frozenset(words(text, 2))
            if text == "..." or features not in seen:
                expected += line
            seen.add(features)
        self.assertLess(len(expected), len(data) / 4)
        dropped = self.folder / "dropped.jsonl"
        for options in ((), ("--threads", 2), ("--check", "cosine"), ("--dropped", dropped), ("--memory", "64M")):
            for source in (file, "-"):
                with self.subTest(options=options, source=source):
                    done = run("unique", "--jsonl", "--similarity", 1, *options, source, data=data)
                    self.assertEqual(self.assert_done(done).bytes, expected)

    def test_copies_against_the_oracle(self):
        """Of equal texts, the first is kept, whatever characters they have."""
        rng = random.Random(61)
        pieces = ["a", "A", "b", " ", "  ", "?", "é", "e\u0301", "\n", "", "word", "1 a"]
        texts = ["".join(rng.choices(pieces, k=rng.randrange(4))) for _ in range(3000)]
        records = [{"id": i, "t": rng.choice(texts), "u": rng.choice(["", "a", "b ", "1 a"])} for i in range(6000)]
        lines = [(json.dumps(record) + "\n").encode() for record in records]
        for fields in (("t",), ("t", "u"), ("u", "t")):
            first = {}
            for line, record in zip(lines, records):
                first.setdefault(tuple(record[field] for field in fields), line)
            named = [o for field in fields for o in ("--text-field", field)]
            for threads in (1, 3):
                done = self.assert_done(run("unique", "--copies", "--jsonl", *named, "--threads", threads, "-",
                                            data=b"".join(lines)))
                self.assertEqual(done.bytes, b"".join(first.values()))
                self.assertEqual(done.err, f"neardup: 6,000 documents: {len(first):,} kept, {6000 - len(first):,} dropped\n")
        dropped = self.folder / "dropped"
        file = self.write("lines", b"one\r\n\n?!\nOne\none\n\n?!")
        done = run("unique", "--copies", "--lines", "--dropped-records", dropped, file)
        self.assertEqual((self.assert_done(done).bytes, dropped.read_bytes()), (b"one\r\n\n?!\nOne\n", b"one\n\n?!"))
        self.assertEqual(self.assert_done(run("unique", "--copies", file, file.with_name("dropped"))).text,
                         f"{file}\n{dropped}\n")
        dropped.unlink()
        records = [{"id": i, "text": text} for i, text in zip("abacd", ("x", "?!", "?!", "x", "X"))]
        again = self.write("again.jsonl", "".join(json.dumps(record) + "\n" for record in records))
        for source in ((again,), ("-",)):
            data = again.read_bytes() if source == ("-",) else b""
            done = self.assert_done(run("unique", "--copies", "--jsonl", "--dropped", dropped, *source, data=data))
            self.assertEqual([row["id"] for row in done.json], ["a", "b", "d"])
            self.assertEqual([json.loads(line) for line in dropped.read_text().splitlines()],
                             [{"id": "a", "kept": "b", "similarity": 1, "at": f"{source[0]}:3"}, {"id": "c", "kept": "a", "similarity": 1}])
        for other in (("--similarity", 1), ("--features", "words"), ("--keep", "longest"), ("--against", file)):
            self.assert_fails(run("unique", "--copies", "--lines", *other, file),
                              f"{other[0]} with --copies: only the bytes of texts are compared")

    def test_a_least_similarity_of_0_accepts_short_documents(self):
        data = jsonl(corpus(400, 8))
        prints = fingerprints(data)
        label = connected(prints, close_pairs(prints, 12))
        expected = [line for i, line in enumerate(data.splitlines(keepends=True)) if label.get(f"d{i}", f"d{i}") == f"d{i}"]
        options = ("unique", "--grouping", "components", "--jsonl", "--distance", 12)
        self.assertEqual(run(*options, "--min-similarity", 0, "-", data=data).bytes, b"".join(expected))
        self.assertNotEqual(run(*options, "-", data=data).bytes, b"".join(expected))

    def test_copies_byte_for_byte(self):
        for mode in ((), ("--grouping", "components"), ("--keep", "longest")):
            first = b'{"text": "one two three", "x": 1e+10 }\r\n'
            second = b'{"text":"four five six","x":"\\u00e4"}\n'
            data = first + b"\r\n" + second + b'  \n{"text":"one two three"}'
            self.assertEqual(run("unique", "--jsonl", *mode, "-", data=data).bytes, first + second)
            # A line feed is added to the last line of a file only if another record follows.
            first = self.write("1", b"one two three\nfour five six")
            second = self.write("2", b"seven eight nine\r\nten eleven twelve")
            done = run("unique", "--lines", *mode, first, second)
            self.assertEqual(done.bytes, b"one two three\nfour five six\nseven eight nine\r\nten eleven twelve")
            done = run("unique", "--lines", *mode, "-", data=b"one two\r\nnext words\none two\n")
            self.assertEqual(done.bytes, b"one two\r\nnext words\n")

    def test_byte_order_mark_stays_at_the_beginning_only(self):
        first = self.write("1", b'\xef\xbb\xbf{"text":"one two three"}\n')
        second = self.write("2", b'\xef\xbb\xbf{"text":"four five six"}\n')
        lines = self.write("3", b"one two three\n\xef\xbb\xbffour five six\n")  # here, the byte order mark is part of the text
        for mode in ((), ("--keep", "longest")):
            done = self.assert_done(run("unique", "--jsonl", *mode, first, second))
            self.assertEqual(done.bytes, b'\xef\xbb\xbf{"text":"one two three"}\n{"text":"four five six"}\n')
            self.assertEqual(run("unique", "--lines", *mode, lines).bytes, lines.read_bytes())

    def test_lines_without_tokens_are_kept(self):
        data = b"one two\n\n---\none two\n\n"
        done = self.assert_done(run("unique", "--lines", "-", data=data))
        self.assertEqual(done.bytes, b"one two\n\n---\n\n")
        self.assertIn("3 documents have no tokens (the first: standard input:2)", done.err)

    def test_prints_paths_of_whole_files(self):
        for name, text in (("a", A), ("b", B), ("c", A), ("d", "")):
            self.write(name, text)
        for mode in ((), ("--grouping", "components"), ("--keep", "longest")):
            done = self.assert_done(run("unique", *mode, self.folder))
            self.assertEqual(done.text, "".join(f"{self.folder}/{name}\n" for name in "abd"))
            done = run("unique", *mode, "--format", "jsonl", self.folder)
            self.assertEqual([row["id"] for row in done.json], [f"{self.folder}/{name}" for name in "abd"])

    def test_files_that_are_read_twice_and_streams_give_the_same(self):
        texts = corpus(600, 31)
        odd = [b"\r\n", b"  \n", b'{"id":"n","text":"?!"}\n', b'{"id":"w","text":"one two three"}\r\n']
        bad = b"nonsense\n"
        lines = jsonl(texts).splitlines(keepends=True)
        rng = random.Random(31)
        for line in odd * 3:
            lines.insert(rng.randrange(len(lines)), line)
        for _ in range(2):
            lines.insert(rng.randrange(300, len(lines)), bad)
        files, packed = [], []
        for i, part in enumerate((lines[:200], [], lines[200:201], lines[201:])):
            data = b"".join(part)
            data = b"\xef\xbb\xbf" + data if i == 3 else data
            files.append(self.write(f"{i}.jsonl", data[:-1] if i == 0 else data))
            packed.append(self.write(f"{i}.jsonl.gz", gzip.compress(files[-1].read_bytes())))
        pipe = self.folder / "3.pipe"
        os.mkfifo(pipe)
        outcomes = set()
        for options in ((), ("--skip-bad",), ("--threads", "2", "--skip-bad")):
            of_options = set()
            for sources in (files, packed, (*files[:3], pipe)):
                dropped = self.folder / "dropped"
                writer = threading.Thread(target=write_all, args=(pipe, files[3].read_bytes()))
                if pipe in sources:
                    writer.start()
                done = run("unique", "--jsonl", "--similarity", "0.6", *options, "--dropped", dropped, *sources)
                if pipe in sources:
                    writer.join()
                self.assertEqual(done.status, 0 if options else 2, done.err)
                # If ids repeat, the output names the file of each document.
                said = "\n".join(line for line in done.err.splitlines() if "document" in line)
                gone = dropped.read_text() if options else ""
                named = [text.replace(".gz", "").replace("3.pipe", "3.jsonl") for text in (gone, said)]
                of_options.add((done.bytes, *named))
            self.assertEqual(len(of_options), 1, options)
            outcomes |= of_options
        kept = sorted(len(kept) for kept, _, _ in outcomes)
        self.assertEqual(len(kept), 2)
        self.assertTrue(0 < kept[0] < kept[1] < sum(map(len, lines)))

    def test_a_file_that_changes_between_two_passes(self):
        fifo = self.folder / "pipe"
        os.mkfifo(fifo)
        whole = b"one two three\n\nfour five six\n"
        for old, new, fails in (
            (whole, whole + b"more\n", False),
            (whole, whole, False),
            (whole[:-1], whole[:-1] + b" of a line\nmore\n", False),
            (whole, b"one two three\n\nfour five sax\n", True),
            (whole, b"four five six\n\none two three\n", True),
            (whole, b"one two three\nfour five six\n\n", True),
            (whole, b"one two three\n", True),
            (whole, whole[:-1], True),
            (whole, b"", True),
        ):
            with self.subTest(old=old, new=new):
                file = self.write("lines", old)
                process = start("unique", "--lines", "--keep", "longest", file, fifo)
                try:
                    with open(fifo, "wb") as end:  # the pipe opens when the program has read the whole file
                        file.write_bytes(new)
                        end.write(b"seven eight nine\n")
                    out, err = process.communicate(timeout=60)
                finally:
                    stop(process)
                if fails:
                    self.assertEqual(process.returncode, 2)
                    self.assertIn(f"{file}: was changed while it was being read".encode(), err)
                else:
                    self.assertEqual((process.returncode, out), (0, whole + b"seven eight nine\n"), err)

    def test_a_file_that_is_gone_in_the_second_pass(self):
        fifo = self.folder / "pipe"
        os.mkfifo(fifo)
        file = self.write("lines", b"one two three\n")
        process = start("unique", "--lines", "--keep", "longest", file, fifo)
        try:
            with open(fifo, "wb") as end:
                file.unlink()
                end.write(b"seven eight nine\n")
            _, err = process.communicate(timeout=60)
        finally:
            stop(process)
        self.assertEqual(process.returncode, 2)
        self.assertIn(f"{file}: No such file or directory".encode(), err)

    def test_no_room_for_features(self):
        lines = self.write("lines", "\n".join(" ".join(f"w{i}" for i in range(16000)) for _ in range(2)))
        for option in ((), ("--also-within", "--against", lines)):
            for folder, problem in ((self.folder / "nowhere", "No such file or directory"), (lines, "Not a directory")):
                done = run("unique", "--lines", "--memory", "1", *option, lines, env=os.environ | {"TMPDIR": str(folder)})
                self.assert_fails(done, f"cannot write a temporary file in {folder} (TMPDIR names another folder): {problem}")
                self.assertEqual(done.bytes, b"")
            # An empty TMPDIR counts as unset.
            self.assert_done(run("unique", "--lines", "--memory", "1", *option, lines, env=os.environ | {"TMPDIR": ""}))

    def test_hands_on_records_at_once(self):
        self.assert_answers_at_once(("unique", "--lines", "-"),
                                    [(line, line) for line in (b"one two three\n", b"four five six\n")])

    def test_an_error_does_not_wait_for_more_input(self):
        process = start("unique", "--jsonl", "--threads", "3", "-")
        try:
            process.stdin.write(b'{"text":"one two"}\nnonsense\n')
            process.stdin.flush()
            self.assertEqual(process.wait(timeout=TIMEOUT), 2)
            self.assertEqual(process.stdout.read(), b'{"text":"one two"}\n')
            self.assertIn(b"standard input:2: not valid JSON", process.stderr.read())
        finally:
            stop(process)


if __name__ == "__main__":
    main()
