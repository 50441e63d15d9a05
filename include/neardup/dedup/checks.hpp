// Checks: what decides whether two documents whose fingerprints are near each other are near-duplicates.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "../error.hpp"

namespace neardup::inline v0 {

/// The least similarity of near-duplicates, unless another is given.
inline constexpr double default_similarity = 0.8;

/// By default, texts of fewer distinct tokens count as short: their fingerprints may be near each other by chance.
/// docs/decisions/0018-short-texts.md has the measurements behind it.
inline constexpr std::size_t default_min_tokens = 8;

/// The check that accepts every candidate: fingerprints alone decide. Leave out short texts then (see
/// default_min_tokens).
struct no_check {
  template <class... Names>
  constexpr bool operator()(const Names&...) const noexcept {
    return true;
  }
};

/// What a check says: whether it accepts, and the similarity if it gives one.
struct check_result {
  bool accepts;
  std::optional<double> similarity;
};

/// A check of two documents that are named by an A and a B: `check(a, b)`, const, gives a bool, whether they are
/// near-duplicates; or a number that is not NaN, their similarity, and then the least similarity in the options
/// decides; or a check_result, where it is chosen when the program runs which of the two it is.
///
/// Who asks, and for what:
/// - group calls `check(i, j)` for positions of fingerprints, from several threads at once. The answer has to be the
///   same each time, also for (j, i).
/// - A deduplicator calls `check(id, text)` for the id of a kept document, whose text the check finds itself, and a new
///   text.
/// - find_original calls `check(id)` for the id of a stored document; the check knows the new one.
///
/// A deduplicator takes a feature_extractor, too: the check is the Jaccard similarity of its features then, which are
/// kept. What a check throws ends the call and passes through.
template <class T, class... Names>
concept check_of = requires(const T& check, const Names&... names) {
  requires std::convertible_to<decltype(check(names...)), double> ||
      std::same_as<std::remove_cvref_t<decltype(check(names...))>, check_result>;
};

namespace detail {

/// Reads what a check gave, a bool or a number. Throws: std::invalid_argument if it is NaN.
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

}  // namespace neardup::inline v0
