// SPDX-License-Identifier: MIT
// Sets and their inverted index in flat arrays. Files store these arrays, and searches read them in place.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/equal_groups.hpp"
#include "../../detail/large_array.hpp"
#include "../../error.hpp"
#include "bitmap_filter.hpp"
#include "candidate_search.hpp"
#include "feature_rarity.hpp"
#include "overlap_bounds.hpp"
#include "posting_lists.hpp"
#include "rare_first.hpp"

namespace neardup::inline v0::detail {

/// The record of a stored set. The features of the set begin at index `begin`, and end where the features of the next
/// record begin.
struct frozen_set_record {
  set_bitmap bitmap;
  std::uint64_t begin;
};

/// The order of the features, as an array of levels that feature_rarity::levels() returned.
/// Precondition: the array is not empty.
template <class Levels>
class feature_levels {
 public:
  explicit feature_levels(const Levels& levels) noexcept : levels_(levels) {}

  void prefetch(std::uint32_t token) const noexcept { detail::prefetch(levels_.data() + place(token)); }
  [[nodiscard]] std::uint16_t operator[](std::uint32_t token) const noexcept { return levels_[place(token)]; }

 private:
  [[nodiscard]] std::size_t place(std::uint32_t token) const noexcept {
    return to_size(std::uint64_t{token} * levels_.size() >> 32);
  }

  const Levels& levels_;
};

/// Returns the number of the bucket, in 0..buckets - 1, that has the postings of a token.
[[nodiscard]] inline std::size_t posting_bucket(std::uint32_t token, std::size_t buckets) noexcept {
  return to_size((mix(token) >> 32) * buckets >> 32);
}
/// Returns the sort key of a posting within its bucket.
[[nodiscard]] inline auto posting_order(const set_posting& p) noexcept {
  return std::tuple(p.token, p.size, p.position, p.number);
}

/// All postings in one array, ordered by (bucket, posting_order()). The postings of bucket i are [begins[i], begins[i +
/// 1]). Damaged arrays may give wrong results, but no access out of bounds.
/// Precondition: there is at least one bucket.
template <class Begins, class Postings>
class frozen_postings {
 public:
  frozen_postings(const Begins& begins, const Postings& postings) noexcept : begins_(begins), postings_(postings) {}

  /// Passes postings to a query, as posting_lists::visit() does.
  template <class Query>
  std::size_t visit(std::span<const std::uint64_t> keys, Query& query) const {
    constexpr std::size_t step = 32;  // keys per step, so that their cache misses overlap
    std::array<std::span<const set_posting>, step> found;
    const std::size_t buckets = begins_.size() - 1;
    std::size_t examined = 0;
    for (std::size_t begin = 0; begin < keys.size(); begin += step) {
      const std::size_t count = (std::min)(step, keys.size() - begin);
      for (std::size_t i = 0; i < count; ++i) {
        prefetch(begins_.data() + posting_bucket(static_cast<std::uint32_t>(keys[begin + i]), buckets));
      }
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t bucket = posting_bucket(static_cast<std::uint32_t>(keys[begin + i]), buckets);
        found[i] = postings_.span(to_size(begins_[bucket]), to_size(begins_[bucket + 1]));
        if (!found[i].empty()) prefetch(found[i].data());
      }
      for (std::size_t i = 0; i < count; ++i) {
        examined += scan(found[i], static_cast<std::uint32_t>(keys[begin + i]), begin + i, query);
      }
    }
    return examined;
  }

 private:
  static constexpr std::size_t long_bucket = 32;  // buckets with more postings are searched by bisection

  template <class Query>
  static std::size_t scan(std::span<const set_posting> bucket, std::uint32_t token, std::size_t index, Query& query) {
    if (bucket.size() <= long_bucket) {
      for (const set_posting& p : bucket) {
        if (p.token == token) query.meet(p.number, p.size, p.position, index);
      }
      return bucket.size();
    }
    const auto first =
        std::partition_point(bucket.begin(), bucket.end(), [&](const auto& p) { return p.token < token; });
    const auto last = std::partition_point(first, bucket.end(), [&](const auto& p) { return p.token == token; });
    std::size_t examined = 0;
    for (auto at = first; at < last; ++examined) {
      if (query.admits(at->size, at->size, at->position, index)) {
        query.meet(at->number, at->size, at->position, index);
        ++at;
      } else {  // then later positions of this size are not admitted either
        at = std::partition_point(at + 1, last, [size = at->size](const auto& p) { return p.size <= size; });
      }
    }
    return examined;
  }

