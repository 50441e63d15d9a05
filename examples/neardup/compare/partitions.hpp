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

/// Returns true if documents are joined through partitions: if their features are not in memory, or if there are so
/// many documents that partitions are faster than a join in memory.
bool joins_by_partitions(const document_check& check);

/// Returns the labels of neardup::extend_groups(). The representatives are the documents of `kept`. Joins through
/// partitions if there are very many sets, or if `kept` is not in memory.
std::vector<std::uint32_t> extend_groups_of_sets(const context& c, const document_check& kept,
                                                 const std::vector<feature_set>& sets,
                                                 const neardup::group_options& how);

/// The documents that visit_by_partitions() joins: the documents of a check from `first` to `end` - 1.
struct partitioned_documents {
  std::size_t first = 0, end = 0;
  /// The number of the first document of a second corpus. If it is set, each pair has one document of each corpus.
  std::optional<std::size_t> second_from = {};
  bool copies_once = false;
};

/// Two near-duplicates, `first` < `second`.
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

/// Returns the labels of neardup::group() for the sets of `check`. If `known` > 0, the first `known` documents are
/// representatives, and the labels are those of neardup::extend_groups().
/// Precondition: the check compares sets.
/// Memory: the memory of visit_by_partitions(), and up to 90 bytes for each document.
std::vector<std::uint32_t> group_by_partitions(const context& c, const document_check& check, std::size_t known,
                                               const neardup::group_options& how);

}  // namespace command
