#!/usr/bin/env python3
"""Both extensions give the pairs, groups and similarities that a plain loop over all texts gives, and name a wrong argument."""
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
import threading
import time
import unittest

import engines

PROGRAM = os.environ.get("NEARDUP_PROGRAM", "")
MEASURES = ("jaccard", "cosine", "containment", "edit")


# ---- The oracle: plain loops --------------------------------------------------------------------------------------------

def words(text):
    return re.findall("[a-z0-9]+", text.lower())


def features(text, length=2):
    """Returns the distinct runs of words of a text. A shorter text is one feature."""
    all_words = words(text or "")
    if len(all_words) <= length:
        return {" ".join(all_words)} if all_words else set()
    return {" ".join(all_words[i:i + length]) for i in range(len(all_words) - length + 1)}


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def similarity(a, b, measure, length=2, min_common=1):
    if a is None or b is None or not words(a) or not words(b):
        return 0
    if measure == "edit":
        x, y = " ".join(words(a)), " ".join(words(b))
        longer = max(len(x), len(y))
        return (longer - edit_distance(x, y)) / longer
    x, y = features(a, length), features(b, length)
    common = len(x & y)
    if common < min_common:
        return 0
    if measure == "jaccard":
        return common / len(x | y)
    return common / min(len(x), len(y)) if measure == "containment" else common / (len(x) * len(y)) ** 0.5


class Truth:
    """Computes the pairs and groups of rows (id, text)."""

    def __init__(self, measure="jaccard", least=0.6, length=2, min_common=None):
        self.measure, self.least = measure, least
        self.length, self.min_common = length, min_common or (8 if measure == "containment" else 1)

    def near(self, a, b):
        found = similarity(a, b, self.measure, self.length, self.min_common)
        return found if found >= self.least else None

    def pairs(self, rows, others=None):
        found = []
        for i, (a, text) in enumerate(rows):
            for b, other in (rows[i + 1:] if others is None else others):
                close = self.near(text, other)
                if close is not None:
                    found.append((a, b, round(close, 12)))
        return found

    def groups(self, rows, known=()):
        """Returns the original of each row: the closest earlier kept row; of equally close rows, the first."""
        order = list(range(len(rows)))
        if self.measure == "containment":
            order.sort(key=lambda i: -len(features(rows[i][1], self.length)))
        kept, original = list(known), {}
        for i in order:
            found = [(self.near(text, rows[i][1]), -at, row) for at, (row, text) in enumerate(kept)
                     if self.near(text, rows[i][1]) is not None]
            original[i] = max(found)[2] if found else rows[i][0]
            if not found:
                kept.append(rows[i])
        sizes = {}
        for row in original.values():
            sizes[row] = sizes.get(row, 0) + 1
        for row, _ in known:
            sizes[row] = sizes.get(row, 0) + 1
        return [(rows[i][0], original[i], sizes[original[i]]) for i in range(len(rows))]

    def components(self, rows):
        """Returns the original of each chain of similar rows: the first row, or for containment the first largest row."""
        if self.measure == "containment":
            ids = [a for a, _ in rows]
            by_size = Truth("", self.least, self.length)
            by_size.near = self.near
            found = {a: rest for a, *rest in by_size.components(sorted(rows, key=lambda row: -len(features(row[1], self.length))))}
            return [(a, *found[a]) for a in ids]
        label = {a: i for i, (a, _) in enumerate(rows)}
        for a, b, _ in self.pairs(rows):
            low, high = sorted((label[a], label[b]))
            label = {row: low if at == high else at for row, at in label.items()}
        return [(a, rows[label[a]][0], list(label.values()).count(label[a])) for a, _ in rows]


def corpus(random_numbers, count, first_id=0):
    """Makes texts, many of which are other texts with few changes. Some are NULL, some have no words, some are copies."""
    vocabulary = [f"w{i}" for i in range(40)]
    texts = []
    for _ in range(count):
        kind = random_numbers.random()
        bases = [text for text in texts if text]
        if kind < 0.05:
            texts.append(None)
        elif kind < 0.1:
            texts.append(random_numbers.choice(["", " ... ", "w1"]))
        elif kind < 0.3 or not bases:
            texts.append(" ".join(random_numbers.choices(vocabulary, k=random_numbers.randint(4, 30))))
        else:
            changed = random_numbers.choice(bases).split() or ["w2"]
            for _ in range(random_numbers.randint(0, 3)):
                at = random_numbers.randrange(len(changed))
                changed[at:at + random_numbers.randint(0, 1)] = random_numbers.choices(vocabulary, k=random_numbers.randint(0, 2))
                changed = changed or ["w3"]
            texts.append(", ".join(changed).upper() if random_numbers.random() < 0.3 else " ".join(changed))
    return [(first_id + i, text) for i, text in enumerate(texts)]


