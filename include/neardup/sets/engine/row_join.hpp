// SPDX-License-Identifier: MIT
// Joins sets through partitions of rows, which need not fit into memory.
//
// A row is a prefix feature of a set, with the data for the filters: the size of the set, the position of the feature
// in the prefix, and the bitmap of the set. A row goes to the partition of its feature. The join reads one partition
// after the other, and joins its rows (bucket_join.hpp). So rows are read sequentially. Only the sets of candidate
// pairs are read again.
//
// If many small sets have a frequent prefix feature, these sets also have rows for parts of the universe of features
// (set_parts.hpp). Two such sets may have several equal parts. Only the first of these parts reports the pair.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/equal_groups.hpp"
#include "../../detail/large_array.hpp"
#include "../../detail/mutex.hpp"
#include "../../detail/radix_partition.hpp"
#include "../../detail/visits.hpp"
#include "../../partition_store.hpp"
#include "../../runner.hpp"
#include "bitmap_filter.hpp"
#include "bucket_join.hpp"
#include "distinct_sets.hpp"
#include "overlap_bounds.hpp"
#include "rare_first.hpp"
#include "set_parts.hpp"

namespace neardup::inline v0::detail {

/// A row is a prefix feature of a set, or a part of a set. For a prefix feature, `key` is the token of the feature, and
/// `position` is its position in the prefix. For a part, `key` is a hash of the part, and `position` is a number for
/// the size class and the part (see row_parts).
struct set_row {
  std::uint32_t key, set, size, position;
  set_bitmap bitmap;
};

/// The format of rows in a partition store. All rows of a join have the same format.
struct row_format {
  std::size_t number_bytes = 4;    // sizes and positions have 1, 2 or 4 bytes each
  bool has_short_bitmaps = false;  // bitmaps have 64 bits

  [[nodiscard]] std::size_t row_bytes() const noexcept {
    return sizeof(set_row) - 2 * (4 - number_bytes) - (has_short_bitmaps ? 8 : 0);
  }

  /// Replaces rows by their stored form. A memcpy of constant size is faster, but may write more bytes than the stored
  /// form has. No memcpy writes beyond the end of the row in memory.
  /// Returns: the stored form, in the memory of the rows.
  [[nodiscard]] std::span<std::byte> pack(std::span<set_row> rows) const noexcept {
    const std::span<std::byte> bytes = std::as_writable_bytes(rows);
    std::byte* to = bytes.data();
    for (const set_row& one : rows) {
      const std::array key_and_set{one.key, one.set};
      const std::uint64_t numbers = (one.size | std::uint64_t{one.position} << 8 * number_bytes) << unused_bits();
      const set_bitmap bitmap = has_short_bitmaps ? set_bitmap{one.bitmap[0] ^ one.bitmap[1], 0} : one.bitmap;
      std::memcpy(to, &key_and_set, sizeof key_and_set);
      std::memcpy(to + sizeof key_and_set, &numbers, sizeof numbers);
      std::memcpy(to + sizeof key_and_set + 2 * number_bytes, &bitmap, sizeof bitmap);
      to += row_bytes();
    }
    return bytes.first(rows.size() * row_bytes());
  }

  /// Restores rows in place, from the stored form that pack() has made in the memory of `rows`. If stored bitmaps have
  /// 64 bits, bitmap[0] is the stored bitmap, and bitmap[1] is 0.
  void unpack(std::span<set_row> rows) const noexcept {
    const std::byte* const bytes = std::as_bytes(rows).data();
    for (std::size_t i = rows.size(); i-- > 0;) {  // from the last row, because a row overwrites stored rows after it
      const std::byte* const from = bytes + i * row_bytes();
      std::array<std::uint32_t, 2> key_and_set;
      std::uint64_t numbers;
      set_bitmap bitmap;
      std::memcpy(&key_and_set, from, sizeof key_and_set);
      std::memcpy(&numbers, from + sizeof key_and_set, sizeof numbers);
      std::memcpy(&bitmap, from + sizeof key_and_set + 2 * number_bytes, sizeof bitmap);
      numbers >>= unused_bits();
      const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * number_bytes);
      if (has_short_bitmaps) bitmap[1] = 0;
      rows[i] = {key_and_set[0], key_and_set[1], static_cast<std::uint32_t>(numbers & mask),
                 static_cast<std::uint32_t>(numbers >> 8 * number_bytes & mask), bitmap};
    }
  }

