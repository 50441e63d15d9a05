"""Which options are recommended. NEARDUP_PROGRAM names the program."""

import collections
import json
import os
import random
import re
import shlex
import subprocess
import sys
import threading

from harness import (A, B, IS_SAMPLE, PROGRAM, SANITIZED, CommandTest, characters, corpus, cpu_seconds, effort, jaccard, jsonl, law,
                     main, run, unittest, words)


class Advise(CommandTest):
    def advice(self, *arguments, **more):
        (row,) = self.assert_done(run("advise", "--format", "jsonl", *arguments, **more)).json
        return row

    @staticmethod
    def edited(count, seed, length=40):
        """Random texts, most of them earlier texts with up to six words changed."""
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

    def test_the_kind_of_text_says_what_to_try(self):
        rng = random.Random(8)
        number = lambda n: rng.randrange(n)
        word = lambda: rng.choice(("river", "night", "bridge", "water", "house", "letter", "garden")) + str(number(9)) * number(2)
        prose = lambda: f"The {word()} (as they said) was a {word()} of the {word()}, near the {word()}; and so on.\nAt 10:00 it was {word()}."
        kinds = {
            "code:4": lambda: f"int {word()}(int a) {{\n  for (i = {number(99)}; i < a; ++i) {{\n    x[i] += f(a);\n  }}\n  return {word()};\n}}\n",
            "masked:words:2": lambda: f"2026-08-01T10:0{number(9)}:{10 + number(49)} sshd[{number(999)}]: Failed password for {word()} port {number(9999)}",
            "zh:words": lambda: "".join(rng.choice("我们明天去北京大学看生命的起源研究") for _ in range(60)),
            "chars:4": lambda: "".join(rng.choice("กขคงจฉชซดตถ") for _ in range(60)),
            "canonical:words:2": lambda: f"{prose()} caf&eacute; {word()}",
            "chars:4 ": lambda: "株式会社の代表取締役社長が記者会見で新製品を発表した。" + str(number(99)),  # Japanese
            None: prose,
        }
        for features, make in kinds.items():
            features = features and features.strip()
            data = jsonl([make() for _ in range(40)])
            found = self.advice("--jsonl", "-", data=data)
            hints, fits = found["hints"], {facts["features"]: facts["fits"] for facts in found["facts"]}
            self.assertEqual([hint["features"] for hint in hints], [features] if features else [], (features, hints))
            text = self.assert_done(run("advise", "--jsonl", "-", data=data)).text
            self.assertEqual(text.count("Try --check-features"), 1 if features == "zh:words" else 0)
            if features == "zh:words":  # zh:words needs a dictionary, so the command names other features
                self.assertIn(f"Try --check-features {features}: {hints[0]['documents']} of the first 40 documents ", text)
            elif features and not fits[features] and not (features[:5] != "chars" and fits[features.rpartition(":")[0] + ":1"]):
                self.assertNotIn(features, text.replace("\n  " + features, ""))  # the texts are too short: only the table has them
            elif features:  # the command has these features, or shorter ones
                name = features.rpartition(":")[0]
                self.assertRegex(text, rf"\nBy {name}:\d, because {hints[0]['documents']} of the first 40 documents ")
                self.assertRegex(text.splitlines()[-1], rf"--check-features {name}:\d ")
                text = self.assert_done(run("advise", "--jsonl", "--check-features", features, "-", data=data)).text
                self.assertNotIn("Try --check-features", text)
        # Too few documents of one kind: no hint.
        mixed = jsonl([prose() for _ in range(30)] + [kinds["code:4"]() for _ in range(10)])
        self.assertEqual(self.advice("--jsonl", "-", data=mixed)["hints"], [])

    def test_what_is_predicted_happens(self):
        file = self.write("c.jsonl", jsonl(self.edited(1600, 41)))
        for limit, features in ((0.8, "words:2"), (0.6, "chars:3"))[: effort(1, 2)]:
            check = ("--check-features", features, "--min-similarity", limit)
            # Every pair is within 63 of 64 bits.
            rows = run("pairs", "--jsonl", "--format", "jsonl", "--distance", 63, *check, file).json
            every = len(rows)
            self.assertGreater(every, 200)
            similar, copies = collections.defaultdict(set), collections.Counter()
            for row in rows:
                for one, other in ((row["a"], row["b"]), (row["b"], row["a"])):
                    if row["similarity"] == 1:
                        copies[one] += 1
                    else:
                        similar[one].add(other)
            weight = {one: 1 / (1 + copies[one] + len(others)) for one, others in similar.items()}
            found = self.advice("--jsonl", "--recall", 0.99, "--similarity", limit, "--check-features", features, file)
            # The sample holds all documents, so the figures are exact.
            self.assertEqual((found["documents"], found["sampled"]), (1600, 1600))
            self.assertEqual((found["similar_pairs"], found["pairs_seen"]), (every, 2 * every))
            self.assertTrue(found["is_reached"])
            self.assertEqual(len(found["setups"]), 4 * sum("mean_distance" in facts for facts in found["facts"]))
            for number, setup in enumerate(found["setups"]):
                if number != found["recommended"] and (SANITIZED or IS_SAMPLE and number % 3 != 0):
                    continue
                with self.subTest(limit=limit, setup=setup):
                    limits = ("--features", setup["features"], "--kind", setup["kind"], "--bits", setup["bits"],
                              "--distance", setup["distance"])
                    met = collections.Counter()
                    pairs = run("pairs", "--jsonl", "--format", "jsonl", *limits, *check, file).json
                    self.assertLess(abs(len(pairs) / every - setup["recall_of_pairs"]), 0.05)
                    for row in pairs:
                        if row["similarity"] < 1:
                            met.update((row["a"], row["b"]))
                    recall = sum(w * met[one] / len(similar[one]) for one, w in weight.items()) / sum(weight.values())
                    self.assertLess(abs(recall - setup["recall"]), 0.05)
                    if number == found["recommended"]:
                        self.assertGreaterEqual(setup["recall"], 0.99)
                        candidates = len(run("pairs", "--jsonl", *limits, file).text.splitlines())
                        self.assertAlmostEqual(setup["candidates"] * 1600, candidates, delta=0.01 * candidates)

    def crowded(self, kind, seed):
        """Pairs of texts that differ in some words, unrelated texts, and a crowd of copies or of variants of one
        text."""
        rng = random.Random(seed)
        vocabulary = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(5000)]
        draw = lambda: [rng.choice(vocabulary) for _ in range(100)]

        def changed(words, count):
            words = words[:]
            for at in rng.sample(range(len(words)), count):
                words[at] = rng.choice(vocabulary)
            return words

        texts = []
        for _ in range(100):
            first = draw()
            texts += [first, changed(first, rng.randint(1, 4))]
        texts += [draw() for _ in range(400 if SANITIZED else 1800)]
        first = draw()
        texts += [first if kind == "copies" else changed(first, 1) for _ in range(100)]
        rng.shuffle(texts)
        return jsonl([" ".join(words) for words in texts])

    def test_crowds_do_not_spoil_the_advice(self):
        """The recommended command finds at least as many groups as the default: 100 pairs and the crowd."""
        groups_of = lambda *arguments: len(self.assert_done(run("groups", "--format", "jsonl", *arguments)).json)
        for seed in range(20 if os.environ.get("NEARDUP_EXHAUSTIVE") == "1" else effort(1, 2)):
            for kind in ("copies", "family"):
                with self.subTest(kind=kind, seed=seed):
                    file = self.write("c.jsonl", self.crowded(kind, seed))
                    by_default = groups_of("--jsonl", file)
                    self.assertGreaterEqual(by_default, 95)
                    for more in ((), ("--recall", 0.99)):
                        found = self.advice(*more, "--jsonl", file)
                        name, verb, *arguments = shlex.split(found["command"])
                        self.assertGreaterEqual(groups_of(*arguments), by_default if more == () else 98)
                        if more == ():
                            self.assertEqual(groups_of(*arguments), 101)

    @unittest.skipIf(SANITIZED, "processor times are not those of a release")
    def test_it_does_not_take_long_however_texts_resemble_one_another(self):
        rng = random.Random(9)
        draw = lambda count: " ".join(f"w{rng.randrange(30000)}" for _ in range(count))
        boilerplate, template = draw(250), draw(100).split()
        changed = lambda: " ".join(f"x{rng.randrange(30000)}" if rng.random() < 0.03 else word for word in template)
        for name, texts in {
            "boilerplate": [f"{boilerplate} {draw(62)}" for _ in range(3000)],
            "a template": [changed() for _ in range(10000)],
            "copies": [boilerplate] * 20000,
            "few words": [" ".join(rng.choices("abcdefghij", k=20)) for _ in range(20000)],
        }.items():
            if IS_SAMPLE and name not in ("boilerplate", "copies"):
                continue
            file = self.write("c.jsonl", jsonl(texts))

            def timed(verb, *more):
                before = cpu_seconds()
                done = self.assert_done(run(verb, "--threads", 1, "--jsonl", *more, file))
                return done, cpu_seconds() - before

            with self.subTest(name):
                advice, seconds = timed("advise", "--format", "jsonl")
                # A quarter is promised, of longer runs than these; bench/advice.py measures it.
                self.assertLess(seconds, max(1, 2 * timed("unique")[1]))
                (found,) = advice.json
                self.assertLessEqual(found["part"], found["documents"])

    def test_texts_too_short_for_a_change_are_told(self):
        rng = random.Random(47)
        lines = "\n".join(" ".join(f"w{rng.randrange(10**6)}" for _ in range(8 + 40 * (i % 2))) for i in range(100))
        facts = {f["features"]: f for f in self.advice("--lines", "-", data=lines)["facts"] if f["similarity"] == 0.8}
        self.assertEqual(facts["words:2"]["too_short"], 0.5)
        self.assertEqual(facts["words:1"]["too_short"], 0.5)  # the other half has 8 words, and 9 are needed
        self.assertEqual(facts["chars:5"]["too_short"], 0)
        text = run("advise", "--lines", "-", data=lines).text
        self.assertRegex(text, r"\n  words:2 +27\.0 +0\.500\n")
        # At a lower similarity, 8 words are enough.
        self.assertRegex(text, r"\n\* words:1, similarity 0\.7 +\S+ +0\.000\n")
        self.assertIn("--similarity 0.7 --exact --check-features words:1 --lines -", text.splitlines()[-1])

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
                by_fingerprints = self.assert_done(run("advise", "--recall", 0.98, *given, cwd=self.folder))
                for form, done, more in (
                    (r"^neardup groups --similarity 0\.\d+ --exact --check-features ", done, ()),
                    (r"^neardup groups --similarity 0\.\d+ --features \S+ --kind \w+ --bits \d+ --distance \d+ ",
                     by_fingerprints, ("--recall", 0.98)),
                ):
                    line = done.text.splitlines()[-1]
                    self.assertRegex(line, form)
                    self.assertEqual(self.advice(*more, *given, cwd=self.folder)["command"], line)
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
        count = 600 if SANITIZED else effort(3000, 6000)
        data = jsonl(self.edited(count, 43, length=10))
        file = self.write("c.jsonl", data)
        for form in ("text", "jsonl"):
            common = ("advise", "--jsonl", "--recall", 0.99, "--format", form)
            timeless = lambda done: re.sub(r'"seconds":[^,]*,"bytes"|(<|\d).* of processor time', "", self.assert_done(done).text)
            first = timeless(run(*common, "--threads", 1, file))
            self.assertIn(f"{count}" if form == "jsonl" else f"{count:,} documents", first)
            for threads in (2, 5):
                self.assertEqual(timeless(run(*common, "--threads", threads, file)), first)
            piped = timeless(run(*common, "-", data=data)).replace(" -\n", f" {file}\n").replace(' -"', f' {file}"')
            self.assertEqual(piped, first)
        seeds = {json.dumps(self.advice("--jsonl", "--recall", 0.99, "--seed", seed, file)["setups"]) for seed in (0, 1)}
        self.assertEqual(len(seeds), 2)

    @staticmethod
    def of_lengths(rng, count, least, most):
        """Random texts of `least` to `most` words; every third text is an earlier one with a changed word."""
        texts = []
        for i in range(count):
            if i % 3 == 2:
                text = texts[rng.randrange(len(texts))].split()
                text[rng.randrange(len(text))] = f"c{i}"
            else:
                text = [f"w{rng.randrange(3000)}" for _ in range(rng.randint(least, most))]
            texts.append(" ".join(text))
        return texts

    def test_features_that_do_not_fit_are_never_recommended(self):
        rng = random.Random(61)
        bears = lambda count, changed, limit: count >= changed and (count - changed) / (count + changed) >= limit
        shares_of = {
            "words:1": lambda text, limit: bears(len(words(text, 1)), 1, limit),
            "words:2": lambda text, limit: bears(len(words(text, 2)), 2, limit),
            "chars:3": lambda text, limit: bears(len(characters(text, 3)), 3, limit),
            "edit": lambda text, limit: (len(text) - 1) / len(text) >= limit,
        }
        chosen = collections.Counter()
        for _ in range(effort(40, 300)):
            least = rng.choice((1, 2, 4, 7, 12, 30))
            limit = rng.choice((0.5, 0.7, 0.8, 0.9, 0.95, 1))
            texts = self.of_lengths(rng, rng.randint(3, 300), least, least + rng.choice((0, 4, 20)))
            more = rng.choice(([], ["--check-features", "words:3"], ["--recall", 0.95], ["--recall", 0.95, "--features", "words"]))
            found = self.advice("--lines", "--similarity", limit, *more, "-", data="\n".join(texts))
            facts = {(facts["features"], facts["similarity"]): facts for facts in found["facts"]}
            with self.subTest(texts=texts[:3], count=len(texts), limit=limit, more=more):
                for name, is_long in shares_of.items():
                    short = 0 if limit == 1 else sum(not is_long(text, limit) for text in texts) / len(texts)
                    self.assertAlmostEqual(facts[name, limit]["too_short"], short, delta=1e-5)
                    self.assertEqual(facts[name, limit]["fits"], short < 0.5)
                _, verb, *arguments = shlex.split(found["command"])
                given = dict(zip(arguments, arguments[1:]))
                recommended = [given[option] for option in ("--features", "--check-features") if option in given]
                if given.get("--check") == "edit":
                    recommended.append("edit")
                if float(given["--similarity"]) < 1:
                    self.assertGreater(len(recommended), 0)
                    for name in recommended:
                        self.assertTrue(facts[name, float(given["--similarity"])]["fits"], (name, facts))
                elif limit < 1:
                    self.assertFalse(any(facts[name, limit]["fits"] for name in ("words:1", "words:2", "chars:3", "edit")))
                self.assertEqual(verb, "groups")
                chosen[recommended[0], given["--similarity"] == "1"] += 1
        self.assertGreater(len(chosen), 3, chosen)

    def test_what_is_recommended_for_short_texts_finds_more(self):
        rng = random.Random(62)
        file = self.write("short.txt", "\n".join(self.of_lengths(rng, 900, 9, 13)))
        found = self.advice("--lines", file)
        self.assertEqual(found["check_features"], "words:1")
        _, *arguments = shlex.split(found["command"])
        groups = lambda *options: len(self.assert_done(run(*options, "--format", "jsonl")).json)
        self.assertGreater(groups(*arguments), 2 * groups("groups", "--lines", file))
        # The texts are too short for the features that --check-features names, so these are not recommended either.
        done = self.assert_done(run("advise", "--lines", "--check-features", "words:2", file))
        self.assertIn("words:2 is not recommended: most of the documents are too short", done.text)
        self.assertIn("--check-features words:1 ", done.text.splitlines()[-1])

    def test_the_run_on_the_part_is_the_advised_run(self):
        """The part of a small corpus is the whole corpus. So advise drops as many documents in the part as the
        advised run does."""
        rng = random.Random(63)
        for least in (1, 10, 40):
            file = self.write("c.txt", "\n".join(self.of_lengths(rng, 400, least, least + 5)))
            found = self.advice("--lines", file)
            self.assertEqual((found["part"], found["documents"]), (400, 400))
            _, *arguments = shlex.split(found["command"])
            groups = self.assert_done(run(*arguments, "--format", "jsonl")).json
            self.assertEqual(found["dropped_in_part"], sum(group["size"] - 1 for group in groups))

    def test_a_part_is_a_small_share_of_a_large_corpus(self):
        rng = random.Random(64)
        text = lambda: " ".join(f"w{rng.randrange(5000)}" for _ in range(40))
        texts = [text() for _ in range(20000)]
        texts += texts[:10000]
        file = self.write("c.txt", "\n".join(texts))
        found = self.advice("--lines", file)
        least = (1 << 20) * 1.6 / len("\n".join(texts))
        self.assertTrue(0.9 * least < found["part"] / 30000 < 0.35, found["part"])
        share = found["part"] / 30000
        # A copy and its original are both in the part with the probability share * share.
        self.assertLess(abs(found["dropped_in_part"] / (10000 * share * share) - 1), 0.2)
        said = self.assert_done(run("advise", "--lines", file)).text
        self.assertIn(f"Of a part of {found['part']:,} documents, {found['dropped_in_part']:,} ", said)
        self.assertIn("The share of the whole corpus is higher, up to about ", said)
        self.assertNotEqual(self.advice("--lines", "--seed", 1, file)["part"], found["part"])

    @unittest.skipIf(SANITIZED, "the memory is not that of a release")
    def test_the_memory_is_that_of_a_run(self):
        rng = random.Random(65)
        for length in (10, 60):
            file = self.write("c.txt", "\n".join(self.of_lengths(rng, 40000, length, length + 10)))
            found = self.advice("--lines", file)
            _, *arguments = shlex.split(found["command"])
            # By a small process: the peak of a process includes that of the process that started it.
            start = ("import os, sys\n_, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)\n"
                     "print(usage.ru_maxrss if status == 0 else -1, file=sys.stderr)")
            command = [sys.executable, "-c", start, PROGRAM, *arguments, "--threads", "1", "--quiet"]
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
            self.assertLess(abs(found["bytes"] / (1024 * int(done.stderr)) - 1), 0.25)

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
        self.assertIn("\n0 (0.0 %) are near-duplicates ", self.assert_done(run("advise", "--lines", "-", data=unlike)).text)
        done = self.assert_done(run("advise", "--recall", 0.99, "--lines", "-", data=unlike))
        self.assertIn("No near-duplicates", done.text)
        self.assertIn("only theory", done.text)
        self.assertNotRegex(done.text, r"\(\d\.\d+ to|in brackets")  # no interval: without pairs, the error of the theory is unknown
        found = self.advice("--recall", 0.99, "--lines", "-", data=unlike)
        self.assertEqual(found["pairs_seen"], 0)
        for setup in found["setups"]:
            self.assertGreater(setup["recall"], 0.9)
            self.assertEqual([setup[name] for name in ("recall_error", "recall_low", "recall_high")], [None] * 3)
        texts = "\n".join(self.edited(100, 46))
        done = self.assert_done(run("advise", "--recall", 0.99, "--lines", "-", data=texts))
        self.assertNotIn("theory", done.text)
        self.assertIn("in brackets", done.text)
        for low, high in re.findall(r"\((\S+) to (\S+)\)", done.text):
            self.assertLess(low, high)
        self.assertIn("* is the fastest that finds as many.", done.text)
        # Two texts with a tenth of their pairs of words in common differ in more bits than any of the distances tried.
        word = lambda: "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(8))
        apart = []
        for _ in range(50):
            both = [word() for _ in range(5)]
            apart += [" ".join(both + [word() for _ in range(15)]) for _ in range(2)]
        hopeless = ("--lines", "--similarity", 0.1, "--recall", 1, "-")
        done = self.assert_done(run("advise", *hopeless, data="\n".join(apart)))
        self.assertIn("\n50 pairs of near-duplicates ", done.text)
        self.assertIn("None of these finds as many; * finds the most.", done.text)
        self.assertFalse(self.advice(*hopeless, data="\n".join(apart))["is_reached"])

    def test_says_how_near_duplicates_of_a_sample_are_counted(self):
        done = self.assert_done(run("advise", "--lines", "--recall", 0.99, "-", data="\n".join(corpus(2300, 71, words=40))))
        pairs = r"^About [\d,]+ pairs of near-duplicates with .* \(a sample of 2,000 documents has [\d,]+, counted for each of its documents\)$"
        self.assertRegex(done.text, "(?m)" + pairs)
        self.assertRegex(done.text, r"(?m)^[\d.]+ % of the distinct documents of this sample have any; a document and its copies count as one$")
        self.assertIn("Features per document of a sample of 500 documents, and the share", done.text)
        whole = self.assert_done(run("advise", "--lines", "--recall", 0.99, "-", data="\n".join(corpus(300, 71, words=40)))).text
        self.assertRegex(whole, r"(?m)^[\d.]+ % of the distinct documents have any; ")
        self.assertRegex(whole, r"; measured on [\d,]+ documents")
        failed = run("advise", "--features", "zh:words", "-", data=A)
        self.assert_fails(failed, "only words:N, masked:words:N, canonical:words:N, chars:N, canonical:chars:N, letters:N, longest:N, code:N, spaced:words:N and bytes:N")

    def test_hardly_anything_to_look_at(self):
        done = self.assert_done(run("advise", "--lines", "-", data=""))
        self.assertEqual(done.text, "There are no documents to advise on.\n")
        found = self.advice("--jsonl", "-", data="\n\n")
        self.assertEqual((found["documents"], found["command"]), (0, None))
        found = self.advice("--recall", 0.99, "--jsonl", "-", data="\n\n")
        self.assertEqual((found["documents"], found["setups"], found["recommended"]), (0, [], None))
        for data, size in (("o", "1 byte on average"), ("one", "3 bytes on average")):
            self.assertIn(f"1 document, {size}, half", self.assert_done(run("advise", "--lines", "-", data=data)).text)
        for data in ("one", "one two three", "one two\none two", "???", "\n\n", "\xff\n"):
            done = self.assert_done(run("advise", "--lines", "-", data=data))
            self.assertIn("neardup groups ", done.text)
            if "documents" in done.text or "1 document," in done.text:
                self.assertIn("nothing to advise from", done.text)
            self.assertNotIn("nan", done.text)
            self.assertNotIn("inf", done.text)

    @unittest.skipIf(SANITIZED, "a minute")
    def test_of_large_documents_the_beginning_counts(self):
        self.write("c/large.txt", "some words of a large document " * 600000)
        self.write("c/other.txt", A)
        done = self.assert_done(run("advise", self.folder / "c"))
        self.assertIn("1 document is larger than 16 MB; the advice is on the first 16 MB of each", done.err)
        self.assertIn("2 documents, 8,388,", done.text)

    def test_a_file_that_grows_is_named(self):
        growing, rest = self.write("growing.txt", "\n".join(self.edited(200, 5))), self.write("rest.txt", "\n".join(self.edited(8000, 6)))
        is_read = threading.Event()

        def grow():
            with open(growing, "a", encoding="utf-8") as file:
                while not is_read.wait(0.001):
                    print("one more line", file=file, flush=True)

        writer = threading.Thread(target=grow)
        writer.start()
        try:
            done = run("advise", "--bits", "64", "--lines", growing, rest)
        finally:
            is_read.set()
            writer.join()
        self.assert_fails(done, f"{growing}: was changed while it was being read")

    def test_bad_input_is_said_once(self):
        data = jsonl([A, B]) + b"{\n" + jsonl([A])
        self.assert_fails(run("advise", "--jsonl", "-", data=data), "standard input:3: ")
        done = self.assert_done(run("advise", "--jsonl", "--skip-bad", "-", data=data))
        self.assertEqual(done.err.count("standard input:3"), 2, done.err)  # when it is read, and in the summary
        self.assertIn("3 documents, ", done.text)
        for odd, message in ((b"\xff word\n", "not well-formed UTF-8"), (b"...\n", "a document without tokens")):
            lines = (A + "\n").encode() + odd + (B + "\n").encode()
            self.assertIn("3 documents, ", self.assert_done(run("advise", "--lines", "-", data=lines)).text)
            self.assert_fails(run("advise", "--lines", "--strict", "-", data=lines), "standard input:2: " + message)
            done = run("advise", "--lines", "--strict", "--skip-bad", "-", data=lines)
            self.assertIn("2 documents, ", self.assert_done(done).text)
        self.assert_fails(run("advise", self.folder / "none"), "no such file or folder")


