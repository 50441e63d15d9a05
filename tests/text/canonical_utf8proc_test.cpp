// Compares canonical text with utf8proc, which has its own tables and algorithms.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/text/canonical.hpp>
#include <neardup/text/unicode.hpp>
#include <neardup/text/utf8.hpp>

#include "catch.hpp"
#include "oracle/canonical.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_text.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::canonicalise;
using support::printable;

std::string utf8(char32_t c) {
  char bytes[4];
  return std::string(bytes, neardup::encode(c, bytes));
}

std::string utf8(const std::vector<char32_t>& text) {
  std::string result;
  for (const char32_t c : text) result += utf8(c);
  return result;
}

/// Returns the text in a normalisation form of Unicode, computed by utf8proc.
std::string in_form(std::string_view text, utf8proc_option_t form) {
  utf8proc_uint8_t* result = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &result, static_cast<utf8proc_option_t>(form | UTF8PROC_STABLE));
  REQUIRE(size >= 0);
  std::string copy(reinterpret_cast<const char*>(result), static_cast<std::size_t>(size));
  std::free(result);  // NOLINT(cppcoreguidelines-no-malloc): how utf8proc got it
  return copy;
}

void require_as_utf8proc(std::string_view text) {
  const std::string expected = oracle::canonicalise(text);
  const std::string found = canonicalise(text);
  if (found == expected && canonicalise(found) == found) return;
  CAPTURE(printable(text));
  REQUIRE(printable(found) == printable(expected));
  REQUIRE(printable(canonicalise(found)) == printable(found));
}

/// Requires the same canonical text for the decomposed and the composed spelling.
void require_same_in_all_forms(std::string_view text) {
  require_as_utf8proc(text);
  const std::string found = canonicalise(text);
  for (const utf8proc_option_t form : {UTF8PROC_DECOMPOSE, UTF8PROC_COMPOSE}) {
    const std::string other = in_form(text, form);
    if (canonicalise(other) == found) continue;
    CAPTURE(printable(text), printable(other));
    REQUIRE(printable(canonicalise(other)) == printable(found));
  }
}

/// Returns the code points that case folding, composition or a mapping changes, and a sample of the others.
std::vector<char32_t> concerned() {
  std::vector<char32_t> result;
  for (char32_t c = 1; c < 0x2fb00; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    const auto* const is = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
    const bool is_concerned = is->combining_class != 0 || is->decomp_seqindex != 0xffff ||
                              is->casefold_seqindex != 0xffff || is->comb_index != 0xffff;
    if (is_concerned || c % 97 == 0) result.push_back(c);
  }
  return result;
}

std::vector<char32_t> concerned_if(bool (*wanted)(char32_t)) {
  std::vector<char32_t> result;
  for (const char32_t c : concerned()) {
    if (wanted(c)) result.push_back(c);
  }
  return result;
}

bool is_mark(char32_t c) { return neardup::classify(c) == neardup::character_class::mark; }
bool is_base(char32_t c) { return !is_mark(c) && c < 0xf900; }

}  // namespace

TEST_CASE("utf8proc and the tables are of one version of Unicode", "[canonical][utf8proc]") {
  CHECK(std::string_view(utf8proc_unicode_version()) == neardup::detail::unicode_tables_version);
}

TEST_CASE("every code point alone, and beside others, is canonical as by utf8proc", "[canonical][utf8proc]") {
  const auto step = static_cast<char32_t>(oracle::effort(1, 1, 97));
  for (char32_t c = 0; c <= 0x10ffff; c += step) {
    // Ideographs, and code points from U+2FB00 on, hardly differ from each other, so a sample of them is enough.
    if (step == 1 && c >= 0x4e00 && c < 0xa000 && c % 16 != 0) continue;
    if (step == 1 && c >= 0x2fb00 && c % 64 != 0) continue;
    require_as_utf8proc("a" + utf8(c) + "b" + utf8(c) + "\u0301 \u4e2d" + utf8(c) + "\u6587i" + utf8(c));
    if (c < 0xd800 || c >= 0xe000) require_same_in_all_forms(utf8(c));
  }
}

