// Finds where a clue, a sentence or two, occurs in a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "passages.hpp"

namespace common {

/// The number of documents, with the largest shares of a clue, that are also ranked by the longest common run.
/// Their texts are read for that.
inline constexpr std::size_t ranked_by_run = 100;

/// The longest run of words that a clue and a text have in common, ignoring case. It is read off a suffix automaton of
/// the clue. Source: Blumer et al., The smallest automaton recognizing the subwords of a text, 1985.
class common_run {
 public:
  /// Complexity, memory: O(m) for m words.
  explicit common_run(std::string_view clue);

  /// Returns: the length of the longest common run. Complexity: O(n) for n words, whatever the clue.
  [[nodiscard]] std::size_t in(std::string_view text) const;

  /// A word of a text.
  struct placed_word {
    std::uint64_t hash;
    std::size_t begin, end;
    std::size_t run;  ///< length of the longest common run that ends with this word
  };
  /// All words of the text. Complexity: as for in().
  [[nodiscard]] std::vector<placed_word> words_of(std::string_view text) const;

 private:
  template <class Visit>
  void for_each_word(std::string_view text, const Visit& visit) const;

  /// The runs of the clue that end at the same places in it.
  struct state {
    std::size_t length = 0;   // of the longest of these runs
    std::size_t shorter = 0;  // the state of their longest suffix that ends elsewhere, too
    std::unordered_map<std::uint64_t, std::size_t> next{};  // by the hash of the word that follows
  };

  void add(std::uint64_t word);

  std::vector<state> states_ = std::vector<state>(1);  // the first one has the empty run
  std::size_t whole_ = 0;                              // the state of the clue so far
};

/// Finds the passage of a text that contains most of a clue. Of all windows with as many words as the clue and a
/// quarter more, rounded down, it takes the one with the most of the clue's distinct pairs of neighbouring words; among
/// equals the one with the longest common run, then the first. Words at the ends of the window that add no such pair
/// are cut off, unless they belong to the run. If the text has none of the pairs, single words are used instead.
class clue_passages {
 public:
  explicit clue_passages(std::string_view clue);

  struct place {
    std::size_t text;  ///< index of the text among the texts
    passage where;
  };
  /// The best passage of several texts, or nullopt if they have no word of the clue. The passage with the most pairs is
  /// best; among equals the one with the longest run, then the one of the first text.
  /// Complexity: linear in the texts, plus that of common_run.
  [[nodiscard]] std::optional<place> in(const std::vector<std::string_view>& texts) const;

 private:
  using numbers = std::unordered_map<std::uint64_t, std::size_t>;  // from features to numbers, counted from 0
  /// The kind of features that are compared: single words or pairs. Feature i of a text begins with its word i.
  struct feature_kind {
    std::size_t words;
    numbers wanted;
  };
  struct window {
    std::size_t common = 0, run = 0;
    std::size_t begin = 0, end = 0;  // indexes of features
  };
  using placed_words = std::vector<common_run::placed_word>;

  /// The feature that begins with word i.
  [[nodiscard]] static std::uint64_t feature_at(const placed_words& words, std::size_t i, std::size_t at_a_time);
  /// The numbers of a text's features; the largest size_t for features that are not wanted.
  [[nodiscard]] static std::vector<std::size_t> features_of(const placed_words& words, const feature_kind& kind);
  [[nodiscard]] window best_window(const placed_words& words, const std::vector<std::size_t>& features,
                                   const feature_kind& kind) const;
  [[nodiscard]] static passage shortened(window best, const placed_words& words,
                                         const std::vector<std::size_t>& features, const feature_kind& kind);

  common_run run_;
  std::vector<feature_kind> kinds_;
  std::size_t longest_;  // the most words that a passage has
};

}  // namespace common
