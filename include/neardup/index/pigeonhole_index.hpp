// The index whose layout is fixed at compile time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../simhash.hpp"
#include "engine/basic_index.hpp"
#include "layout.hpp"
#include "engine/pigeonhole_tables.hpp"
#include "engine/search_plans.hpp"

namespace neardup::inline v0 {

namespace detail {

/// The layout of a pigeonhole_index.
template <std::size_t Bits, int K, int Blocks>
struct fixed_shape {
  static constexpr layout shape{Bits, K, Blocks};

  /// One for all indexes of this layout, built at the first use.
  static const std::shared_ptr<const search_plans<words_for(Bits)>>& plans() {
    static const auto shared = std::make_shared<const search_plans<words_for(Bits)>>(shape);
    return shared;
  }
};

}  // namespace detail

/// An in-memory index of fingerprints of `Bits` bits that finds all within K bits of a query, exactly.
///
/// Blocks trades space for time: Blocks > K keeps C(Blocks, K) tables, each keyed on Blocks - K blocks (for K = 3:
/// 4 blocks 4 tables, 5 blocks 10 tables with longer keys); Blocks <= K keeps one table a block and flips bits of the
/// query instead (2 blocks for K = 3: 2 tables, 33 probes each at k = 3). See layout.
/// Id: any regular, ordered, trivially copyable type. Offset: an unsigned type that counts the different fingerprints.
/// The trade for K = 3, 64 bits, expected for uniform fingerprints: at 2^34 of them 4 tables meet 1,048,576 candidates
/// a search and 10 tables 3,584; docs/index.md has the table for other sizes and blocks, fastest_blocks and
/// leanest_blocks choose.
/// Space: for 64 bits and 32-bit ids about 30 bytes a different fingerprint and 10 to 20 a table, with room to grow;
/// memory_usage() tells. A frozen_index takes about half.
/// An insertion waits for no more than a sixteenth of a table to be arranged anew.
/// The interface is that of basic_index.
template <std::size_t Bits, int K = 3, int Blocks = default_blocks(Bits, K), class Id = std::uint32_t,
          class Offset = std::uint32_t>
class pigeonhole_index
    : public basic_index<Bits, Id, Offset, detail::pigeonhole_tables<detail::words_for(Bits), Offset>,
                         detail::fixed_shape<Bits, K, Blocks>> {
  static_assert(K >= 0, "neardup: K, the largest search distance, must not be negative; write pigeonhole_index<64, 3>");
  static_assert(K < 0 || static_cast<std::size_t>(K) < Bits,
                "neardup: K must be smaller than Bits: within Bits bits everything matches everything");
  static_assert(Blocks >= 1, "neardup: Blocks must be at least 1; leave it out to get default_blocks(Bits, K)");
  static_assert(Blocks < 1 || static_cast<std::size_t>(Blocks) <= Bits,
                "neardup: Blocks must not exceed Bits: a block has at least one bit");
  static_assert(K < 0 || Blocks < 1 || layout::count_tables(K, Blocks) <= max_tables,
                "neardup: this K and Blocks need more than 256 tables, C(Blocks, K); choose Blocks = K + 1 or fewer");

  using shape_type = detail::fixed_shape<Bits, K, Blocks>;
  using tables_type = detail::pigeonhole_tables<detail::words_for(Bits), Offset>;
  using base = basic_index<Bits, Id, Offset, tables_type, shape_type>;

 public:
  pigeonhole_index() : base(tables_type(shape_type::plans())) {}

  /// How the fingerprints are cut into blocks.
  [[nodiscard]] static constexpr layout shape() noexcept { return shape_type::shape; }

  friend void swap(pigeonhole_index& a, pigeonhole_index& b) noexcept { a.swap(b); }
};

}  // namespace neardup::inline v0
