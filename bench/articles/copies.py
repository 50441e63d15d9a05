#!/usr/bin/env python3
"""Counts how docid_service treats copies of articles, by the kind of the edit. There are 20,000 articles, and the
script knows which of them are copies.

usage: copies.py PROGRAM… --texts TEXT… [--articles N] [--seed S] [-- OPTION…]

PROGRAM are the docid_services to compare, for example of two commits. TEXT are files or folders. A file is plain text,
or JSON Lines with a field "text", and may be compressed by gzip. Three in five of the N articles are originals. They
are parts of the texts with 150 to 8,000 characters. After all texts are used, originals are made of randomly drawn
paragraphs. The other articles are copies of earlier originals with another url. Each copy is edited in one of the ways
of COPIES. OPTION are options of docid_service.

Prints how many copies got a new docId (missed), or the docId of another text (elsewhere). Also prints how many
originals got the docId of another original (joined), and how many of these have a Jaccard similarity of the pairs of
words below .7 and below .4. More similar originals are similar texts, which the labels do not show.
"""
import argparse
import collections
import pathlib
import random
import re
import sys
import tempfile

import texts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/docid_service/tests"))
import harness

SHARED_TITLES = ("公告", "通知", "Notice", "关于印发通知的通知", "Letter to the editor", "今日要闻", "Weekly report", "声明")
SITES = ("_新华网", " - The Daily Mirror", "|人民日报", " (repost)", "【转载】")
SPACE = re.compile(r"\s+")


# ---- Edits of a content. `make` is a random.Random. `pool` has words and paragraphs of other texts. ----------------

class Pool:
    def __init__(self, parts):
        self.parts = parts
        self.words = texts.TOKEN.findall(" ".join(parts[:2000]))


def replaced(text, make, pool, least, most):
    """Replaces, removes or doubles `least` to `most` percent of the words."""
    places = [found.span() for found in texts.TOKEN.finditer(text)]
    count = max(1, round(len(places) * make.uniform(least, most) / 100))
    for begin, end in sorted(make.sample(places, min(count, len(places))), reverse=True):
        word = make.choice((make.choice(pool.words), "", text[begin:end] + " " + text[begin:end]))
        text = text[:begin] + word + text[end:]
    return text


def sentences(text):
    return re.findall(r"[^。！？.!?\n]*[。！？.!?\n]*", text)


def shortened(text, make, _):
    """Removes some sentences. At least seven tenths of the characters stay."""
    parts = sentences(text)
    left = 0.3 * len(text)
    for i in make.sample(range(len(parts)), len(parts)):
        if len(parts[i]) <= left and make.random() < 0.5:
            left -= len(parts[i])
            parts[i] = ""
    return "".join(parts)


def moved(text, make, _):
    parts = sentences(text)
    make.shuffle(parts)
    return "\n".join(parts)


def first_part(text, make, _):
    return text[:round(len(text) * make.uniform(0.5, 0.7))]


def framed(text, make, pool):
    """Adds text as sites put around an article: a tenth to four tenths of its length."""
    size = len(text) * make.uniform(0.1, 0.4)
    frame = ""
    while len(frame) < size:
        frame += make.choice(pool.parts)[:int(size - len(frame)) + 1] + "\n"
    cut = make.randrange(len(frame))
    return frame[:cut] + "\n" + text + "\n" + frame[cut:]


def folded(text, make, _):
    """Changes case, spaces and punctuation, which a reader does not notice."""
    text = text.upper() if make.random() < 0.5 else text.lower()
    return SPACE.sub(lambda _: make.choice(("\n", "  ", " ")), text).replace("，", make.choice((",", "、")))


def widened(text, *_):
    """Writes letters and digits in full width, as some Chinese sites do."""
    return "".join(chr(ord(c) + 0xfee0) if c.isascii() and c.isalnum() else c for c in text)


def same(text, *_):
    return text


def few_words(text, make, pool):
    return replaced(text, make, pool, 1, 5)


def many_words(text, make, pool):
    return replaced(text, make, pool, 10, 20)


# ---- Edits of a title ------------------------------------------------------------------------------------------------

def with_site(title, make, _):
    return title + make.choice(SITES)


def rewritten(title, make, pool):
    return replaced(title, make, pool, 40, 60)


COPIES = {
    "nothing": (same, same),
    "content: 1 to 5 words in 100": (same, few_words),
    "content: 10 to 20 words in 100": (same, many_words),
    "content: sentences removed": (same, shortened),
    "content: sentences moved": (same, moved),
    "content: its first half or more": (same, first_part),
    "content: a frame around it": (same, framed),
    "both: case, spaces, punctuation": (folded, folded),
    "both: letters and digits in full width": (widened, widened),
    "title: the site's name": (with_site, same),
    "title: rewritten": (rewritten, same),
    "title: the site's name; content: 10 to 20 words in 100": (with_site, many_words),
    "title: the site's name; content: a frame around it": (with_site, framed),
    "title: rewritten; content: 1 to 5 words in 100": (rewritten, few_words),
    "title: rewritten; content: sentences removed": (rewritten, shortened),
}
ORIGINALS = {"a title of its own": 6, "one title for many": 1, "chapters": 2, "a form": 1}


