"""Pairs within or across the values of a field (--within, --across), held against comparing each document with each.
NEARDUP_PROGRAM names the program."""

import json
import random

from harness import A, B, CommandTest, connected, corpus, effort, fingerprints, hamming_distance, jaccard, jsonl, law
from harness import represented, run, unless_short, words, main


def labelled(texts, seed, values=("en", "de", 3, "zh \u4e2d")):
    rng = random.Random(seed)
    return [{"id": f"d{i}", "text": text, "lang": rng.choice(values)} for i, text in enumerate(texts)]


def as_lines(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


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
        self.assertGreater(total, 5)

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
        edits = {(a, b): 1 - law.edits_between(text[a], text[b]) / max(len(text[a]), len(text[b])) for a in text for b in text if a < b}
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
        for verb in (["pairs", "--against"], ["unique", "--add-to"], ["query", "--index"], ["index", "--output", self.folder / "j", "--index"]):
            fails([f"--within lang: {index} keeps no values of a field; make it with neardup index --within lang"],
                  verb[0], "--jsonl", *verb[1:], index, "--within", "lang", "-")
        fails(["--within"], "verify", "--within", "lang", "-")


class Indexed(CommandTest):
    """An index that keeps the values of a field: `index --within`, `query`, `--against` and `--add-to`."""

    # options of the comparison and of the index, and the closeness of two records by their texts, sets and codes
    def kinds(self, records):
        text = {record["id"]: record["text"] for record in records}
        sets = {name: words(one, 2) for name, one in text.items()}
        prints = fingerprints(as_lines(records), "--kind", "simhash")
        code = {record["id"]: int(record["code"], 16) for record in records}
        wide = {record["id"]: int(record["wide"], 16) for record in records}

        def least(measure, limit):
            return lambda a, b: found if (found := measure(a, b)) >= limit else None

        def bits(codes, limit):
            return lambda a, b: -apart if (apart := hamming_distance(codes[a], codes[b])) <= limit else None

        share = lambda a, b: jaccard(sets[a], sets[b])
        cosine = lambda a, b: len(sets[a] & sets[b]) / (len(sets[a]) * len(sets[b])) ** 0.5
        by_code = ("--code-field", "code", "--distance", "3")
        yield (), ("--similarity", "0.5"), ("--similarity", "0.5"), least(share, 0.5)
        yield (), ("--similarity", "0.3"), ("--similarity", "0.8"), least(share, 0.3)  # below that of the index
        yield ("--keep-postings",), ("--check", "cosine", "--similarity", "0.7"), (), least(cosine, 0.7)
        yield (), ("--distance", "6"), ("--kind", "simhash", "--distance", "8"), bits(prints, 6)
        yield (), by_code, by_code, bits(code, 3)
        yield (), ("--code-field", "wide", *by_code[2:]), ("--code-field", "wide", *by_code[2:]), bits(wide, 3)

    def records(self, count, seed, values=("en", "de", 3, "zh \u4e2d")):
        """Documents of at least 8 pairs of words, which fingerprints alone compare."""
        rng = random.Random(seed)
        texts = [text + " " + text[::-1] for text in corpus(3 * count, seed) if len(words(text, 2)) >= 8][:count]
        few = {64: [rng.getrandbits(64) for _ in range(12)], 96: [rng.getrandbits(96) for _ in range(12)]}
        near = lambda bits: rng.choice(few[bits]) ^ (1 << rng.randrange(bits)) ^ (1 << rng.randrange(bits))
        return [{**record, "code": f"{near(64):016x}", "wide": f"{near(96):024x}"} for record in labelled(texts, seed, values)]

    def paired(self, records, closeness, agrees):
        value = {record["id"]: str(record["lang"]) for record in records}
        return lambda a, b: closeness(a, b) if (value[a] == value[b]) == agrees else None

    def test_query_finds_what_pairs_against_finds(self):
        records = self.records(effort(160, 240), 21)
        known, rest = records[: len(records) // 2], records[len(records) // 2 :]
        ours, theirs = self.write("a.jsonl", as_lines(rest)), self.write("b.jsonl", as_lines(known))
        for kept, compared, made_with, closeness in self.kinds(records):
            for option, agrees in (("--within", True), ("--across", False)):
                near = self.paired(records, closeness, agrees)
                wanted = sorted((a["id"], b["id"]) for a in rest for b in known if near(a["id"], b["id"]) is not None)
                self.assertGreater(len(wanted), 0, (compared, option))
                index = self.folder / f"i{option}"
                self.assert_done(run("index", "--jsonl", *kept, *made_with, option, "lang", "--output", index, theirs))
                with self.subTest(compared=compared, option=option):
                    found = lambda done, b: sorted((row.get("id", row.get("a")), row[b]) for row in self.assert_done(done).json)
                    for asked in ((), (option, "lang")):
                        done = run("query", "--jsonl", "--format", "jsonl", *compared, *asked, "--index", index, ours)
                        self.assertEqual(found(done, "indexed"), wanted)
                        self.assertIn(f": {len(wanted):,} near-duplicate", done.err)
                        done = run("pairs", "--jsonl", "--format", "jsonl", *compared, *asked, "--against", index, ours)
                        self.assertEqual(found(done, "against"), wanted)
                    if "--distance" not in compared:
                        done = run("pairs", "--jsonl", "--format", "jsonl", *compared, option, "lang", "--against", theirs, ours)
                        self.assertEqual(found(done, "against"), wanted)
                    # The other rule, of the same values.
                    other = "--across" if agrees else "--within"
                    near = self.paired(records, closeness, not agrees)
                    wanted = sorted((a["id"], b["id"]) for a in rest for b in known if near(a["id"], b["id"]) is not None)
                    done = run("query", "--jsonl", "--format", "jsonl", *compared, other, "lang", "--index", index, ours)
                    self.assertEqual(found(done, "indexed"), wanted)

    def originals(self, *arguments, **more):
        """Document -> original, of unique."""
        dropped = self.folder / "dropped"
        done = self.assert_done(run("unique", "--jsonl", "--dropped", dropped, *arguments, **more))
        label = {row["id"]: row["id"] for row in done.json}
        for row in map(json.loads, dropped.read_text().splitlines()):
            label[row["id"]] = row.get("against", row.get("kept"))
        return label

    def test_added_in_batches_it_decides_as_one_run(self):
        for seed in range(effort(1, 3)):
            records = self.records(effort(180, 260), 31 + seed)
            rng = random.Random(seed)
            for number, (kept, compared, made_with, closeness) in enumerate(self.kinds(records)):
                for option, agrees in (("--within", True), ("--across", False)):
                    near = self.paired(records, closeness, agrees)
                    wanted = represented([record["id"] for record in records], near)
                    self.assertGreater(sum(wanted[name] != name for name in wanted), 2, (compared, option))
                    index = self.folder / f"i{number}{option}"
                    width = ("--bits", {"code": 64, "wide": 96}[made_with[1]]) if "--code-field" in made_with else ()
                    self.assert_done(run("index", "--jsonl", *kept, *made_with, *width, option, "lang", "--output", index, "-"))
                    label, begin = {}, 0
                    while begin < len(records):
                        end = begin + rng.choice([1, 7, 40, 90])
                        batch = as_lines(records[begin:end])
                        ours = self.write("batch.jsonl", batch) if rng.random() < 0.5 else "-"
                        begin = end
                        how = (rng.choice(["--compact=now", "--compact=never", "--compact=auto"]), "--threads", rng.choice([1, 2]))
                        label.update(self.originals(*compared, *how, "--add-to", index, ours, data=batch if ours == "-" else b""))
                    with self.subTest(compared=compared, option=option):
                        self.assertEqual(label, wanted)

    def test_a_program_that_waits_gets_each_answer(self):
        index = self.folder / "i"
        self.assert_done(run("index", "--jsonl", "--within", "lang", "--output", index, "-"))
        line = lambda name, lang, text=A: json.dumps({"id": name, "lang": lang, "text": text}).encode() + b"\n"
        pieces = [(line("a", "en"), line("a", "en")), (line("b", "de"), line("b", "de")), (line("c", "en"), b""),
                  (line("d", "de", B), line("d", "de", B)), (line("e", "fr"), line("e", "fr")), (line("f", "fr"), b""),
                  (line("g", "de", B), b""), (line("h", "en", B), line("h", "en", B))]
        self.assert_answers_at_once(["unique", "--jsonl", "--add-to", index, "-"], pieces)

    def test_changes_and_rebuilt_indexes_answer_alike(self):
        records, total = self.records(90, 41), 0
        for kept, compared, made_with, closeness in list(self.kinds(records))[::2]:
            first, more, again = records[:40], records[40:60], [{**record, "lang": "en"} for record in records[:10]]
            index, copy = self.folder / "i", self.folder / "j"
            asked = ("index", "--jsonl", *(word for word in made_with if word in ("--code-field", "code", "wide")), "--index", index)
            self.assert_done(run("index", "--jsonl", *kept, *made_with, "--within", "lang", "--output", index, "-", data=as_lines(first)))
            never = ("--compact", "never")
            self.assert_done(run(*asked, *never, "--append", "-", data=as_lines(more)))
            self.assert_done(run(*asked, *never, "--replace", "-", data=as_lines(again)))
            self.assert_done(run("index", "--index", index, *never, "--remove", "-", data="d20\nd50\n"))
            known = [record for record in records[10:60] if record["id"] not in ("d20", "d50")] + again
            rest = records[60:]
            near = self.paired(known + rest, closeness, True)
            wanted = sorted((a["id"], b["id"]) for a in rest for b in known if near(a["id"], b["id"]) is not None)
            query = ("query", "--jsonl", "--format", "jsonl", *compared, "-", "--index")
            found = lambda path: sorted((row["id"], row["indexed"]) for row in self.assert_done(run(*query, path, data=as_lines(rest))).json)  # pylint: disable=cell-var-from-loop
            total += len(wanted)
            self.assertEqual(found(index), wanted)
            self.assert_done(run(*asked, "--output", copy, "-"))
            self.assertEqual(found(copy), wanted)
            self.assert_done(run("index", "--index", index, "--compact", "now"))
            self.assertEqual(found(index), wanted)
        self.assertGreater(total, 3)

    def test_equal_codes_of_other_values_do_not_hide_each_other(self):
        line = lambda name, lang: json.dumps({"id": name, "lang": lang, "code": "0123456789abcdef01234567"}) + "\n"
        known, rest = self.write("known.jsonl", line("a", "en") + line("b", "de")), line("c", "de") + line("d", "fr")
        options = ("--jsonl", "--code-field", "code", "--distance", "2")
        index = self.folder / "i"
        self.assert_done(run("index", *options, "--within", "lang", "--output", index, known))
        for against in (known, index):
            self.assertEqual(self.originals(*options[1:], "--within", "lang", "--against", against, "-", data=rest), {"c": "b", "d": "d"})
            self.assertEqual(self.originals(*options[1:], "--across", "lang", "--against", against, "-", data=rest), {"c": "a", "d": "a"})

    def test_many_copies_take_few_matches(self):
        index = self.folder / "i"
        for options in ((), ("--kind", "simhash", "--distance", "3")):
            known = [{"id": f"d{i}", "text": A, "lang": i % 3} for i in range(5000)]
            self.assert_done(run("index", "--jsonl", *options, "--within", "lang", "--output", index, "-", data=as_lines(known)))
            more = [{"id": f"e{i}", "text": A, "lang": i % 4} for i in range(5000)]
            label = self.originals("--add-to", index, "-", data=as_lines(more))
            self.assertEqual(label, {f"e{i}": f"d{i % 4}" if i % 4 < 3 else "e3" for i in range(5000)})

    def test_values_are_compared_as_they_are(self):
        long = "x" * 100_000
        values = ["1", 1, 1.0, "1.0", True, "true", long, long + "y", "\ud800", "\u0000", " ", "a\nb", "\u00e9", "e\u0301"]
        records = [{"id": f"d{i}", "text": A, "lang": value} for i, value in enumerate(values)]
        data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
        data += b'{"id": "bytes", "text": "' + A.encode() + b'", "lang": "\xff"}\n'
        index = self.folder / "i"
        self.assert_done(run("index", "--jsonl", "--within", "lang", "--output", index, "-", data=data))
        done = self.assert_done(run("query", "--jsonl", "--format", "jsonl", "--index", index, "-", data=data))
        found = {}
        for row in done.json:
            found.setdefault(row["id"], []).append(row["indexed"])
        alike = [["d0", "d1"], ["d2", "d3"], ["d4", "d5"], ["d8", "bytes"]]  # a lone surrogate and a wrong byte are U+FFFD
        wanted = {one: sorted(group) for group in alike for one in group}
        self.assertEqual({name: sorted(others) for name, others in found.items()},
                         {**{f"d{i}": [f"d{i}"] for i in range(len(values))}, **wanted})

    def test_bad_input_is_named(self):
        fails = lambda parts, *options, data=b"": self.assert_fails(run(*options, data=data), *parts)
        index, other, plain = self.folder / "i", self.folder / "j", self.folder / "k"
        good = {"id": "a", "text": A, "lang": "en"}
        self.assert_done(run("index", "--jsonl", "--within", "lang", "--output", index, "-", data=as_lines([good])))
        self.assert_done(run("index", "--jsonl", "--across", "split", "--output", other, "-", data=as_lines([{**good, "split": 1}])))
        self.assert_done(run("index", "--jsonl", "--output", plain, "-", data=as_lines([good])))
        size = index.stat().st_size
        for value in ({}, {"lang": None}, {"lang": ["en"]}, {"lang": {"a": 1}}, {"lang": ""}):
            bad = as_lines([{**good, "id": "b"}, {"id": "c", "text": B, **value}])
            wrong = ["standard input:2: no text or number in field 'lang'"]
            fails(wrong, "query", "--jsonl", "--index", index, "-", data=bad)
            fails(wrong, "unique", "--jsonl", "--add-to", index, "-", data=bad)
            fails(wrong, "index", "--jsonl", "--index", index, "--append", "-", data=bad)
            fails(wrong, "index", "--jsonl", "--within", "lang", "--output", self.folder / "none", "-", data=bad)
            fails(wrong, "pairs", "--jsonl", "--against", index, "-", data=bad)
        self.assertEqual(index.stat().st_size, size)
        self.assertFalse(index.with_name("i.neardup-log").exists())
        self.assertFalse((self.folder / "none").exists())
        fails([f"--within split: {index} keeps the values of the field lang"], "query", "--jsonl", "--within", "split", "--index", index, "-")
        fails(["--within and --across do not go together"], "query", "--jsonl", "--within", "lang", "--across", "lang", "--index", index, "-")
        fails(["--within lang, as the index was made, needs --jsonl, or another format of records"], "query", "--lines", "--index", index, "-")
        fails(["--within lang needs --jsonl, or another format of records"], "index", "--lines", "--within", "lang", "--output", plain, "-")
        fails(["--within with --append: an index that is changed answers what it was made for"],
              "index", "--jsonl", "--index", index, "--append", "--within", "lang", "-")
        for first, second in ((index, other), (index, plain), (plain, index)):
            fails([f"{first} and {second}: made with other values of --within or --across"],
                  "pairs", "--jsonl", "--against", first, "--against", second, "-")
        fails(["keeps no values of a field"], "pairs", "--jsonl", "--within", "lang", "--against", index, "--against", plain, "-")
        fails(["has no line end"], "index", "--jsonl", "--within", "a\nb", "--output", plain, "-")
        fails(["--audit with --within"], "unique", "--jsonl", "--against", index, "--audit", "3", "x.html", "-")

    def test_damage_is_found(self):
        records = labelled(corpus(40, 5), 5)
        index = self.folder / "i"
        self.assert_done(run("index", "--jsonl", "--within", "lang", "--output", index, "-", data=as_lines(records)))
        self.assert_damage_is_found(index, as_lines(records), as_lines(records[:9]))


if __name__ == "__main__":
    main()
