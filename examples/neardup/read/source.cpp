#include "source.hpp"

#include <filesystem>
#include <iterator>
#include <neardup/storage/file_lock.hpp>
#include <system_error>

#include "../ground/encoding.hpp"
#include "../ground/foreign.hpp"
#include "../ground/platform.hpp"
#include "file_header.hpp"
#include "glob.hpp"

namespace command {

namespace fs = std::filesystem;

std::optional<unit_of_input> unit_by_name(std::string_view name) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  using ending = std::pair<std::string_view, unit_of_input>;
  for (const auto& [end, unit] :
       {ending{".jsonl", unit_of_input::json_lines}, ending{".ndjson", unit_of_input::json_lines},
        ending{".csv", unit_of_input::csv}, ending{".tsv", unit_of_input::tsv}, ending{".warc", unit_of_input::warc},
        ending{".wet", unit_of_input::warc}, ending{".eml", unit_of_input::mail}, ending{".mbox", unit_of_input::mail},
        ending{".mbx", unit_of_input::mail}}) {
    if (name.ends_with(end)) return unit;
  }
  return std::nullopt;
}

bad_input unreadable(const source& from, const read_error& error) {
  if (!from.in_folder) return {.where = from.name(), .what = error.what(), .unread = error.unread};
  const auto* const foreign = dynamic_cast<const foreign_file*>(&error);
  const bool is_binary =
      foreign != nullptr ? !foreign->may_hold_texts : dynamic_cast<const binary_file*>(&error) != nullptr;
  return {from.name(), error.what(),
          is_binary            ? trouble::left_out
          : foreign != nullptr ? trouble::foreign
                               : trouble::passed_over,
          error.unread};
}

void source_copy::write(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::uint64_t place = file_->append(bytes);
  const std::lock_guard lock(mutex_);
  const bool goes_on = !stretches_.empty() && stretches_.back().place + (size_ - stretches_.back().begin) == place;
  if (!goes_on) stretches_.push_back({size_, place});
  size_ += bytes.size();
}

std::size_t source_copy::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  std::size_t total = 0;
  while (total < size) {
    std::uint64_t place = 0;
    std::size_t count = 0;
    {
      const std::lock_guard lock(mutex_);
      const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), offset,
                                          [](std::uint64_t where, const stretch& s) { return where < s.begin; });
      if (offset >= size_) break;
      const std::uint64_t end = after == stretches_.end() ? size_ : after->begin;
      const stretch& found = *std::prev(after);
      place = found.place + (offset - found.begin);
      count = static_cast<std::size_t>(std::min<std::uint64_t>(size - total, end - offset));
    }
    file_->read_at(place, to + total, count);
    total += count;
    offset += count;
  }
  return total;
}

source_file::source_file(source& from) : from_(from), copy_(from.copy.get()) {
  if (copy_ != nullptr) return;
  file_ = std::make_shared<input_file>(from.path);
}

namespace {

/// Returns true if a file is WARC. Reads no more of a pipe than needed, because the rest may take long to arrive.
bool is_warc(peeking_stream& content, const std::atomic<bool>& stop) {
  constexpr std::string_view magic = "WARC/1.";
  for (std::size_t size = 1; size <= magic.size(); ++size) {
    if (content.peek(size, stop) != magic.substr(0, size)) return false;
  }
  return true;
}

}  // namespace

/// Examines the first bytes, to find out whether the source is compressed, and whether it is text.
void source_file::begin(const std::atomic<bool>& stop) {
  constexpr std::size_t first_block = std::size_t{1} << 15;
  constexpr std::size_t first_record = 512;  // first bytes of a tar archive that are needed to detect it
  const auto plain = std::make_shared<peeking_stream>(file_);
  // Begins a copy. For a pipe, the copy begins before the first read, so that an error of this read is stored, too.
  const auto keep = [&] {
    from_.copy = std::make_unique<source_copy>(from_.copies);
    copy_ = from_.copy.get();
  };
  const bool is_kept = from_.copies != nullptr && copy_ == nullptr;
  if (is_kept && !file_->is_regular()) keep();
  // For a regular file, one call reads all bytes that are examined below.
  if (file_->is_regular()) plain->peek(from_.text_only ? first_block : first_record, stop);
  content_ = unpacked(file_, plain, from_.path, from_.as_it_is ? when_foreign::read : when_foreign::refuse,
                      from_.survives ? when_damaged::go_on : when_damaged::stop, from_.utf16_order, from_.utf16, stop);
  is_packed_ = content_ != plain;
  if (is_kept && is_packed_ && copy_ == nullptr) keep();
  // Only regular files are searched for archives. The search needs `first_record` bytes, which may take long to arrive
  // from a pipe.
  if (file_->is_regular() && !from_.as_it_is) {
    const auto archive = foreign_archive(content_->peek(first_record, stop));
    if (archive) throw foreign_file(archive->text, archive->may_hold_texts);
  }
  const bool is_crawl = from_.unit == unit_of_input::warc || (!from_.as_it_is && is_warc(*content_, stop));
  if (is_crawl && from_.unit != unit_of_input::warc && from_.unit != unit_of_input::automatic) {
    throw foreign_file("a WARC file; --input-format warc reads the texts in it", true);
  }
  if (from_.text_only && !is_crawl && content_->peek(first_block, stop).find('\0') != std::string_view::npos) {
    throw binary_file();
  }
}

