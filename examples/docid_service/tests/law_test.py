#!/usr/bin/env python3
"""The service decides about contents by one rule. If no document has a matching content, an article without a known url or
title is a new document. Otherwise it belongs to the closest document, and of equally close documents to the oldest.
tests/oracle/law.txt has the cells.
"""
import fractions
import pathlib
import random
import sys
import urllib.parse

from harness import TestCase, article, main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests/oracle"))
import law  # pylint: disable=wrong-import-position


def closeness(one, other):
    """Returns the Jaccard similarity of the words of two contents, or None if the contents do not match at .5."""
    words, others = set(one), set(other)
    pairs, other_pairs = set(zip(one, one[1:])), set(zip(other, other[1:]))
    share = fractions.Fraction(len(words & others), len(words | others))
    of_pairs = fractions.Fraction(len(pairs & other_pairs), max(1, len(pairs | other_pairs)))
    return share if 2 * share >= 1 and 4 * of_pairs >= 1 else None


class Law(TestCase):
    def original(self, words):
        """Returns the docId by the law, or None for a new document."""
        closest = {name: closeness(next(iter(articles.values())), words) for name, articles in self.documents.items()}
        self.ties += sum(found is not None and found == max(filter(None, closest.values())) for found in closest.values()) > 1
        return law.original(closest, closest.get)

    def send(self, texts):
        """Sends the texts in one request, and compares each answer with the law."""
        articles = [article(self.number + i, title="", content=" ".join(words)) for i, words in enumerate(texts)]
        self.number += len(texts)
        for one, words, name in zip(articles, texts, self.doc_ids(articles)):
            wanted = self.original(words)
            is_new = name not in self.documents
            if is_new != (wanted is None):
                self.wrong["kept"].append((words, name, wanted))
            elif not is_new and name != wanted:
                shown = [(other, next(iter(self.documents[other].values())),
                          closeness(next(iter(self.documents[other].values())), words)) for other in (name, wanted)]
                self.wrong["originals"].append((words, *shown))
            self.dropped += not is_new
            self.documents.setdefault(name, {})[one["url"]] = words

    def update(self, rng, words):
        """Sends the first article of a document with another content. The age of the document does not change."""
        name = rng.choice(list(self.documents))
        url = next(iter(self.documents[name]))
        self.service.doc_id({"url": url, "title": "", "content": " ".join(words)})
        self.documents[name][url] = words

    def erase(self, rng):
        name = rng.choice(list(self.documents))
        url = rng.choice(list(self.documents[name]))
        self.service.request("DELETE", "/articles/" + urllib.parse.quote(url, safe=""))
        del self.documents[name][url]
        if not self.documents[name]:
            del self.documents[name]

    def judge(self):
        self.assertGreater(self.dropped, 100)
        for what, wrong in self.wrong.items():
            with self.subTest(judged=what):
                self.assertEqual(len(wrong), 0, min(wrong, key=lambda one: len(one[0]), default=None))

    def check_random(self, words):
        size = int(words[0].split()[-1])
        options = ("--similarity", "0.5", *(("--recipe", "words") if "recipe words" in words else ()))
        for seed in range(3):
            self.restart_empty(*options)
            self.documents, rng = {}, random.Random(seed)
            texts = law.draw_texts(rng, 400 if "updated and erased" in words else 240, 16, in_a_row=True)
            texts = [text for text in texts if len(text) > 1]  # the features are pairs of words
            for first in range(0, len(texts), size):
                if "restarted" in words and first in (size, 40 * size):
                    self.restart(*options)
                self.send(texts[first:first + size])
                if "updated and erased" in words and rng.random() < 0.5:
                    self.update(rng, rng.choice(texts))
                if "updated and erased" in words and rng.random() < 0.3:
                    self.erase(rng)
        self.assertGreater(self.ties, 10)
        self.judge()

    def check_questions(self, names):
        for name in names:
            self.restart_empty("--similarity", "0.5")
            texts, wanted = law.question(name)
            found = self.doc_ids(article(i, title="", content=text) for i, text in enumerate(texts))
            self.assertEqual([found.index(one) for one in found], wanted, name)

    def check_cells(self, number):
        """ctest runs each test by itself, so the cells are shared out among four."""
        cells = list(law.cells("service"))
        self.assertGreater(len(cells), 6)
        for words, row, corpora in cells[number::4]:
            self.assertEqual(row, "Jaccard")
            with self.subTest(column=words):
                self.number, self.wrong, self.dropped, self.ties = 0, {"kept": [], "originals": []}, 0, 0
                if corpora == ["random"]:
                    self.check_random(words)
                else:
                    self.check_questions(corpora)

    def test_the_first_quarter_of_the_cells(self):
        self.check_cells(0)

    def test_the_second_quarter_of_the_cells(self):
        self.check_cells(1)

    def test_the_third_quarter_of_the_cells(self):
        self.check_cells(2)

    def test_the_last_quarter_of_the_cells(self):
        self.check_cells(3)


if __name__ == "__main__":
    main()
