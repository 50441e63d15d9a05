#include "code.hpp"

#include <algorithm>

#include "../ground/text.hpp"

namespace command {

namespace {

constexpr std::string_view separators = " \t";

bool is_hexadecimal(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Returns the beginning of a wrong code, for messages.
std::string shown(std::string_view code) {
  constexpr std::size_t most = 40;
  return code.size() <= most ? '\'' + printable(code) + '\'' : '\'' + printable(code.substr(0, most)) + "…'";
}

}  // namespace

void read_code_line(std::string_view line, record& out) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(separators)));
  out.is_blank = line.empty();
  if (out.is_blank) return;
  const std::size_t end = std::min(line.size(), line.find_first_of(separators));
  out.fields.assign(1, line.substr(0, end));
  const std::size_t id = line.find_first_not_of(separators, end);
  out.has_id = id != line.npos;
  if (out.has_id) out.id = line.substr(id, line.find_last_not_of(separators) + 1 - id);
}

std::optional<std::string> check_code(std::size_t bits, record& out) {
  std::string_view& code = out.fields.front();
  const std::string_view as_written = code;
  if (code.starts_with("0x") || code.starts_with("0X")) code.remove_prefix(2);
  if (code.empty() || !std::all_of(code.begin(), code.end(), is_hexadecimal)) {
    return shown(as_written) + " is not a code: codes are hexadecimal numbers, with or without 0x";
  }
  const std::size_t width = 4 * code.size();
  if (width % 8 != 0 || width > most_code_bits) {
    return "a code of " + counted(code.size(), "hexadecimal digit", "hexadecimal digits") +
           "; codes have an even number of them, at most 256 (1,024 bits)";
  }
  if (bits != 0 && width != bits) {
    return "a code of " + std::to_string(width) + " bits, among codes of " + std::to_string(bits);
  }
  return std::nullopt;
}

}  // namespace command
