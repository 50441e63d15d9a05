// The settings of fingerprints and comparison: from what was typed, and what a similarity chooses for the rest, by the
// defaults of the library and by the rule in docs/command.md. All of these throw usage_error.
#pragma once

#include "../compare/context.hpp"
#include "words.hpp"

namespace command {

/// The widths of fingerprints that --bits may name, in words, too.
struct width_rule {
  std::size_t least = 32, most = 256;
  const char* text = "fingerprints have 32, 64, 128 or 256 bits";
};

/// What fingerprints are made of: features, weights, kind and width.
void take_fingerprint(const typed_options& typed, const width_rule& widths, run_settings& to);

/// --similarity, or its default.
double similarity_of(const typed_options& typed);

/// Whether --similarity and --min-similarity are given, and are not the same.
bool has_two_similarities(const typed_options& typed);

/// The distance and the check: --distance alone is one without a check, all else is chosen for a similarity.
/// `is_of_index`: features may be kept without being checked.
void take_comparison(const typed_options& typed, run_settings& to, bool is_of_index = false);

/// Refuses what goes without the features of one text, if --same is given.
void refuse_what_same_cannot(const typed_options& typed, const run_settings& to);

/// Whether the verb can compare features themselves, and no option asks for fingerprints. Only what else is typed, or
/// stands in files, leaves candidates to fingerprints then.
bool may_be_exact(const typed_options& typed);

/// Whether kind, width and distance are those that the similarity chooses if none of them is given. Precondition: there is
/// a similarity, and it is not by the edit distance.
bool are_chosen_by_similarity(const fingerprint_settings& fingerprint, const comparison_settings& comparison);

/// Says what a similarity was taken for, the options that would say the same, and what makes candidates come from
/// fingerprints unasked.
void say_choice(const run_settings& settings);

}  // namespace command
