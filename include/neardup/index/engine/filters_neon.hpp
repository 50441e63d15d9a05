// SPDX-License-Identifier: MIT
// Filters compared by NEON: CNT counts the bits of each byte, ADDP adds the counts of neighbours.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"
#include "filters_portable.hpp"

#if NEARDUP_NEON_KERNELS

namespace neardup::inline v0::detail {

/// 16 bytes, most or all of a filter, or several filters.
inline uint8x16_t load_bytes_neon(const void* from) noexcept {
  return vld1q_u8(static_cast<const std::uint8_t*>(from));
}

/// The number of differing bits in each byte.
inline uint8x16_t differing_neon(uint8x16_t a, uint8x16_t b) noexcept { return vcntq_u8(veorq_u8(a, b)); }

/// Adds neighbours in a tree: the sums of `Count` vectors at(First), at(First + 1), …, in one vector, by their order.
template <std::size_t First, std::size_t Count, class At>
NEARDUP_ALWAYS_INLINE uint8x16_t add_bytes_neon(const At& at) noexcept {
  if constexpr (Count == 1) {
    return at(First);
  } else {
    const uint8x16_t low = add_bytes_neon<First, Count / 2>(at);
    const uint8x16_t high = add_bytes_neon<First + Count / 2, Count / 2>(at);
    return vpaddq_u8(low, high);
  }
}
template <std::size_t First, std::size_t Count, class At>
NEARDUP_ALWAYS_INLINE uint16x8_t add_shorts_neon(const At& at) noexcept {
  if constexpr (Count == 1) {
    return at(First);
  } else {
    const uint16x8_t low = add_shorts_neon<First, Count / 2>(at);
    const uint16x8_t high = add_shorts_neon<First + Count / 2, Count / 2>(at);
    return vpaddq_u16(low, high);
  }
}

/// The number of filters that near_bits_neon compares. A distance of up to 192 bits fits a byte, and 16 bytes a vector.
template <class Filter>
inline constexpr std::size_t lanes_neon = sizeof(Filter) <= 24 ? 16 : 8;

/// The number of bits that near_bits_neon returns for each filter.
template <class Filter>
inline constexpr std::size_t lane_bits_neon = 64 / lanes_neon<Filter>;

/// The lowest bit of each filter in the result of near_bits_neon.
template <class Filter>
inline constexpr std::uint64_t lane_ones_neon = lanes_neon<Filter> == 16 ? 0x1111111111111111U : 0x0101010101010101U;

/// The filter of a query, and the greatest distance.
template <class Filter>
struct query_neon {
  static constexpr std::size_t vectors = (sizeof(Filter) + 15) / 16;

  uint8x16_t x[vectors];  // filters of up to 8 bytes are repeated; longer ones end with zeros
  uint8x16_t most;        // k, or 255 if k is greater
  uint16x8_t most_wide;

  query_neon(const Filter& filter, int k) noexcept
      : most(vdupq_n_u8(static_cast<std::uint8_t>(k < 0xff ? k : 0xff))),
        most_wide(vdupq_n_u16(static_cast<std::uint16_t>(k < 0xffff ? k : 0xffff))) {
    if constexpr (sizeof(Filter) > 8) {
      std::uint64_t words[2 * vectors] = {};
      std::memcpy(words, &filter, sizeof(Filter));
      for (std::size_t i = 0; i < vectors; ++i) x[i] = load_bytes_neon(words + 2 * i);
    } else if constexpr (sizeof(Filter) == 2) {
      x[0] = vreinterpretq_u8_u16(vdupq_n_u16(std::bit_cast<std::uint16_t>(filter)));
    } else if constexpr (sizeof(Filter) == 4) {
      x[0] = vreinterpretq_u8_u32(vdupq_n_u32(std::bit_cast<std::uint32_t>(filter)));
    } else {
      x[0] = vreinterpretq_u8_u64(vdupq_n_u64(std::bit_cast<std::uint64_t>(filter)));
    }
  }

  /// The number of bits in which the fingerprint at `y` differs, in 16 parts. Precondition: more than 8 bytes.
  [[nodiscard]] NEARDUP_ALWAYS_INLINE uint8x16_t parts(const std::uint64_t* y) const noexcept {
    constexpr std::size_t words = sizeof(Filter) / 8;
    uint8x16_t sum = differing_neon(load_bytes_neon(y), x[0]);
    for (std::size_t i = 2; i + 1 < words; i += 2) {
      sum = vaddq_u8(sum, differing_neon(load_bytes_neon(y + i), x[i / 2]));
    }
    if constexpr (words % 2 != 0) {
      const uint64x2_t last = vcombine_u64(vld1_u64(y + words - 1), vcreate_u64(0));
      sum = vaddq_u8(sum, differing_neon(vreinterpretq_u8_u64(last), x[words / 2]));
    }
    return sum;
  }
};

/// Returns lane_bits_neon equal bits for each of the lanes_neon filters at `y`. The bits are set if the filter is within
/// k bits of the filter of the query.
template <class Filter>
NEARDUP_ALWAYS_INLINE std::uint64_t near_bits_neon(const Filter* y, const query_neon<Filter>& query) noexcept {
  if constexpr (lanes_neon<Filter> == 8) {
    const auto distances = [&](std::size_t i) { return vpaddlq_u8(query.parts(y[i].data())); };
    const uint16x8_t near = vcleq_u16(add_shorts_neon<0, 8>(distances), query.most_wide);
    return vget_lane_u64(vreinterpret_u64_u8(vmovn_u16(near)), 0);
  } else {
    const void* const bytes = y;
    const auto distances = [&](std::size_t i) {
      if constexpr (sizeof(Filter) > 8) {
        return query.parts(y[i].data());
      } else {
        return differing_neon(load_bytes_neon(static_cast<const char*>(bytes) + 16 * i), query.x[0]);
      }
    };
    constexpr std::size_t added = sizeof(Filter) > 8 ? 16 : sizeof(Filter);
    const uint8x16_t near = vcleq_u8(add_bytes_neon<0, added>(distances), query.most);
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(near), 4)), 0);
  }
}

