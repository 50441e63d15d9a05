#include "features.hpp"

#include <algorithm>
#include <charconv>
#include <neardup/fingerprint/hashers.hpp>
#include <neardup/text/unicode.hpp>
#include <neardup/text/utf8.hpp>
#include <stdexcept>

namespace accuracy {

feature_choice parse_features(std::string_view text) {
  constexpr std::string_view prefix = "canonical:";
  if (text.starts_with(prefix)) {
    feature_choice inner = parse_features(text.substr(prefix.size()));
    inner.canonical = true;
    return inner;
  }
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  feature_choice result;
  if (name == "chars") {
    result.kind = feature_choice::unit::chars;
  } else if (name == "bytes") {
    result.kind = feature_choice::unit::bytes;
  } else if (name != "words") {
    throw std::invalid_argument("'" + std::string(text) + "': features are words, words:N, chars:N or bytes:N");
  }
  if (colon == std::string_view::npos) {
    if (name == "words") return result;
    throw std::invalid_argument("'" + std::string(text) + "': say how long, as in " + std::string(name) + ":5");
  }
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, result.size);
  if (parsed.ec != std::errc{} || parsed.ptr != end || result.size == 0) {
    throw std::invalid_argument("'" + std::string(text) + "': not a length of at least 1");
  }
  return result;
}

std::string to_string(const feature_choice& features) {
  if (features.canonical) return "canonical:" + to_string(feature_choice{features.kind, features.size});
  switch (features.kind) {
    case feature_choice::unit::chars: return "chars:" + std::to_string(features.size);
    case feature_choice::unit::bytes: return "bytes:" + std::to_string(features.size);
    case feature_choice::unit::words: break;
  }
  return features.size == 1 ? "words" : "words:" + std::to_string(features.size);
}

std::string truth_text(std::string_view text) {
  std::string result;
  bool space_pending = false;
  for (std::size_t i = 0; i < text.size();) {
    const neardup::decoded next = neardup::decode_one(text.substr(i));
    i += next.length;
    const neardup::character_class kind = neardup::classify(next.code_point);
    using enum neardup::character_class;
    if (kind != letter && kind != lone && kind != han) {
      space_pending = true;
      continue;
    }
    if (space_pending && !result.empty()) result.push_back(' ');
    space_pending = false;
    char bytes[4];
    result.append(bytes, neardup::encode(neardup::detail::to_lower(next.code_point), bytes));
  }
  return result;
}

std::vector<std::uint64_t> truth_features(const feature_choice& features, std::string_view text) {
  std::string normal;
  if (features.kind != feature_choice::unit::bytes) text = normal = truth_text(text);

  // In truth_text, one space separates words, and all characters are well-formed UTF-8.
  const auto begins_unit = [&](std::size_t i) {
    switch (features.kind) {
      case feature_choice::unit::words: return i == 0 || text[i - 1] == ' ';
      case feature_choice::unit::chars: return (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
      case feature_choice::unit::bytes: break;
    }
    return true;
  };
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_unit(i)) begins.push_back(i);
  }
  const std::size_t between = features.kind == feature_choice::unit::words ? 1 : 0;

  const neardup::xxh3<64> hash{.seed = 0x7472757468};  // another seed than the fingerprints use, so the truth is
                                                       // independent of their hashes
  std::vector<std::uint64_t> result;
  if (begins.empty()) return result;
  const std::size_t width = (std::min)(features.size, begins.size());
  for (std::size_t i = 0; i + width <= begins.size(); ++i) {
    const std::size_t end = i + width < begins.size() ? begins[i + width] - between : text.size();
    result.push_back(hash(text.substr(begins[i], end - begins[i])));
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace accuracy
