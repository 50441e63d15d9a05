// Tables: CSV by RFC 4180, and values between tabs.
#pragma once

#include <deque>

#include "record.hpp"

namespace command {

/// The values of a row; they lie in it, or in `memory`.
struct table_row {
  std::vector<std::string_view> values;
  std::deque<std::string> memory;  ///< of values that had quotes in them
};

/// Splits a row without its line end. Of CSV a value may stand in quotes, two of which within it are one; a quote in a
/// value that does not begin with one is a character like others. Values between tabs have no quotes.
/// Returns: what is wrong with it, if anything is.
std::optional<std::string> split_row(std::string_view row, unit_of_input unit, table_row& out);

/// Whether that is about quotes, so that the row may be several.
bool is_about_quotes(std::string_view wrong);

/// Takes the header of a table, a row without its line end. Returns: what is wrong with it, or what is asked for and
/// not there.
std::optional<std::string> take_header(const input_settings& settings, std::string_view row, source& from);

/// Reads a row without its line end. Returns: what is wrong with it; nothing if all is well.
class table_reader {
 public:
  explicit table_reader(const input_settings& settings) : settings_(settings) {}
  std::optional<std::string> operator()(const source& from, std::string_view row, record& out);

 private:
  const input_settings& settings_;
  std::shared_ptr<const std::vector<std::string>> columns_;  // for which the following hold
  std::vector<std::size_t> texts_;
  std::optional<std::size_t> id_, score_, source_;
  table_row row_;
};

}  // namespace command
