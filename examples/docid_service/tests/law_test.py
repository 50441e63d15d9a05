#!/usr/bin/env python3
"""One rule decides about contents, too: an article without a known url or title is a new document unless the content of an
older one matches it; then it belongs to the closest, and of equally close ones to the oldest.

Cells that do not run, and why:
- Measures other than Jaccard, and corpora that are known before: the service has neither.
- Fingerprints (--distance): --candidates bounds what is compared, so a closer document may be left out.
- Scores: articles are decided about as they come.
"""
import fractions
import random
import urllib.parse

from harness import TestCase, article, main


def draw_texts(rng, count):
    """Texts in families around a centre, edited texts, copies, and short texts."""
    texts = []
    while len(texts) < count:
        size, first = rng.randrange(8, 16), len(texts)
        vocabulary = rng.choice((60, 600))
        word = lambda: f"v{rng.randrange(vocabulary)}"
        centre = [word() for _ in range(size)]
        members = rng.randrange(6, 18)
        for member in range(members):
            earlier = list(rng.choice(texts[first:])) if len(texts) > first else centre
            kind = rng.randrange(8) if 3 * member < members else rng.randrange(5, 16)
            words = list(centre)
            if kind < 6:
                # Most texts of this kind are similar to the centre only. The replaced words are consecutive, so most
                # pairs of words stay.
                at = rng.randrange(size)
                for i in range(rng.randrange(size // 5, size // 3) + 1):
                    words[(at + i) % size] = word()
            elif kind < 9:
                words[rng.randrange(size)] = word()
            elif kind < 13:
                words = earlier
            elif kind == 13:
                words = rng.sample(earlier, len(earlier))
            elif kind == 14:
                words = [word() for _ in range(rng.randrange(2, 5))]
            else:
                words = [word() for _ in range(rng.randrange(size, 2 * size))]
            texts.append(words)
    return texts[:count]


def closeness(one, other):
    """The Jaccard similarity of the words of two contents, or None if they do not match at .5."""
    words, others = set(one), set(other)
    pairs, other_pairs = set(zip(one, one[1:])), set(zip(other, other[1:]))
    share = fractions.Fraction(len(words & others), len(words | others))
    of_pairs = fractions.Fraction(len(pairs & other_pairs), max(1, len(pairs | other_pairs)))
    return share if 2 * share >= 1 and 4 * of_pairs >= 1 else None


class Law(TestCase):
    options = ("--similarity", "0.5")

    def setUp(self):
        super().setUp()
        self.number = 0
        self.documents = {}  # docId -> {url: words}, the oldest first; others are compared with the first article
        self.wrong = {"kept": [], "originals": []}
        self.dropped = self.ties = 0

    def original(self, words):
        """The docId that the law gives, or None for a new document."""
        best = name = None
        for other, articles in self.documents.items():
            found = closeness(next(iter(articles.values())), words)
            self.ties += found is not None and found == best
            if found is not None and (best is None or found > best):
                best, name = found, other
        return name

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
        """The first article of a document comes with another content. The document stays as old as it is."""
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

    def add(self, size, restarts=False):
        for seed in range(3):
            self.restart_empty(*self.options)
            self.documents = {}
            texts = draw_texts(random.Random(seed), 240)
            for first in range(0, len(texts), size):
                if restarts and first in (size, 40 * size):
                    self.restart(*self.options)
                self.send(texts[first:first + size])
        self.assertGreater(self.ties, 10)
        self.judge()

    def test_one_by_one(self):
        self.add(1)

    def test_requests_of_seven(self):
        self.add(7)

    def test_one_request(self):
        self.add(240)

    def test_stopped_and_started_again(self):
        self.add(5, restarts=True)

    def test_every_recipe(self):
        for recipe in ("words",):
            self.options = ("--similarity", "0.5", "--recipe", recipe)
            self.add(7)

    def test_added_updated_and_erased(self):
        for seed in range(3):
            self.restart_empty(*self.options)
            self.documents = {}
            rng = random.Random(seed)
            texts = draw_texts(rng, 400)
            for first in range(0, len(texts), 4):
                self.send(texts[first:first + 3])
                if rng.random() < 0.5:
                    self.update(rng, texts[first + 3])
                if rng.random() < 0.3:
                    self.erase(rng)
        self.judge()

    def test_equally_close_ones(self):
        for texts, wanted in ((["a b c d e f", "d e f g h i", "b c d e f g h"], [0, 1, 0]),
                              (["d e f g h i", "a b c d e f", "b c d e f g h"], [0, 1, 0])):
            self.restart_empty(*self.options)
            names = self.doc_ids(article(i, title="", content=text) for i, text in enumerate(texts))
            self.assertEqual([names.index(name) for name in names], wanted)

    def test_a_copy_goes_to_what_is_closer_by_then(self):
        texts = ["a b c d e f", "a b c d e g h i j", "c d e g h i j", "a b c d e g h i j"]
        names = self.doc_ids(article(i, title="", content=text) for i, text in enumerate(texts))
        self.assertEqual([names.index(name) for name in names], [0, 0, 2, 2])


if __name__ == "__main__":
    main()
