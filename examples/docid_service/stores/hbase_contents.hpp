// The contents in HBase, for one or several services.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../../stores/hbase/hbase_client.hpp"
#include "stores.hpp"

namespace docid {

/// Contents in HBase. The row key is the document number in 4 bytes, lowest byte first, then the version in 8 bytes.
/// With the lowest byte first, new rows spread over the regions. The columns c:0, c:1, … contain the JSON, in parts
/// that are small enough for cells of HBase.
class hbase_contents final : public contents {
 public:
  /// Opens the contents. `master`: host:port. `store`: the identity of the mapping; each mapping has its own table.
  /// Throws: std::runtime_error if HBase cannot be reached.
  hbase_contents(const std::string& master, const std::string& store);

  void put(doc_number document, std::uint64_t version, std::string_view json) override;
  std::optional<std::string> get(doc_number document, std::uint64_t version) override;
  void erase(doc_number document, std::uint64_t version) override;
  void sync() override;
  void commit() override;
  void rollback() noexcept override;

 private:
  hbase::table table_;
  std::map<std::string, std::string> put_;  // by row: contents of the current transaction
  std::vector<std::string> erased_;         // rows to erase
};

}  // namespace docid
