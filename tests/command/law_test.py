"""One rule decides, in every verb: a document is kept unless a document kept before it matches it; its original is the
closest of those that do, and of equally close ones the earliest. Each cell of a table of measures and verbs is held against
that rule, by comparing each document with each. NEARDUP_PROGRAM names the program.

With NEARDUP_LAW_TABLE naming a file, each cell appends a line to it: | row | column | corpora | kept wrong | originals wrong |.

Cells that do not run, and why:
- Many machines by edits and by fingerprints: their tasks compare sets.
- An index by edits: an index keeps no texts. One by features of candidates that fingerprints find: an index has features or
  fingerprints.
- --add-to by containment: the order is by size, and a larger text may come in a later batch.
- Containment with --keep: the command refuses it.
- Components with --against or --add-to: the command refuses them.
A component has no original, so its label is compared.
"""

import fractions
import itertools
import json
import math
import operator
import os
import random

from harness import IS_SAMPLE, CommandTest, fingerprints, hamming_distance, jsonl, run, unittest, main

TABLE = os.environ.get("NEARDUP_LAW_TABLE")
CORPORA = 3
SHORT = 8  # documents of fewer features are near others by fingerprints alone only if all features are the same


def originals(order, match, known=(), among=True, beats=operator.gt):
    """Each document of `order` -> its original, itself if it is kept; the known ones are kept before all others."""
    original, kept = {}, list(known)
    for document in order:
        best, original[document] = None, document
        for earlier in kept:
            closeness = match(earlier, document)
            if closeness is not None and (best is None or beats(closeness, best)):
                best, original[document] = closeness, earlier
        if best is None and among:
            kept.append(document)
    return original


def connected(order, match):
    """Document -> the most preferred document of its component."""
    label = {}
    for first in order:
        if first in label:
            continue
        label[first], open_ones = first, [first]
        while open_ones:
            document = open_ones.pop()
            for other in order:
                if other not in label and match(document, other) is not None:
                    label[other] = first
                    open_ones.append(other)
    return label


