// The tables of an index, for any layout, and the exact search through them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bucket_table.hpp"
#include "filter.hpp"
#include "search_plans.hpp"
#include "table_search.hpp"

namespace neardup::inline v0::detail {

/// One bucket_table for each key of a layout. The fingerprints are numbered by slots of a fingerprint_store.
/// The layout is data, so one instantiation serves every Bits of as many words, every K and every Blocks.
template <std::size_t Words, class Offset>
class pigeonhole_tables {
 public:
  using words_type = std::array<std::uint64_t, Words>;

  explicit pigeonhole_tables(std::shared_ptr<const search_plans<Words>> plans) noexcept : plans_(std::move(plans)) {}
  pigeonhole_tables(const pigeonhole_tables&) = default;
  pigeonhole_tables(pigeonhole_tables&& other) noexcept
      // A copy stays there: what was moved from is empty and usable.
      : plans_(other.plans_),  // NOLINT(performance-move-constructor-init)
        tables_(std::exchange(other.tables_, {})),
        hashes_(std::exchange(other.hashes_, {})) {}
  pigeonhole_tables& operator=(const pigeonhole_tables&) = delete;
  pigeonhole_tables& operator=(pigeonhole_tables&&) = delete;
  ~pigeonhole_tables() = default;

  void swap(pigeonhole_tables& other) noexcept {
    plans_.swap(other.plans_);
    tables_.swap(other.tables_);
    hashes_.swap(other.hashes_);
  }

  [[nodiscard]] const layout& shape() const noexcept { return plans_->shape(); }
  [[nodiscard]] int max_distance() const noexcept { return shape().k(); }
  [[nodiscard]] int default_distance() const noexcept { return shape().k(); }

  /// Starts to load what an insertion of this fingerprint needs.
  void prefetch_insert(const words_type& fingerprint) noexcept {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      hashes_[i] = plans_->keys()[i].hash(fingerprint);
      detail::prefetch(tables_[i].entry(hashes_[i]));
    }
  }

  /// Makes room so that push() of this fingerprint cannot fail. Guarantee: strong.
  template <class Store>
  void prepare(const words_type& fingerprint, const Store& store) {
    make_tables();
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      hashes_[i] = plans_->keys()[i].hash(fingerprint);
      tables_[i].prefetch_end(hashes_[i]);
    }
    for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].prepare(hashes_[i], hash_of_slot(i, store));
  }

  /// Adds a fingerprint in the slot after the last. Precondition: prepare() for the same.
  void push(const words_type& fingerprint, std::size_t slot) noexcept {
    const std::uint64_t filter = filter_of(fingerprint);
    for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].push(hashes_[i], filter, slot);
  }

  /// Removes a slot, whose number the last slot takes. Precondition: `store` still holds both.
  template <class Store>
  void remove_slot(std::size_t slot, const Store& store) noexcept {
    const std::size_t last = store.slots() - 1;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const key_type& key = plans_->keys()[i];
      tables_[i].erase(key.hash(store.fingerprint(slot)), slot);
      if (slot != last) tables_[i].renumber(key.hash(store.fingerprint(last)), last, slot);
    }
  }

  /// Makes room for `count` fingerprints. Guarantee: strong.
  template <class Store>
  void reserve(std::size_t count, const Store& store) {
    make_tables();
    for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].reserve(count, hash_of_slot(i, store));
  }

  void clear() noexcept {
    for (table_type& table : tables_) table.clear();
  }

  /// Visits (query, slot, distance) of each fingerprint within k bits of each query once, query by query; false from
  /// `visit` ends it. Allocates nothing.
  /// Returns: whether it was not ended. Precondition: 0 <= k <= max_distance().
  template <class Store, class Visit>
  bool visit_within(const Store& store, std::span<const words_type> queries, int k, const Visit& visit) const {
    if (plans_->within(k).keys >= store.slots()) return store.scan(queries, k, visit);
    return table_search<Words, Offset, pigeonhole_tables, Store, Visit>(*this, *plans_, store, queries, k, visit).run();
  }

  [[nodiscard]] const void* entry(std::size_t table, std::uint64_t hash) const noexcept {
    return tables_[table].entry(hash);
  }
  [[nodiscard]] bucket_view<Offset> view(std::size_t table, std::uint64_t hash) const noexcept {
    return tables_[table].view(hash);
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    std::size_t sum = tables_.capacity() * sizeof(table_type) + hashes_.capacity() * sizeof(std::uint64_t);
    for (const table_type& table : tables_) sum += table.memory_usage();
    return sum;
  }

 private:
  using table_type = bucket_table<Offset>;
  using key_type = table_key<Words>;

  [[nodiscard]] bool is_wide() const noexcept { return !narrow_filter_suffices(shape().k()); }
  [[nodiscard]] std::uint64_t filter_of(const words_type& fingerprint) const noexcept {
    return is_wide() ? fold_filter<std::uint64_t>(fingerprint) : fold_filter<std::uint32_t>(fingerprint);
  }

  // The hash of the key of what is stored in a slot.
  template <class Store>
  struct slot_hash {
    const key_type& key;
    const Store& store;

    std::uint64_t operator()(std::size_t slot) const noexcept { return key.hash(store.fingerprint(slot)); }
    void prefetch(std::size_t slot) const noexcept { detail::prefetch(&store.fingerprint(slot)); }
  };
  template <class Store>
  slot_hash<Store> hash_of_slot(std::size_t table, const Store& store) const noexcept {
    return {plans_->keys()[table], store};
  }

  // New or moved-from, there are no tables, so that neither needs an allocation.
  void make_tables() {
    if (!tables_.empty()) return;
    std::vector<std::uint64_t> hashes(plans_->keys().size());
    std::vector<table_type> tables;
    tables.reserve(plans_->keys().size());
    for (const key_type& key : plans_->keys()) tables.emplace_back(key.width(), is_wide());
    tables_.swap(tables);
    hashes_.swap(hashes);
  }

  std::shared_ptr<const search_plans<Words>> plans_;
  std::vector<table_type> tables_;     // One for each key of the plans, or none yet.
  std::vector<std::uint64_t> hashes_;  // The hashes of the keys of what is being inserted.
};

}  // namespace neardup::inline v0::detail
