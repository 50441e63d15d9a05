// Groups of near-duplicates: the connected components of "differs in at most k bits".
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "../detail/bits.hpp"
#include "../detail/filter_join.hpp"
#include "../runner.hpp"
#include "../simhash.hpp"
#include "../threads.hpp"
#include "join/fingerprint_range.hpp"
#include "join/self_join.hpp"
#include "join/shared_components.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Whether two positions whose fingerprints are near each other belong together; nothing: they do. From many threads.
using pair_check = std::function<bool(std::size_t, std::size_t)>;

/// Unites the fingerprints of one job after the other.
template <std::size_t Words, class Offset, class Filter>
class component_finder {
 public:
  using join_type = self_join<Words, Offset, Filter>;
  using arrays = typename join_type::arrays;

  component_finder(const join_type& join, const pair_check& check, shared_components<Offset>& components)
      : join_(&join), check_(&check), components_(&components) {}

  /// Unites what `job` of a table brings together. The tables before must be done.
  /// Most buckets have few pairs or none: these are compared at once. In a crowd of near-duplicates pairs are quadratic
  /// in number, and steps from one to the next are not: it is swept.
  void unite(std::size_t table, const arrays& records, const filter_join& job) {
    table_ = table;
    if (unite_pairs(records, job)) return;
    if (job.is_behind) {
      sweep(records, {job.x, job.y_end});
    } else {
      sweep(records, {job.x, job.x_end}, {job.y_begin, job.y_end});
    }
  }

 private:
  static constexpr std::size_t room = 4 * join_step;

  struct places {
    std::size_t begin, end;
    [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  };

  /// Returns: false if there are more pairs than a sweep has steps; then only some are united.
  bool unite_pairs(const arrays& records, filter_join job) {
    std::size_t most = room / 2 + 2 * (job.x_end - job.x + (job.is_behind ? 0 : job.y_end - job.y_begin));
    filter_pair found[room];
    while (!job.is_done()) {
      const std::size_t count = join_filters(records.filters.data(), job, join_->k(), std::span(found), join_->level());
      for (const filter_pair& pair : std::span(found).first(count)) unite_if_near(records, pair.x, pair.y);
      if (count > most) return false;
      most -= count;
    }
    return true;
  }

  bool unite_if_near(const arrays& records, std::size_t x, std::size_t y) {
    if (count_differing_bits(records.words[x], records.words[y]) > join_->k()) return false;
    const std::size_t a = records.positions[x];
    const std::size_t b = records.positions[y];
    if (*check_) {
      // A check costs more than all else here: what is connected needs none, and what met in a table before had its
      // own.
      if (components_->find(a) == components_->find(b)) return true;
      if (!join_->plan().is_first(table_, records.words[x], records.words[y]) || !(*check_)(a, b)) return false;
    }
    components_->unite(a, b);
    return true;
  }

  /// Copies records behind the `count` that are here. Returns: whether all of these are in one component already.
  bool copy(const arrays& records, places from, std::size_t count) {
    bool is_one = true;
    const std::size_t root = components_->find(count == 0 ? records.positions[from.begin] : own_.positions[0]);
    for (std::size_t i = from.begin; i < from.end; ++i) {
      own_.filters[count + i - from.begin] = records.filters[i];
      own_.words[count + i - from.begin] = records.words[i];
      own_.positions[count + i - from.begin] = records.positions[i];
      is_one = is_one && components_->find(records.positions[i]) == root;
    }
    return is_one;
  }

  /// Those of a range, in order: done.begin .. queue: whose neighbours are known; queue .. rest: reached; rest .. end:
  /// not.
  struct side {
    std::size_t queue, rest, end;
  };

  /// Takes the neighbours of the next in the queue of `from` out of the rest of `to` into its queue.
  void step(side& from, side& to) {
    const std::size_t x = from.queue++;
    filter_pair found[room];
    for (filter_join job = filter_join::across(x, x + 1, to.rest, to.end); !job.is_done();) {
      const std::size_t count = join_filters(own_.filters.data(), job, join_->k(), std::span(found), join_->level());
      // The places ascend and are not before to.rest, so what is swapped there is not to be looked at any more.
      for (const filter_pair& pair : std::span(found).first(count)) {
        if (unite_if_near(own_, x, pair.y)) own_.swap(pair.y, to.rest++);
      }
    }
  }

