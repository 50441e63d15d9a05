// SPDX-License-Identifier: MIT
// Joins the sets of one partition of a shuffle: finds the pairs that share a prefix feature of this partition.
//
// Rows are sorted by feature, then by size. Each two rows of a feature are candidates, unless their sizes, the positions
// of the feature in both prefixes, or the bitmaps of the sets show that they have too little in common. Two sets may
// share several prefix features. The pair belongs to the first one, so it is dropped if an earlier prefix feature of the
// one set is an earlier prefix feature of the other set. Sets that share a very frequent feature are a corpus of their
// own, which set_join joins by rarer features, or by parts.
// Source: Vernica, Carey and Li, Efficient Parallel Set-Similarity Joins Using MapReduce, SIGMOD 2010 (the shuffle).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/mutex.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../error.hpp"
#include "../../runner.hpp"
#include "bitmap_filter.hpp"
#include "common_elements.hpp"
#include "copy_table.hpp"
#include "distinct_sets.hpp"
#include "overlap_bounds.hpp"
#include "set_join.hpp"
#include "set_prefixes.hpp"
#include "shuffle_blob.hpp"

namespace neardup::inline v0::detail {

/// The partition of a feature.
template <class Feature>
[[nodiscard]] constexpr std::uint32_t partition_of(Feature feature, std::uint32_t partitions) noexcept {
  return static_cast<std::uint32_t>((mix(feature) >> 32) * partitions >> 32);
}

/// A limit of shuffle_join. Results do not depend on it.
struct shuffle_join_sizes {
  // The limit of is_corpus(): with at least this many rows and its square of candidates, the sets that share a feature
  // are joined by a set_join of their own.
  std::size_t large = std::size_t{1} << 12;
};

template <class Feature>
class shuffle_join {
 public:
  /// `expected`: the header that all blobs have, apart from `counts`, `records`, `bytes` and `checksum`.
  shuffle_join(const blob_header& expected, const overlap_bounds& bounds, bool has_sets, bool has_bitmaps,
               const any_runner& run, const shuffle_join_sizes& sizes = {})
      : expected_(expected),
        bounds_(bounds),
        has_sets_(has_sets),
        has_bitmaps_(has_bitmaps),
        run_(run),
        sizes_(sizes) {}

