#!/usr/bin/env python3
"""Measures fingerprints over the four labelled sets. Draws docs/accuracy_*.svg, and updates the tables of
docs/accuracy.md and of bench/accuracy/README.md.

DATA is a folder with poetry-zh, bible-en, tidb-zh and codes-en, each .jsonl or .jsonl.gz. Results of earlier runs of
the same command are read from the folder KEPT. Delete this folder after a change of the program or of the sets.
Needs Matplotlib (Debian: python3-matplotlib).
"""

import argparse
import pathlib
import sys

from measure import AUDITED, FEATURES, PROMISED, RUNS, SETS, Measured, compositions
from plots import draw_curves, draw_recall, draw_skew

# The F1 score that must be reached if the user names the features of the check.
GOALS = {"poetry-zh": 0.98, "bible-en": 0.96, "tidb-zh": 0.98, "codes-en": 0.95}
FIXED_GOAL = 0.97


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def share(value, digits=3):
    """Formats a value as .987: without a 0 before the point, and never rounded up to 1."""
    text = f"{value:.{digits}f}"
    if float(text) == 1 and value < 1:
        text = f"{1 - 10**-digits:.{digits}f}"
    return text.removeprefix("0")



def sets_table(measured):
    rows = []
    for name, (what, truth) in SETS.items():
        grid = measured[name, "grid"]
        checks = {c["name"]: c for c in grid["checks"]}
        rows.append([name, what, f"{grid['documents']:,}", truth, f"{grid['truth']['pairs']:,}",
                     f"{grid['truth']['identical_text_pairs']:,}",
                     f"{grid['label_pairs']:,}" if "label_pairs" in grid else "", share(checks[truth]["f1"], 4)])
    return table(["set", "what", "documents", "features of the truth", "pairs", "of identical texts", "pairs by label",
                  "F1 of the library's features"], rows)


def named_table(measured):
    """The table for known features of the truth: the least k that reaches the goal."""
    rows = []
    for name, (_, kind) in SETS.items():
        grid = measured[name, "grid"]
        for features in FEATURES:
            row = [name if features == FEATURES[0] else "", f"{GOALS[name]:.2f}"[1:] if features == FEATURES[0] else "",
                   features]
            for bits in (64, 128):
                composition = compositions(grid, features=features, bits=bits)[0]
                for check in ("truth", kind):
                    reached = next((d for d in composition["distances"]
                                    if d["checked"][check]["truth"]["f1"] >= GOALS[name]), None)
                    row.append("–" if reached is None else f"{reached['k']}: "
                               f"{reached['truth']['pairs'] / grid['truth']['pairs']:.2f}")
            rows.append(row)
    return table(["set", "goal", "fingerprint of", "64 bits, exact check", "64 bits, library's check",
                  "128 bits, exact check", "128 bits, library's check"], rows)


def own_f1(composition):
    """Returns the F1 of each k, against the Jaccard similarity of the fingerprint's own features, with a check by
    the same features."""
    return [d["checked"][composition["features"]]["of_its_pairs"]["f1"] for d in composition["distances"]]


def fixed_choices(measured):
    """Returns, for features and bits, the least k at which the F1 of every set reaches the goal, or None."""
    for features in FEATURES:
        for bits in (64, 128):
            each = {name: compositions(measured[name, "grid"], features=features, bits=bits)[0] for name in SETS}
            curves = [own_f1(each[name]) for name in SETS]
            least = [min(values) for values in zip(*curves)]
            k = next((k for k, value in enumerate(least) if value >= FIXED_GOAL), None)
            yield features, bits, k, each


def fixed_table(measured):
    rows = []
    for features, bits, k, each in fixed_choices(measured):
        row = [features, bits, "–" if k is None else k]
        if k is None:
            rows.append(row + ["–"] * (3 * len(SETS)))
            continue
        for name in SETS:
            row.append(share(own_f1(each[name])[k]))
        for name in SETS:
            row.append(share(each[name]["distances"][k]["checked"][features]["truth"]["f1"]))
        for name in SETS:
            row.append(f"{each[name]['distances'][k]['truth']['pairs'] / measured[name, 'grid']['documents']:.2f}")
        rows.append(row)
    short = [name.split("-")[0] for name in SETS]
    return table(["features", "bits", "k"] + [f"own: {s}" for s in short] + [f"truth: {s}" for s in short] +
                 [f"candidates: {s}" for s in short], rows)


