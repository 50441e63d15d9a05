"""Pairs within or across the values of a field (--within, --across). law_test.py compares them with a comparison of
all documents. NEARDUP_PROGRAM names the program."""

import json
import random

from harness import A, B, CommandTest, corpus, cpu_seconds, jsonl, run, main


def labelled(texts, seed, values=("en", "de", 3, "zh \u4e2d")):
    rng = random.Random(seed)
    return [{"id": f"d{i}", "text": text, "lang": rng.choice(values)} for i, text in enumerate(texts)]


def as_lines(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


class Pairing(CommandTest):
    def test_copies_of_one_text_take_few_pairs(self):
        records = [{"id": f"d{i}", "text": A, "lang": i % 3} for i in range(20_000)]
        done = self.assert_done(run("unique", "--jsonl", "--within", "lang", "-", data=as_lines(records)))
        self.assertEqual([row["id"] for row in done.json], ["d0", "d1", "d2"])

    def test_records_of_one_template_take_few_pairs(self):
        """Each record is similar to each other one, but each of the many values has few records."""
        records = [{"text": f"t{i % 1200} a b c d e f g h {i % 7}", "host": i // 20, "page": i // 4} for i in range(24000)]
        path = self.write("in.jsonl", as_lines(records))

        def seconds(verb, rows, *options):
            before = cpu_seconds()
            done = run(verb, "--jsonl", *options, "--format", "jsonl", path)
            self.assertEqual(len(self.assert_done(done).json), rows, (verb, *options))
            return cpu_seconds() - before

        for kind in (("--similarity", "0.6"), ("--similarity", "0.6", "--memory", "1MB"), ("--kind", "simhash", "--distance", "32")):
            spent = seconds("groups", 1, *kind)
            for verb, field, rows in (("groups", "host", 1200), ("groups", "page", 6000), ("pairs", "page", 36000)):
                self.assertLess(seconds(verb, rows, *kind, "--within", field), 8 * spent + 0.2, (verb, field, *kind))

    def test_excluded_pairs_cost_nothing(self):
        """All records of one value are similar, and no others are."""
        records = [{"text": f"t{i % 1200} " + " ".join(f"{'xy'[i % 2]}{k}" for k in range(8)), "split": i % 2} for i in range(24000)]
        path = self.write("in.jsonl", as_lines(records))
        before = cpu_seconds()
        self.assert_done(run("hash", "--jsonl", path))
        spent = cpu_seconds() - before  # larger with sanitizers
        simhash = ("--kind", "simhash", "--distance", "12")
        for verb, *kind in (("pairs",), ("pairs", *simhash), ("groups",), ("groups", *simhash)):
            before = cpu_seconds()
            self.assertEqual(self.assert_done(run(verb, "--jsonl", *kind, "--across", "split", path)).text, "")
            self.assertLess(cpu_seconds() - before, 8 * spent + 0.2, (verb, *kind))

    def test_groups_across_many_values_take_few_pairs(self):
        """All records are similar, and each of the many values has few records."""
        records = [{"text": f"t{i % 1200} a b c d e f g h {i % 7}", "split": i // 5} for i in range(12000)]
        path = self.write("in.jsonl", as_lines(records))
        for kind in (("--similarity", "0.6"), ("--similarity", "0.6", "--memory", "1MB"), ("--kind", "simhash", "--distance", "32")):
            for verb in ("groups", "unique"):
                before = cpu_seconds()
                self.assert_done(run(verb, "--jsonl", *kind, path))
                without = cpu_seconds() - before
                self.assert_done(run(verb, "--jsonl", *kind, "--across", "split", path))
                self.assertLess(cpu_seconds() - before - without, 8 * without + 0.2, (verb, *kind))

    def test_tables_mail_by_and_report(self):
        table = f"text,lang\n{A},en\n{A},de\n{A},en\n"
        done = self.assert_done(run("unique", "--input-format", "csv", "--within", "lang", "-", data=table))
        self.assertEqual(done.text, f"text,lang\n{A},en\n{A},de\n")
        done = self.assert_done(run("unique", "--input-format", "csv", "--across", "lang", "--by", "field:lang", "-", data=table))
        self.assertEqual(done.text, f"text,lang\n{A},en\n{A},en\n")
        page = self.folder / "page.html"
        done = self.assert_done(run("report", "--input-format", "csv", "--within", "lang", "--output", page, "-", data=table))
        self.assertIn("1 group", done.err)
        done = self.assert_done(run("groups", "--input-format", "csv", "--annotate", "--across", "lang", "-", data=table))
        self.assertEqual(done.text.splitlines()[1:], [f"{A},en,0,-:2,1,2", f"{A},de,0,-:2,1,2", f"{A},en,,,,"])

    def test_bad_input_is_named(self):
        fails = lambda parts, *options, data=b"": self.assert_fails(run(*options, data=data), *parts)
        data = as_lines([{"text": A, "lang": "en"}, {"text": A}, {"text": A, "lang": None}])
        for verb in ("pairs", "groups", "unique"):
            fails(['standard input:2: no field "lang" in the record, which has: text'], verb, "--jsonl", "--within", "lang", "-", data=data)
        done = run("pairs", "--jsonl", "--within", "lang", "--skip-bad", "-", data=data)
        self.assertEqual(done.text, "")
        self.assertIn("standard input:3", done.err)
        path = self.write("t.csv", "text,split\na b,x\n")
        fails([str(path), "lang"], "pairs", "--input-format", "csv", "--within", "lang", path)
        fails(["--within and --across do not go together"], "pairs", "--jsonl", "--within", "a", "--across", "b", "-")
        fails(["--within '': not the name of a field"], "pairs", "--jsonl", "--within", "", "-")
        fails(["--across lang needs --jsonl, or another format of records"], "unique", "--lines", "--across", "lang", "-")
        fails(["--copies-once with --within"], "pairs", "--jsonl", "--copies-once", "--within", "lang", "-")
        fails(["--by field:other with --within"], "unique", "--jsonl", "--by", "field:other", "--within", "lang", "-")
        for other in (["--copies"], ["--parts", "line", "--output", "x"], ["--audit", "3", "x.html"]):
            fails([other[0] + " with --within"], "unique", "--jsonl", *other, "--within", "lang", "-")
        index = self.folder / "i"
        self.assert_done(run("index", "--jsonl", "--output", index, "-", data=jsonl([A])))
        for verb in (["pairs", "--against"], ["unique", "--add-to"], ["query", "--index"], ["index", "--output", self.folder / "j", "--index"]):
            fails([f"--within lang: {index} keeps no values of a field; make it with neardup index --within lang"],
                  verb[0], "--jsonl", *verb[1:], index, "--within", "lang", "-")
        fails(["--within"], "verify", "--within", "lang", "-")


class Indexed(CommandTest):
    """An index that keeps the values of a field: `index --within`, `query`, `--against` and `--add-to`."""

    def originals(self, *arguments, **more):
        """Document -> original, of unique."""
        dropped = self.folder / "dropped"
        done = self.assert_done(run("unique", "--jsonl", "--dropped", dropped, *arguments, **more))
        label = {row["id"]: row["id"] for row in done.json}
        for row in map(json.loads, dropped.read_text().splitlines()):
            label[row["id"]] = row.get("against", row.get("kept"))
        return label

    def test_a_program_that_waits_gets_each_answer(self):
        index = self.folder / "i"
        self.assert_done(run("index", "--jsonl", "--within", "lang", "--output", index, "-"))
        line = lambda name, lang, text=A: json.dumps({"id": name, "lang": lang, "text": text}).encode() + b"\n"
        pieces = [(line("a", "en"), line("a", "en")), (line("b", "de"), line("b", "de")), (line("c", "en"), b""),
                  (line("d", "de", B), line("d", "de", B)), (line("e", "fr"), line("e", "fr")), (line("f", "fr"), b""),
                  (line("g", "de", B), b""), (line("h", "en", B), line("h", "en", B))]
        self.assert_answers_at_once(["unique", "--jsonl", "--add-to", index, "-"], pieces)

    def test_equal_codes_of_other_values_do_not_hide_each_other(self):
        line = lambda name, lang: json.dumps({"id": name, "lang": lang, "code": "0123456789abcdef01234567"}) + "\n"
        known, rest = self.write("known.jsonl", line("a", "en") + line("b", "de")), line("c", "de") + line("d", "fr")
        options = ("--jsonl", "--code-field", "code", "--distance", "2")
        index = self.folder / "i"
        self.assert_done(run("index", *options, "--within", "lang", "--output", index, known))
        for against in (known, index):
            self.assertEqual(self.originals(*options[1:], "--within", "lang", "--against", against, "-", data=rest), {"c": "b", "d": "d"})
            self.assertEqual(self.originals(*options[1:], "--across", "lang", "--against", against, "-", data=rest), {"c": "a", "d": "a"})

    def test_many_copies_take_few_matches(self):
        index = self.folder / "i"
        for options in ((), ("--kind", "simhash", "--distance", "3")):
            known = [{"id": f"d{i}", "text": A, "lang": i % 3} for i in range(5000)]
            self.assert_done(run("index", "--jsonl", *options, "--within", "lang", "--output", index, "-", data=as_lines(known)))
            more = [{"id": f"e{i}", "text": A, "lang": i % 4} for i in range(5000)]
            label = self.originals("--add-to", index, "-", data=as_lines(more))
            self.assertEqual(label, {f"e{i}": f"d{i % 4}" if i % 4 < 3 else "e3" for i in range(5000)})

    def test_values_are_compared_as_they_are(self):
        long = "x" * 100_000
        values = ["1", 1, 1.0, "1.0", True, "true", long, long + "y", "\ud800", "\u0000", " ", "a\nb", "\u00e9", "e\u0301"]
        records = [{"id": f"d{i}", "text": A, "lang": value} for i, value in enumerate(values)]
        data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
        data += b'{"id": "bytes", "text": "' + A.encode() + b'", "lang": "\xff"}\n'
        index = self.folder / "i"
        self.assert_done(run("index", "--jsonl", "--within", "lang", "--output", index, "-", data=data))
        done = self.assert_done(run("query", "--jsonl", "--format", "jsonl", "--index", index, "-", data=data))
        found = {}
        for row in done.json:
            found.setdefault(row["id"], []).append(row["indexed"])
        alike = [["d0", "d1"], ["d2", "d3"], ["d4", "d5"], ["d8", "bytes"]]  # both a lone surrogate and a wrong byte become U+FFFD
        wanted = {one: sorted(group) for group in alike for one in group}
        self.assertEqual({name: sorted(others) for name, others in found.items()},
                         {**{f"d{i}": [f"d{i}"] for i in range(len(values))}, **wanted})

    def test_bad_input_is_named(self):
        fails = lambda parts, *options, data=b"": self.assert_fails(run(*options, data=data), *parts)
        index, other, plain = self.folder / "i", self.folder / "j", self.folder / "k"
        good = {"id": "a", "text": A, "lang": "en"}
        self.assert_done(run("index", "--jsonl", "--within", "lang", "--output", index, "-", data=as_lines([good])))
        self.assert_done(run("index", "--jsonl", "--across", "split", "--output", other, "-", data=as_lines([{**good, "split": 1}])))
        self.assert_done(run("index", "--jsonl", "--output", plain, "-", data=as_lines([good])))
        size = index.stat().st_size
        for value in ({}, {"lang": None}, {"lang": ["en"]}, {"lang": {"a": 1}}, {"lang": ""}):
            bad = as_lines([{**good, "id": "b"}, {"id": "c", "text": B, **value}])
            wrong = ["standard input:2: no text or number in field 'lang'" if value else
                     'standard input:2: no field "lang" in the record, which has: id, text']
            fails(wrong, "query", "--jsonl", "--index", index, "-", data=bad)
            fails(wrong, "unique", "--jsonl", "--add-to", index, "-", data=bad)
            fails(wrong, "index", "--jsonl", "--index", index, "--append", "-", data=bad)
            fails(wrong, "index", "--jsonl", "--within", "lang", "--output", self.folder / "none", "-", data=bad)
            fails(wrong, "pairs", "--jsonl", "--against", index, "-", data=bad)
        self.assertEqual(index.stat().st_size, size)
        self.assertFalse(index.with_name("i.neardup-log").exists())
        self.assertFalse((self.folder / "none").exists())
        fails([f"--within split: {index} keeps the values of the field lang"], "query", "--jsonl", "--within", "split", "--index", index, "-")
        fails(["--within and --across do not go together"], "query", "--jsonl", "--within", "lang", "--across", "lang", "--index", index, "-")
        fails(["--within lang, as the index was made, needs --jsonl, or another format of records"], "query", "--lines", "--index", index, "-")
        fails(["--within lang needs --jsonl, or another format of records"], "index", "--lines", "--within", "lang", "--output", plain, "-")
        fails(["--within with --append: an index keeps the settings that it was made with"],
              "index", "--jsonl", "--index", index, "--append", "--within", "lang", "-")
        for first, second in ((index, other), (index, plain), (plain, index)):
            fails([f"{first} and {second}: made with other values of --within or --across"],
                  "pairs", "--jsonl", "--against", first, "--against", second, "-")
        fails(["keeps no values of a field"], "pairs", "--jsonl", "--within", "lang", "--against", index, "--against", plain, "-")
        fails(["has no line end"], "index", "--jsonl", "--within", "a\nb", "--output", plain, "-")
        fails(["--audit with --within"], "unique", "--jsonl", "--against", index, "--audit", "3", "x.html", "-")

    def test_damage_is_found(self):
        records = labelled(corpus(40, 5), 5)
        index = self.folder / "i"
        self.assert_done(run("index", "--jsonl", "--within", "lang", "--output", index, "-", data=as_lines(records)))
        self.assert_damage_is_found(index, as_lines(records), as_lines(records[:9]))


if __name__ == "__main__":
    main()
