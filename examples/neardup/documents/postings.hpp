// Posting lists and positions of documents. An index for `find` has them in addition to names and features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../../common/postings.hpp"
#include "columns.hpp"
#include "documents.hpp"

namespace command {

/// The number of the first of five attachments of an index file: the three arrays of bytes_of() for posting lists, and
/// the two arrays of place_columns::bytes() for positions.
inline constexpr std::size_t first_of_postings = 6;

/// Makes posting lists from the features of each document.
/// Complexity: O(n log n), where n is the total number of features of all documents.
common::posting_columns postings_of(const column<std::uint32_t>& features);
inline std::vector<std::span<const std::byte>> bytes_of(const common::posting_columns& columns) {
  return {std::as_bytes(std::span(columns.features)), std::as_bytes(std::span(columns.ends)),
          std::as_bytes(std::span(columns.documents))};
}

/// Returns the posting lists in a mapped file.
/// Precondition: the file outlives the posting lists.
/// Throws: input_error if the arrays contradict each other; the message names `path`.
common::posting_lists stored_postings(const std::string& path, std::span<const std::byte> features,
                                      std::span<const std::byte> ends, std::span<const std::byte> documents);

/// The position of a document in a file. The file may have been removed or changed later.
struct document_place {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  ///< size of the record in bytes; 0 for the whole file
};

/// Returns the position of a document, or nullopt if the document comes from standard input.
std::optional<document_place> place_of(const placed_document& d);

/// The position of a document, in the form in which files store it.
struct stored_place {
  std::uint64_t path = ~std::uint64_t{0};  ///< index of the path; the largest number if the position is unknown
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// The positions of documents that are to be written.
struct place_columns {
  std::string paths;  ///< paths of files, each followed by a zero byte
  std::vector<stored_place> places;

  void add(const std::optional<document_place>& place);

  [[nodiscard]] std::vector<std::span<const std::byte>> bytes() const {
    return {std::as_bytes(std::span(paths)), std::as_bytes(std::span(places))};
  }

 private:
  std::uint64_t number_of(const std::string& path);

  std::unordered_map<std::string, std::uint64_t> numbers_;
};

/// The positions of documents in a mapped file.
class stored_places {
 public:
  /// Opens the positions.
  /// Throws: input_error if the arrays contradict each other; the message names `path`.
  stored_places(const std::string& path, std::span<const std::byte> paths, std::span<const std::byte> places);

  /// Returns the position of a document, or nullopt if the document has no position.
  [[nodiscard]] std::optional<document_place> operator[](std::size_t document) const;

 private:
  std::vector<std::string_view> paths_;
  std::span<const stored_place> places_;
};

}  // namespace command
