// The slow twin of text/. It first decodes the whole text, and then groups the code points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oracle {

using tokens = std::vector<std::string>;

/// The code point of one well-formed UTF-8 sequence, by definition: shortest form, no surrogate, at most U+10FFFF.
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

/// True if these bytes are a prefix of a well-formed sequence; tries both ends of every range of continuation bytes.
inline bool can_be_completed(const std::string& bytes) {
  if (bytes.size() >= 4) return false;
  for (const char next : {'\x80', '\x8f', '\x90', '\x9f', '\xa0', '\xbf'}) {
    const std::string longer = bytes + next;
    if (well_formed(longer) || can_be_completed(longer)) return true;
  }
  return false;
}

/// The code points of a text; each maximal ill-formed subpart becomes one U+FFFD.
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

enum class kind { other, letter, mark, lone, han, ignored, pictograph, regional };

/// The kinds of the characters in the blocks that random_text.hpp uses, copied from the code charts. Others are
/// `other`.
inline kind kind_of(std::uint32_t c) {
  struct range {
    std::uint32_t first, last;
    kind is;
  };
  constexpr range ranges[] = {
      {'0', '9', kind::letter},
      {'A', 'Z', kind::letter},
      {'a', 'z', kind::letter},
      {0xad, 0xad, kind::ignored},
      {0x200b, 0x200f, kind::ignored},
      {0x202a, 0x202e, kind::ignored},
      {0x203c, 0x203c, kind::pictograph},
      {0x20d0, 0x20f0, kind::mark},
      {0x2764, 0x2764, kind::pictograph},
      {0xfe00, 0xfe0f, kind::ignored},
      {0xfeff, 0xfeff, kind::ignored},
      {0x1f1e6, 0x1f1ff, kind::regional},
      {0x1f000, 0x1f03f, kind::pictograph},
      {0x1f3f4, 0x1f3f4, kind::pictograph},
      {0x1f3fb, 0x1f3ff, kind::pictograph},
      {0x1f468, 0x1f469, kind::pictograph},
      {0x1f600, 0x1f64f, kind::pictograph},
      {0xe0000, 0xe0fff, kind::ignored},
      {0xc0, 0xd6, kind::letter},
      {0xd8, 0xf6, kind::letter},
      {0xf8, 0x2af, kind::letter},
      {0x300, 0x34e, kind::mark},
      {0x34f, 0x34f, kind::ignored},
      {0x350, 0x36f, kind::mark},
      {0x391, 0x3a1, kind::letter},
      {0x3a3, 0x3ce, kind::letter},
      {0x400, 0x481, kind::letter},
      {0x5d0, 0x5ea, kind::letter},
      {0x620, 0x64a, kind::letter},
      {0x64b, 0x65f, kind::mark},
      {0x660, 0x669, kind::letter},
      {0x900, 0x903, kind::mark},
      {0x904, 0x939, kind::letter},
      {0x93a, 0x93c, kind::mark},
      {0x93e, 0x94f, kind::mark},
      {0x966, 0x96f, kind::letter},
      {0xe01, 0xe30, kind::lone},
      {0xe31, 0xe31, kind::mark},
      {0xe32, 0xe33, kind::lone},
      {0xe34, 0xe3a, kind::mark},
      {0xe40, 0xe46, kind::lone},
      {0xe47, 0xe4e, kind::mark},
      {0xe50, 0xe59, kind::lone},
      {0x1e00, 0x1eff, kind::letter},
      {0x212a, 0x212a, kind::letter},
      {0x2c65, 0x2c65, kind::letter},
      {0x3005, 0x3005, kind::han},
      {0x3007, 0x3007, kind::han},
      {0x3041, 0x3096, kind::lone},
      {0x3099, 0x309a, kind::mark},
      {0x309d, 0x309f, kind::lone},
      {0x30a1, 0x30fa, kind::lone},
      {0x30fc, 0x30ff, kind::lone},
      {0x3400, 0x4dbf, kind::han},
      {0x4e00, 0x9fff, kind::han},
      {0xac00, 0xd7a3, kind::letter},
      {0x10400, 0x1044f, kind::letter},
      {0x20000, 0x2a6df, kind::han},
  };
  for (const range& r : ranges) {
    if (c >= r.first && c <= r.last) return r.is;
  }
  return kind::other;
}

/// The simple lower case of the characters that random_text.hpp draws.
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

inline std::string encode_all(const std::vector<std::uint32_t>& text) {
  std::string result;
  for (const std::uint32_t c : text) result += encode(c);
  return result;
}

