#!/usr/bin/env python3
"""Simulates power failures. DOCID_RECORDER names the library of record_writes.cpp."""
import os
import pathlib
import random
import re
import shutil
import signal
import unittest

from harness import KILLS, Service, TestCase, article, main

RECORDER = os.environ.get("DOCID_RECORDER", "")


class Disk:
    """The state of a disk after each record of record_writes.cpp, if the power fails there."""

    def __init__(self, file, folder):
        data = pathlib.Path(file).read_bytes()
        self.folder = folder
        self.records = []  # (what, path, bytes, offset, place in the file)
        place = 0
        while place < len(data):
            end = data.index(b"\n", place)
            what, size, offset, path = data[place:end].decode().split(" ", 3)
            self.records.append((what, path, data[end + 1:end + 1 + int(size)], int(offset), place))
            place = end + 1 + int(size)

    def until(self, count, chance):
        """Returns the files as path -> bytes. `chance` is the probability that an unsynced write has reached the disk."""
        files = {}  # path -> [(place, is_synced, what, bytes, offset)]
        for what, path, data, offset, place in self.records[:count]:
            if what in ("write", "truncate"):
                files.setdefault(path, []).append([place, False, what, data, offset])
            elif what == "sync":
                for write in files.get(path, []):
                    write[1] = write[1] or write[0] < offset
            elif what == "rename":
                files[data.decode()] = files.pop(path, [])
            elif what == "unlink":
                files.pop(path, None)
        result = {}
        for path, writes in files.items():
            content = bytearray()
            for _, is_synced, what, data, offset in writes:
                if not is_synced and chance() >= 0.5:
                    continue
                if what == "truncate":
                    content[offset:] = bytes(max(0, offset - len(content)))
                else:
                    content.extend(bytes(max(0, offset + len(data) - len(content))))
                    content[offset:offset + len(data)] = data
            result[path] = content
        return result

    def answers_until(self, count):
        return {name.decode() for what, _, data, _, _ in self.records[:count] if what == "send"
                for name in re.findall(rb'"docId":"([0-9a-f-]{33})"', data)}


@unittest.skipUnless(RECORDER, "DOCID_RECORDER does not name the library")
class PowerCut(TestCase):
    def check(self, *options):
        self.assertEqual(self.service.stop(), 0)
        record, data = self.folder + "/record", self.folder + "/recorded"
        service = Service(data, *options, environment={"LD_PRELOAD": RECORDER, "RECORD_FOLDER": data, "RECORD_FILE": record})
        self.addCleanup(service.stop, signal.SIGKILL)
        urls = {}
        for batch in range(60):  # more data than SQLite leaves in its log
            articles = [article(40 * batch + i, media="x" * 20000, heat=i) for i in range(40)]
            for one, answer in zip(articles, service.post(articles)[1]):
                urls[answer["docId"]] = one["url"]
            hot = article(40 * batch, nid=f"hot {batch}", media="y" * 20000, heat=100)
            self.assertIn(service.doc_id(hot), urls)
        self.assertEqual(len(urls), 2400)
        service.stop(signal.SIGKILL)
        disk = Disk(record, data)
        chance = random.Random(11)
        cuts = sorted(chance.sample(range(len(disk.records)), 5 * KILLS // 4)) + [len(disk.records)]
        answered = 0
        for number, cut in enumerate(cuts):
            folder = f"{self.folder}/{number}"
            os.mkdir(folder)
            for path, content in disk.until(cut, chance.random if number % 2 else lambda: 1).items():
                target = pathlib.Path(folder + path.removeprefix(data))
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            service = Service(folder, *options)
            names = disk.answers_until(cut)
            for name in names if len(names) < 50 else chance.sample(sorted(names), 50):
                status, found = service.request("GET", "/docs/" + name)
                self.assertEqual((status, found.get("nids", [""])[0]), (200, urls[name]), cut)
                self.assertEqual(found["article"]["url"], urls[name])
            _, text = service.request("GET", "/metrics")
            self.assertGreaterEqual(int(re.search(r"^docid_documents (\d+)", text, re.M)[1]), len(names))
            answered += len(names)
            service.stop(signal.SIGKILL)
            shutil.rmtree(folder)
        self.assertGreater(answered, 500 * KILLS)
        print(f"\n{len(cuts)} power cuts, {answered} answers before them, none lost")

    def test_of_sqlite(self):
        self.check()

    def test_of_rocksdb(self):
        try:
            self.restart("--contents", "rocksdb")
        except RuntimeError as error:
            self.skipTest(str(error).strip())
        self.check("--contents", "rocksdb")


if __name__ == "__main__":
    main()
