// What the command line has, as tables: verbs, options, and what --help says of them.
#pragma once

#include <span>
#include <string_view>

#include "options.hpp"

namespace command {

struct context;

struct verb_row {
  verb action;
  const char* name;
  const char* arguments;
  const char* summary;
  const char* text;  ///< what it prints
  void (*run)(context&);
};

/// The first one is meant where none is named.
std::span<const verb_row> all_verbs();

/// Nothing if no verb is called so.
const verb_row* find_verb(std::string_view name);
const verb_row& row_of(verb action);

/// The name that may be meant by a word: it begins with it, or differs in few letters; empty if none is like it.
std::string meant_by(std::string_view word, const std::vector<std::string>& names);

/// "did you mean pairs?" of a word that is like a verb, "verbs are groups, pairs, …, report and diff" of any other.
std::string hint_at_verbs(std::string_view word);

/// Whether --help shows an option, which --help-all does of all: never, of a verb, or also where no verb is named.
enum class usual { no, with_verb, always };

struct option_row {
  const char* name;   ///< "--lines", or with a short one "--null,-0"
  const char* value;  ///< what it takes; nothing: it is a flag. With … behind it may be given several times
  unsigned verbs;     ///< a bit for each that has it, or has it so
  const char* section;
  const char* help;
  usual shown = usual::no;
  const char* brief = nullptr;  ///< what --help says, if it is shorter

  /// "--null" of "--null,-0"
  [[nodiscard]] std::string long_name() const {
    const std::string_view both(name);
    return std::string(both.substr(0, both.find(',')));
  }
};

std::span<const option_row> all_options();

[[nodiscard]] constexpr unsigned bit_of(verb action) { return 1U << static_cast<unsigned>(action); }

/// Text in lines of at most so many characters; {similarity} and its like in it are the defaults of that name.
std::string wrapped(std::string_view text, std::size_t width);

/// The verbs, one a line.
std::string list_of_verbs();

/// What is read and printed how.
std::string rules();

/// All examples, or some of one verb.
std::string all_examples();
std::string examples_of(std::string_view verb);

}  // namespace command
