// SPDX-License-Identifier: MIT
// Edit distance: the least number of code points to insert, delete or replace that turns one text into another.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../detail/bits.hpp"
#include "../detail/compiled.hpp"
#include "../text/utf8.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Decodes a text to code points. Each ill-formed subpart becomes one U+FFFD.
std::vector<char32_t> code_points_of(std::string_view text);

/// Drops the common prefix and the common suffix of two texts. The edit distance of the two texts stays the same.
void drop_common_ends(std::span<const char32_t>& a, std::span<const char32_t>& b) noexcept;

/// Computes Levenshtein distances up to a bound. The memory is reused for the next pair of texts.
///
/// The shorter of two texts is the *pattern*, and the longer one is the *text*. Cell (i, j) of the dynamic-programming
/// table is the distance between the first i code points of the pattern and the first j code points of the text.
/// Neighbouring cells differ by -1, 0 or 1. So two words of bits, `rises` and `falls`, hold 64 rows of a column. The
/// table is computed in bands of 64 rows. A band is computed from left to right. The input of a band is the differences
/// along the last row of the band above.
///
/// A path of cost at most `most` deviates from the diagonal through the last cell by at most (most + columns - rows) /
/// 2 to the left and (most - columns + rows) / 2 to the right. The cells of each computed row narrow these limits. Only
/// cells within the limits are computed. Other cells are treated as rising, so the computed distance is never too
/// small.
/// Source: Myers, A Fast Bit-Vector Algorithm for Approximate String Matching Based on Dynamic Programming, JACM 1999;
/// the formulas are those of Hyyro, A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances, Nordic
/// Journal of Computing 2003; the band is Ukkonen's (Information and Control, 1985).
class banded_edit_distance {
 public:
  /// Makes an object for texts of numbered code points; each number is less than `alphabet`. During a computation,
  /// `pause` is called every few hundredths of a second. `pause` may throw.
  explicit banded_edit_distance(std::size_t alphabet, std::function<void()> pause = nullptr)
      : matches_(alphabet), pause_(std::move(pause)) {}

  /// Returns the edit distance of the pattern and the text, or nullopt if the distance exceeds `most`.
  /// Precondition: the pattern is no longer than the text.
  /// Complexity: O(rows / 64 * min(columns, most)), and a fourth of this if the distance is at most most / 4.
  [[nodiscard]] std::optional<std::size_t> at_most(std::span<const char32_t> pattern, std::span<const char32_t> text,
                                                   std::size_t most);

 private:
  /// The difference between two neighbouring cells of a row: {1, 0} stands for 1, {0, 1} for -1, and {0, 0} for 0.
  struct step {
    std::uint8_t rises = 1, falls = 0;
  };

  /// A band of the table: the rows from top + 1 to top + rows, and the columns from begin + 1 to end.
  struct band {
    std::size_t top, rows, begin, end;
  };

  /// The cells of a band in one column. Bit i of `rises` is set if cell i + 1 is one more than cell i. Bit i of `falls`
  /// is set if cell i + 1 is one less than cell i.
  struct cells {
    std::uint64_t rises = ~std::uint64_t{0}, falls = 0;

    /// Moves to the next column. The bits of `match` are the rows whose code point equals the code point of the column.
    /// Returns: the difference between the cells of the new column and the old column in the last row of the band.
    step move(std::uint64_t match, step above, std::size_t rows) noexcept {
      // A diagonal move costs 0 in two cases: the code points are equal, or the cell above or to the left is less than
      // the diagonal cell.
      const std::uint64_t matching = match | above.falls;
      const std::uint64_t free = (((matching & rises) + rises) ^ rises) | matching | falls;
      std::uint64_t steps_up = falls | ~(free | rises);
      std::uint64_t steps_down = rises & free;
      const std::size_t unused = word_bits - rows;
      const step along{static_cast<std::uint8_t>(steps_up << unused >> (word_bits - 1)),
                       static_cast<std::uint8_t>(steps_down << unused >> (word_bits - 1))};
      steps_up = steps_up << 1 | above.rises;
      steps_down = steps_down << 1 | above.falls;
      const std::uint64_t diagonal = match | falls;
      rises = steps_down | ~(diagonal | steps_up);
      falls = steps_up & diagonal;
      return along;
    }
  };

