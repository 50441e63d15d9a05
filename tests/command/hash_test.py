"""The fingerprints: features, weights and kinds. NEARDUP_PROGRAM names the program."""

import json
import math
import re

from harness import A, SOURCE, CommandTest, close_pairs, corpus, fingerprints, jaccard, jsonl, run, words, words_of, main


class Hash(CommandTest):
    def test_prints_fingerprint_and_id(self):
        self.write("a", A)
        self.write("empty", "")
        done = self.assert_done(run("hash", self.folder))
        self.assertRegex(done.text, rf"^[0-9a-f]{{16}}  {self.folder}/a\n-  {self.folder}/empty\n$")
        done = run("hash", "--format", "jsonl", self.folder)
        self.assertEqual(done.json[1], {"id": f"{self.folder}/empty", "fingerprint": None})

    def test_width_and_seed(self):
        for bits in (32, 64, 128, 256):
            self.assertRegex(run("hash", "--bits", bits, "-", data=A).text, rf"^[0-9a-f]{{{bits // 4}}}  -\n$")
        for weights in ("unit", "tf", "logtf"):
            wide = run("hash", "--weights", weights, "-", data=A).text
            self.assertEqual(run("hash", "--weights", weights, "--bits", 32, "-", data=A).text, wide[8:])
        first = run("hash", "-", data=A).text
        self.assertEqual(first, run("hash", "--seed", 0, "-", data=A).text)
        self.assertNotEqual(first, run("hash", "--seed", 1, "-", data=A).text)
        self.assertEqual(run("hash", "--seed", 255, "-", data=A).text, run("hash", "--seed", "0xff", "-", data=A).text)

    def same(self, first, second, *options):
        return run("hash", *options, "-", data=first).text == run("hash", *options, "-", data=second).text

    def test_features(self):
        for features in ("words", "words:1", "words:3", "chars:3"):
            options = ("--features", features)
            self.assertTrue(self.same("Ärger, IN   the\tHouse!", "ärger in the house", *options), features)
        self.assertFalse(self.same("Some Words", "some words", "--features", "bytes:3"))
        self.assertTrue(self.same("one two three", "three one two", "--features", "words"))
        self.assertFalse(self.same("one two three", "three one two", "--features", "words:2"))
        self.assertTrue(self.same("one two three", "one two three", "--features", "words:2"))
        self.assertEqual(run("hash", "-", data=A).text, run("hash", "--features", "words:2", "-", data=A).text)
        single = [run("hash", "--features", name, "-", data=A).text for name in ("words", "words:1")]
        self.assertEqual(*single)

    def test_the_library_makes_the_same_by_default(self):
        """examples/recipes/fingerprint_vectors.cpp prints the fingerprints of simhash_of and of minwise_hasher."""
        recipe = (SOURCE / "examples" / "recipes" / "fingerprint_vectors.cpp").read_text(encoding="utf-8")
        printed = dict(re.findall(r"^// prints: (.*): ([0-9a-f]+|-)$", recipe, re.MULTILINE))
        fox = "The quick brown fox jumps over the lazy dog; the quick brown fox is quick."
        texts = {"no word": "?! ...", "one word": "Hello!", "two words": "Hello, World!", "fox": fox, "Han": "你好，世界！",
                 "ill-formed": b"caf\xc3 au \xf0\x9f\x98lait", "French capitals": "L'ÉTÉ À NÎMES, les ŒUVRES",
                 "full width": "ＴｉＤＢ　５．０", "combining marks": "E\u0301TE\u0301 \u0301a",
                 "cut words": "exam-\nple, co\u00ad\nop"}
        for name, text in texts.items():
            self.assertEqual(run("hash", "-", data=text).text, f"{printed[name]}  -\n", name)
        self.assertEqual(run("hash", "--bits", 128, "-", data=fox).text, f"{printed['fox, 128 bits']}  -\n")
        self.assertEqual(run("hash", "--kind", "minwise", "-", data=fox).text, f"{printed['min-wise']}  -\n")

    def test_weights(self):
        once = "alpha beta gamma delta epsilon"
        often = once + " alpha" * 30
        words = ("--features", "words")
        self.assertTrue(self.same(once, often, *words))
        self.assertFalse(self.same(once, often, *words, "--weights", "tf"))
        self.assertFalse(self.same(once, often, *words, "--weights", "logtf"))
        self.assertTrue(self.same(once, once, *words, "--weights", "logtf"))

    def test_idf_is_learnt_or_read(self):
        texts = [t + " common words everywhere" for t in corpus(200, 5)]
        data = jsonl(texts)
        options = ("hash", "--jsonl", "--features", "words", "--weights", "idf")
        learnt = self.assert_done(run(*options, self.write("c.jsonl", data))).text
        self.assertEqual(learnt, run(*options, "-", data=data).text)
        frequency = {}
        for text in texts:
            for word in {token for (token,) in words_of(text)}:
                frequency[word] = frequency.get(word, 0) + 1
        table = "".join(f"{word} {math.log(1 + len(texts) / df):.9f}\n" for word, df in frequency.items())
        self.assertEqual(learnt, run(*options, "--idf-file", self.write("idf.txt", table), "-", data=data).text)
        self.assertNotEqual(learnt, run("hash", "--jsonl", "--features", "words", "-", data=data).text)
        self.assert_fails(run(*options, "--idf-file", self.write("bad.txt", "word\n"), "-", data=data), "bad.txt:1:")
        weightless = (*options, "--idf-file", self.write("the.txt", "the 0\n"), "-")
        done = self.assert_done(run(*weightless, data=jsonl(["the", "the the"])))
        self.assertIn("2 documents have no tokens of any weight (the first: standard input:1)", done.err)
        done = run(*weightless, "--strict", data=jsonl(["the", "the the"]))
        self.assert_fails(done, "standard input:1: a document without tokens of any weight")
        self.assert_fails(run(*options, "--idf-file", "none.txt", "-", data=data), "--idf-file: cannot open none.txt")

    def test_idf_of_other_terms_is_said(self):
        data = jsonl(["red fish", "blue fish"])
        others = ("--features", "words", "--weights", "idf", "--idf-file", self.write("idf.txt", "cat 2\nfish 3\n"))
        pairs = ("--weights", "tfidf", "--idf-file", others[-1])
        note = "neardup: no feature of the documents is a term in " + str(others[-1])
        for verb in ("hash", "tokens", "pairs"):
            self.assertNotIn(note, run(verb, "--jsonl", *others, "-", data=data).err)
            self.assertIn(note, run(verb, "--jsonl", *pairs, "-", data=data).err)
            self.assertIn(note, run(verb, "--jsonl", *pairs, "--top", 2, "-", data=data).err)
            self.assertNotIn(note, run(verb, "--jsonl", *pairs, "--quiet", "-", data=data).err)
            self.assertNotIn(note, run(verb, "--jsonl", *pairs, "-", data=jsonl([""])).err)
        large = self.write("large.txt", "red " * (1 << 22) + "blue")
        self.assertIn(note, run("hash", *others, large).err)
        self.assertNotIn(note, run("hash", *others, self.write("larger.txt", "red " * (1 << 22) + "fish")).err)


