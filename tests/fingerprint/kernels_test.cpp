// Every kernel, on every instruction set, against hashing token by token.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/fingerprint/kernels/token_kernel.hpp>
#include <neardup/fingerprint/kernels/votes.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/random_text.hpp"
#include "support/instruction_sets.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::instruction_set;
using words_of_bits = std::vector<std::uint64_t>;

words_of_bits random_words(std::mt19937_64& random, std::size_t n) {
  // Words with few bits and with many, so that columns differ and ties occur.
  const std::uint64_t shared = random();
  words_of_bits result(n);
  for (std::uint64_t& word : result)
    word = random() % 3 == 0 ? random() & shared : random() % 2 == 0 ? random() : shared;
  return result;
}

std::uint64_t plain_majority(const words_of_bits& words) {
  std::uint64_t result = 0;
  for (int bit = 0; bit < 64; ++bit) {
    std::size_t set = 0;
    for (const std::uint64_t word : words) set += word >> bit & 1U;
    result |= std::uint64_t{2 * set > words.size()} << bit;
  }
  return result;
}

/// Sorted hashes.
template <class Hasher>
using hash_set = std::vector<std::array<std::uint64_t, neardup::detail::hasher_words<Hasher>>>;

template <class Tokenizer, class Hasher>
hash_set<Hasher> one_by_one(const Tokenizer& tokenize, const Hasher& hash, std::string_view text) {
  hash_set<Hasher> result;
  tokenize(text, [&](std::string_view token) { result.push_back(neardup::detail::to_hash_words(hash(token))); });
  std::sort(result.begin(), result.end());
  return result;
}

template <class Tokenizer, class Hasher>
hash_set<Hasher> in_blocks(const Tokenizer& tokenize, const Hasher& hash, std::string_view text) {
  constexpr std::size_t words = neardup::detail::hasher_words<Hasher>;
  hash_set<Hasher> result;
  neardup::detail::hash_scratch<Tokenizer, Hasher> scratch;
  neardup::detail::hash_tokens(tokenize, hash, text, scratch, [&](const neardup::detail::hash_block<words>& block) {
    for (std::size_t i = 0; i < block.count; ++i) {
      auto& value = result.emplace_back();
      for (std::size_t j = 0; j < words; ++j) value[j] = block.columns[j][i];
    }
  });
  std::sort(result.begin(), result.end());
  return result;
}

template <class Tokenizer, class Hasher>
void check_blocks(const Tokenizer& tokenize, const Hasher& hash, const std::vector<std::string>& texts) {
  std::vector<hash_set<Hasher>> expected;
  for (const std::string& text : texts) expected.push_back(one_by_one(tokenize, hash, text));
  for (const instruction_set level : support::instruction_sets()) {
    const support::forced_instruction_set forced(level);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const support::exact_copy copy(texts[i]);
      if (in_blocks(tokenize, hash, copy) != expected[i]) ++wrong;
    }
    INFO(neardup::to_string(level));
    CHECK(wrong == 0);
  }
}

/// Mixed scripts, ASCII only, long words, and lengths around those of blocks and vectors.
std::vector<std::string> block_texts() {
  oracle::random_texts random(7);
  std::vector<std::string> result{"", "a", "ab", " ", "a b", std::string(5000, 'x'), std::string(700, ' ')};
  const std::size_t mixed = oracle::effort(400, 60);
  for (std::size_t i = 0; i < mixed; ++i) result.push_back(random.next(random.below(i % 10 == 0 ? 2000 : 150)));
  const std::size_t ascii = oracle::effort(400, 60);
  for (std::size_t i = 0; i < ascii; ++i) {
    std::string text;
    const std::size_t size = random.below(i % 10 == 0 ? 6000 : 300);
    const std::size_t longest = 1 + random.below(i % 7 == 0 ? 70 : 9);
    while (text.size() < size) {
      for (std::size_t letters = 1 + random.below(longest); letters > 0; --letters) {
        text += static_cast<char>((random.below(4) == 0 ? 'A' : 'a') + static_cast<int>(random.below(26)));
      }
      text.append(1 + random.below(2), " .\n@[`{/:"[random.below(9)]);
      if (i % 5 == 0 && random.below(20) == 0) text += "\u4e2d\u6587\u0301";
    }
    result.push_back(text);
  }
  for (std::size_t size = 1; size < 200; size += oracle::effort(1, 6)) {
    result.push_back(std::string(size - 1, 'a') + "b");
    result.push_back(std::string(size, 'a') + " " + std::string(size % 19, 'b'));
  }
  return result;
}

