// SPDX-License-Identifier: MIT
// A join of sets by partitions of rows, which need not be in memory.
//
// A row is a prefix feature of a set, with what the filters need: the size of the set, the position of the feature in
// the prefix, and the bitmap of the set. Rows go to the partition of their feature. One partition after the other is
// sorted by feature and size, and each two rows of a feature that pass the filters are compared by their sets. So the
// rows are read in sequence, and of the sets only those of candidates. A pair belongs to the first prefix feature that
// its sets have in common. The sets of a very frequent feature are a corpus of their own, which set_join joins.
// Source: Vernica, Carey and Li, Efficient Parallel Set-Similarity Joins Using MapReduce, SIGMOD 2010 (the partitions).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/large_array.hpp"
#include "../../detail/mutex.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../error.hpp"
#include "../../instruction_set.hpp"
#include "../../runner.hpp"
#include "bitmap_filter.hpp"
#include "common_elements.hpp"
#include "distinct_sets.hpp"
#include "overlap_bounds.hpp"
#include "rare_first.hpp"
#include "set_copies.hpp"
#include "set_join.hpp"
#include "set_prefixes.hpp"

namespace neardup::inline v0::detail {

/// A prefix feature of a set. `position`: of the feature in the prefix.
struct set_row {
  std::uint32_t token, set, size, position;
  set_bitmap bitmap;
};

/// Where the rows of partitions are until they are joined.
struct row_store {
  /// Adds bytes to a partition. One call at a time.
  std::function<void(std::uint32_t partition, std::span<const std::byte>)> append;
  /// Reads all bytes of a partition in the order of their addition. One call at a time.
  std::function<void(std::uint32_t partition, std::span<std::byte>)> read;
};

/// Limits of row_join. Results do not depend on them.
struct row_join_sizes {
  std::uint64_t memory = std::uint64_t{1} << 30;  // bytes; see row_join
  std::uint32_t max_partitions = 1024;
  std::uint64_t max_rows = std::uint64_t{1} << 22;  // of a partition, about
  // The limit of is_corpus(): with at least this many rows and its square of candidates, the sets that share a feature
  // are joined by a set_join of their own.
  std::size_t large = std::size_t{1} << 12;
};

/// The prefix lengths and the least overlaps of small sets, computed once.
class overlap_table {
 public:
  explicit overlap_table(const overlap_bounds& bounds) : bounds_(bounds), least_(sizes * sizes), prefixes_(sizes) {
    for (std::size_t a = 1; a < sizes; ++a) {
      for (std::size_t b = 1; b < sizes; ++b) least_[a * sizes + b] = static_cast<std::uint32_t>(bounds.least(a, b));
      prefixes_[a] = static_cast<std::uint32_t>(bounds.prefix(a));
    }
  }

  /// overlap_bounds::least.
  [[nodiscard]] std::size_t least(std::size_t a, std::size_t b) const noexcept {
    return a < sizes && b < sizes ? least_[a * sizes + b] : bounds_.least(a, b);
  }
  /// overlap_bounds::prefix; 0 for an empty set.
  [[nodiscard]] std::size_t prefix(std::size_t size) const noexcept {
    return size < sizes ? prefixes_[size] : bounds_.prefix(size);
  }

 private:
  static constexpr std::size_t sizes = 96;

  const overlap_bounds& bounds_;
  std::vector<std::uint32_t> least_, prefixes_;
};

/// Finds the similar pairs among the sets of a source.
/// Memory: about three quarters of sizes.memory; and 8 bytes per set, 12 for a while.
template <class Feature>
class row_join {
 public:
  /// Two similar sets, which are no copies.
  struct found_pair {
    std::uint32_t a, b, common;
  };
  /// Takes pairs, one call at a time. Returns: false to end the join.
  using take_type = std::function<bool(std::span<const found_pair>)>;

