// The input of a run as documents, and the passes over it that the verbs share.
#pragma once

#include "documents.hpp"
#include "lists.hpp"
#include "notes.hpp"

namespace command {

/// What is read, and how: parts of the settings of a run, which have to stay.
struct reading_settings {
  const input_settings& input;
  const list_settings& lists;
  const fingerprint_settings& fingerprint;
  const comparison_settings& comparison;
  bool quiet;
};

struct reading {
  /// `all_sources`: for the progress bar, also those of another corpus.
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

/// Calls `visit` for each document of these sources in their order, and `after`, if there is one, after those of each
/// batch, also of one that ends in bad input.
inline void for_each_document(reading& r, const input_settings& input, source_walker& sources,
                              const document_visitor& visit, const batch_visitor& after) {
  if (input.unit == unit_of_input::fingerprints) return r.lists.read(sources, r.notes, visit);
  read_documents(input, r.how.fingerprint, r.how.comparison, sources, r.notes, visit, after);
}

/// Reads the texts of the input in a pass before the one that says what is wrong; the next pass reads the same sources.
inline void for_each_text_before(reading& r, const std::string& what, const document_visitor& visit) {
  r.notes.phase(what);
  r.sources.remember();
  r.notes.mute(true);
  read_texts(r.how.input, r.sources, r.notes, visit);
  r.notes.mute(false);
  r.sources.rewind();
}

}  // namespace command
