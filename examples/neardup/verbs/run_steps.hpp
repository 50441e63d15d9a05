// Code for the verbs that are tasks of a run on many machines.
#pragma once

#include "../documents/run_files.hpp"
#include "../line/taking.hpp"

namespace command {

/// Returns the settings of a task that reads files of a run. `others`: further files that the task reads.
/// Throws: usage_error, input_error; output_error if the file that is saved at the end cannot be written.
run_settings take_files_of_run(const typed_options& typed, const std::vector<std::string>& others = {});

/// Refuses an output that is one of the input files. Such a file may be found in a folder.
/// Throws: usage_error.
void refuse_output_among(run_settings settings, const std::vector<std::string>& files);

/// Returns the number that is the value of an option, which is at least 0.
/// Throws: usage_error if the option was not given.
std::uint64_t required_number(const typed_options& typed, const char* option, std::uint64_t most);

/// The options of the verbs that decide about gathered pairs.
inline constexpr option_row pairs_of_run_option{"--pairs", "PATH…", takes::own, section::machines,
                                                "for many machines: the files with the pairs that gather wrote for all "
                                                "partitions, or their folder. PATH names the features of all parts"};

/// Prints the groups or the pairs of a run on many machines.
/// Precondition: --pairs was given.
bool run_groups_of_run(typed_options& typed);
bool run_pairs_of_run(typed_options& typed);

}  // namespace command
