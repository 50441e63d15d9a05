"""The job of a peer that searches codes: read CODES and QUERIES of BITS bits, write the pairs within K bits to OUTPUT, print
the CPU seconds to build and to search. The file of the peer adds the rest."""
import sys
import time

import numpy as np


def run(build, search):
    """build(codes, bits, k) makes an index; search(index, queries, k) gives the query, the place and the distance of each
    match, as arrays."""
    bits, k = int(sys.argv[3]), int(sys.argv[4])
    codes, queries = (np.fromfile(path, np.uint8).reshape(-1, bits // 8) for path in sys.argv[1:3])
    begin = time.process_time()
    index = build(codes, bits, k)
    built = time.process_time()
    query, place, distance = search(index, queries, k)
    end = time.process_time()
    found = np.stack([query, place], axis=1)[distance <= k]
    np.savetxt(sys.argv[5], found, "%d", "\t")
    print(built - begin, end - built)
