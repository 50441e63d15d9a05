"""Codes of other programs, in hexadecimal digits. Brute force gives the expected pairs, groups and kept documents."""

import base64
import csv
import io
import json
import os
import random
import re
import struct
import threading
import zlib

from harness import A, SANITIZED, CommandTest, close_pairs, connected, cpu_seconds
from harness import hamming_distance, main, members_of, represented, run, unittest

# Widths with a type in the program, others with a wider type, and widths above 256, with distances for which the program makes tables, and for which it does not.
LIMITS = {32: 3, 64: 10, 128: 12, 256: 31, 24: 2, 40: 0, 96: 10, 144: 14, 512: 31, 576: 90, 1000: 3, 1024: 100}

# An index of two codes of 96 bits by an earlier version: codes beside 64-bit fingerprints.
CODES_BESIDE_FINGERPRINTS = (
    "eNrr9HMJDeDlkmJkYGJ0YGBgaGBkYGAH0gbMDFDAyMDBwMDCAuUxQem5VfF23cdUmBmh/AYoQwDKf3qgx2v5ut88MPUHoPIcUH70qS9zrgaufsfG"
    "gGowD5QrePLmRMbkC98doHwHqLwmlB9Y1asoOWthgCPMfiZU+99nuzQeanvH7gSznwnV/THFV1XmFBavcIbZD/WvAZRrq5pY81VI1NkQyM7OzEux"
    "UijOzM1ILM7gSklNy8zLLMnMz7NSMOQqyc9OzcusSi2yUkjOT0kt1rA00+RiIB0wMpAPKNEL089Ept601MSS0qLUYojvucpTM9MzSooVSoEhxAUK"
    "N3iwEXA7ufYnJlHm9wQC9qOHLQCaCki2"
)


