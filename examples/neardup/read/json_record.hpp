// What a line holds: a text, or a JSON object with its text fields and its id.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input_settings.hpp"

namespace command {

/// What the program wants to know of a record. The views are valid until the next one is read.
struct record {
  /// The texts; no feature spans two of them. With --weighted-field: a word, its weight, the next word, and so on.
  std::vector<std::string_view> fields;
  std::string_view id;
  bool has_id = false;
  bool is_blank = false;         ///< a line between JSON records: it is none
  double score = 0;              ///< by --keep highest and lowest
  std::string_view exact_score;  ///< the number that the record has, if it may not be the same
  bool ill_formed = false;       ///< it was not UTF-8; U+FFFD stands for what was not
};

/// Reads a line, behind which there must be `padding` readable bytes. Returns: what is wrong with it; nothing if all is
/// well.
using record_reader = std::function<std::optional<std::string>(std::string_view line, record& out)>;

/// By --lines or --jsonl. JSON is checked whole: also what is not asked for must be valid. One for each thread.
record_reader make_record_reader(const input_settings& settings);

/// Whether bytes are well-formed UTF-8.
bool is_utf8(std::string_view bytes);

}  // namespace command
