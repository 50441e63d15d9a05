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

/// The functions of a mapping that are the same for each database: the functions for documents, and for the articles of
/// a document. Derived classes find nids and urls, and decide how a transaction begins and ends.
class row_mapping : public mapping {
 public:
  explicit row_mapping(sql_database& rows) : rows_(rows) {}

  std::vector<std::string> nids_of(doc_number document, std::size_t most) override;
  std::vector<known_article> articles_of(doc_number document) override;
  known_article first_of(doc_number document) override;

  [[nodiscard]] doc_number next_number() const override { return state_.next; }
  void add_document(doc_number document, const definition& defined, const kept_article& kept) override;
  void set_kept(doc_number document, const kept_article& kept) override;
  void redefine(doc_number document, const definition& old, const definition& defined,
                const feature_set& pairs) override;
  [[nodiscard]] std::uint64_t redefinitions() const override { return state_.redefinitions; }
  void for_each_redefinition(std::uint64_t after, const redefinition_visitor& visit) override;
  void erase_document(doc_number document) override;
  void add_pairs(doc_number document, const feature_set& pairs) override;
  bool has(doc_number document) override { return summary_of(document).has_value(); }
  std::optional<std::string> name_of(doc_number document) override;
  std::optional<definition> definition_of(doc_number document) override;
  std::optional<kept_article> kept_of(doc_number document) override;
  std::optional<feature_set> pairs_of(doc_number document) override;
  void for_each_document(doc_number after, const document_visitor& visit) override;
  std::vector<document_features> features_after(doc_number after, std::size_t most) override;
  std::vector<doc_number> documents_after(doc_number after, std::size_t most) override;

  [[nodiscard]] std::size_t documents() const override { return state_.documents; }
  [[nodiscard]] std::size_t nids() const override { return state_.nids; }

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
