"""An index that is changed in place: added batches, removed and replaced documents, and the state after a crash.
NEARDUP_PROGRAM names the program."""

import hashlib
import itertools
import json
import random
import resource
import shutil
import signal
import subprocess
import threading
import time

from harness import PROGRAM, SANITIZED, SEED_SHIFT, TIMEOUT, CommandTest, corpus, effort, jsonl, run, start, unittest, main

SETUPS = [
    [],
    ["--features", "chars:4", "--similarity", "0.6"],
    ["--check-features", "words:1"],
    ["--similarity", "0.95"],
    ["--kind", "auto"],
    ["--distance", "4", "--kind", "minwise", "--bits", "128"],
]
LOG = ".neardup-log"


class Batches(CommandTest):
    def setUp(self):
        super().setUp()
        self.index = self.folder / "index"
        self.log = self.folder / ("index" + LOG)

    def make(self, texts, *options, first=0, to=None):
        self.assert_done(run("index", "--jsonl", *options, "--output", to or self.index, "-", data=jsonl(texts, first)))

    def records(self, ids):
        """One record for each id; the id determines the text."""
        return "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in ids).encode()

    def asked(self, index, texts, *options):
        done = self.assert_done(run("query", "--index", index, "--jsonl", *options, "-", data=jsonl(texts, 10**6)))
        return done.text

    def size(self, index=None):
        done = self.assert_done(run("query", "--index", index or self.index, "--jsonl", "-", data=b'{"text":"nothing like it"}'))
        self.assertIn("in the index", done.err)
        done = self.assert_done(run("unique", "--jsonl", "--against", index or self.index, "-", data=b'{"text":"nothing like it"}'))
        return int(done.err.split(" against ")[1].split(":")[0].replace(",", ""))

    def assert_alike(self, index, twin, texts, *options):
        expected = self.asked(twin, texts, *options)
        self.assertEqual(self.asked(index, texts, *options), expected)
        self.assertEqual(self.size(index), self.size(twin))
        return len(expected.splitlines())

    def assert_files_alike(self, index, twin, *options):
        """Writes the index to a new file. The file must be equal to the expected file, byte for byte, and have no
        log."""
        anew = self.folder / "anew"
        self.assert_done(run("index", "--index", index, "--jsonl", *options, "--output", anew, "-"))
        self.assertEqual(anew.read_bytes(), twin.read_bytes())