  static std::size_t moved(std::size_t value, step s) noexcept { return value + s.rises - s.falls; }

  /// Returns the edit distance, or nullopt if it exceeds `most`. Computes only the cells of the table that paths of
  /// cost `most` can reach.
  /// Precondition: columns - rows <= most <= columns, rows > 0.
  std::optional<std::size_t> within(std::size_t most);

  void set_matches(const band& b, std::size_t number) noexcept {
    for (std::size_t row = 0; row < b.rows; ++row) matches_[pattern_[b.top + row]][number] |= std::uint64_t{1} << row;
  }
  void clear_matches(const band& b) noexcept {
    for (std::size_t row = 0; row < b.rows; ++row) matches_[pattern_[b.top + row]] = {};
  }

  /// Computes a band. On entry, steps_ has the differences along the row above the band. On return, steps_ has the
  /// differences along the last row of the band.
  void compute_band(const band& b) noexcept;

  /// Computes two adjacent bands of 64 rows at once. Each column of a band depends on the previous column. So computing
  /// two bands at once takes only 1.3 times as long as computing one band (g++ 12).
  void compute_bands(const band& one, const band& two) noexcept;

  /// The limits of the paths of cost at most `most`, from a row on. The diagonal goes through the last cell of the
  /// table.
  struct corridor {
    std::size_t first;        // first column of these paths in the row
    std::size_t left, right;  // farthest columns from the diagonal, on both sides
    std::size_t value;        // value of the first cell
  };

  /// Narrows the corridor to the paths through the computed cells [begin, end] of a row. The first cell has `value`. A
  /// path through a cell costs at least the sum of the value of the cell and the distance of the cell from the
  /// diagonal. This sum does not rise towards the diagonal.
  /// Returns: nullopt if no path costs at most `most`.
  [[nodiscard]] std::optional<corridor> corridor_from(std::size_t value, std::size_t row, std::size_t begin,
                                                      std::size_t end, std::size_t most) const noexcept;

  std::span<const char32_t> pattern_, text_;
  // matches_[number][b]: the rows of the first (b = 0) or second (b = 1) band whose code point has this number, as a
  // bit mask. All masks are 0 between calls.
  std::vector<std::array<std::uint64_t, 2>> matches_;
  // steps_[j]: cell in column j minus cell in column j - 1, in the last row of the band that was computed last. The
  // difference is 1 in columns that are not computed.
  std::vector<step> steps_;
  std::function<void()> pause_;
  std::size_t work_ = 0;  // columns of bands since the last pause
};

/// Computes the Levenshtein distance of two texts up to a bound. The texts may have any code points.
class bounded_edit_distance {
 public:
  bounded_edit_distance(std::span<const char32_t> a, std::span<const char32_t> b);

  /// Returns the distance of the two texts, or nullopt if the distance exceeds `most`.
  /// Complexity: the same as banded_edit_distance.
  [[nodiscard]] std::optional<std::size_t> at_most(std::size_t most) {
    return distance_->at_most(pattern_, text_, most);
  }

  /// Returns an upper bound of the distance: the length of the longer text without the common prefix and suffix.
  [[nodiscard]] std::size_t max_distance() const noexcept { return text_.size(); }

 private:
  std::vector<char32_t> pattern_, text_;
  std::optional<banded_edit_distance> distance_;
};

std::size_t unbounded_edit_distance(std::span<const char32_t> a, std::span<const char32_t> b);

#if NEARDUP_BODIES

NEARDUP_INLINE std::vector<char32_t> code_points_of(std::string_view text) {
  std::vector<char32_t> result;
  // The estimated size is exact for well-formed text. An ill-formed text may have more code points, and the vector then
  // grows.
  result.reserve(static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; })));
  for_each_code_point(text, [&](char32_t code_point, std::string_view) { result.push_back(code_point); });
  return result;
}

NEARDUP_INLINE void drop_common_ends(std::span<const char32_t>& a, std::span<const char32_t>& b) noexcept {
  const auto begin = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  a = a.subspan(begin);
  b = b.subspan(begin);
  const auto end =
      static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
  a = a.first(a.size() - end);
  b = b.first(b.size() - end);
}

