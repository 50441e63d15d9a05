"""neardup verify --clusters: the pairs within clusters of other programs that hold, and the groups that remain,
compared with slow twins. NEARDUP_PROGRAM names the program."""

import json
import random
from pathlib import Path

from harness import A, B, CommandTest, as_json, corpus, jaccard, jsonl, main, represented, run, words


class VerifyClusters(CommandTest):
    def setUp(self):
        super().setUp()
        self.texts = corpus(300, 21)
        self.names = [f"d{i}" for i in range(300)]
        self.documents = self.write("d.jsonl", jsonl(self.texts))
        self.sets = {name: words(text, 2) for name, text in zip(self.names, self.texts)}
        # Clusters that chains of similar texts make, with wrong links between some of them.
        rng = random.Random(22)
        label = {name: name for name in self.names}
        for i, a in enumerate(self.names):
            for b in self.names[:i]:
                if jaccard(self.sets[a], self.sets[b]) >= 0.5 or rng.random() < 0.0005:
                    one, other = label[a], label[b]
                    for name in self.names:
                        if label[name] == one:
                            label[name] = other
        self.clusters = {}
        for name in self.names:
            self.clusters.setdefault(label[name], []).append(name)
        self.assertGreater(max(len(cluster) for cluster in self.clusters.values()), 5)

    def close(self, a, b):
        found = jaccard(self.sets[a], self.sets[b])
        return found if found >= 0.8 else None

    def forms(self):
        """Yields (options, bytes) of the clusters in each format."""
        rng = random.Random(23)
        rows = [(name, label) for label, cluster in self.clusters.items() for name in cluster]
        rng.shuffle(rows)
        yield ("--pairs-format", "csv"), "cluster,x,id\n" + "".join(f"{label},1,{name}\n" for name, label in rows)
        yield ("--pairs-format", "tsv", "--pair-fields", "a", "b"), "a\tb\n" + "".join(f"{name}\t{label}\n" for name, label in rows)
        yield ("--pairs-format", "jsonl", "--pair-fields", "id", "metadata.minhash.cc_id"), "".join(
            json.dumps({"id": name, "metadata": {"minhash": {"cc_id": list(self.clusters).index(label)}}}) + "\n" for name, label in rows)
        yield ("--pairs-format", "lines"), "".join("  \t".join(cluster) + "\n" for cluster in self.clusters.values())

    def test_groups_are_those_of_each_cluster(self):
        expected, near, implied, alone, gone = [], 0, 0, 0, {}
        for cluster in self.clusters.values():
            if len(cluster) < 2:
                continue
            implied += len(cluster) * (len(cluster) - 1) // 2
            near += sum(self.close(a, b) is not None for i, a in enumerate(cluster) for b in cluster[:i])
            label = represented(cluster, self.close)
            for first in cluster:
                group = [name for name in cluster if label[name] == first]
                if label[first] == first and len(group) == 1:
                    alone += 1
                elif group:
                    expected.append([(name, as_json(1 if name == first else self.close(name, first))) for name in group])
                    gone.update({name: first for name in group if name != first})
        expected.sort(key=lambda group: self.names.index(group[0][0]))
        self.assertLess(near, implied)
        self.assertGreater(near, 30)
        for options, data in self.forms():
            path, dropped = self.write("clusters", data), self.folder / "dropped"
            for source, given in ((path, b""), ("-", data)):
                done = self.assert_done(run("verify", "--clusters", source, *options, "--format", "jsonl", "--jsonl",
                                            "--dropped", dropped, self.documents, data=given))
                found = [[(member["id"], member["similarity"]) for member in row["members"]] for row in done.json]
                self.assertEqual(found, expected, options)
                self.assertIn(f": {near:,} of {implied:,} pairs within ", done.err.replace("\u202f", ","))
                self.assertIn(f"{len(expected):,} groups, and {alone:,} document", done.err)
                self.assertEqual({row["id"]: row["kept"] for row in map(json.loads, dropped.read_text().splitlines())}, gone)

    def test_annotate_writes_each_record_with_its_group(self):
        texts = Path(self.documents).read_bytes()
        for options, data in self.forms():
            path = self.write("clusters", data)
            arguments = ("verify", "--clusters", path, *options, "--jsonl")
            plain = self.assert_done(run(*arguments, "--format", "jsonl", self.documents))
            expected = {member["id"]: {"group": row["group"], "original": row["members"][0]["id"], "similarity": member["similarity"],
                                       "size": row["size"]} for row in plain.json for member in row["members"]}
            for source, given in ((self.documents, b""), ("-", texts)):
                done = self.assert_done(run(*arguments, "--annotate", source, data=given))
                self.assertEqual(done.err, plain.err)
                lines = done.bytes.splitlines(keepends=True)
                self.assertEqual(len(lines), len(texts.splitlines()))
                for line, before in zip(lines, texts.splitlines(keepends=True)):
                    note = json.loads(line)["near_duplicates"]
                    self.assertEqual(note, expected.get(json.loads(before)["id"]))
                    self.assertTrue(line.startswith(before.rstrip(b"\n")[:-1] + b',"near_duplicates":'))
        table = self.write("d.csv", f'id,text\n1,"{A}"\n2,"{B}"\n3,"{A}"\n4,\n')
        path = self.write("c.csv", "id,cluster\n1,x\n2,x\n3,x\n")
        done = self.assert_done(run("verify", "--clusters", path, "--input-format", "csv", "--annotate", "--annotate-key", "k", table))
        self.assertEqual([line.split(",")[-4:] for line in done.text.splitlines()],
                         [["k_group", "k_original", "k_similarity", "k_size"], ["0", "1", "1", "2"], [""] * 4, ["0", "1", "1", "2"], [""] * 4])
        self.assert_fails(run("verify", "--pairs", self.write("p.csv", "a,b\n"), "--jsonl", "--annotate", self.documents), "--annotate needs --clusters")
        self.assert_fails(run("verify", "--clusters", path, "--annotate-key", "k", "--jsonl", self.documents), "--annotate-key needs --annotate")
        self.assert_fails(run("verify", "--clusters", path, "--annotate", self.documents), "--annotate needs --jsonl, or a table")
        index = self.folder / "index"
        self.assert_done(run("index", "--jsonl", "--output", index, self.documents))
        self.assert_fails(run("verify", "--clusters", path, "--annotate", "--jsonl", "--index", index, self.documents), "an index has no records")

    def test_text_is_that_of_groups(self):
        path = self.write("c.tsv", "id\tcluster\n0\tx\n2\tx\n1\tx\n")
        documents = self.write("d.jsonl", "".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate([A, B, A])))
        done = self.assert_done(run("verify", "--clusters", path, "--jsonl", documents))
        self.assertEqual(done.text, "2 documents, similarity 1.000\n  1.000  0\n  1.000  2\n")
        self.assertIn("1 of 3 pairs within 1 cluster is a pair of near-duplicates; 1 group, and 1 document in none", done.err)

    def test_a_table_without_a_header_is_refused(self):
        documents = self.write("d.jsonl", jsonl([A, B]))
        for name in ("c.csv", "c.tsv"):
            path = self.write(name, "")
            self.assert_fails(run("verify", "--clusters", path, "--jsonl", documents),
                              f"{path}: is empty; a table begins with a header, here with the columns id and cluster")
        for name in ("c.jsonl", "c.lines"):
            path = self.write(name, "")
            done = run("verify", "--clusters", path, "--pairs-format", name[2:], "--jsonl", documents)
            self.assertEqual(self.assert_done(done).text, "")

    def test_bad_input_is_named(self):
        fails = lambda parts, *options, data=b"": self.assert_fails(run("verify", *options, data=data), *parts)
        rest = ("--jsonl", self.documents)
        path = self.write("c.tsv", "id\tcluster\nd0\tx\nnobody\tx\n")
        fails([f"{path}:3: no document has the id 'nobody'"], "--clusters", path, *rest)
        self.assertIn("nobody", self.assert_done(run("verify", "--clusters", path, "--skip-bad", *rest)).err)
        path = self.write("two.csv", "id,cluster\nd0,x\nd1,x\nd0,y\n")
        fails([f"{path}:4: the document 'd0' is in two clusters"], "--clusters", path, *rest)
        fails(["standard input:1: the document 'd0' is twice in its cluster"], "--clusters", "-", "--pairs-format", "lines", *rest, data="d0 d1 d0\n")
        path = self.write("none.csv", "id,cluster\nd0,\nd1,\n")
        fails([f"{path}:2: the document 'd0' has no cluster"], "--clusters", path, *rest)
        path = self.write("c.jsonl", '{"id":"d0","cluster":"x"}\n{"id":"d1"}\n')
        fails([f"{path}:2: ", "cluster"], "--clusters", path, *rest)
        fails(["--clusters x: its name does not show its format"], "--clusters", "x", *rest)
        fails(["formats of clusters are csv, tsv, jsonl and lines"], "--clusters", "x", "--pairs-format", "binary", *rest)
        fails(["formats of pairs are csv, tsv, jsonl and binary"], "--pairs", "x", "--pairs-format", "lines", *rest)
        fails(["--pair-fields: lines of ids have no fields"], "--clusters", "x", "--pairs-format", "lines", "--pair-fields", "a", "b", *rest)
        fails(["--pairs and --clusters do not go together"], "--clusters", "x", "--pairs", "y", *rest)
        fails(["verify: name the documents"], "--clusters", path)


if __name__ == "__main__":
    main()
