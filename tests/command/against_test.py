"""Two corpora (--against), dropped documents (--dropped), the choice of the kept document (--keep), and the exit
status. law_test.py compares pairs, groups and unique with --against with a comparison of all documents."""

import decimal
import json
import random
import subprocess

from harness import A, B, CommandTest, corpus, fingerprints, hamming_distance, jsonl, run, run_with, unittest


def texts_of(count, seed):
    """Returns two corpora, some of whose texts are near-duplicates."""
    texts = corpus(count, seed)
    others = [text for i, text in enumerate(texts) if i % 3 == 0]
    return others, [text for i, text in enumerate(texts) if i % 3 != 0]


class Against(CommandTest):
    def setUp(self):
        super().setUp()
        others, self.texts = texts_of(500, 41)
        self.input = self.write("input.jsonl", jsonl(self.texts))
        self.others = self.write(
            "others.jsonl", "".join(json.dumps({"id": f"o{i}", "text": t}) + "\n" for i, t in enumerate(others))
        )

    def test_threads_and_memory_do_not_change_it(self):
        options = ("--jsonl", "--similarity", 0.6, "--against", self.others, self.input)
        for verb in ("pairs", "unique", "groups"):
            for more in ((), ("--also-within",)):
                base = self.assert_done(run(verb, *more, "--threads", 1, *options))
                self.assertTrue(base.bytes)
                for other in (("--threads", 4), ("--memory", 1)):
                    self.assertEqual(run(verb, *more, *other, *options).bytes, base.bytes, (verb, more, other))

    def test_features_beyond_memory_do_not_change_it(self):
        """Three runs give the same with little memory: 600 texts of 60 words have more features than the least
        memory of a run holds."""
        texts = corpus(600, 4, words=60)
        others = self.write("many.jsonl", jsonl(texts).replace(b'"d', b'"o'))
        for count in (0, 1, 600):
            inputs = self.write("inputs.jsonl", jsonl(texts[:count]))
            for verb in ("pairs", "unique", "groups"):
                for more in ((), ("--also-within",)):
                    options = (*more, "--jsonl", "--similarity", 0.6, "--against", others, inputs)
                    base = self.assert_done(run(verb, *options))
                    self.assertEqual(run(verb, "--memory", 1, *options).bytes, base.bytes, (verb, more, count))
                    self.assertEqual(base.bytes != b"", count > 0 and verb != "unique", (verb, more, count))

    def test_an_index_answers_as_query_does(self):
        for keeps in ((), ("--kind", "auto")):
            index = self.folder / "others.neardup"
            self.assert_done(run("index", "--jsonl", *keeps, "--similarity", 0.6, "--output", index, self.others))
            asked = self.assert_done(run("query", "--jsonl", "--format", "jsonl", "--index", index, self.input))
            done = self.assert_done(run("pairs", "--jsonl", "--format", "jsonl", "--against", index, self.input))
            rows = [(row["a"], row["against"], row.get("distance"), row.get("similarity")) for row in done.json]
            expected = [(row["id"], row["indexed"], row.get("distance"), row.get("similarity")) for row in asked.json]
            self.assertEqual(sorted(rows, key=str), sorted(expected, key=str))
            self.assertGreater(len(rows), 50)
            near = {row["id"] for row in asked.json}
            kept = self.assert_done(run("unique", "--jsonl", "--against", index, self.input))
            self.assertEqual([row["id"] for row in kept.json], [f"d{i}" for i in range(len(self.texts)) if f"d{i}" not in near])
            self.assertIn(" documents against ", kept.err)
        done = run("pairs", "--jsonl", "--min-similarity", 0.5, "--against", index, self.input)
        self.assert_fails(done, "--min-similarity", "is an index of fingerprints, without features")
        self.assert_fails(run("pairs", "--jsonl", "--bits", 128, "--against", index, self.input), str(index))
        self.assert_fails(run("pairs", "--jsonl", "--check", "edit", "--against", index, self.input), "--check edit")

    def test_lists_of_fingerprints(self):
        lists = []
        for name, source in (("a", self.others), ("b", self.input)):
            lists.append(self.folder / f"{name}.list")
            self.assert_done(run("hash", "--jsonl", "--format", "bin", "--output", lists[-1], source))
        done = self.assert_done(
            run("pairs", "--fingerprints", "--distance", 9, "--format", "jsonl", "--against", lists[0], lists[1])
        )
        theirs, ours = (fingerprints(path.read_bytes()) for path in (self.others, self.input))
        expected = [(int(b[1:]), int(a[1:])) for b in ours for a in theirs if hamming_distance(theirs[a], ours[b]) <= 9]
        self.assertGreater(len(expected), 20)
        self.assertEqual([(int(row["a"]), int(row["against"])) for row in done.json], expected)

    def test_files_and_an_empty_corpus(self):
        for name, text in (("b/one", A), ("b/two", B), ("b/three", A), ("a/x", A + " once")):
            self.write(name, text)
        done = self.assert_done(run("unique", self.folder / "b", "--against", self.folder / "a"))
        self.assertEqual(done.text, f"{self.folder}/b/two\n")
        self.assertIn("3 documents against 1: 1 kept, 2 dropped", done.err)
        done = self.assert_done(run("pairs", self.folder / "b", "--against", self.folder / "a"))
        self.assertEqual([line.split("\t")[2:] for line in done.text.splitlines()],
                         [[f"{self.folder}/b/{name}", f"{self.folder}/a/x"] for name in ("one", "three")])
        empty = self.write("empty.jsonl", "")
        data = jsonl([A, A, B])
        for verb in ("pairs", "groups"):
            self.assertEqual(self.assert_done(run(verb, "--jsonl", "--against", empty, "-", data=data)).text, "")
        self.assertEqual(run("unique", "--jsonl", "--against", empty, "-", data=data).bytes, data)
        done = run("unique", "--jsonl", "--against", empty, "--also-within", "-", data=data)
        self.assertEqual([row["id"] for row in done.json], ["d0", "d2"])

    def test_an_index_in_a_folder_is_said(self):
        self.assert_done(run("index", "--jsonl", "--output", self.folder / "old/a.index", self.write("old/a.jsonl", jsonl([B]))))
        index, data = self.folder / "old/a.index", jsonl([A, B])
        for more in ((), ("--binary",)):
            done = run("unique", "--jsonl", "--against", self.folder / "old", *more, "-", data=data)
            self.assertEqual((done.status, done.bytes), (2, jsonl([A])))
            self.assertIn(f"neardup: skipped {index}: an index; to compare with it, give "
                          f"--against {index}\n", done.err)
        # There is no hint if the index is also named, or if it is in the folder of the input.
        self.assert_done(run("unique", "--jsonl", "--against", self.folder / "old", "--against", index, "-", data=data))
        done = self.assert_done(run("unique", "--jsonl", "--against", self.folder / "old", "--exclude", "*.index", "-", data=data))
        self.assertEqual(done.bytes, jsonl([A]))
        done = self.assert_done(run("hash", "--jsonl", self.folder / "old"))
        self.assertIn("1 binary file in a folder was left out", done.err)

    def test_what_does_not_go_together(self):
        paths = ("--jsonl", "--against", self.others, self.input)
        self.assert_fails(run("groups", "--grouping", "components", *paths), "--grouping components and --against")
        self.assert_fails(run("unique", "--keep", "longest", *paths), "--also-within")
        self.assert_fails(run("pairs", "--also-within", "--jsonl", self.input), "--also-within needs --against")
        self.assert_fails(run("pairs", "--jsonl", "--against", "-", "-"), "only once")
        self.assert_fails(run("pairs", "--jsonl", "--against", self.folder / "none", self.input), "none", "no such file")
        self.assert_fails(run("unique", "--output", self.others, *paths), "is also an input")


