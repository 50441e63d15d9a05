"""Records with their groups: groups --annotate. NEARDUP_PROGRAM names the program."""

import csv
import io
import json
import os

from harness import A, B, CommandTest, corpus, effort, jsonl, run, main, start, stop


def without_member(line, key):
    """Returns the bytes of a record before the member was added. The member must be the last one."""
    head, mark, tail = line.rpartition(b"," + json.dumps(key, ensure_ascii=False).encode() + b":")
    assert mark, line
    note, end = json.JSONDecoder().raw_decode(tail.decode())
    return head + tail.decode()[end:].encode(), note


class Annotated(CommandTest):
    def check(self, data, *options, key="near_duplicates", ids=None):
        """Compares the notes with the groups that the verb prints without --annotate."""
        more = () if key == "near_duplicates" else ("--annotate-key", key)
        done = self.assert_done(run("groups", "--jsonl", "--annotate", *more, *options, "-", data=data))
        plain = self.assert_done(run("groups", "--jsonl", "--format", "jsonl", *options, "-", data=data))
        self.assertEqual(done.err, plain.err)
        expected = {}
        for group in plain.json:
            for member in group["members"]:
                expected[member["id"]] = {
                    "group": group["group"],
                    "original": group["members"][0]["id"],
                    "similarity": member.get("similarity", member.get("estimate")),
                    "size": group["size"],
                }
        lines = [line for line in data.splitlines(keepends=True) if line.strip()]
        found = done.bytes.splitlines(keepends=True)
        self.assertEqual(len(found), len(lines))
        for line, annotated in zip(lines, found):
            record, note = without_member(annotated, key)
            self.assertEqual(record, line)
            self.assertEqual(json.loads(annotated)[key], expected.get(json.loads(line)["id"]))
        return expected

    def test_records_are_byte_for_byte_the_same_but_for_the_member(self):
        texts = corpus(effort(120, 600), 5) + ["", "?!"]
        odd = [
            b'{"id":"x1","text":"' + A.encode() + b'"}\r\n',
            b'  { "text" : "' + A.encode() + b'" , "id":"x2" , "n": 1.50, "u": "\\u00e9\\n\\"}" }  \n',
            b'{"id":"x3","text":"' + B.encode() + b'","in":{"near_duplicates":1},"v":["near_duplicates","{"]}\n',
            '{"id":"x4 \u00e9","text":"none"}'.encode(),
        ]
        data = jsonl(texts) + b"\n" + b"".join(odd)
        expected = self.check(data)
        self.assertGreater(len(expected), 20)
        self.assertEqual(expected["x2"]["original"], "x1")
        self.check(data, "--similarity", "0.5", "--grouping", "components")
        self.check(data, "--keep", "longest")
        self.check(data, "--distance", "5", key="of \"it\"\u00e9")
        self.check(data, "--check", "containment")
        self.check(data, "--features", "counted:words:2", "--memory", "1M")

    def test_files_an_array_and_another_corpus(self):
        data = jsonl([A, B, A])
        path, array = self.write("a.jsonl", data), self.write("a.json", b"[\n" + b",\n".join(data.split(b"\n")[:3]) + b"\n]\n")
        note = '"near_duplicates":{"group":0,"original":"d0","similarity":1,"size":2}}'
        lines = data.decode().splitlines()
        expected = [lines[0][:-1] + "," + note, lines[1][:-1] + ',"near_duplicates":null}', lines[2][:-1] + "," + note]
        self.assertEqual(self.assert_done(run("groups", "--jsonl", "--annotate", path)).text.splitlines(), expected)
        out = self.folder / "out.jsonl"
        self.assert_done(run("groups", "--input-format", "auto", "--annotate", "--output", out, path))
        self.assertEqual(out.read_text().splitlines(), expected)
        done = self.assert_done(run("groups", "--jsonl", "--annotate", array))
        self.assertEqual(done.text, "[\n" + ",\n".join(expected) + "\n]\n")
        done = self.assert_done(run("groups", "--jsonl", "--annotate", "--against", self.write("b.jsonl", jsonl([B], 9)), path))
        self.assertEqual(
            [row["near_duplicates"] for row in done.json],
            [None, {"group": 0, "original": "d9", "against": True, "similarity": 1, "size": 2}, None],
        )
        self.assertEqual(run("groups", "--jsonl", "--annotate", "--exit-status", "-", data=jsonl([A, B])).status, 1)

    def test_a_table_gets_columns(self):
        table = f'id,"text",n\r\n"a,""1","{A}\n{A}",1\r\nb,{B},2\r\nc,"{A}\n{A}",\r\n,,'
        names = ["near_duplicates_group", "near_duplicates_original", "near_duplicates_similarity", "near_duplicates_size"]
        done = self.assert_done(run("groups", "--input-format", "csv", "--annotate", "-", data=table))
        rows = list(csv.reader(io.StringIO(done.text, newline="")))
        self.assertEqual([row[:3] for row in rows], list(csv.reader(io.StringIO(table, newline=""))))
        note = ["0", 'a,"1', "1", "2"]
        self.assertEqual([row[3:] for row in rows], [names, note, [""] * 4, note, [""] * 4])
        values = f"id\ttext\tn\na,1\t{A}\t1\r\nb\t{B}\t2\nc\t{A}\t"
        done = self.assert_done(run("groups", "--input-format", "tsv", "--annotate", "--annotate-key", "k", "-", data=values))
        rows = [line.split("\t") for line in done.text.splitlines()]
        self.assertEqual(rows[0][-4:], ["k_group", "k_original", "k_similarity", "k_size"])
        self.assertEqual([len(row) for row in rows], [len(line.split("\t")) + 4 for line in values.splitlines()])

    def test_a_file_without_bytes_gets_no_header(self):
        for unit in ("csv", "tsv"):
            path = self.write("empty." + unit, b"")
            done = self.assert_done(run("groups", "--input-format", unit, "--annotate", path))
            self.assertEqual(done.bytes, b"")

    def test_bad_input_is_named(self):
        fails = lambda parts, *options, data=b"": self.assert_fails(run("groups", *options, data=data), *parts)
        again = b'{"id":1,"text":"a b c d"}\n{"text":"a","near_\\u0064uplicates":2}\n'
        fails(["standard input:2: has a member near_duplicates already", "--annotate-key"], "--jsonl", "--annotate", "-", data=again)
        self.assert_done(run("groups", "--jsonl", "--annotate", "--annotate-key", "other", "-", data=again))
        for key, escaped in (("n\u00e9", b"n\\u00E9"), ("n\U0001f600", b"\\u006e\\ud83d\\uDe00")):
            fails([f"standard input:1: has a member {key} already"], "--jsonl", "--annotate", "--annotate-key", key, "-",
                  data=b'{"text":"a b c d","' + escaped + b'":2}\n')
        table = "text,near_duplicates_size\na b c,1\n"
        path = self.write("t.csv", table)
        fails([f"{path}:1: has a column near_duplicates_size already"], "--input-format", "csv", "--annotate", path)
        fails(["--annotate needs --jsonl, or a table"], "--lines", "--annotate", "-", data=A)
        fails(["--annotate needs --jsonl, or a table"], "--annotate", path)
        fails(["--annotate-key needs --annotate"], "--jsonl", "--annotate-key", "k", "-")
        fails(["--annotate-key '': not the name of a member"], "--jsonl", "--annotate", "--annotate-key", "", "-")
        fails(["--format with --annotate"], "--jsonl", "--annotate", "--format", "jsonl", "-")
        fails(["--encoding with --annotate"], "--jsonl", "--annotate", "--encoding", "BIG5", "-")
        text = self.write("x.txt", A)
        fails([f"{text}: --annotate needs records of JSON, or rows of a table"], "--input-format", "auto", "--annotate", text)
        fails(["standard input:1: "], "--jsonl", "--annotate", "-", data=b'{"id":1}\n')

    def test_a_file_that_is_cut_between_two_passes_is_named(self):
        fifo = self.folder / "pipe"
        os.mkfifo(fifo)
        whole = jsonl([A, B, A])
        for size in (0, 1, 20, len(whole) // 2, len(whole) - 2, whole.index(b"\n") + 1):
            file = self.write("records", whole)
            process = start("groups", "--jsonl", "--annotate", file, fifo)
            try:
                with open(fifo, "wb") as end:  # the process opens the pipe after it has read the file
                    os.truncate(file, size)
                    end.write(b'{"id":"last","text":"seven"}\n')
                _, err = process.communicate(timeout=60)
            finally:
                stop(process)
            self.assertEqual(process.returncode, 2)
            self.assertIn(f"{file}: was changed while it was being read", err.decode())


if __name__ == "__main__":
    main()