/// The hashes of the tokens of a text that is read in pieces.
template <class Tokenizer, class Hasher>
hash_set<Hasher> in_chunks(const Tokenizer& tokenize, const Hasher& hash, std::string_view text,
                           std::mt19937_64& random) {
  constexpr std::size_t words = neardup::detail::hasher_words<Hasher>;
  hash_set<Hasher> result;
  neardup::detail::hash_block<words> block;
  const auto take = [&](const neardup::detail::hash_block<words>& full) {
    for (std::size_t i = 0; i < full.count; ++i) {
      auto& value = result.emplace_back();
      for (std::size_t j = 0; j < words; ++j) value[j] = full.columns[j][i];
    }
  };
  const neardup::detail::hash_writer out(block, take);
  neardup::detail::text_reader<Tokenizer, neardup::detail::is_xxh3<Hasher>> reader;
  neardup::detail::with_hash_sink(hash, out, [&](auto& sink) {
    // A quarter of the texts are read by one call, often in several pieces: the largest piece has a random size.
    if (random() % 4 == 0 && !text.empty()) {
      return reader.read(tokenize, support::exact_copy(text), sink, 1 + random() % text.size());
    }
    while (!text.empty()) {
      const std::size_t size = 1 + random() % (random() % 4 == 0 ? 10000 : 3000);
      const support::exact_copy chunk(text.substr(0, size));
      reader.feed(tokenize, chunk, sink);
      text.remove_prefix(std::string_view(chunk).size());
    }
    reader.finish(tokenize, sink);
  });
  out.flush();
  std::sort(result.begin(), result.end());
  return result;
}

/// Texts several times as long as a stream buffers before hashing.
std::vector<std::string> long_texts() {
  oracle::random_engine random(11);
  const std::vector<std::string> pieces = block_texts();
  std::vector<std::string> result(2);
  while (result[0].size() < oracle::effort(40000, 9000)) result[0] += pieces[random() % pieces.size()];
  // Well-formed, with long stretches in which no word ends.
  const std::vector<std::string> characters{"a", "Z", "\u00c9", "\u0301", "\u4e2d", "\u6587", " ", "\U00020000"};
  while (result[1].size() < oracle::effort(60000, 9000)) {
    const std::string& character = characters[random() % characters.size()];
    for (std::size_t i = random() % (random() % 50 == 0 ? 3000 : 9); i > 0; --i) result[1] += character;
  }
  result.push_back(" " + std::string(oracle::effort(20000, 9000), 'x') + " y " + std::string(9000, '\x80') + "z");
  result.push_back(std::string(5000, ' '));
  // Stray continuation bytes between letters.
  result.emplace_back();
  while (result.back().size() < oracle::effort(20000, 9000))
    result.back() += result.back().size() % 7 == 0 ? "\u00e9\xa0" : "a\x93";
  // One long word that chunks cut within a character.
  result.emplace_back();
  while (result.back().size() < oracle::effort(30000, 9000)) result.back() += "\u00e9";
  return result;
}

