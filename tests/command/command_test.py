"""The promises of the command neardup, each held against the program itself. NEARDUP_PROGRAM names it."""

import contextlib
import gzip
import json
import math
import os
import pathlib
import pty
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM = os.environ.get("NEARDUP_PROGRAM", "")
SOURCE = pathlib.Path(os.environ.get("NEARDUP_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
SANITIZED = "NEARDUP_SANITIZED" in os.environ  # slower, and with memory of its own
if SANITIZED:
    # The search for leaks takes a third of the time of a short run; the library's tests have it.
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
TIMEOUT = 300


class Outcome:
    def __init__(self, status, out, err):
        self.status = status
        self.bytes = out
        self.err = err.decode("utf-8", "replace")

    @property
    def text(self):
        return self.bytes.decode("utf-8")

    @property
    def json(self):
        return [json.loads(line) for line in self.text.splitlines()]


def run(*arguments, data=b"", **more):
    if isinstance(data, str):
        data = data.encode()
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=data, capture_output=True, timeout=TIMEOUT, **more)
    return Outcome(done.returncode, done.stdout, done.stderr)


def start(*arguments):
    pipe = subprocess.PIPE
    return subprocess.Popen([PROGRAM, *arguments], stdin=pipe, stdout=pipe, stderr=pipe)


def cpu_seconds():
    """Of the programs that have ended; how long they took depends on what else the machine does."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def stop(process):
    process.kill()
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
    process.wait()


def run_with(arguments, **streams):
    """Like run, with standard streams of the caller's."""
    return subprocess.run([PROGRAM, *map(str, arguments)], timeout=TIMEOUT, **streams)


def jsonl(texts, first=0):
    return "".join(json.dumps({"id": f"d{i}", "text": t}) + "\n" for i, t in enumerate(texts, first)).encode()


def corpus(count, seed, words=12, vocabulary=400, copies=0.6):
    """Random texts, many of them copies of earlier ones with a few changes."""
    rng = random.Random(seed)
    texts = []
    for _ in range(count):
        if texts and rng.random() < copies:
            text = rng.choice(texts).split()
            for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
                text[rng.randrange(len(text))] = f"w{rng.randrange(vocabulary)}"
        else:
            text = [f"w{rng.randrange(vocabulary)}" for _ in range(rng.randrange(1, 2 * words))]
        texts.append(" ".join(text))
    return texts


def fingerprints(data, *options):
    """id -> fingerprint, of the documents that have one."""
    rows = run("hash", "--jsonl", "--format", "jsonl", "--quiet", *options, "-", data=data).json
    return {row["id"]: int(row["fingerprint"], 16) for row in rows if row["fingerprint"] is not None}


def hamming_distance(a, b):
    return bin(a ^ b).count("1")


def close_pairs(prints, distance, similar=lambda a, b: True):
    names = list(prints)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            d = hamming_distance(prints[a], prints[b])
            if d <= distance and similar(a, b):
                yield a, b, d


def write_all(pipe, data):
    """Unless the reader has seen enough."""
    with contextlib.suppress(BrokenPipeError):
        pipe.write_bytes(data)


def unless_short(texts):
    """What is compared without a check: documents of fewer than 8 pairs of words, only by having the same ones."""
    sets = {f"d{i}": words(text, 2) for i, text in enumerate(texts)}
    return lambda a, b: sets[a] == sets[b] or min(len(sets[a]), len(sets[b])) >= 8


def connected(names, pairs):
    """The first member of each one's group."""
    order = {name: i for i, name in enumerate(names)}
    label = {name: name for name in names}
    changed = True
    while changed:
        changed = False
        for a, b in pairs:
            first = min(label[a], label[b], key=order.get)
            if label[a] != first or label[b] != first:
                label[a] = label[b] = first
                changed = True
    return label


def represented(names, near):
    """For each the first representative before it that is near, else itself."""
    label = {}
    for name in names:
        label[name] = next((r for r in label if label[r] == r and near(r, name)), name)
    return label


def members_of(label):
    """The groups of more than one, each with its representative first."""
    groups = {first: [first] for name, first in label.items() if first == name}
    for name, first in label.items():
        if first != name:
            groups[first].append(name)
    return [group for group in groups.values() if len(group) > 1]


def words(text, n):
    tokens = re.findall(r"[a-z0-9]+", text.lower())
    return {tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)} or ({tuple(tokens)} if tokens else set())


def characters(text, n):
    text = " ".join(re.findall(r"[a-z0-9]+", text.lower()))
    return {text[i : i + n] for i in range(len(text) - n + 1)} or ({text} if text else set())


def jaccard(a, b):
    return len(a & b) / len(a | b) if a or b else 0.0


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="neardup-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def assert_done(self, outcome):
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome

    def assert_fails(self, outcome, *parts):
        """Exit status 2, and one message that says all of this."""
        self.assertEqual(outcome.status, 2, outcome.err)
        self.assertTrue(outcome.err.startswith("neardup: "), outcome.err)
        for part in parts:
            self.assertIn(part, outcome.err)
        return outcome


A = "the quick brown fox jumps over the lazy dog and runs away from the hunter in the green wood"
B = "a completely different sentence about the weather of tomorrow which will be sunny with few clouds"


class Groups(CommandTest):
    def test_is_the_default_verb(self):
        for name, text in (("a", A), ("b", B), ("c", A)):
            self.write(name, text)
        named = self.assert_done(run("groups", self.folder))
        self.assertEqual(named.text, run(self.folder).text)
        members = f"  1.000  {self.folder}/a\n  1.000  {self.folder}/c\n"
        self.assertEqual(named.text, "2 documents, similarity 1.000\n" + members)
        self.assertIn("3 documents: 1 group of near-duplicates, 2 documents in them", named.err)

    def test_json_is_as_documented(self):
        options = ("groups", "--jsonl", "--format", "jsonl", "-")
        done = self.assert_done(run(*options, "--distance", 3, data=jsonl([A, B, A])))
        members = '[{"id":"d0","distance":0},{"id":"d2","distance":0}]'
        self.assertEqual(done.text, '{"group":0,"size":2,"members":' + members + "}\n")
        done = self.assert_done(run(*options, data=jsonl([A, B, A])))
        members = '[{"id":"d0","distance":0,"similarity":1},{"id":"d2","distance":0,"similarity":1}]'
        self.assertEqual(done.text, '{"group":0,"size":2,"members":' + members + "}\n")

    def test_against_the_oracle(self):
        texts = corpus(400, 1)
        data = jsonl(texts)
        similar = unless_short(texts)
        for bits in (32, 64, 128, 256):
            prints = fingerprints(data, "--bits", bits)
            for distance in (0, 3, 9):
                near = {(a, b) for a, b, _ in close_pairs(prints, distance, similar)}
                labels = {
                    "components": connected(prints, near),
                    "representatives": represented(prints, lambda a, b: (a, b) in near),
                }
                for rule, label in labels.items():
                    with self.subTest(bits=bits, distance=distance, rule=rule):
                        expected = [
                            [{"id": m, "distance": hamming_distance(prints[m], prints[group[0]])} for m in group]
                            for group in members_of(label)
                        ]
                        options = ("--jsonl", "--format", "jsonl", "--bits", bits, "--distance", distance)
                        rows = run(*options, "--grouping", rule, "-", data=data).json
                        self.assertEqual([row["members"] for row in rows], expected)
                        self.assertEqual([row["group"] for row in rows], list(range(len(rows))))
                        self.assertEqual([row["size"] for row in rows], [len(group) for group in expected])
                        self.assertGreater(len(rows), 1)

    def test_check_against_the_oracle(self):
        texts = corpus(300, 2)
        data = jsonl(texts)
        text_of = {f"d{i}": t for i, t in enumerate(texts)}
        prints = fingerprints(data)
        file = self.write("c.jsonl", data)
        checks = (("words:2", lambda t: words(t, 2)), ("chars:3", lambda t: characters(t, 3)))
        for name, features in checks:
            sets = {name: features(text_of[name]) for name in prints}
            for least in (0.5, 0.8):
                similar = {
                    (a, b) for a, b, _ in close_pairs(prints, 16, lambda a, b: jaccard(sets[a], sets[b]) >= least)
                }
                longest = sorted(prints, key=lambda n: -len(text_of[n].encode()))
                near = lambda a, b: (a, b) in similar or (b, a) in similar
                labels = {
                    ("components", "first"): connected(prints, similar),
                    ("representatives", "first"): represented(prints, near),
                    ("representatives", "longest"): represented(longest, near),
                    ("components", "longest"): connected(longest, similar),
                }
                for (rule, kept), label in labels.items():
                    label = {name: label[name] for name in prints}  # in the order of the input
                    expected = members_of(label)
                    for source in (file, "-"):
                        with self.subTest(check=name, least=least, source=source, rule=rule, kept=kept):
                            limits = ("--distance", 16, "--min-similarity", least, "--grouping", rule, "--keep", kept)
                            options = ("--features", "words:2", "--check-features", name)
                            done = run("--jsonl", "--format", "jsonl", *limits, *options, source, data=data)
                            rows = self.assert_done(done).json
                            self.assertEqual([[m["id"] for m in row["members"]] for row in rows], expected)
                            for row, group in zip(rows, expected):
                                for member, document in zip(row["members"], group):
                                    similarity = jaccard(sets[group[0]], sets[document])
                                    self.assertAlmostEqual(member["similarity"], similarity, places=5)

    def test_short_documents_without_a_check_have_to_be_equal(self):
        texts = ["one two", "One, two!", "one two three", "one two one two", A, A.upper()]
        for distance in (3, 63):
            done = run("--jsonl", "--format", "jsonl", "--distance", distance, "-", data=jsonl(texts))
            groups = [[m["id"] for m in row["members"]] for row in done.json]
            self.assertEqual(groups, [["d0", "d1"], ["d4", "d5"]])
            done = run("pairs", "--jsonl", "--distance", distance, "-", data=jsonl(texts))
            self.assertEqual([line.split("\t")[2:] for line in done.text.splitlines()], [["d0", "d1"], ["d4", "d5"]])
            done = run("unique", "--jsonl", "--distance", distance, "-", data=jsonl(texts))
            self.assertEqual([row["id"] for row in done.json], ["d0", "d2", "d3", "d4"])
        # One that repeats little over and over is short, too; the beginning of a longer one is not all of it.
        repeated = ["one two " * 200, "two one " * 300, "one two " * 100 + A, "one two " * 150 + A]
        done = run("pairs", "--jsonl", "--distance", 63, "-", data=jsonl(repeated))
        self.assertEqual([line.split("\t")[2:] for line in done.text.splitlines()], [["d0", "d1"], ["d2", "d3"]])

    def test_similarity_chooses_the_rest_and_says_what(self):
        data = jsonl(corpus(400, 21))
        common = ("--jsonl", "--format", "jsonl", "-")
        for verb in ("groups", "pairs"):
            for given in (
                (),
                ("--similarity", 0.7),
                ("--similarity", 0.6, "--check-features", "chars:3"),
                ("--similarity", 0.9, "--bits", 128, "--features", "words"),
                ("--similarity", 0.7, "--distance", 5),
                ("--similarity", 0.7, "--min-similarity", 0.5),
                ("--min-similarity", 0.75),
            ):
                with self.subTest(verb=verb, given=given):
                    done = self.assert_done(run(verb, *given, *common, data=data))
                    said = done.err.splitlines()[0]
                    self.assertRegex(said, r"^neardup: --similarity 0\.\d+( \(the default\))? means: --features ")
                    spelt_out = run(verb, *said.split(" means: ")[1].split(), *common, data=data)
                    self.assertEqual(done.bytes, spelt_out.bytes)
                    self.assertNotIn(" means: ", spelt_out.err)
                    self.assertTrue(done.bytes)
                    self.assertEqual(run(verb, *given, "--quiet", *common, data=data).err, "")
        self.assertEqual(run(*common, data=data).bytes, run("--similarity", 0.8, *common, data=data).bytes)
        said = run("--similarity", 0.7, "--check-features", "words:3", "-", data=A).err
        self.assertIn("--features words:3 --kind minwise --bits 64 --distance ", said)
        self.assertIn("--check-features words:3 --min-similarity 0.7\n", said)
        said = run("hash", "--similarity", 0.7, "-", data=A).err
        self.assertIn("neardup: --similarity 0.7 means: --features words:2 --bits 64\n", said)
        self.assertNotIn(" means: ", run("hash", "-", data=A).err)
        self.assertNotIn(" means: ", run("--distance", 3, "-", data=A).err)

    def test_the_documented_distances_are_those_that_are_chosen(self):
        page = (SOURCE / "docs" / "command.md").read_text()
        similarities = re.search(r"^\| `--similarity` \|(.*)\|$", page, re.MULTILINE)[1].split("|")
        rows = re.findall(r"^\| `--kind (\w+)`, (\d+) bits \|(.*)\|$", page, re.MULTILINE)
        self.assertEqual(len(rows), 4)
        for kind, bits, distances in rows:
            for similarity, distance in zip(map(str.strip, similarities), map(str.strip, distances.split("|")), strict=True):
                said = run("--similarity", similarity, "--kind", kind, "--bits", bits, "-", data=A).err
                self.assertIn(f" --distance {distance} ", said, (similarity, kind, bits))

    def test_text_names_the_least_similarity_of_a_group(self):
        texts = [A, A.replace("lazy", "tired"), B]
        done = run("--lines", "--distance", 30, "--min-similarity", 0.5, "-", data="\n".join(texts))
        least = jaccard(words(texts[0], 2), words(texts[1], 2))
        shown = f"{math.floor(least * 1000) / 1000:.3f}"
        self.assertEqual(done.text, f"2 documents, similarity to the first at least {shown}\n  1.000  -:1\n  {shown}  -:2\n")

    def test_many_copies_with_a_check_are_quick(self):
        texts = [A] * 20000 + [A.replace("dog", "cat")] * 20000 + [B]
        begin = cpu_seconds()
        limits = ("--distance", 20, "--min-similarity", 0.7)
        rows = run("--lines", "--format", "jsonl", *limits, "-", data="\n".join(texts)).json
        self.assertEqual([row["size"] for row in rows], [40000])
        self.assertLess(cpu_seconds() - begin, 60)

    def test_no_features_in_the_check_means_no_group(self):
        # Copies, but of nothing that the check looks at.
        data = "!!??!!\n!!??!!\n"
        options = ("--lines", "--features", "bytes:2")
        self.assertEqual(run(*options, "-", data=data).text.count("-:"), 2)
        done = run(*options, "--check-features", "words", "--min-similarity", 0.5, "-", data=data)
        self.assertEqual(done.text, "")


class Pairs(CommandTest):
    def test_against_the_oracle(self):
        texts = corpus(300, 3)
        data = jsonl(texts)
        layouts = ((32, 3, 0), (64, 3, 0), (64, 3, 2), (64, 3, 5), (64, 10, 0), (128, 12, 0), (256, 30, 7))
        for bits, distance, blocks in layouts:
            with self.subTest(bits=bits, distance=distance, blocks=blocks):
                prints = fingerprints(data, "--bits", bits)
                expected = [
                    {"a": a, "b": b, "distance": d, "estimate": float(f"{math.cos(math.pi * d / bits):.6g}")}
                    for a, b, d in close_pairs(prints, distance, unless_short(texts))
                ]
                layout = ["--bits", bits, "--distance", distance] + (["--blocks", blocks] if blocks else [])
                rows = run("pairs", "--jsonl", "--format", "jsonl", *layout, "-", data=data).json
                self.assertEqual(rows, expected)
                self.assertGreater(len(rows), 20)

    def test_similarity_stands_there_when_checked(self):
        texts = corpus(200, 4)
        data = jsonl(texts)
        text_of = {f"d{i}": t for i, t in enumerate(texts)}
        prints = fingerprints(data, "--features", "chars:4")
        expected = []
        for a, b, d in close_pairs(prints, 14):
            similarity = jaccard(characters(text_of[a], 4), characters(text_of[b], 4))
            if similarity >= 0.6:
                expected.append((a, b, d, float(f"{similarity:.6g}")))
        options = ("--features", "chars:4", "--distance", 14, "--min-similarity", 0.6)
        rows = run("pairs", "--jsonl", "--format", "jsonl", *options, "-", data=data).json
        self.assertEqual([(r["a"], r["b"], r["distance"], r["similarity"]) for r in rows], expected)
        self.assertGreater(len(rows), 20)

    def test_text_has_tabs(self):
        done = run("pairs", "--lines", "-", data=f"{A}\n{B}\n{A}\n")
        self.assertEqual(done.text, "1.000\t0\t-:1\t-:3\n")
        self.assertIn("3 documents: 1 pair of near-duplicates", done.err)

    def test_copies_once(self):
        texts = [text for text in corpus(300, 23) if len(text.split()) > 9]
        texts += [" ".join(reversed(text.split())) for text in texts[:50]]  # with the same fingerprint by single words
        texts += [texts[i * 7 % len(texts)] for i in range(200)]
        self.write("long.jsonl", jsonl(texts))
        texts += ["one", "two", "one"]
        self.write("all.jsonl", jsonl(texts))

        def is_wanted(pair):
            a, b = (int(pair[key][1:]) for key in ("a", "b"))
            return texts.index(texts[a]) == a and texts.index(texts[b]) in (a, b)

        for source, options in (
            ("all.jsonl", ("--similarity", 0.6)),
            ("all.jsonl", ("--similarity", 0.8, "--check-features", "chars:4")),
            ("all.jsonl", ("--features", "words", "--check-features", "chars:4", "--min-similarity", 0.2)),
            ("all.jsonl", ("--distance", 20, "--bits", 256)),
            ("long.jsonl", ("--distance", 3)),  # fingerprints alone decide
        ):
            with self.subTest(source=source, options=options):
                line = ("pairs", "--jsonl", "--format", "jsonl", *options, self.folder / source)
                every = self.assert_done(run(*line)).json
                once = self.assert_done(run(*line, "--copies-once")).json
                self.assertEqual(once, [pair for pair in every if is_wanted(pair)])
                self.assertLess(len(once), len(every))
                self.assertEqual(once, self.assert_done(run(*line, "--copies-once", "--threads", 3)).json)
        path = self.folder / "all.jsonl"
        self.assert_fails(run("pairs", "--copies-once", "--against", path, path), "--copies-once")

    @unittest.skipIf(SANITIZED, "with sanitizers the program needs terabytes of addresses")
    def test_candidates_that_fail_the_check_take_no_memory(self):
        def limit():
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        # Some ten million pairs within the distance, of which a few have the similarity.
        draw = random.Random(5)
        template = [f"w{draw.randrange(3000)}" for _ in range(60)]
        lines = []
        for _ in range(8000):
            line = list(template)
            for place in draw.sample(range(60), 5):
                line[place] = f"w{draw.randrange(3000)}"
            lines.append(" ".join(line))
        lines.append(lines[17])
        data = "\n".join(lines).encode()
        wide = ["--distance", 20, "--format", "jsonl", "-"]
        done = run("pairs", "--lines", "--threads", 1, "--min-similarity", 0.9, *wide, data=data, preexec_fn=limit)
        self.assertIn({"a": "-:18", "b": "-:8001"}, [{"a": row["a"], "b": row["b"]} for row in self.assert_done(done).json])


