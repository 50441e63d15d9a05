"""Finds near-duplicate texts, and misses none.

Texts are a list of str or bytes, a NumPy array, or an object with the Arrow PyCapsule interface, such as a column of
pyarrow, polars, pandas or DuckDB, or a reader of batches. Results are NumPy arrays, or objects with the same interface,
which other libraries can read: `polars.DataFrame(neardup.pairs(texts))`.

A null text is in no pair and is always kept. Each maximal ill-formed subpart of UTF-8, and each lone surrogate, is read
as U+FFFD. Every function runs without the GIL, on `threads` threads; None stands for one thread for each processor. The
number of threads never changes a result. A call runs `progress(done, all)` now and then on the calling thread. `done` is
the number of texts that the call has read, compared by edits or decided. `all` is the number of all texts, or None for a
reader. A join of features does not call `progress`, and FeatureSets refuse it. An exception of `progress` ends the call.

`features` names the features that are compared, as `neardup --features` does: "words:2" (runs of two words, the default),
"chars:5", "bytes:8", "code:4" and others. `bits` is the width of a feature, 32 (the default) or 64. `seed` (default: 0)
chooses the hash function of the features. An argument that cannot have an effect raises an exception, for example
`features` in a call with FeatureSets only, or `bits` with measure="edit". `same` names tokens in which
near-duplicates must agree, as `neardup --same` does: "numbers" (all numbers in digits), "words:FILE" (the words of a file,
one in each line), or a list of such names. `dictionary` is a Dictionary or its path, for "zh:words" and "zh:keywords".
"""

from __future__ import annotations

import numbers
import operator
import os
import threading
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as _np

from . import _native

__version__: str = _native.version
__all__ = [
    "CutTexts",
    "Deduplicator",
    "Dictionary",
    "DocumentPairs",
    "FeatureCounts",
    "FeatureSets",
    "Fingerprints",
    "IdfTable",
    "Index",
    "Matches",
    "Pairs",
    "PassageShuffle",
    "Passages",
    "SetIndex",
    "SetScatter",
    "Shuffle",
    "Verdict",
    "Verdicts",
    "annotate",
    "cluster",
    "cut_passages",
    "extend_groups",
    "feature_sets",
    "features",
    "fingerprints",
    "groups",
    "near_pairs",
    "pairs",
    "passages",
    "tokens",
    "unique",
    "verify",
]

Progress = Optional[Callable[[int, Optional[int]], Any]]
Same = Union[str, Sequence[str], None]
Id = Union[int, str]
Path = Union[str, os.PathLike]
Words = Union["Dictionary", Path, None]

_MEASURES = {"jaccard": 0, "cosine": 1, "containment": 2}
_KINDS = {"simhash": 0, "minwise": 1}


def __dir__() -> List[str]:
    """The public names, without what this module imports."""
    return [*__all__, *(name for name in globals() if name.startswith("__"))]


def _is_truth(value: Any) -> bool:
    """Returns True for a Boolean. Python and NumPy accept Booleans as numbers, and this package does not."""
    return isinstance(value, (bool, _np.bool_))


_UNLIMITED = 2**63 - 1


def _whole(number: Any, what: str, least: int, most: int = _UNLIMITED) -> int:
    try:
        if _is_truth(number):
            raise TypeError
        result = operator.index(number)
    except TypeError:
        raise TypeError(f"{what} must be a whole number, not {type(number).__name__}") from None
    if not least <= result <= most:
        end = "" if most == _UNLIMITED and result < least else f" and at most {most}"
        raise ValueError(f"{what} must be at least {least}{end}, not {result}")
    return result


def _width(bits: Any) -> int:
    """Checks a number of bits. The native module checks whether it has features or codes of this width."""
    return _whole(bits, "bits", 0, 256)


def _flag(value: Any, what: str) -> bool:
    if not _is_truth(value):
        raise TypeError(f"{what} must be True or False, not {type(value).__name__}")
    return bool(value)


def _array(values: Any, what: str, truths: bool = False) -> _np.ndarray:
    if not truths and isinstance(values, (list, tuple)) and any(_is_truth(one) for one in values):
        raise TypeError(f"{what} must be numbers, not True and False")
    try:
        return _np.asarray(values)
    except Exception as e:  # an exception of any library
        raise TypeError(f"{what} cannot be read as an array: {e}") from None


def _text(text: Any, what: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    text.encode()  # UnicodeEncodeError, a ValueError, for lone surrogates
    return text


def _number(names: dict, name: str, what: str) -> int:
    if _text(name, what) not in names:
        raise ValueError(f"{what} must be one of {', '.join(names)}, not {name!r}")
    return names[name]


def _run(threads: Optional[int], progress: Progress = None) -> Tuple[int, Any]:
    """Checks the settings of a call, and returns them for the native module."""
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function, not {type(progress).__name__}")
    return (0 if threads is None else _whole(threads, "threads", 1), progress)


def _made_of(features: str, seed: int, same: Same = None, dictionary: Words = None) -> Tuple[str, int, Any, Any]:
    """Checks how features are made, and returns it for the native module."""
    if not (same is None or isinstance(same, str) or hasattr(same, "__iter__")):
        raise TypeError(f"same must be a name or a list of names, not {type(same).__name__}")
    names = () if same is None else (same,) if isinstance(same, str) else tuple(same)
    for name in (features, *names):
        if "\0" in _text(name, "a name of features"):
            raise ValueError("a name of features has a null character")
    if dictionary is not None and not isinstance(dictionary, Dictionary):
        dictionary = Dictionary(dictionary)
    words = None if dictionary is None else dictionary._native
    return (features, _whole(seed, "a seed", 0, 2**64 - 1), names, words)


def _path(path: Union[str, os.PathLike, None]) -> str:
    """Returns the path as text; empty for None."""
    if path is None:
        return ""
    text = _text(os.fsdecode(path), "a path")
    if not text or "\0" in text:
        raise ValueError("the path is empty" if not text else "the path has a null character")
    return text


def _similarity(similarity: float) -> float:
    if _is_truth(similarity) or not isinstance(similarity, numbers.Real):
        raise TypeError(f"the similarity must be a number, not {type(similarity).__name__}")
    try:
        similarity = float(similarity)
    except OverflowError:
        raise ValueError("the similarity must be above 0, and at most 1, not a number above all floats") from None
    if not 0 < similarity <= 1:
        raise ValueError(f"the similarity must be above 0, and at most 1, not {similarity}")
    return similarity


class _Table:
    """Columns of equal length. NumPy and Arrow (by the PyCapsule interface) read them without a copy."""

    _columns: Sequence[str] = ()
    _named = ""  # the name of the column of strings, if there is one

    def __init__(self, native: Any, names: Optional[List[Optional[str]]] = None) -> None:
        self._native = native
        self._names = names

    def __len__(self) -> int:
        return len(self._native)

    def __getattr__(self, name: str) -> _np.ndarray:
        if name.startswith("_") or name not in self._columns:
            raise AttributeError(f"this {type(self).__name__} has no {name}, but {', '.join(self._columns)}")
        if self._names is not None and name == self._named:
            return _np.array(self._names, object)
        return self._native.column(name)

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self._native.array(*self._strings())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._native.stream(*self._strings())

    def _strings(self) -> Tuple[Any, ...]:
        """Returns Arrow's buffers of the strings."""
        if not self._named:
            return ()
        if self._names is None:
            return (None, None)
        data = [b"" if name is None else name.encode() for name in self._names]
        offsets = _np.zeros(len(data) + 1, _np.int64)
        _np.cumsum([len(one) for one in data], out=offsets[1:])
        return (offsets, b"".join(data))

    def to_numpy(self) -> dict:
        """Returns the columns by their names."""
        return {name: getattr(self, name) for name in self._columns}

    def __repr__(self) -> str:
        return f"<neardup.{type(self).__name__}: {len(self):,} rows of {', '.join(self._columns)}>"

    def _repr_html_(self) -> str:
        shown = 10
        rows = zip(*(getattr(self, name)[:shown].tolist() for name in self._columns))
        cells = lambda tag, row: "<tr>" + "".join(f"<{tag}>{_shown(value)}</{tag}>" for value in row) + "</tr>"  # noqa: E731
        rest = f"<p>{len(self):,} rows</p>" if len(self) > shown else ""
        return "<table>" + cells("th", self._columns) + "".join(cells("td", row) for row in rows) + "</table>" + rest


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


class Pairs(_Table):
    """Pairs of positions, sorted by (first, second).

    Columns: `first` and `second` (uint32). Pairs of sets also have `common` (the overlap, uint32) and `similarity`
    (float64). Pairs of codes have `distance` (bits, uint32). Pairs by edits have `distance` (edits) and `similarity`.
    """

    def __init__(self, native: Any) -> None:
        super().__init__(native)
        self._columns = tuple(native.columns.split())


class Passages(_Table):
    """Runs of text that repeated passages cover, each as long as possible, in the order of their places.

    Columns (uint32): `text` is the position of a text. `begin` and `end` are the place of the run in code points:
    `texts[text][begin:end]`. `begin_byte` and `end_byte` are the place in UTF-8. `first_text`, `first_begin` and so on
    are the first place of the run.
    """

    _columns = ("text", "begin", "end", "begin_byte", "end_byte", "first_text", "first_begin", "first_end", "first_begin_byte", "first_end_byte")


class _PassagePlaces(_Table):
    """Places of passages, for a PassageShuffle. `text` and `first_text` are numbers of texts in all parts."""

    def __init__(self, native: Any, columns: Sequence[str]) -> None:
        super().__init__(native)
        self._columns = tuple(columns)


class CutTexts:
    """Texts without their repeated passages, by position. Each is a str, or None for a null. Arrow: large_string."""

    def __init__(self, native: Any) -> None:
        self._native = native

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, i: int) -> Optional[str]:
        i = range(len(self))[i]
        if not isinstance(i, int):
            raise TypeError("the position of a text must be one number")
        text = self._native.bytes(i)
        return None if text is None else text.decode()

    def to_list(self) -> List[Optional[str]]:
        return [self[i] for i in range(len(self))]

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self._native.arrow()

    def __repr__(self) -> str:
        return f"<neardup.CutTexts: {len(self):,} texts>"


