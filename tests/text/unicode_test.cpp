// Character classes and lower case: examples of many scripts, and golden values over all code points.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <neardup/text/unicode.hpp>

#include "catch.hpp"

namespace {

using neardup::character_class;
using neardup::classify;
using neardup::detail::to_lower;

void require_class(character_class expected, std::u32string_view characters) {
  for (const char32_t c : characters) {
    CAPTURE(static_cast<std::uint32_t>(c));
    REQUIRE(static_cast<int>(classify(c)) == static_cast<int>(expected));
  }
}

void require_lower(std::u32string_view upper, std::u32string_view lower) {
  REQUIRE(upper.size() == lower.size());
  for (std::size_t i = 0; i < upper.size(); ++i) {
    CAPTURE(i, static_cast<std::uint32_t>(upper[i]));
    REQUIRE(static_cast<std::uint32_t>(to_lower(upper[i])) == static_cast<std::uint32_t>(lower[i]));
  }
}

constexpr char32_t last_code_point = 0x10ffff;

/// FNV-1a over numbers.
struct digest {
  std::uint64_t value = 0xcbf29ce484222325;
  void add(std::uint64_t number) { value = (value ^ number) * 0x100000001b3; }
};

}  // namespace

TEST_CASE("letters and numbers of scripts with spaces", "[unicode]") {
  require_class(character_class::letter, U"azAZ09");
  require_class(character_class::letter, U"\u00aa\u00b5\u00ba\u00df\u00e9\u00ff\u0100\u1e9e");        // Latin
  require_class(character_class::letter, U"\u0391\u03c9\u0416\u044f\u0531\u10d0\u05d0\u0627\u0660");  // Greek to Arabic
  require_class(character_class::letter,
                U"\u0905\u0966\u0995\u0a05\u0b95\u0d05\u0f40\u1200\u13a0");               // India to Cherokee
  require_class(character_class::letter, U"\uac00\ud7a3\u1100\u3131");                    // Hangul
  require_class(character_class::letter, U"\u3105\u312f");                                // Bopomofo
  require_class(character_class::letter, U"\u00b2\u00bd\u2160\u2460\u3251\uff10\uff21");  // numbers, wide forms
  require_class(character_class::letter, U"\U00010400\U0001d400\U0001e900\U0001f100");
}

TEST_CASE("marks", "[unicode]") {
  require_class(character_class::mark, U"\u0300\u036f\u0483\u05b0\u064b\u093e\u094d\u0e31\u0e48\u1039\u17d2");
  require_class(character_class::mark, U"\u20dd\u302a\u3099\u309a\ufe20\U0001d165\U00016ff0");
}

TEST_CASE("what is ignored", "[unicode]") {
  require_class(character_class::ignored, U"\u00ad\u034f\u061c\u115f\u1160\u17b4\u180b\u200b\u200c\u200d\u200e\u202a");
  require_class(character_class::ignored, U"\u2060\u2065\u206f\u3164\ufe00\ufe0f\ufeff\uffa0\U0001d173");
  require_class(character_class::ignored, U"\U000e0000\U000e0001\U000e0067\U000e0100\U000e01ef\U000e0fff");
}

TEST_CASE("emoji", "[unicode]") {
  require_class(character_class::pictograph, U"\u203c\u2049\u2139\u2194\u231a\u24c2\u2600\u2764\u3030\u3297");
  require_class(character_class::pictograph, U"\U0001f004\U0001f600\U0001f9e1\U0001faff\U0001f3fb\U0001f3ff");
  require_class(character_class::regional, U"\U0001f1e6\U0001f1ff");
  require_class(character_class::other, U"\u00a9\u00ae\u2122#*");
}

TEST_CASE("letters and numbers of scripts without spaces", "[unicode]") {
  require_class(character_class::lone, U"\u3041\u3042\u3096\u309d\u30a1\u30f3\u30ff\u31f0\uff66\uff9d");  // kana
  require_class(character_class::lone, U"\u30fc\uff70\uff9e\uff9f\u3031\u3035\u303c");  // shared by all kana
  require_class(character_class::lone,
                U"\u0e01\u0e33\u0e40\u0e46\u0e50\u0e81\u0ed0\u1000\u1040\u1780\u17e0");  // Thai to Khmer
  require_class(character_class::lone, U"\u1950\u1980\u1a20\uaa80\ua9e7\uaa60");         // Tai, Myanmar
  require_class(character_class::lone, U"\ua000\ua48c\U00011700\U00016fe0\U00017000\U0001b170\U00018b00\U0001b001");
}

TEST_CASE("Han", "[unicode]") {
  require_class(character_class::han, U"\u3005\u3007\u3021\u3029\u3038\u303b\u3400\u4dbf\u4e00\u4e2d\u9fff");
  require_class(character_class::han, U"\uf900\ufa6d\ufad9\U00020000\U0002a6df\U0002a700\U00030000\U000323af");
  require_class(character_class::han, U"\u3006\u3192\u3220\u3280\U00016fe3");
}

