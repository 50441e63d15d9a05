"""Groups of near-duplicates, and the settings that follow from a similarity. NEARDUP_PROGRAM names the program."""

import math
import random
import re

from harness import closeness_in, A, B, SOURCE, CommandTest, close_pairs, connected, corpus, cpu_seconds, fingerprints, as_json
from harness import hamming_distance, jaccard, jsonl, members_of, represented, run, unless_short, words, main


class Groups(CommandTest):
    def test_is_the_default_verb(self):
        for name, text in (("a", A), ("b", B), ("c", A)):
            self.write(name, text)
        named = self.assert_done(run("groups", self.folder))
        self.assertEqual(named.text, run(self.folder).text)
        members = f"  1.000  {self.folder}/a\n  1.000  {self.folder}/c\n"
        self.assertEqual(named.text, "2 documents, similarity 1.000\n" + members)
        self.assertIn("3 documents: 1 group of near-duplicates, 2 documents in them", named.err)

    def test_json_is_as_documented(self):
        options = ("groups", "--jsonl", "--format", "jsonl", "-")
        done = self.assert_done(run(*options, "--distance", 3, data=jsonl([A, B, A])))
        members = '[{"id":"d0","distance":0,"estimate":1},{"id":"d2","distance":0,"estimate":1}]'
        self.assertEqual(done.text, '{"group":0,"size":2,"members":' + members + "}\n")
        done = self.assert_done(run(*options, data=jsonl([A, B, A])))
        members = '[{"id":"d0","similarity":1},{"id":"d2","similarity":1}]'
        self.assertEqual(done.text, '{"group":0,"size":2,"members":' + members + "}\n")

    def test_against_the_oracle(self):
        texts = corpus(400, 1)
        data = jsonl(texts)
        similar = unless_short(texts)
        for bits in (32, 64, 128, 256):
            prints = fingerprints(data, "--bits", bits)
            for distance in (0, 3, 9):
                near = {(a, b): -found for a, b, found in close_pairs(prints, distance, similar)}
                labels = {
                    "components": connected(prints, near),
                    "representatives": represented(prints, closeness_in(near)),
                }
                for rule, label in labels.items():
                    with self.subTest(bits=bits, distance=distance, rule=rule):
                        def member(name, first):
                            apart = hamming_distance(prints[name], prints[first])
                            estimate = as_json(math.cos(math.pi * apart / bits))
                            return {"id": name, "distance": apart, "estimate": estimate}

                        expected = [[member(m, group[0]) for m in group] for group in members_of(label)]
                        options = ("--jsonl", "--format", "jsonl", "--bits", bits, "--distance", distance)
                        rows = run(*options, "--grouping", rule, "-", data=data).json
                        self.assertEqual([row["members"] for row in rows], expected)
                        self.assertEqual([row["group"] for row in rows], list(range(len(rows))))
                        self.assertEqual([row["size"] for row in rows], [len(group) for group in expected])
                        self.assertGreater(len(rows), 1)

    def test_short_documents_without_a_check_have_to_be_equal(self):
        texts = ["one two", "One, two!", "one two three", "one two one two", A, A.upper()]
        for distance in (3, 63):
            done = run("--jsonl", "--format", "jsonl", "--distance", distance, "-", data=jsonl(texts))
            groups = [[m["id"] for m in row["members"]] for row in done.json]
            self.assertEqual(groups, [["d0", "d1"], ["d4", "d5"]])
            done = run("pairs", "--jsonl", "--distance", distance, "-", data=jsonl(texts))
            self.assertEqual([line.split("\t")[2:] for line in done.text.splitlines()], [["d0", "d1"], ["d4", "d5"]])
            done = run("unique", "--jsonl", "--distance", distance, "-", data=jsonl(texts))
            self.assertEqual([row["id"] for row in done.json], ["d0", "d2", "d3", "d4"])
        # A text that repeats few words is short, too. Such words at the beginning of a longer text do not make this
        # text short.
        repeated = ["one two " * 200, "two one " * 300, "one two " * 100 + A, "one two " * 150 + A]
        done = run("pairs", "--jsonl", "--distance", 63, "-", data=jsonl(repeated))
        self.assertEqual([line.split("\t")[2:] for line in done.text.splitlines()], [["d0", "d1"], ["d2", "d3"]])

    def test_similarity_chooses_the_rest_and_says_what(self):
        data = jsonl(corpus(400, 21))
        common = ("--jsonl", "--format", "jsonl", "-")
        for verb in ("groups", "pairs"):
            for given in (
                ("--kind", "auto"),
                ("--kind", "auto", "--similarity", 0.7),
                ("--kind", "auto", "--similarity", 0.6, "--check-features", "chars:3"),
                ("--similarity", 0.9, "--bits", 128, "--features", "words"),
                ("--similarity", 0.7, "--distance", 5),
                ("--similarity", 0.7, "--min-similarity", 0.5),
                ("--kind", "auto", "--min-similarity", 0.75),
                ("--kind", "auto", "--check", "cosine"),
                ("--check", "edit"),
                ("--check", "containment"),
                (),
                ("--similarity", 0.7),
                ("--similarity", 0.6, "--check-features", "chars:3"),
                ("--min-similarity", 0.75),
            ):
                with self.subTest(verb=verb, given=given):
                    done = self.assert_done(run(verb, *given, *common, data=data))
                    said = done.err.splitlines()[0]
                    self.assertRegex(said, r"^neardup: --similarity 0\.\d+( \(the default\))? means: --(features|exact) ")
                    spelt_out = run(verb, *said.split(" means: ")[1].split(), *common, data=data)
                    self.assertEqual(done.bytes, spelt_out.bytes)
                    # With a distance, the program chooses nothing, and prints no line about its choice. With --exact,
                    # it prints the line.
                    self.assertEqual(spelt_out.err.count(" means: "), "--exact" in said)
                    self.assertTrue(done.bytes)
                    self.assertEqual(run(verb, *given, "--quiet", *common, data=data).err, "")
        self.assertEqual(run(*common, data=data).bytes, run("--similarity", 0.8, *common, data=data).bytes)
        said = run("--similarity", 0.7, "--check-features", "words:3", "--kind", "auto", "-", data=A).err
        self.assertIn("--features words:3 --kind minwise --bits 64 --distance ", said)
        self.assertIn("--check-features words:3 --min-similarity 0.7\n", said)
        self.assertNotIn(" means: ", run("hash", "-", data=A).err)
        self.assertNotIn(" means: ", run("--distance", 3, "-", data=A).err)

    def test_the_documented_distances_are_those_that_are_chosen(self):
        page = (SOURCE / "docs" / "command.md").read_text()
        similarities = re.search(r"^\| `--similarity` \|(.*)\|$", page, re.MULTILINE)[1].split("|")
        rows = re.findall(r"^\| `--kind (\w+)`, (\d+) bits \|(.*)\|$", page, re.MULTILINE)
        self.assertEqual(len(rows), 4)
        for kind, bits, distances in rows:
            for similarity, distance in zip(map(str.strip, similarities), map(str.strip, distances.split("|")), strict=True):
                said = run("--similarity", similarity, "--kind", kind, "--bits", bits, "-", data=A).err
                self.assertIn(f" --distance {distance} ", said, (similarity, kind, bits))

    def test_text_names_the_least_similarity_of_a_group(self):
        texts = [A, A.replace("lazy", "tired"), B]
        done = run("--lines", "--distance", 30, "--min-similarity", 0.5, "-", data="\n".join(texts))
        least = jaccard(words(texts[0], 2), words(texts[1], 2))
        shown = f"{math.floor(least * 1000) / 1000:.3f}"
        self.assertEqual(done.text, f"2 documents, similarity to the first at least {shown}\n  1.000  -:1\n  {shown}  -:2\n")

    def test_many_copies_with_a_check_are_quick(self):
        texts = [A] * 20000 + [A.replace("dog", "cat")] * 20000 + [B]
        begin = cpu_seconds()
        limits = ("--distance", 20, "--min-similarity", 0.7)
        rows = run("--lines", "--format", "jsonl", *limits, "-", data="\n".join(texts)).json
        self.assertEqual([row["size"] for row in rows], [40000])
        self.assertLess(cpu_seconds() - begin, 60)

    def test_no_features_in_the_check_means_no_group(self):
        # These texts are equal, but have no features for the check.
        data = "!!??!!\n!!??!!\n"
        options = ("--lines", "--features", "bytes:2")
        self.assertEqual(run(*options, "-", data=data).text.count("-:"), 2)
        done = run(*options, "--check-features", "words", "--min-similarity", 0.5, "-", data=data)
        self.assertEqual(done.text, "")


