"""text-dedup: MinHash of 128 values in 16 bands of 8, of lower-case words. Finds groups."""
import pickle
import re
import sys
import tempfile

from text_dedup import minhash
from texts import write_groups

minhash.NON_ALPHA = re.compile(" ")  # separates words
with tempfile.TemporaryDirectory(dir=".") as folder:
    source = f"--path json --data_files {sys.argv[1]} --split train --column text --cache_dir {folder}/cache --num_proc 1"
    settings = f"--ngram 2 --min_length 1 --num_perm 128 --b 16 --r 8 --hash_func xxh3 --output {folder}/kept --debug"
    minhash.main(f"{source} {settings}".split(), standalone_mode=False)
    with open(f"{folder}/kept/uf.pkl", "rb") as file:
        groups = pickle.load(file)
write_groups((text, groups.find(text)) for text in groups.parent)
