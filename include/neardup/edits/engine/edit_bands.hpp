// SPDX-License-Identifier: MIT
// Computes edit distances up to a bound, between one text and several patterns at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../detail/large_array.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"

namespace neardup::inline v0::detail {

/// The arguments of a kernel: two adjacent bands of the matrices of all lanes. See edit_bands.
struct band_step {
  static constexpr std::size_t most_lanes = 8;

  /// The columns from begin + 1 to end.
  struct range {
    std::size_t begin = 0, end = 0;
  };

  const char32_t* text;
  std::size_t alphabet;
  // For each code point number and each of the two bands, a word per lane: the rows of the band that have the code
  // point. All words are 0 between calls.
  std::uint64_t* matches;
  // For each column, two words per lane, which compare a cell of the last computed row with the cell to its left. The
  // highest bit of the first word is set if the cell is greater by one. The highest bit of the second word is set if
  // the cell is less by one. In columns above `filled`, the words are unspecified, and each cell counts as greater by
  // one.
  std::uint64_t* steps;
  std::size_t filled = 0;
  range upper, lower;                              // the lower band is empty if lower.begin == lower.end
  std::span<const char32_t> patterns[most_lanes];  // each pattern from the first row of the upper band on
  // On return, for the upper and the lower band, two words per lane: the differences between the rows of the band, in
  // its last column.
  std::uint64_t last[2][2 * most_lanes];
};

/// For each lane, counts the cells at both ends of the last computed row that are outside the corridor. See edit_bands.
///
/// Let v be the value of a cell, and d its column minus the column of the diagonal. A path through the cell costs at
/// least v + |d|. v - d does not rise from left to right, and v + d does not fall. So paths of cost at most `most` go
/// through the cells between the first cell with v - d <= most and the last cell with v + d <= most.
struct row_limits {
  using words = std::uint64_t[band_step::most_lanes];  // may be negative numbers in two's complement

  words spare_left = {};   // most - (v - d) of the first cell; changed by the count
  words spare_right = {};  // most - (v + d) of the last cell; changed by the count
  words lost_left = {};    // on return: the number of cells with v - d > most
  words lost_right = {};   // on return: the number of cells with v + d > most
};

}  // namespace neardup::inline v0::detail

#define NEARDUP_KERNEL "../edits/engine/edit_bands.inl"
#include "../../simd/for_each_form.hpp"

namespace neardup::inline v0::detail {

/// Drops the common prefix and the common suffix of two texts. The edit distance of the two texts stays the same.
inline void drop_common_ends(std::span<const char32_t>& a, std::span<const char32_t>& b) noexcept {
  const auto begin = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  a = a.subspan(begin);
  b = b.subspan(begin);
  const auto end =
      static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
  a = a.first(a.size() - end);
  b = b.first(b.size() - end);
}

/// Returns the edit similarity of two texts with the edit distance `distance`, the longer of which has `longer` code
/// points. The function divides two whole numbers, so the quotient is rounded as a literal is: 17 / 25 >= .68 is true,
/// but 1 - 8. / 25 >= .68 is false.
/// Precondition: longer > 0.
[[nodiscard]] inline double edit_similarity_of(std::size_t distance, std::size_t longer) noexcept {
  return static_cast<double>(longer - distance) / static_cast<double>(longer);
}

/// Computes Levenshtein distances up to a bound. The memory is reused for the next texts.
///
/// One text is compared with up to lanes() patterns at once. Each pattern has a *lane*, a word of each vector. Cell (i,
/// j) of the dynamic-programming matrix of a lane is the distance between the first i code points of the pattern and
/// the first j code points of the text. Neighbouring cells differ by -1, 0 or 1. So two words of bits hold 64 rows of a
/// column. The matrix is computed in bands of 64 rows. A band is computed from left to right. The input of a band is
/// the differences along the last row of the band above. Two adjacent bands are computed at once, because each column
/// of a band depends on the previous column.
///
/// The diagonal of a lane goes through the last cell of its matrix. A path of cost at most `most` deviates from the
/// diagonal by a limited number of columns. The cells of each computed row narrow this corridor. Only the columns
/// between the leftmost and the rightmost corridor are computed. Cells outside are treated as rising, so a computed
/// distance is never too small.
/// Source: Myers, A Fast Bit-Vector Algorithm for Approximate String Matching Based on Dynamic Programming, JACM 1999;
/// the formulas are those of Hyyro, A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances, Nordic
/// Journal of Computing 2003; the band is Ukkonen's (Information and Control, 1985).
class edit_bands {
 public:
  /// A pattern, and the greatest distance that is of interest. `distance`: the edit distance, or nullopt if the
  /// distance exceeds `most`.
  struct question {
    std::span<const char32_t> pattern;
    std::size_t most = 0;
    std::optional<std::size_t> distance{};
  };

