// What differs between two texts, in words: for whoever shows near-duplicates to people.
#pragma once

#include <string_view>
#include <vector>

namespace common {

enum class change : unsigned char { none, removed, added };

/// A stretch of text that both have, or only one of them.
struct text_piece {
  change what;
  std::string_view text;  ///< of `before`; what was added is of `after`

  friend bool operator==(const text_piece&, const text_piece&) = default;
};

/// The pieces that make `after` of `before`: those removed left out they are `after`, those added left out `before`.
///
/// Words are compared whole, as neardup::words cuts them, so that a character of a script without spaces is a word; each
/// other character is compared by itself, and white space within a line as one. Of neighbouring words that were replaced,
/// each one, the space between them counts as replaced, too. What is removed stands before what is added in its place.
/// The pieces are the fewest words changed, unless more than about a thousand of them are in a row of close changes: then
/// they are some that make `after` of `before`.
/// Complexity: O((n + m) * 512) for n and m words, O((n + m) + d^2) for d changed ones if they are few.
/// Memory: O(n + m), about 60 bytes per word.
std::vector<text_piece> text_difference(std::string_view before, std::string_view after);

}  // namespace common
