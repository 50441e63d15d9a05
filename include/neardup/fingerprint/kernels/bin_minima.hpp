// SPDX-License-Identifier: MIT
// One-permutation min-wise hashing: each hash belongs to one of several bins, and each bin keeps its smallest hash. A
// min-wise code consists of one bit of each bin.
//
// The hash of a feature determines one bin, and a number for that bin. The bin keeps the smallest number. A bin that no
// feature chose has to be filled. Each bin has two factors, by which the hash of each feature of the set is multiplied.
// The bin is filled with the least product. So a bin is equally likely to contain any feature of a set, and the
// probability that two sets agree in a bin is their Jaccard similarity. The features of a set are divided among the
// bins. So distances have less variance than with independent bits.
// Sources: Li, Owen, Zhang, One Permutation Hashing, NIPS 2012; Dahlgaard, Knudsen, Thorup, Fast Similarity Sketching,
// FOCS 2017, section 2 (filling bins with further hashes of all features, not with copies of other bins).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "../../detail/bits.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"
#include "../../simhash.hpp"

namespace neardup::inline v0::detail {

// The content of a bin. The smallest content is kept. A bin that a feature chose contains the number of that feature,
// which is below 2^31. A filled bin contains filled_bin plus a 16-bit product. The initial content is empty_bin.
inline constexpr std::uint32_t filled_bin = 0x80000000U;
inline constexpr std::uint32_t empty_bin = 0xffffffffU;

/// The greatest number of hashes per call of add().
inline constexpr std::size_t max_added_hashes = 1024;

/// The two odd factors of a bin. To fill the bin, the lower and the upper 16 bits of each hash are multiplied by these
/// factors.
struct bin_factors {
  std::uint16_t of_lower;
  std::uint16_t of_upper;
};

constexpr bin_factors factors_of_bin(std::uint64_t bin) noexcept {
  const std::uint64_t x = mix((bin + 1) * golden_ratio);
  return {static_cast<std::uint16_t>(x | 1U), static_cast<std::uint16_t>(x >> 16 | 1U)};
}

/// The bin_factors of 64 bins. Each factor has an array of its own, so that kernels can load whole vectors.
struct alignas(64) bin_factor_block {
  std::uint16_t of_lower[word_bits];
  std::uint16_t of_upper[word_bits];
  std::uint32_t of_both[word_bits];  // of_lower in the lower half, of_upper in the upper half
};

template <std::size_t Bins>
inline constexpr auto factors_of_bins = [] {
  std::array<bin_factor_block, words_for(Bins)> result{};
  for (std::size_t bin = 0; bin < word_bits * result.size(); ++bin) {
    const bin_factors factors = factors_of_bin(bin);
    bin_factor_block& block = result[bin / word_bits];
    block.of_lower[bin % word_bits] = factors.of_lower;
    block.of_upper[bin % word_bits] = factors.of_upper;
    block.of_both[bin % word_bits] = factors.of_lower | std::uint32_t{factors.of_upper} << 16;
  }
  return result;
}();

/// The bit of a bin in the min-wise code is the highest bit of (content * bit_multiplier).
inline constexpr std::uint32_t bit_multiplier = 0x9e3779b1U;

/// Returns the content of an empty bin that is filled with `product`. The function is monotonic: a smaller signed
/// product gives a smaller content.
constexpr std::uint32_t filled_with(std::int16_t product) noexcept {
  return filled_bin | (static_cast<std::uint16_t>(product) ^ 0x8000U);
}

// ---- words of 64 bins -----------------------------------------------------------------------------------------------
// Hashes choose bins. A bin is open if no hash chose the bin. Open bins are filled with products. Then each bin gives a
// bit of the min-wise code. A set of few hashes leaves most bins open. So products are computed for all 64 bins, in the
// loop in which hashes choose bins; products and choices use different units of the processor. A larger set leaves few
// bins open. So products are computed afterwards, for the open bins only.

/// The two values that the hash of a token determines: its bin, and the number that competes for the minimum of the
/// bin.
struct bin_choice {
  std::uint64_t bin;
  std::uint32_t number;

