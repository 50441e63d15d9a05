"""Runs the steps on an engine of one process with rows in any order, and compares the answers with those of the library."""

import argparse
import random

import near_duplicates as steps
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import repeated_passages

from expected import answers, by_text, corpus, passages_of, repetitive, skewed


class Engine:
    """An engine of one process. Its data are a list of rows."""

    def __init__(self, table, folder):
        self.table, self.folder, self.written = table, folder, {}
        self.columns, self.size, self.cores = table.column_names, len(table), 2

    def sample(self):
        return self.table["text"].slice(0, 1000)

    def read(self, function, plan, columns, few=False, numbered=False, once=False):
        table = self.table.select(columns)
        table = table.append_column("number", pa.array(range(len(table)))) if numbered else table
        parts = [table.slice(begin, 21) for begin in range(0, len(table), 21)]
        if numbered and parts:  # the texts of a task need not be consecutive
            parts = [pa.concat_tables(parts[i::2]) for i in range(min(2, len(parts)))]
        return self.moved(row for part in parts for row in function(plan, part.combine_chunks().to_batches(10)))

    def moved(self, rows):
        """Moves rows as batches, as engines do."""
        rows = list(steps.rows_of(steps.batches_of(rows)))
        random.shuffle(rows)
        return rows

    def only(self, data, kind):
        return [row for row in data if row[1] == kind]

    def step(self, function, plan, *data):
        parts = steps.by_partition(row for rows in data for row in rows)
        return self.moved(row for partition, kinds in parts.items() for row in function(plan, partition, kinds))

    def collect(self, data, kind):
        return ((partition, blob) for partition, _, blob in self.only(data, kind))

    def share(self, name, content):
        (self.folder / name).write_bytes(content)
        return str(self.folder / name)

    def local(self, rows):
        return self.moved(rows)

    def write(self, data, kind, columns):
        table = steps.table_of(blob for _, blob in self.collect(data, kind))
        self.written[kind] = [] if table is None else by_text(zip(*(table[name].to_pylist() for name in columns)))


def settings(seed=0, **changes):
    rng = random.Random(seed)
    chosen = {
        "input": "in.parquet",
        "similarity": rng.choice([0.3, 0.5, 0.8]),
        "measure": rng.choice(["jaccard", "jaccard", "cosine", "containment"]),
        "features": "words:2",
        "order": rng.choice(["", "age"]),
        "partitions": rng.choice([0, 1, 3, 8]),
        "payload": rng.choice(["auto", "sets", "sketch", "ids"]),
        "edges": rng.choice([0, 0, 5, 10_000_000]),
        "grouping": rng.choice(["representatives", "representatives", "components"]),
    }
    chosen["copies_once"] = chosen["measure"] != "containment" and rng.random() < 0.5
    chosen["within"] = chosen["across"] = ""
    if chosen["grouping"] == "components":
        chosen["edges"] = 10_000_000
    return argparse.Namespace(**{**chosen, **changes})


@pytest.mark.parametrize("seed", range(40))
def test_the_answers_of_the_library(seed, tmp_path, capsys):
    table, given = corpus(seed, [0, 1, 20, 150][seed % 4]), settings(seed)
    engine = Engine(table, tmp_path)
    steps.run(engine, given)
    wanted = answers(table, given)
    assert engine.written == wanted
    kept, pairs = len(wanted["kept"]), len(wanted["pairs"])
    said = f"{len(table)} texts, {kept} kept; {table['text'].null_count} null; {pairs} pairs\n"
    assert capsys.readouterr().err.replace(",", "") == said.replace(",", "")


@pytest.mark.parametrize("name", ["within", "across"])
@pytest.mark.parametrize("seed", range(24))
def test_pairs_within_or_across_a_column(seed, name, tmp_path):
    table, given = corpus(seed, [1, 20, 150, 300][seed % 4]), settings(seed, copies_once=False, **{name: "lang"})
    engine = Engine(table, tmp_path)
    steps.run(engine, given)
    assert engine.written == answers(table, given)
    assert seed % 4 < 2 or len(engine.written["pairs"]) > 0


