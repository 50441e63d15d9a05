// `neardup counts`: counts the features of all parts, and fixes the properties that all tasks of the run share.
#include <array>
#include <limits>
#include <neardup/dedup/checks.hpp>
#include <numeric>

#include "../ground/errors.hpp"
#include "../ground/text.hpp"
#include "run_steps.hpp"

namespace command {

namespace {

constexpr std::array counts_options{
    option_row{"--similarity", "S", takes::own, section::comparison,
               "pairs have at least this similarity (default: {similarity})", usual::always},
    option_row{
        "--check", "M", takes::own, section::comparison,
        "the measure of similarity: jaccard of the features (the default), cosine with equal weights, or containment",
        usual::always},
    option_row{"--partitions", "N", takes::own, section::machines,
               "the number of tasks of gather (default: as many as there are parts)", usual::always},
    option_row{
        "--payload", "WHAT", takes::own, section::machines,
        "what scatter moves of a document: its set of features (sets), or 128 bits (sketches). With sketches, gather "
        "reads the features of candidates (default: sets, if a document has at most 24 features on average)"},
};

/// The facts and the path of each part.
using part_list = std::vector<std::pair<part_facts, std::string>>;

/// Sorts the parts by number, and adds their facts to `plan`.
/// Throws: input_error if a part is missing, or occurs twice.
void add_parts(part_list& parts, run_plan& plan) {
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first.number < b.first.number; });
  for (const auto& [facts, path] : parts) {
    if (!plan.parts.empty() && plan.parts.back().number == facts.number) {
      throw input_error({path, "is part " + std::to_string(facts.number) + ", as is another file"});
    }
    if (facts.number != plan.parts.size()) {
      throw input_error({"", "the features of part " + std::to_string(plan.parts.size()) +
                                 " are missing, and those of part " + std::to_string(facts.number) + " are there"});
    }
    plan.parts.push_back(facts);
  }
}

/// Returns the sum of the counts in the files at `paths`, and adds the parts of the files to `plan`.
/// Throws: input_error if a part is missing, occurs twice, has another composition, or changes during the call.
neardup::feature_counts<std::uint64_t> count_all(const std::vector<std::string>& paths, run_plan& plan) {
  part_list parts;
  for (const std::string& path : paths) {
    const part_file part(path, false);
    if (!parts.empty()) check_composition(path, part.file().made_of(), plan.made_of);
    plan.made_of = part.file().made_of();
    parts.emplace_back(part.facts(), path);
  }
  add_parts(parts, plan);
  std::uint64_t features = 0;
  for (const part_facts& part : plan.parts) features += part.features;
  neardup::feature_counts<std::uint64_t> counts(features);
  for (const auto& [facts, path] : parts) {
    const part_file part(path);
    if (part.facts() != facts) throw input_error({path, "was changed while it was being read"});
    counts.add(part.features());
    as_input([&] { part.file().check_file(); });
  }
  return counts;
}

/// Finds the repeated anchors of the parts at `paths`, and writes them.
void count_anchors(const typed_options& typed, const run_settings& settings, const std::vector<std::string>& paths) {
  refuse_if_given(typed, {"--similarity", "--check", "--partitions", "--payload"},
                  ": the parts were made with --passages");
  run_plan plan;
  plan.similarity = 1;
  part_list facts;
  std::vector<std::unique_ptr<text_part_file>> parts;
  for (const std::string& path : paths) {
    const text_part_file& part = *parts.emplace_back(std::make_unique<text_part_file>(path, false));
    facts.emplace_back(part.facts(), path);
    if (parts.size() == 1) {
      plan.passages = part.passages();
      plan.partitions = part.partitions();
    } else if (part.passages() != *plan.passages || part.partitions() != plan.partitions) {
      throw input_error(
          {path, "was made with other values of --passages, --least-documents or --partitions than " + paths.front()});
    }
  }
  add_parts(facts, plan);
  if (plan.first_of(plan.parts.size()) > std::numeric_limits<std::uint32_t>::max()) {
    throw input_error({"", "passages are looked for in fewer than 2^32 documents"});
  }
  std::vector<std::byte> all;
  for (std::uint32_t partition = 0; partition < plan.partitions; ++partition) {
    std::vector<std::span<const std::byte>> blobs;
    blobs.reserve(parts.size());
    for (const auto& part : parts) blobs.push_back(part->anchors(partition));
    as_input([&] {
      const std::vector<std::byte> repeated =
          with_shuffle(plan, [&](const auto& shuffle) { return shuffle.repeated_anchors(blobs, partition); });
      all.insert(all.end(), repeated.begin(), repeated.end());
      for (const auto& part : parts) part->file().check_file();
    });
  }
  save_anchors(settings.output.file, plan, all);
  if (!settings.output.quiet) {
    say(counted(plan.first_of(plan.parts.size()), "document", "documents") + " in " +
        counted(plan.parts.size(), "part", "parts") + ", for " + counted(plan.partitions, "partition", "partitions"));
  }
}

