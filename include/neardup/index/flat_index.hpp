// SPDX-License-Identifier: MIT
// flat_index: an index without tables. Every search compares the query with all fingerprints.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../detail/bits.hpp"
#include "../simd/filters.hpp"
#include "../simhash.hpp"
#include "engine/fingerprint_store.hpp"
#include "engine/searches.hpp"
#include "searchable_index.hpp"

namespace neardup::inline v0 {

namespace detail {

/// The engine of a flat_index: a fingerprint_store without tables. Every search scans the store.
template <std::size_t Bits, class Id, class Offset>
class flat_engine {
 public:
  using words_type = std::array<std::uint64_t, words_for(Bits)>;
  using id_type = Id;
  using store_type = fingerprint_store<words_for(Bits), Id, Offset>;

  [[nodiscard]] const store_type& store() const noexcept { return store_; }
  [[nodiscard]] store_type& store() noexcept { return store_; }
  [[nodiscard]] static int max_distance() noexcept { return static_cast<int>(Bits); }
  [[nodiscard]] static int default_distance() noexcept { return 3; }

  bool visit_within(const words_type& query, int k, const slot_visitor& visit) const {
    return scan_all(store_.fingerprints(), query, k, visit);
  }
  bool visit_batch(std::span<const words_type> queries, int k, const batch_visitor& visit) const {
    return scan_all(store_.fingerprints(), queries, k, visit);
  }
  [[nodiscard]] std::size_t count_compared(const words_type&, int) const noexcept { return store_.slots(); }

 private:
  store_type store_;
};

}  // namespace detail

/// A set of (fingerprint, id) pairs without tables. Every search scans all fingerprints, for any k from 0 to Bits.
///
/// For a few thousand fingerprints, or a large k, a flat_index is faster than a pigeonhole_index. The default k of a
/// search is 3. See pigeonhole_index for the other members.
/// Memory: 26 to 45 bytes per distinct fingerprint of 64 bits with 32-bit ids. Of all indexes, flat_index takes the
/// least memory.
/// Example: `flat_index<64> index;  index.insert(fingerprint, 42);  const auto near = index.search(query, 20);`
template <std::size_t Bits, class Id = std::uint32_t, class Offset = std::uint32_t, class Fingerprint = simhash<Bits>>
class flat_index : public searchable_index<Bits, Id, Offset, Fingerprint, detail::flat_engine<Bits, Id, Offset>> {
  using base = searchable_index<Bits, Id, Offset, Fingerprint, detail::flat_engine<Bits, Id, Offset>>;
  using base::engine_;

 public:
  using typename base::fingerprint_type;

  flat_index() = default;  // declared, so that the class is not an aggregate

  bool insert(const fingerprint_type& fingerprint, id_argument<Id> id) {
    return engine_.store().insert(fingerprint.to_words(), id, [](std::size_t) {});
  }
  bool erase(const fingerprint_type& fingerprint, id_argument<Id> id) noexcept {
    return engine_.store().erase(fingerprint.to_words(), id, [](std::size_t) {});
  }
  std::size_t erase(const fingerprint_type& fingerprint) noexcept {
    return engine_.store().erase(fingerprint.to_words(), [](std::size_t) {});
  }
  void clear() noexcept { engine_.store().clear(); }
  void reserve(std::size_t count) { engine_.store().reserve(count); }

  [[nodiscard]] std::size_t memory_usage() const noexcept { return engine_.store().memory_usage(); }

  void swap(flat_index& other) noexcept { engine_.store().swap(other.engine_.store()); }
  friend void swap(flat_index& a, flat_index& b) noexcept { a.swap(b); }
  friend bool operator==(const flat_index& a, const flat_index& b) {
    return detail::same_pairs(a.engine_.store(), b.engine_.store());
  }
};

}  // namespace neardup::inline v0