/// The number of filters in one vector; 1 for filters that do not share a vector.
template <class Filter>
inline constexpr std::size_t few_neon = sizeof(Filter) == 4 || sizeof(Filter) == 8 ? 16 / sizeof(Filter) : 1;

/// near_bits_neon for the few_neon filters of one vector: 64 / few_neon equal bits for each. For short runs.
template <class Filter>
NEARDUP_ALWAYS_INLINE std::uint64_t few_near_bits_neon(const Filter* y, const query_neon<Filter>& query) noexcept {
  const void* const bytes = y;
  const uint16x8_t most = query.most_wide;
  const uint32x4_t sums = vpaddlq_u16(vpaddlq_u8(differing_neon(load_bytes_neon(bytes), query.x[0])));
  if constexpr (few_neon<Filter> == 4) {
    const uint16x4_t near = vcle_u16(vmovn_u32(sums), vget_low_u16(most));
    return vget_lane_u64(vreinterpret_u64_u16(near), 0);
  } else {
    const uint32x2_t near = vcle_u32(vmovn_u64(vpaddlq_u32(sums)), vget_low_u32(vmovl_u16(vget_low_u16(most))));
    return vget_lane_u64(vreinterpret_u64_u32(near), 0);
  }
}

/// Compares the filters y[from] to y[end - 1] with the filter of a query, up to lanes_neon at a time. Calls
/// `take(first, near, bits)` if some of them are near: `near` has the lowest of `bits` bits set for each of them, from
/// y[first] on. Ends if `take` returns false.
/// Precondition: all filters from y[0] on may be read.
/// Returns: `end`, or the position from which to continue.
template <class Filter, class Take>
NEARDUP_ALWAYS_INLINE std::size_t visit_near_neon(const Filter* y, std::size_t from, std::size_t end, const Filter& x,
                                                  int k, const Take& take) noexcept {
  const query_neon<Filter> query(x, k);
  constexpr std::size_t lanes = lanes_neon<Filter>, few = few_neon<Filter>;
  // The last vector also has filters before `from`, which are dropped, rather than filters behind `end`.
  if (end >= lanes && end - from > few) {
    constexpr std::size_t bits = lane_bits_neon<Filter>;
    while (from < end) {
      const std::size_t first = from + lanes <= end ? from : end - lanes;
      const std::uint64_t wanted = ~std::uint64_t{0} << bits * (from - first);
      const std::uint64_t near = near_bits_neon(y + first, query) & wanted;
      if (near != 0 && !take(first, near & lane_ones_neon<Filter>, bits)) return from;
      from = first + lanes;
    }
  } else if (few > 1 && end >= few) {
    if constexpr (few > 1) {
      constexpr std::size_t bits = 64 / few;
      constexpr std::uint64_t ones = few == 4 ? 0x0001000100010001U : 0x0000000100000001U;
      while (from < end) {
        const std::size_t first = from + few <= end ? from : end - few;
        const std::uint64_t wanted = ~std::uint64_t{0} << bits * (from - first);
        const std::uint64_t near = few_near_bits_neon(y + first, query) & wanted;
        if (near != 0 && !take(first, near & ones, bits)) return from;
        from = first + few;
      }
    }
  } else {
    for (; from < end; ++from) {
      if (count_differing_bits(x, y[from]) <= k && !take(from, 1, 64)) return from;
    }
  }
  return end;
}

template <class Filter>
std::size_t join_filters_neon(const Filter* xs, const Filter* ys, filter_join& job, int k,
                              std::span<filter_pair> found) noexcept {
  std::size_t count = 0;
  for (; !job.is_done(); job.advance()) {
    const auto take = [&](std::size_t first, std::uint64_t near, std::size_t bits) {
      if (found.size() - count < lanes_neon<Filter>) return false;
      for (; near != 0; near &= near - 1) {
        found[count++] = {job.x, first + static_cast<std::size_t>(std::countr_zero(near)) / bits};
      }
      return true;
    };
    job.y = visit_near_neon(ys, job.y, job.y_end, xs[job.x], k, take);
    if (job.y < job.y_end) return count;
  }
  return count;
}

template <vector_filter Filter>
constexpr auto join_filters_of(neon_form) noexcept {
  return join_filters_neon<Filter>;
}

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_NEON_KERNELS
