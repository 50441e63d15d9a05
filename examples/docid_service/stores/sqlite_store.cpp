#include "sqlite_store.hpp"

#include <cstring>
#include <neardup/fingerprint.hpp>
#include <random>
#include <stdexcept>
#include <tuple>

namespace docid {

namespace {

[[noreturn]] void fail(sqlite3* database) {
  throw std::runtime_error(std::string("SQLite: ") + sqlite3_errmsg(database));
}

void run(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(database);
}

// The columns from which indexes are built have a table of their own. So a start does not read features and contents.
constexpr const char* sqlite_schema = R"(
  CREATE TABLE IF NOT EXISTS store(composition TEXT NOT NULL, identity TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS document(
    number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, title INTEGER, content INTEGER,
    heat REAL NOT NULL, version INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS features(document INTEGER PRIMARY KEY, title BLOB NOT NULL, content BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS pairs(document INTEGER PRIMARY KEY, content BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS content(document INTEGER PRIMARY KEY, version INTEGER NOT NULL, article TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS article(
    number INTEGER PRIMARY KEY, document INTEGER NOT NULL, nid TEXT NOT NULL, url TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS article_of_document ON article(document);
  CREATE TABLE IF NOT EXISTS other_content(
    document INTEGER NOT NULL, version INTEGER NOT NULL, article TEXT NOT NULL, PRIMARY KEY(document, version));
  CREATE TABLE IF NOT EXISTS redefinition(
    number INTEGER PRIMARY KEY, document INTEGER NOT NULL, title INTEGER, content INTEGER);
)";

// Columns that articles of an earlier version do not have.
constexpr const char* new_columns = R"(
  ALTER TABLE article ADD COLUMN heat REAL;
  ALTER TABLE article ADD COLUMN version INTEGER;
  ALTER TABLE article ADD COLUMN digest INTEGER;
)";
// With this index, SQLite finds the hottest article of a document that has many articles. The index is made last,
// because tables of an earlier version have no column `heat`.
constexpr const char* new_index =
    "CREATE INDEX IF NOT EXISTS article_of_document_by_heat ON article(document, heat DESC)";

feature_set features_in(std::string_view bytes) {
  feature_set result(bytes.size() / sizeof(std::uint32_t));
  if (!result.empty()) std::memcpy(result.data(), bytes.data(), result.size() * sizeof(std::uint32_t));
  return result;
}

std::optional<fingerprint> print_in(const statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return fingerprint(static_cast<std::uint64_t>(row.integer(column)));
}

std::int64_t signed_of(std::uint64_t number) { return static_cast<std::int64_t>(number); }

/// Reads an article from a row of nid, url, heat, version, digest.
known_article article_in(const statement& row) {
  known_article result{std::string(row.bytes(0)), std::string(row.bytes(1)), std::nullopt};
  if (!row.is_null(3)) {
    result.stored = stored_article{row.real(2), static_cast<std::uint64_t>(row.integer(3)),
                                   static_cast<std::uint64_t>(row.integer(4))};
  }
  return result;
}

}  // namespace

// ---- Statements -----------------------------------------------------------------------------------------------------

statement::statement(sqlite3* database, const char* sql) : handle_(nullptr, sqlite3_finalize) {
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v2(database, sql, -1, &made, nullptr) != SQLITE_OK) fail(database);
  handle_.reset(made);
}

bool statement::next() {
  const int result = sqlite3_step(handle_.get());
  if (result == SQLITE_ROW) return true;
  sqlite3* const database = sqlite3_db_handle(handle_.get());
  if (result != SQLITE_DONE) {
    const std::string message = sqlite3_errmsg(database);
    sqlite3_reset(handle_.get());
    throw std::runtime_error("SQLite: " + message);
  }
  sqlite3_reset(handle_.get());
  return false;
}

std::string_view statement::bytes(int column) const {
  const auto* const data = static_cast<const char*>(sqlite3_column_blob(handle_.get(), column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

void statement::bind(int place, std::int64_t value) { sqlite3_bind_int64(handle_.get(), place, value); }
void statement::bind(int place, double value) { sqlite3_bind_double(handle_.get(), place, value); }
void statement::bind(int place, std::string_view value) {
  sqlite3_bind_text64(handle_.get(), place, value.data(), value.size(), SQLITE_STATIC, SQLITE_UTF8);
}
void statement::bind(int place, const feature_set& value) {
  // The data pointer of an empty vector may be null, which would be bound as NULL.
  if (value.empty()) {
    sqlite3_bind_zeroblob(handle_.get(), place, 0);
    return;
  }
  sqlite3_bind_blob64(handle_.get(), place, value.data(), value.size() * sizeof(std::uint32_t), SQLITE_STATIC);
}
void statement::bind(int place, const std::optional<fingerprint>& value) {
  if (value) return bind(place, static_cast<std::int64_t>(value->to_uint64()));
  sqlite3_bind_null(handle_.get(), place);
}

// ---- The file -------------------------------------------------------------------------------------------------------

sqlite_database::sqlite_database(const std::string& file, const std::string& composition)
    : handle_(nullptr, sqlite3_close) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open(file.c_str(), &opened);
  handle_.reset(opened);
  try {
    if (result != SQLITE_OK) fail(opened);
    // synchronous=FULL: a commit returns when its bytes are on disk. The cache is 64 MB. The log is written into the
    // file every 1,000 pages, which is the default. With 8,192 pages, arrays were 4 % faster, but single articles had
    // to wait.
    run(opened,
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "PRAGMA cache_size=-65536;");
    run(opened, "BEGIN EXCLUSIVE");
    statement old(opened, "SELECT 1 FROM sqlite_master WHERE name = 'composition'");
    if (old())
      throw std::runtime_error("an earlier version of docid_service made it, in a format that this one cannot read");
    run(opened, sqlite_schema);
    statement has_digest(opened, "SELECT 1 FROM pragma_table_info('article') WHERE name = 'digest'");
    const bool is_new = has_digest();
    has_digest.reset();
    if (!is_new) run(opened, new_columns);
    run(opened, new_index);
    statement find(opened, "SELECT composition FROM store");
    if (!find()) {
      statement(opened, "INSERT INTO store VALUES(?, lower(hex(randomblob(16))))")(std::string_view(composition));
    } else if (find.bytes(0) != composition) {
      throw std::runtime_error("it was made with \"" + std::string(find.bytes(0)) + "\", not with \"" + composition +
                               "\"; its fingerprints would not match");
    }
    find.reset();
    run(opened, "COMMIT");
  } catch (const std::exception& error) {
    if (opened != nullptr && sqlite3_errcode(opened) == SQLITE_BUSY)
      throw std::runtime_error(file + ": it is locked; another process uses it");
    throw std::runtime_error(file + ": " + error.what());
  }
}

// ---- The mapping ----------------------------------------------------------------------------------------------------

sqlite_mapping::sqlite_mapping(const sqlite_database& database)
    : database_(database.handle()),
      begin_(database_, "BEGIN IMMEDIATE"),
      commit_(database_, "COMMIT"),
      rollback_(database_, "ROLLBACK"),
      insert_(database_,
              "INSERT INTO article(number, document, nid, url, heat, version, digest) VALUES(?, ?, ?, ?, ?, ?, ?)"),
      find_(database_, "SELECT nid, url, heat, version, digest FROM article WHERE number = ?"),
      update_(database_, "UPDATE article SET heat = ?2, version = ?3, digest = ?4 WHERE number = ?1"),
      erase_(database_, "DELETE FROM article WHERE number = ?"),
      nids_(database_, "SELECT nid FROM article WHERE document = ? ORDER BY number"),
      articles_(database_, "SELECT nid, url, heat, version, digest FROM article WHERE document = ? ORDER BY number"),
      hottest_(database_,
               "SELECT nid, url, heat, version, digest FROM article INDEXED BY article_of_document_by_heat"
               " WHERE document = ? AND version IS NOT NULL ORDER BY heat DESC, number LIMIT 1"),
      last_hottest_(
          database_,
          "SELECT nid, url, heat, version, digest FROM article INDEXED BY article_of_document_by_heat"
          " WHERE document = ? AND heat = ? AND url = ? AND version IS NOT NULL ORDER BY number DESC LIMIT 1"),
      first_of_url_(database_, "SELECT document FROM article WHERE url = ? ORDER BY number LIMIT 1"),
      insert_document_(database_, "INSERT INTO document VALUES(?, ?, ?, ?, ?, ?)"),
      insert_features_(database_, "INSERT INTO features VALUES(?, ?, ?)"),
      insert_pairs_(database_, "INSERT INTO pairs VALUES(?, ?)"),
      set_kept_(database_, "UPDATE document SET heat = ?2, version = ?3 WHERE number = ?1"),
      set_document_(database_, "UPDATE document SET title = ?2, content = ?3 WHERE number = ?1"),
      set_features_(database_, "UPDATE features SET title = ?2, content = ?3 WHERE document = ?1"),
      insert_redefinition_(database_, "INSERT INTO redefinition VALUES(?, ?, ?, ?)"),
      all_redefinitions_(database_,
                         "SELECT document, title, content FROM redefinition WHERE number > ? ORDER BY number"),
      erase_document_(database_, "DELETE FROM document WHERE number = ?"),
      erase_features_(database_, "DELETE FROM features WHERE document = ?"),
      erase_pairs_(database_, "DELETE FROM pairs WHERE document = ?"),
      document_(database_, "SELECT name, title, content, heat, version FROM document WHERE number = ?"),
      features_(database_, "SELECT title, content FROM features WHERE document = ?"),
      pairs_(database_, "SELECT content FROM pairs WHERE document = ?"),
      all_(database_, "SELECT number, title, content FROM document WHERE number > ? ORDER BY number"),
      all_features_(database_,
                    "SELECT document, title, content FROM features WHERE document > ? ORDER BY document LIMIT ?") {
  std::random_device random;
  for (auto& word : seed_) word = std::uint64_t{random()} << 32 | random();
  statement all(database_, "SELECT number, document, nid, url FROM article ORDER BY number");
  for (bool row = all(); row; row = all.next()) {
    const auto number = static_cast<std::uint32_t>(all.integer(0));
    const auto document = static_cast<doc_number>(all.integer(1));
    by_nid_[key_of(all.bytes(2))] = {document, number};
    note(document);
    place& of_url = by_url_.try_emplace(key_of(all.bytes(3)), place{document, 0}).first->second;
    ++of_url.number;
    of_url.has_other = of_url.has_other || of_url.document != document;
    next_row_ = number + 1;
  }
  statement count(database_, "SELECT count(*) FROM document");
  if (count()) size_ = static_cast<std::size_t>(count.integer(0));
  count.reset();
  // AUTOINCREMENT remembers the largest number ever used.
  statement last(database_, "SELECT seq FROM sqlite_sequence WHERE name = 'document'");
  if (last()) next_ = static_cast<doc_number>(last.integer(0) + 1);
  last.reset();
  statement redefinition(database_, "SELECT max(number) FROM redefinition");
  if (redefinition()) redefinitions_ = static_cast<std::uint64_t>(redefinition.integer(0));
  redefinition.reset();
}

std::string sqlite_mapping::identity() {
  statement find(database_, "SELECT identity FROM store");
  find();
  return std::string(find.bytes(0));
}

void sqlite_mapping::begin() {
  begin_();
  before_ = {next_, size_, redefinitions_};
}

void sqlite_mapping::commit() {
  commit_();
  undo_.clear();
  erased_documents_.clear();
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
  std::tie(next_, size_, redefinitions_) = before_;
  for (const doc_number document : erased_documents_) is_there_[document] = true;
  erased_documents_.clear();
  if (is_there_.size() > next_) is_there_.resize(next_);
  try {
    // After some errors SQLite has already rolled back.
    if (sqlite3_get_autocommit(database_) == 0) rollback_();
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

std::vector<std::string> sqlite_mapping::nids_of(doc_number document, std::size_t most) {
  std::vector<std::string> result;
  for (bool row = nids_(std::int64_t{document}); row && result.size() < most; row = nids_.next()) {
    result.emplace_back(nids_.bytes(0));
  }
  nids_.reset();
  return result;
}

std::vector<known_article> sqlite_mapping::articles_of(doc_number document) {
  std::vector<known_article> result;
  for (bool row = articles_(std::int64_t{document}); row; row = articles_.next()) {
    result.push_back(article_in(articles_));
  }
  return result;
}

known_article sqlite_mapping::first_of(doc_number document) {
  if (!articles_(std::int64_t{document}))
    throw std::runtime_error("the store has no article of document " + std::to_string(document));
  known_article result = article_in(articles_);
  articles_.reset();
  return result;
}

std::optional<known_article> sqlite_mapping::article_of(doc_number document, std::string_view nid) {
  const auto found = by_nid_.find(key_of(nid));
  if (found == by_nid_.end() || found->second.document != document) return std::nullopt;
  if (!find_(std::int64_t{found->second.number})) return std::nullopt;
  known_article result = article_in(find_);
  find_.reset();
  return result;
}

std::optional<known_article> sqlite_mapping::hottest_of(doc_number document) {
  if (!hottest_(std::int64_t{document})) return std::nullopt;
  known_article result = article_in(hottest_);
  hottest_.reset();
  // Usually no other article has the url.
  if (by_url_.at(key_of(result.url)).number == 1) return result;
  if (last_hottest_(std::int64_t{document}, result.stored->heat, std::string_view(result.url))) {
    result = article_in(last_hottest_);
    last_hottest_.reset();
  }
  return result;
}

std::optional<stored_article> sqlite_mapping::stored_of(std::string_view nid) {
  if (!find_(std::int64_t{by_nid_.at(key_of(nid)).number})) return std::nullopt;
  auto result = article_in(find_).stored;
  find_.reset();
  return result;
}

void sqlite_mapping::update(std::string_view nid, const stored_article& stored) {
  update_(std::int64_t{by_nid_.at(key_of(nid)).number}, stored.heat, signed_of(stored.version),
          signed_of(stored.digest));
}

void sqlite_mapping::add(std::string_view nid, std::string_view url, doc_number document,
                         const stored_article& stored) {
  const std::uint32_t row = next_row_++;
  insert_(std::int64_t{row}, std::int64_t{document}, nid, url, stored.heat, signed_of(stored.version),
          signed_of(stored.digest));
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
  if (!find_(std::int64_t{old.number})) throw std::runtime_error("the store has no article " + std::string(nid));
  const std::string text(find_.bytes(1));
  const key url = key_of(text);
  find_.reset();
  erase_(std::int64_t{old.number});
  set(by_nid_, k, std::nullopt);
  place of_url = by_url_.at(url);
  --of_url.number;
  if (of_url.number > 0 && of_url.has_other && of_url.document == old.document) {
    // If articles are not matched by url, several documents may have this url, and the document recorded for it may be
    // gone. This reads the table up to the first article of the url.
    if (!first_of_url_(text)) throw std::runtime_error("the store has no article of " + text);
    of_url.document = static_cast<doc_number>(first_of_url_.integer(0));
    first_of_url_.reset();
  }
  set(by_url_, url, of_url.number == 0 ? std::nullopt : std::optional(of_url));
  return old.document;
}

void sqlite_mapping::add_document(doc_number document, const definition& defined, const kept_article& kept) {
  insert_document_(std::int64_t{document}, std::string_view(defined.name), defined.title.print, defined.content.print,
                   kept.heat, signed_of(kept.version));
  insert_features_(std::int64_t{document}, defined.title.features, defined.content.features);
  note(document);
  next_ = document + 1;
  ++size_;
}

void sqlite_mapping::set_kept(doc_number document, const kept_article& kept) {
  set_kept_(std::int64_t{document}, kept.heat, signed_of(kept.version));
}

void sqlite_mapping::redefine(doc_number document, const definition& old, const definition& defined,
                              const feature_set& pairs) {
  insert_redefinition_(signed_of(++redefinitions_), std::int64_t{document}, old.title.print, old.content.print);
  set_document_(std::int64_t{document}, defined.title.print, defined.content.print);
  set_features_(std::int64_t{document}, defined.title.features, defined.content.features);
  erase_pairs_(std::int64_t{document});
  add_pairs(document, pairs);
}

void sqlite_mapping::for_each_redefinition(std::uint64_t after, const redefinition_visitor& visit) {
  for (bool row = all_redefinitions_(signed_of(after)); row; row = all_redefinitions_.next()) {
    visit(static_cast<doc_number>(all_redefinitions_.integer(0)), print_in(all_redefinitions_, 1),
          print_in(all_redefinitions_, 2));
  }
}

void sqlite_mapping::erase_document(doc_number document) {
  erase_document_(std::int64_t{document});
  is_there_[document] = false;
  erased_documents_.push_back(document);
  erase_features_(std::int64_t{document});
  erase_pairs_(std::int64_t{document});
  --size_;
}

void sqlite_mapping::add_pairs(doc_number document, const feature_set& pairs) {
  insert_pairs_(std::int64_t{document}, pairs);
}

std::optional<std::string> sqlite_mapping::name_of(doc_number document) {
  if (!document_(std::int64_t{document})) return std::nullopt;
  std::string result(document_.bytes(0));
  document_.reset();
  return result;
}

std::optional<definition> sqlite_mapping::definition_of(doc_number document) {
  if (!document_(std::int64_t{document})) return std::nullopt;
  definition result{std::string(document_.bytes(0)), {print_in(document_, 1), {}}, {print_in(document_, 2), {}}};
  document_.reset();
  if (features_(std::int64_t{document})) {
    result.title.features = features_in(features_.bytes(0));
    result.content.features = features_in(features_.bytes(1));
    features_.reset();
  }
  return result;
}

std::optional<kept_article> sqlite_mapping::kept_of(doc_number document) {
  if (!document_(std::int64_t{document})) return std::nullopt;
  const kept_article result{document_.real(3), static_cast<std::uint64_t>(document_.integer(4))};
  document_.reset();
  return result;
}

std::optional<feature_set> sqlite_mapping::pairs_of(doc_number document) {
  if (!pairs_(std::int64_t{document})) return std::nullopt;
  feature_set result = features_in(pairs_.bytes(0));
  pairs_.reset();
  return result;
}

void sqlite_mapping::for_each_document(doc_number after, const document_visitor& visit) {
  for (bool row = all_(std::int64_t{after}); row; row = all_.next()) {
    visit(static_cast<doc_number>(all_.integer(0)), print_in(all_, 1), print_in(all_, 2));
  }
}

std::vector<document_features> sqlite_mapping::features_after(doc_number after, std::size_t most) {
  std::vector<document_features> result;
  for (bool row = all_features_(std::int64_t{after}, static_cast<std::int64_t>(most)); row;
       row = all_features_.next()) {
    result.push_back({static_cast<doc_number>(all_features_.integer(0)), features_in(all_features_.bytes(1)),
                      features_in(all_features_.bytes(2))});
  }
  return result;
}

std::vector<doc_number> sqlite_mapping::documents_after(doc_number after, std::size_t most) {
  std::vector<doc_number> result;
  for (std::size_t number = std::size_t{after} + 1; number < is_there_.size() && result.size() < most; ++number) {
    if (is_there_[number]) result.push_back(static_cast<doc_number>(number));
  }
  return result;
}

// ---- The contents ---------------------------------------------------------------------------------------------------

sqlite_contents::sqlite_contents(const sqlite_database& database)
    : database_(database.handle()),
      put_(database_, "INSERT OR IGNORE INTO content VALUES(?, ?, ?)"),
      get_(database_, "SELECT article FROM content WHERE document = ? AND version = ?"),
      erase_(database_, "DELETE FROM content WHERE document = ? AND version = ?"),
      put_other_(database_, "INSERT INTO other_content VALUES(?, ?, ?)"),
      get_other_(database_, "SELECT article FROM other_content WHERE document = ? AND version = ?"),
      erase_other_(database_, "DELETE FROM other_content WHERE document = ? AND version = ?") {}

void sqlite_contents::put(doc_number document, std::uint64_t version, std::string_view json) {
  put_(std::int64_t{document}, signed_of(version), json);
  if (sqlite3_changes(database_) == 0) put_other_(std::int64_t{document}, signed_of(version), json);
}

std::optional<std::string> sqlite_contents::get(doc_number document, std::uint64_t version) {
  for (statement* const table : {&get_, &get_other_}) {
    if (!(*table)(std::int64_t{document}, signed_of(version))) continue;
    std::string result(table->bytes(0));
    table->reset();
    return result;
  }
  return std::nullopt;
}

void sqlite_contents::erase(doc_number document, std::uint64_t version) {
  erase_(std::int64_t{document}, signed_of(version));
  if (sqlite3_changes(database_) == 0) erase_other_(std::int64_t{document}, signed_of(version));
}

}  // namespace docid