bool run_counts(typed_options& typed) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  constexpr std::uint64_t most_features_of_sets = 24, most_partitions = 1U << 16;
  run_plan plan;
  plan.similarity = neardup::default_similarity;
  if (const auto text = typed["--similarity"]) {
    plan.similarity = parse_number("--similarity", *text, least, 1.0, "must be above 0 and at most 1");
  }
  if (const auto check = typed["--check"]) {
    constexpr std::array measures{similarity_measure::jaccard, similarity_measure::cosine_of_sets,
                                  similarity_measure::containment};
    plan.check = measures[parse_name("--check", *check, {"jaccard", "cosine", "containment"},
                                     "checks of counts are jaccard, cosine and containment")];
  }
  const run_settings settings = take_files_of_run(typed);
  const std::vector<std::string> paths = files_of(settings.input.paths, run_file::features, {run_file::texts});
  if (paths.empty()) throw usage_error("counts: the names lead to no file of features; features writes such files");
  refuse_output_among(settings, paths);
  if (kind_of(paths.front()) == run_file::texts) {
    count_anchors(typed, settings, paths);
    return false;
  }
  const auto counts = count_all(paths, plan);
  plan.partitions = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.parts.size(), most_partitions));
  take_number(typed, "--partitions", plan.partitions, std::uint32_t{1}, std::uint32_t{most_partitions});
  const auto sum = [&](std::uint64_t part_facts::*member) {
    return std::accumulate(plan.parts.begin(), plan.parts.end(), std::uint64_t{0},
                           [&](std::uint64_t all, const part_facts& part) { return all + part.*member; });
  };
  const std::uint64_t documents = sum(&part_facts::documents), features = sum(&part_facts::features);
  if (features > most_features_of_sets * documents) plan.payload = neardup::shuffle_payload::sketch;
  if (const auto payload = typed["--payload"]) {
    constexpr std::array payloads{neardup::shuffle_payload::sets, neardup::shuffle_payload::sketch};
    plan.payload = payloads[parse_name("--payload", *payload, {"sets", "sketches"}, "payloads are sets and sketches")];
  }
  save_counts(settings.output.file, plan, counts);
  if (!settings.output.quiet) {
    say(counted(features, "feature", "features") + " of " + counted(documents, "document", "documents") + " in " +
        counted(plan.parts.size(), "part", "parts") + ", for " + counted(plan.partitions, "partition", "partitions"));
  }
  return false;
}

}  // namespace

extern const verb counts_verb;
const verb counts_verb{"counts",
                       "PATH…",
                       "for many machines: count how often each feature occurs",
                       R"(
Counts for each feature in how many documents of all parts it occurs. Writes these counts to the file that
--output names, with the settings that all tasks of the run share: the similarity, the partitions, and the
parts. Name the files that features wrote for all parts, or their folder. Takes half a byte of memory for
each feature.
)",
                       takes::saved_output | takes::running | takes::help,
                       counts_options,
                       run_counts};

}  // namespace command
