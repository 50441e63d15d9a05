// SPDX-License-Identifier: MIT
// Builds the tables of a frozen_index.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/large_array.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../error.hpp"
#include "../../runner.hpp"
#include "../../simd/filters.hpp"
#include "bucket_line.hpp"
#include "frozen_engine.hpp"
#include "search_plans.hpp"

namespace neardup::inline v0::detail {

/// Returns the base-2 logarithm of the number of buckets of a directory for `count` fingerprints. Each bucket then has
/// 4 to 8 fingerprints, about a cache line. There are at most as many buckets as keys, and at most 2^26, because more
/// buckets cost more than they save.
[[nodiscard]] constexpr int frozen_directory_bits(std::size_t count, std::size_t key_width) noexcept {
  // There are at least two buckets, because shifting a 64-bit hash by 64 bits is undefined.
  const int wanted = count < 16 ? 1 : bit_width(count / 4) - 1;
  return (std::min)({wanted, static_cast<int>((std::min)(key_width, std::size_t{26}))});
}

/// The (fingerprint, id) pairs from which a frozen_engine is built. All callers use this one type, so that the builder
/// is instantiated once. Only fill() is instantiated for each source.
template <std::size_t Words, class Id>
class pair_source {
 public:
  struct pair {
    std::array<std::uint64_t, Words> fingerprint;
    Id id;
  };

  /// Makes a source of pairs. `read(i)` returns pair number i.
  /// Precondition: several threads may call `read` at once, and `read` outlives all copies of this object.
  template <class Read>
  pair_source(const Read& read, std::size_t count) noexcept : read_(&read), count_(count), fill_(&fill<Read>) {}

  // chunk_ is not copied, because each copy fills its own chunk.
  pair_source(const pair_source& other) noexcept : read_(other.read_), count_(other.count_), fill_(other.fill_) {}
  pair_source& operator=(const pair_source&) = delete;
  ~pair_source() = default;

  /// Returns pair number i. Calls with ascending i are fast. Each thread needs its own copy of this object.
  pair operator()(std::size_t i) const {
    if (i - first_ >= held_) {
      held_ = 0;  // in case `fill_` throws
      const std::size_t size = (std::min)(chunk_.size(), count_ - i);
      fill_(read_, i, {chunk_.data(), size});
      first_ = i;
      held_ = size;
    }
    return chunk_[i - first_];
  }

 private:
  template <class Read>
  static void fill(const void* read, std::size_t first, std::span<pair> chunk) {
    for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] = (*static_cast<const Read*>(read))(first + i);
  }

  const void* read_;
  std::size_t count_;
  void (*fill_)(const void*, std::size_t, std::span<pair>);
  mutable std::size_t first_ = 0, held_ = 0;
  mutable std::array<pair, 64> chunk_;
};

/// Builds a frozen_engine of `count` pairs.
///
/// Building means partitioning. First, the pairs are partitioned by the buckets of table 0, and this order is final.
/// Then the filters and slots are partitioned by the buckets of each other table. For more than 2^26 pairs,
/// partitioning has two passes: a coarse partition, whose output goes into the final arrays, and a fine partition of
/// each part. So there is never a second copy of all pairs.
template <std::size_t Words, class Id, class Offset>
class frozen_builder {
 public:
  using words_type = std::array<std::uint64_t, Words>;
  using engine_type = frozen_engine<Words, Id, Offset>;

  /// Makes a builder. If there are more than `max_at_once` pairs, a coarse partition is made first. The parts of the
  /// coarse partition have about max_at_once / 8 pairs.
  frozen_builder(const layout& shape, std::size_t count, const any_runner& run,
                 std::size_t max_at_once = std::size_t{1} << 26)
      : count_(count), max_at_once_(max_at_once), run_(run) {
    if (count > (std::numeric_limits<pair_number>::max)()) {
      fail<std::length_error>({"no room for ", count, " pairs of fingerprint and id: with this Offset ",
                               "there may be at most ", (std::numeric_limits<pair_number>::max)(),
                               "; give the index a wider one"});
    }
    // If searches flip bits of keys, each bit of a key costs a probe. So keys have only bits that choose a bucket.
    const int bits = frozen_directory_bits(count, word_bits);
    plans_ = std::make_shared<const search_plans<Words>>(shape, static_cast<std::size_t>((std::max)(bits, 8)));
  }

  using pair = typename pair_source<Words, Id>::pair;

  /// Builds the engine from the pairs read(0), ..., read(count - 1). Each pair is read several times.
  template <class Read>
  engine_type build(const Read& read) {
    return with_tables(build_store(pair_source<Words, Id>(read, count_)));
  }

