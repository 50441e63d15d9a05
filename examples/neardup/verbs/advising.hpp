// Settings and command lines for the two forms of `neardup advise`: advice from texts alone, and advice from labelled
// pairs.
#pragma once

#include <neardup/index/recall.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../compare/context.hpp"
#include "../compare/feature_fit.hpp"

namespace command {

/// The settings of `advise`: the near-duplicates that have to be found, and the setups that are considered.
struct advised_run : run_settings {
  bool is_about_fingerprints = false;  // true if setups of fingerprints are wanted in addition to the exact command
  double recall = neardup::default_recall(neardup::fingerprint_kind::minwise);  // required share of the near-duplicates
  std::optional<neardup::feature_choice> wanted_check;                          // the value of --check-features
  std::optional<neardup::feature_choice> wanted_features;  // nullopt to try several kinds of features
  std::optional<std::size_t> wanted_bits;                  // nullopt to try 64 and 128 bits
  std::string labels;                                      // the file of --labels; empty if it is not given
  std::vector<std::string> input_words;                    // options about the input, as typed
};

/// Returns the paths as typed, after "--" if necessary. If `in_full` is false, a placeholder replaces more than ten
/// paths, which are probably from a pattern that a shell has expanded.
std::string path_words(const advised_run& settings, bool in_full);

/// Returns the options about the input, and the seed, as typed. In a command line, only the paths follow them.
std::string input_options(const advised_run& settings);

/// Returns the command line, for a POSIX shell, that finds the near-duplicates of the input exactly.
std::string exact_command(const advised_run& settings, double similarity, const compared_by& by, bool in_full);

/// Prints columns with the necessary widths. The first column is aligned left, and the others are aligned right.
void print_table(output& out, const std::vector<std::vector<std::string>>& rows);

template <class Items, class ToJson>
std::string json_array(const Items& items, const ToJson& to_json) {
  std::string text;
  for (const auto& item : items) {
    text += text.empty() ? '[' : ',';
    text += to_json(item);
  }
  return (text.empty() ? "[" : text) + ']';
}

/// Prints the precision and recall of kinds of features and similarities, computed from the labelled pairs of --labels.
/// Also prints the command line with the best settings.
/// Throws: input_error if no settings can be chosen, or, unless --skip-bad is given, if a line of the labels is wrong.
void advise_by_labels(context& c, const advised_run& settings);

}  // namespace command
