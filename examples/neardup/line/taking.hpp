// From what was typed, and what stands in the files that it names, to the settings of a run. All of these throw usage_error
// for what does not go together, and input_error for files that cannot be read.
#pragma once

#include <functional>
#include <initializer_list>

#include "../compare/context.hpp"
#include "../documents/index_file.hpp"
#include "comparison.hpp"
#include "words.hpp"

namespace command {

/// What a verb that reads documents does besides what all of them have in common, in this order; each step may be missing.
struct reading_steps {
  std::function<void(run_settings&)> paths = nullptr;  ///< looks at the arguments
  /// Takes what stands in files, for options that were not given, and what the verb is about.
  std::function<void(typed_options&, run_settings&)> stored = nullptr;
  /// Takes what is compared; if it is missing, the options of takes::comparison are taken.
  std::function<void(const typed_options&, run_settings&)> comparison = nullptr;
  std::function<void(const typed_options&, run_settings&)> last = nullptr;  ///< refuses what else there is
  /// What is read besides the documents and must not be written to.
  std::function<std::vector<std::string>()> other_files = nullptr;
  width_rule widths = {};
  bool writes_lists = false;  ///< --format bin
  bool is_stored = false;     ///< fingerprints are kept in a file, or come from one
  const char* without_input = "no input: name files or folders, or - for standard input";
};
run_settings take_reading(typed_options& typed, const reading_steps& steps = {});

/// The beginning of the same, for verbs that read no documents: the paths and names of files.
run_settings settings_of(const typed_options& typed);

/// The end of the same: --output, --format, --threads and their like.
void take_output(const typed_options& typed, run_settings& to, bool writes_lists = false);

/// What is written must be none of the files that are named to be read, `others` among them, nor each other's. Documents,
/// if the paths are these, are looked at when they are found.
void refuse_overwriting(const run_settings& to, const std::vector<std::string>& others, bool reads_documents);

std::ptrdiff_t streams_in(const std::vector<std::string>& paths);
void refuse_if_given(const typed_options& typed, std::initializer_list<const char*> names, const std::string& why);
void refuse_empty_name(const typed_options& typed, const char* option);

/// What the fingerprints of an index are made of, where it is not given.
void take_composition(typed_options& typed, const index_settings& stored);
void refuse_other_features(const typed_options& typed, const index_settings& stored);
/// Notes an index that keeps no features. Throws: usage_error if something is asked for that needs them.
void take_what_is_kept(const typed_options& typed, const index_settings& stored, run_settings& to);
/// Refuses a check of what no index keeps.
void refuse_check_of_index(const typed_options& typed);

/// The options about the input, as they were typed.
std::vector<std::string> input_words(const typed_options& typed);

}  // namespace command
