// A model of fingerprints: maps from hashes to counts and weights, and a loop over the bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <neardup/fingerprint/hashers.hpp>
#include <neardup/simhash.hpp>

namespace support {

/// Maps (hash of a token, token) to the count of the token in a text.
template <std::size_t Words>
using counted_tokens = std::map<std::pair<std::array<std::uint64_t, Words>, std::string>, std::uint64_t>;

/// The weight of each hash, in units of 1/256.
template <std::size_t Words>
using hash_weights = std::map<std::array<std::uint64_t, Words>, std::uint64_t>;

template <class Tokenizer, class Hasher>
auto count_tokens(const Tokenizer& tokenize, const Hasher& hash, std::string_view text) {
  counted_tokens<neardup::detail::hasher_words<Hasher>> counts;
  tokenize(text, [&](std::string_view token) {
    ++counts[{neardup::detail::to_hash_words(hash(token)), std::string(token)}];
  });
  return counts;
}

/// Weighs each hash by its count: tokens with equal hashes count as one token.
template <std::size_t Words, class Weigh>
hash_weights<Words> weigh_counts(const counted_tokens<Words>& counts, const Weigh& weigh) {
  hash_weights<Words> weights;
  for (const auto& [token, count] : counts) weights[token.first] += count;
  for (auto& [hash, number] : weights) number = static_cast<std::uint64_t>(weigh(number));
  return weights;
}

template <std::size_t Bits, std::size_t Words>
std::optional<neardup::simhash<Bits>> fingerprint_of_weights(const hash_weights<Words>& weights) {
  std::uint64_t total = 0;
  for (const auto& entry : weights) total += entry.second;
  if (total == 0) return std::nullopt;
  neardup::simhash<Bits> result;
  for (std::size_t i = 0; i < Bits; ++i) {
    std::uint64_t sum = 0;
    for (const auto& [hash, units] : weights) sum += (hash[i / 64] >> (i % 64)) % 2 == 1 ? units : 0;
    result.set(i, 2 * sum > total);
  }
  return result;
}

/// Computes section 6 of docs/fingerprint.md. In each bin, the token with the least value wins; tokens that chose the
/// bin have smaller values than all others.
template <std::size_t Bits, std::size_t Words>
std::optional<neardup::minwise<Bits>> code_of_tokens(const counted_tokens<Words>& counts) {
  if (counts.empty()) return std::nullopt;
  neardup::minwise<Bits> result;
  for (std::size_t bin = 0; bin < Bits; ++bin) {
    const std::uint64_t mixed = neardup::detail::mix((bin + 1) * 0x9e3779b97f4a7c15U);
    const std::uint64_t a = (mixed & 0xffffU) | 1U, c = (mixed >> 16 & 0xffffU) | 1U;
    std::uint64_t least = ~std::uint64_t{0};
    for (const auto& entry : counts) {
      const std::uint64_t x = entry.first.first[0] & 0xffffffffU;
      const std::uint64_t chosen = x * Bits;
      if (chosen >> 32 == bin) least = (std::min)(least, (chosen & 0xffffffffU) / 2);
      const std::uint64_t low = x & 0xffffU, high = x >> 16;
      least = (std::min)(least, (std::uint64_t{1} << 31) + ((a * low + c * high + 0x8000U) & 0xffffU));
    }
    result.set(bin, (least * 0x9e3779b1U >> 31) % 2 == 1);
  }
  return result;
}

}  // namespace support
