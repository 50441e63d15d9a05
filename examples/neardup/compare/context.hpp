// All settings of a run, and the objects that a verb works with.
#pragma once

#include <neardup/dedup/checks.hpp>
#include <neardup/index/layout.hpp>

#include "../documents/reading.hpp"
#include "../ground/text.hpp"
#include "../write/output.hpp"
#include "../write/output_settings.hpp"
#include "settings.hpp"

namespace command {

/// The values of --similarity and --min-similarity, as typed, if these options chose other settings.
struct similarity_choice {
  std::optional<std::string> similarity, min_similarity;
  int best_distance = -1;  ///< if --distance is given, the distance that --similarity alone would set; otherwise -1

  [[nodiscard]] std::string text() const {
    return "--similarity " + similarity.value_or(number(neardup::default_similarity) + " (the default)");
  }
};

/// The settings of a run. Most members are the settings of one part of the program.
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
  std::string why_by_fingerprints;  ///< why candidates are found by fingerprints, if no option asks for fingerprints
  std::string unchecked;            ///< a note that nothing is checked, or empty
};

struct context : reading {
  /// Opens the outputs. The file of an index is not opened, because the library writes it atomically.
  explicit context(const run_settings& s)
      : reading({s.input, s.lists, s.fingerprint, s.comparison, s.output.quiet}, sources_of(s)),
        settings(s),
        out(s.output.is_saved ? "" : s.output.file) {
    if (!s.output.dropped.empty()) dropped.emplace(s.output.dropped);
    if (!s.output.dropped_records.empty()) dropped_records.emplace(s.output.dropped_records);
    if (!s.output.audit.empty()) audit.emplace(s.output.audit);
    leave_out_outputs(sources);
  }

  /// Excludes from the input (`walker`) the files that this run writes.
  void leave_out_outputs(source_walker& walker) const {
    walker.leave_out(out.partial());
    if (dropped) walker.leave_out(dropped->partial());
    if (dropped_records) walker.leave_out(dropped_records->partial());
    if (audit) walker.leave_out(audit->partial());
  }

  const run_settings& settings;
  std::uint64_t against = 0;   // number of documents of --against
  std::uint64_t searched = 0;  // number of further documents, in an index that is searched and not read
  bool found_any = false;      // true if a verb that searches has found anything
  output out;                  // opened last, because opening truncates the file
  std::optional<output> dropped, dropped_records, audit;

 private:
  static std::vector<std::string> sources_of(const run_settings& s) {
    std::vector<std::string> all = s.input.paths;
    all.insert(all.end(), s.against.paths.begin(), s.against.paths.end());
    return all;
  }
};

/// Calls `visit` for each document of the input. If the next batch may take long to arrive, flushes the output first.
inline void for_each_document(context& c, const document_visitor& visit) {
  for_each_document(c, c.settings.input, c.sources, visit, [&c](const finished_batch& done) {
    if (done.input.live) c.out.flush();
  });
}

/// Returns the number of blocks for an index of fingerprints that are read from a stream: the number of --blocks, or
/// else default_blocks(), because the length of a stream is unknown.
inline int blocks_of(const run_settings& settings) {
  const comparison_settings& how = settings.comparison;
  return how.blocks > 0 ? how.blocks : neardup::default_blocks(stored_bits(settings.fingerprint.bits), how.distance);
}

inline void flush_outputs(context& c) {
  c.out.flush();
  if (c.dropped) c.dropped->flush();
  if (c.dropped_records) c.dropped_records->flush();
}

/// Renames finished output files to their final names. If `on_disk`, waits until the files are on the disk.
inline void close_outputs(context& c, bool on_disk = false) {
  c.out.close(on_disk);
  if (c.dropped) c.dropped->close(on_disk);
  if (c.dropped_records) c.dropped_records->close(on_disk);
  if (c.audit) c.audit->close(on_disk);
}

/// Ends a run. Closes the output files, then prints the notes. `summary` ends the first note. `found`: the number of
/// results of a verb that searches, whose exit status depends on it.
inline void finish(context& c, const std::string& summary, std::uint64_t found = 0) {
  close_outputs(c);
  c.found_any = found > 0;
  const std::string against = c.settings.against.any() ? " against " + grouped(c.against + c.searched) : "";
  c.notes.finish(counted(c.notes.documents() - c.against, "document", "documents") + against + summary, c.sources,
                 c.against);
}

}  // namespace command
