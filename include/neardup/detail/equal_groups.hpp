// SPDX-License-Identifier: MIT
// Finds equal items, such as sets or fingerprints. So a join compares a thousand copies only once. group_pairs expands
// a found pair to the pairs of all copies.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "../runner.hpp"
#include "bits.hpp"
#include "large_array.hpp"
#include "radix_partition.hpp"

namespace neardup::inline v0::detail {

/// Says how a join treats equal items: as one item (`one`), or as separate items (`others`), because a check may reject
/// a pair of copies.
enum class copies_as { one, others };

/// Finds the equal items among numbered items, such as sets or texts. A group is all items that are equal to each
/// other. The item with the lowest number represents the group, and the other items are its copies.
/// Memory: three eighths of a byte for each item; 4 bytes for each member of a group, and 4 bytes for each group (8
/// bytes if Number has 64 bits). If no two items are equal, the object keeps no memory.
template <class Number>
class equal_groups {
 public:
  /// Compares two items. Any strict order may be used, but equal items must compare as equal, and different items must
  /// not.
  /// Thread safety: several threads call the function at once.
  using compare_type = std::function<std::strong_ordering(Number, Number)>;

  /// Makes an object for `count` items that all differ from each other, so there is no group.
  explicit equal_groups(std::size_t count = 0) noexcept : count_(count) {}

  /// Finds the groups among `count` items. hash_of(i) returns a well-mixed 64-bit hash of item i. Equal items have
  /// equal hashes.
  /// Complexity: O(n) for n items, and one comparison for each copy. If different items have the same hash, comparisons
  /// sort them.
  /// Memory: 8 bytes for each item during the call.
  /// Thread safety: several threads call hash_of at once.
  template <class HashOf>
  equal_groups(std::size_t count, const HashOf& hash_of, const compare_type& compare, const any_runner& run)
      : count_(count) {
    constexpr int bits_of_bucket = 12;
    const int bits = std::clamp(bit_width(count) - bits_of_bucket, 0, max_pass_bits);
    // The highest bits of the hash of an item determine its bucket. In the bucket, the item is a 64-bit word: the next
    // bits of the hash, and below them the number of the item.
    const int low = (std::max)(32, bit_width(count));
    const auto word_of = [bits, mask = ~low_mask(to_size(low))](std::uint64_t hash, std::size_t number) {
      return (hash << bits & mask) | number;
    };
    large_array<std::uint64_t> words(count);
    std::vector<std::size_t> begins{0, count};
    if (bits == 0) {
      for (std::size_t i = 0; i < count; ++i) words[i] = word_of(hash_of(i), i);
    } else {
      struct hashed {
        std::uint64_t hash;
        std::size_t number;
      };
      radix_scatter(
          count, bits,
          [hash_of](std::size_t i) {
            return hashed{hash_of(i), i};
          },
          [bits](const hashed& one) { return to_size(one.hash >> (64 - bits)); },
          [word_of, to = words.data()](std::size_t place, const hashed& one) {
            to[place] = word_of(one.hash, one.number);
          },
          begins, run);
    }
    find(words.span(), begins, low, compare, run);
  }

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] std::size_t distinct() const noexcept { return count_ - (members_.size() - groups()); }

  /// Returns true if an item with a lower number equals this item.
  [[nodiscard]] bool is_copy(std::size_t number) const noexcept { return !is_copy_.empty() && is_copy_[number]; }
  /// Returns true if an item with a higher number equals this item, and no item with a lower number does.
  [[nodiscard]] bool has_copies(std::size_t number) const noexcept {
    return !marks_.empty() && (marks_[number / word_bits].bits >> (number % word_bits) & 1U) != 0;
  }

  /// Returns an item and its copies, in ascending order. The span may refer to the argument.
  /// Precondition: `first` is not a copy.
  [[nodiscard]] std::span<const Number> members(const Number& first) const noexcept {
    return has_copies(to_size(first)) ? group(group_of(to_size(first))) : std::span<const Number>(&first, 1);
  }
  std::span<const Number> members(const Number&& first) const = delete;

