// Words found 64 bytes at a time equal words found character by character.
#include <string>
#include <string_view>

#include <neardup/text/kernels/word_spans.hpp>
#include <neardup/text/words.hpp>

#include "catch.hpp"
#include "oracle/effort.hpp"
#include "oracle/random_text.hpp"
#include "support/instruction_sets.hpp"
#include "support/tokens.hpp"

namespace {

support::tokens spans_of(std::string_view text, neardup::instruction_set level) {
  support::tokens result;
  const support::exact_copy copy(text);
  const std::string_view exact = copy;
  neardup::detail::word_span_finder finder(exact, level);
  neardup::detail::token_spans spans;
  while (finder.next(spans)) {
    REQUIRE(spans.count <= neardup::detail::token_spans::capacity);
    for (std::size_t i = 0; i < spans.count; ++i) {
      const std::string_view word = exact.substr(spans.begin[i], spans.end[i] - spans.begin[i]);
      const bool is_parted = spans.has_parted && spans.parted[i];
      result.push_back(is_parted ? neardup::detail::kept_characters(word) : std::string(word));
    }
  }
  return result;
}

void check(std::string_view text) {
  const support::tokens expected = support::tokens_of(neardup::words{}, text);
  for (const auto level : support::instruction_sets()) {
    INFO(neardup::to_string(level) << ": " << support::printable(text));
    CHECK(spans_of(text, level) == expected);
  }
}

}  // namespace

TEST_CASE("every byte is a letter, a separator or the begin of something else alike") {
  for (int byte = 0; byte < 256; ++byte) {
    std::string text = "ab";
    text += static_cast<char>(byte);
    check(text + "cd");
    check(std::string(62, 'x') + text + std::string(70, 'y'));
  }
}

TEST_CASE("words across the edges of blocks are whole") {
  for (std::size_t before = 0; before < 140; ++before) {
    for (const std::string_view word :
         {"a", "word", "\u4e2d", "\u0e01\u0e31", "\u00e9t\u00e9", "e\u0301", "\xe4\xb8"}) {
      check(std::string(before, ' ').append(word).append(" end"));
      check(std::string(before, 'x').append(word).append("tail and more"));
      check(std::string(before, '.').append(word).append(200, 'z'));
    }
  }
}

TEST_CASE("mixed texts have the same words in blocks") {
  oracle::random_texts random(11);
  for (std::size_t i = 0; i < oracle::effort(3000, 200); ++i) check(random.next(random.below(400)));
}

TEST_CASE("a text of nothing but short words fills batch after batch") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "a ";
  check(text);
  check(text + std::string(3000, 'b'));
}
