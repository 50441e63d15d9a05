"""Starts docid_service on free ports of the loopback address, and stops it.

DOCID_SERVICE names the program. With NEARDUP_EXHAUSTIVE=1, the service is killed a hundred times instead of ten times.

No test may depend on the speed of the machine. A test waits for an event for up to PATIENCE seconds. Except in the tests of
silent clients, the service never closes the connection of a silent client.
"""
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse

PROGRAM = os.environ.get("DOCID_SERVICE", "")
PATIENCE = 300  # seconds; more than a slow machine needs, so that a timeout means that the event never happens
KILLS = 100 if os.environ.get("NEARDUP_EXHAUSTIVE") == "1" else 10

FIRST = {"url": "http://www.simhash.com", "title": "計算機應用與軟件",
         "content": "海量網絡文本去重系統實驗測試，這是一段測試文本的內容。", "category": "0", "media": "test1",
         "imageCount": "4"}
SECOND = {"url": "http://www.simhash1.com", "title": "計算機應用和軟件2",
          "content": "海量網絡文本去重系統實驗檢測，這是一段相似的測試文本的內容。", "category": "0", "media": "test2",
          "imageCount": "3"}


def sentence(seed, words=40):
    """Returns a text of random words, which is not similar to any other text."""
    make = random.Random(seed)
    return " ".join("".join(make.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(words))


def similarity_of_pairs(one, other):
    """Returns the Jaccard similarity of the pairs of words of two texts. A Chinese character is a word."""
    first, second = pairs_of(one), pairs_of(other)
    return len(first & second) / max(1, len(first | second))


def words_of(text):
    """Returns the words of a text. A Chinese character is a word."""
    return re.findall(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+", text.lower())


def pairs_of(text):
    return set(zip(words_of(text), words_of(text)[1:]))


def longest_run(one, other):
    """Returns the length of the longest run of words that both texts contain."""
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
    said = ""  # its standard error, once it has ended
    printed = ""  # its standard output after the first line, once it has ended

    def __init__(self, folder, *options, environment=None, before=()):
        self.process = subprocess.Popen([*before, PROGRAM, "--port", "0", "--data", folder, "--timeout", "600",
                                         "--deadline", "3600", *options],
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
        """Sends a request. Returns: the status and the decoded body."""
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
        printed, said = self.process.communicate(timeout=PATIENCE)
        self.printed, self.said = printed or self.printed, said or self.said
        return self.process.returncode


class TestCase(unittest.TestCase):
    options = ()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.service = self.start()

    def start(self, *options):
        return self.start_service(*(options or self.options))

    def start_service(self, *options, folder=None, **how):
        service = Service(folder or self.folder, *options, **how)
        self.addCleanup(service.stop, signal.SIGKILL)
        return service

    def start_with_limit(self, blocks):
        """Starts a service that can write files of at most `blocks` blocks of 1 kB, as on a full disk."""
        return self.start_service(*self.options, before=("bash", "-c", f'trap "" XFSZ; ulimit -S -f {blocks}; exec "$0" "$@"'))

    def restart(self, *options):
        self.assertEqual(self.service.stop(), 0)
        self.service = self.start(*options)

    def doc_ids(self, articles):
        """Sends articles in one request. Returns: their docIds."""
        status, answers = self.service.post(list(articles))
        self.assertEqual(status, 200, answers)
        return [one["docId"] for one in answers]

    def wait_until(self, is_true):
        deadline = time.monotonic() + PATIENCE
        while not is_true():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def killed_under_load(self, chance):
        """Kills the service at random moments while it answers. Returns: the acknowledged articles, as in Load.answered."""
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


class Load:
    """Threads that each send articles one after the other, until the service does not answer."""

    def __init__(self, service, first, count=4):
        self.answered = {}  # number of an article -> its docId
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
            thread.join()  # the thread ends, because each of its requests ends


class Contents:
    """Makes articles without titles, whose contents are edited versions of earlier contents. Finds their right documents by
    comparing the words and the pairs of words of all articles."""

    def __init__(self, words, seed, similarity=0.8, by_pairs=False, longest=60):
        self.words, self.similarity, self.by_pairs, self.longest = words, similarity, by_pairs, longest
        self.make = random.Random(seed)
        self.prefix = []
        self.documents = {}  # docId -> {url: words}; further articles are compared with the first article
        self.sets = {}  # docId -> the features and the pairs of its first article
        self.names = set()  # all docIds so far
        self.number = self.found = self.new = 0

    def word(self):
        return f"v{int(self.words * self.make.random() ** 2)}"  # some words are frequent

    def text(self):
        make = self.make
        if self.documents and make.random() < 0.7:
            words = list(self.first_of(make.choice(list(self.documents))))
            for _ in range(make.randrange(max(2, len(words) // 5))):
                place = make.randrange(len(words))
                words[place:place + make.randrange(2)] = [self.word() for _ in range(make.randrange(1, 3))]
            return words
        return self.prefix + [self.word() for _ in range(make.randrange(4, self.longest))]

    def sets_of(self, words):
        pairs = set(zip(words, words[1:]))
        return pairs if self.by_pairs else set(words), pairs

    def first_of(self, name):
        return next(iter(self.documents[name].values()))

    def originals(self, words):
        """Returns the documents to which an article with these words may belong."""
        own, own_pairs = self.sets_of(words)
        best, names = self.similarity, set()
        for name, (features, pairs) in self.sets.items():
            similarity = len(own & features) / len(own | features)
            if similarity < best or len(own_pairs & pairs) / len(own_pairs | pairs) < self.similarity / 2:
                continue
            if similarity > best:
                best, names = similarity, set()
            names.add(name)
        return names

    def note(self, name, url, words):
        """Records that the document has this text at this url."""
        self.names.add(name)
        self.documents.setdefault(name, {})[url] = words
        self.sets[name] = self.sets_of(self.first_of(name))

    def send(self, case, service, count):
        """Sends `count` articles in one request."""
        texts = []
        for _ in range(count):
            # Some texts are edited versions of other texts in the same request.
            texts.append(list(self.make.choice(texts)) + [self.word()] if texts and self.make.random() < 0.3 else self.text())
        self.send_texts(case, service, texts)

    def articles_of(self, texts):
        first, self.number = self.number, self.number + len(texts)
        return [article(first + i, title="", content=" ".join(words)) for i, words in enumerate(texts)]

    def send_texts(self, case, service, texts):
        articles = self.articles_of(texts)
        status, answers = service.post(articles)
        case.assertEqual(status, 200, answers)
        for one, words, answer in zip(articles, texts, answers):
            wanted, name = self.originals(words), answer["docId"]
            if wanted:
                case.assertIn(name, wanted, one)
                case.assertIn("duplicate by content", answer["filterReason"])
                self.found += 1
            else:
                case.assertEqual(answer["filterStatus"], "good", one)
                case.assertNotIn(name, self.names)
                self.new += 1
            self.note(name, one["url"], words)

    def update(self, case, service):
        """Sends an article again with another content, at its url."""
        name = self.make.choice(list(self.documents))
        url, words = self.make.choice(list(self.documents[name])), self.text()
        case.assertEqual(service.doc_id({"url": url, "title": "", "content": " ".join(words)}), name)
        self.note(name, url, words)

    def send_in_vain(self, case, service):
        """Sends new articles, changes and a deletion to a service that cannot store anything. The documents do not change.
        Returns: the texts that were not stored."""
        known = [url for urls in self.documents.values() for url in urls]
        texts = [self.text() for _ in range(self.make.choice((1, 1, 30)))]
        articles = self.articles_of(texts)
        for one in self.make.sample(articles, len(articles) // 2):
            one["url"] = self.make.choice(known)
        case.assertEqual(service.post(articles)[0], 503)
        case.assertEqual(service.request("DELETE", "/articles/" + urllib.parse.quote(self.make.choice(known), safe=""))[0], 503)
        return texts

    def erase(self, case, service):
        name = self.make.choice(list(self.documents))
        urls = self.documents[name]
        url = self.make.choice(list(urls))
        case.assertEqual(service.request("DELETE", "/articles/" + urllib.parse.quote(url, safe=""))[0], 200)
        del urls[url]
        if urls:
            self.sets[name] = self.sets_of(self.first_of(name))
        else:
            del self.documents[name], self.sets[name]


def main():
    if not PROGRAM:
        raise SystemExit("DOCID_SERVICE does not name the program")
    unittest.main()
