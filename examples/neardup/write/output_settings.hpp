// Settings for the output.
#pragma once

#include <cstddef>
#include <string>

namespace command {

enum class output_format { text, json_lines, binary };

struct output_settings {
  output_format format = output_format::text;
  std::string file;             ///< standard output if empty
  bool is_saved = false;        ///< true if the library writes the file atomically, at the end
  std::string dropped;          ///< a file for the names of documents that `unique` drops; empty if there is none
  std::string dropped_records;  ///< a file for the dropped records themselves
  std::string audit;            ///< a page with random decisions
  std::size_t audited = 0;      ///< number of decisions on this page
  bool quiet = false;

  [[nodiscard]] bool as_json() const { return format == output_format::json_lines; }
};

}  // namespace command
