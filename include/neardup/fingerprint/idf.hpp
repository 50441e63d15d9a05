// SPDX-License-Identifier: MIT
// The weighters idf and tf_idf: rare tokens weigh most.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "../detail/bits.hpp"
#include "../detail/compiled.hpp"
#include "../detail/large_array.hpp"
#include "../detail/mutex.hpp"
#include "../detail/prefetch.hpp"
#include "../error.hpp"
#include "hashers.hpp"
#include "idf_table.hpp"
#include "weighters.hpp"

namespace neardup::inline v0 {

namespace detail {

/// An IDF table with hashes as keys. It maps the 64-bit XXH3 of a term, with one seed, to the value of the term. The
/// texts of the terms are not kept. Immutable.
///
/// It is an open-addressing table, at most half full. Entries are stored inline, unlike in distinct_hashes and
/// feature_bag, which saves a cache miss per lookup. If several terms have the same hash, the table keeps the greatest
/// value. With 100,000 terms, one table in 3.7 * 10^9 has such a collision.
class hashed_idf {
 public:
  /// Makes a table. Each value is a weight in units of 1/256, or, if `exact`, a number in units of 10^-11.
  hashed_idf(const idf_table& table, std::uint64_t seed, bool exact = false);

  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

  /// Returns a digest of all values, which distinguishes this table from others.
  [[nodiscard]] std::uint64_t identity() const noexcept;

  /// Prefetches the entry of value(hash).
  void prefetch(std::uint64_t hash) const noexcept { detail::prefetch(&entries_[home_slot(hash)]); }

  /// Returns the value of the term with this hash; the median value if the table has no such term.
  [[nodiscard]] std::uint64_t value(std::uint64_t hash) const noexcept {
    std::size_t slot = home_slot(hash);
    while (entries_[slot].value_and_1 != 0 && entries_[slot].hash != hash) slot = next(slot);
    return entries_[slot].value_and_1 != 0 ? entries_[slot].value_and_1 - 1 : median_;
  }

 private:
  struct entry {
    std::uint64_t hash;
    std::uint64_t value_and_1;  // value + 1; 0: a free entry
  };

  // The slot is the highest bits of the hash, which XXH3 distributes uniformly.
  [[nodiscard]] std::size_t home_slot(std::uint64_t hash) const noexcept {
    return shift_ == 64 ? 0 : detail::to_size(hash >> shift_);
  }
  [[nodiscard]] std::size_t next(std::size_t slot) const noexcept { return (slot + 1) & (entries_.size() - 1); }

  std::uint64_t seed_;
  std::uint64_t median_;
  large_array<entry> entries_;  // size: a power of two
  int shift_ = 0;               // 64 - log2(size)
};

/// The IDF table of a weighter, and a hashed_idf of it for each seed that was requested. Copies share these tables.
/// Thread safety: all members may be called from many threads.
class shared_idf_table {
 public:
  explicit shared_idf_table(idf_table table) : shared_idf_table(std::make_shared<const idf_table>(std::move(table))) {}
  /// Makes a table that weighters share.
  /// Throws: std::invalid_argument if the pointer is null.
  explicit shared_idf_table(std::shared_ptr<const idf_table> table)
      : table_(std::move(table)), hashed_(std::make_shared<hashed_tables>()) {
    if (table_ == nullptr) fail<std::invalid_argument>("a weighter by rarity needs an idf table");
  }

  [[nodiscard]] const idf_table& table() const noexcept { return *table_; }

  /// Returns the table keyed by XXH3 with this seed. The first request builds it.
  [[nodiscard]] const hashed_idf& by_hash(std::uint64_t seed) const;

 private:
  struct node {
    hashed_idf table;
    const node* next;
  };
  // A linked list that grows only at its front, so that readers need no lock.
  struct hashed_tables {
    hashed_tables() = default;
    hashed_tables(const hashed_tables&) = delete;
    hashed_tables& operator=(const hashed_tables&) = delete;
    ~hashed_tables() {
      for (const node* n = first.load(std::memory_order_relaxed); n != nullptr;) delete std::exchange(n, n->next);
    }

    /// Returns the node with the table of a seed, or nullptr.
    [[nodiscard]] const node* find(std::uint64_t seed) const noexcept {
      const node* n = first.load(std::memory_order_acquire);
      while (n != nullptr && n->table.seed() != seed) n = n->next;
      return n;
    }

    std::atomic<const node*> first = nullptr;
    detail::mutex_type growing;
  };

  std::shared_ptr<const idf_table> table_;
  std::shared_ptr<hashed_tables> hashed_;
};

#if NEARDUP_BODIES

NEARDUP_INLINE hashed_idf::hashed_idf(const idf_table& table, std::uint64_t seed, bool exact)
    : seed_(seed),
      median_(exact ? table.median_exact() : table.median().raw()),
      entries_(std::bit_ceil(2 * table.size() + 1)) {
  std::fill_n(entries_.data(), entries_.size(), entry{0, 0});
  shift_ = static_cast<int>(64 - std::bit_width(entries_.size() - 1));
  table.for_each_exact([&](std::string_view term, std::uint64_t value) {
    const std::uint64_t hash = XXH3_64bits_withSeed(term.data(), term.size(), seed);
    std::size_t slot = home_slot(hash);
    while (entries_[slot].value_and_1 != 0 && entries_[slot].hash != hash) slot = next(slot);
    const std::uint64_t kept = (exact ? value : weight_of_exact(value).raw()) + 1;
    entries_[slot] = {hash, (std::max)(entries_[slot].value_and_1, kept)};
  });
}

NEARDUP_INLINE std::uint64_t hashed_idf::identity() const noexcept {
  std::uint64_t sum = mix(median_);
  for (const entry& e : entries_.span()) {
    if (e.value_and_1 != 0) sum += mix(e.hash + mix(e.value_and_1));
  }
  return sum;
}

NEARDUP_INLINE const hashed_idf& shared_idf_table::by_hash(std::uint64_t seed) const {
  const node* found = hashed_->find(seed);
  if (found != nullptr) return found->table;
  const std::lock_guard guard(hashed_->growing);
  found = hashed_->find(seed);
  if (found == nullptr) {
    found = new node{hashed_idf(*table_, seed), hashed_->first.load(std::memory_order_relaxed)};
    hashed_->first.store(found, std::memory_order_release);
  }
  return found->table;
}

#endif  // NEARDUP_BODIES

}  // namespace detail

/// Weighs a distinct token by its inverse document frequency, independent of its count.
class idf : public detail::shared_idf_table {
 public:
  using shared_idf_table::shared_idf_table;
  weight operator()(std::string_view token, std::uint64_t /*count*/) const { return table().lookup(token); }
};

/// Weighs each occurrence of a token by its inverse document frequency.
class tf_idf : public detail::shared_idf_table {
 public:
  using shared_idf_table::shared_idf_table;
  [[nodiscard]] weight per_occurrence(std::string_view token) const { return table().lookup(token); }
};

namespace detail {

template <>
inline constexpr bool asks_idf_table<idf> = true;
template <>
inline constexpr bool asks_idf_table<tf_idf> = true;

}  // namespace detail

}  // namespace neardup::inline v0
