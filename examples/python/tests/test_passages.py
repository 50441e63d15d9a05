"""Compares repeated passages with a dictionary of all earlier runs of N words or bytes."""

import random
import re

import neardup
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

COLUMNS = ["text", "begin", "end", "begin_byte", "end_byte", "first_text", "first_begin", "first_end", "first_begin_byte", "first_end_byte"]
ALPHABETS = (["a", "b"], ["ha"], ["x1", "ää", "язык", "word", "n", "𝔸"])


def units_of(text, unit):
    """Returns the units of a text: the compared token, and its beginning and end in bytes."""
    if unit == "bytes":
        return [(byte, i, i + 1) for i, byte in enumerate(text.encode())]
    return [(m.group(), len(text[: m.start()].encode()), len(text[: m.end()].encode())) for m in re.finditer(r"\w+", text)]


def whole(text, begin, end):
    """Returns the range of whole characters in the bytes [begin, end), in code points and in bytes."""
    borders = [len(text[:i].encode()) for i in range(len(text) + 1)]
    inside = [i for i, byte in enumerate(borders) if begin <= byte <= end]
    return [inside[0], inside[-1], borders[inside[0]], borders[inside[-1]]] if inside else [0, 0, 0, 0]


def oracle(texts, length, unit, least_documents=1, earlier=0):
    """Returns the rows of passages(), and for each text the ranges of bytes of all passages."""
    seen, places = {}, []
    for d, text in enumerate(texts):
        units = units_of(text or "", unit)
        for i in range(len(units) - length + 1):
            known = seen.setdefault(tuple(u for u, _, _ in units[i : i + length]), ((d, i), set()))
            known[1].add(d)
            places.append((d, i, units, known))
    spans = []
    for d, i, units, (first, documents) in places:
        if (d, i) == first or len(documents) < least_documents or d < earlier:
            continue
        if spans and spans[-1][0] == d and spans[-1][2] == i + length - 1 and (first[0], first[1] - i) == spans[-1][3:]:
            spans[-1] = (d, spans[-1][1], i + length, *spans[-1][3:])
        else:
            spans.append((d, i, i + length, first[0], first[1] - i))
    rows, ranges = [], [[] for _ in texts]
    for d, begin, end, first, shift in spans:
        here, there = units_of(texts[d], unit), units_of(texts[first], unit)
        ranges[d].append([here[begin][1], here[end - 1][2]])
        own = whole(texts[d], *ranges[d][-1])
        if own[0] < own[1]:
            rows.append([d, *own, first, *whole(texts[first], there[begin + shift][1], there[end + shift - 1][2])])
    return rows, ranges


def cut(text, found):
    """Removes ranges of bytes, which may overlap, and the white space after each range."""
    data, out, at = text.encode(), b"", 0
    for begin, end in sorted(found):
        if end > at:
            out += data[at : max(at, begin)]
            at = end
            rest = data[at:]
            at += len(rest) - len(rest.lstrip(b" \t\n\v\f\r"))
    return (out + data[at:]).decode()


def random_texts(rng, count, alphabet, longest):
    texts = []
    for _ in range(count):
        own = [rng.choice(alphabet) for _ in range(rng.randrange(longest))]
        if texts and rng.random() < 0.6:
            stretch = re.findall(r"\w+", rng.choice(texts))
            begin, at = rng.randrange(len(stretch) + 1), rng.randrange(len(own) + 1)
            own[at:at] = stretch[begin : begin + rng.randrange(longest)]
        texts.append("".join(word + rng.choice([" ", "  ", ", ", "\n"]) for word in own))
    return texts


def rows_of(found):
    return [list(row) for row in zip(*(getattr(found, name).tolist() for name in COLUMNS))]


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize("unit", ["words", "bytes"])
def test_finds_and_cuts_what_has_been_seen(alphabet, unit):
    rng, count = random.Random(75), 0
    for length in (1, 2, 5, 20):
        texts = random_texts(rng, 40, alphabet, 3 * length + 3)
        for more in ({}, {"least_documents": 3}, {"earlier": 10, "threads": 1}):
            wanted, ranges = oracle(texts, length, unit, more.get("least_documents", 1), more.get("earlier", 0))
            found = neardup.passages(texts, length, unit=unit, **more)
            assert rows_of(found) == wanted
            count += len(wanted)
            rest = neardup.cut_passages(texts, length, unit=unit, **more)
            # If two passages of words are adjacent, a comma between them is cut, too.
            joined = [neighbours(text, own) if unit == "words" else whole_words(text, own) for text, own in zip(texts, ranges)]
            assert rest.to_list() == [cut(text, own) for text, own in zip(texts, joined)]
    assert count > 50


