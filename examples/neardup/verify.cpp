// `neardup verify` and `neardup manifest`: what does not depend on the width of fingerprints.
#include <filesystem>
#include <neardup/storage/fingerprint_list.hpp>
#include <set>
#include <system_error>

#include "check.hpp"
#include "context.hpp"
#include "errors.hpp"
#include "lists.hpp"
#include "output.hpp"
#include "pipeline.hpp"
#include "platform.hpp"
#include "report.hpp"
#include "shard_files.hpp"

namespace command {

namespace {

/// Checks the candidates of one file, some at a time: memory does not depend on how many there are.
void check_candidates(const options& settings, const shard_inputs& inputs, const pair_file& candidates,
                      std::vector<id_pair>& passed) {
  constexpr std::size_t checked_at_once = std::size_t{1} << 16;
  std::map<std::uint64_t, const shard_documents*> documents;
  const std::string& path = candidates.file.path();
  for (const join_task& task : candidates.tasks) {
    documents[task.earlier] = &inputs.of(task.earlier, task.earlier_checksum, path);
    documents[task.later] = &inputs.of(task.later, task.later_checksum, path);
  }
  const auto features_of = [&](std::uint64_t id) {
    const shard_documents& shard = *documents.at(shard_of(id));
    if (record_of(id) >= shard.size()) throw input_error({path, "names a document that is not there"});
    return shard.features(record_of(id));
  };
  std::vector<char> accepted;
  for (auto rest = candidates.pairs; !rest.empty(); rest = rest.subspan(accepted.size())) {
    accepted.assign(std::min(checked_at_once, rest.size()), 0);
    run_parallel(settings.threads, accepted.size(), [&](std::size_t i) {
      accepted[i] = are_near_duplicates(settings, features_of(rest[i].earlier), features_of(rest[i].later)) ? 1 : 0;
    });
    for (std::size_t i = 0; i < accepted.size(); ++i) {
      if (accepted[i] != 0) passed.push_back(rest[i]);
    }
  }
}

/// Prints what there is, and remembers it.
class manifest {
 public:
  explicit manifest(output& out) : out_(out) {}

  void add(const std::string& path) {
    try {
      const file_role role = role_of_file(path);
      if (role == file_role::list) {
        as_input([&] { with_bits(read_header(path).bits, [&](auto bits) { add_list<bits>(path); }); });
      }
      if (role == file_role::documents) add_documents(path);
      if (role == file_role::pairs) add_pairs(path);
      if (role == file_role::other) print("other", path + ": no shard, and no file of pairs");
    } catch (const input_error& error) {
      is_complete_ = false;
      out_ << "damaged\t" << printable(error.what()) << '\n';
    }
  }

  /// What is not there: each two shards, and each shard with itself, have to be joined, and checked.
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
        print("missing", (candidates_.contains(task) ? "checked pairs of " : "candidates of ") + which);
      }
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

  template <std::size_t Bits>
  void add_list(const std::string& path) {
    const neardup::fingerprint_list<Bits> list{neardup::mapped_file(path)};
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
    kept_[documents.number] = documents.list_checksum;
    // A shard without documents tells its number only here.
    shards_.try_emplace(documents.number, documents.list_checksum);
    print_whole("features of shard " + std::to_string(documents.number), documents.size(), path);
  }
  void add_pairs(const std::string& path) {
    const pair_file pairs(path);
    std::string shards;
    const std::string what = pairs.is_checked ? "checked pairs of shards " : "candidates of shards ";
    for (const join_task& task : pairs.tasks) {
      const std::string two = std::to_string(task.earlier) + ' ' + std::to_string(task.later);
      const bool is_first = (pairs.is_checked ? checked_ : candidates_).insert(task).second;
      if (!is_first && pairs.is_checked) print("twice", what + two);
      named_.emplace(task, path);
      shards += (shards.empty() ? "" : ", ") + two;
    }
    print_whole(what + shards, pairs.pairs.size(), path);
  }

  output& out_;
  bool is_complete_ = true;
  std::map<std::uint64_t, std::uint64_t> shards_, kept_;  // by number the checksum
  std::map<std::uint64_t, std::string> lists_;            // by number the file
  std::set<join_task> candidates_, checked_;
  std::multimap<join_task, std::string> named_;
};

}  // namespace

void run_verify(context& c) {
  options& settings = c.settings;
  const shard_inputs inputs = open_shard_inputs(settings.paths);
  if (inputs.pairs.empty()) throw usage_error("verify: name a file of candidates, as join writes them");
  if (inputs.documents.empty()) throw usage_error("verify: name the shards of the candidates, too");
  apply_comparison_of(*inputs.documents.front(), settings);
  std::vector<join_task> tasks;
  std::vector<id_pair> passed;
  std::uint64_t count = 0;
  for (const auto& candidates : inputs.pairs) {
    const std::string& path = candidates->file.path();
    if (candidates->is_checked) throw input_error({path, "its pairs are checked already"});
    if (candidates->distance != settings.distance) {
      throw input_error({path, "is of --distance " + std::to_string(candidates->distance) + ", and its shards of " +
                                   std::to_string(settings.distance)});
    }
    check_candidates(settings, inputs, *candidates, passed);
    count += candidates->pairs.size();
    tasks.insert(tasks.end(), candidates->tasks.begin(), candidates->tasks.end());
  }
  std::sort(tasks.begin(), tasks.end());
  const auto twice = std::adjacent_find(tasks.begin(), tasks.end());
  if (twice != tasks.end()) {
    throw usage_error("verify: shards " + std::to_string(twice->earlier) + " and " + std::to_string(twice->later) +
                      " are joined in two of these files");
  }
  save_pairs(settings, true, inputs.pairs.front()->file.made_of(), tasks, passed);
  if (!settings.quiet) {
    say(counted(count, "candidate", "candidates") + ": " + counted(passed.size(), "pair", "pairs") +
        " of near-duplicates");
  }
}

void run_manifest(context& c) {
  const options& settings = c.settings;
  const std::set<std::string> written{
      identity_of_file(settings.output_file.empty() ? "/dev/stdout" : settings.output_file),
      identity_of_file(c.out.partial())};
  manifest files(c.out);
  std::vector<std::string> paths;
  for (const std::string& path : settings.paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      paths.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      // What a killed process has left is no result, nor is what this one writes.
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

}  // namespace command
