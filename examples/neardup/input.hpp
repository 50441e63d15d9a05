// The input in batches: the unit of work of a thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "errors.hpp"
#include "options.hpp"
#include "source.hpp"

namespace command {

/// The number of readable bytes that follow every record in a batch; simdjson asks for them.
inline constexpr std::size_t padding = 64;

/// What may come before a text, and is no part of it.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Bytes with room for padding behind them.
class byte_buffer {
 public:
  [[nodiscard]] char* data() noexcept { return bytes_.get(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.get(), size_}; }

  /// Makes room for `capacity` bytes, and keeps what is there. Throws: std::bad_alloc, and nothing has changed.
  void reserve(std::size_t capacity);
  void resize(std::size_t size) { size_ = size; }
  void append(std::string_view bytes);

 private:
  struct release {
    void operator()(char* bytes) const noexcept;
  };

  std::unique_ptr<char[], release> bytes_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

/// Whole lines of one source, or some files, or something bad.
struct batch {
  std::shared_ptr<source> from;                ///< of the lines
  byte_buffer bytes;                           ///< the lines, each with its end
  std::uint64_t offset = 0;                    ///< of the bytes in the source
  bool live = false;                           ///< the source may be a long wait: hand on what there is
  std::vector<std::shared_ptr<source>> files;  ///< each a document
  std::optional<bad_input> bad;                ///< with `from`: the next line of it

  [[nodiscard]] bool has_lines() const noexcept { return from != nullptr && !bad; }
};

/// Cuts a source into batches of whole lines, in order.
class line_cutter {
 public:
  /// As source_file, which it opens when it is asked for the first batch.
  line_cutter(std::shared_ptr<source> from, bool keep) : from_(std::move(from)), keep_(keep) {}

  /// Returns: false at the end, which comes after anything bad, or when stopped.
  /// Throws: output_error if a temporary file cannot be written.
  bool next(batch& out, const std::atomic<bool>& stop);

 private:
  bool open(batch& out);
  std::optional<std::size_t> read_whole_lines(batch& out, const std::atomic<bool>& stop);

  std::shared_ptr<source> from_;
  bool keep_;
  bool opened_ = false;
  std::optional<source_file> file_;  // until it ends
  bool was_full_ = false;            // the last batch of a pipe, so that nobody knows whether more comes at once
  std::uint64_t offset_ = 0;         // of rest_ in the source
  std::string rest_;                 // the beginning of a line whose end is not read yet
};

class read_ahead;

/// Cuts the input into batches, in order.
class batch_reader {
 public:
  /// `keep`: sources that cannot be read again are copied to a temporary file.
  batch_reader(const options& settings, source_walker& walker, bool keep);
  ~batch_reader();
  batch_reader(const batch_reader&) = delete;
  batch_reader& operator=(const batch_reader&) = delete;

  /// Returns: false at the end, or when stopped. Throws: output_error if a temporary file cannot be written.
  bool next(batch& out, const std::atomic<bool>& stop);

 private:
  bool next_files(batch& out);
  bool next_lines(batch& out, const std::atomic<bool>& stop);
  bool open_next(batch& out);
  void look_ahead();

  /// What the walker found, and the source as it is read ahead of its turn; nothing if that is not done.
  struct coming {
    source_walker::step step;
    std::unique_ptr<read_ahead> reading;
  };

  const options& settings_;
  source_walker& walker_;
  bool keep_;

  std::optional<bad_input> pending_bad_;
  std::deque<coming> ahead_;             // in their order
  std::optional<line_cutter> lines_;     // of the current source,
  std::unique_ptr<read_ahead> reading_;  // or this, or neither
};

/// A line of a batch.
struct line_of_batch {
  std::uint64_t index;       ///< in the batch, from 0
  std::uint64_t begin;       ///< in the batch, bytes
  std::string_view raw;      ///< with its end, and a byte order mark
  std::string_view content;  ///< without them
};

/// What of a line is its content: not the line end, nor a byte order mark at the beginning of a source.
std::string_view content_of_line(std::string_view raw, bool first_of_source);

/// Calls `visit(line_of_batch)` for each line. Returns: their number.
template <class Visit>
std::uint64_t for_each_line(const batch& lines, Visit&& visit) {
  const std::string_view all = lines.bytes.view();
  std::uint64_t index = 0;
  for (std::size_t begin = 0; begin < all.size(); ++index) {
    const std::size_t end = all.find('\n', begin);
    const std::string_view raw = all.substr(begin, end == all.npos ? all.npos : end + 1 - begin);
    visit(line_of_batch{index, begin, raw, content_of_line(raw, lines.offset + begin == 0)});
    begin += raw.size();
  }
  return index;
}

}  // namespace command
