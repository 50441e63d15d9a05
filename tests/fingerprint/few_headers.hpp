// Facts about tokenizers, as a translation unit sees them. Two units that include different headers compare these
// facts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <neardup/fingerprint/feature_extractor.hpp>

namespace few_headers {

/// How a translation unit reads texts with a tokenizer, and the features of a text.
struct trace {
  bool is_plain, rewrites, joins_words, gives_windows, takes_chunks;
  std::size_t size, alignment;  // of text_reader
  std::vector<std::uint32_t> features;

  bool operator==(const trace&) const = default;
};

inline constexpr std::string_view text =
    "The ferry leaves at seven: na\u00efve caf\u00e9, 3.14 &amp; \u4e2d\u6587\u5b57, exam-\nple \xe4\xb8 it is "
    "2026-11-28";

/// `Unit` is a type that only the calling unit has. With the same type in both units, the linker would keep one copy of
/// this function for both.
template <class Unit, class Tokenizer>
trace trace_of(const Tokenizer& tokenize) {
  using namespace neardup;
  using source = detail::token_source<Tokenizer, true>;
  using reader = detail::text_reader<Tokenizer, true>;
  return {source::is_plain,
          detail::rewriting<Tokenizer>::is_rewriting,
          detail::word_recipe_of<Tokenizer>::is_known,
          detail::counts_tokens<Tokenizer, xxh3<64>>,
          detail::reads_pieces<Tokenizer, true>,
          sizeof(reader),
          alignof(reader),
          feature_extractor{tokenize}(text)};
}

/// The traces of five tokenizers. The translation unit of this function includes only the headers of these tokenizers.
std::vector<trace> by_few_headers();

}  // namespace few_headers
