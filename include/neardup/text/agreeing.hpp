// Tokens that two texts must share to be near-duplicates, however similar they are: their numbers, or certain words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../detail/bits.hpp"
#include "../detail/text_lines.hpp"
#include "../error.hpp"
#include "normalise.hpp"
#include "stop_words.hpp"
#include "tokenizer.hpp"
#include "unicode.hpp"
#include "utf8.hpp"
#include "words.hpp"

namespace neardup::inline v0 {

namespace detail {

/// The digit zero of all scripts (category Nd of Unicode 15); the other digits follow it.
inline constexpr char32_t zeros[] = {
    0x30,    0x660,   0x6f0,   0x7c0,   0x966,   0x9e6,   0xa66,   0xae6,   0xb66,   0xbe6,   0xc66,   0xce6,
    0xd66,   0xde6,   0xe50,   0xed0,   0xf20,   0x1040,  0x1090,  0x17e0,  0x1810,  0x1946,  0x19d0,  0x1a80,
    0x1a90,  0x1b50,  0x1bb0,  0x1c40,  0x1c50,  0xa620,  0xa8d0,  0xa900,  0xa9d0,  0xa9f0,  0xaa50,  0xabf0,
    0xff10,  0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0,
    0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x11f50, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8,
    0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e4f0, 0x1e950, 0x1fbf0};

/// The value of a decimal digit; -1 for other characters.
constexpr int digit_value(char32_t c) noexcept {
  if (c < 0x80) return c - U'0' < 10 ? static_cast<int>(c - U'0') : -1;
  const char32_t* const zero = std::upper_bound(std::begin(zeros), std::end(zeros), c) - 1;
  return c - *zero < 10 ? static_cast<int>(c - *zero) : -1;
}

/// Groups of digits with single separators between them, which are one number or several.
class digit_groups {
 public:
  /// Reads the groups that begin at `at`. Returns: their end.
  std::size_t read(std::string_view text, std::size_t at) {
    groups_.assign(1, {});
    separators_.clear();
    for (;;) {
      decoded next = decode_one(text.substr(at));
      for (int digit = 0; (digit = digit_value(next.code_point)) >= 0; next = decode_one(text.substr(at))) {
        groups_.back() += static_cast<char>('0' + digit);
        if ((at += next.length) == text.size()) return at;
      }
      const std::size_t behind = at + next.length;
      const char separator = separator_of(next.code_point);
      if (separator == '\0' || behind == text.size()) return at;
      if (digit_value(decode_one(text.substr(behind)).code_point) < 0) return at;
      separators_ += separator;
      groups_.emplace_back();
      at = behind;
    }
  }

  /// Calls `visit(number)` for each number. `sign` is prepended to the first one.
  template <class Visit>
  void for_each_number(std::string_view sign, const Visit& visit) {
    std::string number(sign);
    for (std::size_t i = 0; i < groups_.size(); number.clear()) {
      const bool is_list = separator(i) == ',';
      number += groups_[i];
      const std::size_t thousands = end_of_thousands(i);
      const char used = thousands > i + 1 ? separators_[i] : '\0';
      for (++i; i < thousands; ++i) number += groups_[i];
      const bool is_comma = separator(i) == ',' && used != ',' && !is_list && separator(i + 1) != ',';
      if (is_comma) number.append(".").append(groups_[i++]);
      while (!is_comma && separator(i) == '.') number.append(".").append(groups_[i++]);
      visit(std::string_view(number));
    }
  }

 private:
  /// Commas and points, and separators of thousands: apostrophes as ', no-break spaces as a space.
  static constexpr char separator_of(char32_t c) noexcept {
    if (c == U'.' || c == 0xff0e || c == 0x66b) return '.';
    if (c == U',') return ',';
    if (c == U'\'' || c == 0x2019 || c == 0x66c) return '\'';
    return c == 0xa0 || c == 0x2009 || c == 0x202f ? ' ' : '\0';
  }

  /// The separator before group i.
  [[nodiscard]] char separator(std::size_t i) const noexcept {
    return i > 0 && i - 1 < separators_.size() ? separators_[i - 1] : '\0';
  }

  /// The end of the groups of thousands of the number that begins with group i; i + 1 if it has none.
  [[nodiscard]] std::size_t end_of_thousands(std::size_t i) const noexcept {
    const char used = separator(i + 1);
    std::size_t end = i + 1;
    if (used == '\0' || used == '.' || groups_[i].size() > 3) return end;
    while (separator(end) == used && groups_[end].size() == 3) ++end;
    return separator(end) == used ? i + 1 : end;  // "1,234,5" is a list
  }

  std::vector<std::string> groups_;
  std::string separators_;  // between consecutive groups
};

}  // namespace detail

/// Tokenizes a text into its numbers, such as "-1234.5".
///
/// A number is a run of decimal digits of any script, even inside a word ("B12" contains 12). It includes
/// - a minus before it (U+002D or U+2212) unless a letter, digit or minus precedes that: "-2", but not "PR-2", "1-2",
///   "- 2";
/// - groups of thousands: three digits behind a comma, an apostrophe or a no-break space, if all separators are equal:
///   "1,234,567" and "1'234'567" are 1234567;
/// - a decimal comma or point and the digits behind it, or several points: "3,14" is 3.14, "26.11.2026" is one number,
///   and "1.000" is not 1000. "1,2,3" is three numbers.
///
/// Digits are compared as written: 2.50 is not 2.5, and 007 is not 7. Number words (two, 二) are not numbers.
struct numbers {
  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    detail::digit_groups groups;
    char32_t last = U' ', before_last = U' ';
    for (std::size_t i = 0; i < text.size();) {
      const decoded next = decode_one(text.substr(i));
      if (detail::digit_value(next.code_point) < 0) {
        before_last = std::exchange(last, next.code_point);
        i += next.length;
        continue;
      }
      const bool is_minus = is_hyphen(last) && !is_hyphen(before_last) && !is_of_word(before_last);
      i = groups.read(text, i);
      groups.for_each_number(is_minus ? "-" : "", sink);
      before_last = last = U'0';
    }
  }

