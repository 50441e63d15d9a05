// SPDX-License-Identifier: MIT
// Counts the bits of the XXH3 hashes of all pairs of code points of a text, and validates the text in the same pass.
// The portable and the baseline form use this header. The AVX2 and AVX-512 forms hash pairs in vectors
// (xxh3_pairs.hpp).
//
// A pair has 2 to 8 bytes. The bit masks that validate a block of 64 bytes also tell where the pairs of each length
// begin. A table converts eight bits of a mask at a time into positions, without a branch that depends on the text.
// Pairs are listed by length, so that all pairs of a list take one formula with the same constants. Hashing and
// counting use different units of the processor, so both are in one loop.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../detail/bytes.hpp"
#include "../../text/kernels/text_blocks.hpp"
#include "../../text/kernels/utf8_blocks.hpp"
#include "../hashers.hpp"
#include "bit_tally.hpp"
#include "xxh3_short.hpp"

namespace neardup::inline v0::detail {

/// places_of[byte] lists the positions of the set bits of a byte.
struct alignas(16) eight_places {
  std::uint16_t places[8];
};
inline constexpr std::array<eight_places, 256> places_of = [] {
  std::array<eight_places, 256> result{};
  for (std::size_t byte = 0; byte < result.size(); ++byte) {
    std::size_t i = 0;
    for (std::uint16_t& place : result[byte].places) place = set_bits_of[byte].positions[i++];
  }
  return result;
}();
inline constexpr std::array<std::uint8_t, 256> bit_counts = [] {
  std::array<std::uint8_t, 256> result{};
  for (std::size_t byte = 0; byte < result.size(); ++byte) {
    result[byte] = static_cast<std::uint8_t>(std::popcount(byte));
  }
  return result;
}();

/// The types of pair counting for portable C++: `block` finds the pairs of code points, `adders` counts the bits of
/// their hashes. pair_parts_baseline has the same types for 16-byte vectors.
struct pair_parts_portable {
  using block = utf8_block_portable;
  using adders = adders_portable;
};
constexpr pair_parts_portable pair_parts_of(portable_form) noexcept { return {}; }
#if NEARDUP_BASELINE_KERNELS
struct pair_parts_baseline {
  using block = utf8_block_baseline;
  using adders = adders_baseline;
};
constexpr pair_parts_baseline pair_parts_of(baseline_form) noexcept { return {}; }
void pair_parts_of(avx2_form) = delete;  // AVX2 hashes pairs in vectors first
#endif

/// The greatest number of blocks whose pairs are listed at a time. The second constant is the capacity of the list of
/// pairs of n bytes: at most two pairs of n bytes begin in any n bytes.
inline constexpr std::size_t max_pair_list_blocks = 32;
constexpr std::size_t pair_list_capacity(std::size_t n) noexcept {
  constexpr std::size_t blocks_at_end = 2;
  constexpr std::size_t slack = 16;
  return 2 * (max_pair_list_blocks + blocks_at_end) * text_block_size / n + slack;
}
constexpr std::size_t pair_lists_capacity() noexcept {
  std::size_t total = 0;
  for (std::size_t n = 2; n <= 8; ++n) total += pair_list_capacity(n);
  return total;
}

/// Lists of the positions of the pairs of some blocks, one list for each length.
class pair_lists {
 public:
  static constexpr std::size_t max_length = 8;

  void clear() noexcept {
    std::size_t first = 0;
    for (std::size_t n = 2; n <= max_length; ++n) {
      begins_[n] = ends_[n] = places_ + first;
      first += pair_list_capacity(n);
    }
    ascii_count_ = 0;
  }

  [[nodiscard]] const std::uint16_t* begin(std::size_t n) const noexcept { return begins_[n]; }
  [[nodiscard]] std::size_t size(std::size_t n) const noexcept {
    return static_cast<std::size_t>(ends_[n] - begins_[n]);
  }

  /// Returns the positions of the blocks that are all ASCII. Their pairs are not in the lists, because a pair of two
  /// bytes begins at every byte of such a block.
  [[nodiscard]] const std::uint16_t* ascii_blocks() const noexcept { return ascii_blocks_; }
  [[nodiscard]] std::size_t ascii_count() const noexcept { return ascii_count_; }
  void append_ascii(std::size_t block) noexcept { ascii_blocks_[ascii_count_++] = static_cast<std::uint16_t>(block); }

