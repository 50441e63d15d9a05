// Facts that near-duplicates must have in common: numbers, and the words of a list.
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
#include <neardup/storage/composition_of.hpp>
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

/// Returns how often each fact occurs.
std::map<std::string, int> counts_of(const tokens& facts) {
  std::map<std::string, int> result;
  for (const std::string& fact : facts) ++result[fact];
  return result;
}

/// Returns texts that share many words, and differ in numbers or negations.
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
  const std::vector<std::pair<std::string_view, tokens>> table = {
      {"no digits - ½-less", {"1/2"}},
      // Signs.
      {"PR-260 -2 (-3) --4 - 5 x-6 =-7 +8 1 -9", {"260", "-2", "-3", "4", "5", "6", "-7", "8", "1", "-9"}},
      {"\u22121 \uff0d2 \u20133 \u20104 \u20115 \ufe636 \u20127", {"-1", "-2", "-3", "-4", "-5", "-6", "-7"}},
      {"-$5 $-5 $5 -US$ 5 \u2212\u20ac5 pay-US$5", {"-5", "-5", "5", "-5", "-5", "5"}},
      {"\u96f6\u4e0b-5\u5ea6 \u0442-5", {"-5", "5"}},
      // Points, commas, thousands.
      {".5 -.5 $.5 foo.5 1..5 ...5", {"0.5", "-0.5", "0.5", "5", "1", "5", "5"}},
      {"0.5 2.50 007 1.000 1. 2, v1.2.3 26.11.2026", {"0.5", "2.50", "007", "1.000", "1", "2", "1.2.3", "26.11.2026"}},
      {"1,500 1.500 1500 3,14 0,500 1234,567", {"1,500", "1.500", "1500", "3,14", "0,500", "1234,567"}},
      {"1,234,567 12,34,567 1,234.5 1,234,567.50", {"1234567", "1234567", "1234.5", "1234567.50"}},
      {"1.234,5 1.234.567,8 1.234.567 1.5,2", {"1234.5", "1234567.8", "1.234.567", "1.5,2"}},
      {"1,2,3 1,234,5 0,123,456 7,2,", {"1", "2", "3", "1", "234", "5", "0", "123", "456", "7,2"}},
      {"-1,-2,-3 1-5,7,9-12", {"-1", "-2", "-3", "1-5", "7", "9-12"}},
      {"1'234'567 1\u2019234 1\uff07234 5'11 1'234.5 1'234,5", {"1234567", "1234", "1234", "5'11", "1234.5", "1234.5"}},
      {"1\u202f234 1\u00a0234 1\u2007234\u2007567 1\u2009234,5", {"1234", "1234", "1234567", "1234.5"}},
      {"12\u00a034 1\u00a0234\u00a05 2020\u00a0123", {"12", "34", "1", "234", "5", "2020", "123"}},
      {"3.141\u202f592\u202f65 12.5\u00a0300 1 234", {"3.14159265", "12.5", "300", "1", "234"}},
      // Several amounts in one number. Their order counts.
      {"3/4/2025 4/3/2025 2026-11-26 10:00:01,5 10h30", {"3/4/2025", "4/3/2025", "2026-11-26", "10:00:01,5", "10h30"}},
      {"1-5 1\u20135 1 - 5 1--5 -5--3 $5-$10", {"1-5", "1-5", "1", "5", "1--5", "-5--3", "5-10"}},
      {"555-1234 +49 30 12 3\u67084\u65e5 1920x1080 3<4 5+6",
       {"555-1234", "49", "30", "12", "3\u67084", "1920*1080", "3<4", "5+6"}},
      {"1;2 3|4 5\t6 7\n8 \u4e00\u3001\u0039\u3001\u0038 a[1][2]",
       {"1", "2", "3", "4", "5", "6", "7", "8", "9", "8", "1", "2"}},
      {"48\u00b051\u203224 1:2/3_4~5\uff5e6", {"48\u00b051\u203224", "1:2/3_4~5~6"}},
      {"B12 3f2a1 H264 1st2nd", {"12", "3f2a1", "264", "1", "2"}},
      // Exponents, powers, fractions, percents.
      {"1e-5 1E5 1e+05 1.e5 1e5f 1e-5f 1\uff455", {"1e-5", "1e5", "1e5", "1e5", "1e5", "1e-5", "1e5"}},
      {"10\u00b2 10\u00b3 102 10^2 10\u207b\u2075 10^-5 10^{-5} m\u00b2 m2",
       {"10^2", "10^3", "102", "10^2", "10^-5", "10^-5", "10^-5", "^2", "2"}},
      {"2\u00d710\u00b3 2 \u00d7 10^3 2 x 10^3 2*10^3 2e3 2x103", {"2e3", "2e3", "2e3", "2e3", "2e3", "2*103"}},
      {"1\u00bd \u00bd 1 1/2 1 3/2 1/2 1\u20442 \u215f8 \u00bd/3 1\u00a03/4",
       {"1 1/2", "1/2", "1 1/2", "1", "3/2", "1/2", "1/2", "1/8", "1/2", "3", "1 3/4"}},
      {"5% 5 % 5 5\u2030 5\uff05 5%-10%", {"5%", "5%", "5", "5\u2030", "5%", "5%-10%"}},
      {"0x1f 0X1E 0x 0\u00d710 0x10", {"0x1f", "0x1e", "0", "0*10", "0x10"}},
      {"H\u2082O x\u2081\u2082 10\u2082", {"2", "12", "10_2"}},
      // Other numerals and scripts.
      {"\u2460 \u2461 \u2473 \u24ea \u2776 1\u2460 \u3251 \U0001f101", {"1", "2", "20", "0", "1", "1", "1", "21", "0"}},
      {"\u2163 \u2173 \u2164 \u1372\u1369 \u1371", {"\u2173", "\u2173", "\u2174", "\u1372\u1369", "\u1371"}},
      {"\u0661\u0662\u066b\u0663 \uff11\uff12\uff0e\uff15 \U0001d7d8\u4e8c \uff11\uff12\uff0c\uff13\uff14\uff15",
       {"12.3", "12.5", "0", "12,345"}},
      {"12\u00ad345 1\u200b2 -\u20603 4\ufe0f\u20e3", {"12345", "12", "-3", "4"}},
      {"\xff"
       "7\xe4",
       {"7"}},
  };
  for (const auto& [text, expected] : table) {
    CAPTURE(text);
    CHECK(read(text) == expected);
  }
}

