// Stores the mapping and the contents in one SQLite file.
#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "mapping.hpp"
#include "stores.hpp"

namespace docid {

/// A file of SQLite. Each statement is prepared only once.
class sqlite_database final : public sql_database {
 public:
  /// Opens the file for this process alone, and makes it if it does not exist.
  /// Throws: std::runtime_error if another process has opened the file, or the file has another format, or was made
  /// with another `composition`. The file is then unchanged.
  sqlite_database(const std::string& file, const std::string& composition);

  std::uint64_t run(const char* sql, sql_values values) override;
  void read(const char* sql, sql_values values, const row_visitor& visit) override;
  void insert(const char* into, const char* row, sql_values values) override;

  [[nodiscard]] bool is_in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }

 private:
  using prepared_statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

  void run_all(const char* sql);

  std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle_;
  std::unordered_map<const char*, std::string> inserts_;          // by the table and its columns
  std::unordered_map<const char*, prepared_statement> prepared_;  // by the address of the text
};

/// A mapping in SQLite. Rows are in the order of their arrival, so that a commit writes few pages. Two maps in memory
/// find the row of a nid, and the document of a url. Their keys are 128-bit hashes with a seed of this process.
class sqlite_mapping final : public mapping {
 public:
  explicit sqlite_mapping(sqlite_database& database);

  std::string identity() override;
  void begin() override;
  void commit() override;
  void rollback() noexcept override;

  std::optional<doc_number> document_of_nid(std::string_view nid) override;
  std::optional<doc_number> document_of_url(std::string_view url) override;
  std::optional<known_article> article_of(doc_number document, std::string_view nid) override;
  known_article hottest_of(doc_number document) override;
  stored_article stored_of(std::string_view nid) override { return in_row(by_nid_.at(key_of(nid)).number).stored; }
  void add(std::string_view nid, std::string_view url, doc_number document, const stored_article& stored) override;
  void update(std::string_view nid, const stored_article& stored) override;
  std::optional<doc_number> remove(std::string_view nid) override;

  void add_document(doc_number document, const definition& defined, const kept_article& kept) override;
  void erase_document(doc_number document) override;
  bool has(doc_number document) override { return document < is_there_.size() && is_there_[document]; }

 private:
  using key = std::array<std::uint64_t, 2>;
  struct key_hash {
    std::size_t operator()(const key& k) const noexcept { return static_cast<std::size_t>(k[0]); }
  };
  struct place {
    doc_number document;
    std::uint32_t number;    // for a nid its row; for a url the number of its articles
    bool has_other = false;  // for a url: true if one of its articles was added to another document
  };
  using map = std::unordered_map<key, place, key_hash>;

  key key_of(std::string_view text) const;
  void set(map& where, const key& k, std::optional<place> value);
  void note(doc_number document);
  /// Returns the article in row `number` of the table.
  /// Throws: std::runtime_error if there is no such row.
  known_article in_row(std::uint64_t number);

  sqlite_database& database_;
  std::array<std::uint64_t, 2> seed_;
  map by_nid_;
  map by_url_;
  std::vector<std::tuple<map*, key, std::optional<place>>> undo_;
  std::vector<bool> is_there_;                // by document number: true if the document exists
  std::vector<doc_number> erased_documents_;  // documents that the current transaction has erased
};

/// Contents in SQLite. They are in the file of the mapping, and use its transactions. One table has the first article
/// of each document, with the document number as key. A second table has further articles.
class sqlite_contents final : public contents {
 public:
  explicit sqlite_contents(sqlite_database& database) : database_(database) {}

  void put(doc_number document, std::uint64_t version, std::string_view json) override;
  std::optional<std::string> get(doc_number document, std::uint64_t version) override;
  void erase(doc_number document, std::uint64_t version) override;

 private:
  sqlite_database& database_;
};

}  // namespace docid
