// SPDX-License-Identifier: MIT
// frozen_index: an immutable index. Of the indexes with tables, it takes the least memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../error.hpp"
#include "../runner.hpp"
#include "../simhash.hpp"
#include "../threshold.hpp"
#include "engine/frozen_builder.hpp"
#include "engine/frozen_engine.hpp"
#include "engine/searches.hpp"
#include "layout.hpp"
#include "match.hpp"
#include "searchable_index.hpp"

namespace neardup::inline v0 {

namespace detail {

/// The source of a frozen_index that is built from entries in memory. All callers use this one type, so that the code
/// of the build is instantiated once per entry type.
template <class Entry>
struct entries_source {
  const Entry* entries;

  Entry operator()(std::size_t i) const { return entries[i]; }
};
template <class Entry>
entries_source(const Entry*) -> entries_source<Entry>;

}  // namespace detail

/// An immutable index. It is built once, and then only searched. It has the searches of pigeonhole_index, but takes
/// half the memory, and is faster for large corpora.
///
/// `k` and `blocks`: see pigeonhole_index. Duplicate pairs are stored once. All constructors take `run`, which spreads
/// the work over threads: `threads{8}`, or a runner of your own. The default is the calling thread only. The result is
/// the same for every runner. See pigeonhole_index for the other members.
/// Memory per distinct fingerprint, with 64 bits and 32-bit ids: 12 bytes, 8 bytes for each table except the first (12
/// bytes if k > 8), and 0.5 to 1 byte for the directory of each table, which has at most 2^26 buckets. If k <= 3,
/// Offset has 32 bits and there are at most 2^28 fingerprints, the buckets of a table with long keys are cache lines.
/// Such a table takes 9.4 bytes, and its searches are 1.5 times as fast.
/// Memory while building: the memory of the index and of the input, and twice the memory of 2^23 pairs. More than 2^26
/// pairs are first partitioned coarsely, within the memory of the index. Then each part is partitioned separately.
/// Tables whose buckets are cache lines take another 8 bytes per fingerprint.
/// Complexity: building an index of n pairs takes O(tables * n), because the build partitions, and does not sort.
/// Example: `const frozen_index<64> index(3, 5, fingerprints);  for (auto& m : index.search(query)) print(m.id);`
template <std::size_t Bits, class Id = std::uint32_t, class Offset = std::uint32_t, class Fingerprint = simhash<Bits>>
class frozen_index : public searchable_index<Bits, Id, Offset, Fingerprint,
                                             detail::frozen_engine<detail::words_for(Bits), Id, Offset>> {
  using engine_type = detail::frozen_engine<detail::words_for(Bits), Id, Offset>;
  using base = searchable_index<Bits, Id, Offset, Fingerprint, engine_type>;
  using base::engine_;
  using words_type = typename Fingerprint::words_type;

 public:
  using typename base::fingerprint_type;
  using typename base::value_type;

  /// Builds the index from the entries source(0), ..., source(count - 1). An entry is a value_type. All threads of the
  /// runner `run` call `source`, several times per entry.
  /// Precondition: all calls of `source` with the same number return the same entry.
  /// Throws: std::invalid_argument unless layout::is_valid(Bits, k, blocks); std::length_error if there are more than
  /// max_distinct_size() fingerprints, or at least 2^32 pairs and Offset has at most 32 bits; std::bad_alloc.
  template <std::invocable<std::size_t> Source>
  frozen_index(neardup::bits k, int blocks, std::size_t count, const Source& source, const any_runner& run = {})
      : base(build(layout(Bits, k.count, blocks), count, source, run)) {}

  /// Builds the index from fingerprints and their ids. ids[i] is the id of fingerprints[i].
  /// Throws: the exceptions of the constructor that takes a source; std::invalid_argument if the ranges have different
  /// sizes.
  frozen_index(neardup::bits k, int blocks, std::span<const fingerprint_type> fingerprints, std::span<const Id> ids,
               const any_runner& run = {})
      : base(build(
            layout(Bits, k.count, blocks), checked(fingerprints.size(), ids.size()),
            [&](std::size_t i) {
              return value_type{fingerprints[i], ids[i]};
            },
            run)) {}

  /// Builds the index from fingerprints. The id of a fingerprint is its position.
  /// Throws: the exceptions of the constructor that takes a source; std::length_error if Id cannot represent the last
  /// position.
  frozen_index(neardup::bits k, int blocks, std::span<const fingerprint_type> fingerprints, const any_runner& run = {})
      : base(build(
            layout(Bits, k.count, blocks), numbered(fingerprints.size()),
            [&](std::size_t i) {
              return value_type{fingerprints[i], static_cast<Id>(i)};
            },
            run)) {}

  /// Returns the layout: the blocks of the fingerprints, and the keys of the tables.
  [[nodiscard]] const layout& shape() const noexcept { return engine_.shape(); }

  [[nodiscard]] std::size_t memory_usage() const noexcept { return engine_.memory_usage(); }

  void swap(frozen_index& other) noexcept { engine_.swap(other.engine_); }
  friend void swap(frozen_index& a, frozen_index& b) noexcept { a.swap(b); }
  friend bool operator==(const frozen_index& a, const frozen_index& b) {
    return detail::same_pairs(a.engine_.store(), b.engine_.store());
  }

 private:
  friend struct detail::frozen_access;

  explicit frozen_index(engine_type engine) noexcept : base(std::move(engine)) {}

  template <class Source>
  static engine_type build(const layout& shape, std::size_t count, const Source& source, const any_runner& run) {
    using builder = detail::frozen_builder<detail::words_for(Bits), Id, Offset>;
    return builder(shape, count, run).build([&](std::size_t i) {
      const value_type pair = source(i);
      return typename builder::pair{pair.fingerprint.to_words(), pair.id};
    });
  }

  static std::size_t checked(std::size_t fingerprints, std::size_t ids) {
    if (fingerprints != ids) {
      detail::fail<std::invalid_argument>({"frozen_index: ", fingerprints, " fingerprints, but ", ids, " ids"});
    }
    return ids;
  }

  static std::size_t numbered(std::size_t count) {
    static_assert(
        counting_id<Id>,
        "neardup: positions are ids only of an integer type, such as std::uint32_t (not of bool, nor of a type "
        "of characters); give the ids as well");
    if constexpr (counting_id<Id>) {
      if (count > 0 && std::cmp_greater(count - 1, (std::numeric_limits<Id>::max)())) {
        detail::fail<std::length_error>({"frozen_index: the type of the ids cannot number ", count,
                                         " fingerprints; write frozen_index<Bits, std::uint64_t>"});
      }
    }
    return count;
  }
};

/// Builds a frozen_index from the pairs of another index. The new index has the layout of `k` and `blocks`, for
/// searches within k bits. It does not refer to `index`, so `index` may be destroyed.
/// Memory: the two indexes, and a copy of the pairs during the build.
/// Throws: the exceptions of the constructors of frozen_index.
template <class Index>
[[nodiscard]] auto freeze(const Index& index, neardup::bits k, int blocks, const any_runner& run = {}) {
  const std::vector<typename Index::value_type> pairs(index.begin(), index.end());
  return frozen_index<Index::bits, typename Index::id_type, typename Index::offset_type,
                      typename Index::fingerprint_type>(k, blocks, pairs.size(), detail::entries_source{pairs.data()},
                                                        run);
}

/// Builds a frozen_index from the pairs of another index. The new index has the layout of `index`.
/// Throws: the exceptions of the constructors of frozen_index; std::invalid_argument if `index` is an index_view of a
/// flat_index, which has no layout.
template <class Index>
[[nodiscard]] auto freeze(const Index& index, const any_runner& run = {}) {
  constexpr bool has_layout = requires { index.shape(); };
  static_assert(has_layout,
                "neardup: this index has no layout that a frozen_index could have; write freeze(index, k, "
                "blocks), for instance freeze(index, 3, default_blocks(64, 3))");
  if constexpr (has_layout) {
    if constexpr (requires { index.is_flat(); }) {
      if (index.is_flat()) {
        detail::fail<std::invalid_argument>(
            "freeze: the view is of a flat_index, which has no layout; write freeze(view, k, blocks)");
      }
    }
    return freeze(index, index.shape().k(), index.shape().blocks(), run);
  } else {
    return freeze(index, 0, 1, run);  // never runs: gives `auto` a type, so that only the static_assert fails
  }
}

}  // namespace neardup::inline v0
