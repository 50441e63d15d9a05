#include "mariadb_store.hpp"

#include <errmsg.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <neardup/fingerprint.hpp>
#include <new>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace docid {

namespace {

constexpr std::size_t most_sql = std::size_t{4} << 20;  // most bytes of a statement, if the server accepts that many

// The key of a text is its SHA-256, so a text may have any length, and nobody can make two texts with the same key.
constexpr const char* mariadb_schema[] = {
    "CREATE TABLE IF NOT EXISTS document(number INT UNSIGNED PRIMARY KEY, name CHAR(33) NOT NULL,"
    " title BIGINT UNSIGNED, content BIGINT UNSIGNED, heat DOUBLE NOT NULL, version BIGINT UNSIGNED NOT NULL)"
    " ENGINE=InnoDB CHARSET=utf8mb4",
    "CREATE TABLE IF NOT EXISTS features(document INT UNSIGNED PRIMARY KEY, title LONGBLOB NOT NULL,"
    " content LONGBLOB NOT NULL) ENGINE=InnoDB",
    "CREATE TABLE IF NOT EXISTS pairs(document INT UNSIGNED PRIMARY KEY, content LONGBLOB NOT NULL) ENGINE=InnoDB",
    "CREATE TABLE IF NOT EXISTS redefinition(number BIGINT UNSIGNED PRIMARY KEY, document INT UNSIGNED NOT NULL,"
    " title BIGINT UNSIGNED, content BIGINT UNSIGNED) ENGINE=InnoDB",
    "CREATE TABLE IF NOT EXISTS content(document INT UNSIGNED NOT NULL, version BIGINT UNSIGNED NOT NULL,"
    " article LONGTEXT NOT NULL, PRIMARY KEY(document, version)) ENGINE=InnoDB CHARSET=utf8mb4",
    "CREATE TABLE IF NOT EXISTS article(number BIGINT UNSIGNED PRIMARY KEY, document INT UNSIGNED NOT NULL,"
    " nid_key BINARY(32) NOT NULL UNIQUE, url_key BINARY(32) NOT NULL, nid LONGTEXT NOT NULL, url LONGTEXT NOT NULL,"
    " docid CHAR(33) NOT NULL, heat DOUBLE NOT NULL, version BIGINT UNSIGNED NOT NULL, digest BIGINT UNSIGNED NOT NULL,"
    " KEY(url_key), KEY(document)) ENGINE=InnoDB CHARSET=utf8mb4",
    // This table is created last. If it exists, all other tables exist.
    "CREATE TABLE IF NOT EXISTS store(number INT PRIMARY KEY, composition TEXT NOT NULL, identity TEXT NOT NULL,"
    " next INT UNSIGNED NOT NULL, next_article BIGINT UNSIGNED NOT NULL, documents BIGINT UNSIGNED NOT NULL,"
    " nids BIGINT UNSIGNED NOT NULL, format INT UNSIGNED NOT NULL) ENGINE=InnoDB CHARSET=utf8mb4",
};

fingerprint print_of_url(std::string_view url) { return fingerprint(neardup::xxh3<64>{}(url)); }

/// Returns a value as an SQL literal. Features have eight hexadecimal digits each.
std::string literal(const mariadb_connection& connection, const sql_value& value) {
  if (const auto* const number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
  if (const auto* const text = std::get_if<std::string_view>(&value)) return connection.quoted(*text);
  if (const auto* const real = std::get_if<double>(&value)) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof(digits), *real).ptr};
  }
  const auto* const features = std::get_if<std::span<const std::uint32_t>>(&value);
  if (features == nullptr) return "NULL";
  std::string result = "x'";
  for (const std::uint32_t feature : *features) {
    for (int shift = 28; shift >= 0; shift -= 4) result.push_back("0123456789abcdef"[feature >> shift & 15U]);
  }
  return result += '\'';
}