  /// Calls `visit(members)` for each group of at least two items, ordered by first member, until `visit` returns false.
  /// Returns: false if `visit` returned false.
  template <class Visit>
  bool visit_groups(const Visit& visit) const {
    for (std::size_t i = 0; i < groups(); ++i) {
      if (!visit(group(i))) return false;
    }
    return true;
  }

  /// Returns the numbers of the items that are not copies.
  [[nodiscard]] std::vector<Number> firsts() const {
    std::vector<Number> result(distinct() + 1);
    std::size_t found = 0;
    for (std::size_t i = 0; i < count_; ++i) {  // without branches, which the processor could not predict
      result[found] = static_cast<Number>(i);
      found += is_copy(i) ? 0 : 1;
    }
    result.resize(found);
    return result;
  }

 private:
  /// Finds the groups in a bucket. Each thread has its own finder.
  class finder {
   public:
    /// Finds the groups of a bucket. In a word, the bits from bit `low` on are bits of the hash, and the lower bits are
    /// the number of the item.
    void find(std::span<std::uint64_t> words, int low, const compare_type& compare) {
      const std::size_t count = words.size();
      if (scratch_.size() < count) scratch_.resize(count);
      sort_words(words, std::span(scratch_).first(count), low);
      for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
        while (end < count && words[end] >> low == words[begin] >> low) ++end;
        if (end - begin == 1) continue;
        same_.clear();
        for (const std::uint64_t word : words.subspan(begin, end - begin)) {
          same_.push_back(static_cast<Number>(word & low_mask(to_size(low))));
        }
        divide_same(compare);
      }
    }

    template <class Use>
    void for_each(const Use& use) const {
      std::size_t begin = 0;
      for (const std::size_t end : ends_) {
        use(std::span<const Number>(members_).subspan(begin, end - begin));
        begin = end;
      }
    }

   private:
    void divide_same(const compare_type& compare) {
      const auto equals = [&](Number a) { return [&compare, a](Number b) { return compare(a, b) == 0; }; };
      const bool are_all = std::all_of(same_.begin() + 1, same_.end(), equals(same_.front()));
      if (!are_all) {
        std::sort(same_.begin(), same_.end(), [&](Number a, Number b) {
          const std::strong_ordering order = compare(a, b);
          return order != 0 ? order < 0 : a < b;
        });
      }
      for (auto first = same_.begin(), last = first; first != same_.end(); first = last) {
        last = are_all ? same_.end() : std::find_if_not(first + 1, same_.end(), equals(*first));
        if (last - first == 1) continue;
        members_.insert(members_.end(), first, last);
        ends_.push_back(members_.size());
      }
    }

