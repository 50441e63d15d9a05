// Finds exactly the sampled sets that are similar to a given set. An inverted index has the rarest elements of the
// sampled sets.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <neardup/sets/feature_counts.hpp>
#include <neardup/sets/similarity.hpp>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace command {

/// The distinct features of a text, as hashes in ascending order.
using hash_set = std::vector<std::uint64_t>;

/// Sampled sets of hashes. Any number of other sets can be compared with the sampled sets.
///
/// Prefix filter, for the sampled sets only: a set that is similar to a sampled set of n elements has at least c(n) of
/// these elements. So it has at least one of any n - c(n) + 1 of them. The rarest n - c(n) + 1 elements of each sampled
/// set are indexed, by the upper halves of their hashes.
class sample_join {
 public:
  sample_join() = default;

  /// Indexes the rarest elements of the sampled sets.
  /// Precondition: 0 < threshold <= 1; the elements of each set ascend.
  sample_join(std::vector<hash_set> sets, double threshold) : sets_(std::move(sets)), threshold_(threshold) {
    std::size_t elements = 0;
    high_.resize(sets_.size());
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      elements += sets_[i].size();
      take_high(sets_[i], high_[i]);
    }
    neardup::feature_counts<> counts(8 * elements);  // large enough that few elements share a count
    for (const hash_set& set : sets_) counts.add(set);
    const neardup::set_bounds bounds(neardup::jaccard{threshold});
    std::vector<std::uint16_t> frequencies;
    std::vector<std::pair<std::uint16_t, std::uint32_t>> rarest;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const hash_set& set = sets_[i];
      if (set.empty()) continue;
      frequencies.resize(set.size());
      counts.look_up(set, frequencies);
      rarest.clear();
      for (std::size_t e = 0; e < set.size(); ++e) rarest.emplace_back(frequencies[e], high_half(set[e]));
      const std::size_t indexed = set.size() - bounds.least_partner(set.size()) + 1;
      std::nth_element(rarest.begin(), rarest.begin() + static_cast<std::ptrdiff_t>(indexed - 1), rarest.end());
      rarest.resize(indexed);
      for (const auto& [frequency, half] : rarest) sets_with_[half].push_back(static_cast<std::uint32_t>(i));
    }
    seen_bits_ = std::min(static_cast<int>(std::bit_width(sets_with_.size() | 1)) + 4, 32);
    is_seen_.assign(std::size_t{1} << seen_bits_, false);
    for (const auto& [half, with] : sets_with_) is_seen_[half >> (32 - seen_bits_)] = true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return sets_.size(); }
  [[nodiscard]] const hash_set& operator[](std::size_t i) const { return sets_[i]; }

  /// Removes each set i unless is_kept[i]. The kept sets are numbered from 0 on, in the same order. The indexed
  /// elements of a kept set stay the same.
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
    for (auto& [half, with] : sets_with_) {
      std::erase_if(with, [&](std::uint32_t i) { return !is_kept[i]; });
      for (std::uint32_t& i : with) i = number[i];
    }
  }

  /// Calls `visit(i)` for each indexed element of set i that is in `hashes`. So there are one or more calls for each
  /// set that find() would compare with `hashes`.
  /// Returns: the number of calls of `visit`.
  template <class Visit>
  std::size_t visit_postings(std::span<const std::uint64_t> hashes, const Visit& visit) const {
    std::size_t calls = 0;
    for (const std::uint64_t hash : hashes) {
      const std::uint32_t half = high_half(hash);
      if (!is_seen_[half >> (32 - seen_bits_)]) continue;
      const auto found = sets_with_.find(half);
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

  /// Calls `visit(i, similarity)` for each sampled set i whose similarity to `hashes` is at least the threshold, in
  /// ascending order of i.
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
      const std::optional<double> similarity = neardup::jaccard_at_least(sets_[i], hashes, threshold_);
      if (similarity) visit(std::size_t{i}, *similarity);
    }
  }

 private:
  static std::uint32_t high_half(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }

  /// Sets `high` to the distinct upper halves of `hashes`, in ascending order. Precondition: `hashes` ascend.
  static void take_high(std::span<const std::uint64_t> hashes, std::vector<std::uint32_t>& high) {
    high.clear();
    for (const std::uint64_t hash : hashes) {
      if (high.empty() || high.back() != high_half(hash)) high.push_back(high_half(hash));
    }
  }

  /// Returns false if the upper halves show that set i is not similar to a set of `size` hashes with the halves `high`.
  /// Comparing upper halves, 8 at a time with AVX2, takes a third of the time of comparing hashes. If the hashes of
  /// each set have distinct upper halves, the sets of halves are at least as similar as the sets of hashes.
  [[nodiscard]] bool may_be_similar(std::uint32_t i, std::size_t size, const std::vector<std::uint32_t>& high) const {
    if (high_[i].size() != sets_[i].size() || high.size() != size) return true;
    return neardup::jaccard_at_least(high_[i], high, threshold_).has_value();
  }

  std::vector<hash_set> sets_;
  std::vector<std::vector<std::uint32_t>> high_;  // the upper halves of the hashes of each set
  double threshold_ = 1;
  // Several upper halves share a bit of is_seen_. The bit is set if one of these halves is indexed. Most bits are 0, so
  // most elements of other sets are not looked up in sets_with_.
  int seen_bits_ = 1;
  std::vector<bool> is_seen_ = std::vector<bool>(2);
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> sets_with_;  // key: upper half of an indexed hash
};

}  // namespace command
