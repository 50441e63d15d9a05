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

#include "../similarity.hpp"

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
    std::vector<std::pair<std::uint64_t, std::uint32_t>> entries;  // hash, set
    hash_set by_rarity;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      by_rarity = sets_[i];
      const std::size_t indexed = indexed_elements(by_rarity.size());
      std::partial_sort(by_rarity.begin(), by_rarity.begin() + static_cast<std::ptrdiff_t>(indexed), by_rarity.end(),
                        [&](std::uint64_t a, std::uint64_t b) {
                          const auto in_a = frequency.find(a)->second, in_b = frequency.find(b)->second;
                          return in_a != in_b ? in_a < in_b : a < b;
                        });
      for (std::size_t j = 0; j < indexed; ++j) entries.emplace_back(by_rarity[j], static_cast<std::uint32_t>(i));
    }
    std::sort(entries.begin(), entries.end());
    seen_bits_ = static_cast<int>(std::bit_width(entries.size() | 64)) + 4;
    seen_.assign(std::size_t{1} << (seen_bits_ - 6), 0);
    for (const auto& [hash, set] : entries) {
      if (postings_.empty() || postings_.back().hash != hash) postings_.push_back({hash, members_.size()});
      members_.push_back(set);
      seen_[seen_word(hash)] |= seen_bit(hash);
    }
    postings_.push_back({0, members_.size()});
  }

  [[nodiscard]] std::size_t size() const noexcept { return sets_.size(); }
  [[nodiscard]] const hash_set& operator[](std::size_t i) const { return sets_[i]; }

  /// Memory for find(), one per thread.
  struct workspace {
    std::vector<std::uint32_t> candidates;
    std::vector<std::uint32_t> hits;  // of each set, among its indexed elements; all 0 between two calls
  };

  /// Calls `visit(i, similarity)` for each set i that is similar enough to that of `hashes`, ascending.
  /// Precondition: `hashes` ascend.
  template <class Visit>
  void find(std::span<const std::uint64_t> hashes, workspace& memory, const Visit& visit) const {
    auto& candidates = memory.candidates;
    candidates.clear();
    memory.hits.resize(sets_.size(), 0);
    for (const std::uint64_t hash : hashes) {
      if ((seen_[seen_word(hash)] & seen_bit(hash)) == 0) continue;
      const auto end = postings_.end() - 1;
      const auto found =
          std::lower_bound(postings_.begin(), end, hash, [](const posting& p, std::uint64_t h) { return p.hash < h; });
      if (found == end || found->hash != hash) continue;
      for (std::size_t j = found->begin; j < (found + 1)->begin; ++j) {
        if (memory.hits[members_[j]]++ == 0) candidates.push_back(members_[j]);
      }
    }
    std::sort(candidates.begin(), candidates.end());
    for (const std::uint32_t i : candidates) {
      if (!can_be_similar(sets_[i].size(), hashes.size(), std::exchange(memory.hits[i], 0))) continue;
      const std::optional<double> similarity = jaccard_at_least(std::span(sets_[i]), hashes, threshold_);
      if (similarity) visit(std::size_t{i}, *similarity);
    }
  }

 private:
  struct posting {
    std::uint64_t hash;
    std::size_t begin;  // in members_; it ends where the next begins
  };

  [[nodiscard]] std::size_t indexed_elements(std::size_t size) const {
    if (size == 0) return 0;
    // A product that rounding has put just above a whole number must not cost an element.
    const double shared = std::ceil(threshold_ * static_cast<double>(size) - 1e-6);
    return size - (std::min)(size, static_cast<std::size_t>((std::max)(shared, 1.0))) + 1;
  }

  /// Whether sets of these sizes can share enough if that many of the indexed elements of the first are in the second.
  [[nodiscard]] bool can_be_similar(std::size_t size, std::size_t other, std::size_t hits) const {
    const double max_common = (std::min)(
        static_cast<double>(other), static_cast<double>(hits) + static_cast<double>(size - indexed_elements(size)));
    const double min_all = static_cast<double>(size) + static_cast<double>(other) - max_common;
    return max_common >= threshold_ * min_all - 1e-6;
  }

  // A bit for some hashes each, most of them 0: what is not in the index seldom gets further.
  [[nodiscard]] std::size_t seen_word(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(hash >> (64 - seen_bits_)) >> 6;
  }
  [[nodiscard]] std::uint64_t seen_bit(std::uint64_t hash) const noexcept {
    return std::uint64_t{1} << (hash >> (64 - seen_bits_) & 63);
  }

  std::vector<hash_set> sets_;
  double threshold_ = 1;
  int seen_bits_ = 6;
  std::vector<std::uint64_t> seen_{0};
  std::vector<posting> postings_{{0, 0}};
  std::vector<std::uint32_t> members_;
};

}  // namespace neardup::inline v0::detail