class Hash(CommandTest):
    def test_prints_fingerprint_and_id(self):
        self.write("a", A)
        self.write("empty", "")
        done = self.assert_done(run("hash", self.folder))
        self.assertRegex(done.text, rf"^[0-9a-f]{{16}}  {self.folder}/a\n-  {self.folder}/empty\n$")
        done = run("hash", "--format", "jsonl", self.folder)
        self.assertEqual(done.json[1], {"id": f"{self.folder}/empty", "fingerprint": None})

    def test_width_and_seed(self):
        for bits in (32, 64, 128, 256):
            self.assertRegex(run("hash", "--bits", bits, "-", data=A).text, rf"^[0-9a-f]{{{bits // 4}}}  -\n$")
        for weights in ("unit", "tf", "logtf"):
            wide = run("hash", "--weights", weights, "-", data=A).text
            self.assertEqual(run("hash", "--weights", weights, "--bits", 32, "-", data=A).text, wide[8:])
        first = run("hash", "-", data=A).text
        self.assertEqual(first, run("hash", "--seed", 0, "-", data=A).text)
        self.assertNotEqual(first, run("hash", "--seed", 1, "-", data=A).text)
        self.assertEqual(run("hash", "--seed", 255, "-", data=A).text, run("hash", "--seed", "0xff", "-", data=A).text)

    def same(self, first, second, *options):
        return run("hash", *options, "-", data=first).text == run("hash", *options, "-", data=second).text

    def test_features(self):
        for features in ("words", "words:1", "words:3", "chars:3"):
            options = ("--features", features)
            self.assertTrue(self.same("Ärger, IN   the\tHouse!", "ärger in the house", *options), features)
        self.assertFalse(self.same("Some Words", "some words", "--features", "bytes:3"))
        self.assertTrue(self.same("one two three", "three one two", "--features", "words"))
        self.assertFalse(self.same("one two three", "three one two", "--features", "words:2"))
        self.assertTrue(self.same("one two three", "one two three", "--features", "words:2"))
        self.assertEqual(run("hash", "-", data=A).text, run("hash", "--features", "words:2", "-", data=A).text)
        single = [run("hash", "--features", name, "-", data=A).text for name in ("words", "words:1")]
        self.assertEqual(*single)

    def test_weights(self):
        once = "alpha beta gamma delta epsilon"
        often = once + " alpha" * 30
        words = ("--features", "words")
        self.assertTrue(self.same(once, often, *words))
        self.assertFalse(self.same(once, often, *words, "--weights", "tf"))
        self.assertFalse(self.same(once, often, *words, "--weights", "logtf"))
        self.assertTrue(self.same(once, once, *words, "--weights", "logtf"))

    def test_idf_is_learnt_or_read(self):
        texts = [t + " common words everywhere" for t in corpus(200, 5)]
        data = jsonl(texts)
        options = ("hash", "--jsonl", "--features", "words", "--weights", "idf")
        learnt = self.assert_done(run(*options, self.write("c.jsonl", data))).text
        self.assertEqual(learnt, run(*options, "-", data=data).text)
        frequency = {}
        for text in texts:
            for word in {token for (token,) in words_of(text)}:
                frequency[word] = frequency.get(word, 0) + 1
        table = "".join(f"{word} {math.log(1 + len(texts) / df):.9f}\n" for word, df in frequency.items())
        self.assertEqual(learnt, run(*options, "--idf-file", self.write("idf.txt", table), "-", data=data).text)
        self.assertNotEqual(learnt, run("hash", "--jsonl", "--features", "words", "-", data=data).text)
        self.assert_fails(run(*options, "--idf-file", self.write("bad.txt", "word\n"), "-", data=data), "bad.txt:1:")
        weightless = (*options, "--idf-file", self.write("the.txt", "the 0\n"), "-")
        done = self.assert_done(run(*weightless, data=jsonl(["the", "the the"])))
        self.assertIn("2 documents have no tokens of any weight (the first: standard input:1)", done.err)
        done = run(*weightless, "--strict", data=jsonl(["the", "the the"]))
        self.assert_fails(done, "standard input:1: a document without tokens of any weight")
        self.assert_fails(run(*options, "--idf-file", "none.txt", "-", data=data), "none.txt")

    def test_idf_of_other_terms_is_said(self):
        data = jsonl(["red fish", "blue fish"])
        others = ("--features", "words", "--weights", "idf", "--idf-file", self.write("idf.txt", "cat 2\nfish 3\n"))
        pairs = ("--weights", "tfidf", "--idf-file", others[-1])
        note = "neardup: no feature of the documents is a term in " + str(others[-1])
        for verb in ("hash", "tokens", "pairs"):
            self.assertNotIn(note, run(verb, "--jsonl", *others, "-", data=data).err)
            self.assertIn(note, run(verb, "--jsonl", *pairs, "-", data=data).err)
            self.assertIn(note, run(verb, "--jsonl", *pairs, "--top", 2, "-", data=data).err)
            self.assertNotIn(note, run(verb, "--jsonl", *pairs, "--quiet", "-", data=data).err)
            self.assertNotIn(note, run(verb, "--jsonl", *pairs, "-", data=jsonl([""])).err)
        large = self.write("large.txt", "red " * (1 << 22) + "blue")
        self.assertIn(note, run("hash", *others, large).err)
        self.assertNotIn(note, run("hash", *others, self.write("larger.txt", "red " * (1 << 22) + "fish")).err)


def words_of(text):
    return words(text, 1)


DICTIONARY = "研究 100\n研究生 50\n生命 80\n起源 60\n的 900\n我 500\n们 100\n我们 400\n大学 90\n学生 70\n"
ZH = "我们研究生命的起源"


def jieba():
    """Debian's segmenter, which the program is held against where it is installed."""
    try:
        sys.path.append("/usr/lib/python3/dist-packages")
        import jieba.analyse
    except ImportError:
        raise unittest.SkipTest("python3-jieba is not installed")
    finally:
        sys.path.remove("/usr/lib/python3/dist-packages")
    jieba.setLogLevel(60)
    return jieba


class Words(CommandTest):
    """Words by a dictionary, and a look at them by `neardup tokens`."""

    def setUp(self):
        super().setUp()
        self.dictionary = self.write("jieba/dict.txt", DICTIONARY)
        self.options = ("--features", "zh:words", "--dictionary", self.dictionary, "--no-hmm")

    def tokens(self, text, *options):
        done = self.assert_done(run("tokens", *options, "-", data=text))
        return [tuple(line.split("\t")) for line in done.text.splitlines()]

    def words(self, text, *options):
        return [word for word, _ in self.tokens(text, *self.options, *options)]

    def test_tokens_of_any_features(self):
        self.assertEqual(self.tokens("B a, b A", "--features", "words"), [("b", "1"), ("a", "1")])
        self.assertEqual(self.tokens("B a, b A", "--features", "words", "--weights", "tf"), [("b", "2"), ("a", "2")])
        self.assertEqual(self.tokens("B a, b A"), [("b a", "1"), ("a b", "1")])
        self.assertEqual(self.tokens("ab\n", "--features", "bytes:2"), [("ab", "1"), ("b\\n", "1")])
        table = self.write("idf.txt", "a 1.5\nb 0.25\nc 0\n")
        rare = ("--features", "words", "--idf-file", table, "--weights")
        self.assertEqual(self.tokens("a a b c d", *rare, "idf"), [("a", "1.5"), ("b", "0.25"), ("d", "0.25")])
        self.assertEqual(self.tokens("a a b c d", *rare, "tfidf"), [("a", "3"), ("b", "0.25"), ("d", "0.25")])
        self.assertEqual(self.tokens("d d b a", *rare, "tfidf", "--top", 2), [("a", "1.5"), ("d", "0.5")])
        self.assertEqual(self.tokens("d b a", *rare, "tfidf", "--top", 2), [("a", "1.5"), ("b", "0.25")])

    def test_tokens_of_several_documents(self):
        data = jsonl(["one two", "", "two two"])
        options = ("tokens", "--jsonl", "--features", "words", "-")
        self.assertEqual(self.assert_done(run(*options, data=data)).text, "one\t1\ntwo\t1\n\n\ntwo\t1\n")
        done = self.assert_done(run(*options, "--format", "jsonl", "--weights", "tf", data=data))
        self.assertEqual(done.json[0], {"id": "d0", "tokens": [["one", 1], ["two", 1]]})
        self.assertEqual([d["tokens"] for d in done.json[1:]], [[], [["two", 2]]])
        self.assertIn("1 document has no tokens", done.err)

    def test_tokens_make_the_fingerprint(self):
        """What tokens says, hashed by hash --weighted-field, is what hash says of the text."""
        data = jsonl(corpus(30, 7) + [A, B])
        table = self.write("idf.txt", "".join(f"w{i} {1 + i % 7}.5\n" for i in range(300)))
        for options in ((), ("--weights", "tf"), ("--features", "chars:3"),
                        ("--features", "words", "--weights", "tfidf", "--idf-file", table),
                        ("--features", "words", "--weights", "tfidf", "--idf-file", table, "--top", 5)):
            tokens = run("tokens", "--jsonl", "--format", "jsonl", *options, "-", data=data).bytes
            for bits in (32, 64, 128, 256):
                expected = run("hash", "--jsonl", *options, "--bits", bits, "-", data=data).text
                given = run("hash", "--jsonl", "--weighted-field", "tokens", "--bits", bits, "-", data=tokens).text
                self.assertEqual(given, expected, options)

    def test_words_by_a_dictionary(self):
        self.assertEqual(self.words(ZH), ["我们", "研究", "生命", "的", "起源"])
        self.assertEqual(self.words("研究生，TiDB 3.14！"), ["研究生", "TiDB", "3", "14"])  # the model keeps 3.14
        self.assertEqual(self.words("牛奶 大学生"), ["牛", "奶", "大学", "生"])
        user = self.write("user.txt", "大学生 9000\n牛奶\n")
        self.assertEqual(self.words("牛奶 大学生", "--user-dictionary", user), ["牛奶", "大学生"])
        stop = self.write("stop.txt", "的\nTHE\n")
        self.assertEqual(self.words("我们的the The x", "--stop-words", stop), ["我们", "x"])

    @unittest.skipUnless("NEARDUP_SAVED_DICTIONARY" in os.environ, "no program that saves a dictionary")
    def test_a_saved_dictionary(self):
        saved = self.folder / "words.dictionary"
        subprocess.run([os.environ["NEARDUP_SAVED_DICTIONARY"], self.dictionary, saved], check=True, capture_output=True)
        user = self.write("user.txt", "大学生 9000\n牛奶\n")
        for options in ((), ("--user-dictionary", user)):
            expected = run("hash", *self.options, *options, "-", data=ZH + " 牛奶 大学生").text
            options = ("--features", "zh:words", "--dictionary", saved, "--no-hmm", *options)
            self.assertEqual(run("hash", *options, "-", data=ZH + " 牛奶 大学生").text, expected)
            self.assertEqual(len(expected.split()), 2)
        whole = saved.read_bytes()
        for damaged in (whole[:-1], whole[:200] + bytes([whole[200] ^ 1]) + whole[201:]):
            saved.write_bytes(damaged)
            self.assert_fails(run("hash", *options, "-", data=ZH), str(saved))

    def test_the_model_is_beside_the_dictionary_or_where_one_says(self):
        for name, table in (("prob_start.py", "{'B': -0.1, 'E': -3.14e100, 'M': -3.14e100, 'S': -9.0}"),
                            ("prob_trans.py", "{'B': {'E': -0.1, 'M': -5.0}, 'E': {'B': -0.5, 'S': -5.0},"
                                              " 'M': {'E': -0.1, 'M': -5.0}, 'S': {'B': -0.5, 'S': -5.0}}"),
                            ("prob_emit.py", "{'B': {'\\u725b': -1.0}, 'E': {'\\u5976': -1.0}, 'M': {}, 'S': {}}")):
            self.write(f"model/{name}", "P=" + table + "\n")
        options = ("--features", "zh:words", "--dictionary", self.dictionary)
        self.assert_fails(run("tokens", *options, "-"), "jieba/finalseg", "--model", "--no-hmm")
        self.assert_fails(run("tokens", *options, "--model", "nowhere", "-"), "--model nowhere is no folder", "prob_start.py")
        self.assert_fails(run("tokens", "--features", "zh:words", "--dictionary", "none.txt", "-"), "cannot open", "none.txt")
        model = self.folder / "model"
        self.assertEqual(self.tokens("牛奶", *options, "--model", model), [("牛奶", "1")])
        shutil.copytree(model, self.folder / "jieba" / "finalseg")
        self.assertEqual(self.tokens("牛奶", *options), [("牛奶", "1")])
        self.assertEqual(self.tokens("牛奶", *options, "--no-hmm"), [("牛", "1"), ("奶", "1")])
        self.write("model/prob_emit.py", "P={'B': {'\\u725b': 1.0}}\n")
        self.assert_fails(run("tokens", *options, "--model", model, "-"), "model/prob_emit.py:1:")

    def test_keywords(self):
        options = ("--features", "zh:keywords", "--dictionary", self.dictionary, "--no-hmm")
        table = self.write("idf.txt", "研究 2\n我们 1\n生命 2.00000000001\n起源 3\n")
        ranked = ("--weights", "tfidf", "--idf-file", table, "--top")
        self.assertEqual(self.tokens(ZH + " the x", *options), [(w, "1") for w in ("我们", "研究", "生命", "起源")])
        expected = [("起源", "3"), ("生命", "2"), ("研究", "2")]  # the last two by the eleventh decimal
        self.assertEqual(self.tokens(ZH, *options, *ranked, 3), expected)
        self.assertEqual(self.tokens(ZH + "我们我们我们", *options, *ranked, 1), [("我们", "4")])

    def test_broken_files_are_named_with_the_line(self):
        fails = lambda *options: self.assert_fails(run("tokens", *self.options, *options, "-", data=ZH), *expected)
        expected = ("user.txt:2: not UTF-8",)
        fails("--user-dictionary", self.write("user.txt", b"ab\nb\xff 3\n"))
        expected = ("stop.txt:3: not UTF-8",)
        fails("--stop-words", self.write("stop.txt", b"a\n\n\xff\n"))
        expected = ("idf.txt: there is no term in it",)
        fails("--weights", "tfidf", "--idf-file", self.write("idf.txt", "\n"))
        expected = ("cannot open", "none.txt")
        fails("--stop-words", "none.txt")
        fails("--user-dictionary", "none.txt")
        self.write("jieba/dict.txt", "研究 100\n研究生\n")
        expected = ("jieba/dict.txt:2: ",)
        fails()
        self.write("jieba/dict.txt", "\n")
        expected = ("jieba/dict.txt: there is no word in it",)
        fails()
        self.dictionary.unlink()
        expected = ("cannot open", "jieba/dict.txt")
        fails()

    def test_every_verb_takes_them(self):
        data = jsonl([ZH * 4, ZH * 4 + "大学", "学生 大学 起源 的 我"])
        for verb in ("groups", "pairs", "unique"):
            done = self.assert_done(run(verb, "--jsonl", *self.options, "--similarity", 0.6, "-", data=data))
            self.assertNotIn("d2", done.text if verb != "unique" else "")
        self.assertEqual(len(run("pairs", "--jsonl", *self.options, "--similarity", 0.6, "-", data=data).text.splitlines()), 1)
        mixed = ("--features", "zh:words", "--check-features", "chars:2", *self.options[2:])
        self.assert_done(run("pairs", "--jsonl", *mixed, "-", data=data))
        self.assert_fails(run("advise", "--features", "zh:words", "x"), "advise knows no words by a dictionary")

    @unittest.skipIf(SANITIZED, "half a minute; Sources.large_documents_and_lines comes in pieces, too")
    def test_whole_text_and_pieces(self):
        """A file above 16 MB comes in pieces; its fingerprint is that of the record with the same text."""
        text = (ZH + "，大学学生 x") * 420000
        path = self.write("large.txt", text)
        self.assertGreater(path.stat().st_size, 1 << 24)
        table = self.write("idf.txt", "研究 2\n我们 1\n生命 2.5\n起源 3\n")
        for more in ((), ("--weights", "tfidf", "--idf-file", table, "--top", 3)):
            whole = run("hash", "--jsonl", *self.options, *more, "-", data=jsonl([text])).text.split()[0]
            self.assertEqual(run("hash", *self.options, *more, path).text.split()[0], whole)

    @unittest.skipIf(SANITIZED, "each run reads the whole dictionary")
    def test_against_jieba(self):
        theirs = jieba()
        texts = [ZH, "小明硕士毕业于中国科学院计算所，后在日本京都大学深造。", "TiDB 是一款开源的分布式关系型数据库 (v5.0)；the end",
                 "他来到了网易杭研大厦", "工信处女干事每月经过下属科室都要亲口交代24口交换机等技术性器件的安装工作"]
        base = os.path.dirname(theirs.__file__)
        for text in texts:
            done = self.assert_done(run("tokens", "--features", "zh:words", "--weights", "tf", "-", data=text))
            self.assertIn("jieba/dict.txt", done.err)
            count = {}
            for word in theirs.cut(text):
                if any(c.isalnum() for c in word):
                    count[word] = count.get(word, 0) + 1
            self.assertEqual(done.text, "".join(f"{word}\t{n}\n" for word, n in count.items()))
            keywords = ("tokens", "--features", "zh:keywords", "--weights", "tfidf", "--top", 20,
                        "--idf-file", os.path.join(base, "analyse", "idf.txt"), "--quiet", "-")
            ours = [line.split("\t")[0] for line in self.assert_done(run(*keywords, data=text)).text.splitlines()]
            idf, median = theirs.analyse.default_tfidf.idf_freq, theirs.analyse.default_tfidf.median_idf
            expected = theirs.analyse.extract_tags(text, topK=20)
            rank = lambda word: (-round(count[word] * idf.get(word, median), 9), word.encode())
            self.assertEqual(ours, sorted(expected, key=rank))


