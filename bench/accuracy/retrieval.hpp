// What fingerprints find, held against the pairs that are really alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "documents.hpp"
#include "fingerprints.hpp"
#include "set_join.hpp"

namespace accuracy {

/// Two documents a < b that are alike by some features.
struct similar_pair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  bool is_true = false;     ///< alike by the truth's features, too
  bool same_label = false;  ///< versions of one text
};

/// A check of candidates: some features, and all pairs that it accepts.
struct pair_check {
  std::string name;
  std::vector<similar_pair> pairs;  ///< by a, then b
};

/// The pairs whose sets have a Jaccard similarity of at least `similarity`. `truth` tells which are true, if given:
/// otherwise all are.
pair_check make_check(std::string name, const documents& input, const feature_sets& sets, double similarity,
                      unsigned threads, const pair_check* truth = nullptr);

/// Whether a < b are a pair that the check accepts. Complexity: logarithmic.
bool contains(const pair_check& check, std::uint32_t a, std::uint32_t b);

/// Pairs of documents by the distance of their fingerprints: `[d]` of those at distance d.
struct distance_counts {
  std::vector<std::uint64_t> found;
  std::vector<std::uint64_t> found_true;      ///< of these, in the truth
  std::vector<std::uint64_t> found_labelled;  ///< of these, with the same label

  explicit distance_counts(std::size_t distances = 0)
      : found(distances), found_true(distances), found_labelled(distances) {}
};

struct retrieval {
  distance_counts alone;                 ///< without a check
  std::vector<distance_counts> checked;  ///< for each check: what it accepts
  double seconds = 0;                    ///< to find the pairs
};

/// Compares the pairs within `max_distance` bits, all and what each check leaves of them, with `truth`.
retrieval measure_retrieval(const documents& input, const pair_check& truth,
                            const std::vector<const pair_check*>& checks, const fingerprints& prints, int max_distance,
                            unsigned threads);

/// The largest k, up to `most`, within which about `pairs` pairs of documents lie at most: from random pairs.
int largest_distance(const fingerprints& prints, std::size_t documents, int most, std::uint64_t pairs);

struct score {
  std::uint64_t found = 0;
  std::uint64_t found_true = 0;
  double precision = 0;  ///< 1 when nothing is found
  double recall = 0;     ///< 1 when there is nothing to find
  double f1 = 0;
};

score score_of(std::uint64_t found, std::uint64_t found_true, std::uint64_t all);

/// How good the pairs within k bits are, against `all` wanted ones, of which `[d]` are at distance d.
score score_within(int k, const std::vector<std::uint64_t>& found, const std::vector<std::uint64_t>& wanted,
                   std::uint64_t all);

}  // namespace accuracy