def neighbours(text, ranges):
    """Joins ranges that have no word between them."""
    joined = []
    for begin, end in ranges:
        if joined and not re.search(r"\w", text.encode()[joined[-1][1] : begin].decode()):
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([begin, end])
    return joined


def whole_words(text, ranges):
    """Returns the union of ranges. Each range leaves out words that it has only in part."""
    union = []
    for begin, end in ranges:
        if union and begin <= union[-1][1]:
            union[-1][1] = max(union[-1][1], end)
        else:
            union.append([begin, end])
    for one in union:
        inside = [(begin, end) for _, begin, end in units_of(text, "words") if one[0] <= begin and end <= one[1]]
        one[:] = (inside[0][0], inside[-1][1]) if inside else (0, 0)
    return [one for one in union if one[0] < one[1]]


def test_places_are_those_of_slices():
    texts = ["Ein Öl, zwei Öle und drei Öltanks.", "Da: ein Öl, zwei Öle und drei Öltanks!"]
    found = neardup.passages(texts, 4)
    assert [texts[1][found.begin[0] : found.end[0]], texts[0][found.first_begin[0] : found.first_end[0]]] == ["Öl, zwei Öle und drei Öltanks"] * 2
    assert texts[1].encode()[found.begin_byte[0] : found.end_byte[0]].decode() == "Öl, zwei Öle und drei Öltanks"
    assert neardup.cut_passages(texts, 4).to_list() == [texts[0], "Da: ein !"]


def test_lists_and_columns_give_the_same():
    texts = [*random_texts(random.Random(76), 50, ALPHABETS[2], 12), None, ""]
    wanted, rest = rows_of(neardup.passages(texts, 3)), neardup.cut_passages(texts, 3)
    column = pa.array(texts)
    chunks = pa.chunked_array([column.slice(0, 20), column.slice(20)])
    for form in (column, column.cast(pa.large_string()), column.dictionary_encode(), chunks, pl.Series(texts), tuple(texts), iter(texts)):
        assert rows_of(neardup.passages(form, 3)) == wanted
    for form in (column, chunks, pl.Series(texts)):
        assert neardup.cut_passages(form, 3).to_list() == rest.to_list()
    back = pa.array(rest)
    assert back.to_pylist() == rest.to_list() == [rest[i] for i in range(len(rest))]
    assert back.type == pa.large_string() and back.null_count == 1 and rest[-2] is None and rest[-1] == ""
    back.validate(full=True)
    assert pl.Series(rest).to_list() == rest.to_list()
    table = pa.table(neardup.passages(texts, 3))
    assert table.column_names == COLUMNS and [list(row.values()) for row in table.to_pylist()] == wanted
    assert pl.DataFrame(neardup.passages(texts, 3)).rows() == [tuple(row) for row in wanted]


def test_what_is_no_utf8_reads_as_a_replacement():
    texts = [b"one two \xff three", b"\xe4 one two", None]
    found = neardup.passages(texts, 2)
    assert (found.begin.tolist(), found.begin_byte.tolist()) == ([2], [2])
    assert neardup.cut_passages(texts, 2).to_list() == ["one two � three", "� ", None]
    assert pa.array(neardup.cut_passages(pa.array(texts, pa.binary()), 2)).to_pylist()[0] == "one two � three"


def test_nothing_comes_of_nothing():
    assert len(neardup.passages([])) == len(neardup.cut_passages([])) == 0
    assert pa.array(neardup.cut_passages([])).to_pylist() == []
    assert pa.array(neardup.cut_passages([None, ""])).to_pylist() == [None, ""]
    assert neardup.cut_passages(iter([""]), 1)[0] == ""
    rest = neardup.cut_passages(["a", "a"], 1)
    assert rest.to_list() == ["a", ""] and rest[-1] == "" and repr(rest) == "<neardup.CutTexts: 2 texts>"
    with pytest.raises(IndexError):
        rest[2]


def test_refuses_wrong_arguments():
    for wrong, error in (({"length": 0}, ValueError), ({"length": 2**20 + 1}, ValueError), ({"length": True}, TypeError), ({"length": 2.0}, TypeError),
                         ({"unit": "chars"}, ValueError), ({"least_documents": 0}, ValueError), ({"earlier": -1}, ValueError), ({"earlier": 3}, ValueError)):
        for function in (neardup.passages, neardup.cut_passages):
            with pytest.raises(error):
                function(["a", "b"], **wrong)
    with pytest.raises(TypeError):
        neardup.passages("one text")


