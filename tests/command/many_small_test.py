"""The time is linear in the number of names, fields and columns: four times as many take about four times the
processor time. These are the cases of bench/runaway/many_small.py that once took quadratic time."""

import json

from harness import SANITIZED, CommandTest, cpu_seconds, main, run, unittest


@unittest.skipIf(SANITIZED, "sanitizers take time of their own")
class ManySmall(CommandTest):
    def assert_grows_linearly(self, count, run_with_count):
        """`run_with_count(n)` runs the command on n things. A quadratic cost would be 16 times as high."""

        def least(size):
            spent = []
            for _ in range(2):
                before = cpu_seconds()
                self.assert_done(run_with_count(size))
                spent.append(cpu_seconds() - before)
            return min(spent)

        first, second = least(count), least(4 * count)
        self.assertLess(second, 8 * first + 0.05, (first, second))

    @staticmethod
    def spelling(number):
        """Returns one of 2^16 equally long names of the file "a"."""
        return "".join("././" if number >> bit & 1 else ".///" for bit in range(16)) + "a"

    def test_names(self):
        self.write("a", "a text of few words")
        names = [self.spelling(i) for i in range(1 << 15)]
        self.assertEqual(len(set(names)), len(names))
        self.write("list", "\n".join(names))
        self.write("short", "\n".join(names[: 1 << 13]))
        lists = {1 << 13: "short", 1 << 15: "list"}
        self.assert_grows_linearly(1 << 13, lambda n: run("groups", "--files-from", lists[n], cwd=self.folder))
        self.assert_grows_linearly(1 << 12, lambda n: run("groups", *names[:n], cwd=self.folder))

    def test_text_fields(self):
        options = [word for i in range(8000) for word in ("--text-field", f"c{i}")]

        def json_lines(count):
            self.write(f"r{count}", json.dumps({f"c{i}": f"w{i}" for i in range(count)}) + "\n")
            return run("groups", "--jsonl", *options[: 2 * count], self.folder / f"r{count}")

        def array_of_texts(count):
            self.write(f"a{count}", json.dumps({"a": [f"w{i}" for i in range(count)]}) + "\n")
            names = [word.replace("c", "a.") if word.startswith("c") else word for word in options[: 2 * count]]
            return run("groups", "--jsonl", *names, self.folder / f"a{count}")

        def table(count):
            self.write(f"t{count}", "\n".join(",".join(f"{what}{i}" for i in range(count)) for what in "cw") + "\n")
            return run("groups", "--input-format", "csv", *options[: 2 * count], self.folder / f"t{count}")

        for run_with_count in (json_lines, array_of_texts, table):
            with self.subTest(run_with_count.__name__):
                self.assert_grows_linearly(2000, run_with_count)

    def test_columns(self):
        for count in (10000, 40000):
            self.write(f"t{count}", "\n".join(",".join(f"{what}{i}" for i in range(count)) for what in "cw") + "\n")
        self.assert_grows_linearly(10000, lambda n: run("groups", "--input-format", "csv", "--text-field", "c7",
                                                        self.folder / f"t{n}"))
        wrong = self.write("wrong", "a,b,c,b,a\n1,2,3,4,5\n")
        self.assert_fails(run("groups", "--input-format", "csv", "--text-field", "c", wrong), 'there are two columns "b"')
        self.assert_fails(run("groups", "--text-field", "a", "--text-field", "b", "--text-field", "a", "--jsonl", wrong),
                          "--text-field 'a' is given more than once")

    def test_indexes_in_a_folder_that_are_named_too(self):
        record = self.write("r", json.dumps({"text": "one two three four"}) + "\n")
        folder = self.folder / "f"
        folder.mkdir()
        index = folder / "i"
        self.assert_done(run("index", "--jsonl", record, "--output", index))
        link = folder / "link"
        link.symlink_to("i")
        for named in (index, link):
            done = self.assert_done(run("pairs", "--jsonl", record, "--against", folder, "--against", named))
            self.assertNotIn("skipped", done.err)
            self.assertEqual(len(done.text.splitlines()), 1)


if __name__ == "__main__":
    main()
