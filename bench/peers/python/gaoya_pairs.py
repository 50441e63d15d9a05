"""gaoya's package for Python: MinHash of the texts in 16 bands of 8."""
import json
import sys

from gaoya.minhash import MinHashStringIndex

with open(sys.argv[1], encoding="utf-8") as lines:
    texts = [json.loads(line)["text"] for line in lines]
index = MinHashStringIndex(hash_size=32, jaccard_threshold=0.7, num_bands=16, band_size=8, analyzer="word", ngram_range=(2, 2))
index.par_bulk_insert_docs(list(range(len(texts))), texts)
with open(sys.argv[2], "w", encoding="ascii") as output:
    for i, found in enumerate(index.par_bulk_query(texts)):
        output.writelines(f"{j}\t{i}\n" for j in found if j < i)
