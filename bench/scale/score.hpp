// Reports which of the planted pairs a program found.
#pragma once

#include <string>

namespace scale {

struct score_options {
  std::string verb;
  std::string planted;
};

/// Reads the output of neardup from standard input. Prints as JSON, for each hundredth of similarity, the number of
/// planted pairs of a base and a copy, and how many of them were missed.
///
/// `pairs` misses a pair if it does not print the pair. `unique` misses a pair if it keeps both records. `groups`
/// misses a pair if each record is the first of a group or in no group. (If a base is dropped because of a third
/// record, its copies may rightly be kept.)
/// Throws: std::runtime_error if a line has no id of the corpus.
void print_score(const score_options& options);

}  // namespace scale