class Labels(CommandTest):
    KINDS = ("words:2", "words:1", "words:3", "chars:3", "chars:5", "edit")

    def labelled(self, seed, count):
        """Texts by id, and labels of some pairs: (a, b, same)."""
        rng = random.Random(seed)
        texts, labels = {}, {}
        for i in range(count):
            first = [f"w{rng.randrange(500)}" for _ in range(rng.randint(4, 25))]
            second = [word if rng.random() < 0.9 else f"x{rng.randrange(500)}" for word in first]
            texts[f"a{i}"], texts[f"b{i}"] = " ".join(first), " ".join(second)
            pair = (f"a{i}", rng.choice((f"b{i}", f"b{rng.randrange(i + 1)}")))
            labels[pair] = rng.random() < 0.8 if pair[1] == f"b{i}" else rng.random() < 0.1
        labels["a0", "b0"], labels["a1", "b0"] = True, False
        return texts, labels

    def similarity(self, kind, a, b):
        if kind == "edit":
            longer = max(len(a), len(b))
            return (longer - law.edits_between(a, b)) / longer
        name, _, size = kind.partition(":")
        features = words if name == "words" else characters
        return jaccard(features(a, int(size)), features(b, int(size)))

    @staticmethod
    def interval(part, count):
        """Wilson's interval: the shares p with |part / count - p| <= z * sqrt(p (1 - p) / count), found by bisection."""
        if count == 0:
            return 0, 1
        share, z = part / count, 1.959964
        is_in = lambda p: (share - p) ** 2 <= z * z * p * (1 - p) / count + 1e-15
        ends = []
        for outside in (0.0, 1.0):
            inside = share
            if is_in(outside):
                ends.append(outside)
                continue
            for _ in range(60):
                middle = (inside + outside) / 2
                inside, outside = (middle, outside) if is_in(middle) else (inside, middle)
            ends.append(inside)
        return tuple(ends)

    def write_case(self, texts, labels):
        records = "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in texts.items())
        lines = "".join(json.dumps({"a": a, "b": b, "same": same}) + "\n" for (a, b), same in labels.items())
        return self.write("texts.jsonl", records), self.write("labels.jsonl", lines)

    def test_all_figures_are_those_of_brute_force(self):
        for seed in range(effort(3, 30)):
            texts, labels = self.labelled(seed, 30)
            file, judged = self.write_case(texts, labels)
            (found,) = self.assert_done(run("advise", "--jsonl", "--labels", judged, "--format", "jsonl", file)).json
            self.assertEqual((found["labels"], found["same"]), (len(labels), sum(labels.values())))
            self.assertEqual([kind["features"] for kind in found["kinds"]], list(self.KINDS))
            best = -1
            for kind in found["kinds"]:
                pairs = [(self.similarity(kind["features"], texts[a], texts[b]), same) for (a, b), same in labels.items()]
                covered = []
                for limit in kind["limits"]:
                    first, last = round(100 * limit["from"]), round(100 * limit["to"])
                    covered += range(first, last + 1, 5)
                    for hundredths in range(first, last + 1, 5):
                        hits = [same for similarity, same in pairs if similarity >= hundredths / 100]
                        right = sum(hits)
                        for share, count in ((limit["precision"], len(hits)), (limit["recall"], found["same"])):
                            self.assertEqual((share["part"], share["of"]), (right, count), (kind["features"], limit))
                            self.assertEqual(share["value"] is None, count == 0)
                            if count > 0:
                                self.assertAlmostEqual(share["value"], right / count, delta=1e-5)
                            low, high = self.interval(right, count)
                            self.assertAlmostEqual(share["low"], low, delta=1e-4)
                            self.assertAlmostEqual(share["high"], high, delta=1e-4)
                        f1 = 2 * right / (len(hits) + found["same"])
                        self.assertAlmostEqual(limit["f1"], f1, delta=1e-5)
                        best = max(best, f1)
                # The table has every similarity in steps of .05, except those below the similarity of all labelled
                # pairs.
                self.assertEqual(covered, list(range(covered[0], 101, 5)))
                lowest = min(similarity for similarity, _ in pairs)
                self.assertTrue(covered[0] == 5 or covered[0] / 100 <= lowest + 1e-9 < covered[0] / 100 + 0.05, (covered[0], lowest))
            # The recommended setting has the best F1, and its command finds these pairs.
            _, *arguments = shlex.split(found["command"])
            hits = {frozenset((row["a"], row["b"])) for row in run("pairs", *arguments[1:], "--format", "jsonl").json}
            right = sum(same and frozenset(pair) in hits for pair, same in labels.items())
            count = sum(frozenset(pair) in hits for pair in labels)
            self.assertAlmostEqual(2 * right / (count + found["same"]), best, delta=1e-9)

    def test_few_labels_are_told(self):
        texts, labels = self.labelled(5, 20)
        file, judged = self.write_case(texts, labels)
        text = self.assert_done(run("advise", "--jsonl", "--labels", judged, file)).text
        self.assertIn(f"{len(labels)} labelled pairs, {sum(labels.values())} of them the same", text)
        self.assertRegex(text, r"With so few labels, \d+ of the \d+ other rows may be as good")
        self.assertEqual(text.count("\n* "), 2)  # the marked row, and the line that explains the mark
        self.assertRegex(text.splitlines()[-1], r"^neardup groups --similarity \S+ --exact --check")

    def test_bad_labels_are_named(self):
        texts, labels = self.labelled(6, 5)
        file, judged = self.write_case(texts, labels)
        good = judged.read_bytes()
        lines = good.count(b"\n")
        for line, *said in (
            (b'{"a": "a0", "b": "a1"}', 'no field "same" that is true or false'),
            (b'{"a": "a0", "b": "a1", "same": "maybe"}', "field \"same\" is 'maybe', not true or false"),
            (b'{"a": "a0", "b": "a1", "same": 1}', "field \"same\" is '1', not true or false"),
            (b'{"a": "a0", "same": true}', 'no field "b"'),
            (b'{"a": ["a0"], "b": {}, "same": true}', 'field "b" is an object'),
            (b'{"a": "a0", "b": "nobody", "same": true}', "no document has the id 'nobody' of field \"b\""),
            (b'{"a": "a0", "b": "a0", "same": true}', "have the same id 'a0'"),
            (b'{"a": "b0", "b": "a0", "same": false}', 'field "same" is false, unlike for this pair in ', "labels.jsonl:1"),
            (b"right", "not valid JSON"),
        ):
            judged.write_bytes(good + line + b"\n")
            with self.subTest(line=line):
                self.assert_fails(run("advise", "--jsonl", "--labels", judged, file), f"labels.jsonl:{lines + 1}: ", *said)
                done = self.assert_done(run("advise", "--jsonl", "--skip-bad", "--labels", judged, "--format", "jsonl", file))
                self.assertEqual(done.json[0]["labels"], len(labels))
        # A repeated label counts once.
        judged.write_bytes(good + good)
        self.assertEqual(self.assert_done(run("advise", "--jsonl", "--labels", judged, "--format", "jsonl", file)).json[0]["labels"], len(labels))
        judged.write_bytes(good)
        twice = self.write("twice.jsonl", file.read_bytes() + jsonl(["another text"]).replace(b'"d0"', b'"a0"'))
        self.assert_fails(run("advise", "--jsonl", "--labels", judged, twice), "labels.jsonl:1: ", "several documents have the id 'a0'")
        for content, said in ((b"", "has no labelled pairs"), (b'{"a": "a0", "b": "a1", "same": true}\n', 'no pair has "same": false'),
                              (b'{"a": "a0", "b": "a1", "same": false}\n', 'no pair has "same": true')):
            self.assert_fails(run("advise", "--jsonl", "--labels", self.write("few.jsonl", content), file), "few.jsonl: " + said)
        self.assert_fails(run("advise", "--jsonl", "--labels", self.write("audit.html", "<html>"), file), "press Save")
        self.assert_fails(run("advise", "--jsonl", "--labels", self.folder / "none", file), "none")
        for option in (("--similarity", 0.8), ("--recall", 0.9), ("--features", "words"), ("--bits", 64)):
            self.assert_fails(run("advise", "--jsonl", "--labels", judged, *option, file), f"{option[0]} with --labels")


if __name__ == "__main__":
    main()
