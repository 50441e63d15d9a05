"""Files of indexes and lists: written, added to, queried. NEARDUP_PROGRAM names the program."""

import contextlib
import functools
import json
import os
import re
import shutil
import time

from harness import A, B, TIMEOUT, CommandTest, corpus, fingerprints, jsonl
from harness import run, start, stop, wait_until_read, words, unittest, main


@functools.cache
def numbered_texts(size):
    return [f"{i} " + " ".join(f"w{(i * 7919 + k * k) % 100003}" for k in range(30)) for i in range(size)]


class Files(CommandTest):
    """Index files and lists of fingerprints."""

    def setUp(self):
        super().setUp()
        self.texts = corpus(400, 3)
        self.jsonl = self.write("all.jsonl", jsonl(self.texts))

    def expect_error(self, done, *words):
        self.assert_fails(done, *map(str, words))

    def pairs_between(self, old, new, *options):
        """Returns the expected matches of query, taken from `pairs` of both corpora together."""
        both = self.folder / "both.jsonl"
        both.write_bytes(jsonl(old + new))
        done = run("pairs", "--jsonl", "--format", "jsonl", "--quiet", *options, both)
        self.assertEqual(done.status, 0, done.err)
        return {
            (p["b"], p["a"], p.get("distance"), p.get("similarity"))
            for p in done.json
            if int(p["a"][1:]) < len(old) <= int(p["b"][1:])
        }

    def query(self, index, new, first, *options):
        done = run("query", "--index", index, "--jsonl", "--format", "jsonl", *options, "-", data=jsonl(new, first))
        self.assertEqual(done.status, 0, done.err)
        found = [(p["id"], p["indexed"], p.get("distance"), p.get("similarity")) for p in done.json]
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

    def test_the_blocks_of_wide_codes_follow_from_their_width_and_distance(self):
        index = self.folder / "i"
        # The default, or fastest_blocks(bits, distance, 1e5) if that is at least twice as fast. 256 bits within 47 are
        # scanned.
        for options, blocks in (
            (["--bits", "256", "--distance", "15"], 16),
            (["--bits", "256", "--distance", "47"], 1),
            (["--bits", "128", "--distance", "23"], 12),
            (["--bits", "128", "--distance", "23", "--blocks", "8"], 8),
            (["--bits", "128", "--distance", "15"], 8),
            (["--bits", "64", "--distance", "8"], 4),
        ):
            with self.subTest(options=options):
                done = run("index", "--jsonl", *options, "--output", index, self.jsonl)
                self.assertEqual(done.status, 0, done.err)
                self.assertEqual(int.from_bytes(index.read_bytes()[34:36], "little"), blocks)

    def changed_meanwhile(self, size, keep, change):
        """Changes an index of `size` documents between two documents of a query. Returns the exit status, the output
        and the messages."""
        index, made = self.folder / "i", self.folder / f"{size} {keep}"
        texts = numbered_texts(size)
        if not made.exists():
            self.assert_done(run("index", "--jsonl", *keep, "--output", made, "-", data=jsonl(texts)))
        shutil.copyfile(made, index)
        process = start("query", "--jsonl", "--index", str(index), "--no-verify", "--format", "jsonl", "-")
        process.stdin.write(jsonl([texts[3]]))
        process.stdin.flush()
        first = json.loads(process.stdout.readline())
        self.assertEqual(first["indexed"], "d3")
        change(index)
        time.sleep(0.05)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(jsonl([texts[size - 2]]))
            process.stdin.flush()
        out, err = process.communicate(timeout=60)
        return process.returncode, out.decode(), err.decode()

    def test_an_index_that_is_changed_under_a_query_is_an_error(self):
        def cut(index):
            os.truncate(index, 4096)

        def write_over(index):
            os.utime(index, ns=(0, 0))
            with open(index, "r+b") as file:
                file.seek(5000)
                file.write(b"x" * 100)

        def replace(index):
            other = self.folder / "other"
            other.write_bytes(b"something else")
            os.replace(other, index)

        for keep in (("--kind", "auto"), ()):
            for change in (cut, write_over):
                status, out, err = self.changed_meanwhile(20000, keep, change)
                self.assertEqual((status, out), (2, ""), err)
                self.assertIn(f"neardup: {self.folder}/i: was changed in place while it was in use", err)
            # A small index is read into memory at once. If another file replaces an index, the query still sees the old
            # file.
            for size, change in ((300, cut), (300, write_over), (300, replace), (20000, replace)):
                status, out, err = self.changed_meanwhile(size, keep, change)
                self.assertEqual((status, json.loads(out)["indexed"]), (0, f"d{size - 2}"), err)

    def test_an_index_that_is_changed_under_unique_is_an_error(self):
        """unique opens the index of --against or --add-to before it reads its input."""
        texts = numbered_texts(20000)
        index, other = self.folder / "i", self.folder / "other"
        new = "nothing like the others in here at all, as one can see"

        def changed_under(change, make, *arguments):
            for path in self.folder.glob("i*"):
                path.unlink()
            made = self.folder / f"made {make}"
            if not made.exists():
                self.assert_done(run("index", "--jsonl", *make, "--output", made, "-", data=jsonl(texts)))
            shutil.copyfile(made, index)
            process = start(*map(str, arguments), "-")
            self.addCleanup(stop, process)
            data = jsonl([texts[5], new])
            process.stdin.write(data[:1])
            process.stdin.flush()
            wait_until_read(process.stdin)
            change()
            out, err = process.communicate(data[1:], timeout=TIMEOUT)
            return process.returncode, out.decode(), err.decode()

        def cut():
            os.truncate(index, 4096)

        def replace():
            self.assert_done(run("index", "--jsonl", "--output", other, "-", data=jsonl(["words of another index"])))
            os.replace(other, index)

        for make in (("--kind", "auto"), ()):
            for verb in ("--against", "--add-to"):
                with self.subTest(make=make, verb=verb):
                    status, out, err = changed_under(cut, make, "unique", "--jsonl", verb, index)
                    if status == 0 and verb == "--against":  # the whole index was read before the change
                        self.assertEqual([json.loads(line)["text"] for line in out.splitlines()], [new])
                    else:
                        self.assertEqual(status, 2, err)
                        self.assertIn(f"neardup: {index}: was c", err)  # the message says "was cut off" or "was changed in place"
                    # If another file has replaced the index, the program must not add to this file.
                    status, out, err = changed_under(replace, make, "unique", "--jsonl", verb, index)
                    if verb == "--against":
                        self.assertEqual((status, len(out.splitlines())), (0, 1), err)
                    else:
                        self.assertEqual(status, 2, (out, err))
                        self.assertIn(str(index), err)
                    if verb == "--add-to":
                        self.assertEqual(self.assert_done(run("query", "--index", index, "--jsonl", "-", data=jsonl([new]))).text, "")

    def test_files_that_are_changed_under_find_and_groups_are_an_error(self):
        """They wait for the reader of their output, while a file that they have mapped is cut or written over."""
        name = "n" * 60
        texts = [f"one two three w{i // 2} x{i // 2} " + " ".join(f"w{(i // 2 * 7919 + k * k) % 100003}" for k in range(40))
                 for i in range(12000)]
        data = "".join(json.dumps({"id": f"{name}{i}", "text": text}) + "\n" for i, text in enumerate(texts))
        index, part, counts, scattered, pairs = (self.folder / name for name in ("i", "0.part", "0.counts", "0.scattered", "0.pairs"))

        def cut(file):
            os.truncate(file, 4096)

        def write_over(file):
            os.utime(file, ns=(0, 0))
            with open(file, "r+b") as stream:
                stream.seek(5000)
                stream.write(b"x" * 100)

        for change in (cut, write_over):
            for file in self.folder.glob("0.*"):
                file.unlink()
            self.assert_done(run("index", "--jsonl", "--keep-postings", "--output", index, "-", data=data))
            self.assert_done(run("features", "--jsonl", "--part", 0, "--output", part, "-", data=data))
            self.assert_done(run("counts", "--output", counts, part))
            self.assert_done(run("scatter", "--counts", counts, "--output", scattered, part))
            self.assert_done(run("gather", "--partition", 0, "--output", pairs, scattered, part))
            for file, arguments in ((index, ("find", "one two three", "--index", index, "--most", 12000, "--no-verify")),
                                    (part, ("groups", "--pairs", pairs, part))):
                with self.subTest(change=change.__name__, verb=arguments[0]):
                    process = start(*map(str, arguments))
                    process.stdin.close()
                    process.stdin = None
                    self.assertEqual(len(os.read(process.stdout.fileno(), 100)), 100)
                    change(file)
                    _, err = process.communicate(timeout=TIMEOUT)
                    self.assertEqual(process.returncode, 2, err)
                    self.assertIn(b"changed in place", err)
        # If another file replaces the file, the program reads on in the old one.
        self.assert_done(run("index", "--jsonl", "--keep-postings", "--output", index, "-", data=data))
        process = start("find", "one two three", "--index", str(index), "--most", "12000", "--no-verify")
        first = os.read(process.stdout.fileno(), 100)
        other = self.write("other", "something else")
        os.replace(other, index)
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual((process.returncode, (first + out).count(b"\n")), (0, 12000), err)

    def test_an_id_that_is_there_twice_is_said(self):
        index = self.folder / "i"
        one = self.write("1.jsonl", jsonl([A, B]))
        twice = self.write("2.jsonl", jsonl([A, B]) + jsonl([B, A]))
        other = self.write("3.jsonl", jsonl([A], first=7))
        make = ("index", "--jsonl", "--output", index)
        self.assertNotIn("id that", self.assert_done(run(*make, one)).err)
        said = f'2 documents have ids of earlier documents (the first: "d0" in {twice}:3)'
        self.assertIn(said, self.assert_done(run(*make, twice)).err)
        self.assertEqual(self.assert_done(run(*make, "--quiet", twice)).err, "")
        self.assert_done(run(*make, one))
        # The same together with the documents of the index, in a new file or in place.
        added = self.assert_done(run(*make, "--index", index, one))
        self.assertIn(f'2 documents have ids of earlier documents (the first: "d0" in {one}:1)', added.err)
        self.assert_done(run(*make, one))
        grow = ("index", "--jsonl", "--index", index, "--append")
        done = self.assert_done(run(*grow, one))
        self.assertIn("2 documents of the index have an id that is added once more (one of them: d0); --replace puts", done.err)
        self.assertNotIn("once more", self.assert_done(run(*grow, other)).err)
        self.assertIn("1 document of the index has an id that is added once more (d7)", self.assert_done(run(*grow, other)).err)
        self.assertNotIn("once more", self.assert_done(run("index", "--jsonl", "--index", index, "--replace", other)).err)
        self.assert_done(run(*make, one))
        new = self.write("4.jsonl", jsonl(["something else that nobody has written about before, as far as I know"], first=1))
        done = self.assert_done(run("unique", "--jsonl", "--add-to", index, new))
        self.assertIn("1 document of the index has an id that is added once more (d1)", done.err)

    def test_options_without_effect_are_refused(self):
        index = self.folder / "made"
        make = ("index", "--jsonl", "--output", index, self.jsonl)
        fails = self.assert_fails
        fails(run(*make, "--distance", 12, "--similarity", 0.5), "--similarity with --distance: an index of fingerprints")
        fails(run(*make, "--features", "words", "--check-features", "chars:3"), "--features words with --check-features chars:3: an index has")
        self.assert_done(run(*make, "--features", "words", "--check-features", "words:1"))
        fails(run(*make, "--no-verify"), "--no-verify needs --index")
        fails(run("verify", "--pairs", self.write("p.csv", "a,b\n"), "--jsonl", "--no-verify", self.jsonl), "--no-verify needs --index")
        self.assert_done(run("hash", "--jsonl", "--format", "bin", "--output", self.folder / "list", self.jsonl))
        self.assert_done(run("index", "--fingerprints", "--no-verify", "--distance", 3, "--output", index, self.folder / "list"))
        fails(run("pairs", "--fingerprints", "--distance", 3, "--similarity", 0.5, self.folder / "list"), "--similarity with --distance: lists")

    def test_an_index_that_answers_too_few_bits_is_made_as_the_message_says(self):
        index = self.folder / "made"
        make = ("index", "--jsonl", "--output", index, self.jsonl)
        for how in (("--distance", 0), ("--kind", "minwise", "--similarity", 0.9)):
            self.assert_done(run(*make, *how))
            add = ("unique", "--jsonl", "--similarity", 0.5, "--add-to", index, self.jsonl)
            done = self.assert_fails(run(*add), f"--add-to {index} finds distances up to ", "this run needs --distance ")
            self.assert_done(run(*make, *done.err.splitlines()[0].split("; make it with ")[1].split()))
            self.assert_done(run(*add))

    def test_lists_with_the_same_ids_are_noted(self):
        lists = [self.folder / name for name in ("a.bin", "b.bin")]
        for path, texts in zip(lists, (["a b c d e f", "x y z"], ["q r s t", "x y z", "a b c d e f"])):
            self.assert_done(run("hash", "--jsonl", "--format", "bin", "--output", path, "-", data=jsonl(texts)))
        note = f'neardup: 2 documents have ids of earlier documents (the first: "0" in {lists[1]}:1)\n'
        for verb in ("pairs", "groups", "unique"):
            done = self.assert_done(run(verb, "--fingerprints", "--distance", 3, *lists))
            self.assertIn(note, done.err)
            self.assertNotIn("have ids", self.assert_done(run(verb, "--fingerprints", "--distance", 3, lists[0])).err)
            self.assertEqual(self.assert_done(run(verb, "--quiet", "--fingerprints", "--distance", 3, *lists)).err, "")

    def test_lists_are_compared_by_estimates(self):
        self.assert_done(run("hash", "--jsonl", "--format", "bin", "--output", self.folder / "list", self.jsonl))
        bare = self.folder / "bare"
        self.assert_done(run("index", "--jsonl", "--kind", "simhash", "--distance", 30, "--output", bare, self.jsonl))
        estimates = ": nothing is checked, and similarities are estimates\n"
        for verb in ("pairs", "groups", "unique"):
            for inputs in (("--fingerprints", self.folder / "list"), ("--jsonl", "--against", bare, self.jsonl)):
                for options, said in ((("--similarity", ".8"), "--similarity .8"), ((), "--similarity 0.8 (the default)")):
                    if "--against" in inputs and not options:
                        continue
                    done = self.assert_done(run(verb, *options, *inputs))
                    self.assertIn(f"neardup: {said} means: --distance 14{estimates}", done.err)
                    self.assertEqual(self.assert_done(run(verb, "--quiet", *options, *inputs)).err, "")
            self.assertNotIn("estimates", self.assert_done(run(verb, "--fingerprints", "--distance", 14, self.folder / "list")).err)

    def test_a_query_tells_exact_similarities(self):
        old, new = self.texts[:300], self.texts[300:]
        index = self.folder / "old.neardup"
        self.assertEqual(run("index", "--jsonl", "--similarity", "0.5", "--output", index, "-", data=jsonl(old)).status, 0)
        expected = self.pairs_between(old, new, "--similarity", "0.5")
        self.assertGreater(len(expected), 10)
        self.assertEqual(self.query(index, new, 300, "--min-similarity", "0.5"), expected)
        strict = {p for p in expected if p[3] >= 0.8}
        self.assertEqual(self.query(index, new, 300), strict)
        # Another similarity. With features, any similarity is allowed; with fingerprints, only one within the distance
        # of the index.
        self.assertEqual(self.query(index, new, 300, "--similarity", "0.8"), strict)
        self.assertEqual(self.query(index, new, 300, "--similarity", "0.3"), self.pairs_between(old, new, "--similarity", "0.3"))
        self.assertEqual(run("index", "--jsonl", "--kind", "auto", "--similarity", "0.5", "--output", index, "-", data=jsonl(old)).status, 0)
        self.expect_error(run("query", "--index", index, "--jsonl", "--similarity", "0.3", self.jsonl),
                          "--similarity 0.3 needs --distance", f"{index} finds distances up to ")

    def test_what_is_not_checked_is_said(self):
        old, new = self.texts[:300], self.write("new.jsonl", jsonl(self.texts[300:], 300))
        index = self.folder / "old.neardup"
        unchecked = f"{index} is an index of fingerprints: nothing is checked"
        for keep, says in ((("--kind", "auto"), True), ((), False)):
            self.assertEqual(run("index", "--jsonl", *keep, "--output", index, "-", data=jsonl(old)).status, 0)
            for options in (("query", "--index", index), ("unique", "--against", index)):
                done = self.assert_done(run(*options, "--jsonl", new))
                self.assertEqual(unchecked in done.err, says, done.err)
                self.assertNotIn(unchecked, self.assert_done(run(*options, "--jsonl", "--quiet", new)).err)

    def test_documents_are_added_to_an_index(self):
        old, new, later = self.texts[:200], self.texts[200:300], self.texts[300:]
        index, whole = self.folder / "index", self.folder / "whole"
        for keep in (["--kind", "auto"], []):
            self.assertEqual(run("index", "--jsonl", *keep, "--output", index, "-", data=jsonl(old)).status, 0)
            # The index is written in its own place.
            done = run("index", "--index", index, "--jsonl", *keep, "--output", index, "-", data=jsonl(new, 200))
            self.assertEqual(done.status, 0, done.err)
            self.assertEqual(run("index", "--jsonl", *keep, "--output", whole, "-", data=jsonl(old + new)).status, 0)
            self.assertEqual(index.read_bytes(), whole.read_bytes())
            self.assertGreater(len(self.query(index, later, 300)), 3)
        self.assert_done(run("index", "--index", index, "--jsonl", "--output", whole, self.jsonl))
        self.assertEqual(run("index", "--jsonl", "--output", index, "-", data=jsonl(old + new) + self.jsonl.read_bytes()).status, 0)
        self.assertEqual(index.read_bytes(), whole.read_bytes())
        self.expect_error(run("query", "--index", index, "--jsonl", "--features", "chars:3", self.jsonl), f"--features chars:3: {index} has words:2; leave out --features")
        self.expect_error(run("query", "--index", index, "--jsonl", "--seed", "4", self.jsonl), index, "seed")
        self.expect_error(run("query", "--index", index, "--jsonl", "--distance", "60", self.jsonl), f"--distance: {index} has features")
        prints = self.folder / "prints"
        self.assert_done(run("index", "--jsonl", "--distance", 3, "--output", prints, self.jsonl))
        self.expect_error(run("query", "--index", prints, "--jsonl", "--features", "chars:3", self.jsonl), prints, "tokenizer")
        self.expect_error(run("query", "--index", prints, "--jsonl", "--distance", "60", self.jsonl), "--distance 60", prints)

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
        self.expect_error(run("query", "--index", self.jsonl, "--jsonl", self.jsonl), self.jsonl,
                          "not a file of neardup; neardup index --output FILE PATH… makes an index")
        self.expect_error(run("query", "--jsonl", self.jsonl), "--index")
        self.expect_error(run("index", "--jsonl", self.jsonl), "--output")
        # A flipped bit of a fingerprint. Only a check of the whole file finds it.
        changed = bytearray(content)
        changed[len(content) // 2] ^= 1
        damaged.write_bytes(changed)
        self.assertIn(run("query", "--index", damaged, "--no-verify", "--jsonl", self.jsonl).status, (0, 2))

    def test_lists_stand_in_for_the_texts_that_they_were_made_of(self):
        listed = self.folder / "list"
        # Short texts are left out: without a check, they are compared by their features, and lists have no features.
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
        self.expect_error(run("pairs", "--fingerprints", "--distance", "3", self.jsonl), self.jsonl,
                          "not a file of neardup; to read a list without a header, give --no-header")
        for option in (("--min-similarity", "0.5"), ("--check", "cosine")):
            self.expect_error(run("pairs", "--fingerprints", *option, one), option[0], "there are no texts")
        self.expect_error(run("pairs", "--fingerprints", "-"), "standard input")
        damaged = bytearray(one.read_bytes())
        damaged[-1] ^= 1
        other.write_bytes(damaged)
        self.expect_error(run("pairs", "--fingerprints", "--distance", "3", other), other, "damaged")

        # Bare records without a header.
        count = sum(1 for t in self.texts if t.strip())
        records = self.folder / "records"
        records.write_bytes(one.read_bytes()[-16 * count:])
        named = ["--no-header", "--features", "words:2", "--bits", "64"]
        self.assertEqual(run("hash", "--fingerprints", *named, records).text, run("hash", "--fingerprints", one).text)
        # Without --kind, a list has SimHash fingerprints, as `hash` writes them.
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
        self.assert_done(run("index", "--jsonl", "--similarity", 0.9, "--output", index, self.jsonl))
        add = ("index", "--jsonl", "--index", index, "--output", more)
        self.expect_error(run(*add, "--check-features", "chars:3", self.jsonl), f"{index} has words:2")
        self.assert_done(run(*add, "--similarity", 0.7, "--check-features", "words:2", self.jsonl))
        self.assert_done(run("index", "--jsonl", "--similarity", 0.9, "--kind", "auto", "--output", index, self.jsonl))
        self.assert_done(run(*add, "--similarity", 0.7, self.jsonl))
        query = lambda path: run("query", "--index", path, "--jsonl", "--similarity", 0.7, self.jsonl)
        self.expect_error(query(index), "finds distances up to")
        self.assert_done(query(more))

    def test_one_name_of_features_is_as_good_as_another(self):
        index = self.folder / "index"
        self.assert_done(run("index", "--jsonl", "--features", "words:1", "--output", index, self.jsonl))
        for name in ("words", "words:1"):
            for verb in (("query", "--index"), ("pairs", "--against"), ("unique", "--add-to")):
                if verb[0] != "query":
                    self.assert_done(run(*verb, index, "--jsonl", "--check-features", name, self.jsonl))
                self.assert_done(run(*verb, index, "--jsonl", "--features", name, self.jsonl))
        self.expect_error(run("pairs", "--against", index, "--jsonl", "--check-features", "words:2", self.jsonl), "has words")

    def test_a_check_of_what_an_index_does_not_keep(self):
        index = self.folder / "index"
        self.assert_done(run("index", "--jsonl", "--kind", "auto", "--output", index, self.jsonl))
        for check in ("jaccard", "cosine"):
            for verb in (("pairs", "--against"), ("unique", "--add-to"), ("query", "--index")):
                done = run(*verb, index, "--jsonl", "--check", check, self.jsonl)
                self.expect_error(done, f"--check {check}: {index} is an index of fingerprints, without features")

    def test_files_are_replaced_as_outputs_are(self):
        real, link = self.folder / "real", self.folder / "link"
        link.symlink_to(real)
        for verb in (("index", "--jsonl"), ("features", "--jsonl", "--part", 0)):
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
        for verb in (("index",), ("features", "--part", 0)):
            for output, why in (("no/file", "No such file or directory"), (self.folder, "it is a folder"),
                                ("/dev/null", "it is no regular file")):
                done = run(*verb, "--jsonl", "--output", output, "-", data=b"no JSON", cwd=self.folder)
                self.expect_error(done, f"{output}: cannot be written: {why}")
                self.assertNotIn("JSON", done.err)
        self.assertEqual(os.listdir(self.folder), ["all.jsonl"])

    def test_an_index_that_was_replaced_meanwhile_is_not_written_over(self):
        index, other, fifo = (self.folder / name for name in ("index", "other", "fifo"))
        self.assert_done(run("index", "--jsonl", "--output", index, "-", data=jsonl(self.texts[:20])))
        self.assert_done(run("index", "--jsonl", "--output", other, "-", data=jsonl(self.texts[20:50])))
        os.mkfifo(fifo)
        adding = start("index", "--jsonl", "--index", index, "--output", index, fifo)
        with open(fifo, "wb") as texts:  # the program has begun to read
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
        for verb in (("index",), ("features", "--part", 0), ("hash",)):
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

    def test_a_pipe_in_the_place_of_a_file_is_refused(self):
        index, pipe, other = (self.folder / name for name in ("index", "pipe", "other"))
        ids = self.write("ids", "d0\n")
        self.assert_done(run("index", "--jsonl", "--keep-postings", "--output", index, self.jsonl))
        os.mkfifo(pipe)
        for arguments in (("query", "--jsonl", "--index", pipe, self.jsonl), ("find", "a clue", "--index", pipe),
                          ("unique", "--jsonl", "--add-to", pipe, self.jsonl),
                          ("index", "--jsonl", "--append", "--index", pipe, self.jsonl),
                          ("index", "--jsonl", "--index", pipe, "--output", other, self.jsonl),
                          ("index", "--remove", ids, "--index", pipe), ("index", "--compact", "now", "--index", pipe),
                          ("pairs", "--fingerprints", pipe), ("pairs", "--fingerprints", "--no-header", "--features", "words", "--bits", 64, pipe),
                          ("counts", "--output", other, pipe), ("scatter", "--counts", pipe, "--output", other, pipe),
                          ("gather", "--partition", 0, "--output", other, pipe), ("groups", "--pairs", pipe, pipe), ("index", "--jsonl", "--output", pipe, self.jsonl)):
            with self.subTest(arguments=arguments[:3]):
                self.assert_fails(run(*arguments), str(pipe), "no regular file")
        plain = self.folder / "plain"
        self.assert_done(run("index", "--jsonl", "--output", plain, self.jsonl))
        log = self.folder / "plain.neardup-log"
        os.mkfifo(log)
        for arguments in (("query", "--jsonl", "--index", plain, self.jsonl), ("unique", "--jsonl", "--against", plain, self.jsonl),
                          ("unique", "--jsonl", "--add-to", plain, self.jsonl),
                          ("index", "--jsonl", "--append", "--index", plain, self.jsonl),
                          ("index", "--jsonl", "--index", plain, "--output", plain, self.jsonl),
                          ("index", "--jsonl", "--output", plain, self.jsonl), ("index", "--remove", ids, "--index", plain)):
            with self.subTest(arguments=arguments[:3]):
                self.assert_fails(run(*arguments), str(log), "no regular file")

    def test_a_new_index_keeps_a_log_that_it_does_not_replace(self):
        index, other = self.folder / "index", self.folder / "other"
        few = self.write("few.jsonl", jsonl(self.texts[:40]))
        self.assert_done(run("index", "--jsonl", "--output", index, self.jsonl))
        self.assert_done(run("index", "--jsonl", "--output", other, few))
        more = self.write("more.jsonl", '{"id": "new", "text": "words that no document of the index has, at all"}\n')
        self.assert_done(run("index", "--jsonl", "--append", "--index", other, more))
        log, beside = self.folder / "other.neardup-log", self.folder / "index.neardup-log"
        before, changes = index.read_bytes(), log.read_bytes()
        damaged = changes[:8] + b"\x63" + changes[9:]
        for content in (changes, damaged, b"no log"):
            beside.write_bytes(content)
            self.assert_fails(run("index", "--jsonl", "--output", index, self.jsonl), str(beside), "move it away")
            self.assertEqual((index.read_bytes(), beside.read_bytes()), (before, content))
        index.unlink()
        self.assert_fails(run("index", "--jsonl", "--output", index, self.jsonl), str(beside), "move it away")
        for content in (b"", None):
            if content is None:
                beside.unlink(missing_ok=True)
            else:
                beside.write_bytes(content)
            self.assert_done(run("index", "--jsonl", "--output", index, self.jsonl))
        self.assert_done(run("index", "--jsonl", "--output", other, self.jsonl))  # this replaces the index and removes its log
        self.assertFalse(log.exists())

    def test_what_lies_beside_an_index_is_no_output(self):
        index = self.folder / "index"
        self.assert_done(run("index", "--jsonl", "--output", index, self.jsonl))
        (self.folder / "link").symlink_to(index)
        before = index.read_bytes()
        for suffix in (".neardup-lock", ".neardup-log"):
            other = str(index) + suffix
            for arguments in (("query", "--index", index, "--output", other), ("query", "--index", self.folder / "link", "--output", other),
                              ("unique", "--against", index, "--output", other), ("unique", "--add-to", index, "--output", other),
                              ("unique", "--add-to", index, "--dropped", other), ("index", "--index", index, "--output", other)):
                with self.subTest(arguments=arguments):
                    self.assert_fails(run(*arguments, "--jsonl", self.jsonl), other, "is also an input")
                    self.assertFalse(os.path.exists(other))
        self.assertEqual(index.read_bytes(), before)

    def test_settings_of_an_index_that_are_damaged_are_said_by_its_name(self):
        index, damaged = self.folder / "index", self.folder / "damaged"
        self.assert_done(run("index", "--jsonl", "--keep-postings", "--output", index, self.jsonl))
        prints = self.folder / "prints"
        self.assert_done(run("index", "--jsonl", "--kind", "auto", "--output", prints, self.jsonl))
        for file, settings, verbs in ((index, b"check words:2\npostings kept\n", (("query", "--jsonl", self.jsonl), ("find", "a clue"))),
                                      (prints, b"features-and-digests words:2\nweights unit\nkind minwise\n", (("query", "--jsonl", self.jsonl),))):
            data = file.read_bytes()
            begin = data.index(settings)
            for place in range(begin, begin + len(settings)):
                damaged.write_bytes(data[:place] + bytes([data[place] ^ 5]) + data[place + 1 :])
                for verb in verbs:
                    with self.subTest(place=place - begin, verb=verb[0]):
                        self.assert_fails(run(*verb, "--index", damaged), str(damaged))

    def test_weights_that_an_index_cannot_be_queried_by(self):
        index = self.folder / "index"
        for weights in (("--weights", "idf"), ("--weights", "tfidf"), ("--weights", "levels:3:tfidf"), ("--top", 3)):
            done = run("index", "--jsonl", "--distance", 3, *weights, "--output", index, self.jsonl)
            self.assert_fails(done, "index " + " ".join(map(str, ("--weights", "unit", *weights) if weights[0] == "--top" else weights)),
                              "name a table by --idf-file")
            self.assertFalse(index.exists())
        self.assert_done(run("index", "--jsonl", "--output", index, self.jsonl))
        self.assert_fails(run("query", "--jsonl", "--index", index, "--weights", "tf", self.jsonl),
                          f"--weights tf: {index} has features, and no fingerprints")
        self.assert_done(run("index", "--jsonl", "--kind", "auto", "--output", index, self.jsonl))
        done = self.assert_fails(run("query", "--jsonl", "--index", index, "--weights", "tf", self.jsonl),
                                 f"--weights tf: {index} has min-wise codes")
        self.assertNotIn("--kind", done.err)

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


class Tables(CommandTest):
    """Files name dictionaries and IDF tables by checksums."""

    DICTIONARY = "研究 100\n研究生 50\n生命 80\n起源 60\n的 900\n我们 400\n大学 90\n学生 70\n数据库 80\n备份 70\n恢复 60\n"
    IDF = "研究 2\n生命 2.5\n起源 3\n大学 1\n学生 1.5\n数据库 4\n备份 5\n恢复 6\n"

    def setUp(self):
        super().setUp()
        self.dictionary, self.idf = self.write("dict.txt", self.DICTIONARY), self.write("idf.txt", self.IDF)
        self.words = ("--dictionary", self.dictionary, "--no-hmm")
        self.keywords = ("--features", "zh:keywords", "--weights", "tfidf", "--top", 5, "--idf-file", self.idf, *self.words)
        texts = ["我们研究生命的起源，大学的数据库", "数据库的备份与恢复，大学学生研究", "起源与恢复的研究，生命"]
        self.old, self.new = self.write("old.jsonl", jsonl(texts)), self.write("new.jsonl", jsonl(texts[:2], 7))
        self.index = self.folder / "words.neardup"

    def composition(self, path):
        data = path.read_bytes()
        sections = int.from_bytes(data[20:24], "little")
        begin = 64 + 32 * sections
        size = int.from_bytes(data[begin : begin + 4], "little")
        lines = data[begin + 4 : begin + 4 + size].decode().splitlines()
        return dict(line.split(": ", 1) for line in lines)

    def of_tables(self, *paths, in_weights=False):
        """Returns the message with the checksums of both tables: of the exact tables of keywords, or of the rounded
        tables of weights."""
        digests = []
        for path in paths:
            self.assert_done(run("index", "--jsonl", "--distance", 3, *self.keywords[:7], path, *self.words,
                                 "--output", self.folder / "digest", self.old))
            made_of = self.composition(self.folder / "digest")
            digests.append(made_of["idf"] if in_weights else made_of["tokenizer"].split(", ")[1])
        self.assertNotEqual(*digests)
        return f"with the digest {digests[0]} instead of {digests[1]}; name the same table with --idf-file"

    def test_keywords_are_kept_and_queried(self):
        self.assert_done(run("index", "--jsonl", "--distance", 3, *self.keywords, "--output", self.index, self.old))
        made_of = self.composition(self.index)
        self.assertRegex(made_of["tokenizer"], r"^keywords\(5, [0-9a-f]{16}, without\(2, chinese_words.*\)\)$")
        self.assertEqual(made_of["weighter"], "tf_idf")
        for name in ("dictionary", "idf", "stop words"):
            self.assertRegex(made_of[name], "^[0-9a-f]{16}$")
        # The index has all settings except the paths of the tables.
        given = (*self.words, "--idf-file", self.idf)
        done = self.assert_done(run("query", "--index", self.index, "--jsonl", *given, self.new))
        self.assertEqual([line.split("\t")[1:] for line in done.text.splitlines()], [["0", "d7", "d0"], ["0", "d8", "d1"]])
        against = self.assert_done(run("unique", "--jsonl", "--against", self.index, *given, self.new))
        self.assertEqual(against.text, "")
        more = self.folder / "more.neardup"
        self.assert_done(run("index", "--jsonl", "--index", self.index, *given, "--output", more, self.new))
        both = self.write("both.jsonl", self.old.read_bytes() + self.new.read_bytes())
        whole = self.folder / "whole.neardup"
        self.assert_done(run("index", "--jsonl", "--distance", 3, *self.keywords, "--output", whole, both))
        self.assertEqual(more.read_bytes(), whole.read_bytes())

    def test_other_tables_are_refused_by_name(self):
        self.assert_done(run("index", "--jsonl", "--distance", 3, *self.keywords, "--output", self.index, self.old))
        query = lambda *options: run("query", "--index", self.index, "--jsonl", *options, self.new)
        other = self.write("other.txt", self.DICTIONARY + "牛奶 5\n")
        self.assert_fails(query("--dictionary", other, "--no-hmm", "--idf-file", self.idf), "'dictionary: ", "--dictionary", str(self.index))
        rare = self.write("rare.txt", self.IDF.replace("2.5", "2.50000000001"))  # equal after rounding to 1/256
        self.assert_fails(query(*self.words, "--idf-file", rare), self.of_tables(self.idf, rare))
        more = self.write("more.txt", self.IDF + "牛奶 9\n")
        self.assert_fails(query(*self.words, "--idf-file", more), self.of_tables(self.idf, more))
        stop = self.write("stop.txt", "研究\n")
        self.assert_fails(query(*self.words, "--idf-file", self.idf, "--stop-words", stop), "'stop words: ", "--stop-words")
        self.assert_fails(query(*self.words), "was made with --weights tfidf --top 5: name the same --idf-file")
        self.assert_fails(query(*self.words, "--idf-file", self.idf, "--top", 6), "'tokenizer: keywords(5, ", "keywords(6, ")
        plain = self.folder / "plain.neardup"
        self.assert_done(run("index", "--jsonl", "--distance", 3, "--features", "zh:words", "--weights", "tfidf",
                             "--idf-file", self.idf, *self.words, "--output", plain, self.old))
        done = run("query", "--index", plain, "--jsonl", *self.words, "--idf-file", more, self.new)
        self.assert_fails(done, f"{plain}: the fingerprints are made with another IDF table", self.of_tables(self.idf, more, in_weights=True))

    def test_lists_and_parts_keep_them(self):
        lists = []
        for name, options in (("a", self.keywords), ("b", (*self.keywords, "--stop-words", "zh"))):
            lists.append(self.folder / f"{name}.bin")
            self.assert_done(run("hash", "--format", "bin", "--jsonl", *options, "--output", lists[-1], self.old))
        self.assert_done(run("pairs", "--fingerprints", "--distance", 3, lists[0]))
        self.assert_done(run("pairs", "--fingerprints", "--distance", 3, *self.keywords, lists[0]))
        self.assert_fails(run("pairs", "--fingerprints", "--distance", 3, *lists), str(lists[1]), "'stop words: ")
        self.assert_fails(run("pairs", "--fingerprints", "--distance", 3, "--features", "zh:keywords", "--top", 5, *self.words, lists[0]),
                          "--top with --fingerprints: there are no texts to learn from")
        other = self.write("other.txt", self.DICTIONARY + "牛奶 5\n")
        parts = [self.folder / f"{n}.features" for n in (0, 1)]
        for n, (source, words) in enumerate(((self.old, self.words), (self.new, ("--no-hmm", "--dictionary", other)))):
            self.assert_done(run("features", "--part", n, "--jsonl", "--features", "zh:words", *words, "--output", parts[n], source))
        self.assert_fails(run("counts", "--output", self.folder / "counts", *parts), str(parts[1]), "'dictionary: ")

    def test_kept_words_are_those_of_their_dictionary(self):
        kept = ("--check-features", "zh:words")
        self.assert_done(run("index", "--jsonl", *kept, *self.words, "--output", self.index, self.old))
        self.assertEqual(len(self.assert_done(run("query", "--index", self.index, "--jsonl", *self.words, self.new)).text.splitlines()), 2)
        other = self.write("other.txt", self.DICTIONARY + "牛奶 5\n")
        self.assert_fails(run("query", "--index", self.index, "--jsonl", "--dictionary", other, "--no-hmm", self.new),
                          str(self.index), "its features are words by the dictionary", "--dictionary")

    def test_folded_characters_are_refused_with_others(self):
        options = ("index", "--jsonl", "--distance", 3, "--features", "chars:2", "--output", self.index)
        done = run(*options, "--fold-chinese", self.old)
        if done.status == 2 and "OpenCC is not installed" in done.err:
            self.skipTest("libopencc1.1 is not installed")
        self.assert_done(done)
        self.assertEqual(len(self.assert_done(run("query", "--index", self.index, "--jsonl", self.new)).text.splitlines()), 2)
        self.assertRegex(self.composition(self.index)["tokenizer"], r"^opencc_folded\([0-9a-f]{16}, normalised\(code_point_ngrams\(2\)\)\)$")
        plain = self.folder / "plain.bin"
        self.assert_done(run("hash", "--format", "bin", "--jsonl", "--features", "chars:2", "--output", plain, self.new))
        self.assert_fails(run("query", "--index", self.index, "--fingerprints", plain), "opencc_folded(")

    def test_levels_are_kept(self):
        options = ("index", "--jsonl", "--distance", 3, "--features", "words", "--weights", "quantiles:3", "--output", self.index)
        self.assert_done(run(*options, self.old))
        self.assertEqual(self.composition(self.index)["weighter"], "quantile_levels(3, tf)")
        self.assertEqual(len(self.assert_done(run("query", "--index", self.index, "--jsonl", self.new)).text.splitlines()), 2)
        self.assert_fails(run("query", "--index", self.index, "--jsonl", "--weights", "levels:3", self.new),
                          "'weighter: quantile_levels(3, tf)' instead of 'weighter: levels(3, tf)'")
        self.assert_fails(run("index", "--jsonl", "--weighted-field", "x", "--output", self.index, self.old), "the file cannot say how the weights were made")


if __name__ == "__main__":
    main()
