// SPDX-License-Identifier: MIT
// Computes the fingerprint from the hashes of tokens. The algorithm depends on the data that the weighter needs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../error.hpp"
#include "../../instruction_set.hpp"
#include "../../simd/forms.hpp"
#include "../../simhash.hpp"
#include "../../text/tokenizer.hpp"
#include "../accumulator.hpp"
#include "../feature_bag.hpp"
#include "../hashers.hpp"
#include "../weighters.hpp"
#include "bin_minima.hpp"
#include "bit_tally.hpp"
#include "distinct_hashes.hpp"
#include "token_kernel.hpp"

namespace neardup::inline v0::detail {

/// For each of `n` tokens t, and each bit i that is set in words[t * stride], adds weights[t * stride] to sums[i],
/// modulo 2^64. This is the reference implementation.
inline void add_weighted_one_by_one(std::uint64_t* sums, const std::uint64_t* words, const std::uint64_t* weights,
                                    std::size_t stride, std::size_t n) noexcept {
  for (std::size_t t = 0; t < n; ++t) {
    for (std::size_t i = 0; i < 64; ++i) sums[i] += weights[t * stride] & (0 - (words[t * stride] >> i & 1U));
  }
}

/// Adds weights with 16 additions per token, where add_weighted_one_by_one needs 64. Every four bits of a word are a
/// value from 0 to 15, which chooses one of 16 partial sums. At the end, sums[i] gets the partial sums of the values
/// with bit i set. For 1,024 tokens, the function takes a quarter of the time of add_weighted_one_by_one. It calls that
/// function for fewer than 16 tokens, because adding the partial sums would take longer.
inline void add_weighted_portable(std::uint64_t* sums, const std::uint64_t* words, const std::uint64_t* weights,
                                  std::size_t stride, std::size_t n) noexcept {
  constexpr std::size_t few = 16;
  if (n < few) return add_weighted_one_by_one(sums, words, weights, stride, n);
  std::uint64_t by_value[16][16] = {};
  for (std::size_t t = 0; t < n; ++t) {
    for (std::size_t i = 0; i < 16; ++i) by_value[i][words[t * stride] >> (4 * i) & 0xfU] += weights[t * stride];
  }
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t bit = 4; bit-- > 0;) {
      // The values from half to 2 * half - 1 have `bit` as their highest bit.
      const std::size_t half = std::size_t{1} << bit;
      for (std::size_t value = 0; value < half; ++value) {
        sums[4 * i + bit] += by_value[i][half + value];
        by_value[i][value] += by_value[i][half + value];
      }
    }
  }
}

#if NEARDUP_X86_KERNELS

NEARDUP_AVX512_BEGIN

/// The AVX-512 version of add_weighted_one_by_one. Each byte of a word is the mask of an addition to eight sums. All
/// sums stay in registers. The function takes 12 cycles per token, and the portable loop takes 11 to 40.
template <std::size_t... At>
void add_weighted_avx512(std::uint64_t* sums, const std::uint64_t* words, const std::uint64_t* weights,
                         std::size_t stride, std::size_t n, std::index_sequence<At...>) noexcept {
  __m512i eight[] = {_mm512_loadu_si512(sums + 8 * At)...};
  for (std::size_t t = 0; t < n; ++t) {
    const __m512i weight = _mm512_set1_epi64(static_cast<long long>(weights[t * stride]));
    const std::uint64_t word = words[t * stride];
    ((eight[At] = _mm512_mask_add_epi64(eight[At], static_cast<__mmask8>(word >> 8 * At), eight[At], weight)), ...);
  }
  (_mm512_storeu_si512(sums + 8 * At, eight[At]), ...);
}
NEARDUP_END

constexpr auto add_weighted_of(avx512_form) noexcept {
  return [](std::uint64_t* sums, const std::uint64_t* words, const std::uint64_t* weights, std::size_t stride,
            std::size_t n) noexcept {
    add_weighted_avx512(sums, words, weights, stride, n, std::make_index_sequence<8>{});
  };
}

#endif

constexpr auto add_weighted_of(portable_form) noexcept { return add_weighted_portable; }

inline void add_weighted(std::uint64_t* sums, const std::uint64_t* words, const std::uint64_t* weights,
                         std::size_t stride, std::size_t n, instruction_set level) noexcept {
  choose_form(level, [&](auto form) { add_weighted_of(form)(sums, words, weights, stride, n); });
}

/// The votes of hashed tokens with equal weights. The fingerprint is the same as that of an accumulator.
template <std::size_t Bits>
class equal_votes {
 public:
  static constexpr std::size_t words = words_for(Bits);

  void clear() noexcept {
    for (bit_tally& tally : tallies_) tally.clear();
  }

