// SPDX-License-Identifier: MIT
// pigeonhole_index: a set of (fingerprint, id) pairs with exact search within K bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../detail/compiled.hpp"
#include "../ids.hpp"
#include "../simhash.hpp"
#include "../threshold.hpp"
#include "engine/pigeonhole_engine.hpp"
#include "engine/search_plans.hpp"
#include "engine/searches.hpp"
#include "layout.hpp"
#include "searchable_index.hpp"

namespace neardup::inline v0 {

/// A set of (fingerprint, id) pairs in memory, with exact search: a query finds all pairs whose fingerprints differ
/// from the query in at most K of the `Bits` bits.
///
/// `Blocks` trades memory for time. If Blocks > K, the index has C(Blocks, K) tables, and the key of each table is
/// Blocks - K blocks. For K = 3, 4 blocks give 4 tables, and 5 blocks give 10 tables with longer keys. If Blocks <= K,
/// the index has one table per block, and a search flips bits of the query. For K = 3, 2 blocks give 2 tables with 33
/// probes each. See layout. For K = 3, 64 bits and 2^34 uniform fingerprints, a search has 1,048,576 candidates with 4
/// tables, and 3,584 with 10 tables. docs/cost.md has the figures for other sizes and blocks. fastest_blocks() and
/// leanest_blocks() choose the number of blocks.
///
/// The constructor of `pigeonhole_index<Bits, dynamic_layout>` takes K and Blocks as arguments. Assignment and swap of
/// this type include the layout; == compares only pairs. `Id`: any index_id. `Offset`: an unsigned type that can number
/// the distinct fingerprints. `Fingerprint`: the stored type, simhash<Bits> or minwise<Bits>; see pigeonhole_index_of.
///
/// Searches are exact. A search finds the pairs with distance <= k, each once. The default k of a search is
/// default_distance(). Every search throws std::invalid_argument if k is not in 0..max_distance(). All indexes have the
/// same const members; see searchable_index.
/// Memory per distinct fingerprint, with 64 bits and 32-bit ids: about 30 bytes, and 10 to 20 bytes for each table,
/// including the reserve for growth. memory_usage() returns the exact number. A frozen_index takes about half of that
/// memory.
/// Guarantee: a member that throws changes nothing.
/// Thread safety: several threads may call const members at once while no thread calls other members.
/// Example: `pigeonhole_index<64, 10> index;  index.insert(fingerprint, 42);  const auto near = index.search(query,
/// 6);`
template <std::size_t Bits, int K = 3, int Blocks = K == dynamic_layout ? dynamic_layout : default_blocks(Bits, K),
          class Id = std::uint32_t, class Offset = std::uint32_t, class Fingerprint = simhash<Bits>>
class pigeonhole_index
    // The base class does not have K and Blocks as template arguments, so all layouts share its machine code.
    : public searchable_index<Bits, Id, Offset, Fingerprint,
                              detail::pigeonhole_engine<detail::words_for(Bits), Id, Offset>> {
  static constexpr bool is_dynamic = K == dynamic_layout && Blocks == dynamic_layout;
  static_assert(is_dynamic || K >= 0,
                "neardup: K, the largest search distance, must not be negative; write pigeonhole_index<64, 3>, or "
                "pigeonhole_index<64, dynamic_layout> to choose it at run time");
  static_assert(K < 0 || static_cast<std::size_t>(K) < Bits,
                "neardup: K must be smaller than Bits: within Bits bits everything matches everything");
  static_assert(is_dynamic || Blocks >= 1,
                "neardup: Blocks must be at least 1; leave it out to get default_blocks(Bits, K)");
  static_assert(Blocks < 1 || static_cast<std::size_t>(Blocks) <= Bits,
                "neardup: Blocks must not exceed Bits: a block has at least one bit");
  static_assert(K < 0 || Blocks < 1 || layout::count_tables(K, Blocks) <= layout::max_tables,
                "neardup: this K and Blocks need more than 256 tables, C(Blocks, K); choose Blocks = K + 1 or fewer");

  using plans_type = detail::search_plans<detail::words_for(Bits)>;
  using engine_type = detail::pigeonhole_engine<detail::words_for(Bits), Id, Offset>;
  using base = searchable_index<Bits, Id, Offset, Fingerprint, engine_type>;
  using base::engine_;

 public:
  using typename base::fingerprint_type;

  /// Makes an empty index. An index with a dynamic layout has no default constructor.
  pigeonhole_index() requires(!is_dynamic) : base(engine_type(shared_plans())) {}

  /// Makes an empty index for searches within at most k bits, with `blocks` blocks. Only pigeonhole_index<Bits,
  /// dynamic_layout> has this constructor.
  /// Throws: std::invalid_argument unless layout::is_valid(Bits, k, blocks).
  pigeonhole_index(neardup::bits k, int blocks) requires(is_dynamic)
      : base(engine_type(std::make_shared<const plans_type>(layout(Bits, k.count, blocks)))) {}
  explicit pigeonhole_index(neardup::bits k) requires(is_dynamic)
      : pigeonhole_index(k, default_blocks(Bits, k.count)) {}

  /// Returns the layout: the blocks of the fingerprints, and the keys of the tables. The function is static, unless the
  /// layout is dynamic.
  [[nodiscard]] static constexpr layout shape() noexcept requires(!is_dynamic) { return layout(Bits, K, Blocks); }
  [[nodiscard]] const layout& shape() const noexcept requires(is_dynamic) { return engine_.shape(); }

  /// Stores a pair.
  /// Returns: false if the pair is stored already.
  /// Throws: std::length_error if the fingerprint is new and either max_distinct_size() fingerprints are stored, or
  /// 2^26 - 1 stored fingerprints share one of its keys; std::bad_alloc.
  /// Complexity: amortised O(tables), and O(log n) for a fingerprint with n ids. The slowest insertion moves a
  /// sixteenth of a table, or all tables at 8,192 distinct fingerprints.
  bool insert(const fingerprint_type& fingerprint, id_argument<Id> id) {
    return engine_.insert(fingerprint.to_words(), id);
  }

  /// Removes a pair.
  /// Returns: false if the pair was not stored.
  /// Complexity: O(log n) for a fingerprint with n ids. If the pair has the last id of its fingerprint, erasing also
  /// takes O(tables), and scans one bucket per table, sixteen entries at a time.
  bool erase(const fingerprint_type& fingerprint, id_argument<Id> id) noexcept {
    return engine_.erase(fingerprint.to_words(), id);
  }

  /// Removes a fingerprint with all its ids.
  /// Returns: the number of ids that the fingerprint had, or 0 if the fingerprint was not stored.
  std::size_t erase(const fingerprint_type& fingerprint) noexcept { return engine_.erase(fingerprint.to_words()); }

  /// Removes all pairs, and keeps the allocated memory.
  void clear() noexcept { engine_.clear(); }

  /// Reserves memory for `count` distinct fingerprints in total.
  /// Throws: std::length_error if count > max_distinct_size(); std::bad_alloc.
  void reserve(std::size_t count) { engine_.reserve(count); }

  /// Returns the number of bytes that the index has allocated.
  [[nodiscard]] std::size_t memory_usage() const noexcept { return engine_.memory_usage(); }

  void swap(pigeonhole_index& other) noexcept { engine_.swap(other.engine_); }
  friend void swap(pigeonhole_index& a, pigeonhole_index& b) noexcept { a.swap(b); }

  /// Returns true if the two indexes have the same pairs.
  friend bool operator==(const pigeonhole_index& a, const pigeonhole_index& b) {
    return detail::same_pairs(a.engine_.store(), b.engine_.store());
  }

 private:
  // Returns the search_plans, which all indexes with this layout share. The first call makes the plans.
  static const std::shared_ptr<const plans_type>& shared_plans() {
    static const auto shared = std::make_shared<const plans_type>(shape());
    return shared;
  }
};

/// A pigeonhole_index for a type of fingerprints, for example `pigeonhole_index_of<minwise<64>, 9>`.
template <class Fingerprint, int K = 3,
          int Blocks = K == dynamic_layout ? dynamic_layout : default_blocks(Fingerprint::bits, K),
          class Id = std::uint32_t, class Offset = std::uint32_t>
using pigeonhole_index_of = pigeonhole_index<Fingerprint::bits, K, Blocks, Id, Offset, Fingerprint>;

#if defined(NEARDUP_COMPILED)
NEARDUP_INDEX_TEMPLATE class searchable_index<64, std::uint32_t, std::uint32_t, simhash<64>,
                                              detail::pigeonhole_engine<1, std::uint32_t, std::uint32_t>>;
NEARDUP_INDEX_TEMPLATE class searchable_index<64, std::uint64_t, std::uint32_t, simhash<64>,
                                              detail::pigeonhole_engine<1, std::uint64_t, std::uint32_t>>;
#endif

}  // namespace neardup::inline v0
