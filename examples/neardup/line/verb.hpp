// What a verb is to the command line: its name, its options, and what it does.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace command {

class typed_options;

/// Options that several verbs have come in groups, of which a verb names those that it takes.
using option_groups = unsigned;
namespace takes {
enum : option_groups {
  own = 0,                     ///< an option of one verb, which stands in the file of that verb
  texts = 1U << 0,             ///< documents: which, and how they are read
  fingerprints = 1U << 1,      ///< their kind and width, and the similarity that chooses these
  weights = 1U << 2,           ///< what features weigh
  features = 1U << 3,          ///< what counts as a feature
  dictionary = 1U << 4,        ///< words by a dictionary
  seed = 1U << 5,              ///< of the hash
  comparison = 1U << 6,        ///< when two documents are near-duplicates; another corpus
  near_against = 1U << 7,      ///< of the input what is near the other corpus,
  far_from_against = 1U << 8,  ///< or what is not
  copies = 1U << 9,            ///< how often copies are printed
  grouping = 1U << 10,         ///< which documents make a group, and which one stands for it
  blocks = 1U << 11,           ///< of an index that is made for the run
  verification = 1U << 12,     ///< of files
  format = 1U << 13,           ///< text or JSON Lines
  output = 1U << 14,           ///< a file that is written bit by bit,
  saved_output = 1U << 15,     ///< or at the end
  exit_status = 1U << 16,      ///< whether anything was found
  running = 1U << 17,          ///< threads, and what is said meanwhile
  help = 1U << 18,             ///< in brief and in full,
  short_help = 1U << 19,       ///< or where all of it fits on a page
  exact = 1U << 20,            ///< joins that no fingerprint decides
  same = 1U << 21,             ///< what near-duplicates have to have in common besides
  /// What all have in common that compare the documents of their input.
  comparing = texts | fingerprints | weights | features | dictionary | seed | comparison | blocks | output |
              exit_status | running | help
};
}  // namespace takes

/// Sections of the help, in their order.
namespace section {
inline constexpr const char *input = "Input", *fingerprint = "Fingerprint", *comparison = "Comparison",
                            *search = "Search", *index = "Index", *shards = "Shards", *output = "Output";
}

/// Whether --help shows an option, which --help-all does of all: never, of a verb, or also where no verb is named.
enum class usual { no, with_verb, always };

struct option_row {
  const char* name;   ///< "--lines", or with a short one "--null,-0"
  const char* value;  ///< what it takes; nothing: it is a flag. With … behind it may be given several times
  option_groups of;   ///< a bit for each group that has it, or has it so
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
inline constexpr const char* flag = nullptr;

struct verb {
  const char* name;
  const char* arguments;
  const char* summary;
  const char* text;  ///< what it prints
  option_groups groups;
  /// Its own options, which stand before those of groups in each section of the help.
  std::span<const option_row> own;
  /// Returns: whether something was found of what it looks for. Throws: usage_error, input_error or output_error.
  bool (*run)(typed_options& typed);
};

/// All verbs. The first one is meant where none is named.
using verb_table = std::span<const verb* const>;

}  // namespace command
