// SPDX-License-Identifier: MIT
// Searches the tables of an index for one query. The result is exact.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "../../detail/bits.hpp"
#include "../../simd/filters.hpp"
#include "bucket_line.hpp"
#include "bucket_table.hpp"
#include "search_plans.hpp"
#include "searches.hpp"

namespace neardup::inline v0::detail {

/// The hash of a key that a search looks up, and the index of the key's step in the plan's `steps`.
struct key_probe {
  std::uint64_t hash;
  std::size_t step;
};

/// A bucket to scan, and the probe that found it.
template <class Offset>
struct probed_bucket : filter_run {
  const Offset* slots;
  std::size_t first_slot;
  key_probe origin;
};

/// A search for one query. Its probes are in groups, and a group passes through three stages, so that cache misses
/// overlap.
///
/// `Tables` has table(number). A table has entry(hash), the address of a directory entry, and view(hash), the bucket.
/// `Store` has fingerprint(slot) and first_id(slot). Stage 1 prefetches directory entries. Stage 2 reads directory
/// entries, and prefetches filters. Stage 3 compares filters, and prefetches the slots of filters within k bits of the
/// query's filter. Finally, for many candidates at a time, slots are read, fingerprints are prefetched, and
/// fingerprints are compared. Three groups are in progress, one per stage. Groups are short, because a processor drops
/// prefetches while about sixty lines are in flight.
template <std::size_t Words, class Offset, class Tables, class Store>
class table_search {
 public:
  using words_type = std::array<std::uint64_t, Words>;

  table_search(const Tables& tables, const search_plans<Words>& plans, const Store& store, const words_type& query,
               int k, const slot_visitor& visit) noexcept
      : tables_(tables), plan_(plans.within(k)), store_(store), query_(query), k_(k), visit_(visit) {}

  table_search(const table_search&) = delete;
  table_search& operator=(const table_search&) = delete;
  ~table_search() = default;

  /// Calls `visit(slot, distance)` once for each fingerprint within k bits of the query, until `visit` returns false.
  /// Returns: false if `visit` returned false.
  bool run() {
    std::size_t count = 0;
    for (std::size_t number = 0; number < plan_.steps.size(); ++number) {
      const auto& step = plan_.steps[number];
      const auto add = [&](std::uint64_t hash) {
        prefetch(tables_.table(step.table).entry(hash));
        newest_->probes[count++] = {hash, number};
        if (count != group_size) return true;
        count = 0;
        return advance(group_size);
      };
      if (!step.visit_hashes(query_, add)) return false;
    }
    return advance(count) && advance(0) && advance(0) && verify_all();
  }

 private:
  static constexpr std::size_t group_size = 32;
  static constexpr std::size_t candidate_capacity = 96;

  using bucket = probed_bucket<Offset>;

  struct group {
    std::size_t count = 0, narrow_count = 0, wide_count = 0;
    std::array<key_probe, group_size> probes;
    std::array<bucket, group_size> narrow, wide;
  };

  // A fingerprint whose filter is within k bits of the filter of the query.
  struct candidate {
    key_probe origin;
    const Offset* slot;  // the slot, to be read; null if `number` is already the slot
    std::size_t number;
  };

  // Moves each group to its next stage. The newest group has `count` probes. The oldest group is finished, and is
  // reused for new probes.
  bool advance(std::size_t count) {
    newest_->count = count;
    group* const oldest = older_[1];
    const bool goes_on = view(*older_[0]) && scan<std::uint32_t>(oldest->narrow, oldest->narrow_count) &&
                         scan<std::uint64_t>(oldest->wide, oldest->wide_count);
    older_[1] = older_[0];
    older_[0] = newest_;
    newest_ = oldest;
    return goes_on;
  }

  bool view(group& g) {
    bucket* narrow = g.narrow.data();
    bucket* wide = g.wide.data();
    std::array<line_probe, group_size> lines;
    std::size_t line_count = 0;
    for (std::size_t i = 0; i < g.count; ++i) {
      const key_probe& p = g.probes[i];
      const auto& table = tables_.table(plan_.steps[p.step].table);
      if constexpr (may_have_lines<decltype(table)>) {
        if (table.has_lines()) {
          lines[line_count++] = {&table.line(p.hash), fold_filter<std::uint16_t>(query_),
                                 static_cast<std::uint32_t>(i)};
        }
      }
      const bucket_view<Offset> found = table.view(p.hash);
      if (found.count == 0) continue;
      const auto* const filters = static_cast<const char*>(found.filters);
      // The hardware prefetcher loads the lines after the first max_lines.
      constexpr std::size_t line = 64, max_lines = 24;
      const std::size_t size = found.count * (found.is_wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t));
      for (std::size_t at = 0; at < (std::min)(size, max_lines * line); at += line) prefetch(filters + at);
      prefetch(filters + size - 1);
      if (found.is_wide) {
        *wide++ = {{filters, found.count, fold_filter<std::uint64_t>(query_)}, found.slots, found.first_slot, p};
      } else {
        *narrow++ = {{filters, found.count, fold_filter<std::uint32_t>(query_)}, found.slots, found.first_slot, p};
      }
    }
    g.narrow_count = static_cast<std::size_t>(narrow - g.narrow.data());
    g.wide_count = static_cast<std::size_t>(wide - g.wide.data());
    g.count = 0;
    if (line_count == 0) return true;
    line_findings<group_size> findings;
    line_scan<group_size>()(lines.data(), line_count, k_, findings);
    for (std::size_t i = 0; i < findings.hit_count; ++i) {
      const line_probe& p = lines[findings.hits[i].probe];
      if (!add({g.probes[p.number], nullptr, p.line->slot(findings.hits[i].position)})) return false;
    }
    return true;
  }

