// SPDX-License-Identifier: MIT
// feature_counts: the document frequencies of features, for the rare-first order of a shuffle.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../detail/bits.hpp"
#include "../detail/xxh3.hpp"
#include "../error.hpp"

namespace neardup::inline v0 {

namespace detail {

/// The highest value of a counter of 2 bits. The counter does not count any higher.
inline constexpr std::uint32_t most_in_two_bits = 3;

/// Returns the counter that begins at bit `shift` of a word.
constexpr std::uint32_t two_bit_count(std::uint16_t word, std::uint32_t shift) noexcept {
  return word >> shift & most_in_two_bits;
}

/// Returns the word with the counter at bit `shift` increased by one, or unchanged if the counter has its highest
/// value.
constexpr std::uint16_t counted_once(std::uint16_t word, std::uint32_t shift) noexcept {
  return static_cast<std::uint16_t>(word + (two_bit_count(word, shift) < most_in_two_bits ? 1U << shift : 0U));
}

/// Returns a word whose counters are the sums of the counters of `a` and `b`, or the highest value if a sum exceeds it.
constexpr std::uint16_t merged_counts(std::uint16_t a, std::uint16_t b) noexcept {
  std::uint32_t merged = 0;
  for (std::uint32_t shift = 0; shift < 16; shift += 2) {
    merged |= (std::min)(two_bit_count(a, shift) + two_bit_count(b, shift), most_in_two_bits) << shift;
  }
  return static_cast<std::uint16_t>(merged);
}

}  // namespace detail

/// A sketch of the document frequencies of features. Each feature has a cell of 2 bits, which counts up to 3, and a
/// cell of 16 bits, which counts up to 65,535. Features whose hashes choose the same cell share this cell. So a count
/// is never too low, unless the feature occurs more than 65,535 times. Sketches of parts of a corpus can be merged. The
/// result equals the sketch of the whole corpus, whatever the parts and their order.
///
/// Use it to count the features of a corpus that is joined in parts, before the parts are scattered; see shuffle. The
/// counts change the cost of the shuffle, never its pairs.
/// Memory: half a byte for each feature announced to the constructor, at least 4 KiB.
template <std::unsigned_integral Feature = std::uint64_t>
class feature_counts {
  static_assert(sizeof(Feature) == 4 || sizeof(Feature) == 8, "neardup: features have 32 or 64 bits");

 public:
  using feature_type = Feature;

  /// Makes empty counts. `features`: the approximate sum of the sizes of all sets of the corpus. Sketches can be merged
  /// only if they were made with the same number.
  explicit feature_counts(std::uint64_t features = 0)
      : own_(2 * static_cast<std::size_t>(std::clamp(features / features_a_cell, min_cells, max_cells))),
        cells_(own_) {}

  feature_counts(const feature_counts& other) : own_(other.own_), cells_(other.cells_), counted_(other.counted_) {
    if (!other.is_mapped()) cells_ = own_;
  }
  feature_counts(feature_counts&& other) noexcept { swap(other); }
  feature_counts& operator=(const feature_counts& other) { return *this = feature_counts(other); }
  feature_counts& operator=(feature_counts&& other) noexcept {
    feature_counts taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~feature_counts() = default;
  void swap(feature_counts& other) noexcept {
    own_.swap(other.own_);
    std::swap(cells_, other.cells_);
    std::swap(counted_, other.counted_);
  }

  /// Counts the features of one set, or of many sets in one array.
  /// Precondition: `features` contains a feature once for each set that has the feature.
  /// Throws: std::logic_error if the counts are mapped.
  void add(std::span<const Feature> features) {
    check_is_writable();
    for_each_block(features, [&](const places& of, std::size_t /*first*/, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        std::uint16_t& cell = own_[of.cell[i]];
        cell = static_cast<std::uint16_t>(cell + (cell < most ? 1 : 0));
        std::uint16_t& word = own_[of.word[i]];
        word = detail::counted_once(word, of.shift[i]);
      }
    });
    counted_ += features.size();
  }

