"""Checks that the compiler refuses each case of a source, and compiles the other form of each case.

check.py SOURCE COMMAND...

SOURCE includes files of cases. A case is a namespace. The comments above it have the patterns that its errors must
match (../compile_fail.cmake). An error belongs to the case in whose lines the compiler reports it.
"""

import pathlib
import re
import subprocess
import sys

CASE = re.compile(r"((?://.*\n)*)namespace (\w+) \{\n(?s:.*?)\n\}\n")
PLACE = re.compile(r"(compile_fail/\w+\.cpp):(\d+)")
ERROR = re.compile(r"\S+:\d+:\d+: error: ")
# Lines that g++ and clang++ print before an error, to show its context.
CONTEXT = re.compile(r"In file included from |\s+from \S+:\d|\S+: (In|At) |\S+:\d+:\d+:\s+((recursively )?required |in .constexpr. expansion )")


def cases_of(path):
    """Returns each case as (name, first line, last line, the comments above it)."""
    text = pathlib.Path(path).read_text()
    line_of = lambda position: text.count("\n", 0, position) + 1
    return [(case[2], line_of(case.start()), line_of(case.end()) - 1, case[1]) for case in CASE.finditer(text)]


def errors_by_case(lines, cases):
    """Returns name of a case -> its errors, each with its context and notes."""
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
        # If the context of an error is that of the error before, g++ leaves it out.
        for file, line in PLACE.findall(error):
            named = [case[0] for case in cases.get(file, []) if case[1] <= int(line) <= case[2]]
            if named:
                name = named[0]
                break
        found.setdefault(name, []).append(error)
    return found


def complaint_about(comments, errors):
    if not errors:
        return "it compiles, and should not"
    most = re.search(r"// errors: (\d+)", comments)
    if most and len(errors) > int(most[1]):
        return f"{len(errors)} errors, and should be at most {most[1]}"
    expected = re.findall(r"// expect: (.*)", comments)
    if not expected:
        return 'it has no line "// expect: REGEX"'
    for regex in expected:
        if not re.search(regex.strip(), "\n".join(errors), re.DOTALL):
            return f"its errors do not match: {regex}"
    return None


def main(source, *command):
    paths = re.findall(r'^#include "(.*)"', pathlib.Path(source).read_text(), re.MULTILINE)
    cases = {path[path.rindex("compile_fail/") :]: cases_of(path) for path in paths}
    run = lambda *more: subprocess.run([*command, *more, source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    refused, compiled = run(), run("-DNEARDUP_COMPILES")
    print(refused.stdout, compiled.stdout)
    found = errors_by_case(refused.stdout.splitlines(), cases)
    wrong = [] if compiled.returncode == 0 else ["with NEARDUP_COMPILES, it does not compile"]
    for name, _, _, comments in (case for of_file in cases.values() for case in of_file):
        if complaint := complaint_about(comments, found.pop(name, [])):
            wrong.append(f"{name}: {complaint}")
    wrong += [f"errors of no case:\n{error}" for errors in found.values() for error in errors]
    print(*wrong, sep="\n")
    return 1 if wrong or not any(cases.values()) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