  /// Adds the records of a blob. Precondition: the bytes outlive the join. Throws: std::runtime_error if the blob is
  /// damaged, or does not belong to the others; std::length_error.
  void add(std::span<const std::byte> bytes) {
    const std::string name = "blob " + std::to_string(blobs_++);
    if (bytes.empty()) return;
    const blob_header header = checked_header(bytes, name);
    bytes = bytes.subspan(sizeof header);
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint64_t) != 0) {
      std::vector<std::uint64_t>& own = aligned_.emplace_back(bytes.size() / sizeof(std::uint64_t) + 1);
      std::memcpy(own.data(), bytes.data(), bytes.size());
      bytes = std::as_bytes(std::span(own)).first(bytes.size());
    }
    blob_reader<Feature> reader(bytes, has_sets_, has_bitmaps_, name);
    std::uint64_t count = 0;
    for (; !reader.at_end(); ++count) {
      if (sets_.size() >= none) fail<std::length_error>("a partition of 2^32 - 1 records or more");
      sets_.push_back(reader.next());
    }
    if (count != header.records) fail<std::runtime_error>(name + ": damaged");
  }

  /// Calls `take(a, b, common, similarity)` for all pairs, one call at a time. Call it once.
  template <class Take>
  void visit(const Take& take) {
    unite_copies();
    for (const gathered_set& set : unique_) visit_copies(set, take);
    const std::vector<row> rows = sorted_rows();
    detail::mutex_type mutex;
    std::vector<worker> workers(parts_for(run_, rows.size(), 1024));
    const auto hand_over = [&](worker& of) {
      const std::lock_guard lock(mutex);
      for (const similar_ranks& pair : of.found) visit_pair(pair, take);
      of.found.clear();
    };
    const auto hand_over_many = [&](worker& of) {
      constexpr std::size_t many = 1024;
      if (has_sets_ && of.found.size() >= many) hand_over(of);
      return true;
    };
    std::vector<std::span<const row>> large;
    std::size_t begin = 0;
    std::vector<std::size_t> starts;  // of buckets
    for (std::size_t end = 0; begin < rows.size(); begin = end) {
      while (end < rows.size() && rows[end].feature == rows[begin].feature) ++end;
      if (end - begin < 2) continue;
      const std::span<const row> bucket = std::span(rows).subspan(begin, end - begin);
      if (is_corpus(bucket, bounds_, sizes_.large)) {
        large.push_back(bucket);
      } else {
        starts.push_back(begin);
      }
    }
    constexpr std::size_t step = 64;
    in_steps(run_, workers.size(), starts.size(), step, [&](std::size_t part, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        std::size_t end = starts[i] + 1;
        while (end < rows.size() && rows[end].feature == rows[starts[i]].feature) ++end;
        join_bucket(std::span(rows).subspan(starts[i], end - starts[i]), 0, end - starts[i], workers[part]);
        hand_over_many(workers[part]);
      }
      return true;
    });
    for (const std::span<const row> bucket : large) {
      if (has_sets_) {
        join_corpus(bucket, workers, hand_over_many);
        continue;
      }
      in_steps(run_, workers.size(), bucket.size(), step, [&](std::size_t part, std::size_t first, std::size_t last) {
        join_bucket(bucket, first, last, workers[part]);
        return true;
      });
    }
    if (!has_sets_) {  // a candidate may have been found by several features
      worker all;
      for (worker& one : workers) {
        all.found.insert(all.found.end(), one.found.begin(), one.found.end());
        one.found = {};
      }
      const auto key = [](const similar_ranks& p) { return std::uint64_t{p.a} << 32 | p.b; };
      std::sort(all.found.begin(), all.found.end(),
                [&](const similar_ranks& x, const similar_ranks& y) { return key(x) < key(y); });
      const auto last = std::unique(all.found.begin(), all.found.end(),
                                    [&](const similar_ranks& x, const similar_ranks& y) { return key(x) == key(y); });
      all.found.erase(last, all.found.end());
      return hand_over(all);
    }
    for (worker& one : workers) hand_over(one);
  }

 private:
  static constexpr std::uint32_t none = (std::numeric_limits<std::uint32_t>::max)();

  /// A set, with the documents of all its copies.
  struct gathered_set {
    std::uint32_t record;
    std::uint32_t size;
    std::span<const std::uint64_t> documents;  // ascending
    const Feature* prefix;                     // whole sets only: prefix features, rare ones first
    set_bitmap bitmap;
  };

  /// A prefix feature of a set. `set` is an index of unique_; `position` is that of the feature in the prefix.
  struct row {
    Feature feature;
    std::uint32_t set, size, position;
  };

  /// Scratch memory of a part.
  struct worker {
    std::vector<std::uint32_t> posted;                      // places in the bucket, of rows in the shorter prefixes
    std::vector<similar_ranks> found;                       // of indexes of unique_
    std::array<std::array<std::uint32_t, 3>, 256> least{};  // sizes a, b; the required overlap
  };

  [[nodiscard]] blob_header checked_header(std::span<const std::byte> bytes, const std::string& name) {
    blob_header header{};
    if (bytes.size() >= sizeof header) std::memcpy(&header, bytes.data(), sizeof header);
    const auto refuse = [&](const std::string& why) { fail<std::runtime_error>(name + ": " + why); };
    if (header.magic != blob_header::magic_number)
      refuse("no blob of a shuffle, or of a machine of another byte order");
    if (header.version != blob_header::current_version) refuse("of another version");
    blob_header zeroed = header;
    zeroed.checksum = 0;
    if (header.bytes != bytes.size() - sizeof header ||
        header.checksum != checksum_of_blob(zeroed, bytes.subspan(sizeof header))) {
      refuse("cut off, or damaged");
    }
    if (header.width != expected_.width) {
      refuse("its features have " + std::to_string(8 * header.width) + " bits instead of " +
             std::to_string(8 * expected_.width));
    }
    const bool is_same_join = header.measure == expected_.measure && header.similarity == expected_.similarity &&
                              header.min_common == expected_.min_common && header.flags == expected_.flags &&
                              header.payload == expected_.payload && header.second_from == expected_.second_from;
    if (!is_same_join) refuse("of other settings");
    if (header.identity != expected_.identity) refuse("its features were made in another way");
    if (header.partitions != expected_.partitions || header.partition != expected_.partition) {
      refuse("partition " + std::to_string(header.partition) + " of " + std::to_string(header.partitions) +
             " instead of " + std::to_string(expected_.partition) + " of " + std::to_string(expected_.partitions));
    }
    if (!has_counts_) expected_.counts = header.counts;
    has_counts_ = true;
    if (header.counts != expected_.counts) refuse("scattered with other counts than the first blob");
    return header;
  }

  [[nodiscard]] bool are_copies(std::uint32_t a, std::uint32_t b) const {
    const blob_record<Feature>&x = sets_[a], &y = sets_[b];
    if (x.head.size != y.head.size || hashes_[a] != hashes_[b]) return false;
    return has_sets_ ? std::equal(x.features.begin(), x.features.end(), y.features.begin()) : x.hash == y.hash;
  }

  /// Makes unique_ from the records.
  void unite_copies() {
    const auto count = static_cast<std::uint32_t>(sets_.size());
    hashes_.resize(count);
    std::vector<std::uint32_t> first(count), next(count, none), last(count);
    copy_table table;
    table.reset(count);
    std::size_t merged = 0, prefixes = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (has_sets_) {
        const set_sketch sketch = sketch_of(sets_[i].features);
        hashes_[i] = sketch.hash;
        sets_[i].bitmap = sketch.bitmap;
      } else {
        hashes_[i] = sets_[i].hash[0];
      }
      first[i] = table.find_or_add(hashes_[i], i, [&](std::uint32_t other) { return are_copies(other, i); });
      last[i] = i;
      if (first[i] == i) {
        prefixes += sets_[i].head.prefix;
        continue;
      }
      next[last[first[i]]] = i;
      last[first[i]] = i;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      if (first[i] != i || next[i] != none) merged += sets_[i].documents.size();
    }
    documents_.reserve(merged);
    prefixes_.reserve(prefixes);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (first[i] != i) continue;
      const blob_record<Feature>& record = sets_[i];
      gathered_set set{i, record.head.size, record.documents, prefixes_.data() + prefixes_.size(), record.bitmap};
      const std::size_t width = index_width(record.head.size);
      for (std::size_t p = 0; p < record.head.prefix; ++p) {
        prefixes_.push_back(record.features[index_at(record.prefix, width, p)]);
      }
      if (next[i] != none) {
        const std::size_t begin = documents_.size();
        for (std::uint32_t copy = i; copy != none; copy = next[copy]) {
          documents_.insert(documents_.end(), sets_[copy].documents.begin(), sets_[copy].documents.end());
        }
        const std::span<std::uint64_t> all = std::span(documents_).subspan(begin);
        std::sort(all.begin(), all.end());
        set.documents = all;
      }
      unique_.push_back(set);
    }
    hashes_ = {};
  }

  /// The place in the prefix, of a row of a record, not counting features that are left out.
  [[nodiscard]] std::uint32_t place_of(const blob_record<Feature>& record, std::size_t i) const {
    return has_sets_ ? index_at(record.rows, index_width(record.head.size), i)
                     : record.positions[i] - record.head.left_out;
  }

  [[nodiscard]] std::vector<row> sorted_rows() {
    std::size_t count = 0;
    for (const gathered_set& set : unique_) count += sets_[set.record].head.rows;
    std::vector<row> rows;
    rows.reserve(count);
    for (std::uint32_t i = 0; i < unique_.size(); ++i) {
      const blob_record<Feature>& record = sets_[unique_[i].record];
      for (std::size_t r = 0; r < record.head.rows; ++r) {
        const std::uint32_t place = place_of(record, r);
        rows.push_back({has_sets_ ? unique_[i].prefix[place] : record.features[r], i, record.head.size,
                        record.head.left_out + place});
      }
    }
    const int bits = std::clamp(static_cast<int>(std::bit_width(count)) - 4, 1, 24);
    std::vector<std::size_t> starts((std::size_t{1} << bits) + 1);
    scratch_array<row> scratch;
    radix_partition(
        count, bits, [from = rows.data()](std::size_t i) { return from[i]; },
        [bits](const row& r) { return to_size(mix(std::uint64_t{r.feature} + golden_ratio) >> (64 - bits)); },
        [to = rows.data()](std::size_t place, const row& r) { to[place] = r; }, std::span<std::size_t>(starts), scratch,
        run_);
    in_steps(run_, parts_for(run_, count, 4096), starts.size() - 1, 64,
             [&](std::size_t /*part*/, std::size_t first, std::size_t last) {
               for (std::size_t i = first; i < last; ++i) {
                 std::sort(rows.begin() + static_cast<std::ptrdiff_t>(starts[i]),
                           rows.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]), [](const row& a, const row& b) {
                             if (a.feature != b.feature) return a.feature < b.feature;
                             return a.size != b.size ? a.size < b.size : a.set < b.set;
                           });
               }
               return true;
             });
    return rows;
  }

  [[nodiscard]] std::uint32_t least(worker& memory, std::uint32_t a, std::uint32_t b) const {
    auto& known = memory.least[(a * 31 + b) % memory.least.size()];
    if (known[0] != a || known[1] != b) {
      known = {a, b, static_cast<std::uint32_t>(bounds_.least(a, b))};
    }
    return known[2];
  }

  /// Joins the rows [first, last) of a bucket with those before them. All rows of a bucket have the same feature.
  void join_bucket(std::span<const row> bucket, std::size_t first, std::size_t last, worker& memory) const {
    std::vector<std::uint32_t>& posted = memory.posted;
    posted.clear();
    std::size_t size = 0, prefix = 0, least_size = 0, begin = 0;
    for (std::size_t j = 0; j < last; ++j) {
      const row& y = bucket[j];
      if (y.size != size) {
        size = y.size;
        prefix = bounds_.short_prefix(size);
        least_size = bounds_.least_partner(size);
      }
      if (j >= first) {
        while (begin < posted.size() && bucket[posted[begin]].size < least_size) ++begin;
        for (std::size_t i = begin; i < posted.size(); ++i) compare(bucket[posted[i]], y, memory);
      }
      if (y.position < prefix) posted.push_back(static_cast<std::uint32_t>(j));
    }
  }

  /// Precondition: x.size <= y.size.
  void compare(const row& x, const row& y, worker& memory) const {
    const std::size_t need = least(memory, x.size, y.size);
    if (x.size < need + x.position || y.size < need + y.position) return;
    const gathered_set &a = unique_[x.set], &b = unique_[y.set];
    if (has_sets_ || has_bitmaps_) {
      const auto differing = static_cast<std::size_t>(portable_popcount(a.bitmap[0] ^ b.bitmap[0]) +
                                                      portable_popcount(a.bitmap[1] ^ b.bitmap[1]));
      if (differing + 2 * need > std::size_t{x.size} + y.size) return;
    }
    std::size_t common = 0;
    if (has_sets_) {
      if (share_earlier(x, y)) return;
      common = count_common(sets_[a.record].features, sets_[b.record].features, need);
      if (common < need) return;
    }
    memory.found.push_back({(std::min)(x.set, y.set), (std::max)(x.set, y.set), static_cast<std::uint32_t>(common)});
  }

  /// Whether the sets of two rows share a prefix feature before the feature of the rows.
  [[nodiscard]] bool share_earlier(const row& x, const row& y) const {
    const std::size_t p = x.position - sets_[unique_[x.set].record].head.left_out;
    const std::size_t q = y.position - sets_[unique_[y.set].record].head.left_out;
    const Feature *const a = unique_[x.set].prefix, *const b = unique_[y.set].prefix;
    for (std::size_t i = 0; i < p; ++i) {
      bool is_shared = false;
      for (std::size_t j = 0; j < q; ++j) is_shared |= a[i] == b[j];
      if (is_shared) return true;
    }
    return false;
  }

  /// Joins the sets of a large bucket as a corpus of their own.
  template <class HandOver>
  void join_corpus(std::span<const row> bucket, std::vector<worker>& workers, const HandOver& hand_over) {
    const distinct_sets<Feature> sets(
        {bucket.size(), [&](std::size_t i) { return sets_[unique_[bucket[i].set].record].features; }}, bucket.size(),
        bounds_.min_common(), run_);
    constexpr set_join_sizes sizes;
    const set_prefixes prefixes(sets, bounds_, run_, sizes.block);
    set_join<Feature> join(sets, prefixes, bounds_, run_, sizes);
    if (workers.size() < join.parts()) workers.resize(join.parts());
    join.visit([&](std::size_t part, std::span<const similar_ranks> pairs) {
      for (const similar_ranks& pair : pairs) {
        const row &x = bucket[sets.first_of(pair.a)], &y = bucket[sets.first_of(pair.b)];
        if (share_earlier(x, y)) continue;
        workers[part].found.push_back({(std::min)(x.set, y.set), (std::max)(x.set, y.set), pair.common});
      }
      return hand_over(workers[part]);
    });
  }

  /// Passes the pairs of copies of a set to `take`, in the partition of its first prefix feature.
  template <class Take>
  void visit_copies(const gathered_set& set, const Take& take) const {
    const std::span<const std::uint64_t> documents = set.documents;
    if (documents.size() < 2 || place_of(sets_[set.record], 0) != 0) return;
    if (bounds_.least(set.size, set.size) > set.size) return;
    const double similarity = bounds_.similarity(set.size, set.size, set.size);
    if (is_across()) return visit_across(documents, documents, set.size, similarity, take);
    for (std::size_t i = 0; i < (is_once() ? 1 : documents.size()); ++i) {
      for (std::size_t j = i + 1; j < documents.size(); ++j) take(documents[i], documents[j], set.size, similarity);
    }
  }

  template <class Take>
  void visit_pair(const similar_ranks& pair, const Take& take) const {
    const gathered_set &a = unique_[pair.a], &b = unique_[pair.b];
    const double similarity = bounds_.similarity(a.size, b.size, pair.common);
    if (is_across()) {
      visit_across(a.documents, b.documents, pair.common, similarity, take);
      visit_across(b.documents, a.documents, pair.common, similarity, take);
    } else if (is_once()) {
      take(a.documents.front(), b.documents.front(), pair.common, similarity);
    } else {
      for (const std::uint64_t x : a.documents) {
        for (const std::uint64_t y : b.documents) take(x, y, pair.common, similarity);
      }
    }
  }

  /// Pairs of a document of the first corpus in `a`, and one of the second corpus in `b`.
  template <class Take>
  void visit_across(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::uint32_t common,
                    double similarity, const Take& take) const {
    for (const std::uint64_t x : a) {
      if (x >= expected_.second_from) break;
      for (auto y = std::lower_bound(b.begin(), b.end(), expected_.second_from); y != b.end(); ++y) {
        take(x, *y, common, similarity);
      }
    }
  }

  [[nodiscard]] bool is_across() const noexcept {
    return expected_.second_from != (std::numeric_limits<std::uint64_t>::max)();
  }
  [[nodiscard]] bool is_once() const noexcept { return (expected_.flags & blob_header::copies_once) != 0; }

  blob_header expected_;
  const overlap_bounds& bounds_;
  bool has_sets_, has_bitmaps_;
  any_runner run_;
  shuffle_join_sizes sizes_;
  bool has_counts_ = false;
  std::size_t blobs_ = 0;
  std::vector<std::vector<std::uint64_t>> aligned_;  // copies of blobs that begin at other addresses
  std::vector<blob_record<Feature>> sets_;
  std::vector<std::uint64_t> hashes_;
  std::vector<gathered_set> unique_;
  std::vector<std::uint64_t> documents_;
  std::vector<Feature> prefixes_;
};

}  // namespace neardup::inline v0::detail
