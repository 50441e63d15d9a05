#include "source.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "glob.hpp"

namespace command {

namespace fs = std::filesystem;

source_file::source_file(source& from, bool keep) : copy_(from.copy.get()) {
  if (copy_ != nullptr) return;
  file_.emplace(from.path == "-" ? input_file::standard_input() : input_file(from.path));
  if (keep && !file_->is_regular()) {
    from.copy = std::make_unique<temporary_file>();
    copy_ = from.copy.get();
  }
}

std::size_t source_file::read(char* to, std::size_t size, const std::atomic<bool>& stop) {
  if (!file_) {
    const std::size_t count = copy_->read_at(position_, to, size);
    position_ += count;
    return count;
  }
  const std::size_t count = file_->read(to, size, stop);
  if (copy_ != nullptr) copy_->write({to, count});
  return count;
}

std::size_t source_file::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  return copy_ != nullptr ? copy_->read_at(offset, to, size) : file_->read_at(offset, to, size);
}

/// A folder that is being read.
struct source_walker::folder {
  std::string path;       // as typed, and joined
  std::string relative;   // below the argument; empty for the argument itself
  std::string real_path;  // without links
  std::vector<std::string> names;
  std::size_t next = 0;
};

namespace {

std::string join(const std::string& folder, const std::string& name) {
  if (folder.empty()) return name;
  return folder.back() == '/' ? folder + name : folder + '/' + name;
}

/// Whether a folder or a file is left out by --exclude, or, for files, not let in by --include.
bool left_out(const options& settings, const std::string& relative, bool is_folder) {
  if (matches_any(settings.exclude, relative)) return true;
  return !is_folder && !settings.include.empty() && !matches_any(settings.include, relative);
}

/// What an argument has in common with all others that lead to the same file or stream, and with nothing else.
std::string identity(const std::string& argument) {
  constexpr const char* stream = "-";
  if (argument != stream) {
    if (is_standard_input(argument)) return stream;
  } else if (!input_file::standard_input().is_regular()) {
    return stream;  // or the rest of a file, which is not that file
  }
  std::error_code error;
  const fs::path real = fs::canonical(argument == stream ? "/dev/stdin" : argument, error);
  // Pipes have no path, and files that were removed.
  return error ? argument : real.string();
}

std::optional<bad_input> missing(const options& settings, const std::string& argument) {
  std::error_code error;
  const fs::file_status status = fs::status(argument, error);
  if (status.type() == fs::file_type::not_found) {
    std::string what = "no such file or folder";
    if (is_verb(argument)) {
      what += "; a verb comes first: neardup " + argument + " …";
    } else if (settings.first_may_be_verb && argument == settings.paths.front()) {
      what += ", and no verb; verbs are " + names_of_verbs();
    }
    return bad_input{argument, what};
  }
  if (error) return bad_input{argument, error.message()};
  return std::nullopt;
}

}  // namespace

source_walker::source_walker(const options& settings) : settings_(settings) {
  if (!settings.output_file.empty()) refuse_output_among_inputs("--output", settings.output_file);
  if (!settings.dropped_file.empty()) refuse_output_among_inputs("--dropped", settings.dropped_file);
  if (settings.skip_bad) return;
  for (const std::string& argument : settings.paths) {
    if (argument == "-") continue;
    if (const auto bad = missing(settings, argument)) throw input_error(*bad);
  }
}

source_walker::~source_walker() = default;

/// What is written must not be read: it would be lost, or never end.
bool source_walker::is_output(const std::string& path) const {
  // Where there is no such name for it, standard output is not looked at.
  const std::string output = settings_.output_file.empty() ? "/dev/stdout" : settings_.output_file;
  std::error_code error;
  return fs::is_regular_file(output, error) && fs::equivalent(path == "-" ? "/dev/stdin" : path, output, error) &&
         !error;
}

bool source_walker::is_partial_output(const std::string& path) const {
  return std::any_of(partial_outputs_.begin(), partial_outputs_.end(), [&](const std::string& partial) {
    std::error_code error;
    return fs::equivalent(path, partial, error) && !error;
  });
}

