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

/// What part of the input is one document.
enum class unit_of_input {
  files,
  lines,
  json_lines,
  json_array,  ///< an element of the array: determined for a source of JSON Lines by its beginning
  csv,         ///< a row of a table with values separated by commas
  tsv,         ///< a row of a table with values separated by tabs
  warc,        ///< a record of a web crawl
  mail,        ///< a file that is a message; determined for a source of mail by its beginning
  mbox,        ///< a message of a mail box
  automatic,   ///< determined by the name or the beginning of each source
  codes,       ///< a line: a code in hexadecimal digits, and the id behind it
  fingerprints
};

/// Returns true if a source is one document.
inline bool is_whole_source(unit_of_input unit) { return unit == unit_of_input::files || unit == unit_of_input::mail; }

/// Returns true if a document is a mail. Its fields are then the fields of the header of the mail.
inline bool is_of_mail(unit_of_input unit) { return unit == unit_of_input::mail || unit == unit_of_input::mbox; }

/// Returns true if each line is a record.
inline bool is_of_lines(unit_of_input unit) {
  return unit == unit_of_input::lines || unit == unit_of_input::json_lines || unit == unit_of_input::codes;
}

/// Returns true if a document is a record with fields. If false, it is only a text.
inline bool has_fields(unit_of_input unit) {
  return unit >= unit_of_input::json_lines && unit <= unit_of_input::automatic;
}

/// The documents of a run, and the parts of the documents that are read.
struct input_settings {
  std::vector<std::string> paths;
  std::string names_from;  ///< a file that lists further paths; "-" is standard input, empty: none
  std::size_t first_listed =
      std::numeric_limits<std::size_t>::max();  ///< index of the first path that comes from the list
  std::vector<std::uint64_t> listed_at;         ///< numbers of their lines, or of zero-ended names
  bool first_may_be_verb = false;               ///< the first path is where a verb would be, and looks like one
  /// Returns a hint for a path that does not exist, if the user may have meant another word.
  std::function<std::string(const std::string& path, bool may_be_verb)> hint;

  unit_of_input unit = unit_of_input::files;
  std::string encoding;                      ///< encoding of the texts, by its name in iconv; empty: UTF-8
  bool reads_quotes = false;                 ///< mails are compared with the text that they quote
  std::shared_ptr<const chinese_fold> fold;  ///< characters of the texts that count as equal, if any
  std::vector<std::string> text_fields{"text"};
  std::string weighted_field;   ///< instead of texts: an array of words with weights; empty: none
  bool fields_are_ids = false;  ///< the texts are ids, which may be numbers in JSON
  std::string code_field;       ///< instead of texts: a code in hexadecimal digits; empty: none
  std::size_t code_bits = 0;    ///< width of each code; 0: any number of whole bytes
  std::string score_field;      ///< a number in JSON records; empty: none
  std::string source_field;     ///< the field that --by needs; empty: none
  std::string id_field = "id";
  bool id_field_required = false;
  bool keeps_texts = false;  ///< documents are passed on with their texts
  bool watches_ids = false;  ///< true if several documents with one id are reported

  std::vector<std::string> include;
  std::vector<std::string> exclude;
  bool reads_hidden = false;  ///< true if hidden files in folders are read
  bool reads_binary = false;
  bool skip_bad = false;
  bool strict = false;

  bool needs_source_field = false;   ///< true if a record without a value in source_field is an error
  bool is_read_twice = false;        ///< input that cannot be read again is copied
  std::vector<std::string> written;  ///< files that this run writes, which are not input
  std::vector<std::string> indexes;  ///< index files among the paths
  unsigned threads = 1;
};

/// Returns true if a record may have several texts.
inline bool has_several_texts(const input_settings& settings) {
  return settings.text_fields.size() > 1 || settings.text_fields.front().find("[*]") != std::string::npos;
}

/// Returns true if documents are codes, not texts.
inline bool has_codes(const input_settings& settings) {
  return settings.unit == unit_of_input::codes || (has_fields(settings.unit) && !settings.code_field.empty());
}

}  // namespace command
