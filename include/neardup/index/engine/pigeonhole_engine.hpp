// SPDX-License-Identifier: MIT
// The engine of a pigeonhole_index: the store of its pairs, and the tables of any layout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../simd/filters.hpp"
#include "batch_search.hpp"
#include "bucket_table.hpp"
#include "fingerprint_store.hpp"
#include "search_plans.hpp"
#include "searches.hpp"
#include "table_search.hpp"

namespace neardup::inline v0::detail {

/// A fingerprint_store, and a bucket_table of its slots for each key of a layout. The layout is data, not a template
/// argument. So there is one instantiation for all K, all Blocks, and all Bits with the same number of words.
/// Guarantee: strong for all members that may throw.
/// Thread safety: several threads may call const members at once while no thread calls other members.
template <std::size_t Words, class Id, class Offset>
class pigeonhole_engine {
 public:
  using words_type = std::array<std::uint64_t, Words>;
  using id_type = Id;
  using store_type = fingerprint_store<Words, Id, Offset>;

  explicit pigeonhole_engine(std::shared_ptr<const search_plans<Words>> plans) noexcept : plans_(std::move(plans)) {}
  pigeonhole_engine(const pigeonhole_engine&) = default;
  pigeonhole_engine(pigeonhole_engine&& other) noexcept : plans_(other.plans_) {
    swap(other);  // the moved-from engine is empty and usable, with its plans
  }
  pigeonhole_engine& operator=(const pigeonhole_engine& other) { return *this = pigeonhole_engine(other); }
  pigeonhole_engine& operator=(pigeonhole_engine&& other) noexcept {
    pigeonhole_engine taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~pigeonhole_engine() = default;

  void swap(pigeonhole_engine& other) noexcept {
    plans_.swap(other.plans_);
    store_.swap(other.store_);
    tables_.swap(other.tables_);
  }

  [[nodiscard]] const store_type& store() const noexcept { return store_; }
  [[nodiscard]] const layout& shape() const noexcept { return plans_->shape(); }
  [[nodiscard]] int max_distance() const noexcept { return shape().k(); }
  [[nodiscard]] int default_distance() const noexcept { return max_distance(); }

  /// Stores a pair.
  /// Returns: false if the pair is stored already.
  /// Throws: std::length_error if Offset cannot number a further fingerprint, or if a table is full.
  bool insert(const words_type& fingerprint, const Id& id);

  /// Removes a pair.
  /// Returns: false if the pair was not stored.
  bool erase(const words_type& fingerprint, const Id& id) noexcept;

  /// Removes a fingerprint with all its ids.
  /// Returns: the number of removed ids, or 0 if the fingerprint was not stored.
  std::size_t erase(const words_type& fingerprint) noexcept;

  void clear() noexcept {
    store_.clear();
    for (table_type& table : tables_) table.clear();
  }

  /// Reserves memory for `count` fingerprints.
  /// Throws: std::length_error if Offset cannot number the fingerprints.
  void reserve(std::size_t count);

  /// Calls `visit(slot, distance)` once for each fingerprint within k bits of the query, until `visit` returns false.
  /// No memory is allocated.
  /// Returns: false if `visit` returned false.
  /// Precondition: 0 <= k <= max_distance().
  bool visit_within(const words_type& query, int k, const slot_visitor& visit) const;

  /// Calls `visit(query, slot, distance)` once for each match of a batch of queries, until `visit` returns false.
  /// Returns: false if `visit` returned false.
  /// Precondition: 0 <= k <= max_distance().
  bool visit_batch(std::span<const words_type> queries, int k, const batch_visitor& visit) const;

  /// Returns how many fingerprints visit_within() compares with the query.
  /// Precondition: 0 <= k <= max_distance().
  [[nodiscard]] std::size_t count_compared(const words_type& query, int k) const;

  [[nodiscard]] const bucket_table<Offset>& table(std::size_t number) const noexcept { return tables_[number]; }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    std::size_t sum = store_.memory_usage() + tables_.capacity() * sizeof(table_type);
    for (const table_type& table : tables_) sum += table.memory_usage();
    return sum;
  }

 private:
  using table_type = bucket_table<Offset>;

  // A function object that returns the hash of the key of a slot's fingerprint. prefetch() prefetches the fingerprint.
  struct slot_hash {
    const table_key<Words>& key;
    const store_type& store;

    std::uint64_t operator()(std::size_t slot) const noexcept { return key.hash(store.fingerprint(slot)); }
    void prefetch(std::size_t slot) const noexcept { detail::prefetch(&store.fingerprint(slot)); }
  };
  slot_hash hash_of_slot(std::size_t table) const noexcept { return {plans_->keys()[table], store_}; }

