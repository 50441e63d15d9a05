// SPDX-License-Identifier: MIT
// simhasher: computes the SimHash fingerprint of a text with a tokenizer, a weighter and a hasher.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "../simhash.hpp"
#include "../text/tokenizer.hpp"
#include "accumulator.hpp"
#include "feature_bag.hpp"
#include "hashers.hpp"
#include "kernels/checked_parts.hpp"
#include "kernels/code_point_windows.hpp"
#include "kernels/token_kernel.hpp"
#include "kernels/votes.hpp"
#include "kernels/xxh3_windows.hpp"
#include "weighters.hpp"

namespace neardup::inline v0 {

/// Computes SimHash fingerprints of `Bits` bits. Each token of a text has a weight and a hash, and votes on each bit.
///
/// A fingerprint depends only on the tokenizer, the weighter, the hasher, their settings, and `Bits`. It does not
/// depend on the machine or the order of the tokens. `Tokenizer` is a tokenizer, `Weighter` is a weighter, and `Hasher`
/// is a token_hasher of at least `Bits` bits.
/// Thread safety: several threads may call const members at once.
/// Example: `simhasher hash{shingles{2, words{}}, unit{}, xxh3<128>{.seed = 42}};  auto fingerprint = hash(text);`
template <class Tokenizer, class Weighter = unit, class Hasher = xxh3<64>,
          std::size_t Bits = detail::hasher_width<Hasher>()>
class simhasher {
  using parts = detail::checked_parts<Tokenizer, Weighter, Hasher, Bits>;

 public:
  using tokenizer_type = typename parts::tokenizer;
  using weighter_type = typename parts::weighter;
  using hasher_type = typename parts::hasher;
  static constexpr std::size_t bits = Bits;

  /// The number of 64-bit words of the full hash of a token. The hash may be wider than the fingerprint.
  static constexpr std::size_t hash_words = detail::hasher_words<hasher_type>;
  using hash_type = std::array<std::uint64_t, hash_words>;
  using fingerprint_type = simhash<Bits>;
  using bag_type = feature_bag<hash_words, detail::reads_token<weighter_type>()>;

 private:
  using state = detail::fingerprint_scratch<tokenizer_type, weighter_type, hasher_type, Bits>;

 public:
  /// Scratch memory, reused for the next text. Each thread needs its own object.
  class workspace {
    friend simhasher;
    detail::made_when_used<state> memory_;
  };

  simhasher() = default;
  constexpr explicit simhasher(Tokenizer t, Weighter w = {}, Hasher h = {})
      : tokenizer(std::move(t)), weighter(std::move(w)), hasher(std::move(h)) {}

  /// Returns the fingerprint of a text, or nullopt if the text has no tokens or all its tokens have weight 0.
  /// Complexity: on average linear in the length of the text.
  [[nodiscard]] std::optional<fingerprint_type> operator()(std::string_view text) const {
    return detail::fingerprint_text<Bits>(tokenizer, weighter, hasher, text);
  }

  /// Returns the fingerprint of a text, as the call without scratch memory does.
  /// Memory: no allocation once the workspace has grown. Only a tokenizer without a fast path may still allocate, for
  /// example shingles with a user's hasher, or n-grams of more than 64 code points.
  [[nodiscard]] std::optional<fingerprint_type> operator()(std::string_view text, workspace& scratch) const {
    return detail::fingerprint_text(tokenizer, weighter, hasher, text, scratch.memory_.get());
  }

  /// Returns the fingerprint of the tokens in a bag. The bag may be merged from several texts.
  [[nodiscard]] std::optional<fingerprint_type> operator()(const bag_type& bag) const {
    std::vector<weighted_token<hash_words>> weighted;
    return fingerprint(bag, weighted);
  }
  [[nodiscard]] std::optional<fingerprint_type> operator()(const bag_type& bag, workspace& scratch) const {
    return fingerprint(bag, scratch.memory_.get().votes.weighted);
  }

  /// Returns the distinct tokens of a text with their counts.
  [[nodiscard]] bag_type bag(std::string_view text) const {
    static_assert(
        !detail::counts_occurrences<tokenizer_type>(),
        "neardup: counted{tokenizer} counts within one text, so tokens of two texts cannot be merged; make the "
        "fingerprint of the whole text, or give it to a text_stream in chunks");
    return count(text);
  }

