// Slow and obvious twins of text/: all of a text is decoded first, and then grouped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oracle {

using tokens = std::vector<std::string>;

/// The code point of one well-formed UTF-8 sequence, by the definition: shortest form, no surrogate, up to U+10FFFF.
inline std::optional<std::uint32_t> well_formed(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  const auto at = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(bytes[i])}; };
  const std::uint32_t lead = at(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc0 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf8 ? 4
                                           : 0;
  if (length == 0 || bytes.size() != length) return std::nullopt;
  std::uint32_t value = length == 1 ? lead : lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return std::nullopt;
    value = value * 64 + (at(i) & 0x3f);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[length] || (value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff) return std::nullopt;
  return value;
}

/// Whether some continuation makes a well-formed sequence of these bytes; tries both ends of all ranges there are.
inline bool can_be_completed(const std::string& bytes) {
  if (bytes.size() >= 4) return false;
  for (const char next : {'\x80', '\x8f', '\x90', '\x9f', '\xa0', '\xbf'}) {
    const std::string longer = bytes + next;
    if (well_formed(longer) || can_be_completed(longer)) return true;
  }
  return false;
}

/// All code points of a text; each maximal ill-formed subpart is one U+FFFD.
inline std::vector<std::uint32_t> decode(std::string_view text) {
  std::vector<std::uint32_t> result;
  while (!text.empty()) {
    std::size_t length = 0;
    std::uint32_t value = 0xfffd;
    for (std::size_t i = 1; i <= 4 && i <= text.size() && length == 0; ++i) {
      if (const auto found = well_formed(text.substr(0, i))) {
        value = *found;
        length = i;
      }
    }
    if (length == 0) {
      length = 1;
      while (length < text.size() && can_be_completed(std::string(text.substr(0, length + 1)))) ++length;
    }
    result.push_back(value);
    text.remove_prefix(length);
  }
  return result;
}

inline std::string encode(std::uint32_t value) {
  std::string text;
  const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xc0 + value / 64);
  } else if (value < 0x10000) {
    put(0xe0 + value / 4096);
    put(0x80 + value / 64 % 64);
  } else {
    put(0xf0 + value / 262144);
    put(0x80 + value / 4096 % 64);
    put(0x80 + value / 64 % 64);
  }
  if (value >= 0x80) put(0x80 + value % 64);
  return text;
}

enum class kind { other, letter, mark, lone, han };

/// By hand from the code charts, for the blocks that random_text.hpp draws from; anything else is `other`.
inline kind kind_of(std::uint32_t c) {
  struct range {
    std::uint32_t first, last;
    kind is;
  };
  constexpr range ranges[] = {
      {'0', '9', kind::letter},       {'A', 'Z', kind::letter},         {'a', 'z', kind::letter},
      {0xc0, 0xd6, kind::letter},     {0xd8, 0xf6, kind::letter},       {0xf8, 0x2af, kind::letter},
      {0x300, 0x36f, kind::mark},     {0x391, 0x3a1, kind::letter},     {0x3a3, 0x3ce, kind::letter},
      {0x400, 0x481, kind::letter},   {0x5d0, 0x5ea, kind::letter},     {0x620, 0x64a, kind::letter},
      {0x64b, 0x65f, kind::mark},     {0x660, 0x669, kind::letter},     {0x900, 0x903, kind::mark},
      {0x904, 0x939, kind::letter},   {0x93a, 0x93c, kind::mark},       {0x93e, 0x94f, kind::mark},
      {0x966, 0x96f, kind::letter},   {0xe01, 0xe30, kind::lone},       {0xe31, 0xe31, kind::mark},
      {0xe32, 0xe33, kind::lone},     {0xe34, 0xe3a, kind::mark},       {0xe40, 0xe46, kind::lone},
      {0xe47, 0xe4e, kind::mark},     {0xe50, 0xe59, kind::lone},       {0x1e00, 0x1eff, kind::letter},
      {0x212a, 0x212a, kind::letter}, {0x2c65, 0x2c65, kind::letter},   {0x3005, 0x3005, kind::han},
      {0x3007, 0x3007, kind::han},    {0x3041, 0x3096, kind::lone},     {0x3099, 0x309a, kind::mark},
      {0x309d, 0x309f, kind::lone},   {0x30a1, 0x30fa, kind::lone},     {0x30fc, 0x30ff, kind::lone},
      {0x3400, 0x4dbf, kind::han},    {0x4e00, 0x9fff, kind::han},      {0xac00, 0xd7a3, kind::letter},
      {0xfe00, 0xfe0f, kind::mark},   {0x10400, 0x1044f, kind::letter}, {0x20000, 0x2a6df, kind::han},
      {0xe0100, 0xe01ef, kind::mark},
  };
  for (const range& r : ranges) {
    if (c >= r.first && c <= r.last) return r.is;
  }
  return kind::other;
}

