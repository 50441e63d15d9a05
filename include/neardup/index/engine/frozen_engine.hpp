// SPDX-License-Identifier: MIT
// The engine of a frozen_index, and the ids of its slots. Its tables have a fixed size.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/large_array.hpp"
#include "batch_search.hpp"
#include "bucket_line.hpp"
#include "bucket_table.hpp"
#include "search_plans.hpp"
#include "searches.hpp"
#include "table_search.hpp"

namespace neardup::inline v0::detail {

/// The marks of 448 consecutive slots, in one cache line. A slot is marked if it has several ids.
///
///   bytes 0..7   before: the number of slots before this group that have several ids
///   bytes 8..63  words: one bit per slot of the group, set if the slot has several ids
struct id_marks {
  static constexpr std::size_t slots = 7 * word_bits;

  std::uint64_t before = 0;
  std::array<std::uint64_t, slots / word_bits> words{};
};

/// The ids of each slot. ids_[slot] is the smallest id of a slot, so a search can prefetch this id. In most corpora few
/// slots have several ids. Such a slot has a list of all its ids in the array lists_. `Array`: large_array, or
/// mapped_array for an index in a file.
template <class Id, class Offset, template <class> class Array = large_array>
class frozen_ids {
 public:
  frozen_ids() = default;
  /// Makes an object from arrays that another object has returned: first_ids(), lists(), list_begins() and marks(). The
  /// arrays may be in a mapped file.
  frozen_ids(std::size_t pairs, Array<Id> ids, Array<Id> lists, Array<std::uint64_t> list_begins,
             Array<id_marks> marks) noexcept
      : size_(pairs),
        ids_(std::move(ids)),
        lists_(std::move(lists)),
        list_begins_(std::move(list_begins)),
        marks_(std::move(marks)) {}
  /// Makes an object. `ids`: the ascending ids of each slot, one slot after the other. `several`: for each slot with
  /// more than one id, the slot and the position of the slot's first id in `ids`. The slots ascend.
  /// Throws: std::bad_alloc.
  frozen_ids(large_array<Id> ids, const std::vector<std::pair<Offset, std::size_t>>& several, std::size_t slots)
      : size_(ids.size()), ids_(std::move(ids)) {
    if (several.empty()) return;
    // Returns the end of the ids of several[i] in ids_. Slots between several[i] and several[i + 1] have one id each.
    const auto end_of = [&](std::size_t i) {
      if (i + 1 == several.size()) return size_ - (slots - several[i].first - 1);
      return several[i + 1].second - (several[i + 1].first - several[i].first - std::size_t{1});
    };
    std::size_t listed = 0;
    for (std::size_t i = 0; i < several.size(); ++i) listed += end_of(i) - several[i].second;
    lists_ = large_array<Id>(listed);
    list_begins_ = large_array<std::uint64_t>(several.size() + 1);
    marks_ = large_array<id_marks>(slots / id_marks::slots + 1);
    std::fill_n(marks_.data(), marks_.size(), id_marks{});
    std::size_t next = 0;
    for (std::size_t i = 0; i < several.size(); ++i) {
      list_begins_[i] = next;
      for (std::size_t at = several[i].second; at < end_of(i); ++at) lists_[next++] = ids_[at];
      const std::size_t slot = several[i].first;
      marks_[slot / id_marks::slots].words[slot % id_marks::slots / word_bits] |= std::uint64_t{1}
                                                                                  << (slot % word_bits);
    }
    list_begins_[several.size()] = next;
    std::size_t before = 0;
    for (id_marks& group : marks_.span()) {
      group.before = before;
      for (const std::uint64_t word : group.words) before += static_cast<std::size_t>(portable_popcount(word));
    }
    // Moves the first id of each slot to ids_[slot]. The new position is never after the old one. So no id is
    // overwritten before it is moved.
    std::size_t from = 0;
    for (std::size_t slot = 0, i = 0; slot < slots; ++slot) {
      ids_[slot] = ids_[from];
      if (i < several.size() && several[i].first == slot) {
        from = end_of(i++);
      } else {
        ++from;
      }
    }
    ids_.truncate(slots);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Returns the ascending ids of a slot. There is at least one.
  /// Complexity: constant.
  [[nodiscard]] std::span<const Id> operator[](std::size_t slot) const noexcept {
    if (marks_.size() != 0) {
      const id_marks& group = marks_[slot / id_marks::slots];
      const std::size_t word = slot % id_marks::slots / word_bits;
      const std::uint64_t bit = std::uint64_t{1} << (slot % word_bits);
      if ((group.words[word] & bit) != 0) {
        std::size_t list = static_cast<std::size_t>(group.before) +
                           static_cast<std::size_t>(portable_popcount(group.words[word] & (bit - 1)));
        for (std::size_t i = 0; i < word; ++i) list += static_cast<std::size_t>(portable_popcount(group.words[i]));
        const auto ids =
            lists_.span(static_cast<std::size_t>(list_begins_[list]), static_cast<std::size_t>(list_begins_[list + 1]));
        if (!ids.empty()) return ids;
      }
    }
    return {&ids_[slot], 1};
  }

  /// Returns the address of the smallest id of a slot, so that the caller can prefetch the id.
  [[nodiscard]] const Id* first_id(std::size_t slot) const noexcept { return &ids_[slot]; }

  [[nodiscard]] const Array<Id>& first_ids() const noexcept { return ids_; }
  [[nodiscard]] const Array<Id>& lists() const noexcept { return lists_; }
  [[nodiscard]] const Array<std::uint64_t>& list_begins() const noexcept { return list_begins_; }
  [[nodiscard]] const Array<id_marks>& marks() const noexcept { return marks_; }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return ids_.memory_usage() + lists_.memory_usage() + list_begins_.memory_usage() + marks_.memory_usage();
  }