template <class Tokenizer, class Hasher>
void check_chunks(const Tokenizer& tokenize, const Hasher& hash, const std::vector<std::string>& texts) {
  oracle::random_engine random(12);
  std::vector<hash_set<Hasher>> expected;
  for (const std::string& text : texts) expected.push_back(one_by_one(tokenize, hash, text));
  for (const instruction_set level : support::instruction_sets()) {
    const support::forced_instruction_set forced(level);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::size_t round = 0; round < oracle::effort(6, 2); ++round) {
        if (in_chunks(tokenize, hash, texts[i], random) != expected[i]) ++wrong;
      }
    }
    INFO(neardup::to_string(level));
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("counting bits finds the majority of each column, however the words are split") {
  oracle::random_engine random(1);
  const std::size_t rounds = oracle::effort(4000, 300);
  for (const instruction_set level : support::instruction_sets()) {
    std::size_t wrong = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
      const words_of_bits words = random_words(random, random() % (round % 50 == 0 ? 5000 : 300));
      const std::size_t cut = words.empty() ? 0 : random() % words.size();
      neardup::detail::bit_tally tally(level);
      neardup::detail::count_bits(tally, words.data(), cut);
      neardup::detail::count_bits(tally, words.data() + cut, words.size() - cut);
      if (neardup::detail::majority(tally) != plain_majority(words)) ++wrong;
    }
    INFO(neardup::to_string(level));
    CHECK(wrong == 0);
  }
}

TEST_CASE("weighted sums are those of a plain loop") {
  oracle::random_engine random(2);
  for (const instruction_set level : support::instruction_sets()) {
    for (std::size_t n = 0; n < 200; n += 7) {
      const words_of_bits tokens = random_words(random, 3 * n + 3);
      std::array<std::uint64_t, 64> sums{};
      std::array<std::uint64_t, 64> expected{};
      sums[5] = expected[5] = 99;
      for (std::size_t t = 0; t < n; ++t) {
        for (std::size_t i = 0; i < 64; ++i) expected[i] += (tokens[3 * t] >> i & 1U) * tokens[3 * t + 2];
      }
      neardup::detail::add_weighted(sums.data(), tokens.data(), tokens.data() + 2, 3, n, level);
      INFO(neardup::to_string(level));
      CHECK(sums == expected);
    }
  }
}

TEST_CASE("windows of bytes have the hashes of XXH3") {
  for (std::size_t n = 1; n <= 10; ++n) {
    const std::uint64_t seed = n % 3 == 0 ? 0 : ~std::uint64_t{0} / n;
    INFO("n " << n << ", seed " << seed);
    check_blocks(neardup::byte_ngrams{n}, neardup::xxh3<64>{seed}, block_texts());
  }
  check_blocks(neardup::byte_ngrams{5}, neardup::xxh3<128>{9}, block_texts());
}

