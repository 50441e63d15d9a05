// SPDX-License-Identifier: MIT
// Sketches of sets, which can be merged. A min-wise code is made from a sketch.
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

/// The min-wise sketch of a feature set. A sketch has 4 bytes per bit of the code, whatever the size of the set.
///
/// Only the lowest 32 bits of a feature are used. So the features of a text (from a feature_extractor) give the same
/// code as the text itself. The order of the features does not matter, nor do repeated features.
/// Example: `minwise_sketch<64> all = hash.sketch(title);  all.merge(hash.sketch(body));  auto code = all.result();`
template <std::size_t Bits>
class minwise_sketch {
 public:
  static constexpr std::size_t bits = Bits;

  /// Adds a token. `hash` is word 0 of the hash of the token.
  void add(std::uint64_t hash) noexcept { minima_.add(&hash, 1); }

  /// Adds hashes of tokens, or features from a feature_extractor.
  /// Complexity: linear. It is faster to add many features at a time.
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

  /// Merges another sketch. The result is the sketch of the union of the two sets.
  void merge(const minwise_sketch& other) noexcept { minima_.merge(other.minima_); }

  /// Returns true if no feature was added.
  [[nodiscard]] bool empty() const noexcept { return minima_.empty(); }

  /// Removes all features.
  void clear() noexcept { minima_.clear(); }

  /// Returns the code of the set, or nullopt if the set is empty.
  [[nodiscard]] std::optional<minwise<Bits>> result() const noexcept { return minima_.code(); }

  friend bool operator==(const minwise_sketch&, const minwise_sketch&) noexcept = default;

 private:
  template <class Tokenizer, class Hasher, std::size_t Width>
  friend class minwise_hasher;

  detail::bin_minima<Bits> minima_;
};

}  // namespace neardup::inline v0
