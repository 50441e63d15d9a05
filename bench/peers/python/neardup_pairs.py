"""neardup's package for Python: finds all pairs of the texts exactly."""
import json
import sys

import neardup

with open(sys.argv[1], encoding="utf-8") as lines:
    texts = [json.loads(line)["text"] for line in lines]
found = neardup.pairs(texts, threads=1)
with open(sys.argv[2], "w", encoding="ascii") as output:
    output.writelines(f"{i}\t{j}\n" for i, j in zip(found.first.tolist(), found.second.tolist()))
