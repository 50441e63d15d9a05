// SPDX-License-Identifier: MIT
// Finds exactly the sampled sets that are similar to a given set, by an inverted index of their rarest elements.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../../index/fingerprint_range.hpp"
#include "../../../sets/engine/common_elements.hpp"
#include "../../../sets/engine/overlap_bounds.hpp"
#include "../../../sets/engine/rare_first.hpp"
#include "../../../sets/similarity.hpp"

namespace neardup::inline v0::detail {

/// The distinct features of a text as their hashes, ascending.
using hash_set = std::vector<std::uint64_t>;

/// Sampled sets of hashes. Any number of other sets are compared with them, one after the other.
///
/// This class applies the prefix filter of feature_join.hpp on one side only: among any overlap_bounds::prefix()
/// elements of a sampled set, a set that is similar enough contains at least one. The rarest elements are indexed, by
/// their tokens.
class sample_join {
 public:
  sample_join() = default;

  /// Precondition: 0 < threshold <= 1; the sets are ascending.
  sample_join(std::vector<hash_set> sets, double threshold) : sets_(std::move(sets)), threshold_(threshold) {
    std::size_t elements = 0;
    high_.resize(sets_.size());
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      elements += sets_[i].size();
      take_high(sets_[i], high_[i]);
    }
    token_counts counts(4 * elements);  // large enough that few tokens share a count
    for (const hash_set& set : sets_) {
      for (const std::uint64_t hash : set) counts.count(feature_token(hash), false);
    }
    const overlap_bounds bounds(jaccard{threshold});
    prefix_finder finder;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const std::size_t indexed = bounds.prefix(sets_[i].size());
      if (indexed == 0) continue;
      for (const std::uint64_t key : finder.find(std::span<const std::uint64_t>(sets_[i]), indexed, counts)) {
        sets_with_[static_cast<std::uint32_t>(key)].push_back(static_cast<std::uint32_t>(i));
      }
    }
    seen_bits_ = (std::min)(static_cast<int>(std::bit_width(sets_with_.size() | 1)) + 4, 32);
    is_seen_.assign(std::size_t{1} << seen_bits_, false);
    for (const auto& [token, with] : sets_with_) is_seen_[token >> (32 - seen_bits_)] = true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return sets_.size(); }
  [[nodiscard]] const hash_set& operator[](std::size_t i) const { return sets_[i]; }

  /// Removes all sets but those with `is_kept[i]`, and numbers these from 0, in the same order. Each set that stays
  /// remains indexed by the same elements.
  void keep_only(const std::vector<bool>& is_kept) {
    std::vector<std::uint32_t> number(sets_.size());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (!is_kept[i]) continue;
      number[i] = static_cast<std::uint32_t>(kept);
      if (kept != i) {
        sets_[kept] = std::move(sets_[i]);
        high_[kept] = std::move(high_[i]);
      }
      ++kept;
    }
    sets_.resize(kept);
    high_.resize(kept);
    for (auto& [token, with] : sets_with_) {
      std::erase_if(with, [&](std::uint32_t i) { return !is_kept[i]; });
      for (std::uint32_t& i : with) i = number[i];
    }
  }

  /// Calls `visit(i)` for each indexed element of the set i that is in `hashes`: once or more for each set that find()
  /// would compare with `hashes`. Returns: the number of calls.
  template <class Visit>
  std::size_t visit_postings(std::span<const std::uint64_t> hashes, const Visit& visit) const {
    std::size_t calls = 0;
    for (const std::uint64_t hash : hashes) {
      const std::uint32_t token = feature_token(hash);
      if (!is_seen_[token >> (32 - seen_bits_)]) continue;
      const auto found = sets_with_.find(token);
      if (found == sets_with_.end()) continue;
      for (const std::uint32_t i : found->second) visit(i);
      calls += found->second.size();
    }
    return calls;
  }

  /// Scratch memory of find(). Each thread needs its own object.
  struct workspace {
    std::vector<std::uint32_t> candidates, high;
  };

  /// Calls `visit(i, similarity)` for each sampled set i that is similar enough to the set `hashes`, in ascending
  /// order.
  /// Precondition: `hashes` ascend.
  template <class Visit>
  void find(std::span<const std::uint64_t> hashes, workspace& memory, const Visit& visit) const {
    std::vector<std::uint32_t>& candidates = memory.candidates;
    candidates.clear();
    visit_postings(hashes, [&](std::uint32_t i) { candidates.push_back(i); });
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    if (!candidates.empty()) take_high(hashes, memory.high);
    for (const std::uint32_t i : candidates) {
      if (!may_be_similar(i, hashes.size(), memory.high)) continue;
      const std::optional<double> similarity = jaccard_at_least(std::span(sets_[i]), hashes, threshold_);
      if (similarity) visit(std::size_t{i}, *similarity);
    }
  }

 private:
  /// The distinct high halves of hashes that ascend, so these ascend, too.
  static void take_high(std::span<const std::uint64_t> hashes, std::vector<std::uint32_t>& high) {
    high.clear();
    for (const std::uint64_t hash : hashes) {
      const auto half = static_cast<std::uint32_t>(hash >> 32);
      if (high.empty() || high.back() != half) high.push_back(half);
    }
  }

  /// Compares the high halves, by 8 at a time where there is AVX2: a third of the time of a comparison of hashes. Each
  /// common hash has a common high half, and `shared` hashes of the set have that of another hash of the set.
  [[nodiscard]] bool may_be_similar(std::uint32_t i, std::size_t size, const std::vector<std::uint32_t>& high) const {
    const std::size_t least = min_common(sets_[i].size(), size, threshold_);
    if (least > (std::min)(sets_[i].size(), size)) return false;
    const std::size_t shared = sets_[i].size() - high_[i].size();
    if (shared >= least) return true;
    return count_common(std::span<const std::uint32_t>(high_[i]), std::span<const std::uint32_t>(high),
                        least - shared) >= least - shared;
  }

  std::vector<hash_set> sets_;
  std::vector<std::vector<std::uint32_t>> high_;  // the high halves of the hashes of each set
  double threshold_ = 1;
  // One bit for several tokens, set if one of them is indexed. Most bits are 0, so most elements of other sets need no
  // look-up.
  int seen_bits_ = 1;
  std::vector<bool> is_seen_ = std::vector<bool>(2);
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> sets_with_;  // by indexed token
};

}  // namespace neardup::inline v0::detail
