"""SetSimilaritySearch: finds all pairs exactly."""
from SetSimilaritySearch import all_pairs
from texts import run


def pairs(sets):
    for i, j, _ in all_pairs(sets, similarity_func_name="jaccard", similarity_threshold=0.8):
        yield i, j


run(pairs)
