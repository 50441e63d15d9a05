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

bool joins_by_partitions(const context& c, const document_check& check, std::size_t documents) {
  if (documents >= very_many || check.is_in_memory()) return documents >= very_many;
  constexpr std::uint64_t a_document = 250, a_feature = 16;  // bytes of a join in memory
  const std::uint64_t mean = check.feature_count() / check.size() + 1;
  return documents > c.settings.grouping.memory / 4 / (a_document + a_feature * mean);
}

std::vector<std::uint32_t> extend_groups_of_sets(const context& c, const document_check& kept,
                                                 const std::vector<feature_set>& sets,
                                                 const neardup::group_options& how) {
  const neardup::set_threshold least = set_threshold_of(c.settings.comparison);
  const checked_sets representatives(kept, {0, kept.size()});
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
  const document_numbers& first = documents.first;
  const document_numbers& second = documents.second ? *documents.second : first;
  const auto add = [&](const neardup::similar_pair<std::size_t>& p) {
    visit({first[p.first], second[p.second], p.similarity});
  };
  const checked_sets sets(check, first);
  if (!documents.second) return neardup::visit_pairs(sets, least, partitions, memory, add, how);
  neardup::visit_pairs(sets, checked_sets(check, second), least, partitions, memory, add, how);
}

std::vector<std::uint32_t> group_by_partitions(const context& c, const document_check& check,
                                               const std::optional<document_numbers>& known,
                                               const document_numbers& input, const neardup::group_options& how) {
  const neardup::set_threshold least = set_threshold_of(c.settings.comparison);
  stored_partitions partitions = partitions_for(c, check);
  const checked_sets sets(check, input);
  const std::uint64_t memory = c.settings.grouping.memory;
  if (!known) return neardup::group(sets, least, partitions, memory, how);
  return neardup::extend_groups(checked_sets(check, *known), sets, least, partitions, memory, how);
}

}  // namespace command
