// A layout made ready for searching: masks as words, key hashes, and the probes of every distance.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../detail/bits.hpp"
#include "layout.hpp"

namespace neardup::inline v0::detail {

/// The bits that one table is keyed on.
template <std::size_t Words>
class table_key {
 public:
  using words_type = std::array<std::uint64_t, Words>;

  explicit table_key(const std::vector<std::uint64_t>& mask) {
    for (std::size_t i = 0; i < Words; ++i) {
      mask_[i] = mask[i];
      for (std::uint64_t rest = mask[i]; rest != 0; rest &= rest - 1) {
        bits_.push_back(word_bits * i + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
    const std::size_t first = bits_.front(), last = bits_.back();
    is_one_run_ = first / word_bits == last / word_bits && last - first + 1 == bits_.size();
    run_word_ = last / word_bits;
    run_shift_ = static_cast<int>(word_bits - 1 - last % word_bits);
  }

  /// The positions of the key's bits in a fingerprint, ascending; never empty.
  [[nodiscard]] std::span<const std::size_t> bits() const noexcept { return bits_; }

  /// A hash of the key of `x` whose highest bits are its best.
  /// A key that is one run of w bits within a word is multiplied modulo 2^w: its 2^w values take all values of the w
  /// highest bits, so a directory as large as the key space has no collisions.
  [[nodiscard]] std::uint64_t hash(const words_type& x) const noexcept {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;  // 2^64 / golden ratio, odd
    if (is_one_run_) return ((x[run_word_] & mask_[run_word_]) << run_shift_) * golden;
    std::uint64_t result = 0;
    for (std::size_t i = 0; i < Words; ++i) result = mix(result + golden + (x[i] & mask_[i]));
    return result;
  }

  /// The number of key bits in which two fingerprints differ.
  [[nodiscard]] int distance(const words_type& a, const words_type& b) const noexcept {
    int count = 0;
    for (std::size_t i = 0; i < Words; ++i) count += std::popcount((a[i] ^ b[i]) & mask_[i]);
    return count;
  }

  [[nodiscard]] bool same_key(const words_type& a, const words_type& b) const noexcept {
    std::uint64_t differing = 0;
    for (std::size_t i = 0; i < Words; ++i) differing |= (a[i] ^ b[i]) & mask_[i];
    return differing == 0;
  }

 private:
  words_type mask_;
  std::vector<std::size_t> bits_;
  std::size_t run_word_;
  int run_shift_;
  bool is_one_run_;
};

/// The tables of a layout and, for each distance k, what to probe. Immutable; indexes of one layout share one.
template <std::size_t Words>
class search_plans {
 public:
  struct plan {
    std::vector<table_probe> probes;
    std::uint64_t keys;  ///< looked up in all, saturating
  };

  explicit search_plans(const layout& shape) : shape_(shape) {
    for (std::size_t table = 0; table < shape.table_count(); ++table) keys_.emplace_back(shape.table_mask(table));
    for (int k = 0; k <= shape.k(); ++k) plans_.push_back({shape.plan(k), shape.probe_count(k)});
  }

  [[nodiscard]] const layout& shape() const noexcept { return shape_; }
  [[nodiscard]] std::span<const table_key<Words>> keys() const noexcept { return keys_; }

  /// Precondition: 0 <= k <= shape().k().
  [[nodiscard]] const plan& within(int k) const noexcept { return plans_[static_cast<std::size_t>(k)]; }

 private:
  layout shape_;
  std::vector<table_key<Words>> keys_;
  std::vector<plan> plans_;
};

}  // namespace neardup::inline v0::detail
