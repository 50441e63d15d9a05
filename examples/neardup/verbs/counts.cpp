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

/// Returns the sum of the counts in the files at `paths`, and adds the parts of the files to `plan`.
/// Throws: input_error if a part is missing, occurs twice, has another composition, or changes during the call.
neardup::feature_counts<std::uint64_t> count_all(const std::vector<std::string>& paths, run_plan& plan) {
  std::vector<std::pair<part_facts, std::string>> parts;
  for (const std::string& path : paths) {
    const part_file part(path, false);
    if (!parts.empty()) check_composition(path, part.file().made_of(), plan.made_of);
    plan.made_of = part.file().made_of();
    parts.emplace_back(part.facts(), path);
  }
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first.number < b.first.number; });
  std::uint64_t features = 0;
  for (const auto& [facts, path] : parts) {
    if (!plan.parts.empty() && plan.parts.back().number == facts.number) {
      throw input_error({path, "is part " + std::to_string(facts.number) + ", as is another file"});
    }
    if (facts.number != plan.parts.size()) {
      throw input_error({"", "the features of part " + std::to_string(plan.parts.size()) +
                                 " are missing, and those of part " + std::to_string(facts.number) + " are there"});
    }
    plan.parts.push_back(facts);
    features += facts.features;
  }
  neardup::feature_counts<std::uint64_t> counts(features);
  for (const auto& [facts, path] : parts) {
    const part_file part(path);
    if (part.facts() != facts) throw input_error({path, "was changed while it was being read"});
    counts.add(part.features());
    as_input([&] { part.file().check_file(); });
  }
  return counts;
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
  const std::vector<std::string> paths = files_of(settings.input.paths, run_file::features);
  if (paths.empty()) throw usage_error("counts: there are no features in what is named; features writes them");
  refuse_output_among(settings, paths);
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
