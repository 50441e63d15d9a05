// The log beside an index file, with the changes since the file was written.
#pragma once

#include <neardup/storage/mapped_file.hpp>
#include <neardup/storage/record_log.hpp>
#include <unordered_set>

#include "../describe/readers.hpp"
#include "postings.hpp"
#include "stored_documents.hpp"

namespace command {

/// Returns the path of an index's log: FILE.neardup-log, beside the file to which a link leads.
std::string log_of_index(const std::string& path);
/// Returns the files that may be beside an index: its log, and the lock of a process that changes it.
std::vector<std::string> files_beside_index(const std::string& path);

/// An index and its log, as they were at one moment.
struct index_snapshot {
  neardup::mapped_file base;
  std::uint64_t state;  ///< identifies the file that the log follows
  neardup::log_contents log;
};
/// Opens an index and its log.
/// Throws: input_error.
index_snapshot open_index_files(const std::string& path);

/// A change of an index. Documents are numbered: first the documents of the file, then added ones, each in order. A
/// document keeps its number until the file is rewritten.
struct index_change {
  std::vector<std::uint32_t> removed;  ///< documents that existed before this change
  std::vector<any_fingerprint> fingerprints;
  document_columns added;
  place_columns places;  ///< positions of added documents

  /// Adds a document. An index of sets uses `features`, an index of fingerprints `fingerprint`, an index with postings
  /// `place`. The other arguments do not matter.
  void add(std::string_view name, const any_fingerprint& fingerprint, feature_set features,
           const std::optional<document_place>& place) {
    fingerprints.push_back(fingerprint);
    added.add(name, features);
    places.add(place);
  }
  /// Returns the number of added documents.
  [[nodiscard]] std::size_t size() const { return fingerprints.size(); }
  [[nodiscard]] bool is_empty() const { return removed.empty() && fingerprints.empty(); }
};

/// The parts of a document in the log of an index, besides its name.
struct logged_form {
  std::size_t bits;     ///< width of fingerprints; 0 for an index of sets
  bool keeps_features;  ///< true for an index of sets
  bool keeps_places;    ///< true for an index with postings
};

/// Returns the change as a record of the log (docs/format.md).
std::string encode_change(const index_change& change, const logged_form& form);

/// Returns attachment 5 of an index. It identifies the log that was beside the index when it was written, and that is
/// merged into it or obsolete. Empty if there is no log.
/// Throws: output_error.
std::string extent_of_log(const std::string& log);
/// Checks the log beside `path`, which writing a new index there removes.
/// Throws: output_error if that log has changes of another index, is of another version, or is damaged.
void refuse_log_of_others(const std::string& path);
/// Removes a log.
/// Throws: output_error.
void remove_log(const std::string& log);

/// The documents in the log of an index, and the documents that the log removes. The snapshot must outlive this object.
class logged_documents {
 public:
  /// Reads the log. `taken_in`: attachment 5 of the file; `documents`: the number of documents in the file.
  /// Throws: input_error if the log is damaged, or does not follow the file.
  logged_documents(const std::string& path, const index_snapshot& files, std::span<const std::byte> taken_in,
                   std::size_t documents, const logged_form& form);

  /// Returns the number of documents in the log, including those that were removed later.
  [[nodiscard]] std::size_t size() const noexcept { return added_.size(); }
  /// Returns the number of removed documents, of the file and of the log.
  [[nodiscard]] std::size_t removed() const noexcept { return removed_.size(); }
  [[nodiscard]] bool is_removed(std::size_t number) const {
    return !removed_.empty() && removed_.contains(static_cast<std::uint32_t>(number));
  }
  /// Returns true if there is a log that follows the file, so that records can be appended to it.
  [[nodiscard]] bool goes_on() const noexcept { return goes_on_; }

  // The following functions are for document i of the log.
  [[nodiscard]] std::string_view name(std::size_t i) const { return added_[i].name; }
  [[nodiscard]] feature_set features(std::size_t i) const { return added_[i].features; }
  [[nodiscard]] const any_fingerprint& fingerprint(std::size_t i) const { return added_[i].fingerprint; }
  [[nodiscard]] const std::optional<document_place>& place(std::size_t i) const { return added_[i].place; }

 private:
  struct document {
    any_fingerprint fingerprint;
    std::string_view name;
    feature_set features;
    std::optional<document_place> place;
  };

  [[nodiscard]] bool take(const std::string& path, std::string_view record, std::size_t documents,
                          const logged_form& form);

  std::vector<document> added_;
  std::unordered_set<std::uint32_t> removed_;
  bool goes_on_ = false;
};

}  // namespace command
