"""datasketch: MinHash of 128 values, with LSH in 16 bands of 8."""
from datasketch import MinHash, MinHashLSH
from texts import run


def pairs(sets):
    hashes = MinHash.bulk([[feature.encode() for feature in one] for one in sets], num_perm=128)
    lsh = MinHashLSH(num_perm=128, params=(16, 8))
    for i, one in enumerate(hashes):
        for j in lsh.query(one):
            yield j, i
        lsh.insert(i, one)


run(pairs)
