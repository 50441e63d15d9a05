// Other ways to find the same pairs, as baselines.
#pragma once

#include <cstddef>
#include <string>

namespace scale {

struct join_baseline_options {
  std::string corpus;
  std::string by;
  double similarity = 0.8;
  std::size_t bands = 8;
  std::size_t rows = 6;
  int distance = 13;
  bool kept = false;
};

/// Prints the pairs of a corpus with a Jaccard similarity of at least `similarity`, each once, as 'neardup pairs
/// --format jsonl' does. Prints the number of candidates to standard error. Uses one thread, reads the texts once, and
/// keeps all features in memory.
///
/// minhash: the usual MinHash. It takes the smallest hash of each of bands * rows permutations. Candidates agree in all
/// rows of a band. scan: compares the 64-bit SimHash fingerprints of all pairs of texts.
///
/// kept: prints the first record of each component instead of pairs, as 'neardup unique' does. Only the keys of one
/// band are in memory at a time.
void print_pairs(const join_baseline_options& options);

}  // namespace scale
