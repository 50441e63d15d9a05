#!/usr/bin/env python3
"""Tests the search for articles that contain a clue."""
import json
import pathlib
import random
import re
import signal
import sys
import unittest
import urllib.parse

from harness import FIRST, Service, TestCase, article, longest_run, pairs_of, sentence, words_of, main

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/command")]
import chromium
from passage_oracle import passage


class Clues(TestCase):
    """Compares GET /find with comparing the clue to every kept article."""
    options = ("--clues", "yes")

    def find(self, clue, **parameters):
        status, found = self.service.request("GET", "/find?" + urllib.parse.urlencode({"clue": clue} | parameters))
        self.assertEqual(status, 200, found)
        return found

    def kept(self):
        """Returns the docIds and kept articles of all documents, by age."""
        found, after = [], ""
        while lines := self.service.request("GET", "/docs?limit=1000" + after)[1].splitlines():
            found += [json.loads(line) for line in lines]
            after = "&after=" + found[-1]["docId"]
        return [(one["docId"], one["article"]) for one in found]

    def check(self, clue, share=0.5, limit=10):
        wanted = pairs_of(clue)
        all_kept = self.kept()
        common = [len(wanted & pairs_of(article["content"])) for _, article in all_kept]
        order = sorted((i for i, n in enumerate(common) if n and n >= share * len(wanted)), key=lambda i: (-common[i], i))
        runs = {i: longest_run(clue, all_kept[i][1]["content"]) for i in order[:100]}
        order = sorted(order[:100], key=lambda i: (-common[i], -runs[i]))[:limit]
        found = self.find(clue, share=share, limit=limit)
        self.assertEqual(
            [(one["docId"], one["share"], one["run"], one["nid"], one["url"], one["title"]) for one in found],
            [(all_kept[i][0], common[i] / len(wanted), runs[i], *(all_kept[i][1][name] for name in ("nid", "url", "title")))
             for i in order])
        for one, i in zip(found, order):
            content = all_kept[i][1]["content"].encode()
            place = one["passage"]
            begin, end = place["offset"], place["offset"] + place["length"]
            inside = content[begin:end].decode()
            self.assertTrue(pairs_of(inside) & wanted, inside)
            self.assertLessEqual(len(words_of(inside)), len(words_of(clue)) * 5 // 4)
            text = content.decode()
            _, first, last, _ = passage(clue, [text])
            self.assertEqual((begin, end), (len(text[:first].encode()), len(text[:last].encode())))
            if " … " not in place["text"]:
                self.assertEqual(place["text"], " ".join(inside.split()))
            self.assertTrue(" ".join(content[:begin].decode().split()).endswith(place["before"].lstrip("…").strip()))
            self.assertTrue(" ".join(content[end:].decode().split()).startswith(place["after"].rstrip("…").strip()))
        return found

    def text(self, make, is_chinese):
        words = "天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往秋收冬藏" if is_chinese else [f"W{i}" for i in range(40)]
        return ("" if is_chinese else " ").join(make.choice(words) for _ in range(make.randrange(1, 120)))

    def test_as_by_comparing_all(self):
        make = random.Random(7)
        clues = []
        for round_number in range(8):
            for i in range(round_number * 30, round_number * 30 + 30):
                text = self.text(make, i % 2)
                one = article(i, nid=f"n{i}", content=text + ". ", heat=make.randrange(3))
                self.service.doc_id(one)
                if make.random() < 0.3:  # sends another article of a document; it may be hotter
                    self.service.doc_id(one | {"nid": f"copy{i}", "url": f"copy{i}", "heat": make.randrange(4),
                                               "content": text + " " + self.text(make, i % 2)[:9]})
            for _ in range(6):  # changes text and heat of known articles, and deletes some of them
                i = make.randrange((round_number + 1) * 30)
                self.service.doc_id(article(i, nid=f"n{i}", content=self.text(make, i % 2), heat=make.randrange(3)))
                for nid in (f"n{make.randrange((round_number + 1) * 30)}", f"copy{i}"):
                    self.service.request("DELETE", "/articles/" + nid)
            if round_number % 3 == 1:
                self.restart()
            texts = [one["content"] for _, one in self.kept() if len(words_of(one["content"])) > 3]
            for _ in range(12):
                words = words_of(make.choice(texts))
                begin = make.randrange(len(words) - 2)
                part = words[begin : begin + make.randrange(2, 20)]
                if make.random() < 0.5:
                    part[make.randrange(len(part))] = "other"
                clue = " ".join(part)
                if len(part) > 1:
                    self.check(clue, share=make.choice([0, 0.2, 0.5, 0.8, 1]), limit=make.choice([1, 10, 100]))
                    clues.append(clue)
        found = [self.find(clue) for clue in clues]
        self.restart()
        self.assertEqual([self.find(clue) for clue in clues], found)
        self.assertTrue(any(found))

    def test_long_articles_in_two_languages(self):
        make = random.Random(1)
        english = "The ferry leaves the north pier at seven in the morning and returns at noon, every day but Sunday"
        chinese = "海量網絡文本去重系統實驗測試，這是一段測試文本的內容"
        fill = [sentence(i, 400) for i in range(20)]
        zh = ["".join(chr(0x4e00 + make.randrange(3000)) for _ in range(2000)) for _ in range(20)]
        contents = [f"{text}. {english}. {text[::-1]}" if i == 7 else text for i, text in enumerate(fill)]
        contents += [f"{text}。{chinese}。{text[::-1]}" if i == 7 else text for i, text in enumerate(zh)]
        names = self.doc_ids(article(i, content=content) for i, content in enumerate(contents))
        for clue, changed, number in ((english, english.replace("seven", "eight"), 7), (chinese, chinese.replace("測試", "試驗"), 27)):
            for asked in (clue, changed, clue[: len(clue) // 2]):
                one, = self.check(asked)
                self.assertEqual(one["docId"], names[number])
                self.assertIn(one["passage"]["text"], clue)
        one, = self.find(english)
        self.assertEqual((one["share"], one["run"], one["passage"]["text"]), (1.0, 19, english))

    def test_the_100_with_the_largest_shares_are_ranked_by_their_runs(self):
        # All articles contain the four pairs of the clue, but in runs of different lengths; the 101st contains the
        # whole clue.
        contents = [sentence(i, 60) + " a b c zz c d e" for i in range(100)] + [sentence(100, 60) + " a b c d e"]
        names = self.doc_ids(article(i, content=content) for i, content in enumerate(contents))
        self.assertEqual([one["docId"] for one in self.check("a b c d e", limit=3)], names[:3])
        self.assertEqual(self.service.request("DELETE", "/articles/" + urllib.parse.quote(article(5)["url"], safe=""))[0], 200)
        self.assertEqual([one["docId"] for one in self.check("a b c d e", limit=3)], [names[100], *names[:2]])

    def test_many_texts_of_one_article(self):
        self.service.post([article(0, nid="a", content=sentence(f"v{i}", 40)) for i in range(3000)])
        other = self.service.doc_id(article(1, content=sentence("v2998", 40) + " and more"))
        last = sentence("v2999", 40)
        one, = self.check(last)
        self.assertEqual(one["nid"], "a")
        one, = self.check(sentence("v2998", 40))
        self.assertEqual(one["docId"], other)
        self.assertEqual(self.find(sentence("v5", 40)), [])
        before = self.bytes()
        self.service.post([article(0, nid="a", content=sentence(f"w{i}", 40)) for i in range(3000)])
        self.service.request("DELETE", "/articles/a")
        self.assertEqual([one["docId"] for one in self.check(sentence("v2998", 40), share=0)], [other])
        self.assertLess(self.bytes(), 2 * before)

    def test_few_long_articles_that_are_gone_leave_nothing(self):
        make = random.Random(3)
        long_ones = [article(i, nid=f"n{i}", title="", content=" ".join(str(make.randrange(10**6)) for _ in range(20000)))
                     for i in range(20)]
        self.doc_ids(long_ones)
        self.find("1 2")
        before = self.bytes()
        self.assertGreater(before, 20 * 20000 * 12)
        for i in range(1, 20):
            self.assertEqual(self.service.request("DELETE", f"/articles/n{i}")[0], 200)
        self.find("1 2")
        self.assertLess(self.bytes(), before / 4)  # at most twice the memory of the remaining article, and 2 MB
        words = long_ones[0]["content"].split()
        self.assertEqual([one["nid"] for one in self.find(" ".join(words[500:520]))], ["n0"])
        self.assertEqual(self.service.request("DELETE", "/articles/n0")[0], 200)
        self.assertEqual(self.find(" ".join(words[500:520])), [])
        self.assertLess(self.bytes(), 10000)

    def test_memory_of_updates_is_given_back(self):
        for round_number in range(4):
            self.doc_ids(article(i, nid=f"n{i}", title="", content=sentence(f"{round_number} {i}", 3000)) for i in range(40))
            self.find("a b")
            if round_number == 0:
                first = self.bytes()
        self.assertLess(self.bytes(), 2 * first + 2**21)
        one, = self.check(" ".join(sentence("3 7", 3000).split()[100:120]))
        self.assertEqual(one["nid"], "n7")
        self.assertEqual(self.find(" ".join(sentence("2 7", 3000).split()[100:120])), [])

    def test_memory_of_what_is_deleted_is_given_back(self):
        self.doc_ids(article(i, nid=f"n{i}", content=sentence(i, 60)) for i in range(1200))
        self.check(sentence(7, 60))
        before = self.bytes()
        connection = self.service.connect()
        for i in range(20, 1200):
            self.assertEqual(self.service.request("DELETE", f"/articles/n{i}", connection=connection)[0], 200)
        connection.close()
        self.check(sentence(7, 60))
        self.assertEqual(self.find(sentence(700, 60), share=0), [])
        self.assertLess(self.bytes(), before / 2)

    def bytes(self):
        return int(re.search(r"\ndocid_clue_bytes (\d+)", self.service.request("GET", "/metrics")[1])[1])

    def test_articles_whose_contents_are_in_rocksdb(self):
        try:
            self.restart_empty("--clues", "yes", "--contents", "rocksdb")
        except RuntimeError as error:
            self.skipTest(str(error).strip())
        one = article(1)
        name = self.service.doc_id(one)
        # In one transaction, the kept article cools down, and another article replaces it.
        self.service.post([one | {"nid": "b", "url": "b", "heat": 2, "content": one["content"] + " at last"},
                           one | {"nid": "b", "url": "b", "heat": -1, "content": one["content"] + " at first"}])
        clue = " ".join(one["content"].split()[-8:])
        self.assertEqual([(one["docId"], one["nid"]) for one in self.check(clue)], [(name, article(1)["url"])])
        self.restart("--clues", "yes", "--contents", "rocksdb")
        self.check(clue)
        self.check(clue + " at first", share=0.1)

    def test_what_cannot_be_stored_is_not_found(self):
        self.service.stop()
        self.service = Service(self.folder, "--clues", "yes", before=("bash", "-c", 'trap "" XFSZ; ulimit -f 1024; exec "$0" "$@"'))
        self.addCleanup(self.service.stop, signal.SIGKILL)
        failed = 0
        for number in range(1000):
            status, _ = self.service.post(article(number, media="x" * 20000))
            failed += status != 200
            if failed == 3:
                break
        self.assertEqual(failed, 3)
        self.assertEqual(self.find(sentence(f"content {number}")), [])
        self.check(sentence("content 0"))

    def test_what_is_wrong_is_said(self):
        self.service.doc_id(FIRST)
        for query, words in (("", "the parameter clue is missing"), ("clue=", "there is no word in it"),
                             ("clue=%EF%BC%8C%20!%20", "there is no word in it"), ("clue=word", "at least two words"),
                             ("clue=%E6%B5%B7", "at least two words"), ("clue=%ff%fe", "not UTF-8"),
                             ("clue=a+b&limit=0", "limit must be a number from 1 to 100, not 0"),
                             ("clue=a+b&limit=101", "limit"), ("clue=a+b&share=2", "share must be a number from 0 to 1, not 2"),
                             ("clue=a+b&share=nan", "share"), ("clue=a+b&share=", "share"), ("clue=a+b&share=1x", "share")):
            status, answer = self.service.request("GET", "/find?" + query)
            self.assertEqual((status, answer["status"]), (400, "error"), query)
            self.assertIn(words, answer["error"])
        self.assertEqual(self.service.request("GET", "/find?clue=" + "a+b+" * 3000)[0], 414)
        self.assertEqual(self.service.request("POST", "/find", {"clue": "a b"})[0], 405)
        self.assertEqual(self.find("a b " * 1500), [])

    def test_without_the_option(self):
        self.restart("--clues=no")
        status, answer = self.service.request("GET", "/find?clue=a+b")
        self.assertEqual((status, answer["error"]), (501, "this service does not find clues; start it with --clues yes"))
        name = self.service.doc_id(FIRST)
        # A restarted service knows the earlier articles.
        self.restart()
        self.assertEqual([one["docId"] for one in self.check(FIRST["content"])], [name])
        for options, words in ((["--clues", "1"], "--clues '1': must be yes or no"),
                               (["--clues", "yes", "--mariadb", "x"], "--clues yes with --mariadb")):
            with self.assertRaisesRegex(RuntimeError, words):
                Service(self.folder + "/other", *options)

    def test_only_the_page_of_a_service_that_finds_clues_asks_for_one(self):
        pages = [self.service.request("GET", "/")[1]]
        self.restart("--clues=no")
        pages.append(self.service.request("GET", "/")[1])
        for page, is_asked in zip(pages, (True, False)):
            self.assertIn("<title>neardup docid_service</title>", page)
            self.assertIn('id="compare"', page)
            self.assertEqual(('id="find"' in page, 'id="holding"' in page), (is_asked, is_asked))
            self.assertEqual(page.count("<h2>"), 4 + is_asked)

    @unittest.skipUnless(chromium.PROGRAM, "chromium is not there")
    def test_a_link_with_a_clue_to_a_service_that_finds_none(self):
        self.restart("--clues=no")
        shown = chromium.dump_dom(f"http://127.0.0.1:{self.service.port}/?clue=ab")
        self.assertIn("<p>this service does not find clues; start it with --clues yes</p>", shown)
        self.assertIn("<td>Documents in the store</td><td>0</td>", shown)

    @unittest.skipUnless(chromium.PROGRAM, "chromium is not there")
    def test_in_a_browser(self):
        self.service.doc_id(FIRST)
        shown = chromium.dump_dom(f"http://127.0.0.1:{self.service.port}/?clue=" + urllib.parse.quote("本去重系統實驗測量"))
        self.assertIn("海量網絡文</span><mark>本去重系統實驗測</mark><span>試，", shown)


if __name__ == "__main__":
    main()
