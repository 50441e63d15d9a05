// SPDX-License-Identifier: MIT
// Canonical form: a text is rewritten before it is normalised, so that it does not matter which code points spell a
// character.
//
// Most text is already in canonical form except for case, and is passed on unchanged. A kernel finds the end of such
// text, 64 bytes at a time. All other characters are decomposed, ordered and composed one by one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "../../detail/bits.hpp"
#include "../../detail/bytes.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"
#include "../unicode.hpp"
#include "../utf8.hpp"
#include "canonical_tables.hpp"
#include "text_blocks.hpp"
#include "word_runs.hpp"

namespace neardup::inline v0::detail {

/// The way in which a code point is converted to canonical form.
enum class canonical_kind : std::uint8_t {
  plain,    ///< unchanged except for case, and independent of the characters before it
  ordered,  ///< a mark; unchanged if no mark before it has a higher combining class
  second,   ///< may compose with the character before it
  dropped,
  mapped,  ///< replaced by its mapping
  stable,  ///< decomposed if marks follow, otherwise like plain
};

/// An entry of canonical_leaves. The highest three bits are the canonical_kind. The meaning of the lower bits depends
/// on the kind.
struct canonical_code {
  std::uint16_t bits;

  static constexpr canonical_code of(char32_t code_point) noexcept {
    if (code_point >= canonical_table_end) [[unlikely]] {
      const bool is_tail = code_point >= canonical_tail_first && code_point <= canonical_tail_last;
      return {static_cast<std::uint16_t>(is_tail ? unsigned{static_cast<std::uint8_t>(canonical_kind::dropped)} << 13U
                                                 : 0U)};
    }
    const std::size_t row = std::size_t{16} * canonical_pages[code_point / 256] + code_point / 16 % 16;
    return {canonical_leaves[std::size_t{16} * canonical_rows[row] + code_point % 16]};
  }

  [[nodiscard]] constexpr canonical_kind kind() const noexcept { return static_cast<canonical_kind>(bits >> 13); }
  [[nodiscard]] constexpr std::size_t value() const noexcept { return bits & 0x1fffU; }

  /// Returns the canonical combining class; 0 for code points that are not marks.
  [[nodiscard]] constexpr unsigned combining_class() const noexcept {
    if (kind() == canonical_kind::ordered) return static_cast<unsigned>(value());
    return kind() == canonical_kind::second ? canonical_seconds[value()].combining_class : 0U;
  }

  [[nodiscard]] constexpr bool stays() const noexcept {
    return kind() == canonical_kind::plain || kind() == canonical_kind::stable;
  }
};

/// Returns the character that `first` and `second` compose, or 0 if they do not compose. `code` is the canonical_code
/// of `second`.
constexpr char32_t compose_pair(char32_t first, char32_t second, canonical_code code) noexcept {
  constexpr char32_t lead = 0x1100, vowel = 0x1161, tail = 0x11a7, syllables = 0xac00;
  constexpr char32_t leads = 19, vowels = 21, tails = 28;
  if (first - lead < leads && second - vowel < vowels) {
    return syllables + ((first - lead) * vowels + (second - vowel)) * tails;
  }
  if (first - syllables < leads * vowels * tails && second - tail - 1 < tails - 1) {
    return (first - syllables) % tails == 0 ? first + (second - tail) : 0;
  }
  const canonical_second& entry = canonical_seconds[code.value()];
  const canonical_pair* const begin = canonical_pairs + entry.first_pair;
  const canonical_pair* const end = begin + entry.pairs;
  const canonical_pair* const found =
      std::lower_bound(begin, end, first, [](const canonical_pair& pair, char32_t c) { return pair.first < c; });
  return found != end && found->first == first ? found->composite : 0;
}

/// Composes a text code point by code point. The composer holds one character and its marks until they are complete.
class canonical_composer {
 public:
  static constexpr std::size_t max_marks = 30;  ///< most marks of a character; further marks are dropped

  /// Returns true if the composer holds a character to which further marks may belong.
  [[nodiscard]] bool is_open() const noexcept { return starter_ != none || count_ > 0; }

