// An index file that a run searches and changes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <unordered_set>

#include "index_file.hpp"
#include "index_log.hpp"
#include "reading.hpp"

namespace command {

/// Decides when a change is written to the index file, and not only to the log beside the file.
enum class compaction {
  automatic,  ///< if the log would exceed an eighth of the file; linear in the file, but rare
  now,
  never  ///< unless the log cannot hold the change
};

/// An index and its log. No other process changes them while this object exists. Complexity of opening: linear in the
/// size of the log, not of the file.
class changed_index {
 public:
  virtual ~changed_index() = default;
  changed_index() = default;
  changed_index(const changed_index&) = delete;
  changed_index& operator=(const changed_index&) = delete;

  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Returns the count of document numbers, including the numbers of removed documents.
  [[nodiscard]] virtual std::size_t numbers() const = 0;
  /// Returns the number of bits of the fingerprints, or 0 for an index of sets.
  [[nodiscard]] virtual std::size_t bits() const = 0;
  /// Returns true for an index of feature sets, and false for an index of fingerprints.
  [[nodiscard]] virtual bool has_sets() const = 0;
  /// Returns true if the index has posting lists and the positions of its documents.
  [[nodiscard]] virtual bool keeps_postings() const = 0;
  /// Returns the value of a document in the field of the index. The value is empty if the index keeps no values.
  [[nodiscard]] virtual std::string_view value(std::uint32_t number) const = 0;
  [[nodiscard]] virtual std::string name(std::uint32_t number) const = 0;
  /// Returns the compared data of a document, without its fingerprint. See opened_index::features().
  [[nodiscard]] virtual feature_set features(std::uint32_t number) const = 0;
  /// Returns the feature sets of the index, in a form that can be searched.
  /// Precondition: has_sets(), and the index was opened with `compares` set to true.
  [[nodiscard]] virtual indexed_sets sets() const = 0;

  struct near_document {
    std::uint32_t number;
    std::optional<int> distance;  ///< set if fingerprints are compared
    double closeness;             ///< see neardup::closeness_of
  };
  using check_type = std::function<neardup::check_result(std::uint32_t number)>;
  /// Returns the closest document within k bits that the check accepts. Of equally close documents, returns the oldest,
  /// which has the lowest number.
  /// Precondition: has_sets() is false.
  /// Thread safety: several threads may call this function at once.
  /// Throws: input_error if the index file is damaged or was changed in place.
  [[nodiscard]] virtual std::optional<near_document> closest(const any_fingerprint& fingerprint, int k,
                                                             const check_type& check) const = 0;

  /// Returns the numbers of the documents whose names are in `names`.
  /// Complexity: linear in the size of the index.
  [[nodiscard]] virtual std::vector<std::uint32_t> named(const std::unordered_set<std::string>& names) const = 0;

  /// Makes a change, atomically and durably. When the function returns, the change is on disk. Only one call is
  /// allowed.
  /// Complexity: linear in the size of the change. If the file is rewritten, linear in the size of the index.
  /// Returns: the number of documents after the change.
  /// Throws: output_error if the change cannot be written; input_error if the file is damaged or was replaced.
  virtual std::size_t apply(const index_change& change, compaction when) = 0;
};

/// If names of documents in the index are in `names`, prints the number of such documents, followed by `hint`.
void say_if_there(const changed_index& index, const std::unordered_set<std::string>& names, const std::string& hint);

/// Opens an index to change it. `compares`: true if the run compares documents with the index, or adds documents to it.
/// The run must then have the composition of the index.
/// Throws: input_error if the file is not a valid index or its composition differs; output_error if another program is
/// changing the index.
std::unique_ptr<changed_index> open_to_change(reading& r, const std::string& path, bool compares, unsigned threads);

}  // namespace command
