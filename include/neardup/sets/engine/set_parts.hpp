// SPDX-License-Identifier: MIT
// Finds similar sets by parts of the universe of features. Document frequencies do not matter for this search.
//
// A hash divides the universe of features into parts. Let two sets differ in at most d features. Of d + 1 parts, at
// least one is equal in the two sets. Of floor(d / 2) + 1 parts, at least one differs in at most one feature. Parts
// distinguish sets even if every feature is frequent: five of twenty features in a part can be chosen in 15,504 ways.
// Larger parts distinguish more sets, but need an additional key for each feature: the part without that feature. The
// number of parts grows with the sizes of the sets. So sizes are divided into classes. All sets of a class, and all
// sets that are compared with them, use the same number of parts.
// Source: Deng, Li, Wen and Feng, An Efficient Partition Based Method for Exact Set Similarity Joins, PVLDB 9 (4),
// 2015.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../../detail/bits.hpp"
#include "overlap_bounds.hpp"
#include "rare_first.hpp"

namespace neardup::inline v0::detail {

/// A class of set sizes, from `first` to `last`. Two similar sets of at most `last` features differ in at most
/// `differing` features.
struct size_class {
  std::size_t first, last, differing;
};

/// Returns the class of sizes that begins with `first`. The class ends at first + first / 8, or at a later size up to
/// `largest` with the same number of differing features.
/// Precondition: bounds.bounds_differences(); first <= largest.
inline size_class size_class_from(std::size_t first, std::size_t largest, const overlap_bounds& bounds) noexcept {
  size_class result{first, first + first / 8, 0};
  result.differing = bounds.most_differing(result.last);
  while (result.last < largest && bounds.most_differing(result.last + 1) == result.differing) ++result.last;
  return result;
}

/// Says how the universe of features is divided: the number of parts, and the kind of keys.
struct part_cut {
  std::size_t parts = 0;
  bool with_one_less = false;  // if true, parts that differ in one feature are found, too

  static part_cut into_equal(std::size_t differing) noexcept { return {differing + 1, false}; }
  static part_cut into_similar(std::size_t differing) noexcept { return {differing / 2 + 1, true}; }

  /// Returns the number of keys that are posted for a set of `features` features.
  [[nodiscard]] std::size_t posted(std::size_t features) const noexcept {
    return parts + (with_one_less ? features : 0);
  }
};

/// Computes the keys of sets: hashes of their parts.
class part_keys {
 public:
  /// Returns the cut.posted(set.size()) keys that are posted for a set. The span is valid until the next call.
  template <class Feature>
  std::span<const std::uint32_t> to_post(std::span<const Feature> set, part_cut cut) {
    add_up(set, cut);
    for (std::size_t part = 0; part < cut.parts; ++part) keys_.push_back(key_of(part, sums_[part]));
    if (cut.with_one_less) add_one_less(set, less);
    return keys_;
  }

  /// Returns the keys that a search looks up to find the sets similar to `set`. The span is valid until the next call.
  template <class Feature>
  std::span<const std::uint32_t> to_look_up(std::span<const Feature> set, part_cut cut) {
    add_up(set, cut);
    for (std::size_t part = 0; part < cut.parts; ++part) {
      keys_.push_back(key_of(part, sums_[part]));
      if (cut.with_one_less) keys_.push_back(key_of(part, sums_[part] + less));
    }
    if (cut.with_one_less) add_one_less(set, 0);
    return keys_;
  }

 private:
  static constexpr std::uint64_t less = 0x9fb21c651e98df25U;  // added to a posted key that lacks a feature

  template <class Feature>
  static std::uint64_t hash_of(Feature feature) noexcept {
    return mix(feature_token(feature) + golden_ratio);
  }
  /// Returns the part to which a hash belongs. Only the high half of the hash determines the part. So the low halves of
  /// the hashes of one part stay random, and so do their sums.
  [[nodiscard]] std::size_t part_of(std::uint64_t hash) const noexcept {
    return to_size((hash >> 32) * sums_.size() >> 32);
  }
  static std::uint32_t key_of(std::size_t part, std::uint64_t sum) noexcept {
    return static_cast<std::uint32_t>(mix(sum + golden_ratio * (part + 1)) >> 32);
  }

  template <class Feature>
  void add_up(std::span<const Feature> set, part_cut cut) {
    keys_.clear();
    sums_.assign(cut.parts, 0);
    for (const Feature feature : set) {
      const std::uint64_t hash = hash_of(feature);
      sums_[part_of(hash)] += hash;
    }
  }
  template <class Feature>
  void add_one_less(std::span<const Feature> set, std::uint64_t more) {
    for (const Feature feature : set) {
      const std::uint64_t hash = hash_of(feature);
      const std::size_t part = part_of(hash);
      keys_.push_back(key_of(part, sums_[part] - hash + more));
    }
  }

  std::vector<std::uint64_t> sums_;
  std::vector<std::uint32_t> keys_;
};

/// Estimated costs of the operations of a join, in nanoseconds (g++ 12, Intel Xeon of 2019). Only the ratios of the
/// costs are used.
struct set_join_costs {
  /// Returns the cost of hashing `features` features.
  [[nodiscard]] static double cut(std::size_t features) noexcept { return 2 * static_cast<double>(features); }
  /// Returns the cost of sorting `postings` postings.
  [[nodiscard]] static double sort(std::size_t postings) noexcept { return 25 * static_cast<double>(postings); }
  /// Returns the cost of looking up keys, reading their postings, and applying the bitmap filter to the candidates.
  [[nodiscard]] static double probe(double keys, double postings, double candidates) noexcept {
    return 12 * keys + 1.5 * postings + 10 * candidates;
  }
};

}  // namespace neardup::inline v0::detail
