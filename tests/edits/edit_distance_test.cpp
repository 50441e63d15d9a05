// The edit distance against the plain table.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/edits/edit_distance.hpp>
#include <neardup/text/utf8.hpp>

#include "catch.hpp"
#include "oracle/edits.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_engine.hpp"
#include "support/instruction_sets.hpp"

namespace {

using neardup::edit_distance;
using neardup::edit_similarity;
using oracle::table_distance;

/// A text with some random edits over an alphabet.
std::string edited(std::string text, std::size_t edits, const std::string& alphabet, std::mt19937_64& random) {
  for (; edits > 0; --edits) {
    const char letter = alphabet[random() % alphabet.size()];
    const std::size_t at = random() % (text.size() + 1);
    switch (random() % 3) {
      case 0: text.insert(at, 1, letter); break;
      case 1:
        if (at < text.size()) text[at] = letter;
        break;
      default:
        if (at < text.size()) text.erase(at, 1);
    }
  }
  return text;
}

std::string drawn(std::size_t size, const std::string& alphabet, std::mt19937_64& random) {
  std::string text;
  while (text.size() < size) text += alphabet[random() % alphabet.size()];
  return text;
}

void check_bounds(const std::string& a, const std::string& b, std::size_t expected, std::size_t most) {
  const std::optional<std::size_t> found = edit_distance(a, b, most);
  if (found.has_value() != (expected <= most) || (found && *found != expected)) {
    FAIL("of " << a << " and " << b << ": " << expected << ", at most " << most);
  }
}

}  // namespace

TEST_CASE("the edit distance of some words", "[edit_distance]") {
  REQUIRE(edit_distance("kitten", "sitting") == 3);
  REQUIRE(edit_distance("intention", "execution") == 5);
  REQUIRE(edit_distance("", "abc") == 3);
  REQUIRE(edit_distance("abc", "") == 3);
  REQUIRE(edit_distance("", "") == 0);
  REQUIRE(edit_distance("same", "same") == 0);
  REQUIRE(edit_distance("ab", "ba") == 2);
  REQUIRE(edit_distance("kitten", "sitting", 3) == 3U);
  REQUIRE(!edit_distance("kitten", "sitting", 2));
  REQUIRE(edit_distance("same", "same", 0) == 0U);
  REQUIRE(!edit_distance("same", "sane", 0));
  REQUIRE(edit_similarity("kitten", "sitting") == 4.0 / 7);
  REQUIRE(edit_similarity("abc", "xyz") == 0.0);
  REQUIRE(edit_similarity("abc", "") == 0.0);
  REQUIRE(edit_similarity("", "") == 1.0);
}

TEST_CASE("an edit is of a code point, not of a byte", "[edit_distance]") {
  REQUIRE(edit_distance("天地玄黃", "天地元黃") == 1);
  REQUIRE(edit_distance("Straße", "Strasse") == 2);
  REQUIRE(edit_distance("a\xf0\x9f\x98\x80z", "az") == 1);
  REQUIRE(edit_similarity("天地玄黃", "天地元黃") == 0.75);
  // Each maximal ill-formed subpart is one U+FFFD, so two different subparts are equal.
  REQUIRE(edit_distance("a\xff"
                        "b",
                        "a\xef\xbf\xbd"
                        "b") == 0);
  REQUIRE(edit_distance("a\xe2\x82", "a\xfe") == 0);
  REQUIRE(edit_distance("a\xff\xff", "a\xff") == 1);
}

TEST_CASE("the edit distance of all short texts over two letters", "[edit_distance]") {
  std::vector<std::string> texts{""};
  for (std::size_t i = 0; texts[i].size() < 6; ++i) {
    texts.push_back(texts[i] + 'a');
    texts.push_back(texts[i] + 'b');
  }
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      const std::size_t expected = table_distance(a, b);
      if (edit_distance(a, b) != expected) FAIL(a << " and " << b);
      for (std::size_t most = 0; most <= 7; ++most) check_bounds(a, b, expected, most);
    }
  }
}

TEST_CASE("the edit distance of random texts around the widths of words", "[edit_distance]") {
  oracle::random_engine random(1);
  const std::size_t sizes[] = {1, 2, 31, 63, 64, 65, 100, 127, 128, 129, 191, 192, 193, 300, 450};
  const std::size_t rounds = oracle::effort(3000, 600);
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::string alphabet = std::string("abcdefghijklmnopqrstuvwxyz").substr(0, 1 + random() % 26);
    const std::string a = drawn(sizes[random() % std::size(sizes)], alphabet, random);
    const std::string b = random() % 3 == 0 ? drawn(sizes[random() % std::size(sizes)], alphabet, random)
                                            : edited(a, random() % 40, alphabet, random);
    const std::size_t expected = table_distance(a, b);
    if (edit_distance(a, b) != expected) FAIL(a << " and " << b);
    for (const std::size_t most : {std::size_t{0}, expected - (expected > 0 ? 1 : 0), expected, expected + 1,
                                   std::size_t{5}, std::size_t{64}, std::size_t{1000}, ~std::size_t{0}}) {
      check_bounds(a, b, expected, most);
      check_bounds(b, a, expected, most);
    }
    const auto longer = static_cast<double>(std::max(a.size(), b.size()));
    REQUIRE(edit_similarity(a, b) == (longer - static_cast<double>(expected)) / longer);
  }
}

