"""Repeated passages, compared with a set of all runs of N words or bytes seen so far. NEARDUP_PROGRAM names the
program."""

import itertools
import json
import os
import pathlib
import random
import re
import resource

from harness import A, CommandTest, effort, jsonl, run, main


def spans_of(text, are_bytes):
    """Returns the units of a text as (unit, begin, end), in bytes."""
    if are_bytes:
        return [(byte, i, i + 1) for i, byte in enumerate(text.encode())]
    return [(m.group(), len(text[: m.start()].encode()), len(text[: m.end()].encode())) for m in re.finditer(r"\w+", text)]


def repeated(documents, length, are_bytes, least_documents=1, earlier=0):
    """Returns the repeated passages of documents: (place, begin, end, first place, first offset). A document is a
    list of texts. A place is (document, field); the other numbers are bytes."""
    seen, all_places = {}, []
    for d, texts in enumerate(documents):
        for f, text in enumerate(texts):
            units = spans_of(text, are_bytes)
            for i in range(len(units) - length + 1):
                known = seen.setdefault(tuple(u for u, _, _ in units[i : i + length]), ((d, f, i), units[i][1], set()))
                known[2].add(d)
                all_places.append(((d, f), i, units, known))
    spans = []
    for place, i, units, (first, offset, where) in all_places:
        if (*place, i) == first or len(where) < least_documents or place[0] < earlier:
            continue
        last = spans[-1] if spans else None
        if last and last["place"] == place and last["next"] == i and last["next_first"] == first:
            last["end"] = units[i + length - 1][2]
        else:
            last = {"place": place, "begin": units[i][1], "end": units[i + length - 1][2], "first": first[:2], "offset": offset}
            spans.append(last)
        last["next"], last["next_first"] = i + 1, (*first[:2], first[2] + 1)
    return spans


def union(ranges):
    joined = []
    for begin, end in sorted(ranges):
        if joined and begin <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([begin, end])
    return joined


def without(text, ranges, are_words=True):
    """Returns the text without these ranges of bytes, and without the white space after each range. Two ranges are
    joined if only white space is between them, or, for ranges of words, if no word is."""
    data, joined = text.encode(), []
    for begin, end in union(ranges):
        between = data[joined[-1][1] : begin].decode() if joined else ""
        if joined and not (re.search(r"\w", between) if are_words else between.strip()):
            joined[-1][1] = end
        else:
            joined.append([begin, end])
    out, at = b"", 0
    for begin, end in joined:
        out += data[at:begin]
        at = len(data) - len(data[end:].lstrip())
    return (out + data[at:]).decode()


def random_texts(rng, count, alphabet, longest):
    texts, between = [], [" ", "  ", ", ", "\n"]
    for _ in range(count):
        own = [rng.choice(alphabet) for _ in range(rng.randrange(longest))]
        if texts and rng.random() < 0.6:
            stretch = re.findall(r"\w+", rng.choice(texts))
            begin = rng.randrange(len(stretch) + 1)
            at = rng.randrange(len(own) + 1)
            own[at:at] = stretch[begin : begin + rng.randrange(longest)]
        texts.append("".join(word + rng.choice(between) for word in own))
    return texts


RUNNING = (("--threads", 1), ("--threads", 3, "--memory", "1M"))


