#!/usr/bin/env python3
"""Tests documents: their articles, and the data that the service returns about them."""
import contextlib
import json
import os
import pathlib
import random
import sqlite3
import urllib.parse

from harness import FIRST, SECOND, TestCase, article, sentence, similarity_of_pairs, main


class Documents(TestCase):
    def test_all_nids_and_the_hottest_content(self):
        one = article(1)
        name = self.service.doc_id(one)
        for nid, heat in (("cold", 1), ("hot", "7.5"), ("warm", 3)):
            self.service.doc_id(article(1, nid=nid, heat=heat, url="http://example.org/" + nid, media=nid))
        status, found = self.service.request("GET", "/docs/" + name)
        self.assertEqual(status, 200)
        self.assertEqual(found["nids"], [one["url"], "cold", "hot", "warm"])
        self.assertEqual((found["article"]["nid"], found["article"]["media"]), ("hot", "hot"))

    def test_delete(self):
        one = article(1, nid="a/b c")
        name = self.service.doc_id(one)
        self.service.doc_id(article(1, nid="二", url="http://example.org/other"))
        path = "/articles/" + urllib.parse.quote("a/b c")
        self.assertEqual(self.service.request("DELETE", path)[0], 200)
        self.assertEqual(self.service.request("DELETE", path)[0], 404)
        self.assertEqual(self.service.request("GET", "/docs/" + name)[1]["nids"], ["二"])
        self.assertEqual(self.service.request("DELETE", "/articles/" + urllib.parse.quote("二"))[0], 200)
        self.assertEqual(self.service.request("GET", "/docs/" + name)[0], 404)
        # If the same article is sent again after it was deleted, it is a new document with a new docId.
        for _ in range(2):
            status, answer = self.service.post(one)
            self.assertEqual((status, answer["filterStatus"]), (200, "good"))
            self.assertNotEqual(answer["docId"], name)
            name = answer["docId"]
            self.service.request("DELETE", path)
            self.restart()

    def test_the_article_behind_a_deleted_first_one_decides(self):
        def texts(kind, count=40):
            return " ".join(f"{kind}{i}" for i in range(count))
        first, second = texts("ferry"), texts("ferry", 38) + " storm snow"
        for deleted in ("a", "b"):
            with self.subTest(deleted=deleted):
                name = self.service.doc_id(article(1, nid="a", url="a", title="Harbour", content=first))
                self.assertEqual(self.service.doc_id(article(2, nid="b", url="b", title="Pier", content=second)), name)
                # The first article of the document gets another text, and is then deleted.
                changed = article(1, nid="a", url="a", title="Kitchen", content=texts("soup"))
                self.assertEqual(self.service.doc_id(changed), name)
                self.assertEqual(self.service.request("DELETE", "/articles/" + deleted)[0], 200)
                left, gone = (second, texts("soup")) if deleted == "a" else (texts("soup"), second)
                for nid in ("c", "d"):  # "d" is sent after a restart
                    self.assertEqual(self.service.doc_id(article(3, nid=nid, url=nid, title="Left", content=left)), name)
                    other = self.service.doc_id(article(4, nid="other" + nid, url="other" + nid, title="Gone", content=gone))
                    self.assertNotEqual(other, name)
                    self.service.request("DELETE", "/articles/" + nid)
                    self.service.request("DELETE", "/articles/other" + nid)
                    self.restart()
                for nid in "ab":
                    self.service.request("DELETE", "/articles/" + nid)

    def shown(self, name):
        """Returns the nid of the kept article in the store."""
        return self.service.request("GET", "/docs/" + name)[1]["article"]["nid"]

    def test_a_kept_article_that_is_deleted_gives_way_to_the_next_hottest(self):
        heats = {"a": 0, "b": 3, "c": 9, "d": 5, "e": 5, "f": 1}
        one = article(1)
        name = {self.service.doc_id(one | {"nid": nid, "url": "http://example.org/" + nid, "heat": heat,
                                           "content": one["content"] + " " + nid}) for nid, heat in heats.items()}.pop()
        order = []
        while True:
            order.append(self.shown(name))
            self.assertEqual(self.service.request("GET", "/docs/" + name)[1]["article"]["content"],
                             one["content"] + " " + order[-1])
            self.assertEqual(self.service.request("DELETE", "/articles/" + order[-1])[0], 200)
            if len(order) == 3:
                self.restart()
            if self.service.request("GET", "/docs/" + name)[0] == 404:
                break
        self.assertEqual(order, ["c", "d", "e", "b", "f", "a"])
        # Deleted articles that are not shown leave no data in the store.
        self.service.stop()
        with contextlib.closing(sqlite3.connect(self.folder + "/docid.sqlite")) as file:
            for table in ("article", "document", "content", "other_content", "features", "pairs"):
                self.assertEqual(file.execute(f"SELECT count(*) FROM {table}").fetchone(), (0,), table)

    def test_an_article_that_cools_down_gives_way_as_well(self):
        one = article(1)
        name = self.service.doc_id(one | {"nid": "a", "url": "a", "heat": 9})
        self.service.doc_id(one | {"nid": "b", "url": "b", "heat": 4})
        self.assertEqual(self.shown(name), "a")
        self.service.doc_id(one | {"nid": "a", "url": "a", "heat": 3})
        self.assertEqual(self.shown(name), "b")
        self.service.doc_id(one | {"nid": "a", "url": "a", "heat": 5})
        self.assertEqual(self.shown(name), "a")

    def test_an_updated_article_replaces_its_fingerprints(self):
        # The article is found by its nid, or by its url with another nid. It has its own title, or no title.
        for nid, title in (("a", "first"), ("b", "")):
            self.restart_empty()
            old, new = article(1, nid="a", url="U", title=title), article(2, nid=nid, url="U", title=title and "second")
            name = self.service.doc_id(old)
            other = self.service.doc_id(article(3, nid="other"))
            self.assertEqual(self.service.doc_id(new), name)
            for again in range(2):
                self.assertEqual(self.service.request("GET", "/docs/" + name)[1]["article"]["content"], new["content"])
                _, found = self.service.request("POST", "/similar", {"content": new["content"]})
                self.assertEqual([(one["docId"], one["distance"], one["similarity"]) for one in found], [(name, 0, 1.0)])
                self.assertEqual(self.service.request("POST", "/similar", {"content": old["content"]})[1], [])
                copy = article(10 + again, title="", content=new["content"] + " more")
                self.assertEqual(self.service.doc_id(copy), name)
                self.assertEqual(self.service.doc_id(article(20 + again, content=article(3)["content"])), other)
                self.restart()
            stranger = self.service.doc_id(article(30, title=title, content=old["content"]))
            self.assertNotIn(stranger, (name, other))
            # A batch changes the content several times. The last change restores the old content.
            back = old | {"nid": nid}
            _, answers = self.service.post([back, new, back, article(40, content=old["content"] + " copy", title="")])
            self.assertEqual([one["docId"] for one in answers], [name] * 4)
            self.assertEqual(self.service.doc_id(article(41, content=new["content"], title="")) == name, False)

    def test_only_the_first_article_of_a_document_defines_it(self):
        one = article(1)
        name = self.service.doc_id(one | {"nid": "a"})
        self.service.doc_id(one | {"nid": "b", "url": "V"})
        self.assertEqual(self.service.doc_id(article(2, nid="b", url="V")), name)
        self.assertEqual(self.service.doc_id(article(3, content=one["content"])), name)
        self.assertNotEqual(self.service.doc_id(article(4, content=article(2)["content"])), name)

    def test_what_comes_again_unchanged_is_not_stored_again(self):
        one = article(1, nid="a", heat=2)
        name = self.service.doc_id(one)
        self.service.doc_id(article(2, nid="b", content=one["content"]))

        def versions():
            with contextlib.closing(sqlite3.connect(self.folder + "/docid.sqlite")) as file:
                return file.execute("SELECT nid, version FROM article").fetchall()

        self.service.stop()
        before = versions()
        self.service = self.start()
        for _ in range(3):
            self.assertEqual(self.service.doc_id(one), name)
            self.assertEqual(self.service.doc_id(article(2, nid="b", content=one["content"])), name)
        self.service.stop()
        self.assertEqual(versions(), before)

    def test_a_store_of_another_format_is_refused(self):
        name = self.service.doc_id(article(1))
        self.assertEqual(self.service.stop(), 0)
        path = pathlib.Path(self.folder, "docid.sqlite")

        def refuses(found, *statements):
            with contextlib.closing(sqlite3.connect(path)) as file:
                for statement in statements:
                    file.execute(statement)
            before = path.read_bytes()
            with self.assertRaisesRegex(RuntimeError, f"docid.sqlite: it has format {found}, .* another --data FOLDER"):
                self.start()
            self.assertEqual(path.read_bytes(), before)
            self.assertEqual(os.listdir(self.folder), ["docid.sqlite"])

        refuses(0, "PRAGMA user_version = 0")
        refuses(2, "PRAGMA user_version = 2")
        with contextlib.closing(sqlite3.connect(path)) as file:
            file.execute("PRAGMA user_version = 1")
        self.service = self.start()
        self.assertEqual(self.service.doc_id(article(1, nid="copy", url="copy")), name)
        self.assertEqual(self.service.stop(), 0)
        path.unlink()
        refuses(0, "CREATE TABLE of_another_program(a)")

    def test_any_nid_can_be_taken_out(self):
        nid = "a\r\nb?%2F"
        self.service.doc_id(article(1, nid=nid))
        self.assertEqual(self.service.request("DELETE", "/articles/" + urllib.parse.quote(nid, safe=""))[0], 200)

    def test_the_document_of_an_article(self):
        one = article(1, nid="a/b 二")
        name = self.service.doc_id(one)
        self.assertEqual(self.service.doc_id(article(2, nid="other", content=one["content"])), name)
        for path, field, value in (("/articles/" + urllib.parse.quote("a/b 二", safe=""), "nid", "a/b 二"),
                                   ("/articles/other", "nid", "other"),
                                   ("/articles?url=" + urllib.parse.quote(one["url"]), "url", one["url"])):
            self.assertEqual(self.service.request("GET", path), (200, {field: value, "docId": name}))
        for path in ("/articles/none", "/articles?url=none"):
            self.assertEqual(self.service.request("GET", path)[0], 404)
        self.assertIn("url is missing", self.service.request("GET", "/articles")[1]["error"])

    def test_pages_of_all_documents(self):
        names = self.doc_ids(article(i, nid=f"n{i}") for i in range(25))
        self.service.doc_id(article(100, nid="copy", content=article(7)["content"], heat=2))
        gone = names.pop(9)  # a page may begin after a deleted document
        self.assertEqual(self.service.request("DELETE", "/articles/n9")[0], 200)
        found, after, sizes = [], None, []
        while True:
            status, text = self.service.request("GET", "/docs?limit=10" + (f"&after={after}" if after else ""))
            self.assertEqual(status, 200, text)
            lines = [json.loads(line) for line in text.splitlines()]
            sizes.append(len(lines))
            if not lines:
                break
            found += lines
            after = lines[-1]["docId"]
        self.assertEqual(sizes, [10, 10, 4, 0])
        self.assertEqual([one["docId"] for one in found], names)
        for one in found:
            self.assertEqual(self.service.request("GET", "/docs/" + one["docId"]), (200, one))
        self.assertEqual((found[7]["nids"], found[7]["article"]["nid"]), (["n7", "copy"], "copy"))
        after_gone = self.service.request("GET", "/docs?after=" + gone)[1].splitlines()
        self.assertEqual([json.loads(line)["docId"] for line in after_gone], names[9:])
        for query, words in (("limit=0", "limit"), ("limit=x", "limit"), ("limit=1001", "limit"), ("after=x", "no docId: x")):
            status, answer = self.service.request("GET", "/docs?" + query)
            self.assertEqual((status, words in answer["error"]), (400, True), answer)

    def test_other_docids_are_unknown(self):
        for name in ("0" * 16 + "-" + "0" * 16, "f" * 16 + "-" + "1" * 16, "x", "../x"):
            self.assertEqual(self.service.request("GET", "/docs/" + name)[0], 404)

    def test_similar_and_the_page(self):
        name = self.service.doc_id(SECOND)
        _, found = self.service.request("POST", "/similar", {"content": FIRST["content"]})
        self.assertEqual([(one["docId"], one["distance"], one["article"]["url"]) for one in found],
                         [(name, 4, SECOND["url"])])
        status, page = self.service.request("GET", "/")
        self.assertEqual(status, 200)
        self.assertIn("</html>", page)

    def test_what_similar_says_is_true_of_the_text_that_it_shows(self):
        words = sentence(1, 200).split(" ")
        first, hot, asked = (" ".join(words[begin:begin + 180]) for begin in (0, 10, 12))
        name = self.service.doc_id(article(1, content=first))
        self.assertEqual(self.service.doc_id(article(2, title=article(1)["title"], content=hot, heat=5)), name)
        _, found = self.service.request("POST", "/similar", {"content": asked})
        self.assertEqual([(one["docId"], one["article"]["content"]) for one in found], [(name, hot)])
        sets = [set(text.split(" ")) for text in (asked, hot)]
        self.assertAlmostEqual(found[0]["similarity"], len(sets[0] & sets[1]) / len(sets[0] | sets[1]))
        self.assertAlmostEqual(found[0]["pairSimilarity"], similarity_of_pairs(asked, hot))

    def test_similar_ranks_long_texts_by_what_does_not_fill_up(self):
        make = random.Random(8)
        text = "".join(chr(0x4e00 + make.randrange(300)) for _ in range(5000))
        mixed = "".join(make.sample(text, len(text)))  # a text of the same characters
        near = text[:4500] + "".join(chr(0x5e00 + i) for i in range(30))
        names = self.doc_ids([article(1, content=mixed), article(2, content=near)])
        _, found = self.service.request("POST", "/similar", {"content": text})
        self.assertEqual([one["docId"] for one in found], names[::-1])
        self.assertGreater(found[1]["similarity"], found[0]["similarity"])
        self.assertLess(abs(found[0]["pairSimilarity"] - similarity_of_pairs(text, near)), 0.05)
        self.assertLess(found[1]["pairSimilarity"], 0.1)

    def test_the_latest_duplicates(self):
        self.assertEqual(self.service.request("GET", "/duplicates"), (200, []))
        one = article(1, nid="a")
        name = self.service.doc_id(one)
        changed = one["content"].rsplit(" ", 2)[0]
        for nid, fields in (("b", {"content": changed, "heat": 5}), ("c", {"url": one["url"]}), ("a", {}), ("d", {})):
            self.service.doc_id(article(1, nid=nid, url=nid) | fields if nid != "a" else one)
        self.service.doc_id(article(2))
        status, found = self.service.request("GET", "/duplicates")
        self.assertEqual(status, 200)
        self.assertEqual([(each["article"]["nid"], each["foundBy"], each["docId"]) for each in found],
                         [("d", "title", name), ("c", "url", name), ("b", "title", name)])
        self.assertEqual([each["original"]["nid"] for each in found], ["a", "a", "a"])
        self.assertEqual([each["similarity"] for each in found], [1.0, 1.0, 38 / 40])
        self.assertAlmostEqual(found[2]["pairSimilarity"], 37 / 39)
        self.assertEqual([what for what, _ in found[2]["difference"]], ["same", "removed"])
        # Deletes an article that has become the first article, and a duplicate.
        self.assertEqual(self.service.request("DELETE", "/articles/a")[0], 200)
        self.assertEqual(self.service.request("DELETE", "/articles/d")[0], 200)
        _, found = self.service.request("GET", "/duplicates?limit=5")
        self.assertEqual([(each["article"]["nid"], each["original"]["nid"]) for each in found], [("c", "b")])
        self.service.post([article(100 + i, content=article(2)["content"]) for i in range(30)])
        self.assertEqual(len(self.service.request("GET", "/duplicates?limit=20")[1]), 20)
        self.assertEqual(len(self.service.request("GET", "/duplicates")[1]), 10)
        self.assertEqual(self.service.request("GET", "/duplicates?limit=21")[0], 400)

    def test_health_and_metrics(self):
        self.assertEqual(self.service.request("GET", "/health"), (200, {"status": "up"}))
        self.service.post([article(1), article(1), article(2)])
        _, text = self.service.request("GET", "/metrics")
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        self.assertEqual(values['docid_articles_total{found_by="none"}'], "2")
        self.assertEqual(values['docid_articles_total{found_by="nid"}'], "1")
        self.assertEqual((values["docid_documents"], values["docid_nids"]), ("2", "2"))


if __name__ == "__main__":
    main()
