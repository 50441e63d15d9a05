// feature_counts: how many sets have a feature, for the rare-first order of a shuffle.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../detail/bits.hpp"
#include "../detail/prefetch.hpp"
#include "../error.hpp"
#include "engine/checksum.hpp"

namespace neardup::inline v0 {

/// Document frequencies of features, in a sketch of 16-bit cells. Features whose hashes choose the same cell share a
/// count, so a count is never too low; from 65,535 on it stays there. Sketches of parts of a corpus can be merged: the
/// result is that of the whole corpus, whatever the parts and their order.
///
/// The pairs of a shuffle do not depend on the counts. Only its cost does.
/// Memory: about half a byte for each feature that the constructor is told of.
template <std::unsigned_integral Feature = std::uint64_t>
class feature_counts {
  static_assert(sizeof(Feature) == 4 || sizeof(Feature) == 8, "neardup: features have 32 or 64 bits");

 public:
  using feature_type = Feature;

  /// `features`: about how many features all sets of the corpus have in sum. All sketches to be merged are made with
  /// the same number.
  explicit feature_counts(std::uint64_t features = 0)
      : own_(static_cast<std::size_t>(std::clamp(features / features_a_cell, min_cells, max_cells))), cells_(own_) {}

  feature_counts(const feature_counts& other) : own_(other.own_), cells_(other.cells_), counted_(other.counted_) {
    if (!other.is_mapped()) cells_ = own_;
  }
  feature_counts(feature_counts&& other) noexcept { swap(other); }
  feature_counts& operator=(feature_counts other) noexcept {
    swap(other);
    return *this;
  }
  ~feature_counts() = default;
  void swap(feature_counts& other) noexcept {
    own_.swap(other.own_);
    std::swap(cells_, other.cells_);
    std::swap(counted_, other.counted_);
  }

  /// Counts the features of one set, or of many sets in one array. Each feature occurs once in each set that has it.
  /// Throws: std::logic_error if the counts are mapped.
  void add(std::span<const Feature> features) {
    check_is_writable();
    constexpr std::size_t ahead = 16;
    for (std::size_t i = 0; i < features.size(); ++i) {
      if (i + ahead < features.size()) prefetch(features[i + ahead]);
      std::uint16_t& cell = own_[place(features[i])];
      cell = static_cast<std::uint16_t>(cell + (cell < most ? 1 : 0));
    }
    counted_ += features.size();
  }

  /// Adds the counts of another part of the corpus.
  /// Throws: std::invalid_argument if cells() differ; std::logic_error if the counts of this object are mapped.
  void merge(const feature_counts& other) {
    check_is_writable();
    if (cells() != other.cells()) {
      detail::fail<std::invalid_argument>("counts of " + std::to_string(other.cells()) +
                                          " cells do not merge into counts of " + std::to_string(cells()));
    }
    for (std::size_t i = 0; i < own_.size(); ++i) {
      const std::uint32_t sum = std::uint32_t{own_[i]} + other.cells_[i];
      own_[i] = static_cast<std::uint16_t>((std::min)(sum, std::uint32_t{most}));
    }
    counted_ += other.counted_;
  }

  /// An upper bound of the number of sets that have a feature; 65,535 stands for that many and more.
  [[nodiscard]] std::uint16_t operator[](Feature feature) const noexcept { return cells_[place(feature)]; }
  void prefetch(Feature feature) const noexcept { detail::prefetch(cells_.data() + place(feature)); }

  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_.size(); }
  /// The number of features that were counted, those of merged counts included.
  [[nodiscard]] std::uint64_t counted() const noexcept { return counted_; }

  /// A hash of all counts. Counts of equal contents have equal identities. Complexity: O(cells()).
  [[nodiscard]] std::uint64_t identity() const noexcept {
    return detail::checksum_of(std::as_bytes(cells_), sizeof(Feature));
  }

  /// All counts as bytes, which load() and map() read on machines of the same byte order.
  [[nodiscard]] std::vector<std::byte> save() const {
    const header head{magic, version, sizeof(Feature), cells(), counted_, checksum()};
    std::vector<std::byte> bytes(sizeof head + cells_.size_bytes());
    std::memcpy(bytes.data(), &head, sizeof head);
    std::memcpy(bytes.data() + sizeof head, cells_.data(), cells_.size_bytes());
    return bytes;
  }

