// Chinese words: the most probable segmentation and the model of unknown words, against plain implementations.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <neardup/text/chinese/chinese_words.hpp>
#include <neardup/text/stop_words.hpp>
#include <neardup/text/utf8.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::chinese_words;
using neardup::unknown_word_model;
using neardup::word_dictionary;
using support::printable;
using support::tokens;
using support::tokens_of;

std::string to_utf8(const std::u32string& text) {
  std::string result;
  for (const char32_t c : text) {
    char bytes[4];
    result.append(bytes, neardup::encode(c, bytes));
  }
  return result;
}

/// Computes word_dictionary::best_path() without shortcuts: from the end of the run to its start, tries all words that
/// begin at each place. Of equally probable paths, takes the one with the longer word.
class plain_dictionary {
 public:
  void add(const std::u32string& word, std::uint64_t frequency) {
    frequency_[word] = frequency;
    total_ += static_cast<double>(frequency);
  }

  [[nodiscard]] bool has(const std::u32string& word) const {
    const auto found = frequency_.find(word);
    return found != frequency_.end() && found->second > 0;
  }

  [[nodiscard]] std::vector<std::size_t> ends(const std::u32string& run) const {
    std::vector<double> score(run.size() + 1, 0);
    std::vector<std::size_t> end(run.size() + 1, 0);
    for (std::size_t i = run.size(); i-- > 0;) {
      std::vector<std::size_t> candidates;
      for (std::size_t j = i + 1; j <= run.size(); ++j) {
        if (has(run.substr(i, j - i))) candidates.push_back(j);
      }
      if (candidates.empty()) candidates.push_back(i + 1);
      score[i] = -std::numeric_limits<double>::infinity();
      for (const std::size_t j : candidates) {
        const std::u32string word = run.substr(i, j - i);
        const double frequency = has(word) ? static_cast<double>(frequency_.at(word)) : 1;
        const double path = std::log(frequency) - std::log(total_) + score[j];
        if (path >= score[i]) {
          score[i] = path;
          end[i] = j;
        }
      }
    }
    return end;
  }

 private:
  std::map<std::u32string, std::uint64_t> frequency_;
  double total_ = 0;
};

using probabilities = std::map<char, std::map<char32_t, double>>;

constexpr std::string_view states = "BMES";
constexpr double impossible = -3.14e100;

struct plain_model {
  std::map<char, double> start;
  std::map<char, std::map<char, double>> transition;
  probabilities emission;

  [[nodiscard]] double emits(char state, char32_t c) const {
    const auto& row = emission.at(state);
    const auto found = row.find(c);
    return found == row.end() ? impossible : found->second;
  }

  /// Returns the score of the best sequence of states, and the sequence in `best`. Tries all sequences.
  [[nodiscard]] double best_score(const std::u32string& run, std::string& best) const {
    double best_score = -std::numeric_limits<double>::infinity();
    std::string path(run.size(), 'B');
    const auto extend = [&](const auto& self, std::size_t i, double score) -> void {
      if (i == run.size()) {
        if ((path.back() == 'E' || path.back() == 'S') && score > best_score) {
          best_score = score;
          best = path;
        }
        return;
      }
      for (const char state : states) {
        const std::string_view before = state == 'B' || state == 'S' ? "ES" : "BM";
        if (i > 0 && before.find(path[i - 1]) == before.npos) continue;
        path[i] = state;
        const double step = i == 0 ? start.at(state) + emits(state, run[0])
                                   : score + transition.at(path[i - 1]).at(state) + emits(state, run[i]);
        self(self, i + 1, step);
      }
    };
    extend(extend, 0, 0);
    return best_score;
  }
};