  template <class Filter>
  bool scan(const std::array<bucket, group_size>& buckets, std::size_t count) {
    if (count == 0) return true;
    const auto scan_filters = filter_scan<Filter, bucket>();
    std::array<filter_hit, hit_capacity> hits;
    for (scan_position at; at.run < count;) {
      const std::size_t found = scan_filters(buckets.data(), count, at, k_, hits.data());
      for (std::size_t i = 0; i < found; ++i) {
        const bucket& b = buckets[hits[i].run];
        const Offset* const slot = b.slots != nullptr ? b.slots + hits[i].position : nullptr;
        prefetch(slot);
        if (!add({b.origin, slot, b.first_slot + hits[i].position})) return false;
      }
    }
    return true;
  }

  bool add(const candidate& c) {
    candidates_[candidate_count_++] = c;
    return candidate_count_ != candidate_capacity || verify_all();
  }

  bool verify_all() {
    for (std::size_t i = 0; i < candidate_count_; ++i) {
      candidate& c = candidates_[i];
      if (c.slot != nullptr) c.number = static_cast<std::size_t>(*c.slot);
      prefetch(&store_.fingerprint(c.number));
      prefetch(store_.first_id(c.number));
    }
    for (std::size_t i = 0; i < candidate_count_; ++i) {
      if (!verify(candidates_[i])) return false;
    }
    candidate_count_ = 0;
    return true;
  }

  bool verify(const candidate& c) {
    const words_type& fingerprint = store_.fingerprint(c.number);
    const words_type difference = differing_bits(fingerprint, query_);
    const int distance = portable_popcount(difference);
    if (distance > k_) return true;
    // Several keys may share a bucket, and several probes may find the same fingerprint. A fingerprint is reported only
    // by the first probed table that finds it, and only if the probe looked up the key of the fingerprint.
    if (!plan_.steps[c.origin.step].is_own_key(difference, fingerprint, c.origin.hash)) return true;
    if (plan_.is_found_before(c.origin.step, difference)) return true;
    return visit_(c.number, distance);
  }

  const Tables& tables_;
  const typename search_plans<Words>::plan& plan_;
  const Store& store_;
  const words_type& query_;
  int k_;
  const slot_visitor& visit_;
  std::array<group, 3> groups_;
  group* newest_ = &groups_[0];  // stage 1: prefetches directory entries
  // older_[0]: stage 2, which reads directory entries; older_[1]: stage 3, which compares filters
  std::array<group*, 2> older_ = {&groups_[1], &groups_[2]};
  std::size_t candidate_count_ = 0;
  std::array<candidate, candidate_capacity> candidates_;
};

/// Runs a table_search, or scans all fingerprints if a scan is faster.
template <std::size_t Words, class Offset, class Tables, class Store>
bool search_tables(const Tables& tables, const search_plans<Words>& plans, const Store& store,
                   const std::array<std::uint64_t, Words>& query, int k, const slot_visitor& visit) {
  if (scan_pays<Words>(store.slots(), plans.within(k).keys)) return scan_all(store.fingerprints(), query, k, visit);
  return table_search<Words, Offset, Tables, Store>(tables, plans, store, query, k, visit).run();
}

/// Returns how many stored fingerprints search_tables() compares with a query. A scan compares all fingerprints.
/// Otherwise, search_tables() compares the fingerprints in the probed buckets.
template <std::size_t Words, class Tables, class Store>
[[nodiscard]] std::size_t compared_in_tables(const Tables& tables, const search_plans<Words>& plans, const Store& store,
                                             const std::array<std::uint64_t, Words>& query, int k) {
  const auto& plan = plans.within(k);
  if (scan_pays<Words>(store.slots(), plan.keys)) return store.slots();
  std::size_t count = 0;
  for (const auto& step : plan.steps) {
    const auto& table = tables.table(step.table);
    step.visit_hashes(query, [&](std::uint64_t hash) {
      if constexpr (may_have_lines<decltype(table)>) {
        if (table.has_lines()) count += table.line(hash).inline_count();
      }
      count += table.view(hash).count;
      return true;
    });
  }
  return count;
}

}  // namespace neardup::inline v0::detail
