#!/usr/bin/env python3
"""Measures how many test items `neardup unique --against --check containment` finds in texts, and how many texts
without an item it reports. Beside it stands a baseline: 13 consecutive words in common. Prints a Markdown table.

  bench/decontamination.py --program build/release/bin/neardup TEXTS [--items TEXTS]

An item is a passage of a text. The program inserts items into other texts, whole, in two parts or with changed words.

TEXTS is a folder or a file. A file is plain text, or JSON Lines with a field "text", and may be compressed by gzip. Of
records with the same "cluster" only the first is read. Items come from the texts of --items, which must be other texts:
else items may occur in TEXTS anyway. Without --items, they come from a fifth of TEXTS, which gets no items.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "articles"))
import texts as shared

WORD = shared.TOKEN
OVERLAP = 13
WAYS = ("alone", "embedded", "cut in two", "5 % of the words changed", "none")


def spans(text):
    return [(m.start(), m.end()) for m in WORD.finditer(text)]


def words_of(text):
    return [m.group().lower() for m in WORD.finditer(text)]


def make_items(rng, texts, count, least, most):
    """Returns passages of `least` to `most` words, at most one from each text."""
    items = []
    for text in rng.sample(texts, len(texts)):
        if len(items) == count:
            break
        places = spans(text)
        size = rng.randint(least, most)
        if len(places) < size:
            continue
        first = rng.randrange(len(places) - size + 1)
        items.append(text[places[first][0] : places[first + size - 1][1]])
    return items


def changed(rng, item, vocabulary):
    """Replaces a twentieth of the item's words."""
    places = spans(item)
    for begin, end in sorted(rng.sample(places, max(1, round(len(places) / 20))), reverse=True):
        item = item[:begin] + rng.choice(vocabulary) + item[end:]
    return item


def put(text, places, pieces):
    """Inserts each piece before a word of a text. Returns the text, and the positions of the pieces in characters."""
    found = []
    for place, piece in sorted(zip(places, pieces), reverse=True):
        text = text[:place] + piece + " " + text[place:]
        found = [(b + len(piece) + 1, e + len(piece) + 1) for b, e in found] + [(place, place + len(piece))]
    return text, found


