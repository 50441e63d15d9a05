// What counts as a feature: the choices of the library by name, and words by a dictionary.
#pragma once

#include <memory>
#include <neardup/fingerprint/any_tokenizer.hpp>
#include <neardup/text/agreeing.hpp>
#include <neardup/text/chinese/chinese_words.hpp>
#include <neardup/text/feature_choice.hpp>
#include <neardup/text/stop_words.hpp>
#include <string>
#include <utility>
#include <vector>

namespace command {

/// What --features says. zh:words are the words of Chinese text by a dictionary; zh:keywords are those that jieba's
/// extract_tags counts: not its English stop words, and not what is a single character.
struct feature_setting {
  using dictionary_words = neardup::without<neardup::chinese_words>;
  enum class chinese { no, words, keywords };

  neardup::feature_choice choice;
  chinese kind = chinese::no;
  std::shared_ptr<const dictionary_words> words;  ///< if it is of Chinese, once load_dictionary has been called
  std::vector<std::shared_ptr<const neardup::any_tokenizer<>>> same;  ///< what near-duplicates share, of --same

  [[nodiscard]] bool needs_dictionary() const { return kind != chinese::no; }

  friend bool operator==(const feature_setting&, const feature_setting&) = default;
};

/// As typed. Throws: usage_error.
feature_setting parse_feature_setting(const std::string& option, const std::string& text);
std::string to_string(const feature_setting& features);

/// What --same names: numbers, or words:FILE, which is read. Throws: usage_error.
std::shared_ptr<const neardup::any_tokenizer<>> parse_same(const std::string& text);

/// The files behind zh:words, as typed; empty: not given. stop_words may be "zh", a list that is built in.
struct dictionary_files {
  std::string dictionary, user_dictionary, model, stop_words;
  bool no_model = false;

  [[nodiscard]] bool any() const {
    return no_model || !(dictionary.empty() && user_dictionary.empty() && model.empty() && stop_words.empty());
  }
};

/// Calls `use(tokenizer)`. Precondition: load_dictionary() has been called.
template <class Use>
decltype(auto) with_tokenizer(const feature_setting& features, Use&& use) {
  if (features.words) return std::forward<Use>(use)(*features.words);
  return neardup::with_tokenizer(features.choice, std::forward<Use>(use));
}

/// The same as one type, so that what stands on it is compiled once.
template <class Hasher = neardup::xxh3<64>>
neardup::any_tokenizer<Hasher> make_tokenizer(const feature_setting& features) {
  auto tokenizer = with_tokenizer(features, [](const auto& chosen) { return neardup::any_tokenizer<Hasher>(chosen); });
  for (const auto& same : features.same) {
    tokenizer = neardup::any_tokenizer<Hasher>(neardup::agreeing{*same, tokenizer});
  }
  return tokenizer;
}

}  // namespace command
