// SPDX-License-Identifier: MIT
// Equal sets among many sets, in few bytes per set.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/large_array.hpp"
#include "../../detail/mutex.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../runner.hpp"
#include "distinct_sets.hpp"

namespace neardup::inline v0::detail {

/// The copies among the sets of a source. Of equal sets of one corpus, the first one stands for all.
class set_copies {
 public:
  /// Finds the copies. hashes[i] is a hash of all features of set i. Sets from number `first_count` on are a second
  /// corpus. Memory: an eighth of a byte per set, and 8 bytes per copy; temporarily 4 bytes per set, and the hashes.
  template <class Feature>
  set_copies(const set_source<Feature>& source, std::size_t first_count, large_array<std::uint64_t> hashes,
             const any_runner& run)
      : is_copy_(source.size), has_copies_(source.size) {
    const int bits = std::clamp(static_cast<int>(std::bit_width(source.size)) - 8, 1, 20);
    large_array<std::uint32_t> numbers(source.size);
    std::vector<std::size_t> begins;
    radix_scatter(
        source.size, bits, [](std::size_t i) { return static_cast<std::uint32_t>(i); },
        [&hashes, bits](std::uint32_t i) { return to_size(mix(hashes[i]) >> (64 - bits)); },
        [to = numbers.data()](std::size_t place, std::uint32_t i) { to[place] = i; }, begins, run);
    mutex_type mutex;
    in_steps(run, parts_for(run, source.size, 4096), begins.size() - 1, 16,
             [&](std::size_t /*part*/, std::size_t first, std::size_t last) {
               std::vector<copy> found;
               for (std::size_t b = first; b < last; ++b) {
                 const auto some = numbers.span().subspan(begins[b], begins[b + 1] - begins[b]);
                 find_in(source, first_count, hashes, some, found);
               }
               const std::lock_guard lock(mutex);
               copies_.insert(copies_.end(), found.begin(), found.end());
               return true;
             });
    std::sort(copies_.begin(), copies_.end(), [](const copy& a, const copy& b) {
      return a.original != b.original ? a.original < b.original : a.number < b.number;
    });
    for (const copy& one : copies_) is_copy_[one.number] = has_copies_[one.original] = true;
  }

  /// Whether an earlier set of the same corpus equals this set.
  [[nodiscard]] bool is_copy(std::size_t number) const { return is_copy_[number]; }

  /// Whether a later set of the same corpus equals this set, which is no copy.
  [[nodiscard]] bool has_copies(std::size_t number) const { return has_copies_[number]; }

  /// Calls `visit(number)` for a set that is no copy, then for its copies in ascending order, until a call returns
  /// false. Returns: false if a call did.
  template <class Visit>
  bool visit_equal(std::uint32_t original, const Visit& visit) const {
    if (!visit(original)) return false;
    if (!has_copies_[original]) return true;
    auto at = std::lower_bound(copies_.begin(), copies_.end(), original,
                               [](const copy& one, std::uint32_t number) { return one.original < number; });
    for (; at != copies_.end() && at->original == original; ++at) {
      if (!visit(at->number)) return false;
    }
    return true;
  }

  /// Calls `visit(original, copy)` for all copies, until a call returns false. Returns: false if a call did.
  template <class Visit>
  bool visit_copies(const Visit& visit) const {
    return std::all_of(copies_.begin(), copies_.end(),
                       [&](const copy& one) { return visit(one.original, one.number); });
  }

 private:
  struct copy {
    std::uint32_t original, number;
  };

  /// Appends the copies among some sets, which have all sets with their hashes.
  template <class Feature>
  static void find_in(const set_source<Feature>& source, std::size_t first_count,
                      const large_array<std::uint64_t>& hashes, std::span<std::uint32_t> numbers,
                      std::vector<copy>& found) {
    std::sort(numbers.begin(), numbers.end(),
              [&](std::uint32_t a, std::uint32_t b) { return hashes[a] != hashes[b] ? hashes[a] < hashes[b] : a < b; });
    const auto compare = [&](std::uint32_t a, std::uint32_t b) {
      if ((a < first_count) != (b < first_count)) return a < first_count ? -1 : 1;
      const auto x = source.of(a), y = source.of(b);
      if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
      const auto at = std::mismatch(x.begin(), x.end(), y.begin());
      return at.first == x.end() ? 0 : *at.first < *at.second ? -1 : 1;
    };
    for (std::size_t begin = 0, end = 0; begin < numbers.size(); begin = end) {
      while (end < numbers.size() && hashes[numbers[end]] == hashes[numbers[begin]]) ++end;
      const auto same = numbers.subspan(begin, end - begin);
      const bool are_all = std::all_of(same.begin() + 1, same.end(),
                                       [&](std::uint32_t number) { return compare(same.front(), number) == 0; });
      if (!are_all) {  // different sets have the same hash
        std::sort(same.begin(), same.end(), [&](std::uint32_t a, std::uint32_t b) {
          const int order = compare(a, b);
          return order != 0 ? order < 0 : a < b;
        });
      }
      std::uint32_t original = same.front();
      for (const std::uint32_t number : same.subspan(1)) {
        if (are_all || compare(original, number) == 0) {
          found.push_back({original, number});
        } else {
          original = number;
        }
      }
    }
  }

  std::vector<bool> is_copy_, has_copies_;
  std::vector<copy> copies_;  // by original, then by number
};

}  // namespace neardup::inline v0::detail
