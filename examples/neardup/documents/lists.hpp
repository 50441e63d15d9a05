// Fingerprints in place of texts: lists of them as input.
#pragma once

#include <neardup/storage/composition.hpp>

#include "../ground/errors.hpp"
#include "../read/file_header.hpp"
#include "../read/source.hpp"
#include "documents.hpp"
#include "notes.hpp"

namespace command {

/// How files of fingerprints are read.
struct list_settings {
  bool are_verified = true;  ///< whole, before they are used
  bool have_headers = true;
  bool are_named = false;  ///< an option says what the fingerprints are made of
};

/// What the settings say that fingerprints are made of. Precondition: settings.can_be_named().
neardup::fingerprint_composition composition_of_settings(const fingerprint_settings& settings);

/// Throws: input_error, which tells the first difference.
void check_composition(const std::string& name, const neardup::fingerprint_composition& found,
                       const neardup::fingerprint_composition& expected);

/// Lists and indexes, all of the same composition: that of the options for texts, and if these name one, otherwise that
/// of the first file.
class list_reader {
 public:
  /// The settings have to stay.
  list_reader(const input_settings& input, const list_settings& lists, const fingerprint_settings& fingerprint)
      : input_(input), lists_(lists), fingerprint_(fingerprint) {}

  /// Calls `visit` for each record of all lists in order; its id is its number.
  void read(source_walker& sources, run_notes& notes, const document_visitor& visit);

  /// Takes or checks what a file is made of. Throws: input_error, which tells the first difference.
  void expect(const std::string& path, const neardup::fingerprint_composition& found);

  /// Of the files so far, or of the options.
  [[nodiscard]] neardup::fingerprint_composition made_of() const {
    return made_of_ ? *made_of_ : composition_of_settings(fingerprint_);
  }

 private:
  const input_settings& input_;
  const list_settings& lists_;
  const fingerprint_settings& fingerprint_;
  std::optional<neardup::fingerprint_composition> made_of_;
};

}  // namespace command
