// A client of HBase 2 for tables with one column family. It uses HBase's own protocol, protobuf over TCP. The .proto
// files in the jar hbase-protocol-shaded define the protocol. The client does not support Kerberos.
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

/// The error if HBase cannot be reached, or refuses a request. The message tells which.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct cell {
  std::string row;
  std::string column;
  std::string value;
};

/// The rows in [begin, end). If `end` is empty, the range has no upper end.
struct row_range {
  std::string begin;
  std::string end;
};

/// A table of the namespace "default". Operations that fail because a server or region is starting, moving or stopping
/// are retried for the time `patience`.
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

  /// Creates the table, unless it exists.
  /// Throws: error.
  void create();

  /// The following changes are buffered until flush().
  void put(std::string_view row, std::string_view column, std::string_view value);
  void erase(std::string_view row, std::string_view column);
  void erase_row(std::string_view row);
  /// Returns the size of the buffered changes in bytes.
  [[nodiscard]] std::size_t waiting_bytes() const;
  /// Returns when HBase has acknowledged all changes, which are then synced to its write-ahead log.
  /// Throws: error. Some of the changes may then have been made, and all changes are still buffered. Repeating them is
  /// harmless.
  void flush();
  void discard_changes();

  /// Returns for each range its cells, sorted by row and column. All ranges are requested together.
  /// Throws: error.
  std::vector<std::vector<cell>> scan(const std::vector<row_range>& ranges);

 private:
  struct implementation;
  std::unique_ptr<implementation> own_;
};

}  // namespace hbase
