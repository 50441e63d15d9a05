#!/usr/bin/env python3
"""Runs the command on families of texts at two sizes, and looks for run-aways. In a run-away, one way of comparing
takes much longer than another, or the time grows faster than the input and the output.

There are four ways: in memory, through a pipe (unique only), by partitions (--memory 1M), and by the smallest
partitions (--memory 1). All ways must print the same bytes. They run on one thread. Prints a Markdown table with the
seconds of the ways in this order. The exit status is 1 if a way prints other bytes; if it takes more than 2 times the
time in memory plus 0.3 s (for the smallest partitions: 3 times plus 0.5 s); or if it grows faster than n^1.5, where n
is the number of bytes read and printed. The growth of the families in NEAR_SQUARE is not judged.

    python3 bench/runaway/families.py build/release/bin/neardup [--only TEXT] [--scale 1.0]
"""
import argparse
import math
import os
import random
import resource
import subprocess
import sys
import tempfile

LIMIT_S = 120  # of one run
NOISE_S = 0.5  # shorter times are not judged
MOST_GROWTH = 1.5  # on a busy machine, n^1.1 may be measured as this, if the runs take some tenths of a second


def words(draw, count, kinds=50_000):
    return [f"w{draw.randrange(kinds)}" for _ in range(count)]


def shorts(draw, count):
    return [f"a{draw.randrange(10**6)} b{draw.randrange(10**6)} c{i}" for i in range(count)]


def template(draw, count, length=30):
    base = " ".join(words(draw, length))
    return [f"{base} item {i} of {count} at {7 * i}" for i in range(count)]


def long_template(draw, count):
    return template(draw, count, 55)


def dates(draw, count):
    base = " ".join(words(draw, 30))
    return [f"{base} on {1 + i % 28} {'jan feb mar apr may jun'.split()[i // 28 % 6]} {1900 + i // 168} no {i}" for i in range(count)]


def one_word_of(draw, count, length=50):
    base = words(draw, length)
    texts = []
    for i in range(count):
        text = list(base)
        text[draw.randrange(length)] = f"x{i}"
        texts.append(" ".join(text))
    return texts


