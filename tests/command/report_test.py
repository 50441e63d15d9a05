"""neardup diff and neardup report: the marked differences, and the page in a browser."""

import html
import json
import os
import random
import re
import sys

from harness import A, B, SANITIZED, SOURCE, CommandTest, corpus, effort, jsonl, run, unittest

sys.path.insert(0, str(SOURCE / "tools"))
import chromium


def pieces_of(folder, before, after):
    (folder / "before").write_bytes(before.encode())
    (folder / "after").write_bytes(after.encode())
    done = run("diff", "--format", "jsonl", folder / "before", folder / "after")
    assert done.status == 0, done.err
    return [next(iter(row.items())) for row in done.json]


def longest_common(a, b):
    row = [0] * (len(b) + 1)
    for x in a:
        previous = row[:]
        for j, y in enumerate(b):
            row[j + 1] = previous[j] + 1 if x == y else max(previous[j + 1], row[j])
    return row[-1]


class Most(CommandTest):
    def groups_on(self, page):
        return [json.loads(data) for data in re.findall('class="group"[^>]*>(.*?)</script>', page)]

    def test_the_largest_groups_are_on_the_page(self):
        sizes = [2, 5, 3, 5, 2, 4]
        texts = [" ".join(f"g{g}w{i}" for i in range(20)) for g, size in enumerate(sizes) for _ in range(size)]
        page = self.folder / "page.html"
        data = jsonl(texts)
        whole = self.assert_done(run("report", "--jsonl", "--output", page, "-", data=data))
        groups = self.groups_on(page.read_text())
        self.assertEqual([len(group) for group in groups], sizes)
        self.assertNotIn("largest", whole.err)
        self.assertNotIn("left-out", page.read_text().split("<script>")[0])
        for most, shown in ((1, [1]), (3, [1, 3, 5]), (5, [0, 1, 2, 3, 5]), (6, range(6)), (100, range(6))):
            done = self.assert_done(run("report", "--jsonl", "--most", most, "--output", page, "-", data=data))
            self.assertEqual(self.groups_on(page.read_text()), [groups[i] for i in shown])
            self.assertIn("6 groups of near-duplicates, 21 documents in them", done.err)
            if len(shown) == 6:
                self.assertNotIn("largest", done.err)
                continue
            rest = sum(sizes) - sum(sizes[i] for i in shown)
            name = "group" if most == 1 else "groups"
            self.assertIn(f"the page has the {most} largest {name} of 6; the others have {rest} documents", done.err)
            left_out = re.search('id="left-out">(.*?)</script>', page.read_text())
            self.assertEqual(json.loads(left_out[1]), {"groups": 6 - most, "documents": rest})
        self.assert_fails(run("report", "--most", "0", "--output", page, "-"), "--most 0: must be from 1")

    def test_a_large_page_is_said(self):
        page = self.folder / "page.html"
        data = "".join(json.dumps({"id": "x" * 20_000 + str(i), "text": A}) + "\n" for i in range(1100))
        done = self.assert_done(run("report", "--jsonl", "--output", page, "-", data=data))
        size = page.stat().st_size // 10**6
        self.assertGreaterEqual(size, 20)
        self.assertIn(f"the page has {size} MB, which a browser is slow with; --most N writes the N largest groups only", done.err)


