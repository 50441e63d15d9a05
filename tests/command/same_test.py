"""--same: numbers or words that near-duplicates must share, compared with a comparison of all documents.
NEARDUP_PROGRAM names the program."""

import collections
import random
import re

from harness import CommandTest, closeness_in, jaccard, jsonl, members_of, represented, run, words, main

JSON = ("--jsonl", "--format", "jsonl")


def numbers(text):
    """Returns the numbers of a text below. These texts have no dates or lists, and only commas separate thousands."""
    found = re.findall(r"(?<![\w-])-?\d+(?:,\d{3})*(?:\.\d+)?", text.replace("\u2212", "-"))
    return collections.Counter(n.replace(",", "") if n.count(",") > 1 else n for n in found)


def negations(text):
    return collections.Counter(re.findall(r"\b(?:not|no longer)\b", text.lower()))


def notes(count, seed):
    """Returns notes of agents that differ only in numbers and negations."""
    shuffled = random.Random(seed)
    texts = []
    for _ in range(count):
        said = [f"PR {shuffled.choice((260, 480, '1,000,000', 1000000, '1,000', 1000))}" if shuffled.random() < 0.8 else "A pull request"]
        for word in "is merged after the review and the build was green again in the end".split():
            if shuffled.random() > 0.06:
                said.append(word)
            if shuffled.random() < 0.03:
                said.append(shuffled.choice(("not", "no longer", "-2.5", "\u22122.5", "NOT")))
        texts.append(" ".join(said))
    return texts


def expected_pairs(texts, others, least, *facts):
    sets = [words(text, 2) for text in texts + others]
    return {
        (i, j): jaccard(sets[i], sets[j])
        for j in range(len(sets))
        for i in (range(len(texts)) if j >= len(texts) else range(j) if not others else ())
        if jaccard(sets[i], sets[j]) >= least
        and all(fact((texts + others)[i]) == fact((texts + others)[j]) for fact in facts)
    }


