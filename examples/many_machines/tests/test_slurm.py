"""Runs the driver for Slurm on a cluster that this test starts. The output equals the output of one run, byte for byte.

NEARDUP_PROGRAM names the program.
"""

import json
import os
import pathlib
import random
import signal
import subprocess
import time

import pytest

import slurm

DRIVER = pathlib.Path(__file__).parents[1] / "with_slurm"
PROGRAM = os.environ.get("NEARDUP_PROGRAM", "")
PARTS = 4

# Runs the program. The task that `held` names waits instead, with its process in the file `holding`.
HOLDING = """#!/usr/bin/env bash
if [[ -e {folder}/held && "$*" == *"$(<{folder}/held)"* ]]; then
  echo $$ >{folder}/holding.new && mv {folder}/holding.new {folder}/holding
  exec sleep 300
fi
exec {program} "$@"
"""


@pytest.fixture(scope="module")
def cluster(request, tmp_path_factory):
    if not request.config.getoption("--engines"):
        pytest.skip("--engines")
    if slurm.missing():
        pytest.skip(f"Slurm is not installed (slurm-wlm, munge): no {', '.join(slurm.missing())}")
    if not PROGRAM:
        pytest.skip("NEARDUP_PROGRAM names no program")
    with slurm.Cluster(tmp_path_factory.mktemp("slurm")) as running:
        yield running
    assert not list(running.processes())


class Corpus:
    """Texts in parts, the output of one run for these texts, and the driver."""

    def __init__(self, cluster, folder):
        self.cluster, self.folder, self.tasks = cluster, folder, folder / "tasks of 100%a"
        make, made = random.Random(5), []
        self.parts = [folder / f"part {part}.jsonl" for part in range(PARTS)]
        for part in self.parts:
            with open(part, "w", encoding="utf-8") as out:
                for _ in range(100):
                    words = list(make.choice(made)) if made and make.random() < 0.4 else make.choices(range(5000), k=60)
                    words[make.randrange(60)] = make.randrange(5000)
                    made.append(words)
                    out.write(json.dumps({"text": " ".join(f"w{word}" for word in words)}) + "\n")
        self.whole = self.one_run()
        assert self.whole.count(b"\n\n") > 30
        self.program = folder / "program"
        self.program.write_text(HOLDING.format(folder=folder, program=PROGRAM), encoding="utf-8")
        self.program.chmod(0o755)

    def one_run(self, *options):
        command = [PROGRAM, "groups", "--jsonl", "--quiet", *options, *self.parts]
        return subprocess.run(command, stdout=subprocess.PIPE, timeout=300, check=True).stdout

    def start(self, *more, **variables):
        command = [DRIVER, self.tasks, *self.parts, *more]
        environment = self.cluster.environment | {"NEARDUP": str(self.program)} | variables
        return subprocess.Popen(command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *more, **variables):
        return self.ended(self.start(*more, **variables))

    def ended(self, driver):
        """Waits until the driver ends. Returns: its status, output and messages. Checks that no job is left."""
        try:
            out, said = driver.communicate(timeout=120)
        finally:
            driver.kill()
        end = time.monotonic() + 20
        while left := self.cluster.command("squeue", "-h"):
            assert time.monotonic() < end, left
            time.sleep(0.1)
        return driver.returncode, out, said.decode()

    def hold(self, task):
        (self.folder / "held").write_text(task, encoding="utf-8")

    def holding(self):
        """Waits until the held task waits. Returns: the process of the task."""
        end = time.monotonic() + 60
        while not (self.folder / "holding").exists():
            assert time.monotonic() < end, "no task waits"
            time.sleep(0.05)
        (self.folder / "held").unlink()
        pid = int((self.folder / "holding").read_text())
        (self.folder / "holding").unlink()
        return pid

    def files(self):
        """Returns the time at which each file of a task was written."""
        return {path.name: path.stat().st_mtime_ns for path in self.tasks.iterdir() if path.suffix != ".log"}

    def ran(self):
        """Returns the kinds of tasks that began in the last run. Slurm opens the log of a task when the task begins."""
        return {path.suffixes[-2][1:] for path in self.tasks.glob("*.log")}


@pytest.fixture
def corpus(cluster, tmp_path):
    return Corpus(cluster, tmp_path)


def names(kind, *numbers):
    return {f"{number}.{kind}" for number in numbers}


