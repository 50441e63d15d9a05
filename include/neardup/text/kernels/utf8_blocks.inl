// SPDX-License-Identifier: MIT
// The kernels of utf8_blocks.hpp. See simd/for_each_form.hpp.
#if defined(NEARDUP_FORM) && NEARDUP_FORM == NEARDUP_PORTABLE

struct utf8_kernels {
  static bool is_well_formed(std::string_view text) noexcept {
    return is_well_formed_by_bits<utf8_block_portable>(text);
  }

  static std::size_t find_code_points(const char* text, std::size_t count, std::uint32_t base,
                                      std::uint32_t* places) noexcept {
    std::size_t found = 0;
    for (std::size_t i = 0; i < text_block_size * count; i += 8) {
      const std::uint64_t eight = load_little_endian(text + i);
      const std::uint64_t starts = ~eight | eight << 1;
      const set_bits& set = set_bits_of[to_size(top_bits(starts))];
      for (std::size_t j = 0; j < 8; ++j) places[found + j] = base + static_cast<std::uint32_t>(i) + set.positions[j];
      found += to_size(((starts & byte_tops) >> 7) * byte_ones >> 56);  // the product adds up the bits
    }
    return found;
  }
};
utf8_kernels utf8_kernels_of(form);

#elif defined(NEARDUP_FORM) && NEARDUP_FORM == NEARDUP_BASELINE && NEARDUP_X86_KERNELS

/// The SSE2 version of utf8_block_portable.
struct utf8_block {
  static utf8_rare_bits rare_bits_of(const char* at) noexcept {
    const text_block block = text_block::load(at);
    return {block.bits([](auto some) { return some << 2; }), block.range(0xf0, 0xff), block.range(0xc0, 0xc1),
            block.equal(0xe0), block.equal(0xed)};
  }
  static NEARDUP_ALWAYS_INLINE utf8_bits bits_of(const char* at) noexcept {
    const text_block block = text_block::load(at);
    const auto is_rare = [](auto some) {
      return text_block::is_in(some, 0xc0, 0xe0) | text_block::is_equal(some, 0xed) |
             text_block::is_in(some, 0xf0, 0xff);
    };
    return {block.high_bits(), block.bits([](auto some) { return some + some; }), block.bits(is_rare) != 0};
  }
};

struct utf8_kernels : portable::utf8_kernels {
  static bool is_well_formed(std::string_view text) noexcept { return is_well_formed_by_bits<utf8_block>(text); }
};
utf8_kernels utf8_kernels_of(form);

#elif defined(NEARDUP_FORM) && (NEARDUP_FORM == NEARDUP_AVX2 || NEARDUP_FORM == NEARDUP_NEON)

struct utf8_kernels : portable::utf8_kernels {
  static bool is_well_formed(std::string_view text) noexcept { return is_well_formed_by(are_well_formed, text); }

#if NEARDUP_FORM == NEARDUP_AVX2
  static std::size_t find_code_points(const char* text, std::size_t count, std::uint32_t base,
                                      std::uint32_t* places) noexcept {
    std::uint32_t* out = places;
    for (std::size_t i = 0; i < text_block_size * count; i += text_block_size) {
      const std::uint64_t starts = ~text_block::load(text + i).continuations();
      out += bit_positions_avx2(starts, base + static_cast<std::uint32_t>(i), out);
    }
    return static_cast<std::size_t>(out - places);
  }
#endif

 private:
  /// Validates `count` blocks of 64 bytes. An incomplete sequence at the end is not an error. Three bytes before the
  /// first block are read, too.
  /// Returns: false if the blocks have an error.
  static bool are_well_formed(const char* text, std::size_t count) noexcept {
    const byte_vector third = broadcast(0xe0 - 0x80), fourth = broadcast(0xf0 - 0x80);
    // Returns a byte for each byte of the vector at `at`: 0 if the text byte may follow the three bytes before it.
    const auto errors_at = [&](const char* at) NEARDUP_INLINE_LAMBDA {
      const byte_vector before_1 = text_block::load_part(at - 1);
      const byte_vector pairs = look_up(first_high_errors.errors, before_1 >> 4) &
                                look_up(first_low_errors.errors, before_1 & 0x0f) &
                                look_up(second_high_errors.errors, text_block::load_part(at) >> 4);
      // The highest bit is set two bytes after 0xe0 to 0xff, and three bytes after 0xf0 to 0xff.
      const byte_vector longer = subtract_to_zero(text_block::load_part(at - 2), third) |
                                 subtract_to_zero(text_block::load_part(at - 3), fourth);
      return pairs ^ (longer & 0x80);
    };
    const char* const end = text + text_block_size * count;
    for (const char* at = text; at != end; at += text_block_size) {
      if (are_ascii(text_block::load(at).united() | text_block::load_part(at - 3))) continue;
#if NEARDUP_FORM == NEARDUP_AVX2
      // Checks one vector after the other, because checking two at a time needs more registers than AVX2 has.
      if (!is_zero(errors_at(at)) || !is_zero(errors_at(at + sizeof(byte_vector)))) return false;
#else
      const auto errors = [&](std::size_t i) NEARDUP_INLINE_LAMBDA { return errors_at(at + i * sizeof(byte_vector)); };
      if (!is_zero(text_block::unite(errors))) return false;
#endif
    }
    return true;
  }
};
utf8_kernels utf8_kernels_of(form);

#elif defined(NEARDUP_FORM) && NEARDUP_FORM == NEARDUP_AVX512

struct utf8_kernels : avx2::utf8_kernels {
  static std::size_t find_code_points(const char* text, std::size_t count, std::uint32_t base,
                                      std::uint32_t* places) noexcept {
    std::uint32_t* out = places;
    for (std::size_t i = 0; i < text_block_size * count; i += text_block_size) {
      const __mmask64 starts = _mm512_cmpgt_epi8_mask(_mm512_loadu_si512(text + i), _mm512_set1_epi8(-0x41));
      out += bit_positions_avx512(starts, base + static_cast<std::uint32_t>(i), out);
    }
    return static_cast<std::size_t>(out - places);
  }
};
utf8_kernels utf8_kernels_of(form);

#endif
