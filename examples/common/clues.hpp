// Finds where a clue occurs in a text. A clue is one or two sentences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "passages.hpp"

namespace common {

/// A search for a clue ranks this many documents also by their longest common run: those with the largest shares of the
/// clue. The search does not read the texts of other documents.
inline constexpr std::size_t ranked_by_run = 100;

/// Finds the longest run of words that a text has in common with a clue, ignoring case, by a suffix automaton.
/// Source: Blumer et al., The smallest automaton recognizing the subwords of a text, 1985.
class common_run {
 public:
  /// Makes the automaton. Complexity, memory: O(m) for m words of the clue.
  explicit common_run(std::string_view clue);

  /// Returns the length of the longest common run. Complexity: O(n) for n words of the text, whatever the clue.
  [[nodiscard]] std::size_t in(std::string_view text) const;

  struct placed_word {
    std::uint64_t hash;
    std::size_t begin, end;
    std::size_t run;  ///< length of the longest common run that ends with this word
  };
  /// Returns all words of the text with their runs. Complexity: the same as in().
  [[nodiscard]] std::vector<placed_word> words_of(std::string_view text) const;

 private:
  template <class Visit>
  void for_each_word(std::string_view text, const Visit& visit) const;

  /// A state of the automaton: all runs of words that end at the same places of the clue.
  struct state {
    std::size_t length = 0;   // length of the longest of these runs
    std::size_t shorter = 0;  // state of the longest suffix of these runs that also ends at other places
    std::unordered_map<std::uint64_t, std::size_t> next{};  // next state, by the hash of the next word
  };

  void add(std::uint64_t word);

  std::vector<state> states_ = std::vector<state>(1);  // the first state has the empty run
  std::size_t whole_ = 0;                              // the state of the whole clue
};

/// Finds the passage of a text that contains most of a clue. Compares all windows that have a quarter more words than
/// the clue, rounded down. The best window has the most of the clue's distinct pairs of neighbouring words. Of equally
/// good windows, the one with the longest common run is the best, then the earliest one. Words at the ends of the best
/// window are cut off if they add no pair of the clue, and do not belong to the longest common run. If the text has no
/// pair of the clue, single words are compared.
class clue_passages {
 public:
  explicit clue_passages(std::string_view clue);

  struct place {
    std::size_t text;  ///< index of the text in the vector `texts`
    passage where;
  };
  /// Returns the best passage in `texts`, or nullopt if the texts have no word of the clue. The best passage has the
  /// most pairs of the clue. Of equally good passages, the one with the longest run is the best, then the earliest one.
  /// Complexity: O(n) for n words of all texts.
  [[nodiscard]] std::optional<place> in(const std::vector<std::string_view>& texts) const;

 private:
  using numbers = std::unordered_map<std::uint64_t, std::size_t>;  // numbers of features, counted from 0
  /// The kind of features that are compared: single words or pairs. Feature i of a text begins with word i.
  struct feature_kind {
    std::size_t words;
    numbers wanted;
  };
  struct window {
    std::size_t common = 0, run = 0;
    std::size_t begin = 0, end = 0;  // indexes of features
  };
  using placed_words = std::vector<common_run::placed_word>;

  /// Returns the hash of `at_a_time` words, the first of which is word i.
  [[nodiscard]] static std::uint64_t feature_at(const placed_words& words, std::size_t i, std::size_t at_a_time);
  /// Returns, for each feature of a text, its number in `kind.wanted`, or the largest std::size_t if it has none.
  [[nodiscard]] static std::vector<std::size_t> features_of(const placed_words& words, const feature_kind& kind);
  [[nodiscard]] window best_window(const placed_words& words, const std::vector<std::size_t>& features,
                                   const feature_kind& kind) const;
  [[nodiscard]] static passage shortened(window best, const placed_words& words,
                                         const std::vector<std::size_t>& features, const feature_kind& kind);

  common_run run_;
  std::vector<feature_kind> kinds_;
  std::size_t longest_;  // greatest number of words of a passage
};

}  // namespace common
