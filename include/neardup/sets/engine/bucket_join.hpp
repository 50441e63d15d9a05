// SPDX-License-Identifier: MIT
// Joins rows: finds the similar pairs among the sets that have a prefix feature in common.
//
// A row is a prefix feature of a set. The rows of one feature are a bucket. Rows are sorted by feature, then by size.
// Two rows of a bucket are a candidate pair unless a filter drops the pair. The filters bound the overlap by the sizes
// of the sets, by the positions of the feature in both prefixes, and by the bitmaps. Two sets may share several prefix
// features. The pair then belongs to the earliest of these features: the bucket of a later feature drops the pair. If
// very many sets have a feature, set_join joins these sets as a corpus of their own, by rarer features or by parts.
// If nearly all of their pairs share an earlier feature, the bucket is joined row by row.
// Source: Vernica, Carey and Li, Efficient Parallel Set-Similarity Joins Using MapReduce, SIGMOD 2010.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/mutex.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../detail/visits.hpp"
#include "../../runner.hpp"
#include "../../simd/filters.hpp"
#include "bitmap_filter.hpp"
#include "common_elements.hpp"
#include "distinct_sets.hpp"
#include "overlap_bounds.hpp"
#include "set_join.hpp"
#include "set_prefixes.hpp"

namespace neardup::inline v0::detail {

/// Returns the partition to which the rows of a key belong.
template <class Key>
[[nodiscard]] constexpr std::uint32_t partition_of(Key key, std::uint32_t partitions) noexcept {
  return static_cast<std::uint32_t>((mix(key) >> 32) * partitions >> 32);
}

/// Computes the functions of overlap_bounds with the same names. Arrays have the results for small sets.
class overlap_table {
 public:
  explicit overlap_table(const overlap_bounds& bounds) : bounds_(bounds), of_size_(sizes) {
    for (std::size_t size = 1; size < sizes; ++size) {
      const std::size_t partner = bounds.least_partner(size);
      of_size_[size] = {bounds.prefix(size), bounds.short_prefix(size), partner, least_.size()};
      if (least_.size() >= max_overlaps) continue;
      for (std::size_t a = partner; a <= size; ++a) least_.push_back(static_cast<std::uint32_t>(bounds.least(a, size)));
      overlap_sizes_ = size + 1;
    }
  }

  /// Calls `use(least_of)`, and returns its result. least_of(a) is overlap_bounds::least(a, larger) for each size `a`
  /// from least_partner(larger) to `larger`.
  template <class Use>
  auto with_least(std::size_t larger, const Use& use) const {
    if (larger < overlap_sizes_) {
      return use([first = least_.data() + of_size_[larger].first_overlap,
                  smallest = of_size_[larger].least_partner](std::size_t a) { return first[a - smallest]; });
    }
    return use([&](std::size_t a) { return static_cast<std::uint32_t>(bounds_.least(a, larger)); });
  }
  /// Returns overlap_bounds::prefix; 0 for an empty set.
  [[nodiscard]] std::size_t prefix(std::size_t size) const noexcept {
    return size < sizes ? of_size_[size].prefix : bounds_.prefix(size);
  }
  [[nodiscard]] std::size_t short_prefix(std::size_t size) const noexcept {
    return size < sizes ? of_size_[size].short_prefix : bounds_.short_prefix(size);
  }
  /// Returns the greatest number of bits in which the bitmaps of two similar sets of at most `size` features differ.
  [[nodiscard]] int most_differing(std::size_t size) const noexcept {
    constexpr std::size_t bits = 8 * sizeof(set_bitmap);
    return static_cast<int>(bounds_.bounds_differences() ? (std::min)(bounds_.most_differing(size), bits) : bits);
  }
  [[nodiscard]] std::size_t least_partner(std::size_t size) const noexcept {
    return size < sizes ? of_size_[size].least_partner : bounds_.least_partner(size);
  }

 private:
  struct bounds_of_size {
    std::size_t prefix = 0, short_prefix = 0, least_partner = 0;
    std::size_t first_overlap = 0;  // index in least_ of the least overlap with a set of least_partner elements
  };
  static constexpr std::size_t sizes = 512, max_overlaps = std::size_t{1} << 13;

