"""Sees all files of a folder refused in one run of the compiler.

together.py SOURCE COMMAND...

SOURCE includes the files, each in a namespace of its own. An error belongs to the file that the compiler names with it: each
file needs one, and its errors have to match its lines "// expect: REGEX" and "// errors: N" (../compile_fail.cmake).
"""

import pathlib
import re
import subprocess
import sys

FILE = re.compile(r"compile_fail/(\w+)\.cpp:\d")
ERROR = re.compile(r"\S+:\d+:\d+: error: ")
# What g++ and clang++ print before an error, to say where it is.
CONTEXT = re.compile(r"In file included from |\s+from \S+:\d|\S+: (In|At) |\S+:\d+:\d+:\s+((recursively )?required |in .constexpr. expansion )")


def errors_by_file(lines):
    """Name of a file -> its errors, each with its context and notes."""
    starts = []
    for i, line in enumerate(lines):
        if ERROR.match(line):
            while i and CONTEXT.match(lines[i - 1]):
                i -= 1
            starts.append(i)
    found = {}
    name = None
    for start, end in zip(starts, starts[1:] + [len(lines)]):
        error = "\n".join(lines[start:end])
        # g++ leaves out a context that is that of the error before.
        if named := FILE.search(error):
            name = named[1]
        found.setdefault(name, []).append(error)
    return found


def complaint_about(source, errors):
    if not errors:
        return "it compiles, and should not"
    most = re.search(r"// errors: (\d+)", source)
    if most and len(errors) > int(most[1]):
        return f"{len(errors)} errors, and should be at most {most[1]}"
    expected = re.findall(r"// expect: (.*)", source)
    if not expected:
        return 'it has no line "// expect: REGEX"'
    for regex in expected:
        if not re.search(regex.strip(), "\n".join(errors), re.DOTALL):
            return f"its errors do not match: {regex}"
    return None


def main(together, *command):
    done = subprocess.run([*command, together], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    print(done.stdout)
    found = errors_by_file(done.stdout.splitlines())
    failed = done.returncode == 0
    paths = re.findall(r'^#include "(.*)"', pathlib.Path(together).read_text(), re.MULTILINE)
    for path in map(pathlib.Path, paths):
        if complaint := complaint_about(path.read_text(), found.pop(path.stem, [])):
            print(f"{path}: {complaint}")
            failed = True
    for errors in found.values():
        print("errors of no file:", *errors, sep="\n")
        failed = True
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
