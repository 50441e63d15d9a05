// The log beside an index file. It has the changes since the file was written.
#pragma once

#include <neardup/storage/journal.hpp>
#include <neardup/storage/mapped_file.hpp>
#include <optional>
#include <unordered_set>

#include "../describe/readers.hpp"
#include "../ground/interrupts.hpp"
#include "columns.hpp"
#include "postings.hpp"

namespace command {

/// Returns the path of the log of an index: FILE.neardup-log. If FILE is a link, the log is beside the target of the
/// link.
std::string log_of_index(const std::string& path);
/// Returns the files that may be beside an index: its log, and the lock of a process that is changing the index.
std::vector<std::string> files_beside_index(const std::string& path);

/// An index file and its log, as they were at one moment.
struct index_snapshot {
  neardup::mapped_file base;
  std::uint64_t state;  ///< identifies the file that the log follows
  neardup::log_contents log;
};
/// Opens an index file and its log.
/// Throws: input_error if the file or the log cannot be read, or if other programs replace the file again and again.
index_snapshot open_index_files(const std::string& path);

/// Returns the state of an index file, and the log whose changes the file already has. `state`: see index_snapshot.
/// `attachment`: attachment 5 of the file, which is the log_extent of that log, or empty.
neardup::journaled_file file_of(std::uint64_t state, std::span<const std::byte> attachment);

/// A change of an index. Documents are numbered from 0: the documents of the file come first, and then the added
/// documents, in order. A document keeps its number until the file is rewritten.
struct index_change {
  /// Makes a change that has no documents yet. `bits`: see logged_form.
  explicit index_change(std::size_t bits) : words_in_each((bits + 63) / 64) {}

  std::vector<std::uint32_t> removed;  ///< documents that existed before this change
  std::size_t words_in_each;           ///< words of a fingerprint
  std::vector<std::uint64_t> words;    ///< fingerprints of added documents, one after the other
  document_columns<std::uint32_t> added;
  place_columns places;  ///< positions of added documents
  column<char> values;   ///< values of added documents in the field of an index with values

  /// Adds a document. `features`: see opened_index::features(). Only an index of fingerprints uses `fingerprint`, only
  /// an index with posting lists uses `place`, and only an index with the values of a field uses `value`.
  void add(std::string_view name, const any_fingerprint& fingerprint, feature_set features,
           const std::optional<document_place>& place, std::string_view value) {
    const auto own = fingerprint.words().first(words_in_each);
    words.insert(words.end(), own.begin(), own.end());
    added.add(name, features);
    places.add(place);
    values.add(value);
  }
  [[nodiscard]] std::size_t size() const { return added.names.size(); }
  [[nodiscard]] bool is_empty() const { return removed.empty() && size() == 0; }
  [[nodiscard]] any_fingerprint fingerprint(std::size_t i) const {
    return any_fingerprint(std::span(words).subspan(i * words_in_each, words_in_each));
  }
};

/// The data that the log of an index has for each document, in addition to the name of the document.
struct logged_form {
  std::size_t bits;     ///< width of fingerprints; 0 for an index of sets
  bool keeps_features;  ///< true for an index of sets, and for an index with the digests of short documents
  bool keeps_places;    ///< true for an index with postings
  bool keeps_values;    ///< true for an index with the values of a field
};

/// Encodes a change as a record of the log (docs/decisions/0062-one-journal.md).
std::string encode_change(const index_change& change, const logged_form& form);

/// The journal of an index that the run changes. If a signal ends the program, the lock of the journal is removed.
class index_journal {
 public:
  /// Takes the lock of the index.
  /// Throws: output_error if another run writes the same file.
  explicit index_journal(const std::string& path);
  index_journal(const index_journal&) = delete;
  index_journal& operator=(const index_journal&) = delete;
  ~index_journal() {
    name_.finish([this] { journal_.reset(); });
  }

  neardup::journal* operator->() { return &*journal_; }
  neardup::journal& operator*() { return *journal_; }

 private:
  std::optional<neardup::journal> journal_;
  unfinished_file name_;
};

/// Checks the log beside `path`. Call this before you write a new index to `path`, which removes the log.
/// Throws: output_error if the log has changes of another index, is of another version, or is damaged.
void refuse_log_of_others(const std::string& path);
/// The documents that the log of an index adds and removes. The index_snapshot must outlive this object.
class logged_documents {
 public:
  /// Reads the log. `file`: the file to which the log belongs. `documents`: the number of documents in the file. Prints
  /// a message if the last change is incomplete, because its writer was stopped or is still writing.
  /// Throws: input_error if the log is damaged, or does not belong to the file.
  logged_documents(const std::string& path, const neardup::log_contents& log, const neardup::journaled_file& file,
                   std::size_t documents, const logged_form& form);

  /// Returns the number of documents that the log adds, including documents that it removes later.
  [[nodiscard]] std::size_t size() const noexcept { return added_.size(); }
  /// Returns the number of removed documents, including removed documents that the log had added.
  [[nodiscard]] std::size_t removed() const noexcept { return removed_.size(); }
  [[nodiscard]] bool is_removed(std::size_t number) const {
    return !removed_.empty() && removed_.contains(static_cast<std::uint32_t>(number));
  }
  /// Returns the offset in bytes at which the last whole record of the log ends, or 0 if the file has no log.
  [[nodiscard]] std::size_t end() const noexcept { return end_; }

  // The following functions return data of document i of the added documents.
  [[nodiscard]] std::string_view name(std::size_t i) const { return added_[i].name; }
  [[nodiscard]] feature_set features(std::size_t i) const { return added_[i].features; }
  [[nodiscard]] any_fingerprint fingerprint(std::size_t i) const { return any_fingerprint(added_[i].words); }
  [[nodiscard]] const std::optional<document_place>& place(std::size_t i) const { return added_[i].place; }
  [[nodiscard]] std::string_view value(std::size_t i) const { return added_[i].value; }

 private:
  struct document {
    std::span<const std::uint64_t> words;  // words of the fingerprint
    std::string_view name;
    feature_set features;
    std::optional<document_place> place;
    std::string_view value;
  };

  [[nodiscard]] bool take(const std::string& path, std::string_view record, std::size_t documents,
                          const logged_form& form);

  std::vector<document> added_;
  std::unordered_set<std::uint32_t> removed_;
  std::size_t end_ = 0;
};

}  // namespace command