/// Returns a statement with the values in place of its parameters.
std::string with_values(const mariadb_connection& connection, std::string_view sql, sql_values values) {
  std::string result;
  for (const sql_value& value : values) {
    const std::size_t place = sql.find('?');
    result += sql.substr(0, place);
    result += literal(connection, value);
    sql.remove_prefix(place + 1);
  }
  return result += sql;
}

}  // namespace

// ---- The connection -------------------------------------------------------------------------------------------------

mariadb_connection::mariadb_connection(std::string options, std::string composition)
    : options_(std::move(options)), composition_(std::move(composition)) {
  if (!std::filesystem::is_regular_file(options_)) throw std::runtime_error("MariaDB: there is no file " + options_);
  connect();
}

void mariadb_connection::fail() {
  const unsigned code = mysql_errno(handle_.get());
  const std::string message = mysql_error(handle_.get());
  if (code >= CR_MIN_ERROR && code <= CR_MAX_ERROR) handle_.reset();
  throw std::runtime_error("MariaDB: " + message);
}

void mariadb_connection::connect() {
  handle_.reset(mysql_init(nullptr));
  if (!handle_) throw std::bad_alloc();
  const unsigned patience = 5;
  const unsigned most = 60;
  mysql_options(handle_.get(), MYSQL_READ_DEFAULT_FILE, options_.c_str());
  mysql_options(handle_.get(), MYSQL_SET_CHARSET_NAME, "utf8mb4");
  mysql_options(handle_.get(), MYSQL_OPT_CONNECT_TIMEOUT, &patience);
  mysql_options(handle_.get(), MYSQL_OPT_READ_TIMEOUT, &most);
  mysql_options(handle_.get(), MYSQL_OPT_WRITE_TIMEOUT, &most);
  if (mysql_real_connect(handle_.get(), nullptr, nullptr, nullptr, nullptr, 0, nullptr, 0) == nullptr) {
    const std::string message = mysql_error(handle_.get());
    handle_.reset();
    throw std::runtime_error("MariaDB: " + message);
  }
  try {
    // The options file may set another character set.
    if (mysql_set_character_set(handle_.get(), "utf8mb4") != 0) fail();
    run("SET SESSION sql_mode = 'TRADITIONAL', autocommit = 1, completion_type = 0, sql_select_limit = DEFAULT");
    read("SELECT @@innodb_flush_log_at_trx_commit, @@max_allowed_packet", [this](const sql_row& row) {
      if (row.text(0) != "1" && row.text(0) != "3")
        throw std::runtime_error("MariaDB: innodb_flush_log_at_trx_commit is neither 1 nor 3, so a commit may be lost");
      packet_ = static_cast<std::size_t>(row.number(1));
    });
    const auto check_format = [](const std::string& found) {
      if (found == std::to_string(store_format)) return;
      throw std::runtime_error("MariaDB: the table store: " +
                               other_format(found, "name another database in the options file"));
    };
    // The first formats had no column `format`.
    bool is_made = false, has_format = false;
    read("SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'store'",
         [&](const sql_row& row) {
           is_made = true;
           has_format = has_format || row.text(0) == "format";
         });
    if (is_made && !has_format) check_format("0");
    for (const char* sql : mariadb_schema) {
      if (!is_made) run(sql);
    }
    bool is_filled = false;
    read("SELECT format FROM store", [&](const sql_row& row) {
      is_filled = true;
      check_format(std::string(row.text(0)));
    });
    // If two services start at the same time, only one of them inserts the row.
    if (!is_filled) {
      run("INSERT IGNORE INTO store VALUES(1, " + quoted(composition_) +
          ", LOWER(HEX(RANDOM_BYTES(16))), 1, 1, 0, 0, " + std::to_string(store_format) + ")");
    }
    std::string found;
    std::string identity;
    read("SELECT composition, identity FROM store", [&](const sql_row& row) {
      found = row.text(0);
      identity = row.text(1);
    });
    if (found != composition_) {
      throw std::runtime_error("MariaDB: the tables were made with \"" + found + "\", not with \"" + composition_ +
                               "\"; their fingerprints would not match");
    }
    if (!identity_.empty() && identity != identity_)
      throw std::runtime_error("MariaDB: the tables are not those that this service began with");
    identity_ = identity;
  } catch (...) {
    handle_.reset();
    throw;
  }
}