  const overlap_bounds& bounds_;
  std::vector<std::uint32_t> least_;
  std::vector<bounds_of_size> of_size_;
  std::size_t overlap_sizes_ = 1;  // least_ has the overlaps of the sizes below this size
};

/// The default least number of rows of a large bucket, whose sets may be joined as a corpus of their own. See
/// is_corpus().
inline constexpr std::size_t large_bucket = std::size_t{1} << 12;

/// A pair of sets, a < b, and their overlap; the overlap is 0 if it is unknown.
struct found_pair {
  std::uint32_t a, b, common;
};

/// Joins rows: finds the pairs of sets that share a feature. A bucket is all rows of one feature. `Sets` gives access
/// to the sets:
///
///   Sets::feature                   the type of a feature
///   Sets::row                       {key, set, size, position}: the feature, the number of the set, the number of its
///                                   features, the position of the feature in the prefix
///   position(row)                   row.position, or 0 if the keys of rows are not features
///   Sets::scratch                   scratch memory of a thread
///   has_features(), has_bitmaps()   true if features() and bitmap() may be called
///   features(set)                   the features of a set, ascending
///   is_across()                     true if each pair has one marked set and one unmarked set
///   is_marked(row)                  true if the set is marked
///   looks_up(row)                   false if similar pairs of its set and smaller sets are found in other buckets
///   share_earlier(x, y, scratch, is_likely)  true if the sets of two rows of one feature share an earlier prefix
///                                   feature; `is_likely` is a hint
///   before(row, scratch)            the previous prefix feature of the row's set, if any
template <class Sets>
class bucket_join {
 public:
  using row = typename Sets::row;
  /// Receives batches of pairs. Calls do not overlap. Returns false to end the join.
  using take_type = std::function<bool(std::span<const found_pair>)>;

  /// Makes a join. `large`: the least number of rows for is_corpus(). `classes`: nullptr, or the classes of the sets,
  /// by the numbers of the sets. `failures`: nullptr, or a limit at which visit() gives up.
  bucket_join(const Sets& sets, const overlap_bounds& bounds, const overlap_table& table, const any_runner& run,
              std::size_t large, set_classes* classes, failure_limit* failures)
      : sets_(sets), bounds_(bounds), table_(table), run_(run), large_(large), classes_(classes), failures_(failures) {}

  /// Passes all pairs of `rows` to `take`, and sorts `rows`. If has_features(), all passed pairs are similar; otherwise
  /// they are candidate pairs. With features and without classes, each pair is passed once. Otherwise a pair may be
  /// passed once for each prefix feature, or each large bucket, that its sets share.
  /// Returns: false if `take` returned false, or the join gave up.
  /// Throws: exceptions of `take`; std::bad_alloc.
  bool visit(std::span<row> rows, scratch_array<row>& scratch, const take_type& take) {
    const std::vector<std::size_t> starts = partition(rows, scratch);
    mutex_type mutex;
    bool goes_on = true;
    const auto hand_over = [&](worker& of, std::size_t at_least) {
      if (failures_ != nullptr) failures_->count(std::exchange(of.candidates_seen, 0), std::exchange(of.pairs, 0));
      if (gave_up()) return false;
      if (of.found.size() < at_least) return true;
      const std::lock_guard lock(mutex);
      if (goes_on) {
        goes_on = false;  // stays false if the call throws
        goes_on = take(of.found);
      }
      of.found.clear();
      return goes_on;
    };
    constexpr std::size_t handed = 1024, step = 64;
    const std::size_t parts = parts_for(run_, rows.size(), 1024);
    add_workers(parts);
    std::vector<std::span<const row>> large;
    in_steps(run_, parts, starts.size() - 1, step, [&](std::size_t part, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const std::span<row> some = rows.subspan(starts[i], starts[i + 1] - starts[i]);
        sort_rows(some, workers_[part].sorted);
        for (std::size_t begin = 0, end = 0; begin < some.size(); begin = end) {
          while (end < some.size() && some[end].key == some[begin].key) ++end;
          const std::span<const row> bucket = some.subspan(begin, end - begin);
          if (bucket.size() < 2) continue;
          if (is_corpus(bucket, bounds_, large_, [this](const row& r) { return sets_.position(r); })) {
            const std::lock_guard lock(mutex);
            large.push_back(bucket);
            continue;
          }
          join_rows(bucket, 0, bucket.size(), workers_[part]);
          if (!hand_over(workers_[part], handed)) return false;
        }
      }
      return true;
    });
    for (const std::span<const row> bucket : large) {
      if (!goes_on || gave_up()) return false;
      worker& own = workers_.front();
      if (sets_.has_features() && is_of_one_label(bucket, own)) {
        join_labelled(bucket, 0, bucket.size(), own);
      } else if (!sets_.has_features() || nearly_all_share_earlier(bucket, own)) {
        in_steps(run_, parts, bucket.size(), step, [&](std::size_t part, std::size_t first, std::size_t last) {
          join_rows(bucket, first, last, workers_[part]);
          return hand_over(workers_[part], handed);
        });
      } else {
        join_corpus(bucket, [&](worker& of) { return hand_over(of, handed); });
      }
    }
    for (worker& one : workers_) {
      if (!hand_over(one, 1)) return false;
    }
    return goes_on;
  }

