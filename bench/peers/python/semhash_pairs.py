"""SemHash: cosine .889 of features hashed to 256 numbers. SemHash's own model is not used, because it has to be downloaded."""
import zlib

import numpy as np
from semhash import SemHash
from texts import run


class Hashed:
    """Encodes feature sets. Two sets of equal size with a Jaccard similarity of .8 have a cosine of .889."""

    def encode(self, sets, **_):
        vectors = np.zeros((len(sets), 256), np.float32)
        for vector, one in zip(vectors, sets):
            hashes = np.array([zlib.crc32(feature.encode()) for feature in one.split("\n")])
            np.add.at(vector, hashes % 256, 1 - 2.0 * (hashes >> 8 & 1))
        return vectors


def pairs(sets):
    records = [{"set": "\n".join(sorted(one)), "id": str(i)} for i, one in enumerate(sets)]
    index = SemHash.from_records(records, columns=["set"], model=Hashed()).index
    groups = [[int(record["id"]) for record in group] for group in index.items]
    for own, (near, _) in zip(groups, index.query_threshold(index.vectors, threshold=0.889)):
        others = {i for place in near for i in groups[place]}.union(own)
        yield from ((i, j) for i in own for j in others if i < j)


run(pairs)
