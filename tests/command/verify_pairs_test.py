"""neardup verify --pairs: the pairs of ids that hold, and the documents that must then be dropped, compared with
slow twins."""

import json
import random
import struct

from harness import A, B, CommandTest, closeness_in, corpus, jaccard, jsonl, main, represented, run, words


class VerifyPairs(CommandTest):
    def setUp(self):
        super().setUp()
        self.texts = corpus(300, 11)
        self.names = [f"d{i}" for i in range(300)]
        self.documents = self.write("d.jsonl", jsonl(self.texts))
        sets = [words(text, 2) for text in self.texts]
        rng = random.Random(12)
        near = [(a, b) for a in range(300) for b in range(300) if a != b and jaccard(sets[a], sets[b]) >= 0.5]
        self.asked = [tuple(rng.sample(range(300), 2)) for _ in range(2000)] + rng.sample(near, len(near) // 2) + [(7, 7)]
        rng.shuffle(self.asked)
        self.holds = {(a, b): jaccard(sets[a], sets[b]) for a, b in self.asked if a != b}
        self.holds = {pair: similarity for pair, similarity in self.holds.items() if similarity >= 0.8}
        self.assertGreater(len(self.holds), 30)

    def forms(self):
        """Yields (options, bytes) of the pairs in each format."""
        named = [(f"d{a}", f"d{b}") for a, b in self.asked]
        yield ("--pairs-format", "csv"), "a,more,b\n" + "".join(f'"{a}",x,{b}\n' for a, b in named)
        yield ("--pairs-format", "tsv", "--pair-fields", "one", "two"), "one\ttwo\n" + "".join(f"{a}\t{b}\n" for a, b in named)
        yield ("--pairs-format", "jsonl", "--pair-fields", "p.0", "p.1"), "".join(json.dumps({"p": p}) + "\n" for p in named)
        yield ("--pairs-format", "binary"), b"".join(struct.pack("<QQ", *p) for p in self.asked)

    def check(self, documents, dropped_too=True):
        wanted = [(f"d{a}", f"d{b}") for a, b in self.asked if (a, b) in self.holds]
        label = represented(self.names, closeness_in({(f"d{a}", f"d{b}"): s for (a, b), s in self.holds.items()}))
        for options, data in self.forms():
            path = self.write("pairs", data)
            for source, given in ((path, b""), ("-", data)):
                more = ("--dropped", self.folder / "dropped") if dropped_too else ()
                done = self.assert_done(run("verify", "--pairs", source, *options, "--format", "jsonl", *more, *documents,
                                            data=given))
                self.assertEqual([(row["a"], row["b"]) for row in done.json], wanted)
                for row in done.json:
                    a, b = int(row["a"][1:]), int(row["b"][1:])
                    self.assertLess(abs(row["similarity"] - self.holds[a, b]), 1e-5)
                self.assertIn("1 pair names one document twice", done.err)
                self.assertIn(f"{len(wanted)} of {len(self.asked):,} pairs are near-duplicates", done.err)
                if dropped_too:
                    rows = [json.loads(line) for line in (self.folder / "dropped").read_text().splitlines()]
                    self.assertEqual({row["id"]: row["kept"] for row in rows},
                                     {name: first for name, first in label.items() if first != name})

    def test_documents_of_texts(self):
        self.check(("--jsonl", self.documents))

    def test_documents_of_an_index(self):
        index = self.folder / "i"
        self.assert_done(run("index", "--jsonl", "--output", index, self.documents))
        # A document without tokens is not in an index.
        self.check(("--index", index))
        half = self.folder / "half"
        self.assert_done(run("index", "--jsonl", "--output", half, "-", data=jsonl(self.texts[:150])))
        self.check(("--index", half, "--jsonl", self.write("rest", jsonl(self.texts[150:], 150))))

    def test_features_that_do_not_fit_in_memory(self):
        self.check(("--jsonl", "--memory", "100K", self.documents))

    def test_measures(self):
        data = jsonl([A, A.replace("brown", "red"), " ".join(A.split()[:12]), B, "..."])
        path = self.write("d", data)
        pairs = self.write("p.csv", "a,b\nd0,d1\nd0,d2\nd0,d3\nd0,d4\nd4,d4\n")
        for options, wanted in (((), ["d1"]), (("--similarity", ".85"), []), (("--check", "edit"), ["d1"]),
                                (("--check", "cosine"), ["d1"]),
                                (("--features", "words", "--similarity", ".6"), ["d1", "d2"])):
            done = self.assert_done(run("verify", "--pairs", pairs, "--jsonl", *options, path))
            self.assertEqual([line.split("\t")[3] for line in done.text.splitlines()], wanted, options)

    def test_containment_and_a_folder_of_pairs_are_refused(self):
        path = self.write("d", jsonl([A, B]))
        pairs = self.write("p.csv", "a,b\nd0,d1\n")
        self.assert_fails(run("verify", "--pairs", pairs, "--jsonl", "--check", "containment", path),
                          "--check containment is for groups, unique, pairs and report")
        self.assert_fails(run("verify", "--pairs", self.folder, "--jsonl", path), "a folder, not a file")

    def test_a_pipe_of_pairs_is_answered_as_it_comes(self):
        path = self.write("d", jsonl([A, A, B]))
        self.assert_answers_at_once(
            ("verify", "--quiet", "--pairs", "-", "--pairs-format", "jsonl", "--jsonl", path),
            [(b'{"a":"d0","b":"d2"}\n', b""), (b'{"a":"d1","b":"d0"}\n', b"1.000\t-\td1\td0\n")])

    def test_bad_pairs(self):
        documents = self.write("d", jsonl([A, A, B]))
        twice = self.write("twice", jsonl([A, A]) + jsonl([B]))
        for name, data, message in (
            ("p.csv", "a,b\nd0,d1\nd0,d7\nd1,d0\n", "p.csv:3: no document has the id 'd7'"),
            ("p.csv", "a,b\nd0,d1\n,d1\nd1,d0\n", "p.csv:3: no document has the id ''"),
            ("p.tsv", "a\tb\nd0\td1\nd0\nd1\td0\n", "p.tsv:3: 1 value, and the header has 2"),
            ("p.jsonl", '{"a":"d0","b":"d1"}\n{"a":"d0","b":5}\n{"a":"d1","b":"d0"}\n', "p.jsonl:2: no document has the id '5'"),
            ("p.jsonl", '{"a":"d0","b":"d1"}\n{"a":"d0"}\n{"a":"d1","b":"d0"}\n', 'p.jsonl:2: no field "b" in the record'),
            ("p.bin", struct.pack("<6Q", 0, 1, 0, 3, 1, 0), "p.bin pair 2: no document has the number 3"),
            ("p.bin", struct.pack("<4Q", 0, 1, 1, 0) + b"12345", "p.bin: ends within pair 3"),
        ):
            path = self.write(name, data)
            done = self.assert_fails(run("verify", "--pairs", path, "--jsonl", documents), message)
            self.assertTrue(done.text.startswith("1.000\t-\td0\td1\n"), done.text)  # the pairs before the bad line are answered
            done = run("verify", "--pairs", path, "--skip-bad", "--jsonl", documents)
            self.assertEqual((done.status, done.text), (0, "1.000\t-\td0\td1\n1.000\t-\td1\td0\n"), done.err)
            self.assertIn("1 bad input was skipped", done.err)
        self.assert_fails(run("verify", "--pairs", self.write("p.csv", "a,b\nd1,d0\n"), "--jsonl", twice),
                          "p.csv:2: several documents have the id 'd0'")
        empty = self.write("e.csv", "")
        self.assertEqual(self.assert_done(run("verify", "--pairs", empty, "--jsonl", documents)).text, "")
        for name, data in (("p.csv", "x,y\n"), ("p.jsonl", '{"x": "d0", "y": "d1"}\n')):
            self.assert_fails(run("verify", "--pairs", self.write(name, data), "--jsonl", documents),
                              "which has: x, y; --pair-fields names others")

    def test_options(self):
        documents = self.write("d", jsonl([A]))
        pairs = self.write("p.csv", "a,b\n")
        plain = self.folder / "plain.index"
        self.assert_done(run("index", "--jsonl", "--distance", 3, "--output", plain, documents))
        for options, message in (
            (("--pairs", pairs), "name the documents"),
            (("--pairs", documents, "--jsonl", documents), "its name does not show its format"),
            (("--pairs", pairs, "--index", plain), "is an index of fingerprints, without features to check"),
            (("--pairs", self.folder / "no.csv", "--jsonl", documents), "no.csv"),
            (("--pairs", "-", "--pairs-format", "csv", "--jsonl", "-"), "can be read only once"),
            (("--pairs", pairs, "--pairs-format", "binary", "--pair-fields", "a", "b", documents), "have no fields"),
            (("--pairs", pairs, "--output", pairs, "--jsonl", documents), "is also an input"),
            (("--jsonl", documents), "verify needs --pairs FILE"),
        ):
            self.assert_fails(run("verify", *options), message)


if __name__ == "__main__":
    main()