TEST_CASE("a number is the same in any dress, and different numbers are never the same", "[agreeing]") {
  // Writes a decimal number in another way: with the digits of a script, groups of thousands, ignored characters and
  // minuses.
  oracle::random_texts random(4646);
  const auto utf8 = [](char32_t c) {
    char bytes[4];
    return std::string(bytes, neardup::encode(c, bytes));
  };
  const auto dressed = [&](const std::string& number) {
    const char32_t zero = neardup::detail::zeros[random.below(std::size(neardup::detail::zeros))];
    const std::size_t point = (std::min)(number.find('.'), number.size());
    const bool has_decimals = point < number.size();
    static constexpr std::string_view groups[] = {"", "'", "\u2019", "\u00a0", "\u202f", "\u2007", ",", "."};
    std::string_view group = groups[random.below(std::size(groups))];
    const std::size_t begin = number.front() == '-' ? 1 : 0;
    // A comma or a point separates thousands only if the number also has the other sign, or a second comma.
    const bool is_ambiguous = !has_decimals && (group == "." || (group == "," && point - begin <= 6));
    if (point - begin <= 3 || is_ambiguous) group = "";
    std::string_view decimal = group == "." ? "," : ".";
    if (group.size() > 1 && random.below(2) == 0) decimal = ",";
    static constexpr std::string_view minuses[] = {"-", "\u2212", "\uff0d", "\u2013", "-$", "$-", "-\u20ac\u00a0"};
    std::string text = begin == 1             ? std::string(minuses[random.below(std::size(minuses))])
                       : random.below(8) == 0 ? "+"
                                              : "";
    for (std::size_t i = begin; i < number.size(); ++i) {
      if (i == point) {
        text += decimal;
        continue;
      }
      if (i > begin && i < point && (point - i) % 3 == 0) text += group;
      text += utf8(zero + static_cast<char32_t>(number[i] - '0'));
      if (random.below(20) == 0) text += random.below(2) == 0 ? "\u00ad" : "\u200b";
    }
    return text;
  };
  std::map<tokens, std::string> seen;
  for (int round = 0; round < 20'000; ++round) {
    std::string number = random.below(3) == 0 ? "-" : "";
    number += static_cast<char>('1' + random.below(9));
    for (std::size_t digits = random.below(9); digits > 0; --digits)
      number += static_cast<char>('0' + random.below(10));
    if (random.below(2) == 0) {
      number += '.';
      for (std::size_t digits = random.below(5) + 1; digits > 0; --digits)
        number += static_cast<char>('0' + random.below(10));
    }
    const std::string text = dressed(number);
    const tokens facts = tokens_of(numbers{}, text);
    CAPTURE(text);
    REQUIRE(facts == tokens{number});
    REQUIRE(seen.try_emplace(facts, number).first->second == number);
  }
}

