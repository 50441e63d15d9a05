"""Many machines: the groups that the tasks of shards give are, byte for byte, those of one run over everything.

NEARDUP_PROGRAM names the program.
"""
import itertools
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("NEARDUP_PROGRAM", "")
WORDS = [f"w{number}" for number in range(3000)]


def texts(count, seed=1):
    """(id, text): half of the texts are versions of earlier ones, some exact copies, some short, some empty."""
    make = random.Random(seed)
    made = []
    for number in range(count):
        if made and make.random() < 0.5:
            words = make.choice(made[-400:])[1].split()
            for _ in range(make.randrange(0, 4)):
                if words:
                    words[make.randrange(len(words))] = make.choice(WORDS)
        else:
            words = make.choices(WORDS, k=make.choice((0, 2, 5, 40, 60, 90)))
        made.append((f"doc {number}", " ".join(words)))
    return made


def sections(path):
    """The number of records and the sections by tag of one of neardup's files (docs/format.md)."""
    data = path.read_bytes()
    count, = struct.unpack_from("<Q", data, 48)
    parts = {}
    for i in range(struct.unpack_from("<I", data, 20)[0]):
        tag, _, begin, size, _ = struct.unpack_from("<IIQQQ", data, 64 + 32 * i)
        parts[tag] = data[begin:begin + size]
    return count, parts


BY_FINGERPRINTS = ("--kind", "auto")  # for join, and for groups


