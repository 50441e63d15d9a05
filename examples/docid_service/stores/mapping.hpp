// Stores the mapping of articles to documents in tables of any SQL database.
#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "stores.hpp"

namespace docid {

/// A column of a row, or the value of a parameter: NULL, a number, a text, or features.
using sql_value = std::variant<std::nullptr_t, std::uint64_t, double, std::string_view, std::span<const std::uint32_t>>;
using sql_values = std::initializer_list<sql_value>;

/// A row of a result. A database may return a number as the text of its digits. It returns features as a text of their
/// bytes. Texts are valid until the next row is read.
class sql_row {
 public:
  /// Makes a row. `order`: the order of the bytes of a feature.
  sql_row(std::span<const sql_value> columns, std::endian order) : columns_(columns), order_(order) {}

  [[nodiscard]] bool is_null(std::size_t column) const {
    return std::holds_alternative<std::nullptr_t>(columns_[column]);
  }
  /// Returns the number in a column, or 0 for NULL.
  [[nodiscard]] std::uint64_t number(std::size_t column) const { return as<std::uint64_t>(column); }
  [[nodiscard]] double real(std::size_t column) const { return as<double>(column); }
  [[nodiscard]] std::string_view text(std::size_t column) const {
    return is_null(column) ? std::string_view() : std::get<std::string_view>(columns_[column]);
  }
  [[nodiscard]] doc_number document(std::size_t column) const { return static_cast<doc_number>(number(column)); }
  [[nodiscard]] std::optional<fingerprint> print(std::size_t column) const {
    return is_null(column) ? std::nullopt : std::optional(fingerprint(number(column)));
  }
  /// Returns the features in a column, or no features for NULL.
  [[nodiscard]] feature_set features(std::size_t column) const;

 private:
  template <class Number>
  [[nodiscard]] Number as(std::size_t column) const {
    if (const auto* const whole = std::get_if<std::uint64_t>(&columns_[column])) return static_cast<Number>(*whole);
    if (const auto* const real = std::get_if<double>(&columns_[column])) return static_cast<Number>(*real);
    Number found{};
    const std::string_view digits = text(column);
    std::from_chars(digits.data(), digits.data() + digits.size(), found);
    return found;
  }

  std::span<const sql_value> columns_;
  std::endian order_;
};

/// A database that executes statements. A `?` in a statement is a parameter. Statements are string literals, because a
/// database may find its prepared statements by the addresses of these literals.
/// Throws: each function throws std::runtime_error with the message of the database.
class sql_database {
 public:
  using row_visitor = std::function<void(const sql_row&)>;

  /// Executes a statement.
  /// Returns: the number of rows that the statement changed.
  virtual std::uint64_t run(const char* sql, sql_values values) = 0;
  /// Executes a statement, and calls visit(row) for each row of the result.
  virtual void read(const char* sql, sql_values values, const row_visitor& visit) = 0;
  /// Inserts a row. `into`: the table and its columns; `row`: an expression for each column. The database may get the
  /// row later, but before the next run() or read().
  /// Throws: unstorable if the row is too long for the database.
  virtual void insert(const char* into, const char* row, sql_values values) = 0;

 protected:
  ~sql_database() = default;
};

/// The documents, and for each article the document to which it belongs. A derived class, for one database, finds nids
/// and urls, and decides how a transaction begins and ends.
class mapping {
 public:
  explicit mapping(sql_database& rows) : rows_(rows) {}
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;
  virtual ~mapping() = default;

  /// Returns the identity of this store, by which indexes and contents recognise their mapping.
  virtual std::string identity() = 0;

  /// Begins a transaction. Waits until no other service is in a transaction.
  virtual void begin() = 0;
  /// Commits. Returns when all changes are on disk, and visible to all services.
  virtual void commit() = 0;
  /// Ends the transaction, so that other services can begin theirs. The service calls this function after the commits
  /// of the indexes.
  virtual void end() {}
  virtual void rollback() noexcept = 0;

