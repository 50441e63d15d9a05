// One table of an index: buckets of fingerprints that share the hash of a key.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fingerprint_store.hpp"
#include "search_plans.hpp"

namespace neardup::inline v0::detail {

/// A directory of buckets; a bucket is one run of fingerprints and the numbers of their slots.
///
/// The runs are copies of the fingerprints, so that a search reads them in a straight line. They live in one arena, in
/// chunks of 2^i places with a free list for each i, so that a million buckets do not cost a million allocations.
/// Each slot knows its place in its bucket: erasing is O(1) however many fingerprints collide.
/// Complexity: push, erase and renumber O(1), amortised; the directory doubles as the index grows.
template <std::size_t Words, class Offset>
class bucket_table {
 public:
  using words_type = std::array<std::uint64_t, Words>;
  using key_type = table_key<Words>;

  bucket_table() noexcept { free_.fill(no_place); }

  /// Makes room so that push() cannot fail for a fingerprint with this hash.
  /// `stored` are the fingerprints of all slots in the table, in the order of the slots.
  /// Guarantee: strong; only the arrangement of what is stored may change.
  void prepare(std::uint64_t hash, std::span<const words_type> stored, const key_type& key) {
    reserve_one_more(places_);
    reserve(stored.size() + 1, stored, key);
    bucket& b = bucket_of(hash);
    if (b.chunk == no_chunk) {
      b.begin = allocate(0);
      b.chunk = 0;
    } else if (b.count == std::size_t{1} << b.chunk) {
      const std::size_t begin = allocate(static_cast<std::uint8_t>(b.chunk + 1));
      std::copy_n(fingerprints_.data() + b.begin, b.count, fingerprints_.data() + begin);
      std::copy_n(slots_.data() + b.begin, b.count, slots_.data() + begin);
      release(b);
      b.begin = begin;
      ++b.chunk;
    }
  }

  /// Adds the next slot. Precondition: prepare() for the same hash.
  void push(std::uint64_t hash, const words_type& fingerprint) noexcept {
    bucket& b = bucket_of(hash);
    fingerprints_[b.begin + b.count] = fingerprint;
    slots_[b.begin + b.count] = static_cast<Offset>(places_.size());
    places_.push_back(b.count);
    ++b.count;
  }

  /// Removes a slot, whose number the last slot takes. The hashes are those of the two fingerprints.
  void erase(std::uint64_t hash, std::size_t slot, std::uint64_t hash_of_last) noexcept {
    bucket& b = bucket_of(hash);
    const std::size_t gap = b.begin + places_[slot];
    const std::size_t end = b.begin + b.count - 1;
    fingerprints_[gap] = fingerprints_[end];
    slots_[gap] = slots_[end];
    places_[slots_[gap]] = places_[slot];
    --b.count;
    const std::size_t last = places_.size() - 1;
    if (slot != last) {
      slots_[bucket_of(hash_of_last).begin + places_[last]] = static_cast<Offset>(slot);
      places_[slot] = places_[last];
    }
    places_.pop_back();
    if (b.count == 0) {
      release(b);
      b.chunk = no_chunk;
    }
  }

  /// Visits (fingerprint, slot) of all in the bucket of a hash, until `visit` returns false.
  /// Returns: whether it was not ended.
  template <class Visit>
  bool visit_bucket(std::uint64_t hash, const Visit& visit) const {
    if (directory_.empty()) return true;
    const bucket& b = directory_[hash >> shift_];
    for (std::size_t i = b.begin; i < b.begin + b.count; ++i) {
      if (!visit(fingerprints_[i], static_cast<std::size_t>(slots_[i]))) return false;
    }
    return true;
  }

