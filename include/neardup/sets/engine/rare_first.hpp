// SPDX-License-Identifier: MIT
// An order of all features with rare ones first, and the prefixes of sets in this order.
//
// A join is exact with any order of the features. The order only determines the number of candidates. So the counts may
// be inexact, or those of a sample, but they have to distinguish frequent features from others.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/instructions.hpp"
#include "../../detail/large_array.hpp"
#include "../../detail/prefetch.hpp"
#include "../../instruction_set.hpp"
#include "prefix_order_avx2.hpp"
#include "prefix_order_neon.hpp"
#include "prefix_order_portable.hpp"

namespace neardup::inline v0::detail {

/// The token of a feature: 32 well-mixed bits that represent the feature in a join. Equal features have equal tokens.
/// For 32-bit features the mapping is bijective. Two 64-bit features may share a token, which adds candidates; but no
/// pair is missed, because the filters also hold for multisets of tokens.
template <class Feature>
constexpr std::uint32_t feature_token(Feature feature) noexcept {
  if constexpr (sizeof(Feature) <= sizeof(std::uint32_t)) {
    return static_cast<std::uint32_t>(feature) * 0x9e3779b1U;
  } else {
    return static_cast<std::uint32_t>((feature * golden_ratio) >> 32);
  }
}

/// Document frequencies: counts the sets that have a feature. Features whose tokens have the same highest bits share a
/// count.
class token_counts {
 public:
  token_counts() = default;

  /// `tokens`: about how many tokens will be counted in all.
  explicit token_counts(std::size_t tokens)
      : bits_(std::clamp(static_cast<int>(std::bit_width(tokens / 4)), min_bits, max_bits)),
        counts_(std::size_t{1} << bits_) {
    for (std::size_t i = 0; i < counts_.size(); ++i) new (&counts_[i]) count_type(0);
  }

  void prefetch(std::uint32_t token) const noexcept { detail::prefetch(&counts_[place(token)]); }

  [[nodiscard]] std::size_t memory_usage() const noexcept { return counts_.memory_usage(); }

  /// Counts a token. Several threads may call this at once if all of them set `from_several`.
  void count(std::uint32_t token, bool from_several) noexcept {
    count_type& of = counts_[place(token)];
    const std::uint16_t now = of.load(std::memory_order_relaxed);
    if (now >= most) return;
    if (from_several) {
      of.fetch_add(1, std::memory_order_relaxed);
    } else {
      of.store(static_cast<std::uint16_t>(now + 1), std::memory_order_relaxed);
    }
  }

  [[nodiscard]] std::uint16_t operator[](std::uint32_t token) const noexcept {
    return (std::min)(counts_[place(token)].load(std::memory_order_relaxed), most);
  }

 private:
  using count_type = std::atomic<std::uint16_t>;
  static_assert(std::is_trivially_copyable_v<count_type>);

  static constexpr int min_bits = 10;
  static constexpr int max_bits = 26;
  static constexpr std::uint16_t most = 0x7000;  // leaves room for concurrent increments below 2^15

  [[nodiscard]] std::size_t place(std::uint32_t token) const noexcept { return token >> (32 - bits_); }

  int bits_ = min_bits;
  large_array<count_type> counts_;
};

/// Finds the prefixes of sets, one set after the other.
class prefix_finder {
 public:
  /// The tokens of the first `count` features of `set`, in the order by count, then by token. Each result has the token
  /// in its lowest 32 bits, and the count above. `all` is a token_counts or a feature_rarity, with counts below 2^15. The
  /// span is valid until the next call. Precondition: 0 < count <= set.size().
  template <class Feature, class Counts>
  std::span<const std::uint64_t> find(std::span<const Feature> set, std::size_t count, const Counts& all) {
    const std::size_t n = set.size();
    // Room for a larger set, but not for twice as large a set if that would take many megabytes.
    const auto room_for = [](std::size_t size) { return size + (std::min)(size, std::size_t{1} << 20); };
    if (n > tokens_.size()) {
      counts_.resize(room_for(n));
      ties_.resize(room_for(n));
      tokens_.resize(room_for(n));  // last: its size tells whether all have room
    }
    if (count > sorted_.size()) {
      chosen_.resize(room_for(count));
      sorted_.resize(room_for(count));
    }
    constexpr std::size_t step = 256;  // tokens at a time: their lines fit the L1 cache
    for (std::size_t begin = 0; begin < n; begin += step) {
      const std::size_t end = (std::min)(begin + step, n);
      for (std::size_t i = begin; i < end; ++i) {
        tokens_[i] = feature_token(set[i]);
        all.prefetch(tokens_[i]);
      }
      for (std::size_t i = begin; i < end; ++i) counts_[i] = all[tokens_[i]];
    }
    // Once the count of the last prefix feature is known, a pass without branches finds the others.
    const std::uint32_t last = nth_count(std::span(counts_).first(n), count);
    std::size_t below = 0, equal = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t key = std::uint64_t{counts_[i]} << 32 | tokens_[i];
      chosen_[below] = key;
      below += counts_[i] < last ? 1 : 0;
      ties_[equal] = key;
      equal += counts_[i] == last ? 1 : 0;
    }
    const auto first = ties_.begin(), behind = first + static_cast<std::ptrdiff_t>(equal);
    const std::size_t wanted = count - below;
    if (wanted < equal) std::nth_element(first, first + static_cast<std::ptrdiff_t>(wanted), behind);
    std::copy_n(first, wanted, chosen_.begin() + static_cast<std::ptrdiff_t>(below));
    const std::span<std::uint64_t> keys = std::span(chosen_).first(count);
    choose_form(level_, [&](auto form) { return sort_keys_of(form)(keys, sorted_.data()); });
    return std::span(sorted_).first(count);
  }

 private:
  [[nodiscard]] std::size_t count_below(std::span<const std::uint16_t> counts, std::uint32_t limit) const noexcept {
    return choose_form(level_, [&](auto form) { return count_below_of(form)(counts, limit); });
  }

  /// The n-th smallest of some counts, n >= 1.
  [[nodiscard]] std::uint32_t nth_count(std::span<const std::uint16_t> counts, std::size_t n) const noexcept {
    std::uint32_t limit = 2;  // least power of two above the result
    while (limit < 0x8000U && count_below(counts, limit) < n) limit *= 2;
    std::uint32_t least = limit == 2 ? 0 : limit / 2;
    while (limit - least > 1) {
      const std::uint32_t middle = least + (limit - least) / 2;
      (count_below(counts, middle) < n ? least : limit) = middle;
    }
    return least;
  }

  instruction_set level_ = active_instruction_set();
  std::vector<std::uint32_t> tokens_;
  std::vector<std::uint16_t> counts_;
  std::vector<std::uint64_t> chosen_, ties_, sorted_;
};

}  // namespace neardup::inline v0::detail
