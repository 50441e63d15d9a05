// Where documents come from: files, and standard input.
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

/// What was read of one source. While one thread writes, others may read what was written before.
class source_copy {
 public:
  explicit source_copy(std::shared_ptr<temporary_file> file) : file_(std::move(file)) {}

  /// Appends. Throws: output_error, for example when the disk is full.
  void write(std::string_view bytes);

  /// As input_file::read_at.
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) const;

 private:
  /// Stretches of the source that lie together in the file.
  struct stretch {
    std::uint64_t begin;  // in the source; it ends where the next one begins
    std::uint64_t place;  // in the file
  };

  std::shared_ptr<temporary_file> file_;
  mutable std::mutex mutex_;
  std::vector<stretch> stretches_;  // under mutex_, as size_
  std::uint64_t size_ = 0;
};

/// What was wrong with records of a source that were cut anew, by their places, so that each pass cuts them in the same way.
/// From any thread.
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

/// A file, or standard input. Shared by all that still may read it.
struct source {
  std::string path;  ///< as documents are named after it; "-" is standard input
  /// Where a copy is made of it if it cannot be read again; nothing if nobody will.
  std::shared_ptr<temporary_file> copies;

  /// What was read of a source that cannot be read again, or not at places: standard input, a pipe, a packed file.
  std::unique_ptr<source_copy> copy = nullptr;
  /// How reading it ended, if by an error: the copy ends in the same way.
  std::exception_ptr failure = nullptr;
  /// A place in the copy where something is lost, and the gap_error that says it.
  struct gap {
    std::uint64_t place;
    std::exception_ptr error;
  };
  std::vector<gap> gaps = {};

  std::shared_ptr<recovered_records> recovered = std::make_shared<recovered_records>();

  bool in_folder = false;  ///< found there, not named
  bool text_only = false;  ///< a binary file is left out
  bool as_it_is = false;   ///< also bytes of a format that is no text
  bool survives = false;   ///< where a packed file is damaged, its next member is read

  unit_of_input unit = unit_of_input::files;                          ///< what its documents are,
  bool has_settled_unit = false;                                      ///< once its beginning was looked at
  std::shared_ptr<const std::vector<std::string>> columns = nullptr;  ///< of a table
  std::string header = {};                                            ///< the row that names them, as it stands

  /// How messages name it.
  [[nodiscard]] std::string name() const { return path == "-" ? "standard input" : path; }
  /// How they name a line of it; 0: the source is the document.
  [[nodiscard]] std::string where(std::uint64_t line) const { return numbered(name(), line); }
  /// By what the user knows a line that has no id of its own.
  [[nodiscard]] std::string id_of(std::uint64_t line) const { return numbered(path, line); }

 private:
  static std::string numbered(const std::string& text, std::uint64_t line) {
    return line == 0 ? text : text + ':' + std::to_string(line);
  }
};

/// What the documents of a file are by its name, if that says it; packed files are named after what is in them.
std::optional<unit_of_input> unit_by_name(std::string_view name);

/// What an error of reading makes of a source.
bad_input unreadable(const source& from, const read_error& error);

/// A source that is being read: from its beginning, unpacked, or at places. Its functions throw read_error, also for a
/// binary file that is to be left out.
class source_file {
 public:
  explicit source_file(source& from);
  source_file(const source_file&) = delete;
  source_file& operator=(const source_file&) = delete;

  /// As input_file::read. Throws: output_error if the copy cannot be written.
  std::size_t read(char* to, std::size_t size, const std::atomic<bool>& stop);

  /// What comes next, of a source that is read for the first time: as peeking_stream::peek(). Nothing of a copy.
  std::string_view peek(std::size_t size, const std::atomic<bool>& stop);

  /// As input_file::read_at; of a copy what has been read so far.
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) const;

  /// Whether reading may have to wait for whoever writes.
  [[nodiscard]] bool is_live() const noexcept { return file_ != nullptr && !file_->is_regular(); }

  /// Of a live source: whether nothing comes for a tenth of a second. That cannot be told of packed ones: for these it is
  /// always so.
  [[nodiscard]] bool is_quiet() const;

 private:
  void begin(const std::atomic<bool>& stop);

  source& from_;
  std::shared_ptr<input_file> file_;  // nothing when the copy is read
  source_copy* copy_ = nullptr;       // written to while there is a file_
  std::uint64_t position_ = 0;        // in the copy
  std::size_t gaps_passed_ = 0;       // of a copy that is read
  bool is_packed_ = false;
  std::shared_ptr<peeking_stream> content_;  // of file_, once reading has begun
};

/// The sources that the paths of the command line stand for, one after the other, folders in the order of their names.
class source_walker {
 public:
  /// What comes next: a source, or a path that cannot be used.
  using step = std::variant<std::shared_ptr<source>, bad_input>;

  /// Throws: input_error if an argument does not exist, since that is better known before hours of reading than after,
  /// but for --skip-bad.
  explicit source_walker(const input_settings& settings);
  ~source_walker();

  /// What this run writes for now, if it has a name, is no input.
  void leave_out(const std::string& partial_output) {
    if (!partial_output.empty()) partial_outputs_.push_back(partial_output);
  }

  /// An index that lies in a folder is said and passed over, as the other corpus has it: which settings hold is decided
  /// before folders are read.
  void pass_over_indexes() noexcept { passes_over_indexes_ = true; }

  /// Returns: nothing at the end.
  std::optional<step> next();

  /// Makes the next pass give the same steps, with the same sources. Precondition: remember() came first.
  void rewind() noexcept { replayed_ = 0; }
  void remember() noexcept { remember_ = true; }

  /// The first source that next() gave; null if there was none.
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
  std::vector<std::string> outputs_, partial_outputs_;
  std::size_t next_argument_ = 0;
  std::vector<folder> open_folders_;            // the one being read last
  std::unordered_set<std::string> real_paths_;  // of files and folders seen, without links
  std::shared_ptr<source> first_;
  std::uint64_t reached_twice_ = 0;
  std::uint64_t special_files_ = 0;
  std::uint64_t hidden_ = 0;

  bool remember_ = false;
  std::vector<step> steps_;  // if remembered
  std::size_t replayed_ = 0;
};

}  // namespace command
