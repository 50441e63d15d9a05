// SPDX-License-Identifier: MIT
// The kernels of text_blocks.hpp. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && NEARDUP_FORM != NEARDUP_AVX512 && (NEARDUP_FORM != NEARDUP_BASELINE || NEARDUP_X86_KERNELS)

#if NEARDUP_FORM != NEARDUP_PORTABLE
/// A block of 64 bytes. Each function returns one bit for each byte.
struct text_block {
  static constexpr std::size_t parts = 64 / sizeof(byte_vector);

  byte_vector part[parts];

  static NEARDUP_ALWAYS_INLINE text_block load(const char* text) noexcept {
    return load(text, std::make_index_sequence<parts>{});
  }
  static NEARDUP_ALWAYS_INLINE byte_vector load_part(const char* text) noexcept {
    byte_vector loaded;
    std::memcpy(&loaded, text, sizeof loaded);
    return loaded;
  }

  // The functions below return 0xff for each byte for which the answer is yes, and 0 for the others.
  static NEARDUP_ALWAYS_INLINE byte_vector is_equal(byte_vector some, std::uint8_t value) noexcept {
    return reinterpret_cast<byte_vector>(some == byte_vector{} + value);
  }
  static NEARDUP_ALWAYS_INLINE byte_vector is_in(byte_vector some, std::uint8_t least, std::uint8_t most) noexcept {
    return reinterpret_cast<byte_vector>(some - (byte_vector{} + least) <=
                                         byte_vector{} + static_cast<std::uint8_t>(most - least));
  }
  static NEARDUP_ALWAYS_INLINE byte_vector is_word(byte_vector some) noexcept {
    return is_in(some | (byte_vector{} + std::uint8_t{0x20}), 'a', 'z') | is_in(some, '0', '9');
  }

  /// Returns the highest bit of each byte of test(0), …, test(parts - 1).
  template <class Test>
  static NEARDUP_ALWAYS_INLINE std::uint64_t collect(const Test& test) noexcept {
    return collect(test, std::make_index_sequence<parts>{});
  }
  /// Returns the bitwise or of test(0), …, test(parts - 1).
  template <class Test>
  static NEARDUP_ALWAYS_INLINE byte_vector unite(const Test& test) noexcept {
    return unite(test, std::make_index_sequence<parts>{});
  }
  /// Returns a set bit for each byte that passes `test`.
  template <class Test>
  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t bits(const Test& test) const noexcept {
    return collect([&](std::size_t i) NEARDUP_INLINE_LAMBDA { return test(part[i]); });
  }

  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t equal(std::uint8_t value) const noexcept {
    return bits([&](byte_vector some) NEARDUP_INLINE_LAMBDA { return is_equal(some, value); });
  }
  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t range(std::uint8_t least, std::uint8_t most) const noexcept {
    return bits([&](byte_vector some) NEARDUP_INLINE_LAMBDA { return is_in(some, least, most); });
  }
  /// Returns the bytes that are ASCII letters or digits.
  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t word_bits() const noexcept {
    return bits([](byte_vector some) NEARDUP_INLINE_LAMBDA { return is_word(some); });
  }
  /// high_bits(): the bytes that are not ASCII. continuations(): the continuation bytes.
  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t high_bits() const noexcept {
#if NEARDUP_FORM == NEARDUP_NEON
    return range(0x80, 0xff);
#else
    return mask_of(part);
#endif
  }
  [[nodiscard]] NEARDUP_ALWAYS_INLINE std::uint64_t continuations() const noexcept { return range(0x80, 0xbf); }

  /// Returns the bitwise or of the vectors.
  [[nodiscard]] NEARDUP_ALWAYS_INLINE byte_vector united() const noexcept {
    return unite([&](std::size_t i) NEARDUP_INLINE_LAMBDA { return part[i]; });
  }
  [[nodiscard]] NEARDUP_ALWAYS_INLINE bool is_ascii() const noexcept { return are_ascii(united()); }