  void push(char32_t code_point, canonical_code code, std::string& out) {
    switch (code.kind()) {
      case canonical_kind::dropped:
        if (code_point == zero_width_joiner) {
          joins_ = joins_ || ends_with_emoji();
        } else if (is_emoji_tag(code_point) && ends_with_emoji()) {
          push_decomposed(code_point, {}, out);
        }
        return;
      case canonical_kind::mapped:
      case canonical_kind::stable: {
        const char16_t* at = canonical_pool + code.value() + 1;
        for (const char16_t* const end = at + at[-1]; at < end;) {
          char32_t part = *at++;
          if (part >= 0xd800 && part < 0xdc00) part = (part << 10) + *at++ - ((0xd800U << 10) + 0xdc00U - 0x10000U);
          push_decomposed(part, canonical_code::of(part), out);
        }
        return;
      }
      default: push_decomposed(code_point == circled_m ? code_point : to_lower(code_point), code, out);
    }
  }

  /// Returns true if the text so far ends with an emoji and a joiner. The joiner is kept only if another emoji follows.
  [[nodiscard]] bool ends_with_joiner() const noexcept { return joins_; }

  /// Composes the held character, and writes the result.
  void close(std::string& out) {
    compose_marks();
    write(out);
    starter_ = none;
  }

  void reset() noexcept {
    starter_ = none;
    count_ = 0;
    joins_ = false;
    run_ = word_run::none;
    last_put_ = none;
  }

 private:
  static constexpr char32_t none = 0xffffffff;
  static constexpr char32_t dot_above = 0x307, iota_below = 0x345, iota = 0x3b9;
  static constexpr char32_t circled_m = 0x24c2;  // an emoji whose lower case is no emoji
  static constexpr unsigned above = 230;

  struct mark {
    char32_t code_point;
    canonical_code code;
    std::uint8_t combining_class;
  };

  void push_decomposed(char32_t code_point, canonical_code code, std::string& out) {
    const bool is_joined = std::exchange(joins_, false) && classify(code_point) == character_class::pictograph &&
                           !is_emoji_modifier(code_point);
    if (const unsigned order = code.combining_class(); order != 0) {
      if (count_ == max_marks) return;
      // Marks with the same combining class keep their order.
      std::size_t i = count_++;
      for (; i > 0 && marks_[i - 1].combining_class > order; --i) marks_[i] = marks_[i - 1];
      marks_[i] = {code_point, code, static_cast<std::uint8_t>(order)};
      return;
    }
    if (code.kind() == canonical_kind::second) {
      compose_marks();
      if (starter_ != none && count_ == 0) {
        if (const char32_t composite = compose_pair(starter_, code_point, code); composite != 0) {
          starter_ = composite;
          return;
        }
      }
      write(out);
    } else if (is_open()) {
      close(out);
    }
    if (is_joined) put(zero_width_joiner, out);
    starter_ = code_point;
  }

  /// Composes the held character with its marks where possible. The marks that do not compose are kept.
  void compose_marks() noexcept {
    if (count_ == 0) return;
    std::size_t kept = 0;
    unsigned last = 0;
    bool is_dotted = starter_ == U'i';  // a dot above an i is not visible, so the dot is dropped
    for (std::size_t i = 0; i < count_; ++i) {
      const mark next = marks_[i];
      if (is_dotted && next.combining_class == above) {
        if (next.code_point == dot_above) continue;
        is_dotted = false;
      }
      if (starter_ != none && next.code.kind() == canonical_kind::second && last < next.combining_class) {
        if (const char32_t composite = compose_pair(starter_, next.code_point, next.code); composite != 0) {
          starter_ = composite;
          continue;
        }
      }
      last = next.combining_class;
      marks_[kept++] = next;
    }
    count_ = kept;
  }

  void write(std::string& out) {
    if (starter_ != none) put(starter_, out);
    for (std::size_t i = 0; i < count_; ++i) {
      // Case folding replaces the iota below a letter by the letter iota after it.
      put(marks_[i].code_point == iota_below ? iota : marks_[i].code_point, out);
    }
    count_ = 0;
  }

