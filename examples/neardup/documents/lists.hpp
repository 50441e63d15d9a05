// Fingerprints in place of texts: lists of them as input.
#pragma once

#include <neardup/storage/composition.hpp>

#include "../ground/errors.hpp"
#include "../read/file_header.hpp"
#include "../read/source.hpp"
#include "documents.hpp"
#include "notes.hpp"
#include "stored_documents.hpp"

namespace command {

/// How files of fingerprints are read.
struct list_settings {
  bool are_verified = true;  ///< whole, before they are used
  bool have_headers = true;
  bool are_named = false;  ///< an option says what the fingerprints are made of
};

/// What the settings say that fingerprints are made of, with checksums of the tables that they look into. Precondition:
/// the settings name what that is (no ready weights), and all tables are loaded.
neardup::fingerprint_composition composition_of_settings(const fingerprint_settings& settings);

/// Checksums of what words by a dictionary are looked up in, on one line. Precondition: load_dictionary() was called.
std::string tables_of_words(const feature_setting& features);

/// Compares them with those that a file has in "check-words", if both have any. Throws: input_error.
void check_words(const std::string& path, const named_values& stored, const feature_setting& features);

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
