// SPDX-License-Identifier: MIT
// Finds words character by character. This is the reference implementation of word boundaries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../../detail/bits.hpp"
#include "../unicode.hpp"
#include "../utf8.hpp"
#include "word_runs.hpp"

namespace neardup::inline v0::detail {

/// Returns the word that has the bytes `raw` in a text. Ignored characters within `raw` are dropped.
inline std::string kept_characters(std::string_view raw) {
  std::string word;
  word_run run = word_run::none;
  std::size_t i = 0;
  if (raw.front() == '#' || raw.front() == '*') {
    word += raw[i++];  // a word begins with # or * only if it is a keycap
    run = word_run::lone;
  }
  while (i < raw.size()) {
    const decoded next = decode_one(raw.substr(i));
    const word_step step = word_step_of(classify(next.code_point), next.code_point, run);
    if (step == word_step::joins) word += "\xe2\x80\x8d";
    if (step != word_step::ignored) word.append(raw, i, next.length);
    i += next.length;
  }
  return word;
}

/// Finds words in a text to which more text may be appended.
class word_scanner {
 public:
  /// Scans the characters that begin before `end`, and advances `position`. Calls `take(begin, end, is_whole)` for each
  /// complete word. If `is_whole` is false, [begin, end) contains ignored characters (see kept_characters()).
  template <class Take>
  void scan(std::string_view text, std::size_t end, const Take& take) {
    while (position < end) {
      character_class kind = character_class::other;
      char32_t code_point = 0;
      std::size_t length = 1;
      const auto byte = static_cast<unsigned char>(text[position]);
      if (byte < 0x80) {
        kind = ascii_classes[byte];
      } else if (begins_with_han(text.substr(position))) {
        // Fast path for Chinese, without a table lookup: each Han character is a word.
        close(take);
        begin(position);
        open = word_run::lone;
        position += 3;
        continue;
      } else {
        const decoded next = decode_one(text.substr(position));
        code_point = next.code_point;
        kind = classify(code_point);
        length = next.length;
      }
      step(kind, code_point, text, take);
      position += length;
    }
  }

  /// Ends the open word, if there is one, and passes it to `take`. Call close() at the end of the text.
  template <class Take>
  void close(const Take& take) {
    if (open == word_run::none) return;
    open = word_run::none;
    take(start, ignored_from == nowhere ? position : ignored_from, is_whole);
    is_whole = true;
    ignored_from = nowhere;
  }

  /// Returns true if no word is open, or if the open word contains no ignored characters. The open word is then the
  /// bytes [start, position).
  [[nodiscard]] bool is_plain() const noexcept { return is_whole && ignored_from == nowhere; }

  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  std::size_t position = 0;            // the text before this position has been scanned
  std::size_t start = 0;               // beginning of the open word
  std::size_t ignored_from = nowhere;  // beginning of ignored characters at the end of the open word
  word_run open = word_run::none;
  bool is_whole = true;  // false if the open word contains ignored characters

 private:
  static constexpr std::array<character_class, 128> ascii_classes = [] {
    std::array<character_class, 128> classes{};
    for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = classify(static_cast<char32_t>(i));
    return classes;
  }();

  /// Returns true if a text begins with a character of U+4E00 to U+9FBF.
  static NEARDUP_ALWAYS_INLINE bool begins_with_han(std::string_view text) noexcept {
    if (text.size() < 3) return false;
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t bytes = byte(0) << 16 | byte(1) << 8 | byte(2);
    // The sequences E4 B8 80 to E9 BE BF. The second and the third byte must be continuation bytes.
    return bytes - 0xe4b880U <= 0xe9bebfU - 0xe4b880U && (bytes & 0xc0c0U) == 0x8080U;
  }

  template <class Take>
  void step(character_class kind, char32_t code_point, std::string_view text, const Take& take) {
    const word_run before = open;
    word_run after = before;
    switch (word_step_of(kind, code_point, after)) {
      case word_step::ends: close(take); break;
      case word_step::begins:
        close(take);
        begin(position);
        break;
      case word_step::goes_on:
      case word_step::joins:
        if (ignored_from != nowhere) [[unlikely]] {
          is_whole = false;
          ignored_from = nowhere;
        }
        break;
      case word_step::ignored:
        if (before != word_run::none) {
          if (ignored_from == nowhere) ignored_from = position;
        } else if (code_point == enclosing_keycap) {
          begin_keycap(text, after);
        }
        break;
    }
    open = after;
  }

  void begin(std::size_t at) noexcept { start = at; }

  /// Begins a word at the sign `#` or `*` before the keycap U+20E3 at `position`, if there is such a sign.
  void begin_keycap(std::string_view text, word_run& run) noexcept {
    const char* const at = text.data() + position;
    if (keycap_sign(text.data(), at, '\0') == '\0') return;
    start = text.find_last_of("#*", position);
    is_whole = start + 1 == position;
    run = word_run::lone;
  }
};

}  // namespace neardup::inline v0::detail
