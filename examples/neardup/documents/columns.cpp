#include "columns.hpp"

#include <algorithm>

namespace command {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

named_values parse_values(const std::string& path, std::span<const std::byte> bytes) {
  named_values values;
  for (std::string_view text = text_of(bytes); !text.empty();) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t space = line.find(' ');
    if (space == line.npos) refuse_damage(path, "a line of its settings has no name");
    values.emplace(line.substr(0, space), line.substr(space + 1));
  }
  return values;
}

}  // namespace command
