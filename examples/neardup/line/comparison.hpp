// Settings of fingerprints and comparison: typed options, and the settings that a similarity implies, by the library's
// defaults and the rule in docs/command.md. All functions throw usage_error.
#pragma once

#include "../compare/context.hpp"
#include "words.hpp"

namespace command {

/// The widths of fingerprints that --bits accepts, also as text.
struct width_rule {
  std::size_t least = 32, most = 256;
  const char* text = "fingerprints have 32, 64, 128 or 256 bits";
};

/// Takes the options of fingerprints: features, weights, kind and width.
void take_fingerprint(const typed_options& typed, const width_rule& widths, run_settings& to);

/// Takes --grouping.
void take_grouping(const typed_options& typed, run_settings& to);

/// Returns the value of --similarity, or its default.
double similarity_of(const typed_options& typed);

/// Returns true if --similarity and --min-similarity are both given, and different.
bool has_two_similarities(const typed_options& typed);

/// Takes the distance and the check. --distance alone means no check; otherwise a similarity chooses the settings.
/// `is_of_index`: true if features may be kept without being checked.
void take_comparison(const typed_options& typed, run_settings& to, bool is_of_index = false);

/// Refuses a distance, or a number of blocks, that fingerprints of their width cannot have.
void check_distance(const run_settings& settings);

/// Returns true if documents are codes, not texts.
bool reads_codes(const typed_options& typed);

/// Refuses options that need the features of one text, if --same is given.
void refuse_what_same_cannot(const typed_options& typed, const run_settings& to);

/// Returns the first typed option that asks for fingerprints; empty if there is none.
std::string option_of_fingerprints(const typed_options& typed);
/// Returns the option that gives features weights, which only fingerprints have; empty if there is none.
std::string option_of_weights(const typed_options& typed);

/// Returns true if the verb can compare features directly, and no typed option asks for fingerprints. Other options or
/// files may still require fingerprints.
bool may_be_exact(const typed_options& typed);

/// Returns true if kind, width and distance are those that the similarity would choose.
/// Precondition: there is a similarity, and the check is not by edit distance.
bool are_chosen_by_similarity(const fingerprint_settings& fingerprint, const comparison_settings& comparison);

/// Reports the settings that a similarity implies, and the equivalent options. If the command finds candidates by
/// fingerprints, and no option asked for fingerprints, also reports why.
void say_choice(const run_settings& settings);

}  // namespace command
