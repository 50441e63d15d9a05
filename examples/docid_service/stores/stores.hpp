// The three things that the service keeps, each behind a small interface. One thread uses them, in transactions: what is
// added or removed between begin and commit is seen by later calls at once, and by nobody after a rollback.
//
// The mapping is what is true: its commit decides. Contents are synced before it, the indexes follow after it: what an
// index lacks then (the process was killed, a server has forgotten) is given to it at the next transaction, and a
// document that it still has although it is gone is left out by the service.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../describe/recipe.hpp"

namespace docid {

/// Numbers documents from 1 on; none is used twice.
using doc_number = std::uint32_t;

struct candidate {
  doc_number document;
  int distance;
};

/// What an index found before the transaction that asks for it; each kind of index has its own.
class early_results {
 public:
  early_results() = default;
  early_results(const early_results&) = delete;
  early_results& operator=(const early_results&) = delete;
  virtual ~early_results() = default;
};

/// Fingerprints that came together, to be searched for.
struct query_group {
  std::vector<std::optional<fingerprint>> prints;
  std::unique_ptr<const early_results> early;  ///< if search_early() was called
};

/// Fingerprints of one kind (title, content or url), each with its document.
class fingerprint_index {
 public:
  virtual ~fingerprint_index() = default;

  /// Returns: the last commit's `known`; 0 if there was none, or the index has forgotten what it had.
  virtual std::uint64_t known() = 0;
  /// Searches as far as that can be done before the transaction; from any thread, at any time.
  virtual void search_early(query_group& /*queries*/) const {}
  /// Says which fingerprints the transaction will ask for, so that they can be searched together. The groups stay where
  /// they are while near() is asked.
  virtual void prepare(std::span<const query_group* const> groups) = 0;
  /// The documents near number `query` of all these, what the transaction added included: by distance, then age.
  virtual std::vector<candidate> near(std::size_t query) = 0;

  /// Before the transaction is decided. Throws: std::runtime_error if the index has forgotten since known() was asked, and
  /// what was searched may not have been all.
  virtual void confirm() = 0;

  /// An entry that is there already is left as it is.
  virtual void insert(const fingerprint& print, doc_number document) = 0;
  virtual void erase(const fingerprint& print, doc_number document) = 0;
  /// `known`: what the index has: of urls the articles up to this one, otherwise see known_state.
  virtual void commit(std::uint64_t known) = 0;
  virtual void rollback() noexcept = 0;
};

/// What an index has: the documents up to one, as the redefinitions up to one have left them. As a number they are what
/// an index of a version without redefinitions has said.
struct known_state {
  doc_number documents = 0;
  std::uint64_t redefinitions = 0;

  static known_state of(std::uint64_t known) { return {static_cast<doc_number>(known), known >> 32U}; }
  [[nodiscard]] std::uint64_t number() const { return redefinitions << 32U | documents; }
  friend bool operator==(const known_state&, const known_state&) = default;
};

/// What defines a document: its name, which never changes, and the texts of its first article.
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

/// The article that is shown for a document, the hottest of those that it has.
struct kept_article {
  double heat = 0;
  std::uint64_t version = 0;  ///< under which the contents have it
};

/// Where the contents have an article, and what it was.
struct stored_article {
  double heat = 0;
  std::uint64_t version = 0;
  std::uint64_t digest = 0;  ///< of its JSON; equal if nothing has changed
};

struct known_article {
  std::string nid;
  std::string url;
  std::optional<stored_article>
      stored;  ///< nothing if an earlier version of the service took it, which kept the hottest only
};

/// An article that the store has no room for; others may be kept.
struct unstorable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What an index that knows more than the mapping is told: it was made from what the mapping has lost.
inline constexpr const char* index_is_ahead =
    "the index has documents that the mapping has not; were these restored from a copy? Empty the index first";

/// Documents, and which of them an article belongs to.
class mapping {
 public:
  virtual ~mapping() = default;

  /// Of this store and no other: what was made from another store cannot be used with it.
  virtual std::string identity() = 0;

  /// Returns when no other service decides.
  virtual void begin() = 0;
  /// Returns when everything is synced, and decided for all services.
  virtual void commit() = 0;
  /// Lets other services decide, after the indexes have followed.
  virtual void end() = 0;
  virtual void rollback() noexcept = 0;

