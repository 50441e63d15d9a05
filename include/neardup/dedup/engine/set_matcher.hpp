// SPDX-License-Identifier: MIT
// Finds the pairs of distinct sets that match, exactly by their similarity.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "../../runner.hpp"
#include "../../sets/engine/distinct_sets.hpp"
#include "../../sets/engine/overlap_bounds.hpp"
#include "../../sets/engine/set_join.hpp"
#include "../../sets/engine/set_prefixes.hpp"
#include "ordered_decider.hpp"

namespace neardup::inline v0::detail {

/// The documents are distinct sets, ordered by the place of the first copy of each in the order of decision. `known` of
/// a candidate is the overlap of the two sets. All candidates match.
template <class Feature>
class set_matcher final : public matcher<std::uint32_t> {
 public:
  /// rank_of[document] is its rank among the distinct sets.
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

  void find_candidates(std::span<const std::uint32_t> documents, std::size_t kept, const take_type& take) override {
    std::vector<std::uint32_t> ranks(documents.size());
    for (std::size_t i = 0; i < documents.size(); ++i) {
      ranks[i] = rank_of_[documents[i]];
      position_of_[ranks[i]] = static_cast<std::uint32_t>(i);
      if (i < kept) is_kept_[ranks[i]] = true;
    }
    std::sort(ranks.begin(), ranks.end());
    set_join<Feature> join(sets_, prefixes_, bounds_, run_, sizes_);
    join.choose(ranks);
    if (kept != 0) join.join_across(is_kept_);
    std::vector<std::vector<candidate>> found(join.parts());
    join.visit([&](std::size_t part, std::span<const similar_ranks> pairs) {
      found[part].clear();
      for (const similar_ranks& pair : pairs) {
        const std::uint32_t a = position_of_[pair.a], b = position_of_[pair.b];
        found[part].push_back({(std::min)(a, b), (std::max)(a, b), static_cast<int>(pair.common)});
      }
      return take(part, found[part]);
    });
    for (const std::uint32_t document : documents.first(kept)) is_kept_[rank_of_[document]] = false;
  }

  [[nodiscard]] std::optional<double> closeness(std::uint32_t earlier, std::uint32_t later, int known,
                                                std::optional<double> /*best*/) const override {
    return bounds_.similarity(sets_.size_of(rank_of_[earlier]), sets_.size_of(rank_of_[later]),
                              static_cast<std::uint32_t>(known));
  }

  [[nodiscard]] bool has_copies(std::uint32_t document) const override {
    return sets_.members(rank_of_[document]).size() > 1;
  }

 private:
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
