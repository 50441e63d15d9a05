// SPDX-License-Identifier: MIT
// The distinct sets of a source by ascending size, for a join.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <stdexcept>
#include <utility>

#include "../../detail/equal_groups.hpp"
#include "../../detail/large_array.hpp"
#include "../../detail/mutex.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../error.hpp"
#include "../../runner.hpp"
#include "../feature_sets.hpp"
#include "bitmap_filter.hpp"
#include "common_elements.hpp"
#include "rare_first.hpp"

namespace neardup::inline v0::detail {

/// A source of numbered sets: of(i) returns the features of set i, ascending and distinct.
/// Thread safety: several threads may call `of` at once.
template <class Feature>
struct set_source {
  std::size_t size = 0;
  std::function<std::span<const Feature>(std::size_t)> of;
};

/// The number of sets that a thread takes at a time.
inline constexpr std::size_t sets_a_step = 512;

[[noreturn]] inline void refuse_set(std::size_t number) {
  fail<std::invalid_argument>({"the features of set ", number, " are not in ascending order, each once"});
}

/// Calls `use(number)` for one number of each `stride` numbers in [first, last). The number is chosen pseudo-randomly
/// among the `stride` numbers. So the sample is good even if sets of several kinds take turns in a source.
template <class Use>
void for_each_sampled(std::size_t first, std::size_t last, std::size_t stride, const Use& use) {
  for (; first < last; first += stride) use(first + to_size(mix(first) % (std::min)(stride, last - first)));
}

/// Returns the stride of a sample of at most 1,024 sets.
template <class Feature>
[[nodiscard]] std::size_t stride_of_few(const set_source<Feature>& source) noexcept {
  return source.size / 1024 + 1;
}

/// Returns the sum of size_of(set) over all sets of a source, estimated from a sample.
template <class Feature, class SizeOf>
[[nodiscard]] std::size_t estimated_sum(const set_source<Feature>& source, const SizeOf& size_of) {
  std::uint64_t sum = 0;
  for_each_sampled(0, source.size, stride_of_few(source), [&](std::size_t i) { sum += size_of(source.of(i)); });
  return to_size(sum * stride_of_few(source));
}

/// Returns how many parts of a runner work on a source at once, if each takes sets_a_step sets at a time.
template <class Feature>
[[nodiscard]] std::size_t parts_for_sets(const set_source<Feature>& source, const any_runner& run) {
  return parts_for(run, source.size, sets_a_step);
}

/// Checks the sets of a source, and counts the tokens of a sample of the sets. Calls `take(part, number, set, sketch)`
/// for each set, with part < parts_for_sets(source, run). The parts of the runner `run` call `take` concurrently.
/// Returns: the counts. They do not depend on the runner.
/// Throws: std::invalid_argument if the features of a set are not ascending and distinct; the message names the set.
/// std::length_error if a set has 2^32 - 1 features or more.
template <class Feature, class Take>
[[nodiscard]] sampled_counts check_sets(const set_source<Feature>& source, const any_runner& run, const Take& take) {
  sampled_counts counts(estimated_sum(source, [](std::span<const Feature> set) { return set.size(); }));
  mutex_type mutex;
  in_steps(run, parts_for_sets(source, run), source.size, sets_a_step,
           [&](std::size_t part, std::size_t first, std::size_t last) {
             for (std::size_t i = first; i < last; ++i) {
               const std::span<const Feature> set = source.of(i);
               if (set.size() >= (std::numeric_limits<std::uint32_t>::max)()) {
                 fail<std::length_error>({"a set of ", set.size(), " features is too large to join"});
               }
               if (!is_ascending(set)) refuse_set(i);
               take(part, i, set, sketch_of(set));
             }
             // The sets of this step are still in the cache of the processor.
             const std::lock_guard lock(mutex);
             for_each_sampled(first, last, counts.stride(), [&](std::size_t i) {
               for (const Feature feature : source.of(i)) counts.count(feature_token(feature));
             });
             return true;
           });
  return counts;
}

/// Groups the equal sets of a source. hashes[i] is a hash of the whole set i. The sets numbered `first_count` and above
/// are a second corpus. Sets of different corpora are never copies of each other.
template <class Feature>
[[nodiscard]] equal_groups<std::uint32_t> equal_sets(const set_source<Feature>& source, std::size_t first_count,
                                                     std::span<const std::uint64_t> hashes, const any_runner& run) {
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    const bool a_is_second = a >= first_count, b_is_second = b >= first_count;
    return a_is_second != b_is_second ? a_is_second <=> b_is_second : compare_sets(source.of(a), source.of(b));
  };
  return {source.size, [hashes](std::size_t i) { return hashes[i]; }, compare, run};
}

/// Checks that a join can number the sets of a source.
/// Throws: std::length_error if the source has too many sets.
template <class Feature>
void check_count(const set_source<Feature>& source) {
  if (source.size < (std::numeric_limits<std::uint32_t>::max)()) return;
  fail<std::length_error>({"a join of ", source.size, " sets: there may be at most 2^32 - 2"});
}