  /// Adds `n` hashes. `column(j)` returns a pointer to an array that has word j of each hash.
  template <class Column>
  void add(const Column& column, std::size_t n) noexcept {
    for (std::size_t j = 0; j < words; ++j) count_bits(tallies_[j], column(j), n);
  }

  /// Returns the tallies, for kernels that count the bits of hashes themselves.
  [[nodiscard]] std::array<bit_tally, words>& tallies() noexcept { return tallies_; }

  /// Returns the fingerprint of the tokens so far, or nullopt if there are no tokens.
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

/// The data about the tokens of a text that a weighter needs.
enum class vote_kind : std::uint8_t {
  occurrences,  // nothing: each occurrence has the same weight
  distinct,     // the set of hashes: all weigh the same, or a table has the weight of each hash
  counts,       // the count of each hash
  texts,        // the text of each token
  minima,       // the least hashes, for min-wise codes, which have no weights
};

template <class Weighter, class Hasher>
constexpr vote_kind vote_kind_of() {
  static_assert(!units_weighter<innermost_of<Weighter>> || is_xxh3<Hasher>,
                "neardup: any_weighter needs the hasher xxh3; give another hasher the weighter itself, such as tf{}");
  if constexpr (asks_idf_table<Weighter> && is_xxh3<Hasher>) {
    using inner = innermost_of<Weighter>;
    return linear_weighter<inner> || units_weighter<inner> ? vote_kind::counts : vote_kind::distinct;
  } else if constexpr (reads_token<Weighter>()) {
    return vote_kind::texts;
  } else if constexpr (linear_weighter<Weighter>) {
    return vote_kind::occurrences;
  } else {
    return std::is_same_v<Weighter, unit> ? vote_kind::distinct : vote_kind::counts;
  }
}

/// Sorts `weighted` by hash, unites the tokens with equal hashes, and adds the weights of these tokens.
template <std::size_t Words>
void join_equal_hashes(std::vector<weighted_token<Words>>& weighted) {
  std::sort(weighted.begin(), weighted.end(), [](const auto& a, const auto& b) { return a.hash < b.hash; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < weighted.size(); ++i) {
    if (weighted[i].hash != weighted[kept].hash) {
      weighted[++kept] = weighted[i];
    } else if (weighted[i].units > ~weighted[kept].units) {
      fail_heavy_token();
    } else {
      weighted[kept].units += weighted[i].units;
    }
  }
  weighted.resize(kept + 1);
}

/// Sets `weighted` to the tokens of a collection, with their weights. Adjusters may change the weights later.
template <class Weighter, class Collection, std::size_t Words>
void weigh_tokens(const Weighter& weigh, const Collection& tokens, std::vector<weighted_token<Words>>& weighted) {
  weighted.clear();
  weighted.reserve(tokens.size());
  tokens.for_each([&](const std::array<std::uint64_t, Words>& hash, std::string_view token, std::uint64_t count) {
    weighted.push_back({hash, token_units(weigh, token, count)});
  });
  // Only a collection with texts may have several tokens with the same hash.
  if constexpr (requires { tokens.has_equal_hashes(); }) {
    if (tokens.has_equal_hashes()) join_equal_hashes(weighted);
  }
}

/// Sets `weighted` to the hashes in `tokens`, with their weights. `table` returns the weight of a hash and its count,
/// or the weight of one occurrence. If `tokens` has counts, the weight of an occurrence is multiplied by the count.
template <class Table, std::size_t Words, bool Counts>
void weigh_hashes(const Table& table, const distinct_hashes<Words, Counts>& tokens,
                  std::vector<weighted_token<Words>>& weighted) {
  weighted.resize(tokens.size());
  // Prefetches all table entries before the lookups, so that the cache misses overlap.
  for (std::size_t i = 0; i < weighted.size(); ++i) table.prefetch(tokens.column(0)[i]);
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    for (std::size_t j = 0; j < Words; ++j) weighted[i].hash[j] = tokens.column(j)[i];
    const std::uint64_t hash = weighted[i].hash[0];
    if constexpr (requires { table.units(hash, hash); }) {
      weighted[i].units = table.units(hash, tokens.counts()[i]);
    } else if constexpr (Counts) {
      weighted[i].units = units_of_all(table.value(hash), tokens.counts()[i]);
    } else {
      weighted[i].units = table.value(hash);
    }
  }
}

/// Returns the fingerprint of weighted tokens. Adjusters, which are weighters with a member `inner`, change the weights
/// in `tokens` first.
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

/// Returns the words of a hash that a fingerprint of `Bits` bits uses. The hash may have more words.
template <std::size_t Bits, std::size_t Words>
constexpr std::array<std::uint64_t, words_for(Bits)> voting_words(
    const std::array<std::uint64_t, Words>& hash) noexcept {
  std::array<std::uint64_t, words_for(Bits)> result{};
  for (std::size_t j = 0; j < result.size(); ++j) result[j] = hash[j];
  return result;
}

/// Collects the tokens of one text in the way that `Kind` requires. The memory is reused for the next text.
template <class Weighter, class Hasher, std::size_t Bits, vote_kind Kind = vote_kind_of<Weighter, Hasher>()>
class vote_collector {
 public:
  static constexpr std::size_t hash_words = hasher_words<Hasher>;
  /// True if the weighter reads the text of a token and is linear: the weight of a token is proportional to its count.
  /// The weight of each occurrence is then added immediately, and no token is kept.
  static constexpr bool adds_weights = Kind == vote_kind::texts && linear_weighter<Weighter>;
  using fingerprint_type = std::conditional_t<Kind == vote_kind::minima, minwise<Bits>, simhash<Bits>>;

