// SPDX-License-Identifier: MIT
// Stores an index in sections of a file. The sections are the arrays of a frozen_index, unchanged (docs/format.md).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/large_array.hpp"
#include "../../index/engine/bucket_line.hpp"
#include "../../index/engine/frozen_builder.hpp"
#include "../../index/engine/frozen_engine.hpp"
#include "../../index/engine/search_plans.hpp"
#include "../../index/engine/searches.hpp"
#include "../../index/layout.hpp"
#include "../../simd/filters.hpp"
#include "container.hpp"
#include "sections.hpp"

namespace neardup::inline v0::detail {

/// The details in the header of an index file, in the form in which they are stored.
struct index_details {
  std::uint16_t k, blocks;
  std::uint8_t max_radius_width;  ///< parameter max_radius_width of search_plans
  std::uint8_t is_flat;           ///< 1 if the index was a flat_index, which scans for any k
  id_form form;
  std::uint8_t id_size, offset_size;
  std::array<std::uint8_t, 7> zeros;
};
static_assert(sizeof(index_details) == 16);

/// The arrays of an index in a file.
template <std::size_t Words, class Id, class Offset, template <class> class Array>
struct index_arrays {
  Array<std::array<std::uint64_t, Words>> fingerprints;
  Array<Id> ids, lists;
  Array<std::uint64_t> list_begins;
  Array<id_marks> marks;
  std::vector<frozen_table<Offset, Array>> tables;  ///< the store uses the directory of table 0
};

/// Calls `visit(tag, table, array)` for each array, in the order of the sections in a file.
template <std::size_t Words, class Id, class Offset, template <class> class Array, class Visit>
void for_each_section(index_arrays<Words, Id, Offset, Array>& arrays, Visit& visit) {
  visit(section_tag::fingerprints, 0, arrays.fingerprints);
  visit(section_tag::ids, 0, arrays.ids);
  visit(section_tag::lists, 0, arrays.lists);
  visit(section_tag::list_begins, 0, arrays.list_begins);
  visit(section_tag::marks, 0, arrays.marks);
  for (std::size_t number = 0; number < arrays.tables.size(); ++number) {
    auto& table = arrays.tables[number];
    visit(section_tag::starts, number, table.starts);
    visit(section_tag::lines, number, table.lines);
    visit(section_tag::narrow, number, table.narrow);
    visit(section_tag::wide, number, table.wide);
    visit(section_tag::slots, number, table.slots);
  }
}

/// Writes an engine to a file.
/// Throws: std::runtime_error if the file cannot be written; the message names the file. std::invalid_argument if the
/// layout has numbers that are too large for the header; std::bad_alloc.
template <std::size_t Words, class Id, class Offset>
void write_index(file_operations& files, const std::string& path, const frozen_engine<Words, Id, Offset>& engine,
                 std::size_t bits, bool is_flat, const fingerprint_composition& made_of,
                 std::span<const byte_span> attachments) {
  if ((std::max)(engine.shape().k(), engine.shape().blocks()) > 0xffff) {
    fail<std::invalid_argument>({path, ": a saved layout has k and blocks up to 65535, not k = ", engine.shape().k(),
                                 ", blocks = ", engine.shape().blocks()});
  }
  const index_details details{static_cast<std::uint16_t>(engine.shape().k()),
                              static_cast<std::uint16_t>(engine.shape().blocks()),
                              static_cast<std::uint8_t>(engine.plans()->max_radius_width()),
                              is_flat ? std::uint8_t{1} : std::uint8_t{0},
                              form_of_id<Id>(),
                              static_cast<std::uint8_t>(sizeof(Id)),
                              sizeof(Offset),
                              {}};
  const file_header header{file_content::index, static_cast<std::uint32_t>(bits),
                           std::bit_cast<std::array<std::uint8_t, 16>>(details), engine.store().pairs(), made_of};
  const auto& store = engine.store();
  const auto& ids = store.ids();
  index_arrays<Words, Id, Offset, mapped_array> arrays{
      mapped_array(store.fingerprints()),     mapped_array(ids.first_ids().span()), mapped_array(ids.lists().span()),
      mapped_array(ids.list_begins().span()), mapped_array(ids.marks().span()),     {}};
  for (const auto& table : engine.tables()) {
    arrays.tables.push_back({mapped_array(arrays.tables.empty() ? store.starts() : table.starts.span()),
                             mapped_array(table.lines.span()), mapped_array(table.narrow.span()),
                             mapped_array(table.wide.span()), mapped_array(table.slots.span())});
  }
  section_writer sections;
  for_each_section(arrays, sections);
  sections.write(files, path, header, attachments);
}

/// Returns the details of an index file.
/// Throws: std::runtime_error if the header is damaged, or if Id, Offset, `bits` or `kind` is not as in the file.
template <class Id, class Offset>
[[nodiscard]] index_details index_details_of(const container& file, std::size_t bits, fingerprint_kind kind) {
  const file_header& header = file.header();
  const auto details = std::bit_cast<index_details>(header.details);
  file.check_fingerprints(bits, kind);
  if (details.zeros != decltype(details.zeros){} || details.is_flat > 1 || details.max_radius_width < 8 ||
      details.max_radius_width > word_bits || !layout::is_valid(bits, details.k, details.blocks)) {
    file.refuse_damage("the header is damaged");
  }
  check_id_form<Id>(file, details.form, details.id_size);
  if (details.offset_size != sizeof(Offset)) {
    file.refuse({"the offsets have ", 8 * details.offset_size, " bits, which is another Offset"});
  }
  return details;
}

/// Reads the engine in a file. With mapped_array, the arrays are read in place; with large_array, they are copied.
/// Precondition: index_details_of() has accepted the details of the file.
/// Throws: std::runtime_error if the sections contradict each other; std::bad_alloc.
/// Complexity: in place, the time is the same for any number of fingerprints.
template <std::size_t Words, class Id, class Offset, template <class> class Array>
[[nodiscard]] frozen_engine<Words, Id, Offset, Array> read_engine(const container& file) {
  const auto details = std::bit_cast<index_details>(file.header().details);
  const auto require = [&](bool holds) {
    if (!holds) file.refuse_damage("the sections do not fit each other");
  };
  // search_plans takes memory for each table. So the number of tables is compared with the number of sections first.
  const layout shape(file.header().bits, details.k, details.blocks);
  require(file.sections().size() >= shape.table_count());
  auto plans = std::make_shared<const search_plans<Words>>(shape, details.max_radius_width);
  index_arrays<Words, Id, Offset, Array> arrays;
  arrays.tables.resize(plans->keys().size());
  section_reader sections(file);
  for_each_section(arrays, sections);
  sections.finish("an index");

  using store_type = frozen_store<Words, Id, Offset, Array>;
  const std::size_t slots = arrays.fingerprints.size(), lists = arrays.lists.size();
  require(slots <= store_type::max_slots && arrays.ids.size() == slots);
  require(arrays.marks.size() == 0
              ? lists == 0 && arrays.list_begins.size() == 0
              : arrays.marks.size() == slots / id_marks::slots + 1 && arrays.list_begins.size() > 1);
  require(slots <= file.header().count && file.header().count <= slots + lists);
  const bool is_wide = !narrow_filter_suffices(details.k);
  // The tables of an empty index are never read, so they need no check.
  for (std::size_t number = 0; slots > 0 && number < arrays.tables.size(); ++number) {
    const frozen_table<Offset, Array>& table = arrays.tables[number];
    const bool has_starts = table.starts.size() >= 2 && table.starts.size() - 1 <= std::uint64_t{0xffffffffU};
    const std::size_t filters = is_wide ? table.wide.size() : table.narrow.size();
    require((is_wide ? table.narrow.size() : table.wide.size()) == 0);
    if (number == 0) {
      require(has_starts && table.lines.size() == 0 && table.slots.size() == 0);
      require(filters == (Words == 1 ? 0 : slots));
    } else if (table.lines.size() > 0) {
      require(sizeof(Offset) == 4 && !is_wide && table.starts.size() == 0);
      require(table.lines.size() <= std::uint64_t{0xffffffffU} && filters == table.slots.size());
    } else {
      require(has_starts && filters == slots && table.slots.size() == slots);
    }
  }
  store_type store(&plans->keys()[0], std::exchange(arrays.tables[0].starts, {}), std::move(arrays.fingerprints),
                   {static_cast<std::size_t>(file.header().count), std::move(arrays.ids), std::move(arrays.lists),
                    std::move(arrays.list_begins), std::move(arrays.marks)});
  return {std::move(plans), std::move(store), std::move(arrays.tables)};
}

/// The engine of an index in a file. It searches the sections in place: by a frozen_engine with bounds checks, or by a
/// scan if a flat_index was saved.
template <std::size_t Words, class Id, class Offset>
class view_engine {
 public:
  using words_type = std::array<std::uint64_t, Words>;
  using id_type = Id;
  using engine_type = frozen_engine<Words, Id, Offset, mapped_array>;
  using store_type = typename engine_type::store_type;

