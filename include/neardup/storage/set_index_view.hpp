// SPDX-License-Identifier: MIT
// A set_index in a file, searched in place.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "../detail/visits.hpp"
#include "../error.hpp"
#include "../ids.hpp"
#include "../sets/searchable_sets.hpp"
#include "composition.hpp"
#include "engine/container.hpp"
#include "engine/set_sections.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

/// A read-only view of a saved set_index, in a file or in memory. Searches read it in place, without a copy.
///
/// Opening checks the header and the sizes of the sections, in time independent of the number of sets. Damaged bytes
/// never cause reads outside of the file, but they may give wrong matches. After verify() all searches are exact. The
/// other members are those of set_index.
/// Precondition: the bytes do not change while the view, or a copy of it, is used.
template <std::unsigned_integral Feature = std::uint32_t, class Id = std::uint32_t>
class set_index_view : public searchable_sets<set_index_view<Feature, Id>, Feature, Id> {
  using base = searchable_sets<set_index_view, Feature, Id>;
  friend base;

 public:
  using typename base::set_type;

  /// Opens an index in a file, which stays open.
  /// Throws: std::runtime_error, which names the file, if it is damaged, of another version, or of another Feature or
  /// Id; std::bad_alloc.
  explicit set_index_view(mapped_file file) : set_index_view(std::make_shared<const mapped_file>(std::move(file))) {}

  /// Opens an index in memory.
  /// Precondition: the bytes outlive all copies of the view.
  /// Throws: the exceptions of the constructor for a file; std::invalid_argument unless the bytes are aligned to 64
  /// bytes.
  explicit set_index_view(std::span<const std::byte> bytes)
      : set_index_view(nullptr, detail::container(checked(bytes), "the bytes", content)) {}

  /// Returns the composition of the features.
  [[nodiscard]] const fingerprint_composition& made_of() const noexcept { return file_.header().made_of; }

  /// Returns attachment i, as save() received it, aligned to 64 bytes; empty if there is none. verify() checks its
  /// checksum.
  [[nodiscard]] std::span<const std::byte> attachment(std::size_t i) const noexcept {
    return file_.find(detail::attachment_tag(i));
  }

  /// Checks all checksums, and that the postings are exactly those of the stored sets.
  /// Throws: std::runtime_error if a check fails.
  /// Complexity: O(n log n).
  void verify() const {
    file_.check_sections();
    mapped_.check(file_);
  }

  /// Checks all checksums, which finds damage. It does not find errors of the program that wrote the file. It takes a
  /// thirtieth of the time of verify().
  /// Throws: std::runtime_error if a check fails.
  /// Complexity: O(bytes).
  void verify_checksums() const { file_.check_sections(); }

  /// Checks that the file was not changed in place since it was opened (see mapped_file::check()). This takes about a
  /// microsecond.
  /// Throws: std::runtime_error, which names the file, if it was changed.
  void check_file() const {
    if (owned_ != nullptr) owned_->check();
  }

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

  static constexpr detail::file_content content = detail::file_content::sets;

  explicit set_index_view(const std::shared_ptr<const mapped_file>& file)
      : set_index_view(file, detail::container(checked(file->bytes()), file->path(), content)) {}

  set_index_view(std::shared_ptr<const mapped_file> owned, detail::container file)
      : owned_(std::move(owned)), file_(std::move(file)), mapped_(file_) {}

  static std::span<const std::byte> checked(std::span<const std::byte> bytes) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % detail::section_alignment != 0) {
      detail::fail<std::invalid_argument>("the bytes of a set_index_view begin at a multiple of 64");
    }
    return bytes;
  }

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

  std::shared_ptr<const mapped_file> owned_;  // null if the bytes belong to the caller
  detail::container file_;
  detail::mapped_sets<Feature, Id> mapped_;
};

}  // namespace neardup::inline v0
