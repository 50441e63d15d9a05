"""FAISS, IndexBinaryIVF: 1,024 clusters. The argument after OUTPUT is the number of clusters that a query searches."""
import sys

import faiss
import numpy as np
from codes import run


def build(codes, bits, k):
    nearest = faiss.IndexBinaryFlat(bits)
    index = faiss.IndexBinaryIVF(nearest, bits, 1024)
    index.keep = nearest  # the index only points to it
    index.nprobe = int(sys.argv[6])
    index.train(codes[:40 * 1024])
    index.add(codes)
    return index


def search(index, queries, k):
    limits, distances, places = index.range_search(queries, k + 1)  # FAISS returns distances below the radius
    return np.repeat(np.arange(len(queries)), np.diff(limits.astype(int))), places, distances


faiss.omp_set_num_threads(1)
run(build, search)
