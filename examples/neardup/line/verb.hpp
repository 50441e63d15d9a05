// A verb of the command line: its name, its options, and its function.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace command {

class typed_options;

/// Groups of options that several verbs share. A verb names the groups that it takes.
using option_groups = unsigned;
namespace takes {
enum : option_groups {
  own = 0,                     ///< an option of one verb, defined in the verb's file
  texts = 1U << 0,             ///< the documents, and the way in which they are read
  fingerprints = 1U << 1,      ///< kind and width of fingerprints
  weights = 1U << 2,           ///< weights of features
  features = 1U << 3,          ///< kinds of features
  dictionary = 1U << 4,        ///< words from a dictionary
  seed = 1U << 5,              ///< seed of the hash
  comparison = 1U << 6,        ///< conditions for near-duplicates; names another corpus
  near_against = 1U << 7,      ///< selects documents of the input that are near the other corpus
  far_from_against = 1U << 8,  ///< selects documents of the input that are not near the other corpus
  copies = 1U << 9,            ///< the number of times that copies are printed
  grouping = 1U << 10,         ///< the documents that form a group, and the choice of the representative
  blocks = 1U << 11,           ///< the number of blocks of an index that is made for the run
  verification = 1U << 12,     ///< verification of files
  format = 1U << 13,           ///< text or JSON Lines
  output = 1U << 14,           ///< an output file that is written step by step
  saved_output = 1U << 15,     ///< an output file that is written at the end
  exit_status = 1U << 16,      ///< the exit status tells whether anything was found
  running = 1U << 17,          ///< threads, and messages during the run
  help = 1U << 18,             ///< a brief and a full help
  short_help = 1U << 19,       ///< a single help that fits on a page
  exact = 1U << 20,            ///< joins without fingerprints
  same = 1U << 21,             ///< further features that near-duplicates must share
  codes = 1U << 22,            ///< fingerprints of other programs in place of texts
  pairing = 1U << 23,          ///< a field that decides which documents are compared
  similarity = 1U << 24,       ///< the similarity that chooses the other settings
  /// The groups of options for all verbs that compare the documents of their input.
  comparing = texts | fingerprints | similarity | weights | features | dictionary | seed | comparison | blocks |
              output | exit_status | running | help
};
}  // namespace takes

namespace section {
inline constexpr const char *input = "Input", *features = "Features", *fingerprint = "Fingerprint",
                            *comparison = "Comparison", *search = "Search", *index = "Index",
                            *machines = "Many machines", *output = "Output";
}

/// Tells when --help shows an option: never, only in the help of a verb, or always. --help-all shows all options.
enum class usual { no, with_verb, always };

struct option_row {
  const char* name;   ///< "--lines", or "--null,-0" with a short form
  const char* value;  ///< name of the argument, or null for a flag; if it ends with …, the option may be repeated
  option_groups of;   ///< the groups that contain the option, as bits
  const char* section;
  const char* help;
  usual shown = usual::no;
  const char* brief = nullptr;  ///< a shorter text for --help, if needed

  /// Returns the long form of the name, such as "--null" for "--null,-0".
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
  const char* text;  ///< describes the output of the example
  option_groups groups;
  /// The options of this verb only. In each section of the help, they come before the options of groups.
  std::span<const option_row> own;
  /// Runs the verb.
  /// Returns: true if the verb found results.
  /// Throws: usage_error for invalid options, input_error for bad input, and output_error if output cannot be written.
  bool (*run)(typed_options& typed);
};

/// All verbs. The first verb is the default.
using verb_table = std::span<const verb* const>;

}  // namespace command