class Weighted(CommandTest):
    """Words that come with weights."""

    def hash(self, *records, options=()):
        data = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records)
        return run("hash", "--jsonl", "--weighted-field", "tags", *options, "-", data=data)

    def test_only_the_proportions_count(self):
        tags = [["研究", 0.0625], ["生命", 0.078125], ["\u0041\n", 0.046875]]
        large = [[word, weight * 2**40] for word, weight in reversed(tags)]
        halves = [[w, x / 2] for w, x in tags + tags]
        done = self.assert_done(self.hash(*({"tags": t} for t in (tags, large, halves, tags[:2]))))
        prints = [line.split()[0] for line in done.text.splitlines()]
        self.assertEqual(prints[0], prints[1])
        self.assertEqual(prints[0], prints[2])
        self.assertNotEqual(prints[0], prints[3])

    def test_one_word_has_its_hash(self):
        word = run("hash", "--features", "words", "-", data="word").text.split()[0]
        self.assertEqual(self.hash({"tags": [["word", 0.001]]}).text.split()[0], word)
        top = self.hash({"tags": [["b", 1], ["word", 1.5], ["a", 1]]}, options=("--top", 1))
        self.assertEqual(top.text.split()[0], word)

    def test_what_a_similarity_chose_can_be_spelt_out(self):
        data = "".join(json.dumps({"tags": [[f"w{i}", 1 + i % 3] for i in range(first, 30)]}) + "\n" for first in (0, 1))
        common = ("pairs", "--jsonl", "--weighted-field", "tags", "--check", "jaccard", "-")
        done = self.assert_done(run(*common, data=data))
        self.assertTrue(done.bytes)
        chosen = done.err.splitlines()[0].split(" means: ")[1].split()
        self.assertEqual(self.assert_done(run(*common, *chosen, data=data)).bytes, done.bytes)

    def test_nothing_that_weighs(self):
        done = self.assert_done(self.hash({"tags": []}, {"tags": [["a", 0]]}))
        self.assertEqual([line[0] for line in done.text.splitlines()], ["-", "-"])

    def test_near_duplicates(self):
        tags = [[f"w{i}", 1 + i % 5] for i in range(40)]
        records = [{"id": "a", "tags": tags}, {"id": "b", "tags": tags[1:]}, {"id": "c", "tags": [[w + "x", x] for w, x in tags]}]
        data = "".join(json.dumps(r) + "\n" for r in records)
        for check, similarity in (("jaccard", "0.975"), ("cosine", "0.998")):
            done = self.assert_done(run("pairs", "--jsonl", "--weighted-field", "tags", "--check", check, "-", data=data))
            rows = [line.split("\t") for line in done.text.splitlines()]
            self.assertEqual([(row[0], *row[2:]) for row in rows], [(similarity, "a", "b")])

    def test_weights_are_not_ignored_silently(self):
        """The default measure, jaccard, takes no weights, so a run with weights has to name its measure."""
        data = "".join(json.dumps({"id": id, "tags": [["x", x], ["y", 1 - x]]}) + "\n" for id, x in (("a", 0.999), ("b", 0.001)))
        common = ("--jsonl", "--weighted-field", "tags", "-")
        for verb in ("groups", "pairs", "unique"):
            for options in ((), ("--exact",), ("--similarity", 0.5), ("--kind", "auto"), ("--distance", 3, "--min-similarity", 0.5)):
                with self.subTest(verb=verb, options=options):
                    failed = run(verb, *options, *common, data=data)
                    self.assert_fails(failed, "--weighted-field: the default measure, jaccard, ignores weights; --check cosine ")
        pairs = self.write("pairs.csv", "a,b\na,b\n")
        self.assert_fails(run("verify", "--pairs", pairs, *common, data=data), "--weighted-field: the default measure")
        for options, similarities in (
            (("--check", "jaccard"), ["1.000"]),
            (("--check", "cosine"), []),
            (("--distance", 3), []),
        ):
            done = self.assert_done(run("pairs", *options, *common, data=data))
            self.assertEqual([line.split("\t")[0] for line in done.text.splitlines()], similarities)

    def test_a_score_beside_the_words(self):
        words = [[f"w{i}", 1.5] for i in range(20)]
        for records in ([{"t": words, "s": s} for s in (1, 2)], [{"s": s, "t": words} for s in (1, 2)]):
            data = "".join(json.dumps(r) + "\n" for r in records)
            done = run("unique", "--jsonl", "--weighted-field", "t", "--keep", "highest:s", "--distance", 3, "-", data=data)
            self.assertEqual([r["s"] for r in self.assert_done(done).json], [2])

    def test_bad_records(self):
        good = {"tags": [["a", 1]]}
        for bad in (5, "a", ["a", 1], [["a"]], [["a", 1, 2]], [[1, "a"]], [["a", -1]], [["a", "1"]], [["a", None]],
                    [["a", 1], "b"], [{"a": 1}], {"a": 1}):
            done = self.assert_fails(self.hash(good, {"tags": bad}), 'standard input:2: field "tags" is not an array of [word, weight]')
        self.assertIn("1 document has no tokens", self.assert_done(self.hash(good, {"tags": None})).err)  # as an empty array
        self.assert_fails(self.hash(good, {"text": "a"}), 'standard input:2: no field "tags"')
        self.assert_fails(run("hash", "--jsonl", "--weighted-field", "t", "-", data='{"t":[["a",1e999]]}\n'), ":1: field")
        self.assert_fails(run("hash", "--jsonl", "--weighted-field", "t", "-", data='{"t":[["a",1],]}\n'), ":1: not valid JSON")
        self.assert_fails(run("hash", "--jsonl", "--weighted-field", "t", "-", data='{"t":[["\\x",1]]}\n'), ":1: not valid JSON")


