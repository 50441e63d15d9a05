// The bits of UTF-8 that say where code points begin and how long they are, of 64 bytes at a time: a bit for each byte.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../detail/bytes.hpp"
#include "../detail/instruction_set.hpp"
#include "text_blocks.hpp"

namespace neardup::inline v0::detail {

/// The highest bits of the bytes of a block.
struct utf8_bits {
  std::uint64_t tops;     // not ASCII
  std::uint64_t seconds;  // the second highest
  std::uint64_t thirds;
  // Rare bytes, whose next one has a range of its own: 0xe0, 0xed, and those from 0xf0 on.
  std::uint64_t e0;
  std::uint64_t ed;
  std::uint64_t fourths;

  /// The bytes that begin a sequence of two to four, of three or four, and of four; and those that continue one.
  [[nodiscard]] std::uint64_t leads() const noexcept { return tops & seconds; }
  [[nodiscard]] std::uint64_t leads_of_3() const noexcept { return leads() & thirds; }
  [[nodiscard]] std::uint64_t leads_of_4() const noexcept { return fourths; }
  [[nodiscard]] std::uint64_t continuations() const noexcept { return tops & ~seconds; }
};

/// The highest bit of each of eight bytes, in one byte.
inline std::uint64_t top_bits(std::uint64_t bytes) noexcept {
  // One product moves the bits side by side.
  return ((bytes & byte_tops) >> 7) * 0x0102040810204080U >> 56;
}

/// The bytes that are `value`, by their highest bits.
constexpr std::uint64_t equal_tops(std::uint64_t bytes, std::uint64_t value) noexcept {
  // Lower bits that differ make a sum of 128 and more.
  const std::uint64_t difference = bytes ^ value * byte_ones;
  return ~(((difference & ~byte_tops) + ~byte_tops) | difference);
}

/// What `tops` gives by the highest bits of eight bytes, for a block.
template <class Tops>
std::uint64_t block_bits(const char* block, const Tops& tops) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < text_block_size; i += 8) bits |= top_bits(tops(load_little_endian(block + i))) << i;
  return bits;
}

/// The reference: eight bytes at a time.
inline utf8_bits utf8_bits_by_words(const char* block) noexcept {
  utf8_bits bits{};
  std::uint64_t ranged = 0;
  for (std::size_t i = 0; i < text_block_size; i += 8) {
    const std::uint64_t bytes = load_little_endian(block + i);
    bits.tops |= top_bits(bytes) << i;
    bits.seconds |= top_bits(bytes << 1) << i;
    bits.thirds |= top_bits(bytes << 2) << i;
    ranged |= equal_tops(bytes, 0xe0) | equal_tops(bytes, 0xed) | (bytes & bytes << 1 & bytes << 2 & bytes << 3);
  }
  if ((ranged & byte_tops) != 0) {
    bits.e0 = block_bits(block, [](std::uint64_t bytes) { return equal_tops(bytes, 0xe0); });
    bits.ed = block_bits(block, [](std::uint64_t bytes) { return equal_tops(bytes, 0xed); });
    bits.fourths = block_bits(block, [](std::uint64_t bytes) { return bytes & bytes << 1 & bytes << 2 & bytes << 3; });
  }
  return bits;
}

#if NEARDUP_X86_KERNELS
/// SSE2, which is part of x86-64: PMOVMSKB takes the highest bits of 16 bytes, additions bring up those below.
NEARDUP_INLINE utf8_bits utf8_bits_of(const char* block) noexcept {
  const auto load = [&](std::size_t i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i)); };
  const auto bits_of = [](__m128i x) { return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(x))}; };
  const auto equal = [](__m128i x, unsigned char value) {
    return _mm_cmpeq_epi8(x, _mm_set1_epi8(static_cast<char>(value)));
  };
  const auto is_fourth = [](__m128i x) { return _mm_cmpeq_epi8(_mm_max_epu8(x, _mm_set1_epi8(-0x10)), x); };
  utf8_bits bits{};
  __m128i ranged = _mm_setzero_si128();
  for (std::size_t i = 0; i < text_block_size; i += 16) {
    const __m128i bytes = load(i);
    const __m128i twice = _mm_add_epi8(bytes, bytes);
    bits.tops |= bits_of(bytes) << i;
    bits.seconds |= bits_of(twice) << i;
    bits.thirds |= bits_of(_mm_add_epi8(twice, twice)) << i;
    ranged = _mm_or_si128(ranged, _mm_or_si128(equal(bytes, 0xe0), equal(bytes, 0xed)));
    ranged = _mm_or_si128(ranged, is_fourth(bytes));
  }
  if (_mm_movemask_epi8(ranged) != 0) {
    for (std::size_t i = 0; i < text_block_size; i += 16) {
      bits.e0 |= bits_of(equal(load(i), 0xe0)) << i;
      bits.ed |= bits_of(equal(load(i), 0xed)) << i;
      bits.fourths |= bits_of(is_fourth(load(i))) << i;
    }
  }
  return bits;
}
#else
inline utf8_bits utf8_bits_of(const char* block) noexcept { return utf8_bits_by_words(block); }
#endif  // NEARDUP_X86_KERNELS

/// Validates UTF-8 block after block, from the beginning of a text on.
class utf8_checker {
 public:
  /// Whether the next block has no error, a sequence that it does not end aside. A byte may be read behind it.
  NEARDUP_INLINE bool check(const char* block, const utf8_bits& bits) noexcept {
    const std::uint64_t leads = bits.leads();
    const std::uint64_t leads_of_3 = bits.leads_of_3();
    std::uint64_t expected = left_ | leads << 1 | leads_of_3 << 2;
    left_ = leads >> 63 | leads_of_3 >> 62;
    // Rare in Chinese: sequences of two bytes, and those of which not every second byte goes with the first.
    if (leads != leads_of_3) {
      const auto overlong = [](std::uint64_t bytes) { return equal_tops(bytes & ~byte_ones, 0xc0); };
      if (block_bits(block, overlong) != 0) return false;
    }
    if ((bits.e0 | bits.ed | bits.fourths | after_e0_ | after_ed_) != 0) {
      const std::uint64_t from_a0 = bits.thirds;
      if (((after_e0_ | bits.e0 << 1) & ~from_a0) != 0 || ((after_ed_ | bits.ed << 1) & from_a0) != 0) return false;
      after_e0_ = bits.e0 >> 63;
      after_ed_ = bits.ed >> 63;
      expected |= bits.fourths << 3;
      left_ |= bits.fourths >> 61;
      for (std::uint64_t rest = bits.fourths; rest != 0; rest &= rest - 1) {
        const char* const at = block + std::countr_zero(rest);
        if (!is_second_of(static_cast<unsigned char>(at[0]), static_cast<unsigned char>(at[1]))) return false;
      }
    }
    return expected == bits.continuations();
  }

  /// Whether no sequence is left without its end.
  [[nodiscard]] bool is_complete() const noexcept { return left_ == 0; }

 private:
  /// Whether the second byte of a sequence of four is in the range that table 3-7 of Unicode 15 gives for the first.
  static bool is_second_of(unsigned char first, unsigned char second) noexcept {
    return first == 0xf0 ? second >= 0x90 : first == 0xf4 ? second < 0x90 : first < 0xf4;
  }

  // Which of the next bytes have to continue something, and whether 0xe0 or 0xed stands before them.
  std::uint64_t left_ = 0;
  std::uint64_t after_e0_ = 0;
  std::uint64_t after_ed_ = 0;
};

}  // namespace neardup::inline v0::detail
