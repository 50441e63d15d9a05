// The output of --help besides options: verbs, rules, examples; and suggestions for misspelt words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verb.hpp"

namespace command {

/// Returns a verb; null if there is no such verb.
const verb* verb_called(verb_table verbs, std::string_view name);

/// Returns the name that a misspelt word may mean: a name that begins with the word, or differs from it in few letters.
/// Returns an empty string if no name is similar.
std::string meant_by(std::string_view word, const std::vector<std::string>& names);

/// Returns "did you mean pairs?" for a word similar to a verb, and "verbs are groups, pairs, …, report and diff" for
/// any other.
std::string hint_at_verbs(verb_table verbs, std::string_view word);

/// Returns the text in lines of at most `width` characters. Defaults replace {similarity} and similar names.
std::string wrapped(std::string_view text, std::size_t width);

/// Returns the verbs, one per line.
std::string list_of_verbs(verb_table verbs);

/// Returns the rules of input and output.
std::string rules();

/// Returns all examples, or the examples of one verb.
std::string all_examples();
std::string examples_of(std::string_view verb);

}  // namespace command
