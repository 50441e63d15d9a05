// SPDX-License-Identifier: MIT
// Finds candidate pairs: documents whose fingerprints differ in at most k bits.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/equal_groups.hpp"
#include "../../detail/visits.hpp"
#include "../../index/join/fingerprint_join.hpp"
#include "../../index/join/join_input.hpp"
#include "../../index/join/join_pairs.hpp"
#include "../../runner.hpp"
#include "../../sets/engine/distinct_sets.hpp"
#include "../../simd/filters.hpp"
#include "../../threshold.hpp"
#include "../checks.hpp"
#include "ordered_decider.hpp"
#include "set_matcher.hpp"

namespace neardup::inline v0::detail {

/// A matcher for fingerprints: two documents are a candidate pair if their fingerprints differ in at most k bits.
/// closeness() gets the number of differing bits as `known`. A derived class decides which candidate pairs match.
template <std::size_t Words, class Number>
class fingerprint_matcher : public matcher<Number> {
 public:
  using typename matcher<Number>::candidate;
  using typename matcher<Number>::left_out;
  using typename matcher<Number>::take_type;

  /// Makes a matcher. `fingerprints` are in the order of decision. `blocks`: see bits. If `features` are given, a join
  /// of sets may find the candidate pairs, if such a join is estimated to cost less;
  /// docs/decisions/0028-prefix-filter.md has figures.
  fingerprint_matcher(const fingerprint_words<Words>& fingerprints, std::size_t bits, int k, int blocks,
                      const any_runner& run, compared_features<Number> features)
      : fingerprints_(fingerprints), bits_(bits), k_(k), blocks_(blocks), run_(run), features_(std::move(features)) {}

  [[nodiscard]] std::size_t parts(std::size_t documents) const final {
    return parts_for(run_, documents, features_.suffices() ? least_of_sets : std::size_t{1} << 12);
  }

  bool find_candidates(std::span<const Number> documents, std::size_t kept, const take_type& take,
                       const left_out& /*left*/) override {
    if (kept != 0 && documents.size() - kept <= max_scanned) {
      scan(documents, kept, take);
      return true;
    }
    const chosen_words<Words, Number> chosen(fingerprints_, documents);
    fingerprint_join<Words, Number> join(chosen, bits_, k_, blocks_, run_, copies_as::others, kept);
    if constexpr (std::same_as<Number, std::uint32_t>) {
      if (blocks_ == 0 && features_.suffices() && finds_by_features(documents, kept, join.plan().cost())) {
        find_by_features(documents, kept, take);
        return true;
      }
    }
    visit_distinct_pairs<Words, Number>(join, run_, take);
    return true;
  }

 private:
  // A batch of at most this many documents is compared with every kept document. Moving the kept documents into buckets
  // would take longer.
  static constexpr std::size_t max_scanned = 256;
  static constexpr std::size_t least_of_sets = 256;  // least number of documents per part if sets may be joined

  using sets_type = document_sets<std::uint32_t>;

  /// Leaves out the pairs of sets whose fingerprints differ in more than k bits.
  class far_pairs final : public set_classes {
   public:
    far_pairs(const fingerprint_words<Words>& fingerprints, const sets_type& sets, int k)
        : fingerprints_(fingerprints), sets_(sets), k_(k) {}

    [[nodiscard]] std::size_t of(std::size_t set) const override { return set; }
    [[nodiscard]] bool leaves_out(std::size_t a, std::size_t b) const override {
      return count_differing_bits(fingerprints_[sets_.document(a)], fingerprints_[sets_.document(b)]) > k_;
    }
    void add(std::size_t /*a*/, std::size_t /*b*/) override {}

   private:
    const fingerprint_words<Words>& fingerprints_;
    const sets_type& sets_;
    int k_;
  };