  /// Appends the position `base` + i to the list of pairs of n bytes, for each set bit i of `bits`.
  template <class Vector>
  NEARDUP_ALWAYS_INLINE void append(std::size_t n, std::uint64_t bits, std::size_t base) noexcept {
    constexpr std::uint64_t each = 0x0001000100010001U;
    std::uint16_t* out = ends_[n];
    Vector from = Vector{} + base * each;
    for (std::size_t i = 0; i < 8; ++i, bits >>= 8, from += 8 * each) {
      const std::size_t byte = bits & 0xffU;
      for (std::size_t j = 0; j < sizeof(eight_places); j += sizeof(from)) {
        Vector places;
        std::memcpy(&places, reinterpret_cast<const char*>(&places_of[byte]) + j, sizeof places);
        places += from;
        std::memcpy(reinterpret_cast<char*>(out) + j, &places, sizeof places);
      }
      out += bit_counts[byte];
    }
    ends_[n] = out;
  }

 private:
  std::uint16_t* begins_[max_length + 1];
  std::uint16_t* ends_[max_length + 1];
  std::uint16_t places_[pair_lists_capacity()];
  std::uint16_t ascii_blocks_[max_pair_list_blocks + 2];
  std::size_t ascii_count_;
};

/// Validates a text block by block, and finds its pairs.
template <class Parts>
class pair_finder {
  using utf8 = typename Parts::block;
  using vector = typename Parts::adders::vector;

 public:
  /// Appends the pairs that begin in the next `count` blocks, before byte `end`, as positions from `base` on.
  /// Precondition: 64 more bytes are readable.
  /// Returns: false if the text is ill-formed; the lists are unspecified then.
  NEARDUP_ALWAYS_INLINE bool find(const char* text, std::size_t count, std::size_t end, std::size_t base,
                                  pair_lists& lists) noexcept {
    utf8_bits next = utf8::bits_of(text);
    for (std::size_t at = 0; at < count * text_block_size; at += text_block_size) {
      const utf8_bits bits = next;
      next = utf8::bits_of(text + at + text_block_size);
      if ((bits.tops | (next.tops & 1U)) == 0 && at + text_block_size + ascii_margin <= end && checker_.is_complete()) {
        lists.append_ascii(base + at);
        continue;
      }
      if (!checker_.check(text + at, bits)) return false;
      std::uint64_t wanted = ~std::uint64_t{0};
      if (at + text_block_size > end) wanted = end > at ? (std::uint64_t{1} << (end - at)) - 1 : 0;
      if (bits.is_rare || next.is_rare) {
        append_all(text + at, wanted, base + at, lists);
        continue;
      }
      const std::uint64_t ascii = ~bits.tops & wanted;
      const std::uint64_t threes = bits.leads() & wanted;
      const std::uint64_t tops_1 = behind(bits.tops, next.tops, 1);
      const std::uint64_t tops_3 = behind(bits.tops, next.tops, 3);
      // The text is well-formed here. So the byte behind a code point is ASCII or begins another code point.
      lists.template append<vector>(2, ascii & ~tops_1, base + at);
      lists.template append<vector>(4, (ascii & tops_1) | (threes & ~tops_3), base + at);
      lists.template append<vector>(6, threes & tops_3, base + at);
    }
    return true;
  }

 private:
  // In a block of ASCII, 16 bytes are read at each position.
  static constexpr std::size_t ascii_margin = 16;

  /// Returns the bits of a block and the next block, shifted down by i: bit j is that of byte j + i.
  static NEARDUP_ALWAYS_INLINE std::uint64_t behind(std::uint64_t bits, std::uint64_t next, unsigned i) noexcept {
    return bits >> i | next << (64 - i);
  }

  /// The positions where the code points of a block begin, as bit masks by length.
  struct code_points {
    std::uint64_t of[5] = {};