  // A mask is used instead of a second shift, because processors do fewer shifts than logical operations per cycle.
  NEARDUP_ALWAYS_INLINE bin_choice(std::uint64_t hash, std::uint64_t bins) noexcept {
    const std::uint64_t half = static_cast<std::uint32_t>(hash) * (bins / 2);
    bin = half >> 31;
    number = static_cast<std::uint32_t>(half) & 0x7fffffffU;
  }
};

/// Returns the product of a hash for an empty bin: lower * of_lower + upper * of_upper mod 2^16. `lower` and `upper`
/// are the two halves of the lowest 32 bits of the hash. The bin is filled with the least product of all hashes.
NEARDUP_ALWAYS_INLINE std::int16_t bin_product(std::uint64_t hash, std::uint16_t of_lower,
                                               std::uint16_t of_upper) noexcept {
  const auto lower = static_cast<std::uint16_t>(hash);
  const auto upper = static_cast<std::uint16_t>(hash >> 16);
  return static_cast<std::int16_t>(std::uint32_t{lower} * of_lower + std::uint32_t{upper} * of_upper);
}

/// Fills each of 64 bins in `minima` with its product in `products`. A bin that a hash chose keeps its number, which is
/// smaller than any filled content.
NEARDUP_ALWAYS_INLINE void take_products(std::uint32_t* minima, const std::int16_t* products) noexcept {
  for (std::size_t i = 0; i < word_bits; ++i) minima[i] = (std::min)(minima[i], filled_with(products[i]));
}

}  // namespace neardup::inline v0::detail

#define NEARDUP_KERNEL "../fingerprint/kernels/bin_minima.inl"
#include "../../simd/for_each_form.hpp"

namespace neardup::inline v0::detail {

/// The minima of a set of hashes, one per bin. The order of the hashes does not matter, nor do repetitions.
template <std::size_t Bins>
class bin_minima {
 public:
  bin_minima() noexcept { clear(); }

  void clear() noexcept { std::fill_n(minima_.begin(), Bins, empty_bin); }

  [[nodiscard]] bool empty() const noexcept { return minima_[0] == empty_bin; }

  /// Adds hashes, at most max_added_hashes.
  void add(const std::uint64_t* hashes, std::size_t n) noexcept {
    if (n == 0) return;
    choose_form(active_instruction_set(), [&](auto form) {
      decltype(bin_kernels_of(form))::add(minima_.data(), Bins, factors_of_bins<Bins>.data(), hashes, n);
    });
  }

  /// Merges the minima of another set. The result is the minima of the union of the two sets.
  void merge(const bin_minima& other) noexcept {
    for (std::size_t bin = 0; bin < Bins; ++bin) minima_[bin] = (std::min)(minima_[bin], other.minima_[bin]);
  }

  /// Returns the min-wise code of the set, or nullopt if the set is empty.
  [[nodiscard]] std::optional<minwise<Bins>> code() const noexcept {
    if (empty()) return std::nullopt;
    return minwise<Bins>(bits());
  }

  friend bool operator==(const bin_minima&, const bin_minima&) noexcept = default;

 private:
  static constexpr std::size_t words = words_for(Bins);

  [[nodiscard]] std::array<std::uint64_t, words> bits() const noexcept {
    std::array<std::uint64_t, words> result;
    for (std::size_t j = 0; j < words; ++j) {
      result[j] = choose_form(active_instruction_set(), [&](auto form) {
        return decltype(bin_kernels_of(form))::top_bits(&minima_[j * word_bits], bit_multiplier);
      });
    }
    return result;
  }

  // The elements at index `Bins` and above are 0, as if a hash had chosen these bins. So they never count as open bins.
  alignas(64) std::array<std::uint32_t, word_bits * words> minima_{};
};

}  // namespace neardup::inline v0::detail
