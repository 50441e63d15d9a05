// SPDX-License-Identifier: MIT
// Thresholds. Each names its measure: bits of fingerprints; jaccard, cosine and containment of sets; edit of texts.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <type_traits>

#include "error.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Throws std::invalid_argument with a message that names the similarity.
[[noreturn]] inline void fail_similarity(double similarity) {
  fail<std::invalid_argument>({"a least similarity is above 0 and at most 1, not ", similarity});
}

/// Checks a similarity.
/// Throws: std::invalid_argument unless 0 < similarity <= 1.
inline void check_similarity(double similarity) {
  if (!(similarity > 0 && similarity <= 1)) fail_similarity(similarity);
}

}  // namespace detail

struct jaccard;
struct cosine;
struct containment;
struct set_threshold;
struct edit;

/// A threshold of sets: jaccard, cosine, containment, or a set_threshold.
template <class T>
concept threshold_of_sets = std::same_as<T, jaccard> || std::same_as<T, cosine> || std::same_as<T, containment> ||
    std::same_as<T, set_threshold>;

/// A distance of fingerprints: two fingerprints match if they differ in at most `count` bits.
/// Example: `pairs(fingerprints, bits{3})`
struct bits {
  int count;

  /// The number of blocks into which a join cuts each fingerprint, as in pigeonhole_index. With 0 the join chooses it
  /// from the number of fingerprints and a sample of them. It does not change a result. Indexes ignore it, because an
  /// index has its own number of blocks.
  int blocks = 0;

  /// Makes a distance of `k` bits. The functions that compare fingerprints check that `k` is in 0..Bits.
  /// Throws: std::invalid_argument if int cannot hold `k`.
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  constexpr bits(Number k)  // NOLINT(google-explicit-constructor): the k of a search may be a number.
      : count(static_cast<int>(k)) {
    if (static_cast<Number>(count) != k || (count < 0) != (k < Number{})) {
      detail::fail<std::invalid_argument>("a distance of more bits than an int can count");
    }
  }

  // Similarities do not compile. The message says what to write.
  template <class Other>
    requires(std::floating_point<Other> || std::same_as<Other, bool> || threshold_of_sets<Other> ||
             std::same_as<Other, edit>)
  constexpr bits(const Other& /*similarity*/) : count(0) {  // NOLINT(google-explicit-constructor)
    static_assert(
        sizeof(Other) == 0,
        "neardup: fingerprints are compared by a whole number of bits: write bits{3}. A similarity is of sets, "
        "texts, or a fingerprint_deduplicator, and names its measure: jaccard{0.8}");
  }

  /// Returns the same distance with `number` blocks.
  [[nodiscard]] constexpr bits in_blocks(int number) const noexcept {
    bits result(*this);
    result.blocks = number;
    return result;
  }

  friend constexpr bool operator==(const bits&, const bits&) = default;
};

/// The measure of similarity of two sets.
enum class set_similarity {
  /// Overlap / number of distinct elements of both sets. See jaccard_similarity().
  jaccard,
  /// Overlap / square root of the product of the sizes. This is weighted_cosine() with equal weights.
  cosine,
  /// Overlap / size of the smaller set. It is 1 for a paragraph and the page that contains it.
  containment,
};

/// The default of the least overlap for containment. A text that shares fewer features with another text does not count
/// as contained: three common words, for instance, mean nothing. docs/decisions/0034-exact-set-joins.md has the
/// measurements.
inline constexpr std::size_t default_min_contained = 8;

/// The least similarity of two sets, with its measure. Use this type to choose the measure at run time. Otherwise write
/// jaccard{…}, cosine{…} or containment{…}, which convert to it.
///
/// Functions that take a threshold throw std::invalid_argument unless 0 < similarity <= 1, and the measure is one of these.
struct set_threshold {
  set_similarity measure = set_similarity::jaccard;
  double similarity = 0;

  /// The least overlap of two similar sets, however similar they are. 0 means the default: default_min_contained for
  /// containment, otherwise 1.
  std::size_t min_common = 0;

  constexpr set_threshold() = default;
  constexpr set_threshold(set_similarity by, double least, std::size_t common = 0) noexcept
      : measure(by), similarity(least), min_common(common) {}

  // A number, and a threshold of something else, do not compile. The message says what to write.
  template <class Other>
    requires(std::is_arithmetic_v<Other> || std::same_as<Other, bits> || std::same_as<Other, edit>)
  constexpr set_threshold(const Other& /*least*/) {  // NOLINT(google-explicit-constructor)
    static_assert(sizeof(Other) == 0,
                  "neardup: sets are compared by a measure: write jaccard{0.8}, cosine{0.8} or containment{0.8}, as in "
                  "pairs(sets, jaccard{0.8}), or a set_threshold");
  }

