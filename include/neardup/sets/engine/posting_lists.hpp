// SPDX-License-Identifier: MIT
// The posting lists of features, in a hash table that grows one bucket at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../error.hpp"
#include "chunked_array.hpp"

namespace neardup::inline v0::detail {

/// A posting says that a set has a feature. The posting has the token of the feature, the number and the size of the
/// set, and the position of the feature among the ordered features of the set. The size or position `large` stands for
/// `large` or more.
struct set_posting {
  static constexpr std::uint16_t large = 0xffff;

  std::uint32_t token;
  std::uint32_t number;
  std::uint16_t size;
  std::uint16_t position;

  static std::uint16_t clipped(std::size_t n) noexcept {
    return static_cast<std::uint16_t>((std::min)(n, std::size_t{large}));
  }
};

/// Memory for small arrays of postings. A 32-bit number names an array. The memory of a freed array is reused for
/// arrays of the same capacity.
class posting_memory {
 public:
  /// Returns the capacity of an array for `count` postings. Up to 8 postings the capacity is `count`. Above 8 there are
  /// four capacities from each power of two to the next.
  [[nodiscard]] static constexpr std::size_t capacity(std::size_t count) noexcept {
    if (count <= 8) return count;
    const std::size_t step = std::bit_floor(count - 1) / 4;
    return (count + step - 1) / step * step;
  }

  [[nodiscard]] set_posting* at(std::uint32_t array) noexcept { return chunks_[array / chunk].get() + array % chunk; }
  [[nodiscard]] const set_posting* at(std::uint32_t array) const noexcept {
    return chunks_[array / chunk].get() + array % chunk;
  }

  /// Allocates an array for `count` postings, and returns its number.
  /// Precondition: count > 0.
  /// Guarantee: strong.
  std::uint32_t allocate(std::size_t count);

  /// Frees `array`. `count` is the argument of the call of allocate() that returned `array`.
  void release(std::uint32_t array, std::size_t count) noexcept {
    const std::size_t n = capacity(count);
    if (n <= chunk) return give(array, n);
    const std::uint32_t number = array / static_cast<std::uint32_t>(chunk);
    chunks_[number].reset();
    allocated_ -= n;
    unused_.push_back(number);  // allocate_alone() has reserved memory
  }

  /// Frees a piece of the memory. After the first call, no other member may be called.
  /// Returns: false if no piece was left.
  bool free_piece() noexcept {
    if (chunks_.empty()) return false;
    chunks_.pop_back();
    return true;
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return chunks_.capacity() * sizeof(chunks_[0]) + unused_.capacity() * sizeof(std::uint32_t) +
           allocated_ * sizeof(set_posting);
  }

 private:
  static constexpr std::uint32_t none = (std::numeric_limits<std::uint32_t>::max)();
  static constexpr std::size_t chunk = 1024, min_chunk = 64;
  static constexpr std::size_t capacities = 36;  // number of different capacities within a chunk

  /// Returns the index in free_ of the free arrays of `capacity` postings.
  /// Precondition: capacity <= chunk.
  [[nodiscard]] static constexpr std::size_t index_of(std::size_t capacity) noexcept {
    if (capacity <= 8) return capacity - 1;
    const std::size_t below = std::bit_floor(capacity - 1);
    return 4 * to_size(std::bit_width(below)) - 8 + (capacity - below) / (below / 4) - 1;
  }

  void give(std::uint32_t array, std::size_t capacity) noexcept {
    std::uint32_t& free = free_[index_of(capacity)];
    at(array)->number = std::exchange(free, array);
  }
  /// Divides the unused rest of chunk open_ into free arrays.
  void give_rest() noexcept;

  std::uint32_t add_chunk(std::size_t size);
  std::uint32_t allocate_alone(std::size_t size) {
    if (++alone_ > unused_.capacity()) unused_.reserve(2 * alone_);  // reserves memory for release(), which cannot fail
    return add_chunk(size) * static_cast<std::uint32_t>(chunk);
  }

