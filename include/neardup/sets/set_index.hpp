// SPDX-License-Identifier: MIT
// An index of feature sets: finds exactly the stored sets that are similar to a given set.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../detail/visits.hpp"
#include "../error.hpp"
#include "../ids.hpp"
#include "../runner.hpp"
#include "../threshold.hpp"
#include "engine/common_elements.hpp"
#include "engine/hash_chains.hpp"
#include "engine/overlap_bounds.hpp"
#include "engine/set_postings.hpp"
#include "engine/set_store.hpp"
#include "feature_sets.hpp"
#include "searchable_sets.hpp"

namespace neardup::inline v0 {

/// Feature sets in memory, one per id, with exact search: a query finds every stored set with at least a similarity.
///
/// A set is a span of ascending, distinct features of 32 or 64 bits, as feature_extractor returns them. Equal sets are
/// stored once, whatever their number of ids. An empty set is kept, and matches nothing. Feature: the type of features.
/// Id: any index_id. Searches decide exactly as jaccard_similarity(a, b) >= 0.8 does, and as pairs() of sets does. Each
/// match comes once. A search may ask for a larger similarity than the index has, which is faster.
///
/// Complexity: insert() and the searches are near-linear in the features of their set, and linear in the sets that
/// share rare features with it. erase() is O(1). No single insertion rebuilds the index: the order of features and the
/// memory are renewed in small steps.
/// Memory: a distinct set of n features takes its features and an eighth, and about 50 bytes. It has a posting of 15
/// bytes for each of its n - ceil(similarity * n) + 1 rarest features (for containment, for all n features). An id
/// takes 20 bytes and its own size. The index takes one more byte for four features. Erased sets take memory until
/// further insertions have renewed it. During the renewal there are up to twice as many postings.
/// Guarantee: a member that throws changes no answer. A moved-from index may only be destroyed or assigned to.
/// Thread safety: const members may be called from many threads while no thread writes.
/// Example: `set_index<> index{jaccard{0.8}};  index.insert(features, 7);
///          for (const auto& [id, common, similarity] : index.search(query)) …`
template <std::unsigned_integral Feature = std::uint32_t, class Id = std::uint32_t>
class set_index : public searchable_sets<set_index<Feature, Id>, Feature, Id> {
  using base = searchable_sets<set_index, Feature, Id>;
  friend base;
  template <std::unsigned_integral, class>
  friend class layered_set_index;

 public:
  using typename base::set_type;

  /// Makes an empty index. `least`: jaccard{0.8}, cosine{0.8}, containment{0.8}, or a set_threshold.
  /// Throws: std::invalid_argument unless 0 < similarity <= 1.
  explicit set_index(const set_threshold& least) : postings_(detail::overlap_bounds(least)) {}

  set_index(set_index&& other) = default;
  set_index& operator=(set_index&& other) = default;

  // ---- Content ------------------------------------------------------------------------------------------------------

  /// Stores a set under an id. `set` may refer to a set of this index.
  /// Returns: false if the id is stored already; its set is then unchanged.
  /// Throws: std::invalid_argument unless the features are ascending and distinct; std::length_error from 2^30 features
  /// or 2^32 - 2 sets or ids on; std::bad_alloc.
  bool insert(set_type set, id_argument<Id> id) {
    detail::check_ascending(set);
    if (contains(id)) return false;
    add(set, id);
    return true;
  }

  /// Stores a set under an id. If the id is stored already, its set is replaced.
  /// Returns: true if the id is new.
  /// Throws: the exceptions of insert().
  bool insert_or_assign(set_type set, id_argument<Id> id) {
    detail::check_ascending(set);
    const std::uint32_t entry = ids_.find(id);
    if (entry == ids_type::none) {
      add(set, id);
      return true;
    }
    const std::uint32_t slot = hold(set);  // nothing throws from here on
    const std::uint32_t before = ids_.slot(entry);
    if (slot == before) return false;
    unlink(entry);
    slots_[slot].first = ids_.link(entry, slot, slots_[slot].first);
    return false;
  }