class Adding(Batches):
    def test_appending_adds_all(self):
        texts = corpus(300, 12)
        twin = self.folder / "twin"
        for options in SETUPS:
            with self.subTest(options=options):
                for file in self.folder.glob("index*"):
                    file.unlink()
                self.make(texts[:100], *options)
                self.make(texts[:250], *options, to=twin)
                before = self.index.read_bytes()
                for first in (100, 150, 200):
                    done = run("index", "--index", self.index, "--append", "--compact", "never", "--jsonl", "-",
                               data=jsonl(texts[first : first + 50], first))
                    self.assert_done(done)
                self.assertEqual(self.index.read_bytes(), before)
                self.assertIn(" added, ", done.err)
                self.assertGreater(self.assert_alike(self.index, twin, texts[250:]), 2)
                self.assert_files_alike(self.index, twin)
                for verb in ("pairs", "groups", "unique", "report"):
                    question = ("--jsonl", "-")
                    to = ("--output", self.folder / "page") if verb == "report" else ()
                    found = [self.assert_done(run(verb, *to, "--against", i, *question, data=jsonl(texts[250:], 250))).text
                             + ((self.folder / "page").read_text() if to else "") for i in (self.index, twin)]
                    self.assertEqual(found[0].replace(str(self.index), "I"), found[1].replace(str(twin), "I"))
                # A new file from this index holds both batches.
                other = self.folder / "other"
                self.assert_done(run("index", "--index", self.index, "--jsonl", "--output", other, "-"))
                self.assertEqual(other.read_bytes(), twin.read_bytes())
                self.assertTrue(self.log.exists())

    def test_no_advice_that_an_index_does_not_allow(self):
        texts = [f"w{i} v{i} u{i} t{i}" for i in range(60)]
        self.make(texts[:30])
        data = jsonl(texts[30:], 30)
        for arguments in (("unique", "--add-to", self.index), ("unique", "--against", self.index), ("query", "--index", self.index)):
            done = self.assert_done(run(*arguments, "--jsonl", "-", data=data))
            self.assertIn("one word changed makes their similarity less than 0.8", done.err)
            self.assertNotIn("for such short texts, try", done.err)
        self.assertIn("for such short texts, try", self.assert_done(run("unique", "--jsonl", "-", data=data)).err)

    def test_fingerprints_of_another_width_are_refused(self):
        texts = corpus(5, 10)
        self.make(texts, "--kind", "auto")
        before = self.index.read_bytes()
        for bits in "32", "128":
            for verb, *rest in (
                ("index", "--index", self.index, "--append"),
                ("index", "--index", self.index, "--replace"),
                ("unique", "--add-to", self.index),
                ("unique", "--against", self.index),
                ("query", "--index", self.index),
            ):
                done = run(verb, *rest, "--jsonl", "--bits", bits, "-", data=jsonl(texts))
                self.assert_fails(done, str(self.index), f"--bits {bits}", "64 bits")
        self.assertEqual(self.index.read_bytes(), before)
        self.assertFalse(self.log.exists())
        # `auto` chooses the kind, so the message does not name one.
        for verb, *rest in ("unique", "--against", self.index), ("query", "--index", self.index):
            done = self.assert_done(run(verb, *rest, "--jsonl", "--kind", "auto", "-", data=jsonl(texts)))
            self.assertIn("near-duplicate" if verb == "query" else "0 kept", done.err)

    def test_an_index_begins_empty(self):
        for keep in (["--kind", "auto"], []):
            self.make([], *keep)
            texts = corpus(60, 5)
            self.assert_done(run("unique", "--add-to", self.index, "--compact", "never", "--jsonl", "-", data=jsonl(texts)))
            expected = self.assert_done(run("unique", "--jsonl", *(["--distance", "10", "--kind", "minwise"] if keep else []), "-", data=jsonl(texts)))
            twin = self.folder / "twin"
            self.make([], *keep, to=twin)
            self.assert_done(run("index", "--index", twin, "--jsonl", "--output", twin, "-", data=expected.bytes))
            self.assert_files_alike(self.index, twin)
            self.log.unlink()

    def test_compaction_comes_by_itself_and_keeps_no_log(self):
        texts = corpus(2000, 13, copies=0.1)
        self.make(texts[:400])
        sizes, logs, rewritten = [], [], 0
        before = self.index.read_bytes()
        for first in range(400, 2000, 20):
            self.assert_done(run("index", "--index", self.index, "--append", "--jsonl", "--quiet", "-", data=jsonl(texts[first : first + 20], first)))
            now = self.index.read_bytes()
            rewritten += now != before
            before = now
            log = self.log.stat().st_size if self.log.exists() else 0
            self.assertLessEqual(8 * log, len(now))
        twin = self.folder / "twin"
        self.make(texts, to=twin)
        self.assert_files_alike(self.index, twin)
        # The file is rewritten whenever it has grown by an eighth: about log(5) / log(9/8) times in 80 batches.
        self.assertIn(rewritten, range(6, 30))

    def test_the_form_of_an_index_is_that_of_its_file(self):
        texts = corpus(60, 3)
        kept, bare = self.folder / "kept", self.folder / "bare"
        self.make(texts[:30], to=kept)
        self.make(texts[:30], "--kind", "auto", to=bare)
        for path, has in ((kept, True), (bare, False)):
            for output in (("--output", self.folder / "new"), ("--append",)):
                self.assert_done(run("index", "--index", path, *output, "--jsonl", "-", data=jsonl(texts[30:], 30)))
            done = self.assert_done(run("query", "--index", path, "--jsonl", "--format", "jsonl", "-", data=jsonl(texts)))
            self.assertTrue(done.json)
            self.assertEqual({"similarity" in row for row in done.json}, {has})
        self.assert_fails(run("index", "--index", bare, "--append", "--check-features", "words:2", "--jsonl", "-"), "has fingerprints, and no features")
        lists = self.folder / "list"
        run("hash", "--jsonl", "--format", "bin", "--kind", "minwise", "--output", lists, "-", data=jsonl(texts))
        self.assert_fails(run("index", "--index", kept, "--append", "--fingerprints", lists), "is an index of features, and lists of fingerprints")
        self.assert_done(run("index", "--index", bare, "--append", "--fingerprints", lists))
        self.assertEqual(self.size(bare), 60 + 60)

    def test_without_new_options_files_are_written_byte_for_byte_as_before(self):
        """Files of feature indexes are the same as those of the first version. Files of fingerprint indexes are the
        same since they have digests of short documents."""
        for options, expected in (
            ([], "185d5182fc9fa2815edc637c7028ed24d12afdbca20f755d98abe9f851f32686"),
            (["--bits", "128", "--features", "chars:4", "--distance", "12"], "f28a5d4b3da4089e91454fb48b12434374bf8a9acca8076ad432462bb49e1deb"),
        ):
            self.make(corpus(300, 99 - SEED_SHIFT), *options)
            self.assertEqual(hashlib.sha256(self.index.read_bytes()).hexdigest(), expected)

    def test_features_for_the_check_are_those_of_the_index(self):
        texts = corpus(200, 4)
        self.make(texts[:150], "--check-features", "words:2")
        own = ("--features", "words:1", "--check-features", "words:2")
        question = ("unique", "--jsonl", "--against", self.index, "--similarity", "0.8", "-")
        plain = self.assert_done(run(*question, data=jsonl(texts[150:], 150)))
        named = self.assert_done(run(*question, *own, data=jsonl(texts[150:], 150)))
        self.assertEqual(plain.bytes, named.bytes)
        self.assertGreater(len(texts[150:]) - len(plain.text.splitlines()), 5)

    def test_files_that_are_documents_are_added_by_their_paths(self):
        self.make(["nothing"])
        for i, text in enumerate(corpus(30, 6)):
            self.write(f"in/{i}.txt", text)
        done = self.assert_done(run("unique", "--add-to", self.index, self.folder / "in"))
        self.assertEqual(self.size(), 1 + len(done.text.splitlines()))
        again = self.assert_done(run("unique", "--add-to", self.index, self.folder / "in"))
        empty = [i for i, t in enumerate(corpus(30, 6)) if not t.strip()]
        self.assertEqual(len(again.text.splitlines()), len(empty))

    def test_what_is_kept_is_written_before_it_is_added(self):
        texts = corpus(40, 6)
        self.make(texts[:20])
        out = self.folder / "out"
        # A failed run adds nothing.
        bad = jsonl(texts[20:]) + b"no JSON\n"
        self.assert_fails(run("unique", "--add-to", self.index, "--jsonl", "--output", out, "-", data=bad), "not valid JSON")
        self.assertFalse(out.exists())
        self.assertEqual(self.size(), 20)
        self.assert_fails(run("index", "--index", self.index, "--append", "--jsonl", "-", data=bad), "not valid JSON")
        self.assertEqual(self.size(), 20)
        self.assert_done(run("unique", "--add-to", self.index, "--jsonl", "--skip-bad", "--output", out, "-", data=bad))
        self.assertEqual(self.size(), 20 + len(out.read_bytes().splitlines()))


