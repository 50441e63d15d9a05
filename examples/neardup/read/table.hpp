// Tables: CSV by RFC 4180, and values separated by tabs.
#pragma once

#include <deque>

#include "record.hpp"

namespace command {

/// The values of a row; views of the row or of `memory`.
struct table_row {
  std::vector<std::string_view> values;
  std::deque<std::string> memory;  ///< values that had quotes in them
};

/// Splits a row, given without its line end. In CSV a value may be quoted. Two quotes inside such a value mean one
/// quote. A quote inside an unquoted value is an ordinary character. Values separated by tabs have no quotes.
/// Returns: the error, if any.
std::optional<std::string> split_row(std::string_view row, unit_of_input unit, table_row& out);

/// Returns true if an error is about quotes. The row may then be several rows.
bool is_about_quotes(std::string_view wrong);

/// Reads the header of a table, a row without its line end.
/// Returns: the error, or the requested column that is missing; nullopt otherwise.
std::optional<std::string> take_header(const input_settings& settings, std::string_view row, source& from);

/// Reads rows, given without their line ends.
/// Returns: the error of a row; nullopt if it is valid.
class table_reader {
 public:
  explicit table_reader(const input_settings& settings) : settings_(settings) {}
  std::optional<std::string> operator()(const source& from, std::string_view row, record& out);

 private:
  const input_settings& settings_;
  std::shared_ptr<const std::vector<std::string>> columns_;  // the following members are valid for these columns
  std::vector<std::size_t> texts_;
  std::optional<std::size_t> id_, score_, source_;
  table_row row_;
};

}  // namespace command
