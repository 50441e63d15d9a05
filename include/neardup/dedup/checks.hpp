// What a deduplicator checks its candidates by.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../error.hpp"
#include "../fingerprint/feature_extractor.hpp"
#include "feature_sets.hpp"
#include "similarity.hpp"

namespace neardup::inline v0 {

/// The check of a deduplicator that goes by the distance of fingerprints alone.
struct no_check {};

namespace detail {

template <class T>
inline constexpr bool is_feature_extractor = false;
template <class Tokenizer, class Hasher, class Feature>
inline constexpr bool is_feature_extractor<feature_extractor<Tokenizer, Hasher, Feature>> = true;

template <class T, class Id>
concept similarity_callable = requires(const T& check, const Id& id, std::string_view text) {
  { check(id, text) } -> std::convertible_to<double>;
};

}  // namespace detail

/// What can check the candidates of a deduplicator:
/// - a feature_extractor: the Jaccard similarity of its features, which are kept;
/// - a callable `check(id, text)`, const: the similarity of the kept document of this id and a text, as a number that
///   is not NaN; it finds the document itself;
/// - no_check.
template <class T, class Id>
concept duplicate_check = std::copy_constructible<T> &&
    (std::same_as<T, no_check> || detail::is_feature_extractor<T> || detail::similarity_callable<T, Id>);

namespace detail {

/// The number of a kept document; numbers of erased ones are used again.
using document_slot = std::uint32_t;

/// A check together with what it keeps of documents. First the one that keeps nothing: a callable of the user's.
template <class Check>
class checker {
 public:
  struct workspace {};

  explicit checker(Check check) : check_(std::move(check)) {}

  static void check_threshold(double threshold) {
    if (std::isnan(threshold)) fail<std::invalid_argument>("the least similarity of duplicates is not a number");
  }
  void prepare(std::string_view /*text*/, workspace& /*scratch*/) const noexcept {}

  /// The similarity of a kept document to the text that was prepared, if it is at least `threshold`.
  template <class Id>
  [[nodiscard]] std::optional<double> compare(document_slot /*slot*/, const Id& id, std::string_view text,
                                              const workspace& /*scratch*/, double threshold) const {
    const auto similarity = static_cast<double>(check_(id, text));
    if (std::isnan(similarity)) fail<std::invalid_argument>("the check of a duplicate gave a similarity that is NaN");
    return similarity >= threshold ? std::optional(similarity) : std::nullopt;
  }
  void keep(document_slot /*slot*/, const workspace& /*scratch*/) const noexcept {}
  void drop(document_slot /*slot*/) const noexcept {}
  [[nodiscard]] std::size_t memory_usage() const noexcept { return 0; }

 private:
  Check check_;
};

/// Keeps the features of each document.
template <class Check>
  requires is_feature_extractor<Check>
class checker<Check> {
 public:
  using feature_type = typename Check::feature_type;

  struct workspace {
    typename Check::workspace memory;
    std::span<const feature_type> features;  // of the text that was prepared
  };

  explicit checker(Check check) : features_of_(std::move(check)) {}

  static void check_threshold(double threshold) {
    if (!(threshold > 0 && threshold <= 1)) {
      fail<std::invalid_argument>("the least Jaccard similarity of duplicates is above 0 and at most 1");
    }
  }
  void prepare(std::string_view text, workspace& scratch) const {
    scratch.features = features_of_(text, scratch.memory);
  }

  template <class Id>
  [[nodiscard]] std::optional<double> compare(document_slot slot, const Id& /*id*/, std::string_view /*text*/,
                                              const workspace& scratch, double threshold) const {
    return jaccard_at_least(sets_[set_of_[slot]], scratch.features, threshold);
  }

  /// Keeps the features of the text that was prepared. Guarantee: what throws changes nothing.
  void keep(document_slot slot, const workspace& scratch) {
    if (dropped_sets_ > sets_.size() / 2 || dropped_features_ > sets_.feature_count() / 2) compact();
    if (slot >= set_of_.size()) set_of_.resize(std::size_t{slot} + 1, none);
    set_of_[slot] = sets_.add(scratch.features);
  }

  /// Forgets the features of a document; their memory is used again at some later keep().
  void drop(document_slot slot) noexcept {
    dropped_features_ += sets_[set_of_[slot]].size();
    ++dropped_sets_;
    set_of_[slot] = none;
  }

  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return sets_.memory_usage() + set_of_.capacity() * sizeof(std::size_t);
  }

 private:
  static constexpr std::size_t none = (std::numeric_limits<std::size_t>::max)();

  void compact() {
    feature_sets<feature_type> kept;
    kept.reserve(sets_.size() - dropped_sets_, sets_.feature_count() - dropped_features_);
    // Everything has its room, so from here on nothing throws.
    for (std::size_t& set : set_of_) {
      if (set != none) set = kept.add(sets_[set]);
    }
    sets_.swap(kept);
    dropped_sets_ = 0;
    dropped_features_ = 0;
  }

  Check features_of_;
  feature_sets<feature_type> sets_;
  std::vector<std::size_t> set_of_;  // by slot
  std::size_t dropped_sets_ = 0;
  std::size_t dropped_features_ = 0;
};

}  // namespace detail

}  // namespace neardup::inline v0
