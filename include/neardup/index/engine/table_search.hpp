// The exact search through the tables of an index, many probes at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../../detail/bits.hpp"
#include "prefetch.hpp"
#include "bucket_line.hpp"
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
    const std::uint64_t flipped = key ^ (std::uint64_t{1} << bit);
    // Most of the keys have no bits left to flip: they come from a loop, without a call for each.
    if (!(radius == 1 ? visit(flipped) : visit_keys_near(flipped, bit + 1, width, radius - 1, visit))) return false;
  }
  return true;
}

template <std::size_t Words>
[[nodiscard]] std::array<std::uint64_t, Words> differing_bits(const std::array<std::uint64_t, Words>& a,
                                                              const std::array<std::uint64_t, Words>& b) noexcept {
  std::array<std::uint64_t, Words> result;
  for (std::size_t i = 0; i < Words; ++i) result[i] = a[i] ^ b[i];
  return result;
}

template <std::size_t Words>
[[nodiscard]] int count_bits(const std::array<std::uint64_t, Words>& words) noexcept {
  int count = 0;
  for (const std::uint64_t word : words) count += portable_popcount(word);
  return count;
}

/// Whether the probe that found a match was for its key, and not for another in the same bucket: in a table that is
/// probed with a radius, whether `hash` is that of the match.
template <std::size_t Words>
[[nodiscard]] bool is_own_key(const typename search_plans<Words>::step& step,
                              const std::array<std::uint64_t, Words>& difference,
                              const std::array<std::uint64_t, Words>& fingerprint, std::uint64_t hash) noexcept {
  return step.radius == 0 ? step.key.is_same(difference) : step.key.hash(fingerprint) == hash;
}

/// Whether one of the steps finds a match that differs from the query like this.
template <std::size_t Words>
[[nodiscard]] bool is_found_before(std::span<const typename search_plans<Words>::step> steps,
                                   const std::array<std::uint64_t, Words>& difference) noexcept {
  for (const auto& step : steps) {
    if (step.key.is_within(difference, step.radius)) return true;
  }
  return false;
}

/// Whether tables of this type may have bucket_lines for some of their buckets.
template <class Table>
inline constexpr bool may_have_lines = requires(const Table& table) {
  table.has_lines();
};

/// A search in progress, for few queries; for many there is batch_search. Probes go through stages, a group of them at
/// a time, so that they wait for memory together.
///
/// `Tables` has table(number), and that entry(hash), which is where the directory tells of a bucket, and view(hash);
/// `Store` has fingerprint(slot), prefetch_fingerprint(slot) and prefetch_ids(slot).
/// The stages: directories are asked for; read, and the filters asked for; filters are compared, and the slots of those
/// within k bits asked for; then, many at a time, slots are read, fingerprints asked for, and compared. While one group
/// is in one stage the next is in the one before. Groups are short: a processor drops what it is asked for when about
/// sixty lines are on their way already.
template <std::size_t Words, class Offset, class Tables, class Store, class Visit>
class table_search {
 public:
  using words_type = std::array<std::uint64_t, Words>;

  table_search(const Tables& tables, const search_plans<Words>& plans, const Store& store,
               std::span<const words_type> queries, int k, const Visit& visit) noexcept
      : tables_(tables),
        steps_(plans.within(k).steps),
        store_(store),
        queries_(queries),
        k_(k),
        visit_(visit),
        scan_narrow_(filter_scan<std::uint32_t, bucket>()),
        scan_wide_(filter_scan<std::uint64_t, bucket>()),
        scan_lines_(line_scan<group_size>()) {}

  table_search(const table_search&) = delete;
  table_search& operator=(const table_search&) = delete;
  ~table_search() = default;

  /// Visits (query, slot, distance) of each fingerprint within k bits of each query, once; false from `visit` ends it.
  /// Returns: whether it was not ended.
  bool run() {
    probe* next = newest_->probes.data();
    const auto add = [&](const step_type& step, std::uint64_t key, std::size_t query, std::size_t number) {
      const std::uint64_t hash = step.key.hash_of_key(key);
      prefetch(tables_.table(step.table).entry(hash));
      *next++ = {hash, static_cast<std::uint32_t>(query), static_cast<std::uint32_t>(number)};
      if (next != newest_->probes.data() + group_size) return true;
      const bool goes_on = advance(group_size);
      next = newest_->probes.data();
      return goes_on;
    };
    for (std::size_t query = 0; query < queries_.size(); ++query) {
      const words_type& words = queries_[query];
      for (std::size_t number = 0; number < steps_.size(); ++number) {
        const step_type& step = steps_[number];
        const std::uint64_t key = step.key.of(words);
        if (!(step.radius == 0 ? add(step, key, query, number)
                               : visit_keys_near(key, 0, step.key.width(), step.radius, [&](std::uint64_t probed) {
                                   return add(step, probed, query, number);
                                 }))) {
          return false;
        }
      }
    }
    return advance(static_cast<std::size_t>(next - newest_->probes.data())) && advance(0) && advance(0) && verify_all();
  }

