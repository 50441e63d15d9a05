// SPDX-License-Identifier: MIT
// Anchors of windows (winnowing), sets of anchors, and hashes of windows.
//
// A window is `length` consecutive units of a text. The grams of a window are its runs of k = (length + 1) / 2 units.
// The anchor of a window is the gram with the least hash; of several grams with the least hash, the rightmost. Equal
// windows have the same anchor at the same offset. So if a window occurs twice, its anchor occurs twice. A text has
// about 4 anchors per `length` units.
// Source: Schleimer, Wilkerson, Aiken, Winnowing: Local Algorithms for Document Fingerprinting, SIGMOD 2003.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"

namespace neardup::inline v0::detail {

/// The units of a text: bytes or words. Each unit has two hash values, which are equal for a byte. Anchors need only
/// first values, so the array of the second values of words may be empty.
class unit_values {
 public:
  explicit unit_values(std::string_view bytes) noexcept : bytes_(bytes), size_(bytes.size()) {}
  unit_values(std::span<const std::uint64_t> first, std::span<const std::uint64_t> second) noexcept
      : first_(first), second_(second), size_(first.size()) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t first(std::size_t i) const noexcept { return first_.empty() ? of_byte(i) : first_[i]; }
  [[nodiscard]] std::uint64_t second(std::size_t i) const noexcept { return first_.empty() ? of_byte(i) : second_[i]; }

 private:
  static constexpr std::array<std::uint64_t, 256> table = [] {
    std::array<std::uint64_t, 256> values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = mix(golden_ratio * (i + 1));
    return values;
  }();
  [[nodiscard]] std::uint64_t of_byte(std::size_t i) const noexcept {
    return table[static_cast<unsigned char>(bytes_[i])];
  }

  std::string_view bytes_;
  std::span<const std::uint64_t> first_, second_;
  std::size_t size_;
};

/// Consecutive windows with the same anchor. The windows begin at the units [first, end).
struct anchor_run {
  std::uint64_t anchor;  // the hash of the anchor
  std::size_t first, end;

  [[nodiscard]] std::size_t size() const noexcept { return end - first; }
};

/// Finds the anchors of all windows of a text.
/// Complexity: linear in the number of units of the text, whatever the length of a window.
/// Memory: 8 bytes for each unit of a piece, and 24 bytes for each anchor of the piece.
class anchor_finder {
 public:
  /// Makes a finder for windows of `length` units.
  /// Precondition: length > 0.
  explicit anchor_finder(std::size_t length) : length_(length), gram_((length + 1) / 2), grams_(length - gram_ + 1) {
    for (std::size_t i = 1; i < gram_; ++i) out_factor_ *= factor;
  }

  /// Calls `use(first, last, runs)` for each piece of a text. A piece is the units [first, last). `runs` are the
  /// anchor_runs of the windows of the piece, in order. Pieces overlap by length - 1 units, so that each window is in
  /// exactly one piece.
  template <class Use>
  void for_each_piece(const unit_values& units, const Use& use) {
    if (units.size() < length_) return;
    const std::size_t windows = units.size() - length_ + 1;
    const std::size_t step = (std::max)(std::size_t{1} << 14, 4 * length_);
    for (std::size_t first = 0; first < windows; first += step) {
      const std::size_t count = (std::min)(step, windows - first);
      hash_grams(units, first, count + grams_ - 1);
      find_runs(first, count);
      use(first, first + count + length_ - 1, std::span<const anchor_run>(runs_));
    }
  }

 private:
  static constexpr std::uint64_t factor = 0xd6e8feb86659fd93U;

  /// Sets hashes_[i] to the hash of the gram that begins at unit first + i, for all i < count.
  void hash_grams(const unit_values& units, std::size_t first, std::size_t count) {
    hashes_.resize(count);
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i + 1 < gram_; ++i) hash = hash * factor + units.first(first + i);
    for (std::size_t i = 0; i < count; ++i) {
      hash = hash * factor + units.first(first + i + gram_ - 1);
      hashes_[i] = (hash ^ hash >> 32) * golden_ratio;  // the low bits of `hash` depend on few bits of the units
      hash -= out_factor_ * units.first(first + i);
    }
  }

