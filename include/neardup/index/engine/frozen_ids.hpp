// SPDX-License-Identifier: MIT
// The ids of an immutable index.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/large_array.hpp"

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

/// The ids of each slot. ids_[slot] is the smallest id of a slot, so a search can prefetch it. In most corpora few
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

}  // namespace neardup::inline v0::detail
