// Compares words with the data of Unicode and with ICU: properties, emoji, and the edges of user-perceived characters.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/text/canonical.hpp>
#include <neardup/text/normalise.hpp>
#include <neardup/text/unicode.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"
#include "oracle/random_engine.hpp"
#include "oracle/text.hpp"
#include "support/tokens.hpp"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>

namespace {

using neardup::character_class;
using support::printable;
using support::tokens;
using support::tokens_of;

using code_points = std::vector<std::uint32_t>;

/// Returns the lines of a file of the Unicode Character Database, without comments and empty lines.
std::vector<std::string> lines_of_file(const std::string& name) {
  std::ifstream file(std::string(NEARDUP_UNICODE_DATA "/").append(name));
  REQUIRE(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    line.resize(line.find('#') == line.npos ? line.size() : line.find('#'));
    if (line.find_first_not_of(" \t") != line.npos) lines.push_back(line);
  }
  return lines;
}

code_points hexadecimal(const std::string& text) {
  std::istringstream in(text);
  code_points result;
  for (std::uint32_t c = 0; in >> std::hex >> c;) result.push_back(c);
  return result;
}

bool is_tone(std::uint32_t c) { return c >= 0x1f3fb && c <= 0x1f3ff; }

bool is_pictograph(std::uint32_t c) {
  return neardup::classify(static_cast<char32_t>(c)) == character_class::pictograph && !is_tone(c);
}

/// Returns the user-perceived characters (grapheme clusters) of a text, computed by ICU.
std::vector<code_points> characters_of(const code_points& text) {
  icu::UnicodeString units;
  for (const std::uint32_t c : text) units.append(static_cast<UChar32>(c));
  UErrorCode error = U_ZERO_ERROR;
  static const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), error));
  REQUIRE(U_SUCCESS(error));
  breaks->setText(units);
  std::vector<code_points> result;
  for (std::int32_t begin = breaks->first(), end = breaks->next(); end != icu::BreakIterator::DONE;
       begin = end, end = breaks->next()) {
    result.emplace_back();
    for (std::int32_t i = begin; i < end; i = units.moveIndex32(i, 1)) {
      result.back().push_back(static_cast<std::uint32_t>(units.char32At(i)));
    }
  }
  return result;
}

}  // namespace

