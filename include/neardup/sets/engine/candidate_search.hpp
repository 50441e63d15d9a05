// SPDX-License-Identifier: MIT
// Searches posting lists of rare features for the stored sets that may be similar to a given set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "bitmap_filter.hpp"
#include "overlap_bounds.hpp"
#include "posting_lists.hpp"
#include "rare_first.hpp"

namespace neardup::inline v0::detail {

/// For containment, features after the prefix of a stored set are indexed, too. The token of such a feature is replaced
/// by token ^ salt_behind_prefix.
inline constexpr std::uint32_t salt_behind_prefix = 0x85ebca6bU;

/// Folds the bitmap of a set to 64 bits, for posting_lists::listed::bits.
[[nodiscard]] inline std::uint64_t fold_bitmap(const set_bitmap& bitmap) noexcept { return bitmap[0] ^ bitmap[1]; }

/// Calls `take(posting)` for the posting of each prefix feature of a set of `n` features. `find(count)` returns the
/// tokens and frequencies of the first `count` features, as prefix_finder::find() does. For containment, features after
/// the prefix are passed as well, with changed tokens. Before each batch of postings, prefetch(keys) is called. The
/// lowest 32 bits of keys[i] are the token of a posting of the batch.
template <class Find, class Prefetch, class Take>
void for_each_posting(std::size_t n, std::uint32_t number, const overlap_bounds& bounds, const Find& find,
                      const Prefetch& prefetch, const Take& take) {
  const std::size_t posted = n == 0 || bounds.looks_up_all() ? n : bounds.prefix(n);
  if (posted == 0) return;
  const std::size_t prefix = bounds.looks_up_all() ? bounds.indexed(n) : posted;
  const std::span<const std::uint64_t> keys = find(posted);
  set_posting posting{0, number, set_posting::clipped(n), 0};
  constexpr std::size_t step = 32;  // postings per step, so that their cache misses overlap
  for (std::size_t position = 0; position < posted; ++position) {
    if (position % step == 0) prefetch(keys.subspan(position, (std::min)(step, posted - position)));
    posting.token = static_cast<std::uint32_t>(keys[position]) ^ (position < prefix ? 0 : salt_behind_prefix);
    if (!bounds.looks_up_all()) posting.position = set_posting::clipped(position);
    take(std::as_const(posting));
  }
}

/// The least overlap of a given set with sets of each size, computed in advance for small sizes. The memory is reused
/// for the next given set.
class least_overlaps {
 public:
  /// Computes the least overlaps for a given set of `n` features.
  void prepare(const overlap_bounds& bounds, std::size_t n);

  /// Returns true if a set of `size` features may be similar enough.
  [[nodiscard]] bool fits(std::size_t size) const noexcept { return size >= first_ && size <= last_; }
  [[nodiscard]] std::size_t first_size() const noexcept { return first_; }
  [[nodiscard]] std::size_t last_size() const noexcept { return last_; }
  /// Returns the least overlap with a set of `size` features. If no overlap suffices, the result exceeds the smaller of
  /// the two sizes.
  [[nodiscard]] std::size_t operator()(std::size_t size) const noexcept {
    if (bounds_->measure() != set_similarity::cosine) {
      const std::size_t at = bounds_->measure() == set_similarity::jaccard ? size + n_ : (std::min)(size, n_);
      if (at < table_.size()) return table_[at];
    }
    return bounds_->least(size, n_);
  }

 private:
  static constexpr std::size_t max_in_table = std::size_t{1} << 17;
  static constexpr double largest_set = 1e10;  // no set has as many features

