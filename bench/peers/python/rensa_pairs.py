"""rensa: MinHash of 128 values, LSH in 16 bands."""
from rensa import RMinHash, RMinHashLSH
from texts import run


def pairs(sets):
    hashes = RMinHash.from_token_sets(sets, 128, 42)
    lsh = RMinHashLSH(0.8, 128, 16)
    lsh.insert_many(hashes)
    for i, found in enumerate(lsh.query_all(hashes)):
        for j in found:
            if j < i:
                yield j, i


run(pairs)
