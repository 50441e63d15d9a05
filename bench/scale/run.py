#!/usr/bin/env python3
"""Measures the command neardup on 10^4 to 10^8 texts, beside other methods and, with --before, another build of it.

usage: bench/scale/run.py SCALE NEARDUP TEXTS… [OPTIONS]

SCALE is neardup_bench_scale, and NEARDUP is the command. TEXTS are real texts, from which the corpora are made: files
and folders, such as those of bench/make_corpus.py. For each size and verb, the program measures the CPU time (user and
system), the peak memory, and the recall of planted pairs. There are two recalls: of all pairs that have at least the
wanted similarity, and of the pairs less than .05 above it.

A corpus of at most --files records is a file in --folder while it is measured. A larger one comes through a pipe: only
the verb unique reads it, because it needs one pass, and only the ids of the kept records are stored. The figures are
written to a JSON file, and to README.md and scale.svg in bench/scale. --from writes the page and the picture again from
a JSON file. The picture needs Matplotlib (Debian: python3-matplotlib).
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

VERBS = ["hash", "unique", "groups", "pairs"]
JOINS = {"minhash": ["--by", "minhash"], "scan": ["--by", "scan"]}
NAMES = {"neardup": "neardup", "minhash": "banded MinHash, 8 x 6", "scan": "flat scan, SimHash, 13 bits"}  # on the page
# Distinct in grey and for colour-blind readers, too (Okabe and Ito).
STYLES = {"neardup": ("#0072B2", "o", "-"), "minhash": ("#009E73", "^", ":"),
          "scan": ("#555555", "x", ":")}
BEGIN = "<!-- scale: bench/scale/run.py writes this -->"
END = "<!-- end of scale -->"


def run(command, source, sink):
    """Runs a command. Returns CPU seconds, wall-clock seconds, peak memory in bytes, and its standard error."""
    with tempfile.TemporaryFile() as errors:
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=source, stdout=sink, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read().decode(errors="replace")
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {process.returncode}\n{said}")
    return {"cpu": usage.ru_utime + usage.ru_stime, "seconds": seconds, "memory": usage.ru_maxrss * 1024, "said": said}


def score_of(options, verb, planted, output):
    done = subprocess.run([options.scale, "score", "--verb", verb, "--planted", planted], stdin=output,
                          stdout=subprocess.PIPE, check=True)
    counts = json.loads(done.stdout)

    def recall(first, last):
        all_pairs = sum(counts["planted"][first:last])
        return {"pairs": all_pairs, "missed": sum(counts["missed"][first:last])}

    least = round(100 * options.similarity)
    return {"lines": counts["lines"], "all": recall(least, 101), "near": recall(least, least + 5)}


def command_of(options, who, verb, corpus):
    if who in JOINS:
        return [options.scale, "join", *JOINS[who], "--similarity", str(options.similarity), corpus]
    program = options.neardup if who == "neardup" else options.before
    command = [program, verb, "--jsonl", "--threads", str(options.threads)]
    if verb != "hash":
        command += ["--similarity", str(options.similarity)]
    if verb in ("groups", "pairs"):
        command += ["--format", "jsonl"]
    return [*command, *(options.arguments.split() if who == "neardup" else []), corpus]


def measure_one(options, who, verb, corpus, planted, source):
    with tempfile.TemporaryFile(dir=options.folder) as output:
        if source is None:
            figures = run(command_of(options, who, verb, corpus), source, output)
        else:
            ids = subprocess.Popen(["cut", "-d,", "-f1"], stdin=subprocess.PIPE, stdout=output)
            figures = run(command_of(options, who, verb, corpus), source, ids.stdin)
            ids.communicate()
        candidates = re.search(r"([\d,]+) candidates", figures.pop("said"))
        if candidates:
            figures["candidates"] = int(candidates[1].replace(",", ""))
        if verb != "hash":
            output.seek(0)
            figures |= score_of(options, verb, planted, output)
    return figures


def make_corpus(options, size, size_bytes, planted):
    return [options.scale, "corpus", *options.texts, "--records", str(size), "--bytes", str(size_bytes), "--planted",
            planted]


def is_too_long(options, points, who, verb, size):
    """Returns True if the next size would probably exceed --limit seconds. Extrapolates the last growth, or at least
    linear growth."""
    known = sorted((p["size"], p["cpu"]) for p in points if p["who"] == who and p["verb"] == verb)
    if not known:
        return size > 10_000 and any(p["size"] < size for p in points)  # a smaller size was already left out
    (last_size, last) = known[-1]
    if last_size < size / 11:
        return True
    growth = last / known[-2][1] if len(known) > 1 and known[-2][1] > 0.1 else size / last_size
    return last * max(growth, size / last_size) > options.limit


def measure(options):
    sizes = [int(size) for size in options.sizes] or [10**i for i in range(4, 10) if 10**i <= options.up_to]
    everyone = ["neardup", *(["before"] if options.before else []), *JOINS]
    series = []
    for size_bytes in options.bytes:
        points = []
        for size in sizes:
            with tempfile.TemporaryDirectory(dir=options.folder) as folder:
                corpus, planted = f"{folder}/corpus.jsonl", f"{folder}/planted"
                in_file = size <= options.files
                if in_file:
                    with open(corpus, "wb") as target:
                        subprocess.run(make_corpus(options, size, size_bytes, planted), stdout=target, check=True)
                for verb in VERBS if in_file else ["unique"]:
                    for who in everyone:
                        if (who in JOINS and (verb != "pairs" or not in_file)) or is_too_long(options, points, who, verb, size):
                            continue
                        # Small sizes are measured several times, and the least time counts.
                        rounds = options.rounds if size <= 10**5 else 1
                        best = None
                        for _ in range(rounds):
                            if in_file:
                                figures = measure_one(options, who, verb, corpus, planted, None)
                            else:
                                maker = subprocess.Popen(make_corpus(options, size, size_bytes, planted),
                                                         stdout=subprocess.PIPE)
                                figures = measure_one(options, who, verb, "-", planted, maker.stdout)
                                maker.wait()
                            if best is None or figures["cpu"] < best["cpu"]:
                                best = figures
                        points.append({"who": who, "verb": verb, "size": size, **best})
                        print(f"{size_bytes} bytes, {size:.0e}, {verb}, {who}: {best['cpu']:.2f} s of CPU, "
                              f"{best['seconds']:.2f} s, {best['memory'] / 1e6:,.0f} MB", file=sys.stderr)
                        save(options, [*series, {"bytes": size_bytes, "points": points}])
        series.append({"bytes": size_bytes, "points": points})
    return save(options, series)


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return re.sub(r"\s+", " ", line.split(":", 1)[1].replace("(R)", "").replace("(TM)", "")).strip()
    return "unknown processor"


def save(options, series):
    measured = {"similarity": options.similarity, "threads": options.threads,
                "where": f"{processor()}, {time.strftime('%Y-%m-%d')}", "series": series}
    pathlib.Path(options.json).write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    return measured


def share(counts):
    return f"{1 - counts['missed'] / counts['pairs']:.4f}"[1:] if counts["pairs"] and counts["missed"] else "1"


def page(measured):
    lines = [BEGIN, "",
             f"Jaccard similarity of at least {measured['similarity']}, {measured['threads']} thread(s); "
             f"{measured['where']}. *Near* are the planted pairs less than .05 above the wanted similarity.", ""]
    for series in measured["series"]:
        lines += [f"### Texts of about {series['bytes']} bytes", "",
                  "| records | verb | program | CPU s | µs per record | memory, MB | recall | near | candidates per record |",
                  "|---|---|---|---|---|---|---|---|---|"]
        for p in (point for point in series["points"] if point["who"] in NAMES):
            recall = [share(p["all"]), share(p["near"])] if "all" in p else ["", ""]
            candidates = f"{p['candidates'] / p['size']:.2f}" if "candidates" in p else ""
            lines.append(f"| {p['size']:,} | {p['verb']} | {NAMES[p['who']]} | {p['cpu']:.2f} | "
                         f"{1e6 * p['cpu'] / p['size']:.2f} | {p['memory'] / 1e6:,.0f} | "
                         f"{recall[0]} | {recall[1]} | {candidates} |")
        lines.append("")
    return "\n".join([*lines, END])


def draw(measured, target):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    # A fixed salt makes the file reproducible, and `none` keeps text as text.
    matplotlib.rcParams.update({"svg.hashsalt": "neardup", "svg.fonttype": "none", "font.size": 9,
                                "axes.spines.top": False, "axes.spines.right": False})
    rows = len(measured["series"])
    picture, panels = pyplot.subplots(rows, len(VERBS), figsize=(11, 0.6 + 2.8 * rows), sharex=True, sharey="row",
                                      squeeze=False, constrained_layout=True)
    for series, row in zip(measured["series"], panels):
        for verb, panel in zip(VERBS, row):
            for who, (colour, marker, line) in STYLES.items():
                points = [p for p in series["points"] if p["who"] == who and p["verb"] == verb]
                if points:
                    panel.plot([p["size"] for p in points], [1e6 * p["cpu"] / p["size"] for p in points], color=colour,
                               marker=marker, markersize=4, linestyle=line, label=NAMES[who])
            panel.set_title(f"{verb}, {series['bytes']} bytes", loc="left", fontsize=9)
            panel.set_xscale("log")
            panel.set_yscale("log")
            panel.grid(True, which="major", color="#dddddd", linewidth=0.6)
            panel.minorticks_off()
        row[0].set_ylabel("CPU µs per record")
    for panel in panels[-1]:
        panel.set_xlabel("records")
    panels[0][-1].legend(loc="upper left", frameon=False, fontsize=7)
    picture.suptitle(f"Jaccard similarity {measured['similarity']}, {measured['threads']} thread(s); {measured['where']}",
                     fontsize=9, x=0.01, ha="left", color="#555555")
    picture.savefig(target, metadata={"Date": None}, dpi=150)


def write(measured, folder):
    target = folder / "README.md"
    text = target.read_text(encoding="utf-8")
    begin, end = text.index(BEGIN), text.index(END) + len(END)
    target.write_text(text[:begin] + page(measured) + text[end:], encoding="utf-8")
    draw(measured, folder / "scale.svg")
    print(f"{target}, {folder / 'scale.svg'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scale", nargs="?", help="neardup_bench_scale")
    parser.add_argument("neardup", nargs="?", help="the command")
    parser.add_argument("texts", nargs="*", help="real texts, and folders of them")
    parser.add_argument("--before", metavar="PROGRAM", help="another build of the command: measured and printed, not on the page")
    parser.add_argument(
        "--arguments",
        default="--kind auto",
        help="more arguments for the command (default: --kind auto, by fingerprints; --arguments='' compares features)",
    )
    parser.add_argument("--up-to", type=float, default=1e6, help="the largest number of records, up to 1e8 (%(default)g)")
    parser.add_argument("--sizes", type=float, nargs="+", default=[], help="these, not all up to --up-to")
    parser.add_argument("--bytes", type=int, nargs="+", default=[730, 230], help="bytes of a text (730 and 230)")
    parser.add_argument("--similarity", type=float, default=0.8, help="in hundredths (%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="of the command (%(default)s)")
    parser.add_argument("--limit", type=float, default=600, help="CPU seconds that one run may take (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="how often runs up to 1e5 records are made (%(default)s)")
    parser.add_argument("--files", type=float, default=1e7, help="larger corpora come through a pipe (%(default)g)")
    parser.add_argument("--folder", default=None, help="for corpora and outputs (the system's folder of temporary files)")
    parser.add_argument("--json", default="build/scale.json", help="the figures (%(default)s)")
    parser.add_argument("--docs", type=pathlib.Path, default=pathlib.Path("bench/scale"), help="folder of README.md and scale.svg (%(default)s)")
    parser.add_argument("--no-docs", action="store_true", help="only measure")
    parser.add_argument("--from", dest="source", metavar="FILE", help="write figures that were measured before")
    options = parser.parse_args()
    if options.source:
        measured = json.loads(pathlib.Path(options.source).read_text(encoding="utf-8"))
    elif options.texts:
        measured = measure(options)
    else:
        parser.error("name neardup_bench_scale, neardup and texts, or figures by --from")
    if not options.no_docs:
        write(measured, options.docs)


if __name__ == "__main__":
    main()