  /// Returns true if the held character is an emoji. Tags and a joiner may belong to an emoji.
  [[nodiscard]] bool ends_with_emoji() const noexcept {
    if (starter_ == none) return false;
    for (std::size_t i = 0; i < count_; ++i) {
      if (marks_[i].code_point == iota_below) return false;  // becomes a letter
    }
    word_run run = run_;
    word_step_of(classify(starter_), starter_, run);
    return run == word_run::pictograph;
  }

  /// Writes a code point. A mark without a base, or a joiner without a following emoji, is not written.
  void put(char32_t code_point, std::string& out) {
    const auto write = [&out](char32_t c) {
      char bytes[4];
      out.append(bytes, encode(c, bytes));
    };
    const word_step step = word_step_of(classify(code_point), code_point, run_);
    const bool is_keycap = code_point == enclosing_keycap && (last_put_ == U'#' || last_put_ == U'*');
    if (step == word_step::ignored && !is_keycap) return;
    if (step == word_step::joins) write(zero_width_joiner);
    if (step == word_step::ignored) run_ = word_run::lone;
    write(code_point);
    last_put_ = code_point;
  }

  char32_t starter_ = none;
  std::size_t count_ = 0;
  bool joins_ = false;             // the text so far ends with an emoji and a joiner
  word_run run_ = word_run::none;  // the word that is open at the end of the written text
  char32_t last_put_ = none;
  std::array<mark, max_marks> marks_;
};

// ---- how far a text is in canonical form ----------------------------------------------------------------------------

/// Returns the beginning of the character that ends at `at`. `begin` is the beginning of the text.
inline const char* previous_character(const char* begin, const char* at) noexcept {
  for (const char* lead = at - 1; lead >= begin && at - lead <= 4; --lead) {
    if ((static_cast<unsigned char>(*lead) & 0xc0) == 0x80) continue;
    return decode_one({lead, static_cast<std::size_t>(at - lead)}).length == at - lead ? lead : at - 1;
  }
  return at - 1;
}

/// Returns the number of bytes from `at` on that belong to settled characters. A settled character stays unchanged, and
/// is not a mark. This kernel recognises only some settled characters, so the character after these bytes may be
/// settled, too. The last character may end after `size`.
inline std::size_t settled_bytes_portable(const char* at, std::size_t size) noexcept {
  std::size_t i = 0;
  while (i + sizeof(std::uint64_t) <= size) {
    const std::uint64_t x = load_little_endian(at + i);
    if (const std::uint64_t tops = x & byte_tops; tops == 0) {
      i += sizeof x;
      continue;
    } else if ((tops & 0x80U) == 0) {
      i += static_cast<std::size_t>(std::countr_zero(tops)) / 8;
      continue;
    }
    // Tests two characters at once: U+4000 to U+9FFF have a lead byte from E4 to E9, and two continuation bytes.
    const std::uint64_t halves = (x & 0x0000c0c0f0c0c0f0U) ^ 0x00008080e08080e0U;
    const std::uint64_t low = x & 0x0f00000fU;
    const std::uint64_t four_to_nine = (low + 0x7c00007cU) & ~(low + 0x76000076U) & 0x80000080U;
    if (halves == 0 && four_to_nine == 0x80000080U) {
      i += 6;
    } else if ((halves & 0xffffffU) == 0 && (four_to_nine & 0x80U) != 0) {
      i += 3;
    } else {
      return i;
    }
  }
  return i;
}

#if NEARDUP_X86_KERNELS

inline constexpr std::size_t settled_margin = 2;  // number of bytes that kernels read after a block

/// Lookup tables by the halves (four bits each) of the three bytes of a character. A character is settled if its six
/// entries have a bit in common. settled_bytes_portable() defines settled.
struct settled_halves {
  std::uint8_t high[3][16], low[3][16];
};
alignas(64) inline constexpr settled_halves halves_of_settled = [] {
  settled_halves result{};
  unsigned role = 1;
  // Each argument is a set of values of a half byte, as a bit mask: bit 8 stands for the value 8.
  const auto add = [&](unsigned leads, unsigned next, unsigned third_high, unsigned third_low) {
    constexpr unsigned all = 0xffff;
    const unsigned high[] = {all, all, third_high};
    const unsigned low[] = {leads, next, third_low};
    for (unsigned i = 0; i < 3; ++i) {
      for (unsigned value = 0; value < 16; ++value) {
        if ((high[i] >> value & 1U) != 0) result.high[i][value] |= static_cast<std::uint8_t>(role);
        if ((low[i] >> value & 1U) != 0) result.low[i][value] |= static_cast<std::uint8_t>(role);
      }
    }
    role <<= 1;
  };
  const auto bit = [](unsigned value) { return 1U << value; };
  const auto range = [](unsigned least, unsigned most) { return (2U << most) - (1U << least); };
  const unsigned any = 0xffff;
  add(bit(2) | bit(3), bit(0), bit(9) | bit(11), any);          // U+2010, U+2030, U+3010, U+3030, sixteen of each
  add(bit(2) | bit(3), bit(0), bit(8) | bit(10), range(0, 8));  // U+2000, U+2020, U+3000, U+3020, nine of each
  add(bit(3), bit(1) | bit(3), any, any);                       // U+3040 to U+307F, U+30C0 to U+30FF
  add(bit(3), bit(2), bit(8) | bit(10) | bit(11), any);         // U+3080, U+30A0, U+30B0
  add(bit(3), bit(2), bit(9), range(0, 8));                     // U+3090 to U+3098
  add(bit(3), bit(0), bit(8), any);                             // U+3000 to U+300F
  add(bit(15), bit(12), bit(8), any);                           // U+FF00 to U+FF0F
  add(bit(15), bit(12), bit(9), range(10, 15));                 // U+FF1A to U+FF1F
  // The high half of the first byte is E in all ranges. The high half of the second byte is 8 in the ranges from U+2000
  // and U+3000, and B in the ranges from U+FF00.
  for (unsigned value = 0; value < 16; ++value) {
    if (value != 0xe) result.high[0][value] = 0;
    result.high[1][value] &= value == 0x8 ? 0x3f : value == 0xb ? 0xc0 : 0;
  }
  return result;
}();

NEARDUP_AVX2_BEGIN

/// The AVX2 version of settled_bytes_portable, for whole blocks. It recognises these settled characters: ASCII; U+4000
/// to U+9FFF; most separators of Chinese and English; kana except their marks; Latin-1 except soft hyphen, micro sign
/// and sharp s.
inline std::size_t settled_bytes_avx2(const char* at, std::size_t size) noexcept {
  const auto load = [](const char* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); };
  const auto bits = [](__m256i low, __m256i high) {
    const std::uint64_t upper_half = static_cast<std::uint32_t>(_mm256_movemask_epi8(high));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) | upper_half << 32;
  };
  const auto is_in = [](__m256i bytes, unsigned char least, unsigned char most) {
    const __m256i offset = _mm256_sub_epi8(bytes, _mm256_set1_epi8(static_cast<char>(least)));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(offset, _mm256_set1_epi8(static_cast<char>(most - least))), offset);
  };
  const auto roles = [&](__m256i bytes, std::size_t i) {
    const auto table = [](const std::uint8_t* values) {
      return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(values)));
    };
    const __m256i half = _mm256_set1_epi8(0x0f);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
    return _mm256_and_si256(_mm256_shuffle_epi8(table(halves_of_settled.high[i]), high),
                            _mm256_shuffle_epi8(table(halves_of_settled.low[i]), _mm256_and_si256(bytes, half)));
  };
  // Returns 0xff for each byte that begins a character which is not known to be settled, and 0 for every other byte.
  const auto open_of = [&](const char* from, __m256i bytes) {
    const __m256i common =
        _mm256_and_si256(roles(bytes, 0), _mm256_and_si256(roles(load(from + 1), 1), roles(load(from + 2), 2)));
    const __m256i unknown = _mm256_cmpeq_epi8(common, _mm256_setzero_si256());
    return _mm256_and_si256(unknown, _mm256_andnot_si256(is_in(bytes, 0xe4, 0xe9), is_in(bytes, 0xc0, 0xff)));
  };
  std::size_t i = 0;
  for (; i + text_block_size + settled_margin <= size; i += text_block_size) {
    const char* const block = at + i;
    const __m256i first = load(block);
    const __m256i second = load(block + 32);
    if (_mm256_movemask_epi8(_mm256_or_si256(first, second)) == 0) continue;
    std::uint64_t open = bits(open_of(block, first), open_of(block + 32, second));
    if (open == 0) continue;
    const auto equal = [&](unsigned char value) {
      return bits(is_in(first, value, value), is_in(second, value, value));
    };
    const auto next_is = [&](unsigned char value) {
      return bits(is_in(load(block + 1), value, value), is_in(load(block + 33), value, value));
    };
    open &= ~(equal(0xc2) & ~next_is(0xad) & ~next_is(0xb5)) & ~(equal(0xc3) & ~next_is(0x9f));
    if (open != 0) return i + static_cast<std::size_t>(std::countr_zero(open));
  }
  return i;
}