 private:
  std::size_t size_ = 0;
  Array<Id> ids_;                     // ids_[slot]: the smallest id
  Array<Id> lists_;                   // all ids of each slot with several ids, ascending
  Array<std::uint64_t> list_begins_;  // the beginning of each list in lists_, and the end of the last
  Array<id_marks> marks_;             // empty if no slot has several ids
};

/// Returns the bucket of a hash among fewer than 2^32 buckets. The function is monotonic: a greater hash never has a
/// lower bucket.
[[nodiscard]] constexpr std::size_t bucket_of(std::uint64_t hash, std::uint64_t buckets) noexcept {
  return to_size((hash >> 32) * buckets >> 32);
}

/// The distinct fingerprints with their ids, in the bucket order of table 0. So table 0 only needs a directory. Each
/// other table stores filters and slots in its own bucket order.
template <std::size_t Words, class Id, class Offset, template <class> class Array = large_array>
class frozen_store {
 public:
  using words_type = std::array<std::uint64_t, Words>;
  using ids_type = frozen_ids<Id, Offset, Array>;

  static constexpr Offset none = (std::numeric_limits<Offset>::max)();
  static constexpr std::size_t max_slots = static_cast<std::size_t>(
      (std::min)(std::uint64_t{none}, std::uint64_t{(std::numeric_limits<std::size_t>::max)()}));

  frozen_store() = default;
  frozen_store(const table_key<Words>* key, Array<Offset> starts, Array<words_type> fingerprints, ids_type ids) noexcept
      : key_(key), starts_(std::move(starts)), fingerprints_(std::move(fingerprints)), ids_(std::move(ids)) {}

  [[nodiscard]] std::size_t slots() const noexcept { return fingerprints_.size(); }
  [[nodiscard]] std::size_t pairs() const noexcept { return ids_.size(); }
  [[nodiscard]] const words_type& fingerprint(std::size_t slot) const noexcept { return fingerprints_[slot]; }
  [[nodiscard]] std::span<const Id> ids(std::size_t slot) const noexcept { return ids_[slot]; }
  [[nodiscard]] bool has_id(std::size_t slot, const Id& id) const {
    const std::span<const Id> ids = ids_[slot];
    return std::binary_search(ids.begin(), ids.end(), id);
  }
  [[nodiscard]] const ids_type& ids() const noexcept { return ids_; }
  [[nodiscard]] std::span<const words_type> fingerprints() const noexcept { return fingerprints_.span(); }

  /// Returns the address of the first id of a slot, so that the caller can prefetch the id.
  [[nodiscard]] const Id* first_id(std::size_t slot) const noexcept { return ids_.first_id(slot); }
  /// Returns the directory of table 0. Bucket b has the slots from starts()[b] to starts()[b + 1] - 1.
  [[nodiscard]] std::span<const Offset> starts() const noexcept { return starts_.span(); }

