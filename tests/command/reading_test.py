"""Input and output of the command: folders, patterns, lists of names, compressed files, --output, names."""

import bz2
import gzip
import io
import json
import lzma
import os
import pathlib
import pty
import random
import re
import resource
import shutil
import signal
import stat
import subprocess
import tarfile
import time

from harness import A, B, PROGRAM, SANITIZED, TIMEOUT, CommandTest, corpus, effort, jsonl, run, run_with, unittest

NOBODY = 65534


def timeless(advice):
    """Removes the predicted time from the output of advise, because it depends on a clock."""
    return re.sub(rb'"seconds":[^,]*,"bytes"', b"", advice)


class ReadingTest(CommandTest):
    def ids(self, *arguments, status=0, **more):
        """Returns the ids of the documents that the program reads."""
        done = run("hash", "--format", "jsonl", *arguments, **more)
        self.assertEqual(done.status, status, done.err)
        return [row["id"] for row in done.json]

    def as_somebody_else(self):
        """Returns arguments that run the program as another user if the tests run as root, because root may read
        every file."""
        if os.geteuid() != 0:
            return {}
        copy = self.folder.parent / (self.folder.name + ".program")
        shutil.copy(PROGRAM, copy)
        self.addCleanup(copy.unlink)
        self.folder.chmod(0o755)
        return {"user": NOBODY, "group": NOBODY, "executable": str(copy)}


