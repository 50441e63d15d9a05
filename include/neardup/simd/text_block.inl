// SPDX-License-Identifier: MIT
// A block of 64 bytes of a text in vectors. See for_each_form.hpp.
#if defined(NEARDUP_FORM) && NEARDUP_FORM != NEARDUP_PORTABLE && NEARDUP_FORM != NEARDUP_AVX512 && \
    (NEARDUP_FORM != NEARDUP_BASELINE || NEARDUP_X86_KERNELS)

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
