// SPDX-License-Identifier: MIT
// Inverse document frequencies, which say how rare the terms of a corpus are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../detail/compiled.hpp"
#include "../detail/file_operations.hpp"
#include "../detail/text_lines.hpp"
#include "../error.hpp"
#include "../text/tokenizer.hpp"
#include "weighters.hpp"

namespace neardup::inline v0 {

namespace detail {

struct string_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

template <class Value>
using string_map = std::unordered_map<std::string, Value, string_hash, std::equal_to<>>;

/// 1.0 as an exact value. Exact values are integers in units of 10^-11, which is the precision of jieba's idf.txt. So
/// ranking by these values is exact.
inline constexpr std::uint64_t exact_one = 100'000'000'000U;

/// Parses a decimal number below 2^24, such as "11.7394" or "3". Digits after the eleventh decimal are ignored.
/// Returns: nullopt if the text is not such a number.
std::optional<std::uint64_t> parse_exact(std::string_view text) noexcept;

/// Rounds an exact value to the nearest weight; a half is rounded upwards. The result is exact, because the midpoint
/// between two weights has at most nine decimals.
constexpr weight weight_of_exact(std::uint64_t value) noexcept {
  const std::uint64_t raw =
      value / exact_one * weight::one + (value % exact_one * weight::one + exact_one / 2) / exact_one;
  return weight::from_raw(static_cast<std::uint32_t>((std::min)(raw, std::uint64_t{0xffffffffU})));
}

constexpr std::uint64_t exact_of_weight(weight value) noexcept { return value.raw() * (exact_one / weight::one); }

/// Returns the shortest decimal number that parse_exact() maps to `value`.
std::string format_exact(std::uint64_t value);

#if NEARDUP_BODIES

NEARDUP_INLINE std::optional<std::uint64_t> parse_exact(std::string_view text) noexcept {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;
  std::uint64_t place = exact_one;  // value of the last digit read
  bool has_digits = false;
  bool after_point = false;
  for (const char c : text) {
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    has_digits = true;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (!after_point) {
      whole = whole * 10 + digit;
      if (whole >= (std::uint64_t{1} << 24)) return std::nullopt;
    } else {
      place /= 10;
      fraction += digit * place;
    }
  }
  if (!has_digits) return std::nullopt;
  return whole * exact_one + fraction;
}

NEARDUP_INLINE std::string format_exact(std::uint64_t value) {
  std::string text = std::to_string(value / exact_one);
  std::uint64_t rest = value % exact_one;
  if (rest != 0) text += '.';
  for (std::uint64_t place = exact_one / 10; rest != 0; rest %= place, place /= 10) {
    text += static_cast<char>('0' + rest / place);
  }
  return text;
}

#endif  // NEARDUP_BODIES

}  // namespace detail

/// A table of the weights of terms. A rare term has a high weight. A term that is not in the table gets the median of
/// the table.
///
/// The file has the format of jieba's idf.txt: lines "term value" in UTF-8. lookup() rounds weights to 1/256.
/// lookup_exact() returns all eleven decimals.
/// Thread safety: objects are immutable, so threads may share an object.
class idf_table {
 public:
  struct term {
    std::string text;
    weight value;
  };

  /// Makes an empty table. Every term then weighs 1.0.
  idf_table() = default;

  /// Makes a table of terms. If a term occurs several times, its last weight counts.
  explicit idf_table(std::vector<term> terms) {
    values_.reserve(terms.size());
    for (term& t : terms) values_.insert_or_assign(std::move(t.text), detail::exact_of_weight(t.value));
    find_median();
  }

  /// Returns the weight of a term, or the median weight if the term is unknown.
  /// Complexity: constant on average.
  [[nodiscard]] weight lookup(std::string_view text) const { return detail::weight_of_exact(lookup_exact(text)); }

  /// Returns the value of a term in units of 10^-11, with all decimals of the file. If the term is unknown, returns the
  /// median value.
  [[nodiscard]] std::uint64_t lookup_exact(std::string_view text) const {
    const auto found = values_.find(text);
    return found == values_.end() ? median_ : found->second;
  }

  /// Returns the weight of a term, or nullopt if the term is unknown.
  [[nodiscard]] std::optional<weight> find(std::string_view text) const {
    const auto found = values_.find(text);
    if (found == values_.end()) return std::nullopt;
    return detail::weight_of_exact(found->second);
  }

  /// Calls `visit(text, weight)` for each term, in unspecified order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& entry : values_) visit(std::string_view(entry.first), detail::weight_of_exact(entry.second));
  }

  /// Calls `visit(text, value)` for each term, in unspecified order. Values are in units of 10^-11.
  template <class Visit>
  void for_each_exact(Visit&& visit) const {
    for (const auto& entry : values_) visit(std::string_view(entry.first), entry.second);
  }

  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  [[nodiscard]] weight median() const noexcept { return detail::weight_of_exact(median_); }

  [[nodiscard]] std::uint64_t median_exact() const noexcept { return median_; }

  friend bool operator==(const idf_table& a, const idf_table& b) { return a.values_ == b.values_; }

  /// Parses lines "term value". Blanks before, between and after the term and the value are ignored, and empty lines
  /// are skipped. The value is a decimal number. Its first eleven decimals are used. The last word of the line is the
  /// value, so a term may contain blanks.
  /// Throws: std::runtime_error "NAME:LINE: ..." if a line is invalid.
  [[nodiscard]] static idf_table parse(std::string_view contents, std::string_view name = "idf table");

