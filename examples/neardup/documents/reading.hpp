// The documents in the input of a run, and the passes over these documents that several verbs need.
#pragma once

#include "documents.hpp"
#include "lists.hpp"
#include "notes.hpp"

namespace command {

/// The settings for reading. The members refer to parts of the settings of a run.
/// Precondition: the settings of the run outlive this object.
struct reading_settings {
  const input_settings& input;
  const list_settings& lists;
  const fingerprint_settings& fingerprint;
  const comparison_settings& comparison;
  bool quiet;
};

struct reading {
  /// `all_sources`: all sources, including the sources of another corpus. The progress bar needs their total size.
  reading(const reading_settings& settings, const std::vector<std::string>& all_sources)
      : how(settings),
        sources(settings.input),
        lists(settings.input, settings.lists, settings.fingerprint),
        notes(settings.input, settings.fingerprint, settings.comparison, all_sources, settings.quiet) {}

  reading_settings how;
  source_walker sources;
  list_reader lists;
  run_notes notes;
};

/// Calls `visit` for each document of `sources`, in order. Calls `after`, if it is set, after each batch of texts, even
/// if bad input ends the batch.
inline void for_each_document(reading& r, const input_settings& input, source_walker& sources,
                              const document_visitor& visit, const batch_visitor& after) {
  if (input.unit == unit_of_input::fingerprints) return r.lists.read(sources, r.notes, visit);
  read_documents(input, r.how.fingerprint, r.how.comparison, sources, r.notes, visit, after);
}

/// Calls `visit` for each text of the input, in a pass without notes. `what` names the pass in the progress bar.
inline void for_each_text_before(reading& r, const std::string& what, const document_visitor& visit) {
  r.notes.phase(what);
  r.sources.remember();
  r.notes.mute(true);
  read_texts(r.how.input, r.sources, r.notes, visit);
  r.notes.mute(false);
  r.sources.rewind();
}

}  // namespace command
