// Distances by a plain loop over the words, and fingerprints at given distances. Uses no kernel of the library.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <neardup/simhash.hpp>

#include "oracle/random_engine.hpp"

namespace oracle {

/// A random number below `end`.
inline std::size_t random_below(random_engine& random, std::size_t end) {
  return static_cast<std::size_t>(random() % end);
}

template <std::size_t Bits>
int distance(const neardup::simhash<Bits>& a, const neardup::simhash<Bits>& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.to_words().size(); ++i) count += std::popcount(a.to_words()[i] ^ b.to_words()[i]);
  return count;
}

template <std::size_t Bits>
neardup::simhash<Bits> random_fingerprint(random_engine& random) {
  typename neardup::simhash<Bits>::words_type words;
  for (std::uint64_t& word : words) word = random();
  if constexpr (Bits % 64 != 0) words.back() >>= 64 - Bits % 64;
  return neardup::simhash<Bits>(words);
}

/// Inverts `count` different bits in begin..end.
template <std::size_t Bits>
neardup::simhash<Bits> with_flips(neardup::simhash<Bits> fingerprint, std::size_t count, random_engine& random,
                                  std::size_t begin = 0, std::size_t end = Bits) {
  std::vector<std::size_t> flipped;
  while (flipped.size() < count) {
    const std::size_t bit = begin + random_below(random, end - begin);
    if (std::find(flipped.begin(), flipped.end(), bit) != flipped.end()) continue;
    flipped.push_back(bit);
    fingerprint.flip(bit);
  }
  return fingerprint;
}

/// Returns near-duplicates of a few bases, with up to `most` flips each. A third of them have all flips close together,
/// so that few blocks differ. Some fingerprints occur twice.
template <std::size_t Bits>
std::vector<neardup::simhash<Bits>> clustered_fingerprints(std::size_t count, std::size_t most, random_engine& random) {
  most = std::min(most, Bits);
  std::vector<neardup::simhash<Bits>> result;
  neardup::simhash<Bits> base;
  while (result.size() < count) {
    if (result.empty() || random() % 16 == 0) base = random_fingerprint<Bits>(random);
    if (!result.empty() && random() % 16 == 0) {
      result.push_back(result[random_below(random, result.size())]);
      continue;
    }
    const std::size_t flips = random_below(random, most + 1);
    std::size_t begin = 0;
    std::size_t end = Bits;
    if (random() % 3 == 0) {
      const std::size_t width = std::max(flips, Bits / 8);
      begin = random_below(random, Bits - width + 1);
      end = begin + width;
    }
    result.push_back(with_flips(base, flips, random, begin, end));
  }
  return result;
}

}  // namespace oracle
