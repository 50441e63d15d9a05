#!/usr/bin/env python3
"""Tests wrong requests, too long and too many requests, and the command line."""
import collections
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import urllib.parse

from harness import PATIENCE, PROGRAM, Service, TestCase, article, sentence, main


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
            self.assertLess(len(answer["error"]), 200, body)
        self.assertIn("json is missing", self.service.request("GET", "/docId/getDocId")[1]["error"])
        self.assertEqual(self.service.request("GET", "/nothing")[0], 404)

    def test_bad_json_and_bad_utf8_are_told_apart_with_their_places(self):
        for body, error in ((b'{"url":', "not JSON: column 8: unexpected end of input; expected '[', '{', or a literal"),
                            (b'{"url":\n 1,,}', "not JSON: line 2, column 4: unexpected ','; expected string literal"),
                            (b'{"url":"a\nb"}', "not JSON: column 10: invalid string: control character U+000A (LF) must "
                                                "be escaped to \\u000A or \\n"),
                            (b'{"url":1e999}', "not JSON: a number is beyond the range of a double"),
                            (b"[1" + b"0" * 5000 + b"]", "not JSON: a number is beyond the range of a double"),
                            (b'{"url":"' + b"a" * 5000, "not JSON: column 5009: invalid string: missing closing quote"),
                            (b'{"url":"ab\xff"}', "not UTF-8: column 11: no character begins with this byte"),
                            (b'{"url":\n"\xe4\xb8"}', "not UTF-8: line 2, column 2: no character begins with this byte"),
                            ('{"url":"二'.encode()[:-1], "not UTF-8: column 9: no character begins with this byte"),
                            (b'{"url":"a" x \xff"}', "not JSON: column 12: invalid literal")):
            for path in ("/docId/getDocId", "/similar"):
                self.assertEqual(self.service.request("POST", path, body), (400, {"status": "error", "error": error}))
        lines = json.dumps(article(1)).encode() + b"\n{}x\n\xff\n"
        _, text = self.service.post(lines, headers={"Content-Type": "application/x-ndjson"})
        self.assertEqual([json.loads(line).get("error") for line in text.splitlines()],
                         [None, "not JSON: column 3: invalid literal",
                          "not UTF-8: column 1: no character begins with this byte"])

    def test_an_article_without_words_has_nothing_to_compare(self):
        for number, (title, content) in enumerate((("", ""), ("!?", " - "), ("", "…"))):
            one = article(number, title=title, content=content)
            for copy in (one, one | {"url": one["url"] + "/copy"}):  # the two articles are not copies
                _, answer = self.service.post(copy)
                self.assertEqual((answer["filterReason"], answer["filterStatus"]), ("docId_filter nothing to compare", "good"))
            self.assertEqual(self.service.post(one)[1]["filterReason"], "docId_filter duplicate by nid")
            status, answer = self.service.request("POST", "/similar", {"content": content})
            self.assertEqual((status, answer["error"]), (400, 'the field "content": there is no word in it, so there is nothing '
                                                              "to compare"))
        for number, fields in enumerate(({"title": ""}, {"content": ""})):
            self.assertEqual(self.service.post(article(10 + number) | fields)[1]["filterReason"], "docId_filter good news")
        # The next text of the article is compared, and the article keeps its docId.
        name = self.service.doc_id(article(20, title="", content=""))
        self.assertEqual(self.service.doc_id(article(20)), name)
        self.assertEqual(self.service.doc_id(article(20, url="copy")), name)

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
        self.assertEqual(self.service.post(json.dumps(one), headers=form)[1]["docId"], name)  # the content type of curl -d
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
                time.sleep(0.2)  # the service usually reads this part separately
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
        # The answer may arrive, and the connection end, before everything is sent. Then sending fails; and if the
        # service did not read everything, the answer may be lost, too.
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
        # The titles fill several chunks, and the memory is too small for all chunks.
        texts = [article(number, title=sentence(f"title {number}", 20), content=sentence(f"content {number}", 200))
                 for number in range(200)]
        for memory, *options in (("0",), ("16K",), ("1G",), ("16K", "--distance", "7"), ("1G", "--distance", "7")):
            self.restart_empty("--feature-memory", memory, *options)
            first = [one["docId"] for one in self.service.post(texts)[1]]
            self.assertEqual(len(set(first)), 200)
            copies = [one | {"url": one["url"] + "/copy", "content": one["content"] + " x"} for one in texts]
            self.assertEqual([one["docId"] for one in self.service.post(copies)[1]], first, memory)
            metrics = dict(line.split() for line in self.service.request("GET", "/metrics")[1].splitlines()
                           if not line.startswith("#") and len(line.split()) == 2)
            read, kept = float(metrics["docid_checks_read_total"]), float(metrics["docid_feature_bytes"])
            self.assertEqual(read == 0, memory == "1G", memory)
            # The features and the pairs have a chunk of 4 MB each.
            self.assertLessEqual(kept, 32768 if memory != "1G" else 2 * 4 * 2**20)
            self.restart("--feature-memory", memory, *options)  # the memory is now empty
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
            # The service that waits longer for its clients still waits.
            connections[0].setblocking(False)
            with self.assertRaises(BlockingIOError):
                connections[0].recv(65536)

    def test_memory_is_bounded(self):
        self.restart("--max-body", "4000000", "--max-waiting", "12000000", "--connections", "60", "--feature-memory", "1M")
        body = json.dumps([article(i, nid=f"{i}", content="x " * 200) for i in range(6000)]).encode()
        answers = []  # a list, because additions to a Counter by several threads can be lost

        def send():
            for _ in range(5):
                try:
                    answers.append(self.service.post(body)[0])
                except OSError:  # the service refused the request before everything was sent
                    answers.append("left")

        threads = [threading.Thread(target=send) for _ in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        statuses = collections.Counter(answers)
        self.assertEqual(statuses[200] + statuses[503] + statuses["left"], 150, statuses)
        self.assertGreater(statuses[200], 0)
        peak = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{self.service.process.pid}/status").read_text())[1])
        print(f"\n{statuses}, {len(body)} bytes each; at most {peak / 1000:.0f} MB")
        self.assertLess(peak, 400_000)
        # Together, the bodies exceed the limit. No body is complete before all have begun.
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
        # The first client keeps its connection, so the number of other connections is known.
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
        # Clients that are being served continue to be served.
        self.assertEqual(sum(1 for one in sockets if self.is_served(one)), 199)
        self.assertEqual(self.service.post(article(1), connection=first)[1]["docId"], kept)
        for one in sockets:
            one.close()
        # The service notices one client after the other that is gone.
        answers = []
        self.wait_until(lambda: answers.append(self.service.post(article(1))) or answers[-1][0] == 200)
        self.assertEqual(answers[-1][1]["docId"], kept)

    @staticmethod
    def status_of(one):
        """Reads an answer to its end, in any pieces. Returns: its status."""
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
                               (["--answer=never"], "--answer 'never': must be stored or decided"),
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
        header = pathlib.Path(__file__).resolve().parents[3] / "include/neardup/version.hpp"
        version = re.search('NEARDUP_VERSION_STRING "(.*)"', header.read_text(encoding="utf-8"))[1]
        self.assertEqual(done.stdout, f"docid_service {version}\n")

    def test_one_service_a_folder_and_one_recipe(self):
        with self.assertRaisesRegex(RuntimeError, "locked"):
            Service(self.folder)
        self.assertEqual(self.service.stop(), 0)
        with self.assertRaisesRegex(RuntimeError, "it was made with"):
            Service(self.folder, "--recipe", "pairs")

    def test_fingerprints_of_another_definition_are_refused(self):
        self.assertEqual(self.service.stop(), 0)
        database = sqlite3.connect(os.path.join(self.folder, "docid.sqlite"))
        with contextlib.closing(database), database:
            database.execute("UPDATE store SET composition = replace(composition, 'definition ', 'definition 9')")
        with self.assertRaisesRegex(RuntimeError, 'it was made with "recipe minwise, definition 9[0-9]+,.*not with'):
            Service(self.folder)

    def test_one_service_a_port(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(RuntimeError, "cannot listen"):
                Service(folder + "/fresh", "--port", str(self.service.port))
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    main()
