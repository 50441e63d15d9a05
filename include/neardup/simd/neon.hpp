// SPDX-License-Identifier: MIT
// Functions from which NEON kernels are built.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../detail/bits.hpp"
#include "forms.hpp"
#include "portable.hpp"

#if NEARDUP_NEON_KERNELS

namespace neardup::inline v0::detail::neon {

using shorts = std::int16_t __attribute__((vector_size(16)));

/// Returns the least lane.
NEARDUP_ALWAYS_INLINE std::int16_t least_of(shorts of) noexcept { return vminvq_s16(reinterpret_cast<int16x8_t>(of)); }

// ---- filters within k bits of one filter (CNT counts the bits of each byte, ADDP adds neighbours) ------------------

/// Loads 16 bytes: one filter, most of a filter, or several filters.
inline uint8x16_t load_bytes(const void* from) noexcept { return vld1q_u8(static_cast<const std::uint8_t*>(from)); }

/// Returns for each byte the number of bits in which `a` and `b` differ.
inline uint8x16_t differing(uint8x16_t a, uint8x16_t b) noexcept { return vcntq_u8(veorq_u8(a, b)); }

/// Returns the sums of the bytes of `Count` vectors at(First), at(First + 1), …, in this order. Neighbouring bytes are
/// added first, then neighbouring sums, until each number is the sum of `Count` bytes.
template <std::size_t First, std::size_t Count, class At>
NEARDUP_ALWAYS_INLINE uint8x16_t add_bytes(const At& at) noexcept {
  if constexpr (Count == 1) {
    return at(First);
  } else {
    const uint8x16_t low = add_bytes<First, Count / 2>(at);
    const uint8x16_t high = add_bytes<First + Count / 2, Count / 2>(at);
    return vpaddq_u8(low, high);
  }
}
template <std::size_t First, std::size_t Count, class At>
NEARDUP_ALWAYS_INLINE uint16x8_t add_shorts(const At& at) noexcept {
  if constexpr (Count == 1) {
    return at(First);
  } else {
    const uint16x8_t low = add_shorts<First, Count / 2>(at);
    const uint16x8_t high = add_shorts<First + Count / 2, Count / 2>(at);
    return vpaddq_u16(low, high);
  }
}

/// The number of filters that close_bits compares: 16 filters of up to 24 bytes, because their distances (at most 192)
/// are bytes, or 8 larger filters, because their distances may need 16 bits.
template <class Filter>
inline constexpr std::size_t filter_lanes = sizeof(Filter) <= 24 ? 16 : 8;

/// The number of bits that close_bits returns for each filter.
template <class Filter>
inline constexpr std::size_t lane_bits = 64 / filter_lanes<Filter>;

/// A mask of the lowest bit of each filter in the result of close_bits().
template <class Filter>
inline constexpr std::uint64_t lane_ones = filter_lanes<Filter> == 16 ? 0x1111111111111111U : 0x0101010101010101U;

/// The filter of a query, and the greatest distance k.
template <class Filter>
struct filter_query {
  static constexpr std::size_t vectors = (sizeof(Filter) + 15) / 16;

  uint8x16_t x[vectors];  // filters of up to 8 bytes are repeated; longer filters end with zeros
  uint8x16_t most;        // k, or 255 if k is greater
  uint16x8_t most_wide;

  filter_query(const Filter& filter, int k) noexcept
      : most(vdupq_n_u8(static_cast<std::uint8_t>(k < 0xff ? k : 0xff))),
        most_wide(vdupq_n_u16(static_cast<std::uint16_t>(k < 0xffff ? k : 0xffff))) {
    if constexpr (sizeof(Filter) > 8) {
      std::uint64_t words[2 * vectors] = {};
      std::memcpy(words, &filter, sizeof(Filter));
      for (std::size_t i = 0; i < vectors; ++i) x[i] = load_bytes(words + 2 * i);
    } else if constexpr (sizeof(Filter) == 2) {
      x[0] = vreinterpretq_u8_u16(vdupq_n_u16(std::bit_cast<std::uint16_t>(filter)));
    } else if constexpr (sizeof(Filter) == 4) {
      x[0] = vreinterpretq_u8_u32(vdupq_n_u32(std::bit_cast<std::uint32_t>(filter)));
    } else {
      x[0] = vreinterpretq_u8_u64(vdupq_n_u64(std::bit_cast<std::uint64_t>(filter)));
    }
  }

