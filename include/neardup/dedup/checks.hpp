// SPDX-License-Identifier: MIT
// A check decides whether two candidate documents are near-duplicates.
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

/// The default least similarity of near-duplicates.
inline constexpr double default_similarity = 0.8;

/// The default of min_tokens. A text with fewer distinct tokens is short: by chance, its fingerprint may be close to
/// the fingerprint of a different text. docs/decisions/0018-short-texts.md has the measurements.
inline constexpr std::size_t default_min_tokens = 8;

/// The check that accepts every candidate, so that fingerprints alone decide. If you use no_check, leave out short
/// texts (see default_min_tokens).
struct no_check {
  template <class... Names>
  constexpr bool operator()(const Names&...) const noexcept {
    return true;
  }
};

/// The result of a check: whether the check accepts the two documents, and their similarity if the check computes one.
struct check_result {
  bool accepts;
  std::optional<double> similarity;
};

/// A check of two documents: an object with a const call `check(a, b)`. `a` and `b`, of the types `Names`, name the
/// documents. The call returns one of these:
/// - a bool: true if the documents are near-duplicates;
/// - a number that is not NaN: their similarity, which is compared with a least similarity;
/// - a check_result, if the check decides at run time whether it computes a similarity.
///
/// group() calls `check(i, j)` with the positions of two fingerprints. Several threads call the check at once. The
/// result must be the same for each call, and the same for (j, i). A fingerprint_deduplicator calls `check(id, text)`
/// with the id of a kept document and a new text; the check has to look up the kept text. If your check returns
/// numbers, pass at_least{least, check} to group() or fingerprint_deduplicator.
///
/// If a check throws, the calling function ends and passes the exception on.
template <class T, class... Names>
concept check_of = requires(const T& check, const Names&... names) {
  requires std::convertible_to<decltype(check(names...)), double> ||
      std::same_as<std::remove_cvref_t<decltype(check(names...))>, check_result>;
};

namespace detail {

/// The features that a check compares, and the least Jaccard similarity that the check accepts. `of(number)` returns
/// the ascending, distinct features of a document.
template <class Number>
struct compared_features {
  std::function<std::span<const std::uint32_t>(Number)> of;
  double similarity = 0;

  /// Returns true if shared features find all candidates that the check can accept.
  [[nodiscard]] bool suffices() const noexcept { return of && similarity > 0; }
};

/// Converts the result of a check to a check_result, which accepts a number of at least `least`.
/// Throws: std::invalid_argument if the number is NaN.
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

/// A check that accepts two documents if a function of yours returns at least `least`. The function may use any scale,
/// such as 0 to 1 or 0 to 100.
/// Example: `group(fingerprints, bits{12}, at_least{0.8, [&](std::size_t i, std::size_t j) {
///             return jaccard_similarity(sets[i], sets[j]); }});`
template <class Function>
class at_least {
  static_assert(!std::is_same_v<Function, no_check>,
                "neardup: at_least takes a least similarity, and the function that computes it: at_least{0.8, check}");

 public:
  /// A function that returns the features of the document at a position, as feature_extractor computes them.
  using features_type = std::function<std::span<const std::uint32_t>(std::size_t)>;

  /// Makes a check. `similarity` returns a number, or a check_result, which the check then returns unchanged.
  /// `features`: pass this function only if your check rejects all documents with a Jaccard similarity below `least`.
  /// Then group() and extend_groups() of fingerprints may find candidates by shared features, if a search by features
  /// is faster. The results are the same. Several threads may call `features` at once.
  /// Throws: std::invalid_argument if `least` is NaN, or if `features` is given and `least` is not in (0, 1].
  at_least(double least, Function similarity, features_type features = {})
      : least_(least), similarity_(std::move(similarity)), features_(std::move(features)) {
    if (std::isnan(least)) detail::fail<std::invalid_argument>("at_least: the least similarity is not a number");
    if (features_) detail::check_similarity(least);
  }

  /// Calls the function, and compares its result with `least`.
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

// An at_least without a function does not compile. The message of the compiler says what to write.
at_least(double)->at_least<no_check>;

}  // namespace neardup::inline v0