def one_of(checks, turn):
    """Returns one of three or four checks. In 24 turns, each check is used with each alphabet, each length and each
    way of running."""
    return checks[(turn + turn // 4) % len(checks)]


ALPHABETS = (["a", "b"], ["ha"], ["x1", "\u00e4\u00e4", "\u044f\u0437\u044b\u043a", "word", "n", "\U0001d538"])


class Repeated(CommandTest):
    def check(self, documents, fields, against, length, least_documents, more=()):
        """Cuts passages, and compares all output with the oracle."""
        everything = against + documents
        found = repeated(everything, length, False, least_documents, len(against))
        row = lambda name, texts: json.dumps({"id": name, **dict(zip(fields, texts)), "n": 1}, ensure_ascii=False) + "\n"
        name = lambda d: f"e{d}" if d < len(against) else f"d{d - len(against)}"
        lines = [row(name(d), texts) for d, texts in enumerate(everything)]
        wanted, rows = [], []
        for d, texts in enumerate(documents, len(against)):
            cuts = [[(s["begin"], s["end"]) for s in found if s["place"] == (d, f)] for f in range(len(texts))]
            rest = [without(text, own) for text, own in zip(texts, cuts)]
            if not any(cuts) or any(re.search(r"\w", text) for text in rest):
                wanted.append(row(name(d), rest))
        for s in found:
            (d, f), (first, first_field) = s["place"], s["first"]
            text = everything[d][f].encode()[s["begin"] : s["end"]].decode()
            one = [name(d), s["begin"], s["end"] - s["begin"], name(first), s["offset"], text]
            rows.append(one + [fields[f], fields[first_field]] if len(fields) > 1 else one)
        self.write("in.jsonl", "".join(lines[len(against) :]))
        options = ["--passages", length, "--least-documents", least_documents]
        options += [word for field in fields for word in ("--text-field", field)]
        if against:
            options += ["--against", self.write("against.jsonl", "".join(lines[: len(against)]))]
        dropped, output = self.folder / "dropped", self.folder / "out"
        done = run("unique", "--jsonl", *options, *more, "--dropped", dropped, "--output", output, self.folder / "in.jsonl")
        self.assert_done(done)
        self.assertEqual(output.read_bytes().decode(), "".join(wanted))
        keys = ["id", "offset", "length", "first", "first_offset", "passage", "field", "first_field"][: 8 if len(fields) > 1 else 6]
        self.assertEqual([[json.loads(line)[key] for key in keys] for line in dropped.read_text().splitlines()], rows)
        self.assertIn(f"; {len(rows):,} " + ("passage occurs" if len(rows) == 1 else "passages occur") + " earlier", done.err)
        return len(rows)

    def test_cuts_what_a_set_of_all_passages_has_seen(self):
        rng, count = random.Random(75), 0
        for turn, (alphabet, length, more) in enumerate(itertools.product(ALPHABETS, (1, 2, 5, 20), RUNNING)):
            texts = random_texts(rng, 60, alphabet, 3 * length + 3)
            pairs = [list(pair) for pair in zip(texts[::2], texts[1::2])]
            checks = (
                ([[t] for t in texts], ["text"], [], length, 1),
                ([[t] for t in texts[20:]], ["text"], [[t] for t in texts[:20]], length, 2),
                (pairs, ["title", "body"], [], length, 3),
            )
            with self.subTest(alphabet=alphabet, length=length, more=more):
                count += self.check(*one_of(checks, turn), more)
        self.assertGreater(count, 2000)

    def test_each_copy_goes_wherever_it_begins(self):
        shared = " ".join(f"run{i}" for i in range(60))
        texts = ["It begins: " + shared]
        texts += [" ".join(f"before{b}x{i}" for i in range(b)) + " " + shared + f" behind{b}" for b in range(1, 8)]
        for length in (5, 10, 20, 50):
            done = run("unique", "--jsonl", "--passages", length, "--output", self.folder / "o", "-", data=jsonl(texts))
            self.assertIn("7 of those kept changed", self.assert_done(done).err)
            rest = [json.loads(line)["text"] for line in (self.folder / "o").read_text().splitlines()]
            self.assertEqual(rest, texts[:1] + [text.replace(shared + " ", "") for text in texts[1:]])

    def test_bytes_are_cut_at_words_and_never_within_a_character(self):
        rng = random.Random(76)
        for alphabet in ALPHABETS:
            texts = random_texts(rng, 60, alphabet, 40)
            found = repeated([[t] for t in texts], 12, True)
            done = run("unique", "--jsonl", "--passages", "bytes:12", "--dropped", self.folder / "d", "--output", self.folder / "o",
                       "-", data=jsonl(texts))
            self.assert_done(done)
            wanted, wanted_rows = [], []
            for d, text in enumerate(texts):
                own = [s for s in found if s["place"][0] == d]
                cuts = union((s["begin"], s["end"]) for s in own)
                for cut in cuts:
                    whole = [(begin, end) for _, begin, end in spans_of(text, False) if cut[0] <= begin and end <= cut[1]]
                    cut[:] = [whole[0][0], whole[-1][1]] if whole else [0, 0]
                # --dropped has a row for each passage, or for the part of it that is cut. No row begins or ends within
                # a character.
                data = text.encode()
                for s in own:
                    for cut in cuts:
                        begin, end = max(s["begin"], cut[0]), min(s["end"], cut[1])
                        while begin < end and data[begin] & 0xC0 == 0x80:
                            begin += 1
                        while begin < end < len(data) and data[end] & 0xC0 == 0x80:
                            end -= 1
                        if begin < end:
                            first = [f"d{s['first'][0]}", s["offset"] + begin - s["begin"]]
                            wanted_rows.append([f"d{d}", begin, end - begin, *first, data[begin:end].decode()])
                rest = without(text, [cut for cut in cuts if cut[0] < cut[1]], False)
                if not cuts or re.search(r"\w", rest) or rest == text:
                    wanted.append(rest)
            self.assertEqual([json.loads(line)["text"] for line in (self.folder / "o").read_text().splitlines()], wanted)
            rows = [json.loads(line) for line in (self.folder / "d").read_text().splitlines()]
            keys = ["id", "offset", "length", "first", "first_offset", "passage"]
            self.assertEqual([[row[key] for key in keys] for row in rows], wanted_rows)

    def test_parts_of_several_machines_are_cleaned_as_in_one_run(self):
        rng = random.Random(82)
        lines = jsonl(random_texts(rng, 90, ALPHABETS[2], 40)).splitlines(keepends=True)
        parts = [self.write(f"part{i}", b"".join(lines[30 * i : 30 * i + 30])) for i in range(3)]
        whole = self.write("whole", b"".join(lines))

        def cleaned(path, *earlier):
            against = [word for one in earlier for word in ("--against", one)]
            done = run("unique", "--jsonl", "--passages", length, *against, "--output", self.folder / "o", "--", path)
            self.assert_done(done)
            return (self.folder / "o").read_bytes()

        for length in (1, 5, "bytes:9"):
            together = b"".join(cleaned(part, *parts[:i]) for i, part in enumerate(parts))
            self.assertEqual(together, cleaned(whole))
            self.assertNotEqual(together, b"".join(cleaned(part) for part in parts))

    def test_words_beside_a_cut_of_bytes_stay_apart(self):
        texts = ["one two three four", "zone two three fourth", "hello, (big) world. End", "xhello, (big) world. Endy"]
        done = self.assert_done(run("unique", "--jsonl", "--passages", "bytes:6", "--dropped", self.folder / "d", "-", data=jsonl(texts)))
        self.assertEqual([r["text"] for r in done.json], [texts[0], "zone fourth", texts[2], "xhello, (. Endy"])
        rows = [json.loads(line) for line in (self.folder / "d").read_text().splitlines()]
        self.assertEqual([row["passage"] for row in rows], ["two three", "big) world"])
        self.assertEqual([row["first_offset"] for row in rows], [4, 8])
        # Bytes between words stay if no word beside them is cut.
        for length, lines in ((1, "x y\na b\n"), (1, "x. y\na. b\n"), (3, "x   y\na   b\n"), (2, "x -- y\na -- b\n")):
            done = run("unique", "--lines", "--passages", f"bytes:{length}", "--dropped", self.folder / "d", "-", data=lines)
            self.assertEqual((self.assert_done(done).text, (self.folder / "d").read_text()), (lines, ""))

    def test_lines_name_their_first_places_in_columns(self):
        self.write("l", "a b c\nx a b c y\n")
        done = run("unique", "--lines", "--passages", 3, "--dropped", "d", "l", cwd=self.folder)
        self.assertEqual(self.assert_done(done).text, "a b c\nx y\n")
        self.assertEqual((self.folder / "d").read_text(), "l:2\t2\t5\tl:1\t0\ta b c\n")

    def test_a_record_of_which_no_word_is_left_is_dropped(self):
        data = jsonl(["one two three", "One two three", "one two three", ""])
        done = run("unique", "--jsonl", "--passages", 3, "--dropped-records", self.folder / "r", "--output", self.folder / "o", "-",
                   data=data)
        self.assertIn("3 kept, 1 dropped", self.assert_done(done).err)
        self.assertEqual((self.folder / "r").read_bytes(), data.splitlines(keepends=True)[2])

    def test_a_full_folder_for_temporary_files_is_an_error_and_nothing_is_lost(self):
        rng = random.Random(77)
        texts = [" ".join(rng.choice("abcdefgh") for _ in range(300)) for _ in range(200)]
        path = self.write("in.jsonl", jsonl(texts))
        output = self.write("out", "as before")
        failed = run("unique", "--jsonl", "--passages", 5, "--memory", "100k", "--output", output, path,
                     env={"TMPDIR": str(self.folder / "missing")})
        self.assert_fails(failed, "cannot write a temporary file")
        self.assertEqual(output.read_text(), "as before")

    def test_a_full_disk_is_an_error_and_nothing_is_lost(self):
        rng = random.Random(78)
        stretch = " ".join(rng.choice("abcdefgh") for _ in range(2000))
        path = self.write("in.jsonl", jsonl([stretch + f" {i}" for i in range(300)]))
        output = self.write("out", "as before")
        before = path.read_bytes()
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, resource.RLIM_INFINITY))
        for verb, options in (("unique", ("--passages", 5)), ("unique", ("--passages", "bytes:9")), ("passages", ("--length", 5))):
            with self.subTest(verb=verb, options=options):
                # The temporary file may not grow beyond 256 KB, as if its disk were full.
                failed = run(verb, "--jsonl", *options, "--memory", "10k", "--output", output, path, preexec_fn=limit)
                self.assert_fails(failed, "cannot write a temporary file")
                self.assertEqual((output.read_text(), path.read_bytes()), ("as before", before))
                self.assertEqual(sorted(os.listdir(self.folder)), ["in.jsonl", "out"])

    def test_refuses_what_does_not_go_together(self):
        text = self.write("a.jsonl", jsonl(["one two", "three"]))
        output = ("--output", self.folder / "o")
        for options, said in (
            (("--passages", 0, "--jsonl", *output), "--passages"),
            (("--passages", 2**20 + 1, "--jsonl", *output), "--passages"),
            (("--passages", "bytes:0", "--jsonl", *output), "--passages bytes:"),
            (("--passages", "five", "--jsonl", *output), "--passages"),
            (("--passages", 5, *output), "needs --lines or --jsonl"),
            (("--passages", 5, "--jsonl"), "name a file for the changed records with --output"),
            (("--passages", 5, "--jsonl", "--similarity", 0.8, *output), "--similarity has no effect with --passages"),
            (("--passages", 5, "--jsonl", "--parts", "line", *output), "--passages"),
            (("--passages", 5, "--jsonl", "--keep", "longest", *output), "--keep has no effect with --passages"),
            (("--passages", 5, "--jsonl", "--encoding", "latin1", *output), "--encoding"),
        ):
            with self.subTest(options=options):
                self.assert_fails(run("unique", *options, text), said)
                self.assertFalse((self.folder / "o").exists())


