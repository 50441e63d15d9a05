"""The build backend: scikit-build-core. First, the sources outside of this folder are copied to `build/native/`.

`build/native/` gets the C interface, and the library with xxHash as one header, so that a source distribution can be built
without the repository. A source distribution has this folder already.
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
MEMORY = 2600  # MB that compiling the largest unit takes


def xxhash():
    """Returns the path of the header of xxHash: $NEARDUP_XXHASH, or a header of the system."""
    named = os.environ.get("NEARDUP_XXHASH")
    for path in [named] if named else ["/usr/include/xxhash.h", "/usr/local/include/xxhash.h"]:
        if pathlib.Path(path).is_file():
            return path
    raise SystemExit("neardup: xxhash.h not found (Debian: libxxhash-dev); $NEARDUP_XXHASH says where it is")


def prepare():
    if not (REPOSITORY / "tools" / "single_header").is_file():
        return  # this is a source distribution
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
    """Returns the MB of memory that Linux and the control group allow, or None if neither gives a number."""
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
    """Prints how much memory the build takes. If memory is short, limits the build to one compiler at a time."""
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
    """Returns a hook of the inner backend that first copies the sources. `builds`: True if the hook compiles."""

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
