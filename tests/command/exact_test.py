"""Exact comparison by features, by default and with --exact, compared with a comparison of all documents.
NEARDUP_PROGRAM names the program."""

import functools
import json
import math
import os
import re
import threading
import time

from harness import A, CommandTest, characters, corpus, fingerprints, jaccard, jsonl, large_corpus, as_json
from harness import SANITIZED, cpu_seconds, hamming_distance, run, start, stop, words, main


def cosine(a, b):
    return len(a & b) / math.sqrt(len(a) * len(b)) if a and b else 0.0


MEASURES = {"jaccard": jaccard, "cosine": cosine}
JSON = ("--jsonl", "--format", "jsonl")


def matches(sets, measure, least):
    names = list(sets)
    return {
        (a, b): similarity
        for i, a in enumerate(names)
        for b in names[i + 1 :]
        if not sets[a].isdisjoint(sets[b]) and (similarity := measure(sets[a], sets[b])) >= least
    }


def sets_of(texts):
    """The documents that have tokens."""
    return {f"d{i}": words(text, 2) for i, text in enumerate(texts) if words(text, 2)}


class Limits(CommandTest):
    def found(self, texts, *options):
        done = self.assert_done(run("pairs", *JSON, "--quiet", *options, "-", data=jsonl(texts)))
        return [row.get("containment", row.get("similarity")) for row in done.json]

    def test_whole_numbers_decide_at_the_limit(self):
        """The limit is a whole number of hundredths. The sets share `same` of `all_of` features, which is exactly
        the limit."""
        some = [(17, 25), (2, 10), (93, 100), (7, 10), (14, 20), (9, 12), (29, 50), (23, 25), (11, 44), (20, 25)]
        for same, all_of in some:
            hundredths = 100 * same // all_of
            self.assertEqual(100 * same % all_of, 0)
            alphabet = [chr(0x4E00 + i) for i in range(2 * all_of)]
            a, b = "".join(alphabet[:all_of]), "".join(alphabet[:same] + alphabet[all_of : 2 * all_of - same])
            at = f"{hundredths / 100:.2f}"
            self.assertEqual(self.found([a, b], "--check", "edit", "--similarity", at), [hundredths / 100], (same, all_of))
            self.assertEqual(self.found([a, b], "--check", "edit", "--similarity", f"{hundredths / 100 + .0001:.4f}"), [])
            a, b = (" ".join(f"w{ord(c)}" for c in text) for text in (a, b))
            longer = b + " " + " ".join(f"v{i}" for i in range(7))
            for measure, pair in (("containment", [a, longer]), ("cosine", [a, b])):
                if measure == "containment" and same < 8:
                    continue  # containment needs 8 common features
                self.assertEqual(self.found(pair, "--features", "words", "--check", measure, "--similarity", at), [hundredths / 100], (measure, same, all_of))
                self.assertEqual(self.found(pair, "--features", "words", "--check", measure, "--similarity", f"{hundredths / 100 + .0001:.4f}"), [])


