#include "features.hpp"

#include <stdexcept>
#include <string_view>

#include "../ground/errors.hpp"

namespace command {

neardup::any_tokenizer make_tokenizer(const feature_setting& features) {
  using any = neardup::any_tokenizer;
  const auto& together = features.counted_texts;
  any tokenizer = [&] {
    if (together && features.choice.is_counted) {
      neardup::feature_choice each = features.choice;
      each.is_counted = false;
      const any tokenize = neardup::with_tokenizer(each, [](const auto& chosen) { return any(chosen); });
      return any(neardup::counted{whole_document{tokenize, together}});
    }
    return with_tokenizer(features, [](const auto& chosen) { return any(chosen); });
  }();
  for (const auto& same : features.same) tokenizer = any(neardup::agreeing{*same, tokenizer});
  return tokenizer;
}

feature_setting parse_feature_setting(const std::string& option, const std::string& text) {
  feature_setting result;
  if (text == "zh:words") result.kind = feature_setting::chinese::words;
  if (text == "zh:keywords") result.kind = feature_setting::chinese::keywords;
  if (result.needs_dictionary()) return result;
  try {
    result.choice = neardup::parse_features(text);
    return result;
  } catch (const std::invalid_argument& error) {
    const std::string what = error.what();
    const bool lists_them = what.find("features are ") != what.npos;
    throw usage_error(option + " " + what + (lists_them ? ", zh:words or zh:keywords" : ""));
  }
}

std::string to_string(const feature_setting& features) {
  switch (features.kind) {
    case feature_setting::chinese::words: return "zh:words";
    case feature_setting::chinese::keywords: return "zh:keywords";
    case feature_setting::chinese::no: break;
  }
  return neardup::to_string(features.choice);
}

std::shared_ptr<const neardup::any_tokenizer> parse_same(const std::string& text) {
  using tokenizer = neardup::any_tokenizer;
  constexpr std::string_view of_file = "words:";
  if (text == "numbers") return std::make_shared<const tokenizer>(neardup::numbers{});
  if (!text.starts_with(of_file) || text.size() == of_file.size()) {
    throw usage_error("--same '" + text + "': must be numbers, or words:FILE, a file with one word on each line");
  }
  const auto listed = [&] {
    try {
      return neardup::listed_words::load(text.substr(of_file.size()));
    } catch (const std::runtime_error& error) {
      throw usage_error("--same: " + std::string(error.what()));
    }
  }();
  if (listed.size() == 0) throw usage_error("--same " + text + ": the file has no words");
  return std::make_shared<const tokenizer>(listed);
}

}  // namespace command
