#include "text_difference.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <neardup/text/utf8.hpp>
#include <neardup/text/words.hpp>
#include <span>
#include <unordered_map>
#include <utility>

namespace common {

namespace {

constexpr std::string_view blanks = " \t\r\f\v";

/// Cuts the text between two words into units. A unit is a run of blanks, or another single character.
void cut_gap(std::string_view gap, std::vector<std::string_view>& units) {
  while (!gap.empty()) {
    std::size_t length = std::min(gap.find_first_not_of(blanks), gap.size());
    if (length == 0) length = neardup::decode_one(gap).length;
    units.push_back(gap.substr(0, length));
    gap.remove_prefix(length);
  }
}

/// Cuts a text into words and the units between them. The difference compares whole units.
std::vector<std::string_view> cut(std::string_view text) {
  std::vector<std::string_view> units;
  std::size_t end = 0;
  neardup::for_each_word(text, [&](std::string_view /*word*/, std::string_view bytes) {
    const auto begin = static_cast<std::size_t>(bytes.data() - text.data());
    cut_gap(text.substr(end, begin - end), units);
    units.push_back(bytes);
    end = begin + bytes.size();
  });
  cut_gap(text.substr(end), units);
  return units;
}

/// Finds which units were removed and which were added. A box of the edit graph is divided at the point where a
/// shortest path crosses its middle. If the search gives up before it finds this point, the box is divided at the
/// farthest point that the search has reached.
/// Source: Myers, An O(ND) Difference Algorithm and Its Variations, 1986, the variant in linear space.
class edit_graph {
 public:
  using number = std::int32_t;

  edit_graph(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b)
      : a_(a), b_(b), is_removed_(a.size()), is_added_(b.size()) {
    const std::size_t diagonals = a.size() + b.size() + 5;
    forward_.resize(diagonals);
    backward_.resize(diagonals);
    std::vector<box> open{{0, static_cast<number>(a.size()), 0, static_cast<number>(b.size())}};
    while (!open.empty()) {
      const box next = trimmed(open.back());
      open.pop_back();
      if (next.a_begin == next.a_end || next.b_begin == next.b_end) {
        std::fill(is_removed_.begin() + next.a_begin, is_removed_.begin() + next.a_end, true);
        std::fill(is_added_.begin() + next.b_begin, is_added_.begin() + next.b_end, true);
        continue;
      }
      const auto [x, y] = middle(next);
      open.push_back({next.a_begin, next.a_begin + x, next.b_begin, next.b_begin + y});
      open.push_back({next.a_begin + x, next.a_end, next.b_begin + y, next.b_end});
    }
  }

  [[nodiscard]] bool is_removed(std::size_t i) const { return is_removed_[i]; }
  [[nodiscard]] bool is_added(std::size_t j) const { return is_added_[j]; }

 private:
  struct box {
    number a_begin, a_end, b_begin, b_end;
  };
  struct point {
    number x, y;
  };

  // The forward search and the backward search each give up after this number of changes.
  static constexpr number most_changes = 512;

  [[nodiscard]] bool equal(number i, number j) const {
    return a_[static_cast<std::size_t>(i)] == b_[static_cast<std::size_t>(j)];
  }

  /// Returns the box without the equal units at both ends.
  [[nodiscard]] box trimmed(box b) const {
    while (b.a_begin < b.a_end && b.b_begin < b.b_end && equal(b.a_begin, b.b_begin)) ++b.a_begin, ++b.b_begin;
    while (b.a_begin < b.a_end && b.b_begin < b.b_end && equal(b.a_end - 1, b.b_end - 1)) --b.a_end, --b.b_end;
    return b;
  }