 private:
  using feature = typename Sets::feature;
  enum label_kind : unsigned char { by_class, by_feature };
  // join_rows() labels the rows of a bucket by class if the bucket has at least this many rows: `few` if
  // sets_.is_across(), otherwise `few_by_class`, because reading the class of a set takes a cache miss.
  static constexpr std::size_t few = 8, few_by_class = 256;
  // Comparing the bitmaps of this many rows takes as long as one failure (see failure_limit).
  static constexpr std::size_t rows_a_failure = 16;

  /// The rows of a bucket whose feature is in the shorter prefix of their set, by ascending size of the set.
  struct posted_rows {
    std::vector<std::uint32_t> places;  // indices of the rows in the bucket
    std::vector<std::uint32_t> sizes;   // sizes of the sets
    std::vector<std::uint32_t> rests;   // numbers of features from the feature of the row on: bounds of the overlap
    std::vector<set_bitmap> bitmaps;    // all 0 if the rows have no bitmaps
    std::size_t begin = 0;              // the rows before it have sets that are too small for the row to join

    void clear() {
      places.clear();
      sizes.clear();
      rests.clear();
      bitmaps.clear();
      begin = 0;
    }
    void push_back(std::uint32_t place, std::uint32_t size, std::size_t position, const set_bitmap& bitmap) {
      places.push_back(place);
      sizes.push_back(size);
      rests.push_back(size - static_cast<std::uint32_t>(position));
      bitmaps.push_back(bitmap);
    }
    /// Skips the rows of smaller sets than `least_size`.
    void skip_below(std::size_t least_size) {
      while (begin < sizes.size() && sizes[begin] < least_size) ++begin;
    }
  };

  /// Chooses the order of two tests of a candidate pair. The prefix test finds whether the sets share an earlier prefix
  /// feature. The overlap test finds whether the overlap suffices. If less than half of the pairs of a sample share an
  /// earlier prefix feature, the overlap test comes first, otherwise the prefix test.
  class test_order {
   public:
    [[nodiscard]] bool share_is_likely() const noexcept { return prefers_share_; }
    [[nodiscard]] bool share_first() noexcept { return prefers_share_ || ++since_sample_ % one_in == 0; }
    /// Counts the result of the prefix test for one candidate pair.
    /// Returns: `shares`, which is true if the two sets share an earlier prefix feature.
    bool note(bool shares) noexcept {
      shared_ += shares ? 1 : 0;
      if (++tested_ == window) {
        prefers_share_ = 2 * shared_ >= window;
        tested_ = shared_ = 0;
      }
      return shares;
    }

   private:
    static constexpr unsigned window = 64, one_in = 32;
    bool prefers_share_ = true;
    unsigned since_sample_ = 0, tested_ = 0, shared_ = 0;
  };