TEST_CASE("windows that are counted at once have the majority of the hashes of XXH3") {
  oracle::random_engine random(3);
  std::vector<std::string> all;
  // Sizes around the blocks of each instruction set, and several of them.
  for (std::size_t size = 1; size < 2600; size += size < 700 ? oracle::effort(1, 7) : 97) {
    std::string text(size, ' ');
    for (char& letter : text) letter = static_cast<char>(random() % (size % 3 == 0 ? 2 : 256));
    all.push_back(text);
  }
  for (std::size_t n = 1; n <= 9; ++n) {
    const neardup::simhasher hash{neardup::byte_ngrams{n}, neardup::tf{}, neardup::xxh3<128>{~std::uint64_t{0} / n}};
    for (const instruction_set level : support::instruction_sets()) {
      const support::forced_instruction_set forced(level);
      std::size_t wrong = 0;
      for (const std::string& text : all) {
        words_of_bits low;
        words_of_bits high;
        for (const auto& token : one_by_one(hash.tokenizer, hash.hasher, text)) {
          low.push_back(token[0]);
          high.push_back(token[1]);
        }
        const support::exact_copy copy(text);
        const neardup::simhash<128> expected({plain_majority(low), plain_majority(high)});
        if (hash(std::string_view(copy)) != expected) ++wrong;
      }
      INFO("n " << n << ", " << neardup::to_string(level));
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("words and their shingles have the hashes of XXH3") {
  const neardup::words words;
  const std::vector<std::string> all = block_texts();
  check_blocks(words, neardup::xxh3<64>{}, all);
  check_blocks(words, neardup::xxh3<64>{~std::uint64_t{0} / 5}, all);
  check_blocks(words, neardup::xxh3<256>{3}, all);
  check_blocks(neardup::folded{words}, neardup::xxh3<64>{1}, all);
  check_blocks(neardup::shingles{1, words}, neardup::xxh3<64>{1}, all);
  check_blocks(neardup::shingles{2, words}, neardup::xxh3<64>{1}, all);
  check_blocks(neardup::shingles{2, neardup::folded{words}}, neardup::xxh3<128>{1}, all);
  check_blocks(neardup::folded{neardup::shingles{3, words}}, neardup::xxh3<64>{1}, all);
  check_blocks(neardup::shingles{100, neardup::folded{words}}, neardup::xxh3<64>{1}, all);
  check_blocks(neardup::shingles{1000, words}, neardup::xxh3<64>{1}, all);
}

TEST_CASE("words with soft hyphens have the hashes of XXH3, wherever in a block these stand") {
  std::vector<std::string> all;
  oracle::random_engine random(46);
  const std::vector<std::string> pieces{"a", "B", "soft", " ", ".", "#", "7", "\u00ad", "\u00ad", "\u00ad"};
  const std::vector<std::string> others{"\u4e2d", "\u00e9", "\u0301", "\u2764", "\u200d", "\xc2", "\xad"};
  for (std::size_t i = 0; i < 130; ++i) {
    all.push_back(std::string(i, 'x') + "\u00ady" + std::string(70, 'z'));
    all.push_back(std::string(i, ' ') + "\u00ad\u00ad" + std::string(i % 7, 'z'));
  }
  const std::size_t rounds = oracle::effort(2000, 300);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::string text;
    for (std::size_t i = random() % 300; i > 0; --i) {
      text +=
          random() % 60 == 0 && round % 2 == 0 ? others[random() % others.size()] : pieces[random() % pieces.size()];
    }
    all.push_back(text);
  }
  check_blocks(neardup::words{}, neardup::xxh3<64>{}, all);
  check_blocks(neardup::shingles{2, neardup::words{}}, neardup::xxh3<64>{1}, all);
  check_blocks(neardup::shingles{2, neardup::folded{neardup::words{}}}, neardup::xxh3<64>{1}, all);
}

TEST_CASE("n-grams of code points have the hashes of XXH3") {
  std::vector<std::string> all = block_texts();
  oracle::random_engine random(5);
  // Well-formed, with runs of ASCII that begin and end within blocks.
  const std::vector<std::string> characters{"a", "\n", "\u00e9", "\u05d0", "\u4e2d", "\u6587", "\uffff", "\U00020000"};
  const std::size_t rounds = oracle::effort(300, 50);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::string text;
    const std::size_t size = random() % (round % 10 == 0 ? 9000 : 400);
    while (text.size() < size) {
      const std::string& character = characters[random() % characters.size()];
      for (std::size_t i = random() % (round % 3 == 0 ? 100 : 4); i > 0; --i) text += character;
    }
    all.push_back(text);
  }
  // Blocks of ASCII are windows of bytes: runs of each length, between and beside other characters.
  for (std::size_t size = 0; size < 400; size += oracle::effort(1, 3)) {
    std::string run;
    for (std::size_t i = 0; i < size; ++i) run += static_cast<char>(0x20 + (i * i / 3 + size) % 0x5f);
    for (const char* const before : {"", "\u4e2d\u6587", "\u00e9"}) {
      for (const char* const after : {"", "\u4e2d\u6587 and thirty more bytes behind it"})
        all.push_back(before + run + after);
    }
  }
  for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 8U, 9U, 17U, 64U, 65U}) {
    INFO("n " << n);
    check_blocks(neardup::code_point_ngrams{n}, neardup::xxh3<64>{n * 77}, all);
  }
  check_blocks(neardup::code_point_ngrams{2}, neardup::xxh3<128>{1}, all);
  check_blocks(neardup::code_point_ngrams{3}, neardup::xxh3<192>{~std::uint64_t{0}}, all);
}