def alone_table(measured):
    """The table of the best F1 of each composition over all k, without a check."""
    rows = []
    for features in FEATURES:
        for weights, bits in (("unit", 64), ("unit", 128)):
            row = [features, weights, bits]
            for name in SETS:
                figures = measured[name, "grid" if weights == "unit" else "weights"]
                best = max(compositions(figures, features=features, weights=weights, bits=bits)[0]["distances"],
                           key=lambda d: d["truth"]["f1"])
                row.append(f"{share(best['truth']['f1'])} ({best['k']})")
            rows.append(row)
    row = ["MinHash, 128 permutations", "", "4,096"]
    for name in SETS:
        best = max(measured[name, "grid"]["minhash"]["estimates"], key=lambda e: e["truth"]["f1"])
        row.append(f"{share(best['truth']['f1'])} ({share(best['agreeing'] / 128, 2)})")
    rows.append(row)
    return table(["features", "weights", "bits"] + list(SETS), rows)


def label_table(measured):
    """The table of the comparison with labels: the best score over all values of k, or of the threshold."""
    labelled = [name for name in SETS if "label_pairs" in measured[name, "grid"]]
    rows = []
    for features in FEATURES:
        row = [f"{features}, 64 bits, alone"]
        for name in labelled:
            best = max(compositions(measured[name, "grid"], features=features, bits=64)[0]["distances"],
                       key=lambda d: d["labels"]["f1"])
            row.append(f"{share(best['labels']['f1'])}: {share(best['labels']['precision'], 2)} / "
                       f"{share(best['labels']['recall'], 2)} ({best['k']})")
        rows.append(row)
    row = ["words:2, 128 bits, k = 32, checked by the truth's features"]
    for name in labelled:
        at = compositions(measured[name, "grid"], features="words:2", bits=128)[0]["distances"][32]["checked"]["truth"]
        row.append(f"{share(at['labels']['f1'])}: {share(at['labels']['precision'], 2)} / "
                   f"{share(at['labels']['recall'], 2)}")
    rows.append(row)
    row = ["MinHash, 128 permutations"]
    for name in labelled:
        best = max(measured[name, "grid"]["minhash"]["estimates"], key=lambda e: e["labels"]["f1"])
        row.append(f"{share(best['labels']['f1'])}: {share(best['labels']['precision'], 2)} / "
                   f"{share(best['labels']['recall'], 2)} ({share(best['agreeing'] / 128, 2)})")
    rows.append(row)
    return table(["", *labelled], rows)


def minhash_table(measured):
    """The table of the candidates of MinHash bands and of fingerprints, both checked."""
    rows = []
    for name in SETS:
        grid = measured[name, "grid"]
        all_true = grid["truth"]["pairs"]
        minhash = grid["minhash"]
        rows.append([name, "MinHash, 25 bands of 5", 512, share(minhash["candidates_checked"]["recall"]),
                     share(minhash["candidates_checked"]["f1"]), f"{minhash['candidates'] / all_true:.2f}"])
        for bits, k in ((64, 14), (128, 28), (128, 32)):
            distances = compositions(grid, features="words:2", bits=bits)[0]["distances"]
            if k < len(distances):
                at = distances[k]
                checked = at["checked"]["truth"]["truth"]
                rows.append(["", f"words:2, {bits} bits, k = {k}", bits // 8, share(checked["recall"]), share(checked["f1"]),
                             f"{at['truth']['pairs'] / all_true:.2f}"])
    return table(["set", "", "bytes per text", "recall", "F1, checked exactly", "candidates per true pair"], rows)