 private:
  /// Returns how many low bits of the word with size and position are unused, so that the stored bytes come first.
  [[nodiscard]] std::size_t unused_bits() const noexcept {
    return std::endian::native == std::endian::little ? 0 : 64 - 16 * number_bytes;
  }
};

/// Limits of row_join. Results do not depend on these limits.
struct row_join_sizes {
  std::uint64_t memory = std::uint64_t{1} << 30;  // bytes; see row_join
  std::uint32_t max_partitions = 1024;
  std::uint64_t max_rows = std::uint64_t{1} << 22;  // about the most rows of a partition
  std::size_t large = large_bucket;
  std::uint32_t cached_prefixes = std::uint32_t{1} << 13;  // prefixes that a thread caches, for each set of a pair
  std::uint64_t part_cost = 800;                           // cost of a row of a part, in 1/8 ns; see choose_parts()
  failure_limits failures = {};
};

/// The prefixes of the sets of a source. Prefixes are not stored. A prefix is computed each time it is needed, unless a
/// cache has the prefix.
template <class Feature>
class source_prefixes {
 public:
  using key_span = std::span<const std::uint64_t>;

  /// Makes the prefixes. A cache has entries for `slots` sets.
  source_prefixes(const set_source<Feature>& source, const overlap_table& table, const sampled_counts& counts,
                  std::uint32_t slots)
      : source_(source), table_(table), counts_(counts), slots_(slots) {}

  /// A cache of prefixes for one thread. The prefix of a set can be in one entry of `slots` only: slots[set %
  /// slots.size()].
  struct cache {
    struct slot {
      std::uint32_t set = (std::numeric_limits<std::uint32_t>::max)();
      std::vector<std::uint64_t> keys;
    };
    prefix_finder finder;
    std::vector<slot> slots;
  };

  /// Returns true if a cache may have the prefix of a row's set. Longer prefixes would take too much memory.
  [[nodiscard]] bool is_cached(const set_row& of) const { return table_.prefix(of.size) <= most_cached; }

  /// Returns the keys of the features that precede the feature of the row `of` in the prefix of its set. The lowest 32
  /// bits of a key are the token, and the bits above are its count. Keys ascend. The span is valid until the next call.
  [[nodiscard]] key_span earlier(const set_row& of, cache& memory) const {
    if (of.position == 0) return {};
    const auto find = [&] { return memory.finder.find(source_.of(of.set), table_.prefix(of.size), counts_); };
    if (!is_cached(of)) return find().first(of.position);
    if (memory.slots.empty()) memory.slots.resize(slots_);
    typename cache::slot& slot = memory.slots[of.set % slots_];
    if (slot.set != of.set) {
      const key_span keys = find();
      slot.keys.assign(keys.begin(), keys.end());
      slot.set = of.set;
    }
    return key_span(slot.keys).first(of.position);
  }

  /// Returns the key of a token.
  [[nodiscard]] std::uint64_t key_of(std::uint32_t token) const noexcept {
    return std::uint64_t{counts_[token]} << 32 | token;
  }

 private:
  static constexpr std::size_t most_cached = 256;  // features of a prefix

  const set_source<Feature>& source_;
  const overlap_table& table_;
  const sampled_counts& counts_;
  std::uint32_t slots_;
};

/// Gives bucket_join access to the sets of a source.
template <class Feature>
class row_sets {
 public:
  using feature = Feature;
  using row = set_row;
  struct scratch {
    // Each set of a pair has its own cache, so that the two prefixes never evict each other.
    typename source_prefixes<Feature>::cache first, second;
    part_keys first_parts, second_parts;
  };

  /// Makes the sets of a join. `marks`: a mark for each set, by its number; nullptr if no set is marked. `has_parts`:
  /// true at the number of each set that has rows of parts; empty if there are no such sets. `parts`: nullptr if the
  /// rows are prefix features.
  row_sets(const set_source<Feature>& source, const source_prefixes<Feature>& prefixes, const std::vector<bool>* marks,
           const std::vector<bool>& has_parts, const row_parts* parts)
      : source_(source),
        prefixes_(prefixes),
        marks_(marks),
        has_parts_(has_parts),
        parts_(parts),
        position_mask_(parts == nullptr ? ~std::uint32_t{0} : 0) {}

