// Where the pairs of code points of a text begin, in lists by their length.
//
// A pair has 2 to 8 bytes. The bits of 64 bytes at a time, which validate them as well, say where those of each length
// begin; a table turns eight bits into places at a time, without a branch that depends on the text. About 1.3 cycles a
// byte of
// Chinese on a Zen 4, of 5.7 instructions: those of any machine, and SSE2 for the bits where there is x86-64.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "bit_tally.hpp"
#include "../../detail/bytes.hpp"
#include "../../text/kernels/text_blocks.hpp"
#include "../../text/kernels/utf8_bits.hpp"

namespace neardup::inline v0::detail {

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
    ascii_count_ = 0;
  }

  [[nodiscard]] const std::uint16_t* begin(std::size_t n) const noexcept { return begins_[n]; }
  [[nodiscard]] std::size_t size(std::size_t n) const noexcept {
    return static_cast<std::size_t>(ends_[n] - begins_[n]);
  }

  /// The blocks of which each byte begins a pair of ASCII; these pairs are in no list.
  [[nodiscard]] const std::uint16_t* ascii_blocks() const noexcept { return ascii_blocks_; }
  [[nodiscard]] std::size_t ascii_count() const noexcept { return ascii_count_; }
  void append_ascii(std::size_t block) noexcept { ascii_blocks_[ascii_count_++] = static_cast<std::uint16_t>(block); }

  /// Appends the bits that are set, as places from `base` on. Two pairs of n bytes begin in any n bytes at most, so
  /// that those of four bytes and more are four in any eight; `Places` is what is written for eight bytes.
  template <class Places>
  NEARDUP_ALWAYS_INLINE void append(std::size_t n, std::uint64_t bits, std::size_t base) noexcept {
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
  std::uint16_t ascii_blocks_[max_pair_list_blocks + 2];
  std::size_t ascii_count_;
};

/// Validates a text and finds its pairs, block after block.
class pair_finder {
 public:
  /// Appends the pairs that begin in the next `count` blocks, before the byte `end`, as places from `base` on.
  /// Precondition: 64 bytes may be read behind. Returns: false if the text is ill-formed, and the lists are of no use.
  NEARDUP_ALWAYS_INLINE bool find(const char* text, std::size_t count, std::size_t end, std::size_t base,
                           pair_lists& lists) noexcept {
    utf8_bits next = utf8_bits_of(text);
    for (std::size_t at = 0; at < count * text_block_size; at += text_block_size) {
      const utf8_bits bits = next;
      next = utf8_bits_of(text + at + text_block_size);
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
      // What is behind a whole code point is ASCII, or begins one.
      lists.append<eight_places>(2, ascii & ~tops_1, base + at);
      lists.append<four_places>(4, (ascii & tops_1) | (threes & ~tops_3), base + at);
      lists.append<four_places>(6, threes & tops_3, base + at);
    }
    return true;
  }

 private:
  // Vectors of 16 bytes are read at each byte of a block of ASCII.
  static constexpr std::size_t ascii_margin = 16;

  /// The bits i bytes on, of two blocks.
  static NEARDUP_ALWAYS_INLINE std::uint64_t behind(std::uint64_t bits, std::uint64_t next, unsigned i) noexcept {
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

}  // namespace neardup::inline v0::detail