  std::vector<std::unique_ptr<set_posting[]>> chunks_;
  std::vector<std::uint32_t> unused_;                         // numbers of chunks without memory
  std::array<std::uint32_t, capacities> free_ = none_free();  // first free array of each capacity
  std::uint32_t open_ = 0;
  std::size_t open_size_ = 0, used_ = 0;  // size and used part of chunk open_; new arrays are parts of the chunk
  std::size_t allocated_ = 0;             // number of postings that fit into all chunks
  std::size_t alone_ = 0;                 // number of arrays that have a chunk of their own

  static constexpr std::array<std::uint32_t, capacities> none_free() noexcept {
    std::array<std::uint32_t, capacities> result{};
    result.fill(none);
    return result;
  }
};

/// The postings of sets, in a hash table that is searched by token.
///
/// A bucket has about four postings in one array, so a lookup mostly reads two cache lines: the bucket and the array.
/// The number of buckets grows by one at a time (linear hashing), so no insertion has to rehash the whole table. A
/// frequent feature has a list of its own, whose postings have bitmaps. A very long list is divided into groups of
/// postings with similar sizes and positions, and a search skips whole groups. Postings are never removed, so the
/// caller must recognise outdated postings.
/// Source: Litwin, Linear hashing: a new tool for file and table addressing, VLDB 1980.
/// Guarantee: if add() throws, no posting is lost. The object is movable, not copyable.
class posting_lists {
 public:
  /// A posting in a posting_list. `bits` is the exclusive or of the two words of the set's bitmap.
  struct listed {
    std::uint64_t bits;
    std::uint32_t number;
    std::uint16_t size, position;
  };

  /// Makes empty posting lists. If a feature has more than `max_in_row` postings, they are grouped by size and
  /// position. `max_in_row` changes the speed, but no result.
  explicit posting_lists(std::size_t max_in_row) : max_in_row_(max_in_row) {}

  /// Adds the posting `added`. `bits` is listed::bits of its set. `bits_of(number)` returns listed::bits of the set
  /// with this number, which already has postings.
  template <class BitsOf>
  void add(const set_posting& added, std::uint64_t bits, const BitsOf& bits_of) {
    if (buckets_of_.size() == 0) buckets_of_.grow_to(1);
    for (int steps = 0; steps < max_splits && (size_ >= mean_in_bucket * buckets_ || buckets_ < expected_); ++steps) {
      split();
    }
    bucket& of = buckets_of_[place(added.token)];
    const std::span<set_posting> all =
        of.count == 0 ? std::span<set_posting>() : std::span(memory_.at(of.array), of.count);
    std::size_t same = 0;
    for (const set_posting& p : all) {
      if (p.token != added.token) continue;
      if (p.size == 0) return add_to(lists_[p.number], {bits, added.number, added.size, added.position});
      ++same;
    }
    if (same >= max_in_array) {
      move_to_list(of, added.token, bits_of);
      return add_to(lists_[lists_.size() - 1], {bits, added.number, added.size, added.position});
    }
    append(of, added);
    ++size_;
  }

  /// Prefetches the buckets to which postings will be added. The lowest 32 bits of each key are the token of a posting.
  void prefetch_buckets(std::span<const std::uint64_t> keys) const noexcept {
    if (buckets_of_.size() == 0) return;
    for (const std::uint64_t key : keys) prefetch(&buckets_of_[place(static_cast<std::uint32_t>(key))]);
    for (const std::uint64_t key : keys) {
      const bucket& of = buckets_of_[place(static_cast<std::uint32_t>(key))];
      if (of.count != 0) prefetch(memory_.at(of.array));
    }
  }

