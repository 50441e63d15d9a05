// SPDX-License-Identifier: MIT
// minwise_hasher: computes the min-wise code of a text with a tokenizer and a hasher. minwise_sketch: the minima from
// which a min-wise code is made.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "../simhash.hpp"
#include "../text/tokenizer.hpp"
#include "hashers.hpp"
#include "kernels/bin_minima.hpp"
#include "kernels/checked_parts.hpp"
#include "kernels/code_point_windows.hpp"
#include "kernels/token_kernel.hpp"
#include "kernels/votes.hpp"
#include "kernels/xxh3_windows.hpp"
#include "weighters.hpp"

namespace neardup::inline v0 {

template <class Tokenizer, class Hasher, std::size_t Bits>
class minwise_hasher;

/// The min-wise sketch of a feature set. A sketch has 4 bytes per bit of the min-wise code, whatever the size of the
/// set.
///
/// Only the lowest 32 bits of a feature are used. So the features of a text (from a feature_extractor) give the same
/// min-wise code as the text itself. The order of the features does not matter, nor do repeated features.
/// Example: `minwise_sketch<64> all = hash.sketch(title);  all.merge(hash.sketch(body));  auto code = all.result();`
template <std::size_t Bits>
class minwise_sketch {
 public:
  static constexpr std::size_t bits = Bits;

  /// Adds a token. `hash` is word 0 of the hash of the token.
  void add(std::uint64_t hash) noexcept { minima_.add(&hash, 1); }

  /// Adds hashes of tokens, or features from a feature_extractor.
  /// Complexity: linear. It is faster to add many features at a time.
  template <std::unsigned_integral Feature>
    requires(sizeof(Feature) >= sizeof(std::uint32_t))
  void add(std::span<const Feature> features) noexcept {
    constexpr std::size_t step = detail::max_added_hashes;
    std::uint64_t hashes[step];
    for (std::size_t first = 0; first < features.size(); first += step) {
      const auto part = features.subspan(first, (std::min)(step, features.size() - first));
      std::copy(part.begin(), part.end(), hashes);
      minima_.add(hashes, part.size());
    }
  }

  /// Merges another sketch. The result is the sketch of the union of the two sets.
  void merge(const minwise_sketch& other) noexcept { minima_.merge(other.minima_); }

  /// Returns true if no feature was added.
  [[nodiscard]] bool empty() const noexcept { return minima_.empty(); }

  /// Removes all features.
  void clear() noexcept { minima_.clear(); }

  /// Returns the min-wise code of the set, or nullopt if the set is empty.
  [[nodiscard]] std::optional<minwise<Bits>> result() const noexcept { return minima_.code(); }

  friend bool operator==(const minwise_sketch&, const minwise_sketch&) noexcept = default;

 private:
  template <class Tokenizer, class Hasher, std::size_t Width>
  friend class minwise_hasher;

  detail::bin_minima<Bits> minima_;
};

/// Computes the min-wise code of a text, a fingerprint of `Bits` bits. The fingerprint represents the set of the
/// distinct tokens, without weights.
///
/// The fingerprint depends only on the tokenizer, the hasher, their settings, and `Bits`. It does not depend on the
/// machine, the order of the tokens or their counts. Each token is hashed once for any number of bits, and only the
/// lowest 32 bits of the hash are used. You can use a minwise_hasher instead of a simhasher for text_stream,
/// fingerprint_all and fingerprint_deduplicator. docs/fingerprint.md defines the fingerprint bit by bit. `Tokenizer` is
/// a tokenizer, and `Hasher` is a token_hasher.
/// Thread safety: several threads may call const members at once.
/// Example: `minwise_hasher hash{shingles{2, words{}}, xxh3<64>{.seed = 42}};  auto code = hash(text);`
template <class Tokenizer, class Hasher = xxh3<64>, std::size_t Bits = 64>
class minwise_hasher {
  using parts = detail::checked_parts<Tokenizer, unit, Hasher>;

