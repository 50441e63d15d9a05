"""The pairs of near-duplicates, and the measures of the check. NEARDUP_PROGRAM names the program."""

import contextlib
import math
import os
import pty
import random
import re
import resource
import subprocess

import json

from harness import A, B, IS_SAMPLE, PROGRAM, SANITIZED, CommandTest, characters, close_pairs, corpus, effort, as_json
from harness import fingerprints, jaccard, jsonl, law, run, run_with, unless_short, unittest, main


class Pairs(CommandTest):
    def test_against_the_oracle(self):
        texts = corpus(300, 3)
        data = jsonl(texts)
        layouts = ((32, 3, 0), (64, 3, 0), (64, 3, 2), (64, 3, 5), (64, 10, 0), (128, 12, 0), (256, 30, 7))
        for bits, distance, blocks in layouts:
            with self.subTest(bits=bits, distance=distance, blocks=blocks):
                prints = fingerprints(data, "--bits", bits)
                expected = [
                    {"a": a, "b": b, "distance": d, "estimate": as_json(math.cos(math.pi * d / bits))}
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
                expected.append((a, b, d, as_json(similarity)))
        options = ("--features", "chars:4", "--distance", 14, "--min-similarity", 0.6)
        rows = run("pairs", "--jsonl", "--format", "jsonl", *options, "-", data=data).json
        self.assertEqual([(r["a"], r["b"], r["distance"], r["similarity"]) for r in rows], expected)
        self.assertGreater(len(rows), 20)

    def test_ids_of_any_length_come_back_whole(self):
        """Ids are stored in blocks of 65,536 bytes. The length of an id is before it."""
        lengths = [1, 127, 128, 65524, 3, 65525, 65526, 65527, 70000, 5, 65535, 65536, 131072, 9, 40000, 40000, 2]
        ids = [f"{i}:".ljust(length, "x") for i, length in enumerate(lengths)]
        data = "".join(json.dumps({"id": name, "text": A}) + "\n" for name in ids)
        rows = self.assert_done(run("pairs", "--jsonl", "--copies-once", "--format", "jsonl", "-", data=data)).json
        self.assertEqual([(row["a"], row["b"]) for row in rows], [(ids[0], other) for other in ids[1:]])

    def test_only_equal_sets_have_a_similarity_of_one(self):
        """The cosine 1 / sqrt(1 + 1e-8) is below 1, but would be 1.000000 if it were rounded to six decimals."""
        rows = [{"id": "a", "f": [["x", 1]]}, {"id": "b", "f": [["x", 1], ["y", 1e-4]]}, {"id": "c", "f": [["x", 1]]}]
        data = "".join(json.dumps(row) + "\n" for row in rows)
        options = ("--jsonl", "--weighted-field", "f", "--check", "cosine", "--distance", 60, "--min-similarity", 0.5, "-")
        found = self.assert_done(run("pairs", "--format", "jsonl", *options, data=data)).json
        self.assertEqual([(p["a"], p["b"], p["similarity"]) for p in found], [("a", "b", 0.999999), ("a", "c", 1), ("b", "c", 0.999999)])
        text = self.assert_done(run("pairs", *options, data=data)).text
        self.assertEqual([line.split()[0] for line in text.splitlines()], ["0.999", "1.000", "0.999"])
        members = self.assert_done(run("groups", "--format", "jsonl", *options, data=data)).json[0]["members"]
        self.assertEqual([m["similarity"] for m in members], [1, 0.999999, 1])
        self.assert_done(run("unique", "--dropped", self.folder / "gone", *options, data=data))
        gone = [json.loads(line) for line in (self.folder / "gone").read_text().splitlines()]
        self.assertEqual([(row["id"], row["similarity"]) for row in gone], [("b", 0.999999), ("c", 1)])

    def test_text_has_tabs(self):
        done = run("pairs", "--lines", "-", data=f"{A}\n{B}\n{A}\n")
        self.assertEqual(done.text, "1.000\t-\t-:1\t-:3\n")
        self.assertIn("3 documents: 1 pair of near-duplicates", done.err)

    def test_copies_once(self):
        texts = [text for text in corpus(300, 23) if len(text.split()) > 9]
        texts += [" ".join(reversed(text.split())) for text in texts[:50]]  # the same words, so the fingerprint of single words is the same
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
    def test_pairs_without_room_are_filed(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (60 << 20, 60 << 20))

        # Three million pairs of 16 bytes do not fit. They are written to a file in runs of 2^16 pairs.
        line = "some words that are copied from one page to another, and back again"
        copies = f"{line}\n" * 2500
        few = ("--lines", "--threads", 1, "--memory", 1000000, "-")
        if not SANITIZED:
            with open(os.devnull, "wb") as nothing:
                done = run_with(("pairs", *few), input=copies.encode(), stdout=nothing, stderr=subprocess.PIPE,
                                preexec_fn=limit)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"2,500 documents: 3,123,750 pairs of near-duplicates", done.stderr)
        some = "\n".join(f"{line} {i % 3}" for i in range(900))
        for options in ((), ("--bits", 64), ("--check", "containment"), ("--format", "jsonl"))[effort(2, 0) :]:
            filed = self.assert_done(run("pairs", *options, *few, data=some))
            whole = self.assert_done(run("pairs", *options, "--lines", "-", data=some))
            self.assertGreater(len(filed.bytes), 134000 * 15)
            self.assertTrue(filed.bytes == whole.bytes)

    def test_candidates_that_fail_the_check_take_no_memory(self):
        def limit():
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (80 << 20, 80 << 20))

        # Four million pairs are within the distance, but few of them are similar. With 16 bytes each, all would take 69
        # MB.
        draw = random.Random(5)
        template = [f"w{draw.randrange(3000)}" for _ in range(60)]
        lines = []
        for _ in range(3000):
            line = list(template)
            for place in draw.sample(range(60), 5):
                line[place] = f"w{draw.randrange(3000)}"
            lines.append(" ".join(line))
        lines.append(lines[17])
        data = "\n".join(lines).encode()
        wide = ["--distance", 20, "--format", "jsonl", "-"]
        done = run("pairs", "--lines", "--threads", 1, "--min-similarity", 0.9, *wide, data=data, preexec_fn=limit)
        self.assertIn({"a": "-:18", "b": "-:3001"}, [{"a": row["a"], "b": row["b"]} for row in self.assert_done(done).json])


