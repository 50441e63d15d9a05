// The records that the passes of a join move, and the first of these passes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../runner.hpp"
#include "join_input.hpp"
#include "join_plan.hpp"

namespace neardup::inline v0::detail {

/// A fingerprint and where it is, without padding.
template <std::size_t Words, class Offset>
struct join_record {
  using words_type = std::array<std::uint64_t, Words>;

  std::array<std::uint32_t, 2 * Words> halves;
  Offset position;

  static join_record of(const words_type& words, Offset position) noexcept {
    join_record record;
    std::memcpy(record.halves.data(), words.data(), sizeof words);
    record.position = position;
    return record;
  }

  [[nodiscard]] words_type words() const noexcept {
    words_type result;
    std::memcpy(result.data(), halves.data(), sizeof result);
    return result;
  }
};

/// Moves the fingerprints at `positions` (none: all) into 2^bits groups: by the highest bits of their addresses in
/// `table`, or without a table by a hash of all their words. A group keeps their order.
/// Returns: where the groups begin, and where the last one ends.
/// One function for all first passes, so that a program that joins compiles one.
template <std::size_t Words, class Offset>
std::vector<std::size_t> scatter_records(const fingerprint_words<Words>& fingerprints,
                                         std::span<const Offset> positions, const join_table<Words>* table, int bits,
                                         std::span<join_record<Words, Offset>> to, const any_runner& run) {
  using record = join_record<Words, Offset>;
  const int shift = (table != nullptr ? table->address_bits : static_cast<int>(word_bits)) - bits;
  std::vector<std::size_t> begin;
  radix_scatter(
      to.size(), bits,
      [fingerprints, positions](std::size_t i) {
        const auto position = positions.empty() ? static_cast<Offset>(i) : positions[i];
        return record::of(fingerprints[static_cast<std::size_t>(position)], position);
      },
      [table, bits, shift](const record& r) {
        if (bits == 0) return std::size_t{0};
        return (table != nullptr ? table->address(r.words()) : hash_words(r.words())) >> shift;
      },
      [to](std::size_t place, const record& r) { to[place] = r; }, begin, run);
  return begin;
}

}  // namespace neardup::inline v0::detail
