// SPDX-License-Identifier: MIT
// Counts how many sets have each feature, with counters of one byte. The counts order the features, rare ones first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../../detail/bits.hpp"

namespace neardup::inline v0::detail {

/// Counts for each feature the sets that have the feature. A counter is one byte, a level from 0 to 255. Counts up to
/// 16 are exact. Above 16 there are eight levels for each doubling. The level is a Morris counter: a high level rises
/// with a low probability. Features share a counter if the upper bits of their tokens agree.
///
/// A search is exact with any order of the features. But the order determines the number of candidates. So the counts
/// of rare features must be exact, and the counts of frequent features may be rough.
/// Source: Morris, Counting large numbers of events in small registers, CACM 21 (10), 1978.
/// Memory: about one byte for eight counted features, allocated in pieces of 1 KiB when features occur.
class feature_rarity {
 public:
  /// Makes empty counts. `features`: the approximate number of features that will be counted.
  explicit feature_rarity(std::size_t features = 0)
      : places_(std::clamp(features / features_a_place, min_places, max_places)),
        segments_(to_size((places_ + segment - 1) / segment)) {}

  void prefetch(std::uint32_t token) const noexcept {
    if (places_ <= cached) return;
    const std::size_t at = place(token);
    const level_type* const levels = segments_[at / segment].get();
    if (levels != nullptr) detail::prefetch(levels + at % segment);
  }

  /// Adds 1 to the count of a feature. `token`: the feature_token() of the feature.
  /// Throws: std::bad_alloc; the counts are then unchanged.
  void count(std::uint32_t token) {
    const std::size_t at = place(token);
    std::unique_ptr<level_type[]>& levels = segments_[at / segment];
    if (levels == nullptr) levels = std::make_unique<level_type[]>(segment);
    level_type& level = levels[at % segment];
    // This code has no branch, because the processor could not predict whether a level is exact.
    random_ += golden_ratio;
    constexpr std::uint64_t never = std::uint64_t{1} << 32;  // only the mask of the last level has bit 32
    const std::uint64_t random = (random_ ^ random_ >> 29) * 0xbf58476d1ce4e5b9U >> 32 | never;
    level = static_cast<level_type>(level + ((random & one_in[level]) == 0 ? 1 : 0));
  }

  /// Returns the level of a token. The more sets have a feature, the higher is its level.
  [[nodiscard]] std::uint16_t operator[](std::uint32_t token) const noexcept {
    const std::size_t at = place(token);
    const level_type* const levels = segments_[at / segment].get();
    return levels == nullptr ? std::uint16_t{0} : std::uint16_t{levels[at % segment]};
  }

  /// Returns the levels of all counters, for the constructor of feature_levels.
  [[nodiscard]] std::vector<std::uint8_t> levels() const {
    std::vector<std::uint8_t> all(static_cast<std::size_t>(places_));
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (segments_[i] == nullptr) continue;
      const std::size_t begin = i * segment;
      std::copy_n(segments_[i].get(), (std::min)(segment, all.size() - begin),
                  all.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    return all;
  }

  /// Sets all counts to 0, and frees the memory.
  void clear() noexcept {
    for (auto& levels : segments_) levels.reset();
  }

  /// Frees a piece of the memory. After the first call, no other member may be called.
  /// Returns: false if no piece was left.
  bool free_piece() noexcept {
    if (segments_.empty()) return false;
    segments_.pop_back();
    return true;
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    const auto used = std::count_if(segments_.begin(), segments_.end(), [](const auto& one) { return one != nullptr; });
    return segments_.capacity() * sizeof(segments_[0]) + static_cast<std::size_t>(used) * segment;
  }

 private:
  using level_type = std::uint8_t;
  static constexpr std::size_t segment = 1024;
  static constexpr std::size_t features_a_place = 8, min_places = 1024, max_places = std::size_t{1} << 27;
  static constexpr std::size_t cached = std::size_t{1} << 18;  // number of counters that fit the second-level cache
  static constexpr std::size_t exact = 16, levels_a_doubling = 8;

  /// one_in[level] selects bits of a random number. The level rises if all selected bits are 0. The last level never
  /// rises.
  static constexpr std::array<std::uint64_t, 256> one_in = [] {
    std::array<std::uint64_t, 256> masks{};
    for (std::size_t level = exact; level < masks.size(); ++level) {
      masks[level] = (std::uint64_t{2} << (level - exact) / levels_a_doubling) - 1;
    }
    masks.back() = ~std::uint64_t{0};
    return masks;
  }();

  [[nodiscard]] std::size_t place(std::uint32_t token) const noexcept {
    return to_size(std::uint64_t{token} * places_ >> 32);
  }

  std::uint64_t places_;
  std::vector<std::unique_ptr<level_type[]>> segments_;
  std::uint64_t random_ = 0;
};

}  // namespace neardup::inline v0::detail
