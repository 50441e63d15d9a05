"""With --skip-bad, the program reads on after bad records, or says how many bytes it did not read. NEARDUP_PROGRAM
names the program."""

import gzip
import json
import random
import re
import shutil
import subprocess

from harness import CommandTest, cpu_seconds, main, effort, run, unittest
from inputs_test import form, record, warc
from reading_test import zstd


def texts(count, seed=0):
    """Returns texts, none of which are near-duplicates."""
    rng = random.Random(seed)
    return [" ".join(f"w{i}x{rng.randrange(10**6)}" for _ in range(12)) for i in range(count)]


def numbers(found):
    """Returns the numbers of the texts() that an output has. The first word of a text has its number."""
    return sorted({int(number) for number in re.findall(r"\bw([0-9]+)x[0-9]", found)})


def wet(text, number, length=None):
    return warc("conversion", text, uri=f"WARC-Target-URI: http://x/{number}\r\n", length=length)


class Damage(CommandTest):
    def kept(self, data, options, name="in", status=0):
        """Returns (numbers of the kept texts, messages) of unique. A file, which unique reads twice, and a pipe must
        give the same."""
        path = self.write(name, data)
        outcomes = [run("unique", "--skip-bad", *options, path)]
        if not name.endswith("z"):
            outcomes.append(run("unique", "--skip-bad", *options, "-", data=data))
        for done in outcomes:
            self.assertEqual(done.status, status, done.err)
        found = [numbers(done.text) for done in outcomes]
        self.assertEqual(found[0], found[-1])
        # All documents are kept, because no two are similar. Damage may change words and so add numbers to `found`, but
        # not change this count.
        kept = re.search(r"([0-9,]+) kept", outcomes[0].err)
        kept = int(kept[1].replace(",", "")) if kept else 0
        listed = run("hash", "--skip-bad", *options, path)
        self.assertEqual((listed.status, listed.text.count("\n")), (status, kept), listed.err)
        return found[0], outcomes[0].err

    def test_a_bad_first_line_is_no_array(self):
        lines = [record(text) for text in texts(5)]
        for first in ("[{", "[{\"text\":", '[{"text": "w9x', "[{}", "{", "[", "[1", '[{"a":1'):
            data = "\n".join([first, *lines]) + "\n"
            for options in (("--jsonl",), form("auto")):
                if options == form("auto") and not first.startswith("[{"):
                    continue
                if first == "[{}":
                    continue  # this may also be an array whose first comma is missing
                found, err = self.kept(data, options)
                self.assertEqual(found, [0, 1, 2, 3, 4], (first, options, err))
                self.assertIn("1 bad input was skipped", err)
        for size, count in ((2000, 5), (20000, 5), (0, 1)):
            data = "\n".join(['[{"text', *(record(text + " x" * size) for text in texts(count))]) + "\n"
            done = run("unique", "--jsonl", "--copies", "--skip-bad", self.write("in", data))
            self.assertEqual(done.text, data[data.index("\n") + 1 :])
        # If a whole object follows the bracket, the file is an array, and loses nothing.
        found, _ = self.kept("\n".join(["[" + record(texts(10)[9]) + ', {"text', *lines]) + "\n", ("--jsonl",))
        self.assertEqual(found, [0, 1, 2, 3, 4, 9])

    def test_an_array_stays_one_if_its_first_element_is_damaged(self):
        elements = [record(text) for text in texts(6)]
        for begin, between, end in (("[", ",\n", "]"), ("[\n", ",\n", "\n]\n"), ("[\n  ", ",\n  ", "\n]\n"), ("\ufeff\n[", ",\n", "]\n")):
            for damage in (lambda e: e[:-2] + "}", lambda e: e[:-1], lambda e: e[1:], lambda e: e.replace('": "', '": w"'),
                           lambda e: e.replace('"', "", 1), lambda e: "null", lambda e: "", lambda e: e[:9]):
                data = begin + between.join([damage(elements[0]), *elements[1:]]) + end
                for options in (("--jsonl",), form("auto")):
                    if options == form("auto") and "[{" not in "".join(data.split()):
                        continue  # the name of a pipe does not say that it is JSON
                    found, err = self.kept(data, options, "in.jsonl")
                    self.assertEqual(found, [1, 2, 3, 4, 5], (data, err))
                    self.assertIn("bad input", err)

    def test_an_array_goes_on_behind_any_damaged_element(self):
        """Each element of an array on one line is damaged in turn, also the first."""
        elements = [record(text) for text in texts(5)]
        for i in range(5):
            for damage in (lambda e: e[:-2] + "}", lambda e: e.replace('"', "", 1), lambda e: e.replace('": "', '": w"'), lambda e: e[:9]):
                for end in ("]", "]\n"):
                    data = "[" + ", ".join(elements[:i] + [damage(elements[i])] + elements[i + 1 :]) + end
                    found, err = self.kept(data, ("--jsonl",), "in.jsonl")
                    self.assertEqual(found, [j for j in range(5) if j != i], (data, err))
                    self.assertIn("1 bad input was skipped", err)
        # With a quote too few, the commas of texts seem to be outside of quotes.
        elements = [record(text + " [1, 2], {x}, z") for text in texts(5)]
        for i in range(5):
            data = "[" + ", ".join(elements[:i] + [elements[i][10:]] + elements[i + 1 :]) + "]"
            self.assertEqual(self.kept(data, ("--jsonl",), "in.jsonl")[0], [j for j in range(5) if j != i], data)
        # A long line is read in parts.
        data = "[z\"}, " + ", ".join(record("w1x1 " + "a, " * 10000) for _ in range(1200)) + "]"
        done = run("hash", "--jsonl", "--skip-bad", "-", data=data)
        self.assertGreater(done.text.count("\n"), 1190)
        self.assertIn("behind bad input were not read", done.err)
        # A comma within the last object seems to be outside of quotes.
        data = '[{"text": "w0x1 a"}" {"text": "w1x1 b"}, {"x": ["\\"", {}],\n "text": "w2x1 c"}]'
        self.assertEqual(self.kept(data, ("--jsonl",), "in.jsonl")[0], [0, 1, 2])

    def test_damage_in_an_array_takes_linear_time(self):
        def seconds(data):
            before = cpu_seconds()
            run("hash", "--jsonl", "--skip-bad", "--quiet", "--threads", "1", "-", data=data)
            return cpu_seconds() - before

        for begin, repeated in (
            ('[{"x": "}, ', '{"a": [1, 2, '),               # no braces close
            ('[{"x": "}, ', '{"x" "y"}, {"text": "w"}, '),  # each second object is bad
            ('[{"a": "}', ', {"t":[{"x":1}]}, "'),          # objects in bad objects
            ("[", '{"t":"b"}'),                              # no commas
            ('[{"t":"a"},', "{"),
            ("[\n" + " " * 100000, '{"x" "y"}'),
            ("[\n" + " " * 100000, '{"x" "y"},\n '),
            ('[{"a": "x" y', '{"a":[{},'),
            ('[{"a": "x" y\n', '{"a":[{},\n'),
            ("[\n", '{"a": "' + "x" * 200 + '",\n"b": [\n'),
        ):
            few, many = (seconds(begin + repeated * (size // len(repeated))) for size in (200000, 800000))
            self.assertLess(many, 8 * few + 0.5, (begin[:20], repeated))

    def test_an_array_goes_on_behind_a_bad_element(self):
        elements = [record(text) for text in texts(6)]
        for between, indent in ((",\n", ""), (",\n  ", "  "), (", ", "")):
            for damage, lost in (
                (lambda e: e[:-1], [2]),                         # no brace
                (lambda e: e[:-2] + "}", [2]),                   # no quote
                (lambda e: e.replace('": "', '": w"'), [2]),
                (lambda e: e + "}", []),                         # the object is whole
                (lambda e: e + "}}", []),
                (lambda e: e.replace("{", "", 1), [2]),
                (lambda e: e.replace(":", "", 1), [2]),
            ):
                some = list(elements)
                some[2] = damage(some[2])
                data = "[" + indent.join(["\n" if indent else "", between.join(some)]) + "\n]\n"
                found, err = self.kept(data, ("--jsonl",))
                self.assertEqual(found, [i for i in range(6) if i not in lost], (data, err))
                self.assertIn("bad input was skipped" if found else "", err)

    def test_a_second_pass_counts_the_parts_of_a_bad_element(self):
        two = texts(2)
        for wrong in ('{"id": "a", "text": "b" {}}', '{{}}', '{"text": "b" {}} {"id": 1}'):
            data = f"[\n{wrong},\n{record(two[0])},\n{wrong},\n{record(two[1])}\n]\n"
            with self.subTest(wrong=wrong):
                self.assertEqual(self.kept(data, ("--jsonl",))[0], [0, 1])

    def test_an_array_without_a_comma_loses_nothing(self):
        elements = [record(text) for text in texts(6)]
        for between in (",\n", ",\n  ", ", ", ","):
            missing = between.replace(",", "") or " "
            data = "[" + between.join(elements[:3]) + missing + between.join(elements[3:]) + "]"
            found, err = self.kept(data, ("--jsonl",))
            self.assertEqual(found, [0, 1, 2, 3, 4, 5], (data, err))
            self.assertIn("1 bad input was skipped", err)
            self.assert_fails(run("unique", "--jsonl", "-", data=data), "not valid JSON")

    def test_an_array_without_its_end_loses_nothing(self):
        elements = [record(text) for text in texts(3)]
        for between in (",\n", ",\n  ", ", "):
            array = "[" + between.join(elements)
            for data in (array, array + "\n", "[" + elements[0], "[" + between.join(elements[:2]) + "]" + elements[2] + "\n"):
                found, err = self.kept(data, ("--jsonl",))
                self.assertEqual(found, list(range(data.count('{'))), (data, err))
                self.assertIn("1 bad input was skipped", err)
                self.assert_fails(run("hash", "--jsonl", "-", data=data), "not valid JSON")
        for behind in (1, 2, 3):
            some = [element.replace("{", '{"x": [{}, 1], ') for element in map(record, texts(5))]
            data = "[" + ", ".join(some[:2]) + "]\n" + "\n".join(some[2:2 + behind]) + "\n"
            self.assertEqual(self.kept(data, ("--jsonl",))[0], list(range(2 + behind)), data)

    def test_brackets_that_are_too_many_in_an_array_lose_nothing(self):
        elements = [record(text) for text in texts(8)]
        for between in (",\n", ",\n  ", ", "):
            for damage in ("[{}", "[[{}", "{}]", ", {}", "[ {}"):
                some = list(elements)
                some[3] = damage.format(some[3])
                data = "[" + between[1:] + between.join(some) + "\n]\n"
                found, err = self.kept(data, ("--jsonl",))
                self.assertEqual(found, list(range(8)), (data, err))
                self.assertIn(" was skipped", err)
                self.assert_fails(run("hash", "--jsonl", "-", data=data), "standard input:")
            # The damaged element is lost. If further elements are lost, the program says so.
            for damage in ("{}[", '{{"x": [{}}}', '{{"x": [{}'):
                some = list(elements)
                some[3] = damage.format(some[3])
                data = "[" + between[1:] + between.join(some) + "\n]\n"
                done = run("unique", "--skip-bad", "--jsonl", "-", data=data)
                lost = set(range(8)) - set(numbers(done.text)) - {3}
                self.assertEqual("behind bad input were not read" in done.err, done.status == 2, (data, done.err))
                self.assertTrue(not lost or (done.status == 2 and between == ", "), (data, done.err))

    def test_a_mutilated_array_loses_nothing_silently(self):
        """The slow twin tries Python's decoder at each brace. What the decoder accepts must be kept, unless the
        program says that bytes were not read."""
        rng = random.Random(41)
        decode = json.JSONDecoder().raw_decode
        forms = ('{"text": "%s"}', '{"id": "i", "text": "%s"}', '{"text":"%s","x":{"y":[1,{"z":"}, {"}]}}', '{"x": ["\\"", {}],\n  "text": "%s \\\\"}')
        separators = (",", ", ", ",\n", ",\n  ", "\n, ", " ,\n\n")

        def objects(data):
            found, at = [], data.find("{")
            while at >= 0:
                try:
                    value, end = decode(data, at)
                    found += [value["text"]] if isinstance(value.get("text"), str) else []
                except ValueError:
                    end = at + 1
                at = data.find("{", end)
            return found

        def mutilated(parts):
            for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
                i = rng.randrange(len(parts))
                part, at = parts[i], rng.randrange(len(parts[i]) + 1)
                marks = [place for place, c in enumerate(part) if c in '{}[],"\\\n\ufeff']
                new = rng.choice('{}[]{}[],,""\\\n\ufeff')
                change = rng.random()
                if marks and change < 0.7:
                    at = rng.choice(marks)
                    new = "" if change < 0.4 else new + part[at] if change < 0.5 else new
                    parts[i] = part[:at] + new + part[at + 1 :]
                else:
                    parts[i] = part[:at] + new + part[at:]
            return parts

        seen = {"array": 0, "unread": 0, "bad": 0}
        for _ in range(effort(400, 6000)):
            count, separator = rng.randrange(1, 7), rng.choice(separators)
            one_form = rng.choice(forms)
            elements = [(rng.choice(forms) if rng.random() < 0.2 else one_form) % text for text in texts(count, rng.randrange(10**6))]
            whole = [rng.choice(("", "", "\ufeff")) + "[" + ("\n  " if separator.endswith("  ") else "")]
            for element in elements:
                whole += [element, separator]
            whole[-1] = rng.choice(("]", "]\n", "\n]\n"))
            parts = mutilated(list(whole))
            data = "".join(parts)
            if rng.random() < 0.02:
                data = rng.choice(("\ufffe", "\ufeff\ufeff")) + data.lstrip("\ufeff")
            done = run("unique", "--copies", "--jsonl", "--skip-bad", "-", data=data)
            if not done.text.startswith("["):
                continue  # the program took the first object for a line of JSON Lines
            kept, expected = [value["text"] for value in json.loads(done.text)], objects(data)
            bad = re.search(r"(\d+) bad inputs? (?:was|were) skipped", done.err)
            bad = int(bad[1]) if bad else 0
            unread = re.search("behind bad input (was|were) not read", done.err) is not None
            self.assertEqual(done.status, 2 if unread or (bad and not kept) else 0, (data, done.err))
            seen["array"] += 1
            seen["unread"] += unread
            seen["bad"] += bad > 0
            if not unread:
                self.assertEqual(kept, expected, (data, done.err))
                bad_parts = [not objects(part) for part in parts]
                # Adjacent damaged elements can together be one object, or one bad input.
                lost, at = 0, 1
                while at < len(parts):
                    end = next(i for i in range(at, len(parts) + 2, 2) if i >= len(parts) or not bad_parts[i])
                    lost += end > at and not objects("".join(parts[at - 1 : end]))
                    at = max(end, at + 2)
                self.assertGreaterEqual(bad, lost, (data, done.err))
            self.assertLessEqual(set(kept), {text for at, c in enumerate(data) if c == "{" for text in objects(data[at:])[:1]}, data)
            try:
                valid = all(isinstance(value, dict) and isinstance(value.get("text"), str) for value in json.loads(data.removeprefix("\ufeff")))
            except ValueError:
                valid = False
            self.assertEqual(bad == 0, valid, (data, done.err))
            path = self.write("in", data)
            again = run("unique", "--copies", "--jsonl", "--skip-bad", path)
            self.assertEqual((again.text, again.status), (done.text, done.status), data)
        self.assertGreater(seen["array"], effort(230, 3500))
        self.assertGreater(seen["bad"], seen["array"] // 2)
        self.assertLess(seen["unread"], seen["array"] // 3)

    def test_json_that_ends_too_early_is_an_error_whatever_follows_it(self):
        """simdjson reads beyond such an element. The bytes after it must neither crash the program nor complete the
        element."""
        whole = record("a whole record of some words")
        for cut in ('{"text": "w", "x": [{"y": 1}', '{"text": "w", "x": {"y": 1}', '{"text": "w", "x": [[{}', '{"text": "w", "x": [{"a": [1, {}'):
            for behind in (",", "]", "}", ",,", "]}", "}}", ",\n"):
                data = f"[{whole},\n{cut}{behind}\n{whole}]\n"
                with self.assertRaises(ValueError):
                    json.loads(data)
                self.assert_fails(run("hash", "--jsonl", "-", data=data), "standard input:")
                done = run("hash", "--jsonl", "--skip-bad", "-", data=data)
                self.assertIn(done.status, (0, 2), (data, done.err))
                self.assertIn("bad input", done.err)

    def test_a_row_with_an_open_quote_takes_no_others(self):
        rows = texts(6)
        for bad in ('2,"{}', '2,"{}" and', '"2,{}'):
            for others in ("{},{}", '{},"{}"'):
                lines = [others.format(i, row) for i, row in enumerate(rows)]
                lines[2] = bad.format("broken")
                for end in ("\n", "\r\n"):
                    data = end.join(["n,text", *lines]) + end
                    found, err = self.kept(data, form("csv"))
                    self.assertEqual(found, [0, 1, 3, 4, 5], (data, err))
        data = 'n,text\n1,"open\n' + "".join(f"{i},{'x' * 10**6}\n" for i in range(2, 103)) + '103,closed"\n'
        self.assert_fails(run("hash", *form("csv"), "-", data=data), ":2: a value in quotes has no end")
        done = self.assert_done(run("hash", "--skip-bad", *form("csv"), "-", data=data))
        self.assertEqual([int(line.split(":")[1]) for line in done.text.splitlines()], list(range(3, 105)))
        done = run("hash", "--skip-bad", *form("csv"), "-", data='n,text\n1,"a b\n2,c d\n3,e f\n')
        self.assertEqual([line.split()[1] for line in self.assert_done(done).text.splitlines()], ["-:3", "-:4"])

    def test_a_row_with_wrong_quotes_ends_with_its_line(self):
        """The slow twin matches each row by an expression. If a row does not match, its first line is bad."""
        rng = random.Random(7)
        value = r'(?:"((?:[^"]|"")*)"|([^",\n][^,\n]*|))'
        whole_row = re.compile(rf"{value}(?:,{value})*(?:\r?\n|\Z)")
        two = re.compile(rf"{value},{value}(?:\r?\n|\Z)")

        def rows_of(data):
            kept, bad, at = [], 0, data.index("\n") + 1
            while at < len(data):
                row = whole_row.match(data, at)
                good = two.fullmatch(data, at, row.end()) if row else None
                if good:
                    text = good[3].replace('""', '"') if good[3] is not None else good[4]
                    kept.append(text.removesuffix("\r") if row[0].endswith("\n") else text)
                else:
                    bad += row is None or row[0] not in ("\n", "\r\n")
                at = row.end() if row else data.find("\n", at) + 1 or len(data)
            return kept, bad

        data = "n,text\n0,zero\n1,\"broken\n2,two\n3,\"three\nmore of three\"\n4,four\n"
        self.assertEqual(rows_of(data), (["zero", "two", "three\nmore of three", "four"], 1))
        cases = [data]
        for _ in range(effort(150, 3000)):
            rows = [rng.choice(("{},{}", '{},"{}"', '"{}","{}"')).format(i, rng.choice(("a b", "a\nb", 'a ""b""', "a, b" if i % 2 else "")))
                    for i in range(rng.randrange(1, 9))]
            some = list(rng.choice(("\n", "\r\n")).join(["n,text", *rows, ""]))
            for _ in range(rng.randrange(1, 4)):
                at = rng.randrange(some.index("\n") + 1, len(some))
                some[at] = rng.choice(("", '"', '"', ",", "\n")) if rng.random() < 0.5 or some[at] != '"' else ""
            cases.append("".join(some))
        for data in cases:
            kept, bad = rows_of(data)
            done = run("hash", "--skip-bad", "--id-field", "text", "--format", "jsonl", *form("csv"), "-", data=data)
            self.assertEqual(done.status, 0 if kept or not bad else 2, (data, done.err))
            counted = re.search(r"(\d+) bad inputs? (?:was|were) skipped", done.err)
            self.assertEqual(([row["id"] for row in done.json], int(counted[1]) if counted else 0), (kept, bad), (data, done.err))
        # The time stays linear if each line opens a value that the next line closes.
        before = cpu_seconds()
        run("hash", "--quiet", "--skip-bad", *form("csv"), "-", data="n,text\n" + 'x",y,"z\n' * 100000)
        self.assertLess(cpu_seconds() - before, 10)

    def test_marks_of_byte_order_within_a_file(self):
        """Byte order marks within a file, as `cat` of several files leaves them."""
        lines = [record(text) for text in texts(4)]
        found, err = self.kept("\ufeff" + "\n\ufeff".join(lines) + "\n", ("--jsonl",))
        self.assertEqual(found, [0, 1, 2, 3])
        self.assertNotIn("bad input", err)
        rows = "\ufeffid,text\na,one two three\n\ufeffb,four five six\n"
        self.assertEqual([line.split()[1] for line in run("hash", *form("csv"), "-", data=rows).text.splitlines()], ["a", "b"])

    def test_a_crawl_goes_on_at_the_next_record(self):
        pages = texts(8)
        records = [wet(page, i) for i, page in enumerate(pages)]
        size = len(pages[2])
        for length in (size + 5, size + 6, size + 40, size + len(records[3]) + 30, 10**6, size - 1, size - 20, 0):
            some = list(records)
            some[2] = wet(pages[2], 2, length=length)
            data = b"".join(some)
            for name, packed in (("in", data), ("in.gz", b"".join(map(gzip.compress, some)))):
                found, err = self.kept(packed, form("warc"), name)
                self.assertEqual(found, [0, 1, 3, 4, 5, 6, 7], (length, name, err))
            self.assert_fails(run("hash", *form("warc"), "-", data=data), ":3: ")
        # In many bad records, the length reaches beyond all later records. The time must stay linear.
        many = b"".join(wet(page, i, length=10**8) for i, page in enumerate(texts(3000)))
        found, _ = self.kept(many + records[0], form("warc"))
        self.assertEqual(found, [0])
        # Many headers have no end. The search for an end must not read the whole file each time.
        found, _ = self.kept(b"WARC/1.0\r\n" * 100000 + records[0], form("warc"))
        self.assertEqual(found, [0])

    def test_a_record_that_quotes_another_is_one(self):
        quoted = wet("inner", 9).decode() + "w1x1 " + texts(1)[0]
        data = wet(quoted, 0) + wet(texts(3)[2], 2, length=9999)
        done = run("unique", "--skip-bad", *form("warc"), "-", data=data)
        self.assertEqual(self.assert_done(done).bytes, wet(quoted, 0))

    def damaged(self, packed, at):
        changed = bytearray(packed)
        for i in range(at, min(at + 4, len(changed))):
            changed[i] ^= 0x5A
        return bytes(changed)

    def members(self, pack, suffix):
        pages = texts(7)
        jsonl = [record(page).encode() + b"\n" for page in pages]
        for options, parts, head in (
            (form("warc"), [wet(page, i) for i, page in enumerate(pages)], b""),
            (("--jsonl",), jsonl, b""),
            (("--lines",), [page.encode() + b"\n" for page in pages], b""),
            (form("csv"), [f"{i},{page}\n".encode() for i, page in enumerate(pages)], b"n,text\n"),
        ):
            packed = [pack(part) for part in parts]
            if head:
                packed[0] = pack(head + parts[0])
            for where in (0.3, 0.6, 1):
                some = list(packed)
                some[2] = self.damaged(some[2], min(int(len(some[2]) * where), len(some[2]) - 6))
                found, err = self.kept(b"".join(some), options, "in" + suffix)
                # After a gap, the first line may be the rest of a record, so it is left out.
                lost = [2, 3] if options in (("--lines",), form("csv")) else [2]
                self.assertEqual(found, [i for i in range(7) if i not in lost], (options, where, err))
                self.assertIn("the compressed data is corrupt: ", err)
                self.assertIn("left out, up to the next member", err)
                # A verb that reads the file twice keeps the same documents.
                path = self.folder / ("in" + suffix)
                again = run("unique", "--skip-bad", "--grouping", "components", *options, path)
                self.assertEqual(numbers(self.assert_done(again).text), found)
            # A whole member between two damaged ones. Its first line may be the rest of a record.
            between = pack(b"".join(parts[2:6]))
            broken = [self.damaged(one, len(one) // 2) for one in (packed[1], packed[6])]
            found, err = self.kept(packed[0] + broken[0] + between + broken[1], options, "in" + suffix)
            self.assertEqual(found, [0, 3, 4, 5] if len(lost) > 1 else [0, 2, 3, 4, 5], (options, err))
            last = b"".join(packed[:-1]) + self.damaged(packed[-1], len(packed[-1]) // 2)
            found, err = self.kept(last, options, "in" + suffix)
            self.assertEqual(found, [0, 1, 2, 3, 4, 5], err)
            self.assertIn(f"the compressed data is corrupt: {len(packed[-1])} bytes of it were left out", err)
            # Without --skip-bad, records are read before the checksum is. So the message may be about a record.
            path = self.write("x" + suffix, last)
            self.assert_fails(run("hash", *options, path), str(path))

    def test_a_line_that_a_damaged_member_cuts_ends_no_run_over_a_folder(self):
        lines = [record(text) + "\n" for text in texts(5)]
        data = "".join(lines).encode()
        for bad, cuts in ((1, (len(lines[0]) + 9, len(data) // 2)), (0, (9, 30)), (0, (len(lines[0]) - 1, 300))):
            packed = [gzip.compress(part) for part in (data[: cuts[0]], data[cuts[0] : cuts[1]], data[cuts[1] :])]
            packed[bad] = self.damaged(packed[bad], len(packed[bad]) // 2)
            lost = (0 if bad == 0 else cuts[0], cuts[bad])
            places = [data.index(line.encode()) for line in lines]
            whole = [i for i in range(5) if places[i] + len(lines[i]) <= lost[0] or places[i] >= lost[1]]
            folder = self.write("folder/a.jsonl", b"".join(packed)).parent
            done = run("unique", "--copies", "--jsonl", folder)
            self.assertEqual((numbers(done.text), done.status), (whole, 2), done.err)
            self.assertIn("were left out, up to the next member", done.err)

    def test_a_row_below_a_bad_row_is_lost_only_if_it_is_bad(self):
        rows = texts(6)
        for bad in ('x,"a"b', '"x" ,a', 'x,"a"b"', '"x"y,"a'):
            data = "\n".join(["n,text", f'0,{rows[0]}', f'1,"{rows[1]}"c', bad, f"3,{rows[3]}", bad, bad, f'4,"{rows[4]}"', f"5,{rows[5]}", ""])
            found, err = self.kept(data, form("csv"))
            self.assertEqual([i for i in found if i != 1], [0, 3, 4, 5], (data, err))
            self.assertIn("4 bad inputs were skipped", err)

    def test_an_array_goes_on_behind_a_damaged_member(self):
        """Each whole object in the other members is kept, wherever members end, or bytes are counted as not read."""
        rng = random.Random(5)
        unread = 0
        for _ in range(effort(60, 1000)):
            begin, between, end = rng.choice((("[\n", ",\n", "\n]\n"), ("[\n  ", ",\n  ", "\n]\n"), ("[", "\n,", "]"), ("[", ", ", "]")))
            pretty = '{\n    "x": ["a, b", {"y": 1}],\n    "text": "%s"\n  }' if rng.random() < 0.3 else '{"text": "%s"}'
            elements = [pretty % text for text in texts(7)]
            data = begin + between.join(elements) + end
            places = [data.index(element) for element in elements]
            cuts = sorted([*rng.sample(range(1, len(data)), 3)] if rng.random() < 0.7 else rng.sample(places[1:], 3))
            bounds = [*zip([0, *cuts], [*cuts, len(data)])]
            bad = rng.randrange(4)
            packed = [gzip.compress(data[a:b].encode()) for a, b in bounds]
            packed[bad] = self.damaged(packed[bad], len(packed[bad]) // 2)
            done = run("unique", "--jsonl", "--copies", "--skip-bad", self.write("in", b"".join(packed)))
            a, b = bounds[bad]
            whole = [i for i, (place, element) in enumerate(zip(places, elements)) if place + len(element) <= a or place >= b]
            kept = numbers(done.text)
            self.assertLessEqual(set(kept), set(whole), data)
            says_so = "were not read" in done.err or "no document could be read" in done.err
            self.assertEqual(done.status, 2 if says_so else 0, done.err)
            unread += says_so
            if not says_so:
                self.assertEqual(kept, whole, (data, bounds[bad], done.err))
        self.assertLess(unread, effort(60, 1000) // 3)

    def test_damage_at_the_beginning_of_a_compressed_file(self):
        """The rest is read as if the file began there. If the rest of a format cannot be read without its beginning,
        the program says that it was not read."""
        pages = texts(6)
        jsonl = [record(page).encode() + b"\n" for page in pages]
        records = [wet(page, i) for i, page in enumerate(pages)]
        lines = [page.encode() + b"\n" for page in pages]
        for options, parts, kept in (
            (("--jsonl",), jsonl, [1, 2, 3, 4, 5]), (form("auto"), jsonl, [1, 2, 3, 4, 5]),
            (form("warc"), records, [1, 2, 3, 4, 5]), (form("auto"), records, [1, 2, 3, 4, 5]),
            (("--lines",), lines, [2, 3, 4, 5]),
            (form("auto"), lines, []), (form("csv"), lines, []), (form("auto"), [b"[", *jsonl, b"]"], None),
        ):
            packed = [gzip.compress(part) for part in parts]
            packed[0] = self.damaged(packed[0], len(packed[0]) // 2)
            if kept is None:  # an array
                kept, packed[1:] = [0, 1, 2, 3, 4, 5], [gzip.compress(b"[" + b",".join(jsonl) + b"]")]
            for name in ("in", "in.gz"):
                found, err = self.kept(b"".join(packed), options, name, status=0 if kept else 2)
                self.assertEqual(found, kept, (options, err))
                self.assertIn("left out, up to the next member", err)
                if not kept:
                    self.assertRegex(err, r"neardup: \d+ bytes behind bad input were not read")
                again = run("unique", "--skip-bad", "--grouping", "components", *options, self.folder / name)
                self.assertEqual((again.status, numbers(again.text)), (0 if kept else 2, kept), again.err)

    def test_a_gzip_file_goes_on_at_the_next_member(self):
        self.members(gzip.compress, ".gz")

    @unittest.skipUnless(shutil.which("zstd"), "no zstd")
    def test_a_zstd_file_goes_on_at_the_next_frame(self):
        self.members(zstd, ".zst")

    def test_a_damaged_member_gives_no_record(self):
        """No record of a damaged member is read: small or large, alone or not, damaged or cut off. The other members
        are read, and the lost bytes are counted."""
        rng = random.Random(3)
        forms = [(lambda data: gzip.compress(data, 1), 8)] + ([(zstd, 4)] if shutil.which("zstd") else [])
        for pack, tail in forms:  # `tail`: the bytes of checksum and length at the end of a member
            # A member has three records. If these are large, the member has more than 4 MB.
            for size, places in ((200, ((0, 0), (2, 0), (2, 1), (1, 1))), (1500000, ((0, 0), (1, 0)))):
                parts = [[record(rng.randbytes(size // 2).hex()).encode() + b"\n" for _ in range(3)] for _ in range(3)]
                packed = [pack(b"".join(part)) for part in parts]
                for last, which in places:
                    one = packed[which]
                    damages = [self.damaged(one, len(one) - before) for before in (tail, 24, len(one) // 2)]
                    if which == last:
                        damages += [one[: len(one) * 2 // 3], one[:-1]]
                    for damage in damages:
                        members = [damage if i == which else packed[i] for i in range(last + 1)]
                        good = [line for i in range(last + 1) if i != which for line in parts[i]]
                        self.check_each_way(b"".join(members), good, len(damage))

    def test_a_file_that_looks_like_many_members_takes_time_in_proportion_to_its_size(self):
        """Each magic number begins a member whose header has a name without an end."""
        data = gzip.compress(b"a b c\n") + b"\x1f\x8b\x08" * 100000
        path = self.write("in.gz", data)
        before = cpu_seconds()
        done = run("unique", "--lines", "--skip-bad", path)
        self.assertLess(cpu_seconds() - before, 5)
        self.assertEqual((done.status, done.bytes), (0, b"a b c\n"), done.err)
        self.assertIn("300,000 bytes of it were left out", done.err)

    def check_each_way(self, data, good, lost):
        """Checks that runs over a file keep exactly the lines `good`, and name the file with the bytes that are lost."""
        other = record("a text of its own").encode() + b"\n"
        path = self.write("in.jsonl", data)
        self.write("folder/a.jsonl", other)
        self.write("folder/b.jsonl", data)
        copies = ("unique", "--jsonl", "--copies")
        count = f"{lost:,} bytes of it were left out"
        for where, stdin, before in ((path, b"", []), ("-", data, []), (self.folder / "folder", b"", [other])):
            done = run(*copies, "--skip-bad", where, data=stdin)
            self.assertEqual(done.bytes, b"".join(before + good))
            self.assertEqual(done.status, 0 if done.bytes else 2, done.err)
            self.assertIn(count, done.err)
            out = self.write("out", b"older")
            done = run(*copies, "--output", out, where, data=stdin)
            self.assertEqual(done.status, 2)
            if before:
                self.assertIn("skipped", done.err)
                self.assertIn(count, done.err)
                self.assertEqual(out.read_bytes(), b"".join(before + good))
            else:
                self.assertIn("standard input" if stdin else "in.jsonl", done.err)
                self.assertEqual(out.read_bytes(), b"older")
                (self.folder / "out.partial").unlink(missing_ok=True)

    def test_random_damage_of_records(self):
        """Each line of the file is a record. Damage within a line must lose this line only."""
        rng = random.Random(12)
        pages = texts(12)
        for options, lines, head, tail in (
            (("--jsonl",), [record(page) for page in pages], "", "\n"),
            (("--jsonl",), [record(page) for page in pages], "[\n", "\n]\n"),
            (form("csv"), [f'{i},"{page}"' for i, page in enumerate(pages)], "n,text\n", "\n"),
        ):
            between = ",\n" if head.startswith("[") else "\n"
            for _ in range(effort(15, 60)):
                at = rng.randrange(11)
                line = list(lines[at])
                for _ in range(rng.randrange(1, 3)):
                    place = rng.randrange(len(line))
                    change = rng.random()
                    if change < 0.5:
                        del line[place]
                    else:
                        line.insert(place, rng.choice('"{}[],\\'))
                some = list(lines)
                some[at] = "".join(line)
                data = head + between.join(some) + tail
                done = run("unique", "--skip-bad", *options, "-", data=data)
                found = set(numbers(done.text))
                self.assertIn(done.status, (0, 2))
                # Only the text of the damaged line may be missing.
                missing = set(range(12)) - found - {at}
                self.assertEqual(missing, set(), (some[at], done.err))


if __name__ == "__main__":
    main()