/// Lookup tables by the low six bits of the first, second and third byte of a character. The character is settled if
/// its three entries have a bit in common: canonical text keeps the character, and it is not a mark. Ill-formed bytes
/// count as settled, because they are separators, which canonical text keeps.
struct settled_roles {
  static constexpr unsigned always = 1, e2 = 2, e3_80 = 4, e3_82 = 8, ef = 16, c2 = 32, c3 = 64, e3 = 128;

  alignas(64) std::array<std::uint8_t, 64> first;
  alignas(64) std::array<std::uint8_t, 64> second;
  alignas(64) std::array<std::uint8_t, 64> third;
};
alignas(64) inline constexpr settled_roles roles_of_settled = [] {
  settled_roles result{};
  const auto is_in = [](unsigned c, unsigned least, unsigned most) { return c >= least && c <= most; };
  for (unsigned i = 0; i < 64; ++i) {
    using roles = settled_roles;
    const unsigned lead = 0xc0 + i;
    unsigned first = 0;
    if (is_in(lead, 0xe4, 0xe9)) first = roles::always;
    if (lead == 0xe2) first = roles::e2;
    if (lead == 0xe3) first = roles::e3 | roles::e3_80 | roles::e3_82;
    if (lead == 0xef) first = roles::ef;
    if (lead == 0xc2) first = roles::c2;
    if (lead == 0xc3) first = roles::c3;
    const unsigned next = 0x80 + i;
    unsigned second = roles::always;
    if (next == 0x80) second |= roles::e2 | roles::e3_80;
    if (next == 0x81 || next == 0x83) second |= roles::e3;
    if (next == 0x82) second |= roles::e3_82;
    if (next == 0xbc) second |= roles::ef;
    if (next != 0xad && next != 0xb5) second |= roles::c2;
    if (next != 0x9f) second |= roles::c3;
    unsigned third = roles::always | roles::c2 | roles::c3 | roles::e3;
    if (!is_in(next, 0x8b, 0x8f) && !is_in(next, 0xaa, 0xae)) third |= roles::e2;
    if (!is_in(next, 0xaa, 0xaf)) third |= roles::e3_80;
    if (!is_in(next, 0x99, 0x9a)) third |= roles::e3_82;
    if (!is_in(next, 0x90, 0x99) && !is_in(next, 0xa1, 0xba)) third |= roles::ef;
    result.first[i] = static_cast<std::uint8_t>(first);
    result.second[i] = static_cast<std::uint8_t>(second);
    result.third[i] = static_cast<std::uint8_t>(third);
  }
  return result;
}();
NEARDUP_END