class ByDefault(CommandTest):
    def setUp(self):
        super().setUp()
        self.texts = corpus(240, 61)
        self.texts[17] = self.texts[130] = "?!"  # without tokens
        self.texts += [f"{self.texts[5]} end"] + ["one", "two", "one"]
        self.data = jsonl(self.texts)
        self.file = self.write("c.jsonl", self.data)
        self.sets = sets_of(self.texts)

    def test_pairs_are_all_there_are(self):
        for measure, similarity in MEASURES.items():
            for least in (0.3, 0.5, 0.8, 1):
                expected = [
                    (a, b, as_json(s)) for (a, b), s in matches(self.sets, similarity, least).items()
                ]
                self.assertGreater(len(expected), 20)
                options = ("pairs", *JSON, "--check", measure, "--similarity", least)
                for source, threads in ((self.file, 1), ("-", 3)):
                    with self.subTest(measure=measure, least=least, source=source):
                        done = self.assert_done(run(*options, "--threads", threads, source, data=self.data))
                        self.assertEqual([(r["a"], r["b"], r["similarity"]) for r in done.json], expected)

    def test_no_distance_is_shown_where_no_fingerprints_are_compared(self):
        dropped = self.folder / "dropped"
        pairs = self.assert_done(run("pairs", "--jsonl", self.file)).text.splitlines()
        self.assertGreater(len(pairs), 20)
        self.assertEqual({row.split("\t")[1] for row in pairs}, {"-"})
        self.assertTrue(all(row.keys() == {"a", "b", "similarity"} for row in run("pairs", *JSON, self.file).json))
        for group in self.assert_done(run("groups", *JSON, self.file)).json:
            self.assertTrue(all(member.keys() == {"id", "similarity"} for member in group["members"]))
        self.assert_done(run("unique", "--jsonl", "--dropped", dropped, self.file))
        rows = [json.loads(line) for line in dropped.read_text().splitlines()]
        self.assertGreater(len(rows), 20)
        self.assertTrue(all(row.keys() == {"id", "kept", "similarity"} for row in rows))
        for options in (("--distance", 20), ("--kind", "auto")):
            self.assertTrue(all("distance" in row for row in run("pairs", *options, *JSON, self.file).json))

    def test_what_has_features_for_the_check_is_compared(self):
        data = jsonl(["?! ?! ..", "some words", "?! ?! ..", "", ""])
        by_bytes = ("--features", "words", "--check-features", "bytes:3")
        for verb, count in (("pairs", 1), ("groups", 1), ("unique", 4)):
            done = self.assert_done(run(verb, *by_bytes, "--jsonl", *(() if verb == "unique" else JSON[1:]), "-", data=data))
            self.assertEqual(len(done.json), count)
            self.assertIn("2 documents have no tokens", done.err)
            done = self.assert_done(run(verb, "--exact", "--features", "words", "--jsonl", "-", data=data))
            self.assertIn("4 documents have no tokens", done.err)

    def test_finds_what_no_fingerprint_finds(self):
        # Pairs that share three of ten features are farther apart than the largest distance of a search of 64 bits.
        rows = run("pairs", *JSON, "--similarity", 0.3, self.file).json
        fewer = run("pairs", *JSON, "--distance", 5, "--min-similarity", 0.3, self.file).json
        found = {(row["a"], row["b"]) for row in rows}
        self.assertLess({(row["a"], row["b"]) for row in fewer}, found)

    def test_copies_once(self):
        every = run("pairs", *JSON, self.file).json
        once = run("pairs", *JSON, "--copies-once", self.file).json
        first = {name: next(n for n in self.sets if self.sets[n] == s) for name, s in self.sets.items()}
        wanted = [row for row in every if first[row["a"]] == row["a"] and first[row["b"]] in (row["a"], row["b"])]
        self.assertEqual(once, wanted)
        self.assertLess(len(once), len(every))

    def test_text_needs_no_fingerprints(self):
        rows = run("groups", *JSON, "--similarity", 0.5, self.file).json
        expected = [m["id"] for row in rows for m in row["members"]]
        lines = self.assert_done(run("groups", "--jsonl", "--similarity", 0.5, self.file)).text.splitlines()
        self.assertEqual([line.split("  ")[2] for line in lines if line.startswith("  ")], expected)

    def test_a_pipe_of_several_rounds_keeps_what_a_file_keeps(self):
        texts = corpus(9000, 62, vocabulary=60)
        data = jsonl(texts)
        file = self.write("long.jsonl", data)
        options = ("unique", "--jsonl", "--similarity", 0.6)
        whole = self.assert_done(run(*options, file)).bytes
        for threads in (1, 3):
            self.assertEqual(run(*options, "--threads", threads, "-", data=data).bytes, whole)
        # Features in a temporary file give the same result.
        self.assertEqual(run(*options, "--memory", "1M", file).bytes, whole)
        self.assertEqual(run(*options, "--memory", "1M", "-", data=data).bytes, whole)

    def test_a_pipe_with_records_beyond_the_memory_keeps_what_a_file_keeps(self):
        # The memory of a run holds 100 MB of undecided records. These have 120 MB.
        blanks = " " * 1_000_000
        lines = "".join(f"{text}{blanks}\n" for text in corpus(120, 66, vocabulary=60)).encode()
        file = self.write("blanks.txt", lines)
        options = ("unique", "--lines", "--similarity", 0.5)
        whole = self.assert_done(run(*options, file)).bytes
        self.assertTrue(0 < whole.count(b"\n") < 120)
        self.assertEqual(self.assert_done(run(*options, "-", data=lines)).bytes, whole)
        # If no temporary file can be made, the program decides about the first documents early.
        missing = dict(os.environ, TMPDIR=str(self.folder / "missing"))
        self.assertEqual(self.assert_done(run(*options, "-", data=lines, env=missing)).bytes, whole)

    def test_features_beyond_the_memory_are_joined_through_partitions(self):
        copies = ["w1 w2 w3 w4 w5 w6 w7 w8 w9"] * 30
        template = [f"a w2 template w{i} of w{i % 7} many w5 words w{i % 90} that w9 are common" for i in range(200)]
        file = self.write("long.jsonl", jsonl(corpus(2500, 63) + copies + template))
        other = self.write("other.jsonl", jsonl(corpus(300, 63) + copies[:2], 9000))
        for options in (
            ("pairs",),
            ("pairs", "--copies-once"),
            ("pairs", "--check", "cosine"),
            ("pairs", "--check", "containment"),
            ("pairs", "--against", other),
            ("pairs", "--against", other, "--also-within"),
            ("groups",),
            ("groups", "--check", "cosine", "--threads", 3),
            ("groups", "--check", "containment"),
            ("groups", "--grouping", "components"),
            ("groups", "--keep", "longest"),
            ("unique",),
            ("unique", "--keep", "longest"),
        ):
            with self.subTest(options=options):
                options = (*options, "--jsonl", "--similarity", 0.6, file)
                whole = self.assert_done(run(*options)).bytes
                self.assertGreater(len(whole), 1000)
                for memory in ("1",) if SANITIZED else ("1", "200K"):
                    self.assertEqual(self.assert_done(run(*options, "--memory", memory)).bytes, whole)

    def test_other_features(self):
        sets = {f"d{i}": characters(text, 4) for i, text in enumerate(self.texts) if characters(text, 4)}
        expected = list(matches(sets, jaccard, 0.6))
        for features in (("--features", "chars:4"), ("--features", "words", "--check-features", "chars:4")):
            rows = self.assert_done(run("pairs", *JSON, "--similarity", 0.6, *features, self.file)).json
            self.assertEqual([(row["a"], row["b"]) for row in rows], expected)

    def test_given_features_of_records(self):
        rows = [{"id": f"d{i}", "f": [[w, 1 + len(w)] for w in t.split()]} for i, t in enumerate(self.texts)]
        data = "".join(json.dumps(row) + "\n" for row in rows)
        sets = {row["id"]: {w for w, _ in row["f"]} for row in rows}
        done = self.assert_done(run("pairs", *JSON, "--weighted-field", "f", "--check", "jaccard", "-", data=data))
        self.assertEqual([(row["a"], row["b"]) for row in done.json], list(matches(sets, jaccard, 0.8)))


