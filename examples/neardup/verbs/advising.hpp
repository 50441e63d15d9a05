// Settings and command lines for both forms of `neardup advise`: advice from texts alone, and from labelled pairs.
#pragma once

#include <neardup/index/recall.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../compare/context.hpp"
#include "../compare/feature_fit.hpp"

namespace command {

/// The settings of advise: the near-duplicates to find, and the setups to choose from.
struct advised_run : run_settings {
  bool is_about_fingerprints = false;  // true if setups of fingerprints are asked for, besides the exact command
  double recall = neardup::default_recall(neardup::fingerprint_kind::minwise);  // required share of the near-duplicates
  std::optional<neardup::feature_choice> wanted_check;                          // the value of --check-features
  std::optional<neardup::feature_choice> wanted_features;  // nullopt: several kinds of fingerprints are tried
  std::optional<std::size_t> wanted_bits;                  // nullopt: 64 and 128 bits are tried
  std::string labels;                                      // the file of --labels; empty if it is not given
  std::vector<std::string> input_words;                    // options about the input, as typed
};

/// Returns the paths as typed, after "--" if necessary. Unless `in_full`, a placeholder replaces many paths:
/// the shell has expanded a pattern to these paths, so the user has not typed them.
std::string path_words(const advised_run& settings, bool in_full);

/// Returns the options about the input and the seed, as typed, for the end of a command line.
std::string input_options(const advised_run& settings);

/// Returns the command line that finds the near-duplicates of the input exactly, for a POSIX shell.
std::string exact_command(const advised_run& settings, double similarity, const compared_by& by, bool in_full);

/// Prints columns as wide as necessary; the first one is aligned left, the others right.
void print_table(output& out, const std::vector<std::vector<std::string>>& rows);

/// Returns a JSON array of the items.
template <class Items, class ToJson>
std::string json_array(const Items& items, const ToJson& to_json) {
  std::string text;
  for (const auto& item : items) {
    text += text.empty() ? '[' : ',';
    text += to_json(item);
  }
  return (text.empty() ? "[" : text) + ']';
}

/// Prints precision and recall of kinds of features and similarities on the labelled pairs of --labels, and the command
/// of the best setting.
/// Throws: input_error if a line of the labels is wrong, unless --skip-bad is given, or if the labels say nothing.
void advise_by_labels(context& c, const advised_run& settings);

}  // namespace command
