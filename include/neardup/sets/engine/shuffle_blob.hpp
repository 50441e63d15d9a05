// SPDX-License-Identifier: MIT
// Blobs: a blob is the bytes that a scatter sends to one partition.
//
// A blob is a header and records. A record stands for all equal sets of one batch. Each of these parts of a record
// begins at a multiple of eight bytes:
//
//   record_head  sizes of the following parts
//   documents    head.copies numbers of 64 bits, ascending
//   whole sets:  features  head.size features, ascending
//                prefix    head.prefix indexes into the features: the prefix, rare features first, without features
//                          that no other set has; of 1, 2 or 4 bytes, as index_width(head.size) says
//                rows      head.rows indexes into the prefix, of the same width: the features of this partition
//   otherwise:   hash      of all features, 128 bits
//                bitmap    128 bits, in sketches only
//                features  head.rows features of this partition
//                positions head.rows positions of these features in the prefix, of 32 bits
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../detail/xxh3.hpp"
#include "../../error.hpp"
#include "../feature_sets.hpp"
#include "bitmap_filter.hpp"

namespace neardup::inline v0::detail {

/// The header of a blob. Two blobs belong to one partition of one shuffle if all members up to `counts` are equal.
struct blob_header {
  std::uint64_t magic;
  std::uint16_t version;
  std::uint8_t width, measure, payload, flags;
  std::uint16_t zero;
  std::uint64_t similarity;  // the bits of a double
  std::uint64_t min_common;
  std::uint32_t partitions, partition;
  std::uint64_t second_from, identity, counts;
  std::uint64_t records, bytes, checksum;

  static constexpr std::uint64_t magic_number = 0x6f6c62706475656eU;  // "neudpblo"
  static constexpr std::uint16_t current_version = 2;
  static constexpr std::uint8_t all_counted = 1, copies_once = 2;
};
static_assert(sizeof(blob_header) == 88);

struct record_head {
  std::uint32_t size;      // number of features of the set
  std::uint32_t left_out;  // number of prefix features that no other set has; these come first
  std::uint32_t prefix, rows, copies, zero;
};
static_assert(sizeof(record_head) == 24);

/// Returns the checksum of a blob.
/// Precondition: header.checksum == 0.
[[nodiscard]] inline std::uint64_t checksum_of_blob(const blob_header& header,
                                                    std::span<const std::byte> body) noexcept {
  return checksum_of(body, checksum_of(std::as_bytes(std::span(&header, 1))));
}

using set_hash = std::array<std::uint64_t, 2>;

/// Returns a hash of all features of a set. Different sets have different hashes, except with negligible probability.
template <class Feature>
[[nodiscard]] set_hash hash_of_set(std::span<const Feature> set) noexcept {
  set_hash hash{set.size(), set.size()};
  for (const Feature feature : set) {
    hash[0] += mix(std::uint64_t{feature} + golden_ratio);
    hash[1] += mix(~std::uint64_t{feature});
  }
  return hash;
}

[[nodiscard]] constexpr std::size_t index_width(std::size_t size) noexcept {
  return size <= 0x100 ? 1 : size <= 0x10000 ? 2 : 4;
}
[[nodiscard]] constexpr std::size_t padded(std::size_t bytes) noexcept { return (bytes + 7) / 8 * 8; }

/// Reads the index at position `i`. An index has `width` bytes: 1, 2 or 4.
[[nodiscard]] inline std::uint32_t index_at(const std::byte* indexes, std::size_t width, std::size_t i) noexcept {
  std::uint32_t result = 0;
  if (width == 1) return std::to_integer<std::uint32_t>(indexes[i]);
  if (width == 4) {
    std::memcpy(&result, indexes + 4 * i, 4);
    return result;
  }
  std::uint16_t half = 0;
  std::memcpy(&half, indexes + 2 * i, 2);
  return half;
}

/// Appends records to the bytes of a blob.
class blob_writer {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

  template <class T>
  void append(std::span<const T> values) {
    if (bytes_.empty()) bytes_.resize(sizeof(blob_header));
    const std::size_t at = bytes_.size();
    bytes_.resize(at + padded(values.size_bytes()));
    if (!values.empty()) std::memcpy(bytes_.data() + at, values.data(), values.size_bytes());
  }
  template <class T>
  void append(const T& value) {
    append(std::span<const T>(&value, 1));
  }

  /// Appends two lists of indexes. `width`, the bytes of an index, is 1, 2 or 4.
  void append_indexes(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second, std::size_t width);

  void count_record() noexcept { ++records_; }

  /// Returns the finished blob, and empties the writer. The blob is an empty vector if there are no records.
  [[nodiscard]] std::vector<std::byte> take(blob_header header);

