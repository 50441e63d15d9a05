// What a min-wise code is made of: the minima of a set, which merge.
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

/// A set of features as far as its min-wise code needs it: 4 bytes for each bit, whatever the size of the set.
///
/// Only the lowest 32 bits of a feature count, as in feature_extractor: the set of features that a check compares has the
/// code of its text. Adding a feature again changes nothing, nor does the order.
/// Example: `minwise_sketch<64> all = hash.sketch(title);  all.merge(hash.sketch(body));  auto code = all.result();`
template <std::size_t Bits>
class minwise_sketch {
 public:
  static constexpr std::size_t bits = Bits;

  /// Adds the hash of a token, word 0 of it.
  void add(std::uint64_t hash) noexcept { minima_.add(&hash, 1); }

  /// Adds hashes of tokens, or features as feature_extractor gives them.
  /// Complexity: linear; faster the more features come at a time.
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

  /// Makes this the sketch of the union of both sets, exactly.
  void merge(const minwise_sketch& other) noexcept { minima_.merge(other.minima_); }

  /// Whether there is no feature.
  [[nodiscard]] bool empty() const noexcept { return minima_.empty(); }

  /// Forgets all features.
  void clear() noexcept { minima_.clear(); }

  /// The code of the set; nothing if it is empty.
  [[nodiscard]] std::optional<minwise<Bits>> result() const noexcept { return minima_.code(); }

  friend bool operator==(const minwise_sketch&, const minwise_sketch&) noexcept = default;

 private:
  template <class Tokenizer, class Hasher, std::size_t Width>
  friend class minwise_hasher;

  detail::bin_minima<Bits> minima_;
};

}  // namespace neardup::inline v0
