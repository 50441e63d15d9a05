// SPDX-License-Identifier: MIT
// Orders all features, rare ones first, and finds the prefixes of sets in this order.
//
// A join is exact with any order of the features; the order only determines the number of candidates. So the counts of
// features may be inexact, or come from a sample. But the counts must distinguish frequent features from rare features.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"
#include "../../simd/sort_few.hpp"

namespace neardup::inline v0::detail {

/// Returns the token of a feature: 32 well-mixed bits that represent the feature in a join. Equal features have equal
/// tokens. For 32-bit features the mapping is bijective. Two 64-bit features may share a token. A shared token adds
/// candidates, but no pair is missed, because the filters are also valid for multisets of tokens.
template <class Feature>
constexpr std::uint32_t feature_token(Feature feature) noexcept {
  if constexpr (sizeof(Feature) <= sizeof(std::uint32_t)) {
    return static_cast<std::uint32_t>(feature) * 0x9e3779b1U;
  } else {
    return static_cast<std::uint32_t>((feature * golden_ratio) >> 32);
  }
}

/// The document frequencies of tokens in a sample of the sets. Tokens share cells, so a count may be too high. Counts
/// end at 28,672. Up to 134 million tokens, the cells take at most 2 MB, about the size of a second-level cache.
class sampled_counts {
 public:
  /// Makes counts of a sample without sets: all counts are 0.
  sampled_counts() : cells_(1) {}

  /// Makes empty counts. `tokens`: the approximate number of tokens of all sets. count() will be called for the tokens
  /// of one of stride() sets.
  explicit sampled_counts(std::size_t tokens) : stride_(std::clamp<std::size_t>(tokens / all_counted, 1, max_stride)) {
    const int bits = (std::max)(10, bit_width(tokens / stride_ / tokens_a_cell));
    shift_ = 32 - (std::min)(bits, max_bits);
    cells_.resize(std::size_t{1} << (32 - shift_));
  }

  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }

  void count(std::uint32_t token) noexcept {
    std::uint16_t& cell = cells_[place(token)];
    cell = static_cast<std::uint16_t>(cell + (cell < most ? 1 : 0));
  }

  void prefetch(std::uint32_t token) const noexcept {
    if (shift_ < cached_shift) detail::prefetch(&cells_[place(token)]);
  }

  [[nodiscard]] std::uint16_t operator[](std::uint32_t token) const noexcept { return cells_[place(token)]; }

  /// Returns about how many sets have a token with this count.
  [[nodiscard]] std::uint64_t estimate(std::uint64_t count) const noexcept { return count * stride_; }

 private:
  static constexpr std::size_t all_counted = std::size_t{1} << 22;  // from twice as many tokens on, a sample is counted
  static constexpr std::size_t max_stride = 16, tokens_a_cell = 8;
  static constexpr std::uint16_t most = 0x7000;  // below 2^15; see count_below()
  static constexpr int max_bits = 25;            // 64 MB
  static constexpr int cached_shift = 13;        // from this shift_ on, the cells take at most 1 MB: no prefetch

  [[nodiscard]] std::size_t place(std::uint32_t token) const noexcept {
    return to_size(std::uint64_t{token} >> shift_);
  }

  std::size_t stride_ = 1;
  int shift_ = 32;
  std::vector<std::uint16_t> cells_;
};

/// Returns the number of `counts` below `limit`.
/// Precondition: all counts and `limit` are below 2^15.
inline std::size_t count_below(std::span<const std::uint16_t> counts, std::uint32_t limit) noexcept {
  std::size_t result = 0, i = 0;
#if NEARDUP_BASELINE_KERNELS
  using shorts = std::int16_t __attribute__((vector_size(16)));
  constexpr std::size_t lanes = sizeof(shorts) / sizeof(std::int16_t), most = 0x7fff;  // a lane counts up to `most`
  const shorts limits = shorts{} + static_cast<std::int16_t>(limit);
  while (i + lanes <= counts.size()) {
    shorts below{};
    for (std::size_t steps = (std::min)((counts.size() - i) / lanes, most); steps > 0; --steps, i += lanes) {
      shorts some;
      std::memcpy(&some, counts.data() + i, sizeof some);
      below -= some < limits;  // true is -1
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) result += static_cast<std::size_t>(below[lane]);
  }
#endif
  for (; i < counts.size(); ++i) result += counts[i] < limit ? 1 : 0;
  return result;
}

/// Finds the prefixes of sets. Each thread needs its own object.
class prefix_finder {
 public:
  /// Returns the first `count` tokens of `set`, ordered by frequency, then by token. The lowest 32 bits of each result
  /// are the token, and the bits above are the frequency. `all` has the frequencies, all below 2^15; its type is, for
  /// example, sampled_counts or feature_rarity. The span is valid until the next call.
  /// Precondition: 0 < count <= set.size().
  template <class Feature, class Counts>
  std::span<const std::uint64_t> find(std::span<const Feature> set, std::size_t count, const Counts& all) {
    look_up(set, all);
    return choose(set.size(), count);
  }

