// Converts typed options to the settings of fingerprints and comparison. A similarity implies further settings, by the
// defaults of the library and the rule in docs/command.md. All functions throw usage_error.
#pragma once

#include "../compare/context.hpp"
#include "words.hpp"

namespace command {

/// The widths of fingerprints that --bits accepts, and their description for messages.
struct width_rule {
  std::size_t least = 32, most = 256;
  const char* text = "fingerprints have 32, 64, 128 or 256 bits";
};

/// Converts the options of fingerprints: features, weights, kind and width.
void take_fingerprint(const typed_options& typed, const width_rule& widths, run_settings& to);

void take_grouping(const typed_options& typed, run_settings& to);

/// Returns the value of --similarity, or the default.
double similarity_of(const typed_options& typed);

/// Returns true if --similarity and --min-similarity are both given, and their values differ.
bool has_two_similarities(const typed_options& typed);

/// Converts the options of the distance and the check. With --distance alone, there is no check. Otherwise a similarity
/// determines the settings. `is_of_index`: true if features may be kept although they are not checked.
void take_comparison(const typed_options& typed, run_settings& to, bool is_of_index = false);

/// Refuses a distance or a number of blocks that is impossible for the width of the fingerprints.
void check_distance(const run_settings& settings);

/// Returns true if documents are codes instead of texts.
bool reads_codes(const typed_options& typed);

/// If --same is given, refuses options that need the features of a single text.
void refuse_what_same_cannot(const typed_options& typed, const run_settings& to);

/// Returns the first typed option that asks for fingerprints, or an empty text if there is none.
std::string option_of_fingerprints(const typed_options& typed);
/// Returns the option that gives weights to features, or an empty text if there is none. Only fingerprints have
/// weights.
std::string option_of_weights(const typed_options& typed);

/// Returns true if the verb can compare features directly, and no typed option asks for fingerprints. Other options or
/// files may still require fingerprints.
bool may_be_exact(const typed_options& typed);

/// Returns true if kind, width and distance are the ones that the similarity would imply.
/// Precondition: there is a similarity, and the check is not by edit distance.
bool are_chosen_by_similarity(const fingerprint_settings& fingerprint, const comparison_settings& comparison);

/// Prints the settings that a similarity implies, and the equivalent options. If the command uses fingerprints although
/// no option asks for fingerprints, also prints the reason.
void say_choice(const run_settings& settings);

}  // namespace command
