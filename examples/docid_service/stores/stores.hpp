// The interfaces of the stores of the service: of the mapping, the contents and the indexes. One thread uses the
// stores, in transactions. The open transaction sees its own changes at once. A rollback undoes these changes.
//
// A transaction is valid when the mapping is committed. Contents are synced before this commit; indexes are committed
// after it. If the process is killed, or a server loses data, an index may lack documents. The next transaction adds
// the missing documents. The service ignores erased documents that an index still has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
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
/// number. An HBase table has none: its name contains the identity of a mapping, which has the number.
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
  virtual void confirm() = 0;

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

/// The documents, and for each article the document to which it belongs.
class mapping {
 public:
  virtual ~mapping() = default;

  /// Returns the identity of this store, by which indexes and contents recognise their mapping.
  virtual std::string identity() = 0;

  /// Begins a transaction. Waits until no other service is in a transaction.
  virtual void begin() = 0;
  /// Commits. Returns when all changes are on disk, and visible to all services.
  virtual void commit() = 0;
  /// Ends the transaction, so that other services can begin theirs. The service calls this function after the commits
  /// of the indexes.
  virtual void end() = 0;
  virtual void rollback() noexcept = 0;

  /// Announces the nids and urls for which the transaction will search.
  virtual void prepare(std::span<const std::string_view> nids, std::span<const std::string_view> urls) = 0;
  virtual std::optional<doc_number> document_of_nid(std::string_view nid) = 0;
  virtual std::optional<doc_number> document_of_url(std::string_view url) = 0;
  /// Returns the nids of a document, oldest first, but at most `most` nids.
  virtual std::vector<std::string> nids_of(doc_number document,
                                           std::size_t most = std::numeric_limits<std::size_t>::max()) = 0;
  /// Returns the articles of a document, oldest first.
  virtual std::vector<known_article> articles_of(doc_number document) = 0;
  /// Returns the oldest article of a document.
  /// Precondition: the document exists.
  virtual known_article first_of(doc_number document) = 0;
  /// Returns the article of a nid if the article belongs to the document.
  virtual std::optional<known_article> article_of(doc_number document, std::string_view nid) {
    for (known_article& one : articles_of(document)) {
      if (one.nid == nid) return std::move(one);
    }
    return std::nullopt;
  }
  /// Returns the hottest article of a document; of equally hot articles the oldest. If equally hot articles have the
  /// same url as the oldest, returns the newest of them.
  /// Precondition: the document exists.
  virtual known_article hottest_of(doc_number document) {
    std::vector<known_article> all = articles_of(document);
    std::size_t best = 0;
    for (std::size_t i = 1; i < all.size(); ++i) {
      const double heat = all[i].stored.heat, most = all[best].stored.heat;
      if (heat > most || (heat == most && all[i].url == all[best].url)) best = i;
    }
    return std::move(all.at(best));
  }
  /// Returns the stored article of a nid.
  /// Precondition: document_of_nid() has found the nid in this transaction.
  virtual stored_article stored_of(std::string_view nid) = 0;
  /// Adds an article to a document.
  /// Precondition: the nid is not stored, and the document exists.
  virtual void add(std::string_view nid, std::string_view url, doc_number document, const stored_article& stored) = 0;
  /// Replaces the stored data of an article.
  /// Precondition: the nid is stored.
  virtual void update(std::string_view nid, const stored_article& stored) = 0;
  /// Removes a nid.
  /// Returns: the document to which the nid belonged, or nullopt if the nid was not stored.
  virtual std::optional<doc_number> remove(std::string_view nid) = 0;

  /// Returns the number for the next new document. No document ever had this number.
  virtual doc_number next_number() const = 0;
  virtual void add_document(doc_number document, const definition& defined, const kept_article& kept) = 0;
  virtual void set_kept(doc_number document, const kept_article& kept) = 0;
  /// Replaces the title and the content of a document by the values of `defined`, and its stored pairs of words by
  /// `pairs`. The name does not change. `old` is the definition before this call.
  virtual void redefine(doc_number document, const definition& old, const definition& defined,
                        const feature_set& pairs) = 0;
  /// Returns the number of calls of redefine() so far, by all processes.
  virtual std::uint64_t redefinitions() const = 0;
  using redefinition_visitor = std::function<void(doc_number, const std::optional<fingerprint>& old_title,
                                                  const std::optional<fingerprint>& old_content)>;
  /// Visits the redefinitions with a number above `after`, in order. The first redefinition has the number 1.
  virtual void for_each_redefinition(std::uint64_t after, const redefinition_visitor& visit) = 0;
  virtual void erase_document(doc_number document) = 0;
  /// Stores `pairs`, the pairs of words of the content that defines a document. The content may be erased later.
  /// Precondition: the document has no stored pairs.
  virtual void add_pairs(doc_number document, const feature_set& pairs) = 0;
  /// Returns true if the document exists. The service calls this function for each candidate.
  virtual bool has(doc_number document) = 0;
  // name_of(), definition_of() and kept_of() return nullopt if the document does not exist.
  virtual std::optional<std::string> name_of(doc_number document) = 0;
  virtual std::optional<definition> definition_of(doc_number document) = 0;
  virtual std::optional<kept_article> kept_of(doc_number document) = 0;
  /// Returns the pairs that add_pairs() or redefine() has stored, if any.
  virtual std::optional<feature_set> pairs_of(doc_number document) = 0;

  using document_visitor = std::function<void(doc_number, const std::optional<fingerprint>& title,
                                              const std::optional<fingerprint>& content)>;
  /// Visits all documents with a number above `after`, in ascending order.
  virtual void for_each_document(doc_number after, const document_visitor& visit) = 0;
  /// Returns the features of the first `most` documents with a number above `after`, in ascending order.
  virtual std::vector<document_features> features_after(doc_number after, std::size_t most) = 0;
  /// Returns the numbers of the first `most` documents with a number above `after`, in ascending order.
  virtual std::vector<doc_number> documents_after(doc_number after, std::size_t most) = 0;

  virtual std::size_t documents() const = 0;
  virtual std::size_t nids() const = 0;
};

/// Articles as JSON.
class contents {
 public:
  virtual ~contents() = default;

  /// Returns true if get() sees neither the puts of the open transaction nor the puts of other services.
  [[nodiscard]] virtual bool is_local() const = 0;

  virtual void put(doc_number document, std::uint64_t version, std::string_view json) = 0;
  /// Returns an article; nullopt if there is only another version, or another service's store has the article.
  virtual std::optional<std::string> get(doc_number document, std::uint64_t version) = 0;
  /// Erases an article. The erasure takes effect when the mapping commits, or later in commit().
  virtual void erase(doc_number document, std::uint64_t version) = 0;
  /// Returns when all puts are on disk. The service calls this function before the commit of the mapping.
  virtual void sync() = 0;
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;
};

}  // namespace docid
