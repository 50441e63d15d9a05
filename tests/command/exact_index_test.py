"""Searches in indexes that keep features, compared with a comparison of all documents."""

import base64
import json
import math
import os
import random
import signal
import time
import zlib

from harness import CommandTest, characters, corpus, effort, jaccard, jsonl, as_json
from harness import SANITIZED, run, start, stop, words, main


def cosine(a, b):
    return len(a & b) / math.sqrt(len(a) * len(b)) if a and b else 0.0


MEASURES = {"jaccard": jaccard, "cosine": cosine}
LEAST = (0.3, 0.5, 0.62, 0.8, 0.9, 1)


def texts_of(count, seed):
    """Returns texts of many sizes: similar texts, copies, and texts without words. Fingerprints miss some of the
    similar pairs."""
    rng = random.Random(seed)
    texts = corpus(count, seed, words=20, vocabulary=60, copies=0.75)
    long = " ".join(f"w{rng.randrange(500)}" for _ in range(2500))
    for text in ("?!", "one", "one", "two", "one two", long, long + " end", long[: len(long) // 2]):
        texts.insert(rng.randrange(len(texts)), text)
    return texts


def similar(a, b, measure, least):
    return bool(a & b) and measure(a, b) >= least


def rounded(similarity):
    return as_json(similarity)


class Kept(CommandTest):
    """An index file and its documents, in order."""

    features = ()
    sets = staticmethod(lambda text: words(text, 2))

    def setUp(self):
        super().setUp()
        self.index = self.folder / "index"
        self.documents = []  # (id, text)

    def records(self, documents):
        return "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in documents).encode()

    def make(self, texts, *options):
        self.documents = [(f"o{i}", t) for i, t in enumerate(texts)]
        made = (*self.features, *options, "--output", self.index, "-")
        self.assert_done(run("index", "--jsonl", *made, data=self.records(self.documents)))

    def change(self, option, documents, when="never"):
        change = ("index", "--index", self.index, "--compact", when, option)
        if option == "--remove":
            self.assert_done(run(*change, "-", data="".join(f"{i}\n" for i, _ in documents)))
        else:
            self.assert_done(run(*change, "--jsonl", "-", data=self.records(documents)))
        if option != "--append":
            gone = {i for i, _ in documents}
            self.documents = [d for d in self.documents if d[0] not in gone]
        if option != "--remove":
            self.documents += [d for d in documents if self.sets(d[1])]

    def with_sets(self):
        return [(i, self.sets(t)) for i, t in self.documents if self.sets(t)]


class Query(Kept):
    def check_query(self, new, *more):
        kept = self.with_sets()
        data = self.records(new)
        file = self.write("new.jsonl", data)
        found, last = 0, 0
        for name, measure in MEASURES.items():
            every = []
            for i, text in new:
                own = self.sets(text)
                rows = [(i, j, measure(own, s)) for j, s in kept if own & s]
                every += sorted(rows, key=lambda row: -row[2])  # ties keep the order of the index
            for least in LEAST:
                expected = [(i, j, rounded(similarity)) for i, j, similarity in every if similarity >= least]
                options = ("query", "--index", self.index, "--jsonl", "--format", "jsonl", "--check", name)
                for source, threads in ((file, 1), ("-", 3)):
                    with self.subTest(measure=name, least=least, source=source):
                        how = ("--similarity", least, "--threads", threads, *more)
                        done = self.assert_done(run(*options, *how, source, data=data))
                        self.assertEqual([(r["id"], r["indexed"], r["similarity"]) for r in done.json], expected)
                        self.assertTrue(all(r.keys() == {"id", "indexed", "similarity"} for r in done.json))
                        self.assertNotIn("may miss", done.err)
                found += len(expected)
                last = len(expected)
        self.assertGreater(found, 500)
        return last

    def test_finds_all_that_is_similar_and_nothing_else(self):
        texts = texts_of(500, 71)
        self.make(texts[:300])
        new = [(f"d{i}", t) for i, t in enumerate(texts[300:])]
        self.assertGreater(self.check_query(new), 0)
        # Changes of the index, first in its log, then in its file.
        self.change("--append", [(f"a{i}", t) for i, t in enumerate(texts[280:350])])
        self.change("--remove", [d for d in self.documents if d[0].endswith("3")])
        self.change("--replace", [(f"o{i}", texts[499 - i]) for i in range(0, 60, 2)] + [("a4", "?!")])
        self.assertTrue((self.folder / "index.neardup-log").exists())
        self.check_query(new)
        self.change("--append", [("z", "a text more")], "now")
        self.assertFalse((self.folder / "index.neardup-log").exists())
        self.check_query(new, "--no-verify")

    def test_few_are_answered_as_many_are(self):
        """A query of few documents excludes most documents of the index without a comparison."""
        texts = texts_of(500, 82)
        self.make(texts[:400])
        new = [(f"d{i}", t) for i, t in enumerate(texts[400:])]
        for options in (("--similarity", 0.3), (), ("--check", "cosine", "--similarity", 0.5), ("--similarity", 1)):
            query = ("query", "--index", self.index, "--jsonl", *options, "-")
            whole = self.assert_done(run(*query, data=self.records(new))).text
            for size in (7, 40):
                parts = [new[i : i + size] for i in range(0, len(new), size)]
                few = "".join(self.assert_done(run(*query, data=self.records(part))).text for part in parts)
                self.assertEqual(few, whole)
            self.assertGreater(len(whole.splitlines()), 5)

    def test_sets_within_each_other_at_the_very_bound(self):
        row = [f"w{i}" for i in range(60)]
        self.make([" ".join(row[:n]) for n in range(2, 61)])
        for name, measure in MEASURES.items():
            for least in LEAST:
                for size in (2, 3, 6, 11, 21, 41, 60):
                    own = words(" ".join(row[:size]), 2)
                    data = self.records([("d", " ".join(row[:size]))])
                    options = ("--check", name, "--similarity", least, "--format", "jsonl")
                    done = self.assert_done(run("query", "--index", self.index, "--jsonl", *options, "-", data=data))
                    expected = {i for i, s in self.with_sets() if similar(own, s, measure, least)}
                    self.assertEqual({r["indexed"] for r in done.json}, expected, (name, least, size))

    def test_of_an_empty_index_and_of_nothing(self):
        self.make([])
        data = self.records([("d0", "one two three")])
        self.assertEqual(self.assert_done(run("query", "--index", self.index, "--jsonl", "-", data=data)).text, "")
        self.make(texts_of(40, 72))
        self.assertEqual(self.assert_done(run("query", "--index", self.index, "--jsonl", "-", data=b"")).text, "")

    def test_of_a_crowd_of_copies(self):
        text = "one and the same text of ten words in all here"
        self.make([text] * 530)
        data = self.records((f"d{i}", text) for i in range(530))  # more matches than the program keeps at a time
        done = self.assert_done(run("query", "--index", self.index, "--jsonl", "-", data=data))
        lines = done.text.splitlines()
        self.assertEqual(len(lines), 530 * 530)
        for at in (0, 529, 530, 530 * 265 + 7, len(lines) - 1):
            self.assertEqual(lines[at], f"1.000\t-\td{at // 530}\to{at % 530}")

    def test_what_stands_before_bad_input_is_answered(self):
        self.make(["one two three four"])
        data = self.records([("d0", "one two three four")]) + b"{\n"
        done = run("query", "--index", self.index, "--jsonl", "-", data=data)
        self.assertEqual((done.status, done.text), (2, "1.000\t-\td0\to0\n"))

    def test_a_program_that_waits_gets_its_answer(self):
        self.make([f"a{i} b{i} c{i} d{i}" for i in range(50)])
        process = start("query", "--index", str(self.index), "--jsonl", "-")
        for i in (7, 3, 49):
            process.stdin.write(self.records([(f"d{i}", f"a{i} b{i} c{i} d{i}")]))
            process.stdin.flush()
            self.assertEqual(process.stdout.readline().decode(), f"1.000\t-\td{i}\to{i}\n")
        stop(process)

    def test_options_of_fingerprints_are_refused(self):
        texts = texts_of(150, 74)
        self.make(texts[:120])
        data = self.records((f"d{i}", t) for i, t in enumerate(texts[120:]))
        query = ("query", "--index", self.index, "--jsonl", "--format", "jsonl")
        for options in (("--kind", "auto"), ("--bits", 64), ("--distance", 10), ("--weights", "tf"), ("--top", 5)):
            self.assert_fails(run(*query, *options, "-", data=data), f"{options[0]}", f"{self.index} has features, and no fingerprints")
        self.assertEqual(run(*query, "--exact", "-", data=data).bytes, run(*query, "-", data=data).bytes)

    def test_an_index_of_fingerprints_says_how_to_miss_none(self):
        texts = texts_of(30, 75)
        self.assert_done(run("index", "--jsonl", "--kind", "auto", "--output", self.index, "-", data=jsonl(texts)))
        query = ("query", "--index", self.index, "--jsonl")
        said = self.assert_done(run(*query, "-", data=jsonl(texts))).err
        self.assertEqual(said.count("candidates come from fingerprints, which may miss a pair"), 1)
        self.assertIn(f"index --output {self.index} PATH… makes one that misses none", said)
        self.assertNotIn("may miss", run(*query, "--quiet", "-", data=jsonl(texts)).err)
        for option in (("--exact",), ("--min-similarity", 0.5), ("--check", "jaccard")):
            done = run(*query, *option, "-", data=jsonl(texts))
            self.assert_fails(done, " ".join(map(str, option[: 1 + (option[0] == "--check")])), f"{self.index} is an index of fingerprints, without features")
        self.assert_fails(run(*query, "--check", "containment", "-", data=b""), "pairs --against")
        self.assert_fails(run(*query, "--check", "edit", "-", data=b""), "keeps no texts")


class QueryByCharacters(Kept):
    features = ("--features", "chars:4")
    sets = staticmethod(lambda text: characters(text, 4))

    def test_finds_all(self):
        texts = [t[:300] for t in texts_of(250, 76)]
        self.make(texts[:150])
        Query.check_query(self, [(f"d{i}", t) for i, t in enumerate(texts[150:])])


class QueryByPostings(Kept):
    features = ("--keep-postings",)

    def test_one_document_after_the_other_is_answered_as_many_are(self):
        texts = texts_of(300, 81)
        self.make(texts[:250])
        new = [(f"d{i}", t) for i, t in enumerate(texts[250:])] + [("e", "?!"), ("f", texts[3])]
        found = 0
        every = (("--similarity", 0.3), (), ("--check", "cosine", "--similarity", 0.5), ("--similarity", 1))
        for options in effort(every[::2], every):
            query = ("query", "--index", self.index, "--jsonl", *options, "-")
            whole = self.assert_done(run(*query, data=self.records(new))).text
            alone = "".join(self.assert_done(run(*query, data=self.records([d]))).text for d in new)
            self.assertEqual(alone, whole)
            found += len(whole.splitlines())
        self.assertGreater(found, 300)


class Changed(Kept):
    """Random changes of an index in place. After each, its answers are compared with a comparison of all documents,
    and its file with a new index."""

    def random_change(self, rng, texts):
        """Draws a change of the index. Returns its options, its documents, and the documents after the change."""
        option = rng.choice(["--append", "--replace", "--remove", "--compact"])
        if option == "--compact":
            return (), [], self.documents
        there = sorted({i for i, _ in self.documents})
        some = rng.sample(there, min(len(there), rng.randrange(1, 9)))
        if option == "--remove":
            return (option,), some, [d for d in self.documents if d[0] not in some]
        new = [(f"n{rng.randrange(10**9)}", rng.choice(texts)) for _ in range(rng.randrange(1, 20))]
        if option == "--replace":
            new += [(i, rng.choice(texts)) for i in some]
        left = [d for d in self.documents if option == "--append" or d[0] not in dict(new)]
        return (option,), new, left + [d for d in new if self.sets(d[1])]

    def command_of(self, option, documents, when):
        change = ("index", "--index", self.index, "--compact", when, *option)
        if option == ("--remove",):
            return (*change, self.write("change", "".join(f"{i}\n" for i in documents)))
        return (*change, "--jsonl", self.write("change", self.records(documents))) if option else change

    def assert_answers(self, rng, texts, least=None):
        """Requires that a search finds what a comparison of all documents finds."""
        kept = self.with_sets()
        asked = [(f"q{i}", rng.choice(texts)) for i in range(15)]
        name, least = rng.choice(list(MEASURES)), least or rng.choice(LEAST)
        done = run("query", "--index", self.index, "--jsonl", "--format", "jsonl", "--check", name, "--similarity", least, "-",
                   data=self.records(asked))
        expected = []
        for i, text in asked:
            own = self.sets(text)
            rows = [(i, j, MEASURES[name](own, s)) for j, s in kept if similar(own, s, MEASURES[name], least)]
            expected += [(*row[:2], rounded(row[2])) for row in sorted(rows, key=lambda row: -row[2])]
        self.assertEqual([(r["id"], r["indexed"], r["similarity"]) for r in self.assert_done(done).json], expected, (name, least))
        return len(expected)

    def test_any_changes_answer_as_an_index_made_anew(self):
        anew, twin, found = self.folder / "anew", self.folder / "twin", 0
        for seed, options in enumerate(((), ("--similarity", 0.4), ("--similarity", 1, "--keep-postings"))):
            rng = random.Random(seed)
            texts = texts_of(250, 90 + seed)
            self.make(texts[:80], *options)
            self.documents = [d for d in self.documents if self.sets(d[1])]
            for _ in range(5 if SANITIZED else 12):
                option, documents, after = self.random_change(rng, texts)
                when = rng.choice(["now", "never"]) if not option else rng.choice(["now", "never", "never", "auto"])
                self.assert_done(run(*self.command_of(option, documents, when)))
                self.documents = after
                found += self.assert_answers(rng, texts)
            self.assert_done(run("index", "--index", self.index, "--jsonl", "--output", anew, "-"))
            if not options[2:]:  # with these options, a text has another place in the twin
                self.assert_done(run("index", "--jsonl", *options, "--output", twin, "-", data=self.records(self.documents)))
                self.assertEqual(anew.read_bytes(), twin.read_bytes())
            self.index.with_name("index.neardup-log").unlink(missing_ok=True)
        self.assertGreater(found, 200)

    def test_what_was_acknowledged_is_there_after_a_kill(self):
        rng = random.Random(4)
        texts = texts_of(400, 94)
        self.make(texts)
        self.documents = [d for d in self.documents if self.sets(d[1])]
        anew, twin = self.folder / "anew", self.folder / "twin"
        began = time.monotonic()
        self.assert_answers(rng, texts)
        usual = time.monotonic() - began
        old = new = 0
        for kill in range(int(os.environ.get("NEARDUP_KILLS", "5" if SANITIZED else "25"))):
            option, documents, after = self.random_change(rng, texts)
            command = [*map(str, self.command_of(option, documents, rng.choice(["now", "never"])))]
            pause = usual * rng.uniform(0.1, 1)
            # Of five kills, one comes while the input is still open, and one after the program has ended.
            moment = {0: "early", 1: "late"}.get(kill % 5)
            if moment == "early" and option:
                command[-1] = "-"
            process = start(*command)
            if moment == "late":
                process.wait()
            elif moment is None:
                time.sleep(pause)
            process.kill()
            process.communicate()
            self.assert_done(run("index", "--index", self.index, "--jsonl", "--output", anew, "-"))
            states = {}
            for name, state in (("before", self.documents), ("after", after)):
                self.assert_done(run("index", "--jsonl", "--output", twin, "-", data=self.records(state)))
                states[twin.read_bytes()] = name
            self.assertIn(anew.read_bytes(), states)
            found = states[anew.read_bytes()]
            if moment:
                self.assertEqual(process.returncode, 0 if moment == "late" else -signal.SIGKILL)
            if process.returncode == 0:
                self.assertEqual(found, "after")
            elif moment == "early" and len(states) == 2:
                self.assertEqual(found, "before")
            if len(states) == 2:
                old, new = old + (found == "before"), new + (found == "after")
            self.documents = after if found == "after" else self.documents
        self.assertGreater(old, 0)
        self.assertGreater(new, 0)
        self.assertGreater(self.assert_answers(rng, texts, 0.3), 20)


# An index of one document by an earlier version, with `index --keep-features`: fingerprints and features.
FINGERPRINTS_AND_FEATURES = (
    "eNrr9HMJDeDlkmJkYGJyYAACZgYGQSDFwc4ABlwMLAwcDAwsLBAuAyOUXutT2cg1peYejA/SBwIcUK5My+6F4StW3meC8h2g8jBzbCX/iKmd3O"
    "TBBuU3QOV5oPz4V0U398dMn8AGtfMAmrzaKTtF3kUtLZwwN7Fgt58LKu/Agtt+kBsbWHCbD5I/gMd8sB9ZcZsPcroDK27zQfINrLjNB8kfwGG+"
    "Ayz8oQFpCeX+X6u4WFXPldkRFv5sqObrVd5OMY3co+8EC3821PiV95smt83o2DNnKP8Amn7nR+8mxhxrU3CB2c+OKi9kWRQ7V7BsWxyQnZ2Zl2"
    "KlkJuZV55ZnMqVkpqWmZdZkpmfZ6VgxFWSn52al1mVWmSlkJdflJuYA1SSolGckZmXnpNarGGko1CeX5RSrKnJlZFYnAFSVlGRYcxVnJoKNDI5"
    "JTGNi4EiEKaqHdTV23WRYYABI4V6GYew/0fdP3DuT0tNLCktSi2GZDMrI67y1Mz0jJJihVJgHuUC5Vx4xk3OSE3OhqujQroFgUQK9TNRqP+rrX"
    "REwX+DVgATTpV5"
)


class Refused(Kept):
    def answers_to(self, index):
        text = self.write("t.jsonl", self.records([("q", "one two three four")]))
        return [run("query", "--index", index, "--jsonl", text), run("pairs", "--against", index, "--jsonl", text),
                run("unique", "--add-to", index, "--jsonl", text), run("index", "--index", index, "--append", "--jsonl", text)]

    def test_an_index_of_an_earlier_version_is_refused_by_name(self):
        data = zlib.decompress(base64.b64decode(FINGERPRINTS_AND_FEATURES))
        self.index.write_bytes(data)
        for done in self.answers_to(self.index):
            self.assert_fails(done, f"{self.index}: has features beside fingerprints", "make it anew")
        self.assertEqual(self.index.read_bytes(), data)

    def test_a_damaged_index_is_refused_by_name(self):
        self.make(["one two three four", "one two three", "five six"], "--keep-postings")
        whole, damaged = self.index.read_bytes(), self.folder / "damaged"
        text = self.write("t.jsonl", self.records([("q", "one two three four")]))
        places = range(0, len(whole), effort(97, 41))
        for data in (*(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :] for at in places),
                     *(whole[:size] for size in places if size > 4)):
            damaged.write_bytes(data)
            done = run("query", "--index", damaged, "--jsonl", text)
            self.assert_fails(done, str(damaged))
            self.assertEqual(done.text, "")
            # Without verification, a damaged index may give wrong answers, but the program must not crash or hang.
            self.assertIn(run("query", "--index", damaged, "--no-verify", "--jsonl", text).status, (0, 2))

    def test_an_index_of_other_settings_is_refused_by_name(self):
        self.make(["one two three four"], "--seed", 5)
        for done in self.answers_to(self.index):
            self.assert_fails(done, str(self.index), "seed")
        self.make(["one two three four"], "--features", "chars:3")
        text = self.write("t.jsonl", self.records([("q", "one two three four")]))
        for arguments in (("query", "--index"), ("pairs", "--against"), ("unique", "--add-to"), ("index", "--append", "--index")):
            for option in ("--features", "--check-features"):
                if option == "--features" or arguments[0] != "query":
                    done = run(*arguments, self.index, "--jsonl", option, "words:2", text)
                    self.assert_fails(done, f"{option} words:2: {self.index} has chars:3")


class AddTo(Kept):
    def expected(self, batch, measure, least):
        """Returns the original of each document of a batch: the closest document of the index and of the batch's
        earlier kept documents. Ties go to the first."""
        kept = [(i, s, "against") for i, s in self.with_sets()]
        taken = []
        for i, text in batch:
            own = self.sets(text)
            found = [match for match in kept if own and similar(own, match[1], measure, least)]
            by = max(found, key=lambda match: measure(own, match[1]), default=None)
            if by is None and own:
                kept.append((i, own, "kept"))
            taken.append((i, by and (by[0], by[2], rounded(measure(own, by[1])))))
        return taken

    def test_keeps_and_adds_what_is_similar_to_nothing_before(self):
        texts = texts_of(800, 77)
        batches = [texts[250:400], texts[400:401], [], texts[401:425], texts[425:]]
        for name, measure in MEASURES.items():
            some = (0.3, 0.8) if name == "jaccard" else (0.55, 1)
            for least in effort(some, (0.3, 0.55, 0.8, 1)):
                with self.subTest(measure=name, least=least):
                    for file in self.folder.glob("index*"):
                        file.unlink()
                    self.make(texts[:250])
                    dropped_in_all = 0
                    for number, batch in enumerate(batches):
                        batch = [(f"b{number}-{i}", t) for i, t in enumerate(batch)]
                        taken = self.expected(batch, measure, least)
                        data, dropped = self.records(batch), self.folder / "dropped"
                        when = ("never", "auto", "never", "now", "never")[number]
                        how = ("--check", name, "--similarity", least, "--compact", when, "--threads", 1 + number % 3)
                        if number % 2 == 0:
                            how += ("--dropped", dropped)
                        done = run("unique", "--jsonl", "--add-to", self.index, *how, "-", data=data)
                        self.assert_done(done)
                        self.assertNotIn("may miss", done.err)
                        self.assertEqual([r["id"] for r in done.json], [i for i, by in taken if by is None])
                        if number % 2 == 0:
                            rows = [json.loads(line) for line in dropped.read_text().splitlines()]
                            found = [(r["id"], r.get("against", r.get("kept")), "against" if "against" in r else "kept",
                                      r["similarity"]) for r in rows]
                            self.assertEqual(found, [(i, *by) for i, by in taken if by is not None])
                            self.assertFalse(any("distance" in r or "estimate" in r for r in rows))
                            dropped_in_all += len(rows)
                        kept = {i for i, by in taken if by is None}
                        self.documents += [d for d in batch if d[0] in kept and self.sets(d[1])]
                        gone = [d for d in self.documents if d[0].endswith(str(number))][:5]
                        self.change("--remove", gone)
                    self.assertGreater(dropped_in_all, 20)
                    # Afterwards, the index holds all kept documents with their features.
                    anew, twin = self.folder / "anew", self.folder / "twin"
                    self.assert_done(run("index", "--index", self.index, "--jsonl", "--output", anew, "-"))
                    made = ("--output", twin, "-")
                    self.assert_done(run("index", "--jsonl", *made, data=self.records(self.documents)))
                    self.assertEqual(anew.read_bytes(), twin.read_bytes())

    def test_refuses_only_what_an_index_does_not_have(self):
        texts = texts_of(40, 78)
        self.make(texts)
        data = jsonl(texts)
        add = ("unique", "--jsonl", "--add-to", self.index)
        self.assertIn(" 0 added", self.assert_done(run(*add, "--exact", "--similarity", 0.2, "-", data=data)).err)
        for more in ((), ("--similarity", 0.2)):
            self.assert_fails(run(*add, "--kind", "auto", *more, "-", data=data), f"--kind: {self.index} has features")
        self.assert_fails(run(*add, "--check", "edit", "-", data=data), "keeps no texts")
        bare = self.folder / "bare"
        self.assert_done(run("index", "--jsonl", "--kind", "auto", "--output", bare, "-", data=data))
        done = run("unique", "--jsonl", "--add-to", bare, "--exact", "-", data=data)
        self.assert_fails(done, f"--exact: {bare} is an index of fingerprints")
        done = self.assert_done(run("unique", "--jsonl", "--add-to", bare, "-", data=data))
        self.assertIn(f"{bare}, an index of fingerprints: candidates come from fingerprints", done.err)

    def test_a_program_that_waits_is_answered_exactly(self):
        texts = texts_of(120, 79)
        self.make(texts[:60])
        batch = [(f"d{i}", t) for i, t in enumerate(texts[60:])]
        process = start("unique", "--jsonl", "--add-to", str(self.index), "--similarity", "0.5", "-")
        for (i, text), (_, by) in zip(batch, self.expected(batch, jaccard, 0.5)):
            process.stdin.write(self.records([(i, text)]))
            process.stdin.flush()
            if by is None:
                self.assertEqual(json.loads(process.stdout.readline())["id"], i)
        process.stdin.close()
        self.assertEqual((process.stdout.read(), process.wait()), (b"", 0))
        stop(process)


if __name__ == "__main__":
    main()
