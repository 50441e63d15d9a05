#include "rocksdb_contents.hpp"

#include <rocksdb/db.h>

#include <stdexcept>

namespace docid {

namespace {

std::string key_of(doc_number document, std::uint64_t version) {
  std::string key;
  for (int shift = 24; shift >= 0; shift -= 8) key.push_back(static_cast<char>(document >> shift & 0xffU));
  for (int shift = 56; shift >= 0; shift -= 8) key.push_back(static_cast<char>(version >> shift & 0xffU));
  return key;
}

void check(const rocksdb::Status& status) {
  if (!status.ok()) throw std::runtime_error("RocksDB: " + status.ToString());
}

}  // namespace

rocksdb_contents::rocksdb_contents(const std::string& folder)
    : folder_(folder), put_(std::make_unique<rocksdb::WriteBatch>()), erased_(std::make_unique<rocksdb::WriteBatch>()) {
  open();
}

void rocksdb_contents::open() {
  if (database_) return;
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* opened = nullptr;
  check(rocksdb::DB::Open(options, folder_, &opened));
  std::unique_ptr<rocksdb::DB> database(opened);
  constexpr const char* format_key = "format";  // shorter than any key of an article, so no article has this key
  std::string format;
  if (!database->Get({}, format_key, &format).ok()) {
    const std::unique_ptr<rocksdb::Iterator> first(database->NewIterator({}));
    first->SeekToFirst();
    check(first->status());
    format = std::to_string(first->Valid() ? 0 : store_format);  // the first formats had no number
    rocksdb::WriteOptions synced;
    synced.sync = true;
    if (!first->Valid()) check(database->Put(synced, format_key, format));
  }
  if (format != std::to_string(store_format))
    throw std::runtime_error("RocksDB in " + folder_ + ": " + other_format(format, "name another --data FOLDER"));
  database_ = std::move(database);
}

rocksdb_contents::~rocksdb_contents() = default;

void rocksdb_contents::put(doc_number document, std::uint64_t version, std::string_view json) {
  check(put_->Put(key_of(document, version), rocksdb::Slice(json.data(), json.size())));
}

std::optional<std::string> rocksdb_contents::get(doc_number document, std::uint64_t version) {
  open();
  std::string result;
  const auto status = database_->Get(rocksdb::ReadOptions(), key_of(document, version), &result);
  if (status.IsNotFound()) return std::nullopt;
  check(status);
  return result;
}

void rocksdb_contents::erase(doc_number document, std::uint64_t version) {
  check(erased_->Delete(key_of(document, version)));
}

void rocksdb_contents::write(rocksdb::WriteBatch& batch, bool is_synced) {
  if (batch.Count() == 0) return;
  rocksdb::WriteOptions options;
  options.sync = is_synced;
  open();
  const rocksdb::Status status = database_->Write(options, &batch);
  // After an error, such as a full disk, RocksDB refuses further writes until the database is opened again.
  if (!status.ok()) database_.reset();
  check(status);
  batch.Clear();
}

void rocksdb_contents::sync() { write(*put_, true); }

void rocksdb_contents::commit() { write(*erased_, false); }

void rocksdb_contents::rollback() noexcept {
  put_->Clear();
  erased_->Clear();
}

}  // namespace docid