class Changing(Batches):
    @unittest.skipIf(SANITIZED, "sanitizers do not run below strace")
    @unittest.skipUnless(shutil.which("strace"), "no strace")
    def test_what_is_kept_is_on_the_disk_before_it_is_added(self):
        """A power failure loses output that was not synced. So the output is synced before the index is changed."""
        texts = corpus(40, 6)
        self.make(texts[:20])
        calls = ["strace", "-f", "-y", "-e", "trace=fsync,rename,renameat,renameat2", "-o", self.folder / "calls"]
        unique = [PROGRAM, "unique", "--add-to", self.index, "--jsonl", "--output", self.folder / "kept", "-"]
        done = subprocess.run([*calls, *unique], input=jsonl(texts[20:]), capture_output=True, check=False)
        if b"ptrace" in done.stderr:
            self.skipTest("strace may not trace here")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in (self.folder / "calls").read_text().splitlines() if "fsync(" in line or "rename" in line]
        place = lambda *words: next(i for i, line in enumerate(lines) if all(word in line for word in words))
        renamed, changed = place("rename", "/kept"), place("/index")
        self.assertLess(place("fsync(", "/kept"), renamed)
        self.assertIn("fsync(", lines[renamed + 1])  # the folder is synced
        self.assertLess(renamed + 1, changed)

    def test_documents_are_removed_and_replaced(self):
        rng = random.Random(9)
        texts = corpus(500, 14)
        twin, ids = self.folder / "twin", self.folder / "ids"
        for options in effort(SETUPS[1::3], SETUPS[:2] + SETUPS[4:]):
            with self.subTest(options=options):
                for file in self.folder.glob("index*"):
                    file.unlink()
                there = [(f"d{i}", t) for i, t in enumerate(texts[:200])]
                self.make(texts[:200], *options)
                for step in range(8):
                    when = ("never", "never", "auto", "now")[step % 4]
                    change = ("--index", self.index, "--compact", when)
                    some = rng.sample([i for i, _ in there], 12)
                    if step % 3 == 0:
                        ids.write_text("".join(f"{i}\r\n" for i in some + ["no such"]))
                        done = self.assert_done(run("index", *change, "--remove", ids))
                        self.assertIn(f"1 id in {ids} is not in the index (no such)\n", done.err)
                        self.assertIn("12 removed", done.err)
                        there = [(i, t) for i, t in there if i not in some]
                    else:
                        new = [(i, rng.choice(texts[200:400])) for i in some[:8]] + [(f"n{step}.{i}", rng.choice(texts[200:400])) for i in range(5)]
                        new += [new[0][:1] + (texts[410],)]  # the last one counts
                        remove = []
                        if step % 3 == 1:
                            ids.write_text("\n".join(some[8:]))
                            remove = ["--remove", ids]
                        done = self.assert_done(run("index", *change, "--replace", *remove, "--jsonl", "-", data=self.records(new)))
                        self.assertIn(" added, in place of 8 earlier ones, ", done.err)
                        gone = {i for i, _ in new} | (set(some[8:]) if remove else set())
                        last = dict(new)
                        order = [i for i, _ in new]
                        new = [(i, t) for n, (i, t) in enumerate(new) if i not in order[n + 1 :]]
                        self.assertEqual(len(new), len(last))
                        there = [(i, t) for i, t in there if i not in gone] + new
                    self.assert_done(run("index", "--jsonl", *options, "--output", twin, "-", data=self.records(there)))
                    self.assertGreater(self.assert_alike(self.index, twin, texts[400:]), 3)
                self.assert_files_alike(self.index, twin)

    def test_a_document_that_has_no_text_any_more_goes(self):
        self.make(["one two three four", "five six seven eight"])
        self.assert_done(run("index", "--index", self.index, "--replace", "--jsonl", "-", data=self.records([("d0", "")])))
        self.assertEqual(self.size(), 1)

    def test_ids_that_a_list_cannot_name(self):
        self.make([])
        records = [("", "one two three"), ("a\nb", "four five six"), ("a", "seven eight nine")]
        self.assert_done(run("index", "--index", self.index, "--append", "--jsonl", "-", data=self.records(records)))
        done = self.assert_done(run("index", "--index", self.index, "--remove", "-", data=b"\n\na\n"))
        self.assertIn("2 lines of - are empty and not an id; to remove a document with an empty id, --replace it", done.err)
        self.assertIn("1 removed, 2 in the index", done.err)
        done = run("index", "--index", self.index, "--replace", "--jsonl", "-", data=self.records([("", ""), ("a\nb", "")]))
        self.assert_done(done)
        self.assertEqual(self.size(), 0)

    def test_what_is_passed_over_keeps_nothing_else_out(self):
        self.make(["one two three four"])
        self.write("in/a.txt", "five six seven eight")
        self.write("in/b.jsonl.gz", b"\x1f\x8b\x08no gzip")
        for verb in (("index", "--index", self.index, "--append"), ("unique", "--add-to", self.index)):
            done = run(*verb, self.folder / "in")
            self.assertEqual(done.status, 2)
            self.assertIn("skipped", done.err)
        self.assertEqual(self.size(), 2)

    def test_documents_of_one_id_go_together(self):
        self.assert_done(run("index", "--jsonl", "--output", self.index, "-", data=self.records([("a", "one two three"), ("b", "x y z"), ("a", "four five six")])))
        self.assert_done(run("index", "--index", self.index, "--append", "--compact", "never", "--jsonl", "-", data=self.records([("a", "seven eight nine")])))
        done = self.assert_done(run("index", "--index", self.index, "--remove", "-", data=b"a\n"))
        self.assertIn("3 removed, 1 in the index", done.err)

    def test_what_does_not_go_together_is_refused(self):
        self.make(["one two three"])
        texts = self.write("t.jsonl", jsonl(["one"]))
        ids = self.write("ids", "d0\n")
        before = self.index.read_bytes()
        change = ("index", "--index", self.index)
        for arguments, said in [
            (("index", "--append", "--jsonl", texts), "--append needs --index FILE"),
            ((*change, "--jsonl", texts), f"to add to {self.index}, give --append"),
            (("index", "--remove", ids), "--remove needs --index FILE"),
            ((*change, "--append", "--output", self.folder / "o", "--jsonl", texts), "leave out --output"),
            ((*change, "--append", "--replace", "--jsonl", texts), "do not go together"),
            ((*change, "--remove", ids, "--jsonl", texts), "reads no documents"),
            ((*change, "--remove", ids, "--jsonl"), "--jsonl with --remove"),
            ((*change, "--compact", "now", "--features", "words"), "--features with --compact"),
            ((*change, "--compact", "later"), "must be auto, now or never"),
            ((*change, "--append"), "no input"),
            ((*change, "--append", "--distance", "3", "--jsonl", texts), "--distance with --append"),
            ((*change, "--append", "--features", "chars:3", "--jsonl", texts), f"--features chars:3: {self.index} has words:2"),
            ((*change, "--append", "--seed", "3", "--jsonl", texts), "seed"),
            ((*change, "--append", "--remove", "-", "--jsonl", "-"), "only once"),
            ((*change, "--remove", self.folder / "none"), "none"),
            (("index", "--index", texts, "--append", "--jsonl", texts), "not a file of neardup"),
            (("unique", "--add-to", texts, "--jsonl", texts), "not a file of neardup"),
            (("unique", "--add-to", "nope.idx", "--jsonl", texts), "nope.idx: no such file; neardup index --output FILE PATH… makes an index"),
            (("unique", "--add-to", self.index, "--keep", "longest", "--jsonl", texts), "--keep with --add-to"),
            (("unique", "--add-to", self.index, "--grouping", "components", "--jsonl", texts), "--grouping with --add-to"),
            (("unique", "--add-to", self.index, "--check", "containment", "--jsonl", texts), "--check containment with --add-to"),
            (("unique", "--add-to", self.index, "--kind", "auto", "--jsonl", texts), f"--kind: {self.index} has features, and no fingerprints"),
            (("unique", "--add-to", self.index, "--distance", "3", "--jsonl", texts), f"--distance: {self.index} has features, and no fingerprints"),
            (("unique", "--compact", "now", "--jsonl", texts), "--compact needs --add-to"),
            (("unique", "--add-to", self.index, "--output", self.index, "--jsonl", texts), "is also an input"),
            (("unique", "--add-to", self.index, "--output", self.log, "--jsonl", texts), "is also an input"),
            (("query", "--index", self.index, "--output", self.log, "--jsonl", texts), "is also an input"),
            (("groups", "--add-to", self.index, "--jsonl", texts), "unique has it"),
        ]:
            with self.subTest(arguments=arguments[:1] + arguments[2:]):
                self.assert_fails(run(*arguments), said)
        self.assertEqual(self.index.read_bytes(), before)
        self.assertFalse(self.log.exists())

    def test_removing_needs_to_know_nothing_of_the_fingerprints(self):
        self.make(corpus(40, 2), "--seed", "7", "--bits", "128", "--features", "chars:4")
        self.assert_done(run("index", "--index", self.index, "--remove", "-", data=b"d3\nd4\n"))
        self.assertEqual(self.size_of_seeded(), 38)

    def size_of_seeded(self):
        done = self.assert_done(run("unique", "--seed", "7", "--jsonl", "--against", self.index, "-", data=b'{"text":"nothing like it"}'))
        return int(done.err.split(" against ")[1].split(":")[0])

    def test_one_run_at_a_time_changes_an_index(self):
        self.make(corpus(20, 2))
        for verb in (["unique", "--add-to", self.index], ["index", "--append", "--index", self.index],
                     ["index", "--index", self.index, "--output", self.index]):
            first = start(*map(str, verb), "--jsonl", "-")
            lock = self.folder / "index.neardup-lock"
            until = time.monotonic() + TIMEOUT
            while not lock.exists() and time.monotonic() < until:
                time.sleep(0.01)
            done = run(*verb, "--jsonl", "-", data=jsonl(["a text"]))
            self.assert_fails(done, f"{self.index} is being written by another program")
            first.communicate(jsonl(["a text of the first run"]), timeout=TIMEOUT)
            self.assertEqual(first.returncode, 0)
            self.assertFalse(lock.exists())