/// The distinct sets of a source, ordered by (size, number in the source). The *rank* of a set is the set's number in
/// this order. Sets of fewer than `min_size` features are left out.
template <class Feature>
class distinct_sets {
 public:
  /// Orders the sets of a source. The sets numbered `first_count` and above are a second corpus. A set of the second
  /// corpus is never a copy of a set of the first corpus. With copies_as::others, no set is a copy.
  /// Throws: std::length_error if the source has too many sets.
  /// Complexity: one pass over all features, and O(n) for n sets.
  /// Memory: 24 bytes for each distinct set, 6 bytes for each copy, and up to 64 MB for the counts. The construction
  /// takes another 32 bytes for each set.
  distinct_sets(set_source<Feature> source, std::size_t first_count, std::size_t min_size, const any_runner& run,
                copies_as as = copies_as::one)
      : source_(std::move(source)), first_count_(first_count) {
    check_count(source_);
    large_array<std::uint64_t> hashes(source_.size);
    large_array<set_bitmap> bitmaps(source_.size);
    counts_ = check_sets(
        source_, run,
        [&](std::size_t /*part*/, std::size_t i, std::span<const Feature> /*set*/, const set_sketch& sketch) {
          bitmaps[i] = sketch.bitmap;
          hashes[i] = i < first_count_ ? sketch.hash : ~sketch.hash;
        });
    copies_ = as == copies_as::one ? equal_sets(source_, first_count, hashes.span(), run)
                                   : equal_groups<std::uint32_t>(source_.size);
    order_by_size(min_size, hashes);
    bitmaps_ = large_array<set_bitmap>(size());
    for (std::size_t rank = 0; rank < size(); ++rank) bitmaps_[rank] = bitmaps[first_of(rank)];
  }

  [[nodiscard]] std::size_t size() const noexcept { return sizes_.size(); }
  [[nodiscard]] std::span<const Feature> operator[](std::size_t rank) const { return source_.of(first_of(rank)); }
  [[nodiscard]] std::size_t size_of(std::size_t rank) const noexcept { return sizes_[rank]; }
  [[nodiscard]] const set_bitmap& bitmap_of(std::size_t rank) const noexcept { return bitmaps_[rank]; }
  /// Returns the groups of equal sets. A set is named by its number in the source.
  [[nodiscard]] const equal_groups<std::uint32_t>& copies() const noexcept { return copies_; }
  /// Returns the ascending numbers of all sets that equal the set of this rank.
  [[nodiscard]] std::span<const std::uint32_t> members(std::size_t rank) const noexcept {
    return copies_.members(firsts_[rank]);
  }
  /// Returns the least number of a set that equals the set of this rank.
  [[nodiscard]] const std::uint32_t& first_of(std::size_t rank) const noexcept { return firsts_[rank]; }
  [[nodiscard]] bool is_of_second(std::size_t rank) const noexcept { return first_of(rank) >= first_count_; }
  /// Returns the document frequencies of the tokens in a sample of the sets.
  [[nodiscard]] const sampled_counts& counts() const noexcept { return counts_; }
  [[nodiscard]] std::size_t source_size() const noexcept { return source_.size; }
  /// Returns the set with this number in the source.
  [[nodiscard]] std::span<const Feature> set_of(std::size_t number) const { return source_.of(number); }

 private:
  /// Fills firsts_ and sizes_ with the sets of at least `min_size` features. `memory` is scratch memory, one word for
  /// each set.
  void order_by_size(std::size_t min_size, large_array<std::uint64_t>& memory) {
    std::size_t count = 0;
    large_array<std::uint64_t> ordered(copies_.distinct());  // each word: a size (high half) and a number (low half)
    for (std::size_t i = 0; i < source_.size; ++i) {
      if (copies_.is_copy(i)) continue;
      const std::size_t size = source_.of(i).size();
      if (size >= min_size) ordered[count++] = std::uint64_t{size} << 32 | i;
    }
    sort_words(ordered.span().first(count), memory.span().first(count), 32);
    firsts_ = large_array<std::uint32_t>(count);
    sizes_ = large_array<std::uint32_t>(count);
    for (std::size_t rank = 0; rank < count; ++rank) {
      firsts_[rank] = static_cast<std::uint32_t>(ordered[rank]);
      sizes_[rank] = static_cast<std::uint32_t>(ordered[rank] >> 32);
    }
  }

  set_source<Feature> source_;
  std::size_t first_count_;
  sampled_counts counts_;
  equal_groups<std::uint32_t> copies_;
  large_array<std::uint32_t> firsts_, sizes_;  // indexed by rank, as the bitmaps are
  large_array<set_bitmap> bitmaps_;
};

}  // namespace neardup::inline v0::detail
