// SPDX-License-Identifier: MIT
// A table of a mutable index. It has a directory of buckets, and the entries of the buckets are in an arena.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../error.hpp"

namespace neardup::inline v0::detail {

/// A read-only view of one bucket: a run of filters and their slots.
template <class Offset>
struct bucket_view {
  const void* filters = nullptr;  ///< std::uint64_t if is_wide, otherwise std::uint32_t
  const Offset* slots = nullptr;  ///< slots[i] belongs to filter i; if null, the slots are first_slot + i
  std::size_t first_slot = 0;
  std::size_t count = 0;
  bool is_wide = false;
};

/// A segment of a bucket_table. A segment has buckets of (filter, slot) entries. The highest bits of a hash determine
/// the bucket.
///
/// The entries of a bucket are in a chunk of the arena. A chunk has room for 8, 16, 24, 32, 48, 64, 96 ... entries. A
/// million buckets need few allocations, because chunks share the arena. Freed chunks go to free lists.
/// Complexity: prepare() and push() are amortised O(1). erase() and renumber() scan one bucket.
template <class Offset>
class bucket_segment {
 public:
  /// Makes an empty segment. Filters have 64 bits if `is_wide`, otherwise 32.
  explicit bucket_segment(bool is_wide) noexcept : is_wide_(is_wide) { free_.fill(none); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool has_buckets() const noexcept { return !directory_.empty(); }
  [[nodiscard]] std::size_t buckets() const noexcept { return directory_.size(); }

  /// Returns the address of the directory entry for a hash, so that the caller can prefetch the entry.
  [[nodiscard]] const void* entry(std::uint64_t hash) const noexcept {
    return has_buckets() ? &directory_[to_size(hash >> shift_)] : nullptr;
  }

  [[nodiscard]] bucket_view<Offset> view(std::uint64_t hash) const noexcept {
    if (!has_buckets()) return {};
    const bucket& b = directory_[to_size(hash >> shift_)];
    return {at(b.begin()), slots_.data() + b.begin(), 0, b.count(), is_wide_};
  }

  /// Allocates memory for one more entry in the bucket of a hash.
  /// Precondition: has_buckets().
  /// Throws: std::length_error if the bucket or the arena is at its limit.
  /// Guarantee: strong, except that chunks may have moved.
  void prepare(std::uint64_t hash) {
    bucket& b = directory_[to_size(hash >> shift_)];
    if (b.count() >= bucket::max_count) refuse_bucket();
    if (b.chunk() != 0 && b.count() < capacity_of(b.chunk())) return;
    const std::size_t chunk = b.chunk() + 1;
    const std::size_t begin = allocate(chunk);
    if (b.chunk() != 0) {
      std::copy_n(at(b.begin()), bytes_of(b.count()), at(begin));
      std::copy_n(slots_.data() + b.begin(), b.count(), slots_.data() + begin);
      release(b.begin(), b.chunk());
    }
    b.set(begin, b.count(), chunk);
  }

  /// Adds an entry.
  /// Precondition: prepare() was called for the same hash.
  void push(std::uint64_t hash, std::uint64_t filter, std::size_t slot) noexcept {
    bucket& b = directory_[to_size(hash >> shift_)];
    const std::size_t position = b.begin() + b.count();
    put(position, filter, slot);
    b.set(b.begin(), b.count() + 1, b.chunk());
    ++size_;
  }

  /// Removes the entry of a slot.
  /// Precondition: the bucket of `hash` has an entry of the slot.
  void erase(std::uint64_t hash, std::size_t slot) noexcept {
    bucket& b = directory_[to_size(hash >> shift_)];
    const std::size_t position = position_of(b, slot);
    const std::size_t count = b.count() - 1;
    const std::size_t end = b.begin() + count;
    put(position, filter_at(end), static_cast<std::size_t>(slots_[end]));
    --size_;
    if (count == 0) {
      release(b.begin(), b.chunk());
      b = {};
      return;
    }
    std::size_t chunk = b.chunk();
    if (chunk > 1 && count <= capacity_of(chunk) / 4) {
      // A chunk for 16 or 24 entries is cut to 8, a larger chunk to its first half. The rest is released.
      const std::size_t kept = chunk <= 3 ? 1 : chunk - 2;
      const std::size_t left = chunk <= 3 ? chunk - 1 : chunk - 2;
      release(b.begin() + capacity_of(kept), left);
      chunk = kept;
    }
    b.set(b.begin(), count, chunk);
  }

  /// Replaces the number of a slot by `new_number`.
  /// Precondition: the bucket of `hash` has an entry of the slot.
  void renumber(std::uint64_t hash, std::size_t slot, std::size_t new_number) noexcept {
    slots_[position_of(directory_[to_size(hash >> shift_)], slot)] = static_cast<Offset>(new_number);
  }

  /// Fills this segment with all entries of `other`. Each bucket of `other` is divided into two buckets.
  /// `hash_of(slot)` returns the hash with which the slot was pushed. `prefetch_slot(slot)` prefetches the data that
  /// hash_of reads.
  /// Precondition: `other` has half as many buckets as this segment.
  template <class HashOf, class Prefetch>
  void fill_from(const bucket_segment& other, const HashOf& hash_of, const Prefetch& prefetch_slot) {
    constexpr std::size_t ahead = 4;  // number of buckets between prefetch and use
    for (std::size_t from = 0; from < other.directory_.size(); ++from) {
      if (from + ahead < other.directory_.size()) {
        other.for_each_in(other.directory_[from + ahead],
                          [&](std::uint64_t, std::size_t slot) { prefetch_slot(slot); });
      }
      const bucket& b = other.directory_[from];
      std::size_t counts[2] = {0, 0};
      const auto child_of = [&](std::size_t slot) { return (hash_of(slot) >> shift_) & 1; };
      other.for_each_in(b, [&](std::uint64_t, std::size_t slot) { ++counts[child_of(slot)]; });
      std::size_t next[2] = {0, 0};
      for (std::size_t child = 0; child < 2; ++child) {
        if (counts[child] == 0) continue;
        const std::size_t chunk = chunk_for(counts[child]);
        next[child] = allocate(chunk);
        directory_[2 * from + child].set(next[child], counts[child], chunk);
      }
      other.for_each_in(b, [&](std::uint64_t filter, std::size_t slot) { put(next[child_of(slot)]++, filter, slot); });
    }
    size_ = other.size_;
  }

  /// Calls `visit(filter, slot)` for each entry of the segment.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const bucket& b : directory_) for_each_in(b, visit);
  }

