"""FastSketchLSH: MinHash of 128 values, LSH in 16 bands."""
from FastSketchLSH import LSH, FastSimilaritySketch
from texts import run


def pairs(sets):
    sketches = FastSimilaritySketch(size=128).batch(sets, num_threads=1)
    lsh = LSH(num_perm=128, num_bands=16)
    lsh.insert(sketches)
    for i, sketch in enumerate(sketches):
        for j in lsh.query(sketch):
            if j < i:
                yield j, i


run(pairs)
