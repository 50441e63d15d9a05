// SPDX-License-Identifier: MIT
// Row keys for ordered key-value stores. With these keys, a search of a pigeonhole index is a few scans of ranges of
// keys.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../detail/bits.hpp"
#include "../error.hpp"
#include "../index/engine/search_plans.hpp"
#include "../index/layout.hpp"
#include "../index/match.hpp"
#include "../simhash.hpp"
#include "../threshold.hpp"

namespace neardup::inline v0 {

/// A half-open range of row keys: begin <= key < end. If `end` is empty, the range has no upper bound.
struct band_range {
  std::string begin, end;

  friend bool operator==(const band_range&, const band_range&) = default;
};

/// The row keys of a pigeonhole index in a key-value store that orders keys by their bytes, such as LMDB, RocksDB or an
/// SQL table. Rows have no values.
///
/// The layout of a key:
///
///   n bytes           the segment: the bits of the table's blocks. n is the same in all tables, and at least 4
///   1 byte            the number of the table
///   Bits / 8 bytes    the fingerprint
///   sizeof(Id) bytes  the id
///
/// All numbers are big-endian, so that the order of the bytes is the order of the numbers. A stored pair has one row
/// per table. A search scans the ranges of its query, and calls match_of() for each row. Each match is found once.
/// Example, with any ordered store:
///   band_key<64> keys(layout(64, 3, 4));
///   keys.for_each_row(fingerprint, id, [&](std::string_view key) { store.put(key, ""); });
///   keys.for_each_range(query, 3, [&](const band_range& range, std::size_t step) {
///     for (each key of the store in range) if (auto match = keys.match_of(key, query, 3, step)) use(*match);
///   });
template <std::size_t Bits, std::unsigned_integral Id = std::uint64_t, class Fingerprint = simhash<Bits>>
class band_key {
  static_assert(detail::check_fingerprint_type<Fingerprint, Bits>());

  static constexpr std::size_t words = detail::words_for(Bits);
  using plans_type = detail::search_plans<words>;

 public:
  using fingerprint_type = Fingerprint;
  using match_type = match<Bits, Id, Fingerprint>;
  /// A row represents a stored pair (fingerprint, id) in one table.
  struct row_type {
    std::uint64_t segment;  ///< the key in the table: the bits of its blocks, packed into the lowest bits
    std::uint8_t table;
    Fingerprint fingerprint;
    Id id;
  };

  /// Makes an object that encodes the row keys of a layout. If the blocks of a table have more than 64 bits, the
  /// segment has only the first 64 bits.
  /// Throws: std::invalid_argument if the layout is for fingerprints of another width.
  explicit band_key(const layout& shape) : plans_(plans_of(shape)) {
    std::size_t width = 0;
    for (const auto& key : plans_->keys()) width = (std::max)(width, key.width());
    segment_bytes_ = (std::max)(std::size_t{4}, (width + 7) / 8);
  }

  [[nodiscard]] const layout& shape() const noexcept { return plans_->shape(); }

  /// Returns the length of a key in bytes.
  [[nodiscard]] std::size_t size() const noexcept { return segment_bytes_ + 1 + Bits / 8 + sizeof(Id); }

  /// Returns the key that encodes a row.
  /// Precondition: `row.segment` is the segment of the fingerprint in the table of the row.
  [[nodiscard]] std::string encode(const row_type& row) const {
    std::string key = prefix(row.segment, row.table);
    for (std::size_t byte = Bits / 8; byte-- > 0;) {
      key.push_back(static_cast<char>(row.fingerprint.to_words()[byte / 8] >> (8 * (byte % 8)) & 0xffU));
    }
    put(key, row.id, sizeof(Id));
    return key;
  }

  /// Returns the row that a key encodes. Returns nullopt if the key has another length, an unknown table, or a segment
  /// that does not agree with the fingerprint.
  [[nodiscard]] std::optional<row_type> decode(std::string_view key) const {
    if (key.size() != size()) return std::nullopt;
    row_type row{};
    row.segment = get(key.substr(0, segment_bytes_));
    row.table = static_cast<std::uint8_t>(key[segment_bytes_]);
    if (row.table >= plans_->keys().size()) return std::nullopt;
    typename fingerprint_type::words_type value{};
    for (std::size_t i = 0; i < Bits / 8; ++i) {
      const std::size_t byte = Bits / 8 - 1 - i;
      value[byte / 8] |= std::uint64_t{static_cast<unsigned char>(key[segment_bytes_ + 1 + i])} << (8 * (byte % 8));
    }
    row.fingerprint = fingerprint_type(value);
    row.id = static_cast<Id>(get(key.substr(key.size() - sizeof(Id))));
    if (plans_->keys()[row.table].of(value) != row.segment) return std::nullopt;
    return row;
  }

