"""Documents of few features in an index of fingerprints, compared with a comparison of all documents.
NEARDUP_PROGRAM names the program."""

import json
import random

from harness import CommandTest, effort, fingerprints, hamming_distance, jsonl, represented, run, words, main


def as_lines(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


class Short(CommandTest):
    """An index of fingerprints knows which documents are short. A document of fewer than 8 features matches only
    documents with the same features, as in a run without an index."""

    def options(self):
        for features in ("words:1", "words:2"):
            for kind in ("simhash", "minwise"):
                for bits in (64, 128):
                    yield ("--features", features, "--kind", kind, "--bits", bits), int(features[-1])

    def records(self, count, seed):
        rng = random.Random(seed)
        texts = []
        for _ in range(count):
            text = rng.choice(texts).split() if texts and rng.random() < 0.6 else []
            if text and rng.random() < 0.5:
                text[rng.randrange(len(text))] = f"w{rng.randrange(30)}"
            elif rng.random() < 0.2:
                rng.shuffle(text)
            text = text or [f"w{rng.randrange(30)}" for _ in range(rng.randrange(1, 13))]
            texts.append(" ".join(text))
        return [{"id": f"d{i}", "text": text} for i, text in enumerate(texts)]

    def rule(self, records, made_with, size, distance):
        """Returns two functions for the closeness of two documents within a distance: with the rule for short
        documents, and without it."""
        prints = fingerprints(as_lines(records), *made_with)
        sets = {record["id"]: words(record["text"], size) for record in records}

        def bits(a, b):
            apart = hamming_distance(prints[a], prints[b])
            return -apart if apart <= distance else None

        few = lambda a, b: min(len(sets[a]), len(sets[b])) < 8
        return (lambda a, b: None if few(a, b) and sets[a] != sets[b] else bits(a, b)), bits

    def cases(self, count, seed):
        """Yields the options of an index, a distance, the records, and the two functions of rule()."""
        for number, (made_with, size) in enumerate(self.options()):
            records = self.records(count, seed + number)
            distance = 3 + (number + seed) % 6
            yield made_with, distance, records, *self.rule(records, made_with, size, distance)

    def matches(self, done, key):
        return sorted((row.get("id", row.get("a")), row[key]) for row in self.assert_done(done).json)

    def test_query_finds_what_pairs_against_finds(self):
        apart = 0
        for made_with, distance, records, near, bits in self.cases(effort(160, 300), 51):
            known, rest = records[: len(records) // 2], records[len(records) // 2 :]
            ours, theirs = self.write("a.jsonl", as_lines(rest)), self.write("b.jsonl", as_lines(known))
            between = lambda closeness: sorted((a["id"], b["id"]) for a in rest for b in known if closeness(a["id"], b["id"]) is not None)  # pylint: disable=cell-var-from-loop
            wanted = between(near)
            apart += len(between(bits)) - len(wanted)
            index = self.folder / "i"
            self.assert_done(run("index", "--jsonl", *made_with, "--distance", 8, "--output", index, theirs))
            asked = ("--jsonl", "--format", "jsonl", "--distance", distance)
            with self.subTest(made_with=made_with, distance=distance):
                for more in ((), ("--threads", 1)):
                    self.assertEqual(self.matches(run("query", *asked, *more, "--index", index, ours), "indexed"), wanted)
                    self.assertEqual(self.matches(run("pairs", *asked, *more, "--against", index, ours), "against"), wanted)
                self.assertEqual(self.matches(run("pairs", *asked, *made_with, "--against", theirs, ours), "against"), wanted)
                kept = {a for a, _ in wanted}
                done = self.assert_done(run("unique", "--jsonl", "--distance", distance, "--against", index, ours))
                self.assertEqual([row["id"] for row in done.json], [a["id"] for a in rest if a["id"] not in kept])
        self.assertGreater(apart, 0)  # so the rule makes a difference

    def test_added_in_batches_it_decides_as_one_run(self):
        apart = 0
        for made_with, distance, records, near, bits in self.cases(effort(160, 300), 61):
            rng = random.Random(distance)
            names = [record["id"] for record in records]
            wanted = represented(names, near)
            by_bits = represented(names, bits)
            apart += sum(wanted[name] != by_bits[name] for name in names)
            index, label, begin = self.folder / "i", {}, 0
            self.assert_done(run("index", "--jsonl", *made_with, "--distance", 8, "--output", index, "-"))
            dropped = self.folder / "dropped"
            while begin < len(records):
                end = begin + rng.choice([1, 7, 40, 90])
                batch = as_lines(records[begin:end])
                ours = self.write("batch.jsonl", batch) if rng.random() < 0.5 else "-"
                begin = end
                how = (rng.choice(["--compact=now", "--compact=never", "--compact=auto"]), "--threads", rng.choice([1, 2]))
                done = self.assert_done(run("unique", "--jsonl", "--distance", distance, *how, "--dropped", dropped, "--add-to", index,
                                            ours, data=batch if ours == "-" else b""))
                label.update({row["id"]: row["id"] for row in done.json})
                for row in map(json.loads, dropped.read_text().splitlines()):
                    label[row["id"]] = row.get("against", row.get("kept"))
            with self.subTest(made_with=made_with, distance=distance):
                self.assertEqual(label, wanted)
                done = run("unique", "--jsonl", *made_with, "--distance", distance, "-", data=as_lines(records))
                self.assertEqual([row["id"] for row in done.json], [name for name in names if label[name] == name])
        self.assertGreater(apart, 0)

    def test_changes_and_rebuilt_indexes_answer_alike(self):
        apart = 0
        for made_with, distance, records, _, _ in self.cases(160, 71):
            # Documents are replaced by the texts of other documents, most of which are short.
            first, more = records[:50], records[50:80]
            again = [{**record, "text": records[80 + i]["text"]} for i, record in enumerate(records[:20])]
            rest = [{**record, "id": f"q{i}"} for i, record in enumerate(records[50:])]
            index, copy, never = self.folder / "i", self.folder / "j", ("--compact", "never")
            self.assert_done(run("index", "--jsonl", *made_with, "--distance", 8, "--output", index, "-", data=as_lines(first)))
            asked = ("index", "--jsonl", "--index", index)
            self.assert_done(run(*asked, *never, "--append", "-", data=as_lines(more)))
            self.assert_done(run(*asked, *never, "--replace", "-", data=as_lines(again)))
            self.assert_done(run("index", "--index", index, *never, "--remove", "-", data="d30\nd60\n"))
            known = [record for record in records[20:80] if record["id"] not in ("d30", "d60")] + again
            near, bits = self.rule(known + rest, made_with, int(made_with[1][-1]), distance)
            between = lambda closeness: sorted((a["id"], b["id"]) for a in rest for b in known if closeness(a["id"], b["id"]) is not None)  # pylint: disable=cell-var-from-loop
            wanted = between(near)
            apart += len(between(bits)) - len(wanted)
            query = ("query", "--jsonl", "--format", "jsonl", "--distance", distance, "-", "--index")
            found = lambda path: self.matches(run(*query, path, data=as_lines(rest)), "indexed")  # pylint: disable=cell-var-from-loop
            with self.subTest(made_with=made_with, distance=distance):
                self.assertEqual(found(index), wanted)
                self.assert_done(run(*asked, "--output", copy, "-"))
                self.assertEqual(found(copy), wanted)
                self.assert_done(run("index", "--index", index, "--compact", "now"))
                self.assertEqual(found(index), wanted)
        self.assertGreater(apart, 0)

    def test_many_copies_of_two_short_documents_do_not_hide_each_other(self):
        one, other = "w31 w3 w23 w1 w15 w12", "w12 w3 w23 w1 w15 w12"
        made_with = ("--jsonl", "--kind", "minwise", "--distance", 8)
        prints = fingerprints(jsonl([one, other]), "--kind", "minwise")
        self.assertLessEqual(hamming_distance(prints["d0"], prints["d1"]), 8)
        index = self.folder / "i"
        self.assert_done(run("index", *made_with, "--output", index, "-", data=jsonl([one, other] * 2000)))
        done = self.assert_done(run("unique", "--jsonl", "--add-to", index, "-", data=jsonl([other, one] * 2000, 10**6)))
        self.assertEqual(done.text, "")

    def test_lists_do_not_tell_what_is_short(self):
        records = self.records(240, 81)
        lists, index, mixed = self.folder / "list", self.folder / "i", self.folder / "m"
        made_with = ("--features", "words:1", "--kind", "minwise")
        self.assert_done(run("hash", "--jsonl", "--format", "bin", *made_with, "--output", lists, "-", data=as_lines(records)))
        near, bits = self.rule(records, made_with, 1, 8)
        names = [record["id"] for record in records]
        wanted = sorted((a, b) for a in names for b in names if bits(a, b) is not None)
        self.assertGreater(len(wanted), sum(near(a, b) is not None for a in names for b in names))
        self.assert_done(run("index", "--jsonl", *made_with, "--distance", 8, "--output", index, "-", data=as_lines(records)))
        self.assert_done(run("index", "--fingerprints", "--features", "words:1", "--distance", 8, "--output", mixed, lists))
        plain = [(a[1:], b) for a, b in wanted]
        query = ("query", "--format", "jsonl", "--index")
        self.assertEqual(self.matches(run(*query, index, "--fingerprints", lists), "indexed"), sorted(plain))
        self.assertEqual(self.matches(run(*query, mixed, "--jsonl", "-", data=as_lines(records)), "indexed"),
                         sorted((a, b[1:]) for a, b in wanted))
        pairs = ("pairs", "--format", "jsonl", "--distance", 8, "--against")
        self.assertEqual(self.matches(run(*pairs, index, "--fingerprints", lists), "against"), sorted(plain))
        self.assertEqual(self.matches(run(*pairs, mixed, "--jsonl", "-", data=as_lines(records)), "against"),
                         sorted((a, b[1:]) for a, b in wanted))

    def test_damage_is_found(self):
        records = self.records(40, 95)
        index = self.folder / "i"
        self.assert_done(run("index", "--jsonl", "--distance", 5, "--output", index, "-", data=as_lines(records)))
        self.assert_damage_is_found(index, as_lines(records), as_lines(records[:9]))

    def test_an_index_that_does_not_know_what_is_short_is_refused(self):
        index = self.folder / "i"
        data = as_lines(self.records(20, 91))
        self.assert_done(run("index", "--jsonl", "--distance", 3, "--output", index, "-", data=data))
        whole = index.read_bytes()
        settings = b"features-and-digests words:2\n"
        self.assertEqual(whole.count(settings), 1)
        index.write_bytes(whole.replace(settings, b"features words:2\nof an-earlier\n"[: len(settings) - 1] + b"\n"))
        for verb in (("query", "--index"), ("unique", "--against"), ("pairs", "--against"), ("unique", "--add-to"), ("index", "--append", "--index")):
            self.assert_fails(run(verb[0], "--jsonl", *verb[1:], index, "-", data=data),
                              f"{index}: an index of fingerprints by an earlier version", "make it anew from the texts")


if __name__ == "__main__":
    main()
