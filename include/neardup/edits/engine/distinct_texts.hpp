// SPDX-License-Identifier: MIT
// The distinct texts of a corpus in the order of their lengths. The code points of the texts are numbered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../error.hpp"
#include "../../text/utf8.hpp"

namespace neardup::inline v0::detail {

/// A source of numbered texts. `of(i)` is called once for each i, and its result is not kept.
struct text_source {
  std::size_t size = 0;
  std::function<std::string_view(std::size_t)> of;
};

/// The distinct non-empty texts of a corpus. The rank of a text is its number in the order by (length, first position
/// in the corpus). The distinct code points of the corpus are numbered from 0 on, and texts are stored as these
/// numbers.
/// Memory: 4 bytes per code point of the distinct texts, 24 per text.
class distinct_texts {
 public:
  /// Reads the texts. The texts at position `first_count` and above are the second corpus. If `values` is not empty,
  /// values[i] is a value of text i, and equal texts with different values are distinct.
  /// Throws: std::length_error for 2^32 - 1 texts or more, or a text of 2^31 code points or more.
  distinct_texts(const text_source& source, std::size_t first_count, std::span<const std::uint32_t> values = {});

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] std::size_t length(std::size_t rank) const noexcept { return entries_[rank].length; }
  [[nodiscard]] std::span<const char32_t> text(std::size_t rank) const noexcept {
    return {characters_.data() + entries_[rank].begin, entries_[rank].length};
  }
  /// Returns the ascending positions of all texts that equal the text of this rank.
  [[nodiscard]] std::span<const std::uint32_t> members(std::size_t rank) const noexcept {
    return std::span(members_).subspan(begins_[rank], begins_[rank + 1] - begins_[rank]);
  }
  [[nodiscard]] std::size_t first_count() const noexcept { return first_count_; }
  /// Returns the lowest rank of a text with at least `length` code points.
  [[nodiscard]] std::size_t first_of_length(std::size_t length) const noexcept {
    return static_cast<std::size_t>(
        std::partition_point(entries_.begin(), entries_.end(), [&](const entry& e) { return e.length < length; }) -
        entries_.begin());
  }
  [[nodiscard]] std::size_t alphabet() const noexcept { return numbers_.size(); }
  /// Returns the number of code points in all distinct texts.
  [[nodiscard]] std::size_t total_length() const noexcept { return characters_.size(); }

 private:
  static constexpr std::uint32_t none = 0xffffffffU;

  struct entry {
    std::size_t begin;
    std::uint32_t length;
  };

  void number(std::string_view text, std::vector<char32_t>& result) {
    result.clear();
    for_each_code_point(text, [&](char32_t c, std::string_view) {
      result.push_back(numbers_.try_emplace(c, static_cast<char32_t>(numbers_.size())).first->second);
    });
  }

  void order_by_length(const std::vector<entry>& found, const std::vector<std::uint32_t>& text_of);

  std::size_t first_count_;
  std::unordered_map<char32_t, char32_t> numbers_;
  std::vector<char32_t> characters_;
  std::vector<entry> entries_;          // indexed by rank
  std::vector<std::uint32_t> begins_;   // members of rank r: [begins_[r], begins_[r + 1])
  std::vector<std::uint32_t> members_;  // positions of the texts, ordered by rank
};

#if NEARDUP_BODIES

NEARDUP_INLINE distinct_texts::distinct_texts(const text_source& source, std::size_t first_count,
                                              std::span<const std::uint32_t> values)
    : first_count_(first_count) {
  if (source.size >= 0xffffffffU) fail<std::length_error>("similar texts: 2^32 - 1 texts or more");
  // known[hash]: the distinct texts with this hash, ordered by first position.
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> known;
  std::vector<entry> found;
  std::vector<std::uint32_t> value_of;  // indexed like `found`
  std::vector<std::uint32_t> text_of(source.size, none);
  std::vector<char32_t> numbers;
  for (std::size_t i = 0; i < source.size; ++i) {
    number(source.of(i), numbers);
    if (numbers.empty()) continue;
    if (numbers.size() >> 31 != 0) fail<std::length_error>("similar texts: a text of 2^31 code points or more");
    const std::uint32_t value = values.empty() ? 0 : values[i];
    std::uint64_t hash = mix(numbers.size() + value);
    for (const char32_t c : numbers) hash = mix(hash + c);
    std::vector<std::uint32_t>& same = known[hash];
    const auto equal = std::find_if(same.begin(), same.end(), [&](std::uint32_t t) {
      return value_of[t] == value &&
             std::equal(numbers.begin(), numbers.end(),
                        characters_.begin() + static_cast<std::ptrdiff_t>(found[t].begin),
                        characters_.begin() + static_cast<std::ptrdiff_t>(found[t].begin + found[t].length));
    });
    if (equal != same.end()) {
      text_of[i] = *equal;
      continue;
    }
    text_of[i] = static_cast<std::uint32_t>(found.size());
    same.push_back(text_of[i]);
    found.push_back({characters_.size(), static_cast<std::uint32_t>(numbers.size())});
    value_of.push_back(value);
    characters_.insert(characters_.end(), numbers.begin(), numbers.end());
  }
  order_by_length(found, text_of);
}

NEARDUP_INLINE void distinct_texts::order_by_length(const std::vector<entry>& found,
                                                    const std::vector<std::uint32_t>& text_of) {
  std::vector<std::uint32_t> order(found.size()), rank_of(found.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return found[a].length < found[b].length; });
  entries_.reserve(found.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    rank_of[order[rank]] = static_cast<std::uint32_t>(rank);
    entries_.push_back(found[order[rank]]);
  }
  begins_.assign(found.size() + 1, 0);
  for (const std::uint32_t t : text_of) {
    if (t != none) ++begins_[rank_of[t] + std::size_t{1}];
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  members_.resize(begins_.back());
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (std::size_t i = 0; i < text_of.size(); ++i) {
    if (text_of[i] != none) members_[next[rank_of[text_of[i]]]++] = static_cast<std::uint32_t>(i);
  }
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