/// A temporary folder with the tables of a model; the destructor removes it.
class model_folder {
 public:
  explicit model_folder(const plain_model& model) : path_(std::filesystem::temp_directory_path() / unique_name()) {
    std::filesystem::create_directory(path_);
    write("prob_start.py", [&](std::ostream& out) {
      out << "P={";
      for (const auto& [state, value] : model.start) out << '\'' << state << "': " << value << ",\n ";
      out << "}\n";
    });
    write("prob_trans.py", [&](std::ostream& out) {
      out << "P={";
      for (const auto& [from, row] : model.transition) {
        out << '\'' << from << "': {";
        for (const auto& [to, value] : row) out << '\'' << to << "': " << value << ", ";
        out << "},\n";
      }
      out << "}\n";
    });
    write("prob_emit.py", [&](std::ostream& out) {
      out << "from __future__ import unicode_literals\n\nP={";
      for (const auto& [state, row] : model.emission) {
        out << '\'' << state << "': {";
        for (const auto& [c, value] : row) {
          char name[16];
          std::snprintf(name, sizeof name, "'\\u%04x'", static_cast<unsigned>(c));
          out << name << ": " << value << ",\n";
        }
        out << "},\n";
      }
      out << "}\n";
    });
  }
  model_folder(const model_folder&) = delete;
  model_folder& operator=(const model_folder&) = delete;
  ~model_folder() { std::filesystem::remove_all(path_); }

  template <class Write>
  void write(const std::string& name, const Write& write_to) const {
    std::ofstream out(path_ / name);
    out.precision(17);
    write_to(out);
  }

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  static std::string unique_name() {
    std::random_device device;
    return "neardup_model_" + std::to_string(device()) + std::to_string(device());
  }

  std::filesystem::path path_;
};

constexpr char32_t first_used = 0x4e00;
constexpr int alphabet = 6;

plain_model random_model(std::mt19937& random) {
  std::uniform_real_distribution<double> number(-9, 0);
  plain_model model;
  model.start = {{'B', number(random)}, {'M', impossible}, {'E', impossible}, {'S', number(random)}};
  model.transition = {{'B', {{'M', number(random)}, {'E', number(random)}}},
                      {'M', {{'M', number(random)}, {'E', number(random)}}},
                      {'E', {{'B', number(random)}, {'S', number(random)}}},
                      {'S', {{'B', number(random)}, {'S', number(random)}}}};
  for (const char state : states) {
    for (int c = 0; c < alphabet; ++c) model.emission[state][first_used + static_cast<char32_t>(c)] = number(random);
  }
  return model;
}

std::u32string random_run(std::mt19937& random, std::size_t max_length) {
  std::u32string run(1 + random() % max_length, U'\0');
  for (char32_t& c : run) c = first_used + static_cast<char32_t>(random() % alphabet);
  return run;
}

std::shared_ptr<const word_dictionary> shared(word_dictionary dictionary) {
  return std::make_shared<const word_dictionary>(std::move(dictionary));
}

tokens segments_of(const chinese_words& words, std::string_view text) {
  tokens result;
  words.segment(support::exact_copy(text), [&](std::string_view token) { result.emplace_back(token); });
  return result;
}