  /// Makes an object for texts of numbered code points; each number is less than `alphabet`. During a computation,
  /// `pause` is called every few hundredths of a second. `pause` may throw.
  /// Memory: 16 bytes per lane for each number, and for each column of the longest text.
  edit_bands(std::size_t alphabet, std::function<void()> pause, instruction_set level);

  [[nodiscard]] std::size_t lanes() const noexcept { return kernels_.lanes; }

  /// Compares `text` with the pattern of each question, and sets the member `distance` of the question.
  /// Precondition: there are at most lanes() questions, and no pattern is empty.
  /// Complexity: O(rows / 64 * min(columns, most)) for each lane, and a fourth of this if the distances are at most
  /// most / 4.
  void answer(std::span<const char32_t> text, std::span<question> questions);

  /// Returns the edit distance of two texts, or nullopt if the distance exceeds `most`.
  [[nodiscard]] std::optional<std::size_t> at_most(std::span<const char32_t> text, std::span<const char32_t> pattern,
                                                   std::size_t most) {
    if (pattern.empty()) return text.size() <= most ? std::optional(text.size()) : std::nullopt;
    question one{pattern, most};
    answer(text, {&one, 1});
    return one.distance;
  }

 private:
  using number = std::int64_t;
  static constexpr number band_rows = word_bits;

  struct kernels {
    std::size_t lanes;
    void (*compute)(band_step&) noexcept;
    void (*advance)(const std::uint64_t*, std::size_t, std::size_t, std::uint64_t*) noexcept;
    void (*narrow)(const std::uint64_t*, std::size_t, std::size_t, row_limits&) noexcept;
  };

  /// A pattern, and the corridor of its paths of cost at most `most` below the last computed row.
  struct lane {
    question* asked = nullptr;  // nullptr if the distance is known, or exceeds `most`
    number longer_by = 0;       // columns - rows: the column of the diagonal minus the row
    number most = 0;
    number first = 0;            // first column of the corridor in the row
    number left = 0, right = 0;  // farthest columns from the diagonal, on both sides
  };

  [[nodiscard]] std::size_t words_per_column() const noexcept { return 2 * kernels_.lanes; }

  /// Opens lane `l` for the question `q`, unless the lengths of the texts differ by more than `most`.
  void ask(lane& l, question& q, std::size_t most) const noexcept {
    const auto bound = static_cast<number>(most);
    const number longer_by = static_cast<number>(text_.size()) - static_cast<number>(q.pattern.size());
    if (longer_by > bound || -longer_by > bound) return;
    l = {&q, longer_by, bound, 0, (bound + longer_by) / 2, (bound - longer_by) / 2};
  }

  /// Computes the distances of the lanes.
  void run();

  /// Returns the columns of the band below row `top` that are in a corridor.
  [[nodiscard]] band_step::range columns_of(number top) const noexcept;

  /// Ends lane `i` if its last row was computed, or if no path costs at most `most`. Otherwise narrows its corridor.
  /// `top` is the last computed row, and [begin, end] are the computed columns of this row. `first_value` and
  /// `last_value` are the values of the cells (top, begin) and (top, end). `limits` has, for each lane, the numbers of
  /// cells of row `top` outside the corridor. `last_rows` is band_step::last of the last band.
  void narrow(std::size_t i, number top, number begin, number end, number first_value, number last_value,
              const row_limits& limits, const std::uint64_t* last_rows) noexcept;

