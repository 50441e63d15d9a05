#!/usr/bin/env python3
"""Shares of features that texts have in common with the same texts spelt otherwise, in many languages, as a table.

Usage: table.py PROGRAM HELP

PROGRAM is neardup_bench_spelling; HELP is the folder usr/share/help of Debian's package gnome-user-docs, which `apt-get
download gnome-user-docs` and `dpkg-deb -x` put anywhere. A text is a page of at least 200 letters of its script.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unicodedata

LANGUAGES = {
    "vi": ("Vietnamese", "LATIN"), "de": ("German", "LATIN"), "ru": ("Russian", "CYRILLIC"),
    "el": ("Greek", "GREEK"), "fa": ("Persian", "ARABIC"), "mr": ("Marathi", "DEVANAGARI"),
    "gu": ("Gujarati", "GUJARATI"), "ta": ("Tamil", "TAMIL"), "te": ("Telugu", "TELUGU"),
    "ko": ("Korean", "HANGUL"), "ja": ("Japanese", "CJK HIRAGANA KATAKANA"), "zh_CN": ("Chinese", "CJK"),
}
LEAST_LETTERS = 200
# Untranslated pages are in English. If a page has too few of these letters, it is not in its language.
OWN_LETTERS = {"Vietnamese": r"[\u1ea0-\u1ef9]", "German": r"[\u00e4\u00f6\u00fc\u00df]"}


def script(character):
    return unicodedata.name(character, "?").split()[0].split("-")[0]


def pages(folder, scripts, own_letters):
    """Yields the text of each page if at least half of its letters are of the scripts. Tags become spaces."""
    for path in sorted(folder.rglob("*.page")):
        text = re.sub(r"<[^>]*>", " ", path.read_text(encoding="utf-8"))
        text = re.sub(r"&[a-z]+;|&#\d+;|\s+", " ", text).strip()
        letters = [c for c in text if unicodedata.category(c)[0] == "L"]
        own = sum(script(c) in scripts for c in letters)
        is_translated = not own_letters or len(re.findall(own_letters, text)) > len(letters) / 100
        if own >= max(LEAST_LETTERS, len(letters) / 2) and is_translated:
            yield text


def every(text, period, what):
    """Adds `what` after every `period` letters, also within words."""
    result, count = [], 0
    for i, c in enumerate(text):
        result.append(c)
        if unicodedata.category(c)[0] == "L" and i + 1 < len(text) and unicodedata.category(text[i + 1])[0] == "L":
            count += 1
            if count % period == 0:
                result.append(what)
    return "".join(result)


def arabic_shapes():
    """Returns {letter: its isolated form}. Some PDF files contain these forms."""
    shapes = {}
    for c in range(0xFE80, 0xFEF5):
        kind, _, letter = unicodedata.decomposition(chr(c)).partition(" ")
        if kind == "<isolated>" and " " not in letter:
            shapes[int(letter, 16)] = chr(c)
    return shapes


FORMS = {
    "NFD": lambda text: unicodedata.normalize("NFD", text),
    "soft hyphens": lambda text: every(text, 4, "\u00ad"),
    "upper case": lambda text: text.upper(),
    "without joiners": lambda text: text.replace("\u200c", "").replace("\u200d", ""),
    "a space for each joiner": lambda text: text.replace("\u200c", " "),
    "tatweel": lambda text: every(text, 4, "\u0640"),
    "ligatures": lambda text: text.replace("fi", "\ufb01").replace("fl", "\ufb02").replace("ff", "\ufb00"),
    "presentation forms": lambda text: text.translate(arabic_shapes()),
}


def shown(share):
    return "1" if float(share) == 1 else share[1:4] if share.startswith("0") else share


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    print("| language | pages |", " | ".join(FORMS), "|\n|---|---|" + "---|" * len(FORMS))
    exceptions = []  # texts whose canonical features differ
    with tempfile.TemporaryDirectory() as work:
        for code, (name, scripts) in LANGUAGES.items():
            texts = list(pages(folder / code, scripts.split(), OWN_LETTERS.get(name)))
            forms = {}
            for form, change in FORMS.items():
                if form in ("tatweel", "a space for each joiner") and scripts != "ARABIC":
                    continue
                if form in ("ligatures", "upper case") and scripts not in ("LATIN", "GREEK", "CYRILLIC"):
                    continue
                changed = [change(text) for text in texts]
                if sum(a != b for a, b in zip(texts, changed)) >= len(texts) / 4:
                    forms[form] = changed
            names = []
            for number, lines in enumerate([texts, *forms.values()]):
                names.append(pathlib.Path(work) / str(number))
                names[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
            done = subprocess.run([program, *names], check=True, capture_output=True, text=True)
            cells = dict.fromkeys(FORMS, "")
            for form, line in zip(forms, done.stdout.splitlines()):
                words, canonical_words, characters, canonical_characters = map(shown, line.split())
                cells[form] = f"{words}, {characters}"
                if (canonical_words, canonical_characters) != ("1", "1"):
                    exceptions.append(f"{name} with {form}: {canonical_words}, {canonical_characters}")
            print(f"| {name} | {len(texts)} |", " | ".join(cells.values()), "|")
    print("\nWith `canonical`, all similarities are 1" + (f", except those of {'; '.join(exceptions)}." if exceptions else "."))


if __name__ == "__main__":
    sys.exit(main())
