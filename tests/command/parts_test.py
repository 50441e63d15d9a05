"""Repeated parts of texts, compared with a loop over all earlier parts. NEARDUP_PROGRAM names the program."""

import json
import random
import re

from harness import A, B, CommandTest, jaccard, jsonl, run, words, main

SENTENCE_ENDS = [".", "!", "?!", "\u3002"]


def parts_by_construction(rng, kind, count):
    """Returns texts as lists of parts, and the separators between the parts."""
    stock, texts = [], []
    between = {"paragraph": ["\n\n", "\n \n", "\r\n\r\n"], "line": ["\n", "\r\n"], "sentence": [" ", "\n", "  "]}
    for _ in range(count):
        own = []
        for _ in range(rng.randrange(0, 6)):
            if stock and rng.random() < 0.5:
                part = rng.choice(stock)
                if rng.random() < 0.4:
                    part = re.sub(r"w\d+", lambda m: rng.choice([m.group()] * 9 + ["changed"]), part)
            else:
                part = " ".join(f"w{rng.randrange(300)}" for _ in range(rng.randrange(1, 25)))
                if kind == "sentence":
                    part += rng.choice(SENTENCE_ENDS)
                if kind == "paragraph" and rng.random() < 0.5:
                    part = part.replace(" ", "\n", 2)
            stock.append(part)
            own.append(part)
        texts.append((own, [rng.choice(between[kind]) for _ in own]))
    return texts


def repeated(documents, similarity, least_length, least_documents):
    """Returns, for each part of each document, the (document, part) that it repeats, or None."""
    parts = [(d, p, part) for d, own in enumerate(documents) for p, part in enumerate(own) if len(part) >= least_length]
    label = []
    for d, p, part in parts:
        same = next((label[i] for i, other in enumerate(parts[: len(label)]) if " ".join(other[2].split()) == " ".join(part.split())), None)
        if same is None and similarity < 1:
            sets, closest = words(part, 2), 0  # ties go to the first
            for i, other in enumerate(parts[: len(label)]):
                others = words(other[2], 2)
                if label[i] != i or min(len(sets), len(others)) < 8:
                    continue
                if jaccard(sets, others) >= max(similarity, closest) and (same is None or jaccard(sets, others) > closest):
                    same, closest = i, jaccard(sets, others)
        label.append(len(label) if same is None else same)
    stands = {}
    for (d, _, _), first in zip(parts, label):
        stands.setdefault(first, set()).add(d)
    result = {}
    for i, ((d, p, _), first) in enumerate(zip(parts, label)):
        if first != i and len(stands[first]) >= least_documents:
            result[d, p] = parts[first][:2]
    return result


def without(own, between, gone):
    """Returns the text without some parts. The separator after a part is removed with it, except for the last
    separator."""
    text, ranges = "", []
    for p, (part, space) in enumerate(zip(own, between)):
        ranges.append((len(text), len(text) + len(part)))
        text += part + space
    left = set(range(len(text)))
    joined = []
    for p in sorted(gone):
        begin, end = ranges[p]
        if joined and not text[joined[-1][1] : begin].strip():
            begin = joined.pop()[0]
        joined.append((begin, end))
    for begin, end in joined:
        behind = len(text) - len(text[end:].lstrip())
        if behind < len(text):
            end = behind
        else:
            begin = len(text[:begin].rstrip())
        left -= set(range(begin, end))
    return text, "".join(c for i, c in enumerate(text) if i in left), ranges