NEARDUP_AVX512_BEGIN

inline std::size_t settled_bytes_avx512(const char* at, std::size_t size) noexcept {
  std::size_t i = 0;
  for (; i + text_block_size + settled_margin <= size; i += text_block_size) {
    if (i + 4 * text_block_size <= size) {
      // Tests first whether 256 bytes are ASCII, because English text has long runs of ASCII.
      const __m512i both = _mm512_or_si512(_mm512_loadu_si512(at + i), _mm512_loadu_si512(at + i + text_block_size));
      const __m512i more = _mm512_or_si512(_mm512_loadu_si512(at + i + 2 * text_block_size),
                                           _mm512_loadu_si512(at + i + 3 * text_block_size));
      if (_mm512_movepi8_mask(_mm512_or_si512(both, more)) == 0) {
        i += 3 * text_block_size;
        continue;
      }
    }
    const char* const block = at + i;
    const __m512i bytes = _mm512_loadu_si512(block);
    const std::uint64_t leads = _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8(static_cast<char>(0xc0)));
    if (leads == 0) continue;
    const __m512i of_first = _mm512_permutexvar_epi8(bytes, _mm512_load_si512(roles_of_settled.first.data()));
    const __m512i of_second =
        _mm512_permutexvar_epi8(_mm512_loadu_si512(block + 1), _mm512_load_si512(roles_of_settled.second.data()));
    const __m512i of_third =
        _mm512_permutexvar_epi8(_mm512_loadu_si512(block + 2), _mm512_load_si512(roles_of_settled.third.data()));
    // One VPTERNLOGD instruction computes the bitwise and of the three entries.
    const __m512i common = _mm512_ternarylogic_epi32(of_first, of_second, of_third, 0x80);
    const std::uint64_t open = leads & _mm512_testn_epi8_mask(common, common);
    if (open != 0) return i + static_cast<std::size_t>(std::countr_zero(open));
  }
  return i;
}
NEARDUP_END

