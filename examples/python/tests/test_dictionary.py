"""Compares Chinese words of a dictionary, and tables of weights, with those of the command."""

import json
import os
import random
import subprocess

import numpy as np
import pyarrow as pa
import pytest

import neardup

PROGRAM = os.environ.get("NEARDUP_PROGRAM")
needs_command = pytest.mark.skipif(not PROGRAM, reason="NEARDUP_PROGRAM names no command")
WORDS = "研究 100\n研究生 50\n生命 80\n起源 60\n的 900\n我们 400\n大学 90\n学生 70\n大学生 30\n数据库 80\n备份 70\n恢复 60\n"


def corpus():
    rng = random.Random(3)
    words = [line.split()[0] for line in WORDS.splitlines()] + ["牛奶", "the", "of", "TiDB", "，", "。", "3.5%"]
    texts = ["".join(rng.choices(words, k=rng.randrange(0, 40))) for _ in range(300)]
    for i in range(0, 300, 3):
        texts[i] = texts[i // 2] + rng.choice(words)
    return texts


TEXTS = corpus()
# With these probabilities, any two characters are a word.
MODEL = {
    "prob_start.py": "P={'B': -0.1, 'E': -3.14e+100, 'M': -3.14e+100, 'S': -2.5}\n",
    "prob_trans.py": "P={'B': {'E': -0.1, 'M': -2.5}, 'E': {'B': -0.5, 'S': -1.0}, 'M': {'E': -0.5, 'M': -1.0},\n 'S': {'B': -0.5, 'S': -1.0}}\n",
    "prob_emit.py": "P={'B': {'\\u725b': -1.0}, 'E': {'\\u5976': -1.0}, 'M': {'\\u725b': -9.0}, 'S': {'\\u725b': -5.0}}\n",
}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "dict.txt").write_text(WORDS)
    (tmp_path / "user.txt").write_text("生命的起源 7\n")
    (tmp_path / "stop.txt").write_text("我们\n")
    (tmp_path / "finalseg").mkdir()
    for name, text in MODEL.items():
        (tmp_path / "finalseg" / name).write_text(text)
    return tmp_path


def command(folder, verb, *options):
    path = folder / "texts.jsonl"
    path.write_text("".join(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(TEXTS)))
    line = [PROGRAM, verb, "--jsonl", "--quiet", *options, *(() if verb == "unique" else ("--format", "jsonl")), path]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    return [json.loads(one) for one in done.stdout.splitlines()]


def ways(folder):
    """Returns options of the command, and the equivalent arguments in Python."""
    path = folder / "dict.txt"
    yield ("--no-hmm",), neardup.Dictionary(path, model=False)
    yield (), path
    further = {"user_words": folder / "user.txt", "stop_words": folder / "stop.txt", "model": str(folder / "finalseg")}
    options = ("--user-dictionary", further["user_words"], "--stop-words", further["stop_words"], "--model", further["model"])
    yield options, neardup.Dictionary(path, **further)


@needs_command
@pytest.mark.parametrize("features", ["zh:words", "zh:keywords"])
def test_answers_are_those_of_the_command(files, features):
    seen = []
    for options, dictionary in ways(files):
        how = ("--features", features, "--dictionary", files / "dict.txt", *options)
        made_of = {"features": features, "dictionary": dictionary}
        rows = command(files, "tokens", "--weights", "tf", *how)
        for text, row in zip(TEXTS, rows):
            found = neardup.tokens(text, **made_of)
            assert {word: found.count(word) for word in found} == dict(map(tuple, row["tokens"]))
        seen.append(str(rows))
        rows = command(files, "pairs", "--similarity", "0.8", *how)
        found = neardup.pairs(TEXTS, **made_of)
        assert list(zip(found.first.tolist(), found.second.tolist())) == [(int(p["a"]), int(p["b"])) for p in rows]
        assert len(rows) > 50
        sets = neardup.features(pa.chunked_array([TEXTS[:100], TEXTS[100:]]), **made_of)
        assert neardup.pairs(sets).first.tolist() == found.first.tolist()
        kept = [int(row["id"]) for row in command(files, "unique", "--similarity", "0.8", *how)]
        assert neardup.unique(TEXTS, **made_of).nonzero()[0].tolist() == kept
        assert neardup.Deduplicator(0.8, **made_of).add_batch(TEXTS).is_new.nonzero()[0].tolist() == kept
        for bits in (32, 128):
            rows = command(files, "hash", "--bits", str(bits), *how)
            assert neardup.fingerprints(TEXTS, bits=bits, **made_of).hex() == [row.get("fingerprint") for row in rows]
    assert len(set(seen)) == 3


