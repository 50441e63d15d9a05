// What stays of the documents once they are read: fingerprints, names, and where to find them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <neardup/simhash.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "documents.hpp"
#include "options.hpp"
#include "source.hpp"

namespace command {

/// Where a document stands: bytes of a source, or all of it.
struct place {
  std::shared_ptr<source> from;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// Reads records again; for one thread at a time.
class record_rereader {
 public:
  /// At least `ahead` bytes are read at a time: what comes in the order of the input is mostly there then.
  explicit record_rereader(std::size_t ahead) : ahead_(ahead) {}

  /// The bytes of a record, valid until the next call. Throws: input_error if they are no longer there.
  std::string_view at(const place& where);

 private:
  std::size_t ahead_;
  std::shared_ptr<source> source_;
  std::optional<source_file> file_;
  byte_buffer buffer_;
  std::uint64_t begin_ = 0;  // of the buffer in the source
};

/// Throws: input_error, which says that a source is no longer what it was.
[[noreturn]] void fail_changed(const source& from);

/// Many strings, one behind the other.
class string_pool {
 public:
  /// Returns: what at() finds it by.
  std::uint64_t add(std::string_view text);
  [[nodiscard]] std::string at(std::uint64_t position) const;

 private:
  std::deque<char> bytes_;  // of each string its length, then itself; grows without copying them
};

/// The names and places of documents. Memory: 8 bytes per document, and its id if it has one of its own; 16 more with
/// places; a file takes that of its path.
class document_table {
 public:
  /// The number of documents that can be told apart.
  static constexpr std::size_t max_size = 0xffffffffU;

  explicit document_table(bool keeps_places) : keeps_places_(keeps_places) {}

  /// Throws: input_error if there are more than max_size documents.
  template <std::size_t Bits>
  void add(const placed_document<Bits>& d) {
    add(d.from, d.line, d.id, d.offset, d.facts.length);
  }
  void add(const std::shared_ptr<source>& from, std::uint64_t line, const std::optional<std::string_view>& id,
           std::uint64_t offset, std::uint64_t length);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The id by which the document is known to the user.
  [[nodiscard]] std::string id(std::size_t i) const;

  /// Precondition: keeps_places.
  [[nodiscard]] place where(std::size_t i) const;

  /// Bytes of the document in its source. Precondition: keeps_places.
  [[nodiscard]] std::uint64_t length(std::size_t i) const { return extents_[i].length; }

 private:
  /// The documents of one source, from `first` on.
  struct run {
    std::uint32_t first;
    std::shared_ptr<source> from;
  };
  struct extent {
    std::uint64_t offset;
    std::uint64_t length;
  };

  [[nodiscard]] const run& run_of(std::size_t i) const;

  bool keeps_places_;
  std::size_t size_ = 0;
  std::vector<run> runs_;
  std::vector<std::uint64_t> names_;  // 2 * line, or 2 * position in ids_ + 1; 0: the source is the document
  std::vector<extent> extents_;
  string_pool ids_;
};

/// "path", or "path:line" for a line without an id of its own.
std::string default_id(const source& from, std::uint64_t line);

}  // namespace command