  const Begins& begins_;
  const Postings& postings_;
};

/// Distinct sets in flat arrays, with their ids and postings. A slot is the number of a set. `Array` has the interface
/// of std::vector or mapped_array. Damaged mapped arrays may give wrong results, but no access out of bounds.
template <class Feature, class Id, template <class> class Array>
struct frozen_sets {
  static constexpr std::size_t max_slots = (std::numeric_limits<std::uint32_t>::max)() - 1;

  Array<Feature> features;
  Array<frozen_set_record> records;    ///< one for each slot, then the end of the features; empty without slots
  Array<Id> ids;                       ///< the ids of slot 0, then of slot 1, ...; ascending within a slot
  Array<std::uint32_t> id_begins;      ///< the ids of a slot: [id_begins[slot], id_begins[slot + 1])
  Array<std::uint32_t> id_order;       ///< indices of `ids`, sorted by id
  Array<std::uint8_t> levels;          ///< give the order of the features; see feature_levels
  Array<std::uint64_t> bucket_begins;  ///< a bucket: [bucket_begins[i], bucket_begins[i + 1])
  Array<set_posting> postings;

  [[nodiscard]] std::size_t slots() const noexcept { return records.size() == 0 ? 0 : records.size() - 1; }
  [[nodiscard]] std::span<const Feature> set(std::size_t slot) const noexcept {
    return features.span(to_size(records[slot].begin), to_size(records[slot + 1].begin));
  }
  [[nodiscard]] std::span<const Id> ids_of(std::size_t slot) const noexcept {
    return ids.span(id_begins[slot], id_begins[slot + 1]);
  }

  /// Returns the index of an id in `ids`; ids.size() if the id is not stored.
  [[nodiscard]] std::size_t index_of(const Id& id) const noexcept {
    const std::span<const std::uint32_t> order = id_order.span();
    const auto at = std::partition_point(order.begin(), order.end(), [&](std::uint32_t i) { return ids[i] < id; });
    return at != order.end() && *at < ids.size() && ids[*at] == id ? *at : ids.size();
  }
  /// Returns the slot of the id at index `index` of `ids`.
  [[nodiscard]] std::size_t slot_of(std::size_t index) const noexcept {
    const std::span<const std::uint32_t> begins = id_begins.span();
    const auto behind = std::partition_point(begins.begin(), begins.end(), [&](std::uint32_t b) { return b <= index; });
    const auto count = to_size(behind - begins.begin());
    return (std::min)(count == 0 ? 0 : count - 1, slots() - 1);
  }

  /// Calls `visit(slot, least)` for each set that may be similar to `query` by `bounds`, until `visit` returns false.
  /// The set is similar if its overlap with `query` is at least `least`.
  /// Precondition: the precondition of candidate_search::collect() holds.
  template <class Visit>
  void for_each(std::span<const Feature> query, const overlap_bounds& bounds, candidate_search& scratch,
                const Visit& visit) const {
    if (query.empty() || slots() == 0) return;
    scratch.begin(query, bounds);
    scratch.collect(query, bounds, group{feature_levels(levels), frozen_postings(bucket_begins, postings)},
                    records_of{*this});
    scratch.for_each(visit);
  }

 private:
  struct group {
    feature_levels<Array<std::uint8_t>> counts;
    frozen_postings<Array<std::uint64_t>, Array<set_posting>> postings;
  };
  struct records_of {
    const frozen_sets& all;

    [[nodiscard]] bool has(std::uint32_t slot) const noexcept { return slot < all.slots(); }
    [[nodiscard]] std::size_t size(std::uint32_t slot) const noexcept { return all.set(slot).size(); }
    [[nodiscard]] const set_bitmap& bitmap(std::uint32_t slot) const noexcept { return all.records[slot].bitmap; }
    void prefetch(std::uint32_t slot) const noexcept { detail::prefetch(all.records.data() + slot); }
  };
};

/// The base of a set_index: sets whose arrays belong to another object, for example to a mapped file. The arrays never
/// change. A bit for each id says whether the id is erased. A default-constructed base is empty.
/// Guarantee: strong. Moving does not throw.
template <class Feature, class Id>
class set_base {
 public:
  static constexpr std::size_t none = (std::numeric_limits<std::size_t>::max)();
  using set_type = std::span<const Feature>;
  using sets_type = frozen_sets<Feature, Id, mapped_array>;

