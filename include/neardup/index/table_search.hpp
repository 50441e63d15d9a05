// The exact search through the tables of an index, many probes at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../detail/bits.hpp"
#include "../detail/prefetch.hpp"
#include "bucket_segment.hpp"
#include "filter.hpp"
#include "filter_scan.hpp"
#include "search_plans.hpp"

namespace neardup::inline v0::detail {

/// Calls `visit(flipped)` for `key` and every key that differs from it in at most `radius` of its bits from `first` to
/// `width`, each once. Returns: false if `visit` did, which ends it.
template <class Visit>
bool visit_keys_near(std::uint64_t key, std::size_t first, std::size_t width, int radius, const Visit& visit) {
  if (!visit(key)) return false;
  if (radius == 0) return true;
  for (std::size_t bit = first; bit < width; ++bit) {
    if (!visit_keys_near(key ^ (std::uint64_t{1} << bit), bit + 1, width, radius - 1, visit)) return false;
  }
  return true;
}

/// A search in progress: probes are collected, and looked up together, so that they wait for memory together.
///
/// `Tables` has prefetch_bucket(table, hash) and view(table, hash); `Store` has fingerprint(slot) and prefetch(slot).
/// The stages of a look-up: directories, filters, the slots of the filters within k bits, their fingerprints. What is no
/// match costs the first two, which is two cache misses that overlap with those of other probes.
template <std::size_t Words, class Offset, class Tables, class Store, class Visit>
class table_search {
 public:
  using words_type = std::array<std::uint64_t, Words>;

  table_search(const Tables& tables, const search_plans<Words>& plans, const Store& store,
               std::span<const words_type> queries, int k, const Visit& visit) noexcept
      : tables_(tables),
        keys_(plans.keys()),
        steps_(plans.within(k).probes),
        store_(store),
        queries_(queries),
        k_(k),
        visit_(visit),
        scan_narrow_(filter_scan<std::uint32_t>()),
        scan_wide_(filter_scan<std::uint64_t>()) {}

  /// Visits (query, slot, distance) of each fingerprint within k bits of each query, once, query by query; false from
  /// `visit` ends it. Returns: whether it was not ended.
  bool run() {
    for (std::size_t query = 0; query < queries_.size(); ++query) {
      for (std::size_t step = 0; step < steps_.size(); ++step) {
        const table_key<Words>& key = keys_[steps_[step].table];
        const bool goes_on =
            visit_keys_near(key.of(queries_[query]), 0, key.width(), steps_[step].radius, [&](std::uint64_t probed) {
              probe& next = probes_[count_++];
              next.key = probed;
              next.hash = key.hash_of_key(probed);
              next.query = query;
              next.step = step;
              tables_.prefetch_bucket(steps_[step].table, next.hash);
              return count_ < capacity || look_up();
            });
        if (!goes_on) return false;
      }
    }
    return look_up();
  }

 private:
  static constexpr std::size_t capacity = 128;

  struct probe {
    std::uint64_t key, hash;
    std::size_t query, step;
    bucket_view<Offset> bucket;
  };

  bool look_up() {
    std::array<filter_run, capacity> narrow, wide;
    std::size_t narrow_count = 0, wide_count = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      probe& p = probes_[i];
      p.bucket = tables_.view(steps_[p.step].table, p.hash);
      if (p.bucket.count == 0) continue;
      const auto* const filters = static_cast<const char*>(p.bucket.filters);
      prefetch(filters);
      prefetch(filters + p.bucket.count * (p.bucket.is_wide ? 8 : 4) - 1);
      const words_type& query = queries_[p.query];
      if (p.bucket.is_wide) {
        wide[wide_count++] = {filters, p.bucket.count, fold_filter<std::uint64_t>(query), i};
      } else {
        narrow[narrow_count++] = {filters, p.bucket.count, fold_filter<std::uint32_t>(query), i};
      }
    }
    count_ = 0;
    // One list is empty, or both are of one table each: with two widths the order is not that of the queries.
    return scan(scan_narrow_, narrow.data(), narrow_count) && scan(scan_wide_, wide.data(), wide_count);
  }

  template <class Scan>
  bool scan(const Scan& scan_filters, const filter_run* runs, std::size_t count) {
    std::array<filter_hit, hit_capacity> hits;
    std::array<std::size_t, hit_capacity> slots;
    for (scan_position at; at.run < count;) {
      const std::size_t found = scan_filters(runs, count, at, k_, hits.data());
      for (std::size_t i = 0; i < found; ++i) {
        const bucket_view<Offset>& bucket = probes_[runs[hits[i].run].probe].bucket;
        if (bucket.slots != nullptr) prefetch(bucket.slots + hits[i].position);
      }
      for (std::size_t i = 0; i < found; ++i) {
        slots[i] = probes_[runs[hits[i].run].probe].bucket.slot(hits[i].position);
        store_.prefetch(slots[i]);
      }
      for (std::size_t i = 0; i < found; ++i) {
        if (!verify(probes_[runs[hits[i].run].probe], slots[i])) return false;
      }
    }
    return true;
  }

  bool verify(const probe& p, std::size_t slot) {
    const words_type& query = queries_[p.query];
    const words_type& candidate = store_.fingerprint(slot);
    words_type difference;
    int distance = 0;
    for (std::size_t i = 0; i < Words; ++i) {
      difference[i] = candidate[i] ^ query[i];
      distance += portable_popcount(difference[i]);
    }
    if (distance > k_) return true;
    // Other keys share the bucket, and other probes may meet the same candidate: it counts at its own key only, in the
    // first of the probed tables that finds it.
    const table_key<Words>& key = keys_[steps_[p.step].table];
    if (steps_[p.step].radius == 0 ? !key.is_same(difference) : key.of(candidate) != p.key) return true;
    for (std::size_t step = 0; step < p.step; ++step) {
      if (keys_[steps_[step].table].is_within(difference, steps_[step].radius)) return true;
    }
    return visit_(p.query, slot, distance);
  }

  const Tables& tables_;
  std::span<const table_key<Words>> keys_;
  std::span<const table_probe> steps_;
  const Store& store_;
  std::span<const words_type> queries_;
  int k_;
  const Visit& visit_;
  decltype(filter_scan<std::uint32_t>()) scan_narrow_;
  decltype(filter_scan<std::uint64_t>()) scan_wide_;
  std::size_t count_ = 0;
  std::array<probe, capacity> probes_;
};

}  // namespace neardup::inline v0::detail
