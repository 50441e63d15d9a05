// One table of an index that grows and shrinks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "bucket_segment.hpp"

namespace neardup::inline v0::detail {

/// Buckets of filters by the hash of a key, in segments that grow each on its own: no insertion waits for more than a
/// share of the table to be arranged anew.
template <class Offset>
class bucket_table {
 public:
  /// For keys of `key_width` bits; filters of 64 bits or of 32.
  bucket_table(std::size_t key_width, bool is_wide) : key_width_(key_width), is_wide_(is_wide) {}

  /// Where the directory tells of the bucket of a hash, to load it ahead.
  [[nodiscard]] const void* entry(std::uint64_t hash) const noexcept {
    return segments_.empty() ? nullptr : segment_of(hash).entry(hash << log_segments_);
  }
  [[nodiscard]] bucket_view<Offset> view(std::uint64_t hash) const noexcept {
    if (segments_.empty()) return {};
    return segment_of(hash).view(hash << log_segments_);
  }

  /// Makes room so that push() cannot fail for this hash; `hash_of(slot)` is the hash of the key of what is stored,
  /// and `hash_of.prefetch(slot)` starts to load what that needs.
  /// Guarantee: strong; only the arrangement may change.
  template <class HashOf>
  void prepare(std::uint64_t hash, const HashOf& hash_of) {
    if (segments_.empty()) segments_.emplace_back(is_wide_);
    if (log_segments_ == 0 && segments_[0].size() >= split_size && key_width_ > log_split) split(hash_of);
    segment& s = segment_of(hash);
    grow(s, s.size() + 1, hash_of);
    s.prepare(hash << log_segments_);
  }

  /// Adds a slot. Precondition: prepare() for the same hash.
  void push(std::uint64_t hash, std::uint64_t filter, std::size_t slot) noexcept {
    segment_of(hash).push(hash << log_segments_, filter, slot);
  }
  void erase(std::uint64_t hash, std::size_t slot) noexcept { segment_of(hash).erase(hash << log_segments_, slot); }
  void renumber(std::uint64_t hash, std::size_t slot, std::size_t new_number) noexcept {
    segment_of(hash).renumber(hash << log_segments_, slot, new_number);
  }

  /// Gives the directories the size that suits `count` evenly spread filters, if they have less.
  /// Guarantee: strong; only the arrangement may change.
  template <class HashOf>
  void reserve(std::size_t count, const HashOf& hash_of) {
    if (segments_.empty()) segments_.emplace_back(is_wide_);
    if (log_segments_ == 0 && count >= split_size && key_width_ > log_split) split(hash_of);
    for (segment& s : segments_) grow(s, count >> log_segments_, hash_of);
  }

  /// Forgets everything and keeps the memory.
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

  // With fewer filters than this there is one segment, so that a small index is a small thing.
  static constexpr std::size_t split_size = 8192;
  static constexpr std::size_t log_split = 4;
  // A directory doubles when its buckets hold this many on average: twice half of this fill a cache line, and more
  // would be non-matches to look at.
  static constexpr std::size_t mean_load = 8;

  segment& segment_of(std::uint64_t hash) noexcept { return segments_[index_of(hash)]; }
  const segment& segment_of(std::uint64_t hash) const noexcept { return segments_[index_of(hash)]; }
  std::size_t index_of(std::uint64_t hash) const noexcept {
    return log_segments_ == 0 ? 0 : static_cast<std::size_t>(hash >> (word_bits - log_segments_));
  }

  template <class HashOf>
  void grow(segment& s, std::size_t count, const HashOf& hash_of) {
    // More buckets than keys would stay empty.
    const std::size_t max_log = (std::min)(std::size_t{40}, (std::max)(std::size_t{1}, key_width_ - log_segments_));
    std::size_t log = 1;
    if (s.has_buckets()) {
      if (count < mean_load * s.buckets()) return;
      log = static_cast<std::size_t>(std::countr_zero(s.buckets()));
      if (log >= max_log) return;
    }
    while (log < max_log && (count >> log) >= mean_load) ++log;
    segment larger(is_wide_);
    larger.make_buckets(log, s.size());
    const auto hash_in_segment = [&](std::size_t slot) { return hash_of(slot) << log_segments_; };
    if (larger.buckets() == 2 * s.buckets()) {
      larger.take_doubling(s, hash_in_segment, [&](std::size_t slot) { hash_of.prefetch(slot); });
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

  std::vector<segment> segments_;  // None, one, or 2^log_split.
  std::size_t log_segments_ = 0;
  std::size_t key_width_;
  bool is_wide_;
};

}  // namespace neardup::inline v0::detail
