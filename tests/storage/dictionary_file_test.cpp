// Saved dictionaries, against the originals; and damaged ones.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/fingerprint/idf.hpp>
#include <neardup/fingerprint/keywords.hpp>
#include <neardup/fingerprint/simhasher.hpp>
#include <neardup/storage/chinese/dictionary_file.hpp>
#include <neardup/storage/composition_of.hpp>
#include <neardup/storage/index_view.hpp>
#include <neardup/text/chinese/chinese_words.hpp>
#include <neardup/text/normalise.hpp>
#include <neardup/text/stop_words.hpp>
#include <neardup/text/utf8.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/hostile_bytes.hpp"
#include "support/temporary_folder.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::chinese_words;
using neardup::word_dictionary;
using support::tokens;

constexpr char32_t first_used = 0x4e00;

std::string random_word(std::mt19937& random, std::size_t most) {
  std::string word;
  for (std::size_t i = 1 + random() % most; i > 0; --i) {
    char bytes[4];
    word.append(bytes, neardup::encode(first_used + static_cast<char32_t>(random() % 30), bytes));
  }
  return word;
}

word_dictionary random_dictionary(std::mt19937& random, int words) {
  word_dictionary result;
  for (int i = 0; i < words; ++i) result.add_word(random_word(random, 4), random() % 1000);
  return result;
}

/// A temporary file that the destructor removes.
class file_name {
 public:
  file_name() : path_(std::filesystem::temp_directory_path() / ("neardup_dictionary_" + std::to_string(number()))) {}
  file_name(const file_name&) = delete;
  file_name& operator=(const file_name&) = delete;
  ~file_name() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  static std::uint64_t number() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  }
  std::filesystem::path path_;
};

