// Finds the passages of a text that another text also contains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace common {

/// The hash of two consecutive words, ignoring case. A character of a script without spaces is a word.
using word_pair = std::uint32_t;

/// Returns the distinct pairs of words of the texts, in ascending order.
/// Complexity: O(n log n).
std::vector<word_pair> word_pairs_of(const std::vector<std::string_view>& texts);

/// A range of bytes of a text that has much in common with another text. The range begins and ends with a word.
struct passage {
  std::size_t begin, end;
  std::size_t common;  ///< number of the other text's distinct pairs of words in the passage
};

/// Finds the passages of one text that other texts also contain.
class passage_finder {
 public:
  /// Makes a finder. `text` must outlive the finder. If `is_for_many` is true, the finder sorts the pairs of the text
  /// in O(n log n), and later finds passages of several texts faster. Otherwise the complexity is O(n).
  explicit passage_finder(std::string_view text, bool is_for_many = false);

  /// Returns the disjoint passages that another text also contains, in order of position. `pairs`: the pairs of words
  /// of the other text. Each pair of this text scores 1 if it is among `pairs`, otherwise -1. The run of pairs with the
  /// largest sum of scores is a passage. More passages are found in the same way before and after this run, down to
  /// single pairs. So a changed word does not split a passage, and a distant common pair does not extend one.
  /// Complexity: O(n log m) for n words and m pairs; O(m log n + k log k) if `is_for_many` is true and k pairs are
  /// common.
  /// Source: Ruzzo and Tompa, A linear time algorithm for finding all maximal scoring subsequences, 1999.
  [[nodiscard]] std::vector<passage> passages_of(std::span<const word_pair> pairs) const;

 private:
  struct placed_pair {
    word_pair pair;
    std::size_t begin, end;  // bytes from the first word to the end of the second word
  };
  /// Returns the ascending positions of the pairs of this text that are among `pairs`.
  [[nodiscard]] std::vector<std::size_t> common_with(std::span<const word_pair> pairs) const;

  std::vector<placed_pair> pairs_;
  std::vector<std::pair<word_pair, std::size_t>> sorted_;  // pairs with positions if is_for_many; otherwise empty
};

/// passage_in_context() shows a passage in one line, and divides no character. It adds `shown_around_passage` bytes of
/// text on either side. If the passage has more than `max_shown_passage` bytes, it omits the middle.
inline constexpr std::size_t shown_around_passage = 40, max_shown_passage = 400;
struct passage_words {
  std::string before, inside, behind;
};
passage_words passage_in_context(std::string_view text, const passage& where);

}  // namespace common
