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

// definition is what the index holds; content is apart from it, so that a start does not read it.
constexpr const char* schema = R"(
  CREATE TABLE IF NOT EXISTS composition(text TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS document(
    number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, title INTEGER, content INTEGER);
  CREATE TABLE IF NOT EXISTS content(
    document INTEGER PRIMARY KEY, heat REAL NOT NULL, title_features BLOB, content_features BLOB, article TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS article(
    number INTEGER PRIMARY KEY, document INTEGER NOT NULL, nid TEXT NOT NULL, url TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS article_of_document ON article(document);
)";

feature_set features_in(std::string_view bytes) {
  feature_set result(bytes.size() / sizeof(std::uint32_t));
  if (!result.empty()) std::memcpy(result.data(), bytes.data(), result.size() * sizeof(std::uint32_t));
  return result;
}

std::optional<fingerprint> print_in(const statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return fingerprint(static_cast<std::uint64_t>(row.integer(column)));
}

void must_have(bool row, doc_number document) {
  if (!row) throw std::runtime_error("the store has no document " + std::to_string(document));
}

}  // namespace

// ---- statement ------------------------------------------------------------------------------------------------------

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
  sqlite3_bind_blob64(handle_.get(), place, value.data(), value.size() * sizeof(std::uint32_t), SQLITE_STATIC);
}
void statement::bind(int place, const std::optional<fingerprint>& value) {
  if (value) return bind(place, static_cast<std::int64_t>(value->to_uint64()));
  sqlite3_bind_null(handle_.get(), place);
}

// ---- the file -------------------------------------------------------------------------------------------------------

sqlite_database::sqlite_database(const std::string& file, const std::string& composition)
    : handle_(nullptr, sqlite3_close) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open(file.c_str(), &opened);
  handle_.reset(opened);
  try {
    if (result != SQLITE_OK) fail(opened);
    // Full: a commit returns when its bytes are on the disk. The cache is 64 MB.
    run(opened,
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "PRAGMA cache_size=-65536; PRAGMA wal_autocheckpoint=8192;");
    run(opened, "BEGIN EXCLUSIVE");
    run(opened, schema);
    statement find(opened, "SELECT text FROM composition");
    if (!find()) {
      statement(opened, "INSERT INTO composition VALUES(?)")(std::string_view(composition));
    } else if (find.bytes(0) != composition) {
      throw std::runtime_error("it was made with \"" + std::string(find.bytes(0)) + "\", not with \"" + composition +
                               "\"; its fingerprints would not match");
    }
    find.reset();
    run(opened, "COMMIT");
  } catch (const std::exception& error) {
    throw std::runtime_error(file + ": " + error.what());
  }
}

// ---- the mapping ----------------------------------------------------------------------------------------------------

