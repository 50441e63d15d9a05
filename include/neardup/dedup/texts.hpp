// SPDX-License-Identifier: MIT
// Joins and groups of texts by their features. For example, pairs(texts, jaccard{0.8}) compares the default features of
// the texts.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "../detail/compiled.hpp"
#include "../fingerprint/default_features.hpp"
#include "../fingerprint/feature_extractor.hpp"
#include "../runner.hpp"
#include "../sets/engine/common_elements.hpp"
#include "../sets/engine/overlap_bounds.hpp"
#include "../sets/feature_sets.hpp"
#include "../sets/pairs.hpp"
#include "../text/utf8.hpp"
#include "../threshold.hpp"
#include "group_sets.hpp"

namespace neardup::inline v0 {

/// An object that computes the features of a text, such as a feature_extractor. `extract(text, scratch)` returns
/// ascending, distinct features. Several threads may call the object at once, each with its own workspace.
template <class T>
concept extracts_features = requires(const T& extract, typename T::workspace& scratch) {
  { extract(std::string_view(), scratch) } -> std::convertible_to<std::span<const typename T::feature_type>>;
};

namespace detail {

/// The features of many texts. Set i has the features of texts[i]. The class is a set_range.
template <class Feature>
class sets_of_texts {
 public:
  template <class Extractor, class Texts>
  sets_of_texts(const Extractor& extract, const Texts& texts, const any_runner& run) : size_(texts.size()) {
    const std::size_t parts = parts_for(run, size_, step);
    std::vector<typename Extractor::workspace> scratch(parts);
    pieces_.resize((size_ + step - 1) / step);
    in_steps(run, parts, size_, step, [&](std::size_t part, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) pieces_[i / step].add(extract(texts[i], scratch[part]));
      return true;
    });
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const Feature> operator[](std::size_t i) const { return pieces_[i / step][i % step]; }

 private:
  static constexpr std::size_t step = 64;  // number of texts that one thread reads at a time

