// Mapping and contents in one SQLite file.
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
#include <utility>
#include <vector>

#include "stores.hpp"

namespace docid {

/// A prepared statement. Its functions throw std::runtime_error with SQLite's message.
class statement {
 public:
  statement(sqlite3* database, const char* sql);

  /// Binds the values to the parameters in order, and steps once.
  /// Returns: true if there is a row.
  template <class... Values>
  bool operator()(const Values&... values) {
    sqlite3_reset(handle_.get());
    int place = 0;
    (bind(++place, values), ...);
    return next();
  }
  bool next();
  void reset() { sqlite3_reset(handle_.get()); }

  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  [[nodiscard]] double real(int column) const { return sqlite3_column_double(handle_.get(), column); }
  [[nodiscard]] bool is_null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
  /// Returns the bytes of a column, valid until the next step.
  [[nodiscard]] std::string_view bytes(int column) const;

 private:
  void bind(int place, std::int64_t value);
  void bind(int place, double value);
  void bind(int place, std::string_view value);
  void bind(int place, const feature_set& value);
  void bind(int place, const std::optional<fingerprint>& value);

  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> handle_;
};

class sqlite_database {
 public:
  /// Opens the file for this process alone. If there is no file, makes it.
  /// Throws: std::runtime_error if another process has it open, or it was made with another `composition`.
  sqlite_database(const std::string& file, const std::string& composition);

  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

 private:
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle_;
};

/// A mapping in SQLite. Rows are in the order of their arrival, so that a commit writes few pages. Maps from nid and
/// url to the rows are in memory, keyed by 128-bit hashes with a seed of this process.
class sqlite_mapping final : public mapping {
 public:
  explicit sqlite_mapping(const sqlite_database& database);

  std::string identity() override;
  void begin() override;
  void commit() override;
  void end() override {}
  void rollback() noexcept override;

  void prepare(std::span<const std::string_view>, std::span<const std::string_view>) override {}
  std::optional<doc_number> document_of_nid(std::string_view nid) override;
  std::optional<doc_number> document_of_url(std::string_view url) override;
  std::vector<std::string> nids_of(doc_number document, std::size_t most) override;
  std::vector<known_article> articles_of(doc_number document) override;
  known_article first_of(doc_number document) override;
  std::optional<known_article> article_of(doc_number document, std::string_view nid) override;
  std::optional<known_article> hottest_of(doc_number document) override;
  std::optional<stored_article> stored_of(std::string_view nid) override;
  void add(std::string_view nid, std::string_view url, doc_number document, const stored_article& stored) override;
  void update(std::string_view nid, const stored_article& stored) override;
  std::optional<doc_number> remove(std::string_view nid) override;

  [[nodiscard]] doc_number next_number() const override { return next_; }
  void add_document(doc_number document, const definition& defined, const kept_article& kept) override;
  void set_kept(doc_number document, const kept_article& kept) override;
  void redefine(doc_number document, const definition& old, const definition& defined,
                const feature_set& pairs) override;
  [[nodiscard]] std::uint64_t redefinitions() const override { return redefinitions_; }
  void for_each_redefinition(std::uint64_t after, const redefinition_visitor& visit) override;
  void erase_document(doc_number document) override;
  void add_pairs(doc_number document, const feature_set& pairs) override;
  bool has(doc_number document) override { return document < is_there_.size() && is_there_[document]; }
  std::optional<std::string> name_of(doc_number document) override;
  std::optional<definition> definition_of(doc_number document) override;
  std::optional<kept_article> kept_of(doc_number document) override;
  std::optional<feature_set> pairs_of(doc_number document) override;
  void for_each_document(doc_number after, const document_visitor& visit) override;
  std::vector<document_features> features_after(doc_number after, std::size_t most) override;
  std::vector<doc_number> documents_after(doc_number after, std::size_t most) override;

  [[nodiscard]] std::size_t documents() const override { return size_; }
  [[nodiscard]] std::size_t nids() const override { return by_nid_.size(); }

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

  sqlite3* database_;
  std::array<std::uint64_t, 2> seed_;
  map by_nid_;
  map by_url_;
  std::vector<std::tuple<map*, key, std::optional<place>>> undo_;
  std::vector<bool> is_there_;                // by document number: true if the document exists
  std::vector<doc_number> erased_documents_;  // documents that the current transaction has erased
  std::uint32_t next_row_ = 1;
  doc_number next_ = 1;
  std::size_t size_ = 0;
  std::uint64_t redefinitions_ = 0;
  std::tuple<doc_number, std::size_t, std::uint64_t> before_;  // the state when the transaction began
  statement begin_, commit_, rollback_, insert_, find_, update_, erase_, nids_, articles_, hottest_, last_hottest_,
      first_of_url_, insert_document_, insert_features_, insert_pairs_, set_kept_, set_document_, set_features_,
      insert_redefinition_, all_redefinitions_, erase_document_, erase_features_, erase_pairs_, document_, features_,
      pairs_, all_, all_features_;
};

/// Contents in SQLite. They use the file of the mapping, and so its transactions. One
/// table has the first article of each document, with the document number as key. A second table has further articles.
class sqlite_contents final : public contents {
 public:
  explicit sqlite_contents(const sqlite_database& database);

  [[nodiscard]] bool is_local() const override { return false; }
  void put(doc_number document, std::uint64_t version, std::string_view json) override;
  std::optional<std::string> get(doc_number document, std::uint64_t version) override;
  void erase(doc_number document, std::uint64_t version) override;
  void sync() override {}
  void commit() override {}
  void rollback() noexcept override {}

 private:
  sqlite3* database_;
  statement put_, get_, erase_, put_other_, get_other_, erase_other_;
};

}  // namespace docid
