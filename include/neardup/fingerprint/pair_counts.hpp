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

/// For each byte the numbers of its set bits, 16 bits each.
struct alignas(16) bit_places {
  std::uint16_t places[8];
};
inline constexpr std::array<bit_places, 256> bit_places_of = [] {
  std::array<bit_places, 256> result{};
  for (std::size_t byte = 0; byte < result.size(); ++byte) {
    for (std::size_t i = 0; i < 8; ++i) result[byte].places[i] = set_bits_of[byte].positions[i];
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
  constexpr std::size_t slack = 16;
  return 2 * max_pair_list_blocks * text_block_size / n + slack;
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

  /// Appends the bits that are set, as places from `base` on. Two pairs of n bytes begin in any n bytes at most.
  template <bool Wide>
  NEARDUP_INLINE void append(std::size_t n, std::uint64_t bits, std::size_t base) noexcept {
    constexpr std::uint64_t each = 0x0001000100010001U;
    std::uint16_t* out = ends_[n];
    std::uint64_t from = base * each;
    for (unsigned i = 0; i < text_block_size; i += 8, from += 8 * each) {
      const std::uint64_t byte = bits >> i & 0xffU;
      append_four(out, bit_places_of[byte].places, from);
      if constexpr (Wide) append_four(out + 4, bit_places_of[byte].places + 4, from);
      out += bit_counts[byte];
    }
    ends_[n] = out;
  }

 private:
  /// Writes four places of a table, counted from `from` on, which is in each of four parts.
  static NEARDUP_INLINE void append_four(std::uint16_t* out, const std::uint16_t* places, std::uint64_t from) noexcept {
    std::uint64_t four;
    std::memcpy(&four, places, sizeof four);
    four += from;
    std::memcpy(out, &four, sizeof four);
  }

  std::uint16_t* begins_[max_length + 1];
  std::uint16_t* ends_[max_length + 1];
  std::uint16_t places_[pair_lists_capacity()];
};

/// Validates a text and finds its pairs, block after block.
class pair_finder {
 public:
  /// Appends the pairs that begin in the next `count` blocks, before the byte `end`. 64 bytes may be read behind.
  /// Returns: false if there is an error in the blocks, and the lists are of no use.
  bool find(const char* text, std::size_t count, std::size_t end, pair_lists& lists) noexcept {
    utf8_bits next = utf8_bits_of(text);
    for (std::size_t at = 0; at < count * text_block_size; at += text_block_size) {
      const utf8_bits bits = next;
      if (!checker_.check(text + at, bits)) return false;
      next = utf8_bits_of(text + at + text_block_size);
      std::uint64_t wanted = ~std::uint64_t{0};
      if (at + text_block_size > end) wanted = end > at ? (std::uint64_t{1} << (end - at)) - 1 : 0;
      // The bits i bytes on.
      const auto ascii_in = [&](unsigned i) { return ~(bits.tops >> i | next.tops << (64 - i)); };
      const auto lead_in = [&](unsigned i) { return bits.leads() >> i | next.leads() << (64 - i); };
      const std::uint64_t ascii = ~bits.tops & wanted;
      if (((bits.leads() ^ bits.leads_of_3()) | (next.leads() ^ next.leads_of_3()) | bits.fourths | next.fourths) ==
          0) {
        const std::uint64_t threes = bits.leads() & wanted;
        lists.append<true>(2, ascii & ascii_in(1), at);
        lists.append<false>(4, (ascii & lead_in(1)) | (threes & ascii_in(3)), at);
        lists.append<false>(6, threes & lead_in(3), at);
        continue;
      }
      const auto bits_in = [](std::uint64_t of, std::uint64_t behind, unsigned i) {
        return of >> i | behind << (64 - i);
      };
      const auto of_2 = [&](unsigned i) {
        return bits_in(bits.leads() ^ bits.leads_of_3(), next.leads() ^ next.leads_of_3(), i);
      };
      const auto of_3 = [&](unsigned i) {
        return bits_in(bits.leads_of_3() ^ bits.fourths, next.leads_of_3() ^ next.fourths, i);
      };
      const auto of_4 = [&](unsigned i) { return bits_in(bits.fourths, next.fourths, i); };
      const std::uint64_t twos = (bits.leads() ^ bits.leads_of_3()) & wanted;
      const std::uint64_t threes = (bits.leads_of_3() ^ bits.fourths) & wanted;
      const std::uint64_t fours = bits.fourths & wanted;
      lists.append<true>(2, ascii & ascii_in(1), at);
      lists.append<true>(3, (ascii & of_2(1)) | (twos & ascii_in(2)), at);
      lists.append<false>(4, (ascii & of_3(1)) | (twos & of_2(2)) | (threes & ascii_in(3)), at);
      lists.append<false>(5, (ascii & of_4(1)) | (twos & of_3(2)) | (threes & of_2(3)) | (fours & ascii_in(4)), at);
      lists.append<false>(6, (twos & of_4(2)) | (threes & of_3(3)) | (fours & of_2(4)), at);
      lists.append<false>(7, (threes & of_4(3)) | (fours & of_3(4)), at);
      lists.append<false>(8, fours & of_4(4), at);
    }
    return true;
  }

 private:
  utf8_checker checker_;
};

/// The hash of a pair of code points of one length.
template <bool Tiny>
NEARDUP_INLINE std::uint64_t pair_hash_portable(const short_xxh3& hash, const char* pair) noexcept {
  if constexpr (Tiny) {
    const std::uint64_t first = load_little_endian<std::uint16_t>(pair);
    std::uint64_t x = (first << 16 | static_cast<unsigned char>(pair[hash.n - 1])) ^ hash.flip;
    NEARDUP_SCALAR(x);
    x *= short_xxh3::avalanche_1;
    x ^= x >> 29;
    x *= short_xxh3::avalanche_2;
    x ^= x >> 32;
    NEARDUP_SCALAR(x);
    return x;
  } else {
    return hash.hash_4_to_8(pair);
  }
}

template <bool Tiny>
NEARDUP_INLINE portable_vector pair_hashes_portable(const short_xxh3& hash, const char* text,
                                                    const std::uint16_t* places) noexcept {
  constexpr std::size_t lanes = sizeof(portable_vector) / sizeof(std::uint64_t);
  const std::uint64_t first = pair_hash_portable<Tiny>(hash, text + places[0]);
  if constexpr (lanes == 1) {
    return portable_vector{first};
  } else {
    return portable_vector{first, pair_hash_portable<Tiny>(hash, text + places[1])};
  }
}

/// Counts the pairs of a list, whose last ones go to `rest`, less than 32. Returns: how many these are.
template <bool Tiny>
std::size_t count_pair_list_portable(bit_tally& tally, short_xxh3 hash, const char* text, const std::uint16_t* places,
                                     std::size_t count, std::uint64_t* rest) noexcept {
  constexpr std::size_t lanes = sizeof(portable_vector) / sizeof(std::uint64_t);
  if constexpr (Tiny) hash.flip ^= hash.flip >> 33;  // of the bytes and the length nothing is shifted down
  std::size_t i = 0;
  if (count >= 16 * lanes) {
    NEARDUP_LOAD_PLANES_PORTABLE(tally);
    for (; i + 16 * lanes <= count; i += 16 * lanes) {
#define NEARDUP_LOAD(v) pair_hashes_portable<Tiny>(hash, text, places + i + lanes * (v))
      NEARDUP_ADD_16(portable_vector, full_add_portable, NEARDUP_LOAD);
#undef NEARDUP_LOAD
      add_carry_portable(tally, bit_tally::block_planes, sixteens);
    }
    NEARDUP_STORE_PLANES_PORTABLE(tally);
    tally.total += i;
  }
  for (std::size_t j = i; j < count; ++j) rest[j - i] = pair_hash_portable<Tiny>(hash, text + places[j]);
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
      const short_xxh3 hash(n, seed);
      const auto count = n < 4 ? count_pair_list_portable<true> : count_pair_list_portable<false>;
      rest_count += count(tally, hash, from, lists.begin(n), lists.size(n), rest + rest_count);
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
  while (position + 2 * text_block_size <= text.size()) {
    const std::size_t blocks = (std::min)(max_pair_list_blocks, (text.size() - position) / text_block_size - 1);
    lists.clear();
    if (!finder.find(text.data() + position, blocks, blocks * text_block_size, lists)) return false;
    count_lists(text.data() + position);
    position += blocks * text_block_size;
  }
  // Zeros end the text, one at least: they continue nothing.
  char end[3 * text_block_size] = {};
  std::memcpy(end, text.data() + position, text.size() - position);
  lists.clear();
  if (!finder.find(end, 2, last > position ? last - position : 0, lists)) return false;
  count_lists(end);
  count_bits(tally, rest, rest_count);
  return true;
}

}  // namespace neardup::inline v0::detail
