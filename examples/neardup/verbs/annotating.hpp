// Adds a note to JSON records, or to the rows of tables. The note names the group of near-duplicates of a document.
#pragma once

#include <array>
#include <neardup/text/utf8.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "../compare/corpus.hpp"
#include "../ground/errors.hpp"
#include "../ground/text.hpp"
#include "../line/taking.hpp"
#include "../read/source.hpp"

namespace command {

inline constexpr option_row annotate_option{
    "--annotate",
    flag,
    takes::own,
    section::output,
    "write the records of the input, byte for byte and in their order, and add a member to each: "
    "\"near_duplicates\": {\"group\": …, \"original\": …, \"similarity\": …, \"size\": …}, or null for a "
    "document without near-duplicates. A table gets four columns. Nothing is dropped. Files are read twice",
    usual::with_verb,
    "write the records with one more member that names their group"};
inline constexpr option_row annotate_key_option{
    "--annotate-key", "NAME", takes::own, section::output,
    "with --annotate: the name of the member, with which the names of the columns begin (default: near_duplicates)"};

/// Reads the option --annotate.
/// Returns: the name of the member that holds the note, or nullopt if --annotate was not given.
/// Throws: usage_error if another option contradicts --annotate.
inline std::optional<std::string> take_annotate(const typed_options& given, run_settings& to) {
  if (!given.has("--annotate")) {
    refuse_if_given(given, {"--annotate-key"}, " needs --annotate");
    return std::nullopt;
  }
  refuse_if_given(given, {"--format"}, " with --annotate: records keep their format; leave out one of the two");
  refuse_if_given(given, {"--encoding"}, " with --annotate: notes are in UTF-8; convert the records first, with iconv");
  using unit = unit_of_input;
  const unit read = to.input.unit;
  if (read != unit::json_lines && read != unit::csv && read != unit::tsv && read != unit::automatic) {
    throw usage_error("--annotate needs --jsonl, or a table (--input-format csv or tsv)");
  }
  const std::string key = given["--annotate-key"].value_or("near_duplicates");
  if (key.empty()) throw usage_error("--annotate-key '': not the name of a member");
  to.input.is_read_twice = true;
  return key;
}

/// The note about the group of a document. The group has at least two documents.
struct group_note {
  std::uint64_t group;
  std::string original;
  bool is_against;  ///< true if the original belongs to the other corpus
  double similarity;
  std::size_t size;
};

/// The parts of a note. In a JSON record, the parts are members of the note. In a table, the parts are columns, whose
/// names begin with the name of the note.
inline constexpr std::array note_parts{"group", "original", "similarity", "size"};

/// Resolves the escapes of a JSON string, which is passed without its quotes.
inline std::string unescaped_json(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    const char escape = text[++i];
    constexpr std::string_view letters = "bfnrt", meant = "\b\f\n\r\t";
    const std::size_t letter = letters.find(escape);
    if (escape == 'u') {
      const auto unit_at = [&](std::size_t at) {
        return static_cast<char32_t>(std::stoul(std::string(text.substr(at, 4)), nullptr, 16));
      };
      char32_t code = unit_at(i + 1);
      i += 4;
      const bool is_high = code >= 0xd800 && code < 0xdc00;
      const char32_t low = is_high && text.substr(i + 1).starts_with("\\u") ? unit_at(i + 3) : 0;
      if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        i += 6;
      }
      std::array<char, 4> bytes{};
      result.append(bytes.data(), neardup::encode(code, bytes.data()));
    } else {
      result += letter == letters.npos ? escape : meant[letter];
    }
  }
  return result;
}

/// Returns true if a JSON object has a member with this name. Members of nested objects do not count.
/// Precondition: `object` is a JSON object.
inline bool has_member(std::string_view object, std::string_view name) {
  std::size_t depth = 0;
  bool is_key = false;
  for (std::size_t at = object.find_first_of("{}[],\""); at < object.size();
       at = object.find_first_of("{}[],\"", at + 1)) {
    switch (object[at]) {
      case '"': {
        const std::size_t begin = at + 1;
        for (at = object.find_first_of("\"\\", begin); at < object.size() && object[at] == '\\';) {
          at = object.find_first_of("\"\\", at + 2);
        }
        if (depth == 1 && is_key && unescaped_json(object.substr(begin, at - begin)) == name) return true;
        is_key = false;
        break;
      }
      case '{':
      case '[':
        ++depth;
        is_key = object[at] == '{';
        break;
      case ',': is_key = depth == 1; break;
      default: --depth;
    }
  }
  return false;
}

