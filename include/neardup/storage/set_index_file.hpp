// SPDX-License-Identifier: MIT
// Saves a set_index to a file, and loads it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../detail/file_operations.hpp"
#include "../ids.hpp"
#include "../sets/set_index.hpp"
#include "composition.hpp"
#include "engine/append_log.hpp"
#include "engine/container.hpp"
#include "engine/set_sections.hpp"
#include "mapped_file.hpp"
#include "set_index_view.hpp"

namespace neardup::inline v0 {

namespace detail {

template <class Index>
[[nodiscard]] Index load_sets(const std::string& path, const fingerprint_composition* made_of) {
  using feature_type = typename Index::feature_type;
  using id_type = typename Index::id_type;
  const set_index_view<feature_type, id_type> view{mapped_file(path)};
  view.verify();
  const container& file = view_access::file(view);
  if (made_of != nullptr) file.check_composition(*made_of);
  append_log::refuse_changes_beside(path, file.checksum());
  Index index(view.threshold());
  std::vector<std::span<const feature_type>> sets;
  std::vector<id_type> ids;
  view.for_each([&](const id_type& id, std::span<const feature_type> set) {
    sets.push_back(set);
    ids.push_back(id);
  });
  index.insert_all(sets, ids);
  return index;
}

}  // namespace detail

/// Sets with their ids, to be saved without a set_index in memory. The file equals the file of a set_index with these
/// sets, and takes a third of the time.
/// Memory: 24 bytes for each set, with 32-bit ids.
template <std::unsigned_integral Feature = std::uint32_t, class Id = std::uint32_t>
class listed_sets {
 public:
  using feature_type = Feature;
  using id_type = Id;
  using set_type = std::span<const Feature>;

  /// Makes an empty list. `least`: jaccard{0.8}, cosine{0.8}, containment{0.8}, or a set_threshold.
  /// Throws: std::invalid_argument unless 0 < similarity <= 1.
  explicit listed_sets(const set_threshold& least) : bounds_(least) {}

  /// Adds a set with an id.
  /// Precondition: the features are ascending and distinct, and outlive this object.
  /// Throws: std::bad_alloc.
  /// Guarantee: strong.
  void add(set_type set, id_argument<Id> id) { sets_.push_back({set, id}); }

  [[nodiscard]] std::size_t size() const noexcept { return sets_.size(); }
  [[nodiscard]] set_threshold threshold() const noexcept { return bounds_.least_similar(); }

  /// Calls `visit(id, set)` for each set, in the order of add().
  template <std::invocable<const Id&, set_type> Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [set, id] : sets_) visit(id, set);
  }

 private:
  struct entry {
    set_type set;
    Id id;
  };

  detail::overlap_bounds bounds_;
  std::vector<entry> sets_;
};

/// Writes a set_index to a file, atomically and durably. A crash leaves the old file or the new one. When the function
/// returns, the new file is on the disk. docs/format.md specifies the format. The bytes depend only on the settings,
/// the sets and their ids.
///
/// `made_of` is the composition of the features: composition_of() of their feature_extractor, or of a simhasher with
/// their tokenizer and hasher. `attachments` are byte strings of yours that are stored in the same file, such as the
/// names of documents. set_index_view::attachment() returns them.
/// Throws: std::runtime_error, which names the file; std::invalid_argument if the least overlap has more than 32 bits;
/// std::length_error from 2^32 - 2 ids on; std::bad_alloc.
template <std::unsigned_integral Feature, class Id>
void save(const std::string& path, const set_index<Feature, Id>& index, const fingerprint_composition& made_of,
          std::span<const std::span<const std::byte>> attachments = {}) {
  detail::write_sets(detail::system_files(), path, index, made_of, attachments);
}

/// Writes the file that save() writes for a set_index of these sets.
/// Throws: the exceptions of save() of a set_index; std::invalid_argument if two sets have the same id.
template <std::unsigned_integral Feature, class Id>
void save(const std::string& path, const listed_sets<Feature, Id>& sets, const fingerprint_composition& made_of,
          std::span<const std::span<const std::byte>> attachments = {}) {
  detail::write_sets(detail::system_files(), path, sets, made_of, attachments);
}

/// Loads a set_index from a file, after checking the whole file. Its similarity, measure and least overlap are the
/// values of the file.
/// Throws: std::runtime_error, which names the file, if it is damaged, if its Feature or Id is another type, or if the
/// log of a durable_set_index has later changes; std::bad_alloc.
/// Example: `auto index = load<set_index<>>("pages.neardup", made_of);`
template <class Index>
  requires std::same_as<Index, set_index<typename Index::feature_type, typename Index::id_type>>
[[nodiscard]] Index load(const std::string& path) { return detail::load_sets<Index>(path, nullptr); }

/// Loads a set_index, and checks its composition.
/// Throws: the exceptions of load() without a composition; std::invalid_argument if the composition differs from
/// `made_of`.
template <class Index>
  requires std::same_as<Index, set_index<typename Index::feature_type, typename Index::id_type>>
[[nodiscard]] Index load(const std::string& path, const fingerprint_composition& made_of) {
  return detail::load_sets<Index>(path, &made_of);
}

}  // namespace neardup::inline v0