/// A word, the kind of its first character, and true if a separator is before it.
struct placed_word {
  std::vector<std::uint32_t> characters;
  kind begins = kind::other;
  bool after_gap = false;
};

/// The words of a text, by a grammar over the kinds that `kind_of(c)` returns:
///
///   word    = letter (letter | mark)*  |  (lone | han) mark*  |  regional regional mark*  |  regional mark*
///           | ("#" | "*") U+FE0F* U+20E3 mark*  |  tone mark*  |  emoji
///   emoji   = picture (U+200D picture)*
///   picture = pictograph (mark | tone | tag)*
///
/// Ignored characters may stand anywhere else, and are left out.
template <class KindOf>
std::vector<placed_word> words_of(const std::vector<std::uint32_t>& text, const KindOf& kind_of) {
  const auto is_tone = [](std::uint32_t c) { return c >= 0x1f3fb && c <= 0x1f3ff; };
  const auto is_tag = [](std::uint32_t c) { return c >= 0xe0020 && c <= 0xe007f; };
  const auto is = [&](std::size_t i, kind wanted) { return i < text.size() && kind_of(text[i]) == wanted; };
  const auto skip = [&](std::size_t& i) {
    while (is(i, kind::ignored)) ++i;
  };
  std::vector<placed_word> result;
  bool gap = false;
  for (std::size_t i = 0; i < text.size();) {
    placed_word word{{}, kind_of(text[i]), gap};
    const auto take = [&] { word.characters.push_back(text[i++]); };
    // Takes characters of these kinds, and skips ignored characters between them.
    const auto take_all = [&](kind a, kind b) {
      for (;;) {
        std::size_t next = i;
        skip(next);
        if (!is(next, a) && !is(next, b)) return;
        i = next;
        take();
      }
    };
    const auto take_picture = [&] {
      take();
      for (;;) {
        std::size_t next = i;
        while (is(next, kind::ignored) && !is_tag(text[next])) ++next;
        if (next >= text.size() || !(is(next, kind::mark) || is_tone(text[next]) || is_tag(text[next]))) return;
        i = next;
        take();
      }
    };
    switch (word.begins) {
      case kind::letter: take_all(kind::letter, kind::mark); break;
      case kind::lone:
      case kind::han:
        take();
        take_all(kind::mark, kind::mark);
        break;
      case kind::regional: {
        take();
        std::size_t next = i;
        skip(next);
        if (is(next, kind::regional)) {
          i = next;
          take();
        }
        take_all(kind::mark, kind::mark);
        break;
      }
      case kind::pictograph:
        if (is_tone(text[i])) {
          take();
          take_all(kind::mark, kind::mark);
          break;
        }
        take_picture();
        for (;;) {
          std::size_t next = i;
          bool is_joined = false;
          for (; is(next, kind::ignored); ++next) is_joined = is_joined || text[next] == 0x200d;
          if (!is_joined || !is(next, kind::pictograph)) break;
          i = next;
          word.characters.push_back(0x200d);
          take_picture();
        }
        break;
      case kind::other: {
        std::size_t next = i + 1;
        while (next < text.size() && text[next] == 0xfe0f) ++next;
        gap = true;
        if ((text[i] == '#' || text[i] == '*') && next < text.size() && text[next] == 0x20e3) {
          word.after_gap = true;
          take();
          i = next;
          take();
          take_all(kind::mark, kind::mark);
        } else {
          ++i;
        }
        break;
      }
      case kind::mark:
      case kind::ignored: ++i; break;
    }
    if (word.characters.empty()) continue;
    result.push_back(word);
    gap = false;
  }
  return result;
}

inline tokens words(std::string_view bytes) {
  tokens result;
  for (const placed_word& word : words_of(decode(bytes), kind_of)) result.push_back(encode_all(word.characters));
  return result;
}

/// Returns all windows of n consecutive units, joined by `separator`. If there are fewer than n units, returns one
/// window of all units.
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

/// Returns the words in lower case. There is a space between two words if a separator is between them in the text, and
/// neither is Han.
template <class KindOf, class Lower>
std::string normalise(const std::vector<std::uint32_t>& text, const KindOf& kind_of, const Lower& lower) {
  std::string result;
  kind before = kind::han;
  for (const placed_word& word : words_of(text, kind_of)) {
    if (word.after_gap && before != kind::han && word.begins != kind::han) result += ' ';
    before = word.begins;
    for (const std::uint32_t c : word.characters) result += encode(kind_of(c) == kind::letter ? lower(c) : c);
  }
  return result;
}

inline std::string normalise(std::string_view text) { return normalise(decode(text), kind_of, lower); }

}  // namespace oracle
