#include "sqlite_store.hpp"

#include <neardup/fingerprint.hpp>
#include <random>
#include <stdexcept>

namespace docid {

namespace {

[[noreturn]] void fail(sqlite3* database) {
  throw std::runtime_error(std::string("SQLite: ") + sqlite3_errmsg(database));
}

// Features and contents have tables of their own, because the start of the service does not need them.
constexpr const char* sqlite_schema = R"(
  CREATE TABLE store(composition TEXT NOT NULL, identity TEXT NOT NULL);
  CREATE TABLE document(
    number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, title INTEGER, content INTEGER,
    heat REAL NOT NULL, version INTEGER NOT NULL);
  CREATE TABLE features(document INTEGER PRIMARY KEY, title BLOB NOT NULL, content BLOB NOT NULL);
  CREATE TABLE pairs(document INTEGER PRIMARY KEY, content BLOB NOT NULL);
  CREATE TABLE content(document INTEGER PRIMARY KEY, version INTEGER NOT NULL, article TEXT NOT NULL);
  CREATE TABLE article(
    number INTEGER PRIMARY KEY, document INTEGER NOT NULL, nid TEXT NOT NULL, url TEXT NOT NULL,
    heat REAL NOT NULL, version INTEGER NOT NULL, digest INTEGER NOT NULL);
  CREATE INDEX article_of_document ON article(document);
  CREATE INDEX article_of_document_by_heat ON article(document, heat DESC);
  CREATE TABLE other_content(
    document INTEGER NOT NULL, version INTEGER NOT NULL, article TEXT NOT NULL, PRIMARY KEY(document, version));
  CREATE TABLE redefinition(
    number INTEGER PRIMARY KEY, document INTEGER NOT NULL, title INTEGER, content INTEGER);
)";

sql_value column_of(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL: return nullptr;
    case SQLITE_INTEGER: return static_cast<std::uint64_t>(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT: return sqlite3_column_double(statement, column);
    default: break;
  }
  const auto* const data = static_cast<const char*>(sqlite3_column_blob(statement, column));
  return std::string_view(data, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
}

/// Binds `value` to parameter `place`. The memory of a text or of features must stay until the statement is reset.
void bind(sqlite3_stmt* statement, int place, const sql_value& value) {
  if (const auto* const number = std::get_if<std::uint64_t>(&value)) {
    sqlite3_bind_int64(statement, place, static_cast<std::int64_t>(*number));
  } else if (const auto* const real = std::get_if<double>(&value)) {
    sqlite3_bind_double(statement, place, *real);
  } else if (const auto* const text = std::get_if<std::string_view>(&value)) {
    sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  } else if (const auto* const features = std::get_if<std::span<const std::uint32_t>>(&value)) {
    // The data pointer of an empty set may be null, and a null pointer would be bound as NULL.
    const void* const data = features->empty() ? static_cast<const void*>("") : features->data();
    sqlite3_bind_blob64(statement, place, data, features->size_bytes(), SQLITE_STATIC);
  } else {
    sqlite3_bind_null(statement, place);
  }
}

}  // namespace

// ---- The file -------------------------------------------------------------------------------------------------------

void sqlite_database::run_all(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(handle_.get());
}

void sqlite_database::read(const char* sql, sql_values values, const row_visitor& visit) {
  const auto made = prepared_.try_emplace(sql, nullptr, sqlite3_finalize).first;
  if (!made->second) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_.get(), sql, -1, &statement, nullptr) != SQLITE_OK) fail(handle_.get());
    made->second.reset(statement);
  }
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> used(made->second.get(), sqlite3_reset);
  int place = 0;
  for (const sql_value& value : values) bind(used.get(), ++place, value);
  std::vector<sql_value> columns(static_cast<std::size_t>(sqlite3_column_count(used.get())));
  int result = sqlite3_step(used.get());
  for (; result == SQLITE_ROW; result = sqlite3_step(used.get())) {
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = column_of(used.get(), static_cast<int>(i));
    visit(sql_row(columns, std::endian::native));
  }
  if (result != SQLITE_DONE) fail(handle_.get());
}

std::uint64_t sqlite_database::run(const char* sql, sql_values values) {
  read(sql, values, [](const sql_row&) {});
  return static_cast<std::uint64_t>(sqlite3_changes(handle_.get()));
}

void sqlite_database::insert(const char* into, const char* row, sql_values values) {
  std::string& sql = inserts_[into];
  if (sql.empty()) sql.append("INSERT INTO ").append(into).append(" VALUES(").append(row) += ')';
  run(sql.c_str(), values);
}

