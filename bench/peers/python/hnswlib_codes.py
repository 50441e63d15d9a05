"""hnswlib: a graph of vectors of 0 and 1. The squared Euclidean distance of two vectors is the distance in bits.
Finds the 10 nearest codes."""
import hnswlib
import numpy as np
from codes import run


def vectors(codes):
    return np.unpackbits(codes, axis=1).astype(np.float32)


def build(codes, bits, k):
    index = hnswlib.Index(space="l2", dim=bits)
    index.init_index(max_elements=len(codes), ef_construction=100, M=16)
    index.set_ef(100)
    index.add_items(vectors(codes), num_threads=1)
    return index


def search(index, queries, k):
    places, distances = index.knn_query(vectors(queries), k=10, num_threads=1)
    return np.repeat(np.arange(len(queries)), 10), places.ravel(), distances.ravel()


run(build, search)