    explicit code_points(const char* block) noexcept {
      const utf8_bits bits = utf8::bits_of(block);
      const utf8_rare_bits rare = utf8::rare_bits_of(block);
      of[1] = ~bits.tops;
      of[2] = bits.leads() & ~rare.thirds;
      of[3] = bits.leads() & rare.thirds & ~rare.fourths;
      of[4] = rare.fourths;
    }
  };

  /// Appends the pairs of a block with code points of any length.
  static NEARDUP_NOINLINE void append_all(const char* block, std::uint64_t wanted, std::size_t base,
                                          pair_lists& lists) noexcept {
    const code_points here(block);
    const code_points next(block + text_block_size);
    std::uint64_t pairs[pair_lists::max_length + 1] = {};
    for (unsigned first = 1; first <= 4; ++first) {
      for (unsigned second = 1; second <= 4; ++second) {
        pairs[first + second] |= here.of[first] & behind(here.of[second], next.of[second], first);
      }
    }
    for (std::size_t n = 2; n <= pair_lists::max_length; ++n) lists.template append<vector>(n, pairs[n] & wanted, base);
  }

  utf8_checker<utf8> checker_;
};

// ---- scalar hashes, vector counts -----------------------------------------------------------------------------------

/// Hashes pairs of code points of n bytes each. It reads no byte beyond a pair.
template <bool Tiny>
struct pair_hasher {
  std::uint64_t n;
  std::uint64_t flip;
  const char* text;
  const char* last;  // text + n - 4, or n - 1 if Tiny: the last bytes of a pair are read at last + place

  pair_hasher(std::size_t length, std::uint64_t seed, const char* source) noexcept
      : n(length), flip(seeded_xxh3(seed).flip_of(length)), text(source), last(source + length - (Tiny ? 1 : 4)) {
    // Keeps `last` in a register. Otherwise compilers compute `text + place` first, which costs an addition.
    NEARDUP_SCALAR(last);
  }

  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t operator()(std::size_t place) const noexcept {
    if constexpr (Tiny) {
      // The formula takes the first, the middle and the last byte. The middle byte of two or three bytes is the second,
      // so the first and the middle byte are adjacent.
      const std::uint64_t first = load_little_endian<std::uint16_t>(text + place);
      return short_xxh3::mix_1_to_3((first << 16 | static_cast<unsigned char>(last[place])) ^ flip);
    } else {
      const std::uint64_t first = load_little_endian<std::uint32_t>(text + place);
      return short_xxh3::mix_4_to_8((first << 32 | load_little_endian<std::uint32_t>(last + place)) ^ flip, n);
    }
  }

  /// Returns the hashes of two pairs, or of one pair, as a vector.
  template <class Vector>
  [[nodiscard]] NEARDUP_ALWAYS_INLINE Vector vector(std::size_t place, std::size_t next) const noexcept {
    const std::uint64_t first = (*this)(place);
    if constexpr (sizeof(Vector) == sizeof first) {
      return Vector{first};
    } else {
      return Vector{first, (*this)(next)};
    }
  }
};

/// Counts the bits of the hashes of a list of pairs, in full blocks. The hashes of the last pairs, fewer than 32, are
/// written to `rest` instead.
/// Returns: the number of hashes in `rest`.
template <class Adders, bool Tiny>
std::size_t count_pair_list(bit_tally& tally, const pair_hasher<Tiny> hash, const std::uint16_t* places,
                            std::size_t count, std::uint64_t* rest) noexcept {
  constexpr std::size_t lanes = adder_lanes<Adders>;
  std::size_t i = 0;
  if (count >= 16 * lanes) {
    NEARDUP_LOAD_PLANES(Adders, tally);
    for (; i + 16 * lanes <= count; i += 16 * lanes) {
#define NEARDUP_LOAD(v) \
  hash.template vector<typename Adders::vector>(places[i + lanes * (v)], places[i + lanes * (v) + lanes - 1])
      NEARDUP_COUNT_16(Adders, tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
    }
    NEARDUP_STORE_PLANES(Adders, tally);
    tally.total += i;
  }
  for (std::size_t j = i; j < count; ++j) rest[j - i] = hash(places[j]);
  return count - i;
}

/// Counts the bits of the hashes of the 64 pairs that begin in each block of ASCII.
template <class Adders>
void count_ascii_pairs(bit_tally& tally, std::uint64_t seed, const char* text, const std::uint16_t* blocks,
                       std::size_t count) noexcept {
  constexpr std::size_t lanes = adder_lanes<Adders>;
  const pair_hasher<true> hash(2, seed, text);
  NEARDUP_LOAD_PLANES(Adders, tally);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t at = blocks[i], end = at + text_block_size; at != end; at += 16 * lanes) {
#define NEARDUP_LOAD(v) hash.template vector<typename Adders::vector>(at + lanes * (v), at + lanes * (v) + 1)
      NEARDUP_COUNT_16(Adders, tally, NEARDUP_LOAD);
#undef NEARDUP_LOAD
    }
  }
  NEARDUP_STORE_PLANES(Adders, tally);
  tally.total += count * text_block_size;
}