TEST_CASE("texts in chunks have the hashes of whole texts") {
  using neardup::folded, neardup::normalised, neardup::shingles, neardup::words, neardup::xxh3;
  const std::vector<std::string> all = long_texts();
  // These texts are shorter, because hashing tokens of thousands of bytes one by one is slow.
  std::vector<std::string> shorter = all;
  for (std::string& text : shorter) text.resize((std::min)(text.size(), oracle::effort(9000, 5000)));
  check_chunks(words{}, xxh3<64>{1}, all);
  check_chunks(folded{words{}}, xxh3<128>{2}, all);
  check_chunks(normalised{words{}}, xxh3<64>{3}, all);
  for (const std::size_t n : {1U, 2U, 5U, 2000U}) {
    INFO("shingles of " << n);
    check_chunks(shingles{n, words{}}, xxh3<64>{n}, n > 100 ? shorter : all);
    check_chunks(shingles{n, folded{words{}}}, xxh3<64>{n}, n > 100 ? shorter : all);
  }
  for (const std::size_t n : {1U, 5U, 8U, 9U, 30U, 5000U}) {
    INFO("n-grams of " << n);
    check_chunks(neardup::byte_ngrams{n}, xxh3<64>{n}, n > 100 ? shorter : all);
  }
  for (const std::size_t n : {1U, 2U, 3U, 64U, 70U, 2000U}) {
    INFO("n-grams of " << n);
    check_chunks(neardup::code_point_ngrams{n}, xxh3<64>{n}, n > 100 ? shorter : all);
  }
  // These words are so long that the reader drops joined words one at a time.
  std::string long_words;
  for (std::size_t i = 0; i < 25; ++i) long_words += std::string(1000 * i, 'w') + " v ";
  check_chunks(shingles{3, words{}}, xxh3<64>{}, {long_words});
  check_chunks(folded{neardup::code_point_ngrams{2}}, xxh3<192>{}, all);
  check_chunks(normalised{neardup::code_point_ngrams{3}}, xxh3<64>{}, all);
}

/// Returns the number of hashes of a text, and their sum. If the text has more than `most` bytes, it is read in pieces.
template <class Tokenizer>
std::pair<std::uint64_t, std::uint64_t> count_and_sum(const Tokenizer& tokenize, std::string_view text,
                                                      std::size_t most) {
  std::pair<std::uint64_t, std::uint64_t> result{};
  const auto take = [&](const neardup::detail::hash_block<1>& block) {
    result.first += block.count;
    for (std::size_t i = 0; i < block.count; ++i) result.second += block.columns[0][i];
  };
  neardup::detail::hash_block<1> block;
  const neardup::detail::hash_writer out(block, take);
  neardup::detail::text_reader<Tokenizer, true> reader;
  neardup::detail::with_hash_sink(neardup::xxh3<64>{}, out, [&](auto& sink) {
    reader.read(tokenize, text, sink, (std::min)(most, reader.largest_piece));
  });
  out.flush();
  return result;
}

