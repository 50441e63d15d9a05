// All settings of a run, and what its verb works with.
#pragma once

#include <neardup/index/layout.hpp>

#include "../documents/reading.hpp"
#include "../ground/text.hpp"
#include "../write/output.hpp"
#include "../write/output_settings.hpp"
#include "settings.hpp"

namespace command {

/// A similarity that chose other options: the values that were typed, where any were.
struct similarity_choice {
  std::optional<std::string> similarity, min_similarity;
  bool is_of_comparison = false;  ///< else of fingerprints alone
  int best_distance = -1;         ///< the distance for --similarity, if --distance was typed, too; otherwise -1
};

/// Each part is for one room, and knows nothing of the others.
struct run_settings {
  input_settings input;
  list_settings lists;
  fingerprint_settings fingerprint;
  comparison_settings comparison;
  against_settings against;
  grouping_settings grouping;
  source_setting by;
  output_settings output;
  unsigned threads = 1;
  std::optional<similarity_choice> choice;
  std::string why_by_fingerprints;  ///< what makes candidates come from them, if no option asks for that
  std::string unchecked;            ///< what leaves the decision to them, too, if texts are compared
};

struct context : reading {
  /// The file of an index is written by the library, whole or not at all.
  explicit context(const run_settings& s)
      : reading({s.input, s.lists, s.fingerprint, s.comparison, s.output.quiet}, sources_of(s)),
        settings(s),
        out(s.output.is_saved ? "" : s.output.file) {
    if (!s.output.dropped.empty()) dropped.emplace(s.output.dropped);
    if (!s.output.dropped_records.empty()) dropped_records.emplace(s.output.dropped_records);
    if (!s.output.audit.empty()) audit.emplace(s.output.audit);
    leave_out_outputs(sources);
  }

  /// What this run writes is no input.
  void leave_out_outputs(source_walker& walker) const {
    walker.leave_out(out.partial());
    if (dropped) walker.leave_out(dropped->partial());
    if (dropped_records) walker.leave_out(dropped_records->partial());
    if (audit) walker.leave_out(audit->partial());
  }

  const run_settings& settings;
  std::uint64_t against = 0;   // so many of the documents are those of --against
  std::uint64_t searched = 0;  // so many more are in an index that is searched, and not read
  bool found_any = false;      // what was looked for
  output out;                  // opened last: that empties a file
  std::optional<output> dropped, dropped_records, audit;

 private:
  static std::vector<std::string> sources_of(const run_settings& s) {
    std::vector<std::string> all = s.input.paths;
    all.insert(all.end(), s.against.paths.begin(), s.against.paths.end());
    return all;
  }
};

/// Calls `visit` for each document of the input. What was printed goes out where the next batch may be long in coming.
inline void for_each_document(context& c, const document_visitor& visit) {
  for_each_document(c, c.settings.input, c.sources, visit, [&c](const finished_batch& done) {
    if (done.input.live) c.out.flush();
  });
}

/// The blocks of the index of a stream, of which nobody knows how long it gets: what was asked for, or the default.
inline int blocks_of(const run_settings& settings) {
  const comparison_settings& how = settings.comparison;
  return how.blocks > 0 ? how.blocks : neardup::default_blocks(settings.fingerprint.bits, how.distance);
}

/// Gives what is written its names.
inline void close_outputs(context& c) {
  c.out.close();
  if (c.dropped) c.dropped->close();
  if (c.dropped_records) c.dropped_records->close();
  if (c.audit) c.audit->close();
}

/// Ends a run: everything is written, and the notes are said. `found`: how much was found of what was looked for.
inline void finish(context& c, const std::string& summary, std::uint64_t found = 0) {
  close_outputs(c);
  c.found_any = found > 0;
  const std::string against = c.settings.against.any() ? " against " + grouped(c.against + c.searched) : "";
  c.notes.finish(counted(c.notes.documents() - c.against, "document", "documents") + against + summary, c.sources);
}

}  // namespace command
