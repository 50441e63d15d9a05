// SPDX-License-Identifier: MIT
// Groups documents with any matcher, and labels each document with the position of its representative.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../../detail/equal_groups.hpp"
#include "../../detail/union_find.hpp"
#include "../../error.hpp"
#include "../../ids.hpp"
#include "../rule.hpp"
#include "across_matcher.hpp"
#include "ordered_decider.hpp"

namespace neardup::inline v0::detail {

/// The order of decision, and three numberings of documents. A *position* is a number in the caller's input. A *place*
/// is a number in the order of decision. A *document* is a number for the matcher: equal texts are one document, and
/// documents are ordered by their first places. The representatives of earlier calls have the first positions; for
/// these representatives, position == place.
template <class Number>
class document_order {
 public:
  /// Makes an order of `size` positions. Each position is a document. The positions `earlier` and above are ordered by
  /// preference, then by position.
  /// Throws: std::invalid_argument if the number of preferences is wrong, or a preference is NaN.
  document_order(std::size_t size, std::size_t earlier, std::span<const double> preference)
      : size_(size), earlier_(earlier), documents_(size), known_(earlier) {
    if (preference.empty()) return;
    if (preference.size() != size - earlier) {
      fail<std::invalid_argument>({"group: ", preference.size(), " preferences for ", size - earlier, " documents"});
    }
    if (std::any_of(preference.begin(), preference.end(), [](double p) { return std::isnan(p); })) {
      fail<std::invalid_argument>("group: a preference is not a number");
    }
    sort_by(preference);
  }

  /// Orders the positions `earlier` and above by descending score. Positions with equal scores keep their order.
  /// `scores` has the scores of these positions.
  void sort_by(std::span<const double> scores) {
    at_.resize(size_);
    std::iota(at_.begin(), at_.end(), Number{0});
    std::stable_sort(at_.begin() + static_cast<std::ptrdiff_t>(earlier_), at_.end(),
                     [&](Number a, Number b) { return scores[a - earlier_] > scores[b - earlier_]; });
  }

