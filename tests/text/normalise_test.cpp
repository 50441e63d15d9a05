// Folding and normalising of whole strings.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/text/ngrams.hpp>
#include <neardup/text/normalise.hpp>
#include <neardup/text/unicode.hpp>
#include <neardup/text/utf8.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_text.hpp"
#include "oracle/text.hpp"
#include "support/instruction_sets.hpp"
#include "support/tokens.hpp"

namespace {

using namespace std::string_view_literals;
using neardup::fold;
using neardup::normalise;
using support::exact_copy;
using support::printable;
using support::tokens;
using support::tokens_of;

oracle::kind class_of(std::uint32_t c) {
  return static_cast<oracle::kind>(neardup::classify(static_cast<char32_t>(c)));
}

/// The slow twin of normalise. It uses the library's character classes.
std::string normalised_one_by_one(std::string_view text) {
  return oracle::normalise(oracle::decode(text), class_of,
                           [](std::uint32_t c) { return neardup::detail::to_lower(static_cast<char32_t>(c)); });
}

std::string normalised_in_chunks(const std::vector<std::string_view>& chunks) {
  neardup::detail::text_normaliser normaliser;
  std::string out;
  for (const std::string_view chunk : chunks) normaliser.append(exact_copy(chunk), out);
  normaliser.finish(out);
  return out;
}

}  // namespace

