"""Makes texts for tests. The module imports little, so that a separate process starts quickly."""

import numpy as np

WORDS = [f"word{i}" for i in range(3000)]


def corpus(count, words=20, seed=1):
    picked = np.random.default_rng(seed).integers(0, len(WORDS), (count, words)).tolist()
    texts = [" ".join(WORDS[i] for i in row) for row in picked]
    for i in range(0, count - 1, 10):
        texts[i + 1] = texts[i] + " more"
    return texts