def listed(documents, length, are_bytes, least_documents=1, earlier=0):
    """Makes the listing from the repeated passages: (units, documents that contain the passage, first place, further
    places). A place is (document, field, begin and end in bytes)."""
    found = repeated(documents, length, are_bytes, least_documents)
    units = {(d, f): spans_of(text, are_bytes) for d, texts in enumerate(documents) for f, text in enumerate(texts)}
    rows = {}
    for s in found:
        own = units[s["place"]]
        begin = next(i for i, unit in enumerate(own) if unit[1] == s["begin"])
        end = next(i for i, unit in enumerate(own) if unit[2] == s["end"]) + 1
        first = next(i for i, unit in enumerate(units[s["first"]]) if unit[1] == s["offset"])
        key = (begin - end, s["first"], first)
        rows.setdefault(key, []).append((*s["place"], s["begin"], s["end"]))
    result = []
    for (minus, first, i), places in sorted(rows.items()):
        stretch = units[first][i : i - minus]
        content = [unit for unit, _, _ in stretch]
        holds = lambda place: any(
            [unit for unit, _, _ in units[place][j : j - minus]] == content for j in range(len(units[place]) + minus + 1)
        )
        here = [place for place in sorted(places) if place[0] >= earlier]
        if here:
            result.append((-minus, len({d for d, f in units if holds((d, f))}), (*first, stretch[0][1], stretch[-1][2]), here))
    return result


