// SPDX-License-Identifier: MIT
// The default composition (tokenizer, weighter, hasher, seed), for texts of any kind.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "../detail/compiled.hpp"
#include "../simhash.hpp"
#include "../threshold.hpp"
#include "default_features.hpp"
#include "hashers.hpp"
#include "kernels/votes.hpp"
#include "weighters.hpp"

namespace neardup::inline v0 {

template <class Tokenizer, class Weighter, class Hasher, std::size_t Bits>
class simhasher;

/// The default simhasher. Its tokens are the distinct pairs of words, each of weight 1, hashed by XXH3. To use this
/// type, include <neardup/fingerprint/simhasher.hpp>. defaults.hpp only declares the class simhasher, so that programs
/// that need no simhasher compile faster.
template <std::size_t Bits = 64>
using default_simhasher = simhasher<default_tokenizer, unit, xxh3<Bits>, Bits>;

/// Returns the fingerprint of a text in the default composition, or nullopt if the text has no word.
template <std::size_t Bits = 64>
[[nodiscard]] std::optional<simhash<Bits>> simhash_of(std::string_view text) {
  return detail::fingerprint_text<Bits>(default_tokenizer{}, unit{}, xxh3<Bits>{}, text);
}

/// Compares two texts by their 64-bit fingerprints in the default composition.
/// Returns: true if the fingerprints differ in at most k bits. The result is false if a text has no word, even if the
/// texts are equal.
/// Throws: std::invalid_argument unless 0 <= k <= 64.
[[nodiscard]] inline bool near_duplicates(std::string_view a, std::string_view b, bits k = 3) {
  detail::check_distance(64, k.count);
  const auto first = simhash_of(a);
  const auto second = simhash_of(b);
  return first && second && hamming_distance(*first, *second) <= k.count;
}

#if defined(NEARDUP_COMPILED)
NEARDUP_FINGERPRINT_TEMPLATE std::optional<simhash<64>> detail::fingerprint_text<64>(const default_tokenizer&,
                                                                                     const unit&, const xxh3<64>&,
                                                                                     std::string_view);
NEARDUP_FINGERPRINT_TEMPLATE std::optional<simhash<128>> detail::fingerprint_text<128>(const default_tokenizer&,
                                                                                       const unit&, const xxh3<128>&,
                                                                                       std::string_view);
#endif

}  // namespace neardup::inline v0
