// Looking through runs of filters for those within k bits of a query: the inner loop of every search.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/bits.hpp"
#include "../../detail/instructions.hpp"
#include "../../detail/wide_distances.hpp"

namespace neardup::inline v0::detail {

/// A run of filters of one width to compare with a query's.
struct filter_run {
  const void* filters;
  std::size_t count;
  std::uint64_t query;  ///< the query's filter
};

/// A filter within k bits.
struct filter_hit {
  std::size_t run;
  std::size_t position;  ///< within the run
};

/// Where a scan of several runs goes on.
struct scan_position {
  std::size_t run = 0, at = 0;
};

/// A scan stops for its caller to look when it has found this many hits, less a vector's worth.
inline constexpr std::size_t hit_capacity = 256;

/// What scanned_a_probe() gives, unless it is 0: for tests, which want probes where scans would be faster.
inline std::atomic<std::size_t>& forced_scanned_a_probe() noexcept {
  static std::atomic<std::size_t> forced{0};
  return forced;
}

/// How many fingerprints of one word a scan compares in the time that one probe of a table takes, about: 0.08, 0.2 and
/// 1.5 ns each against 12 ns, on a Zen 5.
[[nodiscard]] inline std::size_t scanned_a_probe() noexcept {
  if (const std::size_t forced = forced_scanned_a_probe().load(std::memory_order_relaxed); forced != 0) return forced;
  switch (active_instruction_set()) {
    case instruction_set::avx512: return 150;
    case instruction_set::avx2: return 60;
    case instruction_set::portable: break;
  }
  return 8;
}

/// Whether looking at all of `count` fingerprints is faster than looking up `keys` keys.
template <std::size_t Words>
[[nodiscard]] bool scan_pays(std::size_t count, std::uint64_t keys) noexcept {
  // Fingerprints of more words than vectors are for are scanned without them.
  const std::size_t words =
      Words <= most_vector_words ? scanned_a_probe() : (std::min)(scanned_a_probe(), std::size_t{8});
  return count / (std::max)(std::size_t{1}, words / Words) <= keys;
}

/// Continues at `at`, which moves on, until the runs or the room for hits end. Returns: how many hits there are.
template <class Filter, class Run>
std::size_t scan_filters_portable(const Run* runs, std::size_t count, scan_position& at, int k,
                                  filter_hit* hits) noexcept {
  std::size_t found = 0;
  for (; at.run < count; ++at.run, at.at = 0) {
    const filter_run& run = runs[at.run];
    const auto* const filters = static_cast<const Filter*>(run.filters);
    const auto query = static_cast<Filter>(run.query);
    for (; at.at < run.count; ++at.at) {
      if (portable_popcount(filters[at.at] ^ query) > k) continue;
      if (found == hit_capacity) return found;
      hits[found++] = {at.run, at.at};
    }
  }
  return found;
}

#if NEARDUP_X86_KERNELS
NEARDUP_KERNELS_BEGIN

// ---- AVX2: a table of sixteen counts looked up for each half of a byte (VPSHUFB) ------------------------------------

template <class Filter, class Run>
NEARDUP_TARGET_AVX2 std::size_t scan_filters_avx2(const Run* runs, std::size_t count, scan_position& at, int k,
                                                  filter_hit* hits) noexcept {
  constexpr std::size_t lanes = 32 / sizeof(Filter);
  const __m256i nibble_counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                                 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low_nibbles = _mm256_set1_epi8(15);
  const __m256i limit = sizeof(Filter) == 4 ? _mm256_set1_epi32(k) : _mm256_set1_epi64x(k);
  std::size_t found = 0;
  for (; at.run < count; ++at.run, at.at = 0) {
    const filter_run& run = runs[at.run];
    const auto* const filters = static_cast<const Filter*>(run.filters);
    const auto query = static_cast<Filter>(run.query);
    const __m256i queries = sizeof(Filter) == 4 ? _mm256_set1_epi32(static_cast<int>(query))
                                                : _mm256_set1_epi64x(static_cast<long long>(query));
    for (; at.at + lanes <= run.count; at.at += lanes) {
      if (found > hit_capacity - lanes) return found;
      const __m256i x =
          _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(filters + at.at)), queries);
      const __m256i low = _mm256_shuffle_epi8(nibble_counts, _mm256_and_si256(x, low_nibbles));
      const __m256i high = _mm256_shuffle_epi8(nibble_counts, _mm256_and_si256(_mm256_srli_epi16(x, 4), low_nibbles));
      const __m256i bytes = _mm256_add_epi8(low, high);
      unsigned matching = 0;
      if constexpr (sizeof(Filter) == 4) {
        const __m256i counts =
            _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
        matching =
            static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(counts, limit)))) ^ 255U;
      } else {
        const __m256i counts = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
        matching =
            static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(counts, limit)))) ^ 15U;
      }
      for (; matching != 0; matching &= matching - 1) {
        hits[found++] = {at.run, at.at + static_cast<std::size_t>(std::countr_zero(matching))};
      }
    }
    for (; at.at < run.count; ++at.at) {
      if (std::popcount(static_cast<Filter>(filters[at.at] ^ query)) > k) continue;
      if (found == hit_capacity) return found;
      hits[found++] = {at.run, at.at};
    }
  }
  return found;
}