  /// Makes a directory of 2^log buckets, log >= 1. Reserves memory for `count` entries.
  /// Precondition: the segment is empty.
  void make_buckets(std::size_t log, std::size_t count) {
    directory_.resize(std::size_t{1} << log);
    shift_ = static_cast<int>(word_bits - log);
    reserve_arena(count + count / 2);
  }

  /// Removes all entries, and keeps the allocated memory.
  void clear() noexcept {
    std::fill(directory_.begin(), directory_.end(), bucket{});
    filters_.clear();
    slots_.clear();
    free_.fill(none);
    size_ = left_ = 0;
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return directory_.capacity() * sizeof(bucket) + filters_.capacity() + slots_.capacity() * sizeof(Offset);
  }

 private:
  // Directory and free lists store positions in the arena in grains. A grain is the size of the smallest chunk.
  static constexpr std::size_t grain = 8;
  static constexpr std::uint32_t none = (std::numeric_limits<std::uint32_t>::max)();

  // Returns how many entries a chunk of a size class has room for: 8 for class 1, and 16, 24, 32, 48, 64, 96 ... for
  // the next classes.
  static constexpr std::size_t capacity_of(std::size_t chunk) noexcept {
    if (chunk <= 2) return grain * chunk;
    const std::size_t i = chunk - 3;
    return (i % 2 == 0 ? std::size_t{3} : std::size_t{4}) << (3 + i / 2);
  }

  // A directory entry: the beginning of the bucket's chunk, the size class of the chunk, and the number of entries. All
  // are 0 if the bucket is empty.
  //
  //   bytes 0..3  grains_: the beginning of the chunk, in grains
  //   bytes 4..7  count_and_chunk_: bits 0..5 the size class, bits 6..31 the number of entries
  class bucket {
   public:
    static constexpr std::size_t max_count = (std::size_t{1} << 26) - 1;

