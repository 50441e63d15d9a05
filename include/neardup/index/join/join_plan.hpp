// SPDX-License-Identifier: MIT
// The plan of a join: its tables, and the number of buckets of each table.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../error.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/filters.hpp"
#include "../../simd/forms.hpp"
#include "../engine/search_plans.hpp"
#include "../layout.hpp"

namespace neardup::inline v0::detail {

/// A table of a join. Two fingerprints are compared in the table if their keys differ in at most `radius` bits.
template <std::size_t Words>
struct join_table {
  using words_type = std::array<std::uint64_t, Words>;

  table_key<Words> key;  ///< the key; the key's width is 0 if the table compares all pairs
  int radius = 0;
  int address_bits = 0;  ///< log2 of the number of buckets

  [[nodiscard]] bool admits(const words_type& a, const words_type& b) const noexcept {
    return key.is_within(differing_bits(a, b), radius);
  }

  /// Returns the address of a fingerprint's bucket. If two fingerprints are compared in this table, their addresses
  /// differ in at most `radius` bits.
  [[nodiscard]] std::size_t address(const words_type& x) const noexcept {
    if (address_bits == 0) return 0;
    if (radius == 0) return static_cast<std::size_t>(key.hash(x) >> (static_cast<int>(word_bits) - address_bits));
    return static_cast<std::size_t>(key.of(x) & low_mask(static_cast<std::size_t>(address_bits)));
  }
};

/// The costs of the operations of a join, in nanoseconds on one core of a Zen 5. Only the ratios of the costs matter,
/// and only for the choice of a layout.
struct join_costs {
  double record;  ///< moving a fingerprint into a table, in two passes
  double pair;    ///< comparing two filters, or two whole fingerprints, in a large bucket
  double few;     ///< comparing a filter with the filters of a small bucket
  double bucket;  ///< starting the join of two buckets

  static join_costs of(int k, std::size_t words, instruction_set level) noexcept {
    const bool narrow = narrow_filter_suffices(k);
    // The cost of comparing filters. Whole fingerprints cost a little more per word, because their words have to be
    // gathered.
    double pair = choose_form(level, [&](auto form) {
      using costs = decltype(form);
      return narrow ? costs::narrow_pair_cost : costs::pair_cost;
    });
    if (words > max_vector_words) pair = (std::max)(pair, 0.35);  // words are compared one by one
    const double record = 10.0 + 3.0 * static_cast<double>(words);
    if (words > 1 && !wide_filter_suffices(k)) return {record, 1.15 * pair * static_cast<double>(words), 2.0, 6.0};
    // If two filters differ in at most k bits, the whole fingerprints are compared as well, which costs `look`.
    const std::size_t filter_bits = narrow ? 32 : 64;
    double passing = 0;
    double ways = 1;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(k) && i <= filter_bits; ++i) {
      passing += ways;
      ways = ways * static_cast<double>(filter_bits - i) / static_cast<double>(i + 1);
    }
    constexpr double look = 3;
    pair += look * (std::min)(1.0, passing / (narrow ? 0x1p32 : 0x1p64));
    return {record, pair, 2.0, 6.0};
  }
};

/// The tables of a join. Any two fingerprints within k bits are compared in at least one table.
template <std::size_t Words>
class join_plan {
 public:
  using words_type = std::array<std::uint64_t, Words>;

  /// Plans the join of `count` fingerprints of `bits` bits within k bits, in the layout of `blocks` blocks. If kept >
  /// 0, the first `kept` fingerprints are joined only with the other fingerprints, not with each other. If blocks is 0,
  /// the plan takes the layout that is cheapest for `sample`, which is some of the fingerprints. If keys are skewed,
  /// some buckets are crowded. Then the cheapest layout may differ from the cheapest layout for uniform fingerprints.
  /// Throws: std::invalid_argument unless layout::is_valid(bits, k, blocks), or blocks = 0 and 0 <= k <= bits.
  NEARDUP_COLD join_plan(std::size_t bits, int k, int blocks, std::size_t count, std::size_t kept,
                         std::span<const words_type> sample, instruction_set level)
      : count_(static_cast<double>(count)),
        pairs_(kept == 0 ? count_ * count_ / 2 : static_cast<double>(kept) * static_cast<double>(count - kept)),
        costs_(join_costs::of(k, Words, level)),
        sample_(sample) {
    if (static_cast<std::size_t>(k) == bits) {
      tables_ = everything();
    } else if (blocks != 0) {
      tables_ = tables_of(layout(bits, k, blocks));
    } else {
      tables_ = cheapest(bits, k);
    }
    sample_ = {};
  }

  [[nodiscard]] std::span<const join_table<Words>> tables() const noexcept { return tables_; }

  /// Returns the expected cost of the join, in the units of join_costs. Returns 0 if the caller chose the number of
  /// blocks.
  [[nodiscard]] double cost() const noexcept { return cost_; }

  /// Returns true if `table` is the first table in which these two fingerprints are compared. Only this table reports
  /// the pair.
  [[nodiscard]] bool is_first(std::size_t table, const words_type& a, const words_type& b) const noexcept {
    for (std::size_t before = 0; before < table; ++before) {
      if (tables_[before].admits(a, b)) return false;
    }
    return tables_[table].admits(a, b);
  }

 private:
  using table_list = std::vector<join_table<Words>>;

  /// Returns one table with one bucket, which contains all fingerprints.
  NEARDUP_COLD static table_list everything() { return {{table_key<Words>(std::vector<std::uint64_t>(Words)), 0, 0}}; }

