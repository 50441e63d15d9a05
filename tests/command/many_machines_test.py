"""Tasks on many machines print, byte for byte, what one run over all texts prints. A file of a task is either whole
or missing. Files of different runs are refused by name."""

import itertools
import json
import os
import random
import signal
import struct
import time

from harness import A, SANITIZED, CommandTest, effort, main, run, start

WORDS = [f"w{number}" for number in range(3000)]


def texts(count, seed=1):
    """Half of the texts are versions of earlier ones, some exact copies, some short, some empty."""
    make = random.Random(seed)
    made = []
    for _ in range(count):
        if made and make.random() < 0.5:
            words = make.choice(made[-400:]).split()
            for _ in range(make.randrange(0, 4)):
                if words:
                    words[make.randrange(len(words))] = make.choice(WORDS)
        else:
            words = make.choices(WORDS, k=make.choice((0, 2, 5, 40, 60, 90)))
        made.append(" ".join(words))
    return made


def kill(process, delay):
    """Kills a process after `delay` seconds. If `delay` is None, waits until the process ends."""
    if delay is None:
        process.wait()
    else:
        time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.communicate()


class Tasks(CommandTest):
    def write_parts(self, made, parts):
        paths = []
        for part in range(parts):
            lines = []
            for number in range(part * len(made) // parts, (part + 1) * len(made) // parts):
                text = made[number]
                lines.append(json.dumps({"text": text} if len(text) % 5 == 0 else {"id": f"doc {number}", "text": text}))
            paths.append(self.write(f"part{part}.jsonl", "".join(line + "\n" for line in lines)))
        return paths

    def features(self, paths, *options, first=0):
        for number, path in enumerate(paths, first):
            self.assert_done(run("features", "--jsonl", "--part", number, *options, "--output", self.folder / f"{number}.features", path))
        return [self.folder / f"{number}.features" for number in range(first, first + len(paths))]

    def counts(self, features, *options):
        self.assert_done(run("counts", *options, "--output", self.folder / "all.counts", *features))

    def scatter(self, features):
        files = []
        for path in features:
            files.append(path.with_suffix(".scattered"))
            self.assert_done(run("scatter", "--counts", self.folder / "all.counts", "--output", files[-1], path))
        return files

    def gather(self, files, partitions):
        pairs = [self.folder / f"{number}.pairs" for number in range(partitions)]
        for number, path in enumerate(pairs):
            self.assert_done(run("gather", "--partition", number, "--threads", 1 + number % 2, "--output", path, *files))
        return pairs

    def tasks(self, paths, partitions, features=(), counts=()):
        """Runs all tasks of steps in random orders. Returns the files of features and of pairs."""
        shuffled = random.Random(partitions)
        of_parts = self.features(paths, *features)
        shuffled.shuffle(of_parts)
        self.counts(of_parts, "--partitions", partitions, *counts)
        files = self.scatter(of_parts) + (of_parts if "sets" not in counts else [])
        shuffled.shuffle(files)
        pairs = self.gather(files, partitions)
        shuffled.shuffle(pairs)
        return of_parts, pairs

    @staticmethod
    def named(pairs):
        return [word for path in pairs for word in ("--pairs", path)]

    def bytes_of(self, *arguments):
        return self.assert_done(run(*arguments)).bytes


class ResultsOfTasks(Tasks):
    def check(self, made, parts, partitions, features=(), counts=()):
        for path in self.folder.iterdir():
            path.unlink()
        paths = self.write_parts(made, parts)
        of_parts, pairs = self.tasks(paths, partitions, features, counts)
        how = [word for word in counts if word not in ("--payload", "sets", "sketches")]
        sizes = set()
        for form in ("text", "jsonl"):
            for grouping in ("representatives", "components"):
                options = ("--grouping", grouping, "--format", form)
                whole = self.bytes_of("groups", "--jsonl", *options, *features, *how, *paths)
                self.assertEqual(self.bytes_of("groups", *options, *self.named(pairs), *of_parts), whole)
                sizes.add(len(whole))
            for copies in ((), ("--copies-once",)):
                options = (*copies, "--format", form)
                whole = self.bytes_of("pairs", "--jsonl", *options, *features, *how, *paths)
                self.assertEqual(self.bytes_of("pairs", *options, *self.named(pairs), *of_parts), whole)
                sizes.add(len(whole))
        self.assertGreater(min(sizes), 1000)
        self.assertEqual(self.bytes_of("manifest", self.folder).splitlines()[-1], b"complete")
        return sizes

    def test_they_are_those_of_one_run(self):
        self.assertEqual(len(self.check(texts(1500), 4, 3, (), ("--payload", "sets"))), 8)  # 8 different outputs, by grouping, format and copies
        self.check(texts(500, 2), 3, 5)
        if SANITIZED:
            return
        self.check(texts(600, 3), 1, 1, ("--features", "chars:4", "--seed", "7"), ("--similarity", "0.5"))

    def test_of_other_measures(self):
        few = texts(300 if SANITIZED else 700, 4)
        for number, (check, similarity) in enumerate((("cosine", "0.7"), ("containment", "0.75"))):
            payload = ("--payload", ("sketches", "sets")[number])
            self.check(few, 2 + number, 3, ("--features", "words:1"), ("--check", check, "--similarity", similarity, *payload))
        self.check(few, 2, 2, ("--features", "words:1"), ("--check", "containment", "--similarity", "0.75", "--payload", "sketches"))

    def test_of_texts_that_share_very_frequent_features(self):
        make = random.Random(6)
        template = [" ".join(make.choice(WORDS[:9]) if i % 12 == 0 else WORDS[i] for i in range(60)) for _ in range(250)]
        few_words = [" ".join(make.choices(WORDS[:4], k=make.randrange(2, 9))) for _ in range(250)]
        few_texts = make.choices(template[:3], k=250)
        for made in (template, few_words, few_texts):
            for payload in ("sets", "sketches"):
                self.check(made, 2, 3, (), ("--payload", payload))

    def test_parts_without_documents_and_with_one_text_many_times(self):
        copies = ["one and the same text of ten words in all here"] * 2000
        for made, parts in ((copies, 2), ([*copies[:3], "", "", ""], 2), ([""] * 4, 2)):
            paths = self.write_parts(made, parts)
            of_parts, pairs = self.tasks(paths, 2)
            # Each copy has one pair, with the first.
            found = sum(struct.unpack_from("<Q", path.read_bytes(), 48)[0] for path in pairs)
            self.assertEqual(found, max(0, sum(1 for text in made if text) - 1))
            for verb in ("groups", "pairs")[: 1 if made is copies else 2]:
                self.assertEqual(self.bytes_of(verb, *self.named(pairs), *of_parts), self.bytes_of(verb, "--jsonl", *paths))

    def test_a_folder_is_named_and_parts_are_in_any_order(self):
        made = texts(400, 5)
        paths = self.write_parts(made, 2)
        run_folder = self.folder / "run"
        run_folder.mkdir()
        for number, path in ((1, paths[1]), (0, paths[0])):
            self.assert_done(run("features", "--jsonl", "--part", number, "--output", run_folder / f"{number}.features", path))
        done = self.assert_done(run("counts", "--payload", "sets", "--output", run_folder / "counts", run_folder))
        self.assertRegex(done.err, r" features of 3\d\d documents in 2 parts, for 2 partitions\n$")
        for number in (1, 0):
            self.assert_done(run("scatter", "--counts", run_folder / "counts", "--output", run_folder / f"{number}.scattered",
                                 run_folder / f"{number}.features"))
        for number in (0, 1):
            self.assert_done(run("gather", "--partition", number, "--output", run_folder / f"{number}.pairs", run_folder))
        # Temporary files of tasks, and files that do not belong to a run, are ignored.
        (run_folder / "2.pairs.123.tmp").write_bytes((run_folder / "1.pairs").read_bytes())
        (run_folder / "notes.txt").write_text("not of the run")
        self.assertEqual(self.bytes_of("groups", "--pairs", run_folder, run_folder), self.bytes_of("groups", "--jsonl", *paths))


class FilesOfTasks(Tasks):
    def make(self, *counts, seed=1):
        self.paths = self.write_parts(texts(500, seed), 2)
        return self.tasks(self.paths, 2, (), counts or ("--payload", "sets"))

    def of_run(self):
        return sorted(path for path in self.folder.iterdir() if path.suffix != ".jsonl")

    def manifest(self):
        return self.bytes_of("manifest", *self.of_run()).decode().replace(f"{self.folder}/", "").splitlines()

    def test_pairs_are_as_documented(self):
        self.make()
        ids = []
        for part, path in enumerate(self.paths):
            rows = [json.loads(line) for line in path.read_text().splitlines()]
            named = [row.get("id", f"{path}:{line}") for line, row in enumerate(rows, 1) if row["text"]]
            ids += [(part << 40 | number, name) for number, name in enumerate(named)]
        names = dict(ids)
        found = []
        for path in (self.folder / "0.pairs", self.folder / "1.pairs"):
            data = path.read_bytes()
            records = []
            for i in range(struct.unpack_from("<I", data, 20)[0]):
                tag, _, begin, size, _ = struct.unpack_from("<IIQQQ", data, 64 + 32 * i)
                if tag == 66:
                    records = list(struct.iter_unpack("<QQd", data[begin:begin + size]))
            self.assertEqual(records, sorted(records))
            found += [(names[earlier], names[later]) for later, earlier, _ in records]
        once = [(row["a"], row["b"]) for row in run("pairs", "--jsonl", "--copies-once", "--format", "jsonl", *self.paths).json]
        self.assertEqual(sorted(found), sorted(once))

    def test_the_same_task_gives_the_same_bytes(self):
        self.make()
        before = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        self.make()
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, before)
        self.assertEqual(sorted(before), sorted(["all.counts", *(f"{n}.{kind}" for n in (0, 1) for kind in ("features", "pairs", "scattered")),
                                                 "part0.jsonl", "part1.jsonl"]))

    def test_damaged_files_are_refused_by_name(self):
        features, pairs = self.make()
        groups = ("groups", *self.named(pairs), *features)
        scatter = ("scatter", "--counts", self.folder / "all.counts", "--output", self.folder / "x", self.folder / "0.features")
        gathers = [("gather", "--partition", number, "--output", self.folder / "x", self.folder / "0.scattered", self.folder / "1.scattered")
                   for number in (0, 1)]
        uses = {"0.features": [("counts", "--output", self.folder / "x", *features), scatter, groups],
                "all.counts": [scatter], "1.scattered": gathers, "1.pairs": [groups]}
        for name, commands in uses.items():
            path = self.folder / name
            whole = path.read_bytes()
            middle = len(whole) * 2 // 3
            flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:]
            for bad in (whole[:middle], whole[:-1], whole[:20], b"", flipped, whole + b"\0"):
                path.write_bytes(bad)
                done = [run(*command) for command in commands]
                # A task of gather reads only the data of its partition, so one of them may not notice the flipped bit.
                refused = [one for one in done if one.status == 2]
                self.assertEqual(len(refused), 1 if bad is flipped and commands is gathers else len(done))
                for one in refused:
                    self.assertIn(f"{name}:", one.err)
                    self.assertEqual(one.bytes, b"")
                (self.folder / "x").unlink(missing_ok=True)
                self.assertTrue(any(line.startswith(f"damaged\t{name}") for line in self.manifest()), name)
            path.write_bytes(whole)
        self.assertEqual(self.manifest()[-1], "complete")

    def test_what_does_not_belong_together_is_refused(self):
        features, pairs = self.make()
        x = self.folder / "x"
        scattered = [self.folder / "0.scattered", self.folder / "1.scattered"]
        other = self.folder / "other"
        other.mkdir()
        again = other / "again"
        again.write_bytes((self.folder / "1.pairs").read_bytes())
        (other / "1.scattered").write_bytes(scattered[1].read_bytes())
        self.assert_done(run("features", "--jsonl", "--part", 1, "--features", "words", "--output", other / "words", self.paths[1]))
        self.assert_done(run("features", "--jsonl", "--part", 1, "--output", other / "changed", self.paths[0]))
        self.assert_done(run("features", "--jsonl", "--part", 2, "--output", other / "third", self.paths[0]))
        self.assert_done(run("hash", "--jsonl", "--format", "bin", "--output", other / "list", self.paths[0]))
        counts = self.folder / "all.counts"
        for name, options in (("loose", ("--similarity", "0.6")), ("cosine", ("--check", "cosine")), ("more", ("--partitions", 3))):
            self.assert_done(run("counts", *options, *(("--partitions", 2) if name != "more" else ()), "--output", other / name, *features))
            self.assert_done(run("scatter", "--counts", other / name, "--output", other / f"{name}.scattered", features[0]))
        self.assert_done(run("counts", "--partitions", 2, "--output", other / "counts", *features, other / "third"))
        self.assert_done(run("scatter", "--counts", other / "counts", "--output", other / "third.scattered", other / "third"))
        part1 = next(path for path in features if path.name == "1.features")
        part0 = next(path for path in features if path.name == "0.features")
        for arguments, message in (
                (("counts", "--output", x, *features, other / "words"), "words: the fingerprints are made otherwise: 'tokenizer:"),
                (("counts", "--output", x, *features, other / "changed"), ": is part 1, as is another file"),
                (("counts", "--output", x, part1), "the features of part 0 are missing, and those of part 1 are there"),
                (("counts", "--output", x, *features, self.paths[0]), "part0.jsonl: not a file of neardup"),
                (("counts", "--output", x, *features, other / "list"), "list: holds something else, not features of a part"),
                (("counts", "--output", x, self.folder / "0.pairs"), "0.pairs: holds pairs of a partition, not features of a part"),
                (("scatter", "--counts", counts, "--output", x, other / "changed"), "changed: is another part 1 than the one that "),
                (("scatter", "--counts", counts, "--output", x, other / "third"), "third: is part 2, which "),
                (("scatter", "--counts", features[0], "--output", x, features[0]), "holds features of a part, not counts of features"),
                (("scatter", "--counts", counts, "--output", x, *features), "scatter takes the features of one part"),
                (("gather", "--partition", 2, "--output", x, *scattered), "--partition 2: the partitions are 0 to 1"),
                (("gather", "--partition", 0, "--output", x, scattered[0]), "the scattered sets of part 1 are missing"),
                (("gather", "--partition", 0, "--output", x, *scattered, other / "1.scattered"), "is of part 1, as is "),
                (("gather", "--partition", 0, "--output", x, *scattered, other / "loose.scattered"), "loose.scattered: is of --similarity 0.6, and "),
                (("gather", "--partition", 0, "--output", x, *scattered, other / "cosine.scattered"), "cosine.scattered: is of --check cosine, and "),
                (("gather", "--partition", 0, "--output", x, *scattered, other / "more.scattered"), "more.scattered: is of --partitions 3, and "),
                (("gather", "--partition", 0, "--output", x, *scattered, other / "third.scattered"), "third.scattered: was made with other counts than "),
                (("gather", "--partition", 0, "--output", x, *scattered, *pairs), "pairs: holds pairs of a partition, not scattered sets"),
                (("groups", *self.named(pairs[:1]), *features), "the pairs of partition "),
                (("groups", *self.named([*pairs, again]), *features), "is of partition 1, as is "),
                (("groups", *self.named(pairs), part0), "needs the features of part 1"),
                (("groups", *self.named(pairs), part0, other / "changed"), "changed: is another part 1 than the one of "),
                (("groups", *self.named(pairs), *features, other / "third"), "third: is part 2, which "),
                (("groups", *self.named(pairs), *features, part1), "1.features: is part 1, as is "),
                (("pairs", *self.named(features), *features), "holds features of a part, not pairs of a partition"),
                (("groups", *self.named(pairs), "--similarity", "0.8", *features), "--similarity with --pairs: it is about texts"),
                (("features", "--jsonl", "--output", x, self.paths[0]), "features needs --part N"),
                (("features", "--jsonl", "--part", 1 << 24, "--output", x, self.paths[0]), "--part 16777216: must be from 0 to 16777215"),
                (("features", "--jsonl", "--part", 0, self.paths[0]), "features writes to a file: --output FILE"),
                (("features", "--jsonl", "--part", 0, "--output", "x.gz", self.paths[0]), "--output x.gz: this file cannot be compressed"),
                (("counts", "--output", x), "no input: name the files of a run, or their folder"),
                (("counts", *features), "counts writes to a file: --output FILE"),
                (("counts", "--check", "edit", "--output", x, *features), "--check 'edit': checks of counts are jaccard, cosine and containment"),
                (("counts", "--output", part0, *features), f"{part0} is also an input"),
                # A file in a folder that is read is also an input.
                (("counts", "--output", part0, self.folder), f"{part0} is also an input"),
                (("gather", "--partition", 0, "--output", scattered[0], self.folder), f"{scattered[0]} is also an input"),
                (("groups", "--output", part0, "--pairs", self.folder, self.folder), f"{part0} is also an input"),
                (("groups", "--output", pairs[0], "--pairs", self.folder, self.folder), f"{pairs[0]} is also an input"),
                (("scatter", "--counts", counts, "--output", counts, part0), f"{counts} is also an input"),
                (("scatter", "--output", x, part0), "scatter needs --counts FILE"),
                (("gather", "--output", x, *scattered), "gather needs --partition N"),
                (("groups", "--output", pairs[0], *self.named(pairs), *features), f"{pairs[0]} is also an input"),
                (("groups", "--pairs", other / "loose", *features), "holds counts of features, not pairs of a partition"),
                (("gather", "--partition", 0, "--output", x, self.folder / "none"), "none: cannot be opened")):
            with self.subTest(arguments=[str(word) for word in arguments]):
                self.assert_fails(run(*arguments), message)
                self.assertFalse(x.exists())

    def test_values_of_a_field_are_the_same_in_all_parts(self):
        lines = lambda names: "".join(json.dumps({"id": name, "text": A, "lang": name[0], "split": name[0]}) + "\n" for name in names)
        paths = [self.write("0.jsonl", lines(["e0", "d1", "e2"])), self.write("1.jsonl", lines(["d3", "f4", "e5"]))]
        for option, wanted in (("--within", [["d1", "d3"], ["e0", "e2", "e5"]]), ("--across", [["d1", "d3", "e0", "f4"]])):
            features, pairs = self.tasks(paths, 2, (option, "lang"))
            named = [word for path in pairs for word in ("--pairs", path)]
            done = self.assert_done(run("groups", "--format", "jsonl", *named, *features))
            groups = sorted(sorted(member["id"] for member in row["members"]) for row in done.json)
            self.assertEqual(groups, wanted)
            one = self.assert_done(run("groups", "--jsonl", "--format", "jsonl", option, "lang", *paths))
            self.assertEqual(done.text, one.text)
            found, single = (self.assert_done(run("pairs", *asked)).text for asked in
                             ((*named, *features), ("--jsonl", option, "lang", *paths)))
            self.assertEqual(sorted(found.splitlines()), sorted(single.splitlines()))
            self.assert_fails(run("pairs", "--copies-once", *named, *features), "--copies-once: the parts were made with")
        self.assert_fails(run("features", "--jsonl", "--within", "lang", "--part", 0, "--output", self.folder / "x", "-",
                              data=b'{"text": "a"}\n'), 'standard input:1: no field "lang" in the record')
        self.assert_fails(run("features", "--lines", "--within", "lang", "--part", 0, "--output", self.folder / "x", "-"),
                          "--within lang needs --jsonl")
        self.features(paths[:1], "--within", "lang")
        for others in ((), ("--across", "lang"), ("--within", "split")):
            features = [self.folder / "0.features", *self.features(paths[1:], *others, first=1)]
            self.counts(features, "--partitions", 2)
            named = [word for path in self.gather(self.scatter(features), 2) for word in ("--pairs", path)]
            self.assert_fails(run("groups", *named, *features), "was made with other values of --within or --across")

    def test_sketches_need_the_features_that_were_scattered(self):
        features, _ = self.make("--payload", "sketches")
        scattered = [self.folder / "0.scattered", self.folder / "1.scattered"]
        gather = ("gather", "--partition", 0, "--output", self.folder / "x")
        self.assert_fails(run(*gather, *scattered), "0.scattered: needs the features of part 0")
        self.assert_done(run("features", "--jsonl", "--part", 1, "--output", self.folder / "1.features", self.paths[0]))
        self.assert_fails(run(*gather, *scattered, *features), "1.features: is another part 1 than the one of ")

    def test_the_manifest_tells_what_is_missing(self):
        self.make()
        lines = self.manifest()
        self.assertEqual([line.split("\t")[:2] for line in lines[:-1]],
                         [["whole", "features of part 0"], ["whole", "pairs of partition 0"], ["whole", "scattered sets of part 0"],
                          ["whole", "features of part 1"], ["whole", "pairs of partition 1"], ["whole", "scattered sets of part 1"],
                          ["whole", "counts"]])
        self.assertEqual(lines[-1], "complete")
        for name in ("0.features", "0.scattered", "1.pairs"):
            (self.folder / name).unlink()
        self.assertEqual(self.manifest()[-4:], ["missing\tfeatures of part 0", "missing\tscattered sets of part 0",
                                                "missing\tpairs of partition 1", "incomplete"])
        (self.folder / "again").write_bytes((self.folder / "1.features").read_bytes())
        self.assertIn("twice\tfeatures of part 1: 1.features and again", self.manifest())
        (self.folder / "again").unlink()
        # Part 1 gets another text, so the files that were made from the old text are out of date.
        self.write_parts(texts(500, 9), 2)
        self.features(self.paths)
        self.assertEqual([line for line in self.manifest() if line.startswith("stale")],
                         ["stale\tall.counts: its part 0 has changed since", "stale\tall.counts: its part 1 has changed since"])
        self.counts([self.folder / "0.features", self.folder / "1.features"], "--payload", "sets")
        self.assertEqual([line for line in self.manifest() if not line.startswith("whole")],
                         ["stale\t1.scattered: was made with other counts", "stale\t0.pairs: was made with other counts",
                          "missing\tscattered sets of part 0", "missing\tscattered sets of part 1",
                          "missing\tpairs of partition 0", "missing\tpairs of partition 1", "incomplete"])
        (self.folder / "all.counts").unlink()
        self.assertEqual(self.manifest()[-2:], ["missing\tcounts", "incomplete"])
        nothing = self.folder / "nothing"
        nothing.mkdir()
        self.assertEqual(self.bytes_of("manifest", nothing), b"missing\tfeatures: there are none\nincomplete\n")
        # manifest ignores its own output.
        self.bytes_of("manifest", nothing, "--output", nothing / "list")
        self.assertEqual((nothing / "list").read_bytes(), b"missing\tfeatures: there are none\nincomplete\n")

    def test_a_killed_task_leaves_nothing_that_is_taken_for_whole(self):
        features, pairs = self.make()
        whole = {path.name: path.read_bytes() for path in self.of_run()}
        tasks = {"0.features": ("features", "--jsonl", "--part", 0, self.paths[0]), "all.counts": ("counts", "--partitions", 2, "--payload", "sets", *sorted(features)),
                 "0.scattered": ("scatter", "--counts", self.folder / "all.counts", self.folder / "0.features"),
                 "1.pairs": ("gather", "--partition", 1, self.folder / "0.scattered", self.folder / "1.scattered")}
        delays = random.Random(6)
        for number, (name, task) in itertools.product(range(3 if SANITIZED else 6), tasks.items()):
            path = self.folder / name
            path.unlink()
            kill(start(*map(str, (*task, "--output", path))), None if number == 0 else delays.random() * 0.02)
            self.assertTrue(path.exists() or number > 0)
            if path.exists():
                self.assertEqual(path.read_bytes(), whole[name])
            # After the kill, manifest reports the file as missing, and other tasks do not read the rest that the killed
            # task left.
            found = self.bytes_of("manifest", self.folder).decode()
            self.assertEqual("\nmissing\t" in found, not path.exists(), found)
            self.assert_done(run(*task, "--output", path))
            self.assertEqual(path.read_bytes(), whole[name])
        self.assertEqual(self.bytes_of("groups", "--pairs", self.folder, self.folder), self.bytes_of("groups", "--jsonl", *self.paths))

    def test_files_are_replaced_as_outputs_are(self):
        self.make()
        real, link = self.folder / "real", self.folder / "link"
        real.write_bytes(b"old")
        real.chmod(0o640)
        link.symlink_to(real)
        self.assert_done(run("gather", "--partition", 0, "--output", link, self.folder / "0.scattered", self.folder / "1.scattered"))
        self.assertTrue(link.is_symlink())
        self.assertEqual(real.read_bytes(), (self.folder / "0.pairs").read_bytes())
        self.assertEqual(os.stat(real).st_mode & 0o777, 0o640)


