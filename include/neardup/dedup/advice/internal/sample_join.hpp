// Which of some sampled sets is a further set similar to? Exact, by an inverted index of their rarest elements.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../similarity.hpp"

namespace neardup::inline v0::detail {

/// The distinct features of a text as their hashes, ascending.
using hash_set = std::vector<std::uint64_t>;

/// Some sets of hashes, which any number of others are compared with, one after the other.
///
/// A set A that has a Jaccard similarity of at least t with B shares at least ceil(t * |A|) elements with it; so of any
/// |A| - ceil(t * |A|) + 1 elements of A one at least is in B. The rarest ones are taken, and indexed.
/// Source: Chaudhuri, Ganti, Kaushik, A Primitive Operator for Similarity Joins in Data Cleaning, ICDE 2006: the prefix
/// filter, here on one side only.
class sample_join {
 public:
  sample_join() = default;

  /// Precondition: 0 < threshold <= 1; the sets are ascending.
  sample_join(std::vector<hash_set> sets, double threshold) : sets_(std::move(sets)), threshold_(threshold) {
    std::unordered_map<std::uint64_t, std::uint32_t> frequency;
    for (const hash_set& set : sets_) {
      for (const std::uint64_t hash : set) ++frequency[hash];
    }
    hash_set by_rarity;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      by_rarity = sets_[i];
      const std::size_t indexed = indexed_elements(by_rarity.size());
      std::partial_sort(by_rarity.begin(), by_rarity.begin() + static_cast<std::ptrdiff_t>(indexed), by_rarity.end(),
                        [&](std::uint64_t a, std::uint64_t b) {
                          const auto in_a = frequency.find(a)->second, in_b = frequency.find(b)->second;
                          return in_a != in_b ? in_a < in_b : a < b;
                        });
      for (std::size_t j = 0; j < indexed; ++j) sets_with_[by_rarity[j]].push_back(static_cast<std::uint32_t>(i));
    }
    seen_bits_ = static_cast<int>(std::bit_width(sets_with_.size() | 1)) + 4;
    is_seen_.assign(std::size_t{1} << seen_bits_, false);
    for (const auto& [hash, with] : sets_with_) is_seen_[hash >> (64 - seen_bits_)] = true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return sets_.size(); }
  [[nodiscard]] const hash_set& operator[](std::size_t i) const { return sets_[i]; }

  /// Memory for find(), one per thread.
  using workspace = std::vector<std::uint32_t>;

  /// Calls `visit(i, similarity)` for each set i that is similar enough to that of `hashes`, ascending.
  /// Precondition: `hashes` ascend.
  template <class Visit>
  void find(std::span<const std::uint64_t> hashes, workspace& candidates, const Visit& visit) const {
    candidates.clear();
    for (const std::uint64_t hash : hashes) {
      if (!is_seen_[hash >> (64 - seen_bits_)]) continue;
      const auto found = sets_with_.find(hash);
      if (found != sets_with_.end()) candidates.insert(candidates.end(), found->second.begin(), found->second.end());
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (const std::uint32_t i : candidates) {
      const std::optional<double> similarity = jaccard_at_least(std::span(sets_[i]), hashes, threshold_);
      if (similarity) visit(std::size_t{i}, *similarity);
    }
  }

 private:
  [[nodiscard]] std::size_t indexed_elements(std::size_t size) const {
    if (size == 0) return 0;
    // A product that rounding has put just above a whole number must not cost an element.
    const double shared = std::ceil(threshold_ * static_cast<double>(size) - 1e-6);
    return size - (std::min)(size, static_cast<std::size_t>((std::max)(shared, 1.0))) + 1;
  }

  std::vector<hash_set> sets_;
  double threshold_ = 1;
  // For some hashes each, most of them false: what is not in the index seldom gets further.
  int seen_bits_ = 1;
  std::vector<bool> is_seen_ = std::vector<bool>(2);
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> sets_with_;  // each indexed element
};

}  // namespace neardup::inline v0::detail