// With NEARDUP_HUGE=1 in the environment the text has more than 1 GiB; otherwise 2 MiB, and the largest piece has 1 MiB.
TEST_CASE("a text above 1 GiB has the hashes of its tokens, though it is cut within a character", "[huge]") {
  using neardup::canonical, neardup::normalised, neardup::shingles, neardup::words;
  const std::size_t gib = std::getenv("NEARDUP_HUGE") != nullptr ? std::size_t{1} << 30 : std::size_t{1} << 20;
  std::string word = "a";
  for (int i = 0; i < 500; ++i) word += "\u00e9";
  const std::uint64_t count = (gib + (std::uint64_t{1} << 20)) / (word.size() + 1);
  std::string text;
  text.reserve(count * (word.size() + 1));
  for (std::uint64_t i = 0; i < count; ++i) text.append(word) += ' ';
  REQUIRE(text.size() > gib);
  REQUIRE(text[65536] == '\xa9');  // a reader takes 64 KiB at a time, and so cuts before the last byte of a character
  const neardup::xxh3<64> hash;
  const auto all = [&](std::uint64_t n, std::string_view token) { return std::pair(n, n * hash(token)); };
  const std::string pair = word + neardup::shingle_separator + word;
  CHECK(count_and_sum(words{}, text, gib) == all(count, word));
  CHECK(count_and_sum(normalised{shingles{2, words{}}}, text, gib) == all(count - 1, pair));
  CHECK(count_and_sum(canonical{shingles{2, words{}}}, text, gib) == all(count - 1, pair));
  CHECK(count_and_sum(neardup::byte_ngrams{8}, text, gib).first == text.size() - 7);
  CHECK(count_and_sum(neardup::folded{neardup::code_point_ngrams{3}}, text, gib).first == 502 * count - 2);
  CHECK(count_and_sum(neardup::code_point_ngrams{2}, text, gib) ==
        std::pair(502 * count - 1,
                  count * (hash("a\u00e9") + 499 * hash("\u00e9\u00e9") + hash("\u00e9 ")) + (count - 1) * hash(" a")));
}

TEST_CASE("the tokens of rewritten texts have the hashes of XXH3") {
  using neardup::folded;
  using neardup::normalised;
  using neardup::shingles;
  const neardup::words words;
  std::vector<std::string> all = block_texts();
  oracle::random_texts random(3);
  for (std::size_t i = 0; i < oracle::effort(400, 20); ++i) all.push_back(random.next_runs(random.below(1000)));
  all.push_back(random.next_runs(oracle::effort(300000, 9000)));
  check_blocks(normalised{words}, neardup::xxh3<64>{}, all);
  check_blocks(normalised{shingles{2, words}}, neardup::xxh3<64>{4}, all);
  check_blocks(normalised{shingles{2, words}}, neardup::xxh3<192>{}, all);
  check_blocks(normalised{neardup::byte_ngrams{5}}, neardup::xxh3<64>{}, all);
  check_blocks(normalised{neardup::code_point_ngrams{2}}, neardup::xxh3<64>{}, all);
  check_blocks(normalised{neardup::code_point_ngrams{5}}, neardup::xxh3<128>{2}, all);
  check_blocks(folded{neardup::byte_ngrams{3}}, neardup::xxh3<64>{}, all);
  // Folded text may be ill-formed. The next tokenizer replaces the ill-formed bytes.
  check_blocks(folded{neardup::code_point_ngrams{3}}, neardup::xxh3<64>{}, all);
  check_blocks(folded{normalised{folded{neardup::code_point_ngrams{3}}}}, neardup::xxh3<64>{}, all);
  check_blocks(normalised{folded{shingles{2, words}}}, neardup::xxh3<64>{}, all);
  check_blocks(normalised{shingles{1000, words}}, neardup::xxh3<64>{}, all);
  check_blocks(normalised{shingles{~std::size_t{0}, words}}, neardup::xxh3<64>{}, all);
  check_blocks(shingles{3, normalised{words}}, neardup::xxh3<64>{}, all);
  check_blocks(shingles{2, folded{normalised{words}}}, neardup::xxh3<64>{}, all);
  check_blocks(shingles{2, normalised{neardup::code_point_ngrams{2}}}, neardup::xxh3<64>{}, all);
  CHECK_THROWS_AS(in_blocks(shingles{0, normalised{words}}, neardup::xxh3<64>{}, "a b"), std::invalid_argument);
}

