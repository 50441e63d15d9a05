// SPDX-License-Identifier: MIT
// The source of candidates for a decider that finds them by fingerprints.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../index/engine/filter_scan.hpp"
#include "../../index/join/join_plan.hpp"
#include "../../index/layout.hpp"
#include "../../index/pigeonhole_index.hpp"
#include "../../instruction_set.hpp"
#include "../../runner.hpp"
#include "fingerprint_matcher.hpp"
#include "ordered_decider.hpp"

namespace neardup::inline v0::detail {

/// Returns true if a join is estimated to cost less than searches. The join finds pairs of `count` fingerprints with
/// `kept` ones, and among the `count`. The alternative is `count` searches within k bits in an index of the layout
/// `shape`. `sample`: some of the fingerprints. `join_cost`: a factor for the estimated cost of the join.
///
/// Both costs are in the units of join_costs, nanoseconds on one core of a Zen 5. The other constants were fitted on
/// the same machine, for k = 3, 8 and 13 of 64 bits, 7,000 to 300,000 kept fingerprints, and batches of 300 to 32,768.
template <std::size_t Words>
[[nodiscard]] bool join_pays(const layout& shape, std::size_t kept, std::size_t count,
                             std::span<const std::array<std::uint64_t, Words>> sample, double join_cost,
                             const any_runner& run) {
  if (join_cost == 0) return true;
  // A join of fewer fingerprints compares all pairs, as the slowest search does. In addition it lists the kept
  // fingerprints, so it never pays.
  constexpr std::size_t min_joined = 256;
  if (count <= min_joined) return false;
  constexpr double of_search = 400, of_scan = 18;  // per search; per fingerprints_a_probe() scanned fingerprints
  constexpr double of_kept = 55, of_joined = 300;  // per fingerprint, for lists and results
  constexpr double of_plan = 1.6;                  // cost of a join / cost of its plan
  const auto n = static_cast<double>(kept), more = static_cast<double>(count);
  // New documents of the batch are kept, so on average a search also scans half of the batch.
  const double scanned = (n + more / 2) / static_cast<double>(fingerprints_a_probe<Words>());
  const auto keys = static_cast<double>(shape.probe_count(shape.k()));
  const double of_probe = 20 + (std::min)(100.0, 6e-5 * n);  // per looked-up key; large tables are not in the cache
  const double search = more * (of_search + (scanned <= keys ? of_scan * scanned : of_probe * keys));
  double join = join_cost * (of_kept * n + of_joined * more);
  if (search <= join) return false;
  const auto plan_cost = [&](std::size_t known) {
    return join_plan<Words>(shape.bits(), shape.k(), 0, known + count, known, sample, active_instruction_set()).cost();
  };
  const double planned = join_cost * of_plan / static_cast<double>(parts_for(run, kept + count, std::size_t{1} << 12));
  join += planned * plan_cost(0);
  if (kept != 0 && join < search) join += planned * plan_cost(kept);
  return join < search;
}

/// Finds candidates in an index of the fingerprints of kept documents. Documents are named by the slots of the decider.
template <class Fingerprint>
class fingerprint_candidates {
  using index_type = pigeonhole_index_of<Fingerprint, dynamic_layout, dynamic_layout, std::uint32_t>;

 public:
  /// Scratch memory of for_each(). Each thread needs its own object.
  struct workspace {};

  /// Makes an empty source. `distance`: candidates differ in at most this many bits. `blocks`: see pigeonhole_index.
  /// `join_cost`: see join_pays().
  /// Throws: std::invalid_argument if there is no such index.
  fingerprint_candidates(int distance, int blocks, double join_cost)
      : index_(distance, blocks), join_cost_(join_cost) {}

  /// Returns an empty source with the same settings.
  [[nodiscard]] fingerprint_candidates fresh() const {
    return fingerprint_candidates(index_.max_distance(), index_.shape().blocks(), join_cost_);
  }

  /// True if there are joins() and decide(). Without them, the decider searches for the documents of a batch one after
  /// the other.
  static constexpr bool can_join = true;

