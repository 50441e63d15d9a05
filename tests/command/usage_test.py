"""The help, and command lines that are refused. NEARDUP_PROGRAM names the program."""

import re

from harness import A, B, SOURCE, CommandTest, jsonl, run, main


class Usage(CommandTest):
    def test_help_has_examples(self):
        for arguments in (("--help",), ("-h",), *((verb, "--help") for verb in ("groups", "pairs", "unique", "hash", "tokens", "find", "advise"))):
            done = self.assert_done(run(*arguments))
            self.assertIn("Usage: neardup ", done.text)
            self.assertIn("\nExamples:\n  neardup ", done.text)
            self.assertEqual(done.err, "")
            everything = self.assert_done(run(*arguments[:-1], "--help-all"))
            self.assertIn("\nExamples:\n  neardup ", everything.text)
        for option in (
            "--lines --jsonl --text-field --id-field --include --exclude --distance --bits --blocks --features "
            "--weights --similarity --min-similarity --check-features --grouping --keep --seed --threads --format --quiet --help --version "
            "--skip-bad --strict --output --idf-file --dictionary --user-dictionary --model --no-hmm --stop-words --top "
            "--weighted-field --check"
        ).split():
            self.assertIn(option, run("--help-all").text)
        self.assertIn("--recall", run("advise", "--help").text)
        self.assertNotIn("--features", run("query", "--help").text)  # the index has the features
        self.assertIn("\nFeatures:\n  --features F ", run("--help").text)
        self.assertNotIn("lists every option", run("diff", "--help").text)
        for arguments in (("--help-all",), ("--help",), ("unique", "--help-all"), ("advise", "--help-all")):
            self.assertLessEqual(max(map(len, run(*arguments).text.splitlines())), 120)

    def test_help_as_a_verb(self):
        self.assertEqual(self.assert_done(run("help")).text, run("--help").text)
        self.assertEqual(self.assert_done(run("help", "pairs")).text, run("pairs", "--help").text)
        self.write("help", A)
        self.assertEqual(run("help", cwd=self.folder).bytes, run("./help", cwd=self.folder).bytes)

    def test_what_is_no_verb(self):
        for arguments in (("frobnicate",), ("unik", "--lines", self.write("a", A)), ("frobnicate", "--distance", 3)):
            done = run(*arguments)
            self.assert_fails(done, f"{arguments[0]}: no such file or folder, and no verb; verbs are groups, pairs, ")
            self.assertEqual(done.err.count("\n"), 1)
        for arguments in (("groups", "frobnicate"), ("a/b",), ("a.txt",), ("--lines", "x")):
            done = run(*arguments)
            self.assert_fails(done, f"{arguments[-1]}: no such file or folder\n")
            self.assertEqual(done.err.count("\n"), 1)

    def test_version_is_that_of_the_library(self):
        header = (SOURCE / "include" / "neardup" / "version.hpp").read_text()
        version = re.search(r'NEARDUP_VERSION_STRING "([^"]+)"', header)
        if version is None:
            parts = [re.search(rf"NEARDUP_VERSION_{p} (\d+)", header).group(1) for p in ("MAJOR", "MINOR", "PATCH")]
            expected = ".".join(parts)
        else:
            expected = version.group(1)
        self.assertEqual(run("--version").text, f"neardup {expected}\n")

    def test_options_without_an_effect_are_refused(self):
        data = jsonl([A, B])
        texts, pairs = self.write("in.jsonl", data), self.write("pairs.csv", "a,b\nd0,d1\n")
        index, kept, out = self.folder / "index", self.folder / "kept", self.folder / "out"
        self.assert_done(run("index", "--jsonl", "--keep-postings", "--output", index, texts))
        self.assert_done(run("index", "--jsonl", "--output", kept, texts))
        find, verify, jsonl_ = ("find", "quick brown fox", "--index", index), ("verify", "--pairs", pairs), ("--jsonl", texts)
        self.assertNotEqual(self.assert_done(run(*find)).text, "")
        for option in (("--text-field", "x"), ("--id-field", "x"), ("--encoding", "big5"), ("--mail", "all"), ("--strict",), ("--skip-bad",),
                       ("--hidden",), ("--binary",), ("-0",), ("--lines",)):
            name = "--null" if option == ("-0",) else option[0]
            self.assert_fails(run(*find, *option), f"{name} with --index")
            self.assert_fails(run(*verify, "--index", index, *option), f"{name} with --index")
        self.assert_done(run(*verify, "--index", index))
        self.assert_done(run(*verify, "--index", index, "--skip-bad", *jsonl_))
        self.assert_done(run(*verify, "--index", index, "--no-verify"))
        self.assert_fails(run(*verify, "--no-verify", *jsonl_), "--no-verify needs --index")
        # These options choose among the files of folders.
        listed, folder = self.write("list", f"{texts}\n"), self.write("folder/a.jsonl", data).parent
        for option in (("--include", "*.jsonl"), ("--exclude", "x"), ("--hidden",)):
            for verb in (("groups",), ("pairs",), ("unique",), ("report",), ("hash",), ("tokens",), ("passages",), ("advise",),
                         ("find", "fox"), ("query", "--index", index), ("index", "--output", out), verify, ("features", "--part", 0, "--output", out)):
                self.assert_fails(run(*verb, *option, *jsonl_), f"{option[0]} chooses files in folders")
            for inputs in (("-",), ("--files-from", listed), (texts, "--against", index), (texts, "--against", texts)):
                self.assert_fails(run("unique", "--jsonl", *option, *inputs, data=data), f"{option[0]} chooses files in folders")
            for inputs in ((folder,), (texts, folder), ("-", "--against", folder)):
                self.assert_done(run("unique", "--jsonl", *option, *inputs, data=data))
            self.assert_fails(run("groups", *option, self.folder / "none"), "no such file or folder")
        for option in (("--weights", "tf"), ("--top", 3), ("--idf-file", texts)):
            for check in ((), ("--check", "edit")):
                self.assert_fails(run(*verify, *check, *option, *jsonl_), f"{option[0]} needs --check cosine")
        self.assert_done(run(*verify, "--check", "cosine", "--weights", "tf", *jsonl_))
        self.assert_fails(run("index", "--no-verify", "--output", out, *jsonl_), "--no-verify needs --index")
        self.assert_fails(run("index", "--distance", 3, "--similarity", 0.5, "--output", out, *jsonl_), "--similarity with --distance")
        self.assert_done(run("index", "--no-verify", "--index", kept, "--append", *jsonl_))
        self.assert_fails(run("unique", "--add-to", kept, "--also-within", *jsonl_), "--also-within with --add-to")
        self.assert_done(run("unique", "--add-to", kept, *jsonl_))

    def test_words_are_taken_as_they_are_typed(self):
        path = self.write("a.txt", A)
        for off in ("--jsonl=false", "--lines=false", "--quiet=false"):
            done = self.assert_done(run("hash", off, path))
            self.assertIn("neardup: 1 document\n", done.err)
            self.assertTrue(done.text.endswith(f"  {path}\n"), done.text)
        self.assertEqual(self.assert_done(run("hash", "--quiet=true", "--quiet", path)).err, "")
        self.assert_fails(run("hash", "--quiet=maybe", path), "--quiet")
        # Brackets in a name have no special meaning.
        for name in ("[a,b]", "[", "{}", "\x1f[a]"):
            self.write(name, A)
            done = self.assert_done(run("hash", "--format", "jsonl", name, cwd=self.folder))
            self.assertEqual([row["id"] for row in done.json], [name])
        found = self.assert_done(run("find", "[quick, brown]", path))
        self.assertTrue(found.text.startswith(f"1.000\t{path}\t"), found.text)
        self.write("[c].txt", A)
        self.assertIn("1 document:", self.assert_done(run("groups", "--include", "[ab]*", path.parent)).err)

    def test_a_size_without_a_unit_is_said(self):
        path = self.write("x", A)
        done = self.assert_done(run("unique", "--memory", "5", path))
        self.assertIn("--memory 5 means 5 bytes, and all features lie in a temporary file; write --memory 5G for gigabytes", done.err)
        for size in ("0", "4K", "1000000", "5G"):
            self.assertNotIn("means", self.assert_done(run("unique", "--distance", "3", "--memory", size, path)).err)
        self.assertEqual(self.assert_done(run("unique", "--quiet", "--memory", "5", path)).err, "")

    def test_a_distance_beside_a_similarity_says_what_is_missed(self):
        path = self.write("x", A)
        for options, share in ((("--distance", "3"), "--distance 3 finds 8.5 %, by theory, and --distance 14 finds 98.3 %"), (("--distance", "8", "--kind", "minwise"), "--distance 8 finds")):
            done = self.assert_done(run("pairs", "--similarity", "0.8", *options, path))
            self.assertIn("of the pairs of similarity 0.8 and more " + share, done.err)
            self.assertIn("; without --distance, --kind, --bits and --blocks none is missed", done.err)
        for options in (("--distance", "20"), ()):
            self.assertNotIn("by theory", self.assert_done(run("pairs", "--similarity", "0.8", *options, path)).err)

    def test_wrong_usage(self):
        for arguments, message in (
            ((), "no input"),
            (("groups",), "no input"),
            (("--distanse", "3", "x"), "unknown option --distanse; did you mean --distance?"),
            (("--zzzzzzzzzzz", "x"), "unknown option --zzzzzzzzzzz"),
            (("-x", "x"), "unknown option -x"),
            (("pairs", "--grouping", "components", "x"), "unknown option --grouping"),
            (("hash", "--keep", "longest", "x"), "unknown option --keep"),
            (("advise",), "no input"),
            (("advise", "--weights", "tf", "x"), "unknown option --weights"),
            (("advise", "--distance", "3", "x"), "unknown option --distance"),
            (("advise", "--bits", "32", "x"), "--bits 32: advice is on 64 or 128 bits"),
            (("advise", "--recall", "97", "x"), "--recall 97: must be from 0 to 1"),
            (("advise", "--recall", "nan", "x"), "--recall nan"),
            (("advise", "--similarity", "0", "x"), "--similarity 0: must be above 0 and at most 1"),
            (("advise", "--check-features", "chars", "x"), "--check-features 'chars': say how long they are"),
            (("groups", "--recall", "0.9", "x"), "unknown option --recall"),
            (("--grouping", "chains", "x"), "--grouping 'chains': groupings are representatives and components"),
            (("--keep", "shortest", "x"), "--keep 'shortest': must be first, longest, highest:FIELD or lowest:FIELD"),
            (("--similarity", "0", "x"), "--similarity 0: must be above 0 and at most 1"),
            (("--similarity", "1.1", "x"), "--similarity 1.1: must be above 0 and at most 1"),
            (("--similarity", "nan", "x"), "--similarity nan"),
            (("--similarity", "alike", "x"), "--similarity 'alike': not a number"),
            (("--min-similarity", "0", "x"), "--min-similarity 0 needs --distance"),
            (("hash", "--distance", "3", "x"), "unknown option --distance"),
            (("groups", "--output", "-", "x"), "--output -: leave it out to write to standard output"),
            (("unique", "--dropped", "-", "x"), "--dropped -: standard output takes the result"),
            (("unique", "--dropped", "-", "--output", "y", "x"), "--dropped -: give the name of a file"),
            (("verify", "x"), "verify needs --pairs FILE"),
            (("tokens", "--distance", "3", "x"), "unknown option --distance"),
            (("--distance",), "--distance needs a value"),
            (("--distance", "3", "--distance", "4", "x"), "--distance is given more than once"),
            (("--distance", "three", "x"), "--distance 'three': not a whole number"),
            (("--distance", "3.5", "x"), "--distance '3.5': not a whole number"),
            (("--distance", "-1", "x"), "--distance -1: must be from 0 to 63"),
            (("--distance", "64", "x"), "--distance 64: must be from 0 to 63"),
            (("--distance", "99999999999999999999", "x"), "--distance"),
            (("--bits", "48", "x"), "--bits 48: fingerprints have 32, 64, 128 or 256 bits"),
            (("--blocks", "0", "x"), "--blocks 0: must be from 1 to 64"),
            (("--memory", "1.5G", "x"), "--memory: 1.5G is not a whole number of bytes"),
            (("--memory", "4X", "x"), "--memory: 4X is not a whole number of bytes"),
            (("--memory", "g", "x"), "--memory: g is not a whole number of bytes"),
            (("--distance", "8", "--blocks", "20", "x"), "--blocks 20 with --distance 8"),
            (("--features", "letter:3", "x"), "--features 'letter:3': features are words, words:N, chars:N, bytes:N, masked:words:N, canonical:words:N, canonical:chars:N, letters:N, longest:N, code:N or spaced:words:N, or counted: and one of these, zh:words or"),
            (("--features", "chars", "x"), "say how long"),
            (("--features", "words:0", "x"), "must be from 1"),
            (("--features", "words:", "x"), "--features 'words:': N is a whole number"),
            (("--weights", "heavy", "x"), "--weights 'heavy': weights are unit, tf, logtf, idf or tfidf, or levels:N"),
            (("--min-similarity", "1.5", "x"), "--min-similarity 1.5: must be from 0 to 1"),
            (("--min-similarity", "nan", "x"), "--min-similarity nan"),
            (("--distance", "3", "--check-features", "words", "x"), "--check-features with --distance alone"),
            (("--idf-file", "f", "x"), "--idf-file needs --weights idf or tfidf, or --top"),
            (("--features", "zh", "x"), "features are words, words:N, chars:N, bytes:N, masked:words:N, canonical:words:N, canonical:chars:N, letters:N, longest:N, code:N or spaced:words:N, or counted: and one of these, zh:words or zh:keywords"),
            (("--dictionary", "d", "x"), "needs --features zh:words or zh:keywords"),
            (("--no-hmm", "x"), "needs --features zh:words or zh:keywords"),
            (("--stop-words", "s", "--features", "words:2", "x"), "--stop-words needs --features zh:words or zh:keywords"),
            (("groups", "--fingerprints", "--skip-bad", "x"), "--skip-bad has no effect with --fingerprints"),
            (("index", "--fingerprints", "--strict", "--output", "o", "x"), "--strict has no effect with --fingerprints"),
            (("--features", "zh:words", "--dictionary", "", "x"), "--dictionary '': not the name of a file"),
            (("--features", "zh:words", "--no-hmm", "--model", "m", "x"), "--model and --no-hmm do not go together"),
            (("--top", "0", "--weights", "tfidf", "x"), "--top 0: must be from 1 to 1000000000"),
            (("--check", "hamming", "x"), "--check 'hamming': checks are jaccard, cosine, edit and containment"),
            (("--check", "cosine", "--distance", "3", "x"), "--check with --distance alone"),
            (("hash", "--check", "edit", "x"), "unknown option --check"),
            (("hash", "--similarity", "0.7", "x"), "unknown option --similarity: groups, pairs, "),
            (("--weighted-field", "t", "x"), "--weighted-field needs --jsonl"),
            (("--jsonl", "--weighted-field", "t", "--text-field", "t", "x"), "--weighted-field and --text-field do not go"),
            (("--jsonl", "--weighted-field", "t", "--features", "words", "x"), "--weighted-field and --features do not go"),
            (("--jsonl", "--weighted-field", "t", "--check", "edit", "x"), "--check edit compares texts"),
            (("find", "--weights", "tf", "clue", "x"), "unknown option --weights"),
            (("find", "--most", "0", "clue", "x"), "--most 0: must be from 1 to"),
            (("find", "--min-similarity", "2", "clue", "x"), "--min-similarity 2: must be from 0 to 1"),
            (("tokens", "--bits", "64", "x"), "unknown option --bits"),
            (("--text-field", "t", "x"), "--text-field needs --jsonl"),
            (("--id-field", "t", "x"), "--id-field needs --jsonl"),
            (("--jsonl", "--text-field", "a", "--text-field", "b", "--text-field", "a", "x"), "--text-field 'a' is given more"),
            (("--lines", "--jsonl", "x"), "do not go together"),
            (("--format", "xml", "x"), "--format 'xml': formats are text and jsonl"),
            (("unique", "--jsonl", "--format", "jsonl", "x"), "--format is for documents that are whole files"),
            (("--threads", "0", "x"), "--threads 0: must be from 1 to 1024"),
            (("--threads", "", "x"), "--threads '': not a whole number"),
            (("--output", "", "x"), "--output '': not the name of a file"),
            (("--weights", "idf", "--idf-file", "", "x"), "--idf-file '': not the name of a file"),
            (("--include", "", "x"), "--include '': the pattern is empty"),
            (("--include", "!a", "x"), "--include '!a': patterns that begin with ! are not supported"),
            (("--include", "*.md", "--include", "a[", "x"), "--include 'a[': a [ has no ]; write \\[ for the character"),
            (("--exclude", "[", "x"), "--exclude '[': a [ has no ]"),
            (("--exclude", "[]", "x"), "--exclude '[]': a [ has no ]"),
            (("--exclude", "[!]", "x"), "--exclude '[!]': a [ has no ]"),
            (("--exclude", "[a-c][z-a]", "x"), "--exclude '[a-c][z-a]': a range goes backwards"),
            (("--similarity", "-1", "x"), "--similarity -1: must be above 0 and at most 1"),
            (("--bits", "0", "x"), "--bits 0: fingerprints have 32, 64, 128 or 256 bits"),
            (("--bits", "99999999999999999999", "x"), "fingerprints have 32, 64, 128 or 256 bits"),
            (("--bits", "many", "x"), "--bits 'many': not a whole number"),
            (("advise", "--bits", "0", "x"), "--bits 0: advice is on 64 or 128 bits"),
            (("--seed", "-1", "x"), "--seed"),
        ):
            with self.subTest(arguments=arguments):
                done = self.assert_fails(run(*arguments), message, "'neardup --help' lists the verbs")
                self.assertEqual(done.text, "")


if __name__ == "__main__":
    main()
