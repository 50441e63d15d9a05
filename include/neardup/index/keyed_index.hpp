// SPDX-License-Identifier: MIT
// An index for documents that change: each id has one fingerprint, which is found, replaced and erased by the id.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "../detail/id_map.hpp"
#include "../error.hpp"
#include "../ids.hpp"
#include "pigeonhole_index.hpp"

namespace neardup::inline v0 {

namespace detail {

template <class Index>
concept changeable_index = requires(Index& index, const typename Index::value_type& pair) {
  index.insert(pair.fingerprint, pair.id);
  requires noexcept(index.erase(pair.fingerprint, pair.id));
};

}  // namespace detail

/// An index with exactly one fingerprint per id, and a map from id to fingerprint. So you can replace or erase a
/// document without its old fingerprint.
///
/// `Index`: pigeonhole_index or flat_index. This class has the constructors, searches and iteration of `Index`. Several
/// ids may have the same fingerprint. The map is a std::unordered_map if std::hash<Id> exists, otherwise a std::map.
/// Precondition: hashing, comparing and ordering ids do not throw.
/// Memory: the memory of Index and of the map. With 64 bits, the map takes 40 to 48 bytes per id of 4 or 8 bytes, and
/// 64 bytes per id of 16 bytes without a hash (measured, allocator included).
/// Guarantee: a member that throws has no effect.
/// Thread safety: const members may be called from many threads while no thread writes.
template <class Index = pigeonhole_index<64>>
class keyed_index : private Index {
  static_assert(detail::changeable_index<Index>,
                "neardup: keyed_index keeps an index that grows and shrinks; write keyed_index<pigeonhole_index<64>>, "
                "or of a flat_index");

 public:
  using typename Index::batch_type;
  using typename Index::const_iterator;
  using typename Index::difference_type;
  using typename Index::fingerprint_type;
  using typename Index::id_type;
  using typename Index::iterator;
  using typename Index::match_type;
  using typename Index::offset_type;
  using typename Index::size_type;
  using typename Index::value_type;

  keyed_index() = default;
  using Index::Index;
  keyed_index(const keyed_index&) = default;
  keyed_index(keyed_index&& other) noexcept
      : Index(static_cast<Index&&>(other)), fingerprint_of_(std::exchange(other.fingerprint_of_, {})) {}
  // There are two assignment operators, not one that takes its argument by value. With that,
  // std::is_nothrow_copy_assignable would be true for a class with a keyed_index as a member, although copying may
  // throw.
  keyed_index& operator=(const keyed_index& other) {
    keyed_index(other).swap(*this);
    return *this;
  }
  keyed_index& operator=(keyed_index&& other) noexcept {
    keyed_index(std::move(other)).swap(*this);
    return *this;
  }
  ~keyed_index() = default;

  using Index::any_within;
  using Index::begin;
  using Index::bits;
  using Index::count_compared;
  using Index::default_distance;
  using Index::distinct_size;
  using Index::empty;
  using Index::end;
  using Index::for_each_match;
  using Index::max_distance;
  using Index::max_distinct_size;
  using Index::nearest;
  using Index::search;
  using Index::search_batch;
  using Index::size;

  /// Returns the underlying index without the map. Use it to freeze the index, or to look up fingerprints.
  [[nodiscard]] const Index& index() const noexcept { return *this; }

  /// Returns the fingerprint of an id, or nullopt if the id is not stored.
  [[nodiscard]] std::optional<fingerprint_type> find(id_argument<id_type> id) const noexcept {
    const auto found = fingerprint_of_.find(id);
    if (found == fingerprint_of_.end()) return std::nullopt;
    return found->second;
  }

  /// Returns true if an id is stored.
  [[nodiscard]] bool contains(id_argument<id_type> id) const noexcept { return fingerprint_of_.contains(id); }

  /// Stores an id with its fingerprint.
  /// Returns: false if the id is stored already; its fingerprint is then unchanged.
  /// Throws: the exceptions of Index::insert.
  bool insert(const fingerprint_type& fingerprint, id_argument<id_type> id) {
    const auto [entry, is_new] = fingerprint_of_.try_emplace(id, fingerprint);
    if (!is_new) return false;
    detail::undo naming{[&, added = entry] { fingerprint_of_.erase(added); }};
    Index::insert(fingerprint, id);
    naming.is_due = false;
    return true;
  }

  /// Stores an id with its fingerprint, or replaces the fingerprint of a stored id.
  /// Returns: true if the id is new.
  /// Throws: the exceptions of Index::insert. Replacing a fingerprint in a full index may throw std::length_error,
  /// because the old and the new fingerprint are both stored for a moment.
  bool insert_or_assign(const fingerprint_type& fingerprint, id_argument<id_type> id) {
    const auto found = fingerprint_of_.find(id);
    if (found == fingerprint_of_.end()) return insert(fingerprint, id);
    if (found->second == fingerprint) return false;
    Index::insert(fingerprint, id);  // nothing throws from here on
    Index::erase(found->second, id);
    found->second = fingerprint;
    return false;
  }

  /// Removes an id and its fingerprint.
  /// Returns: false if the id was not stored.
  bool erase(id_argument<id_type> id) noexcept {
    const auto found = fingerprint_of_.find(id);
    if (found == fingerprint_of_.end()) return false;
    Index::erase(found->second, id);
    fingerprint_of_.erase(found);
    return true;
  }

  /// Removes everything.
  void clear() noexcept {
    Index::clear();
    fingerprint_of_.clear();
  }

  /// Reserves memory for `count` ids in all, each with a distinct fingerprint.
  /// Throws: std::length_error if count > max_distinct_size(); std::bad_alloc.
  void reserve(std::size_t count) {
    Index::reserve(count);
    if constexpr (is_hashed) fingerprint_of_.reserve(count);
  }

  void swap(keyed_index& other) noexcept {
    Index::swap(other);
    fingerprint_of_.swap(other.fingerprint_of_);
  }
  friend void swap(keyed_index& a, keyed_index& b) noexcept { a.swap(b); }

  /// True if both indexes have the same ids with the same fingerprints.
  friend bool operator==(const keyed_index& a, const keyed_index& b) { return a.index() == b.index(); }

  /// Returns the number of bytes that the index and the map have allocated. The part of the map is an estimate.
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    // The estimated size of a node: its value, the pointers that every implementation of the map has, and one word of
    // the allocator.
    std::size_t sum = Index::memory_usage();
    if constexpr (is_hashed) sum += fingerprint_of_.bucket_count() * sizeof(void*);
    return sum + fingerprint_of_.size() * (sizeof(typename map_type::value_type) + (is_hashed ? 2 : 5) * sizeof(void*));
  }

 private:
  static constexpr bool is_hashed = detail::hashable_id<id_type>;
  using map_type = detail::id_map<id_type, fingerprint_type>;

  map_type fingerprint_of_;  // the pairs of the index, by id
};

}  // namespace neardup::inline v0
