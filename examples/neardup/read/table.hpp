// Reads tables: CSV as in RFC 4180, and TSV, in which tabs separate values.
#pragma once

#include <deque>

#include "record.hpp"

namespace command {

/// The values of a row. They are views of the row, or of `memory`.
struct table_row {
  std::vector<std::string_view> values;
  std::deque<std::string> memory;  ///< values in which quotes were doubled
};

/// Splits `row`, which has no line end, into the values of `out`. In CSV, a value may be in quotes. Inside these
/// quotes, two quotes stand for one quote. In a value without quotes around it, a quote is an ordinary character. In
/// TSV, every quote is an ordinary character.
/// Returns: an error message, or nullopt if the row is valid.
std::optional<std::string> split_row(std::string_view row, unit_of_input unit, table_row& out);

/// Reads the header of a table, a row without its line end, and sets `from.columns`.
/// Returns: an error message, for example about a missing column, or nullopt if the header is right.
std::optional<std::string> take_header(const input_settings& settings, std::string_view row, source& from);

/// Reads the rows of a table into records. Rows have no line ends. A call returns an error message, or nullopt if the
/// row is valid.
class table_reader {
 public:
  explicit table_reader(const input_settings& settings) : settings_(settings) {}
  std::optional<std::string> operator()(const source& from, std::string_view row, record& out);

 private:
  const input_settings& settings_;
  std::shared_ptr<const std::vector<std::string>> columns_;  // the columns for which the following members are valid
  std::vector<std::size_t> texts_;
  std::optional<std::size_t> id_, score_, source_;
  table_row row_;
};

}  // namespace command
