"""Printers of gdb: a fingerprint in hexadecimal, an index with its size and shape.

In gdb, or in ~/.gdbinit:  source path/to/neardup/tools/gdb_printers.py
Then `print fingerprint` says simhash<64> 0854140684049009, and `print index`
pigeonhole_index<64, 3, 4>: 3 pairs, 2 distinct fingerprints, 4 tables. Of sets it says
set_index<unsigned int, unsigned int>: 3 ids, 2 distinct sets, jaccard of at least 0.8.
"""

import re

import gdb
import gdb.printing


def elements(vector):
    """The size of a std::vector of libstdc++ or libc++."""
    names = {field.name for field in vector.type.strip_typedefs().fields()}
    if "__begin_" in names:
        return int(vector["__end_"] - vector["__begin_"])
    storage = vector["_M_impl"]
    return int(storage["_M_finish"] - storage["_M_start"])


def words(array):
    """The elements of a std::array, which has a single member."""
    content = array[array.type.strip_typedefs().fields()[0]]
    content = content.cast(content.type.strip_typedefs())
    first, last = content.type.range()
    return [int(content[i]) for i in range(first, last + 1)]


def short_name(value):
    name = value.type.strip_typedefs().unqualified().name
    return re.sub(r"\bneardup::(v\d+::)?|\bunsigned int$", "", name)


class Fingerprint:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        bits = int(self.value.type.strip_typedefs().template_argument(0))
        number = sum(word << (64 * i) for i, word in enumerate(words(self.value["words_"])))
        return f"{short_name(self.value)} {number:0{(bits + 3) // 4}x}"


class Index:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        kind = self.value.type.strip_typedefs()
        engine = self.value["engine_"]
        store = engine["store_"]
        arguments = [str(int(kind.template_argument(0)))]
        if kind.name.split("<")[0].endswith("pigeonhole_index"):
            arguments += [str(int(kind.template_argument(i))) for i in (1, 2)]
        name = kind.name.split("<")[0].split("::")[-1]
        if name == "frozen_index":
            pairs, distinct = int(store["ids_"]["size_"]), int(store["fingerprints_"]["size_"])
        else:
            pairs, distinct = int(store["pairs_"]), elements(store["fingerprints_"])
        text = f"{name}<{', '.join(arguments)}>: {pairs} pairs, {distinct} distinct fingerprints"
        if any(field.name == "tables_" for field in engine.type.strip_typedefs().fields()):
            text += f", {elements(engine['tables_'])} tables"
        return text


class SetIndex:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        bounds = self.value["postings_"]["bounds_"]
        measure = str(bounds["by_"]).split("::")[-1]
        base = self.value["base_"]
        ids = int(self.value["ids_"]["size_"]) + int(base["sets_"]["ids"]["size_"]) - int(base["erased_"])
        distinct = int(self.value["distinct_"]) + max(int(base["sets_"]["records"]["size_"]) - 1, 0)
        text = f"{short_name(self.value)}: {ids} ids, {distinct} distinct sets"
        return f"{text}, {measure} of at least {float(bounds['threshold_']):g}"


def collection():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("neardup")
    printers.add_printer("fingerprint", r"^neardup::(v\d+::)?(simhash|minwise)<", Fingerprint)
    printers.add_printer("index", r"^neardup::(v\d+::)?(pigeonhole_index|flat_index|frozen_index)<", Index)
    printers.add_printer("set_index", r"^neardup::(v\d+::)?set_index<", SetIndex)
    return printers


gdb.printing.register_pretty_printer(gdb.current_objfile(), collection(), replace=True)
