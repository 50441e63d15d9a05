// SPDX-License-Identifier: MIT
// The common base class of all indexes: types, content and searches.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../detail/visits.hpp"
#include "../runner.hpp"
#include "../threshold.hpp"
#include "engine/searches.hpp"
#include "match.hpp"

namespace neardup::inline v0 {

/// The const members that pigeonhole_index, flat_index, frozen_index and index_view have in common. This class is their
/// base class, and has no public constructor. `Engine` stores and finds fingerprints; see engine/searches.hpp for the
/// members of an engine.
/// Thread safety: several threads may call all members at once while no thread changes the index.
/// Example: `if (!index.any_within(query, 3)) index.insert(query, id);`
template <std::size_t Bits, class Id, class Offset, class Fingerprint, class Engine>
class searchable_index {
  static_assert(detail::check_index_types<Id, Offset>());
  static_assert(detail::check_fingerprint_type<Fingerprint, Bits>());

 public:
  static constexpr std::size_t bits = Bits;
  using fingerprint_type = Fingerprint;
  using id_type = Id;
  using offset_type = Offset;
  using value_type = entry<Bits, Id, Fingerprint>;
  using match_type = match<Bits, Id, Fingerprint>;
  /// The matches of a batch of queries. batch[i] is a span of the matches of query i, and batch.size() is the number of
  /// queries. All matches are in one flat array, the member `matches`: the matches of query i have the indices from
  /// offsets[i] to offsets[i + 1] - 1.
  using batch_type = detail::match_batch<match_type>;
  /// A constant forward iterator. Dereferencing returns an entry by value.
  using const_iterator = detail::entry_iterator<Fingerprint, Id, typename Engine::store_type>;
  using iterator = const_iterator;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;

  // ---- Content ------------------------------------------------------------------------------------------------------

  /// Returns true if the pair is stored.
  [[nodiscard]] bool contains(const fingerprint_type& fingerprint, id_argument<Id> id) const noexcept {
    return detail::contains(engine_.store(), fingerprint.to_words(), id);
  }
  /// Returns true if the fingerprint is stored with at least one id.
  [[nodiscard]] bool contains(const fingerprint_type& fingerprint) const noexcept {
    return engine_.store().find(fingerprint.to_words()) != Engine::store_type::none;
  }

