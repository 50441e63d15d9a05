#!/usr/bin/env python3
"""Tests killed processes and full disks."""
import random
import resource
import signal

from harness import KILLS, Load, Service, TestCase, article, main


class Faults(TestCase):
    def test_killed_under_load(self):
        chance = random.Random(7)
        answered = self.killed_under_load(chance)
        self.assertEqual(len(set(answered.values())), len(answered))
        for number, name in chance.sample(sorted(answered.items()), 200 if len(answered) > 200 else len(answered)):
            self.assertEqual(self.service.doc_id(article(number)), name)
        print(f"\nkilled {KILLS} times, {len(answered)} articles acknowledged, none lost")

    def stop_under_load(self, first):
        """Stops the service properly while articles from `first` on arrive: no answered article is lost."""
        load = Load(self.service, first)
        self.wait_until(lambda: len(load.answered) > 10)
        self.assertEqual(self.service.stop(signal.SIGTERM), 0)
        load.wait()
        self.assertEqual(load.wrong, [])
        self.service = self.start()
        for number, name in load.answered.items():
            self.assertEqual(self.service.doc_id(article(number)), name)

    def test_stopped_under_load(self):
        self.stop_under_load(0)

    def test_answers_before_they_are_stored(self):
        copies = [article(i) for i in range(40)] + [article(100 + i, content=article(i)["content"]) for i in range(40)]
        stored = self.doc_ids(copies)
        self.restart_empty("--answer", "decided")
        self.assertEqual(self.doc_ids(copies), stored)
        self.stop_under_load(1000)
        # If nothing can be stored, early answers are still sent, and the metrics show the failure.
        for answer, status in (("decided", 200), ("stored", 503)):
            self.service.stop()
            self.service = Service(self.folder, "--answer", answer, before=("bash", "-c", 'trap "" XFSZ; exec "$0" "$@"'))
            self.addCleanup(self.service.stop, signal.SIGKILL)
            # From now on, no file can grow, as on a full disk.
            resource.prlimit(self.service.process.pid, resource.RLIMIT_FSIZE, (4096, 4096))
            self.assertEqual(self.service.post(article(5000))[0], status)
            self.assertEqual(self.service.request("POST", "/similar", article(1))[0], 200)
            self.assertIn("docid_failed_commits_total 1", self.service.request("GET", "/metrics")[1])
            self.service.stop(signal.SIGKILL)
            self.service = self.start()
            self.assertEqual(self.service.request("GET", "/articles?url=" + article(5000)["url"])[0], 404)

    def test_stopped_as_soon_as_it_listens(self):
        self.service.doc_id(article(1))
        for _ in range(30):
            self.service.stop()
            self.assertEqual(self.service.printed, "docid_service: stopped, 1 document\n")
            self.service = self.start()


if __name__ == "__main__":
    main()
