"""pynear, MIHBinaryIndex: finds the 10 nearest codes within a distance, by tables of 16 bits."""
import numpy as np
import pynear
from codes import run


def build(codes, bits, k):
    index = pynear.MIHBinaryIndex(bits // 16)
    index.set(codes)
    return index


def search(index, queries, k):
    places, distances = index.searchKNN_arrays(queries, 10, radius=k)
    return np.repeat(np.arange(len(queries)), 10), places.ravel(), distances.ravel()


run(build, search)
