// Near-duplicates in LMDB (Debian: liblmdb-dev): the rows of band_key in a sorted B-tree.
#include <lmdb.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "check_store.hpp"

namespace {

void check(int error) {
  if (error != MDB_SUCCESS) throw std::runtime_error(mdb_strerror(error));
}

MDB_val value_of(std::string_view bytes) { return {bytes.size(), const_cast<char*>(bytes.data())}; }

/// A store that uses one write transaction, for brevity. A real program commits from time to time, and searches in
/// read-only transactions.
class lmdb_store {
 public:
  explicit lmdb_store(const std::string& folder) {
    check(mdb_env_create(&environment_));
    check(mdb_env_set_mapsize(environment_, std::size_t{1} << 28));
    check(mdb_env_open(environment_, folder.c_str(), MDB_NOSYNC, 0644));
    check(mdb_txn_begin(environment_, nullptr, 0, &transaction_));
    check(mdb_dbi_open(transaction_, nullptr, 0, &table_));
  }
  lmdb_store(const lmdb_store&) = delete;
  lmdb_store& operator=(const lmdb_store&) = delete;
  ~lmdb_store() {
    mdb_txn_commit(transaction_);
    mdb_env_close(environment_);
  }

  void put(std::string_view key, std::string_view value) {
    MDB_val k = value_of(key), v = value_of(value);
    check(mdb_put(transaction_, table_, &k, &v, 0));
  }
  /// Returns the value of a key, or an empty string if there is no such key.
  std::string get(std::string_view key) {
    MDB_val k = value_of(key), value{};
    const int error = mdb_get(transaction_, table_, &k, &value);
    if (error == MDB_NOTFOUND) return {};
    check(error);
    return {static_cast<const char*>(value.mv_data), value.mv_size};
  }
  void erase(std::string_view key) {
    MDB_val k = value_of(key);
    const int error = mdb_del(transaction_, table_, &k, nullptr);
    if (error != MDB_NOTFOUND) check(error);
  }
  template <class Visit>
  void scan(std::string_view begin, std::string_view end, const Visit& visit) {
    MDB_cursor* cursor = nullptr;
    check(mdb_cursor_open(transaction_, table_, &cursor));
    MDB_val key = value_of(begin), value{};
    int error = mdb_cursor_get(cursor, &key, &value, begin.empty() ? MDB_FIRST : MDB_SET_RANGE);
    for (; error == MDB_SUCCESS; error = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
      const std::string_view found(static_cast<const char*>(key.mv_data), key.mv_size);
      if (!end.empty() && found >= end) break;
      visit(found, std::string_view(static_cast<const char*>(value.mv_data), value.mv_size));
    }
    mdb_cursor_close(cursor);
    if (error != MDB_NOTFOUND) check(error);
  }

 private:
  MDB_env* environment_ = nullptr;
  MDB_txn* transaction_ = nullptr;
  MDB_dbi table_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "neardup_example_lmdb";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  bool same = true;
  {
    lmdb_store store(folder.string());
    same = check_store(store, count_of(argc, argv));
  }
  std::filesystem::remove_all(folder);
  if (!same) std::puts("not the same");
  return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
