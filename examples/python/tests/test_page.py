"""Runs the scripts of docs/python.md, and checks that they do what the page says."""

import contextlib
import io
import pathlib
import re
import os
import subprocess
import sys

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import neardup
import neardup.__main__ as program
import oracle

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "python.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL) if PAGE.exists() else []
TEXTS = ["a b c d e f", None, "a b c d e f g", "x y z u v w", "a b c d e f", "x y z u v w q", "", "l m n"]
KEPT = [i for i, label in enumerate(oracle.groups(oracle.sets_of(TEXTS))) if i == label]
pytestmark = pytest.mark.skipif(not BLOCKS, reason="not in the repository")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pa.table({"id": list(range(len(TEXTS))), "text": TEXTS})
    pq.write_table(table, "in.parquet", row_group_size=3)
    with pa.ipc.new_stream("data-00000-of-00001.arrow", table.schema) as stream:
        stream.write_table(table, max_chunksize=3)
    return tmp_path


def run(part):
    (block,) = (block for block in BLOCKS if part in block)
    names = {}
    exec(compile(block, str(PAGE), "exec"), names)
    return names


def test_each_block_is_tested():
    assert len(BLOCKS) == 9


def test_from_parquet_to_parquet(folder):
    run("pl.read_parquet(\"in.parquet\")\nkeep")
    assert pq.read_table("out.parquet")["id"].to_pylist() == KEPT
    frame = pd.read_parquet("in.parquet")
    assert frame[neardup.unique(frame["text"])]["id"].tolist() == KEPT


@pytest.mark.parametrize("type_", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())], ids=str)
@pytest.mark.parametrize("texts", [TEXTS, TEXTS[:1]], ids=["some", "one"])
def test_batches_of_parquet(folder, type_, texts):
    column = pa.array(texts, type_) if type_ == pa.string_view() else pa.array(texts, pa.string()).cast(type_)
    pq.write_table(pa.table({"id": list(range(len(texts))), "text": column}), "in.parquet", row_group_size=1)
    assert run("iter_batches")["keep"].nonzero()[0].tolist() == [i for i in KEPT if i < len(texts)]


def test_several_questions(folder):
    names = run("labels = neardup.groups")
    assert names["labels"].tolist() == oracle.groups(oracle.sets_of(TEXTS))
    assert names["found"].rows() == oracle.pairs(oracle.sets_of(TEXTS), least=0.6)
    assert names["beside"]["b"].to_list() == [TEXTS[j] for j in names["found"]["second"]]


def test_repeated_passages(folder, capsys):
    passage = " ".join(f"word{i}" for i in range(60))
    texts = [passage, None, f"A heading, then {passage}."]
    pq.write_table(pa.table({"text": texts}), "in.parquet")
    names = run("neardup.cut_passages")
    assert names["clean"]["text"].to_list() == [passage, None, "A heading, then ."]
    ((text, begin, end, *_),) = names["found"].rows()
    assert texts[text][begin:end] == passage


def test_one_by_one(folder, capsys):
    run("with neardup.Deduplicator")
    assert capsys.readouterr().out.count("is_new=True") == 1
    run("with neardup.Deduplicator")
    assert capsys.readouterr().out.count("is_new=True") == 0


def test_chinese_words(folder, capsys):
    words = ["研究 9", "生命 8", "起源 7", "的 90", "我们 40", "数据库 8", "备份 7"]
    (folder / "dict.txt").write_text("\n".join(words), encoding="utf-8")
    names = run("neardup.Dictionary")
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["['我们', '研究', '生命', '的', '起源']", "[ True False  True]"]
    assert len((folder / "idf.txt").read_text(encoding="utf-8").splitlines()) == len(names["table"]) == 7


def test_duckdb(folder):
    found = neardup.pairs(duckdb.sql("SELECT text FROM 'in.parquet'").to_arrow_table(), similarity=0.6)
    assert duckdb.sql("SELECT first, second FROM found").fetchall() == [pair[:2] for pair in oracle.pairs(oracle.sets_of(TEXTS), least=0.6)]


def test_hugging_face(folder):
    assert run("memory_map")["rows"].tolist() == KEPT


def test_datatrove(folder):
    documents = pytest.importorskip("datatrove.data")
    pytest.importorskip("datatrove.pipeline.filters.base_filter")
    pipeline = run("BaseFilter")["NearDuplicates"](str(folder / "seen.neardup"))
    given = [documents.Document(text=text or "", id=str(i)) for i, text in enumerate(TEXTS)]
    assert [int(doc.id) for doc in pipeline.run(iter(given))] == KEPT


