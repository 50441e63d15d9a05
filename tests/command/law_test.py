"""One rule decides in every verb. A document is kept unless it matches a document that was kept before. The original of
a dropped document is the closest of the matching documents; of equally close ones, the earliest.

tests/oracle/law.txt has a table of measures and verbs. Each cell is compared with the rule, applied to all pairs of
documents. NEARDUP_PROGRAM names the program.

If NEARDUP_LAW_TABLE names a file, each cell appends a line to it: | row | column | corpora | kept wrong | originals
wrong |.
"""

import fractions
import json
import math
import operator
import os
import random

from harness import IS_SAMPLE, CommandTest, as_json, fingerprints, hamming_distance, jsonl, law, run, main

TABLE = os.environ.get("NEARDUP_LAW_TABLE")
CORPORA = 3
ADDED = "three times added to an index"
PAIRED = ("within lang", "across lang", "within site", "across site")
KEEP = {"keep longest": lambda row: lambda names: sorted(names, key=lambda name: -len(row.texts[name].encode())),
        "keep highest:rank": lambda row: lambda names: sorted(names, key=lambda name: -row.rank[name]),
        "keep lowest:rank": lambda row: lambda names: sorted(names, key=row.rank.get)}
SHORT = 8  # a document with fewer features matches only documents with the same features, unless a check decides