def rounded(pairs):
    return [(a, b, round(close, 12)) for a, b, close in pairs]


# ---- The tests ----------------------------------------------------------------------------------------------------------

class Promises:
    """The tests of both engines."""
    engine = None

    def setUp(self):
        self.db = self.engine()
        self.random = random.Random(7)

    def tearDown(self):
        self.db.close()

    def pairs(self, source, least, **options):
        return rounded(self.db.rows(f"SELECT a, b, similarity FROM {self.db.call('neardup_pairs', source, least, **options)}"))

    def groups(self, source, least, **options):
        return self.db.rows(f"SELECT id, original, size FROM {self.db.call('neardup_groups', source, least, **options)}")

    def test_pairs_are_those_of_a_loop_over_all_texts(self):
        for round_number, measure in enumerate(MEASURES * 3):
            with self.subTest(measure=measure, round=round_number):
                rows, least = corpus(self.random, 60), self.random.choice([0.3, 0.5, 0.75, 1])
                self.db.table(f"t{round_number}", rows)
                truth = Truth(measure, least).pairs(rows)
                self.assertEqual(self.pairs(f"t{round_number}", least, measure=measure), truth)
                if round_number >= 4 and least < 1:
                    self.assertTrue(truth)

    def test_pairs_against_another_table_are_those_across_both(self):
        for measure in MEASURES:
            known = corpus(self.random, 50)
            new = corpus(random.Random(7), 30, 1000) + [(2000 + i, text) for i, (_, text) in enumerate(known[:9])]
            self.db.table(f"known_{measure}", known)
            self.db.table(f"new_{measure}", new)
            found = self.pairs(f"new_{measure}", 0.5, measure=measure, against=f"known_{measure}")
            self.assertEqual(found, Truth(measure, 0.5).pairs(new, known))
            self.assertTrue(found)

    def test_further_arguments_are_those_of_the_join(self):
        rows = corpus(self.random, 70)
        self.db.table("t", rows)
        self.assertEqual(self.pairs("t", 0.5, features="words:1"), Truth("jaccard", 0.5, 1).pairs(rows))
        self.assertEqual(self.pairs("t", 0.5, min_common=12), Truth("jaccard", 0.5, min_common=12).pairs(rows))
        self.assertEqual(self.pairs("t", 0.6, measure="containment", min_common=2),
                         Truth("containment", 0.6, min_common=2).pairs(rows))
        self.db.table("copies", [(i, "one two three four") for i in range(9)])
        self.assertEqual(self.pairs("copies", 0.5, copies_once=True), [(0, i, 1.0) for i in range(1, 9)])

    def test_groups_are_those_of_the_rule(self):
        for round_number, measure in enumerate(MEASURES * 2):
            rows = corpus(self.random, 60)
            self.db.table(f"t{round_number}", rows)
            self.assertEqual(self.groups(f"t{round_number}", 0.5, measure=measure), Truth(measure, 0.5).groups(rows), measure)
            self.assertEqual(self.groups(f"t{round_number}", 0.6, measure=measure, components=True),
                             Truth(measure, 0.6).components(rows), measure)

    def test_groups_against_another_table_have_originals_there(self):
        for measure in ("jaccard", "cosine", "edit"):
            known, new = corpus(self.random, 30), corpus(self.random, 30, 1000)
            new += [(2000 + i, text) for i, (_, text) in enumerate(known[:12])]
            self.db.table(f"known_{measure}", known)
            self.db.table(f"new_{measure}", new)
            found = self.groups(f"new_{measure}", 0.6, measure=measure, against=f"known_{measure}")
            self.assertEqual(found, Truth(measure, 0.6).groups(new, known))
            self.assertTrue(any(original < 1000 for _, original, _ in found))

    def test_an_empty_table_has_no_pairs_and_no_groups(self):
        self.db.table("no_rows", [])
        self.db.table("t", [(1, "a b c"), (2, "a b c")])
        self.assertEqual(self.pairs("no_rows", 0.5), [])
        self.assertEqual(self.groups("no_rows", 0.5), [])
        self.assertEqual(self.pairs("t", 0.5, against="no_rows"), [])
        self.assertEqual(self.groups("no_rows", 0.5, against="t"), [])
        self.assertEqual(self.groups("t", 0.5, against="no_rows"), [(1, 1, 2), (2, 1, 2)])

    def test_same_is_true_for_exactly_the_pairs(self):
        for measure in MEASURES:
            rows = corpus(self.random, 40)
            self.db.table(f"t_{measure}", rows)
            for least in (0.4, 0.8):
                found = self.db.rows(f"SELECT x.id, y.id FROM t_{measure} x JOIN t_{measure} y ON x.id < y.id "
                                     f"WHERE neardup_same(x.body, y.body, {least}, '{measure}') ORDER BY x.id, y.id")
                self.assertEqual(found, [pair[:2] for pair in self.pairs(f"t_{measure}", least, measure=measure)])

    def test_similarity_is_that_of_a_loop(self):
        rows = corpus(self.random, 25)
        self.db.table("t", rows)
        for measure in MEASURES:
            found = self.db.rows(f"SELECT x.body, y.body, neardup_similarity(x.body, y.body, '{measure}') FROM t x, t y")
            for a, b, close in found:
                self.assertEqual(close, None if a is None or b is None else similarity(a, b, measure), (a, b))
        a, b = "a b c d e f", "a b c d x f"
        self.assertEqual(self.db.rows("SELECT neardup_similarity(?, ?)", (a, b)), [(similarity(a, b, "jaccard"),)])
        self.assertEqual(self.db.rows("SELECT neardup_similarity(?, ?, 'jaccard', 'words:1')", (a, b)), [(5 / 7,)])

    def test_null_is_in_no_pair_and_makes_null(self):
        self.db.table("t", [(1, None), (2, None), (3, ""), (4, "")])
        self.assertEqual(self.pairs("t", 0.1), [])
        self.assertEqual(self.pairs("t", 0.1, measure="edit"), [])
        self.assertEqual(self.groups("t", 0.1), [(i, i, 1) for i in range(1, 5)])
        for call in ("neardup_similarity(NULL, 'a')", "neardup_similarity('a', NULL)", "neardup_same('a', 'a', NULL)",
                     "neardup_simhash(NULL)", "neardup_simhash(NULL, 128)", "neardup_features(NULL)",
                     "neardup_distance(1, NULL)", "neardup_simhash(' ... ')"):
            self.assertEqual(self.db.rows(f"SELECT {call}"), [(None,)], call)

    def test_fingerprints_are_those_of_the_library(self):
        # The values of `neardup hash`; docs/fingerprint.md defines them.
        self.assertEqual(self.db.rows("SELECT neardup_simhash('hello'), hex(neardup_simhash('hello', 128))"),
                         [(0x9555e8555c62dcfd - 2**64, "374683D7A79942239555E8555C62DCFD")])
        for bits in (32, 64, 128, 256):
            [(size, last)] = self.db.rows(f"SELECT length(hex(neardup_simhash('hello', {bits}))), "
                                          f"hex(neardup_simhash('hello', {bits}))")
            self.assertEqual((size, last[-8:]), (bits // 4, "5C62DCFD"))
        if PROGRAM:
            texts = [text for _, text in corpus(self.random, 50) if text and words(text)]
            for bits in (32, 64, 128, 256):
                for made_of in ("words:2", "chars:5"):
                    printed = subprocess.run([PROGRAM, "hash", "--quiet", "--lines", "--bits", str(bits), "--features", made_of, "-"],
                                             input="\n".join(texts), text=True, capture_output=True, check=True).stdout
                    found = [self.db.rows(f"SELECT lower(hex(neardup_simhash(?, {bits}, '{made_of}')))", (text,))[0][0]
                             for text in texts]
                    self.assertEqual(found, [line.split()[0] for line in printed.splitlines()])

    def test_distance_counts_bits(self):
        for _ in range(20):
            x, y = self.random.randrange(-2**63, 2**63), self.random.randrange(-2**63, 2**63)
            self.assertEqual(self.db.rows(f"SELECT neardup_distance(CAST('{x}' AS BIGINT), CAST('{y}' AS BIGINT))"),
                             [(((x ^ y) % 2**64).bit_count(),)])
        self.assertEqual(self.db.rows("SELECT neardup_distance(neardup_simhash('a b', 128), neardup_simhash('a c', 128))"),
                         self.db.rows("SELECT neardup_distance(neardup_simhash('a c', 128), neardup_simhash('a b', 128))"))
        [(found,)] = self.db.rows("SELECT neardup_distance(neardup_simhash('a b'), neardup_simhash('a c'))")
        self.assertEqual(self.db.rows("SELECT neardup_distance(neardup_simhash('a b', 64), neardup_simhash('a c', 64))"),
                         [(found,)])

    def test_features_are_json(self):
        for text in ('The "quoted" \\ cat, the "quoted" cat', "", "one", "tab\tand\x01control", "Жук Ё"):
            [(found,)] = self.db.rows("SELECT neardup_features(?, 'words:1')", (text,))
            self.assertEqual(json.loads(found), list(dict.fromkeys(re.findall(r"\w+", text.lower()))))
            for made_of in ("words:2", "chars:3", "bytes:2", "spaced:words:2", "code:2"):
                json.loads(self.db.rows("SELECT neardup_features(?, ?)", (text, made_of))[0][0])
        self.assertEqual(self.db.rows("SELECT neardup_features('地铁', 'words:1')"), [('["地","铁"]',)])
        self.assertEqual(self.db.rows("SELECT neardup_features('A b, c a B')"), [('["a b","b c","c a"]',)])

    def test_a_source_is_a_table_a_view_or_a_query(self):
        self.db.table("t", [(1, "a b c d"), (2, "x y z"), (3, "A b, c d")])
        self.db.rows("CREATE VIEW of_t AS SELECT id, body FROM t")
        for source in ("t", "T", "main.t", "of_t", "SELECT * FROM t", "  select id, body from t;\n ", "SELECT * FROM t -- all",
                       "WITH w AS (SELECT * FROM t) SELECT * FROM w", "SELECT 3 AS id, 'a b c d' AS body UNION ALL SELECT * FROM t "
                       "WHERE id = 1"):
            self.assertEqual({frozenset(pair[:2]) for pair in self.pairs(source, 0.9)}, {frozenset((1, 3))}, source)
        self.db.rows('CREATE TABLE "select"(id INTEGER, "b""o dy" TEXT)')
        self.db.rows('INSERT INTO "select" VALUES (1, \'a b\'), (2, \'a b\')')
        self.assertEqual(self.db.rows("""SELECT a, b FROM neardup_pairs('select', 'id', 'b"o dy', 0.5)"""), [(1, 2)])

    def test_the_order_of_the_rows_decides_about_originals(self):
        self.db.table("t", [(1, "a b c d"), (2, "a b c d"), (3, "q r s"), (4, "a b c d")])
        self.assertEqual(self.groups("t", 0.9), [(1, 1, 3), (2, 1, 3), (3, 3, 1), (4, 1, 3)])
        self.assertEqual(self.groups("SELECT * FROM t ORDER BY id DESC", 0.9), [(4, 4, 3), (3, 3, 1), (2, 4, 3), (1, 4, 3)])

    def test_a_wrong_argument_is_an_error_that_names_it(self):
        self.db.table("t", [(1, "a b c d"), (2, "a b c d")])
        for call, said in (
                ("neardup_pairs('no', 'id', 'body', 0.8)", "source 'no': "),
                ("neardup_pairs('SELECT', 'id', 'body', 0.8)", "source 'SELECT': "),
                ("neardup_pairs('SELECT 1; SELECT 2', 'id', 'body', 0.8)", "source 'SELECT 1; SELECT 2': "),
                ("neardup_pairs('SELECT * FROM t WHERE id > ?', 'id', 'body', 0.8)",
                 "source 'SELECT * FROM t WHERE id > ?': it has parameters"),
                ("neardup_pairs(NULL, 'id', 'body', 0.8)", "source is missing"),
                ("neardup_pairs('t', 'nr', 'body', 0.8)", "id_column 'nr' of source 't': "),
                ("neardup_pairs('t', 'id', 'bdy', 0.8)", "text_column 'bdy' of source 't': "),
                ("neardup_pairs('t', 'id', 'body', 0)", "min_similarity is above 0 and at most 1, not 0"),
                ("neardup_pairs('t', 'id', 'body', 1.5)", "min_similarity is above 0 and at most 1, not 1.5"),
                ("neardup_groups('t', 'id', 'body', NULL)", "min_similarity is missing"),
                (self.db.call("neardup_pairs", "t", 0.8, measure="cos"), "measure 'cos' is not jaccard, cosine, "),
                (self.db.call("neardup_groups", "t", 0.8, features="wrods:2"), "features 'wrods:2': "),
                (self.db.call("neardup_groups", "t", 0.8, features="words:2", measure="edit"), "features is for jaccard"),
                (self.db.call("neardup_pairs", "t", 0.8, against="no"), "against 'no': "),
                (self.db.call("neardup_pairs", "t", 0.8, against="SELECT id FROM t"), "text_column 'body' of against "),
                (self.db.call("neardup_pairs", "t", 0.8, min_common=-1), "min_common is at least 0, not -1"),
                (self.db.call("neardup_pairs", "t", 0.8, min_common=3, measure="edit"), "min_common is for jaccard"),
                (self.db.call("neardup_groups", "t", 0.8, components=1, against="t"), "components cannot be combined")):
            with self.assertRaises(self.db.error, msg=call) as raised:
                self.db.rows(f"SELECT * FROM {call}")
            self.assertIn(call.split("(")[0] + ": " + said, str(raised.exception))
        for call, said in (("neardup_similarity('a', 'b', 'cos')", "measure 'cos' is not "),
                           ("neardup_similarity('a', 'b', 'edit', 'wrods')", "features 'wrods': "),
                           ("neardup_same('a', 'b', 7)", "min_similarity is above 0 and at most 1, not 7"),
                           ("neardup_simhash('a', 65)", "bits is 32, 64, 128 or 256, not 65"),
                           ("neardup_simhash('a', 'wrods')", "features 'wrods': "),
                           ("neardup_features('a', 'wrods')", "features 'wrods': "),
                           ("neardup_distance(neardup_simhash('a', 128), neardup_simhash('a', 64))", "x has 128 bits, y has 64")):
            with self.assertRaises(self.db.error, msg=call) as raised:
                self.db.rows(f"SELECT {call}")
            self.assertIn(call.split("(")[0] + ": " + said, str(raised.exception))

    def test_an_error_within_a_query_is_passed_on(self):
        query = {"sqlite": "SELECT 1 AS id, json(''{'') AS body",
                 "duckdb": "SELECT range AS id, CASE WHEN range > 9999 THEN error(''broken'') ELSE ''a'' END AS body FROM range(20000)"}
        for function in ("neardup_pairs", "neardup_groups"):
            with self.assertRaises(self.db.error) as raised:
                self.db.rows(f"SELECT count(*) FROM {function}('{query[self.db.name]}', 'id', 'body', 0.9)")
            self.assertRegex(str(raised.exception), function + ": source: .*(broken|malformed JSON)")
        self.db.table("t", [(1, "a b c d"), (2, "a b c d")])
        self.assertEqual(len(self.pairs("t", 0.9)), 1)  # the connection is still usable

    def test_batches_keep_a_table_free_of_near_duplicates(self):
        """The statement of docs/sql.md, over random batches, keeps the rows that groups of all batches at once keep."""
        for round_number in range(4):
            least = self.random.choice([0.4, 0.6, 0.8])
            kept, batch, arrived = f"kept{round_number}", f"batch{round_number}", []
            self.db.table(kept, [])
            self.db.table(batch, [])
            for day in range(5):
                rows = corpus(self.random, 25, 100 * day) + [(100 * day + 50 + i, text) for i, (_, text) in enumerate(arrived[::9])]
                arrived += rows
                self.db.rows(f"DELETE FROM {batch}")
                self.db.connection.executemany(f"INSERT INTO {batch} VALUES (?, ?)", rows)
                groups = self.db.call("neardup_groups", f"SELECT * FROM {batch} ORDER BY id", least, against=kept)
                self.db.rows(f"INSERT INTO {kept} SELECT * FROM {batch} WHERE id NOT IN "
                             f"(SELECT g.id FROM (SELECT id, original FROM {groups}) g WHERE g.id <> g.original)")
            expected = [a for a, original, _ in Truth("jaccard", least).groups(arrived) if a == original]
            self.assertEqual([a for a, in self.db.rows(f"SELECT id FROM {kept} ORDER BY id")], expected)

    def test_calls_nest_and_join_with_tables(self):
        self.db.table("t", [(1, "a b c d"), (2, "a b c d"), (3, "x y z")])
        self.assertEqual(
            self.db.rows("SELECT p.a, x.body, y.body FROM neardup_pairs('t', 'id', 'body', 0.5) p JOIN t x ON x.id = p.a "
                         "JOIN t y ON y.id = p.b"), [(1, "a b c d", "a b c d")])
        inner = "SELECT t.* FROM t JOIN neardup_groups(''t'', ''id'', ''body'', 0.5) g ON g.id = t.id WHERE g.id = g.original"
        self.assertEqual(self.db.rows(f"SELECT id, original FROM neardup_groups('{inner}', 'id', 'body', 0.5) ORDER BY id"),
                         [(1, 1), (3, 3)])

    def test_ids_come_back_as_they_are(self):
        self.db.table("t", [("é", "a b c"), ("x" * 100, "a b c"), ("", "a b c")])
        self.assertEqual(self.pairs("t", 0.5), [("é", "x" * 100, 1.0), ("é", "", 1.0), ("x" * 100, "", 1.0)])


@engines.needs(engines.SQLite)
class InSQLite(Promises, unittest.TestCase):
    engine = engines.SQLite

    def test_ids_of_all_types(self):
        self.db.table("t", [(2**62, "a b c"), (1.5, "a b c"), (b"\0x", "a b c"), (None, "a b c"), ("s", "a b c")])
        self.assertEqual(self.groups("t", 0.5), [(a, 2**62, 5) for a in (2**62, 1.5, b"\0x", None, "s")])
        self.assertEqual(self.db.rows("SELECT a, b FROM neardup_pairs('SELECT rowid AS n, body FROM t LIMIT 2', 'n', 'body', 1)"),
                         [(1, 2)])
        self.assertEqual(self.db.rows("SELECT count(*) FROM neardup_pairs('t', 'rowid', 'body', 1)"), [(10,)])

    def test_arguments_come_from_a_table_that_is_read_before(self):
        for name in ("x", "y"):
            self.db.table(name, [(name + "1", "a b c"), (name + "2", "a b c"), (name + "3", name)])
        self.db.rows("CREATE TABLE sources AS SELECT 'x' AS name UNION ALL SELECT 'y'")
        self.assertEqual(self.db.rows("SELECT name, a, b FROM sources JOIN neardup_pairs(sources.name, 'id', 'body', 0.5)"),
                         [("x", "x1", "x2"), ("y", "y1", "y2")])

    def test_rows_of_the_same_transaction_and_temporary_tables_count(self):
        self.db.rows("CREATE TEMP TABLE t(id, body)")
        self.db.rows("BEGIN")
        self.db.rows("INSERT INTO t VALUES (1, 'a b'), (2, 'a b')")
        self.assertEqual(self.pairs("t", 0.5), [(1, 2, 1.0)])
        self.db.rows("ROLLBACK")
        self.assertEqual(self.pairs("t", 0.5), [])

    def test_a_column_that_does_not_exist_is_no_string(self):
        self.db.table("t", [(1, "a"), (2, "b")])
        with self.assertRaises(self.db.error):  # SQLite reads a name in double quotes as a string if there is no such column
            self.db.rows("SELECT * FROM neardup_pairs('t', 'id', 'nothing', 0.5)")

    def test_a_trigger_refuses_near_duplicates(self):
        self.db.rows("CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT)")
        self.db.rows("CREATE TRIGGER once BEFORE INSERT ON t WHEN EXISTS "
                     "(SELECT 1 FROM t WHERE neardup_same(NEW.body, t.body, 0.6)) BEGIN SELECT RAISE(IGNORE); END")
        rows = [row for row in corpus(self.random, 80) if row[1]]
        self.db.connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        expected = [a for a, original, _ in Truth("jaccard", 0.6).groups(rows) if a == original]
        self.assertEqual([a for a, in self.db.rows("SELECT id FROM t ORDER BY id")], expected)

    def test_a_whole_number_may_be_real(self):
        # JavaScript binds each number as REAL.
        self.db.table("t", [(i, "one two three four") for i in range(4)])
        found = "SELECT a, b FROM neardup_pairs('t', 'id', 'body', 0.5) WHERE min_common = ? AND copies_once = ?"
        self.assertEqual(self.db.rows(found, (3.0, 1.0)), [(0, 1), (0, 2), (0, 3)])
        self.assertEqual(self.db.rows(found, (4.0, 0.0)), [])
        self.assertEqual(self.db.rows("SELECT neardup_simhash('hello', ?)", (128.0,)),
                         self.db.rows("SELECT neardup_simhash('hello', 128)"))
        for wrong in (3.5, 1e300, float("inf")):
            with self.assertRaisesRegex(self.db.error, "min_common is an integer, not"):
                self.db.rows(found, (wrong, 0))

    def test_an_argument_is_a_column_with_its_value(self):
        self.db.table("t", [(1, "a b c"), (2, "a b c")])
        call = "FROM neardup_pairs('t', 'id', 'body', 0.5)"
        columns = "source, id_column, text_column, min_similarity, measure, features, against, min_common, copies_once"
        self.assertEqual(self.db.rows(f"SELECT {columns} {call}"),
                         [("t", "id", "body", 0.5, "jaccard", "words:2", None, None, 0)])
        self.assertEqual(self.db.rows(f"SELECT measure, features {call} WHERE measure IS 'edit'"), [("edit", None)])
        self.assertEqual(self.db.rows(f"SELECT measure {call} WHERE measure IN ('edit', 'jaccard') ORDER BY measure"),
                         [("edit",), ("jaccard",)])
        for condition, count in (("measure LIKE 'jac%'", 1), ("measure LIKE 'e%'", 0), ("min_similarity > 0.4", 1)):
            self.assertEqual(self.db.rows(f"SELECT count(*) {call} WHERE {condition}"), [(count,)], condition)

    def test_the_inner_loop_of_a_query_joins_once(self):
        self.db.table("t", [(i, f"a b c w{i // 2}") for i in range(20)])
        read = []
        self.db.connection.create_function("seen", 1, lambda row: read.append(row) or row)
        source = "'SELECT seen(id) AS id, body FROM t', 'id', 'body', 0.9"
        found = self.db.rows(f"SELECT t.id, b FROM t LEFT JOIN neardup_pairs({source}) p ON p.a = t.id")
        self.assertEqual((found, len(read)), ([(i, i + 1 if i % 2 == 0 else None) for i in range(20)], 20))
        # A row that the connection adds meanwhile counts from the next inner loop on. Python is one row ahead.
        rows = self.db.connection.execute("SELECT n, p.id FROM (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3) "
                                          "LEFT JOIN neardup_groups('t', 'id', 'body', 0.9) p ON p.id > 18 + 0 * n")
        self.assertEqual(next(rows), (1, 19))
        self.db.rows("INSERT INTO t VALUES (20, 'new')")
        self.assertEqual(list(rows), [(2, 19), (3, 19), (3, 20)])

    def test_a_view_that_reads_itself_is_an_error(self):
        self.db.rows("CREATE VIEW v AS SELECT a AS id, 'x' AS body FROM neardup_pairs('v', 'id', 'body', 0.5)")
        with self.assertRaisesRegex(self.db.error, "more than 8 joins are nested"):
            self.db.rows("SELECT * FROM v")
        self.db.table("t", [(1, "a b c"), (2, "a b c")])
        self.assertEqual(self.pairs("t", 0.5), [(1, 2, 1.0)])

    def test_a_query_can_be_interrupted(self):
        words = [f"w{i}" for i in range(300)]
        self.db.table("t", [(i, " ".join(self.random.choices(words, k=40))) for i in range(20000)])
        stop, begin = threading.Timer(0.5, self.db.connection.interrupt), []

        def read(row):
            if row == 19999:  # the last row
                begin.append(time.process_time())
                stop.start()
            return row
        self.db.connection.create_function("read", 1, read)
        with self.assertRaisesRegex(self.db.error, "interrupted"):
            self.db.rows("SELECT count(*) FROM neardup_pairs('SELECT read(id) AS id, body FROM t', 'id', 'body', 0.3, 'jaccard', "
                         "'words:1')")
        self.assertLess(time.process_time() - begin[0], 3)  # the whole join takes 8
        self.assertEqual(self.db.rows("SELECT count(*) FROM t"), [(20000,)])

    def test_a_view_needs_a_trusted_schema(self):
        self.db.table("t", [(1, "a b c"), (2, "a b c")])
        self.db.rows("CREATE VIEW v AS SELECT a, b FROM neardup_pairs('t', 'id', 'body', 0.5)")
        self.assertEqual(self.db.rows("SELECT * FROM v"), [(1, 2)])
        self.db.rows("PRAGMA trusted_schema = OFF")
        with self.assertRaisesRegex(self.db.error, "unsafe use"):
            self.db.rows("SELECT * FROM v")

    def test_a_database_of_utf16_is_read(self):
        self.db.rows("PRAGMA encoding = 'UTF-16'")
        self.db.table("t", [(1, "地铁 站台 café"), (2, "地铁, 站台 CAFÉ")])
        self.assertEqual(self.pairs("t", 0.9), [(1, 2, 1.0)])

    def test_the_shell_loads_it(self):
        try:
            printed = subprocess.run(["sqlite3", ":memory:", f".load {engines.SQLITE}",
                                      "SELECT neardup_similarity('a b c', 'A b, c!')"], capture_output=True, text=True)
        except FileNotFoundError:
            self.skipTest("there is no sqlite3 shell")
        self.assertEqual(printed.stdout.strip(), "1.0", printed.stderr)


@engines.needs(engines.DuckDB)
class InDuckDB(Promises, unittest.TestCase):
    engine = engines.DuckDB

    def test_ids_of_all_types(self):
        for kind, values in (("TINYINT", "1, 2"), ("UBIGINT", "18446744073709551615, 2"), ("HUGEINT", "-5, 170141183460469231731"),
                             ("DOUBLE", "1.5, 2.5"), ("DECIMAL(4, 1)", "1.5, 2.5"), ("DECIMAL(30, 1)", "1.5, 2.5"),
                             ("DATE", "'2026-01-01', '2026-01-02'"), ("TIMESTAMP", "'2026-01-01', '2026-01-02'"),
                             ("UUID", "'7d7e7e9c-0000-4000-8000-000000000001', '7d7e7e9c-0000-4000-8000-000000000002'"),
                             ("ENUM('x', 'y')", "'x', 'y'"), ("BLOB", "'\\x00a', 'b'"), ("VARCHAR", "'short', 'longer than 12 bytes'")):
            self.db.rows(f"CREATE OR REPLACE TABLE t AS SELECT unnest([{values}])::{kind} AS id, 'a b c' AS body")
            expected = self.db.rows("SELECT x.id, y.id FROM t x POSITIONAL JOIN t y WHERE x.id = y.id")
            self.assertEqual(self.db.rows("SELECT a, b FROM neardup_pairs('t', 'id', 'body', 1)"),
                             [(expected[0][0], expected[1][0])], kind)
        self.db.rows("CREATE OR REPLACE TABLE t AS SELECT NULL::INTEGER AS id, 'a b c' AS body")
        self.assertEqual(self.groups("t", 0.5), [(None, None, 1)])
        with self.assertRaisesRegex(self.db.error, "neardup_pairs: id_column 'id' has a type that ids cannot have"):
            self.db.rows("SELECT * FROM neardup_pairs('SELECT [1] AS id, ''a'' AS body', 'id', 'body', 1)")
        with self.assertRaisesRegex(self.db.error, "neardup_pairs: text_column 'id' of source 't' is not VARCHAR"):
            self.db.rows("SELECT * FROM neardup_pairs('t', 'id', 'id', 1)")

    def test_ids_of_two_types_are_an_error(self):
        for kind, value, other, other_value in (("INTEGER", "1", "BIGINT", "1"), ("DECIMAL(4, 1)", "1.5", "DECIMAL(18, 3)", "1.5"),
                                                ("DECIMAL(9, 1)", "1.5", "DECIMAL(9, 2)", "1.5"),
                                                ("ENUM('x', 'y')", "'y'", "ENUM('y', 'x')", "'y'"),
                                                ("ENUM('x')", "'x'", "ENUM('x', 'y')", "'y'")):
            for name, type_of, of in (("x", kind, value), ("y", other, other_value)):
                self.db.rows(f"CREATE OR REPLACE TABLE {name} AS SELECT {of}::{type_of} AS id, 'a b c' AS body")
            with self.assertRaisesRegex(self.db.error, "id_column 'id' has two types", msg=kind):
                self.db.rows("SELECT * FROM neardup_pairs('x', 'id', 'body', 0.5, against := 'y')")
            self.assertEqual(len(self.db.rows("SELECT * FROM neardup_pairs('x', 'id', 'body', 0.5, against := 'FROM x')")), 1)

    def test_a_prepared_query_follows_the_type_of_the_ids(self):
        self.db.rows("CREATE TABLE t AS SELECT range::INTEGER AS id, 'a b c' AS body FROM range(3)")
        self.db.rows("PREPARE found AS SELECT a, b FROM neardup_pairs('t', 'id', 'body', 0.5)")
        self.assertEqual(self.db.rows("EXECUTE found"), [(0, 1), (0, 2), (1, 2)])
        self.db.rows("ALTER TABLE t ALTER id TYPE VARCHAR")
        self.assertEqual(self.db.rows("EXECUTE found"), [("0", "1"), ("0", "2"), ("1", "2")])

    def test_files_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "texts.parquet"
            self.db.rows(f"COPY (SELECT range AS id, 'the text number ' || range % 3 AS body FROM range(5000)) TO '{path}'")
            found = self.db.rows(f"SELECT id, original, size FROM neardup_groups('FROM ''{path}''', 'id', 'body', 0.9)")
        self.assertTrue(found == [(i, i % 3, 1667 if i % 3 < 2 else 1666) for i in range(5000)])  # no slow diff of lists

    def test_many_rows_stream_in_and_out(self):
        self.db.rows("CREATE TABLE t AS SELECT range AS id, 'a b c d' AS body FROM range(300)")
        found = self.db.rows("SELECT count(*), sum(a), sum(b) FROM neardup_pairs('t', 'id', 'body', 0.5)")
        self.assertEqual(found, [(300 * 299 // 2, sum(a * (299 - a) for a in range(300)), sum(b * b for b in range(300)))])
        self.assertEqual(len(self.db.rows("SELECT * FROM neardup_pairs('t', 'id', 'body', 0.5) LIMIT 10")), 10)

    def test_queries_of_several_threads_run_at_once(self):
        self.db.table("t", corpus(self.random, 60))
        expected, failed = self.pairs("t", 0.5), []

        def run():
            cursor = self.db.connection.cursor()
            for _ in range(10):
                found = rounded(cursor.execute("SELECT * FROM neardup_pairs('t', 'id', 'body', 0.5)").fetchall())
                same = cursor.execute("SELECT count(*) FROM t x JOIN t y ON x.id < y.id "
                                      "AND neardup_same(x.body, y.body, 0.5)").fetchall()
                if found != expected or same != [(len(expected),)]:
                    failed.append(found)
        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertFalse(failed)


if __name__ == "__main__":
    unittest.main()
