#include "score.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace scale {

namespace {

/// A set of numbers, stored as one bit for each number.
class number_set {
 public:
  void insert(std::uint64_t number) {
    if (number >= flags_.size()) flags_.resize(2 * number + 1);
    flags_[number] = true;
  }
  [[nodiscard]] bool contains(std::uint64_t number) const { return number < flags_.size() && flags_[number]; }

 private:
  std::vector<bool> flags_;
};

/// Returns the number in an id: the digits after the first letter, up to a dot or the end.
std::uint64_t number_of(std::string_view id) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(id.data() + (id.empty() ? 0 : 1), id.data() + id.size(), number);
  if (read.ec != std::errc()) throw std::runtime_error("no id of this corpus: " + std::string(id));
  return number;
}

/// Calls `visit(id)` for each string that follows `key` in a line.
template <class Visit>
void for_each_string(std::string_view line, std::string_view key, const Visit& visit) {
  for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at)) {
    at += key.size();
    visit(line.substr(at, line.find('"', at) - at));
  }
}

}  // namespace

void print_score(const score_options& options) {
  // The numbers of some records in the output. For `unique`, these are the kept records. For `groups`, they are the
  // records that are not the first of their group. For `pairs`, they are the copies that are found with their base.
  number_set seen;
  std::uint64_t lines = 0;
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line); ++lines) {
    if (options.verb == "unique") {
      // The id is the first field.
      bool first = true;
      for_each_string(std::string_view(line).substr(0, 80), R"("id":")", [&](std::string_view id) {
        if (first) seen.insert(number_of(id));
        first = false;
      });
    } else if (options.verb == "groups") {
      bool first = true;
      for_each_string(line, R"("id":")", [&](std::string_view id) {
        if (!first) seen.insert(number_of(id));
        first = false;
      });
    } else {
      std::string_view ids[2];
      for_each_string(line, R"("a":")", [&](std::string_view id) { ids[0] = id; });
      for_each_string(line, R"("b":")", [&](std::string_view id) { ids[1] = id; });
      for (int i = 0; i < 2; ++i) {
        const std::size_t dot = ids[i].find('.');
        if (dot == std::string_view::npos) continue;
        if (number_of(ids[i].substr(dot)) == number_of(ids[1 - i])) seen.insert(number_of(ids[i]));
      }
    }
  }
  std::ifstream planted(options.planted);
  if (!planted) throw std::runtime_error(options.planted + ": cannot be read");
  std::uint64_t copies[101] = {};
  std::uint64_t missed[101] = {};
  std::uint64_t copy = 0, base = 0, common = 0, all = 0;
  while (planted >> copy >> base >> common >> all) {
    const std::uint64_t hundredth = 100 * common / all;
    ++copies[hundredth];
    bool is_missed = !seen.contains(copy);
    if (options.verb == "unique") is_missed = seen.contains(copy) && seen.contains(base);
    if (options.verb == "groups") is_missed = !seen.contains(copy) && !seen.contains(base);
    missed[hundredth] += is_missed ? 1 : 0;
  }
  const auto print = [](const char* name, const std::uint64_t(&values)[101]) {
    std::printf("\"%s\": [", name);
    for (int i = 0; i <= 100; ++i)
      std::printf("%s%llu", i == 0 ? "" : ", ", static_cast<unsigned long long>(values[i]));
    std::printf("]");
  };
  std::printf("{\"lines\": %llu, ", static_cast<unsigned long long>(lines));
  print("planted", copies);
  std::printf(", ");
  print("missed", missed);
  std::printf("}\n");
}

}  // namespace scale
