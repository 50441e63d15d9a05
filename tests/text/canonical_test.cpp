// Canonical text has the same words, whichever code points spell the characters.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/text/canonical.hpp>
#include <neardup/text/ngrams.hpp>
#include <neardup/text/unicode.hpp>
#include <neardup/text/utf8.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_text.hpp"
#include "oracle/spelling.hpp"
#include "support/instruction_sets.hpp"
#include "support/tokens.hpp"

namespace {

using namespace std::string_view_literals;
using neardup::canonicalise;
using support::exact_copy;
using support::printable;
using support::tokens;
using support::tokens_of;

std::string repeat(std::string_view part, std::size_t times) {
  std::string result;
  while (times-- > 0) result += part;
  return result;
}

/// The slow twin. It does every step on the whole text, and passes every character to the composer.
std::string composed_one_by_one(std::string_view text) {
  neardup::detail::canonical_composer composer;
  std::string form;
  for (const char32_t c : oracle::rejoined(oracle::unescaped(oracle::code_points_of(text)))) {
    composer.push(c, neardup::detail::canonical_code::of(c), form);
  }
  composer.close(form);
  std::string result;
  for (const char32_t c : oracle::with_tones_behind(oracle::code_points_of(form))) {
    char bytes[4];
    result.append(bytes, neardup::encode(c, bytes));
  }
  return neardup::normalise(result);
}

std::string canonical_in_chunks(const std::vector<std::string_view>& chunks) {
  neardup::detail::text_canonicaliser canonicaliser;
  std::string out;
  for (const std::string_view chunk : chunks) canonicaliser.append(exact_copy(chunk), out);
  canonicaliser.finish(out);
  return out;
}

/// Returns runs of characters that stay, and of characters that change. Some runs are longer than blocks.
std::string random_spelling(oracle::random_texts& random, std::size_t size) {
  static constexpr std::string_view spelt[] = {"a"sv,
                                               "I"sv,
                                               "e\u0301"sv,
                                               "\u0301"sv,
                                               "\u0323"sv,
                                               "\u0307"sv,
                                               "\u0345"sv,
                                               "\u00ad"sv,
                                               "\u200d"sv,
                                               "\U0001f469\u200d"sv,
                                               "\u2764\ufe0f"sv,
                                               "\U0001f3fd"sv,
                                               "\U000e0067"sv,
                                               "#\ufe0f\u20e3"sv,
                                               "\U0001f1e9"sv,
                                               "\u200b"sv,
                                               "\u00df"sv,
                                               "\u00b5"sv,
                                               "\ufb01"sv,
                                               "-\n"sv,
                                               "-\n\ufb03"sv,
                                               "\U0001d41a"sv,
                                               "\u1eadn"sv,
                                               "\u1100"sv,
                                               "\u1161"sv,
                                               "\u11a8"sv,
                                               "\uac00"sv,
                                               "\u304b"sv,
                                               "\u3099"sv,
                                               "\uff76\uff9e"sv,
                                               "\u4e2d"sv,
                                               "\u0e01"sv,
                                               "\u0e38"sv,
                                               "\u0e48"sv,
                                               "\u0915\u093f"sv,
                                               "\u094d"sv,
                                               "\u09c7\u09be"sv,
                                               "\u0640"sv,
                                               "\u0628"sv,
                                               "\u0650"sv,
                                               "\U000e0100"sv,
                                               "\ufe0f"sv,
                                               "\u212b"sv,
                                               "=\u0338"sv,
                                               "\u3002"sv,
                                               "\uff0c"sv,
                                               "\u2019"sv,
                                               "The quick brown "sv,
                                               "\u4e2d\u6587"sv,
                                               "\u00c9"sv,
                                               ". "sv,
                                               "\u0439"sv,
                                               "\u0438\u0306"sv,
                                               "\xe4\xb8"sv,
                                               "\xcc"sv,
                                               "\xff"sv,
                                               "\uff21"sv,
                                               "\u01c6"sv,
                                               "\u0130"sv,
                                               "&eacute;"sv,
                                               "&#x301;"sv,
                                               "&#768;"sv,
                                               "&shy;"sv,
                                               "&NotEqualTilde;"sv,
                                               "&nothing;"sv,
                                               "&"sv,
                                               "&#"sv,
                                               ";"sv,
                                               "-\n"sv,
                                               "x-\ny"sv,
                                               "-"sv,
                                               "\u00ad\r\n"sv,
                                               "\u00ac \n \f"sv,
                                               "\u2010\n"sv,
                                               "\n"sv,
                                               " "sv,
                                               "\u00f2a"sv,
                                               "o\u0301"sv,
                                               "A "sv,
                                               "\u1ecde."sv,
                                               "u\u0309y"sv};
  std::string text;
  while (text.size() < size) {
    const std::string_view run = spelt[random.below(std::size(spelt))];
    text += repeat(run, 1 + random.below(random.below(6) == 0 ? 40 : 2));
  }
  return text;
}

}  // namespace

