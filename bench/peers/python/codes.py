"""The job of a peer that searches codes: it reads CODES and QUERIES of BITS bits, and writes the pairs within K bits
to OUTPUT. It prints the CPU seconds to build and to search. The peer's own file has the rest."""
import sys
import time

import numpy as np


def run(build, search):
    """Runs the job. build(codes, bits, k) makes an index. search(index, queries, k) returns the query, the position
    and the distance of each match, as arrays."""
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
