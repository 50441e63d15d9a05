// SPDX-License-Identifier: MIT
// A tokenizer for text that another program has cut into words. White space separates the words.
#pragma once

#include <cstddef>
#include <string_view>

#include "tokenizer.hpp"
#include "unicode.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Returns the offset of the last ASCII white space of a text, or 0 if the text has no white space. Tokenizers whose
/// tokens contain no white space call this function in their member `cut`.
inline std::size_t cut_at_space(std::string_view text) noexcept {
  for (std::size_t i = text.size(); i > 0; --i) {
    const char c = text[i - 1];
    if (c == ' ' || (c >= '\t' && c <= '\r')) return i - 1;
  }
  return 0;
}

}  // namespace detail

/// Tokenizes a text into its runs of characters that are not white space (the Unicode property White_Space). The runs
/// are unchanged: case, punctuation and ill-formed bytes are kept.
///
/// Use this tokenizer if another program, such as jieba, MeCab, ICU or the tokenizer of a language model, has cut the
/// text into words.
/// Complexity: linear.
/// Example: `simhasher hash{shingles{2, spaced_words{}}}`
struct spaced_words {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    std::size_t begin = 0;
    const auto close = [&](std::size_t end, std::size_t next) {
      if (end > begin) sink(text.substr(begin, end - begin));
      begin = next;
    };
    for (std::size_t i = 0; i < text.size();) {
      const decoded next = decode_one({text.data() + i, text.size() - i});
      const std::size_t after = i + next.length;
      if (next.valid && detail::is_white_space(next.code_point)) close(i, after);
      i = after;
    }
    close(text.size(), text.size());
  }

  /// Returns where a text can be cut: the offset of the last ASCII white space, or 0. See tokenizer.
  [[nodiscard]] std::size_t cut(std::string_view text) const noexcept { return detail::cut_at_space(text); }
};

template <>
inline constexpr std::string_view detail::part_name<spaced_words> = "spaced_words";

}  // namespace neardup::inline v0