  /// Returns the slot of a fingerprint, or `none`.
  [[nodiscard]] Offset find(const words_type& fingerprint) const noexcept {
    if (slots() == 0) return none;
    const Offset* const starts = &starts_[bucket_of(key_->hash(fingerprint), starts_.size() - 1)];
    const std::size_t end = (std::min)(std::size_t{starts[1]}, slots());  // starts_ may come from a damaged file
    for (std::size_t slot = starts[0]; slot < end; ++slot) {
      if (are_equal(fingerprints_[slot], fingerprint)) return static_cast<Offset>(slot);
    }
    return none;
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return starts_.memory_usage() + fingerprints_.memory_usage() + ids_.memory_usage();
  }

 private:
  const table_key<Words>* key_ = nullptr;  // the key of table 0
  Array<Offset> starts_;
  Array<words_type> fingerprints_;
  ids_type ids_;
};

/// The arrays of a table. Table 0 has no `starts`, because the store has the same array, and no `slots`, because the
/// slots would be 0, 1, 2 .... If fingerprints have one word, table 0 has no filters either, because a word is its own
/// filter. Every other table has either `starts`, or `lines` together with the filters and slots of their overflow.
template <class Offset, template <class> class Array = large_array>
struct frozen_table {
  Array<Offset> starts;
  Array<bucket_line> lines;
  Array<std::uint32_t> narrow;
  Array<std::uint64_t> wide;
  Array<Offset> slots;

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return starts.memory_usage() + lines.memory_usage() + narrow.memory_usage() + wide.memory_usage() +
           slots.memory_usage();
  }
};

/// A frozen_store, the tables of its slots, and the searches. `Array`: large_array, or mapped_array for an index in a
/// file. With mapped_array, searches check the bounds of all reads.
template <std::size_t Words, class Id, class Offset, template <class> class Array = large_array>
class frozen_engine {
 public:
  using words_type = std::array<std::uint64_t, Words>;
  using id_type = Id;
  using store_type = frozen_store<Words, Id, Offset, Array>;
  using table_type = frozen_table<Offset, Array>;

  frozen_engine(std::shared_ptr<const search_plans<Words>> plans, store_type store, std::vector<table_type> tables)
      : plans_(std::move(plans)), store_(std::move(store)), tables_(std::move(tables)), parts_(tables_.size()) {
    find_parts();
  }
  frozen_engine(const frozen_engine& other)
      : plans_(other.plans_), store_(other.store_), tables_(other.tables_), parts_(tables_.size()) {
    find_parts();
  }
  frozen_engine(frozen_engine&& other) noexcept
      // `other` keeps its plans, but not its arrays. So the moved-from engine is empty, and still usable.
      : plans_(other.plans_),  // NOLINT(performance-move-constructor-init)
        store_(std::exchange(other.store_, {})),
        tables_(std::exchange(other.tables_, {})),
        parts_(std::exchange(other.parts_, {})) {}
  frozen_engine& operator=(const frozen_engine& other) { return *this = frozen_engine(other); }
  frozen_engine& operator=(frozen_engine&& other) noexcept {
    frozen_engine taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~frozen_engine() = default;

  void swap(frozen_engine& other) noexcept {
    plans_.swap(other.plans_);
    std::swap(store_, other.store_);
    tables_.swap(other.tables_);
    parts_.swap(other.parts_);
  }

  [[nodiscard]] const store_type& store() const noexcept { return store_; }
  [[nodiscard]] const std::shared_ptr<const search_plans<Words>>& plans() const noexcept { return plans_; }
  [[nodiscard]] std::span<const table_type> tables() const noexcept { return tables_; }
  [[nodiscard]] const layout& shape() const noexcept { return plans_->shape(); }
  [[nodiscard]] int max_distance() const noexcept { return shape().k(); }
  [[nodiscard]] int default_distance() const noexcept { return max_distance(); }
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    std::size_t sum = store_.memory_usage();
    for (const table_type& table : tables_) sum += table.memory_usage();
    return sum;
  }

  /// Searches with the parameters and results of pigeonhole_engine::visit_within().
  bool visit_within(const words_type& query, int k, const slot_visitor& visit) const {
    return search_tables<Words, Offset>(*this, *plans_, store_, query, k, visit);
  }
  bool visit_batch(std::span<const words_type> queries, int k, const batch_visitor& visit) const {
    return search_tables_batch<Words, Offset>(*this, *plans_, store_, queries, k, visit);
  }