  /// Gives the directory the size that suits `count` fingerprints, if it has less.
  /// Guarantee: strong; only the arrangement of what is stored may change.
  void reserve(std::size_t count, std::span<const words_type> stored, const key_type& key) {
    // More buckets than keys would stay empty.
    const std::size_t most = (std::min)(key.bits().size(), std::size_t{std::numeric_limits<std::size_t>::digits - 8});
    std::size_t log = directory_.empty() ? (std::min)(most, std::size_t{4}) : log_size();
    while (log < most && (count >> log) >= mean_load) ++log;
    if (directory_.empty() || log > log_size()) rebuild(log, stored, key);
    places_.reserve(count > places_.capacity() ? (std::max)(count, 2 * places_.capacity()) : count);
  }

  /// Forgets everything and keeps the memory.
  void clear() noexcept {
    std::fill(directory_.begin(), directory_.end(), bucket{});
    fingerprints_.clear();
    slots_.clear();
    places_.clear();
    free_.fill(no_place);
  }

 private:
  static constexpr std::uint8_t no_chunk = 255;
  static constexpr std::uint64_t no_place = ~std::uint64_t{0};
  // The directory doubles when there are this many fingerprints a bucket: 16 bytes of directory against reading a few
  // strangers in a cache line that is there anyway.
  static constexpr std::size_t mean_load = 4;

  struct bucket {
    std::size_t begin = 0;
    Offset count = 0;
    std::uint8_t chunk = no_chunk;  // The chunk has 2^chunk places.
  };

  bucket& bucket_of(std::uint64_t hash) noexcept { return directory_[hash >> shift_]; }
  std::size_t log_size() const noexcept { return static_cast<std::size_t>(std::countr_zero(directory_.size())); }

  // A chunk of 2^log places. May throw; then nothing has changed.
  std::size_t allocate(std::uint8_t log) {
    if (free_[log] != no_place) {
      const auto begin = static_cast<std::size_t>(free_[log]);
      free_[log] = fingerprints_[begin][0];
      return begin;
    }
    const std::size_t begin = slots_.size();
    fingerprints_.resize(begin + (std::size_t{1} << log));  // May stay larger than slots_ if the next line throws.
    slots_.resize(begin + (std::size_t{1} << log));
    return begin;
  }

  // Puts the chunk of a bucket on its free list, linked through the first word of the first fingerprint.
  void release(const bucket& b) noexcept {
    fingerprints_[b.begin][0] = free_[b.chunk];
    free_[b.chunk] = b.begin;
  }

  // Arranges everything anew under a directory of 2^log buckets, without holes.
  void rebuild(std::size_t log, std::span<const words_type> stored, const key_type& key) {
    const int shift = static_cast<int>(word_bits - log);
    std::vector<bucket> directory(std::size_t{1} << log);
    for (const words_type& fingerprint : stored) ++directory[key.hash(fingerprint) >> shift].count;
    std::size_t end = 0;
    for (bucket& b : directory) {
      if (b.count == 0) continue;
      b.chunk = static_cast<std::uint8_t>(std::bit_width(std::size_t{b.count} - 1));
      b.begin = end;
      end += std::size_t{1} << b.chunk;
      b.count = 0;
    }
    std::vector<words_type> fingerprints(end);
    std::vector<Offset> slots(end);
    for (std::size_t slot = 0; slot < stored.size(); ++slot) {
      bucket& b = directory[key.hash(stored[slot]) >> shift];
      fingerprints[b.begin + b.count] = stored[slot];
      slots[b.begin + b.count] = static_cast<Offset>(slot);
      places_[slot] = b.count++;
    }
    directory_.swap(directory);
    fingerprints_.swap(fingerprints);
    slots_.swap(slots);
    free_.fill(no_place);
    shift_ = shift;
  }

  std::vector<bucket> directory_;         // Empty, or a power of two, at least 2.
  std::vector<words_type> fingerprints_;  // The arena ...
  std::vector<Offset> slots_;             // ... beside each fingerprint its slot.
  std::vector<Offset> places_;            // For each slot its place within its bucket.
  std::array<std::uint64_t, std::numeric_limits<std::size_t>::digits> free_;
  int shift_ = 0;
};

}  // namespace neardup::inline v0::detail
