// The index without tables: every search looks at everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "../simhash.hpp"
#include "engine/basic_index.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Stands where an index has tables, and has nothing to do.
template <std::size_t Bits>
class no_tables {
 public:
  using words_type = typename simhash<Bits>::words_type;

  void swap(no_tables&) noexcept {}
  [[nodiscard]] int max_distance() const noexcept { return static_cast<int>(Bits); }
  [[nodiscard]] int default_distance() const noexcept { return 3; }

  template <class Store>
  void add(const words_type&, std::size_t, const Store&) noexcept {}
  template <class Store>
  void remove_slot(std::size_t, const Store&) noexcept {}
  template <class Store>
  void reserve(std::size_t, const Store&) noexcept {}
  void clear() noexcept {}

  template <class Store, class Visit>
  bool visit_within(const Store& store, std::span<const words_type> queries, int k, const Visit& visit) const {
    return store.scan(queries, k, visit);
  }
  [[nodiscard]] std::size_t memory_usage() const noexcept { return 0; }
};

}  // namespace detail

/// The interface of pigeonhole_index by a plain scan over contiguous fingerprints, for every k from 0 to Bits.
/// Faster than tables for a few thousand fingerprints or a large k, and the least memory: for 64 bits and 32-bit ids
/// 23 to 37 bytes a different fingerprint. A search that does not name k has k = 3.
/// The interface is that of basic_index.
template <std::size_t Bits, class Id = std::uint32_t, class Offset = std::uint32_t>
class flat_index : public basic_index<Bits, Id, Offset, detail::no_tables<Bits>, void> {
  using base = basic_index<Bits, Id, Offset, detail::no_tables<Bits>, void>;

 public:
  flat_index() noexcept : base(detail::no_tables<Bits>()) {}

  friend void swap(flat_index& a, flat_index& b) noexcept { a.swap(b); }
};

}  // namespace neardup::inline v0