 private:
  template <std::size_t... Part>
  static NEARDUP_ALWAYS_INLINE text_block load(const char* text, std::index_sequence<Part...>) noexcept {
    return {{load_part(text + Part * sizeof(byte_vector))...}};
  }
  template <class Test, std::size_t... Part>
  static NEARDUP_ALWAYS_INLINE byte_vector unite(const Test& test, std::index_sequence<Part...>) noexcept {
    return (test(Part) | ...);
  }
  template <class Test, std::size_t... Part>
  static NEARDUP_ALWAYS_INLINE std::uint64_t collect(const Test& test, std::index_sequence<Part...>) noexcept {
    const byte_vector masks[] = {test(Part)...};
    return mask_of(masks);
  }
};
#endif

struct text_kernels {
#if NEARDUP_FORM == NEARDUP_PORTABLE
  /// Computes the masks for ASCII (eight bytes at a time) and Chinese (by characters). `masks.upper` stays 0.
  /// Returns: the number of bytes before the first character that the masks do not cover; at most `size`.
  /// Precondition: 64 bytes are readable; bytes from `size` on are 0.
  static NEARDUP_ALWAYS_INLINE std::size_t find_masks(const char* text, std::size_t size,
                                                      character_masks& masks) noexcept {
    masks = {};
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint64_t x = load_little_endian(text + 8 * i);
      // The highest bits are cleared, so adding a constant to all bytes carries into no other byte. The highest bit of
      // a sum tells whether the byte is at least `c`.
      const std::uint64_t low = x & ~byte_tops;
      const std::uint64_t lower = low | byte_ones * 0x20;
      const auto at_least = [&](std::uint64_t bytes, unsigned char c) { return bytes + byte_ones * (0x80U - c); };
      const std::uint64_t digit = at_least(low, '0') & ~at_least(low, '9' + 1);
      const std::uint64_t letter = at_least(lower, 'a') & ~at_least(lower, 'z' + 1);
      masks.word |= top_bits((digit | letter) & ~x) << (8 * i);
      masks.known |= top_bits(~x) << (8 * i);
    }
    for (std::uint64_t unknown = ~masks.known; unknown != 0; unknown = ~masks.known) {
      const auto i = static_cast<std::size_t>(std::countr_zero(unknown));
      // The last character may continue in the next block.
      if (i > text_block_size - 3) return (std::min)(i, size);
      const auto byte = [&](std::size_t j) { return std::uint32_t{static_cast<unsigned char>(text[i + j])}; };
      const std::uint32_t bytes = byte(0) << 16 | byte(1) << 8 | byte(2);
      // U+4E00 to U+9FBF. There is no branch, because punctuation among Han characters would make it unpredictable.
      const bool is_han = bytes - 0xe4b880U <= 0xe9bebfU - 0xe4b880U && (bytes & 0xc0c0U) == 0x8080U;
      // Separators: U+2000 to U+203F except ignored characters and the pictograph U+203C; U+3000 to U+3004; U+3008 to
      // U+3020; and U+FF00 to U+FF3F except digits and letters.
      const auto is_in = [&](std::uint32_t least, std::uint32_t most) { return bytes - least <= most - least; };
      const bool is_between = (is_in(0xe28080, 0xe280bf) && !is_in(0xe2808b, 0xe2808f) && !is_in(0xe280aa, 0xe280ae) &&
                               bytes != 0xe280bc) ||
                              is_in(0xe38080, 0xe38084) || is_in(0xe38088, 0xe380a0) || is_in(0xefbc80, 0xefbc8f) ||
                              is_in(0xefbc9a, 0xefbca0) || is_in(0xefbcbb, 0xefbcbf);
      if (!is_han && !is_between) return (std::min)(i, size);
      masks.han_leads |= std::uint64_t{is_han} << i;
      masks.han |= (is_han ? std::uint64_t{7} : 0) << i;
      masks.known |= std::uint64_t{7} << i;
    }
    return size;
  }

  /// Copies a block of 64 bytes to `folded`, and converts the ASCII letters to lower case.
  static void fold(const char* block, char* folded) noexcept {
    for (std::size_t i = 0; i < text_block_size; i += sizeof(std::uint64_t)) {
      std::uint64_t x;
      std::memcpy(&x, block + i, sizeof x);
      x = fold_bytes(x);
      std::memcpy(folded + i, &x, sizeof x);
    }
  }
