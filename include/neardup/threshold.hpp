// SPDX-License-Identifier: MIT
// Thresholds. Each type of threshold names its measure: bits for fingerprints; jaccard, cosine and containment for
// sets; edit for texts.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <type_traits>

#include "error.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Throws std::invalid_argument. The message contains the similarity.
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

/// A threshold of fingerprints. Two fingerprints match if they differ in at most `count` bits.
/// Example: `pairs(fingerprints, bits{3})`
struct bits {
  int count;

  /// The number of blocks into which a join cuts each fingerprint; see pigeonhole_index. If `blocks` is 0, the join
  /// chooses the number of blocks, from the number of fingerprints and a sample of fingerprints. `blocks` does not
  /// change a result. Searches of an index ignore `blocks`, because an index has its own number of blocks.
  int blocks = 0;

  /// Makes a threshold of `k` bits. The functions that compare fingerprints check that `k` is in 0..Bits.
  /// Throws: std::invalid_argument if int cannot represent `k`.
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  constexpr bits(Number k)  // NOLINT(google-explicit-constructor): the k of a search may be a number.
      : count(static_cast<int>(k)) {
    if (static_cast<Number>(count) != k || (count < 0) != (k < Number{})) {
      detail::fail<std::invalid_argument>("a distance of more bits than an int can count");
    }
  }

  // A similarity does not compile here. The message of the compiler says what to write.
  template <class Other>
    requires(std::floating_point<Other> || std::same_as<Other, bool> || threshold_of_sets<Other> ||
             std::same_as<Other, edit>)
  constexpr bits(const Other& /*similarity*/) : count(0) {  // NOLINT(google-explicit-constructor)
    static_assert(sizeof(Other) == 0,
                  "neardup: fingerprints are compared by a whole number of bits: write bits{3} for copies, and "
                  "bits{distance_for(64, 0.8)} for a similarity of 0.8, and verify the matches. A similarity is of "
                  "sets, texts, or a fingerprint_deduplicator, and names its measure: jaccard{0.8}");
  }

  /// Returns the same threshold with `number` blocks.
  [[nodiscard]] constexpr bits in_blocks(int number) const noexcept {
    bits result(*this);
    result.blocks = number;
    return result;
  }

  friend constexpr bool operator==(const bits&, const bits&) = default;
};

/// The measures of the similarity of two sets.
enum class set_similarity {
  /// The overlap, divided by the number of distinct elements of the two sets. See jaccard_similarity().
  jaccard,
  /// The overlap, divided by the square root of the product of the two sizes. The cosine equals weighted_cosine() with
  /// equal weights.
  cosine,
  /// The overlap, divided by the size of the smaller set. The containment is 1 for a paragraph and the page that
  /// contains the paragraph.
  containment,
};

/// The default of the least overlap for containment. If two texts share fewer features, neither counts as contained in
/// the other: three common words, for example, mean nothing. docs/decisions/0034-exact-set-joins.md has the
/// measurements.
inline constexpr std::size_t default_min_contained = 8;

/// The least similarity of two sets, with its measure. Use this type to choose the measure at run time. If you know the
/// measure, write jaccard{…}, cosine{…} or containment{…}, which convert to this type.
///
/// Functions that take a threshold throw std::invalid_argument unless `measure` is a value of set_similarity and 0 <
/// similarity <= 1.
struct set_threshold {
  set_similarity measure = set_similarity::jaccard;
  double similarity = 0;

  /// The least overlap of two similar sets, whatever their similarity. 0 stands for the default: default_min_contained
  /// for containment, otherwise 1.
  std::size_t min_common = 0;

  constexpr set_threshold() = default;
  constexpr set_threshold(set_similarity by, double least, std::size_t common = 0) noexcept
      : measure(by), similarity(least), min_common(common) {}

  // A number does not compile here, and neither does another kind of threshold. The message of the compiler says what
  // to write.
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

/// A least containment: the share of the smaller set that is in the larger set.
/// Example: `pairs(sets, containment{.similarity = 0.8, .min_common = 8})`
struct containment {
  double similarity;
  std::size_t min_common = default_min_contained;  ///< as in set_threshold

  constexpr operator set_threshold() const noexcept {  // NOLINT(google-explicit-constructor)
    return {set_similarity::containment, similarity, min_common};
  }
};

namespace detail {

/// Checks a threshold of sets.
/// Throws: std::invalid_argument unless the measure is a value of set_similarity and 0 < similarity <= 1.
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

  /// A function that reports the progress. The function is called before the first text, and then from time to time,
  /// also within a long comparison. Any thread may call it, but calls do not overlap. If the function throws, the join
  /// or grouping ends.
  std::function<void(const edit_progress&)> progress = nullptr;
};

namespace detail {

/// Returns the distance of a threshold of fingerprints. Thresholds of sets or texts do not compile.
template <class Threshold>
[[nodiscard]] bits bits_of(const Threshold& threshold) {
  static_assert(
      std::same_as<Threshold, bits>,
      "neardup: fingerprints are compared by a number of bits: write bits{3} for copies, as in pairs(fingerprints, "
      "bits{3}), and bits{distance_for(64, 0.8)} for a similarity of 0.8. Verify these pairs, as in "
      "group(fingerprints, bits{distance_for(64, 0.8)}, at_least{0.8, similarity})");
  if constexpr (std::same_as<Threshold, bits>) {
    return threshold;
  } else {
    return 0;
  }
}

/// Returns a threshold of sets as a set_threshold. Thresholds of fingerprints or texts do not compile.
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

/// Returns a threshold of texts. Thresholds of fingerprints or sets do not compile.
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