/// Calls a kernel that reads whole blocks. The last part of the text is copied to a block that is filled with zero
/// bytes.
template <auto Settled>
std::size_t settled_bytes_by(const char* at, std::size_t size) noexcept {
  const std::size_t whole = Settled(at, size);
  if (whole + text_block_size + settled_margin <= size) return whole;
  char rest[2 * text_block_size + settled_margin] = {};
  std::memcpy(rest, at + whole, size - whole);
  return (std::min)(size, whole + Settled(rest, sizeof rest));
}

constexpr auto settled_bytes_of(avx2_form) noexcept { return settled_bytes_by<settled_bytes_avx2>; }
constexpr auto settled_bytes_of(avx512_form) noexcept { return settled_bytes_by<settled_bytes_avx512>; }

#endif  // NEARDUP_X86_KERNELS

constexpr auto settled_bytes_of(portable_form) noexcept { return settled_bytes_portable; }

/// Returns how many bytes find_unsettled() classifies one by one before it calls the kernel again. Characters that a
/// vector kernel does not recognise rarely occur singly.
constexpr std::ptrdiff_t unknown_run_of(portable_form) noexcept { return 1; }
constexpr std::ptrdiff_t unknown_run_of(avx2_form) noexcept { return 48; }

inline std::size_t settled_bytes(const char* at, std::size_t size, instruction_set level) noexcept {
  return choose_form(level, [&](auto form) { return settled_bytes_of(form)(at, size); });
}

