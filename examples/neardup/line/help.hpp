// What --help says besides the options: the verbs, the rules, examples; and which word may have been meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verb.hpp"

namespace command {

/// Nothing if no verb is called so.
const verb* verb_called(verb_table verbs, std::string_view name);

/// The name that may be meant by a word: it begins with it, or differs in few letters; empty if none is like it.
std::string meant_by(std::string_view word, const std::vector<std::string>& names);

/// "did you mean pairs?" of a word that is like a verb, "verbs are groups, pairs, …, report and diff" of any other.
std::string hint_at_verbs(verb_table verbs, std::string_view word);

/// Text in lines of at most so many characters; {similarity} and its like in it are the defaults of that name.
std::string wrapped(std::string_view text, std::size_t width);

/// The verbs, one a line.
std::string list_of_verbs(verb_table verbs);

/// What is read and printed how.
std::string rules();

/// All examples, or some of one verb.
std::string all_examples();
std::string examples_of(std::string_view verb);

}  // namespace command
