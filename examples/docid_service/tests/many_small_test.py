#!/usr/bin/env python3
"""The CPU time grows linearly with the number of articles of one document or of one url. The right article is always
shown."""
import os
import pathlib
import random
import tempfile
import urllib.parse

from harness import TestCase, article, main


class ManySmall(TestCase):
    def setUp(self):
        # Thousands of commits would wait for the disk, so the files are in memory.
        if os.access("/dev/shm", os.W_OK):
            self.addCleanup(setattr, tempfile, "tempdir", tempfile.tempdir)
            tempfile.tempdir = "/dev/shm"
        super().setUp()

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.service.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def assert_grows_linearly(self, count, prepare, do):
        """Checks the cost of calls of `do(i)`, which asks the service. A quadratic cost would be 16 times as high."""
        spent = []
        for size in (count, 4 * count):
            self.restart_empty()
            prepare(size)
            begin = self.cpu()
            for i in range(size):
                do(i)
            spent.append(self.cpu() - begin)
        self.assertLess(spent[1], 8 * spent[0] + 0.1, spent)

    def send_copies(self, count):
        self.doc_ids(article(1, nid=f"n{i}", url=f"u{i}") for i in range(count))

    def delete(self, nid):
        self.assertEqual(self.service.request("DELETE", "/articles/" + nid, connection=self.connection)[0], 200)

    def restart_empty(self, *options):
        super().restart_empty(*options)
        self.connection = self.service.connect()
        self.addCleanup(self.connection.close)

    def test_deleted_articles_of_one_document(self):
        self.assert_grows_linearly(800, self.send_copies, lambda i: self.delete(f"n{i}"))

    def test_the_latest_duplicates_of_one_document(self):
        self.assert_grows_linearly(
            200, lambda count: None,
            lambda i: (self.send_copies(1), self.doc_ids([article(1, nid=f"m{5 * i + k}", url=f"v{5 * i + k}", media=str(i))
                                                          for k in range(5)]),
                       self.service.request("GET", "/duplicates", connection=self.connection)))

    def test_the_article_that_is_shown(self):
        make = random.Random(11)
        articles, kept, name = {}, None, None  # nid -> (url, heat), in the order of arrival

        def hottest():
            best = None
            for nid, (url, heat) in articles.items():
                if best is None or heat > articles[best][1] or (heat == articles[best][1] and url == articles[best][0]):
                    best = nid
            return best

        for number in range(600):
            if make.random() < 0.6 or not articles:
                nid, url, heat = f"n{number}", f"u{make.randrange(12)}", make.randrange(3)
                is_known = any(url == other for other, _ in articles.values())
                answer = self.service.post(article(1, nid=nid, url=url, heat=heat, media=nid))[1]
                self.assertEqual(name or answer["docId"], answer["docId"])
                self.assertEqual("by url" in answer["filterReason"], is_known)
                name = answer["docId"]
                articles[nid] = (url, heat)
                if kept is None or heat > articles[kept][1] or (heat == articles[kept][1] and is_known and url == articles[kept][0]):
                    kept = nid
            else:
                nid = make.choice(list(articles)) if make.random() < 0.5 else kept
                self.assertEqual(self.service.request("DELETE", "/articles/" + nid)[0], 200)
                del articles[nid]
                if nid == kept:
                    kept = hottest()
                if not articles:
                    name = None
                    continue
            status, found = self.service.request("GET", "/docs/" + name)
            self.assertEqual((status, found["nids"], found["article"]["nid"]), (200, list(articles), kept), number)
            if number % 200 == 199:
                self.restart()

    def test_a_url_of_several_documents(self):
        self.restart("--steps", "title,content")
        articles, make = {}, random.Random(12)  # nid -> (url, docId), in the order of arrival
        for number in range(400):
            if make.random() < 0.6 or not articles:
                nid, url = f"n{number}", f"u{make.randrange(20)}"
                articles[nid] = (url, self.service.doc_id(article(make.randrange(30), nid=nid, url=url)))
            else:
                nid = make.choice(list(articles))
                self.assertEqual(self.service.request("DELETE", "/articles/" + nid)[0], 200)
                del articles[nid]
            if number % 100 == 99:
                self.restart("--steps", "title,content")
            for url in {url for url, _ in articles.values()}:
                first = next(name for other, name in articles.values() if other == url)
                status, found = self.service.request("GET", "/articles?" + urllib.parse.urlencode({"url": url}))
                self.assertEqual(status, 200)
                documents = {name for other, name in articles.values() if other == url}
                self.assertIn(found["docId"], documents)
                if number % 100 == 99:
                    self.assertEqual(found["docId"], first)


if __name__ == "__main__":
    main()
