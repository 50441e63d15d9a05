// SPDX-License-Identifier: MIT
// The source of candidates for a decider that compares fingerprints.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../error.hpp"
#include "../../index/join/join_plan.hpp"
#include "../../index/layout.hpp"
#include "../../index/pigeonhole_index.hpp"
#include "../../instruction_set.hpp"
#include "../../runner.hpp"
#include "../../simd/filters.hpp"
#include "../decider.hpp"
#include "fingerprint_matcher.hpp"
#include "ordered_decider.hpp"

namespace neardup::inline v0::detail {

/// Returns true if a join is estimated to cost less than searches. There are `kept` kept and `count` new fingerprints.
/// The join finds the pairs of a kept and a new fingerprint, and the pairs of two new fingerprints. The alternative is
/// `count` searches in an index with the layout `shape`. `sample`: some of the new fingerprints. `join_cost`: a factor
/// for the estimated cost of the join.
///
/// The unit of cost is the unit of join_costs: a nanosecond on one core of a Zen 5. The constants of join_pays() were
/// fitted on the same machine, for k = 3, 8 and 13 of 64 bits, 7,000 to 300,000 kept fingerprints, and batches of 300
/// to 32,768.
template <std::size_t Words>
[[nodiscard]] bool join_pays(const layout& shape, std::size_t kept, std::size_t count,
                             std::span<const std::array<std::uint64_t, Words>> sample, double join_cost,
                             const any_runner& run) {
  if (join_cost == 0) return true;
  // If a batch has at most this many fingerprints, a join never pays. Like the slowest search, the join of a small
  // batch compares all pairs. The join also has to list the kept fingerprints.
  constexpr std::size_t min_joined = 256;
  if (count <= min_joined) return false;
  constexpr double of_search = 400, of_scan = 18;  // cost of a search; cost of fingerprints_a_probe() comparisons
  constexpr double of_kept = 55, of_joined = 300;  // of a join: cost of a kept and of a new fingerprint
  constexpr double of_plan = 1.6;                  // cost of a join / cost of its plan
  const auto n = static_cast<double>(kept), more = static_cast<double>(count);
  // New documents of the batch are kept, and later searches scan them, too. On average, a search scans half of the
  // batch.
  const double scanned = (n + more / 2) / static_cast<double>(fingerprints_a_probe<Words>());
  const auto keys = static_cast<double>(shape.probe_count(shape.k()));
  const double of_probe = 20 + (std::min)(100.0, 6e-5 * n);  // cost of looking up a key; large tables miss the cache
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

/// Numbers the documents of a join. The kept documents have the numbers 0, 1, ... by age. The comparable documents of
/// the batch have the next numbers.
template <class Decider>
class batch_documents {
 public:
  using slot_type = typename Decider::slot_type;
  using kept_type = typename Decider::kept_type;
  using description_type = typename Decider::description_type;

  /// Numbers the comparable documents of a batch after the kept documents of `from`.
  /// Throws: std::length_error if a slot cannot number all documents.
  batch_documents(const Decider& from, std::span<const description_type> documents,
                  std::span<const typename Decider::id_type> ids)
      : from_(&from), kept_(from.slots_by_age()), documents_(documents), ids_(ids) {
    if (kept_.size() + documents.size() > Decider::no_slot) {
      fail<std::length_error>("a deduplicator keeps at most 2^32 - 1 documents");
    }
    for (std::size_t i = 0; i < documents.size(); ++i) {
      if (Decider::is_comparable(documents[i])) positions_.push_back(i);
    }
  }

  [[nodiscard]] const Decider& from() const noexcept { return *from_; }
  [[nodiscard]] std::size_t kept() const noexcept { return kept_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return kept_.size() + positions_.size(); }
  /// Returns the position of document `number` in the batch.
  /// Precondition: kept() <= number.
  [[nodiscard]] std::size_t position(slot_type number) const { return positions_[number - kept_.size()]; }
  [[nodiscard]] const description_type& description(slot_type number) const { return documents_[position(number)]; }
  /// Returns document `number` in the form of a kept document. A document of the batch gets the serial number 0.
  [[nodiscard]] kept_type operator[](slot_type number) const {
    if (number < kept_.size()) return from_->kept_at(kept_[number]);
    const description_type& own = description(number);
    return {ids_[position(number)], 0, *own.fingerprint, own.features, own.digest};
  }
  /// Returns the number of the kept document in a slot.
  [[nodiscard]] slot_type number_of(slot_type slot) const {
    const auto is_older = [&](slot_type a, std::uint64_t serial) { return from_->kept_at(a).serial < serial; };
    return static_cast<slot_type>(std::lower_bound(kept_.begin(), kept_.end(), from_->kept_at(slot).serial, is_older) -
                                  kept_.begin());
  }

 private:
  const Decider* from_;
  std::vector<slot_type> kept_;
  std::span<const description_type> documents_;
  std::span<const typename Decider::id_type> ids_;
  std::vector<std::size_t> positions_;
};

/// Matches the documents of a batch with the kept documents of a decider, and with each other. The result is the same
/// as calling Decider::find for one document after the other. The candidates of a short text include all texts with the
/// same tokens.
template <std::size_t Words, class Decider, class Judge>
class batch_matcher final : public fingerprint_matcher<Words, typename Decider::slot_type> {
  using slot_type = typename Decider::slot_type;

 public:
  /// Makes a matcher. `least`: see Decider::keep_batch.
  /// Precondition: `documents` and the judge outlive this object.
  batch_matcher(const batch_documents<Decider>& documents, const fingerprint_words<Words>& fingerprints,
                std::size_t bits, int k, const Judge& judge, std::optional<double> least, const any_runner& run)
      : fingerprint_matcher<Words, slot_type>(fingerprints, bits, k, 0, run, features_of(documents, least)),
        documents_(documents),
        judge_(judge) {
    for (std::size_t i = documents.kept(); i < documents.size() && !finds_more_; ++i) {
      finds_more_ = documents.description(static_cast<slot_type>(i)).digest.has_value();
    }
  }

  /// Returns true if the judge has returned a similarity. Then every closeness is a similarity.
  [[nodiscard]] bool gives_similarity() const noexcept { return gives_similarity_.load(std::memory_order_relaxed); }

  [[nodiscard]] std::optional<double> closeness(slot_type earlier, slot_type later, int distance,
                                                std::optional<double> best) const override {
    const auto kept = documents_[earlier];
    const auto& document = documents_.description(later);
    const Decider& from = documents_.from();
    const bool are_in_source =
        from.is_in_source(kept.digest.has_value()) && from.is_in_source(document.digest.has_value());
    if (!are_in_source && kept.digest != document.digest) return std::nullopt;
    // `best` is a bound for the judge only if `best` is a similarity, that is, if the judge returns similarities.
    const check_result checked = judge_(kept, document, gives_similarity() ? best : std::optional<double>());
    if (checked.similarity) gives_similarity_.store(true, std::memory_order_relaxed);
    if (!checked.accepts) return std::nullopt;
    return closeness_of(checked, distance);
  }

  [[nodiscard]] bool finds_more() const override { return finds_more_; }
  void find_more(slot_type number, const std::function<void(slot_type, int)>& consider) const override {
    const auto& own = documents_.description(number);
    if (!own.digest) return;
    const auto consider_equal = [&](slot_type equal) {
      consider(equal, hamming_distance(*own.fingerprint, documents_[equal].fingerprint));
    };
    documents_.from().for_each_equal(*own.digest, [&](slot_type slot) { consider_equal(documents_.number_of(slot)); });
    const auto [first, last] = equal_.equal_range(*own.digest);
    for (auto i = first; i != last; ++i) consider_equal(i->second);
  }
  void keep(slot_type number) override {
    if (const auto& digest = documents_.description(number).digest) equal_.emplace(*digest, number);
  }

 private:
  static compared_features<slot_type> features_of(const batch_documents<Decider>& documents,
                                                  std::optional<double> least) {
    compared_features<slot_type> result{{}, least.value_or(0)};
    if constexpr (std::is_convertible_v<decltype(documents[0].features), std::span<const std::uint32_t>>) {
      if (least) result.of = [&documents](slot_type number) { return documents[number].features; };
    }
    return result;
  }

  const batch_documents<Decider>& documents_;
  const Judge& judge_;
  bool finds_more_ = false;
  mutable std::atomic<bool> gives_similarity_ = false;
  std::unordered_multimap<set_digest, slot_type, digest_hash> equal_;  // short texts of the batch that are kept
};

/// Finds candidates in an index of the fingerprints of the kept documents. A document is identified by its slot in the
/// decider.
template <class Fingerprint>
class fingerprint_candidates {
  using index_type = pigeonhole_index_of<Fingerprint, dynamic_layout, dynamic_layout, std::uint32_t>;

 public:
  /// Scratch memory of for_each(). Each thread needs its own object.
  struct workspace {};

  /// Makes an empty source. The fingerprint of a candidate differs in at most `distance` bits. `blocks`: see
  /// pigeonhole_index. `join_cost`: see join_pays().
  /// Throws: std::invalid_argument if no index exists for the distance and the number of blocks.
  fingerprint_candidates(int distance, int blocks, double join_cost)
      : index_(distance, blocks), join_cost_(join_cost) {}

  /// Returns an empty source with the same settings.
  [[nodiscard]] fingerprint_candidates fresh() const {
    return fingerprint_candidates(index_.max_distance(), index_.shape().blocks(), join_cost_);
  }

  /// True, because this class has joins() and decide_batch(). If can_join was false, the decider would search for the
  /// documents of a batch one after the other.
  static constexpr bool can_join = true;

  /// Adds a document. The parameter `features_of` is not used here; feature_candidates uses it.
  /// Guarantee: strong.
  template <class Description, class FeaturesOf>
  void insert(const Description& document, std::uint32_t number, const FeaturesOf& /*features_of*/) {
    index_.insert(*document.fingerprint, number);
  }
  /// Removes a document.
  /// Precondition: the document was inserted with this number.
  template <class Description>
  void erase(const Description& document, std::uint32_t number) noexcept {
    index_.erase(*document.fingerprint, number);
  }

  /// Calls `visit(number)` for each document that may be the original of `document`, in any order.
  template <class Description, class Visit>
  void for_each(const Description& document, workspace& /*scratch*/, const Visit& visit) const {
    index_.for_each_match(*document.fingerprint, index_.max_distance(), [&](const auto& match) { visit(match.id); });
  }

  /// Returns true if decide_batch() is estimated to cost less than for_each() and insert() for each of the documents.
  /// `kept`: the number of kept documents.
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

  /// Joins the documents of a batch with each other and with the kept documents of `from`. Decides about the documents
  /// of the batch in order. The verdicts are the same as if each new document was kept before the next decision. See
  /// Decider::keep_batch.
  template <class Decider, class Judge>
  [[nodiscard]] std::vector<typename Decider::verdict_type> decide_batch(
      const Decider& from, std::span<const typename Decider::description_type> descriptions,
      std::span<const typename Decider::id_type> ids, const Judge& judge, std::optional<double> least,
      const any_runner& run) const {
    constexpr std::size_t words = words_for(Fingerprint::bits);
    const batch_documents<Decider> documents(from, descriptions, ids);
    std::vector<Fingerprint> fingerprints;
    fingerprints.reserve(documents.size());
    for (std::uint32_t i = 0; i < documents.size(); ++i) fingerprints.push_back(documents[i].fingerprint);
    batch_matcher<words, Decider, Judge> matcher(documents,
                                                 fingerprint_words<words>(std::span(std::as_const(fingerprints))),
                                                 Fingerprint::bits, index_.max_distance(), judge, least, run);
    const std::size_t max_candidates = (std::max)(documents.size(), std::size_t{1} << 16) / 3 * 2;
    ordered_decider<std::uint32_t> decided(matcher, documents.kept(), documents.size(), true, max_candidates, run);
    decided.decide(true);
    std::vector<typename Decider::verdict_type> verdicts(descriptions.size());
    for (std::size_t i = 0; i < descriptions.size(); ++i) {
      verdicts[i].is_comparable = Decider::is_comparable(descriptions[i]);
    }
    for (auto i = static_cast<std::uint32_t>(documents.kept()); i < documents.size(); ++i) {
      if (decided.is_kept(i)) continue;
      auto& about = verdicts[documents.position(i)];
      const auto original = documents[decided.original(i).age];
      about.original = original.id;
      about.distance = hamming_distance(original.fingerprint, fingerprints[i]);
      if (matcher.gives_similarity()) about.similarity = decided.original(i).closeness;
    }
    return verdicts;
  }

  void reserve(std::size_t count) { index_.reserve(count); }
  [[nodiscard]] int distance() const noexcept { return index_.max_distance(); }
  [[nodiscard]] int blocks() const noexcept { return index_.shape().blocks(); }
  [[nodiscard]] std::size_t memory_usage() const noexcept { return index_.memory_usage(); }

 private:
  index_type index_;
  double join_cost_;
};

}  // namespace neardup::inline v0::detail