    [[nodiscard]] std::size_t begin() const noexcept { return std::size_t{grains_} * grain; }
    [[nodiscard]] std::size_t count() const noexcept { return count_and_chunk_ >> 6; }
    [[nodiscard]] std::size_t chunk() const noexcept { return count_and_chunk_ & 63; }
    void set(std::size_t begin, std::size_t count, std::size_t chunk) noexcept {
      grains_ = static_cast<std::uint32_t>(begin / grain);
      count_and_chunk_ = static_cast<std::uint32_t>(count << 6 | chunk);
    }

   private:
    std::uint32_t grains_ = 0;
    std::uint32_t count_and_chunk_ = 0;
  };
  static_assert(sizeof(bucket) == 8);

  [[noreturn]] static void refuse_bucket() {
    fail<std::length_error>({"no room in a table of the index: more than ", bucket::max_count,
                             " fingerprints share a key; more blocks make longer keys"});
  }
  [[noreturn]] static void refuse_arena() {
    fail<std::length_error>("the index is full: a sixteenth of a table holds as many entries as it can");
  }

  // Returns the smallest size class with room for `count` entries.
  static constexpr std::size_t chunk_for(std::size_t count) noexcept {
    std::size_t chunk = 1;
    while (capacity_of(chunk) < count) ++chunk;
    return chunk;
  }

  template <class Visit>
  void for_each_in(const bucket& b, const Visit& visit) const {
    for (std::size_t position = b.begin(); position < b.begin() + b.count(); ++position) {
      visit(filter_at(position), static_cast<std::size_t>(slots_[position]));
    }
  }

  // Returns the size in bytes of a number of filters. Two constant shifts compute the size, because a variable shift
  // takes three times as long.
  [[nodiscard]] std::size_t bytes_of(std::size_t filters) const noexcept {
    return is_wide_ ? filters * 8 : filters * 4;
  }
  [[nodiscard]] const std::byte* at(std::size_t position) const noexcept {
    return filters_.data() + bytes_of(position);
  }
  [[nodiscard]] std::byte* at(std::size_t position) noexcept { return filters_.data() + bytes_of(position); }

  [[nodiscard]] std::uint64_t filter_at(std::size_t position) const noexcept {
    return is_wide_ ? load<std::uint64_t>(position) : load<std::uint32_t>(position);
  }
  template <class Filter>
  [[nodiscard]] Filter load(std::size_t position) const noexcept {
    Filter filter;
    std::memcpy(&filter, filters_.data() + position * sizeof filter, sizeof filter);
    return filter;
  }
  template <class Filter>
  void store(std::size_t position, Filter filter) noexcept {
    std::memcpy(filters_.data() + position * sizeof filter, &filter, sizeof filter);
  }

  void put(std::size_t position, std::uint64_t filter, std::size_t slot) noexcept {
    if (is_wide_) {
      store(position, filter);
    } else {
      store(position, static_cast<std::uint32_t>(filter));
    }
    slots_[position] = static_cast<Offset>(slot);
  }

  // Returns the position of a slot's entry. Searches backwards: an erasure also looks up the last slot of the index,
  // which is near the end of its bucket. Compares sixteen entries at a time, so that compilers vectorise the loop.
  std::size_t position_of(const bucket& b, std::size_t slot) const noexcept {
    constexpr std::size_t step = 16;
    const auto wanted = static_cast<Offset>(slot);
    std::size_t end = b.begin() + b.count();
    for (; end >= b.begin() + step; end -= step) {
      const Offset* const last = slots_.data() + end - step;
      unsigned differing = 0;
      for (std::size_t i = 0; i < step; ++i) differing += last[i] != wanted ? 1 : 0;
      if (differing < step) break;
    }
    while (slots_[--end] != wanted) {
    }
    return end;
  }

  void reserve_arena(std::size_t entries) {
    filters_.reserve(bytes_of(entries));
    slots_.reserve(entries);
  }

