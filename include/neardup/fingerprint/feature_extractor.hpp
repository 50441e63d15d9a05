// SPDX-License-Identifier: MIT
// Extracts the feature set of a text as sorted numbers of 4 or 8 bytes.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "../text/tokenizer.hpp"
#include "hashers.hpp"
#include "kernels/checked_parts.hpp"
#include "kernels/code_point_windows.hpp"
#include "kernels/distinct_hashes.hpp"
#include "kernels/hash_sort.hpp"
#include "kernels/token_kernel.hpp"
#include "kernels/xxh3_windows.hpp"

namespace neardup::inline v0 {

/// Extracts the feature set of a text. A feature is the lowest bits of the hash of a distinct token. Features are
/// sorted. jaccard_similarity() compares such sets.
///
/// `Feature` is the type of a feature. With 32 bits, the default, two distinct tokens collide with probability 2^-32.
/// The tokens of two texts with n tokens each have a collision with probability below n * n / 2^31 (0.0005 for n =
/// 1000). One collision changes the similarity by at most 2 / n. So the expected error is below n / 2^30. If this error
/// is too large, use std::uint64_t.
/// Thread safety: several threads may call const members at once.
/// Example: `feature_extractor check{normalised{code_point_ngrams{5}}};  double j = jaccard_similarity(check(a),
/// check(b));`
template <class Tokenizer, class Hasher = xxh3<64>, std::unsigned_integral Feature = std::uint32_t>
class feature_extractor {
  using parts = detail::checked_parts<Tokenizer, unit, Hasher>;

 public:
  using tokenizer_type = typename parts::tokenizer;
  using hasher_type = typename parts::hasher;
  using feature_type = Feature;

 private:
  static constexpr std::size_t hash_words = detail::hasher_words<hasher_type>;

  struct state {
    detail::hash_scratch<tokenizer_type, hasher_type> tokens;
    detail::distinct_hashes<hash_words> distinct;
    detail::hash_sort_scratch<Feature> sorting;
    std::vector<Feature> features;
  };

 public:
  /// Scratch memory, reused for the next text. Each thread needs its own object.
  class workspace {
    friend feature_extractor;
    detail::made_when_used<state> memory_;
  };

  feature_extractor() = default;
  constexpr explicit feature_extractor(Tokenizer t, Hasher h = {}) : tokenizer(std::move(t)), hasher(std::move(h)) {}

  /// Returns the features of a text, ascending. The result is empty if the text has no tokens. The span is valid until
  /// the next use of the workspace.
  /// Complexity: linear in the length of the text.
  /// Memory: no allocation once the workspace has grown. A tokenizer may still allocate; see simhasher.
  [[nodiscard]] std::span<const Feature> operator()(std::string_view text, workspace& scratch) const {
    state& memory = scratch.memory_.get();
    compute(text, memory);
    return memory.features;
  }

  /// Returns the features of a text, ascending, in a new vector.
  [[nodiscard]] std::vector<Feature> operator()(std::string_view text) const {
    state memory;
    compute(text, memory);
    return std::move(memory.features);
  }

  tokenizer_type tokenizer{};  ///< finds the tokens of a text
  hasher_type hasher{};        ///< hashes a token

 private:
  void compute(std::string_view text, state& memory) const;
};

template <class Tokenizer, class Hasher, std::unsigned_integral Feature>
void feature_extractor<Tokenizer, Hasher, Feature>::compute(std::string_view text, state& memory) const {
  // Duplicate hashes are removed before sorting, so that less has to be sorted.
  memory.distinct.clear();
  detail::hash_tokens(tokenizer, hasher, text, memory.tokens,
                      [&](const detail::hash_block<hash_words>& block) { memory.distinct.add(block); });
  std::vector<Feature>& features = memory.features;
  features.resize(memory.distinct.size());
  const std::uint64_t* const hashes = memory.distinct.column(0);
  for (std::size_t i = 0; i < features.size(); ++i) features[i] = static_cast<Feature>(hashes[i]);
  // For a text with millions of features, `distinct` and `sorting` are several times as large as the text. So both
  // are released as soon as possible.
  constexpr std::size_t many = std::size_t{1} << 20;
  if (features.size() > many) memory.distinct = {};
  detail::hash_sort(features, memory.sorting);
  if (features.size() > many) memory.sorting = {};
  // Distinct hashes may have equal lowest bits. So duplicates are removed once more.
  features.erase(std::unique(features.begin(), features.end()), features.end());
}

template <class Tokenizer>
feature_extractor(Tokenizer) -> feature_extractor<Tokenizer>;
template <class Tokenizer, class Hasher>
feature_extractor(Tokenizer, Hasher) -> feature_extractor<Tokenizer, Hasher>;

}  // namespace neardup::inline v0
