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

// Earlier versions did not have these tables, so a database may lack them.
constexpr const char* pairs_schema =
    "CREATE TABLE IF NOT EXISTS pairs(document INT UNSIGNED PRIMARY KEY, content LONGBLOB NOT NULL) ENGINE=InnoDB";

constexpr const char* redefinition_schema =
    "CREATE TABLE IF NOT EXISTS redefinition(number BIGINT UNSIGNED PRIMARY KEY, document INT UNSIGNED NOT NULL,"
    " title BIGINT UNSIGNED, content BIGINT UNSIGNED) ENGINE=InnoDB";

// The keys of texts of any length are their SHA-256, because nobody must be able to make two texts with the same key.
constexpr const char* mariadb_schema[] = {
    "CREATE TABLE IF NOT EXISTS document(number INT UNSIGNED PRIMARY KEY, name CHAR(33) NOT NULL,"
    " title BIGINT UNSIGNED, content BIGINT UNSIGNED, heat DOUBLE NOT NULL, version BIGINT UNSIGNED NOT NULL)"
    " ENGINE=InnoDB CHARSET=utf8mb4",
    "CREATE TABLE IF NOT EXISTS features(document INT UNSIGNED PRIMARY KEY, title LONGBLOB NOT NULL,"
    " content LONGBLOB NOT NULL) ENGINE=InnoDB",
    "CREATE TABLE IF NOT EXISTS content(document INT UNSIGNED NOT NULL, version BIGINT UNSIGNED NOT NULL,"
    " article LONGTEXT NOT NULL, PRIMARY KEY(document, version)) ENGINE=InnoDB CHARSET=utf8mb4",
    "CREATE TABLE IF NOT EXISTS article(number BIGINT UNSIGNED PRIMARY KEY, document INT UNSIGNED NOT NULL,"
    " nid_key BINARY(32) NOT NULL UNIQUE, url_key BINARY(32) NOT NULL, nid LONGTEXT NOT NULL, url LONGTEXT NOT NULL,"
    " docid CHAR(33), heat DOUBLE, version BIGINT UNSIGNED, digest BIGINT UNSIGNED,"
    " KEY(url_key), KEY(document)) ENGINE=InnoDB CHARSET=utf8mb4",
    // This table is created last. If it exists, all others exist.
    "CREATE TABLE IF NOT EXISTS store(number INT PRIMARY KEY, composition TEXT NOT NULL, identity TEXT NOT NULL,"
    " next INT UNSIGNED NOT NULL, next_article BIGINT UNSIGNED NOT NULL, documents BIGINT UNSIGNED NOT NULL,"
    " nids BIGINT UNSIGNED NOT NULL) ENGINE=InnoDB CHARSET=utf8mb4",
};

std::uint64_t number_in(const std::optional<std::string_view>& text) {
  std::uint64_t result = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), result);
  return result;
}

doc_number document_in(const std::optional<std::string_view>& text) { return static_cast<doc_number>(number_in(text)); }

double real_in(const std::optional<std::string_view>& text) {
  double result = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), result);
  return result;
}

std::optional<fingerprint> print_in(const std::optional<std::string_view>& text) {
  if (!text) return std::nullopt;
  return fingerprint(number_in(text));
}

std::string text_of(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof(digits), value).ptr};
}

std::string text_of(const std::optional<fingerprint>& print) {
  return print ? std::to_string(print->to_uint64()) : "NULL";
}

// Returns the features as an SQL literal, with eight hexadecimal digits each.
std::string text_of(const feature_set& features) {
  constexpr const char* digits = "0123456789abcdef";
  std::string result = "x'";
  for (const std::uint32_t feature : features) {
    for (int shift = 28; shift >= 0; shift -= 4) result.push_back(digits[feature >> shift & 15U]);
  }
  return result + '\'';
}

feature_set features_in(const std::optional<std::string_view>& bytes) {
  feature_set result;
  for (std::size_t i = 0; bytes && i + 4 <= bytes->size(); i += 4) {
    std::uint32_t feature = 0;
    for (const char byte : bytes->substr(i, 4)) feature = feature << 8 | static_cast<unsigned char>(byte);
    result.push_back(feature);
  }
  return result;
}