  /// Passes the postings of some tokens to `query`. The lowest 32 bits of keys[index] are a token. `query` has three
  /// members. meet(number, size, position, index) and meet(listed, index) receive a posting of keys[index].
  /// admits(sizes_from, sizes_to, positions_from, index) returns true if a posting with a size in [sizes_from,
  /// sizes_to], and a position of at least positions_from, may match.
  /// Returns: the number of postings and groups that were examined.
  template <class Query>
  std::size_t visit(std::span<const std::uint64_t> keys, Query& query) const {
    if (buckets_of_.size() == 0) return 0;
    constexpr std::size_t step = 32;  // keys per step, so that their cache misses overlap
    std::array<const bucket*, step> found;
    std::size_t examined = 0;
    for (std::size_t begin = 0; begin < keys.size(); begin += step) {
      const std::size_t count = (std::min)(step, keys.size() - begin);
      for (std::size_t i = 0; i < count; ++i) {
        found[i] = &buckets_of_[place(static_cast<std::uint32_t>(keys[begin + i]))];
        prefetch(found[i]);
      }
      for (std::size_t i = 0; i < count; ++i) {
        if (found[i]->count != 0) prefetch(memory_.at(found[i]->array));
      }
      for (std::size_t i = 0; i < count; ++i) {
        if (found[i]->count == 0) continue;
        examined += scan({memory_.at(found[i]->array), found[i]->count}, static_cast<std::uint32_t>(keys[begin + i]),
                         begin + i, query);
      }
    }
    return examined;
  }

  /// Announces that the buckets will have `postings` postings. add() then splits buckets while they are small, so that
  /// each split moves few postings.
  void expect(std::size_t postings) noexcept { expected_ = postings / mean_in_bucket; }
  /// Returns the number of postings in buckets.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Allocates buckets for `postings` postings. No bucket is split while that many postings are added.
  /// Precondition: no posting was added.
  void reserve(std::size_t postings) {
    const std::size_t buckets = (std::max)(postings / mean_in_bucket, std::size_t{1});
    buckets_of_.grow_to(buckets);
    buckets_ = buckets;
  }

  /// Frees a piece of the memory. After the first call, no other member may be called.
  /// Returns: false if no piece was left.
  bool free_piece() noexcept { return memory_.free_piece() || buckets_of_.free_chunk() || lists_.free_chunk(); }

  /// Removes all postings, and frees the memory.
  void clear() noexcept {
    buckets_of_.clear();
    buckets_ = 1;
    expected_ = size_ = 0;
    memory_ = {};
    lists_.clear();
    listed_bytes_ = 0;
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return buckets_of_.memory_usage() + memory_.memory_usage() + lists_.memory_usage() + listed_bytes_;
  }

 private:
  struct bucket {
    std::uint32_t array = 0;
    std::uint32_t count = 0;
  };
  /// A group has the postings of similar sizes and positions. The parts of a group are separate arrays, so that growing
  /// a group copies few postings.
  struct group {
    std::uint16_t sizes_from, sizes_to, positions_from;
    std::vector<std::vector<listed>> parts;
  };
  /// The postings of one frequent feature. Up to max_in_row postings are in one row. More postings are in groups, which
  /// are sorted by size and position.
  struct posting_list {
    std::vector<listed> row;
    std::vector<group> groups;
  };

  static constexpr std::size_t mean_in_bucket = 4;
  static constexpr int max_splits = 8;              // most splits in one call of add()
  static constexpr std::size_t max_in_array = 64;   // a feature with more postings gets a list
  static constexpr std::size_t max_in_part = 1024;  // most postings in a part of a group

  [[nodiscard]] std::size_t place(std::uint32_t token) const noexcept { return growing_place(mix(token), buckets_); }

  /// Adds a bucket, and moves its postings to it. All postings of the new bucket are in one old bucket. Guarantee:
  /// strong.
  void split();

  void append(bucket& to, const set_posting& added);

  /// Moves the postings of one token from a bucket to a new list at the end of lists_. In place of these postings, the
  /// bucket keeps one posting of size 0, whose `number` is the index of the list in lists_.
  /// Guarantee: strong.
  template <class BitsOf>
  void move_to_list(bucket& of, std::uint32_t token, const BitsOf& bits_of) {
    const std::span<const set_posting> all(memory_.at(of.array), of.count);
    posting_list list;
    std::size_t bytes = 0;
    for (const set_posting& p : all) {
      if (p.token == token) push_back(list.row, {bits_of(p.number), p.number, p.size, p.position}, bytes);
    }
    const auto left = static_cast<std::uint32_t>(of.count - list.row.size() + 1);
    const std::uint32_t array = memory_.allocate(left);
    undo leaving{[&] { memory_.release(array, left); }};
    lists_.grow_to(lists_.size() + 1);
    leaving.is_due = false;
    lists_[lists_.size() - 1] = std::move(list);
    set_posting* to = memory_.at(array);
    for (const set_posting& p : all) {
      if (p.token != token) *to++ = p;
    }
    *to = {token, static_cast<std::uint32_t>(lists_.size() - 1), 0, 0};
    memory_.release(of.array, of.count);
    of = {array, left};
    size_ -= all.size() - left;
    listed_bytes_ += bytes;
  }