  /// Adds the counts of another part of the corpus.
  /// Throws: std::invalid_argument if cells() of `other` differs; std::logic_error if the counts of this object are
  /// mapped.
  void merge(const feature_counts& other) {
    check_is_writable();
    if (cells() != other.cells()) {
      detail::fail<std::invalid_argument>(
          {"counts of ", other.cells(), " cells do not merge into counts of ", cells()});
    }
    const std::size_t count = own_.size() / 2;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t sum = std::uint32_t{own_[i]} + other.cells_[i];
      own_[i] = static_cast<std::uint16_t>((std::min)(sum, std::uint32_t{most}));
    }
    for (std::size_t i = count; i < own_.size(); ++i) own_[i] = detail::merged_counts(own_[i], other.cells_[i]);
    counted_ += other.counted_;
  }

  /// Writes the counts of features to `to`. A count is an upper bound of the number of sets that have the feature. The
  /// count 65,535 means 65,535 or more.
  /// Precondition: to.size() == features.size().
  void look_up(std::span<const Feature> features, std::span<std::uint16_t> to) const noexcept {
    for_each_block(features, [&](const places& of, std::size_t first, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        const auto few = static_cast<std::uint16_t>(detail::two_bit_count(cells_[of.word[i]], of.shift[i]));
        to[first + i] = few < detail::most_in_two_bits ? few : (std::max)(few, cells_[of.cell[i]]);
      }
    });
  }
  [[nodiscard]] std::uint16_t operator[](Feature feature) const noexcept {
    std::uint16_t count = 0;
    look_up({&feature, 1}, {&count, 1});
    return count;
  }

  /// Returns the number of cells of 16 bits in the sketch.
  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_.size() / 2; }
  /// Returns the number of features that were counted, including the features of merged counts.
  [[nodiscard]] std::uint64_t counted() const noexcept { return counted_; }

  /// Returns a hash of all counts. Equal counts have equal identities.
  /// Complexity: O(cells()).
  [[nodiscard]] std::uint64_t identity() const noexcept {
    return detail::checksum_of(std::as_bytes(cells_), sizeof(Feature));
  }

  /// Returns all counts as bytes, for load() and map().
  /// Throws: std::runtime_error on a machine that is not little-endian; std::bad_alloc.
  [[nodiscard]] std::vector<std::byte> save() const {
    detail::check_byte_order("counts of features");
    const header head{magic, version, sizeof(Feature), cells(), counted_, checksum()};
    std::vector<std::byte> bytes(sizeof head + cells_.size_bytes());
    std::memcpy(bytes.data(), &head, sizeof head);
    std::memcpy(bytes.data() + sizeof head, cells_.data(), cells_.size_bytes());
    return bytes;
  }

  /// Reads counts from the bytes of save().
  /// Throws: std::runtime_error if the bytes were not made by save(), have features of another type, or are damaged.
  [[nodiscard]] static feature_counts load(std::span<const std::byte> bytes) {
    const header head = checked(bytes);
    feature_counts result(head);
    result.own_.resize(2 * static_cast<std::size_t>(head.cells));
    std::memcpy(result.own_.data(), bytes.data() + sizeof head, bytes.size() - sizeof head);
    result.cells_ = result.own_;
    result.check_whole(head);
    return result;
  }

  /// Makes counts that read the bytes of save() in place, for example in a mapped file.
  /// Precondition: the bytes outlive the counts and their copies.
  /// Throws: std::runtime_error if the bytes were not made by save(), have features of another type, or are damaged;
  /// std::invalid_argument if the address is odd.
  [[nodiscard]] static feature_counts map(std::span<const std::byte> bytes) {
    const header head = checked(bytes);
    feature_counts result(head);
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint16_t) != 0) {
      detail::fail<std::invalid_argument>("counts are mapped at an odd address");
    }
    result.cells_ = {reinterpret_cast<const std::uint16_t*>(bytes.data() + sizeof head),
                     2 * static_cast<std::size_t>(head.cells)};
    result.check_whole(head);
    return result;
  }

 private:
  struct header {
    std::uint64_t magic;
    std::uint32_t version, width;
    std::uint64_t cells, counted, checksum;
  };
  static constexpr std::uint64_t magic = 0x73746e756f63646eU;  // "ndcounts"
  static constexpr std::uint32_t version = 2;
  static constexpr std::uint64_t features_a_cell = 8, min_cells = 1024, max_cells = std::uint64_t{1} << 36;
  static constexpr std::uint16_t most = (std::numeric_limits<std::uint16_t>::max)();

  /// Makes counts without cells. The caller sets the cells.
  explicit feature_counts(const header& head) : counted_(head.counted) {}

  /// Returns a checksum of the counts and of counted().
  [[nodiscard]] std::uint64_t checksum() const noexcept { return detail::mix(identity() + counted_); }
  void check_whole(const header& head) const {
    if (checksum() != head.checksum) detail::fail<std::runtime_error>("counts of features: damaged");
  }

  /// Returns the header at the beginning of saved counts.
  /// Throws: std::runtime_error if the bytes are not saved counts, or are damaged.
  static header checked(std::span<const std::byte> bytes) {
    detail::check_byte_order("counts of features");
    header head{};
    if (bytes.size() >= sizeof head) std::memcpy(&head, bytes.data(), sizeof head);
    if (head.magic != magic) detail::fail<std::runtime_error>("counts of features: not such counts");
    if (head.version != version) detail::fail<std::runtime_error>("counts of features: of another version");
    if (head.width != sizeof(Feature)) {
      detail::fail<std::runtime_error>(
          {"counts of features: of ", 8 * head.width, " bits instead of ", 8 * sizeof(Feature)});
    }
    if (head.cells == 0 || head.cells > max_cells ||
        bytes.size() - sizeof head != 2 * head.cells * sizeof(std::uint16_t)) {
      detail::fail<std::runtime_error>("counts of features: cut off, or damaged");
    }
    return head;
  }

  [[nodiscard]] bool is_mapped() const noexcept { return cells_.data() != own_.data(); }
  void check_is_writable() const {
    if (is_mapped()) detail::fail<std::logic_error>("mapped counts are read-only: load them");
  }

  static constexpr std::size_t block = 64;

  /// For each of some features, the index of its count in cells_, the index of the word with its 2 bits in cells_, and
  /// the position of the 2 bits in this word.
  struct places {
    std::size_t cell[block], word[block];
    std::uint8_t shift[block];
  };

  /// Calls use(places, first, count) for blocks of features. A block is the features [first, first + count). Each cell
  /// is likely to miss the cache, so the cells of a block are prefetched together.
  template <class Use>
  void for_each_block(std::span<const Feature> features, const Use& use) const {
    places of;
    for (std::size_t first = 0; first < features.size(); first += block) {
      const std::size_t count = (std::min)(block, features.size() - first);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t product = (std::uint64_t{features[first + i]} + 1) * detail::golden_ratio;
        const std::uint64_t hash = (product ^ product >> 32) * detail::golden_ratio;
        const std::uint64_t other = (hash ^ hash >> 29) * detail::golden_ratio;
        of.cell[i] = detail::to_size(scaled(hash, cells()));
        of.word[i] = detail::to_size(cells() + scaled(other, cells()));
        of.shift[i] = static_cast<std::uint8_t>((other & 7U) * 2);
        detail::prefetch(cells_.data() + of.cell[i]);
        detail::prefetch(cells_.data() + of.word[i]);
      }
      use(of, first, count);
    }
  }

  /// Returns hash * cells / 2^64. The product is computed from 32-bit halves, for processors without a 128-bit product.
  /// Precondition: cells <= 2^36.
  [[nodiscard]] static std::uint64_t scaled(std::uint64_t hash, std::uint64_t cells) noexcept {
    constexpr std::uint64_t low = 0xffffffffU;
    const std::uint64_t high_part = (hash >> 32) * (cells & low) + ((hash & low) * (cells & low) >> 32);
    return (high_part >> 32) + (hash >> 32) * (cells >> 32) + ((hash & low) * (cells >> 32) >> 32);
  }

  std::vector<std::uint16_t> own_;        // cells() counts, then as many words of eight cells of 2 bits
  std::span<const std::uint16_t> cells_;  // the cells of own_, or mapped cells
  std::uint64_t counted_ = 0;
};

}  // namespace neardup::inline v0
