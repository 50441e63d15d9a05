// Synthetic fingerprints for measurements of the index: U, uniform, and S2, skewed and clustered.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <neardup/simhash.hpp>

#include "mixing.hpp"

namespace neardup_bench {

/// SplitMix64. Unlike the distributions of <random>, it gives the same numbers on every machine.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return mix(state_ += golden_ratio); }

  /// Returns a number below `bound`. It is uniform, except for a bias below 2^-32 if `bound` is below 2^32.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

  /// Returns a uniform number in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// Returns `fingerprint` with exactly `flips` of its 64 bits inverted.
inline std::uint64_t with_flips(std::uint64_t fingerprint, int flips, random_source& random) {
  std::uint64_t mask = 0;
  while (std::popcount(mask) < flips) mask |= std::uint64_t{1} << random.below(64);
  return fingerprint ^ mask;
}

/// Returns the data U: uniform bits. One fingerprint in a hundred is a near-duplicate of an earlier one, 0 to 3 bits
/// away.
inline std::vector<neardup::simhash<64>> uniform_fingerprints(std::size_t n, std::uint64_t seed = 1) {
  random_source random(seed);
  std::vector<neardup::simhash<64>> result;
  result.reserve(n);
  while (result.size() < n) {
    if (!result.empty() && random.below(100) == 0) {
      const std::uint64_t base = result[random.below(result.size())].to_uint64();
      result.emplace_back(with_flips(base, static_cast<int>(random.below(4)), random));
    } else {
      result.emplace_back(random.next());
    }
  }
  return result;
}

/// Returns the data S2. Each bit is 1 with its own probability, drawn from Beta(2, 2). With probability 0.3, a block of
/// 16 bits is one of 64 templates of this block. One fingerprint in five belongs to a cluster. The members of a cluster
/// are 0 to 4 bits from its centre, which need not be stored. The sizes of clusters are log-uniform from 10 to 1000.
/// The order is random.
inline std::vector<neardup::simhash<64>> skewed_fingerprints(std::size_t n, std::uint64_t seed = 1) {
  random_source random(seed);
  double probability[64];
  for (double& p : probability) {
    // The median of three uniform numbers has the distribution Beta(2, 2).
    double u[3] = {random.uniform(), random.uniform(), random.uniform()};
    std::sort(u, u + 3);
    p = u[1];
  }
  const auto draw = [&] {
    std::uint64_t value = 0;
    for (int bit = 0; bit < 64; ++bit) value |= std::uint64_t{random.uniform() < probability[bit]} << bit;
    return value;
  };
  std::uint64_t templates[4][64];
  for (int block = 0; block < 4; ++block) {
    for (std::uint64_t& t : templates[block]) t = draw() & (std::uint64_t{0xffff} << (16 * block));
  }
  const auto entry = [&] {
    std::uint64_t value = draw();
    for (int block = 0; block < 4; ++block) {
      if (random.uniform() >= 0.3) continue;
      value = (value & ~(std::uint64_t{0xffff} << (16 * block))) | templates[block][random.below(64)];
    }
    return value;
  };

  std::vector<neardup::simhash<64>> result;
  result.reserve(n);
  const std::size_t clustered = n / 5;
  while (result.size() < clustered) {
    const double drawn = 10.0 * std::pow(100.0, random.uniform());
    const std::size_t size = (std::min)(static_cast<std::size_t>(drawn), clustered - result.size());
    const std::uint64_t base = entry();
    for (std::size_t i = 0; i < size; ++i) {
      result.emplace_back(with_flips(base, static_cast<int>(random.below(5)), random));
    }
  }
  while (result.size() < n) result.emplace_back(entry());
  for (std::size_t i = n; i > 1; --i) std::swap(result[i - 1], result[random.below(i)]);
  return result;
}

/// Returns queries. Every second query is a stored fingerprint with 0 to `k` bits flipped, and the others match
/// nothing.
inline std::vector<neardup::simhash<64>> queries_for(const std::vector<neardup::simhash<64>>& stored, std::size_t n,
                                                     int k, std::uint64_t seed = 2) {
  random_source random(seed);
  std::vector<neardup::simhash<64>> result;
  result.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 2 == 0) {
      const std::uint64_t base = stored[random.below(stored.size())].to_uint64();
      result.emplace_back(with_flips(base, static_cast<int>(random.below(static_cast<std::uint64_t>(k) + 1)), random));
    } else {
      result.emplace_back(random.next());
    }
  }
  return result;
}

}  // namespace neardup_bench
