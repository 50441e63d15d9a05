#include "partitions.hpp"

#include <algorithm>
#include <neardup/dedup/partitioned_groups.hpp>
#include <neardup/sets/partitioned_pairs.hpp>
#include <neardup/threads.hpp>

#include "groups.hpp"
#include "stored_partitions.hpp"

namespace command {

namespace {

/// Returns empty partitions for the sets of `check`, and for further sets with `more` features. If features are in
/// memory, the partitions may use the rest of --memory, otherwise an eighth of --memory.
stored_partitions partitions_for(const context& c, const document_check& check, std::uint64_t more = 0) {
  const std::uint64_t features = (check.feature_count() + more) * sizeof(feature_set::value_type);
  const std::uint64_t memory = c.settings.grouping.memory;
  return stored_partitions(check.is_in_memory() && features < memory ? memory - features : memory / 8);
}

// From this number of documents on, a join uses partitions even if there is memory for a join without partitions.
constexpr std::size_t very_many = std::size_t{1} << 21;

}  // namespace

bool joins_by_partitions(const document_check& check) { return !check.is_in_memory() || check.size() >= very_many; }

std::vector<std::uint32_t> extend_groups_of_sets(const context& c, const document_check& kept,
                                                 const std::vector<feature_set>& sets,
                                                 const neardup::group_options& how) {
  const neardup::set_threshold least = set_threshold_of(c.settings.comparison);
  const checked_sets representatives(kept, 0, kept.size());
  if (kept.is_in_memory() && kept.size() + sets.size() < very_many) {
    return neardup::extend_groups(representatives, sets, least, how);
  }
  std::uint64_t features = 0;
  for (const feature_set set : sets) features += set.size();
  stored_partitions partitions = partitions_for(c, kept, features);
  return neardup::extend_groups(representatives, sets, least, partitions, c.settings.grouping.memory, how);
}

void visit_by_partitions(const context& c, const document_check& check, const partitioned_documents& documents,
                         const std::function<void(const partition_pair&)>& visit) {
  const neardup::set_threshold least = set_threshold_of(c.settings.comparison);
  const std::uint64_t memory = c.settings.grouping.memory;
  const neardup::join_options how{.copies_once = documents.copies_once, .run = neardup::threads{c.settings.threads}};
  stored_partitions partitions = partitions_for(c, check);
  const std::size_t second_from = documents.second_from.value_or(documents.first);
  const auto add = [&](const neardup::similar_pair<std::size_t>& p) {
    visit({static_cast<std::uint32_t>(documents.first + p.first), static_cast<std::uint32_t>(second_from + p.second),
           p.similarity});
  };
  const checked_sets sets(check, documents.first, documents.second_from.value_or(documents.end));
  if (!documents.second_from) return neardup::visit_pairs(sets, least, partitions, memory, add, how);
  const checked_sets second(check, *documents.second_from, documents.end);
  neardup::visit_pairs(sets, second, least, partitions, memory, add, how);
}

std::vector<std::uint32_t> group_by_partitions(const context& c, const document_check& check, std::size_t known,
                                               const neardup::group_options& how) {
  const neardup::set_threshold least = set_threshold_of(c.settings.comparison);
  stored_partitions partitions = partitions_for(c, check);
  const checked_sets sets(check, known, check.size());
  const std::uint64_t memory = c.settings.grouping.memory;
  if (known == 0) return neardup::group(sets, least, partitions, memory, how);
  const checked_sets representatives(check, 0, known);
  return neardup::extend_groups(representatives, sets, least, partitions, memory, how);
}

}  // namespace command
