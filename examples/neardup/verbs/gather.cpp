// `neardup gather`: finds the near-duplicates of one partition.
#include <algorithm>
#include <array>
#include <neardup/sets/shuffle.hpp>
#include <neardup/threads.hpp>
#include <numeric>

#include "../ground/errors.hpp"
#include "../ground/text.hpp"
#include "run_steps.hpp"

namespace command {

namespace {

using run_feature = part_file::feature;

constexpr std::array gather_options{
    option_row{"--partition", "N", takes::own, section::machines, "the number of the partition, from 0", usual::always},
};

/// Documents of a run by their ids.
class parts_by_id {
 public:
  explicit parts_by_id(std::vector<std::unique_ptr<part_file>> parts) : parts_(std::move(parts)) {}

  /// Returns the features of a document.
  /// Throws: input_error if there is no such document.
  [[nodiscard]] std::span<const run_feature> features(std::uint64_t id) const {
    const auto found = std::lower_bound(parts_.begin(), parts_.end(), part_of(id),
                                        [](const auto& part, std::uint64_t number) { return part->number() < number; });
    if (found == parts_.end() || (*found)->number() != part_of(id) || record_of(id) >= (*found)->size()) {
      throw input_error({"", "a candidate names a document that is in no part"});
    }
    return (*found)->features_of(static_cast<std::size_t>(record_of(id)));
  }

  void check_files() const {
    as_input([&] {
      for (const auto& part : parts_) part->file().check_file();
    });
  }

 private:
  std::vector<std::unique_ptr<part_file>> parts_;
};

/// Verifies `candidates` in the order of `candidates.first`. Appends pairs of near-duplicates to `to`.
void add_verified(const neardup::gathered_pairs& candidates, const parts_by_id& documents,
                  const neardup::shuffle_settings& settings, std::vector<pair_of_run>& to) {
  constexpr std::size_t most = std::size_t{1} << 20;  // features per call
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t x, std::size_t y) { return candidates.first[x] < candidates.first[y]; });
  std::vector<run_feature> a, b;
  std::vector<std::uint64_t> a_offsets, b_offsets;
  for (std::size_t first = 0, next = 0; first < order.size(); first = next) {
    a.clear();
    b.clear();
    a_offsets.assign(1, 0);
    b_offsets.assign(1, 0);
    for (; next < order.size() && a.size() + b.size() < most; ++next) {
      const auto x = documents.features(candidates.first[order[next]]);
      const auto y = documents.features(candidates.second[order[next]]);
      a.insert(a.end(), x.begin(), x.end());
      b.insert(b.end(), y.begin(), y.end());
      a_offsets.push_back(a.size());
      b_offsets.push_back(b.size());
    }
    const auto verified = neardup::verify_sets<run_feature, std::uint64_t>(a, a_offsets, b, b_offsets, settings);
    for (std::size_t i = 0; first + i < next; ++i) {
      if (verified.common[i] == 0) continue;
      const std::size_t pair = order[first + i];
      to.push_back({candidates.second[pair], candidates.first[pair], verified.similarity[i]});
    }
  }
}

/// Returns the scattered sets of all parts, in the order of the parts.
/// Throws: input_error if the files belong to several runs, or if one is missing.
std::vector<std::unique_ptr<scattered_file>> open_scattered(const std::vector<std::string>& paths) {
  std::vector<std::unique_ptr<scattered_file>> files;
  for (const std::string& path : paths) {
    files.push_back(std::make_unique<scattered_file>(path));
    check_same_run(path, files.back()->plan, paths.front(), files.front()->plan);
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a->part < b->part; });
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (files[i]->part != files[i - 1]->part) continue;
    throw input_error({files[i]->file.path(),
                       "is of part " + std::to_string(files[i]->part) + ", as is " + files[i - 1]->file.path()});
  }
  // `files` and the parts of the plan are sorted by part number, and the plan has the part of each file.
  auto file = files.begin();
  for (const part_facts& part : files.front()->plan.parts) {
    if (file != files.end() && (*file)->part == part.number) {
      ++file;
      continue;
    }
    throw input_error({"", std::string(files.front()->plan.passages ? "the scattered passages" : "the scattered sets") +
                               " of part " + std::to_string(part.number) + " are missing"});
  }
  return files;
}