std::size_t source_file::read(char* to, std::size_t size, const std::atomic<bool>& stop) {
  if (!file_) {
    if (gaps_passed_ < from_.gaps.size()) {
      const source::gap& next = from_.gaps[gaps_passed_];
      if (next.place == position_) {
        ++gaps_passed_;
        std::rethrow_exception(next.error);
      }
      size = static_cast<std::size_t>(std::min<std::uint64_t>(size, next.place - position_));
    }
    const std::size_t count = copy_->read_at(position_, to, size);
    position_ += count;
    if (count == 0 && from_.failure) std::rethrow_exception(from_.failure);
    return count;
  }
  std::size_t count = 0;
  try {
    if (!content_) begin(stop);
    count = content_->read(to, size, stop);
  } catch (const gap_error&) {
    if (copy_ != nullptr) from_.gaps.push_back({position_, std::current_exception()});
    throw;
  } catch (const read_error&) {
    if (copy_ != nullptr) from_.failure = std::current_exception();
    throw;
  }
  if (copy_ != nullptr) copy_->write({to, count});
  position_ += count;
  return count;
}

std::string_view source_file::peek(std::size_t size, const std::atomic<bool>& stop) {
  if (!file_) return {};
  try {
    if (!content_) begin(stop);
    return content_->peek(size, stop);
  } catch (const gap_error&) {
    if (copy_ != nullptr) from_.gaps.push_back({position_, std::current_exception()});
    throw;
  } catch (const read_error&) {
    if (copy_ != nullptr) from_.failure = std::current_exception();
    throw;
  }
}

bool source_file::is_quiet() const {
  if (is_packed_) return true;
  constexpr int patience = 100;  // in milliseconds
  return !(content_ && content_->has_peeked()) && !file_->is_ready(patience);
}

std::size_t source_file::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  return copy_ != nullptr ? copy_->read_at(offset, to, size) : file_->read_at(offset, to, size);
}

struct source_walker::folder {
  std::string path;       // as typed, followed by the names of inner folders
  std::string relative;   // relative to the argument; empty for the argument itself
  std::string real_path;  // the path without links
  /// The entries of the folder: name and type. The type is `none` if it is unknown.
  std::vector<std::pair<std::string, fs::file_type>> entries;
  std::size_t next = 0;
};

