// SPDX-License-Identifier: MIT
// Mergeable sketches of sets: the minima from which a min-wise code is made.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "../minwise.hpp"
#include "kernels/bin_minima.hpp"

namespace neardup::inline v0 {

template <class Tokenizer, class Hasher, std::size_t Bits>
class minwise_hasher;

/// The min-wise sketch of a feature set: 4 bytes per bit of the code, whatever the size of the set.
///
/// Only the lowest 32 bits of a feature are used. So the sketch of the features of a text (from feature_extractor)
/// gives the same code as the text itself. The order of features, and repeated features, do not matter.
/// Example: `minwise_sketch<64> all = hash.sketch(title);  all.merge(hash.sketch(body));  auto code = all.result();`
template <std::size_t Bits>
class minwise_sketch {
 public:
  static constexpr std::size_t bits = Bits;

  /// Adds a token, given by word 0 of its hash.
  void add(std::uint64_t hash) noexcept { minima_.add(&hash, 1); }

  /// Adds hashes of tokens, or features of a feature_extractor.
  /// Complexity: linear; faster for more features at a time.
  template <std::unsigned_integral Feature>
    requires(sizeof(Feature) >= sizeof(std::uint32_t))
  void add(std::span<const Feature> features) noexcept {
    constexpr std::size_t step = detail::max_added_hashes;
    std::uint64_t hashes[step];
    for (std::size_t first = 0; first < features.size(); first += step) {
      const auto part = features.subspan(first, (std::min)(step, features.size() - first));
      std::copy(part.begin(), part.end(), hashes);
      minima_.add(hashes, part.size());
    }
  }

  /// Merges another sketch: the result equals the sketch of the union of both sets.
  void merge(const minwise_sketch& other) noexcept { minima_.merge(other.minima_); }

  /// Returns true if no feature was added.
  [[nodiscard]] bool empty() const noexcept { return minima_.empty(); }

  /// Removes all features.
  void clear() noexcept { minima_.clear(); }

  /// Returns the code of the set; nullopt if it is empty.
  [[nodiscard]] std::optional<minwise<Bits>> result() const noexcept { return minima_.code(); }

  friend bool operator==(const minwise_sketch&, const minwise_sketch&) noexcept = default;

 private:
  template <class Tokenizer, class Hasher, std::size_t Width>
  friend class minwise_hasher;

  detail::bin_minima<Bits> minima_;
};

}  // namespace neardup::inline v0