class Head(CommandTest):
    def head(self, *options, data=None):
        page = self.folder / "page.html"
        texts = [" ".join(f"g{g}w{i}" for i in range(20)) for g in range(3) for _ in range(2)] + [B]
        self.assert_done(run("report", "--jsonl", *options, "--output", page, "-", data=data or jsonl(texts)))
        return html.unescape(re.search('<p id="run">(.*?)</p>', page.read_text())[1])

    def test_a_time_that_is_none_is_refused(self):
        page = self.folder / "page.html"
        for time in ("-5", "xyz", "12x", "1.5", "253402300800", "9223372036854775808"):
            done = run("report", "--lines", "--output", page, "-", data=A, env=dict(os.environ, SOURCE_DATE_EPOCH=time))
            self.assert_fails(done, f"SOURCE_DATE_EPOCH={time}: seconds since 1970, below 253402300800")
        self.assert_done(run("report", "--lines", "--output", page, "-", data=A, env=dict(os.environ, SOURCE_DATE_EPOCH="")))
        self.assertNotIn("1970", page.read_text())

    def test_it_says_of_how_many_documents_by_which_rule_and_when(self):
        of = "7 documents were compared. Two documents are near-duplicates if "
        for options, rule in (
            ((), "the Jaccard similarity of their features (words:2) is at least 0.8"),
            (("--similarity", "0.5", "--check-features", "chars:3"), "the Jaccard similarity of their features (chars:3) is at least 0.5"),
            (("--check", "containment"), "the share of the smaller one's features (words:2) in the other is at least 0.8"),
            (("--check", "cosine"), "the cosine of their features (words:2) is at least 0.8"),
            (("--check", "edit"), "the edit similarity of their texts is at least 0.8"),
            (("--distance", "5"), "their simhash fingerprints of 64 bits (words:2) differ in at most 5 bits"),
            (("--distance", "1", "--min-similarity", "0.9"), "the Jaccard similarity of their features (words:2) is at least 0.9, and "
             "their simhash fingerprints of 64 bits (words:2) differ in at most 1 bit"),
            (("--distance", "5", "--weights", "tfidf", "--top", "9"), "their simhash fingerprints of 64 bits (words:2, --weights "
             "tfidf, --top 9) differ in at most 5 bits"),
            (("--distance", "5", "--weights", "levels:5"), "their simhash fingerprints of 64 bits (words:2, --weights levels:5:tf) "
             "differ in at most 5 bits"),
            (("--distance", "5", "--check", "cosine", "--weights", "tf", "--min-similarity", "0.9"), "the cosine of their features "
             "(words:2, --weights tf) is at least 0.9, and their simhash fingerprints of 64 bits (words:2, --weights tf) differ in at "
             "most 5 bits"),
            (("--grouping", "components"), "the Jaccard similarity of their features (words:2) is at least 0.8. A group has all that "
             "chains of near-duplicates connect (--grouping components)"),
            (("--same", "numbers"), "the Jaccard similarity of their features (words:2) is at least 0.8, and they agree by --same numbers"),
        ):
            with self.subTest(options=options):
                self.assertEqual(self.head(*options), f"{of}{rule}. Written 2023-11-14 22:13 UTC.")
        other = self.write("other.jsonl", jsonl([A, B]))
        self.assertIn("7 documents were compared with 2 others. ", self.head("--against", other))
        words = self.write("<words> & more", "not\n")
        self.assertIn(f"--same words:{words}", self.head("--same", f"words:{words}"))

    def test_the_head_is_not_code(self):
        page = self.folder / "page.html"
        words = self.write("<b>", "not\n")
        self.assert_done(run("report", "--jsonl", "--same", f"words:{words}", "--output", page, "-", data=jsonl([A, A])))
        self.assertIn("/&lt;b&gt;", page.read_text())
        self.assertNotIn("<b>", page.read_text())


