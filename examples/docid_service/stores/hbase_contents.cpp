#include "hbase_contents.hpp"

#include <algorithm>
#include <chrono>

namespace docid {

namespace {

constexpr std::size_t part_bytes = std::size_t{4} << 20;  // HBase refuses cells above 10 MB
constexpr std::chrono::seconds patience{5};

std::string row_of(doc_number document, std::uint64_t version) {
  std::string row;
  for (int shift = 0; shift < 32; shift += 8) row.push_back(static_cast<char>(document >> shift & 0xffU));
  for (int shift = 56; shift >= 0; shift -= 8) row.push_back(static_cast<char>(version >> shift & 0xffU));
  return row;
}

}  // namespace

hbase_contents::hbase_contents(const std::string& master, const std::string& store)
    : table_({.master = master, .name = "docid_" + store, .family = "c", .patience = patience}) {
  table_.create();
}

void hbase_contents::put(doc_number document, std::uint64_t version, std::string_view json) {
  put_.insert_or_assign(row_of(document, version), std::string(json));
}

std::optional<std::string> hbase_contents::get(doc_number document, std::uint64_t version) {
  const std::string row = row_of(document, version);
  if (const auto found = put_.find(row); found != put_.end()) return found->second;
  const std::vector<std::vector<hbase::cell>> found = table_.scan({{row, row + '\0'}});
  if (found.front().empty()) return std::nullopt;
  std::string json;
  for (const hbase::cell& part : found.front()) json += part.value;
  return json;
}

void hbase_contents::erase(doc_number document, std::uint64_t version) { erased_.push_back(row_of(document, version)); }

void hbase_contents::sync() {
  try {
    for (const auto& [row, json] : put_) {
      char column = '0';  // one column for each part; names ascend, so a scan returns the parts in order
      for (std::string_view rest = json; !rest.empty(); ++column) {
        const std::string_view part = rest.substr(0, part_bytes);
        table_.put(row, {&column, 1}, part);
        rest.remove_prefix(part.size());
      }
    }
    table_.flush();
  } catch (...) {
    table_.discard_changes();  // no article refers to the row versions written so far
    throw;
  }
  put_.clear();
}

void hbase_contents::commit() {
  try {
    for (const std::string& row : erased_) table_.erase_row(row);
    table_.flush();
  } catch (...) {
    table_.discard_changes();  // the next commit erases these rows
    throw;
  }
  erased_.clear();
}

void hbase_contents::rollback() noexcept {
  put_.clear();
  erased_.clear();
}

}  // namespace docid
