// Reads the input in batches. A batch is the unit of work of a thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <thread>

#include "../ground/errors.hpp"
#include "record_cutter.hpp"
#include "source.hpp"

namespace command {

/// The number of readable bytes after every record in a batch. simdjson requires them.
inline constexpr std::size_t padding = 64;

/// The byte order mark of UTF-8. It may come before a text, but is not part of the text.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// A buffer of size() bytes. After reserve(), at least `padding` bytes after data() + size() are allocated as well.
class byte_buffer {
 public:
  [[nodiscard]] char* data() noexcept { return bytes_.get(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.get(), size_}; }

  /// Allocates memory for `capacity` bytes, and keeps the content.
  /// Throws: std::bad_alloc.
  /// Guarantee: strong.
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

/// A batch of the input: whole lines of one source, or several files that are documents, or only the error `bad`.
struct batch {
  std::shared_ptr<source> from;                ///< the source of the lines
  byte_buffer bytes;                           ///< the lines, including their ends
  std::vector<std::size_t> ends;               ///< ends of records in `bytes`, if records are not lines
  std::uint64_t offset = 0;                    ///< position of `bytes` in the source
  bool live = false;                           ///< the source may pause for long, so results should be passed on now
  bool follows_gap = false;                    ///< the first line may be the rest of a line that a gap has cut
  std::vector<std::shared_ptr<source>> files;  ///< each file is a document
  std::optional<bad_input> bad;  ///< if `from` is set, its next line is bad; the batch then has nothing else

  [[nodiscard]] bool has_lines() const noexcept { return from != nullptr && !bad; }
};

/// Cuts a source into batches of whole lines, in order. A regular file may be read, decompressed and cut in advance, by
/// a separate thread.
class source_lines {
 public:
  /// Makes batches of a source. The source is opened when its first batch is read. `ahead`: if true, a thread reads in
  /// advance. This requires a regular file, because reading a regular file never blocks.
  /// Precondition: the settings outlive this object.
  source_lines(const input_settings& settings, std::shared_ptr<source> from, bool ahead);
  ~source_lines();
  source_lines(const source_lines&) = delete;
  source_lines& operator=(const source_lines&) = delete;

  /// Reads the next batch into `out`.
  /// Returns: false at the end of the source, or if `stop` is set. A batch with `bad` reports bad input.
  /// Throws: output_error if a temporary file cannot be written.
  bool next(batch& out, const std::atomic<bool>& stop);

  /// Makes the next calls of next() return the batches of `first`, which earlier calls have returned already.
  void put_back(std::vector<batch>&& first);

 private:
  void read_all();
  bool read_next(batch& out, const std::atomic<bool>& stop);
  void settle_unit(const std::atomic<bool>& stop);
  std::optional<std::size_t> read_whole_lines(byte_buffer& bytes, std::vector<std::size_t>& ends,
                                              const std::atomic<bool>& stop);
  void go_on_behind(const read_error& error, batch& out, const std::atomic<bool>& stop);
  std::uint64_t skip_line(bool is_rest_unread, const std::atomic<bool>& stop);

  const input_settings& settings_;
  std::shared_ptr<source> from_;
  bool opened_ = false;
  bool is_settled_ = false;              // true if the unit is known
  bool has_lost_beginning_ = false;      // true if the source is damaged before the bytes that show the unit
  std::optional<source_file> file_;      // set while the source is open
  bool was_full_ = false;                // true if the last batch of a pipe was full; more bytes may then be available
  std::uint64_t offset_ = 0;             // position of rest_ in the source
  std::string rest_;                     // the beginning of a line whose end is not read yet
  std::optional<record_cutter> cutter_;  // set if records are not lines
  std::optional<bad_input> last_bad_;    // returned after the last batch
  std::exception_ptr failure_to_read_;   // thrown after all bytes before the error were returned
  bool skips_line_ = false;              // true if the line begins before a gap
  bool follows_gap_ = false;             // true if the next line of JSON Lines may begin before a gap
  std::deque<batch> put_back_;           // batches that are returned first
  bool is_rest_new_ = false;             // true if the cutter has not processed rest_

  std::atomic<bool> stop_{false};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<batch> batches_;  // guarded by mutex_, like everything below
  std::size_t bytes_ = 0;      // number of bytes in batches_
  bool ended_ = false;
  std::exception_ptr failure_;

  std::thread reader_;  // last member, because the thread uses the others
};

/// Cuts the input into batches, in order.
class batch_reader {
 public:
  batch_reader(const input_settings& settings, source_walker& walker) : settings_(settings), walker_(walker) {}

  /// Reads the next batch into `out`.
  /// Returns: false at the end of the input, or if `stop` is set.
  /// Throws: output_error if a temporary file cannot be written.
  bool next(batch& out, const std::atomic<bool>& stop);

 private:
  bool next_files(batch& out);
  bool next_lines(batch& out, const std::atomic<bool>& stop);
  void look_ahead();

  const input_settings& settings_;
  source_walker& walker_;
  std::deque<std::variant<std::shared_ptr<source_lines>, bad_input>> sources_;  // sources_.front() is the current one
};

/// A hint for a source whose lines may end with carriage returns only, which neardup does not read as line ends.
inline constexpr const char* hint_at_returns =
    "; if the lines end with carriage returns, convert them: tr '\\r' '\\n' < FILE | neardup … -";

/// Returns true if a line has carriage returns that are not part of its line end.
bool has_bare_returns(std::string_view line);

/// Returns the content of a line: without the line end and, at the beginning of a source, without a byte order mark.
std::string_view content_of_line(std::string_view raw, bool first_of_source);

/// Returns the content of a record of any format. For a line, see content_of_line(). For a file, the content is the
/// file without a byte order mark.
std::string_view content_of_record(const source& from, std::string_view raw, bool first_of_source);

}  // namespace command
