// SPDX-License-Identifier: MIT
// A set_index in a file, and changes of it in memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../detail/file_operations.hpp"
#include "../detail/visits.hpp"
#include "../error.hpp"
#include "../ids.hpp"
#include "../runner.hpp"
#include "../sets/feature_sets.hpp"
#include "../sets/searchable_sets.hpp"
#include "../sets/set_index.hpp"
#include "composition.hpp"
#include "engine/set_sections.hpp"
#include "set_index_view.hpp"

namespace neardup::inline v0 {

/// A set_index_view and the changes since its file was written. The sets of the file are below, and a set_index in
/// memory is above them. Searches look into both. The file is never changed; save() writes the sets of both into a new
/// file. durable_set_index also keeps the changes in a log.
///
/// The members are documented in set_index. The results equal the results of a set_index with the same sets.
/// Memory: the memory of a set_index with the added sets; about 40 bytes for each id of the file that is erased or
/// replaced.
/// Guarantee: strong.
/// Thread safety: const members may be called from many threads while no thread writes.
template <std::unsigned_integral Feature = std::uint32_t, class Id = std::uint32_t>
class layered_set_index : public searchable_sets<layered_set_index<Feature, Id>, Feature, Id> {
  using base = searchable_sets<layered_set_index, Feature, Id>;
  friend base;

 public:
  using typename base::set_type;

  /// Makes a layered index without changes.
  explicit layered_set_index(set_index_view<Feature, Id> below)
      : below_(std::move(below)), above_(below_.threshold()) {}

  // ---- Content ------------------------------------------------------------------------------------------------------

  bool insert(set_type set, id_argument<Id> id) {
    if (is_below(below_index(id))) {
      detail::check_ascending(set);
      return false;
    }
    return above_.insert(set, id);
  }

  bool insert_or_assign(set_type set, id_argument<Id> id) {
    const std::size_t index = below_index(id);
    if (!is_below(index)) return above_.insert_or_assign(set, id);
    const auto hidden = hidden_.insert(static_cast<std::uint32_t>(index)).first;
    detail::undo hiding{[&] { hidden_.erase(hidden); }};
    above_.insert(set, id);
    hiding.is_due = false;
    return false;
  }

  template <set_range Sets>
  std::size_t insert_all(const Sets& sets, std::span<const Id> ids, const any_runner& run = {}) {
    detail::check_features<Feature, Sets>();
    std::vector<set_type> new_sets;
    std::vector<Id> new_ids;
    if (sets.size() == ids.size()) {
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const set_type set(sets[i]);
        detail::check_ascending(set);
        if (is_below(below_index(ids[i]))) continue;
        new_sets.push_back(set);
        new_ids.push_back(ids[i]);
      }
      return above_.insert_all(new_sets, new_ids, run);
    }
    return above_.insert_all(sets, ids, run);  // throws
  }

  /// Removes an id.
  /// Returns: false if the id was not stored.
  /// Throws: std::bad_alloc.
  /// Complexity: O(log n).
  bool erase(id_argument<Id> id) {
    const std::size_t index = below_index(id);
    if (!is_below(index)) return above_.erase(id);
    return hidden_.insert(static_cast<std::uint32_t>(index)).second;
  }

  [[nodiscard]] std::optional<set_type> find(id_argument<Id> id) const noexcept {
    const std::size_t index = below_index(id);
    if (!is_below(index)) return above_.find(id);
    return below_.sets().set(below_.sets().slot_of(index));
  }
  [[nodiscard]] bool contains(id_argument<Id> id) const noexcept {
    return is_below(below_index(id)) || above_.contains(id);
  }

  [[nodiscard]] std::size_t size() const noexcept { return below_.size() - hidden_.size() + above_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  template <std::invocable<const Id&, set_type> Visit>
  void for_each(Visit&& visit) const {
    const auto& stored = below_.sets();
    for (std::size_t slot = 0; slot < stored.slots(); ++slot) {
      const set_type set = stored.set(slot);
      if (!visit_ids(slot, [&](const Id& id) { return detail::visit_goes_on(visit, id, set); })) return;
    }
    above_.for_each(visit);
  }

  /// Returns the view of the file.
  [[nodiscard]] const set_index_view<Feature, Id>& below() const noexcept { return below_; }

  /// Returns the number of bytes that the changes have allocated.
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    constexpr std::size_t node = 4 * sizeof(void*);
    return above_.memory_usage() + hidden_.size() * node + hidden_.bucket_count() * sizeof(void*);
  }

 private:
  [[nodiscard]] const auto& search_bounds() const noexcept { return below_.search_bounds(); }

  [[nodiscard]] std::size_t below_index(const Id& id) const noexcept { return below_.sets().index_of(id); }
  /// Returns true if the id at `index` in the file is still stored in the file: neither erased nor replaced.
  [[nodiscard]] bool is_below(std::size_t index) const noexcept {
    return index < below_.size() && !hidden_.contains(static_cast<std::uint32_t>(index));
  }

  // The slots of the file come first, then those of `above_`.
  template <class Take>
  bool find_sets(set_type query, const detail::overlap_bounds& bounds, detail::candidate_search& scratch,
                 const Take& take) const {
    const std::size_t slots = below_.sets().slots();
    const bool goes_on =
        below_.find_sets(query, bounds, scratch, [&](std::size_t slot, std::uint32_t common, double similarity) {
          const bool has_ids = hidden_.empty() || !visit_ids(slot, [](const Id&) { return false; });
          return has_ids ? take(slot, common, similarity) : true;
        });
    return goes_on &&
           above_.find_sets(query, bounds, scratch, [&](std::size_t slot, std::uint32_t common, double similarity) {
             return take(slots + slot, common, similarity);
           });
  }
  template <class Visit>
  bool visit_ids(std::size_t slot, const Visit& visit) const {
    const auto& stored = below_.sets();
    if (slot >= stored.slots()) return above_.visit_ids(slot - stored.slots(), visit);
    if (hidden_.empty()) return below_.visit_ids(slot, visit);
    const std::span<const Id> own = stored.ids_of(slot);
    const auto first = static_cast<std::size_t>(own.data() - stored.ids.data());
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (is_below(first + i) && !visit(own[i])) return false;
    }
    return true;
  }

  set_index_view<Feature, Id> below_;
  set_index<Feature, Id> above_;
  std::unordered_set<std::uint32_t> hidden_;  // indices of erased and replaced ids in the ids of the file
};

/// Writes the sets of a layered index to a new file; see save() of a set_index. The path may be the path of the mapped
/// file.
/// Precondition: below().verify() succeeds; otherwise, damaged bytes get valid checksums.
template <std::unsigned_integral Feature, class Id>
void save(const std::string& path, const layered_set_index<Feature, Id>& index, const fingerprint_composition& made_of,
          std::span<const std::span<const std::byte>> attachments = {}) {
  detail::write_sets(detail::system_files(), path, index, made_of, attachments);
}

}  // namespace neardup::inline v0
