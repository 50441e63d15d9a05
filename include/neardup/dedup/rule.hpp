// SPDX-License-Identifier: MIT
// The rule that decides which documents are kept, and which kept document is the original of a dropped document.
#pragma once

#include <optional>

#include "checks.hpp"

namespace neardup::inline v0 {

/// The rank of a kept document as the original of a document that it matches.
///
/// The rule: a document is kept unless a document kept before it matches it. Otherwise its original is the closest of
/// the documents kept before it that match it, and the earliest among equally close ones. Everything that decides,
/// document by document or for a whole corpus, ranks originals only by this class.
///
/// `Age` is a position in the order of decision, lower for earlier documents: known documents first, then by
/// preference, then by position or serial number. An id is not an age, because ids do not tell which document came
/// first.
template <class Age>
struct original_rank {
  double closeness;  ///< see closeness_of; larger is closer
  Age age;           ///< age of the kept document

  /// Returns: whether this original is preferred to another original of the same document.
  [[nodiscard]] constexpr bool is_better_than(const original_rank& other) const {
    return closeness != other.closeness ? closeness > other.closeness : age < other.age;
  }

  friend constexpr bool operator==(const original_rank&, const original_rank&) = default;
};

/// The closeness of two documents that a check accepts: the similarity that the check returns. If it returns no
/// similarity, as no_check does, the closeness is minus the distance of the fingerprints in bits. Precondition: there
/// is a similarity or a distance.
[[nodiscard]] constexpr double closeness_of(const check_result& found, std::optional<int> distance) noexcept {
  return found.similarity ? *found.similarity : -static_cast<double>(*distance);
}

/// The decision about a document.
template <class Id>
struct verdict {
  std::optional<Id> original;        ///< the kept document that the text duplicates; nullopt if it is new
  std::optional<int> distance;       ///< between the two fingerprints, in bits; nullopt if none are compared
  std::optional<double> similarity;  ///< by the check; nullopt without one
  /// False if the document has nothing to compare: no features, or no fingerprint if fingerprints are compared (see
  /// description).
  bool is_comparable = true;

  [[nodiscard]] bool is_new() const noexcept { return !original.has_value(); }

  friend bool operator==(const verdict&, const verdict&) = default;
};

/// Finds the verdict about a document, from the kept documents that match it, given in any order.
template <class Id, class Age>
class original_choice {
 public:
  /// Considers a kept document, given the result of a check, and the distance of its fingerprint if fingerprints are
  /// compared. Precondition: that of closeness_of.
  void consider(const Id& id, const Age& age, std::optional<int> distance, const check_result& found) {
    if (!found.accepts) return;
    const original_rank<Age> rank{closeness_of(found, distance), age};
    if (best_ && !rank.is_better_than(*best_)) return;
    best_ = rank;
    verdict_.original = id;
    verdict_.distance = distance;
    verdict_.similarity = found.similarity;
  }

  /// Whether the original is final if documents are considered by distance, then age: no later one can be preferred.
  /// That is so once the check has accepted a document without giving a similarity.
  [[nodiscard]] bool is_final() const noexcept { return best_.has_value() && !verdict_.similarity; }
  [[nodiscard]] const verdict<Id>& result() const noexcept { return verdict_; }

 private:
  std::optional<original_rank<Age>> best_;
  verdict<Id> verdict_;
};

}  // namespace neardup::inline v0
