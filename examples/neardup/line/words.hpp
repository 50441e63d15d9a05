// The command line as it was typed.
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

  /// The last value; nothing if it was not given.
  [[nodiscard]] std::optional<std::string> operator[](std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second.back());
  }
  /// The value, or an empty one.
  [[nodiscard]] std::string text(std::string_view name) const { return (*this)[name].value_or(""); }
  [[nodiscard]] std::vector<std::string> all(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::vector<std::string>() : found->second;
  }

  void set(const std::string& name, std::vector<std::string> values) { values_[name] = std::move(values); }
  /// What is taken from elsewhere if it was not given.
  void set_default(const std::string& name, const std::string& value) {
    if (values_.try_emplace(name, 1, value).second) defaults_.insert(name);
  }
  /// Whether it was typed, and does not come from elsewhere.
  [[nodiscard]] bool is_typed(std::string_view name) const { return has(name) && !defaults_.contains(name); }

  /// Whether the verb takes the options of a group.
  [[nodiscard]] bool takes(option_groups group) const { return (chosen->groups & group) != 0; }

  std::vector<std::string> paths;
  const verb* chosen = nullptr;
  verb_table verbs;                ///< all of them
  bool first_may_be_verb = false;  ///< the first path stands where a verb would, and looks like one

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::set<std::string, std::less<>> defaults_;  // of these the names that were not typed
};

/// Reads the words behind the verb. Returns: a text, if one is asked for. Throws: usage_error for what the verb does not
/// have.
std::variant<typed_options, std::string> read_words(const verb& chosen, bool is_named, verb_table verbs,
                                                    std::vector<std::string> words);

/// The position of what was typed among `names`. Throws: usage_error, which names the option and `rule`.
std::size_t parse_name(const std::string& option, const std::string& text, const std::vector<const char*>& names,
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

/// The same for an option that may be given: sets `to`.
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