  /// Returns 16 numbers. The sum of the numbers is the number of bits in which the fingerprint at `y` differs from the
  /// query.
  /// Precondition: a fingerprint has more than 8 bytes.
  [[nodiscard]] NEARDUP_ALWAYS_INLINE uint8x16_t parts(const std::uint64_t* y) const noexcept {
    constexpr std::size_t words = sizeof(Filter) / 8;
    uint8x16_t sum = differing(load_bytes(y), x[0]);
    for (std::size_t i = 2; i + 1 < words; i += 2) {
      sum = vaddq_u8(sum, differing(load_bytes(y + i), x[i / 2]));
    }
    if constexpr (words % 2 != 0) {
      const uint64x2_t last = vcombine_u64(vld1_u64(y + words - 1), vcreate_u64(0));
      sum = vaddq_u8(sum, differing(vreinterpretq_u8_u64(last), x[words / 2]));
    }
    return sum;
  }
};

/// Compares the filter_lanes filters at `y` with the filter of the query. Returns a mask with lane_bits bits for each
/// filter: all ones if the filter is within k bits of the query's filter, otherwise all zeros.
template <class Filter>
NEARDUP_ALWAYS_INLINE std::uint64_t close_bits(const Filter* y, const filter_query<Filter>& query) noexcept {
  if constexpr (filter_lanes<Filter> == 8) {
    const auto distances = [&](std::size_t i) { return vpaddlq_u8(query.parts(y[i].data())); };
    const uint16x8_t is_close = vcleq_u16(add_shorts<0, 8>(distances), query.most_wide);
    return vget_lane_u64(vreinterpret_u64_u8(vmovn_u16(is_close)), 0);
  } else {
    const void* const bytes = y;
    const auto distances = [&](std::size_t i) {
      if constexpr (sizeof(Filter) > 8) {
        return query.parts(y[i].data());
      } else {
        return differing(load_bytes(static_cast<const char*>(bytes) + 16 * i), query.x[0]);
      }
    };
    constexpr std::size_t added = sizeof(Filter) > 8 ? 16 : sizeof(Filter);
    const uint8x16_t is_close = vcleq_u8(add_bytes<0, added>(distances), query.most);
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(is_close), 4)), 0);
  }
}

/// The number of filters in one vector. 1 if a filter takes a whole vector or more.
template <class Filter>
inline constexpr std::size_t few_lanes = sizeof(Filter) == 4 || sizeof(Filter) == 8 ? 16 / sizeof(Filter) : 1;

/// The version of close_bits for the few_lanes filters of one vector, for short runs. It returns a mask with 64 /
/// few_lanes bits for each filter: all ones or all zeros.
template <class Filter>
NEARDUP_ALWAYS_INLINE std::uint64_t few_close_bits(const Filter* y, const filter_query<Filter>& query) noexcept {
  const void* const bytes = y;
  const uint16x8_t most = query.most_wide;
  const uint32x4_t sums = vpaddlq_u16(vpaddlq_u8(differing(load_bytes(bytes), query.x[0])));
  if constexpr (few_lanes<Filter> == 4) {
    const uint16x4_t is_close = vcle_u16(vmovn_u32(sums), vget_low_u16(most));
    return vget_lane_u64(vreinterpret_u64_u16(is_close), 0);
  } else {
    const uint32x2_t is_close = vcle_u32(vmovn_u64(vpaddlq_u32(sums)), vget_low_u32(vmovl_u16(vget_low_u16(most))));
    return vget_lane_u64(vreinterpret_u64_u32(is_close), 0);
  }
}