class Weighted(CommandTest):
    """Words that come with their weights."""

    def hash(self, *records, options=()):
        data = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records)
        return run("hash", "--jsonl", "--weighted-field", "tags", *options, "-", data=data)

    def test_only_the_proportions_count(self):
        tags = [["研究", 0.0625], ["生命", 0.078125], ["\u0041\n", 0.046875]]
        large = [[word, weight * 2**40] for word, weight in reversed(tags)]
        halves = [[w, x / 2] for w, x in tags + tags]
        done = self.assert_done(self.hash(*({"tags": t} for t in (tags, large, halves, tags[:2]))))
        prints = [line.split()[0] for line in done.text.splitlines()]
        self.assertEqual(prints[0], prints[1])
        self.assertEqual(prints[0], prints[2])
        self.assertNotEqual(prints[0], prints[3])

    def test_one_word_has_its_hash(self):
        word = run("hash", "--features", "words", "-", data="word").text.split()[0]
        self.assertEqual(self.hash({"tags": [["word", 0.001]]}).text.split()[0], word)
        top = self.hash({"tags": [["b", 1], ["word", 1.5], ["a", 1]]}, options=("--top", 1))
        self.assertEqual(top.text.split()[0], word)

    def test_what_a_similarity_chose_can_be_spelt_out(self):
        data = "".join(json.dumps({"tags": [[f"w{i}", 1 + i % 3] for i in range(first, 30)]}) + "\n" for first in (0, 1))
        common = ("pairs", "--jsonl", "--weighted-field", "tags", "-")
        done = self.assert_done(run(*common, data=data))
        self.assertTrue(done.bytes)
        chosen = done.err.splitlines()[0].split(" means: ")[1].split()
        self.assertEqual(self.assert_done(run(*common, *chosen, data=data)).bytes, done.bytes)

    def test_nothing_that_weighs(self):
        done = self.assert_done(self.hash({"tags": []}, {"tags": [["a", 0]]}))
        self.assertEqual([line[0] for line in done.text.splitlines()], ["-", "-"])

    def test_near_duplicates(self):
        tags = [[f"w{i}", 1 + i % 5] for i in range(40)]
        records = [{"id": "a", "tags": tags}, {"id": "b", "tags": tags[1:]}, {"id": "c", "tags": [[w + "x", x] for w, x in tags]}]
        data = "".join(json.dumps(r) + "\n" for r in records)
        for options in ((), ("--check", "cosine")):
            done = self.assert_done(run("pairs", "--jsonl", "--weighted-field", "tags", *options, "-", data=data))
            self.assertEqual([line.split("\t")[2:] for line in done.text.splitlines()], [["a", "b"]])
        self.assertIn("0.975", run("pairs", "--jsonl", "--weighted-field", "tags", "-", data=data).text)

    def test_a_score_beside_the_words(self):
        words = [[f"w{i}", 1.5] for i in range(20)]
        for records in ([{"t": words, "s": s} for s in (1, 2)], [{"s": s, "t": words} for s in (1, 2)]):
            data = "".join(json.dumps(r) + "\n" for r in records)
            done = run("unique", "--jsonl", "--weighted-field", "t", "--keep", "highest:s", "--distance", 3, "-", data=data)
            self.assertEqual([r["s"] for r in self.assert_done(done).json], [2])

    def test_bad_records(self):
        good = {"tags": [["a", 1]]}
        for bad in (5, "a", ["a", 1], [["a"]], [["a", 1, 2]], [[1, "a"]], [["a", -1]], [["a", "1"]], [["a", None]],
                    [["a", 1], "b"], [{"a": 1}], None, {"a": 1}):
            done = self.assert_fails(self.hash(good, {"tags": bad}), 'standard input:2: field "tags" is not an array of [word, weight]')
        self.assert_fails(self.hash(good, {"text": "a"}), 'standard input:2: no field "tags"')
        self.assert_fails(run("hash", "--jsonl", "--weighted-field", "t", "-", data='{"t":[["a",1e999]]}\n'), ":1: field")
        self.assert_fails(run("hash", "--jsonl", "--weighted-field", "t", "-", data='{"t":[["a",1],]}\n'), ":1: not valid JSON")
        self.assert_fails(run("hash", "--jsonl", "--weighted-field", "t", "-", data='{"t":[["\\x",1]]}\n'), ":1: not valid JSON")


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


class Check(CommandTest):
    """--check: each measure against a plain one, over all candidates."""

    def pairs(self, texts, *options):
        done = self.assert_done(run("pairs", "--jsonl", "--distance", 63, *options, "-", data=jsonl(texts)))
        return [tuple(line.split("\t")) for line in done.text.splitlines()]

    def expected(self, texts, least, similarity):
        result = []
        for j, b in enumerate(texts):
            for i, a in enumerate(texts[:j]):
                if (s := similarity(a, b)) >= least:
                    result.append((i, j, f"{math.floor(s * 1000 + 1e-6) / 1000:.3f}"))
        return sorted(result)

    def test_against_the_oracle(self):
        texts = corpus(60, 11, words=8, vocabulary=60) + ["研究生命的起源", "研究生命之起源"]
        fold = lambda text: " ".join(re.findall(r"[\w]+", text.lower()))

        def edit(a, b):
            return 1 - edit_distance(fold(a), fold(b)) / max(len(fold(a)), len(fold(b)))

        def cosine(a, b):
            a, b = ({w: fold(t).split().count(w) for w in fold(t).split()} for t in (a, b))
            norm = math.sqrt(sum(x * x for x in a.values()) * sum(x * x for x in b.values()))
            return sum(x * b.get(w, 0) for w, x in a.items()) / norm

        words_only = texts[:-2]
        for least in (0.5, 0.7, 0.9):
            for given, options, oracle in ((texts, ("--check", "edit"), edit),
                                           (words_only, ("--check", "cosine", "--features", "words", "--weights", "tf"), cosine)):
                found = self.pairs(given, "--min-similarity", least, *options)
                self.assertEqual([(int(a[1:]), int(b[1:]), s) for s, _, a, b in found], self.expected(given, least, oracle))
                self.assertGreater(len(found), 5)

    def test_edit_is_the_measure_of_short_texts(self):
        texts = ["研究生命的起源", "研究生命之起源", "ＡＢ完全不同的句子"]
        found = self.pairs(texts, "--min-similarity", 0.8, "--check", "edit", "--features", "chars:2")
        self.assertEqual(found[0][0], "0.857")
        groups = run("groups", "--jsonl", "--distance", 40, "--min-similarity", 0.8, "--check", "edit", "-", data=jsonl(texts))
        self.assertIn("2 documents, similarity to the first at least 0.857", self.assert_done(groups).text)
        unique = run("unique", "--jsonl", "--distance", 40, "--min-similarity", 0.8, "--check", "edit", "-", data=jsonl(texts))
        self.assertEqual(len(unique.text.splitlines()), 2)

    def test_says_the_measure(self):
        self.assertIn("--features words:1 --kind simhash --bits 64 --distance 17 --check edit --check-features words:1",
                      run("pairs", "--check", "edit", "-", data=A).err)

    def test_replaced_characters_are_found_with_any_features(self):
        # 300 pairs of posts of 40 characters, of which up to 12 are replaced: an edit similarity of .7 and more.
        rng = random.Random(20)
        texts = []
        for i in range(300):
            characters = [chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(40)]
            texts.append("".join(characters))
            for place in rng.sample(range(40), i % 13):
                characters[place] = chr(rng.randrange(0x4E00, 0x9FA5))
            texts.append("".join(characters))
        # Fingerprints of 39 pairs stray more than the theory of the distance knows; of the wrong distance, .77 were found.
        for features, share in (((), 0.96), (("--features", "chars:1"), 0.96), (("--features", "chars:2"), 0.92),
                                (("--features", "words:2"), 0.92)):
            found = self.assert_done(run("pairs", "--jsonl", "--check", "edit", "--similarity", "0.7", *features, "-",
                                         data=jsonl(texts)))
            self.assertGreaterEqual(len(found.text.splitlines()), share * 300, features)


class Find(CommandTest):
    def test_against_the_oracle(self):
        rng = random.Random(3)
        texts = [" ".join(f"w{rng.randrange(40)}" for _ in range(rng.randrange(3, 60))) for _ in range(80)]
        for _ in range(30):
            source = rng.choice(texts).split()
            at = rng.randrange(len(source))
            clue = source[at : at + rng.randrange(1, 12)]
            clue[rng.randrange(len(clue))] = f"w{rng.randrange(40)}"
            wanted = set(clue)
            size = len(clue) + len(clue) // 4 + 1
            shares = []
            for i, text in enumerate(texts):
                tokens = text.split()
                best = max(len(wanted & set(tokens[max(0, end - size) : end])) for end in range(1, len(tokens) + 1))
                if best and best / len(wanted) >= 0.4:
                    shares.append((-best / len(wanted), i))
            done = self.assert_done(run("find", "--jsonl", "--features", "words", "--min-similarity", 0.4, "--most", 1000,
                                        "--format", "jsonl", " ".join(clue), "-", data=jsonl(texts)))
            self.assertEqual([(r["id"], r["share"]) for r in done.json],
                             [(f"d{i}", float(f"{-s:.6g}")) for s, i in sorted(shares)])

    def test_finds_a_changed_sentence(self):
        page = B + ". " + A + ". " + B
        self.write("a.txt", page)
        self.write("b.txt", B)
        clue = A.replace("fox", "cat")
        done = self.assert_done(run("find", clue, self.folder))
        self.assertEqual(done.text, f"0.888\t{self.folder}/a.txt\n")
        self.assertIn("2 documents: 1 holds the clue, or much of it", done.err)
        self.assertEqual(run("find", A, self.folder, "--format", "jsonl").json, [{"id": f"{self.folder}/a.txt", "share": 1}])

    def test_a_clue_shorter_than_a_feature_is_looked_for_as_it_stands(self):
        self.write("a.txt", A)
        self.write("b.txt", A.replace("fox", "cat"))
        self.write("c.txt", "fox")
        found = lambda *words: [line.split("\t") for line in run("find", *words, self.folder).text.splitlines()]
        with_fox = [["1.000", f"{self.folder}/{name}.txt"] for name in "ac"]
        self.assertEqual(found("fox"), with_fox)
        self.assertEqual(found("Fox!"), with_fox)
        self.assertEqual(found("--features", "words:3", "brown fox"), with_fox[:1])
        self.assertEqual(found("--features", "chars:5", "fox"), with_fox)
        self.assertEqual(found("--features", "masked:words:2", "fox"), with_fox)
        self.assertEqual(found("--min-similarity", "0.9", "--features", "words:1", "brown fox"), with_fox[:1])
        self.assertEqual(found("wolf"), [])

    def test_wrong_clues(self):
        self.assert_fails(run("find", "...", self.write("a", A)), "'...': a clue without any word")
        self.assert_fails(run("find", "clue"), 'find takes a clue, and then files or folders: neardup find "')


class Kinds(CommandTest):
    def test_codes_are_those_of_the_library(self):
        # The golden values of tests/fingerprint/minwise_test.cpp.
        fox = "The quick brown fox jumps over the lazy dog; the quick brown fox is quick."
        for options, expected in (
            ((), "79109514df1a770c"),
            (("--seed", 42), "56b8e28e5d37e31b"),
            (("--bits", 32), "4f3a7f0c"),
            (("--bits", 128), "e32f1475ce4a7a6ca9119710df9a7f0c"),
            (("--features", "bytes:5"), "32f83d03d6ea1bb4"),
        ):
            self.assertEqual(run("hash", "--kind", "minwise", *options, "-", data=fox).text.split()[0], expected)
        self.assertEqual(run("hash", "--kind", "minwise", "--lines", "-", data="!\n").text.split()[0], "-")
        # A file in pieces.
        text = " ".join(f"w{i % 7001}" for i in range(2_000_000))
        whole = run("hash", "--kind", "minwise", "--lines", "-", data=text).text.split()[0]
        self.assertEqual(run("hash", "--kind", "minwise", self.write("large", text)).text.split()[0], whole)

    def test_fields_count_as_one_set(self):
        record = json.dumps({"t": "one two three", "u": "four five six"}).encode()
        other = json.dumps({"t": "four five six", "u": "one two three one"}).encode()
        both = ("--jsonl", "--text-field", "t", "--text-field", "u", "-")
        hashes = [run("hash", "--kind", "minwise", "--features", "words", *both, data=d).text.split()[0]
                  for d in (record, other)]
        self.assertEqual(hashes[0], hashes[1])

    def test_pairs_are_those_within_the_distance_and_similar(self):
        texts = corpus(300, 5)
        data = jsonl(texts)
        sets = {f"d{i}": words(text, 2) for i, text in enumerate(texts)}
        for kind in ("minwise", "simhash"):
            prints = fingerprints(data, "--kind", kind)
            expected = {(a, b, d) for a, b, d in close_pairs(prints, 9) if jaccard(sets[a], sets[b]) >= 0.6}
            self.assertGreater(len(expected), 50)
            rows = run("pairs", "--kind", kind, "--distance", 9, "--min-similarity", 0.6, "--jsonl", "--format", "jsonl",
                       "-", data=data).json
            self.assertEqual({(row["a"], row["b"], row["distance"]) for row in rows}, expected)
            for row in rows:
                estimate = 1 - row["distance"] / 32 if kind == "minwise" else math.cos(math.pi * row["distance"] / 64)
                self.assertAlmostEqual(row["estimate"], estimate, places=5)

    def test_other_features_for_the_check(self):
        texts = corpus(200, 6)
        data = jsonl(texts)
        prints = fingerprints(data, "--kind", "minwise", "--features", "words")
        sets = {f"d{i}": words(text, 2) for i, text in enumerate(texts)}
        expected = {(a, b) for a, b, _ in close_pairs(prints, 12) if jaccard(sets[a], sets[b]) >= 0.7}
        rows = run("pairs", "--kind", "minwise", "--features", "words", "--check-features", "words:2", "--distance", 12,
                   "--min-similarity", 0.7, "--jsonl", "--format", "jsonl", "-", data=data).json
        self.assertEqual({(row["a"], row["b"]) for row in rows}, expected)

    def test_auto_takes_what_has_fewer_candidates(self):
        def said(*options):
            return run("pairs", *options, "-", data="one two").err

        self.assertIn("--kind minwise --bits 64 --distance 10 ", said())
        self.assertIn("--kind minwise --bits 128 --distance ", said("--bits", 128, "--kind", "auto", "--similarity", 0.7))
        self.assertIn("--kind simhash --bits 64 --distance 14 ", said("--kind", "simhash"))
        self.assertIn("--kind simhash --bits 64 --distance 14 ", said("--weights", "logtf"))
        self.assertIn("--kind simhash --bits 64 --distance 5 ", said("--similarity", 0.8, "--distance", 5))

    def test_what_makes_no_sense_is_refused(self):
        self.assert_fails(run("--kind", "minhash", "x"), "--kind 'minhash': kinds are auto, simhash and minwise")
        self.assert_fails(run("--kind", "minwise", "--weights", "tf", "x"), "--kind minwise knows no weights")


