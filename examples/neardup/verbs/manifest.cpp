// `neardup manifest`: lists the complete files of shards, and what is missing.
#include <filesystem>
#include <map>
#include <memory>
#include <neardup/storage/fingerprint_list.hpp>
#include <optional>
#include <set>
#include <system_error>

#include "../ground/errors.hpp"
#include "../ground/platform.hpp"
#include "../ground/text.hpp"
#include "combining.hpp"

namespace command {

namespace {

/// Prints the files, and remembers them.
class manifest {
 public:
  explicit manifest(output& out) : out_(out) {}

  void add(const std::string& path) {
    try {
      const file_role role = role_of_file(path);
      if (role == file_role::list) {
        const stored_fingerprints stored = read_header(path);
        as_input([&] {
          with_fingerprint(stored.bits, stored.kind,
                           [&]<class Fingerprint>(Fingerprint) { add_list<Fingerprint>(path); });
        });
      }
      if (role == file_role::documents) add_documents(path);
      if (role == file_role::pairs) add_pairs(path);
      if (role == file_role::other) print("other", path + ": no shard, and no file of pairs");
    } catch (const input_error& error) {
      is_complete_ = false;
      out_ << "damaged\t" << printable(error.what()) << '\n';
    }
  }

  /// Prints what is missing: every two shards, and each shard with itself, have to be joined and checked.
  void print_missing() {
    if (shards_.empty()) print("missing", "shards: there are none");
    std::set<std::uint64_t> named;
    for (const auto& [task, path] : named_) named.insert({task.earlier, task.later});
    for (const std::uint64_t number : named) {
      if (!shards_.contains(number)) print("missing", "shard " + std::to_string(number));
    }
    for (const auto& [number, checksum] : shards_) {
      const auto kept = kept_.find(number);
      if (kept == kept_.end() || kept->second != checksum) {
        print("missing", "features of shard " + std::to_string(number));
      }
    }
    for (auto earlier = shards_.begin(); earlier != shards_.end(); ++earlier) {
      for (auto later = earlier; later != shards_.end(); ++later) {
        const join_task task{earlier->first, later->first, earlier->second, later->second};
        const std::string which = "shards " + std::to_string(task.earlier) + ' ' + std::to_string(task.later);
        if (checked_.contains(task)) continue;
        // An exact join writes checked pairs without candidates.
        const bool is_checked_next = candidates_.empty() || candidates_.contains(task);
        print("missing", (is_checked_next ? "checked pairs of " : "candidates of ") + which);
      }
    }
    for (const auto& [path, pairs] : pairs_) {
      const std::string difference = settings_ ? difference_of(*pairs, *settings_) : "";
      if (!difference.empty()) print("stale", std::string(path).append(": ").append(difference));
      if (pairs->is_exact == pairs_.begin()->second->is_exact) continue;
      print("mixed", path + ": is of " + name_of_join(*pairs) + ", and " + pairs_.begin()->first + " of " +
                         name_of_join(*pairs_.begin()->second));
    }
    for (const auto& [task, path] : named_) {
      const auto is_current = [&](std::uint64_t shard, std::uint64_t checksum) {
        const auto found = shards_.find(shard);
        return found == shards_.end() || found->second == checksum;
      };
      if (is_current(task.earlier, task.earlier_checksum) && is_current(task.later, task.later_checksum)) continue;
      print("stale", path + ": its shards are others by now");
    }
    out_ << (is_complete_ ? "complete\n" : "incomplete\n");
  }

 private:
  void print(const char* state, const std::string& what) {
    is_complete_ = false;
    out_ << state << '\t' << printable(what) << '\n';
  }
  void print_whole(const std::string& what, std::uint64_t count, const std::string& path) {
    out_ << "whole\t" << what << '\t' << std::to_string(count) << '\t'
         << neardup::simhash<64>(read_header(path).checksum).to_hex() << '\t' << printable(path) << '\n';
  }

