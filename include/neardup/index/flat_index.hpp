// The index without tables: every search looks at everything.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "../detail/bits.hpp"
#include "../detail/filters.hpp"
#include "../runner.hpp"
#include "../simhash.hpp"
#include "engine/fingerprint_store.hpp"
#include "engine/searches.hpp"
#include "match.hpp"

namespace neardup::inline v0 {

namespace detail {

/// A fingerprint_store in place of an engine with tables.
template <std::size_t Bits, class Id, class Offset>
class flat_engine {
 public:
  using words_type = std::array<std::uint64_t, words_for(Bits)>;
  using id_type = Id;
  using store_type = fingerprint_store<words_for(Bits), Id, Offset>;

  [[nodiscard]] const store_type& store() const noexcept { return store_; }
  [[nodiscard]] store_type& store() noexcept { return store_; }
  [[nodiscard]] static int max_distance() noexcept { return static_cast<int>(Bits); }

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

/// A set of (fingerprint, id) pairs that is searched by a plain scan, for every k from 0 to Bits: what pigeonhole_index
/// is, without tables.
///
/// Faster than tables for a few thousand fingerprints or a large k, and the least memory: for 64 bits and 32-bit ids
/// 26 to 42 bytes for each different fingerprint. A search that names no k has k = 3.
/// All members are as those of pigeonhole_index.
template <std::size_t Bits, class Id = std::uint32_t, class Offset = std::uint32_t, class Fingerprint = simhash<Bits>>
class flat_index {
  static_assert(detail::check_index_types<Id, Offset>());
  static_assert(detail::check_fingerprint_type<Fingerprint, Bits>());

  using engine_type = detail::flat_engine<Bits, Id, Offset>;

 public:
  static constexpr std::size_t bits = Bits;
  using fingerprint_type = Fingerprint;
  using id_type = Id;
  using offset_type = Offset;
  using value_type = entry<Bits, Id, Fingerprint>;
  using match_type = match<Bits, Id, Fingerprint>;
  using batch_type = batch_result<Bits, Id, Fingerprint>;
  using const_iterator = detail::entry_iterator<Fingerprint, Id, typename engine_type::store_type>;
  using iterator = const_iterator;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;

  bool insert(const fingerprint_type& fingerprint, const Id& id) {
    return engine_.store().insert(fingerprint.to_words(), id, [](std::size_t) {});
  }
  bool erase(const fingerprint_type& fingerprint, const Id& id) noexcept {
    return engine_.store().erase(fingerprint.to_words(), id, [](std::size_t) {});
  }
  std::size_t erase(const fingerprint_type& fingerprint) noexcept {
    return engine_.store().erase(fingerprint.to_words(), [](std::size_t) {});
  }
  void clear() noexcept { engine_.store().clear(); }
  void reserve(std::size_t count) { engine_.store().reserve(count); }

  [[nodiscard]] bool contains(const fingerprint_type& fingerprint, const Id& id) const noexcept {
    return detail::contains(engine_.store(), fingerprint.to_words(), id);
  }
  [[nodiscard]] bool contains(const fingerprint_type& fingerprint) const noexcept {
    return engine_.store().find(fingerprint.to_words()) != engine_type::store_type::none;
  }

  [[nodiscard]] std::size_t size() const noexcept { return engine_.store().pairs(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::size_t distinct_size() const noexcept { return engine_.store().slots(); }
  [[nodiscard]] static constexpr std::size_t max_distinct_size() noexcept { return engine_type::store_type::max_slots; }
  [[nodiscard]] std::size_t memory_usage() const noexcept { return engine_.store().memory_usage(); }
  [[nodiscard]] const_iterator begin() const noexcept { return {engine_.store(), 0}; }
  [[nodiscard]] const_iterator end() const noexcept { return {engine_.store(), distinct_size()}; }

  [[nodiscard]] int max_distance() const noexcept { return engine_.max_distance(); }
  [[nodiscard]] int default_distance() const noexcept { return 3; }
  [[nodiscard]] std::vector<match_type> search(const fingerprint_type& query, std::optional<int> k = {}) const {
    return detail::search(engine_, query, k.value_or(default_distance()));
  }
  [[nodiscard]] batch_type search_batch(std::span<const fingerprint_type> queries, std::optional<int> k = {},
                                        const any_runner& run = {}) const {
    return detail::search_batch(engine_, queries, k.value_or(default_distance()), run);
  }
  template <std::invocable<match_type> Visit>
  void for_each_match(const fingerprint_type& query, int k, Visit&& visit) const {
    detail::visit_matches(engine_, query, k, visit);
  }
  [[nodiscard]] bool any_within(const fingerprint_type& query, std::optional<int> k = {}) const {
    return detail::any_within(engine_, query, k.value_or(default_distance()));
  }
  [[nodiscard]] std::optional<match_type> nearest(const fingerprint_type& query, std::optional<int> k = {}) const {
    return detail::nearest(engine_, query, k.value_or(default_distance()));
  }
  [[nodiscard]] std::size_t count_compared(const fingerprint_type& query, std::optional<int> k = {}) const {
    return detail::count_compared(engine_, query, k.value_or(default_distance()));
  }

  void swap(flat_index& other) noexcept { engine_.store().swap(other.engine_.store()); }
  friend void swap(flat_index& a, flat_index& b) noexcept { a.swap(b); }
  friend bool operator==(const flat_index& a, const flat_index& b) {
    return detail::same_pairs(a.engine_.store(), b.engine_.store());
  }

 private:
  engine_type engine_;
};

}  // namespace neardup::inline v0