  /// Sets from number `first_count` on are a second corpus; then pairs have a set of each.
  row_join(set_source<Feature> source, std::size_t first_count, const overlap_bounds& bounds, row_store store,
           const any_runner& run, const row_join_sizes& sizes)
      : source_(std::move(source)),
        first_count_(first_count),
        bounds_(bounds),
        table_(bounds),
        store_(std::move(store)),
        run_(run),
        sizes_(sizes) {
    if (source_.size >= none) {
      fail<std::length_error>("a join of " + std::to_string(source_.size) + " sets: there may be at most 2^32 - 2");
    }
  }

  /// Passes all pairs to `take`, each once. Calls `take_copies(copies)` before. Call it once.
  /// Throws: exceptions of the store and of both functions; std::length_error from 2^32 - 1 features of a set on;
  /// std::bad_alloc.
  template <class TakeCopies>
  void visit(const TakeCopies& take_copies, const take_type& take) {
    const set_copies copies(source_, first_count_, count_features(), run_);
    if (!take_copies(copies)) return;
    scatter(copies);
    large_array<set_row> rows;
    scratch_array<set_row> scratch;
    for (std::uint32_t partition = 0; partition < partitions_; ++partition) {
      const auto count = to_size(stored_[partition]);
      if (count < 2) continue;
      if (rows.size() < count) rows = {};  // frees the old array before it allocates a new one
      if (rows.size() < count) rows = large_array<set_row>(count);
      const std::span<set_row> some = rows.span().first(count);
      store_.read(partition, std::as_writable_bytes(some));
      if (!join_rows(some, scratch, take)) return;
    }
  }

 private:
  static constexpr std::uint32_t none = (std::numeric_limits<std::uint32_t>::max)();

  /// Posted rows of sets of one size: from place `begin` in the list to the next run.
  struct run_of_sizes {
    std::uint32_t size, begin;
  };

  /// Scratch memory of a part.
  struct worker {
    prefix_finder finder;
    std::vector<std::uint32_t> posted;      // places in the bucket, of rows in the shorter prefixes
    std::vector<run_of_sizes> runs;         // of posted rows
    std::vector<set_candidate> candidates;  // by their places in the bucket
    std::vector<std::uint32_t> tokens;      // of two prefixes
    std::vector<found_pair> found;
  };