class Passages(Tasks):
    """Repeated passages by tasks. The tasks write the same bytes as one run of unique --passages."""

    def write_records(self, count, alphabet, parts, seed):
        """Returns records with two fields that share runs of words. Some fields are empty, and so is the second
        part."""
        make, made, lines = random.Random(seed), [], []
        for number in range(count):
            fields = []
            for _ in range(2):
                words = make.choices(alphabet, k=make.choice((0, 3, 30)))
                if made and make.random() < 0.6:
                    other = make.choice(made)
                    begin, at = make.randrange(len(other) + 1), make.randrange(len(words) + 1)
                    words[at:at] = other[begin : begin + make.randrange(30)]
                made.append(words)
                fields.append(make.choice((" ", "  ", ", ", "\n")).join(words))
            lines.append(json.dumps({"id": f"\u00e4 {number}", "title": fields[0], "body": fields[1]}, ensure_ascii=False))
        ends = [0, *sorted(make.choices(range(count), k=parts - 2)), count]
        pieces = [lines[begin:end] for begin, end in zip(ends, ends[1:])]
        pieces.insert(1, [])
        # The last line of a part may have no end.
        return [self.write(f"part{part}.jsonl", "\n".join(piece) + ("" if part % 3 == 2 or not piece else "\n"))
                for part, piece in enumerate(pieces)]

    FIELDS = ("--text-field", "title", "--text-field", "body")

    def steps(self, paths, partitions, options, fields=FIELDS, form="--jsonl"):
        """Runs the tasks up to gather, in random orders. Returns their files."""
        shuffled = random.Random(partitions)
        made = {}
        def task(name, *words):
            made[name] = self.folder / name
            self.assert_done(run(*words, "--threads", 1 + shuffled.randrange(3), "--output", made[name]))
        def mixed(kind):
            files = [path for name, path in made.items() if name.endswith(kind)]
            shuffled.shuffle(files)
            return files
        for number, path in enumerate(paths):
            task(f"{number}.features", "features", form, *fields, *options, "--partitions", partitions, "--part", number, path)
        task("all.counts", "counts", *mixed("features"))
        for path in mixed("features"):
            task(f"{path.stem}.scattered", "scatter", "--counts", made["all.counts"], path)
        for number in range(partitions):
            task(f"{number}.passages", "gather", "--partition", number, *mixed("scattered"))
        return mixed("")

    def part(self, number, path, *more, fields=FIELDS, form="--jsonl"):
        """Returns the command that writes a part, without the options of passages."""
        return ("unique", form, *fields, "--gathered", self.folder, "--part", number, "--output", self.folder / f"{number}.out", *more, path)

    def check(self, paths, partitions, options, fields=FIELDS, form="--jsonl"):
        for path in self.folder.iterdir():
            if path not in paths:
                path.unlink()
        out, dropped = self.folder / "out", self.folder / "dropped"
        self.assert_done(run("unique", form, *fields, *options, "--output", out, "--dropped", dropped, *paths))
        self.steps(paths, partitions, options, fields, form)
        outs, lines = [], b""
        for number, path in enumerate(paths):
            own = self.folder / f"{number}.dropped"
            self.assert_done(run(*self.part(number, path, "--dropped", own, fields=fields, form=form)))
            outs.append((self.folder / f"{number}.out").read_bytes())
            lines += own.read_bytes()
            own.unlink()
            self.assert_done(run(*self.part(number, path, fields=fields, form=form)))
            self.assertEqual((self.folder / f"{number}.out").read_bytes(), outs[-1])
        # One run over all parts adds a line feed to the last line of a part that lacks one, if records follow.
        joined = b"".join(part if part.endswith(b"\n") or not part or not any(outs[i + 1:]) else part + b"\n" for i, part in enumerate(outs))
        self.assertEqual(joined, out.read_bytes())
        self.assertEqual(lines, dropped.read_bytes())
        self.assertEqual(self.bytes_of("manifest", self.folder).splitlines()[-1], b"complete")
        return len(lines.splitlines())

    def test_parts_are_those_of_one_run(self):
        few = ["a", "b", "\u00e4\u00e4"]
        many = ["a", "\u044f\u0437\u044b\u043a", "\U0001d538", *WORDS[:40]]
        cases = ((few, 5, 3, ("--passages", 2)), (many, 4, 1, ("--passages", 5, "--least-documents", 3)),
                 (many, 3, 5, ("--passages", "bytes:17")), (["ha"], 3, 2, ("--passages", 1)), (few, 4, 4, ("--passages", "bytes:3", "--least-documents", 2)),
                 (many, 6, 7, ("--passages", 1)))
        cut = 0
        for seed, (alphabet, parts, partitions, options) in enumerate(cases[: 3 if SANITIZED else None]):
            with self.subTest(parts=parts, partitions=partitions, options=options):
                cut += self.check(self.write_records(effort(60, 200), alphabet, parts, seed), partitions, options)
        self.assertGreater(cut, 300)

    def test_of_lines_and_of_arrays(self):
        made = texts(120, 7)
        paths = [self.write(f"part{part}.txt", "".join(text + "\n" for text in made[part::3])) for part in range(3)]
        self.assertGreater(self.check(paths, 3, ("--passages", 6), (), "--lines"), 20)
        rows = [json.dumps({"id": number, "turns": [{"say": text} for text in made[number : number + number % 4]]}) for number in range(100)]
        paths = [self.write(f"part{part}.jsonl", "".join(row + "\n" for row in rows[part * 50:][:50])) for part in range(2)]
        for path in self.folder.glob("*.txt"):
            path.unlink()
        self.assertGreater(self.check(paths, 2, ("--passages", 6), ("--text-field", "turns[*].say")), 20)

    def test_byte_order_marks_of_parts_are_those_of_files(self):
        """One run copies a byte order mark only at the beginning of its output. The task of the first part with a
        document does the same."""
        made = texts(60, 9)
        marks = (b"\xef\xbb\xbf", b"")
        for form, fields, lines in (("--lines", (), made), ("--jsonl", (), [json.dumps({"text": text}) for text in made])):
            for number, marked in enumerate(itertools.product(marks, marks, marks)):
                for is_empty in (False, True):
                    starts = (0, 0, 30) if is_empty else (0, 20, 40)
                    pieces = ["".join(line + "\n" for line in lines[begin:end]) for begin, end in zip(starts, [*starts[1:], 60])]
                    for path in self.folder.iterdir():
                        path.unlink()
                    encodings = ["utf-16" if number == 0 and part == 2 else "utf-8" for part in range(3)]
                    paths = [self.write(f"part{part}.in", piece.encode(encoding) if encoding == "utf-16" else mark + piece.encode())
                             for part, (mark, piece, encoding) in enumerate(zip(marked, pieces, encodings))]
                    self.assertGreater(self.check(paths, 2, ("--passages", 6), fields, form), 5)
                    if is_empty or number == 0 or form == "--jsonl":
                        of_parts = [self.folder / f"{part}.sets" for part in range(3)]
                        for part, path in enumerate(paths):
                            self.assert_done(run("features", form, "--part", part, "--output", of_parts[part], path))
                        self.counts(of_parts, "--partitions", 2)
                        scattered = [path.with_suffix(".sent") for path in of_parts]
                        for path, to in zip(of_parts, scattered):
                            self.assert_done(run("scatter", "--counts", self.folder / "all.counts", "--output", to, path))
                        pairs = self.gather(scattered + of_parts, 2)
                        whole = self.bytes_of("groups", form, *paths)
                        self.assertEqual(self.bytes_of("groups", *self.named(pairs), *of_parts), whole)

    def make(self):
        self.paths = self.write_records(60, WORDS[:30], 3, 1)
        self.options = ("--passages", 3)
        return self.steps(self.paths, 2, self.options)

    def test_damaged_and_missing_files_are_refused_by_name(self):
        self.make()
        x = self.folder / "x"
        named = lambda suffix: [self.folder / f"{number}.{suffix}" for number in range(2 if suffix == "passages" else 3)]
        part, last = (("unique", "--jsonl", *self.FIELDS, "--part", number, "--output", x, "--dropped", self.folder / "y", self.paths[number])
                      for number in (0, 2))
        gathered = [word for path in named("features") + named("passages") for word in ("--gathered", path)]
        scatter = ("scatter", "--counts", self.folder / "all.counts", "--output", x, self.folder / "0.features")
        gather = ("gather", "--output", x, "--partition")
        uses = {"0.features": [("counts", "--output", x, *named("features")), scatter, (*part, *gathered)], "all.counts": [scatter],
                "2.scattered": [(*gather, number, *named("scattered")) for number in (0, 1)],
                "1.passages": [(*part, *gathered), (*last, *gathered)]}
        for name, commands in uses.items():
            path = self.folder / name
            whole = path.read_bytes()
            flipped = []
            for i in range(struct.unpack_from("<I", whole, 20)[0]):
                _, _, begin, size, _ = struct.unpack_from("<IIQQQ", whole, 64 + 32 * i)
                if size:
                    flipped.append(whole[: begin + size // 2] + bytes([whole[begin + size // 2] ^ 1]) + whole[begin + size // 2 + 1 :])
            self.assertGreater(len(flipped), 2)
            for bad in (whole[: len(whole) // 2], whole[:20], b"", whole + b"\0", *flipped):
                path.write_bytes(bad)
                # A task reads only the sections that it needs, so one of the commands may not notice the damage.
                done = [run(*command) for command in commands]
                self.assertGreaterEqual(sum(one.status == 2 for one in done), 1 if bad in flipped else len(done))
                for one in done:
                    if one.status:
                        self.assert_fails(one, f"{name}:")
                x.unlink(missing_ok=True)
                files = [file for file in self.folder.iterdir() if file.suffix != ".jsonl"]
                self.assertIn(f"damaged\t{path}", self.bytes_of("manifest", *files).decode())
            path.unlink()
            for command in commands:
                self.assert_fails(run(*command), f"{name}: cannot be opened")
            for command, missing in (((*gather, 1, self.folder), "the scattered passages of part 2 are missing"),
                                     ((*part, "--gathered", self.folder), "needs the features of part 0"
                                      if name == "0.features" else "the passages of partition 1 are missing")):
                if name in ("2.scattered" if command[0] == "gather" else "0.features 1.passages"):
                    self.assert_fails(run(*command), missing)
            self.assertIn(b"\nmissing\t", self.bytes_of("manifest", self.folder))
            path.write_bytes(whole)
        # The texts (attachment 5) of part 2 are damaged.
        path = self.folder / "2.features"
        whole = path.read_bytes()
        _, _, begin, size, _ = struct.unpack_from("<IIQQQ", whole, 64 + 32 * 5)
        path.write_bytes(whole[: begin + size // 2] + bytes([whole[begin + size // 2] ^ 1]) + whole[begin + size // 2 + 1 :])
        self.assert_fails(run("scatter", "--counts", self.folder / "all.counts", "--output", x, path), "2.features:")
        path.write_bytes(whole)
        self.assertEqual(self.bytes_of("manifest", self.folder).splitlines()[-1], b"complete")

    def test_what_does_not_belong_together_is_refused(self):
        self.make()
        x, counts = self.folder / "x", self.folder / "all.counts"
        features = [self.folder / f"{number}.features" for number in range(3)]
        scattered = [self.folder / f"{number}.scattered" for number in range(3)]
        other = self.folder / "other"
        other.mkdir()
        made = ("features", "--jsonl", *self.FIELDS, "--part", 2)
        for name, options, path in (("long", ("--passages", 4), self.paths[2]), ("bytes", ("--passages", "bytes:3"), self.paths[2]),
                                    ("rare", ("--passages", 3, "--least-documents", 2), self.paths[2]),
                                    ("changed", ("--passages", 3), self.paths[0])):
            self.assert_done(run(*made, *options, "--partitions", 2, "--output", other / name, path))
        self.assert_done(run(*made, "--passages", 3, "--output", other / "sixteen", self.paths[2]))
        self.assert_done(run("features", "--jsonl", *self.FIELDS, "--part", 0, "--output", other / "sets", self.paths[0]))
        self.assert_done(run("counts", "--output", other / "counts", *features[:2], other / "changed"))
        self.assert_done(run("scatter", "--counts", other / "counts", "--output", other / "scattered", other / "changed"))
        for name in ("long", "bytes", "rare", "sixteen"):
            self.assert_fails(run("counts", "--output", x, *features[:2], other / name),
                              f"{name}: was made with other values of --passages, --least-documents or --partitions than ")
        part = ("unique", "--jsonl", *self.FIELDS, "--output", x, "--gathered", self.folder)
        for arguments, message in (
                (("counts", "--output", x, features[1], features[2]), "the features of part 0 are missing, and those of part 1 are there"),
                (("counts", "--output", x, *features, other / "changed"), "is part 2, as is another file"),
                (("counts", "--output", x, *features, other / "sets"), "sets: holds features of a part, not texts of a part"),
                (("counts", "--similarity", "0.5", "--output", x, *features), "--similarity: the parts were made with --passages"),
                (("scatter", "--counts", counts, "--output", x, other / "changed"), "changed: is another part 2 than the one that "),
                (("scatter", "--counts", counts, "--output", x, other / "sets"), "sets: holds features of a part, not texts of a part"),
                (("gather", "--partition", 2, "--output", x, *scattered), "--partition 2: the partitions are 0 to 1"),
                (("gather", "--partition", 0, "--output", x, *scattered[:2], other / "scattered"), "scattered: was made with other counts than "),
                (("gather", "--partition", 0, "--output", x, *scattered, scattered[1]), "is of part 1, as is "),
                ((*part, "--part", 3, self.paths[0]), "--part 3: "),
                ((*part, self.paths[0]), "unique needs --part N"),
                ((*part, "--part", 1, self.paths[0]), "is not what "),
                ((*part, "--part", 0, self.paths[1]), "is not what "),
                (("unique", "--jsonl", "--text-field", "body", "--gathered", self.folder, "--part", 0, "--output", x, self.paths[0]), "is not what "),
                ((*part, "--gathered", other / "changed", "--part", 0, self.paths[0]), "changed: is another part 2 than the one of "),
                ((*part, "--passages", 3, "--part", 0, self.paths[0]), "--passages has no effect with --gathered"),
                ((*part, "--against", self.paths[1], "--part", 0, self.paths[0]), "--against has no effect with --gathered"),
                (("unique", "--jsonl", "--output", features[0], "--gathered", self.folder, "--part", 0, self.paths[0]), f"{features[0]} is also an input"),
                (("unique", "--jsonl", "--part", 0, "--output", x, self.paths[0]), "--part needs --gathered"),
                (("unique", "--gathered", self.folder, "--part", 0, self.paths[0]), "--gathered needs --lines or --jsonl"),
                (("unique", "--jsonl", "--gathered", features[0], "--part", 0, "--output", x, self.paths[0]), "--gathered: the names lead to no file of passages"),
                (("features", "--jsonl", "--part", 0, "--partitions", 2, "--output", x, self.paths[0]), "--partitions needs --passages"),
                (("features", "--jsonl", "--part", 0, "--passages", 3, "--features", "words", "--output", x, self.paths[0]), "--features has no effect with --passages"),
                (("features", "--jsonl", "--part", 0, "--passages", 3, "--partitions", 4097, "--output", x, self.paths[0]), "--partitions 4097: must be from 1 to 4096"),
                (("features", "--jsonl", "--part", 0, "--passages", 0, "--output", x, self.paths[0]), "--passages 0: must be from 1 to 1048576")):
            with self.subTest(arguments=[str(word) for word in arguments]):
                self.assert_fails(run(*arguments), message)
                self.assertFalse(x.exists())
        # Replaces the text of part 2, so the files that were made from the old text are out of date.
        self.assert_done(run(*made, "--passages", 3, "--partitions", 2, "--output", features[2], self.paths[0]))
        self.assertIn("all.counts: its part 2 has changed since", self.bytes_of("manifest", self.folder).decode())

    def test_a_killed_task_is_repeated(self):
        self.make()
        own = self.part(0, self.paths[0])
        self.assert_done(run(*own))
        tasks = {"0.features": ("features", "--jsonl", *self.FIELDS, *self.options, "--partitions", 2, "--part", 0, self.paths[0]),
                 "all.counts": ("counts", *(self.folder / f"{number}.features" for number in range(3))),
                 "2.scattered": ("scatter", "--counts", self.folder / "all.counts", self.folder / "2.features"),
                 "1.passages": ("gather", "--partition", 1, self.folder),
                 "0.out": tuple(word for word in own if word not in ("--output", self.folder / "0.out"))}
        delays = random.Random(6)
        for number, (name, task) in itertools.product(range(3 if SANITIZED else 6), tasks.items()):
            path = self.folder / name
            whole = path.read_bytes()
            path.unlink()
            kill(start(*map(str, (*task, "--output", path))), None if number == 0 else delays.random() * 0.02)
            self.assertTrue(path.exists() or number > 0)
            if path.exists():
                self.assertEqual(path.read_bytes(), whole)
            self.assert_done(run(*task, "--output", path))
            self.assertEqual(path.read_bytes(), whole)


if __name__ == "__main__":
    main()
