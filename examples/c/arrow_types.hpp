// Names of Arrow's types, for messages.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "neardup.h"

namespace c_interface {

/// Returns the name that Arrow gives to a type, such as `list<string>`. Returns "format '...'" for an unknown type.
/// Source: the format strings of Arrow's C data interface.
inline std::string type_name(const ArrowSchema& schema, int depth = 0) {
  constexpr int most_levels = 16;
  const std::string_view format = schema.format == nullptr ? "" : schema.format;
  const auto unknown = [&] { return "format '" + std::string(format) + "'"; };
  if (depth > most_levels) return "...";
  const auto child = [&](std::int64_t i) -> const ArrowSchema* {
    return schema.children != nullptr && i < schema.n_children ? schema.children[i] : nullptr;
  };
  const auto child_name = [&](std::int64_t i) {
    return child(i) == nullptr ? std::string("?") : type_name(*child(i), depth + 1);
  };
  const auto children = [&] {
    std::string all;
    for (std::int64_t i = 0; child(i) != nullptr; ++i) {
      const char* const name = child(i)->name;
      all.append(i == 0 ? "" : ", ").append(name == nullptr ? "" : name).append(": ").append(child_name(i));
    }
    return "<" + all + ">";
  };
  constexpr std::array<std::pair<std::string_view, const char*>, 32> plain{{{"n", "null"},
                                                                            {"b", "bool"},
                                                                            {"c", "int8"},
                                                                            {"C", "uint8"},
                                                                            {"s", "int16"},
                                                                            {"S", "uint16"},
                                                                            {"i", "int32"},
                                                                            {"I", "uint32"},
                                                                            {"l", "int64"},
                                                                            {"L", "uint64"},
                                                                            {"e", "halffloat"},
                                                                            {"f", "float"},
                                                                            {"g", "double"},
                                                                            {"z", "binary"},
                                                                            {"Z", "large_binary"},
                                                                            {"vz", "binary_view"},
                                                                            {"u", "string"},
                                                                            {"U", "large_string"},
                                                                            {"vu", "string_view"},
                                                                            {"tdD", "date32"},
                                                                            {"tdm", "date64"},
                                                                            {"tts", "time32[s]"},
                                                                            {"ttm", "time32[ms]"},
                                                                            {"ttu", "time64[us]"},
                                                                            {"ttn", "time64[ns]"},
                                                                            {"tDs", "duration[s]"},
                                                                            {"tDm", "duration[ms]"},
                                                                            {"tDu", "duration[us]"},
                                                                            {"tDn", "duration[ns]"},
                                                                            {"tiM", "month_interval"},
                                                                            {"tiD", "day_time_interval"},
                                                                            {"tin", "month_day_nano_interval"}}};
  if (schema.dictionary != nullptr) {
    return "dictionary<values=" + type_name(*schema.dictionary, depth + 1) + ">";
  }
  if (format == "+l") return "list<" + child_name(0) + ">";
  if (format == "+L") return "large_list<" + child_name(0) + ">";
  if (format == "+vl") return "list_view<" + child_name(0) + ">";
  if (format == "+vL") return "large_list_view<" + child_name(0) + ">";
  if (format == "+r") return "run_end_encoded<" + child_name(1) + ">";
  if (format == "+s") return "struct" + children();
  if (format == "+m") {
    const ArrowSchema* const entries = child(0);
    const bool has_both = entries != nullptr && entries->children != nullptr && entries->n_children == 2;
    return has_both ? "map<" + type_name(*entries->children[0], depth + 1) + ", " +
                          type_name(*entries->children[1], depth + 1) + ">"
                    : "map";
  }
  const auto found = std::find_if(plain.begin(), plain.end(), [&](const auto& one) { return one.first == format; });
  if (found != plain.end()) return found->second;
  const std::size_t colon = format.find(':');
  const std::string_view kind = format.substr(0, colon);
  const std::string rest(colon == format.npos ? std::string_view() : format.substr(colon + 1));
  if (kind == "w") return "fixed_size_binary[" + rest + "]";
  if (kind == "+w") return "fixed_size_list<" + child_name(0) + ">[" + rest + "]";
  if (kind == "+ud") return "dense_union" + children();
  if (kind == "+us") return "sparse_union" + children();
  if (kind == "d") {
    const std::size_t first = rest.find(','), second = rest.find(',', first + 1);
    const std::string bits = first == rest.npos || second == rest.npos ? "128" : rest.substr(second + 1);
    return "decimal" + bits + "(" + rest.substr(0, first) + ", " + rest.substr(first + 1, second - first - 1) + ")";
  }
  constexpr std::array<std::pair<std::string_view, const char*>, 4> times{
      {{"tss", "s"}, {"tsm", "ms"}, {"tsu", "us"}, {"tsn", "ns"}}};
  const auto time = std::find_if(times.begin(), times.end(), [&](const auto& one) { return one.first == kind; });
  if (time == times.end()) return unknown();
  return std::string("timestamp[") + time->second + (rest.empty() ? "" : ", tz=" + rest) + "]";
}

}  // namespace c_interface
