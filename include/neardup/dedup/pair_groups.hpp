// SPDX-License-Identifier: MIT
// Decides from a list of matching pairs which documents are kept, and which kept document is the original of a dropped
// document.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../detail/union_find.hpp"
#include "../error.hpp"
#include "rule.hpp"

namespace neardup::inline v0 {

/// Decides about documents from pairs that another program has found and verified. Such programs are, for example,
/// joins on many machines, or a search engine. The rule is the rule of original_choice. Documents are numbered in the
/// order of decision.
/// Memory: a Number for each document, and the matches of the documents that have copies.
/// Thread safety: none.
template <std::unsigned_integral Number = std::uint64_t>
class pair_groups {
 public:
  /// Makes an object for the documents 0 to count - 1. No pair matches yet.
  explicit pair_groups(Number count) : label_(static_cast<std::size_t>(count)) {
    for (std::size_t i = 0; i < label_.size(); ++i) label_[i] = static_cast<Number>(i);
  }

  /// Declares that document `copy` equals document `of`, an earlier document that is not a copy itself. A copy has all
  /// matches of `of`, so do not add pairs of a copy.
  /// Precondition: all copies are declared before the first pair.
  /// Throws: std::invalid_argument unless of < copy < the number of documents.
  void add_copy(Number copy, Number of) {
    if (!(of < copy) || static_cast<std::size_t>(copy) >= label_.size()) {
      detail::fail<std::invalid_argument>("pair_groups: a copy stands before what it is a copy of");
    }
    copies_.emplace_back(of, copy);
    are_copies_sorted_ = false;
  }

  /// Adds a pair of documents that match. `closeness()` returns the result of closeness_of() for the pair. add() calls
  /// `closeness` at most once, and only if the decision depends on its result.
  /// Precondition: pairs are sorted by (later, earlier), and each pair is added once.
  /// Throws: std::invalid_argument unless earlier < later, if pairs are repeated or not sorted, or if a document does not
  /// exist; exceptions of closeness().
  template <class Closeness>
  void add(Number later, Number earlier, const Closeness& closeness) {
    if (!(earlier < later) || static_cast<std::size_t>(later) >= label_.size()) {
      detail::fail<std::invalid_argument>("pair_groups: a pair names its later document first");
    }
    if (last_ && std::pair(later, earlier) <= *last_) {
      detail::fail<std::invalid_argument>(
          "pair_groups: pairs come by the later document, then the earlier one, each once");
    }
    if (!last_ || last_->first != later) decide();
    last_ = {later, earlier};
    if (label_[earlier] == earlier) {
      const detail::original_rank<Number> rank{closeness(), earlier};
      if (!best_ || rank.is_better_than(*best_)) best_ = rank;
    } else if (has_copies(earlier)) {
      with_copies_.emplace_back(earlier, closeness());
    }
  }

  /// Decides about the remaining documents. The object is empty afterwards.
  /// Returns: the original of each document. A kept document is its own original.
  [[nodiscard]] std::vector<Number> finish() {
    decide();
    sort_copies();
    detail::original_rank<Number> best{};
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      const auto [of, copy] = copies_[i];
      if (i == 0 || copies_[i - 1].first != of) best = {-std::numeric_limits<double>::infinity(), of};
      matches_.improve(best, of, [&, before = copy](Number kept) { return kept < before; });
      label_[copy] = label_[of] == of ? of : best.age;
    }
    return std::exchange(label_, {});
  }

 private:
  void sort_copies() {
    if (!are_copies_sorted_) std::sort(copies_.begin(), copies_.end());
    are_copies_sorted_ = true;
  }
  [[nodiscard]] bool has_copies(Number document) {
    sort_copies();
    const auto at = std::lower_bound(copies_.begin(), copies_.end(), std::pair(document, Number{0}));
    return at != copies_.end() && at->first == document;
  }

  /// Decides about the later document of the pair last_.
  void decide() {
    if (last_) {
      const Number document = last_->first;
      if (best_) {
        label_[document] = best_->age;
        if (has_copies(document)) matches_.add(document, best_->age, best_->closeness);
      } else {
        for (const auto& [dropped, closeness] : with_copies_) matches_.add(dropped, document, closeness);
      }
    }
    best_.reset();
    with_copies_.clear();
  }

  std::vector<Number> label_;
  std::vector<std::pair<Number, Number>> copies_;  // (original of the copy, copy)
  bool are_copies_sorted_ = true;
  std::optional<std::pair<Number, Number>> last_;      // the last pair added
  std::optional<detail::original_rank<Number>> best_;  // the best original so far of the later document of last_
  // (document, closeness) of dropped documents that have copies and match the later document of last_.
  std::vector<std::pair<Number, double>> with_copies_;
  detail::late_matches<Number> matches_;
};

/// Labels the connected components of pairs. The pairs may be added in any order.
/// Memory: a Number for each document.
/// Thread safety: several threads may call add() at once.
template <std::unsigned_integral Number = std::uint64_t>
class pair_components {
 public:
  /// Makes an object for the documents 0 to count - 1. Each document is a component of its own.
  explicit pair_components(Number count) : components_(static_cast<std::size_t>(count)), count_(count) {}

  /// Adds a pair.
  /// Throws: std::invalid_argument if a document does not exist.
  void add(Number a, Number b) {
    if (a >= count_ || b >= count_) detail::fail<std::invalid_argument>("pair_components: no such document");
    components_.unite(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
  }

  /// Returns for each document the smallest document of its component.
  [[nodiscard]] std::vector<Number> finish() {
    std::vector<Number> label(static_cast<std::size_t>(count_));
    for (std::size_t i = 0; i < label.size(); ++i) label[i] = static_cast<Number>(components_.find(i));
    return label;
  }

 private:
  detail::shared_components<Number> components_;
  Number count_;
};

}  // namespace neardup::inline v0
