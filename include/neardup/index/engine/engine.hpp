// What an index that grows and shrinks is made of: a set of (fingerprint, id) pairs and tables that speed up its search.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "fingerprint_store.hpp"

namespace neardup::inline v0::detail {

/// Keeps a fingerprint_store and `Tables` over its slots in step.
/// Guarantee: strong for all that may throw; const members may run in many threads at once.
template <std::size_t Words, class Id, class Offset, class Tables>
class engine {
 public:
  using words_type = std::array<std::uint64_t, Words>;
  using id_type = Id;
  using store_type = fingerprint_store<Words, Id, Offset>;

  explicit engine(Tables tables) noexcept : tables_(std::move(tables)) {}
  engine(const engine&) = default;
  engine(engine&& other) noexcept : store_(std::exchange(other.store_, {})), tables_(std::move(other.tables_)) {}
  engine& operator=(const engine& other) {
    engine copy(other);
    swap(copy);
    return *this;
  }
  engine& operator=(engine&& other) noexcept {
    engine taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~engine() = default;

  void swap(engine& other) noexcept {
    std::swap(store_, other.store_);
    tables_.swap(other.tables_);
  }

  [[nodiscard]] const store_type& store() const noexcept { return store_; }
  [[nodiscard]] const Tables& tables() const noexcept { return tables_; }
  [[nodiscard]] int max_distance() const noexcept { return tables_.max_distance(); }
  [[nodiscard]] int default_distance() const noexcept { return tables_.default_distance(); }

  /// Returns: whether the pair is new.
  /// Throws: std::length_error if Offset numbers no further fingerprint.
  bool insert(const words_type& fingerprint, const Id& id) {
    if (const Offset slot = store_.find(fingerprint); slot != store_type::none) return store_.add_id(slot, id);
    store_.prepare_append(fingerprint);
    tables_.add(fingerprint, store_.slots(), store_);  // From here on nothing throws.
    store_.append(fingerprint, id);
    return true;
  }

  /// Returns: whether the pair was there.
  bool erase(const words_type& fingerprint, const Id& id) noexcept {
    const Offset slot = store_.find(fingerprint);
    if (slot == store_type::none || !store_.ids(slot).contains(id)) return false;
    if (store_.ids(slot).size() > 1) {
      store_.remove_id(slot, id);
    } else {
      remove_slot(slot);
    }
    return true;
  }

  /// Returns: the number of ids that the fingerprint had.
  std::size_t erase(const words_type& fingerprint) noexcept {
    const Offset slot = store_.find(fingerprint);
    if (slot == store_type::none) return 0;
    const std::size_t count = store_.ids(slot).size();
    remove_slot(slot);
    return count;
  }

  void clear() noexcept {
    store_.clear();
    tables_.clear();
  }

  /// Throws: std::length_error if Offset cannot number `count` fingerprints.
  void reserve(std::size_t count) {
    store_.reserve(count);
    tables_.reserve(count, store_);
  }

  /// Visits (slot, distance) of each fingerprint within k bits once; false from `visit` ends it. Allocates nothing.
  /// Returns: whether it was not ended. Precondition: 0 <= k <= max_distance().
  template <class Visit>
  bool visit_within(const words_type& query, int k, const Visit& visit) const {
    return tables_.visit_within(store_, query, k, visit);
  }
  /// The same for many queries at a time: visits (query, slot, distance).
  template <class Visit>
  bool visit_batch(std::span<const words_type> queries, int k, const Visit& visit) const {
    return tables_.visit_batch(store_, queries, k, visit);
  }

  /// Bytes allocated.
  [[nodiscard]] std::size_t memory_usage() const noexcept { return store_.memory_usage() + tables_.memory_usage(); }

 private:
  void remove_slot(std::size_t slot) noexcept {
    tables_.remove_slot(slot, store_);
    store_.remove_slot(slot);
  }

  store_type store_;
  Tables tables_;
};

}  // namespace neardup::inline v0::detail
