// SPDX-License-Identifier: MIT
// All pairs of fingerprints within k bits, of one corpus or of two.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "../detail/positions.hpp"
#include "../detail/visits.hpp"
#include "../join_options.hpp"
#include "../simhash.hpp"
#include "../threshold.hpp"
#include "fingerprint_range.hpp"
#include "join/join_input.hpp"
#include "join/join_pairs.hpp"
#include "match.hpp"

namespace neardup::inline v0 {

/// Returns the pairs of positions i < j whose fingerprints differ in at most k bits, sorted by (i, j). `within`:
/// bits{k}.
/// Throws: std::length_error if Index cannot number the fingerprints; std::invalid_argument if k is not in 0..Bits or
/// no layout with its number of blocks exists; std::bad_alloc.
/// Complexity: the same as visit_pairs, and O(p log p) for p pairs. Copies of a fingerprint are joined as one
/// fingerprint.
/// Memory: the memory of visit_pairs; 12 bytes per pair; and 12 bytes per pair of distinct fingerprints, 24 while these
/// are sorted (24 and 48 from 2^32 fingerprints on). If there may be very many pairs, use visit_pairs.
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

/// Calls `visit(i, j, distance)` once for each pair of positions i < j whose fingerprints differ in at most k bits, as
/// soon as the pair is found. `within`: bits{k}.
///
/// The order of pairs is unspecified. Calls never overlap, but may come from any thread of `options.run`. If the
/// visitor returns false or throws, the visit ends, and its exception is passed on. `Index`: a type that can number the
/// fingerprints: std::uint64_t from 2^32 - 1 fingerprints on.
/// Throws: std::length_error if Index cannot number the fingerprints; std::invalid_argument if k is not in 0..Bits or
/// no layout with its number of blocks exists; std::bad_alloc.
/// Complexity: for each table (see layout) O(n) to move the fingerprints into buckets, and a comparison of filters of
/// 32 bits (64 if k > 8) for each two fingerprints of a bucket, 16 (8) at a time with AVX-512; and the calls.
/// Memory: independent of the number of pairs: about 16 bytes per fingerprint of 64 bits, for a copy in bucket order,
/// and 16 bytes per copy of another fingerprint.
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
/// within `a` and within `b` are not visited. Order and threads are as in visit_pairs() of one corpus. `Index`: a type
/// that can number the fingerprints of both corpora.
/// Throws: the exceptions of visit_pairs() of one corpus.
/// Complexity: the same as visit_pairs() for a.size() + b.size() fingerprints, but only pairs across `a` and `b` are
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

/// Returns the pairs of a position in `a` and a position in `b` whose fingerprints differ in at most k bits. They are
/// sorted by the position in `a`, then in `b`.
/// Throws: the exceptions of visit_pairs(); std::length_error if Index cannot number the fingerprints of both corpora.
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