def advice_table(measured):
    """The table of the setups that advise() recommends, and of the errors of its estimates over all setups that it
    considers."""
    rows = []
    for name, (_, kind) in SETS.items():
        figures = measured[name, "advice"]
        advice = figures["advice"]
        best = next(s for s in advice["setups"] if s["recommended"])
        counted = [s for s in advice["setups"] if s["candidates"] > 1000]
        factor = max(max(s["candidates"] / s["expected_candidates"], s["expected_candidates"] / s["candidates"])
                     for s in counted)
        codes = "min-wise" if best["weights"] == "minwise" else "SimHash"
        rows.append([name, kind, f"{codes}, {best['features']}, {best['bits']} bits, k = {best['k']}",
                     share(best['expected_recall']), f"{share(best['expected_of_pairs'])} / {share(best['recall'])}",
                     f"{best['expected_candidates']:,.0f} / {best['candidates']:,}",
                     f"{best['candidates'] / figures['truth']['pairs']:.2f}",
                     share(best["checked_exactly"]["f1"]), share(best["checked"]["f1"]),
                     share(max(abs(s["recall"] - s["expected_of_pairs"]) for s in advice["setups"])), f"{factor:.2f}"])
    return table(["set", "check", "recommended", "recall of families, expected", "share of pairs, expected / found",
                  "candidates, expected / found", "candidates per true pair", "F1, checked exactly", "F1, library's check",
                  "share of pairs of all setups, off by at most", "candidates of all setups, off by at most a factor of"], rows)


def speed_table(measured):
    rows = []
    for name in SETS:
        times = measured[name, "times"]
        for composition in times["compositions"]:
            for p in composition["pipelines"]:
                seconds = p["fingerprint_seconds"] + p["pair_seconds"] + p["check_seconds"]
                rows.append([name if composition["bits"] == 64 else "", f"{composition['bits']} bits, k = {p['k']}",
                             f"{p['candidates']:,}", f"{p['accepted']:,}", f"{p['fingerprint_seconds']:.2f}",
                             f"{p['pair_seconds']:.2f}", f"{p['check_seconds']:.2f}",
                             f"{times['documents'] / seconds:,.0f}"])
    return table(["set", "words:2", "candidates", "pairs", "fingerprints, s", "candidates, s", "check, s",
                  "documents per second"], rows)


def theory_table(measured):
    rows = []
    for name in SETS:
        theory = measured[name, "theory"]["compositions"][0]["theory"]
        rows.append([name, theory["bins_that_count"], f"{theory['max_difference']:.2f}",
                     f"{theory['max_exact_difference']:.2f}", f"{theory['max_sd_difference']:.2f}",
                     "yes" if theory["holds"] else "NO"])
    return table(["set", "steps of at least 100 pairs", "mean, off by at most, bits", "of the exact chance",
                  "standard deviation, off by at most", "holds"], rows)


def skew_table(measured):
    rows = []
    for features in FEATURES:
        for name in SETS:
            tables = compositions(measured[name, "grid"], features=features, bits=64)[0]["skew"]
            for_one = [t for t in tables if t["blocks"] == 4]
            for_two = [t for t in tables if t["blocks"] == 5]
            cells = [features if name == next(iter(SETS)) else "", name]
            for some in (for_one, for_two):
                cells.append(f"{min(t['scanned'] for t in some):.1f} to {max(t['scanned'] for t in some):.1f} "
                             f"({min(t['uniform'] for t in some):.1f})")
                cells.append(f"{max(t['largest'] for t in some):,}")
            rows.append(cells)
    return table(["features", "set", "4 blocks: candidates of a query (uniform)", "largest",
                  "pairs of 5 blocks: candidates of a query (uniform)", "largest"], rows)


def audit_table(measured):
    rows = []
    for similarity in AUDITED:
        audits = {name: measured[name, f"audit {similarity}"]["audit"] for name in SETS}
        for i in range(len(next(iter(audits.values())))):
            row = [similarity if i == 0 else "", next(iter(audits.values()))[i]["method"]]
            for name in SETS:
                one = audits[name][i]
                row.append(f"{one['removed']:,}: {one['wrongly']:,} / {one['missed']:,}")
            rows.append(row)
    return table(["similarity", "method", *SETS], rows)


