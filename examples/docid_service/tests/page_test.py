#!/usr/bin/env python3
"""Tests the page in a browser."""
import pathlib
import sys
import unittest
import urllib.parse

from harness import FIRST, SECOND, TestCase, article, main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools"))
import chromium


class Page(TestCase):
    @unittest.skipUnless(chromium.PROGRAM, "chromium is not there")
    def test_in_a_browser(self):
        name = self.service.doc_id(FIRST)
        shown = chromium.dump_dom(f"http://127.0.0.1:{self.service.port}/#" + urllib.parse.quote(SECOND["content"]))
        self.assertIn("87.5 % of the words of both texts are in both, and 65.5 % of the pairs", shown)
        self.assertIn("differ in 4 of 64 bits", shown)
        self.assertIn(f"{name}; {FIRST['url']}", shown)
        self.assertIn("<ins>檢</ins>", shown)
        self.assertIn("<ins>相似的</ins>", shown)
        self.assertIn("<del>試</del>", shown)
        self.assertIn("<td>Documents in the store</td><td>1</td>", shown)
        self.assertIn("None has come yet.", shown)

    @unittest.skipUnless(chromium.PROGRAM, "chromium is not there")
    def test_a_look_up_and_the_latest_duplicates_in_a_browser(self):
        name = self.service.doc_id(FIRST | {"nid": "a/b?", "title": "<b>題目</b>"})
        self.service.doc_id(SECOND)
        for key in (name, "a/b?", SECOND["url"]):
            shown = chromium.dump_dom(f"http://127.0.0.1:{self.service.port}/?q=" + urllib.parse.quote(key, safe=""))
            self.assertIn(f"{name}, 2 articles: a/b?, {SECOND['url']}", shown, key)
            self.assertIn("&lt;b&gt;題目&lt;/b&gt;", shown)
        self.assertIn(SECOND["title"], shown)
        self.assertIn("Found by its content. 87.5 % of the words", shown)
        self.assertIn("<ins>檢</ins>", shown)
        self.assertIn("<td>Duplicates found by their content</td><td>1</td>", shown)
        self.assertNotIn("docid_", shown.split("</table>")[0].split("<table")[1])
        shown = chromium.dump_dom(f"http://127.0.0.1:{self.service.port}/?q=none")
        self.assertIn("No document, article or url is called so.", shown)


if __name__ == "__main__":
    main()