class Shards(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_neardup(self, *arguments, fails=False):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 2 if fails else 0, done.stderr)
        return done.stderr if fails else done.stdout

    def write_parts(self, count, parts, seed=1):
        made = texts(count, seed)
        for part in range(parts):
            with open(self.folder / f"part{part}.jsonl", "w", encoding="utf-8") as out:
                for number, text in made[part * count // parts:(part + 1) * count // parts]:
                    record = {"text": text} if len(text) % 5 == 0 else {"id": number, "text": text}
                    out.write(json.dumps(record) + "\n")
        return [f"part{part}.jsonl" for part in range(parts)]

    def hash(self, parts, *options, first=0):
        for number, part in enumerate(parts):
            self.run_neardup("hash", "--jsonl", "--shard", first + number, "--keep-features", "--output",
                             f"{first + number}.shard", *options, part)
        return list(range(first, first + len(parts)))

    def join(self, a, b, *options):
        names = [f"{a}.shard"] if a == b else [f"{a}.shard", f"{b}.shard"]
        self.run_neardup("join", *options, "--output", f"{a}-{b}.candidates", *names)
        return f"{a}-{b}.candidates"

    def verify(self, a, b):
        self.run_neardup("verify", "--output", f"{a}-{b}.checked", f"{a}-{b}.candidates",
                         *{f"{a}.shard.features", f"{b}.shard.features"})
        return f"{a}-{b}.checked"

    def all_tasks(self, shards, join_options=()):
        tasks = list(itertools.combinations_with_replacement(shards, 2))
        random.Random(2).shuffle(tasks)
        for a, b in tasks:
            self.join(a, b, *join_options)
        return [self.verify(a, b) for a, b in tasks]

    def merge(self, shards, checked, *options):
        files = [f"{shard}.shard" for shard in shards] + checked
        random.Random(3).shuffle(files)
        return self.run_neardup("merge", *options, *files)


class Fingerprints(Shards):
    def test_features_need_not_be_kept(self):
        parts = self.write_parts(300, 1)
        self.run_neardup("hash", "--jsonl", "--shard", 0, "--output", "alone.shard", *parts)
        with_tokens = len(self.run_neardup("hash", "--jsonl", *parts).splitlines())
        size = (self.folder / "alone.shard").stat().st_size
        self.assertGreater(size, 16 * with_tokens // 2)
        self.assertLess(size, 16 * with_tokens + 1024)
        self.run_neardup("join", "--output", "alone.candidates", "alone.shard")
        self.assertFalse((self.folder / "alone.shard.features").exists())


class Groups(Shards):
    def check_equal(self, count, parts, options, join_options=()):
        parts = self.write_parts(count, parts)
        shards = self.hash(parts, *options)
        checked = self.all_tasks(shards, join_options)
        sizes = set()
        for grouping in ("representatives", "components"):
            for form in ("text", "jsonl"):
                how = ("--grouping", grouping, "--format", form)
                whole = self.run_neardup("groups", "--jsonl", *how, *options, *parts)
                self.assertEqual(self.merge(shards, checked, *how), whole, (options, how))
                sizes.add(len(whole))
        self.assertGreater(min(sizes), 1000)
        return sizes

    def test_by_default(self):
        self.assertEqual(len(self.check_equal(3000, 4, ())), 4)  # the groupings differ

    def test_by_fingerprints(self):
        names = self.write_parts(1500, 3)
        shards = self.hash(names)
        for asked in (BY_FINGERPRINTS, ("--kind", "minwise"), ("--blocks", "11"), ("--distance", "10")):
            checked = self.all_tasks(shards, asked)
            whole = self.run_neardup("groups", "--jsonl", *BY_FINGERPRINTS, *names)
            self.assertEqual(self.merge(shards, checked), whole)
        said = self.run_neardup("join", "--kind", "simhash", "--output", "x", "0.shard", fails=True)
        self.assertIn("--kind simhash: the fingerprints in 0.shard are of the kind minwise", said)

    def said_by_join(self, *arguments):
        done = subprocess.run([PROGRAM, "join", *arguments], capture_output=True, text=True, check=True, cwd=self.folder)
        return done.stderr

    def test_it_says_what_may_be_missed(self):
        """Options of hash choose features or fingerprints exactly as options of groups do."""
        note = "candidates come from fingerprints, which may miss a pair"
        names = self.write_parts(300, 1)
        for options, why in ((("--bits", "128"), "has a distance, a kind or bits of its own (--exact misses none)"),
                             (("--kind", "simhash"), "has a distance, a kind or bits of its own"),
                             (("--distance", "12", "--min-similarity", "0.8"), "has a distance, a kind or bits of its own"),
                             (("--distance", "3"), "made with --distance alone"), (("--check", "edit"), "made with --check edit"),
                             (("--weights", "tf"), "made with weights"), (("--weights", "tf", "--check", "cosine"), "cosine and weights")):
            shards = self.hash(names, *options)
            said = self.said_by_join("--output", "0-0.candidates", "0.shard")
            self.assertIn(note, said)
            self.assertIn(why, said)
            self.assertNotIn(note, self.said_by_join("--quiet", "--output", "0-0.candidates", "0.shard"))
            if "edit" not in options:
                whole = self.run_neardup("groups", "--jsonl", *options, *names)
                self.assertEqual(self.merge(shards, [self.verify(0, 0)]), whole)
        self.run_neardup("hash", "--jsonl", "--shard", 0, "--output", "0.shard", *names)
        (self.folder / "0.shard.features").unlink()
        said = self.said_by_join("--output", "x", "0.shard")
        self.assertIn("0.shard.features is not there (hash --shard N --keep-features writes it): " + note, said)

    def test_exactly(self):
        """No candidates: the pairs are those of all features, and no verify is needed."""
        for options, count, parts in (((), 1500, 4), (("--similarity", "0.5"), 1500, 3),
                                      (("--check-features", "chars:4"), 600, 2)):
            names = self.write_parts(count, parts)
            shards = self.hash(names, *options)
            checked = []
            for a, b in itertools.combinations_with_replacement(shards, 2):
                two = [f"{a}.shard"] if a == b else [f"{b}.shard", f"{a}.shard"]
                self.run_neardup("join", "--exact", "--output", f"{a}-{b}.exact", *two)
                self.run_neardup("join", "--output", "by default", *two)
                self.assertEqual((self.folder / "by default").read_bytes(), (self.folder / f"{a}-{b}.exact").read_bytes())
                checked.append(f"{a}-{b}.exact")
            for grouping in ("representatives", "components"):
                how = ("--grouping", grouping, "--format", "jsonl")
                whole = self.run_neardup("groups", "--jsonl", "--exact", *how, *options, *names)
                self.assertGreater(len(whole), 1000)
                self.assertEqual(self.merge(shards, checked, *how), whole, (options, how))
        files = [name for s in shards for name in (f"{s}.shard", f"{s}.shard.features")]
        self.assertTrue(self.run_neardup("manifest", *files, *checked).endswith("\ncomplete\n"))
        # A join by features writes no candidates.
        facts = self.run_neardup("manifest", *files, *checked[:-1])
        self.assertIn(f"\nmissing\tchecked pairs of shards {shards[-1]} {shards[-1]}\nincomplete\n", facts)

    def test_a_mix_of_joins_is_refused(self):
        names = self.write_parts(100, 2)
        shards = self.hash(names)
        checked = self.all_tasks(shards, BY_FINGERPRINTS)
        self.run_neardup("join", "--output", "0-1.exact", "0.shard", "1.shard")
        mixed = [f for f in checked if f != "0-1.checked"] + ["0-1.exact"]
        said = self.run_neardup("merge", "0.shard", "1.shard", *mixed, fails=True)
        self.assertRegex(said, r"0-1\.exact: is of an exact join, and \S+ is not|is of candidates by fingerprints, and 0-1\.exact is not")
        facts = self.run_neardup("manifest", "0.shard", "1.shard", *mixed)
        self.assertRegex(facts, r"\nmixed\t\S+: is of .*, and \S+ of ")
        self.assertTrue(facts.endswith("\nincomplete\n"))
        said = self.run_neardup("verify", "--output", "x", "0-1.exact", "0-0.candidates", "0.shard", "1.shard", fails=True)
        self.assertRegex(said, r"0-0.candidates: holds candidates, and 0-1.exact is not")
        said = self.run_neardup("verify", "--output", "x", "0-0.checked", "0.shard", fails=True)
        self.assertIn("checked already", said)
        for option, value in (("--distance", "10"), ("--kind", "auto"), ("--blocks", "4")):
            said = self.run_neardup("join", "--exact", option, value, "--output", "x", "0.shard", fails=True)
            self.assertIn(f"{option} with --exact: no candidates come from fingerprints", said)
        for option, value, made in (("--similarity", "0.7", "0.8"), ("--check", "cosine", "jaccard")):
            for exact in ((), ("--exact",)):
                said = self.run_neardup("join", *exact, option, value, "--output", "x", "0.shard", fails=True)
                self.assertIn(f"{option} {value}: the shards were made for {option} {made}, which join takes", said)
                self.run_neardup("join", *exact, option, made, "--output", "told", "0.shard", "1.shard")
                self.assertEqual((self.folder / "told").read_bytes(), (self.folder / "0-1.exact").read_bytes())
        (self.folder / "told").unlink()
        (self.folder / "elsewhere").mkdir()
        (self.folder / "elsewhere" / "link").symlink_to(self.folder / "1.shard")
        self.run_neardup("join", "--output", "told", "0.shard", "elsewhere/link")
        self.assertEqual((self.folder / "told").read_bytes(), (self.folder / "0-1.exact").read_bytes())
        self.run_neardup("hash", "--jsonl", "--shard", 7, "--output", "7.shard", *names)
        said = self.run_neardup("join", "--exact", "--output", "x", "7.shard", fails=True)
        self.assertIn("7.shard.features: is not there, and --exact compares features: hash --shard N --keep-features writes", said)
        said = self.run_neardup("join", "--output", "x", "0.shard", "7.shard", fails=True)
        self.assertIn("7.shard.features: is not there, and 0.shard.features is: hash --shard N --keep-features writes it", said)
        self.run_neardup("hash", "--jsonl", "--shard", 9, "--similarity", "0.6", "--keep-features", "--output", "9.shard", *names)
        said = self.run_neardup("join", "--exact", "--output", "x", "0.shard", "9.shard", fails=True)
        self.assertIn("9.shard.features: was made with another min-similarity than 0.shard.features", said)
        for options, why in ((("--check", "edit"), "--check edit"), (("--distance", "3"), "--distance alone"),
                             (("--check", "cosine", "--weights", "tf"), "--check cosine and weights")):
            self.run_neardup("hash", "--jsonl", "--shard", 8, *options, "--keep-features", "--output", "8.shard", *names)
            said = self.run_neardup("join", "--exact", "--output", "x", "8.shard", fails=True)
            self.assertIn(f"--exact: 8.shard was made with {why}, and sets are compared by a similarity of", said)
        self.assertFalse((self.folder / "x").exists())

    def test_pairs_of_other_settings_are_refused(self):
        # The lists of both shards are the same bytes; only the files beside them differ.
        parts = ["one two three four five six seven eight", "one two three four five six seven nine ten"]
        for number, text in enumerate(parts):
            (self.folder / f"part{number}.jsonl").write_text(json.dumps({"text": text}) + "\n", encoding="utf-8")
        names = ["part0.jsonl", "part1.jsonl"]
        by_fingerprints = ("--kind", "simhash", "--distance", "12", "--min-similarity")
        for this, that, said in (
                ((), ("--similarity", "0.6"), "is of --min-similarity 0.6, and its shards of 0.8"),
                ((), ("--check-features", "words:1"), "is of --check-features words:1, and its shards of words:2"),
                ((*by_fingerprints, "0.8"), (*by_fingerprints, "0.8", "--check", "cosine"), "is of --check cosine, and its"),
                ((*by_fingerprints, "0.8"), (*by_fingerprints, "0.6"), "is of --min-similarity 0.6, and its shards of 0.8")):
            for of_pairs, of_shards in ((that, this), (this, that)):
                with self.subTest(of_pairs=of_pairs, of_shards=of_shards):
                    shards = self.hash(names, "--features", "words:2", *of_pairs)
                    lists = [(self.folder / f"{shard}.shard").read_bytes() for shard in shards]
                    old = []
                    for pairs in self.all_tasks(shards):
                        old.append("old-" + pairs)
                        (self.folder / pairs).rename(self.folder / old[-1])
                    self.merge(shards, old)
                    self.hash(names, "--features", "words:2", *of_shards)
                    self.assertEqual([(self.folder / f"{shard}.shard").read_bytes() for shard in shards], lists)
                    files = [*(f"{shard}.shard" for shard in shards), *(f"{shard}.shard.features" for shard in shards), *old]
                    refused = self.run_neardup("merge", *files, fails=True)
                    self.assertIn(said if of_pairs == that else ", and its shards of ", refused)
                    facts = self.run_neardup("manifest", *files)
                    self.assertIn("\nstale\told-", facts)
                    self.assertTrue(facts.endswith("\nincomplete\n"))

    def test_at_a_lower_similarity(self):
        self.check_equal(1500, 3, ("--similarity", "0.5"), ("--similarity", "0.5"))

    def test_by_fingerprints_alone(self):
        self.check_equal(1500, 3, ("--distance", "3"), ("--distance", "3"))

    def test_simhash_of_128_bits_checked_by_edit_distance(self):
        options = ("--bits", "128", "--check", "edit", "--distance", "12", "--min-similarity", "0.7")
        self.check_equal(800, 3, options, ("--distance", "12"))

    def test_by_cosine_of_weighted_features(self):
        options = ("--weights", "tf", "--check", "cosine", "--similarity", "0.85")
        self.check_equal(800, 2, options, ("--distance", self.distance_of(options)))

    def distance_of(self, options):
        done = subprocess.run([PROGRAM, "groups", "--lines", *options, "-"], input="a b c", capture_output=True, text=True,
                              check=True)
        words = done.stderr.split()
        return words[words.index("--distance") + 1]

    def test_one_shard_and_an_empty_one(self):
        parts = self.write_parts(600, 1)
        (self.folder / "empty.jsonl").write_text('{"text":""}\n')
        whole = self.run_neardup("groups", "--jsonl", *parts, "empty.jsonl")
        shards = self.hash([*parts, "empty.jsonl"])
        self.assertEqual(self.merge(shards, self.all_tasks(shards)), whole)

    def test_candidates_of_several_tasks_are_verified_together(self):
        parts = self.write_parts(900, 3)
        shards = self.hash(parts, first=70000)
        candidates = [self.join(a, b) for a, b in itertools.combinations_with_replacement(shards, 2)]
        self.run_neardup("verify", "--output", "all.checked", *candidates, *(f"{shard}.shard" for shard in shards))
        self.assertEqual(self.merge(shards, ["all.checked"]), self.run_neardup("groups", "--jsonl", *parts))

    def test_a_crowd_of_copies_has_no_pairs(self):
        for part in range(2):
            (self.folder / f"part{part}.jsonl").write_text('{"text":"one and the same text of ten words in all here"}\n' * 2000)
        shards = self.hash(["part0.jsonl", "part1.jsonl"])
        checked = self.all_tasks(shards)
        self.assertEqual([sections(self.folder / name)[0] for name in sorted(checked)], [0, 1, 0])
        self.assertEqual(self.merge(shards, checked), self.run_neardup("groups", "--jsonl", "part0.jsonl", "part1.jsonl"))


class Files(Shards):
    def make(self):
        self.parts = self.write_parts(600, 2)
        shards = self.hash(self.parts)
        return shards, self.all_tasks(shards, BY_FINGERPRINTS)

    def test_ids_and_pairs_are_as_documented(self):
        shards, _ = self.make()
        records = {}
        for shard in shards:
            count, parts = sections(self.folder / f"{shard}.shard")
            found = dict((number, print_) for print_, number in struct.iter_unpack("<QQ", parts[16]))
            self.assertEqual(len(found), count)
            self.assertEqual({number >> 40 for number in found}, {shard})
            records |= found
        distance = int(self.distance())
        for a, b in ((0, 0), (0, 1), (1, 1)):
            _, parts = sections(self.folder / f"{a}-{b}.candidates")
            pairs = list(struct.iter_unpack("<QQ", parts.get(66, b"")))
            near = sorted((later, earlier) for earlier, later in itertools.combinations(sorted(records), 2)
                          if (earlier >> 40, later >> 40) == (a, b) and (records[earlier] ^ records[later]).bit_count() <= distance)
            self.assertEqual(pairs, near)
            self.assertGreater(len(near), 10)

    def test_the_same_task_gives_the_same_bytes(self):
        shards, checked = self.make()
        before = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        self.hash(self.parts)
        self.all_tasks(shards, BY_FINGERPRINTS)
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, before)
        self.assertEqual(sorted(before), sorted([*self.parts, "0.shard", "1.shard", "0.shard.features", "1.shard.features",
                                                 *checked, *(name.replace("checked", "candidates") for name in checked)]))

    def test_damaged_files_are_refused_by_name(self):
        shards, checked = self.make()
        merge = ["merge", "0.shard", "1.shard", *checked]
        uses = {"0.shard": [["join", "--output", "x", "0.shard", "1.shard"], ["join", *BY_FINGERPRINTS, "--output", "x", "0.shard"], merge],
                "1.shard": [["join", "--output", "x", "1.shard"], merge],
                "0.shard.features": [["verify", "--output", "x", "0-0.candidates", "0.shard.features"], merge],
                "0-1.candidates": [["verify", "--output", "x", "0-1.candidates", "0.shard", "1.shard"]],
                "0-1.checked": [merge]}
        for name, commands in uses.items():
            whole = (self.folder / name).read_bytes()
            middle = len(whole) * 2 // 3
            for bad in (whole[:middle], whole[:-1], whole[:20], b"", whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:],
                        whole + b"\0"):
                (self.folder / name).write_bytes(bad)
                for command in commands:
                    self.assertIn(name + ":", self.run_neardup(*command, fails=True), command)
                    self.assertFalse((self.folder / "x").exists())
                self.assertIn("damaged\t" + name, self.run_neardup("manifest", *self.shard_files()))
            (self.folder / name).write_bytes(whole)
        self.assertTrue(self.run_neardup(*merge))

    def distance(self):
        """The kind that the similarity has chosen."""
        lines = sections(self.folder / "0-1.candidates")[1][64].decode().splitlines()
        return dict(line.split(" ", 1) for line in lines)["distance"]

    def shard_files(self):
        return sorted(path.name for path in self.folder.iterdir() if not path.name.startswith("part"))

    def test_what_does_not_belong_together_is_refused(self):
        shards, checked = self.make()
        files = ["0.shard", "1.shard", *checked]
        for left_out, message in ((files[1:], "needs shard 0"), (["0.shard", "1.shard", *sorted(checked)[:2]], "shards 1 and 1 are missing"),
                                  ([*files, "0-0.candidates"], "0-0.candidates: holds candidates"), (checked, "name the shards")):
            self.assertIn(message, self.run_neardup("merge", *left_out, fails=True))
        (self.folder / "again.checked").write_bytes((self.folder / "0-1.checked").read_bytes())
        self.assertIn("shards 0 and 1 are there twice", self.run_neardup("merge", *files, "again.checked", fails=True))
        self.run_neardup("hash", "--jsonl", "--shard", 1, "--keep-features", "--features", "words", "--output", "words.shard", "part1.jsonl")
        for asked, name in (((), "words.shard.features"), (BY_FINGERPRINTS, "words.shard")):
            self.assertIn(name + ": the fingerprints are made otherwise: 'tokenizer:",
                          self.run_neardup("join", *asked, "--output", "x", "0.shard", "words.shard", fails=True))
        self.run_neardup("hash", "--jsonl", "--shard", 2, "--keep-features", "--min-similarity", "0.9", "--kind", "minwise",
                         "--distance", self.distance(), "--output", "other.shard", "part1.jsonl")
        self.assertIn("other.shard.features: was made with another min-similarity than 0.shard.features",
                      self.run_neardup("verify", "--output", "x", "0-0.candidates", "0.shard", "other.shard", fails=True))
        (self.folder / "0.shard.features").rename(self.folder / "elsewhere")  # of which join knows nothing then
        self.run_neardup("join", "--distance", "2", "--output", "near.candidates", "0.shard")
        (self.folder / "elsewhere").rename(self.folder / "0.shard.features")
        self.assertIn(f"near.candidates: is of --distance 2, and its shards of {self.distance()}",
                      self.run_neardup("verify", "--output", "x", "near.candidates", "0.shard", fails=True))
        self.assertIn("1.shard: is shard 1, as is 1.shard", self.run_neardup("join", "--output", "x", "1.shard", "1.shard", fails=True))
        self.assertIn("part0.jsonl: no file of neardup's", self.run_neardup("join", "--output", "x", "part0.jsonl", fails=True))
        self.run_neardup("hash", "--jsonl", "--format", "bin", "--output", "plain.list", "part0.jsonl")
        self.run_neardup("hash", "--jsonl", "--shard", "1", "--keep-features", "--output", "1.shard", "part0.jsonl")
        self.assertIn("is of another shard 1 than 1.shard.features", self.run_neardup("merge", *files, fails=True))
        self.assertIn("stale\t0-1.checked", self.run_neardup("manifest", *self.shard_files()))

    def test_join_takes_the_distance_from_the_shards(self):
        parts = self.write_parts(400, 2)
        for options, others in ((("--similarity", "0.5"), ("--similarity", "0.8")), (("--distance", "3"), ("--distance", "4")),
                                (("--weights", "tf", "--check", "cosine", "--similarity", "0.85"), ("--check", "cosine"))):
            shards = self.hash(parts, *options)
            told = sections(self.folder / "0.shard.features")[1][64].decode()
            distance = re.search(r"^distance (\d+)$", told, re.MULTILINE)[1]
            for names in (["0.shard"], ["0.shard", "1.shard"]):
                self.run_neardup("join", *BY_FINGERPRINTS, "--output", "by.itself", *names)
                self.run_neardup("join", "--distance", distance, "--output", "told", *names)
                self.assertEqual((self.folder / "by.itself").read_bytes(), (self.folder / "told").read_bytes())
                said = self.run_neardup("join", *BY_FINGERPRINTS, *others, "--output", "x", *names, fails=True)
                self.assertIn(" ".join(others), said)
                self.assertIn(f": the shards were made for --distance {distance}, which join takes from them", said)
            checked = self.all_tasks(shards, BY_FINGERPRINTS)
            by_fingerprints = BY_FINGERPRINTS if "--similarity" in options else ()  # what is told about the distance says it
            self.assertEqual(self.merge(shards, checked), self.run_neardup("groups", "--jsonl", *by_fingerprints, *options, *parts))
        self.run_neardup("hash", "--jsonl", "--shard", 1, "--keep-features", "--distance", 5, "--output", "other.shard", "part1.jsonl")
        self.run_neardup("hash", "--jsonl", "--shard", 0, "--keep-features", "--distance", 4, "--output", "0.shard", "part0.jsonl")
        self.assertIn("other.shard: was made for --distance 5, and 0.shard for 4",
                      self.run_neardup("join", "--output", "x", "0.shard", "other.shard", fails=True))
        (self.folder / "other.shard.features").rename(self.folder / "0.shard.features")
        self.assertIn("0.shard.features: is of another file than 0.shard", self.run_neardup("join", "--output", "x", "0.shard", fails=True))

    def test_the_command_line(self):
        self.write_parts(10, 1)
        for arguments, message in ((["hash", "--shard", "1", "--jsonl", "part0.jsonl"], "--shard writes to a file: --output FILE"),
                                   (["hash", "--shard", "16777216", "--output", "x", "--jsonl", "part0.jsonl"], "--shard 16777216: must be from 0 to 16777215"),
                                   (["hash", "--keep-features", "part0.jsonl"], "--keep-features needs --shard"),
                                   (["join", "a"], "join writes to a file: --output FILE"), (["join", "--output", "x", "a", "b", "c"], "join takes one shard, or two"),
                                   (["join"], "no input: name files of shards"), (["merge", "a"], "a: cannot be opened: No such file or directory"),
                                   (["verify", "--output", "x", "a"], "a: cannot be opened")):
            self.assertIn(message, self.run_neardup(*arguments, fails=True))

    def test_the_manifest_tells_what_is_missing(self):
        shards, checked = self.make()
        self.assertTrue(self.run_neardup("manifest", *self.shard_files()).endswith("\ncomplete\n"))
        self.assertEqual(len(self.run_neardup("manifest", *self.shard_files()).splitlines()), 11)
        (self.folder / "0-1.checked").unlink()
        (self.folder / "1-1.checked").unlink()
        (self.folder / "1-1.candidates").unlink()
        (self.folder / "0.shard.features").unlink()
        lines = self.run_neardup("manifest", *self.shard_files()).splitlines()
        self.assertEqual(lines[-4:], ["missing\tfeatures of shard 0", "missing\tchecked pairs of shards 0 1",
                                      "missing\tcandidates of shards 1 1", "incomplete"])
        (self.folder / "1.shard").unlink()
        (self.folder / "1.shard.features").unlink()
        self.assertIn("missing\tshard 1", self.run_neardup("manifest", *self.shard_files()).splitlines())
        (self.folder / "again.shard").write_bytes((self.folder / "0.shard").read_bytes())
        self.assertIn("twice\tshard 0: 0.shard and again.shard",
                      self.run_neardup("manifest", "0.shard", "again.shard").splitlines())
        (self.folder / "nothing").mkdir()
        self.assertEqual(self.run_neardup("manifest", "nothing"), "missing\tshards: there are none\nincomplete\n")
        # The output is none of the files that manifest looks at.
        self.run_neardup("manifest", "nothing", "--output", "nothing/list")
        self.assertEqual((self.folder / "nothing" / "list").read_text(), "missing\tshards: there are none\nincomplete\n")


if __name__ == "__main__":
    unittest.main()
