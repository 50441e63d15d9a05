"""Texts within texts, compared with a comparison of all documents. NEARDUP_PROGRAM names the program."""

import json
import random

from harness import A, CommandTest, jsonl, run, words, main, as_json


LEAST_COMMON = 8
JSON = ("--jsonl", "--format", "jsonl")


def containment(a, b):
    common = len(a & b)
    return common / min(len(a), len(b)) if common >= LEAST_COMMON else 0.0


def library(seed, books=12, length=150):
    """Returns long texts, their passages (whole and changed), and passages of passages."""
    rng = random.Random(seed)
    draw = lambda count: [f"w{rng.randrange(1500)}" for _ in range(count)]
    texts = [draw(length) for _ in range(books)]
    for i in range(100):
        source = rng.choice(texts)
        size = min(len(source), rng.randrange(4, 60))
        at = rng.randrange(len(source) - size + 1)
        passage = source[at : at + size]
        for _ in range(rng.choice([0, 0, 1, 2])):
            passage[rng.randrange(size)] = f"w{rng.randrange(1500)}"
        texts.append(passage if i % 7 else draw(size))
    rng.shuffle(texts)
    return [" ".join(text) for text in texts]


class Containment(CommandTest):
    def setUp(self):
        super().setUp()
        texts = library(71)
        texts[20] = "?!"  # without tokens
        texts += [texts[3], "one two", "one two"]
        self.data = jsonl(texts)
        self.file = self.write("c.jsonl", self.data)
        self.sets = {f"d{i}": words(text, 2) for i, text in enumerate(texts) if words(text, 2)}
        self.lines = self.data.splitlines(keepends=True)

    def row(self, a, b):
        sizes = [len(self.all[a]), len(self.all[b])]
        relation = "in" if sizes[0] <= sizes[1] else "holds"
        if self.all[a] == self.all[b]:
            relation = "equals"
        share = as_json(containment(self.all[a], self.all[b]))
        return (a, b, relation, share, len(self.all[a] & self.all[b]), sizes)

    def rows(self, outcome):
        keys = ("relation", "containment", "common", "features")
        done = self.assert_done(outcome).json
        return [(r["a"], r.get("against", r.get("b")), *(r[key] for key in keys)) for r in done]

    def test_pairs_are_all_there_are(self):
        self.all = self.sets
        names = list(self.sets)
        for least in (0.3, 0.8, 1):
            expected = [
                self.row(a, b)
                for i, a in enumerate(names)
                for b in names[i + 1 :]
                if containment(self.sets[a], self.sets[b]) >= least
            ]
            self.assertEqual({row[2] for row in expected}, {"in", "holds", "equals"})
            options = ("pairs", "--check", "containment", "--similarity", least)
            for source, threads in ((self.file, 1), ("-", 3)):
                with self.subTest(least=least, source=source):
                    line = (*options, "--threads", threads, source)
                    self.assertEqual(self.rows(run(*options, *JSON, *line[-3:], data=self.data)), expected)
                    text = run(*options, "--jsonl", *line[-3:], data=self.data).text
                    columns = [row.split("\t")[1:] for row in text.splitlines()]
                    self.assertEqual(columns, [[str(c), str(s[0]), str(s[1]), a, r, b] for a, b, r, _, c, s in expected])

    def test_another_corpus(self):
        """unique drops documents that are within a document of the other corpus, or that contain one."""
        theirs = [" ".join(line.split()) for line in library(71)[:40]] + library(72, books=2)[:20]
        others = {f"o{i}": words(text, 2) for i, text in enumerate(theirs) if words(text, 2)}
        lines = [json.dumps({"id": f"o{i}", "text": text}) + "\n" for i, text in enumerate(theirs)]
        path = self.write("others.jsonl", "".join(lines))
        index = self.folder / "others.neardup"
        self.assert_done(run("index", "--jsonl", "--output", index, path))
        self.all = {**self.sets, **others}
        expected = [
            self.row(b, a) for b in self.sets for a in others if containment(self.sets[b], others[a]) >= 0.8
        ]
        self.assertEqual({row[2] for row in expected}, {"in", "holds", "equals"})
        found = {row[0] for row in expected}
        stays = b"".join(line for i, line in enumerate(self.lines) if f"d{i}" not in found)
        for against in (path, index):
            with self.subTest(against=against):
                options = ("--check", "containment", "--against", against, "--jsonl")
                self.assertEqual(self.rows(run("pairs", *options, "--format", "jsonl", self.file)), expected)
                for source in (self.file, "-"):
                    done = self.assert_done(run("unique", *options, source, data=self.data))
                    self.assertEqual(done.bytes, stays)

    def test_warns_about_items_that_nothing_can_match(self):
        items = ["What is the capital of France?", "one two three four five six seven eight nine", "?!", "too short"]
        path = self.write("items.jsonl", "".join(json.dumps({"id": f"i{i}", "text": t}) + "\n" for i, t in enumerate(items)))
        index = self.folder / "items.neardup"
        self.assert_done(run("index", "--jsonl", "--output", index, path))
        warning = "warning: 2 documents of --against have fewer than 8 features (the first: i0)"
        for verb in ("unique", "pairs", "groups"):
            for against in (path, index):
                options = (verb, "--check", "containment", "--jsonl", "--against", against, self.file)
                self.assertIn(warning, self.assert_done(run(*options)).err)
                self.assertNotIn("warning", self.assert_done(run(*options, "--quiet")).err)
        for options in (("--check", "containment", "--features", "chars:2"), ("--check", "jaccard")):
            done = self.assert_done(run("unique", *options, "--jsonl", "--against", path, self.file))
            self.assertNotIn("warning", done.err)

    def test_says_what_it_means_and_refuses_the_rest(self):
        said = run("pairs", "--check", "containment", "--jsonl", self.file).err.splitlines()[0]
        meant = "--features words:2 --exact --check containment --check-features words:2 --min-similarity 0.8"
        self.assertEqual(said, f"neardup: --similarity 0.8 (the default) means: {meant}")
        text = self.write("a.txt", A)
        for options in (("--distance", 3), ("--kind", "minwise"), ("--weights", "tf"), ("--keep", "longest")):
            for verb in ("groups", "unique"):
                with self.subTest(verb=verb, options=options):
                    done = run(verb, "--check", "containment", *options, text)
                    self.assert_fails(done, options[0], "--check containment")


if __name__ == "__main__":
    main()