class Advise(CommandTest):
    def advice(self, *arguments, **more):
        (row,) = self.assert_done(run("advise", "--format", "jsonl", *arguments, **more)).json
        return row

    @staticmethod
    def edited(count, seed, length=40):
        """Texts, most of them others with up to six words changed."""
        rng = random.Random(seed)
        word = lambda: f"w{rng.randrange(5000)}"
        texts = []
        while len(texts) < count:
            first = [word() for _ in range(rng.randrange(length, 2 * length))]
            for _ in range(rng.randrange(1, 5)):
                copy = first[:]
                for _ in range(rng.randrange(7)):
                    copy[rng.randrange(len(copy))] = word()
                texts.append(" ".join(copy))
        return texts[:count]

    def test_what_is_predicted_happens(self):
        file = self.write("c.jsonl", jsonl(self.edited(1600, 41)))
        for limit, features in ((0.8, "words:2"), (0.6, "chars:3"))[: 1 if SANITIZED else 2]:
            check = ("--check-features", features, "--min-similarity", limit)
            # Within 63 of 64 bits are all pairs.
            every = len(run("pairs", "--jsonl", "--distance", 63, *check, file).text.splitlines())
            self.assertGreater(every, 300)
            found = self.advice("--jsonl", "--similarity", limit, "--check-features", features, file)
            # The sample has all documents, so this is no estimate.
            self.assertEqual((found["documents"], found["sampled"]), (1600, 1600))
            self.assertEqual((found["similar_pairs"], found["pairs_seen"]), (every, 2 * every))
            self.assertTrue(found["is_reached"])
            self.assertEqual(len(found["setups"]), 4 * len(found["facts"]))
            for number, setup in enumerate(found["setups"]):
                if SANITIZED and number != found["recommended"]:
                    continue
                with self.subTest(limit=limit, setup=setup):
                    limits = ("--features", setup["features"], "--kind", setup["kind"], "--bits", setup["bits"],
                              "--distance", setup["distance"])
                    met = len(run("pairs", "--jsonl", *limits, *check, file).text.splitlines())
                    self.assertLess(abs(met / every - setup["recall"]), 0.05)
                    if number == found["recommended"]:
                        self.assertGreaterEqual(setup["recall"], 0.99)
                        candidates = len(run("pairs", "--jsonl", *limits, file).text.splitlines())
                        self.assertAlmostEqual(setup["candidates"] * 1600, candidates, delta=0.01 * candidates)

    def test_the_printed_command_runs(self):
        texts = self.edited(60, 42)
        self.write("c/it's one.txt", "\n".join(texts))
        self.write("c/other.md", "\n".join(texts))
        self.write("-c.txt", "\n".join(texts))
        records = "".join(json.dumps({"the title": t, "body": t, "key": i}) + "\n" for i, t in enumerate(texts))
        self.write("c.jsonl", records)
        for given in (
            ("--lines", "c"),
            ("--lines", "--include", "* *.txt", "--exclude=-h", "c"),
            ("--lines", "--seed", 7, "--similarity", 0.65, "--check-features", "chars:4", "c/it's one.txt"),
            ("--lines", "--", "-c.txt"),
            ("--jsonl", "--text-field", "the title", "--text-field", "body", "--id-field", "key", "c.jsonl"),
        ):
            with self.subTest(given=given):
                done = self.assert_done(run("advise", *given, cwd=self.folder))
                line = done.text.splitlines()[-1]
                self.assertRegex(line, r"^neardup groups --similarity 0\.\d+ --features \S+ --kind \w+ --bits \d+ --distance \d+ ")
                self.assertEqual(self.advice(*given, cwd=self.folder)["command"], line)
                name, *arguments = shlex.split(line)
                groups = self.assert_done(run(*arguments, cwd=self.folder))
                self.assertIn("similarity", groups.text)
                documents = len(texts) * (2 if given == ("--lines", "c") else 1)
                self.assertIn(f"{documents} documents: ", groups.err)
                self.assertIn(f"{documents} documents, ", done.text)
        done = run("advise", "--lines", "-", data="\n".join(texts))
        self.assertEqual(shlex.split(done.text.splitlines()[-1])[-2:], ["--lines", "-"])

    def test_the_command_does_not_spell_out_many_paths(self):
        paths = [self.write(f"c/{i}.txt", t) for i, t in enumerate((A, B) * 6)]
        for count in (10, 11):
            given = list(map(str, paths[:count]))
            shown = self.assert_done(run("advise", *given)).text.splitlines()[-1]
            self.assertEqual(shlex.split(shown)[-1:] == ["PATH…"], count > 10)
            self.assertEqual(shlex.split(self.advice(*given)["command"])[-count:], given)

    def test_threads_and_sources_do_not_matter(self):
        count = 600 if SANITIZED else 6000
        data = jsonl(self.edited(count, 43, length=10))
        file = self.write("c.jsonl", data)
        for form in ("text", "jsonl"):
            common = ("advise", "--jsonl", "--format", form)
            first = self.assert_done(run(*common, "--threads", 1, file))
            self.assertIn(f"{count}" if form == "jsonl" else f"{count:,} documents", first.text)
            for threads in (2, 5):
                self.assertEqual(run(*common, "--threads", threads, file).bytes, first.bytes)
            piped = run(*common, "-", data=data).text.replace(" -\n", f" {file}\n").replace(' -"', f' {file}"')
            self.assertEqual(piped, first.text)
        seeds = {json.dumps(self.advice("--jsonl", "--seed", seed, file)["setups"]) for seed in (0, 1)}
        self.assertEqual(len(seeds), 2)

    def test_only_what_was_asked_for_is_recommended(self):
        file = self.write("c.txt", "\n".join(self.edited(100, 44)))
        found = self.advice("--lines", "--features", "chars:4", "--bits", 128, file)
        self.assertEqual([(s["features"], s["kind"], s["bits"]) for s in found["setups"]],
                         [("chars:4", "simhash", 128), ("chars:4", "minwise", 128)])
        self.assertEqual(found["check_features"], "words:2")
        self.assertRegex(found["command"], r"--features chars:4 --kind \w+ --bits 128 ")
        self.assertIn("--check-features words:2 ", found["command"])
        found = self.advice("--lines", "--check-features", "words:3", "--bits", 64, file)
        self.assertEqual({s["bits"] for s in found["setups"]}, {64})
        self.assertEqual(found["setups"][0]["features"], "words:3")
        reaching = [s for s in found["setups"] if s["recall"] >= 0.99]
        as_fast = [s for s in reaching if s["seconds"] <= 1.05 * min(s["seconds"] for s in reaching)]
        self.assertEqual(found["setups"][found["recommended"]], max(as_fast, key=lambda s: s["recall"]))

    def test_says_what_it_cannot_know(self):
        rng = random.Random(45)
        unlike = "\n".join(" ".join(f"w{rng.randrange(10**6)}" for _ in range(30)) for _ in range(50))
        done = self.assert_done(run("advise", "--lines", "-", data=unlike))
        self.assertIn("No near-duplicates", done.text)
        self.assertIn("only theory", done.text)
        self.assertNotRegex(done.text, r"\(\d|in brackets")  # nothing is known of how far it may be off
        found = self.advice("--lines", "-", data=unlike)
        self.assertEqual(found["pairs_seen"], 0)
        for setup in found["setups"]:
            self.assertGreater(setup["recall"], 0.9)
            self.assertEqual([setup[name] for name in ("recall_error", "recall_low", "recall_high")], [None] * 3)
        texts = "\n".join(self.edited(100, 46))
        done = self.assert_done(run("advise", "--lines", "-", data=texts))
        self.assertNotIn("theory", done.text)
        self.assertIn("in brackets", done.text)
        for low, high in re.findall(r"\((\S+) to (\S+)\)", done.text):
            self.assertLess(low, high)
        self.assertIn("* is the fastest that finds as many.", done.text)
        hopeless = ("--lines", "--similarity", 0.1, "--recall", 1, "-")
        done = self.assert_done(run("advise", *hopeless, data=texts))
        self.assertIn("None of these finds as many; * finds the most.", done.text)
        self.assertFalse(self.advice(*hopeless, data=texts)["is_reached"])

    def test_hardly_anything_to_look_at(self):
        done = self.assert_done(run("advise", "--lines", "-", data=""))
        self.assertEqual(done.text, "There are no documents to advise on.\n")
        found = self.advice("--jsonl", "-", data="\n\n")
        self.assertEqual((found["documents"], found["setups"], found["recommended"]), (0, [], None))
        for data in ("one", "one two three", "one two\none two", "???", "\n\n", "\xff\n"):
            done = self.assert_done(run("advise", "--lines", "-", data=data))
            self.assertIn("neardup groups ", done.text)
            self.assertNotIn("nan", done.text)
            self.assertNotIn("inf", done.text)

    @unittest.skipIf(SANITIZED, "a minute")
    def test_of_large_documents_the_beginning_counts(self):
        self.write("c/large.txt", "some words of a large document " * 600000)
        self.write("c/other.txt", A)
        done = self.assert_done(run("advise", self.folder / "c"))
        self.assertIn("1 document is larger than 16 MB; the advice is on the first 16 MB of each", done.err)
        self.assertIn("2 documents, 8,388,", done.text)

    def test_bad_input_is_said_once(self):
        data = jsonl([A, B]) + b"{\n" + jsonl([A])
        self.assert_fails(run("advise", "--jsonl", "-", data=data), "standard input:3: ")
        done = self.assert_done(run("advise", "--jsonl", "--skip-bad", "-", data=data))
        self.assertEqual(done.err.count("standard input:3"), 2, done.err)  # at once, and in the sum
        self.assertIn("3 documents, ", done.text)
        for odd, message in ((b"\xff word\n", "not well-formed UTF-8"), (b"...\n", "a document without tokens")):
            lines = (A + "\n").encode() + odd + (B + "\n").encode()
            self.assertIn("3 documents, ", self.assert_done(run("advise", "--lines", "-", data=lines)).text)
            self.assert_fails(run("advise", "--lines", "--strict", "-", data=lines), "standard input:2: " + message)
            done = run("advise", "--lines", "--strict", "--skip-bad", "-", data=lines)
            self.assertIn("2 documents, ", self.assert_done(done).text)
        self.assert_fails(run("advise", self.folder / "none"), "no such file or folder")


class Unique(CommandTest):
    def kept(self, prints, order, distance, similar=lambda a, b: True):
        kept = []
        for name in order:
            if name in prints and any(
                hamming_distance(prints[name], prints[k]) <= distance and similar(name, k) for k in kept if k in prints
            ):
                continue
            kept.append(name)
        return kept

    def test_against_the_oracle(self):
        texts = corpus(500, 6)
        texts[100] = texts[200] = "..."  # no tokens: kept
        data = jsonl(texts)
        names = [f"d{i}" for i in range(len(texts))]
        file = self.write("c.jsonl", data)
        lines = data.splitlines(keepends=True)
        for bits, distance in ((64, 0), (64, 3), (64, 12), (128, 20)):
            prints = fingerprints(data, "--bits", bits)
            kept = self.kept(prints, names, distance, unless_short(texts))
            self.assertIn("d100", kept)
            self.assertIn("d200", kept)
            expected = b"".join(lines[int(name[1:])] for name in kept)
            for source in (file, "-"):
                with self.subTest(bits=bits, distance=distance, source=source):
                    done = run("unique", "--jsonl", "--bits", bits, "--distance", distance, source, data=data)
                    self.assertEqual(self.assert_done(done).bytes, expected)
                    self.assertIn(f"500 documents: {len(kept)} kept, {500 - len(kept)} dropped", done.err)

    def test_check_against_the_oracle(self):
        texts = corpus(300, 7)
        data = jsonl(texts)
        sets = {f"d{i}": words(t, 2) for i, t in enumerate(texts)}
        prints = fingerprints(data)
        file = self.write("c.jsonl", data)
        lines = data.splitlines(keepends=True)
        for least in (0.6, 0.9):
            kept = self.kept(prints, sets, 20, lambda a, b: jaccard(sets[a], sets[b]) >= least)
            expected = b"".join(lines[int(name[1:])] for name in kept)
            for source in (file, "-"):
                with self.subTest(least=least, source=source):
                    done = run("unique", "--jsonl", "--distance", 20, "--min-similarity", least, source, data=data)
                    self.assertEqual(self.assert_done(done).bytes, expected)

    def test_components_against_the_oracle(self):
        texts = corpus(400, 8)
        texts[0] = texts[50] = "?!"
        data = jsonl(texts)
        prints = fingerprints(data)
        lines = data.splitlines(keepends=True)

        def kept(similar):
            label = connected(prints, [(a, b) for a, b, _ in close_pairs(prints, 8, similar)])
            return b"".join(line for i, line in enumerate(lines) if label.get(f"d{i}", f"d{i}") == f"d{i}")

        expected = kept(unless_short(texts))
        file = self.write("c.jsonl", data)
        for source in (file, "-"):
            done = run("unique", "--grouping", "components", "--jsonl", "--distance", 8, source, data=data)
            self.assertEqual(self.assert_done(done).bytes, expected)
        self.assertNotEqual(run("unique", "--jsonl", "--distance", 8, file).bytes, expected)
        checked = run("unique", "--grouping", "components", "--jsonl", "--distance", 8, "--min-similarity", 0, "-", data=data)
        self.assertEqual(checked.bytes, kept(lambda a, b: True))

    def test_longest_against_the_oracle(self):
        texts = corpus(300, 22)
        texts[7] = "?!"
        data = jsonl(texts)
        lines = data.splitlines(keepends=True)
        prints = fingerprints(data)
        sets = {name: words(texts[int(name[1:])], 2) for name in prints}
        near = {(a, b) for a, b, _ in close_pairs(prints, 20, lambda a, b: jaccard(sets[a], sets[b]) >= 0.6)}
        longest = sorted(prints, key=lambda n: -len(texts[int(n[1:])]))
        label = represented(longest, lambda a, b: (a, b) in near or (b, a) in near)
        expected = b"".join(line for i, line in enumerate(lines) if label.get(f"d{i}", f"d{i}") == f"d{i}")
        options = ("--jsonl", "--distance", 20, "--min-similarity", 0.6)
        for source in (self.write("c.jsonl", data), "-"):
            done = self.assert_done(run("unique", "--keep", "longest", *options, source, data=data))
            self.assertEqual(done.bytes, expected)
        self.assertNotEqual(run("unique", *options, "-", data=data).bytes, expected)

    def test_copies_byte_for_byte(self):
        for mode in ((), ("--grouping", "components"), ("--keep", "longest")):
            first = b'{"text": "one two three", "x": 1e+10 }\r\n'
            second = b'{"text":"four five six","x":"\\u00e4"}\n'
            data = first + b"\r\n" + second + b'  \n{"text":"one two three"}'
            self.assertEqual(run("unique", "--jsonl", *mode, "-", data=data).bytes, first + second)
            # The end of the last line stays as it was; where another record follows, one is put in.
            first = self.write("1", b"one two three\nfour five six")
            second = self.write("2", b"seven eight nine\r\nten eleven twelve")
            done = run("unique", "--lines", *mode, first, second)
            self.assertEqual(done.bytes, b"one two three\nfour five six\nseven eight nine\r\nten eleven twelve")
            done = run("unique", "--lines", *mode, "-", data=b"one two\r\nnext words\none two\n")
            self.assertEqual(done.bytes, b"one two\r\nnext words\n")

    def test_byte_order_mark_stays_at_the_beginning_only(self):
        first = self.write("1", b'\xef\xbb\xbf{"text":"one two three"}\n')
        second = self.write("2", b'\xef\xbb\xbf{"text":"four five six"}\n')
        lines = self.write("3", b"one two three\n\xef\xbb\xbffour five six\n")  # where it is part of the text
        for mode in ((), ("--keep", "longest")):
            done = self.assert_done(run("unique", "--jsonl", *mode, first, second))
            self.assertEqual(done.bytes, b'\xef\xbb\xbf{"text":"one two three"}\n{"text":"four five six"}\n')
            self.assertEqual(run("unique", "--lines", *mode, lines).bytes, lines.read_bytes())

    def test_lines_without_tokens_are_kept(self):
        data = b"one two\n\n---\none two\n\n"
        done = self.assert_done(run("unique", "--lines", "-", data=data))
        self.assertEqual(done.bytes, b"one two\n\n---\n\n")
        self.assertIn("3 documents have no tokens (the first: standard input:2)", done.err)

    def test_prints_paths_of_whole_files(self):
        for name, text in (("a", A), ("b", B), ("c", A), ("d", "")):
            self.write(name, text)
        for mode in ((), ("--grouping", "components"), ("--keep", "longest")):
            done = self.assert_done(run("unique", *mode, self.folder))
            self.assertEqual(done.text, "".join(f"{self.folder}/{name}\n" for name in "abd"))
            done = run("unique", *mode, "--format", "jsonl", self.folder)
            self.assertEqual([row["id"] for row in done.json], [f"{self.folder}/{name}" for name in "abd"])

    def test_files_that_are_read_twice_and_streams_give_the_same(self):
        texts = corpus(600, 31)
        odd = [b"\r\n", b"  \n", b'{"id":"n","text":"?!"}\n', b'{"id":"w","text":"one two three"}\r\n']
        bad = b"nonsense\n"
        lines = jsonl(texts).splitlines(keepends=True)
        rng = random.Random(31)
        for line in odd * 3:
            lines.insert(rng.randrange(len(lines)), line)
        for _ in range(2):
            lines.insert(rng.randrange(300, len(lines)), bad)
        files, packed = [], []
        for i, part in enumerate((lines[:200], [], lines[200:201], lines[201:])):
            data = b"".join(part)
            data = b"\xef\xbb\xbf" + data if i == 3 else data
            files.append(self.write(f"{i}.jsonl", data[:-1] if i == 0 else data))
            packed.append(self.write(f"{i}.jsonl.gz", gzip.compress(files[-1].read_bytes())))
        pipe = self.folder / "3.pipe"
        os.mkfifo(pipe)
        outcomes = set()
        for options in ((), ("--skip-bad",), ("--threads", "2", "--skip-bad")):
            of_options = set()
            for sources in (files, packed, (*files[:3], pipe)):
                dropped = self.folder / "dropped"
                writer = threading.Thread(target=write_all, args=(pipe, files[3].read_bytes()))
                if pipe in sources:
                    writer.start()
                done = run("unique", "--jsonl", "--similarity", "0.6", *options, "--dropped", dropped, *sources)
                if pipe in sources:
                    writer.join()
                self.assertEqual(done.status, 0 if options else 2, done.err)
                said = [line.replace(".gz", "") for line in done.err.splitlines() if "document" in line]
                of_options.add((done.bytes, dropped.read_bytes() if options else b"", "\n".join(said)))
            self.assertEqual(len(of_options), 1, options)
            outcomes |= of_options
        kept = sorted(len(kept) for kept, _, _ in outcomes)
        self.assertEqual(len(kept), 2)
        self.assertTrue(0 < kept[0] < kept[1] < sum(map(len, lines)))

    def test_a_file_that_changes_between_two_passes(self):
        fifo = self.folder / "pipe"
        os.mkfifo(fifo)
        whole = b"one two three\n\nfour five six\n"
        for old, new, fails in (
            (whole, whole + b"more\n", False),
            (whole, whole, False),
            (whole[:-1], whole[:-1] + b" of a line\nmore\n", False),
            (whole, b"one two three\n\nfour five sax\n", True),
            (whole, b"four five six\n\none two three\n", True),
            (whole, b"one two three\nfour five six\n\n", True),
            (whole, b"one two three\n", True),
            (whole, whole[:-1], True),
            (whole, b"", True),
        ):
            with self.subTest(old=old, new=new):
                file = self.write("lines", old)
                process = start("unique", "--lines", "--keep", "longest", file, fifo)
                try:
                    with open(fifo, "wb") as end:  # opened when all of the file is read
                        file.write_bytes(new)
                        end.write(b"seven eight nine\n")
                    out, err = process.communicate(timeout=60)
                finally:
                    stop(process)
                if fails:
                    self.assertEqual(process.returncode, 2)
                    self.assertIn(f"{file}: was changed while it was being read".encode(), err)
                else:
                    self.assertEqual((process.returncode, out), (0, whole + b"seven eight nine\n"), err)

    def test_a_file_that_is_gone_in_the_second_pass(self):
        fifo = self.folder / "pipe"
        os.mkfifo(fifo)
        file = self.write("lines", b"one two three\n")
        process = start("unique", "--lines", "--keep", "longest", file, fifo)
        try:
            with open(fifo, "wb") as end:
                file.unlink()
                end.write(b"seven eight nine\n")
            _, err = process.communicate(timeout=60)
        finally:
            stop(process)
        self.assertEqual(process.returncode, 2)
        self.assertIn(f"{file}: No such file or directory".encode(), err)

    def test_no_room_for_features(self):
        lines = self.write("lines", "\n".join(" ".join(f"w{i}" for i in range(16000)) for _ in range(2)))
        for option in ((), ("--also-within", "--against", lines)):
            environment = os.environ | {"TMPDIR": str(self.folder / "nowhere")}
            done = run("unique", "--lines", "--memory", "1", *option, lines, env=environment)
            self.assert_fails(done, "there is no folder for a temporary file (TMPDIR)")
            self.assertEqual(done.bytes, b"")

    def test_hands_on_records_at_once(self):
        process = start("unique", "--lines", "-")
        killer = threading.Timer(TIMEOUT, process.kill)
        killer.start()
        try:
            for line in (b"one two three\n", b"four five six\n"):
                process.stdin.write(line)
                process.stdin.flush()
                self.assertEqual(process.stdout.readline(), line)  # while the input is still open
            process.stdin.close()
            self.assertEqual(process.stdout.read(), b"")
            self.assertEqual(process.wait(), 0)
        finally:
            killer.cancel()
            stop(process)

    def test_an_error_does_not_wait_for_more_input(self):
        process = start("unique", "--jsonl", "--threads", "3", "-")
        try:
            process.stdin.write(b'{"text":"one two"}\nnonsense\n')
            process.stdin.flush()
            self.assertEqual(process.wait(timeout=TIMEOUT), 2)
            self.assertEqual(process.stdout.read(), b'{"text":"one two"}\n')
            self.assertIn(b"standard input:2: not valid JSON", process.stderr.read())
        finally:
            stop(process)


