#!/usr/bin/env python3
"""Tests the rules that decide whether an article is a version of another article."""
import gzip
import json
import os
import pathlib
import random
import signal
import tempfile
import unittest
import urllib.parse

from harness import FIRST, SECOND, Service, TestCase, article, sentence, similarity_of_pairs, main

JIEBA = "/usr/lib/python3/dist-packages/jieba"


class Cascade(TestCase):
    def test_the_published_requests(self):
        query = urllib.parse.urlencode({"json": json.dumps(FIRST)})
        status, first = self.service.request("GET", "/docId/getDocId?" + query)
        self.assertEqual(status, 200)
        self.assertEqual(list(first), ["filterReason", "docId", "filterStatus", "status"])
        self.assertEqual(first["filterReason"], "docId_filter good news")
        self.assertEqual((first["filterStatus"], first["status"]), ("good", "success"))
        self.assertRegex(first["docId"], "^[0-9a-f]{16}-[0-9a-f]{16}$")
        status, second = self.service.post(SECOND)
        self.assertEqual(status, 200)
        self.assertEqual(second, {"filterReason": "docId_filter duplicate by content, similarity 0.875",
                                  "docId": first["docId"], "filterStatus": "duplicate", "status": "success"})

    def test_simhash_of_words_joins_them_within_9_bits(self):
        checked = ", similarity 0.875"
        for options, last in (((), checked), (("--distance", "9"), ", distance 9" + checked), (("--distance", "8"), None)):
            self.restart_empty("--recipe", "words", *options)
            first = self.service.doc_id(FIRST)
            _, second = self.service.post(SECOND)
            self.assertEqual(second["docId"] == first, last is not None)
            self.assertEqual(second["filterReason"],
                             "docId_filter " + ("duplicate by content" + last if last else "good news"))

    @unittest.skipUnless(os.path.exists(JIEBA + "/dict.txt"), "python3-jieba is not there")
    def test_the_published_recipe_joins_them_within_8_bits(self):
        self.restart_empty("--original", "yes", "--distance", "8")
        first = self.service.doc_id(FIRST)
        _, second = self.service.post(SECOND)
        self.assertEqual((second["docId"], second["filterReason"]),
                         (first, "docId_filter duplicate by content, distance 8"))

    @unittest.skipUnless(os.path.exists(JIEBA + "/dict.txt"), "python3-jieba is not there")
    def test_short_titles_unite_as_published_if_asked_for(self):
        self.restart_empty("--original", "yes")
        self.assertEqual(len({self.service.doc_id(article(i, title="通知")) for i in range(5)}), 1)

    def test_by_nid_url_title_and_content(self):
        one = article(1, nid="a")
        name = self.service.doc_id(one)
        reasons = []
        for other in (one, one | {"nid": "b"},
                      article(3, nid="c", title=one["title"].upper(), content=one["content"] + " " + sentence(9, 20)),
                      article(4, nid="d", content=one["content"] + " more"), article(5, nid="e")):
            _, answer = self.service.post(other)
            reasons.append(answer["filterReason"].removeprefix("docId_filter ").split(",")[0])
            self.assertEqual(answer["docId"] == name, answer["filterStatus"] == "duplicate")
        self.assertEqual(reasons, ["duplicate by nid", "duplicate by url", "duplicate by title", "duplicate by content",
                                   "good news"])

    def test_texts_without_words(self):
        names = set()
        for i, (title, content) in enumerate([("", "a b c d"), ("!!!", "e f g h"), ("i j k l", ""), ("", "?")]):
            status, answer = self.service.post(article(i, title=title, content=content))
            self.assertEqual((status, answer.get("filterStatus")), (200, "good"), answer)
            names.add(answer["docId"])
        self.assertEqual(len(names), 4)

    def test_short_titles_do_not_unite(self):
        names = {self.service.doc_id(article(i, title=title)) for i, title in enumerate(["通知", "Notice"] * 5)}
        self.assertEqual(len(names), 10)

    def test_long_titles_of_different_articles_do_not_unite(self):
        names = {self.service.doc_id(article(i, title=sentence(0, 12))) for i in range(10)}
        self.assertEqual(len(names), 10)

    def test_long_articles_of_the_same_characters_do_not_unite(self):
        # The articles have equal sets of characters, so only pairs of characters tell them apart.
        make = random.Random(4)
        contents = ["".join(chr(0x4e00 + make.randrange(300)) for _ in range(4000)) for _ in range(12)]
        for recipe in ("minwise", "words", "pairs"):
            for title in ("公告", ""):
                self.restart_empty("--recipe", recipe)
                names = self.doc_ids(article(i, title=title, content=content) for i, content in enumerate(contents))
                self.assertEqual(len(set(names)), len(names), (recipe, title))
                # If a third of a text is replaced, the text is still a version.
                copies = [content[:1300] + other[1300:2600] + content[2600:]
                          for content, other in zip(contents, contents[1:])]
                found = self.doc_ids(article(100 + i, title=title, content=content) for i, content in enumerate(copies))
                if title or recipe == "minwise":
                    self.assertEqual(found, names[:-1], (recipe, title))

    def test_long_chinese_articles_of_debian_do_not_unite(self):
        pages = {name: sorted(pathlib.Path("/usr/share").glob(pattern))
                 for name, pattern in (("debian-reference-zh-cn", "debian-reference/debian-reference.zh-cn.txt.gz"),
                                       ("manpages-zh", "man/zh_CN/man*/*.gz"))}
        absent = [name for name, files in pages.items() if not files]
        if absent:
            self.skipTest(f"{len(absent)} of {len(pages)} packages are not there: {', '.join(absent)}")
        for name, files in pages.items():
            text = "".join(gzip.decompress(file.read_bytes()).decode(errors="replace") for file in files[:200])
            for size in (1000, 10000):
                # Some pages repeat the text of other pages, so only one of several parts with the same beginning is kept.
                contents = list({text[i:i + size][:50]: text[i:i + size] for i in range(0, min(len(text), 40 * size), size)}
                                .values())
                self.restart_empty()
                names = self.doc_ids(article(i, title="公告", content=one) for i, one in enumerate(contents))
                joined = [(one, contents[names.index(own)]) for i, (one, own) in enumerate(zip(contents, names))
                          if names.index(own) != i]
                for one, other in joined:
                    self.assertGreaterEqual(similarity_of_pairs(one, other), 0.4, (name, size))
                self.assertLessEqual(len(joined), len(contents) // 10, (name, size))
                found = self.doc_ids(article(1000 + i, title="公告", content="转载" + one[size // 4:])
                                     for i, one in enumerate(contents))
                self.assertLessEqual(sum(a != b for a, b in zip(names, found)), len(names) // 10, (name, size))

    def test_a_batch_decides_like_single_requests(self):
        articles = []
        for i in range(60):
            articles.append(article(i))
            if i % 3 == 0:
                articles.append(article(1000 + i, content=articles[random.Random(i).randrange(len(articles))]["content"]
                                        + " more"))
        single = [self.service.post(one)[1] for one in articles]
        with tempfile.TemporaryDirectory() as folder:
            other = Service(folder)
            self.addCleanup(other.stop, signal.SIGKILL)
            self.assertEqual(other.post(articles)[1], single)
        self.assertEqual(sum(one["filterStatus"] == "duplicate" for one in single), 20)

    def test_json_lines(self):
        lines = "".join(json.dumps(article(i % 700)) + "\n" for i in range(1400))
        status, text = self.service.post(lines, headers={"Content-Type": "application/x-ndjson"})
        answers = [json.loads(line) for line in text.splitlines()]
        self.assertEqual((status, len(answers)), (200, 1400))
        self.assertEqual([one["docId"] for one in answers[:700]], [one["docId"] for one in answers[700:]])
        self.assertEqual(len({one["docId"] for one in answers}), 700)

    def test_json_lines_are_answered_while_the_client_waits(self):
        connection = self.service.socket()
        self.addCleanup(connection.close)
        connection.sendall(b"POST /docId/getDocId HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
                           b"Transfer-Encoding: chunked\r\n\r\n")
        seen = b""
        for i in range(5):
            line = json.dumps(article(i)).encode() + b"\n"
            connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))
            while seen.count(b'"status":"success"') <= i:
                part = connection.recv(65536)
                self.assertTrue(part)
                seen += part
        connection.sendall(b"0\r\n\r\n")
        while not seen.endswith(b"0\r\n\r\n"):
            part = connection.recv(65536)
            self.assertTrue(part)
            seen += part


if __name__ == "__main__":
    main()