  /// Makes one document of each group of copies, and of each position without copies. If counts(p) is false for the
  /// first position p of a group, its positions belong to no document, and each position is its own label.
  /// Precondition: `copies` are groups of positions, and outlive this object.
  template <class Counts>
  void unite(const equal_groups<Number>& copies, const Counts& counts) {
    copies_ = &copies;
    if (at_.empty()) return unite_in_order(counts);
    place_of_.resize(size_);
    for (std::size_t place = 0; place < size_; ++place) place_of_[at_[place]] = static_cast<Number>(place);
    constexpr Number none = (std::numeric_limits<Number>::max)();
    std::vector<Number> first_at(size_, none);  // first_at[place]: the document that begins at the place
    for (Number first = 0; first < size_; ++first) {
      if (copies.is_copy(first) || !counts(first)) continue;
      Number place = place_of(first);
      for (const Number copy : copies.members(first)) place = (std::min)(place, place_of(copy));
      first_at[place] = first;
    }
    for (std::size_t place = 0; place < size_; ++place) {
      if (first_at[place] == none) continue;
      places_.push_back(static_cast<Number>(place));
      first_at[places_.size() - 1] = first_at[place];
    }
    documents_ = places_.size();
    first_at.resize(documents_);
    firsts_ = std::move(first_at);
    known_ = count_below(places_, earlier_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_by_position() const noexcept { return at_.empty(); }
  [[nodiscard]] std::size_t position(std::size_t place) const noexcept {
    return at_.empty() ? place : static_cast<std::size_t>(at_[place]);
  }
  /// Returns for each document its first position.
  /// Precondition: unite() was called.
  [[nodiscard]] const std::vector<Number>& firsts() const noexcept { return firsts_; }
  /// Returns the first place of a document in the order of decision.
  [[nodiscard]] Number place(std::size_t document) const noexcept {
    if (copies_ == nullptr) return static_cast<Number>(document);
    return places_.empty() ? firsts_[document] : places_[document];
  }
  [[nodiscard]] std::size_t documents() const noexcept { return documents_; }
  /// Returns how many documents are representatives of earlier calls.
  [[nodiscard]] std::size_t known() const noexcept { return known_; }

  /// Returns labels for the positions `earlier` and above. Each position is its own label.
  template <class Index>
  [[nodiscard]] std::vector<Index> own_labels() const {
    std::vector<Index> labels(size_ - earlier_);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<Index>(earlier_ + i);
    return labels;
  }
  /// Writes the labels of a document and its copies to `labels`. representative_of(place) returns the place of the
  /// representative for the copy at `place`.
  template <class Index, class RepresentativeOf>
  void label(std::vector<Index>& labels, std::size_t document, const RepresentativeOf& representative_of) const {
    const auto set = [&](Number at) {
      labels[position(at) - earlier_] = static_cast<Index>(position(representative_of(at)));
    };
    if (copies_ == nullptr) return set(static_cast<Number>(document));
    const std::span<const Number> members = copies_->members(firsts_[document]);
    if (at_.empty() || members.size() == 1) {
      for (const Number member : members) set(place_of(member));
      return;
    }
    std::vector<Number> places(members.begin(), members.end());
    for (Number& one : places) one = place_of_[one];
    std::sort(places.begin(), places.end());
    for (const Number one : places) set(one);
  }

 private:
  [[nodiscard]] Number place_of(Number position) const noexcept {
    return place_of_.empty() ? position : place_of_[position];
  }

  /// Does the work of unite() if each place equals its position.
  template <class Counts>
  void unite_in_order(const Counts& counts) {
    firsts_.reserve(copies_->distinct());
    for (Number first = 0; first < size_; ++first) {
      if (!copies_->is_copy(first) && counts(first)) firsts_.push_back(first);
    }
    documents_ = firsts_.size();
    known_ = count_below(firsts_, earlier_);
  }
  /// Returns how many of the ascending `numbers` are below `limit`.
  [[nodiscard]] static std::size_t count_below(const std::vector<Number>& numbers, std::size_t limit) {
    return static_cast<std::size_t>(std::lower_bound(numbers.begin(), numbers.end(), limit) - numbers.begin());
  }

  std::size_t size_, earlier_, documents_, known_;
  std::vector<Number> at_, place_of_;  // position at each place, and the inverse; empty if place == position
  std::vector<Number> places_;         // first place of each document; empty if place == position
  std::vector<Number> firsts_;         // first position of each document
  const equal_groups<Number>* copies_ = nullptr;
};

/// The classes are connected components: each found pair unites the components of its two documents.
template <class Number>
class component_classes final : public set_classes {
 public:
  explicit component_classes(std::size_t documents) : components_(documents) {}
  [[nodiscard]] std::size_t of(std::size_t document) const override { return components_.find(document); }
  void add(std::size_t a, std::size_t b) override { components_.unite(a, b); }

 private:
  mutable shared_components<Number> components_;
};

/// Checks whether groups of `count` documents can be extended.
/// Throws: std::length_error if Index cannot number the documents; std::invalid_argument if `by` is
/// grouping::components.
template <class Index>
void check_extended(std::size_t count, const group_options& options) {
  check_index_type<Index>(count, "extend_groups");
  if (options.by == grouping::representatives) return;
  fail<std::invalid_argument>("extend_groups: only groups around representatives can be extended");
}

/// Returns the number in `options.across` of the document at each place, or no numbers if `options.across` is empty.
/// Throws: std::invalid_argument if the number of values is wrong.
template <class Number>
[[nodiscard]] std::vector<std::uint32_t> values_by_place(const document_order<Number>& order,
                                                         const group_options& options) {
  if (!options.across.empty() && options.across.size() != order.size()) {
    fail<std::invalid_argument>({"group: ", options.across.size(), " values for ", order.size(), " documents"});
  }
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < options.across.size(); ++i) values.push_back(options.across[order.position(i)]);
  return values;
}

/// Groups documents by the matches that `by` finds. If by.finds_more(), `by` leaves out the pairs that `options.across`
/// excludes. At most about `max_candidates` candidates are in memory.
/// Returns: the labels of all positions except the representatives of earlier calls.
template <class Index, class Number>
[[nodiscard]] std::vector<Index> label_documents(matcher<Number>& by, const document_order<Number>& order,
                                                 const group_options& options, std::size_t max_candidates) {
  const std::vector<std::uint32_t> values = values_by_place(order, options);
  // A matcher that never finds enough pairs finds components by its own check.
  const bool checks_values = by.finds_more() || (options.by == grouping::components && by.enough_pairs() == 0);
  if (!values.empty() && !checks_values) {
    std::vector<std::uint32_t> of_documents;
    for (std::size_t i = 0; i < order.documents(); ++i) of_documents.push_back(values[order.place(i)]);
    across_matcher<Number> across(by, std::move(of_documents));
    group_options rest = options;
    rest.across = {};
    return label_documents<Index, Number>(across, order, rest, max_candidates);
  }
  if (options.by == grouping::components) {
    component_classes<Number> components(order.documents());
    std::vector<Number> all(order.documents());
    std::iota(all.begin(), all.end(), Number{0});
    by.find_candidates(all, 0, [](std::size_t, auto) { return true; }, {&components});
    std::vector<Index> labels = order.template own_labels<Index>();
    for (std::size_t document = 0; document < order.documents(); ++document) {
      order.label(labels, document, [first = order.place(components.of(document))](Number) { return first; });
    }
    return labels;
  }
  ordered_decider<Number> decider(by, order.known(), order.documents(), options.originals, max_candidates, options.run);
  decider.decide(options.among_themselves);
  // The labels are allocated as late as possible, to keep the peak of memory low.
  std::vector<Index> labels = order.template own_labels<Index>();
  for (std::size_t document = order.known(); document < order.documents(); ++document) {
    if (decider.is_kept(document)) {
      if (!options.among_themselves) continue;  // not even copies are joined
      order.label(labels, document, [first = order.place(document)](Number) { return first; });
    } else if (!options.originals) {
      order.label(labels, document, [](Number) { return Number{0}; });
    } else {
      original_rank<Number> best = decider.original(document);
      order.label(labels, document, [&](Number copy) {
        decider.matches_of_copies().improve(best, static_cast<Number>(document),
                                            [&](Number kept) { return order.place(kept) < copy; });
        return order.place(best.age);
      });
    }
  }
  return labels;
}

}  // namespace neardup::inline v0::detail
