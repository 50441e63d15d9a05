// SPDX-License-Identifier: MIT
// Finds the connected components of fingerprints with several threads. Two fingerprints are adjacent if they differ in
// at most k bits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../detail/union_find.hpp"
#include "../../runner.hpp"
#include "../../simd/filters.hpp"
#include "fingerprint_join.hpp"
#include "join_input.hpp"

namespace neardup::inline v0::detail {

/// Unites the components of adjacent fingerprints, one job of a join at a time. Each thread needs its own object.
template <std::size_t Words, class Offset>
class component_finder {
 public:
  using join_type = fingerprint_join<Words, Offset>;
  using arrays = typename join_type::arrays;

  component_finder(const join_type& join, const pair_check& check, shared_components<Offset>& components)
      : join_(&join), check_(&check), components_(&components), scratch_(join.filter()) {}

  /// Unites the adjacent fingerprints of `job`, which is a job of `table`. Most jobs have few adjacent pairs, which are
  /// united one by one. A crowd of n near-duplicates has about n^2 / 2 adjacent pairs, but n - 1 unions are enough to
  /// connect it. sweep() finds these unions by breadth-first search.
  /// Precondition: all jobs of earlier tables are done.
  void unite(std::size_t table, const arrays& records, const filter_join& job) {
    table_ = table;
    if (unite_pairs(records, job)) return;
    if (job.is_behind) {
      sweep(records, {job.x, job.y_end}, {});
    } else {
      sweep(records, {job.x, job.x_end}, {job.y_begin, job.y_end});
    }
  }

 private:
  static constexpr std::size_t room = 4 * join_step;

  /// The records [begin, end) in the arrays of a table.
  struct range {
    std::size_t begin, end;
    [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  };

  /// Unites the pairs of a job whose fingerprints match, one by one.
  /// Returns: false if there are so many pairs that sweep() would be faster. Some pairs are then not united yet.
  bool unite_pairs(const arrays& records, filter_join job) {
    std::size_t most = room / 2 + 2 * (job.x_end - job.x + (job.is_behind ? 0 : job.y_end - job.y_begin));
    filter_pair found[room];
    while (!job.is_done()) {
      const std::size_t count = records.find_near(job, join_->k(), found, join_->level());
      for (const filter_pair& pair : std::span(found).first(count)) unite_if_near(records, pair.x, pair.y);
      if (count > most) return false;
      most -= count;
    }
    return true;
  }

  bool unite_if_near(const arrays& records, std::size_t x, std::size_t y) {
    if (count_differing_bits(records.words(x), records.words(y)) > join_->k()) return false;
    const std::size_t a = records.position(x);
    const std::size_t b = records.position(y);
    if (*check_) {
      // The check is the slowest operation. So it is not called for two documents that are already connected, nor for a
      // pair that an earlier table has checked.
      if (components_->find(a) == components_->find(b)) return true;
      if (!join_->plan().is_first(table_, records.words(x), records.words(y)) || !(*check_)(a, b)) return false;
    }
    components_->unite(a, b);
    return true;
  }

  /// Copies the range `from` of `records` into scratch_, after the first `count` records of scratch_.
  /// Returns: true if one component has all copied records and, if count > 0, record 0 of scratch_.
  bool copy(const arrays& records, range from, std::size_t count) {
    bool is_one = true;
    const std::size_t root = components_->find(count == 0 ? records.position(from.begin) : scratch_.position(0));
    for (std::size_t i = from.begin; i < from.end; ++i) {
      scratch_.set(count + i - from.begin, records.words(i), records.position(i));
      is_one = is_one && components_->find(records.position(i)) == root;
    }
    return is_one;
  }

  /// One side of a breadth-first search: adjacent records of scratch_, up to `end`. The records of this side before
  /// `queue` are done. The records [queue, rest) are reached, and wait in the queue. The records [rest, end) are not
  /// reached yet.
  struct side {
    std::size_t queue, rest, end;
  };

