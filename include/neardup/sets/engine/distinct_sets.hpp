// SPDX-License-Identifier: MIT
// The distinct sets among many sets, by ascending size, with the properties that a join needs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../detail/large_array.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../error.hpp"
#include "../../runner.hpp"
#include "bitmap_filter.hpp"
#include "rare_first.hpp"

namespace neardup::inline v0::detail {

/// Sets by their numbers: of(i) returns the features of set i, ascending and distinct. Several threads call `of` at
/// once.
template <class Feature>
struct set_source {
  std::size_t size = 0;
  std::function<std::span<const Feature>(std::size_t)> of;
};

/// Counts the tokens of all sets of a source, and calls `take(part, number, size, sketch)` for each set; the parts of
/// `run` call it concurrently. `most`: about how many tokens there is memory for.
/// Throws: std::length_error from 2^32 - 1 features of a set on.
template <class Feature, class Take>
[[nodiscard]] token_counts count_tokens(const set_source<Feature>& source, double most, const any_runner& run,
                                        const Take& take) {
  const std::size_t sampled = (std::min)(source.size, std::size_t{1024});
  std::size_t sum = 0;
  for (std::size_t i = 0; i < sampled; ++i) sum += source.of(source.size / sampled * i).size();
  const double expected = static_cast<double>(sum) * static_cast<double>(source.size) /
                          static_cast<double>((std::max)(sampled, std::size_t{1}));
  token_counts counts(static_cast<std::size_t>((std::min)(expected, most)));
  constexpr std::size_t step = 512;
  const std::size_t parts = parts_for(run, source.size, step);
  in_steps(run, parts, source.size, step, [&](std::size_t part, std::size_t first, std::size_t last) {
    token_counter counter(counts, parts > 1);
    for (std::size_t i = first; i < last; ++i) {
      const std::span<const Feature> set = source.of(i);
      if (set.size() >= (std::numeric_limits<std::uint32_t>::max)()) {
        fail<std::length_error>("a set of " + std::to_string(set.size()) + " features is too large to join");
      }
      set_sketcher sketcher;
      for (const Feature feature : set) {
        const std::uint32_t token = feature_token(feature);
        counter.add(token);
        sketcher.add(token);
      }
      take(part, i, set.size(), sketcher.result());
    }
    counter.finish();
    return true;
  });
  return counts;
}

/// The sets of a source without their copies, numbered by ascending size. That number is the *rank* of a set. Sets that
/// are too small for any pair are left out.
template <class Feature>
class distinct_sets {
 public:
  /// Sets from number `first_count` on are a second corpus. A set of the second corpus never counts as a copy of a set
  /// of the first. Throws: std::length_error.
  /// Complexity: two passes over all features, and O(n log n) for n sets. Memory: 28 bytes per set, temporarily twice
  /// that; and for the counts two thirds of a byte for each feature.
  distinct_sets(set_source<Feature> source, std::size_t first_count, std::size_t min_size, const any_runner& run)
      : source_(std::move(source)), first_count_(first_count) {
    if (source_.size >= (std::numeric_limits<std::uint32_t>::max)()) {
      fail<std::length_error>("a join of " + std::to_string(source_.size) + " sets: there may be at most 2^32 - 2");
    }
    large_array<record> records(source_.size);
    large_array<set_bitmap> bitmaps(source_.size);
    look_at_all(records.span(), bitmaps.span(), run);
    sort(records, run);
    const std::span<const record> ascending = records.span();
    const auto first =
        std::partition_point(ascending.begin(), ascending.end(), [=](const record& r) { return r.size < min_size; });
    number({first, ascending.end()}, bitmaps.span());
  }

  /// The number of distinct sets.
  [[nodiscard]] std::size_t size() const noexcept { return sizes_.size(); }
  [[nodiscard]] std::span<const Feature> operator[](std::size_t rank) const { return source_.of(first_of(rank)); }
  [[nodiscard]] std::size_t size_of(std::size_t rank) const noexcept { return sizes_[rank]; }
  [[nodiscard]] const set_bitmap& bitmap_of(std::size_t rank) const noexcept { return bitmaps_[rank]; }
  /// The numbers of all sets that equal the set of this rank, ascending.
  [[nodiscard]] std::span<const std::uint32_t> members(std::size_t rank) const noexcept {
    return std::span(members_).subspan(begins_[rank], begins_[rank + 1] - begins_[rank]);
  }
  [[nodiscard]] std::size_t first_of(std::size_t rank) const noexcept { return members_[begins_[rank]]; }
  [[nodiscard]] bool is_of_second(std::size_t rank) const noexcept { return first_of(rank) >= first_count_; }
  [[nodiscard]] std::size_t first_count() const noexcept { return first_count_; }
  [[nodiscard]] const token_counts& counts() const noexcept { return counts_; }
  [[nodiscard]] std::size_t source_size() const noexcept { return source_.size; }
  /// A set by its number in the source.
  [[nodiscard]] std::span<const Feature> set_of(std::size_t number) const { return source_.of(number); }

