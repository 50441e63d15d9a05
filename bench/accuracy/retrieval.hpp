// Compares the pairs that fingerprints find with the pairs that are really similar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "documents.hpp"
#include "fingerprints.hpp"
#include "set_join.hpp"

namespace accuracy {

/// Two documents a < b that are similar according to one kind of features.
struct similar_pair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  bool is_true = false;     ///< also similar according to the truth's features
  bool same_label = false;  ///< both have the same label, so they are versions of one text
};

/// A check of candidates by one kind of features: the list of all pairs that the check accepts.
struct pair_check {
  std::string name;
  std::vector<similar_pair> pairs;  ///< sorted by (a, b)
};

/// Returns the pairs of sets with a Jaccard similarity of at least `similarity`. If there is a `truth`, `is_true` is
/// set for the pairs that are also in `truth`; otherwise for all pairs.
pair_check make_check(std::string name, const documents& input, const feature_sets& sets, double similarity,
                      unsigned threads, const pair_check* truth = nullptr);

/// Returns true if the check accepts the pair a < b. Complexity: logarithmic.
bool contains(const pair_check& check, std::uint32_t a, std::uint32_t b);

/// The number of pairs of documents by the distance d of their fingerprints.
struct distance_counts {
  std::vector<std::uint64_t> found;
  std::vector<std::uint64_t> found_true;      ///< counts only pairs that are true
  std::vector<std::uint64_t> found_labelled;  ///< counts only pairs of documents with the same label

  explicit distance_counts(std::size_t distances = 0)
      : found(distances), found_true(distances), found_labelled(distances) {}
};

struct retrieval {
  distance_counts alone;                 ///< all pairs, unchecked
  std::vector<distance_counts> checked;  ///< for each check: the pairs that it accepts
  double seconds = 0;                    ///< time to find the pairs
};

/// Compares the pairs within `max_distance` bits with `truth`: all pairs, and the pairs that each check accepts.
retrieval measure_retrieval(const documents& input, const pair_check& truth,
                            const std::vector<const pair_check*>& checks, const fingerprints& prints, int max_distance,
                            unsigned threads);

/// Returns the largest k, up to `most`, at which about `pairs` pairs of documents are within k bits. The estimate uses
/// random pairs.
int largest_distance(const fingerprints& prints, std::size_t documents, int most, std::uint64_t pairs);

struct score {
  std::uint64_t found = 0;
  std::uint64_t found_true = 0;
  double precision = 0;  ///< 1 when nothing is found
  double recall = 0;     ///< 1 when there is nothing to find
  double f1 = 0;
};

score score_of(std::uint64_t found, std::uint64_t found_true, std::uint64_t all);

/// Returns the precision and recall of the pairs within k bits. `found[d]` is the number of pairs at distance d,
/// `wanted[d]` the number of wanted pairs among these, and `all` the number of all wanted pairs.
score score_within(int k, const std::vector<std::uint64_t>& found, const std::vector<std::uint64_t>& wanted,
                   std::uint64_t all);

}  // namespace accuracy
