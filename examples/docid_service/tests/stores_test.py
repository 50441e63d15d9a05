#!/usr/bin/env python3
"""Tests the service with Redis, MariaDB, RocksDB and HBase."""
import contextlib
import ctypes.util
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse

from harness import Contents, FIRST, KILLS, Load, PATIENCE, Service, TestCase, article, sentence, main


class Server:
    """A real server with a socket in its own folder. The folder is removed at the end."""

    def __init__(self, folder):
        self.folder = folder
        self.socket = folder + "/socket"
        self.process = None

    def environment(self):
        # A starting MariaDB removes the temporary tables of other servers in the same folder.
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
        # Redis writes nothing to the disk, because the service must not rely on Redis.
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


class HBase(Server):
    programs = ("java", "mvn")
    script = pathlib.Path(__file__).resolve().parents[2] / "stores/hbase/hbase_server.py"

    def command(self):
        return [str(self.script), os.environ.get("DOCID_HBASE_JARS", self.folder + "/jars"), self.folder]

    @property
    def address(self):
        return pathlib.Path(self.folder + "/address").read_text(encoding="ascii")

    def is_up(self):
        """Returns True if a process listens. The server may need some more seconds before it answers."""
        if self.process.poll() == 77:
            raise unittest.SkipTest(pathlib.Path(self.folder + "/log").read_text(encoding="utf-8"))
        try:
            host, port = self.address.split(":")
            socket.create_connection((host, int(port))).close()
        except OSError:
            return False
        return True


def is_installed(*servers):
    return all(shutil.which(program) for server in servers for program in server.programs)


class StoresTestCase(TestCase):
    def another(self, *options, environment=None):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        service = Service(folder.name, *options, environment=environment)
        self.addCleanup(service.stop, signal.SIGKILL)
        return service

    def check_answers_like_sqlite(self, *options):
        """Compares the answers of the service with those of a service that has everything in SQLite."""
        chance = random.Random(3)
        plain = self.another(*options)
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
                                   "duplicate by content", "nothing to compare"})
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

    def check(self, answered):
        for number, name in answered.items():
            self.assertEqual(self.service.doc_id(article(number)), name)
        self.assertEqual(len(set(answered.values())), len(answered))
        # Also searches by contents, because the index must have all contents.
        for number, name in answered.items():
            self.assertEqual(self.service.doc_id(article(number, nid=f"copy {number}", url=f"copy {number}", title="")), name)


