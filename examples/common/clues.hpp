// Where a clue, a sentence or two, stands in a text: for whoever finds documents by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "passages.hpp"

namespace common {

/// So many of the documents with the largest shares of a clue are ranked by the longest common run, too: these are read.
inline constexpr std::size_t ranked_by_run = 100;

/// The longest run of words that a clue and a text have in common, whatever their case.
class common_run {
 public:
  explicit common_run(std::string_view clue);

  /// Complexity: O(n + m), and one step for each two equal words.
  [[nodiscard]] std::size_t in(std::string_view text) const;

  /// A word of a text.
  struct placed_word {
    std::uint64_t hash;
    std::size_t begin, end;
    std::size_t run;  ///< the words of the longest common run that ends with it
  };
  /// Complexity: as above.
  [[nodiscard]] std::vector<placed_word> words_of(std::string_view text) const;

 private:
  template <class Visit>
  void for_each_word(std::string_view text, const Visit& visit) const;

  std::unordered_map<std::uint64_t, std::vector<std::size_t>> places_;  // of each word, from 1
  std::size_t size_ = 0;
};

/// Where most of a clue stands. Of all windows of a text with as many words as the clue and a quarter more, rounded down,
/// it is the one that has the most of the clue's distinct pairs of neighbouring words; of equal ones that with the longest
/// run of words in common with the clue, then the first. The passage is this window without the words at its ends that add
/// no such pair, but for those of the run. Where no pair stands, single words take their place.
class clue_passages {
 public:
  explicit clue_passages(std::string_view clue);

  struct place {
    std::size_t text;  ///< which one of several
    passage where;
  };
  /// Nothing if no word of the clue is there. Of several texts one more pair, then a longer run, then the first decides.
  /// Complexity: linear in the texts, beside that of common_run.
  [[nodiscard]] std::optional<place> in(const std::vector<std::string_view>& texts) const;

 private:
  using numbers = std::unordered_map<std::uint64_t, std::size_t>;  // of features, from 0 on
  /// Words one by one, or two by two: feature i of a text begins with its word i.
  struct feature_kind {
    std::size_t words;
    numbers wanted;
  };
  struct window {
    std::size_t common = 0, run = 0;
    std::size_t begin = 0, end = 0;  // features
  };
  using placed_words = std::vector<common_run::placed_word>;

  /// Which feature begins with word i.
  [[nodiscard]] static std::uint64_t feature_at(const placed_words& words, std::size_t i, std::size_t at_a_time);
  /// The numbers of a text's features; of those that are not wanted the largest number there is.
  [[nodiscard]] static std::vector<std::size_t> features_of(const placed_words& words, const feature_kind& kind);
  [[nodiscard]] window best_window(const placed_words& words, const std::vector<std::size_t>& features,
                                   const feature_kind& kind) const;
  [[nodiscard]] static passage shortened(window best, const placed_words& words,
                                         const std::vector<std::size_t>& features, const feature_kind& kind);

  common_run run_;
  std::vector<feature_kind> kinds_;
  std::size_t longest_;  // words of a passage
};

}  // namespace common