sqlite_database::sqlite_database(const std::string& file, const std::string& composition)
    : handle_(nullptr, sqlite3_close) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open(file.c_str(), &opened);
  handle_.reset(opened);
  const auto number = [this](const char* sql) {
    std::uint64_t found = 0;
    read(sql, {}, [&](const sql_row& row) { found = row.number(0); });
    return found;
  };
  try {
    if (result != SQLITE_OK) fail(opened);
    // The format is read before the first write, so a file of another format or of another program stays as it is.
    run_all("PRAGMA locking_mode=EXCLUSIVE");
    const std::uint64_t format = number("PRAGMA user_version");
    const bool is_new = number("SELECT count(*) FROM sqlite_master") == 0;
    if (!is_new && format != store_format)
      throw std::runtime_error(other_format(std::to_string(format), "name another --data FOLDER"));
    // synchronous=FULL: a commit returns when its bytes are on disk. The cache is 64 MB. The log is written into the
    // file every 1,000 pages, which is the default. With 8,192 pages, requests with arrays of articles are 4 % faster,
    // but requests with one article have to wait for the longer write.
    run_all("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536");
    run_all("BEGIN EXCLUSIVE");
    if (is_new) run_all((sqlite_schema + ("PRAGMA user_version = " + std::to_string(store_format))).c_str());
    std::optional<std::string> found;
    read("SELECT composition FROM store", {}, [&](const sql_row& row) { found = row.text(0); });
    if (!found) {
      insert("store", "?, lower(hex(randomblob(16)))", {composition});
    } else if (*found != composition) {
      throw std::runtime_error("it was made with \"" + *found + "\", not with \"" + composition +
                               "\"; its fingerprints would not match");
    }
    run_all("COMMIT");
  } catch (const std::exception& error) {
    if (opened != nullptr && sqlite3_errcode(opened) == SQLITE_BUSY)
      throw std::runtime_error(file + ": it is locked; another process uses it");
    throw std::runtime_error(file + ": " + error.what());
  }
}

// ---- The mapping ----------------------------------------------------------------------------------------------------

sqlite_mapping::sqlite_mapping(sqlite_database& database) : mapping(database), database_(database) {
  std::random_device random;
  for (auto& word : seed_) word = std::uint64_t{random()} << 32 | random();
  database_.read("SELECT number, document, nid, url FROM article ORDER BY number", {}, [this](const sql_row& row) {
    const doc_number document = row.document(1);
    by_nid_[key_of(row.text(2))] = {document, row.document(0)};
    note(document);
    place& of_url = by_url_.try_emplace(key_of(row.text(3)), place{document, 0}).first->second;
    ++of_url.number;
    of_url.has_other = of_url.has_other || of_url.document != document;
    state_.next_article = row.number(0) + 1;
  });
  state_.nids = by_nid_.size();
  const auto number = [this](const char* sql) {
    std::uint64_t found = 0;
    database_.read(sql, {}, [&](const sql_row& row) { found = row.number(0); });
    return found;
  };
  state_.documents = number("SELECT count(*) FROM document");
  // The keyword AUTOINCREMENT makes SQLite store the largest document number ever used.
  state_.next = static_cast<doc_number>(number("SELECT seq FROM sqlite_sequence WHERE name = 'document'") + 1);
  state_.redefinitions = number("SELECT max(number) FROM redefinition");
}

std::string sqlite_mapping::identity() {
  std::string found;
  database_.read("SELECT identity FROM store", {}, [&](const sql_row& row) { found = row.text(0); });
  return found;
}

void sqlite_mapping::begin() {
  database_.run("BEGIN IMMEDIATE", {});
  open();
}

void sqlite_mapping::commit() {
  database_.run("COMMIT", {});
  undo_.clear();
  erased_documents_.clear();
  close();
}

void sqlite_mapping::note(doc_number document) {
  if (is_there_.size() <= document) is_there_.resize(std::size_t{document} + 1);
  is_there_[document] = true;
}

sqlite_mapping::key sqlite_mapping::key_of(std::string_view text) const {
  return {neardup::xxh3<64>{.seed = seed_[0]}(text), neardup::xxh3<64>{.seed = seed_[1]}(text)};
}

void sqlite_mapping::set(map& where, const key& k, std::optional<place> value) {
  const auto found = where.find(k);
  undo_.emplace_back(&where, k, found == where.end() ? std::nullopt : std::optional(found->second));
  if (value) {
    where.insert_or_assign(k, *value);
  } else {
    where.erase(k);
  }
}

void sqlite_mapping::rollback() noexcept {
  restore();
  for (const doc_number document : erased_documents_) is_there_[document] = true;
  erased_documents_.clear();
  if (is_there_.size() > state_.next) is_there_.resize(state_.next);
  try {
    // After some errors, SQLite has already rolled back the transaction.
    if (database_.is_in_transaction()) database_.run("ROLLBACK", {});
  } catch (const std::exception&) {
  }
  for (auto step = undo_.rbegin(); step != undo_.rend(); ++step) {
    auto& [where, k, value] = *step;
    if (value) {
      where->insert_or_assign(k, *value);
    } else {
      where->erase(k);
    }
  }
  undo_.clear();
}

std::optional<doc_number> sqlite_mapping::document_of_nid(std::string_view nid) {
  const auto found = by_nid_.find(key_of(nid));
  return found == by_nid_.end() ? std::nullopt : std::optional(found->second.document);
}