  set_base() = default;
  /// Makes a base. `owner` owns the memory of the arrays. If `owner` is null, the caller keeps the memory as long as
  /// the base exists.
  set_base(const sets_type& sets, std::shared_ptr<const void> owner) noexcept : sets_(sets), owner_(std::move(owner)) {}

  /// Returns the number of ids that are not erased.
  [[nodiscard]] std::size_t size() const noexcept { return sets_.ids.size() - erased_; }
  [[nodiscard]] std::size_t slots() const noexcept { return sets_.slots(); }
  /// Returns the number of sets with at least one id that is not erased.
  [[nodiscard]] std::size_t distinct_size() const noexcept {
    if (erased_ == 0) return slots();
    std::size_t count = 0;
    for (std::size_t slot = 0; slot < slots(); ++slot) count += has_ids(slot) ? 1 : 0;
    return count;
  }
  [[nodiscard]] set_type set(std::size_t slot) const noexcept { return sets_.set(slot); }

  /// Returns the number (index) of an id; `none` if the base does not have the id, or the id is erased.
  [[nodiscard]] std::size_t find(const Id& id) const noexcept {
    const std::size_t number = sets_.index_of(id);
    return number < sets_.ids.size() && !is_erased(number) ? number : none;
  }
  [[nodiscard]] set_type set_of(std::size_t number) const noexcept { return sets_.set(sets_.slot_of(number)); }

  /// Allocates the bits that erase() sets, one for each id.
  void prepare_erase() { is_erased_.resize((sets_.ids.size() + 63) / 64); }
  /// Erases an id.
  /// Precondition: prepare_erase() was called, and the id with this number is not erased.
  void erase(std::size_t number) noexcept {
    is_erased_[number / 64] |= std::uint64_t{1} << number % 64;
    ++erased_;
  }

  /// Calls `visit(id)` for each id of `slot` that is not erased, until `visit` returns false.
  /// Returns: false if `visit` returned false.
  template <class Visit>
  bool visit_ids(std::size_t slot, const Visit& visit) const {
    const std::span<const Id> ids = sets_.ids_of(slot);
    const auto first = static_cast<std::size_t>(ids.data() - sets_.ids.data());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!is_erased(first + i) && !visit(ids[i])) return false;
    }
    return true;
  }
  /// Returns true if at least one id of the slot is not erased.
  [[nodiscard]] bool has_ids(std::size_t slot) const noexcept {
    return erased_ == 0 || !visit_ids(slot, [](const Id&) { return false; });
  }

  /// Visits the sets that frozen_sets::for_each() visits, but skips each set whose ids are all erased.
  template <class Visit>
  void for_each(set_type query, const overlap_bounds& bounds, candidate_search& scratch, const Visit& visit) const {
    sets_.for_each(query, bounds, scratch,
                   [&](std::uint32_t slot, std::size_t least) { return has_ids(slot) ? visit(slot, least) : true; });
  }

  /// Returns the number of bytes that the marks of erased ids take. The arrays are not counted, because their owner
  /// counts them.
  [[nodiscard]] std::size_t memory_usage() const noexcept { return is_erased_.capacity() * sizeof(std::uint64_t); }

 private:
  [[nodiscard]] bool is_erased(std::size_t number) const noexcept {
    return erased_ != 0 && (is_erased_[number / 64] >> number % 64 & 1) != 0;
  }

  sets_type sets_;
  std::shared_ptr<const void> owner_;
  std::vector<std::uint64_t> is_erased_;  // bit `number % 64` of word `number / 64`; empty until prepare_erase()
  std::size_t erased_ = 0;
};