constexpr const char* insert_features = "INSERT INTO features(document, title, content) VALUES";

/// Reads heat, version and digest from consecutive columns of a row.
std::optional<stored_article> stored_in(const mariadb_connection::row& values, std::size_t first) {
  if (!values[first + 1]) return std::nullopt;
  return stored_article{real_in(values[first]), number_in(values[first + 1]), number_in(values[first + 2])};
}

fingerprint print_of_url(std::string_view url) { return fingerprint(neardup::xxh3<64>{}(url)); }

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
    read("SELECT @@innodb_flush_log_at_trx_commit, @@max_allowed_packet", [this](const row& values) {
      if (values[0] != "1" && values[0] != "3")
        throw std::runtime_error("MariaDB: innodb_flush_log_at_trx_commit is neither 1 nor 3, so a commit may be lost");
      packet_ = static_cast<std::size_t>(number_in(values[1]));
    });
    const auto has_table = [this](const std::string& name) {
      bool is_there = false;
      read("SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = " + quoted(name),
           [&](const row&) { is_there = true; });
      return is_there;
    };
    if (!has_table("pairs")) run(pairs_schema);
    if (!has_table("redefinition")) run(redefinition_schema);
    const bool is_made = has_table("store");
    for (const char* sql : mariadb_schema) {
      if (!is_made) run(sql);
    }
    bool is_filled = false;
    read("SELECT 1 FROM store", [&](const row&) { is_filled = true; });
    // If two services start at the same time, only one of them inserts the row.
    if (!is_filled) {
      run("INSERT IGNORE INTO store VALUES(1, " + quoted(composition_) + ", LOWER(HEX(RANDOM_BYTES(16))), 1, 1, 0, 0)");
    }
    std::string found;
    std::string identity;
    read("SELECT composition, identity FROM store", [&](const row& values) {
      found = values[0].value_or("");
      identity = values[1].value_or("");
    });
    if (found != composition_) {
      throw std::runtime_error("MariaDB: the tables were made with \"" + found + "\", not with \"" + composition_ +
                               "\"; their fingerprints would not match");
    }
    if (!identity_.empty() && identity != identity_)
      throw std::runtime_error("MariaDB: the tables are not those that this service began with");
    identity_ = identity;
    if (is_made) add_columns();
  } catch (...) {
    handle_.reset();
    throw;
  }
}

/// Adds to tables of an earlier version the docId of each article, and columns for the stored articles. The docId
/// column gets its final name only when it is filled. So another service can finish the work if this one is killed.
void mariadb_connection::add_columns() {
  const auto has_column = [this] {
    bool is_there = false;
    read(
        "SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'article'"
        " AND column_name = 'docid'",
        [&](const row&) { is_there = true; });
    return is_there;
  };
  if (has_column()) return;
  bool is_mine = false;
  read("SELECT GET_LOCK(CONCAT('docid ', DATABASE()), 30)", [&](const row& values) { is_mine = values[0] == "1"; });
  if (!is_mine) throw std::runtime_error("MariaDB: another service has been deciding for 30 s; try again later");
  if (!has_column()) {
    run("ALTER TABLE article ADD COLUMN IF NOT EXISTS docid_new CHAR(33), ADD COLUMN IF NOT EXISTS heat DOUBLE,"
        " ADD COLUMN IF NOT EXISTS version BIGINT UNSIGNED, ADD COLUMN IF NOT EXISTS digest BIGINT UNSIGNED");
    std::uint64_t last = 0;
    read("SELECT MAX(number) FROM article", [&](const row& values) { last = number_in(values[0]); });
    constexpr std::uint64_t together = 10000;
    for (std::uint64_t from = 1; from <= last; from += together) {
      run("UPDATE article a JOIN document d ON d.number = a.document SET a.docid_new = d.name WHERE a.number BETWEEN " +
          std::to_string(from) + " AND " + std::to_string(from + together - 1));
    }
    run("ALTER TABLE article CHANGE docid_new docid CHAR(33)");
  }
  run("DO RELEASE_LOCK(CONCAT('docid ', DATABASE()))");
}

void mariadb_connection::start() {
  if (!handle_) connect();
}