std::string error_of(std::string_view contents) {
  try {
    static_cast<void>(word_dictionary::parse(contents, "words.txt"));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a run is cut into the most probable words of the dictionary", "[chinese]") {
  std::mt19937 random(1 + oracle::seed_shift());
  for (std::size_t round = 0; round < oracle::effort(300, 30); ++round) {
    plain_dictionary plain;
    std::string file;
    for (std::size_t i = 0; i < 1 + random() % 40; ++i) {
      const std::u32string word = random_run(random, 4);
      // Small frequencies, so that paths tie.
      const std::uint64_t frequency = random() % (round % 2 == 0 ? 4 : 100000);
      plain.add(word, frequency);
      file += to_utf8(word) + " " + std::to_string(frequency) + " n\n";
    }
    plain.add(U"\u5000", 7);
    file += to_utf8(U"\u5000") + " 7\n";
    const chinese_words words(shared(word_dictionary::parse(file)));
    for (int i = 0; i < 20; ++i) {
      const std::u32string run = random_run(random, 24);
      tokens expected;
      const auto ends = plain.ends(run);
      for (std::size_t at = 0; at < run.size(); at = ends[at])
        expected.push_back(to_utf8(run.substr(at, ends[at] - at)));
      CAPTURE(file);
      REQUIRE(printable(segments_of(words, to_utf8(run))) == printable(expected));
    }
  }
}

TEST_CASE("unknown words are those of the most probable sequence of states", "[chinese]") {
  std::mt19937 random(2 + oracle::seed_shift());
  for (std::size_t round = 0; round < oracle::effort(60, 6); ++round) {
    const plain_model plain = random_model(random);
    const model_folder folder(plain);
    const auto model = std::make_shared<const unknown_word_model>(unknown_word_model::load(folder.path()));
    const chinese_words words(shared(word_dictionary::parse("\xE5\x80\x80 7\n")), model);
    for (int i = 0; i < 20; ++i) {
      std::u32string run = random_run(random, 8);
      if (run.size() == 1) run += run;
      std::string path;
      static_cast<void>(plain.best_score(run, path));
      tokens expected;
      std::u32string word;
      for (std::size_t at = 0; at < run.size(); ++at) {
        word += run[at];
        if (path[at] != 'E' && path[at] != 'S') continue;
        expected.push_back(to_utf8(word));
        word.clear();
      }
      CAPTURE(path);
      REQUIRE(printable(segments_of(words, to_utf8(run))) == printable(expected));
    }
  }
}

TEST_CASE("letters and numbers stay whole, with and without the model", "[chinese]") {
  std::mt19937 random(3 + oracle::seed_shift());
  const model_folder folder(random_model(random));
  const auto dictionary = shared(word_dictionary::parse("C++ 5 nz\n\xE4\xB8\x80\xE4\xB8\x81 9 n\n"));
  const chinese_words plain(dictionary);
  const chinese_words with_model(dictionary,
                                 std::make_shared<const unknown_word_model>(unknown_word_model::load(folder.path())));
  const std::string han = "\xE4\xB8\x80\xE4\xB8\x81";  // a word of the dictionary

  CHECK(segments_of(plain, "abc123") == tokens{"abc123"});
  CHECK(segments_of(plain, "3.14%") == tokens{"3", ".", "14", "%"});
  CHECK(segments_of(with_model, "3.14%") == tokens{"3.14%"});
  CHECK(segments_of(with_model, "v1.2.x-y") == tokens{"v1.2", ".", "x", "-", "y"});
  CHECK(segments_of(with_model, "a+-b") == tokens{"a", "+-", "b"});
  CHECK(segments_of(with_model, "C++") == tokens{"C++"});
  CHECK(segments_of(with_model, "a#b&c_d") == tokens{"a", "#", "b", "&", "c", "_", "d"});
  CHECK(segments_of(with_model, "x" + han + "3.5%") == tokens{"x", han, "3.5%"});
  // The model joins single characters that are adjacent. It does not cut the words around them.
  CHECK(segments_of(with_model, "a\r\n b,c") == tokens{"a", "\r\n", " ", "b", ",", "c"});
  CHECK(tokens_of(with_model, "a\r\n b,c %") == tokens{"a", "b", "c"});
  chinese_words with_symbols = with_model;
  with_symbols.keep_symbols = true;
  CHECK(tokens_of(with_symbols, "b,%") == tokens{"b", ",", "%"});
}

TEST_CASE("the model joins no characters that are a rare word, or were forbidden to be one", "[chinese]") {
  const std::string a = "\xE4\xB8\x80", b = "\xE4\xB8\x81", c = "\xE4\xB8\x82";
  std::mt19937 random(7 + oracle::seed_shift());
  std::size_t joined = 0;
  for (int round = 0; round < 20; ++round) {
    const model_folder folder(random_model(random));
    const auto model = std::make_shared<const unknown_word_model>(unknown_word_model::load(folder.path()));
    word_dictionary dictionary = word_dictionary::parse(a + " 1000\n" + b + " 1000\n" + c + " 1000\n");
    const std::string run = a + b + c;
    const tokens by_model = segments_of(chinese_words(shared(dictionary), model), run);
    // The dictionary has the whole run as a word, but the word is so rare that its single characters are more probable.
    word_dictionary with_rare = dictionary;
    with_rare.add_word(run, 1);
    CHECK(segments_of(chinese_words(shared(with_rare), model), run) == tokens{a, b, c});
    // Each word that the model forms gets the frequency 0 in the dictionary, so the model must not form it.
    tokens expected;
    for (const std::string& token : by_model) {
      joined += token.size() > 3 ? 1U : 0U;
      if (token.size() > 3) dictionary.add_word(token, 0);
      for (std::size_t i = 0; i < token.size(); i += 3) expected.push_back(token.substr(i, 3));
    }
    CHECK(segments_of(chinese_words(shared(dictionary), model), run) == expected);
  }
  CHECK(joined > 3);
}

TEST_CASE("the segments of any bytes are these bytes", "[chinese]") {
  std::mt19937 random(4 + oracle::seed_shift());
  const model_folder folder(random_model(random));
  const auto model = std::make_shared<const unknown_word_model>(unknown_word_model::load(folder.path()));
  const auto dictionary = shared(word_dictionary::parse("\xE4\xB8\x80\xE4\xB8\x81 9\nab 3\n"));
  constexpr std::array<const char*, 12> pieces = {
      "\xE4\xB8\x80", "\xE4\xB8\x81", "\xE4\xB8", "\xff", "a", "b", "7", ".", "%", " ", "\r\n", "\xF0\x9F\x98\x80"};
  for (std::size_t round = 0; round < oracle::effort(20000, 1000); ++round) {
    std::string text;
    for (std::size_t i = 0; i < random() % 20; ++i) text += pieces[random() % pieces.size()];
    for (const auto& words : {chinese_words(dictionary), chinese_words(dictionary, model)}) {
      std::string joined;
      for (const std::string& token : segments_of(words, text)) {
        REQUIRE(!token.empty());
        joined += token;
      }
      REQUIRE(printable(joined) == printable(text));
    }
  }
}

TEST_CASE("tokens by length are those that one looks at one by one", "[chinese]") {
  std::mt19937 random(6 + oracle::seed_shift());
  const model_folder folder(random_model(random));
  chinese_words cut(shared(word_dictionary::parse("\xE4\xB8\x80\xE4\xB8\x81 9\nab 3\n")),
                    std::make_shared<const unknown_word_model>(unknown_word_model::load(folder.path())));
  constexpr std::array<const char*, 16> pieces = {
      "\xE4\xB8\x80", "\xE4\xB8\x81", "\xE4\xB8\x82", "\xE4\xB8", "\xff", "a", "b", "7", ".", "%",
      "\xE3\x80\x80", "\xC3\xA9",     "\r",           "\r\n",     " ",    "\t"};
  for (std::size_t round = 0; round < oracle::effort(5000, 500); ++round) {
    std::string text;
    for (std::size_t i = 0; i < random() % 30; ++i) text += pieces[random() % pieces.size()];
    cut.keep_symbols = round % 2 == 0;
    const neardup::stop_words list({"ab", "\xE4\xB8\x80"});
    // `without` has a faster way for chinese_words. From a callable, it has to take all tokens.
    const auto one_by_one = [&](std::string_view whole, auto&& sink) { cut(whole, sink); };
    for (std::size_t length = 0; length < 4; ++length) {
      CAPTURE(printable(text), length);
      REQUIRE(tokens_of(neardup::without{list, cut, length}, text) ==
              tokens_of(neardup::without{list, one_by_one, length}, text));
    }
  }
}

TEST_CASE("a text in chunks has the tokens of the whole", "[chinese]") {
  std::mt19937 random(7 + oracle::seed_shift());
  const model_folder folder(random_model(random));
  chinese_words cut(shared(word_dictionary::parse("\xE4\xB8\x80\xE4\xB8\x81 9\nab 3\n")),
                    std::make_shared<const unknown_word_model>(unknown_word_model::load(folder.path())));
  constexpr std::array<const char*, 16> pieces = {
      "\xE4\xB8\x80", "\xE4\xB8\x81", "\xE4\xB8\x82", "\xE4\xB8", "\xff", "a", "b", "3.5%", "\xF0\x9F", "%", ",",
      "\xC3\xA9",     "\r",           "\r\n",         " ",        "\n"};
  const neardup::without long_ones{neardup::stop_words({"ab"}), cut, 2};
  support::token_stream<neardup::without<chinese_words>> stream_of_long(long_ones);
  for (std::size_t round = 0; round < oracle::effort(2000, 200); ++round) {
    std::string text;
    for (std::size_t i = 0; i < random() % 40; ++i) text += pieces[random() % pieces.size()];
    cut.keep_symbols = round % 2 == 0;
    support::token_stream<chinese_words> stream(cut);
    CAPTURE(printable(text));
    for (const std::size_t size : {1U, 2U, 3U, 7U, 1000U}) {
      REQUIRE(support::tokens_of_chunks(stream, support::cut_every(text, size)) == tokens_of(cut, text));
      REQUIRE(support::tokens_of_chunks(stream_of_long, support::cut_every(text, size)) == tokens_of(long_ones, text));
    }
  }
  // One chunk has a run that is longer than the pieces into which the stream cuts a chunk.
  std::string run;
  for (int i = 0; i < 60000; ++i) run += pieces[random() % 3];
  support::token_stream<chinese_words> stream(cut);
  CHECK(support::tokens_of_chunks(stream, {run, ",", run}) == tokens_of(cut, run + "," + run));
}

TEST_CASE("dictionaries, models and stop words have identities", "[chinese]") {
  const auto identity = [](const char* words) { return word_dictionary::parse(words).identity(); };
  CHECK(identity("ab 3\ncd 4\n") == identity("cd 4\nab 3 n\n"));
  CHECK(identity("ab 3\ncd 4\n") != identity("ab 4\ncd 3\n"));
  CHECK(identity("ab 3\n") != identity("ba 3\n"));
  CHECK(identity("ab 3\n") == identity("ab 3\nabc 0\n"));  // frequency 0: not a word
  word_dictionary dictionary = word_dictionary::parse("ab 3\n");
  dictionary.add_word("abc", 0);
  CHECK(dictionary.identity() != identity("ab 3\n"));
  // The identity does not depend on the capacity of the table.
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "w" + std::to_string(i) + " 5\n";
  word_dictionary grown;
  for (int i = 3000; i-- > 0;) grown.add_word("w" + std::to_string(i), 5);
  CHECK(grown.identity() == word_dictionary::parse(many).identity());

  std::mt19937 random(8 + oracle::seed_shift());
  plain_model plain = random_model(random);
  const auto model = [&] { return unknown_word_model::load(model_folder(plain).path()).identity(); };
  const std::uint64_t before = model();
  CHECK(before == model());
  plain.emission['E'][first_used] -= 1;
  CHECK(before != model());

  using neardup::stop_words;
  CHECK(stop_words({"a", "b"}).identity() == stop_words({"B", "a", "b"}).identity());
  CHECK(stop_words({"a", "b"}).identity() != stop_words({"ab"}).identity());
  CHECK(stop_words().identity() == 0);
}

TEST_CASE("user words join and part as they are told", "[chinese]") {
  const std::string a = "\xE4\xB8\x80", b = "\xE4\xB8\x81", c = "\xE4\xB8\x82";
  word_dictionary dictionary = word_dictionary::parse(a + " 1000\n" + b + " 1000\n" + c + " 1000\n");
  CHECK(segments_of(chinese_words(shared(dictionary)), a + b + c) == tokens{a, b, c});
  // The suggested frequency: 3000 * (1000 / 3000)^2, plus one.
  CHECK(dictionary.suggested_frequency(a + b) == 334);
  dictionary.add_user_words(a + b + "\n" + b + c + " 5 nz\n" + "New York 3 ns\n" + "x y\n", "user.txt");
  CHECK(dictionary.frequency(a + b) == 334);
  CHECK(dictionary.frequency(b + c) == 5);
  CHECK(dictionary.frequency("New York") == 3);
  CHECK(dictionary.frequency("x") == 2);  // "y" is read as a tag, as jieba does
  CHECK(dictionary.total() == 3000 + 334 + 5 + 3 + 2);
  CHECK(segments_of(chinese_words(shared(dictionary)), a + b + c) == tokens{a + b, c});
  dictionary.add_word(a + b, 0);
  CHECK(dictionary.frequency(a + b) == 0);
  CHECK(dictionary.is_never_a_word(a + b));
  CHECK(segments_of(chinese_words(shared(dictionary)), a + b + c) == tokens{a, b, c});
}

TEST_CASE("a word may be longer than the dictionary", "[chinese]") {
  // The first table holds some hundred characters. If the table did not grow, the loop in add_word() would not end.
  for (const std::size_t length : {std::size_t{2000}, std::size_t{100000}}) {
    const std::string word(length, 'x');
    word_dictionary words;
    words.add_word(word, 5);
    words.add_word("y", 2);
    CHECK(words.frequency(word) == 5);
    CHECK(words.frequency("y") == 2);
    CHECK(words.size() == 2);
  }
}

TEST_CASE("a broken dictionary is an error with its file and line", "[chinese]") {
  const std::string why = ": not \"word frequency\" in UTF-8: a word, a space, a whole number below 2^53";
  CHECK(error_of("ab 3\nword\n") == "words.txt:2" + why);
  CHECK(error_of("ab three\n") == "words.txt:1" + why);
  CHECK(error_of("\n\nab -3\n") == "words.txt:3" + why);
  CHECK(error_of("ab 9007199254740992\n") == "words.txt:1" + why);
  CHECK(error_of("\xff 3\n") == "words.txt:1" + why);
  CHECK(error_of("\xEF\xBB\xBF"
                 "ab 3 n\r\n\r\ncd 9007199254740991 n x\n") == "no error");
  CHECK_THROWS_WITH(word_dictionary::load("/nonexistent/words.txt"), "cannot open /nonexistent/words.txt");
  word_dictionary dictionary;
  CHECK_THROWS_AS(dictionary.add_word("", 1), std::invalid_argument);
  CHECK_THROWS_AS(dictionary.add_word("\xff", 1), std::invalid_argument);
  CHECK_THROWS_AS(dictionary.add_word("ab", std::uint64_t{1} << 53), std::invalid_argument);
  CHECK_THROWS_WITH(dictionary.add_user_words("ab\n\xff 3 n\n", "mine.txt"), "mine.txt:2: not UTF-8");
  for (const std::string number : {"-1", "9007199254740992", "99999999999999999999"}) {
    CHECK_THROWS_WITH(dictionary.add_user_words("xy " + number + " n\n", "mine.txt"),
                      "mine.txt:1: " + number + " is no frequency from 0 to 2^53 - 1");
  }
  CHECK(dictionary.frequency("xy") == 0);
  std::string too_many;
  for (int i = 0; i < 1025; ++i) too_many += "w" + std::to_string(i) + " 9007199254740991\n";
  CHECK_THROWS_AS(word_dictionary::parse(too_many), std::length_error);
  dictionary.add_user_words("x-y -\nx 9007199254740991\n", "mine.txt");  // the first word contains a space
  CHECK(dictionary.frequency("x-y -") > 0);
  CHECK(dictionary.frequency("ab") == 1);  // its line has no frequency
  CHECK(segments_of(chinese_words(shared(dictionary)), "ab\xE4\xB8\x80") == tokens{"ab", "\xE4\xB8\x80"});
}

TEST_CASE("a broken model is an error with its file and line", "[chinese]") {
  std::mt19937 random(5 + oracle::seed_shift());
  const model_folder folder(random_model(random));
  static_cast<void>(unknown_word_model::load(folder.path()));
  const auto error_with = [&](const std::string& contents) -> std::string {
    folder.write("prob_trans.py", [&](std::ostream& out) { out << contents; });
    try {
      static_cast<void>(unknown_word_model::load(folder.path()));
    } catch (const std::runtime_error& error) {
      const std::string what = error.what();
      return what.substr(what.find("prob_trans.py"));
    }
    return "no error";
  };
  const std::string is_not = "not a table of a segmentation model: ";
  CHECK(error_with("") == "prob_trans.py:1: " + is_not + "no Python dictionary");
  CHECK(error_with("P={}") == "prob_trans.py:1: " + is_not + "it is empty");
  CHECK(error_with("P={'B': {'E': -1.5,\n") == "prob_trans.py:2: " + is_not + "the dictionary does not end");
  CHECK(error_with("P={'B':\n {'E': x}}") == "prob_trans.py:2: " + is_not + "a logarithm of a probability is missing");
  CHECK(error_with("P={'B':\n\n {'E': 1.5}}") ==
        "prob_trans.py:3: " + is_not + "a logarithm of a probability is missing");
  CHECK(error_with("P={'B':\n {'E': -1.5-2}}") ==
        "prob_trans.py:2: " + is_not + "a logarithm of a probability is missing");
  CHECK(error_with("P={'B': {\n'E': {") == "prob_trans.py:2: " + is_not + "a third dictionary inside of another");
  CHECK(error_with("P={B: {'E': -1.5}}") == "prob_trans.py:1: " + is_not + "a name in quotes is missing");
  CHECK(error_with("P={\"B\":\n{'E: -1.5}}") == "prob_trans.py:2: " + is_not + "a name does not end");
  for (const char* const escape : {"\\u4e0", "\\u4e000", "\\uwxyz", "\\u4e0x"}) {
    CHECK(error_with(std::string("P={'") + escape + "': {'E': -1.5}}") ==
          "prob_trans.py:1: " + is_not + "an escape is not \\uXXXX");
  }
  const std::string no_names = is_not + "its names are the states B, M, E and S, and single characters";
  CHECK(error_with("P={'X': {'E': -1.5}}") == "prob_trans.py:1: " + no_names);
  CHECK(error_with("P={'B': {'X': -1.5}}") == "prob_trans.py:1: " + no_names);
  CHECK(error_with("P={'B': {'E': -1.5}}") == "no error");

  const auto first_error_in = [&](const char* name, const std::string& contents) -> std::string {
    const model_folder other(random_model(random));
    other.write(name, [&](std::ostream& out) { out << contents; });
    try {
      static_cast<void>(unknown_word_model::load(other.path()));
    } catch (const std::runtime_error& error) {
      const std::string what = error.what();
      return what.substr(what.find(name));
    }
    return "no error";
  };
  CHECK(first_error_in("prob_start.py", "P={'X': -1.5}") == "prob_start.py:1: " + no_names);
  CHECK(first_error_in("prob_start.py", "P={'B': {'B': -1.5}}") == "prob_start.py:1: " + no_names);
  CHECK(first_error_in("prob_emit.py", "P={'X': {'a': -1.5}}") == "prob_emit.py:1: " + no_names);
  CHECK(first_error_in("prob_emit.py", "P={'B': {'': -1.5}}") == "prob_emit.py:1: " + no_names);
  CHECK(first_error_in("prob_emit.py", "P={'B': {'\xff': -1.5}}") == "prob_emit.py:1: " + no_names);
  CHECK(first_error_in("prob_emit.py", "P={'B': {'ab': -1.5}}") == "prob_emit.py:1: " + no_names);
  CHECK(first_error_in("prob_emit.py", "P={'B': {'a': -1.5}}") == "no error");  // other states may be missing
}

TEST_CASE("logarithms are rounded to the nearest double", "[chinese]") {
  CHECK(neardup::detail::natural_logarithm(1) == 0);
  // The published digits of ln 2 and ln 10. Then two numbers whose logarithm is almost in the middle between two
  // doubles.
  CHECK(neardup::detail::natural_logarithm(2) == 0.6931471805599453094);
  CHECK(neardup::detail::natural_logarithm(10) == 2.302585092994045684);
  CHECK(neardup::detail::natural_logarithm(9170) == 9.1236925652505096);
  CHECK(neardup::detail::natural_logarithm(136837) == 11.826545715437012);
  for (std::uint64_t i = 2; i < oracle::effort(100000, 2000); ++i) {
    const double plain = std::log(static_cast<double>(i));
    const double ours = neardup::detail::natural_logarithm(i);
    REQUIRE((ours == plain || std::nextafter(ours, plain) == plain));
  }
  for (std::uint64_t i = (std::uint64_t{1} << 53) - 1; i > 2; i -= i / 3) {
    const double plain = std::log(static_cast<double>(i));
    REQUIRE(std::fabs(neardup::detail::natural_logarithm(i) / plain - 1) < 3e-16);
  }
}