  /// Says which nids and urls the transaction will ask for.
  virtual void prepare(std::span<const std::string_view> nids, std::span<const std::string_view> urls) = 0;
  virtual std::optional<doc_number> document_of_nid(std::string_view nid) = 0;
  virtual std::optional<doc_number> document_of_url(std::string_view url) = 0;
  virtual std::vector<std::string> nids_of(doc_number document) = 0;
  /// By age.
  virtual std::vector<known_article> articles_of(doc_number document) = 0;
  /// The oldest one. Precondition: the document is there.
  virtual known_article first_of(doc_number document) = 0;
  /// Of a nid that document_of_nid() has found in this transaction.
  virtual std::optional<stored_article> stored_of(std::string_view nid) = 0;
  /// Precondition: the nid is not there, and the document is.
  virtual void add(std::string_view nid, std::string_view url, doc_number document, const stored_article& stored) = 0;
  /// Precondition: the nid is there.
  virtual void update(std::string_view nid, const stored_article& stored) = 0;
  /// Returns: the document of the nid that is gone; nothing if it was not there.
  virtual std::optional<doc_number> remove(std::string_view nid) = 0;

  /// Returns: the number of the next document, which has never been used.
  virtual doc_number next_number() const = 0;
  virtual void add_document(doc_number document, const definition& defined, const kept_article& kept) = 0;
  virtual void set_kept(doc_number document, const kept_article& kept) = 0;
  /// Replaces what defines a document, but for its name.
  virtual void redefine(doc_number document, const definition& old, const definition& defined,
                        const feature_set& pairs) = 0;
  /// How often documents were redefined.
  virtual std::uint64_t redefinitions() const = 0;
  using redefinition_visitor = std::function<void(doc_number, const std::optional<fingerprint>& old_title,
                                                  const std::optional<fingerprint>& old_content)>;
  /// All redefinitions after this one, in their order.
  virtual void for_each_redefinition(std::uint64_t after, const redefinition_visitor& visit) = 0;
  virtual void erase_document(doc_number document) = 0;
  /// Keeps the pairs of the content that defines a document where they cannot be made of the contents.
  /// Precondition: it has none.
  virtual void add_pairs(doc_number document, const feature_set& pairs) = 0;
  /// Whether a document is there; asked of each candidate.
  virtual bool has(doc_number document) = 0;
  // Of a document that is not there: nothing.
  virtual std::optional<std::string> name_of(doc_number document) = 0;
  virtual std::optional<definition> definition_of(doc_number document) = 0;
  virtual std::optional<kept_article> kept_of(doc_number document) = 0;
  /// Returns: what add_pairs() was given, if it was.
  virtual std::optional<feature_set> pairs_of(doc_number document) = 0;

  using document_visitor = std::function<void(doc_number, const std::optional<fingerprint>& title,
                                              const std::optional<fingerprint>& content)>;
  /// All documents after this one, by their numbers.
  virtual void for_each_document(doc_number after, const document_visitor& visit) = 0;
  /// The features of the next ones after this one, at most so many, by their numbers.
  virtual std::vector<document_features> features_after(doc_number after, std::size_t most) = 0;
  /// The numbers of the next ones after this one, at most so many.
  virtual std::vector<doc_number> documents_after(doc_number after, std::size_t most) = 0;

  virtual std::size_t documents() const = 0;
  virtual std::size_t nids() const = 0;
};

/// Articles as JSON.
class contents {
 public:
  virtual ~contents() = default;

  /// Whether what is put in a transaction, or by another service, cannot be got.
  [[nodiscard]] virtual bool is_local() const = 0;

  virtual void put(doc_number document, std::uint64_t version, std::string_view json) = 0;
  /// What stands under another version, or in another service's store, is not there.
  virtual std::optional<std::string> get(doc_number document, std::uint64_t version) = 0;
  /// Takes effect after the mapping's commit.
  virtual void erase(doc_number document, std::uint64_t version) = 0;
  /// Returns when what was put is synced; before the mapping's commit.
  virtual void sync() = 0;
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;
};

}  // namespace docid