    std::vector<std::uint64_t> scratch_;
    std::vector<Number> same_, members_;
    std::vector<std::size_t> ends_;  // ends of the groups in members_
  };

  /// The marks of word_bits consecutive items. `bits`: a bit for each item that has copies. `before`: how many items
  /// before these have copies.
  struct marks {
    std::uint64_t bits = 0;
    std::size_t before = 0;
  };

  void find(std::span<std::uint64_t> words, std::span<const std::size_t> begins, int low, const compare_type& compare,
            const any_runner& run) {
    std::vector<finder> finders(parts_for(run, count_, std::size_t{1} << 14));
    in_steps(run, finders.size(), begins.size() - 1, 1, [&](std::size_t part, std::size_t bucket, std::size_t) {
      finders[part].find(words.subspan(begins[bucket], begins[bucket + 1] - begins[bucket]), low, compare);
      return true;
    });
    const auto for_each = [&](const auto& use) {
      for (const finder& one : finders) one.for_each(use);
    };
    std::size_t count = 0;
    for_each([&](std::span<const Number> group) { count += group.size(); });
    if (count == 0) return;
    members_.resize(count);
    is_copy_.resize(count_);
    marks_.resize(count_ / word_bits + 1);
    for_each([&](std::span<const Number> group) {
      const std::size_t first = to_size(group.front());
      marks_[first / word_bits].bits |= std::uint64_t{1} << (first % word_bits);
      for (const Number copy : group.subspan(1)) is_copy_[to_size(copy)] = true;
    });
    std::size_t groups = 0;
    for (marks& some : marks_) {
      some.before = groups;
      groups += static_cast<std::size_t>(std::popcount(some.bits));
    }
    begins_.assign(groups + 1, 0);
    for_each([&](std::span<const Number> group) {
      begins_[group_of(to_size(group.front())) + 1] = static_cast<Number>(group.size());
    });
    for (std::size_t i = 0; i < groups; ++i) begins_[i + 1] = static_cast<Number>(begins_[i] + begins_[i + 1]);
    for_each([&](std::span<const Number> group) {
      const std::size_t begin = to_size(begins_[group_of(to_size(group.front()))]);
      std::copy(group.begin(), group.end(), members_.begin() + static_cast<std::ptrdiff_t>(begin));
    });
  }

  [[nodiscard]] std::size_t groups() const noexcept { return begins_.empty() ? 0 : begins_.size() - 1; }
  [[nodiscard]] std::span<const Number> group(std::size_t i) const noexcept {
    return std::span(members_).subspan(to_size(begins_[i]), to_size(begins_[i + 1]) - to_size(begins_[i]));
  }
  /// Returns the number of the group of an item that has copies.
  [[nodiscard]] std::size_t group_of(std::size_t first) const noexcept {
    const marks& of = marks_[first / word_bits];
    return of.before + static_cast<std::size_t>(std::popcount(of.bits & low_mask(first % word_bits)));
  }

  std::size_t count_;
  std::vector<bool> is_copy_;  // is_copy_ and marks_ are empty if no items are equal
  std::vector<marks> marks_;
  std::vector<Number> members_;  // members of groups of at least two, ordered by first member
  std::vector<Number> begins_;   // the beginning of each group in members_, and the end of the last group
};

/// Expands groups of equal items to pairs: the pairs within a group, and the pairs between two groups whose items are
/// different but similar.
template <class Number>
struct group_pairs {
  /// If true, there are fewer pairs of copies: each copy is paired only with the first member of its group, and only
  /// the first member is paired with members of other groups.
  bool copies_once = false;
  /// The first number of the second corpus. If there is only one corpus, the greatest possible number. With two
  /// corpora, each pair has one number of each corpus, whatever copies_once is.
  Number second_from = (std::numeric_limits<Number>::max)();

  [[nodiscard]] bool is_across() const noexcept { return second_from != (std::numeric_limits<Number>::max)(); }

  /// Calls `visit(smaller, larger)` for the pairs within a group, until `visit` returns false.
  /// Returns: false if `visit` returned false.
  template <class Visit>
  bool within(std::span<const Number> group, const Visit& visit) const {
    if (is_across()) return across(group, group, visit);
    for (std::size_t i = 0; i < (copies_once ? (std::min)(group.size(), std::size_t{1}) : group.size()); ++i) {
      for (std::size_t j = i + 1; j < group.size(); ++j) {
        if (!visit(group[i], group[j])) return false;
      }
    }
    return true;
  }

  /// Calls `visit(smaller, larger)` for the pairs of a number of group `a` and a number of group `b`, until `visit`
  /// returns false.
  /// Returns: false if `visit` returned false.
  template <class Visit>
  bool between(std::span<const Number> a, std::span<const Number> b, const Visit& visit) const {
    if (is_across()) return across(a, b, visit) && across(b, a, visit);
    for (const Number x : a.first(copies_once ? 1 : a.size())) {
      for (const Number y : b.first(copies_once ? 1 : b.size())) {
        if (!visit((std::min)(x, y), (std::max)(x, y))) return false;
      }
    }
    return true;
  }

 private:
  /// Visits the pairs of two numbers: the first is in `a` and in the first corpus, the second is in `b` and in the
  /// second corpus.
  template <class Visit>
  bool across(std::span<const Number> a, std::span<const Number> b, const Visit& visit) const {
    const auto second = std::lower_bound(b.begin(), b.end(), second_from);
    for (const Number x : a) {
      if (x >= second_from || second == b.end()) break;
      for (auto y = second; y != b.end(); ++y) {
        if (!visit(x, *y)) return false;
      }
    }
    return true;
  }
};

}  // namespace neardup::inline v0::detail