TEST_CASE("tokenizers and hashers without kernels go one by one") {
  const auto times33 = [](std::string_view token) {
    std::uint64_t hash = 5381;
    for (const char c : token) hash = hash * 33 + static_cast<unsigned char>(c);
    return hash;
  };
  check_blocks(neardup::words{}, times33, block_texts());
  check_blocks(neardup::normalised{neardup::words{}}, times33, block_texts());
  check_blocks(neardup::code_point_ngrams{100}, neardup::xxh3<64>{}, block_texts());
  CHECK_THROWS_AS(in_blocks(neardup::shingles{0, neardup::words{}}, neardup::xxh3<64>{}, "a b"), std::invalid_argument);
  CHECK_THROWS_AS(in_blocks(neardup::byte_ngrams{0}, neardup::xxh3<64>{}, "ab"), std::invalid_argument);
}

TEMPLATE_TEST_CASE_SIG("distinct hashes are those of a set, with their counts", "", ((std::size_t Words), Words), 1,
                       2 NEARDUP_UNLESS_SAMPLE(4)) {
  oracle::random_engine random(3);
  neardup::detail::distinct_hashes<Words> plain;
  neardup::detail::distinct_hashes<Words, true> counted;
  for (std::size_t round = 0; round < oracle::effort(200, 40); ++round) {
    // Few distinct values including 0, hashes that differ in one word only, and hashes with weak low bits.
    const std::uint64_t values = 1 + random() % (round % 10 == 0 ? 20000 : 50);
    const int shift = round % 3 == 0 ? 40 : 0;
    std::map<std::array<std::uint64_t, Words>, std::uint64_t> expected;
    plain.clear();
    counted.clear();
    for (std::size_t left = random() % (round % 10 == 0 ? 20000 : 3000); left > 0;) {
      neardup::detail::hash_block<Words> block;
      for (; left > 0 && block.room() > 0; --left) {
        std::array<std::uint64_t, Words> hash{};
        hash[random() % Words] = random() % values << shift;
        ++expected[hash];
        for (std::size_t j = 0; j < Words; ++j) block.columns[j][block.count] = hash[j];
        ++block.count;
      }
      plain.add(block);
      counted.add(block);
    }
    std::map<std::array<std::uint64_t, Words>, std::uint64_t> found;
    counted.for_each([&](const auto& hash, std::string_view, std::uint64_t count) { found[hash] += count; });
    CHECK((found == expected));
    CHECK(counted.size() == expected.size());
    std::set<std::array<std::uint64_t, Words>> distinct;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      std::array<std::uint64_t, Words> hash{};
      for (std::size_t j = 0; j < Words; ++j) hash[j] = plain.column(j)[i];
      distinct.insert(hash);
    }
    CHECK(plain.size() == expected.size());
    CHECK(distinct.size() == expected.size());
    CHECK(std::all_of(distinct.begin(), distinct.end(), [&](const auto& hash) { return expected.contains(hash); }));
  }
}

TEST_CASE("distinct hashes are those of a set when more than 2^32 have gone through one object") {
  oracle::random_engine random(12);
  for (std::size_t round = 0; round < oracle::effort(2000, 200); ++round) {
    neardup::detail::distinct_hashes<1, true> counted(0xffffffffU - static_cast<std::uint32_t>(random() % 1500));
    for (int text = 0; text < 8; ++text) {
      std::map<std::uint64_t, std::uint64_t> expected, found;
      counted.clear();
      for (std::uint64_t blocks = 1 + random() % 3; blocks > 0; --blocks) {
        neardup::detail::hash_block<1> block;
        for (std::uint64_t left = 1 + random() % block.room(); left > 0; --left) {
          const std::uint64_t hash = 1 + random() % 400;
          block.columns[0][block.count++] = hash;
          ++expected[hash];
        }
        counted.add(block);
      }
      const std::uint64_t appended = round % 2 == 0 ? 0 : random() % 600;
      for (std::uint64_t i = 0; i < appended; ++i) {
        counted.append({1000 + i}, 1 + i);
        expected[1000 + i] += 1 + i;
      }
      counted.for_each([&](const auto& hash, std::string_view, std::uint64_t count) { found[hash[0]] += count; });
      CAPTURE(round, text);
      REQUIRE(found == expected);
      REQUIRE(counted.size() == expected.size());
    }
  }
}

