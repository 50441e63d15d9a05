// SPDX-License-Identifier: MIT
// The rule that decides which documents are kept, and which kept document is the original of a dropped document. Also
// the options of the functions that group a whole corpus by this rule.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "../ids.hpp"
#include "../runner.hpp"
#include "checks.hpp"

namespace neardup::inline v0 {

/// Returns the closeness of two documents that a check accepts. The closeness is the similarity that the check returns.
/// If the check returns no similarity, the closeness is minus the distance of the fingerprints in bits.
/// Precondition: there is a similarity or a distance.
[[nodiscard]] constexpr double closeness_of(const check_result& found, std::optional<int> distance) noexcept {
  return found.similarity ? *found.similarity : -static_cast<double>(*distance);
}

/// The decision about a document: new, or a duplicate of an original.
template <class Id>
struct verdict {
  std::optional<Id> original;        ///< the kept document that the text duplicates; nullopt if the text is new
  std::optional<int> distance;       ///< of the two fingerprints, in bits; nullopt if fingerprints are not compared
  std::optional<double> similarity;  ///< from the check; nullopt if the check computes none
  /// False if the document has nothing to compare: no fingerprint if fingerprints are compared, otherwise no features.
  /// See description.
  bool is_comparable = true;

  [[nodiscard]] bool is_new() const noexcept { return !original.has_value(); }

  friend bool operator==(const verdict&, const verdict&) = default;
};

namespace detail {

/// The rank of a kept document among the possible originals of another document. `Age`: see original_choice.
template <class Age>
struct original_rank {
  double closeness;  ///< see closeness_of; larger is closer
  Age age;           ///< age of the kept document

  /// Returns true if this original is preferred to `other`, another possible original of the same document.
  [[nodiscard]] constexpr bool is_better_than(const original_rank& other) const {
    return closeness != other.closeness ? closeness > other.closeness : age < other.age;
  }

  friend constexpr bool operator==(const original_rank&, const original_rank&) = default;
};

}  // namespace detail

/// Chooses the original of a document among the kept documents that match the document. The kept documents may be
/// considered in any order.
///
/// The rule: a document is kept unless a document that was kept before matches it. Otherwise its original is the
/// closest of the matching documents that were kept before; of equally close documents, the earliest. This class ranks
/// originals for all functions, whether they decide about one document or a whole corpus.
///
/// `Age` is a position in the order of decision; earlier documents have lower ages. Documents that earlier calls kept
/// come first. The other documents are ordered by preference, then by position or serial number. An id cannot be an
/// age, because ids do not show which document came first.
template <class Id, class Age>
class original_choice {
 public:
  /// Considers a kept document. `found` is the result of a check. `distance` is the distance of the two fingerprints,
  /// if fingerprints are compared.
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

  /// Returns true if no further document can be preferred: the check has accepted a document, and its result has no
  /// similarity. The closeness is then the distance, which never falls.
  /// Precondition: consider() is called in the order of (distance, age).
  [[nodiscard]] bool is_final() const noexcept { return best_.has_value() && !verdict_.similarity; }
  [[nodiscard]] const verdict<Id>& result() const noexcept { return verdict_; }

 private:
  std::optional<detail::original_rank<Age>> best_;
  verdict<Id> verdict_;
};

/// The kinds of groups. Two sets or texts *match* if their similarity reaches the threshold. Two fingerprints match if
/// they differ in at most k bits and the check accepts them.
enum class grouping {
  /// Documents are decided in the order of preference. A document that matches no earlier representative becomes a
  /// representative. Any other document belongs to the closest representative that it matches; of equally close
  /// representatives, to the first (see original_choice). So every member matches its representative, and no two
  /// representatives match each other.
  representatives,
  /// Connected components: two documents are in one group if a chain of matches connects them. Two documents that match
  /// are always in one group. But a chain may connect texts that have little in common.
  components,
};

/// Options of group() and extend_groups().
struct group_options {
  grouping by = grouping::representatives;

  /// A score for each document. Documents with higher scores are preferred, and are decided first. Documents with equal
  /// scores are decided in the order of their positions, and so are all documents if `preference` is empty. To prefer
  /// long documents: `.preference = lengths`.
  std::span<const double> preference = {};

  /// True if the documents passed to extend_groups may also represent each other. Set this option to false if you want
  /// only matches between the known and the new documents, for example of two corpora.
  bool among_themselves = true;

  /// True if labels have to name originals. With false, the call takes less time, and only decides which documents are
  /// kept. The label of a dropped document is then any position that is not its own.
  bool originals = true;

  /// A number for each document. Documents with equal numbers never match. To find only copies from other sources:
  /// `.across = sources`. For extend_groups(), the numbers of the representatives come first. If `across` is empty, any
  /// two documents may match.
  std::span<const std::uint32_t> across = {};

  /// Spreads the work over threads: `threads{8}`, or a runner of your own. The runner does not change the result.
  any_runner run = {};
};

// A runner in the place of options does not compile. The message of the compiler says what to write.
template <std::integral Index = std::uint32_t, class Input, class Threshold, runner Run>
std::vector<Index> group(const Input& /*input*/, const Threshold& /*least*/, const Run& /*run*/) {
  static_assert(sizeof(Run) == 0,
                "neardup: threads are an option of group: write group(texts, jaccard{0.8}, {.run = threads{2}})");
  return {};
}

namespace detail {

/// Late matches of a dropped document that has copies: matches with documents that were kept after the dropped
/// document. Such a later match may be the original of a later copy, because the match may be closer than the original
/// of the dropped document.
template <class Number>
class late_matches {
 public:
  void add(Number document, Number kept, double closeness) {
    matches_.push_back({document, kept, closeness});
    is_sorted_ = false;
  }

  /// Replaces `best` by a better match of `document`, if there is one. A match with the document `kept` is considered
  /// only if is_before(kept) is true: `kept` precedes the copy of `document` that the caller decides about.
  /// Precondition: documents ascend from call to call, and so do the copies of one document. No match is added after
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