std::string saved_bytes(const word_dictionary& words) {
  const file_name file;
  neardup::save(file.path(), words);
  std::ifstream in(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

tokens segments_of(const word_dictionary& words, std::string_view text) {
  tokens result;
  chinese_words(std::make_shared<const word_dictionary>(words)).segment(text, [&](std::string_view token) {
    result.emplace_back(token);
  });
  return result;
}

std::string error_of(std::string_view bytes) {
  const support::aligned_copy copy(bytes);
  try {
    static_cast<void>(neardup::open_dictionary(copy.bytes()));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a saved dictionary is the one that was saved", "[dictionary file]") {
  std::mt19937 random(1 + oracle::seed_shift());
  for (const int words : {0, 1, 300, 3000}) {
    word_dictionary dictionary = random_dictionary(random, words);
    const file_name file;
    neardup::save(file.path(), dictionary);
    word_dictionary opened = neardup::open_dictionary(neardup::mapped_file(file.path()));
    CHECK(opened.size() == dictionary.size());
    CHECK(opened.total() == dictionary.total());
    CHECK(opened.identity() == dictionary.identity());
    CHECK(opened.memory_usage() == 0);
    for (int i = 0; i < 200; ++i) {
      const std::string text = random_word(random, 40);
      REQUIRE(segments_of(opened, text) == segments_of(dictionary, text));
      REQUIRE(opened.frequency(text.substr(0, 6)) == dictionary.frequency(text.substr(0, 6)));
      REQUIRE(opened.is_never_a_word(text.substr(0, 6)) == dictionary.is_never_a_word(text.substr(0, 6)));
    }
    // Saving it again gives the same bytes; changing it changes no other dictionary.
    CHECK(saved_bytes(opened) == saved_bytes(dictionary));
    const word_dictionary copy = opened;
    const std::uint64_t before = copy.identity();
    for (int i = 0; i < 2000; ++i) {
      const std::string word = random_word(random, 5);
      const std::uint64_t frequency = random() % 500;
      opened.add_word(word, frequency);
      dictionary.add_word(word, frequency);
    }
    CHECK(opened.identity() == dictionary.identity());
    CHECK(copy.identity() == before);
    const std::string text = random_word(random, 40);
    CHECK(segments_of(opened, text) == segments_of(dictionary, text));
  }
  CHECK_THROWS_WITH(neardup::open_dictionary(neardup::mapped_file("/nonexistent/words.dictionary")),
                    Catch::Matchers::ContainsSubstring("/nonexistent/words.dictionary"));
  CHECK(neardup::is_saved_dictionary(saved_bytes(word_dictionary())));
  CHECK_FALSE(neardup::is_saved_dictionary("ab 3\n"));
  const std::string bytes = saved_bytes(word_dictionary());
  const support::aligned_copy copy(bytes);
  CHECK_THROWS_WITH(neardup::index_view<64>(copy.bytes()),
                    Catch::Matchers::ContainsSubstring("holds a dictionary of words, not an index"));
}

TEST_CASE("a dictionary with any bit flipped, or cut off, is refused", "[dictionary file]") {
  std::mt19937 random(2 + oracle::seed_shift());
  const std::string bytes = saved_bytes(random_dictionary(random, 200));
  REQUIRE(error_of(bytes).empty());
  for (std::size_t round = 0; round < oracle::effort(4000, 300); ++round) {
    std::string damaged = bytes;
    const std::size_t place = round % 4 == 0 ? random() % 512 : random() % bytes.size();
    damaged[place] = static_cast<char>(static_cast<unsigned char>(damaged[place]) ^ 1U << random() % 8);
    CAPTURE(round, place);
    REQUIRE_FALSE(error_of(damaged).empty());
    REQUIRE_FALSE(error_of(std::string_view(bytes).substr(0, random() % bytes.size())).empty());
  }
  CHECK(error_of("") == "the bytes: not a file of neardup");
  CHECK_FALSE(error_of(bytes + "x").empty());
}

TEST_CASE("a hostile dictionary is refused or does no harm", "[dictionary file]") {
  std::mt19937 random(3 + oracle::seed_shift());
  const std::string bytes = saved_bytes(random_dictionary(random, 200));
  std::size_t accepted = 0;
  for (std::size_t round = 0; round < oracle::effort(3000, 300); ++round) {
    std::string damaged = bytes;
    for (std::size_t i = 0; i < 1 + random() % 4; ++i) support::damage(damaged, random);
    support::repair_checksums(damaged);
    const support::aligned_copy copy(damaged);
    try {
      word_dictionary words = neardup::open_dictionary(copy.bytes());
      ++accepted;
      std::string joined;
      const std::string text = random_word(random, 60);
      for (const std::string& token : segments_of(words, text)) joined += token;
      REQUIRE(joined == text);
      static_cast<void>(words.identity());
      static_cast<void>(words.suggested_frequency(text));
      for (int i = 0; i < 800; ++i) words.add_word(random_word(random, 5), 3);
    } catch (const std::runtime_error&) {
    }
  }
  CHECK(accepted > 0);
  // In each pair of nodes, each node is the other's parent. The table has to grow.
  std::string circle = bytes;
  const std::size_t nodes = support::load_number(bytes, 64 + 8, 8);
  for (std::size_t i = 0; i < 700; ++i) {
    support::store_number(circle, nodes + 16 * i, 8, ((i ^ 1) + 1) << 21 | 0x4e00);
  }
  support::repair_checksums(circle);
  const support::aligned_copy copy(circle);
  try {
    word_dictionary words = neardup::open_dictionary(copy.bytes());
    static_cast<void>(words.identity());
    for (int i = 0; i < 2000; ++i) words.add_word(random_word(random, 5), 3);
    FAIL("accepted");
  } catch (const std::runtime_error&) {
  }
}

TEST_CASE("a damaged list of words that are none is refused", "[dictionary file]") {
  word_dictionary words = word_dictionary::parse("ab 3\n");
  words.add_word("cd", 0);
  const auto error_with = [&](std::string never) {
    const auto sections = neardup::detail::dictionary_access::sections(words, never);
    neardup::detail::file_header header{neardup::detail::file_content::dictionary, 0, {}, words.size(), {}};
    header.details[0] = static_cast<std::uint8_t>(words.total());
    const file_name file;
    neardup::detail::write_container(neardup::detail::system_files(), file.path(), header, sections);
    std::ifstream in(file.path(), std::ios::binary);
    return error_of(std::string(std::istreambuf_iterator<char>(in), {}));
  };
  using namespace std::string_literals;
  CHECK(error_with("\2\0\0\0cd"s).empty());
  for (const std::string& never :
       {"\2\0\0"s, "\0\0\0\0"s, "\3\0\0\0cd"s, "\xff\xff\xff\xff"s, "\2\0\0\0cd\1"s, "\1\0\0\0\xff"s}) {
    CHECK(error_with(never) == "the bytes: removed word " + std::string(never.size() == 7 ? "1" : "0") +
                                   " is damaged; restore the file from a copy, or make it anew");
  }
}

TEST_CASE("a composition names dictionary and stop words by their contents", "[dictionary file]") {
  const auto first = std::make_shared<const word_dictionary>(word_dictionary::parse("ab 3\n"));
  const auto other = std::make_shared<const word_dictionary>(word_dictionary::parse("ab 4\n"));
  const neardup::idf_table table = neardup::idf_table::parse("ab 3\n");
  const auto of = [&](const auto& dictionary, const char* stop, bool symbols) {
    chinese_words words(dictionary);
    words.keep_symbols = symbols;
    return composition_of(neardup::simhasher{
        neardup::keywords{20, neardup::without{neardup::stop_words({stop}), words, 2}, table}, neardup::tf_idf{table}});
  };
  const neardup::fingerprint_composition made_of = of(first, "the", true);
  CHECK(made_of.tokenizer.starts_with("keywords(20, "));
  CHECK(made_of.tokenizer.ends_with(", without(2, chinese_words(symbols)))"));
  CHECK(made_of.dictionary.size() == 16);
  CHECK(made_of.model.empty());
  CHECK(made_of.stop_words.size() == 16);
  CHECK(made_of.weighter == "tf_idf");
  CHECK(of(first, "the", true) == made_of);
  CHECK(of(other, "the", true) != made_of);
  CHECK(of(first, "a", true) != made_of);
  CHECK(of(first, "the", false) != made_of);
  CHECK(neardup::detail::parse_composition(to_string(made_of)) == made_of);
  CHECK(composition_of(neardup::simhasher{neardup::narrowed{chinese_words(first)}}).tokenizer ==
        "narrowed(chinese_words)");

  // The tables of this model are so small that all its states are alike.
  const support::temporary_folder folder;
  support::write_bytes(folder / "prob_start.py", "P={'B': -1.0, 'E': -3.14e+100, 'M': -3.14e+100, 'S': -1.0}\n");
  support::write_bytes(folder / "prob_trans.py",
                       "P={'B': {'E': -1.0, 'M': -1.0}, 'E': {'B': -1.0, 'S': -1.0}, 'M': {'E': -1.0, 'M': -1.0}, "
                       "'S': {'B': -1.0, 'S': -1.0}}\n");
  const std::string of_character = "{'\\u4e00': -2.0}";
  support::write_bytes(folder / "prob_emit.py", "P={'B': " + of_character + ", 'E': " + of_character +
                                                    ", 'M': " + of_character + ", 'S': " + of_character + "}\n");
  const auto model =
      std::make_shared<const neardup::unknown_word_model>(neardup::unknown_word_model::load(folder.path().string()));
  const auto with_model = composition_of(neardup::simhasher{chinese_words(first, model)});
  CHECK(with_model.model.size() == 16);
  CHECK(with_model != composition_of(neardup::simhasher{chinese_words(first)}));
  // An empty list has the same name as no list.
  CHECK(composition_of(neardup::simhasher{neardup::without{neardup::stop_words(), chinese_words(first)}})
            .stop_words.empty());
}
