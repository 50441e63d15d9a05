// Fingerprints of pairs of code points, against hashing the pairs one by one.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/instruction_sets.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::instruction_set;
using fingerprint = neardup::simhash<128>;

const neardup::simhasher pairs{neardup::code_point_ngrams{2}, neardup::tf{}, neardup::xxh3<128>{0x9876543210U}};

/// Computes the fingerprint with a counter per bit.
std::optional<fingerprint> plain_fingerprint(std::string_view text) {
  std::vector<std::uint64_t> counts(128);
  std::size_t total = 0;
  pairs.tokenizer(text, [&](std::string_view token) {
    const auto words = pairs.hasher(token);
    for (std::size_t bit = 0; bit < 128; ++bit) counts[bit] += words[bit / 64] >> bit % 64 & 1U;
    ++total;
  });
  if (total == 0) return std::nullopt;
  fingerprint::words_type value{};
  for (std::size_t bit = 0; bit < 128; ++bit) value[bit / 64] |= std::uint64_t{2 * counts[bit] > total} << bit % 64;
  return fingerprint(value);
}

void check(const std::vector<std::string>& texts) {
  std::vector<std::optional<fingerprint>> expected;
  expected.reserve(texts.size());
  for (const std::string& text : texts) expected.push_back(plain_fingerprint(text));
  for (const instruction_set level : support::instruction_sets()) {
    const support::forced_instruction_set forced(level);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const support::exact_copy copy(texts[i]);
      if (pairs(std::string_view(copy)) != expected[i]) ++wrong;
    }
    INFO(neardup::to_string(level));
    CHECK(wrong == 0);
  }
}

// Sequences of each length, some at the limits of well-formed UTF-8.
const std::vector<std::string> characters{"a",      "~",          "\u0080",     "\u00e9",    "\u07ff",
                                          "\u0800", "\u4e2d",     "\u6587",     "\ud7ff",    "\ue000",
                                          "\uffff", "\U00010000", "\U00020000", "\U0010ffff"};
// Stray continuation bytes, impossible bytes, and incomplete sequences.
const std::vector<std::string> errors{"\x80",         "\xbf",
                                      "\xc0\xaf",     "\xc2",
                                      "\xe0\x9f\x80", "\xe4\xb8",
                                      "\xe4",         "\xed\xa0\x80",
                                      "\xf0\x8f",     "\xf0\x90\x80",
                                      "\xf4\x90\x80", "\xf8\x88\x80",
                                      "\xff",         "\xf1",
                                      "\xe0",         "\xed",
                                      "\xf4\x8f\xbf", "\xe4\xb8\xad\xad",
                                      "\xc3\xc3",     "\xf0\xe4\xb8\xad"};

/// Returns a text of about `size` bytes. Each run repeats one character at most `longest` times. The characters are the
/// `count` ones from number `first` on.
std::string mixed(std::mt19937_64& random, std::size_t size, std::size_t longest, std::size_t first,
                  std::size_t count) {
  std::string text;
  while (text.size() < size) {
    const std::string& character = characters[first + random() % count];
    for (std::size_t i = 1 + random() % longest; i > 0; --i) text += character;
  }
  return text;
}

}  // namespace

TEST_CASE("the fingerprint of pairs of code points has the majority of their hashes at each length") {
  oracle::random_engine random(1);
  // Sizes around one and two blocks, and around the most bytes whose pairs are hashed at a time.
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size < 330; size += oracle::effort(1, 5)) sizes.push_back(size);
  for (std::size_t size = 2040; size < 2250; size += oracle::effort(3, 17)) sizes.push_back(size);
  for (std::size_t size = 4090; size < 4300; size += oracle::effort(9, 41)) sizes.push_back(size);
  std::vector<std::string> texts;
  for (const std::size_t size : sizes) {
    texts.push_back(mixed(random, size, 1, 6, 2));                    // three bytes each
    texts.push_back(mixed(random, size, 1, 0, 2));                    // ASCII
    texts.push_back(mixed(random, size, 7, 0, characters.size()));    // all kinds
    texts.push_back(mixed(random, size, 1, 0, characters.size()));    // all kinds, without runs
    texts.push_back(mixed(random, size, 100, 0, characters.size()));  // all kinds, with long runs
    texts.push_back(mixed(random, size, 1, size % 14, 1));            // one code point
    texts.push_back("x" + mixed(random, size, 1, 11, 3));             // four bytes each, at odd offsets
    std::string chinese = "a";
    while (chinese.size() < size) chinese += random() % 5 == 0 ? "b" : random() % 200 == 0 ? "\u00b7" : "\u6587";
    texts.push_back(chinese);
  }
  check(texts);
}

TEST_CASE("texts that are not well-formed have the pairs of repaired ones, wherever the error is") {
  oracle::random_engine random(2);
  std::vector<std::string> texts;
  for (std::size_t round = 0; round < oracle::effort(6000, 600); ++round) {
    const std::size_t size = random() % (round % 20 == 0 ? 5000 : 300);
    std::string text = mixed(random, size, 1 + random() % 5, 0, round % 3 == 0 ? 8 : characters.size());
    for (std::size_t i = 1 + random() % 3; i > 0; --i) {
      const std::string& error = errors[random() % errors.size()];
      const std::size_t at = round % 4 == 0 ? text.size() : random() % (text.size() + 1);
      text.insert(at, error);
    }
    texts.push_back(text);
    text.resize(random() % (text.size() + 1));
    texts.push_back(text);
    // Changes one byte.
    if (!text.empty()) text[random() % text.size()] = static_cast<char>(random());
    texts.push_back(text);
  }
  check(texts);
}
