// SPDX-License-Identifier: MIT
// Edit distance: the least number of code points to insert, delete or replace that turns one text into another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../detail/bits.hpp"
#include "../text/utf8.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Decodes a text to code points; each ill-formed subpart becomes one U+FFFD.
inline std::vector<char32_t> code_points_of(std::string_view text) {
  std::vector<char32_t> result;
  // reserve() is exact for well-formed text. An ill-formed text may have more code points; the vector grows then.
  result.reserve(static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; })));
  for_each_code_point(text, [&](char32_t code_point, std::string_view) { result.push_back(code_point); });
  return result;
}

/// Drops the common prefix and the common suffix of two texts. Their edit distance stays the same.
inline void drop_common_ends(std::span<const char32_t>& a, std::span<const char32_t>& b) noexcept {
  const auto begin = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  a = a.subspan(begin);
  b = b.subspan(begin);
  const auto end =
      static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
  a = a.first(a.size() - end);
  b = b.first(b.size() - end);
}

/// The Levenshtein distance of two texts, up to a bound.
///
/// The shorter text is the pattern, the other one the text. Cell (i, j) of the dynamic-programming table is the
/// distance of the first i code points of the pattern and the first j of the text. Neighbouring cells differ by -1, 0
/// or 1, so 64 rows of a column are two words of bits: `rises` and `falls`. The table is computed in bands of 64 rows.
/// A band is computed from left to right, from the differences along the last row of the band above. A path of cost at
/// most `most` deviates from the diagonal by at most (most + columns - rows) / 2 to the right and (most - columns +
/// rows) / 2 down, so only cells within these limits are computed. Cells beyond count as rising, which never
/// underestimates the distance.
/// Source: Myers, A Fast Bit-Vector Algorithm for Approximate String Matching Based on Dynamic Programming, JACM 1999;
/// the formulas are those of Hyyro, A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances, Nordic
/// Journal of Computing 2003; the band is Ukkonen's (Information and Control, 1985).
class bounded_edit_distance {
 public:
  bounded_edit_distance(std::span<const char32_t> a, std::span<const char32_t> b) {
    drop_common_ends(a, b);
    const auto [pattern, text] = a.size() <= b.size() ? std::pair(a, b) : std::pair(b, a);
    rows_ = pattern.size();
    columns_ = text.size();
    if (rows_ == 0) return;
    pattern_ = number(pattern, true);
    text_ = number(text, false);
    matches_.assign(numbers_.size() + 1, 0);
    numbers_ = {};
    steps_.resize(columns_ + 1);
  }

  /// Returns: the distance, or nullopt if it exceeds `most`.
  /// Complexity: O(rows / 64 * min(columns, most)).
  [[nodiscard]] std::optional<std::size_t> at_most(std::size_t most) {
    if (columns_ - rows_ > most) return std::nullopt;
    if (rows_ == 0) return columns_;
    most = (std::min)(most, columns_);
    const std::size_t left = (most - (columns_ - rows_)) / 2, right = (most + (columns_ - rows_)) / 2;
    std::fill(steps_.begin(), steps_.end(), std::int8_t{1});
    std::size_t corner = 0;  // the value of cell (top, before)
    std::size_t before = 0;  // the column of `corner`
    for (std::size_t top = 0; top < rows_; top += word_bits) {
      const std::size_t rows = (std::min)(word_bits, rows_ - top);
      const std::size_t begin = top > left ? top - left : 0;
      const std::size_t end = (std::min)(columns_, top + rows + right);
      for (; before < begin; ++before) corner = moved(corner, steps_[before + 1]);
      compute_band(top, rows, begin, end);
      corner += rows;
      if (min_of_row(corner, top + rows, begin, end) > most) return std::nullopt;
    }
    for (; before < columns_; ++before) corner = moved(corner, steps_[before + 1]);
    return corner <= most ? std::optional(corner) : std::nullopt;
  }

  /// An upper bound of the distance: the length of the longer text without the common ends.
  [[nodiscard]] std::size_t max_distance() const noexcept { return columns_; }

 private:
  using numbers_type = std::vector<std::uint32_t>;

  /// Numbers the distinct code points of the pattern from 1 on. Code points that occur only in the text have number 0.
  numbers_type number(std::span<const char32_t> code_points, bool adds) {
    numbers_type result;
    result.reserve(code_points.size());
    for (const char32_t c : code_points) {
      if (adds) {
        result.push_back(numbers_.try_emplace(c, static_cast<std::uint32_t>(numbers_.size() + 1)).first->second);
      } else {
        const auto found = numbers_.find(c);
        result.push_back(found == numbers_.end() ? 0 : found->second);
      }
    }
    return result;
  }

  static std::size_t moved(std::size_t value, std::int8_t step) noexcept {
    return step > 0 ? value + 1 : value - static_cast<std::size_t>(-step);
  }