  /// Returns the table as text. parse() makes an equal table from this text. Lines are sorted by the bytes of the
  /// terms.
  /// Throws: std::runtime_error if a term is empty, begins or ends with white space, or contains a line break.
  [[nodiscard]] std::string to_text() const;

  /// Reads a file as parse() does.
  /// Throws: std::runtime_error if the file cannot be read or a line is invalid; the message names the file and line.
  [[nodiscard]] static idf_table load(const std::string& path) { return parse(detail::read_file(path), path); }

  /// Writes the table to a file, atomically and durably.
  /// Throws: std::runtime_error if the file cannot be written; the message names the file. The file is then unchanged,
  /// unless only the sync of its folder has failed.
  void save(const std::string& path) const {
    const std::string text = to_text();
    const std::span<const std::byte> piece = std::as_bytes(std::span(text));
    detail::save_file(detail::system_files(), path, {&piece, 1});
  }

 private:
  static constexpr std::string_view blanks = " \t\r\n";
  static constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

  static bool begins_with_mark(std::string_view text) noexcept {
    return text.substr(0, byte_order_mark.size()) == byte_order_mark;
  }

  void find_median();

  detail::string_map<std::uint64_t> values_;
  std::uint64_t median_ = detail::exact_one;
};

/// Learns an idf_table from the documents of a corpus.
class idf_learner {
 public:
  /// Adds a document. The document frequency of each distinct token of the document rises by one.
  /// Guarantee: strong. If the call throws, the document is not counted.
  template <tokenizer Tokenizer>
  void add(const Tokenizer& tokenize, std::string_view text) {
    // Operations that may throw come first. If one throws, table() ignores new terms, whose frequency is still 0.
    std::vector<frequency*> tokens;
    auto collect = [&](std::string_view token) {
      auto found = terms_.find(token);
      if (found == terms_.end()) found = terms_.emplace(std::string(token), frequency{}).first;
      tokens.push_back(&found->second);
    };
    tokenize(text, collect);
    ++documents_;
    for (frequency* const term : tokens) {
      if (term->last_document == documents_) continue;
      term->last_document = documents_;
      ++term->documents;
    }
  }

  /// Returns the number of documents added so far.
  [[nodiscard]] std::uint64_t documents() const noexcept { return documents_; }

  /// Returns a table of the weights ln(1 + N / df), where N is the number of documents, and df is the document
  /// frequency of a term. The table has all terms with df >= min_documents.
  [[nodiscard]] idf_table table(std::uint64_t min_documents = 1) const;

 private:
  struct frequency {
    std::uint64_t documents = 0;
    std::uint64_t last_document = 0;
  };

  detail::string_map<frequency> terms_;
  std::uint64_t documents_ = 0;
};

#if NEARDUP_BODIES

NEARDUP_INLINE idf_table idf_table::parse(std::string_view contents, std::string_view name) {
  idf_table result;
  detail::for_each_line(contents, [&](std::string_view line, std::size_t number) {
    const std::size_t space = line.find_last_of(" \t");
    const auto value = space == line.npos ? std::nullopt : detail::parse_exact(line.substr(space + 1));
    if (!value) {
      detail::fail<std::runtime_error>(
          {name, ":", number, ": not \"term value\" with a number from 0 to less than 16777216"});
    }
    result.values_.insert_or_assign(std::string(detail::trim(line.substr(0, space))), *value);
  });
  result.find_median();
  return result;
}

NEARDUP_INLINE std::string idf_table::to_text() const {
  std::vector<std::string_view> terms;
  terms.reserve(values_.size());
  for (const auto& entry : values_) terms.push_back(entry.first);
  std::sort(terms.begin(), terms.end());
  std::string text;
  for (const std::string_view t : terms) {
    if (t.empty() || blanks.find(t.front()) != blanks.npos || blanks.find(t.back()) != blanks.npos ||
        t.find('\n') != t.npos) {
      detail::fail<std::runtime_error>({"the term \"", t, "\" cannot be written as a line of an idf table"});
    }
    // parse() removes a byte order mark at the beginning of the text. If the first term begins with such a mark,
    // another mark is written before the term.
    if (text.empty() && begins_with_mark(t)) text.append(byte_order_mark);
    text.append(t).append(" ").append(detail::format_exact(lookup_exact(t))).append("\n");
  }
  return text;
}

NEARDUP_INLINE void idf_table::find_median() {
  if (values_.empty()) return;
  std::vector<std::uint64_t> values;
  values.reserve(values_.size());
  for (const auto& entry : values_) values.push_back(entry.second);
  // If the number of values is even, the median is the upper of the two middle values, as in jieba.
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  median_ = *middle;
}

NEARDUP_INLINE idf_table idf_learner::table(std::uint64_t min_documents) const {
  std::vector<idf_table::term> terms;
  for (const auto& [text, term] : terms_) {
    if (term.documents < (std::max)(min_documents, std::uint64_t{1})) continue;
    const std::uint64_t ln =
        detail::fixed_point_ln(documents_ + term.documents) - detail::fixed_point_ln(term.documents);
    terms.push_back({text, detail::weight_of_ln(ln)});
  }
  return idf_table(std::move(terms));
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0