  /// Stores many sets. If an id is stored already, or occurs earlier in `ids`, its first set stays. `sets`: see
  /// set_range. A large batch is faster than one insertion after the other, because the order of the features is learnt
  /// from the whole batch. `run` spreads the check of the sets over threads.
  /// Returns: the number of new ids.
  /// Throws: std::invalid_argument if the numbers of sets and ids differ; the exceptions of insert().
  template <set_range Sets>
  std::size_t insert_all(const Sets& sets, std::span<const Id> ids, const any_runner& run = {}) {
    detail::check_features<Feature, Sets>();
    if (sets.size() != ids.size()) {
      detail::fail<std::invalid_argument>({"insert_all: ", ids.size(), " ids for ", sets.size(), " sets"});
    }
    constexpr std::size_t step = 1024;
    detail::in_steps(run, detail::parts_for(run, ids.size(), step), ids.size(), step,
                     [&](std::size_t /*part*/, std::size_t first, std::size_t last) {
                       for (std::size_t i = first; i < last; ++i) detail::check_ascending(set_type(sets[i]));
                       return true;
                     });
    std::vector<Id> added;
    added.reserve(ids.size());
    detail::undo adding{[&] {
      for (const Id& id : added) erase(id);
    }};
    if (empty()) postings_.learn_from(ids.size(), [&](std::size_t i) { return set_type(sets[i]); });
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (contains(ids[i])) continue;
      add(set_type(sets[i]), ids[i]);
      added.push_back(ids[i]);
    }
    adding.is_due = false;
    return added.size();
  }

  /// Removes an id, and its set if no other id has the same set.
  /// Returns: false if the id was not stored.
  /// Complexity: O(1).
  bool erase(id_argument<Id> id) noexcept {
    const std::uint32_t entry = ids_.find(id);
    if (entry == ids_type::none) return false;
    unlink(entry);
    ids_.erase(entry);
    return true;
  }

  /// Returns the set of an id, or nullopt if the id is not stored. The set is valid until the index is changed.
  [[nodiscard]] std::optional<set_type> find(id_argument<Id> id) const noexcept {
    const std::uint32_t entry = ids_.find(id);
    if (entry == ids_type::none) return std::nullopt;
    return sets_[ids_.slot(entry)];
  }
  /// Returns true if a set is stored under the id.
  [[nodiscard]] bool contains(id_argument<Id> id) const noexcept { return ids_.find(id) != ids_type::none; }

  /// Returns the number of ids.
  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// Returns the number of distinct sets.
  [[nodiscard]] std::size_t distinct_size() const noexcept { return distinct_; }