 private:
  using store_type = typename engine_type::store_type;
  // The type for the number of a pair. Offset is for the numbers of fingerprints, and there may be more pairs.
  using pair_number = std::conditional_t<sizeof(Offset) <= 4, std::uint32_t, std::uint64_t>;

  engine_type with_tables(store_type store) {
    std::vector<frozen_table<Offset>> tables(plans_->keys().size());
    const bool is_wide = !narrow_filter_suffices(plans_->shape().k());
    if (is_wide) {
      build_tables<std::uint64_t>(store, tables, &frozen_table<Offset>::wide);
    } else {
      build_tables<std::uint32_t>(store, tables, &frozen_table<Offset>::narrow);
    }
    return engine_type(plans_, std::move(store), std::move(tables));
  }

  template <class Filter>
  struct table_entry {
    std::uint32_t address;
    Filter filter;
    Offset slot;
  };
  // Scratch memory for building a table. The memory is reused for the next table. Otherwise, allocations would take a
  // third of the time for building tables.
  template <class Filter>
  struct table_room {
    scratch_array<table_entry<Filter>> scratch;
    large_array<Offset> starts;
    frozen_table<Offset> spare;
  };

  // Reads record i of a part, by `read` or from a copy of the part. The two cases have one type, so that
  // radix_partition is instantiated once.
  template <class Record, class ReadRecord>
  struct part_reader {
    ReadRecord read;
    const Record* copied = nullptr;

    Record operator()(std::size_t i) const { return copied != nullptr ? copied[i] : read(i); }
  };

  // Partitions `count` records by an address of `bits` bits. Calls store(position, record) for each record, so that
  // records are ordered by address. Up to max_at_once_ records are one part, and take one pass. More records take two
  // passes: the first pass stores them in parts, by the leading bits of their addresses. The second pass reads each
  // part again by load(position), and stores it in order. After each part, use(base, first) is called. The part begins
  // at position `base`, and `first` is its lowest address. The records of address first + a begin at base + starts[a].
  // The part ends at `base` plus the last element of `starts`.
  template <class Record, class Start, class ReadRecord, class Address, class Store, class Load, class Use>
  void partition(std::size_t count, int bits, const ReadRecord& read, const Address& address, const Store& store,
                 const Load& load, scratch_array<Record>& scratch, large_array<Start>& starts, const Use& use) {
    const bool at_once = count <= max_at_once_ || bits == 0;
    const int part_bits = at_once ? 0 : (std::min)(bits, bit_width(count / (max_at_once_ / 8)));
    const int rest = bits - part_bits;
    const std::size_t mask = (std::size_t{1} << rest) - 1;
    if (starts.size() != mask + 2) starts = large_array<Start>(mask + 2);
    const auto put_in_order = [&](std::size_t base, std::size_t size, std::size_t first, const Record* copied) {
      radix_partition(
          size, rest, part_reader<Record, ReadRecord>{read, copied},
          [&](const Record& record) { return address(record) & mask; },
          [&](std::size_t position, const Record& record) { store(base + position, record); }, starts.span(), scratch,
          run_);
      use(base, first);
    };
    if (at_once) return put_in_order(0, count, 0, nullptr);
    std::vector<std::size_t> begin;
    radix_scatter(
        count, part_bits, read, [&](const Record& record) { return static_cast<std::size_t>(address(record)) >> rest; },
        store, begin, run_);
    std::size_t max_size = 0;
    for (std::size_t part = 0; part + 1 < begin.size(); ++part) {
      max_size = (std::max)(max_size, begin[part + 1] - begin[part]);
    }
    large_array<Record> records(max_size);
    for (std::size_t part = 0; part + 1 < begin.size(); ++part) {
      const std::size_t size = begin[part + 1] - begin[part];
      const std::size_t shares = parts_for(run_, size, std::size_t{1} << 14);
      run_(shares, [&](std::size_t share) {
        for (std::size_t i = size * share / shares; i < size * (share + 1) / shares; ++i) {
          records[i] = load(begin[part] + i);
        }
      });
      put_in_order(begin[part], size, part << rest, records.data());
    }
  }