  [[nodiscard]] static constexpr bool has_features() noexcept { return true; }
  [[nodiscard]] static constexpr bool has_bitmaps() noexcept { return true; }
  [[nodiscard]] std::span<const Feature> features(std::uint32_t set) const { return source_.of(set); }
  [[nodiscard]] std::size_t position(const row& of) const noexcept { return of.position & position_mask_; }
  [[nodiscard]] static const set_bitmap& bitmap(const row& of) noexcept { return of.bitmap; }
  [[nodiscard]] bool is_across() const noexcept { return marks_ != nullptr; }
  [[nodiscard]] bool is_marked(const row& of) const { return (*marks_)[of.set]; }

  [[nodiscard]] bool looks_up(const row& of) const noexcept {
    return parts_ == nullptr || parts_->is_of_class(of.size, of.position);
  }

  [[nodiscard]] bool share_earlier(const row& x, const row& y, scratch& memory, bool is_likely) const {
    if (parts_ != nullptr) {
      // If the positions differ, two different parts have the same hash by chance.
      return x.position != y.position || parts_->share_earlier(features(x.set), features(y.set), x.position,
                                                               memory.first_parts, memory.second_parts);
    }
    if (!has_parts_.empty() && has_parts_[x.set] && has_parts_[y.set]) return true;
    if constexpr (has_own_tokens) {
      if (!is_likely || !prefixes_.is_cached(x) || !prefixes_.is_cached(y)) return share_earlier(x, y);
    }
    std::span<const std::uint64_t> a = prefixes_.earlier(x, memory.first), b = prefixes_.earlier(y, memory.second);
    if (a.size() > b.size()) std::swap(a, b);
    // Starts at the last feature. It is the most frequent one, so it is most likely to be common.
    return std::any_of(a.rbegin(), a.rend(),
                       [b](std::uint64_t key) { return std::binary_search(b.begin(), b.end(), key); });
  }
  /// Returns the token of the prefix feature before the feature of the row, in the same set. Returns nullopt if the row
  /// has the first prefix feature of its set.
  [[nodiscard]] std::optional<Feature> before(const row& of, scratch& memory) const {
    if (parts_ != nullptr) return {};
    const std::span<const std::uint64_t> keys = prefixes_.earlier(of, memory.first);
    if (keys.empty()) return {};
    return static_cast<std::uint32_t>(keys.back());
  }

 private:
  // Different features have different tokens; see feature_token().
  static constexpr bool has_own_tokens = sizeof(Feature) <= sizeof(std::uint32_t);

  /// Returns the result of the other share_earlier(), by finding the common features of two sets. This is faster than
  /// finding two prefixes, but slower than two prefixes of a cache.
  [[nodiscard]] bool share_earlier(const row& x, const row& y) const requires has_own_tokens {
    const std::uint64_t own = prefixes_.key_of(x.key);
    const std::span<const Feature> a = features(x.set), b = features(y.set);
    for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
      const Feature f = *i, g = *j;
      if (f == g && prefixes_.key_of(feature_token(f)) < own) return true;
      i += f <= g ? 1 : 0;
      j += g <= f ? 1 : 0;
    }
    return false;
  }

  const set_source<Feature>& source_;
  const source_prefixes<Feature>& prefixes_;
  const std::vector<bool>* marks_;
  const std::vector<bool>& has_parts_;
  const row_parts* parts_;
  std::uint32_t position_mask_;
};

/// Finds the similar pairs among the sets of a source. The constructor writes the rows of the sets to a partition
/// store. visit() reads and joins one partition after the other.
/// Memory: about three quarters of sizes.memory, and 8 bytes for each set; while the constructor finds copies, 16 bytes
/// for each set.
template <class Feature>
class row_join {
 public:
  using take_type = typename bucket_join<row_sets<Feature>>::take_type;

