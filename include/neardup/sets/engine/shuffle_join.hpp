// SPDX-License-Identifier: MIT
// Joins the sets of one partition of a shuffle: finds the pairs that share a prefix feature of this partition. The
// records of the partition's blobs have the rows, and bucket_join joins the rows.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/equal_groups.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../error.hpp"
#include "../../runner.hpp"
#include "bitmap_filter.hpp"
#include "bucket_join.hpp"
#include "common_elements.hpp"
#include "overlap_bounds.hpp"
#include "shuffle_blob.hpp"

namespace neardup::inline v0::detail {

/// A distinct set, with the documents of all sets that equal it.
template <class Feature>
struct gathered_set {
  std::uint32_t record;
  std::uint32_t size;
  std::span<const std::uint64_t> documents;  // ascending
  const Feature* prefix;                     // only for whole sets: the prefix features, rare ones first
  set_bitmap bitmap;
};

/// A row is a prefix feature of a set. `position` is the position of the feature in the prefix.
template <class Feature>
struct record_row {
  Feature key;
  std::uint32_t set, size, position;
};

/// Gives bucket_join access to the sets of records.
template <class Feature>
class record_sets {
 public:
  using feature = Feature;
  using row = record_row<Feature>;
  struct scratch {};

  record_sets(std::span<const blob_record<Feature>> records, std::span<const gathered_set<Feature>> sets, bool has_sets,
              bool has_bitmaps)
      : records_(records), sets_(sets), has_sets_(has_sets), has_bitmaps_(has_sets || has_bitmaps) {}

  [[nodiscard]] bool has_features() const noexcept { return has_sets_; }
  [[nodiscard]] bool has_bitmaps() const noexcept { return has_bitmaps_; }
  [[nodiscard]] std::span<const Feature> features(std::uint32_t set) const noexcept {
    return records_[sets_[set].record].features;
  }
  [[nodiscard]] static std::size_t position(const row& of) noexcept { return of.position; }
  [[nodiscard]] const set_bitmap& bitmap(const row& of) const noexcept { return sets_[of.set].bitmap; }
  // Always false: equal sets of two corpora become one gathered_set, which may have documents of both corpora.
  [[nodiscard]] static constexpr bool is_across() noexcept { return false; }
  [[nodiscard]] static constexpr bool is_marked(const row& /*of*/) noexcept { return false; }
  [[nodiscard]] static constexpr bool looks_up(const row& /*of*/) noexcept { return true; }

  [[nodiscard]] bool share_earlier(const row& x, const row& y, scratch& /*memory*/, bool /*is_likely*/) const {
    const std::span<const Feature> a = earlier(x), b = earlier(y);
    // All prefixes have the same order. So if y has a feature of a, the feature is also earlier in the prefix of y.
    return a.size() <= b.size() ? is_any_in(a, features(y.set)) : is_any_in(b, features(x.set));
  }
  [[nodiscard]] std::optional<Feature> before(const row& of, scratch& /*memory*/) const {
    const std::span<const Feature> all = earlier(of);
    if (all.empty()) return {};
    return all.back();
  }

 private:
  /// Returns the prefix features that precede the feature of the row `of`, without features that no other set has.
  [[nodiscard]] std::span<const Feature> earlier(const row& of) const noexcept {
    const gathered_set<Feature>& set = sets_[of.set];
    return {set.prefix, of.position - records_[set.record].head.left_out};
  }
  static bool is_any_in(std::span<const Feature> some, std::span<const Feature> set) {
    // Starts at the last feature. The last feature is the most frequent feature, so it is most likely to be common.
    return std::any_of(some.rbegin(), some.rend(),
                       [set](Feature feature) { return std::binary_search(set.begin(), set.end(), feature); });
  }

  std::span<const blob_record<Feature>> records_;
  std::span<const gathered_set<Feature>> sets_;
  bool has_sets_, has_bitmaps_;
};

template <class Feature>
class shuffle_join {
 public:
  /// Makes an empty join. `expected`: the header that all blobs must have, except for `counts`, `records`, `bytes` and
  /// `checksum`.
  shuffle_join(const blob_header& expected, const overlap_bounds& bounds, bool has_sets, bool has_bitmaps,
               const any_runner& run, std::size_t large = large_bucket)
      : expected_(expected),
        pairs_{(expected.flags & blob_header::copies_once) != 0, expected.second_from},
        bounds_(bounds),
        has_sets_(has_sets),
        has_bitmaps_(has_bitmaps),
        run_(run),
        large_(large) {}

