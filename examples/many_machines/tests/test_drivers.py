"""Runs the drivers on real engines, kills some workers, and compares the answers with those of the library."""

import argparse
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pyarrow.parquet as pq
import pytest

from expected import answers, by_text, corpus, passages_of, repetitive, skewed
from test_steps import settings

DRIVERS = pathlib.Path(__file__).parents[1]
COLUMNS = {"pairs": ["first", "second", "similarity"], "groups": ["id", "representative"], "kept": ["id"]}
SIZES = {"template": 3000, "vocabulary": 3000, "copies": 30_000}  # numbers of texts


def read(folder):
    tables = {name: pq.read_table(folder / name) for name in COLUMNS}
    return {name: sorted(zip(*(table[column].to_pylist() for column in COLUMNS[name]))) for name, table in tables.items()}


def run(folder, driver, payload, *options, shape=None, scheme="", **how):
    table = corpus(1, 1000) if shape is None else skewed(shape, SIZES[shape])
    pq.write_table(table, folder / "in.parquet", row_group_size=len(table) // 4 + 1)
    similarity, copies_once = 0.5 if shape is None else 0.8, shape == "copies"
    command = [sys.executable, DRIVERS / driver, "--order", "age", "--similarity", str(similarity), "--payload", payload, *options]
    command += ["--copies-once"] * copies_once + ["--edges", "1000", "--partitions", "3", f"{scheme}{folder}/in.parquet", f"{scheme}{folder}/out"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    assert done.returncode == 0, done.stderr
    given = settings(order="age", similarity=similarity, measure="jaccard", copies_once=copies_once, grouping="representatives")
    assert read(folder / "out") == answers(table, given)
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["groups", "kept", "pairs"]


def spark_environment(folder):
    conf = "--master local-cluster[2,1,1024] --conf spark.ui.enabled=false pyspark-shell"
    own = {"PYSPARK_SUBMIT_ARGS": conf, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    return {**os.environ, **own, "TMPDIR": str(folder)}  # the driver writes shared files to TMPDIR


def run_passages(folder, driver, *options, scheme="", **how):
    """Removes the passages of texts in two files."""
    table, given = repetitive(2, 2000), argparse.Namespace(passages="5", least_documents=2, earlier=300)
    (folder / "in.parquet").mkdir()
    for name, part in (("b", table.slice(900)), ("a", table.slice(0, 900))):
        pq.write_table(part, folder / "in.parquet" / f"{name}.parquet", row_group_size=400)
    command = [sys.executable, DRIVERS / driver, "--passages", "5", "--least-documents", "2", "--earlier", "300", "--partitions", "3", *options]
    done = subprocess.run([*command, f"{scheme}{folder}/in.parquet", f"{scheme}{folder}/out"], capture_output=True, text=True, check=False, **how)
    assert done.returncode == 0, done.stderr
    columns = {"texts": ["id", "text"], "passages": ["id", "offset", "length", "first", "first_offset", "passage"]}
    tables = {name: pq.read_table(folder / "out" / name) for name in columns}
    written = {name: by_text(zip(*(tables[name][column].to_pylist() for column in columns[name]))) for name in columns}
    assert written == passages_of(table, given)
    assert len(written["passages"]) > 500
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["passages", "texts"]


@contextlib.contextmanager
def killing_a_worker(distributed, cluster, shared):
    """Kills a worker of Dask as soon as the file `shared` exists."""
    killed = threading.Event()

    def kill():
        while not shared.exists():
            time.sleep(0.01)
        with distributed.Client(cluster) as client:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        killed.set()

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    yield
    killer.join()
    assert killed.is_set()


def test_passages_on_dask(tmp_path):
    """Kills a worker during the run."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster:
        with killing_a_worker(distributed, cluster, tmp_path / "out" / ".shared" / "repeated"):
            run_passages(tmp_path, "with_dask.py", "--scheduler", cluster.scheduler_address)


@pytest.mark.parametrize("scheme", ["", "file://"])  # Spark itself reads and writes files with a scheme
def test_passages_on_spark(tmp_path, scheme, request):
    if not request.config.getoption("--engines"):
        pytest.skip("--engines")
    pytest.importorskip("pyspark")
    run_passages(tmp_path, "with_spark.py", scheme=scheme, env=spark_environment(tmp_path))


def test_options_that_are_not_for_passages(tmp_path):
    for options, message in (
        (["--passages", "5", "--similarity", "0.7"], "--similarity is not for --passages"),
        (["--passages", "5", "--copies-once"], "--copies-once is not for --passages"),
        (["--least-documents", "2"], "--least-documents is for --passages"),
        (["--earlier", "2"], "--earlier is for --passages"),
    ):
        command = [sys.executable, "-c", "import sys; import near_duplicates as steps; steps.arguments('')", *options, "in", tmp_path / "out"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=DRIVERS)
        assert done.returncode == 1 and message in done.stderr


@pytest.mark.parametrize("shape", [None, *SIZES])
def test_dask(tmp_path, shape, request):
    """Kills a worker during the run."""
    if shape is not None and not request.config.getoption("--engines"):
        pytest.skip("--engines")
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster:
        with killing_a_worker(distributed, cluster, tmp_path / "out" / ".shared" / "wanted"):
            run(tmp_path, "with_dask.py", "sketch", "--scheduler", cluster.scheduler_address, shape=shape)


@pytest.mark.parametrize(
    "payload, shape, scheme",
    [("sets", None, ""), ("sketch", None, "file://"), ("sets", "template", ""), ("sketch", "vocabulary", ""), ("sketch", "copies", "")],
)
def test_spark(tmp_path, payload, shape, scheme, request):
    """Kills an executor during the run."""
    if not request.config.getoption("--engines"):
        pytest.skip("--engines")
    pytest.importorskip("pyspark")
    environment = spark_environment(tmp_path)
    killed = threading.Event()

    def kill():
        while not list(tmp_path.glob("tmp*/counts")):
            time.sleep(0.1)
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                line = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
                started = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
            except OSError:
                continue
            if b"CoarseGrainedExecutorBackend" in line and f"TMPDIR={tmp_path}\0".encode() in started:
                os.kill(int(pid), signal.SIGKILL)
                killed.set()
                return

    killer = threading.Thread(target=kill)
    killer.start()
    run(tmp_path, "with_spark.py", payload, shape=shape, scheme=scheme, env=environment)
    killer.join()
    assert killed.is_set()