void mariadb_connection::start() {
  if (!handle_) connect();
}

void mariadb_connection::refresh() {
  if (is_in_transaction_) return;
  if (!handle_ || mysql_ping(handle_.get()) != 0) connect();
}

void mariadb_connection::send(const std::string& sql) {
  if (!handle_) throw std::runtime_error("MariaDB: not connected");
  if (mysql_real_query(handle_.get(), sql.data(), static_cast<unsigned long>(sql.size())) != 0) fail();
}

std::uint64_t mariadb_connection::run(const std::string& sql) {
  send(sql);
  const std::uint64_t changed = mysql_affected_rows(handle_.get());
  if (MYSQL_RES* const result = mysql_store_result(handle_.get())) mysql_free_result(result);
  return changed;
}

void mariadb_connection::read(const std::string& sql, const sql_database::row_visitor& visit) {
  send(sql);
  const std::unique_ptr<MYSQL_RES, void (*)(MYSQL_RES*)> result(mysql_store_result(handle_.get()), mysql_free_result);
  if (!result) fail();
  std::vector<sql_value> columns(mysql_num_fields(result.get()));
  while (const MYSQL_ROW fields = mysql_fetch_row(result.get())) {
    const unsigned long* const sizes = mysql_fetch_lengths(result.get());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i] = fields[i] == nullptr ? sql_value(nullptr) : sql_value(std::string_view(fields[i], sizes[i]));
    }
    visit(sql_row(columns, std::endian::big));
  }
}

std::string mariadb_connection::quoted(std::string_view text) const {
  if (!handle_) throw std::runtime_error("MariaDB: not connected");
  std::string result(2 * text.size() + 2, '\'');
  const unsigned long size =
      mysql_real_escape_string(handle_.get(), result.data() + 1, text.data(), static_cast<unsigned long>(text.size()));
  result.resize(size + 1);
  return result + '\'';
}

// ---- The tables -----------------------------------------------------------------------------------------------------

std::uint64_t mariadb_tables::run(const char* sql, sql_values values) {
  flush();
  return connection_.run(with_values(connection_, sql, values));
}

void mariadb_tables::read(const char* sql, sql_values values, const row_visitor& visit) {
  connection_.refresh();
  flush();
  connection_.read(with_values(connection_, sql, values), visit);
}

void mariadb_tables::insert(const char* into, const char* row, sql_values values) {
  const std::string text = '(' + with_values(connection_, row, values) + ')';
  // 1,000 bytes are left for the rest of the statement and the protocol.
  if (const std::size_t packet = connection_.packet(); text.size() + 1000 > packet) {
    throw unstorable("a row of this article has " + std::to_string(text.size() - 2) +
                     " bytes as SQL, and MariaDB's max_allowed_packet is " + std::to_string(packet));
  }
  std::string& rows = new_rows_[into];
  if (!rows.empty() && rows.size() + text.size() > std::min(most_sql, connection_.packet() / 2)) {
    connection_.run(rows);
    rows.clear();
  }
  if (rows.empty()) {
    rows.append("INSERT INTO ").append(into).append(" VALUES");
  } else {
    rows += ',';
  }
  rows += text;
}

void mariadb_tables::flush() {
  for (auto& [into, rows] : new_rows_) {
    if (!rows.empty()) connection_.run(rows);
    rows.clear();
  }
}

// ---- The mapping ----------------------------------------------------------------------------------------------------

mariadb_mapping::mariadb_mapping(mariadb_connection& connection, fingerprint_index* urls)
    : mapping(tables_), connection_(connection), tables_(connection), urls_(urls) {}

