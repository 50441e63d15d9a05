// `neardup manifest`: lists the files of a run on many machines, and the missing files.
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <system_error>

#include "../ground/errors.hpp"
#include "../ground/platform.hpp"
#include "../ground/text.hpp"
#include "../read/file_header.hpp"
#include "run_steps.hpp"

namespace command {

namespace {

/// Prints the state of each file, and stores which files are complete.
class manifest {
 public:
  explicit manifest(output& out) : out_(out) {}

  void add(const std::string& path) {
    try {
      switch (kind_of(path)) {
        case run_file::features: add_part<part_file>(path, "features"); break;
        case run_file::counts: add_counts<counts_file>(path, "counts"); break;
        case run_file::scattered: add_scattered(path); break;
        case run_file::pairs: add_pairs(path); break;
        case run_file::texts: add_part<text_part_file>(path, "texts"); break;
        case run_file::anchors: add_counts<anchors_file>(path, "anchors"); break;
        case run_file::windows: add_scattered(path); break;
        case run_file::passages: add_passages(path); break;
        case run_file::other: print("other", path + ": no file of a run"); break;
      }
    } catch (const input_error& error) {
      is_complete_ = false;
      out_ << "damaged\t" << printable(error.what()) << '\n';
    }
  }

  /// Prints the stale files, and the parts and partitions that have no complete file.
  void print_missing() {
    if (!plan_) {
      print("missing", parts_.empty() ? "features: there are none" : "counts");
    } else {
      print_stale();
      for (const part_facts& part : plan_->parts) {
        if (!parts_.contains(part.number))
          print("missing", (plan_->passages ? "texts of part " : "features of part ") + std::to_string(part.number));
      }
      for (const part_facts& part : plan_->parts) {
        if (!scattered_.contains(part.number)) print("missing", scattered_of(*plan_) + std::to_string(part.number));
      }
      for (std::uint32_t i = 0; i < plan_->partitions; ++i) {
        if (!pairs_.contains(i))
          print("missing", (plan_->passages ? "passages of partition " : "pairs of partition ") + std::to_string(i));
      }
    }
    out_ << (is_complete_ ? "complete\n" : "incomplete\n");
  }

 private:
  struct made_file {
    std::string path;
    run_plan plan;
  };

  void print(const char* state, const std::string& what) {
    is_complete_ = false;
    out_ << state << '\t' << printable(what) << '\n';
  }
  void print_whole(const std::string& what, std::uint64_t count, const std::string& path) {
    out_ << "whole\t" << what << '\t' << std::to_string(count) << '\t'
         << neardup::simhash<64>(checksum_of_file(path)).to_hex() << '\t' << printable(path) << '\n';
  }
  template <class Files, class File>
  void remember(Files& files, const typename Files::key_type& key, const std::string& what, File file,
                const std::string& path, const std::string& earlier) {
    if (!files.emplace(key, std::move(file)).second) print("twice", what + ": " + earlier + " and " + path);
  }

