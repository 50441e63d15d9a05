"""Reads texts from which articles are made, and computes the similarity of two texts."""
import gzip
import json
import pathlib
import re

# The words that are edited and compared. neardup::words separates words in the same way.
TOKEN = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W_\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")

WORD = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")


def read(paths):
    """Yields the texts of files and folders. A file is plain text, or JSON Lines with a field "text", and may be
    compressed by gzip. Texts with the same "cluster" are versions of one text. Only the first of them is returned."""
    clusters = set()
    for path in map(pathlib.Path, paths):
        for file in sorted(f for f in path.rglob("*") if f.is_file()) if path.is_dir() else [path]:
            with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8", errors="replace") as lines:
                if ".jsonl" not in file.suffixes:
                    yield lines.read()
                    continue
                for line in lines:
                    one = json.loads(line)
                    cluster = one.get("cluster")
                    if cluster is None or cluster not in clusters:
                        clusters.add(cluster)
                        yield one["text"]


def paragraphs(text):
    return [part.strip() for part in text.split("\n") if part.strip()]


def pieces(texts, least, most):
    """Yields consecutive parts of the texts, with `least` to `most` characters each, as lists of paragraphs. No
    paragraph occurs twice. A part that is too short continues with the next text."""
    seen = set()
    piece, size = [], 0
    for text in texts:
        for part in paragraphs(text):
            if part in seen:
                continue
            seen.add(part)
            piece.append(part)
            size += len(part)
            if size >= least:
                if size <= most:
                    yield piece
                piece, size = [], 0


def pairs(text):
    """Returns the pairs of adjacent words, in lower case. Each Chinese character is a word."""
    words = WORD.findall(text.lower())
    return set(zip(words, words[1:]))


def jaccard(one, other):
    return len(one & other) / len(one | other) if one or other else 0.0
