#!/usr/bin/env python3
"""Tests of docid_service: starts it on free ports of the loopback address, and stops it.

DOCID_SERVICE names the program, DOCID_RECORDER the library of record_writes.cpp. NEARDUP_EXHAUSTIVE=1: killed a hundred
times and not ten.

No test may depend on the speed of the machine: each waits for what it needs, as long as PATIENCE, and the service leaves no
client that is silent but where that is what is tested.
"""
import collections
import contextlib
import gzip
import http.client
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import chromium

JIEBA = "/usr/lib/python3/dist-packages/jieba"
PROGRAM = os.environ.get("DOCID_SERVICE", "")
RECORDER = os.environ.get("DOCID_RECORDER", "")
PATIENCE = 300  # seconds; more than a slow machine needs, so that only what never happens is given up
KILLS = 100 if os.environ.get("NEARDUP_EXHAUSTIVE") else 10

FIRST = {"url": "http://www.simhash.com", "title": "計算機應用與軟件",
         "content": "海量網絡文本去重系統實驗測試，這是一段測試文本的內容。", "category": "0", "media": "test1",
         "imageCount": "4"}
SECOND = {"url": "http://www.simhash1.com", "title": "計算機應用和軟件2",
          "content": "海量網絡文本去重系統實驗檢測，這是一段相似的測試文本的內容。", "category": "0", "media": "test2",
          "imageCount": "3"}


