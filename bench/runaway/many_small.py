#!/usr/bin/env python3
"""Measures the cost of many small things for the command and for the service, each at two sizes. Fails if a cost grows
too fast.

usage: bench/runaway/many_small.py NEARDUP [SERVICE] [OPTIONS]

NEARDUP is the command, SERVICE docid_service. For each case, the script measures the CPU time for n and for 4 n
things. It prints the growth: the exponent e of n^e between the two. Machines are noisy, so a case with a growth
above --limit is measured four times, and the measurement with the least growth counts. If all four are above the
limit, the exit status is 1. The table goes to standard output, or with --write into a page, between the comments
that mark its place.
"""

import argparse
import functools
import gzip
import http.client
import json
import math
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

BEGIN = "<!-- many small: bench/runaway/many_small.py writes this -->"
END = "<!-- end of many small -->"
FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # in memory, because the service syncs each commit, and a disk would take long
FACTOR = 4  # the larger size divided by the smaller one
CASES = []  # (name, number of things, function); the function returns the CPU seconds, or those at both sizes


def case(what, count):
    def add(function):
        CASES.append((what, count, function))
        return function
    return add


@functools.cache
def vocabulary():
    make = random.Random(7)
    return ["".join(make.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(200_000)]


def text(number, words=12):
    """Returns a text of random words, which is similar to no other text."""
    return " ".join(random.Random(number).choices(vocabulary(), k=words))


# ---- The command ----------------------------------------------------------------------------------------------------


class Command:
    """Runs the command in a folder, and adds up its CPU time."""

    def __init__(self, program, folder):
        self.program, self.folder, self.cpu = program, pathlib.Path(folder), 0.0

    def write(self, name, content):
        (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def records(self, name, numbers, prefix="d"):
        return self.write(name, "".join(json.dumps({"id": f"{prefix}{i}", "text": text(i)}) + "\n" for i in numbers))

    def files(self, folder, count):
        (self.folder / folder).mkdir()
        return [self.write(f"{folder}/{i}", text(i)) for i in range(count)]

    def run(self, *arguments, statuses=(0,)):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([self.program, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in statuses:
            sys.exit(f"neardup {' '.join(arguments)[:200]}: exit status {done.returncode}\n{done.stderr.decode()[:2000]}")
        self.cpu += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return self.cpu

    def run_unmeasured(self, *arguments):
        cpu = self.cpu
        self.run(*arguments)
        self.cpu = cpu


@case("files, in a folder", 10_000)
def folder(command, count):
    command.files("f", count)
    return command.run("groups", "f")


@case("files, by names", 10_000)
def names(command, count):
    return command.run("groups", *command.files("f", count))


@case("files, by `--files-from`", 10_000)
def files_from(command, count):
    return command.run("groups", "--files-from", command.write("list", "\n".join(command.files("f", count))))


@case("files of JSON Lines, by names", 4_000)
def files_of_records(command, count):
    (command.folder / "f").mkdir()
    return command.run("groups", "--jsonl", *(command.records(f"f/{i}", [i]) for i in range(count)))


@case("files of `--against`, by names", 4_000)
def against(command, count):
    files = command.files("f", count)
    return command.run("pairs", files[0], *(word for name in files[1:] for word in ("--against", name)))


@case("indexes of `--against`, by names", 250)
def against_indexes(command, count):
    command.run_unmeasured("index", "--jsonl", command.records("r", range(3)), "--output", "i")
    content = (command.folder / "i").read_bytes()
    names_of_indexes = [command.write(f"i{i}", content) for i in range(count)]
    return command.run("pairs", "--jsonl", "r", *(word for name in names_of_indexes for word in ("--against", name)))


@case("indexes in a folder of `--against`, each of them named, too", 250)
def against_folder(command, count):
    command.run_unmeasured("index", "--jsonl", command.records("r", range(3)), "--output", "i")
    content = (command.folder / "i").read_bytes()
    (command.folder / "f").mkdir()
    names_of_indexes = [command.write(f"f/i{i}", content) for i in range(count)]
    return command.run("pairs", "--jsonl", "r", "--against", "f",
                       *(word for name in names_of_indexes for word in ("--against", name)))


def field_options(count):
    return [word for i in range(count) for word in ("--text-field", f"c{i}")]


@case("fields of a record, each a `--text-field`", 4_000)
def fields(command, count):
    lines = (json.dumps({f"c{i}": vocabulary()[k * count + i] for i in range(count)}) + "\n" for k in range(5))
    return command.run("groups", "--jsonl", command.write("r", "".join(lines)), *field_options(count))


@case("fields of a record, in an array of JSON", 4_000)
def elements(command, count):
    lines = (json.dumps({"a": [vocabulary()[k * count + i] for i in range(count)]}) + "\n" for k in range(5))
    options = [word for i in range(count) for word in ("--text-field", f"a.{i}")]
    return command.run("groups", "--jsonl", command.write("r", "".join(lines)), *options)


@case("columns of a table, each a `--text-field`", 4_000)
def columns(command, count):
    rows = [[f"c{i}" for i in range(count)], *([vocabulary()[k * count + i] for i in range(count)] for k in range(5))]
    table = "".join(",".join(row) + "\n" for row in rows)
    return command.run("groups", "--input-format", "csv", command.write("t.csv", table), *field_options(count))


@case("columns of a table, one of them read", 20_000)
def other_columns(command, count):
    rows = [[f"c{i}" for i in range(count)], *([vocabulary()[i] for i in range(count)] for _ in range(2))]
    table = "".join(",".join(row) + "\n" for row in rows)
    return command.run("groups", "--input-format", "csv", command.write("t.csv", table), "--text-field", "c7")


@case("keys of a record, one of them read", 50_000)
def keys(command, count):
    record = {"text": text(1)} | {f"c{i}": i for i in range(count)}
    return command.run("groups", "--jsonl", command.write("r", (json.dumps(record) + "\n") * 2))


@case("times one key in a record", 50_000)
def repeated_key(command, count):
    record = "{" + ",".join(f'"text":"{word}"' for word in vocabulary()[:count]) + "}\n"
    return command.run("groups", "--jsonl", command.write("r", record * 2))


@case("records of JSON Lines", 50_000)
def records(command, count):
    return command.run("groups", "--jsonl", command.records("r", range(count)))


@case("records of an array of JSON", 50_000)
def array(command, count):
    content = "[" + ",\n".join(json.dumps({"text": text(i)}) for i in range(count)) + "]"
    return command.run("groups", "--input-format", "auto", command.write("r.json", content))


@case("records that are bad, with `--skip-bad`", 50_000)
def bad_records(command, count):
    lines = "".join(json.dumps({"text": text(i)}) + "\n{\n" for i in range(count))
    return command.run("groups", "--jsonl", "--skip-bad", command.write("r", lines))


@case("members of a compressed file", 2_000)
def members(command, count):
    content = b"".join(gzip.compress(text(i).encode() + b"\n") for i in range(count))
    return command.run("groups", "--lines", command.write("r.gz", content))


@case("members of a compressed file, each second one damaged, with `--skip-bad`", 2_000)
def damaged_members(command, count):
    content = b""
    for i in range(count):
        member = bytearray(gzip.compress(text(i).encode() + b"\n"))
        if i % 2 == 1:
            member[20] ^= 0xff
        content += member
    return command.run("groups", "--lines", "--skip-bad", command.write("r.gz", content), statuses=(0, 2))


@case("messages of a mail box", 10_000)
def mails(command, count):
    box = "".join(f"From a@b Thu Jan  1 00:00:00 2026\nSubject: {i}\n\n{text(i)}\n\n" for i in range(count))
    return command.run("groups", "--input-format", "mail", command.write("m.mbox", box))


@case("parts of a message", 10_000)
def mail_parts(command, count):
    head = 'From: a@b\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="x"\n\n'
    parts = "".join(f"--x\nContent-Type: text/plain\n\n{text(i)}\n" for i in range(count))
    return command.run("groups", "--input-format", "mail", command.write("m.eml", head + parts + "--x--\n"))


@case("fields of a message's head", 10_000)
def mail_fields(command, count):
    head = "".join(f"X-Field-{i}: {i}\n" for i in range(count))
    return command.run("groups", "--input-format", "mail", command.write("m.eml", head + "\n" + text(1)))


@case("records of a WARC file", 10_000)
def crawl(command, count):
    def record(i):
        body = text(i)
        return (f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:{i}>\r\nContent-Type: text/plain\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}\r\n\r\n")
    return command.run("groups", "--input-format", "warc", command.write("r.wet", "".join(map(record, range(count)))))


@case("parts of one text (`--parts line`)", 50_000)
def parts(command, count):
    content = json.dumps({"text": "\n".join(text(i % (count // 2), 5) for i in range(count))}) + "\n"
    return command.run("unique", "--jsonl", command.write("r", content), "--parts", "line", "--output", "out")


@case("records of three parts (`--parts line`)", 20_000)
def records_of_parts(command, count):
    content = "".join(json.dumps({"text": f"{text(i, 5)}\ncopied line of all\n{text(-i, 5)}"}) + "\n" for i in range(count))
    return command.run("unique", "--jsonl", command.write("r", content), "--parts", "line", "--output", "out")


@case("passages that are cut (`--cut-passages`)", 2_000)
def passages(command, count):
    command.records("a", range(count))
    whole = json.dumps({"text": "\n".join(text(i) + " " + text(-i - 1, 3) for i in range(count))}) + "\n"
    return command.run("unique", "--jsonl", command.write("r", whole), "--against", "a", "--check", "containment",
                       "--cut-passages", "--output", "out")


@case("words that differ (`diff`)", 2_000)
def differences(command, count):
    command.write("a", text(1, count))
    return command.run("diff", "a", command.write("b", text(2, count)))


@case("sources (`unique --by file`)", 10_000)
def sources(command, count):
    command.write("f.list", "\n".join(command.files("f", count)))
    return command.run("unique", "--files-from", "f.list", "--by", "file", "--output", "out")


@case("scores of many digits (`--keep highest:score`)", 20_000)
def scores(command, count):
    content = "".join(json.dumps({"text": text(i // 2), "score": f"{i}" * 8}) + "\n" for i in range(count))
    return command.run("unique", "--jsonl", "--keep", "highest:score", command.write("r", content), "--output", "out")


@case("erasures from an index, in one run", 20_000)
def erasures(command, count):
    command.run_unmeasured("index", "--jsonl", command.records("r", range(count)), "--output", "i")
    return command.run("index", "--index", "i", "--remove", command.write("ids", "".join(f"d{i}\n" for i in range(0, count, 2))))


@case("erasures from an index, one run each", 100)
def single_erasures(command, count):
    command.run_unmeasured("index", "--jsonl", command.records("r", range(10 * count)), "--output", "i")
    for i in range(count):
        command.run("index", "--index", "i", "--remove", command.write("id", f"d{7 * i}\n"))
    return command.cpu


@case("replacements in an index, in one run", 50_000)
def replacements(command, count):
    command.run_unmeasured("index", "--jsonl", command.records("r", range(count)), "--output", "i")
    changed = "".join(json.dumps({"id": f"d{i}", "text": text(-i - 1)}) + "\n" for i in range(0, count, 2))
    return command.run("index", "--jsonl", "--index", "i", "--replace", command.write("s", changed))


@case("replacements of one document, in one run", 50_000)
def one_replaced(command, count):
    command.run_unmeasured("index", "--jsonl", command.records("r", range(10)), "--output", "i")
    changed = "".join(json.dumps({"id": "d3", "text": text(i)}) + "\n" for i in range(count))
    return command.run("index", "--jsonl", "--index", "i", "--replace", command.write("s", changed))


@case("replacements in an index, one run each", 100)
def single_replacements(command, count):
    command.run_unmeasured("index", "--jsonl", command.records("r", range(10 * count)), "--output", "i")
    for i in range(count):
        changed = command.write("s", json.dumps({"id": f"d{7 * i}", "text": text(-i - 1)}) + "\n")
        command.run("index", "--jsonl", "--index", "i", "--replace", changed)
    return command.cpu


@case("runs of `unique --add-to`, ten records each", 100)
def batches(command, count):
    command.run_unmeasured("index", "--jsonl", command.records("r", range(10)), "--output", "i")
    for i in range(1, count):
        command.run("unique", "--jsonl", command.records("r", range(10 * i, 10 * i + 10)), "--add-to", "i", "--output", "out")
    return command.cpu


@case("runs of `index --append`, ten records each", 100)
def appended(command, count):
    command.run_unmeasured("index", "--jsonl", command.records("r", range(10)), "--output", "i")
    for i in range(1, count):
        command.run("index", "--jsonl", "--index", "i", "--append", command.records("r", range(10 * i, 10 * i + 10)))
    return command.cpu


@case("parts of a run on many machines, ten records each", 10)
def machines(command, count):
    for i in range(count):
        command.run("features", "--jsonl", command.records("r", range(10 * i, 10 * i + 10)), "--part", str(i), "--output", f"f{i}")
    every = [f"f{i}" for i in range(count)]
    (command.folder / "p").mkdir()
    command.run("counts", *every, "--partitions", "4", "--output", "counts")
    for i in range(count):
        command.run("scatter", f"f{i}", "--counts", "counts", "--output", f"s{i}")
    for i in range(4):
        command.run("gather", *(f"s{k}" for k in range(count)), *every, "--partition", str(i), "--output", f"p/{i}")
    return command.run("groups", "--pairs", "p", *every)


# ---- The service ----------------------------------------------------------------------------------------------------


class Service:
    """A running service. Its CPU time is that of its process, in steps of 10 ms."""

    def __init__(self, program, folder, *options):
        self.process = subprocess.Popen([program, "--port", "0", "--data", folder, *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline())[1])
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()

    def cpu(self):
        fields_of_process = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields_of_process[11]) + int(fields_of_process[12])) / os.sysconf("SC_CLK_TCK")

    def ask(self, method, path, body=None, kind="application/json"):
        self.connection.request(method, path, None if body is None else json.dumps(body) if kind.endswith("/json") else body,
                                {"Content-Type": kind})
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            sys.exit(f"docid_service: {method} {path[:100]}: {answer.status} {content[:500]!r}")
        return content

    def send(self, articles):
        return self.ask("POST", "/docId/getDocId", articles)

    def time(self, count, do):
        """Returns the CPU seconds of the calls do(0) to do(count - 1)."""
        begin = self.cpu()
        for i in range(count):
            do(i)
        return self.cpu() - begin

    def times(self, count, do):
        """Returns the CPU seconds of the first `count` calls of do(i), and of FACTOR times as many."""
        first = self.time(count, do)
        return first, first + self.time((FACTOR - 1) * count, lambda i: do(count + i))

    def fill(self, articles):
        for i in range(0, len(articles), 1000):
            self.send(articles[i:i + 1000])


def article(number, **more):
    return {"url": f"http://example.org/{number}", "title": text(-number - 1, 8), "content": text(number, 40)} | more


def path_of(nid):
    return "/articles/" + urllib.parse.quote(nid, safe="")


@case("articles, one request each", 4_000)
def single_articles(service, count):
    return service.times(count, lambda i: service.send(article(i)))


@case("articles, one connection each", 1_000)
def connections(service, count):
    def send(i):
        service.connection.close()
        service.send(article(i))
    return service.times(count, send)


@case("articles in arrays of 100", 50)
def arrays(service, count):
    return service.times(count, lambda i: service.send([article(100 * i + k) for k in range(100)]))


@case("articles as JSON Lines, 100 a request", 50)
def lines_of_articles(service, count):
    return service.times(count, lambda i: service.ask(
        "POST", "/docId/getDocId", "".join(json.dumps(article(100 * i + k)) + "\n" for k in range(100)), "application/x-ndjson"))


@case("articles of one text, one request each", 1_000)
def copies(service, count):
    return service.times(count, lambda i: service.send(article(i, title=text(1), content=text(2, 40))))


@case("articles of one url, each hotter than the last", 1_000)
def hotter(service, count):
    return service.times(count, lambda i: service.send(article(7, nid=f"n{i}", content=text(i, 40), heat=i)))


@case("articles of one url, equally hot", 1_000)
def of_one_url(service, count):
    return service.times(count, lambda i: service.send(article(7, nid=f"n{i}", content=text(i, 40))))


@case("other texts of known articles, one request each", 1_000)
def changes(service, count):
    service.fill([article(i) for i in range(FACTOR * count)])
    return service.times(count, lambda i: service.send(article(i, content=text(-i - 1, 40))))


@case("other texts of one article", 1_000)
def changes_of_one(service, count):
    return service.times(count, lambda i: service.send(article(7, content=text(i, 40))))


@case("deleted articles, one request each", 1_000)
def deletions(service, count):
    service.fill([article(i, nid=f"n{i}") for i in range(count)])
    return service.time(count, lambda i: service.ask("DELETE", path_of(f"n{i}")))


@case("deleted articles of one text", 2_000)
def deleted_copies(service, count):
    service.fill([article(i, nid=f"n{i}", title=text(1), content=text(2, 40)) for i in range(count)])
    return service.time(count, lambda i: service.ask("DELETE", path_of(f"n{i}")))


@case("deleted articles that share their urls in pairs", 1_000)
def deleted_pairs(service, count):
    service.fill([article(i % count, nid=f"n{i}") for i in range(2 * count)])
    return service.time(count, lambda i: service.ask("DELETE", path_of(f"n{i}")))


@case("looked up articles and documents", 2_000)
def look_ups(service, count):
    service.fill([article(i, nid=f"n{i}") for i in range(FACTOR * count)])

    def look(i):
        name = json.loads(service.ask("GET", path_of(f"n{i}")))["docId"]
        service.ask("GET", "/docs/" + name)
    return service.times(count, look)


@case("articles of one text, and the latest duplicates (`/duplicates`)", 1_000)
def duplicates(service, count):
    def ask(i):
        service.send(article(i, title=text(1), content=text(2, 40) + f" {i}"))
        service.ask("GET", "/duplicates?limit=20")
    return service.times(count, ask)


@case("texts that are compared (`/similar`)", 1_000)
def similar(service, count):
    def compare(i):
        service.send(article(i))
        service.ask("POST", "/similar", {"content": text(i, 40)})
    return service.times(count, compare)


@case("articles and clues in turn (`/find`)", 1_000)
def clues(service, count):
    def find(i):
        service.send(article(i))
        service.ask("GET", "/find?" + urllib.parse.urlencode({"clue": " ".join(text(i, 40).split()[5:15])}))
    return service.times(count, find)


OPTIONS = {clues: ["--clues", "yes"]}

# ---- Measuring ------------------------------------------------------------------------------------------------------


def is_of_service(function):
    return function.__code__.co_varnames[0] == "service"


def measure_once(program, function, count):
    """Returns the CPU seconds at `count` and at FACTOR * count."""
    found = []
    for size in (count, FACTOR * count):
        with tempfile.TemporaryDirectory(dir=FOLDER) as folder_of_case:
            if is_of_service(function):
                with Service(program, folder_of_case, *OPTIONS.get(function, [])) as service:
                    found.append(function(service, size))
            else:
                found.append(function(Command(program, folder_of_case), size))
        if isinstance(found[0], tuple):
            return found[0]
    return tuple(found)


def growth_of(times):
    return math.log(max(times[1], 1e-3) / max(times[0], 1e-3), FACTOR)


def measure(program, function, count, rounds, limit):
    """Returns the CPU seconds at both sizes, from the measurement with the least growth."""
    found = []
    while len(found) < rounds or (len(found) < 4 and min(map(growth_of, found)) > limit):
        found.append(measure_once(program, function, count))
    return min(found, key=growth_of)


def seconds(time_of_case):
    return f"{time_of_case:.3f}" if time_of_case < 1 else f"{time_of_case:.2f}"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return re.sub(r"\s+", " ", line.split(":", 1)[1].replace("(R)", "").replace("(TM)", "")).strip()
    return "unknown processor"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", metavar="PROGRAM", help="the command, and docid_service")
    parser.add_argument("--before", nargs="+", metavar="PROGRAM", help="earlier builds of the same, for two more columns")
    parser.add_argument("--case", action="append", metavar="TEXT", help="only cases whose name has this text")
    parser.add_argument("--scale", type=float, default=1, help="multiplies the sizes (%(default)s)")
    parser.add_argument("--rounds", type=int, default=2, help="how often each case is measured, at least (%(default)s)")
    parser.add_argument("--limit", type=float, default=1.25, help="the largest exponent of growth (%(default)s)")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="the page that gets the table")
    options = parser.parse_args()
    head = ["many", "n", "CPU s at n", f"at {FACTOR} n", "growth"]
    if options.before:
        head += ["before: at n", f"at {FACTOR} n", "growth"]
    rows, runaways = [head, ["---"] * len(head)], []
    for what, count, function in CASES:
        number = int(is_of_service(function))
        if len(options.programs) <= number or (options.case and not any(part in what for part in options.case)):
            continue
        count = max(2, int(count * options.scale))
        row = [what, f"{count:,}"]
        for programs in (options.programs, options.before):
            if not programs or len(programs) <= number:
                continue
            is_now = programs is options.programs
            times = measure(os.path.abspath(programs[number]), function, count, options.rounds if is_now else 1,
                            options.limit if is_now else math.inf)
            row += [*map(seconds, times), f"n^{growth_of(times):.2f}"]
            if is_now and growth_of(times) > options.limit:
                runaways.append(what)
        rows.append(row)
        print(" | ".join(row), file=sys.stderr, flush=True)
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
        said = f"\n\n{processor()}, {time.strftime('%Y-%m-%d')}.\n\n{table}\n\n"
        options.write.write_text(page[:begin] + said + page[end:], encoding="utf-8")
    else:
        print(table)
    for what in runaways:
        print(f"many_small.py: the CPU time of many {what} grows faster than n^{options.limit:g}", file=sys.stderr)
    return 1 if runaways else 0


if __name__ == "__main__":
    sys.exit(main())