def intervals_table(measured):
    rows = []
    for name, (_, kind) in list(SETS.items())[:3]:  # the last set would take hours: 20 times all setups
        figures = measured[name, "intervals"]["intervals"]
        rows.append([name, kind, figures["cases"], f"{100 * figures['inside'] / figures['cases']:.0f} %",
                     f"{100 * figures['inside_other'] / figures['cases']:.0f} %", share(figures["mean_width"]),
                     share(figures["mean_spread"])])
    return table(["set", "check", "cases", "inside, same seed", "inside, another seed", "mean width", "spread of what happens, from seed to seed"], rows)


def promise_table(measured):
    """The table that shows whether fingerprints find the promised share of the pairs that a check by their own
    features accepts."""
    rows = []
    for weights, (kind, distances) in PROMISED.items():
        for similarity, k in distances.items():
            row = [kind if similarity == min(distances) else "", similarity, k]
            for name in SETS:
                figures = measured[name, f"promise {similarity}"]
                composition = compositions(figures, weights=weights)[0]
                found = composition["distances"][k]["checked"]["words:2"]["of_its_pairs"]
                row.append(f"{share(found['recall'], 4)} / {share(found['f1'], 4)}")
            rows.append(row)
    return table(["kind, promised", "similarity", "k", *SETS], rows)


# For each name in the page's marks: the function that makes the table, and the run whose results the table has.
TABLES = {
    "sets": (sets_table, "grid"),
    "named": (named_table, "grid"),
    "fixed": (fixed_table, "grid"),
    "alone": (alone_table, "grid"),
    "labels": (label_table, "grid"),
    "minhash": (minhash_table, "grid"),
    "audit": (audit_table, "audit 0.8"),
    "intervals": (intervals_table, "intervals"),
    "advice": (advice_table, "advice"),
    "speed": (speed_table, "times"),
    "theory": (theory_table, "theory"),
    "skew": (skew_table, "grid"),
    "promise": (promise_table, "promise 0.7"),
}


def renew_tables(pages, measured, names):
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    for name in names:
        make, run = TABLES[name]
        begin, end = f"<!-- table {name} -->\n", f"<!-- end of table {name} -->\n"
        found = [page for page, text in texts.items() if begin in text]
        if len(found) != 1 or texts[found[0]].count(begin) != 1 or texts[found[0]].count(end) != 1:
            sys.exit(f"{begin.strip()} and {end.strip()} have to be once in one of {', '.join(map(str, pages))}")
        # The command differs between the sets only in the set's name and truth.
        shown = f"neardup_bench_accuracy --truth FEATURES {RUNS[run]} SET.jsonl"
        before, rest = texts[found[0]].split(begin)
        texts[found[0]] = f"{before}{begin}{make(measured)}\n\nThis command measured the table:\n`{shown}`\n{end}{rest.split(end)[1]}"
    for page, text in texts.items():
        page.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="neardup_bench_accuracy")
    parser.add_argument("data", nargs="?", metavar="DATA", help="the folder of the sets")
    parser.add_argument("--kept", default="build/accuracy", help="where figures are kept (%(default)s)")
    parser.add_argument("--docs", default="docs", help="the folder of the page (%(default)s)")
    parser.add_argument("--only", metavar="TABLE", nargs="+", choices=TABLES, help="renew only these tables")
    options = parser.parse_args()
    measured = Measured(options.program, options.data, options.kept)
    docs = pathlib.Path(options.docs)
    if not options.only:
        draw_recall(measured, docs / "accuracy_recall.svg")
        draw_curves(measured, docs / "accuracy_curves.svg")
        draw_skew(measured, docs / "accuracy_skew.svg")
    laboratory = pathlib.Path(__file__).resolve().parent / "README.md"
    renew_tables([docs / "accuracy.md", laboratory], measured, options.only or TABLES)


if __name__ == "__main__":
    main()