class Dropped(CommandTest):
    def test_columns_and_the_file_is_whole_or_not_there(self):
        dropped = self.folder / "dropped.tsv"
        done = self.assert_done(run("unique", "--lines", "--dropped", dropped, "-", data=f"{A}\n{B}\n{A}!\n"))
        self.assertEqual(done.text, f"{A}\n{B}\n")
        self.assertEqual(dropped.read_text(), "1.000\t-\t-:3\t-:1\n")
        before = dropped.read_bytes()
        self.assert_fails(run("unique", "--jsonl", "--dropped", dropped, "-", data=jsonl([A, A]) + b"{"), "standard input:3")
        self.assertEqual(dropped.read_bytes(), before)

    def test_files_and_their_json(self):
        for name in ("a", "b"):
            self.write(f"in/{name}", A)
        dropped = self.folder / "dropped"
        self.assert_done(run("unique", self.folder / "in", "--dropped", dropped))
        self.assertEqual(dropped.read_text(), f"1.000\t-\t{self.folder}/in/b\t{self.folder}/in/a\n")
        self.assert_done(run("unique", "--format", "jsonl", self.folder / "in", "--dropped", dropped, "--distance", 3))
        row = {"id": f"{self.folder}/in/b", "kept": f"{self.folder}/in/a", "distance": 0, "estimate": 1}
        self.assertEqual(json.loads(dropped.read_text()), row)

    def test_it_is_never_in_the_input(self):
        self.write("in/a", A)
        for _ in range(2):
            done = run("unique", self.folder / "in", "--dropped", self.folder / "in" / "dropped")
            self.assertEqual(done.status, 2)
            self.assertIn("dropped: is also the output of this run", done.err)
            self.assertIn("1 document: 1 kept", done.err)
        data = self.write("x.jsonl", jsonl([A]))
        self.assert_fails(run("unique", "--jsonl", data, "--dropped", data), "--dropped", "is also an input")
        same = self.folder / "same"
        for spelled in (same, self.folder / "in" / ".." / "same"):
            self.assert_fails(run("unique", "--jsonl", data, "--dropped", spelled, "--output", same), "the same file")
        self.assertFalse(same.exists())
        self.assertEqual(data.read_bytes(), jsonl([A]))


