// SPDX-License-Identifier: MIT
// Checks: they decide whether two candidate documents are near-duplicates.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "../error.hpp"
#include "../threshold.hpp"

namespace neardup::inline v0 {

/// The default for the least similarity of near-duplicates.
inline constexpr double default_similarity = 0.8;

/// The default of min_tokens. Texts of fewer distinct tokens are short: their fingerprints may be near each other by
/// chance. docs/decisions/0018-short-texts.md has the measurements.
inline constexpr std::size_t default_min_tokens = 8;

/// The check that accepts every candidate, so that fingerprints alone decide. Short texts should be left out then (see
/// default_min_tokens).
struct no_check {
  template <class... Names>
  constexpr bool operator()(const Names&...) const noexcept {
    return true;
  }
};

/// The result of a check: whether it accepts the pair, and the similarity if it computes one.
struct check_result {
  bool accepts;
  std::optional<double> similarity;
};

/// A check of two documents that are named by an A and a B: a const call `check(a, b)` returns either a bool, whether
/// they are near-duplicates; or a number that is not NaN, their similarity, which is compared with a least similarity; or
/// a check_result, if a run-time option decides between a bool and a similarity. at_least makes a check of a function
/// that returns numbers.
///
/// It is called:
/// - by group as `check(i, j)` with positions of fingerprints, from several threads at once. The result must be the
///   same for each call, and the same for (j, i). A number is wrapped into at_least.
/// - by a fingerprint_deduplicator as `check(id, text)` with the id of a kept document, whose text the check looks up, and
///   a new text. A number is wrapped into at_least.
///
/// An exception of a check ends the call and is passed on.
template <class T, class... Names>
concept check_of = requires(const T& check, const Names&... names) {
  requires std::convertible_to<decltype(check(names...)), double> ||
      std::same_as<std::remove_cvref_t<decltype(check(names...))>, check_result>;
};

namespace detail {

/// The features that a check compares, and the least Jaccard similarity that it accepts. `of` returns the features of a
/// document by its number, ascending and distinct.
template <class Number>
struct compared_features {
  std::function<std::span<const std::uint32_t>(Number)> of;
  double similarity = 0;

  /// Whether a join by features is possible.
  [[nodiscard]] bool suffices() const noexcept { return of && similarity > 0; }
};

/// Converts the result of a check, a bool or a number. Throws: std::invalid_argument if it is NaN.
template <class Result>
[[nodiscard]] check_result result_of_check(const Result& result, double least) {
  if constexpr (std::is_same_v<Result, bool>) {
    return {result, std::nullopt};
  } else if constexpr (std::is_same_v<Result, check_result>) {
    return result;
  } else {
    const auto similarity = static_cast<double>(result);
    if (std::isnan(similarity)) fail<std::invalid_argument>("the check of a duplicate returned NaN");
    return {similarity >= least, similarity};
  }
}

}  // namespace detail

/// A check that accepts documents with at least a similarity. The similarity is the result of a function of yours, on any
/// scale, such as 0 to 1 or 0 to 100.
/// Example: `group(fingerprints, bits{12}, at_least{0.8, [&](std::size_t i, std::size_t j) {
///             return jaccard_similarity(sets[i], sets[j]); }});`
template <class Function>
class at_least {
 public:
  /// The features of a document, by its position, as feature_extractor returns them.
  using features_type = std::function<std::span<const std::uint32_t>(std::size_t)>;

  /// `similarity` returns a number, or a check_result, which is then the result of the check.
  /// `features`: give them only if no documents with a Jaccard similarity below `least` are accepted. group() and
  /// extend_groups() of fingerprints then find candidates by shared features, if that is faster. They are called from
  /// several threads, and change no result.
  /// Throws: std::invalid_argument if `least` is NaN, or features are given and `least` is not above 0 and at most 1.
  at_least(double least, Function similarity, features_type features = {})
      : least_(least), similarity_(std::move(similarity)), features_(std::move(features)) {
    if (std::isnan(least)) detail::fail<std::invalid_argument>("at_least: the least similarity is not a number");
    if (features_) detail::check_similarity(least);
  }

  /// Throws: std::invalid_argument if the similarity is NaN.
  template <class... Names>
    requires std::invocable<const Function&, const Names&...>
  [[nodiscard]] check_result operator()(const Names&... names) const {
    return detail::result_of_check(similarity_(names...), least_);
  }

  [[nodiscard]] double least() const noexcept { return least_; }
  [[nodiscard]] const features_type& features() const noexcept { return features_; }

 private:
  double least_;
  Function similarity_;
  features_type features_;
};

}  // namespace neardup::inline v0