// ---- AVX-512: counts of whole lanes (VPOPCNTD, VPOPCNTQ), and loads of whole lines, masked at the ends of a run -----
//
// A load that begins where a run does would cross to the next line more often than not, which is slower, and waits for
// memory if the run ends before it and nobody has asked for that line.

template <class Filter, class Run>
NEARDUP_TARGET_AVX512 std::size_t scan_filters_avx512(const Run* runs, std::size_t count, scan_position& at, int k,
                                                      filter_hit* hits) noexcept {
  constexpr std::size_t lanes = 64 / sizeof(Filter);
  const __m512i limit = sizeof(Filter) == 4 ? _mm512_set1_epi32(k) : _mm512_set1_epi64(k);
  std::size_t found = 0;
  for (std::size_t number = at.run; number < count; ++number, at.at = 0) {
    const filter_run& run = runs[number];
    const __m512i queries = sizeof(Filter) == 4 ? _mm512_set1_epi32(static_cast<int>(run.query))
                                                : _mm512_set1_epi64(static_cast<long long>(run.query));
    const auto first = reinterpret_cast<std::uintptr_t>(run.filters) + at.at * sizeof(Filter);
    // The lanes of the line before the run, and the address of the line, which `valid` keeps from being read there.
    std::size_t before = first % 64 / sizeof(Filter);
    const char* line = static_cast<const char*>(run.filters) + at.at * sizeof(Filter) - before * sizeof(Filter);
    // Of lane 0, modulo 2^64 if that is before the run.
    std::size_t position = at.at - before;
    for (; position + before < run.count; line += 64, position += lanes, before = 0) {
      if (found > hit_capacity - lanes) {
        at = {number, position + before};
        return found;
      }
      const std::size_t left = run.count - position;
      const unsigned within = _bzhi_u32(~0U, static_cast<unsigned>(left < lanes ? left : lanes));
      const unsigned valid = within >> before << before;
      unsigned matching = 0;
      if constexpr (sizeof(Filter) == 4) {
        const __m512i x = _mm512_maskz_load_epi32(static_cast<__mmask16>(valid), line);
        matching = _mm512_mask_cmple_epi32_mask(static_cast<__mmask16>(valid),
                                                _mm512_popcnt_epi32(_mm512_xor_si512(x, queries)), limit);
      } else {
        const __m512i x = _mm512_maskz_load_epi64(static_cast<__mmask8>(valid), line);
        matching = _mm512_mask_cmple_epi64_mask(static_cast<__mmask8>(valid),
                                                _mm512_popcnt_epi64(_mm512_xor_si512(x, queries)), limit);
      }
      // The first hit without a branch, which would be mispredicted: few runs have another.
      hits[found] = {number, position + _tzcnt_u32(matching)};
      found += matching != 0 ? 1 : 0;
      for (matching = _blsr_u32(matching); matching != 0; matching = _blsr_u32(matching)) {
        hits[found++] = {number, position + _tzcnt_u32(matching)};
      }
    }
  }
  at = {count, 0};
  return found;
}

NEARDUP_KERNELS_END
#endif

/// The scan of runs, each a `Run` that begins with a filter_run, for filters of type `Filter`, that the active
/// instruction set has.
template <class Filter, class Run = filter_run>
auto filter_scan() noexcept {
  using scan = std::size_t (*)(const Run*, std::size_t, scan_position&, int, filter_hit*) noexcept;
#if NEARDUP_X86_KERNELS
  switch (active_instruction_set()) {
    case instruction_set::avx512: return scan(scan_filters_avx512<Filter, Run>);
    case instruction_set::avx2: return scan(scan_filters_avx2<Filter, Run>);
    case instruction_set::portable: break;
  }
#endif
  return scan(scan_filters_portable<Filter, Run>);
}

}  // namespace neardup::inline v0::detail