class Overwriting(CommandTest):
    def test_nothing_that_is_read_is_written(self):
        data = self.write("x.jsonl", jsonl([A, B]))
        index = self.folder / "x.index"
        self.assert_done(run("index", "--jsonl", data, "--output", index))
        names = self.write("names", str(data) + "\n")
        before = {path: path.read_bytes() for path in (index, names)}
        for arguments in (("unique", "--jsonl", data, "--against", index, "--output", index),
                          ("query", "--jsonl", data, "--index", index, "--output", index),
                          ("unique", "--jsonl", data, "--against", index, "--dropped", index),
                          ("unique", "--jsonl", "--files-from", names, "--output", names)):
            self.assert_fails(run(*arguments), "is also an input")
        self.assertEqual({path: path.read_bytes() for path in before}, before)

    def test_nothing_that_is_read_is_appended_to(self):
        data = self.write("x.jsonl", jsonl([A, B]))
        text = self.write("a.txt", A)
        index, part = self.folder / "x.index", self.folder / "0.features"
        self.assert_done(run("index", "--jsonl", data, "--output", index))
        self.assert_done(run("features", "--jsonl", data, "--part", 0, "--output", part))
        for written, *arguments in ((index, "query", "--jsonl", data, "--index", index),
                                    (index, "pairs", "--jsonl", data, "--against", index),
                                    (text, "diff", data, text),
                                    (text, "hash", "--weights", "idf", "--idf-file", text, data),
                                    (part, "manifest", part), (part, "groups", "--pairs", data, part)):
            before = written.read_bytes()
            with open(written, "ab") as stdout:
                done = run_with(arguments, stdout=stdout, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(b"is also the output of this run", done.stderr)
            self.assertEqual(written.read_bytes(), before, arguments)

    def test_indexes_that_answer_differently_are_refused_together(self):
        data = self.write("x.jsonl", jsonl([A, B]))
        for name, how in (("near", ("--kind", "auto")), ("far", ("--kind", "auto", "--similarity", 0.5)), ("sets", ()),
                          ("low", ("--similarity", 0.5)), ("words", ("--features", "words:1"))):
            self.assert_done(run("index", "--jsonl", data, *how, "--output", self.folder / name))
        against = lambda a, b: ("--against", self.folder / a, "--against", self.folder / b)
        self.assertEqual(self.assert_done(run("unique", "--jsonl", data, *against("sets", "low"))).text, "")
        for a, b in (("near", "far"), ("far", "near"), ("near", "sets"), ("sets", "near"), ("sets", "words")):
            self.assert_fails(run("unique", "--jsonl", data, *against(a, b)),
                              "made with other distances or features")

    def test_a_damaged_index_is_no_text(self):
        data, index = self.write("x.jsonl", jsonl([A, B])), self.folder / "index"
        self.assert_done(run("index", "--jsonl", data, "--output", index))
        whole = index.read_bytes()
        for bit in range(64):
            damaged = bytearray(whole)
            damaged[bit // 8] ^= 1 << bit % 8
            index.write_bytes(damaged)
            self.assert_fails(run("unique", "--jsonl", data, "--against", index), str(index), "is damaged")
        for size in range(5, 16):
            index.write_bytes(whole[:size])
            self.assert_fails(run("unique", "--jsonl", data, "--against", index), str(index), "is damaged")
        self.assert_fails(run("groups", index), str(index), "is damaged")
        index.write_bytes(b"")
        done = self.assert_done(run("unique", "--jsonl", data, "--against", index))
        self.assertIn("warning: the corpus of --against has no documents", done.err)
        self.assertEqual(len(done.json), 2)


def rows_of_round(number, values):
    """Returns documents with equal words. Each has one of these values in a field. Each round has other words."""
    text = " ".join(f"r{number}w{i}" for i in range(10))
    return [f'{{"id":"{number}.{i}","text":"{text}","n":{value}}}\n' for i, value in enumerate(values)]


class Keep(CommandTest):
    def assert_kept(self, rows, kept):
        """One run decides about all rounds. `kept` maps "highest" and "lowest" to the kept row of each round."""
        for which, expected in kept.items():
            done = self.assert_done(run("unique", "--jsonl", "--keep", which + ":n", "-", data="".join(rows)))
            self.assertEqual(done.text.splitlines(True), expected, which)

    def test_the_highest_or_lowest_number_of_a_field_is_kept(self):
        scores = [2, -1.5, 10, 9, 1e3, -1e3]
        texts = [A, A, A, B, B, B]
        rows = [json.dumps({"id": f"d{i}", "text": t, "score": s}) for i, (t, s) in enumerate(zip(texts, scores))]
        data = "\n".join(rows) + "\n"
        for which, kept in (("highest", ["d2", "d4"]), ("lowest", ["d1", "d5"])):
            done = self.assert_done(run("unique", "--jsonl", "--keep", f"{which}:score", "-", data=data))
            self.assertEqual([row["id"] for row in done.json], kept)
            done = self.assert_done(run("--jsonl", "--format", "jsonl", "--keep", f"{which}:score", "-", data=data))
            self.assertEqual([row["members"][0]["id"] for row in done.json], kept)
        done = self.assert_done(run("unique", "--jsonl", "--keep", "highest:id", "--id-field", "n", "-",
                                    data='{"n":"x","id":1,"text":"a b"}\n{"n":"y","id":2,"text":"a b"}\n'))
        self.assertEqual([row["n"] for row in done.json], ["y"])

    def test_numbers_are_compared_as_they_are_written(self):
        rng = random.Random(3)

        def written(number):
            """Returns one of the ways to write `number`."""
            sign, digits, exponent = number.as_tuple()
            digits = "".join(map(str, digits))
            cut = rng.randint(1, len(digits))
            point = digits[:cut] + ("." + digits[cut:] if cut < len(digits) else "")
            power = exponent + len(digits) - cut
            return ("-" if sign else "") + (point if power == 0 else f"{point}{rng.choice('eE')}{power:{rng.choice(['', '+'])}}")

        numbers = [2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**53), -(2**53) - 1, -(2**63), 0, 1, -1]
        numbers = [decimal.Decimal(n) for n in numbers]
        numbers += [decimal.Decimal(t) for t in ("0.1", "0.10000000000000001", "0.1000000000000000055511151231257827",
                                                 "1e22", "1e23", "99999999999999991611392", "-0.0", "5e-324", "123456789.123456789123456789")]
        with decimal.localcontext() as context:
            context.prec = 60
            rounds, kept = [], {"highest": [], "lowest": []}
            for number in range(200):
                some = rng.choice(numbers)
                few = [some + decimal.Decimal(rng.randrange(-3, 4)) * decimal.Decimal(10) ** rng.randrange(-25, 2) for _ in range(4)]
                few += [rng.choice(numbers), some]
                rng.shuffle(few)
                rows = rows_of_round(number, map(written, few))
                rounds += rows
                kept["highest"].append(rows[few.index(max(few))])
                kept["lowest"].append(rows[few.index(min(few))])
        self.assert_kept(rounds, kept)

    def test_a_cell_of_a_table_may_write_a_number_otherwise_than_json(self):
        forms = [("-inf", 0), ("-1e400", 1), ("-007.50", 2), ("-.5", 3), ("0", 4), (" 1e-400 ", 5), (".5", 6), ("+5", 7), ("6", 8), (" 7", 9),
                 ("\t007.1 ", 10), ("08.", 11), ("9007199254740992", 12), ("+09007199254740993", 13), ("+INF", 14)]
        texts = ["", "nan", " ", "+-5", "5,5", "0x10", "1e", "5 5", "2024-01-31", "+", "."]
        rng = random.Random(9)
        rows, kept = [], {"highest": [], "lowest": []}
        for number in range(200):
            few = [(form, place, 1) for form, place in rng.sample(forms, 2)] + [(rng.choice(texts), 0, 0)]
            rng.shuffle(few)
            lines = [f'{" ".join(f"r{number}w{i}" for i in range(10))}\t{form}\n' for form, _, _ in few]
            rows += lines
            kept["highest"].append(lines[few.index(max(few, key=lambda one: (one[2], one[1])))])
            kept["lowest"].append(lines[few.index(max(few, key=lambda one: (one[2], -one[1])))])
        for which, expected in kept.items():
            data = "text\tn\n" + "".join(rows).replace("\t\t", "\t ")
            done = self.assert_done(run("unique", "--input-format", "tsv", "--keep", f"{which}:n", "-", data=data))
            self.assertEqual(done.text.splitlines(True)[1:], [row.replace("\t\t", "\t ") for row in expected], which)

    def test_a_mixture_of_numbers_and_texts_is_named(self):
        cells = ["7", "x", "", "2024-01-31", "NaN"]
        table, records = self.write("t.csv", f"text,n\n" + "".join(f"{A},{n}\n" for n in cells)), self.write(
            "t.jsonl", "".join(json.dumps({"text": A, "n": int(n) if n == "7" else n}) + "\n" for n in cells[:4]))
        for options, path, first in ((("--input-format", "csv"), table, 3), (("--jsonl",), records, 2)):
            for verb in ("unique", "groups"):
                done = self.assert_done(run(verb, *options, "--keep", "highest:n", path))
                names = f" (the first: {path}:{first})" if verb == "groups" else ""
                said = "neardup: --keep prefers numbers, and 2 documents have a text in the field n"
                self.assertIn(said + names, done.err)
                self.assertNotIn(said, run(verb, "--quiet", *options, "--keep", "highest:n", path).err)
        for only in ("7", "x"):
            done = self.assert_done(run("unique", "--input-format", "csv", "--keep", "highest:n", "-", data=f"text,n\n{A},{only}\n{B},\n"))
            self.assertNotIn("--keep prefers", done.err)

    def test_values_that_are_no_numbers_have_their_place(self):
        """Numbers rank before texts. Texts are compared byte by byte. NaN and empty texts rank last, both for
        highest and for lowest."""
        rng = random.Random(8)
        values = ["NaN", '""', '"10.1000/182"', '"2024-01-31"', '"2024-02-01"', '"\u00e4"', '"z"', '"7"', "-Infinity",
                  "-1e100000000000000000000", "-10e9223372036854775807", "-1e9223372036854775807", "-1e999", "-1e308", "-3", "-1e-999",
                  "0", "1e-20000000000000000000", "0.9e-18446744073709551616", "1e-18446744073709551616", "0.01e-9223372036854775808",
                  "1e-4611686018427387905", "1e-999", "1e-400", "3e-324", "5e-324",
                  "1.23456e-320", "1.23457e-320", "12", "1e308", "1e400", "1e999", "1e999999999999999999", "10e999999999999999999",
                  "0.1e1000000000000000002", "1e4611686018427387905", "1e+009223372036854775807", "10e9223372036854775807",
                  "0.2e9223372036854775809", "1e99999999999999999999", "10e99999999999999999999", "0.01e100000000000000000003", "Infinity"]
        least_to_most = {value: place for place, value in enumerate(values)}
        least_to_most['""'] = least_to_most["NaN"]
        texts_by_bytes = sorted((json.loads(v) for v in values if v.startswith('"') and v != '""'), key=str.encode)
        for place, text in enumerate(texts_by_bytes):
            value = next(v for v in values if v.startswith('"') and json.loads(v) == text)
            least_to_most[value] = 2 + place

        def preferred(value, which):
            kind = 0 if value in ("NaN", '""') else 1 if value.startswith('"') else 2
            return (kind, (1 if which == "highest" else -1) * least_to_most[value])

        rounds, kept = [], {"highest": [], "lowest": []}
        for number in range(300):
            few = [rng.choice(values) for _ in range(rng.randrange(2, 7))]
            rows = rows_of_round(number, few)
            rounds += rows
            for which in kept:
                ranks = [preferred(value, which) for value in few]
                kept[which].append(rows[ranks.index(max(ranks))])
        self.assert_kept(rounds, kept)

    def test_what_json_has_no_number_for_is_copied_as_it_is(self):
        data = f'{{"text":"{A}","score":NaN}}\n{{"text":"{B}","score": -Infinity}}\n{{"text":"{A}","score":Infinity}}\n'
        lines = data.splitlines(keepends=True)
        self.assertEqual(self.assert_done(run("unique", "--jsonl", "-", data=data)).text, lines[0] + lines[1])
        for which in ("highest", "lowest"):
            done = self.assert_done(run("unique", "--jsonl", "--keep", which + ":score", "-", data=data))
            self.assertEqual(done.text, lines[1] + lines[2])
        data = f"n,text\nInfinity,{A}\n5,{A}\nNaN,{A}\n"
        done = self.assert_done(run("unique", "--input-format", "csv", "--keep", "lowest:n", "-", data=data))
        self.assertEqual(done.text, f"n,text\n5,{A}\n")
        weighted = '{"text":[["a",Infinity]]}'
        self.assert_fails(run("hash", "--jsonl", "--weighted-field", "text", "-", data=weighted), "with weights from 0")

    def test_a_record_without_the_number_is_bad_input(self):
        for record, said in (
            ('{"text":"a"}', 'no field "score" in the record, which has: text\n'),
            ('{"text":"a","score":null}', 'field "score" is null, not a number or a string'),
            ('{"text":"a","score":[1]}', 'field "score" is an array, not a number or a string'),
            ('{"text":"a","score":true}', 'field "score" is true or false, not a number or a string'),
        ):
            data = '{"text":"b","score":1}\n' + record + "\n"
            file = self.write("in.jsonl", data)
            self.assert_fails(run("unique", "--jsonl", "--keep", "highest:score", file), f"{file}:2: {said}")
            done = self.assert_done(run("unique", "--jsonl", "--keep", "highest:score", "--skip-bad", file))
            self.assertEqual(done.text, '{"text":"b","score":1}\n')

    def test_what_is_no_choice(self):
        for keep in ("highest", "lowest:", "first:x", "last", "longest:text"):
            self.assert_fails(run("unique", "--jsonl", "--keep", keep, "-"), f"--keep '{keep}'", "highest:FIELD")
        self.assert_fails(run("unique", "--lines", "--keep", "highest:n", "-"), "needs --jsonl")


class ExitStatus(CommandTest):
    def test_it_tells_whether_there_are_near_duplicates(self):
        none, some = jsonl([A, B]), jsonl([A, B, A])
        index = self.folder / "index"
        self.assert_done(run("index", "--jsonl", "--output", index, "-", data=jsonl([A])))
        for arguments, empty in (
            (("groups",), none),
            (("pairs",), none),
            (("unique",), none),
            (("unique", "--keep", "longest"), none),
            (("query", "--index", index), jsonl([B])),
            (("find", A), jsonl([B])),
        ):
            for data, status in ((some, 0), (empty, 1)):
                self.assertEqual(run(*arguments, "--jsonl", "--exit-status", "-", data=data).status, status, arguments)
                self.assertEqual(run(*arguments, "--jsonl", "-", data=data).status, 0)
            self.assertEqual(run(*arguments, "--jsonl", "--exit-status", "-", data=b"{").status, 2)


if __name__ == "__main__":
    unittest.main()
