// SPDX-License-Identifier: MIT
// Visitors of pairs, a buffer for the results of several threads, the matches of many queries, and classes of sets
// whose pairs a join may skip.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "mutex.hpp"

namespace neardup::inline v0::detail {

/// Calls `visit(arguments...)`.
/// Returns: false if `visit` returned false, which ends the visit; otherwise true.
template <class Visit, class... Arguments>
constexpr bool visit_goes_on(Visit& visit, Arguments&&... arguments) {
  using result = std::invoke_result_t<Visit&, Arguments...>;
  static_assert(std::is_void_v<result> || std::is_same_v<std::remove_cvref_t<result>, bool>,
                "neardup: a visitor returns nothing (it sees everything) or bool (false ends the visit)");
  if constexpr (std::is_void_v<result>) {
    visit(std::forward<Arguments>(arguments)...);
    return true;
  } else {
    return visit(std::forward<Arguments>(arguments)...);
  }
}

/// The matches of many queries in one flat array.
template <class Match>
struct match_batch {
  std::vector<Match> matches;        ///< the matches of query 0, then of query 1, ...
  std::vector<std::size_t> offsets;  ///< size() + 1 offsets: query i has the matches [offsets[i], offsets[i + 1])

  /// Returns the number of queries.
  [[nodiscard]] std::size_t size() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
  /// Returns the matches that search() returns for query `i`.
  /// Precondition: i < size().
  [[nodiscard]] std::span<const Match> operator[](std::size_t i) const noexcept {
    return std::span(matches).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

/// Buffers the results of each part of a search, and passes them to `take` in batches. Calls of `take` do not overlap.
/// With the buffers, parts seldom wait for each other.
template <class Found>
class found_by_parts {
 public:
  /// Receives results. Returns false to end the search.
  using take_type = std::function<bool(std::span<const Found>)>;

  /// Makes buffers for `parts` parts.
  /// Precondition: `take` outlives this object.
  found_by_parts(std::size_t parts, const take_type& take) : waiting_(parts), take_(take) {}

  /// Adds the results `some` of the part `part`.
  /// Returns: false only if a call of `take` has returned false or thrown.
  /// Throws: the exceptions of `take`; std::bad_alloc.
  bool add(std::size_t part, std::span<const Found> some) {
    waiting_[part].insert(waiting_[part].end(), some.begin(), some.end());
    constexpr std::size_t many = 1024;
    return waiting_[part].size() < many || hand_over(waiting_[part]);
  }

  /// Passes the results that are still buffered to `take`. Call this function after all parts have ended.
  /// Returns: false if a call of `take` has returned false or thrown.
  /// Throws: the exceptions of `take`; std::bad_alloc.
  bool finish() {
    return std::all_of(waiting_.begin(), waiting_.end(), [&](std::vector<Found>& some) { return hand_over(some); });
  }

 private:
  bool hand_over(std::vector<Found>& some) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(goes_on_, false)) return false;  // stays false if the call throws
    goes_on_ = some.empty() || take_(some);
    some.clear();
    return goes_on_;
  }

  std::vector<std::vector<Found>> waiting_;  // indexed by part
  const take_type& take_;
  mutex_type mutex_;
  bool goes_on_ = true;
};

/// Divides numbered sets into classes. A join may skip a pair of sets in one class. So a join of n sets that are all
/// similar need not visit n^2 / 2 pairs.
class set_classes {
 public:
  virtual ~set_classes() = default;
  /// Returns the class of the set with the number `set`.
  /// Invariant: classes may be merged, but never split.
  /// Thread safety: several threads call this function at once.
  [[nodiscard]] virtual std::size_t of(std::size_t set) const = 0;
  /// Returns true if the join may skip this pair. The default is true for two sets of one class.
  /// Thread safety: several threads call this function at once.
  [[nodiscard]] virtual bool leaves_out(std::size_t a, std::size_t b) const { return of(a) == of(b); }
  /// Receives a similar pair as soon as the pair is found.
  /// Thread safety: several threads call this function at once.
  virtual void add(std::size_t a, std::size_t b) = 0;
};

/// Decides when a join gives up: when it has found `least_pairs` pairs, and more than `most_failures` candidates that
/// are not pairs (*failures*). The caller then joins smaller pieces, and drops similar sets between the joins. With few
/// pairs, the caller could drop few sets, and would save nothing.
/// Thread safety: several threads may call all members at once.
class failure_limit {
 public:
  failure_limit(std::size_t most_failures, std::size_t least_pairs) noexcept
      : failures_left_(static_cast<std::ptrdiff_t>(most_failures)),
        pairs_needed_(static_cast<std::ptrdiff_t>(least_pairs)) {}

  void count(std::size_t candidates, std::size_t pairs) noexcept {
    failures_left_.fetch_sub(static_cast<std::ptrdiff_t>(candidates - pairs), std::memory_order_relaxed);
    pairs_needed_.fetch_sub(static_cast<std::ptrdiff_t>(pairs), std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_reached() const noexcept {
    return failures_left_.load(std::memory_order_relaxed) < 0 && pairs_needed_.load(std::memory_order_relaxed) <= 0;
  }

 private:
  std::atomic<std::ptrdiff_t> failures_left_, pairs_needed_;
};

/// The settings of a failure_limit. For n sets, most_failures = max(least, a_set * n), and least_pairs = n /
/// sets_a_pair.
struct failure_limits {
  std::size_t least = std::size_t{1} << 20, a_set = 256;  // a failure takes about 10 ns
  std::size_t sets_a_pair = 4;

  [[nodiscard]] failure_limit of(std::size_t sets) const noexcept {
    return {(std::max)(least, a_set * sets), sets / sets_a_pair};
  }
};

/// Applies set_classes to sets with other numbers: set i has the class of the set numbers[i].
class numbered_classes final : public set_classes {
 public:
  /// Precondition: `classes` and `numbers` outlive the object.
  numbered_classes(set_classes& classes, std::span<const std::uint32_t> numbers)
      : classes_(classes), numbers_(numbers) {}

  [[nodiscard]] std::size_t of(std::size_t set) const override { return classes_.of(numbers_[set]); }
  [[nodiscard]] bool leaves_out(std::size_t a, std::size_t b) const override {
    return classes_.leaves_out(numbers_[a], numbers_[b]);
  }
  void add(std::size_t a, std::size_t b) override { classes_.add(numbers_[a], numbers_[b]); }

 private:
  set_classes& classes_;
  std::span<const std::uint32_t> numbers_;
};

}  // namespace neardup::inline v0::detail
