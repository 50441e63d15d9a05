"""datatrove: MinHash of 128 values in 16 buckets of 8, of unchanged words. Finds groups."""
import json
import struct
import sys
import tempfile

from datatrove.data import Document
from datatrove.pipeline.dedup import MinhashConfig, MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
from datatrove.utils.text import TextNormConfig
from datatrove.utils.word_tokenizers import WordTokenizer
from texts import write_groups


class Words(WordTokenizer):
    def word_tokenize(self, text):
        return text.split(" ")

    sent_tokenize = span_tokenize = None  # not called


unchanged = TextNormConfig(*[False] * 7)
config = MinhashConfig(n_grams=2, num_buckets=16, hashes_per_bucket=8, norm_config=unchanged)
with open(sys.argv[1], encoding="utf-8") as lines, tempfile.TemporaryDirectory(dir=".") as folder:
    signatures, pairs, found = (f"{folder}/{name}" for name in ("signatures", "pairs", "found"))
    MinhashDedupSignature(signatures, config, Words()).run(Document(**json.loads(line)) for line in lines)
    for bucket in range(16):
        MinhashDedupBuckets(signatures, pairs, config=config, lines_to_buffer=1000).run(rank=bucket, world_size=16)
    MinhashDedupCluster(pairs, found, config, save_cluster_id=True, lines_to_buffer=1000).run()
    with open(f"{found}/000000.clusters", "rb") as clusters:
        write_groups(struct.iter_unpack("<II", clusters.read()))
