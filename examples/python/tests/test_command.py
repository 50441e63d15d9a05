"""Compares answers with those of the command that $NEARDUP_PROGRAM names."""

import json
import math
import os
import random
import subprocess

import pytest

import neardup

PROGRAM = os.environ.get("NEARDUP_PROGRAM")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="NEARDUP_PROGRAM names no command")


def corpus(count=1500):
    rng = random.Random(5)
    words = [f"w{i}" for i in range(400)] + ["été", "中文文本", "naïve", "don't", "3.14", "x_y", "=="]
    texts = [" ".join(rng.choices(words, k=rng.randrange(0, 60))) for _ in range(count)]
    for i in range(0, count, 3):
        copy = texts[rng.randrange(count)].split()
        for _ in range(rng.randrange(0, 4)):
            if copy:
                copy[rng.randrange(len(copy))] = rng.choice(words)
        texts[i] = " ".join(copy)
    return texts


TEXTS = corpus()


def command(tmp_path, verb, *options):
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(TEXTS)))
    line = [PROGRAM, verb, "--jsonl", "--quiet", *options, *(() if verb == "unique" else ("--format", "jsonl")), path]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    return [json.loads(one) for one in done.stdout.splitlines()]


FEATURES = ["words:1", "words:2", "chars:5", "bytes:6", "masked:words:2", "canonical:words:2", "canonical:chars:4", "letters:4", "longest:1", "code:3", "spaced:words:2"]


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("similarity", [0.5, 0.8])
def test_pairs_groups_unique(tmp_path, features, similarity):
    how = ("--features", features, "--similarity", str(similarity), "--seed", "7")
    options = {"features": features, "similarity": similarity, "seed": 7}
    found = neardup.pairs(TEXTS, **options)
    similarities = [math.floor(s * 1e6 + 1e-9) / 1e6 for s in found.similarity.tolist()]  # rounds down, as the command does
    rows = list(zip(found.first.tolist(), found.second.tolist(), similarities))
    assert rows == [(int(p["a"]), int(p["b"]), p["similarity"]) for p in command(tmp_path, "pairs", *how)]
    assert len(rows) > 50
    labels = list(range(len(TEXTS)))
    for group in command(tmp_path, "groups", *how):
        for member in group["members"]:
            labels[int(member["id"])] = int(group["members"][0]["id"])
    assert neardup.groups(TEXTS, **options).tolist() == labels
    kept = [int(row["id"]) for row in command(tmp_path, "unique", *how)]
    assert neardup.unique(TEXTS, **options).nonzero()[0].tolist() == kept
    assert neardup.Deduplicator(similarity, features=features, seed=7).add_batch(TEXTS).is_new.nonzero()[0].tolist() == kept


@pytest.mark.parametrize("bits", [32, 64, 128, 256])
@pytest.mark.parametrize("kind", ["simhash", "minwise"])
def test_fingerprints(tmp_path, bits, kind):
    rows = command(tmp_path, "hash", "--bits", str(bits), "--kind", kind, "--seed", "9")
    assert neardup.fingerprints(TEXTS, bits=bits, kind=kind, seed=9).hex() == [row["fingerprint"] for row in rows]


@pytest.mark.parametrize("weights", ["tf", "logtf", "levels:1", "levels:5", "quantiles:3:logtf"])
def test_weights(tmp_path, weights):
    rows = command(tmp_path, "hash", "--weights", weights)
    assert neardup.fingerprints(TEXTS, weights=weights).hex() == [row["fingerprint"] for row in rows]
