// SPDX-License-Identifier: MIT
// Stores the features of many sets in an arena of chunks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../error.hpp"
#include "chunked_array.hpp"

namespace neardup::inline v0::detail {

/// Stores sets by slot. A slot is a number that the caller chooses. Features are stored in the chunks of an arena, so a
/// small set needs no allocation of its own, and a growing store copies no features. A chunk whose sets are all erased
/// is freed. put() also examines some slots, and moves sets out of chunks that are less than half used. After as many
/// calls of put() as there are slots, erased sets waste at most about as much memory as the other sets use.
///
/// Complexity: put() is linear in the size of the set, erase() is O(1).
/// Memory: 12 bytes per slot, the features, and an eighth of their size.
/// Guarantee: strong. The store is movable, not copyable; a moved-from store is empty.
template <class Feature>
class set_store {
 public:
  using set_type = std::span<const Feature>;

  /// Returns the set in a slot; the result is empty if the slot has no set. The span is valid until the next put(), or
  /// until erase() of this slot.
  [[nodiscard]] set_type operator[](std::size_t slot) const noexcept {
    if (slot >= places_.size() || places_[slot].size == 0) return {};
    const place& at = places_[slot];
    return {chunks_[at.chunk].features.get() + at.offset, at.size};
  }

  /// Prefetches the place of a set, which operator[] reads first.
  void prefetch(std::size_t slot) const noexcept {
    if (slot < places_.size()) detail::prefetch(&places_[slot]);
  }

  [[nodiscard]] std::size_t feature_count() const noexcept { return features_; }

  /// Puts a set into a slot. `set` may be a view of a set in another slot of this store.
  /// Precondition: the slot has no set.
  /// Throws: std::length_error for a set of 2^32 - 1 features or more; std::bad_alloc.
  void put(std::size_t slot, set_type set) {
    places_.grow_to(slot + 1);
    if (!set.empty()) {
      const place at = allocate(set.size());
      std::copy(set.begin(), set.end(), chunks_[at.chunk].features.get() + at.offset);
      places_[slot] = at;
      features_ += set.size();
    }
    undo storing{[&] { erase(slot); }};
    for (std::size_t steps = (std::min)(examined_a_put, places_.size()); steps > 0; --steps) {
      examined_ = examined_ + 1 < places_.size() ? examined_ + 1 : 0;
      if (places_[examined_].size != 0 && is_mostly_unused(places_[examined_].chunk)) relocate(places_[examined_]);
    }
    storing.is_due = false;
  }

  /// Removes the set in a slot. No-op if the slot has no set.
  void erase(std::size_t slot) noexcept {
    if (slot >= places_.size() || places_[slot].size == 0) return;
    features_ -= places_[slot].size;
    release(places_[slot]);
    places_[slot] = {};
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return places_.memory_usage() + chunks_.capacity() * sizeof(chunk) + unused_.capacity() * sizeof(std::uint32_t) +
           allocated_ * sizeof(Feature);
  }

 private:
  struct place {
    std::uint32_t chunk = 0, offset = 0, size = 0;
  };
  struct chunk {
    std::unique_ptr<Feature[]> features;
    std::uint32_t capacity = 0;
    std::uint32_t used = 0;  // number of features put into this chunk, including erased ones
    std::uint32_t live = 0;  // number of features of sets that are not erased
  };
  static constexpr std::uint32_t none = (std::numeric_limits<std::uint32_t>::max)();
  static constexpr std::size_t min_chunk = 64, max_chunk = std::size_t{1} << 14;  // in features
  static constexpr std::size_t examined_a_put = 4;

  place allocate(std::size_t size) {
    if (size >= none) fail<std::length_error>("a set has at most 2^32 - 2 features");
    const auto n = static_cast<std::uint32_t>(size);
    if (open_ != none && chunks_[open_].capacity - chunks_[open_].used >= n) return take(open_, n);
    const std::size_t usual = std::clamp(allocated_ / 8, min_chunk, max_chunk);
    if (size > usual / 4) return take(add_chunk(size), n);  // then the set gets a chunk of its own
    const std::uint32_t added = add_chunk(usual);
    const std::uint32_t before = std::exchange(open_, added);
    if (before != none && chunks_[before].live == 0) free_chunk(before);
    return take(added, n);
  }
  place take(std::uint32_t from, std::uint32_t n) noexcept {
    const std::uint32_t offset = chunks_[from].used;
    chunks_[from].used += n;
    chunks_[from].live += n;
    return {from, offset, n};
  }

  std::uint32_t add_chunk(std::size_t capacity) {
    std::unique_ptr<Feature[]> features(new Feature[capacity]);
    if (unused_.empty()) {
      if (chunks_.size() == chunks_.capacity()) chunks_.reserve(2 * chunks_.size() + 4);
      unused_.reserve(chunks_.capacity());  // reserves memory for all chunks, so that erase() cannot fail
      chunks_.emplace_back();
      unused_.push_back(static_cast<std::uint32_t>(chunks_.size() - 1));
    }
    const std::uint32_t number = unused_.back();
    unused_.pop_back();
    chunks_[number] = {std::move(features), static_cast<std::uint32_t>(capacity), 0, 0};
    allocated_ += capacity;
    return number;
  }
  void free_chunk(std::uint32_t number) noexcept {
    allocated_ -= chunks_[number].capacity;
    chunks_[number] = {};
    unused_.push_back(number);
  }
  void release(const place& of) noexcept {
    chunk& from = chunks_[of.chunk];
    from.live -= of.size;
    if (from.live != 0) return;
    if (of.chunk == open_) {
      from.used = 0;
    } else {
      free_chunk(of.chunk);
    }
  }

  [[nodiscard]] bool is_mostly_unused(std::uint32_t number) const noexcept {
    return number != open_ && chunks_[number].live < chunks_[number].capacity / 2;
  }
  void relocate(place& of) {
    const place to = allocate(of.size);
    std::copy_n(chunks_[of.chunk].features.get() + of.offset, of.size, chunks_[to.chunk].features.get() + to.offset);
    release(of);
    of = to;
  }

  chunked_array<place> places_;  // indexed by slot
  std::vector<chunk> chunks_;
  std::vector<std::uint32_t> unused_;      // numbers of chunks without memory
  until_moved<std::uint32_t, none> open_;  // number of the chunk that new sets are put into
  until_moved<std::size_t> allocated_;     // number of features that fit into all chunks
  until_moved<std::size_t> features_;
  until_moved<std::size_t> examined_;  // the slot that put() examined last
};

}  // namespace neardup::inline v0::detail
