// Where a text stands within another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// Two words in a row, whatever their case, as a number. A character of a script that is written without spaces is a word.
using word_pair = std::uint32_t;

/// The pairs of words of texts, ascending, each once. Complexity: O(n log n).
std::vector<word_pair> word_pairs_of(const std::vector<std::string_view>& texts);

/// A place of a text where much of another one stands: from a word to a word, bytes.
struct passage {
  std::size_t begin, end;
  std::size_t common;  ///< so many of the other's distinct pairs of words are there
};

/// Finds where other texts stand in a text.
class passage_finder {
 public:
  /// The text has to stay. Complexity: linear.
  explicit passage_finder(std::string_view text);

  /// All passages of a text whose pairs of words are these, in order and apart from each other. A pair of this text that
  /// is among them counts 1, another one -1: a passage is a run of pairs of the largest sum, and so are, before and behind
  /// it, further ones, down to single pairs. So a changed word does not end a passage, and a common pair of words near it
  /// is no part of it.
  /// Complexity: O(n log m) for n words and m pairs. Source: Ruzzo and Tompa, A linear time algorithm for finding all
  /// maximal scoring subsequences, 1999.
  [[nodiscard]] std::vector<passage> passages_of(std::span<const word_pair> pairs) const;

 private:
  struct placed_pair {
    word_pair pair;
    std::size_t begin, end;  // of both words together
  };
  std::vector<placed_pair> pairs_;
};

/// A piece of a text and so many bytes before and behind it, on one line, cut at characters; what is longer than
/// `max_shown_passage` bytes is shown by its beginning and its end.
inline constexpr std::size_t shown_around_passage = 40, max_shown_passage = 400;
struct passage_words {
  std::string before, inside, behind;
};
passage_words passage_in_context(std::string_view text, const passage& where);

}  // namespace common