  /// Opens the engine in a file.
  /// Throws: the exceptions of index_details_of() and read_engine().
  /// Complexity: the time is the same for any number of fingerprints.
  view_engine(const container& file, std::size_t bits, fingerprint_kind kind)
      : bits_(bits),
        is_flat_(index_details_of<Id, Offset>(file, bits, kind).is_flat != 0),
        engine_(read_engine<Words, Id, Offset, mapped_array>(file)) {}

  [[nodiscard]] const engine_type& engine() const noexcept { return engine_; }
  [[nodiscard]] const store_type& store() const noexcept { return engine_.store(); }
  [[nodiscard]] bool is_flat() const noexcept { return is_flat_; }
  [[nodiscard]] int max_distance() const noexcept {
    return is_flat_ ? static_cast<int>(bits_) : engine_.max_distance();
  }
  [[nodiscard]] int default_distance() const noexcept { return is_flat_ ? 3 : max_distance(); }

  bool visit_within(const words_type& query, int k, const slot_visitor& visit) const {
    if (is_flat_) return scan_all(store().fingerprints(), query, k, visit);
    return engine_.visit_within(query, k, visit);
  }
  bool visit_batch(std::span<const words_type> queries, int k, const batch_visitor& visit) const {
    if (is_flat_) return scan_all(store().fingerprints(), queries, k, visit);
    return engine_.visit_batch(queries, k, visit);
  }
  [[nodiscard]] std::size_t count_compared(const words_type& query, int k) const {
    return is_flat_ ? store().slots() : engine_.count_compared(query, k);
  }

