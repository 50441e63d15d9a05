// SPDX-License-Identifier: MIT
// Scans of bucket lines by AVX2. There is no AVX-512 form: a line has too few filters for 512 bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../detail/filters_avx2.hpp"
#include "../../detail/instructions.hpp"
#include "bucket_line_portable.hpp"

#if NEARDUP_X86_KERNELS

namespace neardup::inline v0::detail {

NEARDUP_KERNELS_BEGIN

template <std::size_t Most>
NEARDUP_TARGET_AVX2 void scan_lines_avx2(const line_probe* probes, std::size_t count, int k,
                                         line_findings<Most>& findings) noexcept {
  static_assert(bucket_line::capacity <= 16);
  auto* hit = findings.hits.data();
  std::uint32_t* overflow = findings.overflows.data();
  for (std::size_t i = 0; i < count; ++i) {
    const bucket_line& line = *probes[i].line;
    const std::uint32_t within = near_bits_avx2(line.filters(), probes[i].filter, k);
    *overflow = static_cast<std::uint32_t>(i);
    overflow += line.overflows() ? 1 : 0;
    // near_bits_avx2 gives two equal bits per filter, of which the mask keeps one.
    const unsigned filled = _bzhi_u32(0x55555555U, static_cast<unsigned>(2 * line.inline_count()));
    for (unsigned matching = within & filled; matching != 0; matching = _blsr_u32(matching)) {
      *hit++ = {static_cast<std::uint32_t>(i), _tzcnt_u32(matching) / 2};
    }
  }
  findings.hit_count = static_cast<std::size_t>(hit - findings.hits.data());
  findings.overflow_count = static_cast<std::size_t>(overflow - findings.overflows.data());
}

template <std::size_t Most>
constexpr auto scan_lines_of(avx2_form) noexcept {
  return scan_lines_avx2<Most>;
}

NEARDUP_KERNELS_END

}  // namespace neardup::inline v0::detail

#endif  // NEARDUP_X86_KERNELS
