// What all indexes have in common: their types, what they contain, and their searches.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../runner.hpp"
#include "engine/searches.hpp"
#include "match.hpp"

namespace neardup::inline v0 {

/// What all indexes have in common: pigeonhole_index, flat_index, frozen_index, index_view and keyed_index offer these
/// members. They do not change an index, and may be called from many threads while no thread writes.
///
/// It is their base class and has no public constructor. Engine: what stores and finds fingerprints, see
/// engine/searches.hpp.
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
  using batch_type = batch_result<Bits, Id, Fingerprint>;
  /// A constant forward iterator that gives entries by value.
  using const_iterator = detail::entry_iterator<Fingerprint, Id, typename Engine::store_type>;
  using iterator = const_iterator;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;

  // ---- Content ------------------------------------------------------------------------------------------------------

  /// Whether the pair is stored.
  [[nodiscard]] bool contains(const fingerprint_type& fingerprint, const Id& id) const noexcept {
    return detail::contains(engine_.store(), fingerprint.to_words(), id);
  }
  /// Whether the fingerprint is stored under any id.
  [[nodiscard]] bool contains(const fingerprint_type& fingerprint) const noexcept {
    return engine_.store().find(fingerprint.to_words()) != Engine::store_type::none;
  }

  /// The number of pairs.
  [[nodiscard]] std::size_t size() const noexcept { return engine_.store().pairs(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// The number of different fingerprints.
  [[nodiscard]] std::size_t distinct_size() const noexcept { return engine_.store().slots(); }
  /// The most different fingerprints that the index can hold.
  [[nodiscard]] static constexpr std::size_t max_distinct_size() noexcept { return Engine::store_type::max_slots; }

  /// The pairs, in no particular order. A change of the index invalidates all iterators.
  [[nodiscard]] const_iterator begin() const noexcept { return {engine_.store(), 0}; }
  [[nodiscard]] const_iterator end() const noexcept { return {engine_.store(), distinct_size()}; }

  // ---- Searches -----------------------------------------------------------------------------------------------------

  /// The largest k that a search may have.
  [[nodiscard]] int max_distance() const noexcept { return engine_.max_distance(); }
  /// The k of a search that names none.
  [[nodiscard]] int default_distance() const noexcept { return engine_.default_distance(); }

  /// All pairs within k bits, by distance, then id, then fingerprint.
  [[nodiscard]] std::vector<match_type> search(const fingerprint_type& query, std::optional<int> k = {}) const {
    return detail::search(engine_, query, k.value_or(default_distance()));
  }

  /// The matches of each query in turn, as search() gives them: many at a time, so that the waits for memory overlap.
  /// `run` is how the work is spread: `threads{8}`, or your own runner; without it, the caller's thread does it
  /// all. The result does not depend on it.
  [[nodiscard]] batch_type search_batch(std::span<const fingerprint_type> queries, std::optional<int> k = {},
                                        const any_runner& run = {}) const {
    return detail::search_batch(engine_, queries, k.value_or(default_distance()), run);
  }

  /// Calls `visit(match)` for each pair within k bits, once each, in no particular order.
  /// A visitor that returns false ends the visit. What it throws passes through. It must not change the index.
  /// Allocates nothing.
  template <std::invocable<match_type> Visit>
  void for_each_match(const fingerprint_type& query, int k, Visit&& visit) const {
    detail::visit_matches(engine_, query, k, visit);
  }

  /// Whether any stored fingerprint is within k bits. Stops at the first.
  [[nodiscard]] bool any_within(const fingerprint_type& query, std::optional<int> k = {}) const {
    return detail::any_within(engine_, query, k.value_or(default_distance()));
  }

  /// The first of search(): the closest pair within k bits, the smallest id among equally close ones.
  [[nodiscard]] std::optional<match_type> nearest(const fingerprint_type& query, std::optional<int> k = {}) const {
    return detail::nearest(engine_, query, k.value_or(default_distance()));
  }

  /// How many stored fingerprints search() compares with this query, which is what its time depends on: those in the
  /// buckets that it looks into, once for each bucket that they are in, or all of them where it scans. costs_of()
  /// expects `compared` of them.
  [[nodiscard]] std::size_t count_compared(const fingerprint_type& query, std::optional<int> k = {}) const {
    return detail::count_compared(engine_, query, k.value_or(default_distance()));
  }

 protected:
  searchable_index() = default;
  explicit searchable_index(Engine engine) noexcept : engine_(std::move(engine)) {}

  Engine engine_;
};

}  // namespace neardup::inline v0
