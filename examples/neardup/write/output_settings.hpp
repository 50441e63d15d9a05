// What of the command line is about the output.
#pragma once

#include <cstddef>
#include <string>

namespace command {

enum class output_format { text, json_lines, binary };

struct output_settings {
  output_format format = output_format::text;
  std::string file;             ///< empty: standard output
  bool is_saved = false;        ///< the library writes the file at the end, whole or not at all
  std::string dropped;          ///< a file for what unique drops; empty: it is not written
  std::string dropped_records;  ///< and one for the records themselves
  std::string audit;            ///< and one for random decisions, as a page,
  std::size_t audited = 0;      ///< so many of them
  bool quiet = false;

  [[nodiscard]] bool as_json() const { return format == output_format::json_lines; }
};

}  // namespace command