  /// Returns the point at which the box `in` is divided, relative to the box's beginning. It is not an end of the box.
  /// Diagonal k consists of the points with x - y = k. Precondition: the box is trimmed, and no side is empty.
  point middle(const box& in) {
    const number width = in.a_end - in.a_begin, height = in.b_end - in.b_begin, delta = width - height;
    const number far = width + 1;  // marks a diagonal that the backward search has not reached; the forward one uses -1
    const auto ahead = [&](number k) -> number& { return forward_[static_cast<std::size_t>(k + height + 2)]; };
    const auto behind = [&](number k) -> number& { return backward_[static_cast<std::size_t>(k + height + 2)]; };
    const bool is_odd = delta % 2 != 0;
    for (number d = 0;; ++d) {
      // Diagonals outside of the box are skipped.
      const number low = d <= height ? -d : -height + (d - height) % 2;
      const number high = d <= width ? d : width - (d - width) % 2;
      ahead(low - 1) = ahead(high + 1) = -1;
      for (number k = low; k <= high; k += 2) {
        number x = d == 0 ? 0 : -1;
        if (ahead(k - 1) >= 0 && ahead(k - 1) < width) x = ahead(k - 1) + 1;
        if (ahead(k + 1) - k <= height) x = std::max(x, ahead(k + 1));
        if (x >= 0) {
          while (x < width && x - k < height && equal(in.a_begin + x, in.b_begin + x - k)) ++x;
        }
        ahead(k) = x;
        if (is_odd && std::abs(k - delta) < d && x >= 0 && behind(k) <= x) return {x, x - k};
      }
      const number back_low = d <= width ? delta - d : -height + (d - width) % 2;
      const number back_high = d <= height ? delta + d : width - (d - height) % 2;
      behind(back_low - 1) = behind(back_high + 1) = far;
      for (number k = back_low; k <= back_high; k += 2) {
        number x = d == 0 ? width : far;
        if (behind(k + 1) <= width && behind(k + 1) > 0) x = behind(k + 1) - 1;
        if (behind(k - 1) <= width && behind(k - 1) - k >= 0) x = std::min(x, behind(k - 1));
        if (x <= width) {
          while (x > 0 && x - k > 0 && equal(in.a_begin + x - 1, in.b_begin + x - k - 1)) --x;
        }
        behind(k) = x;
        if (!is_odd && std::abs(k) <= d && x <= width && ahead(k) >= x) return {x, x - k};
      }
      if (d == most_changes) return farthest(low, high, back_low, back_high, width, height, ahead, behind);
    }
  }

  /// Of all points that the two searches have reached, returns the one that is farthest from the start of its search.
  template <class Ahead, class Behind>
  static point farthest(number low, number high, number back_low, number back_high, number width, number height,
                        const Ahead& ahead, const Behind& behind) {
    point best{0, 0};
    number distance = 0;
    for (number k = low; k <= high; k += 2) {
      if (ahead(k) < 0 || 2 * ahead(k) - k <= distance) continue;
      best = {ahead(k), ahead(k) - k};
      distance = best.x + best.y;
    }
    for (number k = back_low; k <= back_high; k += 2) {
      if (behind(k) > width || width + height - (2 * behind(k) - k) <= distance) continue;
      best = {behind(k), behind(k) - k};
      distance = width + height - (best.x + best.y);
    }
    return best;
  }

  std::span<const std::uint32_t> a_, b_;
  std::vector<bool> is_removed_, is_added_;
  std::vector<number> forward_, backward_;  // for each diagonal: the farthest point of the search
};

/// A change: a range of units in one text, and the range that replaces it in the other text.
struct block {
  std::size_t a_begin, a_end, b_begin, b_end;