/// Returns the pairs of a partition. `parts`: the paths of the files of features, which only sketches need.
std::vector<pair_of_run> gather_partition(const run_settings& settings, std::uint32_t partition,
                                          const std::vector<std::unique_ptr<scattered_file>>& files,
                                          const std::vector<std::string>& parts) {
  const run_plan& plan = files.front()->plan;
  const neardup::shuffle_settings how = plan.shuffle();
  const bool has_sets = how.payload == neardup::shuffle_payload::sets;
  const parts_by_id documents(has_sets ? std::vector<std::unique_ptr<part_file>>()
                                       : open_parts<part_file>(parts, plan, files.front()->file.path(), false));
  std::vector<std::span<const std::byte>> blobs;
  for (const auto& file : files) {
    if (const auto blob = file->blob(partition); !blob.empty()) blobs.push_back(blob);
  }
  std::vector<pair_of_run> pairs;
  as_input([&] {
    neardup::gather_pairs<run_feature>(
        blobs, how, partition,
        [&](const neardup::gathered_pairs& some) {
          if (!has_sets) return add_verified(some, documents, how, pairs);
          for (std::size_t i = 0; i < some.size(); ++i) {
            pairs.push_back({some.second[i], some.first[i], some.similarity[i]});
          }
        },
        neardup::threads{settings.threads});
    for (const auto& file : files) file->file.check_file();
  });
  documents.check_files();
  std::sort(pairs.begin(), pairs.end(), [](const pair_of_run& a, const pair_of_run& b) { return a.is_before(b); });
  return pairs;
}

/// Returns the passages of a partition, ordered by document.
std::vector<found_passage> gather_passages(std::uint32_t partition,
                                           const std::vector<std::unique_ptr<scattered_file>>& files) {
  std::vector<std::span<const std::byte>> blobs;
  blobs.reserve(files.size());
  for (const auto& file : files) blobs.push_back(file->blob(partition));
  std::vector<found_passage> found;
  as_input([&] {
    for (const neardup::passage& p :
         with_shuffle(files.front()->plan, [&](const auto& shuffle) { return shuffle.gather(blobs, partition); })) {
      found.push_back(packed(p));
    }
    for (const auto& file : files) file->file.check_file();
  });
  std::stable_sort(found.begin(), found.end(),
                   [](const found_passage& a, const found_passage& b) { return a.document < b.document; });
  return found;
}

bool run_gather(typed_options& typed) {
  const std::uint64_t partition = required_number(typed, "--partition", (std::uint64_t{1} << 32) - 1);
  const run_settings settings = take_files_of_run(typed);
  const std::vector<std::string> paths =
      files_of(settings.input.paths, run_file::scattered, {run_file::windows, run_file::features, run_file::texts});
  refuse_output_among(settings, paths);
  std::vector<std::string> scattered, parts;
  for (const std::string& path : paths) {
    const run_file kind = kind_of(path);
    (kind == run_file::scattered || kind == run_file::windows ? scattered : parts).push_back(path);
  }
  if (scattered.empty()) throw usage_error("gather: the names lead to no scattered sets; scatter writes such files");
  const auto files = open_scattered(scattered);
  const run_plan& plan = files.front()->plan;
  if (partition >= plan.partitions) {
    throw usage_error("--partition " + std::to_string(partition) + ": the partitions are 0 to " +
                      std::to_string(plan.partitions - 1));
  }
  const auto number = static_cast<std::uint32_t>(partition);
  if (plan.passages) {
    const std::vector<found_passage> passages = gather_passages(number, files);
    save_passages(settings.output.file, plan, number, passages);
    if (!settings.output.quiet) {
      say("partition " + std::to_string(number) + ": " + counted(passages.size(), "passage", "passages"));
    }
    return false;
  }
  const std::vector<pair_of_run> pairs = gather_partition(settings, number, files, parts);
  save_pairs(settings.output.file, plan, number, pairs);
  if (!settings.output.quiet) {
    say("partition " + std::to_string(number) + ": " + counted(pairs.size(), "pair", "pairs") + " of near-duplicates");
  }
  return false;
}

}  // namespace

extern const verb gather_verb;
const verb gather_verb{"gather",
                       "PATH…",
                       "for many machines: find the near-duplicates of a partition",
                       R"(
Writes the near-duplicates that one partition finds, with their exact similarities, to the file that --output
names. groups --pairs reads the pairs of all partitions. Name the files that scatter wrote for all parts, or
their folder. If they contain only sketches, also name the features of all parts.
)",
                       takes::saved_output | takes::running | takes::help,
                       gather_options,
                       run_gather};

}  // namespace command
