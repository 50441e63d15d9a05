// SPDX-License-Identifier: MIT
// The default tokenizer and the default features, for texts of any kind.
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

/// The default tokenizer: its tokens are the pairs of words of the normalised text (see normalise()), so that case,
/// punctuation and spacing do not matter. parse_features() has the same features under the name "words:2", and the
/// command compares them by default.
using default_tokenizer = normalised<shingles<words>>;

/// The default features of a text: its distinct pairs of words, as 32-bit numbers. default_features<std::uint64_t>
/// makes 64-bit numbers. To use this type, include <neardup/fingerprint/feature_extractor.hpp>. default_features.hpp
/// only declares the class feature_extractor, so that programs that need no features compile faster.
template <std::unsigned_integral Feature = std::uint32_t>
using default_features = feature_extractor<default_tokenizer, xxh3<64>, Feature>;

}  // namespace neardup::inline v0