void mariadb_mapping::begin() {
  const auto lock = [&] {
    connection_.start();
    bool is_mine = false;
    connection_.read("SELECT GET_LOCK(CONCAT('docid ', DATABASE()), 30)",
                     [&](const sql_row& row) { is_mine = row.text(0) == "1"; });
    return is_mine;
  };
  bool is_mine = false;
  try {
    is_mine = lock();
  } catch (const std::runtime_error&) {
    is_mine = lock();  // the server may have restarted since the last transaction
  }
  if (!is_mine) throw std::runtime_error("MariaDB: another service has been deciding for 30 s; try again later");
  try {
    connection_.run("START TRANSACTION");
    connection_.read("SELECT next, next_article, documents, nids, (SELECT MAX(number) FROM redefinition) FROM store",
                     [&](const sql_row& row) {
                       state_ = {row.document(0), row.number(1), row.number(2), row.number(3), row.number(4)};
                     });
    open();
    connection_.set_in_transaction(true);
    const std::uint64_t first = urls_ ? urls_->known() + 1 : state_.next_article;
    if (first > state_.next_article) throw std::runtime_error(index_is_ahead);
    if (first < state_.next_article) {
      constexpr std::uint64_t together = 10000;
      for (std::uint64_t from = first; from < state_.next_article; from += together) {
        const std::uint64_t last = std::min(from + together, state_.next_article) - 1;
        connection_.read("SELECT url, document FROM article WHERE number BETWEEN " + std::to_string(from) + " AND " +
                             std::to_string(last),
                         [&](const sql_row& row) { urls_->insert(print_of_url(row.text(0)), row.document(1)); });
        urls_->commit(last);
      }
    }
  } catch (...) {
    open();  // nothing has changed yet
    rollback();
    throw;
  }
}

void mariadb_mapping::commit() {
  if (urls_) urls_->confirm();
  tables_.run("UPDATE store SET next = ?, next_article = ?, documents = ?, nids = ?",
              {state_.next, state_.next_article, state_.documents, state_.nids});
  connection_.run("COMMIT");
}

void mariadb_mapping::end() {
  try {
    if (urls_) urls_->commit(state_.next_article - 1);
  } catch (const std::exception& error) {
    std::cerr << "docid_service: after a commit: " << error.what() << std::endl;
    urls_->rollback();
  }
  release();
}

void mariadb_mapping::rollback() noexcept {
  restore();
  if (urls_) urls_->rollback();
  try {
    connection_.run("ROLLBACK");
  } catch (const std::exception&) {
    // Without a connection there is no transaction to roll back.
  }
  release();
}

void mariadb_mapping::release() {
  close();
  connection_.set_in_transaction(false);
  by_nid_.clear();
  by_url_.clear();
  tables_.forget();
  try {
    connection_.run("DO RELEASE_LOCK(CONCAT('docid ', DATABASE()))");
  } catch (const std::exception&) {
    // Without a connection there is no lock to release.
  }
}

void mariadb_mapping::prepare(std::span<const std::string_view> nids, std::span<const std::string_view> urls) {
  find_all(by_nid_, "nid", nids);
  if (!urls_) return find_all(by_url_, "url", urls);
  query_group all;
  for (const std::string_view url : urls) all.prints.emplace_back(print_of_url(url));
  const query_group* const asked = &all;
  urls_->prepare({&asked, 1});
  std::vector<std::string_view> possible;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    by_url_.emplace(urls[i], std::nullopt);
    if (!urls_->near(i).empty()) possible.push_back(urls[i]);
  }
  find_all(by_url_, "url", possible);
}

void mariadb_mapping::find_all(found_articles& known, const char* column, std::span<const std::string_view> texts) {
  const std::string name(column);
  for (std::size_t i = 0; i < texts.size();) {
    std::string sql = "SELECT " + name + ", document, heat, version, digest FROM article WHERE " + name + "_key IN (";
    const std::size_t begin = sql.size();
    for (; i < texts.size() && sql.size() < most_sql; ++i) {
      if (sql.size() > begin) sql += ',';
      sql += "UNHEX(SHA2(" + connection_.quoted(texts[i]) + ",256))";
      known.emplace(texts[i], std::nullopt);
    }
    connection_.read(sql + ") ORDER BY number", [&](const sql_row& row) {
      std::optional<found_article>& found = known[std::string(row.text(0))];
      if (!found) found = found_article{row.document(1), stored_in(row, 2)};
    });
  }
}

