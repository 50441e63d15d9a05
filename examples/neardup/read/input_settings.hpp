// Settings for the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "../ground/chinese_fold.hpp"

namespace command {

/// The part of the input that is one document.
enum class unit_of_input {
  files,
  lines,
  json_lines,
  json_array,  ///< an element of an array; chosen if a source of JSON Lines begins with an array
  csv,         ///< a row of a table with values separated by commas
  tsv,         ///< a row of a table with values separated by tabs
  warc,        ///< a record of a web crawl
  mail,        ///< a file that is a message; chosen if a source of mail begins like a message
  mbox,        ///< a message of a mail box
  automatic,   ///< determined by the name or the beginning of each source
  codes,       ///< a line: a code in hexadecimal digits, and then the id
  fingerprints
};

inline bool is_whole_source(unit_of_input unit) { return unit == unit_of_input::files || unit == unit_of_input::mail; }

/// Returns true if a document is a mail. Its fields are then the fields of the header of the mail.
inline bool is_of_mail(unit_of_input unit) { return unit == unit_of_input::mail || unit == unit_of_input::mbox; }

inline bool is_of_lines(unit_of_input unit) {
  return unit == unit_of_input::lines || unit == unit_of_input::json_lines || unit == unit_of_input::codes;
}

/// Returns true if a document is a record with fields. Otherwise a document is only a text.
inline bool has_fields(unit_of_input unit) {
  return unit >= unit_of_input::json_lines && unit <= unit_of_input::automatic;
}

/// The documents of a run, and the parts of the documents that are read.
struct input_settings {
  std::vector<std::string> paths;
  std::string names_from;  ///< a file that lists further paths, or "-" for standard input; empty if there is none
  std::size_t first_listed =
      std::numeric_limits<std::size_t>::max();  ///< index of the first path that comes from the list
  std::vector<std::uint64_t> listed_at;         ///< numbers of the lines, or of the zero-ended names, of these paths
  bool first_may_be_verb = false;               ///< the first path is in the place of a verb, and looks like one
  /// Returns a hint for a path that does not exist, if the user may have meant a verb or a text.
  std::function<std::string(const std::string& path, bool may_be_verb)> hint;

  unit_of_input unit = unit_of_input::files;
  std::string encoding;                      ///< name of the texts' encoding for iconv; empty for UTF-8
  bool reads_quotes = false;                 ///< true if mails are compared with the text that they quote
  std::shared_ptr<const chinese_fold> fold;  ///< table of characters that count as equal, or null
  std::vector<std::string> text_fields{"text"};
  std::string weighted_field;   ///< field with an array of words and weights, which replaces texts; or empty
  bool fields_are_ids = false;  ///< true if the texts are ids, which may be numbers in JSON
  std::string hint_of_fields;   ///< ends the error message about a text field that is missing
  std::string code_field;       ///< field with a code in hexadecimal digits, which replaces texts; or empty
  std::size_t code_bits = 0;    ///< width of each code; 0 for any number of whole bytes
  std::string score_field;      ///< field with the value for --keep; empty if there is none
  std::string source_field;     ///< field for --by; empty if there is none
  std::string id_field = "id";
  bool id_field_required = false;
  bool keeps_texts = false;  ///< true if documents are passed on with their texts
  bool watches_ids = false;  ///< true if documents with the id of an earlier document are marked

  std::vector<std::string> include;
  std::vector<std::string> exclude;
  bool reads_hidden = false;  ///< true if hidden files in folders are read
  bool reads_binary = false;
  bool skip_bad = false;
  bool strict = false;

  bool needs_source_field = false;   ///< true if a record without a value in source_field is an error
  bool is_read_twice = false;        ///< true if input that cannot be read again has to be copied
  std::vector<std::string> written;  ///< files that this run writes, which are excluded from the input
  std::vector<std::string> indexes;  ///< index files among the paths
  unsigned threads = 1;
};

inline bool has_several_texts(const input_settings& settings) {
  return settings.text_fields.size() > 1 || settings.text_fields.front().find("[*]") != std::string::npos;
}

inline bool has_codes(const input_settings& settings) {
  return settings.unit == unit_of_input::codes || (has_fields(settings.unit) && !settings.code_field.empty());
}

}  // namespace command
