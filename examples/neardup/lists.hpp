// Fingerprints in place of texts: lists of them as input.
#pragma once

#include <neardup/storage/composition.hpp>

#include "documents.hpp"
#include "errors.hpp"
#include "options.hpp"
#include "report.hpp"
#include "source.hpp"

namespace command {

/// What the options say that fingerprints are made of. Precondition: can_be_named(settings).
neardup::fingerprint_composition composition_of_options(const options& settings);

/// Whether a file can say what the fingerprints are made of: words by a dictionary, and the heaviest features, have no
/// name there.
inline bool can_be_named(const options& settings) {
  return !settings.features.needs_dictionary() && settings.top == 0 && settings.weighted_field.empty();
}

/// Throws: input_error, which tells the first difference.
void check_composition(const std::string& name, const neardup::fingerprint_composition& found,
                       const neardup::fingerprint_composition& expected);

/// What stands in the header of each file of neardup's.
struct stored_fingerprints {
  std::size_t bits;
  neardup::fingerprint_kind kind;
  int content;             ///< docs/format.md
  std::uint64_t checksum;  ///< of the header, which has those of all that follows

  [[nodiscard]] bool is_list() const noexcept { return content == 1; }
  [[nodiscard]] bool is_index() const noexcept { return content == 2; }
};

/// By the first 64 bytes of a file, if it begins as neardup's do.
std::optional<stored_fingerprints> parse_header(std::string_view beginning);

/// Of a regular file that begins as neardup's do.
std::optional<stored_fingerprints> header_of(const std::string& path);

inline bool is_index(const std::string& path) {
  const auto header = header_of(path);
  return header && header->is_index();
}

/// Throws: input_error if it is no such file.
stored_fingerprints read_header(const std::string& path);

/// What reading files of the library's throws becomes an input_error.
template <class Read>
decltype(auto) as_input(const Read& read) {
  try {
    return read();
  } catch (const input_error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw input_error({"", error.what()});
  }
}

/// Lists and indexes, all of the same composition: that of the options for texts, and if these name one, otherwise that
/// of the first file.
class list_reader {
 public:
  explicit list_reader(const options& settings) : settings_(settings) {}

  /// Calls `visit` for each record of all lists in order; its id is its number.
  void read(source_walker& sources, report& notes, const document_visitor& visit);

  /// Takes or checks what a file is made of. Throws: input_error, which tells the first difference.
  void expect(const std::string& path, const neardup::fingerprint_composition& found);

  /// Of the files so far, or of the options.
  [[nodiscard]] neardup::fingerprint_composition made_of() const {
    return made_of_ ? *made_of_ : composition_of_options(settings_);
  }

 private:
  const options& settings_;
  std::optional<neardup::fingerprint_composition> made_of_;
};

}  // namespace command
