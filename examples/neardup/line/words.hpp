// Reads the words of the command line into options, and parses the values of options.
#pragma once

#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include "../ground/errors.hpp"
#include "verb.hpp"

namespace command {

/// The options that were given, by their long names, and the paths.
class typed_options {
 public:
  [[nodiscard]] bool has(std::string_view name) const { return values_.contains(name); }

  /// Returns the last value of an option, or nullopt if the option was not given.
  [[nodiscard]] std::optional<std::string> operator[](std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second.back());
  }
  /// Returns the last value of an option, or an empty text if the option was not given.
  [[nodiscard]] std::string text(std::string_view name) const { return (*this)[name].value_or(""); }
  [[nodiscard]] std::vector<std::string> all(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::vector<std::string>() : found->second;
  }

  void set(const std::string& name, std::vector<std::string> values) { values_[name] = std::move(values); }
  /// Sets an option to a value that was not typed. No-op if the option has a value.
  void set_default(const std::string& name, const std::string& value) {
    if (values_.try_emplace(name, 1, value).second) defaults_.insert(name);
  }
  /// Returns true if the option was typed, and its value was not set by set_default().
  [[nodiscard]] bool is_typed(std::string_view name) const { return has(name) && !defaults_.contains(name); }

  /// Returns true if the verb has the options of a group.
  [[nodiscard]] bool takes(option_groups group) const { return (chosen->groups & group) != 0; }

  std::vector<std::string> paths;
  const verb* chosen = nullptr;
  verb_table verbs;                ///< all verbs
  bool first_may_be_verb = false;  ///< true if the first path is in the place of a verb, and looks like a verb

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::set<std::string, std::less<>> defaults_;  // names of options that were not typed
};

/// Reads the words after the verb.
/// Returns: the options, or the text to print if --help, --help-all or --version was typed.
/// Throws: usage_error if an option is unknown, or a value is missing or invalid.
std::variant<typed_options, std::string> read_words(const verb& chosen, bool is_named, verb_table verbs,
                                                    std::vector<std::string> words);

/// Returns the index of `text` in `names`.
/// Throws: usage_error if `names` does not contain `text`. The message names the option and `rule`.
std::size_t parse_name(const std::string& option, const std::string& text, const std::vector<const char*>& names,
                       const std::string& rule);

/// Parses the value of an option.
/// Returns: a number from `low` to `high`.
/// Throws: usage_error if the text is not a number, or if the number is out of range. If it is out of range, the
/// message ends with `rule`, or with the range if `rule` is empty.
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

/// Sets `to` to the value of `option`, a number from `low` to `high`. No-op if the option was not given.
template <class Number, class To>
void take_number(const typed_options& typed, const std::string& option, To& to, Number low, Number high) {
  if (const auto text = typed[option]) to = parse_number(option, *text, low, high);
}

template <class Enum>
void take_name(const typed_options& typed, const std::string& option, Enum& to, const std::vector<const char*>& names,
               const std::string& rule) {
  if (const auto text = typed[option]) to = static_cast<Enum>(parse_name(option, *text, names, rule));
}

}  // namespace command
