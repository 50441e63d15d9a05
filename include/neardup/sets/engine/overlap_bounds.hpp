// How many elements two sets must have in common to be similar enough, and which sizes are out of the question.
//
// All bounds of a join come from the one floating-point comparison that decides about a pair in the end. So none of
// them is stricter than that, however a threshold is rounded.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "../../error.hpp"
#include "../set_similarity.hpp"
#include "common_elements.hpp"

namespace neardup::inline v0::detail {

/// The bounds of a similarity of at least `threshold`, with at least `min_common` common elements.
class overlap_bounds {
 public:
  /// Throws: std::invalid_argument if the threshold is not above 0.
  /// `min_common`: 0 for what suits the measure.
  overlap_bounds(set_similarity by, double threshold, std::size_t min_common = 0)
      : by_(by), threshold_(threshold), min_common_(min_common) {
    if (min_common == 0) min_common_ = by == set_similarity::containment ? default_min_contained : 1;
    if (!(threshold > 0)) fail<std::invalid_argument>("the least similarity of sets is not a number above 0");
  }

  /// The similarity of sets of `a` and `b` elements, neither empty, of which `common` are in both.
  [[nodiscard]] double similarity(std::size_t a, std::size_t b, std::size_t common) const noexcept {
    if (by_ == set_similarity::jaccard) return jaccard_of_sizes(a, b, common);
    if (by_ == set_similarity::containment) return static_cast<double>(common) / static_cast<double>((std::min)(a, b));
    const double product = static_cast<double>(a) * static_cast<double>(b);
    return (std::min)(1.0, static_cast<double>(common) / std::sqrt(product));
  }

  /// The least number of common elements that suffices for sets of `a` and `b`; more than either has if none does.
  [[nodiscard]] std::size_t least(std::size_t a, std::size_t b) const noexcept {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    double estimate = threshold_ * (std::min)(x, y);
    if (by_ == set_similarity::jaccard) estimate = threshold_ / (1 + threshold_) * (x + y);
    if (by_ == set_similarity::cosine) estimate = threshold_ * std::sqrt(x * y);
    const std::size_t common =
        first_from(estimate, (std::min)(a, b), [&](std::size_t n) { return similarity(a, b, n) >= threshold_; });
    return (std::max)(common, min_common_);
  }

  /// The least size of a set, at most `size`, that can be similar enough to one of `size`; more than that if none can.
  /// It is also the least number of elements in common with a set of any size: what a smaller set lacks in size, a
  /// larger one adds to what differs, or does not matter.
  [[nodiscard]] std::size_t least_partner(std::size_t size) const noexcept {
    const auto n = static_cast<double>(size);
    double estimate = threshold_ * n;
    if (by_ == set_similarity::cosine) estimate = threshold_ * threshold_ * n;
    if (by_ == set_similarity::containment) estimate = 1;
    const std::size_t partner =
        first_from(estimate, size, [&](std::size_t m) { return similarity(size, m, m) >= threshold_; });
    return (std::max)(partner, min_common_);
  }

  /// The least number of common elements that suffices for any sets.
  [[nodiscard]] std::size_t min_common() const noexcept { return min_common_; }

  /// How many of the first elements of a set, in an order of all elements, have one in common with each set that is
  /// similar enough.
  [[nodiscard]] std::size_t prefix(std::size_t size) const noexcept { return prefix_for(size, least_partner(size)); }

  /// The same where the other set has at least as many elements.
  [[nodiscard]] std::size_t short_prefix(std::size_t size) const noexcept {
    return prefix_for(size, least(size, size));
  }

  /// Whether the smaller set may be of any size, so that all elements of the larger one have to be looked up. Then the
  /// least number of common elements depends on the smaller one alone.
  [[nodiscard]] bool looks_up_all() const noexcept { return by_ == set_similarity::containment; }

  /// Whether most_differing() is a bound: where the smaller set may be of any size, there is none.
  [[nodiscard]] bool bounds_differences() const noexcept { return by_ != set_similarity::containment; }

  /// At least the number of elements of two similar sets that only one of them has, where neither set has more than
  /// `size` elements. With x <= y <= size and c in common, it is x + y - 2c, and most where x = y = size.
  /// Precondition: bounds_differences().
  [[nodiscard]] std::size_t most_differing(std::size_t size) const noexcept {
    const double share = by_ == set_similarity::cosine ? 1 - threshold_ : (1 - threshold_) / (1 + threshold_);
    const double most = 2 * static_cast<double>(size) * share;
    constexpr double rounding = 1e-5;  // of divisions of numbers of up to 32 bits
    return most > 0 ? static_cast<std::size_t>(most + rounding) : 0;
  }

  /// How many of the first elements of a set go into postings. Where sets look up all of their elements, some more than
  /// need be: a set that has the least number in common has `least_met` of these, and few sets have by chance.
  [[nodiscard]] std::size_t indexed(std::size_t size) const noexcept {
    const std::size_t prefix = short_prefix(size);
    return looks_up_all() && prefix > 0 ? (std::min)(prefix + more_indexed, size) : prefix;
  }
  [[nodiscard]] static std::size_t least_met(std::size_t least_common) noexcept {
    return (std::min)(1 + more_indexed, least_common);
  }

 private:
  static constexpr std::size_t more_indexed = 3;

  /// The least number from 1 to `most` that suffices, looked for from an estimate on, which rounding may have put
  /// beside it; most + 1 if none does.
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
