// Words in many scripts.
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/text/words.hpp>

#include "catch.hpp"
#include "oracle/random_text.hpp"
#include "oracle/text.hpp"
#include "support/tokens.hpp"

namespace {

using namespace std::string_view_literals;
using neardup::words;
using support::printable;
using support::tokens;
using support::tokens_of;

void require_words(std::string_view text, const tokens& expected) {
  CAPTURE(printable(text));
  CHECK(printable(tokens_of(words{}, text)) == printable(expected));
}

}  // namespace

TEST_CASE("words are runs of letters and digits between anything else", "[words]") {
  require_words("", {});
  require_words(" \t\n.,;!?-", {});
  require_words("a", {"a"});
  require_words("one two  three\n", {"one", "two", "three"});
  require_words("(one)-two/three", {"one", "two", "three"});
  require_words("x86 3rd 2024-01-31 3.14", {"x86", "3rd", "2024", "01", "31", "3", "14"});
  require_words("snake_case", {"snake", "case"});
  require_words("don't l'eau O\u2019Neill", {"don", "t", "l", "eau", "O", "Neill"});
  require_words("Case IS kept", {"Case", "IS", "kept"});
}

TEST_CASE("words of scripts with spaces are what is between the spaces", "[words]") {
  require_words("Stra\u00dfe \u00dcbergr\u00f6\u00dfe", {"Stra\u00dfe", "\u00dcbergr\u00f6\u00dfe"});
  require_words("\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440!",
                {"\u041f\u0440\u0438\u0432\u0435\u0442", "\u043c\u0438\u0440"});
  require_words("\u03b3\u03b5\u03b9\u03ac \u03c3\u03bf\u03c5", {"\u03b3\u03b5\u03b9\u03ac", "\u03c3\u03bf\u03c5"});
  // Hindi: vowel signs and the virama are marks within the word; the danda ends it.
  require_words("\u0939\u093f\u0928\u094d\u0926\u0940 \u092d\u093e\u0937\u093e\u0964",
                {"\u0939\u093f\u0928\u094d\u0926\u0940", "\u092d\u093e\u0937\u093e"});
  // Arabic with vowel marks and the tatweel, and the Arabic comma.
  require_words("\u0645\u064e\u0631\u0640\u062d\u0628\u0627\u060c \u0661\u0662",
                {"\u0645\u064e\u0631\u0640\u062d\u0628\u0627", "\u0661\u0662"});
  require_words("\u05e9\u05b8\u05dc\u05d5\u05b9\u05dd", {"\u05e9\u05b8\u05dc\u05d5\u05b9\u05dd"});
  require_words("\ud55c\uad6d\uc5b4 \ub2e8\uc5b4", {"\ud55c\uad6d\uc5b4", "\ub2e8\uc5b4"});
  require_words("e\u0301te\u0301", {"e\u0301te\u0301"});  // letters with combining accents
  require_words("\U00010400\U00010428", {"\U00010400\U00010428"});
  require_words("\u00b2\u00bd \u2167", {"\u00b2\u00bd", "\u2167"});  // numbers other than digits
}

TEST_CASE("a character of a script without spaces is a word of its own", "[words]") {
  require_words("\u4e2d\u6587", {"\u4e2d", "\u6587"});
  require_words("\u4e2d\u6587abc\u5b57", {"\u4e2d", "\u6587", "abc", "\u5b57"});
  require_words("\U00020000\u3005\u3007", {"\U00020000", "\u3005", "\u3007"});
  require_words("\u3072\u3089\u304c\u306a", {"\u3072", "\u3089", "\u304c", "\u306a"});
  // The prolonged sound mark is a letter that kana share, not a mark.
  require_words("\u30b3\u30fc\u30d2\u30fc", {"\u30b3", "\u30fc", "\u30d2", "\u30fc"});
  require_words("\u65e5\u672c\u3001\u8a9e\u3002", {"\u65e5", "\u672c", "\u8a9e"});
  require_words("\u1780\u17b6\u1798", {"\u1780\u17b6", "\u1798"});              // Khmer
  require_words("\u1019\u103c\u1014\u103a", {"\u1019\u103c", "\u1014\u103a"});  // Myanmar
}

TEST_CASE("marks stay with the character of a script without spaces that they follow", "[words]") {
  // Thai: vowels above and tone marks are marks, the vowels before and after the consonant are letters.
  require_words("\u0e20\u0e32\u0e29\u0e32\u0e17\u0e35\u0e48",
                {"\u0e20", "\u0e32", "\u0e29", "\u0e32", "\u0e17\u0e35\u0e48"});
  require_words("\u304b\u3099\u4e2d\ufe00", {"\u304b\u3099", "\u4e2d"});
  require_words("\u4e2d\u0301\u0302a\u0301\u4e2d", {"\u4e2d\u0301\u0302", "a\u0301", "\u4e2d"});
}

