// SPDX-License-Identifier: MIT
// Computes the keys of rows for sets without rare features: hashes of parts of the sets (set_parts.hpp).
//
// Sizes are divided into classes. A pair belongs to the class of its larger set. So a set has keys for its own class,
// and for each class of larger sets that may be similar to it. If two similar sets of a
// class differ in at most d features, the class has d + 1 parts. So at least one part is equal in both sets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../../detail/bits.hpp"
#include "overlap_bounds.hpp"
#include "set_parts.hpp"

namespace neardup::inline v0::detail {

/// Computes the keys of small sets. The *code* of a key tells its class and its part.
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
  /// Returns about how many keys a set of `size` features has. Precondition: size <= largest().
  [[nodiscard]] std::size_t keys(std::size_t size) const noexcept { return places_[size].keys; }

  /// Calls `use(key, code)` for each key of a set. Precondition: 0 < set.size() <= largest().
  template <class Feature, class Use>
  void for_each_key(std::span<const Feature> set, part_keys& memory, const Use& use) const {
    const place& at = places_[set.size()];
    for (std::size_t number = at.own; number < (std::min)(at.end, classes_.size()); ++number) {
      const auto salt = static_cast<std::uint32_t>(mix(number + 1));
      auto code = static_cast<std::uint32_t>((number + 1) * most_features);
      for (const std::uint32_t key : memory.to_post(set, cut_of(number))) use(key ^ salt, code++);
    }
  }

  /// Returns true if the class of a code is the class of sets of `size` features.
  /// Precondition: a set of `size` features has a key with this code.
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

}  // namespace neardup::inline v0::detail
