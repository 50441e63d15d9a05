// The figures as a table for readers, and as JSON for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure.hpp"

namespace accuracy {

struct report {
  std::string input;
  std::uint64_t documents = 0;
  std::uint64_t without_fingerprint = 0;
  std::uint64_t identical_texts = 0;  ///< pairs
  bool labelled = false;

  feature_choice truth;
  double similarity = 0;
  fingerprint_choice prints;
  retrieval pairs;

  bool has_theory = false;
  std::uint64_t theory_seeds = 0;
  theory_comparison theory;

  struct timing {
    std::string stage;
    double seconds = 0;
  };
  std::vector<timing> timings;

  /// Whether each bin of at least `least_pairs` agrees with the angle, and what is unequal with the exact chance.
  [[nodiscard]] bool theory_holds() const;
};

inline constexpr std::uint64_t least_pairs = 100;

std::string to_table(const report& result);
std::string to_json(const report& result);

}  // namespace accuracy