TEST_CASE("digits are those that Unicode calls decimal", "[agreeing]") {
  // Each digit follows the digit that is smaller by one, and the tokenizers of words take it for part of a word.
  std::size_t digits = 0;
  for (char32_t c = 0; c <= 0x10ffff; ++c) {
    const int value = neardup::detail::digit_value(c);
    if (value < 0) continue;
    ++digits;
    const auto kind = neardup::classify(c);
    CHECK((kind == neardup::character_class::letter || kind == neardup::character_class::lone));
    if (value > 0) CHECK(neardup::detail::digit_value(c - 1) == value - 1);
  }
  CHECK(digits == 680);  // UnicodeData.txt 15.0 has 680 characters of category Nd
  std::size_t numerals = 0;
  for (char32_t c = 0; c <= 0x10ffff; ++c) {
    const bool is_special = neardup::detail::superscript_value(c) >= 0 || neardup::detail::is_subscript(c) ||
                            !neardup::detail::fraction_text(c).empty() || c == 0x215f;
    const bool is_numeral = neardup::detail::is_other_numeral(c);
    CHECK_FALSE((is_special && is_numeral));
    if (!is_special && !is_numeral) continue;
    ++numerals;
    CHECK(neardup::detail::digit_value(c) < 0);
  }
  CHECK(numerals == 1'138);  // the characters of categories Nl and No, except 13 of the script Han
}

TEST_CASE("words of a list are found whole, in any case, one after the other", "[agreeing]") {
  const auto list = listed_words::parse("not\n\n  No longer \nisn't\nn\u00e3o\n\u4e0d\n");
  CHECK(list.size() == 5);
  CHECK(tokens_of(list, "NOT a knot, no longer no; it isn't. N\u00c3O \u6211\u4e0d\u53bb no-longer") ==
        tokens{"not", "no longer", "isn t", "n\u00e3o", "\u4e0d", "no longer"});
  CHECK(tokens_of(list, "") == tokens{});
  // Accents composed or not, full case folding, vowel marks, words cut at line ends.
  const auto spelt = listed_words::parse("n\u00e3o\nke\u0301m\n\uc548\nGro\u00df\n\u0644\u0627\ncannot\n");
  CHECK(tokens_of(spelt,
                  "na\u0303o NA\u0303O k\u00c9M ke\u0301m \u110b\u1161\u11ab GROSS gro\u00df \u0644\u064e\u0627 "
                  "can-\nnot nao") ==
        tokens{"n\u00e3o", "n\u00e3o", "k\u00e9m", "k\u00e9m", "\uc548", "gross", "gross", "\u0644\u0627", "cannot"});
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
    return neardup::jaccard_similarity(first, second);
  };
  CHECK(similarity(same, "PR 260 was merged after the review", "PR 260 was merged after a review") ==
        similarity(pairs, "PR 260 was merged after the review", "PR 260 was merged after a review"));
  CHECK(similarity(same, "PR 260 was merged", "PR 480 was merged") == 0);
  CHECK(similarity(same, "from 2 to 3", "from 3 to 2") == similarity(pairs, "from 2 to 3", "from 3 to 2"));
  CHECK(similarity(same, "1,000,000 lines of code", "1000000 lines of code") > 0);
  CHECK(similarity(same, "1,000 lines of code", "1000 lines of code") == 0);  // "1,000" may mean 1.000
  CHECK(similarity(same, "due on 3/4/2025", "due on 4/3/2025") == 0);
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
      facts_of.push_back(counts_of(tokens_of(facts, text)));
    }
    const double least = 0.6;
    std::vector<std::vector<std::size_t>> expected;
    std::size_t without_facts = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (neardup::jaccard_similarity(plain_sets[i], plain_sets[j]) < least) continue;
        ++without_facts;
        if (facts_of[i] == facts_of[j]) expected.push_back({j, i});
      }
    }
    CHECK(expected.size() + 500 < without_facts);  // so the facts rule out many pairs
    CHECK(expected.size() > 100);
    std::vector<std::vector<std::size_t>> found;
    for (const auto& pair : neardup::pairs(sets, neardup::jaccard{least})) {
      found.push_back({std::size_t{pair.first}, std::size_t{pair.second}});
    }
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    CHECK(found == expected);

    // The deduplicator takes the closest kept text with the same facts, and the earliest of equally close ones.
    neardup::deduplicator dedup{neardup::feature_extractor{same}, neardup::jaccard{least}};
    std::vector<std::size_t> kept;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      bool is_new = true;
      for (const std::size_t k : kept) {
        const bool matches =
            neardup::jaccard_similarity(plain_sets[i], plain_sets[k]) >= least && facts_of[i] == facts_of[k];
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
