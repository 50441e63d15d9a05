// The default composition: what to use when nothing is known about the texts.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "../simhash.hpp"
#include "../text/normalise.hpp"
#include "../text/shingles.hpp"
#include "../text/words.hpp"
#include "hashers.hpp"
#include "kernels/votes.hpp"
#include "kernels/word_kernel.hpp"
#include "weighters.hpp"

namespace neardup::inline v0 {

template <class Tokenizer, class Weighter, class Hasher, std::size_t Bits>
class simhasher;

/// Pairs of words, with the case of ASCII letters folded.
using default_tokenizer = shingles<folded<words>>;

/// Distinct pairs of words, each of weight 1, hashed by XXH3. To use one, include <neardup/fingerprint/simhasher.hpp>:
/// the functions below do without it, and compile faster.
template <std::size_t Bits = 64>
using default_simhasher = simhasher<default_tokenizer, unit, xxh3<Bits>, Bits>;

/// The fingerprint of a text by the default composition; nothing if it has no word.
template <std::size_t Bits = 64>
[[nodiscard]] std::optional<simhash<Bits>> simhash_of(std::string_view text) {
  return detail::fingerprint_text<Bits>(default_tokenizer{}, unit{}, xxh3<Bits>{}, text);
}

/// Whether the fingerprints of two texts, by the default composition, differ in at most `k` of 64 bits.
/// Returns: false when either text has no word, even if both are equal.
/// Throws: std::invalid_argument unless 0 <= k <= 64.
[[nodiscard]] inline bool near_duplicates(std::string_view a, std::string_view b, int k = 3) {
  detail::check_distance(64, k);
  const auto first = simhash_of(a);
  const auto second = simhash_of(b);
  return first && second && hamming_distance(*first, *second) <= k;
}

}  // namespace neardup::inline v0