TEST_CASE("classes are those of ICU, of all code points", "[unicode][icu]") {
  std::size_t compared = 0;
  for (UChar32 c = 0; c <= 0x10ffff; ++c) {
    const character_class found = neardup::classify(static_cast<char32_t>(c));
    const auto category = U_GET_GC_MASK(c);
    const bool is_sign = c == 0xa9 || c == 0xae || c == 0x2122;
    character_class expected = character_class::other;
    if (u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0) {
      expected = character_class::ignored;
    } else if (u_hasBinaryProperty(c, UCHAR_REGIONAL_INDICATOR) != 0) {
      expected = character_class::regional;
    } else if (!is_sign && (u_hasBinaryProperty(c, UCHAR_EXTENDED_PICTOGRAPHIC) != 0 ||
                            u_hasBinaryProperty(c, UCHAR_EMOJI_MODIFIER) != 0)) {
      expected = character_class::pictograph;
    } else if ((category & U_GC_M_MASK) != 0) {
      expected = character_class::mark;
    } else if ((category & (U_GC_L_MASK | U_GC_N_MASK)) != 0) {
      // ICU has no class like `lone`. The library lists scripts whose letters are lone. ICU finds words of some scripts
      // by a dictionary; their letters must be lone.
      const bool is_letter = found == character_class::letter;
      const bool is_spaceless = found == character_class::lone || found == character_class::han;
      UErrorCode error = U_ZERO_ERROR;
      const UScriptCode script = uscript_getScript(c, &error);
      if (script == USCRIPT_HAN && found != character_class::han) FAIL("Han");
      if (u_getIntPropertyValue(c, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT && found != character_class::lone) {
        FAIL("a script that needs a dictionary");
      }
      if (script == USCRIPT_LATIN || script == USCRIPT_CYRILLIC || script == USCRIPT_ARABIC ||
          script == USCRIPT_HANGUL || script == USCRIPT_DEVANAGARI) {
        CHECK(is_letter);
      }
      expected = is_letter || is_spaceless ? found : character_class::letter;
    }
    ++compared;
    if (found == expected) continue;
    CAPTURE(c);
    FAIL("another class");
  }
  CHECK(compared == 0x110000);
}

TEST_CASE("each emoji of emoji-test.txt is one word, and each emoji another one", "[words][icu]") {
  std::size_t count = 0;
  std::set<std::string> all, without_selectors;
  for (const std::string& line : lines_of_file("emoji/emoji-test.txt")) {
    const code_points emoji = hexadecimal(line.substr(0, line.find(';')));
    const std::string text = oracle::encode_all(emoji);
    CAPTURE(line);
    const bool is_sign = emoji[0] == 0xa9 || emoji[0] == 0xae || emoji[0] == 0x2122;
    const tokens found = tokens_of(neardup::words{}, text);
    REQUIRE(found.size() == (is_sign ? 0 : 1));
    if (is_sign) continue;
    ++count;
    // The expected word is the emoji without variation selectors.
    std::string expected;
    for (const std::uint32_t c : emoji) expected += c == 0xfe0f ? "" : oracle::encode(c);
    CHECK(found[0] == expected);
    CHECK(tokens_of(neardup::words{}, "a " + text + "b") ==
          (neardup::classify(static_cast<char32_t>(emoji[0])) == character_class::letter ? tokens{"a", expected + "b"}
                                                                                         : tokens{"a", expected, "b"}));
    CHECK(tokens_of(neardup::normalised{neardup::words{}}, text) == found);
    CHECK(neardup::normalise(text) == expected);
    all.insert(found[0]);
    without_selectors.insert(expected);
  }
  CHECK(count > 4500);
  CHECK(all == without_selectors);
}

TEST_CASE("no character of GraphemeBreakTest.txt is cut into words", "[words][icu]") {
  std::size_t characters = 0;
  for (const std::string& line : lines_of_file("auxiliary/GraphemeBreakTest.txt")) {
    // A line is such as "÷ 0020 × 0308 ÷ 0020 ÷". ÷ means an edge of a character, × means no edge.
    std::istringstream in(line);
    code_points character;
    for (std::string part; in >> part;) {
      if (part != "\u00f7" && part != "\u00d7")
        character.push_back(static_cast<std::uint32_t>(std::stoul(part, nullptr, 16)));
      if (part != "\u00f7" || character.empty()) continue;
      ++characters;
      std::size_t most = 1;
      for (std::size_t i = 1; i < character.size(); ++i) {
        // A skin tone that does not follow an emoji is a separate word. So is a letter that is a spacing mark.
        if (is_tone(character[i]) && !is_pictograph(character[0])) ++most;
      }
      CAPTURE(line);
      CHECK(tokens_of(neardup::words{}, oracle::encode_all(character)).size() <= most);
      character.clear();
    }
  }
  CHECK(characters > 1000);
}

TEST_CASE("emoji are words where ICU takes them for characters", "[words][icu]") {
  // The pieces have variation selectors only in allowed places.
  const code_points pieces[] = {{0x1f469},
                                {0x1f3f4, 0xe0067, 0xe0062, 0xe007f},
                                {0x2764, 0xfe0f},
                                {0x2764},
                                {0x1f44d, 0x1f3fd},
                                {0x1f469, 0x200d},
                                {0x1f1e9},
                                {0x1f1ea},
                                {0x20},
                                {0x4e2d},
                                {0x2600, 0x301},
                                {0x1f469, 0x200d},
                                {0x1f468, 0x1f3fb, 0x200d}};
  std::mt19937 random(7 + oracle::seed_shift());
  for (int round = 0; round < 20000; ++round) {
    code_points text;
    for (std::size_t left = 1 + random() % 12; left > 0; --left) {
      const code_points& piece = pieces[random() % std::size(pieces)];
      text.insert(text.end(), piece.begin(), piece.end());
    }
    tokens expected;
    for (code_points character : characters_of(text)) {
      if (character.back() == 0x200d) character.pop_back();  // the joiner joins nothing here
      std::erase(character, 0xfe0f);
      if (character[0] != 0x20 && !character.empty()) expected.push_back(oracle::encode_all(character));
    }
    const std::string bytes = oracle::encode_all(text);
    if (tokens_of(neardup::words{}, bytes) == expected) continue;
    CAPTURE(printable(bytes));
    REQUIRE(printable(tokens_of(neardup::words{}, bytes)) == printable(expected));
  }
}

TEST_CASE("a hyphen cuts words between letters with a case as ICU knows them, of all code points", "[canonical][icu]") {
  std::size_t cut_behind = 0, cut_before = 0;
  for (std::uint32_t c = 0; c <= 0x10ffff; ++c) {
    if ((c >= 0xd800 && c < 0xe000) || c == 0x09 || c == 0x0c || c == 0x0d || c == 0x20) continue;
    const std::string character = oracle::encode(c);
    const auto category = U_GET_GC_MASK(static_cast<UChar32>(c));
    const character_class kind = neardup::classify(static_cast<char32_t>(c));
    const bool is_letter = kind == character_class::letter;
    const bool is_behind = kind == character_class::mark || (is_letter && (category & U_GC_LC_MASK) != 0);
    const bool is_before = is_letter && category == U_GC_LL_MASK;
    cut_behind += is_behind;
    cut_before += is_before;
    const std::string behind = "x" + character + "-\nab", before = "ab-\n" + character + "x";
    if (neardup::canonicalise(behind) == neardup::canonicalise("x" + character + (is_behind ? "ab" : " ab")) &&
        neardup::canonicalise(before) == neardup::canonicalise((is_before ? "ab" : "ab ") + character + "x")) {
      continue;
    }
    CAPTURE(c, printable(neardup::canonicalise(behind)), printable(neardup::canonicalise(before)));
    FAIL("a word that is cut, or one that is not");
  }
  CHECK(cut_behind > 6000);
  CHECK(cut_before == 2232);
}
