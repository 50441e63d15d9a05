// The minima of the tokens of one text: what stands for votes where a fingerprint is made of min-wise codes.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "../../minwise.hpp"
#include "../hashers.hpp"
#include "../weighters.hpp"
#include "bin_minima.hpp"
#include "token_kernel.hpp"

namespace neardup::inline v0::detail {

/// The code that minima make; nothing if they are of no feature.
template <std::size_t Bits>
[[nodiscard]] std::optional<minwise<Bits>> code_of(const bin_minima<Bits>& minima) noexcept {
  if (minima.empty()) return std::nullopt;
  return minwise<Bits>(minima.bits());
}

/// Collects the tokens of one text, as vote_collector does.
template <class Hasher, std::size_t Bits>
class minima_collector {
 public:
  static constexpr std::size_t hash_words = hasher_words<Hasher>;
  static_assert(hash_block<hash_words>::capacity <= max_added_hashes);

  void clear() noexcept { minima.clear(); }

  void add(const hash_block<hash_words>& block) noexcept { minima.add(block.columns[0], block.count); }

  /// The code of the tokens since clear(); nothing if there are none.
  [[nodiscard]] std::optional<minwise<Bits>> result(const unit& /*weigh*/, const Hasher& /*hash*/) const noexcept {
    return code_of(minima);
  }

  /// What gives the tokens of a text that comes in chunks.
  template <class Tokenizer>
  using stream = typename token_kernel<Tokenizer, Hasher>::stream;

  /// Calls `feed(sink...)`, which gives tokens as `stream` gives them to its sinks; `block` is where they may wait.
  template <class Feed>
  void receive(const unit& /*weigh*/, const Hasher& hash, hash_block<hash_words>& block, const Feed& feed) {
    const auto take = [&](const hash_block<hash_words>& full) { add(full); };
    const hash_writer<hash_words> out(block, take);
    feed(hash, out);
  }

  /// Collects all tokens of a text.
  template <class Tokenizer>
  void collect(const Tokenizer& tokenize, const Hasher& hash, std::string_view text,
               hash_scratch<Tokenizer, Hasher>& scratch) {
    clear();
    hash_tokens(tokenize, hash, text, scratch, [&](const hash_block<hash_words>& block) { add(block); });
  }

  bin_minima<Bits> minima;
};

}  // namespace neardup::inline v0::detail