  /// Returns true if a join of sets is estimated to cost less than a join by fingerprints, which costs `cost` units of
  /// join_plan. The first join of sets has to make the sets of all documents. Later joins of sets cost far less. A join
  /// of a sample of the documents shows whether too many candidate pairs would fail. If there are more similar pairs
  /// than documents, the result is false: a join by fingerprints then finds enough pairs without sets.
  [[nodiscard]] bool finds_by_features(std::span<const Number> documents, std::size_t kept, double cost) const {
    // If `cost` is below this number, neither join takes long, so nothing is estimated.
    constexpr double least_cost = 1e7, least_of_document = 400;
    if (cost <= least_cost + least_of_document * static_cast<double>(documents.size())) return false;
    if (sets_ != nullptr) return true;
    constexpr double of_feature = 16, of_candidate = 10;                  // in units of join_plan
    constexpr std::size_t most_features = std::size_t{1} << 17, few = 4;  // for `step` and `most` below
    const std::size_t looked_at = (std::min)(documents.size(), std::size_t{256});
    std::size_t features = 0;
    for (std::size_t i = 0; i < looked_at; ++i) {
      features += features_.of(documents[documents.size() / looked_at * i]).size();
    }
    const double of_each = static_cast<double>(features) / static_cast<double>(looked_at);
    const double left = cost - of_feature * of_each * static_cast<double>(fingerprints_.size());
    if (left <= 0) return false;
    const std::size_t step = documents.size() / (std::max)(looked_at, most_features * looked_at / (features + 1)) + 1;
    const auto sampled = [step](std::size_t count) { return (count + step - 1) / step; };
    sets_type sample({sampled(documents.size()), [&](std::size_t i) { return features_.of(documents[i * step]); }},
                     jaccard{features_.similarity}, {});
    std::vector<std::uint32_t> all(sampled(documents.size()));
    std::iota(all.begin(), all.end(), std::uint32_t{0});
    const double share = 1 / (static_cast<double>(step) * static_cast<double>(step));  // sampled share of all pairs
    failure_limit failures(static_cast<std::size_t>(left / of_candidate * share), 0);
    const std::size_t most = few + static_cast<std::size_t>(static_cast<double>(documents.size()) * share);
    std::size_t pairs = 0;
    const auto count = [&](std::size_t /*part*/, std::span<const candidate> some) {
      pairs += some.size();
      return kept != 0 || pairs <= most;
    };
    return sample.listed().find(all, sampled(kept), count, nullptr, &failures);
  }

  void find_by_features(std::span<const Number> documents, std::size_t kept, const take_type& take) {
    if (sets_ == nullptr) {
      sets_ = std::make_unique<sets_type>(
          set_source<std::uint32_t>{
              fingerprints_.size(),
              [this](std::size_t document) { return features_.of(static_cast<Number>(document)); }},
          jaccard{features_.similarity}, run_);
    }
    far_pairs too_far(fingerprints_, *sets_, k_);
    std::vector<std::vector<candidate>> found(parts(documents.size()));
    const auto with_distances = [&](std::size_t part, std::span<const candidate> pairs) {
      found[part].assign(pairs.begin(), pairs.end());
      for (candidate& pair : found[part]) {
        pair.distance =
            count_differing_bits(fingerprints_[documents[pair.first]], fingerprints_[documents[pair.second]]);
      }
      return take(part, found[part]);
    };
    sets_->listed().find(documents, kept, with_distances, &too_far, nullptr);
  }

  void scan(std::span<const Number> documents, std::size_t kept, const take_type& take) const {
    using words_type = std::array<std::uint64_t, Words>;
    constexpr std::size_t step = std::size_t{1} << 12;  // documents copied at a time, so that they stay in the cache
    const auto copy = [&](std::size_t begin, std::size_t end, std::vector<words_type>& to) {
      to.clear();
      for (std::size_t i = begin; i < end; ++i) to.push_back(fingerprints_[static_cast<std::size_t>(documents[i])]);
    };
    std::vector<words_type> others, some;
    copy(kept, documents.size(), others);
    for (std::size_t begin = 0; begin < kept; begin += step) {
      copy(begin, (std::min)(begin + step, kept), some);
      scan_all(std::span<const words_type>(some), std::span<const words_type>(others), k_,
               [&](std::size_t other, std::size_t one, int distance) {
                 const candidate found{static_cast<Number>(begin + one), static_cast<Number>(kept + other), distance};
                 return take(0, {&found, 1});
               });
    }
  }

  fingerprint_words<Words> fingerprints_;
  std::size_t bits_;
  int k_;
  int blocks_;
  any_runner run_;
  compared_features<Number> features_;
  std::unique_ptr<sets_type> sets_;  // sets of all documents; made if a join of sets is chosen
};

}  // namespace neardup::inline v0::detail
