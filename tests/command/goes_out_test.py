"""The records that unique keeps and drops, in every format. NEARDUP_PROGRAM names the program."""

import csv
import gzip
import io
import json
import re

from harness import A, B, CommandTest, main, large_corpus, run
from inputs_test import CHINESE, ENGLISH, KOREAN, RUSSIAN, http, record, warc

C = "many small boats were lying in the harbour when the storm came from the north and broke their masts"


def uri(name):
    return f"WARC-Target-URI: http://{name}\r\n"


class Formats(CommandTest):
    """The kept records must be a file of the same format. The kept and the dropped records together must be all
    records."""

    def both_ways(self, data, *options, name="in"):
        """Returns (kept, dropped) of a file, which unique reads twice. A pipe must give the same."""
        path = self.write(name, data)
        gone = self.folder / "gone"
        done = self.assert_done(run("unique", *options, "--dropped-records", gone, path))
        dropped = gone.read_bytes()
        piped = self.assert_done(run("unique", *options, "--dropped-records", gone, "-", data=data))
        self.assertEqual((piped.bytes, gone.read_bytes()), (done.bytes, dropped))
        return done.bytes, dropped

    def test_lines_and_records(self):
        lines = [record(text).encode() + b"\n" for text in (A, B, A + " x", C, B)]
        self.assertEqual(self.both_ways(b"".join(lines), "--jsonl"), (b"".join(lines[i] for i in (0, 1, 3)), lines[2] + lines[4]))
        lines = [f"{text}\r\n".encode() for text in (A, A, B)]
        self.assertEqual(self.both_ways(b"".join(lines), "--lines"), (lines[0] + lines[2], lines[1]))
        self.assertEqual(self.both_ways(f"{A}\n{B}\n{A}".encode(), "--lines"), (f"{A}\n{B}\n".encode(), A.encode()))

    def test_an_array_stays_one(self):
        rows = [{"text": A, "n": [1, {"x": "]"}]}, {"text": B}, {"text": A + " x"}]
        for text in (json.dumps(rows), json.dumps(rows, indent=1), "\ufeff" + json.dumps(rows) + "\n"):
            kept, dropped = self.both_ways(text.encode(), "--jsonl")
            self.assertEqual((json.loads(kept), json.loads(dropped)), (rows[:2], rows[2:]))
        kept, dropped = self.both_ways(json.dumps(rows[:1]).encode(), "--jsonl")
        self.assertEqual((json.loads(kept), json.loads(dropped)), (rows[:1], []))
        for text in ("[]", " [ ]\n", "\ufeff[]"):
            kept, dropped = self.both_ways(text.encode(), "--jsonl")
            self.assertEqual((json.loads(kept), json.loads(dropped)), ([], []))
        one, two = self.write("1.json", json.dumps(rows)), self.write("2.json", json.dumps(rows))
        self.assertEqual(json.loads(self.assert_done(run("unique", "--jsonl", one, two)).text), rows[:2])
        done = run("unique", "--jsonl", one, self.write("3.jsonl", record(C)))
        self.assert_fails(done, "3.jsonl: is of another format than ")

    def test_a_table_keeps_its_header(self):
        rows = ['n,text\r\n', f'1,"{A}"\r\n', f'2,"{B}\n""x"""\r\n', f'3,{A} x\r\n', f'4,{C}']
        data = "".join(rows).encode()
        kept, dropped = self.both_ways(data, "--input-format", "csv")
        self.assertEqual(kept.decode(), rows[0] + rows[1] + rows[2] + rows[4])
        self.assertEqual(dropped.decode(), rows[0] + rows[3])
        self.assertEqual(self.both_ways(rows[0].encode(), "--input-format", "csv"), (rows[0].encode(),) * 2)
        read = list(csv.DictReader(io.StringIO(kept.decode(), newline="")))
        self.assertEqual([row["n"] for row in read], ["1", "2", "4"])
        two = self.write("2.csv", f"n,text\n5,{B} x y\n6,{C} and more of it all\n")
        done = self.assert_done(run("unique", "--input-format", "auto", self.write("1.csv", data), two, "--similarity", ".9"))
        self.assertEqual([row["n"] for row in csv.DictReader(io.StringIO(done.text, newline=""))], ["1", "2", "4", "6"])
        other = self.write("3.csv", f"text,n\n{C} and more of it all,7\n")
        done = run("unique", "--input-format", "csv", two, other, "--similarity", "1")
        self.assert_fails(done, f"{other}:1: another header than that of {two}")
        self.assertEqual(done.text, "")
        for options in ((), ("--copies",), ("--similarity", "1")):
            done = run("unique", "--input-format", "auto", *options, two, self.write("4.jsonl", record(C)))
            self.assert_fails(done, f"4.jsonl: is of another format than {two}")
            self.assertEqual(done.text, "", options)
        inside = self.write("folder/5.csv", data).parent / "6"
        self.assert_fails(run("unique", "--input-format", "auto", inside.parent, "--output", inside), "is also the output")
        self.assertEqual(inside.read_bytes(), kept)
        done = self.assert_done(run("unique", "--input-format", "tsv", "--keep", "highest:n", "-", data=f"text\tn\n{A}\t1\n{A}\t2\n"))
        self.assertEqual(done.text, f"text\tn\n{A}\t2\n")
        done = self.assert_done(run("unique", "--input-format", "tsv", "--keep", "highest:n", "-", data=f"text\tn\n{A}\tx\n{A}\t\n{A}\t-7\n"))
        self.assertEqual(done.text, f"text\tn\n{A}\t-7\n")
        done = self.assert_done(run("hash", "--input-format", "csv", "--id-field", "n", two))
        self.assertEqual([line.split()[1] for line in done.text.splitlines()], ["5", "6"])
        self.assert_fails(run("hash", "--input-format", "csv", "--id-field", "key", two), ':1: no column "key"')

    def test_a_piped_table_needs_the_name_of_its_format(self):
        data = f"n,text\n1,{A}\n2,{A}\n"
        done = self.assert_done(run("groups", "--input-format", "auto", "-", data=data))
        self.assertIn("neardup: standard input was read as one text; if it has records, name their format, such as --input-format csv\n", done.err)
        for options in (("--input-format", "csv"), ("--input-format", "text")):
            self.assertNotIn("as one text", self.assert_done(run("groups", *options, "-", data=data)).err)

    def test_a_crawl(self):
        records = [
            warc("warcinfo", "a: b\r\n"),
            warc("conversion", A, uri=uri("a.org/1")),
            warc("response", http("<p>x", "text/html"), uri=uri("a.org/2")),
            warc("response", http(A + " x"), uri=uri("b.org/1")),
            warc("conversion", B, uri=uri("b.org/2")),
        ]
        data = b"".join(records)
        kept, dropped = self.both_ways(data, "--input-format", "warc")
        self.assertEqual((kept, dropped), (records[1] + records[4], records[3]))
        packed = self.write("crawl.warc.wet.gz", b"".join(map(gzip.compress, records)))
        done = self.assert_done(run("groups", "--input-format", "auto", "--format", "jsonl", packed))
        self.assertEqual([[m["id"] for m in row["members"]] for row in done.json], [["http://a.org/1", "http://b.org/1"]])
        self.assertIn("2 records of crawls were left out: 1 of HTML, 1 of other types", done.err)
        done = self.assert_done(run("unique", "--input-format", "warc", "--id-field", "WARC-Type", "--dropped", self.folder / "d", packed))
        self.assertEqual((self.folder / "d").read_text().split()[2:4], ["response", "conversion"])
        body = warc("response", http(gzip.compress(A.encode()), headers="Content-Encoding: gzip\r\n"))
        done = self.assert_done(run("hash", "--input-format", "warc", "-", data=data + body + body))
        self.assertIn("4 records of crawls were left out: 1 of HTML, 2 of text that is packed (Content-Encoding), 1 of other", done.err)
        cut = self.write("cut.warc", data[:-9])
        done = self.assert_fails(run("unique", "--input-format", "warc", cut), f"{cut}:5: the record is shorter than")
        self.assertEqual(done.bytes, records[1])
        bad = records[1] + b"junk\r\n\r\njunk\r\n" + records[4]
        done = self.assert_done(run("unique", "--input-format", "warc", "--skip-bad", "-", data=bad))
        self.assertEqual(done.bytes, records[1] + records[4])

    def test_other_encodings_stay_as_they_are(self):
        for text, encoding in ((CHINESE, "gb18030"), (KOREAN, "euc-kr"), (RUSSIAN, "koi8-r")):
            lines = [f"{line}\n".encode(encoding) for line in (text, ENGLISH, text)]
            kept, dropped = self.both_ways(b"".join(lines), "--lines", "--encoding", encoding)
            self.assertEqual((kept, dropped), (lines[0] + lines[1], lines[2]))
        self.assert_fails(run("unique", "--encoding", "nonsense", "-"), "--encoding 'nonsense': iconv does not know it")
        # UTF-16 goes out as UTF-8.
        wide = "".join(f"{line}\n" for line in (CHINESE, ENGLISH, CHINESE)).encode("utf-16-le")
        done = self.assert_done(run("unique", "--lines", "--encoding", "UTF-16LE", "-", data=wide))
        self.assertEqual(done.bytes, f"{CHINESE}\n{ENGLISH}\n".encode())
        done = self.assert_fails(run("hash", "--lines", "--strict", "--encoding", "gb18030", "-", data=b"a\xff\n"),
                                 "standard input:1: not well-formed gb18030")

    def test_crawls_in_seven_bits(self):
        """ISO-2022-JP is UTF-8 by its bytes."""
        from inputs_test import JAPANESE

        plain = self.assert_done(run("hash", "--input-format", "warc", "-", data=warc("response", http(JAPANESE.encode(), "text/plain; charset=utf-8"))))
        body = warc("response", http(JAPANESE.encode("iso2022_jp"), "text/plain; charset=ISO-2022-JP"))
        done = self.assert_done(run("hash", "--input-format", "warc", "--strict", "-", data=body))
        self.assertEqual(done.text.split()[0], plain.text.split()[0])

    def test_an_encoding_is_guessed(self):
        from inputs_test import FRENCH, JAPANESE, TRADITIONAL

        for text, encoding, name in (
            (CHINESE, "gbk", "GB18030"), (TRADITIONAL, "big5", "BIG5"), (JAPANESE, "shift_jis", "SHIFT_JIS"),
            (JAPANESE, "euc-jp", "EUC-JP"), (KOREAN, "euc-kr", "EUC-KR"), (RUSSIAN, "cp1251", "WINDOWS-1251"),
            (RUSSIAN, "koi8-r", "KOI8-R"), (FRENCH, "latin-1", "WINDOWS-1252"),
        ):
            data = text.encode(encoding)
            for options, lines in (((), data), (("--lines",), data + b"\n"), (("--jsonl",), record(text).encode(encoding))):
                done = self.assert_done(run("hash", *options, "-", data=lines))
                self.assertIn(f"the ill-formed bytes look like {name}; --encoding {name} reads all documents so", done.err, encoding)
            again = self.assert_done(run("hash", "--encoding", name, "-", data=data))
            self.assertEqual(again.text, run("hash", "-", data=text).text)
            self.assertNotIn("ill-formed", again.err)
            # UTF-8 that is cut off resembles no other encoding.
            done = self.assert_done(run("hash", "-", data=text.encode() + b"\xe6\x88"))
            self.assertIn("not well-formed UTF-8", done.err)
            self.assertNotIn("look like", done.err)

    def test_what_does_not_go_together(self):
        for options, message in (
            (("--input-format", "xml"), "formats are auto, text, lines, jsonl, csv, tsv, mail, codes, and warc"),
            (("--input-format", "csv", "--jsonl"), "--input-format and --jsonl do not go together"),
            (("--input-format", "warc", "--text-field", "x"), "records of WARC have no fields"),
            (("--input-format", "lines", "--id-field", "x"), "--id-field needs --jsonl"),
            (("--input-format", "csv", "--weighted-field", "x"), "--weighted-field needs --jsonl"),
            (("--dropped-records", "x", "--dropped", "x"), "--dropped-records and --dropped name the same file"),
            (("--dropped-records", "x", "--output", "x"), "--dropped-records and --output name the same file"),
        ):
            self.assert_fails(run("unique", *options, "-", cwd=self.folder), message)
        same = self.write("same", A)
        self.assert_fails(run("unique", "--dropped-records", same, same), f"--dropped-records {same} is also an input")
        self.assertEqual(same.read_text(), A)
        texts, words = self.write("texts", A), self.write("words", "beta\n")
        for option in ("--output", "--dropped"):
            self.assert_fails(run("unique", "--lines", "--same", f"words:{words}", option, words, texts), f"{option} {words} is also an input")
        self.assertEqual(words.read_text(), "beta\n")

    def test_tables_read_as_one_text_are_said(self):
        one = self.write("f/one.csv", f"n,text\n1,{A}\n")
        done = self.assert_done(run("groups", self.folder / "f"))
        self.assertIn(f"{one} was read as one text; --input-format auto reads the rows in it", done.err)
        self.write("f/two.tsv.gz", gzip.compress(b"a\tb\n"))
        done = self.assert_done(run("groups", self.folder / "f"))
        self.assertIn(f"2 tables were read as one text each (the first: {one}); --input-format auto", done.err)
        self.write("f/a.warc", warc("conversion", A))
        done = self.assert_done(run("groups", self.folder / "f"))
        self.assertIn("1 file in a folder was left out: not text", done.err)
        self.assertIn("a WARC file; --input-format warc reads", done.err)

    def test_batches_and_threads(self):
        texts = large_corpus(6000, 5, words=60)
        rows = [{"text": text, "q": 'a "quoted"\n, one', "n": i} for i, text in enumerate(texts)]
        table = io.StringIO(newline="")
        writer = csv.DictWriter(table, ["n", "q", "text"])
        writer.writeheader()
        writer.writerows(rows)
        expected = None
        for name, data, options in (
            ("lines", "\n".join(map(json.dumps, rows)), ("--jsonl",)),
            ("array", json.dumps(rows), ("--jsonl",)),
            ("csv", table.getvalue(), ("--input-format", "csv")),
            ("warc", b"".join(warc("conversion", row["text"], uri=uri(str(row["n"]))) for row in rows), ("--input-format", "warc")),
        ):
            path = self.write(name, data)
            self.assertGreater(path.stat().st_size, 1_200_000)
            for threads in (1, 3):
                done = self.assert_done(run("unique", *options, "--threads", threads, path))
                if name == "array":
                    kept = [row["n"] for row in json.loads(done.text)]
                elif name == "csv":
                    kept = [int(row["n"]) for row in csv.DictReader(io.StringIO(done.text, newline=""))]
                elif name == "warc":
                    kept = [int(n) for n in re.findall(r"http://(\d+)", done.text)]
                else:
                    kept = [row["n"] for row in done.json]
                expected = expected or kept
                self.assertEqual(kept, expected, name)
        self.assertGreater(len(expected), 1000)


