// Prints the results as tables for readers, and as JSON for programs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "advised.hpp"
#include "audit.hpp"
#include "minhash.hpp"
#include "pipeline.hpp"
#include "retrieval.hpp"
#include "skew.hpp"
#include "theory_bins.hpp"

namespace accuracy {

struct timing {
  std::string stage;
  double seconds = 0;
};

/// Results of one choice of fingerprints.
struct composition_report {
  fingerprint_choice prints;
  std::uint64_t without_fingerprint = 0;  ///< number of documents without a fingerprint
  std::vector<const pair_check*> checks;
  retrieval pairs;

  bool has_theory = false;
  std::uint64_t theory_seeds = 0;
  theory_comparison theory;

  std::vector<table_skew> skew;  ///< empty if not asked for
  std::vector<pipeline_report> pipelines;

  /// Returns true if the theory agrees with the distances: the angle in each bin of at least `least_pairs` pairs, and
  /// the exact chance for the pairs of unequal sets.
  [[nodiscard]] bool theory_holds() const;
};

struct report {
  std::string input;
  std::uint64_t documents = 0;
  std::uint64_t identical_texts = 0;  ///< pairs of identical texts
  std::uint64_t labelled_pairs = 0;   ///< pairs with the same label
  bool labelled = false;

  feature_choice truth;
  double similarity = 0;
  std::uint64_t true_identical = 0;                 ///< the number of true pairs of two identical texts
  std::vector<std::unique_ptr<pair_check>> checks;  ///< the first one is the truth
  std::vector<composition_report> compositions;
  std::unique_ptr<minhash_report> minhash;  ///< null if not asked for
  std::unique_ptr<advice_report> advice;    ///< null if not asked for
  std::vector<removal> audit;               ///< empty if not asked for
  interval_coverage intervals;              ///< 0 cases if not asked for
  unsigned threads = 1;
  std::vector<timing> timings;
};

inline constexpr std::uint64_t least_pairs = 100;

std::string to_table(const report& result);
std::string to_json(const report& result);

}  // namespace accuracy
