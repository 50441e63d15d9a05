"""Functions that the tests of the command share. They run the program that NEARDUP_PROGRAM names, and compare its
output with slow twins."""

import importlib
import sys


class Later(type(sys)):
    """A module that is imported when one of its names is first used. unittest imports modules that it needs only for
    failures. These imports take a third of the time in which a test starts."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


for _name in ("argparse", "difflib", "pprint", "traceback"):
    sys.modules.setdefault(_name, Later(_name))

import contextlib
import fcntl
import functools
import json
import math
import os
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import tempfile
import termios
import threading
import time
import unittest

PROGRAM = os.environ.get("NEARDUP_PROGRAM", "")
SOURCE = pathlib.Path(os.environ.get("NEARDUP_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
SANITIZED = "NEARDUP_SANITIZED" in os.environ  # sanitizers make the program slower, and take memory
if SANITIZED:
    # The search for leaks takes a third of a short run's time. The tests of the library search for leaks.
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
os.environ["SOURCE_DATE_EPOCH"] = "1700000000"  # tests compare pages, which have the time at which they were made
# ./dev test takes a sample of the cases, and so do the sanitizers.
IS_SAMPLE = os.environ.get("NEARDUP_EXHAUSTIVE", "0" if SANITIZED else "") == "0"
TIMEOUT = 300
sys.path.insert(0, str(SOURCE / "tests/oracle"))
import law  # pylint: disable=wrong-import-position

represented = law.originals  # arguments: names, closeness(a, b), which returns a number or None
SEED_SHIFT = int(os.environ.get("NEARDUP_SEED_SHIFT", "0"))  # added to each seed that is a whole number, for other random cases
if SEED_SHIFT:

    class ShiftedRandom(random.Random):
        def __init__(self, seed=None):
            super().__init__(seed + SEED_SHIFT if isinstance(seed, int) else seed)

    random.Random = ShiftedRandom


def effort(sample, whole):
    """Returns: `sample` in a sample of the cases, otherwise `whole`; as in tests/oracle/effort.hpp."""
    return sample if IS_SAMPLE else whole


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


def as_json(similarity):
    """Rounds a similarity down, as JSON output does. The 1e-9 allows for the rounding of a quotient."""
    return math.floor(similarity * 1e6 + 1e-9) / 1e6


def cpu_seconds():
    """Returns the processor time of all child processes that have ended. A busy machine makes it larger."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def stop(process):
    process.kill()
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
    process.wait()


def wait_until_read(pipe):
    """Waits until the process at the other end of the pipe has read all bytes."""
    deadline = time.monotonic() + TIMEOUT
    while struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0] > 0 and time.monotonic() < deadline:
        time.sleep(0.01)


def run_with(arguments, **streams):
    """Runs the program with the given standard streams."""
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


def large_corpus(count, seed, words=12, vocabulary=400, copies=0.6):
    """Texts of the kind of corpus(), drawn in a fifth of the time."""
    rng = random.Random(seed)
    every = [f"w{i}" for i in range(vocabulary)]
    texts = []
    for _ in range(count):
        if texts and rng.random() < copies:
            text = rng.choice(texts).split()
            for word in rng.choices(every, k=rng.choice([0, 0, 1, 1, 2, 3])):
                text[rng.randrange(len(text))] = word
        else:
            text = rng.choices(every, k=rng.randrange(1, 2 * words))
        texts.append(" ".join(text))
    return texts


def fingerprints(data, *options):
    """Returns id -> fingerprint, for the documents that have a fingerprint."""
    rows = run("hash", "--jsonl", "--format", "jsonl", "--quiet", *options, "-", data=data).json
    return {row["id"]: int(row["fingerprint"], 16) for row in rows if row["fingerprint"] is not None}


def hamming_distance(a, b):
    return (a ^ b).bit_count()


def close_pairs(prints, distance, similar=lambda a, b: True):
    names = list(prints)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            d = hamming_distance(prints[a], prints[b])
            if d <= distance and similar(a, b):
                yield a, b, d


def write_all(pipe, data):
    """Writes all of the data. A reader that has closed its end is no error."""
    with contextlib.suppress(BrokenPipeError):
        pipe.write_bytes(data)


def unless_short(texts):
    """Returns the rule for short documents: if one of two documents has fewer than 8 pairs of words, they match only
    if their pairs are equal."""
    sets = {f"d{i}": words(text, 2) for i, text in enumerate(texts)}
    return lambda a, b: sets[a] == sets[b] or min(len(sets[a]), len(sets[b])) >= 8


