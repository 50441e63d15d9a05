// SPDX-License-Identifier: MIT
// A tokenizer for words of Chinese text, with a dictionary and a model of unknown words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../tokenizer.hpp"
#include "../unicode.hpp"
#include "../utf8.hpp"
#include "dictionary.hpp"
#include "unknown_words.hpp"

namespace neardup::inline v0 {

/// Tokenizes Chinese text into words, as jieba does. With the same dictionary and model, the words are the same.
///
/// A run of Chinese characters, ASCII letters, digits and + # & . _ % - is cut into the most probable sequence of
/// dictionary words. If several words in a row have one character each, the model of unknown words (if any) may join
/// them to longer words. ASCII words and numbers are not cut. Tokens without a letter or digit are dropped unless
/// keep_symbols is set. Traditional characters and full-width forms are not converted; convert the text first if you
/// need this. Copies share the dictionary and the model.
/// Thread safety: several threads may call const members at once.
/// Complexity: linear in the length of the text, if the length of words is bounded.
/// Source: the algorithm of jieba (Sun Junyi). The results were compared with version 0.42.1.
/// Example: `chinese_words words{dictionary};  simhasher hash{words, top{20, tf_idf{table}}};`
class chinese_words {
 public:
  /// Makes a tokenizer. Without a model, unknown words are cut into single characters.
  /// Precondition: `dictionary` is not null.
  explicit chinese_words(std::shared_ptr<const word_dictionary> dictionary,
                         std::shared_ptr<const unknown_word_model> model = nullptr)
      : dictionary_(std::move(dictionary)), model_(std::move(model)) {}

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    for_each_of_length(text, 0, sink);
  }

  /// Calls the sink only for tokens of at least `min_length` code points, where white space does not count. `without`
  /// calls this function, because its own test of each token would be slower.
  template <class Sink>
  void for_each_of_length(std::string_view text, std::size_t min_length, Sink&& sink) const {
    if (keep_symbols) {
      for_each_piece(text, min_length, sink);
    } else {
      for_each_piece(text, min_length, [&](std::string_view token) {
        if (has_letter(token)) sink(token);
      });
    }
  }

  /// Calls the sink for all tokens of jieba, including white space and punctuation. The tokens together are the whole
  /// text.
  template <class Sink>
  void segment(std::string_view text, Sink&& sink) const {
    for_each_piece(text, 0, sink);
  }

  /// Returns the last cut of `text`, the beginning of a text, or 0 if there is none; see tokenizer. A cut is before or
  /// after a character that belongs to no run of words, but not between CR and LF.
  [[nodiscard]] std::size_t cut(std::string_view text) const noexcept;

  [[nodiscard]] const word_dictionary& dictionary() const noexcept { return *dictionary_; }

  /// Returns the name of this tokenizer in a composition. The digests of the dictionary and of the model are not part of
  /// the name; see dictionary_identity() and model_identity().
  [[nodiscard]] std::string description() const { return keep_symbols ? "chinese_words(symbols)" : "chinese_words"; }
  [[nodiscard]] std::uint64_t dictionary_identity() const { return dictionary_->identity(); }
  [[nodiscard]] std::optional<std::uint64_t> model_identity() const {
    return model_ ? std::optional(model_->identity()) : std::nullopt;
  }

  bool keep_symbols = false;  ///< true: also yield tokens without a letter or digit

 private:
  /// A token: the offset of its first byte in the text, its length in bytes, and its length in characters. The length
  /// of white space is 0.
  struct piece {
    std::size_t begin;
    std::uint32_t size, characters;
  };

  struct workspace {
    std::vector<piece> tokens;
    std::vector<detail::segment_step> steps;
    unknown_word_model::workspace model;
  };