  /// Calls `visit(key)` for the row of a pair in each table. To store the pair, insert these rows. To erase the pair,
  /// delete these rows.
  template <class Visit>
    requires std::invocable<Visit&, std::string_view>
  void for_each_row(const fingerprint_type& fingerprint, Id id, Visit&& visit) const {
    for (std::size_t table = 0; table < plans_->keys().size(); ++table) {
      const std::uint64_t segment = plans_->keys()[table].of(fingerprint.to_words());
      visit(std::string_view(encode({segment, static_cast<std::uint8_t>(table), fingerprint, id})));
    }
  }

  /// Returns the range of the keys of all rows of `table` whose segment is `segment`; see row_type. If all bits of
  /// `segment` and `table` are 1, the member `end` is empty, because no key is greater.
  [[nodiscard]] band_range range_of(std::uint64_t segment, std::size_t table) const {
    band_range range{prefix(segment, static_cast<std::uint8_t>(table)),
                     prefix(segment, static_cast<std::uint8_t>(table))};
    std::string& end = range.end;
    while (!end.empty() && end.back() == '\xff') end.pop_back();
    if (!end.empty()) end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
    return range;
  }

  /// Calls `visit(range, step)` for each range of row keys that a search within k bits of `query` scans. `step` is the
  /// index of the probed table in the plan of the search. Pass `step` to match_of().
  /// Throws: std::invalid_argument if k is not in 0..shape().k().
  template <class Visit>
    requires std::invocable<Visit&, const band_range&, std::size_t>
  void for_each_range(const fingerprint_type& query, bits k, Visit&& visit) const {
    const auto& plan = plan_of(k.count);
    for (std::size_t step = 0; step < plan.steps.size(); ++step) {
      const auto& probe = plan.steps[step];
      probe.visit_keys(query.to_words(), [&](std::uint64_t segment) {
        visit(range_of(segment, probe.table), step);
        return true;
      });
    }
  }

  /// Returns the match of a row with `query`. Returns nullopt in three cases: the fingerprint differs in more than k
  /// bits, an earlier range also contains the fingerprint, or the bytes are not a row.
  /// Precondition: the row is in a range that for_each_range() passed with this `step`.
  [[nodiscard]] std::optional<match_type> match_of(std::string_view key, const fingerprint_type& query, bits k,
                                                   std::size_t step) const {
    const std::optional<row_type> row = decode(key);
    if (!row) return std::nullopt;
    const auto difference = detail::differing_bits(row->fingerprint.to_words(), query.to_words());
    const int distance = detail::portable_popcount(difference);
    if (distance > k.count || plan_of(k.count).is_found_before(step, difference)) return std::nullopt;
    return match_type{row->id, distance, row->fingerprint};
  }

 private:
  static std::shared_ptr<const plans_type> plans_of(const layout& shape) {
    if (shape.bits() != Bits) {
      detail::fail<std::invalid_argument>({"band_key: the layout is for ", shape.bits(), " bits, not ", Bits});
    }
    return std::make_shared<const plans_type>(shape);
  }

  const typename plans_type::plan& plan_of(int k) const {
    if (k < 0 || k > shape().k()) detail::refuse_distance(k, shape().k());
    return plans_->within(k);
  }

  static void put(std::string& key, std::uint64_t number, std::size_t bytes) {
    for (std::size_t i = bytes; i-- > 0;) key.push_back(static_cast<char>(number >> (8 * i) & 0xffU));
  }
  static std::uint64_t get(std::string_view bytes) {
    std::uint64_t number = 0;
    for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
    return number;
  }

  [[nodiscard]] std::string prefix(std::uint64_t segment, std::uint8_t table) const {
    std::string key;
    key.reserve(size());
    put(key, segment, segment_bytes_);
    key.push_back(static_cast<char>(table));
    return key;
  }

  std::shared_ptr<const plans_type> plans_;
  std::size_t segment_bytes_ = 4;
};

}  // namespace neardup::inline v0
