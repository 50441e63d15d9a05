// Kinds of features: the library's choices by name, and words from a dictionary.
#pragma once

#include <memory>
#include <neardup/fingerprint/any_tokenizer.hpp>
#include <neardup/text/agreeing.hpp>
#include <neardup/text/chinese/chinese_words.hpp>
#include <neardup/text/feature_choice.hpp>
#include <neardup/text/stop_words.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace command {

/// The texts of a document. No feature spans two texts.
using document_texts = std::vector<std::string_view>;

/// The value of --features. zh:words are the words of Chinese text, cut with a dictionary. zh:keywords are the words
/// that jieba's extract_tags counts, without jieba's English stop words and single characters.
struct feature_setting {
  using dictionary_words = neardup::without<neardup::chinese_words>;
  enum class chinese { no, words, keywords };

  neardup::feature_choice choice;
  chinese kind = chinese::no;
  std::shared_ptr<const dictionary_words> words;  ///< tokenizer for Chinese words; null before load_dictionary()
  /// The tokenizers of --same. Near-duplicates must have equal tokens of these tokenizers.
  std::vector<std::shared_ptr<const neardup::any_tokenizer>> same;
  /// The texts of the current document, if their tokens are counted together (see whole_document). Otherwise null.
  std::shared_ptr<const document_texts*> counted_texts;

  [[nodiscard]] bool needs_dictionary() const { return kind != chinese::no; }

  friend bool operator==(const feature_setting&, const feature_setting&) = default;
};

/// Parses `text`, the value of an option such as --features. `option`: the name of the option, for messages.
/// Throws: usage_error if `text` names no features.
feature_setting parse_feature_setting(const std::string& option, const std::string& text);
std::string to_string(const feature_setting& features);

/// Parses a value of --same: `numbers`, or `words:FILE`. Reads the file.
/// Throws: usage_error if the value is neither of these, or if the file has no words or cannot be read.
std::shared_ptr<const neardup::any_tokenizer> parse_same(const std::string& text);

/// The files for zh:words, as typed; empty if the option was not given. stop_words may be "zh", the name of a built-in
/// list.
struct dictionary_files {
  std::string dictionary, user_dictionary, model, stop_words;
  bool no_model = false;

  [[nodiscard]] bool any() const {
    return no_model || !(dictionary.empty() && user_dictionary.empty() && model.empty() && stop_words.empty());
  }
};

/// Calls `use(tokenizer)` with the tokenizer of the features.
/// Precondition: load_dictionary() was called.
template <class Use>
decltype(auto) with_tokenizer(const feature_setting& features, Use&& use) {
  if (features.words) return std::forward<Use>(use)(*features.words);
  return neardup::with_tokenizer(features.choice, std::forward<Use>(use));
}

/// A tokenizer that passes all tokens of a document when it reads the first text that is not empty, and no tokens when
/// it reads the other texts.
struct whole_document {
  neardup::any_tokenizer tokenize;
  std::shared_ptr<const document_texts*> texts;

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    for (const std::string_view first : **texts) {
      if (first.empty()) continue;
      if (first.data() != text.data()) return;
      break;
    }
    for (const std::string_view each : **texts) tokenize(each, sink);
  }
};

/// Returns the tokenizer of the features. All tokenizers have this one type, so that code that uses it is compiled
/// once.
neardup::any_tokenizer make_tokenizer(const feature_setting& features);

}  // namespace command
