// N-grams: every window of n bytes or n code points.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../error.hpp"
#include "kernels/utf8_blocks.hpp"
#include "tokenizer.hpp"
#include "utf8.hpp"

namespace neardup::inline v0 {

/// Tokenizes a text into its n-grams of bytes; the bytes need not be text at all.
///
/// A text of m >= n bytes has m - n + 1 tokens; one of 1 to n - 1 bytes has one, all of it.
/// Throws: std::invalid_argument when used with n = 0. Complexity: linear in the number of windows.
struct byte_ngrams {
  std::size_t n = 8;

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const;
};

/// Tokenizes a text into its n-grams of code points, each in UTF-8.
///
/// Ill-formed UTF-8 reads as U+FFFD, one for each maximal ill-formed subpart. A text of m >= n code points has
/// m - n + 1 tokens; one of 1 to n - 1 code points has one, all of it.
/// Throws: std::invalid_argument when used with n = 0. Complexity: linear in the number of windows.
struct code_point_ngrams {
  std::size_t n = 2;

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const;
};

namespace detail {

inline void check_window_size(std::size_t n) {
  if (n == 0) fail<std::invalid_argument>("n-grams need n of 1 or more");
}

/// The number of bytes of the code point that begins at `position` in well-formed UTF-8.
inline std::size_t code_point_length(std::string_view text, std::size_t position) noexcept {
  const auto lead = static_cast<unsigned char>(text[position]);
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

struct byte_unit {
  static std::size_t length(std::string_view /*text*/, std::size_t /*position*/) noexcept { return 1; }
};
struct code_point_unit {
  static std::size_t length(std::string_view text, std::size_t position) noexcept {
    return code_point_length(text, position);
  }
};

/// The windows of n units over a text that grows at its end; keeps the last n - 1 units.
template <class Unit>
class sliding_window {
 public:
  explicit sliding_window(std::size_t n) : n_(n) { check_window_size(n); }

  /// Calls `sink` for each window that `text` completes, whose units are whole.
  template <class Sink>
  void feed(std::string_view text, Sink& sink) {
    if (pending_.empty()) {
      pending_.assign(slide(text, 0, sink));
    } else {
      const std::size_t counted = pending_.size();
      pending_.append(text);
      const std::size_t rest = slide(pending_, counted, sink).size();
      pending_.erase(0, pending_.size() - rest);
    }
  }

  template <class Sink>
  void finish(Sink& sink) {
    if (!emitted_ && !pending_.empty()) sink(std::string_view(pending_));
    reset();
  }

  void reset() noexcept {
    pending_.clear();
    units_ = 0;
    emitted_ = false;
  }

 private:
  /// Moves the window over `text`, whose first `end` bytes are the units that earlier calls have counted.
  /// Returns: the last n - 1 units, or all when there are fewer.
  template <class Sink>
  std::string_view slide(std::string_view text, std::size_t end, Sink& sink) {
    std::size_t begin = 0;
    while (end < text.size()) {
      end += Unit::length(text, end);
      if (++units_ < n_) continue;
      emitted_ = true;
      sink(text.substr(begin, end - begin));
      begin += Unit::length(text, begin);
      --units_;
    }
    return text.substr(begin);
  }

  std::size_t n_;
  std::string pending_;
  std::size_t units_ = 0;  // in pending_
  bool emitted_ = false;
};

/// Appends `text` to `out` with each ill-formed subpart replaced by U+FFFD in UTF-8.
inline void append_repaired(std::string_view text, std::string& out) {
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size();) {
    const decoded next = decode_one(text.substr(i));
    if (!next.valid) {
      out.append(text.substr(copied, i - copied)).append("\xEF\xBF\xBD");
      copied = i + next.length;
    }
    i += next.length;
  }
  out.append(text.substr(copied));
}

}  // namespace detail

template <class Sink>
void byte_ngrams::operator()(std::string_view text, Sink&& sink) const {
  detail::check_window_size(n);
  if (text.empty()) return;
  if (text.size() <= n) {
    sink(text);
    return;
  }
  for (std::size_t i = 0; i + n <= text.size(); ++i) sink(text.substr(i, n));
}

template <class Sink>
void code_point_ngrams::operator()(std::string_view text, Sink&& sink) const {
  std::string repaired;
  if (!detail::is_well_formed(text, active_instruction_set())) {
    detail::append_repaired(text, repaired);
    text = repaired;
  }
  detail::sliding_window<detail::code_point_unit> window(n);
  window.feed(text, sink);
  window.finish(sink);
}

template <>
class token_stream<byte_ngrams> : public detail::sliding_window<detail::byte_unit> {
 public:
  explicit token_stream(const byte_ngrams& tokenizer) : sliding_window(tokenizer.n) {}
};

template <>
class token_stream<code_point_ngrams>
    : public detail::rewritten_stream<detail::piecewise_rewriter<detail::append_repaired>,
                                      detail::sliding_window<detail::code_point_unit>> {
 public:
  explicit token_stream(const code_point_ngrams& tokenizer) : rewritten_stream(tokenizer.n) {}
};

}  // namespace neardup::inline v0
