"""The features of documents, words by a dictionary among them. NEARDUP_PROGRAM names the program."""

import html
import html.entities
import os
import shlex
import shutil
import subprocess
import sys

from harness import A, B, SANITIZED, CommandTest, corpus, effort, jsonl, run, stop, unittest, main


DICTIONARY = "研究 100\n研究生 50\n生命 80\n起源 60\n的 900\n我 500\n们 100\n我们 400\n大学 90\n学生 70\n"
ZH = "我们研究生命的起源"


def jieba():
    """Returns the module jieba of Debian, which is the reference for words. Skips the test if it is not installed."""
    try:
        sys.path.append("/usr/lib/python3/dist-packages")
        import jieba.analyse
    except ImportError:
        raise unittest.SkipTest("python3-jieba is not installed")
    finally:
        sys.path.remove("/usr/lib/python3/dist-packages")
    jieba.setLogLevel(60)
    return jieba


class Words(CommandTest):
    """Words by a dictionary, and a look at them by `neardup tokens`."""

    def setUp(self):
        super().setUp()
        self.dictionary = self.write("jieba/dict.txt", DICTIONARY)
        self.options = ("--features", "zh:words", "--dictionary", self.dictionary, "--no-hmm")

    def tokens(self, text, *options):
        done = self.assert_done(run("tokens", *options, "-", data=text))
        return [tuple(line.split("\t")) for line in done.text.splitlines()]

    def words(self, text, *options):
        return [word for word, _ in self.tokens(text, *self.options, *options)]

    def test_tokens_of_any_features(self):
        self.assertEqual(self.tokens("B a, b A", "--features", "words"), [("b", "1"), ("a", "1")])
        self.assertEqual(self.tokens("B a, b A", "--features", "words", "--weights", "tf"), [("b", "2"), ("a", "2")])
        self.assertEqual(self.tokens("B a, b A"), [("b a", "1"), ("a b", "1")])
        self.assertEqual(self.tokens("ab\n", "--features", "bytes:2"), [("ab", "1"), ("b\\n", "1")])
        table = self.write("idf.txt", "a 1.5\nb 0.25\nc 0\n")
        rare = ("--features", "words", "--idf-file", table, "--weights")
        self.assertEqual(self.tokens("a a b c d", *rare, "idf"), [("a", "1.5"), ("b", "0.25"), ("d", "0.25")])
        self.assertEqual(self.tokens("a a b c d", *rare, "tfidf"), [("a", "3"), ("b", "0.25"), ("d", "0.25")])
        self.assertEqual(self.tokens("d d b a", *rare, "tfidf", "--top", 2), [("a", "1.5"), ("d", "0.5")])
        self.assertEqual(self.tokens("d b a", *rare, "tfidf", "--top", 2), [("a", "1.5"), ("b", "0.25")])

    def test_tokens_of_several_documents(self):
        data = jsonl(["one two", "", "two two"])
        options = ("tokens", "--jsonl", "--features", "words", "-")
        self.assertEqual(self.assert_done(run(*options, data=data)).text, "one\t1\ntwo\t1\n\n\ntwo\t1\n")
        done = self.assert_done(run(*options, "--format", "jsonl", "--weights", "tf", data=data))
        self.assertEqual(done.json[0], {"id": "d0", "tokens": [["one", 1], ["two", 1]]})
        self.assertEqual([d["tokens"] for d in done.json[1:]], [[], [["two", 2]]])
        self.assertIn("1 document has no tokens", done.err)

    def test_tokens_make_the_fingerprint(self):
        """`hash --weighted-field` of the output of tokens gives the fingerprint of the text."""
        data = jsonl(corpus(30, 7) + [A, B, "p q r s"])
        table = self.write("idf.txt", "".join(f"w{i} {1 + i % 7}.5\n" for i in range(300)))
        # Weights of more than six digits must be read back exactly: p, q and r together weigh as much as s.
        fine = self.write("fine.txt", "".join(f"w{i} {1000 + i * 37 % 301}.{i * 7919 % 99991}\n" for i in range(300))
                          + "p 10.01171875\nq 10.01171875\nr 10.01171875\ns 30.03515625\n")
        for options in ((), ("--weights", "tf"), ("--features", "chars:3"),
                        ("--features", "words", "--weights", "tfidf", "--idf-file", fine),
                        ("--features", "words", "--weights", "idf", "--idf-file", fine, "--top", 4),
                        ("--features", "words", "--top", 4, "--idf-file", table),
                        ("--features", "letters:4"), ("--features", "longest:2"),
                        ("--features", "code:2"), ("--features", "spaced:words:2"),
                        ("--features", "words", "--weights", "levels:5"),
                        ("--features", "words", "--weights", "quantiles:3:tfidf", "--idf-file", fine),
                        ("--features", "words", "--weights", "tfidf", "--idf-file", table),
                        ("--features", "words", "--weights", "tfidf", "--idf-file", table, "--top", 5)):
            tokens = run("tokens", "--jsonl", "--format", "jsonl", *options, "-", data=data).bytes
            for bits in (32, 64, 128, 256):
                expected = run("hash", "--jsonl", *options, "--bits", bits, "-", data=data).text
                given = run("hash", "--jsonl", "--weighted-field", "tokens", "--bits", bits, "-", data=tokens).text
                self.assertEqual(given, expected, options)

    def test_bytes_are_no_json(self):
        self.assert_fails(run("tokens", "--lines", "--features", "bytes:4", "--format", "jsonl", "-", data="分布式"),
                          "--format jsonl with --features bytes:N: ")

    def test_letters_and_longest_sentences(self):
        self.assertEqual([w for w, _ in self.tokens("Python is sexy", "--features", "letters:4")],
                         ["pyth", "ytho", "thon", "honi", "onis", "niss", "isse", "ssex", "sexy"])
        text = "短句。这是最长的一句话，确实很长！这是第二长的一句话？One two. 完。"
        self.assertEqual([w for w, _ in self.tokens(text, "--features", "longest:2")], ["这是最长的一句话，确实很长", "这是第二长的一句话"])
        # The longest sentences of a page stay the same if a frame is around it.
        pages = jsonl([text, "首页 | 登录\n" + text + "\n下一篇", text.replace("很长", "很短")])
        done = self.assert_done(run("pairs", "--jsonl", "--features", "longest:3", "--distance", 0, "-", data=pages))
        self.assertEqual([line.split("\t")[2:] for line in done.text.splitlines()], [["d0", "d1"]])

    def test_code_and_words_cut_by_others(self):
        self.assertEqual([w for w, _ in self.tokens("x<<=-2; // A", "--features", "code:1")],
                         ["x", "<<=", "-", "2", ";", "//", "A"])
        self.assertEqual([w for w, _ in self.tokens("It's 分词　很 好,", "--features", "spaced:words")],
                         ["It's", "分词", "很", "好,"])
        # Operators count, white space does not.
        data = jsonl(["if (a < b) x = y + 1;", "if (a > b) x = y - 1;", "if(a<b)x=y+1;"])
        done = self.assert_done(run("pairs", "--jsonl", "--features", "code:2", "--similarity", 0.8, "-", data=data))
        self.assertEqual([line.split("\t")[2:] for line in done.text.splitlines()], [["d0", "d2"]])

    def test_emoji_are_words(self):
        self.assertEqual([w for w, _ in self.tokens("On my way ⚡️ 👩🏽‍🚀 🇩🇪 1️⃣", "--features", "words")],
                         ["on", "my", "way", "⚡", "👩🏽‍🚀", "🇩🇪", "1⃣"])
        done = self.assert_done(run("unique", "--lines", "--similarity", 0.8, "-",
                                    data="❤️\n☀️\n✌️ ✈️\nOn my way ⚡️\nOn my way ⚡\n"))
        self.assertEqual(done.text, "❤️\n☀️\n✌️ ✈️\nOn my way ⚡️\n")

    def test_all_character_references_of_html(self):
        # Each reference is between two words. If Python decodes it to nothing, it counts as a space.
        names = sorted(name for name in html.entities.html5 if name.endswith(";"))
        numbers = [f"#{n};" for n in (*range(1, 0x3000), *range(0x10000, 0x20000, 97))]
        for n in range(0, len(names + numbers), 5000):
            references = (names + numbers)[n:n + 5000]
            for features in ("canonical:words:2", "canonical:chars:3"):
                written = self.tokens("".join(f"a &{name} b\n" for name in references), "--features", features)
                shown = self.tokens("".join(f"a {html.unescape('&' + name) or ' '} b\n" for name in references),
                                    "--features", features)
                self.assertEqual(written, shown)

    def test_letters_in_mathematical_fonts_are_letters_of_canonical_text(self):
        fonts = "𝐅𝐫𝐞𝐞 𝐬𝐡𝐢𝐩𝐩𝐢𝐧𝐠 𝑜𝑛 𝕒𝕝𝕝 𝔬𝔯𝔡𝔢𝔯𝔰 today only 𝟏𝟎"
        data = jsonl([fonts, "Free shipping on all orders today only 10", fonts.replace("today", "tоday")])  # the o is Cyrillic
        pairs = lambda features: run("pairs", "--jsonl", "--features", features, "--similarity", "0.9", "--format", "jsonl", "-", data=data)
        self.assertEqual(self.assert_done(pairs("words:2")).text, "")
        self.assertEqual([(row["a"], row["b"]) for row in self.assert_done(pairs("canonical:words:2")).json], [("d0", "d1")])
        self.assertEqual(self.tokens("x² ①", "--features", "canonical:words"), [("x²", "1"), ("①", "1")])

    def test_canonical_features_are_recommended(self):
        data = jsonl(["مرحباً بالعالم الجديد", "hello new world", "and another one"])
        said = "1 of the first 3 documents have characters that can be spelt otherwise"
        for options, is_said in (((), True), (("--features", "chars:3"), True), (("--features", "canonical:words:2"), False),
                                 (("--features", "bytes:3"), False), (("--quiet",), False)):
            done = self.assert_done(run("unique", "--jsonl", *options, "-", data=data))
            self.assertEqual(said in done.err, is_said, done.err)
        self.assertIn("--features canonical:chars:3 ", run("unique", "--jsonl", "--features", "chars:3", "-", data=data).err)
        for ascii in ("a caf&eacute; here", "an exam-\nple here"):
            self.assertIn(said, run("unique", "--jsonl", "-", data=jsonl([ascii, "hello new\nworld", "and & one"])).err)
        in_gbk = "数据库的备份与恢复需要很长的时间".encode("gb18030")  # some of its bytes are also UTF-8
        self.assertNotIn("spelt otherwise", run("unique", "--lines", "-", data=in_gbk).err)
        few = jsonl([A] * 20 + ["مرحباً بالعالم"])
        self.assertNotIn("spelt otherwise", run("unique", "--jsonl", "-", data=few).err)

    def test_weights_in_levels(self):
        text = "a a a a a a a a a a b b b b b b b b c c c c c c d d d d e e"
        of = lambda weights, *more: self.tokens(text, "--features", "words", "--weights", weights, *more)
        self.assertEqual(of("levels:5"), [(w, str(5 - i)) for i, w in enumerate("abcde")])
        self.assertEqual(of("levels:5:tf"), of("quantiles:5"))
        self.assertEqual(of("levels:2"), [("a", "2"), ("b", "2"), ("c", "2"), ("d", "1"), ("e", "1")])
        table = self.write("idf.txt", "a 1\nb 1\nc 1\nd 1\ne 100\n")
        self.assertEqual([n for _, n in of("levels:4:tfidf", "--idf-file", table)], ["1", "1", "1", "1", "4"])
        self.assertEqual([n for _, n in of("quantiles:4:tfidf", "--idf-file", table)], ["3", "2", "1", "1", "4"])
        for wrong in ("levels", "levels:", "levels:0", "levels:65536", "levels:5:unit", "levels:5:", "quantiles:x", "levels:5:heavy"):
            self.assert_fails(run("tokens", "--features", "words", "--weights", wrong, "-"), f"--weights '{wrong}': weights are ")

    def test_the_best_features_each_once(self):
        table = self.write("idf.txt", "a 1.5\nb 0.25\nc 4\n")
        best = ("--features", "words", "--idf-file", table, "--top", 2)
        self.assertEqual(self.tokens("c a a a b b", *best), [("a", "1"), ("c", "1")])
        self.assertEqual(self.tokens("c a a a b b", *best, "--weights", "tf"), [("a", "3"), ("c", "1")])
        # Without an IDF file the weights are learnt from the input.
        data = jsonl(["common rare1", "common rare2", "common rare3"])
        done = self.assert_done(run("tokens", "--jsonl", "--features", "words", "--top", 1, "-", data=data))
        self.assertEqual(done.text.split(), ["rare1", "1", "rare2", "1", "rare3", "1"])
        self.assert_fails(run("groups", "--exact", "--top", 3, "-", data="a"), "--top with --exact")

    def test_chinese_stop_words_are_built_in(self):
        self.assertEqual(self.words("我们研究的生命 the"), ["我们", "研究", "的", "生命", "the"])
        self.assertEqual(self.words("我们研究的生命 the", "--stop-words", "zh"), ["研究", "生命", "the"])
        self.assert_fails(run("tokens", *self.options, "--stop-words", "./zh", "-"), "cannot open", "./zh")

    def test_traditional_and_simplified_are_one(self):
        done = run("hash", "--fold-chinese", "-", data="資料庫")
        if done.status == 2 and "OpenCC is not installed" in done.err:
            self.skipTest("libopencc1.1 is not installed")
        self.assert_done(done)
        traditional, simplified = "研究資料庫的備份與恢復，乾隆皇帝的頭髮，幹部發展", "研究资料库的备份与恢复，干隆皇帝的头发，干部发展"
        prints = [run("hash", "--fold-chinese", "--quiet", "-", data=text).text for text in (traditional, simplified)]
        self.assertEqual(prints[0], prints[1])
        self.assertNotEqual(*(run("hash", "-", data=text).text for text in (traditional, simplified)))
        self.assertEqual([w for w, _ in self.tokens("發頭 Aé", "--fold-chinese", "--features", "words")], ["发", "头", "aé"])
        # A dictionary of simplified words also finds words in traditional text.
        self.assertEqual(self.words("起源與生命", "--fold-chinese"), ["起源", "与", "生命"])
        page = self.write("page.txt", simplified)
        found = self.assert_done(run("find", "--fold-chinese", "--features", "chars:2", "資料庫的備份", page))
        self.assertEqual(found.text.split("\t")[0], "1.000")
        pairs = run("pairs", "--jsonl", "--fold-chinese", "--check", "edit", "-", data=jsonl([traditional, simplified]))
        self.assertEqual(self.assert_done(pairs).text.split("\t")[0], "1.000")
        # unique copies records unchanged.
        kept = run("unique", "--jsonl", "--fold-chinese", "-", data=jsonl([traditional, simplified]))
        self.assertEqual(self.assert_done(kept).bytes, jsonl([traditional]))

    def test_words_by_a_dictionary(self):
        self.assertEqual(self.words(ZH), ["我们", "研究", "生命", "的", "起源"])
        self.assertEqual(self.words("研究生，TiDB 3.14！"), ["研究生", "TiDB", "3", "14"])  # the model keeps 3.14
        self.assertEqual(self.words("牛奶 大学生"), ["牛", "奶", "大学", "生"])
        user = self.write("user.txt", "大学生 9000\n牛奶\n")
        self.assertEqual(self.words("牛奶 大学生", "--user-dictionary", user), ["牛奶", "大学生"])
        stop = self.write("stop.txt", "的\nTHE\n")
        self.assertEqual(self.words("我们的the The x", "--stop-words", stop), ["我们", "x"])

    @unittest.skipUnless("NEARDUP_SAVED_DICTIONARY" in os.environ, "no program that saves a dictionary")
    def test_a_saved_dictionary(self):
        saved = self.folder / "words.dictionary"
        subprocess.run([*shlex.split(os.environ["NEARDUP_SAVED_DICTIONARY"]), self.dictionary, saved], check=True, capture_output=True)
        user = self.write("user.txt", "大学生 9000\n牛奶\n")
        for options in ((), ("--user-dictionary", user)):
            expected = run("hash", *self.options, *options, "-", data=ZH + " 牛奶 大学生").text
            options = ("--features", "zh:words", "--dictionary", saved, "--no-hmm", *options)
            self.assertEqual(run("hash", *options, "-", data=ZH + " 牛奶 大学生").text, expected)
            self.assertEqual(len(expected.split()), 2)
        whole = saved.read_bytes()
        for damaged in (whole[:-1], whole[:200] + bytes([whole[200] ^ 1]) + whole[201:]):
            saved.write_bytes(damaged)
            self.assert_fails(run("hash", *options, "-", data=ZH), str(saved))

    def test_the_model_is_beside_the_dictionary_or_where_one_says(self):
        for name, table in (("prob_start.py", "{'B': -0.1, 'E': -3.14e100, 'M': -3.14e100, 'S': -9.0}"),
                            ("prob_trans.py", "{'B': {'E': -0.1, 'M': -5.0}, 'E': {'B': -0.5, 'S': -5.0},"
                                              " 'M': {'E': -0.1, 'M': -5.0}, 'S': {'B': -0.5, 'S': -5.0}}"),
                            ("prob_emit.py", "{'B': {'\\u725b': -1.0}, 'E': {'\\u5976': -1.0}, 'M': {}, 'S': {}}")):
            self.write(f"model/{name}", "P=" + table + "\n")
        options = ("--features", "zh:words", "--dictionary", self.dictionary)
        self.assert_fails(run("tokens", *options, "-"), "jieba/finalseg", "--model", "--no-hmm")
        self.assert_fails(run("tokens", *options, "--model", "nowhere", "-"), "--model nowhere is no folder", "prob_start.py")
        self.assert_fails(run("tokens", "--features", "zh:words", "--dictionary", "none.txt", "-"), "cannot open", "none.txt")
        model = self.folder / "model"
        self.assertEqual(self.tokens("牛奶", *options, "--model", model), [("牛奶", "1")])
        shutil.copytree(model, self.folder / "jieba" / "finalseg")
        self.assertEqual(self.tokens("牛奶", *options), [("牛奶", "1")])
        self.assertEqual(self.tokens("牛奶", *options, "--no-hmm"), [("牛", "1"), ("奶", "1")])
        self.write("model/prob_emit.py", "P={'B': {'\\u725b': 1.0}}\n")
        self.assert_fails(run("tokens", *options, "--model", model, "-"), "model/prob_emit.py:1:")

    def test_keywords(self):
        options = ("--features", "zh:keywords", "--dictionary", self.dictionary, "--no-hmm")
        table = self.write("idf.txt", "研究 2\n我们 1\n生命 2.00000000001\n起源 3\n")
        ranked = ("--weights", "tfidf", "--idf-file", table, "--top")
        self.assertEqual(self.tokens(ZH + " the x", *options), [(w, "1") for w in ("我们", "研究", "生命", "起源")])
        expected = [("起源", "3"), ("生命", "2"), ("研究", "2")]  # the last two differ in the eleventh decimal
        self.assertEqual(self.tokens(ZH, *options, *ranked, 3), expected)
        self.assertEqual(self.tokens(ZH + "我们我们我们", *options, *ranked, 1), [("我们", "4")])

    def test_broken_files_are_named_with_the_line(self):
        fails = lambda *options: self.assert_fails(run("tokens", *self.options, *options, "-", data=ZH), *expected)
        expected = ("user.txt:2: not UTF-8",)
        fails("--user-dictionary", self.write("user.txt", b"ab\nb\xff 3\n"))
        expected = ("stop.txt:3: not UTF-8",)
        fails("--stop-words", self.write("stop.txt", b"a\n\n\xff\n"))
        expected = ("idf.txt: there is no term in it",)
        fails("--weights", "tfidf", "--idf-file", self.write("idf.txt", "\n"))
        for option in ("--stop-words", "--user-dictionary"):
            expected = (f"{option}: cannot open none.txt",)
            fails(option, "none.txt")
        self.write("jieba/dict.txt", "研究 100\n研究生\n")
        expected = ("jieba/dict.txt:2: ",)
        fails()
        self.write("jieba/dict.txt", "\n")
        expected = ("jieba/dict.txt: there is no word in it",)
        fails()
        self.dictionary.unlink()
        expected = ("--dictionary: cannot open", "jieba/dict.txt")
        fails()

    def test_every_verb_takes_them(self):
        data = jsonl([ZH * 4, ZH * 4 + "大学", "学生 大学 起源 的 我"])
        for verb in ("groups", "pairs", "unique"):
            done = self.assert_done(run(verb, "--jsonl", *self.options, "--similarity", 0.6, "-", data=data))
            self.assertNotIn("d2", done.text if verb != "unique" else "")
        self.assertEqual(len(run("pairs", "--jsonl", *self.options, "--similarity", 0.6, "-", data=data).text.splitlines()), 1)
        mixed = ("--features", "zh:words", "--check-features", "chars:2", *self.options[2:])
        self.assert_done(run("pairs", "--jsonl", *mixed, "-", data=data))
        self.assert_fails(run("advise", "--features", "zh:words", "x"), "advise knows no words by a dictionary")

    @unittest.skipIf(SANITIZED, "half a minute; Sources.large_documents_and_lines comes in pieces, too")
    def test_whole_text_and_pieces(self):
        """A file of more than 16 MB is read in pieces. Its fingerprint is that of a record with the same text."""
        text = (ZH + "，大学学生 x") * 420000
        path = self.write("large.txt", text)
        self.assertGreater(path.stat().st_size, 1 << 24)
        table = self.write("idf.txt", "研究 2\n我们 1\n生命 2.5\n起源 3\n")
        for more in ((), ("--weights", "tfidf", "--idf-file", table, "--top", 3))[effort(1, 0) :]:
            whole = run("hash", "--jsonl", *self.options, *more, "-", data=jsonl([text])).text.split()[0]
            self.assertEqual(run("hash", *self.options, *more, path).text.split()[0], whole)

    @unittest.skipIf(SANITIZED, "each run reads the whole dictionary")
    def test_against_jieba(self):
        theirs = jieba()
        texts = [ZH, "小明硕士毕业于中国科学院计算所，后在日本京都大学深造。", "TiDB 是一款开源的分布式关系型数据库 (v5.0)；the end",
                 "他来到了网易杭研大厦", "工信处女干事每月经过下属科室都要亲口交代24口交换机等技术性器件的安装工作"]
        base = os.path.dirname(theirs.__file__)
        tokens = ("tokens", "--jsonl", "--format", "jsonl", "--features")
        by_words = self.assert_done(run(*tokens, "zh:words", "--weights", "tf", "-", data=jsonl(texts)))
        self.assertIn("jieba/dict.txt", by_words.err)
        by_keywords = self.assert_done(run(*tokens, "zh:keywords", "--weights", "tfidf", "--top", 20, "--idf-file",
                                           os.path.join(base, "analyse", "idf.txt"), "-", data=jsonl(texts)))
        for text, some, best in zip(texts, by_words.json, by_keywords.json, strict=True):
            count = {}
            for word in theirs.cut(text):
                if any(c.isalnum() for c in word):
                    count[word] = count.get(word, 0) + 1
            self.assertEqual(some["tokens"], [[word, n] for word, n in count.items()])
            ours = [word for word, _ in best["tokens"]]
            idf, median = theirs.analyse.default_tfidf.idf_freq, theirs.analyse.default_tfidf.median_idf
            expected = theirs.analyse.extract_tags(text, topK=20)
            rank = lambda word: (-round(count[word] * idf.get(word, median), 9), word.encode())
            self.assertEqual(ours, sorted(expected, key=rank))


if __name__ == "__main__":
    main()
