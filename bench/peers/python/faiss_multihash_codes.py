"""FAISS, IndexBinaryMultiHash: tables of 16 bits. Each table is searched with so many flips that no match is missed."""
import faiss
import numpy as np
from codes import run


def build(codes, bits, k):
    index = faiss.IndexBinaryMultiHash(bits, bits // 16, 16)
    index.nflip = k // (bits // 16)
    index.add(codes)
    return index


def search(index, queries, k):
    limits, distances, places = index.range_search(queries, k + 1)  # FAISS returns distances below the radius
    return np.repeat(np.arange(len(queries)), np.diff(limits.astype(int))), places, distances


faiss.omp_set_num_threads(1)
run(build, search)
