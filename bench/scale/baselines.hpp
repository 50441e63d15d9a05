// Other ways to the same pairs, to compare with.
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
/// --format jsonl' does, and to standard error the number of candidates. One thread; texts are read once, and the
/// features of all are kept.
///
/// minhash: MinHash as it is usually made: bands * rows permutations, the smallest hash of each; a candidate agrees in
/// all rows of a band. scan: the SimHash fingerprints of 64 bits of each two texts are compared.
/// kept: prints, in place of pairs, the records that are first in their component, as 'neardup unique' does. Keys of one
/// band are in memory at a time.
void print_pairs(const join_baseline_options& options);

}  // namespace scale
