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

#include <algorithm>
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

/// Computes keys for the rows of small sets without rare features. A key is a hash of a part of a set. `code` is a
/// number for the size class of the key and its part.
///
/// A pair belongs to the class of its larger set. So a set has keys for its own class, and for each class of larger
/// sets that may be similar to it. If two similar sets of a class differ in at most d features, the class has d + 1
/// parts. So at least one part is equal in both sets.
class row_parts {
 public:
  row_parts() = default;

  /// Chooses largest() as great as possible so that no set with at most largest() features has more than `most_keys`
  /// keys.
  row_parts(const overlap_bounds& bounds, std::size_t most_keys) {
    if (!bounds.bounds_differences()) return;
    std::vector<size_class> all;
    for (std::size_t first = 1; first <= most_features; first = all.back().last + 1) {
      all.push_back(size_class_from(first, most_features, bounds));
    }
    std::vector<place> places(1);
    for (std::size_t own = 0; own < all.size(); ++own) {
      for (std::size_t size = all[own].first; size <= all[own].last; ++size) {
        place& at = places.emplace_back(place{own, own + 1, all[own].differing + 1});
        for (; at.end < all.size() && bounds.least_partner(all[at.end].first) <= size; ++at.end) {
          at.keys += all[at.end].differing + 1;
        }
        if (at.keys > most_keys) return;
      }
      classes_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(own + 1));
      places_ = places;
      largest_ = all[own].last;
      least_of_larger_ = bounds.least_partner(largest_ + 1);
    }
  }

  /// Returns the greatest number of features of a set that has keys, or 0 if no set has keys.
  [[nodiscard]] std::size_t largest() const noexcept { return largest_; }
  /// Returns true if a set of `size` features may be similar to a set of more than largest() features.
  [[nodiscard]] bool may_match_larger(std::size_t size) const noexcept { return size >= least_of_larger_; }
  /// Returns about how many keys a set of `size` features has.
  /// Precondition: size <= largest().
  [[nodiscard]] std::size_t keys(std::size_t size) const noexcept { return places_[size].keys; }

  /// Returns a number above every `code` that for_each_key() passes.
  [[nodiscard]] std::size_t codes() const noexcept { return (classes_.size() + 1) * most_features; }

  /// Calls `use(key, code)` for each key of a set. `key` is a hash of a part of the set. `code` is a number for the
  /// size class and the part.
  /// Precondition: 0 < set.size() <= largest().
  template <class Feature, class Use>
  void for_each_key(std::span<const Feature> set, part_keys& memory, const Use& use) const {
    const place& at = places_[set.size()];
    for (std::size_t number = at.own; number < (std::min)(at.end, classes_.size()); ++number) {
      const auto salt = static_cast<std::uint32_t>(mix(number + 1));
      auto code = static_cast<std::uint32_t>((number + 1) * most_features);
      for (const std::uint32_t key : memory.to_post(set, cut_of(number))) use(key ^ salt, code++);
    }
  }

  /// Returns true if the size class in `code` is the class of sets of `size` features.
  /// Precondition: for_each_key() passes this `code` for a set of `size` features.
  [[nodiscard]] bool is_of_class(std::size_t size, std::uint32_t code) const noexcept {
    return size >= classes_[class_of(code)].first;
  }

  /// Returns true if the two sets also have an equal key of the same class and an earlier part.
  template <class Feature>
  [[nodiscard]] bool share_earlier(std::span<const Feature> a, std::span<const Feature> b, std::uint32_t code,
                                   part_keys& of_a, part_keys& of_b) const {
    const std::size_t part = code % most_features;
    if (part == 0) return false;
    const std::span<const std::uint32_t> x = of_a.to_post(a, cut_of(class_of(code))),
                                         y = of_b.to_post(b, cut_of(class_of(code)));
    for (std::size_t i = 0; i < part; ++i) {
      if (x[i] == y[i]) return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t most_features = 1024;

  /// A set has keys for the classes [own, end).
  struct place {
    std::size_t own = 0, end = 0, keys = 0;
  };

  [[nodiscard]] static std::size_t class_of(std::uint32_t code) noexcept { return code / most_features - 1; }
  [[nodiscard]] part_cut cut_of(std::size_t number) const noexcept {
    return part_cut::into_equal(classes_[number].differing);
  }

  std::vector<size_class> classes_;
  std::vector<place> places_;  // indexed by size
  std::size_t largest_ = 0, least_of_larger_ = 0;
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