class Row:
    """A measure: the options of the command, and the closeness of two documents, or None if they do not match. The
    features are those that `neardup tokens` prints."""

    options, index_options, read, count, longest = (), ("--features", "words:1"), (), 220, 14

    def __init__(self, seed):
        rng = random.Random(seed)
        self.texts = {f"d{i}": " ".join(words) for i, words in enumerate(law.draw_texts(rng, self.count, self.longest))}
        self.rank = {name: rng.randrange(5) for name in self.texts}
        self.codes = self.draw_codes(rng)
        # `site` has so many values that one join per value would take longer than a join of all documents.
        self.fields = {"lang": {name: i * i % 3 for i, name in enumerate(self.texts)},
                       "site": {name: i // 3 for i, name in enumerate(self.texts)}}
        self.lines = {}
        for name, text in self.texts.items():
            record = {"id": name, "text": text, "rank": self.rank[name], **{key: field[name] for key, field in self.fields.items()}}
            self.lines[name] = json.dumps(record | self.codes.get(name, {})) + "\n"
        rows = run("tokens", "--jsonl", "--features", "words:1", "--format", "jsonl", "-", data=self.data(self.texts)).json
        self.sets = {row["id"]: frozenset(token for token, _ in row["tokens"]) for row in rows}
        self.known_answers = {}
        self.prepare()

    def prepare(self):
        pass

    def draw_codes(self, rng):
        """Returns document -> a field with its code, for the rows that compare codes."""
        return {}

    def facts(self, a, b):
        """Returns the figures that the command prints about two documents that match."""
        return {"similarity": as_json(self.match(a, b))}

    def compared(self):
        """Returns the options without those about features, because an index or a file of counts names the features."""
        at = self.options.index("--check-features") if "--check-features" in self.options else len(self.options)
        return self.options[:at] + self.options[at + 2 :]

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
    index_options = (*Row.index_options, "--keep-postings")

    def closeness(self, a, b):
        common = self.common(a, b)
        cosine = min(1.0, common / math.sqrt(len(self.sets[a]) * len(self.sets[b]))) if common else 0.0
        return cosine if cosine >= 0.7 else None


class Containment(Row):
    options = ("--check-features", "words:1", "--check", "containment", "--similarity", "0.75")
    longest = 30

    def order(self, names):
        """Returns the names, ordered by descending size of the sets."""
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

    def facts(self, a, b):
        return {"distance": self.distance(a, b)}


class Checked(Fingerprints):
    options = ("--features", "words:1", "--kind", "simhash", "--distance", "14", "--min-similarity", "0.5",
               "--check-features", "words:1")

    def closeness(self, a, b):
        return Jaccard.closeness(self, a, b) if self.distance(a, b) <= 14 else None

    def facts(self, a, b):
        return {**Row.facts(self, a, b), **Fingerprints.facts(self, a, b)}


class Codes(Row):
    bits, read = 64, ("--code-field", "code")
    options = index_options = (*read, "--distance", "3")

    def draw_codes(self, rng):
        """Codes that differ in some of five bits from one of eight: many are equal."""
        few = [rng.getrandbits(self.bits) for _ in range(8)]
        flips = lambda: sum(rng.getrandbits(1) << i * self.bits // 5 for i in range(5))
        return {name: {"code": f"{rng.choice(few) ^ flips():0{self.bits // 4}x}"} for name in self.texts}

    def prepare(self):
        self.sets = {name: int(fields["code"], 16) for name, fields in self.codes.items()}

    def closeness(self, a, b):
        apart = hamming_distance(self.sets[a], self.sets[b])
        return -apart if apart <= 3 else None

    def facts(self, a, b):
        return {"distance": -self.match(a, b)}


class WideCodes(Codes):
    bits = 96


class Law(CommandTest):
    row = None
    cells = 0

    def check_all_columns(self):
        """Runs all columns of a row. Each row has only one test, because ctest finds the tests in the lines of a
        class."""
        self.check_that_corpora_tell_the_law_from_other_rules()
        for words, row, corpora in law.cells("command"):
            if row == self.row.__name__ and corpora == ["random"]:
                self.over_corpora(words)
        self.assertGreater(self.cells, 20)

    def corpora(self):
        """Returns the corpora of a row, which are made once for all its columns."""
        made = self.__class__.__dict__.get("made")
        if made is None:
            made = self.__class__.made = [self.row(seed) for seed in range(CORPORA)]
        return made

    # ---- what the command said ----

    def check_facts(self, row, said, names, other, a, b):
        """Checks the figures that the command prints about documents `a` and `b`. `other` is true if `b` is a
        document of the known corpus, which is not in `names`."""
        self.assertEqual(other, b not in names)
        if row.match(b, a) is not None:
            facts = row.facts(b, a)
            self.assertEqual({key: said[key] for key in facts}, facts, (a, b))

    def of_pairs(self, row, names, done, a="a", others=("against", "indexed")):
        """Returns document -> the documents with which the output of pairs or query pairs it: later ones and known
        ones."""
        near = {name: [] for name in names}
        for said in self.assert_done(done).json:
            other = next((said[key] for key in others if key in said), None)
            b = said["b"] if other is None else other
            said.setdefault("similarity", said.get("containment"))
            self.check_facts(row, said, names, other is not None, said[a], b)
            near[said[a]].append(b)
        return {name: sorted(found) for name, found in near.items()}

    def of_unique(self, row, names, done, dropped):
        """Returns document -> original, from the kept and dropped documents of unique."""
        label = {said["id"]: said["id"] for said in self.assert_done(done).json}
        for said in map(json.loads, dropped.read_text().splitlines()):
            label[said["id"]] = said.get("against", said.get("kept"))
            self.check_facts(row, said, names, "against" in said, said["id"], label[said["id"]])
        self.assertEqual(sorted(label), sorted(names))
        return label

    def unique(self, row, names, *options, pipe=False):
        dropped = self.folder / "dropped"
        done = self.run_on(row, names, pipe, "unique", *row.options, *options, "--dropped", dropped)
        return self.of_unique(row, names, done, dropped)

    def run_on(self, row, names, pipe, verb, *options):
        data = row.data(names)
        source = "-" if pipe else self.write("input.jsonl", data)
        return run(verb, "--jsonl", *options, source, data=data if pipe else b"")

    def of_groups(self, row, names, done):
        label = {name: name for name in names}
        for first, *others in (group["members"] for group in self.assert_done(done).json):
            label.update((said["id"], first["id"]) for said in others)
            for said in others:
                facts = {**said, "similarity": said.get("similarity")}
                self.check_facts(row, facts, names, first.get("against", False), said["id"], first["id"])
        return {name: label[name] for name in names}

    def groups(self, row, names, *options, pipe=False):
        return self.of_groups(row, names, self.run_on(row, names, pipe, "groups", "--format", "jsonl", *row.options, *options))

    def pairs(self, row, names, *options, pipe=False):
        return self.of_pairs(row, names, self.run_on(row, names, pipe, "pairs", "--format", "jsonl", *row.options, *options))

    def query(self, row, names, *options, pipe=False):
        options = [option if option != "--against" else "--index" for option in options]
        return self.of_pairs(row, names, self.run_on(row, names, pipe, "query", "--format", "jsonl", *row.compared(), *options), "id")

    # ---- cells ----

    def check(self, column, found_and_wanted):
        """Checks one cell of the table. `found_and_wanted` has (row, found labels, expected labels) of each corpus."""
        kept = wrong = count = 0
        example = ""
        for row, found, wanted in found_and_wanted:
            count += 1
            kept_differ = [n for n in wanted if (found[n] == n) != (wanted[n] == n)]
            others = [n for n in wanted if found[n] != n and wanted[n] != n and found[n] != wanted[n]]
            kept, wrong = kept + bool(kept_differ), wrong + bool(others)
            for name in (kept_differ + others)[:1]:
                text = lambda n: f"{n} ({row.texts.get(str(n))!r})"
                near = lambda n: "" if n == name or str(n) not in row.texts else f", closeness {row.match(n, name)}"
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
        if IS_SAMPLE:  # each cell takes another one of the corpora
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
        """Splits the documents into (known ones, others). If the known ones are a changed index, some of them were
        replaced or added later, and some were removed."""
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
        """Returns the file of the known documents. A replaced document of an index counts as added at that time. A
        removed document decides nothing. An index that keeps the values of a field serves --within and --across. Its
        changes are in its log, in its file, or in another index that is made from it."""
        known, _ = self.split(row)
        if way == "against a corpus":
            return self.write("known.jsonl", row.data(known))
        path = self.index_of(row, known, paired and ("--within", paired[1]))
        if way == "against a changed index":
            stays, _ = self.split(row, way)
            again, more = known[5::9], [name for name in stays if name not in known]
            base = ("index", "--index", path, "--compact", "never")
            self.assert_done(run(*base, "--remove", "-", data="".join(f"{n}\n" for n in known if n not in stays)))
            self.assert_done(run(*base, "--jsonl", *row.read, "--replace", "-", data=row.data(again)))
            self.assert_done(run(*base, "--jsonl", *row.read, "--append", "-", data=row.data(more)))
            form, copy = self.cells % 3, self.folder / "index copy"
            if form == 1:
                self.assert_done(run("index", "--index", path, "--compact", "now"))
            if form == 2:
                self.assert_done(run("index", "--jsonl", *row.read, "--index", path, "--output", copy, "-"))
            return copy if form == 2 else path
        return path

    @staticmethod
    def batches(row):
        _, new = Law.split(row)
        return new[:40], new[40:41], new[41:]

    def find(self, row, words):
        """Returns the decisions of the command."""
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
            elif way.startswith(("threads ", "memory ", "keep ", "within ", "across ")):
                options += ("--" + way).split()
            else:
                options += {"components": ["--grouping", "components"], "also within": ["--also-within"]}.get(way, [])
        return getattr(self, verb)(row, names, *options, pipe="pipe" in ways)

    def want(self, row, words):
        """Returns the decisions of the law."""
        known, names, match, order = [], row.names(), row.match, row.order
        paired = next((way for way in words if way in PAIRED), None)
        value = row.fields[paired.split()[1]] if paired else {}
        agree = lambda a, b: paired is None or (value[a] == value[b]) == paired.startswith("within")
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
        match, among = only(match), not known or "also within" in words
        if words[0] in ("pairs", "query"):
            others = lambda i: known + (names[i + 1 :] if among else [])
            return {a: sorted(b for b in others(i) if match(b, a) is not None) for i, a in enumerate(names)}
        if "components" in words:
            return law.connected(order(names), match)
        return law.originals(order(names), match, known=known, among=among)

    def by_machines(self, row, parts, grouping, paired):
        """Returns the decisions of tasks on many machines, which compare sets."""
        names, features, scattered, pairs = row.names(), [], [], []
        for number in range(parts):
            part = names[number * len(names) // parts:(number + 1) * len(names) // parts]
            features.append(self.folder / f"{number}.features")
            self.assert_done(run("features", "--jsonl", *paired, "--part", number, "--features", "words:1", "--output",
                                 features[-1], self.write("part.jsonl", row.data(part))))
        counts, partitions = self.folder / "counts", 1 + parts // 2
        payload = "sketches" if parts == 2 else "sets"
        self.assert_done(run("counts", "--partitions", partitions, "--payload", payload, *row.compared(), "--output", counts,
                             *features))
        for path in features:
            scattered.append(path.with_suffix(".scattered"))
            self.assert_done(run("scatter", "--counts", counts, "--output", scattered[-1], path))
        for number in range(partitions):
            pairs += ["--pairs", self.folder / f"{number}.pairs"]
            self.assert_done(run("gather", "--partition", number, "--output", pairs[-1], *scattered,
                                 *(features if payload == "sketches" else [])))
        return self.of_groups(row, names, run("groups", "--grouping", grouping, "--format", "jsonl", *pairs, *features))


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


class OfCodes(Law):
    row = Codes

    def test_all_columns(self):
        self.check_all_columns()


class OfWideCodes(Law):
    row = WideCodes

    def test_all_columns(self):
        self.check_all_columns()


class Questions(CommandTest):
    """Corpora that are made for one question each, compared by Jaccard, in the verbs that read a corpus."""

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