  template <class Sink>
  void for_each_piece(std::string_view text, std::size_t min_length, Sink&& sink) const {
    workspace memory;
    memory.tokens.reserve((std::min)(text.size(), enough_tokens));
    for (std::size_t at = 0; at < text.size();) {
      at = cut_part(text, at, memory);
      // This code has no branch, because the processor could not predict the length of a token.
      std::size_t count = 0;
      for (const piece& token : memory.tokens) {
        memory.tokens[count] = token;
        count += token.characters >= min_length ? 1U : 0U;
      }
      // The sink is called at one place only, so that the compiler inlines it into this loop.
      for (std::size_t i = 0; i < count; ++i) sink(part_of(text, memory.tokens[i].begin, memory.tokens[i].size));
    }
  }

  // Longer runs are cut at this length, so that positions fit into 32 bits and memory is bounded.
  static constexpr std::size_t max_run = std::size_t{1} << 30;
  static constexpr std::size_t enough_tokens = 256;  // number of tokens that fit the cache

  /// Returns text.substr(begin, size), but without the range check, which g++ -O2 compiles to a call.
  static constexpr std::string_view part_of(std::string_view text, std::size_t begin, std::size_t size) noexcept {
    return {text.data() + begin, size};
  }

  static constexpr bool is_ascii_of_run(unsigned char c) noexcept {
    return word_dictionary::is_ascii_alphanumeric(c) || c == '+' || c == '#' || c == '&' || c == '.' || c == '_' ||
           c == '%' || c == '-';
  }

  static NEARDUP_ALWAYS_INLINE std::size_t end_of_run(std::string_view text, std::size_t at) noexcept {
    const std::size_t limit = text.size() - at > max_run ? at + max_run : text.size();
    while (at < limit) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte < 0x80) {
        if (!is_ascii_of_run(byte)) break;
        ++at;
        continue;
      }
      const decoded next = decode_one(part_of(text, at, text.size() - at));
      if (!unknown_word_model::is_chinese(next.code_point)) break;
      at += next.length;
    }
    return at;
  }

  static bool has_letter(std::string_view token) noexcept;

  /// Finds one or more tokens, the first of which begins at `at`.
  /// Returns: the end of the last token found.
  std::size_t cut_part(std::string_view text, std::size_t at, workspace& memory) const;

  void cut_run(std::string_view run, std::size_t begin, workspace& memory) const;

  /// Cuts the characters begin .. end into words. In the dictionary's segmentation, each of these characters is a word.
  template <class EndWord>
  void cut_singles(std::size_t begin, std::size_t end, std::string_view run, workspace& memory,
                   EndWord& end_word) const {
    const auto& steps = memory.steps;
    if (end - begin == 1) return end_word(end);
    if (dictionary_->is_word(steps, begin, end)) {
      for (std::size_t i = begin; i < end; ++i) end_word(i + 1);
      return;
    }
    for (std::size_t i = begin; i < end;) {
      std::size_t part = i;
      while (part < end && unknown_word_model::is_chinese(steps[part].code_point)) ++part;
      if (part > i) {
        cut_unknown(i, part, run, memory, end_word);
      } else {
        while (part < end && !unknown_word_model::is_chinese(steps[part].code_point)) ++part;
        cut_ascii(i, part, steps, end_word);
      }
      i = part;
    }
  }

  template <class EndWord>
  void cut_unknown(std::size_t begin, std::size_t end, std::string_view run, workspace& memory,
                   EndWord& end_word) const {
    const auto& steps = memory.steps;
    model_->find_ends(
        end - begin, [&](std::size_t i) { return steps[begin + i].code_point; }, memory.model);
    for (std::size_t i = begin, from = begin; i < end; ++i) {
      if (memory.model.is_end[i - begin] == 0) continue;
      if (dictionary_->is_never_a_word(run.substr(steps[from].begin, steps[i + 1].begin - steps[from].begin))) {
        for (; from < i; ++from) end_word(from + 1);
      }
      end_word(i + 1);
      from = i + 1;
    }
  }

  /// Cuts a run of letters and digits into words. A fraction and a percent sign belong to the preceding number. The
  /// characters between two words are one token.
  template <class EndWord>
  static void cut_ascii(std::size_t begin, std::size_t end, const std::vector<detail::segment_step>& steps,
                        EndWord& end_word) {
    const auto is_digit = [&](std::size_t i) { return steps[i].code_point >= '0' && steps[i].code_point <= '9'; };
    const auto is_letter = [&](std::size_t i) { return word_dictionary::is_ascii_alphanumeric(steps[i].code_point); };
    for (std::size_t i = begin, from = begin; i < end;) {
      if (!is_letter(i)) {
        if (++i == end) end_word(end);
        continue;
      }
      if (i > from) end_word(i);
      while (i < end && is_letter(i)) ++i;
      if (i + 1 < end && steps[i].code_point == '.' && is_digit(i + 1)) {
        ++i;
        while (i < end && is_digit(i)) ++i;
      }
      if (i < end && steps[i].code_point == '%') ++i;
      end_word(i);
      from = i;
    }
  }

  std::shared_ptr<const word_dictionary> dictionary_;
  std::shared_ptr<const unknown_word_model> model_;
};