/// The NEON version of avx2::visit_close. Filters before `from` may be read, too.
template <class Filter, class Take>
NEARDUP_ALWAYS_INLINE std::size_t visit_close(const Filter* y, std::size_t from, std::size_t end, const Filter& x,
                                              int k, const Take& take) noexcept {
  const filter_query<Filter> query(x, k);
  constexpr std::size_t lanes = filter_lanes<Filter>, few = few_lanes<Filter>;
  // The last vector is moved back, so that it has no filters after `end`. Its filters before `from` are dropped.
  if (end >= lanes && end - from > few) {
    constexpr std::size_t bits = lane_bits<Filter>;
    while (from < end) {
      const std::size_t first = from + lanes <= end ? from : end - lanes;
      const std::uint64_t wanted = ~std::uint64_t{0} << bits * (from - first);
      const std::uint64_t found = close_bits(y + first, query) & wanted;
      if (found != 0 && !take(first, found & lane_ones<Filter>, bits)) return from;
      from = first + lanes;
    }
  } else if (few > 1 && end >= few) {
    if constexpr (few > 1) {
      constexpr std::size_t bits = 64 / few;
      constexpr std::uint64_t ones = few == 4 ? 0x0001000100010001U : 0x0000000100000001U;
      while (from < end) {
        const std::size_t first = from + few <= end ? from : end - few;
        const std::uint64_t wanted = ~std::uint64_t{0} << bits * (from - first);
        const std::uint64_t found = few_close_bits(y + first, query) & wanted;
        if (found != 0 && !take(first, found & ones, bits)) return from;
        from = first + few;
      }
    }
  } else {
    return portable::visit_close_by([](const Filter& a, const Filter& b) { return count_differing_bits(a, b); }, y,
                                    from, end, x, k, take);
  }
  return end;
}

/// The NEON version of avx2::close_shorts.
template <std::size_t Count>
NEARDUP_ALWAYS_INLINE std::uint64_t close_shorts(const std::uint16_t* y, std::uint16_t x, int k) noexcept {
  static_assert(Count <= filter_lanes<std::uint16_t>);
  return close_bits(y, filter_query<std::uint16_t>(x, k));
}

// ---- vectors of bytes, for text_blocks.inl --------------------------------------------------------------------------

using byte_vector = std::uint8_t __attribute__((vector_size(16)));

/// Returns the entries of a lookup table of 16 bytes at the given indices.
/// Precondition: all indices are below 16.
NEARDUP_ALWAYS_INLINE byte_vector look_up(const std::uint8_t* table, byte_vector indices) noexcept {
  return reinterpret_cast<byte_vector>(vqtbl1q_u8(vld1q_u8(table), reinterpret_cast<uint8x16_t>(indices)));
}
NEARDUP_ALWAYS_INLINE byte_vector broadcast(std::uint8_t value) noexcept { return byte_vector{} + value; }
/// Subtracts the bytes of `b` from the bytes of `a`. Negative differences become 0.
NEARDUP_ALWAYS_INLINE byte_vector subtract_to_zero(byte_vector a, byte_vector b) noexcept {
  return reinterpret_cast<byte_vector>(vqsubq_u8(reinterpret_cast<uint8x16_t>(a), reinterpret_cast<uint8x16_t>(b)));
}
NEARDUP_ALWAYS_INLINE bool are_ascii(byte_vector some) noexcept {
  return vmaxvq_u8(reinterpret_cast<uint8x16_t>(some)) < 0x80;
}
NEARDUP_ALWAYS_INLINE bool is_zero(byte_vector some) noexcept {
  return vmaxvq_u8(reinterpret_cast<uint8x16_t>(some)) == 0;
}
/// Returns the highest bits of 64 bytes.
/// Precondition: each byte is 0 or 0xff.
NEARDUP_ALWAYS_INLINE std::uint64_t mask_of(const byte_vector (&parts)[4]) noexcept {
  const uint8x16_t weights = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201U));
  const auto bit = [&](std::size_t i) { return vandq_u8(reinterpret_cast<uint8x16_t>(parts[i]), weights); };
  const uint8x16_t both = vpaddq_u8(vpaddq_u8(bit(0), bit(1)), vpaddq_u8(bit(2), bit(3)));
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(both, both)), 0);
}

}  // namespace neardup::inline v0::detail::neon

#endif  // NEARDUP_NEON_KERNELS
