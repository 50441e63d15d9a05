// What near-duplicates must have in common: numbers, and the words of a list.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/dedup.hpp>
#include <neardup/fingerprint.hpp>
#include <neardup/sets.hpp>
#include <neardup/storage/composition.hpp>
#include <neardup/text.hpp>

#include "catch.hpp"
#include "oracle/random_text.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::agreeing;
using neardup::listed_words;
using neardup::numbers;
using support::tokens;
using support::tokens_of;

/// How often a text has each fact.
std::map<std::string, int> counted(const tokens& facts) {
  std::map<std::string, int> result;
  for (const std::string& fact : facts) ++result[fact];
  return result;
}

/// Texts that share much, and differ in numbers or negations.
std::vector<std::string> notes(std::size_t count) {
  oracle::random_texts random(46);
  static constexpr std::string_view words[] = {"merged", "after", "review", "the", "build", "was", "green", "again"};
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = "PR " + std::to_string(260 + random.below(3));
    if (random.below(4) == 0) text = "A pull request";
    for (const std::string_view word : words) {
      if (random.below(12) > 0) text.append(" ").append(word);
      if (random.below(30) == 0) text.append(random.below(2) == 0 ? " not" : " 7,000");
    }
    texts.push_back(text);
  }
  return texts;
}

}  // namespace

TEST_CASE("numbers are read as documented", "[agreeing]") {
  const auto read = [](std::string_view text) { return tokens_of(numbers{}, text); };
  CHECK(read("no digits") == tokens{});
  CHECK(read("PR-260 -2 (-3) 1-2 --4 - 5 x-6 =-7 \u22128") ==
        tokens{"260", "-2", "-3", "1", "2", "4", "5", "6", "-7", "-8"});
  CHECK(read("1,234,567.50 1'234'567 1\u2019234 1\u202f234 1\u00a0234") ==
        tokens{"1234567.50", "1234567", "1234", "1234", "1234"});
  CHECK(read("12,34 3,14 3.14 1,2,3 1,234,5 1234,567 1,234") ==
        tokens{"12.34", "3.14", "3.14", "1", "2", "3", "1", "234", "5", "1234.567", "1234"});
  CHECK(read("26.11.2026 1.000 007 2.50 v1.2.3 1. 2, .5") ==
        tokens{"26.11.2026", "1.000", "007", "2.50", "1.2.3", "1", "2", "5"});
  CHECK(read("B12 0x1f 10:00:01 2026-11-26 5% 1e-5") ==
        tokens{"12", "0", "1", "10", "00", "01", "2026", "11", "26", "5", "1", "5"});
  CHECK(read("\u0661\u0662\u066b\u0663 \uff11\uff12\uff0e\uff15 \u0967 \U0001d7d8\u4e8c x\u00b2") ==
        tokens{"12.3", "12.5", "1", "0"});
  CHECK(read("1,2,") == tokens{"1.2"});
  CHECK(read("\xff"
             "7\xe4") == tokens{"7"});
}

TEST_CASE("digits are those that Unicode calls decimal", "[agreeing]") {
  // Each row of ten is where the table says, and each of them is a number of the tokenizers of words.
  std::size_t digits = 0;
  for (char32_t c = 0; c <= 0x10ffff; ++c) {
    const int value = neardup::detail::digit_value(c);
    if (value < 0) continue;
    ++digits;
    const auto kind = neardup::classify(c);
    CHECK((kind == neardup::character_class::letter || kind == neardup::character_class::lone));
    if (value > 0) CHECK(neardup::detail::digit_value(c - 1) == value - 1);
  }
  CHECK(digits == 680);  // UnicodeData.txt 15.0: as many with the category Nd
}

TEST_CASE("words of a list are found whole, in any case, one after the other", "[agreeing]") {
  const auto list = listed_words::parse("not\n\n  No longer \nisn't\nn\u00e3o\n\u4e0d\n");
  CHECK(list.size() == 5);
  CHECK(tokens_of(list, "NOT a knot, no longer no; it isn't. N\u00c3O \u6211\u4e0d\u53bb no-longer") ==
        tokens{"not", "no longer", "isn t", "n\u00e3o", "\u4e0d", "no longer"});
  CHECK(tokens_of(list, "") == tokens{});
  CHECK_THROWS_WITH(listed_words::parse("not\n---\n", "list"), "list:2: no word");
  CHECK_THROWS_WITH(listed_words::parse("\xff\n", "list"), "list:1: not UTF-8");
  CHECK_THROWS_AS(listed_words::load("/nowhere/at/all"), std::runtime_error);
}