  store_type build_store(const pair_source<Words, Id>& read) {
    const table_key<Words>& key = plans_->keys()[0];
    const int bits = frozen_directory_bits(count_, key.width());
    // Within a bucket, pairs are ordered by a hash of the whole fingerprint, so that copies are neighbours. The hash
    // has enough bits for about one fingerprint per address.
    const int order_bits = (std::max)(bits, (std::min)(31, bit_width(count_)));
    const int extra = order_bits - bits;
    large_array<Offset> bucket_starts((std::size_t{1} << bits) + 1);
    large_array<words_type> fingerprints(count_);
    large_array<Id> ids(count_);
    std::vector<std::pair<Offset, std::size_t>> several;
    scratch_array<pair> scratch;
    std::size_t slots = 0, pairs = 0;

    const auto address = [&](const pair& p) {
      const std::size_t high =
          bits == 0 ? 0
                    : static_cast<std::size_t>(key.hash(p.fingerprint) >> (word_bits - static_cast<std::size_t>(bits)));
      if (extra == 0) return high;
      return high << extra |
             static_cast<std::size_t>(mix_words(p.fingerprint) >> (word_bits - static_cast<std::size_t>(extra)));
    };
    large_array<pair_number> starts;
    const auto write = [&](std::size_t position, const pair& p) {
      fingerprints[position] = p.fingerprint;
      ids[position] = p.id;
    };
    const auto load = [&](std::size_t position) { return pair{fingerprints[position], ids[position]}; };
    const auto is_less = [](const pair& a, const pair& b) {
      return are_equal(a.fingerprint, b.fingerprint) ? a.id < b.id : a.fingerprint < b.fingerprint;
    };
    std::vector<pair> crowd;
    // Sorts the pairs with the same address, and drops duplicates. Equal fingerprints get one slot with all their ids.
    const auto append = [&](std::size_t base, std::size_t first) {
      for (std::size_t bucket = 0; bucket + 1 < starts.size(); ++bucket) {
        if (((first + bucket) & ((std::size_t{1} << extra) - 1)) == 0) {
          bucket_starts[(first + bucket) >> extra] = static_cast<Offset>(slots);
        }
        const std::size_t begin = base + starts[bucket], end = base + starts[bucket + 1];
        if (end - begin <= 16) {
          for (std::size_t i = begin + 1; i < end; ++i) {
            const pair p = load(i);
            std::size_t j = i;
            for (; j > begin && is_less(p, load(j - 1)); --j) write(j, load(j - 1));
            write(j, p);
          }
        } else {
          crowd.clear();
          for (std::size_t i = begin; i < end; ++i) crowd.push_back(load(i));
          std::sort(crowd.begin(), crowd.end(), is_less);
          for (std::size_t i = begin; i < end; ++i) write(i, crowd[i - begin]);
        }
        for (std::size_t i = begin; i < end; ++i) {
          const bool is_copy = i > begin && are_equal(fingerprints[i], fingerprints[slots - 1]);
          if (is_copy && ids[i] == ids[pairs - 1]) continue;
          ids[pairs] = ids[i];
          if (!is_copy) {
            fingerprints[slots++] = fingerprints[i];
          } else if (several.empty() || several.back().first != slots - 1) {
            several.emplace_back(static_cast<Offset>(slots - 1), pairs - 1);
          }
          ++pairs;
        }
      }
    };
    partition(count_, order_bits, read, address, write, load, scratch, starts, append);
    if (slots > store_type::max_slots) {
      fail<std::length_error>({"no room for ", slots, " distinct fingerprints: the index holds at most ",
                               store_type::max_slots, "; give it a wider Offset"});
    }
    bucket_starts[std::size_t{1} << bits] = static_cast<Offset>(slots);
    fingerprints.truncate(slots);
    ids.truncate(pairs);
    return store_type(&key, std::move(bucket_starts), std::move(fingerprints),
                      frozen_ids<Id, Offset>(std::move(ids), several, slots));
  }

  template <class Filter>
  void build_tables(const store_type& store, std::vector<frozen_table<Offset>>& tables,
                    large_array<Filter> frozen_table<Offset>::*filters) {
    if constexpr (Words > 1) {
      large_array<Filter>& of_first = tables[0].*filters;
      of_first = large_array<Filter>(store.slots());
      for (std::size_t i = 0; i < store.slots(); ++i) of_first[i] = fold_filter<Filter>(store.fingerprint(i));
    }
    table_room<Filter> room;
    for (std::size_t number = 1; number < tables.size(); ++number) {
      frozen_table<Offset>& table = tables[number];
      std::swap(table, room.spare);
      build_table<Filter>(store, number, table, table.*filters, room);
    }
  }

