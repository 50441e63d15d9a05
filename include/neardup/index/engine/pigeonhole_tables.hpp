// The tables of an index, for any layout, and the exact search through them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/filter_join.hpp"
#include "batch_search.hpp"
#include "bucket_table.hpp"
#include "filter.hpp"
#include "filter_scan.hpp"
#include "prefetch.hpp"
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
        waiting_(std::exchange(other.waiting_, {})),
        hashes_(std::exchange(other.hashes_, {})),
        next_(other.next_) {}
  pigeonhole_tables& operator=(const pigeonhole_tables&) = delete;
  pigeonhole_tables& operator=(pigeonhole_tables&&) = delete;
  ~pigeonhole_tables() = default;

  void swap(pigeonhole_tables& other) noexcept {
    plans_.swap(other.plans_);
    tables_.swap(other.tables_);
    waiting_.swap(other.waiting_);
    hashes_.swap(other.hashes_);
    std::swap(next_, other.next_);
  }

  [[nodiscard]] const layout& shape() const noexcept { return plans_->shape(); }
  [[nodiscard]] int max_distance() const noexcept { return shape().k(); }
  [[nodiscard]] int default_distance() const noexcept { return shape().k(); }

  /// Adds a fingerprint under a slot of `store`, which is to get it next.
  ///
  /// It waits a few insertions before it goes into the tables, while the memory that this takes is loaded; searches
  /// look at what waits one by one. Guarantee: strong.
  template <class Store>
  void add(const words_type& fingerprint, std::size_t slot, const Store& store) {
    make_tables();
    waiting& oldest = waiting_[next_];
    if (oldest.slot != none) {
      put(oldest, next_, store);
      oldest.slot = none;
    }
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const std::uint64_t hash = plans_->keys()[i].hash(fingerprint);
      hashes_[next_ * tables_.size() + i] = hash;
      detail::prefetch(tables_[i].entry(hash));
    }
    oldest = {static_cast<Offset>(slot), filter_of(fingerprint)};
    const std::size_t middle = (next_ + waiting_.size() / 2) % waiting_.size();
    if (waiting_[middle].slot != none) {
      for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].prefetch_end(hashes_[middle * tables_.size() + i]);
    }
    next_ = (next_ + 1) % waiting_.size();
  }

  /// Removes a slot, whose number the last slot takes. Precondition: `store` still holds both.
  template <class Store>
  void remove_slot(std::size_t slot, const Store& store) noexcept {
    const std::size_t last = store.slots() - 1;
    waiting* const removed = find_waiting(slot);
    waiting* const moved = find_waiting(last);
    if (removed != nullptr) {
      removed->slot = none;
    } else {
      for (std::size_t i = 0; i < tables_.size(); ++i) {
        tables_[i].erase(plans_->keys()[i].hash(store.fingerprint(slot)), slot);
      }
    }
    if (slot == last) return;
    if (moved != nullptr) {
      moved->slot = static_cast<Offset>(slot);
    } else {
      for (std::size_t i = 0; i < tables_.size(); ++i) {
        tables_[i].renumber(plans_->keys()[i].hash(store.fingerprint(last)), last, slot);
      }
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
    waiting_.fill({});
  }

  /// As those of engine.
  template <class Store, class Visit>
  bool visit_within(const Store& store, const words_type& query, int k, const Visit& visit) const {
    if (scan_pays<Words>(store.slots(), plans_->within(k).keys)) return scan_all(store.fingerprints(), query, k, visit);
    return search_tables<Words, Offset>(*this, *plans_, store, query, k, visit) &&
           visit_waiting(store, query, k, visit);
  }
  template <class Store, class Visit>
  bool visit_batch(const Store& store, std::span<const words_type> queries, int k, const Visit& visit) const {
    if (scan_pays<Words>(store.slots(), plans_->within(k).keys))
      return scan_all(store.fingerprints(), queries, k, visit);
    if (!search_tables_batch<Words, Offset>(*this, *plans_, store, queries, k, visit)) return false;
    for (std::size_t query = 0; query < queries.size(); ++query) {
      const auto visit_of_query = [&](std::size_t slot, int distance) { return visit(query, slot, distance); };
      if (!visit_waiting(store, queries[query], k, visit_of_query)) return false;
    }
    return true;
  }

  [[nodiscard]] const bucket_table<Offset>& table(std::size_t number) const noexcept { return tables_[number]; }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    std::size_t sum = tables_.capacity() * sizeof(table_type) + hashes_.capacity() * sizeof(std::uint64_t);
    for (const table_type& table : tables_) sum += table.memory_usage();
    return sum;
  }

 private:
  using table_type = bucket_table<Offset>;
  using key_type = table_key<Words>;

  static constexpr Offset none = (std::numeric_limits<Offset>::max)();  // never the number of a slot

  // A fingerprint that is not in the tables yet.
  struct waiting {
    Offset slot = none;
    std::uint64_t filter = 0;
  };

  template <class Store, class Visit>
  bool visit_waiting(const Store& store, const words_type& query, int k, const Visit& visit) const {
    for (const waiting& w : waiting_) {
      if (w.slot == none) continue;
      const int distance = count_differing_bits(store.fingerprint(w.slot), query);
      if (distance <= k && !visit(static_cast<std::size_t>(w.slot), distance)) return false;
    }
    return true;
  }

  waiting* find_waiting(std::size_t slot) noexcept {
    for (waiting& w : waiting_) {
      if (w.slot == static_cast<Offset>(slot)) return &w;
    }
    return nullptr;
  }

  // Puts what waits at `position` into the tables. Guarantee: strong.
  template <class Store>
  void put(const waiting& added, std::size_t position, const Store& store) {
    const std::uint64_t* const hashes = hashes_.data() + position * tables_.size();
    for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].prepare(hashes[i], hash_of_slot(i, store));
    for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].push(hashes[i], added.filter, added.slot);
  }

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
    std::vector<std::uint64_t> hashes(plans_->keys().size() * waiting_.size());
    std::vector<table_type> tables;
    tables.reserve(plans_->keys().size());
    for (const key_type& key : plans_->keys()) tables.emplace_back(key.width(), is_wide());
    tables_.swap(tables);
    hashes_.swap(hashes);
  }

  std::shared_ptr<const search_plans<Words>> plans_;
  std::vector<table_type> tables_;  // One for each key of the plans, or none yet.
  std::array<waiting, 8> waiting_{};
  std::vector<std::uint64_t> hashes_;  // For each place of waiting_, the hashes of the keys for all tables.
  std::size_t next_ = 0;               // The place of waiting_ that is taken next.
};

}  // namespace neardup::inline v0::detail