class ShortTexts(CommandTest):
    """Texts that one changed word makes dissimilar: the program says so, and names features that find them."""

    def corpus(self, words, count=300):
        rng = random.Random(51)
        rows = []
        for _ in range(count):
            first = [f"w{rng.randrange(10**5)}" for _ in range(words)]
            other = first[:]
            other[rng.randrange(words)] = f"x{rng.randrange(10**5)}"
            rows += [" ".join(first), " ".join(other)]
        return "\n".join(rows)

    def test_one_changed_word(self):
        data = self.corpus(8)
        hint = "600 of 600 documents have fewer than 18 features: one word changed makes their similarity less than 0.8; " \
               "for such short texts, try --similarity 0.5, or --check-features words:1 --similarity 0.7"
        for verb in ("groups", "unique", "pairs"):
            for more in ((), ("--exact",)):
                done = run(verb, *more, "--lines", "-", data=data)
                self.assertIn(hint, done.err)
                self.assertEqual(done.err.count("fewer than"), 1)
                self.assertNotIn("fewer than", run(verb, *more, "--quiet", "--lines", "-", data=data).err)
        found = lambda *more: len(run("groups", *more, "--format", "jsonl", "--lines", "-", data=data).json)
        self.assertEqual(found(), 0)
        self.assertEqual(found("--exact", "--similarity", 0.5), 300)
        self.assertEqual(found("--exact", "--check-features", "words:1", "--similarity", 0.7), 300)

    def test_the_hint_fits_the_number_of_words(self):
        for words, hint in ((2, "--check edit"), (3, "--check edit"), (4, "--check-features words:1 --similarity 0.6"),
                            (5, "--similarity 0.3, or --check-features words:1 --similarity 0.6"), (9, "--similarity 0.6, or --check-features words:1 --similarity 0.8")):
            data = self.corpus(words)
            self.assertTrue(run("pairs", "--lines", "-", data=data).err.split("for such short texts, try ")[1].startswith(hint + "\n"), words)
            if words > 3:
                found = run("pairs", "--lines", *hint.split(", or ")[-1].split(), "-", data=data)
                self.assertEqual(self.assert_done(found).text.count("\n"), 300)
        self.assertIn("try --similarity 0.6\n", run("pairs", "--lines", "--features", "words", "-", data=self.corpus(4)).err)

    def test_nothing_is_said_of_others(self):
        for words, similarity, said in ((19, 0.8, False), (18, 0.8, True), (18, 0.7, False), (18, 1, False), (3, 0, False)):
            done = run("groups", "--distance", 3, "--min-similarity", similarity, "--lines", "-", data=self.corpus(words))
            self.assertEqual("fewer than" in done.err, said, (words, similarity, done.err))
        self.assertNotIn("fewer than", run("groups", "--distance", 3, "--lines", "-", data=self.corpus(8)).err)
        self.assertNotIn("fewer than", run("groups", "--lines", "-", data=self.corpus(8, 9)).err)  # too few texts
        self.assertNotIn("fewer than", run("groups", "--features", "longest:3", "--lines", "-", data=self.corpus(8)).err)
        self.assertIn("one character changed", run("groups", "--features", "letters:9", "--lines", "-", data=self.corpus(8)).err)

if __name__ == "__main__":
    main()
