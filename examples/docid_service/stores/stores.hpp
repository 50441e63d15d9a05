// The interfaces of the service's stores for contents and for indexes. mapping.hpp has the store of the mapping. One
// thread uses the stores, in transactions. A transaction sees its own changes at once. A rollback undoes these changes.
//
// A transaction is valid when the mapping is committed. Contents are synced before this commit; indexes are committed
// after it. If the process is killed, or a server loses data, an index may lack documents. The next transaction adds
// the missing documents. The service ignores erased documents that an index still has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../describe/recipe.hpp"

namespace docid {

/// The number of a document. Numbers start at 1, and are never used twice.
using doc_number = std::uint32_t;

/// The format of the tables, keys and values that the service writes. SQLite, MariaDB, Redis and RocksDB have this
/// number. An HBase table needs no number, because its name contains the identity of a mapping that has the number.
inline constexpr std::uint64_t store_format = 1;

/// Returns the error message for a store of another format. `empty`: how to give the service an empty store.
inline std::string other_format(const std::string& found, const std::string& empty) {
  return "it has format " + found + ", and this docid_service uses format " + std::to_string(store_format) +
         " only. Nothing was changed. Use the docid_service that made it, or " + empty + " and send the articles again";
}

struct candidate {
  doc_number document;
  int distance;
};

/// Early results: the results of searches that were made before the transaction that uses them. Each kind of index has
/// its own type.
class early_results {
 public:
  early_results() = default;
  early_results(const early_results&) = delete;
  early_results& operator=(const early_results&) = delete;
  virtual ~early_results() = default;
};

/// The fingerprints for which one request searches.
struct query_group {
  std::vector<std::optional<fingerprint>> prints;
  std::unique_ptr<const early_results> early;  ///< set if search_early() was called
};

/// An index of the fingerprints of titles, of contents or of urls. An entry is a fingerprint with its document.
class fingerprint_index {
 public:
  virtual ~fingerprint_index() = default;

  /// Returns the argument `known` of the last commit(); 0 if there was no commit, or the index has lost its content.
  virtual std::uint64_t known() = 0;
  /// Searches for the fingerprints of a request before its transaction begins. May set `queries.early`.
  /// Thread safety: callable from any thread, at any time.
  virtual void search_early(query_group& /*queries*/) const {}
  /// Announces the fingerprints for which near() will be called, so that the index can search for all of them together.
  /// Precondition: the groups exist until the last call of near().
  virtual void prepare(std::span<const query_group* const> groups) = 0;
  /// Returns the documents near a prepared fingerprint, sorted by distance, then by age. Includes additions of the
  /// transaction. `query`: the number of the fingerprint, counted through all groups.
  virtual std::vector<candidate> near(std::size_t query) = 0;

  /// Checks that the searches of the transaction were complete. The service calls this function before the commit.
  /// Throws: std::runtime_error if the index has lost its content since known() was called.
  virtual void confirm() {}

  /// Adds an entry, unless the index has it already.
  virtual void insert(const fingerprint& print, doc_number document) = 0;
  virtual void erase(const fingerprint& print, doc_number document) = 0;
  /// Commits the additions. `known` describes the content of the index: for urls, the number of the last article; for
  /// other indexes, see known_state.
  virtual void commit(std::uint64_t known) = 0;
  virtual void rollback() noexcept = 0;
};

/// The content of an index: all documents up to a number, with all redefinitions up to another number. number() encodes
/// both; its low 32 bits are `documents`.
struct known_state {
  doc_number documents = 0;
  std::uint64_t redefinitions = 0;

  static known_state of(std::uint64_t known) { return {static_cast<doc_number>(known), known >> 32U}; }
  [[nodiscard]] std::uint64_t number() const { return redefinitions << 32U | documents; }
  friend bool operator==(const known_state&, const known_state&) = default;
};

/// The definition of a document: its name, which never changes, and the texts of its first article.
struct definition {
  std::string name;  ///< the docId
  description title;
  description content;
};

/// The features of a document's texts.
struct document_features {
  doc_number document;
  feature_set title, content;
};

/// The article that is shown for a document: the hottest of its articles.
struct kept_article {
  double heat = 0;
  std::uint64_t version = 0;  ///< the version of this article in the contents
};

/// A stored article: its version in the contents, its heat and its digest.
struct stored_article {
  double heat = 0;
  std::uint64_t version = 0;
  std::uint64_t digest = 0;  ///< a hash of the article's JSON, to find out whether it has changed
};

struct known_article {
  std::string nid;
  std::string url;
  stored_article stored;
};

/// The exception of a store that cannot hold an article. The store may still hold other articles.
struct unstorable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The error message if the index has documents that are missing from the mapping, for instance because the mapping was
/// restored from an old copy.
inline constexpr const char* index_is_ahead =
    "the index has documents that the mapping has not; were these restored from a copy? Empty the index first";

/// Articles as JSON.
class contents {
 public:
  virtual ~contents() = default;

  /// Returns true if get() sees neither the puts of the open transaction nor the puts of other services.
  [[nodiscard]] virtual bool is_local() const { return false; }

  virtual void put(doc_number document, std::uint64_t version, std::string_view json) = 0;
  /// Returns an article; nullopt if there is only another version, or another service's store has the article.
  virtual std::optional<std::string> get(doc_number document, std::uint64_t version) = 0;
  /// Erases an article. The erasure takes effect when the mapping commits, or later in commit().
  virtual void erase(doc_number document, std::uint64_t version) = 0;
  /// Returns when all puts are on disk. The service calls this function before the commit of the mapping.
  virtual void sync() {}
  virtual void commit() {}
  virtual void rollback() noexcept {}
};

}  // namespace docid