  /// Counts from the bytes of save(). Throws: std::runtime_error if the bytes are no such counts, or are damaged.
  [[nodiscard]] static feature_counts load(std::span<const std::byte> bytes) {
    const header head = checked(bytes);
    feature_counts result(head);
    result.own_.resize(static_cast<std::size_t>(head.cells));
    std::memcpy(result.own_.data(), bytes.data() + sizeof head, bytes.size() - sizeof head);
    result.cells_ = result.own_;
    result.check_whole(head);
    return result;
  }

  /// Counts that read the bytes of save() where they are, such as in a mapped file. The bytes must outlive the counts
  /// and their copies, and begin at an even address.
  /// Throws: as load(); std::invalid_argument if the address is odd.
  [[nodiscard]] static feature_counts map(std::span<const std::byte> bytes) {
    const header head = checked(bytes);
    feature_counts result(head);
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint16_t) != 0) {
      detail::fail<std::invalid_argument>("counts are mapped at an odd address");
    }
    result.cells_ = {reinterpret_cast<const std::uint16_t*>(bytes.data() + sizeof head),
                     static_cast<std::size_t>(head.cells)};
    result.check_whole(head);
    return result;
  }

 private:
  struct header {
    std::uint64_t magic;
    std::uint32_t version, width;
    std::uint64_t cells, counted, checksum;
  };
  static constexpr std::uint64_t magic = 0x73746e756f63646eU;  // "ndcounts" on little-endian machines
  static constexpr std::uint32_t version = 1;
  static constexpr std::uint64_t features_a_cell = 4, min_cells = 1024, max_cells = std::uint64_t{1} << 36;
  static constexpr std::uint16_t most = (std::numeric_limits<std::uint16_t>::max)();

  /// Counts whose cells are set later.
  explicit feature_counts(const header& head) : counted_(head.counted) {}

  /// Of the contents, and of what the header says about them.
  [[nodiscard]] std::uint64_t checksum() const noexcept { return detail::mix(identity() + counted_); }
  void check_whole(const header& head) const {
    if (checksum() != head.checksum) detail::fail<std::runtime_error>("counts of features: damaged");
  }

  /// The header at the beginning of saved counts. Throws: std::runtime_error.
  static header checked(std::span<const std::byte> bytes) {
    header head{};
    if (bytes.size() >= sizeof head) std::memcpy(&head, bytes.data(), sizeof head);
    if (head.magic != magic) {
      detail::fail<std::runtime_error>("counts of features: not such counts, or of a machine of another byte order");
    }
    if (head.version != version) detail::fail<std::runtime_error>("counts of features: of another version");
    if (head.width != sizeof(Feature)) {
      detail::fail<std::runtime_error>("counts of features: of " + std::to_string(8 * head.width) +
                                       " bits instead of " + std::to_string(8 * sizeof(Feature)));
    }
    if (head.cells == 0 || head.cells > max_cells || bytes.size() - sizeof head != head.cells * sizeof(std::uint16_t)) {
      detail::fail<std::runtime_error>("counts of features: cut off, or damaged");
    }
    return head;
  }

  [[nodiscard]] bool is_mapped() const noexcept { return cells_.data() != own_.data(); }
  void check_is_writable() const {
    if (is_mapped()) detail::fail<std::logic_error>("mapped counts are read-only: load them");
  }

  [[nodiscard]] std::size_t place(Feature feature) const noexcept {
    const std::uint64_t hash = (std::uint64_t{feature} * detail::golden_ratio) ^ (std::uint64_t{feature} >> 32);
    return static_cast<std::size_t>(scaled(hash * detail::golden_ratio, cells_.size()));
  }
  /// hash * cells / 2^64, in two steps that no processor lacks. Precondition: cells <= 2^36.
  [[nodiscard]] static std::uint64_t scaled(std::uint64_t hash, std::uint64_t cells) noexcept {
    constexpr std::uint64_t low = 0xffffffffU;
    const std::uint64_t high_part = (hash >> 32) * (cells & low) + ((hash & low) * (cells & low) >> 32);
    return (high_part >> 32) + (hash >> 32) * (cells >> 32) + ((hash & low) * (cells >> 32) >> 32);
  }

  std::vector<std::uint16_t> own_;
  std::span<const std::uint16_t> cells_;  // those of own_, or mapped ones
  std::uint64_t counted_ = 0;
};

}  // namespace neardup::inline v0
