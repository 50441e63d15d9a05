// From a text to its fingerprint: a tokenizer, a weighter and a hasher, put together.
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
#include "weighters.hpp"
#include "xxh3.hpp"

namespace neardup::inline v0 {

/// Computes fingerprints of `Bits` bits: the tokens of a text, weighed and hashed, vote on each bit.
///
/// A fingerprint depends on the three components, their settings and `Bits`, and on nothing else: not on the machine,
/// nor on the order of the tokens. Its const members may be called from many threads at once.
/// Example: `simhasher hash{shingles{2, words{}}, unit{}, xxh3<128>{.seed = 42}};  auto fingerprint = hash(text);`
template <tokenizer Tokenizer, weighter Weighter = unit, token_hasher Hasher = xxh3<64>,
          std::size_t Bits = hasher_bits<Hasher>>
class simhasher {
  static_assert(detail::hash_result_of<Hasher>::bits >= Bits,
                "neardup: the hasher is narrower than the fingerprint; name a smaller width, or use xxh3<Bits>");

 public:
  static constexpr std::size_t bits = Bits;

  /// The number of 64-bit words of a token's full hash, which may be wider than the fingerprint.
  static constexpr std::size_t hash_words = hasher_words<Hasher>;
  using hash_type = std::array<std::uint64_t, hash_words>;
  using fingerprint_type = simhash<Bits>;
  using bag_type = feature_bag<hash_words, detail::reads_token<Weighter>()>;

  /// Memory that is reused from text to text: one for each thread.
  class workspace {
    friend simhasher;
    bag_type bag_;
    std::vector<weighted_token<hash_words>> weighted_;
  };

  simhasher() = default;
  constexpr explicit simhasher(Tokenizer t, Weighter w = {}, Hasher h = {})
      : tokenizer(std::move(t)), weighter(std::move(w)), hasher(std::move(h)) {}

  /// The fingerprint of a text; nothing if it has no tokens, or if all of them weigh 0.
  /// Complexity: linear in the text on average.
  [[nodiscard]] std::optional<fingerprint_type> operator()(std::string_view text) const {
    if constexpr (linear_weighter<Weighter>) {
      return sums_of(text).result();
    } else {
      workspace scratch;
      return (*this)(text, scratch);
    }
  }

  /// The same with memory that is reused.
  [[nodiscard]] std::optional<fingerprint_type> operator()(std::string_view text, workspace& scratch) const {
    if constexpr (linear_weighter<Weighter>) {
      return (*this)(text);
    } else {
      scratch.bag_.clear();
      count_in(scratch.bag_, text);
      return (*this)(scratch.bag_, scratch);
    }
  }

  /// The fingerprint of the tokens in a bag, which may be merged from several texts.
  [[nodiscard]] std::optional<fingerprint_type> operator()(const bag_type& bag) const {
    workspace scratch;
    return (*this)(bag, scratch);
  }
  [[nodiscard]] std::optional<fingerprint_type> operator()(const bag_type& bag, workspace& scratch) const {
    std::vector<weighted_token<hash_words>>& weighted = scratch.weighted_;
    weighted.clear();
    weighted.reserve(bag.size());
    bag.for_each([&](const hash_type& hash, std::string_view token, std::uint64_t count) {
      weighted.push_back({hash, detail::token_units(weighter, token, count)});
    });
    detail::adjust_weights(weighter, weighted);
    accumulator<Bits> sums;
    for (const auto& token : weighted) sums.add_units(narrow(token.hash), token.units);
    return sums.result();
  }

  /// The distinct tokens of a text with their counts.
  [[nodiscard]] bag_type bag(std::string_view text) const {
    bag_type result;
    count_in(result, text);
    return result;
  }

  /// Counts the tokens of a text in a bag. Guarantee: if it throws, the bag is as it was.
  void add_to(bag_type& counts, std::string_view text) const { counts.merge(bag(text)); }

  /// Adds the tokens of a text to an accumulator. For linear weighters only, tf and tf_idf: their sums can be merged.
  /// Guarantee: if it throws, the accumulator is as it was.
  void add_to(accumulator<Bits>& sums, std::string_view text) const
    requires linear_weighter<Weighter>
  {
    sums.merge(sums_of(text));
  }

  /// The hashes of the distinct tokens of a text, sorted: the set that the Jaccard similarity compares.
  [[nodiscard]] std::vector<hash_type> features(std::string_view text) const {
    std::vector<hash_type> result;
    auto add = [&](std::string_view token) { result.push_back(hash(token)); };
    tokenizer(text, add);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  /// The full hash of a token, lowest word first.
  [[nodiscard]] hash_type hash(std::string_view token) const { return detail::to_hash_words(hasher(token)); }

  /// The words of a hash that vote on the fingerprint.
  [[nodiscard]] static typename accumulator<Bits>::hash_type narrow(const hash_type& hash) noexcept {
    typename accumulator<Bits>::hash_type result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = hash[i];
    return result;
  }

  Tokenizer tokenizer{};  ///< cuts a text into tokens
  Weighter weighter{};    ///< says how much each token counts
  Hasher hasher{};        ///< turns a token into bits

 private:
  void count_in(bag_type& counts, std::string_view text) const {
    auto count = [&](std::string_view token) { counts.add(hash(token), token); };
    tokenizer(text, count);
  }

  [[nodiscard]] accumulator<Bits> sums_of(std::string_view text) const
    requires linear_weighter<Weighter>
  {
    accumulator<Bits> sums;
    auto add = [&](std::string_view token) {
      sums.add(narrow(hash(token)), detail::occurrence_weight(weighter, token));
    };
    tokenizer(text, add);
    return sums;
  }
};

template <class Tokenizer>
simhasher(Tokenizer) -> simhasher<Tokenizer>;
template <class Tokenizer, class Weighter>
simhasher(Tokenizer, Weighter) -> simhasher<Tokenizer, Weighter>;
template <class Tokenizer, class Weighter, class Hasher>
simhasher(Tokenizer, Weighter, Hasher) -> simhasher<Tokenizer, Weighter, Hasher>;

/// A simhasher whose width is named, at most that of the hasher: `make_simhasher<32>(words{})`.
template <std::size_t Bits, tokenizer Tokenizer, weighter Weighter = unit, token_hasher Hasher = xxh3<Bits>>
[[nodiscard]] constexpr auto make_simhasher(Tokenizer t, Weighter w = {}, Hasher h = {}) {
  return simhasher<Tokenizer, Weighter, Hasher, Bits>(std::move(t), std::move(w), std::move(h));
}

}  // namespace neardup::inline v0