std::optional<doc_number> sqlite_mapping::document_of_url(std::string_view url) {
  const auto found = by_url_.find(key_of(url));
  return found == by_url_.end() ? std::nullopt : std::optional(found->second.document);
}

known_article sqlite_mapping::in_row(std::uint64_t number) {
  auto found = find_article("SELECT nid, url, heat, version, digest FROM article WHERE number = ?", {number});
  if (!found) throw std::runtime_error("the store has no article in row " + std::to_string(number));
  return *std::move(found);
}

std::optional<known_article> sqlite_mapping::article_of(doc_number document, std::string_view nid) {
  const auto found = by_nid_.find(key_of(nid));
  if (found == by_nid_.end() || found->second.document != document) return std::nullopt;
  return in_row(found->second.number);
}

known_article sqlite_mapping::hottest_of(doc_number document) {
  auto found = find_article(
      "SELECT nid, url, heat, version, digest FROM article INDEXED BY article_of_document_by_heat"
      " WHERE document = ? ORDER BY heat DESC, number LIMIT 1",
      {document});
  // Usually no other article has this url, so no second query is needed.
  if (by_url_.at(key_of(found.value().url)).number > 1) {
    found = find_article(
        "SELECT nid, url, heat, version, digest FROM article INDEXED BY article_of_document_by_heat"
        " WHERE document = ? AND heat = ? AND url = ? ORDER BY number DESC LIMIT 1",
        {document, found->stored.heat, found->url});
  }
  return std::move(found).value();
}

void sqlite_mapping::update(std::string_view nid, const stored_article& stored) {
  database_.run("UPDATE article SET heat = ?, version = ?, digest = ? WHERE number = ?",
                {stored.heat, stored.version, stored.digest, by_nid_.at(key_of(nid)).number});
}

void sqlite_mapping::add(std::string_view nid, std::string_view url, doc_number document,
                         const stored_article& stored) {
  const auto row = static_cast<std::uint32_t>(state_.next_article++);
  database_.insert("article(number, document, nid, url, heat, version, digest)", "?, ?, ?, ?, ?, ?, ?",
                   {row, document, nid, url, stored.heat, stored.version, stored.digest});
  ++state_.nids;
  set(by_nid_, key_of(nid), place{document, row});
  const key k = key_of(url);
  const auto found = by_url_.find(k);
  place of_url = found == by_url_.end() ? place{document, 0} : found->second;
  ++of_url.number;
  of_url.has_other = of_url.has_other || of_url.document != document;
  set(by_url_, k, of_url);
}

std::optional<doc_number> sqlite_mapping::remove(std::string_view nid) {
  const key k = key_of(nid);
  const auto found = by_nid_.find(k);
  if (found == by_nid_.end()) return std::nullopt;
  const place old = found->second;
  const known_article article = in_row(old.number);
  const key url = key_of(article.url);
  database_.run("DELETE FROM article WHERE number = ?", {old.number});
  --state_.nids;
  set(by_nid_, k, std::nullopt);
  place of_url = by_url_.at(url);
  --of_url.number;
  if (of_url.number > 0 && of_url.has_other && of_url.document == old.document) {
    // If articles are not matched by url, several documents may have articles with this url. The query reads the table
    // up to the first article that still has the url.
    std::optional<doc_number> first;
    database_.read("SELECT document FROM article WHERE url = ? ORDER BY number LIMIT 1", {article.url},
                   [&](const sql_row& row) { first = row.document(0); });
    if (!first) throw std::runtime_error("the store has no article of " + article.url);
    of_url.document = *first;
  }
  set(by_url_, url, of_url.number == 0 ? std::nullopt : std::optional(of_url));
  return old.document;
}

void sqlite_mapping::add_document(doc_number document, const definition& defined, const kept_article& kept) {
  mapping::add_document(document, defined, kept);
  note(document);
}

void sqlite_mapping::erase_document(doc_number document) {
  mapping::erase_document(document);
  is_there_[document] = false;
  erased_documents_.push_back(document);
}

// ---- The contents ---------------------------------------------------------------------------------------------------

void sqlite_contents::put(doc_number document, std::uint64_t version, std::string_view json) {
  const std::uint64_t added = database_.run("INSERT OR IGNORE INTO content VALUES(?, ?, ?)", {document, version, json});
  if (added == 0) database_.insert("other_content", "?, ?, ?", {document, version, json});
}

std::optional<std::string> sqlite_contents::get(doc_number document, std::uint64_t version) {
  std::optional<std::string> result;
  for (const char* const sql : {"SELECT article FROM content WHERE document = ? AND version = ?",
                                "SELECT article FROM other_content WHERE document = ? AND version = ?"}) {
    if (!result) database_.read(sql, {document, version}, [&](const sql_row& row) { result = row.text(0); });
  }
  return result;
}

void sqlite_contents::erase(doc_number document, std::uint64_t version) {
  const std::uint64_t erased =
      database_.run("DELETE FROM content WHERE document = ? AND version = ?", {document, version});
  if (erased == 0) database_.run("DELETE FROM other_content WHERE document = ? AND version = ?", {document, version});
}

}  // namespace docid
