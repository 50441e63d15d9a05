// Mapping and contents in MariaDB, for one or several services.
#pragma once

#include <mysql.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "mapping.hpp"
#include "stores.hpp"

namespace docid {

/// A connection to MariaDB. If the connection is lost, it is opened again. During a transaction it is not opened again,
/// because the transaction is lost, too.
class mariadb_connection {
 public:
  /// Connects. `options`: an options file as MariaDB's programs read it; its group [client] has host or socket, port,
  /// user, password and database. `composition`: the settings that must not change while the tables are in use.
  /// Throws: std::runtime_error if the server cannot be reached or does not sync each commit, or the tables have another
  /// format or were made with another composition. The tables are then unchanged.
  mariadb_connection(std::string options, std::string composition);

  /// Executes a statement.
  /// Returns: the number of rows that the statement changed.
  /// Throws: std::runtime_error with the server's message.
  std::uint64_t run(const std::string& sql);
  void read(const std::string& sql, const sql_database::row_visitor& visit);
  [[nodiscard]] std::string quoted(std::string_view text) const;

  /// Connects, unless there is a connection.
  void start();
  /// Reconnects if the server has closed the connection. Does nothing during a transaction, because the transaction
  /// would be lost.
  void refresh();
  void set_in_transaction(bool is) { is_in_transaction_ = is; }
  /// Returns a random number that was made together with the tables.
  [[nodiscard]] const std::string& identity() const { return identity_; }
  /// Returns the greatest number of bytes that the server accepts in one packet.
  [[nodiscard]] std::size_t packet() const { return packet_; }

 private:
  void connect();
  void send(const std::string& sql);
  [[noreturn]] void fail();

  std::string options_;
  std::string composition_;
  std::string identity_;
  bool is_in_transaction_ = false;
  std::size_t packet_ = 0;
  std::unique_ptr<MYSQL, void (*)(MYSQL*)> handle_{nullptr, mysql_close};
};

/// The tables of a database. Inserted rows are collected, and sent together.
class mariadb_tables final : public sql_database {
 public:
  explicit mariadb_tables(mariadb_connection& connection) : connection_(connection) {}

  std::uint64_t run(const char* sql, sql_values values) override;
  void read(const char* sql, sql_values values, const row_visitor& visit) override;
  void insert(const char* into, const char* row, sql_values values) override;

  /// Sends the collected rows.
  void flush();
  /// Drops the collected rows.
  void forget() noexcept { new_rows_.clear(); }

 private:
  mariadb_connection& connection_;
  std::map<std::string_view, std::string> new_rows_;  // an INSERT statement for each table
};

/// A mapping that gives an article one docId even if it reaches two services at once. Each service holds a lock of the
/// database during a transaction, so the second service searches after the first service has committed. The lock
/// belongs to the connection. So if a service ends or loses the server, its lock and its transaction end, too. The rows
/// that a transaction adds are sent together at its end.
class mariadb_mapping final : public mapping {
 public:
  /// Opens the mapping. `urls`: an index of url hashes that is searched before the database; null if there is none.
  mariadb_mapping(mariadb_connection& connection, fingerprint_index* urls);

  std::string identity() override { return connection_.identity(); }
  void begin() override;
  void commit() override;
  void end() override;
  void rollback() noexcept override;

  void prepare(std::span<const std::string_view> nids, std::span<const std::string_view> urls) override;
  std::optional<doc_number> document_of_nid(std::string_view nid) override;
  std::optional<doc_number> document_of_url(std::string_view url) override;
  stored_article stored_of(std::string_view nid) override { return by_nid_.at(std::string(nid)).value().stored; }
  void add(std::string_view nid, std::string_view url, doc_number document, const stored_article& stored) override;
  void update(std::string_view nid, const stored_article& stored) override;
  std::optional<doc_number> remove(std::string_view nid) override;

 private:
  /// The article of a nid, or the oldest article of a url.
  struct found_article {
    doc_number document;
    stored_article stored;
  };
  using found_articles = std::unordered_map<std::string, std::optional<found_article>>;

  void release();
  std::optional<doc_number> find(found_articles& known, const char* column, std::string_view text);
  void find_all(found_articles& known, const char* column, std::span<const std::string_view> texts);

  mariadb_connection& connection_;
  mariadb_tables tables_;
  fingerprint_index* urls_;
  // The articles that the current transaction has read or added.
  found_articles by_nid_;
  found_articles by_url_;
};

/// Contents in MariaDB. They use the connection of the mapping, and so its transactions.
class mariadb_contents final : public contents {
 public:
  explicit mariadb_contents(mariadb_connection& connection) : tables_(connection) {}

  void put(doc_number document, std::uint64_t version, std::string_view json) override;
  std::optional<std::string> get(doc_number document, std::uint64_t version) override;
  void erase(doc_number document, std::uint64_t version) override;
  void sync() override { tables_.flush(); }
  void rollback() noexcept override { tables_.forget(); }

 private:
  mariadb_tables tables_;
};

}  // namespace docid