  /// Counts the features, finds the copies, and stores the rows of all other sets. The sets numbered `first_count` and
  /// above are a second corpus. Sets of different corpora are never copies of each other. With copies_as::others, no set
  /// is a copy.
  /// Throws: std::length_error if the source has 2^32 - 1 sets or more, or if a set has 2^32 - 1 features or more;
  /// exceptions of the store; std::bad_alloc.
  row_join(set_source<Feature> source, std::size_t first_count, const overlap_bounds& bounds, any_partition_store store,
           const any_runner& run, const row_join_sizes& sizes, copies_as as = copies_as::one)
      : source_(std::move(source)),
        first_count_(first_count),
        bounds_(bounds),
        table_(bounds),
        store_(std::move(store)),
        run_(run),
        sizes_(sizes),
        prefixes_(source_, table_, counts_, sizes.cached_prefixes) {
    check_count(source_);
    count_features(as);
    scatter();
  }
  row_join(const row_join&) = delete;
  row_join& operator=(const row_join&) = delete;

  [[nodiscard]] const equal_groups<std::uint32_t>& copies() const noexcept { return copies_; }
  [[nodiscard]] std::size_t size_of(std::size_t set) const { return source_.of(set).size(); }

  /// Selects which sets and pairs a visit joins.
  struct selection {
    const std::vector<bool>* sets = nullptr;    // the sets to join, by number; nullptr for all sets
    const std::vector<bool>* across = nullptr;  // the mark of each set; each pair has one marked set; or nullptr
    set_classes* classes = nullptr;             // leaves out pairs, for example of sets in one class
    failure_limit* failures = nullptr;          // the limit at which the visit gives up
  };

  /// Passes all similar pairs of sets to `take`, except pairs of copies. See bucket_join::visit().
  /// Returns: false if `take` returned false, or the visit gave up.
  /// Throws: exceptions of the store and of `take`; std::bad_alloc.
  bool visit(const selection& chosen, const take_type& take) {
    return visit_partitions(0, partitions_, nullptr, chosen, take) &&
           visit_partitions(partitions_, partitions_ + part_partitions_, &parts_, chosen, take);
  }

 private:
  bool visit_partitions(std::uint32_t first, std::uint32_t last, const row_parts* parts, const selection& chosen,
                        const take_type& take) {
    if (first == last) return true;
    const row_sets<Feature> sets(source_, prefixes_, chosen.across, has_parts_, parts);
    bucket_join<row_sets<Feature>> join(sets, bounds_, table_, run_, sizes_.large, chosen.classes, chosen.failures);
    large_array<set_row> rows;
    scratch_array<set_row> scratch;
    for (std::uint32_t partition = first; partition < last; ++partition) {
      const auto count = to_size(stored_[partition]);
      if (count < 2) continue;
      if (rows.size() < count) rows = {};  // frees the old array before a new one is allocated
      if (rows.size() < count) rows = large_array<set_row>(count);
      std::span<set_row> some = rows.span().first(count);
      store_.read(partition, std::as_writable_bytes(some).first(count * format_.row_bytes()));
      format_.unpack(some);
      if (chosen.sets != nullptr) some = only(some, *chosen.sets);
      if (chosen.across != nullptr) some = only_shared(some, *chosen.across);
      if (some.size() >= 2 && !join.visit(some, scratch, take)) return false;
    }
    return true;
  }

