// A client of HBase 2 for tables with one family of columns. It speaks HBase's own protocol, protobuf over TCP, as the .proto
// files in the jar hbase-protocol-shaded define it; without Kerberos.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hbase {

/// HBase cannot be reached, or refuses; the text says which.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct cell {
  std::string row;
  std::string column;
  std::string value;
};

/// The rows from `begin` on that come before `end`; an empty end is that of the table.
struct row_range {
  std::string begin;
  std::string end;
};

/// A table of the namespace "default". What fails because a server or a region is just coming up, moving or going is tried
/// again until `patience` is over.
/// Thread safety: none.
class table {
 public:
  struct settings {
    std::string master;  ///< host:port
    std::string name;
    std::string family;
    std::chrono::seconds patience{60};
  };
  explicit table(settings where);
  table(const table&) = delete;
  table& operator=(const table&) = delete;
  ~table();

  /// Makes the table, unless it is there.
  /// Throws: error.
  void create();

  /// A change waits for flush().
  void put(std::string_view row, std::string_view column, std::string_view value);
  void erase(std::string_view row, std::string_view column);
  void erase_row(std::string_view row);
  /// Returns: how many bytes the changes that wait have.
  [[nodiscard]] std::size_t waiting_bytes() const;
  /// Returns when HBase has acknowledged all changes: they are synced to its write-ahead log.
  /// Throws: error; then some of the changes may have been made, and all still wait. They can be made twice without harm.
  void flush();
  void discard_changes();

  /// Returns: the cells of each range, by row and column. The ranges are asked for together.
  /// Throws: error.
  std::vector<std::vector<cell>> scan(const std::vector<row_range>& ranges);

 private:
  struct implementation;
  std::unique_ptr<implementation> own_;
};

}  // namespace hbase
