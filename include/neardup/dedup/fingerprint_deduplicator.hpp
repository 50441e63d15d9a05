// SPDX-License-Identifier: MIT
// fingerprint_deduplicator: a deduplicator that compares fingerprints, and then calls a check if there is one.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "../error.hpp"
#include "../index/layout.hpp"
#include "../index/recall.hpp"
#include "../simhash.hpp"
#include "../threshold.hpp"
#include "checks.hpp"
#include "deduplicator.hpp"
#include "describer.hpp"
#include "engine/fingerprint_candidates.hpp"

namespace neardup::inline v0 {

/// Options of a fingerprint_deduplicator.
struct fingerprint_dedup_options {
  /// The distance within which two fingerprints are candidates, if a Jaccard similarity decides. If you set no value,
  /// the distance is computed by distance_for(): the smallest distance at which fingerprints find the share `recall` of
  /// all pairs that reach the similarity. Do not set this member if the threshold is a distance (bits).
  std::optional<bits> distance = std::nullopt;
  std::optional<double> recall = std::nullopt;  ///< the least recall; see `distance`; by default default_recall()
  /// A text with fewer distinct tokens is short. Close fingerprints alone do not make short texts duplicates. Without a
  /// check, two short texts are duplicates only if they have the same tokens.
  std::size_t min_tokens = default_min_tokens;
  /// A factor for the estimated cost of a join. A batch is joined with the kept documents if the join is estimated to
  /// cost less than a search for each document. With the factor 0 every batch is joined, with infinity no batch. The
  /// factor changes speed and memory, never verdicts.
  double join_cost = 1;
};

namespace detail {

template <class T, class Id>
concept duplicate_check = std::copy_constructible<T> &&(is_feature_extractor<T> || check_of<T, Id, std::string_view>);

/// Decides whether two documents are duplicates: passes the id of the kept document and the text of the other document
/// to a check.
template <class Check>
class check_judge {
 public:
  explicit check_judge(Check check) : check_(std::move(check)) {}

  template <class Kept, class Description>
  [[nodiscard]] check_result operator()(const Kept& kept, const Description& document,
                                        std::optional<double> /*best*/) const {
    const auto result = check_(kept.id, document.text);
    static_assert(std::is_same_v<decltype(result), const bool> || std::is_same_v<decltype(result), const check_result>,
                  "neardup: a check that returns numbers says how much is enough: write at_least{0.8, check}");
    return result_of_check(result, default_similarity);
  }

  /// Returns the least number that the check accepts. Returns default_similarity if the check returns no numbers.
  [[nodiscard]] double similarity() const noexcept {
    if constexpr (requires { check_.least(); }) {
      return check_.least();
    } else {
      return default_similarity;
    }
  }
  /// Returns nullopt, because the check may accept pairs of any Jaccard similarity. See `least` of decider::keep_batch.
  [[nodiscard]] static std::optional<double> least_jaccard() noexcept { return std::nullopt; }