  friend constexpr bool operator==(const set_threshold&, const set_threshold&) = default;
};

/// A least Jaccard similarity of two sets.
/// Example: `pairs(sets, jaccard{0.8})`
struct jaccard {
  double similarity;
  std::size_t min_common = 0;  ///< as in set_threshold

  constexpr operator set_threshold() const noexcept {  // NOLINT(google-explicit-constructor)
    return {set_similarity::jaccard, similarity, min_common};
  }
};

/// A least cosine similarity of two sets whose elements have equal weights.
/// Example: `group(sets, cosine{0.8})`
struct cosine {
  double similarity;
  std::size_t min_common = 0;  ///< as in set_threshold

  constexpr operator set_threshold() const noexcept {  // NOLINT(google-explicit-constructor)
    return {set_similarity::cosine, similarity, min_common};
  }
};

/// A least containment of the smaller of two sets in the larger one.
/// Example: `pairs(sets, containment{.similarity = 0.8, .min_common = 8})`
struct containment {
  double similarity;
  std::size_t min_common = default_min_contained;  ///< as in set_threshold

  constexpr operator set_threshold() const noexcept {  // NOLINT(google-explicit-constructor)
    return {set_similarity::containment, similarity, min_common};
  }
};

namespace detail {

/// Throws: std::invalid_argument unless the measure is one of set_similarity, and 0 < similarity <= 1.
inline void check_threshold(const set_threshold& least) {
  if (least.measure < set_similarity::jaccard || least.measure > set_similarity::containment) {
    fail<std::invalid_argument>({"a set_threshold of the measure ", static_cast<int>(least.measure),
                                 ": set_similarity has 0 (jaccard), 1 (cosine) and 2 (containment)"});
  }
  check_similarity(least.similarity);
}

}  // namespace detail

/// The progress of a join or a grouping of texts by their edit similarity.
struct edit_progress {
  std::size_t done;  ///< texts that are done; equal texts may count as one
  std::size_t all;   ///< the final value of `done`
  bool meets_all;    ///< true if no q-grams are used: time is then quadratic in the number of texts
};

/// A least edit_similarity of two texts.
/// Example: `pairs(texts, edit{0.8})`
struct edit {
  double similarity;

  /// Called before the first text, and then from time to time, also within a long comparison. Any thread may call it,
  /// but calls never overlap. An exception ends the join or grouping.
  std::function<void(const edit_progress&)> progress = nullptr;
};

namespace detail {

/// Returns the distance of a threshold. Does not compile for thresholds of sets or texts.
template <class Threshold>
[[nodiscard]] bits bits_of(const Threshold& threshold) {
  static_assert(std::same_as<Threshold, bits>,
                "neardup: fingerprints are compared by a number of bits: write bits{3}, as in pairs(fingerprints, "
                "bits{3})");
  if constexpr (std::same_as<Threshold, bits>) {
    return threshold;
  } else {
    return 0;
  }
}

/// Returns the threshold as a set_threshold. Does not compile for thresholds of fingerprints or texts.
template <class Threshold>
[[nodiscard]] set_threshold set_threshold_of(const Threshold& threshold) {
  static_assert(threshold_of_sets<Threshold>,
                "neardup: sets are compared by a measure: write jaccard{0.8}, cosine{0.8} or containment{0.8}, as in "
                "pairs(sets, jaccard{0.8}), or a set_threshold");
  if constexpr (threshold_of_sets<Threshold>) {
    return threshold;
  } else {
    return {};
  }
}

/// Returns the threshold. Does not compile for thresholds of fingerprints or sets.
template <class Threshold>
[[nodiscard]] const edit& edit_of(const Threshold& threshold) {
  static_assert(std::same_as<Threshold, edit>,
                "neardup: texts are compared by their features or by edits: write jaccard{0.8}, as in pairs(texts, "
                "jaccard{0.8}) or group(texts, jaccard{0.8}) (include neardup/dedup.hpp), or edit{0.8}. bits{3} is for "
                "fingerprints, which fingerprint_all makes of texts");
  if constexpr (std::same_as<Threshold, edit>) {
    return threshold;
  } else {
    static const edit none{};
    return none;
  }
}

}  // namespace detail

}  // namespace neardup::inline v0
