// SPDX-License-Identifier: MIT
// The rule that decides which documents are kept, and which kept document is the original of a dropped document. Also
// the options of functions that apply the rule to a whole corpus.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "../ids.hpp"
#include "../runner.hpp"
#include "checks.hpp"

namespace neardup::inline v0 {

/// Returns the closeness of two documents that a check accepts: the similarity that the check returns. If the check
/// returns no similarity, as no_check does, the closeness is minus the distance of the fingerprints in bits.
/// Precondition: there is a similarity or a distance.
[[nodiscard]] constexpr double closeness_of(const check_result& found, std::optional<int> distance) noexcept {
  return found.similarity ? *found.similarity : -static_cast<double>(*distance);
}

/// The decision about a document.
template <class Id>
struct verdict {
  std::optional<Id> original;        ///< the kept document that the text duplicates; nullopt if it is new
  std::optional<int> distance;       ///< between the two fingerprints, in bits; nullopt if none are compared
  std::optional<double> similarity;  ///< from the check; nullopt if it computes none
  /// False if the document has nothing to compare: no features, or, if fingerprints are compared, no fingerprint. See
  /// description.
  bool is_comparable = true;

  [[nodiscard]] bool is_new() const noexcept { return !original.has_value(); }

  friend bool operator==(const verdict&, const verdict&) = default;
};

namespace detail {

/// The rank of a kept document among the possible originals of a document.
/// `Age`: see original_choice.
template <class Age>
struct original_rank {
  double closeness;  ///< see closeness_of; larger is closer
  Age age;           ///< age of the kept document

  /// Returns true if this original is preferred to another original of the same document.
  [[nodiscard]] constexpr bool is_better_than(const original_rank& other) const {
    return closeness != other.closeness ? closeness > other.closeness : age < other.age;
  }

  friend constexpr bool operator==(const original_rank&, const original_rank&) = default;
};

}  // namespace detail

/// Chooses the original of a document among the kept documents that match it, which may come in any order.
///
/// The rule: a document is kept unless a document kept before it matches it. Otherwise its original is the closest of
/// the documents that were kept before and match it; of equally close documents, the earliest. All decisions rank
/// originals by this class, document by document and for a whole corpus.
///
/// `Age` is a position in the order of decision, lower for earlier documents: known documents first, then by
/// preference, then by position or serial number. An id is not an age, because ids do not show which document came
/// first.
template <class Id, class Age>
class original_choice {
 public:
  /// Considers a kept document, given the result of a check, and the distance of its fingerprint if fingerprints are
  /// compared.
  /// Precondition: there is a similarity or a distance.
  void consider(id_argument<Id> id, const Age& age, std::optional<int> distance, const check_result& found) {
    if (!found.accepts) return;
    const detail::original_rank<Age> rank{closeness_of(found, distance), age};
    if (best_ && !rank.is_better_than(*best_)) return;
    best_ = rank;
    verdict_.original = id;
    verdict_.distance = distance;
    verdict_.similarity = found.similarity;
  }

  /// Returns true if the check has accepted a document without giving a similarity. No further document can then be
  /// preferred.
  /// Precondition: consider() is called in the order of (distance, age).
  [[nodiscard]] bool is_final() const noexcept { return best_.has_value() && !verdict_.similarity; }
  [[nodiscard]] const verdict<Id>& result() const noexcept { return verdict_; }

 private:
  std::optional<detail::original_rank<Age>> best_;
  verdict<Id> verdict_;
};

/// The kind of groups. Two documents *match* if their fingerprints differ in at most k bits and the check accepts them.
enum class grouping {
  /// Documents are taken in the order of preference. A document belongs to the closest earlier representative that it
  /// matches; of equally close representatives, to the first (see original_choice). A document that matches no
  /// representative becomes a representative. So every member matches its representative, and no two representatives
  /// match.
  representatives,
  /// Connected components: a group consists of the documents that chains of matches connect. Two documents that match
  /// are always in one group, but a chain may connect texts that have little in common.
  components,
};

/// Options of group() and extend_groups().
struct group_options {
  grouping by = grouping::representatives;

  /// A score for each document. Documents with higher scores are preferred: they come first. Documents with equal
  /// scores keep the order of their positions. If empty, all documents have the order of their positions. To prefer
  /// long documents: `.preference = lengths`.
  std::span<const double> preference = {};

  /// True if documents passed to extend_groups may also represent each other. Use false if the two calls are for two
  /// corpora, and only matches between the corpora are of interest.
  bool among_themselves = true;

  /// True if labels name originals. With false, the call only decides which documents are kept, in less time. The label
  /// of every other document is then a position that is not its own.
  bool originals = true;

  /// Spreads the work over threads: `threads{8}`, or a runner of yours. Does not change the result.
  any_runner run = {};
};

namespace detail {

/// Late matches of dropped documents that have copies: matches with documents that were kept after the document. A
/// later copy of the document may have another original than the document, because a document kept between the two may
/// be closer.
template <class Number>
class late_matches {
 public:
  void add(Number document, Number kept, double closeness) {
    matches_.push_back({document, kept, closeness});
    is_sorted_ = false;
  }

  /// Replaces `best` by a better match of `document`, among the documents that were kept before a copy of it:
  /// is_before(kept).
  /// Precondition: documents ascend from call to call, and so do the copies of one document; no match is added after
  /// the first call.
  template <class IsBefore>
  void improve(original_rank<Number>& best, Number document, const IsBefore& is_before) {
    if (!is_sorted_) {
      std::sort(matches_.begin(), matches_.end(), [](const match& a, const match& b) {
        return a.document != b.document ? a.document < b.document : a.kept < b.kept;
      });
      is_sorted_ = true;
    }
    while (next_ != matches_.size() && matches_[next_].document < document) ++next_;
    for (; next_ != matches_.size() && matches_[next_].document == document && is_before(matches_[next_].kept);
         ++next_) {
      const original_rank<Number> rank{matches_[next_].closeness, matches_[next_].kept};
      if (rank.is_better_than(best)) best = rank;
    }
  }

 private:
  struct match {
    Number document, kept;
    double closeness;
  };
  std::vector<match> matches_;
  bool is_sorted_ = true;
  std::size_t next_ = 0;
};

}  // namespace detail

}  // namespace neardup::inline v0
