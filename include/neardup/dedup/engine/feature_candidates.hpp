// SPDX-License-Identifier: MIT
// The source of candidates for a decider that finds them by shared rare features, and misses none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../runner.hpp"
#include "../../sets/engine/set_postings.hpp"
#include "../../sets/set_similarity.hpp"
#include "../rule.hpp"

namespace neardup::inline v0::detail {

/// Candidates by shared features: every kept document with a Jaccard similarity or a cosine of at least a threshold,
/// and few others. A `Source` of a decider, like fingerprint_candidates. Complexity, memory and guarantees are those of
/// set_postings. Movable, not copyable.
class feature_candidates {
 public:
  using workspace = set_postings::workspace;

  /// Throws: std::invalid_argument unless the similarity is above 0. `by`: jaccard or cosine.
  /// `max_in_row`: see set_postings.
  explicit feature_candidates(double similarity, std::size_t max_in_row = 2048,
                              set_similarity by = set_similarity::jaccard)
      : postings_(overlap_bounds(by, similarity), max_in_row) {}

  /// Returns: an empty source with the same settings.
  [[nodiscard]] feature_candidates fresh() const { return feature_candidates(postings_.fresh()); }

  /// Whether candidates are found by fingerprints; if false, by features.
  [[nodiscard]] static constexpr bool compares_fingerprints() noexcept { return false; }

  /// Adds a document, as set_postings::insert().
  template <class Description, class FeaturesOf>
  void insert(const Description& document, std::uint32_t number, const FeaturesOf& features_of) {
    postings_.insert(features_in(document), number, features_of);
  }
  /// Learns the order from documents that will be added, as set_postings::learn_from().
  template <class FeaturesOf>
  void learn_from(std::span<const std::uint32_t> numbers, const FeaturesOf& features_of) {
    postings_.learn_from(numbers.size(), [&](std::size_t i) { return features_of(numbers[i]); });
  }
  /// Removes a document.
  template <class Description>
  void erase(const Description& /*document*/, std::uint32_t number) noexcept {
    postings_.erase(number);
  }
  /// Calls `visit(number)` once for each document that may be the original of `document`, in ascending order.
  template <class Description, class Visit>
  void for_each(const Description& document, workspace& scratch, const Visit& visit) const {
    for_each_in(postings_, features_in(document), scratch, visit);
  }

  /// Decides about many documents by `rule`, with the results of fingerprint_candidates::decide(). First matches all
  /// documents with the kept documents, in the parts of `runner`. Then, one after the other, matches each document with
  /// the earlier documents of the batch.
  template <class Rule>
  void decide(std::span<const std::uint32_t> kept, std::size_t count, Rule& rule, const any_runner& runner) const {
    const auto first_new = static_cast<std::uint32_t>(kept.size());
    std::vector<std::optional<original_rank<std::uint32_t>>> best(count);
    const auto compare = [&](std::uint32_t earlier, std::uint32_t number) {
      auto& original = best[number - first_new];
      const auto closeness =
          rule.closeness(earlier, number, std::nullopt, original ? std::optional(original->closeness) : std::nullopt);
      if (!closeness) return;
      const original_rank<std::uint32_t> rank{*closeness, earlier};
      if (!original || rank.is_better_than(*original)) original = rank;
    };
    const auto slots = kept.empty() ? std::uint32_t{0} : *std::max_element(kept.begin(), kept.end()) + 1;
    std::vector<std::uint32_t> number_of(slots);
    for (std::size_t i = 0; i < kept.size(); ++i) number_of[kept[i]] = static_cast<std::uint32_t>(i);
    constexpr std::size_t step = 64;
    const std::size_t parts = parts_for(runner, count, step);
    std::vector<workspace> scratch(parts);
    in_steps(runner, parts, count, step, [&](std::size_t part, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const auto number = static_cast<std::uint32_t>(first_new + i);
        for_each_in(postings_, rule.features_of(number), scratch[part],
                    [&](std::uint32_t slot) { compare(number_of[slot], number); });
      }
      return true;
    });
    const auto features_of = [&](std::uint32_t number) { return rule.features_of(number); };
    set_postings before = postings_.fresh();
    std::vector<std::uint32_t> batch(count);
    std::iota(batch.begin(), batch.end(), first_new);
    before.learn_from(count, [&](std::size_t i) { return features_of(batch[i]); });
    for (const std::uint32_t number : batch) {
      for_each_in(before, features_of(number), scratch[0], [&](std::uint32_t earlier) { compare(earlier, number); });
      if (const auto& original = best[number - first_new]) {
        rule.drop(number, *original);
      } else {
        rule.keep(number);
        before.insert(features_of(number), number, features_of);
      }
    }
  }

  /// No-op: memory for postings need not be reserved, because it grows without moving them.
  void reserve(std::size_t /*count*/) noexcept {}
  [[nodiscard]] double similarity() const noexcept { return postings_.bounds().threshold(); }
  [[nodiscard]] std::size_t memory_usage() const noexcept { return postings_.memory_usage(); }

 private:
  using feature_span = std::span<const std::uint32_t>;

  explicit feature_candidates(set_postings postings) : postings_(std::move(postings)) {}

  template <class Description>
  static feature_span features_in(const Description& document) noexcept {
    return feature_span(document.features);
  }
  template <class Visit>
  static void for_each_in(const set_postings& postings, feature_span features, workspace& scratch, const Visit& visit) {
    postings.for_each(features, postings.bounds(), scratch, [&](std::uint32_t number, std::size_t /*least*/) {
      visit(number);
      return true;
    });
  }

  set_postings postings_;
};

}  // namespace neardup::inline v0::detail
