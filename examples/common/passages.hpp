// Finds the passages that a text shares with another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace common {

/// Two consecutive words, hashed; case does not matter. A character of a script without spaces is a word.
using word_pair = std::uint32_t;

/// Returns the distinct pairs of words of the texts, in ascending order.
/// Complexity: O(n log n).
std::vector<word_pair> word_pairs_of(const std::vector<std::string_view>& texts);

/// A stretch of a text, in bytes, that contains much of another text. It begins and ends with a word.
struct passage {
  std::size_t begin, end;
  std::size_t common;  ///< how many of the other text's distinct pairs of words it contains
};

/// Finds where other texts occur in one text.
class passage_finder {
 public:
  /// `text` must outlive the finder. `is_for_many`: whether passages of several texts will be asked for, so that its
  /// pairs are sorted. Complexity: linear; if it is for many, O(n log n).
  explicit passage_finder(std::string_view text, bool is_for_many = false);

  /// The passages of another text, given by its pairs of words: disjoint, in order of their positions. Each pair of
  /// this text scores 1 if it is among `pairs`, otherwise -1. The first passage is the run of pairs with the largest
  /// sum; further passages are found the same way before and behind it, down to single pairs. So a changed word does
  /// not split a passage, and a common pair at some distance does not extend one.
  /// Complexity: O(n log m) for n words and m pairs; if the finder is for many, O(m log n + k log k) for k pairs of this
  /// text that are among them. Source: Ruzzo and Tompa, A linear time algorithm for finding all
  /// maximal scoring subsequences, 1999.
  [[nodiscard]] std::vector<passage> passages_of(std::span<const word_pair> pairs) const;

 private:
  struct placed_pair {
    word_pair pair;
    std::size_t begin, end;  // the bytes from the first word to the end of the second
  };
  /// The positions of the pairs of this text that are among `pairs`, ascending.
  [[nodiscard]] std::vector<std::size_t> common_with(std::span<const word_pair> pairs) const;

  std::vector<placed_pair> pairs_;
  std::vector<std::pair<word_pair, std::size_t>> sorted_;  // with positions, if the finder is for many; otherwise empty
};

/// A passage with `shown_around_passage` bytes of text on either side, on one line and cut at characters. A passage
/// longer than `max_shown_passage` bytes is shown by its beginning and its end.
inline constexpr std::size_t shown_around_passage = 40, max_shown_passage = 400;
struct passage_words {
  std::string before, inside, behind;
};
passage_words passage_in_context(std::string_view text, const passage& where);

}  // namespace common
