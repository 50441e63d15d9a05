// The three things that the service keeps, each behind a small interface. One thread uses them, in transactions: what is
// added or removed between begin and commit is seen by later calls at once, and by nobody after a rollback.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recipe.hpp"

namespace docid {

/// Numbers documents from 1 on; none is used twice.
using doc_number = std::uint32_t;

struct candidate {
  doc_number document;
  int distance;
};

/// Fingerprints of one kind (title or content), each with its document.
class fingerprint_index {
 public:
  virtual ~fingerprint_index() = default;

  /// Says which fingerprints the transaction will ask for, so that they can be searched together.
  virtual void prepare(std::span<const std::optional<fingerprint>> queries) = 0;
  /// The documents near number `query` of these, what the transaction added included: by distance, then age.
  virtual std::vector<candidate> near(std::size_t query) = 0;

  virtual void insert(const fingerprint& print, doc_number document) = 0;
  virtual void erase(const fingerprint& print, doc_number document) = 0;
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;
};

/// Which document an article belongs to.
class mapping {
 public:
  virtual ~mapping() = default;

  virtual std::optional<doc_number> document_of_nid(std::string_view nid) = 0;
  virtual std::optional<doc_number> document_of_url(std::string_view url) = 0;
  virtual std::vector<std::string> nids_of(doc_number document) = 0;
  virtual std::size_t size() const = 0;

  /// Precondition: the nid is not there.
  virtual void add(std::string_view nid, std::string_view url, doc_number document) = 0;
  /// Returns: the document of the nid that is gone; nothing if it was not there.
  virtual std::optional<doc_number> remove(std::string_view nid) = 0;
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;
};

/// What defines a document, and never changes: that of its first article.
struct definition {
  std::string name;  ///< the docId
  description title;
  description content;
};

/// The article whose content is kept, the hottest so far.
struct kept_article {
  std::string json;
  double heat = 0;
};

class contents {
 public:
  virtual ~contents() = default;

  /// Returns: the number of the new document, which has never been used.
  virtual doc_number next_number() = 0;
  virtual void add(doc_number document, const definition& defined, const kept_article& article) = 0;
  virtual void replace(doc_number document, const kept_article& article) = 0;
  virtual void erase(doc_number document) = 0;

  virtual std::optional<std::string> name_of(doc_number document) = 0;
  /// Throws: std::runtime_error if there is no such document, like the next ones.
  virtual definition definition_of(doc_number document) = 0;
  virtual double heat_of(doc_number document) = 0;
  virtual kept_article article_of(doc_number document) = 0;
  virtual std::size_t size() const = 0;

  virtual void begin() = 0;
  /// Returns when everything is synced.
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;
};

}  // namespace docid