@unittest.skipUnless(is_installed(Redis, MariaDB), "redis-server or mariadb-server is not there")
class OtherStores(StoresTestCase):
    """The stores of the published descriptions: Redis, MariaDB, and RocksDB in place of HBase."""

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
        self.check_answers_like_sqlite("--distance", "7")  # with Redis, contents are found within 7 bits

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
        self.assertEqual(self.sets("CONTENT_INDEX"), 4 + 2 * 10)  # the sets of the other layout stay

    def test_redis_is_given_what_it_lacks(self):
        names = [self.service.doc_id(article(i)) for i in range(10)]

        def found(word):
            return [self.service.doc_id(article(i, nid=f"{word} {i}", url=f"{word} {i}", title="")) == names[i]
                    for i in range(10)]

        # Simulates that the service was killed five times between the commits of MariaDB and Redis.
        self.redis.ask("FLUSHALL")
        self.redis.ask("SET", "CONTENT_INDEX:KNOWN:7:4", "5")
        self.assertEqual(found("a"), [False] * 5 + [True] * 5)
        self.redis.ask("FLUSHALL")
        self.assertEqual(found("b"), [True] * 10)

    @contextlib.contextmanager
    def hold(self, lock="START TRANSACTION; SELECT * FROM store FOR UPDATE"):
        """Opens another session with a lock that stops the service in its transaction, by default just before the commit."""
        holder = subprocess.Popen(["mariadb", "--no-defaults", f"--socket={self.mariadb.socket}", "--user=root",
                                   "--unbuffered", "-N", "docid"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            holder.stdin.write(f"{lock}; SELECT 'held';\n")
            holder.stdin.flush()
            while (line := holder.stdout.readline().strip()) != "held":
                self.assertIsNone(holder.poll(), line)
            yield
        finally:
            holder.communicate()  # the transaction of this session rolls back when it ends

    def wait_until_one_waits(self):
        """Returns when a request of the service waits for the lock of a row or a table."""
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
        # Now the database belongs to this store again.
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
            start.start()  # this request may have to wait, too
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
        for other in (in_memory, both):  # these services now have the old features in memory
            self.assertEqual(other.doc_id(article(1, nid=f"{other.port}", url=f"{other.port}", title="")), name)
        self.assertEqual(self.service.doc_id(article(2, nid="a", url="U")), name)
        for other in (in_memory, both, self.service):
            self.assertEqual(other.doc_id(article(2, url=f"new {other.port}", title="")), name)
        self.assertNotEqual(in_memory.doc_id(article(1, url="old", title="")), name)
        # Simulates that the service was killed between the commits of MariaDB and Redis, and that Redis lost its content.
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

    def test_services_with_indexes_in_memory_miss_nothing(self):
        services = [self.another("--mariadb", self.mariadb.options) for _ in range(2)]
        contents = Contents(60, 12)
        contents.send(self, services[0], 60)
        for round_number in range(30):
            contents.send(self, services[round_number % 2], 1 + round_number % 2 * 40)
            for service in services:
                contents.update(self, service)
                contents.erase(self, service)
        self.assertGreater(contents.found, 100)
        # Starts a new service, and one with its index in Redis, which announces that it may miss similar contents.
        contents.send(self, self.another("--mariadb", self.mariadb.options), 60)
        self.assertEqual(self.service.stop(), 0)
        self.assertIn("within 7 bits (--redis), so that similar ones can be missed", self.service.said)

    def test_the_docid_of_each_article_in_mariadb(self):
        names = {nid: self.service.doc_id(article(number, nid=nid, url=nid))
                 for nid, number in (("a", 1), ("b", 2), ("c", 1), ("d 二", 3))}
        query = "SELECT nid, docid FROM docid.article"

        def found():
            return dict(line.split("\t") for line in self.mariadb.ask(query).stdout.splitlines())

        self.assertEqual(found(), names)

    def test_tables_of_another_format_are_refused(self):
        name = self.service.doc_id(article(1))
        self.assertEqual(self.service.stop(), 0)

        def tables():
            return [self.mariadb.ask(sql).stdout for sql in ("SHOW TABLES FROM docid", "SHOW CREATE TABLE docid.store",
                                                             "SELECT * FROM docid.store", "SELECT nid, docid FROM docid.article")]

        for statement, found in (("UPDATE docid.store SET format = 2", 2), ("ALTER TABLE docid.store DROP COLUMN format", 0)):
            self.assertEqual(self.mariadb.ask(statement + "; DROP TABLE IF EXISTS docid.pairs").stderr, "")
            before = tables()
            with self.assertRaisesRegex(RuntimeError, f"MariaDB: .* it has format {found}, .* another database"):
                self.start()
            self.assertEqual(tables(), before)
            self.assertIn(name, before[3])

    def test_contents_of_another_format_are_refused(self):
        name = self.service.doc_id(article(1))
        self.assertEqual(self.service.stop(), 0)
        rocksdb = ctypes.CDLL(ctypes.util.find_library("rocksdb"))
        for function in (rocksdb.rocksdb_options_create, rocksdb.rocksdb_writeoptions_create, rocksdb.rocksdb_open):
            function.restype = ctypes.c_void_p

        def set_format(value):
            error = ctypes.c_char_p()
            database = ctypes.c_void_p(rocksdb.rocksdb_open(
                ctypes.c_void_p(rocksdb.rocksdb_options_create()), (self.folder + "/contents").encode(), ctypes.byref(error)))
            self.assertIsNone(error.value)
            options, key = ctypes.c_void_p(rocksdb.rocksdb_writeoptions_create()), (b"format", ctypes.c_size_t(6))
            if value:
                rocksdb.rocksdb_put(database, options, *key, value, ctypes.c_size_t(len(value)), ctypes.byref(error))
            else:
                rocksdb.rocksdb_delete(database, options, *key, ctypes.byref(error))
            self.assertIsNone(error.value)
            rocksdb.rocksdb_close(database)

        for value, found in ((b"2", 2), (None, 0)):
            set_format(value)
            for _ in range(2):  # the first refusal changes nothing
                with self.assertRaisesRegex(RuntimeError, f"RocksDB in .*: it has format {found}, .* another --data FOLDER"):
                    self.start()
        set_format(b"1")
        self.service = self.start()
        self.assertEqual(self.service.request("GET", "/docs/" + name)[1]["article"]["url"], article(1)["url"])

    def test_connections_that_were_closed_while_idle(self):
        name = self.service.doc_id(article(1))
        self.redis.ask("CONFIG", "SET", "timeout", "1")
        # The only client is the client that asks for the list.
        self.wait_until(lambda: len(self.redis.ask("CLIENT", "LIST").splitlines()) == 1)
        self.redis.ask("CONFIG", "SET", "timeout", "0")
        self.assertEqual(self.service.doc_id(article(1)), name)
        ids = "SELECT id FROM information_schema.processlist WHERE db = 'docid'"
        self.assertNotEqual(self.mariadb.ask(ids).stdout.split(), [])
        for one in self.mariadb.ask(ids).stdout.split():
            self.mariadb.ask(f"KILL {one}")
        self.wait_until(lambda: self.mariadb.ask(ids).stdout.split() == [])
        self.assertEqual(self.service.request("GET", "/docs/" + name)[0], 200)

    def test_pairs_of_words_that_the_store_lacks(self):
        make = random.Random(6)
        contents = ["".join(chr(0x4e00 + make.randrange(300)) for _ in range(2000)) for _ in range(4)]
        names = self.doc_ids(article(i, title=f"公告{i}", content=content) for i, content in enumerate(contents))
        self.assertEqual(self.mariadb.ask("DELETE FROM docid.pairs").returncode, 0)
        self.restart()
        found = self.doc_ids(article(100 + i, title=f"公告{i}", content=content[400:] + contents[i - 1][:200])
                             for i, content in enumerate(contents))
        self.assertEqual(found, names)
        new = self.doc_ids(article(200 + i, title=f"公告{i}", content=content[::-1]) for i, content in enumerate(contents))
        self.assertEqual(len(set(new + names)), 8)
        self.assertEqual(self.mariadb.ask("SELECT count(*) FROM docid.pairs").stdout.strip(), "4")
        # The contents are in a folder of RocksDB. Another service has no contents, so it compares only the words.
        self.assertEqual(self.mariadb.ask("DELETE FROM docid.pairs").returncode, 0)
        other = self.another(*self.options)
        self.assertEqual(other.doc_id(article(300, title="公告0", content=contents[0][400:])), names[0])
        self.assertIn("docid_checks_without_pairs_total 1", other.request("GET", "/metrics")[1])

    def test_an_article_that_is_too_long_for_mariadb(self):
        status, answer = self.service.post(article(1, url="x" * 5_000_000))
        self.assertEqual((status, "max_allowed_packet" in answer["error"]), (413, True), answer)
        # Articles that arrive at the same time are not affected.
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
        self.service = self.start_with_limit(300)
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
                # The same text under another url, so that only a search can find it.
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
        # An article that one service has deleted is not found by the other.
        self.assertEqual(services[0].request("DELETE", "/articles/" + urllib.parse.quote("http://0.example/5", safe=""))[0], 200)
        self.assertEqual(services[1].request("DELETE", "/articles/" + urllib.parse.quote("http://1.example/5", safe=""))[0], 200)
        for service, number in ((services[1], 1005), (services[0], 2005)):
            answer = service.post(article(5, url=f"http://example.org/{number}"))[1]
            self.assertEqual(answer["filterStatus"], "good" if number == 1005 else "duplicate")
            self.assertNotEqual(answer["docId"], both[5][0]["docId"])

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
            load.wait()  # until each thread has got status 503
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
        self.assertEqual(self.service.stop(), 0)
        owner = self.redis.ask("GET", "DOCID_STORE")
        self.assertRegex(owner, "^1 [0-9a-f]{32}$")
        self.redis.ask("SET", "DOCID_STORE", owner[2:])
        with self.assertRaisesRegex(RuntimeError, "an index of another format. .* empty this one"):
            self.start()
        self.redis.ask("FLUSHALL")
        self.service = self.start()


@unittest.skipUnless(is_installed(HBase, MariaDB, Redis), "Java, Maven, mariadb-server or redis-server is not there")
class ContentsInHBase(StoresTestCase):
    """Articles in a real HBase; everything else in SQLite, or in MariaDB and Redis."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.hbase = HBase(folder.name)
        self.addCleanup(self.hbase.stop)
        self.hbase.start()
        self.options = ("--contents", "hbase", "--hbase", self.hbase.address)
        super().setUp()

    def start(self, *options):
        """Starts the service, and tries again until HBase answers."""
        started = []

        def has_started():
            try:
                started.append(super(ContentsInHBase, self).start(*options))
            except RuntimeError as error:
                if "HBase" not in str(error):
                    raise
            return bool(started)

        self.wait_until(has_started)
        return started[0]

    def test_they_answer_like_sqlite(self):
        self.check_answers_like_sqlite()
        # The article is larger than a cell of HBase may be.
        name = self.service.doc_id(article(7000, nid="long", media="x" * 9_000_000 + "二" * 1_000_000))
        status, found = self.service.request("GET", "/docs/" + name)
        self.assertEqual((status, len(found["article"]["media"])), (200, 10_000_000))
        self.assertEqual(self.service.request("DELETE", "/articles/long")[0], 200)
        self.restart_empty(*self.options)
        self.check(self.killed_under_load(random.Random(8)))
        for options, words in ((self.options[:2], "needs --hbase HOST:PORT"), (self.options[2:], "needs --contents hbase"),
                               ((*self.options[:3], "nowhere"), "host:port is needed"),
                               ((*self.options[:3], "127.0.0.1:1"), "HBase: nobody answers at 127.0.0.1:1")):
            with self.assertRaisesRegex(RuntimeError, words):
                self.another(*options)

    def test_two_services_and_a_server_that_is_killed(self):
        servers = []
        for kind in (MariaDB, Redis):  # as in the published description
            os.mkdir(folder := f"{self.hbase.folder}/{kind.__name__}")
            servers.append(kind(folder))
            self.addCleanup(servers[-1].stop)
            servers[-1].start()
        self.options = (*self.options, "--mariadb", servers[0].options, "--redis", servers[1].socket)
        self.restart_empty(*self.options)
        other = self.another(*self.options)
        # The other service shows an article that one service has received.
        names = [self.service.doc_id(article(number)) for number in range(20)]
        self.assertEqual([other.doc_id(article(number, url=f"copy {number}", title="")) for number in range(20)], names)
        for number, name in enumerate(names):
            self.assertEqual(other.request("GET", "/docs/" + name)[1]["article"]["url"], article(number)["url"])
        loads = [Load(self.service, 100000), Load(other, 200000)]
        self.wait_until(lambda: all(len(load.answered) > 10 for load in loads))
        self.hbase.stop(signal.SIGKILL)
        for load in loads:
            load.wait()  # until each thread has got status 503
            self.assertEqual(load.wrong, [])
        status, answer = self.service.post(article(99999))
        self.assertEqual((status, "HBase" in answer["error"]), (503, True), answer)
        self.assertEqual(self.service.request("GET", "/health")[0], 200)
        self.hbase.start()
        self.wait_until(lambda: self.service.post(article(99999))[0] == 200)
        answered = loads[0].answered | loads[1].answered
        for number, name in answered.items():
            for service in (self.service, other):
                self.assertEqual(service.request("GET", "/docs/" + name)[1]["article"]["url"], article(number)["url"])
        self.check(answered)
        print(f"\nHBase killed under load, {len(answered)} articles acknowledged by two services, none lost")


if __name__ == "__main__":
    main()