class Parts(CommandTest):
    def test_takes_out_what_stood_before_and_nothing_else(self):
        rng = random.Random(7)
        changes = 0
        for kind in ("paragraph", "line", "sentence"):
            for similarity, least_length, least_documents in ((1, 0, 1), (0.6, 20, 1), (0.8, 9, 3)):
                texts = parts_by_construction(rng, kind, 120)
                gone = repeated([own for own, _ in texts], similarity, least_length, least_documents)
                lines, expected, rows, starts = [], [], [], {}
                for d, (own, between) in enumerate(texts):
                    removed = [p for p in range(len(own)) if (d, p) in gone]
                    text, rest, ranges = without(own, between, removed)
                    for p, (begin, end) in enumerate(ranges):
                        starts[d, p] = len(text[:begin].encode())
                        if p in removed:
                            first = gone[d, p]
                            size = len(text[begin:end].encode())
                            rows.append((f"d{d}", starts[d, p], size, f"d{first[0]}", starts[first], text[begin:end]))
                    row = lambda t: json.dumps({"n": 1, "text": t, "id": f"d{d}"}, ensure_ascii=d % 2 == 0) + "\n"
                    lines.append(row(text))
                    if not removed or re.search(r"\w", rest):
                        expected.append(row(rest))
                    changes += bool(removed)
                path, dropped = self.write("in.jsonl", "".join(lines)), self.folder / "dropped"
                options = ["--parts", kind, "--least-length", least_length, "--least-documents", least_documents]
                if similarity < 1:
                    options += ["--similarity", similarity]
                for source, threads in ((path, 1), ("-", 2)):
                    with self.subTest(kind=kind, similarity=similarity, source=source):
                        output = self.folder / "out"
                        done = run("unique", "--jsonl", *options, "--dropped", dropped, "--output", output,
                                   "--threads", threads, source, data="".join(lines))
                        self.assert_done(done)
                        self.assertEqual(output.read_bytes().decode(), "".join(expected))
                        found = [json.loads(line) for line in dropped.read_text().splitlines()]
                        keys = ("id", "offset", "length", "first", "first_offset", "part")
                        self.assertEqual([tuple(f[k] for k in keys) for f in found], rows)
                        self.assertTrue(all(similarity <= f["similarity"] <= 1 for f in found))
                        self.assertRegex(done.err, f"; {len(rows):,} of [0-9,]+ parts? occur{'s' if len(rows) == 1 else ''} earlier")
        self.assertGreater(changes, 300)

    def test_short_parts_stay_by_default(self):
        text = "A heading\n\n" + A + "\n\n" + B
        path = self.write("a.jsonl", jsonl([text, text.replace(B, "new")]))
        done = run("unique", "--jsonl", "--parts", "paragraph", "--output", self.folder / "o", path)
        self.assertIn("2 kept, 0 dropped, 1 of those kept changed", self.assert_done(done).err)
        texts = [json.loads(line)["text"] for line in (self.folder / "o").read_text().splitlines()]
        self.assertEqual(texts, [text, "A heading\n\nnew"])

    def test_what_becomes_empty_is_dropped(self):
        data = jsonl([A + ".\n\n--\n\n", "--\n\n" + A + ".", "", A + "."])
        done = run("unique", "--jsonl", "--parts", "paragraph", "--dropped-records", self.folder / "r",
                   "--dropped", self.folder / "d", "-", data=data)
        lines = data.splitlines(keepends=True)
        self.assertEqual(self.assert_done(done).bytes, lines[0] + lines[2])
        self.assertEqual((self.folder / "r").read_bytes(), lines[1] + lines[3])

    def test_a_changed_file_is_told(self):
        self.assert_fails(run("unique", "--jsonl", "--parts", "line", "--output", self.folder / "o", "-", data='{"text":1}\n'),
                          'field "text" is a number')
        self.assertFalse((self.folder / "o").exists())

    def test_refuses_what_does_not_go_together(self):
        text = self.write("a.jsonl", jsonl([A, B]))
        output = ("--output", self.folder / "o")
        for options, said in (
            (("--parts", "page", "--jsonl", *output), "parts are paragraph, sentence and line"),
            (("--parts", "words:5", "--jsonl", *output), "--passages N takes out runs of N words"),
            (("--parts", "line", *output), "to make records of files: for f in"),
            (("--parts", "line", "--input-format", "csv", *output), "needs --lines or --jsonl"),
            (("--parts", "line", "--jsonl"), "name a file for the changed records with --output"),
            (("--parts", "line", "--jsonl", "--keep", "longest", *output), "--keep has no effect with --parts"),
            (("--parts", "line", "--jsonl", "--check", "containment", *output), "--check has no effect with --parts"),
            (("--parts", "line", "--jsonl", "--features", "words:3", *output), "--features with --parts needs --similarity below 1"),
            (("--parts", "line", "--jsonl", "--encoding", "latin1", *output), "--encoding"),
            (("--parts", "line", "--jsonl", "--fold-chinese", *output), "--fold-chinese with --parts"),
            (("--least-length", 3, "--jsonl"), "--least-length needs --parts"),
            (("--least-documents", 3, "--jsonl"), "--least-documents needs --parts or --passages"),
        ):
            with self.subTest(options=options):
                self.assert_fails(run("unique", *options, text), said)
                self.assertFalse((self.folder / "o").exists())


if __name__ == "__main__":
    main()
