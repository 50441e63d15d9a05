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
    for name in ("neardup.h", "neardup.cpp", "arrow_input.hpp"):
        shutil.copyfile(REPOSITORY / "examples" / "c" / name, NATIVE / name)
    shutil.copyfile(REPOSITORY / "LICENSE", NATIVE / "LICENSE")


def prepared(hook):
    """A hook of the inner backend, before which the sources are collected; the version is read there, too."""

    def call(*arguments, **named):
        prepare()
        return hook(*arguments, **named)

    return call


build_wheel = prepared(inner.build_wheel)
build_sdist = prepared(inner.build_sdist)
build_editable = prepared(inner.build_editable)
get_requires_for_build_wheel = prepared(inner.get_requires_for_build_wheel)
get_requires_for_build_sdist = prepared(inner.get_requires_for_build_sdist)
get_requires_for_build_editable = prepared(inner.get_requires_for_build_editable)
prepare_metadata_for_build_wheel = prepared(inner.prepare_metadata_for_build_wheel)
