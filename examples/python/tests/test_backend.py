"""The build prints how much memory it takes, and runs one compiler at a time if memory is short."""

import importlib.util
import os
import pathlib

import pytest

pytest.importorskip("scikit_build_core")
PATH = pathlib.Path(__file__).resolve().parent.parent / "backend.py"


@pytest.fixture
def backend():
    spec = importlib.util.spec_from_file_location("backend_of_neardup", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def machine(root, available_kb=None, limit=None):
    (root / "proc").mkdir(parents=True)
    (root / "sys/fs/cgroup").mkdir(parents=True)
    if available_kb is not None:
        (root / "proc/meminfo").write_text(f"MemTotal:       99 kB\nMemAvailable:   {available_kb} kB\n")
    if limit is not None:
        (root / "sys/fs/cgroup/memory.max").write_text(f"{limit}\n")
    return root


@pytest.mark.parametrize(
    "available_kb, limit, expected",
    [(2_048_000, None, 2000), (2_048_000, "max", 2000), (2_048_000, 10**9, 953), (None, 10**9, 953), (None, None, None)],
)
def test_memory_is_that_of_the_machine_or_of_its_group(backend, tmp_path, available_kb, limit, expected):
    assert backend.available_memory(machine(tmp_path, available_kb, limit)) == expected


@pytest.mark.parametrize("megabytes, jobs, warns", [(1000, "1", True), (3000, "1", False), (16000, None, False), (None, None, False)])
def test_one_compiler_where_memory_is_short(backend, tmp_path, monkeypatch, capsys, megabytes, jobs, warns):
    monkeypatch.delenv("CMAKE_BUILD_PARALLEL_LEVEL", raising=False)
    backend.spare_memory(machine(tmp_path, None if megabytes is None else megabytes * 1024))
    said = capsys.readouterr().err
    assert os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") == jobs
    assert "2600 MB" in said and ("killed" in said) == warns
    monkeypatch.setenv("CMAKE_BUILD_PARALLEL_LEVEL", "3")  # the value of the user stays
    backend.spare_memory(tmp_path)
    assert os.environ["CMAKE_BUILD_PARALLEL_LEVEL"] == "3"