@pytest.mark.parametrize("seed", range(40))
def test_repeated_passages(seed, tmp_path, capsys, monkeypatch):
    rng = random.Random(seed)
    table = repetitive(seed, [0, 1, 30, 200][seed % 4])
    unit, length, least = rng.choice(["", "bytes:"]), rng.choice([1, 2, 5, 12]), rng.choice([1, 1, 3])
    given = argparse.Namespace(passages=f"{unit}{length}", least_documents=least, earlier=rng.choice([0, len(table) // 3]), partitions=rng.choice([0, 1, 3, 8]), input="in.parquet")
    monkeypatch.setattr(repeated_passages, "BYTES_AT_ONCE", rng.choice([1, 1000, 64 << 20]))
    engine = Engine(table, tmp_path)
    repeated_passages.run(engine, given)
    wanted = passages_of(table, given)
    assert engine.written == wanted
    assert seed % 4 < 2 or len(wanted["passages"]) > 0
    said = f"{len(table)} texts, {len(wanted['texts'])} kept; {table['text'].null_count} null; {len(wanted['passages'])} passages removed\n"
    assert capsys.readouterr().err.replace(",", "") == said.replace(",", "")


def test_what_is_refused_for_passages(tmp_path):
    table = repetitive(1, 20)
    for changes, message in (
        ({"passages": "chars:5"}, "--passages is N or bytes:N, not chars:5"),
        ({"passages": "bytes:"}, "--passages is N or bytes:N"),
        ({"passages": "0"}, "length must be at least 1"),
        ({"least_documents": 0}, "least_documents must be at least 1"),
        ({"partitions": 4097}, "partitions must be at least 1 and at most 4096"),
    ):
        given = argparse.Namespace(**{"passages": "5", "least_documents": 1, "earlier": 0, "partitions": 2, "input": "in.parquet", **changes})
        with pytest.raises(ValueError, match=message):
            repeated_passages.run(Engine(table, tmp_path), given)
    with pytest.raises(ValueError, match="in.parquet has no column 'id'"):
        repeated_passages.run(Engine(table.drop_columns(["id"]), tmp_path), given)


@pytest.mark.parametrize("payload", ["sets", "sketch"])
@pytest.mark.parametrize("shape", ["template", "vocabulary", "copies"])
def test_skew(shape, payload, tmp_path):
    table = skewed(shape, 300)
    given = settings(measure="jaccard", payload=payload, similarity=0.8, order="age", copies_once=shape == "copies")
    engine = Engine(table, tmp_path)
    steps.run(engine, given)
    assert engine.written == answers(table, given)
    assert len(engine.written["pairs"]) >= 50


def test_a_chain_takes_many_rounds(tmp_path):
    """Each text matches the previous and the next text, so every other text is kept."""
    texts = [" ".join(f"w{j}" for j in range(i, i + 20)) for i in range(300)]
    table = pa.table({"id": range(300), "text": texts})
    for edges in (0, 10_000):
        engine = Engine(table, tmp_path)
        steps.run(engine, settings(similarity=0.85, measure="jaccard", order="", edges=edges, grouping="representatives"))
        assert engine.written["kept"] == [(i,) for i in range(0, 300, 2)]


def test_what_is_refused_within_a_column(tmp_path):
    table = corpus(1, 60)
    langs = pc.if_else(pc.equal(table["id"], table["id"][3]), None, table["lang"])
    for wrong, changes, message in (
        (table.set_column(3, "lang", langs), {"within": "lang"}, f"the text of the id {table['id'][3].as_py()!r} has no lang"),
        (table.set_column(3, "lang", table["age"].cast(pa.float64())), {"across": "lang"}, "--across lang: the values are double, and neither"),
        (table.set_column(3, "lang", pa.array([[1]] * 60)), {"within": "lang"}, "the values are list<"),
        (table, {"within": "language"}, "has no column 'language', but age, text, id, lang"),
        (table, {"within": "lang", "copies_once": True}, "--copies-once is not for --within"),
    ):
        with pytest.raises(ValueError, match=message):
            steps.run(Engine(wrong, tmp_path), settings(3, **{"measure": "jaccard", "copies_once": False, **changes}))
    same = table.set_column(3, "lang", table["lang"].cast(pa.string()).dictionary_encode())
    for name in ("within", "across"):
        given, engine = settings(3, copies_once=False, **{name: "lang"}), Engine(same, tmp_path)
        steps.run(engine, given)
        assert engine.written == answers(same, given)


def test_what_is_refused(tmp_path):
    table = corpus(1, 60)
    twice = pa.concat_tables([table, table.slice(7, 1)])
    no_id = table.set_column(2, "id", pc.if_else(pc.equal(table["id"], table["id"][3]), None, table["id"]))
    no_age = table.set_column(0, "age", pc.if_else(pc.equal(table["id"], table["id"][3]), None, table["age"]))
    for wrong, message in (
        (twice, f"2 texts have the id {table['id'][7].as_py()!r}"),
        (no_id, "an id is null"),
        (no_age, f"the text of the id {table['id'][3].as_py()!r} has no age"),
        (table.drop_columns(["text"]), "has no column 'text', but age, id"),
        (table.set_column(2, "id", table["id"].cast(pa.float64())), "integers or strings, not double"),
        (table.set_column(1, "text", table["age"]), "but this is int32"),
    ):
        with pytest.raises(ValueError, match=message):
            steps.run(Engine(wrong, tmp_path), settings(order="age", payload="sets"))