TEST_CASE("fold lower-cases A to Z and keeps every other byte", "[normalise]") {
  CHECK(fold("") == "");
  CHECK(fold("AZ az @[`{ 09") == "az az @[`{ 09");
  CHECK(fold("\u00c4\u0416\u4e2d") == "\u00c4\u0416\u4e2d");
  std::string all_bytes;
  for (int i = 0; i < 256; ++i) all_bytes.push_back(static_cast<char>(i));
  CHECK(fold(all_bytes) == oracle::fold(all_bytes));
  // The last bytes, fewer than eight, are folded one by one.
  std::size_t wrong = 0;
  for (std::size_t size = 1; size < 20; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const char byte : all_bytes) {
        std::string text(size, 'b');
        text[at] = byte;
        if (fold(text) != oracle::fold(text)) ++wrong;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("normalise lower-cases letters of all scripts", "[normalise]") {
  CHECK(normalise("ABC xyz") == "abc xyz");
  CHECK(normalise("\u00c4\u00d6\u00dc \u1e9e") == "\u00e4\u00f6\u00fc \u00df");
  CHECK(normalise("\u041f\u0420\u0418 \u03a3\u03a3") == "\u043f\u0440\u0438 \u03c3\u03c3");
  CHECK(normalise("\u0130\u212a\u023a") == "ik\u2c65");  // the lower case is shorter, or longer
}

TEST_CASE("normalise reduces what is between words to one space", "[normalise]") {
  CHECK(normalise("") == "");
  CHECK(normalise(" .,!\n") == "");
  CHECK(normalise("a b") == "a b");
  CHECK(normalise("a \t\r\n b") == "a b");
  CHECK(normalise("Hello, world!") == "hello world");
  CHECK(normalise("--a--b--") == "a b");
  CHECK(normalise("  a  ") == "a");
  CHECK(normalise("snake_case don't 3.14") == "snake case don t 3 14");
  CHECK(normalise("a\u2192b\0c"sv) == "a b c");
}

TEST_CASE("normalise leaves no space beside a Han character", "[normalise]") {
  CHECK(normalise("\u4e2d \u6587") == "\u4e2d\u6587");
  CHECK(normalise("\u4e2d\uff0c\u6587\u3002") == "\u4e2d\u6587");
  CHECK(normalise("\u4e2d a \u6587") == "\u4e2da\u6587");
  CHECK(normalise("a \u4e2d") == "a\u4e2d");
  CHECK(normalise(" \u4e2d ") == "\u4e2d");
  CHECK(normalise("\u4e2d 2024 \u5e74") == "\u4e2d2024\u5e74");
  // Only spaces beside Han characters are removed. Other scripts without spaces between words keep theirs.
  CHECK(normalise("\u3042 \u30ab \u0e01 \ud55c") == "\u3042 \u30ab \u0e01 \ud55c");
  CHECK(normalise("\u3042 \u4e2d \u3042") == "\u3042\u4e2d\u3042");
}

TEST_CASE("a mark belongs to the character before it, or is left out", "[normalise]") {
  CHECK(normalise("\u4e2d\u0301 a") ==
        "\u4e2d\u0301"
        "a");
  CHECK(normalise("\u4e2d \u0301 a") == "\u4e2da");
  CHECK(normalise("a\u0301 b") == "a\u0301 b");
  CHECK(normalise("\u0301 a") == "a");
  CHECK(normalise("a \u0301 b") == "a b");
}

TEST_CASE("normalise keeps emoji and what belongs to them, and leaves out what is ignored", "[normalise]") {
  CHECK(normalise("Hi\U0001f600 \u2764\ufe0f!") == "hi\U0001f600 \u2764");
  CHECK(normalise("\u4e2d \u2764\ufe0f \u6587") == "\u4e2d\u2764\u6587");
  CHECK(normalise("\U0001f469\u200d\u2764\ufe0f\u200d\U0001f468\u200d") == "\U0001f469\u200d\u2764\u200d\U0001f468");
  CHECK(normalise("\U0001f1e9 \U0001f1ea\U0001f1eb\ufe0f") == "\U0001f1e9 \U0001f1ea\U0001f1eb");
  CHECK(normalise("a#\ufe0f\u20e3 1\ufe0f\u20e3") == "a #\u20e3 1\u20e3");
  CHECK(normalise("Co\u00adop \u200e\u2060x\u00ad") == "coop x");
  CHECK(normalise("\u24c2\ufe0f\u24b6") == "\u24c2");
}

TEST_CASE("normalise agrees with the oracle, and changes nothing the second time", "[normalise]") {
  oracle::random_texts texts(4);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = texts.next(texts.below(40));
    const std::string found = normalise(exact_copy(text));
    const std::string expected = oracle::normalise(text);
    if (found == expected && normalise(found) == found && neardup::count_invalid(found) == 0) continue;
    CAPTURE(printable(text));
    REQUIRE(printable(found) == printable(expected));
    REQUIRE(printable(normalise(found)) == printable(found));
    REQUIRE(neardup::count_invalid(found) == 0);
  }
}

TEST_CASE("normalising by blocks is normalising character by character, whatever the instruction set and the cuts",
          "[normalise]") {
  for (const neardup::instruction_set level : support::instruction_sets()) {
    const support::forced_instruction_set forced(level);
    INFO(neardup::to_string(level));
    oracle::random_texts random(11);
    const std::size_t rounds = oracle::effort(6000, 300);
    for (std::size_t i = 0; i < rounds; ++i) {
      const std::size_t size = random.below(i % 100 == 0 ? 20000 : 400);
      const std::string text = i % 4 == 0 ? random.next(size / 2) : random.next_runs(size);
      const std::string expected = normalised_one_by_one(text);
      const std::string found = normalise(exact_copy(text));
      const std::size_t chunk = 1 + random.below(i % 2 == 0 ? 5 : 150);
      const std::string found_in_chunks = normalised_in_chunks(support::cut_every(text, chunk));
      if (found == expected && found_in_chunks == expected) continue;
      CAPTURE(printable(text), chunk);
      REQUIRE(printable(found) == printable(expected));
      REQUIRE(printable(found_in_chunks) == printable(expected));
    }
    // One text with every kind of run, cut at every place.
    const std::string text = random.next_runs(500);
    std::size_t wrong = 0;
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      if (normalised_in_chunks(support::cut_at(text, cut)) != normalised_one_by_one(text)) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("every character is normalised in a block as it is alone", "[normalise]") {
  const char32_t step = static_cast<char32_t>(oracle::effort(1, 211));
  const std::string before(50, 'b');
  for (const neardup::instruction_set level : support::instruction_sets()) {
    const support::forced_instruction_set forced(level);
    INFO(neardup::to_string(level));
    for (char32_t c = 0; c <= 0x10ffff; c += step) {
      char bytes[4];
      const std::string character(bytes, neardup::encode(c, bytes));
      // Each character beside letters, beside Han, and after a gap.
      const std::string text = before + character + "a\u4e2d" + character + " " + character + "\u4e2d. Z";
      const std::string found = normalise(text);
      if (found == normalised_one_by_one(text)) continue;
      CAPTURE(static_cast<std::uint32_t>(c));
      REQUIRE(printable(found) == printable(normalised_one_by_one(text)));
    }
  }
}

TEST_CASE("all pairs of bytes are normalised in a block as they are alone", "[normalise]") {
  for (const neardup::instruction_set level : support::instruction_sets()) {
    const support::forced_instruction_set forced(level);
    INFO(neardup::to_string(level));
    for (unsigned pair = 0; pair < 0x10000; pair += static_cast<unsigned>(oracle::effort(1, 7))) {
      const std::string two{static_cast<char>(pair >> 8), static_cast<char>(pair & 0xff)};
      // The two bytes are in the middle of a block, and at the end of a block.
      const std::string text = "word " + two + "\x80 Ab" + two + "\u4e2d" + std::string(41, ' ') + two + "\xbf" + two;
      if (normalise(text) == normalised_one_by_one(text)) continue;
      CAPTURE(pair);
      REQUIRE(printable(normalise(text)) == printable(normalised_one_by_one(text)));
    }
  }
}

TEST_CASE("folded and normalised hand the rewritten text to the inner tokenizer", "[normalise]") {
  const std::string_view text = "The \u00c9t\u00e9,  \u4e2d \u6587!";
  CHECK(tokens_of(neardup::folded{neardup::words{}}, text) == tokens{"the", "\u00c9t\u00e9", "\u4e2d", "\u6587"});
  CHECK(tokens_of(neardup::normalised{neardup::words{}}, text) == tokens{"the", "\u00e9t\u00e9", "\u4e2d", "\u6587"});
  CHECK(tokens_of(neardup::normalised{neardup::code_point_ngrams{20}}, text) ==
        tokens{"the \u00e9t\u00e9\u4e2d\u6587"});
  CHECK(tokens_of(neardup::folded{neardup::byte_ngrams{40}}, text) == tokens{"the \u00c9t\u00e9,  \u4e2d \u6587!"});
  // Normalised text does not change if the text is folded before.
  CHECK(tokens_of(neardup::folded{neardup::normalised{neardup::byte_ngrams{40}}}, text) ==
        tokens_of(neardup::normalised{neardup::byte_ngrams{40}}, text));
}

TEST_CASE("narrow writes full-width ASCII and white space as ASCII", "[normalise]") {
  CHECK(neardup::narrow("") == "");
  CHECK(neardup::narrow("\uff34\uff49\uff24\uff22\uff01\u3000\uff17\uff0c\u4e2d\u3002") == "TiDB! 7,\u4e2d\u3002");
  CHECK(neardup::narrow("a\u00a0b\u2003c\u202fd\u205fe\n\tf") == "a b c d e\n\tf");
  CHECK(neardup::narrow("\uff00\uff5f\u200b\u3001\u00a1") == "\uff00\uff5f\u200b\u3001\u00a1");
  CHECK(neardup::narrow("\xef\xbc"
                        "a\xef") ==
        "\xef\xbc"
        "a\xef");
  // Compares all characters with a plain loop, and a text that is cut at each byte with the whole text.
  std::string all, expected;
  for (char32_t c = 1; c < 0x11000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    char bytes[4];
    all.append(bytes, neardup::encode(c, bytes));
    const bool is_wide = c >= 0xff01 && c <= 0xff5e;
    const bool is_space =
        c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c < 0x200b) || c == 0x202f || c == 0x205f || c == 0x3000;
    expected.append(bytes, neardup::encode(is_wide ? c - 0xfee0 : is_space ? U' ' : c, bytes));
  }
  CHECK(neardup::narrow(all) == expected);
  const std::string text = "\uff21\u4e2d\u3000\uff42 c\u2003\xe3\x80";
  const neardup::narrowed<neardup::code_point_ngrams> tokenizer{neardup::code_point_ngrams{2}};
  for (std::size_t i = 0; i <= text.size(); ++i) {
    support::token_stream<neardup::narrowed<neardup::code_point_ngrams>> stream(tokenizer);
    CHECK(support::tokens_of_chunks(stream, support::cut_at(text, i)) == tokens_of(tokenizer, text));
  }
}

TEST_CASE("a soft hyphen is as if it were not there, wherever it is in a block", "[normalise]") {
  const std::string letters = "Ab cd\u00e9 \u4e2d\u6587 e9 FGH.";
  std::string text;
  while (text.size() < 150) text += letters;
  const std::string hyphen = "\u00ad";
  for (const neardup::instruction_set level : support::instruction_sets()) {
    const support::forced_instruction_set forced(level);
    const std::string expected = neardup::normalise(text);
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size() && neardup::detail::is_continuation(text, i)) continue;
      std::string with = text;
      with.insert(i, hyphen);
      CHECK(neardup::normalise(with) == expected);
      CHECK(neardup::normalise(hyphen + with + hyphen) == expected);
      // The next byte is ill-formed. It must not be taken for a part of the character before it.
      const std::string head = text.substr(0, i) + "\u4e2d", tail = text.substr(i);
      CHECK(neardup::normalise(head + hyphen + "\xad" + tail) == neardup::normalise(head + "." + tail));
    }
  }
}
