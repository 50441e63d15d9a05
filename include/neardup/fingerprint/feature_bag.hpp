// SPDX-License-Identifier: MIT
// A bag: the distinct tokens of a text with their counts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../detail/bits.hpp"
#include "../error.hpp"
#include "hashers.hpp"

namespace neardup::inline v0 {

/// A multiset of tokens. A token is identified by its hash of `Words` 64-bit words. Merging and subtracting bags is
/// exact for every weighter.
///
/// Two tokens are equal if their hashes are equal. With `KeepsText`, their texts must be equal as well, so that a hash
/// collision does not unite two tokens. A weighter that reads the text of a token needs `KeepsText`.
/// Guarantee: all operations give the strong guarantee.
/// Memory: 8 * Words + 8 bytes per distinct token, and 16 to 32 bytes of hash table. `KeepsText` adds 16 bytes and the
/// text of the token.
template <std::size_t Words = 1, bool KeepsText = false>
class feature_bag {
 public:
  using hash_type = std::array<std::uint64_t, Words>;

  feature_bag() = default;
  feature_bag(const feature_bag&) = default;
  /// Moves a bag; `other` is empty afterwards.
  feature_bag(feature_bag&& other) noexcept { swap(other); }
  feature_bag& operator=(const feature_bag& other) { return *this = feature_bag(other); }
  feature_bag& operator=(feature_bag&& other) noexcept {
    feature_bag taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~feature_bag() = default;

  void swap(feature_bag& other) noexcept {
    features_.swap(other.features_);
    slots_.swap(other.slots_);
    texts_.swap(other.texts_);
    std::swap(total_count_, other.total_count_);
    std::swap(equal_hashes_, other.equal_hashes_);
  }

  /// Counts a token `count` times.
  /// Returns: true if the token is new to the bag.
  /// Throws: std::overflow_error if the counts would exceed 64 bits.
  /// Complexity: on average amortised O(1), plus the number of tokens with the same hash.
  bool add(const hash_type& hash, std::string_view token, std::uint64_t count = 1) {
    if (count == 0) return false;
    if (count > max_count - total_count_) fail_overflow();
    if (2 * (features_.size() + 1) > slots_.size()) rehash((std::max)(min_slots, 2 * slots_.size()));
    bool meets_equal_hash = false;
    const std::size_t slot = find_slot(hash, token, meets_equal_hash);
    const bool is_new = slots_[slot] == 0;
    if (is_new) {
      insert(slot, hash, token, count);
      if (meets_equal_hash) ++equal_hashes_;
    } else {
      features_[slots_[slot] - 1].count += count;
    }
    total_count_ += count;
    return is_new;
  }

  /// Adds the counts of another bag, such as the bag of another field or document.
  /// Throws: std::overflow_error if the counts would exceed 64 bits.
  void merge(const feature_bag& other) {
    if (&other == this) return merge(feature_bag(other));
    if (other.total_count_ > max_count - total_count_) fail_overflow();
    // Operations that may throw come first, so that the strong guarantee holds.
    reserve(size() + other.size(), texts_.size() + other.texts_.size());
    for (const feature& f : other.features_) add(f.hash, other.text_of(f), f.count);
  }

  /// Subtracts the counts of `other`, a bag that was merged into this bag before.
  /// Throws: std::invalid_argument if a token has a higher count in `other` than in this bag; this bag is then
  /// unchanged.
  void subtract(const feature_bag& other) {
    if (&other == this) return clear();
    for (const feature& f : other.features_) {
      if (count_of(f.hash, other.text_of(f)) < f.count) {
        detail::fail<std::invalid_argument>("cannot subtract a token more often than the feature bag has it");
      }
    }
    for (const feature& f : other.features_)
      features_[slots_[find_slot(f.hash, other.text_of(f))] - 1].count -= f.count;
    total_count_ -= other.total_count_;
    drop_uncounted();
  }

  /// Returns the count of all tokens with this hash.
  [[nodiscard]] std::uint64_t count(const hash_type& hash) const noexcept {
    if (slots_.empty()) return 0;
    std::uint64_t sum = 0;
    for (std::size_t slot = first_slot(hash); slots_[slot] != 0; slot = next_slot(slot)) {
      const feature& f = features_[slots_[slot] - 1];
      if (!detail::are_equal(f.hash, hash)) continue;
      sum += f.count;
      if constexpr (!KeepsText) break;
    }
    return sum;
  }

  /// Returns the number of distinct tokens.
  [[nodiscard]] std::size_t size() const noexcept { return features_.size(); }
  /// Returns true if two tokens of the bag have the same hash.
  [[nodiscard]] bool has_equal_hashes() const noexcept { return equal_hashes_ != 0; }
  [[nodiscard]] bool empty() const noexcept { return features_.empty(); }

  /// Returns the sum of all counts.
  [[nodiscard]] std::uint64_t total_count() const noexcept { return total_count_; }

  /// Removes all tokens, and keeps the allocated memory.
  void clear() noexcept {
    features_.clear();
    texts_.clear();
    std::fill(slots_.begin(), slots_.end(), std::size_t{0});
    total_count_ = 0;
    equal_hashes_ = 0;
  }

  /// Calls `visit(hash, token, count)` for each distinct token, ordered by first occurrence. Without `KeepsText`,
  /// `token` is empty.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const feature& f : features_) visit(f.hash, text_of(f), f.count);
  }

  /// Returns true if the two bags have the same tokens with the same counts.
  friend bool operator==(const feature_bag& a, const feature_bag& b) noexcept {
    return a.size() == b.size() && a.total_count_ == b.total_count_ &&
           std::all_of(a.features_.begin(), a.features_.end(),
                       [&](const feature& f) { return b.count_of(f.hash, a.text_of(f)) == f.count; });
  }