class Listed(CommandTest):
    def check(self, documents, fields, against, length, are_bytes, least_documents, more=()):
        """Lists passages in both formats, and compares all output with the oracle."""
        everything = against + documents
        name = lambda d: f"e{d}" if d < len(against) else f"d{d - len(against)}"
        row = lambda d, texts: json.dumps({"id": name(d), **dict(zip(fields, texts))}, ensure_ascii=False) + "\n"
        lines = [row(d, texts) for d, texts in enumerate(everything)]
        wanted, text = [], []
        whole = lambda d, f, begin, end: everything[d][f].encode()[begin:end].decode("utf-8", "ignore")

        def place(d, f, begin, end):
            data = everything[d][f].encode()
            while begin < end and data[begin] & 0xC0 == 0x80:
                begin += 1
            while begin < end < len(data) and data[end] & 0xC0 == 0x80:
                end -= 1
            own = {"id": name(d), **({"against": True} if d < len(against) else {}), **({"field": fields[f]} if len(fields) > 1 else {})}
            return {**own, "offset": begin, "length": end - begin}

        unit = "bytes" if are_bytes else "words"
        merged = {}  # passages that differ in bytes may have the same whole characters
        for count, holding, first, again in listed(everything, length, are_bytes, least_documents, len(against)):
            shown_first = place(*first)
            if are_bytes:
                count = shown_first["length"]  # the bytes of the whole characters
            if count == 0:
                continue
            known = merged.setdefault((-count, *first[:2], shown_first["offset"]), [0, first, []])
            known[2] += again
            known[0] = max(known[0], holding, len({first[0], *(d for d, *_ in known[2])}))
        for (count, *_), (holding, first, again) in sorted(merged.items()):
            count, passage = -count, whole(*first)
            wanted.append({unit: count, "documents": holding, "passage": passage, "first": place(*first),
                           "again": [place(*one) for one in sorted(again)]})
            shown = passage if len(passage.encode()) <= 300 else passage.encode()[:300].decode("utf-8", "ignore")
            shown = shown.replace("\n", "\\n") + ("" if shown == passage else " …")
            counted = lambda n, noun: f"{n:,} {noun}" + ("" if n == 1 else "s")
            text.append(f"{counted(count, unit[:-1])} in {counted(holding, 'document')}: {shown}\n")
            for word, one in [("first", wanted[-1]["first"]), *(("again", one) for one in wanted[-1]["again"])]:
                corpus = " of --against" if "against" in one else ""
                field = one["field"] + ", " if "field" in one else ""
                text[-1] += f"  {word}: {one['id']}{corpus}, {field}byte {one['offset']}\n"
        self.write("in.jsonl", "".join(lines[len(against) :]))
        options = ["--length", f"bytes:{length}" if are_bytes else length, "--least-documents", least_documents]
        options += [word for field in fields for word in ("--text-field", field)]
        if against:
            options += ["--against", self.write("against.jsonl", "".join(lines[: len(against)]))]
        for form in ("jsonl", "text"):
            done = self.assert_done(run("passages", "--jsonl", *options, *more, "--format", form, self.folder / "in.jsonl"))
            if form == "jsonl":
                self.assertEqual(done.json, wanted)
            else:
                self.assertEqual(done.text, "\n".join(text))
            places = sum(len(one["again"]) for one in wanted)
            self.assertIn(f": {len(wanted):,} passage{'' if len(wanted) == 1 else 's'} at {places:,} further place", done.err)
        return len(wanted)

    def test_lists_what_a_set_of_all_passages_has_seen(self):
        rng, count = random.Random(79), 0
        for turn, (alphabet, length, more) in enumerate(itertools.product(ALPHABETS, (1, 2, 5, 20), RUNNING)):
            texts = random_texts(rng, effort(30, 60), alphabet, 3 * length + 3)
            pairs = [list(pair) for pair in zip(texts[::2], texts[1::2])]
            checks = (
                ([[t] for t in texts], ["text"], [], length, False, 1),
                ([[t] for t in texts[8:]], ["text"], [[t] for t in texts[:8]], length, False, 2),
                (pairs, ["title", "body"], [], length, False, 3),
                ([[t] for t in texts[:12]], ["text"], [], 2 * length + 3, True, 1),
            )
            with self.subTest(alphabet=alphabet, length=length, more=more):
                count += self.check(*one_of(checks, turn), more)
        self.assertGreater(count, effort(150, 300))

    def test_a_whole_run_is_counted_where_it_is_a_part_of_a_longer_one(self):
        texts = ["a b c d e f", "b c d", "x a b c d e f", "c d", "b c d", "b c d b c d"]
        done = self.assert_done(run("passages", "--jsonl", "--length", 2, "--format", "jsonl", "-", data=jsonl(texts)))
        rows = [(row["words"], row["passage"], row["documents"], len(row["again"])) for row in done.json]
        self.assertEqual(rows, [(6, "a b c d e f", 2, 1), (3, "b c d", 5, 4), (2, "c d", 6, 1)])

    def test_more_passages_than_fit_into_memory_are_listed_in_order(self):
        rng = random.Random(80)
        words = [f"w{i}" for i in range(40)]
        texts = [" ".join(rng.choice(words) for _ in range(400)) for _ in range(effort(300, 1500))]
        path = self.write("in.jsonl", jsonl(texts))
        few = self.assert_done(run("passages", "--jsonl", "--length", 2, "--memory", "200k", "--format", "jsonl", path))
        self.assertEqual(few.text, self.assert_done(run("passages", "--jsonl", "--length", 2, "--format", "jsonl", path)).text)
        places = sum(len(row["again"]) for row in few.json)
        self.assertGreater(places, 1 << 16)  # more than one run of the file holds
        order = [-row["words"] for row in few.json]
        self.assertEqual(order, sorted(order))

    def test_files_lines_and_standard_input_are_read_as_by_other_verbs(self):
        self.write("a.txt", "one two\nthree\n")
        self.write("b.txt", "zero one two three")
        done = self.assert_done(run("passages", "--length", 3, "a.txt", "b.txt", cwd=self.folder))
        first = "3 words in 2 documents: one two\\nthree\n"
        self.assertEqual(done.text, first + "  first: a.txt, byte 0\n  again: b.txt, byte 5\n")
        done = self.assert_done(run("passages", "--lines", "--length", 3, "-", data="x y z\nw x, y z\n"))
        self.assertEqual(done.text, "3 words in 2 documents: x y z\n  first: -:1, byte 0\n  again: -:2, byte 2\n")
        chat = [{"messages": [{"content": "a b c"}, {"content": "d a b c"}]}]
        data = "".join(json.dumps(one) + "\n" for one in chat)
        options = ("--jsonl", "--text-field", "messages[*].content", "--length", 3, "--format", "jsonl")
        row = self.assert_done(run("passages", *options, "-", data=data)).json[0]
        self.assertEqual((row["first"]["field"], row["again"][0]["field"], row["documents"]), (0, 1, 1))

    def test_bytes_of_no_whole_character_are_not_listed(self):
        done = self.assert_done(run("passages", "--lines", "--length", "bytes:1", "--format", "jsonl", "-", data="é漢\nè灢\n"))
        self.assertEqual(done.text, "")
        done = self.assert_done(run("passages", "--lines", "--length", "bytes:2", "--format", "jsonl", "-", data="xé\nxè\n"))
        self.assertEqual([(row["bytes"], row["passage"]) for row in done.json], [(1, "x")])

    def test_equal_characters_are_listed_once_with_all_their_documents(self):
        data = "é漢é\nǩ漢z\nz漢è\n"  # the second line repeats a byte before the middle character, the third line a byte after it
        done = self.assert_done(run("passages", "--lines", "--length", "bytes:4", "--format", "jsonl", "-", data=data))
        places = [{"id": f"-:{line}", "offset": offset, "length": 3} for line, offset in ((1, 2), (2, 2), (3, 1))]
        self.assertEqual(done.json, [{"bytes": 3, "documents": 3, "passage": "漢", "first": places[0], "again": places[1:]}])

    def test_a_run_ends_where_the_next_words_began_first_elsewhere(self):
        done = self.assert_done(run("passages", "--lines", "--length", 2, "--format", "jsonl", "-", data="a b c\nx b c d e\nb c d e\n"))
        self.assertEqual([(row["words"], row["passage"]) for row in done.json], [(3, "c d e"), (2, "b c")])

    def test_the_exit_status_says_whether_there_is_any(self):
        self.assertEqual(run("passages", "--lines", "--exit-status", "-", data="a b\nb a\n").status, 1)
        self.assertEqual(run("passages", "--lines", "--length", 1, "--exit-status", "-", data="a b\nb a\n").status, 0)

    def test_a_file_that_changes_is_named(self):
        changing = "/proc/sys/kernel/random/uuid"  # a file with another text at each reading
        if not pathlib.Path(changing).exists():
            self.skipTest("this system has no file that changes by itself")
        files = [self.write(f"{i}.txt", A) for i in range(3)]
        said = f"{changing}: was changed while it was being read"
        self.assert_fails(run("passages", "--length", 1, files[0], changing, files[1]), said)
        self.assert_fails(run("passages", "--length", 1, "--against", changing, *files[:2]), said)
        self.assert_fails(run("passages", "--length", 1, *files, changing), said)

    def test_refuses_wrong_options(self):
        text = self.write("a.txt", "one two")
        for options, said in (
            (("--length", 0), "--length"),
            (("--length", "bytes:0"), "--length bytes:"),
            (("--length", 2**20 + 1), "--length"),
            (("--length", "five"), "--length"),
            (("--least-documents", 0), "--least-documents"),
            (("--similarity", 0.8), "--similarity"),
        ):
            with self.subTest(options=options):
                self.assert_fails(run("passages", *options, text), said)
        index = self.folder / "i.neardup"
        self.assert_done(run("index", text, "--output", index))
        self.assert_fails(run("passages", "--against", index, text), "an index keeps no texts")


if __name__ == "__main__":
    main()