def draw_word(rng, vocabulary):
    number = rng.randrange(vocabulary)
    return "abcdefghijklmnopqrstuvwxyz"[number % 26] + ("abcdefghijklmnopqrstuvwxyz"[number // 26 % 26] if number >= 26 else "")


def draw_texts(rng, count, longest):
    """Texts between several unlike ones, edited texts and copies, empty and short texts."""
    texts = []
    while len(texts) < count:
        size, vocabulary, first = longest // 2 + rng.randrange(longest // 2 + 1), rng.choice((40, 300)), len(texts)
        centre = [draw_word(rng, vocabulary) for _ in range(size)]
        members = rng.randrange(6, 18)
        for member in range(members):
            earlier = list(rng.choice(texts[first:])) if len(texts) > first else []
            kind = rng.randrange(12) if 3 * member < members else rng.randrange(6, 20)
            if kind < 9:
                words = list(centre)  # most texts of this kind are near the centre only
                for at in rng.sample(range(size), rng.randrange(size // 6, size // 3) + 1):
                    words[at] = draw_word(rng, 300)
            elif kind < 12:
                words = list(centre)
                if rng.random() < 0.5:
                    words[rng.randrange(size)] = draw_word(rng, 300)
            elif kind < 16:
                words = earlier
            elif kind == 16:
                words = rng.sample(earlier, len(earlier))
            elif kind == 17:
                words = earlier[rng.randrange(len(earlier) + 1):]
            elif kind == 18:
                words = [draw_word(rng, vocabulary) for _ in range(rng.randrange(4))]
            else:
                words = [draw_word(rng, vocabulary) for _ in range(rng.randrange(size, 2 * size))]
            texts.append(words)
    return [" ".join(words) for words in texts[:count]]


def edits_between(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


class Row:
    """A measure: the options of the command, and how close two documents are by it, or None. The features are those that
    `neardup tokens` prints."""

    options, index_options, count, longest = (), ("--features", "words:1"), 220, 14

    def __init__(self, seed):
        rng = random.Random(seed)
        self.texts = {f"d{i}": text for i, text in enumerate(draw_texts(rng, self.count, self.longest))}
        self.rank = {name: rng.randrange(5) for name in self.texts}
        lines = [json.dumps({"id": name, "text": text, "rank": self.rank[name]}) for name, text in self.texts.items()]
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

    def match_indexed(self, indexed, later):
        """The same, where the earlier document is in an index."""
        return self.match(indexed, later)

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
        share = fractions.Fraction(longer - edits_between(a, b), longer)
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

    def match_indexed(self, indexed, later):
        """An index without features does not tell which of its documents are short."""
        distance = self.distance(indexed, later)
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
    has_scores = has_index = has_additions = True
    has_machines = False
    cells = 0

    def check_all_columns(self):
        """ctest finds the tests of a class by its lines, so each row has one test, of all columns."""
        for name in dir(self):
            if name.startswith("column_of_"):
                getattr(self, name)()

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

    def over_corpora(self, column, find, want):
        rows = self.corpora()
        if IS_SAMPLE:  # a corpus for each cell, in turn
            self.cells += 1
            rows = rows[self.cells % CORPORA :][:1]
        self.check(column, ((row, find(row), want(row)) for row in rows))

    @staticmethod
    def split(row):
        """Splits the documents into known ones and others."""
        names = row.names()
        return names[::3], [name for i, name in enumerate(names) if i % 3]

    @staticmethod
    def match_of(row, indexed):
        indexed = set(indexed)
        return lambda a, b: row.match_indexed(a, b) if a in indexed else row.match(a, b)

    def law(self, row):
        return originals(row.order(row.names()), row.match)

    def column_of_the_corpora_tell_the_law_from_other_rules(self):
        others = {"the first that matches": lambda a, b: False, "the last of equally close ones": operator.ge}
        for name, beats in others.items():
            with self.subTest(rule=name):
                differ = 0
                for row in self.corpora():
                    order = row.order(row.names())
                    law, other = originals(order, row.match), originals(order, row.match, beats=beats)
                    differ += sum(law[name] != other[name] for name in law)
                self.assertGreater(differ, 0, name)

    def column_of_unique(self):
        for pipe in (False, True):
            for threads in (1, 2, 8):
                self.over_corpora(f"unique {'of a pipe' if pipe else 'of a file'}, threads {threads}",
                                  lambda row: self.unique(row, row.names(), "--threads", threads, pipe=pipe), self.law)

    def column_of_groups(self):
        for pipe in (False, True):
            for threads in (1, 2, 8):
                self.over_corpora(f"groups {'of a pipe' if pipe else 'of a file'}, threads {threads}",
                                  lambda row: self.groups(row, row.names(), "--threads", threads, pipe=pipe), self.law)

    def column_of_scores(self):
        if not self.has_scores:
            return
        size = lambda row: lambda name: -len(row.texts[name].encode())
        ways = {"longest": size, "highest:rank": lambda row: lambda name: -row.rank[name],
                "lowest:rank": lambda row: row.rank.get}
        for keep, by in ways.items():
            order = lambda row: sorted(row.names(), key=by(row))
            for verb, call in (("unique", self.unique), ("groups", self.groups)):
                self.over_corpora(f"{verb} --keep {keep}", lambda row: call(row, row.names(), "--keep", keep),
                                  lambda row: originals(order(row), row.match))
                self.over_corpora(f"{verb} --keep {keep}, components",
                                  lambda row: call(row, row.names(), "--keep", keep, "--grouping", "components"),
                                  lambda row: connected(order(row), row.match))

    def column_of_components(self):
        for verb, call in (("unique", self.unique), ("groups", self.groups)):
            self.over_corpora(f"{verb}, components", lambda row: call(row, row.names(), "--grouping", "components"),
                              lambda row: connected(row.order(row.names()), row.match))

    def index_of(self, row, names):
        path = self.folder / "index"
        for old in self.folder.glob("index*"):
            old.unlink()
        self.assert_done(run("index", "--jsonl", *row.index_options, "--output", path, "-", data=row.data(names)))
        return path

    def against(self, column, path_of, is_index):
        for verb in ("unique", "groups"):
            for pipe in (False, True):
                for within in (False, True):
                    def find(row):
                        known, new = self.split(row)
                        path = path_of(row, known)
                        more = ("--against", path, *(("--also-within",) if within else ()))
                        return (self.unique if verb == "unique" else self.groups)(row, new, *more, pipe=pipe)

                    def want(row):
                        known, new = self.split(row)
                        match = self.match_of(row, known) if is_index else row.match
                        return originals(row.order(new), match, known=known, among=within)

                    name = f"{verb} --against {column}{', also within' if within else ''}, {'pipe' if pipe else 'file'}"
                    self.over_corpora(name, find, want)

    def column_of_against_a_corpus(self):
        self.against("a corpus", lambda row, known: self.write("known.jsonl", row.data(known)), False)

    def column_of_against_an_index(self):
        if not self.has_index:
            return
        self.against("an index", self.index_of, True)

    def column_of_against_an_index_that_was_changed(self):
        """A replaced document of an index is as young as one added then; a removed one decides nothing."""
        if not self.has_index:
            return

        def change(row):
            known, new = self.split(row)
            gone, again, more = known[3::7], known[5::9], new[:15]
            gone = [name for name in gone if name not in again]
            stays = [name for name in known if name not in gone and name not in again]
            return known, gone, again, more, stays + again + more, new[15:]

        def path_of(row, _):
            known, gone, again, more, *_ = change(row)
            path = self.index_of(row, known)
            base = ("index", "--index", path, "--compact", "never")
            self.assert_done(run(*base, "--remove", "-", data="".join(f"{name}\n" for name in gone)))
            self.assert_done(run(*base, "--jsonl", "--replace", "-", data=row.data(again)))
            self.assert_done(run(*base, "--jsonl", "--append", "-", data=row.data(more)))
            return path

        for pipe in (False, True):
            self.over_corpora(f"unique --against a changed index, also within, {'pipe' if pipe else 'file'}",
                              lambda row: self.unique(row, change(row)[-1], "--against", path_of(row, ()), "--also-within",
                                                      pipe=pipe),
                              lambda row: originals(row.order(change(row)[-1]), self.match_of(row, change(row)[-2]),
                                                    known=change(row)[-2]))

    def column_of_added_to_an_index(self):
        if not self.has_additions:
            return
        batches = lambda new: (new[:40], new[40:41], new[41:])
        for compact in ("never", "now"):
            def find(row):
                known, new = self.split(row)
                path, label = self.index_of(row, known), {}
                for batch in batches(new):
                    label.update(self.unique(row, batch, "--add-to", path, "--compact", compact, pipe=True))
                return label

            def want(row):
                known, new = self.split(row)
                label = {}
                for batch in batches(new):
                    found = originals(batch, self.match_of(row, known), known=known)
                    known = known + [name for name in batch if found[name] == name and row.sets[name]]
                    label.update(found)
                return label

            self.over_corpora(f"unique --add-to an index, three times, --compact {compact}", find, want)

    def column_of_machines(self):
        """The tasks of many machines, which compare sets."""
        if not self.has_machines:
            return
        for parts, grouping in itertools.product((1, 2, 5), ("representatives", "components")):
            def find(row):
                names, features, scattered, pairs = row.names(), [], [], []
                at = row.options.index("--check-features") + 1
                compared = [word for i, word in enumerate(row.options) if i not in (at - 1, at)]
                for number in range(parts):
                    part = names[number * len(names) // parts:(number + 1) * len(names) // parts]
                    features.append(self.folder / f"{number}.features")
                    self.assert_done(run("features", "--jsonl", "--part", number, "--features", row.options[at], "--output",
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

            def want(row):
                if grouping == "components":
                    return connected(row.order(row.names()), row.match)
                return originals(row.order(row.names()), row.match)

            self.over_corpora(f"{parts} parts on many machines, {grouping}", find, want)


class OfJaccard(Law):
    row, has_machines = Jaccard, True

    def test_all_columns(self):
        self.check_all_columns()


class OfCosine(Law):
    row, has_machines = Cosine, True

    def test_all_columns(self):
        self.check_all_columns()


class OfContainment(Law):
    row, has_scores, has_additions, has_machines = Containment, False, False, True

    def test_all_columns(self):
        self.check_all_columns()


class OfEdits(Law):
    row, has_index, has_additions = Edits, False, False

    def test_all_columns(self):
        self.check_all_columns()


class OfFingerprints(Law):
    row = Fingerprints

    def test_all_columns(self):
        self.check_all_columns()


class OfCheckedFingerprints(Law):
    row, has_index, has_additions = Checked, False, False

    def test_all_columns(self):
        self.check_all_columns()


class OfCheckedEdits(Law):
    row, has_index, has_additions = CheckedEdits, False, False

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

    def test_a_copy_of_a_dropped_text(self):
        self.check(["a b c d", "a b c e", "a b c e"], [0, 0, 0])

    def test_a_copy_goes_to_what_is_closer_by_then(self):
        self.check(["a b c d e f", "a b c d g h", "c d g h i j", "a b c d g h"], [0, 0, 2, 0])
        self.check(["a b c d e f", "a b c d e g h i j", "c d e g h i j", "a b c d e g h i j"], [0, 0, 2, 2])

    def test_equally_close_ones(self):
        self.check(["a b c d e f", "d e f g h i", "b c d e f g h"], [0, 1, 0])
        self.check(["d e f g h i", "a b c d e f", "b c d e f g h"], [0, 1, 0])

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