 private:
  static constexpr bool is_hyphen(char32_t c) noexcept { return c == U'-' || c == 0x2212; }
  static constexpr bool is_of_word(char32_t c) noexcept { return detail::is_visible_word(classify(c)); }
};

/// Tokenizes a text into those of its words that are in a list, such as negations, in lower case as by normalise(). An
/// entry of several words ("no longer", "isn't") matches if these are consecutive. Copies share the list.
class listed_words {
 public:
  explicit listed_words(const std::vector<std::string>& entries) {
    for (const std::string& entry : entries) add(entry);
  }

  /// Reads one entry per line, in UTF-8; empty lines are skipped.
  /// Throws: std::runtime_error with a message that begins with "name:line: ", for a line that is not UTF-8, or has no
  /// word.
  [[nodiscard]] static listed_words parse(std::string_view contents, std::string_view name = "words") {
    listed_words result({});
    detail::for_each_line(contents, [&](std::string_view line, std::size_t number) {
      const auto refuse = [&](const char* why) {
        detail::fail<std::runtime_error>(std::string(name).append(":").append(std::to_string(number)).append(why));
      };
      if (count_invalid(line) != 0) refuse(": not UTF-8");
      if (!result.add(line)) refuse(": no word");
    });
    return result;
  }

  /// Reads a file as parse() does. Throws: std::runtime_error, which names the file and the line.
  [[nodiscard]] static listed_words load(const std::string& path) { return parse(detail::read_file(path), path); }

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    const std::string normalised = normalise(text);
    std::vector<std::string_view> words;
    for_each_word(normalised, [&](std::string_view /*word*/, std::string_view bytes) { words.push_back(bytes); });
    std::string entry;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!list_->beginnings.contains(words[i])) continue;
      entry.clear();
      for (std::size_t n = 0; n < list_->longest && i + n < words.size(); ++n) {
        entry.append(n > 0 ? " " : "").append(words[i + n]);
        if (list_->entries.find(entry) != list_->entries.end()) sink(std::string_view(entry));
      }
    }
  }

  /// The number of entries.
  [[nodiscard]] std::size_t size() const noexcept { return list_->entries.size(); }

  /// The name in a composition, which contains a digest of the list.
  [[nodiscard]] std::string description() const {
    std::uint64_t sum = 0;
    for (const std::string& entry : list_->entries) sum += detail::digest_of(entry);
    return "listed_words(" + std::to_string(sum) + ")";
  }

 private:
  struct list {
    std::set<std::string, std::less<>> entries;  // words of an entry are separated by a space
    stop_words beginnings;                       // the first word of each entry
    std::size_t longest = 0;                     // largest number of words in an entry
  };

  static std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> result;
    words{}(normalise(text), [&](std::string_view word) { result.emplace_back(word); });
    return result;
  }

  /// Adds the words of a line as one entry. Returns: false, and adds nothing, if the line has no word.
  bool add(std::string_view line) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) return false;
    std::string entry = words.front();
    list_->beginnings.merge(stop_words({entry}));
    for (std::size_t i = 1; i < words.size(); ++i) entry.append(" ").append(words[i]);
    list_->longest = (std::max)(list_->longest, words.size());
    list_->entries.insert(std::move(entry));
    return true;
  }

  std::shared_ptr<list> list_ = std::make_shared<list>();  // constant after construction
};

/// The tokens of `features`, modified such that texts share them only if they have the same tokens of `facts`, each
/// equally often.
///
/// Texts with different facts share no feature, so their similarity is 0; texts with the same facts have the similarity
/// that `features` gives. So everything that finds pairs, groups, or searches texts by their features requires equal
/// facts. The order of facts does not matter. A text without facts has the tokens of `features`; otherwise tokens begin
/// with a digest of the facts, so weights from a table do not apply to them.
///
/// Facts are compared by 64 bits. Only for whole texts, not for streams. Complexity: that of both tokenizers.
/// Example: `deduplicator dedup{simhasher{agreeing{numbers{}, shingles{2, normalised{words{}}}}}, {.similarity = 0.8}}`
template <class Facts, class Features>
struct agreeing {
  static_assert(tokenizer<Facts> && tokenizer<Features>,
                "neardup: agreeing{facts, features} needs two tokenizers, such as numbers{} and words{}");

  Facts facts{};
  Features features{};

  template <class Sink>
  void operator()(std::string_view text, Sink&& sink) const {
    std::uint64_t sum = 0, count = 0;
    facts(text, [&](std::string_view fact) {
      sum += detail::digest_of(fact);
      ++count;
    });
    if (count == 0) {
      features(text, sink);
      return;
    }
    constexpr std::size_t digits = 16;
    std::string token(digits, '0');
    std::uint64_t rest = detail::mix(sum + count * detail::golden_ratio);
    for (char& digit : token) {
      digit = "0123456789abcdef"[rest % 16];
      rest /= 16;
    }
    features(text, [&](std::string_view feature) {
      token.resize(digits);
      token.append(feature);
      sink(std::string_view(token));
    });
  }
};

template <class Facts, class Features>
agreeing(Facts, Features) -> agreeing<Facts, Features>;

}  // namespace neardup::inline v0
