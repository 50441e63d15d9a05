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
#include "search_plans.hpp"

namespace neardup::inline v0::detail {

/// Calls `visit(key)` for `key` and every key that differs from it in at most `radius` of `bits`, each once.
/// Returns: false if `visit` did, which ends it. `key` is unchanged afterwards unless `visit` throws.
template <std::size_t Words, class Visit>
bool visit_keys_near(std::array<std::uint64_t, Words>& key, std::span<const std::size_t> bits, int radius,
                     const Visit& visit) {
  if (!visit(std::as_const(key))) return false;
  if (radius == 0) return true;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    std::uint64_t& word = key[bits[i] / word_bits];
    const std::uint64_t bit = std::uint64_t{1} << (bits[i] % word_bits);
    word ^= bit;
    const bool goes_on = visit_keys_near(key, bits.subspan(i + 1), radius - 1, visit);
    word ^= bit;
    if (!goes_on) return false;
  }
  return true;
}

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
        tables_(std::exchange(other.tables_, {})) {}
  pigeonhole_tables& operator=(const pigeonhole_tables&) = delete;
  pigeonhole_tables& operator=(pigeonhole_tables&&) = delete;
  ~pigeonhole_tables() = default;

  void swap(pigeonhole_tables& other) noexcept {
    plans_.swap(other.plans_);
    tables_.swap(other.tables_);
  }

  [[nodiscard]] const layout& shape() const noexcept { return plans_->shape(); }
  [[nodiscard]] int max_distance() const noexcept { return shape().k(); }
  [[nodiscard]] int default_distance() const noexcept { return shape().k(); }

  /// Makes room so that push() of this fingerprint cannot fail. Guarantee: strong.
  template <class Store>
  void prepare(const words_type& fingerprint, const Store& store) {
    make_tables();
    for_each_table([&](table_type& table, const key_type& key) {
      table.prepare(key.hash(fingerprint), store.fingerprints(), key);
    });
  }

  /// Adds a fingerprint in the slot after the last. Precondition: prepare().
  void push(const words_type& fingerprint) noexcept {
    for_each_table([&](table_type& table, const key_type& key) { table.push(key.hash(fingerprint), fingerprint); });
  }

  /// Removes a slot, whose number the last slot takes. Precondition: `store` still holds both.
  template <class Store>
  void remove_slot(std::size_t slot, const Store& store) noexcept {
    const words_type& fingerprint = store.fingerprint(slot);
    const words_type& last = store.fingerprint(store.slots() - 1);
    for_each_table(
        [&](table_type& table, const key_type& key) { table.erase(key.hash(fingerprint), slot, key.hash(last)); });
  }

  /// Makes room for `count` fingerprints. Guarantee: strong.
  template <class Store>
  void reserve(std::size_t count, const Store& store) {
    make_tables();
    for_each_table([&](table_type& table, const key_type& key) { table.reserve(count, store.fingerprints(), key); });
  }

  void clear() noexcept {
    for (table_type& table : tables_) table.clear();
  }

  /// Visits (slot, distance) of each fingerprint within k bits once; false from `visit` ends it. Allocates nothing.
  /// Returns: whether it was not ended. Precondition: 0 <= k <= max_distance().
  template <class Store, class Visit>
  bool visit_within(const Store& store, const words_type& query, int k, const Visit& visit) const {
    const auto& plan = plans_->within(k);
    if (plan.keys >= store.slots()) return store.scan(query, k, visit);
    const std::span<const table_probe> probes = plan.probes;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      const key_type& key = plans_->keys()[probes[i].table];
      const table_type& table = tables_[probes[i].table];
      words_type near_query = query;
      const bool goes_on = visit_keys_near(near_query, key.bits(), probes[i].radius, [&](const words_type& probed) {
        return table.visit_bucket(key.hash(probed), [&](const words_type& candidate, std::size_t slot) {
          const int distance = count_differing_bits(candidate, query);
          if (distance > k) return true;
          // Other keys share the bucket, and other probes may meet the same candidate: it counts at its own key only,
          // in the first of the probed tables that finds it.
          if (!key.same_key(candidate, probed) || is_found_by(probes.first(i), candidate, query)) return true;
          return visit(slot, distance);
        });
      });
      if (!goes_on) return false;
    }
    return true;
  }

 private:
  using table_type = bucket_table<Words, Offset>;
  using key_type = table_key<Words>;

  bool is_found_by(std::span<const table_probe> probes, const words_type& candidate,
                   const words_type& query) const noexcept {
    for (const table_probe& probe : probes) {
      if (plans_->keys()[probe.table].distance(candidate, query) <= probe.radius) return true;
    }
    return false;
  }

  // New or moved-from, there are no tables, so that neither needs an allocation.
  void make_tables() {
    if (tables_.empty()) tables_.resize(plans_->keys().size());
  }

  template <class Visit>
  void for_each_table(const Visit& visit) {
    for (std::size_t i = 0; i < tables_.size(); ++i) visit(tables_[i], plans_->keys()[i]);
  }

  std::shared_ptr<const search_plans<Words>> plans_;
  std::vector<table_type> tables_;  // One for each key of the plans, or none yet.
};

}  // namespace neardup::inline v0::detail