TEST_CASE("a mark after no word is none", "[words]") {
  require_words("\u0301", {});
  require_words(" \u0301a", {"a"});
  require_words("\u0301\u4e2d", {"\u4e2d"});
  require_words("\u4e2d \u0301\u0302a", {"\u4e2d", "a"});
  require_words("\ufe0f \u200d\u20e3", {});
}

TEST_CASE("what is ignored is as if it were not there", "[words]") {
  require_words("co\u00adope\u00adrate\u00ad", {"cooperate"});
  require_words("\ufeffa\u200db\u200bc\ufeffd", {"abcd"});
  require_words("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", {"\u0645\u06cc\u062e\u0648\u0627\u0647\u0645"});
  require_words("a\u00ad-\u00adb", {"a", "b"});
  require_words("e\u00ad\u0301", {"e\u0301"});
  require_words("\u4e2d\u200b\u6587\ufe00\u0301", {"\u4e2d", "\u6587\u0301"});
}

TEST_CASE("an emoji is a word, with all that belongs to it", "[words]") {
  require_words("a\U0001f600b\U0001f600\U0001f601", {"a", "\U0001f600", "b", "\U0001f600", "\U0001f601"});
  require_words("\u2764\ufe0f \u2600\ufe0f \u26a1", {"\u2764", "\u2600", "\u26a1"});
  // Skin tones, after an emoji and alone.
  require_words("\U0001f44d\U0001f3fd\U0001f44d\ufe0f\U0001f3ff", {"\U0001f44d\U0001f3fd", "\U0001f44d\U0001f3ff"});
  require_words("a\U0001f3fd\U0001f3fd", {"a", "\U0001f3fd", "\U0001f3fd"});
  // Emoji joined by U+200D; a joiner without a second emoji is ignored.
  require_words("\U0001f469\u200d\u2764\ufe0f\u200d\U0001f468!", {"\U0001f469\u200d\u2764\u200d\U0001f468"});
  require_words("\U0001f469\u200d \U0001f468", {"\U0001f469", "\U0001f468"});
  require_words("\U0001f469\u200da", {"\U0001f469", "a"});
  require_words("a\u200d\U0001f468", {"a", "\U0001f468"});
  // Flags of two letters, and of regions.
  require_words("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7\U0001f1e9",
                {"\U0001f1e9\U0001f1ea", "\U0001f1eb\U0001f1f7", "\U0001f1e9"});
  require_words("\U0001f3f4\U000e0067\U000e0062\U000e007f a\U000e0067",
                {"\U0001f3f4\U000e0067\U000e0062\U000e007f", "a"});
  // Keycaps.
  require_words("1\ufe0f\u20e3 1 #\ufe0f\u20e3 # *\u20e3a", {"1\u20e3", "1", "#\u20e3", "*\u20e3", "a"});
  require_words("# \u20e3 #a\u20e3", {"a\u20e3"});
}

TEST_CASE("each word has its place in the text", "[words]") {
  const std::string_view text = "co\u00adop \u2764\ufe0f!#\ufe0f\u20e3b\u00ad";
  std::vector<std::string> places;
  tokens found;
  neardup::for_each_word(text, [&](std::string_view word, std::string_view bytes) {
    CHECK((bytes.data() >= text.data() && bytes.data() + bytes.size() <= text.data() + text.size()));
    found.emplace_back(word);
    places.emplace_back(bytes);
  });
  CHECK(found == tokens{"coop", "\u2764", "#\u20e3", "b"});
  CHECK(places == tokens{"co\u00adop", "\u2764", "#\ufe0f\u20e3", "b"});
}

TEST_CASE("symbols and controls separate words", "[words]") {
  require_words("a+b=c \u20ac5 \u00a9x\u00ae\u2122", {"a", "b", "c", "5", "x"});
  require_words(
      "a\0b\x1f\x7f"
      "c"sv,
      {"a", "b", "c"});
}

TEST_CASE("words agree with the oracle", "[words]") {
  oracle::random_texts texts(1);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = texts.next(texts.below(40));
    const tokens found = tokens_of(words{}, text);
    const tokens expected = oracle::words(text);
    if (found == expected) continue;
    CAPTURE(printable(text));
    REQUIRE(printable(found) == printable(expected));
  }
}
