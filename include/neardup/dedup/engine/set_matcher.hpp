// SPDX-License-Identifier: MIT
// Finds the pairs of distinct sets that match, exactly by their similarity.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/visits.hpp"
#include "../../runner.hpp"
#include "../../sets/engine/distinct_sets.hpp"
#include "../../sets/engine/overlap_bounds.hpp"
#include "../../sets/engine/set_join.hpp"
#include "../../sets/engine/set_prefixes.hpp"
#include "ordered_decider.hpp"

namespace neardup::inline v0::detail {

/// A matcher whose documents are distinct sets, ordered by the first place of each set in the order of decision.
/// `known` of a candidate is the overlap of the two sets. All candidates match.
template <class Feature>
class set_matcher final : public matcher<std::uint32_t> {
 public:
  /// Makes a matcher. rank_of[document] is the rank of the document among the distinct sets.
  set_matcher(const distinct_sets<Feature>& sets, const set_prefixes& prefixes, const overlap_bounds& bounds,
              std::span<const std::uint32_t> rank_of, const any_runner& run, const set_join_sizes& sizes)
      : sets_(sets),
        prefixes_(prefixes),
        bounds_(bounds),
        rank_of_(rank_of),
        run_(run),
        sizes_(sizes),
        position_of_(sets.size()),
        is_kept_(sets.size()) {}

  [[nodiscard]] std::size_t parts(std::size_t documents) const override { return parts_for(run_, documents, 256); }

  [[nodiscard]] std::uint8_t enough_pairs() const override { return 16; }

  bool find_candidates(std::span<const std::uint32_t> documents, std::size_t kept, const take_type& take,
                       const left_out& left) override {
    std::vector<std::uint32_t> ranks(documents.size());
    for (std::size_t i = 0; i < documents.size(); ++i) {
      ranks[i] = rank_of_[documents[i]];
      position_of_[ranks[i]] = static_cast<std::uint32_t>(i);
      if (i < kept) is_kept_[ranks[i]] = true;
    }
    if (kept != 0) leave_out_unrelated(ranks, kept);
    std::sort(ranks.begin(), ranks.end());
    set_join<Feature> join(sets_, prefixes_, bounds_, run_, sizes_);
    join.choose(ranks);
    if (kept != 0) join.join_across(is_kept_);
    std::optional<numbered_classes> by_rank;
    failure_limit failures = sizes_.failures.of(documents.size());
    if (left.classes != nullptr) join.leave_out(by_rank.emplace(*left.classes, position_of_));
    if (left.may_give_up) join.give_up_at(failures);
    std::vector<std::vector<candidate>> found(join.parts());
    const bool is_complete = join.visit([&](std::size_t part, std::span<const similar_ranks> pairs) {
      found[part].clear();
      for (const similar_ranks& pair : pairs) {
        const std::uint32_t a = position_of_[pair.a], b = position_of_[pair.b];
        found[part].push_back({(std::min)(a, b), (std::max)(a, b), static_cast<int>(pair.common)});
      }
      return take(part, found[part]);
    });
    for (const std::uint32_t document : documents.first(kept)) is_kept_[rank_of_[document]] = false;
    return is_complete;
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
  /// Removes sets that share no prefix feature with a set of the other side. It does so only if one side is much
  /// smaller: reading all prefixes then costs less than joining them. The first `kept` ranks are one side, the others
  /// the second.
  void leave_out_unrelated(std::vector<std::uint32_t>& ranks, std::size_t kept) const {
    constexpr std::size_t much = 4;
    const std::span<const std::uint32_t> all(ranks), first = all.first(kept), second = all.subspan(kept);
    const bool is_first_small = first.size() < second.size() / much;
    if (bounds_.looks_up_all() || (!is_first_small && second.size() >= first.size() / much)) return;
    const std::span<const std::uint32_t> few = is_first_small ? first : second, many = is_first_small ? second : first;
    std::size_t tokens = 0;
    for (const std::uint32_t rank : few) tokens += prefixes_[sets_.first_of(rank)].tokens.size();
    const int bits = static_cast<int>(std::bit_width(tokens)) + 3;
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
  std::vector<std::uint32_t> position_of_;  // by rank: position of a document in the join
  std::vector<bool> is_kept_;               // by rank
};

}  // namespace neardup::inline v0::detail