def test_lookup(capsys):
    assert len(run("lsh = ")["lsh"]) == 1
    assert capsys.readouterr().out == "[['ferry'], []]\n"


def parquet(*arguments, code=0):
    """Runs the command in this process, because importing all libraries again takes seconds. Returns: its messages."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            assert program.main(list(arguments)) == code
    except SystemExit as e:
        assert code == 1 and isinstance(e.code, str)
        return e.code
    return said.getvalue()


def test_python_m_neardup(folder):
    command = [sys.executable, "-m", "neardup", "unique", "in.parquet", "out.parquet", "--text-field", "text"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == f"neardup: {len(TEXTS)} rows, {len(KEPT)} kept; 1 null\n"
    assert pq.read_table("out.parquet").equals(pq.read_table("in.parquet").take(KEPT))
    parquet("pairs", "in.parquet", "pairs.parquet", "--similarity", "0.6", "--quiet")
    rows = [tuple(row.values()) for row in pq.read_table("pairs.parquet").to_pylist()]
    assert rows == oracle.pairs(oracle.sets_of(TEXTS), least=0.6)
    parquet("groups", "in.parquet", "groups.parquet")
    assert pq.read_table("groups.parquet")["representative"].to_pylist() == oracle.groups(oracle.sets_of(TEXTS))


@pytest.mark.parametrize("verb", ["unique", "groups", "pairs"])
def test_python_m_neardup_imports_no_pandas(folder, verb):
    """An import of pandas takes longer than the join of 100,000 texts."""
    code = f"import sys, neardup.__main__ as program; program.main(['{verb}', 'in.parquet', 'out.parquet', '-q']); sys.exit('pandas' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)


def test_python_m_neardup_on_many_batches(folder, monkeypatch):
    monkeypatch.setattr(program, "ROWS", 2)
    assert program.main(["unique", "in.parquet", "out.parquet", "-q"]) == 0
    assert pq.read_table("out.parquet")["id"].to_pylist() == KEPT


def test_python_m_neardup_on_no_rows_and_other_types(folder):
    for type_ in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
        texts = pa.array(TEXTS, pa.string()).cast(type_) if type_ != pa.string_view() else pa.array(TEXTS, type_)
        table = pa.table({"id": list(range(len(TEXTS))), "text": texts})
        pq.write_table(table, "some.parquet", row_group_size=3)
        parquet("unique", "some.parquet", "out.parquet")
        assert pq.read_table("out.parquet")["id"].to_pylist() == KEPT
        pq.write_table(table.slice(0, 0), "none.parquet")
        for verb in ("unique", "pairs", "groups"):
            assert "0 rows" in parquet(verb, "none.parquet", "out.parquet")
            assert pq.read_table("out.parquet").num_rows == 0


def test_python_m_neardup_on_what_polars_writes(folder):
    pl.DataFrame({"text": TEXTS, "id": range(len(TEXTS))}).write_parquet("polars.parquet")
    parquet("unique", "polars.parquet", "out.parquet")
    assert pl.read_parquet("out.parquet")["id"].to_list() == KEPT


@pytest.mark.parametrize("verb", ["unique", "groups", "pairs"])
def test_python_m_neardup_keeps_its_input(folder, verb):
    before = (folder / "in.parquet").read_bytes()
    os.symlink("in.parquet", "link.parquet")
    for output in ("in.parquet", "./in.parquet", "link.parquet"):
        assert parquet(verb, "in.parquet", output, code=2) == f"neardup: {output} is also an input\n"
        assert (folder / "in.parquet").read_bytes() == before


def test_what_python_m_neardup_refuses(folder):
    (folder / "no.parquet").write_bytes(b"nothing")
    pq.write_table(pa.table({"text": [1]}), "numbers.parquet")
    for arguments, message in (
        (("unique", "in.parquet", "out.parquet", "--text-field", "body"), "in.parquet has no columns 'body'; its columns are id, text"),
        (("unique", "nothing.parquet", "out.parquet"), "nothing.parquet"),
        (("unique", "no.parquet", "out.parquet"), "neardup: "),
        (("unique", "numbers.parquet", "out.parquet"), "but this is int64"),
        (("unique", "in.parquet", "nowhere/out.parquet"), "nowhere"),
        (("unique", "in.parquet", "out.parquet", "--features", "x"), "features are words"),
        (("unique", "in.parquet", "out.parquet", "--similarity", "0"), "above 0"),
        (("unique", "in.parquet", "out.parquet", "--threads", "0"), "at least 1"),
    ):
        assert message in parquet(*arguments, code=1)
        assert sorted(path.name for path in folder.iterdir() if path.name.startswith((".", "out"))) == []