  /// Sets runs_ to the anchor_runs of `windows` windows. Window j begins at unit begin + j and has the grams [j, j +
  /// grams_). In a block of grams_ windows, a window consists of a suffix of the block's first window and of later
  /// grams. `suffix_` has the rightmost least gram of each suffix. `newest` is the rightmost least gram of the later
  /// grams.
  void find_runs(std::size_t begin, std::size_t windows) {
    runs_.clear();
    std::size_t anchor = windows + grams_;  // stands for no gram
    const auto change = [&](std::size_t to, std::size_t window) {
      if (to == anchor) return;
      if (!runs_.empty()) runs_.back().end = begin + window;
      runs_.push_back({hashes_[to], begin + window, 0});
      anchor = to;
    };
    for (std::size_t block = 0; block < windows; block += grams_) {
      suffix_.clear();
      std::uint64_t least = 0;
      for (std::size_t i = block + grams_; i-- > block;) {
        if (!suffix_.empty() && hashes_[i] >= least) continue;
        least = hashes_[i];
        suffix_.push_back(i);
      }
      const std::size_t end = (std::min)(block + grams_, windows);
      std::size_t newest = block + grams_;  // no gram until the loop has read one
      std::uint64_t least_new = ~std::uint64_t{0};
      bool has_new = false;
      change(suffix_.back(), block);
      for (std::size_t window = block + 1; window < end;) {
        // The anchor changes if the hash of a later gram is not greater, or if the anchor leaves the window.
        if (suffix_.back() < window) suffix_.pop_back();
        const std::size_t old = suffix_.back();
        const std::uint64_t old_hash = hashes_[old];
        const std::size_t stop = (std::min)(old + 1, end);
        bool is_decided = false;
        for (; window < stop; ++window) {
          const std::size_t gram = window + grams_ - 1;
          const bool is_least = hashes_[gram] <= least_new;
          if (is_least) {
            least_new = hashes_[gram];
            newest = gram;
            has_new = true;
          }
          if (is_decided && !is_least) [[likely]]
            continue;
          change(has_new && least_new <= old_hash ? newest : old, window);
          is_decided = true;
        }
      }
    }
    runs_.back().end = begin + windows;
  }

  std::size_t length_, gram_, grams_;  // units of a window, units of a gram, grams of a window
  std::uint64_t out_factor_ = 1;       // factor to the power of gram_ - 1
  std::vector<std::uint64_t> hashes_;
  std::vector<std::size_t> suffix_;
  std::vector<anchor_run> runs_;
};

/// A set of anchors: a Bloom filter for each partition, with two bits of one word for each anchor. With a small
/// probability, contains() is true for an anchor outside the set. Such an anchor costs time, but changes no result.
class anchor_set {
 public:
  /// Returns the words of one of `partitions` partitions. If n anchors occur `least` times or more in `anchors`, the
  /// number of words is min(n, most_words) + 1.
  /// Precondition: `anchors` has all anchors of the partition, and is sorted; least > 0.
  [[nodiscard]] static std::vector<std::uint64_t> words_of(std::span<const std::uint64_t> anchors,
                                                           std::uint32_t partitions, std::uint32_t least,
                                                           std::uint64_t most_words) {
    const auto for_each_repeated = [&](const auto& use) {
      for (std::size_t i = 0, next = 0; i < anchors.size(); i = next) {
        for (next = i + 1; next < anchors.size() && anchors[next] == anchors[i];) ++next;
        if (next - i >= least) use(anchors[i]);
      }
    };
    std::uint64_t repeated = 0;
    for_each_repeated([&](std::uint64_t) { ++repeated; });
    std::vector<std::uint64_t> words(to_size((std::min)(repeated, most_words) + 1));
    for_each_repeated([&](std::uint64_t anchor) {
      const place_of_anchor at(anchor, partitions);
      words[at.word(words.size())] |= at.bits;
    });
    return words;
  }

  /// Makes a set of partitions. Partition i has the words words[i], which have to outlive the set.
  explicit anchor_set(std::vector<std::span<const std::uint64_t>> words = {}) : words_(std::move(words)) {}

  [[nodiscard]] bool contains(std::uint64_t anchor) const noexcept {
    const place_of_anchor at(anchor, words_.size());
    const std::span<const std::uint64_t> words = words_[at.partition];
    return (words[at.word(words.size())] & at.bits) == at.bits;
  }
  /// Prefetches the word of an anchor.
  void look_ahead(std::uint64_t anchor) const noexcept {
    const place_of_anchor at(anchor, words_.size());
    prefetch(words_[at.partition].data() + at.word(words_[at.partition].size()));
  }
  /// Returns the partition of an anchor.
  [[nodiscard]] static std::uint32_t partition_of(std::uint64_t anchor, std::uint32_t partitions) noexcept {
    return place_of_anchor(anchor, partitions).partition;
  }

