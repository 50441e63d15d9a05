// How the hashed tokens of a text become its fingerprint: the cheapest way that each weighter allows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bit_tally.hpp"
#include "../../detail/bits.hpp"
#include "../../error.hpp"
#include "../../instruction_set.hpp"
#include "weighted_sums.hpp"
#include "../../simhash.hpp"
#include "../accumulator.hpp"
#include "distinct_hashes.hpp"
#include "../feature_bag.hpp"
#include "hash_block.hpp"
#include "hashed_idf.hpp"
#include "../hashers.hpp"
#include "pair_counts.hpp"
#include "../weighters.hpp"
#include "window_counts.hpp"
#include "../xxh3.hpp"

namespace neardup::inline v0::detail {

/// Counts hashed tokens of one weight; the same fingerprint as an accumulator gives.
template <std::size_t Bits>
class equal_votes {
 public:
  static constexpr std::size_t words = words_for(Bits);

  void clear() noexcept {
    for (bit_tally& tally : tallies_) tally.clear();
  }

  /// Adds `n` hashes, of which `column(j)` are the words j.
  template <class Column>
  void add(const Column& column, std::size_t n) noexcept {
    for (std::size_t j = 0; j < words; ++j) count_bits(tallies_[j], column(j), n);
  }

  /// Adds the hashes of all windows of `n` bytes of a text. Precondition: that of count_windows.
  void add_windows(std::string_view text, std::size_t n, std::uint64_t seed) noexcept {
    for (std::size_t j = 0; j < words; ++j) {
      count_windows(tallies_[j], short_xxh3(n, seed + j * xxh3<>::seed_step), text);
    }
  }

  /// Adds the hashes of all pairs of code points of a text. Precondition: it has more than four bytes.
  /// Returns: whether the text is well-formed; otherwise what was added is of no use.
  [[nodiscard]] bool add_pairs(std::string_view text, std::uint64_t seed) noexcept {
    return pair_counter<words>(tallies_, seed).count(text);
  }

  /// The fingerprint of the tokens so far; nothing if there are none.
  [[nodiscard]] std::optional<simhash<Bits>> result() const {
    if (tallies_[0].total == 0) return std::nullopt;
    typename simhash<Bits>::words_type value{};
    for (std::size_t j = 0; j < words; ++j) value[j] = majority(tallies_[j]);
    value[words - 1] &= low_mask(Bits - word_bits * (words - 1));
    return simhash<Bits>(value);
  }

 private:
  std::array<bit_tally, words> tallies_;
};

/// What a weighter needs to know of the tokens of a text.
enum class vote_kind : std::uint8_t {
  occurrences,  // each occurrence has the same weight: no token need be remembered
  sums,         // the weight of an occurrence follows from its text
  distinct,     // which hashes came: they weigh the same, or what a table says of the hash
  counts,       // which hashes came how often
  texts,        // which texts came how often
};

template <class Weighter, class Hasher>
constexpr vote_kind vote_kind_of() {
  if constexpr (asks_idf_table<Weighter> && is_xxh3<Hasher>) {
    return linear_weighter<innermost_of<Weighter>> ? vote_kind::counts : vote_kind::distinct;
  } else if constexpr (linear_weighter<Weighter>) {
    return reads_token<Weighter>() ? vote_kind::sums : vote_kind::occurrences;
  } else if constexpr (reads_token<Weighter>()) {
    return vote_kind::texts;
  } else {
    return std::is_same_v<Weighter, unit> ? vote_kind::distinct : vote_kind::counts;
  }
}

/// The words of a hash that vote on a fingerprint of `Bits` bits.
template <std::size_t Bits, std::size_t Words>
constexpr std::array<std::uint64_t, words_for(Bits)> voting_words(
    const std::array<std::uint64_t, Words>& hash) noexcept {
  std::array<std::uint64_t, words_for(Bits)> result{};
  for (std::size_t j = 0; j < result.size(); ++j) result[j] = hash[j];
  return result;
}

/// The weights of all tokens of a collection, before any adjustment.
template <class Weighter, class Collection, std::size_t Words>
void weigh_tokens(const Weighter& weigh, const Collection& tokens, std::vector<weighted_token<Words>>& weighted) {
  weighted.clear();
  weighted.reserve(tokens.size());
  tokens.for_each([&](const std::array<std::uint64_t, Words>& hash, std::string_view token, std::uint64_t count) {
    weighted.push_back({hash, token_units(weigh, token, count)});
  });
}

/// The weights of distinct hashes by a table of hashes: as often as they came, where counts are given.
template <std::size_t Words, bool Counts>
void weigh_hashes(const hashed_idf& table, const distinct_hashes<Words, Counts>& tokens,
                  std::vector<weighted_token<Words>>& weighted) {
  weighted.resize(tokens.size());
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    for (std::size_t j = 0; j < Words; ++j) weighted[i].hash[j] = tokens.column(j)[i];
    const std::uint64_t units = table.units(weighted[i].hash[0]);
    weighted[i].units = units;
    if constexpr (Counts) {
      const std::uint64_t count = tokens.counts()[i];
      if (units != 0 && count > ~std::uint64_t{0} / units) {
        fail<std::overflow_error>("the weight of a token exceeds 2^64 - 1 units of 1/256");
      }
      weighted[i].units *= count;
    }
  }
}