  /// Returns the number of pairs.
  [[nodiscard]] std::size_t size() const noexcept { return engine_.store().pairs(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// Returns the number of distinct fingerprints.
  [[nodiscard]] std::size_t distinct_size() const noexcept { return engine_.store().slots(); }
  /// Returns the largest possible number of distinct fingerprints.
  [[nodiscard]] static constexpr std::size_t max_distinct_size() noexcept { return Engine::store_type::max_slots; }

  /// Returns an iterator to the first pair. The order of the pairs is unspecified. A change of the index invalidates
  /// all iterators.
  [[nodiscard]] const_iterator begin() const noexcept { return {engine_.store(), 0}; }
  [[nodiscard]] const_iterator end() const noexcept { return {engine_.store(), distinct_size()}; }

  // ---- Searches -----------------------------------------------------------------------------------------------------
  // k is an integer or bits{k}. A search ignores bits::blocks. A floating-point k does not compile.

  /// Returns the largest k of a search.
  [[nodiscard]] int max_distance() const noexcept { return engine_.max_distance(); }
  /// Returns the default k of a search.
  [[nodiscard]] int default_distance() const noexcept { return engine_.default_distance(); }

  /// Returns all stored pairs (fingerprint, id) within k bits of `query`, sorted by distance, then by id, then by
  /// fingerprint.
  /// Throws: std::invalid_argument if k is not in 0..max_distance().
  [[nodiscard]] std::vector<match_type> search(const fingerprint_type& query,
                                               std::optional<neardup::bits> k = {}) const;

  /// Returns for each query the result of search(). A batch is faster than single searches, because cache misses
  /// overlap. The runner `run` spreads the work over threads: `threads{8}`, or a runner of your own. The default is the
  /// calling thread only. The result is the same for every runner.
  /// Throws: std::invalid_argument if k is not in 0..max_distance().
  [[nodiscard]] batch_type search_batch(std::span<const fingerprint_type> queries, std::optional<neardup::bits> k = {},
                                        const any_runner& run = {}) const;

  /// Calls `visit(match)` once for each stored pair (fingerprint, id) within k bits of `query`, in unspecified order.
  /// The visit ends when `visit` returns false or throws; an exception is passed on. No memory is allocated.
  /// Precondition: `visit` does not change the index.
  /// Throws: std::invalid_argument if k is not in 0..max_distance().
  template <std::invocable<match_type> Visit>
  void for_each_match(const fingerprint_type& query, neardup::bits k, Visit&& visit) const {
    detail::visit_matches(engine_, query, k.count, visit);
  }

  /// Returns true if a stored fingerprint is within k bits of `query`. The search stops at the first match.
  /// Throws: std::invalid_argument if k is not in 0..max_distance().
  [[nodiscard]] bool any_within(const fingerprint_type& query, std::optional<neardup::bits> k = {}) const;

  /// Returns the first result of search(): the closest stored pair within k bits of `query`, or nullopt if there is
  /// none. Of equally close pairs, the pair with the smallest id is returned.
  /// Throws: std::invalid_argument if k is not in 0..max_distance().
  [[nodiscard]] std::optional<match_type> nearest(const fingerprint_type& query,
                                                  std::optional<neardup::bits> k = {}) const;

  /// Returns how many stored fingerprints search() compares with this query. The time of a search is about proportional
  /// to this number. A fingerprint counts once for each probed bucket that contains it. If the search scans all
  /// fingerprints instead, each counts once. The expected value is `compared` of costs_of().
  /// Throws: std::invalid_argument if k is not in 0..max_distance().
  [[nodiscard]] std::size_t count_compared(const fingerprint_type& query, std::optional<neardup::bits> k = {}) const {
    return detail::count_compared(engine_, query, k.value_or(default_distance()).count);
  }

 protected:
  searchable_index() = default;
  explicit searchable_index(Engine engine) noexcept : engine_(std::move(engine)) {}

  Engine engine_;
};

template <std::size_t Bits, class Id, class Offset, class Fingerprint, class Engine>
auto searchable_index<Bits, Id, Offset, Fingerprint, Engine>::search(const fingerprint_type& query,
                                                                     std::optional<neardup::bits> k) const
    -> std::vector<match_type> {
  return detail::search(engine_, query, k.value_or(default_distance()).count);
}

template <std::size_t Bits, class Id, class Offset, class Fingerprint, class Engine>
auto searchable_index<Bits, Id, Offset, Fingerprint, Engine>::search_batch(std::span<const fingerprint_type> queries,
                                                                           std::optional<neardup::bits> k,
                                                                           const any_runner& run) const -> batch_type {
  return detail::search_batch(engine_, queries, k.value_or(default_distance()).count, run);
}

template <std::size_t Bits, class Id, class Offset, class Fingerprint, class Engine>
bool searchable_index<Bits, Id, Offset, Fingerprint, Engine>::any_within(const fingerprint_type& query,
                                                                         std::optional<neardup::bits> k) const {
  return detail::any_within(engine_, query, k.value_or(default_distance()).count);
}

template <std::size_t Bits, class Id, class Offset, class Fingerprint, class Engine>
auto searchable_index<Bits, Id, Offset, Fingerprint, Engine>::nearest(const fingerprint_type& query,
                                                                      std::optional<neardup::bits> k) const
    -> std::optional<match_type> {
  return detail::nearest(engine_, query, k.value_or(default_distance()).count);
}

}  // namespace neardup::inline v0