def by_tasks(rng, texts, shuffle):
    """Returns what a PassageShuffle finds and leaves. The parts are random, and blobs come in random order."""
    ends = sorted([len(texts), *(rng.randrange(len(texts) + 1) for _ in range(rng.randrange(4)))])
    parts = [(begin, texts[begin:end]) for begin, end in zip([0, *ends], ends)]

    def moved(blobs):
        blobs = [blob for some in blobs for blob in some]
        rng.shuffle(blobs)
        return [[blob for p, blob in blobs if p == partition] for partition in range(shuffle.partitions)]

    anchors = moved(shuffle.scatter_anchors(part, threads=1) for _, part in parts)
    repeated = b"".join(shuffle.repeated_anchors(blobs, partition) for partition, blobs in enumerate(anchors))
    windows = moved(shuffle.scatter(part, first, repeated) for first, part in parts)
    some = [shuffle.gather(blobs, partition).to_numpy() for partition, blobs in enumerate(windows)]
    found = shuffle.join({name: np.concatenate([one[name] for one in some]) for name in some[0]})
    here = shuffle.locate(texts, 0, found)
    there = shuffle.locate(texts, 0, {"text": found.first_text, "begin": found.first_begin, "end": found.first_end})
    assert pa.table(found).column_names == list(found.to_numpy()) and pa.table(here).num_rows == len(found)
    rows = [list(row) for row in zip(*(getattr(t, name).tolist() for t in (here, there) for name in COLUMNS[:5]))]
    rest = []
    for first, part in parts:
        is_own = (found.text >= first) & (found.text < first + len(part))
        places = {name: getattr(found, name)[is_own] for name in ("text", "begin", "end")}
        rest += shuffle.cut(part, first, places).to_list()
    return [row for row in rows if row[3] < row[4]], rest


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize("unit", ["words", "bytes"])
def test_tasks_find_and_cut_the_same(alphabet, unit):
    rng, count = random.Random(77), 0
    for length in (1, 2, 5, 20):
        texts = [*random_texts(rng, 30, alphabet, 3 * length + 3), None]
        for more in ({}, {"least_documents": 3}, {"earlier": 10}):
            shuffle = neardup.PassageShuffle(length, unit, partitions=rng.randrange(1, 6), **more)
            rows, rest = by_tasks(rng, texts, shuffle)
            assert rows == rows_of(neardup.passages(texts, length, unit=unit, **more))
            assert rest == neardup.cut_passages(texts, length, unit=unit, **more).to_list()
            count += len(rows)
    assert count > 50


def test_tasks_refuse_wrong_arguments():
    shuffle, texts = neardup.PassageShuffle(2, partitions=2), ["a b c", "a b c"]
    anchors = shuffle.scatter_anchors(texts)
    repeated = b"".join(shuffle.repeated_anchors([blob for q, blob in anchors if q == p], p) for p in range(2))
    windows = shuffle.scatter(texts, 0, repeated)
    for call in (
        lambda: shuffle.scatter(texts, 0, repeated[:-1]),
        lambda: shuffle.scatter(texts, 0, repeated + repeated),
        lambda: shuffle._replace(length=3).scatter(texts, 0, repeated),
        lambda: shuffle.gather([windows[0][1]] * 2, windows[0][0]),
        lambda: shuffle.gather([windows[0][1]], 1 - windows[0][0]),
        lambda: shuffle.repeated_anchors([windows[0][1]], windows[0][0]),
    ):
        with pytest.raises(OSError):
            call()
    places = {"text": [1], "begin": [0], "end": [3]}
    assert shuffle.cut(texts, 0, places).to_list() == ["a b c", ""]
    for wrong in ({"text": [2]}, {"begin": [3]}, {"end": [4]}, {"end": [2, 3]}):
        with pytest.raises(ValueError):
            shuffle.locate(texts, 0, {**places, **wrong})
    for call in (
        lambda: shuffle.gather([], 2),
        lambda: shuffle.scatter(texts, -1, b""),
        lambda: shuffle._replace(partitions=4097).scatter_anchors(texts),
        lambda: shuffle._replace(length=0).scatter_anchors(texts),
    ):
        with pytest.raises(ValueError):
            call()