/// The simple lower case of what random_text.hpp draws.
inline std::uint32_t lower(std::uint32_t c) {
  if (c >= 'A' && c <= 'Z') return c + 32;
  if (c >= 0xc0 && c <= 0xde && c != 0xd7) return c + 32;
  if (c == 0x130) return 'i';     // two bytes become one
  if (c == 0x23a) return 0x2c65;  // two bytes become three
  if (c >= 0x391 && c <= 0x3a9 && c != 0x3a2) return c + 32;
  if (c >= 0x400 && c <= 0x40f) return c + 80;
  if (c >= 0x410 && c <= 0x42f) return c + 32;
  if (c == 0x1e9e) return 0xdf;  // three bytes become two
  if (c == 0x212a) return 'k';   // three bytes become one
  if (c >= 0x10400 && c <= 0x10427) return c + 40;
  return c;
}

/// What the character before position `end` is, marks passed over; `other` when there is nothing before.
inline kind base_before(const std::vector<std::uint32_t>& text, std::size_t end) {
  while (end > 0 && kind_of(text[end - 1]) == kind::mark) --end;
  return end == 0 ? kind::other : kind_of(text[end - 1]);
}

inline tokens words(std::string_view bytes) {
  const std::vector<std::uint32_t> text = decode(bytes);
  tokens result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const kind is = kind_of(text[i]);
    if (is == kind::other) continue;
    const bool after_other = i == 0 || kind_of(text[i - 1]) == kind::other;
    const kind base = base_before(text, i);
    const bool after_lone = base == kind::lone || base == kind::han;
    const bool stands_alone = is == kind::lone || is == kind::han;
    if (after_other || stands_alone || (is == kind::letter && after_lone)) result.emplace_back();
    result.back() += encode(text[i]);
  }
  return result;
}

/// Every n units that follow each other, with `separator` between; all of them if there are fewer.
inline tokens windows(const tokens& units, std::size_t n, const std::string& separator) {
  tokens result;
  if (units.empty()) return result;
  const std::size_t length = n < units.size() ? n : units.size();
  for (std::size_t begin = 0; begin + length <= units.size(); ++begin) {
    std::string joined = units[begin];
    for (std::size_t i = 1; i < length; ++i) joined += separator + units[begin + i];
    result.push_back(joined);
  }
  return result;
}

inline tokens byte_ngrams(std::string_view text, std::size_t n) {
  tokens units;
  for (const char c : text) units.emplace_back(1, c);
  return windows(units, n, "");
}

inline tokens code_point_ngrams(std::string_view text, std::size_t n) {
  tokens units;
  for (const std::uint32_t c : decode(text)) units.push_back(encode(c));
  return windows(units, n, "");
}

inline tokens shingles(const tokens& of, std::size_t n) { return windows(of, n, "\x1f"); }

inline std::string fold(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const std::size_t upper = std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZ").find(c);
    result += upper == std::string_view::npos ? c : "abcdefghijklmnopqrstuvwxyz"[upper];
  }
  return result;
}

inline std::string normalise(std::string_view text) {
  std::vector<std::uint32_t> kept;
  bool gap = false;
  for (const std::uint32_t c : decode(text)) {
    if (kind_of(c) == kind::other) {
      gap = true;
      continue;
    }
    const bool beside_han = kind_of(c) == kind::han || base_before(kept, kept.size()) == kind::han;
    if (gap && !kept.empty() && !beside_han) kept.push_back(' ');
    gap = false;
    kept.push_back(lower(c));
  }
  std::string result;
  for (const std::uint32_t c : kept) result += encode(c);
  return result;
}

}  // namespace oracle
