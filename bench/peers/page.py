"""Makes the tables of docs/peers.md (pairs of texts) and of bench/peers/README.md (the other jobs)."""

import re
import signal

BEGIN = "<!-- peers: bench/peers/run.py writes this -->"
END = "<!-- end of peers -->"


def reason(run, options):
    """Returns why a run failed, with a verb in the plural."""
    if run["cpu"] >= options.limit - 1 or run["status"] == -signal.SIGXCPU:
        return f"take more than {options.limit} s"
    if run["memory"] > 800 * options.memory or re.search(r"memory|alloc", run["said"], re.IGNORECASE):
        return f"take more than {options.memory} GiB of memory"
    return f"fail with exit status {run['status']}"


def versions(here):
    """Returns package -> pinned version."""
    found = dict(re.findall(r"^([\w-]+)==(\S+)", (here / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE))
    found |= {f"{name} (Rust)": version for name, version in
              re.findall(r'^([\w-]+) = "=(\S+)"', (here / "rust/Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)}
    pom = (here / "java/pom.xml").read_text(encoding="utf-8")
    found |= dict(re.findall(r"<artifactId>(hash4j)</artifactId>\s*<version>([^<]+)", pom))
    return found


def span(values, digits=2):
    texts = sorted({f"{value:.{digits}f}" for value in values}, key=float)
    return texts[0] if len(texts) == 1 else f"{texts[0]} to {texts[-1]}"


def share(found, true):
    """Formats a share. It is 1 only if nothing is missing."""
    if found == true:
        return "1"
    return f"{min(found / true, .9999):.4f}".removeprefix("0")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def name_of(name, row, version_of):
    return f"{name} {version_of.get(row['package']) or version_of[row['package'] + ' (Rust)']}"


def memory(runs):
    return f"{max(run['memory'] for run in runs):.0f}"


def cpu(runs):
    return span([run["cpu"] for run in runs])


def measured(entry):
    return [row for row in entry["rows"].values() if "own" in row]


def failures(entry, version_of):
    """Returns a line with the peers that failed, grouped by reason."""
    reasons = {}
    for name, row in entry["rows"].items():
        if "failed" in row:
            reasons.setdefault(row["failed"], []).append(name_of(name, row, version_of))
    return "".join(f"\n\nLeft out, because they {why}: {', '.join(names)}." for why, names in reasons.items())


def processes(entry, version_of):
    """Makes a table of jobs in which a whole process is measured: pairs, or copies."""
    own = [run for row in measured(entry) for run in row["own"]]
    head = ["", "CPU s", "MB", "found", "wrong"]
    best = measured(entry)[0]["own_score"]
    rows = [["**neardup**", cpu(own), memory(own), share(best["found"], best["true"]), f"{best['wrong']:,}"]]
    for name, row in entry["rows"].items():
        if "failed" not in row:
            rows.append([name_of(name, row, version_of), cpu(row["runs"]), memory(row["runs"]),
                         share(row["found"], row["true"]), f"{row['wrong']:,}"])
    return table(head, rows) + failures(entry, version_of)


def parts(runs):
    """Returns the seconds to build and to search, which are the last two numbers that the program printed."""
    printed = [list(map(float, run["said"].split()[-2:])) for run in runs]
    return [span([one[i] for one in printed], 3) for i in (0, 1)]


def codes(entry, version_of):
    """Makes a table of programs that measure their parts themselves."""
    rows = []
    for title, one_by_one in (("**neardup**", False), ("**neardup**, one query at a time", True)):
        beside = [row for row in measured(entry) if row["one_by_one"] == one_by_one]
        if beside:
            own = [run for row in beside for run in row["own"]]
            best = beside[0]["own_score"]
            rows.append([title, *parts(own), memory(own), share(best["found"], best["true"])])
    for name, row in entry["rows"].items():
        if "failed" not in row:
            rows.append([name_of(name, row, version_of), *parts(row["runs"]), memory(row["runs"]), share(row["found"], row["true"])])
    return table(["", "build, s", "search, s", "MB", "found"], rows) + failures(entry, version_of)


def is_between(entry, tables):
    """Returns true if the same codes were searched within a smaller k, and within a larger k."""
    def codes_and_k(one):
        codes, _, k = one["title"].partition(", k = ")
        return (one["job"], codes), int(k or 0)

    codes, k = codes_and_k(entry)
    others = [other for same, other in map(codes_and_k, tables) if same == codes]
    return entry["job"] == "search" and min(others) < k < max(others)


def is_shown(entry, tables):
    """Returns true if the page has this table. It does not if a larger size of the same job was measured for at
    least all peers but one, or if the same codes were searched within a smaller and within a larger k."""
    if is_between(entry, tables):
        return False

    def size_and_kind(one):
        size, kind = one["title"].split(" ", 1)
        return int(size.replace(",", "")), (one["job"], kind)

    size, kind = size_and_kind(entry)
    larger = [one for one in tables if size_and_kind(one)[1] == kind and size_and_kind(one)[0] > size]
    done = [name for name, row in entry["rows"].items() if "failed" not in row]
    return not any(sum(name not in one["rows"] or "failed" in one["rows"][name] for name in done) <= 1 for one in larger)


def write(tables, here):
    version_of = versions(here)
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), "a processor")
    dates = " and ".join(sorted({entry["date"] for entry in tables}))
    titles = {"pairs": "pairs of a Jaccard similarity of .8 and more", "copies": "copies of whole texts", "search": "10,000 queries",
              "join": "all pairs"}
    shown = [entry for entry in tables if is_shown(entry, tables)]
    for path, jobs in ((here.parents[1] / "docs/peers.md", ["pairs"]), (here / "README.md", ["copies", "search", "join"])):
        lines = [BEGIN, "", f"{dates}; {model}."]
        for entry in sorted((entry for entry in shown if entry["job"] in jobs), key=lambda entry: jobs.index(entry["job"])):
            lines += ["", f"### {entry['title']}: {titles[entry['job']]}", ""]
            if not measured(entry):
                lines.append("No peer was measured: each would take too long.")
                continue
            lines += [f"There are {measured(entry)[0]['own_score']['true']:,} true pairs.", "",
                      processes(entry, version_of) if entry["job"] in ("pairs", "copies") else
                      codes(entry, version_of)]
        text = path.read_text(encoding="utf-8")
        begin, end = text.index(BEGIN), text.index(END)
        path.write_text(text[:begin] + "\n".join(lines) + "\n\n" + text[end:], encoding="utf-8")
