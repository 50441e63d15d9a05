// SPDX-License-Identifier: MIT
// Words that another program has cut, separated by white space.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "tokenizer.hpp"
#include "unicode.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Cuts a text for tokenizers whose tokens contain no white space: before the last ASCII white space.
inline text_cut cut_at_space(std::string_view text, std::size_t& searched, bool at_end) noexcept {
  if (at_end) return {text.size(), text.size()};
  const std::size_t first = std::exchange(searched, text.size());
  for (std::size_t i = text.size(); i > first; --i) {
    const char c = text[i - 1];
    if (c == ' ' || (c >= '\t' && c <= '\r')) return {i - 1, i};
  }
  return {0, 0};
}

}  // namespace detail

/// Tokenizes a text into its runs of anything but white space (the Unicode property White_Space), unchanged: case,
/// punctuation and ill-formed bytes are kept.
///
/// For text that another program has cut into words, such as jieba, MeCab, ICU or the tokenizer of a language model.
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
};

template <>
struct detail::cuts_of<spaced_words> {
  static text_cut cut(const spaced_words& /*tokenizer*/, std::string_view text, std::size_t& searched,
                      bool at_end) noexcept {
    return cut_at_space(text, searched, at_end);
  }
};

}  // namespace neardup::inline v0
