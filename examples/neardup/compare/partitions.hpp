// Joins very many documents through partitions, which are in memory or in a temporary file.
#pragma once

#include <cstdint>
#include <functional>
#include <neardup/dedup/group_sets.hpp>
#include <optional>
#include <vector>

#include "check.hpp"
#include "context.hpp"

namespace command {

/// Returns true if `documents` documents of `check` are joined through partitions: if there are so many documents that
/// partitions are faster than a join in memory, or if features are in a file, and a join in memory would take more than
/// a quarter of --memory.
bool joins_by_partitions(const context& c, const document_check& check, std::size_t documents);

/// Returns the labels of neardup::extend_groups(). The representatives are the documents of `kept`. Joins through
/// partitions if there are very many sets, or if `kept` is not in memory.
std::vector<std::uint32_t> extend_groups_of_sets(const context& c, const document_check& kept,
                                                 const std::vector<feature_set>& sets,
                                                 const neardup::group_options& how);

/// The documents that visit_by_partitions() joins. If there is a second corpus, each pair has one document of each.
struct partitioned_documents {
  document_numbers first;
  std::optional<document_numbers> second = {};
  bool copies_once = false;
};

/// Two near-duplicates, by their numbers.
struct partition_pair {
  std::uint32_t first, second;
  double similarity;
};

/// Calls `visit(pair)` for all pairs of similar sets, in any order. Calls do not overlap. A join in memory finds
/// exactly the same pairs.
/// Memory: up to about 1.7 times --memory.
/// Throws: output_error if the temporary file cannot be written.
void visit_by_partitions(const context& c, const document_check& check, const partitioned_documents& documents,
                         const std::function<void(const partition_pair&)>& visit);

/// Returns the labels of neardup::group() for the sets of the documents `input`. If there are representatives `known`,
/// the labels are those of neardup::extend_groups().
/// Precondition: the check compares sets.
/// Memory: the memory of visit_by_partitions(), and up to 90 bytes for each document.
std::vector<std::uint32_t> group_by_partitions(const context& c, const document_check& check,
                                               const std::optional<document_numbers>& known,
                                               const document_numbers& input, const neardup::group_options& how);

}  // namespace command
