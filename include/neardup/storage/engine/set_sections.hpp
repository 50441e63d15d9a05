// SPDX-License-Identifier: MIT
// Stores a set_index in sections of a file (docs/format.md).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../detail/equal_groups.hpp"
#include "../../detail/file_operations.hpp"
#include "../../detail/large_array.hpp"
#include "../../error.hpp"
#include "../../sets/engine/frozen_sets.hpp"
#include "../../sets/engine/overlap_bounds.hpp"
#include "../../sets/feature_sets.hpp"
#include "../../threshold.hpp"
#include "container.hpp"
#include "sections.hpp"

namespace neardup::inline v0::detail {

/// The details in the header of a file of sets, in the form in which they are stored.
struct set_details {
  std::uint8_t measure;  ///< a set_similarity
  id_form form;
  std::uint8_t id_size, zero;
  std::uint32_t min_common;
  double least;
};
static_assert(sizeof(set_details) == 16);

static_assert(static_cast<int>(set_similarity::jaccard) == 0 && static_cast<int>(set_similarity::cosine) == 1 &&
              static_cast<int>(set_similarity::containment) == 2);

/// Calls `visit(tag, 0, array)` for each array, in the order of the sections in a file.
template <class Feature, class Id, template <class> class Array, class Visit>
void for_each_section(frozen_sets<Feature, Id, Array>& sets, Visit& visit) {
  visit(section_tag::set_features, 0, sets.features);
  visit(section_tag::set_records, 0, sets.records);
  visit(section_tag::ids, 0, sets.ids);
  visit(section_tag::set_id_begins, 0, sets.id_begins);
  visit(section_tag::set_id_order, 0, sets.id_order);
  visit(section_tag::set_levels, 0, sets.levels);
  visit(section_tag::set_buckets, 0, sets.bucket_begins);
  visit(section_tag::set_postings, 0, sets.postings);
}

/// Writes the sets of an index to a file. `index` has the interface of set_index. `log`: the extent of the log whose
/// changes are in the index (see log_extent), or empty.
/// Returns: the checksum of the header of the file.
/// Throws: std::runtime_error if the file cannot be written; the message names the file. std::invalid_argument if the
/// least overlap has more than 32 bits; std::length_error if there are too many ids; std::bad_alloc.
template <class Index>
std::uint64_t write_sets(file_operations& files, const std::string& path, const Index& index,
                         const fingerprint_composition& made_of, std::span<const byte_span> attachments,
                         std::span<const std::uint64_t> log = {}) {
  using feature_type = typename Index::feature_type;
  using id_type = typename Index::id_type;
  const set_threshold least = index.threshold();
  if (least.min_common > (std::numeric_limits<std::uint32_t>::max)()) {
    fail<std::invalid_argument>({path, ": a saved set_index has a least overlap below 2^32, not ", least.min_common});
  }
  const set_details details{static_cast<std::uint8_t>(least.measure),     form_of_id<id_type>(), sizeof(id_type), 0,
                            static_cast<std::uint32_t>(least.min_common), least.similarity};
  const file_header header{file_content::sets, static_cast<std::uint32_t>(8 * sizeof(feature_type)),
                           std::bit_cast<std::array<std::uint8_t, 16>>(details), index.size(), made_of};
  const overlap_bounds bounds(least);
  set_arrays<feature_type, id_type> arrays(index, bounds);
  section_writer sections;
  for_each_section(arrays, sections);
  sections(section_tag::log_extent, 0, log);
  return sections.write(files, path, header, attachments);
}

/// The sets of a file. They are read in place.
template <class Feature, class Id>
class mapped_sets {
 public:
  using sets_type = frozen_sets<Feature, Id, mapped_array>;

  /// Opens the sets of a file.
  /// Throws: std::runtime_error if the file has another Feature or Id, or if its sections contradict each other.
  /// Complexity: the time is the same for any number of sets.
  explicit mapped_sets(const container& file) : bounds_(bounds_in(file)) {
    section_reader sections(file);
    for_each_section(sets_, sections);
    sections(section_tag::log_extent, 0, log_);
    const bool is_empty = sets_.records.size() == 0;
    const bool fits = is_empty ? sections.found() == (log_.size() > 0 ? 1 : 0)
                               : sets_.records.size() >= 2 && sets_.slots() <= sets_type::max_slots &&
                                     sets_.id_begins.size() == sets_.records.size() && sets_.levels.size() > 0 &&
                                     sets_.bucket_begins.size() >= 2;
    if (!fits || sets_.ids.size() != file.header().count || sets_.id_order.size() != sets_.ids.size() ||
        (log_.size() != 0 && log_.size() != 2)) {
      file.refuse_damage("the sections do not fit each other");
    }
    sections.finish("an index of sets");
  }