  template <class Filter>
  void build_table(const store_type& store, std::size_t number, frozen_table<Offset>& table,
                   large_array<Filter>& filters, table_room<Filter>& room) {
    const table_key<Words>& key = plans_->keys()[number];
    const std::size_t slots = store.slots();
    std::size_t lines = 0;
    if constexpr (std::is_same_v<Offset, std::uint32_t>) {
      lines = bucket_lines_for(slots, key.width(), plans_->shape().k());
    }
    const std::size_t buckets = lines != 0 ? lines : std::size_t{1} << frozen_directory_bits(slots, key.width());
    const int bits = (std::max)(1, bit_width(buckets - 1));
    if (table.starts.size() != buckets + 1) table.starts = large_array<Offset>(buckets + 1);
    if (table.slots.size() != slots) {
      table.slots = large_array<Offset>(slots);
      filters = large_array<Filter>(slots);
    }
    const auto address = [](const table_entry<Filter>& entry) { return std::size_t{entry.address}; };
    const auto read = [&](std::size_t slot) {
      const words_type& fingerprint = store.fingerprint(slot);
      const std::size_t at = bucket_of(key.hash(fingerprint), buckets);
      return table_entry<Filter>{static_cast<std::uint32_t>(at), fold_filter<Filter>(fingerprint),
                                 static_cast<Offset>(slot)};
    };
    const auto write = [&](std::size_t position, const table_entry<Filter>& entry) {
      filters[position] = entry.filter;
      table.slots[position] = entry.slot;
    };
    const auto load = [&](std::size_t position) {
      // The slots of a part ascend, but the fingerprints of these slots are far apart in memory. So the fingerprints
      // are prefetched.
      constexpr std::size_t ahead = 16;
      if (position + ahead < slots) prefetch(&store.fingerprint(table.slots[position + ahead]));
      return read(table.slots[position]);
    };
    partition(slots, bits, read, address, write, load, room.scratch, room.starts,
              [&](std::size_t base, std::size_t first) {
                for (std::size_t i = 0; i + 1 < room.starts.size() && first + i < buckets; ++i) {
                  table.starts[first + i] = static_cast<Offset>(base + room.starts[i]);
                }
              });
    table.starts[buckets] = static_cast<Offset>(slots);
    if constexpr (std::is_same_v<Offset, std::uint32_t> && std::is_same_v<Filter, std::uint32_t>) {
      if (lines != 0) put_into_lines(table, room.spare);
    }
  }

  // Replaces the directory and the runs of a table by bucket_lines. No-op if more than a quarter of the entries would
  // overflow, because the keys are crowded. The old arrays are moved to `spare`, so that they can be reused.
  void put_into_lines(frozen_table<Offset>& table, frozen_table<Offset>& spare) {
    const std::span<const Offset> starts = table.starts.span();
    const std::size_t buckets = starts.size() - 1;
    const std::size_t parts = parts_for(run_, buckets, std::size_t{1} << 12);
    const auto begin_of = [&](std::size_t part) { return buckets * part / parts; };
    std::vector<std::size_t> overflow(parts + 1);
    run_(parts, [&](std::size_t part) {
      std::size_t sum = 0;
      for (std::size_t i = begin_of(part); i < begin_of(part + 1); ++i) {
        const std::size_t count = starts[i + 1] - starts[i];
        sum += count - bucket_line::inline_count(count);
      }
      overflow[part + 1] = sum;
    });
    for (std::size_t part = 0; part < parts; ++part) overflow[part + 1] += overflow[part];
    if (overflow[parts] > table.slots.size() / 4) return;

    large_array<bucket_line> lines(buckets);
    large_array<std::uint32_t> filters(overflow[parts]);
    large_array<Offset> slots(overflow[parts]);
    run_(parts, [&](std::size_t part) {
      std::size_t next = overflow[part];
      for (std::size_t i = begin_of(part); i < begin_of(part + 1); ++i) {
        const std::size_t begin = starts[i], end = starts[i + 1];
        if (begin + bucket_line::capacity <= table.slots.size()) {
          lines[i] = bucket_line(end - begin, &table.narrow[begin], &table.slots[begin], next);
        } else {
          std::array<std::uint32_t, bucket_line::capacity> last_filters{}, last_slots{};
          std::copy(table.narrow.data() + begin, table.narrow.data() + end, last_filters.data());
          std::copy(table.slots.data() + begin, table.slots.data() + end, last_slots.data());
          lines[i] = bucket_line(end - begin, last_filters.data(), last_slots.data(), next);
        }
        for (std::size_t at = begin + lines[i].inline_count(); at < end; ++at, ++next) {
          filters[next] = table.narrow[at];
          slots[next] = table.slots[at];
        }
      }
    });
    spare = std::exchange(table, {{}, std::move(lines), std::move(filters), {}, std::move(slots)});
  }

  std::size_t count_, max_at_once_;
  const any_runner& run_;
  std::shared_ptr<const search_plans<Words>> plans_;
};

}  // namespace neardup::inline v0::detail
