"""Pairs within or across the values of a field (--within, --across), held against comparing each document with each.
NEARDUP_PROGRAM names the program."""

import json
import random

from harness import A, CommandTest, connected, corpus, effort, fingerprints, hamming_distance, jaccard, jsonl
from harness import represented, run, unless_short, words, main


def labelled(texts, seed, values=("en", "de", 3, "zh \u4e2d")):
    rng = random.Random(seed)
    return [{"id": f"d{i}", "text": text, "lang": rng.choice(values)} for i, text in enumerate(texts)]


def as_lines(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def edit_similarity(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return 1 - row[-1] / max(len(a), len(b))


class Pairing(CommandTest):
    def check(self, records, closeness, *options, order=None):
        """Compares pairs, groups and unique with `closeness(a, b)` of two ids, a number, or None if they do not match."""
        value = {record["id"]: str(record["lang"]) for record in records}
        names = [record["id"] for record in records]
        data = as_lines(records)
        path = self.write("r.jsonl", data)
        total = 0
        for option, agrees in (("--within", True), ("--across", False)):
            near = lambda a, b: closeness(a, b) if (value[a] == value[b]) == agrees else None  # pylint: disable=cell-var-from-loop
            expected = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if near(a, b) is not None]
            total += len(expected)
            common = (option, "lang", "--jsonl", *options, path)
            done = self.assert_done(run("pairs", "--format", "jsonl", *common))
            self.assertEqual(sorted((row["a"], row["b"]) for row in done.json), sorted(expected))
            self.assertIn(f": {len(expected):,} pair", done.err.replace("\u202f", ","))
            label = represented(order or names, near)
            groups = {}
            for name in names:
                groups.setdefault(label[name], []).append(name)
            members = {first: sorted(group) for first, group in groups.items() if len(group) > 1}
            done = self.assert_done(run("groups", "--format", "jsonl", *common))
            found = {row["members"][0]["id"]: sorted(member["id"] for member in row["members"]) for row in done.json}
            self.assertEqual(found, members)
            done = self.assert_done(run("unique", *common))
            self.assertEqual([row["id"] for row in done.json], [name for name in names if label[name] == name])
            if order is None:
                whole = connected(names, [(a, b) for a, b in expected])
                done = self.assert_done(run("unique", "--grouping", "components", *common))
                self.assertEqual([row["id"] for row in done.json], [name for name in names if whole[name] == name])
        self.assertGreater(total, 20)

    def similar(self, records, measure, least):
        def closeness(a, b):
            found = measure(a, b)
            return found if found >= least else None

        return closeness

    def test_sets_in_memory_and_by_partitions(self):
        for seed in range(effort(1, 3)):
            records = labelled(corpus(effort(120, 300), seed) + ["w1 w2", "w1 w2", "w1 w2"], seed)
            text = {record["id"]: record["text"] for record in records}
            by_pairs = self.similar(records, lambda a, b: jaccard(words(text[a], 2), words(text[b], 2)), 0.6)
            self.check(records, by_pairs, "--similarity", "0.6")
            self.check(records, by_pairs, "--similarity", "0.6", "--memory", "0")
            cosine = lambda a, b: len(words(text[a], 2) & words(text[b], 2)) / (len(words(text[a], 2)) * len(words(text[b], 2))) ** 0.5
            self.check(records, self.similar(records, cosine, 0.7), "--check", "cosine", "--similarity", "0.7")

    def test_more_values_than_a_join_of_each_is_worth(self):
        texts = corpus(40, 3) * 5
        records = labelled(texts, 3, range(70))
        text = {record["id"]: record["text"] for record in records}
        by_pairs = self.similar(records, lambda a, b: jaccard(words(text[a], 2), words(text[b], 2)), 0.6)
        self.check(records, by_pairs, "--similarity", "0.6")

    def test_containment_edits_and_equal_sets(self):
        records = labelled(corpus(effort(80, 160), 7), 7)
        text = {record["id"]: record["text"] for record in records}
        sets = {name: words(one, 2) for name, one in text.items()}
        contained = lambda a, b: len(sets[a] & sets[b]) / min(len(sets[a]), len(sets[b])) if len(sets[a] & sets[b]) >= 8 else 0
        largest_first = sorted(sets, key=lambda name: -len(sets[name]))
        self.check(records, self.similar(records, contained, 0.7), "--check", "containment", "--similarity", "0.7", order=largest_first)
        self.check(records, self.similar(records, lambda a, b: jaccard(sets[a], sets[b]), 1), "--similarity", "1")
        edits = {(a, b): edit_similarity(text[a], text[b]) for a in text for b in text if a < b}
        self.check(records, self.similar(records, lambda a, b: edits[min(a, b), max(a, b)], 0.7), "--check", "edit", "--similarity", "0.7")

    def test_fingerprints_and_codes(self):
        records = labelled(corpus(effort(100, 250), 9), 9)
        texts = [record["text"] for record in records]
        prints = fingerprints(as_lines(records))
        similar = unless_short(texts)
        def close(a, b):
            apart = hamming_distance(prints[a], prints[b])
            return -apart if apart <= 8 and similar(a, b) else None
        self.check(records, close, "--distance", "8")
        sets = {record["id"]: words(record["text"], 2) for record in records}
        def checked(a, b):
            found = jaccard(sets[a], sets[b])
            return found if found >= 0.5 and hamming_distance(prints[a], prints[b]) <= 12 else None
        self.check(records, checked, "--distance", "12", "--kind", "simhash", "--min-similarity", "0.5")
        rng = random.Random(4)
        codes = [rng.getrandbits(64) for _ in range(20)]
        for record in records:
            record["code"] = f"{rng.choice(codes) ^ (1 << rng.randrange(64)) ^ (1 << rng.randrange(64)):016x}"
        code = {record["id"]: int(record["code"], 16) for record in records}
        def near(a, b):
            apart = hamming_distance(code[a], code[b])
            return -apart if apart <= 3 else None
        self.check(records, near, "--code-field", "code", "--distance", "3")

    def test_another_corpus(self):
        records = labelled(corpus(160, 11), 11)
        known, rest = records[:80], records[80:]
        ours, theirs = self.write("a.jsonl", as_lines(rest)), self.write("b.jsonl", as_lines(known))
        sets = {record["id"]: words(record["text"], 2) for record in records}
        value = {record["id"]: str(record["lang"]) for record in records}
        for option, agrees in (("--within", True), ("--across", False)):
            match = lambda a, b: jaccard(sets[a], sets[b]) if jaccard(sets[a], sets[b]) >= 0.5 and (value[a] == value[b]) == agrees else None  # pylint: disable=cell-var-from-loop
            common = ("--jsonl", "--similarity", "0.5", option, "lang", "--against", theirs)
            done = self.assert_done(run("pairs", "--format", "jsonl", *common, ours))
            expected = sorted((a["id"], b["id"]) for a in rest for b in known if match(a["id"], b["id"]))
            self.assertEqual(sorted((row["a"], row["against"]) for row in done.json), expected)
            self.assertGreater(len(expected), 5)
            done = self.assert_done(run("unique", *common, ours))
            dropped = {a for a, _ in expected}
            self.assertEqual([row["id"] for row in done.json], [record["id"] for record in rest if record["id"] not in dropped])
            kept = [record["id"] for record in known]
            for record in rest:
                if not any(match(record["id"], one) for one in kept):
                    kept.append(record["id"])
            done = self.assert_done(run("unique", "--also-within", *common, ours))
            self.assertEqual([row["id"] for row in done.json], kept[len(known):])

    def test_copies_of_one_text_take_few_pairs(self):
        records = [{"id": f"d{i}", "text": A, "lang": i % 3} for i in range(20_000)]
        done = self.assert_done(run("unique", "--jsonl", "--within", "lang", "-", data=as_lines(records)))
        self.assertEqual([row["id"] for row in done.json], ["d0", "d1", "d2"])

    def test_tables_mail_by_and_report(self):
        table = f"text,lang\n{A},en\n{A},de\n{A},en\n"
        done = self.assert_done(run("unique", "--input-format", "csv", "--within", "lang", "-", data=table))
        self.assertEqual(done.text, f"text,lang\n{A},en\n{A},de\n")
        done = self.assert_done(run("unique", "--input-format", "csv", "--across", "lang", "--by", "field:lang", "-", data=table))
        self.assertEqual(done.text, f"text,lang\n{A},en\n{A},en\n")
        page = self.folder / "page.html"
        done = self.assert_done(run("report", "--input-format", "csv", "--within", "lang", "--output", page, "-", data=table))
        self.assertIn("1 group", done.err)
        done = self.assert_done(run("groups", "--input-format", "csv", "--annotate", "--across", "lang", "-", data=table))
        self.assertEqual(done.text.splitlines()[1:], [f"{A},en,0,-:2,1,2", f"{A},de,0,-:2,1,2", f"{A},en,,,,"])

    def test_bad_input_is_named(self):
        fails = lambda parts, *options, data=b"": self.assert_fails(run(*options, data=data), *parts)
        data = as_lines([{"text": A, "lang": "en"}, {"text": A}, {"text": A, "lang": None}])
        for verb in ("pairs", "groups", "unique"):
            fails(["standard input:2: no text or number in field 'lang'"], verb, "--jsonl", "--within", "lang", "-", data=data)
        done = run("pairs", "--jsonl", "--within", "lang", "--skip-bad", "-", data=data)
        self.assertEqual(done.text, "")
        self.assertIn("standard input:3", done.err)
        path = self.write("t.csv", "text,split\na b,x\n")
        fails([str(path), "lang"], "pairs", "--input-format", "csv", "--within", "lang", path)
        fails(["--within and --across do not go together"], "pairs", "--jsonl", "--within", "a", "--across", "b", "-")
        fails(["--within '': not the name of a field"], "pairs", "--jsonl", "--within", "", "-")
        fails(["--across lang needs --jsonl, or another format of records"], "unique", "--lines", "--across", "lang", "-")
        fails(["--copies-once with --within"], "pairs", "--jsonl", "--copies-once", "--within", "lang", "-")
        fails(["--by field:other with --within"], "unique", "--jsonl", "--by", "field:other", "--within", "lang", "-")
        for other in (["--copies"], ["--parts", "line", "--output", "x"], ["--audit", "3", "x.html"]):
            fails([other[0] + " with --within"], "unique", "--jsonl", *other, "--within", "lang", "-")
        index = self.folder / "i"
        self.assert_done(run("index", "--jsonl", "--output", index, "-", data=jsonl([A])))
        fails(["--against with --within: an index does not keep fields"], "pairs", "--jsonl", "--within", "lang", "--against", index, "-")
        fails(["--add-to with --within: an index does not keep fields"], "unique", "--jsonl", "--within", "lang", "--add-to", index, "-")
        fails(["--within"], "query", "--index", index, "--within", "lang", "-")
        fails(["--within"], "verify", "--within", "lang", "-")


if __name__ == "__main__":
    main()
