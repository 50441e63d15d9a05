"""One rule decides, in every verb: a document is kept unless a document kept before it matches it; its original is the
closest of those that do, and of equally close ones the earliest. Each cell of a table of measures and verbs is held against
that rule, by comparing each document with each. NEARDUP_PROGRAM names the program.

tests/oracle/law.txt has the cells.

With NEARDUP_LAW_TABLE naming a file, each cell appends a line to it: | row | column | corpora | kept wrong | originals wrong |.
"""

import fractions
import json
import math
import operator
import os
import random

from harness import IS_SAMPLE, CommandTest, fingerprints, hamming_distance, jsonl, law, run, main

TABLE = os.environ.get("NEARDUP_LAW_TABLE")
CORPORA = 3
ADDED = "three times added to an index"
PAIRED = ("within lang", "across lang")
KEEP = {"keep longest": lambda row: lambda names: sorted(names, key=lambda name: -len(row.texts[name].encode())),
        "keep highest:rank": lambda row: lambda names: sorted(names, key=lambda name: -row.rank[name]),
        "keep lowest:rank": lambda row: lambda names: sorted(names, key=row.rank.get)}
SHORT = 8  # documents of fewer features are near others by fingerprints alone only if all features are the same


class Row:
    """A measure: the options of the command, and how close two documents are by it, or None. The features are those that
    `neardup tokens` prints."""

    options, index_options, count, longest = (), ("--features", "words:1"), 220, 14

    def __init__(self, seed):
        rng = random.Random(seed)
        self.texts = {f"d{i}": " ".join(words) for i, words in enumerate(law.draw_texts(rng, self.count, self.longest))}
        self.rank = {name: rng.randrange(5) for name in self.texts}
        self.lang = {name: i * i % 3 for i, name in enumerate(self.texts)}
        lines = [json.dumps({"id": name, "text": text, "rank": self.rank[name], "lang": self.lang[name]}) for name, text in self.texts.items()]
        self.lines = {name: line + "\n" for name, line in zip(self.texts, lines)}
        rows = run("tokens", "--jsonl", "--features", "words:1", "--format", "jsonl", "-", data=self.data(self.texts)).json
        self.sets = {row["id"]: frozenset(token for token, _ in row["tokens"]) for row in rows}
        self.known_answers = {}
        self.prepare()

    def prepare(self):
        pass

    def data(self, names):
        return "".join(self.lines[name] for name in names).encode()

    def names(self):
        return list(self.texts)

    def order(self, names):
        return list(names)

    def match(self, earlier, later):
        key = (earlier, later)
        if key not in self.known_answers:
            self.known_answers[key] = self.closeness(earlier, later)
        return self.known_answers[key]

    def common(self, a, b):
        return len(self.sets[a] & self.sets[b])


class Jaccard(Row):
    options = ("--check-features", "words:1", "--similarity", "0.5")

    def closeness(self, a, b):
        common = self.common(a, b)
        share = fractions.Fraction(common, max(1, len(self.sets[a] | self.sets[b])))
        return share if 2 * share >= 1 else None


class Cosine(Row):
    options = ("--check-features", "words:1", "--check", "cosine", "--similarity", "0.7")

    def closeness(self, a, b):
        common = self.common(a, b)
        cosine = min(1.0, common / math.sqrt(len(self.sets[a]) * len(self.sets[b]))) if common else 0.0
        return cosine if cosine >= 0.7 else None


class Containment(Row):
    options = ("--check-features", "words:1", "--check", "containment", "--similarity", "0.75")
    longest = 30

    def order(self, names):
        """Larger sets first."""
        return sorted(names, key=lambda name: -len(self.sets[name]))

    def closeness(self, a, b):
        common, smaller = self.common(a, b), min(len(self.sets[a]), len(self.sets[b]))
        return fractions.Fraction(common, smaller) if common >= 8 and 4 * common >= 3 * smaller else None


class Edits(Row):
    options = ("--check", "edit", "--similarity", "0.6")
    count, longest = 110, 10

    def closeness(self, a, b):
        a, b = self.texts[a], self.texts[b]
        longer = max(len(a), len(b))
        if not a or not b or 5 * min(len(a), len(b)) < 3 * longer:
            return None
        share = fractions.Fraction(longer - law.edits_between(a, b), longer)
        return share if 5 * share >= 3 else None