#else
  /// Computes the masks for ASCII, Latin-1 and Chinese by vectors. `masks.upper` has only letters of Latin-1.
  /// Returns: the number of bytes before the first character that the masks do not cover; at most `size`.
  static NEARDUP_ALWAYS_INLINE std::size_t find_masks(const char* text, std::size_t size,
                                                      character_masks& masks) noexcept {
    const text_block block = text_block::load(text);
    masks = {block.word_bits(), 0, 0, 0, ~std::uint64_t{0}};
    if (block.is_ascii()) return size;
    masks.known = ~block.high_bits();
    const std::uint64_t continuation = block.continuations();
    // The separators are those of the portable version above.
    const std::uint64_t second_80 = block.equal(0x80) >> 1;
    const std::uint64_t ideographic = block.range(0x80, 0x84) | block.range(0x88, 0xa0);
    const std::uint64_t wide = block.range(0x90, 0x99) | block.range(0xa1, 0xba);
    const std::uint64_t han = block.range(0xe4, 0xe9) & ~(block.equal(0xe4) & block.equal(0xb7) >> 1);
    std::uint64_t general = block.equal(0xe2) & second_80;
    if (general != 0) general &= ~((block.range(0x8b, 0x8f) | block.range(0xaa, 0xae) | block.equal(0xbc)) >> 2);
    const std::uint64_t three = general | (block.equal(0xe3) & second_80 & ideographic >> 2) |
                                (block.equal(0xef) & block.equal(0xbc) >> 1 & ~(wide >> 2));
    masks.add_three(three | han, han, continuation >> 1 & continuation >> 2);
    const std::uint64_t c2 = block.equal(0xc2);
    const std::uint64_t c3 = block.equal(0xc3);
    if ((c2 | c3) != 0) {
      std::uint64_t letters = 0;
      for (std::uint64_t left = c2 << 1; left != 0; left &= left - 1) {
        const int i = std::countr_zero(left);
        letters |= std::uint64_t{latin_letters[static_cast<unsigned char>(text[i]) & 0x3fU] & 1U} << i;
      }
      masks.add_latin({continuation, c2, c3, letters, block.equal(0x97), block.equal(0xb7), block.equal(0xad),
                       block.range(0x80, 0x9e)});
    }
    return masks.known_bytes(continuation, size);
  }

  static void fold(const char* block, char* folded) noexcept {
    const auto fold_parts = [&]<std::size_t... Part>(std::index_sequence<Part...>) {
      const auto fold_part = [&](std::size_t i) NEARDUP_INLINE_LAMBDA {
        byte_vector some;
        std::memcpy(&some, block + i * sizeof some, sizeof some);
        some |= text_block::is_in(some, 'A', 'Z') & 0x20;
        std::memcpy(folded + i * sizeof some, &some, sizeof some);
      };
      (fold_part(Part), ...);
    };
    fold_parts(std::make_index_sequence<text_block::parts>{});
  }
#endif

  /// Copies four characters of three bytes, and writes a separator after each. 16 bytes are read.
  static void separate_four(const char* characters, char* to, char separator) noexcept {
#if NEARDUP_FORM == NEARDUP_NEON
    static constexpr std::uint8_t spread[16] = {0, 1, 2, 255, 3, 4, 5, 255, 6, 7, 8, 255, 9, 10, 11, 255};
    const uint8x16_t some = vld1q_u8(reinterpret_cast<const std::uint8_t*>(characters));
    const uint8x16_t separators = vreinterpretq_u8_u32(vdupq_n_u32(static_cast<std::uint32_t>(separator) << 24));
    vst1q_u8(reinterpret_cast<std::uint8_t*>(to), vorrq_u8(vqtbl1q_u8(some, vld1q_u8(spread)), separators));
#else
    for (std::size_t i = 0; i < 4; ++i) {
      std::memcpy(to + 4 * i, characters + 3 * i, 4);
      to[4 * i + 3] = separator;
    }
#endif
  }

  template <class Cursor>
  static void take_blocks(Cursor& cursor, const char* limit) noexcept {
    take_blocks_by_words(form{}, cursor, limit, find_masks);
  }
};
text_kernels text_kernels_of(form);

#endif