  // Removes a slot from all tables. The last slot gets the number of the removed slot.
  // Precondition: the store still has the removed slot and the last slot.
  void remove_slot(std::size_t slot) noexcept;

  [[nodiscard]] bool is_wide() const noexcept { return !narrow_filter_suffices(shape().k()); }
  [[nodiscard]] std::uint64_t filter_of(const words_type& fingerprint) const noexcept {
    return is_wide() ? fold_filter<std::uint64_t>(fingerprint) : fold_filter<std::uint32_t>(fingerprint);
  }

  // Makes the tables. A new or moved-from engine has no tables, so that making an engine allocates nothing.
  void make_tables();

  std::shared_ptr<const search_plans<Words>> plans_;
  store_type store_;
  std::vector<table_type> tables_;  // one for each key of the plans, or none
};

template <std::size_t Words, class Id, class Offset>
bool pigeonhole_engine<Words, Id, Offset>::insert(const words_type& fingerprint, const Id& id) {
  make_tables();
  // The directory entries of all tables are prefetched before the fingerprint is searched, so that cache misses
  // overlap.
  std::array<std::uint64_t, layout::max_tables> hashes;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    hashes[i] = plans_->keys()[i].hash(fingerprint);
    detail::prefetch(tables_[i].entry(hashes[i]));
  }
  return store_.insert(fingerprint, id, [&](std::size_t slot) {
    for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].prepare(hashes[i], hash_of_slot(i));
    const std::uint64_t filter = filter_of(fingerprint);
    for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].push(hashes[i], filter, slot);
  });
}

template <std::size_t Words, class Id, class Offset>
bool pigeonhole_engine<Words, Id, Offset>::erase(const words_type& fingerprint, const Id& id) noexcept {
  return store_.erase(fingerprint, id, [&](std::size_t slot) { remove_slot(slot); });
}

template <std::size_t Words, class Id, class Offset>
std::size_t pigeonhole_engine<Words, Id, Offset>::erase(const words_type& fingerprint) noexcept {
  return store_.erase(fingerprint, [&](std::size_t slot) { remove_slot(slot); });
}

template <std::size_t Words, class Id, class Offset>
void pigeonhole_engine<Words, Id, Offset>::reserve(std::size_t count) {
  store_.reserve(count);
  make_tables();
  for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].reserve(count, hash_of_slot(i));
}

template <std::size_t Words, class Id, class Offset>
bool pigeonhole_engine<Words, Id, Offset>::visit_within(const words_type& query, int k,
                                                        const slot_visitor& visit) const {
  return search_tables<Words, Offset>(*this, *plans_, store_, query, k, visit);
}

template <std::size_t Words, class Id, class Offset>
bool pigeonhole_engine<Words, Id, Offset>::visit_batch(std::span<const words_type> queries, int k,
                                                       const batch_visitor& visit) const {
  return search_tables_batch<Words, Offset>(*this, *plans_, store_, queries, k, visit);
}

template <std::size_t Words, class Id, class Offset>
std::size_t pigeonhole_engine<Words, Id, Offset>::count_compared(const words_type& query, int k) const {
  return compared_in_tables<Words>(*this, *plans_, store_, query, k);
}

template <std::size_t Words, class Id, class Offset>
void pigeonhole_engine<Words, Id, Offset>::remove_slot(std::size_t slot) noexcept {
  const std::size_t last = store_.slots() - 1;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const table_key<Words>& key = plans_->keys()[i];
    tables_[i].erase(key.hash(store_.fingerprint(slot)), slot);
    if (slot != last) tables_[i].renumber(key.hash(store_.fingerprint(last)), last, slot);
  }
}

template <std::size_t Words, class Id, class Offset>
void pigeonhole_engine<Words, Id, Offset>::make_tables() {
  if (!tables_.empty()) return;
  std::vector<table_type> tables;
  tables.reserve(plans_->keys().size());
  for (const table_key<Words>& key : plans_->keys()) tables.emplace_back(key.width(), is_wide());
  tables_.swap(tables);
}

#if defined(NEARDUP_COMPILED)
NEARDUP_INDEX_TEMPLATE class pigeonhole_engine<1, std::uint32_t, std::uint32_t>;
NEARDUP_INDEX_TEMPLATE class pigeonhole_engine<1, std::uint64_t, std::uint32_t>;
NEARDUP_INDEX_TEMPLATE class pigeonhole_engine<2, std::uint32_t, std::uint32_t>;
NEARDUP_INDEX_TEMPLATE class pigeonhole_engine<4, std::uint32_t, std::uint32_t>;
#endif

}  // namespace neardup::inline v0::detail
