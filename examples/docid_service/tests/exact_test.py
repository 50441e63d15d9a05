#!/usr/bin/env python3
"""No article with a similar content is missed: the docIds are the same as if all contents were compared."""
import random
import resource
import signal
import tempfile

from harness import Contents, FIRST, TestCase, article, main


class Exact(TestCase):
    def test_as_by_comparing_all(self):
        # Few different words, so that many texts share the rare ones; and many, so that most texts have nothing in
        # common.
        for words, options in ((60, ()), (400, ("--recipe", "words", "--feature-memory", "0")),
                               (40, ("--similarity", "0.6", "--feature-memory", "16K")), (200, ("--recipe", "pairs"))):
            with self.subTest(words=words, options=options):
                self.restart_empty(*options)
                self.options = options
                contents = Contents(words, words + 1, similarity=0.6 if "0.6" in options else 0.8, by_pairs="pairs" in options)
                for round_number in range(10):
                    for _ in range(8):
                        contents.send(self, self.service, contents.make.choice((1, 1, 5, 60)))
                    for _ in range(20):
                        contents.update(self, self.service)
                        contents.erase(self, self.service)
                    if round_number % 3 == 2:
                        self.restart(*options)
                self.assertGreater(contents.found, 100)
                self.assertGreater(contents.new, 100)

    def test_random_changes_of_which_some_fail(self):
        # Sends articles, changes and deletions at random. Also fills the disk for a while, stops the service and kills it.
        for words, options in ((60, ()), (400, ("--recipe", "words", "--feature-memory", "0")), (60, ("--recipe", "pairs"))):
            with self.subTest(words=words, options=options):
                self.restart_empty(*options)
                contents = Contents(words, words + 2, by_pairs="pairs" in options)
                chance = contents.make
                for round_number in range(15):
                    if round_number == 0 or chance.random() < 0.4:
                        self.service.stop(chance.choice((signal.SIGTERM, signal.SIGKILL)))
                        self.service = self.start_service(*options, before=("bash", "-c", 'trap "" XFSZ; exec "$0" "$@"'))
                    contents.send(self, self.service, 40)
                    for _ in range(5):
                        contents.update(self, self.service)
                        contents.erase(self, self.service)
                        contents.send(self, self.service, chance.choice((1, 1, 10)))
                    process = self.service.process.pid
                    limits = resource.prlimit(process, resource.RLIMIT_FSIZE)
                    resource.prlimit(process, resource.RLIMIT_FSIZE, (4096, limits[1]))
                    texts = contents.send_in_vain(self, self.service)
                    resource.prlimit(process, resource.RLIMIT_FSIZE, limits)
                    # A failed article has no effect on its later copies.
                    contents.send_texts(self, self.service, texts)
                self.assertGreater(contents.found, 100)
                self.assertGreater(contents.new, 100)

    def test_one_word_that_comes_into_all_from_some_day_on(self):
        contents = Contents(3000, 5, longest=30)
        contents.send(self, self.service, 300)
        contents.prefix = ["stop0", "stop1", "stop2", "stop3", "stop4"]
        for _ in range(3):
            contents.send(self, self.service, 300)
        self.assertGreater(contents.found, 100)

    def test_fingerprints_miss_some(self):
        self.restart_empty("--distance", "3")
        contents = Contents(400, 6)
        with self.assertRaises(AssertionError):
            for _ in range(10):
                contents.send(self, self.service, 60)

    def test_a_crowd_of_the_same_words(self):
        # More than 64 articles have the same set of words, but only one has the same pairs.
        make = random.Random(9)
        words = [f"w{i}" for i in range(60)]
        crowd = [" ".join(make.sample(words, len(words))) for _ in range(150)]
        names = self.doc_ids(article(i, title="", content=content) for i, content in enumerate(crowd))
        self.assertEqual(len(set(names)), len(crowd))
        self.assertEqual(self.doc_ids(article(1000 + i, title="", content=content + " more")
                                      for i, content in enumerate(crowd)), names)
        # With --candidates 20 fewer documents are compared, so some duplicates are missed.
        self.restart("--candidates", "20")
        found = self.doc_ids(article(2000 + i, title="", content=content + " less")
                             for i, content in enumerate(crowd[40:]))
        self.assertNotEqual(found, names[40:])

    def test_what_failed_is_not_found(self):
        self.service.stop()
        self.service = self.start_with_limit(2048)
        contents = Contents(60, 8)
        contents.send(self, self.service, 60)
        failed = 0
        for i in range(1000):
            text = [f"f{i}_{j}" for j in range(30)]
            status, answer = self.service.post(article(10000 + i, title="", content=" ".join(text), media="x" * 20000))
            if status == 200:
                contents.note(answer["docId"], f"http://example.org/{10000 + i}", text)
                continue
            failed += 1
            if failed == 3:
                break
        self.assertEqual(failed, 3)
        self.restart()
        _, answer = self.service.post(article(20000, title="", content=" ".join(text)))
        self.assertEqual(answer["filterStatus"], "good")
        contents.note(answer["docId"], "http://example.org/20000", text)
        contents.send(self, self.service, 60)

    def test_what_can_be_missed_is_said(self):
        for options, words in (((), None), (("--steps", "url,title"), None), (("--distance", "7"), "within 7 bits (--distance)"),
                               (("--similarity", "0"), "within 7 bits (--similarity 0)"),
                               (("--similarity", "0", "--recipe", "words"), "within 10 bits (--similarity 0)"),
                               (("--candidates", "9"), "at most 9 contents are compared with an article (--candidates)")):
            with tempfile.TemporaryDirectory() as folder:
                service = self.start_service(*options, folder=folder)
                service.doc_id(FIRST)
                self.assertEqual(service.stop(), 0)
                if words:
                    self.assertIn(words + ", so that similar ones can be missed", service.said)
                else:
                    self.assertNotIn("missed", service.said)


if __name__ == "__main__":
    main()