  NEARDUP_COLD table_list tables_of(const layout& shape) const {
    table_list result;
    for (const layout::table_probe& probe : shape.plan(shape.k())) {
      join_table<Words> table{table_key<Words>(shape.table_mask(probe.table)), probe.radius, 0};
      table.address_bits = address_bits_for(table);
      result.push_back(std::move(table));
    }
    return result;
  }

  /// Returns log2 of the number of buckets. With radius 0, a bucket has 4 to 8 records: smaller buckets are compared no
  /// faster, and each bucket has a fixed cost. With a larger radius, the result is the cheapest number: with more
  /// buckets, each bucket is smaller, but is joined with more other buckets.
  NEARDUP_COLD int address_bits_for(const join_table<Words>& table) const noexcept {
    const int suitable = bit_width(static_cast<std::uint64_t>(count_) >> 3);
    const int most = (std::min)(static_cast<int>(table.key.width()), suitable);
    if (table.radius == 0) return most;
    int best = 0;
    for (int bits = 1; bits <= most; ++bits) {
      if (cost(bits, table.radius, 0) < cost(best, table.radius, 0)) best = bits;
    }
    return best;
  }

  /// Returns the cost of a table. `pair_share`: the share of all pairs that the table compares. If the share for
  /// uniform addresses is greater, it is used instead.
  double cost(int address_bits, int radius, double pair_share) const noexcept {
    const double buckets = static_cast<double>(std::uint64_t{1} << address_bits);
    const double joined =
        static_cast<double>(choose_at_most(static_cast<std::size_t>(address_bits), static_cast<std::size_t>(radius)));
    const double share = (std::max)(pair_share, joined / buckets);
    return count_ * costs_.record + pairs_ * share * costs_.pair +
           (1 + joined) / 2 * (count_ * costs_.few + buckets * costs_.bucket);
  }

  NEARDUP_COLD double uniform_cost(const table_list& tables) const noexcept {
    double sum = 0;
    for (const join_table<Words>& table : tables) sum += cost(table.address_bits, table.radius, 0);
    return sum;
  }

  NEARDUP_COLD double sampled_cost(const table_list& tables) const {
    double sum = 0;
    for (const join_table<Words>& table : tables) sum += cost(table.address_bits, table.radius, sampled_share(table));
    return sum;
  }

  /// Returns the share of the pairs of the sample that are compared in this table.
  NEARDUP_COLD double sampled_share(const join_table<Words>& table) const {
    constexpr std::size_t max_with_radius = 512;  // with a radius, all pairs are compared
    const std::size_t size = table.radius == 0 ? sample_.size() : (std::min)(sample_.size(), max_with_radius);
    if (size < 2) return 0;
    std::vector<std::uint64_t> addresses(size);
    for (std::size_t i = 0; i < size; ++i) addresses[i] = table.address(sample_[i]);
    double meeting = 0;
    if (table.radius == 0) {
      std::vector<std::uint64_t> scratch(size);
      sort_words(addresses, scratch);
      for (std::size_t begin = 0, end = 0; begin < size; begin = end) {
        while (end < size && addresses[end] == addresses[begin]) ++end;
        meeting += static_cast<double>(end - begin) * static_cast<double>(end - begin - 1) / 2;
      }
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = i + 1; j < size; ++j) {
          meeting += std::popcount(addresses[i] ^ addresses[j]) <= table.radius ? 1 : 0;
        }
      }
    }
    return meeting / (static_cast<double>(size) * static_cast<double>(size - 1) / 2);
  }

  NEARDUP_COLD table_list cheapest(std::size_t bits, int k) {
    struct choice {
      double cost;  // cost for uniform fingerprints
      int blocks;   // 0: one table that compares all pairs
    };
    std::vector<choice> choices{{uniform_cost(everything()), 0}};
    double least = choices[0].cost;
    for (int blocks = 1; static_cast<std::size_t>(blocks) <= bits; ++blocks) {
      if (!layout::is_valid(bits, k, blocks)) {
        if (blocks > k) break;  // more blocks have even more tables
        continue;
      }
      // A layout is skipped if moving its records takes longer than the whole join with another layout.
      const double passes = static_cast<double>(layout::count_tables(k, blocks)) * count_ * costs_.record;
      if (passes >= least) continue;
      choices.push_back({uniform_cost(tables_of(layout(bits, k, blocks))), blocks});
      least = (std::min)(least, choices.back().cost);
    }
    // The cost for the sample is never below the cost for uniform fingerprints. So a layout whose uniform cost is too
    // high is not sampled. There are few layouts, so each iteration searches all layouts for the cheapest one.
    table_list best;
    cost_ = std::numeric_limits<double>::infinity();
    const auto is_cheaper = [](const choice& a, const choice& b) { return a.cost < b.cost; };
    for (;;) {
      const auto cheapest_left = std::min_element(choices.begin(), choices.end(), is_cheaper);
      const choice next = *cheapest_left;
      if (next.cost >= cost_) break;
      cheapest_left->cost = std::numeric_limits<double>::infinity();
      table_list tables = next.blocks == 0 ? everything() : tables_of(layout(bits, k, next.blocks));
      if (const double estimate = sampled_cost(tables); estimate < cost_) {
        cost_ = estimate;
        best.swap(tables);
      }
    }
    return best;
  }

  double count_;
  double pairs_;
  join_costs costs_;
  std::span<const words_type> sample_;  // only the constructor uses it
  table_list tables_;
  double cost_ = 0;  // cost of the cheapest layout; 0 if the caller chose the number of blocks
};

}  // namespace neardup::inline v0::detail
