"""Output files and their order, with any number of threads. NEARDUP_PROGRAM names the program."""

import ctypes
import json
import os
import pathlib
import pty
import resource
import signal
import subprocess
import sys
import threading
import time

from harness import A, B, PROGRAM, SANITIZED, TIMEOUT, CommandTest, corpus, effort
from harness import jsonl, large_corpus, run, run_with, start, stop, unittest, main


class Threads(CommandTest):
    def test_never_change_the_result(self):
        # Several batches a thread, from one source and from many.
        count = 6000 if SANITIZED else 30000
        texts = large_corpus(count, 9, words=25, vocabulary=3000, copies=0.3)
        texts[count * 2 // 3] = "!"
        data = jsonl(texts)
        file = self.write("c.jsonl", data)
        self.assertGreater(len(data), count * 100)
        for i in range(300):
            self.write(f"many/{i}", texts[i])
        many = self.folder / "many"
        numbers = effort((1, 5), (1, 2, 5))
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
        lines = jsonl(large_corpus(20000, 10, words=25)).splitlines(keepends=True)
        lines[15000] = b"{\n"
        lines[19000] = b"[\n"
        expected = None
        for n in (1, 2, 5):
            done = run("hash", "--jsonl", "--threads", n, "-", data=b"".join(lines))
            self.assert_fails(done, "standard input:15001: not valid JSON")
            self.assertEqual(done.text.count("\n"), 15000)  # the output before the bad line stays
            expected = expected or done.bytes
            self.assertEqual(done.bytes, expected)


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
        # The input takes several rounds. Each round is written while the next is read.
        data = jsonl(large_corpus(40000, 3))
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

    def test_features_beyond_the_memory_need_a_folder_for_temporary_files(self):
        source = self.write("c.jsonl", jsonl(corpus(4000, 19)))
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
        # A file can be read a second time, so no temporary file is needed.
        self.assert_done(run("unique", "--grouping", "components", "--jsonl", self.write("c", jsonl([A, B])), env=environment))

    def test_temporary_files_have_no_name(self):
        """Temporary files have no name, so a killed process leaves no file behind. inotify must see no new file."""
        try:
            os.close(os.open(self.folder, os.O_TMPFILE | os.O_RDWR, 0o600))
        except (AttributeError, OSError) as error:
            self.skipTest(f"files without a name: {error}")
        libc = ctypes.CDLL(None, use_errno=True)
        source = self.write("c.jsonl", jsonl(corpus(4000, 19)))
        made = self.folder / "made"
        made.mkdir()
        watch = libc.inotify_init1(os.O_NONBLOCK)
        self.assertGreaterEqual(watch, 0)
        self.addCleanup(os.close, watch)
        create, delete = 0x100, 0x200
        self.assertGreaterEqual(libc.inotify_add_watch(watch, os.fsencode(made), create | delete), 0)
        environment = dict(os.environ, TMPDIR=str(made))
        for options in (("unique", "--memory", "1", source), ("pairs", "--memory", "1", "--similarity", "0.5", source),
                        ("report", "-"), ("unique", "--grouping", "components", "-")):
            self.assert_done(run(*options, "--jsonl", data=source.read_bytes(), env=environment))
        with self.assertRaises(BlockingIOError):
            self.fail(os.read(watch, 4096))  # the message has the names of the files that inotify saw

    def test_temporary_file_on_a_full_disk(self):
        def limit():
            import resource

            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))

        done = run("unique", "--grouping", "components", "--jsonl", "-", data=jsonl(corpus(2000, 18)), preexec_fn=limit)
        self.assert_fails(done, "cannot write a temporary file")
        self.assertEqual(done.text, "")

    @unittest.skipIf(SANITIZED, "with sanitizers the program needs terabytes of addresses")
    @unittest.skipUnless(sys.platform == "linux", "needs a limit of memory")
    def test_a_limit_of_the_address_space_bounds_the_memory(self):
        def limit():
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (120 * 2**20, 120 * 2**20))

        source = self.write("c.jsonl", jsonl(large_corpus(60000, 19, words=60, copies=0.3)))
        whole = self.assert_done(run("unique", "--jsonl", source))
        self.assertEqual(self.assert_done(run("unique", "--jsonl", source, preexec_fn=limit)).bytes, whole.bytes)

    @unittest.skipUnless(os.access("/sys/fs/cgroup/memory", os.W_OK) or os.access("/sys/fs/cgroup/cgroup.subtree_control", os.W_OK),
                         "needs control groups that may be changed")
    def test_a_control_group_bounds_the_memory(self):
        v1 = pathlib.Path("/sys/fs/cgroup/memory")
        lines = pathlib.Path("/proc/self/cgroup").read_text().splitlines()
        own = next((line.split(":", 2)[2] for line in lines if ":memory:" in line or line.startswith("0::")), "/")
        root, name = (v1, "memory.limit_in_bytes") if v1.is_dir() else (pathlib.Path("/sys/fs/cgroup"), "memory.max")
        group = root / own.strip().lstrip("/") / f"neardup-test-{os.getpid()}"
        try:
            group.mkdir()
            (group / name).write_text(str(96 * 2**20))
        except OSError as error:
            self.skipTest(f"no control group: {error}")
        self.addCleanup(group.rmdir)

        def limit():
            (group / "cgroup.procs").write_text(str(os.getpid()))

        source = self.write("c.jsonl", jsonl(large_corpus(60000, 19, words=60, copies=0.3)))
        whole = self.assert_done(run("unique", "--jsonl", source))
        self.assertEqual(self.assert_done(run("unique", "--jsonl", source, preexec_fn=limit)).bytes, whole.bytes)

    @unittest.skipIf(SANITIZED, "with sanitizers the program has memory of its own")
    @unittest.skipUnless(sys.platform == "linux", "needs a limit of memory")
    def test_memory_bounds_unique_of_a_pipe(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (36 * 2**20, 36 * 2**20))

        # The records have 90 MB. Without the option, the program would hold all of them until they are decided.
        rows = [{"text": text, "more": "x" * 3000} for text in large_corpus(30000, 19)]
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
        options = ("unique", "--jsonl", "--threads", 1)
        whole = self.assert_done(run(*options, self.write("c.jsonl", data)))
        bounded = self.assert_done(run(*options, "--memory", "1M", "-", data=data, preexec_fn=limit))
        self.assertEqual(bounded.bytes, whole.bytes)

    def test_a_signal_leaves_nothing_unfinished(self):
        source = self.write("c.jsonl", jsonl([A, B]))
        index = self.folder / "i"
        self.assert_done(run("index", "--jsonl", "--output", index, source))
        names = sorted(path.name for path in self.folder.iterdir())
        older = {path: path.read_bytes() for path in self.folder.iterdir()}
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for options, made in (
                (("unique", "--jsonl", "--output", source, "--dropped", self.folder / "d"), ["c.jsonl.partial", "d.partial"]),
                (("index", "--jsonl", "--index", index, "--output", index), ["i.neardup-lock"]),
                (("index", "--jsonl", "--index", index, "--append"), ["i.neardup-lock"]),
                (("unique", "--jsonl", "--add-to", index, "--output", self.folder / "new"), ["i.neardup-lock", "new.partial"]),
            ):
                process = start(*map(str, options), "-")
                process.stdin.write(jsonl([A, B]))
                process.stdin.flush()
                deadline = time.monotonic() + TIMEOUT
                while not all((self.folder / name).exists() for name in made) and time.monotonic() < deadline:
                    time.sleep(0.01)
                self.assertTrue(all((self.folder / name).exists() for name in made), made)
                process.send_signal(number)
                self.assertEqual(process.wait(TIMEOUT), -number)
                stop(process)
                self.assertEqual(sorted(path.name for path in self.folder.iterdir()), names, options)
                self.assertEqual({path: path.read_bytes() for path in self.folder.iterdir()}, older)

    def test_a_signal_that_is_ignored_stays_so(self):
        process = subprocess.Popen([PROGRAM, "unique", "--jsonl", "--output", str(self.folder / "o"), "-"], stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.stdin.write(jsonl([A]))
        process.stdin.flush()
        while not (self.folder / "o.partial").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.1)
        process.stdin.write(jsonl([B], first=1))
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0)
        self.assertEqual((self.folder / "o").read_bytes(), jsonl([A, B]))

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
        # A link within the input must not lead to the output, and standard output must not be appended to an input.
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
            self.assertEqual((done.status, other.read_bytes()), (2, before))
            self.assertIn(f"skipped {folder}/{link}: is also the output", done.err)
        self.assertEqual(source.read_bytes(), before)
        with open(source, "ab") as appended:
            done = run_with(["hash", "--lines", source], stdout=appended, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"is also the output", done.stderr)
        self.assertEqual(source.read_bytes(), before)
        # If the input is missing, the old output stays.
        self.assert_fails(run("hash", "--output", target, self.folder / "missing"), "no such file")
        self.assertTrue(target.read_bytes())

    def test_pipes_are_written_directly(self):
        data = jsonl([A, A, B])
        program = str(PROGRAM)
        for path in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            done = subprocess.run([program, "unique", "--jsonl", "--quiet", "--output", path, "-"], input=data, capture_output=True, timeout=TIMEOUT)
            self.assertEqual((done.returncode, done.stderr, done.stdout.count(b"\n")), (0, b"", 2), path)
        reading, writing = os.pipe()
        done = subprocess.run([program, "unique", "--jsonl", "--quiet", "--dropped", f"/dev/fd/{writing}", "-"],
                              input=data, capture_output=True, timeout=TIMEOUT, pass_fds=(writing,))
        os.close(writing)
        self.assertEqual((done.returncode, done.stderr, done.stdout.count(b"\n")), (0, b"", 2))
        with open(reading, "rb") as dropped:
            self.assertEqual(dropped.read().count(b"\n"), 1)

    def test_partial_output_overwrites_nothing(self):
        older = jsonl([A, B, A])
        target = self.folder / "out"
        # An input whose name is FILE.partial is read, and stays.
        source = self.write("out.partial", older)
        other = self.write("other", jsonl([A]))
        expected = run("unique", "--jsonl", source, other).bytes
        self.assertTrue(expected)
        self.assert_done(run("unique", "--jsonl", "--output", target, source, other))
        self.assertEqual((source.read_bytes(), target.read_bytes()), (older, expected))
        # If FILE.partial is a link, the program does not write through it, whether the link leads to a file or not.
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

    def test_an_output_stays_only_if_nothing_could_be_read(self):
        good = self.write("good/a.jsonl", jsonl([A, A]))
        bad = self.write("bad.jsonl", jsonl([B]))
        for folder in ("good", "empty"):
            (self.folder / folder).mkdir(exist_ok=True)
            (self.folder / folder / "link").symlink_to(self.folder / "nowhere")
        for verb in (("unique",), ("unique", "--keep", "longest"), ("pairs",), ("groups",), ("groups", "--annotate"), ("hash",),
                     ("report",), ("index",), ("features", "--part", "0")):
            out = self.folder / "-".join(verb)
            self.assert_done(run(*verb, "--jsonl", "--output", out, good))
            older = out.read_bytes()
            for arguments, message in (((self.folder / "empty",), "skipped"), (("--skip-bad", self.folder / "missing"), "no document"),
                                       (("--skip-bad", "--text-field", "nope", bad), "no document could be read")):
                self.assert_fails(run(*verb, "--jsonl", "--output", out, *arguments), message)
                self.assertEqual(out.read_bytes(), older)
                self.assertEqual(list(self.folder.glob("*.partial*")), [])
            (self.folder / "good" / "b.jsonl").write_bytes(jsonl([B, B]))
            self.assert_fails(run(*verb, "--jsonl", "--output", out, self.folder / "good"), "skipped")
            self.assertNotEqual(out.read_bytes(), older)
            (self.folder / "good" / "b.jsonl").unlink()

    def test_partial_output_is_no_input(self):
        # The output is several times as long as the compressed input, so that reading and writing overlap.
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
            self.write("e/" + name, B)  # files of other runs with such names are read
        done = self.assert_done(run("hash", *options))
        self.assertIn("3 documents", done.err)
        self.assertNotIn("partial.2", (folder / "z").read_text())
        # The program compares the name with its output before the file exists.
        self.assertNotIn("skipped", done.err)
        done = run("hash", "--skip-bad", "--output", self.folder / "o", self.folder / "o.partial")
        self.assertEqual(done.status, 2)
        self.assertIn("o.partial: is also the output", done.err)
        self.assertFalse((self.folder / "o").exists())

    def on_terminal(self, *arguments):
        """Returns what the program writes to standard error on a terminal. Its output is read after a pause, so each
        run lasts at least that long."""
        try:
            own, terminal = pty.openpty()
        except OSError as error:  # a container without /dev/pts
            self.skipTest(f"no terminal: {error}")
        nothing = subprocess.DEVNULL
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=nothing, stdout=subprocess.PIPE, stderr=terminal)
        os.close(terminal)
        pause = threading.Timer(0.5, process.stdout.read)
        pause.start()
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
            pause.join()
            process.stdout.close()
        self.assertEqual(process.wait(timeout=TIMEOUT), 0)
        return seen

    def test_progress_bar_on_a_terminal_only(self):
        # The fingerprints fill the pipe, so that the program waits. The bar is drawn after a tenth of a second.
        file = self.write("c.jsonl", jsonl(large_corpus(1000, 19, words=60) * 10))
        arguments = ("hash", "--jsonl", "--threads", 1, file)
        self.assertRegex(self.on_terminal(*arguments), rb"\r\[[#.]{24}\] \d+ %  [0-9,]+ documents, [0-9.]+ .B, ")
        self.assertEqual(self.on_terminal(*arguments, "--quiet"), b"")
        self.assertNotIn("\r", run(*arguments).err)


if __name__ == "__main__":
    main()