TEST_CASE("texts agree in all features or in none", "[agreeing]") {
  const neardup::shingles<neardup::words> pairs{2, {}};
  const agreeing same{numbers{}, pairs};
  CHECK(tokens_of(same, "a b c") == tokens_of(pairs, "a b c"));
  CHECK(tokens_of(same, "take 2 of 30") == tokens_of(same, "take 2 of 30"));
  const auto similarity = [](const auto& tokenize, std::string_view a, std::string_view b) {
    const neardup::feature_extractor extract{tokenize};
    const auto first = extract(a), second = extract(b);
    return neardup::jaccard(first, second);
  };
  CHECK(similarity(same, "PR 260 was merged after the review", "PR 260 was merged after a review") ==
        similarity(pairs, "PR 260 was merged after the review", "PR 260 was merged after a review"));
  CHECK(similarity(same, "PR 260 was merged", "PR 480 was merged") == 0);
  CHECK(similarity(same, "from 2 to 3", "from 3 to 2") == similarity(pairs, "from 2 to 3", "from 3 to 2"));
  CHECK(similarity(same, "1,000 lines of code", "1000 lines of code") > 0);
  CHECK(similarity(same, "7 and 7 again", "7 and again") == 0);
  CHECK(similarity(pairs, "7, 7 and 8 are here", "7, 8 and 8 are here") > 0);
  CHECK(similarity(same, "7, 7 and 8 are here", "7, 8 and 8 are here") == 0);
  CHECK(similarity(same, "no number", "no number 1") == 0);
  CHECK(similarity(same, "-2 degrees", "2 degrees") == 0);
  const agreeing negated{listed_words({"not"}), pairs};
  CHECK(similarity(negated, "I do not like it", "I do like it") == 0);
  CHECK(similarity(negated, "I do NOT like it at all", "I do not like it at") > 0);
}

TEST_CASE("what texts must agree in has a name", "[agreeing]") {
  const auto name_of = [](const auto& tokenize) {
    return neardup::composition_of(neardup::simhasher{tokenize}).tokenizer;
  };
  const neardup::words words;
  CHECK(name_of(agreeing{numbers{}, neardup::shingles{2, words}}) == "agreeing(numbers, shingles(2, words))");
  const listed_words no({"no"}), not_({"not"});
  CHECK(name_of(agreeing{no, words}) != name_of(agreeing{not_, words}));
  CHECK(name_of(agreeing{no, words}) == name_of(agreeing{listed_words({"NO", "no"}), words}));
}

TEST_CASE("pairs and decisions that must agree are those of a plain loop over facts", "[agreeing]") {
  const std::vector<std::string> texts = notes(300);
  const auto check = [&](const auto& facts) {
    const neardup::shingles<neardup::words> pairs{2, {}};
    const agreeing same{facts, pairs};
    const neardup::feature_extractor extract{same};
    const neardup::feature_extractor plain{pairs};
    std::vector<std::vector<std::uint32_t>> sets, plain_sets;
    std::vector<std::map<std::string, int>> facts_of;
    for (const std::string& text : texts) {
      const auto features = extract(text);
      sets.emplace_back(features.begin(), features.end());
      const auto others = plain(text);
      plain_sets.emplace_back(others.begin(), others.end());
      facts_of.push_back(counted(tokens_of(facts, text)));
    }
    const double least = 0.6;
    std::vector<std::vector<std::size_t>> expected;
    std::size_t without_facts = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (neardup::jaccard(plain_sets[i], plain_sets[j]) < least) continue;
        ++without_facts;
        if (facts_of[i] == facts_of[j]) expected.push_back({j, i});
      }
    }
    CHECK(expected.size() + 500 < without_facts);  // the demand matters
    CHECK(expected.size() > 100);
    std::vector<std::vector<std::size_t>> found;
    for (const auto& pair : neardup::pairs(sets, least)) {
      found.push_back({std::size_t{pair.first}, std::size_t{pair.second}});
    }
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    CHECK(found == expected);

    // One after the other: the closest of those kept before that agree, the earliest of these.
    neardup::deduplicator dedup{neardup::simhasher{same}, {.similarity = least}};
    std::vector<std::size_t> kept;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      bool is_new = true;
      for (const std::size_t k : kept) {
        const bool matches = neardup::jaccard(plain_sets[i], plain_sets[k]) >= least && facts_of[i] == facts_of[k];
        is_new = is_new && !matches;
      }
      if (is_new) kept.push_back(i);
      wrong += dedup.add(texts[i]).is_new() != is_new;
    }
    CHECK(wrong == 0);
  };
  check(numbers{});
  check(listed_words({"not"}));
}