/// The inverted index of some sets, for a given order of the features.
struct made_postings {
  std::vector<std::uint64_t> bucket_begins;
  std::vector<set_posting> postings;
};
/// Distributes postings over buckets, and sorts the postings of each bucket.
[[nodiscard]] inline made_postings put_in_buckets(const std::vector<set_posting>& all) {
  constexpr std::size_t mean_in_bucket = 4;
  const std::size_t buckets = all.size() / mean_in_bucket + 1;
  made_postings made{std::vector<std::uint64_t>(buckets + 1), std::vector<set_posting>(all.size())};
  for (const set_posting& p : all) ++made.bucket_begins[posting_bucket(p.token, buckets) + 1];
  for (std::size_t i = 0; i < buckets; ++i) made.bucket_begins[i + 1] += made.bucket_begins[i];
  std::vector<std::uint64_t> next = made.bucket_begins;
  for (const set_posting& p : all) made.postings[to_size(next[posting_bucket(p.token, buckets)]++)] = p;
  for (std::size_t i = 0; i < buckets; ++i) {
    const auto at = [&](std::size_t bucket) {
      return made.postings.begin() + static_cast<std::ptrdiff_t>(made.bucket_begins[bucket]);
    };
    std::sort(at(i), at(i + 1), [](const auto& a, const auto& b) { return posting_order(a) < posting_order(b); });
  }
  return made;
}
/// Makes the postings of the sets set_at(0), ..., set_at(count - 1).
template <class SetAt, class Counts>
[[nodiscard]] made_postings make_postings(std::size_t count, const SetAt& set_at, const overlap_bounds& bounds,
                                          const Counts& counts) {
  prefix_finder finder;
  std::vector<set_posting> all;
  for (std::size_t i = 0; i < count; ++i) {
    for_each_posting(
        set_at(i).size(), static_cast<std::uint32_t>(i), bounds,
        [&](std::size_t posted) { return finder.find(set_at(i), posted, counts); },
        [](std::span<const std::uint64_t>) {}, [&](const set_posting& posting) { all.push_back(posting); });
  }
  return put_in_buckets(all);
}

template <class T>
using vector_of = std::vector<T>;  // with one parameter; std::vector has two

/// Computes the arrays of a frozen_sets, to be written to a file. Equal sets are stored once. Slots are ordered by the
/// smallest ids of their sets. So two indexes with the same sets and ids give the same arrays.
template <class Feature, class Id>
struct set_arrays : frozen_sets<Feature, Id, vector_of> {
  using set_type = std::span<const Feature>;

  /// Computes the arrays of the index `from`, which has two members: size(), and for_each(visit), which calls visit(id,
  /// set) for each id.
  /// Throws: std::length_error for 2^32 - 2 ids or more; std::invalid_argument if an id occurs twice; std::bad_alloc.
  template <class Index>
  set_arrays(const Index& from, const overlap_bounds& bounds) {
    std::vector<entry> entries;
    entries.reserve(from.size());
    from.for_each([&](const Id& id, set_type set) { entries.push_back({id, sketch_of(set), set}); });
    if (entries.size() > (std::numeric_limits<std::uint32_t>::max)() - 2) {
      fail<std::length_error>("a file has at most 2^32 - 3 ids of sets");
    }
    if (!entries.empty()) fill(entries, bounds);
  }

 private:
  using base = frozen_sets<Feature, Id, vector_of>;
  using base::bucket_begins, base::features, base::id_begins, base::id_order, base::ids, base::levels, base::postings,
      base::records;

  struct entry {
    Id id;
    set_sketch sketch;
    set_type set;
  };

  void fill(std::vector<entry>& entries, const overlap_bounds& bounds) {
    std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) { return a.id < b.id; });
    const auto have_same_id = [](const entry& a, const entry& b) { return a.id == b.id; };
    if (std::adjacent_find(entries.begin(), entries.end(), have_same_id) != entries.end()) {
      fail<std::invalid_argument>("two sets have the same id");
    }
    const equal_groups<std::uint32_t> copies(
        entries.size(), [&](std::size_t i) { return entries[i].sketch.hash; },
        [&](std::uint32_t a, std::uint32_t b) { return compare_sets(entries[a].set, entries[b].set); }, {});
    const std::vector<std::uint32_t> firsts = copies.firsts();  // the first entry of each slot
    std::size_t count = 0;
    for (const std::uint32_t first : firsts) count += entries[first].set.size();
    features.reserve(count);
    feature_rarity counts(count);
    id_order.resize(entries.size());
    for (const std::uint32_t& first : firsts) {
      const auto& [id, sketch, set] = entries[first];
      records.push_back({sketch.bitmap, features.size()});
      features.insert(features.end(), set.begin(), set.end());
      for (const Feature feature : set) counts.count(feature_token(feature));
      id_begins.push_back(static_cast<std::uint32_t>(ids.size()));
      for (const std::uint32_t member : copies.members(first)) {
        id_order[member] = static_cast<std::uint32_t>(ids.size());
        ids.push_back(entries[member].id);
      }
    }
    records.push_back({{}, features.size()});
    id_begins.push_back(static_cast<std::uint32_t>(ids.size()));
    levels = counts.levels();
    made_postings made = make_postings(
        firsts.size(), [&](std::size_t slot) { return entries[firsts[slot]].set; }, bounds, feature_levels(levels));
    bucket_begins = std::move(made.bucket_begins);
    postings = std::move(made.postings);
  }
};

}  // namespace neardup::inline v0::detail