@needs_command
@pytest.mark.parametrize("features", ["words:2", "chars:3", "zh:words", "zh:keywords"])
@pytest.mark.parametrize("weights", ["idf", "tfidf", "levels:4:tfidf", "quantiles:3:idf"])
def test_weights_are_those_of_the_command(files, features, weights):
    dictionary = files / "dict.txt" if features.startswith("zh:") else None
    how = ("--features", features, "--weights", weights, *(("--dictionary", dictionary) if dictionary else ()))
    table = neardup.IdfTable.learn(TEXTS + [None], features, dictionary=dictionary)
    expected = [row.get("fingerprint") for row in command(files, "hash", *how)]
    made_of = {"features": features, "weights": weights, "dictionary": dictionary}
    assert neardup.fingerprints(TEXTS, idf=table, **made_of).hex() == expected
    in_chunks = neardup.IdfTable.learn(pa.chunked_array([TEXTS[:7], TEXTS[7:], [None]]), features, dictionary=dictionary)
    assert neardup.fingerprints(TEXTS, idf=in_chunks, **made_of).hex() == expected
    if features == "chars:3":
        return  # a file cannot have features with blanks
    table.save(files / "idf.txt")
    assert expected == [row.get("fingerprint") for row in command(files, "hash", *how, "--idf-file", files / "idf.txt")]
    assert neardup.fingerprints(TEXTS, idf=files / "idf.txt", **made_of).hex() == expected
    assert len(neardup.IdfTable(str(files / "idf.txt"))) == len(table)


def test_objects_keep_their_words(files):
    dictionary = neardup.Dictionary(files / "dict.txt")
    assert len(dictionary) == 12 and "12 words" in repr(dictionary)
    seen = neardup.Deduplicator(features="zh:words", dictionary=dictionary, path=files / "seen")
    index = neardup.SetIndex(features="zh:words", dictionary=dictionary)
    del dictionary
    assert [v.is_new for v in map(seen.add, ["研究生命的起源", "研究生命，的起源", "我们"])] == [True, False, True]
    seen.close()
    index.insert(["研究生命的起源"], [7])
    assert index.search(["研究生命。的起源"]).id.tolist() == [7]
    other = neardup.Dictionary(files / "dict.txt", user_words=files / "user.txt")
    with pytest.raises(ValueError, match="seen"):
        neardup.Deduplicator(features="zh:words", dictionary=other, path=files / "seen")
    again = neardup.Deduplicator(features="zh:words", dictionary=files / "dict.txt", path=files / "seen")
    assert len(again) == 2


@pytest.mark.parametrize("damage", ["研究", "研究 many", "研究 -1", "\xff\xfe 3", "", None, "\x89neardup", f"研究 {2**53 - 1}\n" * 1025])
def test_bad_files_are_named(files, damage):
    path = files / "bad.txt"
    if damage is not None:
        path.write_bytes(damage.encode("latin-1" if damage.startswith("\xff") else "utf-8"))
    files_of = [{"path": path, "model": False}]
    if damage:
        files_of.append({"path": files / "dict.txt", "model": False, "stop_words": path} if "\xff" in damage else {"path": path})
    for one in files_of:
        with pytest.raises(OSError, match="bad.txt|finalseg"):
            neardup.Dictionary(**one)
    with pytest.raises(OSError, match="bad.txt"):
        neardup.features(["研究"], "zh:words", dictionary=path)
    if damage is None or "\xff" not in damage:
        with pytest.raises(OSError, match="bad.txt"):
            neardup.IdfTable(path)


def test_a_bad_model_is_named(files):
    (files / "finalseg" / "prob_emit.py").write_text("P={")
    with pytest.raises(OSError, match="prob_emit.py"):
        neardup.Dictionary(files / "dict.txt")
    for model in (files / "nothing", files / "dict.txt"):
        with pytest.raises(OSError, match=model.name):
            neardup.Dictionary(files / "dict.txt", model=model)


def test_arguments_that_are_refused(files):
    dictionary = neardup.Dictionary(files / "dict.txt")
    for call in (
        lambda: neardup.features(["a"], "zh:words"),
        lambda: neardup.tokens("a", "zh:keywords"),
        lambda: neardup.features(["a"], "words:2", dictionary=dictionary),
        lambda: neardup.pairs(["a"], measure="edit", dictionary=dictionary),
        lambda: neardup.fingerprints(["a"], idf=neardup.IdfTable.learn(["a"]), weights="tf"),
        lambda: neardup.fingerprints(["a"], idf=neardup.IdfTable.learn(["a"]), weights="idf", same="numbers"),
        lambda: neardup.Dictionary(""),
    ):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: neardup.Dictionary(None), lambda: neardup.Dictionary("x", model=True), lambda: neardup.IdfTable(3)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(OSError, match="cannot be written"):
        neardup.IdfTable.learn(["a b"], "chars:2").save(files / "idf.txt")


def test_learning_ends_with_progress():
    told = []
    neardup.IdfTable.learn(np.array(TEXTS), progress=lambda done, all: told.append((done, all)))
    assert told[-1] == (300, 300)
    with pytest.raises(KeyError):
        neardup.IdfTable.learn(TEXTS, progress=lambda done, all: {}["stop"])
