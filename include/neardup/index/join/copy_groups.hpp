// SPDX-License-Identifier: MIT
// Groups equal fingerprints, so that a thousand copies are joined as one fingerprint.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/large_array.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../runner.hpp"
#include "join_input.hpp"

namespace neardup::inline v0::detail {

/// A fingerprint and its position, stored without padding.
template <std::size_t Words, class Offset>
struct placed_words {
  using words_type = std::array<std::uint64_t, Words>;

  std::array<std::uint32_t, 2 * Words> halves;
  Offset position;

  static placed_words of(const words_type& words, Offset position) noexcept {
    placed_words record;
    std::memcpy(record.halves.data(), words.data(), sizeof words);
    record.position = position;
    return record;
  }

  [[nodiscard]] words_type words() const noexcept {
    words_type result;
    std::memcpy(result.data(), halves.data(), sizeof result);
    return result;
  }
};

/// How a join treats equal fingerprints. one: as one fingerprint. others: as separate fingerprints, because a check may
/// reject a pair of copies.
enum class copies_as { one, others };

/// The distinct fingerprints of a corpus, each named by its first position, and the positions of their copies.
template <std::size_t Words, class Offset>
class copy_groups {
 public:
  struct copy {
    Offset first, position;
  };

  /// Finds the copies. With copies_as::others, no fingerprint counts as a copy.
  /// Complexity: O(n), two passes. Memory: copies() and positions(); temporarily another copy of all fingerprints.
  copy_groups(const chosen_words<Words, Offset>& fingerprints, copies_as as, const any_runner& run)
      : count_(fingerprints.size()) {
    if (as == copies_as::one) find(fingerprints, run);
    if (copies_.empty()) return;
    std::sort(copies_.begin(), copies_.end(), [](const copy& a, const copy& b) {
      return a.first != b.first ? a.first < b.first : a.position < b.position;
    });
    std::vector<bool> is_copy(count_);
    copied_.resize(count_ / word_bits + 1);
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      is_copy[copies_[i].position] = true;
      if (i > 0 && copies_[i].first == copies_[i - 1].first) continue;
      copied_[copies_[i].first / word_bits].bits |= std::uint64_t{1} << (copies_[i].first % word_bits);
      starts_.push_back(static_cast<Offset>(i));
    }
    starts_.push_back(static_cast<Offset>(copies_.size()));
    for (std::size_t i = 1; i < copied_.size(); ++i) {
      copied_[i].before = copied_[i - 1].before + static_cast<std::size_t>(std::popcount(copied_[i - 1].bits));
    }
    distinct_.reserve(count_ - copies_.size());
    for (std::size_t i = 0; i < count_; ++i) {
      if (!is_copy[i]) distinct_.push_back(static_cast<Offset>(i));
    }
  }

  /// The number of distinct fingerprints.
  [[nodiscard]] std::size_t size() const noexcept { return count_ - copies_.size(); }
  /// The first position of the i-th distinct fingerprint; ascends with i.
  [[nodiscard]] std::size_t position(std::size_t i) const noexcept {
    return copies_.empty() ? i : static_cast<std::size_t>(distinct_[i]);
  }

  /// The first positions of all distinct fingerprints; empty if there are no copies.
  [[nodiscard]] std::span<const Offset> positions() const noexcept { return distinct_; }

  /// All copies, sorted by (first, position). The first occurrence of a fingerprint is not a copy.
  [[nodiscard]] std::span<const copy> copies() const noexcept { return copies_; }
  /// Returns: true if the fingerprint whose first position is `first` has copies.
  [[nodiscard]] bool is_copied(std::size_t first) const noexcept {
    return !copies_.empty() && (copied_[first / word_bits].bits >> (first % word_bits) & 1U) != 0;
  }
  /// The copies of the fingerprint whose first position is `first`; empty if it has none.
  [[nodiscard]] std::span<const copy> copies_of(std::size_t first) const noexcept {
    if (!is_copied(first)) return {};
    const copied_word& word = copied_[first / word_bits];
    const std::uint64_t smaller = word.bits & low_mask(first % word_bits);
    const std::size_t number = word.before + static_cast<std::size_t>(std::popcount(smaller));
    return copies().subspan(starts_[number], static_cast<std::size_t>(starts_[number + 1] - starts_[number]));
  }

 private:
  using words_type = std::array<std::uint64_t, Words>;
  using record = placed_words<Words, Offset>;

  void find(const chosen_words<Words, Offset>& fingerprints, const any_runner& run) {
    const int bits = first_pass_bits(count_, count_ < std::size_t{1} << 12 ? 0 : max_pass_bits);
    large_array<record> memory_of_records(count_);
    const std::span<record> records = memory_of_records.span();
    const auto group_of = [bits](const words_type& words) {
      return bits == 0 ? std::size_t{0} : hash_words(words) >> (64 - bits);
    };
    std::vector<std::size_t> begin;
    radix_scatter(
        count_, bits, [fingerprints](std::size_t i) { return record::of(fingerprints[i], static_cast<Offset>(i)); },
        [group_of](const record& r) { return group_of(r.words()); },
        [first = records.data()](std::size_t position, const record& r) { first[position] = r; }, begin, run);
    const std::size_t parts = parts_for(run, count_, std::size_t{1} << 14);
    std::vector<std::vector<copy>> found(parts);
    std::vector<std::vector<Offset>> tables(parts);
    in_steps(run, parts, begin.size() - 1, 1, [&](std::size_t part, std::size_t group, std::size_t) {
      find_in(records.subspan(begin[group], begin[group + 1] - begin[group]), tables[part], found[part]);
      return true;
    });
    for (std::vector<copy>& copies_of_part : found) {
      copies_.insert(copies_.end(), copies_of_part.begin(), copies_of_part.end());
      copies_of_part = {};
    }
  }

  /// Finds the copies within one group by an open-addressing hash table. An entry is 0, or 1 + the index of a distinct
  /// record. The highest bits of the hash have chosen the group already, so the lowest choose the slot. The other hash
  /// tables of the library are not used: this one compares records in place, keeps no hashes, is filled once, and never
  /// grows.
  static void find_in(std::span<const record> records, std::vector<Offset>& table, std::vector<copy>& found) {
    const std::size_t slots = std::bit_ceil(2 * records.size() + 1);
    table.assign(slots, Offset{0});
    for (std::size_t i = 0; i < records.size(); ++i) {
      const words_type words = records[i].words();
      std::size_t slot = static_cast<std::size_t>(hash_words(words)) & (slots - 1);
      while (table[slot] != 0 && records[table[slot] - std::size_t{1}].words() != words) {
        slot = (slot + 1) & (slots - 1);
      }
      if (table[slot] == 0) {
        table[slot] = static_cast<Offset>(i + 1);
      } else {  // the first occurrence comes first: the pass is stable
        found.push_back({records[table[slot] - std::size_t{1}].position, records[i].position});
      }
    }
  }

  std::size_t count_;
  std::vector<copy> copies_;
  std::vector<Offset> distinct_;  // empty if there are no copies
  struct copied_word {
    std::uint64_t bits = 0;  // bit set: this first position has copies
    std::size_t before = 0;  // number of bits set in the preceding words
  };
  std::vector<copied_word> copied_;
  std::vector<Offset> starts_;  // by copied fingerprint: index of its first copy; and the end
};

}  // namespace neardup::inline v0::detail
