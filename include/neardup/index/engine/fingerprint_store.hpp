// The content of an index: each distinct fingerprint once, with its ids.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../error.hpp"
#include "../../detail/filter_join.hpp"
#include "../../instruction_set.hpp"
#include "prefetch.hpp"
#include "id_lists.hpp"
#include "slot_finder.hpp"

namespace neardup::inline v0::detail {

/// Makes room for one more element, growing geometrically.
template <class T>
void reserve_one_more(std::vector<T>& values) {
  if (values.size() == values.capacity()) values.reserve((std::max)(std::size_t{8}, 2 * values.size()));
}

/// Visits (query, position, distance) of each of `fingerprints` within k bits of each query, in no order; false from
/// `visit` ends it. Returns: whether it was not ended.
template <std::size_t Words, class Visit>
bool scan_all(std::span<const std::array<std::uint64_t, Words>> fingerprints,
              std::span<const std::array<std::uint64_t, Words>> queries, int k, const Visit& visit) {
  constexpr std::size_t tile = (std::size_t{1} << 17) / sizeof(fingerprints[0]);  // stays in the cache for all queries
  const instruction_set level = active_instruction_set();
  filter_pair found[4 * join_step];
  for (std::size_t begin = 0; begin < fingerprints.size(); begin += tile) {
    const std::size_t end = (std::min)(begin + tile, fingerprints.size());
    for (filter_join job = filter_join::across(0, queries.size(), begin, end); !job.is_done();) {
      const std::size_t count = join_filters(queries.data(), fingerprints.data(), job, k, std::span(found), level);
      for (const auto& [query, position] : std::span(found).first(count)) {
        const int distance = portable_distance(queries[query], fingerprints[position]);
        if (!visit(query, position, distance)) return false;
      }
    }
  }
  return true;
}

/// Distinct fingerprints in dense slots 0..slots() - 1, found by value, each with the set of its ids.
/// A slot keeps its number until it, or one in its stead, is removed: the last one fills the gap.
template <std::size_t Words, class Id, class Offset>
class fingerprint_store {
  static_assert(std::is_unsigned_v<Offset> && !std::is_same_v<Offset, bool>,
                "neardup: Offset numbers the stored fingerprints; write an unsigned integer such as std::uint32_t");

 public:
  using words_type = std::array<std::uint64_t, Words>;
  using id_list_type = id_list<Id>;

  static constexpr Offset none = slot_finder<Offset>::none;
  /// The most distinct fingerprints; the number after the last slot means "none".
  static constexpr std::size_t max_slots = static_cast<std::size_t>(
      (std::min)(std::uint64_t{none}, std::uint64_t{(std::numeric_limits<std::size_t>::max)()}));

  [[nodiscard]] std::size_t slots() const noexcept { return fingerprints_.size(); }
  [[nodiscard]] std::size_t pairs() const noexcept { return pairs_; }
  [[nodiscard]] std::span<const words_type> fingerprints() const noexcept { return fingerprints_; }
  [[nodiscard]] const words_type& fingerprint(std::size_t slot) const noexcept { return fingerprints_[slot]; }
  [[nodiscard]] id_list<Id> ids(std::size_t slot) const noexcept { return ids_[slot]; }

  /// Start to load what is in a slot.
  void prefetch_fingerprint(std::size_t slot) const noexcept { prefetch(fingerprints_.data() + slot); }
  void prefetch_ids(std::size_t slot) const noexcept { prefetch(ids_.address(slot)); }

  /// The slot of a fingerprint, or `none`.
  [[nodiscard]] Offset find(const words_type& fingerprint) const noexcept {
    return finder_.find(hash_words(fingerprint), [&](Offset slot) { return fingerprints_[slot] == fingerprint; });
  }

  /// Visits (query, slot, distance) of each fingerprint within k bits of each query by looking at all of them, in
  /// no order; false from `visit` ends it. Returns: whether it was not ended.
  template <class Visit>
  bool scan(std::span<const words_type> queries, int k, const Visit& visit) const {
    return scan_all<Words>(std::span<const words_type>(fingerprints_), queries, k, visit);
  }

  /// Adds an id to a slot. Returns: whether it is new there. Guarantee: strong.
  bool add_id(std::size_t slot, const Id& id) {
    const bool added = ids_.insert(slot, id);
    pairs_ += added ? 1 : 0;
    return added;
  }

  /// Makes room so that append() cannot fail for this fingerprint.
  /// Throws: std::length_error if max_slots are in use. Guarantee: strong.
  void prepare_append(const words_type& fingerprint) {
    if (slots() >= max_slots) refuse(slots() + 1);
    reserve_one_more(fingerprints_);
    ids_.reserve(fingerprints_.capacity());
    finder_.prepare(hash_words(fingerprint), hash_of_slot());
  }

  /// Gives a new fingerprint the slot after the last. Precondition: prepare_append() for it, and it is not there.
  void append(const words_type& fingerprint, const Id& id) noexcept {
    finder_.insert(hash_words(fingerprint), static_cast<Offset>(slots()));
    fingerprints_.push_back(fingerprint);
    ids_.push_back(id);
    ++pairs_;
  }

  /// Takes an id from a slot that has others. Precondition: it is one of several there.
  void remove_id(std::size_t slot, const Id& id) noexcept {
    ids_.erase(slot, id);
    --pairs_;
  }

  /// Removes a slot with all its ids; the last slot takes its number.
  void remove_slot(std::size_t slot) noexcept {
    const std::size_t last = slots() - 1;
    pairs_ -= ids_[slot].size();
    finder_.erase(hash_words(fingerprints_[slot]), static_cast<Offset>(slot));
    if (slot != last) {
      finder_.renumber(hash_words(fingerprints_[last]), static_cast<Offset>(last), static_cast<Offset>(slot));
      fingerprints_[slot] = fingerprints_[last];
    }
    fingerprints_.pop_back();
    ids_.remove_slot(slot);
  }

  /// Makes room for `count` fingerprints in all.
  /// Throws: std::length_error if that is more than max_slots. Guarantee: strong.
  void reserve(std::size_t count) {
    if (count > max_slots) refuse(count);
    fingerprints_.reserve(count);
    ids_.reserve(count);
    finder_.reserve(count, hash_of_slot());
  }

  void clear() noexcept {
    fingerprints_.clear();
    ids_.clear();
    finder_.clear();
    pairs_ = 0;
  }

  /// Bytes allocated.
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return fingerprints_.capacity() * sizeof(words_type) + ids_.memory_usage() + finder_.memory_usage();
  }

  /// Whether both hold the same pairs.
  friend bool operator==(const fingerprint_store& a, const fingerprint_store& b) {
    if (a.pairs_ != b.pairs_ || a.slots() != b.slots()) return false;
    for (std::size_t slot = 0; slot < a.slots(); ++slot) {
      const Offset other = b.find(a.fingerprints_[slot]);
      if (other == none || !(a.ids_[slot] == b.ids_[other])) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] auto hash_of_slot() const noexcept {
    return [this](Offset slot) { return hash_words(fingerprints_[slot]); };
  }

  [[noreturn]] static void refuse(std::size_t count) {
    fail<std::length_error>("no room for " + std::to_string(count) +
                            " distinct fingerprints: the index holds at most " + std::to_string(max_slots) +
                            "; give it a wider Offset");
  }

  std::vector<words_type> fingerprints_;
  id_lists<Id> ids_;
  slot_finder<Offset> finder_;
  std::size_t pairs_ = 0;
};

}  // namespace neardup::inline v0::detail