  [[nodiscard]] const sets_type& sets() const noexcept { return sets_; }
  [[nodiscard]] const overlap_bounds& bounds() const noexcept { return bounds_; }
  /// Returns the extent (size and checksum) of the log whose changes are in the file, or an empty span.
  [[nodiscard]] std::span<const std::uint64_t> log() const noexcept { return log_.span(); }

  /// Checks the content. The sets must be ascending and distinct, the ids must be in order, and the postings must be
  /// exactly those of the sets.
  /// Throws: std::runtime_error if the check fails; file.refuse() throws it.
  /// Complexity: linear in the number of features, and O(n log n) for n postings.
  /// Memory: the memory of all postings.
  void check(const container& file) const {
    if (sets_.slots() == 0) return;
    check_sets(file);
    check_ids(file);
    const made_postings expected = make_postings(
        sets_.slots(), [&](std::size_t slot) { return sets_.set(slot); }, bounds_, feature_levels(sets_.levels));
    const auto is_same = [](const set_posting& a, const set_posting& b) {
      return posting_order(a) == posting_order(b);
    };
    const auto begins = sets_.bucket_begins.span();
    const auto postings = sets_.postings.span();
    if (!std::equal(begins.begin(), begins.end(), expected.bucket_begins.begin(), expected.bucket_begins.end()) ||
        !std::equal(postings.begin(), postings.end(), expected.postings.begin(), expected.postings.end(), is_same)) {
      file.refuse_damage("the postings are damaged");
    }
  }

 private:
  static overlap_bounds bounds_in(const container& file) {
    const file_header& header = file.header();
    const auto details = std::bit_cast<set_details>(header.details);
    if (details.zero != 0 || details.measure > static_cast<int>(set_similarity::containment) ||
        details.min_common == 0 || !(details.least > 0 && details.least <= 1)) {
      file.refuse_damage("the header is damaged");
    }
    if (header.bits != 8 * sizeof(Feature)) {
      file.refuse({"features of ", header.bits, " bits, not ", 8 * sizeof(Feature)});
    }
    check_id_form<Id>(file, details.form, details.id_size);
    return overlap_bounds({static_cast<set_similarity>(details.measure), details.least, details.min_common});
  }

  void check_sets(const container& file) const {
    const auto& records = sets_.records;
    const std::size_t slots = sets_.slots();
    const auto refuse = [&](std::size_t slot, const char* what) { file.refuse_damage({"set ", slot, what}); };
    if (records[0].begin != 0) refuse(0, " is damaged");
    if (records[slots].begin != sets_.features.size() || fold_bitmap(records[slots].bitmap) != 0 ||
        records[slots].bitmap[0] != 0) {
      refuse(slots, ", the end of the sets, is damaged");
    }
    std::vector<std::uint64_t> hashes;
    hashes.reserve(slots);
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if (records[slot].begin > records[slot + 1].begin || records[slot + 1].begin > sets_.features.size()) {
        refuse(slot, " is damaged");
      }
      const std::span<const Feature> set = sets_.set(slot);
      if (set.size() >= std::size_t{1} << 30 || !is_ascending(set)) {
        refuse(slot, " has features that are not in order");
      }
      const set_sketch sketch = sketch_of(set);
      if (sketch.bitmap != records[slot].bitmap) refuse(slot, " is damaged");
      hashes.push_back(sketch.hash);
    }
    const equal_groups<std::uint32_t> copies(
        hashes.size(), [&](std::size_t i) { return hashes[i]; },
        [&](std::uint32_t a, std::uint32_t b) { return compare_sets(sets_.set(a), sets_.set(b)); }, {});
    if (copies.distinct() != slots) file.refuse_damage("a set is there twice");
  }

  void check_ids(const container& file) const {
    const auto begins = sets_.id_begins.span();
    const auto ids = sets_.ids.span();
    const auto order = sets_.id_order.span();
    if (begins.front() != 0 || begins.back() != ids.size() ||
        std::adjacent_find(begins.begin(), begins.end(), std::greater_equal<>()) != begins.end()) {
      file.refuse_damage("the ids are damaged");
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i] >= ids.size() || (i > 0 && !(ids[order[i - 1]] < ids[order[i]]))) {
        file.refuse_damage({"the order of id ", i, " is damaged"});
      }
    }
    for (std::size_t slot = 0; slot + 1 < begins.size(); ++slot) {
      const auto own = sets_.ids_of(slot);
      for (std::size_t i = 1; i < own.size(); ++i) {
        if (!(own[i - 1] < own[i])) file.refuse_damage({"set ", slot, " has ids that are not in order"});
      }
    }
  }

  overlap_bounds bounds_;
  sets_type sets_;
  mapped_array<std::uint64_t> log_;
};

}  // namespace neardup::inline v0::detail