  /// Scratch memory of one part of the runner.
  struct worker {
    typename Sets::scratch sets;
    std::vector<row> sorted;  // memory of sort_rows()
    test_order order;
    posted_rows posted, unlike_posted;             // all posted rows; posted rows with another label than `common`
    std::array<filter_pair, 4 * join_step> close;  // y: the index of a posted row with a similar bitmap
    std::vector<found_pair> found;
    // labels[i]: the label of row i of the bucket. The vector is empty if the labels are unknown. Two rows with the
    // same label need no comparison, unless the label is `alone`.
    std::vector<std::uint64_t> labels;
    std::uint64_t alone = 0, common = 0;  // `common`: the label of most rows, if there is one
    std::size_t unlike = 0;               // number of rows with another label than `common`
    // Number of candidate pairs skipped since the labels were found: [0] pairs of one class, [1] pairs of an earlier
    // feature.
    std::array<std::size_t, 2> needless{};
    std::size_t candidates_seen = 0, pairs = 0;  // not yet added to the counts of all workers
  };

  [[nodiscard]] set_bitmap bitmap_of(const row& of) const {
    return sets_.has_bitmaps() ? sets_.bitmap(of) : set_bitmap{};
  }

  [[nodiscard]] bool gave_up() const noexcept { return failures_ != nullptr && failures_->is_reached(); }

  void add_workers(std::size_t parts) {
    if (workers_.size() < parts) workers_.resize(parts);
  }

  /// Sorts the rows by hashes of their keys.
  /// Returns: for each hash the index of the first row with this hash.
  [[nodiscard]] std::vector<std::size_t> partition(std::span<row> rows, scratch_array<row>& scratch) const {
    const int bits = std::clamp(bit_width(rows.size()) - 4, 1, 24);
    std::vector<std::size_t> starts((std::size_t{1} << bits) + 1);
    radix_partition(
        rows.size(), bits, [from = rows.data()](std::size_t i) { return from[i]; },
        [bits](const row& r) { return to_size(mix(std::uint64_t{r.key} + golden_ratio) >> (64 - bits)); },
        [to = rows.data()](std::size_t place, const row& r) { to[place] = r; }, std::span<std::size_t>(starts), scratch,
        run_);
    return starts;
  }

