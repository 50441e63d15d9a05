// The verbs, what all of them work with, and the pass over the input that they share.
#pragma once

#include <neardup/index/layout.hpp>

#include "documents.hpp"
#include "lists.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report.hpp"
#include "source.hpp"

namespace command {

struct context {
  /// The file of an index is written by the library, whole or not at all.
  explicit context(options& s)
      : settings(s), sources(s), lists(s), notes(s), out(s.writes_file_at_end() ? "" : s.output_file) {
    if (!s.dropped_file.empty()) dropped.emplace(s.dropped_file);
    leave_out_outputs(sources);
  }

  /// What this run writes is no input.
  void leave_out_outputs(source_walker& walker) const {
    walker.leave_out(out.partial());
    if (dropped) walker.leave_out(dropped->partial());
  }

  options& settings;
  source_walker sources;
  list_reader lists;
  report notes;
  std::uint64_t against = 0;  // so many of the documents are those of --against
  bool found_any = false;     // what was looked for
  output out;                 // opened last: that empties a file
  std::optional<output> dropped;
};

/// Calls `visit` for each document of these sources in their order, and `after`, if there is one, after those of each
/// batch, also of one that ends in bad input.
inline void for_each_document(context& c, const options& settings, source_walker& sources,
                              const document_visitor& visit, const batch_visitor& after) {
  if (settings.unit == unit_of_input::fingerprints) return c.lists.read(sources, c.notes, visit);
  read_documents(settings, sources, c.notes, visit, after);
}

/// The same of the input. What was printed goes out where the next batch may be long in coming.
inline void for_each_document(context& c, const document_visitor& visit) {
  for_each_document(c, c.settings, c.sources, visit, [&c](const finished_batch& done) {
    if (done.input.live) c.out.flush();
  });
}

/// The blocks of the index of a stream, of which nobody knows how long it gets: what was asked for, or the default.
inline int blocks_of(const options& settings) {
  return settings.blocks > 0 ? settings.blocks : neardup::default_blocks(settings.bits, settings.distance);
}

/// Reads the texts of the input in a pass before the one that says what is wrong; the next pass reads the same sources.
inline void for_each_text_before(context& c, const std::string& what, const document_visitor& visit) {
  c.notes.phase(what);
  c.sources.remember();
  c.notes.mute(true);
  read_texts(c.settings, c.sources, c.notes, visit);
  c.notes.mute(false);
  c.sources.rewind();
}

/// Ends a run: everything is written, and the notes are said. `found`: how much was found of what was looked for.
inline void finish(context& c, const std::string& summary, std::uint64_t found = 0) {
  c.out.close();
  if (c.dropped) c.dropped->close();
  c.found_any = found > 0;
  const std::string against = c.settings.has_against() ? " against " + grouped(c.against) : "";
  c.notes.finish(counted(c.notes.documents() - c.against, "document", "documents") + against + summary, c.sources);
}

// What the verbs do. Each throws usage_error, input_error or output_error.

void run_groups(context& c);
void run_pairs(context& c);
void run_unique(context& c);
void run_report(context& c);

void run_hash(context& c);
void run_tokens(context& c);
void run_find(context& c);

void run_index(context& c);
void run_query(context& c);

void run_hash_to_shard(context& c);
void run_join(context& c);
void run_verify(context& c);
void run_merge(context& c);
void run_manifest(context& c);

void run_advise(context& c);
void run_diff(context& c);

}  // namespace command