 private:
  struct plain_feature {
    hash_type hash;
    std::uint64_t count;
  };
  struct text_feature : plain_feature {
    std::size_t text_begin;
    std::size_t text_size;
  };
  using feature = std::conditional_t<KeepsText, text_feature, plain_feature>;

  static constexpr std::uint64_t max_count = (std::numeric_limits<std::uint64_t>::max)();
  static constexpr std::size_t min_slots = 64;

  [[noreturn]] static void fail_overflow() {
    detail::fail<std::overflow_error>("the counts of a feature bag exceed 64 bits");
  }

  // The hash is multiplied by a secret of the process, so that nobody can craft a text whose tokens collide in the hash
  // table.
  [[nodiscard]] std::size_t first_slot(const hash_type& hash) const noexcept {
    return detail::to_size((detail::hash_words(hash) * detail::secret_multiplier()) >> 16) & (slots_.size() - 1);
  }
  [[nodiscard]] std::size_t next_slot(std::size_t slot) const noexcept { return (slot + 1) & (slots_.size() - 1); }

  /// Returns the index in slots_ of a token, or of the free entry in which the token has to be stored. Sets
  /// `meets_equal_hash` to true if another token has the same hash.
  /// Precondition: at least one entry of slots_ is free.
  [[nodiscard]] std::size_t find_slot(const hash_type& hash, std::string_view token,
                                      bool& meets_equal_hash) const noexcept {
    std::size_t slot = first_slot(hash);
    for (; slots_[slot] != 0; slot = next_slot(slot)) {
      const feature& f = features_[slots_[slot] - 1];
      if (!detail::are_equal(f.hash, hash)) continue;
      if (!KeepsText || text_of(f) == token) break;
      meets_equal_hash = true;
    }
    return slot;
  }
  [[nodiscard]] std::size_t find_slot(const hash_type& hash, std::string_view token) const noexcept {
    bool meets_equal_hash = false;
    return find_slot(hash, token, meets_equal_hash);
  }

  [[nodiscard]] std::uint64_t count_of(const hash_type& hash, std::string_view token) const noexcept {
    if (slots_.empty()) return 0;
    const std::size_t slot = find_slot(hash, token);
    return slots_[slot] == 0 ? 0 : features_[slots_[slot] - 1].count;
  }

  void insert(std::size_t slot, const hash_type& hash, std::string_view token, std::uint64_t count) {
    if constexpr (KeepsText) {
      const std::size_t begin = texts_.size();
      if (features_.size() == features_.capacity()) features_.reserve(2 * features_.size() + 1);
      texts_.append(token);
      features_.push_back({{hash, count}, begin, token.size()});
    } else {
      features_.push_back({hash, count});
    }
    slots_[slot] = features_.size();
  }

  [[nodiscard]] std::string_view text_of([[maybe_unused]] const feature& f) const noexcept {
    if constexpr (KeepsText) {
      return std::string_view(texts_).substr(f.text_begin, f.text_size);
    } else {
      return {};
    }
  }

  void reserve(std::size_t features, std::size_t text_bytes) {
    std::size_t slots = (std::max)(min_slots, slots_.size());
    while (slots < 2 * features) slots *= 2;
    // Capacities at least double. So if many small bags are merged, each token is copied O(1) times (amortised).
    if (features > features_.capacity()) features_.reserve((std::max)(features, 2 * features_.capacity()));
    if (text_bytes > texts_.capacity()) texts_.reserve((std::max)(text_bytes, 2 * texts_.capacity()));
    if (slots > slots_.size()) rehash(slots);
  }

  void rehash(std::size_t slots) {
    std::vector<std::size_t> grown(slots);
    slots_.swap(grown);
    fill_slots();
  }

  void fill_slots() noexcept {
    equal_hashes_ = 0;
    for (std::size_t i = 0; i < features_.size(); ++i) {
      bool meets_equal_hash = false;
      slots_[find_slot(features_[i].hash, text_of(features_[i]), meets_equal_hash)] = i + 1;
      if (meets_equal_hash) ++equal_hashes_;
    }
  }

  void drop_uncounted() noexcept {
    std::size_t kept = 0;
    std::size_t text_end = 0;
    for (const feature& f : features_) {
      if (f.count == 0) continue;
      feature moved = f;
      if constexpr (KeepsText) {
        // Texts are stored in the order of the tokens. So each text moves to a lower position, and overwrites no text
        // that is still needed.
        const auto from = texts_.begin() + static_cast<std::ptrdiff_t>(f.text_begin);
        std::copy(from, from + static_cast<std::ptrdiff_t>(f.text_size),
                  texts_.begin() + static_cast<std::ptrdiff_t>(text_end));
        moved.text_begin = text_end;
        text_end += f.text_size;
      }
      features_[kept++] = moved;
    }
    features_.resize(kept);
    texts_.resize(text_end);
    std::fill(slots_.begin(), slots_.end(), std::size_t{0});
    if (!slots_.empty()) fill_slots();
  }

  std::vector<feature> features_;
  // distinct_hashes is faster than this table, but cannot remove tokens, keep their texts, or give the strong
  // guarantee.
  std::vector<std::size_t> slots_;  // 1 + index in features_, or 0 if free; size: a power of two
  std::string texts_;
  std::uint64_t total_count_ = 0;
  std::size_t equal_hashes_ = 0;  // number of tokens whose hash an earlier token has
};

}  // namespace neardup::inline v0