class Kinds(CommandTest):
    def test_codes_are_those_of_the_library(self):
        # The golden values of tests/fingerprint/minwise_test.cpp.
        fox = "The quick brown fox jumps over the lazy dog; the quick brown fox is quick."
        for options, expected in (
            ((), "79109514df1a770c"),
            (("--seed", 42), "56b8e28e5d37e31b"),
            (("--bits", 32), "4f3a7f0c"),
            (("--bits", 128), "e32f1475ce4a7a6ca9119710df9a7f0c"),
            (("--features", "bytes:5"), "32f83d03d6ea1bb4"),
        ):
            self.assertEqual(run("hash", "--kind", "minwise", *options, "-", data=fox).text.split()[0], expected)
        self.assertEqual(run("hash", "--kind", "minwise", "--lines", "-", data="!\n").text.split()[0], "-")
        # A file that is read in pieces.
        text = " ".join(f"w{i % 7001}" for i in range(2_000_000))
        whole = run("hash", "--kind", "minwise", "--lines", "-", data=text).text.split()[0]
        self.assertEqual(run("hash", "--kind", "minwise", self.write("large", text)).text.split()[0], whole)

    def test_fields_count_as_one_set(self):
        record = json.dumps({"t": "one two three", "u": "four five six"}).encode()
        other = json.dumps({"t": "four five six", "u": "one two three one"}).encode()
        both = ("--jsonl", "--text-field", "t", "--text-field", "u", "-")
        hashes = [run("hash", "--kind", "minwise", "--features", "words", *both, data=d).text.split()[0]
                  for d in (record, other)]
        self.assertEqual(hashes[0], hashes[1])

    def test_pairs_are_those_within_the_distance_and_similar(self):
        texts = corpus(300, 5)
        data = jsonl(texts)
        sets = {f"d{i}": words(text, 2) for i, text in enumerate(texts)}
        for kind in ("minwise", "simhash"):
            prints = fingerprints(data, "--kind", kind)
            expected = {(a, b, d) for a, b, d in close_pairs(prints, 9) if jaccard(sets[a], sets[b]) >= 0.6}
            self.assertGreater(len(expected), 50)
            rows = run("pairs", "--kind", kind, "--distance", 9, "--min-similarity", 0.6, "--jsonl", "--format", "jsonl",
                       "-", data=data).json
            self.assertEqual({(row["a"], row["b"], row["distance"]) for row in rows}, expected)
            for row in rows:
                estimate = 1 - row["distance"] / 32 if kind == "minwise" else math.cos(math.pi * row["distance"] / 64)
                self.assertAlmostEqual(row["estimate"], estimate, places=5)

    def test_other_features_for_the_check(self):
        texts = corpus(200, 6)
        data = jsonl(texts)
        prints = fingerprints(data, "--kind", "minwise", "--features", "words")
        sets = {f"d{i}": words(text, 2) for i, text in enumerate(texts)}
        expected = {(a, b) for a, b, _ in close_pairs(prints, 12) if jaccard(sets[a], sets[b]) >= 0.7}
        rows = run("pairs", "--kind", "minwise", "--features", "words", "--check-features", "words:2", "--distance", 12,
                   "--min-similarity", 0.7, "--jsonl", "--format", "jsonl", "-", data=data).json
        self.assertEqual({(row["a"], row["b"]) for row in rows}, expected)

    def test_auto_takes_what_has_fewer_candidates(self):
        def said(*options):
            return run("pairs", *options, "-", data="one two").err

        self.assertIn("--kind minwise --bits 64 --distance 10 ", said("--kind", "auto"))
        self.assertIn("--kind minwise --bits 128 --distance ", said("--bits", 128, "--kind", "auto", "--similarity", 0.7))
        self.assertIn("--kind simhash --bits 64 --distance 14 ", said("--kind", "simhash"))
        self.assertIn("--kind simhash --bits 64 --distance 14 ", said("--weights", "logtf"))
        self.assertIn("--kind simhash --bits 64 --distance 5 ", said("--similarity", 0.8, "--distance", 5))

    def test_what_makes_no_sense_is_refused(self):
        self.assert_fails(run("--kind", "minhash", "x"), "--kind 'minhash': kinds are auto, simhash and minwise")
        self.assert_fails(run("--kind", "minwise", "--weights", "tf", "x"), "--kind minwise has no weights: leave out --weights, or")
        self.assert_fails(run("--kind", "minwise", "--top", 5, "x"), "--kind minwise has no weights: leave out --top, or")


if __name__ == "__main__":
    main()
