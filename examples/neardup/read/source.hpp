// Finds and reads the sources of documents: files, and standard input.
#pragma once

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "../ground/errors.hpp"
#include "../ground/packing.hpp"
#include "../ground/platform.hpp"
#include "input_settings.hpp"

namespace command {

/// A copy of the bytes that were read from a source. While one thread writes, other threads may read earlier bytes.
class source_copy {
 public:
  explicit source_copy(std::shared_ptr<temporary_file> file) : file_(std::move(file)) {}

  /// Appends bytes to the copy.
  /// Throws: output_error, for example if the disk is full.
  void write(std::string_view bytes);

  /// Reads bytes; see input_file::read_at().
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) const;

 private:
  /// A part of the source whose bytes are adjacent in the file of the copy.
  struct stretch {
    std::uint64_t begin;  // position in the source; a stretch ends where the next one begins
    std::uint64_t place;  // offset in the file
  };

  std::shared_ptr<temporary_file> file_;
  mutable std::mutex mutex_;
  std::vector<stretch> stretches_;  // guarded by mutex_, like size_
  std::uint64_t size_ = 0;
};

/// The positions and errors of the records into which bad pieces were cut. They are kept so that each pass returns the
/// same records.
/// Thread safety: several threads may call all members at once.
class recovered_records {
 public:
  void add(std::uint64_t place, const std::string& wrong) {
    const std::lock_guard lock(mutex_);
    wrong_.emplace(place, wrong);
  }
  [[nodiscard]] std::optional<std::string> find(std::uint64_t place) const {
    const std::lock_guard lock(mutex_);
    const auto found = wrong_.find(place);
    return found == wrong_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::string> wrong_;
};

/// A file, or standard input. Several objects may share a source.
struct source {
  std::string path;  ///< used for the names of documents; "-" is standard input
  /// The temporary file for `copy`. Null if no copy is needed.
  std::shared_ptr<temporary_file> copies;

  /// A copy of the bytes that were read so far. Only sources that cannot be read again or at an offset have a copy:
  /// standard input, a pipe, or a compressed file.
  std::unique_ptr<source_copy> copy = nullptr;
  /// The error with which reading ended, if there was one. Reading the copy ends with the same error.
  std::exception_ptr failure = nullptr;
  /// A position in the copy at which bytes are lost, and the gap_error that reports the loss.
  struct gap {
    std::uint64_t place;
    std::exception_ptr error;
  };
  std::vector<gap> gaps = {};

  std::shared_ptr<recovered_records> recovered = std::make_shared<recovered_records>();

  /// The places of ill-formed UTF-16, as positions in the UTF-8 text. Null if the source is not in UTF-16, or if
  /// reading has not begun.
  std::shared_ptr<ill_formed_places> utf16 = nullptr;

  /// The byte order of UTF-16 that has no byte order mark, if --encoding names UTF-16.
  std::optional<byte_order> utf16_order = std::nullopt;

  bool in_folder = false;  ///< true if the source was found in a folder, and not named
  bool text_only = false;  ///< true if a binary file is refused
  bool as_it_is = false;   ///< true if bytes of a format that is not text are read, too
  bool survives = false;   ///< true if reading continues after damaged members of a compressed file

  unit_of_input unit = unit_of_input::files;                          ///< the kind of its documents, or `automatic`
  bool has_settled_unit = false;                                      ///< true after the beginning was examined
  std::shared_ptr<const std::vector<std::string>> columns = nullptr;  ///< columns of a table
  std::string header = {};                                            ///< the row with the columns' names
  bool has_ill_formed_header = false;                                 ///< true if `header` was not well-formed

  /// Returns the name of the source for messages.
  [[nodiscard]] std::string name() const { return path == "-" ? "standard input" : path; }
  /// Returns the name of a line of the source for messages. If `line` is 0, the document is the whole source.
  [[nodiscard]] std::string where(std::uint64_t line) const { return numbered(name(), line); }
  /// Returns the id of a document that names none: the path, and the number of its line.
  [[nodiscard]] std::string id_of(std::uint64_t line) const { return numbered(path, line); }

 private:
  static std::string numbered(const std::string& text, std::uint64_t line) {
    return line == 0 ? text : text + ':' + std::to_string(line);
  }
};

/// Returns the kind of documents that the name of a file suggests, or nullopt. For a compressed file, the name without
/// .gz or .zst counts.
std::optional<unit_of_input> unit_by_name(std::string_view name);

bad_input unreadable(const source& from, const read_error& error);

/// Reads a source: from its beginning, with decompression, or at offsets. Functions that read throw read_error if a
/// source cannot be read, or if a binary file has to be left out.
class source_file {
 public:
  explicit source_file(source& from);
  source_file(const source_file&) = delete;
  source_file& operator=(const source_file&) = delete;

