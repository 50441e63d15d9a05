#!/usr/bin/env python3
"""Tests of docid_service: starts it on free ports of the loopback address, and stops it.

DOCID_SERVICE names the program. NEARDUP_EXHAUSTIVE=1: killed a hundred times and not ten.
"""
import http.client
import json
import os
import pathlib
import random
import signal
import socket
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


def article(number, **fields):
    return {"url": f"http://example.org/{number}", "title": sentence(f"title {number}", 10),
            "content": sentence(f"content {number}")} | fields


class Service:
    """A running docid_service."""

    def __init__(self, folder, *options):
        self.process = subprocess.Popen([PROGRAM, "--port", "0", "--data", folder, *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            _, error = self.process.communicate()
            raise RuntimeError(error)
        self.port = int(line.split("127.0.0.1:")[1].split("/")[0])

    def connect(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

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
        self.process.communicate(timeout=60)
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


    def restart_empty(self, *options):
        self.assertEqual(self.service.stop(), 0)
        self.folder += "/other"
        self.service = self.start(*options)


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
        self.assertEqual(second, {"filterReason": "docId_filter duplicate by content, distance 9, similarity 0.875",
                                  "docId": first["docId"], "filterStatus": "duplicate", "status": "success"})

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
        for other in (one, article(2, nid="b", url=one["url"]),
                      article(3, nid="c", title=one["title"].upper(), content=one["content"] + " " + sentence(9, 20)),
                      article(4, nid="d", content=one["content"] + " more"), article(5, nid="e")):
            _, answer = self.service.post(other)
            reasons.append(answer["filterReason"].removeprefix("docId_filter ").split(",")[0])
            self.assertEqual(answer["docId"] == name, answer["filterStatus"] == "duplicate")
        self.assertEqual(reasons, ["duplicate by nid", "duplicate by url", "duplicate by title", "duplicate by content",
                                   "good news"])

    def test_short_titles_do_not_unite(self):
        names = {self.service.doc_id(article(i, title=title)) for i, title in enumerate(["通知", "Notice"] * 5)}
        self.assertEqual(len(names), 10)

    def test_long_titles_of_different_articles_do_not_unite(self):
        names = {self.service.doc_id(article(i, title=sentence(0, 12))) for i in range(10)}
        self.assertEqual(len(names), 10)

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
        connection = socket.create_connection(("127.0.0.1", self.service.port), timeout=20)
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

    def test_other_docids_are_unknown(self):
        for name in ("0" * 16 + "-" + "0" * 16, "f" * 16 + "-" + "1" * 16, "x", "../x"):
            self.assertEqual(self.service.request("GET", "/docs/" + name)[0], 404)

    def test_similar_and_the_page(self):
        name = self.service.doc_id(SECOND)
        _, found = self.service.request("POST", "/similar", {"content": FIRST["content"]})
        self.assertEqual([(one["docId"], one["distance"], one["article"]["url"]) for one in found],
                         [(name, 9, SECOND["url"])])
        status, page = self.service.request("GET", "/")
        self.assertEqual(status, 200)
        self.assertIn("</html>", page)

    def test_health_and_metrics(self):
        self.assertEqual(self.service.request("GET", "/health"), (200, {"status": "up"}))
        self.service.post([article(1), article(1), article(2)])
        _, text = self.service.request("GET", "/metrics")
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        self.assertEqual(values['docid_articles_total{found_by="none"}'], "2")
        self.assertEqual(values['docid_articles_total{found_by="nid"}'], "1")
        self.assertEqual((values["docid_documents"], values["docid_nids"]), ("2", "2"))


class Page(TestCase):
    @unittest.skipUnless(chromium.PROGRAM, "chromium is not there")
    def test_in_a_browser(self):
        name = self.service.doc_id(FIRST)
        shown = chromium.dump_dom(f"http://127.0.0.1:{self.service.port}/#" + urllib.parse.quote(SECOND["content"]))
        self.assertIn(f"{name}, 9 bits apart, similarity 0.875", shown)
        self.assertIn("<ins>檢</ins>", shown)
        self.assertIn("<ins>相似的</ins>", shown)
        self.assertIn("<del>試</del>", shown)
        self.assertIn("<td>documents</td><td>1</td>", shown)


class BadInput(TestCase):
    options = ("--max-body", "20000", "--timeout", "2", "--connections", "40")

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

    def test_what_is_in_a_body_is_no_request(self):
        kept = self.service.doc_id(article(1, nid="kept"))
        inner = b"DELETE /articles/kept HTTP/1.1\r\nHost: a\r\n\r\n"
        for line, kind, status in ((b"POST /docId/getDocId", b"Content-Type: multipart/form-data; boundary=b", b"415"),
                                   (b"POST /elsewhere", b"Content-Type: text/plain", b"400"),
                                   (b"GET /health", b"Content-Type: text/plain", b"400")):
            with socket.create_connection(("127.0.0.1", self.service.port), timeout=30) as client:
                client.sendall(line + b" HTTP/1.1\r\nHost: a\r\n" + kind +
                               b"\r\nContent-Length: %d\r\n\r\n" % len(inner))
                time.sleep(0.2)
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
        connection = socket.create_connection(("127.0.0.1", self.service.port), timeout=60)
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
            self.assertLess(kept, 32768 if memory != "1G" else 8e6)
            self.restart("--feature-memory", memory)  # nothing is in memory now
            copies = [one | {"url": one["url"] + "/again", "content": one["content"] + " y"} for one in texts]
            self.assertEqual([one["docId"] for one in self.service.post(copies)[1]], first, memory)

    def test_slow_clients_are_left(self):
        connection = socket.create_connection(("127.0.0.1", self.service.port), timeout=20)
        self.addCleanup(connection.close)
        connection.sendall(b"POST /docId/getDocId HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        start = time.monotonic()
        while connection.recv(65536):
            pass
        self.assertLess(time.monotonic() - start, 15)

    def test_too_many_connections(self):
        first = [self.service.connect() for _ in range(40)]
        for connection in first:
            self.assertEqual(self.service.request("GET", "/health", connection=connection)[0], 200)
        for _ in range(20):
            self.assertEqual(self.service.request("GET", "/health")[0], 503)
        for connection in first:
            connection.close()
        deadline = time.monotonic() + 20
        while self.service.request("GET", "/health")[0] != 200:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def test_the_command_line(self):
        for options, words in ((["--port"], "needs a value"), (["--port", "x"], "--port x"), (["--no", "1"], "no option --no"),
                               (["--recipe", "x"], 'no recipe "x"'), (["--distance", "-1"], "--distance -1"),
                               (["--steps", "url,x"], 'no step "x"')):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([PROGRAM, "--data", folder, *options], capture_output=True, text=True, timeout=60,
                                      check=False)
            self.assertEqual(done.returncode, 1, options)
            self.assertIn(words, done.stderr)

    def test_one_service_a_folder_and_one_recipe(self):
        with self.assertRaisesRegex(RuntimeError, "locked"):
            Service(self.folder)
        self.assertEqual(self.service.stop(), 0)
        with self.assertRaisesRegex(RuntimeError, "it was made with"):
            Service(self.folder, "--recipe", "pairs")

    def test_one_service_a_port(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(RuntimeError, "cannot listen"):
            Service(folder, "--port", str(self.service.port))


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
            thread.join(60)


class Faults(TestCase):
    def test_killed_under_load(self):
        answered = {}
        chance = random.Random(7)
        for round_number in range(KILLS):
            load = Load(self.service, 100000 * round_number)
            time.sleep(chance.uniform(0.05, 0.4))
            self.service.stop(signal.SIGKILL)
            load.wait()
            self.assertEqual(load.wrong, [])
            self.service = self.start()
            for number, name in load.answered.items():
                self.assertEqual(self.service.request("GET", "/docs/" + name)[0], 200, number)
            answered |= load.answered
        self.assertGreater(len(answered), 10 * KILLS)
        self.assertEqual(len(set(answered.values())), len(answered))
        for number, name in chance.sample(sorted(answered.items()), 200 if len(answered) > 200 else len(answered)):
            self.assertEqual(self.service.doc_id(article(number)), name)
        print(f"\nkilled {KILLS} times, {len(answered)} articles acknowledged, none lost")

    def test_stopped_under_load(self):
        load = Load(self.service, 0)
        time.sleep(0.5)
        self.assertEqual(self.service.stop(signal.SIGTERM), 0)
        load.wait()
        self.assertEqual(load.wrong, [])
        self.assertGreater(len(load.answered), 10)
        self.service = self.start()
        for number, name in load.answered.items():
            self.assertEqual(self.service.doc_id(article(number)), name)

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


if __name__ == "__main__":
    if not PROGRAM:
        raise SystemExit("DOCID_SERVICE does not name the program")
    unittest.main()
