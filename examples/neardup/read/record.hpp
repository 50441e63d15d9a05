// What a record holds: its texts and its id, whatever the format.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../ground/exact_number.hpp"
#include "input_settings.hpp"
#include "source.hpp"

namespace command {

/// What the program wants to know of a record. The views are valid until the next one is read.
struct record {
  /// The texts; no feature spans two of them. With --weighted-field: a word, its weight, the next word, and so on.
  std::vector<std::string_view> fields;
  /// The same as they stand in a JSON string, without its quotes; null for an array of strings. Of other formats none.
  std::vector<std::string_view> quoted;
  std::string_view id;
  bool has_id = false;
  bool is_blank = false;            ///< what stands between records: it is none
  bool is_html = false;             ///< a record of a crawl that is no plain text, and is left out,
  bool is_packed = false;           ///< or a text that is packed,
  bool is_no_text = false;          ///< or one of any other kind
  key_kind key = key_kind::number;  ///< what it has in the field of --keep highest and lowest
  double score = 0;                 ///< its number there
  std::string_view exact_key;       ///< a text there, or the number as it is written if the score may not be the same
  std::string_view source;          ///< what it has of the field that --by names; empty if it has none
  bool ill_formed = false;          ///< it was not UTF-8; U+FFFD stands for what was not

  void clear() {
    fields.clear();
    quoted.clear();
    id = exact_key = source = {};
    key = key_kind::number;
    has_id = is_blank = is_html = is_packed = is_no_text = ill_formed = false;
    score = 0;
  }

  [[nodiscard]] bool is_left_out() const noexcept { return is_html || is_packed || is_no_text; }
};

/// Reads a record of a source, behind which there must be `padding` readable bytes. Returns: what is wrong with it;
/// nothing if all is well.
using record_reader =
    std::function<std::optional<std::string>(const source& from, std::string_view content, record& out)>;

/// By the format of the source. One for each thread.
record_reader make_record_reader(const input_settings& settings);

}  // namespace command
