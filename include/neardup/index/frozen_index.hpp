// The tightest index, which no longer changes.
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
#include "../detail/radix_partition.hpp"
#include "../simhash.hpp"
#include "../threads.hpp"
#include "engine/frozen_builder.hpp"
#include "engine/frozen_engine.hpp"
#include "layout.hpp"
#include "engine/searchable.hpp"

namespace neardup::inline v0 {

/// An index that is built at once and then only searched: the searches of pigeonhole_index in half of its memory, and
/// for large corpora faster.
///
/// k and blocks are those of dynamic_index. Equal pairs count once.
/// Space, for 64 bits and 32-bit ids: 12 bytes a different fingerprint, 8 for each table but the first (12 if k > 8),
/// and 0.5 to 1 a table for directories of up to 2^26 buckets. For k <= 3, up to 2^28 fingerprints and an Offset of 32
/// bits, tables with keys long enough are arrays of lines of the cache instead: 9.4 bytes, and searches 1.5 times as
/// fast.
/// Complexity of building: O(tables * n), by partitioning. More than 2^26 pairs are partitioned in the index's own
/// memory first and then part by part, so that it takes no more than the index itself, the input, and 1/8 of 2^26 pairs
/// twice; where tables are lines, 8 bytes more for each fingerprint.
/// In all constructors, `run` is how the work is spread: `threads{8}`, or a runner of the caller's (see threads);
/// without it, the caller's thread does it all. The result does not depend on it.
template <std::size_t Bits, class Id = std::uint32_t, class Offset = std::uint32_t>
class frozen_index : public searchable<Bits, Id, detail::frozen_engine<detail::words_for(Bits), Id, Offset>> {
  using engine_type = detail::frozen_engine<detail::words_for(Bits), Id, Offset>;
  using base = searchable<Bits, Id, engine_type>;
  using words_type = typename simhash<Bits>::words_type;

 public:
  using offset_type = Offset;

  /// Of `count` entries source(0) to source(count - 1), each an entry<Bits, Id>. The source is called several times for
  /// each, from several threads if there are, and must give the same each time.
  /// Throws: std::invalid_argument unless layout::is_valid(Bits, k, blocks); std::length_error if there are more than
  /// max_distinct_size() fingerprints, or 2^32 pairs and more with an Offset of up to 32 bits; std::bad_alloc.
  template <std::invocable<std::size_t> Source, runner Run = detail::in_turn>
  frozen_index(int k, int blocks, std::size_t count, const Source& source, const Run& run = {})
      : base(build(layout(Bits, k, blocks), count, source, run)) {}

  /// Of fingerprints and their ids. Throws: besides, std::invalid_argument if there are not as many of both.
  template <runner Run = detail::in_turn>
  frozen_index(int k, int blocks, std::span<const simhash<Bits>> fingerprints, std::span<const Id> ids,
               const Run& run = {})
      : frozen_index(
            k, blocks, checked(fingerprints.size(), ids.size()),
            [&](std::size_t i) {
              return entry<Bits, Id>{fingerprints[i], ids[i]};
            },
            run) {}

  /// Of fingerprints whose ids are their positions. Throws: besides, std::length_error if Id cannot number them.
  template <runner Run = detail::in_turn>
    requires std::integral<Id> frozen_index(int k, int blocks, std::span<const simhash<Bits>> fingerprints,
                                            const Run& run = {})
        : frozen_index(
              k, blocks, numbered(fingerprints.size()),
              [&](std::size_t i) {
                return entry<Bits, Id>{fingerprints[i], static_cast<Id>(i)};
              },
              run) {}

    /// How the fingerprints are cut into blocks.
    [[nodiscard]] const layout& shape() const noexcept { return base::engine().shape(); }

    /// The most distinct fingerprints that the index can hold.
    [[nodiscard]] static constexpr std::size_t max_distinct_size() noexcept {
      return engine_type::store_type::max_slots;
    }

    void swap(frozen_index& other) noexcept { base::engine().swap(other.engine()); }
    friend void swap(frozen_index& a, frozen_index& b) noexcept { a.swap(b); }

    /// Whether both hold the same pairs.
    friend bool operator==(const frozen_index& a, const frozen_index& b) {
      return a.engine().store() == b.engine().store();
    }

   private:
    template <class Source, class Run>
    static engine_type build(const layout& shape, std::size_t count, const Source& source, const Run& run) {
      const auto read = [&](std::size_t i) {
        const entry<Bits, Id> e = source(i);
        return std::pair<words_type, Id>(e.fingerprint.to_words(), e.id);
      };
      return detail::freezing<detail::words_for(Bits), Id, Offset, decltype(read), Run>(shape, count, read, run)
          .build();
    }

    static std::size_t checked(std::size_t fingerprints, std::size_t ids) {
      if (fingerprints != ids) {
        detail::fail<std::invalid_argument>("frozen_index: " + std::to_string(fingerprints) + " fingerprints, but " +
                                            std::to_string(ids) + " ids");
      }
      return ids;
    }

    static std::size_t numbered(std::size_t count) {
      if (count > 0 && std::cmp_greater(count - 1, (std::numeric_limits<Id>::max)())) {
        detail::fail<std::length_error>("frozen_index: the type of the ids cannot number " + std::to_string(count) +
                                        " fingerprints; write frozen_index<Bits, std::uint64_t>");
      }
      return count;
    }
};

/// A frozen_index of the pairs of another index, with its layout. That one may be destroyed then.
/// Memory: besides both, a copy of the pairs while it works.
template <class Index, runner Run = detail::in_turn>
[[nodiscard]] auto freeze(const Index& index, const Run& run = {}) {
  using id_type = typename Index::id_type;
  const layout shape = index.shape();
  const std::vector<typename Index::value_type> pairs(index.begin(), index.end());
  return frozen_index<Index::bits, id_type, typename Index::offset_type>(
      shape.k(), shape.blocks(), pairs.size(), [&](std::size_t i) { return pairs[i]; }, run);
}

}  // namespace neardup::inline v0
