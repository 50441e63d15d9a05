// Paths that lead to fields of JSON records.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace command {

/// A key of a path. If `is_each` is true, the key stands for each element of an array.
struct path_key {
  std::string name;
  bool is_each = false;
};

/// Returns the keys of `name`, the name of a field. If the name is a path, such as "doc.text" or the JSON pointer
/// "/doc/text", there are several keys. Otherwise there is one key. "turns[*]" gives the key "turns" and one key for
/// all elements of its array. "turns[2]" gives the key "turns" and a key for one element.
std::vector<path_key> keys_of_path(std::string_view name);

}  // namespace command