def hexadecimal(code, bits, form):
    return {0: "{:0{}x}", 1: "{:0{}X}", 2: "0x{:0{}x}", 3: "0X{:0{}X}"}[form].format(code, bits // 4)


def codes(bits, count, seed, distance):
    """Returns codes. Many of them are equal to an earlier code or near it, at distances on both sides of the limit."""
    rng = random.Random(seed)
    all_codes = []
    for _ in range(count):
        code = rng.getrandbits(bits)
        if all_codes and rng.random() < 0.6:
            code = rng.choice(all_codes)
            for bit in rng.sample(range(bits), rng.choice([0, 1, max(distance - 1, 0), distance, distance + 1])):
                code ^= 1 << bit
        all_codes.append(code)
    return {f"dir {i % 7}/{i}.png": code for i, code in enumerate(all_codes)}


def as_lines(prints, bits, between="\t"):
    return "".join(f"{hexadecimal(code, bits, i % 4)}{between}{name}\n" for i, (name, code) in enumerate(prints.items()))


class Oracle(CommandTest):
    """Compares each verb with brute force, at each width."""

    def pairs(self, *arguments, **more):
        done = self.assert_done(run("pairs", "--format", "jsonl", *arguments, **more))
        return sorted((row["a"], row["b"], row["distance"]) for row in done.json)

    def test_pairs(self):
        for bits, distance in LIMITS.items():
            prints = codes(bits, 300, bits, distance)
            wanted = sorted(close_pairs(prints, distance))
            self.assertGreater(len(wanted), 50)
            options = ("--distance", distance)
            lines = as_lines(prints, bits, " \t ")
            self.assertEqual(self.pairs("--input-format", "codes", *options, "-", data=lines), wanted)
            path = self.write("codes", "\ufeff" + lines.replace("\n", "\r\n"))
            for threads in (1, 4):
                self.assertEqual(self.pairs("--input-format", "codes", *options, "--threads", threads, path), wanted)
            records = "".join(json.dumps({"n": {"code": hexadecimal(code, bits, i % 4)}, "id": name}) + "\n"
                              for i, (name, code) in enumerate(prints.items()))
            self.assertEqual(self.pairs("--jsonl", "--code-field", "n.code", *options, "-", data=records), wanted)
            array = f"[{','.join(records.splitlines())}]"
            self.assertEqual(self.pairs("--jsonl", "--code-field", "n.code", *options, self.write("a.json", array)), wanted)
            table = io.StringIO()
            csv.writer(table).writerows([("file", "pdq"), *((n, hexadecimal(c, bits, 1)) for n, c in prints.items())])
            self.assertEqual(
                self.pairs("--input-format", "csv", "--code-field", "pdq", "--id-field", "file", *options, "-",
                           data=table.getvalue()), wanted)

    def test_groups_and_unique(self):
        for bits, distance in LIMITS.items():
            prints = codes(bits, 300, bits + 1, distance)
            lines = as_lines(prints, bits)
            path = self.write("codes", lines)
            near = lambda a, b: -d if (d := hamming_distance(prints[a], prints[b])) <= distance else None
            label = represented(prints, near)
            chained = connected(list(prints), [(a, b) for a, b, _ in close_pairs(prints, distance)])
            options = ("--input-format", "codes", "--distance", distance)
            for grouping, by in (("representatives", label), ("components", chained)):
                done = self.assert_done(run("groups", *options, "--format", "jsonl", "--grouping", grouping, path))
                found = [[m["id"] for m in row["members"]] for row in done.json]
                self.assertEqual(found, members_of(by))
            for member in (m for row in done.json for m in row["members"]):
                first = chained[member["id"]]
                self.assertEqual(member["distance"], hamming_distance(prints[first], prints[member["id"]]))
            kept = [line for line, name in zip(lines.splitlines(), prints) if label[name] == name]
            dropped = self.folder / "dropped"
            for source, data in ((path, b""), ("-", lines)):
                done = self.assert_done(run("unique", *options, "--dropped", dropped, source, data=data))
                self.assertEqual(done.text.splitlines(), kept)
                for row in dropped.read_text().splitlines():
                    share, bits_apart, name, original = row.split("\t")
                    self.assertEqual(original, label[name])
                    self.assertEqual(int(bits_apart), hamming_distance(prints[name], prints[original]))
                    self.assertLessEqual(abs(float(share) - (1 - int(bits_apart) / bits)), 0.001)

    def test_index_and_query(self):
        for bits, distance in LIMITS.items():
            prints = codes(bits, 400, bits + 2, distance)
            names = list(prints)
            stored, added, asked = names[:200], names[200:250], names[250:]
            part = lambda chosen: as_lines({name: prints[name] for name in chosen}, bits)
            index = self.folder / f"{bits}.index"
            format_ = ("--input-format", "codes")
            self.assert_done(run("index", *format_, "--distance", distance, "--output", index, "-", data=part(stored)))
            self.assert_done(run("index", *format_, "--index", index, "--append", "-", data=part(added)))
            self.assert_done(run("index", "--index", index, "--remove", "-", data="\n".join(stored[:20])))
            there = stored[20:] + added
            for k in (distance, distance // 2):
                done = self.assert_done(run("query", *format_, "--index", index, "--distance", k, "--format", "jsonl", "-",
                                            data=part(asked)))
                self.assertEqual(
                    sorted((row["id"], row["indexed"], row["distance"]) for row in done.json),
                    sorted((a, b, d) for a in asked for b in there if (d := hamming_distance(prints[a], prints[b])) <= k))
            # The query takes the distance and the width from the index.
            done = self.assert_done(run("query", *format_, "--index", index, "--format", "jsonl", "-", data=part(asked)))
            self.assertTrue(all(row["distance"] <= distance for row in done.json))
            against = self.assert_done(run("pairs", *format_, "--against", index, "--format", "jsonl", "-", data=part(asked)))
            self.assertEqual(sorted((row["a"], row["against"], row["distance"]) for row in against.json),
                             sorted((row["id"], row["indexed"], row["distance"]) for row in done.json))
            near = {row["id"] for row in done.json}
            kept = self.assert_done(run("unique", *format_, "--against", index, "-", data=part(asked)))
            self.assertEqual([line.split("\t")[1] for line in kept.text.splitlines()], [a for a in asked if a not in near])
            grown = self.assert_done(run("unique", *format_, "--add-to", index, "-", data=part(asked)))
            again = self.assert_done(run("unique", *format_, "--add-to", index, "-", data=part(asked)))
            self.assertGreater(len(grown.text.splitlines()), 10)
            self.assertEqual(again.text, "")
            done = run("query", *format_, "--index", index, "-", data=hexadecimal(1, 64 if bits == 32 else 32, 0))
            self.assert_fails(done, f"among codes of {bits}")

    def test_ties_go_to_the_first(self):
        lines = "000000ff a\n0000000f b\n00000fff c\n0000003f d\n000000ff a again\n"
        done = self.assert_done(run("groups", "--input-format", "codes", "--distance", 4, "-", data=lines))
        self.assertEqual(done.text.splitlines(), ["5 documents, similarity to the first at least 0.875", "  1.000  a",
                                                  "  0.875  b", "  0.875  c", "  0.937  d", "  1.000  a again"])
        kept = self.assert_done(run("unique", "--input-format", "codes", "--distance", 3, "-", data=lines))
        self.assertEqual(kept.text, "000000ff a\n0000000f b\n00000fff c\n")


class Equal(CommandTest):
    """Many equal codes or texts take no more time than others. law_test.py checks the originals."""

    def test_texts_with_one_fingerprint_are_told_by_their_features(self):
        rng = random.Random(32)
        texts = [" ".join(rng.choice("abc") for _ in range(rng.randrange(1, 6))) for _ in range(300)]
        known, asked = texts[:150], texts[150:]
        for options in (("--distance", 3), ("--similarity", 0.5, "--kind", "simhash"), ("--similarity", 0.5, "--kind", "minwise")):
            kept = lambda *more, data: run("unique", "--lines", *options, *more, "-", data="\n".join(data)).text.splitlines()
            whole = kept("--keep", "first", data=known + asked)
            of_known = kept(data=known)
            self.assertEqual(whole[: len(of_known)], of_known)
            other = self.write("known", "\n".join(known))
            near = {row["a"] for row in run("pairs", "--lines", *options, "--against", other, "--format", "jsonl", "-",
                                            data="\n".join(asked)).json}
            alone = [line for i, line in enumerate(asked, 1) if f"-:{i}" not in near]
            self.assertEqual(kept("--against", other, data=asked), alone)

    @unittest.skipIf(SANITIZED, "processor times are not those of a release")
    def test_equal_ones_take_no_time_of_their_pairs(self):
        count = 20000
        codes_ = self.write("codes", "".join(f"{0xabcdef0123456789:016x} {i}\n" for i in range(count)))
        lines = self.write("lines", f"{A}\n" * count)
        index = self.folder / "index"
        wide = self.write("wide", "".join(f"{5:096x} {i}\n" for i in range(count)))
        codes_of = ("--input-format", "codes", "--distance", 8)
        for file, options in ((codes_, codes_of), (wide, codes_of), (lines, ("--lines", "--distance", 3))):
            self.assert_done(run("index", *options, "--output", index, file))
            before = cpu_seconds()
            for more in (("--against", file), ("--against", index, "--dropped", self.folder / "d"), ("--add-to", index)):
                done = self.assert_done(run("unique", "--threads", 1, *options, *more, file))
                self.assertEqual(done.text, "")
            self.assert_done(run("groups", "--threads", 1, *options, "--against", file, file))
            self.assertLess(cpu_seconds() - before, 3)  # an earlier version took 27 s


class Lines(CommandTest):
    def test_ids(self):
        lines = "ff00ff00\n\n  \t\nFF00FF00 \t two words \n0Xff00ff01\tx\\y"
        path = self.write("c", lines)
        done = self.assert_done(run("pairs", "--input-format", "codes", "--distance", 1, "--format", "jsonl", path))
        self.assertEqual([(row["a"], row["b"]) for row in done.json],
                         [(f"{path}:1", "two words"), (f"{path}:1", "x\\y"), ("two words", "x\\y")])

    def test_a_pipe_is_answered_line_by_line(self):
        lines = ((b"0f0f0f0f a\n", True), (b"0f0f0f0e b\n", False), (b"00000000 c\n", True))
        self.assert_answers_at_once(("unique", "--quiet", "--input-format", "codes", "--distance", "2", "-"),
                                    [(line, line if is_kept else b"") for line, is_kept in lines])

    def test_a_fifo_is_read_once(self):
        prints = codes(64, 5000, 9, 10)
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        lines = as_lines(prints, 64)
        for verb, more in (("pairs", ()), ("unique", ("--grouping", "components")), ("report", ())):
            options = (verb, "--input-format", "codes", "--distance", 4, *more)
            wanted = self.assert_done(run(*options, "-", data=lines))
            writer = threading.Thread(target=fifo.write_text, args=(lines,))
            writer.start()
            found = self.assert_done(run(*options, fifo))
            writer.join()
            self.assertEqual(found.text, wanted.text)


class Bad(CommandTest):
    def test_bad_codes_name_their_line(self):
        good = "".join(f"{i:064x} {i}\n" for i in range(6))
        for bad, message in (
            (f"{1:063x} x", "a code of 63 hexadecimal digits; codes have an even number of them, at most 256 (1,024 bits)"),
            (f"{1:0258x} x", "a code of 258 hexadecimal digits; codes have an even number"),
            (f"{1:016x} x", "a code of 64 bits, among codes of 256"),
            (f"{1:063x}g x", "is not a code: codes are hexadecimal numbers"),
            ("0x x", "'0x' is not a code"),
            (f"0x0x{1:062x} x", "'0x0x" + "0" * 36 + "…' is not a code: codes are hexadecimal numbers, with or without 0x"),
            (A, "'the' is not a code"),
        ):
            options = ("pairs", "--input-format", "codes", "--distance", 31)
            path = self.write("c", good + bad + "\n" + f"{1 << 200:064x} last\n")
            self.assert_fails(run(*options, path), f"{path}:7: ", message)
            self.assert_fails(run(*options, "-", data=path.read_bytes()), "standard input:7: ", message)
            done = run(*options, "--skip-bad", "--format", "jsonl", path)
            self.assertEqual((done.status, len(done.json)), (0, 21), done.err)
            self.assertIn(f"{path}:7: ", done.err)
        first = self.write("first", f"{1:063x} x\n{good}")
        self.assert_fails(run(*options, first), f"{first}:1: a code of 63")
        self.assertEqual(len(run(*options, "--skip-bad", first).text.splitlines()), 15)
        other = self.write("other", f"{1:08x} x\n")
        self.assert_fails(run(*options, self.write("good", good), other), f"{other}:1: a code of 32 bits, among codes of 256")
        record = {"code": f"{1:063x}", "id": 1}
        self.assert_fails(run("pairs", "--jsonl", "--code-field", "code", "--distance", 1, "-", data=json.dumps(record)),
                          "standard input:1: a code of 63")
        self.assert_fails(run("pairs", "--jsonl", "--code-field", "x", "--distance", 1, "-", data=json.dumps(record)),
                          'field "x"')
        self.assert_fails(run("pairs", "--input-format", "csv", "--code-field", "x", "--distance", 1, "-", data="id,y\n1,2\n"),
                          'no column "x"')
        self.assert_fails(run("pairs", "--input-format", "codes", "--distance", 1, "--bits", 64, "-", data="00000000 a\n"),
                          "among codes of 64")

    def test_widths(self):
        wide = f"{1:0128x} a\n{3:0128x} b\n"
        options = ("--input-format", "codes", "--distance", 1)
        for width, message in ((12, "codes have whole bytes, up to 1,024 bits"), (1032, "codes have whole bytes"), (4, "codes have whole bytes"),
                               (256, "standard input:1: a code of 512 bits, among codes of 256")):
            self.assert_fails(run("pairs", *options, "--bits", width, "-", data=wide), message)
        self.assertEqual(self.assert_done(run("pairs", *options, "--bits", 512, "-", data=wide)).text, "0.998\t1\ta\tb\n")
        self.assertEqual(self.assert_done(run("pairs", *options, "--blocks", 4, "-", data=wide)).text, "0.998\t1\ta\tb\n")
        self.assert_fails(run("pairs", "--input-format", "codes", "--distance", 512, "-", data=wide), "--distance 512: the codes have 512 bits")
        index, other = self.folder / "wide.index", self.folder / "other.index"
        self.assert_done(run("index", *options, "--output", index, "-", data=wide))
        self.assert_done(run("index", *options, "--output", other, "-", data=f"{1:072x} c\n"))
        self.assert_fails(run("query", *options, "--index", index, "-", data=f"{1:016x} x"), "a code of 64 bits, among codes of 512")
        self.assert_fails(run("pairs", *options, "--against", index, "--against", other, "-", data=wide), "bits, where another index has")
        other.write_bytes(zlib.decompress(base64.b64decode(CODES_BESIDE_FINGERPRINTS)))
        self.assert_fails(run("query", *options, "--index", other, "-", data=wide), "codes beside fingerprints", "make it anew")
        self.assert_fails(run("query", "--input-format", "codes", "--distance", 2, "--index", index, "-", data=wide), "finds distances up to 1")
        # If any byte of the file is changed, the file is refused. So is a file of another width.
        whole = index.read_bytes()
        for at in range(0, len(whole), 7):
            damaged = bytearray(whole)
            damaged[at] ^= 4
            index.write_bytes(damaged)
            done = run("query", *options, "--index", index, "-", data=wide)
            self.assertEqual((done.status, done.text), (2, ""), at)
            self.assertIn(str(index), done.err)

    def test_nothing_to_compare(self):
        empty = self.write("empty", "")
        options = ("--input-format", "codes", "--distance", 31)
        for path in (empty, self.write("blank", "\ufeff\r\n \n")):
            for verb in ("pairs", "groups", "unique"):
                self.assertEqual(self.assert_done(run(verb, *options, path)).text, "")
            index = self.folder / "i"
            self.assert_fails(run("index", *options, "--output", index, path), "--bits N")
            self.assert_done(run("index", *options, "--bits", 256, "--output", index, path))
            self.assertEqual(self.assert_done(run("query", *options, "--index", index, "-", data=f"{1:064x}")).text, "")

    def test_options(self):
        codes_ = ("--input-format", "codes")
        for options, message in (
            ((*codes_,), "--input-format codes needs --distance K"),
            (("--jsonl", "--code-field", "c"), "--code-field needs --distance K"),
            (("--code-field", "c", "--distance", 3), "--code-field needs --jsonl"),
            ((*codes_, "--code-field", "c", "--distance", 3), "--code-field needs --jsonl"),
            ((*codes_, "--similarity", ".9"), "--similarity with --input-format codes: there are no texts"),
            ((*codes_, "--distance", 3, "--features", "words"), "--features with --input-format codes: codes are compared"),
            ((*codes_, "--distance", 3, "--seed", 1), "--seed with --input-format codes"),
            ((*codes_, "--distance", 3, "--keep", "longest"), "--keep longest with --input-format codes"),
            (("--jsonl", "--code-field", "c", "--text-field", "t", "--distance", 3), "--text-field with --code-field"),
            ((*codes_, "--distance", 32), "--distance 32: the codes have 32 bits"),
            ((*codes_, "--distance", 9, "--blocks", 20), "--blocks 20 with --distance 9 needs more tables"),
            ((*codes_, "--distance", 9, "--blocks", 40), "--blocks 40 with --distance 9 needs more tables"),
        ):
            self.assert_fails(run("groups", *options, "-", data="00000000 a\n"), message)
        for verb in ("hash", "tokens", "advise"):
            self.assert_fails(run(verb, *codes_, "-", data="00000000 a\n"), f"{verb} reads texts")
        texts = self.folder / "texts.index"
        self.assert_done(run("index", "--lines", "--output", texts, "-", data=A))
        self.assert_fails(run("query", *codes_, "--index", texts, "-", data="00000000"), "is no index of codes")
        index = self.folder / "codes.index"
        self.assert_done(run("index", *codes_, "--distance", 3, "--output", index, "-", data="00000000 a\n"))
        for verb, option in (("query", "--index"), ("pairs", "--against"), ("unique", "--add-to")):
            self.assert_fails(run(verb, "--lines", option, index, "-", data=A), "is an index of codes")
        self.assert_fails(run("query", *codes_, "--distance", 4, "--index", index, "-", data="00000000"), "finds distances up to 3")
        self.assert_fails(run("unique", *codes_, "--distance", 4, "--add-to", index, "-", data="00000000"),
                          "make it with --distance 4")


class Report(CommandTest):
    def test_pictures_are_on_the_page(self):
        def png(level):
            chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
                    + chunk(b"IDAT", zlib.compress(bytes([0, level]))) + chunk(b"IEND", b""))

        pictures = [self.write("a b.png", png(0)), self.write("b.png", png(1))]
        text = self.write("c.png", "no picture")
        names = [*pictures, text, self.folder / "missing.png", self.folder]
        lines = "".join(f"{i:016x} {name}\n" for i, name in enumerate(names))
        for arguments in (("-",), (self.write("codes", lines),)):
            done = self.assert_done(run("report", "--input-format", "codes", "--distance", 3, *arguments, data=lines))
            group = json.loads(re.search('class="group"[^>]*>(.*?)</script>', done.text)[1])
            self.assertEqual([member["id"] for member in group], [str(name) for name in names])
            self.assertEqual([member["distance"] for member in group], [0, 1, 1, 2, 1])
            urls = [member.get("picture") for member in group]
            self.assertEqual(urls[2:], [None] * 3)
            for url, path in zip(urls, pictures):
                head, data = url.split(",")
                self.assertEqual((head, base64.b64decode(data)), ("data:image/png;base64", path.read_bytes()))
            self.assertIn("img-src data:", done.text)
            self.assertIn(f"1 id names no file ({names[3]})", done.err)
        # A relative name is looked up in the folder of the codes, then in the working directory.
        (self.folder / "other").mkdir()
        shown = lambda path, where: [member.get("picture") is not None for member in json.loads(re.search(
            'class="group"[^>]*>(.*?)</script>', self.assert_done(run(
                "report", "--input-format", "codes", "--distance", 3, path, cwd=where)).text)[1])]
        relative = self.write("in/relative", "".join(f"{i:016x} {name}\n" for i, name in enumerate(("b.png", "gone.png"))))
        self.assertEqual(shown(relative, self.folder / "other"), [False, False])
        self.assertEqual(shown(relative, self.folder), [True, False])
        self.write("in/gone.png", png(2))
        self.assertEqual(shown(relative, self.folder / "other"), [False, True])
        self.assertEqual(shown("relative", self.folder / "in"), [False, True])


if __name__ == "__main__":
    main()