/// Finds a prefix of the text that is in canonical form except for case, and that later characters cannot change. The
/// search ends at `limit`.
/// Returns: the end of the prefix, which is the beginning of a character.
inline const char* find_unsettled(const char* begin, const char* limit, const char* end,
                                  instruction_set level) noexcept {
  const std::ptrdiff_t unknown_run = choose_form(level, [](auto form) { return unknown_run_of(form); });
  const char* last = begin;  // beginning of the last character that is not a mark
  unsigned order = 0;        // combining class of the last mark after `last`
  std::size_t marks = 0;
  constexpr std::size_t decomposed_marks = 3;  // the greatest number of marks in one character
  const auto stays_at = [&](const char* character) {
    last = character;
    order = 0;
    marks = 0;
  };
  for (const char* at = begin; at < limit;) {
    if (const std::size_t settled = settled_bytes(at, static_cast<std::size_t>(limit - at), level); settled > 0) {
      at += settled;
      stays_at(previous_character(begin, at));
    }
    const char* const known = limit - at < unknown_run ? limit : at + unknown_run;
    while (at < known) {
      const unsigned lead = static_cast<unsigned char>(*at);
      const std::string_view text(at, static_cast<std::size_t>(end - at));
      if (lead < 0x80) {
        stays_at(at++);
        continue;
      }
      if (lead >= 0xe4 && lead <= 0xe9 && is_continuation(text, 1) && is_continuation(text, 2)) {
        stays_at(at);  // U+4000 to U+9FFF
        at += 3;
        continue;
      }
      const decoded next = decode_multibyte(text);
      const canonical_code code = canonical_code::of(next.code_point);
      if (code.stays()) {
        // A skin tone does not become `last`, because it belongs to the emoji before it. Tags and a joiner may follow
        // it.
        if (!is_emoji_modifier(next.code_point)) stays_at(at);
        at += next.length;
        continue;
      }
      if (code.kind() != canonical_kind::ordered) return last;
      const auto next_order = static_cast<unsigned>(code.value());
      if (next_order == 0) {
        marks = 0;
      } else if (next_order < order || ++marks > canonical_composer::max_marks - decomposed_marks) {
        return last;
      }
      order = next_order;
      // A mark without a base character is not canonical, because it has to be removed.
      const std::string_view before(last, static_cast<std::size_t>(end - last));
      if (last == at || classify(decode_one(before).code_point) == character_class::other) return last;
      at += next.length;
    }
  }
  return last;
}

/// Rewrites a text to canonical form, without normalising. Invisible characters are removed, the case is fully folded,
/// and each character is composed with its marks. If the result is then normalised, texts that look alike have the same
/// words, whatever code points spell them. Marks without a base are removed. An upper-case letter stays if its lower
/// case is one code point, because normalising replaces it later.
class canonical_form {
 public:
  /// Appends text. Calls `take(part)` for each part of the result that later text cannot change.
  /// Precondition: the text ends with a whole character.
  template <class Take>
  void append(std::string_view text, const Take& take) {
    const instruction_set level = active_instruction_set();
    const char* at = text.data();
    const char* const end = at + text.size();
    for (;;) {
      if (composer_.is_open()) at = compose(at, end);
      if (at == end) return;
      // The text is searched and passed on in pieces of `step` bytes, so that a piece is still in the cache when the
      // piece is passed on.
      const char* const limit = end - at < step ? end : at + step;
      const char* const settled = find_unsettled(at, limit, end, level);
      const auto size = static_cast<std::size_t>(settled - at);
      if (size < worth_a_call) {
        made_.append(at, size);
        if (made_.size() >= worth_a_call) hand_on(take);
      } else {
        hand_on(take);
        take(std::string_view(at, size));
      }
      at = compose(settled, end);
    }
  }

  template <class Take>
  void finish(const Take& take) {
    composer_.close(made_);
    hand_on(take);
    reset();
  }

  void reset() noexcept {
    composer_.reset();
    made_.clear();
  }

 private:
  static constexpr std::ptrdiff_t step = 16384;
  static constexpr std::size_t worth_a_call = 2048;

  template <class Take>
  void hand_on(const Take& take) {
    if (!made_.empty()) take(std::string_view(made_));
    made_.clear();
  }

  /// Composes the characters from `at` on. Stops at a character that stays unchanged and does not depend on the
  /// characters before it.
  /// Returns: the beginning of the character at which it stopped, or `end`.
  const char* compose(const char* at, const char* end) {
    bool is_begun = composer_.is_open();
    for (; at < end;) {
      const decoded next = decode_one({at, static_cast<std::size_t>(end - at)});
      const canonical_code code = canonical_code::of(next.code_point);
      if (is_begun && code.stays() && !composer_.ends_with_joiner()) {
        composer_.close(made_);
        return at;
      }
      composer_.push(next.code_point, code, made_);
      is_begun = true;
      at += next.length;
    }
    return at;
  }

  canonical_composer composer_;
  std::string made_;  // composed text, and the short unchanged pieces between
};

}  // namespace neardup::inline v0::detail