/// Adds notes to records, and adds columns to the header of a table.
class annotator {
 public:
  explicit annotator(std::string key) : key_(std::move(key)) {}

  /// Checks the format of a source. Also checks that no column of the source has the name of an added column.
  /// Throws: input_error if a check fails.
  void check(const source& from) const {
    if (!is_table(from) && from.unit != unit_of_input::json_lines && from.unit != unit_of_input::json_array) {
      throw input_error({from.name(), "--annotate needs records of JSON, or rows of a table"});
    }
    if (from.columns == nullptr) return;
    for (const std::string& column : *from.columns) {
      for (const char* const part : note_parts) {
        if (column == key_ + "_" + part) refuse(from, 1, "column " + column);
      }
    }
  }

  /// Returns the names of the added columns, for the end of a header. Returns an empty text if `from` has no header.
  [[nodiscard]] std::string columns(const source& from) const {
    std::string result;
    if (!is_table(from) || from.header.empty()) return result;
    for (const char* const part : note_parts) result += separator(from) + value_of(from, key_ + "_" + part);
    return result;
  }

  /// Returns a record with its note. `note` is nullopt if the document has no near-duplicates.
  /// Throws: input_error if the record already has a member with the name of the note, or the file was changed.
  [[nodiscard]] std::string annotated(const source& from, std::uint64_t line, std::string_view raw,
                                      const std::optional<group_note>& note) const {
    if (is_table(from)) {
      std::string values;
      if (note) {
        values = separator(from) + std::to_string(note->group) + separator(from) + value_of(from, note->original) +
                 separator(from) + similarity_number(note->similarity) + separator(from) + std::to_string(note->size);
      } else {
        values.assign(note_parts.size(), separator(from)[0]);
      }
      return before_end(raw, values);
    }
    const std::size_t end = raw.find_last_of('}');
    if (end == raw.npos) fail_changed(from);  // the first pass has read a whole object here
    if (has_member(raw.substr(0, end + 1), key_)) refuse(from, line, "member " + key_);
    std::string member = "," + json_string(key_) + ":";
    if (note) {
      member += "{\"group\":" + std::to_string(note->group) + ",\"original\":" + json_string(note->original) +
                (note->is_against ? ",\"against\":true" : "") +
                ",\"similarity\":" + similarity_number(note->similarity) + ",\"size\":" + std::to_string(note->size) +
                "}";
    } else {
      member += "null";
    }
    return std::string(raw.substr(0, end)).append(member).append(raw.substr(end));
  }

  /// Returns a row with `more` inserted before its line end.
  static std::string before_end(std::string_view row, const std::string& more) {
    std::size_t end = row.size();
    if (end > 0 && row[end - 1] == '\n') --end;
    if (end > 0 && end < row.size() && row[end - 1] == '\r') --end;
    return std::string(row.substr(0, end)).append(more).append(row.substr(end));
  }

 private:
  static bool is_table(const source& from) {
    return from.unit == unit_of_input::csv || from.unit == unit_of_input::tsv;
  }
  static std::string separator(const source& from) { return from.unit == unit_of_input::tsv ? "\t" : ","; }

  /// Returns a text as a value of a row. In TSV, tabs and line ends are written as spaces, because they cannot be
  /// escaped.
  static std::string value_of(const source& from, const std::string& text) {
    if (from.unit == unit_of_input::csv) {
      if (text.find_first_of("\",\r\n") == text.npos) return text;
      std::string quoted = "\"";
      for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
      return quoted + '"';
    }
    std::string result = text;
    for (char& c : result) {
      if (c == '\t' || c == '\n' || c == '\r') c = ' ';
    }
    return result;
  }

  [[noreturn]] void refuse(const source& from, std::uint64_t line, const std::string& what) const {
    throw input_error({from.where(line), "has a " + what + " already; name another one with --annotate-key"});
  }

  std::string key_;
};

}  // namespace command
