// Where a text stands within another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace common {

/// Two words in a row, whatever their case, as a number; or a word alone. A character of a script that is written without
/// spaces is a word.
using word_pair = std::uint32_t;
enum class words_at_a_time { one, two };

/// The pairs of words of texts, ascending, each once. Complexity: O(n log n).
std::vector<word_pair> word_pairs_of(const std::vector<std::string_view>& texts,
                                     words_at_a_time words = words_at_a_time::two);

/// A place of a text where much of another one stands: from a word to a word, bytes.
struct passage {
  std::size_t begin, end;
  std::size_t common;  ///< so many of the other's distinct pairs of words are there
};

/// Finds where other texts stand in a text.
class passage_finder {
 public:
  /// The text has to stay. Complexity: linear.
  explicit passage_finder(std::string_view text, words_at_a_time words = words_at_a_time::two);

  /// All passages of a text whose pairs of words are these, in order and apart from each other. A pair of this text that
  /// is among them counts 1, another one `miss`, which is negative: a passage is a run of pairs of the largest sum, and
  /// so are, before and behind it, further ones, down to single pairs. So a changed word does not end a passage, and a
  /// common pair of words near it is no part of it.
  /// Of a passage of more than `longest` pairs there is the stretch of so many that has the most of the other's.
  /// Complexity: O(n log m) for n words and m pairs. Source: Ruzzo and Tompa, A linear time algorithm for finding all
  /// maximal scoring subsequences, 1999.
  [[nodiscard]] std::vector<passage> passages_of(std::span<const word_pair> pairs, double miss = -1,
                                                 std::size_t longest = std::numeric_limits<std::size_t>::max()) const;

 private:
  struct placed_pair {
    word_pair pair;
    std::size_t begin, end;  // of both words together
  };
  /// The passage from one pair to another.
  [[nodiscard]] passage between(std::size_t first, std::size_t last, std::span<const word_pair> pairs) const;
  /// The stretch of `longest` pairs between two that has the most distinct ones of `pairs`, without others at its ends.
  [[nodiscard]] std::pair<std::size_t, std::size_t> densest(std::size_t first, std::size_t last, std::size_t longest,
                                                            std::span<const word_pair> pairs) const;

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
