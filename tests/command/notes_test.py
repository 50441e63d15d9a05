"""The notes at the end of a run are the same for any number of threads. NEARDUP_PROGRAM names the program."""

import base64
import gzip
import os
import random

from harness import A, B, CommandTest, effort, jsonl, large_corpus, main, run

COUNT = 20_000  # so many documents that they are read in several batches


class Notes(CommandTest):
    def assert_same(self, note, *arguments, data=b"", status=0):
        """Runs the command with several numbers of threads. All runs must print the note, and the same output and
        messages."""
        first = None
        for threads in (1, 2, 5):
            for _ in range(1 if threads == 1 else effort(2, 8)):
                done = run(*arguments, "--threads", threads, data=data)
                self.assertEqual(done.status, status, done.err)
                self.assertIn(note, done.err)
                first = first or done
                self.assertEqual((done.bytes, done.err), (first.bytes, first.err), threads)

    def lines(self, name, texts):
        return self.write(name, b"\n".join(t if isinstance(t, bytes) else t.encode() for t in texts) + b"\n")

    def test_spelling_is_that_of_the_first_documents(self):
        rng = random.Random(3)
        plain = lambda: " ".join(f"w{rng.randrange(10**6)}" for _ in range(12))
        spelt = lambda: plain() + " cafe\u0301"
        few = [spelt() if i % 8 == 0 else plain() for i in range(1000)] + [plain() for _ in range(COUNT)]
        path = self.write("few.jsonl", jsonl(few))
        note = "125 of the first 1,000 documents have characters that can be spelt otherwise"
        for verb in ("unique", "groups", "pairs", "hash"):
            self.assert_same(note, verb, "--jsonl", path)
        self.assert_same(note, "unique", "--jsonl", "--exact", "-", data=path.read_bytes())
        # Files as documents: these have small batches.
        for i, text in enumerate(few[:1500]):
            self.write(f"files/{i:05}", text)
        self.assert_same(note, "hash", self.folder / "files")
        # Documents after the first 1,000 do not count.
        late = self.write("late.jsonl", jsonl([plain() for _ in range(1000)] + [spelt() for _ in range(COUNT)]))
        self.assert_same(f"{COUNT + 1000:,} documents\n", "hash", "--jsonl", late)
        self.assertNotIn("spelt otherwise", run("hash", "--jsonl", late).err)

    def test_ill_formed_texts_and_their_encoding(self):
        french = [f"événement {i} très français, déjà là où l'été s'achève à l'hôtel".encode("windows-1252") for i in range(COUNT)]
        chinese = [f"第{i}号 今天天气很好我们去公园散步".encode("gb18030") for i in range(COUNT)]
        for texts, encoding in ((french + chinese, "WINDOWS-1252"), (chinese + french, "GB18030")):
            path = self.lines("texts", texts)
            note = f"the ill-formed bytes look like {encoding}; --encoding {encoding} reads all documents so"
            for arguments, data in ((("hash", "--lines", path), b""), (("hash", "--lines", "-"), path.read_bytes())):
                self.assert_same(note, *arguments, data=data)
        self.assert_same(f"{2 * COUNT:,} documents are not well-formed UTF-8 (the first: {path}:1)", "unique", "--lines", path)

    def test_documents_that_are_short_empty_or_alike(self):
        texts = [t or "?!" for t in large_corpus(COUNT, 5)]
        texts[7000:7100] = ["?!"] * 100
        rows = [f'{{"id":"d{i // 2}","text":"{t}"}}' for i, t in enumerate(texts)]
        path = self.lines("in.jsonl", rows)
        for note in ("documents have no tokens (the first: ", "documents have fewer than ", "; for such short texts, try "):
            self.assert_same(note, "groups", "--jsonl", path)
        index = self.folder / "index"
        note = f'{COUNT // 2:,} documents have ids of earlier documents (the first: "d0" in {path}:2)'
        self.assert_same(note, "index", "--jsonl", "--output", index, path)
        zeros = self.lines("zeros", [t + "\0" * (i % 3 == 1) for i, t in enumerate(texts)])
        self.assert_same(f"documents have zero bytes (the first: {zeros}:2): is that text?", "hash", "--lines", zeros)
        idf = self.write("idf.txt", "nowhere 3\n")
        self.assert_same("no feature of the documents is a term in", "hash", "--jsonl", "--kind", "simhash",
                         "--features", "words:1", "--weights", "idf", "--idf-file", idf, path)

    def test_bad_records_that_are_skipped(self):
        rows = [f'{{"id":"d{i}","text":"{t}"}}' + "}" * (i % 9 == 0) for i, t in enumerate(large_corpus(COUNT, 6))]
        path = self.lines("bad.jsonl", rows)
        self.assert_same(f"{(COUNT + 8) // 9:,} bad inputs were skipped (the first: {path}:1: ", "unique", "--jsonl", "--skip-bad", path)
        table = self.lines("bad.csv", ["id,text"] + [f'{i},{t}' + ',x' * (i % 9 == 0) for i, t in enumerate(large_corpus(COUNT, 7))])
        self.assert_same("bad inputs were skipped (the first: ", "unique", "--input-format", "csv", "--skip-bad", table)
        array = self.write("bad.json", "[" + ",".join('{"text":5}' if r.endswith("}}") else r for r in rows) + "]")
        self.assert_same("bad inputs were skipped (the first: ", "hash", "--input-format", "auto", "--skip-bad", array)

    def test_files_of_folders(self):
        for i in range(200):
            self.write(f"in/{i:03}.txt", f"{A} {i}")
            self.write(f"in/{i:03}.jsonl", jsonl([A, B]))
            self.write(f"in/{i:03}.csv", "id,text\n1,x\n")
            self.write(f"in/r{i:03}.old", f"{A}\r{B}\r{i}")
            self.write(f"in/b{i:03}", b"\0\1\2" * 20)
            self.write(f"in/.hidden{i:03}", A)
            self.write(f"in/p{i:03}.pdf", b"%PDF-1.7\n" + b"x" * 100)
            self.write(f"in/u{i:03}.txt", b"\xff" + A.encode())
            os.mkfifo(self.folder / f"in/pipe{i:03}")
        os.symlink(self.folder / "in", self.folder / "again")
        folders = (self.folder / "in", self.folder / "again")
        for note in ("200 files of JSON Lines were read as one text each (the first: ", "200 tables were read as one text each",
                     "1 file or folder was reached more than once", "pipes, sockets or devices in folders were left out",
                     "hidden files or folders were left out", "files in folders were left out: not text (the first: ",
                     "binary files in folders were left out", "200 documents are not well-formed UTF-8 (the first: "):
            self.assert_same(note, "hash", *folders)
        self.assert_same("sources are one line each with carriage returns in it (the first: ", "hash", "--lines", *folders)
        for i in range(100):
            self.write(f"in/{i:03}.gz", gzip.compress(A.encode() * 50)[:60])
        self.assert_same("files or folders were skipped (the first: ", "hash", self.folder / "in", status=2)
        self.assert_same("bad inputs were skipped (the first: ", "hash", "--skip-bad", self.folder / "in")

    def test_mail_and_crawls(self):
        def message(i):
            attached = base64.b64encode(b"%d" % i).decode()
            parts = ["Content-Type: text/plain\n\n" + f"{A} {i}", "Content-Type: text/plain; charset=none-such\n\ncaf\u00e9",
                     f"Content-Type: application/pdf\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n{attached}"]
            body = "".join(f"--x\n{part}\n" for part in parts) + "--x--\n"
            return f"From a@b Thu Jan  1 00:00:00 2026\nSubject: {i}\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n{body}\n"

        box = self.write("all.mbox", "".join(map(message, range(3000))))
        done = run("hash", "--input-format", "mail", box)
        if "GMime" not in done.err:
            self.assert_same("3,000 mails have attachments, which are not compared (the first: ", "hash", "--input-format", "mail", box)

        def record(i):
            kind = ("text/plain", "text/html", "image/png")[i % 3]
            body = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n{A} {i}"
            head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:{i}>\r\nContent-Type: application/http; msgtype=response\r\n"
            return f"{head}Content-Length: {len(body)}\r\n\r\n{body}\r\n\r\n"

        crawl = self.write("all.warc", "".join(map(record, range(9000))))
        self.assert_same("6,000 records of crawls were left out: 3,000 of HTML, 3,000 of other types", "hash", "--input-format", "warc", crawl)

    def test_what_verbs_say_themselves(self):
        texts = large_corpus(4000, 8)
        path = self.write("in.jsonl", "".join(f'{{"id":"d{i}","text":"{t}","by":"s{i % 7}"}}\n' for i, t in enumerate(texts)))
        index = self.folder / "index"
        self.assert_done(run("index", "--jsonl", "--output", index, path))
        for note, arguments in (
            ("groups of near-duplicates", ("groups", "--jsonl", path)),
            ("pairs of near-duplicates", ("pairs", "--jsonl", "--similarity", "0.6", path)),
            ("pairs of near-duplicates", ("pairs", "--jsonl", "--distance", "5", path)),
            ("by field:by:", ("unique", "--jsonl", "--by", "field:by", path)),
            ("against 4,000", ("unique", "--jsonl", "--against", index, path)),
            ("4,000 documents", ("query", "--index", index, "--jsonl", path)),
            ("the page has the 3 largest groups of ", ("report", "--jsonl", "--most", 3, "--output", self.folder / "page", path)),
            ("4,000 documents", ("advise", "--jsonl", path)),
            ("4,000 documents", ("find", "w1 w2 w3", "--jsonl", path)),
        ):
            with self.subTest(arguments=arguments):
                self.assert_same(note, *arguments)


if __name__ == "__main__":
    main()
