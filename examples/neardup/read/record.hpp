// Reads the content of a record in any format: its texts and its id.
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

/// The fields of a record that the program needs. Views are valid until the next record is read.
struct record {
  /// The texts. No feature spans two texts. With --weighted-field, the elements are words, each before its weight.
  std::vector<std::string_view> fields;
  /// For JSON: the texts as the record has them, with escapes, but without quotes. An element is null if its text is an
  /// array of strings. For other formats, the vector is empty.
  std::vector<std::string_view> quoted;
  /// The name of the field of each text, with the number of the array's element. Empty if no --text-field has "[*]".
  std::vector<std::string_view> names;
  std::string_view id;
  bool has_id = false;
  bool is_blank = false;         ///< true for blanks between records
  bool is_html = false;          ///< true if a record of a crawl is HTML, and is left out
  bool is_packed = false;        ///< true if a record of a crawl is compressed, and is left out
  bool is_no_text = false;       ///< true if a record of a crawl has other content, and is left out
  bool has_attachments = false;  ///< true if a mail has parts that are not read
  bool is_undecoded = false;     ///< true if a part of a mail cannot be decoded, and is read without decoding
  /// For crawls and mails: the label of the charset that was decoded, or of the first unknown charset.
  std::string_view charset;
  bool is_charset_unknown = false;  ///< true if the label is unknown
  key_kind key = key_kind::number;  ///< kind of the value in the field that --keep names
  double score = 0;                 ///< the value in that field, if it is a number
  std::string_view exact_key;       ///< the value in that field, if it is a text, or if `score` may round it
  std::string_view source;          ///< value of the field that --by names; empty if the record has none
  bool ill_formed = false;          ///< true if the texts were not UTF-8; U+FFFD replaces the ill-formed bytes

  void clear() {
    fields.clear();
    quoted.clear();
    names.clear();
    id = exact_key = source = charset = {};
    is_charset_unknown = false;
    key = key_kind::number;
    has_id = is_blank = is_html = is_packed = is_no_text = has_attachments = is_undecoded = ill_formed = false;
    score = 0;
  }

  [[nodiscard]] bool is_left_out() const noexcept { return is_html || is_packed || is_no_text; }
};

/// Reads the record `content` of a source into `out`. `padding` readable bytes must follow `content`.
/// Returns: an error message, or nullopt if the record is valid.
using record_reader =
    std::function<std::optional<std::string>(const source& from, std::string_view content, record& out)>;

/// Makes a reader for the format of the source. Each thread needs its own reader.
record_reader make_record_reader(const input_settings& settings);

}  // namespace command