TEST_CASE("canonical text does not depend on how characters are composed", "[canonical]") {
  CHECK(canonicalise("") == "");
  CHECK(canonicalise("Vie\u0323\u0302t Nam") == "vi\u1ec7t nam");
  CHECK(canonicalise("Vi\u1ec7t Nam") == "vi\u1ec7t nam");
  CHECK(canonicalise("Vi\u00ea\u0323t") == "vi\u1ec7t");
  CHECK(canonicalise("\u1112\u1161\u11ab\u1100\u1173\u11af") == "\ud55c\uae00");
  CHECK(canonicalise("\ud558\u11ab") == "\ud55c");
  CHECK(canonicalise("\u304b\u3099") == "\u304c");
  CHECK(canonicalise("\u212b \u2126 \u212a") == "\u00e5 \u03c9 k");
  CHECK(canonicalise("\u05e9\u05c1\u05bc") == canonicalise("\ufb2c"));
  CHECK(canonicalise("\uf900") == "\u8c48");
  CHECK(canonicalise("a =\u0338 b") == "a b");
  // The result exists only in lower case.
  CHECK(canonicalise("J\u030c") == "\u01f0");
}

TEST_CASE("canonical text is without what is not seen", "[canonical]") {
  CHECK(canonicalise("Ver\u00adfas\u00adsung") == "verfassung");
  CHECK(canonicalise("\ufeffa\u200bb\u2060c\u200ed\u202ae\u202c") == "abcde");
  CHECK(canonicalise("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645") ==
        "\u0645\u064a\u062e\u0648\u0627\u0647\u0645");
  CHECK(canonicalise("\u0643\u0640\u0640\u062a\u0627\u0628") == "\u0643\u062a\u0627\u0628");
  CHECK(canonicalise("\u845b\U000e0100\u57ce") == "\u845b\u57ce");
  CHECK(canonicalise("a\u0301\u034f\u0323") == "\u1ea1\u0301");
  CHECK(canonicalise("\u2764\ufe0f x 1\ufe0f\u20e3 #\ufe0f\u20e3 \U0001f469\u200d\U0001f680y") ==
        "\u2764 x 1\u20e3 #\u20e3 \U0001f469\u200d\U0001f680y");
  CHECK(canonicalise("\u00ad\u200b\u0640") == "");
}

TEST_CASE("canonical text is in full case folding", "[canonical]") {
  CHECK(canonicalise("Stra\u00dfe STRASSE STRA\u1e9eE") == "strasse strasse strasse");
  CHECK(canonicalise("\u039f\u0394\u039f\u03a3 \u03bf\u03b4\u03bf\u03c2") ==
        "\u03bf\u03b4\u03bf\u03c3 \u03bf\u03b4\u03bf\u03c3");
  CHECK(canonicalise("\u00b5 \u017f \u1fb3") == "\u03bc s \u03b1\u03b9");
  CHECK(canonicalise("\u1fb3\u0301 \u1fb4") == "\u03ac\u03b9 \u03ac\u03b9");
  // A further dot above an i is removed.
  CHECK(canonicalise("\u0130stanbul I\u0307 i\u0307 i\u0323\u0307\u0307 i\u0307\u0301") ==
        "istanbul i i \u1ecb \u00ed");
  CHECK(canonicalise("\u0131 i\u0301\u0307 j\u0307") == "i \u00ed\u0307 j\u0307");
  // Unicode folds Cherokee to upper case. Canonical text then has it in lower case.
  CHECK(canonicalise("\u13a0\uab70") == "\uab70\uab70");
}