  void clear() noexcept {
    tokens_.clear();
    are_weighed_ = false;
  }

  void add([[maybe_unused]] const hash_block<hash_words>& block) {
    if constexpr (Kind == vote_kind::occurrences) {
      tokens_.add([&](std::size_t j) { return block.columns[j]; }, block.count);
    } else if constexpr (Kind == vote_kind::minima) {
      static_assert(hash_block<hash_words>::capacity <= max_added_hashes);
      tokens_.add(block.columns[0], block.count);
    } else if constexpr (Kind != vote_kind::texts) {
      tokens_.add(block);
    }
  }

  /// Returns the fingerprint of the tokens since clear(), or nullopt if there are no tokens or all have weight 0.
  [[nodiscard]] std::optional<fingerprint_type> result([[maybe_unused]] const Weighter& weigh,
                                                       [[maybe_unused]] const Hasher& hash) {
    if constexpr (Kind == vote_kind::minima) {
      return tokens_.code();
    } else if constexpr (Kind == vote_kind::occurrences) {
      if (occurrence_weight(weigh, {}).raw() == 0) return std::nullopt;
      return tokens_.result();
    } else if constexpr (adds_weights) {
      return tokens_.result();
    } else if constexpr (std::is_same_v<Weighter, unit>) {
      equal_votes<Bits> votes;
      votes.add([&](std::size_t j) { return tokens_.column(j); }, tokens_.size());
      return votes.result();
    } else {
      if constexpr (units_weighter<innermost_of<Weighter>>) {
        innermost(weigh).with_table(hash.seed, [&](const auto& table) { weigh_hashes(table, tokens_, weighted); });
      } else if constexpr (asks_idf_table<Weighter> && is_xxh3<Hasher>) {
        if (!are_weighed_) weigh_hashes(innermost(weigh).by_hash(hash.seed), tokens_, weighted);
      } else {
        weigh_tokens(weigh, tokens_, weighted);
      }
      return fingerprint_of<Weighter, Bits>(weigh, weighted);
    }
  }

  /// True if the sink of receive() takes blocks of tokens.
  static constexpr bool takes_blocks = Kind != vote_kind::texts && is_xxh3<Hasher>;

  /// Calls `feed(sink)`. The tokens that the sink receives are added to this collector. On return, the last hashes may
  /// still be in `block`.
  template <class Feed>
  void receive([[maybe_unused]] const Weighter& weigh, const Hasher& hash,
               [[maybe_unused]] hash_block<hash_words>& block, const Feed& feed) {
    if constexpr (Kind == vote_kind::texts) {
      auto add_token = [&](std::string_view token) { add_text(weigh, to_hash_words(hash(token)), token); };
      feed(add_token);
    } else {
      const auto take = [&](const hash_block<hash_words>& full) { add(full); };
      with_hash_sink(hash, hash_writer(block, take), feed);
    }
  }

  /// Collects all tokens of a text.
  template <class Tokenizer>
  void collect(const Tokenizer& tokenize, [[maybe_unused]] const Weighter& weigh, const Hasher& hash,
               std::string_view text, hash_scratch<Tokenizer, Hasher>& scratch) {
    using kernel = token_kernel<Tokenizer, Hasher>;
    clear();
    if constexpr (Kind == vote_kind::texts) {
      return receive(weigh, hash, scratch.block, [&](auto& add_token) { tokenize(text, add_token); });
    }
    if constexpr (Kind == vote_kind::occurrences && counts_tokens<Tokenizer, Hasher>) {
      if (count_tokens(tokenize, hash, text, tokens_.tallies())) return;
      clear();
    }
    if constexpr (Kind == vote_kind::counts) {
      const auto append = [&](const auto& words, std::uint64_t count, weight each) {
        if (are_weighed_) {
          weighted.push_back({words, units_of_all(each.raw(), count)});
        } else {
          tokens_.append(words, count);
        }
      };
      if constexpr (requires { kernel::visit_counted(tokenize, hash, text, scratch.kernel, append); }) {
        if constexpr (asks_idf_table<Weighter> && linear_weighter<innermost_of<Weighter>> && is_xxh3<Hasher>) {
          are_weighed_ = kernel::weighs_by(tokenize, hash, innermost(weigh).table());
          weighted.clear();
        }
        return kernel::visit_counted(tokenize, hash, text, scratch.kernel, append);
      }
    }
    hash_tokens(tokenize, hash, text, scratch, [&](const hash_block<hash_words>& block) { add(block); });
  }