  /// Checks the content. Every table must have each fingerprint exactly once, in the bucket in which searches look for
  /// it. The lists of ids must be sorted.
  /// Throws: std::runtime_error if the check fails; file.refuse() throws it.
  /// Complexity: O(tables * n) for n fingerprints.
  /// Memory: one bit per fingerprint.
  void check(const container& file) const {
    check_store(file);
    for (std::size_t number = 0; number < engine_.tables().size(); ++number) check_table(file, number);
  }

 private:
  void check_store(const container& file) const {
    const store_type& s = store();
    const std::size_t slots = s.slots();
    if (slots == 0) return check_ids(file);
    const std::size_t unused = Words * word_bits - bits_;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if ((s.fingerprint(slot)[Words - 1] & ~low_mask(word_bits - unused)) == 0) continue;
      file.refuse_damage({"fingerprint ", slot, " has too many bits"});
    }
    // Table 0 has no slots, because the fingerprints are stored in the order of table 0.
    const table_key<Words>& key = engine_.plans()->keys()[0];
    const std::span<const Offset> starts = s.starts();
    std::vector<words_type> bucket;
    check_starts(file, starts, 0);
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      bucket.assign(s.fingerprints().begin() + static_cast<std::ptrdiff_t>(starts[i]),
                    s.fingerprints().begin() + static_cast<std::ptrdiff_t>(starts[i + 1]));
      for (const words_type& fingerprint : bucket) {
        if (bucket_of(key.hash(fingerprint), starts.size() - 1) != i) refuse_table(file, 0);
      }
      std::sort(bucket.begin(), bucket.end());
      if (std::adjacent_find(bucket.begin(), bucket.end()) != bucket.end()) refuse_table(file, 0);
    }
    check_ids(file);
  }

  [[noreturn]] static void refuse_table(const container& file, std::size_t number) {
    file.refuse_damage({"table ", number, " is damaged"});
  }

  void check_starts(const container& file, std::span<const Offset> starts, std::size_t number) const {
    if (starts.front() != 0 || starts.back() != store().slots() || !std::is_sorted(starts.begin(), starts.end())) {
      refuse_table(file, number);
    }
  }

  void check_ids(const container& file) const {
    const auto& ids = store().ids();
    const auto begins = ids.list_begins().span();
    const auto lists = ids.lists().span();
    const std::size_t slots = store().slots();
    std::size_t listed = 0, pairs = slots;
    const auto refuse = [&] { file.refuse_damage({"list ", listed, " of ids is damaged"}); };
    for (std::size_t group = 0; group < ids.marks().size(); ++group) {
      const auto& marks = ids.marks()[group];
      if (marks.before != listed) refuse();
      for (std::size_t bit = 0; bit < id_marks::slots; ++bit) {
        if ((marks.words[bit / word_bits] >> (bit % word_bits) & 1U) == 0) continue;
        const std::size_t slot = group * id_marks::slots + bit;
        if (slot >= slots || listed + 1 >= begins.size()) refuse();
        const auto list =
            ids.lists().span(static_cast<std::size_t>(begins[listed]), static_cast<std::size_t>(begins[listed + 1]));
        if (begins[listed] != pairs - (slots - listed) || list.size() < 2 || !(list[0] == ids.first_ids()[slot])) {
          refuse();
        }
        for (std::size_t i = 1; i < list.size(); ++i) {
          if (!(list[i - 1] < list[i])) refuse();
        }
        pairs += list.size() - 1;
        ++listed;
      }
    }
    if (pairs != store().pairs() || (begins.empty() ? listed != 0 : listed + 1 != begins.size()) ||
        (!begins.empty() && begins.back() != lists.size())) {
      refuse();
    }
  }

  void check_table(const container& file, std::size_t number) const {
    const frozen_table<Offset, mapped_array>& table = engine_.tables()[number];
    const std::size_t slots = store().slots();
    if (slots == 0) return;
    const auto is_filter_of = [&](std::size_t entry, std::size_t slot) {
      const words_type& fingerprint = store().fingerprint(slot);
      return table.wide.size() > 0 ? table.wide[entry] == fold_filter<std::uint64_t>(fingerprint)
                                   : table.narrow[entry] == fold_filter<std::uint32_t>(fingerprint);
    };
    if (number == 0) {
      for (std::size_t slot = 0; Words > 1 && slot < slots; ++slot) {
        if (!is_filter_of(slot, slot)) refuse_table(file, number);
      }
      return;
    }
    const table_key<Words>& key = engine_.plans()->keys()[number];
    std::vector<bool> is_seen(slots);
    std::size_t seen = 0;
    const auto see = [&](std::size_t slot, std::size_t bucket, std::size_t buckets) {
      if (slot >= slots || is_seen[slot]) refuse_table(file, number);
      is_seen[slot] = true;
      ++seen;
      if (bucket_of(key.hash(store().fingerprint(slot)), buckets) != bucket) refuse_table(file, number);
    };
    const auto see_entry = [&](std::size_t entry, std::size_t bucket, std::size_t buckets) {
      constexpr std::size_t ahead = 16;
      if (entry + ahead < table.slots.size()) prefetch(&store().fingerprint(table.slots[entry + ahead]));
      see(table.slots[entry], bucket, buckets);
      if (!is_filter_of(entry, table.slots[entry])) refuse_table(file, number);
    };
    if (table.lines.size() == 0) {
      const std::span<const Offset> starts = table.starts.span();
      check_starts(file, starts, number);
      for (std::size_t bucket = 0; bucket + 1 < starts.size(); ++bucket) {
        for (std::size_t i = starts[bucket]; i < starts[bucket + 1]; ++i) see_entry(i, bucket, starts.size() - 1);
      }
    } else {
      std::size_t next = 0;  // index of the next overflow entry
      for (std::size_t bucket = 0; bucket < table.lines.size(); ++bucket) {
        const bucket_line& line = table.lines[bucket];
        for (std::size_t i = 0; i < line.inline_count(); ++i) {
          const std::size_t slot = line.slot(i);
          see(slot, bucket, table.lines.size());
          if (line.filters()[i] != fold_filter<std::uint16_t>(store().fingerprint(slot))) refuse_table(file, number);
        }
        if (!line.overflows()) continue;
        const std::size_t count = line.overflow_count();
        if (line.overflow() != next || count == 0 || count > table.slots.size() - next) refuse_table(file, number);
        for (std::size_t i = next; i < next + count; ++i) see_entry(i, bucket, table.lines.size());
        next += count;
      }
      if (next != table.slots.size()) refuse_table(file, number);
    }
    if (seen != slots) refuse_table(file, number);
  }

  std::size_t bits_;
  bool is_flat_;
  engine_type engine_;
};

}  // namespace neardup::inline v0::detail
