// The beginning of a file of the library's, by which it is told from texts.
#pragma once

#include <cstdint>
#include <neardup/simhash.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "../ground/errors.hpp"

namespace command {

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

}  // namespace command