class Crashes(Batches):
    def test_a_full_disk_leaves_the_log(self):
        self.make(corpus(400, 15))
        size = self.index.stat().st_size

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2))

        more = jsonl(corpus(100, 16), 400)
        append = ("index", "--index", self.index, "--append", "--jsonl")
        self.assert_fails(run(*append, "-", data=more, preexec_fn=limit), "; --compact never writes to the log only")
        done = run(*append, "--compact", "now", "-", data=more, preexec_fn=limit)
        self.assertNotIn("--compact never", self.assert_fails(done, "cannot save").err)
        self.assertEqual(self.size(), 400)
        self.assert_done(run(*append, "--compact", "never", "-", data=more, preexec_fn=limit))
        self.assertEqual(self.size(), 500)

    def test_a_log_that_ends_anywhere_is_the_state_before(self):
        texts = corpus(120, 15)
        self.make(texts[:60])
        sizes, ends = [60], {60: 32}  # number of documents -> end of the log, whose header has 32 bytes
        note = lambda rest: f"neardup: {self.log}: its last {rest:,} {'byte is' if rest == 1 else 'bytes are'} an unfinished change, which is ignored"
        for first in (60, 80, 100):
            self.assert_done(run("index", "--index", self.index, "--append", "--compact", "never", "--jsonl", "-", data=jsonl(texts[first : first + 20], first)))
            sizes.append(self.size())
            ends[sizes[-1]] = self.log.stat().st_size
        self.assertEqual(sizes, [60, 80, 100, 120])
        whole = self.log.read_bytes()
        # If the log is cut within a record, the index has the state before the record.
        rng = random.Random(3)
        seen = set()
        for size in sorted({32, 33, len(whole) - 1, len(whole), *(rng.randrange(32, len(whole)) for _ in range(12))}):
            self.log.write_bytes(whole[:size])
            found = self.size()
            self.assertIn(found, sizes)
            self.assertEqual(self.log.stat().st_size, size)
            done = run("query", "--quiet", "--index", self.index, "--jsonl", "-", data=jsonl(texts[:1]))
            rest = size - ends[found]
            no_change = f"neardup: {self.log}: it ends before its first change"
            self.assertEqual(done.err.splitlines(), [note(rest)] if rest > 0 else [no_change] if size == 32 else [])
            self.assertIn('d0', done.text)
            seen.add(found)
            self.assert_done(run("index", "--index", self.index, "--append", "--compact", "never", "--jsonl", "-", data=jsonl(["a text more"], 999)))
            self.assertEqual(self.size(), found + 1)
        self.assertEqual(seen, set(sizes))

    def test_a_damaged_log_is_refused_by_name(self):
        texts = corpus(100, 15)
        self.make(texts[:60])
        for first in (60, 80):
            self.assert_done(run("index", "--index", self.index, "--append", "--compact", "never", "--jsonl", "-", data=jsonl(texts[first : first + 20], first)))
        whole = self.log.read_bytes()
        for at in (0, 9, 17, 30, 33, 50, 200, len(whole) // 3):
            damaged = bytearray(whole)
            damaged[at] ^= 1
            self.log.write_bytes(damaged)
            for verb in (("query", "--index", self.index), ("unique", "--against", self.index), ("unique", "--add-to", self.index),
                         ("index", "--append", "--index", self.index)):
                self.assert_fails(run(*verb, "--jsonl", "-", data=jsonl(texts)), str(self.log))
            self.assert_fails(run("index", "--index", self.index, "--compact", "now"), str(self.log))
            self.assertEqual(self.log.read_bytes(), damaged)
        self.log.write_bytes(b"somebody's")
        self.assert_fails(run("query", "--index", self.index, "--jsonl", "-", data=jsonl(texts)), str(self.log), "its header is damaged")

    def test_a_log_of_another_file_is_refused_by_name(self):
        texts = corpus(60, 15)
        self.make(texts[:20])
        older = self.index.read_bytes()
        append = ("index", "--index", self.index, "--append", "--jsonl", "-")
        self.assert_done(run(*append, "--compact", "now", data=jsonl(texts[20:40], 20)))
        self.assert_done(run(*append, "--compact", "never", data=jsonl(texts[40:], 40)))
        self.index.write_bytes(older)
        for verb in (("query", "--index", self.index), ("unique", "--add-to", self.index)):
            self.assert_fails(run(*verb, "--jsonl", "-", data=jsonl(texts)), str(self.log), "it follows another file than")

    def test_a_crash_between_the_new_file_and_the_end_of_its_log_loses_nothing_and_adds_nothing_twice(self):
        texts = corpus(60, 15)
        self.make(texts[:20])
        append = ("index", "--index", self.index, "--append", "--jsonl", "-")
        for first in (20, 30):
            self.assert_done(run(*append, "--compact", "never", data=jsonl(texts[first : first + 10], first)))
        log = self.log.read_bytes()
        for verb in ((*append, "--compact", "now"), ("index", "--index", self.index, "--output", self.index, "--jsonl", "-"),
                     ("index", "--output", self.index, "--jsonl", "-")):
            base = self.index.read_bytes()
            self.assert_done(run(*verb, data=jsonl(texts[40:50], 40)))
            size = self.size()
            self.assertFalse(self.log.exists())
            for torn in (log, log + b"torn"):
                self.log.write_bytes(torn)
                self.assertEqual(self.size(), size)
            self.assert_done(run(*append, "--compact", "never", data=jsonl(texts[50:55], 50)))
            self.assertEqual(self.size(), size + 5)
            self.log.write_bytes(log)
            self.index.write_bytes(base)

    @unittest.skipIf(SANITIZED, "sanitizers do not run below strace")
    @unittest.skipUnless(shutil.which("strace"), "no strace")
    def test_a_run_whose_calls_fail_leaves_the_old_state_or_the_new(self):
        """Each write, sync, rename and truncation fails in turn: once, or with all later ones, as on a full disk."""
        texts = [f"{text} and number {i} of its own" for i, text in enumerate(corpus(70, 19, copies=0))]
        self.make(texts[:20])
        injected = old = 0
        # The first change makes a log, the second one appends to it, the third one writes a new file, and removes the log.
        for first, when in ((20, "never"), (30, "never"), (40, "now")):
            size = self.size()
            files = {path: path.read_bytes() for path in (self.index, self.log) if path.exists()}
            batch = self.write("batch.jsonl", jsonl(texts[first : first + 10], first))
            append = ["index", "--index", self.index, "--append", "--compact", when, "--jsonl", batch]
            for call in ("write", "fsync", "/^rename", "ftruncate"):
                for number in itertools.count(1):
                    for last in ("", "+"):
                        self.log.unlink(missing_ok=True)
                        for path, content in files.items():
                            path.write_bytes(content)
                        calls = self.folder / "calls"
                        fails = ["strace", "-f", "-qq", "-o", calls, "-e", f"trace={call}", "-e", f"inject={call}:error=ENOSPC:when={number}{last}"]
                        done = subprocess.run([*fails, PROGRAM, *append], capture_output=True, check=False)
                        if b"ptrace" in done.stderr:
                            self.skipTest("strace may not trace here")
                        failed, found = "(INJECTED)" in calls.read_text(), self.size()
                        context = f"{when}: {call} {number}{last}, {done.stderr.decode()}"
                        self.assertIn(found, (size, size + 10), context)
                        if done.returncode == 0:
                            self.assertEqual(found, size + 10, context)
                        else:
                            self.assertEqual((done.returncode, failed), (2, True), context)
                        injected += failed
                        old += found == size
                    # After the failure, the next run adds the batch.
                    self.assert_done(run(*append))
                    self.assertEqual(self.size(), found + 10, context)
                    if not failed:
                        break
        print(f"{injected} runs with failing calls, {old} of them left the old state")
        self.assertGreater(old, 10)

    def test_readers_see_whole_states_while_batches_are_added(self):
        texts = corpus(700, 17, copies=0)
        texts = [f"{t} and a text of its own with number {i} in it" for i, t in enumerate(texts)]
        self.make(texts[:100])
        ended, states, failures = threading.Event(), [], []

        def read():
            while not ended.is_set():
                try:
                    states.append(self.size())
                except AssertionError as error:
                    failures.append(str(error))

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        for number, first in enumerate(range(100, 700, 10)):
            when = "now" if number % 3 == 2 else "never"
            done = run("index", "--index", self.index, "--append", "--compact", when, "--quiet", "--jsonl", "-", data=jsonl(texts[first : first + 10], first))
            if done.status != 0:
                failures.append(done.err)
        ended.set()
        for reader in readers:
            reader.join()
        self.assertEqual(failures, [])
        self.assertTrue(all(s % 10 == 0 and 100 <= s <= 700 for s in states), states)
        self.assertGreater(len(set(states)), 3)

    def test_a_log_has_the_rights_of_its_file_and_lies_where_that_lies(self):
        real, link = self.folder / "sub" / "real", self.folder / "link"
        real.parent.mkdir()
        self.make(corpus(20, 1), to=real)
        real.chmod(0o600)
        link.symlink_to(real)
        self.assert_done(run("index", "--index", link, "--append", "--compact", "never", "--jsonl", "-", data=jsonl(["one more"], 50)))
        log = self.folder / "sub" / ("real" + LOG)
        self.assertEqual(log.stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.size(link), 21)
        self.assertEqual(self.size(real), 21)
        # The index is binary, not text.
        done = self.assert_done(run("groups", self.folder / "sub"))
        self.assertIn("2 binary files in folders were left out", done.err)
        self.assert_fails(run("groups", log), "a log of neardup's, and no text")


if __name__ == "__main__":
    main()
