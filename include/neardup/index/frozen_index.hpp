// The most compact index, which cannot be changed.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../error.hpp"
#include "../runner.hpp"
#include "../simhash.hpp"
#include "engine/frozen_builder.hpp"
#include "engine/frozen_engine.hpp"
#include "engine/searches.hpp"
#include "layout.hpp"
#include "match.hpp"
#include "searchable_index.hpp"

namespace neardup::inline v0 {

namespace detail {

/// Entries in memory for a frozen_index: one type, so that building one is compiled once for all indexes of these
/// entries.
template <class Entry>
struct entries_source {
  const Entry* entries;

  Entry operator()(std::size_t i) const { return entries[i]; }
};
template <class Entry>
entries_source(const Entry*) -> entries_source<Entry>;

}  // namespace detail

/// An index that is built at once and then only searched: the searches of pigeonhole_index in half of its memory, and
/// for large corpora faster.
///
/// k and blocks are those of pigeonhole_index. Equal pairs count once.
/// Space, for 64 bits and 32-bit ids: 12 bytes for each different fingerprint, 8 for each table but the first (12 if k
/// > 8), and 0.5 to 1 for each table for directories of up to 2^26 buckets. For k <= 3, up to 2^28 fingerprints and an
/// Offset of 32 bits, tables with keys long enough are arrays of lines of the cache instead: 9.4 bytes, and searches
/// 1.5 times as fast.
/// Complexity of building: O(tables * n), by partitioning. More than 2^26 pairs are partitioned in the index's own
/// memory first and then part by part, so that it takes no more than the index itself, the input, and 1/8 of 2^26 pairs
/// twice; where tables are lines, 8 bytes more for each fingerprint.
/// In all constructors, `run` is how the work is spread: `threads{8}`, or your own runner; without it, the
/// caller's thread does it all. The result does not depend on it.
/// All members but the constructors are as those of pigeonhole_index.
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

  /// From `count` entries source(0) to source(count - 1), each a value_type. The source is called several times for
  /// each, from several threads if there are, and must give the same each time.
  /// Throws: std::invalid_argument unless layout::is_valid(Bits, k, blocks); std::length_error if there are more than
  /// max_distinct_size() fingerprints, or 2^32 pairs and more with an Offset of up to 32 bits; std::bad_alloc.
  template <std::invocable<std::size_t> Source>
  frozen_index(int k, int blocks, std::size_t count, const Source& source, const any_runner& run = {})
      : base(build(layout(Bits, k, blocks), count, source, run)) {}

  /// From fingerprints and their ids. Throws: as above, and std::invalid_argument if there are not as many of both.
  frozen_index(int k, int blocks, std::span<const fingerprint_type> fingerprints, std::span<const Id> ids,
               const any_runner& run = {})
      : base(build(
            layout(Bits, k, blocks), checked(fingerprints.size(), ids.size()),
            [&](std::size_t i) {
              return value_type{fingerprints[i], ids[i]};
            },
            run)) {}

  /// From fingerprints whose ids are their positions. Throws: as above, and std::length_error if Id cannot number them.
  frozen_index(int k, int blocks, std::span<const fingerprint_type> fingerprints, const any_runner& run = {})
      : base(build(
            layout(Bits, k, blocks), numbered(fingerprints.size()),
            [&](std::size_t i) {
              return value_type{fingerprints[i], static_cast<Id>(i)};
            },
            run)) {}

  /// How the fingerprints are cut into blocks.
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
      detail::fail<std::invalid_argument>("frozen_index: " + std::to_string(fingerprints) + " fingerprints, but " +
                                          std::to_string(ids) + " ids");
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
        detail::fail<std::length_error>("frozen_index: the type of the ids cannot number " + std::to_string(count) +
                                        " fingerprints; write frozen_index<Bits, std::uint64_t>");
      }
    }
    return count;
  }
};

/// A frozen_index of the pairs of another index, for searches within k bits in the layout of k and blocks. It does not
/// refer to the other one, which may be destroyed.
/// Memory: besides both, a copy of the pairs while it works.
/// Throws: as the constructors of frozen_index.
template <class Index>
[[nodiscard]] auto freeze(const Index& index, int k, int blocks, const any_runner& run = {}) {
  const std::vector<typename Index::value_type> pairs(index.begin(), index.end());
  return frozen_index<Index::bits, typename Index::id_type, typename Index::offset_type,
                      typename Index::fingerprint_type>(k, blocks, pairs.size(), detail::entries_source{pairs.data()},
                                                        run);
}

/// The same in the layout of that index.
/// Throws: besides, std::invalid_argument for an index_view of a flat_index, which has no layout.
template <class Index>
[[nodiscard]] auto freeze(const Index& index, const any_runner& run = {}) {
  constexpr bool has_layout = requires { index.shape(); };
  static_assert(has_layout,
                "neardup: this index has no layout that a frozen_index could have; write freeze(index, k, "
                "blocks), for instance freeze(index, 3, default_blocks(64, 3)); of a keyed_index, freeze its index()");
  if constexpr (has_layout) {
    if constexpr (requires { index.is_flat(); }) {
      if (index.is_flat()) {
        detail::fail<std::invalid_argument>(
            "freeze: the view is of a flat_index, which has no layout; write freeze(view, k, blocks)");
      }
    }
    return freeze(index, index.shape().k(), index.shape().blocks(), run);
  } else {
    return freeze(index, 0, 1, run);  // never; so that the sentence above is the only error
  }
}

}  // namespace neardup::inline v0