  /// Adds the tokens of a text to the bag `counts`.
  /// Guarantee: strong.
  void add_to(bag_type& counts, std::string_view text) const { counts.merge(bag(text)); }

  /// Adds the tokens of a text to the accumulator `sums`. The weighter has to be linear (tf or tf_idf), so that sums
  /// can be merged.
  /// Guarantee: strong.
  void add_to(accumulator<Bits>& sums, std::string_view text) const {
    static_assert(
        !detail::counts_occurrences<tokenizer_type>(),
        "neardup: counted{tokenizer} counts within one text, so tokens of two texts cannot be merged; make the "
        "fingerprint of the whole text, or give it to a text_stream in chunks");
    if constexpr (detail::linear_weighter<weighter_type>) {
      accumulator<Bits> added;
      auto add = [&](std::string_view token) {
        added.add(detail::voting_words<Bits>(hash(token)), detail::occurrence_weight(weighter, token));
      };
      tokenizer(text, add);
      sums.merge(added);
    }
    static_assert(detail::linear_weighter<weighter_type>,
                  "neardup: only a weighter that weighs each occurrence by itself, as tf and tf_idf do, adds to an "
                  "accumulator; count the tokens in a bag instead, as add_to(bag, text) does");
  }

  /// Returns the sorted hashes of the distinct tokens of a text. The Jaccard similarity compares such sets.
  [[nodiscard]] std::vector<hash_type> features(std::string_view text) const {
    std::vector<hash_type> result;
    workspace scratch;
    features(text, scratch, result);
    return result;
  }

  /// Writes the result of features(text) to `result`. Uses the caller's scratch memory.
  void features(std::string_view text, workspace& scratch, std::vector<hash_type>& result) const {
    detail::collect_features(tokenizer, hasher, text, scratch.memory_.get().tokens, result);
  }

  /// Returns the distinct tokens of a text with their weights, sorted by hash. weighted_cosine() compares such sets.
  /// Tokens of weight 0 are left out.
  [[nodiscard]] std::vector<weighted_token<hash_words>> weighted_features(std::string_view text) const {
    std::vector<weighted_token<hash_words>> result;
    detail::weigh_tokens(weighter, count(text), result);
    detail::adjust_weights(weighter, result);
    result.erase(std::remove_if(result.begin(), result.end(), [](const auto& token) { return token.units == 0; }),
                 result.end());
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.hash < b.hash; });
    return result;
  }

  /// Returns the full hash of a token, the lowest word first.
  [[nodiscard]] hash_type hash(std::string_view token) const { return detail::to_hash_words(hasher(token)); }

  tokenizer_type tokenizer{};  ///< finds the tokens of a text
  weighter_type weighter{};    ///< weighs each token
  hasher_type hasher{};        ///< hashes a token

 private:
  [[nodiscard]] bag_type count(std::string_view text) const {
    bag_type result;
    auto add = [&](std::string_view token) { result.add(hash(token), token); };
    tokenizer(text, add);
    return result;
  }
  [[nodiscard]] std::optional<fingerprint_type> fingerprint(const bag_type& bag,
                                                            std::vector<weighted_token<hash_words>>& weighted) const {
    detail::weigh_tokens(weighter, bag, weighted);
    return detail::fingerprint_of<weighter_type, Bits>(weighter, weighted);
  }
};

template <class Tokenizer>
simhasher(Tokenizer) -> simhasher<Tokenizer>;
template <class Tokenizer, class Weighter>
simhasher(Tokenizer, Weighter) -> simhasher<Tokenizer, Weighter>;
template <class Tokenizer, class Weighter, class Hasher>
simhasher(Tokenizer, Weighter, Hasher) -> simhasher<Tokenizer, Weighter, Hasher>;

template <class Tokenizer, class Weighter, class Hasher, std::size_t Bits>
inline constexpr bool detail::is_text_hasher<simhasher<Tokenizer, Weighter, Hasher, Bits>> = true;

/// Makes a simhasher of a chosen width, which is at most the width of the hasher: `make_simhasher<32>(words{})`.
template <std::size_t Bits, class Tokenizer, class Weighter = unit, class Hasher = xxh3<Bits>>
[[nodiscard]] constexpr auto make_simhasher(Tokenizer t, Weighter w = {}, Hasher h = {}) {
  return simhasher<Tokenizer, Weighter, Hasher, Bits>(std::move(t), std::move(w), std::move(h));
}

}  // namespace neardup::inline v0