class Matches(_Table):
    """The matches of a search, sorted by query, then by distance and id, or by descending similarity.

    Columns: `query` (position, uint32) and `id` (uint64, or str). Matches of codes also have `distance` (bits, uint32).
    Matches of sets also have `common` (the overlap, uint32) and `similarity` (float64).
    """

    _named = "id"

    def __init__(self, native: Any, columns: Sequence[str], names: Optional[List[Optional[str]]] = None) -> None:
        super().__init__(native, names)
        self._columns = ("query", "id", *columns)


class FeatureSets:
    """The feature sets of texts, by position. The features of a set are ascending and distinct, of 32 or 64 bits.

    `offsets` (int64) and `values` (uint32 or uint64) are views of the sets. Arrow reads the sets as large_list.
    """

    def __init__(self, native: Any) -> None:
        self._native = native

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, i: int) -> _np.ndarray:
        i = range(len(self))[i]
        if not isinstance(i, int):
            raise TypeError("the position of a set must be one number")
        offsets = self.offsets
        return self.values[offsets[i] : offsets[i + 1]]

    @property
    def offsets(self) -> _np.ndarray:
        return self._native.offsets()

    @property
    def values(self) -> _np.ndarray:
        return self._native.values()

    @property
    def bits(self) -> int:
        """The width of a feature."""
        return self._native.width

    @property
    def nulls(self) -> int:
        """The number of null texts."""
        return self._native.nulls

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self._native.arrow()

    def __repr__(self) -> str:
        nulls = f" ({self.nulls:,} null)" if self.nulls else ""
        return f"<neardup.FeatureSets: {len(self):,} sets{nulls}, {len(self.values):,} features of {self.bits} bits>"


