"""The documents that hold a clue. NEARDUP_PROGRAM names the program."""

import random

from harness import A, B, SANITIZED, CommandTest, cpu_seconds, effort, jsonl, run, words, unittest, main, as_json
from passage_oracle import passage


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
                             [(f"d{i}", as_json(-s)) for s, i in sorted(shares)])

    def test_finds_a_changed_sentence(self):
        page = B + ". " + A + ". " + B
        self.write("a.txt", page)
        self.write("b.txt", B)
        clue = A.replace("fox", "cat")
        done = self.assert_done(run("find", clue, self.folder))
        shown = f"…{B[-38:]}. [{A}]. {B[:38]}…"
        self.assertEqual(done.text, f"0.888\t{self.folder}/a.txt\t{shown}\n")
        self.assertIn("2 documents: 1 holds the clue, or much of it", done.err)
        row = {"id": f"{self.folder}/a.txt", "share": 1, "offset": len(B) + 2, "length": len(A), "passage": shown}
        self.assertEqual(run("find", A, self.folder, "--format", "jsonl").json, [row])

    def test_a_clue_shorter_than_a_feature_is_looked_for_as_it_stands(self):
        self.write("a.txt", A)
        self.write("b.txt", A.replace("fox", "cat"))
        self.write("c.txt", "fox")
        found = lambda *words: [line.split("\t")[:2] for line in run("find", *words, self.folder).text.splitlines()]
        with_fox = [["1.000", f"{self.folder}/{name}.txt"] for name in "ac"]
        self.assertEqual(found("fox"), with_fox)
        self.assertEqual(found("Fox!"), with_fox)
        self.assertEqual(found("--features", "words:3", "brown fox"), with_fox[:1])
        self.assertEqual(found("--features", "chars:5", "fox"), with_fox)
        self.assertEqual(found("--features", "masked:words:2", "fox"), with_fox)
        self.assertEqual(found("--min-similarity", "0.9", "--features", "words:1", "brown fox"), with_fox[:1])
        self.assertEqual(found("wolf"), [])
        self.assertIn("brown [fox] jumps", run("find", "Fox!", self.folder).text)

    def test_a_passage_is_as_long_as_the_clue_and_a_quarter_more(self):
        rng = random.Random(11)
        clue = " ".join(f"c{i}" for i in range(16))
        pairs = list(zip(clue.split(), clue.split()[1:]))
        for _ in range(40):
            # The text repeats all pairs of words of the clue, with few other words between.
            parts = [" ".join(rng.choice(pairs)) + rng.choice(["", " x"]) for _ in range(60)]
            parts.insert(rng.randrange(60), clue[: rng.randrange(len(clue))])
            text = " ".join(parts)
            (row,) = self.assert_done(run("find", "--jsonl", "--min-similarity", 0, "--format", "jsonl", clue, "-", data=jsonl([text]))).json
            inside = text[row["offset"] : row["offset"] + row["length"]].split()
            self.assertLessEqual(len(inside), 20)
            size = lambda words: len(set(zip(words, words[1:])) & set(pairs))
            every = text.split()
            self.assertEqual(size(inside), max(size(every[i : i + 20]) for i in range(len(every))))
            self.assertTrue(set(zip(inside[:2], inside[1:2])) <= set(pairs))

    def test_a_passage_is_the_best_of_all_windows(self):
        rng = random.Random(12)
        for vocabulary in (4, 15, 60, 2, 1):
            texts = [" ".join(f"w{rng.randrange(vocabulary)}" for _ in range(rng.randrange(1, 90))) for _ in range(60)]
            for _ in range(effort(6, 25)):
                source = rng.choice(texts).split()
                at = rng.randrange(len(source))
                clue = source[at : at + rng.randrange(1, 25)]
                for _ in range(rng.randrange(3)):
                    clue[rng.randrange(len(clue))] = f"w{rng.randrange(vocabulary)}"
                clue = " ".join(clue)
                rows = self.assert_done(run("find", "--jsonl", "--min-similarity", 0, "--most", 1000, "--format", "jsonl",
                                            clue, "-", data=jsonl(texts))).json
                # A changed clue of two or more words may share no pair of words with any text.
                size = min(2, len(clue.split()))
                holders = {f"d{i}" for i, text in enumerate(texts) if words(clue, size) & words(text, size)}
                self.assertEqual({row["id"] for row in rows}, holders)
                for row in rows:
                    _, begin, end, common = passage(clue, [texts[int(row["id"][1:])]])
                    self.assertEqual((row["offset"], row["offset"] + row["length"]), (begin, end), (clue, row))
                    wanted = words(clue, 2)
                    # If the clue does not have 4, 8, ... words, the program counts the share in a window that is one
                    # word longer.
                    if len(clue.split()) % 4 == 0:
                        self.assertAlmostEqual(row["share"], common / len(wanted), 5)

    @unittest.skipIf(SANITIZED, "processor times are not those of a release")
    def test_a_clue_of_one_word_costs_no_more_than_others(self):
        rng = random.Random(20)
        words_of = lambda: " ".join("data" if rng.random() < 0.9 else f"w{rng.randrange(50)}" for _ in range(2000))
        file = self.write("c.jsonl", jsonl([words_of() for _ in range(500)]))

        def seconds(clue):
            before = cpu_seconds()
            self.assert_done(run("find", "--threads", 1, "--jsonl", "--min-similarity", 0.01, clue, file))
            return cpu_seconds() - before

        others = seconds("data " + " ".join(f"w{i}" for i in range(3000)))
        self.assertLess(seconds(" ".join(["data"] * 3000)), 3 * others + 0.3)  # an earlier version took 4 s, and .1 s for others

    def test_wrong_clues(self):
        self.assert_fails(run("find", "...", self.write("a", A)), "'...': the clue has no word")
        self.assert_fails(run("find", "clue"), 'find takes a clue, and then files or folders: neardup find "')


if __name__ == "__main__":
    main()