  kernels kernels_;
  std::span<const char32_t> text_;
  lane lanes_[band_step::most_lanes];
  large_array<std::uint64_t> matches_, steps_;  // see band_step
  std::function<void()> pause_;
  std::size_t work_ = 0;  // columns of bands since the last pause
};

#if NEARDUP_BODIES

NEARDUP_INLINE edit_bands::edit_bands(std::size_t alphabet, std::function<void()> pause, instruction_set level)
    : kernels_(choose_form(level,
                           [](auto form) {
                             using chosen = decltype(band_kernels_of(form));
                             return kernels{chosen::lanes, chosen::compute, chosen::advance, chosen::narrow};
                           })),
      matches_(alphabet * words_per_column()),
      pause_(std::move(pause)) {
  std::fill_n(matches_.data(), matches_.size(), 0);
}

NEARDUP_INLINE void edit_bands::answer(std::span<const char32_t> text, std::span<question> questions) {
  text_ = text;
  std::fill(std::begin(lanes_), std::end(lanes_), lane{});
  // The first attempt computes only cells near the diagonal of the matrix, which suffices for similar texts. For other
  // texts the attempt ends early, usually after a fourth of the rows. A second attempt then computes more cells per
  // row.
  std::size_t tried[band_step::most_lanes];
  for (std::size_t i = 0; i < questions.size(); ++i) {
    question& q = questions[i];
    const std::size_t shorter = (std::min)(text.size(), q.pattern.size());
    const std::size_t longer = (std::max)(text.size(), q.pattern.size());
    const std::size_t most = (std::min)(q.most, longer), few = longer - shorter + most / 4;
    constexpr std::size_t narrow = 4 * word_bits;
    tried[i] = shorter > narrow && most > narrow && few < most ? few : most;
    q.distance.reset();
    ask(lanes_[i], q, tried[i]);
  }
  run();
  bool is_answered = true;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    question& q = questions[i];
    const std::size_t most = (std::min)(q.most, (std::max)(text.size(), q.pattern.size()));
    if (q.distance || tried[i] == most) continue;
    ask(lanes_[i], q, most);
    is_answered = false;
  }
  if (!is_answered) run();
}

NEARDUP_INLINE band_step::range edit_bands::columns_of(number top) const noexcept {
  const auto columns = static_cast<number>(text_.size());
  number begin = columns, end = 0;
  for (const lane& l : lanes_) {
    if (l.asked == nullptr) continue;
    const number diagonal = top + l.longer_by;
    begin = (std::min)(begin, (std::max)(l.first, diagonal - l.left));
    end = (std::max)(end, diagonal + band_rows + l.right);
  }
  end = (std::min)(end, columns);
  return {static_cast<std::size_t>((std::min)(begin, end)), static_cast<std::size_t>(end)};
}