  /// Reads the next bytes; see input_file::read().
  /// Throws: output_error if the copy cannot be written.
  std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop);

  /// Returns the next bytes of a source, which read() will return again; see peeking_stream::peek(). Returns "" if a
  /// copy is read.
  std::string_view peek(std::size_t size, const std::atomic<bool>& stop);

  /// Reads bytes at an offset; see input_file::read_at(). If there is a copy, only bytes that were read so far can be
  /// read.
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) const;

  /// Returns true if reading may have to wait for another program to write.
  [[nodiscard]] bool is_live() const noexcept { return file_ != nullptr && !file_->is_regular(); }

  /// Returns true if nothing arrives from a live source for a tenth of a second. For a compressed source, the result is
  /// always true.
  [[nodiscard]] bool is_quiet() const;

 private:
  void begin(const std::atomic<bool>& stop);

  source& from_;
  std::shared_ptr<input_file> file_;  // null if the copy is read
  source_copy* copy_ = nullptr;       // written to while file_ is read
  std::uint64_t position_ = 0;        // read position in the copy
  std::size_t gaps_passed_ = 0;       // number of gaps passed, when a copy is read
  bool is_packed_ = false;
  std::shared_ptr<peeking_stream> content_;  // content of file_, once reading has begun
};

class source_lines;

/// Lists the sources of the input: the files that the paths of the command line name, in the order of the paths. The
/// files of a folder have the order of their names.
class source_walker {
 public:
  /// A result of next(): a source, or a path that cannot be used.
  using step = std::variant<std::shared_ptr<source>, bad_input>;

  /// Makes a walker.
  /// Throws: input_error if the path of an argument does not exist, unless --skip-bad is given. So the user learns
  /// about the missing path before the run has read for hours.
  explicit source_walker(const input_settings& settings);
  ~source_walker();

  /// Excludes a temporary output of this run from the input. No-op if the output has no name.
  void leave_out(const std::string& partial_output) {
    if (!partial_output.empty()) partial_outputs_.push_back(partial_output);
  }

  /// Skips indexes from now on. An index that is found in a folder is reported: its settings cannot be used, because
  /// folders are read after the settings of the run are determined. An index that the command line names is not
  /// reported.
  void pass_over_indexes();

  /// Returns the next source, or the next path that cannot be used. Returns nullopt at the end.
  std::optional<step> next();

  /// Begins another pass: next() returns the results of the first pass again, with the same sources.
  /// Precondition: remember() was called before the first next().
  void rewind() noexcept { replayed_ = 0; }
  /// Stores each result that next() returns from now on, for rewind().
  void remember() noexcept { remember_ = true; }

  /// Keeps a source whose first batches were read. `lines` returns them again in the pass that rewind() begins.
  void keep_begun(std::shared_ptr<source> from, std::shared_ptr<source_lines> lines) {
    begun_.emplace(std::move(from), std::move(lines));
  }
  /// Returns the `source_lines` of a source that keep_begun() has kept, or null if there are none. Only the first call
  /// for a source returns them.
  std::shared_ptr<source_lines> take_begun(const std::shared_ptr<source>& from) {
    const auto node = begun_.extract(from);
    return node.empty() ? nullptr : node.mapped();
  }

  /// Returns the source that next() has returned first, or null if there was no source.
  [[nodiscard]] const std::shared_ptr<source>& first() const noexcept { return first_; }

  [[nodiscard]] std::uint64_t reached_twice() const noexcept { return reached_twice_; }
  [[nodiscard]] std::uint64_t special_files() const noexcept { return special_files_; }
  [[nodiscard]] std::uint64_t hidden() const noexcept { return hidden_; }

 private:
  struct folder;

  std::optional<step> walk();
  std::shared_ptr<source> named(const std::string& path) const;
  std::optional<step> visit_argument(std::size_t number);
  std::optional<step> visit_entry();
  std::optional<bad_input> enter(const std::string& path, const std::string& relative);
  bool is_new(const std::string& real_path);

  const input_settings& settings_;
  std::shared_ptr<temporary_file> copies_;
  bool passes_over_indexes_ = false;
  std::unordered_set<std::string> named_indexes_;  // identities of named indexes; filled by pass_over_indexes()
  std::vector<std::string> outputs_, partial_outputs_;
  std::size_t next_argument_ = 0;
  std::vector<folder> open_folders_;            // folders that contain each other; the last folder is being read
  std::unordered_set<std::string> real_paths_;  // paths of files and folders seen, without links
  std::shared_ptr<source> first_;
  std::uint64_t reached_twice_ = 0;
  std::uint64_t special_files_ = 0;
  std::uint64_t hidden_ = 0;

  bool remember_ = false;
  std::vector<step> steps_;  // filled if remember() was called
  std::size_t replayed_ = 0;
  std::map<std::shared_ptr<source>, std::shared_ptr<source_lines>> begun_;
};

}  // namespace command
