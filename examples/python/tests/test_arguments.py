"""Wrong types of arguments raise TypeError, and numbers out of range raise ValueError. Also tests the public names."""

import decimal
import fractions

import neardup
import numpy as np
import pytest

TEXTS = ["a ferry leaves the pier at noon", "good stock begins with cold water"]
CODES = np.array([1, 3], np.uint64)
SETS = neardup.features(TEXTS)


def dedup(**named):
    return neardup.Deduplicator(**named)


def shuffle(**named):
    return neardup.Shuffle(**named).scatter(neardup.FeatureCounts(bits=64))


# Calls with one number, by the kind of the number, and a valid number.
SIMILARITIES = {
    "pairs": lambda x: neardup.pairs(TEXTS, similarity=x),
    "pairs, edit": lambda x: neardup.pairs(TEXTS, similarity=x, measure="edit"),
    "verify": lambda x: neardup.verify(([0], [1]), TEXTS, similarity=x),
    "groups": lambda x: neardup.groups(TEXTS, similarity=x),
    "unique": lambda x: neardup.unique(TEXTS, similarity=x),
    "extend_groups": lambda x: neardup.extend_groups(TEXTS, TEXTS, similarity=x),
    "SetIndex": lambda x: neardup.SetIndex(x),
    "SetIndex.search": lambda x: neardup.SetIndex(0.5).search(TEXTS, x),
    "SetIndex.nearest": lambda x: neardup.SetIndex(0.5).nearest(TEXTS, x),
    "Deduplicator": lambda x: dedup(similarity=x),
    "Shuffle": lambda x: shuffle(similarity=x),
}
MAY_BE_NONE = {"SetIndex.search", "SetIndex.nearest"}
WHOLE = {
    "threads": (lambda x: neardup.pairs(TEXTS, threads=x), 2, True),
    "near_pairs, threads": (lambda x: neardup.near_pairs(CODES, threads=x), 2, True),
    "add_batch, threads": (lambda x: dedup().add_batch(TEXTS, threads=x), 2, True),
    "features, bits": (lambda x: neardup.features(TEXTS, bits=x), 64, False),
    "features, seed": (lambda x: neardup.features(TEXTS, seed=x), 7, False),
    "feature_sets, bits": (lambda x: neardup.feature_sets([[1]], bits=x), 64, False),
    "pairs, bits": (lambda x: neardup.pairs(TEXTS, bits=x), 64, True),
    "pairs, seed": (lambda x: neardup.pairs(TEXTS, seed=x), 7, True),
    "pairs, min_common": (lambda x: neardup.pairs(TEXTS, min_common=x), 2, True),
    "groups, bits": (lambda x: neardup.groups(TEXTS, bits=x), 64, True),
    "fingerprints, bits": (lambda x: neardup.fingerprints(TEXTS, bits=x), 128, False),
    "fingerprints, seed": (lambda x: neardup.fingerprints(TEXTS, seed=x), 7, False),
    "near_pairs, k": (lambda x: neardup.near_pairs(CODES, k=x), 2, False),
    "cluster, k": (lambda x: neardup.cluster(CODES, k=x), 2, False),
    "Index, k": (lambda x: neardup.Index(x), 2, False),
    "Index, bits": (lambda x: neardup.Index(bits=x), 128, False),
    "Index, blocks": (lambda x: neardup.Index(blocks=x), 5, True),
    "Index.search, k": (lambda x: neardup.Index(3).search(CODES, x), 2, True),
    "SetIndex, bits": (lambda x: neardup.SetIndex(bits=x), 64, False),
    "SetIndex, min_common": (lambda x: neardup.SetIndex(min_common=x), 2, True),
    "SetIndex, seed": (lambda x: neardup.SetIndex(seed=x), 2, False),
    "max_documents": (lambda x: dedup(max_documents=x), 2, True),
    "max_bytes": (lambda x: dedup(max_bytes=x), 2, True),
    "max_age": (lambda x: dedup(max_age=x), 2, True),
    "now": (lambda x: dedup().add_batch(TEXTS, now=x), 2, True),
    "add, id": (lambda x: dedup().add("a", x), 2, True),
    "erase, id": (lambda x: dedup().erase(x), 2, False),
    "FeatureCounts, features": (lambda x: neardup.FeatureCounts(x), 2, False),
    "FeatureCounts, bits": (lambda x: neardup.FeatureCounts(bits=x), 32, False),
    "Shuffle, min_common": (lambda x: shuffle(min_common=x), 2, False),
    "Shuffle, partitions": (lambda x: shuffle(partitions=x), 2, False),
    "Shuffle, identity": (lambda x: shuffle(identity=x), 2, False),
    "gather, partition": (lambda x: neardup.Shuffle(partitions=4).gather([], x), 2, False),
    "gather, bits": (lambda x: neardup.Shuffle(bits=x).gather([], 0), 32, False),
}
FLAGS = {
    "copies_once": lambda x: neardup.pairs(TEXTS, copies_once=x),
    "near_pairs, copies_once": lambda x: neardup.near_pairs(CODES, copies_once=x),
    "chains": lambda x: neardup.groups(TEXTS, chains=x),
    "duplicates_renew": lambda x: dedup(duplicates_renew=x),
    "Shuffle, copies_once": lambda x: shuffle(copies_once=x),
}
ARRAYS = {
    "insert, ids": lambda x: neardup.Index(3).insert(CODES, x),
    "SetIndex.insert, ids": lambda x: neardup.SetIndex().insert(TEXTS, x),
    "add_batch, ids": lambda x: dedup().add_batch(TEXTS, x),
    "verify, positions": lambda x: neardup.verify((x, [1, 0]), TEXTS),
    "codes": lambda x: neardup.near_pairs(x),
}
NO_NUMBERS = ["0.8", "1", b"1", True, False, np.bool_(True), np.str_("1"), 1 + 0j, np.complex128(1), [1], {}, object(), decimal.Decimal(1)]