  template <class Fingerprint>
  void add_list(const std::string& path) {
    const neardup::fingerprint_list<Fingerprint::bits, Fingerprint> list{neardup::mapped_file(path)};
    list.verify();
    if (list.empty()) return print_whole("shard without documents", 0, path);
    const std::uint64_t number = shard_of(list[0].id);
    print_whole("shard " + std::to_string(number), list.size(), path);
    const auto [at, is_first] = lists_.emplace(number, path);
    if (!is_first) print("twice", "shard " + std::to_string(number) + ": " + at->second + " and " + path);
    shards_[number] = read_header(path).checksum;
  }
  void add_documents(const std::string& path) {
    const shard_documents documents(path);
    if (!settings_) settings_ = documents.settings;
    kept_[documents.number] = documents.list_checksum;
    // The feature file is the only one that names a shard without documents: no join mentions such a shard.
    shards_.try_emplace(documents.number, documents.list_checksum);
    print_whole("features of shard " + std::to_string(documents.number), documents.size(), path);
  }
  static const char* name_of_join(const pair_file& pairs) {
    return pairs.is_exact ? "an exact join" : "candidates by fingerprints";
  }
  void add_pairs(const std::string& path) {
    auto read = std::make_unique<pair_file>(path);
    const pair_file& pairs = *read;
    std::string shards;
    const std::string what = pairs.is_checked ? "checked pairs of shards " : "candidates of shards ";
    for (const join_task& task : pairs.tasks) {
      const std::string two = std::to_string(task.earlier) + ' ' + std::to_string(task.later);
      const bool is_first = (pairs.is_checked ? checked_ : candidates_).insert(task).second;
      // verify also copies the pairs of an exact join.
      if (!is_first && pairs.is_checked && !pairs.is_exact) print("twice", what + two);
      named_.emplace(task, path);
      shards += (shards.empty() ? "" : ", ") + two;
    }
    print_whole(what + shards, pairs.pairs.size(), path);
    if (pairs.is_checked) pairs_.emplace(path, std::move(read));
  }

  output& out_;
  bool is_complete_ = true;
  std::map<std::uint64_t, std::uint64_t> shards_, kept_;  // for each number of a shard: checksum
  std::map<std::uint64_t, std::string> lists_;            // for each number of a shard: path
  std::set<join_task> candidates_, checked_;
  std::multimap<join_task, std::string> named_;
  std::optional<named_values> settings_;                     // settings of the first shard
  std::map<std::string, std::unique_ptr<pair_file>> pairs_;  // files of checked pairs
};

void print_manifest(context& c) {
  const run_settings& settings = c.settings;
  const std::set<std::string> written{
      identity_of_file(settings.output.file.empty() ? "/dev/stdout" : settings.output.file),
      identity_of_file(c.out.partial())};
  manifest files(c.out);
  std::vector<std::string> paths;
  for (const std::string& path : settings.input.paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      paths.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      // Temporary files of a killed process, and the output of this one, are not results.
      const std::string file = entry.path().string();
      const bool is_result = entry.is_regular_file() && entry.path().extension() != ".tmp";
      if (is_result && !written.contains(identity_of_file(file))) paths.push_back(file);
    }
    if (error) throw input_error({path, error.message()});
    std::sort(paths.begin(), paths.end());
  }
  for (const std::string& path : paths) files.add(path);
  files.print_missing();
  c.out.close();
}

bool run_manifest(typed_options& typed) {
  const run_settings settings = take_combination(typed, nullptr, nullptr);
  context c(settings);
  print_manifest(c);
  return false;
}

}  // namespace

extern const verb manifest_verb;
const verb manifest_verb{"manifest",
                         "PATH…",
                         "of many machines: which files are whole, and what is missing",
                         R"(
Prints which files of shards are whole, by their checksums, which are damaged or of shards that have
changed, and which tasks are missing; the last line is complete or incomplete. Name files or folders.
)",
                         takes::output | takes::running | takes::help,
                         {},
                         run_manifest};

}  // namespace command