namespace {

std::string join(const std::string& folder, const std::string& name) {
  if (folder.empty()) return name;
  return folder.back() == '/' ? folder + name : folder + '/' + name;
}

/// Returns true if --exclude names a folder or a file. If --include is given, also returns true for a file that
/// --include does not name.
bool left_out(const input_settings& settings, const std::string& relative, bool is_folder) {
  if (matches_any(settings.exclude, relative, is_folder)) return true;
  return !is_folder && !settings.include.empty() && !matches_any(settings.include, relative, false);
}

/// Returns the identity of the file or stream to which an argument leads.
std::string identity(const std::string& argument) {
  const std::string name = argument == "-" ? "/dev/stdin" : argument;
  std::error_code error;
  const bool is_regular = fs::is_regular_file(name, error);
  // If a part of the file was read before, standard input is not the same as the whole file.
  if (argument == "-" && is_regular && !input_file("-").is_regular()) return argument;
  const fs::path real = fs::canonical(name, error);
  // Pipes and removed files have no real path.
  return error ? name : real.string();
}

/// Returns the name of an argument for messages. The name of an argument from a list includes its position in the list.
std::string name_of_argument(const input_settings& settings, std::size_t number) {
  const std::string& argument = settings.paths[number];
  if (number < settings.first_listed) return argument == "-" ? "standard input" : argument;
  const std::string list = settings.names_from == "-" ? "standard input" : settings.names_from;
  return list + ':' + std::to_string(settings.listed_at[number - settings.first_listed]) + ": " + argument;
}

constexpr const char* is_written = "is also the output of this run";

/// Returns true if `path` leads to one of `files`, which are outputs of the run. The run must not read its outputs:
/// their old content would be lost, or the run would never end.
bool is_one_of(const std::string& path, const std::vector<std::string>& files) {
  if (files.empty()) return false;
  const std::string identity = identity_of_file(path);
  return !identity.empty() && std::any_of(files.begin(), files.end(),
                                          [&](const std::string& file) { return identity_of_file(file) == identity; });
}

std::optional<bad_input> missing(const input_settings& settings, std::size_t number) {
  const std::string& argument = settings.paths[number];
  const std::string name = name_of_argument(settings, number);
  std::error_code error;
  const fs::file_status status = fs::status(argument, error);
  if (status.type() == fs::file_type::not_found) {
    const std::string what = "no such file or folder";
    const std::string hint =
        settings.hint ? settings.hint(argument, settings.first_may_be_verb && number == 0) : std::string();
    return bad_input{name, what + hint};
  }
  if (error) return bad_input{name, error.message()};
  return std::nullopt;
}

}  // namespace

source_walker::source_walker(const input_settings& settings) : settings_(settings), outputs_(settings.written) {
  // All copies are in one temporary file. A file for each source could exceed the limit of open files.
  if (settings.is_read_twice) copies_ = std::make_shared<temporary_file>();
  if (settings.skip_bad) return;
  for (std::size_t i = 0; i < settings.paths.size(); ++i) {
    if (settings.paths[i] == "-") continue;
    if (const auto bad = missing(settings, i)) throw input_error(*bad);
  }
}

source_walker::~source_walker() = default;

void source_walker::pass_over_indexes() {
  passes_over_indexes_ = true;
  for (const std::string& path : settings_.indexes) named_indexes_.insert(identity_of_file(path));
}

std::optional<source_walker::step> source_walker::next() {
  if (!remember_) return walk();
  if (replayed_ == steps_.size()) {
    std::optional<step> fresh = walk();
    if (!fresh) return std::nullopt;
    steps_.push_back(*std::move(fresh));
  }
  return steps_[replayed_++];
}

std::optional<source_walker::step> source_walker::walk() {
  while (!open_folders_.empty() || next_argument_ < settings_.paths.size()) {
    auto found = !open_folders_.empty() ? visit_entry() : visit_argument(next_argument_++);
    if (!found) continue;
    if (const auto* const from = std::get_if<std::shared_ptr<source>>(&*found); from && !first_) first_ = *from;
    return found;
  }
  return std::nullopt;
}

std::optional<source_walker::step> source_walker::visit_argument(std::size_t number) {
  const std::string& argument = settings_.paths[number];
  const std::string file = argument == "-" ? "/dev/stdin" : argument;
  if (is_one_of(file, outputs_) || is_one_of(file, partial_outputs_)) {
    return bad_input{name_of_argument(settings_, number), is_written};
  }
  if (argument == "-") {
    if (!is_new(identity(argument))) return std::nullopt;
    return named(argument);
  }
  if (auto bad = missing(settings_, number)) return *std::move(bad);
  std::error_code error;
  if (fs::is_directory(argument, error)) {
    if (auto bad = enter(argument, "")) return *std::move(bad);
    return std::nullopt;
  }
  if (!is_new(identity(argument))) return std::nullopt;
  return named(argument);
}

std::shared_ptr<source> source_walker::named(const std::string& path) const {
  auto found = std::make_shared<source>(source{path, copies_});
  found->as_it_is = settings_.reads_binary;
  found->unit = settings_.unit;
  const unit_of_input unit =
      found->unit == unit_of_input::automatic ? unit_by_name(path).value_or(found->unit) : found->unit;
  const charset encoding = charset_of(settings_.encoding);
  // Mails and records of crawls are not decoded as a whole, because each of their texts may have its own charset.
  if (encoding.form == charset_form::wide && unit != unit_of_input::warc && !is_of_mail(unit)) {
    found->utf16_order = encoding.name == "utf-16be" ? byte_order::big : byte_order::little;
  }
  found->survives = settings_.skip_bad && settings_.unit != unit_of_input::files;
  return found;
}