void mariadb_connection::refresh() {
  if (is_in_transaction_) return;
  if (!handle_ || mysql_ping(handle_.get()) != 0) connect();
}

void mariadb_connection::append_row(std::string& rows, const char* insert, const std::string& values) {
  // 1,000 bytes are left for the rest of the statement and the protocol.
  if (values.size() + 1000 > packet_) {
    throw unstorable("a row of this article has " + std::to_string(values.size()) +
                     " bytes as SQL, and MariaDB's max_allowed_packet is " + std::to_string(packet_));
  }
  if (!rows.empty() && rows.size() + values.size() > std::min(most_sql, packet_ / 2)) {
    run(rows);
    rows.clear();
  }
  rows += rows.empty() ? insert : ",";
  rows += '(' + values + ')';
}

void mariadb_connection::run_only(const std::string& sql) {
  if (!handle_) throw std::runtime_error("MariaDB: not connected");
  if (mysql_real_query(handle_.get(), sql.data(), static_cast<unsigned long>(sql.size())) != 0) fail();
}

void mariadb_connection::run(const std::string& sql) {
  run_only(sql);
  if (MYSQL_RES* const result = mysql_store_result(handle_.get())) mysql_free_result(result);
}

std::string mariadb_connection::quoted(std::string_view text) const {
  if (!handle_) throw std::runtime_error("MariaDB: not connected");
  std::string result(2 * text.size() + 2, '\'');
  const unsigned long size =
      mysql_real_escape_string(handle_.get(), result.data() + 1, text.data(), static_cast<unsigned long>(text.size()));
  result.resize(size + 1);
  return result + '\'';
}

// ---- The mapping ----------------------------------------------------------------------------------------------------

mariadb_mapping::mariadb_mapping(mariadb_connection& connection, fingerprint_index* urls)
    : connection_(connection), urls_(urls) {}

void mariadb_mapping::begin() {
  const auto lock = [&] {
    connection_.start();
    bool is_mine = false;
    connection_.read("SELECT GET_LOCK(CONCAT('docid ', DATABASE()), 30)",
                     [&](const auto& row) { is_mine = row[0] == "1"; });
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
    connection_.read(
        "SELECT next, next_article, documents, nids, (SELECT MAX(number) FROM redefinition) FROM store",
        [&](const auto& row) {
          state_ = {document_in(row[0]), number_in(row[1]), number_in(row[2]), number_in(row[3]), number_in(row[4])};
        });
    before_ = state_;
    is_open_ = true;
    connection_.set_in_transaction(true);
    const std::uint64_t first = urls_ ? urls_->known() + 1 : state_.next_article;
    if (first > state_.next_article) throw std::runtime_error(index_is_ahead);
    if (first < state_.next_article) {
      constexpr std::uint64_t together = 10000;
      for (std::uint64_t from = first; from < state_.next_article; from += together) {
        const std::uint64_t last = std::min(from + together, state_.next_article) - 1;
        connection_.read("SELECT url, document FROM article WHERE number BETWEEN " + std::to_string(from) + " AND " +
                             std::to_string(last),
                         [&](const auto& row) { urls_->insert(print_of_url(*row[0]), document_in(row[1])); });
        urls_->commit(last);
      }
    }
  } catch (...) {
    before_ = state_;
    rollback();
    throw;
  }
}

void mariadb_mapping::commit() {
  if (urls_) urls_->confirm();
  flush();
  connection_.run("UPDATE store SET next = " + std::to_string(state_.next) +
                  ", next_article = " + std::to_string(state_.next_article) +
                  ", documents = " + std::to_string(state_.documents) + ", nids = " + std::to_string(state_.nids));
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
  state_ = before_;
  if (urls_) urls_->rollback();
  try {
    connection_.run("ROLLBACK");
  } catch (const std::exception&) {
    // Without a connection there is no transaction to roll back.
  }
  release();
}

void mariadb_mapping::release() {
  is_open_ = false;
  connection_.set_in_transaction(false);
  by_nid_.clear();
  by_url_.clear();
  summaries_.clear();
  new_articles_.clear();
  new_documents_.clear();
  new_features_.clear();
  new_pairs_.clear();
  try {
    connection_.run("DO RELEASE_LOCK(CONCAT('docid ', DATABASE()))");
  } catch (const std::exception&) {
    // Without a connection there is no lock to release.
  }
}

