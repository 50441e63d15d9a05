// `neardup verify`: checks which candidates are near-duplicates.
#include <algorithm>
#include <array>
#include <map>

#include "../compare/check.hpp"
#include "../ground/errors.hpp"
#include "../ground/pipeline.hpp"
#include "../ground/text.hpp"
#include "../line/option_table.hpp"
#include "combining.hpp"
#include "verify_pairs.hpp"

namespace command {

namespace {

/// Checks the candidates of one file, a limited number at a time, so that memory does not depend on how many there are.
void check_candidates(const run_settings& settings, const shard_inputs& inputs, const pair_file& candidates,
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
      accepted[i] =
          are_near_duplicates(settings.comparison, features_of(rest[i].earlier), features_of(rest[i].later)) ? 1 : 0;
    });
    for (std::size_t i = 0; i < accepted.size(); ++i) {
      if (accepted[i] != 0) passed.push_back(rest[i]);
    }
  }
}

void verify_candidates(run_settings& settings) {
  const shard_inputs inputs = open_shard_inputs(settings.input.paths);
  if (inputs.pairs.empty()) throw usage_error("verify: name a file of candidates, as join writes them");
  if (inputs.documents.empty()) throw usage_error("verify: name the shards of the candidates, too");
  apply_comparison_of(*inputs.documents.front(), settings.fingerprint, settings.comparison);
  std::vector<join_task> tasks;
  std::vector<id_pair> passed;
  std::uint64_t count = 0;
  for (const auto& candidates : inputs.pairs) {
    const std::string& path = candidates->file.path();
    if (candidates->is_exact != inputs.are_exact()) {
      throw input_error({path, std::string(candidates->is_exact ? "is of an exact join" : "holds candidates") +
                                   ", and " + inputs.pairs.front()->file.path() + " is not"});
    }
    if (candidates->is_checked && !candidates->is_exact) throw input_error({path, "its pairs are checked already"});
    const std::string difference = difference_of(*candidates, inputs.documents.front()->settings);
    if (!difference.empty()) throw input_error({path, difference});
    if (candidates->is_exact) {
      for (const join_task& task : candidates->tasks) {
        static_cast<void>(inputs.of(task.earlier, task.earlier_checksum, path));
        static_cast<void>(inputs.of(task.later, task.later_checksum, path));
      }
      passed.insert(passed.end(), candidates->pairs.begin(), candidates->pairs.end());
    } else {
      check_candidates(settings, inputs, *candidates, passed);
    }
    count += candidates->pairs.size();
    tasks.insert(tasks.end(), candidates->tasks.begin(), candidates->tasks.end());
  }
  std::sort(tasks.begin(), tasks.end());
  const auto twice = std::adjacent_find(tasks.begin(), tasks.end());
  if (twice != tasks.end()) {
    throw usage_error("verify: shards " + std::to_string(twice->earlier) + " and " + std::to_string(twice->later) +
                      " are joined in two of these files");
  }
  save_pairs(settings.output.file,
             {.bits = settings.fingerprint.bits,
              .distance = settings.comparison.distance,
              .is_checked = true,
              .is_exact = inputs.are_exact(),
              .comparison = inputs.documents.front()->settings},
             inputs.pairs.front()->file.made_of(), tasks, passed);
  if (!settings.output.quiet) {
    const std::string pairs = counted(passed.size(), "pair", "pairs") + " of near-duplicates";
    say(inputs.are_exact() ? pairs + ", by an exact join, which needs no check"
                           : counted(count, "candidate", "candidates") + ": " + pairs);
  }
}

bool run_verify(typed_options& typed) {
  if (typed.has("--pairs")) return run_verify_pairs(typed);
  for (const option_row& row : options_of(*typed.chosen)) {
    const std::string name = row.long_name();
    const bool is_of_shards = name == "--output" || name == "--threads" || name == "--quiet";
    if (typed.has(name) && !is_of_shards) throw usage_error(name + " needs --pairs");
  }
  run_settings settings = take_combination(
      typed, [&](const run_settings& to) { take_kind_of_shards(typed, to); }, nullptr);
  const context c(settings);  // reports paths that do not exist
  verify_candidates(settings);
  return false;
}

}  // namespace

extern const verb verify_verb;
const verb verify_verb{"verify",
                       "PATH…",
                       "the candidates of other programs or machines that are near-duplicates",
                       R"(
With --pairs FILE: reads pairs of ids, from any program, and prints those that are near-duplicates, in
their order, as pairs prints them: exact similarity, "-", and the two ids. Documents, not pairs, take memory.
Without: compares the candidates that join wrote by the features that lie beside their shards, and writes
the pairs that are near-duplicates to the file that --output names. Name the candidates and their shards (or
the .features files alone), in any order. What join found by features is near-duplicate already: it is handed on.
)",
                       takes::texts | takes::weights | takes::features | takes::dictionary | takes::seed |
                           takes::exact | takes::same | takes::verification | takes::format | takes::saved_output |
                           takes::exit_status | takes::running | takes::help,
                       verify_pairs_options(),
                       run_verify};

}  // namespace command