std::optional<source_walker::step> source_walker::visit_entry() {
  folder& current = open_folders_.back();
  if (current.next == current.entries.size()) {
    open_folders_.pop_back();
    return std::nullopt;
  }
  const auto [name, type] = current.entries[current.next++];
  const std::string path = join(current.path, name);
  const std::string relative = join(current.relative, name);

  std::error_code error;
  const fs::file_status own_status =
      type == fs::file_type::none ? fs::symlink_status(path, error) : fs::file_status(type);
  const bool is_link = fs::is_symlink(own_status);
  const fs::file_status status = is_link ? fs::status(path, error) : own_status;
  if (left_out(settings_, relative, fs::is_directory(status))) return std::nullopt;
  if (name.starts_with('.') && !settings_.reads_hidden) {
    ++hidden_;
    return std::nullopt;
  }
  const auto pass_over = [&](const std::string& what) { return bad_input{path, what, trouble::passed_over}; };
  if (is_one_of(path, outputs_)) return pass_over(is_written);
  if (status.type() == fs::file_type::not_found && is_link) return pass_over("a link that leads nowhere");
  if (error)
    return pass_over(is_link && error == std::errc::too_many_symbolic_link_levels ? "a link that leads to itself"
                                                                                  : error.message());
  if (fs::is_directory(status)) {
    if (auto bad = enter(path, relative)) return pass_over(bad->what);
    return std::nullopt;
  }
  if (!fs::is_regular_file(status)) {
    ++special_files_;
    return std::nullopt;
  }
  const std::string real = is_link ? fs::canonical(path, error).string() : join(current.real_path, name);
  if (error) return pass_over(error.message());
  const bool is_lock = path.ends_with(neardup::file_lock::suffix) && fs::file_size(path, error) == 0;
  if (is_lock || is_one_of(path, partial_outputs_)) return std::nullopt;
  if (passes_over_indexes_ && is_index(path)) {
    if (named_indexes_.contains(identity_of_file(path))) return std::nullopt;
    return pass_over("an index; to compare with it, give --against " + path);
  }
  if (!is_new(real)) return std::nullopt;
  std::shared_ptr<source> found = named(path);
  found->in_folder = true;
  found->text_only = !settings_.reads_binary;
  found->survives = settings_.unit != unit_of_input::files;
  return found;
}

/// Begins to read a folder, unless the folder was read before.
/// Returns: the error, if any.
std::optional<bad_input> source_walker::enter(const std::string& path, const std::string& relative) {
  std::error_code error;
  const std::string real = fs::canonical(path, error).string();
  if (error) return bad_input{path, error.message()};
  for (const folder& above : open_folders_) {
    if (above.real_path == real) return bad_input{path, "the folder loops: it leads back to " + above.path};
  }
  if (!is_new(real)) return std::nullopt;

  folder entered{path, relative, real, {}, 0};
  for (fs::directory_iterator i(entered.path, error), end; !error && i != end; i.increment(error)) {
    // Most file systems return the types of entries, which saves a call for each entry.
    std::error_code unknown;
    const bool is_file = !i->is_symlink(unknown) && i->is_regular_file(unknown);
    entered.entries.emplace_back(i->path().filename().string(), is_file ? fs::file_type::regular : fs::file_type::none);
  }
  if (error) return bad_input{entered.path, error.message()};
  // An output that does not exist yet becomes an entry, so that it is reported like an existing output.
  for (const std::string& output : outputs_) {
    const fs::path target = fs::absolute(link_target(output));
    if (identity_of_file(output).empty() || fs::canonical(target.parent_path(), error) != real) continue;
    const std::string name = target.filename().string();
    const auto is_it = [&](const auto& entry) { return entry.first == name; };
    if (std::none_of(entered.entries.begin(), entered.entries.end(), is_it)) {
      entered.entries.emplace_back(name, fs::file_type::none);
    }
  }
  std::sort(entered.entries.begin(), entered.entries.end());
  open_folders_.push_back(std::move(entered));
  return std::nullopt;
}

bool source_walker::is_new(const std::string& real_path) {
  const bool added = real_paths_.insert(real_path).second;
  if (!added) ++reached_twice_;
  return added;
}

}  // namespace command
