// What of the command line is about the input.
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

/// What one document is.
enum class unit_of_input {
  files,
  lines,
  json_lines,
  json_array,  ///< an element of it: what a source of JSON Lines turns out to be
  csv,         ///< a row of a table, of values between commas,
  tsv,         ///< or tabs
  warc,        ///< a record of a crawl
  automatic,   ///< what the name or the beginning of each source says
  fingerprints
};

/// Whether it is a record, as opposed to a text and nothing else.
inline bool has_fields(unit_of_input unit) {
  return unit >= unit_of_input::json_lines && unit <= unit_of_input::automatic;
}

/// Which documents there are, and what is read of each.
struct input_settings {
  std::vector<std::string> paths;
  std::string names_from;  ///< a list of further paths; "-" is standard input, empty: none
  std::size_t first_listed =
      std::numeric_limits<std::size_t>::max();  ///< of the paths: from there on they are the list's
  std::vector<std::uint64_t> listed_at;         ///< the numbers of their lines, or of names that end with a zero
  bool first_may_be_verb = false;               ///< the first path stands where a verb would, and looks like one
  /// What to say besides of a path that is not there, if anything: another word may have been meant.
  std::function<std::string(const std::string& path, bool may_be_verb)> hint;

  unit_of_input unit = unit_of_input::files;
  std::string encoding;                      ///< of the texts, as iconv names it; empty: UTF-8
  std::shared_ptr<const chinese_fold> fold;  ///< what characters of the texts count as one, if any
  std::vector<std::string> text_fields{"text"};
  std::string weighted_field;  ///< in place of texts: an array of words with their weights; empty: none
  std::string score_field;     ///< of JSON records, a number; empty: none
  std::string source_field;    ///< what --by asks for, besides; empty: none
  std::string id_field = "id";
  bool id_field_required = false;
  bool keeps_texts = false;  ///< documents are handed over with their texts, besides what is made of them
  bool watches_ids = false;  ///< whether it is said if several documents have one

  std::vector<std::string> include;
  std::vector<std::string> exclude;
  bool reads_hidden = false;  ///< in folders
  bool reads_binary = false;
  bool skip_bad = false;
  bool strict = false;

  bool is_read_twice = false;        ///< what cannot be read again is copied
  std::vector<std::string> written;  ///< files that this run writes: they are no input
  std::vector<std::string> indexes;  ///< files of indexes that are named themselves
  unsigned threads = 1;
};

}  // namespace command