TEST_CASE("canonical text has what presentation forms are forms of", "[canonical]") {
  CHECK(canonicalise("\ufb01n o\ufb03ce \ufb05") == "fin office st");
  CHECK(canonicalise("\ufefb\ufee3\ufeae\ufea3\ufe92\ufe8e") == "\u0644\u0627\u0645\u0631\u062d\u0628\u0627");
  CHECK(canonicalise("\uff34\uff49\uff24\uff22\uff17\uff0c\uff76\uff9e") == "tidb7 \u30ac");
  // Superscripts, circled digits and Roman numerals stay, because their form has a meaning.
  CHECK(canonicalise("x\u00b2 \u2460 \u2163 \u2461 \u01c6") == "x\u00b2 \u2460 \u2173 \u2461 \u01c6");
}

TEST_CASE("a letter in a mathematical font is the letter in canonical text", "[canonical]") {
  // Bold, italic, script, fraktur, double-struck, sans-serif and monospaced letters. Some of them are in other blocks
  // of Unicode.
  CHECK(canonicalise("\U0001d400\U0001d44f\U0001d4ec\U0001d51e\u2102\U0001d5d3\U0001d68a \u212c\u210e\u2128") ==
        "abcacza bhz");
  CHECK(canonicalise("\U0001d7ce\U0001d7f6 \U0001d6b9\U0001d6dc\U0001d6e1 \U0001d6c1 \U0001ee00\U0001ee01") ==
        "00 \u03b8\u03b5\u03c0 \u0627\u0628");
  // Marks compose with the letter.
  CHECK(canonicalise("\U0001d404\u0301t\U0001d41e\u0301") == "\u00e9t\u00e9");
  // Similar letters of other scripts stay other letters.
  CHECK(canonicalise("\u0430") != canonicalise("a"));
}

TEST_CASE("canonical text is normalised text where nothing is spelt otherwise", "[canonical]") {
  CHECK(canonicalise("  The \u00c9t\u00e9,  1.5 \u4e2d \u6587! x") == "the \u00e9t\u00e9 1 5\u4e2d\u6587x");
  CHECK(canonicalise("\xff"
                     "a\xe4\xb8"
                     "b\xcc") == "a b");
  oracle::random_texts random(6);
  static constexpr std::string_view parts[] = {"A"sv,      "b "sv,     "\u4e2d"sv,       "\u3002"sv,
                                               "\u00e9"sv, "\u0416"sv, "\u0e01\u0e48"sv, "\u0915\u093f"sv,
                                               "\u30ab"sv, "\xff"sv,   "\u2019"sv,       "\u1ec7"sv};
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (std::size_t left = random.below(200); left > 0; --left) text += parts[random.below(std::size(parts))];
    if (canonicalise(text) == neardup::normalise(text)) continue;
    CAPTURE(printable(text));
    REQUIRE(printable(canonicalise(text)) == printable(neardup::normalise(text)));
  }
}

TEST_CASE("marks without a character are no part of canonical text", "[canonical]") {
  CHECK(canonicalise("\u0301a") == "a");
  CHECK(canonicalise("a. \u0301\u093f \u0301b") == "a b");
  CHECK(canonicalise("\u4e2d\u0301 \u0323\u6587") == "\u4e2d\u0301\u6587");
  CHECK(canonicalise("\u4e2d\u09c7.\u09be") == "\u4e2d\u09c7");
  CHECK(canonicalise("\u0345 \u0640\u064e") == "\u03b9");
}

TEST_CASE("thirty marks of a character count", "[canonical]") {
  const auto marked = [](std::size_t marks) { return "q" + repeat("\u0301", marks); };
  CHECK(canonicalise(marked(30)) == marked(30));
  CHECK(canonicalise(marked(31)) == marked(30));
  CHECK(canonicalise(marked(100000) + "x") == marked(30) + "x");
  // One of the thirty marks becomes part of the letter. The others keep their order, and further marks are dropped.
  CHECK(canonicalise("e" + repeat("\u0301", 29) + "\u0323" + repeat("\u0323", 5)) == "\u1eb9" + repeat("\u0301", 29));
  CHECK(canonicalise("e\u0323" + repeat("\u0301", 40)) == "\u1eb9" + repeat("\u0301", 29));
  // A character that is dropped does not separate marks. Marks without a combining class are not limited.
  CHECK(canonicalise("q" + repeat("\u0301\u034f", 31)) == marked(30));
  CHECK(canonicalise("\u0915" + repeat("\u093e", 100)) == "\u0915" + repeat("\u093e", 100));
  CHECK(canonicalise("\u0e01" + repeat("\u0e48", 100)) == "\u0e01" + repeat("\u0e48", 30));
}

