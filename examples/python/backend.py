"""The build backend: scikit-build-core, after the sources that lie elsewhere in the repository are in `build/native/`.

`build/native/` gets the C interface, and the library as one header with xxHash in it, so that a source distribution builds
without the repository. In one, the folder is there already.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from scikit_build_core import build as inner

HERE = pathlib.Path(__file__).resolve().parent
# Headers that neardup.hpp does not include.
FURTHER = ["neardup/text/chinese/chinese_words.hpp", "neardup/storage/chinese/dictionary_file.hpp"]
NATIVE = HERE / "build" / "native"
REPOSITORY = HERE.parents[1]
MEMORY = 2600  # MB that the largest unit takes


def xxhash():
    """The header of xxHash: $NEARDUP_XXHASH, or that of the system."""
    named = os.environ.get("NEARDUP_XXHASH")
    for path in [named] if named else ["/usr/include/xxhash.h", "/usr/local/include/xxhash.h"]:
        if pathlib.Path(path).is_file():
            return path
    raise SystemExit("neardup: xxhash.h not found (Debian: libxxhash-dev); $NEARDUP_XXHASH says where it is")


def prepare():
    if not (REPOSITORY / "tools" / "single_header").is_file():
        return  # a source distribution
    version = (REPOSITORY / "include" / "neardup" / "version.hpp").read_text(encoding="utf-8")
    (NATIVE / "neardup").mkdir(parents=True, exist_ok=True)
    (NATIVE / "version.txt").write_text(re.search(r'VERSION_STRING "(.*)"', version)[1], encoding="utf-8")
    header = NATIVE / "neardup" / "neardup.hpp"
    command = [sys.executable, REPOSITORY / "tools" / "single_header", "-o", header, "--xxhash", xxhash()]
    subprocess.run([*command, "neardup/neardup.hpp", *FURTHER], check=True)
    for name in FURTHER:
        (NATIVE / name).parent.mkdir(parents=True, exist_ok=True)
        (NATIVE / name).write_text("#include <neardup/neardup.hpp>\n", encoding="utf-8")
    for name in ("neardup.h", "neardup.cpp", "arrow_input.hpp", "arrow_types.hpp"):
        shutil.copyfile(REPOSITORY / "examples" / "c" / name, NATIVE / name)
    shutil.copyfile(REPOSITORY / "LICENSE", NATIVE / "LICENSE")


def available_memory(root="/"):
    """MB of memory that the compiler can have, by Linux and by the control group; None if neither says so."""
    found = []
    try:
        text = pathlib.Path(root, "proc/meminfo").read_text(encoding="ascii")
        found.append(int(re.search(r"MemAvailable: +(\d+) kB", text)[1]) // 1024)
    except (OSError, TypeError):
        pass
    try:
        found.append(int(pathlib.Path(root, "sys/fs/cgroup/memory.max").read_text(encoding="ascii")) // 2**20)
    except (OSError, ValueError):  # a group without a limit says "max"
        pass
    return min(found, default=None)


def spare_memory(root="/"):
    """Says what the build takes, and lets it run one compiler at a time where memory is short."""
    available = available_memory(root)
    has = "" if available is None else f", of which {available} MB are available"
    print(f"neardup: compiling takes up to {MEMORY} MB of memory{has}, and minutes", file=sys.stderr, flush=True)
    if available is not None and available < 2 * MEMORY:
        os.environ.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", "1")
        print("neardup: memory is short: one compiler at a time", file=sys.stderr, flush=True)
    if available is not None and available < MEMORY:
        print(
            "neardup: if the compiler is killed, it needs more memory, or less optimising: "
            "pip install -C cmake.define.NEARDUP_OPTIMISE=-O0",
            file=sys.stderr,
            flush=True,
        )


def prepared(hook, builds=False):
    """A hook of the inner backend, before which the sources are collected; the version is read there, too. `builds`: the
    hook compiles."""

    def call(*arguments, **named):
        prepare()
        if builds:
            spare_memory()
        return hook(*arguments, **named)

    return call


build_wheel = prepared(inner.build_wheel, builds=True)
build_sdist = prepared(inner.build_sdist)
build_editable = prepared(inner.build_editable, builds=True)
get_requires_for_build_wheel = prepared(inner.get_requires_for_build_wheel)
get_requires_for_build_sdist = prepared(inner.get_requires_for_build_sdist)
get_requires_for_build_editable = prepared(inner.get_requires_for_build_editable)
prepare_metadata_for_build_wheel = prepared(inner.prepare_metadata_for_build_wheel)
