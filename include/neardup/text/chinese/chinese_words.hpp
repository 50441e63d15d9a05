// Words of Chinese text, by a dictionary and a model of unknown words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "../unicode.hpp"
#include "../utf8.hpp"
#include "dictionary.hpp"
#include "unknown_words.hpp"

namespace neardup::inline v0 {

/// Tokenizes Chinese text into words: the segmentation of jieba, by the same dictionary and model the same words.
///
/// Runs of Chinese characters, ASCII letters, digits and + # & . _ % - are cut into the most probable words of the
/// dictionary; what is left of single characters side by side is cut by the model of unknown words, if there is one.
/// ASCII words and numbers stay whole. Tokens without a letter or a number are left out unless keep_symbols is set.
/// Traditional characters and full-width forms are other characters: fold them first where that is wanted.
/// Copies share the dictionary and the model. Safe from many threads.
/// Complexity: O(n) for words of bounded length.
/// Source: the algorithm of jieba (Sun Junyi), version 0.42.1, measured against it.
/// Example: `chinese_words words{dictionary};  simhasher hash{words, top{20, tf_idf{table}}};`
class chinese_words {
 public:
  /// Precondition: `dictionary` is not null. Without a model, unknown words stay single characters.
  explicit chinese_words(std::shared_ptr<const word_dictionary> dictionary,
                         std::shared_ptr<const unknown_word_model> model = nullptr)
      : dictionary_(std::move(dictionary)), model_(std::move(model)) {}

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    segment(text, [&](std::string_view token) {
      if (keep_symbols || has_letter(token)) sink(token);
    });
  }

  /// All tokens as jieba gives them, white space and punctuation too: one after the other they are the text.
  template <class Sink>
  void segment(std::string_view text, Sink&& sink) const {
    workspace memory;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = end_of_run(text, at);
      if (end > at) {
        cut_run(text, at, end, memory, sink);
        at = end;
        continue;
      }
      std::size_t length = decode_one(text.substr(at)).length;
      if (text.substr(at, 2) == "\r\n") length = 2;
      sink(text.substr(at, length));
      at += length;
    }
  }

  [[nodiscard]] const word_dictionary& dictionary() const noexcept { return *dictionary_; }

  bool keep_symbols = false;  ///< whether tokens without a letter or a number are tokens

 private:
  struct workspace {
    std::vector<detail::segment_step> steps;
    unknown_word_model::workspace model;
  };

  // Longer runs are cut at this many bytes, so that places fit 32 bits and memory is bounded.
  static constexpr std::size_t max_run = std::size_t{1} << 30;

  static constexpr bool is_ascii_of_run(unsigned char c) noexcept {
    return word_dictionary::is_ascii_alphanumeric(c) || c == '+' || c == '#' || c == '&' || c == '.' || c == '_' ||
           c == '%' || c == '-';
  }

  static std::size_t end_of_run(std::string_view text, std::size_t at) noexcept {
    const std::size_t limit = text.size() - at > max_run ? at + max_run : text.size();
    while (at < limit) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte < 0x80) {
        if (!is_ascii_of_run(byte)) break;
        ++at;
        continue;
      }
      const decoded next = decode_one(text.substr(at));
      if (!unknown_word_model::is_chinese(next.code_point)) break;
      at += next.length;
    }
    return at;
  }

  static bool has_letter(std::string_view token) noexcept {
    for (std::size_t i = 0; i < token.size();) {
      const decoded next = decode_one(token.substr(i));
      const character_class kind = classify(next.code_point);
      if (kind != character_class::other && kind != character_class::mark) return true;
      i += next.length;
    }
    return false;
  }

  template <class Sink>
  void cut_run(std::string_view text, std::size_t begin, std::size_t end, workspace& memory, Sink& sink) const {
    auto& steps = memory.steps;
    steps.clear();
    const std::string_view run = text.substr(begin, end - begin);
    word_dictionary::decode(run, steps);
    dictionary_->best_path(steps);
    const auto word = [&](std::size_t from, std::size_t to) {
      return run.substr(steps[from].begin, steps[to].begin - steps[from].begin);
    };
    const std::size_t count = steps.size() - 1;
    if (!model_) {
      for (std::size_t i = 0, next = 0; i < count; i = next) {
        next = word_dictionary::end_of_simple_word(steps, i);
        sink(word(i, next));
      }
      return;
    }
    for (std::size_t i = 0; i < count;) {
      std::size_t singles = i;
      while (singles < count && steps[singles].next == singles + 1) ++singles;
      if (singles > i) {
        cut_singles(i, singles, memory, word, sink);
        i = singles;
      } else {
        sink(word(i, steps[i].next));
        i = steps[i].next;
      }
    }
  }

  /// Words of characters that the dictionary leaves single, from number `begin` to `end`.
  template <class Word, class Sink>
  void cut_singles(std::size_t begin, std::size_t end, workspace& memory, const Word& word, Sink& sink) const {
    const auto& steps = memory.steps;
    if (end - begin == 1) return sink(word(begin, end));
    if (dictionary_->is_word(steps, begin, end)) {
      for (std::size_t i = begin; i < end; ++i) sink(word(i, i + 1));
      return;
    }
    for (std::size_t i = begin; i < end;) {
      std::size_t part = i;
      while (part < end && unknown_word_model::is_chinese(steps[part].code_point)) ++part;
      if (part > i) {
        cut_unknown(i, part, memory, word, sink);
      } else {
        while (part < end && !unknown_word_model::is_chinese(steps[part].code_point)) ++part;
        cut_ascii(i, part, steps, word, sink);
      }
      i = part;
    }
  }

  template <class Word, class Sink>
  void cut_unknown(std::size_t begin, std::size_t end, workspace& memory, const Word& word, Sink& sink) const {
    const auto& steps = memory.steps;
    model_->find_ends(
        end - begin, [&](std::size_t i) { return steps[begin + i].code_point; }, memory.model);
    for (std::size_t i = begin, from = begin; i < end; ++i) {
      if (memory.model.is_end[i - begin] == 0) continue;
      if (dictionary_->is_never_a_word(word(from, i + 1))) {
        for (; from <= i; ++from) sink(word(from, from + 1));
      } else {
        sink(word(from, i + 1));
      }
      from = i + 1;
    }
  }

  /// Letters and digits, a fraction and a percent sign behind them; what is between these stays whole.
  template <class Word, class Sink>
  void cut_ascii(std::size_t begin, std::size_t end, const std::vector<detail::segment_step>& steps, const Word& word,
                 Sink& sink) const {
    const auto is_digit = [&](std::size_t i) { return steps[i].code_point >= '0' && steps[i].code_point <= '9'; };
    const auto is_letter = [&](std::size_t i) { return word_dictionary::is_ascii_alphanumeric(steps[i].code_point); };
    for (std::size_t i = begin, from = begin; i < end;) {
      if (!is_letter(i)) {
        if (++i == end) sink(word(from, end));
        continue;
      }
      if (i > from) sink(word(from, i));
      from = i;
      while (i < end && is_letter(i)) ++i;
      if (i + 1 < end && steps[i].code_point == '.' && is_digit(i + 1)) {
        ++i;
        while (i < end && is_digit(i)) ++i;
      }
      if (i < end && steps[i].code_point == '%') ++i;
      sink(word(from, i));
      from = i;
    }
  }

  std::shared_ptr<const word_dictionary> dictionary_;
  std::shared_ptr<const unknown_word_model> model_;
};

}  // namespace neardup::inline v0