def sentence(seed, words=40):
    """A text that is like no other: words of its own."""
    make = random.Random(seed)
    return " ".join("".join(make.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(words))


def similarity_of_pairs(one, other):
    """The Jaccard similarity of the pairs of words of two texts; a Chinese character is a word."""
    first, second = pairs_of(one), pairs_of(other)
    return len(first & second) / max(1, len(first | second))


def words_of(text):
    """A Chinese character is a word."""
    return re.findall(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+", text.lower())


def pairs_of(text):
    return set(zip(words_of(text), words_of(text)[1:]))


def longest_run(one, other):
    """The most words in a row that both have."""
    one, other = words_of(one), words_of(other)
    longest, ends = 0, [0] * (len(other) + 1)
    for word in one:
        ends = [0] + [ends[i] + 1 if word == there else 0 for i, there in enumerate(other)]
        longest = max(longest, *ends)
    return longest


def article(number, **fields):
    return {"url": f"http://example.org/{number}", "title": sentence(f"title {number}", 10),
            "content": sentence(f"content {number}")} | fields


class Service:
    """A running docid_service."""

    def __init__(self, folder, *options, environment=None, before=()):
        self.process = subprocess.Popen([*before, PROGRAM, "--port", "0", "--data", folder, "--timeout", "600", *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=os.environ | (environment or {}))
        line = self.process.stdout.readline()
        if not line:
            _, error = self.process.communicate()
            raise RuntimeError(error)
        self.port = int(line.split("127.0.0.1:")[1].split("/")[0])

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def socket(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def request(self, method, path, body=None, headers=None, connection=None):
        """The status and the decoded body."""
        own = connection or self.connect()
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        own.request(method, path, body, headers or {})
        answer = own.getresponse()
        text = answer.read()
        if not connection:
            own.close()
        is_json = answer.getheader("Content-Type", "").startswith("application/json")
        return answer.status, json.loads(text) if is_json and text else text.decode()

    def post(self, body, **options):
        return self.request("POST", "/docId/getDocId", body, **options)

    def doc_id(self, some):
        status, answer = self.post(some)
        if status != 200:
            raise RuntimeError(f"{status} {answer}")
        return answer["docId"]

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.communicate(timeout=PATIENCE)
        return self.process.returncode


class TestCase(unittest.TestCase):
    options = ()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.service = self.start()

    def start(self, *options):
        service = Service(self.folder, *(options or self.options))
        self.addCleanup(service.stop, signal.SIGKILL)
        return service

    def restart(self, *options):
        self.assertEqual(self.service.stop(), 0)
        self.service = self.start(*options)

    def doc_ids(self, articles):
        """Of articles that are sent together."""
        status, answers = self.service.post(list(articles))
        self.assertEqual(status, 200, answers)
        return [one["docId"] for one in answers]

    def wait_until(self, is_true):
        deadline = time.monotonic() + PATIENCE
        while not is_true():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def killed_under_load(self, chance):
        """Kills the service, at random moments, while it answers. Returns: what it acknowledged, as Load has it."""
        answered = {}
        for round_number in range(KILLS):
            load = Load(self.service, 100000 * round_number)
            least = chance.choice((1, 20))
            self.wait_until(lambda load=load, least=least: len(load.answered) >= least)
            time.sleep(chance.uniform(0, 0.4))
            self.service.stop(signal.SIGKILL)
            load.wait()
            self.assertEqual(load.wrong, [])
            self.service = self.start()
            for number, name in load.answered.items():
                self.assertEqual(self.service.request("GET", "/docs/" + name)[0], 200, number)
            answered |= load.answered
        return answered

    def restart_empty(self, *options):
        self.assertEqual(self.service.stop(), 0)
        self.folder += "/other"
        self.service = self.start(*options)


class Server:
    """A real server in a folder of its own, on a socket there; nothing of it is left behind."""

    def __init__(self, folder):
        self.folder = folder
        self.socket = folder + "/socket"
        self.process = None

    def environment(self):
        # A MariaDB that starts removes the temporary tables of others that have the same folder for them.
        return os.environ | {"TMPDIR": self.folder}

    def command(self):
        raise NotImplementedError

    def is_up(self):
        raise NotImplementedError

    def start(self):
        with open(self.folder + "/log", "ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, env=self.environment())
        deadline = time.monotonic() + PATIENCE
        while not self.is_up():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(pathlib.Path(self.folder + "/log").read_text(encoding="utf-8")[-3000:])
            time.sleep(0.05)

    def stop(self, how=signal.SIGKILL):
        if self.process:
            self.process.send_signal(how)
            self.process.wait(PATIENCE)
            self.process = None


class Redis(Server):
    programs = ("redis-server", "redis-cli")

    def command(self):
        # It keeps nothing: the service must not rely on it.
        return ["redis-server", "--port", "0", "--unixsocket", self.socket, "--save", "", "--dir", self.folder]

    def ask(self, *words):
        return subprocess.run(["redis-cli", "-s", self.socket, *words], capture_output=True, text=True, check=False,
                              errors="replace").stdout.strip()

    def is_up(self):
        return self.ask("PING") == "PONG"


class MariaDB(Server):
    programs = ("mariadbd", "mariadb-install-db", "mariadb")

    def __init__(self, folder):
        super().__init__(folder)
        self.options = folder + "/options.cnf"
        user = ["--user=root"] if os.getuid() == 0 else []
        done = subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={folder}/data", "--skip-test-db",
                               "--auth-root-authentication-method=normal", *user],
                              capture_output=True, text=True, check=False, env=self.environment())
        if done.returncode != 0:
            raise RuntimeError(f"mariadb-install-db: {done.stdout[-3000:]}{done.stderr[-3000:]}")
        pathlib.Path(self.options).write_text(
            f"[client]\nsocket={self.socket}\nuser=root\ndatabase=docid\ndefault-character-set=gbk\n", encoding="utf-8")

    def command(self):
        user = ["--user=root"] if os.getuid() == 0 else []
        return ["mariadbd", "--no-defaults", f"--datadir={self.folder}/data", f"--socket={self.socket}",
                "--skip-networking", f"--pid-file={self.folder}/pid", "--innodb-buffer-pool-size=64M",
                *user]

    def ask(self, sql):
        return subprocess.run(["mariadb", "--no-defaults", f"--socket={self.socket}", "--user=root", "-N", "-e", sql],
                              capture_output=True, text=True, check=False)

    def is_up(self):
        return self.ask("CREATE DATABASE IF NOT EXISTS docid").returncode == 0


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
        self.assertEqual(second, {"filterReason": "docId_filter duplicate by content, distance 4, similarity 0.875",
                                  "docId": first["docId"], "filterStatus": "duplicate", "status": "success"})

    def test_simhash_of_words_joins_them_within_9_bits(self):
        for options, last in (((), ", distance 9, similarity 0.875"), (("--distance", "8"), None)):
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
        # Their sets of characters are equal, so only what stands beside what tells them apart.
        make = random.Random(4)
        contents = ["".join(chr(0x4e00 + make.randrange(300)) for _ in range(4000)) for _ in range(12)]
        for recipe in ("minwise", "words", "pairs"):
            for title in ("公告", ""):
                self.restart_empty("--recipe", recipe)
                names = self.doc_ids(article(i, title=title, content=content) for i, content in enumerate(contents))
                self.assertEqual(len(set(names)), len(names), (recipe, title))
                # A third of a text is replaced, and it is a version still.
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
                # Each begins where a part ends that the next one has not: there are pages that repeat each other.
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
        # The same article again is a new document, with a docId that has never been given.
        for _ in range(2):
            status, answer = self.service.post(one)
            self.assertEqual((status, answer["filterStatus"]), (200, "good"))
            self.assertNotEqual(answer["docId"], name)
            name = answer["docId"]
            self.service.request("DELETE", path)
            self.restart()

    def shown(self, name):
        """The nid of the article that is kept, whatever the service has in memory."""
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
        # What is not shown leaves nothing behind either.
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
        # Under its nid, or its url with another nid; a title of its own or none.
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
            # And back again, in a batch that changes its mind.
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

    def test_a_store_of_a_version_that_kept_one_article(self):
        one = article(1)
        names = self.doc_ids([one | {"nid": "a", "heat": 1}, article(5, nid="five")])
        for nid, heat in (("b", 7), ("c", 3)):
            self.service.doc_id(one | {"nid": nid, "url": nid, "heat": heat})
        self.service.stop()
        with contextlib.closing(sqlite3.connect(self.folder + "/docid.sqlite")) as file:
            file.executescript("""
                CREATE TABLE old(number INTEGER PRIMARY KEY, document INTEGER NOT NULL, nid TEXT NOT NULL, url TEXT NOT NULL);
                INSERT INTO old SELECT number, document, nid, url FROM article ORDER BY number;
                DELETE FROM content WHERE document = 1;
                INSERT INTO content SELECT o.* FROM other_content o JOIN document d
                  ON d.number = o.document AND d.version = o.version;
                DROP TABLE article; DROP TABLE other_content; DROP TABLE redefinition;
                ALTER TABLE old RENAME TO article;
                CREATE INDEX article_of_document ON article(document);""")
        self.service = self.start()
        self.assertEqual([self.service.request("GET", "/articles/" + nid)[1]["docId"] for nid in ("a", "b", "c", "five")],
                         [names[0]] * 3 + names[1:])
        self.assertEqual(self.shown(names[0]), "b")
        # What comes again is stored from now on, and only that can be shown.
        self.service.doc_id(one | {"nid": "b", "url": "b", "heat": 7})
        self.service.doc_id(one | {"nid": "c", "url": "c", "heat": 3})
        self.assertEqual(self.shown(names[0]), "b")
        self.assertEqual(self.service.request("DELETE", "/articles/b")[0], 200)
        self.assertEqual(self.shown(names[0]), "c")
        self.assertEqual(self.service.request("DELETE", "/articles/c")[0], 200)
        self.assertEqual(self.shown(names[0]), "c")  # nothing else is there
        self.assertEqual(self.service.doc_id(article(9, nid="five", url=article(5)["url"])), names[1])
        self.assertEqual(self.service.doc_id(article(10, content=article(9)["content"])), names[1])
        for nid in ("a", "five", urllib.parse.quote(article(10)["url"], safe="")):
            self.assertEqual(self.service.request("DELETE", "/articles/" + nid)[0], 200)
        self.assertEqual([self.service.request("GET", "/docs/" + name)[0] for name in names], [404, 404])

    def test_any_nid_can_be_taken_out(self):
        nid = "a\r\nb?%2F"
        self.service.doc_id(article(1, nid=nid))
        self.assertEqual(self.service.request("DELETE", "/articles/" + urllib.parse.quote(nid, safe=""))[0], 200)

    def test_a_url_of_two_documents_stays_with_the_one_that_is_left(self):
        self.restart("--steps", "title,content")
        first = self.service.doc_id(article(1, nid="a", url="U"))
        second = self.service.doc_id(article(2, nid="b", url="U"))
        self.assertNotEqual(first, second)
        self.restart()
        self.assertEqual(self.service.request("DELETE", "/articles/a")[0], 200)
        for _ in range(2):
            self.assertEqual(self.service.doc_id(article(3, nid="c", url="U")), second)
            self.restart()

    def test_a_restart_changes_nothing(self):
        names = [self.service.doc_id(article(i)) for i in range(50)]
        self.restart()
        self.assertEqual([self.service.doc_id(article(i)) for i in range(50)], names)
        self.assertEqual([self.service.doc_id(article(100 + i, content=article(i)["content"])) for i in range(50)], names)

    def test_a_store_of_a_version_without_pairs(self):
        make = random.Random(5)
        contents = ["".join(chr(0x4e00 + make.randrange(300)) for _ in range(3000)) for _ in range(6)]
        names = self.doc_ids(article(i, title=f"公告{i}", content=content) for i, content in enumerate(contents))
        hot = contents[1][:1000] + contents[0][1000:1500] + contents[1][1500:]
        self.assertEqual(self.service.doc_id(article(50, title="公告1", content=hot, heat=9)), names[1])
        self.service.stop()
        with contextlib.closing(sqlite3.connect(self.folder + "/docid.sqlite")) as file:
            file.execute("DROP TABLE pairs")
        self.service = self.start()
        for title in range(6):
            own, other = contents[title], contents[title - 1]
            half = len(own) // 2
            self.assertNotEqual(self.service.doc_id(article(100 + title, title=f"公告{title}", content=other[half:])),
                                names[title])
            copy = article(200 + title, title=f"公告{title}", content=own[:2000] + other[2000:2500] + own[2500:])
            self.assertEqual(self.service.doc_id(copy), names[title])
        self.assertIn("docid_checks_without_pairs_total 0", self.service.request("GET", "/metrics")[1])

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
        gone = names.pop(9)  # a page may begin behind one that is gone
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
        mixed = "".join(make.sample(text, len(text)))  # the same characters
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
        # One that has become the first, and one that is gone.
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


class Clues(TestCase):
    """GET /find, held against comparing the clue with every article that is kept."""
    options = ("--clues", "yes")

    def find(self, clue, **parameters):
        status, found = self.service.request("GET", "/find?" + urllib.parse.urlencode({"clue": clue} | parameters))
        self.assertEqual(status, 200, found)
        return found

    def kept(self):
        """All documents by age: their docIds and the articles that are kept."""
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
            # It is a stretch of the length of the clue, give or take what stands between.
            self.assertLessEqual(len(words_of(inside)), len(words_of(clue)) * 5 // 4)
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
                if make.random() < 0.3:  # another article of a document, which may be hotter
                    self.service.doc_id(one | {"nid": f"copy{i}", "url": f"copy{i}", "heat": make.randrange(4),
                                               "content": text + " " + self.text(make, i % 2)[:9]})
            for _ in range(6):  # the same articles with other texts and heats, and some that go
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
        # All have the four pairs of the clue, and different runs of it; the 101st has all of it in a row.
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
        # In one transaction the kept article cools down and gives way to another one.
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
                             ("clue=%EF%BC%8C%20!%20", "there is no word in it"), ("clue=word", "two words at least"),
                             ("clue=%E6%B5%B7", "two words at least"), ("clue=%ff%fe", "not UTF-8"),
                             ("clue=a+b&limit=0", "limit is no number from 1 to 100: 0"),
                             ("clue=a+b&limit=101", "limit"), ("clue=a+b&share=2", "share is no number from 0 to 1: 2"),
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
        # What came meanwhile is known to a service that is started with it.
        self.restart()
        self.assertEqual([one["docId"] for one in self.check(FIRST["content"])], [name])
        for options, words in ((["--clues", "1"], "--clues takes yes or no"),
                               (["--clues", "yes", "--mariadb", "x"], "--clues yes with --mariadb")):
            with self.assertRaisesRegex(RuntimeError, words):
                Service(self.folder + "/other", *options)

    @unittest.skipUnless(chromium.PROGRAM, "chromium is not there")
    def test_in_a_browser(self):
        self.service.doc_id(FIRST)
        shown = chromium.dump_dom(f"http://127.0.0.1:{self.service.port}/?clue=" + urllib.parse.quote("本去重系統實驗測量"))
        self.assertIn("海量網絡文</span><mark>本去重系統實驗測</mark><span>試，", shown)


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


class BadInput(TestCase):
    options = ("--max-body", "20000")

    def test_what_is_wrong_is_said(self):
        for body, words in ((b'{"url":', "not JSON"), (b"", "not JSON"), (b'{"url":"\xff"}', "UTF-8"), (b"3", "object"),
                            (b"{}", '"url" is missing'), (b'{"url":"a","title":"b"}', '"content" is missing'),
                            (b'{"url":3,"title":"b","content":"c"}', '"url" is not a string'),
                            (b'{"url":"","title":"b","content":"c"}', '"url" is empty'),
                            (b'{"url":"a","title":"b","content":"c","heat":"x"}', '"heat" is not a number'),
                            (b'{"url":"a","title":"b","content":"c","media":[]}', '"media" is neither'),
                            (b'{"url":"a","title":"b","content":"c","nid":18446744073709551616}', "integer of 64 bits"),
                            (b"[" * 9000, "not JSON")):
            status, answer = self.service.post(body)
            self.assertEqual((status, answer["status"]), (400, "error"), body)
            self.assertIn(words, answer["error"])
        self.assertIn("json is missing", self.service.request("GET", "/docId/getDocId")[1]["error"])
        self.assertEqual(self.service.request("GET", "/nothing")[0], 404)

    def test_null_is_absent(self):
        nothing = {"nid": None, "category": None, "media": None, "imageCount": None, "heat": None}
        name = self.service.doc_id(article(1) | nothing)
        self.assertEqual(self.service.request("GET", "/docs/" + name)[1]["article"], article(1) | {"nid": article(1)["url"],
                                                                                                   "heat": 0.0})
        for field in ("url", "title", "content"):
            status, answer = self.service.post(article(1) | {field: None})
            self.assertEqual((status, answer["error"]), (400, f'the field "{field}" is missing'))

    def test_a_form(self):
        one = article(1, title="100% + & = 二")
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        name = self.service.doc_id(one)
        for fields in ([("json", json.dumps(one))], [("a", "b&c"), ("json", json.dumps(one, ensure_ascii=False))]):
            status, answer = self.service.post(urllib.parse.urlencode(fields), headers=form)
            self.assertEqual((status, answer["docId"]), (200, name))
        self.assertEqual(self.service.post(json.dumps(one), headers=form)[1]["docId"], name)  # as curl -d sends it
        for body in ("a=b", "json", "xjson={}", "json=%", "json=%7"):
            self.assertEqual(self.service.post(body, headers=form)[0], 400, body)
        self.assertEqual(self.service.request("GET", "/docs/" + name)[1]["article"]["title"], one["title"])

    def test_methods_that_a_page_does_not_take(self):
        for method, path, allowed in (("PUT", "/docId/getDocId", "GET, POST"), ("DELETE", "/docId/getDocId", "GET, POST"),
                                      ("PUT", "/articles/a", "GET, DELETE"), ("POST", "/articles/a", "GET, DELETE"),
                                      ("GET", "/similar", "POST"), ("PATCH", "/similar", "POST"),
                                      ("POST", "/health", "GET"), ("DELETE", "/docs", "GET"),
                                      ("PUT", "/docs/" + "0" * 16 + "-" + "0" * 16, "GET")):
            for body in (None, b"{}"):
                connection = self.service.connect()
                connection.request(method, path, body)
                answer = connection.getresponse()
                text = json.loads(answer.read())
                connection.close()
                self.assertEqual((answer.status, answer.getheader("Allow")), (405, allowed), (method, path))
                self.assertIn(method, text["error"])
        for path in ("/health", "/", "/metrics", "/docs"):
            self.assertEqual(self.service.request("HEAD", path)[0], 200)
        self.assertEqual(self.service.request("PUT", "/nothing")[0], 404)

    def test_what_is_in_a_body_is_no_request(self):
        kept = self.service.doc_id(article(1, nid="kept"))
        inner = b"DELETE /articles/kept HTTP/1.1\r\nHost: a\r\n\r\n"
        for line, kind, status in ((b"POST /docId/getDocId", b"Content-Type: multipart/form-data; boundary=b", b"415"),
                                   (b"POST /elsewhere", b"Content-Type: text/plain", b"400"),
                                   (b"GET /health", b"Content-Type: text/plain", b"400")):
            with self.service.socket() as client:
                client.sendall(line + b" HTTP/1.1\r\nHost: a\r\n" + kind +
                               b"\r\nContent-Length: %d\r\n\r\n" % len(inner))
                time.sleep(0.2)  # mostly, the service sees it alone; it may not
                answer = b""
                try:
                    client.sendall(inner)
                    while block := client.recv(65536):
                        answer += block
                except ConnectionError:
                    pass
            self.assertTrue(not answer or answer.startswith(b"HTTP/1.1 " + status), answer)
            self.assertLessEqual(answer.count(b"HTTP/1.1 "), 1)
            self.assertEqual(self.service.doc_id(article(1, nid="kept")), kept)
            self.assertEqual(self.service.post(article(1, nid="kept"))[1]["filterReason"], "docId_filter duplicate by nid")

    def test_the_head_of_an_answer_keeps_nothing(self):
        path = "/docId/getDocId?json=" + urllib.parse.quote(json.dumps(article(1)))
        self.assertEqual(self.service.request("HEAD", path)[0], 400)
        self.assertEqual(self.service.request("GET", path, headers={"Range": "bytes=0-3"})[0], 400)
        self.assertEqual(self.service.post(article(1))[1]["filterStatus"], "good")

    def test_a_failed_start_leaves_no_mark(self):
        other = self.folder + "/other"
        with self.assertRaisesRegex(RuntimeError, "no recipe"):
            Service(other, "--recipe", "none")
        service = Service(other)
        self.addCleanup(service.stop, signal.SIGKILL)

    def test_a_wrong_article_of_a_batch_does_not_stop_the_others(self):
        _, answers = self.service.post([article(1), {}, article(2)])
        self.assertEqual([one["status"] for one in answers], ["success", "error", "success"])
        lines = json.dumps(article(3)) + "\n{\n\n" + json.dumps(article(4))
        _, text = self.service.post(lines, headers={"Content-Type": "application/jsonl"})
        self.assertEqual([json.loads(line)["status"] for line in text.splitlines()], ["success", "error", "success"])

    def test_too_long(self):
        self.assertEqual(self.service.post(article(1, content="x" * 30000))[0], 413)
        self.assertEqual(self.service.post(article(1, content="x " * 9000))[0], 200)
        body = json.dumps(article(1, content="x" * 30000)).encode()
        # The answer may come, and the connection end, before all is sent: then sending fails, and if what was sent was
        # not read any more, the answer may be gone, too.
        connection = self.service.socket()
        answer = b""
        try:
            connection.sendall(b"POST /docId/getDocId HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            for part in (body[:15000], body[15000:], b""):
                connection.sendall(b"%x\r\n%s\r\n" % (len(part), part))
        except (ConnectionResetError, BrokenPipeError):
            pass
        try:
            while part := connection.recv(65536):
                answer += part
        except ConnectionResetError:
            pass
        connection.close()
        if answer:
            self.assertEqual(answer.split()[1], b"413")
        self.assertEqual(self.service.post(article(3))[0], 200)
        line = json.dumps(article(2)) + "\n" + "x" * 50000
        _, text = self.service.post(line, headers={"Content-Type": "application/x-ndjson"})
        self.assertEqual([json.loads(one)["status"] for one in text.splitlines()], ["success", "error"])

    def test_features_beyond_the_memory_are_read(self):
        # Enough documents for several chunks of a memory that has room for few.
        texts = [article(number, title=f"t{number}", content=sentence(f"content {number}", 200)) for number in range(200)]
        for memory in ("0", "16K", "1G"):
            self.restart_empty("--feature-memory", memory)
            first = [one["docId"] for one in self.service.post(texts)[1]]
            self.assertEqual(len(set(first)), 200)
            copies = [one | {"url": one["url"] + "/copy", "content": one["content"] + " x"} for one in texts]
            self.assertEqual([one["docId"] for one in self.service.post(copies)[1]], first, memory)
            metrics = dict(line.split() for line in self.service.request("GET", "/metrics")[1].splitlines()
                           if not line.startswith("#") and len(line.split()) == 2)
            read, kept = float(metrics["docid_checks_read_total"]), float(metrics["docid_feature_bytes"])
            self.assertEqual(read == 0, memory == "1G", memory)
            # A chunk of 4 MB for the features, and one for the pairs.
            self.assertLessEqual(kept, 32768 if memory != "1G" else 2 * 4 * 2**20)
            self.restart("--feature-memory", memory)  # nothing is in memory now
            copies = [one | {"url": one["url"] + "/again", "content": one["content"] + " y"} for one in texts]
            self.assertEqual([one["docId"] for one in self.service.post(copies)[1]], first, memory)

    def test_slow_clients_are_left(self):
        with tempfile.TemporaryDirectory() as folder:
            patient = Service(folder)
            self.addCleanup(patient.stop, signal.SIGKILL)
            self.restart("--timeout", "2")
            connections = [service.socket() for service in (patient, self.service)]
            for connection in connections:
                self.addCleanup(connection.close)
                connection.sendall(b"POST /docId/getDocId HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
            while connections[1].recv(65536):
                pass
            # The one that waits longer for its clients still does.
            connections[0].setblocking(False)
            with self.assertRaises(BlockingIOError):
                connections[0].recv(65536)

    def test_too_many_connections(self):
        self.restart("--connections", "40")
        first = [self.service.connect() for _ in range(40)]
        for connection in first:
            self.assertEqual(self.service.request("GET", "/health", connection=connection)[0], 200)
        for _ in range(20):
            self.assertEqual(self.service.request("GET", "/health")[0], 503)
        for connection in first:
            connection.close()
        self.wait_until(lambda: self.service.request("GET", "/health")[0] == 200)

    def test_memory_is_bounded(self):
        self.restart("--max-body", "4000000", "--max-waiting", "12000000", "--connections", "60", "--feature-memory", "1M")
        body = json.dumps([article(i, nid=f"{i}", content="x " * 200) for i in range(6000)]).encode()
        statuses = collections.Counter()

        def send():
            for _ in range(5):
                try:
                    statuses[self.service.post(body)[0]] += 1
                except OSError:  # refused before all was sent
                    statuses["left"] += 1

        threads = [threading.Thread(target=send) for _ in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(statuses[200] + statuses[503] + statuses["left"], 150, statuses)
        self.assertGreater(statuses[200], 0)
        peak = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{self.service.process.pid}/status").read_text())[1])
        print(f"\n{statuses}, {len(body)} bytes each; at most {peak / 1000:.0f} MB")
        self.assertLess(peak, 400_000)
        # Bodies that are too much together, none of which is whole before all are on their way.
        waiting = [self.service.socket() for _ in range(12_000_000 // len(body) + 1)]
        for one in waiting:
            self.addCleanup(one.close)
            one.sendall(b"POST /docId/getDocId HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:-1])
        for one in waiting:
            one.sendall(body[-1:])
        self.assertIn(b"503", [one.recv(65536).split()[1] for one in waiting])
        self.assertEqual(self.service.post(body)[0], 200)

    def test_a_thousand_connections(self):
        self.restart("--connections", "200")
        # It keeps its place, so that it is known how many others there are.
        first = self.service.connect()
        self.addCleanup(first.close)
        kept = self.service.post(article(1), connection=first)[1]["docId"]
        sockets = []
        self.addCleanup(lambda: [one.close() for one in sockets])
        for _ in range(1000):
            sockets.append(self.service.socket())
        for one in sockets:
            one.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        statuses = collections.Counter(self.status_of(one) for one in sockets)
        self.assertEqual(statuses, {200: 199, 503: 801})
        # Those that are served go on being served.
        self.assertEqual(sum(1 for one in sockets if self.is_served(one)), 199)
        self.assertEqual(self.service.post(article(1), connection=first)[1]["docId"], kept)
        for one in sockets:
            one.close()
        # The service notices that they are closed one after the other.
        answers = []
        self.wait_until(lambda: answers.append(self.service.post(article(1))) or answers[-1][0] == 200)
        self.assertEqual(answers[-1][1]["docId"], kept)

    @staticmethod
    def status_of(one):
        """Of an answer that is read to its end, in however many pieces it comes."""
        answer = http.client.HTTPResponse(one)
        answer.begin()
        answer.read()
        return answer.status

    def is_served(self, one):
        try:
            one.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            return self.status_of(one) == 200
        except (OSError, http.client.HTTPException):
            return False

    def test_the_command_line(self):
        for options, words in ((["--port"], "needs a value"), (["--port", "x"], "--port x"), (["--no", "1"], "no option --no"),
                               (["--recipe", "x"], 'no recipe "x"'), (["--distance", "-1"], "--distance -1"),
                               (["--port=x"], "--port x"), (["--no=1"], "no option --no"), (["--data="], "filesystem"),
                               (["--answer=never"], "--answer takes stored or decided"),
                               (["--steps", "url,x"], 'no step "x"')):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([PROGRAM, "--data", folder, *options], capture_output=True, text=True,
                                      timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 1, options)
            self.assertIn(words, done.stderr)

    def test_options_with_an_equals_sign(self):
        self.restart_empty("--steps=url,title", "--title-content", "0")
        names = {self.service.doc_id(article(i, title="a=b")) for i in range(2)}
        self.assertEqual(len(names), 1)

    def test_the_version(self):
        done = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, timeout=PATIENCE, check=True)
        header = pathlib.Path(__file__).resolve().parents[2] / "include/neardup/version.hpp"
        version = re.search('NEARDUP_VERSION_STRING "(.*)"', header.read_text(encoding="utf-8"))[1]
        self.assertEqual(done.stdout, f"docid_service {version}\n")

    def test_one_service_a_folder_and_one_recipe(self):
        with self.assertRaisesRegex(RuntimeError, "locked"):
            Service(self.folder)
        self.assertEqual(self.service.stop(), 0)
        with self.assertRaisesRegex(RuntimeError, "it was made with"):
            Service(self.folder, "--recipe", "pairs")

    def test_one_service_a_port(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(RuntimeError, "cannot listen"):
                Service(folder + "/fresh", "--port", str(self.service.port))
            self.assertEqual(os.listdir(folder), [])


class Load:
    """Threads that send articles one after the other, until they get no answer any more."""

    def __init__(self, service, first, count=4):
        self.answered = {}  # the number of an article -> docId
        self.wrong = []
        self.threads = [threading.Thread(target=self.send, args=(service, first + i, count)) for i in range(count)]
        for thread in self.threads:
            thread.start()

    def send(self, service, number, step):
        connection = service.connect()
        try:
            while True:
                status, answer = service.post(article(number), connection=connection)
                if status == 503:
                    return
                if status != 200:
                    self.wrong.append((status, answer))
                    return
                self.answered[number] = answer["docId"]
                number += step
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()

    def wait(self):
        for thread in self.threads:
            thread.join()  # each of its requests ends


class Faults(TestCase):
    def test_killed_under_load(self):
        chance = random.Random(7)
        answered = self.killed_under_load(chance)
        self.assertEqual(len(set(answered.values())), len(answered))
        for number, name in chance.sample(sorted(answered.items()), 200 if len(answered) > 200 else len(answered)):
            self.assertEqual(self.service.doc_id(article(number)), name)
        print(f"\nkilled {KILLS} times, {len(answered)} articles acknowledged, none lost")

    def stop_under_load(self, first):
        """Stops the service as it should be, while articles from `first` on come: nothing that it answered is lost."""
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
        # Where nothing can be stored it answers all the same, and says so in its metrics.
        for answer, status in (("decided", 200), ("stored", 503)):
            self.service.stop()
            self.service = Service(self.folder, "--answer", answer, before=("bash", "-c", 'trap "" XFSZ; exec "$0" "$@"'))
            self.addCleanup(self.service.stop, signal.SIGKILL)
            # From now on no file may grow, which is what a full disk is like.
            resource.prlimit(self.service.process.pid, resource.RLIMIT_FSIZE, (4096, 4096))
            self.assertEqual(self.service.post(article(5000))[0], status)
            self.assertEqual(self.service.request("POST", "/similar", article(1))[0], 200)
            self.assertIn("docid_failed_commits_total 1", self.service.request("GET", "/metrics")[1])
            self.service.stop(signal.SIGKILL)
            self.service = self.start()
            self.assertEqual(self.service.request("GET", "/articles?url=" + article(5000)["url"])[0], 404)

    def test_stopped_as_soon_as_it_listens(self):
        for _ in range(30):
            self.service.stop()
            self.service = self.start()

    def test_a_store_that_cannot_grow(self):
        self.service.stop()
        # No file of this process may have more than a megabyte, which is what a full disk is like.
        self.service = Service.__new__(Service)
        self.service.process = subprocess.Popen(
            ["bash", "-c", 'trap "" XFSZ; ulimit -f 1024; exec "$0" "$@"', PROGRAM, "--port", "0", "--data", self.folder],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.service.stop, signal.SIGKILL)
        self.service.port = int(self.service.process.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
        answered = {}
        failures = 0
        for number in range(1000):
            status, answer = self.service.post(article(number, media="x" * 20000))
            if status == 200:
                answered[number] = answer["docId"]
            else:
                self.assertEqual(status, 503)
                self.assertIn("SQLite", answer["error"])
                failures += 1
                if failures == 20:
                    break
        self.assertEqual(failures, 20)
        self.assertEqual(self.service.request("GET", "/health")[0], 200)
        self.service.stop(signal.SIGKILL)
        self.service = self.start()
        for number, name in answered.items():
            self.assertEqual(self.service.doc_id(article(number)), name)
        _, answer = self.service.post(article(5000))
        self.assertEqual(answer["filterStatus"], "good")
        self.assertNotIn(answer["docId"], answered.values())


class Disk:
    """What a disk has after each record of record_writes.cpp, if the power fails there."""

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
        """Path -> bytes. `chance`: of an unsynced write to be there all the same."""
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
        for batch in range(60):  # more than SQLite leaves in its log
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


def is_installed(*servers):
    return all(shutil.which(program) for server in servers for program in server.programs)


@unittest.skipUnless(is_installed(Redis, MariaDB), "redis-server or mariadb-server is not there")
class OtherStores(TestCase):
    """The stack of the published descriptions: Redis, MariaDB, and RocksDB in the place of HBase."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.servers = []
        for kind in (Redis, MariaDB):
            os.mkdir(f"{folder.name}/{kind.__name__}")
            server = kind(f"{folder.name}/{kind.__name__}")
            self.addCleanup(server.stop)
            server.start()
            self.servers.append(server)
        self.redis, self.mariadb = self.servers
        self.shared = ("--redis", self.redis.socket, "--mariadb", self.mariadb.options)
        self.options = (*self.shared, "--contents", "rocksdb")
        try:
            super().setUp()
        except RuntimeError as error:
            if "built without it" in str(error):
                self.skipTest(str(error).strip())
            raise

    def another(self, *options, environment=None):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        service = Service(folder.name, *options, environment=environment)
        self.addCleanup(service.stop, signal.SIGKILL)
        return service

    def test_a_redis_with_a_password(self):
        os.mkdir(folder := self.redis.folder + "/locked")
        locked = Redis(folder)
        self.addCleanup(locked.stop)
        locked.start()
        locked.ask("CONFIG", "SET", "requirepass", "opensesame")
        with self.assertRaisesRegex(RuntimeError, "Redis at .*: NOAUTH"):
            self.another("--redis", locked.socket)
        with self.assertRaisesRegex(RuntimeError, "Redis at .*: WRONGPASS"):
            self.another("--redis", locked.socket, environment={"REDISCLI_AUTH": "sesame"})
        service = self.another("--redis", locked.socket, environment={"REDISCLI_AUTH": "opensesame"})
        self.assertEqual(service.doc_id(article(1)), service.doc_id(article(1, url="http://example.org/other")))

    def test_they_answer_like_sqlite(self):
        chance = random.Random(3)
        plain = self.another()
        articles = [article(i, nid=f"{i} 二 ' \\ \"", heat=chance.randrange(10)) for i in range(200)]
        articles += [one | {"nid": f"copy of {one['nid']}", "url": one["url"] + "/copy", "heat": chance.randrange(10),
                            "title": chance.choice([one["title"], "copy"]),
                            "content": one["content"] + chance.choice(["", " more", " " + sentence(1, 100)])}
                     for one in chance.sample(articles, 100)]
        articles += [article(1000 + i, url=articles[i]["url"]) for i in range(20)]
        articles += [article(3000 + i, nid=f"update {i}", url=articles[i]["url"]) for i in range(20, 30)]
        articles += [articles[i] | {"content": article(4000 + i)["content"], "heat": chance.randrange(10)}
                     for i in range(30, 60)]
        articles += [article(5000 + i, content=article(4000 + i)["content"] + " more") for i in range(30, 60)]
        articles += [article(2000 + i, title=title, content=content)
                     for i, (title, content) in enumerate([("", "a b c d"), ("!!!", "e f g h"), ("", "?")])]
        chance.shuffle(articles)
        reasons = set()
        for begin in range(0, len(articles), 40):
            part = articles[begin:begin + 40]
            answers = self.service.post(part)[1]
            self.assertEqual(answers, plain.post(part)[1])
            reasons |= {one["filterReason"].removeprefix("docId_filter ").split(",")[0] for one in answers}
            for gone in chance.sample(part, min(5, len(part))):
                path = "/articles/" + urllib.parse.quote(gone.get("nid", gone["url"]), safe="")
                self.assertEqual(self.service.request("DELETE", path), plain.request("DELETE", path))
            if begin == 120:
                self.restart()
        self.assertEqual(reasons, {"good news", "duplicate by nid", "duplicate by url", "duplicate by title",
                                   "duplicate by content"})
        self.assertGreater(len(plain.request("GET", "/docs?limit=1000")[1].splitlines()), 100)
        for path in ("/docs?limit=1000", "/docs?limit=7&after=" + answers[0]["docId"], "/articles?url=http://example.org/3",
                     "/articles/" + urllib.parse.quote(articles[0].get("nid", articles[0]["url"]), safe="")):
            self.assertEqual(self.service.request("GET", path), plain.request("GET", path))
        for name in {one["docId"] for one in answers}:
            self.assertEqual(self.service.request("GET", "/docs/" + name), plain.request("GET", "/docs/" + name))
        text = {"content": articles[0]["content"]}
        self.assertEqual(self.service.request("POST", "/similar", text), plain.request("POST", "/similar", text))
        metrics = [{line for line in one.request("GET", "/metrics")[1].splitlines()
                    if line.startswith(("docid_documents ", "docid_nids "))} for one in (self.service, plain)]
        self.assertEqual(*metrics)

    def sets(self, prefix):
        keys = self.redis.ask("--no-raw", "KEYS", "*").splitlines()
        return sum(f'"{prefix}:' in key and ":KNOWN:" not in key for key in keys)

    def test_the_keys_in_redis(self):
        few_bits = ("--title-distance", "3", "--distance", "3")
        self.restart(*self.shared, *few_bits)
        self.service.doc_id(FIRST)
        for prefix, sets in (("URL_INDEX", 1), ("TITLE_INDEX", 4), ("CONTENT_INDEX", 4)):
            self.assertEqual(self.sets(prefix), sets)
        self.restart(*self.shared, *few_bits, "--blocks", "5")
        self.service.doc_id(article(1))
        self.assertEqual(self.sets("CONTENT_INDEX"), 4 + 2 * 10)  # those of the other layout stay

    def test_redis_is_given_what_it_lacks(self):
        names = [self.service.doc_id(article(i)) for i in range(10)]

        def found(word):
            return [self.service.doc_id(article(i, nid=f"{word} {i}", url=f"{word} {i}", title="")) == names[i]
                    for i in range(10)]

        # As if the service had been killed five times between a commit of MariaDB and that of Redis.
        self.redis.ask("FLUSHALL")
        self.redis.ask("SET", "CONTENT_INDEX:KNOWN:7:4", "5")
        self.assertEqual(found("a"), [False] * 5 + [True] * 5)
        self.redis.ask("FLUSHALL")
        self.assertEqual(found("b"), [True] * 10)

    @contextlib.contextmanager
    def hold(self, lock="START TRANSACTION; SELECT * FROM store FOR UPDATE"):
        """Another session that keeps the service in its transaction: just before the commit, if no lock is given."""
        holder = subprocess.Popen(["mariadb", "--no-defaults", f"--socket={self.mariadb.socket}", "--user=root",
                                   "--unbuffered", "-N", "docid"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            holder.stdin.write(f"{lock}; SELECT 'held';\n")
            holder.stdin.flush()
            while (line := holder.stdout.readline().strip()) != "held":
                self.assertIsNone(holder.poll(), line)
            yield
        finally:
            holder.communicate()  # its end is a rollback

    def wait_until_one_waits(self):
        """Returns when a request of the service waits for the lock, of a row or of a table."""
        waiting = ("SELECT (SELECT variable_value FROM information_schema.global_status"
                   " WHERE variable_name = 'Innodb_row_lock_current_waits')"
                   " + (SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE 'Waiting for table%') > 0")
        self.wait_until(lambda: self.mariadb.ask(waiting).stdout.strip() == "1")

    def test_redis_that_forgets_in_a_transaction(self):
        names = [self.service.doc_id(article(i)) for i in range(5)]
        answers = []
        post = threading.Thread(target=lambda: answers.append(self.service.post(article(5))))
        with self.hold():
            post.start()
            self.wait_until_one_waits()
            self.redis.ask("FLUSHALL")
        post.join()
        self.assertEqual(answers[0][0], 200)
        for i, name in enumerate(names + [answers[0][1]["docId"]]):
            answer = self.service.post(article(i, nid=f"u{i}"))[1]
            self.assertEqual((answer["docId"], answer["filterReason"]), (name, "docId_filter duplicate by url"))
            self.assertEqual(self.service.doc_id(article(i, nid=f"c{i}", url=f"c{i}", title="")), name)
        # It belongs to this store again.
        with self.assertRaisesRegex(RuntimeError, "index of another store"):
            self.another("--redis", self.redis.socket)

    def test_redis_that_forgets_before_it_is_searched(self):
        names = [self.service.doc_id(article(i)) for i in range(5)]
        copy = article(0, nid="copy", url="copy", title="")
        answers = []
        post = threading.Thread(target=lambda: answers.append(self.service.post(copy)))
        with self.hold("LOCK TABLES article WRITE"):
            post.start()
            self.wait_until_one_waits()
            self.redis.ask("FLUSHALL")
        post.join()
        self.assertEqual(answers[0][0], 503, answers[0][1])
        self.assertEqual(self.service.doc_id(copy), names[0])

    def test_a_service_that_starts_disturbs_no_other(self):
        answers = []
        post = threading.Thread(target=lambda: answers.append(self.service.post([article(i) for i in range(50)])))
        others = []
        start = threading.Thread(target=lambda: others.append(self.another(*self.shared)))
        with self.hold():
            post.start()
            self.wait_until_one_waits()
            start.start()  # it may have to wait, too
            start.join(1)
        start.join()
        post.join()
        other = others[0]
        self.assertEqual(answers[0][0], 200, answers[0][1])
        self.assertEqual(other.doc_id(article(7)), answers[0][1][7]["docId"])

    def test_what_one_service_redefines_the_others_know(self):
        in_memory = self.another("--mariadb", self.mariadb.options)
        both = self.another(*self.shared)
        name = self.service.doc_id(article(1, nid="a", url="U"))
        for other in (in_memory, both):  # which have the old features in memory now
            self.assertEqual(other.doc_id(article(1, nid=f"{other.port}", url=f"{other.port}", title="")), name)
        self.assertEqual(self.service.doc_id(article(2, nid="a", url="U")), name)
        for other in (in_memory, both, self.service):
            self.assertEqual(other.doc_id(article(2, url=f"new {other.port}", title="")), name)
        self.assertNotEqual(in_memory.doc_id(article(1, url="old", title="")), name)
        # As if the service had been killed between a commit of MariaDB and that of Redis; and Redis lost what it had.
        known = "CONTENT_INDEX:KNOWN:7:4"
        self.assertEqual(int(self.redis.ask("GET", known)), 1 << 32 | 1)
        self.redis.ask("FLUSHALL")
        self.assertEqual(both.doc_id(article(2, url="a copy", title="")), name)
        self.assertEqual(int(self.redis.ask("GET", known)), 1 << 32 | 2)
        keys = [key for key in self.redis.ask("KEYS", "CONTENT_INDEX:*").splitlines() if "KNOWN" not in key]
        self.redis.ask("SET", known, "2")
        self.assertEqual(both.doc_id(article(2, url="another copy", title="")), name)
        self.assertEqual(int(self.redis.ask("GET", known)), 1 << 32 | 2)
        self.assertEqual(sorted(key for key in self.redis.ask("KEYS", "CONTENT_INDEX:*").splitlines() if "KNOWN" not in key),
                         sorted(keys))

    def test_the_docid_of_each_article_in_mariadb(self):
        names = {nid: self.service.doc_id(article(number, nid=nid, url=nid))
                 for nid, number in (("a", 1), ("b", 2), ("c", 1), ("d 二", 3))}
        query = "SELECT nid, docid FROM docid.article"

        def found():
            return dict(line.split("\t") for line in self.mariadb.ask(query).stdout.splitlines())

        self.assertEqual(found(), names)
        # Tables of an earlier version, one of which was being changed when the service was killed.
        for rest in ("", ", ADD COLUMN docid_new CHAR(33)"):
            self.service.stop()
            done = self.mariadb.ask("ALTER TABLE docid.article DROP COLUMN docid, DROP COLUMN heat, DROP COLUMN version,"
                                    f" DROP COLUMN digest{rest}; DROP TABLE docid.redefinition")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.service = self.start()
            self.assertEqual(found(), names)
            nid = f"more{len(names)}"
            names[nid] = self.service.doc_id(article(4, nid=nid, url=nid))
            self.assertEqual(found(), names)
            self.assertEqual(self.service.doc_id(article(1, nid="a", url="a")), names["a"])

    def test_connections_that_were_closed_while_idle(self):
        name = self.service.doc_id(article(1))
        self.redis.ask("CONFIG", "SET", "timeout", "1")
        # The only client is the one that asks.
        self.wait_until(lambda: len(self.redis.ask("CLIENT", "LIST").splitlines()) == 1)
        self.redis.ask("CONFIG", "SET", "timeout", "0")
        self.assertEqual(self.service.doc_id(article(1)), name)
        ids = "SELECT id FROM information_schema.processlist WHERE db = 'docid'"
        self.assertNotEqual(self.mariadb.ask(ids).stdout.split(), [])
        for one in self.mariadb.ask(ids).stdout.split():
            self.mariadb.ask(f"KILL {one}")
        self.wait_until(lambda: self.mariadb.ask(ids).stdout.split() == [])
        self.assertEqual(self.service.request("GET", "/docs/" + name)[0], 200)

    def test_tables_of_a_version_without_pairs(self):
        make = random.Random(6)
        contents = ["".join(chr(0x4e00 + make.randrange(300)) for _ in range(2000)) for _ in range(4)]
        names = self.doc_ids(article(i, title=f"公告{i}", content=content) for i, content in enumerate(contents))
        self.service.stop()
        self.assertEqual(self.mariadb.ask("DROP TABLE docid.pairs").returncode, 0)
        self.service = self.start()
        found = self.doc_ids(article(100 + i, title=f"公告{i}", content=content[400:] + contents[i - 1][:200])
                             for i, content in enumerate(contents))
        self.assertEqual(found, names)
        new = self.doc_ids(article(200 + i, title=f"公告{i}", content=content[::-1]) for i, content in enumerate(contents))
        self.assertEqual(len(set(new + names)), 8)
        self.assertEqual(self.mariadb.ask("SELECT count(*) FROM docid.pairs").stdout.strip(), "4")
        # The contents are in a folder of RocksDB; another service has none of them, and the words must do.
        self.assertEqual(self.mariadb.ask("DELETE FROM docid.pairs").returncode, 0)
        other = self.another(*self.options)
        self.assertEqual(other.doc_id(article(300, title="公告0", content=contents[0][400:])), names[0])
        self.assertIn("docid_checks_without_pairs_total 1", other.request("GET", "/metrics")[1])

    def test_an_article_that_is_too_long_for_mariadb(self):
        status, answer = self.service.post(article(1, url="x" * 5_000_000))
        self.assertEqual((status, "max_allowed_packet" in answer["error"]), (413, True), answer)
        # Nor does it harm what arrives with it.
        answers = []
        threads = [threading.Thread(target=lambda one=one: answers.append(self.service.post(one)[0]))
                   for one in (article(2), article(3, url="x" * 5_000_000), article(4))]
        with self.hold():
            for thread in threads:
                thread.start()
                time.sleep(0.1)
            self.wait_until_one_waits()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(answers), [200, 200, 413])

    def test_documents_that_are_gone_are_no_candidates(self):
        self.restart(*self.shared, "--candidates", "4")
        other = self.another(*self.shared, "--candidates", "4")
        title = sentence("one title", 10)
        for i in range(10):
            self.service.doc_id(article(i, nid=f"n{i}", title=title))
        name = self.service.doc_id(article(10, title=title))
        self.assertNotEqual(other.doc_id(article(11)), name)
        for i in range(10):
            self.assertEqual(self.service.request("DELETE", f"/articles/n{i}")[0], 200)
        content = article(10)["content"].split(" ")[:28] + sentence(5, 12).split(" ")
        self.assertEqual(other.doc_id(article(12, title=title, content=" ".join(content))), name)

    def test_a_url_is_known_while_an_article_of_it_is_left(self):
        self.restart(*self.shared, "--steps", "title,content")
        for nid, number in (("a", 1), ("b", 2), ("c", 2)):
            self.service.doc_id(article(number, nid=nid, url="U"))
        for nid in ("b", "a"):
            self.assertEqual(self.service.request("DELETE", "/articles/" + nid)[0], 200)
        self.restart(*self.shared)
        self.assertEqual(self.service.post(article(3, nid="d", url="U"))[1]["filterReason"], "docId_filter duplicate by url")

    def test_an_index_that_is_ahead_is_refused(self):
        self.service.doc_id(article(1))
        self.redis.ask("SET", "CONTENT_INDEX:KNOWN:7:4", "99")
        status, answer = self.service.post(article(2))
        self.assertEqual((status, "Empty the index" in answer["error"]), (503, True))

    def test_a_store_of_rocksdb_that_cannot_grow(self):
        self.service.stop()
        self.service = Service.__new__(Service)
        self.service.process = subprocess.Popen(
            ["bash", "-c", 'trap "" XFSZ; ulimit -S -f 300; exec "$0" "$@"', PROGRAM, "--port", "0", "--data", self.folder,
             *self.options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.service.stop, signal.SIGKILL)
        self.service.port = int(self.service.process.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
        answered = {}
        number = 0
        for limit, wanted in ((None, 503), (-1, 200)):
            if limit:
                resource.prlimit(self.service.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            for _ in range(300):
                number += 1
                status, answer = self.service.post(article(number, media="x" * 20000))
                if status == 200:
                    answered[number] = answer["docId"]
                if status == wanted:
                    break
            self.assertEqual(status, wanted, answer)
        self.assertGreater(len(answered), 5)
        for number, name in answered.items():
            status, found = self.service.request("GET", "/docs/" + name)
            self.assertEqual((status, found["article"]["url"]), (200, article(number)["url"]))

    def test_two_services_give_one_docid(self):
        services = [self.service, self.another(*self.shared)]
        count = 300
        names = [{}, {}]

        def send(service, own):
            connection = service.connect()
            for number in range(count):
                # The same text under another url: only a search can find it.
                one = article(number, url=f"http://{own}.example/{number}", title=f"{own}")
                names[own][number] = service.post(one, connection=connection)[1]
            connection.close()

        threads = [threading.Thread(target=send, args=(services[i], i)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([len(one) for one in names], [count, count])
        both = [(names[0][i], names[1][i]) for i in range(count)]
        self.assertEqual([a["docId"] for a, _ in both], [b["docId"] for _, b in both])
        self.assertEqual({tuple(sorted((a["filterStatus"], b["filterStatus"]))) for a, b in both},
                         {("duplicate", "good")})
        firsts = sum(a["filterStatus"] == "good" for a, _ in both)
        print(f"\n{count} articles at two services at once: one docId each, {firsts} by the first service")
        # What one took out, the other does not find.
        self.assertEqual(services[0].request("DELETE", "/articles/" + urllib.parse.quote("http://0.example/5", safe=""))[0], 200)
        self.assertEqual(services[1].request("DELETE", "/articles/" + urllib.parse.quote("http://1.example/5", safe=""))[0], 200)
        for service, number in ((services[1], 1005), (services[0], 2005)):
            answer = service.post(article(5, url=f"http://example.org/{number}"))[1]
            self.assertEqual(answer["filterStatus"], "good" if number == 1005 else "duplicate")
            self.assertNotEqual(answer["docId"], both[5][0]["docId"])

    def check(self, answered):
        for number, name in answered.items():
            self.assertEqual(self.service.doc_id(article(number)), name)
        self.assertEqual(len(set(answered.values())), len(answered))
        # By their contents, too: the index has all of them.
        for number, name in answered.items():
            self.assertEqual(self.service.doc_id(article(number, nid=f"copy {number}", url=f"copy {number}", title="")), name)

    def test_killed_under_load(self):
        answered = self.killed_under_load(random.Random(7))
        self.check(answered)
        print(f"\nkilled {KILLS} times, {len(answered)} articles acknowledged, none lost")

    def test_servers_are_stopped_and_started_under_load(self):
        answered = {}
        for round_number, server in enumerate([self.redis, self.mariadb] * 3):
            load = Load(self.service, 100000 * round_number)
            self.wait_until(lambda load=load: len(load.answered) > 10)
            server.stop(signal.SIGKILL)
            load.wait()  # until each thread was told 503
            self.assertEqual(load.wrong, [])
            answered |= load.answered
            status, answer = self.service.post(article(100000 * round_number + 99999))
            self.assertEqual((status, type(server).__name__ in answer["error"]), (503, True), answer)
            self.assertEqual(self.service.request("GET", "/health")[0], 200)
            server.start()
        self.check(answered)
        print(f"\nservers killed 6 times, {len(answered)} articles acknowledged, none lost")

    def test_what_is_refused(self):
        for options, words in (((*self.shared, "--recipe", "pairs"), "were made with"),
                               (("--redis", self.redis.socket), "index of another store"),
                               (("--redis", "nowhere"), "neither host:port"),
                               (("--redis", "127.0.0.1:1"), "Redis at 127.0.0.1:1"),
                               (("--mariadb", "/nowhere"), "no file /nowhere"), (("--contents", "mariadb"), "--contents mariadb"),
                               (("--contents", "x"), "--contents x"),
                               ((*self.shared, "--blocks", "1"), "--blocks 1: a search"),
                               ((*self.shared, "--blocks", "16"), "--blocks 16: there is no such index")):
            with self.assertRaisesRegex(RuntimeError, words):
                self.another(*options)


if __name__ == "__main__":
    if not PROGRAM:
        raise SystemExit("DOCID_SERVICE does not name the program")
    unittest.main()