NEARDUP_INLINE std::optional<std::size_t> banded_edit_distance::at_most(std::span<const char32_t> pattern,
                                                                        std::span<const char32_t> text,
                                                                        std::size_t most) {
  const std::size_t longer_by = text.size() - pattern.size();
  if (longer_by > most) return std::nullopt;
  if (pattern.empty()) return text.size();
  pattern_ = pattern;
  text_ = text;
  most = (std::min)(most, text.size());
  // The first attempt computes only cells near the diagonal of the table, which suffices for similar texts. For other
  // texts the attempt ends early, usually after a fourth of the rows. A second attempt then computes more cells per
  // row.
  const std::size_t few = longer_by + most / 4;
  constexpr std::size_t narrow = 4 * word_bits;
  if (pattern.size() > narrow && most > narrow && few < most) {
    if (const auto found = within(few)) return found;
  }
  return within(most);
}

NEARDUP_INLINE std::optional<std::size_t> banded_edit_distance::within(std::size_t most) {
  const std::size_t rows = pattern_.size(), columns = text_.size(), longer_by = columns - rows;
  steps_.assign(columns + 1, step{});
  corridor paths{0, (most + longer_by) / 2, (most - longer_by) / 2, 0};
  std::size_t computed = 0;  // the last column that was computed
  const auto band_at = [&](std::size_t top) {
    const std::size_t count = (std::min)(word_bits, rows - top), diagonal = top + longer_by;
    const std::size_t begin = diagonal > paths.left ? diagonal - paths.left : 0;
    return band{top, count, (std::max)(paths.first, begin), (std::min)(columns, diagonal + count + paths.right)};
  };
  for (std::size_t top = 0; top < rows;) {
    band last = band_at(top);
    std::size_t value = paths.value + last.rows;
    for (; computed > last.end; --computed) steps_[computed] = {};
    if (rows - top >= 2 * word_bits) {
      const band next = band_at(top + word_bits);
      compute_bands(last, next);
      for (std::size_t i = last.begin; i < next.begin; ++i) value = moved(value, steps_[i + 1]);
      value += next.rows;
      last = next;
    } else {
      compute_band(last);
    }
    computed = last.end;
    top = last.top + last.rows;
    const std::optional<corridor> narrower = corridor_from(value, top, last.begin, last.end, most);
    if (!narrower) return std::nullopt;
    paths = *narrower;
    constexpr std::size_t columns_between_pauses = std::size_t{1} << 22;
    if (pause_ && (work_ += last.end - last.begin) >= columns_between_pauses) {
      work_ = 0;
      pause_();
    }
  }
  std::size_t distance = paths.value;
  for (std::size_t i = paths.first; i < columns; ++i) distance = moved(distance, steps_[i + 1]);
  return distance;
}

NEARDUP_INLINE void banded_edit_distance::compute_band(const band& b) noexcept {
  set_matches(b, 0);
  cells rows;
  for (std::size_t i = b.begin; i < b.end; ++i) {
    steps_[i + 1] = rows.move(matches_[text_[i]][0], steps_[i + 1], b.rows);
  }
  clear_matches(b);
}

NEARDUP_INLINE void banded_edit_distance::compute_bands(const band& one, const band& two) noexcept {
  set_matches(one, 0);
  set_matches(two, 1);
  cells upper, lower;
  std::size_t i = one.begin;
  for (; i < two.begin; ++i) steps_[i + 1] = upper.move(matches_[text_[i]][0], steps_[i + 1], word_bits);
  for (; i < one.end; ++i) {
    const auto& match = matches_[text_[i]];
    steps_[i + 1] = lower.move(match[1], upper.move(match[0], steps_[i + 1], word_bits), word_bits);
  }
  for (; i < two.end; ++i) steps_[i + 1] = lower.move(matches_[text_[i]][1], steps_[i + 1], word_bits);
  clear_matches(one);
  clear_matches(two);
}

