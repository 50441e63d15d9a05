// When an article is a version of a document.
#pragma once

#include <cstddef>
#include <limits>
#include <neardup/storage/composition.hpp>
#include <optional>
#include <string>

#include "../describe/recipe.hpp"

namespace docid {

/// Two texts match if their fingerprints are within `distance` bits and their features have a Jaccard similarity of
/// `similarity`; 0: the fingerprints alone decide.
struct rule {
  int distance;
  double similarity;
};

struct cascade_options {
  std::string recipe = "minwise";
  std::string jieba = "/usr/lib/python3/dist-packages/jieba";  // Debian: python3-jieba
  bool by_url = true;
  bool by_title = true;
  bool by_content = true;
  rule title{3, 0.8};
  rule content{default_distance("minwise"), 0.8};
  /// Whether contents are found by the features that they share, and none of that similarity is missed; otherwise by
  /// fingerprints within that distance. Precondition: content.similarity > 0.
  bool is_exact = true;
  /// A title of fewer distinct tokens says nothing.
  std::size_t title_tokens = 1;
  /// Nor does a title whose articles have contents with a lower similarity of their pairs of words; 0: contents are not
  /// compared. It is what keeps different articles with one title apart (docs/service.md).
  double title_content = 0.4;
  /// At most so many documents are compared with an article at each step, the nearest first. If it is not given: 64, but
  /// where none is to be missed all.
  std::optional<std::size_t> candidates;

  /// Bytes of features of documents that are kept in memory for the check; those of others are read from the store.
  std::size_t feature_memory = std::size_t{1} << 30;

  /// Whether an answer is given when it is decided, and not when it is synced.
  bool answers_early = false;

  /// Whether kept articles are found by a clue; all pairs of words of these are in memory for it.
  bool finds_clues = false;

  [[nodiscard]] std::size_t most_candidates(bool none_is_missed) const {
    return candidates.value_or(none_is_missed ? std::numeric_limits<std::size_t>::max() : 64);
  }

  /// What the pairs of words of two contents must have beside their words.
  [[nodiscard]] double content_pairs() const { return content.similarity / 2; }

  /// What the articles describe: dictionary words, 3 bits, and no check of anything.
  void set_original() {
    recipe = "dictionary";
    title = content = {3, 0};
    title_tokens = 0;
    title_content = 0;
  }
};

/// The settings that must stay the same as long as a store is used, and the definition of its fingerprints.
[[nodiscard]] inline std::string composition_of(const cascade_options& cascade) {
  return "recipe " + cascade.recipe + ", definition " + std::to_string(neardup::fingerprint_definition) +
         ", title-tokens " + std::to_string(cascade.title_tokens) + ", steps " + (cascade.by_title ? "title " : "") +
         (cascade.by_content ? "content" : "");
}

}  // namespace docid