def contents_of(all_texts, make, count, pool):
    """Returns lists of paragraphs: first consecutive parts of the texts, then the paragraphs in a new order."""
    made = []
    for text in all_texts:
        size = 0
        for piece in texts.pieces([text], 150, 8000):
            # A piece has at least 150 characters. Some pieces are joined, so that there are long contents, too.
            if made and size and size + sum(map(len, piece)) < 150 * (8000 / 150) ** make.random():
                made[-1] += piece
                size += sum(map(len, piece))
            else:
                made.append(piece)
                size = sum(map(len, piece))
            if len(made) > count:
                return made[:count]
    while len(made) < count:
        size, piece = 150 * (8000 / 150) ** make.random(), []
        while size > 0:
            piece.append(make.choice(pool.parts))
            size -= len(piece[-1])
        made.append(piece)
    return made


def articles_of(all_texts, count, seed):
    """Returns a list of (number of the original, kind, article). An original has its own number."""
    make = random.Random(seed)
    pool = Pool(list(dict.fromkeys(part[:2000] for text in all_texts for part in texts.paragraphs(text) if len(part) > 20)))
    contents = contents_of(all_texts, make, count * 3 // 5, pool)
    forms = [" ".join(make.sample(pool.parts, 8))[:600] for _ in range(20)]
    made, originals = [], []
    while len(made) < count:
        number = len(made)
        if len(originals) < len(contents) and (not originals or len(made) - len(originals) >= len(originals) * 2 / 3):
            piece = contents[len(originals)]
            kind = make.choices(list(ORIGINALS), ORIGINALS.values())[0]
            content = "\n".join(piece)
            if kind == "one title for many":
                title = make.choice(SHARED_TITLES)
            elif kind == "chapters":
                title = f"{SHARED_TITLES[number // 400 % 8]} 系统管理 handbook 第{number % 400}章"
            elif kind == "a form":
                # A quarter of the content is common to all articles of this form.
                which = make.randrange(len(forms))
                title, content = f"{forms[which][:12]}", forms[which][:len(content) // 3] + "\n" + content
            else:
                title = "".join(texts.TOKEN.findall(piece[0])[:20]) if ord(piece[0][0]) > 0x2e80 else \
                    " ".join(texts.TOKEN.findall(piece[0])[:12])
            originals.append((number, title, content))
            original = number
        else:
            original, title, content = originals[make.randrange(len(originals))]
            kind = make.choice(list(COPIES))
            edit_title, edit_content = COPIES[kind]
            title, content = edit_title(title, make, pool), edit_content(content, make, pool)
        made.append((original, kind, {"url": f"http://example.org/{number}", "title": title, "content": content}))
    return made


def decided(program, options, articles):
    with tempfile.TemporaryDirectory() as folder:
        harness.PROGRAM = program
        service = harness.Service(folder, *options)
        try:
            answers = []
            for i in range(0, len(articles), 200):
                status, some = service.post([one for _, _, one in articles[i:i + 200]])
                if status != 200:
                    raise SystemExit(f"copies.py: {status} {some}")
                answers += some
        finally:
            service.stop()
    return answers


def counts_of(articles, answers):
    """Returns a dictionary from (kind, is copy) to counts."""
    first, result = {}, collections.defaultdict(collections.Counter)
    for number, ((original, kind, one), answer) in enumerate(zip(articles, answers)):
        is_copy = original != number
        row = result[kind, is_copy]
        row["articles"] += 1
        is_new = answer["docId"] not in first
        if is_new:
            first[answer["docId"]] = (original, one)
            row["missed"] += is_copy
            continue
        other, its = first[answer["docId"]]
        if other == original:
            continue
        row["elsewhere" if is_copy else "joined"] += 1
        alike = texts.jaccard(texts.pairs(one["content"]), texts.pairs(its["content"]))
        row["unlike"] += alike < 0.4
        row["half"] += alike < 0.7
    return result


def print_table(results):
    def row(name, *columns):
        print(f"| {name} | " + " | ".join(columns) + " |")

    def each(kinds, is_copy, *names):
        for kind in [*kinds, None]:
            some = [[sum(one[k, is_copy][name] for k in (kinds if kind is None else [kind])) for one in results] for name in names]
            row("all" if kind is None else kind, *(" → ".join(map(str, dict.fromkeys(column) if name == "articles" else column))
                                                     for name, column in zip(names, some)))

    print("| what was edited | copies | missed | elsewhere |\n|---|---|---|---|")
    each(COPIES, True, "articles", "missed", "elsewhere")
    print("\n| originals with | articles | joined | pairs below .7 | pairs below .4 |\n|---|---|---|---|---|")
    each(ORIGINALS, False, "articles", "joined", "half", "unlike")


def main():
    words = sys.argv[1:]
    options = words[words.index("--") + 1:] if "--" in words else []
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--texts", nargs="+", required=True)
    parser.add_argument("--articles", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(words[:words.index("--")] if "--" in words else words)
    articles = articles_of(list(texts.read(given.texts)), given.articles, given.seed)
    print(f"{len(articles)} articles, {sum(len(one['content']) for _, _, one in articles):,} characters\n")
    print_table([counts_of(articles, decided(program, options, articles)) for program in given.programs])


if __name__ == "__main__":
    main()
