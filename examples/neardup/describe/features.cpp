#include "features.hpp"

#include <stdexcept>

#include "../ground/errors.hpp"

namespace command {

feature_setting parse_feature_setting(const std::string& option, const std::string& text) {
  if (text == "zh:words") return {{}, feature_setting::chinese::words, nullptr};
  if (text == "zh:keywords") return {{}, feature_setting::chinese::keywords, nullptr};
  try {
    return {neardup::parse_features(text), feature_setting::chinese::no, nullptr};
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

}  // namespace command
