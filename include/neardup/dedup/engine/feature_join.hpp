// SPDX-License-Identifier: MIT
// Joins documents by shared features: near-duplicates have most of their features in common.
//
// Prefix filter: all features are in one order. If a set of n features has at least c features in common with another
// set, the first common feature is among its first n - c + 1 features. So two sets that are similar enough are both in
// the bucket of one of their prefix features, whatever their fingerprints. If the order puts rare features first, these
// buckets are small: far fewer fingerprints are compared than when buckets are defined by some of their bits.
// Source: Chaudhuri, Ganti and Kaushik, A Primitive Operator for Similarity Joins in Data Cleaning, ICDE 2006.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../detail/large_array.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../index/engine/filters.hpp"
#include "../../index/fingerprint_range.hpp"
#include "../../index/join/fingerprint_join.hpp"
#include "../../index/join/join_input.hpp"
#include "../../index/join/join_plan.hpp"
#include "../../instruction_set.hpp"
#include "../../runner.hpp"
#include "../../sets/engine/overlap_bounds.hpp"
#include "../checks.hpp"

namespace neardup::inline v0::detail {

/// An order of all features: by their document frequency in a sample, rare features first, and by number if frequencies
/// are equal.
class feature_order {
 public:
  /// Counts one occurrence of a feature in the sample.
  void count(std::uint32_t feature) noexcept {
    std::uint8_t& seen = seen_[place(feature)];
    seen = static_cast<std::uint8_t>(seen + (seen < 255 ? 1 : 0));
  }
  /// Turns counts into ranks. Called when the sample is complete.
  void close() noexcept {
    for (std::uint8_t& seen : seen_) seen = static_cast<std::uint8_t>(std::bit_width(seen / 5U));
  }

  /// Writes the first `count` features of a set, in this order, to the front of `to`.
  /// Precondition: count <= set.size().
  /// Returns: the number of features that were examined.
  std::size_t first(std::span<const std::uint32_t> set, std::size_t count, std::vector<std::uint32_t>& to) const;

  /// Scatters features over 32 bits, bijectively.
  static constexpr std::uint32_t scattered(std::uint32_t feature) noexcept { return feature * 0x9e3779b1U; }

 private:
  static constexpr int bits = 20;

  static constexpr std::size_t place(std::uint32_t feature) noexcept { return scattered(feature) >> (32 - bits); }

  std::vector<std::uint8_t> seen_ = std::vector<std::uint8_t>(std::size_t{1} << bits);
};

/// Finds the pairs of documents within k bits that share a prefix feature. All pairs that the check can accept are
/// among them. Some pairs are found several times. If `kept` is not 0, each pair has one of the first `kept` documents
/// and one of the others.
template <std::size_t Words, class Number>
class feature_join {
 public:
  using documents_type = chosen_words<Words, Number>;
  using take_type = std::function<bool(std::size_t part, std::span<const near_pair<Number>>)>;

  /// Returns a lower bound of the cost of a feature_join, in units of join_plan. If a join by fingerprints costs less,
  /// there is no need to sample features.
  static double min_cost(std::size_t documents) noexcept { return 1e7 + 400 * static_cast<double>(documents); }

