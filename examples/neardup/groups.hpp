// `neardup groups`: the near-duplicates of one document, or what a chain of them connects.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "context.hpp"
#include "corpus.hpp"

namespace command {

/// For each document the one that stands for its group.
std::vector<std::uint32_t> find_groups(context& c, const corpus& all);

struct group_member {
  std::uint64_t document;
  std::string id;
  bool is_against;    // of the other corpus
  int distance;       // to the one that stands for the group, the first member
  double similarity;  // to it: exact if checked, else estimated
};

/// Prints a group, as --format says.
void print_group(context& c, std::uint64_t number_of_group, const std::vector<group_member>& members);

struct group_counts {
  std::uint64_t groups = 0, documents = 0;
};

/// Calls `print(number of the group, its members)` for each group of more than one, in the order of the first members.
using group_visitor = std::function<void(std::uint64_t, const std::vector<group_member>&)>;
group_counts for_each_group(context& c, const corpus& all, const group_visitor& print);

void finish_groups(context& c, const group_counts& counts);

}  // namespace command