  /// Calls `visit(id, set)` for each id, in unspecified order. The visit ends early if the visitor returns false.
  /// Precondition: the visitor does not change the index.
  template <std::invocable<const Id&, set_type> Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (!visit_ids(slot, [&](const Id& id) { return detail::visit_goes_on(visit, id, sets_[slot]); })) return;
    }
  }

  // ---- Memory -------------------------------------------------------------------------------------------------------

  /// Returns the number of bytes that the index has allocated.
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return sets_.memory_usage() + postings_.memory_usage() + slots_.memory_usage() + contents_.memory_usage() +
           ids_.memory_usage();
  }

  /// Stores all sets anew. This frees the memory of erased sets, and learns the order of the features from the present
  /// sets.
  /// Complexity: the same as insert_all().
  void compact() {
    set_index fresh(postings_.fresh());
    std::vector<std::uint32_t> held;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot].first != ids_type::none) held.push_back(static_cast<std::uint32_t>(slot));
    }
    fresh.postings_.learn_from(held.size(), [&](std::size_t i) { return sets_[held[i]]; });
    for (const std::uint32_t slot : held) {
      visit_ids(slot, [&](const Id& id) {
        fresh.add(sets_[slot], id);
        return true;
      });
    }
    swap(fresh);
  }

  /// Removes everything, and frees its memory.
  void clear() noexcept {
    sets_ = {};
    postings_.clear();
    slots_.clear();
    contents_ = {};
    ids_type().swap(ids_);
    free_ = none;
    distinct_ = 0;
  }

  void swap(set_index& other) noexcept {
    sets_.swap(other.sets_);
    std::swap(postings_, other.postings_);
    slots_.swap(other.slots_);
    contents_.swap(other.contents_);
    ids_.swap(other.ids_);
    std::swap(free_, other.free_);
    std::swap(distinct_, other.distinct_);
  }
  friend void swap(set_index& a, set_index& b) noexcept { a.swap(b); }

 private:
  using ids_type = detail::id_table<Id>;
  static constexpr std::uint32_t none = ids_type::none;

  /// The data of a distinct set, besides its features.
  struct slot_entry {
    std::uint32_t first = none;  // an entry of ids_; none for a free slot
    std::uint32_t next = none;   // the next slot in a chain of contents_, or of free slots
    std::uint32_t hash = 0;
  };

  explicit set_index(detail::set_postings empty) : postings_(std::move(empty)) {}

  [[nodiscard]] auto next_of() noexcept {
    return [this](std::uint32_t slot) -> std::uint32_t& { return slots_[slot].next; };
  }

  /// Adds an id that is not stored.
  /// Guarantee: strong.
  void add(set_type set, const Id& id) {
    const std::uint32_t entry = ids_.insert(id);
    detail::undo naming{[&] { ids_.erase(entry); }};
    const std::uint32_t slot = hold(set);
    naming.is_due = false;
    slots_[slot].first = ids_.link(entry, slot, slots_[slot].first);
  }

  /// Returns the slot of a set. Stores the set if it is new. The caller then has to link an id to the slot.
  std::uint32_t hold(set_type set) {
    const auto hash = static_cast<std::uint32_t>(detail::sketch_of(set).hash);
    for (std::uint32_t at = contents_.first(hash); at != none; at = slots_[at].next) {
      if (slots_[at].hash != hash) continue;
      const set_type held = sets_[at];
      if (std::equal(held.begin(), held.end(), set.begin(), set.end())) return at;
    }
    if (free_ == none) {
      if (slots_.size() >= none - 1) detail::fail<std::length_error>("a set_index has at most 2^32 - 2 sets");
      slots_.grow_to(slots_.size() + 1);
      free_ = static_cast<std::uint32_t>(slots_.size() - 1);
    }
    contents_.make_room(next_of(), [this](std::uint32_t slot) { return slots_[slot].hash; });
    const std::uint32_t slot = free_;
    sets_.put(slot, set);
    detail::undo storing{[&] { sets_.erase(slot); }};
    postings_.insert(sets_[slot], slot, [this](std::uint32_t other) { return sets_[other]; });
    storing.is_due = false;
    free_ = slots_[slot].next;
    slots_[slot].hash = hash;
    contents_.insert(slot, hash, next_of());
    ++distinct_;
    return slot;
  }

  /// Unlinks the entry of an id from its set. Removes the set if that was its last id.
  void unlink(std::uint32_t entry) noexcept {
    const std::uint32_t slot = ids_.slot(entry);
    slots_[slot].first = ids_.unlink(entry);
    if (slots_[slot].first != none) return;
    contents_.erase(slot, slots_[slot].hash, next_of());
    postings_.erase(slot);
    sets_.erase(slot);
    slots_[slot].next = std::exchange(free_, slot);
    --distinct_;
  }

  /// Calls `visit(id)` for each id of a slot, until `visit` returns false.
  /// Returns: false if `visit` returned false.
  template <class Visit>
  bool visit_ids(std::size_t slot, const Visit& visit) const {
    const std::uint32_t first = slots_[slot].first;
    if (first == none) return true;
    std::uint32_t entry = first;
    do {
      if (!visit(ids_.id(entry))) return false;
      entry = ids_.following(entry);
    } while (entry != first);
    return true;
  }

  [[nodiscard]] const detail::overlap_bounds& search_bounds() const noexcept { return postings_.bounds(); }

  /// Calls `take(slot, common, similarity)` for each similar set, until `take` returns false.
  /// Returns: false if `take` returned false.
  template <class Take>
  bool find_sets(set_type query, const detail::overlap_bounds& bounds, detail::candidate_search& scratch,
                 const Take& take) const {
    bool goes_on = true;
    postings_.for_each(query, bounds, scratch, [&](std::uint32_t slot, std::size_t least) {
      const set_type set = sets_[slot];
      const std::size_t common = detail::count_common(set, query, least);
      if (common >= least) {
        goes_on = take(std::size_t{slot}, static_cast<std::uint32_t>(common),
                       bounds.similarity(set.size(), query.size(), common));
      }
      return goes_on;
    });
    return goes_on;
  }

  detail::set_store<Feature> sets_;  // indexed by slot
  detail::set_postings postings_;    // indexed by slot
  detail::chunked_array<slot_entry> slots_;
  detail::hash_chains contents_;  // finds slots by the hashes of their sets
  ids_type ids_;
  std::uint32_t free_ = none;  // the first slot of the chain of free slots
  std::size_t distinct_ = 0;
};

}  // namespace neardup::inline v0