  /// Sorts rows so that each bucket is contiguous, and the rows of a bucket ascend by size. Rows of equal keys and
  /// sizes may have any order.
  static void sort_rows(std::span<row> rows, std::vector<row>& memory) {
    const auto is_smaller = [](const row& a, const row& b) { return a.size < b.size; };
    const auto by_both = [](const row& a, const row& b) { return a.key != b.key ? a.key < b.key : a.size < b.size; };
    constexpr std::size_t least_counted = 24, most_sizes = 256;
    if (rows.size() < least_counted) return std::sort(rows.begin(), rows.end(), by_both);
    const auto [least, most] = std::minmax_element(rows.begin(), rows.end(), is_smaller);
    const auto first_size = least->size;
    const std::size_t sizes = most->size - first_size + std::size_t{1};
    if (sizes > most_sizes) return std::sort(rows.begin(), rows.end(), by_both);
    // Most groups have one bucket with many rows. So a counting sort orders the rows by size, and then the rows of
    // other buckets are moved behind the rows of the first bucket.
    std::array<std::uint32_t, most_sizes> next{};
    for (const row& one : rows) ++next[one.size - first_size];
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < sizes; ++i) sum += std::exchange(next[i], sum);
    if (memory.size() < rows.size()) memory.resize(2 * rows.size());
    for (const row& one : rows) memory[next[one.size - first_size]++] = one;
    const auto key = memory.front().key;
    std::size_t same = 0, other = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const row one = memory[i];
      rows[same] = one;
      memory[other] = one;
      same += one.key == key ? 1 : 0;
      other += one.key == key ? 0 : 1;
    }
    const auto rest = std::copy_n(memory.begin(), other, rows.begin() + static_cast<std::ptrdiff_t>(same));
    std::sort(rest - static_cast<std::ptrdiff_t>(other), rest, by_both);
  }

  /// Joins the rows [first, last) of a bucket with all earlier rows of the bucket.
  void join_rows(std::span<const row> bucket, std::size_t first, std::size_t last, worker& memory) const {
    memory.labels.clear();
    const std::size_t least_rows = sets_.is_across() ? few : few_by_class;
    if ((classes_ != nullptr || sets_.is_across()) && bucket.size() >= least_rows)
      find_labels(bucket, by_class, memory);
    join_labelled(bucket, first, last, memory);
  }

  /// Joins rows as join_rows() does, with the labels in memory.labels. No labels are known if the array is empty.
  void join_labelled(std::span<const row> bucket, std::size_t first, std::size_t last, worker& memory) const {
    posted_rows &posted = memory.posted, &unlike = memory.unlike_posted;
    if (!memory.labels.empty() && memory.unlike == 0) return;
    posted.clear();
    unlike.clear();
    memory.needless = {};
    std::size_t size = 0, prefix = 0, least_size = 0;
    for (std::size_t j = 0; j < last; ++j) {
      const row& y = bucket[j];
      if (y.size != size) {
        size = y.size;
        prefix = table_.short_prefix(size);
        least_size = table_.least_partner(size);
      }
      // Finding labels costs time. So labels are found only after tests of many needless pairs. After many more such
      // tests, labels are found again, because classes have changed.
      const auto& [of_class, of_feature] = memory.needless;
      if (of_class + of_feature > 4 * bucket.size()) {
        find_labels(bucket, of_class > of_feature ? by_class : by_feature, memory);
        memory.needless = {};
        unlike.clear();
        for (const std::uint32_t place : posted.places) {
          const row& x = bucket[place];
          if (memory.labels[place] != memory.common) unlike.push_back(place, x.size, sets_.position(x), bitmap_of(x));
        }
      }
      const bool is_like = !memory.labels.empty() && memory.labels[j] == memory.common;
      if (j >= first && sets_.looks_up(y)) {
        posted_rows& others = is_like ? unlike : posted;
        others.skip_below(least_size);
        join_row(bucket, others, j, memory);
      }
      if (sets_.position(y) >= prefix) continue;
      const auto place = static_cast<std::uint32_t>(j);
      posted.push_back(place, y.size, sets_.position(y), bitmap_of(y));
      if (!memory.labels.empty() && !is_like) unlike.push_back(place, y.size, sets_.position(y), bitmap_of(y));
    }
  }

  /// Labels the rows of a large bucket (of a frequent feature).
  /// Returns: true if so few rows have another label than memory.common that the bucket has few pairs. Then joining its
  /// sets as a corpus does not pay.
  [[nodiscard]] bool is_of_one_label(std::span<const row> bucket, worker& memory) const {
    const auto has_few = [&](label_kind kind) {
      find_labels(bucket, kind, memory);
      return memory.unlike < large_ * large_ / bucket.size();
    };
    return ((classes_ != nullptr || sets_.is_across()) && has_few(by_class)) || has_few(by_feature);
  }

  /// Returns true if nearly all pairs of the rows of a large bucket seem to share an earlier prefix feature. Then
  /// joining its sets as a corpus does not pay: these pairs are candidates there, too, but belong to other buckets.
  [[nodiscard]] bool nearly_all_share_earlier(std::span<const row> bucket, worker& memory) const {
    constexpr std::size_t samples = 64;
    std::size_t shared = 0;
    const auto drawn = [&](std::uint64_t i) -> const row& { return bucket[to_size(mix(i) % bucket.size())]; };
    for (std::uint64_t i = 1; i <= 2 * samples; i += 2) {
      const row &x = drawn(i), &y = drawn(i + 1);
      shared += x.set != y.set && sets_.share_earlier(x, y, memory.sets, false) ? 1 : 0;
    }
    return 8 * shared > 7 * samples;
  }

  /// Joins row `j` of a bucket with the posted rows whose sets are not larger.
  void join_row(std::span<const row> bucket, const posted_rows& posted, std::size_t j, worker& memory) const {
    const row& y = bucket[j];
    const set_bitmap bitmap = bitmap_of(y);
    const int most_differing = table_.most_differing(y.size);
    const std::size_t rest = y.size - sets_.position(y);
    const bool has_label = !memory.labels.empty() && memory.labels[j] != memory.alone;
    filter_join job = filter_join::across(0, 1, posted.begin, posted.bitmaps.size());
    memory.candidates_seen += (job.y_end - job.y) / rows_a_failure;
    table_.with_least(y.size, [&](const auto& least_of) {
      while (!job.is_done()) {
        const std::size_t count =
            join_filters(&bitmap, posted.bitmaps.data(), job, most_differing, std::span(memory.close), level_);
        memory.candidates_seen += count;
        for (const filter_pair& close : std::span(memory.close).first(count)) {
          const std::uint32_t size = posted.sizes[close.y], place = posted.places[close.y], least = least_of(size);
          if (least > posted.rests[close.y] || least > rest) continue;
          if (has_label && memory.labels[place] == memory.labels[j]) continue;
          const std::size_t differing = differing_bits_of(posted.bitmaps[close.y], bitmap);
          if (differing + 2 * std::size_t{least} > std::size_t{size} + y.size) continue;
          compare(bucket[place], y, least, memory);
        }
      }
    });
  }

  /// Writes the label of each row of a bucket to memory.labels. Rows with the same label need no comparison. A label by
  /// class is the class of the row's set. If sets_.is_across(), a label by class is 1 for marked sets and 0 for other
  /// sets. A label by feature is the previous prefix feature of the row's set. If two rows have the same label by
  /// feature, their pair belongs to this earlier feature. A row without a previous feature gets the label `alone`.
  void find_labels(std::span<const row> bucket, label_kind kind, worker& memory) const {
    const auto label_of = [&](const row& one) -> std::uint64_t {
      if (kind == by_feature) return sets_.before(one, memory.sets).value_or(one.key);
      return sets_.is_across() ? (sets_.is_marked(one) ? 1 : 0) : classes_->of(one.set);
    };
    memory.alone = kind == by_feature ? bucket.front().key : (std::numeric_limits<std::uint64_t>::max)();
    memory.labels.clear();
    for (const row& one : bucket) memory.labels.push_back(label_of(one));
    // Majority vote of Boyer and Moore: if more than half of the rows have one label, `common` is this label at the
    // end.
    std::size_t votes = 0;
    for (const std::uint64_t label : memory.labels) {
      if (votes == 0) memory.common = label;
      votes = label == memory.common ? votes + 1 : votes - 1;
    }
    const auto is_unlike = [&](std::uint64_t label) { return label != memory.common || label == memory.alone; };
    memory.unlike = static_cast<std::size_t>(std::count_if(memory.labels.begin(), memory.labels.end(), is_unlike));
    // Rows labelled `alone` have to be compared. So `common` must not be `alone`, but may be a label that no row has.
    if (memory.common == memory.alone) memory.common = ~memory.alone;
  }

  void compare(const row& x, const row& y, std::size_t need, worker& memory) const {
    if (sets_.is_across() && sets_.is_marked(x) == sets_.is_marked(y)) return;
    if (classes_ != nullptr && classes_->leaves_out(x.set, y.set)) {
      ++memory.needless[by_class];
      return;
    }
    std::size_t common = 0;
    if (sets_.has_features()) {
      const auto share = [&] {
        const bool is_needless = sets_.share_earlier(x, y, memory.sets, memory.order.share_is_likely());
        memory.needless[by_feature] += is_needless ? 1 : 0;
        return is_needless;
      };
      const bool is_sample = memory.order.share_first();
      if (is_sample && memory.order.note(share())) return;
      common = count_common(sets_.features(x.set), sets_.features(y.set), need);
      if (common < need || (!is_sample && share())) return;
    }
    ++memory.pairs;
    if (classes_ != nullptr) classes_->add(x.set, y.set);
    push_back(x.set, y.set, common, memory);
  }

  static void push_back(std::uint32_t x, std::uint32_t y, std::size_t common, worker& memory) {
    memory.found.push_back({(std::min)(x, y), (std::max)(x, y), static_cast<std::uint32_t>(common)});
  }

  /// Joins the sets of a large bucket as a corpus of their own.
  template <class HandOver>
  void join_corpus(std::span<const row> bucket, const HandOver& hand_over) {
    distinct_sets<feature> sets({bucket.size(), [&](std::size_t i) { return sets_.features(bucket[i].set); }},
                                bucket.size(), bounds_.min_common(), run_, copies_as::others);
    constexpr set_join_sizes sizes;
    const set_prefixes prefixes(sets, bounds_, run_, sizes.block);
    set_join<feature> join(sets, prefixes, bounds_, run_, sizes);
    const auto row_of = [&](std::size_t rank) -> const row& { return bucket[sets.first_of(rank)]; };
    std::vector<bool> is_marked;
    if (sets_.is_across()) {
      for (std::size_t rank = 0; rank < sets.size(); ++rank) is_marked.push_back(sets_.is_marked(row_of(rank)));
      join.join_across(is_marked);
    }
    // Uses the classes of the caller, if there are any. Otherwise the rows whose sets have the same previous prefix
    // feature form a class, because pairs of these rows are found through that feature.
    std::vector<std::uint32_t> numbers;
    std::optional<numbered_classes> given;
    for (std::size_t rank = 0; rank < sets.size(); ++rank) numbers.push_back(row_of(rank).set);
    if (classes_ != nullptr) given.emplace(*classes_, numbers);
    shared_features shared(classes_ == nullptr ? sets.size() : 0,
                           [&](std::size_t rank) { return sets_.before(row_of(rank), workers_.front().sets); });
    join.leave_out(given ? static_cast<set_classes&>(*given) : shared);
    if (failures_ != nullptr) join.give_up_at(*failures_);
    add_workers(join.parts());
    join.visit([&](std::size_t part, std::span<const similar_ranks> pairs) {
      worker& own = workers_[part];
      for (const similar_ranks& pair : pairs) {
        const row &x = row_of(pair.a), &y = row_of(pair.b);
        // With classes, a pair is also taken in the bucket of a later common feature: the join has already added the
        // pair to the classes, so the bucket of the earlier feature may leave the pair out.
        const auto is_needed = [&] { return sets_.looks_up(y) && !sets_.share_earlier(x, y, own.sets, false); };
        if (classes_ != nullptr || is_needed()) push_back(x.set, y.set, pair.common, own);
      }
      return hand_over(own);
    });
  }

  /// Classes of sets, given by features: two sets with the same feature are in one class.
  class shared_features final : public set_classes {
   public:
    /// Makes the classes of `count` sets. feature_of(set) returns a feature, or nullopt for a set alone in its class.
    template <class FeatureOf>
    shared_features(std::size_t count, const FeatureOf& feature_of) : class_of_(count) {
      std::vector<std::pair<feature, std::uint32_t>> features;
      for (std::uint32_t set = 0; set < count; ++set) {
        class_of_[set] = set;
        if (const std::optional<feature> one = feature_of(set)) features.emplace_back(*one, set);
      }
      std::sort(features.begin(), features.end());
      for (std::size_t i = 1; i < features.size(); ++i) {
        const auto &one = features[i - 1], &next = features[i];
        if (one.first == next.first) class_of_[next.second] = class_of_[one.second];
      }
    }
    [[nodiscard]] std::size_t of(std::size_t set) const override { return class_of_[set]; }
    void add(std::size_t /*a*/, std::size_t /*b*/) override {}

   private:
    std::vector<std::uint32_t> class_of_;
  };

  const Sets& sets_;
  const overlap_bounds& bounds_;
  const overlap_table& table_;
  any_runner run_;
  std::size_t large_;
  set_classes* classes_;
  failure_limit* failures_;
  instruction_set level_ = active_instruction_set();
  std::vector<worker> workers_;  // kept from call to call, so that their scratch memory is reused
};

}  // namespace neardup::inline v0::detail
