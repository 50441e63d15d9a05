// The settings of fingerprints and comparison: from what was typed, and what a similarity chooses for the rest.
#pragma once

#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>

#include "errors.hpp"
#include "options.hpp"

namespace command {

/// Options as typed; nothing: not given.
struct typed_settings {
  using text = std::optional<std::string>;

  text features, weights, kind, bits, seed;
  text similarity, distance, blocks, min_similarity, check_features, check, grouping, keep, recall, top, most;
};

/// Reads what was typed, and chooses what was not: by the defaults of the library, and by the rule in
/// docs/command.md.
/// Throws: usage_error.
void apply_settings(const typed_settings& given, options& to);

/// The position of what was typed among `names`. Throws: usage_error, which names the option and `rule`.
std::size_t parse_name(const std::string& option, const std::string& text, std::initializer_list<const char*> names,
                       const std::string& rule);

/// A number in low..high. Throws: usage_error, which names the option, and the range, by `rule` if there is more to it.
template <class Number>
Number parse_number(const std::string& option, const std::string& text, Number low, Number high,
                    const std::string& rule = "") {
  Number value{};
  const char* begin = text.data();
  const char* const end = begin + text.size();
  std::from_chars_result parsed{begin, std::errc::invalid_argument};
  if constexpr (std::is_integral_v<Number>) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    parsed = std::from_chars(hexadecimal ? begin + 2 : begin, end, value, hexadecimal ? 16 : 10);
  } else {
    parsed = std::from_chars(begin, end, value);
  }
  if (text.empty() || parsed.ec == std::errc::invalid_argument || parsed.ptr != end) {
    throw usage_error(option + " '" + text + "': not a " + (std::is_integral_v<Number> ? "whole " : "") + "number");
  }
  if (parsed.ec != std::errc{} || !(value >= low && value <= high)) {
    std::string range = "must be from ";
    if constexpr (std::is_integral_v<Number>) {
      range += std::to_string(low) + " to " + std::to_string(high);
    } else {
      range += "0 to 1";
    }
    throw usage_error(option + " " + text + ": " + (rule.empty() ? range : rule));
  }
  return value;
}

}  // namespace command