def flip_last_byte(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def test_prints_what_one_run_prints(corpus):
    assert corpus.run(PARTITIONS="3") == (0, corpus.whole, "")
    made = corpus.files()
    four = range(PARTS)
    assert set(made) == names("features", *four) | {"0.counts"} | names("scatter", *four) | names("gather", 0, 1, 2) | {"0.groups"}
    # A second run makes exactly the missing files.
    gone = {"2.gather", "3.features", "0.groups"}
    for name in gone - {"0.groups"}:
        (corpus.tasks / name).unlink()
    options = {"DECIDE": "--grouping components", "JOB": "--time 5", "JOB_FEATURES": "--nodelist n1"}
    assert corpus.run(PARTITIONS="3", **options) == (0, corpus.one_run("--grouping", "components"), "")
    assert {name for name, when in corpus.files().items() if when != made[name]} == gone
    # Files of a run with other options are refused, because they would count as files of this run.
    status, out, said = corpus.run(PARTITIONS="3", COUNTS="--similarity 0.6")
    assert (status, out) == (2, b"")
    assert "has the files of a run with other parts or options" in said


def test_removes_repeated_passages(corpus):
    texts, dropped = corpus.folder / "texts", corpus.folder / "dropped"
    command = [PROGRAM, "unique", "--jsonl", "--quiet", "--passages", "20", "--output", texts, "--dropped", dropped, *corpus.parts]
    subprocess.run(command, timeout=300, check=True)
    assert dropped.read_bytes().count(b"\n") > 30
    options = {"FEATURES": "--passages 20", "PARTITIONS": "3"}
    assert corpus.run(**options) == (0, texts.read_bytes(), "")
    assert b"".join((corpus.tasks / f"{part}.dropped").read_bytes() for part in range(PARTS)) == dropped.read_bytes()
    made = corpus.files()
    for name in ("1.gather", "2.unique"):
        (corpus.tasks / name).unlink()
    assert corpus.run(**options) == (0, texts.read_bytes(), "")
    assert {name for name, when in corpus.files().items() if when != made[name]} == {"1.gather", "2.unique", "2.dropped", "0.unique", "0.dropped"}


@pytest.mark.parametrize("kind, task", [("features", "--part 1"), ("gather", "--partition 1")])
@pytest.mark.parametrize("how", ["scancel", "kill"])
def test_a_task_is_killed(corpus, kind, task, how):
    corpus.hold(task)
    driver = corpus.start()
    pid = corpus.holding()
    if how == "kill":
        os.kill(pid, signal.SIGKILL)
    else:
        jobs = corpus.cluster.command("squeue", "-h", "-r", "-n", f"neardup-{kind}", "-o", "%F_%K").split()
        corpus.cluster.command("scancel", next(job for job in jobs if job.endswith("_1")))
    status, out, said = corpus.ended(driver)
    assert (status, out) == (1, b"")
    state = {"kill": "JobState=FAILED", "scancel": "JobState=CANCELLED"}[how]
    assert f"{corpus.tasks}/1.{kind} was not made: {state} " in said
    made = corpus.files()
    # The other tasks of the array have ended, and no later task has begun.
    before = {"features": set(), "gather": names("features", *range(PARTS)) | {"0.counts"} | names("scatter", *range(PARTS))}[kind]
    assert set(made) == before | names(kind, 0, 2, 3)
    assert corpus.ran() == {"features": {"features"}, "gather": {"features", "counts", "scatter", "gather"}}[kind]
    assert corpus.run() == (0, corpus.whole, "")
    after = corpus.files()
    assert {name: after[name] for name in made} == made


def test_a_part_is_missing(corpus):
    status, out, said = corpus.run("no such part")
    assert (status, out) == (1, b"")
    assert "/4.features was not made: JobState=FAILED " in said and "no such part: no such file" in said
    assert set(corpus.files()) == names("features", *range(PARTS))
    assert corpus.ran() == {"features"}


def test_a_part_is_damaged(corpus):
    with open(corpus.parts[2], "a", encoding="utf-8") as out:
        out.write('{"text": "cut o')
    status, out, said = corpus.run()
    assert (status, out) == (1, b"")
    assert "/2.features was not made: JobState=FAILED " in said and "part 2.jsonl:101: not valid JSON" in said
    assert set(corpus.files()) == names("features", 0, 1, 3)
    assert corpus.ran() == {"features"}


def test_a_file_of_a_task_is_damaged(corpus):
    assert corpus.run()[0] == 0
    for damaged, kind, gone in (("1.features", "counts", ("counts", "scatter", "gather")), ("3.scatter", "gather", ("gather",)),
                                ("2.gather", "groups", ())):
        for path in (path for ending in gone for path in corpus.tasks.glob(f"*.{ending}")):
            path.unlink()
        before = (corpus.tasks / damaged).read_bytes()
        flip_last_byte(corpus.tasks / damaged)
        status, out, said = corpus.run()
        assert (status, out) == (1, b"")
        assert f".{kind} was not made: JobState=FAILED " in said and f"{corpus.tasks}/{damaged}: " in said
        assert corpus.ran() == {kind}
        (corpus.tasks / damaged).write_bytes(before)
        assert corpus.run() == (0, corpus.whole, "")


def test_jobs_end_with_the_driver(corpus):
    corpus.hold("--part 1")
    driver = corpus.start()
    corpus.holding()
    driver.terminate()
    assert corpus.ended(driver)[0] == -signal.SIGTERM
    assert corpus.run() == (0, corpus.whole, "")


def test_more_tasks_than_an_array_may_have(corpus):
    status, out, said = corpus.run(PARTITIONS="1002")
    assert (status, out) == (1, b"")
    assert "Invalid job array specification" in said