TEST_CASE("what is no part of a word", "[unicode]") {
  require_class(character_class::other, std::u32string_view(U"\0\t\n !/:@[`{~\x7f", 13));
  require_class(character_class::other, U"\u0080\u00a0\u00ab\u00d7\u00f7\u037e\u0589\u060c\u0964\u0e3f\u2026");
  require_class(character_class::other, U"\u24b6\u2e80\u2f00\u3000\u3001\u300c\u30fb\uff01\uff5e");
  require_class(character_class::other, U"\ufffc\ufffd\U0001d100");
  // Unassigned and private code points, and numbers that are no code points.
  require_class(character_class::other, U"\u0378\ufada\U0002a6e0\U000323b0\ue000\uf8ff\U000f0000\U0010ffff");
  require_class(character_class::other, U"\U000323ff\U00032400\U000dffff\U000e1000");
  for (const std::uint32_t number : {0xd800U, 0xdfffU, 0xfffeU, 0x110000U, 0x7fffffffU, 0x80000041U, 0xffffffffU}) {
    CAPTURE(number);
    REQUIRE(classify(static_cast<char32_t>(number)) == character_class::other);
    REQUIRE(to_lower(static_cast<char32_t>(number)) == number);
  }
}

TEST_CASE("simple lower case", "[unicode]") {
  require_lower(U"AMZ@[`az09", U"amz@[`az09");
  require_lower(U"\u00c0\u00d6\u00d7\u00d8\u00de\u00df", U"\u00e0\u00f6\u00d7\u00f8\u00fe\u00df");
  require_lower(U"\u0100\u0101\u0130\u0131\u0178\u01c4\u01c5\u01c6", U"\u0101\u0101i\u0131\u00ff\u01c6\u01c6\u01c6");
  require_lower(U"\u0391\u03a3\u03c2\u03f4\u0416\u0401\u04c0\u0531",
                U"\u03b1\u03c3\u03c2\u03b8\u0436\u0451\u04cf\u0561");
  require_lower(U"\u10a0\u1c90\u13a0\u13f5\u1e9e\u1f08\u1ffc", U"\u2d00\u10d0\uab70\u13fd\u00df\u1f00\u1ff3");
  require_lower(U"\u2126\u212a\u212b\u2160\u24b6\uff21\u4e2d\u3042", U"\u03c9k\u00e5\u2170\u24d0\uff41\u4e2d\u3042");
  require_lower(U"\ua7c6\U00010400\U00010594\U0001e900\U0001e921", U"\u1d8e\U00010428\U000105bb\U0001e922\U0001e943");
}

// A failure here means that the tables changed, and with them tokens and stored fingerprints. The expected values come
// from `tools/make_unicode_tables.py --summary`, which takes them from the Unicode Character Database and not from the
// tables.
TEST_CASE("all code points have the classes and the lower case of Unicode 15.0.0", "[unicode][golden]") {
  REQUIRE(neardup::detail::unicode_tables_version == "15.0.0");

  std::array<std::size_t, 8> counts{};
  digest classes;
  std::size_t lowered = 0;
  digest lower;
  for (char32_t c = 0; c <= last_code_point; ++c) {
    const auto number = static_cast<std::size_t>(classify(c));
    REQUIRE(number < counts.size());
    ++counts[number];
    classes.add(number);
    if (to_lower(c) != c) {
      ++lowered;
      lower.add(c);
      lower.add(to_lower(c));
    }
  }
  const std::array<std::size_t, 8> expected_counts = {966256, 29635, 2187, 10176, 98119, 4174, 3539, 26};
  CHECK(counts == expected_counts);
  CHECK(classes.value == 0x75cd7d83ca0fd14a);
  CHECK(lowered == 1433);
  CHECK(lower.value == 0xab5373d002a29227);
}

TEST_CASE("lower case keeps the class and has no lower case of its own", "[unicode]") {
  for (char32_t c = 0; c <= last_code_point; ++c) {
    const char32_t lower = to_lower(c);
    if (to_lower(lower) == lower && classify(lower) == classify(c)) continue;
    if (c == U'\u24c2') continue;  // an emoji: no lower case
    CAPTURE(static_cast<std::uint32_t>(c));
    FAIL("lower case changes the class, or is not lower case");
  }
}

// The functions also work in constant expressions.
static_assert(classify(U'\u4e2d') == character_class::han);
static_assert(classify(U'_') == character_class::other);
static_assert(classify(U'\U000323ff') == character_class::other && classify(U'\U00032400') == character_class::other);
static_assert(to_lower(U'\u0416') == U'\u0436');
