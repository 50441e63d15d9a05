// The features of the documents that a deduplicator keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "../feature_sets.hpp"

namespace neardup::inline v0::detail {

/// The number of a kept document; numbers of erased ones are used again.
using document_slot = std::uint32_t;

/// A set of features for each slot in use.
template <class Feature>
class kept_features {
 public:
  /// Precondition: the slot is in use.
  [[nodiscard]] std::span<const Feature> operator[](document_slot slot) const noexcept { return sets_[set_of_[slot]]; }

  /// Guarantee: what throws changes nothing.
  void keep(document_slot slot, std::span<const Feature> features) {
    if (dropped_sets_ > sets_.size() / 2 || dropped_features_ > sets_.feature_count() / 2) compact();
    if (slot >= set_of_.size()) set_of_.resize(std::size_t{slot} + 1, none);
    set_of_[slot] = sets_.add(features);
  }

  /// Frees a slot; its memory is used again at some later keep().
  void drop(document_slot slot) noexcept {
    dropped_features_ += (*this)[slot].size();
    ++dropped_sets_;
    set_of_[slot] = none;
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return sets_.memory_usage() + set_of_.capacity() * sizeof(std::size_t);
  }

 private:
  static constexpr std::size_t none = (std::numeric_limits<std::size_t>::max)();

  void compact() {
    feature_sets<Feature> kept;
    kept.reserve(sets_.size() - dropped_sets_, sets_.feature_count() - dropped_features_);
    // Everything has its room, so from here on nothing throws.
    for (std::size_t& set : set_of_) {
      if (set != none) set = kept.add(sets_[set]);
    }
    sets_.swap(kept);
    dropped_sets_ = 0;
    dropped_features_ = 0;
  }

  feature_sets<Feature> sets_;
  std::vector<std::size_t> set_of_;  // by slot
  std::size_t dropped_sets_ = 0;
  std::size_t dropped_features_ = 0;
};

}  // namespace neardup::inline v0::detail
