// SPDX-License-Identifier: MIT
// The source of candidates for a decider that finds them by shared rare features, and misses none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../../sets/engine/set_postings.hpp"
#include "../../threshold.hpp"

namespace neardup::inline v0::detail {

/// Candidates by shared features: every kept document with a Jaccard similarity or a cosine of at least a threshold,
/// and few others. A `Source` of a decider, like fingerprint_candidates. Complexity, memory and guarantees are those of
/// set_postings. Movable, not copyable.
class feature_candidates {
 public:
  using workspace = set_postings::workspace;

  /// Throws: std::invalid_argument unless the similarity is above 0 and at most 1. `by`: jaccard or cosine.
  /// `max_in_row`: see set_postings.
  explicit feature_candidates(double similarity, std::size_t max_in_row = 2048,
                              set_similarity by = set_similarity::jaccard)
      : postings_(overlap_bounds({by, similarity}), max_in_row) {}

  /// Returns: an empty source with the same settings.
  [[nodiscard]] feature_candidates fresh() const { return feature_candidates(postings_.fresh()); }

  /// Whether candidates are found by fingerprints; if false, by features.
  [[nodiscard]] static constexpr bool compares_fingerprints() noexcept { return false; }
  /// A batch is always searched for one document after the other. A join would need postings of the batch, which cost
  /// more than the searches: for texts of 20 words, with 400,000 kept, 3 us more a text than the 3 us of searching and
  /// keeping it.
  static constexpr bool can_join = false;

  /// Adds a document, as set_postings::insert().
  template <class Description, class FeaturesOf>
  void insert(const Description& document, std::uint32_t number, const FeaturesOf& features_of) {
    postings_.insert(features_in(document), number, features_of);
  }
  /// Learns the order from documents that will be added, as set_postings::learn_from().
  template <class FeaturesOf>
  void learn_from(std::span<const std::uint32_t> numbers, const FeaturesOf& features_of) {
    postings_.learn_from(numbers.size(), [&](std::size_t i) { return features_of(numbers[i]); });
  }
  /// Removes a document.
  template <class Description>
  void erase(const Description& /*document*/, std::uint32_t number) noexcept {
    postings_.erase(number);
  }
  /// Calls `visit(number)` once for each document that may be the original of `document`, in ascending order.
  template <class Description, class Visit>
  void for_each(const Description& document, workspace& scratch, const Visit& visit) const {
    for_each_in(postings_, features_in(document), scratch, visit);
  }

  /// No-op: memory for postings need not be reserved, because it grows without moving them.
  void reserve(std::size_t /*count*/) noexcept {}
  [[nodiscard]] double similarity() const noexcept { return postings_.bounds().threshold(); }
  [[nodiscard]] std::size_t memory_usage() const noexcept { return postings_.memory_usage(); }

 private:
  using feature_span = std::span<const std::uint32_t>;

  explicit feature_candidates(set_postings postings) : postings_(std::move(postings)) {}

  template <class Description>
  static feature_span features_in(const Description& document) noexcept {
    return feature_span(document.features);
  }
  template <class Visit>
  static void for_each_in(const set_postings& postings, feature_span features, workspace& scratch, const Visit& visit) {
    postings.for_each(features, postings.bounds(), scratch, [&](std::uint32_t number, std::size_t /*least*/) {
      visit(number);
      return true;
    });
  }

  set_postings postings_;
};

}  // namespace neardup::inline v0::detail