void mariadb_mapping::flush() {
  for (std::string* const rows : {&new_documents_, &new_features_, &new_pairs_, &new_articles_}) {
    if (!rows->empty()) connection_.run(*rows);
    rows->clear();
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
    connection_.read(sql + ") ORDER BY number", [&](const auto& row) {
      std::optional<found_article>& found = known[std::string(*row[0])];
      if (!found) found = found_article{document_in(row[1]), stored_in(row, 2)};
    });
  }
}

std::optional<doc_number> mariadb_mapping::find(found_articles& known, const char* column, std::string_view text) {
  const auto document_of = [](const std::optional<found_article>& found) {
    return found ? std::optional(found->document) : std::nullopt;
  };
  if (!is_open_) {
    // The result is not cached, because other services may change it until the next transaction.
    found_articles now;
    connection_.refresh();
    find_all(now, column, {&text, 1});
    return document_of(now.at(std::string(text)));
  }
  const auto found = known.find(std::string(text));
  if (found != known.end()) return document_of(found->second);
  flush();
  find_all(known, column, {&text, 1});
  return document_of(known.at(std::string(text)));
}

std::optional<doc_number> mariadb_mapping::document_of_nid(std::string_view nid) { return find(by_nid_, "nid", nid); }
std::optional<doc_number> mariadb_mapping::document_of_url(std::string_view url) { return find(by_url_, "url", url); }

std::vector<std::string> mariadb_mapping::nids_of(doc_number document, std::size_t most) {
  connection_.refresh();
  flush();
  std::vector<std::string> result;
  connection_.read("SELECT nid FROM article WHERE document = " + std::to_string(document) + " ORDER BY number LIMIT " +
                       std::to_string(most),
                   [&](const auto& row) { result.emplace_back(*row[0]); });
  return result;
}

std::vector<known_article> mariadb_mapping::read_articles(doc_number document, const char* limit) {
  connection_.refresh();
  flush();
  std::vector<known_article> result;
  connection_.read("SELECT nid, url, heat, version, digest FROM article WHERE document = " + std::to_string(document) +
                       " ORDER BY number" + limit,
                   [&](const auto& row) {
                     result.push_back({std::string(*row[0]), std::string(*row[1]), stored_in(row, 2)});
                   });
  return result;
}

std::vector<known_article> mariadb_mapping::articles_of(doc_number document) { return read_articles(document, ""); }

known_article mariadb_mapping::first_of(doc_number document) {
  auto found = read_articles(document, " LIMIT 1");
  if (found.empty()) throw std::runtime_error("the store has no article of document " + std::to_string(document));
  return std::move(found.front());
}

std::optional<stored_article> mariadb_mapping::stored_of(std::string_view nid) {
  const auto& found = by_nid_.at(std::string(nid));
  return found ? found->stored : std::nullopt;
}

void mariadb_mapping::update(std::string_view nid, const stored_article& stored) {
  flush();
  connection_.run("UPDATE article SET heat = " + text_of(stored.heat) +
                  ", version = " + std::to_string(stored.version) + ", digest = " + std::to_string(stored.digest) +
                  " WHERE nid_key = UNHEX(SHA2(" + connection_.quoted(nid) + ",256))");
  by_nid_.at(std::string(nid)).value().stored = stored;
}

void mariadb_mapping::add(std::string_view nid, std::string_view url, doc_number document,
                          const stored_article& stored) {
  const std::string nid_text = connection_.quoted(nid);
  const std::string url_text = connection_.quoted(url);
  connection_.append_row(
      new_articles_,
      "INSERT INTO article(number, document, nid_key, url_key, nid, url, docid, heat, version, digest) VALUES",
      std::to_string(state_.next_article) + ',' + std::to_string(document) + ",UNHEX(SHA2(" + nid_text +
          ",256)),UNHEX(SHA2(" + url_text + ",256))," + nid_text + ',' + url_text + ",'" + name_of(document).value() +
          "'," + text_of(stored.heat) + ',' + std::to_string(stored.version) + ',' + std::to_string(stored.digest));
  by_nid_[std::string(nid)] = found_article{document, stored};
  std::optional<found_article>& first = by_url_[std::string(url)];
  if (!first) first = found_article{document, stored};
  if (urls_) urls_->insert(print_of_url(url), document);
  ++state_.next_article;
  ++state_.nids;
}