class Check(CommandTest):
    """Compares each measure of --check with a plain one, over all candidates."""

    def pairs(self, texts, *options):
        done = self.assert_done(run("pairs", "--jsonl", *options, "-", data=jsonl(texts)))
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
            return 1 - law.edits_between(fold(a), fold(b)) / max(len(fold(a)), len(fold(b)))

        def cosine(a, b):
            a, b = ({w: fold(t).split().count(w) for w in fold(t).split()} for t in (a, b))
            norm = math.sqrt(sum(x * x for x in a.values()) * sum(x * x for x in b.values()))
            return sum(x * b.get(w, 0) for w, x in a.items()) / norm

        words_only = texts[:-2]
        for least in (0.5, 0.7, 0.9):
            for given, options, oracle in ((texts, ("--check", "edit"), edit),
                                           (words_only, ("--check", "cosine", "--features", "words", "--weights", "tf", "--distance", 63), cosine)):
                found = self.pairs(given, "--min-similarity", least, *options)
                self.assertEqual([(int(a[1:]), int(b[1:]), s) for s, _, a, b in found], self.expected(given, least, oracle))
                self.assertGreater(len(found), 5)

    def test_edit_is_the_measure_of_short_texts(self):
        texts = ["研究生命的起源", "研究生命之起源", "ＡＢ完全不同的句子"]
        options = ("--min-similarity", 0.8, "--check", "edit")
        self.assertEqual(self.pairs(texts, *options)[0][0], "0.857")
        groups = run("groups", "--jsonl", *options, "-", data=jsonl(texts))
        self.assertIn("2 documents, similarity to the first at least 0.857", self.assert_done(groups).text)
        unique = run("unique", "--jsonl", *options, "-", data=jsonl(texts))
        self.assertEqual(len(unique.text.splitlines()), 2)

    def test_options_of_features_and_fingerprints_are_refused_where_texts_are_compared(self):
        refused = (("--features", "words:2"), ("--check-features", "words:2"), ("--kind", "auto"), ("--bits", 64),
                   ("--blocks", 5), ("--distance", 3), ("--weights", "tf"), ("--top", 5))
        for verb in ("pairs", "groups", "unique", "report"):
            for option in refused:
                self.assert_fails(run(verb, "--check", "edit", "--similarity", 0.7, *option, "-", data=A),
                                  f"{option[0]}{' tf' if option[1] == 'tf' else ''} with --check edit: texts are compared by characters")

    @unittest.skipIf(SANITIZED, "takes long")
    def test_a_comparison_of_each_with_each_says_so_and_how_long_it_takes(self):
        rng = random.Random(3)
        # At .5, half of the letters may differ, so similar texts may share no q-gram. Texts of very different lengths
        # are not compared.
        draw = lambda *lengths: jsonl("".join(rng.choices("abcdefghijklmnop", k=lengths[i % len(lengths)])) for i in range(6000))
        texts = draw(6, 13, 27)
        said = ("--check edit compares each of 6,000 texts with all of a similar length: the time grows with the square "
                "of this number\n")
        for verb in ("pairs", "groups", "unique"):
            limit = ("--check", "edit", "--similarity", 0.5, "--threads", 1)
            done = self.assert_done(run(verb, "--jsonl", *limit, "-", data=texts))
            self.assertEqual(done.err.count(said), 1, done.err)
            if IS_SAMPLE and verb != "groups":
                continue
            self.assertEqual(self.assert_done(run(verb, "--jsonl", "--quiet", *limit, "-", data=texts)).err, "")
            fewer = b"".join(texts.splitlines(True)[:4000])
            self.assertNotIn("with all of a similar length", self.assert_done(run(verb, "--jsonl", *limit, "-", data=fewer)).err)

        # On a terminal, a progress line is updated. After half a second, it also shows the remaining time.
        leader, terminal = pty.openpty()
        file = self.write("c.jsonl", draw(12))
        with subprocess.Popen([PROGRAM, "pairs", "--jsonl", *map(str, limit), file], stdout=subprocess.DEVNULL,
                              stderr=terminal) as process:
            os.close(terminal)
            shown = b""
            with contextlib.suppress(OSError):  # the end of a terminal
                while piece := os.read(leader, 4096):
                    shown += piece
        os.close(leader)
        self.assertEqual(process.returncode, 0)
        self.assertRegex(shown.decode(), r"\rcomparing texts: [0-9,]+ of 6,000 documents, [0-9][^\r]* left")

    def test_says_the_measure(self):
        self.assertIn("--similarity 0.8 (the default) means: --exact --check edit --min-similarity 0.8\n",
                      run("pairs", "--check", "edit", "-", data=A).err)

    def test_replaced_characters_are_found(self):
        # 300 pairs of posts with 40 characters, of which up to 12 are replaced. Their edit similarities are at least
        # .7.
        rng = random.Random(20)
        texts = []
        for i in range(300):
            characters = [chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(40)]
            texts.append("".join(characters))
            for place in rng.sample(range(40), i % 13):
                characters[place] = chr(rng.randrange(0x4E00, 0x9FA5))
            texts.append("".join(characters))
        self.assertEqual(len(self.pairs(texts, "--check", "edit", "--similarity", "0.7")), 300)


if __name__ == "__main__":
    main()
