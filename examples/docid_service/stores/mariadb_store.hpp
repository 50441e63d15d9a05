// Mapping and contents in MariaDB, for one or several services.
#pragma once

#include <mysql.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stores.hpp"

namespace docid {

/// A connection. If it is lost, it is opened again, except during a transaction, which is lost with it.
class mariadb_connection {
 public:
  /// Connects. `options`: an options file as MariaDB's programs read it; its group [client] has host or socket, port,
  /// user, password and database. `composition`: the settings that must not change while the tables are in use.
  /// Throws: std::runtime_error if the server cannot be reached or does not sync each commit, or the tables were made
  /// with another composition.
  mariadb_connection(std::string options, std::string composition);

  using row = std::vector<std::optional<std::string_view>>;

  /// Executes a statement.
  /// Throws: std::runtime_error with the server's message.
  void run(const std::string& sql);
  /// Calls visit(row) for each row of the answer.
  template <class Visit>
  void read(const std::string& sql, Visit&& visit) {
    run_only(sql);
    const std::unique_ptr<MYSQL_RES, void (*)(MYSQL_RES*)> result(mysql_store_result(handle_.get()), mysql_free_result);
    if (!result) fail();
    row values(mysql_num_fields(result.get()));
    while (const MYSQL_ROW fields = mysql_fetch_row(result.get())) {
      const unsigned long* const sizes = mysql_fetch_lengths(result.get());
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i].reset();
        if (fields[i] != nullptr) values[i].emplace(fields[i], sizes[i]);
      }
      visit(values);
    }
  }
  /// Returns the text as an SQL literal.
  [[nodiscard]] std::string quoted(std::string_view text) const;

  /// Appends a row to an INSERT statement. If the statement would become too long, it is executed first.
  /// Throws: unstorable if the row alone is too long for the server.
  void append_row(std::string& rows, const char* insert, const std::string& values);

  /// Connects, unless connected.
  void start();
  /// Reconnects if the server has closed the connection. Does nothing during a transaction, because the transaction
  /// would be lost.
  void refresh();
  void set_in_transaction(bool is) { is_in_transaction_ = is; }
  /// Returns a random number that was made together with the tables.
  [[nodiscard]] const std::string& identity() const { return identity_; }

 private:
  void connect();
  void add_columns();
  void run_only(const std::string& sql);
  [[noreturn]] void fail();

  std::string options_;
  std::string composition_;
  std::string identity_;
  bool is_in_transaction_ = false;
  std::size_t packet_ = 0;  // most bytes that the server accepts at once
  std::unique_ptr<MYSQL, void (*)(MYSQL*)> handle_{nullptr, mysql_close};
};

/// A mapping that gives an article one docId even if it reaches two services at once. Each service takes a lock of the
/// database for a transaction, so the second one searches after the first has committed. The lock belongs to the
/// connection. So a service that dies, or loses the server, loses both lock and transaction. The rows that a
/// transaction adds are sent together at its end.
class mariadb_mapping final : public mapping {
 public:
  /// Opens the mapping. `urls`: an index of url hashes, which is asked first; null if there is none.
  mariadb_mapping(mariadb_connection& connection, fingerprint_index* urls);

  std::string identity() override { return connection_.identity(); }
  void begin() override;
  void commit() override;
  void end() override;
  void rollback() noexcept override;

  void prepare(std::span<const std::string_view> nids, std::span<const std::string_view> urls) override;
  std::optional<doc_number> document_of_nid(std::string_view nid) override;
  std::optional<doc_number> document_of_url(std::string_view url) override;
  std::vector<std::string> nids_of(doc_number document, std::size_t most) override;
  std::vector<known_article> articles_of(doc_number document) override;
  known_article first_of(doc_number document) override;
  std::optional<stored_article> stored_of(std::string_view nid) override;
  void add(std::string_view nid, std::string_view url, doc_number document, const stored_article& stored) override;
  void update(std::string_view nid, const stored_article& stored) override;
  std::optional<doc_number> remove(std::string_view nid) override;

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

 private:
  /// The state that all services share. It is the only row of the table `store`.
  struct state {
    doc_number next = 1;
    std::uint64_t next_article = 1;
    std::size_t documents = 0;
    std::size_t nids = 0;
    std::uint64_t redefinitions = 0;
  };
  struct summary {
    std::string name;
    kept_article kept;
  };
  /// An article that was found by its nid, or the first article that was found by its url.
  struct found_article {
    doc_number document;
    std::optional<stored_article> stored;
  };
  using found_articles = std::unordered_map<std::string, std::optional<found_article>>;

  void release();
  void flush();
  std::optional<summary> summary_of(doc_number document);
  std::optional<doc_number> find(found_articles& known, const char* column, std::string_view text);
  void find_all(found_articles& known, const char* column, std::span<const std::string_view> texts);
  std::vector<known_article> read_articles(doc_number document, const char* limit);

  mariadb_connection& connection_;
  fingerprint_index* urls_;
  state state_;
  state before_;  // the state when the transaction began
  bool is_open_ = false;
  // State of the current transaction: articles and summaries that were read, and rows that are not sent yet.
  found_articles by_nid_;
  found_articles by_url_;
  std::unordered_map<doc_number, std::optional<summary>> summaries_;
  std::string new_articles_, new_documents_, new_features_, new_pairs_;
};

/// Contents in MariaDB. They use the connection of the mapping, and so its transactions.
class mariadb_contents final : public contents {
 public:
  explicit mariadb_contents(mariadb_connection& connection) : connection_(connection) {}

  [[nodiscard]] bool is_local() const override { return false; }
  void put(doc_number document, std::uint64_t version, std::string_view json) override;
  std::optional<std::string> get(doc_number document, std::uint64_t version) override;
  void erase(doc_number document, std::uint64_t version) override;
  void sync() override { flush(); }
  void commit() override {}
  void rollback() noexcept override { new_rows_.clear(); }

 private:
  void flush();

  mariadb_connection& connection_;
  std::string new_rows_;
};

}  // namespace docid