NEARDUP_INLINE void edit_bands::run() {
  const std::size_t lanes = kernels_.lanes, columns = text_.size();
  const std::size_t words = (columns + 1) * words_per_column();
  if (steps_.size() < words) steps_ = large_array<std::uint64_t>(words);
  band_step step{text_.data(), matches_.size() / words_per_column(), matches_.data(), steps_.data(), 0, {}, {}, {}, {}};
  // For each lane, the values of two cells in row `top`: of the cell in column `begin`, and of the cell in column
  // step.filled, with the opposite sign.
  std::size_t begin = 0;
  std::uint64_t first_values[band_step::most_lanes] = {}, negated_last[band_step::most_lanes] = {};
  const auto go_right = [&](std::size_t first) {
    kernels_.advance(step.steps, begin, first, first_values);
    begin = first;
  };
  // Moves the ends of the row by the rows of a band.
  const auto go_down = [&](const std::uint64_t* last) {
    for (std::size_t i = 0; i < lanes; ++i) {
      first_values[i] += word_bits;
      negated_last[i] += static_cast<std::uint64_t>(std::popcount(last[lanes + i]) - std::popcount(last[i]));
    }
  };
  const auto end_at = [&](std::size_t end) {
    if (end < step.filled) kernels_.advance(step.steps, end, step.filled, negated_last);
    for (std::size_t i = 0; i < lanes && end > step.filled; ++i) negated_last[i] -= end - step.filled;
  };
  for (number top = 0;;) {
    number rows = (std::numeric_limits<number>::max)();  // rows of the shortest pattern
    for (std::size_t i = 0; i < lanes; ++i) {
      step.patterns[i] = {};
      if (lanes_[i].asked == nullptr) continue;
      step.patterns[i] = lanes_[i].asked->pattern.subspan(static_cast<std::size_t>(top));
      rows = (std::min)(rows, static_cast<number>(step.patterns[i].size()));
    }
    if (rows == (std::numeric_limits<number>::max)()) return;
    step.upper = columns_of(top);
    step.lower = {step.upper.end, step.upper.end};
    const bool has_lower = rows > band_rows;
    if (has_lower) step.lower = columns_of(top + band_rows);
    go_right(step.upper.begin);
    end_at(step.upper.end);
    step.filled = (std::min)(step.filled, step.upper.end);
    kernels_.compute(step);
    step.filled = step.upper.end;
    go_down(step.last[0]);
    if (has_lower) {
      go_right(step.lower.begin);
      end_at(step.lower.end);
      go_down(step.last[1]);
      step.filled = step.lower.end;
    }
    top += has_lower ? 2 * band_rows : band_rows;
    const auto from = static_cast<number>(begin), to = static_cast<number>(step.filled);
    row_limits limits;
    for (std::size_t i = 0; i < lanes; ++i) {
      if (lanes_[i].asked == nullptr) continue;
      const number most = lanes_[i].most, diagonal = top + lanes_[i].longer_by;
      limits.spare_left[i] = static_cast<std::uint64_t>(most + (from - diagonal)) - first_values[i];
      limits.spare_right[i] = static_cast<std::uint64_t>(most - (to - diagonal)) + negated_last[i];
    }
    kernels_.narrow(step.steps, begin, step.filled, limits);
    for (std::size_t i = 0; i < lanes; ++i) {
      if (lanes_[i].asked == nullptr) continue;
      narrow(i, top, from, to, static_cast<number>(first_values[i]), -static_cast<number>(negated_last[i]), limits,
             step.last[has_lower ? 1 : 0]);
    }
    constexpr std::size_t columns_between_pauses = std::size_t{1} << 22;
    if (pause_ && (work_ += step.lower.end - begin) >= columns_between_pauses) {
      work_ = 0;
      pause_();
    }
  }
}

NEARDUP_INLINE void edit_bands::narrow(std::size_t i, number top, number begin, number end, number first_value,
                                       number last_value, const row_limits& limits,
                                       const std::uint64_t* last_rows) noexcept {
  lane& l = lanes_[i];
  const number diagonal = top + l.longer_by;
  const auto rows = static_cast<number>(l.asked->pattern.size());
  if (rows <= top) {
    // The band may have rows below the last row of the pattern. Their differences are subtracted from the distance.
    number distance = last_value;
    const auto used = static_cast<std::size_t>(rows + band_rows - top);
    if (used < word_bits) {
      distance += std::popcount(last_rows[kernels_.lanes + i] >> used) - std::popcount(last_rows[i] >> used);
    }
    if (distance <= l.most) l.asked->distance = static_cast<std::size_t>(distance);
    l.asked = nullptr;
    return;
  }
  const auto lost_left = static_cast<number>(limits.lost_left[i]),
             lost_right = static_cast<number>(limits.lost_right[i]);
  const number last = end - lost_right;
  l.first = begin + lost_left;
  if (l.first > last) {
    l.asked = nullptr;
    return;
  }
  // A path through the first cell of the corridor, D columns left of the diagonal and of value v, costs at least v + D.
  // Each further column to the left costs 2 more. So paths deviate by at most D + (most - v - D) / 2 columns.
  l.left = lost_left > 0 ? diagonal - l.first : (l.most - first_value + (diagonal - begin)) / 2;
  l.right = lost_right > 0 ? last - diagonal : (l.most - last_value + (end - diagonal)) / 2;
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
