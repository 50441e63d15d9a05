// The output of --help without the options: verbs, rules and examples. Also suggestions for misspelt words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verb.hpp"

namespace command {

/// Returns the verb with this name, or null if there is none.
const verb* verb_called(verb_table verbs, std::string_view name);

/// Returns the element of `names` that the misspelt `word` may stand for: a name that begins with `word`, or differs
/// from it in few letters. Returns an empty text if no name is similar.
std::string meant_by(std::string_view word, const std::vector<std::string>& names);

/// Returns "did you mean pairs?" for a word that is similar to a verb. For any other word, returns "verbs are groups,
/// pairs, …, report and diff".
std::string hint_at_verbs(verb_table verbs, std::string_view word);

/// Returns the text in lines of at most `width` characters. {similarity} and similar names are replaced by the
/// defaults.
std::string wrapped(std::string_view text, std::size_t width);

/// Returns a list of the verbs, with one verb per line.
std::string list_of_verbs(verb_table verbs);

/// Returns the rules for input and output.
std::string rules();

/// Returns all examples, or the examples of one verb.
std::string all_examples();
std::string examples_of(std::string_view verb);

}  // namespace command