TEST_CASE("canonical text has characters for their references", "[canonical]") {
  CHECK(canonicalise("caf&eacute; &Agrave;&#32;la&nbsp;carte") == "caf\u00e9 \u00e0 la carte");
  CHECK(canonicalise("AT&amp;T it&#39;s 5 &lt; 6 &hellip; &mdash;x") == "at t it s 5 6 x");
  CHECK(canonicalise("&#x4e2d;&#25991; &#X41; &#0000066; &#153; &#146;s") == "\u4e2d\u6587a b s");
  CHECK(canonicalise("e&#x301; &lstrok;&Lstrok; &fjlig; &Afr; &bne;") == "\u00e9 \u0142\u0142 fj a");
  CHECK(canonicalise("Ver&shy;fas&zwnj;sung") == "verfassung");
  // A reference is replaced only once, and only if it ends with a semicolon.
  CHECK(canonicalise("&amp;eacute; &eacute x &copy=2 &; &#; &#x; &foo; &#x110000; &#xd800;a") ==
        "eacute eacute x copy 2 x foo a");
  CHECK(canonicalise("&CounterClockwiseContourIntegral;x &CounterClockwiseContourIntegrals;") ==
        "x counterclockwisecontourintegrals");
}

TEST_CASE("words that a line end cuts are whole in canonical text", "[canonical]") {
  CHECK(canonicalise("an exam-\nple, exam\u2010\r\n  ple, exam- \n\t ple, exam\u00ac\nple") ==
        "an example example example example");
  CHECK(canonicalise("exam\u00ad\nple Nord\u00ad\nAmerika COVID\u00ad\n19 exam&shy;\nple") ==
        "example nordamerika covid19 example");
  CHECK(canonicalise("caf\u00e9-\nteria cafe\u0301-\nteria \u043f\u043e-\n\u0440\u0430") ==
        "caf\u00e9teria caf\u00e9teria \u043f\u043e\u0440\u0430");
  // PDF files have ligatures. Full-width and mathematical letters and many other scripts have a case, too.
  CHECK(canonicalise("modi\ufb01-\ncation o-\n\ufb03ce \uff21\uff22-\n\uff43 \U0001d400-\n\U0001d41b") ==
        "modification office abc ab");
  CHECK(canonicalise("\u10d0-\n\u10d1 \u2c30-\n\u2c31 \ufb13-\n\ufb14 \U0001d41a-\n\U0001d401") ==
        "\u10d0\u10d1 \u2c30\u2c31 \u0574\u0576\u0574\u0565 a b");
  // This compound looks like a word that was cut.
  CHECK(canonicalise("well-\nknown") == "wellknown");
  // Names, numbers, lists and other lines are not words that were cut.
  CHECK(canonicalise("Anti-\nAmerican EXAM-\nPLE 1990-\n1995 x2-\na x-\n2 - \nitem -\nitem exam-\n\nple exam- ple") ==
        "anti american exam ple 1990 1995 x2 a x 2 item item exam ple exam ple");
  CHECK(canonicalise("exam-" + repeat(" ", 32) + "\n" + repeat(" ", 32) + "ple") == "example");
  CHECK(canonicalise("exam-" + repeat(" ", 33) + "\nple exam-\n" + repeat(" ", 33) + "ple") == "exam ple exam ple");
  CHECK(canonicalise("exam-\n") == "exam");
}