  /// Appends a posting to the array `row`. A full array grows by a quarter, and `bytes` is increased by the number of
  /// added bytes.
  static void push_back(std::vector<listed>& row, const listed& added, std::size_t& bytes) {
    const std::size_t before = row.capacity();
    if (row.size() == before) row.reserve(before + before / 4 + 4);
    row.push_back(added);
    bytes += (row.capacity() - before) * sizeof(listed);
  }

  void add_to(posting_list& list, const listed& added);

  /// Returns the first and last of the sizes or positions that are grouped with n. A number below 64 is a group by
  /// itself. From 64 on there are 32 groups from each power of two to the next.
  static std::pair<std::uint16_t, std::uint16_t> range_of(std::uint16_t n) noexcept {
    if (n < 64 || n == set_posting::large) return {n, n};
    const unsigned step = std::bit_floor(unsigned{n}) / 32, from = n / step * step;
    const unsigned to = (std::min)(from + step - 1, unsigned{set_posting::large} - 1);
    return {static_cast<std::uint16_t>(from), static_cast<std::uint16_t>(to)};
  }

  static void add_to_group(posting_list& list, const listed& added, std::size_t& bytes);

  template <class Query>
  std::size_t scan(std::span<const set_posting> postings, std::uint32_t token, std::size_t index, Query& query) const {
    for (const set_posting& p : postings) {
      if (p.token != token) continue;
      if (p.size == 0) return scan(lists_[p.number], index, query);  // a feature with a list has no other postings
      query.meet(p.number, p.size, p.position, index);
    }
    return postings.size();
  }
  template <class Query>
  static std::size_t scan(const posting_list& list, std::size_t index, Query& query) {
    std::size_t examined = list.row.size() + list.groups.size();
    for (const listed& one : list.row) query.meet(one, index);
    for (const group& of : list.groups) {
      if (!query.admits(of.sizes_from, of.sizes_to, of.positions_from, index)) continue;
      for (const auto& part : of.parts) {
        examined += part.size();
        for (const listed& one : part) query.meet(one, index);
      }
    }
    return examined;
  }

