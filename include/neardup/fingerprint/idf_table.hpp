// Inverse document frequencies: which terms are rare in a corpus, and so tell its texts apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../detail/file_operations.hpp"
#include "../detail/text_lines.hpp"
#include "../error.hpp"
#include "../text/tokenizer.hpp"
#include "weight.hpp"

namespace neardup::inline v0 {

namespace detail {

struct string_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

template <class Value>
using string_map = std::unordered_map<std::string, Value, string_hash, std::equal_to<>>;

/// Rarities are kept in units of 10^-11, as many decimals as jieba's idf.txt has, so that ranking by them is exact.
inline constexpr std::uint64_t exact_one = 100'000'000'000U;

/// Reads a plain decimal number, "11.7394" or "3", below 2^24; decimals after the eleventh are cut off.
/// Returns: nothing if it is anything else.
inline std::optional<std::uint64_t> parse_exact(std::string_view text) noexcept {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;
  std::uint64_t place = exact_one;  // of the last decimal
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

/// The nearest weight, halves upwards: the border between two has nine decimals at most.
constexpr weight weight_of_exact(std::uint64_t value) noexcept {
  const std::uint64_t raw =
      value / exact_one * weight::one + (value % exact_one * weight::one + exact_one / 2) / exact_one;
  return weight::from_raw(static_cast<std::uint32_t>((std::min)(raw, std::uint64_t{0xffffffffU})));
}

constexpr std::uint64_t exact_of_weight(weight value) noexcept { return value.raw() * (exact_one / weight::one); }

/// The shortest plain decimal that parse_exact() reads back as the same.
inline std::string format_exact(std::uint64_t value) {
  std::string text = std::to_string(value / exact_one);
  std::uint64_t rest = value % exact_one;
  if (rest != 0) text += '.';
  for (std::uint64_t place = exact_one / 10; rest != 0; rest %= place, place /= 10) {
    text += static_cast<char>('0' + rest / place);
  }
  return text;
}

}  // namespace detail

/// The weight of each term of a corpus by its rarity; terms that are not in it weigh the median.
///
/// Reads and writes the format of jieba's idf.txt: a line "term value" for each term, UTF-8. Weights are rounded to
/// 1/256; lookup_exact() has the eleven decimals of the file. Immutable, so it may be shared by threads.
class idf_table {
 public:
  struct term {
    std::string text;
    weight value;
  };

  /// No terms: each weighs 1.0.
  idf_table() = default;

  /// These terms; of several with the same text the last counts.
  explicit idf_table(std::vector<term> terms) {
    values_.reserve(terms.size());
    for (term& t : terms) values_.insert_or_assign(std::move(t.text), detail::exact_of_weight(t.value));
    find_median();
  }

  /// The weight of a term; the median if it is unknown. Complexity: constant on average.
  [[nodiscard]] weight lookup(std::string_view text) const { return detail::weight_of_exact(lookup_exact(text)); }

  /// The same in units of 10^-11: what the file says, to the eleventh decimal.
  [[nodiscard]] std::uint64_t lookup_exact(std::string_view text) const {
    const auto found = values_.find(text);
    return found == values_.end() ? median_ : found->second;
  }

  /// The weight of a term; nothing if it is unknown.
  [[nodiscard]] std::optional<weight> find(std::string_view text) const {
    const auto found = values_.find(text);
    if (found == values_.end()) return std::nullopt;
    return detail::weight_of_exact(found->second);
  }

  /// Calls `visit(text, weight)` for each term, in no particular order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& entry : values_) visit(std::string_view(entry.first), detail::weight_of_exact(entry.second));
  }

  /// The same with values in units of 10^-11.
  template <class Visit>
  void for_each_exact(Visit&& visit) const {
    for (const auto& entry : values_) visit(std::string_view(entry.first), entry.second);
  }

  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  [[nodiscard]] weight median() const noexcept { return detail::weight_of_exact(median_); }

  [[nodiscard]] std::uint64_t median_exact() const noexcept { return median_; }

  friend bool operator==(const idf_table& a, const idf_table& b) { return a.values_ == b.values_; }