NEARDUP_INLINE std::optional<banded_edit_distance::corridor> banded_edit_distance::corridor_from(
    std::size_t value, std::size_t row, std::size_t begin, std::size_t end, std::size_t most) const noexcept {
  const std::size_t diagonal = row + text_.size() - pattern_.size();
  std::size_t column = begin;
  const auto next_value = [&] { return moved(value, steps_[column + 1]); };
  for (; column < diagonal && value + (diagonal - column) > most; ++column) value = next_value();
  corridor paths{column, 0, 0, value};
  for (; column < diagonal; ++column) value = next_value();
  if (value > most) return std::nullopt;
  paths.left = (most - paths.value + (diagonal - paths.first)) / 2;
  for (; column < end && next_value() + (column + 1 - diagonal) <= most; ++column) value = next_value();
  paths.right = (most - value + (column - diagonal)) / 2;
  return paths;
}

NEARDUP_INLINE bounded_edit_distance::bounded_edit_distance(std::span<const char32_t> a, std::span<const char32_t> b) {
  drop_common_ends(a, b);
  if (a.size() > b.size()) std::swap(a, b);
  // Code points that occur only in the longer text get the number 0.
  std::unordered_map<char32_t, char32_t> numbers;
  if (!a.empty()) {
    pattern_.reserve(a.size());
    for (const char32_t c : a) {
      pattern_.push_back(numbers.try_emplace(c, static_cast<char32_t>(numbers.size() + 1)).first->second);
    }
  }
  text_.reserve(b.size());
  for (const char32_t c : b) {
    const auto found = numbers.find(c);
    text_.push_back(found == numbers.end() ? 0 : found->second);
  }
  distance_.emplace(numbers.size() + 1);
}

NEARDUP_INLINE std::size_t unbounded_edit_distance(std::span<const char32_t> a, std::span<const char32_t> b) {
  bounded_edit_distance distance(a, b);
  // The first bound is small, because near-duplicates need no larger bound. Each failed attempt doubles the bound, and
  // costs half as much as the next attempt.
  for (std::size_t most = 64;; most *= 2) {
    if (most >= distance.max_distance()) return *distance.at_most(distance.max_distance());
    if (const auto found = distance.at_most(most)) return *found;
  }
}

#endif  // NEARDUP_BODIES

}  // namespace detail

/// Returns the edit (Levenshtein) distance of two UTF-8 texts: the least number of code points to insert, delete or
/// replace that turns one text into the other. Each maximal ill-formed subpart counts as one U+FFFD.
/// Complexity: O(n) for equal texts of n code points, O(n * d / 64) for a distance of d.
/// Memory: 20 to 30 bytes per code point.
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  return detail::unbounded_edit_distance(detail::code_points_of(a), detail::code_points_of(b));
}

/// Returns the edit distance if it is at most `max_distance`, otherwise nullopt. edit_distance(a, b, max_distance) is
/// faster than edit_distance(a, b).
/// Complexity: O(n * max_distance / 64), and less for texts that are much farther apart.
[[nodiscard]] inline std::optional<std::size_t> edit_distance(std::string_view a, std::string_view b,
                                                              std::size_t max_distance) {
  return detail::bounded_edit_distance(detail::code_points_of(a), detail::code_points_of(b)).at_most(max_distance);
}

namespace detail {

/// Returns the edit similarity of two texts with the edit distance `distance`, the longer of which has `longer` code
/// points. The function divides two whole numbers, so the quotient is rounded as a literal is: 17 / 25 >= .68 is true,
/// but 1 - 8. / 25 >= .68 is false.
/// Precondition: longer > 0.
[[nodiscard]] inline double edit_similarity_of(std::size_t distance, std::size_t longer) noexcept {
  return static_cast<double>(longer - distance) / static_cast<double>(longer);
}

}  // namespace detail

/// Returns the edit similarity: 1 - edit_distance(a, b) / (code points of the longer text), from 0 to 1. Two empty
/// texts have similarity 1.
/// Complexity, memory: the same as edit_distance().
[[nodiscard]] double edit_similarity(std::string_view a, std::string_view b);

#if NEARDUP_BODIES

NEARDUP_INLINE double edit_similarity(std::string_view a, std::string_view b) {
  const std::vector<char32_t> first = detail::code_points_of(a);
  const std::vector<char32_t> second = detail::code_points_of(b);
  const std::size_t longer = (std::max)(first.size(), second.size());
  if (longer == 0) return 1;
  return detail::edit_similarity_of(detail::unbounded_edit_distance(first, second), longer);
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0
