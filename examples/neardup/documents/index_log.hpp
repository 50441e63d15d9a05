// What came to an index since its file was written: the log beside it.
#pragma once

#include <neardup/storage/mapped_file.hpp>
#include <neardup/storage/record_log.hpp>
#include <unordered_set>

#include "../describe/readers.hpp"
#include "stored_documents.hpp"

namespace command {

/// The log of an index: FILE.neardup-log, beside the file that a link leads to.
std::string log_of_index(const std::string& path);
/// What may lie beside an index: its log, and the lock of whoever changes it.
std::vector<std::string> files_beside_index(const std::string& path);

/// An index and its log, as they were at one moment.
struct index_snapshot {
  neardup::mapped_file base;
  std::uint64_t state;  ///< of the file, which its log follows
  neardup::log_contents log;
};
/// Throws: input_error.
index_snapshot open_index_files(const std::string& path);

/// Documents have numbers: first those of the file, then those that were added, each in its order. A number stays with its
/// document until the file is written anew.
struct index_change {
  std::vector<std::uint32_t> removed;  ///< documents that are there before it
  std::vector<any_fingerprint> fingerprints;
  document_columns added;

  void add(std::string_view name, const any_fingerprint& fingerprint, feature_set features) {
    fingerprints.push_back(fingerprint);
    added.add(name, features);
  }
  [[nodiscard]] bool is_empty() const { return removed.empty() && fingerprints.empty(); }
};

/// A change as a record of the log (docs/format.md).
std::string encode_change(const index_change& change, std::size_t bits, bool keeps_features);

/// What attachment 5 of an index holds: which log is in it, or counts no more: the one that was beside it when it was
/// written. Of the file of a log; empty if there is none. Throws: output_error.
std::string extent_of_log(const std::string& log);
/// Throws: output_error.
void remove_log(const std::string& log);

/// The documents in the log of an index, and those that it removes. What it is made of has to stay.
class logged_documents {
 public:
  /// `taken_in`: attachment 5 of the file; `documents`: how many are in it; `bits` of their fingerprints.
  /// Throws: input_error, if the log is damaged, or does not follow the file.
  logged_documents(const std::string& path, const index_snapshot& files, std::span<const std::byte> taken_in,
                   std::size_t documents, std::size_t bits, bool keeps_features);

  /// Of the log, also those that were removed later.
  [[nodiscard]] std::size_t size() const noexcept { return added_.size(); }
  /// Of the file and the log.
  [[nodiscard]] std::size_t removed() const noexcept { return removed_.size(); }
  [[nodiscard]] bool is_removed(std::size_t number) const {
    return !removed_.empty() && removed_.contains(static_cast<std::uint32_t>(number));
  }
  /// Whether there is a log that follows the file, to which more can be appended.
  [[nodiscard]] bool goes_on() const noexcept { return goes_on_; }

  // Of document i of the log.
  [[nodiscard]] std::string_view name(std::size_t i) const { return added_[i].name; }
  [[nodiscard]] feature_set features(std::size_t i) const { return added_[i].features; }
  [[nodiscard]] const any_fingerprint& fingerprint(std::size_t i) const { return added_[i].fingerprint; }

 private:
  struct document {
    any_fingerprint fingerprint;
    std::string_view name;
    feature_set features;
  };

  [[nodiscard]] bool take(std::string_view record, std::size_t documents, std::size_t bits, bool keeps_features);

  std::vector<document> added_;
  std::unordered_set<std::uint32_t> removed_;
  bool goes_on_ = false;
};

}  // namespace command
