// Predicts the time and the memory of a run on a corpus. The prediction uses a run on a part of the corpus.
#pragma once

#include <cstddef>
#include <cstdint>

#include "corpus_part.hpp"
#include "feature_fit.hpp"

namespace command {

/// Returns the processor time that the process has used so far, in seconds.
double processor_seconds();

/// A run of the verb `groups` on a part of a corpus.
struct tried_run {
  compared_by by;
  std::size_t documents = 0;  ///< documents of the part
  double features = 0;        ///< mean number of features of a document, or of its characters for edits
  /// Mean number of postings that a join finds for a document: the entries of other documents for its prefix features.
  double postings = 0;
  double reading_seconds = 0;   ///< processor time to make features
  double grouping_seconds = 0;  ///< processor time to group
  std::size_t dropped = 0;      ///< documents that are near-duplicates of a kept document
};

/// Groups the documents of a part as the command does, but on one thread.
/// Precondition: the part has documents.
tried_run try_run(const corpus_part& part, const compared_by& by, double similarity,
                  const fingerprint_settings& settings);

struct run_cost {
  double seconds;  ///< processor time of one thread
  double bytes;    ///< memory of the process at its peak, with one thread
};

/// Predicts the cost of a run on the whole corpus, which has `documents` documents. `input_seconds`: the processor time
/// to read the corpus, without making features.
///
/// The time to make features is proportional to the number of documents. A join by features takes time for each
/// feature, and for each posting of a prefix feature. The number of postings grows with the square of the number of
/// documents, and so does the time of a join by edit similarity.
run_cost cost_of_run(const tried_run& part, std::uint64_t documents, double input_seconds);

}  // namespace command