  /// Counts the features, and chooses the number of partitions. Returns: a hash of each set.
  large_array<std::uint64_t> count_features() {
    large_array<std::uint64_t> hashes(source_.size);
    std::vector<std::uint64_t> rows(run_.parts());
    // The counts take two thirds of a byte for each feature: a quarter of the memory.
    const double most = static_cast<double>(sizes_.memory) * (3.0 / 8);
    counts_ = count_tokens(source_, most, run_,
                           [&](std::size_t part, std::size_t i, std::size_t size, const set_sketch& sketch) {
                             hashes[i] = i < first_count_ ? sketch.hash : ~sketch.hash;
                             rows[part] += table_.prefix(size);
                           });
    std::uint64_t most_rows = 0;
    for (const std::uint64_t n : rows) most_rows += n;
    // Two arrays of the rows of a partition are in a quarter of the memory.
    const std::uint64_t a_partition =
        std::clamp<std::uint64_t>(sizes_.memory / 4 / (2 * sizeof(set_row)), 1, sizes_.max_rows);
    partitions_ =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most_rows / a_partition + 1, 1, sizes_.max_partitions));
    stored_.assign(partitions_, 0);
    return hashes;
  }

  /// Stores the rows of all sets that are no copies.
  void scatter(const set_copies& copies) {
    struct scatter_worker {
      prefix_finder finder;
      std::vector<std::vector<set_row>> rows;  // by partition
    };
    std::vector<scatter_worker> workers(parts_for(run_, source_.size, step));
    for (scatter_worker& one : workers) one.rows.resize(partitions_);
    const std::uint64_t waiting = sizes_.memory / 16 / sizeof(set_row) / partitions_ / workers.size();
    const auto most = to_size(std::clamp<std::uint64_t>(waiting, 64, 4096));
    mutex_type mutex;
    const auto store = [&](std::uint32_t partition, std::vector<set_row>& rows) {
      if (rows.empty()) return;
      const std::lock_guard lock(mutex);
      store_.append(partition, std::as_bytes(std::span(rows)));
      stored_[partition] += rows.size();
      rows.clear();
    };
    in_steps(run_, workers.size(), source_.size, step, [&](std::size_t part, std::size_t first, std::size_t last) {
      scatter_worker& own = workers[part];
      for (std::size_t i = first; i < last; ++i) {
        if (copies.is_copy(i)) continue;
        const std::span<const Feature> set = source_.of(i);
        const std::size_t prefix = table_.prefix(set.size());
        if (prefix == 0) continue;
        const std::span<const std::uint64_t> keys = own.finder.find_repeated(set, prefix, counts_);
        if (keys.empty()) continue;
        const set_bitmap bitmap = sketch_of(set).bitmap;
        const std::size_t left_out = prefix - keys.size();
        for (std::size_t k = 0; k < keys.size(); ++k) {
          // Features with the same token, next to each other in the prefix, have one row.
          if (k > 0 && keys[k] == keys[k - 1]) continue;
          const auto token = static_cast<std::uint32_t>(keys[k]);
          const std::uint32_t partition = partition_of(token);
          std::vector<set_row>& to = own.rows[partition];
          to.push_back({token, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(set.size()),
                        static_cast<std::uint32_t>(left_out + k), bitmap});
          if (to.size() >= most) store(partition, to);
        }
      }
      return true;
    });
    for (scatter_worker& one : workers) {
      for (std::uint32_t i = 0; i < partitions_; ++i) store(i, one.rows[i]);
    }
  }

  [[nodiscard]] std::uint32_t partition_of(std::uint32_t token) const noexcept {
    return static_cast<std::uint32_t>((mix(token) >> 32) * partitions_ >> 32);
  }

  /// Joins the rows of a partition. Returns: false if `take` returned false.
  bool join_rows(std::span<set_row> rows, scratch_array<set_row>& scratch, const take_type& take) {
    const int bits = std::clamp(static_cast<int>(std::bit_width(rows.size())) - 4, 1, 24);
    std::vector<std::size_t> starts((std::size_t{1} << bits) + 1);
    radix_partition(
        rows.size(), bits, [from = rows.data()](std::size_t i) { return from[i]; },
        [bits](const set_row& r) { return to_size(mix(std::uint64_t{r.token} + golden_ratio) >> (64 - bits)); },
        [to = rows.data()](std::size_t place, const set_row& r) { to[place] = r; }, std::span<std::size_t>(starts),
        scratch, run_);
    mutex_type mutex;
    bool goes_on = true;
    const auto hand_over = [&](worker& of, std::size_t at_least) {
      if (of.found.size() < at_least) return true;
      const std::lock_guard lock(mutex);
      if (goes_on) {
        goes_on = false;  // stays so if the call throws
        goes_on = take(of.found);
      }
      of.found.clear();
      return goes_on;
    };
    constexpr std::size_t handed = 1024;
    std::vector<worker> workers(parts_for(run_, rows.size(), 1024));
    std::vector<std::span<const set_row>> large;
    in_steps(run_, workers.size(), starts.size() - 1, 64, [&](std::size_t part, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const std::span<set_row> some = rows.subspan(starts[i], starts[i + 1] - starts[i]);
        std::sort(some.begin(), some.end(), [](const set_row& a, const set_row& b) {
          if (a.token != b.token) return a.token < b.token;
          return a.size != b.size ? a.size < b.size : a.set < b.set;
        });
        for (std::size_t begin = 0, end = 0; begin < some.size(); begin = end) {
          while (end < some.size() && some[end].token == some[begin].token) ++end;
          const std::span<const set_row> bucket = some.subspan(begin, end - begin);
          if (bucket.size() < 2) continue;
          if (is_corpus(bucket, bounds_, sizes_.large)) {
            const std::lock_guard lock(mutex);
            large.push_back(bucket);
            continue;
          }
          join_bucket(bucket, workers[part]);
          if (!hand_over(workers[part], handed)) return false;
        }
      }
      return true;
    });
    for (const std::span<const set_row> bucket : large) {
      if (!goes_on) return false;
      join_corpus(bucket, workers, [&](worker& of) { return hand_over(of, handed); });
    }
    for (worker& one : workers) {
      if (!hand_over(one, 1)) return false;
    }
    return goes_on;
  }

  /// Joins rows of one feature, by ascending size.
  void join_bucket(std::span<const set_row> bucket, worker& memory) const {
    std::vector<std::uint32_t>& posted = memory.posted;
    std::vector<run_of_sizes>& runs = memory.runs;
    posted.clear();
    runs.clear();
    std::size_t size = 0, prefix = 0, least_size = 0, begin = 0;
    for (std::size_t j = 0; j < bucket.size(); ++j) {
      const set_row& y = bucket[j];
      if (y.size != size) {
        size = y.size;
        prefix = bounds_.short_prefix(size);
        least_size = bounds_.least_partner(size);
        while (begin < runs.size() && runs[begin].size < least_size) ++begin;
      }
      if (begin < runs.size()) join_row(bucket, std::span(runs).subspan(begin), y, memory);
      if (y.position >= prefix) continue;
      if (runs.empty() || runs.back().size != size) runs.push_back({y.size, static_cast<std::uint32_t>(posted.size())});
      posted.push_back(static_cast<std::uint32_t>(j));
    }
  }

  /// Joins a row with posted rows of sets that are not larger.
  void join_row(std::span<const set_row> bucket, std::span<const run_of_sizes> runs, const set_row& y,
                worker& memory) const {
    const std::vector<std::uint32_t>& posted = memory.posted;
    if (memory.candidates.size() < posted.size()) memory.candidates.resize(2 * posted.size());
    std::size_t kept = 0;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const std::size_t size = runs[r].size, need = table_.least(size, y.size);
      if (need > size || need + y.position > y.size) continue;
      const std::size_t end = r + 1 < runs.size() ? runs[r + 1].begin : posted.size(), last = size - need;
      for (std::size_t i = runs[r].begin; i < end; ++i) {
        memory.candidates[kept] = {posted[i], static_cast<std::uint32_t>(need)};
        kept += bucket[posted[i]].position <= last ? 1 : 0;
      }
    }
    kept = filter_by_bitmaps(
        std::span(memory.candidates).first(kept), y.size, y.bitmap,
        [&](std::size_t place) { return bucket[place].size; },
        [&](std::size_t place) -> const set_bitmap& { return bucket[place].bitmap; }, level_);
    for (const set_candidate& other : std::span(memory.candidates).first(kept)) {
      compare(bucket[other.place], y, other.least, memory);
    }
  }

  void compare(const set_row& x, const set_row& y, std::size_t need, worker& memory) const {
    if (is_across() && is_of_second(x) == is_of_second(y)) return;
    const std::size_t common = count_common(source_.of(x.set), source_.of(y.set), need);
    if (common < need || share_earlier(x, y, memory)) return;
    memory.found.push_back({x.set, y.set, static_cast<std::uint32_t>(common)});
  }

  /// Writes the tokens of the prefix before the feature of a row to `to`, but for those that no other set has.
  void earlier_tokens(const set_row& row, prefix_finder& finder, std::vector<std::uint32_t>& to) const {
    const std::span<const Feature> set = source_.of(row.set);
    const std::size_t prefix = table_.prefix(set.size());
    const std::span<const std::uint64_t> keys = finder.find_repeated(set, prefix, counts_);
    const std::size_t left_out = prefix - keys.size();
    for (const std::uint64_t key : keys.first(row.position - left_out)) to.push_back(static_cast<std::uint32_t>(key));
  }

  /// Whether the sets of two rows of a feature share an earlier feature of their prefixes.
  [[nodiscard]] bool share_earlier(const set_row& x, const set_row& y, worker& memory) const {
    if (x.position == 0 || y.position == 0) return false;
    memory.tokens.clear();
    earlier_tokens(x, memory.finder, memory.tokens);
    const std::size_t of_x = memory.tokens.size();
    if (of_x == 0) return false;
    earlier_tokens(y, memory.finder, memory.tokens);
    return have_common(std::span(memory.tokens).first(of_x), std::span(memory.tokens).subspan(of_x));
  }
  [[nodiscard]] static bool have_common(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
    return std::any_of(a.begin(), a.end(),
                       [&](std::uint32_t token) { return std::find(b.begin(), b.end(), token) != b.end(); });
  }

  /// Joins the sets of a large bucket as a corpus of their own.
  template <class HandOver>
  void join_corpus(std::span<const set_row> bucket, std::vector<worker>& workers, const HandOver& hand_over) {
    // Sets of the first corpus come before those of the second, as distinct_sets expects them.
    std::vector<std::uint32_t> order(bucket.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto middle =
        std::stable_partition(order.begin(), order.end(), [&](std::uint32_t i) { return !is_of_second(bucket[i]); });
    const auto firsts = static_cast<std::size_t>(middle - order.begin());
    if (is_across() && (firsts == 0 || firsts == order.size())) return;
    // The tokens before the feature, of all rows.
    std::vector<std::uint32_t> tokens;
    std::vector<std::size_t> ends;
    for (const std::uint32_t i : order) {
      earlier_tokens(bucket[i], workers.front().finder, tokens);
      ends.push_back(tokens.size());
    }
    const auto earlier = [&](std::size_t i) {
      const std::size_t begin = i == 0 ? 0 : ends[i - 1];
      return std::span<const std::uint32_t>(tokens).subspan(begin, ends[i] - begin);
    };
    const distinct_sets<Feature> sets({bucket.size(), [&](std::size_t i) { return source_.of(bucket[order[i]].set); }},
                                      firsts, bounds_.min_common(), run_);
    constexpr set_join_sizes sizes;
    const set_prefixes prefixes(sets, bounds_, run_, sizes.block);
    set_join<Feature> join(sets, prefixes, bounds_, run_, sizes);
    std::vector<bool> is_of_second;
    if (is_across()) {
      for (std::size_t rank = 0; rank < sets.size(); ++rank) is_of_second.push_back(sets.is_of_second(rank));
      join.join_across(is_of_second);
    }
    if (workers.size() < join.parts()) workers.resize(join.parts());
    join.visit([&](std::size_t part, std::span<const similar_ranks> pairs) {
      for (const similar_ranks& pair : pairs) {
        const std::size_t a = sets.first_of(pair.a), b = sets.first_of(pair.b);
        if (have_common(earlier(a), earlier(b))) continue;
        workers[part].found.push_back({bucket[order[a]].set, bucket[order[b]].set, pair.common});
      }
      return hand_over(workers[part]);
    });
  }

  [[nodiscard]] bool is_across() const noexcept { return first_count_ < source_.size; }
  [[nodiscard]] bool is_of_second(const set_row& row) const noexcept { return row.set >= first_count_; }

  static constexpr std::size_t step = 512;  // sets that a part takes at a time

  set_source<Feature> source_;
  std::size_t first_count_;
  const overlap_bounds& bounds_;
  overlap_table table_;
  row_store store_;
  any_runner run_;
  row_join_sizes sizes_;
  instruction_set level_ = active_instruction_set();
  token_counts counts_;
  std::uint32_t partitions_ = 1;
  std::vector<std::uint64_t> stored_;  // rows by partition
};

}  // namespace neardup::inline v0::detail
