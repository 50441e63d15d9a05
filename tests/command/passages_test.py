"""Test items within training texts: the places of the items, and records without them, compared with the definition
of a passage. NEARDUP_PROGRAM names the program."""

import gzip
import json
import random
import re

from harness import A, B, SANITIZED, CommandTest, cpu_seconds, jsonl, run, words, unittest, main

LEAST_COMMON = 8


def placed_words(text):
    return [(m.group().lower(), m.start(), m.end()) for m in re.finditer(r"[A-Za-z0-9]+", text)]


def pairs_of(text):
    own = [word for word, _, _ in placed_words(text)]
    return list(zip(own, own[1:]))


def passages(text, item):
    """Scores each pair of words of the text: 1 if the item has it, otherwise -1. A passage is a longest run whose
    prefixes and suffixes all have a sum above 0. Returns (begin, end, distinct common pairs) of each passage, in
    characters."""
    wanted, own, placed = set(pairs_of(item)), pairs_of(text), placed_words(text)
    scores = [1 if pair in wanted else -1 for pair in own]
    runs = []
    for i in range(len(scores)):
        total, least = 0, 1
        for j in range(i, len(scores)):
            total += scores[j]
            if total <= 0:
                break
            if all(sum(scores[k : j + 1]) > 0 for k in range(i, j + 1)):
                runs.append((i, j))
    longest = [(i, j) for i, j in runs if not any(a <= i and j <= b and (a, b) != (i, j) for a, b in runs)]
    return [(placed[i][1], placed[j + 1][2], len(wanted & set(own[i : j + 1]))) for i, j in longest]


def completed(text, ranges):
    """Returns the places of the passages and of the white space after each."""
    gone = set()
    spaces = " \t\n\r\v\f"
    joined = []
    for begin, end in sorted(ranges):
        if joined and not text[joined[-1][1] : begin].strip(spaces):
            begin, end = joined[-1][0], max(joined.pop()[1], end)
        joined.append((begin, end))
    for begin, end in joined:
        gone.update(range(begin, len(text) - len(text[end:].lstrip(spaces))))
    return gone


