// SPDX-License-Identifier: MIT
// Finds the pairs of documents whose sets are similar enough. The result is exact.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/equal_groups.hpp"
#include "../../detail/visits.hpp"
#include "../../index/match.hpp"
#include "../../runner.hpp"
#include "../../sets/engine/distinct_sets.hpp"
#include "../../sets/engine/overlap_bounds.hpp"
#include "../../sets/engine/set_join.hpp"
#include "../../sets/engine/set_prefixes.hpp"
#include "../../threshold.hpp"
#include "ordered_decider.hpp"

namespace neardup::inline v0::detail {

/// Joins selected documents by their sets.
template <class Feature>
class listed_sets {
 public:
  using take_type = typename matcher<std::uint32_t>::take_type;

  /// The element of rank_of for a document whose set is too small for any pair.
  static constexpr std::uint32_t no_rank = (std::numeric_limits<std::uint32_t>::max)();

  /// rank_of[document] is the rank of the document's set, or no_rank. Ranks other than no_rank differ.
  /// Precondition: all arguments outlive this object.
  listed_sets(const distinct_sets<Feature>& sets, const set_prefixes& prefixes, const overlap_bounds& bounds,
              std::span<const std::uint32_t> rank_of, const any_runner& run, const set_join_sizes& sizes)
      : sets_(sets),
        prefixes_(prefixes),
        bounds_(bounds),
        rank_of_(rank_of),
        run_(run),
        sizes_(sizes),
        position_of_(sets.size()),
        is_kept_(sets.size()) {}

  /// Returns an array of positions, indexed by rank. The document whose set has rank r is at the position
  /// positions()[r] of the list that was passed to the last find().
  [[nodiscard]] std::span<const std::uint32_t> positions() const noexcept { return position_of_; }

  /// Finds the similar pairs of a list, as matcher::find_candidates() does. closeness() gets the overlap as `known`.
  /// `classes`: classes of ranks, or nullptr; see set_join::leave_out(). `failures`: nullptr, or the limit at which the
  /// join gives up.
  /// Returns: false if the join gave up, or `take` returned false.
  bool find(std::span<const std::uint32_t> documents, std::size_t kept, const take_type& take, set_classes* classes,
            failure_limit* failures) {
    std::vector<std::uint32_t> ranks;
    ranks.reserve(documents.size());
    std::size_t kept_ranks = 0;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const std::uint32_t rank = rank_of_[documents[i]];
      if (rank == no_rank) continue;
      position_of_[rank] = static_cast<std::uint32_t>(i);
      ranks.push_back(rank);
      if (i >= kept) continue;
      is_kept_[rank] = true;
      ++kept_ranks;
    }
    if (kept != 0) leave_out_unrelated(ranks, kept_ranks);
    sort(ranks);
    set_join<Feature> join(sets_, prefixes_, bounds_, run_, sizes_);
    join.choose(ranks);
    if (kept != 0) join.join_across(is_kept_);
    if (classes != nullptr) join.leave_out(*classes);
    if (failures != nullptr) join.give_up_at(*failures);
    std::vector<std::vector<near_pair<std::uint32_t>>> found(join.parts());
    const bool is_complete = join.visit([&](std::size_t part, std::span<const similar_ranks> pairs) {
      found[part].clear();
      for (const similar_ranks& pair : pairs) {
        const std::uint32_t a = position_of_[pair.a], b = position_of_[pair.b];
        found[part].push_back({(std::min)(a, b), (std::max)(a, b), static_cast<int>(pair.common)});
      }
      return take(part, found[part]);
    });
    for (const std::uint32_t document : documents.first(kept)) {
      if (rank_of_[document] != no_rank) is_kept_[rank_of_[document]] = false;
    }
    return is_complete;
  }