@pytest.mark.parametrize("name", SIMILARITIES)
def test_similarities(name):
    call = SIMILARITIES[name]
    for wrong in [*NO_NUMBERS, np.array([0.8, 0.9])] + ([] if name in MAY_BE_NONE else [None]):
        with pytest.raises(TypeError):
            call(wrong)
    for wrong in (float("nan"), float("inf"), 0, -0.5, 1.5, np.float32("nan")):
        with pytest.raises(ValueError):
            call(wrong)
    for right in (0.75, 1, np.float32(0.75), np.float64(0.75), np.int64(1), fractions.Fraction(3, 4)):
        call(right)


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers(name):
    call, right, may_be_none = WHOLE[name]
    strings = {"1", "0.8", np.str_("1"), b"1"} if name in ("add, id", "erase, id") else set()  # strings are valid ids here
    for wrong in [*NO_NUMBERS, 2.0, 1.5, float("nan"), np.float64(2)] + ([] if may_be_none else [None]):
        if isinstance(wrong, (str, bytes)) and wrong in strings:
            continue
        with pytest.raises(TypeError):
            call(wrong)
    for wrong in (-1, 2**64, 2**70):
        with pytest.raises((ValueError, OverflowError)):
            call(wrong)
    for number in (right, np.int64(right), np.uint8(right)):
        call(number)


@pytest.mark.parametrize("name", FLAGS)
def test_flags(name):
    for wrong in ("no", "True", 1, 0, 2.5, None, [], np.int64(1)):
        with pytest.raises(TypeError):
            FLAGS[name](wrong)
    for right in (True, False, np.bool_(True)):
        FLAGS[name](right)


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_whole_numbers(name):
    for wrong in ([True, False], [1, True], [0, np.bool_(True)], np.array([True, False]), [1.5, 2.5], np.array([0.0, 1.0]), [None, 1], [1j, 2j]):
        with pytest.raises(TypeError):
            ARRAYS[name](wrong)
    for right in ([0, 1], (0, 1), np.array([0, 1]), [np.int64(0), 1]):
        ARRAYS[name](right)


# The functions that read texts, and arguments that have no effect on FeatureSets or on edits. A default value counts as given.
READERS = {
    "pairs": neardup.pairs,
    "pairs, others": lambda of, **named: neardup.pairs(of, of, **named),
    "verify": lambda of, **named: neardup.verify(([0], [1]), of, **named),
    "groups": neardup.groups,
    "unique": neardup.unique,
    "annotate": neardup.annotate,
    "extend_groups": lambda of, **named: neardup.extend_groups(of, of, **named),
}
OF_TEXTS = {"features": "words:2", "seed": 0, "bits": 32, "same": "numbers", "progress": lambda done, all: None}


@pytest.mark.parametrize("name", READERS)
def test_arguments_without_an_effect_are_refused(name):
    call = READERS[name]
    for argument, value in OF_TEXTS.items():
        with pytest.raises(TypeError, match=f"^`{argument}` does not go with FeatureSets"):
            call(SETS, **{argument: value})
        call(TEXTS, **{argument: value})
    with pytest.raises(TypeError, match="^`features`, `seed` and `bits` do not go with FeatureSets"):
        call(SETS, features="chars:5", seed=1, bits=64)
    for argument, value in {**OF_TEXTS, "min_common": 1}.items():
        if argument == "progress":
            call(TEXTS, measure="edit", progress=value)
            continue
        with pytest.raises(ValueError, match=f'^`{argument}` does not go with measure="edit"'):
            call(TEXTS, measure="edit", **{argument: value})


def test_settings_of_texts_go_with_sets_and_texts():
    for sets, texts in ((neardup.features(TEXTS, "chars:5"), TEXTS), (TEXTS, neardup.features(TEXTS, "chars:5"))):
        assert neardup.pairs(sets, texts, features="chars:5").first.tolist() == [0, 1]
        assert neardup.extend_groups(sets, texts, features="chars:5").tolist() == [0, 1]


