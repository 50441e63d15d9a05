#include "json_path.hpp"

#include <algorithm>
#include <utility>

namespace command {

namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

/// Appends the keys of `name`, a part of a path, to `to`. "turns[*]" gives the key "turns" and one key for all
/// elements. "turns[2]" gives the key "turns" and a key for one element.
void add_key(std::string name, std::vector<path_key>& to) {
  const auto begins_index = [](std::string_view text) {
    const std::size_t open = text.rfind('[');
    if (open == text.npos || open == 0 || !text.ends_with(']')) return text.npos;
    const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
    const bool is_index = inside == "*" || (!inside.empty() && std::all_of(inside.begin(), inside.end(), is_decimal));
    return is_index ? open : text.npos;
  };
  std::size_t end = name.size();
  while (begins_index(std::string_view(name).substr(0, end)) != name.npos) {
    end = begins_index(std::string_view(name).substr(0, end));
  }
  std::string_view indexes = std::string_view(name).substr(end);
  to.push_back({name.substr(0, end)});
  while (!indexes.empty()) {
    const std::size_t size = indexes.find(']') + 1;
    const std::string_view inside = indexes.substr(1, size - 2);
    to.push_back(inside == "*" ? path_key{"", true} : path_key{std::string(inside)});
    indexes.remove_prefix(size);
  }
}

}  // namespace

std::vector<path_key> keys_of_path(std::string_view name) {
  const bool is_pointer = name.starts_with('/');
  if (is_pointer) name.remove_prefix(1);
  const char between = is_pointer ? '/' : '.';
  std::vector<path_key> keys;
  std::string key;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view escape = name.substr(i, 2);
    if (name[i] == between) {
      add_key(std::exchange(key, {}), keys);
    } else if (is_pointer && (escape == "~0" || escape == "~1")) {
      key += escape == "~0" ? '~' : '/';
      ++i;
    } else {
      key += name[i];
    }
  }
  add_key(std::move(key), keys);
  return keys;
}

}  // namespace command
