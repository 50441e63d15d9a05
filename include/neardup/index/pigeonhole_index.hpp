// The index: a set of (fingerprint, id) pairs with exact search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../minwise.hpp"
#include "../simhash.hpp"
#include "engine/pigeonhole_engine.hpp"
#include "engine/search_plans.hpp"
#include "engine/searches.hpp"
#include "layout.hpp"
#include "searchable_index.hpp"

namespace neardup::inline v0 {

/// A set of (fingerprint, id) pairs in memory that finds all within K of the `Bits` bits of a query, exactly.
///
/// Blocks trades space for time: Blocks > K keeps C(Blocks, K) tables, each keyed on Blocks - K blocks (for K = 3: 4
/// blocks 4 tables, 5 blocks 10 tables with longer keys); Blocks <= K keeps one table for each block and flips bits of
/// the query instead (2 blocks for K = 3: 2 tables, 33 probes each at k = 3). See layout.
/// The trade for K = 3, 64 bits, expected for uniform fingerprints: at 2^34 of them 4 tables meet 1,048,576 candidates
/// per search and 10 tables 3,584; docs/cost.md has the table for other sizes and blocks, fastest_blocks and
/// leanest_blocks choose.
/// `pigeonhole_index<Bits, dynamic_layout>` takes K and Blocks as arguments of its constructor. Assignment and swap
/// then take the layout along; == compares the pairs and not the layouts.
/// Id: any type that is an index_id. Offset: an unsigned type that counts the different fingerprints. Fingerprint: what
/// is stored, simhash<Bits> or minwise<Bits>; see pigeonhole_index_of.
/// Searches are exact and inclusive (distance <= k), and each match comes once. In every search, k outside of
/// 0..max_distance() throws std::invalid_argument; without k it is default_distance().
/// Space: for 64 bits and 32-bit ids about 30 bytes for each different fingerprint and 10 to 20 for each table, with
/// room to grow; memory_usage() gives the number. A frozen_index takes about half.
/// The members that do not change it are those of all indexes: see searchable_index.
/// Guarantee: const members may run in many threads while no thread writes; what throws leaves the index unchanged.
template <std::size_t Bits, int K = 3, int Blocks = K == dynamic_layout ? dynamic_layout : default_blocks(Bits, K),
          class Id = std::uint32_t, class Offset = std::uint32_t, class Fingerprint = simhash<Bits>>
class pigeonhole_index
    // No K or Blocks from here on: all layouts share the machine code.
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

  /// Empty; with a layout that is chosen at run time there must be arguments.
  pigeonhole_index() requires(!is_dynamic) : base(engine_type(shared_plans())) {}

  /// Empty, for searches within k bits; only pigeonhole_index<Bits, dynamic_layout> has these.
  /// Throws: std::invalid_argument unless layout::is_valid(Bits, k, blocks).
  pigeonhole_index(int k, int blocks) requires(is_dynamic)
      : base(engine_type(std::make_shared<const plans_type>(layout(Bits, k, blocks)))) {}
  explicit pigeonhole_index(int k) requires(is_dynamic) : pigeonhole_index(k, default_blocks(Bits, k)) {}

  /// How the fingerprints are cut into blocks. A static member unless that is chosen at run time.
  [[nodiscard]] static constexpr layout shape() noexcept requires(!is_dynamic) { return layout(Bits, K, Blocks); }
  [[nodiscard]] const layout& shape() const noexcept requires(is_dynamic) { return engine_.shape(); }

  /// Stores a pair.
  /// Returns: false if that pair is there already.
  /// Throws: std::length_error if there are max_distinct_size() fingerprints and this is another, or if it shares a key
  /// with 2^26 - 1 others; std::bad_alloc.
  /// Complexity: amortised O(tables), and O(log n) for n ids of one fingerprint. No insertion waits for more than a
  /// sixteenth of a table to be arranged anew.
  bool insert(const fingerprint_type& fingerprint, const Id& id) { return engine_.insert(fingerprint.to_words(), id); }

  /// Removes a pair.
  /// Returns: whether it was there.
  /// Complexity: O(log n) for n ids of one fingerprint; with the last of them O(tables), and a scan of one bucket
  /// in each table, as a search makes it, sixteen entries at a time.
  bool erase(const fingerprint_type& fingerprint, const Id& id) noexcept {
    return engine_.erase(fingerprint.to_words(), id);
  }

  /// Removes a fingerprint with all its ids.
  /// Returns: the number of ids that it had.
  std::size_t erase(const fingerprint_type& fingerprint) noexcept { return engine_.erase(fingerprint.to_words()); }

  /// Removes everything; memory is kept for reuse.
  void clear() noexcept { engine_.clear(); }

  /// Makes room for `count` different fingerprints in all.
  /// Throws: std::length_error if count > max_distinct_size(); std::bad_alloc.
  void reserve(std::size_t count) { engine_.reserve(count); }

  /// Bytes that the index has allocated.
  [[nodiscard]] std::size_t memory_usage() const noexcept { return engine_.memory_usage(); }

  void swap(pigeonhole_index& other) noexcept { engine_.swap(other.engine_); }
  friend void swap(pigeonhole_index& a, pigeonhole_index& b) noexcept { a.swap(b); }

  /// Whether both hold the same pairs.
  friend bool operator==(const pigeonhole_index& a, const pigeonhole_index& b) {
    return detail::same_pairs(a.engine_.store(), b.engine_.store());
  }

 private:
  // One for all indexes of this layout, built at the first use.
  static const std::shared_ptr<const plans_type>& shared_plans() {
    static const auto shared = std::make_shared<const plans_type>(shape());
    return shared;
  }
};

/// A pigeonhole_index of fingerprints of a given type: `pigeonhole_index_of<minwise<64>, 9>`.
template <class Fingerprint, int K = 3,
          int Blocks = K == dynamic_layout ? dynamic_layout : default_blocks(Fingerprint::bits, K),
          class Id = std::uint32_t, class Offset = std::uint32_t>
using pigeonhole_index_of = pigeonhole_index<Fingerprint::bits, K, Blocks, Id, Offset, Fingerprint>;

}  // namespace neardup::inline v0