 private:
  /// Sorts distinct ranks. If `ranks` has a large share of all ranks, a bitmap of the ranks is faster than comparing
  /// ranks.
  void sort(std::vector<std::uint32_t>& ranks) const {
    if (ranks.size() < sets_.size() / word_bits) {
      std::sort(ranks.begin(), ranks.end());
      return;
    }
    std::vector<std::uint64_t> is_chosen(sets_.size() / word_bits + 1);
    for (const std::uint32_t rank : ranks) is_chosen[rank / word_bits] |= std::uint64_t{1} << (rank % word_bits);
    auto to = ranks.begin();
    for (std::size_t word = 0; word < is_chosen.size(); ++word) {
      for (std::uint64_t left = is_chosen[word]; left != 0; left &= left - 1) {
        *to++ = static_cast<std::uint32_t>(word * word_bits + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }

  /// Removes from `ranks` the sets that share no prefix feature with a set of the other side. One side is the first
  /// `kept` ranks, and the other side is the rest. Nothing is removed unless one side is much smaller, because only
  /// then is reading all prefixes cheaper than joining the sets.
  void leave_out_unrelated(std::vector<std::uint32_t>& ranks, std::size_t kept) const {
    constexpr std::size_t much = 4;
    const std::span<const std::uint32_t> all(ranks), first = all.first(kept), second = all.subspan(kept);
    const bool is_first_small = first.size() < second.size() / much;
    if (bounds_.looks_up_all() || (!is_first_small && second.size() >= first.size() / much)) return;
    const std::span<const std::uint32_t> few = is_first_small ? first : second, many = is_first_small ? second : first;
    std::size_t tokens = 0;
    for (const std::uint32_t rank : few) tokens += prefixes_[sets_.first_of(rank)].tokens.size();
    const int bits = bit_width(tokens) + 3;
    std::vector<bool> occurs(std::size_t{1} << bits);
    const auto number = [bits](std::uint32_t token) { return to_size(mix(token + golden_ratio) >> (64 - bits)); };
    for (const std::uint32_t rank : few) {
      for (const std::uint32_t token : prefixes_[sets_.first_of(rank)].tokens) occurs[number(token)] = true;
    }
    std::vector<std::uint32_t> left(few.begin(), few.end());
    std::copy_if(many.begin(), many.end(), std::back_inserter(left), [&](std::uint32_t rank) {
      const std::span<const std::uint32_t> prefix = prefixes_[sets_.first_of(rank)].tokens;
      return std::any_of(prefix.begin(), prefix.end(), [&](std::uint32_t token) { return occurs[number(token)]; });
    });
    ranks.swap(left);
  }

  const distinct_sets<Feature>& sets_;
  const set_prefixes& prefixes_;
  const overlap_bounds& bounds_;
  std::span<const std::uint32_t> rank_of_;
  any_runner run_;
  set_join_sizes sizes_;
  std::vector<std::uint32_t> position_of_;  // position_of_[rank]: position in the list
  std::vector<bool> is_kept_;               // indexed by rank
};

/// The sets of all documents. The number of a document is the number of its set in the source. Copies are separate
/// documents.
template <class Feature>
class document_sets {
 public:
  document_sets(const set_source<Feature>& source, const set_threshold& least, const any_runner& run)
      : bounds_(least),
        sets_(source, source.size, bounds_.min_common(), run, copies_as::others),
        prefixes_(sets_, bounds_, run, set_join_sizes{}.block),
        rank_of_(source.size, listed_sets<Feature>::no_rank),
        listed_(sets_, prefixes_, bounds_, rank_of_, run, {}) {
    for (std::size_t rank = 0; rank < sets_.size(); ++rank) {
      rank_of_[document(rank)] = static_cast<std::uint32_t>(rank);
    }
  }
  document_sets(const document_sets&) = delete;
  document_sets& operator=(const document_sets&) = delete;

  /// Returns the document whose set has this rank.
  [[nodiscard]] std::size_t document(std::size_t rank) const noexcept { return sets_.first_of(rank); }
  [[nodiscard]] listed_sets<Feature>& listed() noexcept { return listed_; }

 private:
  overlap_bounds bounds_;
  distinct_sets<Feature> sets_;
  set_prefixes prefixes_;
  std::vector<std::uint32_t> rank_of_;  // indexed by document
  listed_sets<Feature> listed_;
};

/// A matcher whose documents are distinct sets. Document d is the set that comes d-th in the order of decision, copies
/// not counted. closeness() gets the overlap of the two sets as `known`. All candidate pairs match.
template <class Feature>
class set_matcher final : public matcher<std::uint32_t> {
 public:
  /// Makes a matcher. rank_of[document] is the rank of the document among the distinct sets.
  set_matcher(const distinct_sets<Feature>& sets, const set_prefixes& prefixes, const overlap_bounds& bounds,
              std::span<const std::uint32_t> rank_of, const any_runner& run, const set_join_sizes& sizes)
      : sets_(sets),
        bounds_(bounds),
        rank_of_(rank_of),
        run_(run),
        failures_(sizes.failures),
        listed_(sets, prefixes, bounds, rank_of, run, sizes) {}

  [[nodiscard]] std::size_t parts(std::size_t documents) const override { return parts_for(run_, documents, 256); }

  [[nodiscard]] std::uint8_t enough_pairs() const override { return 16; }

  bool find_candidates(std::span<const std::uint32_t> documents, std::size_t kept, const take_type& take,
                       const left_out& left) override {
    std::optional<numbered_classes> by_rank;
    if (left.classes != nullptr) by_rank.emplace(*left.classes, listed_.positions());
    failure_limit failures = failures_.of(documents.size());
    return listed_.find(documents, kept, take, by_rank ? &*by_rank : nullptr, left.may_give_up ? &failures : nullptr);
  }

  [[nodiscard]] std::optional<double> closeness(std::uint32_t earlier, std::uint32_t later, int known,
                                                std::optional<double> /*best*/) const override {
    return bounds_.similarity(sets_.size_of(rank_of_[earlier]), sets_.size_of(rank_of_[later]),
                              static_cast<std::uint32_t>(known));
  }

  [[nodiscard]] bool has_copies(std::uint32_t document) const override {
    return sets_.copies().has_copies(sets_.first_of(rank_of_[document]));
  }

 private:
  const distinct_sets<Feature>& sets_;
  const overlap_bounds& bounds_;
  std::span<const std::uint32_t> rank_of_;
  any_runner run_;
  failure_limits failures_;
  listed_sets<Feature> listed_;
};

}  // namespace neardup::inline v0::detail
