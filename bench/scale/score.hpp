// Which of the planted pairs a program found.
#pragma once

#include <string>

namespace scale {

struct score_options {
  std::string verb;
  std::string planted;
};

/// Reads the output of neardup from standard input. Prints as JSON, for each hundredth of similarity, how many pairs of
/// a base and a copy are planted, and how many of them were missed.
///
/// A pair is missed by `pairs` if it is not printed; by `unique` if both records are kept; by `groups` if each is the
/// first of its group or in none. (If a base is itself removed because of a third record, its copies may rightly be
/// kept.)
/// Throws: std::runtime_error at a line that has no id of the corpus.
void print_score(const score_options& options);

}  // namespace scale