void source_walker::refuse_output_among_inputs(const std::string& option, const std::string& output_file) const {
  std::error_code error;
  if (fs::exists(output_file, error) && !fs::is_regular_file(output_file, error)) return;  // /dev/null
  const fs::path real_output = fs::weakly_canonical(output_file, error);
  for (const std::string& argument : settings_.paths) {
    if (fs::equivalent(argument, output_file, error) && !error) {
      throw usage_error(option + " " + output_file + " is also an input");
    }
    if (!fs::is_directory(argument, error)) continue;
    const fs::path below = real_output.lexically_relative(fs::canonical(argument, error));
    if (error || below.empty() || *below.begin() == "..") continue;
    bool would_be_read = true;
    fs::path relative;
    for (const fs::path& part : below) {
      relative /= part;
      if (left_out(settings_, relative.generic_string(), relative != below)) would_be_read = false;
    }
    if (would_be_read) {
      std::string message = option + " ";
      message.append(output_file).append(" lies in the input folder ").append(argument);
      throw usage_error(message + "; write elsewhere, or --exclude it");
    }
  }
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
  for (;;) {
    std::optional<step> found;
    if (!open_folders_.empty()) {
      found = visit_entry();
    } else if (next_argument_ < settings_.paths.size()) {
      found = visit_argument(settings_.paths[next_argument_++]);
    } else {
      return std::nullopt;
    }
    if (found) return found;
  }
}

std::optional<source_walker::step> source_walker::visit_argument(const std::string& argument) {
  if (is_output(argument) || is_partial_output(argument)) {
    return bad_input{argument == "-" ? "standard input" : argument, "is also the output"};
  }
  if (argument == "-") {
    if (!is_new(identity(argument))) return std::nullopt;
    return std::make_shared<source>(source{argument, nullptr});
  }
  if (auto bad = missing(settings_, argument)) return *std::move(bad);
  std::error_code error;
  if (fs::is_directory(argument, error)) {
    if (auto bad = enter(argument, "")) return *std::move(bad);
    return std::nullopt;
  }
  if (!is_new(identity(argument))) return std::nullopt;
  return std::make_shared<source>(source{argument, nullptr});
}

std::optional<source_walker::step> source_walker::visit_entry() {
  folder& current = open_folders_.back();
  if (current.next == current.names.size()) {
    open_folders_.pop_back();
    return std::nullopt;
  }
  const std::string name = current.names[current.next++];
  const std::string path = join(current.path, name);
  const std::string relative = join(current.relative, name);

  std::error_code error;
  const bool is_link = fs::is_symlink(fs::symlink_status(path, error));
  const fs::file_status status = fs::status(path, error);
  if (left_out(settings_, relative, fs::is_directory(status))) return std::nullopt;
  if (status.type() == fs::file_type::not_found && is_link) return bad_input{path, "a link that leads nowhere"};
  if (error) return bad_input{path, error.message()};
  if (fs::is_directory(status)) {
    if (auto bad = enter(path, relative)) return *std::move(bad);
    return std::nullopt;
  }
  if (!fs::is_regular_file(status)) {
    ++special_files_;
    return std::nullopt;
  }
  const std::string real = is_link ? fs::canonical(path, error).string() : join(current.real_path, name);
  if (error) return bad_input{path, error.message()};
  if (is_output(path)) return bad_input{path, "is also the output"};
  if (is_partial_output(path)) return std::nullopt;
  if (!is_new(real)) return std::nullopt;
  return std::make_shared<source>(source{path, nullptr});
}

/// Begins to read a folder, unless it was read before. Returns: what is wrong with it, if anything is.
std::optional<bad_input> source_walker::enter(std::string path, std::string relative) {
  std::error_code error;
  const std::string real = fs::canonical(path, error).string();
  if (error) return bad_input{path, error.message()};
  for (const folder& above : open_folders_) {
    if (above.real_path == real) return bad_input{path, "the folder loops: it leads back to " + above.path};
  }
  if (!is_new(real)) return std::nullopt;

  folder entered{std::move(path), std::move(relative), real, {}, 0};
  for (fs::directory_iterator i(entered.path, error), end; !error && i != end; i.increment(error)) {
    entered.names.push_back(i->path().filename().string());
  }
  if (error) return bad_input{entered.path, error.message()};
  std::sort(entered.names.begin(), entered.names.end());
  open_folders_.push_back(std::move(entered));
  return std::nullopt;
}

bool source_walker::is_new(const std::string& real_path) {
  const bool added = real_paths_.insert(real_path).second;
  if (!added) ++reached_twice_;
  return added;
}

}  // namespace command