  std::optional<overlap_bounds> bounds_;
  std::size_t n_ = 0, first_ = 0, last_ = 0;
  std::vector<std::uint32_t> table_;  // index: the sum of the sizes (jaccard), or the smaller size (containment)
};

/// Collects the stored sets that may be similar to a given set. The stored sets are in one or more groups. The memory
/// is reused for the next given set, so each thread needs its own object.
///
/// A group has `counts`, the order of its features, and `postings`, with a member posting_lists::visit(). `Records`
/// gives access to the sets of a group by their numbers: has(number) is true if the set is in the group, size(number)
/// and bitmap(number) return its size and bitmap, and prefetch(number) prefetches its record.
class candidate_search {
 public:
  /// Begins a search for a given set.
  /// Precondition: the set has features.
  template <class Feature>
  void begin(std::span<const Feature> features, const overlap_bounds& bounds) {
    candidates_.clear();
    keys_ = {};
    bitmap_ = sketch_of(features).bitmap;
    least_.prepare(bounds, features.size());
  }

  /// Adds the candidates of a group of sets.
  /// Precondition: begin() was last called with these `features` and `bounds`. `bounds` have the measure of the
  /// postings, and at least their threshold and their min_common.
  /// Returns: the number of postings and groups that were examined.
  template <class Feature, class Group, class Records>
  std::size_t collect(std::span<const Feature> features, const overlap_bounds& bounds, const Group& from,
                      const Records& records) {
    if (bounds.looks_up_all()) return meet_all(features, bounds, from, records);
    return meet_prefix(features, bounds, from, records);
  }

  /// Returns the bitmap of the given set.
  [[nodiscard]] const set_bitmap& bitmap() const noexcept { return bitmap_; }
  /// Returns the prefix of the given set in the order `counts`, in the form of prefix_finder::find(). The result is
  /// empty unless the group that was searched last has these counts.
  template <class Counts>
  [[nodiscard]] std::span<const std::uint64_t> keys_in(const Counts& counts) const noexcept {
    return &counts == counts_ ? keys_ : std::span<const std::uint64_t>();
  }

  /// Calls `visit(number, least)` once for each candidate, in ascending order of the numbers, until `visit` returns
  /// false. The candidate is similar if its overlap with the given set is at least `least`.
  template <class Visit>
  void for_each(const Visit& visit) {
    for (const set_candidate& one : distinct()) {
      if (!visit(one.place, std::size_t{one.least})) return;
    }
  }

 private:
  /// Returns the candidates without repetitions, in ascending order.
  [[nodiscard]] std::span<const set_candidate> distinct() {
    std::vector<set_candidate>& found = candidates_;
    std::sort(found.begin(), found.end(),
              [](const set_candidate& a, const set_candidate& b) { return a.place < b.place; });
    const auto end = std::unique(found.begin(), found.end(),
                                 [](const set_candidate& a, const set_candidate& b) { return a.place == b.place; });
    return std::span<const set_candidate>(found.begin(), end);
  }

  /// A query for posting_lists::visit(). Adds to `met` the sets that may be similar to a set of `n` features.
  template <class Records>
  struct prefix_query {
    const least_overlaps& least;
    std::vector<std::uint32_t>& met;
    Records records;
    std::uint64_t bits;
    std::size_t n;

    /// Let the first common prefix feature of two sets be at `position` in a set of `size` features, and at `own` in a
    /// set of n features. Returns the greatest number of features in which the sets may differ if they are similar; -1
    /// if they cannot be similar.
    [[nodiscard]] std::ptrdiff_t may_differ(std::size_t size, std::size_t position, std::size_t own) const noexcept {
      if (size == set_posting::large) return (std::numeric_limits<std::ptrdiff_t>::max)();
      if (!least.fits(size)) return -1;
      const std::size_t common = least(size);
      if (common + position > size || common + own > n) return -1;
      return static_cast<std::ptrdiff_t>(size + n - 2 * common);
    }
    void meet(std::uint32_t number, std::size_t size, std::size_t position, std::size_t own) {
      if (may_differ(size, position, own) < 0) return;
      met.push_back(number);
      records.prefetch(number);
    }
    void meet(const posting_lists::listed& one, std::size_t own) {
      if (portable_popcount(one.bits ^ bits) <= may_differ(one.size, one.position, own)) met.push_back(one.number);
    }
    /// Position filter for stored sets of the sizes [from, to]. Returns true if such a set can have the required
    /// overlap, given that the common feature is at `position` of the stored set and at `own` of the given set. The
    /// largest size allows the greatest `position`, and the smallest size allows the greatest `own`.
    [[nodiscard]] bool admits(std::size_t from, std::size_t to, std::size_t position, std::size_t own) const noexcept {
      if (to == set_posting::large) return true;
      if (to < least.first_size() || from > least.last_size()) return false;
      const std::size_t smallest = (std::max)(from, least.first_size()), largest = (std::min)(to, least.last_size());
      return least(largest) + position <= largest && least(smallest) + own <= n;
    }
  };

