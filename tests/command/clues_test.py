"""The documents of an index that hold a clue, compared with a search in each document. NEARDUP_PROGRAM names the
program."""

import json
import os
import random

from harness import A, B, CommandTest, jsonl, run, words, main, as_json
from passage_oracle import passage


def longest_run(a, b):
    a, b = a.lower().split(), b.lower().split()
    return max((n for i in range(len(a)) for j in range(len(b))
                for n in range(1, min(len(a) - i, len(b) - j) + 1) if a[i : i + n] == b[j : j + n]), default=0)


class Clues(CommandTest):
    def find(self, clue, *options):
        done = self.assert_done(run("find", clue, "--index", self.folder / "index", "--format", "jsonl", *options))
        return done.json

    def index(self, *options):
        return self.assert_done(run("index", "--keep-postings", "--output", self.folder / "index", *options))

    def test_all_that_hold_much_of_a_clue_in_order(self):
        rng = random.Random(5)
        texts = [" ".join(f"w{rng.randrange(60)}" for _ in range(rng.randrange(2, 50))) for _ in range(150)]
        self.index("--jsonl", self.write("t.jsonl", jsonl(texts)))
        sets = [words(text, 2) for text in texts]
        for _ in range(60):
            source = rng.choice(texts).split()
            at = rng.randrange(len(source) - 1)
            clue = source[at : at + rng.randrange(2, 14)]
            if rng.random() < 0.7:
                clue[rng.randrange(len(clue))] = f"w{rng.randrange(60)}"
            clue = " ".join(clue)
            if len(clue.split()) < 2:
                continue
            wanted = words(clue, 2)
            least = rng.choice([0, 0.3, 0.5, 1])
            most = rng.choice([1, 10, 1000])
            expected = []
            for i, own in enumerate(sets):
                common = len(wanted & own)
                if common and common / len(wanted) >= least:
                    expected.append((-common / len(wanted), i))
            # Candidates are the documents with the largest shares; the longest run ranks them.
            ranked = sorted((share, -longest_run(clue, texts[i]), i) for share, i in sorted(expected)[: max(most, 100)])
            found = self.find(clue, "--min-similarity", least, "--most", most)
            self.assertEqual([(row["id"], row["share"], row["run"]) for row in found],
                             [(f"d{i}", as_json(-share), -length) for share, length, i in ranked[:most]])
            for row in found:
                text = texts[int(row["id"][1:])]
                self.assertIn(f"[{text[row['offset'] : row['offset'] + row['length']]}]", row["passage"])
                self.assertEqual((row["offset"], row["offset"] + row["length"]), passage(clue, [text])[1:3])

    def test_a_passage_is_shown_if_the_text_is_what_it_was(self):
        text = B + ". " + A + ". " + B
        clue = A.replace("fox", "cat")
        records = json.dumps({"id": "x\u00e9", "n": 1, "text": text + "\u00e9\n"}) + "\n" + jsonl([B]).decode()
        for name, data, options in (
            ("a.txt", text, ()),
            ("a.lines", B + "\n" + text + "\r\n", ("--lines",)),
            ("a.jsonl", records, ("--jsonl",)),
        ):
            with self.subTest(name=name):
                path = self.write(name, data)
                self.index(*options, path)
                row, = self.find(clue)
                self.assertEqual(row["passage"], f"…{B[-38:]}. [{A}]. {B[:38]}…")
                self.assertEqual((row["run"], row["offset"], row["length"]), (15, len(B) + 2, len(A)))
                printed = run("find", clue, "--index", self.folder / "index").text
                self.assertEqual(printed, "\t".join([f"{row['share'] - 0.0005:.3f}", row["id"], row["passage"]]) + "\n")
                path.write_text(data.replace("weather", "whether"))
                self.assertEqual(self.find(clue), [{"id": row["id"], "share": row["share"]}])
                path.write_text("new: " + data)
                self.assertEqual(self.find(clue), [{"id": row["id"], "share": row["share"]}])
                path.unlink()
                self.assertEqual(self.find(clue), [{"id": row["id"], "share": row["share"]}])

    def test_folded_texts_have_passages_without_places(self):
        clue, page = "漢字簡體與繁體的區別何在", "前面的話。汉字简体与繁体的区别何在？後面的話"
        path = self.write("a.jsonl", jsonl([page, "別的文章"]))
        done = run("index", "--keep-postings", "--fold-chinese", "--features", "chars:2", "--jsonl", "--output", self.folder / "index", path)
        if done.status == 2 and "OpenCC is not installed" in done.err:
            self.skipTest("libopencc1.1 is not installed")
        self.assert_done(done)
        row, = self.find(clue)
        shown = "前面的话。[汉字简体与繁体的区别何在]？后面的话"
        self.assertEqual(row, {"id": "d0", "share": 1, "run": 12, "passage": shown})
        self.assertEqual(run("find", clue, "--index", self.folder / "index").text, f"1.000\td0\t{shown}\n")
        against, dropped = self.write("t.jsonl", jsonl([clue + "簡體"], 7)), self.folder / "dropped"
        options = ("unique", "--check", "containment", "--fold-chinese", "--similarity", "0.5", "--dropped", dropped)
        self.assert_done(run(*options, "--jsonl", "--against", against, path))
        row = json.loads(dropped.read_text())
        self.assertEqual((row["id"], row["against"], row["passage"]), ("d0", "d7", shown))
        self.assertNotIn("offset", row)
        lines, against = self.write("a.txt", page + "\n"), self.write("t.txt", clue + "簡體\n")
        self.assert_done(run(*options, "--lines", "--against", against, lines))
        self.assertEqual(dropped.read_text().rstrip("\n").split("\t")[4:], ["-", "-", shown])

    def test_an_index_of_nothing_keeps_postings_of_what_is_added(self):
        self.index("--jsonl", self.write("none.jsonl", b""))
        self.assertEqual(self.find(A), [])
        for option in ("--append", "--output"):
            to = (option, *((self.folder / "index",) if option == "--output" else ()))
            self.assert_done(run("index", "--index", self.folder / "index", *to, "--jsonl", self.write("a.jsonl", jsonl([A, B]))))
            self.assertEqual({row["id"] for row in self.find(A)}, {"d0"})

    def test_an_index_that_is_changed_where_it_is(self):
        """A changed index gives the same answers and passages as a new index of the same documents."""
        rng = random.Random(11)
        texts = [" ".join(f"w{rng.randrange(60)}" for _ in range(rng.randrange(2, 50))) for _ in range(300)]
        there = [(f"o{i}", rng.choice(texts)) for i in range(40)]
        index, twin = self.folder / "index", self.folder / "twin"
        records = lambda name, documents: self.write(name, "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in documents))
        self.index("--jsonl", records("first.jsonl", there))
        found = 0
        for step in range(9):
            when = ("--compact", ("never", "never", "auto", "now")[step % 4])
            new = [(f"n{step}.{i}", rng.choice(texts)) for i in range(10)]
            change, verb = ("index", "--index", index), ("--append", "--replace", "unique")[step % 3]
            if verb == "--replace":
                new += [(i, rng.choice(texts)) for i, _ in rng.sample(there, 4)]
                there = [d for d in there if d[0] not in dict(new)] + new
            elif verb == "--append":
                there += new
            else:
                change, verb = ("unique", "--similarity", 1, "--add-to", index), "--jsonl"
                for i, text in new:
                    if all(words(text, 2) != words(t, 2) for _, t in there):
                        there.append((i, text))
            self.assert_done(run(*change, verb, *when, "--jsonl", records(f"{step}.jsonl", new)))
            gone = dict(rng.sample(there, 5))
            self.assert_done(run("index", "--index", index, *when, "--remove", "-", data="".join(f"{i}\n" for i in gone)))
            there = [d for d in there if d[0] not in gone]
            self.assert_done(run("index", "--keep-postings", "--jsonl", "--output", twin, records("twin.jsonl", there)))
            for _ in range(8):
                clue = " ".join(rng.choice(there)[1].split()[: rng.randrange(2, 12)])
                options = ("--min-similarity", rng.choice([0.2, 0.5, 1]), "--most", rng.choice([2, 1000]), "--format", "jsonl")
                rows, expected = (self.assert_done(run("find", clue, "--index", i, *options)).json for i in (index, twin))
                self.assertEqual(rows, expected)
                self.assertTrue(all("passage" in row for row in rows))
                found += len(rows)
        self.assertGreater(found, 60)

    def test_what_is_no_file_any_more_is_not_waited_for(self):
        file = self.write("texts/a.txt", A)
        self.index(file)
        file.unlink()
        os.mkfifo(file)
        (row,) = self.find(A)
        self.assertNotIn("passage", row)
        file.unlink()
        file.symlink_to("/dev/zero")
        (row,) = self.find(A)
        self.assertNotIn("passage", row)

    def test_standard_input_and_what_is_added(self):
        path = self.write("a.jsonl", jsonl([A + " one"]))
        self.index("--jsonl", path)
        done = run("index", "--jsonl", "--index", self.folder / "index", "--output",
                   self.folder / "index", "-", data=jsonl([A + " two", B], 1))
        self.assert_done(done)
        self.assertEqual([(row["id"], "passage" in row) for row in self.find(A)], [("d0", True), ("d1", False)])
        self.assertEqual([row["id"] for row in self.find(B)], ["d2"])
        other = self.folder / "other"
        self.assert_done(run("index", "--jsonl", "--output", other, path))
        self.index("--jsonl", "--index", other, self.write("b.jsonl", jsonl([A], 1)))
        self.assertEqual([(row["id"], "passage" in row) for row in self.find(A)], [("d1", True), ("d0", False)])

    def test_features_and_seed_are_those_of_the_index(self):
        path = self.write("a.jsonl", jsonl([A, B]))
        self.index("--jsonl", "--features", "chars:3", "--seed", 7, path)
        self.assert_fails(run("find", A, "--index", self.folder / "index"), "made with another --seed")
        self.assertEqual([row["id"] for row in self.find(A, "--seed", 7)], ["d0"])
        self.assert_fails(run("find", "ab", "--seed", 7, "--index", self.folder / "index"), "shorter than the features")

    def test_an_index_with_postings_answers_as_one_without(self):
        path = self.write("a.jsonl", jsonl([A, A.replace("fox", "cat"), B]))
        self.index("--jsonl", path)
        plain = self.folder / "plain"
        self.assert_done(run("index", "--jsonl", "--output", plain, path))
        query = lambda index: self.assert_done(run("query", "--jsonl", "--index", index, path)).text
        self.assertEqual(query(plain), query(self.folder / "index"))
        self.assert_done(run("unique", "--jsonl", "--against", self.folder / "index", path))

    def test_refuses_what_it_cannot_answer(self):
        path = self.write("a.jsonl", jsonl([A, B]))
        index = self.folder / "index"
        codes = self.write("codes", "ff00ff00\ta\n")
        for options, said in (
            (("--jsonl", path), f"{index} has no posting lists: make it with neardup index --keep-postings"),
            (("--jsonl", "--kind", "auto", path), f"{index} is an index of fingerprints, which hold no words; make one of features"),
            (("--input-format", "codes", "--distance", 3, codes), f"{index} is an index of codes, which hold no words"),
        ):
            self.assert_done(run("index", "--output", index, *options))
            self.assert_fails(run("find", A, "--index", index), said)
        self.index("--jsonl", path)
        self.assert_fails(run("find", "--index", index), "find --index takes a clue")
        self.assert_fails(run("find", A, path, "--index", index), f"leave out {path}")
        self.assert_fails(run("find", "...", "--index", index), "the clue has no word")
        self.assert_fails(run("find", A, "--jsonl", "--index", index), "--jsonl with --index")
        self.assert_fails(run("find", A, "--seed", 1, path), "--seed needs --index")
        self.assert_fails(run("find", A, "--index", path), "a.jsonl")
        self.assert_fails(run("index", "--fingerprints", "--keep-postings", "--output", index, path), "--keep-postings with --fingerprints")
        damaged = bytearray(index.read_bytes())
        damaged[-40] ^= 1
        self.assert_fails(run("find", A, "--index", self.write("damaged", bytes(damaged))), "damaged")


if __name__ == "__main__":
    main()