class Demanded(ByDefault):
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
            ("--similarity", 0.5, "--min-similarity", 0.6),
            ("--weighted-field", "f", "--jsonl", "--check", "cosine"),
        ):
            for verb in ("groups", "unique", "pairs"):
                with self.subTest(verb=verb, options=options):
                    self.assert_fails(run(verb, "--exact", *options, self.folder / "a.txt"), "--exact", options[0])
        lists = self.folder / "a.bin"
        self.assert_done(run("hash", "--format", "bin", "--output", lists, self.folder / "a.txt"))
        self.assert_fails(run("pairs", "--exact", "--fingerprints", lists), "--fingerprints with --exact")

    def test_refuses_an_index_without_features(self):
        bare = self.folder / "bare.neardup"
        self.assert_done(run("index", "--jsonl", "--kind", "auto", "--output", bare, self.file))
        self.assert_fails(run("pairs", "--exact", "--jsonl", "--against", bare, self.file),
                          f"--exact: {bare} is an index of fingerprints")


@functools.cache
def loose():
    """Texts with similar pairs that fingerprints miss."""
    return corpus(1500, 63, words=25, vocabulary=60, copies=0.8)


class Unasked(CommandTest):
    """The choice between features and fingerprints if no option makes it."""

    def setUp(self):
        super().setUp()
        self.data = jsonl(loose())
        self.file = self.write("c.jsonl", self.data)
        self.lines = self.write("c.txt", "".join(text + "\n" for text in loose()))
        self.files = self.folder / "files"
        for i, text in enumerate(loose()[:200]):
            self.write(f"files/{i:03}.txt", text)

    def test_default_is_exact(self):
        others = self.write("others.jsonl", jsonl(loose()[::9]))
        for verb in ("groups", "unique", "pairs", "report"):
            for options in (
                ("--jsonl", self.file),
                ("--jsonl", "-"),
                ("--lines", self.lines),
                (self.files,),
                ("--jsonl", self.file, "--against", others, "--also-within"),
                ("--jsonl", "--check", "cosine", "--similarity", 0.7, self.file),
            ):
                with self.subTest(verb=verb, options=options):
                    default = self.assert_done(run(verb, *options, data=self.data))
                    exact = self.assert_done(run(verb, "--exact", *options, data=self.data))
                    self.assertTrue(default.bytes)
                    self.assertEqual(default.bytes, exact.bytes)
                    self.assertEqual(default.err, exact.err)

    def test_says_what_it_means(self):
        done = run("groups", "--jsonl", self.file)
        meant = "--features words:2 --exact --check-features words:2 --min-similarity 0.8"
        self.assertEqual(done.err.splitlines()[0], f"neardup: --similarity 0.8 (the default) means: {meant}")
        self.assertEqual(run("groups", *meant.split(), "--jsonl", self.file).bytes, done.bytes)

    def test_each_option_of_fingerprints_takes_these(self):
        sets = {f"d{i}": words(text, 2) for i, text in enumerate(loose())}
        every = matches(sets, jaccard, 0.6)
        found = run("pairs", *JSON, "--similarity", 0.6, self.file).json
        self.assertEqual({(row["a"], row["b"]) for row in found}, set(every))
        missed = 0
        for options in (
            ("--kind", "auto"),
            ("--kind", "minwise"),
            ("--kind", "simhash"),
            ("--bits", 64),
            ("--bits", 128),
            ("--blocks", 19),
            ("--weights", "tf"),
            ("--top", 30),
            ("--distance", 10, "--min-similarity", 0.6),
            ("--distance", 12, "--similarity", 0.6),
            ("--similarity", 0.5, "--min-similarity", 0.6),
        ):
            with self.subTest(options=options):
                named = options if "--min-similarity" in options or "--similarity" in options else (*options, "--similarity", 0.6)
                done = self.assert_done(run("pairs", *JSON, *named, self.file))
                said = re.search(r"means:.* --kind (\S+) --bits (\d+) --distance (\d+)", done.err)
                kind, bits, distance = said.groups() if said else ("simhash", 64, 10)
                of_fingerprint = () if options[0] not in ("--weights", "--top") else options
                prints = fingerprints(self.data, "--kind", kind, "--bits", bits, *of_fingerprint)
                expected = [
                    (a, b, d, as_json(similarity))
                    for (a, b), similarity in every.items()
                    if a in prints and b in prints and (d := hamming_distance(prints[a], prints[b])) <= int(distance)
                ]
                rows = [(row["a"], row["b"], row["distance"], row["similarity"]) for row in done.json]
                self.assertEqual(rows, expected)
                self.assertLess(len(rows), len(every) + 1)
                missed += len(rows) < len(every)
        self.assertGreater(missed, 5)

    def test_says_why_pairs_may_be_missed(self):
        note = "candidates come from fingerprints, which may miss a pair"
        bare, grown = self.folder / "bare.neardup", self.folder / "grown.neardup"
        self.assert_done(run("index", "--jsonl", "--kind", "auto", "--output", bare, self.file))
        self.assert_done(run("index", "--jsonl", "--output", grown, self.file))
        for verb, options, why in (
            ("groups", ("--weights", "tf"), "--weights tf"),
            ("pairs", ("--top", 5), "--top"),
            ("unique", ("--similarity", 0.5, "--min-similarity", 0.6), "--similarity with --min-similarity"),
            ("pairs", ("--against", bare), f"{bare}, an index of fingerprints"),
            ("unique", ("--add-to", bare), f"{bare}, an index of fingerprints"),
        ):
            with self.subTest(options=options):
                done = self.assert_done(run(verb, "--jsonl", *options, self.file))
                more = f"; neardup index --output {bare} PATH… makes one that misses none" if bare in options else ""
                self.assertEqual(done.err.count(f"neardup: {why}: {note}{more}\n"), 1, done.err)
                self.assertNotIn(note, run(verb, "--jsonl", "--quiet", *options, self.file).err)
        for options in ((), ("--kind", "auto"), ("--weights", "tf", "--distance", 3), ("--against", grown)):
            self.assertNotIn(note, self.assert_done(run("pairs", "--jsonl", *options, self.file)).err)
        self.assertNotIn(note, self.assert_done(run("unique", "--jsonl", "--add-to", grown, self.file)).err)

    def test_what_is_printed_can_be_added(self):
        for options in (("--similarity", 0.7), ("--similarity", 0.7, "--check", "cosine"), ("--similarity", 0.7, "--kind", "auto")):
            done = self.assert_done(run("pairs", "--jsonl", *options, self.file))
            said = done.err.splitlines()[0].split(" means: ")[1].split()
            again = self.assert_done(run("pairs", "--jsonl", "--similarity", "0.70", *said, self.file))
            self.assertEqual(again.bytes, done.bytes)
        self.assert_fails(run("pairs", "--jsonl", "--exact", "--similarity", 0.7, "--min-similarity", 0.71, self.file), "name it once")

    def test_estimates_are_called_so(self):
        note = "--distance 3 alone: nothing is checked, and similarities are estimates"
        for verb in ("pairs", "groups", "unique"):
            self.assertIn(note, self.assert_done(run(verb, "--jsonl", "--distance", 3, self.file)).err)
            self.assertNotIn(note, self.assert_done(run(verb, "--jsonl", "--quiet", "--distance", 3, self.file)).err)
            for options in ((), ("--distance", 3, "--min-similarity", 0.5), ("--distance", 3, "--similarity", 0.5)):
                self.assertNotIn("estimates", self.assert_done(run(verb, "--jsonl", *options, self.file)).err)

    def test_the_cosine_of_an_index_is_that_of_its_sets_or_refused(self):
        texts = corpus(5, 10)
        index, lean = self.folder / "index", self.folder / "lean"
        self.assert_done(run("index", "--jsonl", "--output", index, "-", data=jsonl(texts)))
        self.assert_done(run("index", "--jsonl", "--kind", "auto", "--output", lean, "-", data=jsonl(texts)))
        for options in (
            ("--weights", "tf"),
            ("--kind", "simhash"),
            ("--distance", "20"),
            ("--similarity", ".9", "--min-similarity", ".8"),
        ):
            done = run("unique", "--jsonl", "--check", "cosine", *options, "--against", index, "-", data=jsonl(texts))
            self.assert_fails(done, "--check cosine", "sets of features")
        done = run("unique", "--jsonl", "--check", "cosine", "--against", lean, "-", data=jsonl(texts))
        self.assert_fails(done, "--check cosine", str(lean))
        done = run("unique", "--jsonl", "--check", "cosine", "--against", index, "-", data=jsonl(texts))
        self.assertIn(" 0 kept", self.assert_done(done).err)

    def test_an_index_with_weights_says_that_it_may_miss_a_document(self):
        index = self.folder / "tf.neardup"
        note = "--weights tf: an index of fingerprints, which may miss a document"
        make = ("index", "--jsonl", "--weights", "tf", "--output", index, self.file)
        self.assertIn(note, self.assert_done(run(*make)).err)
        self.assertNotIn(note, self.assert_done(run(*make, "--quiet")).err)
        self.assertNotIn(note, self.assert_done(run(*make, "--kind", "auto")).err)
        for form in ("--weights", "unit"), ():
            self.assertNotIn("may miss", self.assert_done(run("index", "--jsonl", *form, "--output", index, self.file)).err)
        self.assert_fails(run("index", "--jsonl", "--weights", "tf", "--keep-postings", "--output", index, self.file),
                          "--keep-postings with --weights tf: an index of fingerprints has no features")