  /// Unites what is connected within some places: from each one reached, to all those not reached yet.
  void sweep(const arrays& records, places all) {
    own_.take(all.size());
    if (copy(records, all, 0)) return;
    side s{0, 0, all.size()};
    while (s.rest < s.end) {
      if (s.queue == s.rest) ++s.rest;
      step(s, s);
    }
  }

  /// The same for steps between two ranges of places.
  void sweep(const arrays& records, places a, places b) {
    own_.take(a.size() + b.size());
    const bool a_is_one = copy(records, a, 0);
    const bool b_is_one = copy(records, b, a.size());
    if (a_is_one && b_is_one) return;
    side one{0, 0, a.size()};
    side other{a.size(), a.size(), a.size() + b.size()};
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
    // Those reached last may reach others.
    while (other.queue < other.rest) step(other, one);
  }

  const join_type* join_;
  const pair_check* check_;
  std::size_t table_ = 0;
  shared_components<Offset>* components_;
  arrays own_;
};

template <std::size_t Words, class Offset, class Filter>
shared_components<Offset> find_components(const fingerprint_words<Words>& fingerprints, std::size_t bits, int k,
                                          int blocks, const any_runner& run, const pair_check& check = {}) {
  // A check may tell copies apart.
  self_join<Words, Offset, Filter> join(fingerprints, bits, k, blocks, run, check ? copies_as::others : copies_as::one);
  shared_components<Offset> components(fingerprints.size());
  for (const auto& copy : join.distinct().copies()) components.unite(copy.first, copy.position);
  std::vector<component_finder<Words, Offset, Filter>> finders;
  finders.reserve(join.parts(run));
  for (std::size_t part = 0; part < finders.capacity(); ++part) finders.emplace_back(join, check, components);
  join.run(run, false, [&](std::size_t part, std::size_t table, const auto& records, const filter_join& job) {
    finders[part].unite(table, records, job);
    return true;
  });
  return components;
}

}  // namespace detail

/// Which near-duplicates belong together: two fingerprints share a label if a chain of steps of at most k bits each
/// joins them.
/// `blocks` cuts the fingerprints as in pigeonhole_index; 0 means what suits their number and a sample of them.
/// `run` is how the work is spread: neardup::threads, or a runner of the caller's (see threads). Neither matters to the
/// result.
/// Returns: one label a fingerprint, the smallest position of its group; a fingerprint on its own has its own position.
/// Throws: std::length_error if Index cannot number the fingerprints; std::invalid_argument if k is not in 0..Bits or
/// there is no layout of `blocks` blocks; std::bad_alloc.
/// Complexity: that of visit_pairs without its calls; crowds of near-duplicates and of copies, which have a quadratic
/// number of pairs, take no more than others of their size.
/// Memory: that of visit_pairs, and a label and 4 bytes a fingerprint (8 from 2^32 fingerprints on).
template <std::integral Index = std::uint32_t, std::size_t Bits, class Run = threads>
[[nodiscard]] std::vector<Index> cluster(std::span<const simhash<Bits>> fingerprints, int k, int blocks = 0,
                                         const Run& run = Run{1}) {
  detail::check_distance(Bits, k);
  detail::check_index_type<Index>(fingerprints.size(), "cluster");
  std::vector<Index> labels(fingerprints.size());
  detail::with_join_types<Bits>(fingerprints.size(), k, [&](auto offset, auto filter) {
    constexpr std::size_t words = detail::words_for(Bits);
    auto components = detail::find_components<words, decltype(offset), decltype(filter)>(
        detail::fingerprint_words<words>(fingerprints), Bits, k, blocks, any_runner(run));
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<Index>(components.find(i));
  });
  return labels;
}

/// The same for a vector or another contiguous range.
template <std::integral Index = std::uint32_t, fingerprint_range Range, class Run = threads>
[[nodiscard]] std::vector<Index> cluster(const Range& fingerprints, int k, int blocks = 0, const Run& run = Run{1}) {
  constexpr std::size_t bits = detail::range_bits<Range>;
  return cluster<Index, bits>(std::span<const simhash<bits>>(fingerprints), k, blocks, run);
}

}  // namespace neardup::inline v0
