// The ids of an index that no longer changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "../detail/large_array.hpp"

namespace neardup::inline v0::detail {

/// The ids of one fingerprint, at least one, in ascending order: a view into frozen_ids.
template <class Id>
class id_span {
 public:
  explicit id_span(std::span<const Id> ids) noexcept : ids_(ids) {}

  [[nodiscard]] const Id& smallest() const noexcept { return ids_.front(); }
  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
  [[nodiscard]] bool contains(const Id& id) const { return std::binary_search(ids_.begin(), ids_.end(), id); }

  /// Walks the ids; a position past the end is told by done().
  class cursor {
   public:
    cursor() = default;
    explicit cursor(const id_span& ids) noexcept : at_(ids.ids_.data()), end_(at_ + ids.ids_.size()) {}
    [[nodiscard]] const Id& operator*() const noexcept { return *at_; }
    [[nodiscard]] bool done() const noexcept { return at_ == end_; }
    cursor& operator++() noexcept {
      ++at_;
      return *this;
    }
    // Past the end of one fingerprint is before the next: the iterator tells them apart by the slot.
    friend bool operator==(const cursor& a, const cursor& b) noexcept = default;

   private:
    const Id* at_ = nullptr;
    const Id* end_ = nullptr;
  };

  friend bool operator==(const id_span& a, const id_span& b) {
    return std::equal(a.ids_.begin(), a.ids_.end(), b.ids_.begin(), b.ids_.end());
  }

 private:
  std::span<const Id> ids_;
};

/// For each slot its ids, in one array. Slots with several, which are few in most corpora, are listed.
template <class Id, class Offset>
class frozen_ids {
 public:
  frozen_ids() = default;
  /// `ids`: those of slot 0, ascending, then those of slot 1 ...; `several`: each slot that has more than one, ascending,
  /// and the position of its first.
  frozen_ids(large_array<Id> ids, std::vector<std::pair<Offset, std::size_t>> several, std::size_t slots) noexcept
      : ids_(std::move(ids)), several_(std::move(several)), slots_(slots) {}

  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }

  /// Complexity: O(log s) for s slots with several ids.
  [[nodiscard]] id_span<Id> operator[](std::size_t slot) const noexcept {
    if (several_.empty()) return id_span<Id>({ids_.data() + slot, 1});
    // The first slot with several ids that is not before this one.
    const auto found = std::lower_bound(several_.begin(), several_.end(), slot,
                                        [](const auto& entry, std::size_t wanted) { return entry.first < wanted; });
    const std::size_t position = found == several_.end()
                                     ? ids_.size() - (slots_ - slot)
                                     : found->second - (static_cast<std::size_t>(found->first) - slot);
    if (found == several_.end() || found->first != slot) return id_span<Id>({ids_.data() + position, 1});
    const auto next = found + 1;
    const std::size_t end = next == several_.end() ? ids_.size() - (slots_ - slot - 1)
                                                   : next->second - (static_cast<std::size_t>(next->first) - slot - 1);
    return id_span<Id>({ids_.data() + position, end - position});
  }

  /// About where the ids of a slot are, to load them ahead.
  [[nodiscard]] const Id* near(std::size_t slot) const noexcept {
    return ids_.data() + (several_.empty() ? slot : (std::min)(slot, ids_.size() - 1));
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return ids_.memory_usage() + several_.capacity() * sizeof(std::pair<Offset, std::size_t>);
  }

 private:
  large_array<Id> ids_;
  std::vector<std::pair<Offset, std::size_t>> several_;
  std::size_t slots_ = 0;
};

}  // namespace neardup::inline v0::detail