TEST_CASE("the edit distance of long texts whose parts moved", "[edit_distance]") {
  oracle::random_engine random(2);
  for (std::size_t round = 0; round < oracle::effort(40, 8); ++round) {
    const std::string alphabet = round % 2 == 0 ? "ab" : "abcdefghij";
    const std::string text = drawn(1500 + random() % 500, alphabet, random);
    const std::size_t cut = random() % 200;
    // The best path leaves the diagonal far behind and comes back.
    std::string moved = text.substr(cut) + text.substr(0, cut);
    if (round % 4 < 2) moved = edited(moved, 30, alphabet, random);
    const std::size_t expected = table_distance(text, moved);
    REQUIRE(edit_distance(text, moved) == expected);
    for (const std::size_t most : {expected - (expected > 0 ? 1 : 0), expected, expected + 17}) {
      check_bounds(text, moved, expected, most);
    }
  }
}

TEST_CASE("the edit distances between a text and several patterns, with each instruction set", "[edit_distance]") {
  oracle::random_engine random(4);
  const auto numbers_of = [](const std::string& text) { return std::u32string(text.begin(), text.end()); };
  std::vector<neardup::detail::edit_bands> bands;
  for (const auto level : support::instruction_sets()) bands.emplace_back(128, nullptr, level);
  std::size_t within = 0, beyond = 0;
  for (std::size_t round = 0; round < oracle::effort(100, 25); ++round) {
    const std::string alphabet = std::string("abcdefghijklmnopqrstuvwxyz").substr(0, 2 + random() % 25);
    const std::string text = drawn(1 + random() % 700, alphabet, random);
    std::vector<std::u32string> patterns;
    std::vector<std::size_t> distances;
    for (int i = 0; i < 12; ++i) {
      std::string pattern = edited(text, random() % (text.size() / 2 + 2), alphabet, random);
      if (i % 4 == 1) pattern = drawn(1 + random() % 900, alphabet, random);
      if (i % 4 == 2) pattern = text.substr(text.size() / 3) + text.substr(0, text.size() / 3);
      if (pattern.empty()) pattern = alphabet;
      distances.push_back(table_distance(text, pattern));
      patterns.push_back(numbers_of(pattern));
    }
    const std::u32string numbers = numbers_of(text);
    const std::size_t shift = random() % 7;
    for (auto& one : bands) {
      for (std::size_t first = 0; first < patterns.size();) {
        std::vector<neardup::detail::edit_bands::question> questions;
        for (const std::size_t end = first + 1 + (first + shift) % one.lanes();
             first + questions.size() < std::min(end, patterns.size());) {
          const std::size_t i = first + questions.size(), d = distances[i];
          const std::size_t bounds[] = {d, d - (d > 0 ? 1 : 0), d + 5, d / 2, 4 * d, ~std::size_t{0}, d - d / 20};
          questions.push_back({patterns[i], bounds[(i + round) % std::size(bounds)]});
        }
        one.answer(numbers, questions);
        for (const auto& [pattern, most, distance] : questions) {
          const std::size_t expected = distances[first++];
          if (distance != (expected <= most ? std::optional(expected) : std::nullopt)) {
            FAIL(one.lanes() << " lanes, distance " << expected << ", at most " << most);
          }
          ++(distance ? within : beyond);
        }
      }
    }
  }
  CHECK(within > 500);
  CHECK(beyond > 200);
}

TEST_CASE("the edit distance of texts of any bytes is that of their code points", "[edit_distance]") {
  oracle::random_engine random(3);
  const std::vector<std::string> pieces{"a",    "b",        "\xc3\xa9", "\xe5\xa4\xa9", "\xf0\x9f\x98\x80",
                                        "\xff", "\xe5\xa4", "\x80"};
  for (int round = 0; round < 1000; ++round) {
    std::string texts[2];
    std::u32string code_points[2];
    for (int which = 0; which < 2; ++which) {
      for (auto n = random() % 90; n > 0; --n) texts[which] += pieces[random() % pieces.size()];
      neardup::for_each_code_point(texts[which], [&](char32_t c, std::string_view) { code_points[which] += c; });
    }
    REQUIRE(edit_distance(texts[0], texts[1]) == table_distance(code_points[0], code_points[1]));
  }
}

TEST_CASE("code points take 4 bytes each, however many their UTF-8 has", "[edit_distance]") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\xe4\xb8\xad";
  REQUIRE(neardup::detail::code_points_of(text).size() == 1000);
  REQUIRE(neardup::detail::code_points_of(text).capacity() < 1500);
}
