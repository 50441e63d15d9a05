// The rules by which an article is found to be a version of a document.
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
  /// Whether contents are found by shared features, which misses no content of content.similarity. Otherwise they are
  /// found by fingerprints within content.distance. Precondition: content.similarity > 0.
  bool is_exact = true;
  /// A title of fewer distinct tokens is ignored.
  std::size_t title_tokens = 1;
  /// A title match counts only if the pairs of words of the contents have at least this similarity; 0: contents are not
  /// compared. This keeps different articles with the same title apart (docs/service.md).
  double title_content = 0.4;
  /// At most so many documents are compared with an article at each step, the nearest first. By default 64; all
  /// documents if no similar one may be missed.
  std::optional<std::size_t> candidates;

  /// Bytes of memory for the features of documents that checks need; other features are read from the store.
  std::size_t feature_memory = std::size_t{1} << 30;

  /// Whether an answer is sent as soon as it is decided, before it is synced.
  bool answers_early = false;

  /// Whether kept articles can be found by a clue; needs all their pairs of words in memory.
  bool finds_clues = false;

  [[nodiscard]] std::size_t most_candidates(bool none_is_missed) const {
    return candidates.value_or(none_is_missed ? std::numeric_limits<std::size_t>::max() : 64);
  }

  /// The similarity that the pairs of words of two contents must have, in addition to that of their words.
  [[nodiscard]] double content_pairs() const { return content.similarity / 2; }

  /// The rules as the articles describe them: dictionary words, 3 bits, and no checks.
  void set_original() {
    recipe = "dictionary";
    title = content = {3, 0};
    title_tokens = 0;
    title_content = 0;
  }
};

/// The settings that must not change as long as a store is used, with the definition of its fingerprints.
[[nodiscard]] inline std::string composition_of(const cascade_options& cascade) {
  return "recipe " + cascade.recipe + ", definition " + std::to_string(neardup::fingerprint_definition) +
         ", title-tokens " + std::to_string(cascade.title_tokens) + ", steps " + (cascade.by_title ? "title " : "") +
         (cascade.by_content ? "content" : "");
}

}  // namespace docid