def long_twins(draw, count):
    base = words(draw, count)
    texts = []
    for _ in range(4):
        text = list(base)
        for _ in range(count // 40):
            text[draw.randrange(count)] = f"x{draw.randrange(10**6)}"
        texts.append(" ".join(text))
    return texts


def book_and_quotes(draw, count):
    book = words(draw, 250 * count)
    starts = [draw.randrange(len(book) - 20) for _ in range(count)]
    return [" ".join(book)] + [" ".join(book[at:at + 15]) for at in starts]


def one_rare_feature(draw, count):
    return [" ".join(["shared", *words(draw, 20, 300)]) for _ in range(count)]


def power_law(draw, count):
    return [" ".join(f"w{int(draw.paretovariate(0.9))}" for _ in range(25)) for _ in range(count)]


def one_to_three(draw, count):
    return [" ".join(words(draw, 1 + draw.randrange(3), 4_000)) for _ in range(count)]


def copies(draw, count):
    some = [" ".join(words(draw, 25)) for _ in range(max(count // 200, 1))]
    return [draw.choice(some) for _ in range(count)]


def sorted_lengths(draw, count):
    base = words(draw, 60)
    return sorted((" ".join(base[:20 + draw.randrange(40)] + [f"x{i}"]) for i in range(count)), key=len)


def drift(draw, count):
    """Makes texts, each of which is similar to the texts shortly before it, and to no others."""
    run = words(draw, count + 40, 10**7)
    return [" ".join(run[i:i + 40]) for i in range(count)]


def early(draw, count):
    return template(draw, count // 20) + shorts(draw, count)


def late(draw, count):
    return shorts(draw, count) + template(draw, count // 20)


def middle(draw, count):
    texts = shorts(draw, count)
    return texts[:count // 2] + template(draw, count // 20) + texts[count // 2:]


def pairs_of_each(draw, count):
    texts = [" ".join(words(draw, 30)) for _ in range(count)]
    return texts + [text + f" again{i}" for i, text in enumerate(texts)]


# If nearly all texts of a family are similar, the number of pairs is the square of its size. So `pairs` gets an eighth
# of the texts.
CROWDS = {template, long_template, dates, one_word_of, sorted_lengths, early, late, middle}

# Family: generator, smaller size (the larger one is twice that), further options.
FAMILIES = {
    "a template with counters": (template, 4_000, []),
    "a template with dates": (dates, 4_000, []),
    "a template before short texts": (early, 60_000, []),
    "a template behind short texts": (late, 60_000, []),
    "a template among short texts": (middle, 60_000, []),
    "one word of 50 changed, at .95": (one_word_of, 10_000, ["--similarity", ".95"]),
    "one word of 50 changed, at .8": (one_word_of, 4_000, []),
    "a template of 340 characters, chars:5": (long_template, 1_000, ["--features", "chars:5"]),
    "four long texts that are alike": (long_twins, 40_000, []),
    "a book and quotes of it": (book_and_quotes, 1_000, ["--check", "containment"]),
    "one feature in all texts": (one_rare_feature, 20_000, []),
    "word frequencies of a power law": (power_law, 40_000, []),
    "one to three words": (one_to_three, 40_000, ["--features", "words"]),
    "copies": (copies, 100_000, []),
    "texts by length, from one beginning": (sorted_lengths, 4_000, []),
    "a chain of neighbours": (drift, 40_000, []),
    "two of each text": (pairs_of_each, 40_000, []),
}
# Families with nearly n^2 / 2 candidates. No feature of their texts is rare, and the bitmap filter excludes few pairs.
NEAR_SQUARE = {
    "one word of 50 changed, at .95",  # two texts differ in four words, and similar texts differ in at most two
    "one word of 50 changed, at .8",
    "word frequencies of a power law",  # a tenth of the words make up most of each text
}
VERBS = {
    "pairs": ["pairs", "--copies-once"],
    "groups": ["groups"],
    "components": ["groups", "--grouping", "components"],
    "unique": ["unique"],
}


def run(command, given, to):
    """Returns the CPU seconds, or None if the run takes longer than LIMIT_S. Writes the output to the file `to`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(given, "rb") as texts, open(to, "wb") as out:
        try:
            subprocess.run(command, stdin=texts, stdout=out, stderr=subprocess.DEVNULL, check=True, timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def same_bytes(a, b):
    return subprocess.run(["cmp", "-s", a, b], check=False).returncode == 0


def limit_of(way, in_memory):
    return 3 * in_memory + 0.5 if way == "1" else 2 * in_memory + 0.3


def shown(seconds):
    return f"> {LIMIT_S}" if seconds is None else f"{seconds:.2f}"


def measure(program, family, verb, scale, folder):
    """Returns the CPU seconds of each way at the larger size, the growth if any way took long enough, and the
    faults."""
    make, count, options = FAMILIES[family]
    if verb == "pairs" and make in CROWDS:
        count //= 8
    sizes, times, wrong = [], [], []
    for factor in (1, 2):
        given = os.path.join(folder, "texts")
        with open(given, "w", encoding="utf-8") as file:
            file.writelines(text + "\n" for text in make(random.Random(1), int(count * scale) * factor))
        line = [program, *VERBS[verb], "--lines", "--quiet", "--threads", "1", *options]
        ways = {"memory": [*line, given], "1M": [*line, "--memory", "1M", given], "1": [*line, "--memory", "1", given]}
        if verb == "unique":
            ways["pipe"] = [*line, "-"]
        took = {}
        for way, command in ways.items():
            took[way] = run(command, given, os.path.join(folder, way))
            if took[way] is not None and took["memory"] is not None and not same_bytes(os.path.join(folder, "memory"), os.path.join(folder, way)):
                wrong.append(f"{way}: other bytes")
        sizes.append(os.path.getsize(given) + os.path.getsize(os.path.join(folder, "memory")))
        times.append(took)
    growth = []
    for way in times[1]:
        first, second = times[0][way], times[1][way]
        if second is None:
            wrong.append(f"{way}: more than {LIMIT_S} s")
        elif times[1]["memory"] is not None and second > limit_of(way, times[1]["memory"]):
            wrong.append(f"{way}: {second / times[1]['memory']:.1f} times the time in memory")
        if first and second and second >= NOISE_S:
            growth.append((math.log(second / first) / math.log(sizes[1] / sizes[0]), way))
    if growth and max(growth)[0] > MOST_GROWTH and family not in NEAR_SQUARE:
        wrong.append(f"{max(growth)[1]}: n^{max(growth)[0]:.2f}")
    seconds = ", ".join(shown(times[1][way]) for way in ("memory", "pipe", "1M", "1") if way in times[1])
    return seconds, max(growth)[0] if growth else None, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--only", default="", help="families and verbs with this in their names")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies all sizes")
    arguments = parser.parse_args()
    print("| texts |", " | ".join(VERBS), "| growth |\n|---|" + "---|" * len(VERBS) + "--:|")
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for family in FAMILIES:
            cells, largest = [], None
            for verb in VERBS:
                if arguments.only not in f"{family} {verb}":
                    cells.append("")
                    continue
                seconds, growth, wrong = measure(arguments.program, family, verb, arguments.scale, folder)
                cells.append(seconds)
                largest = max((one for one in (largest, growth) if one is not None), default=None)
                for one in wrong:
                    print(f"{family}, {verb}: {one}", file=sys.stderr, flush=True)
                faults += len(wrong)
            if any(cells):
                print("|", family, "|", " | ".join(cells), "|", f"n^{largest:.2f}" if largest is not None else "", "|", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
