// SPDX-License-Identifier: MIT
// The kernel of bitmap_filter.hpp. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && NEARDUP_FORM != NEARDUP_BASELINE && NEARDUP_FORM != NEARDUP_AVX512

struct bitmap_kernels {
  template <class SizeOf, class BitmapOf>
  static std::size_t filter(std::span<set_candidate> candidates, std::size_t size, const set_bitmap& bitmap,
                            const SizeOf& size_of, const BitmapOf& bitmap_of) noexcept {
    std::size_t kept = 0;
    for (const set_candidate& other : candidates) {
      const std::size_t differing = differing_of_128(bitmap_of(other.place).data(), bitmap.data());
      candidates[kept] = other;
      kept += differing + 2 * std::size_t{other.least} <= size + size_of(other.place) ? 1 : 0;
    }
    return kept;
  }
};
bitmap_kernels bitmap_kernels_of(form);

#endif
