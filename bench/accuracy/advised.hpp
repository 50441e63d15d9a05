// Measures the setups that neardup::advise() recommends, on the texts for which it recommended them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "documents.hpp"
#include "features.hpp"
#include "pipeline.hpp"
#include "retrieval.hpp"

namespace accuracy {

/// A setup that the advice considered, with its predicted recall and candidates, and with the measured ones.
struct advised_setup {
  fingerprint_choice prints;
  int k = 0;
  bool is_recommended = false;
  double expected_recall = 0;      ///< expected share of the near-duplicates of a document; a family counts once
  double expected_of_pairs = 0;    ///< expected share of the pairs that the library's check accepts
  double expected_candidates = 0;  ///< expected for all texts
  double recall = 0;               ///< measured share of these pairs
  std::uint64_t candidates = 0;    ///< measured; 0 if too many were expected to be counted
  score checked_exactly;           ///< against the truth; candidates checked by the truth's features
  score checked;                   ///< against the truth; candidates checked by the library's features of the setup's
                                   ///< kind
};

struct advice_report {
  double seconds = 0;
  std::uint64_t sampled = 0;     ///< documents in the sample of the advice
  std::uint64_t pairs_seen = 0;  ///< near-duplicate pairs among the sampled documents
  double expected_pairs = 0;     ///< expected number, over all texts, of pairs that the library's check accepts
  std::uint64_t pairs = 0;       ///< measured number of such pairs
  std::vector<advised_setup> setups;
  pipeline_report pipeline;  ///< of the recommended setup
};

/// How often the measured recall lies in the interval that the advice states.
struct interval_coverage {
  std::uint64_t cases = 0;         ///< number of (64-bit setup, seed) combinations
  std::uint64_t inside = 0;        ///< cases in which the recall lies in the interval, measured with the seed that the
                                   ///< advice was drawn with
  std::uint64_t inside_other = 0;  ///< the same, measured with another seed
  double mean_width = 0;           ///< mean width of the stated intervals
  double mean_spread = 0;          ///< standard deviation of the measured recall over seeds, averaged over the setups
};

/// Asks for advice with each of the seeds from `first` to `first + seeds - 1`, and measures the setups of 64 bits.
interval_coverage measure_intervals(const documents& input, const feature_choice& features, double similarity,
                                    const pair_check& library, std::uint64_t first, std::uint64_t seeds,
                                    unsigned threads);

/// Asks the library for advice to find the pairs with at least this Jaccard similarity of `features`, and measures each
/// setup of the advice. `truth` has the true pairs. `library` has the pairs that a check by the library's features of
/// the same kind accepts. Candidates are counted only for setups with at most `most_pairs` expected candidates.
advice_report measure_advice(const documents& input, const feature_choice& features, double similarity,
                             const pair_check& truth, const pair_check& library, std::uint64_t seed,
                             std::uint64_t most_pairs, unsigned threads);

}  // namespace accuracy