TEST_CASE("Vietnamese tone marks stand in one place of canonical text", "[canonical]") {
  // Each syllable with the tone mark in the old place and in the new one.
  static constexpr std::string_view syllables[][2] = {
      {"h\u00f2a", "ho\u00e0"}, {"h\u00f3a", "ho\u00e1"}, {"h\u1ecfa", "ho\u1ea3"}, {"h\u00f5a", "ho\u00e3"},
      {"h\u1ecda", "ho\u1ea1"}, {"h\u00f2e", "ho\u00e8"}, {"h\u00f3e", "ho\u00e9"}, {"h\u1ecfe", "ho\u1ebb"},
      {"h\u00f5e", "ho\u1ebd"}, {"h\u1ecde", "ho\u1eb9"}, {"h\u00f9y", "hu\u1ef3"}, {"h\u00fay", "hu\u00fd"},
      {"h\u1ee7y", "hu\u1ef7"}, {"h\u0169y", "hu\u1ef9"}, {"h\u1ee5y", "hu\u1ef5"}};
  for (const auto& syllable : syllables) {
    const std::string old_place(syllable[0]), new_place(syllable[1]);
    CHECK(canonicalise(old_place) == new_place);
    CHECK(canonicalise(new_place) == new_place);
    CHECK(canonicalise(old_place + " b\u00ecnh, " + old_place) == new_place + " b\u00ecnh " + new_place);
  }
  CHECK(canonicalise("HO\u0300A HO\u00c0 H\u00d2A ho\u0300a hoa\u0300") ==
        "ho\u00e0 ho\u00e0 ho\u00e0 ho\u00e0 ho\u00e0");
  CHECK(canonicalise("TH\u1ee6Y th\u1ee7y thu\u1ef7 thuy\u0309") == "thu\u1ef7 thu\u1ef7 thu\u1ef7 thu\u1ef7");
  // If letters follow, or with other vowels, the tone mark has one place only.
  CHECK(canonicalise("ho\u00e0n n\u00f3ai m\u00f3ar m\u00faa m\u00eda t\u00f4a") ==
        "ho\u00e0n n\u00f3ai m\u00f3ar m\u00faa m\u00eda t\u00f4a");
}