class Threads(CommandTest):
    def test_never_change_the_result(self):
        # Several batches for each thread, of one source and of many.
        count = 6000 if SANITIZED else 30000
        texts = corpus(count, 9, words=25, vocabulary=3000, copies=0.3)
        texts[count * 2 // 3] = "!"
        data = jsonl(texts)
        file = self.write("c.jsonl", data)
        self.assertGreater(len(data), count * 100)
        for i in range(300):
            self.write(f"many/{i}", texts[i])
        many = self.folder / "many"
        numbers = (1, 5) if SANITIZED else (1, 2, 5)
        for arguments in (
            ("groups", "--jsonl", file),
            ("groups", "--jsonl", "--format", "jsonl", "--distance", 8, "--min-similarity", 0.7, "-"),
            ("pairs", "--jsonl", file),
            ("pairs", "--lines", "--distance", 8, "--min-similarity", 0.7, file),
            ("unique", "--jsonl", "-"),
            ("unique", "--jsonl", "--grouping", "components", "-"),
            ("unique", "--jsonl", "--distance", 8, "--min-similarity", 0.7, file),
            ("hash", "--jsonl", file),
            ("hash", many),
            ("groups", "--distance", 8, many),
        ):
            with self.subTest(arguments=arguments):
                outcomes = [self.assert_done(run(*arguments, "--threads", n, data=data)) for n in numbers]
                self.assertTrue(outcomes[0].bytes)
                for other in outcomes[1:]:
                    self.assertEqual(outcomes[0].bytes, other.bytes)
                    self.assertEqual(outcomes[0].err, other.err)

    def test_never_change_the_error(self):
        lines = jsonl(corpus(20000, 10, words=25)).splitlines(keepends=True)
        lines[15000] = b"{\n"
        lines[19000] = b"[\n"
        expected = None
        for n in (1, 2, 5):
            done = run("hash", "--jsonl", "--threads", n, "-", data=b"".join(lines))
            self.assert_fails(done, "standard input:15001: not valid JSON")
            self.assertEqual(done.text.count("\n"), 15000)  # what was printed before stays
            expected = expected or done.bytes
            self.assertEqual(done.bytes, expected)


class Sources(CommandTest):
    def ids(self, *arguments, data=b"", **more):
        done = self.assert_done(run("hash", "--format", "jsonl", *arguments, data=data, **more))
        return [row["id"] for row in done.json]

    def test_folders_are_read_in_order(self):
        for name in ("b/2.txt", "b/10.txt", "a.txt", "c/d/e.md", "b.txt", "B"):
            self.write(name, name)
        os.chdir(self.folder)
        self.addCleanup(os.chdir, "/")
        self.assertEqual(self.ids("."), ["./B", "./a.txt", "./b/10.txt", "./b/2.txt", "./b.txt", "./c/d/e.md"])
        self.assertEqual(self.ids("c/", "a.txt"), ["c/d/e.md", "a.txt"])

    def test_include_and_exclude(self):
        for name in ("a.txt", "b.md", "c/a.txt", "c/d/b.md", "c/d/e/f.txt", ".git/x.txt", "c/[1].txt"):
            self.write(name, name)
        os.chdir(self.folder)
        self.addCleanup(os.chdir, "/")
        for options, expected in (
            (("--include", "*.md"), ["./b.md", "./c/d/b.md"]),
            (("--include", "*.md", "--include", "f.*"), ["./b.md", "./c/d/b.md", "./c/d/e/f.txt"]),
            (("--exclude", "d"), ["./a.txt", "./b.md", "./c/[1].txt", "./c/a.txt"]),
            (("--hidden", "--exclude", ".git", "--exclude", "d"), ["./a.txt", "./b.md", "./c/[1].txt", "./c/a.txt"]),
            (("--include", "c/*"), ["./c/[1].txt", "./c/a.txt"]),
            (("--include", "**/e/*"), ["./c/d/e/f.txt"]),
            (("--include", "c/**.md"), ["./c/d/b.md"]),
            (("--include", "**/b.md"), ["./b.md", "./c/d/b.md"]),
            (("--include", "[a-b].??"), ["./b.md", "./c/d/b.md"]),
            (("--include", "[!a-e]*.txt", "--exclude", ".git/*"), ["./c/[1].txt", "./c/d/e/f.txt"]),
            (("--include", "\\[1].txt"), ["./c/[1].txt"]),
        ):
            with self.subTest(options=options):
                self.assertEqual(self.ids(".", *options), expected)
        # A file that is named is read, whatever its name.
        self.assertEqual(self.ids("a.txt", "--include", "*.md"), ["a.txt"])

    def test_patterns_against_the_oracle(self):
        def matches(pattern, text):
            """The same rules, by trying all there is: patterns as lists of elements."""
            if not pattern:
                return not text
            first, rest = pattern[0], pattern[1:]
            if first == "**/":
                return any(matches(rest, text[i:]) for i in range(len(text) + 1) if i == 0 or text[i - 1] == "/")
            if first in ("*", "**"):
                if matches(rest, text):
                    return True
                return bool(text) and (first == "**" or text[0] != "/") and matches(pattern, text[1:])
            if not text:
                return False
            one_of = {"?": "ab-ä漢", "[ab]": "ab", "[!a]": "b-ä漢", "[a-z]": "ab", "[ä-漢]": "ä漢", "\\-": "-"}
            return text[0] in one_of.get(first, first) and matches(rest, text[1:])

        rng = random.Random(23)
        files = {"a", "b/a", "b/b/a", "漢", "漢漢"}
        while len(files) < 150:
            name = "/".join("".join(rng.choice("ab-ä漢") for _ in range(rng.randrange(1, 5))) for _ in range(rng.randrange(1, 4)))
            if not any(other == name or other.startswith(name + "/") or name.startswith(other + "/") for other in files):
                files.add(name)
        for name in files:
            self.write("f/" + name, "x")
        elements = ["a", "b", "ä", "/", "?", "*", "*", "**", "**/", "[ab]", "[!a]", "[a-z]", "[ä-漢]", "\\-"]
        hits = 0
        rounds = 60 if SANITIZED else 400
        for _ in range(rounds):
            pattern = []
            for _ in range(rng.randrange(1, 7)):
                element = rng.choice(elements)
                # What would be read as another element.
                if pattern and pattern[-1] in ("*", "**") and element[0] in "*/":
                    continue
                pattern.append(element)
            whole = "".join(pattern)
            if whole.startswith("/") or whole.endswith("/") or "//" in whole:
                continue  # for the folder itself, for folders, and refused
            expected = {name for name in files if matches(pattern, name if "/" in whole else name.rpartition("/")[2])}
            # By UTF-16 or by bytes, the order is not what matters here.
            ids = self.ids("--include", whole, "f", cwd=self.folder)
            self.assertEqual({id[2:] for id in ids}, expected, whole)
            hits += bool(expected)
        self.assertGreater(hits, rounds * 3 // 10)

    def test_patterns_with_many_stars_are_quick(self):
        self.write("a" * 200, A)
        begin = cpu_seconds()
        for pattern in ("*a" * 20 + "*b", "**a" * 20 + "b", "**/" * 20 + "*b", "*?[a]" * 15 + "*b"):
            self.assertEqual(self.ids(self.folder, "--include", pattern), [])
        self.assertEqual(len(self.ids(self.folder, "--include", "*a" * 20 + "*")), 1)
        self.assertLess(cpu_seconds() - begin, 20)

    def test_standard_input(self):
        self.assertEqual(self.ids("-", data=A), ["-"])
        self.assertEqual(self.ids("--lines", "-", data=f"{A}\n{B}"), ["-:1", "-:2"])
        self.assertEqual(self.ids("--jsonl", "-", data='{"text":"x"}\n\n{"text":"y","id":"z"}'), ["-:1", "z"])
        self.assert_fails(run("-", "-"), "only once")

    @unittest.skipUnless(os.path.exists("/dev/stdin"), "no /dev/stdin")
    def test_standard_input_by_two_names_is_read_once(self):
        data = f"{A}\n{B}\n"
        for names in (("/dev/stdin", "-"), ("-", "/dev/stdin"), ("/dev/stdin", "/dev/stdin")):
            done = self.assert_done(run("hash", "--lines", "--format", "jsonl", *names, data=data))
            self.assertEqual([row["id"] for row in done.json], [f"{names[0]}:1", f"{names[0]}:2"])
            self.assertIn("reached more than once", done.err)
            # The same of a file as standard input, and of a file that has a name besides.
            file = self.write("c.txt", data)
            for other in (names[1], file):
                with open(file, "rb") as stdin:
                    done = run_with(("hash", "--lines", names[0], other), stdin=stdin, capture_output=True)
                self.assertEqual(done.stdout.count(b"\n"), 2)
        # The rest of a file is not the file; other links to a file are other files.
        with open(file, "rb") as stdin:
            os.lseek(stdin.fileno(), len(A) + 1, os.SEEK_SET)
            done = run_with(("hash", "--lines", "-", file), stdin=stdin, capture_output=True)
        self.assertEqual(done.stdout.count(b"\n"), 3)
        os.link(file, self.folder / "hard.txt")
        with open(file, "rb") as stdin:
            done = run_with(("hash", "--lines", file, self.folder / "hard.txt"), stdin=stdin, capture_output=True)
        self.assertEqual(done.stdout.count(b"\n"), 4)

    def test_no_standard_input_at_all(self):
        for options in ("--lines", "--jsonl", "--strict"):
            done = subprocess.run(
                ["/bin/sh", "-c", '"$0" hash "$1" - <&-', PROGRAM, options], capture_output=True, timeout=TIMEOUT
            )
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"neardup: standard input: ", done.stderr)
            self.assertEqual(done.stdout, b"")

    def test_regular_file_as_standard_input(self):
        data = jsonl(corpus(50, 11))
        path = self.write("c.jsonl", data)
        for options in ((), ("--min-similarity", "0.7"), ("--weights", "idf")):
            arguments = ("pairs", "--jsonl", *options, "-")
            with open(path, "rb") as file:
                done = run_with(arguments, stdin=file, capture_output=True)
            self.assertEqual(done.stdout, run("pairs", "--jsonl", *options, path).bytes)
            with open(path, "rb") as file:
                os.lseek(file.fileno(), len(data.splitlines(keepends=True)[0]), os.SEEK_SET)
                done = run_with(arguments, stdin=file, capture_output=True)
            rest = b"".join(data.splitlines(keepends=True)[1:])
            self.assertEqual(done.stdout, run("pairs", "--jsonl", *options, "-", data=rest).bytes)

    def test_fields_and_ids(self):
        data = '{"id":7,"title":"one two","body":"three four"}\n{"id":1.50,"title":"one two","body":"three four"}\n'
        options = ("--jsonl", "--text-field", "title", "--text-field", "body")
        self.assertEqual(self.ids(*options, "-", data=data), ["7", "1.50"])
        big = "123456789012345678901234567890"
        odd = "".join('{"id":' + value + ',"text":"x"}\n' for value in (big, "null", "true", '""'))
        self.assertEqual(self.ids("--jsonl", "-", data=odd), [big, "-:2", "-:3", ""])
        self.assertEqual(self.ids("--jsonl", "--id-field", "key", "-", data='{"key":"k","id":"i","text":"x"}'), ["k"])
        self.assertEqual(self.ids("--jsonl", "--id-field", "text", "-", data='{"id":"i","text":"x"}'), ["x"])
        # Duplicate ids are the user's business.
        done = run("pairs", "--jsonl", "-", data='{"id":"a","text":"one two"}\n{"id":"a","text":"one two"}\n')
        self.assertEqual(done.text, "1.000\t0\ta\ta\n")

    def test_no_feature_spans_two_fields(self):
        def fingerprint(record, *fields):
            options = [o for f in fields for o in ("--text-field", f)]
            return run("hash", "--jsonl", *options, "-", data=json.dumps(record)).text

        together = fingerprint({"t": "one two", "b": "three four"}, "t", "b")
        self.assertEqual(together, fingerprint({"t": "three four", "b": "one two"}, "t", "b"))
        self.assertNotEqual(together, fingerprint({"t": "one two three four"}, "t"))
        self.assertEqual(fingerprint({"t": "one two", "b": ""}, "t", "b"), fingerprint({"t": "one two"}, "t"))
        pair = '{"t":"a b","u":"c d"}\n{"t":"c d","u":"a b"}\n'
        fields = ("--text-field", "t", "--text-field", "u")
        done = run("pairs", "--jsonl", "--format", "jsonl", *fields, "--min-similarity", 1, "-", data=pair)
        self.assertEqual(done.json[0]["similarity"], 1)

    def test_escapes_and_the_last_of_two_keys(self):
        same = [
            '{"text":"h\\u00e4user \\"am\\" see\\n\\ud83d\\ude00"}',
            '{"text":"häuser \\"am\\" see\\n😀"}',
            '{"text":"other","text":"häuser \\"am\\" see\\n😀"}',
            '{"te\\u0078t":"häuser \\"am\\" see\\n😀", "n": [1, {"text": "inner"}, "x"]}',
        ]
        for features in ("words", "bytes:3", "chars:1"):
            rows = run("hash", "--jsonl", "--features", features, "-", data="\n".join(same)).text.splitlines()
            self.assertEqual(len({row.split()[0] for row in rows}), 1, features)

    def test_escapes_at_any_place_of_a_long_text(self):
        rng = random.Random(3)
        pieces = ["a", "漢字", "\n", '"', "\\", "\t", "😀", "one two ", "x" * 70]
        lines = []
        for _ in range(300):
            text = "".join(rng.choices(pieces, k=rng.randrange(1, 40)))
            units = text.encode("utf-16-be")
            spelled = "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
            lines += [json.dumps({"text": text}, ensure_ascii=False), '{"text":"' + spelled + '"}']
        # Shorter than its features, so that all of a text is one.
        done = run("hash", "--jsonl", "--features", "bytes:1000", "-", data="\n".join(lines))
        rows = [row.split()[0] for row in self.assert_done(done).text.splitlines()]
        self.assertEqual(len(rows), len(lines))
        self.assertEqual(rows[::2], rows[1::2])
        self.assertGreater(len(set(rows)), 250)

    def test_links_are_one_document(self):
        self.write("a.txt", A)
        self.write("sub/b.txt", B)
        (self.folder / "link.txt").symlink_to("a.txt")
        (self.folder / "z").symlink_to("sub")
        done = self.assert_done(run("hash", "--format", "jsonl", self.folder, self.folder / "a.txt"))
        self.assertEqual([row["id"] for row in done.json], [f"{self.folder}/a.txt", f"{self.folder}/sub/b.txt"])
        self.assertIn("3 files and folders were reached more than once", done.err)
        # Two names of one file are two documents.
        os.link(self.folder / "a.txt", self.folder / "hard.txt")
        self.assertIn("2 documents, similarity 1.000", run(self.folder).text)

    def test_folder_that_loops(self):
        self.write("a.txt", A)
        self.write("sub/b.txt", B)
        (self.folder / "sub" / "up").symlink_to("..")
        done = run("hash", self.folder)
        self.assertEqual(done.status, 2)
        self.assertIn(f"passed over {self.folder}/sub/up: the folder loops: it leads back to {self.folder}", done.err)
        done = self.assert_done(run("hash", "--skip-bad", self.folder))
        self.assertEqual(done.text.count("\n"), 2)
        self.assertIn("1 bad input was skipped", done.err)
        (self.folder / "sub" / "up").unlink()
        (self.folder / "self").symlink_to("self")
        self.assertIn(f"passed over {self.folder}/self: ", run("hash", self.folder).err)
        self.assert_done(run("hash", self.folder, "--exclude", "self"))

    def test_pipes(self):
        fifo = self.folder / "pipe"
        os.mkfifo(fifo)
        # In a folder it is left out: reading would wait for ever.
        self.write("a.txt", A)
        done = self.assert_done(run("hash", self.folder))
        self.assertEqual(done.text.count("\n"), 1)
        self.assertIn("1 pipe, socket or device in a folder was left out", done.err)
        data = jsonl(corpus(100, 12))
        plain = self.write("c.jsonl", data)
        for options in (
            ("hash",),
            ("pairs", "--jsonl"),
            ("pairs", "--jsonl", "--min-similarity", "0.7"),
            ("unique", "--jsonl", "--grouping", "components"),
        ):
            writer = threading.Thread(target=lambda: fifo.write_bytes(data))
            writer.start()
            done = self.assert_done(run(*options, fifo))
            writer.join()
            self.assertEqual(done.bytes.replace(str(fifo).encode(), str(plain).encode()), run(*options, plain).bytes)

    def test_odd_files(self):
        self.write("empty", b"")
        self.write("nul", b"one\0two\0three\0")
        self.write("bom", b"\xef\xbb\xbfone two three")
        self.write("nobom", b"one two three")
        done = self.assert_done(run("hash", "--format", "jsonl", "--binary", self.folder))
        rows = {pathlib.Path(row["id"]).name: row["fingerprint"] for row in done.json}
        self.assertIsNone(rows["empty"])
        self.assertEqual(rows["bom"], rows["nobom"])
        self.assertEqual(rows["nul"], rows["nobom"])
        self.assertIn("1 document has no tokens", done.err)
        for features in ("bytes:2", "chars:2"):
            rows = run("hash", "--features", features, self.folder / "bom", self.folder / "nobom").text.splitlines()
            self.assertEqual(rows[0].split()[0], rows[1].split()[0])
        for mode in ("--lines", "--jsonl"):
            done = self.assert_done(run("groups", mode, self.folder / "empty"))
            self.assertEqual(done.text, "")
            self.assertIn("there were no documents in the input", done.err)

    def test_large_documents_and_lines(self):
        # A document beyond the size that is read at once, with a character on every possible cut.
        rng = random.Random(13)
        pieces = ["".join(rng.choice("abcde éß漢") for _ in range(1000)) for _ in range(50)]
        text = "".join(rng.choice(pieces) for _ in range(13000))
        data = text.encode()
        self.assertGreater(len(data), 17_000_000)
        file = self.write("large", data)
        for features in ("chars:3",) if SANITIZED else ("words:2", "chars:3", "bytes:4"):
            whole = run("hash", "--features", features, file).text.split()[0]
            for options in (("--lines",), ())[1 if SANITIZED else 0 :]:
                done = run("hash", "--features", features, *options, "-", data=data)
                self.assertEqual(whole, done.text.split()[0], features)
        if not SANITIZED:
            copy = self.write("large2", data + b" x")
            done = run("pairs", "--format", "jsonl", "--min-similarity", 0.5, file, copy)
            self.assertGreater(done.json[0]["similarity"], 0.99)
        record = json.dumps({"text": text}, ensure_ascii=False) + "\n" + json.dumps({"text": "small one"}) + "\n"
        self.assertEqual(run("hash", "--jsonl", "-", data=record).text.count("\n"), 2)

    def test_control_characters_stay_on_their_line(self):
        name = "new\nline\x1b[31m\tä\udcff"
        path = os.fsencode(str(self.folder / name))
        with open(path, "wb") as file:
            file.write(A.encode())
        done = self.assert_done(run("hash", self.folder))
        self.assertEqual(done.bytes.count(b"\n"), 1)
        self.assertIn(b"new\\nline\\x1b[31m\\t\xc3\xa4\xff", done.bytes)
        done = self.assert_done(run("hash", "--format", "jsonl", self.folder))
        self.assertEqual(done.json[0]["id"], f"{self.folder}/new\nline\x1b[31m\tä\ufffd")


class BadInput(CommandTest):
    def test_missing_and_unreadable_files(self):
        good = self.write("good", A)
        missing = self.folder / "missing"
        done = self.assert_fails(run("hash", good, missing), f"{missing}: no such file or folder")
        self.assertEqual(done.text, "")  # known before the work began
        done = self.assert_done(run("hash", "--skip-bad", good, missing))
        self.assertEqual(done.text.count("\n"), 1)
        self.assertIn(f"skipped {missing}: no such file or folder", done.err)
        self.assertIn("1 bad input was skipped (the first: ", done.err)
        (self.folder / "dangling").symlink_to("nowhere")
        done = run(self.folder)
        self.assertEqual(done.status, 2)
        self.assertIn(f"{self.folder}/dangling: a link that leads nowhere", done.err)
        (self.folder / "dangling").unlink()
        self.assert_fails(run("pairs", "groups", cwd=self.folder), "groups: no such file", "neardup groups")

    def test_no_permission(self):
        file = self.write("closed.txt", A)
        self.write("folder/a", A)
        file.chmod(0)
        (self.folder / "folder").chmod(0)
        self.addCleanup((self.folder / "folder").chmod, 0o700)
        self.folder.chmod(0o755)
        more = {}
        if os.geteuid() == 0:
            # Root may read everything; somebody else may not.
            copy = self.folder / "program"
            shutil.copy(PROGRAM, copy)
            more = {"user": 65534, "group": 65534, "executable": str(copy)}
        for path, mode in ((file, ()), (file, ("--lines",)), (self.folder / "folder", ())):
            with self.subTest(path=path, mode=mode):
                self.assert_fails(run("hash", *mode, path, **more), f"{path}: ", "ermission denied")
                self.assert_done(run("hash", "--skip-bad", *mode, path, **more))

    def test_bad_records_name_file_and_line(self):
        for line, message in (
            ("nonsense", "not valid JSON: it does not begin with {"),
            ("[1]", "not a JSON object"),
            ("17", "not a JSON object"),
            ('"text"', "not a JSON object"),
            ('{"text":"a"', "not valid JSON: a comma, colon, bracket or quote is missing"),
            ('{"text":"a}', "not valid JSON: a string has no end"),
            ('{"text":"a"}}', "not valid JSON"),
            ('{"text":"a"} {"text":"b"}', "not valid JSON: something follows the object"),
            ('{"text":"a","n":01}', "not valid JSON: a wrong number"),
            ('{"text":"a","n":nul}', "not valid JSON"),
            ('{"text":"a","n":NaN}', "not valid JSON"),
            ('{"text":"a","n":"\\x"}', "not valid JSON: a wrong escape"),
            ('{"text":"a\\u12g4"}', "not valid JSON: a wrong escape"),
            ('{"text":"a\tb"}', "not valid JSON: a control character"),
            ('{"text":"a\0b"}', "not valid JSON: a control character"),
            ('{"text":"a","n":' + "[" * 5000 + "]" * 5000 + "}", "nested deeper than 1,024 levels"),
            ('{"txt":"a"}', 'no field "text"'),
            ('{"text":null}', 'field "text" is null, not a string'),
            ('{"text":5}', 'field "text" is a number, not a string'),
            ('{"text":["a"]}', 'field "text" is an array, not a string'),
            ('{"text":{"text":"a"}}', 'field "text" is an object, not a string'),
            ('{"text":"a","text":false}', 'field "text" is true or false, not a string'),
        ):
            with self.subTest(line=line[:40]):
                path = self.write("c.jsonl", '{"text":"x y"}\n\n' + line + "\n")
                done = self.assert_fails(run("hash", "--jsonl", path), f"neardup: {path}:3: {message}")
                self.assertEqual(done.text.count("\n"), 1)
                done = self.assert_done(run("hash", "--jsonl", "--skip-bad", path))
                self.assertIn(f"skipped {path}:3: {message}", done.err)
                self.assertIn("1 bad input was skipped", done.err)
        self.assertEqual(run("hash", "--jsonl", "-", data='{"text":"a","n":' + "[" * 1000 + "]" * 1000 + "}").status, 0)

    def test_a_field_that_was_named_must_be_there(self):
        done = run("hash", "--jsonl", "--id-field", "key", "-", data='{"text":"a","key":1}\n{"text":"a"}\n')
        self.assert_fails(done, 'standard input:2: no field "key"')
        done = run("hash", "--jsonl", "--id-field", "key", "-", data='{"text":"a","key":null}\n')
        self.assert_fails(done, 'field "key" is null, not a string or a number')
        done = run("hash", "--jsonl", "--text-field", "a", "--text-field", "b", "-", data='{"a":"x"}\n')
        self.assert_fails(done, 'standard input:1: no field "b"')
        self.assertNotIn("--text-field", done.err)
        done = run("hash", "--jsonl", "-", data='{"content":"x"}\n')
        self.assert_fails(done, 'standard input:1: no field "text"; --text-field names another')

    def test_compressed_input_is_recognised(self):
        import bz2
        import lzma

        for pack in (bz2.compress, lzma.compress):
            path = self.write("c.jsonl.packed", pack(jsonl([A, B])))
            self.assert_fails(run("groups", "--jsonl", path), f"{path}:1: compressed; unpack it first")

    @unittest.skipIf(SANITIZED, "with sanitizers the program needs terabytes of addresses")
    @unittest.skipUnless(sys.platform == "linux", "needs a limit of memory")
    def test_a_line_beyond_the_memory_is_named(self):
        def limit():
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))

        self.write("c.txt", (A + "\n") * 20000)
        with open(self.folder / "c.txt", "ab") as file:
            file.truncate(file.tell() + 2**29)
        message = f"{self.folder}/c.txt:20001: a line larger than the memory"
        for verb in ("hash", "unique", "advise"):
            options = (verb, "--lines", "--threads", 1)
            done = run(*options, self.folder / "c.txt", preexec_fn=limit)
            self.assert_fails(done, message)
        other = self.write("other.txt", A)
        done = self.assert_done(run(*options[1:], "--skip-bad", self.folder / "c.txt", other, preexec_fn=limit))
        self.assertIn("skipped " + message, done.err)
        self.assertIn("20,001 documents", done.err)

    def test_numbers_of_lines_go_through_batches_and_sources(self):
        one = self.write("1.jsonl", jsonl(corpus(9000, 14, words=40)))
        self.assertGreater(one.stat().st_size, 1_200_000)
        lines = jsonl(corpus(9000, 15, words=40)).splitlines(keepends=True)
        lines[8500] = b'{"text":1}\n'
        two = self.write("2.jsonl", b"".join(lines))
        self.assert_fails(run("groups", "--jsonl", one, two), f"{two}:8501: ")

    def test_much_bad_input_is_counted(self):
        data = "".join('{"text":"one two"}\n' + "bad\n" for _ in range(50))
        done = self.assert_done(run("unique", "--jsonl", "--skip-bad", "-", data=data))
        self.assertEqual(done.text, '{"text":"one two"}\n')
        self.assertEqual(done.err.count(": skipped "), 5)
        self.assertIn("more is skipped, and no longer named", done.err)
        self.assertIn("50 bad inputs were skipped (the first: standard input:2: ", done.err)
        quiet = self.assert_done(run("unique", "--jsonl", "--skip-bad", "--quiet", "-", data=data))
        self.assertIn("50 bad inputs were skipped", quiet.err)

    def test_ill_formed_utf8_is_counted(self):
        self.write("bad", b"one \xff two \xe2\x82")
        self.write("good", "one \ufffd two \ufffd".encode())
        done = self.assert_done(run("hash", self.folder))
        self.assertIn(f"1 document is not well-formed UTF-8 ({self.folder}/bad)", done.err)
        for features in ("words", "chars:2"):
            rows = run("hash", "--features", features, self.folder).text.splitlines()
            self.assertEqual(rows[0].split()[0], rows[1].split()[0])
        done = self.assert_fails(run("hash", "--strict", self.folder), f"{self.folder}/bad: not well-formed UTF-8")
        data = b'{"text":"a \xff b"}\n{"text":"a \\ud800 b"}\n{"text":"a \xef\xbf\xbd b"}\n'
        done = self.assert_done(run("hash", "--jsonl", "--features", "chars:2", "-", data=data))
        self.assertEqual(len({line.split()[0] for line in done.text.splitlines()}), 1)
        self.assertIn("2 documents are not well-formed UTF-8 (the first: standard input:1)", done.err)
        self.assert_fails(run("hash", "--jsonl", "--strict", "-", data=data), "standard input:1: not well-formed UTF-8")
        # Half a surrogate pair where nobody looks, also under the empty key.
        for key in ("", "other"):
            done = run("hash", "--jsonl", "--strict", "-", data='{"' + key + '":"\\ud800","text":"a word or two"}')
            self.assertNotIn("well-formed", self.assert_done(done).err)
        done = self.assert_done(run("hash", "--jsonl", "--strict", "--skip-bad", "-", data=data))
        self.assertEqual(done.text.count("\n"), 1)
        self.assertIn("2 bad inputs were skipped", done.err)
        done = self.assert_done(run("hash", "--lines", "-", data=b"ok\n\xc3\n"))
        self.assertIn("(standard input:2)", done.err)
        done = self.assert_done(run("unique", "--jsonl", "-", data=data))
        self.assertEqual(done.bytes, data.splitlines(keepends=True)[0])

    def test_ids_are_valid_json_whatever_they_hold(self):
        data = b'{"id":"\xff\\u0000\\"\\\\\\n","text":"a"}\n'
        done = self.assert_done(run("hash", "--jsonl", "--format", "jsonl", "-", data=data))
        self.assertEqual(done.json[0]["id"], '\ufffd\0"\\\n')

    def test_documents_without_tokens_are_in_no_group(self):
        data = jsonl(["", "...", "", "...", A, A])
        done = self.assert_done(run("groups", "--jsonl", "--format", "jsonl", "-", data=data))
        self.assertEqual([[m["id"] for m in row["members"]] for row in done.json], [["d4", "d5"]])
        self.assertIn("4 documents have no tokens (the first: standard input:1)", done.err)
        self.assertEqual(len(run("pairs", "--jsonl", "-", data=data).text.splitlines()), 1)
        done = run("groups", "--jsonl", "--strict", "-", data=data)
        self.assert_fails(done, "standard input:1: a document without tokens")
        quiet = self.assert_done(run("groups", "--jsonl", "--quiet", "-", data=data))
        self.assertEqual(quiet.err, "")

    def test_takes_what_python_takes(self):
        """Mutated records: what json.loads reads is read, with the same text; what it refuses is refused."""
        rng = random.Random(16)
        seeds = [
            '{"id":"a","text":"one two","n":-1.5e+3,"o":{"a":[true,false,null,"x"]}}',
            '{"text":"h\\u00e4 \\ud83d\\ude00 \\n\\t\\"\\\\","k":[]}',
            '{ "x" : 0 , "text" : "漢字 ß" , "y" : { } }',
            '{"text":"a","text":"b","id":12}',
        ]
        alphabet = '"\\{}[],:01-.eud8tn a\t'
        lines = []
        for _ in range(6000):
            line = list(rng.choice(seeds))
            for _ in range(rng.choice([0, 1, 1, 2, 3])):
                at = rng.randrange(len(line))
                change = rng.random()
                if change < 0.35:
                    line[at] = rng.choice(alphabet)
                elif change < 0.7:
                    del line[at]
                else:
                    line.insert(at, rng.choice(alphabet))
            raw = "".join(line).encode()
            if rng.random() < 0.05:
                at = rng.randrange(len(raw))
                raw = raw[:at] + bytes([rng.randrange(128, 256)]) + raw[at + 1 :]
            lines.append(raw)

        def refuse(constant):
            raise ValueError(constant)

        expected = {}
        for number, raw in enumerate(lines, 1):
            try:
                record = json.loads(raw.decode("utf-8", "replace"), parse_constant=refuse)
            except ValueError:
                continue
            if isinstance(record, dict) and isinstance(record.get("text"), str):
                expected[number] = re.sub("[\ud800-\udfff]", "\ufffd", record["text"])
        options = ("--skip-bad", "--id-field", "text", "--format", "jsonl")
        done = self.assert_done(run("hash", "--jsonl", *options, "-", data=b"\n".join(lines)))
        self.assertEqual([row["id"] for row in done.json], list(expected.values()))
        self.assertGreater(len(expected), 1500)
        self.assertGreater(len(lines) - len(expected), 1500)