class Same(CommandTest):
    def setUp(self):
        super().setUp()
        self.negations = self.write("negations.txt", "not\nNo longer\n")
        self.demands = (
            (("--same", "numbers"), (numbers,)),
            (("--same", f"words:{self.negations}"), (negations,)),
            (("--same", "numbers", "--same", f"words:{self.negations}"), (numbers, negations)),
        )

    def test_pairs_are_those_that_agree(self):
        texts = notes(150, 1)
        plain = expected_pairs(texts, [], 0.6)
        for options, facts in self.demands:
            expected = expected_pairs(texts, [], 0.6, *facts)
            self.assertTrue(50 < len(expected) < 0.9 * len(plain))
            for by in ((), ("--exact",), ("--distance", 63, "--min-similarity", 0.6), ("--check", "cosine")):
                least = () if "--min-similarity" in by else ("--similarity", 0.6)
                done = self.assert_done(run("pairs", *JSON, *by, *least, *options, "-", data=jsonl(texts)))
                found = {(int(row["a"][1:]), int(row["b"][1:])): row["similarity"] for row in done.json}
                if "cosine" in by:
                    self.assertTrue(set(expected) <= set(found))
                    self.assertTrue(all(fact(texts[a]) == fact(texts[b]) for a, b in found for fact in facts))
                else:
                    self.assertEqual(set(found), set(expected), (options, by))
                    self.assertTrue(all(abs(found[pair] - s) < 1e-6 for pair, s in expected.items()))

    def test_groups_and_unique_are_those_that_agree(self):
        texts = notes(200, 2)
        for options, facts in self.demands:
            near = expected_pairs(texts, [], 0.6, *facts)
            label = represented(range(len(texts)), closeness_in(near))
            data = jsonl(texts)
            done = self.assert_done(run("unique", "--jsonl", "--similarity", 0.6, *options, "-", data=data))
            kept = [line for i, line in enumerate(data.decode().splitlines()) if label[i] == i]
            self.assertEqual(done.text.splitlines(), kept)
            done = self.assert_done(run("groups", *JSON, "--similarity", 0.6, *options, "-", data=data))
            self.assertEqual([[int(member["id"][1:]) for member in row["members"]] for row in done.json], members_of(label))

    def test_another_corpus_must_agree_too(self):
        texts, others = notes(120, 3), notes(60, 4)
        path = self.write("others.jsonl", jsonl(others))
        for options, facts in self.demands:
            near = {i for i, _ in expected_pairs(texts, others, 0.6, *facts)}
            data = jsonl(texts)
            done = self.assert_done(run("unique", "--jsonl", "--similarity", 0.6, "--against", path, *options, "-", data=data))
            kept = [line for i, line in enumerate(data.decode().splitlines()) if i not in near]
            self.assertEqual(done.text.splitlines(), kept)
            self.assertTrue(0 < len(near) < len(texts))
            done = self.assert_done(run("pairs", *JSON, "--similarity", 0.6, "--against", path, *options, "-", data=data))
            self.assertEqual({(row["a"], row["against"]) for row in done.json},
                             {(f"d{i}", f"d{j - len(texts)}") for i, j in expected_pairs(texts, others, 0.6, *facts)})

    def test_numbers_and_words_are_read_in_any_dress(self):
        listed = self.write("accents.txt", "n\u00e3o\n")
        for same, a, b, agree in (
            ("numbers", ".5 mg", "0.5 mg", True), ("numbers", ".5 mg", "5 mg", False), ("numbers", "-$5", "$5", False),
            ("numbers", "1e-5 mol", "1e5 mol", False), ("numbers", "\uff0d5 mol", "-5 mol", True),
            ("numbers", "10\u00b2 m", "10\u00b3 m", False), ("numbers", "1\u00bd cups", "1 1/2 cups", True),
            ("numbers", "1\u00bd cups", "1 cups", False), ("numbers", "point \u2460", "point \u2461", False),
            ("numbers", "on 3/4/2025", "on 4/3/2025", False), ("numbers", "1\u2007234 t", "1234 t", True),
            ("numbers", "12\u00ad345 t", "12345 t", True), ("numbers", "\uff11\uff0c\uff12\uff13\uff14\uff0c\uff15\uff16\uff17 t", "1234567 t", True),
            ("numbers", "1,500 t", "1500 t", False), ("numbers", "+5 t", "5 t", True), ("numbers", "5% off", "5 off", False),
            (f"words:{listed}", "na\u0303o vai", "N\u00c3O vai", True), (f"words:{listed}", "nao vai", "n\u00e3o vai", False),
        ):
            texts = "".join(f"the report of the second meeting said that {said} and then it ended\n" for said in (a, b))
            done = self.assert_done(run("pairs", "--lines", "--similarity", 0.3, "--same", same, "-", data=texts))
            self.assertEqual(bool(done.text), agree, (a, b))

    def test_the_command_that_is_meant_says_it(self):
        done = self.assert_done(run("pairs", "--lines", "--similarity", 0.5, "--same", "numbers", "-", data="a b c 1\na b c 2\n"))
        self.assertEqual(done.text, "")
        self.assertIn(" --same numbers", done.err)

    def test_what_cannot_demand_it_is_refused(self):
        texts = self.write("texts.jsonl", jsonl(notes(5, 5)))
        index = f"{self.folder}/kept.index"
        self.assert_done(run("index", "--jsonl", "--output", index, texts))
        empty, bad = self.write("empty.txt", "\n"), self.write("bad.txt", "not\n---\n")
        for arguments, why in (
            (("--same", "names"), "--same 'names': must be numbers, or words:FILE"),
            (("--same", "words:"), "--same 'words:': must be numbers, or words:FILE"),
            (("--same", f"words:{empty}"), "the file has no words"),
            (("--same", f"words:{bad}"), "bad.txt:2: no word"),
            (("--same", "words:/nowhere/at/all"), "--same: cannot open /nowhere/at/all"),
            (("--same", "numbers", "--distance", 3), "--distance with --same"),
            (("--same", "numbers", "--check", "edit"), "--check edit with --same"),
            (("--same", "numbers", "--weights", "idf"), "--weights idf with --same"),
            (("--same", "numbers", "--top", 5), "--top with --same"),
            (("--same", "numbers", "--text-field", "text", "--text-field", "id"), "--text-field with --same"),
            (("--same", "numbers", "--against", index), "--against with --same: an index does not keep"),
        ):
            self.assert_fails(run("pairs", "--jsonl", *arguments, texts), why)
        for arguments, why in (
            (("--add-to", index), "--add-to with --same"),
            (("--parts", "line"), "--same"),
        ):
            self.assert_fails(run("unique", "--jsonl", "--same", "numbers", *arguments, texts), why)
        for verb in ("query", "index", "hash", "tokens", "advise"):
            self.assert_fails(run(verb, "--same", "numbers", texts), "unknown option --same")


if __name__ == "__main__":
    main()
