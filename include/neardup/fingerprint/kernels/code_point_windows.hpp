// SPDX-License-Identifier: MIT
// Computes the XXH3 hashes of the n-grams of code points.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../detail/bits.hpp"
#include "../../simd/forms.hpp"
#include "../../text/kernels/text_blocks.hpp"
#include "../../text/kernels/utf8_blocks.hpp"
#include "../../text/kernels/word_spans.hpp"
#include "../hashers.hpp"
#include "hash_block.hpp"
#include "token_kernel.hpp"
#include "xxh3_spans.hpp"
#include "xxh3_windows.hpp"

namespace neardup::inline v0::detail {

/// Scratch memory for n-grams of code points. places[i] is the offset of code point i. So n-gram i has the bytes
/// [places[i], places[i + n]).
struct gram_scratch {
  static constexpr std::size_t capacity = 1024;

  static constexpr std::size_t slack = 2 * text_block_size + 16;  // kernels read and write whole vectors

  alignas(64) std::uint32_t places[max_kernel_gram + capacity + slack];
};

/// Returns the number of bytes before the first group of eight bytes that are not all ASCII.
inline std::size_t ascii_prefix(std::string_view text) noexcept {
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    if ((load_little_endian(text.data() + i) & byte_tops) != 0) return i;
  }
  const auto is_ascii = [](char byte) { return static_cast<unsigned char>(byte) < 0x80; };
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), is_ascii) ? text.size() : i;
}

/// Writes the hashes of the n-grams of code points of a text to `out`.
/// Precondition: the text is well-formed UTF-8 of less than 2 GiB and not empty, and 1 <= n <= max_kernel_gram.
inline void add_code_point_windows(std::string_view text, std::size_t n, std::uint64_t seed, instruction_set level,
                                   const hash_writer& out) {
  if (n <= max_vector_window && n <= text.size() && ascii_prefix(text) == text.size()) {
    return add_byte_windows(text, n, seed, level, out);
  }
  constexpr std::size_t margin = 32;  // the kernels of windows read whole vectors
  gram_scratch scratch;
  std::uint32_t* const places = scratch.places;
  std::size_t position = 0;
  std::size_t count = 0;  // number of known elements of `places`
  for (bool at_end = false; !at_end;) {
    // In ASCII text, the n-grams of code points are the windows of n bytes. At this point, the n-grams of the `count`
    // elements of `places` are not hashed yet. count == n, except at the beginning of the text.
    if (count == n && n <= max_vector_window && position + margin < text.size()) {
      const std::size_t ascii = ascii_prefix(text.substr(places[0], text.size() - margin - places[0]));
      if (const std::size_t size = ascii < n ? 0 : (ascii - n) / text_block_size * text_block_size; size > 0) {
        add_window_hashes(text.data() + places[0], size, n, seed, level, out);
        position += size;
        for (std::size_t i = 0; i < n; ++i) places[i] += static_cast<std::uint32_t>(size);
      }
    }
    while (count < max_kernel_gram + gram_scratch::capacity && position + text_block_size <= text.size()) {
      const std::size_t found =
          find_code_points(text.data() + position, 1, static_cast<std::uint32_t>(position), places + count, level);
      count += found;
      position += text_block_size;
      if (found == text_block_size && count >= n) break;  // perhaps all ASCII, so more ASCII may follow
    }
    at_end = position + text_block_size > text.size();
    if (at_end) {
      char rest[text_block_size];
      std::memset(rest, 0x80, sizeof rest);  // continuation bytes, at which no code point begins
      if (position < text.size()) std::memcpy(rest, text.data() + position, text.size() - position);
      count += find_code_points(rest, 1, static_cast<std::uint32_t>(position), places + count, level);
      places[count++] = static_cast<std::uint32_t>(text.size());
      if (count <= n && !text.empty()) {
        // A text of fewer than n code points is one token.
        places[0] = 0;
        places[n] = static_cast<std::uint32_t>(text.size());
        count = n + 1;
      }
    }
    std::size_t grams = count > n ? count - n : 0;
    if (at_end) {
      // The kernels load 8 bytes from the beginning of an n-gram. They cannot do so in the last 7 bytes of the text, so
      // an n-gram that begins there is hashed separately.
      for (; grams > 0 && places[grams - 1] + sizeof(std::uint64_t) > text.size(); --grams) {
        const std::uint32_t begin = places[grams - 1];
        add_token_hash(text.substr(begin, places[grams - 1 + n] - begin), seed, out);
      }
    }
    for (std::size_t i = 0; i < grams; i += span_view::capacity) {
      const std::size_t part = (std::min)(grams - i, span_view::capacity);
      add_span_hashes(text.data(), span_view{places + i, places + i + n, part}, seed, level, out);
    }
    if (!at_end) {
      std::copy(places + grams, places + count, places);
      count -= grams;
    }
  }
}

}  // namespace neardup::inline v0::detail