  /// Adds a document. The parameter `features_of` is unused; feature_candidates needs it.
  /// Guarantee: strong.
  template <class Description, class FeaturesOf>
  void insert(const Description& document, std::uint32_t number, const FeaturesOf& /*features_of*/) {
    index_.insert(*document.fingerprint, number);
  }
  /// Removes a document that was inserted.
  template <class Description>
  void erase(const Description& document, std::uint32_t number) noexcept {
    index_.erase(*document.fingerprint, number);
  }

  /// Calls `visit(number)` for each document that may be the original of `document`, in any order.
  template <class Description, class Visit>
  void for_each(const Description& document, workspace& /*scratch*/, const Visit& visit) const {
    index_.for_each_match(*document.fingerprint, index_.max_distance(), [&](const auto& match) { visit(match.id); });
  }

  /// Returns true if decide() is estimated to cost less than for_each() and insert() for each of these documents.
  /// `kept` documents precede them.
  template <class Description>
  [[nodiscard]] bool joins(std::size_t kept, std::span<const Description> documents, const any_runner& run) const {
    constexpr std::size_t most = 256;
    std::vector<typename Fingerprint::words_type> sample;
    const std::size_t step = documents.size() / most + 1;
    for (std::size_t i = 0; i < documents.size(); i += step) {
      if (documents[i].fingerprint) sample.push_back(documents[i].fingerprint->to_words());
    }
    return join_pays<Fingerprint::words>(index_.shape(), kept, documents.size(), std::span(std::as_const(sample)),
                                         join_cost_, run);
  }

  /// Decides about `count` documents by `rule`. For the rule, kept documents have the numbers from 0 on, by age, and
  /// the `count` documents follow. kept[i] is the slot of kept document i.
  template <class Rule>
  void decide(std::span<const std::uint32_t> kept, std::size_t count, Rule& rule, const any_runner& run) const {
    std::vector<Fingerprint> fingerprints;  // by number of the rule
    fingerprints.reserve(kept.size() + count);
    for (std::size_t i = 0; i < kept.size() + count; ++i) {
      fingerprints.push_back(rule.fingerprint_of(static_cast<std::uint32_t>(i)));
    }
    rule_matcher<Rule> matcher(std::span<const Fingerprint>(fingerprints), index_.max_distance(), rule, run);
    const std::size_t max_candidates = (std::max)(fingerprints.size(), std::size_t{1} << 16) / 3 * 2;
    ordered_decider<std::uint32_t> decider(matcher, kept.size(), fingerprints.size(), true, max_candidates, run);
    decider.decide(true);
    for (std::size_t i = kept.size(); i < fingerprints.size(); ++i) {
      if (!decider.is_kept(i)) rule.drop(static_cast<std::uint32_t>(i), decider.original(i));
    }
  }

  void reserve(std::size_t count) { index_.reserve(count); }
  [[nodiscard]] int distance() const noexcept { return index_.max_distance(); }
  [[nodiscard]] int blocks() const noexcept { return index_.shape().blocks(); }
  [[nodiscard]] std::size_t memory_usage() const noexcept { return index_.memory_usage(); }

 private:
  /// Finds candidates within k bits, and the further matches that the rule knows. The rule decides about candidates.
  template <class Rule>
  class rule_matcher final : public fingerprint_matcher<words_for(Fingerprint::bits), std::uint32_t> {
    using base = fingerprint_matcher<words_for(Fingerprint::bits), std::uint32_t>;

   public:
    rule_matcher(std::span<const Fingerprint> fingerprints, int k, Rule& rule, const any_runner& run)
        : base(fingerprint_words(fingerprints), Fingerprint::bits, k, 0, run, rule.compared_features()), rule_(rule) {}

    [[nodiscard]] std::optional<double> closeness(std::uint32_t earlier, std::uint32_t later, int distance,
                                                  std::optional<double> best) const override {
      return rule_.closeness(earlier, later, distance, best);
    }
    [[nodiscard]] bool finds_more() const override { return rule_.finds_more(); }
    void find_more(std::uint32_t document, const std::function<void(std::uint32_t, int)>& consider) const override {
      rule_.find_more(document, consider);
    }
    void keep(std::uint32_t document) override { rule_.keep(document); }

   private:
    Rule& rule_;
  };

  index_type index_;
  double join_cost_;
};

}  // namespace neardup::inline v0::detail
