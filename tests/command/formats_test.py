"""Fields of records and formats of files: the texts that are read, and the records that are written. NEARDUP_PROGRAM
names the program."""

import json
import random

from harness import A, B, CommandTest, main, run, unittest

MISSING = object()


def by_pointer(value, keys):
    """Returns the value at a path of a record, or MISSING."""
    for key in keys:
        if isinstance(value, dict):
            value = value.get(key, MISSING)
        elif isinstance(value, list) and key.isdigit() and str(int(key)) == key and int(key) < len(value):
            value = value[int(key)]
        else:
            return MISSING
    return value


def by_path(value, keys):
    """Returns the values at a path, which may contain "[*]". If the path leads nowhere, one of the values is
    MISSING."""
    if not keys:
        return [value]
    if keys[0] != "[*]":
        value = by_pointer(value, keys[:1])
        return [MISSING] if value is MISSING else by_path(value, keys[1:])
    return [found for element in value for found in by_path(element, keys[1:])] if isinstance(value, list) else [MISSING]


class Fields(CommandTest):
    def tokens(self, record, *options):
        """Returns the fingerprint of the words of a record's texts."""
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
        for name in ("m.0", "m[*]", "m[*].c", "m.c.d"):  # a path that goes on behind the wrong string
            done = run("hash", "--jsonl", "--text-field", name, "-", data='{"m":"\\x","m":["a"],"%s":"a"}' % name)
            self.assert_fails(done, "a wrong escape")
        self.same('{"m":["a\\tb"],"m.0.c":"c"}', "a\tb c", "--text-field", "m", "--text-field", "m.0.c")
        self.assert_fails(run("hash", "--jsonl", "--weighted-field", "w", "-", data='{"w":"\\x","w":[["a",1]]}'), "a wrong escape")
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

    def test_each_element_of_an_array(self):
        """All turns of a chat are the texts of one document. So are several fields."""
        def chat(*turns, **more):
            return {"messages": [{"role": "user", "content": turn} for turn in turns], **more}

        option = ("--text-field", "messages[*].content")
        for record, texts in (
            (chat(A), [A]),
            (chat(A, B), [A, B]),
            (chat(A, None, B), [A, "", B]),
            (chat(), [""]),
            (chat(["x y", "z"], A), ["x y\nz", A]),
            ({"messages": [{"content": "old"}], "messages[*].content": A}, [A]),
            ('{"messages":[{"content":"a"}],"messages":[{"content":"' + A + '","content":"\\u0062 c"}]}', ["b c"]),
            ('{"messages":[{"content":"a"},5],"messages":[]}', [""]),
        ):
            fields = [part for i in range(len(texts)) for part in ("--text-field", f"t{i}")]
            twin = {f"t{i}": text for i, text in enumerate(texts)}
            self.assertEqual(self.tokens(record, *option), self.tokens(twin, *fields), record)
        for name in ("/messages[*]/content", "messages[*].content[*]", "messages[0].content", "/messages[0]/content[0]"):
            self.same(chat([A]), A, "--text-field", name)
        self.same({"a": [{"b": [{"c": A}, {"c": B}]}, {"b": []}]}, A + "\n" + B, "--text-field", "a[*].b[*].c")
        both = ("--text-field", "a[*].t", "--text-field", "a.1.t", "--text-field", "q")
        self.same({"a": [{"t": "x"}, {"t": "y"}], "q": "z"}, "x y z", *both)
        for record, message in (
            ('{"messages":[{"content":"a"},{"role":"x"}]}', 'no field "messages[1].content" in the record, which has: messages'),
            ('{"messages":[{"content":"a"},{"content":7}]}', 'field "messages[1].content" is a number, not a string'),
            ('{"messages":[{"content":"a"},"b"]}', 'no field "messages[1].content"'),
            ('{"messages":"a"}', 'field "messages" is a string, not an array'),
            ('{"messages":null}', 'field "messages" is null, not an array'),
            ('{"turns":[]}', 'no field "messages[*].content" in the record, which has: turns'),
            ('{"messages":[{"content":"\\x"}]}', "not valid JSON: a wrong escape"),
            ('{"messages":[{"content":"a"]}', "not valid JSON"),
        ):
            path = self.write("c.jsonl", json.dumps(chat(A)) + "\n" + record + "\n")
            self.assert_fails(run("unique", "--jsonl", *option, path), f"{path}:2: {message}")
            done = self.assert_done(run("unique", "--jsonl", "--skip-bad", *option, path))
            self.assertIn(f"skipped {path}:2: {message}", done.err)
        done = run("hash", "--jsonl", "--text-field", "a[*].b[*].c", "-", data='{"a":[{"b":[]},{"b":{"c":1}}]}')
        self.assert_fails(done, 'field "a[1].b" is an object, not an array')

    def test_an_element_where_one_value_is_needed(self):
        rows = [{"m": [{"id": "k1", "n": 1}], "text": A}, {"m": [{"x": 0}, {"id": "k2", "n": 5}], "text": A}]
        data = "\n".join(map(json.dumps, rows)) + "\n"
        done = self.assert_done(run("hash", "--jsonl", "--id-field", "m[*].id", "-", data=data))
        self.assertEqual([line.split()[1] for line in done.text.splitlines()], ["k1", "k2"])
        done = self.assert_done(run("unique", "--jsonl", "--keep", "highest:m[*].n", "-", data=data))
        self.assertEqual(done.json, rows[1:])
        done = self.assert_done(run("unique", "--jsonl", "--by", "field:m[*].id", "-", data=data))
        self.assertIn("k2", done.err)
        path = self.write("m.jsonl", data + json.dumps({"m": [{"id": 1, "n": 1}, {"id": 2, "n": 2}], "text": B}))
        for options, name in ((("--id-field", "m[*].id"), "m[*].id"), (("--keep", "lowest:m[*].n"), "m[*].n"), (("--by", "field:m[*].id"), "m[*].id")):
            self.assert_fails(run("unique", "--jsonl", *options, path), f'{path}:3: field "{name}" has 2 values, and one value is needed')
        done = run("hash", "--jsonl", "--weighted-field", "m[*].w", "-", data='{"m":[{"w":[["a",1]]},{"w":[["b",1]]}]}')
        self.assert_fails(done, 'field "m[*].w" has 2 values')
        self.assert_fails(run("unique", "--jsonl", "--id-field", "m[*].id", "-", data='{"text":"x","m":[]}'), 'no field "m[*].id"')
        self.assert_fails(run("unique", "--jsonl", "--text-field", "m[*].t", "--same", "numbers", "-"), "a document has several")

    def test_cut_passages_go_back_to_their_turn(self):
        item = " ".join(f"q{i}" for i in range(30))
        self.write("test.jsonl", json.dumps({"id": "t", "text": item}) + "\n")
        record = '{"messages": [{"content": "Hi \\u00e9 \\"you\\""}, {"role": "x", "content": "so: %s and on"}], "n": 1.50}\n'
        self.write("chat.jsonl", record % item)
        options = ("--jsonl", "--text-field", "messages[*].content")
        done = run("unique", *options, "--cut-passages", "--against", "test.jsonl", "--check", "containment", "--dropped", "d", "--output", "o",
                   "chat.jsonl", cwd=self.folder)
        self.assert_fails(done, "test.jsonl:1: no field")  # the one --text-field holds for both files
        self.write("test.jsonl", json.dumps({"id": "t", "messages": [{"content": item}]}) + "\n")
        done = run("unique", *options, "--cut-passages", "--against", "test.jsonl", "--check", "containment", "--dropped", "d", "--output", "o",
                   "chat.jsonl", cwd=self.folder)
        self.assert_done(done)
        self.assertEqual((self.folder / "o").read_text(), (record % item).replace(item + " ", ""))
        dropped = json.loads((self.folder / "d").read_text())
        self.assertEqual((dropped["field"], dropped["offset"], dropped["length"]), ("messages[1].content", 4, len(item)))
        part = " ".join(f"p{i}" for i in range(20))
        data = "".join(json.dumps({"id": i, "messages": [{"content": f"own {i} words"}, {"content": f"{part}\n\nmore {i}"}]}) + "\n" for i in range(2))
        done = run("unique", *options, "--parts", "paragraph", "--dropped", "d", "--output", "o", "-", data=data, cwd=self.folder)
        self.assert_done(done)
        first, second = data.splitlines(keepends=True)
        self.assertEqual((self.folder / "o").read_text(), first + second.replace(part + "\\n\\n", ""))
        self.assertEqual(json.loads((self.folder / "d").read_text())["field"], "messages[1].content")
        self.write("chat.jsonl", data)
        done = self.assert_done(run("find", "p3 p4 p5 p6", *options, "--format", "jsonl", "chat.jsonl", cwd=self.folder))
        self.assertEqual({row["field"] for row in done.json}, {"messages[1].content"})

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
        for name in ("a", "a.b", "/a/b", "b.0", "/b/0/a", "a.b.a", "/a.b/0", "/a", "/", "0.0", "a[*]", "b[*].a", "/a[*]/b[*]"):
            rows = [{rng.choice(keys): value(3) for _ in range(rng.randrange(1, 4))} for _ in range(1000)]
            expected = []
            for number, row in enumerate(rows, 1):
                keys = [part for key in name.strip("/").replace("[*]", "/[*]").split("/" if name[0] == "/" else ".") for part in key.split("/")]
                if name in row:
                    texts = [row[name]]
                elif name[0] == "/" and "[" not in name:
                    texts = [by_pointer(row, name[1:].split("/"))]
                else:
                    texts = by_path(row, keys)
                texts = ["\n".join(t) if isinstance(t, list) and all(isinstance(line, str) for line in t) else t for t in texts]
                texts = ["" if t is None else t for t in texts]
                if all(isinstance(text, str) for text in texts):
                    expected.append((f"-:{number}", texts))
            data = "\n".join(map(json.dumps, rows))
            done = run("hash", "--jsonl", "--skip-bad", "--text-field", name, "--format", "jsonl", "--features", "bytes:2", "-", data=data)
            most = max((len(texts) for _, texts in expected), default=1)
            fields = [option for i in range(most) for option in ("--text-field", f"t{i}")]
            twin = run("hash", "--jsonl", "--format", "jsonl", "--features", "bytes:2", *fields, "-",
                       data="\n".join(json.dumps({f"t{i}": t for i, t in enumerate(texts + [""] * most)} | {"id": number})
                                      for number, texts in expected))
            # The status is 2 if no record has the field: in some random corpora a long path leads nowhere.
            self.assertEqual((done.status, done.json), (0 if expected else 2, twin.json), name)
            found += len(expected)
        self.assertGreater(found, 200)


if __name__ == "__main__":
    main()