TEST_CASE("fingerprints do not depend on the instruction set") {
  const neardup::simhasher by_level{neardup::shingles{2, neardup::words{}}, neardup::log_tf{}, neardup::xxh3<128>{}};
  for (const std::string& text : block_texts()) {
    std::set<std::string> found;
    for (const instruction_set level : support::instruction_sets()) {
      const support::forced_instruction_set forced(level);
      const auto fingerprint = by_level(text);
      const auto by_default = neardup::simhash_of(text);
      found.insert((fingerprint ? fingerprint->to_hex() : "none") + (by_default ? by_default->to_hex() : "none"));
    }
    CHECK(found.size() == 1);
  }
}

TEST_CASE("the instruction set can be asked for and forced") {
  const instruction_set before = neardup::active_instruction_set();
  CHECK(neardup::is_available(before));
  CHECK(neardup::is_available(instruction_set::portable));
  for (const auto& one : neardup::detail::instruction_sets) {
    CAPTURE(one.name);
    neardup::set_instruction_set(instruction_set::portable);
    if (neardup::is_available(one.level)) {
      neardup::set_instruction_set(one.level);
      CHECK(neardup::active_instruction_set() == one.level);
    } else {
      CHECK_THROWS_AS(neardup::set_instruction_set(one.level), std::invalid_argument);
      CHECK(neardup::active_instruction_set() == instruction_set::portable);
    }
  }
  neardup::set_instruction_set(before);
#if defined(__x86_64__) && defined(__GNUC__)
  CHECK(neardup::is_available(instruction_set::sse2));
  CHECK_FALSE(neardup::is_available(instruction_set::neon));
  // Compares with the functions of the compiler that detect instruction sets.
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("popcnt");
  CHECK(neardup::is_available(instruction_set::avx2) == avx2);
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
                      __builtin_cpu_supports("avx512vpopcntdq");
  CHECK(neardup::is_available(instruction_set::avx512) == avx512);
#endif
  CHECK(neardup::to_string(instruction_set::portable) == "portable");
  CHECK(neardup::to_string(instruction_set::avx2) == "avx2");
}

TEST_CASE("levels of instructions are asked for what they have, and have no order") {
  using namespace neardup::detail;
  const auto has = [](instruction_set level) {
    std::string names;
    if (has_baseline(level)) names += "baseline ";
    if (has_sse2(level)) names += "sse2 ";
    if (has_avx2(level)) names += "avx2 ";
    if (has_avx512(level)) names += "avx512 ";
    if (has_neon(level)) names += "neon ";
    return names;
  };
  CHECK(has(instruction_set::portable).empty());
  CHECK(has(instruction_set::sse2) == "baseline sse2 ");
  CHECK(has(instruction_set::avx2) == "baseline sse2 avx2 ");
  CHECK(has(instruction_set::avx512) == "baseline sse2 avx2 avx512 ");
  CHECK(has(instruction_set::neon) == "baseline neon ");
  const auto is_ordered = [](auto a, auto b) {
    return requires { a < b; }
    || requires { a > b; }
    || requires { a <= b; }
    || requires { a >= b; };
  };
  STATIC_REQUIRE(is_ordered(1, 2));
  STATIC_REQUIRE_FALSE(is_ordered(instruction_set::portable, instruction_set::avx2));
}
