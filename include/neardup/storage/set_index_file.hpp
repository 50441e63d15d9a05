// SPDX-License-Identifier: MIT
// Saves a set_index to a file, and loads or maps such a file.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "../detail/file_operations.hpp"
#include "../error.hpp"
#include "../ids.hpp"
#include "../sets/engine/frozen_sets.hpp"
#include "../sets/engine/overlap_bounds.hpp"
#include "../sets/feature_sets.hpp"
#include "../sets/set_index.hpp"
#include "../threshold.hpp"
#include "composition.hpp"
#include "engine/container.hpp"
#include "engine/sections.hpp"
#include "engine/set_sections.hpp"
#include "journal.hpp"
#include "mapped_file.hpp"

namespace neardup::inline v0 {

/// The file of a set_index, or the bytes of such a file. index() returns an index whose base is this file. Searches
/// read the file in place, without a copy.
///
/// Opening checks the header and the sizes of the sections. Opening takes the same time for any number of sets. Damaged
/// bytes never cause reads outside of the file, but may cause wrong matches. After verify() has succeeded, all searches
/// are exact.
/// Precondition: the bytes do not change while this object, a copy of it, or an index from it is used.
/// Example: `const set_index<> index = set_index_file<>(mapped_file("pages.sets")).index();`
template <std::unsigned_integral Feature = std::uint32_t, class Id = std::uint32_t>
class set_index_file : public detail::viewed_file {
 public:
  /// Opens a file. The file stays open as long as this object, a copy of the object, or an index from index() exists.
  /// Throws: std::runtime_error if the file is damaged, of another version, or of another Feature or Id; the message
  /// names the file. std::bad_alloc.
  explicit set_index_file(mapped_file file)
      : viewed_file(std::move(file), detail::file_content::sets), mapped_(this->file()) {}

  /// Opens the bytes of a file that are in memory.
  /// Precondition: the bytes outlive this object, its copies, and the indexes from it.
  /// Throws: the exceptions of the constructor that takes a file; std::invalid_argument if the bytes are not aligned to
  /// 64 bytes.
  explicit set_index_file(std::span<const std::byte> bytes)
      : viewed_file(bytes, detail::file_content::sets, "a set_index_file"), mapped_(file()) {}

  /// Checks all checksums. Also checks that the postings are exactly those of the stored sets.
  /// Throws: std::runtime_error if a check fails.
  /// Complexity: linear in the size of the file, and O(n log n) for n postings.
  void verify() const {
    file().check_sections();
    mapped_.check(file());
  }

  /// Checks all checksums. The function finds damage, but no errors of the program that wrote the file. The check takes
  /// a thirtieth of the time of verify().
  /// Throws: std::runtime_error if a check fails.
  /// Complexity: linear in the size of the file.
  void verify_checksums() const { file().check_sections(); }

  /// Returns an index that has the sets of the file. Changes of the index are made in memory only.
  /// Throws: std::bad_alloc.
  [[nodiscard]] set_index<Feature, Id> index() const {
    return detail::set_index_access::make(mapped_.bounds(), detail::set_base<Feature, Id>(mapped_.sets(), owner()));
  }

  /// Returns the number of ids.
  [[nodiscard]] std::size_t size() const noexcept { return mapped_.sets().ids.size(); }

 private:
  template <std::unsigned_integral, class>
  friend class durable_set_index;

  detail::mapped_sets<Feature, Id> mapped_;
};

namespace detail {

template <class Index>
[[nodiscard]] Index load_sets(const std::string& path, const fingerprint_composition* made_of) {
  const set_index_file<typename Index::feature_type, typename Index::id_type> opened{mapped_file(path)};
  opened.verify();
  const container& file = view_access::file(opened);
  if (made_of != nullptr) file.check_composition(*made_of);
  refuse_changes_beside(path, file.checksum());
  Index index = opened.index();
  index.compact();
  return index;
}

/// Sets and their ids. The class has the members of set_index that write_sets() calls.
template <class Sets, class Id>
class sets_with_ids {
 public:
  using feature_type = set_feature_t<Sets>;
  using id_type = std::remove_const_t<Id>;
  using set_type = std::span<const feature_type>;

  sets_with_ids(const set_threshold& least, const Sets& sets, std::span<Id> ids)
      : least_(overlap_bounds(least).least_similar()), sets_(sets), ids_(ids) {
    if (sets.size() != ids.size()) {
      fail<std::invalid_argument>(
          {"save_sets: ", ids.size(), " ids for ", sets.size(), " sets; give one id for each set"});
    }
    for (std::size_t i = 0; i < ids.size(); ++i) check_ascending(set_type(sets[i]));
  }

  [[nodiscard]] set_threshold threshold() const noexcept { return least_; }
  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < ids_.size(); ++i) visit(ids_[i], set_type(sets_[i]));
  }

 private:
  set_threshold least_;
  const Sets& sets_;
  std::span<Id> ids_;
};

}  // namespace detail

/// Writes a set_index to a file, atomically and durably. After a crash, there is either the old file or the new one.
/// When the function returns, the new file is on the disk. docs/format.md specifies the format. The bytes of the file
/// depend only on the settings, the sets and their ids. The path may be the path of the file on which the index was
/// opened (its base).
/// Precondition: verify() of the file of the base succeeds. Otherwise the new file may have damaged bytes with valid
/// checksums.
///
/// `made_of` is the composition of the features: composition_of() of the feature_extractor, or of a simhasher with the
/// same tokenizer and hasher. `attachments` are byte strings of your own, such as the names of documents. They are
/// stored in the same file, and set_index_file::attachment() returns them.
/// Throws: std::runtime_error if the file cannot be written; the message names the file. std::invalid_argument if the
/// least overlap has more than 32 bits; std::length_error for 2^32 - 2 ids or more; std::bad_alloc.
template <std::unsigned_integral Feature, class Id>
void save(const std::string& path, const set_index<Feature, Id>& index, const fingerprint_composition& made_of,
          std::span<const std::span<const std::byte>> attachments = {}) {
  detail::write_sets(detail::system_files(), path, index, made_of, attachments);
}

/// Writes the file that save() would write for a set_index of these sets. This function takes a third of the time of
/// making and saving a set_index. The id of sets[i] is ids[i]. `least`: jaccard{0.8}, cosine{0.8}, containment{0.8}, or
/// a set_threshold. `sets`: see set_range.
/// Throws: the exceptions of save() of a set_index; std::invalid_argument if two ids are equal, if the numbers of sets
/// and ids differ, if the features of a set are not ascending and distinct, or if the similarity is not in (0, 1].
/// Example: `save_sets("pages.sets", jaccard{0.8}, sets, ids, made_of);`
template <set_range Sets, class Ids>
void save_sets(const std::string& path, const set_threshold& least, const Sets& sets, const Ids& ids,
               const fingerprint_composition& made_of, std::span<const std::span<const std::byte>> attachments = {}) {
  const detail::sets_with_ids numbered(least, sets, std::span(ids));
  detail::write_sets(detail::system_files(), path, numbered, made_of, attachments);
}

/// Loads a set_index from a file. The whole file is checked first. The similarity, the measure and the least overlap
/// are read from the file.
/// Throws: std::runtime_error if the file is damaged, if it has another Feature or Id, or if the log of a
/// durable_set_index has later changes; the message names the file. std::bad_alloc.
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
