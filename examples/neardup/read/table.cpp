#include "table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

#include "json_record.hpp"

namespace command {

namespace {

constexpr const char* rule_of_quotes = "; a quote within a value is written twice";

/// Appends the quoted value at the beginning of a row to `out`.
/// Returns: the size of the value with its quotes, or nullopt if there is no closing quote.
std::optional<std::size_t> take_quoted(std::string_view row, table_row& out) {
  std::size_t end = 1;
  std::string* copy = nullptr;  // made if the value contains quotes
  std::size_t begin = end;      // beginning of the part that was not copied yet
  for (;; end += 2) {
    end = row.find('"', end);
    if (end == row.npos) return std::nullopt;
    if (!row.substr(end + 1).starts_with('"')) break;
    if (copy == nullptr) copy = &out.memory.emplace_back();
    copy->append(row.substr(begin, end + 1 - begin));
    begin = end + 2;
  }
  const std::string_view rest = row.substr(begin, end - begin);
  out.values.push_back(copy == nullptr ? rest : std::string_view(copy->append(rest)));
  return end + 1;
}

/// Returns the number in a cell, as take_number() reads it, or nullopt. Unlike JSON, a cell may have blanks around the
/// number, a plus, further zeros, no digit before or after the point, and other names of infinity and NaN.
std::optional<std::string_view> number_in(std::string_view cell) {
  constexpr std::string_view blanks = " \t";
  cell.remove_prefix(std::min(cell.find_first_not_of(blanks), cell.size()));
  cell.remove_suffix(cell.size() - 1 - cell.find_last_not_of(blanks));
  if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
  double value = 0;
  const char* const end = cell.data() + cell.size();
  const auto parsed = std::from_chars(cell.data(), end, value);
  if (parsed.ec == std::errc::invalid_argument || parsed.ptr != end) return std::nullopt;
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return cell;
}

/// The places, in a row, of the columns that the settings name. The settings must outlive this object.
class column_places {
 public:
  column_places(const input_settings& settings, const std::vector<std::string>& columns) {
    for (const std::string& name : settings.text_fields) places_[name];
    for (const std::string* name : {&settings.id_field, &settings.score_field, &settings.source_field}) places_[*name];
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto found = places_.find(columns[i]);
      if (found != places_.end()) found->second = i;
    }
  }

  /// Returns the place of a column, or nullopt if there is no such column.
  /// Precondition: the settings name the column.
  [[nodiscard]] std::optional<std::size_t> of(const std::string& name) const { return places_.at(name); }

 private:
  std::unordered_map<std::string_view, std::optional<std::size_t>> places_;
};

}  // namespace

std::optional<std::string> split_row(std::string_view row, unit_of_input unit, table_row& out) {
  out.values.clear();
  out.memory.clear();
  const char between = unit == unit_of_input::tsv ? '\t' : ',';
  for (;;) {
    std::size_t size = 0;
    if (unit == unit_of_input::csv && row.starts_with('"')) {
      const auto quoted = take_quoted(row, out);
      if (!quoted)
        return std::string("a value in quotes has no end, or something follows its closing quote") + rule_of_quotes;
      size = *quoted;
      if (size < row.size() && row[size] != between) {
        return "something follows the closing quote of value " + std::to_string(out.values.size()) + rule_of_quotes;
      }
    } else {
      size = std::min(row.find(between), row.size());
      out.values.push_back(row.substr(0, size));
    }
    if (size == row.size()) return std::nullopt;
    row.remove_prefix(size + 1);
  }
}

std::optional<std::string> take_header(const input_settings& settings, std::string_view row, source& from) {
  table_row names;
  if (auto wrong = split_row(row, from.unit, names)) return wrong;
  auto columns = std::make_shared<std::vector<std::string>>(names.values.begin(), names.values.end());
  std::unordered_set<std::string_view> before;
  for (const std::string& name : *columns) {
    if (!before.insert(name).second) return "there are two columns \"" + name + '"';
  }
  const column_places places(settings, *columns);
  const auto missing = [&](const std::string& name) {
    std::string list;
    for (const std::string& column : *columns) list += (list.empty() ? "" : ", ") + column;
    return "no column \"" + name + "\" in the header, which has: " + list;
  };
  for (const std::string& name : settings.text_fields) {
    if (places.of(name)) continue;
    const bool is_default = settings.text_fields == input_settings{}.text_fields;
    return missing(name) + (is_default ? "; --text-field names another" : settings.hint_of_fields);
  }
  if (settings.id_field_required && !places.of(settings.id_field)) return missing(settings.id_field);
  if (!settings.score_field.empty() && !places.of(settings.score_field)) return missing(settings.score_field);
  if (!settings.source_field.empty() && !places.of(settings.source_field)) return missing(settings.source_field);
  from.columns = std::move(columns);
  from.has_ill_formed_header = !is_utf8(row) || (from.utf16 && from.utf16->any_in(0, row.size()));
  return std::nullopt;
}

std::optional<std::string> table_reader::operator()(const source& from, std::string_view row, record& out) {
  if (from.columns != columns_) {
    columns_ = from.columns;
    texts_.clear();
    const column_places places(settings_, *columns_);
    for (const std::string& name : settings_.text_fields) texts_.push_back(places.of(name).value());
    id_ = places.of(settings_.id_field);
    score_ = settings_.score_field.empty() ? std::nullopt : places.of(settings_.score_field);
    source_ = settings_.source_field.empty() ? std::nullopt : places.of(settings_.source_field);
  }
  out.is_blank = row.empty();
  if (out.is_blank) return std::nullopt;
  if (auto wrong = split_row(row, from.unit, row_)) return wrong;
  const auto& values = row_.values;
  if (values.size() != columns_->size()) {
    return std::to_string(values.size()) + (values.size() == 1 ? " value" : " values") + ", and the header has " +
           std::to_string(columns_->size());
  }
  for (const std::size_t place : texts_) out.fields.push_back(values[place]);
  out.ill_formed = from.has_ill_formed_header;  // each written record contains these names
  for (const std::string_view text : out.fields) out.ill_formed = out.ill_formed || !is_utf8(text);
  if (source_) {
    out.source = values[*source_];
    out.ill_formed = out.ill_formed || !is_utf8(out.source);
  }
  if (id_) {
    out.id = values[*id_];
    out.has_id = true;
    out.ill_formed = out.ill_formed || !is_utf8(out.id);
  }
  if (score_) {
    const std::string_view key = values[*score_];
    const auto number = number_in(key);
    number ? take_number(*number, out) : take_text(key, out);
  }
  return std::nullopt;
}

}  // namespace command
