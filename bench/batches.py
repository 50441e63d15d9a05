#!/usr/bin/env python3
"""Measures what the rows of batches.cpp measure, by the package for Python. Arguments: numbers of kept texts."""

import random
import sys
import time

import neardup

RANDOM = random.Random(1)
WORDS = [f"w{i}" for i in range(20_000)]


def texts(count):
    return [" ".join(RANDOM.choices(WORDS, k=20)) for _ in range(count)]


for kept in map(int, sys.argv[1:]):
    dedup = neardup.Deduplicator(0.8)
    dedup.add_batch(texts(kept), threads=1)
    row = []
    for size in (0, 1, 10, 100, 1000, 10_000, 100_000):
        new = texts(max(size, 2000))
        start = time.process_time()
        if size == 0:
            for text in new:
                dedup.add(text)
        else:
            for i in range(0, len(new), size):
                dedup.add_batch(new[i : i + size], threads=1)
        row.append(f"{(time.process_time() - start) / len(new) * 1e6:.1f}")
    print(f"| Python | {kept} | {' | '.join(row)} |", flush=True)