sqlite_mapping::sqlite_mapping(const sqlite_database& database)
    : insert_(database.handle(), "INSERT INTO article(number, document, nid, url) VALUES(?, ?, ?, ?)"),
      find_(database.handle(), "SELECT url FROM article WHERE number = ?"),
      erase_(database.handle(), "DELETE FROM article WHERE number = ?"),
      nids_(database.handle(), "SELECT nid FROM article WHERE document = ? ORDER BY number"),
      first_of_url_(database.handle(), "SELECT document FROM article WHERE url = ? ORDER BY number LIMIT 1") {
  std::random_device random;
  for (auto& word : seed_) word = std::uint64_t{random()} << 32 | random();
  statement all(database.handle(), "SELECT number, document, nid, url FROM article ORDER BY number");
  for (bool row = all(); row; row = all.next()) {
    const auto number = static_cast<std::uint32_t>(all.integer(0));
    const auto document = static_cast<doc_number>(all.integer(1));
    by_nid_[key_of(all.bytes(2))] = {document, number};
    ++by_url_.try_emplace(key_of(all.bytes(3)), place{document, 0}).first->second.number;
    next_row_ = number + 1;
  }
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

std::vector<std::string> sqlite_mapping::nids_of(doc_number document) {
  std::vector<std::string> result;
  for (bool row = nids_(std::int64_t{document}); row; row = nids_.next()) result.emplace_back(nids_.bytes(0));
  return result;
}

void sqlite_mapping::add(std::string_view nid, std::string_view url, doc_number document) {
  const std::uint32_t row = next_row_++;
  insert_(std::int64_t{row}, std::int64_t{document}, nid, url);
  set(by_nid_, key_of(nid), place{document, row});
  const key k = key_of(url);
  const auto found = by_url_.find(k);
  set(by_url_, k,
      found == by_url_.end() ? place{document, 1} : place{found->second.document, found->second.number + 1});
}

std::optional<doc_number> sqlite_mapping::remove(std::string_view nid) {
  const key k = key_of(nid);
  const auto found = by_nid_.find(k);
  if (found == by_nid_.end()) return std::nullopt;
  const place old = found->second;
  if (!find_(std::int64_t{old.number})) throw std::runtime_error("the store has no article " + std::string(nid));
  const std::string text(find_.bytes(0));
  const key url = key_of(text);
  find_.reset();
  erase_(std::int64_t{old.number});
  set(by_nid_, k, std::nullopt);
  place of_url = by_url_.at(url);
  --of_url.number;
  if (of_url.number > 0 && of_url.document == old.document) {
    // Without the step of the url it may stand in several documents, and this one may be gone now.
    if (!first_of_url_(text)) throw std::runtime_error("the store has no article of " + text);
    of_url.document = static_cast<doc_number>(first_of_url_.integer(0));
    first_of_url_.reset();
  }
  set(by_url_, url, of_url.number == 0 ? std::nullopt : std::optional(of_url));
  return old.document;
}

// ---- the contents ---------------------------------------------------------------------------------------------------

sqlite_contents::sqlite_contents(const sqlite_database& database)
    : database_(database.handle()),
      begin_(database_, "BEGIN IMMEDIATE"),
      commit_(database_, "COMMIT"),
      rollback_(database_, "ROLLBACK"),
      insert_document_(database_, "INSERT INTO document(number, name, title, content) VALUES(?, ?, ?, ?)"),
      insert_content_(database_, "INSERT INTO content VALUES(?, ?, ?, ?, ?)"),
      replace_(database_, "UPDATE content SET heat = ?2, article = ?3 WHERE document = ?1"),
      erase_document_(database_, "DELETE FROM document WHERE number = ?"),
      erase_content_(database_, "DELETE FROM content WHERE document = ?"),
      name_(database_, "SELECT name, title, content FROM document WHERE number = ?"),
      features_(database_, "SELECT title_features, content_features FROM content WHERE document = ?"),
      heat_(database_, "SELECT heat FROM content WHERE document = ?"),
      article_(database_, "SELECT article, heat FROM content WHERE document = ?"),
      all_(database_, "SELECT number, title, content FROM document") {
  statement count(database_, "SELECT count(*) FROM document");
  if (count()) size_ = static_cast<std::size_t>(count.integer(0));
  count.reset();
  // AUTOINCREMENT remembers the largest number there ever was.
  statement last(database_, "SELECT seq FROM sqlite_sequence WHERE name = 'document'");
  if (last()) next_ = static_cast<doc_number>(last.integer(0) + 1);
  last.reset();
}

void sqlite_contents::for_each(const std::function<void(doc_number, const std::optional<fingerprint>&,
                                                        const std::optional<fingerprint>&)>& visit) {
  for (bool row = all_(); row; row = all_.next()) {
    visit(static_cast<doc_number>(all_.integer(0)), print_in(all_, 1), print_in(all_, 2));
  }
}

void sqlite_contents::begin() {
  begin_();
  before_ = {next_, size_};
}

void sqlite_contents::commit() { commit_(); }

void sqlite_contents::rollback() noexcept {
  std::tie(next_, size_) = before_;
  try {
    // SQLite has rolled back itself after some errors.
    if (sqlite3_get_autocommit(database_) == 0) rollback_();
  } catch (const std::exception&) {
  }
}

void sqlite_contents::add(doc_number document, const definition& defined, const kept_article& article) {
  insert_document_(std::int64_t{document}, std::string_view(defined.name), defined.title.print, defined.content.print);
  insert_content_(std::int64_t{document}, article.heat, defined.title.features, defined.content.features,
                  std::string_view(article.json));
  next_ = document + 1;
  ++size_;
}

void sqlite_contents::replace(doc_number document, const kept_article& article) {
  replace_(std::int64_t{document}, article.heat, std::string_view(article.json));
}

void sqlite_contents::erase(doc_number document) {
  erase_document_(std::int64_t{document});
  erase_content_(std::int64_t{document});
  --size_;
}

std::optional<std::string> sqlite_contents::name_of(doc_number document) {
  if (!name_(std::int64_t{document})) return std::nullopt;
  std::string result(name_.bytes(0));
  name_.reset();
  return result;
}

definition sqlite_contents::definition_of(doc_number document) {
  must_have(name_(std::int64_t{document}), document);
  definition result{std::string(name_.bytes(0)), {print_in(name_, 1), {}}, {print_in(name_, 2), {}}};
  name_.reset();
  must_have(features_(std::int64_t{document}), document);
  result.title.features = features_in(features_.bytes(0));
  result.content.features = features_in(features_.bytes(1));
  features_.reset();
  return result;
}

double sqlite_contents::heat_of(doc_number document) {
  must_have(heat_(std::int64_t{document}), document);
  const double result = heat_.real(0);
  heat_.reset();
  return result;
}

kept_article sqlite_contents::article_of(doc_number document) {
  must_have(article_(std::int64_t{document}), document);
  kept_article result{std::string(article_.bytes(0)), article_.real(1)};
  article_.reset();
  return result;
}

}  // namespace docid
