// Converts typed options to the settings of fingerprints and comparison. A similarity implies further settings, by the
// defaults of the library and the rule in docs/command.md. The functions throw usage_error for invalid options.
#pragma once

#include "../compare/context.hpp"
#include "words.hpp"

namespace command {

/// The widths of fingerprints that --bits accepts, and their description for messages.
struct width_rule {
  std::size_t least = 32, most = 256;
  const char* text = "fingerprints have 32, 64, 128 or 256 bits";
};

/// Sets the kind and width of fingerprints, the features and the weights in `to`.
void take_fingerprint(const typed_options& typed, const width_rule& widths, run_settings& to);

void take_grouping(const typed_options& typed, run_settings& to);

/// Returns the value of --similarity, or the default.
double similarity_of(const typed_options& typed);

/// Returns true if --similarity and --min-similarity are both given, and their values differ.
bool has_two_similarities(const typed_options& typed);

/// Sets the distance, the check and the grouping in `to`. With --distance alone, there is no check. Otherwise a
/// similarity determines the missing settings. `is_of_index`: true if --check-features may be given without a check.
void take_comparison(const typed_options& typed, run_settings& to, bool is_of_index = false);

/// Refuses a distance or a number of blocks that is impossible for the width of the fingerprints.
void check_distance(const run_settings& settings);

/// Returns true if documents are codes instead of texts.
bool reads_codes(const typed_options& typed);

/// If --same is given, refuses options and inputs for which the features that --same names cannot be compared.
void refuse_what_same_cannot(const typed_options& typed, const run_settings& to);

/// Returns the first typed option that asks for fingerprints, or an empty text if there is none.
std::string option_of_fingerprints(const typed_options& typed);
/// Returns the option that gives weights to features, or an empty text if there is none. Only fingerprints have
/// weights.
std::string option_of_weights(const typed_options& typed);

/// Returns true if the verb can compare features directly, and no typed option asks for fingerprints. Other options or
/// files may still require fingerprints.
bool may_be_exact(const typed_options& typed);

/// Prints notes, each only if it applies: the options that a similarity stands for, the share of pairs that --distance
/// finds and misses, the note settings.unchecked, and why fingerprints are used although no option asks for them.
void say_choice(const run_settings& settings);

}  // namespace command