 public:
  using tokenizer_type = typename parts::tokenizer;
  using weighter_type = unit;
  using hasher_type = typename parts::hasher;
  static constexpr std::size_t bits = Bits;

  /// The number of 64-bit words of the full hash of a token.
  static constexpr std::size_t hash_words = detail::hasher_words<hasher_type>;
  using hash_type = std::array<std::uint64_t, hash_words>;
  using fingerprint_type = minwise<Bits>;
  using sketch_type = minwise_sketch<Bits>;

 private:
  using state = detail::fingerprint_scratch<tokenizer_type, unit, hasher_type, Bits, detail::vote_kind::minima>;

 public:
  /// Scratch memory, reused for the next text. Each thread needs its own object.
  class workspace {
    friend minwise_hasher;
    detail::made_when_used<state> memory_;
  };

  minwise_hasher() = default;
  constexpr explicit minwise_hasher(Tokenizer t, Hasher h = {}) : tokenizer(std::move(t)), hasher(std::move(h)) {}

  /// Returns the min-wise code of a text, or nullopt if the text has no tokens.
  /// Complexity: linear in the length of the text.
  [[nodiscard]] std::optional<fingerprint_type> operator()(std::string_view text) const {
    workspace scratch;
    return (*this)(text, scratch);
  }
  /// Returns the min-wise code of a text, or nullopt if the text has no tokens. Uses the caller's scratch memory.
  /// Memory: no allocation once the workspace has grown. A tokenizer may still allocate; see simhasher.
  [[nodiscard]] std::optional<fingerprint_type> operator()(std::string_view text, workspace& scratch) const {
    return collect(text, scratch).code();
  }

  /// Returns the sketch of a text. A sketch has the minima of a text, and can be merged with the sketches of other
  /// texts.
  [[nodiscard]] sketch_type sketch(std::string_view text) const {
    workspace scratch;
    return sketch(text, scratch);
  }
  [[nodiscard]] sketch_type sketch(std::string_view text, workspace& scratch) const {
    static_assert(
        !detail::counts_occurrences<tokenizer_type>(),
        "neardup: counted{tokenizer} counts within one text, so tokens of two texts cannot be merged; make the "
        "fingerprint of the whole text, or give it to a text_stream in chunks");
    sketch_type result;
    result.minima_ = collect(text, scratch);
    return result;
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

  /// Returns the full hash of a token, the lowest word first.
  [[nodiscard]] hash_type hash(std::string_view token) const { return detail::to_hash_words(hasher(token)); }

  tokenizer_type tokenizer{};                 ///< finds the tokens of a text
  static constexpr weighter_type weighter{};  ///< keeps each distinct token once
  hasher_type hasher{};                       ///< hashes a token

 private:
  const detail::bin_minima<Bits>& collect(std::string_view text, workspace& scratch) const {
    state& memory = scratch.memory_.get();
    memory.votes.collect(tokenizer, weighter, hasher, text, memory.tokens);
    return memory.votes.tokens();
  }
};

template <class Tokenizer>
minwise_hasher(Tokenizer) -> minwise_hasher<Tokenizer>;
template <class Tokenizer, class Hasher>
minwise_hasher(Tokenizer, Hasher) -> minwise_hasher<Tokenizer, Hasher>;

template <class Tokenizer, class Hasher, std::size_t Bits>
inline constexpr bool detail::is_text_hasher<minwise_hasher<Tokenizer, Hasher, Bits>> = true;

/// Makes a minwise_hasher of a given width: `make_minwise_hasher<128>(words{})`.
template <std::size_t Bits, class Tokenizer, class Hasher = xxh3<64>>
[[nodiscard]] constexpr auto make_minwise_hasher(Tokenizer t, Hasher h = {}) {
  return minwise_hasher<Tokenizer, Hasher, Bits>(std::move(t), std::move(h));
}

}  // namespace neardup::inline v0
