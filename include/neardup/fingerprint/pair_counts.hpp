// Counts the bits of the XXH3 hashes of all pairs of code points of a text, and validates it on the way.
//
// The pairs of a text are dealt to lists by their length, 2 to 8 bytes: all of a list take one formula with the same
// constants, and no branch depends on the text. Where pairs begin comes from the bits of 64 bytes at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "../detail/bit_tally.hpp"
#include "../detail/bytes.hpp"
#include "../detail/instruction_set.hpp"
#include "../text/text_blocks.hpp"
#include "../text/utf8_bits.hpp"
#include "xxh3_windows.hpp"

namespace neardup::inline v0::detail {

/// Whether the n-grams of code points of a text are counted so: pairs, on the portable path.
inline bool are_counted_pairs(std::size_t n, std::size_t text_size) noexcept {
  return n == 2 && text_size > 4 && active_instruction_set() == instruction_set::portable;
}

/// For each byte the numbers of its set bits, 16 bits each: the first four, and all.
struct alignas(8) four_places {
  std::uint16_t places[4];
};
struct alignas(16) eight_places {
  std::uint16_t places[8];
};
template <class Places>
inline constexpr std::array<Places, 256> places_of = [] {
  std::array<Places, 256> result{};
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

/// The most blocks whose pairs are listed at a time, and the room that those of n bytes take: two begin in any n bytes.
inline constexpr std::size_t max_pair_list_blocks = 32;
constexpr std::size_t pair_list_capacity(std::size_t n) noexcept {
  constexpr std::size_t end_blocks = 2;
  constexpr std::size_t slack = 16;
  return 2 * (max_pair_list_blocks + end_blocks) * text_block_size / n + slack;
}
constexpr std::size_t pair_lists_capacity() noexcept {
  std::size_t total = 0;
  for (std::size_t n = 2; n <= 8; ++n) total += pair_list_capacity(n);
  return total;
}

/// Where the pairs of some blocks begin, by their length.
class pair_lists {
 public:
  static constexpr std::size_t max_length = 8;

  void clear() noexcept {
    std::size_t first = 0;
    for (std::size_t n = 2; n <= max_length; ++n) {
      begins_[n] = ends_[n] = places_ + first;
      first += pair_list_capacity(n);
    }
  }

  [[nodiscard]] const std::uint16_t* begin(std::size_t n) const noexcept { return begins_[n]; }
  [[nodiscard]] std::size_t size(std::size_t n) const noexcept {
    return static_cast<std::size_t>(ends_[n] - begins_[n]);
  }

  /// Appends the bits that are set, as places from `base` on. Two pairs of n bytes begin in any n bytes at most, so that
  /// those of four bytes and more are four in any eight; `Places` is what is written for eight bytes.
  template <class Places>
  NEARDUP_INLINE void append(std::size_t n, std::uint64_t bits, std::size_t base) noexcept {
    // All places are added to at once, by words or by vectors.
    using lanes = std::conditional_t<sizeof(Places) == sizeof(std::uint64_t), std::uint64_t, portable_vector>;
    constexpr std::uint64_t each = 0x0001000100010001U;
    std::uint16_t* out = ends_[n];
    lanes from = lanes{} + base * each;
    for (std::size_t i = 0; i < 8; ++i, bits >>= 8, from += 8 * each) {
      const std::size_t byte = bits & 0xffU;
      for (std::size_t j = 0; j < sizeof(Places); j += sizeof(lanes)) {
        lanes places;
        std::memcpy(&places, reinterpret_cast<const char*>(&places_of<Places>[byte]) + j, sizeof places);
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
};

/// Validates a text and finds its pairs, block after block.
class pair_finder {
 public:
  /// Appends the pairs that begin in the next `count` blocks, before the byte `end`, as places from `base` on.
  /// Precondition: 64 bytes may be read behind. Returns: false if the text is ill-formed, and the lists are of no use.
  bool find(const char* text, std::size_t count, std::size_t end, std::size_t base, pair_lists& lists) noexcept {
    utf8_bits next = utf8_bits_of(text);
    for (std::size_t at = 0; at < count * text_block_size; at += text_block_size) {
      const utf8_bits bits = next;
      if (!checker_.check(text + at, bits)) return false;
      next = utf8_bits_of(text + at + text_block_size);
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
      // What is behind a whole code point is ASCII, or begins one.
      lists.append<eight_places>(2, ascii & ~tops_1, base + at);
      lists.append<four_places>(4, (ascii & tops_1) | (threes & ~tops_3), base + at);
      lists.append<four_places>(6, threes & tops_3, base + at);
    }
    return true;
  }

 private:
  /// The bits i bytes on, of two blocks.
  static NEARDUP_INLINE std::uint64_t behind(std::uint64_t bits, std::uint64_t next, unsigned i) noexcept {
    return bits >> i | next << (64 - i);
  }

  /// The code points of a block by their lengths.
  struct code_points {
    std::uint64_t of_1, of_2, of_3, of_4;

    explicit code_points(const char* block) noexcept {
      const utf8_bits bits = utf8_bits_of(block);
      const utf8_rare_bits rare = utf8_rare_bits_of(block);
      of_1 = ~bits.tops;
      of_2 = bits.leads() & ~rare.thirds;
      of_3 = bits.leads() & rare.thirds & ~rare.fourths;
      of_4 = rare.fourths;
    }
  };

  /// Appends the pairs of a block whose code points may have any length.
  static NEARDUP_NOINLINE void append_all(const char* block, std::uint64_t wanted, std::size_t base,
                                          pair_lists& lists) noexcept {
    const code_points here(block);
    const code_points next(block + text_block_size);
    const auto of_1 = [&](unsigned i) { return behind(here.of_1, next.of_1, i); };
    const auto of_2 = [&](unsigned i) { return behind(here.of_2, next.of_2, i); };
    const auto of_3 = [&](unsigned i) { return behind(here.of_3, next.of_3, i); };
    const auto of_4 = [&](unsigned i) { return behind(here.of_4, next.of_4, i); };
    const std::uint64_t ones = here.of_1 & wanted;
    const std::uint64_t twos = here.of_2 & wanted;
    const std::uint64_t threes = here.of_3 & wanted;
    const std::uint64_t fours = here.of_4 & wanted;
    lists.append<eight_places>(2, ones & of_1(1), base);
    lists.append<eight_places>(3, (ones & of_2(1)) | (twos & of_1(2)), base);
    lists.append<four_places>(4, (ones & of_3(1)) | (twos & of_2(2)) | (threes & of_1(3)), base);
    lists.append<four_places>(5, (ones & of_4(1)) | (twos & of_3(2)) | (threes & of_2(3)) | (fours & of_1(4)), base);
    lists.append<four_places>(6, (twos & of_4(2)) | (threes & of_3(3)) | (fours & of_2(4)), base);
    lists.append<four_places>(7, (threes & of_4(3)) | (fours & of_3(4)), base);
    lists.append<four_places>(8, fours & of_4(4), base);
  }

  utf8_checker checker_;
};

/// The hashes of pairs of code points of one length. Nothing is read beyond a pair.
template <bool Tiny>
struct pair_hasher_portable {
  std::uint64_t n;
  std::uint64_t flip;
  const char* text;
  const char* last;  // what the formula takes from the end of a pair, by the place where that begins

  pair_hasher_portable(std::size_t length, std::uint64_t seed, const char* source) noexcept
      : n(length), flip(short_xxh3(length, seed).flip), text(source), last(source + length - (Tiny ? 1 : 4)) {
    // Of the bytes and the length nothing is shifted down.
    if constexpr (Tiny) flip ^= flip >> 33;
    // Otherwise compilers add the place to `text` first.
    NEARDUP_SCALAR(last);
  }

  [[nodiscard]] NEARDUP_INLINE std::uint64_t operator()(std::size_t place) const noexcept {
    if constexpr (Tiny) {
      const std::uint64_t first = load_little_endian<std::uint16_t>(text + place);
      std::uint64_t x = (first << 16 | static_cast<unsigned char>(last[place])) ^ flip;
      NEARDUP_SCALAR(x);
      x *= short_xxh3::avalanche_1;
      x ^= x >> 29;
      x *= short_xxh3::avalanche_2;
      x ^= x >> 32;
      NEARDUP_SCALAR(x);
      return x;
    } else {
      const std::uint64_t first = load_little_endian<std::uint32_t>(text + place);
      std::uint64_t x = (first << 32 | load_little_endian<std::uint32_t>(last + place)) ^ flip;
      NEARDUP_SCALAR(x);
      x ^= std::rotl(x, 49) ^ std::rotl(x, 24);
      x *= short_xxh3::rrmxmx;
      x ^= (x >> 35) + n;
      x *= short_xxh3::rrmxmx;
      x ^= x >> 28;
      NEARDUP_SCALAR(x);
      return x;
    }
  }

  /// The hashes of as many pairs as a vector has words.
  [[nodiscard]] NEARDUP_INLINE portable_vector vector(const std::uint16_t* places) const noexcept {
    const std::uint64_t first = (*this)(places[0]);
    if constexpr (sizeof(portable_vector) == sizeof first) {
      return portable_vector{first};
    } else {
      return portable_vector{first, (*this)(places[1])};
    }
  }
};

/// Counts the pairs of a list; the hashes of the last ones, less than 32, go to `rest`. Returns: how many these are.
template <bool Tiny>
std::size_t count_pair_list_portable(bit_tally& tally, const pair_hasher_portable<Tiny> hash,
                                     const std::uint16_t* places, std::size_t count, std::uint64_t* rest) noexcept {
  constexpr std::size_t lanes = sizeof(portable_vector) / sizeof(std::uint64_t);
  std::size_t i = 0;
  if (count >= 16 * lanes) {
    NEARDUP_LOAD_PLANES_PORTABLE(tally);
    for (; i + 16 * lanes <= count; i += 16 * lanes) {
#define NEARDUP_LOAD(v) hash.vector(places + i + lanes * (v))
      NEARDUP_ADD_16(portable_vector, full_add_portable, NEARDUP_LOAD);
#undef NEARDUP_LOAD
      add_carry_portable(tally, bit_tally::block_planes, sixteens);
    }
    NEARDUP_STORE_PLANES_PORTABLE(tally);
    tally.total += i;
  }
  for (std::size_t j = i; j < count; ++j) rest[j - i] = hash(places[j]);
  return count - i;
}

/// Counts the bits of the hashes of all pairs of code points of a text of more than four bytes.
/// Returns: whether it is well-formed; what is counted is of no use if it is not.
inline bool count_pairs(bit_tally& tally, std::string_view text, std::uint64_t seed) noexcept {
  pair_lists lists;
  pair_finder finder;
  constexpr std::size_t most_rest = 7 * 32;
  alignas(64) std::uint64_t rest[2 * most_rest];
  std::size_t rest_count = 0;
  const auto count_lists = [&](const char* from) {
    for (std::size_t n = 2; n <= pair_lists::max_length; ++n) {
      if (lists.size(n) == 0) continue;
      std::uint64_t* const out = rest + rest_count;
      if (n < 4) {
        const pair_hasher_portable<true> hash(n, seed, from);
        rest_count += count_pair_list_portable(tally, hash, lists.begin(n), lists.size(n), out);
      } else {
        const pair_hasher_portable<false> hash(n, seed, from);
        rest_count += count_pair_list_portable(tally, hash, lists.begin(n), lists.size(n), out);
      }
    }
    if (rest_count > most_rest) {
      count_bits(tally, rest, rest_count);
      rest_count = 0;
    }
  };
  // The last code point begins no pair. Of an ill-formed text it does not matter.
  std::size_t last = text.size() - 1;
  while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xc0U) == 0x80) --last;
  std::size_t position = 0;
  for (std::size_t left = text.size();; left = text.size() - position) {
    const std::size_t blocks =
        left < 2 * text_block_size ? 0 : (std::min)(max_pair_list_blocks, left / text_block_size - 1);
    const std::size_t size = blocks * text_block_size;
    const char* const from = text.data() + position;
    lists.clear();
    if (blocks > 0 && !finder.find(from, blocks, size, 0, lists)) return false;
    position += size;
    left -= size;
    const bool at_end = left < 2 * text_block_size;
    if (at_end) {
      // Zeros end the text, one at least: they continue nothing.
      char end[3 * text_block_size] = {};
      std::memcpy(end, from + size, left);
      if (!finder.find(end, 2, last > position ? last - position : 0, size, lists)) return false;
    }
    count_lists(from);
    if (at_end) break;
  }
  count_bits(tally, rest, rest_count);
  return true;
}

}  // namespace neardup::inline v0::detail
