// SPDX-License-Identifier: MIT
// The kernel of bucket_line.hpp. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && NEARDUP_FORM != NEARDUP_BASELINE && NEARDUP_FORM != NEARDUP_AVX512

struct line_kernels {
  /// Scans the lines of `count` probes, and writes the results to `findings`.
  /// Precondition: count <= Most, and `findings` is empty.
  template <std::size_t Most>
  static void scan(const line_probe* probes, std::size_t count, int k, line_findings<Most>& findings) noexcept {
    constexpr std::size_t spacing = lane_bits<std::uint16_t>;
    // close_shorts() returns `spacing` equal bits for each filter. `ones` selects one of these bits.
    constexpr std::uint64_t ones = spacing == 1   ? ~std::uint64_t{0}
                                   : spacing == 2 ? 0x5555555555555555U
                                                  : 0x1111111111111111U;
    auto* hit = findings.hits.data();
    std::uint32_t* overflow = findings.overflows.data();
    for (std::size_t i = 0; i < count; ++i) {
      const bucket_line& line = *probes[i].line;
      const std::uint64_t close = close_shorts<bucket_line::capacity>(line.filters(), probes[i].filter, k);
      *overflow = static_cast<std::uint32_t>(i);
      overflow += line.overflows() ? 1 : 0;
      for (std::uint64_t left = close & ones & low_mask(spacing * line.inline_count()); left != 0; left &= left - 1) {
        const auto position = static_cast<std::size_t>(std::countr_zero(left)) / spacing;
        *hit++ = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(position)};
      }
    }
    findings.hit_count = static_cast<std::size_t>(hit - findings.hits.data());
    findings.overflow_count = static_cast<std::size_t>(overflow - findings.overflows.data());
  }
};
line_kernels line_kernels_of(form);

#endif
