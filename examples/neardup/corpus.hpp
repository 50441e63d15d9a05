// What stays of the documents once they are read: fingerprints, names, and where to find them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "compact_numbers.hpp"
#include "context.hpp"
#include "documents.hpp"
#include "fingerprints.hpp"
#include "lists.hpp"
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
  // Of each string its length, 7 bits a byte, the last one below 128, then itself; grows without copying them.
  std::deque<char> bytes_;
};

/// The names and places of documents. Memory: 5 bytes per document, and its id if it has one of its own; 16 more with
/// places; a file takes that of its path.
class document_table {
 public:
  /// The number of documents that can be told apart.
  static constexpr std::size_t max_size = 0xffffffffU;

  explicit document_table(bool keeps_places) : keeps_places_(keeps_places) {}

  /// Throws: input_error if there are more than max_size documents.
  void add(const placed_document& d) { add(d.from, d.line, d.id, d.offset, d.facts.length); }
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
  compact_numbers names_;  // 2 * line, or 2 * position in ids_ + 1; 0: the source is the document
  std::vector<extent> extents_;
  string_pool ids_;
};

/// The documents with tokens.
struct corpus {
  explicit corpus(const options& settings)
      : documents(settings.action == verb::report), check(settings), fingerprints(settings.bits), keep(settings.keep) {}

  void add(const placed_document& d) {
    documents.add(d);
    fingerprints.push_back(d.facts.fingerprint);
    check.add(d.facts.features);
    if (keep == preference::longest) scores.push_back(static_cast<double>(d.facts.text_length));
    if (keep == preference::highest) scores.push_back(d.facts.score);
    if (keep == preference::lowest) scores.push_back(-d.facts.score);
  }

  /// Ends those of --against, which stand before all others.
  void end_against() { against = fingerprints.size(); }

  document_table documents;
  document_check check;
  fingerprint_vector fingerprints;
  preference keep;
  std::vector<double> scores;  // where --keep asks for them: the highest is kept
  std::size_t against = 0;     // so many are of --against, the first ones
};

/// Calls `visit` for each document of --against: first those of its indexes, then the others.
void for_each_against(context& c, list_reader& lists, const document_visitor& visit);

/// All documents with tokens: those of --against, and the input, of which `visit` gets each document before it is added.
/// Throws: input_error for bad input; what comes before it is there then.
void read_corpus(context& c, corpus& all, const document_visitor& visit = nullptr);

}  // namespace command
