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

/// The error if HBase cannot be reached, or refuses a request. The message has the reason.
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

  /// put(), erase() and erase_row() buffer changes until flush().
  void put(std::string_view row, std::string_view column, std::string_view value);
  void erase(std::string_view row, std::string_view column);
  void erase_row(std::string_view row);
  /// Returns the size of the buffered changes in bytes.
  [[nodiscard]] std::size_t waiting_bytes() const;
  /// Sends the buffered changes. Returns when HBase has synced them to its write-ahead log and acknowledged them.
  /// Throws: error. Then HBase may have made some of the changes, and all are still buffered. It is harmless to call
  /// flush() again.
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
