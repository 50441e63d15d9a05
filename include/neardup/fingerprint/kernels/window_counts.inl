// SPDX-License-Identifier: MIT
// The kernel of window_counts.hpp. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && NEARDUP_FORM != NEARDUP_NEON

struct window_kernels {
  /// Counts the bits of the hashes of the windows that fill blocks of 16 vectors.
  /// Returns: the number of windows counted.
  static std::size_t count_blocks(bit_tally& tally, const window_xxh3& hash, const char* text,
                                  std::size_t count) noexcept {
    constexpr std::size_t lanes = tally_kernels::lanes;
    const window_vectors hashes(hash);
    lowest_planes planes(tally);
    std::size_t i = 0;
    for (; i + 16 * lanes <= count; i += 16 * lanes) {
      planes.add(tally, [&](std::size_t v) NEARDUP_INLINE_LAMBDA { return hashes(text + i + lanes * v, v); });
    }
    planes.store(tally);
    tally.total += i;
    return i;
  }
};
window_kernels window_kernels_of(form);

#endif
