// SPDX-License-Identifier: MIT
// Validates UTF-8 and finds where code points begin, one vector of bytes at a time. Cycles per byte of Chinese text on
// a Zen 5: validation takes 0.09 (AVX-512) or 0.15 (AVX2); finding code points takes 0.10 (AVX-512), 0.27 (AVX2) or 1.2
// (portable). On a Zen 4, the portable validation takes 0.4 cycles. A table-driven automaton that reads byte by byte
// took 1.0 to 1.3.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../detail/bits.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"
#include "text_blocks.hpp"

namespace neardup::inline v0::detail {

// ---- bit masks of 64 bytes: where code points begin, and how long they are ------------------------------------------

/// Masks of a block of 64 bytes. Bit i of a mask is about byte i.
struct utf8_bits {
  std::uint64_t tops;     // the highest bit: not ASCII
  std::uint64_t seconds;  // the second highest bit
  /// True if the block needs utf8_rare_bits, which is rare in Chinese text. If false, every sequence of the block has
  /// one or three bytes, and any continuation byte may be its second byte.
  bool is_rare;

  /// leads(): the bytes that begin a sequence of two to four bytes. continuations(): the bytes that continue a
  /// sequence.
  [[nodiscard]] std::uint64_t leads() const noexcept { return tops & seconds; }
  [[nodiscard]] std::uint64_t continuations() const noexcept { return tops & ~seconds; }
};

/// Further masks for a block with is_rare: for sequences of two or four bytes, and for lead bytes that allow only some
/// second bytes.
struct utf8_rare_bits {
  std::uint64_t thirds;    // the third highest bit
  std::uint64_t fourths;   // bytes from 0xf0 on
  std::uint64_t overlong;  // 0xc0 and 0xc1
  std::uint64_t e0;
  std::uint64_t ed;
};

/// Sets the highest bit of each byte of the result where `bytes` has `value`. The lower bits are unspecified.
constexpr std::uint64_t equal_tops(std::uint64_t bytes, std::uint64_t value) noexcept {
  // Adding 127 to the lower seven bits of a byte of the difference sets the highest bit, unless the seven bits are all
  // 0.
  const std::uint64_t difference = bytes ^ value * byte_ones;
  return ~(((difference & ~byte_tops) + ~byte_tops) | difference);
}

/// Calls `tops` for each eight bytes of a block. Returns a mask: the highest bits of the 64 bytes that `tops` returns.
template <class Tops>
std::uint64_t block_bits(const char* block, const Tops& tops) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < text_block_size; i += 8) bits |= top_bits(tops(load_little_endian(block + i))) << i;
  return bits;
}

/// The reference implementation of the masks. It reads eight bytes at a time.
struct utf8_block_portable {
  static utf8_rare_bits rare_bits_of(const char* block) noexcept {
    return {block_bits(block, [](std::uint64_t bytes) { return bytes << 2; }),
            block_bits(block, [](std::uint64_t bytes) { return bytes & bytes << 1 & bytes << 2 & bytes << 3; }),
            block_bits(block, [](std::uint64_t bytes) { return equal_tops(bytes & ~byte_ones, 0xc0); }),
            block_bits(block, [](std::uint64_t bytes) { return equal_tops(bytes, 0xe0); }),
            block_bits(block, [](std::uint64_t bytes) { return equal_tops(bytes, 0xed); })};
  }

  static utf8_bits bits_of(const char* block) noexcept {
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
};

/// Validates a text, block by block from its beginning. `Block` is a class that computes the masks, for example
/// utf8_block_portable.
template <class Block>
class utf8_checker {
 public:
  /// Checks the next block, whose masks are `bits`. A sequence that continues in the following block is not an error.
  /// Precondition: one byte after the block is readable.
  /// Returns: false if the block has an error.
  NEARDUP_ALWAYS_INLINE bool check(const char* block, const utf8_bits& bits) noexcept {
    if (bits.is_rare || (after_e0_ | after_ed_) != 0) return check_rare(block, bits);
    const std::uint64_t leads = bits.leads();
    const std::uint64_t expected = left_ | leads << 1 | leads << 2;
    left_ = leads >> 63 | leads >> 62;
    return expected == bits.continuations();
  }

  /// Returns true if the last block ends with a complete sequence.
  [[nodiscard]] bool is_complete() const noexcept { return left_ == 0; }