def connected(names, pairs):
    """Returns document -> first member of its group."""
    near = {frozenset(pair[:2]) for pair in pairs}
    label = law.connected(list(names), lambda a, b: True if frozenset((a, b)) in near else None)
    return {name: label[name] for name in names}


def closeness_in(similarities):
    """Returns a function that looks up the closeness of a pair, in either order."""
    return lambda a, b: similarities.get((a, b), similarities.get((b, a)))


def members_of(label):
    """Returns the groups of at least two members, with the representative first."""
    groups = {first: [first] for name, first in label.items() if first == name}
    for name, first in label.items():
        if first != name:
            groups[first].append(name)
    return [group for group in groups.values() if len(group) > 1]


@functools.cache  # cached, because a slow twin asks for each pair
def words(text, n):
    tokens = re.findall(r"[a-z0-9]+", text.lower())
    return frozenset({tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)} or ({tuple(tokens)} if tokens else ()))


def words_of(text):
    return words(text, 1)


@functools.cache
def characters(text, n):
    text = " ".join(re.findall(r"[a-z0-9]+", text.lower()))
    return frozenset({text[i : i + n] for i in range(len(text) - n + 1)} or ({text} if text else ()))


def jaccard(a, b):
    common = len(a & b)
    return common / (len(a) + len(b) - common) if a or b else 0.0


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

    def assert_answers_at_once(self, arguments, answers):
        """Writes each piece of input, and checks that its answer comes while the input is still open. `answers` has
        (piece, answer) pairs."""
        process = start(*map(str, arguments))
        killer = threading.Timer(TIMEOUT, process.kill)
        killer.start()
        try:
            for piece, answer in answers:
                process.stdin.write(piece)
                process.stdin.flush()
                if answer:
                    self.assertEqual(process.stdout.readline(), answer)
            process.stdin.close()
            self.assertEqual((process.stdout.read(), process.wait()), (b"", 0))
        finally:
            killer.cancel()
            stop(process)

    def assert_damage_is_found(self, index, data, more):
        """Adds the records `more` to an index. Then damages the index and its log in many ways. A query that
        verifies both must fail, or answer as before."""
        self.assert_done(run("index", "--jsonl", "--index", index, "--append", "--compact", "never", "-", data=more))
        log, query, rng = index.with_name(index.name + ".neardup-log"), ("query", "--jsonl", "--index", index, "-"), random.Random(3)
        wanted = self.assert_done(run(*query, data=data)).text
        for path in (index, log):
            whole = path.read_bytes()
            for _ in range(effort(60, 400)):
                at = rng.randrange(len(whole))
                path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << rng.randrange(8))]) + whole[at + 1 :])
                done = run(*query, data=data)
                self.assertIn(done.status, (0, 2), done.err)
                if done.status == 0 and "unfinished change" not in done.err:
                    self.assertEqual(done.text, wanted, at)
                self.assertIn(run(*query, "--no-verify", data=data).status, (0, 2))
            for size in rng.sample(range(len(whole)), effort(12, 60)):
                path.write_bytes(whole[:size])
                done = run(*query, data=data)
                self.assertTrue(done.status == 2 or "unfinished change" in done.err or "first change" in done.err or (path == log and size == 0), (size, done.err))
            path.write_bytes(whole)

    def assert_fails(self, outcome, *parts):
        """Checks that the exit status is 2, and that the message has all of these parts."""
        self.assertEqual(outcome.status, 2, outcome.err)
        self.assertTrue(outcome.err.startswith("neardup: "), outcome.err)
        for part in parts:
            self.assertIn(part, outcome.err)
        return outcome


A = "the quick brown fox jumps over the lazy dog and runs away from the hunter in the green wood"
B = "a completely different sentence about the weather of tomorrow which will be sunny with few clouds"


def main():
    """Runs the tests of the script that calls it."""
    if not PROGRAM:
        sys.exit("NEARDUP_PROGRAM does not say where the program is")
    if len(sys.argv) == 2 and "." in sys.argv[1]:  # as ctest calls it
        suite = unittest.defaultTestLoader.loadTestsFromName(sys.argv[1], sys.modules["__main__"])
        sys.exit(not unittest.TextTestRunner().run(suite).wasSuccessful())
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