def test_progress_is_refused_by_an_index_that_reads_sets():
    index = neardup.SetIndex()
    for call in (lambda **named: index.insert(SETS, [1, 2], **named), lambda **named: index.search(SETS, **named), lambda **named: index.nearest(SETS, **named)):
        with pytest.raises(TypeError, match="^`progress` does not go with FeatureSets"):
            call(progress=lambda done, all: None)
        call()


@pytest.mark.parametrize("call, of", [(neardup.pairs, TEXTS), (neardup.near_pairs, CODES)])
def test_copies_once_is_refused_with_others(call, of):
    call(of, copies_once=True)
    with pytest.raises(ValueError, match="^copies_once .* does not go with `others`$"):
        call(of, of, copies_once=True)


def test_scores():
    for wrong in (["1", "2"], np.array(["1", "2"]), [1j, 2j], [None, 1], ["a", 1], [{}, {}]):
        with pytest.raises(TypeError):
            neardup.groups(TEXTS, prefer=wrong)
    for right in ([1, 2], [0.5, 1], [True, False], np.array([1, 2], np.uint8), [fractions.Fraction(1, 2), 1]):
        neardup.groups(TEXTS, prefer=right)
    with pytest.raises(ValueError, match="^the score of text 1 is NaN$"):
        neardup.groups(TEXTS, prefer=[1, float("nan")])
    for scores in ([], [1], [1, 2, 3]):
        with pytest.raises(ValueError, match=f"^{len(scores)} scores for 2 texts$"):
            neardup.groups(TEXTS, prefer=scores)


LARGE = [-(10**400), -(2**53) - 1, -(2**53), 0, 0.5, fractions.Fraction(2, 3), 2**53, 2**53 + 1, 2.0**63, 2**63 + 1, 10**400, float("inf")]


@pytest.mark.parametrize("low,high", list(zip(LARGE, LARGE[1:])), ids=lambda score: format(score, "")[:20])
def test_scores_are_not_rounded(low, high):
    texts = ["a b c d"] * 3
    for scores in ([low, high, low], (low, high, high), np.array([low, high, low], object)):
        assert neardup.groups(texts, prefer=scores).tolist() == [1, 1, 1]
        assert neardup.unique(texts, prefer=scores).tolist() == [False, True, False]
        assert neardup.annotate(texts, prefer=scores)["original"].tolist() == [1, 1, 1]
        assert neardup.groups(texts, prefer=scores, chains=True).tolist() == [1, 1, 1]
    assert neardup.groups(texts, prefer=[low, low, low]).tolist() == [0, 0, 0]


def test_scores_of_arrays_are_not_rounded():
    for dtype, low in ((np.int64, 2**53), (np.uint64, 2**63), (np.int64, -(2**53) - 1), (">i8", 2**60), (np.longdouble, 1)):
        step = np.finfo(np.longdouble).eps if dtype is np.longdouble else 1
        scores = np.array([low, low], dtype) + np.array([0, step], dtype)
        assert neardup.groups(TEXTS, prefer=scores[::-1]).tolist() == [0, 1]
        assert neardup.groups(["a b c d"] * 2, prefer=scores).tolist() == [1, 1]
    nanoseconds = [np.int64(2**60), np.uint64(2**60 + 1), 2**60 - 1]
    assert neardup.groups(["a b c d"] * 3, prefer=nanoseconds).tolist() == [1, 1, 1]
    assert neardup.groups(["a b c d"] * 3, prefer=[*nanoseconds[:2], 2**63]).tolist() == [2, 2, 2]


def test_messages_name_the_limit_that_a_number_misses():
    with pytest.raises(ValueError, match="^threads must be at least 1, not 0$"):
        neardup.pairs(TEXTS, threads=0)
    with pytest.raises(ValueError, match="^k must be at least 0 and at most 256, not -1$"):
        neardup.Index(-1)


def test_tokens_are_of_one_text():
    for wrong in (TEXTS, None, 7):
        with pytest.raises(TypeError, match=f"^a text must be str or bytes, not {type(wrong).__name__}$"):
            neardup.tokens(wrong)


def test_true_is_no_id():
    index, seen = neardup.SetIndex(), neardup.Deduplicator()
    index.insert(TEXTS, [0, 1])
    seen.add_batch(TEXTS)
    assert 1 in index and 1 in seen and np.int64(1) in index
    assert True not in index and True not in seen


def test_the_package_shows_its_names_and_no_others():
    assert [name for name in dir(neardup) if not name.startswith("_")] == sorted(neardup.__all__)
    assert "__version__" in dir(neardup)
    everything = {}
    exec("from neardup import *", everything)
    assert set(everything) - {"__builtins__"} == set(neardup.__all__)