 private:
  /// Writes the tokens of a set to tokens_, and their frequencies to counts_.
  template <class Feature, class Counts>
  void look_up(std::span<const Feature> set, const Counts& all) {
    const std::size_t n = set.size();
    if (n > tokens_.size()) {
      counts_.resize(room_for(n) + lanes);
      chosen_.resize(room_for(n));
      sorted_.resize(room_for(n));
      tokens_.resize(room_for(n));  // resized last: its size then tells that all arrays are large enough
    }
    constexpr std::size_t step = 256;  // tokens per step, so that their cells fit the L1 cache
    for (std::size_t begin = 0; begin < n; begin += step) {
      const std::size_t end = (std::min)(begin + step, n);
      for (std::size_t i = begin; i < end; ++i) {
        tokens_[i] = feature_token(set[i]);
        all.prefetch(tokens_[i]);
      }
      for (std::size_t i = begin; i < end; ++i) counts_[i] = all[tokens_[i]];
    }
    std::fill_n(counts_.begin() + static_cast<std::ptrdiff_t>(n), lanes, std::uint16_t{0x7fff});
  }

  /// Returns the frequencies of the first `n` tokens, padded to a multiple of `lanes` by numbers above any frequency.
  [[nodiscard]] std::span<const std::uint16_t> counts_of(std::size_t n) const noexcept {
    return std::span(counts_).first((n + lanes - 1) / lanes * lanes);
  }

  /// Returns the first `count` of the first `n` tokens in tokens_, in the order of find().
  std::span<const std::uint64_t> choose(std::size_t n, std::size_t count) {
    // The frequency of the last prefix feature is found first. Then one pass without branches finds the tokens up to
    // this frequency.
    const std::uint32_t last = nth_count(counts_of(n), count);
    std::size_t found = 0;
    for (std::size_t i = 0; i < n; ++i) {
      chosen_[found] = std::uint64_t{counts_[i]} << 32 | tokens_[i];
      found += counts_[i] <= last ? 1 : 0;
    }
    // Sorting a few tokens too many takes less time than removing them.
    constexpr std::size_t few = 64;
    if (found > few) {
      const auto first = chosen_.begin();
      std::nth_element(first, first + static_cast<std::ptrdiff_t>(count - 1),
                       first + static_cast<std::ptrdiff_t>(found));
      found = count;
    }
    sort_keys(std::span(chosen_).first(found));
    return std::span(sorted_).first(count);
  }

  /// Writes `keys` to sorted_ in ascending order. keys[i] is a token with its frequency (see find()), 47 bits in all.
  /// Up to most_few keys are sorted by the upper 32 of these bits. If two keys have equal upper bits, which is rare,
  /// std::sort() sorts the keys.
  void sort_keys(std::span<const std::uint64_t> keys) {
    if (keys.size() <= most_few) {
      std::uint32_t numbers[most_few];
      for (std::size_t i = 0; i < keys.size(); ++i) numbers[i] = static_cast<std::uint32_t>(keys[i] >> 15);
      if (sort_few(std::span<const std::uint32_t>(numbers, keys.size()), keys.data(), sorted_.data(), level_)) return;
    }
    const auto end = std::copy(keys.begin(), keys.end(), sorted_.begin());
    std::sort(sorted_.begin(), end);
  }

  /// Returns the number of tokens to allocate memory for, if a set has `size` features: 2 * size, at most size + 2^20.
  static std::size_t room_for(std::size_t size) noexcept { return size + (std::min)(size, std::size_t{1} << 20); }

  /// Returns the n-th smallest of `counts`.
  /// Precondition: n >= 1.
  [[nodiscard]] std::uint32_t nth_count(std::span<const std::uint16_t> counts, std::size_t n) const noexcept {
    std::uint32_t limit = 2;  // the least power of two above the result
    while (limit < 0x8000U && count_below(counts, limit) < n) limit *= 2;
    std::uint32_t least = limit == 2 ? 0 : limit / 2;
    while (limit - least > 1) {
      const std::uint32_t middle = least + (limit - least) / 2;
      (count_below(counts, middle) < n ? least : limit) = middle;
    }
    return least;
  }

  static constexpr std::size_t lanes = 16;  // counts in the widest vector of the kernels

  instruction_set level_ = active_instruction_set();
  std::vector<std::uint32_t> tokens_;
  std::vector<std::uint16_t> counts_;
  std::vector<std::uint64_t> chosen_, sorted_;
};

}  // namespace neardup::inline v0::detail
