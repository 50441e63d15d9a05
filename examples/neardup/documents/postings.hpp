// Which documents have a feature: what an index keeps for clues, besides names and features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../../common/postings.hpp"
#include "documents.hpp"
#include "stored_documents.hpp"

namespace command {

/// Attachments of the file of an index from this one on are, if it keeps postings, bytes_of() posting columns and
/// place_columns::bytes().
inline constexpr std::size_t first_of_postings = 6;

/// The documents of each feature, to be written. Complexity: O(n log n) for n features of all documents.
common::posting_columns postings_of(const document_columns& documents);
inline std::vector<std::span<const std::byte>> bytes_of(const common::posting_columns& columns) {
  return {std::as_bytes(std::span(columns.features)), std::as_bytes(std::span(columns.ends)),
          std::as_bytes(std::span(columns.documents))};
}

/// The same in a mapped file, which has to outlive it.
/// Throws: input_error, by `path`, if these do not fit each other.
common::posting_lists stored_postings(const std::string& path, std::span<const std::byte> features,
                                      std::span<const std::byte> ends, std::span<const std::byte> documents);

/// Where a document stands, in a file that may be gone or changed by now.
struct stored_place {
  std::uint64_t path = ~std::uint64_t{0};  ///< its number; nothing is known if there is none
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  ///< bytes; 0: the whole file

  [[nodiscard]] bool is_known() const noexcept { return path != ~std::uint64_t{0}; }
};

/// The places of documents, to be written.
struct place_columns {
  std::string paths;  ///< each with a zero byte behind it
  std::vector<stored_place> places;

  void add(const placed_document& d);
  void add(const stored_place& place, const std::string& path);

  [[nodiscard]] std::vector<std::span<const std::byte>> bytes() const {
    return {std::as_bytes(std::span(paths)), std::as_bytes(std::span(places))};
  }

 private:
  std::uint64_t number_of(const std::string& path);

  std::unordered_map<std::string, std::uint64_t> numbers_;
};

/// The same in a mapped file.
class stored_places {
 public:
  /// Throws: input_error, by `path`, if these do not fit each other.
  stored_places(const std::string& path, std::span<const std::byte> paths, std::span<const std::byte> places);

  /// An unknown place for documents that have none.
  [[nodiscard]] stored_place operator[](std::size_t document) const {
    return document < places_.size() && places_[document].path < paths_.size() ? places_[document] : stored_place();
  }
  /// Of a place that is known.
  [[nodiscard]] std::string path_of(const stored_place& place) const {
    return std::string(paths_[static_cast<std::size_t>(place.path)]);
  }

 private:
  std::vector<std::string_view> paths_;
  std::span<const stored_place> places_;
};

}  // namespace command
