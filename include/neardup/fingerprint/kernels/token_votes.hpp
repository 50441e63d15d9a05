// The tokens of a text for weighters that read them: one after the other, each with its text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../simhash.hpp"
#include "../../text/tokenizer.hpp"
#include "../accumulator.hpp"
#include "../feature_bag.hpp"
#include "../hashers.hpp"
#include "../weighters.hpp"
#include "token_kernel.hpp"
#include "votes.hpp"

namespace neardup::inline v0::detail {

/// The words of a hash that vote on a fingerprint of `Bits` bits.
template <std::size_t Bits, std::size_t Words>
constexpr std::array<std::uint64_t, words_for(Bits)> voting_words(
    const std::array<std::uint64_t, Words>& hash) noexcept {
  std::array<std::uint64_t, words_for(Bits)> result{};
  for (std::size_t j = 0; j < result.size(); ++j) result[j] = hash[j];
  return result;
}

/// A linear weighter gives the weight of each occurrence, which is added at once; for others tokens are counted with
/// their texts.
template <class Weighter, class Hasher, std::size_t Bits>
class vote_collector<Weighter, Hasher, Bits, vote_kind::texts> {
 public:
  static constexpr std::size_t hash_words = hasher_words<Hasher>;

  void clear() noexcept { tokens_.clear(); }

  [[nodiscard]] std::optional<simhash<Bits>> result([[maybe_unused]] const Weighter& weigh, const Hasher& /*hash*/) {
    if constexpr (linear_weighter<Weighter>) {
      return tokens_.result();
    } else {
      weigh_tokens(weigh, tokens_, weighted);
      return fingerprint_of<Weighter, Bits>(weigh, weighted);
    }
  }

  template <class Tokenizer>
  using stream = token_stream<Tokenizer>;

  void add(const hash_block<hash_words>& /*block*/) {}

  template <class Feed>
  void receive([[maybe_unused]] const Weighter& weigh, const Hasher& hash, hash_block<hash_words>& /*block*/,
               const Feed& feed) {
    auto add_token = [&](std::string_view token) {
      const auto value = to_hash_words(hash(token));
      if constexpr (linear_weighter<Weighter>) {
        tokens_.add(voting_words<Bits>(value), occurrence_weight(weigh, token));
      } else {
        tokens_.add(value, token);
      }
    };
    feed(add_token);
  }

  template <class Tokenizer>
  void collect(const Tokenizer& tokenize, const Weighter& weigh, const Hasher& hash, std::string_view text,
               hash_scratch<Tokenizer, Hasher>& scratch) {
    clear();
    receive(weigh, hash, scratch.block, [&](auto& add_token) { tokenize(text, add_token); });
  }

  /// Memory for weighed tokens.
  std::vector<weighted_token<hash_words>> weighted;

 private:
  std::conditional_t<linear_weighter<Weighter>, accumulator<Bits>, feature_bag<hash_words, true>> tokens_;
};

}  // namespace neardup::inline v0::detail
