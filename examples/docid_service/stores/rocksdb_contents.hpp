// Stores articles in RocksDB, in place of HBase. Only one process can open a folder, so a service does not see the
// articles of other services.
#pragma once

#include <memory>
#include <string>

#include "stores.hpp"

namespace rocksdb {
class DB;
class WriteBatch;
}  // namespace rocksdb

namespace docid {

/// Contents in RocksDB. The key of an article: document number, then version, each with its highest byte first.
class rocksdb_contents final : public contents {
 public:
  /// Opens the database in `folder`, and makes it if it does not exist.
  /// Throws: std::runtime_error with RocksDB's message, for example if another process has opened the folder;
  /// std::runtime_error if the folder has another format.
  explicit rocksdb_contents(const std::string& folder);
  ~rocksdb_contents() override;

  [[nodiscard]] bool is_local() const override { return true; }
  void put(doc_number document, std::uint64_t version, std::string_view json) override;
  std::optional<std::string> get(doc_number document, std::uint64_t version) override;
  void erase(doc_number document, std::uint64_t version) override;
  void sync() override;
  void commit() override;
  void rollback() noexcept override;

 private:
  void open();
  void write(rocksdb::WriteBatch& batch, bool is_synced);

  std::string folder_;
  std::unique_ptr<rocksdb::DB> database_;
  std::unique_ptr<rocksdb::WriteBatch> put_;
  std::unique_ptr<rocksdb::WriteBatch> erased_;
};

}  // namespace docid