def make_records(rng, items, carriers, vocabulary):
    """Returns (way, item, text, positions of the item) for each record."""
    records = []
    for way in WAYS:
        for number, item in enumerate(items):
            carrier = rng.choice(carriers)
            begins = [begin for begin, _ in spans(carrier)]
            if way == "alone":
                records.append((way, number, item, [(0, len(item))]))
            elif way == "none":
                records.append((way, number, carrier, []))
            elif way == "cut in two":
                half = spans(item)
                half = half[len(half) // 2][0]
                places = rng.sample(begins, 2)
                records.append((way, number, *put(carrier, sorted(places), [item[:half].rstrip(), item[half:]])))
            else:
                piece = changed(rng, item, vocabulary) if way.startswith("5") else item
                records.append((way, number, *put(carrier, [rng.choice(begins)], [piece])))
    return records


def write_jsonl(path, texts):
    with open(path, "w", encoding="utf-8") as out:
        for number, text in enumerate(texts):
            out.write(json.dumps({"id": number, "text": text}, ensure_ascii=False) + "\n")


def findings(program, folder, least, *options):
    """Returns the passages that neardup drops or cuts, as record -> [(item, offset, length)], and the records that
    it writes."""
    dropped, output = folder / "dropped.jsonl", folder / "output.jsonl"
    subprocess.run(
        [program, "unique", "--quiet", "--jsonl", "--check", "containment", "--similarity", str(least), "--against",
         folder / "items.jsonl", "--dropped", dropped, "--output", output, *options, folder / "records.jsonl"],
        check=True)
    found = {}
    for line in dropped.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found.setdefault(int(row["id"]), []).append((int(row["against"]), row.get("offset"), row.get("length")))
    kept = {}
    for line in output.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        kept[row["id"]] = row["text"]
    return found, kept


def by_overlap(items, records):
    """The baseline: returns the records that share 13 consecutive words with an item."""
    grams = {}
    for number, item in enumerate(items):
        own = words_of(item)
        for i in range(len(own) - OVERLAP + 1):
            grams.setdefault(tuple(own[i : i + OVERLAP]), set()).add(number)
    found = {}
    for record, (_, _, text, _) in enumerate(records):
        own = words_of(text)
        named = set().union(*(grams.get(tuple(own[i : i + OVERLAP]), ()) for i in range(len(own) - OVERLAP + 1)))
        if named:
            found[record] = [(item, None, None) for item in named]
    return found


def is_at(text, places, offset, length):
    """Returns true if more than half of a reported passage is where the item was inserted."""
    begin = len(text.encode()[:offset].decode("utf-8", "replace"))
    end = begin + len(text.encode()[offset : offset + length].decode("utf-8", "replace"))
    inside = sum(max(0, min(end, e) - max(begin, b)) for b, e in places)
    return end > begin and 2 * inside > end - begin


def left(item, text):
    """Returns the share of an item's pairs of words that occur in a text."""
    pairs = lambda words: set(zip(words, words[1:]))
    own = pairs(words_of(item))
    return len(own & pairs(words_of(text))) / len(own)


def row(name, cells):
    print("| " + name + " | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts")
    parser.add_argument("--items", help="texts that the items come from")
    parser.add_argument("--program", default="build/release/bin/neardup")
    parser.add_argument("--count", type=int, default=500, help="items")
    parser.add_argument("--least", type=int, default=20, help="words of an item")
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--carrier", type=int, default=100, help="words that a text has at least")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    texts = list(dict.fromkeys(shared.read([options.texts])))
    sources = list(dict.fromkeys(shared.read([options.items]))) if options.items else texts[: len(texts) // 5]
    carriers = texts if options.items else texts[len(texts) // 5 :]
    carriers = [t for t in rng.sample(carriers, min(len(carriers), 4000)) if len(spans(t)) >= options.carrier]
    items = make_items(rng, sources, options.count, options.least, options.most)
    if not items or not carriers:
        sys.exit("too few texts, or too short ones")
    vocabulary = [word for text in rng.sample(carriers, min(len(carriers), 50)) for word in words_of(text)]
    records = make_records(rng, items, carriers, vocabulary)
    print(f"{len(items)} items of {options.least} to {options.most} words, {len(records)} records, seed {options.seed}\n")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_jsonl(folder / "items.jsonl", items)
        write_jsonl(folder / "records.jsonl", [text for _, _, text, _ in records])
        row("found by", [*(f"{way}" for way in WAYS[:-1]), "of texts without any"])
        row("---", ["---"] * len(WAYS))

        def report(label, found):
            cells = []
            for way in WAYS:
                own = [i for i, record in enumerate(records) if record[0] == way]
                right = sum(i in found for i in own)
                cells.append(f"{right / len(own):.3f}")
            row(label, cells)

        report(f"{OVERLAP} words in a row", by_overlap(items, records))
        for least in (0.8, 0.5):
            found, _ = findings(options.program, folder, least)
            report(f"--similarity {least}", found)
            placed = [
                is_at(records[i][2], records[i][3], offset, length)
                for i, rows in found.items() for item, offset, length in rows if records[i][3] and item == records[i][1]
            ]
            cut, kept = findings(options.program, folder, least, "--cut-passages")
            rest = [left(items[records[i][1]], kept[i]) for i in cut if records[i][3] and i in kept]
            whole = [records[i][2] == text for i, text in kept.items() if not records[i][3]]
            named = [any(item == records[i][1] for item, _, _ in rows) for i, rows in found.items() if records[i][3]]
            print(f"<!-- {least}: {sum(named)} of {len(named)} name the item, {sum(placed)} of {len(placed)} places are right; --cut-passages leaves "
                  f"{100 * sum(rest) / max(1, len(rest)):.1f} % of the pairs of words of an item, and "
                  f"{sum(whole)} of {len(whole)} texts without any as they are -->")


if __name__ == "__main__":
    main()