TEST_CASE("every letter in another font is canonical as the letter that it stands for", "[canonical][utf8proc]") {
  std::size_t found = 0;
  for (char32_t c = 0; c <= 0x10ffff; ++c) {
    if (utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->decomp_type != UTF8PROC_DECOMP_TYPE_FONT) continue;
    ++found;
    const std::string plain = in_form(utf8(c), static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT));
    CAPTURE(printable(utf8(c)));
    CHECK(printable(canonicalise("x" + utf8(c) + "y")) == printable(canonicalise("x" + plain + "y")));
  }
  CHECK(found == 1194);
}

TEST_CASE("all pairs of a character and a mark are canonical as by utf8proc", "[canonical][utf8proc]") {
  const std::vector<char32_t> bases = concerned_if(is_base);
  const std::vector<char32_t> marks = concerned_if(is_mark);
  CHECK(bases.size() > 3000);
  CHECK(marks.size() > 900);
  const std::size_t step = oracle::effort(1, 23, 997);
  std::size_t number = 0;
  for (const char32_t base : bases) {
    std::string all;
    for (const char32_t mark : marks) {
      if (number++ % step == 0) all += utf8({base, mark, U' '});
    }
    require_same_in_all_forms(all);
  }
}

TEST_CASE("all syllables of Hangul are one whichever way they are spelt", "[canonical][utf8proc]") {
  const auto step = static_cast<char32_t>(oracle::effort(1, 1, 13));
  std::size_t wrong = 0;
  for (char32_t i = 0; i < 11172; i += step) {
    const char32_t lead = 0x1100 + i / 588, vowel = 0x1161 + i % 588 / 28, tail = 0x11a7 + i % 28;
    const std::string syllable = utf8(0xac00 + i);
    std::string jamo = utf8({lead, vowel});
    std::string halves = utf8(0xac00 + i / 28 * 28);
    if (tail != 0x11a7) {
      jamo += utf8(tail);
      halves += utf8(tail);
    }
    const std::string text = "x" + syllable + syllable;
    wrong += canonicalise("X" + jamo + jamo) != text;
    wrong += canonicalise("X" + halves + halves) != text;
    wrong += canonicalise(text) != text || oracle::canonicalise(text) != text;
  }
  CHECK(wrong == 0);
}

TEST_CASE("marks in any order are canonical as by utf8proc", "[canonical][utf8proc]") {
  // Like the second part of Unicode's NormalizationTest.txt: each mark before and after three other marks.
  for (const char32_t mark : concerned_if(is_mark)) {
    require_same_in_all_forms(utf8({U'a', 0x315, 0x300, 0x5ae, mark, U'b'}));
    require_same_in_all_forms(utf8({U'a', mark, 0x315, 0x300, 0x5ae, U'b'}));
    require_same_in_all_forms(utf8({0x1e0d, 0x307, mark, 0x345, 0x1100, mark, 0x1161, 0x11a8}));
  }
}

TEST_CASE("random texts are canonical as by utf8proc, in every form", "[canonical][utf8proc]") {
  oracle::random_texts random(21);
  const std::vector<char32_t> all = concerned();
  const std::vector<char32_t> marks = concerned_if(is_mark);
  const std::size_t rounds = oracle::effort(200000, 4000, 200);
  for (std::size_t i = 0; i < rounds; ++i) {
    std::string text;
    std::size_t marks_left = 20;
    for (std::size_t size = random.below(40); size > 0; --size) {
      const std::size_t kind = random.below(8);
      if (kind < 3 && marks_left > 0) {
        text += utf8(marks[random.below(marks.size())]);
        --marks_left;
      } else if (kind < 5) {
        text += utf8(all[random.below(i % 2 == 0 ? all.size() : 900)]);
      } else {
        text += random.below(4) == 0 ? " \u4e2d" : "iI";
      }
    }
    require_same_in_all_forms(text);
    require_as_utf8proc(random.next(random.below(12)));
  }
}
