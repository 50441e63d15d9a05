#!/usr/bin/env python3
"""Writes fuzz/corpus/: the inputs that the fuzzers begin with and that the tests replay.

A file is a header of eight bytes (input in composition.hpp says what they are) and a text. There are as many texts as
compositions, 64, and each composition has one. To be run when the meaning of the header has changed.

And fuzz/operations/: for each type of index some layouts with random operations (index_operations.hpp).
"""

import pathlib
import random

ASCII = b"The quick brown Fox, A to Z, jumps over 10 LAZY dogs; and they, being lazy, do not mind: it is 9 o'clock. "
CHINESE = "敏捷的棕色狐狸跳过了懒狗。狗很懒，所以不在意。".encode()
MIXED = "Ünïcode naïve ΣΑΣ Привет мир שלום العربية हिन्दी ภาษาไทย ひらがな カタカナー 中文 한국어 ".encode()

TEXTS = {
    "empty": b"",
    "one_letter": b"a",
    "ascii": ASCII,
    "chinese": CHINESE,
    "mixed_scripts": MIXED,
    "upper_case": ASCII.upper(),
    "repeated_words": b"to be or not to be " * 12,
    "one_word_repeated": b"spam " * 100,
    "ill_formed": b"caf\xc3 au \xf0\x9f\x98lait \xc0\x80 \xed\xa0\x80 \xff\xfe \xf4\x90\x80\x80 \xe4\xbd",
    "ends_in_a_sequence": "一二三".encode() + b"\xe4\xb8",
    "marks_after_han": "中\u0301文\ufe0f \u0301\u0301一 \u0301二\U000e0100 三\u0301 a\u0301 四".encode(),
    "marks_alone": "\u0301\u0308\u0301 \u0301".encode() * 20,
    "thai_vowels": "ที่นี่มีน้ำ เก้าอี้".encode(),
    "punctuation_only": b"?! ... --- ,,, ((())) \t\n" * 4,
    "nuls": b"\0a\0\0b\0 c\0d" * 8,
    "byte_order_mark": "\ufeffone \ufeff two".encode(),
    "separators": b"a\x1fb \x1f c\x1f\x1fd",
    "lower_case_of_other_length": "\u0130\u023a\u1e9e\u212a\u03a9 \u0130x".encode(),
    "supplementary_planes": "\U00010400\U00010428 \U00020000\U00020001 \U0001f600".encode(),
    "long_word": b"x" * 65 + b" " + b"y" * 64 + b" " + b"z" * 241,
    "very_long_word": b"abcdefgh" * 200,
    "words_of_each_length": b" ".join(b"w" * n for n in range(1, 41)),
    "ascii_4_kb": (ASCII * 50)[:4096],
    "mixed_4_kb": ((MIXED + ASCII + CHINESE) * 20)[:4096],
    "distinct_words_4_kb": b" ".join(b"%x" % (n * 2654435761 % 2**32) for n in range(460)),
}
for size in (7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129):
    TEXTS[f"letters_{size}"] = b"a" * (size - 1) + b"b"
    TEXTS[f"words_{size}"] = (ASCII * 2)[:size]
    TEXTS[f"chinese_{size}"] = (CHINESE * 3)[:size]

TOKENIZERS = WEIGHTERS = 8


SIZES = (1, 2, 3, 4, 5, 8, 9, 16)  # of n-grams and shingles; tokenizers with fewer sizes wrap around


def header(number):
    turn, tokenizer = divmod(number, TOKENIZERS)
    weighter = (tokenizer + turn) % WEIGHTERS
    n, m, seed = SIZES[turn] - 1, 1 + number % 7, number % 3
    chunks = 1 + number % 19, number % 4
    return bytes([tokenizer, weighter, n, m, seed, *chunks, 5 + number % 20])


LAYOUTS = ((3, 4), (3, 5), (3, 2), (2, 3), (6, 7), (10, 4), (4, 7), (0, 1))  # k and number of blocks for the index
                                                                             # types that choose them at run time


def operations(number):
    """The header of an index script and 48 operations: insertions first, then random ones."""
    some = random.Random(number)
    k, blocks = LAYOUTS[number // 3 % len(LAYOUTS)]
    script = [number % 12, k, blocks - 1, some.randrange(256)]
    for step in range(48):
        script += [some.choice((0, 14)) if step < 12 else some.randrange(16), *some.randbytes(3)]
    return bytes(script)


def write_operations():
    folder = pathlib.Path(__file__).resolve().parent / "operations"
    folder.mkdir(exist_ok=True)
    for number in range(24):
        (folder / f"{number:02}.input").write_bytes(operations(number))
    print(f"24 files in {folder.name}/")


def main():
    write_operations()
    assert len(TEXTS) == TOKENIZERS * WEIGHTERS, len(TEXTS)
    folder = pathlib.Path(__file__).resolve().parent / "corpus"
    folder.mkdir(exist_ok=True)
    for number, (name, text) in enumerate(TEXTS.items()):
        # They have a suffix of their own because they are bytes, not sources with layout rules.
        (folder / f"{name}.input").write_bytes(header(number) + text)
    print(f"{len(TEXTS)} files in {folder.name}/")


if __name__ == "__main__":
    main()