/// Counts the bits of the hashes of all pairs of code points of a text, for several seeds.
template <class Parts, std::size_t Words>
class pair_counter {
  using adders = typename Parts::adders;

 public:
  pair_counter(std::array<bit_tally, Words>& tallies, std::uint64_t seed) noexcept : tallies_(tallies), seed_(seed) {}

  /// Counts the bits for a text.
  /// Precondition: the text has more than four bytes.
  /// Returns: false if the text is ill-formed; the counts are unspecified then.
  bool count(std::string_view text) noexcept {
    // No pair begins at the last code point. In ill-formed text its position does not matter.
    std::size_t end = text.size();
    do --end;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80);
    std::size_t position = 0;
    for (bool at_end = false; !at_end;) {
      std::size_t left = text.size() - position;
      const std::size_t blocks =
          left < 2 * text_block_size ? 0 : (std::min)(max_pair_list_blocks, left / text_block_size - 1);
      const std::size_t size = blocks * text_block_size;
      const char* const from = text.data() + position;
      const std::size_t limit = end > position ? end - position : 0;
      lists_.clear();
      if (blocks > 0 && !finder_.find(from, blocks, limit, 0, lists_)) return false;
      position += size;
      left -= size;
      at_end = left < 2 * text_block_size;
      if (at_end) {
        // In the copy, zero bytes follow the text, so a truncated sequence at its end is ill-formed there, too.
        char rest[3 * text_block_size] = {};
        std::memcpy(rest, from + size, left);
        if (!finder_.find(rest, 2, limit > size ? limit - size : 0, size, lists_)) return false;
      }
      count_lists(from);
    }
    count_rest();
    return true;
  }

 private:
  static constexpr std::size_t max_rest = 7 * 32;  // fewer than 32 hashes of each of seven lengths

  void count_lists(const char* text) noexcept {
    for (std::size_t j = 0; j < Words && lists_.ascii_count() > 0; ++j) {
      count_ascii_pairs<adders>(tallies_[j], seed_of(j), text, lists_.ascii_blocks(), lists_.ascii_count());
    }
    for (std::size_t n = 2; n <= pair_lists::max_length; ++n) {
      if (lists_.size(n) == 0) continue;
      std::size_t left = 0;
      for (std::size_t j = 0; j < Words; ++j) {
        left = n < 4 ? count_list<true>(j, n, text) : count_list<false>(j, n, text);
      }
      rest_count_ += left;
    }
    if (rest_count_ > max_rest) count_rest();
  }

  template <bool Tiny>
  std::size_t count_list(std::size_t j, std::size_t n, const char* text) noexcept {
    const pair_hasher<Tiny> hash(n, seed_of(j), text);
    return count_pair_list<adders>(tallies_[j], hash, lists_.begin(n), lists_.size(n), rest_[j] + rest_count_);
  }

  void count_rest() noexcept {
    for (std::size_t j = 0; j < Words; ++j) count_bits(tallies_[j], rest_[j], rest_count_);
    rest_count_ = 0;
  }

  [[nodiscard]] std::uint64_t seed_of(std::size_t j) const noexcept { return seed_ + j * xxh3<>::seed_step; }

  std::array<bit_tally, Words>& tallies_;
  std::uint64_t seed_;
  pair_finder<Parts> finder_;
  pair_lists lists_;
  std::size_t rest_count_ = 0;
  std::uint64_t rest_[Words][2 * max_rest];
};

}  // namespace neardup::inline v0::detail
