"""Draws the results of neardup_bench_accuracy: recall by similarity, precision by recall, and skew of buckets."""

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

from measure import SETS, compositions  # noqa: E402

# These colours differ in grey, too, and for colour-blind readers (Okabe and Ito).
BLACK, BLUE, GREEN, ORANGE, PINK, SKY = "#333333", "#0072B2", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"
DISTANCES = {3: (BLUE, "o"), 6: (GREEN, "s"), 8: (ORANGE, "^"), 10: (PINK, "D"), 12: (SKY, "v"), 16: (BLACK, "x")}
FEWEST_PAIRS = 100  # a point is drawn only if it has so many pairs


def panels(height, **options):
    """Makes one panel for each set, in two rows."""
    # A fixed salt makes the file reproducible, and `none` keeps text as text.
    matplotlib.rcParams.update({"svg.hashsalt": "neardup", "svg.fonttype": "none", "font.size": 9,
                                "axes.spines.top": False, "axes.spines.right": False})
    picture, rows = pyplot.subplots(2, 2, figsize=(10, height), constrained_layout=True, **options)
    for panel, (name, (what, _)) in zip(rows.flat, SETS.items()):
        panel.set_title(f"{name}: {what}", loc="left", fontsize=9)
        panel.grid(True, color="#dddddd", linewidth=0.6)
    return picture, rows


def save(picture, target, title, legend, columns, room):
    """Saves the picture, with the legend below the panels. `room` is the legend's share of the height."""
    picture.get_layout_engine().set(rect=(0, room, 1, 1 - room))
    picture.legend(*legend, loc="lower center", ncols=columns, frameon=False, fontsize=8)
    picture.suptitle(title, fontsize=9, x=0.01, ha="left", color=BLACK)
    metadata = {"Date": None} if str(target).endswith(".svg") else {}
    picture.savefig(target, metadata=metadata, dpi=150)
    pyplot.close(picture)


def draw_recall(measured, target):
    """Draws the recall within k bits by the similarity of the fingerprint's features."""
    picture, rows = panels(7.2, sharex=True, sharey=True)
    for panel, name in zip(rows.flat, SETS):
        composition = measured[name, "theory"]["compositions"][0]
        bins = [b for b in composition["theory"]["bins"] if b["pairs"] >= FEWEST_PAIRS and not b["random"]]
        middles = [(b["from"] + b["to"]) / 2 for b in bins]
        for k, (colour, marker) in DISTANCES.items():
            panel.plot(middles, [sum(b["theory_at"][:k + 1]) for b in bins], color=colour, linewidth=1)
            panel.plot(middles, [sum(b["at"][:k + 1]) for b in bins], color=colour, marker=marker, markersize=5,
                       linestyle="none", label=f"k = {k}")
    for panel in rows[-1]:
        panel.set_xlabel("Jaccard similarity of the pairs of words")
    for panel in rows[:, 0]:
        panel.set_ylabel("share of the pairs within k bits")
    rows[0][0].set_xlim(0.5, 1.0)
    rows[0][0].set_ylim(-0.02, 1.02)
    save(picture, target, "Fingerprints of 64 bits of pairs of words. Points: measured, all pairs in steps of .05, "
                          "the mean of 16 seeds. Lines: theory for the same pairs.",
         rows[0][0].get_legend_handles_labels(), columns=len(DISTANCES), room=0.04)


def truth_curve(points):
    return [p["recall"] for p in points], [p["precision"] for p in points]


def draw_curves(measured, target):
    """Draws precision by recall: fingerprints alone, fingerprints checked by their own features, and MinHash."""
    picture, rows = panels(7.6, sharex=True, sharey=True)
    for panel, name in zip(rows.flat, SETS):
        grid = measured[name, "grid"]
        for features, colour in (("words:2", BLUE), ("chars:5", ORANGE)):
            for bits, line in ((64, "-"), (128, "--")):
                composition = compositions(grid, features=features, bits=bits)[0]
                recall, precision = truth_curve([d["truth"] for d in composition["distances"]])
                panel.plot(recall, precision, color=colour, linestyle=line, linewidth=1.2,
                           label=f"{features}, {bits} bits, alone")
                if bits == 64:
                    for k in (3, 8, 12):
                        if k < len(recall):
                            panel.plot(recall[k], precision[k], marker="o", markersize=3.5, color=colour)
                            panel.annotate(f"{k}", (recall[k], precision[k]), textcoords="offset points",
                                           xytext=(-8, -8), fontsize=7, color=colour)
        composition = compositions(grid, features="words:2", bits=128)[0]
        kind = grid["truth"]["features"]
        for check, colour, name_of_check in ((kind, PINK, "the truth's kind"), ("words:2", GREEN, "words:2")):
            recall, precision = truth_curve([d["checked"][check]["truth"] for d in composition["distances"]])
            panel.plot(recall, precision, color=colour, linewidth=1.8,
                       label=f"words:2, 128 bits, checked by {name_of_check}")
            panel.plot(recall[-1], precision[-1], color=colour, marker="s", markersize=5)
        panel.plot(*truth_curve([e["truth"] for e in grid["minhash"]["estimates"]]), color=BLACK, linestyle=":",
                   linewidth=1.6, label="MinHash, 128 permutations, alone")
        panel.set_xlim(0, 1.02)
        panel.set_ylim(0, 1.03)
    for panel in rows[-1]:
        panel.set_xlabel("recall")
    for panel in rows[:, 0]:
        panel.set_ylabel("precision")
    save(picture, target, "Against the exact Jaccard similarity >= 0.7 of each set's own features. A line goes through all k.\n"
                          "Dots: k = 3, 8 and 12 of 64 bits. Squares: the most that the check leaves, by k = 40 of 128 bits.",
         rows[0][0].get_legend_handles_labels(), columns=3, room=0.08)


def draw_skew(measured, target):
    """Draws, for each table, the number of fingerprints in the bucket of a query, and in the largest bucket."""
    picture, rows = panels(6.8, sharey=True)
    styles = {"words": (ORANGE, "^"), "words:2": (BLUE, "o"), "chars:5": (GREEN, "s"), "chars:3": (PINK, "D")}
    for panel, name in zip(rows.flat, SETS):
        for features, (colour, marker) in styles.items():
            tables = compositions(measured[name, "grid"], features=features, bits=64)[0]["skew"]
            places = list(range(len(tables)))
            panel.plot(places, [t["scanned"] for t in tables], color=colour, marker=marker, markersize=5,
                       linestyle="none", label=f"{features}: candidates")
            panel.plot(places, [t["largest"] for t in tables], color=colour, marker=marker, markersize=5,
                       linestyle="none", markerfacecolor="none", label=f"{features}: largest")
        panel.plot(places, [t["uniform"] for t in tables], color=BLACK, marker="_", markersize=13, linestyle="none",
                   label="uniform bits: candidates")
        panel.axvline(3.5, color="#aaaaaa", linewidth=0.8)
        panel.set_yscale("log")
        panel.yaxis.set_major_formatter("{x:g}")
        names = ["+".join(str(b + 1) for b in t["keyed_on"]) for t in tables]
        panel.set_xticks(places, names, fontsize=7)
        panel.set_xlabel("blocks of the key: 4 of 16 bits | pairs of 5 blocks, 25 or 26 bits")
    for panel in rows[:, 0]:
        panel.set_ylabel("fingerprints in a bucket")
    save(picture, target, "Buckets of the tables for 64 bits and k = 3; of identical texts only one.",
         rows[0][0].get_legend_handles_labels(), columns=3, room=0.1)
