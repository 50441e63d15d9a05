// Text for people and for JSON: names, numbers, and messages on standard error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace command {

/// Returns a JSON string with its quotes. Ill-formed UTF-8 becomes U+FFFD, so that the result is always valid JSON.
std::string json_string(std::string_view text);

class json_object {
 public:
  json_object& add(std::string_view name, std::string_view json) {
    text_.append(text_.empty() ? "{\"" : ",\"").append(name).append("\":").append(json);
    return *this;
  }
  [[nodiscard]] std::string text() const { return text_ + '}'; }

 private:
  std::string text_;
};

/// Returns the text without line breaks. Control characters become escapes, such as \n or \x1b. Everything else is
/// unchanged.
std::string on_one_line(std::string_view text);

/// Returns on_one_line() of the text, but doubles each backslash, so that the text can be read back.
std::string printable(std::string_view text);

/// Counts the code points of a text.
/// Precondition: the text is well-formed UTF-8.
std::size_t code_points(std::string_view text);

/// Returns a number with up to six significant digits. The decimal separator is a point in every locale.
std::string number(double value);
/// Returns a number with as many digits as are needed to read the same number back.
std::string number_in_full(double value);

/// Returns a number with `digits` decimals.
std::string fixed(double value, int digits);

/// Returns a similarity with three decimals. It is rounded down, so that only equal documents get 1.000.
std::string similarity_text(double value);
/// Returns a similarity as a JSON number with up to six decimals. It is rounded down, so that only equal documents get
/// 1.
std::string similarity_number(double value);

/// Returns a number with separators, such as "1,234,567".
std::string grouped(std::uint64_t value);

/// Returns a count with its noun, such as "1 document" or "2 documents".
std::string counted(std::uint64_t count, std::string_view singular, std::string_view plural);

/// Prints "neardup: " and the text on standard error, as one line.
void say(const std::string& text);

}  // namespace command