  [[nodiscard]] std::size_t count_compared(const words_type& query, int k) const {
    return compared_in_tables<Words>(*this, *plans_, store_, query, k);
  }

  /// Pointers to the arrays of a table, for a search.
  struct table_parts {
    const char* directory;  ///< beginnings of buckets, or bucket_lines
    const char* filters;
    const Offset* slots;  ///< if null, the slots count up from first_slot
    std::uint64_t buckets;
    std::size_t entries;  ///< number of filters
    int log_filter_size;
    int log_entry_size;  ///< log2 of the size of a directory entry

    /// Returns the address of the directory entry for a hash, so that the caller can prefetch the entry.
    [[nodiscard]] const void* entry(std::uint64_t hash) const noexcept {
      return directory + (bucket_of(hash, buckets) << log_entry_size);
    }
    [[nodiscard]] bool has_lines() const noexcept { return log_entry_size == log_line_size; }
    /// Returns the bucket_line of a hash.
    /// Precondition: has_lines().
    [[nodiscard]] const bucket_line& line(std::uint64_t hash) const noexcept {
      return *static_cast<const bucket_line*>(entry(hash));
    }
    /// Returns the overflow: the entries of a bucket for which its line has no room.
    /// Precondition: has_lines().
    [[nodiscard]] bucket_view<Offset> overflow(const bucket_line& line) const noexcept {
      std::size_t begin = line.overflow(), count = line.overflow_count();
      if constexpr (!is_trusted) {
        begin = (std::min)(begin, entries);
        count = (std::min)(count, entries - begin);
      }
      return {filters + (begin << log_filter_size), slots + begin, 0, count, false};
    }
    /// Returns the entries of a bucket: only the overflow if the table has lines, otherwise all entries.
    [[nodiscard]] bucket_view<Offset> view(std::uint64_t hash) const noexcept {
      if (has_lines()) return overflow(line(hash));
      const auto* const at = static_cast<const Offset*>(entry(hash));
      std::size_t begin = at[0], end = at[1];
      if constexpr (!is_trusted) {
        end = (std::min)(end, entries);
        begin = (std::min)(begin, end);
      }
      return {filters + (begin << log_filter_size), slots == nullptr ? nullptr : slots + begin, begin, end - begin,
              log_filter_size == 3};
    }
  };
  [[nodiscard]] const table_parts& table(std::size_t number) const noexcept { return parts_[number]; }

 private:
  static constexpr bool is_trusted = std::is_same_v<Array<Offset>, large_array<Offset>>;
  static constexpr int log_line_size = std::countr_zero(sizeof(bucket_line));
  static_assert(sizeof(Offset) < sizeof(bucket_line));

  void find_parts() noexcept {
    for (std::size_t table = 0; table < tables_.size(); ++table) {
      const table_type& t = tables_[table];
      const std::span<const Offset> starts = table == 0 ? store_.starts() : t.starts.span();
      const void* filters = t.narrow.data();
      bool is_wide = false;
      if (Words == 1 && table == 0) {
        // A fingerprint of one word is its own filter.
        filters = store_.fingerprints().data();
        is_wide = true;
      } else if (t.wide.size() > 0) {
        filters = t.wide.data();
        is_wide = true;
      }
      const bool has_lines = t.lines.size() > 0;
      parts_[table] = {
          has_lines ? reinterpret_cast<const char*>(t.lines.data()) : reinterpret_cast<const char*>(starts.data()),
          static_cast<const char*>(filters),
          t.slots.data(),
          has_lines ? t.lines.size() : (std::max)(starts.size(), std::size_t{1}) - 1,
          has_lines ? t.narrow.size() : store_.slots(),
          is_wide ? 3 : 2,
          has_lines ? log_line_size : std::countr_zero(sizeof(Offset))};
    }
  }

  std::shared_ptr<const search_plans<Words>> plans_;
  store_type store_;
  std::vector<table_type> tables_;
  std::vector<table_parts> parts_;
};

/// Gives storage/ access to the engine of a frozen_index. Also makes a frozen_index from an engine.
struct frozen_access {
  template <class Index>
  [[nodiscard]] static const auto& engine(const Index& index) noexcept {
    return index.engine_;
  }
  template <class Index, class Engine>
  [[nodiscard]] static Index make(Engine engine) {
    return Index(std::move(engine));
  }
};

}  // namespace neardup::inline v0::detail