 private:
  std::vector<std::byte> bytes_;  // begins with space for the header
  std::uint64_t records_ = 0;
};

/// A record of a blob. The members of the record are views of the bytes of the blob.
template <class Feature>
struct blob_record {
  record_head head;
  std::span<const std::uint64_t> documents;
  std::span<const Feature> features;  // whole sets: all features; otherwise the features of the rows
  const std::byte* prefix;            // `prefix` and `rows`: only for whole sets
  const std::byte* rows;
  std::span<const std::uint32_t> positions;  // not for whole sets
  set_hash hash;                             // not for whole sets
  set_bitmap bitmap;                         // only for sketches
};

/// Reads the records of a blob, and checks that each record is complete.
template <class Feature>
class blob_reader {
 public:
  /// Makes a reader. `name`: the name of the blob in messages.
  /// Precondition: the address of the bytes is a multiple of eight.
  blob_reader(std::span<const std::byte> bytes, bool has_sets, bool has_bitmaps, const std::string& name)
      : rest_(bytes), has_sets_(has_sets), has_bitmaps_(has_bitmaps), name_(name) {}

  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

  /// Reads the next record.
  /// Throws: std::runtime_error if the record is not complete.
  blob_record<Feature> next() {
    blob_record<Feature> result{};
    record_head& head = result.head;
    head = take<record_head>(1).front();
    constexpr std::uint32_t most = (std::numeric_limits<std::uint32_t>::max)();
    if (head.zero != 0 || head.copies == 0 || head.rows == 0 || head.size == 0 || head.size == most) fail_damaged();
    result.documents = take<std::uint64_t>(head.copies);
    if (!std::is_sorted(result.documents.begin(), result.documents.end())) fail_damaged();
    if (!has_sets_) {
      if (head.prefix != 0) fail_damaged();
      const std::span<const std::uint64_t> hash = take<std::uint64_t>(2);
      result.hash = {hash[0], hash[1]};
      if (has_bitmaps_) {
        const std::span<const std::uint64_t> bitmap = take<std::uint64_t>(2);
        result.bitmap = {bitmap[0], bitmap[1]};
      }
      result.features = take<Feature>(head.rows);
      result.positions = take<std::uint32_t>(head.rows);
      check_rows(head.left_out, head.size, head.rows, [&](std::size_t i) { return result.positions[i]; });
      return result;
    }
    result.features = take<Feature>(head.size);
    if (!is_ascending(result.features)) fail_damaged();
    const std::size_t width = index_width(head.size), prefix = head.prefix;
    if (prefix > head.size || head.left_out > head.size - prefix || head.rows > prefix) fail_damaged();
    const std::span<const std::byte> indexes = take<std::byte>((prefix + head.rows) * width);
    result.prefix = indexes.data();
    result.rows = indexes.data() + prefix * width;
    for (std::size_t i = 0; i < prefix; ++i) {
      if (index_at(result.prefix, width, i) >= head.size) fail_damaged();
    }
    check_rows(0, prefix, head.rows, [&](std::size_t i) { return index_at(result.rows, width, i); });
    return result;
  }

 private:
  /// Checks that the `rows` positions place(0), place(1), ... in the prefix ascend and are in [first, end). If a row
  /// occurred twice, its set would be compared with itself.
  /// Throws: std::runtime_error if the positions do not ascend or are not in [first, end).
  template <class Place>
  void check_rows(std::size_t first, std::size_t end, std::size_t rows, const Place& place) const {
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t at = place(i);
      if (at < first || at >= end) fail_damaged();
      first = at + 1;
    }
  }

  [[noreturn]] void fail_damaged() const { fail<std::runtime_error>({name_, ": damaged"}); }

  template <class T>
  std::span<const T> take(std::size_t count) {
    if (count > rest_.size() / sizeof(T) || padded(count * sizeof(T)) > rest_.size()) fail_damaged();
    const std::span<const T> result(reinterpret_cast<const T*>(rest_.data()), count);
    rest_ = rest_.subspan(padded(count * sizeof(T)));
    return result;
  }

  std::span<const std::byte> rest_;
  bool has_sets_, has_bitmaps_;
  const std::string& name_;
};

#if NEARDUP_BODIES

NEARDUP_INLINE void blob_writer::append_indexes(std::span<const std::uint32_t> first,
                                                std::span<const std::uint32_t> second, std::size_t width) {
  const std::size_t at = bytes_.size();
  bytes_.resize(at + padded((first.size() + second.size()) * width));
  std::byte* to = bytes_.data() + at;
  for (const auto list : {first, second}) {
    for (const std::uint32_t index : list) {
      const auto half = static_cast<std::uint16_t>(index);
      const auto byte = static_cast<std::uint8_t>(index);
      std::memcpy(to,
                  width == 4   ? static_cast<const void*>(&index)
                  : width == 2 ? &half
                               : static_cast<const void*>(&byte),
                  width);
      to += width;
    }
  }
}

NEARDUP_INLINE std::vector<std::byte> blob_writer::take(blob_header header) {
  if (bytes_.empty()) return {};
  check_byte_order("a blob of a shuffle");
  header.records = records_;
  header.bytes = bytes_.size() - sizeof header;
  header.checksum = 0;
  header.checksum = checksum_of_blob(header, std::span(bytes_).subspan(sizeof header));
  std::memcpy(bytes_.data(), &header, sizeof header);
  records_ = 0;
  return std::exchange(bytes_, {});
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
