// SPDX-License-Identifier: MIT
// Finds all pairs of fingerprints within k bits, within one corpus or between two.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../detail/visits.hpp"
#include "../ids.hpp"
#include "../runner.hpp"
#include "../simhash.hpp"
#include "../threshold.hpp"
#include "join/join_input.hpp"
#include "join/join_pairs.hpp"
#include "match.hpp"

namespace neardup::inline v0 {

/// Returns the pairs of positions i < j whose fingerprints differ in at most k bits, sorted by (i, j). `within`:
/// bits{k}.
/// Throws: std::length_error if Index cannot number the fingerprints; std::invalid_argument if k is not in 0..Bits, or
/// if no layout exists for k and the number of blocks; std::bad_alloc.
/// Complexity: the same as visit_pairs, and O(p log p) for p pairs. Equal fingerprints are joined as one fingerprint.
/// Memory: the memory of visit_pairs, and 12 bytes per pair. Each pair of distinct fingerprints takes another 12 bytes,
/// or 24 while pairs are sorted (24 and 48 for 2^32 - 1 fingerprints or more). If there may be very many pairs,
/// use visit_pairs.
/// Example: `for (const auto& [i, j, distance] : pairs(fingerprints, bits{3}, {.run = threads{8}})) …`
template <std::integral Index = std::uint32_t, fingerprint_range Range, class Threshold>
[[nodiscard]] std::vector<near_pair<Index>> pairs(const Range& fingerprints, const Threshold& within,
                                                  const join_options& options = {}) {
  constexpr std::size_t width = detail::range_bits<Range>;
  const bits k = detail::bits_of(within);
  const std::span<const detail::range_fingerprint_t<Range>> all(fingerprints);
  detail::check_distance(width, k.count);
  detail::check_index_type<Index>(all.size(), "pairs");
  std::vector<near_pair<Index>> result;
  detail::with_position_type<Index>(all.size(), [&](auto position) {
    detail::visit_in_order<decltype(position)>(
        detail::fingerprint_words(all), width, k, options, [&](std::size_t i, std::size_t j, int distance) {
          result.push_back({static_cast<Index>(i), static_cast<Index>(j), distance});
          return true;
        });
  });
  return result;
}

/// Calls `visit(i, j, distance)` once for each pair of positions i < j whose fingerprints differ in at most k bits.
/// `visit` is called as soon as a pair is found. `within`: bits{k}.
///
/// The order of the pairs is unspecified. Any thread of `options.run` may call `visit`, but calls do not overlap. The
/// visit ends when `visit` returns false or throws; an exception is passed on. `Index`: a type that can number the
/// fingerprints. Use std::uint64_t for 2^32 - 1 fingerprints or more.
/// Throws: std::length_error if Index cannot number the fingerprints; std::invalid_argument if k is not in 0..Bits, or
/// if no layout exists for k and the number of blocks; std::bad_alloc.
/// Complexity: for each table (see layout), a join moves the fingerprints into buckets in O(n), and compares the
/// filters of each two fingerprints of a bucket. Filters have 32 bits (64 if k > 8). AVX-512 compares 16 filters of 32
/// bits, or 8 of 64 bits, at a time. The calls of `visit` take time as well.
/// Memory: about 16 bytes per fingerprint of 64 bits, for a copy in bucket order, and 16 bytes per copy of another
/// fingerprint. The memory does not depend on the number of pairs.
template <std::integral Index = std::uint32_t, fingerprint_range Range, class Threshold, class Visit>
void visit_pairs(const Range& fingerprints, const Threshold& within, Visit&& visit, const join_options& options = {}) {
  constexpr std::size_t width = detail::range_bits<Range>;
  const bits k = detail::bits_of(within);
  const std::span<const detail::range_fingerprint_t<Range>> all(fingerprints);
  detail::check_distance(width, k.count);
  detail::check_index_type<Index>(all.size(), "visit_pairs");
  detail::with_position_type<Index>(all.size(), [&](auto position) {
    const detail::fingerprint_words words(all);
    detail::fingerprint_join<detail::words_for(width), decltype(position)> join(words, width, k.count, k.blocks,
                                                                                options.run);
    detail::visit_as_found(join, options, [&](std::size_t i, std::size_t j, int distance) {
      return detail::visit_goes_on(visit, i, j, distance);
    });
  });
}

/// Calls `visit(i, j, distance)` once for each i of `a` and j of `b` whose fingerprints differ in at most k bits. Pairs
/// within `a` and pairs within `b` are not visited. See visit_pairs() of one corpus for the order of the calls and
/// their threads. `Index`: a type that can number the fingerprints of the two corpora together.
/// Throws: the exceptions of visit_pairs() of one corpus.
/// Complexity: the same as visit_pairs() of a.size() + b.size() fingerprints, but only pairs between `a` and `b` are
/// compared.
/// Memory: the memory of visit_pairs().
template <std::integral Index = std::uint32_t, fingerprint_range A, fingerprint_range B, class Threshold, class Visit>
void visit_pairs(const A& a, const B& b, const Threshold& within, Visit&& visit, const join_options& options = {}) {
  constexpr std::size_t width = detail::range_bits<A>;
  const bits k = detail::bits_of(within);
  const auto first = detail::fingerprints_beside<B>(a), second = detail::fingerprints_beside<A>(b);
  detail::check_distance(width, k.count);
  detail::check_index_type<Index>(first.size() + second.size(), "visit_pairs");
  if (first.empty() || second.empty()) return;
  const detail::fingerprint_words<detail::words_for(width)> words_of_a(first), words_of_b(second),
      both(words_of_a, words_of_b);
  detail::with_position_type<Index>(both.size(), [&](auto position) {
    detail::fingerprint_join<detail::words_for(width), decltype(position)> join(
        both, width, k.count, k.blocks, options.run, detail::copies_as::others, first.size());
    detail::visit_as_found(join, options, [&](std::size_t i, std::size_t j, int distance) {
      return detail::visit_goes_on(visit, i, j - first.size(), distance);
    });
  });
}

/// Returns the pairs of a position in `a` and a position in `b` whose fingerprints differ in at most k bits. The pairs
/// are sorted by the position in `a`, then by the position in `b`.
/// Throws: the exceptions of visit_pairs(); std::length_error if Index cannot number the fingerprints of the two
/// corpora.
/// Complexity: the same as visit_pairs() of two corpora, and O(p log p) for p pairs.
/// Memory: the memory of visit_pairs(), and 12 bytes per pair.
/// Example: `for (const auto& [i, j, distance] : pairs(delivered, archived, bits{3})) …`
template <std::integral Index = std::uint32_t, fingerprint_range A, fingerprint_range B, class Threshold>
[[nodiscard]] std::vector<near_pair<Index>> pairs(const A& a, const B& b, const Threshold& within,
                                                  const join_options& options = {}) {
  const auto first = detail::fingerprints_beside<B>(a), second = detail::fingerprints_beside<A>(b);
  detail::check_index_type<Index>(first.size() + second.size(), "pairs");
  std::vector<near_pair<Index>> result;
  visit_pairs<Index>(
      a, b, within,
      [&](std::size_t i, std::size_t j, int distance) {
        result.push_back({static_cast<Index>(i), static_cast<Index>(j), distance});
      },
      options);
  detail::sort_pairs(std::span(result), 0, first.size(), options.run);
  return result;
}

}  // namespace neardup::inline v0
