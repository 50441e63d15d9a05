// The index in Redis: a set for each segment of each table (see neardup/storage/band_key.hpp).
#pragma once

#include <hiredis/hiredis.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <neardup/index.hpp>
#include <neardup/storage/band_key.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "stores.hpp"

namespace docid {

/// A connection that is opened again after it is lost. Commands are sent as a pipeline.
class redis_connection {
 public:
  /// Connects. `place`: host:port, or the path of a socket. `identity`: the identity of the mapping whose documents the
  /// indexes contain.
  redis_connection(std::string place, const std::string& identity);

  using reply = std::unique_ptr<redisReply, void (*)(void*)>;

  /// Begins a pipeline of commands.
  void start();
  /// Marks the database as belonging to this store.
  /// Throws: std::runtime_error if it belongs to another store, or has another format.
  void own();
  /// Appends a command to the pipeline; its words may contain any bytes.
  void append(std::initializer_list<std::string_view> words);
  /// Returns the next reply: the reply to the oldest command that has none yet. Waits for the reply.
  /// Throws: std::runtime_error if Redis cannot be reached, or the reply is an error; the pipeline is empty then.
  reply next();

 private:
  void connect();
  [[noreturn]] void fail(const std::string& message);

  std::string place_;
  std::string owner_;  // the format, and the identity of the mapping
  std::size_t without_reply_ = 0;
  std::unique_ptr<redisContext, void (*)(redisContext*)> context_{nullptr, redisFree};
};

/// An index in Redis. The key of a set consists of the prefix, a colon, and the segment and table as band_key writes
/// them. A member consists of the fingerprint and the document number, highest byte first. The additions of a
/// transaction are kept in memory until the transaction commits. A search also scans them.
class redis_index final : public fingerprint_index {
 public:
  /// Opens the index. `blocks`: number of blocks. For 3 bits, 4 blocks give 4 tables, and 5 blocks give 10.
  /// Throws: std::runtime_error if no layout has `blocks` blocks, or a search would ask for too many sets.
  redis_index(redis_connection& connection, std::string prefix, int distance, int blocks);

  std::uint64_t known() override;
  void prepare(std::span<const query_group* const> groups) override;
  std::vector<candidate> near(std::size_t query) override;
  void confirm() override;
  void insert(const fingerprint& print, doc_number document) override {
    std::erase(erased_, entry{print, document});
    added_.push_back({print, document});
  }
  void erase(const fingerprint& print, doc_number document) override {
    std::erase(added_, entry{print, document});
    erased_.push_back({print, document});
  }
  void commit(std::uint64_t known) override;
  void rollback() noexcept override;

 private:
  struct entry {
    fingerprint print;
    doc_number document;
    friend bool operator==(const entry&, const entry&) = default;
  };

  void append_rows(const char* command, const entry& one);

  redis_connection& connection_;
  std::string prefix_;
  std::string known_key_;
  std::optional<std::string> known_;  // the value that Redis should still have there
  int distance_;
  neardup::band_key<64, doc_number> keys_;
  std::size_t key_bytes_;
  std::vector<entry> added_;
  std::vector<entry> erased_;
  std::vector<std::optional<fingerprint>> queries_;
  std::vector<std::vector<candidate>> found_;
};

}  // namespace docid
