#!/usr/bin/env python3
"""Measures how many articles docid_service takes in a second, and how many edited copies it finds.

usage: load.py FOLDER_OF_PROGRAMS TEXT… [--index N] [--batched N] [--single N] [--work FOLDER] [-- OPTION…]

TEXT is a file of plain text, a file of JSON Lines with a field "text", or a folder of such files. A file may be compressed
by gzip. An article has about a kilobyte of sentences, which are drawn from the texts at random. One article in ten is an
edited copy of an earlier article: one to five words in a hundred are replaced, removed or doubled, and the url and the title
differ. The program first sends --index articles, then --batched articles in arrays of 1,000, and then --single articles one
by one over 32 connections. The options after -- are passed to docid_service.
"""

import argparse
import gzip
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile


def sentences(paths):
    found = set()
    for path in paths:
        files = [f for f in sorted(path.rglob("*")) if f.is_file()] if path.is_dir() else [path]
        for file in files:
            with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    text = json.loads(line)["text"] if ".jsonl" in file.suffixes else line
                    found.update(s.strip() for s in re.split(r"(?<=[.;:!?])\s", text) if 40 < len(s) < 400)
    if len(found) < 1000:
        sys.exit("load.py: fewer than 1000 sentences")
    return sorted(found)


def edited(content, make, vocabulary):
    words = content.split(" ")
    for _ in range(max(1, round(len(words) * make.uniform(0.01, 0.05)))):
        place = make.randrange(len(words))
        words[place:place + 1] = make.choice(([make.choice(vocabulary)], [], [words[place]] * 2))
    return " ".join(words)


def make_articles(file, count, texts):
    make = random.Random(1)
    vocabulary = " ".join(texts[:5000]).split(" ")
    kept = []  # the last original articles, with their line numbers
    with open(file, "w", encoding="utf-8") as out:
        for number in range(count):
            media = ""
            if number % 10 == 9:
                original, content = kept[make.randrange(len(kept))]
                content, media = edited(content, make, vocabulary), str(original)
            else:
                parts, size = [], make.randrange(700, 1300)
                while size > 0:
                    parts.append(make.choice(texts))
                    size -= len(parts[-1].encode()) + 1
                content = " ".join(parts)
                kept.append((number, content))
                if len(kept) > 20000:
                    kept.pop(make.randrange(len(kept)))
            title = " ".join(make.choices(vocabulary, k=10))
            out.write(json.dumps({"url": f"http://example.org/{number}", "title": title, "content": content,
                                  "media": media}, ensure_ascii=False) + "\n")


def status(process, field):
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(re.search(field + r":\s+(\d+)", text)[1]) * 1024


def main():
    arguments = sys.argv[1:]
    options = []
    if "--" in arguments:
        options = arguments[arguments.index("--") + 1:]
        arguments = arguments[:arguments.index("--")]
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("texts", type=pathlib.Path, nargs="+")
    parser.add_argument("--index", type=int, default=1_000_000)
    parser.add_argument("--batched", type=int, default=200_000)
    parser.add_argument("--single", type=int, default=50_000)
    parser.add_argument("--work", type=pathlib.Path)
    given = parser.parse_args(arguments)
    work = given.work or pathlib.Path(tempfile.mkdtemp(prefix="docid_load."))
    work.mkdir(parents=True, exist_ok=True)
    count = given.index + given.batched + given.single
    file = work / f"articles_{count}.jsonl"
    if not file.exists():
        make_articles(file, count, sentences(given.texts))
    data = tempfile.mkdtemp(prefix="data.", dir=work)
    service = subprocess.Popen([given.programs / "docid_service", "--port", "0", "--data", data, *options],
                               stdout=subprocess.PIPE, text=True)
    try:
        port = service.stdout.readline().split("127.0.0.1:")[1].split("/")[0]
        first = 0
        for name, amount, batch, connections in (("filling", given.index, 1000, 8), ("batches of 1,000", given.batched, 1000, 8),
                                                 ("one by one", given.single, 1, 32)):
            if amount == 0:
                continue
            print(f"{name}: {amount} articles from number {first} on:", flush=True)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            own = [int(x) for x in pathlib.Path(f"/proc/{service.pid}/stat").read_text(encoding="ascii").split()[13:15]]
            subprocess.run([given.programs / "docid_load", port, file, str(batch), str(connections), str(first), str(amount)],
                           check=True)
            now = [int(x) for x in pathlib.Path(f"/proc/{service.pid}/stat").read_text(encoding="ascii").split()[13:15]]
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            ticks = os.sysconf("SC_CLK_TCK")
            print(f"  CPU: service {(sum(now) - sum(own)) / ticks / amount * 1e6:.1f} us an article, the sender "
                  f"{(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / amount * 1e6:.1f};"
                  f" memory {status(service, 'VmRSS') / 1e6:.0f} MB", flush=True)
            first += amount
    finally:
        service.send_signal(signal.SIGTERM)
        service.wait()
        size = sum(f.stat().st_size for f in pathlib.Path(data).iterdir())
        print(f"the store has {size / 1e6:.0f} MB, in {data}")


if __name__ == "__main__":
    main()
