// The header of the library's files. It distinguishes these files from texts.
#pragma once

#include <cstdint>
#include <neardup/simhash.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "../ground/errors.hpp"

namespace command {

/// The fields of the header of each neardup file.
struct stored_fingerprints {
  std::size_t bits;
  neardup::fingerprint_kind kind;
  int content;             ///< the kind of file, as docs/format.md numbers them
  std::uint64_t checksum;  ///< checksum of the header; it depends on all bytes of the file

  [[nodiscard]] bool is_list() const noexcept { return content == 1; }
  /// Returns true if the file is an index of fingerprints or of feature sets.
  [[nodiscard]] bool is_index() const noexcept { return content == 2 || has_sets(); }
  [[nodiscard]] bool has_sets() const noexcept { return content == 6; }
};

/// Parses the first 64 bytes of a file.
/// Returns: nullopt if the file is not a neardup file.
std::optional<stored_fingerprints> parse_header(std::string_view beginning);

/// Returns the header of a neardup file, or nullopt for any other path.
/// Throws: input_error if the file is a damaged or incomplete neardup file.
std::optional<stored_fingerprints> header_of(const std::string& path);

inline bool is_index(const std::string& path) {
  const auto header = header_of(path);
  return header && header->is_index();
}

/// Reads the header of a neardup file.
/// Throws: input_error if the file is not a neardup file. The message ends with `hint`.
stored_fingerprints read_header(const std::string& path, std::string_view hint = {});

/// Calls `read`, and converts the exceptions of the library to input_error. The message begins with `option`, the option
/// that names the file.
template <class Read>
decltype(auto) as_input(const Read& read, const char* option = "") {
  try {
    return read();
  } catch (const input_error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw input_error({option, error.what()});
  }
}

}  // namespace command
