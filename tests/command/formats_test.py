"""Fields of records and formats of files: the texts read, and the records written. NEARDUP_PROGRAM names the
program."""

import json
import random

from harness import A, B, CommandTest, main, run, unittest

MISSING = object()


def by_pointer(value, keys):
    """The value at a path of a record, or MISSING."""
    for key in keys:
        if isinstance(value, dict):
            value = value.get(key, MISSING)
        elif isinstance(value, list) and key.isdigit() and str(int(key)) == key and int(key) < len(value):
            value = value[int(key)]
        else:
            return MISSING
    return value


class Fields(CommandTest):
    def tokens(self, record, *options):
        """The words of the texts of one record."""
        data = record if isinstance(record, str) else json.dumps(record)
        done = self.assert_done(run("hash", "--jsonl", "--features", "words", *options, "-", data=data + "\n"))
        return done.text.split()[0]

    def same(self, record, text, *options):
        self.assertEqual(self.tokens(record, *options), self.tokens({"text": text}), (record, options))

    def test_nested_fields(self):
        record = {"doc": {"text": A, "lines": [B, {"x": A + " more"}], "a/b": {"~": B + " x"}}, "n": [[A]]}
        for name, text in (
            ("doc.text", A),
            ("/doc/text", A),
            ("/doc/lines/0", B),
            ("doc.lines.0", B),
            ("/doc/lines/1/x", A + " more"),
            ("doc.lines.1.x", A + " more"),
            ("/doc/a~1b/~0", B + " x"),
            ("doc.a/b.~", B + " x"),
            ("/n/0/0", A),
            ("/n/0", A),
        ):
            self.same(record, text, "--text-field", name)
        for name in ("doc.txt", "/doc/lines/2", "/doc/lines/00", "doc", "/doc", "/n/0/1", "/n", "doc.text.x", "", "/", "."):
            done = run("hash", "--jsonl", "--text-field", name, "-", data=json.dumps(record))
            self.assert_fails(done, f'standard input:1: ', f'field "{name}"')

    def test_a_key_goes_before_a_path(self):
        options = ("--text-field", "doc.text")
        for record in (
            {"doc.text": A, "doc": {"text": B}},
            {"doc": {"text": B}, "doc.text": A},
            {"doc": {"text": A}},
            {"doc.text": A, "doc": {"text": 5}},
        ):
            self.same(record, A, *options)
        self.same({"/a": A, "a": B}, A, "--text-field", "/a")
        self.assert_fails(run("hash", "--jsonl", *options, "-", data='{"doc.text":5,"doc":{"text":"x"}}'), "is a number")

    def test_the_last_of_equal_keys_counts(self):
        options = ("--text-field", "doc.text")
        self.same('{"doc":{"text":"a"},"doc":{"text":"' + A + '"}}', A, *options)
        self.same('{"doc":{"text":"a","text":"' + A + '"}}', A, *options)
        done = run("hash", "--jsonl", *options, "-", data='{"doc":{"text":"a"},"doc":{"x":"b"}}')
        self.assert_fails(done, 'no field "doc.text"')

    def test_an_array_of_strings_is_a_text_of_lines(self):
        self.same({"text": [A, "", B]}, f"{A}\n\n{B}")
        self.same('{"text":["\\u0061 b","c\\n\\"d"]}', 'a b\nc\n"d')
        self.assertEqual(self.tokens({"text": []}), "-")
        lines = run("hash", "--jsonl", "--features", "bytes:3", "-", data='{"text":["ab","","c"]}\n{"text":"ab\\n\\nc"}\n').text
        self.assertEqual(len({line.split()[0] for line in lines.splitlines()}), 1)
        for wrong in ('["a",1]', '["a",["b"]]', "[null]", '[{"a":"b"}]'):
            done = run("hash", "--jsonl", "-", data='{"text":' + wrong + "}")
            self.assert_fails(done, ':1: field "text" is an array of other things than strings, not a string')
        self.assert_fails(run("hash", "--jsonl", "-", data='{"text":["\\x"]}'), "a wrong escape")
        self.assert_fails(run("hash", "--jsonl", "-", data='{"text":["a",]}'), "not valid JSON")

    def test_paths_of_ids_numbers_and_weights(self):
        rows = [{"meta": {"id": f"k{i}", "q": [i]}, "w": {"x": [["a", 1], ["b", 2]]}, "text": A} for i in (2, 9, 5)]
        data = "\n".join(map(json.dumps, rows))
        done = self.assert_done(run("hash", "--jsonl", "--id-field", "meta.id", "-", data=data))
        self.assertEqual([line.split()[1] for line in done.text.splitlines()], ["k2", "k9", "k5"])
        self.assert_fails(run("hash", "--jsonl", "--id-field", "meta.no", "-", data=data), 'no field "meta.no"')
        for which, kept in (("highest:/meta/q/0", "k9"), ("lowest:meta.q.0", "k2")):
            done = self.assert_done(run("unique", "--jsonl", "--keep", which, "-", data=data))
            self.assertEqual([row["meta"]["id"] for row in done.json], [kept])
        flat = json.dumps({"x": rows[0]["w"]["x"]})
        nested, plain = (
            run("hash", "--jsonl", "--weighted-field", name, "-", data=lines).text.split()[0]
            for name, lines in (("w.x", data), ("x", flat))
        )
        self.assertEqual(nested, plain)
        exact = json.dumps({"w.x": [["c", 3]], "w": {"x": [["a", 1]]}})
        self.assertEqual(
            run("hash", "--jsonl", "--weighted-field", "w.x", "-", data=exact).text.split()[0],
            run("hash", "--jsonl", "--weighted-field", "x", "-", data='{"x":[["c",3]]}').text.split()[0],
        )

    def test_a_text_may_be_the_id(self):
        done = self.assert_done(run("hash", "--jsonl", "--text-field", "a.b", "--id-field", "/a/b", "-", data='{"a":{"b":"x y"}}'))
        self.assertTrue(done.text.endswith("  x y\n"))

    def test_against_a_slow_twin(self):
        """Random records and random paths: the program reads the values that Python finds."""
        rng = random.Random(36)
        keys = ["a", "b", "a.b", "0", "/a", ""]

        def value(depth):
            kind = rng.random()
            if depth == 0 or kind < 0.35:
                return rng.choice(["one", "two three", "four five six", 7, None, True])
            if kind < 0.7:
                return {rng.choice(keys): value(depth - 1) for _ in range(rng.randrange(1, 4))}
            return [value(depth - 1) for _ in range(rng.randrange(3))]

        found = 0
        for name in ("a", "a.b", "/a/b", "b.0", "/b/0/a", "a.b.a", "/a.b/0", "/a", "/", "0.0"):
            rows = [{rng.choice(keys): value(3) for _ in range(rng.randrange(1, 4))} for _ in range(1000)]
            expected = []
            for number, row in enumerate(rows, 1):
                text = row.get(name)
                if name not in row:
                    text = by_pointer(row, name[1:].split("/") if name[0] == "/" else name.split("."))
                if isinstance(text, list) and all(isinstance(line, str) for line in text):
                    text = "\n".join(text)
                if text is None:
                    text = ""
                if isinstance(text, str):
                    expected.append((f"-:{number}", text))
            data = "\n".join(map(json.dumps, rows))
            done = run("hash", "--jsonl", "--skip-bad", "--text-field", name, "--format", "jsonl", "--features", "bytes:2", "-", data=data)
            twin = run("hash", "--jsonl", "--format", "jsonl", "--features", "bytes:2", "-",
                       data="\n".join(json.dumps({"id": i, "text": t}) for i, t in expected))
            # The status is 2 if no record has the field: in some random corpora a long path leads nowhere.
            self.assertEqual((done.status, done.json), (0 if expected else 2, twin.json), name)
            found += len(expected)
        self.assertGreater(found, 200)


if __name__ == "__main__":
    main()
