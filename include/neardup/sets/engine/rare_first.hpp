// SPDX-License-Identifier: MIT
// Orders all features, rare ones first, and finds the prefixes of sets in this order.
//
// A join is exact with any order of the features; the order only determines the number of candidates. So the counts of
// features may be inexact, or come from a sample. But the counts must distinguish frequent features from rare features.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/large_array.hpp"
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

/// Document frequencies minus one: for each feature, the number of sets that have the feature, minus one. A count of 0
/// is exact. Any other count may be too high, and counts end at 28,672. This changes only the order of features.
///
/// Most features of texts occur once. Bloom filters recognise these features, so that they need no count of their own.
/// A cell has a first filter, of all tokens that occurred; a second filter, of the tokens that occurred again; and one
/// count, of all further occurrences. All bits of a token lie in one cell, so a lookup causes one cache miss.
/// Source: Putze, Sanders and Singler, Cache-, Hash- and Space-Efficient Bloom Filters, WEA 2007 (one word per filter).
/// Memory: two thirds of a byte for each counted token.
class token_counts {
 public:
  token_counts() = default;

  /// Makes empty counts. `tokens`: the approximate number of tokens that will be counted.
  explicit token_counts(std::size_t tokens) : cells_(tokens / tokens_a_cell + 1) {
    for (std::size_t i = 0; i < cells_.size(); ++i) new (&cells_[i]) cell();
  }

  void prefetch(std::uint32_t token) const noexcept { detail::prefetch(&cells_[place(token)]); }

  /// Counts a token.
  /// Thread safety: several threads may call this function at once if each of them passes `from_several` = true.
  NEARDUP_ALWAYS_INLINE void count(std::uint32_t token, bool from_several) noexcept {
    cell& of = cells_[place(token)];
    const marks own = marks_of(token);
    std::uint64_t met = of.met.load(std::memory_order_relaxed);
    if (from_several) {
      if ((met & own.met) != own.met) met = of.met.fetch_or(own.met, std::memory_order_relaxed);
      if ((met & own.met) != own.met) return;
      const std::uint64_t before = of.again.fetch_or(own.again, std::memory_order_relaxed);
      if (before < most << count_shift) of.again.fetch_add(one, std::memory_order_relaxed);
      return;
    }
    // This code has no branches, because the processor could not predict whether a token has occurred before.
    of.met.store(met | own.met, std::memory_order_relaxed);
    const std::uint64_t is_again = (met & own.met) == own.met ? ~std::uint64_t{0} : 0;
    const std::uint64_t again = of.again.load(std::memory_order_relaxed) | (own.again & is_again);
    of.again.store(again + (again < most << count_shift ? one & is_again : 0), std::memory_order_relaxed);
  }

