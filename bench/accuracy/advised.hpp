// Advice, and what then happens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "documents.hpp"
#include "features.hpp"
#include "pipeline.hpp"
#include "retrieval.hpp"

namespace accuracy {

/// A setup that was considered: what was expected of it, and what it finds.
struct advised_setup {
  fingerprint_choice prints;
  int k = 0;
  bool is_recommended = false;
  double expected_recall = 0;      ///< of the pairs that the library's check accepts
  double expected_candidates = 0;  ///< in all
  double recall = 0;               ///< of these pairs
  std::uint64_t candidates = 0;    ///< 0 if so many were expected that they were not counted
  score checked_exactly;           ///< against the truth, checked by its features
  score checked;                   ///< the same, checked by the library's features of its kind
};

struct advice_report {
  double seconds = 0;
  std::uint64_t sampled = 0;     ///< documents
  std::uint64_t pairs_seen = 0;  ///< near-duplicates of these
  double expected_pairs = 0;     ///< that the library's check accepts, in all
  std::uint64_t pairs = 0;       ///< that it does accept
  std::vector<advised_setup> setups;
  pipeline_report pipeline;  ///< of the recommended one
};

/// How often what then happens lies in the interval that advice states.
struct interval_coverage {
  std::uint64_t cases = 0;         ///< setups of 64 bits, for each seed
  std::uint64_t inside = 0;        ///< with fingerprints of the same seed
  std::uint64_t inside_other = 0;  ///< of another seed
  double mean_width = 0;           ///< of the intervals
  double mean_spread = 0;          ///< the standard deviation of what happens, from seed to seed: mean over setups
};

/// Asks for advice with the seeds `first` to `first + seeds - 1`, and tries its setups of 64 bits.
interval_coverage measure_intervals(const documents& input, const feature_choice& features, double similarity,
                                    const pair_check& library, std::uint64_t first, std::uint64_t seeds,
                                    unsigned threads);

/// Asks the library for advice on finding pairs of this similarity of the `truth` features, and tries each setup.
/// `library` are the pairs that the check by the library's features of the same kind accepts. Candidates are counted
/// where at most `most_pairs` are expected.
advice_report measure_advice(const documents& input, const feature_choice& features, double similarity,
                             const pair_check& truth, const pair_check& library, std::uint64_t seed,
                             std::uint64_t most_pairs, unsigned threads);

}  // namespace accuracy