 private:
  Check check_;
};

template <class Hasher, class Check, class Id>
struct fingerprint_parts {
  static constexpr bool checks_features = is_feature_extractor<Check>;
  using describer_type = describer<Hasher, std::conditional_t<checks_features, Check, no_check>>;
  using judge_type = std::conditional_t<checks_features, set_judge, check_judge<Check>>;
  using source_type = fingerprint_candidates<typename Hasher::fingerprint_type>;
  using base = basic_deduplicator<describer_type, judge_type, source_type, Id>;
};

}  // namespace detail

/// Keeps the first of several similar documents, by their fingerprints. basic_deduplicator documents the members.
///
/// - `fingerprint_deduplicator{hash, bits{3}}`: fingerprints alone decide. The closest document is the original.
/// - `fingerprint_deduplicator{hash, jaccard{0.8}, {.recall = 0.99}}`: documents with close fingerprints are
/// candidates. Then the Jaccard similarity of the features decides. The features are those from which the fingerprint
/// is made.
/// - `fingerprint_deduplicator{hash, feature_extractor{…}, jaccard{0.8}}`: the same with other features.
/// - `fingerprint_deduplicator{hash, check, bits{3}}`: documents with close fingerprints are candidates. Then a
/// callable check(id, text) decides. The callable returns a bool, or is at_least{0.8, similarity}.
///
/// `Hasher`: a simhasher, a minwise_hasher, or a class with the same interface. `Check`: a callable `check(id, text)`
/// (see check_of), a feature_extractor, or no_check.
///
/// A text with fewer than `min_tokens` distinct tokens is short. A digest of the set of tokens finds all short texts
/// with the same tokens, whatever their weights. Without a check, only this digest finds short texts. The fingerprints
/// of two such texts may be farther apart than `distance` if a weighter counts tokens. The fingerprints of other
/// duplicates are never farther apart.
///
/// add_batch() either joins a batch with the kept documents, or searches for one document after the other. It chooses
/// the way with the lower estimated cost. A join pays for large batches and large distances. In a join, several threads
/// of the runner `run` call the check at once, for any two texts whose fingerprints are within the distance. If the
/// earlier text is in the batch, the check gets the id under which the text would be kept. A join also takes about 150
/// bytes per kept document.
///
/// Memory: in addition to its entry in the index (see pigeonhole_index), a kept document takes 48 bytes (for
/// fingerprints of 64 bits and ids of 4 bytes), and about 40 bytes for its entry in the map of ids. If the check
/// compares features, a document takes 12 bytes more, and 4.5 bytes per feature. Measured on 113,222 sections of
/// statutes with 59 distinct words on average: 520 bytes per section including the allocator, 225 bytes without a
/// check.
/// Use make_fingerprint_deduplicator to choose a type of ids other than std::uint32_t.
/// Guarantee, thread safety: the same as basic_deduplicator. The check must not change the deduplicator.
template <class Hasher, class Check = no_check, class Id = std::uint32_t>
class fingerprint_deduplicator : public detail::fingerprint_parts<Hasher, Check, Id>::base {
  static_assert(detail::duplicate_check<Check, Id>,
                "neardup: a check is a feature_extractor, a callable check(id, text) that gives a number or a bool, or "
                "no_check");
  using parts = detail::fingerprint_parts<Hasher, Check, Id>;
  using base = typename parts::base;

 public:
  static constexpr bool has_check = !std::is_same_v<Check, no_check>;
  static constexpr bool checks_features = parts::checks_features;

  /// Makes an empty deduplicator that compares fingerprints alone.
  /// Throws: std::invalid_argument if an option is out of range or cannot be combined with the threshold, or if no
  /// index exists for the distance and the number of blocks.
  fingerprint_deduplicator(Hasher hash, bits least,
                           const fingerprint_dedup_options& options = {}) requires std::same_as<Check, no_check>
      : fingerprint_deduplicator(std::move(hash), no_check(), least, options) {}

  /// Makes an empty deduplicator that compares fingerprints, and then the features from which the fingerprints are
  /// made.
  /// Throws: std::invalid_argument if an option is out of range, if no index exists for the distance and the number of
  /// blocks, unless 0 < least.similarity <= 1, or if least.min_common is above 1.
  fingerprint_deduplicator(Hasher hash, jaccard least, const fingerprint_dedup_options& options = {}) requires
      std::same_as<Check, feature_extractor_of<Hasher>>
      : base(typename parts::describer_type(std::move(hash), options.min_tokens), judge_of(least),
             source_of(least, options), false) {}

  /// Makes an empty deduplicator that compares fingerprints, and then other features.
  /// Throws: std::invalid_argument if an option is out of range, if no index exists for the distance and the number of
  /// blocks, unless 0 < least.similarity <= 1, or if least.min_common is above 1.
  fingerprint_deduplicator(Hasher hash, Check check, jaccard least, const fingerprint_dedup_options& options = {})
      : base(describer_of(std::move(hash), std::move(check), options), judge_of(least), source_of(least, options),
             false) {}