 private:
  struct place_of_anchor {
    /// The anchor is hashed again. It is the least of several hashes, so its high bits are mostly 0.
    place_of_anchor(std::uint64_t anchor, std::uint64_t partitions) noexcept {
      const std::uint64_t hash = mix(anchor), place = (hash >> 32) * partitions;
      partition = static_cast<std::uint32_t>(place >> 32);
      within = static_cast<std::uint32_t>(place);
      bits = std::uint64_t{1} << (hash & 63U) | std::uint64_t{1} << (hash >> 6 & 63U);
    }
    [[nodiscard]] std::size_t word(std::size_t words) const noexcept {
      return to_size(within * std::uint64_t{words} >> 32);
    }

    std::uint32_t partition, within;
    std::uint64_t bits;
  };

  std::vector<std::span<const std::uint64_t>> words_;
};

/// A hash of a window: two polynomials of its units modulo 2^61 - 1. The factors of the polynomials were chosen at
/// random. So two different windows of n units have the same hash with a probability of at most n^2 / 2^122.
struct window_hash {
  std::uint64_t low, high;

  friend constexpr bool operator==(const window_hash&, const window_hash&) = default;
};

inline constexpr std::uint64_t hash_prime = (std::uint64_t{1} << 61) - 1;

/// Returns a * b modulo 2^61 - 1.
/// Precondition: a and b are below 2^61 - 1.
constexpr std::uint64_t prime_product(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
  __extension__ using product_type = unsigned __int128;
  const product_type product = static_cast<product_type>(a) * b;
  const std::uint64_t sum =
      static_cast<std::uint64_t>(product & hash_prime) + static_cast<std::uint64_t>(product >> 61);
#else
  constexpr std::uint64_t low = 0xffffffffU;
  const std::uint64_t middle = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32);
  const std::uint64_t other = (a & low) * (b >> 32) + (middle & low);
  const std::uint64_t top = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
  const std::uint64_t bottom = other << 32 | ((a & low) * (b & low) & low);
  const std::uint64_t sum = (bottom & hash_prime) + (top << 3 | bottom >> 61);
#endif
  return sum >= hash_prime ? sum - hash_prime : sum;
}

/// Hashes the windows of a text. It first hashes the prefixes of a stretch of units, and then computes the hash of a
/// window from two prefixes.
/// Memory: 16 bytes for each unit of a stretch.
class window_hasher {
 public:
  explicit window_hasher(std::size_t length) : length_(length) {
    for (std::size_t i = 0; i < length; ++i) {
      out_ = {prime_product(out_.low, factors.low), prime_product(out_.high, factors.high)};
    }
  }

  /// Hashes the prefixes of the stretch [first, last) of a text.
  void take(const unit_values& units, std::size_t first, std::size_t last) {
    first_ = first;
    prefixes_.resize(last - first + 1);
    window_hash hash{0, 0};
    prefixes_[0] = hash;
    for (std::size_t i = first; i < last; ++i) {
      hash = {sum(prime_product(hash.low, factors.low), units.first(i) >> 3),
              sum(prime_product(hash.high, factors.high), units.second(i) >> 3)};
      prefixes_[i - first + 1] = hash;
    }
  }

  /// Returns the hash of the window that begins at the unit `window`.
  /// Precondition: the window lies in the last stretch.
  [[nodiscard]] window_hash operator[](std::size_t window) const noexcept {
    const window_hash& before = prefixes_[window - first_];
    const window_hash& all = prefixes_[window - first_ + length_];
    return {sum(all.low, hash_prime - prime_product(before.low, out_.low)),
            sum(all.high, hash_prime - prime_product(before.high, out_.high))};
  }

 private:
  static constexpr window_hash factors{0x0b3fa8f1c9d2e467U, 0x16d40b9e8357ca21U};

  /// Returns a + b modulo hash_prime.
  /// Precondition: neither a nor b exceeds hash_prime.
  static constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {
    const std::uint64_t s = a + b;
    return s >= 2 * hash_prime ? s - 2 * hash_prime : s >= hash_prime ? s - hash_prime : s;
  }

  std::size_t length_, first_ = 0;
  window_hash out_{1, 1};  // the factors of the polynomials to the power of length_
  std::vector<window_hash> prefixes_;
};

}  // namespace neardup::inline v0::detail
