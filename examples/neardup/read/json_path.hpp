// Paths that lead to fields of JSON records.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace command {

/// A key of a path; `is_each` means each element of an array.
struct path_key {
  std::string name;
  bool is_each = false;
};

/// Returns the keys of a field's name if it is a path: "doc.text", or as a JSON pointer "/doc/text". One key otherwise.
/// "turns[*]" is the key "turns" and each element below it, "turns[2]" the key and one element.
std::vector<path_key> keys_of_path(std::string_view name);

}  // namespace command