  /// Makes an empty deduplicator that compares fingerprints, and then calls a check.
  /// Throws: std::invalid_argument if an option is out of range or cannot be combined with the threshold, or if no
  /// index exists for the distance and the number of blocks.
  fingerprint_deduplicator(Hasher hash, Check check, bits least, const fingerprint_dedup_options& options = {})
      : base(describer_of(std::move(hash), options), judge_of(std::move(check)), source_of(least, options),
             !has_check) {}

  // Thresholds of other measures do not compile.
  template <threshold_of_sets Threshold>
    requires(!std::same_as<Threshold, jaccard>)
  fingerprint_deduplicator(Hasher hash, const Threshold&, const fingerprint_dedup_options& = {})
      : fingerprint_deduplicator(std::move(hash), jaccard{1}) {
    static_assert(sizeof(Threshold) == 0,
                  "neardup: distances of fingerprints follow from a Jaccard similarity alone: write "
                  "fingerprint_deduplicator{hash, jaccard{0.8}}, or deduplicator{cosine{0.8}}, which compares no "
                  "fingerprints");
  }

  /// Returns the largest distance in bits between the fingerprints of a duplicate and its original. Two short texts
  /// with the same tokens (see min_tokens) may be farther apart if a weighter counts tokens.
  [[nodiscard]] int distance() const noexcept { return this->kept().source().distance(); }
  /// Returns the least similarity of duplicates: the least similarity of the features, or the least number that
  /// at_least accepts. Returns default_similarity for other checks.
  [[nodiscard]] double similarity() const noexcept { return this->judge().similarity(); }

 private:
  static typename parts::describer_type describer_of(Hasher hash, Check check,
                                                     const fingerprint_dedup_options& options) {
    static_assert(checks_features,
                  "neardup: a check of yours gets the candidates within a number of bits: write "
                  "fingerprint_deduplicator{hash, check, bits{3}}");
    if constexpr (checks_features) return {std::move(hash), std::move(check), options.min_tokens};
  }
  static typename parts::judge_type judge_of(jaccard least) {
    detail::check_similarity(least.similarity);
    if (least.min_common > 1) {
      detail::fail<std::invalid_argument>("a fingerprint_deduplicator takes no least number of common features");
    }
    if constexpr (checks_features) return detail::set_judge(least);
  }
  static typename parts::describer_type describer_of(Hasher hash, const fingerprint_dedup_options& options) {
    static_assert(!checks_features,
                  "neardup: features are compared by their Jaccard similarity: write fingerprint_deduplicator{hash, "
                  "feature_extractor{tokenizer}, jaccard{0.8}, {.distance = bits{3}}}");
    if constexpr (!checks_features) return {std::move(hash), no_check(), options.min_tokens};
  }
  static typename parts::judge_type judge_of(Check check) {
    if constexpr (!checks_features) return detail::check_judge<Check>(std::move(check));
  }

