// Measures the times of a run: fingerprints, the pairs within k bits, and the check of each pair.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fingerprints.hpp"

namespace accuracy {

struct pipeline_report {
  int k = 0;
  std::uint64_t candidates = 0;
  std::uint64_t accepted = 0;
  double fingerprint_seconds = 0;
  double pair_seconds = 0;
  double check_seconds = 0;  ///< includes the time to make the features of documents in candidates

  [[nodiscard]] double seconds() const { return fingerprint_seconds + pair_seconds + check_seconds; }
};

/// Finds the pairs of near-duplicate texts, and measures the time. A pair is a candidate if its two fingerprints differ in
/// at most k bits. A candidate is kept if its two sets of `check` features have a Jaccard similarity of at least
/// `similarity`.
pipeline_report run_pipeline(const fingerprint_choice& choice, const feature_choice& check, double similarity, int k,
                             const std::vector<std::string>& texts, unsigned threads);

}  // namespace accuracy
