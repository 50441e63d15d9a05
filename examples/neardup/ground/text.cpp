#include "text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <neardup/text/utf8.hpp>

namespace command {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Appends a character as an escape. `numbered` is the beginning of a numeric escape, for characters without a short
/// escape.
void append_escaped(std::string& out, char c, const char* numbered) {
  switch (c) {
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  out += numbered;
  out += hex_digits[static_cast<unsigned char>(c) >> 4];
  out += hex_digits[static_cast<unsigned char>(c) & 15];
}

}  // namespace

std::string json_string(std::string_view text) {
  const auto stands_for_itself = [](char c) {
    return static_cast<unsigned char>(c) < 0x80 && !is_control(c) && c != '"' && c != '\\';
  };
  std::string out = "\"";
  while (!text.empty()) {
    const auto plain = std::find_if_not(text.begin(), text.end(), stands_for_itself);
    out.append(text.begin(), plain);
    text.remove_prefix(static_cast<std::size_t>(plain - text.begin()));
    if (text.empty()) break;
    const neardup::decoded next = neardup::decode_one(text);
    const char c = text.front();
    if (!next.valid) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (is_control(c)) {
      append_escaped(out, c, "\\u00");
    } else {
      out += text.substr(0, next.length);
    }
    text.remove_prefix(next.length);
  }
  return out + '"';
}

std::string on_one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_control(c)) {
      append_escaped(out, c, "\\x");
    } else {
      out += c;
    }
  }
  return out;
}

std::string printable(std::string_view text) {
  const auto is_escaped = [](char c) { return is_control(c) || c == '\\'; };
  if (std::none_of(text.begin(), text.end(), is_escaped)) return std::string(text);
  std::string doubled;
  doubled.reserve(text.size());
  for (const char c : text) doubled.append(c == '\\' ? 2 : 1, c);
  return on_one_line(doubled);
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
}

std::string number(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 6);
  return {digits.data(), end.ptr};
}

std::string number_in_full(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end.ptr};
}

std::string fixed(double value, int digits) {
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
  return {text.data(), end.ptr};
}

namespace {

/// Rounds down to a multiple of 1 / `steps`. The added 1e-9 compensates for the rounding error of `value`, a quotient.
double rounded_down(double value, double steps) { return std::floor(value * steps + 1e-9) / steps; }

}  // namespace

std::string similarity_text(double value) { return fixed(rounded_down(value, 1e3), 3); }
std::string similarity_number(double value) { return number(rounded_down(value, 1e6)); }

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t count, std::string_view singular, std::string_view plural) {
  return grouped(count) + ' ' + std::string(count == 1 ? singular : plural);
}

void say(const std::string& text) {
  const std::string line = "neardup: " + on_one_line(text) + "\n";
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

}  // namespace command