  /// Announces the nids and urls for which the transaction will search.
  virtual void prepare(std::span<const std::string_view> /*nids*/, std::span<const std::string_view> /*urls*/) {}
  virtual std::optional<doc_number> document_of_nid(std::string_view nid) = 0;
  virtual std::optional<doc_number> document_of_url(std::string_view url) = 0;
  /// Returns the nids of a document, oldest first, but at most `most` nids.
  std::vector<std::string> nids_of(doc_number document, std::size_t most = std::size_t{1} << 62);
  /// Returns the articles of a document, oldest first.
  std::vector<known_article> articles_of(doc_number document);
  /// Returns the oldest article of a document.
  /// Precondition: the document exists.
  known_article first_of(doc_number document);
  /// Returns the article of a nid if the article belongs to the document.
  virtual std::optional<known_article> article_of(doc_number document, std::string_view nid);
  /// Returns the hottest article of a document; of equally hot articles the oldest. If equally hot articles have the
  /// same url as the oldest, returns the newest of them.
  /// Precondition: the document exists.
  virtual known_article hottest_of(doc_number document);
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
  [[nodiscard]] doc_number next_number() const { return state_.next; }
  virtual void add_document(doc_number document, const definition& defined, const kept_article& kept);
  void set_kept(doc_number document, const kept_article& kept);
  /// Replaces the title and the content of a document by the values of `defined`, and its stored pairs of words by
  /// `pairs`. The name does not change. `old` is the definition before this call.
  void redefine(doc_number document, const definition& old, const definition& defined, const feature_set& pairs);
  /// Returns the number of calls of redefine() so far, by all processes.
  [[nodiscard]] std::uint64_t redefinitions() const { return state_.redefinitions; }
  using redefinition_visitor = std::function<void(doc_number, const std::optional<fingerprint>& old_title,
                                                  const std::optional<fingerprint>& old_content)>;
  /// Visits the redefinitions with a number above `after`, in order. The first redefinition has the number 1.
  void for_each_redefinition(std::uint64_t after, const redefinition_visitor& visit);
  virtual void erase_document(doc_number document);
  /// Stores `pairs`, the pairs of words of the content that defines a document. The content may be erased later.
  /// Precondition: the document has no stored pairs.
  void add_pairs(doc_number document, const feature_set& pairs);
  /// Returns true if the document exists. The service calls this function for each candidate.
  virtual bool has(doc_number document) { return summary_of(document).has_value(); }
  // name_of(), definition_of() and kept_of() return nullopt if the document does not exist.
  std::optional<std::string> name_of(doc_number document);
  std::optional<definition> definition_of(doc_number document);
  std::optional<kept_article> kept_of(doc_number document);
  /// Returns the pairs that add_pairs() or redefine() has stored, if any.
  std::optional<feature_set> pairs_of(doc_number document);

  using document_visitor = std::function<void(doc_number, const std::optional<fingerprint>& title,
                                              const std::optional<fingerprint>& content)>;
  /// Visits all documents with a number above `after`, in ascending order.
  void for_each_document(doc_number after, const document_visitor& visit);
  /// Returns the features of the first `most` documents with a number above `after`, in ascending order.
  std::vector<document_features> features_after(doc_number after, std::size_t most);
  /// Returns the numbers of the first `most` documents with a number above `after`, in ascending order.
  std::vector<doc_number> documents_after(doc_number after, std::size_t most);

  [[nodiscard]] std::size_t documents() const { return state_.documents; }
  [[nodiscard]] std::size_t nids() const { return state_.nids; }

 protected:
  struct state {
    doc_number next = 1;
    std::uint64_t next_article = 1;
    std::size_t documents = 0;
    std::size_t nids = 0;
    std::uint64_t redefinitions = 0;
  };

  /// Notes that a transaction begins, and copies `state_` for restore().
  /// Precondition: until close(), no other process changes the tables.
  void open() {
    before_ = state_;
    is_open_ = true;
  }
  void close() noexcept {
    is_open_ = false;
    summaries_.clear();
  }
  /// Notes that the transaction ends, and restores the `state_` that open() copied.
  void restore() noexcept {
    state_ = before_;
    close();
  }
  [[nodiscard]] bool is_open() const { return is_open_; }

  /// Returns the first article that the query `sql` finds. The query selects nid, url, heat, version and digest.
  std::optional<known_article> find_article(const char* sql, sql_values values);
  static stored_article stored_in(const sql_row& row, std::size_t first) {
    return {row.real(first), row.number(first + 1), row.number(first + 2)};
  }

  sql_database& rows_;
  state state_;

 private:
  struct summary {
    std::string name;
    kept_article kept;
  };

  std::optional<summary> summary_of(doc_number document);
  void add_features(doc_number document, const definition& defined);

  state before_;
  bool is_open_ = false;
  std::unordered_map<doc_number, std::optional<summary>> summaries_;  // the documents that the transaction has read
};

}  // namespace docid
