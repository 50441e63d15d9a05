#!/usr/bin/env python3
"""Writes the codes of the pictures in Debian's openclipart-png: phash.codes and dhash.codes by ImageHash, pdq.codes by pdqhash
(pip install ImageHash pdqhash). docs/how-to/codes.md counts the pairs.
"""

import pathlib

import imagehash, numpy, pdqhash
from PIL import Image

with open("phash.codes", "w") as phash, open("dhash.codes", "w") as dhash, open("pdq.codes", "w") as pdq:
    for path in sorted(pathlib.Path("/usr/share/openclipart/png").rglob("*.png")):
        with Image.open(path) as picture:
            shape = picture.convert("RGBA")
        flat = Image.new("RGB", shape.size, "white")
        flat.paste(shape, mask=shape.getchannel("A"))
        flat.thumbnail((1024, 1024))
        print(imagehash.phash(flat), path, file=phash)
        print(imagehash.dhash(flat), path, file=dhash)
        bits, quality = pdqhash.compute(numpy.array(flat))
        if quality >= 50:
            print(f"{int(''.join(map(str, bits)), 2):064x}", path, file=pdq)