  [[nodiscard]] std::uint16_t operator[](std::uint32_t token) const noexcept {
    const std::uint64_t again = cells_[place(token)].again.load(std::memory_order_relaxed), own = marks_of(token).again;
    // This code has no branches, because the processor could not predict whether a token has occurred before.
    const std::uint64_t is_again = std::uint64_t{0} - ((again & own) == own ? 1U : 0U);
    return static_cast<std::uint16_t>((std::min)(again >> count_shift, most) & is_again);
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept { return cells_.memory_usage(); }

 private:
  struct cell {
    std::atomic<std::uint64_t> met{0};  // filter of the tokens that occurred
    // Bits 0 to 47: filter of the tokens that occurred again. Bits 48 to 63: the number of further occurrences.
    std::atomic<std::uint64_t> again{0};
  };
  static_assert(std::is_trivially_copyable_v<cell>);
  /// The bits that a token has in each of the two filters of a cell.
  struct marks {
    std::uint64_t met, again;
  };

  static constexpr std::size_t tokens_a_cell = 24;
  static constexpr int count_shift = 48;
  static constexpr std::uint64_t one = std::uint64_t{1} << count_shift;
  static constexpr std::uint64_t most = 0x7000;  // below 2^15, so that concurrent increments do not overflow

  [[nodiscard]] std::size_t place(std::uint32_t token) const noexcept {
    return to_size(std::uint64_t{token} * cells_.size() >> 32);
  }
  static marks marks_of(std::uint32_t token) noexcept {
    const std::uint64_t hash = token * golden_ratio;
    const auto bit = [](std::uint64_t at) { return std::uint64_t{1} << at; };
    return {bit(hash >> 58) | bit(hash >> 52 & 63U) | bit(hash >> 46 & 63U),
            bit(hash >> 41 & 31U) | bit(32 + (hash >> 37 & 15U))};
  }

  large_array<cell> cells_;
};

/// Prefetches the counts for `set`, the next set. Of a large set, only as many counts are prefetched as fit the L1
/// cache beside the counts of the present set.
template <class Feature>
void prefetch_counts(std::span<const Feature> set, const token_counts& counts) noexcept {
  constexpr std::size_t most = 256;
  for (const Feature feature : set.first((std::min)(set.size(), most))) counts.prefetch(feature_token(feature));
}

/// Counts tokens. A token waits in a queue until its cell has been prefetched, so that cache misses overlap.
class token_counter {
 public:
  /// Makes a counter for the counts `all`. `from_several`: true if several threads count at once, each with a counter
  /// of its own.
  token_counter(token_counts& all, bool from_several) noexcept : all_(&all), from_several_(from_several) {}

  void add(std::uint32_t token) noexcept {
    all_->prefetch(token);
    const std::size_t at = added_++ % waiting_.size();
    if (added_ > waiting_.size()) all_->count(waiting_[at], from_several_);
    waiting_[at] = token;
  }
  /// Counts the tokens that still wait. After finish(), no other member may be called.
  void finish() noexcept {
    for (std::size_t i = 0; i < (std::min)(added_, waiting_.size()); ++i) all_->count(waiting_[i], from_several_);
  }

 private:
  token_counts* all_;
  bool from_several_;
  std::size_t added_ = 0;
  std::array<std::uint32_t, 64> waiting_;
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
  /// example, token_counts or feature_rarity. The span is valid until the next call.
  /// Precondition: 0 < count <= set.size().
  template <class Feature, class Counts>
  std::span<const std::uint64_t> find(std::span<const Feature> set, std::size_t count, const Counts& all) {
    look_up(set, all);
    return choose(set.size(), count, 0, 0);
  }

  /// Returns the result of find() without the tokens of frequency 0, which come first.
  /// Complexity: mostly O(set.size()), because most sets have more than `count` tokens of frequency 0.
  template <class Feature, class Counts>
  std::span<const std::uint64_t> find_repeated(std::span<const Feature> set, std::size_t count, const Counts& all) {
    look_up(set, all);
    const std::size_t once = count_below(counts_of(set.size()), 1);
    if (once >= count) return {};
    return choose(set.size(), count - once, 1, once);
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

  /// Of the first `n` tokens in tokens_, drops the tokens whose frequencies are below `least`; their number is `fewer`.
  /// Returns the first `count` other tokens, in the order of find().
  std::span<const std::uint64_t> choose(std::size_t n, std::size_t count, std::uint32_t least, std::size_t fewer) {
    // The frequency of the last prefix feature is found first. Then one pass without branches finds the tokens up to
    // this frequency.
    const std::uint32_t range = nth_count(counts_of(n), fewer + count) - least;
    std::size_t found = 0;
    for (std::size_t i = 0; i < n; ++i) {
      chosen_[found] = std::uint64_t{counts_[i]} << 32 | tokens_[i];
      found += counts_[i] - least <= range ? 1 : 0;
    }
    // Sorting a few more keys takes less time than removing them.
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

  /// Writes the keys to sorted_ in ascending order. Up to most_few keys are sorted by the upper 32 of their 47 bits. If
  /// two keys have equal upper bits, which is rare, std::sort() sorts the keys.
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