  /// Takes the next record from the queue of `from`. Then moves the unreached neighbours of this record in `to` to the
  /// queue of `to`.
  void step(side& from, side& to) {
    const std::size_t x = from.queue++;
    filter_pair found[room];
    for (filter_join job = filter_join::across(x, x + 1, to.rest, to.end); !job.is_done();) {
      const std::size_t count = scratch_.find_near(job, join_->k(), found, join_->level());
      // Pairs ascend by `y`, and a swap moves no record beyond `y`. So each record is compared once.
      for (const filter_pair& pair : std::span(found).first(count)) {
        if (unite_if_near(scratch_, x, pair.y)) scratch_.swap(pair.y, to.rest++);
      }
    }
  }

  /// Unites the connected records of a job by breadth-first search. If `b` is empty, the job compares the records of
  /// `a` with each other. Otherwise it compares records of `a` with records of `b`.
  void sweep(const arrays& records, range a, range b) {
    scratch_.take(a.size() + b.size());
    const bool is_within = b.size() == 0;
    const bool a_is_one = copy(records, a, 0);
    const bool b_is_one = is_within || copy(records, b, a.size());
    if (a_is_one && b_is_one) return;
    side one{0, 0, a.size()};
    side others{a.size(), a.size(), a.size() + b.size()};
    side& other = is_within ? one : others;
    while (other.rest < other.end) {
      if (other.queue < other.rest) {
        step(other, one);
        continue;
      }
      if (one.queue == one.rest) {
        if (one.rest == one.end) return;
        ++one.rest;
      }
      step(one, other);
    }
    // The records of `other` that were reached last may still have unreached neighbours in `one`.
    while (other.queue < other.rest) step(other, one);
  }

  const join_type* join_;
  const pair_check* check_;
  std::size_t table_ = 0;
  shared_components<Offset>* components_;
  arrays scratch_;
};

template <class Offset, std::size_t Words>
shared_components<Offset> find_components(const fingerprint_words<Words>& fingerprints, std::size_t bits, int k,
                                          int blocks, const any_runner& run, const pair_check& check = {}) {
  // With a check, copies are joined as separate documents, because the check may reject a pair of copies.
  fingerprint_join<Words, Offset> join(fingerprints, bits, k, blocks, run, check ? copies_as::others : copies_as::one);
  shared_components<Offset> components(fingerprints.size());
  join.copies().visit_groups([&](std::span<const Offset> group) {
    for (const Offset copy : group.subspan(1)) components.unite(group.front(), copy);
    return true;
  });
  std::vector<component_finder<Words, Offset>> finders;
  finders.reserve(join.parts(run));
  for (std::size_t part = 0; part < finders.capacity(); ++part) finders.emplace_back(join, check, components);
  using arrays = typename fingerprint_join<Words, Offset>::arrays;
  join.run(run, false, [&](std::size_t part, std::size_t table, const arrays& records, const filter_join& job) {
    finders[part].unite(table, records, job);
    return true;
  });
  return components;
}

#if defined(NEARDUP_COMPILED)
NEARDUP_INDEX_TEMPLATE shared_components<std::uint32_t> find_components<std::uint32_t>(const fingerprint_words<1>&,
                                                                                       std::size_t, int, int,
                                                                                       const any_runner&,
                                                                                       const pair_check&);
NEARDUP_INDEX_TEMPLATE shared_components<std::uint32_t> find_components<std::uint32_t>(const fingerprint_words<2>&,
                                                                                       std::size_t, int, int,
                                                                                       const any_runner&,
                                                                                       const pair_check&);
NEARDUP_INDEX_TEMPLATE shared_components<std::uint32_t> find_components<std::uint32_t>(const fingerprint_words<4>&,
                                                                                       std::size_t, int, int,
                                                                                       const any_runner&,
                                                                                       const pair_check&);
#endif

}  // namespace neardup::inline v0::detail
