// SPDX-License-Identifier: MIT
// A set_index in a file, searched in place.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "../detail/visits.hpp"
#include "../ids.hpp"
#include "../sets/searchable_sets.hpp"
#include "engine/container.hpp"
#include "engine/mapped_array.hpp"
#include "engine/set_sections.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

/// A read-only view of a saved set_index, in a file or in memory. Searches read it in place, without a copy.
///
/// Opening checks the header and the sizes of the sections, in time independent of the number of sets. Damaged bytes
/// never cause reads outside of the file, but they may give wrong matches. After verify() all searches are exact. The
/// other members are documented in set_index.
/// Precondition: the bytes do not change while the view, or a copy of it, is used.
template <std::unsigned_integral Feature = std::uint32_t, class Id = std::uint32_t>
class set_index_view : public detail::viewed_file, public searchable_sets<set_index_view<Feature, Id>, Feature, Id> {
  using base = searchable_sets<set_index_view, Feature, Id>;
  friend base;

 public:
  using typename base::set_type;

  /// Opens an index in a file, which stays open.
  /// Throws: std::runtime_error, which names the file, if it is damaged, of another version, or of another Feature or
  /// Id; std::bad_alloc.
  explicit set_index_view(mapped_file file)
      : viewed_file(std::move(file), detail::file_content::sets), mapped_(this->file()) {}

  /// Opens an index in memory.
  /// Precondition: the bytes outlive all copies of the view.
  /// Throws: the exceptions of the constructor for a file; std::invalid_argument unless the bytes are aligned to 64
  /// bytes.
  explicit set_index_view(std::span<const std::byte> bytes)
      : viewed_file(bytes, detail::file_content::sets, "a set_index_view"), mapped_(file()) {}

  /// Checks all checksums, and that the postings are exactly those of the stored sets.
  /// Throws: std::runtime_error if a check fails.
  /// Complexity: O(n log n).
  void verify() const {
    file().check_sections();
    mapped_.check(file());
  }

  /// Checks all checksums, which finds damage. It does not find errors of the program that wrote the file. It takes a
  /// thirtieth of the time of verify().
  /// Throws: std::runtime_error if a check fails.
  /// Complexity: O(bytes).
  void verify_checksums() const { file().check_sections(); }

  [[nodiscard]] std::optional<set_type> find(id_argument<Id> id) const noexcept {
    const std::size_t index = sets().index_of(id);
    return index == size() ? std::nullopt : std::optional(sets().set(sets().slot_of(index)));
  }
  [[nodiscard]] bool contains(id_argument<Id> id) const noexcept { return sets().index_of(id) != size(); }

  [[nodiscard]] std::size_t size() const noexcept { return sets().ids.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::size_t distinct_size() const noexcept { return sets().slots(); }

  /// Calls `visit(id, set)` for each id, in unspecified order. The visit ends early if the visitor returns false.
  template <std::invocable<const Id&, set_type> Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t slot = 0; slot < sets().slots(); ++slot) {
      if (!visit_ids(slot, [&](const Id& id) { return detail::visit_goes_on(visit, id, sets().set(slot)); })) return;
    }
  }

 private:
  template <std::unsigned_integral, class>
  friend class layered_set_index;
  template <std::unsigned_integral, class>
  friend class durable_set_index;

  [[nodiscard]] const auto& sets() const noexcept { return mapped_.sets(); }
  [[nodiscard]] const detail::overlap_bounds& search_bounds() const noexcept { return mapped_.bounds(); }

  template <class Take>
  bool find_sets(set_type query, const detail::overlap_bounds& bounds, detail::candidate_search& scratch,
                 const Take& take) const {
    return sets().find_sets(query, bounds, scratch, take);
  }
  template <class Visit>
  bool visit_ids(std::size_t slot, const Visit& visit) const {
    for (const Id& id : sets().ids_of(slot)) {
      if (!visit(id)) return false;
    }
    return true;
  }

  detail::mapped_sets<Feature, Id> mapped_;
};

}  // namespace neardup::inline v0
