// The difference between two texts in words, to show near-duplicates to people.
#pragma once

#include <string_view>
#include <vector>

namespace common {

enum class change : unsigned char { none, removed, added };

/// A piece of text that is in both texts, or only in one of them.
struct text_piece {
  change what;
  std::string_view text;  ///< view of `after` if the piece was added, otherwise of `before`

  friend bool operator==(const text_piece&, const text_piece&) = default;
};

/// Returns the pieces that turn `before` into `after`. Without the removed pieces, they are `after`; without the added
/// pieces, they are `before`.
///
/// Words, as neardup::words cuts them, are compared as a whole. A character of a script without spaces is a word. A run
/// of white space within a line, and each other character, is also compared as a whole. If neighbouring words were all
/// replaced, the space between them counts as replaced, too. A removed piece comes before the piece that replaces it.
/// The number of changed words is minimal, unless there are more than about a thousand changes close to each other. In
/// that case the pieces are correct, but may not be the fewest.
/// Complexity: O((n + m) * 512) for n and m words, and O((n + m) + d^2) if only d words changed, and d is small.
/// Memory: O(n + m), about 60 bytes per word.
std::vector<text_piece> text_difference(std::string_view before, std::string_view after);

}  // namespace common