std::optional<doc_number> mariadb_mapping::find(found_articles& known, const char* column, std::string_view text) {
  const auto document_of = [](const std::optional<found_article>& found) {
    return found ? std::optional(found->document) : std::nullopt;
  };
  if (!is_open()) {
    // The result is not cached, because other services may change the tables before the next transaction.
    found_articles now;
    connection_.refresh();
    find_all(now, column, {&text, 1});
    return document_of(now.at(std::string(text)));
  }
  const auto found = known.find(std::string(text));
  if (found != known.end()) return document_of(found->second);
  tables_.flush();
  find_all(known, column, {&text, 1});
  return document_of(known.at(std::string(text)));
}

std::optional<doc_number> mariadb_mapping::document_of_nid(std::string_view nid) { return find(by_nid_, "nid", nid); }
std::optional<doc_number> mariadb_mapping::document_of_url(std::string_view url) { return find(by_url_, "url", url); }

void mariadb_mapping::update(std::string_view nid, const stored_article& stored) {
  tables_.run("UPDATE article SET heat = ?, version = ?, digest = ? WHERE nid_key = UNHEX(SHA2(?,256))",
              {stored.heat, stored.version, stored.digest, nid});
  by_nid_.at(std::string(nid)).value().stored = stored;
}

void mariadb_mapping::add(std::string_view nid, std::string_view url, doc_number document,
                          const stored_article& stored) {
  tables_.insert("article(number, document, nid_key, url_key, nid, url, docid, heat, version, digest)",
                 "?,?,UNHEX(SHA2(?,256)),UNHEX(SHA2(?,256)),?,?,?,?,?,?",
                 {state_.next_article, document, nid, url, nid, url, name_of(document).value(), stored.heat,
                  stored.version, stored.digest});
  by_nid_[std::string(nid)] = found_article{document, stored};
  std::optional<found_article>& first = by_url_[std::string(url)];
  if (!first) first = found_article{document, stored};
  if (urls_) urls_->insert(print_of_url(url), document);
  ++state_.next_article;
  ++state_.nids;
}

std::optional<doc_number> mariadb_mapping::remove(std::string_view nid) {
  std::optional<doc_number> document;
  std::string url;
  tables_.read("SELECT document, url FROM article WHERE nid_key = UNHEX(SHA2(?,256))", {nid}, [&](const sql_row& row) {
    document = row.document(0);
    url = row.text(1);
  });
  if (!document) return std::nullopt;
  tables_.run("DELETE FROM article WHERE nid_key = UNHEX(SHA2(?,256))", {nid});
  --state_.nids;
  by_nid_.clear();
  by_url_.clear();
  if (urls_) {
    bool is_left = false;
    tables_.read("SELECT 1 FROM article WHERE url_key = UNHEX(SHA2(?,256)) AND document = ? LIMIT 1", {url, *document},
                 [&](const sql_row&) { is_left = true; });
    if (!is_left) urls_->erase(print_of_url(url), *document);
  }
  return document;
}

// ---- The contents ---------------------------------------------------------------------------------------------------

void mariadb_contents::put(doc_number document, std::uint64_t version, std::string_view json) {
  tables_.insert("content(document, version, article)", "?,?,?", {document, version, json});
}

std::optional<std::string> mariadb_contents::get(doc_number document, std::uint64_t version) {
  std::optional<std::string> result;
  tables_.read("SELECT article FROM content WHERE document = ? AND version = ?", {document, version},
               [&](const sql_row& row) { result = row.text(0); });
  return result;
}

void mariadb_contents::erase(doc_number document, std::uint64_t version) {
  tables_.run("DELETE FROM content WHERE document = ? AND version = ?", {document, version});
}

}  // namespace docid
