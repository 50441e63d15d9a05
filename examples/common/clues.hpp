// Where a clue, a sentence or two, stands in a text: for whoever finds documents by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
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

 private:
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> places_;  // of each word, from 1
  std::size_t size_ = 0;
};

/// Where most of a clue stands, by pairs of words; by single words where no pair is there. A passage has as many words as
/// the clue and a quarter more at most.
class clue_passages {
 public:
  explicit clue_passages(std::string_view clue);

  struct place {
    std::size_t text;  ///< which one of several
    passage where;
  };
  /// Nothing if no word of the clue is there. Complexity: O(n log m) for n words of the texts and m of the clue.
  [[nodiscard]] std::optional<place> in(const std::vector<std::string_view>& texts) const;

 private:
  std::vector<std::pair<words_at_a_time, std::vector<word_pair>>> pairs_;
  std::size_t longest_;  // pairs of words of a passage
};

}  // namespace common
