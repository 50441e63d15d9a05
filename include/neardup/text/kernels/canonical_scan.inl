// SPDX-License-Identifier: MIT
// The kernels of canonical_scan.hpp. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && NEARDUP_FORM == NEARDUP_PORTABLE

struct scan_kernels {
  /// The number of bytes to classify one by one before settled_bytes() is called again.
  static constexpr std::ptrdiff_t unknown_run = 1;

  static std::size_t settled_bytes(const char* at, std::size_t size) noexcept {
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
      // Tests two characters at once for U+4000 to U+9FFF, which have a lead byte from E4 to E9.
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

  /// Returns the first position from `i` on for which may_be_spelt() is true. If there is none in the whole blocks from
  /// `i` on, returns the end of these blocks.
  /// Precondition: i > 0.
  template <bool IsToned>
  static std::size_t find_spelt(const char* at, std::size_t i, std::size_t size) noexcept {
    // Sets the top bit of each byte that equals `c`. The top bit of the next byte may be set wrongly.
    const auto equal = [](std::uint64_t x, char c) {
      const std::uint64_t zero = x ^ byte_ones * static_cast<unsigned char>(c);
      return (zero - byte_ones) & ~zero & byte_tops;
    };
    for (; i + sizeof(std::uint64_t) <= size; i += sizeof(std::uint64_t)) {
      const std::uint64_t x = load_little_endian(at + i);
      std::uint64_t found = IsToned ? load_little_endian(at + i - 1) & ~x & byte_tops : equal(x, '&') | equal(x, '\n');
      for (; found != 0; found &= found - 1) {
        const std::size_t k = i + static_cast<std::size_t>(std::countr_zero(found)) / 8;
        if (may_be_spelt<IsToned>(at[k - 1], at[k])) return k;
      }
    }
    return i;
  }
};
scan_kernels scan_kernels_of(form);

#elif defined(NEARDUP_FORM) && (NEARDUP_FORM == NEARDUP_AVX2 || NEARDUP_FORM == NEARDUP_NEON)

struct scan_kernels {
  /// Covers several characters, because characters that settled_bytes() does not recognise rarely occur singly.
  static constexpr std::ptrdiff_t unknown_run = 48;

  /// Recognises these settled characters: ASCII; U+4000 to U+9FFF; most separators of Chinese and English; kana except
  /// their marks; Latin-1 except soft hyphen, micro sign and sharp s.
  static std::size_t settled_bytes(const char* at, std::size_t size) noexcept {
    const std::size_t whole = settled_blocks(at, size);
    if (whole + text_block_size + margin <= size) return whole;
    // The last part of the text is copied to a block that is filled with zero bytes.
    char rest[2 * text_block_size + margin] = {};
    std::memcpy(rest, at + whole, size - whole);
    return (std::min)(size, whole + settled_blocks(rest, sizeof rest));
  }

  template <bool IsToned>
  static std::size_t find_spelt(const char* at, std::size_t i, std::size_t size) noexcept {
    for (; i + text_block_size <= size; i += text_block_size) {
      const text_block before = text_block::load(at + i - 1);
      if (IsToned && before.is_ascii()) continue;
      const text_block block = text_block::load(at + i);
      const std::uint64_t found = text_block::collect([&](std::size_t part) NEARDUP_INLINE_LAMBDA {
        return is_spelt<IsToned>(block.part[part], before.part[part]);
      });
      if (found != 0) return i + static_cast<std::size_t>(std::countr_zero(found));
    }
    return i;
  }

 private:
  static constexpr std::size_t margin = 2;  // number of bytes that are read after a block

  /// Returns the common bits of the two entries of each byte in `some`. The bytes are byte i of a character.
  static NEARDUP_ALWAYS_INLINE byte_vector roles(byte_vector some, std::size_t i) noexcept {
    return look_up(halves_of_settled.high[i], some >> 4) & look_up(halves_of_settled.low[i], some & 0x0f);
  }

  static std::size_t settled_blocks(const char* at, std::size_t size) noexcept {
    std::size_t i = 0;
    for (; i + text_block_size + margin <= size; i += text_block_size) {
      const text_block first = text_block::load(at + i);
      if (first.is_ascii()) continue;
      const text_block second = text_block::load(at + i + 1), third = text_block::load(at + i + 2);
      // A bit mask of the lead bytes of characters that are not known to be settled.
      std::uint64_t open = text_block::collect([&](std::size_t part) NEARDUP_INLINE_LAMBDA {
        const byte_vector lead = first.part[part];
        const byte_vector common = roles(lead, 0) & roles(second.part[part], 1) & roles(third.part[part], 2);
        return text_block::is_equal(common, 0) & text_block::is_in(lead, 0xc0, 0xff) &
               ~text_block::is_in(lead, 0xe4, 0xe9);
      });
      if (open == 0) continue;
      open &=
          ~(first.equal(0xc2) & ~second.equal(0xad) & ~second.equal(0xb5)) & ~(first.equal(0xc3) & ~second.equal(0x9f));
      if (open != 0) return i + static_cast<std::size_t>(std::countr_zero(open));
    }
    return i;
  }

  template <bool IsToned>
  static NEARDUP_ALWAYS_INLINE byte_vector is_spelt(byte_vector some, byte_vector before) noexcept {
    if constexpr (IsToned) {
      const byte_vector lower = some | (byte_vector{} + std::uint8_t{0x20});
      return (text_block::is_equal(lower, 'a') | text_block::is_equal(lower, 'e') | text_block::is_equal(lower, 'y')) &
             text_block::is_in(before, 0x80, 0xff);
    } else {
      // The two halves (four bits each) of a byte select one entry of each table. The entries have a bit in common if
      // the byte is a blank, a control character that counts as a blank, a hyphen, or the last byte of a hyphen beyond
      // ASCII.
      static constexpr std::uint8_t low[16] = {3, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 12, 13, 0, 0};
      static constexpr std::uint8_t high[16] = {4, 0, 1, 0, 0, 0, 0, 0, 0, 2, 8, 0, 0, 0, 0, 0};
      const byte_vector ends = look_up(low, before & 0x0f) & look_up(high, before >> 4);
      return (text_block::is_equal(some, '\n') & ~text_block::is_equal(ends, 0)) | text_block::is_equal(some, '&');
    }
  }
};
scan_kernels scan_kernels_of(form);

#endif
