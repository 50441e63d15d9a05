"""Counts by source (--by of unique, groups and report), and the page of --audit. NEARDUP_PROGRAM names the program."""

import collections
import gzip
import json
import random
import re

from harness import CommandTest, corpus, jaccard, run, words, unittest, main


def table_of(err):
    """Parses the table of --by. Returns name -> (in, kept, dropped, groups), where groups maps the largest groups to
    their sizes."""
    rows = {}
    for line in err.splitlines():
        found = re.fullmatch(r"neardup: +([\d,]+) +([\d,]+) +([\d,]+) +([\d.]+) %  (.*)", line)
        if not found:
            continue
        name, _, groups = found[5].partition("; of these like ")
        count = [int(n.replace(",", "")) for n in found.groups()[:3]]
        assert abs(float(found[4]) - 100 * count[2] / max(count[0], 1)) < 0.051, line
        rows[name] = (*count, dict((g.rsplit(": ", 1)[0], int(g.rsplit(": ", 1)[1])) for g in groups.split(", like ") if g))
    return rows


def warnings_of(err):
    return [line.removeprefix("neardup: warning: ") for line in err.splitlines() if line.startswith("neardup: warning: ")]


class BySource(CommandTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(8)
        self.records = []
        for i, text in enumerate(corpus(600, 21, words=14)):
            site = rng.choice(["a.example", "B.example", "c.example:8080"])
            self.records.append({"id": f"https://{site}/p/{i}", "text": text, "source": {"name": rng.choice(["x", "y", 7])},
                                 "url": f"http://user@{rng.choice(['one.org', 'two.org'])}/{i}"})
        del self.records[5]["source"]
        self.records[6]["url"] = "no url"
        self.folders = ["in/one", "in/two", "in"]
        for number, folder in enumerate(self.folders):
            some = self.records[200 * number : 200 * number + 200]
            self.write(f"{folder}/part.jsonl", "".join(json.dumps(r) + "\n" for r in some))
        self.all = [self.folder / f / "part.jsonl" for f in self.folders]
        self.source_of = {
            "field:source.name": lambda r, i: str(r["source"]["name"]) if "source" in r else "(no source.name)",
            "host": lambda r, i: r["id"].split("/")[2].split(":")[0].lower(),
            "host:url": lambda r, i: r["url"].split("@")[1].split("/")[0] if "@" in r["url"] else "(no host)",
            "folder": lambda r, i: str(self.folder / self.folders[i // 200]),
            "file": lambda r, i: str(self.all[i // 200]),
        }

    def expected(self, by, kept):
        """The slow twin. It counts the records of each source by the ids of the kept ones."""
        rows = collections.defaultdict(lambda: [0, 0, 0])
        for i, record in enumerate(self.records):
            row = rows[self.source_of[by](record, i)]
            row[0] += 1
            row[1 if record["id"] in kept else 2] += 1
        return {name: tuple(row) for name, row in rows.items()}

    def test_each_form_counts_what_comes_is_kept_and_goes(self):
        for by in self.source_of:
            for options in ([], ["--exact"], ["--keep", "longest"], ["--distance", "6"], ["--check", "containment"]):
                with self.subTest(by=by, options=options):
                    done = self.assert_done(run("unique", "--jsonl", "--by", by, "--dropped", self.folder / "d", *options, *self.all))
                    kept = {json.loads(line)["id"] for line in done.text.splitlines()}
                    rows = table_of(done.err)
                    self.assertEqual({n: r[:3] for n, r in rows.items()}, self.expected(by, kept))
                    self.assertGreater(sum(r[2] for r in rows.values()), 50)
                    # The table's largest groups are those of the file of --dropped.
                    groups = collections.defaultdict(collections.Counter)
                    place = {r["id"]: i for i, r in enumerate(self.records)}
                    for line in (self.folder / "d").read_text().splitlines():
                        one = json.loads(line)
                        i = place[one["id"]]
                        groups[self.source_of[by](self.records[i], i)][one["kept"]] += 1
                    for name, row in rows.items():
                        self.assertEqual(sorted(row[3].values(), reverse=True), [n for _, n in groups[name].most_common(3)])
                        for group, count in row[3].items():
                            self.assertEqual(groups[name][group], count)
                    # The source with the most dropped documents is first.
                    self.assertEqual([r[2] for r in rows.values()], sorted((r[2] for r in rows.values()), reverse=True))

    def test_all_ways_of_deciding_count_alike(self):
        data = b"".join(p.read_bytes() for p in self.all)
        for by in ("host", "field:source.name"):
            plain = self.assert_done(run("unique", "--jsonl", "--by", by, *self.all))
            expected = table_of(plain.err)
            for done in (run("unique", "--jsonl", "--by", by, "-", data=data), run("groups", "--jsonl", "--by", by, *self.all),
                         run("report", "--jsonl", "--by", by, "--output", self.folder / "page.html", *self.all),
                         run("unique", "--jsonl", "--threads", 1, "--by", by, "-", data=data),
                         run("unique", "--input-format", "auto", "--by", by, *self.all)):
                self.assert_done(done)
                self.assertEqual(table_of(done.err), expected)
                self.assertEqual(warnings_of(done.err), warnings_of(plain.err))
            index = self.folder / "index"
            self.assert_done(run("index", "--jsonl", "--output", index, "-"))
            done = self.assert_done(run("unique", "--jsonl", "--by", by, "--add-to", index, "-", data=data))
            self.assertEqual(table_of(done.err), expected)
            again = table_of(self.assert_done(run("unique", "--jsonl", "--by", by, "--add-to", index, "-", data=data)).err)
            empty = sum(1 for r in self.records if not r["text"].strip())
            self.assertEqual(sum(r[1] for r in again.values()), empty)
            self.assertTrue(all(name in {r["id"] for r in self.records} for row in again.values() for name in row[3]))

    def test_what_is_against_is_no_source(self):
        for verb in ("unique", "groups"):
            done = self.assert_done(run(verb, "--jsonl", "--by", "file", "--against", self.all[0], self.all[1]))
            self.assertEqual(set(table_of(done.err)), {str(self.all[1])})
        # Standard output does not change with --by.
        self.assertEqual(run("groups", "--jsonl", "--by", "host", *self.all).bytes, run("groups", "--jsonl", *self.all).bytes)

    def test_tables_crawls_and_files_have_sources(self):
        table = self.write("t.csv", "id,text,lang\n1,one two three four,en\n2,one two three four,en\n3,other words in here,\n")
        done = self.assert_done(run("unique", "--input-format", "csv", "--by", "field:lang", table))
        self.assertEqual({n: r[:3] for n, r in table_of(done.err).items()}, {"en": (2, 1, 1), "(no lang)": (1, 1, 0)})
        self.assert_fails(run("unique", "--input-format", "csv", "--by", "field:language", table), 'no column "language"')
        nowhere = "no document has a text or number in field 'language'"
        self.assertIn(nowhere, self.assert_done(run("groups", "--jsonl", "--by", "field:language", *self.all)).err)
        self.assertNotIn(nowhere, run("groups", "--jsonl", "--by", "field:source.name", *self.all).err)
        record = "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {}\r\nX-Crawl: {}\r\nContent-Length: 18\r\n\r\none two three four\r\n\r\n"
        wet = self.write("c.wet.gz", gzip.compress("".join(record.format(*r) for r in (("http://a.org/1", "m"), ("http://a.org/2", "n"), ("http://b.org/", "m"))).encode()))
        for by, rows in (("host", {"a.org": (2, 1, 1), "b.org": (1, 0, 1)}), ("field:X-Crawl", {"m": (2, 1, 1), "n": (1, 0, 1)})):
            done = self.assert_done(run("unique", "--input-format", "warc", "--by", by, "--output", self.folder / "o", wet))
            self.assertEqual({n: r[:3] for n, r in table_of(done.err).items()}, rows)
        for name in ("p/a.txt", "p/b.txt", "q/c.txt"):
            self.write(name, "one two three four")
        done = self.assert_done(run("unique", "--by", "folder", self.folder / "p", self.folder / "q"))
        self.assertEqual({n: r[:3] for n, r in table_of(done.err).items()}, {str(self.folder / "p"): (2, 1, 1), str(self.folder / "q"): (1, 0, 1)})

    def test_a_banner_that_takes_most_of_a_source_is_warned_of(self):
        banner = "we value your privacy accept all cookies to go on reading this page or manage your choices here at any time"
        data = "".join(json.dumps({"id": f"a{i}", "site": "a", "text": banner}) + "\n" for i in range(40))
        data += "".join(json.dumps({"id": f"b{i}", "site": "b", "text": f"a text of its own number {i} " + " ".join(f"w{i}x{j}" for j in range(12))}) + "\n" for i in range(40))
        for quiet in ((), ("--quiet",)):
            done = self.assert_done(run("unique", "--jsonl", "--by", "field:site", *quiet, "-", data=data))
            self.assertEqual(warnings_of(done.err), ["a loses 39 of 40 documents (97.5 %), 39 of them to the group of a0",
                                                     "the group of a0 stands for 39 of the 39 documents that are dropped (100.0 %)"])
            self.assertEqual(bool(table_of(done.err)), not quiet)
        few = "".join(data.splitlines(True)[31:])  # a has only 9 documents
        self.assertEqual(warnings_of(self.assert_done(run("unique", "--jsonl", "--by", "field:site", "-", data=few)).err), [])
        half = "".join(data.splitlines(True)[20:40]) + "".join(json.dumps({"id": f"c{i}", "site": "a", "text": f"other {i} " + " ".join(f"v{i}x{j}" for j in range(12))}) + "\n" for i in range(19))
        warned = warnings_of(self.assert_done(run("unique", "--jsonl", "--by", "field:site", "-", data=half)).err)
        self.assertEqual([w.split(" ")[0] for w in warned], ["the"])  # a loses 19 of 39, not more than half

    def test_the_page_has_a_table_with_samples(self):
        page = self.folder / "page.html"
        done = self.assert_done(run("report", "--jsonl", "--by", "host", "--output", page, *self.all))
        data = json.loads(re.search(r'id="sources">(.*?)</script>', page.read_text(), re.DOTALL)[1])
        rows = table_of(done.err)
        self.assertEqual(data["by"], "host")
        self.assertEqual({s["name"]: (s["in"], s["in"] - s["dropped"], s["dropped"]) for s in data["sources"]}, {n: r[:3] for n, r in rows.items()})
        self.assertEqual(data["warnings"], warnings_of(done.err))
        texts = {r["id"]: r["text"] for r in self.records}
        for source in data["sources"]:
            self.assertTrue(source["groups"])
            for group in source["groups"]:
                self.assertEqual(group["text"], texts[group["id"]][:300])
        plain = self.folder / "plain.html"
        self.assert_done(run("report", "--jsonl", "--output", plain, *self.all))
        self.assertNotIn('id="sources"', plain.read_text())

    def test_other_forms_are_refused(self):
        for by in ("field", "field:", "folder:x", "file:", "hosts", "host:", ""):
            self.assert_fails(run("unique", "--jsonl", "--by", by, self.all[0]), f"--by '{by}'" if by != "hosts" else "--by 'hosts'", "must be field:NAME")
        self.assert_fails(run("unique", "--lines", "--by", "host", self.all[0]), "needs --jsonl")
        self.assert_fails(run("pairs", "--jsonl", "--by", "host", self.all[0]), "groups, unique, report have it")


class Audit(CommandTest):
    def setUp(self):
        super().setUp()
        self.texts = corpus(500, 22, words=16)
        self.file = self.write("all.jsonl", "".join(json.dumps({"id": f"d{i}", "text": t}) + "\n" for i, t in enumerate(self.texts)))

    def decisions(self, *options, count=30, source=None, data=b""):
        page = self.folder / "audit.html"
        done = self.assert_done(run("unique", "--jsonl", "--audit", count, page, *options, source or self.file, data=data))
        found = json.loads(re.search(r'id="decisions">(.*?)</script>', page.read_text(), re.DOTALL)[1])
        return done, found, page.read_bytes()

    def text_of(self, decision, which):
        """Returns the text, joined from the pieces of a difference that shows the whole text."""
        pieces = decision["pieces"]
        return "".join(t for what, t in zip(pieces[::2], pieces[1::2]) if what == "=" or what == which)

    def test_decisions_are_those_that_were_made(self):
        sets = {f"d{i}": words(t, 2) for i, t in enumerate(self.texts)}
        texts = {f"d{i}": t for i, t in enumerate(self.texts)}
        for options in ([], ["--exact"], ["--similarity", "0.6"], ["--keep", "longest"]):
            with self.subTest(options=options):
                done, page, _ = self.decisions("--dropped", self.folder / "gone", *options)
                self.assertEqual(done.bytes, run("unique", "--jsonl", *options, self.file).bytes)
                gone = {(d["id"], d["kept"]) for d in map(json.loads, (self.folder / "gone").read_text().splitlines())}
                kept = {json.loads(line)["id"] for line in done.text.splitlines()}
                least = float(options[1]) if options[:1] == ["--similarity"] else 0.8
                self.assertEqual(len(page["decisions"]), 30)
                self.assertGreaterEqual(sum(d["dropped"] for d in page["decisions"]), 15)
                self.assertGreater(sum(not d["dropped"] for d in page["decisions"]), 3)
                self.assertEqual(len({d["id"] for d in page["decisions"] if d["dropped"]}), sum(d["dropped"] for d in page["decisions"]))
                for d in page["decisions"]:
                    similarity = jaccard(sets[d["id"]], sets[d["other"]])
                    self.assertLessEqual(abs(float(d["similarity"]) - similarity), 0.001)
                    self.assertEqual(self.text_of(d, "-"), texts[d["other"]])
                    self.assertEqual(self.text_of(d, "+"), texts[d["id"]])
                    if d["dropped"]:
                        self.assertIn((d["id"], d["other"]), gone)
                    else:
                        self.assertLessEqual({d["id"], d["other"]}, kept)
                        self.assertGreaterEqual(similarity, least - 0.15 - 1e-9)
                        if "--exact" in options:
                            self.assertLess(similarity, least)
                            # The document shown beside it is the nearest kept one.
                            self.assertEqual(similarity, max(jaccard(sets[d["id"]], sets[k]) for k in kept if k != d["id"]))

    def test_the_seed_chooses_and_repeats(self):
        _, first, page = self.decisions()
        self.assertEqual(self.decisions()[2], page)
        self.assertEqual(self.decisions("--threads", 1)[2], page)
        chosen = lambda found: [(d["id"], d["other"]) for d in found["decisions"]]
        self.assertNotEqual(chosen(self.decisions("--seed", 5)[1]), chosen(first))
        self.assertEqual(self.decisions("--seed", 5)[1]["seed"], 5)
        # A pipe and a packed file give the same page.
        data = self.file.read_bytes()
        self.assertEqual(self.decisions(source="-", data=data)[1], first)
        packed = self.write("all.jsonl.gz", gzip.compress(data))
        self.assertEqual(self.decisions(source=packed)[1], first)

    def test_fingerprints_and_other_checks_are_audited_as_well(self):
        for options in (["--distance", "5"], ["--check", "edit", "--similarity", "0.8"], ["--check", "cosine"], ["--check", "containment"]):
            _, page, _ = self.decisions(*options, count=40)
            self.assertGreater(sum(d["dropped"] for d in page["decisions"]), 10)
            if options[0] == "--distance":
                near = [d for d in page["decisions"] if not d["dropped"]]
                self.assertTrue(near)
                self.assertTrue(all(d["distance"] <= 13 for d in near))

    def test_few_decisions_are_all_of_them(self):
        texts = ["one two three four five six", "one two three four five six", "quite other words than these are here"]
        file = self.write("few.jsonl", "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in enumerate(texts)))
        _, page, _ = self.decisions(source=file)
        self.assertEqual([(d["id"], d["other"], d["dropped"]) for d in page["decisions"]], [("1", "0", True)])
        self.assertEqual(self.decisions(source=self.write("none.jsonl", ""))[1]["decisions"], [])

    def test_an_index_has_no_text_to_show(self):
        index = self.folder / "index"
        self.assert_done(run("index", "--jsonl", "--output", index, self.file))
        more = self.write("more.jsonl", self.file.read_text().replace('"id": "d', '"id": "e'))
        _, page, _ = self.decisions("--against", index, source=more)
        self.assertTrue(all(d["pieces"] == [] and d["against"] for d in page["decisions"] if d["dropped"]))

    def test_nothing_in_a_text_is_html(self):
        text = "</script><script>alert(1)</script> <!-- one two three four five"
        file = self.write("h.jsonl", "".join(json.dumps({"id": f"<b>{i}", "text": text}) + "\n" for i in range(3)))
        page = self.folder / "h.html"
        self.assert_done(run("unique", "--jsonl", "--audit", 5, page, "--output", self.folder / "o", file))
        body = page.read_text()
        self.assertEqual(body.count("<script"), 2)
        self.assertNotIn("<b>", body)
        self.assertNotIn("alert(1)</script>", body)

    def test_what_does_not_go_together_is_refused(self):
        index = self.folder / "index"
        self.assert_done(run("index", "--jsonl", "--output", index, self.file))
        page = self.folder / "p.html"
        for options, said in ((("--audit", 0, page), "must be from 1 to"), (("--audit", "x", page), "not a whole number"),
                              (("--audit", 5, page, "--add-to", index), "--audit with --add-to"),
                              (("--audit", 5, self.file), "is also an input"), (("--audit", 5, page, "--output", page), "name the same file"),
                              (("--audit", 5, "-"), "--audit -")):
            with self.subTest(options=options):
                self.assert_fails(run("unique", "--jsonl", *options, self.file), said)
        self.assert_fails(run("unique", "--jsonl", self.file, "--audit", 5), "--audit takes a number and the name of a file")
        self.assertFalse(page.exists())


if __name__ == "__main__":
    main()