  std::size_t max_in_row_;
  chunked_array<bucket> buckets_of_;
  std::size_t buckets_ = 1, expected_ = 0;
  std::size_t size_ = 0;  // number of postings in buckets
  posting_memory memory_;
  chunked_array<posting_list> lists_;
  std::size_t listed_bytes_ = 0;
};

#if NEARDUP_BODIES

NEARDUP_INLINE std::uint32_t posting_memory::allocate(std::size_t count) {
  const std::size_t n = capacity(count);
  if (n > chunk) return allocate_alone(n);
  std::uint32_t& free = free_[index_of(n)];
  if (free != none) return std::exchange(free, at(free)->number);
  if (open_size_ - used_ < n) {
    const std::size_t size = std::clamp(std::bit_floor(allocated_ / 4), (std::max)(min_chunk, std::bit_ceil(n)), chunk);
    const std::uint32_t added = add_chunk(size);
    give_rest();
    open_ = added;
    open_size_ = size;
    used_ = 0;
  }
  const std::size_t begin = std::exchange(used_, used_ + n);
  return open_ * static_cast<std::uint32_t>(chunk) + static_cast<std::uint32_t>(begin);
}

NEARDUP_INLINE void posting_memory::give_rest() noexcept {
  while (used_ < open_size_) {
    const std::size_t rest = open_size_ - used_;
    std::size_t n = rest;
    if (n > 8) n -= n % (std::bit_floor(n) / 4);
    give(open_ * static_cast<std::uint32_t>(chunk) + static_cast<std::uint32_t>(used_), n);
    used_ += n;
  }
}

NEARDUP_INLINE std::uint32_t posting_memory::add_chunk(std::size_t size) {
  std::unique_ptr<set_posting[]> memory(new set_posting[size]);
  if (unused_.empty()) {
    if (chunks_.size() >= none / chunk) fail<std::length_error>("sets have at most 2^32 - 1 postings");
    chunks_.push_back(std::move(memory));
    allocated_ += size;
    return static_cast<std::uint32_t>(chunks_.size() - 1);
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  chunks_[number] = std::move(memory);
  allocated_ += size;
  return number;
}

NEARDUP_INLINE void posting_lists::split() {
  buckets_of_.grow_to(buckets_ + 1);
  bucket& from = buckets_of_[buckets_ - std::bit_floor(buckets_)];
  const auto moves = [&](const set_posting& p) { return growing_place(mix(p.token), buckets_ + 1) == buckets_; };
  const std::span<set_posting> all =
      from.count == 0 ? std::span<set_posting>() : std::span(memory_.at(from.array), from.count);
  const auto moved = static_cast<std::uint32_t>(std::count_if(all.begin(), all.end(), moves));
  if (moved == from.count) {
    buckets_of_[buckets_] = std::exchange(from, {});
  } else if (moved != 0) {
    const bucket left{memory_.allocate(from.count - moved), from.count - moved};
    undo leaving{[&] { memory_.release(left.array, left.count); }};
    const bucket added{memory_.allocate(moved), moved};
    leaving.is_due = false;
    set_posting *to_left = memory_.at(left.array), *to_added = memory_.at(added.array);
    // Allocating does not move chunks, so `all` is still valid.
    for (const set_posting& p : all) *(moves(p) ? to_added++ : to_left++) = p;
    memory_.release(from.array, from.count);
    from = left;
    buckets_of_[buckets_] = added;
  }
  ++buckets_;
}

NEARDUP_INLINE void posting_lists::append(bucket& to, const set_posting& added) {
  if (to.count == 0 || to.count == posting_memory::capacity(to.count)) {
    const std::uint32_t array = memory_.allocate(std::size_t{to.count} + 1);
    if (to.count != 0) {
      std::copy_n(memory_.at(to.array), to.count, memory_.at(array));
      memory_.release(to.array, to.count);
    }
    to.array = array;
  }
  memory_.at(to.array)[to.count++] = added;
}

NEARDUP_INLINE void posting_lists::add_to(posting_list& list, const listed& added) {
  if (list.groups.empty() && list.row.size() < max_in_row_) return push_back(list.row, added, listed_bytes_);
  if (!list.groups.empty()) return add_to_group(list, added, listed_bytes_);
  posting_list grouped;
  std::size_t bytes = 0;
  for (const listed& one : list.row) add_to_group(grouped, one, bytes);
  add_to_group(grouped, added, bytes);
  listed_bytes_ += bytes;
  listed_bytes_ -= list.row.capacity() * sizeof(listed);
  list = std::move(grouped);
}

NEARDUP_INLINE void posting_lists::add_to_group(posting_list& list, const listed& added, std::size_t& bytes) {
  const auto [from, to] = range_of(added.size);
  const std::pair key{from, range_of(added.position).first};
  auto at = std::lower_bound(list.groups.begin(), list.groups.end(), key, [](const group& g, const auto& sought) {
    return std::pair{g.sizes_from, g.positions_from} < sought;
  });
  if (at == list.groups.end() || std::pair{at->sizes_from, at->positions_from} != key) {
    const std::size_t before = list.groups.capacity();
    at = list.groups.insert(at, group{from, to, key.second, {}});
    bytes += (list.groups.capacity() - before) * sizeof(group);
  }
  if (at->parts.empty() || at->parts.back().size() == max_in_part) at->parts.emplace_back();
  push_back(at->parts.back(), added, bytes);
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