  // Allocates a chunk.
  // Guarantee: strong.
  std::size_t allocate(std::size_t chunk) {
    if (free_[chunk] != none) {
      const std::size_t begin = std::size_t{free_[chunk]} * grain;
      left_ -= capacity_of(chunk);
      std::memcpy(&free_[chunk], at(begin), sizeof free_[chunk]);
      return begin;
    }
    if (slots_.size() + capacity_of(chunk) > slots_.capacity()) grow_arena(capacity_of(chunk));
    const std::size_t begin = slots_.size();
    const std::size_t end = begin + capacity_of(chunk);
    filters_.resize(bytes_of(end));
    slots_.resize(end);
    return begin;
  }

  // Moves all used chunks to a larger arena. Free chunks are dropped, because they are too short for growing buckets.
  // Guarantee: strong.
  void grow_arena(std::size_t more) {
    const std::size_t used = slots_.size() - left_ + more;
    const std::size_t entries = used + used / 4;
    if (entries / grain >= none) refuse_arena();
    bucket_segment larger(is_wide_);
    larger.reserve_arena(entries);
    for (bucket& b : directory_) {
      if (b.chunk() == 0) continue;
      const std::size_t begin = larger.slots_.size();
      const std::size_t size = capacity_of(b.chunk());
      larger.filters_.insert(larger.filters_.end(), at(b.begin()), at(b.begin() + size));
      larger.slots_.insert(larger.slots_.end(), slots_.data() + b.begin(), slots_.data() + b.begin() + size);
      b.set(begin, b.count(), b.chunk());
    }
    filters_.swap(larger.filters_);
    slots_.swap(larger.slots_);
    free_.fill(none);
    left_ = 0;
  }

  // Adds a chunk to the free list of its size class. The first filter of the chunk has the link to the next free chunk.
  void release(std::size_t begin, std::size_t chunk) noexcept {
    left_ += capacity_of(chunk);
    std::memcpy(at(begin), &free_[chunk], sizeof free_[chunk]);
    free_[chunk] = static_cast<std::uint32_t>(begin / grain);
  }

  std::vector<bucket> directory_;  // size: 0, or a power of two >= 2
  int shift_ = 0;
  bool is_wide_;
  // The arena: entry i has the filter filters_[i] and the slot slots_[i]. All filters have the same width.
  std::vector<std::byte> filters_;
  std::vector<Offset> slots_;
  std::size_t size_ = 0;
  std::size_t left_ = 0;  // number of entries that fit into free chunks
  std::array<std::uint32_t, 64> free_;
};

/// Buckets of (filter, slot) entries. The hash of a key determines the bucket. A small table has one segment, and a
/// large table has 16. Segments grow independently of each other, so the slowest insertion moves one segment only.
template <class Offset>
class bucket_table {
 public:
  /// Makes a table for keys of `key_width` bits. Filters have 64 bits if `is_wide`, otherwise 32.
  bucket_table(std::size_t key_width, bool is_wide) : key_width_(key_width), is_wide_(is_wide) {}

  /// Returns the address of the directory entry for a hash, so that the caller can prefetch the entry.
  [[nodiscard]] const void* entry(std::uint64_t hash) const noexcept {
    return segments_.empty() ? nullptr : segment_of(hash).entry(hash << log_segments_);
  }
  [[nodiscard]] bucket_view<Offset> view(std::uint64_t hash) const noexcept {
    if (segments_.empty()) return {};
    return segment_of(hash).view(hash << log_segments_);
  }

  /// Allocates memory, so that push() of this hash cannot fail. `hash_of(slot)` returns the hash of the key of a stored
  /// slot. `hash_of.prefetch(slot)` prefetches the data that hash_of reads.
  /// Guarantee: strong, except that entries may have moved.
  template <class HashOf>
  void prepare(std::uint64_t hash, const HashOf& hash_of) {
    if (segments_.empty()) segments_.emplace_back(is_wide_);
    if (log_segments_ == 0 && segments_[0].size() >= split_size && key_width_ > log_split) split(hash_of);
    segment& s = segment_of(hash);
    grow(s, s.size() + 1, hash_of);
    s.prepare(hash << log_segments_);
  }

