// The rules that decide whether an article is a version of a document.
#pragma once

#include <cstddef>
#include <limits>
#include <neardup/storage/composition_of.hpp>
#include <optional>
#include <string>

#include "../describe/recipe.hpp"

namespace docid {

/// Two texts match if their fingerprints are within `distance` bits and their features have a Jaccard similarity of at
/// least `similarity`. If `similarity` is 0, fingerprints alone decide.
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
  /// If true, contents are found by shared features, and none with at least content.similarity is missed. If false,
  /// contents are found by fingerprints within content.distance.
  /// Precondition: content.similarity > 0.
  bool is_exact = true;
  /// The least number of distinct tokens of a title. Titles with fewer tokens are ignored.
  std::size_t title_tokens = 1;
  /// The least similarity of the pairs of words of two contents whose titles match. If it is 0, the contents of
  /// matching titles are not compared. The limit keeps different articles with the same title apart (docs/service.md).
  double title_content = 0.4;
  /// The most documents that are compared with an article at each step, the nearest first. nullopt means no limit at a
  /// step that must not miss a similar document, and 64 at any other step.
  std::optional<std::size_t> candidates;

  /// Bytes of memory for the features that checks need. Other features are read from the store.
  std::size_t feature_memory = std::size_t{1} << 30;

  /// True if an answer is sent as soon as it is decided, before it is synced.
  bool answers_early = false;

  /// True if kept articles can be found by a clue. This takes memory for the pairs of words of all kept articles.
  bool finds_clues = false;

  [[nodiscard]] std::size_t most_candidates(bool none_is_missed) const {
    return candidates.value_or(none_is_missed ? std::numeric_limits<std::size_t>::max() : 64);
  }

  /// Returns the least similarity of the pairs of words of two matching contents. Their features must be similar, too.
  [[nodiscard]] double content_pairs() const { return content.similarity / 2; }

  /// Sets the rules of the cascade as it was first published: dictionary words, 3 bits, and no checks.
  void set_original() {
    recipe = "dictionary";
    title = content = {3, 0};
    title_tokens = 0;
    title_content = 0;
  }
};

/// Returns the settings that must not change while a store is in use, and the definition of its fingerprints.
[[nodiscard]] inline std::string composition_of(const cascade_options& cascade) {
  return "recipe " + cascade.recipe + ", definition " + std::to_string(neardup::fingerprint_definition) +
         ", title-tokens " + std::to_string(cascade.title_tokens) + ", steps " + (cascade.by_title ? "title " : "") +
         (cascade.by_content ? "content" : "");
}

}  // namespace docid