template <>
inline constexpr bool detail::leaves_out_short_tokens<chinese_words> = true;

#if NEARDUP_BODIES

NEARDUP_INLINE bool chinese_words::has_letter(std::string_view token) noexcept {
  const auto first = static_cast<unsigned char>(token.front());
  // Fast path: most tokens begin with an ASCII letter, an ASCII digit, or a character of U+5000 to U+8FFF.
  if (word_dictionary::is_ascii_alphanumeric(first) || (first >= 0xe5 && first <= 0xe8 && token.size() % 3 == 0)) {
    return true;
  }
  for (std::size_t i = 0; i < token.size();) {
    const decoded next = decode_one(token.substr(i));
    const character_class kind = classify(next.code_point);
    if (kind == character_class::letter || kind == character_class::lone || kind == character_class::han) return true;
    i += next.length;
  }
  return false;
}

NEARDUP_INLINE std::size_t chinese_words::cut(std::string_view text) const noexcept {
  const std::string_view whole = text.substr(0, text.size() - incomplete_suffix(text));
  std::size_t found = 0;
  for (std::size_t at = 0; at < whole.size();) {
    at = end_of_run(whole, at);
    if (at == whole.size()) break;
    found = at;
    if (whole[at] == '\r' && at + 1 == text.size()) break;
    at += decode_one(whole.substr(at)).length;
    found = at;
  }
  return found;
}

NEARDUP_INLINE std::size_t chinese_words::cut_part(std::string_view text, std::size_t at, workspace& memory) const {
  memory.tokens.clear();
  while (at < text.size() && memory.tokens.size() < enough_tokens) {
    const std::size_t end = end_of_run(text, at);
    if (end > at) {
      cut_run(part_of(text, at, end - at), at, memory);
      at = end;
      continue;
    }
    const char first = text[at];
    const bool is_line_end = first == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
    const unsigned length = is_line_end ? 2 : decode_one(part_of(text, at, text.size() - at)).length;
    const bool is_blank = first == ' ' || first == '\t' || first == '\r' || first == '\n';
    memory.tokens.push_back({at, length, is_blank ? 0U : 1U});
    at += length;
  }
  return at;
}

NEARDUP_INLINE void chinese_words::cut_run(std::string_view run, std::size_t begin, workspace& memory) const {
  auto& steps = memory.steps;
  word_dictionary::decode(run, steps);
  dictionary_->best_path(steps);
  std::size_t from = 0;
  const auto end_word = [&](std::size_t to) {
    memory.tokens.push_back(
        {begin + steps[from].begin, steps[to].begin - steps[from].begin, static_cast<std::uint32_t>(to - from)});
    from = to;
  };
  const std::size_t count = steps.size() - 1;
  if (!model_) {
    while (from < count) end_word(word_dictionary::end_of_simple_word(steps, from));
    return;
  }
  for (std::size_t i = 0; i < count; i = from) {
    std::size_t singles = i;
    while (singles < count && steps[singles].next == singles + 1) ++singles;
    if (singles > i) {
      cut_singles(i, singles, run, memory, end_word);
    } else {
      end_word(steps[i].next);
    }
  }
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0
