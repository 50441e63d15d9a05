// SPDX-License-Identifier: MIT
// The default tokenizer, and the features that it makes, for texts of any kind.
#pragma once

#include <concepts>
#include <cstdint>

#include "../text/normalise.hpp"
#include "../text/shingles.hpp"
#include "../text/words.hpp"
#include "hashers.hpp"

namespace neardup::inline v0 {

template <class Tokenizer, class Hasher, std::unsigned_integral Feature>
class feature_extractor;

/// The default tokenizer: pairs of words of the normalised text, so that case, punctuation and spacing do not matter. See
/// normalise(). The features "words:2" of parse_features(), which the command compares by default, are the same.
using default_tokenizer = normalised<shingles<words>>;

/// The default features of a text: its distinct pairs of words, as 32-bit numbers, or as 64-bit numbers with
/// default_features<std::uint64_t>. To use this type, include <neardup/fingerprint/feature_extractor.hpp>, which this
/// header leaves out to compile faster.
template <std::unsigned_integral Feature = std::uint32_t>
using default_features = feature_extractor<default_tokenizer, xxh3<64>, Feature>;

}  // namespace neardup::inline v0
