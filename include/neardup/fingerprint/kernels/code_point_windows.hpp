// SPDX-License-Identifier: MIT
// N-grams of code points under XXH3.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../detail/bytes.hpp"
#include "../../detail/instructions.hpp"
#include "../../text/kernels/text_blocks.hpp"
#include "../../text/kernels/utf8_blocks.hpp"
#include "../../text/kernels/word_spans.hpp"
#include "../hashers.hpp"
#include "hash_block.hpp"
#include "token_kernel.hpp"
#include "xxh3_pairs.hpp"
#include "xxh3_spans.hpp"
#include "xxh3_windows.hpp"

namespace neardup::inline v0::detail {

/// Scratch memory for n-grams of code points. places[i] is the offset of code point i, so n-gram i is the bytes
/// [places[i], places[i + n]).
struct gram_scratch {
  static constexpr std::size_t capacity = 1024;

  static constexpr std::size_t slack = 2 * text_block_size + 16;  // kernels read and write whole vectors

  /// The number of text blocks whose pairs are hashed at a time.
  static constexpr std::size_t pair_blocks = 8;

  alignas(64) std::uint32_t places[max_kernel_gram + capacity + slack];
  alignas(64) std::uint32_t keys[pair_blocks * text_block_size + slack];  // offsets of shuffles, by find_pair_keys()
};

#if NEARDUP_X86_KERNELS
/// Returns the number of leading blocks of 64 bytes, at most `count`, that are all ASCII and are followed by an ASCII
/// byte.
inline std::size_t ascii_blocks(const char* text, std::size_t count) noexcept {
  std::size_t found = 0;
  for (; found < count; ++found, text += text_block_size) {
    std::uint64_t words[text_block_size / 8];
    std::memcpy(words, text, sizeof words);
    std::uint64_t all = static_cast<unsigned char>(text[text_block_size]);
    for (const std::uint64_t word : words) all |= word;
    if ((all & byte_tops) != 0) break;
  }
  return found;
}

/// Hashes the pairs of code points of a text, with AVX2.
/// Precondition: the text has more than four bytes, so it has two code points.
template <std::size_t Words>
void hash_code_point_pairs_avx2(std::string_view text, std::uint64_t seed, gram_scratch& scratch,
                                const hash_writer<Words>& out) {
  constexpr instruction_set level = instruction_set::avx2;
  std::uint32_t* const places = scratch.places;
  /// Hashes the pairs of code points that begin at the first `count` places.
  const auto add_pairs = [&](const char* source, std::size_t count) {
    out.make_room(count);
    find_pair_keys(places, count, scratch.keys);
    for (std::size_t j = 0; j < Words; ++j) {
      hash_pairs_avx2(source, places, scratch.keys, count, seed + j * xxh3<>::seed_step, out.end(j));
    }
    out.block.count += count;
  };
  std::size_t position = 0;
  // Kernels read whole vectors and three code points ahead, so the last pairs are hashed from a padded copy.
  constexpr std::size_t margin = 32;
  while (position + text_block_size + margin <= text.size()) {
    const char* const at = text.data() + position;
    const std::size_t blocks = (text.size() - margin - position) / text_block_size;
    if (const std::size_t ascii = ascii_blocks(at, blocks); ascii > 0) {
      add_window_hashes(at, ascii * text_block_size, 2, seed, level, out);
      position += ascii * text_block_size;
      continue;
    }
    const std::size_t count = find_code_points(at, (std::min)(blocks, gram_scratch::pair_blocks),
                                               static_cast<std::uint32_t>(position), places, level);
    // The pairs that begin at the last two code points end at unknown places. The kernel reads placeholders there, and
    // the next iteration hashes these pairs.
    for (std::uint32_t i = 0; i < pair_places_slack; ++i) places[count + i] = places[count - 1] + 1 + i;
    add_pairs(text.data(), count - 2);
    position = places[count - 2];
  }
  constexpr std::size_t blocks = 2;
  char rest[blocks * text_block_size];
  const std::size_t size = text.size() - position;
  std::memset(rest, 0x80, sizeof rest);  // continuation bytes, at which no code point begins
  std::memcpy(rest, text.data() + position, size);
  const std::size_t count = find_code_points(rest, blocks, 0, places, level);
  for (std::uint32_t i = 0; i < pair_places_slack; ++i) places[count + i] = static_cast<std::uint32_t>(size) + i;
  add_pairs(rest, count - 1);
}

/// Hashes the pairs of code points of a text, with AVX-512.
template <std::size_t Words>
void hash_code_point_pairs_avx512(std::string_view text, std::uint64_t seed, const hash_writer<Words>& out) {
  const auto add_pairs = [&](const char* from, std::size_t blocks, std::size_t end) {
    std::size_t count = 0;
    for (std::size_t j = 0; j < Words; ++j) {
      count = hash_pairs_avx512(from, blocks, end, seed + j * xxh3<>::seed_step, out.end(j));
    }
    out.block.count += count;
  };
  std::size_t position = 0;
  while (position + 2 * text_block_size <= text.size()) {
    const std::size_t room = out.make_room(text_block_size);
    const std::size_t blocks = (std::min)(room, text.size() - position - text_block_size) / text_block_size;
    add_pairs(text.data() + position, blocks, blocks * text_block_size);
    position += blocks * text_block_size;
  }
  // No pair begins at the last code point.
  std::size_t last = text.size() - 1;
  while ((static_cast<unsigned char>(text[last]) & 0xc0U) == 0x80) --last;
  if (last <= position) return;
  char rest[3 * text_block_size] = {};
  std::memcpy(rest, text.data() + position, text.size() - position);
  out.make_room(2 * text_block_size);
  add_pairs(rest, 2, last - position);
}

template <std::size_t Words>
constexpr auto hash_pairs_of(avx2_form) noexcept {
  return [](std::string_view text, std::uint64_t seed, gram_scratch& scratch, const hash_writer<Words>& out) {
    hash_code_point_pairs_avx2(text, seed, scratch, out);
    return true;
  };
}
template <std::size_t Words>
constexpr auto hash_pairs_of(avx512_form) noexcept {
  return [](std::string_view text, std::uint64_t seed, gram_scratch& /*scratch*/, const hash_writer<Words>& out) {
    hash_code_point_pairs_avx512(text, seed, out);
    return true;
  };
}
#endif  // NEARDUP_X86_KERNELS

/// Hashes the pairs of code points of a text of more than 4 bytes.
/// Returns: false if the instruction set has no kernel for them.
template <std::size_t Words>
constexpr auto hash_pairs_of(portable_form) noexcept {
  return [](std::string_view, std::uint64_t, gram_scratch&, const hash_writer<Words>&) { return false; };
}

/// Writes the hashes of the n-grams of code points of a text.
/// Precondition: the text is well-formed UTF-8 of less than 2 GiB and not empty, and 1 <= n <= max_kernel_gram.
template <std::size_t Words>
void add_code_point_windows(std::string_view text, std::size_t n, std::uint64_t seed, instruction_set level,
                            const hash_writer<Words>& out) {
  gram_scratch scratch;
  const auto hash_pairs = [&](auto form) { return hash_pairs_of<Words>(form)(text, seed, scratch, out); };
  if (n == 2 && text.size() > 4 && choose_form(level, hash_pairs)) return;
  // places[i] is the offset of code point i, so n-gram i is the bytes [places[i], places[i + n]).
  std::uint32_t* const places = scratch.places;
  std::size_t position = 0;
  std::size_t count = 0;  // number of known places
  for (bool at_end = false; !at_end;) {
    while (count < max_kernel_gram + gram_scratch::capacity && position + text_block_size <= text.size()) {
      count += find_code_points(text.data() + position, 1, static_cast<std::uint32_t>(position), places + count, level);
      position += text_block_size;
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
      // An n-gram that begins in the last 8 bytes of the text cannot be loaded as a word of 8 bytes.
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
