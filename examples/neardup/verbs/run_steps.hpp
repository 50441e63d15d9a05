// Code for the verbs that are tasks of a run on many machines.
#pragma once

#include <neardup/passages.hpp>

#include "../documents/run_files.hpp"
#include "../line/taking.hpp"
#include "passage_finding.hpp"

namespace command {

/// Returns the settings of a task that reads files of a run. `others`: further files that the task reads.
/// Throws: usage_error, input_error; output_error if the file of --output cannot be written.
run_settings take_files_of_run(const typed_options& typed, const std::vector<std::string>& others = {});

/// Refuses an output that is one of `files`, as when a folder of the input contains the output.
/// Throws: usage_error.
void refuse_output_among(run_settings settings, const std::vector<std::string>& files);

/// Returns the number from 0 to `most` that is the value of `option`.
/// Throws: usage_error if the option has no such value.
std::uint64_t required_number(const typed_options& typed, const char* option, std::uint64_t most);

/// Calls `use(shuffle)` with the neardup::passage_shuffle of a run. It uses one thread, because the bytes of its blobs
/// depend on the number of threads, and a repeated task has to write the same file.
/// Precondition: the run searches for passages.
template <class Use>
auto with_shuffle(const run_plan& plan, const Use& use) {
  return with_units(plan.passages->are_bytes, [&](const auto& tokenizer) {
    const neardup::passage_options options{.length = plan.passages->length,
                                           .least_documents = plan.passages->least_documents};
    return use(neardup::passage_shuffle(options, plan.partitions, tokenizer));
  });
}

/// The option of the verbs that decide about the pairs of all partitions.
inline constexpr option_row pairs_of_run_option{"--pairs", "PATH…", takes::own, section::machines,
                                                "for many machines: the files with the pairs that gather wrote for all "
                                                "partitions, or their folder. PATH names the features of all parts"};

/// Prints the groups or the pairs of a run on many machines.
/// Precondition: --pairs was given.
bool run_groups_of_run(typed_options& typed);
bool run_pairs_of_run(typed_options& typed);

}  // namespace command