  template <class Part>
  void add_part(const std::string& path, const std::string& of) {
    const Part part(path);
    const std::string what = of + " of part " + std::to_string(part.number());
    print_whole(what, part.size(), path);
    const auto found = parts_.find(part.number());
    remember(parts_, part.number(), what, std::pair(part.facts(), path), path,
             found == parts_.end() ? "" : found->second.second);
  }
  template <class Counts>
  void add_counts(const std::string& path, const std::string& what) {
    const Counts counts(path);
    print_whole(what, counts.plan.parts.size(), path);
    if (plan_) return print("twice", what + ": " + plan_path_ + " and " + path);
    plan_ = std::make_unique<run_plan>(counts.plan);
    plan_path_ = path;
  }
  void add_scattered(const std::string& path) {
    const scattered_file scattered(path);
    as_input([&] { scattered.file.verify(); });
    const std::string what = scattered_of(scattered.plan) + std::to_string(scattered.part);
    print_whole(what, scattered.file.count(), path);
    add_made(scattered_, scattered.part, what, {path, scattered.plan});
  }
  void add_pairs(const std::string& path) {
    const pairs_file pairs(path);
    const std::string what = "pairs of partition " + std::to_string(pairs.partition);
    print_whole(what, pairs.pairs.size(), path);
    add_made(pairs_, pairs.partition, what, {path, pairs.plan});
  }
  void add_passages(const std::string& path) {
    const passages_file passages(path);
    as_input([&] { passages.file.verify(); });
    const std::string what = "passages of partition " + std::to_string(passages.partition);
    print_whole(what, passages.file.count(), path);
    add_made(pairs_, passages.partition, what, {path, passages.plan});
  }
  static std::string scattered_of(const run_plan& plan) {
    return plan.passages ? "scattered passages of part " : "scattered sets of part ";
  }
  void add_made(std::multimap<std::uint64_t, made_file>& files, std::uint64_t key, const std::string& what,
                made_file file) {
    const auto [first, last] = files.equal_range(key);
    for (auto other = first; other != last; ++other) {
      if (other->second.plan.counts == file.plan.counts)
        print("twice", what + ": " + other->second.path + " and " + file.path);
    }
    files.emplace(key, std::move(file));
  }

  /// Prints the files that do not fit the plan, and removes them from the lists of files.
  void print_stale() {
    std::erase_if(parts_, [&](const auto& part) {
      const auto& [facts, path] = part.second;
      const part_facts* const counted = plan_->find(facts.number);
      if (counted != nullptr && *counted == facts) return false;
      print("stale", counted == nullptr
                         ? path + ": a part that " + plan_path_ + " does not have"
                         : plan_path_ + ": its part " + std::to_string(facts.number) + " has changed since");
      return true;
    });
    for (auto* const files : {&scattered_, &pairs_}) {
      std::erase_if(*files, [&](const auto& entry) {
        if (entry.second.plan.counts == plan_->counts) return false;
        print("stale", entry.second.path + ": was made with other counts");
        return true;
      });
    }
  }

  output& out_;
  bool is_complete_ = true;
  std::unique_ptr<run_plan> plan_;
  std::string plan_path_;
  std::map<std::uint64_t, std::pair<part_facts, std::string>> parts_;
  std::multimap<std::uint64_t, made_file> scattered_, pairs_;  // keys: a part of scattered_, a partition of pairs_
};

/// Returns true if a file is a file of the library, perhaps a damaged file.
bool is_own_file(const std::string& path) {
  try {
    return header_of(path).has_value();
  } catch (const input_error&) {
    return true;
  }
}

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
    std::vector<std::string> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      // Temporary files of a killed process, the output of this process, and files of other programs are not results.
      const std::string file = entry.path().string();
      if (!entry.is_regular_file() || is_temporary_file(file) || written.contains(identity_of_file(file))) continue;
      if (is_own_file(file)) inside.push_back(file);
    }
    if (error) throw input_error({path, error.message()});
    std::sort(inside.begin(), inside.end());
    paths.insert(paths.end(), inside.begin(), inside.end());
  }
  for (const std::string& path : paths) files.add(path);
  files.print_missing();
  c.out.close();
}

bool run_manifest(typed_options& typed) {
  const run_settings settings = take_files_of_run(typed);
  context c(settings);
  print_manifest(c);
  return false;
}

}  // namespace

extern const verb manifest_verb;
const verb manifest_verb{"manifest",
                         "PATH…",
                         "for many machines: check which files are whole, and which are missing",
                         R"(
Checks the files of a run by their checksums. Prints which files are whole, damaged, made from files that have
changed, there twice, or missing. The last line is complete or incomplete. Name files or folders.
)",
                         takes::output | takes::running | takes::help,
                         {},
                         run_manifest};

}  // namespace command