std::optional<doc_number> mariadb_mapping::remove(std::string_view nid) {
  flush();
  const std::string key = "UNHEX(SHA2(" + connection_.quoted(nid) + ",256))";
  std::optional<doc_number> document;
  std::string url;
  connection_.read("SELECT document, url FROM article WHERE nid_key = " + key, [&](const auto& row) {
    document = document_in(row[0]);
    url = row[1].value_or("");
  });
  if (!document) return std::nullopt;
  connection_.run("DELETE FROM article WHERE nid_key = " + key);
  --state_.nids;
  by_nid_.clear();
  by_url_.clear();
  if (urls_) {
    bool is_left = false;
    connection_.read("SELECT 1 FROM article WHERE url_key = UNHEX(SHA2(" + connection_.quoted(url) +
                         ",256)) AND document = " + std::to_string(*document) + " LIMIT 1",
                     [&](const auto&) { is_left = true; });
    if (!is_left) urls_->erase(print_of_url(url), *document);
  }
  return document;
}

void mariadb_mapping::add_document(doc_number document, const definition& defined, const kept_article& kept) {
  const std::string number = std::to_string(document);
  connection_.append_row(new_documents_, "INSERT INTO document(number, name, title, content, heat, version) VALUES",
                         number + ",'" + defined.name + "'," + text_of(defined.title.print) + ',' +
                             text_of(defined.content.print) + ',' + text_of(kept.heat) + ',' +
                             std::to_string(kept.version));
  connection_.append_row(new_features_, insert_features,
                         number + ',' + text_of(defined.title.features) + ',' + text_of(defined.content.features));
  summaries_[document] = summary{defined.name, kept};
  state_.next = document + 1;
  ++state_.documents;
}

void mariadb_mapping::set_kept(doc_number document, const kept_article& kept) {
  flush();
  connection_.run("UPDATE document SET heat = " + text_of(kept.heat) + ", version = " + std::to_string(kept.version) +
                  " WHERE number = " + std::to_string(document));
  summaries_.erase(document);
}

void mariadb_mapping::redefine(doc_number document, const definition& old, const definition& defined,
                               const feature_set& pairs) {
  flush();
  const std::string number = std::to_string(document);
  connection_.run("INSERT INTO redefinition(number, document, title, content) VALUES(" +
                  std::to_string(++state_.redefinitions) + ',' + number + ',' + text_of(old.title.print) + ',' +
                  text_of(old.content.print) + ')');
  connection_.run("UPDATE document SET title = " + text_of(defined.title.print) +
                  ", content = " + text_of(defined.content.print) + " WHERE number = " + number);
  connection_.run("DELETE FROM features WHERE document = " + number);
  connection_.run("DELETE FROM pairs WHERE document = " + number);
  connection_.append_row(new_features_, insert_features,
                         number + ',' + text_of(defined.title.features) + ',' + text_of(defined.content.features));
  add_pairs(document, pairs);
}

void mariadb_mapping::for_each_redefinition(std::uint64_t after, const redefinition_visitor& visit) {
  connection_.read(
      "SELECT document, title, content FROM redefinition WHERE number > " + std::to_string(after) + " ORDER BY number",
      [&](const auto& row) { visit(document_in(row[0]), print_in(row[1]), print_in(row[2])); });
}

void mariadb_mapping::erase_document(doc_number document) {
  flush();
  connection_.run("DELETE FROM document WHERE number = " + std::to_string(document));
  connection_.run("DELETE FROM features WHERE document = " + std::to_string(document));
  connection_.run("DELETE FROM pairs WHERE document = " + std::to_string(document));
  summaries_.erase(document);
  --state_.documents;
}

void mariadb_mapping::add_pairs(doc_number document, const feature_set& pairs) {
  connection_.append_row(new_pairs_, "INSERT INTO pairs(document, content) VALUES",
                         std::to_string(document) + ',' + text_of(pairs));
}