 private:
  struct record {
    std::uint64_t hash;  // of the set; after sorting, 1 if the set equals the previous one
    std::uint32_t size;
    std::uint32_t number;
  };

  void look_at_all(std::span<record> records, std::span<set_bitmap> bitmaps, const any_runner& run) {
    constexpr double no_limit = std::numeric_limits<double>::infinity();
    counts_ = count_tokens(source_, no_limit, run,
                           [&](std::size_t /*part*/, std::size_t i, std::size_t size, const set_sketch& sketch) {
                             bitmaps[i] = sketch.bitmap;
                             records[i] = {i < first_count_ ? sketch.hash : ~sketch.hash,
                                           static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(i)};
                           });
  }

  /// Sorts records by size, with equal sets adjacent and in the order of their numbers. Marks the copies in `hash`.
  void sort(large_array<record>& records, const any_runner& run) {
    constexpr int bits = 10;
    // Visiting all buckets takes 10 us, half the time of a join of two sets.
    if (records.size() < std::size_t{1} << bits) return group_copies(records.span());
    const auto address = [](const record& r) {  // monotonic in the size
      if (r.size < 256) return static_cast<std::size_t>(r.size);
      const auto width = static_cast<std::size_t>(std::bit_width(r.size));
      return width * 32 + (r.size >> (width - 6) & 31U) - 32;  // from 256 on: widths from 9 to 32
    };
    large_array<record> sorted(records.size());
    std::vector<std::size_t> begins;
    radix_scatter(
        records.size(), bits, [from = records.data()](std::size_t i) { return from[i]; }, address,
        [to = sorted.data()](std::size_t place, const record& r) { to[place] = r; }, begins, run);
    records.swap(sorted);
    in_steps(run, parts_for(run, records.size(), 4096), begins.size() - 1, 1,
             [&](std::size_t /*part*/, std::size_t bucket, std::size_t) {
               group_copies(records.span().subspan(begins[bucket], begins[bucket + 1] - begins[bucket]));
               return true;
             });
  }

  void group_copies(std::span<record> records) {
    std::sort(records.begin(), records.end(), [](const record& a, const record& b) {
      if (a.size != b.size) return a.size < b.size;
      return a.hash != b.hash ? a.hash < b.hash : a.number < b.number;
    });
    const auto set_of = [&](const record& r) { return source_.of(r.number); };
    const auto are_copies = [&](const record& a, const record& b) {
      const auto x = set_of(a), y = set_of(b);
      return (a.number < first_count_) == (b.number < first_count_) && std::equal(x.begin(), x.end(), y.begin());
    };
    for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
      const auto is_same = [&](const record& r) {
        return r.hash == records[begin].hash && r.size == records[begin].size;
      };
      while (end < records.size() && is_same(records[end])) ++end;
      const std::span<record> run = records.subspan(begin, end - begin);
      const bool are_all = run.size() == 1 || std::all_of(run.begin() + 1, run.end(),
                                                          [&](const record& r) { return are_copies(run.front(), r); });
      if (!are_all) {  // different sets have the same hash
        std::sort(run.begin(), run.end(), [&](const record& a, const record& b) {
          const bool in_a = a.number < first_count_, in_b = b.number < first_count_;
          if (in_a != in_b) return in_a;
          const auto x = set_of(a), y = set_of(b);
          const auto at = std::mismatch(x.begin(), x.end(), y.begin());
          return at.first != x.end() ? *at.first < *at.second : a.number < b.number;
        });
      }
      for (std::size_t i = run.size(); i-- > 1;) {
        run[i].hash = are_all || are_copies(run[i - 1], run[i]) ? 1 : 0;
      }
      run.front().hash = 0;
    }
  }

  void number(std::span<const record> records, std::span<const set_bitmap> bitmaps) {
    const auto count = static_cast<std::size_t>(
        std::count_if(records.begin(), records.end(), [](const record& r) { return r.hash == 0; }));
    sizes_ = large_array<std::uint32_t>(count);
    begins_ = large_array<std::uint32_t>(count + 1);
    members_.resize(records.size());
    bitmaps_ = large_array<set_bitmap>(count);
    std::size_t rank = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
      members_[i] = records[i].number;
      if (records[i].hash != 0) continue;
      begins_[rank] = static_cast<std::uint32_t>(i);
      sizes_[rank] = records[i].size;
      bitmaps_[rank] = bitmaps[records[i].number];
      ++rank;
    }
    begins_[count] = static_cast<std::uint32_t>(records.size());
  }

  set_source<Feature> source_;
  std::size_t first_count_;
  token_counts counts_;
  std::vector<std::uint32_t> members_;
  large_array<std::uint32_t> begins_;  // by rank: index of the first member in members_
  large_array<std::uint32_t> sizes_;
  large_array<set_bitmap> bitmaps_;
};

}  // namespace neardup::inline v0::detail
