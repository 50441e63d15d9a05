// SPDX-License-Identifier: MIT
// Bounds on the overlap and on the sizes of two sets that are similar enough.
//
// All bounds use the same floating-point comparison as the final check of a pair. So rounding of a threshold never
// makes a bound too strict.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "../../threshold.hpp"
#include "common_elements.hpp"

namespace neardup::inline v0::detail {

/// Bounds on the sizes and the overlap of two sets that a set_threshold accepts.
class overlap_bounds {
 public:
  /// Makes the bounds for a threshold.
  /// Throws: the exceptions of check_threshold().
  explicit overlap_bounds(const set_threshold& least)
      : by_(least.measure), threshold_(least.similarity), min_common_(least.min_common) {
    check_threshold(least);
    if (min_common_ == 0) min_common_ = by_ == set_similarity::containment ? default_min_contained : 1;
  }

  /// Returns the threshold. If its min_common was 0 (the default), the result has the number that 0 stands for.
  [[nodiscard]] set_threshold least_similar() const noexcept { return {by_, threshold_, min_common_}; }

  /// Returns the similarity of non-empty sets of `a` and `b` elements with an overlap of `common`.
  [[nodiscard]] double similarity(std::size_t a, std::size_t b, std::size_t common) const noexcept {
    if (by_ == set_similarity::jaccard) return jaccard_of_sizes(a, b, common);
    if (by_ == set_similarity::containment) return static_cast<double>(common) / static_cast<double>((std::min)(a, b));
    const double product = static_cast<double>(a) * static_cast<double>(b);
    return (std::min)(1.0, static_cast<double>(common) / std::sqrt(product));
  }

  /// Returns the least overlap that makes sets of `a` and `b` elements similar enough. If no overlap suffices, the
  /// result exceeds the smaller of `a` and `b`.
  [[nodiscard]] std::size_t least(std::size_t a, std::size_t b) const noexcept {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    double estimate = threshold_ * (std::min)(x, y);
    if (by_ == set_similarity::jaccard) estimate = threshold_ / (1 + threshold_) * (x + y);
    if (by_ == set_similarity::cosine) estimate = threshold_ * std::sqrt(x * y);
    const std::size_t common =
        first_from(estimate, (std::min)(a, b), [&](std::size_t n) { return similarity(a, b, n) >= threshold_; });
    return (std::max)(common, min_common_);
  }

  /// Returns true if two equal sets of `size` elements are similar enough.
  [[nodiscard]] bool are_copies_similar(std::size_t size) const noexcept { return least(size, size) <= size; }

  /// Returns the overlap of two sets if they are similar enough, otherwise 0.
  template <class A, class B>
  [[nodiscard]] std::size_t common_if_similar(std::span<const A> a, std::span<const B> b) const noexcept {
    const std::size_t needed = least(a.size(), b.size());
    if (needed > (std::min)(a.size(), b.size())) return 0;
    const std::size_t common = count_common(a, b, needed);
    return common < needed ? 0 : common;
  }

  /// Returns the least size m <= `size` such that a set of m elements can be similar enough to a set of `size`
  /// elements. If no such m exists, the result exceeds `size`. m is also the least overlap of a set of `size` elements
  /// with any similar set, because further elements of the other set never reduce the required overlap.
  [[nodiscard]] std::size_t least_partner(std::size_t size) const noexcept {
    const auto n = static_cast<double>(size);
    double estimate = threshold_ * n;
    if (by_ == set_similarity::cosine) estimate = threshold_ * threshold_ * n;
    if (by_ == set_similarity::containment) estimate = 1;
    const std::size_t partner =
        first_from(estimate, size, [&](std::size_t m) { return similarity(size, m, m) >= threshold_; });
    return (std::max)(partner, min_common_);
  }

  [[nodiscard]] set_similarity measure() const noexcept { return by_; }
  [[nodiscard]] double threshold() const noexcept { return threshold_; }

  /// Returns the least overlap of two similar sets, whatever their sizes.
  [[nodiscard]] std::size_t min_common() const noexcept { return min_common_; }

  /// Returns the length of the prefix of a set. A set of `size` elements shares at least one element of its prefix with
  /// every set that is similar enough. This statement is true for any order of all elements.
  [[nodiscard]] std::size_t prefix(std::size_t size) const noexcept { return prefix_for(size, least_partner(size)); }

  /// Returns the length of the shorter prefix of a set. A set of `size` elements shares at least one element of this
  /// prefix with every set that is similar enough and not smaller.
  [[nodiscard]] std::size_t short_prefix(std::size_t size) const noexcept {
    return prefix_for(size, least(size, size));
  }

  /// Returns true if a set may be similar to a smaller set of any size. Then all elements of the larger set have to be
  /// looked up, and the least overlap depends only on the size of the smaller set.
  [[nodiscard]] bool looks_up_all() const noexcept { return by_ == set_similarity::containment; }

  /// Returns true if most_differing() may be called. There is no bound if the smaller set may have any size.
  [[nodiscard]] bool bounds_differences() const noexcept { return by_ != set_similarity::containment; }

  /// Returns an upper bound of the number of elements that only one of two similar sets has. Neither set has more than
  /// `size` elements. Two sets of sizes x <= y <= size with overlap c have x + y - 2c such elements. The number is
  /// largest for x = y = size.
  /// Precondition: bounds_differences().
  [[nodiscard]] std::size_t most_differing(std::size_t size) const noexcept {
    const double share = by_ == set_similarity::cosine ? 1 - threshold_ : (1 - threshold_) / (1 + threshold_);
    const double most = 2 * static_cast<double>(size) * share;
    constexpr double rounding = 1e-5;  // rounding error of divisions of numbers of up to 32 bits
    return most > 0 ? static_cast<std::size_t>(most + rounding) : 0;
  }

  /// Returns how many elements of a set's prefix go into posting lists. If looks_up_all(), a few more elements than
  /// necessary are posted. A similar set then has at least least_met() of the posted elements. Few other sets have as
  /// many by chance.
  [[nodiscard]] std::size_t indexed(std::size_t size) const noexcept {
    const std::size_t prefix = short_prefix(size);
    return looks_up_all() && prefix > 0 ? (std::min)(prefix + more_indexed, size) : prefix;
  }
  [[nodiscard]] static std::size_t least_met(std::size_t least_common) noexcept {
    return (std::min)(1 + more_indexed, least_common);
  }

  friend bool operator==(const overlap_bounds&, const overlap_bounds&) = default;

 private:
  static constexpr std::size_t more_indexed = 3;

  /// Returns the least number n in [1, most] for which suffices(n) is true, or most + 1 if there is no such n. The
  /// search starts at `estimate`, which rounding may have made too large or too small.
  template <class Suffices>
  static std::size_t first_from(double estimate, std::size_t most, const Suffices& suffices) noexcept {
    std::size_t n = estimate < static_cast<double>(most) ? static_cast<std::size_t>(std::ceil(estimate)) : most;
    while (n > 1 && suffices(n - 1)) --n;
    while (n <= most && !suffices(n)) ++n;
    return (std::max)(n, std::size_t{1});
  }

  static std::size_t prefix_for(std::size_t size, std::size_t common) noexcept {
    return common > size ? 0 : size - common + 1;
  }

  set_similarity by_;
  double threshold_;
  std::size_t min_common_;
};

}  // namespace neardup::inline v0::detail