  [[nodiscard]] bool replaces() const { return a_begin < a_end && b_begin < b_end; }
};

bool is_blank(std::string_view unit) { return unit.find_first_not_of(blanks) == unit.npos; }

/// Returns by how many units the change of the units [begin, end) must move forward to end at the end of a line. After
/// the move, whole lines change, instead of the end of one line and the beginning of the next.
/// Returns: 0 if the change cannot be moved in this way. Precondition: the unit after the change is unchanged.
std::size_t shift_to_line_end(const std::vector<std::string_view>& units, std::size_t begin, std::size_t end) {
  for (std::size_t shift = 0;; ++shift) {
    if (units[end + shift - 1] == "\n") return shift;
    if (end + shift == units.size() || units[begin + shift] != units[end + shift]) return 0;
  }
}

std::vector<block> blocks_of(const edit_graph& edits, const std::vector<std::string_view>& a,
                             const std::vector<std::string_view>& b) {
  std::vector<block> blocks;
  const std::size_t b_size = b.size();
  for (std::size_t i = 0, j = 0; i < a.size() || j < b_size; ++i, ++j) {
    block next{i, i, j, j};
    while (next.a_end < a.size() && edits.is_removed(next.a_end)) ++next.a_end;
    while (next.b_end < b_size && edits.is_added(next.b_end)) ++next.b_end;
    i = next.a_end;
    j = next.b_end;
    if (next.a_begin == next.a_end && next.b_begin == next.b_end) continue;
    if (!next.replaces()) {
      // Moves the change forward over equal units, but not past the next change.
      const bool removes = next.a_begin < next.a_end;
      const std::size_t shift =
          removes ? shift_to_line_end(a, next.a_begin, next.a_end) : shift_to_line_end(b, next.b_begin, next.b_end);
      bool is_equal = true;
      for (std::size_t s = 0; s < shift; ++s) {
        is_equal = is_equal && i + s < a.size() && j + s < b_size && !edits.is_removed(i + s) && !edits.is_added(j + s);
      }
      if (is_equal) {
        next = {next.a_begin + shift, next.a_end + shift, next.b_begin + shift, next.b_end + shift};
        i += shift;
        j += shift;
        // Another change may follow directly.
        while (i < a.size() && edits.is_removed(i)) next.a_end = ++i;
        while (j < b_size && edits.is_added(j)) next.b_end = ++j;
      }
    }
    const bool only_blank_between = !blocks.empty() && blocks.back().a_end + 1 == next.a_begin &&
                                    blocks.back().replaces() && next.replaces() && is_blank(a[next.a_begin - 1]);
    if (only_blank_between) {
      blocks.back().a_end = next.a_end;
      blocks.back().b_end = next.b_end;
    } else {
      blocks.push_back(next);
    }
  }
  return blocks;
}

}  // namespace

std::vector<text_piece> text_difference(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> a = cut(before), b = cut(after);
  std::vector<std::uint32_t> a_numbers, b_numbers;
  {
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    const auto numbered = [&](const std::vector<std::string_view>& units) {
      std::vector<std::uint32_t> result;
      result.reserve(units.size());
      for (const std::string_view unit : units) {
        result.push_back(numbers.try_emplace(unit, static_cast<std::uint32_t>(numbers.size())).first->second);
      }
      return result;
    };
    a_numbers = numbered(a);
    b_numbers = numbered(b);
  }
  const edit_graph edits(a_numbers, b_numbers);

  // Returns the units [begin, end), which are adjacent in their text, as one piece of text.
  const auto joined = [](const std::vector<std::string_view>& units, std::size_t begin, std::size_t end) {
    const char* const last = units[end - 1].data() + units[end - 1].size();
    return std::string_view(units[begin].data(), static_cast<std::size_t>(last - units[begin].data()));
  };
  std::vector<text_piece> pieces;
  const auto add = [&](change what, const std::vector<std::string_view>& units, std::size_t begin, std::size_t end) {
    if (begin < end) pieces.push_back({what, joined(units, begin, end)});
  };
  std::size_t done = 0;
  for (const block& changed : blocks_of(edits, a, b)) {
    add(change::none, a, done, changed.a_begin);
    add(change::removed, a, changed.a_begin, changed.a_end);
    add(change::added, b, changed.b_begin, changed.b_end);
    done = changed.a_end;
  }
  add(change::none, a, done, a.size());
  return pieces;
}

}  // namespace common