  static typename parts::source_type source_of(bits within, const fingerprint_dedup_options& options) {
    if (options.distance || options.recall) {
      detail::fail<std::invalid_argument>(
          "a fingerprint_deduplicator with a threshold of bits takes no other distance, "
          "and no recall");
    }
    return source_within(within, options);
  }
  static typename parts::source_type source_of(jaccard least, const fingerprint_dedup_options& options) {
    constexpr auto kind = Hasher::fingerprint_type::kind;
    // An invalid recall is refused even if it would have no effect, so that you notice mistakes.
    const double recall = options.recall.value_or(default_recall(kind));
    detail::check_recall(recall);
    if (options.distance) return source_within(*options.distance, options);
    const int k = distance_for(Hasher::bits, least.similarity, kind, recall);
    return source_within((std::min)(k, static_cast<int>(Hasher::bits) - 1), options);  // the greatest k of an index
  }
  static typename parts::source_type source_within(bits within, const fingerprint_dedup_options& options) {
    if (!(options.join_cost >= 0)) detail::fail<std::invalid_argument>("the join_cost is not a number of at least 0");
    const int blocks = within.blocks == 0 ? default_blocks(Hasher::bits, within.count) : within.blocks;
    return {within.count, blocks, options.join_cost};
  }
};

// A threshold without a hasher does not compile. The message of the compiler says what to write.
template <class Threshold>
  requires(std::same_as<Threshold, bits> || threshold_of_sets<Threshold>)
class fingerprint_deduplicator<Threshold> {
  static_assert(
      sizeof(Threshold) == 0,
      "neardup: a fingerprint_deduplicator needs a hasher: write fingerprint_deduplicator{default_simhasher<>{}, "
      "bits{3}}, or deduplicator{jaccard{0.8}}, which compares no fingerprints");

 public:
  explicit fingerprint_deduplicator(const Threshold& /*least*/) {}
};
template <class Threshold>
  requires(std::same_as<Threshold, bits> || threshold_of_sets<Threshold>)
fingerprint_deduplicator(Threshold)
->fingerprint_deduplicator<Threshold>;
template <class Hasher>
fingerprint_deduplicator(Hasher, bits, fingerprint_dedup_options = {}) -> fingerprint_deduplicator<Hasher>;
template <class Hasher>
fingerprint_deduplicator(Hasher, jaccard, fingerprint_dedup_options = {})
    -> fingerprint_deduplicator<Hasher, feature_extractor_of<Hasher>>;
template <class Hasher, threshold_of_sets Threshold>
fingerprint_deduplicator(Hasher, Threshold, fingerprint_dedup_options = {})
    -> fingerprint_deduplicator<Hasher, feature_extractor_of<Hasher>>;
template <class Hasher, class Check>
fingerprint_deduplicator(Hasher, Check, bits, fingerprint_dedup_options = {})
    -> fingerprint_deduplicator<Hasher, Check>;
template <class Hasher, class Check>
fingerprint_deduplicator(Hasher, Check, jaccard, fingerprint_dedup_options = {})
    -> fingerprint_deduplicator<Hasher, Check>;

/// Makes a fingerprint_deduplicator whose documents have ids of type Id.
/// Example: `auto seen = make_fingerprint_deduplicator<std::string>(simhasher{words{}}, bits{3});`
template <class Id, class Hasher>
[[nodiscard]] fingerprint_deduplicator<Hasher, no_check, Id> make_fingerprint_deduplicator(
    Hasher hash, bits least, const fingerprint_dedup_options& options = {}) {
  return fingerprint_deduplicator<Hasher, no_check, Id>(std::move(hash), least, options);
}
template <class Id, class Hasher>
[[nodiscard]] fingerprint_deduplicator<Hasher, feature_extractor_of<Hasher>, Id> make_fingerprint_deduplicator(
    Hasher hash, jaccard least, const fingerprint_dedup_options& options = {}) {
  return fingerprint_deduplicator<Hasher, feature_extractor_of<Hasher>, Id>(std::move(hash), least, options);
}
template <class Id, class Hasher, detail::duplicate_check<Id> Check, class Threshold>
[[nodiscard]] fingerprint_deduplicator<Hasher, Check, Id> make_fingerprint_deduplicator(
    Hasher hash, Check check, const Threshold& least, const fingerprint_dedup_options& options = {}) {
  return fingerprint_deduplicator<Hasher, Check, Id>(std::move(hash), std::move(check), least, options);
}

namespace detail {

template <class Hasher, class Check, class Id>
inline constexpr bool is_deduplicator<fingerprint_deduplicator<Hasher, Check, Id>> = true;

}  // namespace detail

}  // namespace neardup::inline v0