  std::size_t size_;
  std::vector<feature_sets<Feature>> pieces_;
};

/// Computes the features of many texts.
/// Throws: std::invalid_argument, before it reads a text, unless 0 < least.similarity <= 1.
template <class Extractor, class Texts>
[[nodiscard]] sets_of_texts<typename Extractor::feature_type> features_of(const Extractor& extract, const Texts& texts,
                                                                          const set_threshold& least,
                                                                          const any_runner& run) {
  check_threshold(least);
  return {extract, texts, run};
}

}  // namespace detail

/// Compares two texts by their features. `extract` computes the features of each text.
/// `least`: jaccard{0.8}, cosine{0.8}, containment{0.8}, or a set_threshold.
/// Returns: true if the two feature sets are similar enough. The result is false if a text has no features, even if the
/// texts are equal.
/// Throws: std::invalid_argument unless 0 < similarity <= 1; std::bad_alloc.
template <threshold_of_sets Threshold, extracts_features Extractor>
[[nodiscard]] bool near_duplicates(std::string_view a, std::string_view b, const Threshold& least,
                                   const Extractor& extract) {
  const detail::overlap_bounds bounds{set_threshold(least)};
  typename Extractor::workspace of_a, of_b;
  const std::span<const typename Extractor::feature_type> x = extract(a, of_a), y = extract(b, of_b);
  return bounds.common_if_similar(x, y) > 0;
}

/// Compares two texts by their default features: distinct pairs of words.
/// Returns: true if the two feature sets are similar enough. The result is false if a text has no features.
/// Throws: std::invalid_argument unless 0 < similarity <= 1; std::bad_alloc.
/// Example: `if (near_duplicates(a, b, jaccard{0.8})) …`
template <threshold_of_sets Threshold>
[[nodiscard]] bool near_duplicates(std::string_view a, std::string_view b, const Threshold& least) {
  return near_duplicates(a, b, least, default_features<>());
}

// ---- Joins ----------------------------------------------------------------------------------------------------------

/// Calls `visit(pair)` for each pair of texts whose features have at least the similarity `least`. `extract` computes
/// the features, and visit_pairs() of sets compares them. The threads of `options.run` read each text once.
/// Throws: the exceptions of visit_pairs of sets, and of `extract`.
/// Complexity: linear in the size of the texts, and the complexity of visit_pairs of sets.
/// Memory: the memory of visit_pairs of sets, and sizeof(feature) bytes per feature.
template <text_range Texts, threshold_of_sets Threshold, extracts_features Extractor, class Visit>
  requires(std::invocable<Visit&, const similar_pair<std::size_t>&>)
void visit_pairs(const Texts& texts, const Threshold& least, const Extractor& extract, Visit&& visit,
                 const join_options& options = {}) {
  visit_pairs(detail::features_of(extract, texts, least, options.run), set_threshold(least), visit, options);
}

/// Calls `visit(pair)` for each text of `a` and each text of `b` whose features have at least the similarity `least`.
/// Throws, complexity, memory: the same as visit_pairs() of one corpus.
template <text_range A, text_range B, threshold_of_sets Threshold, extracts_features Extractor, class Visit>
  requires(std::invocable<Visit&, const similar_pair<std::size_t>&>)
void visit_pairs(const A& a, const B& b, const Threshold& least, const Extractor& extract, Visit&& visit,
                 const join_options& options = {}) {
  visit_pairs(detail::features_of(extract, a, least, options.run), detail::features_of(extract, b, least, options.run),
              set_threshold(least), visit, options);
}

/// Calls `visit(pair)` for each pair of texts whose default features, distinct pairs of words, have at least the
/// similarity `least`.
template <text_range Texts, threshold_of_sets Threshold, class Visit>
  requires(std::invocable<Visit&, const similar_pair<std::size_t>&>)
void visit_pairs(const Texts& texts, const Threshold& least, Visit&& visit, const join_options& options = {}) {
  visit_pairs(texts, least, default_features<>(), visit, options);
}

/// Calls `visit(pair)` for each text of `a` and each text of `b` whose default features have at least the similarity
/// `least`.
template <text_range A, text_range B, threshold_of_sets Threshold, class Visit>
  requires(std::invocable<Visit&, const similar_pair<std::size_t>&>)
void visit_pairs(const A& a, const B& b, const Threshold& least, Visit&& visit, const join_options& options = {}) {
  visit_pairs(a, b, least, default_features<>(), visit, options);
}

/// Returns the pairs of texts whose features have at least the similarity `least`, by their positions, sorted by
/// (first, second). `extract` computes the features.
/// `least`: jaccard{0.8}, cosine{0.8}, containment{0.8}, or a set_threshold. For edit{0.8} include
/// neardup/edits/pairs.hpp.
/// Throws, complexity, memory: the same as visit_pairs of texts, and pairs of sets.
/// Example: `pairs(texts, jaccard{0.8}, feature_extractor{normalised{code_point_ngrams{5}}}, {.run = threads{8}})`
template <std::integral Index = std::uint32_t, text_range Texts, threshold_of_sets Threshold,
          extracts_features Extractor>
[[nodiscard]] std::vector<similar_pair<Index>> pairs(const Texts& texts, const Threshold& least,
                                                     const Extractor& extract, const join_options& options = {}) {
  return pairs<Index>(detail::features_of(extract, texts, least, options.run), set_threshold(least), options);
}

/// Returns the pairs of similar texts, one of `a` and one of `b`, by their positions, sorted by (first, second).
/// Throws, complexity, memory: the same as pairs() of one corpus.
template <std::integral Index = std::uint32_t, text_range A, text_range B, threshold_of_sets Threshold,
          extracts_features Extractor>
[[nodiscard]] std::vector<similar_pair<Index>> pairs(const A& a, const B& b, const Threshold& least,
                                                     const Extractor& extract, const join_options& options = {}) {
  return pairs<Index>(detail::features_of(extract, a, least, options.run),
                      detail::features_of(extract, b, least, options.run), set_threshold(least), options);
}

/// Returns the pairs of texts whose default features, distinct pairs of words, have at least the similarity `least`.
/// Example: `for (const auto& [i, j, common, similarity] : pairs(texts, jaccard{0.8})) …`
template <std::integral Index = std::uint32_t, text_range Texts, threshold_of_sets Threshold>
[[nodiscard]] std::vector<similar_pair<Index>> pairs(const Texts& texts, const Threshold& least,
                                                     const join_options& options = {}) {
  return pairs<Index>(texts, least, default_features<>(), options);
}

/// Returns the pairs of similar texts, one of `a` and one of `b`. The default features of the texts are compared.
template <std::integral Index = std::uint32_t, text_range A, text_range B, threshold_of_sets Threshold>
[[nodiscard]] std::vector<similar_pair<Index>> pairs(const A& a, const B& b, const Threshold& least,
                                                     const join_options& options = {}) {
  return pairs<Index>(a, b, least, default_features<>(), options);
}

// ---- Groups ---------------------------------------------------------------------------------------------------------

/// Groups texts whose features have at least the similarity `least`. `extract` computes the features, and group() of
/// sets groups them. A text without features is alone in its group.
/// `least`: jaccard{0.8}, cosine{0.8}, containment{0.8}, or a set_threshold. For edit{0.8} include
/// neardup/dedup/group_texts.hpp.
/// Returns: one label per text, the position of the representative of its group.
/// Throws: the exceptions of group() of sets, and of `extract`.
/// Complexity, memory: the same as group() of sets, and linear in the size of the texts; sizeof(feature) bytes per
/// feature.
template <std::integral Index = std::uint32_t, text_range Texts, threshold_of_sets Threshold,
          extracts_features Extractor>
[[nodiscard]] std::vector<Index> group(const Texts& texts, const Threshold& least, const Extractor& extract,
                                       const group_options& options = {}) {
  return group<Index>(detail::features_of(extract, texts, least, options.run), set_threshold(least), options);
}

/// Groups texts whose default features, distinct pairs of words, have at least the similarity `least`.
/// Returns: one label per text, the position of the representative of its group.
/// Example: `auto label = group(texts, jaccard{0.8});  // label[i] == i: text i is kept`
template <std::integral Index = std::uint32_t, text_range Texts, threshold_of_sets Threshold>
[[nodiscard]] std::vector<Index> group(const Texts& texts, const Threshold& least, const group_options& options = {}) {
  return group<Index>(texts, least, default_features<>(), options);
}

// A tokenizer in the place of an extractor does not compile. The message of the compiler says what to write.
template <std::integral Index = std::uint32_t, text_range Texts, threshold_of_sets Threshold, class Other>
  requires(!extracts_features<Other> && !runner<Other> && !std::convertible_to<const Other&, group_options>)
std::vector<Index> group(const Texts& /*texts*/, const Threshold& /*least*/, const Other& /*extract*/,
                         const group_options& /*options*/ = {}) {
  static_assert(
      sizeof(Other) == 0,
      "neardup: group compares the features of texts: write group(texts, jaccard{0.8}, feature_extractor{tokenizer})");
  return {};
}

/// Groups further texts around the representatives of earlier calls. `extract` computes the features, and
/// extend_groups() of sets groups them.
/// Returns: the labels of extend_groups() of sets.
/// Throws, complexity, memory: the same as group() of the representatives and the texts.
template <std::integral Index = std::uint32_t, text_range Kept, text_range Texts, threshold_of_sets Threshold,
          extracts_features Extractor>
[[nodiscard]] std::vector<Index> extend_groups(const Kept& representatives, const Texts& texts, const Threshold& least,
                                               const Extractor& extract, const group_options& options = {}) {
  return extend_groups<Index>(detail::features_of(extract, representatives, least, options.run),
                              detail::features_of(extract, texts, least, options.run), set_threshold(least), options);
}

/// Groups further texts around the representatives of earlier calls, by their default features.
/// Returns: the labels of extend_groups() of sets.
template <std::integral Index = std::uint32_t, text_range Kept, text_range Texts, threshold_of_sets Threshold>
[[nodiscard]] std::vector<Index> extend_groups(const Kept& representatives, const Texts& texts, const Threshold& least,
                                               const group_options& options = {}) {
  return extend_groups<Index>(representatives, texts, least, default_features<>(), options);
}

#if defined(NEARDUP_COMPILED)
NEARDUP_DEDUP_TEMPLATE void default_features<>::compute(std::string_view, state&) const;
#endif

}  // namespace neardup::inline v0
