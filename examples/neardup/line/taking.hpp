// Converts typed options to the settings of a run. Settings also come from the files that the options name. All
// functions throw usage_error if options exclude each other, and input_error if a file cannot be read.
#pragma once

#include <functional>
#include <initializer_list>

#include "../compare/context.hpp"
#include "../documents/index_file.hpp"
#include "comparison.hpp"
#include "words.hpp"

namespace command {

/// The steps that a verb adds to the steps of all verbs that read documents. The steps run in the order of the members.
/// Each step may be null.
struct reading_steps {
  std::function<void(run_settings&)> paths = nullptr;  ///< checks the arguments
  /// Takes the verb's own options. For options that were not given, takes the settings from files.
  std::function<void(typed_options&, run_settings&)> stored = nullptr;
  /// Converts the options of the comparison. If this step is null, take_comparison() converts them.
  std::function<void(const typed_options&, run_settings&)> comparison = nullptr;
  std::function<void(const typed_options&, run_settings&)> last = nullptr;  ///< refuses invalid combinations of options
  /// Returns other files that the verb reads, which must not be overwritten.
  std::function<std::vector<std::string>()> other_files = nullptr;
  width_rule widths = {};
  bool writes_lists = false;  ///< true if the verb writes lists (--format bin)
  bool is_stored = false;     ///< true if fingerprints are stored in a file, or come from a file
  /// The message if no documents are named. It is null if the verb needs no documents.
  const char* without_input = "no input: name files or folders, or - for standard input";
};
run_settings take_reading(typed_options& typed, const reading_steps& steps = {});

/// Returns settings with only the paths and the names of files. take_reading() calls this function first. Verbs that
/// read no documents call it directly.
run_settings settings_of(const typed_options& typed);

/// Sets the output, the threads and the memory in `to`, by --output, --format, --threads and similar options.
void take_output(const typed_options& typed, run_settings& to, bool writes_lists = false);

/// Refuses an output that is also an input, or that is the same file as another output. `others` are further inputs.
/// `reads_documents`: true if the paths are documents. Each document is then compared with standard output when it is
/// read.
void refuse_overwriting(const run_settings& to, const std::vector<std::string>& others, bool reads_documents);

std::ptrdiff_t streams_in(const std::vector<std::string>& paths);
void refuse_if_given(const typed_options& typed, std::initializer_list<const char*> names, const std::string& why);
/// Refuses the options `names`, and all options that choose how whole documents are compared, except --features,
/// --similarity and those that name a corpus or a field.
void refuse_comparing(const typed_options& typed, std::initializer_list<const char*> names, const std::string& why);
void refuse_empty_name(const typed_options& typed, const char* option);

/// For options that were not given, takes the composition of the index `stored`.
void take_composition(typed_options& typed, const index_settings& stored);
void refuse_other_features(const typed_options& typed, const index_settings& stored);
/// If neither --within nor --across was given, takes the option with which the index was made, if any.
/// Throws: usage_error if one of the options was given, and the index does not keep the values of its field.
void take_pairing(typed_options& typed, const index_settings& stored);
/// If the index `stored` has no features, sets `to.against.without_features`.
/// Throws: usage_error if an option needs features that the index does not have.
void take_what_is_kept(const typed_options& typed, const index_settings& stored, run_settings& to);
/// Refuses a check that needs data which no index has.
void refuse_check_of_index(const typed_options& typed);

/// Returns the typed options of the section Input, with their values.
std::vector<std::string> input_words(const typed_options& typed);
/// Refuses the options of the section Input, for a run that reads no documents.
void refuse_input_options(const typed_options& typed, const std::string& why);

}  // namespace command