  template <class Feature, class Group, class Records>
  std::size_t meet_prefix(std::span<const Feature> features, const overlap_bounds& bounds, const Group& from,
                          const Records& records) {
    const std::size_t n = features.size(), prefix = bounds.prefix(n);
    if (prefix == 0) return 0;
    met_.clear();
    prefix_query<Records> query{least_, met_, records, fold_bitmap(bitmap_), n};
    keys_ = finder_.find(features, prefix, from.counts);
    counts_ = &from.counts;
    const std::size_t examined = from.postings.visit(keys_, query);
    const std::size_t first = candidates_.size();
    for (const std::uint32_t number : met_) {
      if (!records.has(number)) continue;
      const std::size_t size = records.size(number);
      if (least_.fits(size)) candidates_.push_back({number, static_cast<std::uint32_t>(least_(size))});
    }
    discard_by_bitmap(n, first, records);
    return examined;
  }

  /// A query for containment. If `takes_smaller`, adds to `met` the numbers of sets of fewer than `n` features. If
  /// `takes_others`, adds the numbers of other sets.
  template <class Records>
  struct feature_query {
    std::vector<std::uint32_t>& met;
    Records records;
    std::size_t n, min_size;
    bool takes_smaller, takes_others;

    void take(std::uint32_t number, std::size_t size) {
      if (size == set_posting::large) size = records.size(number);
      if (size >= min_size && (size < n ? takes_smaller : takes_others)) met.push_back(number);
    }
    void meet(std::uint32_t number, std::size_t size, std::size_t /*position*/, std::size_t /*own*/) {
      take(number, size);
    }
    void meet(const posting_lists::listed& one, std::size_t /*own*/) { take(one.number, one.size); }
    [[nodiscard]] bool admits(std::size_t from, std::size_t to, std::size_t /*position*/,
                              std::size_t /*own*/) const noexcept {
      if (to == set_posting::large) return true;
      return to >= min_size && (takes_others || from < n) && (takes_smaller || to >= n);
    }
  };

  /// For containment: finds the candidates. A stored set that is smaller than the given set is found by its own prefix
  /// features: they are looked up among all features of the given set. Any other stored set is found by the prefix
  /// features of the given set: they are looked up among all features of the stored set.
  template <class Feature, class Group, class Records>
  std::size_t meet_all(std::span<const Feature> features, const overlap_bounds& bounds, const Group& from,
                       const Records& records) {
    const std::size_t n = features.size(), indexed = bounds.indexed(n);
    met_.clear();
    feature_query<Records> query{met_, records, n, bounds.min_common(), true, true};
    std::vector<std::uint64_t>& keys = rest_;
    const auto sorted = finder_.find(features, n, from.counts);
    keys.assign(sorted.begin(), sorted.end());
    // Two 64-bit features may have the same token, which is looked up once. A stored set is then counted once for each
    // of its own features with this token. So the count is at least the number of common features.
    const auto looked_up = [&](std::size_t first, std::size_t last) {
      const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = std::unique(begin, keys.begin() + static_cast<std::ptrdiff_t>(last));
      return std::span<const std::uint64_t>(begin, end);
    };
    const auto prefix = looked_up(0, indexed);
    std::size_t examined = from.postings.visit(prefix, query);
    query.takes_others = false;
    std::size_t behind = indexed;
    while (behind < n && !prefix.empty() && keys[behind] == prefix.back()) ++behind;
    examined += from.postings.visit(looked_up(behind, n), query);
    query.takes_smaller = false;
    query.takes_others = true;
    for (std::size_t i = 0; i < prefix.size(); ++i) keys[i] ^= salt_behind_prefix;
    examined += from.postings.visit(prefix, query);

    std::vector<std::uint32_t>& met = met_;
    std::sort(met.begin(), met.end());
    const std::size_t first = candidates_.size();
    for (std::size_t begin = 0, end = 0; begin < met.size(); begin = end) {
      while (end < met.size() && met[end] == met[begin]) ++end;
      if (!records.has(met[begin])) continue;
      const std::size_t size = records.size(met[begin]), least = least_(size);
      if (least > size || least > n || end - begin < overlap_bounds::least_met(least)) continue;
      candidates_.push_back({met[begin], static_cast<std::uint32_t>(least)});
    }
    discard_by_bitmap(n, first, records);
    return examined;
  }

