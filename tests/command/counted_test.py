"""Features with their counts, and unique --lossless. NEARDUP_PROGRAM names the program."""

import collections
import json
import random
import re

from harness import A, B, CommandTest, as_json, corpus, effort, jaccard, jsonl, run, main


def bag(texts, n=2):
    """Returns the pairs of words of a document, each with the number of its occurrence."""
    counts = collections.Counter()
    for text in [texts] if isinstance(texts, str) else texts:
        words = re.findall(r"[a-z0-9]+", text.lower())
        counts.update([tuple(words[i : i + n]) for i in range(len(words) - n + 1)] or ([tuple(words)] if words else []))
    return frozenset((token, i) for token, count in counts.items() for i in range(count))


def repetitive(count, seed):
    """Returns texts of few different words, and parts and repetitions of earlier texts."""
    rng = random.Random(seed)
    texts = []
    for _ in range(count):
        if texts and rng.random() < 0.6:
            text = rng.choice(texts).split()
            begin = rng.randrange(len(text))
            text = text[begin : begin + rng.randrange(1, 20)] * rng.choice([1, 1, 1, 2])
        else:
            text = [rng.choice("abcdefgh") for _ in range(rng.randrange(1, 30))]
        texts.append(" ".join(text))
    return texts


def kept_losslessly(bags):
    """Returns the kept documents. Large documents are decided first, and documents of equal size in the order of the
    input."""
    kept = []
    for i in sorted(range(len(bags)), key=lambda i: (-len(bags[i]), i)):
        if not bags[i] or not any(bags[i] <= bags[k] for k in kept if bags[k]):
            kept.append(i)
    return sorted(kept)


class Counted(CommandTest):
    def test_pairs_against_the_oracle(self):
        texts = repetitive(effort(80, 250), 3)
        bags = [bag(text) for text in texts]
        expected = [
            (f"d{i}", f"d{j}", as_json(jaccard(bags[i], bags[j])))
            for i in range(len(texts)) for j in range(i + 1, len(texts)) if jaccard(bags[i], bags[j]) >= 0.6
        ]
        done = self.assert_done(run("pairs", "--jsonl", "--format", "jsonl", "--features", "counted:words:2",
                                    "--similarity", "0.6", "-", data=jsonl(texts)))
        self.assertEqual(sorted((row["a"], row["b"], row["similarity"]) for row in done.json), sorted(expected))
        self.assertGreater(len(expected), 20)

    def test_repetition_is_seen(self):
        row = "the row of the table says one. "
        data = jsonl([row * 3, row * 300])
        self.assertEqual(len(run("pairs", "--jsonl", "-", data=data).text.splitlines()), 1)
        self.assertEqual(run("pairs", "--jsonl", "--features", "counted:words:2", "-", data=data).text, "")
        done = self.assert_done(run("tokens", "--features", "counted:words", "-", data="a b A"))
        self.assertEqual(done.text, "a 1\t1\nb 1\t1\na 2\t1\n")

    def test_texts_of_several_fields_are_counted_together(self):
        records = [{"id": 1, "a": "x y", "b": "x y"}, {"id": 2, "a": "x y"}, {"id": 3, "a": "", "b": "x y", "c": "x y"},
                   {"id": 4, "a": "x y", "b": "x y", "c": "x y"}]
        data = "".join(json.dumps({"a": "", "b": "", "c": "", **record}) + "\n" for record in records)
        fields = ("--jsonl", "--text-field", "a", "--text-field", "b", "--text-field", "c")
        done = self.assert_done(run("tokens", *fields, "--features", "counted:words:2", "-", data=data))
        blocks = [[line.split("\t")[0] for line in block.splitlines()] for block in done.text.split("\n\n")]
        self.assertEqual(blocks, [["x y 1", "x y 2"], ["x y 1"], ["x y 1", "x y 2"], ["x y 1", "x y 2", "x y 3"]])
        for how in ((), ("--kind", "minwise", "--distance", "0"), ("--kind", "simhash", "--distance", "0"),
                    ("--weights", "tf", "--distance", "0"), ("--check", "cosine")):
            done = self.assert_done(run("pairs", *fields, "--features", "counted:words:2", "--similarity", "1",
                                        "--format", "jsonl", *how, "-", data=data))
            self.assertEqual([(row["a"], row["b"]) for row in done.json], [("1", "3")], how)

    def test_an_index_and_batches_have_the_same_pairs(self):
        texts = repetitive(effort(60, 150), 4)
        index = self.folder / "i"
        self.assert_done(run("index", "--jsonl", "--features", "counted:words:2", "--output", index, "-", data=jsonl(texts[:40])))
        done = self.assert_done(run("query", "--index", index, "--jsonl", "--format", "jsonl", "--similarity", "0.6", "-",
                                    data=jsonl(texts[40:], 40)))
        bags = [bag(text) for text in texts]
        expected = {(f"d{i}", f"d{j}") for i in range(40, len(texts)) for j in range(40) if jaccard(bags[i], bags[j]) >= 0.6}
        self.assertEqual({(row["id"], row["indexed"]) for row in done.json}, expected)
        self.assert_fails(run("query", "--index", index, "--features", "words:2", "-", data=A), "has counted:words:2")

    def test_bad_names(self):
        for name, why in (("counted:", "features are "), ("counted:zh:words", "features are "),
                          ("counted:words:0", "N must be from 1 to 1000"), ("counted:letters", "say how long they are")):
            self.assert_fails(run("pairs", "--features", name, "-", data=A), f"--features '{name}': ", why)
        self.assert_fails(run("find", "a b", "--features", "counted:words:2", "-", data=A), "leave out counted:")