def escaped(rng, character):
    if character in '"\\':
        return "\\" + character
    if character == "\n":
        return rng.choice(["\\n", "\\u000a"])
    if ord(character) > 0xFFFF:
        high, low = divmod(ord(character) - 0x10000, 0x400)
        return rng.choice([character, f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04X}"])
    return f"\\u{ord(character):04x}" if rng.random() < 0.1 else character


def embedded(rng, items, count):
    """Returns texts that contain items: whole, in two pieces, or with changed words. Some texts contain no item."""
    draw = lambda n: [f"w{rng.randrange(400)}" for _ in range(n)]
    texts = []
    for _ in range(count):
        parts = [draw(rng.randrange(0, 25))]
        for _ in range(rng.choice([0, 1, 1, 2])):
            item = rng.choice(items).split()
            cut = rng.choice([0, 0, len(item) // 2])
            for _ in range(rng.choice([0, 0, 1, 2])):
                item[rng.randrange(len(item))] = "changed"
            parts += [item[:cut], draw(rng.randrange(0, 25)), item[cut:], draw(rng.randrange(0, 25))]
        text = ""
        for word in (word for part in parts for word in part):
            text += word + rng.choice([" "] * 8 + [", ", "\n", ' "', " \U0001d100 ", " \u2014 ", "\\ "])
        texts.append(text)
    return texts


class Passages(CommandTest):
    def setUp(self):
        super().setUp()
        self.rng = random.Random(34)
        self.items = [" ".join(f"w{self.rng.randrange(400)}" for _ in range(self.rng.randrange(12, 40))) for _ in range(8)]
        self.against = self.write("tests.jsonl", jsonl(self.items))
        self.options = ("--check", "containment", "--against", self.against, "--similarity", 0.7)

    def found_in(self, text):
        """Returns number -> containment, for each item that matches a text."""
        own, found = words(text, 2), {}
        for i, item in enumerate(self.items):
            other = words(item, 2)
            common = len(own & other)
            if common >= LEAST_COMMON and common / min(len(own), len(other)) >= 0.7:
                found[i] = common / min(len(own), len(other))
        return found

    @unittest.skipIf(SANITIZED, "processor times are not those of a release")
    def test_a_long_text_is_taken_apart_once_for_all_items(self):
        draw = lambda count: [f"w{self.rng.randrange(30000)}" for _ in range(count)]
        text = draw(100000)
        places = [self.rng.randrange(len(text) - 12) for _ in range(4000)]
        against = self.write("items.jsonl", jsonl([" ".join(text[at : at + 12]) for at in places], first=10))
        path = self.write("text.jsonl", jsonl([" ".join(text)]))

        def seconds(*arguments):
            before = cpu_seconds()
            self.assert_done(run(*arguments, "--threads", 1, "--check", "containment", "--jsonl", "--against", against, path))
            return cpu_seconds() - before

        output = self.folder / "output"
        spent = seconds("unique", "--cut-passages", "--output", output)
        self.assertLess(spent, 10 * seconds("pairs") + 0.3)  # an earlier version took 9 s, and .1 s for pairs
        (left,) = [json.loads(line)["text"].split() for line in output.read_text().splitlines()]
        gone = {place for at in places for place in range(at, at + 12)}
        self.assertEqual(left, [word for place, word in enumerate(text) if place not in gone])

    def test_names_the_item_and_the_place(self):
        texts = [text for text in embedded(self.rng, self.items, 150)]
        dropped = self.folder / "dropped"
        lines = self.write("lines.txt", "".join(" ".join(t.split()) + "\n" for t in texts))
        texts = [" ".join(t.split()) for t in texts]
        against = self.write("tests.txt", "".join(item + "\n" for item in self.items))
        options = ("--check", "containment", "--similarity", 0.7, "--against", against)
        self.assert_done(run("unique", "--lines", *options, "--dropped", dropped, lines))
        rows = [line.split("\t") for line in dropped.read_text().splitlines()]
        self.assertEqual([row[2] for row in rows], [f"{lines}:{i + 1}" for i, t in enumerate(texts) if self.found_in(t)])
        self.assertGreater(len(rows), 50)
        for row in rows:
            text, item = texts[int(row[2].rpartition(":")[2]) - 1], int(row[3].rpartition(":")[2]) - 1
            self.assertIn(item, self.found_in(text))
            begin, end, common = max(passages(text, self.items[item]), key=lambda p: (p[2], -p[0]))
            offset = len(text[:begin].encode())
            self.assertEqual(row[4:6], [str(offset), str(len(text[begin:end].encode()))])
            before, inside, behind = re.fullmatch(r"…?(.*)\[(.*)\](.*?)…?", row[6].replace("\\\\", "\\")).groups()
            self.assertIn(before + text[begin:end] + behind, text)
            if inside != text[begin:end]:  # of a long passage, only the beginning and the end are shown
                self.assertGreater(len(text[begin:end].encode()), 400)
                first, last = inside.split(" … ")
                self.assertTrue(text[begin:end].startswith(first) and text[begin:end].endswith(last), row[6])

    def test_takes_out_passages_and_nothing_else(self):
        texts = embedded(self.rng, self.items, 200) + [self.items[0], "other words", "", self.items[1][:-4] + " - "]
        lines, expected, rows = [], [], []
        for i, text in enumerate(texts):
            raw = [escaped(self.rng, c) for c in text]
            around = (f'{{ "id":"d{i}","n" : 1.50, "text" :"', '" ,"end":"\\u0041\u00e9"}')
            gone = set()
            ranges = []
            for item in self.found_in(text):
                for begin, end, common in passages(text, self.items[item]):
                    if common >= LEAST_COMMON:
                        ranges.append((begin, end))
                        rows.append((f"d{i}", f"d{item}", len(text[:begin].encode()), len(text[begin:end].encode())))
            gone = completed(text, ranges)
            rest = "".join(r for at, r in enumerate(raw) if at not in gone)
            lines.append(around[0] + "".join(raw) + around[1] + "\n")
            stays = "".join(c for at, c in enumerate(text) if at not in gone)
            if not gone or re.search(r"\w", stays):
                expected.append(around[0] + rest + around[1] + "\n")
        self.assertLess(len(expected), len(lines) - 1)
        path, dropped = self.write("in.jsonl", "".join(lines)), self.folder / "dropped"
        options = ("unique", "--jsonl", *self.options, "--cut-passages", "--dropped", dropped)
        for source, threads in ((path, 1), ("-", 3)):
            done = self.assert_done(run(*options, "--threads", threads, source, data="".join(lines)))
            self.assertEqual(done.text, "".join(expected))
            found = [json.loads(line) for line in dropped.read_text().splitlines()]
            self.assertEqual(sorted((f["id"], f["against"], f["offset"], f["length"]) for f in found), sorted(rows))
        zipped = self.folder / "in.jsonl.gz"
        zipped.write_bytes(gzip.compress("".join(lines).encode()))
        self.assertEqual(run(*options, zipped).text, "".join(expected))
        array = self.write("array.json", "[\n" + ",".join(lines) + "]\n")
        self.assertEqual(run(*options, array).text, "[\n" + ",\n".join(line.strip() for line in expected) + "\n]\n")

    def test_ill_formed_bytes_and_several_texts_stay_what_they_are(self):
        item = self.items[0].encode()
        self.assertGreater(len(item.split()), 9)
        line = b'{"a":"\xff\xc3 x ' + item + b' \xe4\xb8 y","b":["l1","l2"],"id":7,"c":"' + item + b' z\xff"}\r\n'
        path = self.write("bad.jsonl", line)
        fields = ("--text-field", "c", "--text-field", "a", "--cut-passages", "--dropped", self.folder / "d")
        options = ("--check", "containment", "--against", self.write("t.jsonl", json.dumps({"c": self.items[0], "a": ""})))
        done = self.assert_done(run("unique", "--jsonl", *options, *fields, path))
        self.assertEqual(done.bytes, b'{"a":"\xff\xc3 x \xe4\xb8 y","b":["l1","l2"],"id":7,"c":"z\xff"}\r\n')
        rows = [json.loads(row) for row in (self.folder / "d").read_text().splitlines()]
        self.assertEqual([(row["field"], row["offset"]) for row in rows], [("c", 0), ("a", 9)])
        lines = self.write("bad.txt", b"\xef\xbb\xbf\xff " + item + b" \xc3 end\r\nother")
        against = ("--check", "containment", "--against", self.write("t.txt", item))
        self.assert_done(run("unique", "--lines", *against, "--cut-passages", "--output", self.folder / "o", lines))
        self.assertEqual((self.folder / "o").read_bytes(), b"\xef\xbb\xbf\xff \xc3 end\r\nother")
        array = self.write("lines.jsonl", json.dumps({"text": ["one", self.items[0]]}) + "\n")
        done = run("unique", "--jsonl", *self.options, "--cut-passages", "--output", self.folder / "p", array)
        self.assert_fails(done, f"{array}:1", "an array of strings")
        self.assertFalse((self.folder / "p").exists())

    def test_what_is_in_pieces_stays_and_is_counted(self):
        pieces = [" ".join(self.items[0].split()[i : i + 6]) for i in range(0, len(self.items[0].split()), 6)]
        text = " filler of other words that nobody ever wrote before in any of them ".join(pieces)
        path = self.write("p.jsonl", jsonl([text]))
        done = run("unique", "--jsonl", *self.options, "--cut-passages", "--dropped", self.folder / "d", path)
        self.assertEqual(self.assert_done(done).bytes, path.read_bytes())
        self.assertIn("1 record kept whole with what stands in the other corpus in pieces", done.err)
        self.assertEqual((self.folder / "d").read_text(), "")

    def test_files_as_documents_and_indexes(self):
        path = self.write("a.txt", "\ufeff\u00e9 before " + self.items[2] + " behind")
        dropped = self.folder / "dropped"
        self.assert_done(run("unique", *self.options, "--dropped", dropped, "--format", "jsonl",
                             "--against", self.write("t.txt", self.items[2]), path))
        self.assert_done(run("unique", "--check", "containment", "--against", self.folder / "t.txt", "--dropped", dropped, path))
        row = dropped.read_text().rstrip("\n").split("\t")
        self.assertEqual(row[2:6], [str(path), str(self.folder / "t.txt"), "10", str(len(self.items[2]))])
        self.assertEqual(row[6], f"\u00e9 before [{self.items[2]}] behind")
        index = self.folder / "i"
        self.assert_done(run("index", "--output", index, self.folder / "t.txt"))
        self.assert_done(run("unique", "--check", "containment", "--against", index, "--dropped", dropped, path))
        self.assertEqual(len(dropped.read_text().split("\t")), 4)

    def test_refuses_what_does_not_go_together(self):
        text = self.write("a.jsonl", jsonl([A, B]))
        cut = ("unique", "--cut-passages")
        contained = ("--check", "containment", "--against", self.against)
        index = self.folder / "i"
        self.assert_done(run("index", "--jsonl", "--output", index, self.against))
        output = ("--output", self.folder / "o")
        for options, said in (
            ((*output, "--jsonl"), "needs --against and --check containment"),
            ((*output, "--jsonl", "--against", self.against), "needs --against and --check containment"),
            ((*output, *contained), "needs --lines or --jsonl"),
            ((*contained, "--jsonl"), "name a file for the changed records with --output"),
            ((*output, *contained, "--jsonl", "--also-within"), "--also-within with --cut-passages"),
            ((*output, *contained, "--jsonl", "--encoding", "latin1"), "--encoding"),
            ((*output, *contained, "--jsonl", "--against", index), "keeps no texts"),
        ):
            with self.subTest(options=options):
                self.assert_fails(run(*cut, *options, text), said)
                self.assertFalse((self.folder / "o").exists())


if __name__ == "__main__":
    main()