std::optional<mariadb_mapping::summary> mariadb_mapping::summary_of(doc_number document) {
  if (const auto found = summaries_.find(document); found != summaries_.end()) return found->second;
  connection_.refresh();
  flush();
  std::optional<summary> result;
  connection_.read("SELECT name, heat, version FROM document WHERE number = " + std::to_string(document),
                   [&](const auto& row) {
                     result = summary{std::string(*row[0]), {real_in(row[1]), number_in(row[2])}};
                   });
  if (is_open_) summaries_[document] = result;
  return result;
}

std::optional<std::string> mariadb_mapping::name_of(doc_number document) {
  const auto found = summary_of(document);
  return found ? std::optional(found->name) : std::nullopt;
}

std::optional<kept_article> mariadb_mapping::kept_of(doc_number document) {
  const auto found = summary_of(document);
  return found ? std::optional(found->kept) : std::nullopt;
}

std::optional<definition> mariadb_mapping::definition_of(doc_number document) {
  connection_.refresh();
  flush();
  std::optional<definition> result;
  connection_.read(
      "SELECT d.name, d.title, d.content, f.title, f.content FROM document d JOIN features f ON f.document = d.number "
      "WHERE d.number = " +
          std::to_string(document),
      [&](const auto& row) {
        result = definition{
            std::string(*row[0]), {print_in(row[1]), features_in(row[3])}, {print_in(row[2]), features_in(row[4])}};
      });
  return result;
}

std::optional<feature_set> mariadb_mapping::pairs_of(doc_number document) {
  connection_.refresh();
  flush();
  std::optional<feature_set> result;
  connection_.read("SELECT content FROM pairs WHERE document = " + std::to_string(document),
                   [&](const auto& row) { result = features_in(row[0]); });
  return result;
}

void mariadb_mapping::for_each_document(doc_number after, const document_visitor& visit) {
  constexpr std::uint64_t together = 100000;
  for (std::uint64_t first = std::uint64_t{after} + 1; first < state_.next; first += together) {
    connection_.read("SELECT number, title, content FROM document WHERE number BETWEEN " + std::to_string(first) +
                         " AND " + std::to_string(first + together - 1) + " ORDER BY number",
                     [&](const auto& row) { visit(document_in(row[0]), print_in(row[1]), print_in(row[2])); });
  }
}

std::vector<document_features> mariadb_mapping::features_after(doc_number after, std::size_t most) {
  connection_.refresh();
  flush();
  std::vector<document_features> result;
  connection_.read("SELECT document, title, content FROM features WHERE document > " + std::to_string(after) +
                       " ORDER BY document LIMIT " + std::to_string(most),
                   [&](const auto& row) {
                     result.push_back({document_in(row[0]), features_in(row[1]), features_in(row[2])});
                   });
  return result;
}

std::vector<doc_number> mariadb_mapping::documents_after(doc_number after, std::size_t most) {
  connection_.refresh();
  flush();
  std::vector<doc_number> result;
  connection_.read("SELECT number FROM document WHERE number > " + std::to_string(after) + " ORDER BY number LIMIT " +
                       std::to_string(most),
                   [&](const auto& row) { result.push_back(document_in(row[0])); });
  return result;
}

// ---- The contents ---------------------------------------------------------------------------------------------------

void mariadb_contents::put(doc_number document, std::uint64_t version, std::string_view json) {
  connection_.append_row(new_rows_, "INSERT INTO content(document, version, article) VALUES",
                         std::to_string(document) + ',' + std::to_string(version) + ',' + connection_.quoted(json));
}

std::optional<std::string> mariadb_contents::get(doc_number document, std::uint64_t version) {
  connection_.refresh();
  flush();
  std::optional<std::string> result;
  connection_.read("SELECT article FROM content WHERE document = " + std::to_string(document) +
                       " AND version = " + std::to_string(version),
                   [&](const auto& row) { result = std::string(*row[0]); });
  return result;
}

void mariadb_contents::erase(doc_number document, std::uint64_t version) {
  flush();
  connection_.run("DELETE FROM content WHERE document = " + std::to_string(document) +
                  " AND version = " + std::to_string(version));
}

void mariadb_contents::flush() {
  if (!new_rows_.empty()) connection_.run(new_rows_);
  new_rows_.clear();
}

}  // namespace docid