class Lossless(CommandTest):
    def check(self, texts, *options, n=2):
        data = jsonl(texts)
        done = self.assert_done(run("unique", "--jsonl", "--lossless", *options, "-", data=data))
        lines = data.splitlines(keepends=True)
        expected = kept_losslessly([bag(text, n) for text in texts])
        self.assertEqual(done.bytes, b"".join(lines[i] for i in expected))
        return done, expected

    def test_against_the_oracle(self):
        for seed in range(effort(3, 8)):
            texts = repetitive(effort(80, 200), seed) + corpus(40, seed) + ["", "?!"]
            random.Random(seed).shuffle(texts)
            _, kept = self.check(texts)
            self.assertLess(len(kept), len(texts) - 20)
            self.check(texts, "--features", "words", n=1)
            self.check(texts, "--features", "counted:words:3", n=3)
            self.check(texts, "--memory", "0")

    def test_a_copy_of_three_words_is_dropped_and_a_different_count_is_not(self):
        done, kept = self.check(["one two three", A, "one two three four", "one two three", A + " " + A, B, A, "a b a b", "a b a"])
        self.assertEqual(kept, [2, 4, 5, 7])
        self.assertIn("--lossless means: --features counted:words:2 --exact --check containment", done.err)
        self.assertIn("9 documents: 4 kept, 5 dropped", done.err)

    def test_what_is_dropped_is_named(self):
        path, dropped = self.write("x.jsonl", jsonl(["b c", "a b c d", "x y"])), self.folder / "dropped"
        self.assert_done(run("unique", "--jsonl", "--lossless", "--dropped", dropped, path))
        self.assertEqual(json.loads(dropped.read_text()), {"id": "d0", "kept": "d1", "similarity": 1})

    def test_what_does_not_go_together_is_refused(self):
        for options in (["--similarity", "0.9"], ["--check", "jaccard"], ["--keep", "longest"], ["--grouping", "components"],
                        ["--against", "x"], ["--add-to", "x"], ["--copies"], ["--parts", "line"], ["--distance", "3"],
                        ["--weights", "tf"], ["--check-features", "words"]):
            self.assert_fails(run("unique", "--jsonl", "--lossless", *options, "-"), options[0] + " with --lossless: ")
        self.assert_fails(run("unique", "--jsonl", "--lossless", "--features", "zh:words", "-"), "words of a dictionary have no counts")
        self.assert_fails(run("unique", "--jsonl", "--lossless", "--features", "word", "-"), "--features 'word': features are")
        self.assert_fails(run("groups", "--jsonl", "--lossless", "-"), "--lossless")


if __name__ == "__main__":
    main()