class Output(CommandTest):
    verbs = tuple((*v.split(), "--jsonl") for v in ("groups", "pairs", "unique", "unique --grouping components", "hash"))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_disk(self):
        data = jsonl([A] * 100)
        for verb in self.verbs + (("--help",), ("--version",)):
            with self.subTest(verb=verb), open("/dev/full", "wb") as full:
                done = run_with((*verb, "-"), input=data, stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 2)
                self.assertIn(b"neardup: standard output: cannot be written: No space left on device", done.stderr)
        done = run("hash", "--jsonl", "--output", "/dev/full", "-", data=data)
        self.assert_fails(done, "/dev/full: cannot be written: No space left on device")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_what_unique_kept_before_it_failed_is_the_beginning(self):
        # Enough for several rounds, each of which is written while the next is read.
        data = jsonl(corpus(40000, 3))
        for threads in ("1", "2"):
            whole = self.assert_done(run("unique", "--jsonl", "--threads", threads, "-", data=data)).bytes
            done = run("unique", "--jsonl", "--threads", threads, "--dropped", "/dev/full", "-", data=data)
            self.assert_fails(done, "/dev/full: cannot be written: No space left on device")
            self.assertGreater(len(done.bytes), 0)
            self.assertTrue(whole.startswith(done.bytes))

    def test_closed_pipe(self):
        data = jsonl(corpus(3000, 17))
        for verb in self.verbs:
            with self.subTest(verb=verb):
                reading, writing = os.pipe()
                os.close(reading)
                try:
                    done = run_with((*verb, "--quiet", "-"), input=data, stdout=writing, stderr=subprocess.PIPE)
                finally:
                    os.close(writing)
                self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, b""))

    def test_no_standard_output_at_all(self):
        done = subprocess.run(
            ["/bin/sh", "-c", '"$0" hash "$1" >&-', PROGRAM, self.write("a", A)], capture_output=True, timeout=TIMEOUT
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"neardup: standard output: cannot be written", done.stderr)
        self.assertEqual((self.folder / "a").read_text(), A)

    def test_features_beyond_the_memory(self):
        source = self.write("c.jsonl", jsonl(corpus(4000, 19)))
        for verb in ("unique", "groups", "pairs"):
            for similarity in ("0.5",) if SANITIZED else ("0.5", "0.8"):
                options = (verb, "--jsonl", "--similarity", similarity)
                expected = self.assert_done(run(*options, source))
                for memory in ("1", "100K", "1M"):
                    self.assertEqual(self.assert_done(run(*options, "--memory", memory, source)).text, expected.text)
        environment = dict(os.environ, TMPDIR=str(self.folder / "none"))
        self.assert_fails(run("unique", "--jsonl", "--memory", "1", source, env=environment), "temporary file")
        self.assert_done(run("unique", "--jsonl", source, env=environment))
        self.assert_fails(run("unique", "--memory", "x", source), "--memory")

    def test_features_on_a_full_disk(self):
        def limit():
            import resource

            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))

        source = self.write("c.jsonl", jsonl(corpus(4000, 19)))
        done = run("unique", "--jsonl", "--memory", "1", source, preexec_fn=limit)
        self.assert_fails(done, "cannot write a temporary file")

    def test_temporary_file_that_cannot_be(self):
        environment = dict(os.environ, TMPDIR=str(self.folder / "none"))
        done = run("unique", "--grouping", "components", "--jsonl", "-", data=jsonl([A, B]), env=environment)
        self.assert_fails(done, "temporary file")
        # A file can be read again, and needs none.
        self.assert_done(run("unique", "--grouping", "components", "--jsonl", self.write("c", jsonl([A, B])), env=environment))

    def test_temporary_file_on_a_full_disk(self):
        def limit():
            import resource

            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))

        done = run("unique", "--grouping", "components", "--jsonl", "-", data=jsonl(corpus(2000, 18)), preexec_fn=limit)
        self.assert_fails(done, "cannot write a temporary file")
        self.assertEqual(done.text, "")

    def test_output_file(self):
        source = self.write("c.jsonl", jsonl([A, B, A]))
        target = self.folder / "out.jsonl"
        self.assertEqual(self.assert_done(run("unique", "--jsonl", "--output", target, source)).text, "")
        self.assertEqual(target.read_bytes(), run("unique", "--jsonl", source).bytes)
        before = source.read_bytes()
        self.assert_fails(run("unique", "--jsonl", "--output", source, source), "is also an input")
        (self.folder / "link").symlink_to(source)
        self.assert_fails(run("unique", "--jsonl", "--output", self.folder / "link", source), "is also an input")
        done = run("unique", "--jsonl", "--output", self.folder / "in_it", self.folder, "--include", "*.jsonl", "--include", "in_it")
        self.assertEqual(done.status, 2)
        self.assertIn("in_it: is also the output of this run", done.err)
        (self.folder / "in_it").unlink()
        self.assertEqual(source.read_bytes(), before)
        self.assert_done(run("unique", "--jsonl", "--output", target, self.folder, "--exclude", "out.*"))
        self.assert_done(run("hash", "--output", self.folder / "new" , source))
        self.assertFalse((self.folder / "new.partial").exists())
        self.assert_fails(run("hash", "--output", self.folder / "no" / "way", source), "cannot be written")
        # Nor may a link in a folder lead to it, or standard output be appended to what is read.
        folder = self.folder / "links"
        folder.mkdir()
        (folder / "symbolic").symlink_to(source)
        other = self.write("other", before)
        for link in ("symbolic", "hard"):
            if link == "hard":
                (folder / "symbolic").unlink()
                os.link(other, folder / "hard")
            else:
                (folder / "symbolic").unlink()
                (folder / "symbolic").symlink_to(other)
            done = run("hash", "--output", other, folder)
            self.assertEqual((done.status, other.read_bytes()), (2, b""))
            self.assertIn(f"passed over {folder}/{link}: is also the output", done.err)
        self.assertEqual(source.read_bytes(), before)
        with open(source, "ab") as appended:
            done = run_with(["hash", "--lines", source], stdout=appended, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"is also the output", done.stderr)
        self.assertEqual(source.read_bytes(), before)
        # Input that is not there must not empty the output.
        self.assert_fails(run("hash", "--output", target, self.folder / "missing"), "no such file")
        self.assertTrue(target.read_bytes())

    def test_partial_output_overwrites_nothing(self):
        older = jsonl([A, B, A])
        target = self.folder / "out"
        # An input of that name, alone and among others, is read and stays.
        source = self.write("out.partial", older)
        other = self.write("other", jsonl([A]))
        expected = run("unique", "--jsonl", source, other).bytes
        self.assertTrue(expected)
        self.assert_done(run("unique", "--jsonl", "--output", target, source, other))
        self.assertEqual((source.read_bytes(), target.read_bytes()), (older, expected))
        # Nor is anything written through a link, whether it leads somewhere or not.
        victim = self.write("victim", "precious")
        for name, leads_to in (("s.partial", victim), ("s.partial.1", self.folder / "nowhere")):
            (self.folder / name).symlink_to(leads_to)
        self.assert_done(run("unique", "--jsonl", "--output", self.folder / "s", source, other))
        self.assertFalse((self.folder / "s").is_symlink())
        self.assertEqual((self.folder / "s").read_bytes(), expected)
        self.assertEqual(victim.read_text(), "precious")
        self.assertFalse((self.folder / "nowhere").exists())
        names = {path.name for path in self.folder.iterdir()}
        self.assertEqual(names, {"out", "out.partial", "other", "victim", "s", "s.partial", "s.partial.1"})

    def test_partial_output_of_a_failed_run_stays_unless_empty(self):
        target = self.write("out", "as it was")
        partial = self.folder / "out.partial"
        self.assert_fails(run("unique", "--jsonl", "--output", target, "-", data=b"{"), "standard input:1: ")
        self.assertFalse(partial.exists())
        self.assert_fails(run("unique", "--jsonl", "--output", target, "-", data=jsonl([A]) + b"{"), "standard input:2: ")
        self.assertEqual(partial.read_bytes(), jsonl([A]))
        self.assertEqual(target.read_text(), "as it was")

    def test_partial_output_is_no_input(self):
        # Much in few bytes: the output is several times as long, so that it would be read while it is written.
        lines = "a b\n" * 300000
        expected_size = len(lines.splitlines())

        def limit():
            import resource

            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2**27, 2**27))

        self.write("e/a.txt", lines)
        (self.folder / "e" / "link").symlink_to("z.partial")
        folder = self.folder / "e"
        options = ("--output", folder / "z", "--exclude", "z", "--skip-bad", folder)
        done = self.assert_done(run("hash", "--lines", *options, preexec_fn=limit))
        self.assertIn(f"{expected_size:,} documents", done.err)
        self.assertEqual((folder / "z").read_text().count("\n"), expected_size)
        (folder / "link").unlink()
        for name in ("z.partial", "z.partial.1"):
            self.write("e/" + name, B)  # of other runs: whoever leaves them there has them read
        done = self.assert_done(run("hash", *options))
        self.assertIn("3 documents", done.err)
        self.assertNotIn("partial.2", (folder / "z").read_text())
        # Named before it is there.
        self.assertNotIn("skipped", done.err)
        done = self.assert_done(run("hash", "--skip-bad", "--output", self.folder / "o", self.folder / "o.partial"))
        self.assertIn("o.partial: is also the output", done.err)
        self.assertEqual((self.folder / "o").read_bytes(), b"")

    def on_terminal(self, *arguments):
        """What the program writes to a terminal as standard error."""
        try:
            own, terminal = pty.openpty()
        except OSError as error:  # a container without /dev/pts
            self.skipTest(f"no terminal: {error}")
        nothing = subprocess.DEVNULL
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=nothing, stdout=nothing, stderr=terminal)
        os.close(terminal)
        seen = b""
        try:
            while True:
                try:
                    chunk = os.read(own, 65536)
                except OSError:
                    break
                if not chunk:
                    break
                seen += chunk
        finally:
            os.close(own)
        self.assertEqual(process.wait(timeout=TIMEOUT), 0)
        return seen

    def test_progress_bar_on_a_terminal_only(self):
        file = self.write("c.jsonl", jsonl(corpus(1000 if SANITIZED else 20000, 19, words=60) * 4))
        # Features that take long: the bar is first drawn after a tenth of a second.
        arguments = ("hash", "--jsonl", "--threads", 1, "--features", "chars:100", file)
        self.assertRegex(self.on_terminal(*arguments), rb"\r\[[#.]{24}\] \d+ %  [0-9,]+ documents, [0-9.]+ .B, ")
        self.assertEqual(self.on_terminal(*arguments, "--quiet"), b"")
        self.assertNotIn("\r", run(*arguments).err)


