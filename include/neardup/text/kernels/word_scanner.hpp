// Words, character by character: what decides where one begins and ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../detail/bytes.hpp"
#include "../unicode.hpp"
#include "../utf8.hpp"

namespace neardup::inline v0::detail {

/// Finds words in a text that may grow at its end.
class word_scanner {
 public:
  /// What is open: nothing, a run of letters, or a character that is a word by itself, before marks.
  enum class run : std::uint8_t { none, letters, lone };

  /// Scans the characters that begin before `end`, calls `sink` for each word that is surely complete.
  template <class Sink>
  void scan(std::string_view text, std::size_t end, Sink& sink) {
    while (position < end) {
      character_class kind = character_class::other;
      std::size_t length = 1;
      const auto byte = static_cast<unsigned char>(text[position]);
      if (byte < 0x80) {
        kind = ascii_classes[byte];
      } else if (begins_with_han(text.substr(position))) {
        // Most of Chinese: each character is a word. Without a look into tables.
        close(text, sink);
        begin(run::lone);
        position += 3;
        continue;
      } else {
        const decoded next = decode_one(text.substr(position));
        kind = classify(next.code_point);
        length = next.length;
      }
      step(kind, text, sink);
      position += length;
    }
  }

  /// Ends the text: the word that is still open, if any, is complete.
  template <class Sink>
  void close(std::string_view text, Sink& sink) {
    if (open == run::none) return;
    open = run::none;
    sink(text.substr(start, position - start));
  }

  std::size_t position = 0;  // how far the text was scanned
  std::size_t start = 0;     // of the word that is open
  run open = run::none;

 private:
  static constexpr std::array<character_class, 128> ascii_classes = [] {
    std::array<character_class, 128> classes{};
    for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = classify(static_cast<char32_t>(i));
    return classes;
  }();

  /// Whether a text begins with one of U+4E00 to U+9FBF.
  static NEARDUP_ALWAYS_INLINE bool begins_with_han(std::string_view text) noexcept {
    if (text.size() < 3) return false;
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t bytes = byte(0) << 16 | byte(1) << 8 | byte(2);
    // E4 B8 80 to E9 BE BF, with a continuation in the second byte and in the third.
    return bytes - 0xe4b880U <= 0xe9bebfU - 0xe4b880U && (bytes & 0xc0c0U) == 0x8080U;
  }

  template <class Sink>
  void step(character_class kind, std::string_view text, Sink& sink) {
    switch (kind) {
      case character_class::letter:
        if (open == run::lone) close(text, sink);
        if (open == run::none) begin(run::letters);
        break;
      case character_class::mark:
        if (open == run::none) begin(run::letters);
        break;
      case character_class::lone:
      case character_class::han:
        close(text, sink);
        begin(run::lone);
        break;
      case character_class::other: close(text, sink); break;
    }
  }

  void begin(run kind) noexcept {
    open = kind;
    start = position;
  }
};

}  // namespace neardup::inline v0::detail