  /// Counts the features, finds the copies, and determines the number of partitions.
  void count_features(copies_as as) {
    large_array<std::uint64_t> hashes(source_.size);
    // The number of rows, the number of rows of long sets, and the size of the largest set.
    struct row_counts {
      std::uint64_t rows = 0, of_long = 0;
      std::size_t largest = 0;
    };
    std::vector<row_counts> counts_of(parts_for_sets(source_, run_));
    const std::size_t short_size = most_for_short_bitmaps();
    counts_ = check_sets(source_, run_,
                         [&](std::size_t part, std::size_t i, std::span<const Feature> set, const set_sketch& sketch) {
                           hashes[i] = i < first_count_ ? sketch.hash : ~sketch.hash;
                           row_counts& own = counts_of[part];
                           const std::size_t prefix = table_.prefix(set.size());
                           own.rows += prefix;
                           own.of_long += set.size() > short_size ? prefix : 0;
                           own.largest = (std::max)(own.largest, set.size());
                         });
    row_counts all;
    for (const row_counts& one : counts_of) {
      all.rows += one.rows;
      all.of_long += one.of_long;
      all.largest = (std::max)(all.largest, one.largest);
    }
    // The rows of a partition are in two arrays, which take a quarter of sizes_.memory.
    const std::uint64_t a_partition =
        std::clamp<std::uint64_t>(sizes_.memory / 4 / (2 * sizeof(set_row)), 1, sizes_.max_rows);
    const auto partitions_for = [&](std::uint64_t count) {
      return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(count / a_partition + 1, 1, sizes_.max_partitions));
    };
    partitions_ = partitions_for(all.rows);
    if (const std::uint64_t part_rows = choose_parts(); part_rows != 0) {
      part_partitions_ = partitions_for(part_rows);
      has_parts_.resize(source_.size);
    }
    const int bits = bit_width(part_partitions_ == 0 ? all.largest : (std::max)(all.largest, parts_.codes()));
    const std::size_t number_bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
    format_ = {.number_bytes = number_bytes, .has_short_bitmaps = all.of_long <= all.rows / 32};
    stored_.assign(partitions_ + part_partitions_, 0);
    copies_ = as == copies_as::one ? equal_sets(source_, first_count_, hashes.span(), run_)
                                   : equal_groups<std::uint32_t>(source_.size);
  }

  /// Returns the greatest size of sets for which bitmaps of 64 bits reject most dissimilar sets. Two similar sets of
  /// this size differ in at most 16 features, so their bitmaps differ in at most 16 bits. The bitmaps of two sets
  /// without common features differ in 32 bits or a few less.
  [[nodiscard]] std::size_t most_for_short_bitmaps() const noexcept {
    if (!bounds_.bounds_differences()) return 0;
    std::size_t size = 0;
    while (size < 256 && bounds_.most_differing(size + 1) <= 16) ++size;
    return size;
  }

  /// Estimates from a sample whether rows of parts cost less than rows of frequent features. A row of a feature that n
  /// sets have costs about n / 8 ns, because a tenth of these sets are candidates. The row costs 800 ns at most, as the
  /// sets of a very frequent feature are joined as a corpus of their own. A row of a part costs 100 ns.
  /// Returns: about how many rows of parts there are, or 0 if no set has such rows.
  [[nodiscard]] std::uint64_t choose_parts() {
    constexpr std::uint64_t most_cost = 6400;
    constexpr std::size_t most_parts = 32;
    parts_ = row_parts(bounds_, most_parts);
    if (parts_.largest() == 0) return 0;
    std::uint64_t cost = 0, rows = 0;
    prefix_finder finder;
    for_each_sampled(0, source_.size, stride_of_few(source_), [&](std::size_t i) {
      const std::span<const Feature> set = source_.of(i);
      const std::size_t prefix = table_.prefix(set.size());
      if (prefix == 0 || set.size() > parts_.largest()) return;
      const std::span<const std::uint64_t> keys = finder.find(set, prefix, counts_);
      if (!is_frequent(keys.back())) return;
      for (const std::uint64_t key : keys) {
        cost += is_frequent(key) ? (std::min)(counts_.estimate(key >> 32), most_cost) : 0;
      }
      rows += parts_.keys(set.size());
    });
    return rows * sizes_.part_cost > cost ? 0 : rows * stride_of_few(source_);
  }

  /// Returns true if many sets have a feature. `key` has its token and frequency; see prefix_finder::find().
  [[nodiscard]] bool is_frequent(std::uint64_t key) const noexcept {
    return counts_.estimate(key >> 32) >= (std::min)(sizes_.large / 4, std::size_t{1} << 14);
  }

  /// Stores the rows of all sets except copies.
  void scatter() {
    struct scatter_worker {
      prefix_finder finder;
      part_keys parts;
      std::vector<std::vector<set_row>> rows;  // indexed by partition
    };
    std::vector<scatter_worker> workers(parts_for_sets(source_, run_));
    for (scatter_worker& one : workers) one.rows.resize(stored_.size());
    const std::uint64_t waiting = sizes_.memory / 16 / sizeof(set_row) / stored_.size() / workers.size();
    const auto most = to_size(std::clamp<std::uint64_t>(waiting, 64, 4096));
    mutex_type mutex;
    const auto store = [&](std::uint32_t partition, std::vector<set_row>& rows) {
      if (rows.empty()) return;
      const std::span<const std::byte> bytes = format_.pack(rows);
      const std::lock_guard lock(mutex);
      store_.append(partition, bytes);
      stored_[partition] += rows.size();
      rows.clear();
    };
    in_steps(
        run_, workers.size(), source_.size, sets_a_step, [&](std::size_t part, std::size_t first, std::size_t last) {
          scatter_worker& own = workers[part];
          for (std::size_t i = first; i < last; ++i) {
            if (copies_.is_copy(i)) continue;
            const std::span<const Feature> set = source_.of(i);
            const std::size_t prefix = table_.prefix(set.size());
            if (prefix == 0) continue;
            const std::span<const std::uint64_t> keys = own.finder.find(set, prefix, counts_);
            const set_bitmap bitmap = sketch_of(set).bitmap;
            const auto add = [&](std::uint32_t partition, std::uint32_t key, std::size_t position) {
              std::vector<set_row>& to = own.rows[partition];
              to.push_back({key, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(set.size()),
                            static_cast<std::uint32_t>(position), bitmap});
              if (to.size() >= most) store(partition, to);
            };
            // keys.back() is the most frequent prefix feature, because keys ascend by frequency. Parts find the pairs
            // of two small sets with a frequent feature. So a set that no larger set can match needs no rows of
            // frequent features.
            const bool has_parts = part_partitions_ != 0 && set.size() <= parts_.largest() && is_frequent(keys.back());
            const bool is_found_by_parts = has_parts && !parts_.may_match_larger(set.size());
            for (std::size_t k = 0; k < keys.size(); ++k) {
              // Features with the same token are neighbours in the prefix. Such features share one row.
              if (k > 0 && keys[k] == keys[k - 1]) continue;
              if (is_found_by_parts && is_frequent(keys[k])) break;
              const auto token = static_cast<std::uint32_t>(keys[k]);
              add(partition_of(token, partitions_), token, k);
            }
            if (!has_parts) continue;
            has_parts_[i] = true;
            parts_.for_each_key(set, own.parts, [&](std::uint32_t key, std::uint32_t code) {
              add(partitions_ + partition_of(key, part_partitions_), key, code);
            });
          }
          return true;
        });
    for (scatter_worker& one : workers) {
      for (std::uint32_t i = 0; i < stored_.size(); ++i) store(i, one.rows[i]);
    }
  }

  /// Moves the rows of the sets marked in `is_marked` to the front.
  /// Returns: the moved rows.
  static std::span<set_row> only(std::span<set_row> rows, const std::vector<bool>& is_marked) {
    const auto end = std::remove_if(rows.begin(), rows.end(), [&](const set_row& r) { return !is_marked[r.set]; });
    return rows.first(static_cast<std::size_t>(end - rows.begin()));
  }

  /// Moves the rows of shared features to the front. A feature is shared if a marked set and an unmarked set have it.
  /// Returns: the moved rows. Features are hashed, so a few rows of other features may be moved, too.
  static std::span<set_row> only_shared(std::span<set_row> rows, const std::vector<bool>& is_marked) {
    const int bits = bit_width(rows.size()) + 2;
    const auto number = [bits](const set_row& r) { return to_size(mix(r.key + golden_ratio) >> (64 - bits)); };
    std::array<std::vector<bool>, 2> occurs;
    for (std::vector<bool>& one : occurs) one.resize(std::size_t{1} << bits);
    for (const set_row& r : rows) occurs[is_marked[r.set] ? 1 : 0][number(r)] = true;
    const auto end = std::remove_if(rows.begin(), rows.end(),
                                    [&](const set_row& r) { return !occurs[is_marked[r.set] ? 0 : 1][number(r)]; });
    return rows.first(static_cast<std::size_t>(end - rows.begin()));
  }

  // Threads take sets_a_step sets at a time, a multiple of 64. So no two threads write to the same word of has_parts_.
  static_assert(sets_a_step % 64 == 0);

  set_source<Feature> source_;
  std::size_t first_count_;
  const overlap_bounds& bounds_;
  overlap_table table_;
  any_partition_store store_;
  any_runner run_;
  row_join_sizes sizes_;
  sampled_counts counts_;
  row_parts parts_;
  row_format format_;
  std::vector<bool> has_parts_;                         // by number of the set; empty if no set has rows of parts
  std::uint32_t partitions_ = 1, part_partitions_ = 0;  // numbers of partitions: rows of features; rows of parts
  std::vector<std::uint64_t> stored_;                   // number of rows of each partition
  equal_groups<std::uint32_t> copies_;
  source_prefixes<Feature> prefixes_;
};

}  // namespace neardup::inline v0::detail