def fed(*arguments, chunks, pause=0.15):
    """Runs the program with input in chunks, and a pause after each. Returns the exit status and the output."""
    process = start(*map(str, arguments))
    out = []
    reader = threading.Thread(target=lambda: out.append(process.stdout.read()))
    reader.start()
    for chunk in chunks:
        process.stdin.write(chunk)
        process.stdin.flush()
        time.sleep(pause)
    process.stdin.close()
    reader.join()
    process.stderr.read()
    status = process.wait()
    stop(process)
    return status, out[0]


class Waiting(CommandTest):
    """A writer that sends a line, and waits for the answer before the next."""

    def test_keeps_what_a_file_keeps(self):
        import concurrent.futures  # imported here because the import is slow

        texts = corpus(700, 64, words=25, vocabulary=60, copies=0.7)
        lines = [text.encode() + b"\n" for text in texts]
        file = self.write("c.txt", b"".join(lines))
        others = self.write("others.txt", b"".join(lines[:900:7]))
        chunks = [b"".join(lines[:300])]
        chunks += [b"".join(lines[i : i + 1]) for i in range(300, 306)]
        chunks += [b"".join(lines[i : i + 20]) for i in range(306, 386, 20)]
        chunks += [b"".join(lines[386:])]
        ways = [
            (threads, *options)
            for options in (
                ("--similarity", 0.6),
                ("--check", "cosine", "--similarity", 0.7),
                ("--similarity", 0.6, "--against", others),
                ("--similarity", 0.6, "--against", others, "--also-within"),
                ("--similarity", 0.6, "--memory", "1k"),
            )
            for threads in (1, 3)
        ]

        def outputs(number):
            dropped = self.folder / f"dropped{number}", self.folder / f"dropped{number}-fed"
            shared = ("unique", "--lines", "--threads", *ways[number], "--dropped")
            whole = self.assert_done(run(*shared, dropped[0], file)).bytes
            return dropped, whole, fed(*shared, dropped[1], "-", chunks=chunks)

        # All runs at once, because they wait most of the time.
        with concurrent.futures.ThreadPoolExecutor(len(ways)) as pool:
            for way, (dropped, whole, by_and_by) in zip(ways, pool.map(outputs, range(len(ways)))):
                with self.subTest(way=way):
                    self.assertTrue(0 < whole.count(b"\n") < len(lines))
                    self.assertEqual(by_and_by, (0, whole))
                    columns = [[row.split("\t")[:2] for row in d.read_text().splitlines()] for d in dropped]
                    self.assertEqual(*columns)

    def test_a_slow_writer_that_never_pauses_is_answered(self):
        process = start("unique", "--lines", "--quiet", "-")
        out = []
        reader = threading.Thread(target=lambda: out.append(process.stdout.read(1)))
        reader.start()
        # The input never pauses for .1 s. The program decides when a join takes only a small share of the time.
        for number in range(2000):
            if out:
                break
            process.stdin.write(f"w{number} w{number + 1} w{number + 2} {'x' * 16000}\n".encode())
            process.stdin.flush()
            time.sleep(0.01)
        self.assertTrue(out)
        process.stdin.close()
        reader.join()
        process.stdout.read()
        process.stderr.read()
        self.assertEqual(process.wait(), 0)
        stop(process)

    def test_takes_no_longer_for_each_when_many_were_kept(self):
        # If each line were joined with all kept documents, the test would take too long.
        texts = large_corpus(30000, 65, words=30, vocabulary=5000, copies=0)
        data = "".join(text + "\n" for text in texts).encode()
        before = cpu_seconds()
        self.assertEqual(fed("unique", "--lines", "--quiet", "-", chunks=[data], pause=0.5)[0], 0)
        alone = cpu_seconds() - before
        chunks = [data] + [f"w{i} w{i + 1} w{i + 2} w{i + 3}\n".encode() for i in range(30)]
        status, out = fed("unique", "--lines", "--quiet", "-", chunks=chunks, pause=0.12)
        waited = cpu_seconds() - before - alone
        self.assertEqual(status, 0)
        self.assertGreater(out.count(b"\n"), 25000)
        self.assertLess(waited, 3 * alone + (2 if SANITIZED else 0.2))


if __name__ == "__main__":
    main()
