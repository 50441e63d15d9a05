// Random numbers for tests: the same ones in each run, and others with NEARDUP_SEED_SHIFT=N in the environment.
#pragma once

#include <charconv>
#include <cstdlib>
#include <random>
#include <string_view>

namespace oracle {

/// Returns: NEARDUP_SEED_SHIFT of the environment, which is added to each seed of a test; 0 without it.
inline std::mt19937::result_type seed_shift() {
  std::mt19937::result_type shift = 0;
  if (const char* wanted = std::getenv("NEARDUP_SEED_SHIFT"); wanted != nullptr) {
    const std::string_view digits = wanted;
    std::from_chars(digits.data(), digits.data() + digits.size(), shift);
  }
  return shift;
}

/// A Mersenne Twister of 64 bits with a shifted seed.
class random_engine : public std::mt19937_64 {
 public:
  explicit random_engine(result_type seed) : std::mt19937_64(seed + seed_shift()) {}
};

}  // namespace oracle
