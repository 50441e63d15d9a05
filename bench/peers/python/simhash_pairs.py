"""simhash: finds fingerprints of 64 bits within 3 bits, its usual distance."""
from simhash import Simhash, SimhashIndex
from texts import run


def pairs(sets):
    hashes = [(str(i), Simhash(list(one))) for i, one in enumerate(sets)]
    index = SimhashIndex([], k=3)
    for i, one in hashes:
        for j in index.get_near_dups(one):
            yield j, i
        index.add(i, one)


run(pairs)