 private:
  static constexpr std::size_t group_size = 32;
  static constexpr std::size_t candidate_capacity = 96;

  using step_type = typename search_plans<Words>::step;

  struct probe {
    std::uint64_t hash;
    std::uint32_t query, step;
  };

  // A bucket to look through, and the probe that led there.
  struct bucket : filter_run {
    const Offset* slots;
    std::size_t first_slot;
    probe origin;
  };

  struct group {
    std::size_t count = 0, narrow_count = 0, wide_count = 0;
    std::array<probe, group_size> probes;
    std::array<bucket, group_size> narrow, wide;
  };

  // A fingerprint whose filter is within k bits.
  struct candidate {
    probe origin;
    const Offset* slot;  // null if it is `number`
    std::size_t number;
  };

  // Moves the groups on by a stage: the newest, which has `count` probes, is begun anew.
  bool advance(std::size_t count) {
    newest_->count = count;
    group* const oldest = older_[1];
    const bool goes_on = view(*older_[0]) && scan(scan_narrow_, oldest->narrow, oldest->narrow_count) &&
                         scan(scan_wide_, oldest->wide, oldest->wide_count);
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
      const probe& p = g.probes[i];
      const auto& table = tables_.table(steps_[p.step].table);
      if constexpr (may_have_lines<decltype(table)>) {
        if (table.has_lines()) {
          const auto filter = fold_filter<std::uint16_t>(queries_[p.query]);
          lines[line_count++] = {&table.line(p.hash), filter, static_cast<std::uint32_t>(i)};
        }
      }
      const bucket_view<Offset> found = table.view(p.hash);
      if (found.count == 0) continue;
      const auto* const filters = static_cast<const char*>(found.filters);
      // Longer runs bring the processor to fetch ahead by itself.
      constexpr std::size_t line = 64, most_lines = 24;
      const std::size_t size = found.count * (found.is_wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t));
      for (std::size_t at = 0; at < (std::min)(size, most_lines * line); at += line) prefetch(filters + at);
      prefetch(filters + size - 1);
      const words_type& query = queries_[p.query];
      if (found.is_wide) {
        *wide++ = {{filters, found.count, fold_filter<std::uint64_t>(query)}, found.slots, found.first_slot, p};
      } else {
        *narrow++ = {{filters, found.count, fold_filter<std::uint32_t>(query)}, found.slots, found.first_slot, p};
      }
    }
    g.narrow_count = static_cast<std::size_t>(narrow - g.narrow.data());
    g.wide_count = static_cast<std::size_t>(wide - g.wide.data());
    g.count = 0;
    if (line_count == 0) return true;
    line_findings<group_size> findings;
    scan_lines_(lines.data(), line_count, k_, findings);
    for (std::size_t i = 0; i < findings.hit_count; ++i) {
      const line_probe& p = lines[findings.hits[i].probe];
      if (!add({g.probes[p.number], nullptr, p.line->slot(findings.hits[i].position)})) return false;
    }
    return true;
  }

  template <class Scan>
  bool scan(const Scan& scan_filters, const std::array<bucket, group_size>& buckets, std::size_t count) {
    if (count == 0) return true;
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
      store_.prefetch_fingerprint(c.number);
      store_.prefetch_ids(c.number);
    }
    for (std::size_t i = 0; i < candidate_count_; ++i) {
      if (!verify(candidates_[i])) return false;
    }
    candidate_count_ = 0;
    return true;
  }

  bool verify(const candidate& c) {
    const words_type& query = queries_[c.origin.query];
    const words_type& fingerprint = store_.fingerprint(c.number);
    const words_type difference = differing_bits<Words>(fingerprint, query);
    const int distance = count_bits<Words>(difference);
    if (distance > k_) return true;
    // Other keys share the bucket, and other probes may meet the same fingerprint: it counts at its own key only, in
    // the first of the probed tables that finds it.
    if (!is_own_key<Words>(steps_[c.origin.step], difference, fingerprint, c.origin.hash)) return true;
    if (is_found_before<Words>(steps_.first(c.origin.step), difference)) return true;
    return visit_(std::size_t{c.origin.query}, c.number, distance);
  }

  const Tables& tables_;
  std::span<const step_type> steps_;
  const Store& store_;
  std::span<const words_type> queries_;
  int k_;
  const Visit& visit_;
  decltype(filter_scan<std::uint32_t, bucket>()) scan_narrow_;
  decltype(filter_scan<std::uint64_t, bucket>()) scan_wide_;
  decltype(line_scan<group_size>()) scan_lines_;
  std::array<group, 3> groups_;
  group* newest_ = &groups_[0];                               // directories are being asked for
  std::array<group*, 2> older_ = {&groups_[1], &groups_[2]};  // are on their way; filters are on their way
  std::size_t candidate_count_ = 0;
  std::array<candidate, candidate_capacity> candidates_;
};

}  // namespace neardup::inline v0::detail