TEST_CASE("canonical text by blocks is that of one character after the other, whatever the cuts", "[canonical]") {
  for (const neardup::instruction_set level : support::instruction_sets()) {
    const support::forced_instruction_set forced(level);
    INFO(neardup::to_string(level));
    oracle::random_texts random(12);
    const std::size_t rounds = oracle::effort(20000, 2000, 20);
    for (std::size_t i = 0; i < rounds; ++i) {
      const std::size_t size = random.below(i % 100 == 0 ? 30000 : 400);
      const std::string text = i % 3 == 0 ? random.next(size / 2) : random_spelling(random, size);
      const std::string expected = composed_one_by_one(text);
      const std::string found = canonicalise(exact_copy(text));
      const std::size_t chunk = 1 + random.below(i % 2 == 0 ? 5 : 150);
      const std::string in_chunks = canonical_in_chunks(support::cut_every(text, chunk));
      const bool is_stable = canonicalise(found) == found && neardup::normalise(found) == found;
      if (found == expected && in_chunks == expected && is_stable && neardup::count_invalid(found) == 0) continue;
      CAPTURE(printable(text), chunk);
      REQUIRE(printable(found) == printable(expected));
      REQUIRE(printable(in_chunks) == printable(expected));
      REQUIRE(printable(canonicalise(found)) == printable(found));
      REQUIRE(printable(neardup::normalise(found)) == printable(found));
      REQUIRE(neardup::count_invalid(found) == 0);
    }
    const std::string text = random_spelling(random, oracle::effort(1500, 1500, 500));
    std::size_t wrong = 0;
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      if (canonical_in_chunks(support::cut_at(text, cut)) != composed_one_by_one(text)) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("every character is canonical in a block as it is alone", "[canonical]") {
  const auto step = static_cast<char32_t>(oracle::effort(1, 41, 211));
  const auto levels = support::instruction_sets();
  const std::string before(50, 'b');
  for (char32_t c = 0; c <= 0x10ffff; c += c < 0x3400 || (c >= 0xf900 && c < 0x10000) ? 1 : step) {
    char bytes[4];
    const std::string character(bytes, neardup::encode(c, bytes));
    const std::string text = before + character + "a\u4e2d" + character + " " + character + "\u4e2d. Z" + character +
                             "\u0301x" + before + before + character;
    const std::string expected = composed_one_by_one(text);
    for (const neardup::instruction_set level : levels) {
      const support::forced_instruction_set forced(level);
      if (canonicalise(text) == expected) continue;
      INFO(neardup::to_string(level));
      CAPTURE(static_cast<std::uint32_t>(c));
      REQUIRE(printable(canonicalise(text)) == printable(expected));
    }
  }
}

TEST_CASE("all pairs of bytes are canonical in a block as they are alone", "[canonical]") {
  const auto levels = support::instruction_sets();
  for (unsigned pair = 0; pair < 0x10000; pair += static_cast<unsigned>(oracle::effort(1, 7))) {
    const std::string two{static_cast<char>(pair >> 8), static_cast<char>(pair & 0xff)};
    const std::string text = "word " + two + "\x80 Ab" + two + "\u4e2d" + std::string(41, ' ') + two + "\xbf" + two +
                             "\u0301" + std::string(70, 'a') + two;
    const std::string expected = composed_one_by_one(text);
    for (const neardup::instruction_set level : levels) {
      const support::forced_instruction_set forced(level);
      if (canonicalise(text) == expected) continue;
      INFO(neardup::to_string(level));
      CAPTURE(pair);
      REQUIRE(printable(canonicalise(text)) == printable(expected));
    }
  }
}

TEST_CASE("canonical hands the rewritten text to the inner tokenizer", "[canonical]") {
  CHECK(canonicalise("\U0001f3f4\U000e0067\U000e007f \U0001f44d\ufe0f\U0001f3fd a\u200db") ==
        "\U0001f3f4\U000e0067\U000e007f \U0001f44d\U0001f3fd ab");
  const std::string_view text = "Cafe\u0301 stra\u00dfe\u00ad";
  CHECK(tokens_of(neardup::canonical{neardup::words{}}, text) == tokens{"caf\u00e9", "strasse"});
  CHECK(tokens_of(neardup::canonical{neardup::code_point_ngrams{20}}, text) == tokens{"caf\u00e9 strasse"});
  const neardup::canonical<neardup::code_point_ngrams> grams{neardup::code_point_ngrams{3}};
  support::token_stream<neardup::canonical<neardup::code_point_ngrams>> stream(grams);
  for (std::size_t i = 0; i <= text.size(); ++i) {
    CHECK(support::tokens_of_chunks(stream, support::cut_at(text, i)) == tokens_of(grams, text));
  }
}

TEST_CASE("what reads the same is the same canonical text", "[canonical]") {
  const auto require_same = [](std::string_view a, std::string_view b) {
    CAPTURE(printable(a), printable(b));
    CHECK(printable(canonicalise(a)) == printable(canonicalise(b)));
  };
  require_same("\u0645\u064e\u0631\u0652\u062d\u064e\u0628\u064b\u0627",
               "\u0645\u0631\u062d\u0628\u0627");  // vowel marks
  require_same("\u05d1\u05b0\u05bc\u05e8\u05b5\u05d0\u05e9\u05b4\u05c1\u0596\u05d9\u05ea",
               "\u05d1\u05e8\u05d0\u05e9\u05d9\u05ea");
  require_same("\u0623\u0625\u0622\u0671", "\u0627\u0627\u0627\u0627");  // forms of alef
  require_same("\u0627\u0654\u0648\u0654", "\u0623\u0624");
  require_same("\u0627\u06cc\u0631\u0627\u0646 \u06a9\u062a\u0627\u0628",
               "\u0627\u064a\u0631\u0627\u0646 \u0643\u062a\u0627\u0628");  // Persian
  require_same("\ufe8e\ufb8f\ufbfd\ufb50", "\u0627\u0643\u064a\u0627");
  require_same("ISPARTA \u0130zmir", "\u0131sparta izmir");  // Turkish
  require_same("don\u02bct \u02bbokina \u0149", "don't 'okina 'n");
}

TEST_CASE("what every code point becomes in canonical text is a matter of record", "[canonical]") {
  // If this digest changes, stored fingerprints change.
  std::uint64_t digest = 0xcbf29ce484222325U;
  for (char32_t c = 0; c <= 0x10ffff; ++c) {
    char bytes[4];
    const std::string character(bytes, neardup::encode(c, bytes));
    for (const char byte : canonicalise("a" + character + "\u0323\u0301")) {
      digest = (digest ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
  }
  CHECK(digest == 0xf56e434aee15c703U);
}
