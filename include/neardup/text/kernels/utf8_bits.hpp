// The bits of UTF-8 that say where code points begin and how long they are, of 64 bytes at a time: a bit for each byte.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../detail/bytes.hpp"
#include "../../instruction_set.hpp"
#include "text_blocks.hpp"

namespace neardup::inline v0::detail {

/// The highest bits of the bytes of a block.
struct utf8_bits {
  std::uint64_t tops;     // not ASCII
  std::uint64_t seconds;  // the second highest
  /// Whether the block has bytes that Chinese seldom has, which utf8_rare_bits tells apart. Otherwise all sequences
  /// have one byte or three, and any continuations.
  bool is_rare;

  /// The bytes that begin a sequence of two to four, and those that continue one.
  [[nodiscard]] std::uint64_t leads() const noexcept { return tops & seconds; }
  [[nodiscard]] std::uint64_t continuations() const noexcept { return tops & ~seconds; }
};

/// What there may be besides in a rare block: sequences of two bytes and four, and first bytes whose next one has a
/// range of its own.
struct utf8_rare_bits {
  std::uint64_t thirds;    // the third highest
  std::uint64_t fourths;   // of the bytes from 0xf0 on
  std::uint64_t overlong;  // 0xc0 and 0xc1
  std::uint64_t e0;
  std::uint64_t ed;
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
inline utf8_rare_bits utf8_rare_bits_by_words(const char* block) noexcept {
  return {block_bits(block, [](std::uint64_t bytes) { return bytes << 2; }),
          block_bits(block, [](std::uint64_t bytes) { return bytes & bytes << 1 & bytes << 2 & bytes << 3; }),
          block_bits(block, [](std::uint64_t bytes) { return equal_tops(bytes & ~byte_ones, 0xc0); }),
          block_bits(block, [](std::uint64_t bytes) { return equal_tops(bytes, 0xe0); }),
          block_bits(block, [](std::uint64_t bytes) { return equal_tops(bytes, 0xed); })};
}

/// The same.
inline utf8_bits utf8_bits_by_words(const char* block) noexcept {
  utf8_bits bits{};
  std::uint64_t rare = 0;
  for (std::size_t i = 0; i < text_block_size; i += 8) {
    const std::uint64_t bytes = load_little_endian(block + i);
    bits.tops |= top_bits(bytes) << i;
    bits.seconds |= top_bits(bytes << 1) << i;
    const std::uint64_t two_or_four = ~(bytes << 2) | bytes << 3;
    rare |= (bytes & bytes << 1 & two_or_four) | equal_tops(bytes, 0xe0) | equal_tops(bytes, 0xed);
  }
  bits.is_rare = (rare & byte_tops) != 0;
  return bits;
}
#if NEARDUP_X86_KERNELS
// SSE2 is part of x86-64.

inline utf8_rare_bits utf8_rare_bits_of(const char* block) noexcept {
  const auto bits_of = [](__m128i x) { return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(x))}; };
  utf8_rare_bits bits{};
  for (std::size_t i = 0; i < text_block_size; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
    bits.thirds |= bits_of(_mm_slli_epi16(bytes, 2)) << i;
    bits.fourths |= bits_of(_mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(-0x10)), bytes)) << i;
    bits.overlong |= bits_of(_mm_cmpeq_epi8(_mm_and_si128(bytes, _mm_set1_epi8(-2)), _mm_set1_epi8(-0x40))) << i;
    bits.e0 |= bits_of(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(-0x20))) << i;
    bits.ed |= bits_of(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(-0x13))) << i;
  }
  return bits;
}

/// PMOVMSKB takes the highest bits of 16 bytes, an addition brings up the next ones.
NEARDUP_INLINE utf8_bits utf8_bits_of(const char* block) noexcept {
  const auto bits_of = [](__m128i x) { return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(x))}; };
  const __m128i ed = _mm_set1_epi8(-0x13);
  utf8_bits bits{};
  // With two bits flipped, the first bytes of two and 0xe0 are the lowest of all.
  __m128i lowest = _mm_set1_epi8(-1);
  __m128i highest = _mm_setzero_si128();
  __m128i equal = _mm_setzero_si128();
  for (std::size_t i = 0; i < text_block_size; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
    bits.tops |= bits_of(bytes) << i;
    bits.seconds |= bits_of(_mm_add_epi8(bytes, bytes)) << i;
    lowest = _mm_min_epu8(lowest, _mm_xor_si128(bytes, _mm_set1_epi8(-0x40)));
    highest = _mm_max_epu8(highest, bytes);
    equal = _mm_or_si128(equal, _mm_cmpeq_epi8(bytes, ed));
  }
  const __m128i is_low = _mm_cmpeq_epi8(_mm_min_epu8(lowest, _mm_set1_epi8(0x20)), lowest);
  const __m128i is_high = _mm_cmpeq_epi8(_mm_max_epu8(highest, _mm_set1_epi8(-0x10)), highest);
  bits.is_rare = _mm_movemask_epi8(_mm_or_si128(equal, _mm_or_si128(is_low, is_high))) != 0;
  return bits;
}
#else
inline utf8_rare_bits utf8_rare_bits_of(const char* block) noexcept { return utf8_rare_bits_by_words(block); }
inline utf8_bits utf8_bits_of(const char* block) noexcept { return utf8_bits_by_words(block); }
#endif  // NEARDUP_X86_KERNELS

/// Validates UTF-8 block after block, from the beginning of a text on.
class utf8_checker {
 public:
  /// Whether the next block has no error, a sequence that it does not end aside. A byte may be read behind it.
  NEARDUP_INLINE bool check(const char* block, const utf8_bits& bits) noexcept {
    if (bits.is_rare || (after_e0_ | after_ed_) != 0) return check_rare(block, bits);
    const std::uint64_t leads = bits.leads();
    const std::uint64_t expected = left_ | leads << 1 | leads << 2;
    left_ = leads >> 63 | leads >> 62;
    return expected == bits.continuations();
  }

  /// Whether no sequence is left without its end.
  [[nodiscard]] bool is_complete() const noexcept { return left_ == 0; }

 private:
  NEARDUP_NOINLINE bool check_rare(const char* block, const utf8_bits& bits) noexcept {
    const utf8_rare_bits rare = utf8_rare_bits_of(block);
    if (rare.overlong != 0) return false;
    const std::uint64_t from_a0 = rare.thirds;
    if (((after_e0_ | rare.e0 << 1) & ~from_a0) != 0 || ((after_ed_ | rare.ed << 1) & from_a0) != 0) return false;
    after_e0_ = rare.e0 >> 63;
    after_ed_ = rare.ed >> 63;
    for (std::uint64_t rest = rare.fourths; rest != 0; rest &= rest - 1) {
      const char* const at = block + std::countr_zero(rest);
      if (!is_second_of(static_cast<unsigned char>(at[0]), static_cast<unsigned char>(at[1]))) return false;
    }
    const std::uint64_t leads = bits.leads();
    const std::uint64_t longer = leads & rare.thirds;
    const std::uint64_t expected = left_ | leads << 1 | longer << 2 | rare.fourths << 3;
    left_ = leads >> 63 | longer >> 62 | rare.fourths >> 61;
    return expected == bits.continuations();
  }

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
