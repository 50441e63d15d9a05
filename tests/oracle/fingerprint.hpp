// The slow twin of fingerprint/: std::map, exact integers, a double loop over tokens and bits.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "text.hpp"

namespace oracle {

/// Maps distinct tokens to their counts, or to their weights in units of 1/256.
using numbers = std::map<std::string, std::uint64_t>;

inline numbers count(const tokens& list) {
  numbers counts;
  for (const std::string& token : list) ++counts[token];
  return counts;
}

/// The words of the default hash of a token, lowest first.
inline std::vector<std::uint64_t> hash(std::string_view token, std::size_t bits, std::uint64_t seed) {
  std::vector<std::uint64_t> words;
  while (64 * words.size() < bits) {
    words.push_back(XXH3_64bits_withSeed(token.data(), token.size(), seed));
    seed += 0x9e3779b97f4a7c15;
  }
  return words;
}

inline numbers unit(numbers counts) {
  for (auto& [token, number] : counts) number = 256;
  return counts;
}

inline numbers tf(numbers counts) {
  for (auto& [token, number] : counts) number *= 256;
  return counts;
}

/// Precondition: counts are so small that 256 ln(count) is not close to a tie.
inline numbers log_tf(numbers counts) {
  for (auto& [token, number] : counts) {
    number = 256 + static_cast<std::uint64_t>(std::llroundl(256 * std::log(static_cast<long double>(number))));
  }
  return counts;
}

/// Returns the upper of the two middle values, or 1.0 if there are no terms.
inline std::uint64_t median(const numbers& table) {
  std::vector<std::uint64_t> values;
  for (const auto& entry : table) values.push_back(entry.second);
  std::sort(values.begin(), values.end());
  return values.empty() ? 256 : values[values.size() / 2];
}

inline std::uint64_t look_up(const numbers& table, const std::string& token) {
  const auto found = table.find(token);
  return found == table.end() ? median(table) : found->second;
}

inline numbers idf(numbers counts, const numbers& table) {
  for (auto& [token, number] : counts) number = look_up(table, token);
  return counts;
}

inline numbers tf_idf(numbers counts, const numbers& table) {
  for (auto& [token, number] : counts) number *= look_up(table, token);
  return counts;
}

/// Replaces each weight by the smallest level with level / n >= weight / heaviest. Tries all levels.
inline numbers levels(numbers weights, std::size_t n) {
  std::uint64_t heaviest = 0;
  for (const auto& entry : weights) heaviest = std::max(heaviest, entry.second);
  for (auto& [token, number] : weights) {
    std::uint64_t level = 0;
    while (level * heaviest < number * n) ++level;
    number = 256 * level;
  }
  return weights;
}

/// Keeps the n heaviest tokens. Of equally heavy ones, it keeps those with smaller hashes.
inline numbers top(const numbers& weights, std::size_t n, std::size_t bits, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, std::vector<std::uint64_t>>> order;
  std::map<std::vector<std::uint64_t>, std::string> token_of;
  for (const auto& [token, number] : weights) {
    order.emplace_back(~number, hash(token, bits, seed));
    token_of[order.back().second] = token;
  }
  std::sort(order.begin(), order.end());
  numbers kept;
  for (std::size_t i = 0; i < n && i < order.size(); ++i) kept[token_of[order[i].second]] = ~order[i].first;
  return kept;
}

/// The bits of a fingerprint as '0' and '1', lowest first; nullopt if the total weight is 0.
inline std::optional<std::string> fingerprint(const numbers& weights, std::size_t bits, std::uint64_t seed) {
  std::uint64_t total = 0;
  std::vector<std::uint64_t> sums(bits);
  for (const auto& [token, number] : weights) {
    const std::vector<std::uint64_t> words = hash(token, bits, seed);
    total += number;
    for (std::size_t i = 0; i < bits; ++i) {
      if ((words[i / 64] >> (i % 64)) % 2 == 1) sums[i] += number;
    }
  }
  if (total == 0) return std::nullopt;
  std::string result;
  for (const std::uint64_t sum : sums) result += 2 * sum > total ? '1' : '0';
  return result;
}

/// Returns a fingerprint of the library in the form of fingerprint().
template <class Fingerprint>
std::optional<std::string> digits(const std::optional<Fingerprint>& fingerprint) {
  if (!fingerprint) return std::nullopt;
  std::string result;
  for (std::size_t i = 0; i < Fingerprint::bits; ++i) result += fingerprint->test(i) ? '1' : '0';
  return result;
}

}  // namespace oracle