class Diff(CommandTest):
    def test_the_pieces_are_the_texts_and_the_fewest_changes(self):
        rng = random.Random(7)
        for _ in range(effort(50, 150)):
            # Each Chinese character and each line end is a word. No word contains a space.
            a, b = ("".join(rng.choice("甲\n乙丙丁"[: rng.randrange(1, 6)]) for _ in range(rng.randrange(40))) for _ in "ab")
            pieces = pieces_of(self.folder, a, b)
            self.assertEqual("".join(text for what, text in pieces if what != "added"), a)
            self.assertEqual("".join(text for what, text in pieces if what != "removed"), b)
            changed = sum(len(text) for what, text in pieces if what != "same")
            self.assertEqual(changed, len(a) + len(b) - 2 * longest_common(a, b), (a, b))
            self.assertTrue(all(p[0] != q[0] for p, q in zip(pieces, pieces[1:])))

    def test_long_texts(self):
        rng = random.Random(8)
        count = 12000 if SANITIZED else 60000
        words = [f"w{rng.randrange(5000)}" for _ in range(count)]
        others = [w if rng.random() > 0.05 else f"x{rng.randrange(5000)}" for w in words]
        unlike = [f"w{rng.randrange(5000)}" for _ in range(count)]
        for b, most in ((others, count // 6), (unlike, 2 * count)):
            pieces = pieces_of(self.folder, " ".join(words), " ".join(b))
            self.assertEqual("".join(text for what, text in pieces if what != "added"), " ".join(words))
            self.assertEqual("".join(text for what, text in pieces if what != "removed"), " ".join(b))
            self.assertLess(sum(len(text.split()) for what, text in pieces if what != "same"), most)

    def test_words_and_what_stands_around_them(self):
        a = self.write("a", "the quick brown fox\n" + "same\n" * 9 + "今天天气很好\n\x1b[31m\n")
        b = self.write("b", "a slow brown fox\n" + "same\n" * 9 + "今天天氣不好\nnew\n\x1b[31m\n")
        done = self.assert_done(run("diff", "--context", 1, a, b))
        self.assertEqual(
            done.text,
            "@@ -1 +1 @@\n[-the quick-]{+a slow+} brown fox\nsame\n"
            "@@ -10 +10 @@\nsame\n今天天[-气很-]{+氣不+}好\n{+new↵+}\n\\x1b[31m\n",
        )
        colored = self.assert_done(run("diff", "--color", "always", "--context", 0, a, b)).text
        self.assertIn("\x1b[31mthe quick\x1b[m\x1b[32ma slow\x1b[m brown fox\n", colored)
        self.assertEqual(run("diff", a, a).text, "")
        self.assertEqual(run("diff", a, "-", data=a.read_bytes()).text, "")

    def test_what_cannot_be_compared(self):
        a = self.write("a", A)
        self.assert_fails(run("diff", a), "diff compares two files, and 1 is named")
        self.assert_fails(run("diff", a, self.folder / "none"), "none")
        self.assert_fails(run("diff", "-", "-"), "only once")
        self.assert_fails(run("diff", "--color", "sometimes", a, a), "--color 'sometimes'")
        self.assert_fails(run("diff", "--output", a, a, a), "is also an input")


HOSTILE = '</script><script>document.title = "taken"</script><!-- <img src=x onerror="document.title=1"> " \' & \\ {{groups}}'


class Page(CommandTest):
    """Each script runs after the script of the page, and leaves its answer in an element of the document."""

    def ask(self, page, script):
        """Returns the JSON that the script passes to `answer` in a browser."""
        if chromium.PROGRAM is None:
            self.skipTest("chromium is not there")
        asking = self.folder / "asking.html"
        tell = "const answer = found => document.body.append(element('output', 'found', JSON.stringify(found)));"
        text = page.read_text(encoding="utf-8")
        asking.write_text(text.replace("</body>", f"<script>{tell}\n{script}</script></body>"), encoding="utf-8")
        found = re.search(r'<output class="found">(.*?)</output>', chromium.dump_dom(asking.as_uri()), re.DOTALL)
        self.assertIsNotNone(found, "the page has not answered")
        return json.loads(html.unescape(found[1]))


class Report(Page):
    def page(self, data, *options):
        page = self.folder / "page.html"
        source = self.write("in.jsonl", data)
        self.assert_done(run("report", "--jsonl", "--similarity", 0.5, *options, source, "--output", page))
        return page

    def test_thousands_of_groups_are_shown_some_at_a_time_sorted_and_filtered(self):
        rng = random.Random(3)
        rows = []
        for group in range(5000):
            text = [f"w{rng.randrange(100000)}" for _ in range(30)]
            for member in range(2 + group % 3):
                rows.append({"id": f"g{group}m{member}", "text": " ".join(text)})
                text[rng.randrange(30)] = f"changed{group}"
        page = self.page("".join(json.dumps(row) + "\n" for row in rows))
        found = self.ask(
            page,
            """
            const set = (id, value) => { byId(id).value = value; byId(id).dispatchEvent(new Event('input', {bubbles: true})); };
            const heads = () => [...document.querySelectorAll('details.group > summary .name')].map(e => e.textContent);
            const found = {groups: groups.length, parsed: groups.filter(g => g.members).length, bySize: heads().slice(0, 2)};
            found.begin = performance.now();
            set('sort', 'input');
            found.first = heads().slice(0, 2);
            set('find', 'changed4321 g4321m0');
            found.filtered = heads();
            found.end = performance.now();
            found.summary = byId('summary').textContent;
            const view = document.querySelector('details.group');
            view.open = true;
            view.addEventListener('toggle', () => setTimeout(() => {
              found.marks = [...view.querySelectorAll('.mark')].map(e => e.textContent);
              found.removed = [...view.querySelectorAll('del')].map(e => e.textContent);
              found.added = [...view.querySelectorAll('ins')].map(e => e.textContent);
              found.sides = [...view.querySelectorAll('tbody tr:first-child td')].map(e => e.textContent);
              answer(found);
            }, 100));
            """,
        )
        self.assertEqual(found["groups"], 5000)
        self.assertLess(found["parsed"], 600)
        self.assertEqual(found["first"], ["g0m0", "g1m0"])
        self.assertEqual(found["bySize"], ["g2m0", "g5m0"])
        self.assertEqual(found["filtered"], ["g4321m0"])
        self.assertIn("1 group of 5,000", found["summary"])
        self.assertLess(found["end"] - found["begin"], 5000)
        self.assertEqual(found["marks"], ["kept"] + ["dropped"] * (1 + 4321 % 3))
        self.assertEqual(found["added"], ["changed4321"])
        self.assertEqual(len(found["removed"]), 1)
        texts = {row["id"]: row["text"] for row in rows}
        self.assertEqual(found["sides"], [texts["g4321m0"], texts["g4321m1"]])

    def test_the_largest_groups_come_first_with_the_least_similarity(self):
        base = [f"word{i}" for i in range(30)]
        rows = [["one", "two", "three", "four", f"end{i}"] for i in range(2)]
        rows += [base, base, ["x", *base], *[["y", *base, *base[:5]]] * 3, ["z"] * 9, ["z"] * 9, ["z"] * 9, [*base, *base, "q"]]
        page = self.page(jsonl([" ".join(row) for row in rows]))
        shown = self.ask(page, "answer([...document.querySelectorAll('details.group > summary')].map(e => e.textContent));")
        listed = run("groups", "--jsonl", "--format", "jsonl", "--similarity", 0.5, "-", data=jsonl([" ".join(r) for r in rows])).json
        def line(group):
            least = min(member["similarity"] for member in group["members"])
            text = f"{int(least * 1000 + 1e-9) / 1000:.3f}"
            exactly = least == 1 or group["size"] == 2
            return f"{group['size']} documents {'' if exactly else '≥ '}{text} {group['members'][0]['id']}"
        self.assertEqual(shown, [line(g) for g in sorted(listed, key=lambda g: -g["size"])])
        self.assertEqual({True, False}, {"≥" in text for text in shown})
        self.assertTrue(any(" 1.000 " in text for text in shown))

    def test_the_audit_page_says_what_it_shows(self):
        page = self.folder / "audit.html"
        data = jsonl([A, A + " again", B, " ".join(A.split()[:14] + ["other", "words", "come", "now"])])
        self.assert_done(run("unique", "--jsonl", "--audit", 5, page, "--similarity", 0.7, "-", data=data))
        self.assertEqual(
            self.ask(page, "answer(byId('summary').textContent);"),
            "Of 4 documents this page shows 3 decisions, chosen at random with seed 0. Dropped documents (1) are on the right, "
            "with the kept document that represents them on the left. Kept documents (2) are on the right, with another kept "
            "document on the left that is almost similar enough. Two documents are near-duplicates if the Jaccard similarity "
            "of their features (words:2) is at least 0.7.")

    def test_judged_decisions_are_labels(self):
        page = self.folder / "audit.html"
        file = self.write("c.jsonl", jsonl([A, A + " again", B, " ".join(A.split()[:14] + ["other", "words", "come", "now"])]))
        self.assert_done(run("unique", "--jsonl", "--audit", 5, page, "--similarity", 0.7, "--output", self.folder / "o", file))
        decisions = json.loads(re.search(r'id="decisions">(.*?)</script>', page.read_text(), re.DOTALL)[1])["decisions"]
        self.assertEqual({d["dropped"] for d in decisions}, {True, False})
        for verdict in ("right", "wrong"):
            which = 0 if verdict == "right" else 1
            saved = self.ask(
                page,
                f"""
                const before = labels();
                document.querySelectorAll('section.decision').forEach(
                  (view, i) => {{ if (i > 0) view.querySelectorAll('input')[{which}].click(); }});
                answer([before, labels(), document.querySelectorAll('#save').length]);
                """,
            )
            self.assertEqual((saved[0], saved[2]), ("", 1))
            self.assertEqual([json.loads(line) for line in saved[1].splitlines()],
                             [{"a": d["id"], "b": d["other"], "same": d["dropped"] == (verdict == "right")} for d in decisions[1:]])

    def test_nothing_in_texts_and_names_breaks_out(self):
        base = " ".join(f"word{i}" for i in range(30))
        rows = [{"id": f"{HOSTILE} {i}", "text": f"{base} {HOSTILE} {i}\n\u2028"} for i in range(2)]
        page = self.page("".join(json.dumps(row) + "\n" for row in rows))
        self.assertEqual(page.read_text(encoding="utf-8").count("</script>"), 2)
        found = self.ask(
            page,
            """
            const view = document.querySelector('details.group');
            view.open = true;
            view.addEventListener('toggle', () => setTimeout(() => answer({
              title: document.title, images: document.images.length, names: [...view.querySelectorAll('th')].map(e => e.textContent),
              sides: [...view.querySelectorAll('tbody tr:first-child td')].map(e => e.textContent)}), 100));
            """,
        )
        self.assertEqual((found["title"], found["images"]), ("Near-duplicates", 0))
        self.assertEqual(found["names"], [row["id"] for row in rows])
        self.assertEqual(found["sides"], [row["text"].split("\n")[0] for row in rows])

    def test_it_has_the_groups_that_groups_has(self):
        data = jsonl(corpus(400, 5))
        for options in ((), ("--keep", "longest")):
            page = self.page(data, *options).read_text(encoding="utf-8")
            shown = [json.loads(text) for text in re.findall(r'class="group"[^>]*>(.*?)</script>', page)]
            listed = run("groups", "--jsonl", "--format", "jsonl", "--similarity", 0.5, *options, "-", data=data).json
            self.assertEqual([[m["id"] for m in group] for group in shown],
                             [[m["id"] for m in group["members"]] for group in listed])
            self.assertGreater(len(shown), 20)

    def test_files_lines_and_another_corpus(self):
        self.write("in/a", A)
        self.write("in/b", A + " <b>\n")
        other = self.write("other/c", A + " c")
        for options, marks in (((), 0), (("--against", other), 1)):
            page = self.assert_done(run("report", self.folder / "in", *options)).text
            self.assertEqual(page.count('"against":true'), marks)
            self.assertIn('["=",', page)
        index = self.folder / "index"
        self.assert_done(run("index", "--output", index, other))
        page = self.assert_done(run("report", self.folder / "in", "--against", index)).text
        self.assertEqual(page.count('"pieces"'), 0)
        page = self.assert_done(run("report", "--lines", "-", data=f"{A}\n{A} d\n")).text
        self.assertIn('"+"," d"', page)
        self.assert_fails(run("report", "--fingerprints", other), "there are no texts")


class PassagesPage(Page):
    """The page of --passages has the passages that the verb passages lists."""

    def passages_of(self, data, *options):
        done = self.assert_done(run("report", "--jsonl", *options, "-", data=data))
        rows = [json.loads(row) for row in re.findall(r'class="passage">(.*?)</script>', done.text)]
        return rows, json.loads(re.search(r'id="totals">(.*?)</script>', done.text)[1]), done

    def test_it_has_the_passages_that_passages_lists(self):
        rng = random.Random(81)
        texts = [" ".join(rng.choice("abcde\u00e4") for _ in range(rng.randrange(60))) for _ in range(40)]
        data = jsonl(texts)
        for length in (2, 4, "bytes:6"):
            for more in ((), ("--least-documents", 3), ("--against", self.write("earlier.jsonl", jsonl(texts[:9])))):
                with self.subTest(length=length, more=more):
                    listed = run("passages", "--jsonl", "--length", length, *more, "--format", "jsonl", "-", data=data)
                    rows, totals, done = self.passages_of(data, "--passages", length, *more)
                    unit = "bytes" if "bytes" in str(length) else "words"
                    one = lambda row: {"length": f"{row[unit]:,} {unit}", "documents": row["documents"], "text": row["passage"],
                                       "first": row["first"], "again": row["again"][:100], "places": len(row["again"])}
                    self.assertEqual(rows, [one(row) for row in listed.json])
                    self.assertGreater(len(rows), 5)
                    covered = set()  # the bytes of further places
                    for row in listed.json:
                        for place in row["again"]:
                            begin = place["offset"]
                            covered.update((place["id"], i) for i in range(begin, begin + place["length"]) if not place.get("against"))
                    wanted = {"passages": len(rows), "places": sum(row["places"] for row in rows), "unit": unit,
                              "longest": max(row[unit] for row in listed.json), "repeated": len(covered),
                              "bytes": sum(len(text.encode()) for text in texts)}
                    self.assertEqual(totals, wanted)
                    self.assertIn(f": {len(rows):,} passages at ", done.err)

    def test_the_longest_passages_are_on_the_page(self):
        data = jsonl(["a b c d e f", "x a b c d e f", "y b c d", "c d"])
        rows, totals, _ = self.passages_of(data, "--passages", 2)
        self.assertEqual([row["text"] for row in rows], ["a b c d e f", "b c d", "c d"])
        some, of_some, done = self.passages_of(data, "--passages", 2, "--most", 1)
        self.assertEqual((some, of_some), (rows[:1], totals))
        self.assertIn("the page has the 1 longest passage of 3", done.err)
        self.assertNotIn("similarity", done.err)
        self.assertEqual(self.passages_of(data, "--passages", 7)[:2], ([], {**totals, "passages": 0, "places": 0, "longest": 0, "repeated": 0}))

    def test_nothing_in_texts_and_names_breaks_out(self):
        text = f"{HOSTILE} one two three"
        rows, _, done = self.passages_of("".join(json.dumps({"id": f"{HOSTILE}{i}", "text": text}) + "\n" for i in range(2)), "--passages", 3)
        self.assertEqual(done.text.count("</script>"), 3)  # the scripts of the passage, the totals and the page
        self.assertEqual((rows[0]["first"]["id"], rows[0]["again"][0]["id"]), (HOSTILE + "0", HOSTILE + "1"))

    def test_refuses_what_does_not_go_together(self):
        text = self.write("a.txt", A)
        for options, said in (
            (("--passages", 0), "--passages"),
            (("--passages", 5, "--similarity", 0.8), "--similarity has no effect with --passages"),
            (("--passages", 5, "--keep", "longest"), "--keep has no effect with --passages"),
            (("--least-documents", 2), "--least-documents needs --passages"),
        ):
            self.assert_fails(run("report", *options, text), said)

    def test_a_browser_shows_them(self):
        page = self.folder / "page.html"
        data = jsonl(["a b c d e f", "x a b c d e f", "y b c d"])
        self.assert_done(run("report", "--jsonl", "--passages", 2, "--output", page, "-", data=data))
        found = self.ask(
            page,
            """
            const view = document.querySelector('details.group');
            view.open = true;
            view.addEventListener('toggle', () => setTimeout(() => answer({
              summary: byId('summary').textContent, groups: document.querySelectorAll('details.group').length,
              shown: [...view.querySelectorAll('.passage-text, .member')].map(e => e.textContent)}), 100));
            """,
        )
        self.assertEqual(found["summary"], "2 passages at 2 further places, with 51.6 % of the text; the longest has 6 words")
        self.assertEqual(found["groups"], 2)
        self.assertEqual(found["shown"], ["a b c d e f", "first d0, byte 0", "again d1, byte 2"])


if __name__ == "__main__":
    unittest.main()
