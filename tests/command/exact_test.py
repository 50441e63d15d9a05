"""What --exact finds, held against comparing each document with each. NEARDUP_PROGRAM names the program."""

import json
import math

from harness import A, CommandTest, characters, connected, corpus, fingerprints, hamming_distance, jaccard, jsonl
from harness import members_of, represented, run, words, main


def cosine(a, b):
    return len(a & b) / math.sqrt(len(a) * len(b)) if a and b else 0.0


MEASURES = {"jaccard": jaccard, "cosine": cosine}
JSON = ("--jsonl", "--format", "jsonl")


def matches(sets, measure, least):
    names = list(sets)
    return {
        (a, b): measure(sets[a], sets[b])
        for i, a in enumerate(names)
        for b in names[i + 1 :]
        if sets[a] & sets[b] and measure(sets[a], sets[b]) >= least
    }


def sets_of(texts, prefix="d"):
    """Of those that have tokens."""
    return {f"{prefix}{i}": words(text, 2) for i, text in enumerate(texts) if words(text, 2)}


class Exact(CommandTest):
    def setUp(self):
        super().setUp()
        self.texts = corpus(240, 61)
        self.texts[17] = self.texts[130] = "?!"  # without tokens
        self.texts += [f"{self.texts[5]} end"] + ["one", "two", "one"]
        self.data = jsonl(self.texts)
        self.file = self.write("c.jsonl", self.data)
        self.sets = sets_of(self.texts)

    def test_pairs_are_all_there_are(self):
        of_kind = {kind: fingerprints(self.data, "--kind", kind) for kind in ("minwise", "simhash")}
        for measure, similarity in MEASURES.items():
            for least in (0.3, 0.5, 0.8, 1):
                # What is printed is the distance of the fingerprints that would be compared.
                prints = of_kind["minwise" if measure == "jaccard" and least >= 0.5 else "simhash"]
                expected = [
                    (a, b, hamming_distance(prints[a], prints[b]), float(f"{s:.6g}"))
                    for (a, b), s in matches(self.sets, similarity, least).items()
                ]
                self.assertGreater(len(expected), 20)
                options = ("pairs", "--exact", *JSON, "--check", measure, "--similarity", least)
                for source, threads in ((self.file, 1), ("-", 3)):
                    with self.subTest(measure=measure, least=least, source=source):
                        done = self.assert_done(run(*options, "--threads", threads, source, data=self.data))
                        rows = [(r["a"], r["b"], r["distance"], r["similarity"]) for r in done.json]
                        self.assertEqual(rows, expected)

    def test_finds_what_no_fingerprint_finds(self):
        # No distance of 64 bits leads from one text to another that has three of ten features in common.
        rows = run("pairs", *JSON, "--exact", "--similarity", 0.3, self.file).json
        fewer = run("pairs", *JSON, "--distance", 5, "--min-similarity", 0.3, self.file).json
        found = {(row["a"], row["b"]) for row in rows}
        self.assertLess({(row["a"], row["b"]) for row in fewer}, found)

    def test_copies_once(self):
        every = run("pairs", *JSON, "--exact", self.file).json
        once = run("pairs", *JSON, "--exact", "--copies-once", self.file).json
        first = {name: next(n for n in self.sets if self.sets[n] == s) for name, s in self.sets.items()}
        wanted = [row for row in every if first[row["a"]] == row["a"] and first[row["b"]] in (row["a"], row["b"])]
        self.assertEqual(once, wanted)
        self.assertLess(len(once), len(every))

    def test_groups_and_unique_follow_the_rule(self):
        longest = sorted(self.sets, key=lambda n: -len(self.texts[int(n[1:])].encode()))
        lines = self.data.splitlines(keepends=True)
        for measure, least in (("jaccard", 0.5), ("cosine", 0.6)):
            similar = matches(self.sets, MEASURES[measure], least)
            near = lambda a, b: (a, b) in similar or (b, a) in similar
            for rule, keep, label in (
                ("representatives", "first", represented(self.sets, near)),
                ("components", "first", connected(self.sets, similar)),
                ("representatives", "longest", represented(longest, near)),
                ("components", "longest", connected(longest, similar)),
            ):
                label = {name: label[name] for name in self.sets}  # in the order of the input
                kept = b"".join(line for i, line in enumerate(lines) if label.get(f"d{i}", f"d{i}") == f"d{i}")
                options = ("--exact", "--check", measure, "--min-similarity", least, "--grouping", rule, "--keep", keep)
                for source, threads in ((self.file, 3), ("-", 1)):
                    with self.subTest(measure=measure, least=least, rule=rule, keep=keep, source=source):
                        shared = (*options, "--threads", threads, source)
                        done = self.assert_done(run("groups", *JSON, *shared, data=self.data))
                        self.assertEqual([[m["id"] for m in r["members"]] for r in done.json], members_of(label))
                        done = self.assert_done(run("unique", "--jsonl", *shared, data=self.data))
                        self.assertEqual(done.bytes, kept)

    def test_text_needs_no_fingerprints(self):
        rows = run("groups", *JSON, "--exact", "--similarity", 0.5, self.file).json
        expected = [m["id"] for row in rows for m in row["members"]]
        lines = self.assert_done(run("groups", "--jsonl", "--exact", "--similarity", 0.5, self.file)).text.splitlines()
        self.assertEqual([line.split("  ")[2] for line in lines if line.startswith("  ")], expected)

    def test_dropped_names_what_was_kept(self):
        expected = [
            {"id": name, "kept": by, "similarity": float(f"{jaccard(self.sets[name], self.sets[by]):.6g}")}
            for name, by in represented(
                self.sets, lambda a, b: jaccard(self.sets[a], self.sets[b]) >= 0.5
            ).items()
            if by != name
        ]
        for source in (self.file, "-"):
            dropped = self.folder / "dropped.jsonl"
            options = ("unique", "--exact", "--jsonl", "--similarity", 0.5, "--dropped", dropped)
            self.assert_done(run(*options, source, data=self.data))
            rows = [json.loads(line) for line in dropped.read_text().splitlines()]
            self.assertEqual([{k: row[k] for k in ("id", "kept", "similarity")} for row in rows], expected)

    def test_a_pipe_of_several_rounds_keeps_what_a_file_keeps(self):
        texts = corpus(9000, 62, vocabulary=60)
        data = jsonl(texts)
        file = self.write("long.jsonl", data)
        options = ("unique", "--exact", "--jsonl", "--similarity", 0.6)
        whole = self.assert_done(run(*options, file)).bytes
        for threads in (1, 3):
            self.assertEqual(run(*options, "--threads", threads, "-", data=data).bytes, whole)
        # Features in a temporary file give the same.
        self.assertEqual(run(*options, "--memory", "1M", file).bytes, whole)
        self.assertEqual(run(*options, "--memory", "1M", "-", data=data).bytes, whole)

    def test_another_corpus(self):
        others = [text for text in corpus(120, 61) if text not in self.texts[:40]]
        theirs = sets_of(others, "o")
        lines = [json.dumps({"id": f"o{i}", "text": text}) + "\n" for i, text in enumerate(others)]
        path = self.write("others.jsonl", "".join(lines))
        index = self.folder / "others.neardup"
        self.assert_done(run("index", "--jsonl", "--keep-features", "--output", index, path))
        least = 0.5
        mine = self.data.splitlines(keepends=True)
        for against in (path, index):
            for within in (False, True):
                with self.subTest(against=against, within=within):
                    near = lambda a, b: jaccard(self.all[a], self.all[b]) >= least
                    self.all = {**theirs, **self.sets}
                    pairs, kept, dropped = [], list(theirs), set()
                    names = list(self.sets)
                    for i, b in enumerate(names):
                        pairs += [(b, a) for a in theirs if near(a, b)]
                        pairs += [(b, c) for c in names[i + 1 :] if within and near(b, c)]
                        if any(near(a, b) for a in kept):
                            dropped.add(b)
                        elif within:
                            kept.append(b)
                    options = ("--exact", "--jsonl", "--min-similarity", least, "--against", against)
                    options += ("--also-within",) if within else ()
                    rows = self.assert_done(run("pairs", "--format", "jsonl", *options, self.file)).json
                    self.assertEqual([(r["a"], r.get("against", r.get("b"))) for r in rows], pairs)
                    stays = b"".join(line for i, line in enumerate(mine) if f"d{i}" not in dropped)
                    for source in (self.file, "-"):
                        done = self.assert_done(run("unique", *options, source, data=self.data))
                        self.assertEqual(done.bytes, stays)
        bare = self.folder / "bare.neardup"
        self.assert_done(run("index", "--jsonl", "--output", bare, path))
        self.assert_fails(run("pairs", "--exact", "--jsonl", "--against", bare, self.file), str(bare), "--keep-features")

    def test_other_features(self):
        sets = {f"d{i}": characters(text, 4) for i, text in enumerate(self.texts) if characters(text, 4)}
        expected = list(matches(sets, jaccard, 0.6))
        for features in (("--features", "chars:4"), ("--features", "words", "--check-features", "chars:4")):
            rows = self.assert_done(run("pairs", "--exact", *JSON, "--similarity", 0.6, *features, self.file)).json
            self.assertEqual([(row["a"], row["b"]) for row in rows], expected)

    def test_given_features_of_records(self):
        rows = [{"id": f"d{i}", "f": [[w, 1 + len(w)] for w in t.split()]} for i, t in enumerate(self.texts)]
        data = "".join(json.dumps(row) + "\n" for row in rows)
        sets = {row["id"]: {w for w, _ in row["f"]} for row in rows}
        done = self.assert_done(run("pairs", "--exact", *JSON, "--weighted-field", "f", "-", data=data))
        self.assertEqual([(row["a"], row["b"]) for row in done.json], list(matches(sets, jaccard, 0.8)))

    def test_says_what_it_means(self):
        done = run("groups", "--exact", "--jsonl", self.file)
        said = done.err.splitlines()[0]
        meant = "--features words:2 --exact --check-features words:2 --min-similarity 0.8"
        self.assertEqual(said, f"neardup: --similarity 0.8 (the default) means: {meant}")
        self.assertEqual(run("groups", *meant.split(), "--jsonl", self.file).bytes, done.bytes)
        said = run("pairs", "--exact", "--check", "cosine", "--jsonl", self.file).err.splitlines()[0]
        self.assertIn("--exact --check cosine --check-features", said)

    def test_refuses_what_says_nothing_there(self):
        self.write("a.txt", A)
        for options in (
            ("--distance", 3),
            ("--kind", "minwise"),
            ("--bits", 128),
            ("--blocks", 4),
            ("--weights", "tf"),
            ("--top", 3),
            ("--similarity", 0.5, "--min-similarity", 0.5),
            ("--weighted-field", "f", "--jsonl", "--check", "cosine"),
        ):
            for verb in ("groups", "unique", "pairs"):
                with self.subTest(verb=verb, options=options):
                    self.assert_fails(run(verb, "--exact", *options, self.folder / "a.txt"), "--exact", options[0])
        lists = self.folder / "a.bin"
        self.assert_done(run("hash", "--format", "bin", "--output", lists, self.folder / "a.txt"))
        self.assert_fails(run("pairs", "--exact", "--fingerprints", lists), "--fingerprints with --exact")


if __name__ == "__main__":
    main()