/// The fingerprint of weighed tokens, which it adjusts.
template <class Weighter, std::size_t Bits, std::size_t Words>
std::optional<simhash<Bits>> fingerprint_of(const Weighter& weigh, std::vector<weighted_token<Words>>& tokens) {
  adjust_weights(weigh, tokens);
  std::uint64_t total = 0;
  for (const auto& token : tokens) {
    if (token.units > ~total) fail<std::overflow_error>("the weights of a text exceed 2^64 - 1 units of 1/256");
    total += token.units;
  }
  if (total == 0) return std::nullopt;
  static_assert(sizeof(weighted_token<Words>) == (Words + 1) * sizeof(std::uint64_t));
  const instruction_set level = active_instruction_set();
  typename simhash<Bits>::words_type value{};
  for (std::size_t j = 0; j < words_for(Bits); ++j) {
    std::uint64_t sums[word_bits] = {};
    add_weighted(sums, &tokens.front().hash[j], &tokens.front().units, Words + 1, tokens.size(), level);
    for (std::size_t i = 0; i < word_bits && word_bits * j + i < Bits; ++i) {
      value[j] |= std::uint64_t{is_more_than_half(sums[i], total)} << i;
    }
  }
  return simhash<Bits>(value);
}

/// Collects the tokens of one text. Memory is reused from text to text.
template <class Weighter, class Hasher, std::size_t Bits>
class vote_collector {
 public:
  static constexpr std::size_t hash_words = hasher_words<Hasher>;
  static constexpr vote_kind kind = vote_kind_of<Weighter, Hasher>();
  /// Whether it wants blocks of hashes, or each token with its text.
  static constexpr bool takes_blocks = kind != vote_kind::sums && kind != vote_kind::texts;

  /// Whether it can count the windows of a text at once.
  static constexpr bool counts_windows = kind == vote_kind::occurrences && is_xxh3<Hasher>;

  void clear() noexcept {
    if constexpr (kind == vote_kind::occurrences)
      votes_.clear();
    else
      tokens_.clear();
  }

  void add(const hash_block<hash_words>& block) requires takes_blocks {
    if constexpr (kind == vote_kind::occurrences) {
      votes_.add([&](std::size_t j) { return block.columns[j]; }, block.count);
    } else {
      tokens_.add(block);
    }
  }

  void add(const Weighter& weigh, const std::array<std::uint64_t, hash_words>& hash,
           std::string_view token) requires(!takes_blocks) {
    if constexpr (kind == vote_kind::sums) {
      tokens_.add(voting_words<Bits>(hash), occurrence_weight(weigh, token));
    } else {
      tokens_.add(hash, token);
    }
  }

  /// The same for all windows of a text, which need no block.
  void add_windows(std::string_view text, std::size_t n, const Hasher& hash) requires counts_windows {
    votes_.add_windows(text, n, hash.seed);
  }

  /// The same for all pairs of code points of a text. Returns: false if it is ill-formed; clear() has to follow then.
  [[nodiscard]] bool add_pairs(std::string_view text, const Hasher& hash) requires counts_windows {
    return votes_.add_pairs(text, hash.seed);
  }

  /// The fingerprint of the tokens since clear(); nothing if there are none, or if all of them weigh 0.
  [[nodiscard]] std::optional<simhash<Bits>> result(const Weighter& weigh, [[maybe_unused]] const Hasher& hash) {
    if constexpr (asks_idf_table<Weighter> && is_xxh3<Hasher>) {
      weigh_hashes(innermost(weigh).by_hash(hash.seed), tokens_, weighted_);
      return fingerprint_of<Weighter, Bits>(weigh, weighted_);
    } else if constexpr (kind == vote_kind::occurrences) {
      if (occurrence_weight(weigh, {}).raw() == 0) return std::nullopt;
      return votes_.result();
    } else if constexpr (kind == vote_kind::sums) {
      return tokens_.result();
    } else if constexpr (kind == vote_kind::distinct) {
      equal_votes<Bits> votes;
      votes.add([&](std::size_t j) { return tokens_.column(j); }, tokens_.size());
      return votes.result();
    } else {
      weigh_tokens(weigh, tokens_, weighted_);
      return fingerprint_of<Weighter, Bits>(weigh, weighted_);
    }
  }

 private:
  struct nothing {};
  using collection = std::conditional_t<
      kind == vote_kind::occurrences, nothing,
      std::conditional_t<kind == vote_kind::sums, accumulator<Bits>,
                         std::conditional_t<kind == vote_kind::texts, feature_bag<hash_words, true>,
                                            distinct_hashes<hash_words, kind == vote_kind::counts>>>>;

  collection tokens_;
  std::conditional_t<kind == vote_kind::occurrences, equal_votes<Bits>, nothing> votes_;
  std::vector<weighted_token<hash_words>> weighted_;
};

}  // namespace neardup::inline v0::detail