  /// Adds the entry (filter, slot).
  /// Precondition: prepare() was called for the same hash.
  void push(std::uint64_t hash, std::uint64_t filter, std::size_t slot) noexcept {
    segment_of(hash).push(hash << log_segments_, filter, slot);
  }
  void erase(std::uint64_t hash, std::size_t slot) noexcept { segment_of(hash).erase(hash << log_segments_, slot); }
  void renumber(std::uint64_t hash, std::size_t slot, std::size_t new_number) noexcept {
    segment_of(hash).renumber(hash << log_segments_, slot, new_number);
  }

  /// Enlarges the directories to the best size for `count` evenly distributed entries.
  /// Guarantee: strong, except that entries may have moved.
  template <class HashOf>
  void reserve(std::size_t count, const HashOf& hash_of) {
    if (segments_.empty()) segments_.emplace_back(is_wide_);
    if (log_segments_ == 0 && count >= split_size && key_width_ > log_split) split(hash_of);
    for (segment& s : segments_) grow(s, count >> log_segments_, hash_of);
  }

  /// Removes all entries, and keeps the allocated memory.
  void clear() noexcept {
    for (segment& s : segments_) s.clear();
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    std::size_t sum = segments_.capacity() * sizeof(segment);
    for (const segment& s : segments_) sum += s.memory_usage();
    return sum;
  }

 private:
  using segment = bucket_segment<Offset>;

  // A table with fewer entries than this has one segment, so that a small index takes little memory.
  static constexpr std::size_t split_size = 8192;
  static constexpr std::size_t log_split = 4;
  // A directory doubles when its buckets have this many entries on average. After doubling, most buckets have a chunk
  // of 8 entries, which is half a cache line of 32-bit filters. With more entries per bucket, a search would compare
  // more non-matches.
  static constexpr std::size_t mean_load = 8;

  segment& segment_of(std::uint64_t hash) noexcept { return segments_[index_of(hash)]; }
  const segment& segment_of(std::uint64_t hash) const noexcept { return segments_[index_of(hash)]; }
  std::size_t index_of(std::uint64_t hash) const noexcept {
    return log_segments_ == 0 ? 0 : to_size(hash >> (word_bits - log_segments_));
  }

  template <class HashOf>
  void grow(segment& s, std::size_t count, const HashOf& hash_of) {
    // The directory has at most as many buckets as there are keys, because further buckets would be empty.
    const std::size_t max_log = (std::min)(std::size_t{40}, (std::max)(std::size_t{1}, key_width_ - log_segments_));
    std::size_t log = 1;
    if (s.has_buckets()) {
      if (count < mean_load * s.buckets()) return;
      log = static_cast<std::size_t>(std::countr_zero(s.buckets()));
      if (log >= max_log) return;
    }
    while (log < max_log && (count >> log) >= mean_load) ++log;
    segment larger(is_wide_);
    larger.make_buckets(log, count);
    const auto hash_in_segment = [&](std::size_t slot) { return hash_of(slot) << log_segments_; };
    if (larger.buckets() == 2 * s.buckets()) {
      larger.fill_from(s, hash_in_segment, [&](std::size_t slot) { hash_of.prefetch(slot); });
    } else {
      s.for_each([&](std::uint64_t filter, std::size_t slot) {
        larger.prepare(hash_in_segment(slot));
        larger.push(hash_in_segment(slot), filter, slot);
      });
    }
    s = std::move(larger);
  }

  template <class HashOf>
  void split(const HashOf& hash_of) {
    bucket_table larger(key_width_, is_wide_);
    larger.log_segments_ = log_split;
    const std::size_t count = segments_[0].size();
    for (std::size_t i = 0; i < std::size_t{1} << log_split; ++i) {
      larger.segments_.emplace_back(is_wide_);
      larger.grow(larger.segments_.back(), count >> log_split, hash_of);
    }
    segments_[0].for_each([&](std::uint64_t filter, std::size_t slot) {
      const std::uint64_t hash = hash_of(slot);
      larger.prepare(hash, hash_of);
      larger.push(hash, filter, slot);
    });
    segments_.swap(larger.segments_);
    log_segments_ = log_split;
  }

  std::vector<segment> segments_;  // 0, 1 or 2^log_split segments
  std::size_t log_segments_ = 0;
  std::size_t key_width_;
  bool is_wide_;
};

}  // namespace neardup::inline v0::detail