  /// Samples features, and estimates the cost of the join.
  /// Precondition: features.suffices().
  feature_join(const documents_type& documents, std::size_t kept, std::size_t bits, int k,
               const compared_features<Number>& features)
      : documents_(documents),
        kept_(kept),
        k_(k),
        filter_(filter_for<Words>(bits, k)),
        features_(features),
        bounds_(jaccard{features.similarity}) {
    constexpr std::size_t most = std::size_t{1} << 19;  // most features in the sample
    const auto count = static_cast<double>(documents.size());
    // A few sets give the mean size of a set, which decides how many sets are in the sample.
    std::size_t sampled = (std::min)(documents.size(), std::size_t{256});
    std::size_t sum = 0;
    for_each_of(sampled, [&](std::span<const std::uint32_t> set) { sum += set.size(); });
    sampled = (std::min)(documents.size(), (std::max)(sampled, most * sampled / (sum + 1)));
    for_each_of(sampled, [&](std::span<const std::uint32_t> set) {
      for (const std::uint32_t feature : set) order_.count(feature);
    });
    order_.close();
    std::vector<std::uint32_t> some, all;
    double looks = 0;
    for_each_of(sampled, [&](std::span<const std::uint32_t> set) {
      const std::size_t first = bounds_.prefix(set.size());
      looks += static_cast<double>(order_.first(set, first, some));
      all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(first));
    });
    std::sort(all.begin(), all.end());
    double pairs = 0;
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      while (end < all.size() && all[end] == all[begin]) ++end;
      pairs += static_cast<double>(end - begin) * static_cast<double>(end - begin - 1) / 2;
    }
    const double scale = count / static_cast<double>(sampled);
    const double records = static_cast<double>(all.size()) * scale;
    if (kept > 0) pairs *= 2 * (static_cast<double>(kept) / count) * (1 - static_cast<double>(kept) / count);
    const double visits = choose_passes(records);
    const join_costs costs = join_costs::of(k, Words, level_);
    cost_ = visits * (20 + 1.5 * looks * scale / count) + records * (visits / count + 2 * costs.record) +
            pairs * scale * scale * costs.pair;
  }

  /// Returns the estimated cost, in units of join_plan.
  [[nodiscard]] double cost() const noexcept { return cost_; }

  /// Finds the pairs, and passes them to `take` as visit_distinct_pairs() does.
  /// Memory: temporarily 16 bytes per document.
  void visit(const any_runner& run, std::size_t parts, const take_type& take) const {
    const std::size_t records = 2 * documents_.size();
    const int bits = first_pass_bits(records, max_pass_bits);
    std::vector<record_groups> groups(parts, record_groups(std::size_t{1} << bits));
    std::vector<part_memory> memory(parts, part_memory(filter_));
    for (std::size_t pass = 0; pass < passes_ * runs_; ++pass) {
      first_failure failure;
      run(parts, [&](std::size_t part) { failure.guard(part, [&] { collect(pass, part, bits, groups); }); });
      failure.rethrow();
      const bool goes_on =
          in_steps(run, parts, std::size_t{1} << bits, 1, [&](std::size_t part, std::size_t group, std::size_t) {
            return join(groups, group, bits, memory[part], part, take);
          });
      if (!goes_on) return;
    }
  }

 private:
  /// A record: a document and one of its prefix features. Each pass handles a share of all features. Within a pass,
  /// features are scattered over 32 bits.
  struct record {
    std::uint32_t feature;
    Number document;  // position among the chosen documents
  };

  /// Records in groups. Within a group they keep the order of insertion. A group consists of pieces of large blocks of
  /// memory, which the groups share.
  class record_groups {
   public:
    explicit record_groups(std::size_t groups) : open_(groups), pieces_(groups) {}

    void add(std::size_t group, const record& r) {
      if (open_[group].size() == 0) open_[group] = next_piece(group);
      open_[group].front() = r;
      open_[group] = open_[group].subspan(1);
    }

    /// Removes all records; keeps the allocated memory.
    void clear() noexcept {
      std::fill(open_.begin(), open_.end(), std::span<record>());
      for (auto& pieces : pieces_) pieces.clear();
      used_ = 0;
    }

    [[nodiscard]] std::size_t size_of(std::size_t group) const noexcept {
      return pieces_[group].size() * piece_size - open_[group].size();
    }

    template <class Use>
    void for_each(std::size_t group, const Use& use) const {
      std::size_t left = size_of(group);
      for (const record* const piece : pieces_[group]) {
        const std::size_t count = (std::min)(left, piece_size);
        for (std::size_t i = 0; i < count; ++i) use(piece[i]);
        left -= count;
      }
    }

   private:
    static constexpr std::size_t piece_size = 512;
    static constexpr std::size_t block_size = std::size_t{1} << 18;  // one or two large pages

    std::span<record> next_piece(std::size_t group) {
      if (used_ == blocks_.size() * block_size) blocks_.emplace_back(block_size);
      record* const piece = blocks_[used_ / block_size].data() + used_ % block_size;
      pieces_[group].push_back(piece);
      used_ += piece_size;
      return {piece, piece_size};
    }

    std::vector<std::span<record>> open_;  // by group: the unused rest of its last piece
    std::vector<std::vector<record*>> pieces_;
    std::vector<large_array<record>> blocks_;
    std::size_t used_ = 0;
  };

  /// Scratch memory of one part of the join for one group of records.
  struct part_memory {
    explicit part_memory(join_filter filter) : records(filter) {}

    bucket_arrays<Words, Number> records;
    std::vector<std::uint32_t> features;  // features of the records of the group
    std::vector<std::size_t> ends;        // ends of the buckets
  };

  template <class Use>
  void for_each_of(std::size_t sampled, const Use& use) const {
    for (std::size_t i = 0; i < sampled; ++i) {
      use(features_.of(documents_.number(documents_.size() / sampled * i)));
    }
  }

  /// Chooses the number of passes. There is memory for two records per document. So a pass handles a share of all
  /// features, or a share of the kept documents with all other documents. In the second case each pass reads all other
  /// documents again, but often there are few of them.
  /// Returns: the number of documents read in all passes together.
  double choose_passes(double records) {
    const auto kept = static_cast<double>(kept_), others = static_cast<double>(documents_.size() - kept_);
    const double of_each = records / (kept + others);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t passes = 1;; ++passes) {
      const double room = 2 * static_cast<double>(passes) * (kept + others) - of_each * others;
      const double runs = (std::max)(1.0, std::ceil(of_each * kept / room));
      const double visits = static_cast<double>(passes) * (kept + runs * others);
      if (room > 0 && visits < least) {
        least = visits;
        passes_ = passes;
        runs_ = static_cast<std::size_t>(runs);
      }
      if (static_cast<double>(2 * passes) > of_each) return least;
    }
  }

  /// Collects the records of one part for a pass, grouped by the highest bits of their features.
  void collect(std::size_t pass, std::size_t part, int bits, std::vector<record_groups>& groups) const {
    const std::size_t of_features = pass / runs_;
    const std::size_t begin = kept_ / runs_ * (pass % runs_);
    const std::size_t run_size = pass % runs_ + 1 == runs_ ? kept_ - begin : kept_ / runs_;
    const std::size_t count = run_size + documents_.size() - kept_;
    const auto begin_of = [&](std::size_t p) { return p == groups.size() ? count : count / groups.size() * p; };
    record_groups& own = groups[part];
    own.clear();
    std::vector<std::uint32_t> some;
    for (std::size_t n = begin_of(part); n < begin_of(part + 1); ++n) {
      const std::size_t i = n < run_size ? begin + n : kept_ + (n - run_size);
      const std::span<const std::uint32_t> set = features_.of(documents_.number(i));
      const std::size_t first = bounds_.prefix(set.size());
      order_.first(set, first, some);
      std::size_t taken = 0;
      for (std::size_t f = 0; f < first; ++f) {
        const std::uint64_t scaled = std::uint64_t{feature_order::scattered(some[f])} * passes_;
        some[taken] = static_cast<std::uint32_t>(scaled);
        taken += scaled >> 32 == of_features ? 1 : 0;
      }
      for (std::size_t f = 0; f < taken; ++f) {
        own.add(some[f] >> (32 - bits), {some[f], static_cast<Number>(i)});
      }
    }
  }

  bool join(const std::vector<record_groups>& groups, std::size_t group, int bits, part_memory& own, std::size_t part,
            const take_type& take) const {
    fill_buckets(groups, group, bits, own);
    std::size_t begin = 0;
    for (const std::size_t end : own.ends) {
      if (end - begin > 1 && !join_bucket(own, begin, end, part, take)) return false;
      begin = end;
    }
    return true;
  }

  /// Sorts the records of a group into buckets. Within a bucket, records are in the order of the documents. A bucket
  /// has few features, and usually few records.
  void fill_buckets(const std::vector<record_groups>& groups, std::size_t group, int bits_before,
                    part_memory& own) const {
    std::size_t size = 0;
    for (const record_groups& part : groups) size += part.size_of(group);
    const int bits = static_cast<int>(std::bit_width(size / 2));
    const auto bucket_of = [=](const record& r) {
      return to_size(std::uint64_t{r.feature << bits_before} >> (32 - bits));
    };
    own.ends.assign(std::size_t{1} << bits, 0);
    own.features.resize((std::max)(own.features.size(), size));
    own.records.take(size);
    for (const record_groups& part : groups) part.for_each(group, [&](const record& r) { ++own.ends[bucket_of(r)]; });
    std::size_t first = 0;
    for (std::size_t& end : own.ends) first += std::exchange(end, first);
    for (const record_groups& part : groups) {
      part.for_each(group, [&](const record& r) {
        const std::size_t to = own.ends[bucket_of(r)]++;
        own.features[to] = r.feature;
        own.records.set(to, documents_[static_cast<std::size_t>(r.document)], r.document);
      });
    }
  }

  bool join_bucket(const part_memory& own, std::size_t begin, std::size_t end, std::size_t part,
                   const take_type& take) const {
    filter_join job = filter_join::within(begin, end, end);
    if (kept_ > 0) {
      const std::size_t others = own.records.first_from(kept_, begin, end);
      if (others == begin || others == end) return true;
      job = filter_join::across(others, end, begin, others);
    }
    constexpr std::size_t room = 4 * join_step;
    filter_pair found[room];
    near_pair<Number> pairs[room];
    while (!job.is_done()) {
      const std::size_t count = own.records.find_near(job, k_, found, level_);
      std::size_t taken = 0;
      for (const filter_pair& pair : std::span(found).first(count)) {
        if (own.features[pair.x] != own.features[pair.y]) continue;
        const int distance = count_differing_bits(own.records.words(pair.x), own.records.words(pair.y));
        if (distance > k_) continue;
        const Number i = own.records.position(pair.x), j = own.records.position(pair.y);
        pairs[taken++] = {(std::min)(i, j), (std::max)(i, j), distance};
      }
      if (taken != 0 && !take(part, std::span(pairs).first(taken))) return false;
    }
    return true;
  }

  documents_type documents_;
  std::size_t kept_;
  int k_;
  join_filter filter_;
  instruction_set level_ = active_instruction_set();
  const compared_features<Number>& features_;
  overlap_bounds bounds_;
  feature_order order_;
  std::size_t passes_ = 1;  // passes over all features
  std::size_t runs_ = 1;    // shares of the kept documents, for each pass over features
  double cost_ = 0;
};

#if NEARDUP_BODIES

NEARDUP_INLINE std::size_t feature_order::first(std::span<const std::uint32_t> set, std::size_t count,
                                                std::vector<std::uint32_t>& to) const {
  if (to.size() < count) to.resize(count);
  std::size_t found = 0, looks = 0;
  for (unsigned rank = 0; found < count; ++rank) {
    std::size_t i = 0;
    for (; i < set.size() && found < count; ++i) {
      to[found] = set[i];  // unconditional, because a branch could not be predicted
      found += seen_[place(set[i])] == rank ? 1 : 0;
    }
    looks += i;
  }
  return looks;
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
