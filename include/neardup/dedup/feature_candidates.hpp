// SPDX-License-Identifier: MIT
// The source of candidates for a decider that compares features. The source finds every candidate by shared rare
// features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>

#include "../error.hpp"
#include "../sets/engine/overlap_bounds.hpp"
#include "../sets/engine/set_postings.hpp"
#include "../threshold.hpp"

namespace neardup::inline v0 {

/// Finds candidates by shared features: every kept document that reaches the Jaccard similarity or cosine of a
/// threshold, and few other documents. This class is a `Source` of a decider. Programs that keep their documents
/// elsewhere can use the class directly. A document is identified by a number. A description is any type with a member
/// `features`: ascending numbers of 32 or 64 bits.
///
/// Complexity: insert() and for_each() are near-linear in the features of the document, and linear in the candidates;
/// erase() is O(1).
/// Memory: 24 bytes for each number. Of a document with n features, the n - ceil(s * n) + 1 rarest features have a
/// posting of about 15 bytes each. The document frequencies take one byte for every four features. For Jaccard, s is
/// the similarity; for cosine, s is its square.
/// Guarantee: the class is movable, not copyable.
/// Thread safety: several threads may call for_each() at once, each with its own workspace, while no thread calls other
/// members.
class feature_candidates {
 public:
  using workspace = detail::set_postings::workspace;

  /// Makes an empty source. If a feature has more than `max_in_row` postings, they are grouped by size and position.
  /// `max_in_row` changes no result.
  /// Throws: std::invalid_argument unless 0 < similarity <= 1, or if the measure is containment.
  explicit feature_candidates(const set_threshold& least, std::size_t max_in_row = 2048)
      : postings_(bounds_of(least), max_in_row) {}

  /// Returns an empty source with the same settings.
  [[nodiscard]] feature_candidates fresh() const { return feature_candidates(postings_.fresh()); }

  /// False: the decider searches for the documents of a batch one after the other. A join would first make an
  /// inverted index of the batch. With texts of 20 words and 400,000 kept documents, this index takes 3 us a text, as
  /// long as searching for the text and keeping it.
  static constexpr bool can_join = false;

  /// Adds a document. `features_of(n)` returns the features of the earlier document n, or no features if document n is
  /// no longer kept. A number may be added again: the new features replace the old features of this number.
  /// `searched`: if given, the workspace of for_each() for this document, which saves work.
  /// Precondition: since for_each(), neither the workspace nor this object was used.
  template <class Description, class FeaturesOf>
  void insert(const Description& document, std::uint32_t number, const FeaturesOf& features_of,
              const workspace* searched = nullptr) {
    postings_.insert(features_in(document), number, features_of, searched);
  }
  /// Learns from the documents that will be added which features are rare.
  /// Precondition: the source is empty.
  template <class FeaturesOf>
  void learn_from(std::span<const std::uint32_t> numbers, const FeaturesOf& features_of) {
    postings_.learn_from(numbers.size(), [&](std::size_t i) { return features_of(numbers[i]); });
  }
  template <class Description>
  void erase(const Description& /*document*/, std::uint32_t number) noexcept {
    postings_.erase(number);
  }
  /// Calls `visit(number)` once for each document that may be the original of `document`, in ascending order.
  template <class Description, class Visit>
  void for_each(const Description& document, workspace& scratch, const Visit& visit) const {
    postings_.for_each(features_in(document), postings_.bounds(), scratch,
                       [&](std::uint32_t number, std::size_t /*least*/) {
                         visit(number);
                         return true;
                       });
  }

  /// No-op: memory for postings need not be reserved, because postings do not move when the memory grows.
  void reserve(std::size_t /*count*/) noexcept {}
  [[nodiscard]] std::size_t memory_usage() const noexcept { return postings_.memory_usage(); }

 private:
  explicit feature_candidates(detail::set_postings postings) : postings_(std::move(postings)) {}

  static detail::overlap_bounds bounds_of(const set_threshold& least) {
    if (least.measure == set_similarity::containment) {
      detail::fail<std::invalid_argument>(
          "containment depends on the larger text, which may come later; group() takes all texts at once");
    }
    return detail::overlap_bounds(least);
  }
  template <class Description>
  static auto features_in(const Description& document) noexcept {
    return std::span(std::as_const(document.features));
  }

  detail::set_postings postings_;
};

}  // namespace neardup::inline v0::detail
