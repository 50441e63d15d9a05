// Near-duplicates in RocksDB (Debian: librocksdb-dev): the rows of band_key in a sorted log-structured merge tree.
#include <rocksdb/db.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "check_store.hpp"

namespace {

void check(const rocksdb::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

rocksdb::Slice slice_of(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

class rocksdb_store {
 public:
  explicit rocksdb_store(const std::string& folder) {
    rocksdb::Options options;
    options.create_if_missing = true;
    rocksdb::DB* opened = nullptr;
    check(rocksdb::DB::Open(options, folder, &opened));
    database_.reset(opened);
  }

  void put(std::string_view key, std::string_view value) {
    check(database_->Put(rocksdb::WriteOptions(), slice_of(key), slice_of(value)));
  }
  /// Returns the value of a key, or an empty string if there is no such key.
  std::string get(std::string_view key) {
    std::string value;
    const rocksdb::Status status = database_->Get(rocksdb::ReadOptions(), slice_of(key), &value);
    if (!status.IsNotFound()) check(status);
    return value;
  }
  void erase(std::string_view key) { check(database_->Delete(rocksdb::WriteOptions(), slice_of(key))); }

  template <class Visit>
  void scan(std::string_view begin, std::string_view end, const Visit& visit) {
    rocksdb::ReadOptions options;
    const rocksdb::Slice upper = slice_of(end);
    if (!end.empty()) options.iterate_upper_bound = &upper;
    const std::unique_ptr<rocksdb::Iterator> row(database_->NewIterator(options));
    for (row->Seek(slice_of(begin)); row->Valid(); row->Next())
      visit(row->key().ToStringView(), row->value().ToStringView());
    check(row->status());
  }

 private:
  std::unique_ptr<rocksdb::DB> database_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "neardup_example_rocksdb";
  std::filesystem::remove_all(folder);
  bool same = true;
  {
    rocksdb_store store(folder.string());
    same = check_store(store, count_of(argc, argv));
  }
  std::filesystem::remove_all(folder);
  if (!same) std::puts("not the same");
  return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