class Usage(CommandTest):
    def test_help_has_examples(self):
        for arguments in (("--help",), ("-h",), *((verb, "--help") for verb in ("groups", "pairs", "unique", "hash", "tokens", "find", "advise"))):
            done = self.assert_done(run(*arguments))
            self.assertIn("Usage: neardup ", done.text)
            self.assertIn("\nExamples:\n  neardup ", done.text)
            self.assertEqual(done.err, "")
            everything = self.assert_done(run(*arguments[:-1], "--help-all"))
            self.assertIn("\nExamples:\n  neardup ", everything.text)
        for option in (
            "--lines --jsonl --text-field --id-field --include --exclude --distance --bits --blocks --features "
            "--weights --similarity --min-similarity --check-features --grouping --keep --seed --threads --format --quiet --help --version "
            "--skip-bad --strict --output --idf-file --dictionary --user-dictionary --model --no-hmm --stop-words --top "
            "--weighted-field --check"
        ).split():
            self.assertIn(option, run("--help-all").text)
        self.assertIn("--recall", run("advise", "--help").text)
        self.assertNotIn("--features", run("query", "--help").text)  # the index says it
        self.assertNotIn("lists every option", run("diff", "--help").text)
        for arguments in (("--help-all",), ("--help",), ("unique", "--help-all"), ("advise", "--help-all")):
            self.assertLessEqual(max(map(len, run(*arguments).text.splitlines())), 120)

    def test_help_as_a_verb(self):
        self.assertEqual(self.assert_done(run("help")).text, run("--help").text)
        self.assertEqual(self.assert_done(run("help", "pairs")).text, run("pairs", "--help").text)
        self.write("help", A)
        self.assertEqual(run("help", cwd=self.folder).bytes, run("./help", cwd=self.folder).bytes)

    def test_what_is_no_verb(self):
        for arguments in (("frobnicate",), ("unik", "--lines", self.write("a", A)), ("frobnicate", "--distance", 3)):
            done = run(*arguments)
            self.assert_fails(done, f"{arguments[0]}: no such file or folder, and no verb; verbs are groups, pairs, ")
            self.assertEqual(done.err.count("\n"), 1)
        for arguments in (("groups", "frobnicate"), ("a/b",), ("a.txt",), ("--lines", "x")):
            done = run(*arguments)
            self.assert_fails(done, f"{arguments[-1]}: no such file or folder\n")
            self.assertEqual(done.err.count("\n"), 1)

    def test_version_is_that_of_the_library(self):
        header = (SOURCE / "include" / "neardup" / "version.hpp").read_text()
        version = re.search(r'NEARDUP_VERSION_STRING "([^"]+)"', header)
        if version is None:
            parts = [re.search(rf"NEARDUP_VERSION_{p} (\d+)", header).group(1) for p in ("MAJOR", "MINOR", "PATCH")]
            expected = ".".join(parts)
        else:
            expected = version.group(1)
        self.assertEqual(run("--version").text, f"neardup {expected}\n")

    def test_words_are_taken_as_they_are_typed(self):
        path = self.write("a.txt", A)
        for off in ("--jsonl=false", "--lines=false", "--quiet=false"):
            done = self.assert_done(run("hash", off, path))
            self.assertIn("neardup: 1 document\n", done.err)
            self.assertTrue(done.text.endswith(f"  {path}\n"), done.text)
        self.assertEqual(self.assert_done(run("hash", "--quiet=true", "--quiet", path)).err, "")
        self.assert_fails(run("hash", "--quiet=maybe", path), "--quiet")
        # Brackets make no list.
        for name in ("[a,b]", "[", "{}", "\x1f[a]"):
            self.write(name, A)
            done = self.assert_done(run("hash", "--format", "jsonl", name, cwd=self.folder))
            self.assertEqual([row["id"] for row in done.json], [name])
        found = self.assert_done(run("find", "[quick, brown]", path))
        self.assertTrue(found.text.endswith(f"\t{path}\n"), found.text)
        self.write("[c].txt", A)
        self.assertIn("1 document:", self.assert_done(run("groups", "--include", "[ab]*", path.parent)).err)

    def test_wrong_usage(self):
        for arguments, message in (
            ((), "no input"),
            (("groups",), "no input"),
            (("--distanse", "3", "x"), "unknown option --distanse; did you mean --distance?"),
            (("--zzzzzzzzzzz", "x"), "unknown option --zzzzzzzzzzz"),
            (("-x", "x"), "unknown option -x"),
            (("pairs", "--grouping", "components", "x"), "unknown option --grouping"),
            (("hash", "--keep", "longest", "x"), "unknown option --keep"),
            (("advise",), "no input"),
            (("advise", "--weights", "tf", "x"), "unknown option --weights"),
            (("advise", "--distance", "3", "x"), "unknown option --distance"),
            (("advise", "--bits", "32", "x"), "--bits 32: advice is on 64 or 128 bits"),
            (("advise", "--recall", "97", "x"), "--recall 97: must be from 0 to 1"),
            (("advise", "--recall", "nan", "x"), "--recall nan"),
            (("advise", "--similarity", "0", "x"), "--similarity 0: must be above 0 and at most 1"),
            (("advise", "--check-features", "chars", "x"), "--check-features 'chars': say how long they are"),
            (("groups", "--recall", "0.9", "x"), "unknown option --recall"),
            (("--grouping", "chains", "x"), "--grouping 'chains': groupings are representatives and components"),
            (("--keep", "shortest", "x"), "--keep 'shortest': is first, longest, highest:FIELD or lowest:FIELD"),
            (("--similarity", "0", "x"), "--similarity 0: must be above 0 and at most 1"),
            (("--similarity", "1.1", "x"), "--similarity 1.1: must be above 0 and at most 1"),
            (("--similarity", "nan", "x"), "--similarity nan"),
            (("--similarity", "alike", "x"), "--similarity 'alike': not a number"),
            (("--min-similarity", "0", "x"), "--min-similarity 0 needs --distance"),
            (("hash", "--distance", "3", "x"), "--distance needs --shard"),
            (("groups", "--output", "-", "x"), "--output -: leave it out to write to standard output"),
            (("unique", "--dropped", "-", "x"), "--dropped -: leave it out"),
            (("hash", "--shard", "0", "--output", "0.gz", "x"), "--output 0.gz: what is read where it lies cannot be compressed"),
            (("tokens", "--distance", "3", "x"), "unknown option --distance"),
            (("--distance",), "--distance needs a value"),
            (("--distance", "3", "--distance", "4", "x"), "--distance is given more than once"),
            (("--distance", "three", "x"), "--distance 'three': not a whole number"),
            (("--distance", "3.5", "x"), "--distance '3.5': not a whole number"),
            (("--distance", "-1", "x"), "--distance -1: must be from 0 to 63"),
            (("--distance", "64", "x"), "--distance 64: must be from 0 to 63"),
            (("--distance", "99999999999999999999", "x"), "--distance"),
            (("--bits", "48", "x"), "--bits 48: fingerprints have 32, 64, 128 or 256 bits"),
            (("--blocks", "0", "x"), "--blocks 0: must be from 1 to 64"),
            (("--distance", "8", "--blocks", "20", "x"), "--blocks 20 with --distance 8"),
            (("--features", "letters:3", "x"), "--features 'letters:3': features are words, words:N, masked:words:N, chars:N or bytes:N, zh:words or"),
            (("--features", "chars", "x"), "say how long"),
            (("--features", "words:0", "x"), "must be from 1"),
            (("--features", "words:", "x"), "--features 'words:': N is a whole number"),
            (("--weights", "heavy", "x"), "--weights 'heavy': weights are unit, tf, logtf, idf or tfidf"),
            (("--min-similarity", "1.5", "x"), "--min-similarity 1.5: must be from 0 to 1"),
            (("--min-similarity", "nan", "x"), "--min-similarity nan"),
            (("--distance", "3", "--check-features", "words", "x"), "--check-features with --distance alone"),
            (("--idf-file", "f", "x"), "--idf-file needs --weights idf or tfidf"),
            (("--features", "zh", "x"), "features are words, words:N, masked:words:N, chars:N or bytes:N, zh:words or zh:keywords"),
            (("--dictionary", "d", "x"), "need --features zh:words or zh:keywords"),
            (("--no-hmm", "x"), "need --features zh:words or zh:keywords"),
            (("--features", "zh:words", "--dictionary", "", "x"), "--dictionary '': not the name of a file"),
            (("--features", "zh:words", "--no-hmm", "--model", "m", "x"), "--model and --no-hmm do not go together"),
            (("--top", "0", "--weights", "tfidf", "x"), "--top 0: must be from 1 to 1000000000"),
            (("--top", "3", "x"), "--top needs --weights tfidf"),
            (("--check", "hamming", "x"), "--check 'hamming': checks are jaccard, cosine and edit"),
            (("--check", "edit", "--distance", "3", "x"), "--check with --distance alone"),
            (("hash", "--check", "edit", "x"), "--check needs --shard"),
            (("--weighted-field", "t", "x"), "--weighted-field needs --jsonl"),
            (("--jsonl", "--weighted-field", "t", "--text-field", "t", "x"), "--weighted-field and --text-field do not go"),
            (("--jsonl", "--weighted-field", "t", "--features", "words", "x"), "--weighted-field and --features do not go"),
            (("--jsonl", "--weighted-field", "t", "--check", "edit", "x"), "--check edit compares texts"),
            (("find", "--weights", "tf", "clue", "x"), "unknown option --weights"),
            (("find", "--most", "0", "clue", "x"), "--most 0: must be from 1 to"),
            (("find", "--min-similarity", "2", "clue", "x"), "--min-similarity 2: must be from 0 to 1"),
            (("tokens", "--bits", "64", "x"), "unknown option --bits"),
            (("--text-field", "t", "x"), "--text-field needs --jsonl"),
            (("--id-field", "t", "x"), "--id-field needs --jsonl"),
            (("--jsonl", "--text-field", "a", "--text-field", "b", "--text-field", "a", "x"), "--text-field 'a' is given more"),
            (("--lines", "--jsonl", "x"), "do not go together"),
            (("--format", "xml", "x"), "--format 'xml': formats are text and jsonl"),
            (("unique", "--jsonl", "--format", "jsonl", "x"), "--format says nothing here"),
            (("--threads", "0", "x"), "--threads 0: must be from 1 to 1024"),
            (("--threads", "", "x"), "--threads '': not a whole number"),
            (("--output", "", "x"), "--output '': not the name of a file"),
            (("--weights", "idf", "--idf-file", "", "x"), "--idf-file '': not the name of a file"),
            (("--include", "", "x"), "--include '': the pattern is empty"),
            (("--include", "!a", "x"), "--include '!a': patterns that begin with ! are not supported"),
            (("--include", "*.md", "--include", "a[", "x"), "--include 'a[': a [ has no ]; write \\[ for the character"),
            (("--exclude", "[", "x"), "--exclude '[': a [ has no ]"),
            (("--exclude", "[]", "x"), "--exclude '[]': a [ has no ]"),
            (("--exclude", "[!]", "x"), "--exclude '[!]': a [ has no ]"),
            (("--exclude", "[a-c][z-a]", "x"), "--exclude '[a-c][z-a]': a range goes backwards"),
            (("--similarity", "-1", "x"), "--similarity -1: must be above 0 and at most 1"),
            (("--bits", "0", "x"), "--bits 0: fingerprints have 32, 64, 128 or 256 bits"),
            (("--bits", "99999999999999999999", "x"), "fingerprints have 32, 64, 128 or 256 bits"),
            (("--bits", "many", "x"), "--bits 'many': not a whole number"),
            (("advise", "--bits", "0", "x"), "--bits 0: advice is on 64 or 128 bits"),
            (("--seed", "-1", "x"), "--seed"),
        ):
            with self.subTest(arguments=arguments):
                done = self.assert_fails(run(*arguments), message, "'neardup --help' lists the verbs")
                self.assertEqual(done.text, "")