 private:
  NEARDUP_NOINLINE bool check_rare(const char* block, const utf8_bits& bits) noexcept {
    const utf8_rare_bits rare = Block::rare_bits_of(block);
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

  /// Returns true if the second byte of a four-byte sequence is in the range that table 3-7 of Unicode 15 has for the
  /// first byte.
  static bool is_second_of(unsigned char first, unsigned char second) noexcept {
    return first == 0xf0 ? second >= 0x90 : first == 0xf4 ? second < 0x90 : first < 0xf4;
  }

  // left_: a mask of the bytes of the next block that must be continuation bytes. The other masks say whether the last
  // byte of this block is 0xe0 or 0xed.
  std::uint64_t left_ = 0;
  std::uint64_t after_e0_ = 0;
  std::uint64_t after_ed_ = 0;
};

// ---- validation -----------------------------------------------------------------------------------------------------

/// Validates a text with masks. This is the reference implementation, and the version without vector instructions.
template <class Block>
bool is_well_formed_by_bits(std::string_view text) noexcept {
  utf8_checker<Block> checker;
  std::size_t i = 0;
  for (; i + text_block_size < text.size(); i += text_block_size) {
    const utf8_bits bits = Block::bits_of(text.data() + i);
    if (bits.tops == 0 && checker.is_complete()) continue;
    if (!checker.check(text.data() + i, bits)) return false;
  }
  // In the copy of the last block, zero bytes follow the text, because a zero byte continues no sequence.
  char rest[text_block_size + 1] = {};
  if (i < text.size()) std::memcpy(rest, text.data() + i, text.size() - i);
  return checker.check(rest, Block::bits_of(rest)) && checker.is_complete();
}

// An error in two adjacent bytes shows in three half-bytes: the two halves of the first byte, and the upper half of the
// second byte. Each half selects one of 16 table entries. An entry is a set of error bits. An error is a bit that all
// three entries have in common. Two adjacent continuation bytes also set a bit. This bit must be set exactly where a
// lead byte, two or three bytes before, requires a third or fourth byte.
// Source: Keiser, Lemire, Validating UTF-8 In Less Than One Instruction Per Byte, SPE 2021, arXiv 2010.03090.
struct utf8_error {
  unsigned first_high;   // values of the first byte's upper half for this error, as a set of 16 bits
  unsigned first_low;    // values of the first byte's lower half
  unsigned second_high;  // values of the second byte's upper half
};

constexpr unsigned half_range(unsigned from, unsigned to) noexcept { return (2U << to) - (1U << from); }

inline constexpr unsigned any_half = half_range(0x0, 0xf);
inline constexpr unsigned continuation_half = half_range(0x8, 0xb);

inline constexpr std::array<utf8_error, 8> utf8_errors = {{
    {half_range(0xc, 0xf), any_half, any_half & ~continuation_half},  // a lead byte without continuation byte
    {half_range(0x0, 0x7), any_half, continuation_half},              // a continuation byte after ASCII
    {1U << 0xe, 1U << 0x0, half_range(0x8, 0x9)},                     // overlong, three bytes
    {1U << 0xf, half_range(0x4, 0xf), half_range(0x9, 0xb)},          // beyond U+10FFFF
    {1U << 0xe, 1U << 0xd, half_range(0xa, 0xb)},                     // a surrogate
    {1U << 0xc, half_range(0x0, 0x1), continuation_half},             // overlong, two bytes
    {1U << 0xf, 1U << 0x0 | half_range(0x5, 0xf), 1U << 0x8},         // overlong, four bytes; beyond U+10FFFF
    {continuation_half, any_half, continuation_half},                 // two continuation bytes
}};

struct alignas(16) utf8_table {
  std::uint8_t errors[16];
};

template <class Half>
constexpr utf8_table make_utf8_table(const Half& half) noexcept {
  utf8_table table{};
  for (std::size_t value = 0; value < 16; ++value) {
    for (std::size_t i = 0; i < utf8_errors.size(); ++i) {
      const unsigned bit = half(utf8_errors[i]) >> value & 1U;
      table.errors[value] = static_cast<std::uint8_t>(table.errors[value] | bit << i);
    }
  }
  return table;
}

inline constexpr utf8_table first_high_errors = make_utf8_table([](const utf8_error& e) { return e.first_high; });
inline constexpr utf8_table first_low_errors = make_utf8_table([](const utf8_error& e) { return e.first_low; });
inline constexpr utf8_table second_high_errors = make_utf8_table([](const utf8_error& e) { return e.second_high; });

/// Validates a text with a kernel, are_well_formed() of utf8_blocks.inl. The kernel takes whole blocks, and reads three
/// bytes before the blocks.
template <class Kernel>
bool is_well_formed_by(const Kernel& are_well_formed, std::string_view text) noexcept {
  if (text.empty()) return true;
  // The first block and the last block are copied. Three zero bytes are before the first block, and zero bytes are
  // after the text. A zero byte neither begins nor continues a sequence.
  char edge[3 + text_block_size] = {};
  const std::size_t first = text.size() < text_block_size ? text.size() : text_block_size;
  std::memcpy(edge + 3, text.data(), first);
  if (!are_well_formed(edge + 3, 1)) return false;
  if (text.size() < text_block_size) return true;
  const std::size_t inner = text.size() / text_block_size - 1;
  if (!are_well_formed(text.data() + text_block_size, inner)) return false;
  const std::size_t rest = text.size() % text_block_size;
  char last[3 + text_block_size] = {};
  std::memcpy(last, text.data() + text.size() - rest - 3, rest + 3);
  return are_well_formed(last + 3, 1);
}

}  // namespace neardup::inline v0::detail

#define NEARDUP_KERNEL "../text/kernels/utf8_blocks.inl"
#include "../../simd/for_each_form.hpp"

namespace neardup::inline v0::detail {

/// Returns true if a text is well-formed UTF-8, so that count_invalid(text) == 0.
inline bool is_well_formed(std::string_view text, instruction_set level) noexcept {
  return choose_form(level, [&](auto form) { return decltype(utf8_kernels_of(form))::is_well_formed(text); });
}

/// Finds the code points in `count` blocks of 64 bytes. Writes `base` plus the position of each to `places`.
/// Precondition: the text is well-formed UTF-8; `places` has room for 64 numbers per block, and 16 more.
/// Returns: the number of code points.
inline std::size_t find_code_points(const char* text, std::size_t count, std::uint32_t base, std::uint32_t* places,
                                    instruction_set level) noexcept {
  return choose_form(
      level, [&](auto form) { return decltype(utf8_kernels_of(form))::find_code_points(text, count, base, places); });
}

}  // namespace neardup::inline v0::detail
