// SPDX-License-Identifier: MIT
// Edit distance: the least number of code points to insert, delete or replace that turns one text into another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../detail/compiled.hpp"
#include "../instruction_set.hpp"
#include "../text/utf8.hpp"
#include "engine/edit_bands.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Decodes a text to code points. Each ill-formed subpart becomes one U+FFFD.
std::vector<char32_t> code_points_of(std::string_view text);

/// Computes the Levenshtein distance of two texts up to a bound. The texts may have any code points.
class bounded_edit_distance {
 public:
  bounded_edit_distance(std::span<const char32_t> a, std::span<const char32_t> b);

  /// Returns the distance of the two texts, or nullopt if the distance exceeds `most`.
  /// Complexity: the same as edit_bands::answer().
  [[nodiscard]] std::optional<std::size_t> at_most(std::size_t most) { return bands_->at_most(text_, pattern_, most); }

  /// Returns an upper bound of the distance: the length of the longer text without the common prefix and suffix.
  [[nodiscard]] std::size_t max_distance() const noexcept { return text_.size(); }

 private:
  std::vector<char32_t> pattern_, text_;
  std::optional<edit_bands> bands_;
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
  bands_.emplace(numbers.size() + 1, nullptr, instruction_set::portable);
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
/// Memory: 30 to 45 bytes per code point.
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  return detail::unbounded_edit_distance(detail::code_points_of(a), detail::code_points_of(b));
}

/// Returns the edit distance if it is at most `max_distance`, otherwise nullopt. edit_distance(a, b, max_distance) is
/// faster than edit_distance(a, b).
/// Complexity: O(n * max_distance / 64) for texts of n code points, and less for texts that are much farther apart.
[[nodiscard]] inline std::optional<std::size_t> edit_distance(std::string_view a, std::string_view b,
                                                              std::size_t max_distance) {
  return detail::bounded_edit_distance(detail::code_points_of(a), detail::code_points_of(b)).at_most(max_distance);
}

/// Returns the edit similarity: 1 - edit_distance(a, b) / (code points of the longer text), from 0 to 1. Two empty
/// texts have similarity 1.
/// Complexity, memory: the same as edit_distance().
[[nodiscard]] inline double edit_similarity(std::string_view a, std::string_view b) {
  const std::vector<char32_t> first = detail::code_points_of(a);
  const std::vector<char32_t> second = detail::code_points_of(b);
  const std::size_t longer = (std::max)(first.size(), second.size());
  if (longer == 0) return 1;
  return detail::edit_similarity_of(detail::unbounded_edit_distance(first, second), longer);
}

}  // namespace neardup::inline v0
