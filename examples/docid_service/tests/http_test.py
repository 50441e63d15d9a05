#!/usr/bin/env python3
"""Tests HTTP as in RFC 9112, through plain sockets: pipelining, framing and deadlines."""
import http.client
import json
import os
import random
import select
import signal
import socket
import threading
import time
import urllib.parse

from harness import PATIENCE, TestCase, article, main, sentence

ROUNDS = 40 if os.environ.get("NEARDUP_EXHAUSTIVE") == "1" else 4


def post(body, *fields, path="/docId/getDocId"):
    """Returns a request with a body of known length."""
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    lines = [f"POST {path} HTTP/1.1", "Host: x", *fields, f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def post_chunks(body, sizes, *fields, extension=b"", trailers=b"", path="/docId/getDocId"):
    """Returns the same request with its body in chunks of these sizes, and another chunk with the rest."""
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    result = "\r\n".join([f"POST {path} HTTP/1.1", "Host: x", *fields, "Transfer-Encoding: chunked"]).encode() + b"\r\n\r\n"
    for size in [*sizes, len(body)]:
        part, body = body[:size], body[size:]
        if part:
            result += b"%x" % len(part) + extension + b"\r\n" + part + b"\r\n"
    return result + b"0\r\n" + trailers + b"\r\n"


def get(path, *fields, method="GET"):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: x", *fields]).encode() + b"\r\n\r\n"


class Http(TestCase):
    def talk(self, sent, half=True):
        """Sends bytes. Returns: all answers, until the service closes the connection. `half`: True if the client first
        closes its sending side."""
        with self.service.socket() as client:
            return self.talk_through(client, sent, half)

    @staticmethod
    def talk_through(client, sent, half=True):
        answer = b""
        try:
            client.sendall(sent)
            if half:
                client.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass
        try:
            while part := client.recv(65536):
                answer += part
        except ConnectionResetError:
            pass
        return answer

    def answers_in(self, text, methods=None):
        """Returns the (status, body) of each answer in these bytes. The bytes must consist of answers."""
        result = []
        source = SocketOf(text)
        while source.rest():
            answer = http.client.HTTPResponse(source, method=(methods or ["GET"] * len(result) + ["GET"])[len(result)])
            answer.begin()
            result.append((answer.status, answer.read()))
        return result

    def test_requests_in_one_piece(self):
        one, other = article(1), article(2)
        answers = self.answers_in(self.talk(post(one) + post(other) + post(one)))
        self.assertEqual([status for status, _ in answers], [200] * 3)
        names = [json.loads(body)["docId"] for _, body in answers]
        self.assertEqual((names[0] == names[1], names[0] == names[2]), (False, True))
        health = get("/health", "X-Pad: " + "a" * 200)
        self.assertEqual(self.answers_in(self.talk(health * 1000)), [(200, b'{"status":"up"}')] * 1000)

    def test_a_last_request_ends_the_connection(self):
        for last in (get("/health", "Connection: close"), b"GET /health HTTP/1.0\r\n\r\n"):
            answer = self.talk(get("/health") + last + get("/health"), half=False)
            self.assertEqual(len(self.answers_in(answer)), 2)
        answer = self.talk(b"GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" * 3)
        self.assertEqual(len(self.answers_in(answer)), 3)
        self.assertIn(b"Connection: keep-alive", answer)

    def test_the_head_of_an_answer_has_no_body(self):
        answer = self.talk(get("/health", method="HEAD") + get("/health"))
        self.assertEqual(self.answers_in(answer, ["HEAD", "GET"]), [(200, b""), (200, b'{"status":"up"}')])
        self.assertEqual(answer.count(b"Content-Length: 15\r\n"), 2)

    def random_request(self, make, known):
        """Returns a random request, and the right answer."""
        number = make.randrange(len(known))
        body = json.dumps(article(number)).encode()
        sizes = [make.randrange(1, 40) for _ in range(make.randrange(20))]
        fields = ["X-Pad: " + "a" * make.randrange(300)] * make.randrange(4)
        kind = make.randrange(5)
        if kind == 0:
            return post(body, *fields), (200, known[number])
        if kind == 1:
            return post_chunks(body, sizes, *fields), (200, known[number])
        if kind == 2:
            trailers = b"".join(b"X-T%d: %s\r\n" % (i, b"t" * make.randrange(200)) for i in range(make.randrange(4)))
            return post_chunks(body, sizes, *fields, extension=b';a=1;b="c d"', trailers=trailers), (200, known[number])
        if kind == 3:
            return get("/docId/getDocId?json=" + urllib.parse.quote(body)), (200, known[number])
        word = "".join(make.choices("ab%+ &=#é二", k=make.randrange(1, 20)))
        error = {"status": "error", "error": "no article of this url: " + word}
        return (get("/articles?" + urllib.parse.urlencode({"x": "1", "url": word}), *fields),
                (404, json.dumps(error, ensure_ascii=False, separators=(",", ":")).encode()))

    def test_requests_in_any_pieces(self):
        make = random.Random(3)
        for number in range(10):
            self.service.doc_id(article(number))
        known = [self.answers_in(self.talk(post(article(number))))[0][1] for number in range(10)]
        for _ in range(ROUNDS):
            requests, wanted = zip(*(self.random_request(make, known) for _ in range(200)))
            sent = b"".join(requests)
            with self.service.socket() as client:
                # The answers do not fit into the buffers of the connection, so they have to be read meanwhile.
                seen = []
                reading = threading.Thread(target=lambda: seen.append(self.talk_through(client, b"", half=False)))
                reading.start()
                most = make.choice((2, 30, 3000, 300000))
                while sent:
                    size = make.randrange(1, most)
                    client.sendall(sent[:size] if most > 2 or len(sent) < 3000 else sent[:1000])
                    sent = sent[size:] if most > 2 or len(sent) < 3000 else sent[1000:]
                client.shutdown(socket.SHUT_WR)
                reading.join()
            self.assertEqual(self.answers_in(seen[0]), list(wanted))

    def test_json_lines_are_followed_by_other_requests(self):
        lines = "".join(json.dumps(article(i)) + "\n" for i in range(30)).encode()
        kind = "Content-Type: application/x-ndjson"
        answers = self.answers_in(self.talk(post(lines, kind) + post_chunks(lines, [7] * 20, kind, trailers=b"A: b\r\n") +
                                            get("/health")))
        self.assertEqual([status for status, _ in answers], [200] * 3)
        self.assertEqual([len(body.splitlines()) for _, body in answers], [30, 30, 1])
        # HTTP/1.0 has no chunks: the answer ends with the connection.
        answer = self.talk(post(lines, kind, "Connection: keep-alive").replace(b"HTTP/1.1", b"HTTP/1.0") + get("/health"))
        self.assertNotIn(b"chunked", answer)
        self.assertEqual(len(answer.partition(b"\r\n\r\n")[2].splitlines()), 30)

    def test_framing_that_is_refused(self):
        kept = self.service.doc_id(article(1, nid="kept"))
        inner = get("/articles/kept", method="DELETE")
        line, host = b"POST /docId/getDocId HTTP/1.1\r\n", b"Host: x\r\n"
        length = b"Content-Length: %d\r\n" % len(inner)
        chunked = b"Transfer-Encoding: chunked\r\n"
        chunks = b"%x\r\n" % len(inner) + inner + b"\r\n0\r\n\r\n"
        cases = [(400, line + host + fields + b"\r\n" + inner) for fields in (
            length * 2, length + b"Content-Length: 0\r\n", b"Content-Length: 0\r\n" + length,
            b"Content-Length: 3, 3\r\n", b"Content-Length: 3,4\r\n", b"Content-Length: +3\r\n", b"Content-Length: -3\r\n",
            b"Content-Length: 0x3\r\n", b"Content-Length: 3 3\r\n", b"Content-Length: \r\n", b"Content-Length: a\r\n",
            b"Content-Length: 3.0\r\n", b"Content-Length: 18446744073709551616\r\n", b"Content-Length : 3\r\n",
            b"Content-Length\t: 3\r\n", b" Content-Length: 3\r\n", b"Content-Length\r\n", b": 3\r\n",
            b"Content\x00-Length: 3\r\n", b"X: a\x00b\r\n", b"X: a\rb\r\n", b"X: a\nContent-Length: 3\r\n",
            length + chunked, chunked + length, chunked * 2, b"Transfer-Encoding : chunked\r\n", host,
        )]
        cases += [(400, line + host + chunked + b"\r\n" + body) for body in (
            b"-1\r\n" + inner, b"+1\r\na\r\n0\r\n\r\n", b"0x1\r\na\r\n0\r\n\r\n", b" 1\r\na\r\n0\r\n\r\n", b"\r\n" + inner,
            b"g\r\n" + inner, b"1\na\n0\n\n" + inner, b"1\r\nab\r\n0\r\n\r\n" + inner, b"1\r\na" + inner,
            b"10000000000000000\r\n" + inner, b"fffffffffffffffff\r\n" + inner, b"1;a b\r\na\r\n0\r\n\r\n",
            b"0\r\nA b: c\r\n\r\n" + inner, b"0\r\nContent-Length: 3\r\n\r\n" + inner, b"0\r\n: c\r\n\r\n" + inner,
            b"1;" + b"a" * 100000 + b"\r\na\r\n0\r\n\r\n", b"0\r\n" + b"A: b\r\n" * 20000 + b"\r\n")]
        cases += [(501, line + host + field + b"\r\n" + chunks) for field in (
            b"Transfer-Encoding: gzip\r\n", b"Transfer-Encoding: identity\r\n", b"Transfer-Encoding: chunked, gzip\r\n",
            b"Transfer-Encoding: gzip, chunked\r\n", b"Transfer-Encoding: xchunked\r\n", b"Transfer-Encoding: \"chunked\"\r\n",
            b"Transfer-Encoding: chunked;a=b\r\n", b"Transfer-Encoding:\r\n", b"Transfer-Encoding: gzip\r\n" + length)]
        cases += [(400, request) for request in (
            line + length + b"\r\n" + inner,  # the field Host is missing
            *(line + b"Host: " + names + length + b"\r\n" + inner for names in
              (b"x\r\n" + host, b"x, y\r\n", b"x y\r\n", b"x/y\r\n", b"x\r\n y\r\n")),
            line.replace(b"1.1", b"1.0") + chunked + b"\r\n" + chunks,
            b"GET  /health HTTP/1.1\r\n" + host + b"\r\n", b"GET /health\r\n" + host + b"\r\n",
            b"GET /hea lth HTTP/1.1\r\n" + host + b"\r\n", b"GET /health HTTP/1.1 \r\n" + host + b"\r\n",
            b"GET\t/health HTTP/1.1\r\n" + host + b"\r\n", b"GET /health HTTP/1.1\n" + host.replace(b"\r", b"") + b"\n",
            b"G(T /health HTTP/1.1\r\n" + host + b"\r\n", b"GET /hea\x00lth HTTP/1.1\r\n" + host + b"\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200)]
        cases += [(400, b"GET /health HTTP/" + version + b"\r\n" + host + b"\r\n") for version in (b"2.0", b"1.2", b"0.9")]
        cases += [(414, b"GET /health?" + b"a" * size + b" HTTP/1.1\r\n" + host + b"\r\n") for size in (8200, 70000, 300000)]
        cases += [(431, b"GET /health HTTP/1.1\r\n" + host + field + b"\r\n") for field in
                  (b"X: " + b"a" * 70000 + b"\r\n", b"X: a\r\n" * 30000, b"a" * 70000)]
        for status, request in cases:
            answer = self.talk(request, half=False)
            self.assertEqual([found for found, _ in self.answers_in(answer)], [status], (request[:200], answer[:300]))
            self.assertIn(b"\r\nConnection: close\r\n", answer, request[:200])
            self.assertTrue(json.loads(answer.partition(b"\r\n\r\n")[2])["error"])
        self.assertEqual(self.service.request("GET", "/articles/kept")[1]["docId"], kept)

    def test_sizes_beyond_the_limit_are_refused_at_once(self):
        self.restart("--max-body", "1000")
        line = b"POST /docId/getDocId HTTP/1.1\r\nHost: x\r\n"
        chunked = line + b"Transfer-Encoding: chunked\r\n\r\n"
        small = b"3e8\r\n" + b" " * 1000 + b"\r\n"
        for request in (line + b"Content-Length: 1001\r\n\r\n", line + b"Content-Length: 9223372036854775808\r\n\r\n",
                        line + b"Content-Length: 18446744073709551615\r\n\r\n",
                        *(chunked + before + size + b"\r\n" for before in (b"", b"1\r\n \r\n", small) for size in
                          (b"3e9", b"80000000", b"7fffffffffffffff", b"8000000000000000", b"ffffffffffffffff")),
                        chunked + b"ffffffffffffffff\r\n{\r\n", chunked + small + b"1\r\n"):
            # The client sends nothing more, and the service would wait ten minutes for it.
            with self.service.socket() as client:
                client.sendall(request)
                answer = client.recv(65536)
            self.assertEqual(answer.split()[1:2], [b"413"], request[-40:])
            self.assertIn(b"a body has at most 1000 bytes", answer)
        for request in (line + b"Content-Length: 18446744073709551616\r\n\r\n", chunked + b"10000000000000000\r\n"):
            with self.service.socket() as client:
                client.sendall(request)
                self.assertEqual(client.recv(65536).split()[1:2], [b"400"], request[-40:])
        self.assertEqual([status for status, _ in self.answers_in(self.talk(chunked + small + b"0\r\n\r\n"))], [400])  # not JSON
        # JSON Lines have a limit for each line, but not for a chunk or for the whole body.
        lines = (json.dumps(article(1)) + "\n").encode()
        kind = b"Content-Type: application/x-ndjson\r\n"
        with self.service.socket() as client:
            client.sendall(line + kind + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n" + lines * 3)
            answer = b""
            while answer.count(b'"status":"success"') < 3:
                part = client.recv(65536)
                self.assertTrue(part, answer)
                answer += part

    def test_too_many_fields_in_pieces_are_refused(self):
        head = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        for piece, first in ((1000, len(head)), (30000, len(head)), (65000, len(head)), (1000, 9), (65000, 9)):
            with self.service.socket() as client:
                client.sendall(head[:first])
                time.sleep(0.002)
                fields = head[first:] + b"X: a\r\n" * 30000
                try:
                    for begin in range(0, len(fields), piece):
                        client.sendall(fields[begin:begin + piece])
                        time.sleep(0.002)  # so that the pieces are read one by one
                    client.sendall(b"\r\n")
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the service refused the request before everything was sent
                answer = self.talk_through(client, b"", half=False)
            self.assertIn(answer.partition(b" ")[2][:3], (b"431", b""), answer[:300])  # a reset may have lost the answer

    def test_what_is_unusual_but_right(self):
        one = article(1)
        name = self.service.doc_id(one)
        body = json.dumps(one).encode()
        for request in (
                b"\r\n\r\n" + post(one),
                post(one).replace(b"Content-Length: ", b"CONTENT-length:"),
                post(one).replace(b"Content-Length: ", b"Content-Length: \t 00"),
                post(one).replace(b"Host: x", b"Host: x \t"),
                post_chunks(one, []).replace(b": chunked", b":\tChunked  "),
                post_chunks(one, [1, 2, 3]).replace(b"\r\n1\r\n", b"\r\n0001\r\n"),
                post_chunks(one, [10]).replace(b"\r\na\r\n", b"\r\nA\r\n"),
                post_chunks(one, [5], extension=b' ; a ; b = "x\\"y"'),
                post(one).replace(b"POST /", b"POST http://x:80/"),
                post(one, "X-Folded: a\r\n b"), post(one, "X-Empty:"), post(one, "X-Other: \xff\x80"),
                b"POST /docId/getDocId HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body):
            answer = self.talk(request)
            self.assertEqual([(status, json.loads(text)["docId"]) for status, text in self.answers_in(answer)], [(200, name)],
                             request[:300])

    def test_who_waits_for_leave_to_send_gets_it(self):
        one = article(1)
        head, _, body = post(one, "Expect: 100-continue").partition(b"\r\n\r\n")
        with self.service.socket() as client:
            client.sendall(head + b"\r\n\r\n")
            answer = b""
            while not answer.endswith(b"\r\n\r\n"):
                answer += client.recv(1)
            self.assertTrue(answer.startswith(b"HTTP/1.1 100 "))
            self.assertEqual([status for status, _ in self.answers_in(self.talk_through(client, body))], [200])
        # One client does not wait for "100 Continue". The body of another client is too large for "100 Continue".
        self.assertEqual([s for s, _ in self.answers_in(self.talk(head + b"\r\n\r\n" + body))], [200])
        self.restart("--max-body", "100")
        self.assertTrue(self.talk(head + b"\r\n\r\n", half=False).startswith(b"HTTP/1.1 413 "))

    def test_a_body_that_ends_early(self):
        for request in (post(article(1))[:-1], post_chunks(article(1), [5])[:-1], post_chunks(article(1), [5])[:-40],
                        b"GET /health HTTP/1.1\r\nHost: x\r\n", b"GET"):
            self.assertEqual([status for status, _ in self.answers_in(self.talk(request))], [400], request)
        kind = "Content-Type: application/x-ndjson"
        lines = json.dumps(article(2)) + "\n" + json.dumps(article(3))
        _, body = self.answers_in(self.talk(post(lines.encode(), kind)[:-1]))[0]
        self.assertEqual([json.loads(line)["status"] for line in body.splitlines()], ["success", "error"])
        self.assertEqual(self.service.request("GET", "/articles?" + urllib.parse.urlencode({"url": article(1)["url"]}))[0], 404)

    def drip(self, head, byte=b" ", pause=0.05):
        """Sends the head, then a byte now and then until the service ends the connection. Returns: the answer."""
        with self.service.socket() as client:
            client.sendall(head)
            return self.drip_through(client, byte, pause)

    @staticmethod
    def drip_through(client, byte=b" ", pause=0.05):
        answer = b""
        try:
            while True:
                if select.select([client], [], [], pause)[0]:
                    part = client.recv(65536)
                    if not part:
                        return answer
                    answer += part
                else:
                    client.sendall(byte)
        except (BrokenPipeError, ConnectionResetError):
            return answer

    def drip_all(self, cases):
        """Sends each (head, byte) at the same time. Returns: the answers."""
        answers = [b""] * len(cases)

        def run(number):
            answers[number] = self.drip(*cases[number])

        threads = [threading.Thread(target=run, args=(number,)) for number in range(len(cases))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    def test_a_request_has_a_deadline(self):
        self.restart("--deadline", "1")
        line = b"POST /docId/getDocId HTTP/1.1\r\nHost: x\r\n"
        cases = [(line, b"a"), (b"", b"a"), (line + b"Content-Length: 1000000\r\n\r\n", b" "),
                 (line + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"), (post(article(1)) + line, b"a")]
        for (head, byte), answer in zip(cases, self.drip_all(cases)):
            statuses = [status for status, _ in self.answers_in(answer)]
            self.assertEqual(statuses, [200] * head.count(b"content") + [408], (head, byte))
        # Empty lines are no request yet. In JSON Lines each line has its own deadline: a client may send lines for
        # ever, but not one line byte by byte.
        lines = line + b"Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
        nothing, *said = self.drip_all([(b"", b"\r\n")] + [(lines, byte) for byte in (b"1\r\n \r\n", b"1\r\n\n\r\n", b"1\r\na\r\n")])
        self.assertEqual(nothing, b"")
        for answer in said:
            self.assertTrue(answer.startswith(b"HTTP/1.1 200 "))
            self.assertIn(b'"status":"error"', answer)
        with self.service.socket() as client:
            client.sendall(lines)
            start, seen, count = time.monotonic(), b"", 0
            while time.monotonic() < start + 3:
                part = json.dumps(article(count)).encode() + b"\n"
                client.sendall(b"%x\r\n" % len(part) + part + b"\r\n")
                count += 1
                while seen.count(b'"status":"success"') < count:
                    part = client.recv(65536)
                    self.assertTrue(part, seen)
                    seen += part
                time.sleep(0.1)
            self.answers_in(seen + self.talk_through(client, b"0\r\n\r\n"))
        self.assertEqual(self.service.request("GET", "/health")[0], 200)

    def test_an_answer_has_a_deadline(self):
        self.restart("--deadline", "1", "--connections", "1")
        self.doc_ids(article(number, media="x" * 1000000) for number in range(14))  # more data than the buffers hold
        self.wait_until(lambda: self.service.request("GET", "/health")[0] == 200)
        # A client takes the answer byte by byte, and occupies the only connection.
        with self.service.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.sendall(get("/docs?limit=1000"))
            self.assertTrue(client.recv(1))
            stop = threading.Event()

            def take():
                try:
                    while not stop.wait(0.05) and client.recv(1):
                        pass
                except ConnectionResetError:
                    pass

            taking = threading.Thread(target=take)
            taking.start()
            self.wait_until(lambda: self.service.request("GET", "/health")[0] == 200)
            stop.set()
            taking.join()

    def wait_until_read(self, client):
        """Returns when the service has read all bytes of the client, so that the system has no unread bytes."""
        ends = [f"0100007F:{port:04X}" for port in (self.service.port, client.getsockname()[1])]

        def is_read():
            with open("/proc/net/tcp", encoding="ascii") as sockets:
                return any(line.split()[1:5] == [*ends, "01", "00000000:00000000"] for line in sockets)

        self.wait_until(is_read)

    def test_a_stop_has_a_deadline(self):
        self.restart("--timeout", "1", "--deadline", "600")
        line = b"POST /docId/getDocId HTTP/1.1\r\nHost: x\r\n"
        heads = [line, line + b"Content-Length: 100000\r\n\r\n", line + b"Transfer-Encoding: chunked\r\n\r\n5\r\n",
                 line + b"Content-Type: application/x-ndjson\r\nContent-Length: 100000\r\n\r\n"]
        clients = [self.service.socket() for _ in heads]
        for client, head in zip(clients, heads):
            self.addCleanup(client.close)
            client.sendall(head)
            self.wait_until_read(client)
        dripping = [threading.Thread(target=self.drip_through, args=(client,)) for client in clients]
        for thread in dripping:
            thread.start()
        self.assertEqual(self.service.stop(signal.SIGTERM), 0)
        for thread in dripping:
            thread.join()

    def test_a_stop_waits_for_what_has_begun(self):
        self.restart("--timeout", "600")  # longer than this test may take
        idle = [self.service.socket() for _ in range(10)]
        for one in idle:
            self.addCleanup(one.close)
        idle[0].sendall(get("/health"))
        self.assertIn(b"200", idle[0].recv(65536))
        request = post(article(1))
        begun = self.service.socket()
        self.addCleanup(begun.close)
        begun.sendall(request[:-10])
        self.wait_until_read(begun)
        self.service.process.send_signal(signal.SIGTERM)
        for one in idle:  # the service ends these connections at once
            self.assertEqual(one.recv(65536), b"")
        answer = self.talk_through(begun, request[-10:], half=False)
        self.assertIn(b"\r\nConnection: close\r\n", answer)
        (status, body), = self.answers_in(answer)
        self.assertEqual(status, 200)
        self.assertEqual(self.service.stop(), 0)
        self.service = self.start()
        self.assertEqual(self.service.doc_id(article(1)), json.loads(body)["docId"])

    def test_connections_beyond_the_limit_are_told(self):
        self.restart("--connections", "2")
        places = [self.service.socket() for _ in range(2)]
        for one in places:
            self.addCleanup(one.close)
        # Silent clients connect first. Other clients still get their answers.
        silent = [self.service.socket() for _ in range(50)]
        for one in silent:
            self.addCleanup(one.close)
        body = json.dumps(article(1, content=sentence(1, 30000))).encode()
        for request in (get("/health"), post(body), b"nonsense\r\n\r\n"):
            answer = self.talk(request, half=False)
            self.assertEqual([status for status, _ in self.answers_in(answer)], [503])

    def test_random_bytes(self):
        make = random.Random(int(os.environ.get("DOCID_HTTP_SEED", "5")))
        self.restart("--timeout", "2", "--deadline", "5", "--max-body", "200000")
        known = self.service.post(article(0))[1]["docId"]
        pieces = [b"\r\n", b"\n", b"\r", b" ", b":", b"0", b"-1", b"ffffffffffffffff", b"\x00", b"\xff", b"chunked", b"GET ", b";",
                  b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"HTTP/1.1\r\n", b"0\r\n\r\n", b"\"", b"%", b"a" * 9000]
        seconds = float(os.environ.get("DOCID_HTTP_SECONDS", "0"))
        start, rounds, statuses = time.monotonic(), 0, {}
        while rounds < 300 * ROUNDS or time.monotonic() < start + seconds:
            rounds += 1
            requests = [self.random_request(make, [b""])[0] for _ in range(make.randrange(1, 4))]
            text = bytearray(b"".join(requests))
            for _ in range(make.choice((1, 1, 2, 5, 50))):
                place = make.randrange(len(text) + 1)
                kind = make.randrange(4)
                if kind == 0:
                    text[place:place] = make.choice(pieces)
                elif kind == 1:
                    del text[place:place + make.choice((1, 2, 10, 100))]
                elif kind == 2:
                    text[place:place + 1] = bytes([make.randrange(256)])
                else:
                    text[place:place] = text[make.randrange(len(text) + 1):][:make.randrange(60)]
            if make.randrange(20) == 0:
                text = make.randbytes(make.randrange(1, 3000))
            with self.service.socket() as client:
                cut = make.randrange(len(text) + 1)
                try:
                    client.sendall(text[:cut])
                    answer = self.talk_through(client, text[cut:])
                except (BrokenPipeError, ConnectionResetError):
                    continue
            # The service sends nothing but answers. The last answer to an invalid request has an error status.
            for line in answer.split(b"\r\n"):
                if line.startswith(b"HTTP/1.1 "):
                    statuses[line.split()[1].decode()] = statuses.get(line.split()[1].decode(), 0) + 1
            self.assertTrue(not answer or answer.startswith(b"HTTP/1.1 "), answer)
        print(f"\n{rounds} random inputs: {sorted(statuses.items())}")
        self.assertLessEqual(set(statuses), {"100", "200", "400", "404", "405", "413", "414", "415", "431", "501", "503"})
        self.assertNotIn("503", statuses)
        self.assertEqual(self.service.request("GET", "/docs/" + known)[0], 200)
        self.assertEqual(self.service.stop(), 0)


class SocketOf:
    """Bytes from which http.client reads one answer after the other."""

    def __init__(self, text):
        self.text, self.place = text, 0

    def rest(self):
        return len(self.text) - self.place

    def makefile(self, *_):
        return self

    def readline(self, most=-1):
        end = self.text.find(b"\n", self.place) + 1 or len(self.text)
        if most >= 0:
            end = min(end, self.place + most)
        return self.read(end - self.place)

    def read(self, size=-1):
        end = len(self.text) if size is None or size < 0 else min(len(self.text), self.place + size)
        result, self.place = self.text[self.place:end], end
        return result

    def readinto(self, place):
        part = self.read(len(place))
        place[:len(part)] = part
        return len(part)

    def flush(self):
        pass

    def close(self):
        pass


if __name__ == "__main__":
    main()
