// The difference between two texts in words, to show near-duplicates to people.
#pragma once

#include <string_view>
#include <vector>

namespace common {

enum class change : unsigned char { none, removed, added };

/// A stretch that is in both texts, or only in one of them.
struct text_piece {
  change what;
  std::string_view text;  ///< a view of `before`; of `after` if it was added

  friend bool operator==(const text_piece&, const text_piece&) = default;
};

/// The pieces that turn `before` into `after`: without the removed pieces they are `after`, without the added ones
/// `before`.
///
/// Words are compared as a whole, cut as neardup::words cuts them, so a character of a script without spaces is a word;
/// each other character is compared by itself, and white space within a line as one unit. If neighbouring words were
/// all replaced, the space between them counts as replaced, too. A removed piece comes before the piece that replaces
/// it. The number of changed words is minimal, unless there are more than about a thousand changes close to each other;
/// then the pieces are still correct, but may not be the fewest.
/// Complexity: O((n + m) * 512) for n and m words, O((n + m) + d^2) for d changed ones if they are few.
/// Memory: O(n + m), about 60 bytes per word.
std::vector<text_piece> text_difference(std::string_view before, std::string_view after);

}  // namespace common
