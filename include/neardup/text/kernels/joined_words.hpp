// SPDX-License-Identifier: MIT
// Joins the words of a text to one string, as written, folded or normalised, in one pass. Otherwise the text would be
// normalised first, and the result scanned for words.
//
// Only fingerprint/ uses this header. It is in text/ because it deals with words and letters, not with hashes: it reads
// the masks of text_blocks and normalise_blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "../../error.hpp"
#include "../../instruction_set.hpp"
#include "joined_words_avx512.hpp"
#include "joined_words_neon.hpp"
#include "joined_words_portable.hpp"
#include "text_blocks.hpp"
#include "word_runs.hpp"
#include "word_spans.hpp"

namespace neardup::inline v0::detail {

/// Joins the words of a text with shingle_separator between them. Any n consecutive words are then a substring, which
/// is a shingle.
class joined_words {
 public:
  /// Begins a text with shingles of n words.
  /// Precondition: n >= 1.
  void start(std::size_t n, word_form form) {
    n_ = n;
    emitted_ = false;
    next_ = 0;
    words_ = {};
    words_.form = form;
    make_room(0);
    begins_[0] = 0;
  }

  /// Appends more of the text. Calls `hash(data, spans)` for complete shingles. The shingles of the last part wait for
  /// the next append() or finish(), so a short text takes one call of `hash`.
  /// Precondition: `text` ends with a whole character.
  template <class Hash>
  void append(std::string_view text, const Hash& hash) {
    constexpr std::size_t step = 2048;
    const instruction_set level = active_instruction_set();
    words_.at = text.data();
    words_.end = text.data() + text.size();
    words_.text = text.data();
    while (words_.at != words_.end) {
      const std::size_t part = (std::min)(step, static_cast<std::size_t>(words_.end - words_.at));
      hash_complete(hash);
      make_room(part);
      take_blocks(words_, words_.at + part, level);
    }
    words_.before = keycap_sign(text.data(), words_.end, words_.before);
  }

  /// Ends the text. If the text has at least one word, but fewer than n, all its words are one shingle.
  template <class Hash>
  void finish(const Hash& hash) {
    make_room(0);
    if (words_.last != word_run::none) words_.close_word();
    hash_complete(hash);
    if (!emitted_ && words_.count > 0) hash(joined_.data(), span_view{begins_.data(), &ends_[words_.count - 1], 1});
  }

 private:
  /// Grows the vectors for the words of `bytes` more bytes.
  void make_room(std::size_t bytes) {
    constexpr std::size_t slack = 64;  // kernels read and write whole vectors
    const std::size_t size = words_.size + word_join_cursor::joined_room(bytes) + slack;
    if (size > 0xffffffffU) fail<std::length_error>("the words of a shingle in a stream exceed 4 GiB");
    const auto grow = [](auto& values, std::size_t wanted) {
      if (values.size() < wanted) values.resize(2 * wanted);
      return values.data();
    };
    words_.joined = grow(joined_, size);
    words_.begin = grow(begins_, words_.count + word_join_cursor::words_room(bytes) + slack);
    words_.close = grow(ends_, words_.count + word_join_cursor::words_room(bytes) + slack);
  }

  template <class Hash>
  void hash_complete(const Hash& hash) {
    if (words_.count - next_ < n_) return;
    const std::size_t end = words_.count - n_ + 1;
    for (; next_ < end; next_ += (std::min)(end - next_, span_view::capacity)) {
      hash(joined_.data(), span_view{begins_.data() + next_, ends_.data() + next_ + n_ - 1,
                                     (std::min)(end - next_, span_view::capacity)});
    }
    emitted_ = true;
    drop_used();
  }

  /// Drops the words that no further shingle needs, if they take much memory.
  void drop_used() {
    constexpr std::size_t kept_size = std::size_t{1} << 16;
    const std::uint32_t dropped = begins_[next_];
    if (dropped < kept_size || 2 * std::size_t{dropped} < words_.size) return;
    std::copy(joined_.data() + dropped, joined_.data() + words_.size, joined_.data());
    words_.size -= dropped;
    for (std::size_t i = next_; i <= words_.count; ++i) begins_[i - next_] = begins_[i] - dropped;
    for (std::size_t i = next_; i < words_.count; ++i) ends_[i - next_] = ends_[i] - dropped;
    words_.count -= next_;
    next_ = 0;
  }

  std::vector<char> joined_;
  std::vector<std::uint32_t> begins_;  // beginnings of the words in joined_, and of the next word
  std::vector<std::uint32_t> ends_;
  word_join_cursor words_;  // writes into the vectors above
  std::size_t n_ = 1;       // words per shingle
  std::size_t next_ = 0;    // the first word of the next shingle
  bool emitted_ = false;
};

}  // namespace neardup::inline v0::detail