  /// Computes a band of `rows` rows in columns begin + 1 to end. In steps_, replaces the differences along the row
  /// above the band by the differences along its last row.
  void compute_band(std::size_t top, std::size_t rows, std::size_t begin, std::size_t end) noexcept {
    for (std::size_t row = 0; row < rows; ++row) matches_[pattern_[top + row]] |= std::uint64_t{1} << row;
    std::uint64_t rises = ~std::uint64_t{0}, falls = 0;
    for (std::size_t column = begin; column < end; ++column) {
      const std::int8_t above = steps_[column + 1];
      const std::uint64_t falls_above = above < 0 ? 1 : 0, rises_above = above > 0 ? 1 : 0;
      const std::uint64_t match = matches_[text_[column]];
      // A diagonal step costs 0 if the code points are equal, or if the cell above or to the left is less than the
      // diagonal one.
      const std::uint64_t matching = match | falls_above;
      const std::uint64_t free = (((matching & rises) + rises) ^ rises) | matching | falls;
      std::uint64_t steps_up = falls | ~(free | rises);
      std::uint64_t steps_down = rises & free;
      steps_[column + 1] = static_cast<std::int8_t>(static_cast<int>((steps_up >> (rows - 1)) & 1U) -
                                                    static_cast<int>((steps_down >> (rows - 1)) & 1U));
      steps_up = steps_up << 1 | rises_above;
      steps_down = steps_down << 1 | falls_above;
      const std::uint64_t diagonal = match | falls;
      rises = steps_down | ~(diagonal | steps_up);
      falls = steps_up & diagonal;
    }
    for (std::size_t row = 0; row < rows; ++row) matches_[pattern_[top + row]] = 0;
  }

  /// A lower bound of the cost of all paths through a row: the least sum of the value of a cell and the least cost from
  /// there to the end.
  [[nodiscard]] std::size_t min_of_row(std::size_t value, std::size_t row, std::size_t begin,
                                       std::size_t end) const noexcept {
    const std::size_t below = rows_ - row;
    const auto with_rest = [&](std::size_t here, std::size_t column) {
      const std::size_t right = columns_ - column;
      return here + (right > below ? right - below : below - right);
    };
    std::size_t least = with_rest(value, begin);
    for (std::size_t column = begin; column < end; ++column) {
      value = moved(value, steps_[column + 1]);
      least = (std::min)(least, with_rest(value, column + 1));
    }
    return least;
  }

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::unordered_map<char32_t, std::uint32_t> numbers_;
  numbers_type pattern_;
  numbers_type text_;
  std::vector<std::uint64_t> matches_;  // bit i of matches_[number]: row i of the band has this code point
  // steps_[j]: the difference of columns j and j - 1 in the last row of the last band; 1 in columns that are not
  // computed.
  std::vector<std::int8_t> steps_;
};

inline std::size_t unbounded_edit_distance(std::span<const char32_t> a, std::span<const char32_t> b) {
  bounded_edit_distance distance(a, b);
  // Tries doubled bounds. For near-duplicates a small bound suffices, and a failed attempt costs half as much as the
  // next.
  for (std::size_t most = 64;; most *= 2) {
    if (most >= distance.max_distance()) return *distance.at_most(distance.max_distance());
    if (const auto found = distance.at_most(most)) return *found;
  }
}

}  // namespace detail

/// The edit (Levenshtein) distance of two UTF-8 texts: the least number of code points to insert, delete or replace
/// that turns one into the other. Each maximal ill-formed subpart counts as one U+FFFD, as everywhere in the library.
/// Complexity: O(n) for equal texts of n code points, O(n * d / 64) for a distance of d.
/// Memory: 20 to 30 bytes per code point.
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  return detail::unbounded_edit_distance(detail::code_points_of(a), detail::code_points_of(b));
}

/// The edit distance if it is at most `max_distance`, otherwise nullopt. Faster than the exact distance.
/// Complexity: O(n * max_distance / 64), and less for texts that are much farther apart.
[[nodiscard]] inline std::optional<std::size_t> edit_distance(std::string_view a, std::string_view b,
                                                              std::size_t max_distance) {
  return detail::bounded_edit_distance(detail::code_points_of(a), detail::code_points_of(b)).at_most(max_distance);
}

namespace detail {

/// The edit similarity of two texts by their distance and the longer length. Precondition: longer > 0. It is one
/// division of whole numbers, rounded like a literal: 17 / 25 >= .68 holds, while 1 - 8. / 25 >= .68 does not.
[[nodiscard]] inline double edit_similarity_of(std::size_t distance, std::size_t longer) noexcept {
  return static_cast<double>(longer - distance) / static_cast<double>(longer);
}

}  // namespace detail

/// The edit similarity: 1 - edit_distance(a, b) / (code points of the longer text), from 0 to 1. Two empty texts have
/// 1.
/// Complexity, memory: those of edit_distance().
[[nodiscard]] inline double edit_similarity(std::string_view a, std::string_view b) {
  const std::vector<char32_t> first = detail::code_points_of(a);
  const std::vector<char32_t> second = detail::code_points_of(b);
  const std::size_t longer = (std::max)(first.size(), second.size());
  if (longer == 0) return 1;
  return detail::edit_similarity_of(detail::unbounded_edit_distance(first, second), longer);
}

}  // namespace neardup::inline v0