class Folders(ReadingTest):
    def passed_over(self, *arguments, expected, **more):
        """Checks that the output is complete, that the messages name the files that were skipped, and that the
        exit status is 2."""
        done = run("groups", *arguments, **more)
        self.assertEqual(done.status, 2, done.err)
        self.assertIn("2 documents, similarity 1.000", done.text)
        said = re.findall(r"^neardup: skipped (.*)$", done.err, re.MULTILINE)
        self.assertEqual(said, expected)
        self.assertIn(f"neardup: {len(expected)} file", done.err)
        return done

    def setUp(self):
        super().setUp()
        self.texts = self.folder / "texts"
        self.write("texts/a.txt", A)
        self.write("texts/sub/b.txt", A)

    def test_lines_that_end_with_carriage_returns(self):
        tr = "tr '\\r' '\\n' < FILE | neardup … -"
        old = self.write("old.txt", f"{A}\r{B}\r{A}\r")
        done = self.assert_done(run("hash", "--lines", old))
        self.assertIn("1 source is one line with carriage returns in it", done.err)
        self.assertIn(tr, done.err)
        for data in (A, A + "\r", A + "\r\n", f"{A}\r{B}\n", f"{A}\n{A}\r{B}"):
            self.assertNotIn("carriage", self.assert_done(run("hash", "--lines", "-", data=data)).err, data)
        self.assertNotIn("carriage", self.assert_done(run("hash", old)).err)
        rows = jsonl([A, B]).decode().replace("\n", "\r")
        self.assert_fails(run("hash", "--jsonl", "-", data=rows), "something follows the object", tr)
        self.assert_fails(run("hash", "--input-format", "csv", "-", data=f"n,text\r1,{A}\r"), "no column", tr)

    def test_links_that_lead_nowhere_or_back(self):
        (self.texts / "dangling").symlink_to("nowhere")
        (self.texts / "self").symlink_to("self")
        (self.texts / "sub" / "up").symlink_to("..")
        expected = [
            f"{self.texts}/dangling: a link that leads nowhere",
            f"{self.texts}/self: a link that leads to itself",
            f"{self.texts}/sub/up: the folder loops: it leads back to {self.texts}",
        ]
        for mode in ((), ("--lines",)):
            self.passed_over(*mode, self.texts, expected=expected)
        self.passed_over("--quiet", self.texts, expected=expected)
        # A named file must exist. If bad files are skipped or excluded, the exit status is 0.
        self.assert_fails(run(self.texts, self.texts / "dangling"), "dangling: no such file or folder")
        self.assert_done(run("groups", "--skip-bad", self.texts))
        self.assert_done(run("groups", self.texts, *(f"--exclude={name}" for name in ("dangling", "self", "up"))))
        done = run("advise", "--format", "jsonl", self.texts)
        self.assertEqual((done.status, len(done.json)), (2, 1))

    def test_what_may_not_be_read(self):
        self.write("texts/closed.txt", A).chmod(0)
        self.write("texts/shut/a.txt", A)
        (self.texts / "shut").chmod(0)
        self.addCleanup((self.texts / "shut").chmod, 0o700)
        more = self.as_somebody_else()
        expected = [f"{self.texts}/{name}: Permission denied" for name in ("closed.txt", "shut")]
        for mode in ((), ("--lines",), ("--lines", "--threads", 1)):
            self.passed_over(*mode, self.texts, expected=expected, **more)
        self.assert_fails(run(self.texts / "closed.txt", **more), "closed.txt: Permission denied")

    def test_much_that_is_passed_over_is_counted(self):
        for i in range(50):
            (self.texts / f"z{i}").symlink_to("nowhere")
        done = run("groups", self.texts)
        self.assertEqual(done.err.count("skipped"), 20 + 1 + 1)
        self.assertIn("50 files or folders were skipped (the first: ", done.err)

    def test_the_output_in_a_folder_is_no_input(self):
        (self.folder / "again").symlink_to("texts")
        for output, folder in (
            ("groups.txt", "."),
            ("groups.txt", ".."),
            ("./groups.txt", self.texts),
            (self.texts / "groups.txt", "."),
            ("../texts/groups.txt", "."),
            ("sub/../groups.txt", "."),
            (self.folder / "again" / "groups.txt", "."),
            ("sub/groups.txt", "."),
        ):
            results = set()
            for _ in range(2):  # first without the output file, then with it
                done = run("groups", folder, "--output", output, cwd=self.texts)
                self.assertEqual(done.status, 2, done.err)
                self.assertRegex(done.err, "skipped [^\n]*groups.txt: is also the output")
                self.assertEqual(done.err.count("neardup: skipped"), 1)
                results.add((self.texts / output).read_text())
            self.assertEqual(len(results), 1)
            self.assertIn("2 documents, similarity 1.000", results.pop())
            (self.texts / output).unlink()
            self.assert_done(run("groups", folder, "--output", output, "--exclude", "groups.txt", cwd=self.texts))
            (self.texts / output).unlink()
        self.assertEqual(sorted(os.listdir(self.texts)), ["a.txt", "sub"])
        # Standard output may be a file with a name, too.
        with open(self.texts / "out.txt", "wb") as out:
            done = subprocess.run([PROGRAM, "groups", "."], stdout=out, stderr=subprocess.PIPE, cwd=self.texts, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"skipped ./out.txt: is also the output", done.stderr)
        self.assertIn("2 documents, ", (self.texts / "out.txt").read_text())

    @unittest.skipUnless(os.path.isdir("/etc"), "no /etc")
    def test_etc_gives_a_result(self):
        done = run("groups", "/etc", **self.as_somebody_else())
        self.assertIn(done.status, (0, 2))
        self.assertRegex(done.err, r"[0-9,]+ documents: [0-9,]+ groups? of near-duplicates")

    def test_utf_16_is_read_inside_of_gzip_too(self):
        self.write("texts/plain.txt", A)
        self.write("texts/wide.txt", b"\xff\xfe" + A.encode("utf-16-le"))
        self.write("texts/packed.txt.gz", gzip.compress(b"\xfe\xff" + A.encode("utf-16-be")))
        self.write("texts/short.gz", gzip.compress(b"ab"))
        done = self.assert_done(run("groups", "--format", "jsonl", self.texts))
        self.assertEqual([sorted(pathlib.Path(m["id"]).name for m in row["members"]) for row in done.json],
                         [["a.txt", "b.txt", "packed.txt.gz", "plain.txt", "wide.txt"]])

    def test_records_that_were_read_as_one_text_are_said(self):
        one = self.write("f/one.jsonl", jsonl([A, B, A]))
        for name, said in (
            ("a.mbox", "; --input-format mail reads the messages in it"),
            ("a.eml", ", with its header and in its encoding; --input-format mail reads the text in it"),
            ("a.srt", ", with its numbers and times; take out the text first"),
            ("a.vtt", ", with its numbers and times; take out the text first"),
            ("a.warc", "; --input-format warc reads the records in it"),
        ):
            path = self.write("alone/" + name, A)
            self.assertIn(f"neardup: {path} was read as one text{said}\n", self.assert_done(run("hash", path)).err)
            self.assertNotIn("as one text", self.assert_done(run("hash", "--lines", path)).err)
        for name, text, is_page in (("a.txt", " \n<!DOCTYPE HTML>\n<p>x", True), ("b", '\ufeff<html lang="en">x', True), ("c.html", "", False),
                                    ("d.txt", "a < b, and <html> is a tag", False), ("e.htm", "x", False),
                                    ("i", "<html>", True), ("x.xhtml", '<?xml version="1.0"?>\n<a>x</a>', True), ("g", "<htmlx> a", False), ("h", "<html", False)):
            path = self.write(name, text)
            for options in ((), ("--input-format", "auto")):
                err = self.assert_done(run("hash", *options, path)).err
                self.assertEqual(f"{path} was read as one text, with its tags of HTML or XML; take out the text first" in err, is_page, err)
        done = self.assert_done(run("hash", self.folder / "alone"))
        self.assertIn(f"neardup: 2 files of subtitles were read as one text each (the first: {self.folder}/alone/a.srt), with their", done.err)
        shutil.rmtree(self.folder / "alone")
        hint = f"neardup: {one} was read as one text; --jsonl reads the records in it\n"
        for verb in (("groups",), ("pairs",), ("unique",), ("hash",), ("advise",), ("report",), ("find", "word"),
                     ("tokens",), ("unique", "--keep", "longest"), ("hash", "--weights", "idf")):
            done = self.assert_done(run(*verb, one))
            self.assertEqual(done.err.count("--jsonl reads"), 1, verb)
            self.assertIn(hint, done.err)
            for more in (("--quiet",), ("--jsonl",), ("--lines",)):
                self.assertNotIn("--jsonl reads", run(*verb, *more, one).err, (verb, more))
        self.write("f/two.ndjson", jsonl([A]))
        self.write("f/three.jsonl.gz", gzip.compress(jsonl([A])))
        self.write("f/text.json", A)
        self.assertIn(f"neardup: 3 files of JSON Lines were read as one text each (the first: {one}); --jsonl reads the",
                      run("groups", self.folder / "f").err)

    def test_hidden_and_binary_files_only_if_asked_for(self):
        self.write("texts/.hidden.txt", B)
        self.write("texts/.git/config", B)
        self.write("texts/image.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
        self.write("texts/image.gz", gzip.compress(b"\0" * 1000))
        self.write("texts/utf16.txt", b"\xff\xfe" + A.encode("utf-16-le"))
        self.write("texts/late.txt", A.encode() * 2000 + b"\0")
        name = lambda *names: [f"{self.texts}/{n}" for n in names]
        for mode in ((), ("--lines",)):
            found = lambda *options: list(dict.fromkeys(re.sub(":\\d+$", "", i) for i in self.ids(*mode, *options)))
            usual = name("a.txt", "late.txt", "sub/b.txt", "utf16.txt")
            self.assertEqual(found(self.texts), usual)
            self.assertEqual(found(self.texts, "--hidden"), sorted(usual + name(".git/config", ".hidden.txt")))
            self.assertEqual(found(self.texts, "--binary"), sorted(usual + name("image.gz", "image.png")))
            # A named file is read, unless its first bytes show that it is no text.
            named = name("image.gz", ".hidden.txt", ".git")
            self.assertEqual(found(*named), name("image.gz", ".hidden.txt", ".git/config"))
            self.assert_fails(run("hash", *mode, *name("image.png")), "image.png: a picture (PNG), and no text")
            self.assertEqual(found("--binary", *name("image.png")), name("image.png"))
        for verb in ("groups",), ("groups", "--weights", "idf"), ("advise",):  # the last two read everything twice
            done = self.assert_done(run(*verb, self.texts))
            self.assertIn("2 hidden files or folders were left out; --hidden reads them", done.err)
            self.assertIn("2 binary files in folders were left out; --binary reads them", done.err)
        os.chdir(self.texts)
        self.addCleanup(os.chdir, "/")
        self.assertEqual(self.ids("."), ["./a.txt", "./late.txt", "./sub/b.txt", "./utf16.txt"])


    def test_utf16_is_read_as_text(self):
        text = A + " ä 漢 😀 end\n" + B + "\n"
        plain = self.write("plain", text)
        for name, data in (
            ("little", b"\xff\xfe" + text.encode("utf-16-le")),
            ("big", b"\xfe\xff" + text.encode("utf-16-be")),
        ):
            path = self.write(name, data)
            for options in (("--features", "bytes:3"), ("--lines",), ("--lines", "--weights", "idf")):
                expected = run("hash", *options, plain).text.replace(str(plain), "-")
                self.assertEqual(run("hash", *options, path).text.replace(str(path), "-"), expected)
                self.assertEqual(run("hash", *options, "-", data=data).text, expected)
        for tail, replaced in ((b"a\x00\x00\xd8b\x00", "a\ufffdb"), (b"a\x00\x00\xdcb", "a\ufffd\ufffd"), (b"\x00\xd8", "\ufffd")):
            one = self.write("one", b"\xff\xfe" + tail)
            other = self.write("other", replaced)
            rows = [row.split()[0] for row in run("hash", "--features", "bytes:1", one, other).text.splitlines()]
            self.assertEqual(rows[0], rows[1], tail)
        # The byte order mark of UTF-32 begins like that of UTF-16. UTF-32 is refused.
        for wide in ("\ufeffone".encode("utf-32-le"), "\ufeffone".encode("utf-32-be")):
            done = run("unique", "--lines", "--quiet", self.write("wide", wide))
            self.assert_fails(done, "wide: UTF-32; convert it first, as in: iconv -f UTF-32")
            self.assertEqual(done.bytes, b"")


# First bytes of binary formats, the name that the command gives each, and whether it may hold texts.
FOREIGN = (
    (bz2.compress(A.encode()), "compressed by bzip2; unpack it first, as in: bzcat FILE |", True),
    (bz2.compress(b""), "compressed by bzip2", True),
    (lzma.compress(A.encode()), "compressed by xz; unpack it first, as in: xzcat FILE |", True),
    (lzma.compress(A.encode(), format=lzma.FORMAT_ALONE), "compressed by lzma", True),
    (b"LZIP\x01\x0c" + A.encode(), "compressed by lzip", True),
    (b"\x04\x22\x4d\x18\x64\x40\xa7" + A.encode(), "compressed by lz4", True),
    (b"\x1f\x9d\x90" + A.encode(), "compressed by compress", True),
    (b"\xff\x06\x00\x00sNaPpY" + A.encode(), "compressed by snappy", True),
    (b"PK\x03\x04\x14\x00" + A.encode(), "an archive of zip; extract it first", True),
    (b"7z\xbc\xaf\x27\x1c\x00\x04" + A.encode(), "an archive of 7-Zip", True),
    (b"Rar!\x1a\x07\x01\x00" + A.encode(), "an archive of RAR", True),
    (b"PAR1\x15\x04\x15" + A.encode(), "a Parquet file; make text of it first, perhaps (untested) by: ", True),
    (b"ARROW1\0\0" + A.encode(), "an Arrow file; make text of it first, perhaps (untested) by: ", True),
    (b"\xff\xff\xff\xff\x78\0\0\0" + A.encode(), "an Arrow stream, or other binary data, and no text", False),
    (b"Obj\x01\x04" + A.encode(), "an Avro file", True),
    (b"SQLite format 3\0" + A.encode(), "a database of SQLite", True),
    (b"\x89HDF\r\n\x1a\n" + A.encode(), "an HDF5 file, and no text", False),
    (b"%PDF-1.7\n" + A.encode(), "a PDF file", True),
    (b"\x89PNG\r\n\x1a\n" + A.encode(), "a picture (PNG), and no text", False),
    (b"\xff\xd8\xff\xe0" + A.encode(), "a picture (JPEG), and no text", False),
    (b"\x7fELF\x02\x01" + A.encode(), "a program, and no text", False),
    (b"\x80\x04\x95" + A.encode(), "a pickle of Python, and no text", False),
)


class Foreign(ReadingTest):
    def test_what_is_no_text_is_refused_by_name_or_through_a_pipe(self):
        for data, message, _ in FOREIGN:
            path = self.write("odd", data)
            for mode in ((), ("--lines",), ("--jsonl",)):
                self.assert_fails(run("groups", *mode, path), f"{path}: {message}")
                self.assert_fails(run("groups", *mode, "-", data=data), f"standard input: {message}")
            done = run("unique", "--lines", "-", data=data)
            self.assert_fails(done, f"standard input: {message}")
            self.assertEqual(done.bytes, b"", message)
            # The same files, compressed by gzip.
            path = self.write("odd.gz", gzip.compress(data))
            if "built without zlib" not in run("hash", path).err:
                self.assert_fails(run("groups", path), f"{path}: {message}")

    def test_what_is_no_text_can_be_read_as_bytes(self):
        for data, message, _ in FOREIGN:
            done = self.assert_done(run("unique", "--lines", "--binary", "-", data=data))
            self.assertEqual(done.bytes, data, message)

    def test_what_is_no_text_in_a_folder_is_left_out_and_said(self):
        for data, message, holds_texts in FOREIGN:
            self.write("folder/text", A)
            odd = self.write("folder/odd", data)
            done = self.assert_done(run("hash", self.folder / "folder"))
            self.assertEqual(len(done.text.splitlines()), 1, message)
            if holds_texts:
                self.assertIn(f"1 file in a folder was left out: not text ({odd}: {message}", done.err)
            else:
                self.assertIn("1 binary file in a folder was left out", done.err)
            self.assertEqual(len(run("hash", "--binary", self.folder / "folder").text.splitlines()), 2)

    def test_an_archive_of_tar_is_refused(self):
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            info = tarfile.TarInfo("a.txt")
            info.size = len(A)
            tar.addfile(info, io.BytesIO(A.encode()))
        data = archive.getvalue()
        for path in (self.write("a.tar", data), self.write("a.tar.gz", gzip.compress(data))):
            self.assert_fails(run("groups", path), f"{path}: an archive of tar; extract it first")

    def test_gnu_tar_is_refused_and_a_text_with_its_magic_word_is_read(self):
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w", format=tarfile.GNU_FORMAT) as tar:
            info = tarfile.TarInfo("a.txt")
            info.size = 4
            tar.addfile(info, io.BytesIO(b"text"))
        path = self.write("gnu.tar", archive.getvalue())
        self.assert_fails(run("groups", path), f"{path}: an archive of tar; extract it first")
        text = self.write("stars.txt", b"x" * 256 + b" ustar and more words")
        self.assertEqual(len(run("hash", text).text.splitlines()), 1)

    def test_texts_that_begin_like_other_formats_are_texts(self):
        for begin in ("BZh is a magic number", "BZh9", "B", "BZ", "PK", "P", "PARENTS", "PAR1 is", "LZIP it", "GIF", "%", "%PD",
                      "Obj", "Rar!", "FEA1", "SQLite format 30", "Q*M", "7z", "ARROW1", "(\xb5/", "ELF", "_*M"):
            text = f"{begin}\n{A}\n"
            done = self.assert_done(run("unique", "--lines", self.write("text", text)))
            self.assertEqual(done.text, text)
            self.assertEqual(self.assert_done(run("unique", "--lines", "-", data=text.encode())).text, text)

    def test_names_of_other_packers_are_not_written_under(self):
        texts = self.write("texts", A)
        for ending, packer in (("bz2", "bzip2"), ("xz", "xz"), ("lz4", "lz4"), ("zip", "zip"), ("7z", "7-Zip"), ("Z", "compress")):
            for option in ("--output", "--dropped"):
                path = self.folder / f"out.{ending}"
                done = run("unique", option, path, texts)
                self.assert_fails(done, f"out.{ending}: neardup does not write {packer}")
                self.assertFalse(path.exists())


class Pipes(ReadingTest):
    def test_a_slow_pipe_is_answered_when_it_pauses(self):
        process = subprocess.Popen(
            [PROGRAM, "unique", "--lines", "--quiet", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for line in (A, B):
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), line.encode() + b"\n")  # the answer comes while the pipe is open
        # A full block, and then no more input: the program must write its records.
        block = b"".join(b"line number %d is like no other, as %d says\n" % (i, i * i) for i in range(1 << 14))[: 1 << 19]
        block = block[: block.rindex(b"\n") + 1]
        block += b"x" * ((1 << 19) - len(block) - 1) + b"\n"
        process.stdin.write(block)
        process.stdin.flush()
        last = b""
        while not last.startswith(b"xxx"):
            last = process.stdout.readline()
        process.stdin.close()
        self.assertEqual(process.stdout.read(), b"")
        self.assertEqual(process.wait(timeout=TIMEOUT), 0)
        process.stdout.close()
        process.stderr.close()

    def test_a_pipe_in_small_pieces_gives_the_same(self):
        data = jsonl(corpus(400, 35))
        expected = run("unique", "--jsonl", "-", data=data).bytes
        process = subprocess.Popen(
            [PROGRAM, "unique", "--jsonl", "--quiet", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        for i in range(0, len(data), 700):
            process.stdin.write(data[i : i + 700])
            process.stdin.flush()
            time.sleep(0.12 if i % 7000 == 0 else 0.001)
        self.assertEqual(process.communicate()[0], expected)


class Patterns(ReadingTest):
    def test_patterns_are_those_of_gitignore(self):
        for name in ("x.md", "a/x.md", "a/y.txt", "b/a/z.txt", "b/x.md", "b/c/x.md", "c"):
            self.write("f/" + name, name)
        folder = self.folder / "f"
        everything = ["a/x.md", "a/y.txt", "b/a/z.txt", "b/c/x.md", "b/x.md", "c", "x.md"]
        read = lambda *options: [i[2:] for i in self.ids(".", *options, cwd=folder)]
        self.assertEqual(read(), everything)
        for pattern, matched in (
            ("a/", ["a/x.md", "a/y.txt", "b/a/z.txt"]),
            ("/a/", ["a/x.md", "a/y.txt"]),
            ("./a/", ["a/x.md", "a/y.txt"]),
            ("b/a/", ["b/a/z.txt"]),
            ("c/", ["b/c/x.md"]),
            ("./x.md", ["x.md"]),
            ("/x.md", ["x.md"]),
            ("././x.md", ["x.md"]),
            ("x.md", ["a/x.md", "b/c/x.md", "b/x.md", "x.md"]),
            ("{a,b}/x.md", ["a/x.md", "b/x.md"]),
            ("*.{md,txt}", [n for n in everything if n != "c"]),
            ("{y,z}.txt", ["a/y.txt", "b/a/z.txt"]),
            ("{x,{y,z}}.{md,txt}", [n for n in everything if n != "c"]),
            ("{x.md}", ["a/x.md", "b/c/x.md", "b/x.md", "x.md"]),
            ("b/**/x.md", ["b/c/x.md", "b/x.md"]),
            ("[[:alpha:]].md", ["a/x.md", "b/c/x.md", "b/x.md", "x.md"]),
            ("[^[:digit:]x].*", ["a/y.txt", "b/a/z.txt"]),
            ("[[:upper:]b[:digit:]-]/", ["b/a/z.txt", "b/c/x.md", "b/x.md"]),
        ):
            with self.subTest(pattern=pattern):
                self.assertEqual(read("--include", pattern), matched)
                self.assertEqual(read("--exclude", pattern), [n for n in everything if n not in matched])
        self.write("f/{x,y}", "x")
        self.assertEqual(read("--include", "\\{x,y\\}"), ["{x,y}"])
        for pattern, message in (
            ("{x,y", "a { has no }; write \\{ for the character"),
            ("!x", "patterns that begin with ! are not supported; write \\! for the character"),
            ("../x", "it is about names below the folder"),
            ("a/./b", "it is about names below the folder"),
            ("./", "no name is left of it"),
            ("a//b", "it has two / side by side"),
            ("x[[:letter:]]", "there is no class [:letter:]; there are alnum, alpha, blank"),
            ("[[:digit:]", "a [ has no ]"),
            ("{a,b}" * 20, "its braces stand for more than 10,000 patterns"),
        ):
            for option in ("--include", "--exclude"):
                self.assert_fails(run("groups", option, pattern, folder), f"{option} '{pattern}': {message}")

    def test_excluded_is_what_git_ignores(self):
        if not shutil.which("git"):
            self.skipTest("no git")
        rng = random.Random(5)
        files = {"A1", "B-", "7", "x 8", "aa/Z9", "aa/_", "q.", "x:", "aa/["}
        while len(files) < 69:
            name = "/".join("".join(rng.choice("abx") for _ in range(rng.randrange(1, 3))) for _ in range(rng.randrange(1, 4)))
            if not any(other == name or other.startswith(name + "/") or name.startswith(other + "/") for other in files):
                files.add(name)
        for name in files:
            self.write("f/" + name, "x")
        folder = self.folder / "f"
        subprocess.run(["git", "init", "-q", folder], check=True)
        hits = 0
        names = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit".split()
        classes = ["[[:" + name + ":]]" for name in names] + ["[^[:" + name + ":]]" for name in names]
        classes += ["*" + name for name in classes] + ["[a[:digit:]]*", "[![:alpha:][:space:]]*", "*[[:punct:]-]", "[[:a]*"]
        classes += ["[\\]]", "[a\\-x]*", "[\\a-b]", "[!\\]a]*", "*[[\\]]", "aa/[\\[]", "[a-\\b]"]
        classes += ["a**b", "**b", "**a/*", "a/**b", "a/***", "***", "**/***/a", "***/a", "a/***/*", "x***b"]
        patterns = list(classes)
        for _ in range(60):
            pattern = "".join(rng.choice(["a", "b", "x", "?", "*", "[ab]", "[!a]"]) for _ in range(rng.randrange(1, 4)))
            patterns.append(rng.choice(["", "", "/", "**/", "a/", "b/", "*/"]) + pattern + rng.choice(["", "", "/", "/*", "/**"]))
        # For stars after another character and before a slash, git 2.39 reads random memory, so it is no reference for
        # them.
        patterns = [p for p in patterns if not re.search(r"[^/*]\*\*+(/|$)", p)]
        for pattern in patterns[:: effort(2, 1)]:
            (folder / ".git" / "info" / "exclude").write_text(pattern + "\n")
            done = subprocess.run(
                ["git", "ls-files", "-z", "-o", "--exclude-standard"], cwd=folder, capture_output=True, text=True, check=True
            )
            expected = set(done.stdout.split("\0")) - {""}
            self.assertEqual({i[2:] for i in self.ids(".", "--exclude", pattern, cwd=folder)}, expected, pattern)
            hits += expected != files
        self.assertGreater(hits, 30)


class Lists(ReadingTest):
    def setUp(self):
        super().setUp()
        self.names = ["plain.txt", "with space.txt", "new\nline.txt", "-", "folder/x.txt"]
        for name in self.names:
            self.write("f/" + name, A)

    def test_names_come_from_a_list(self):
        where = {"cwd": self.folder / "f"}
        usual = [n for n in self.names if "\n" not in n]
        expected = ["./-" if n == "-" else n for n in usual]
        lines = self.write("list", "\n".join(usual[:2]) + "\n\n" + "\n".join(usual[2:]))
        self.assertEqual(self.ids("--files-from", lines, **where), expected)
        self.assertEqual(self.ids("--files-from", "-", data=lines.read_bytes(), **where), expected)
        # Line ends of Windows.
        crlf = lines.read_bytes().replace(b"\n", b"\r\n")
        self.assertEqual(self.ids("--files-from", "-", data=crlf, **where), expected)
        zeros = self.write("zeros", "\0".join(self.names) + "\0")
        expected = ["./-" if n == "-" else n for n in self.names]
        for option in ("-0", "--null"):
            self.assertEqual(self.ids(option, "--files-from", zeros, **where), expected)
        found = subprocess.run(["find", ".", "-name", "*.txt", "-print0"], capture_output=True, check=True, **where).stdout
        self.assertEqual(len(self.ids("-0", "--files-from", "-", data=found, **where)), 4)
        # These files come after the paths of the command line. Folders are allowed. A repeated name counts once.
        self.assertEqual(self.ids("folder", "--files-from", lines, **where)[0], "folder/x.txt")
        self.assertEqual(self.ids("--files-from", "-", data="folder\nfolder/x.txt\n", **where), ["folder/x.txt"])
        self.assertEqual(self.ids("--files-from", "-", data="", **where), [])
        done = self.assert_done(run("find", "quick brown fox", "--files-from", lines, **where))
        self.assertEqual(done.text.count("\n"), 4)

    def test_errors_name_the_line(self):
        where = {"cwd": self.folder / "f"}
        one = self.write("list", "plain.txt\n\nmissing.txt\n")
        self.assert_fails(run("--files-from", one, **where), f"neardup: {one}:3: missing.txt: no such file or folder")
        done = self.assert_done(run("hash", "--skip-bad", "--files-from", one, **where))
        self.assertIn(f"skipped {one}:3: missing.txt: no such", done.err)
        for data, options, message in (
            (b"plain.txt\0x\0", (), "standard input:1: a zero byte in a name; --null reads such lists"),
            (b"plain.txt\0\0x\0", ("-0",), "standard input:2: a name is empty"),
            (b"plain.txt\0x\0", ("-0",), "standard input:2: x: no such file"),
        ):
            self.assert_fails(run(*options, "--files-from", "-", data=data, **where), message)
        self.assert_fails(run("--files-from", self.folder / "none"), f"{self.folder}/none: No such file")
        self.assert_fails(run("-0", "x"), "--null needs --files-from")
        self.assert_fails(run("-", "--files-from", "-"), "standard input (-) can be read only once")
        self.assert_fails(run("--files-from", ""), "--files-from '': not the name of a file")


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


def unzstd(data):
    return subprocess.run(["zstd", "-q", "-d", "-c"], input=data, capture_output=True, check=True).stdout


class Compressed(ReadingTest):
    def forms(self):
        yield "gz", gzip.compress, gzip.decompress
        if shutil.which("zstd"):
            yield "zst", zstd, unzstd

    def supported(self, ending, done):
        if "is built without" in done.err:
            self.skipTest("built without what ." + ending + " needs")

    def test_packed_input_is_what_it_was(self):
        texts = corpus(600, 31, words=30)
        data = jsonl(texts)
        plain = self.write("plain.jsonl", data)
        lines = data.splitlines(keepends=True)
        for ending, pack, _ in self.forms():
            packed = self.write("c.jsonl." + ending, pack(data))
            self.supported(ending, run("hash", packed))
            several = pack(b"".join(lines[:200])) + pack(b"") + pack(b"".join(lines[200:]))
            members = self.write("several.jsonl." + ending, several)
            for options in (
                ("unique", "--jsonl"),
                ("unique", "--jsonl", "--keep", "longest"),
                ("groups", "--jsonl"),
                ("hash", "--jsonl", "--weights", "idf"),
                ("hash", "--features", "chars:3"),
                ("advise", "--jsonl", "--format", "jsonl"),
            ):
                expected = run(*options, "-", data=data)
                for threads in (3,) if SANITIZED else (1, 3):
                    sources = ((members, b""), (packed, b""), ("-", packed.read_bytes()))
                    for path, stdin in sources[:1] if SANITIZED else sources:
                        done = self.assert_done(run(*options, "--threads", threads, path, data=stdin))
                        shown = done.bytes.replace(str(path).encode(), b"-")
                        self.assertEqual(timeless(shown), timeless(expected.bytes), (options, path))
        self.assertEqual(run("groups", "--jsonl", plain).bytes, run("groups", "--jsonl", "-", data=data).bytes)

    def test_damaged_files_are_named(self):
        ways = (
            ("hash",),
            ("hash", "--jsonl"),
            ("hash", "--jsonl", "--threads", 1),
            ("unique", "--quiet", "--jsonl", "--keep", "longest"),
            ("hash", "--weights", "idf"),
        )
        data = jsonl(corpus(1500, 32, words=20))
        for ending, pack, _ in self.forms():
            whole = pack(data)
            broken = bytearray(whole)
            broken[len(whole) // 2] ^= 0x55
            # A pipe that is damaged near its beginning, in verbs that read the input twice.
            for verb in ("groups", "--weights", "idf"), ("advise", "--lines"):
                done = run(*verb, "--skip-bad", "-", data=whole[:8] + b"garbage")
                self.assertIn("skipped standard input: ", done.err)
                self.assertEqual(done.status, 2, done.err)
                self.assertRegex(done.err, "all of the input was bad|bytes behind bad input were not read")
            self.supported(ending, run("hash", self.write("x." + ending, whole)))
            for number, (name, content, message) in enumerate((
                ("cut", whole[: len(whole) * 2 // 3], "ends too early"),
                ("trailer", whole[:-3], "ends too early"),
                ("nothing", b"", "ends too early"),
                ("magic", whole[:4], "ends too early"),
                ("broken", bytes(broken), "corrupt"),
                ("checksum", whole[:-4] + b"\0\0\0\0" if ending == "zst" else whole[:-8] + b"\0" * 8, "corrupt"),
                ("garbage", whole + b"garbage", "something else follows"),
                ("second", whole + whole[:100], "ends too early"),
                ("plain", data, "not compressed by"),
            )):
                path = self.write(f"{name}.jsonl.{ending}", content)
                for options in effort((ways[number % 5], ways[(number + 2) % 5]), ways):
                    with self.subTest(name=path.name, options=options):
                        if name == "broken" and "--jsonl" in options:
                            # The program may find bad JSON in the unpacked bytes before it finds the damage.
                            self.assert_fails(run(*options, path), f"neardup: {path}:")
                            continue
                        self.assert_fails(run(*options, path), f"neardup: {path}: ", message)
                        # In a folder, the damaged file is passed over.
                        self.write("folder/good", jsonl([A]))
                        shutil.copy(path, self.folder / "folder" / path.name)
                        done = run(*options, self.folder / "folder")
                        self.assertEqual(done.status, 2)
                        self.assertIn(f"skipped {self.folder}/folder/{path.name}: ", done.err)
                        if options != ("hash", "--weights", "idf"):
                            self.assertTrue(done.bytes)
                        (self.folder / "folder" / path.name).unlink()
            tape = self.write("tape.gz", gzip.compress(data) + bytes(1024))
            self.assert_done(run("hash", tape))

    def test_frames_of_zstd_that_hold_nothing_are_passed_over(self):
        """pzstd begins each frame with a skippable frame that holds the frame's size."""

        def skippable(kind, content):
            return bytes([0x50 + kind]) + b"\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content

        if not shutil.which("zstd"):
            self.skipTest("no zstd")
        data = jsonl([A, B])
        packed = zstd(data)
        for kind in range(0, 16, effort(5, 1)):
            for content in (b"", len(packed).to_bytes(4, "little"), b"{}\n" * 100000):
                whole = skippable(kind, content) + packed
                path = self.write("p.jsonl.zst", whole)
                done = self.assert_done(run("unique", "--jsonl", "--quiet", path))
                self.assertEqual(done.bytes, data)
                # The file is recognised under any name, and through a pipe.
                self.assertEqual(self.assert_done(run("unique", "--lines", "--quiet", self.write("p", whole))).bytes, data)
                self.assertEqual(self.assert_done(run("unique", "--lines", "--quiet", "-", data=whole)).bytes, data)
        several = (skippable(0, b"abcd") + packed) * 3 + skippable(15, b"the end")
        self.assertEqual(self.assert_done(run("hash", "--lines", self.write("s", several))).text.count("\n"), 6)
        self.assert_fails(run("hash", self.write("cut", skippable(0, b"abcd")[:-1])), "the file is cut off")
        self.assert_fails(run("hash", self.write("cut", several[:-30])), "the file is cut off")
        empty = self.assert_done(run("hash", "--lines", self.write("empty", skippable(3, b"abc"))))
        self.assertIn("there were no documents", empty.err)

    def test_windows_of_zstd_up_to_2_gb_are_unpacked(self):
        def framed(text, window_log):
            """Returns a frame of raw blocks. Its window is as large as with `zstd --long`."""
            blocks = [text[i : i + 100000] for i in range(0, len(text), 100000)]
            last = len(blocks) - 1
            headers = [(i == last) | len(block) << 3 for i, block in enumerate(blocks)]
            body = b"".join(header.to_bytes(3, "little") + block for header, block in zip(headers, blocks))
            return b"\x28\xb5\x2f\xfd\0" + bytes([(window_log - 10) << 3]) + body

        data = jsonl(corpus(3000, 35))
        expected = run("hash", "--jsonl", "-", data=data).bytes
        for window_log in (17, 27, 28, 29) if SANITIZED else (17, 27, 28, 31):
            path = self.write(f"w{window_log}.jsonl.zst", framed(data, window_log))
            done = run("hash", "--jsonl", path)
            self.supported("zst", done)
            self.assertEqual(self.assert_done(done).bytes, expected, window_log)
        path = self.write("w32.jsonl.zst", framed(data, 32))
        self.assert_fails(run("hash", "--jsonl", path), f"{path}: compressed by zstd with a window above 2 GB")
        if not SANITIZED:
            limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9))
            path = self.folder / "w31.jsonl.zst"
            done = run("hash", "--jsonl", "--threads", 1, path, preexec_fn=limit)
            self.assert_fails(done, f"{path}: there is not enough memory for the window")

    def test_several_files_in_parallel_give_the_same(self):
        folder = self.folder / "parts"
        texts = corpus(4000, 33)
        for i in range(40):
            data = jsonl(texts[i * 100 : i * 100 + 100], i * 100)
            self.write(f"parts/{i:02}.jsonl.gz" if i % 3 else f"parts/{i:02}.jsonl", gzip.compress(data) if i % 3 else data)
        self.write("parts/05x.jsonl.gz", gzip.compress(jsonl([A]))[:-2])
        results = set()
        for threads in (1, 2, 8, 32):
            done = run("unique", "--jsonl", "--threads", threads, folder)
            self.assertEqual(done.status, 2, done.err)
            results.add((done.bytes, done.err))
        self.assertEqual(len(results), 1)
        files = sorted(folder.glob("*"))
        for threads in (1, 4):
            done = self.assert_fails(run("hash", "--jsonl", "--threads", threads, *files), "05x.jsonl.gz: ")
            self.assertEqual(done.text.count("\n"), 601)  # the one line of the damaged file is whole, and counts

    @unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
    def test_memory_does_not_grow_with_the_file(self):
        line = json.dumps({"text": A}).encode() + b"\n"
        packed = self.write("large.jsonl.gz", gzip.compress(line * 400000))
        script = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        command = [shutil.which("python3"), "-c", script, PROGRAM, "hash", "--jsonl", "--quiet", "--threads", "2", packed]
        peak = int(subprocess.run(command, capture_output=True, check=True).stdout)
        self.assertLess(peak, 35000)  # in kilobytes; the unpacked file has 40 MB

    def test_many_packed_files_need_few_open_ones(self):
        texts = corpus(80 if SANITIZED else 200, 36)
        for i, text in enumerate(texts):
            self.write(f"whole/{i:03}.gz", gzip.compress(text.encode()))
            self.write(f"records/{i:03}.jsonl.gz", gzip.compress(jsonl([text, text + " again"], 2 * i)))
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        for options in (
            ("unique", "--keep", "longest"),
            ("unique", "--grouping", "components", "--memory", "1K"),
            ("groups", "--weights", "idf", "--distance", 10),
            ("hash", "--weights", "idf"),
            ("pairs", "--memory", "1K"),
            ("advise", "--format", "jsonl"),
            ("report",),
        ):
            for folder, unit in (("whole", ()), ("records", ("--jsonl",))):
                for threads in (1, 4):
                    with self.subTest(options=options, folder=folder, threads=threads):
                        arguments = (*options, *unit, "--threads", threads, self.folder / folder)
                        done = self.assert_done(run(*arguments, preexec_fn=limit))
                        self.assertTrue(done.bytes)
                        if threads == 1:
                            expected = timeless(done.bytes)
                        self.assertEqual(timeless(done.bytes), expected)
        plain = [self.write(f"plain/{i:03}.jsonl", jsonl([text, text + " again"], 2 * i)) for i, text in enumerate(texts)]
        for options in (("unique", "--keep", "longest"), ("report",)):
            shown = run(*options, "--jsonl", "--threads", 4, self.folder / "records").bytes
            self.assertEqual(shown.replace(b"records/", b"plain/").replace(b".jsonl.gz", b".jsonl"),
                             run(*options, "--jsonl", *plain).bytes, options)

    def test_output_is_packed_by_its_name(self):
        data = jsonl(corpus(2000, 34) + [A] * 3)
        expected = run("unique", "--jsonl", "-", data=data).bytes
        for ending, _, unpack in self.forms():
            target = self.folder / ("out.jsonl." + ending)
            done = run("unique", "--jsonl", "--output", target, "-", data=data)
            self.supported(ending, done)
            self.assert_done(done)
            self.assertEqual(unpack(target.read_bytes()), expected)
            self.assertLess(target.stat().st_size, len(expected) // 2)
            self.assertEqual(run("unique", "--jsonl", target).bytes, expected)
            self.assert_done(run("groups", "--jsonl", "--output", target, "-", data=jsonl([A])))
            self.assertEqual(unpack(target.read_bytes()), b"")
            # A run that fails leaves a compressed file that can be unpacked.
            self.assert_fails(run("unique", "--jsonl", "--output", target, "-", data=jsonl([A]) + b"{"))
            self.assertEqual(unpack(pathlib.Path(str(target) + ".partial").read_bytes()), jsonl([A]))
            for arguments in (("index",), ("hash", "--format", "bin")):
                self.assert_fails(run(*arguments, "--output", target, "-"), f"--output {target}: ", "cannot be compressed")


class OutputFile(ReadingTest):
    def setUp(self):
        super().setUp()
        self.source = self.write("in.jsonl", jsonl([A, B, A]))
        self.expected = run("unique", "--jsonl", self.source).bytes

    def mode(self, path):
        return stat.S_IMODE(os.stat(path).st_mode)

    def write_to(self, target, *verb, **more):
        return run(*(verb or ("unique",)), "--jsonl", "--output", target, self.source, **more)

    def test_rights_stay_and_are_never_wider(self):
        umask = os.umask(0o022)
        self.addCleanup(os.umask, umask)
        for verb in ("unique", "index"):
            self.assert_done(self.write_to(self.folder / verb, verb))
            self.assertEqual(self.mode(self.folder / verb), 0o644)
            for mode in (0o600, 0o640, 0o664, 0o606):
                target = self.write("out", "older")
                target.chmod(mode)
                self.assert_done(self.write_to(target, verb))
                if verb == "unique":
                    self.assertEqual(self.mode(target), mode)
                else:
                    self.assertEqual(self.mode(target) & ~mode, 0)
        # The permissions of the temporary file while the program runs.
        target.chmod(0o640)
        process = subprocess.Popen([PROGRAM, "hash", "--lines", "--output", target, "-"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        partial = pathlib.Path(str(target) + ".partial")
        deadline = time.monotonic() + TIMEOUT
        while not partial.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(self.mode(partial) & ~0o640, 0)
        process.communicate(b"x")
        self.assertEqual((process.returncode, self.mode(target)), (0, 0o640))

    def test_owner_and_group_stay(self):
        if os.geteuid() != 0:
            self.skipTest("only root may give files away")
        target = self.write("out", "older")
        os.chown(target, NOBODY, NOBODY)
        self.assert_done(self.write_to(target))
        status = target.stat()
        self.assertEqual((status.st_uid, status.st_gid), (NOBODY, NOBODY))
        # If the file's group cannot be kept, the group gets no permissions.
        shared = self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o777)
        target = self.write("shared/out", "older")
        os.chown(target, NOBODY, 0)
        target.chmod(0o660)
        self.assert_done(self.write_to(target, **self.as_somebody_else()))
        self.assertEqual((target.stat().st_gid, self.mode(target)), (NOBODY, 0o600))

    def test_what_may_not_be_written_is_known_before_the_work(self):
        target = self.write("closed", "older")
        target.chmod(0o444)
        os.chmod(self.folder, 0o777)
        more = self.as_somebody_else()
        os.chmod(self.folder, 0o777)
        self.assert_fails(self.write_to(target, **more), f"{target}: cannot be written: Permission denied")
        self.assertEqual(target.read_text(), "older")
        self.assert_fails(self.write_to(self.folder), f"{self.folder}: cannot be written: it is a folder")

    def test_links_are_followed_and_stay(self):
        for verb in ("unique", "index"):
            target = self.write("real/out", "older")
            link = self.folder / "link"
            link.symlink_to("chain")
            (self.folder / "chain").symlink_to("real/out")
            self.assert_done(self.write_to(link, verb))
            self.assertTrue(link.is_symlink())
            self.assertNotEqual(target.read_bytes(), b"older")
            # The folder does not allow new files.
            target.unlink()
            self.assert_done(self.write_to(link, verb))
            self.assertTrue(link.is_symlink() and target.exists() and not target.is_symlink())
            shutil.rmtree(self.folder / "real")
            self.assert_fails(self.write_to(link), "link: cannot be written: No such file")
            (self.folder / "chain").unlink()
            (self.folder / "chain").symlink_to("link")
            self.assert_fails(self.write_to(link), "link: cannot be written: Too many levels of symbolic links")
            link.unlink()
            (self.folder / "chain").unlink()
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"in.jsonl"})

    def test_a_link_may_lead_to_another_file_system(self):
        other = pathlib.Path("/dev/shm")
        if not other.is_dir() or other.stat().st_dev == self.folder.stat().st_dev:
            self.skipTest("no other file system at hand")
        target = other / (self.folder.name + ".out")
        self.addCleanup(target.unlink, missing_ok=True)
        link = self.folder / "link"
        link.symlink_to(target)
        for _ in range(2):
            self.assert_done(self.write_to(link))
            self.assertEqual(target.read_bytes(), self.expected)
        self.assertTrue(link.is_symlink())
        self.assertEqual([p for p in other.iterdir() if p.name.startswith(self.folder.name)], [target])

    def test_other_hard_links_keep_what_they_had(self):
        target = self.write("out", "older")
        os.link(target, self.folder / "other")
        self.assert_done(self.write_to(target))
        self.assertEqual(((self.folder / "other").read_text(), target.read_bytes()), ("older", self.expected))


class Names(ReadingTest):
    def test_printed_names_can_be_read_back(self):
        names = ["a\\b", "a\\n", "a\nb", "tab\there", "\x1b[31m", "\\\\", "cr\r", "\x7f", "plain ä 漢", "\\x1b"]
        for name in names:
            self.write("f/" + name, A + " " + A)
        back = lambda text: re.sub(
            r"\\(\\|n|r|t|x[0-9a-f]{2})",
            lambda m: {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}.get(m[1]) or chr(int(m[1][1:], 16)),
            text,
        )
        expected = sorted(names, key=os.fsencode)
        for verb, shown in (
            (("hash",), lambda line: line.split("  ", 1)[1]),
            (("unique", "--distance", 0, "--check-features", "bytes:3", "--min-similarity", 1), None),
            (("find", "quick brown fox"), lambda line: line.split("\t")[1]),
        ):
            done = self.assert_done(run(*verb, "f", cwd=self.folder))
            rows = done.text.split("\n")[:-1]
            if shown is None:
                self.assertEqual([back(row)[2:] for row in rows], expected[:1])
            else:
                self.assertEqual([back(shown(row))[2:] for row in rows], expected)
        done = self.assert_done(run("groups", "f", cwd=self.folder))
        self.assertEqual([back(row.split("  ", 2)[2])[2:] for row in done.text.split("\n")[1:-1] if row], expected)


class HelpAndEnd(ReadingTest):
    def test_help_fits_on_a_screen(self):
        verbs = re.findall(r"^  ([a-z-]+)  ", run("--help").text.split("Verbs", 1)[1].split("\n\n", 1)[0], re.MULTILINE)
        self.assertGreater(len(verbs), 8)
        for verb in ((), *((v,) for v in verbs)):
            short = self.assert_done(run(*verb, "--help")).text
            self.assertLessEqual(short.count("\n"), 45 if verb else 50, verb)
            self.assertIn("--help-all", short)
            everything = self.assert_done(run(*verb, "--help-all")).text
            options = lambda text: set(re.findall(r"^  (--[a-z-]+)", text, re.MULTILINE))
            self.assertLessEqual(options(short), options(everything))
            if verb in ((), ("groups",), ("unique",), ("hash",)):
                self.assertLess(options(short), options(everything))
                self.assertIn("\nRules:\n", everything)

    def test_suggestions_help(self):
        for arguments, message in (
            (("--diff",), "unknown option --diff\n"),
            (("--sim", "1"), "did you mean --similarity?"),
            (("--distanse", "3"), "did you mean --distance?"),
            (("--jsnol",), "did you mean --jsonl?"),
            (("--exlude", "x"), "did you mean --exclude?"),
            (("--ouput", "x"), "did you mean --output?"),
            (("--colour",), "unknown option --colour\n"),
            (("tokens", "--distance", "3"), "unknown option --distance: groups, pairs, unique"),
            (("groups", "--recall", "3"), "unknown option --recall: advise has it"),
        ):
            self.assert_fails(run(*arguments, "x"), message)
        for word, verb in (("gruops", "groups"), ("pair", "pairs"), ("uniqe", "unique"), ("repot", "report")):
            self.assert_fails(run(word, "x", cwd=self.folder), f"{word}: no such file or folder, and no verb; did you mean {verb}?")
        self.assert_fails(run("nothing", "x", cwd=self.folder), "nothing: no such file or folder, and no verb; verbs are groups, ")

    def test_a_text_in_the_place_of_a_file(self):
        index = self.folder / "index"
        self.assert_done(run("index", "--output", index, self.write("a", A)))
        for verb, text, is_hinted in ((("query", "--index", index), "word", True), (("query", "--index", index), "some text", True),
                                      (("hash",), "some text", True), (("tokens",), "some text", True), (("hash",), "word", False),
                                      (("find", "some text"), "no such file", False)):
            done = run(*verb, text, cwd=self.folder)
            self.assert_fails(done, f"{text}: no such file or folder")
            hint = f"echo TEXT | neardup {verb[0]} … -; and neardup find TEXT PATH… finds the documents that hold it"
            self.assertEqual(hint in done.err, is_hinted, done.err)

    def test_records_of_wide_and_packed_files_are_copied_in_utf_8(self):
        lines = "café one two three\nquite other words\n"
        for name, data in (("wide", lines.encode("utf-16")), ("packed.gz", gzip.compress(lines.encode()))):
            dropped = self.folder / "dropped"
            path = self.write(name, data)
            self.assertEqual(self.assert_done(run("unique", "--lines", "--dropped-records", dropped, path)).text, lines)
            self.assert_done(run("unique", "--lines", "--dropped-records", dropped, "--against", path, "--similarity", 1, path))
            self.assertEqual(dropped.read_text(), lines)
        self.assertIn("UTF-16 is written as UTF-8", run("unique", "--help").text)

    def test_a_page_is_not_written_to_a_terminal(self):
        try:
            own, terminal = pty.openpty()
        except OSError as error:  # a container without /dev/pts
            self.skipTest(f"no terminal: {error}")
        done = run_with(("report", self.write("a", A)), stdout=terminal, stderr=subprocess.PIPE)
        os.close(terminal)
        os.close(own)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"neardup: report writes a page for a browser, not for a terminal: --output groups.html\n", done.stderr)

    def test_a_reader_that_goes_ends_it_quietly(self):
        data = self.write("many", "some words of a line\n" * 200000)
        command = [PROGRAM, "hash", "--lines", data]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(timeout=TIMEOUT), -signal.SIGPIPE)
        done = subprocess.run(
            ["bash", "-c", 'set -o pipefail; "$@" | head -n 1; echo "${PIPESTATUS[0]}"', "bash", *command], capture_output=True, check=False
        )
        self.assertEqual(done.stderr, b"")
        self.assertEqual(done.stdout.split()[-1], b"141")
        # Where SIGPIPE is ignored, as under some servers, a closed output is an error.
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, restore_signals=False,
            preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN),
        )
        process.stdout.readline()
        process.stdout.close()
        self.assertIn(b"standard output was closed by its reader", process.stderr.read())
        process.stderr.close()
        self.assertEqual(process.wait(timeout=TIMEOUT), 2)


if __name__ == "__main__":
    unittest.main()