class Fingerprints(Row):
    options = index_options = ("--features", "words:1", "--kind", "simhash", "--distance", "12")

    def prepare(self):
        self.prints = fingerprints(self.data(self.texts), "--features", "words:1", "--kind", "simhash")

    def distance(self, a, b):
        if a not in self.prints or b not in self.prints:
            return 100
        return hamming_distance(self.prints[a], self.prints[b])

    def closeness(self, a, b):
        distance = self.distance(a, b)
        if min(len(self.sets[a]), len(self.sets[b])) < SHORT:
            return -distance if self.sets[a] and self.sets[a] == self.sets[b] else None
        return -distance if distance <= 12 else None


class Checked(Fingerprints):
    options = ("--features", "words:1", "--kind", "simhash", "--distance", "14", "--min-similarity", "0.5",
               "--check-features", "words:1")

    def closeness(self, a, b):
        return Jaccard.closeness(self, a, b) if self.distance(a, b) <= 14 else None


class CheckedEdits(Fingerprints):
    options = ("--features", "words:1", "--kind", "simhash", "--distance", "14", "--min-similarity", "0.6", "--check", "edit")
    count, longest = 110, 10

    def closeness(self, a, b):
        return Edits.closeness(self, a, b) if self.distance(a, b) <= 14 else None


