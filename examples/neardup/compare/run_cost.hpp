// Predicts the time and the memory of a run on a corpus, from a run on a part of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "corpus_part.hpp"
#include "feature_fit.hpp"

namespace command {

/// Returns the processor time of the process so far, in seconds.
double processor_seconds();

/// A run of `groups` on a part of a corpus.
struct tried_run {
  compared_by by;
  std::size_t documents = 0;    ///< documents of the part
  double features = 0;          ///< mean number of features of a document; for edits its characters
  double postings = 0;          ///< mean number of other documents that have a prefix feature of a document, each
                                ///< feature counted for itself
  double reading_seconds = 0;   ///< processor time to make features
  double grouping_seconds = 0;  ///< processor time to group
  std::size_t dropped = 0;      ///< documents that are near-duplicates of a kept one
};

/// Groups the documents of a part by one thread, as the command does.
/// Precondition: the part has documents.
tried_run try_run(const corpus_part& part, const compared_by& by, double similarity,
                  const fingerprint_settings& settings);

/// The time and memory of a run.
struct run_cost {
  double seconds;  ///< processor time of one thread
  double bytes;    ///< memory of the process at its peak, with one thread
};

/// Predicts the cost of a run on a whole corpus of `documents` documents. `input_seconds`: the processor time to read
/// the corpus, without its features.
///
/// Features take time in proportion to the documents. A join by features takes time for each feature, and for each
/// posting of a prefix feature; the number of postings grows with the square of the documents. A join by edits grows
/// with the square of the documents.
run_cost cost_of_run(const tried_run& part, std::uint64_t documents, double input_seconds);

}  // namespace command