class Files(CommandTest):
    """Index files and lists of fingerprints."""

    def setUp(self):
        super().setUp()
        self.texts = corpus(400, 3)
        self.jsonl = self.write("all.jsonl", jsonl(self.texts))

    def expect_error(self, done, *words):
        self.assert_fails(done, *map(str, words))

    def pairs_between(self, old, new, *options):
        """What query should say, by pairs of both together."""
        both = self.folder / "both.jsonl"
        both.write_bytes(jsonl(old + new))
        done = run("pairs", "--jsonl", "--format", "jsonl", "--quiet", *options, both)
        self.assertEqual(done.status, 0, done.err)
        return {
            (p["b"], p["a"], p["distance"], p.get("similarity"))
            for p in done.json
            if int(p["a"][1:]) < len(old) <= int(p["b"][1:])
        }

    def query(self, index, new, first, *options):
        done = run("query", "--index", index, "--jsonl", "--format", "jsonl", *options, "-", data=jsonl(new, first))
        self.assertEqual(done.status, 0, done.err)
        found = [(p["id"], p["indexed"], p["distance"], p.get("similarity")) for p in done.json]
        self.assertEqual(len(found), len(set(found)))
        return set(found)

    def test_a_query_finds_what_pairs_finds_between_old_and_new(self):
        old, new = self.texts[:300], self.texts[300:]
        index = self.folder / "old.neardup"
        found = 0
        for options in (["--distance", "6"], ["--distance", "10", "--bits", "128", "--features", "chars:4"], ["--seed", "9", "--distance", "3"]):
            with self.subTest(options=options):
                done = run("index", "--jsonl", *options, "--output", index, "-", data=jsonl(old))
                self.assertEqual((done.status, done.text), (0, ""), done.err)
                seed = [o for pair in zip(options, options[1:]) if pair[0] == "--seed" for o in pair]
                expected = self.pairs_between(old, new, *options)
                self.assertEqual(self.query(index, new, 300, *seed), expected)
                found += len(expected)
        self.assertGreater(found, 20)

    def test_a_query_tells_exact_similarities_where_features_are_kept(self):
        old, new = self.texts[:300], self.texts[300:]
        index = self.folder / "old.neardup"
        self.assertEqual(run("index", "--jsonl", "--keep-features", "--similarity", "0.5", "--output", index, "-", data=jsonl(old)).status, 0)
        expected = self.pairs_between(old, new, "--similarity", "0.5")
        self.assertGreater(len(expected), 10)
        self.assertEqual(self.query(index, new, 300, "--min-similarity", "0.5"), expected)
        strict = {p for p in expected if p[3] >= 0.8}
        self.assertEqual(self.query(index, new, 300), strict)
        # By another similarity: within what the index answers, and refused beyond.
        self.assertEqual(self.query(index, new, 300, "--similarity", "0.8"), strict)
        self.expect_error(run("query", "--index", index, "--jsonl", "--similarity", "0.3", self.jsonl),
                          "--similarity 0.3 needs --distance", f"{index} answers up to ")

    def test_what_is_not_checked_is_said(self):
        old, new = self.texts[:300], self.write("new.jsonl", jsonl(self.texts[300:], 300))
        index = self.folder / "old.neardup"
        unchecked = f"{index} was made without --keep-features: nothing is checked"
        for keep, says in (((), True), (("--keep-features",), False)):
            self.assertEqual(run("index", "--jsonl", *keep, "--output", index, "-", data=jsonl(old)).status, 0)
            for options in (("query", "--index", index), ("unique", "--against", index)):
                done = self.assert_done(run(*options, "--jsonl", new))
                self.assertEqual(unchecked in done.err, says, done.err)
                self.assertNotIn(unchecked, self.assert_done(run(*options, "--jsonl", "--quiet", new)).err)

    def test_documents_are_added_to_an_index(self):
        old, new, later = self.texts[:200], self.texts[200:300], self.texts[300:]
        index, whole = self.folder / "index", self.folder / "whole"
        for keep in ([], ["--keep-features"]):
            self.assertEqual(run("index", "--jsonl", *keep, "--output", index, "-", data=jsonl(old)).status, 0)
            # In place of itself.
            done = run("index", "--index", index, "--jsonl", *keep, "--output", index, "-", data=jsonl(new, 200))
            self.assertEqual(done.status, 0, done.err)
            self.assertEqual(run("index", "--jsonl", *keep, "--output", whole, "-", data=jsonl(old + new)).status, 0)
            self.assertEqual(index.read_bytes(), whole.read_bytes())
            self.assertGreater(len(self.query(index, later, 300)), 3)
        self.expect_error(run("index", "--index", index, "--jsonl", "--output", whole, self.jsonl), "--keep-features")
        self.expect_error(run("query", "--index", index, "--jsonl", "--features", "chars:3", self.jsonl), index, "tokenizer")
        self.expect_error(run("query", "--index", index, "--jsonl", "--seed", "4", self.jsonl), index, "seed")
        self.expect_error(run("query", "--index", index, "--jsonl", "--distance", "60", self.jsonl), "--distance 60", index)

    def test_a_damaged_or_wrong_index_is_refused_by_name(self):
        index, damaged = self.folder / "index", self.folder / "damaged"
        self.assertEqual(run("index", "--jsonl", "--output", index, self.jsonl).status, 0)
        content = index.read_bytes()
        for at in (4, 30, 100, len(content) // 2, len(content) - 1):
            changed = bytearray(content)
            changed[at] ^= 1
            damaged.write_bytes(changed)
            self.expect_error(run("query", "--index", damaged, "--jsonl", self.jsonl), damaged)
        damaged.write_bytes(content[:-10])
        self.expect_error(run("query", "--index", damaged, "--jsonl", self.jsonl), damaged)
        self.expect_error(run("query", "--index", self.jsonl, "--jsonl", self.jsonl), self.jsonl, "no file of neardup's")
        self.expect_error(run("query", "--jsonl", self.jsonl), "--index")
        self.expect_error(run("index", "--jsonl", self.jsonl), "--output")
        # Bits of a fingerprint: found only by looking at all of it.
        changed = bytearray(content)
        changed[len(content) // 2] ^= 1
        damaged.write_bytes(changed)
        self.assertIn(run("query", "--index", damaged, "--no-verify", "--jsonl", self.jsonl).status, (0, 2))

    def test_lists_stand_in_for_the_texts_that_they_were_made_of(self):
        listed = self.folder / "list"
        # Without a check, short texts are compared by their features too, which lists do not have.
        texts = [t for t in corpus(400, 5, words=40) if len(set(t.split())) >= 12]
        for options in ([], ["--bits", "128"], ["--bits", "32", "--features", "chars:4", "--seed", "5", "--weights", "tf"]):
            with self.subTest(options=options):
                done = run("hash", "--jsonl", "--format", "bin", "--output", listed, *options, "-", data=jsonl(texts))
                self.assertEqual(done.status, 0, done.err)
                plain = run("hash", "--jsonl", *options, "-", data=jsonl(texts)).text
                self.assertEqual(run("hash", "--fingerprints", listed).text, plain.replace("  d", "  "))
                self.assertEqual(run("hash", "--fingerprints", "--format", "bin", listed).bytes, listed.read_bytes())
                distance = ["--distance", "4"]
                for verb in ("pairs", "groups"):
                    expected = run(verb, "--jsonl", *options, *distance, "-", data=jsonl(texts)).text
                    found = run(verb, "--fingerprints", *distance, listed)
                    self.assertEqual(found.status, 0, found.err)
                    self.assertEqual(re.sub(r"\td|  d", lambda m: m[0][:-1], expected), found.text)
                kept = run("unique", "--fingerprints", *distance, listed).text.split()
                expected = [json.loads(line)["id"] for line in run("unique", "--jsonl", *options, *distance, "-", data=jsonl(texts)).text.splitlines()]
                self.assertEqual(["d" + i for i in kept], expected)

    def test_lists_of_another_composition_are_refused(self):
        one, other, wide = (self.folder / name for name in ("one", "other", "wide"))
        for path, options in ((one, []), (other, ["--seed", "1"]), (wide, ["--bits", "128"])):
            self.assertEqual(run("hash", "--jsonl", "--format", "bin", "--output", path, *options, self.jsonl).status, 0)
        self.expect_error(run("pairs", "--fingerprints", "--distance", "3", one, other), other, "seed")
        self.expect_error(run("pairs", "--fingerprints", "--distance", "3", one, wide), wide, "128 bits, not 64")
        self.expect_error(run("pairs", "--fingerprints", "--distance", "3", "--features", "words:3", one), one, "tokenizer")
        self.expect_error(run("pairs", "--fingerprints", "--distance", "3", "--kind", "minwise", one), one, "simhash")
        self.expect_error(run("pairs", "--fingerprints", "--distance", "3", self.jsonl), self.jsonl, "no file of neardup's")
        for option in (("--min-similarity", "0.5"), ("--check", "cosine")):
            self.expect_error(run("pairs", "--fingerprints", *option, one), option[0], "there are no texts")
        self.expect_error(run("pairs", "--fingerprints", "-"), "standard input")
        damaged = bytearray(one.read_bytes())
        damaged[-1] ^= 1
        other.write_bytes(damaged)
        self.expect_error(run("pairs", "--fingerprints", "--distance", "3", other), other, "damaged")

        # Records alone.
        count = sum(1 for t in self.texts if t.strip())
        records = self.folder / "records"
        records.write_bytes(one.read_bytes()[-16 * count:])
        named = ["--no-header", "--features", "words:2", "--bits", "64"]
        self.assertEqual(run("hash", "--fingerprints", *named, records).text, run("hash", "--fingerprints", one).text)
        # SimHash where nothing is said, as hash writes it: min-wise codes estimate another similarity.
        similar = ("pairs", "--fingerprints", "--similarity", "0.8")
        self.assertEqual(run(*similar, *named, records).text, run(*similar, one).text)
        self.expect_error(run("hash", "--fingerprints", "--no-header", records), "--features and --bits")
        self.expect_error(run("hash", "--fingerprints", *named, one), one, "header")
        self.expect_error(run("hash", "--no-header", self.jsonl), "--fingerprints")

    def test_files_of_neardups_are_no_texts(self):
        fingerprints, index = self.folder / "list", self.folder / "index"
        self.assert_done(run("hash", "--jsonl", "--format", "bin", "--output", fingerprints, self.jsonl))
        self.assert_done(run("index", "--jsonl", "--output", index, self.jsonl))
        for verb in (("groups",), ("unique", "--lines"), ("hash",), ("tokens",), ("find", "clue"), ("advise",)):
            self.expect_error(run(*verb, fingerprints), fingerprints, "is a list of fingerprints, no text")
            self.expect_error(run(*verb, index), index, "is an index, no text")
        self.expect_error(run("groups", "--jsonl", self.jsonl, "--against", fingerprints), "is a list of fingerprints")
        for verb in (("tokens",), ("find", "clue")):
            self.expect_error(run(*verb, "--fingerprints", fingerprints), "unknown option --fingerprints")

    def test_what_an_index_is_made_with_holds_for_what_is_added(self):
        index, more = self.folder / "index", self.folder / "more"
        self.assert_done(run("index", "--jsonl", "--similarity", 0.9, "--keep-features", "--output", index, self.jsonl))
        add = ("index", "--jsonl", "--keep-features", "--index", index, "--output", more)
        self.expect_error(run(*add, "--check-features", "chars:3", self.jsonl), f"{index} keeps words:2")
        self.assert_done(run(*add, "--similarity", 0.7, "--check-features", "words:2", self.jsonl))
        self.expect_error(run("query", "--index", index, "--jsonl", "--similarity", 0.7, self.jsonl), "answers up to")
        self.assert_done(run("query", "--index", more, "--jsonl", "--similarity", 0.7, self.jsonl))

    def test_files_are_replaced_as_outputs_are(self):
        real, link = self.folder / "real", self.folder / "link"
        link.symlink_to(real)
        for verb in (("index", "--jsonl"), ("hash", "--jsonl", "--shard", 0)):
            real.write_bytes(b"old")
            real.chmod(0o640)
            if os.getuid() == 0:
                os.chown(real, 12, 34)
            self.assert_done(run(*verb, "--output", link, self.jsonl))
            self.assertTrue(link.is_symlink())
            self.assertGreater(real.stat().st_size, 100)
            self.assertEqual(real.stat().st_mode & 0o777, 0o640)
            if os.getuid() == 0:
                self.assertEqual((real.stat().st_uid, real.stat().st_gid), (12, 34))

    def test_an_output_that_cannot_be_written_is_said_before_the_work(self):
        for verb in (("index",), ("hash", "--shard", 0)):
            for output, why in (("no/file", "No such file or directory"), (self.folder, "it is a folder"),
                                ("/dev/null", "it is no regular file")):
                done = run(*verb, "--jsonl", "--output", output, "-", data=b"no JSON", cwd=self.folder)
                self.expect_error(done, f"{output}: cannot be written: {why}")
                self.assertNotIn("JSON", done.err)
        self.assertEqual(os.listdir(self.folder), ["all.jsonl"])

    def test_one_run_at_a_time_adds_to_an_index(self):
        index = self.folder / "index"
        self.assert_done(run("index", "--jsonl", "--output", index, self.jsonl))
        first = start("index", "--jsonl", "--index", index, "--output", index, "-")
        lock = self.folder / "index.neardup-lock"
        until = time.monotonic() + TIMEOUT
        while not lock.exists() and time.monotonic() < until:
            time.sleep(0.01)
        done = run("index", "--jsonl", "--index", index, "--output", index, self.jsonl)
        self.expect_error(done, f"{index} is being written by another program")
        first.communicate(jsonl(["a text of the first run"]), timeout=TIMEOUT)
        self.assertEqual(first.returncode, 0)
        self.assertFalse(lock.exists())
        found = run("query", "--index", index, "--jsonl", "-", data=jsonl(["a text of the first run"])).text
        self.assertEqual(len(found.splitlines()), 1)

    def test_an_index_that_was_replaced_meanwhile_is_not_written_over(self):
        index, other, fifo = (self.folder / name for name in ("index", "other", "fifo"))
        self.assert_done(run("index", "--jsonl", "--output", index, "-", data=jsonl(self.texts[:20])))
        self.assert_done(run("index", "--jsonl", "--output", other, "-", data=jsonl(self.texts[20:50])))
        os.mkfifo(fifo)
        adding = start("index", "--jsonl", "--index", index, "--output", index, fifo)
        with open(fifo, "wb") as texts:  # it has begun to read
            content = other.read_bytes()
            other.rename(index)
            texts.write(jsonl(self.texts[50:60]))
        _, err = adding.communicate(timeout=TIMEOUT)
        self.assertEqual(adding.returncode, 2)
        self.assertIn(f"{index}: was replaced since this run began; run it again".encode(), err)
        self.assertEqual(index.read_bytes(), content)

    @unittest.skipUnless(hasattr(os, "getuid") and os.getuid() == 0, "only root may start what is another user's")
    def test_a_file_of_another_user_in_a_folder_that_keeps_it_is_said_before_the_work(self):
        for path, mode in ((self.folder, 0o1777), (self.write("out", "another user's"), 0o666)):
            path.chmod(mode)
        for verb in (("index",), ("hash", "--shard", 0), ("hash",)):
            try:
                done = run(*verb, "--jsonl", "--output", self.folder / "out", "-", data=b"no JSON", preexec_fn=lambda: os.setuid(65534))
            except PermissionError:
                self.skipTest("another user cannot start the program where it lies")
            self.expect_error(done, "out: cannot be written: Operation not permitted")
        self.assertEqual((self.folder / "out").read_text(), "another user's")

    def test_no_file_of_somebody_is_taken_for_a_lock(self):
        lock = self.folder / "index.neardup-lock"
        lock.write_bytes(b"precious")
        self.expect_error(run("index", "--jsonl", "--output", self.folder / "index", self.jsonl), "is there already, and no lock")
        self.assertEqual(lock.read_bytes(), b"precious")
        texts = self.folder / "texts"
        texts.mkdir()
        for i, text in enumerate(self.texts[:4]):
            (texts / f"{i}.txt").write_text(text)
        self.assertIn(" 4 documents: 4 in the index", run("index", "--output", texts / "x.index", texts).err)
        self.assertFalse(list(texts.glob("*lock*")))
        (texts / "text.neardup-lock").write_text(self.texts[5])
        self.assertEqual(len(run("hash", texts).text.splitlines()), 5)

    def test_looking_whether_an_output_can_be_written_harms_no_file(self):
        for name in ("S.1234567890.123.tmp", "S.1234567890.partial", "S.partial"):
            text = self.write(name, jsonl(self.texts[:3]))
            before = text.read_bytes()
            self.assert_done(run("index", "--jsonl", "--output", self.folder / "S", text))
            self.assertEqual(text.read_bytes(), before)

    def test_what_lies_beside_shards_is_not_written_over(self):
        shard = ("hash", "--jsonl", "--keep-features", "--shard")
        # Nobody named a file of somebody that has the name of the features, whether it is read, or lies in what is read.
        features = self.write("in/0.shard.features", jsonl(self.texts))
        for source in (self.jsonl, features, self.folder / "in"):
            for keep in ((), ("--keep-features",)):
                done = run("hash", "--jsonl", *keep, "--shard", 0, "--output", self.folder / "in" / "0.shard", source)
                self.expect_error(done, f"{features} is there already, and does not hold the features of a shard")
        self.assertEqual(features.read_bytes(), jsonl(self.texts))
        self.assertFalse((self.folder / "in" / "0.shard").exists())
        for number in (1, 2):
            self.assert_done(run(*shard, number, "--output", self.folder / f"{number}.shard", self.jsonl))
        shards = (self.folder / "1.shard", self.folder / "2.shard")
        beside = self.folder / "1.shard.features"
        before = beside.read_bytes()
        self.expect_error(run("join", "--output", beside, *shards), f"{beside} is also an input")
        link = self.folder / "link"
        link.symlink_to(shards[0])
        self.expect_error(run("join", "--output", beside, link, shards[1]), f"{beside} is also an input")
        self.assert_done(run("join", "--output", self.folder / "pairs", *shards))
        self.expect_error(run("verify", "--output", beside, self.folder / "pairs", *shards), f"{beside} is also an input")
        self.assertEqual(beside.read_bytes(), before)

    def test_an_index_of_lists_is_queried_by_lists(self):
        old, new, index = (self.folder / name for name in ("old", "new", "index"))
        texts = [t for t in self.texts if t.strip()]
        run("hash", "--jsonl", "--format", "bin", "--output", old, "-", data=jsonl(texts[:250]))
        run("hash", "--jsonl", "--format", "bin", "--output", new, "-", data=jsonl(texts[250:]))
        done = run("index", "--fingerprints", "--distance", "5", "--output", index, old)
        self.assertEqual(done.status, 0, done.err)
        found = run("query", "--index", index, "--fingerprints", "--format", "jsonl", new)
        self.assertEqual(found.status, 0, found.err)
        expected = self.pairs_between(texts[:250], texts[250:], "--distance", "5")
        self.assertEqual({(f"d{250 + int(p['id'])}", "d" + p["indexed"], p["distance"], None) for p in found.json}, expected)


if __name__ == "__main__":
    if not PROGRAM:
        sys.exit("NEARDUP_PROGRAM does not say where the program is")
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