  template <class Records>
  void discard_by_bitmap(std::size_t n, std::size_t first, const Records& records) {
    const auto size_of = [&](std::uint32_t number) { return records.size(number); };
    const auto bitmap_of = [&](std::uint32_t number) -> const set_bitmap& { return records.bitmap(number); };
    const std::span<set_candidate> some = std::span(candidates_).subspan(first);
    candidates_.resize(first + filter_by_bitmaps(some, n, bitmap_, size_of, bitmap_of));
  }

  prefix_finder finder_;
  least_overlaps least_;
  set_bitmap bitmap_{};
  std::span<const std::uint64_t> keys_;    // the tokens that were looked up last, in the memory of finder_
  const void* counts_ = nullptr;           // the order of keys_
  std::vector<std::uint64_t> rest_;        // for containment: counts and tokens of all features
  std::vector<std::uint32_t> met_;         // numbers of sets found by a feature
  std::vector<set_candidate> candidates_;  // the sets of met_ that pass the bitmap filter
};

#if NEARDUP_BODIES

NEARDUP_INLINE void least_overlaps::prepare(const overlap_bounds& bounds, std::size_t n) {
  if (bounds_ && *bounds_ == bounds && n_ == n) return;
  if (!bounds_ || !(*bounds_ == bounds)) table_.clear();
  bounds_.reset();
  n_ = n;
  first_ = bounds.least_partner(n);
  last_ = (std::numeric_limits<std::size_t>::max)();
  if (!bounds.looks_up_all()) {
    const double t = bounds.threshold(), ratio = bounds.measure() == set_similarity::cosine ? t * t : t;
    const double largest = static_cast<double>(n) / ratio;
    if (largest < largest_set) {  // otherwise no set is too large
      last_ = (std::max)(n, static_cast<std::size_t>(largest));
      while (bounds.least_partner(last_ + 1) <= n) ++last_;
      while (last_ > n && bounds.least_partner(last_) > n) --last_;
    }
  } else {
    first_ = bounds.min_common();
  }
  if (bounds.measure() == set_similarity::jaccard) {
    // For the Jaccard similarity, the least overlap depends only on the sum of the two sizes.
    const std::size_t most = (std::min)(n + (std::min)(last_, max_in_table), max_in_table);
    for (std::size_t sum = table_.size(); sum <= most; ++sum) {
      table_.push_back(static_cast<std::uint32_t>(bounds.least(sum / 2, sum - sum / 2)));
    }
  } else if (bounds.measure() == set_similarity::containment) {
    const std::size_t most = (std::min)(n, max_in_table);
    for (std::size_t size = table_.size(); size <= most; ++size) {
      table_.push_back(static_cast<std::uint32_t>(bounds.least(size, size)));
    }
  }
  bounds_.emplace(bounds);
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