  /// Adds the records of a blob.
  /// Precondition: the bytes outlive the join.
  /// Throws: std::runtime_error if the blob is damaged, or if its header differs from the expected header, or from the
  /// first header in `counts`; std::length_error if all blobs together have more than 2^32 - 1 records.
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
      if (sets_.size() >= none) fail<std::length_error>("a partition of more than 2^32 - 1 records");
      sets_.push_back(reader.next());
    }
    if (count != header.records) fail<std::runtime_error>({name, ": damaged"});
  }

  /// Calls `take(first, second, common, similarity)` for all pairs of documents, first < second. Calls do not overlap.
  /// Precondition: visit() was not called before.
  template <class Take>
  void visit(const Take& take) {
    unite_copies();
    for (const gathered_set<Feature>& set : unique_) visit_copies(set, take);
    std::vector<record_row<Feature>> rows = all_rows();
    scratch_array<record_row<Feature>> scratch;
    const record_sets<Feature> sets(sets_, unique_, has_sets_, has_bitmaps_);
    const overlap_table table(bounds_);
    bucket_join<record_sets<Feature>> join(sets, bounds_, table, run_, large_, nullptr, nullptr);
    std::vector<found_pair> candidates;
    join.visit(rows, scratch, [&](std::span<const found_pair> some) {
      if (has_sets_) {
        for (const found_pair& pair : some) visit_pair(pair, take);
      } else {
        candidates.insert(candidates.end(), some.begin(), some.end());
      }
      return true;
    });
    // Several prefix features may have found the same candidate pair.
    const auto key = [](const found_pair& p) { return std::uint64_t{p.a} << 32 | p.b; };
    std::sort(candidates.begin(), candidates.end(),
              [&](const found_pair& x, const found_pair& y) { return key(x) < key(y); });
    const auto last = std::unique(candidates.begin(), candidates.end(),
                                  [&](const found_pair& x, const found_pair& y) { return key(x) == key(y); });
    std::for_each(candidates.begin(), last, [&](const found_pair& pair) { visit_pair(pair, take); });
  }

 private:
  static constexpr std::uint32_t none = (std::numeric_limits<std::uint32_t>::max)();

  [[nodiscard]] blob_header checked_header(std::span<const std::byte> bytes, const std::string& name) {
    check_byte_order(name);
    blob_header header{};
    if (bytes.size() >= sizeof header) std::memcpy(&header, bytes.data(), sizeof header);
    const auto refuse = [&](std::initializer_list<message_part> why) {
      fail<std::runtime_error>({name, ": ", message_of(why)});
    };
    if (header.magic != blob_header::magic_number) refuse({"no blob of a shuffle"});
    if (header.version != blob_header::current_version) refuse({"of another version"});
    blob_header zeroed = header;
    zeroed.checksum = 0;
    if (header.bytes != bytes.size() - sizeof header ||
        header.checksum != checksum_of_blob(zeroed, bytes.subspan(sizeof header))) {
      refuse({"cut off, or damaged"});
    }
    if (header.width != expected_.width) {
      refuse({"its features have ", 8 * header.width, " bits instead of ", 8 * expected_.width});
    }
    const bool is_same_join = header.measure == expected_.measure && header.similarity == expected_.similarity &&
                              header.min_common == expected_.min_common && header.flags == expected_.flags &&
                              header.payload == expected_.payload && header.second_from == expected_.second_from;
    if (!is_same_join) refuse({"of other settings"});
    if (header.identity != expected_.identity) refuse({"its features were made in another way"});
    if (header.partitions != expected_.partitions || header.partition != expected_.partition) {
      refuse({"partition ", header.partition, " of ", header.partitions, " instead of ", expected_.partition, " of ",
              expected_.partitions});
    }
    if (!has_counts_) expected_.counts = header.counts;
    has_counts_ = true;
    if (header.counts != expected_.counts) refuse({"scattered with other counts than the first blob"});
    return header;
  }

  [[nodiscard]] std::strong_ordering compare(std::uint32_t a, std::uint32_t b) const {
    const blob_record<Feature>&x = sets_[a], &y = sets_[b];
    if (has_sets_) return compare_sets(x.features, y.features);
    if (x.head.size != y.head.size) return x.head.size <=> y.head.size;
    return compare_sets<std::uint64_t>(x.hash, y.hash);
  }

  /// Computes unique_ from the records: equal sets become one set with all their documents.
  void unite_copies() {
    std::vector<std::uint64_t> hashes;
    hashes.reserve(sets_.size());
    for (blob_record<Feature>& record : sets_) {
      if (has_sets_) {
        const set_sketch sketch = sketch_of(record.features);
        record.bitmap = sketch.bitmap;
        hashes.push_back(sketch.hash);
      } else {
        hashes.push_back(record.hash[0]);
      }
    }
    const equal_groups<std::uint32_t> copies(
        hashes.size(), [&](std::size_t i) { return hashes[i]; },
        [this](std::uint32_t a, std::uint32_t b) { return compare(a, b); }, run_);
    const std::vector<std::uint32_t> firsts = copies.firsts();
    std::size_t merged = 0, prefixes = 0;
    for (const std::uint32_t first : firsts) prefixes += sets_[first].head.prefix;
    copies.visit_groups([&](std::span<const std::uint32_t> group) {
      for (const std::uint32_t copy : group) merged += sets_[copy].documents.size();
      return true;
    });
    documents_.reserve(merged);
    prefixes_.reserve(prefixes);
    for (const std::uint32_t& first : firsts) {
      const blob_record<Feature>& record = sets_[first];
      gathered_set<Feature> set{first, record.head.size, record.documents, prefixes_.data() + prefixes_.size(),
                                record.bitmap};
      const std::size_t width = index_width(record.head.size);
      for (std::size_t p = 0; p < record.head.prefix; ++p) {
        prefixes_.push_back(record.features[index_at(record.prefix, width, p)]);
      }
      if (copies.has_copies(first)) {
        const std::size_t begin = documents_.size();
        for (const std::uint32_t copy : copies.members(first)) {
          documents_.insert(documents_.end(), sets_[copy].documents.begin(), sets_[copy].documents.end());
        }
        const std::span<std::uint64_t> all = std::span(documents_).subspan(begin);
        std::sort(all.begin(), all.end());
        set.documents = all;
      }
      unique_.push_back(set);
    }
  }

  /// Returns the position of the feature of row `i` of `record` in the prefix without its left_out first features.
  [[nodiscard]] std::uint32_t place_of(const blob_record<Feature>& record, std::size_t i) const {
    return has_sets_ ? index_at(record.rows, index_width(record.head.size), i)
                     : record.positions[i] - record.head.left_out;
  }

  [[nodiscard]] std::vector<record_row<Feature>> all_rows() const {
    std::size_t count = 0;
    for (const gathered_set<Feature>& set : unique_) count += sets_[set.record].head.rows;
    std::vector<record_row<Feature>> rows;
    rows.reserve(count);
    for (std::uint32_t i = 0; i < unique_.size(); ++i) {
      const blob_record<Feature>& record = sets_[unique_[i].record];
      for (std::size_t r = 0; r < record.head.rows; ++r) {
        const std::uint32_t place = place_of(record, r);
        rows.push_back({has_sets_ ? unique_[i].prefix[place] : record.features[r], i, record.head.size,
                        record.head.left_out + place});
      }
    }
    return rows;
  }

  /// Passes the pairs of documents of `set` to `take`, but only in the partition of the first prefix feature of `set`.
  template <class Take>
  void visit_copies(const gathered_set<Feature>& set, const Take& take) const {
    const std::span<const std::uint64_t> documents = set.documents;
    if (documents.size() < 2 || place_of(sets_[set.record], 0) != 0) return;
    if (!bounds_.are_copies_similar(set.size)) return;
    pairs_.within(documents, passing(take, set.size, bounds_.similarity(set.size, set.size, set.size)));
  }

  template <class Take>
  void visit_pair(const found_pair& pair, const Take& take) const {
    const gathered_set<Feature>&a = unique_[pair.a], &b = unique_[pair.b];
    pairs_.between(a.documents, b.documents,
                   passing(take, pair.common, bounds_.similarity(a.size, b.size, pair.common)));
  }

  template <class Take>
  [[nodiscard]] static auto passing(const Take& take, std::uint32_t common, double similarity) {
    return [&take, common, similarity](std::uint64_t first, std::uint64_t second) {
      take(first, second, common, similarity);
      return true;
    };
  }

  blob_header expected_;
  group_pairs<std::uint64_t> pairs_;
  const overlap_bounds& bounds_;
  bool has_sets_, has_bitmaps_;
  any_runner run_;
  std::size_t large_;
  bool has_counts_ = false;
  std::size_t blobs_ = 0;
  std::vector<std::vector<std::uint64_t>> aligned_;  // copies of blobs whose addresses are not aligned
  std::vector<blob_record<Feature>> sets_;
  std::vector<gathered_set<Feature>> unique_;
  std::vector<std::uint64_t> documents_;
  std::vector<Feature> prefixes_;
};

}  // namespace neardup::inline v0::detail