class Fingerprints:
    """Codes of texts, by position, of 32, 64, 128 or 256 bits. The code of a text without features is null.

    `valid` is False for a null. `words` (uint64) has shape (n,) up to 64 bits, else (n, bits / 64) with the lowest word
    first; it is 0 for a null. Arrow reads the codes as uint32, uint64 or fixed_size_binary, lowest byte first.
    """

    def __init__(self, native: Any) -> None:
        self._native = native

    def __len__(self) -> int:
        return len(self._native)

    @property
    def bits(self) -> int:
        return self._native.bits

    @property
    def nulls(self) -> int:
        return self._native.nulls

    @property
    def valid(self) -> _np.ndarray:
        return self._native.valid().view(bool)

    @property
    def words(self) -> _np.ndarray:
        words = self._native.words()
        return words if self.bits <= 64 else words.reshape(len(self), self.bits // 64)

    def hex(self) -> List[Optional[str]]:
        """Returns each code as the command prints it: bits / 4 hexadecimal digits, the highest first."""
        rows = self.words.reshape(len(self), max(1, self.bits // 64))[:, ::-1].tolist()
        digits = min(self.bits, 64) // 4
        return ["".join(f"{word:0{digits}x}" for word in row) if ok else None for row, ok in zip(rows, self.valid)]

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self._native.arrow()

    def __repr__(self) -> str:
        nulls = f" ({self.nulls:,} null)" if self.nulls else ""
        return f"<neardup.Fingerprints: {len(self):,}{nulls} of {self.bits} bits>"


class Dictionary:
    """A dictionary of Chinese words, which many calls can use.

    `path`: a file like jieba's dict.txt, or a dictionary that the library has saved. `user_words`: a file like jieba's
    user dictionaries. `model`: the folder of jieba's model of unknown words, by default finalseg/ beside `path`; with
    False, unknown words are cut into characters. `stop_words`: a file of words that are left out, one in each line.
    """

    def __init__(
        self,
        path: Path,
        *,
        user_words: Optional[Path] = None,
        model: Union[Path, bool, None] = None,
        stop_words: Optional[Path] = None,
    ) -> None:
        if model is True:
            raise TypeError("model must be a path, None or False")
        folder = "" if model is False else _path(model)
        self._path = _path(os.fspath(path))
        self._native = _native.Dictionary(self._path, _path(user_words), folder, model is False, _path(stop_words))

    def __len__(self) -> int:
        """Returns the number of words."""
        return len(self._native)

    def __repr__(self) -> str:
        return f"<neardup.Dictionary: {len(self):,} words, {self._path}>"


class IdfTable:
    """A table of weights, higher for rare features, from a file of lines "feature weight" like jieba's idf.txt.

    A feature that the table does not have gets the median weight.
    """

    def __init__(self, path: Path) -> None:
        self._native = _native.Idf.load(_path(os.fspath(path)))

    @classmethod
    def learn(
        cls,
        texts: Any,
        features: str = "words:2",
        *,
        dictionary: Words = None,
        progress: Progress = None,
    ) -> "IdfTable":
        """Computes the weights ln(1 + N / df) from N texts, of which df have the feature. Nulls do not count as texts."""
        result = cls.__new__(cls)
        result._native = _native.Idf.learn(texts, _made_of(features, 0, None, dictionary), _run(1, progress))
        return result

    def save(self, path: Path) -> None:
        """Writes the file. Raises OSError if a feature begins or ends with white space, which "chars:5" allows."""
        self._native.save(_path(os.fspath(path)))

    def __len__(self) -> int:
        """Returns the number of features."""
        return len(self._native)

    def __repr__(self) -> str:
        return f"<neardup.IdfTable: {len(self):,} features>"


def tokens(text: Union[str, bytes], features: str = "words:2", *, dictionary: Words = None) -> List[Any]:
    """Returns the tokens of one text, also repeated tokens, before they are hashed: str, or bytes for "bytes:N"."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"a text must be str or bytes, not {type(text).__name__}")
    if isinstance(text, str):
        # A lone surrogate becomes U+FFFD.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
    found = _native.tokens(text, _made_of(features, 0, None, dictionary))
    return found if features.startswith("bytes:") else [token.decode("utf-8", "replace") for token in found]


def features(
    texts: Any,
    features: str = "words:2",
    *,
    seed: int = 0,
    bits: int = 32,
    same: Same = None,
    dictionary: Words = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> FeatureSets:
    """Returns the feature sets of texts. Every join accepts them in place of the texts. Reads a reader to its end."""
    sets = _native.Sets(_width(bits))
    sets.add_texts(texts, _made_of(features, seed, same, dictionary), _run(threads, progress))
    return FeatureSets(sets)


def feature_sets(sets: Any, *, bits: int = 32) -> FeatureSets:
    """Makes FeatureSets of the caller's own features, which are unsigned integers of `bits` bits. `sets`: a column of
    Arrow's lists, each ascending and distinct, or an iterable of iterables in any order. A null becomes an empty set."""
    result = _native.Sets(_width(bits))
    if hasattr(sets, "__arrow_c_stream__") or hasattr(sets, "__arrow_c_array__"):
        result.add_lists(sets)
        return FeatureSets(result)
    kind = _np.uint32 if result.width == 32 else _np.uint64
    parts = [_features_of(one, kind) for one in sets]
    offsets = _np.zeros(len(parts) + 1, _np.int64)
    _np.cumsum([len(part) for part in parts], out=offsets[1:])
    result.add_flat(_np.concatenate([_np.empty(0, kind), *parts]), offsets)
    return FeatureSets(result)


def _features_of(one: Any, kind: Any) -> _np.ndarray:
    if one is None:
        return _np.empty(0, kind)
    numbers = one if isinstance(one, _np.ndarray) else list(one)
    if len(numbers) == 0:
        return _np.empty(0, kind)
    if isinstance(one, _np.ndarray):
        if one.dtype.kind not in "ui":
            raise TypeError(f"features must be unsigned integers, not {one.dtype}")
        if one.dtype.kind == "i" and one.min() < 0 or one.max() > _np.iinfo(kind).max:
            raise OverflowError(f"a feature does not fit into {_np.dtype(kind).name}")
        return _np.unique(one.astype(kind))
    if not all(isinstance(number, (int, _np.integer)) and not isinstance(number, bool) for number in numbers):
        raise TypeError("features must be unsigned integers")
    return _np.unique(_np.array(numbers, kind))


def _refuse(names: Sequence[str], why: str, error: Any = TypeError) -> None:
    """Raises `error`, which names the arguments, if there are any."""
    if names:
        listed = " and ".join([", ".join(f"`{name}`" for name in names[:-1])] * (len(names) > 1) + [f"`{names[-1]}`"])
        raise error(f"{listed} {'does' if len(names) == 1 else 'do'} not go with {why}")


class _Reading(NamedTuple):
    """Settings by which texts are read: as sets of features, or as texts that are compared by edits."""

    by_edits: bool
    made_of: Any
    bits: int
    run: Any
    of_texts: Sequence[str]  # the names of the given arguments that have no effect on FeatureSets

    def __call__(self, texts: Any, others: Any = None) -> Tuple[Any, Any]:
        """Reads texts or FeatureSets, and others unless they are None."""
        if isinstance(texts, FeatureSets) and (others is None or isinstance(others, FeatureSets)):
            _refuse(self.of_texts, "FeatureSets, which are made of texts already")
        return self._read(texts), None if others is None else self._read(others)

    def _read(self, texts: Any) -> Any:
        if not self.by_edits:
            if isinstance(texts, FeatureSets):
                return texts._native
            result = _native.Sets(self.bits)
            result.add_texts(texts, self.made_of, self.run)
        else:
            if isinstance(texts, FeatureSets):
                raise TypeError('measure="edit" compares texts, not FeatureSets')
            result = _native.Texts()
            result.add(texts, self.run)
        return result


def _reading(
    measure: str,
    min_common: Optional[int],
    features: Optional[str],
    seed: Optional[int],
    bits: Optional[int],
    same: Same,
    dictionary: Words,
    run: Any,
) -> Tuple[_Reading, int, int]:
    """Returns the settings for reading texts, the number of the measure and the least overlap."""
    by_edits = isinstance(measure, str) and measure == "edit"
    named = {"features": features, "seed": seed, "bits": bits, "same": same, "dictionary": dictionary}
    given = [name for name, one in named.items() if one is not None]
    if by_edits:
        why = 'measure="edit", which compares no features'
        _refuse(given + ["min_common"] * (min_common is not None), why, ValueError)
    number = 0 if by_edits else _number({**_MEASURES, "edit": -1}, measure, "measure")
    common = 0 if min_common is None else _whole(min_common, "min_common", 1)
    made_of = _made_of("words:2" if features is None else features, 0 if seed is None else seed, same, dictionary)
    of_texts = [] if by_edits else given + ["progress"] * (run[1] is not None)
    return _Reading(by_edits, made_of, _width(32 if bits is None else bits), run, of_texts), number, common


def pairs(
    texts: Any,
    others: Any = None,
    *,
    similarity: float = 0.8,
    measure: str = "jaccard",
    min_common: Optional[int] = None,
    within: Any = None,
    across: Any = None,
    copies_once: bool = False,
    features: Optional[str] = None,
    seed: Optional[int] = None,
    bits: Optional[int] = None,
    same: Same = None,
    dictionary: Words = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> Pairs:
    """Finds all pairs of texts whose similarity is at least `similarity`.

    `texts` and `others` are texts or FeatureSets. If `others` is given, the second text of each pair is of `others`.
    `measure`: "jaccard", "cosine", "containment" of the smaller text in the larger text, or "edit", which needs texts:
    1 - edit distance / characters of the longer text, for normalised texts.
    `min_common`: the least number of common features (default: 8 for containment, otherwise 1).
    `copies_once`: if True, only the first of equal texts is paired with other texts.
    `within`: a str or a whole number for each text. Only texts of the same value are compared. `across` also has a value
    for each text. Only texts of different values are compared.
    """
    run = _run(threads, progress)
    read, number, common = _reading(measure, min_common, features, seed, bits, same, dictionary, run)
    once = _flag(copies_once, "copies_once")
    paired = _Pairing.of(within, across, others, once)
    least = _similarity(similarity)
    first, second = read(texts, others)
    join = lambda one: _native.pairs(one, second, least, number, common, once, run)  # noqa: E731
    return Pairs(join(first)) if paired is None else paired.pairs(first, join)


def verify(
    pairs: Any,
    texts: Any,
    others: Any = None,
    *,
    similarity: float = 0.8,
    measure: str = "jaccard",
    min_common: Optional[int] = None,
    features: Optional[str] = None,
    seed: Optional[int] = None,
    bits: Optional[int] = None,
    same: Same = None,
    dictionary: Words = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> Pairs:
    """Returns the given pairs whose similarity is at least `similarity`, in the given order, as pairs() returns pairs.

    `pairs`: Pairs, a table with columns `first` and `second`, or two arrays of positions.
    """
    first, second = (_positions(one) for one in _both(pairs))
    run = _run(threads, progress)
    read, number, common = _reading(measure, min_common, features, seed, bits, same, dictionary, run)
    of, behind = read(texts, others)
    return Pairs(_native.verify(of, behind, first, second, _similarity(similarity), number, common, run))


class _Pairing:
    """The values of `within` or `across`, which decide which texts, sets or codes are compared."""

    def __init__(self, name: str, values: Any, what: str = "text") -> None:
        self.name, self.what = name, what
        self._values = values.to_pylist() if hasattr(values, "to_pylist") else list(values)

    @classmethod
    def of(cls, within: Any, across: Any, others: Any = None, once: bool = False, what: str = "text") -> "Optional[_Pairing]":
        if others is not None and once:
            raise ValueError(f"copies_once is for pairs of one list of {what}s, so it does not go with `others`")
        if within is None and across is None:
            return None
        if within is not None and across is not None:
            raise ValueError("within and across do not go together")
        name = "within" if across is None else "across"
        if others is not None:
            raise ValueError(f"{name} has the values of one list of {what}s, so it does not go with `others`")
        if once and name == "across":
            raise ValueError("copies_once with across: a copy may have a value that the first one does not have")
        return cls(name, within if across is None else across, what)

    def _positions(self, count: int) -> List[_np.ndarray]:
        """Returns the positions of each value."""
        if len(self._values) != count:
            raise ValueError(f"{self.name} has {len(self._values):,} values for {count:,} {self.what}s")
        places: Dict[Any, List[int]] = {}
        for position, value in enumerate(self._values):
            if _is_truth(value) or not isinstance(value, (str, bytes, int, _np.integer)):
                raise TypeError(f"{self.name}: the value of {self.what} {position} is {value!r}, and neither a str nor a whole number")
            places.setdefault(value, []).append(position)
        return [_np.array(one, _np.uint32) for one in places.values()]

    def pairs(self, of: Any, join: Callable[[Any], Any]) -> Pairs:
        """Returns the pairs of `join` that `within` or `across` allows."""
        places = self._positions(len(of))
        found = []
        if self.name == "across":
            number = _np.empty(len(of), _np.uint32)
            for value, positions in enumerate(places):
                number[positions] = value
            table = Pairs(join(of)).to_numpy()
            chosen = number[table["first"]] != number[table["second"]]
            found.append({name: column[chosen] for name, column in table.items()})
        else:  # compares only texts of the same value
            for positions in places:
                table = Pairs(join(_part(of, positions))).to_numpy()
                for name in ("first", "second"):
                    table[name] = positions[table[name]]
                found.append(table)
        if not found:
            found.append(Pairs(join(of)).to_numpy())
        table = {name: _np.concatenate([one[name] for one in found]) for name in found[0]}
        order = _np.lexsort((table["second"], table["first"]))
        return Pairs(_native.pairs_of(" ".join(table), {name: column[order] for name, column in table.items()}))

    def labels(self, of: Any, group: Callable[[Any, Optional[_np.ndarray]], _np.ndarray], scores: Optional[_np.ndarray]) -> _np.ndarray:
        """Groups the texts of each value separately, for `within`."""
        labels = _np.arange(len(of), dtype=_np.uint32)
        for positions in self._positions(len(of)):
            own = None if scores is None else scores[positions]
            labels[positions] = positions[group(_part(of, positions), own)]
        return labels


def _part(of: Any, positions: _np.ndarray) -> Any:
    """Returns the sets, texts or codes at these positions."""
    if not isinstance(of, _native.Sets):
        return of.part(positions)
    offsets, values = of.offsets(), of.values()
    positions = positions.astype(_np.int64)
    sizes = offsets[positions + 1] - offsets[positions]
    ends = _np.zeros(len(positions) + 1, _np.int64)
    _np.cumsum(sizes, out=ends[1:])
    part = _native.Sets(of.width)
    part.add_flat(values[_np.repeat(offsets[positions] - ends[:-1], sizes) + _np.arange(ends[-1])], ends)
    return part


def _both(pairs: Any) -> Any:
    if isinstance(pairs, Pairs):
        return pairs.first, pairs.second
    if isinstance(pairs, (tuple, list)) and len(pairs) == 2:
        return pairs
    try:
        return pairs["first"], pairs["second"]
    except Exception:  # an exception of any library
        raise TypeError("pairs must be Pairs, a table with columns 'first' and 'second', or two arrays") from None


def _positions(numbers: Any) -> _np.ndarray:
    array = _array(numbers, "positions")
    if array.ndim != 1 or (array.dtype.kind not in "ui" and array.size > 0):
        raise TypeError(f"positions must be integers in one dimension, not {array.dtype} in {array.ndim}")
    if array.size > 0 and (array.min() < 0 or array.max() >= 2**32):
        raise ValueError("positions must be from 0 to 2**32 - 1")
    return _np.ascontiguousarray(array, _np.uint32)


def groups(
    texts: Any,
    *,
    similarity: float = 0.8,
    measure: str = "jaccard",
    min_common: Optional[int] = None,
    within: Any = None,
    across: Any = None,
    prefer: Any = None,
    chains: bool = False,
    features: Optional[str] = None,
    seed: Optional[int] = None,
    bits: Optional[int] = None,
    same: Same = None,
    dictionary: Words = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> _np.ndarray:
    """Returns for each text the position of its representative (uint32). A kept text is its own representative.

    The function decides about texts in an order of preference. Each text joins the most similar earlier representative,
    or the first of equally similar ones. A text that is similar to no representative becomes a representative.
    `prefer`: a score for each text; higher scores come first. The default is the order of positions, and for containment
    the largest text first. `chains`: if True, groups are chains of similar texts. `within`, `across`: as in pairs().
    """
    run = _run(threads, progress)
    reading = _reading(measure, min_common, features, seed, bits, same, dictionary, run)
    return _group(None, texts, similarity, reading, prefer, chains, False, _Pairing.of(within, across))


def unique(
    texts: Any,
    *,
    similarity: float = 0.8,
    measure: str = "jaccard",
    min_common: Optional[int] = None,
    within: Any = None,
    across: Any = None,
    prefer: Any = None,
    chains: bool = False,
    features: Optional[str] = None,
    seed: Optional[int] = None,
    bits: Optional[int] = None,
    same: Same = None,
    dictionary: Words = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> _np.ndarray:
    """Returns a Boolean mask of the texts that are kept: the representatives of groups(), and nulls."""
    run = _run(threads, progress)
    reading = _reading(measure, min_common, features, seed, bits, same, dictionary, run)
    labels = _group(None, texts, similarity, reading, prefer, chains, True, _Pairing.of(within, across))
    return labels == _np.arange(len(labels), dtype=_np.uint32)


def annotate(
    texts: Any,
    *,
    similarity: float = 0.8,
    measure: str = "jaccard",
    min_common: Optional[int] = None,
    within: Any = None,
    across: Any = None,
    prefer: Any = None,
    chains: bool = False,
    features: Optional[str] = None,
    seed: Optional[int] = None,
    bits: Optional[int] = None,
    same: Same = None,
    dictionary: Words = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> Dict[str, _np.ndarray]:
    """Returns the group of each text, as columns of a table. No text is left out.

    Columns: `group` (int64) is the number of the group, or -1 for a text without near-duplicates. Groups are numbered from
    0, in the order of their representatives. `original` (uint32) is the position of the representative, as groups()
    returns it. `similarity` (float64) is the similarity to the original. `size` (uint32) is the size of the group.
    """
    run = _run(threads, progress)
    read, number, common = reading = _reading(measure, min_common, features, seed, bits, same, dictionary, run)
    of = read(texts)[0]
    labels = _labels(None, of, similarity, reading, prefer, chains, False, _Pairing.of(within, across))
    count = _np.arange(len(labels), dtype=_np.uint32)
    size = _np.bincount(labels, minlength=len(labels)).astype(_np.uint32)[labels]
    others = count[labels != count]
    closeness = _np.ones(len(labels))
    if others.size > 0:
        # A text of a chain can have a low similarity to the original, so the pairs are verified without a threshold.
        close = Pairs(_native.verify(of, None, labels[others], others, 5e-324, number, 0 if read.by_edits else 1, run))
        closeness[others] = 0
        closeness[close.second] = close.similarity
    group = _np.full(len(labels), -1, _np.int64)
    group[size > 1] = _np.unique(labels[size > 1], return_inverse=True)[1]
    return {"group": group, "original": labels, "similarity": closeness, "size": size}


def extend_groups(
    kept: Any,
    texts: Any,
    *,
    similarity: float = 0.8,
    measure: str = "jaccard",
    min_common: Optional[int] = None,
    prefer: Any = None,
    features: Optional[str] = None,
    seed: Optional[int] = None,
    bits: Optional[int] = None,
    same: Same = None,
    dictionary: Words = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> _np.ndarray:
    """Groups further texts around texts that earlier calls kept.

    Returns: for text i of `texts`, the position of its representative in the sequence `kept` + `texts`. If the text becomes
    a representative, this is len(kept) + i.
    """
    run = _run(threads, progress)
    reading = _reading(measure, min_common, features, seed, bits, same, dictionary, run)
    return _group(kept, texts, similarity, reading, prefer, False, False)


def _scores(prefer: Any) -> _np.ndarray:
    """Returns scores as float64. If that could round a score, the result has the rank of each score instead."""
    array = _array(prefer, "scores", True)
    if array.ndim != 1:
        raise ValueError(f"scores must be an array of one dimension, not {array.ndim}")
    if isinstance(prefer, (list, tuple)) and array.dtype == _np.float64 and (_np.abs(array) >= 2**53).any():
        array = _np.array([one.item() if isinstance(one, _np.generic) else one for one in prefer], object)
    if array.dtype.kind not in "buif" and not all(isinstance(one, numbers.Real) for one in array.tolist()):
        raise TypeError("scores must be numbers")
    if (array != array).any():
        raise ValueError(f"the score of text {int((array != array).argmax())} is NaN")
    if array.dtype != _np.float64 and array.dtype.itemsize >= 8:
        array = _np.unique(array, return_inverse=True)[1]
    return _np.ascontiguousarray(array, _np.float64)


def _group(
    kept: Any,
    texts: Any,
    similarity: float,
    reading: Any,
    prefer: Any,
    chains: bool,
    keep_only: bool,
    paired: Optional[_Pairing] = None,
) -> _np.ndarray:
    of, before = reading[0](texts, kept)
    return _labels(before, of, similarity, reading, prefer, chains, keep_only, paired)


def _labels(
    before: Any,
    of: Any,
    similarity: float,
    reading: Any,
    prefer: Any,
    chains: bool,
    keep_only: bool,
    paired: Optional[_Pairing],
) -> _np.ndarray:
    read, measure, common = reading
    scores = None if prefer is None else _scores(prefer)
    least, by_chains = _similarity(similarity), _flag(chains, "chains")
    group = lambda one, own: _native.group(before, one, least, measure, common, own, by_chains, keep_only, read.run)  # noqa: E731
    if scores is not None and len(scores) != len(of):
        raise ValueError(f"{len(scores):,} scores for {len(of):,} texts")
    if paired is None:
        return group(of, scores)
    if paired.name == "within":
        return paired.labels(of, group, scores)
    found = paired.pairs(of, lambda all: _native.pairs(all, None, least, measure, common, False, read.run))
    if scores is None and measure == _MEASURES["containment"] and not read.by_edits:
        scores = _np.diff(of.offsets()).astype(_np.float64)
    return _native.group_pairs(found.to_numpy(), len(of), scores, by_chains)


def fingerprints(
    texts: Any,
    features: str = "words:2",
    *,
    kind: str = "simhash",
    bits: int = 64,
    weights: Optional[str] = None,
    idf: Union[IdfTable, Path, None] = None,
    seed: int = 0,
    same: Same = None,
    dictionary: Words = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> Fingerprints:
    """Makes fingerprints of texts. `kind`: "simhash" or "minwise".

    `weights` of a simhash: "unit" (each distinct feature once, the default), "tf", "logtf", "idf" or "tfidf". The weights
    "idf" and "tfidf" need `idf`, an IdfTable or its path. "levels:N:W" and "quantiles:N:W" give levels 1 to N, by the size
    or by the rank of another weight W. Without ":W", W is "tf".
    """
    return Fingerprints(
        _native.codes_of_texts(
            texts,
            _made_of(features, seed, same, dictionary),
            _number(_KINDS, kind, "kind"),
            _whole(bits, "bits", 0, 256),
            None if weights is None else _text(weights, "weights"),
            None if idf is None else (idf if isinstance(idf, IdfTable) else IdfTable(idf))._native,
            _run(threads, progress),
        )
    )


def _codes_of(codes: Any) -> Any:
    if isinstance(codes, Fingerprints):
        return codes._native
    if hasattr(codes, "__arrow_c_stream__") or hasattr(codes, "__arrow_c_array__"):
        return _native.Codes.of_arrow(codes)
    array = _array_of_whole(codes) if isinstance(codes, (list, tuple)) else None
    if array is None:
        array = _array(codes, "codes")
    if array.size == 0 and array.ndim == 1:
        array = array.astype(_np.uint64)
    if array.dtype == _np.int64 and array.ndim == 1 and array.min() >= 0:
        array = array.astype(_np.uint64)
    if array.dtype not in (_np.uint64, _np.uint32, _np.uint8) or array.ndim not in (1, 2):
        raise TypeError(
            "codes are Fingerprints, Arrow's uint64 or fixed_size_binary, or arrays of uint64 (n,), (n, 2) or (n, 4), "
            f"uint32 (n,) or uint8 (n, bytes), not {array.dtype} {array.shape}"
        )
    if array.dtype == _np.uint8 and array.ndim != 2:
        raise TypeError("codes as bytes must be an array of shape (n, bytes)")
    little = _np.ascontiguousarray(array if array.ndim == 2 else array[:, None])
    little = little.astype(little.dtype.newbyteorder("<"), copy=False)
    return _native.Codes.of_bytes(little.view(_np.uint8).reshape(len(array), little.shape[1] * little.itemsize))


def _passage_options(length: int, unit: str, least_documents: int, earlier: int) -> Tuple[int, bool, int, int]:
    return (
        _whole(length, "the length", 1, 2**20),
        _number({"words": 0, "bytes": 1}, unit, "unit") == 1,
        _whole(least_documents, "least_documents", 1),
        _whole(earlier, "earlier", 0),
    )


def passages(
    texts: Any,
    length: int = 50,
    *,
    unit: str = "words",
    least_documents: int = 1,
    earlier: int = 0,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> Passages:
    """Finds repeated passages. A passage is a run of `length` words, or bytes, as `unit` says. A passage is repeated if it
    also begins in an earlier text, or earlier in the same text. Words are compared as they are written.

    `least_documents`: the least number of texts that have the passage. `earlier`: the number of texts, from the first,
    that are an earlier corpus, without results. A place leaves out characters that a passage of bytes has only in part.
    """
    options = _passage_options(length, unit, least_documents, earlier)
    return Passages(_native.passages(texts, options, _run(threads, progress)))


def cut_passages(
    texts: Any,
    length: int = 50,
    *,
    unit: str = "words",
    least_documents: int = 1,
    earlier: int = 0,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> CutTexts:
    """Removes the runs of passages() from texts, each with the white space after it, as `neardup unique --passages` does.
    The first place of each passage stays. Words that a passage of bytes has only in part stay. The result can have empty
    texts. The texts of the earlier corpus stay as they are.
    """
    options = _passage_options(length, unit, least_documents, earlier)
    return CutTexts(_native.cut_passages(texts, options, _run(threads, progress)))


def near_pairs(
    codes: Any,
    others: Any = None,
    *,
    k: int = 3,
    within: Any = None,
    across: Any = None,
    copies_once: bool = False,
    threads: Optional[int] = None,
) -> Pairs:
    """Finds all pairs of codes within k bits. If `others` is given, the second code of each pair is of `others`.

    Codes are Fingerprints, Arrow's uint64, uint32 or fixed_size_binary (lowest byte first), or NumPy arrays: uint64 of
    shape (n,), (n, 2) or (n, 4), uint32 of (n,), or uint8 of (n, bytes). A null is in no pair. `within`, `across`: a value
    for each code, as in pairs().
    """
    once, bits, run = _flag(copies_once, "copies_once"), _whole(k, "k", 0, 256), _run(threads)
    paired = _Pairing.of(within, across, others, once, "code")
    first, second = _codes_of(codes), None if others is None else _codes_of(others)
    join = lambda one: _native.near_pairs(one, second, bits, once, run)  # noqa: E731
    return Pairs(join(first)) if paired is None else paired.pairs(first, join)


def cluster(
    codes: Any, *, k: int = 3, within: Any = None, across: Any = None, threads: Optional[int] = None
) -> _np.ndarray:
    """Returns for each code the smallest position in its cluster. A cluster is a chain of codes with steps within k bits.
    `within`, `across`: a value for each code, as in pairs()."""
    bits, run, of = _whole(k, "k", 0, 256), _run(threads), _codes_of(codes)
    paired = _Pairing.of(within, across, what="code")
    if paired is None:
        return _native.cluster(of, bits, run)
    if paired.name == "within":
        return paired.labels(of, lambda one, _: _native.cluster(one, bits, run), None)
    found = paired.pairs(of, lambda all: _native.near_pairs(all, None, bits, False, run))
    return _native.group_pairs(found.to_numpy(), len(of), None, True)


def _array_of_whole(values: Sequence[Any]) -> Optional[_np.ndarray]:
    """Returns an array of whole numbers from 0 to 2**64 - 1, or None for other values. Without a type, NumPy would make
    floating-point numbers if only some are above 2**63."""
    if not all(type(one) is int and 0 <= one < 2**64 for one in values):
        return None
    return _np.array(values, _np.uint64)


def _listed(ids: Any) -> Any:
    """Returns ids as a list of str, or in a form that _ids() accepts. Raises TypeError if only some ids are str."""
    if isinstance(ids, (str, bytes)):
        raise TypeError("give a list of ids, not one id")
    if isinstance(ids, _np.ndarray) and ids.dtype.kind in "uif":
        return ids
    if hasattr(ids, "to_pylist"):
        ids = ids.to_pylist()
    elif not isinstance(ids, (list, tuple)) and hasattr(ids, "__iter__"):
        ids = list(ids)
    if not isinstance(ids, (list, tuple)):
        return ids
    strings = sum(isinstance(one, str) for one in ids)
    if 0 < strings < len(ids):
        raise TypeError("ids must be all str, or all integers")
    if strings > 0:
        return [str(_text(one, "an id")) for one in ids]
    whole = _array_of_whole(ids)
    if whole is not None:
        return whole
    for one in ids:
        if type(one) is int:
            _whole(one, "an id", 0, 2**64 - 1)
    return ids


def _are_names(listed: Any) -> bool:
    return isinstance(listed, list) and len(listed) > 0 and isinstance(listed[0], str)


def _ids(ids: Any) -> _np.ndarray:
    array = _array(_listed(ids), "ids")
    if array.ndim != 1 or (array.dtype.kind not in "ui" and array.size > 0):
        raise TypeError(f"ids must be integers in one dimension, not {array.dtype} in {array.ndim}")
    if array.dtype.kind == "i" and array.size > 0 and array.min() < 0:
        raise ValueError("ids must be from 0 to 2**64 - 1")
    return _np.ascontiguousarray(array, _np.uint64)


class Index:
    """An index of pairs of a code and an id, an integer from 0 to 2**64 - 1. A search finds all pairs within k bits.

    `blocks`: the number of blocks into which a code is cut. The number decides memory and time; None stands for the
    default. Searches may run in many threads at once.
    """

    def __init__(self, k: int = 3, *, bits: int = 64, blocks: Optional[int] = None) -> None:
        cut = 0 if blocks is None else _whole(blocks, "blocks", 1, 256)
        self._native = _native.Index.make(_width(bits), _whole(k, "k", 0, 256), cut)

    def __len__(self) -> int:
        return len(self._native)

    @property
    def bits(self) -> int:
        return self._native.bits

    @property
    def k(self) -> int:
        return self._native.k

    def insert(self, codes: Any, ids: Any) -> int:
        """Adds pairs, except nulls and pairs that are in the index. Returns: the number of added pairs. After Ctrl-C, some
        of the pairs are added."""
        return self._native.insert(_codes_of(codes), _ids(ids))

    def erase(self, codes: Any, ids: Any) -> int:
        """Removes pairs. Returns: the number of removed pairs."""
        return self._native.erase(_codes_of(codes), _ids(ids))

    def search(self, codes: Any, k: Optional[int] = None, *, threads: Optional[int] = None) -> Matches:
        """Finds all pairs within k bits of each query. If k is None, it is the k of the index."""
        within = -1 if k is None else _whole(k, "k", 0, 256)
        return Matches(self._native.search(_codes_of(codes), within, _run(threads)), ("distance",))

    def save(self, path: Union[str, os.PathLike], made_of: str = "") -> None:
        """Writes a file. `made_of`: a text that describes how codes are made. A crash leaves the old or the new file."""
        self._native.save(_path(path), _text(made_of, "made_of"))

    @classmethod
    def load(
        cls, path: Union[str, os.PathLike], *, bits: int = 64, made_of: Optional[str] = None, mapped: bool = False
    ) -> "Index":
        """Opens a file. `made_of`: None, or the text that the file must have. If `mapped`, the index stays in the file, is
        ready at once, and cannot change."""
        result = cls.__new__(cls)
        result._native = _native.Index.load(
            _path(path), _width(bits), None if made_of is None else _text(made_of, "made_of"), _flag(mapped, "mapped")
        )
        return result

    def __repr__(self) -> str:
        return f"<neardup.Index: {len(self):,} codes of {self.bits} bits, searched within {self.k}>"


class _Names:
    """The ids of type str in an index, and the numbers that the index has in their place."""

    def __init__(self) -> None:
        self.numbers: Dict[str, int] = {}
        self.names: Dict[int, str] = {}
        self._next = 0

    def add(self, names: Iterable[str]) -> List[int]:
        """Returns the numbers of names. A name without a number gets a new number."""
        result = []
        for name in names:
            if name not in self.numbers:
                self.numbers[name], self.names[self._next] = self._next, name
                self._next += 1
            result.append(self.numbers[name])
        return result

    def drop(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            if number in self.names:
                del self.numbers[self.names.pop(number)]


class SetIndex:
    """An index of texts, or of feature sets, each with an id. A search finds all that are similar enough to a query.

    Ids are all integers from 0 to 2**64 - 1, or all str. `similarity` is the least similarity of searches. The measures
    are "jaccard", "cosine" and "containment". Searches may run in many threads at once, except if ids are str.
    """

    def __init__(
        self,
        similarity: float = 0.8,
        *,
        measure: str = "jaccard",
        min_common: Optional[int] = None,
        features: str = "words:2",
        seed: int = 0,
        bits: int = 32,
        same: Same = None,
        dictionary: Words = None,
    ) -> None:
        number = _number(_MEASURES, measure, "measure")
        common = 0 if min_common is None else _whole(min_common, "min_common", 1)
        self._similarity = _similarity(similarity)
        self._measure, self._made_of, self._bits = measure, _made_of(features, seed, same, dictionary), _width(bits)
        self._native = _native.SetIndex.make(self._bits, self._similarity, number, common)
        self._names: Optional[_Names] = None
        self._lock = threading.RLock()  # guards _names

    def _read(self, texts: Any, run: Any) -> Any:
        same, dictionary = self._made_of[2:]
        of_texts = ["same"] * (same != ()) + ["dictionary"] * (dictionary is not None) + ["progress"] * (run[1] is not None)
        return _Reading(False, self._made_of, self._bits, run, of_texts)(texts)[0]

    def insert(self, texts: Any, ids: Any, *, threads: Optional[int] = None, progress: Progress = None) -> int:
        """Adds texts or FeatureSets under ids. An id that the index has keeps its text. Returns: the number of added ids."""
        run = _run(threads, progress)
        ids = _listed(ids)
        sets = self._read(texts, run)
        if not _are_names(ids):
            numbers = _ids(ids)
            if self._names is not None and len(numbers) > 0:
                raise TypeError("the ids of this index are str; give str")
            return self._native.insert(sets, numbers, run)
        with self._lock:
            if self._names is None and len(self) > 0:
                raise TypeError("the ids of this index are integers; give integers")
            known = self._names or _Names()
            numbers = known.add(ids)
            try:
                self._names = known
                return self._native.insert(sets, _np.array(numbers, _np.uint64), run)
            except BaseException:
                known.drop([number for number in numbers if number not in self._native])
                if len(self) == 0:
                    self._names = None
                raise

    def erase(self, ids: Any) -> int:
        """Removes ids. Returns: the number of removed ids."""
        ids = _listed(ids)
        if self._names is None:
            return 0 if _are_names(ids) else self._native.erase(_ids(ids))
        if not _are_names(ids):
            return 0
        with self._lock:
            known = self._names or _Names()
            numbers = [known.numbers[name] for name in ids if name in known.numbers]
            erased = self._native.erase(_np.array(numbers, _np.uint64))
            known.drop(numbers)
            return erased

    def search(
        self, texts: Any, similarity: Optional[float] = None, *, threads: Optional[int] = None, progress: Progress = None
    ) -> Matches:
        """Finds all matches of each text. `similarity`: not less than the similarity of the index, which is the default."""
        return self._search(texts, similarity, False, _run(threads, progress))

    def nearest(
        self, texts: Any, similarity: Optional[float] = None, *, threads: Optional[int] = None, progress: Progress = None
    ) -> Matches:
        """Finds for each text the most similar match of search(), if there is one. Of equally similar matches, the smallest
        id wins, or, if ids are str, the id that was added first."""
        return self._search(texts, similarity, True, _run(threads, progress))

    def _search(self, texts: Any, similarity: Optional[float], nearest_only: bool, run: Any) -> Matches:
        least = 0.0 if similarity is None else _similarity(similarity)
        sets = self._read(texts, run)
        if self._names is None:
            found = self._native.search(sets, least, nearest_only, run)
            if self._names is None:  # else another thread added the first id of type str during the search
                return Matches(found, ("common", "similarity"))
        with self._lock:
            found = self._native.search(sets, least, nearest_only, run)
            known = self._names or _Names()
            names = [known.names[number] for number in found.column("id").tolist()]
        return Matches(found, ("common", "similarity"), names)

    def __contains__(self, id: Id) -> bool:
        if (known := self._names) is not None:
            return id in known.numbers
        return isinstance(id, (int, _np.integer)) and not _is_truth(id) and 0 <= id < 2**64 and int(id) in self._native

    def __len__(self) -> int:
        return len(self._native)

    def __bool__(self) -> bool:
        return True

    @property
    def memory_usage(self) -> int:
        """The memory in bytes, without ids of type str."""
        return self._native.memory

    def __repr__(self) -> str:
        return (
            f"<neardup.SetIndex: {len(self):,} sets, searched for {self._measure} of at least {self._similarity}, "
            f"{self._made_of[0]}>"
        )


class Verdict(NamedTuple):
    """The decision about one document."""

    is_new: bool
    original: Optional[Id]  #: the id of the original; None if the document is new
    similarity: Optional[float]  #: the similarity to the original


_NEW = Verdict(True, None, None)


class Verdicts(_Table):
    """Columns of verdicts: `is_new` (bool), and for other documents `original` (an id: uint64 or str) and `similarity`."""

    _columns = ("is_new", "original", "similarity")
    _named = "original"

    @property
    def is_new(self) -> _np.ndarray:
        return self._native.column("is_new")

    def __getitem__(self, i: int) -> Verdict:
        i = range(len(self))[i]
        if self.is_new[i]:
            return _NEW
        original = int(self.original[i]) if self._names is None else self._names[i]
        return Verdict(False, original, float(self.similarity[i]))


class Deduplicator:
    """Keeps new documents. An added document is new, or a near-duplicate of a kept document.

    `path`: a file, which has a log beside it. Each call writes its changes to the disk before it returns. An existing file
    is continued. The limits are `max_documents`, `max_bytes` and `max_age` (in the unit of `now`, which additions then
    need). Above a limit, the oldest documents are forgotten, or additions raise OverflowError if `when_full` is "refuse".
    `duplicates_renew`: if True, a near-duplicate makes its original as young as itself. Threads may share a Deduplicator.

    Ids are all integers from 0 to 2**64 - 1, or all str. The default id is the number of documents that were added before.
    A file cannot have ids of type str, so a Deduplicator with such ids has no path and cannot be saved.
    """

    def __init__(
        self,
        similarity: float = 0.8,
        *,
        features: str = "words:2",
        seed: int = 0,
        same: Same = None,
        dictionary: Words = None,
        path: Union[str, os.PathLike, None] = None,
        max_documents: Optional[int] = None,
        max_bytes: Optional[int] = None,
        max_age: Optional[int] = None,
        duplicates_renew: bool = False,
        when_full: str = "forget_oldest",
    ) -> None:
        self._make(
            similarity, _made_of(features, seed, same, dictionary), path, True, max_documents, max_bytes, max_age, duplicates_renew, when_full
        )

    def _make(
        self,
        similarity: float,
        made_of: Any,
        path: Any,
        is_durable: bool,
        max_documents: Optional[int],
        max_bytes: Optional[int],
        max_age: Optional[int],
        duplicates_renew: bool,
        when_full: str,
    ) -> None:
        limits = {"max_documents": max_documents, "max_bytes": max_bytes, "max_age": max_age}
        numbers = [0 if one is None else _whole(one, name, 1, 2**64 - 1) for name, one in limits.items()]
        full = _number({"forget_oldest": 0, "refuse": 1}, when_full, "when_full")
        file = _path(path)
        self._native = _native.Dedup.make(
            made_of,
            _similarity(similarity),
            *numbers,
            _flag(duplicates_renew, "duplicates_renew"),
            bool(full),
            file,
            is_durable,
        )
        self._similarity, self._features, self._has_file = similarity, made_of[0], file != "" and is_durable
        self._names: Optional[_Names] = None
        self._lock = threading.RLock()  # guards _names

    @classmethod
    def load(
        cls,
        path: Union[str, os.PathLike],
        similarity: float = 0.8,
        *,
        features: str = "words:2",
        seed: int = 0,
        same: Same = None,
        dictionary: Words = None,
        max_documents: Optional[int] = None,
        max_bytes: Optional[int] = None,
        max_age: Optional[int] = None,
        duplicates_renew: bool = False,
        when_full: str = "forget_oldest",
    ) -> "Deduplicator":
        """Loads a file of save() into memory. Raises ValueError if the file has other features or another similarity."""
        result = cls.__new__(cls)
        result._make(
            similarity, _made_of(features, seed, same, dictionary), path, False, max_documents, max_bytes, max_age, duplicates_renew, when_full
        )
        return result

    def add(self, text: Union[str, bytes, None], id: Optional[Id] = None, *, now: Optional[int] = None) -> Verdict:
        """Decides about one document, and keeps it if it is new."""
        if self._names is None and (id is None or (type(id) is int and 0 <= id < 2**64)):
            time = None if now is None else _whole(now, "now", 0, 2**64 - 1)
            return self._native.add_one(_NEW, text, id, time)
        return self.add_batch([text], None if id is None else [id], now=now, threads=1)[0]

    def add_batch(
        self,
        texts: Any,
        ids: Any = None,
        *,
        now: Optional[int] = None,
        threads: Optional[int] = None,
        progress: Progress = None,
    ) -> Verdicts:
        """Decides about documents in order, as add() does, with less work for each document, and on several threads.

        A call with an invalid argument adds no document. Other calls add documents in pieces of 32,768, or of fewer
        documents under `max_bytes`, and a reader batch by batch. After Ctrl-C, an OverflowError or an error of the disk,
        the earlier pieces are added, and `added` counts their documents.
        """
        if ids is not None and hasattr(texts, "__len__") and hasattr(ids, "__len__") and len(texts) != len(ids):
            raise ValueError(f"there are {len(ids)} ids for {len(texts)} texts")
        time = None if now is None else _whole(now, "now", 0, 2**64 - 1)
        run = _run(threads, progress)
        ids = None if ids is None else _listed(ids)
        if _are_names(ids):
            return self._add_named(texts, ids, time, run)
        if self._names is not None and (ids is not None or not hasattr(texts, "__len__") or len(texts) > 0):
            raise TypeError("the ids of this deduplicator are str")
        return Verdicts(self._native.add(texts, None if ids is None else _ids(ids), time, run))

    def _add_named(self, texts: Any, ids: Any, time: Optional[int], run: Any) -> Verdicts:
        with self._lock:
            if self._names is None and (self._has_file or self.added > 0):
                why = "has a file, which keeps no ids of str" if self._has_file else "has ids that are integers"
                raise TypeError(f"this deduplicator {why}")
            if len(set(ids)) < len(ids):
                raise ValueError("two documents have the same id")
            known = self._names = self._names or _Names()
            # The name of a forgotten document can be used again.
            known.drop([known.numbers[name] for name in ids if self._is_forgotten(name)])
            numbers = [number for name in ids if (number := known.numbers.get(name)) is not None]
            if numbers:
                raise ValueError(f"a document with the id {known.names[numbers[0]]!r} is kept already")
            numbers = known.add(ids)
            try:
                native = self._native.add(texts, _np.array(numbers, _np.uint64), time, run)
                verdicts = self._named_verdicts(native)
            finally:
                known.drop([number for number in numbers if number not in self._native])
                if self.added == 0:
                    self._names = None
            if len(known.names) > 2 * len(self) + 1024:
                known.drop([number for number in known.names if number not in self._native])
            return verdicts

    def _is_forgotten(self, name: str) -> bool:
        number = self._names.numbers.get(name)
        return number is not None and number not in self._native

    def _named_verdicts(self, native: Any) -> Verdicts:
        new, original = native.column("is_new").tolist(), native.column("original").tolist()
        return Verdicts(native, [None if is_new else self._names.names[i] for is_new, i in zip(new, original)])

    def find(self, text: Union[str, bytes, None]) -> Verdict:
        """Returns the verdict that add() would return, and adds nothing."""
        if self._names is None and self.added > 0:
            return self._native.find_one(_NEW, text)
        return self.find_batch([text], threads=1)[0]

    def find_batch(self, texts: Any, *, threads: Optional[int] = None, progress: Progress = None) -> Verdicts:
        """Decides about documents as add_batch() does, by the documents that are kept so far, and adds nothing."""
        run = _run(threads, progress)
        if self._names is None and self.added > 0:
            return Verdicts(self._native.find(texts, run))
        with self._lock:  # before the first addition, another thread may add ids of type str
            found = self._native.find(texts, run)
            return Verdicts(found) if self._names is None else self._named_verdicts(found)

    def erase(self, id: Id) -> bool:
        """Removes a kept document. Returns: False if no kept document has the id."""
        if self._names is None:
            return not isinstance(id, str) and self._native.erase(_whole(id, "an id", 0, 2**64 - 1))
        with self._lock:
            number = self._names.numbers.get(_text(id, "an id"))
            if number is None:
                return False
            was_kept = self._native.erase(number)
            self._names.drop([number])
            return was_kept

    def __contains__(self, id: Id) -> bool:
        if self._names is None:
            return isinstance(id, (int, _np.integer)) and not _is_truth(id) and 0 <= id < 2**64 and int(id) in self._native
        return id in self._names.numbers and self._names.numbers[id] in self._native

    def __len__(self) -> int:
        """Returns the number of kept documents."""
        return len(self._native)

    def __bool__(self) -> bool:
        return True

    @property
    def added(self) -> int:
        """The number of added documents, also near-duplicates and nulls."""
        return self._native.added

    @property
    def memory_usage(self) -> int:
        """An estimate of the memory in bytes."""
        return self._native.memory

    def save(self, path: Union[str, os.PathLike, None] = None) -> None:
        """Writes a file that load() reads. Without a path, writes the own file, and its log becomes empty."""
        file = _path(path)
        if self._names is not None:
            raise ValueError("this deduplicator cannot be saved, because its ids are str; use integers as ids")
        self._native.save(file)

    def close(self) -> None:
        """Closes the file and frees the memory. All additions are on the disk already."""
        self._native.close()

    def __enter__(self) -> "Deduplicator":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self._native.is_open:
            return "<neardup.Deduplicator: closed>"
        return (
            f"<neardup.Deduplicator: {len(self):,} documents kept of {self.added:,}, "
            f"similarity {self._similarity}, {self._features}>"
        )


class FeatureCounts:
    """Estimates of the number of sets that have a feature, for a Shuffle. An estimate is never too low.

    `features`: an estimate of the sum of the sizes of all sets of the corpus. All counts that are merged need the same
    estimate. `bits`: the width of a feature.
    """

    def __init__(self, features: int = 0, *, bits: int = 64) -> None:
        self._bits = _width(bits)
        self._native = _native.FeatureCounts.make(self._bits, _whole(features, "features", 0))

    def add(self, sets: FeatureSets) -> None:
        self._native.add(_native_sets(sets))

    def merge(self, other: "FeatureCounts") -> None:
        if not isinstance(other, FeatureCounts):
            raise TypeError("only FeatureCounts can be merged")
        self._native.merge(other._native)

    @property
    def counted(self) -> int:
        """The number of features that were added."""
        return self._native.counted

    def save(self) -> bytes:
        return self._native.save()

    @classmethod
    def load(cls, data: Any, *, bits: int = 64, mapped: bool = False) -> "FeatureCounts":
        """Reads the bytes of save(). If `mapped`, the counts use `data`, such as a numpy.memmap, and cannot change."""
        result = cls.__new__(cls)
        result._native = _native.FeatureCounts.load(_width(bits), data, _flag(mapped, "mapped"))
        result._bits = bits
        return result

    def __repr__(self) -> str:
        return f"<neardup.FeatureCounts: {self.counted:,} features of {self._bits} bits>"


class DocumentPairs(_Table):
    """Sorted pairs of the numbers of documents (uint64), `first` < `second`. Pairs of a Shuffle with payload "sets" also
    have `common` and `similarity`."""

    def __init__(self, native: Any, columns: Sequence[str]) -> None:
        super().__init__(native)
        self._columns = tuple(columns)


class SetScatter:
    """Sets that wait to be moved to the partitions of a Shuffle."""

    def __init__(self, native: Any) -> None:
        self._native = native

    def add(self, documents: Any, sets: FeatureSets) -> None:
        """Adds the sets of documents. `documents`: numbers (uint64). A call is best with thousands of sets."""
        self._native.add(_ids(documents), _native_sets(sets))

    def __len__(self) -> int:
        """Returns the number of bytes that wait."""
        return self._native.size

    def __bool__(self) -> bool:
        return True

    def take(self) -> List[Tuple[int, bytes]]:
        """Removes the sets that wait. Returns: a list of (partition, blob)."""
        return self._native.take()


class Shuffle(NamedTuple):
    """A join in steps: features(), FeatureCounts, scatter(), gather(), verify(). The caller moves bytes between the steps.

    First, the caller merges the FeatureCounts of all sets. Then scatters send each set to the partitions of its rare
    features. At last, gather() joins each partition from the blobs that all scatters made for it. All steps need the same
    settings. A gather refuses blobs of other settings.
    `payload`: "sets" moves whole sets, and gather() returns pairs, each in one partition only. "sketch" and "ids" move
    less, and gather() returns candidate pairs for verify(). `identity`: a number that identifies how the features were
    made. `copies_once`: if True, only the first of equal sets is paired with other sets.
    """

    similarity: float = 0.8
    measure: str = "jaccard"
    min_common: int = 0
    partitions: int = 1
    payload: str = "sets"
    identity: int = 0
    bits: int = 64
    copies_once: bool = False

    def _settings(self) -> Any:
        return (
            _similarity(self.similarity),
            _number(_MEASURES, self.measure, "measure"),
            _whole(self.min_common, "min_common", 0),
            _whole(self.partitions, "partitions", 1, 2**31 - 1),
            _number({"sets": 0, "sketch": 1, "ids": 2}, self.payload, "payload"),
            True,
            _whole(self.identity, "identity", 0, 2**64 - 1),
            _flag(self.copies_once, "copies_once"),
        )

    def scatter(self, counts: FeatureCounts) -> SetScatter:
        """Returns a scatter for the sets of the corpus. `counts`: the merged counts of all sets of the corpus."""
        if not isinstance(counts, FeatureCounts) or counts._bits != self.bits:
            raise TypeError(f"counts must be FeatureCounts of {self.bits} bits")
        return SetScatter(_native.SetScatter.make(self._settings(), counts._native))

    def gather(self, blobs: Iterable[Any], partition: int, *, threads: Optional[int] = None) -> DocumentPairs:
        """Joins a partition. `blobs`: its blobs in any order. Raises OSError if a blob is damaged."""
        settings = self._settings()
        at = _whole(partition, "partition", 0, self.partitions - 1)
        native = _native.gather(_width(self.bits), list(blobs), settings, at, _run(threads))
        columns = ("first", "second", "common", "similarity")
        return DocumentPairs(native, columns if self.payload == "sets" else columns[:2])

    def verify(self, first: FeatureSets, second: FeatureSets) -> Tuple[_np.ndarray, _np.ndarray]:
        """Returns the overlap and the similarity of `first[i]` and `second[i]`; both are 0 if the sets are no pair."""
        return _native.verify_sets(_native_sets(first), _native_sets(second), self._settings())


class PassageShuffle(NamedTuple):
    """The steps of passages() and cut_passages() for texts in parts. The caller moves blobs, as bytes, between the steps.

    scatter_anchors() reads each part. repeated_anchors() reads the blobs of each partition. scatter() reads each part again.
    gather() finds the passages of each partition. join(), locate() and cut() then take the passages of any range of texts.
    All steps need the same settings. They raise OSError if a blob is damaged, given twice, or of another partition or step.
    `earlier`: the number of texts, from the first text of all parts, that are an earlier corpus, without results.
    """

    length: int = 50
    unit: str = "words"
    least_documents: int = 1
    earlier: int = 0
    partitions: int = 1

    def _settings(self) -> Any:
        options = _passage_options(self.length, self.unit, self.least_documents, self.earlier)
        return (*options, _whole(self.partitions, "partitions", 1, 4096))

    def scatter_anchors(self, texts: Any, *, threads: Optional[int] = None) -> List[Tuple[int, bytes]]:
        """Returns a list of (partition, blob) for a part of the texts."""
        return _native.passage_scatter_anchors(texts, self._settings(), _run(threads))

    def repeated_anchors(self, blobs: Iterable[Any], partition: int) -> bytes:
        """Returns the anchors of a partition that are repeated, as a blob. `blobs`: its blobs in any order."""
        at = _whole(partition, "partition", 0, self.partitions - 1)
        return _native.passage_repeated_anchors(list(blobs), at, self._settings())

    def scatter(self, texts: Any, first: int, repeated: Any, *, threads: Optional[int] = None) -> List[Tuple[int, bytes]]:
        """Returns a list of (partition, blob) for a part of the texts. `first`: the number of texts in all earlier parts.
        `repeated`: the results of repeated_anchors() for all partitions, one after the other, as bytes or a mapped file."""
        return _native.passage_scatter(texts, _whole(first, "first", 0), repeated, self._settings(), _run(threads))

    def gather(self, blobs: Iterable[Any], partition: int) -> _Table:
        """Returns the passages of a partition: the columns `text`, `begin`, `end`, `first_text`, `first_begin` and `first_end`
        (uint32). Places count words or bytes. `blobs`: its blobs in any order."""
        at = _whole(partition, "partition", 0, self.partitions - 1)
        return _PassagePlaces(_native.passage_gather(list(blobs), at, self._settings()), _PLACES)

    def join(self, found: Any) -> _Table:
        """Joins all passages that gather() has returned for some texts to the runs of passages(), in their order. `found`: the
        columns of gather(), by their names. Returns: the same columns."""
        columns = _place_columns(found, ("text", "begin", "end", "first_text", "first_begin"))
        return _PassagePlaces(_native.passage_join(columns, self._settings()), _PLACES)

    def locate(self, texts: Any, first: int, places: Any) -> _Table:
        """Returns each place in code points, as `begin` and `end`, and in UTF-8, as `begin_byte` and `end_byte`. `places`: the
        columns `text`, `begin` and `end` of join(). `texts`: the texts from number `first` on."""
        columns = _place_columns(places, ("text", "begin", "end"))
        native = _native.passage_locate(texts, _whole(first, "first", 0), columns, self._settings())
        return _PassagePlaces(native, ("text", "begin", "end", "begin_byte", "end_byte"))

    def cut(self, texts: Any, first: int, places: Any) -> CutTexts:
        """Returns the texts from number `first` on without their passages, as cut_passages() does. `places`: as in locate()."""
        columns = _place_columns(places, ("text", "begin", "end"))
        return CutTexts(_native.passage_cut(texts, _whole(first, "first", 0), columns, self._settings()))


_PLACES = ("text", "begin", "end", "first_text", "first_begin", "first_end")


def _place_columns(places: Any, names: Sequence[str]) -> List[_np.ndarray]:
    given = places.to_numpy() if isinstance(places, _Table) else places
    columns = [_np.ascontiguousarray(_array(given[name], name), _np.uint32) for name in names]
    if any(column.shape != (len(columns[0]),) for column in columns):
        raise ValueError("places must be columns of the same length")
    return columns


def _native_sets(sets: FeatureSets) -> Any:
    if not isinstance(sets, FeatureSets):
        raise TypeError(f"sets must be FeatureSets, not {type(sets).__name__}")
    return sets._native