  /// Reads the lines "term value"; blanks around either do not count, and empty lines are skipped. The value is a plain
  /// decimal number; what follows its eleventh decimal is ignored. A term may hold blanks, for the last word is the
  /// value.
  /// Throws: std::runtime_error "name:line: ..." for a line that is anything else.
  [[nodiscard]] static idf_table parse(std::string_view contents, std::string_view name = "idf table") {
    idf_table result;
    detail::for_each_line(contents, [&](std::string_view line, std::size_t number) {
      const std::size_t space = line.find_last_of(" \t");
      const auto value = space == line.npos ? std::nullopt : detail::parse_exact(line.substr(space + 1));
      if (!value) {
        detail::fail<std::runtime_error>(std::string(name) + ":" + std::to_string(number) +
                                         ": not \"term value\" with a number from 0 to less than 16777216");
      }
      result.values_.insert_or_assign(std::string(detail::trim(line.substr(0, space))), *value);
    });
    result.find_median();
    return result;
  }

  /// The table as text that parse() reads back as an equal one, its lines in the order of the terms' bytes.
  /// Throws: std::runtime_error if a term is empty, begins or ends with white space, or holds a line break.
  [[nodiscard]] std::string to_text() const {
    std::vector<std::string_view> terms;
    terms.reserve(values_.size());
    for (const auto& entry : values_) terms.push_back(entry.first);
    std::sort(terms.begin(), terms.end());
    std::string text;
    for (const std::string_view t : terms) {
      if (t.empty() || blanks.find(t.front()) != blanks.npos || blanks.find(t.back()) != blanks.npos ||
          t.find('\n') != t.npos) {
        detail::fail<std::runtime_error>("the term \"" + std::string(t) +
                                         "\" cannot be written as a line of an idf table");
      }
      // A byte order mark that belongs to the first term needs one before it that parse() may take off.
      if (text.empty() && begins_with_mark(t)) text.append(byte_order_mark);
      text.append(t).append(" ").append(detail::format_exact(lookup_exact(t))).append("\n");
    }
    return text;
  }

  /// Reads a file as parse() does. Throws: std::runtime_error naming the file, and the line.
  [[nodiscard]] static idf_table load(const std::string& path) { return parse(detail::read_file(path), path); }

  /// Writes the file whole or not at all; it is on the disk when this returns.
  /// Throws: std::runtime_error naming the file; what stood at `path` is still there then.
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

  void find_median() {
    if (values_.empty()) return;
    std::vector<std::uint64_t> values;
    values.reserve(values_.size());
    for (const auto& entry : values_) values.push_back(entry.second);
    // The upper of the two middle values, as jieba has it.
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    median_ = *middle;
  }

  detail::string_map<std::uint64_t> values_;
  std::uint64_t median_ = detail::exact_one;
};

/// Learns an idf_table from the documents of a corpus, one after the other.
class idf_learner {
 public:
  /// Counts each distinct token of a document once. Guarantee: if it throws, the document does not count at all.
  template <tokenizer Tokenizer>
  void add(const Tokenizer& tokenize, std::string_view text) {
    // All that can fail comes first; a term that no document counts is none.
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

  /// The number of documents added.
  [[nodiscard]] std::uint64_t documents() const noexcept { return documents_; }

  /// The weights ln(1 + N / df) of the terms that at least `min_documents` of the N documents have.
  [[nodiscard]] idf_table table(std::uint64_t min_documents = 1) const {
    std::vector<idf_table::term> terms;
    for (const auto& [text, term] : terms_) {
      if (term.documents < (std::max)(min_documents, std::uint64_t{1})) continue;
      const std::uint64_t ln =
          detail::fixed_point_ln(documents_ + term.documents) - detail::fixed_point_ln(term.documents);
      terms.push_back({text, detail::weight_of_ln(ln)});
    }
    return idf_table(std::move(terms));
  }

 private:
  struct frequency {
    std::uint64_t documents = 0;
    std::uint64_t last_document = 0;
  };

  detail::string_map<frequency> terms_;
  std::uint64_t documents_ = 0;
};

}  // namespace neardup::inline v0