  /// Adds all tokens of a text to this collector. Also calls `also(block)` with the hashes of the text, in one or more
  /// blocks.
  template <class Tokenizer, class Also>
  void collect_more(const Tokenizer& tokenize, [[maybe_unused]] const Weighter& weigh, const Hasher& hash,
                    std::string_view text, hash_scratch<Tokenizer, Hasher>& scratch, const Also& also) {
    if constexpr (Kind == vote_kind::texts) {
      scratch.block.count = 0;
      const hash_writer hashes(scratch.block, also);
      auto add_token = [&](std::string_view token) {
        const auto value = to_hash_words(hash(token));
        add_text(weigh, value, token);
        hashes.add([&](std::size_t j) { return value[j]; });
      };
      tokenize(text, add_token);
      hashes.flush();
    } else {
      hash_tokens(tokenize, hash, text, scratch, [&](const hash_block<hash_words>& block) {
        add(block);
        also(block);
      });
    }
  }

  /// Returns the tokens that were added since clear().
  [[nodiscard]] const auto& tokens() const noexcept { return tokens_; }
  /// Returns true if the tokens of the text are in `weighted`, and not in tokens().
  [[nodiscard]] bool are_weighed() const noexcept { return are_weighed_; }

  /// The weighted tokens if are_weighed() is true. Otherwise scratch memory.
  std::vector<weighted_token<hash_words>> weighted;

 private:
  void add_text(const Weighter& weigh, const std::array<std::uint64_t, hash_words>& value, std::string_view token) {
    static_cast<void>(weigh);
    if constexpr (adds_weights) {
      tokens_.add(voting_words<Bits>(value), occurrence_weight(weigh, token));
    } else {
      tokens_.add(value, token);
    }
  }

  static auto make_tokens() {
    if constexpr (Kind == vote_kind::occurrences) {
      return equal_votes<Bits>();
    } else if constexpr (Kind == vote_kind::minima) {
      return bin_minima<Bits>();
    } else if constexpr (adds_weights) {
      return accumulator<Bits>();
    } else if constexpr (Kind == vote_kind::texts) {
      return feature_bag<hash_words, true>();
    } else {
      return distinct_hashes<hash_words, Kind == vote_kind::counts>();
    }
  }

  decltype(make_tokens()) tokens_;
  bool are_weighed_ = false;  // true if `weighted` has the tokens, and not tokens_
};

/// Scratch memory for the fingerprint of one text.
template <class Tokenizer, class Weighter, class Hasher, std::size_t Bits,
          vote_kind Kind = vote_kind_of<Weighter, Hasher>()>
struct fingerprint_scratch {
  hash_scratch<Tokenizer, Hasher> tokens;
  vote_collector<Weighter, Hasher, Bits, Kind> votes;
};

/// Returns use(memory), where `memory` is a new `Scratch`. Large scratch memory is on the heap, because the stack of a
/// thread may have only 128 KiB.
template <class Scratch, class Use>
auto with_scratch(const Use& use) {
  if constexpr (sizeof(Scratch) <= 65536) {
    Scratch memory;
    return use(memory);
  } else {
    return use(*std::make_unique<Scratch>());
  }
}

/// Returns the fingerprint of a text, or nullopt if the text has no tokens or all its tokens have weight 0.
template <std::size_t Bits, class Tokenizer, class Weighter, class Hasher>
std::optional<simhash<Bits>> fingerprint_text(const Tokenizer& tokenize, const Weighter& weigh, const Hasher& hash,
                                              std::string_view text,
                                              fingerprint_scratch<Tokenizer, Weighter, Hasher, Bits>& scratch) {
  scratch.votes.collect(tokenize, weigh, hash, text, scratch.tokens);
  return scratch.votes.result(weigh, hash);
}
template <std::size_t Bits, class Tokenizer, class Weighter, class Hasher>
std::optional<simhash<Bits>> fingerprint_text(const Tokenizer& tokenize, const Weighter& weigh, const Hasher& hash,
                                              std::string_view text) {
  return with_scratch<fingerprint_scratch<Tokenizer, Weighter, Hasher, Bits>>(
      [&](auto& scratch) { return fingerprint_text(tokenize, weigh, hash, text, scratch); });
}

}  // namespace neardup::inline v0::detail
