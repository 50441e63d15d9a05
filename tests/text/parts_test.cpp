// Parts of texts and their places.
#include <array>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <neardup/text/sentences.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"
#include "oracle/random_engine.hpp"
#include "support/tokens.hpp"

namespace {

using neardup::part_kind;
using neardup::text_parts;
using support::tokens;
using support::tokens_of;

constexpr std::array part_alphabet{"a",  "b9", " ",      " ",      "\t",     "\n",   "\n",    "\r\n",
                                   "\r", ". ", ".",      "! ",     "?)",     "\"",   ")",     "--",
                                   ",",  "\v", "\u4e00", "\u3002", "\u201d", "\xff", "\u00e9"};

std::string random_part_text(std::mt19937& random) {
  std::string text;
  for (std::size_t n = random() % 40; n > 0; --n) text += part_alphabet[random() % part_alphabet.size()];
  return text;
}

/// Returns the parts of a text. Requires that they are disjoint views of the text, in order.
std::vector<std::string_view> placed_parts(const text_parts& cut, std::string_view text) {
  std::vector<std::string_view> found;
  const char* last = text.data();
  cut(text, [&](std::string_view part) {
    CHECK(part.data() >= last);
    CHECK(part.data() + part.size() <= text.data() + text.size());
    last = part.data() + part.size();
    found.push_back(part);
  });
  return found;
}

std::string trimmed(std::string text) {
  const std::string spaces = " \t\v\f\r\n";
  const std::size_t first = text.find_first_not_of(spaces);
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(spaces) + 1 - first);
}

bool has_any_word(std::string_view text) { return !tokens_of(neardup::words{}, text).empty(); }

/// Returns the lines, by a plain loop over characters.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    if (text[i] == '\n' || text[i] == '\r') {
      lines.emplace_back();
    } else {
      lines.back() += text[i];
    }
  }
  return lines;
}

tokens plain_parts(part_kind kind, std::string_view text) {
  tokens found;
  const auto add = [&](const std::string& part) {
    if (has_any_word(trimmed(part))) found.push_back(trimmed(part));
  };
  std::string paragraph;
  for (const std::string& line : lines_of(text)) {
    if (kind == part_kind::line) {
      add(line);
    } else if (trimmed(line).empty()) {
      add(paragraph);
      paragraph.clear();
    } else {
      paragraph += line + '\n';
    }
  }
  add(paragraph);
  return found;
}

std::string with_plain_line_ends(std::string_view text) {
  std::string out;
  for (const std::string& line : lines_of(text)) out += (out.empty() ? "" : "\n") + line;
  return out;
}

}  // namespace

TEST_CASE("a paragraph ends at an empty line, a line at its end", "[parts]") {
  const std::string_view text = "One\ntwo\r\n \t\n\n  three.\n---\n\nfour";
  CHECK(tokens_of(text_parts{}, text) == tokens{"One\ntwo", "three.\n---", "four"});
  CHECK(tokens_of(text_parts{part_kind::line}, text) == tokens{"One", "two", "three.", "four"});
  CHECK(tokens_of(text_parts{}, "").empty());
  CHECK(tokens_of(text_parts{}, " \n...\n\n").empty());
}

TEST_CASE("a sentence has the marks that end it, and what closes them", "[parts]") {
  const text_parts cut{part_kind::sentence};
  CHECK(tokens_of(cut, "Pi is 3.14. \"Is it?!\" (It is.) No end\nNext") ==
        tokens{"Pi is 3.14.", "\"Is it?!\"", "(It is.)", "No end", "Next"});
  CHECK(tokens_of(cut, "\u4f60\u597d\u3002\u201d\u518d\u89c1\uff01\uff01") ==
        tokens{"\u4f60\u597d\u3002\u201d", "\u518d\u89c1\uff01\uff01"});
}

TEST_CASE("parts are what plain loops cut, whatever the text", "[parts]") {
  std::mt19937 random(1 + oracle::seed_shift());
  for (int round = 0; round < 20000; ++round) {
    const std::string text = random_part_text(random);
    INFO(text);
    for (const part_kind kind : {part_kind::paragraph, part_kind::line}) {
      tokens found;
      for (const std::string_view part : placed_parts({kind}, text)) found.push_back(with_plain_line_ends(part));
      CHECK(found == plain_parts(kind, text));
    }
    // The tokenizer `sentences` finds the same sentences, without the marks around their words.
    const tokens sentences = tokens_of(neardup::sentences{}, text);
    tokens inner;
    for (const std::string_view part : placed_parts({part_kind::sentence}, text)) {
      const tokens own = tokens_of(neardup::sentences{}, part);
      inner.insert(inner.end(), own.begin(), own.end());
      CHECK(own.size() == 1);
      CHECK(part == trimmed(std::string(part)));
    }
    CHECK(inner == sentences);
  }
}