class Law(CommandTest):
    row = None
    cells = 0

    def check_all_columns(self):
        """ctest finds the tests of a class by its lines, so each row has one test, of all columns."""
        self.check_that_corpora_tell_the_law_from_other_rules()
        for words, row, corpora in law.cells("command"):
            if row == self.row.__name__ and corpora == ["random"]:
                self.over_corpora(words)
        self.assertGreater(self.cells, 20)

    def corpora(self):
        """Corpora are made once for all columns of a row."""
        made = self.__class__.__dict__.get("made")
        if made is None:
            made = self.__class__.made = [self.row(seed) for seed in range(CORPORA)]
        return made

    # ---- what the command said ----

    def of_unique(self, names, done, dropped):
        """Document -> original, from the kept and dropped documents of unique."""
        kept = [row["id"] for row in self.assert_done(done).json]
        label = {name: name for name in kept}
        for line in dropped.read_text().splitlines():
            row = json.loads(line)
            label[row["id"]] = row.get("against", row.get("kept"))
        self.assertEqual(sorted(label), sorted(names))
        return label

    def unique(self, row, names, *options, pipe=False):
        dropped = self.folder / "dropped"
        data = row.data(names)
        source = "-" if pipe else self.write("input.jsonl", data)
        done = run("unique", "--jsonl", *row.options, *options, "--dropped", dropped, source, data=data if pipe else b"")
        return self.of_unique(names, done, dropped)

    def of_groups(self, names, done):
        label = {name: name for name in names}
        for row in self.assert_done(done).json:
            first, *others = [member["id"] for member in row["members"]]
            label.update((name, first) for name in others)
        return {name: label[name] for name in names}

    def groups(self, row, names, *options, pipe=False):
        data = row.data(names)
        source = "-" if pipe else self.write("input.jsonl", data)
        return self.of_groups(names, run("groups", "--jsonl", "--format", "jsonl", *row.options, *options, source,
                                         data=data if pipe else b""))

    # ---- cells ----

    def check(self, column, found_and_wanted):
        """One cell of the table: (found, expected) pairs."""
        kept = wrong = count = 0
        example = ""
        for row, found, wanted in found_and_wanted:
            count += 1
            kept_differ = [n for n in wanted if (found[n] == n) != (wanted[n] == n)]
            others = [n for n in wanted if found[n] != n and wanted[n] != n and found[n] != wanted[n]]
            kept, wrong = kept + bool(kept_differ), wrong + bool(others)
            for name in (kept_differ + others)[:1]:
                text = lambda n: f"{n} ({row.texts[n]!r})"
                near = lambda n: "" if n == name else f", closeness {row.match(n, name)}"
                example = example or (f"{text(name)}: found {text(found[name])}{near(found[name])}; "
                                      f"wanted {text(wanted[name])}{near(wanted[name])}; {len(others)} of {len(wanted)} differ")
        if TABLE:
            with open(TABLE, "a", encoding="utf-8") as table:
                table.write(f"| {self.row.__name__} | {column} | {count} | {kept} | {wrong} | {example}\n")
        self.assertGreater(count, 0)
        with self.subTest(column=column, judged="kept"):
            self.assertEqual(kept, 0, example)
        with self.subTest(column=column, judged="originals"):
            self.assertEqual(wrong, 0, example)

    def over_corpora(self, words):
        rows = self.corpora()
        self.cells += 1
        if IS_SAMPLE:  # a corpus for each cell, in turn
            rows = rows[self.cells % CORPORA :][:1]
        self.check(", ".join(words), ((row, self.find(row, words), self.want(row, words)) for row in rows))

    def check_that_corpora_tell_the_law_from_other_rules(self):
        others = {"the first that matches": lambda a, b: False, "the last of equally close ones": operator.ge}
        for name, beats in others.items():
            with self.subTest(rule=name):
                differ = 0
                for row in self.corpora():
                    order = row.order(row.names())
                    right, other = law.originals(order, row.match), law.originals(order, row.match, beats=beats)
                    differ += sum(right[name] != other[name] for name in right)
                self.assertGreater(differ, 0, name)

    # ---- what the words of a column mean ----

    @staticmethod
    def split(row, way="against a corpus"):
        """The documents as (known ones, others). Some known ones of a changed index were replaced or added later, and some
        were removed."""
        names = row.names()
        known, new = names[::3], [name for i, name in enumerate(names) if i % 3]
        if way != "against a changed index":
            return known, new
        again, more = known[5::9], new[:15]
        gone = [name for name in known[3::7] if name not in again]
        return [name for name in known if name not in gone and name not in again] + again + more, new[15:]

    def index_of(self, row, names, paired=()):
        path = self.folder / "index"
        for old in self.folder.glob("index*"):
            old.unlink()
        self.assert_done(run("index", "--jsonl", *row.index_options, *paired, "--output", path, "-", data=row.data(names)))
        return path

    def known_of(self, row, way, paired):
        """The file of the known documents. A replaced document of an index is as young as one added then; a removed one
        decides nothing."""
        known, _ = self.split(row)
        if way == "against a corpus":
            return self.write("known.jsonl", row.data(known))
        path = self.index_of(row, known, paired)
        if way == "against a changed index":
            stays, _ = self.split(row, way)
            again, more = known[5::9], [name for name in stays if name not in known]
            base = ("index", "--index", path, "--compact", "never")
            self.assert_done(run(*base, "--remove", "-", data="".join(f"{n}\n" for n in known if n not in stays)))
            self.assert_done(run(*base, "--jsonl", "--replace", "-", data=row.data(again)))
            self.assert_done(run(*base, "--jsonl", "--append", "-", data=row.data(more)))
        return path

    @staticmethod
    def batches(row):
        _, new = Law.split(row)
        return new[:40], new[40:41], new[41:]

    def find(self, row, words):
        """What the command says."""
        verb, *ways = words
        paired = [word for way in ways if way in PAIRED for word in ("--" + way).split()]
        if verb == "machines":
            grouping = "components" if "components" in ways else "representatives"
            return self.by_machines(row, int(ways[0].split()[0]), grouping, paired)
        if ADDED in ways:
            path, label = self.index_of(row, self.split(row)[0], paired), {}
            for batch in self.batches(row):
                label.update(self.unique(row, batch, "--add-to", path, *("--" + ways[-1]).split(), pipe="pipe" in ways))
            return label
        options, names = [], row.names()
        for way in ways:
            if way.startswith("against "):
                options += ["--against", self.known_of(row, way, paired)]
                _, names = self.split(row, way)
            elif way.startswith(("threads ", "keep ", "within ", "across ")):
                options += ("--" + way).split()
            else:
                options += {"components": ["--grouping", "components"], "also within": ["--also-within"]}.get(way, [])
        return (self.unique if verb == "unique" else self.groups)(row, names, *options, pipe="pipe" in ways)

    def want(self, row, words):
        """What the law says."""
        known, names, match, order = [], row.names(), row.match, row.order
        paired = next((way for way in words if way in PAIRED), None)
        agree = lambda a, b: paired is None or (row.lang[a] == row.lang[b]) == (paired == PAIRED[0])
        only = lambda asked: lambda a, b: asked(a, b) if agree(a, b) else None
        if ADDED in words:
            label, (known, _) = {}, self.split(row)
            for batch in self.batches(row):
                label.update(law.originals(batch, only(match), known=known))
                known = known + [name for name in batch if label[name] == name and row.sets[name]]
            return label
        for way in words:
            if way.startswith("against "):
                known, names = self.split(row, way)
            elif way.startswith("keep "):
                order = KEEP[way](row)
        match = only(match)
        if "components" in words:
            return law.connected(order(names), match)
        return law.originals(order(names), match, known=known, among=not known or "also within" in words)

    def by_machines(self, row, parts, grouping, paired):
        """The tasks of many machines, which compare sets."""
        names, features, scattered, pairs = row.names(), [], [], []
        at = row.options.index("--check-features") + 1
        compared = [word for i, word in enumerate(row.options) if i not in (at - 1, at)]
        for number in range(parts):
            part = names[number * len(names) // parts:(number + 1) * len(names) // parts]
            features.append(self.folder / f"{number}.features")
            self.assert_done(run("features", "--jsonl", *paired, "--part", number, "--features", row.options[at], "--output",
                                 features[-1], self.write("part.jsonl", row.data(part))))
        counts, partitions = self.folder / "counts", 1 + parts // 2
        payload = "sketches" if parts == 2 else "sets"
        self.assert_done(run("counts", "--partitions", partitions, "--payload", payload, *compared, "--output", counts,
                             *features))
        for path in features:
            scattered.append(path.with_suffix(".scattered"))
            self.assert_done(run("scatter", "--counts", counts, "--output", scattered[-1], path))
        for number in range(partitions):
            pairs += ["--pairs", self.folder / f"{number}.pairs"]
            self.assert_done(run("gather", "--partition", number, "--output", pairs[-1], *scattered,
                                 *(features if payload == "sketches" else [])))
        return self.of_groups(names, run("groups", "--grouping", grouping, "--format", "jsonl", *pairs, *features))


class OfJaccard(Law):
    row = Jaccard

    def test_all_columns(self):
        self.check_all_columns()


class OfCosine(Law):
    row = Cosine

    def test_all_columns(self):
        self.check_all_columns()


class OfContainment(Law):
    row = Containment

    def test_all_columns(self):
        self.check_all_columns()


class OfEdits(Law):
    row = Edits

    def test_all_columns(self):
        self.check_all_columns()


class OfFingerprints(Law):
    row = Fingerprints

    def test_all_columns(self):
        self.check_all_columns()


class OfCheckedFingerprints(Law):
    row = Checked

    def test_all_columns(self):
        self.check_all_columns()


class OfCheckedEdits(Law):
    row = CheckedEdits

    def test_all_columns(self):
        self.check_all_columns()


class Questions(CommandTest):
    """Corpora that are made for one question each, by Jaccard, in the verbs that read a corpus."""

    def originals_by(self, verb, texts, *more):
        data, dropped = jsonl(texts), self.folder / "dropped"
        options = ("--jsonl", "--check-features", "words:1", "--similarity", "0.5", *more)
        if verb == "unique":
            done = self.assert_done(run("unique", *options, "--dropped", dropped, "-", data=data))
            label = {row["id"]: row["id"] for row in done.json}
            label.update((row["id"], row["kept"]) for row in map(json.loads, dropped.read_text().splitlines()))
        else:
            label = {f"d{i}": f"d{i}" for i in range(len(texts))}
            for row in self.assert_done(run("groups", "--format", "jsonl", *options, "-", data=data)).json:
                first, *others = [member["id"] for member in row["members"]]
                label.update((name, first) for name in others)
        return [int(label[f"d{i}"][1:]) for i in range(len(texts))]

    def check(self, texts, wanted):
        for verb in ("unique", "groups"):
            with self.subTest(verb=verb):
                self.assertEqual(self.originals_by(verb, texts), wanted)

    def test_questions(self):
        asked = [(verb, corpora) for (verb, *_), _, corpora in law.cells("command") if corpora != ["random"]]
        self.assertEqual([verb for verb, _ in asked], ["unique", "groups"])
        for verb, corpora in asked:
            for name in corpora:
                with self.subTest(verb=verb, question=name):
                    texts, wanted = law.question(name)
                    self.assertEqual(self.originals_by(verb, texts), wanted)

    def test_each_row_of_the_table_has_a_test(self):
        self.assertEqual({row for _, row, _ in law.cells("command")}, {row.row.__name__ for row in Law.__subclasses__()})

    def test_a_central_text_after_a_thousand(self):
        rng = random.Random(4)
        centre = [f"c{i}" for i in range(40)]
        texts, sets = [], []
        while len(texts) < 1000:
            words = frozenset(rng.sample(centre, rng.randrange(26, 30)) + [f"n{rng.randrange(10**5)}" for _ in range(9)])
            match = lambda other: 3 * len(words & other) >= len(words) + len(other)
            if not match(set(centre)) or any(map(match, sets)):
                continue
            sets.append(words)
            texts.append(" ".join(sorted(words)))
        share = lambda i: fractions.Fraction(len(sets[i] & set(centre)), len(sets[i] | set(centre)))
        self.check([*texts, " ".join(centre)], [*range(1000), max(range(1000), key=share)])


if __name__ == "__main__":
    main()
