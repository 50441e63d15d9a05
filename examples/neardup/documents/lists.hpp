// Lists of fingerprints, which can be the input instead of texts.
#pragma once

#include <neardup/storage/composition_of.hpp>

#include "../ground/errors.hpp"
#include "../read/file_header.hpp"
#include "../read/source.hpp"
#include "columns.hpp"
#include "documents.hpp"
#include "notes.hpp"

namespace command {

/// Settings for reading files of fingerprints.
struct list_settings {
  bool are_verified = true;  ///< true if the whole file is verified before use
  bool have_headers = true;
  bool are_named = false;  ///< true if an option names the composition of the fingerprints
};

/// The name of the tokenizer in a file of codes. The name says nothing about features, because another program made the
/// codes.
inline constexpr const char* codes_name = "codes";

/// Returns the name of the tokenizer in a file of codes. The name contains `bits` if the header of the file has another
/// width, stored_bits(bits).
inline std::string tokenizer_of_codes(std::size_t bits) {
  return stored_bits(bits) == bits ? codes_name : std::string(codes_name) + "(" + std::to_string(bits) + ")";
}

/// Returns the composition of fingerprints that are made with `settings`. The composition has checksums of all tables.
/// Precondition: all tables are loaded, and no weights come from records, because such weights have no composition.
neardup::fingerprint_composition composition_of_settings(const fingerprint_settings& settings);

/// Returns the name of the tokenizer, and the checksums of the dictionary, the model and the stop words, on one line.
/// Precondition: features.words is not null.
std::string tables_of_words(const feature_setting& features);

/// Compares tables_of_words(features) with the value "check-words" in `stored`, the settings of the file at `path`.
/// No-op if `features` has no dictionary, or `stored` has no such value.
/// Throws: input_error if the two differ.
void check_words(const std::string& path, const named_values& stored, const feature_setting& features);

/// Compares two compositions.
/// Throws: input_error if the compositions differ; the message names the first difference.
void check_composition(const std::string& name, const neardup::fingerprint_composition& found,
                       const neardup::fingerprint_composition& expected);

/// Reads lists and indexes. All of them must have the same composition. If texts are compared, or if an option names a
/// composition, the composition of the options is expected. Otherwise the composition of the first file is expected.
class list_reader {
 public:
  /// Makes a reader.
  /// Precondition: the settings outlive the reader.
  list_reader(const input_settings& input, const list_settings& lists, const fingerprint_settings& fingerprint)
      : input_(input), lists_(lists), fingerprint_(fingerprint) {}

  /// Calls `visit` for each record of all lists, in order. The id of a document is the number in its record.
  void read(source_walker& sources, run_notes& notes, const document_visitor& visit);

  /// Compares `found`, the composition of a file, with the expected composition, which the first file may determine.
  /// Throws: input_error if the compositions differ; the message names the first difference.
  void expect(const std::string& path, const neardup::fingerprint_composition& found);

  /// Returns the composition of the files that were read. If no file named a composition, returns the composition of
  /// the options.
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