class Ids(CommandTest):
    def test_repeated_ids_are_said_and_told_apart(self):
        rows = [("a", A), ("b", B), ("a", A + " x"), ("c", C), ("b", C), ("b", B)]
        data = "".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in rows)
        path, dropped = self.write("in.jsonl", data), self.folder / "dropped"
        for source, name in ((path, str(path)), ("-", "standard input")):
            for verb in ("groups", "pairs", "unique", "report"):
                done = self.assert_done(run(verb, "--jsonl", source, data=data))
                self.assertIn(f'3 documents have ids of earlier documents (the first: "a" in {name}:3)', done.err)
            for quiet in ((), ("--quiet",)):
                self.assert_done(run("unique", "--jsonl", *quiet, "--dropped", dropped, source, data=data))
                found = [json.loads(line) for line in dropped.read_text().splitlines()]
                self.assertEqual([(row["id"], row.get("at"), row["kept"], row.get("kept_at")) for row in found],
                                 [("a", f"{source}:3", "a", None), ("b", f"{source}:5", "c", None), ("b", f"{source}:6", "b", None)])
        self.assert_done(run("unique", "--jsonl", "--keep", "longest", "--dropped", dropped, path))
        self.assertEqual([json.loads(line).get("kept_at") for line in dropped.read_text().splitlines()], [f"{path}:3", None, None])
        table = "id,text\n" + "".join(f"{i},{text}\n" for i, text in rows)
        self.assert_done(run("unique", "--input-format", "csv", "--dropped", dropped, "-", data=table))
        self.assertEqual([line.split("\t")[2:] for line in dropped.read_text().splitlines()],
                         [["a", "a", "-:4", ""], ["b", "c", "-:6", ""], ["b", "b", "-:7", ""]])

    def test_ids_that_differ_are_not_said(self):
        data = "".join(json.dumps({"id": i, "text": f"t {i}"}) + "\n" for i in range(5000))
        self.assertNotIn("ids", self.assert_done(run("unique", "--jsonl", "-", data=data)).err)
        again = self.assert_done(run("unique", "--jsonl", "-", data=data + data)).err
        self.assertIn('5,000 documents have ids of earlier documents (the first: "0" in standard input:5001)', again)
        path = self.write("a.jsonl", data)
        self.assertNotIn("ids", self.assert_done(run("unique", "--jsonl", "--against", path, "-", data=data)).err)


if __name__ == "__main__":
    main()
