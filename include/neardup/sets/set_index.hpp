// SPDX-License-Identifier: MIT
// An index of feature sets: finds exactly the stored sets that are similar to a given set.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "../detail/visits.hpp"
#include "../error.hpp"
#include "../ids.hpp"
#include "../runner.hpp"
#include "../threshold.hpp"
#include "engine/candidate_search.hpp"
#include "engine/chunked_array.hpp"
#include "engine/common_elements.hpp"
#include "engine/frozen_sets.hpp"
#include "engine/hash_chains.hpp"
#include "engine/overlap_bounds.hpp"
#include "engine/set_postings.hpp"
#include "engine/set_store.hpp"
#include "feature_sets.hpp"

namespace neardup::inline v0 {

namespace detail {
struct set_index_access;
}

/// The least similarity of a search. You can give a number or a threshold. A number is a similarity by the measure of
/// the index. A threshold, such as jaccard{0.9}, names its measure. If its min_common is 0, the search uses the
/// min_common of the index.
struct search_threshold {
  double similarity;
  std::optional<set_similarity> measure = std::nullopt;
  std::size_t min_common = 0;

  constexpr search_threshold(double least) noexcept : similarity(least) {}  // NOLINT(google-explicit-constructor)
  template <threshold_of_sets Threshold>
  constexpr search_threshold(const Threshold& least) noexcept  // NOLINT(google-explicit-constructor)
      : similarity(least.similarity), min_common(least.min_common) {
    measure = set_threshold(least).measure;
  }
  // A threshold of bits or edits does not compile. The compiler prints the message of set_threshold.
  template <class Other>
    requires(std::same_as<Other, bits> || std::same_as<Other, edit>)
  constexpr search_threshold(const Other& least)  // NOLINT(google-explicit-constructor)
      : search_threshold(set_threshold(least)) {}
};

/// A stored set that has at least the required similarity to a query.
template <class Id>
struct set_match {
  Id id;
  std::uint32_t common;  ///< the number of common features
  double similarity;

  friend bool operator==(const set_match&, const set_match&) = default;
  /// The order of search results: by descending similarity, then by id.
  friend bool operator<(const set_match& a, const set_match& b) {
    if (a.similarity != b.similarity) return a.similarity > b.similarity;
    return a.id < b.id;
  }
};

/// An index of feature sets. Each id has one set. A query finds exactly the stored sets with at least a given
/// similarity.
///
/// A set is a span of ascending, distinct features of 32 or 64 bits, as feature_extractor returns them. Equal sets are
/// stored once, whatever their number of ids. An empty set is stored, but is similar to no set. Feature: the type of
/// the features. Id: any index_id. A stored set matches if and only if, for example, jaccard_similarity(a, b) >= 0.8;
/// pairs() of sets uses the same comparison. Each match is returned once. A search may ask for a larger similarity than
/// the threshold of the index, which is faster.
///
/// An index may have a *base*: the sets of a mapped file, which set_index_file::index() returns. The file never
/// changes. Sets that are added later are kept in memory. A bit marks an id of the base as erased or replaced.
///
/// Complexity: insert() and the searches are near-linear in the features of their set, and linear in the number of
/// stored sets that share rare features with this set. erase() is O(1). If the index has a base of n ids, a call that
/// takes an id takes O(log n) more. No insertion rebuilds the whole index. A new order of the features is applied in
/// small steps, during later insertions.
/// Memory: a distinct set of n features takes the size of its features, an eighth of that size, and about 50 bytes.
/// Each of its n - ceil(s * n) + 1 rarest features (all n features for containment) has a posting of 15 bytes. For
/// Jaccard, s is the similarity; for cosine, s is its square. An id takes 20 bytes and its own size. The document
/// frequencies take one byte for every four features. Erased sets take memory until later insertions have renewed the
/// index. During the renewal there are up to twice as many postings. A base takes no memory until an id of the base is
/// erased. After that a base takes a bit for each of its ids.
/// Guarantee: a call that throws changes no later result. A moved-from index may only be destroyed or assigned to.
/// Thread safety: several threads may call const members at once while no thread calls other members.
/// Example: `set_index<> index{jaccard{0.8}};  index.insert(features, 7);
///          for (const auto& [id, common, similarity] : index.search(query)) …`
template <std::unsigned_integral Feature = std::uint32_t, class Id = std::uint32_t>
class set_index {
  static_assert(sizeof(Feature) == 4 || sizeof(Feature) == 8,
                "neardup: the features of a set_index have 32 or 64 bits, as feature_extractor makes them");
  static_assert(index_id<Id>,
                "neardup: the Id of a set_index is regular, totally ordered and trivially copyable, and no "
                "floating-point number");

 public:
  using feature_type = Feature;
  using id_type = Id;
  using set_type = std::span<const Feature>;
  using match_type = set_match<Id>;
  /// The matches of a batch of queries. batch[i] is a span of the matches of query i, and batch.size() is the number of
  /// queries. All matches are in one flat array, the member `matches`: the matches of query i have the indices from
  /// offsets[i] to offsets[i + 1] - 1.
  using batch_type = detail::match_batch<match_type>;

  /// Scratch memory of a search, reused from query to query. Each thread needs its own object.
  class workspace {
    friend set_index;
    detail::candidate_search finding_;
    std::vector<detail::set_candidate> found_;
  };

  /// Makes an empty index. `least`: jaccard{0.8}, cosine{0.8}, containment{0.8}, or a set_threshold.
  /// Throws: std::invalid_argument unless 0 < similarity <= 1.
  explicit set_index(const set_threshold& least) : postings_(detail::overlap_bounds(least)) {}

  set_index(set_index&& other) = default;
  set_index& operator=(set_index&& other) = default;

  /// Returns the threshold of the index, which searches use by default. A min_common of 0 is replaced by the number
  /// that 0 stands for (set_threshold).
  [[nodiscard]] set_threshold threshold() const noexcept { return postings_.bounds().least_similar(); }

  // ---- Searches -----------------------------------------------------------------------------------------------------
  // `least` is a similarity by the measure of the index, or a threshold with the same measure. Each search throws
  // std::bad_alloc, and std::invalid_argument if the features are not ascending and distinct, or if `least` is below
  // the threshold() of the index, above 1, not a number, or of another measure.

  /// Returns all ids whose sets have at least the similarity `least` to the query. The matches are sorted by descending
  /// similarity, then by id.
  [[nodiscard]] std::vector<match_type> search(set_type query, std::optional<search_threshold> least = {}) const {
    workspace scratch;
    std::vector<match_type> matches;
    append_matches(query, bounds_for(least), scratch, matches);
    return matches;
  }
  template <std::convertible_to<std::string_view> Text>
  void search(const Text&, const auto&...) const = delete;  // a text has no features: write search(extract(text))

  /// Returns for each query the result of search(). The runner `run` spreads the work over threads: `threads{8}`, or a
  /// runner of your own. The result is the same for every runner.
  template <set_range Sets>
  [[nodiscard]] batch_type search_batch(const Sets& queries, std::optional<search_threshold> least = {},
                                        const any_runner& run = {}) const {
    detail::check_features<Feature, Sets>();
    constexpr std::size_t step = 64;
    const detail::overlap_bounds bounds = bounds_for(least);
    const std::size_t count = queries.size(), blocks = (count + step - 1) / step;
    std::vector<workspace> scratch(detail::parts_for(run, count, step));
    std::vector<std::vector<match_type>> found(blocks);
    batch_type result;
    result.offsets.resize(count + 1);
    detail::in_steps(run, scratch.size(), blocks, 1, [&](std::size_t part, std::size_t block, std::size_t) {
      for (std::size_t i = block * step; i < (std::min)((block + 1) * step, count); ++i) {
        append_matches(set_type(queries[i]), bounds, scratch[part], found[block]);
        result.offsets[i + 1] = found[block].size();
      }
      return true;
    });
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t before = result.matches.size();
      for (std::size_t i = block * step; i < (std::min)((block + 1) * step, count); ++i)
        result.offsets[i + 1] += before;
      result.matches.insert(result.matches.end(), found[block].begin(), found[block].end());
      found[block] = {};
    }
    return result;
  }

  /// Returns the first result of search(): the most similar set. Of equally similar sets, the set with the smallest id
  /// is returned.
  [[nodiscard]] std::optional<match_type> nearest(set_type query, std::optional<search_threshold> least = {}) const {
    workspace scratch;
    return nearest(query, least, scratch);
  }
  [[nodiscard]] std::optional<match_type> nearest(set_type query, std::optional<search_threshold> least,
                                                  workspace& scratch) const {
    std::optional<match_type> best;
    visit_sets(query, bounds_for(least), scratch, [&](std::size_t slot, std::uint32_t common, double similarity) {
      if (best && similarity < best->similarity) return true;
      return visit_ids(slot, [&](const Id& id) {
        const match_type found{id, common, similarity};
        if (!best || found < *best) best = found;
        return true;
      });
    });
    return best;
  }

  /// Returns true if a stored set has at least the similarity `least` to the query. The search stops at the first
  /// match.
  [[nodiscard]] bool any_within(set_type query, std::optional<search_threshold> least = {}) const {
    workspace scratch;
    return any_within(query, least, scratch);
  }
  [[nodiscard]] bool any_within(set_type query, std::optional<search_threshold> least, workspace& scratch) const {
    return !visit_sets(query, bounds_for(least), scratch, [](std::size_t, std::uint32_t, double) { return false; });
  }

  /// Calls `visit(match)` once for each match, in unspecified order. The visit ends when `visit` returns false or
  /// throws; an exception is passed on.
  /// Precondition: `visit` does not change the index.
  template <std::invocable<const match_type&> Visit>
  void for_each_match(set_type query, std::optional<search_threshold> least, workspace& scratch, Visit&& visit) const {
    visit_sets(query, bounds_for(least), scratch, [&](std::size_t slot, std::uint32_t common, double similarity) {
      return visit_ids(slot, [&](const Id& id) {
        return detail::visit_goes_on(visit, match_type{id, common, similarity});
      });
    });
  }

  // ---- Content ------------------------------------------------------------------------------------------------------

  /// Stores a set under an id. `set` may be a view of a set in this index.
  /// Returns: false if the id is stored already; the index is then unchanged.
  /// Throws: std::invalid_argument if the features are not ascending and distinct; std::length_error if the set has
  /// 2^30 features or more, or if the index would have more than 2^32 - 2 sets or ids; std::bad_alloc.
  bool insert(set_type set, id_argument<Id> id) {
    detail::check_ascending(set);
    if (contains(id)) return false;
    add(set, id);
    return true;
  }
  // A text does not compile. The message of the compiler says what to write.
  template <std::convertible_to<std::string_view> Text>
  bool insert(const Text& /*text*/, id_argument<Id> /*id*/) {
    static_assert(sizeof(Text) == 0,
                  "neardup: a set has the features of a text: write index.insert(extract(text), id), with "
                  "feature_extractor extract{words{}}");
    return false;
  }

  /// Stores a set under an id. If the id is stored already, its set is replaced.
  /// Returns: true if the id is new.
  /// Throws: the exceptions of insert().
  bool insert_or_assign(set_type set, id_argument<Id> id) {
    detail::check_ascending(set);
    if (const std::size_t number = base_.find(id); number != base_type::none) {
      base_.prepare_erase();
      add(set, id);
      base_.erase(number);
      return false;
    }
    const std::uint32_t entry = ids_.find(id);
    if (entry == ids_type::none) {
      add(set, id);
      return true;
    }
    const std::uint32_t slot = hold(set);  // the following statements cannot throw
    const std::uint32_t before = ids_.slot(entry);
    if (slot == before) return false;
    unlink(entry);
    slots_[slot].first = ids_.link(entry, slot, slots_[slot].first);
    return false;
  }

  /// Stores set i under ids[i] for each i. If an id is stored already, or occurs twice in `ids`, its first set stays.
  /// `sets`: see set_range. A large batch is faster than single insertions, because the order of the features is learnt
  /// from the whole batch. The runner `run` spreads the check of the sets over threads.
  /// Returns: the number of new ids.
  /// Throws: std::invalid_argument if the numbers of sets and ids differ; the exceptions of insert().
  template <set_range Sets>
  std::size_t insert_all(const Sets& sets, std::span<const Id> ids, const any_runner& run = {}) {
    detail::check_features<Feature, Sets>();
    if (sets.size() != ids.size()) {
      detail::fail<std::invalid_argument>(
          {"insert_all: ", ids.size(), " ids for ", sets.size(), " sets; give one id for each set"});
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
    if (ids_.size() == 0) postings_.learn_from(ids.size(), [&](std::size_t i) { return set_type(sets[i]); });
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (contains(ids[i])) continue;
      add(set_type(sets[i]), ids[i]);
      added.push_back(ids[i]);
    }
    adding.is_due = false;
    return added.size();
  }

  /// Removes an id. If no other id has the same set, the set is removed as well.
  /// Returns: false if the id was not stored.
  /// Throws: std::bad_alloc, only if the id is the first id of the mapped file (the base) that is erased.
  /// Complexity: O(1); O(log n) if the index has a base (a mapped file) of n ids.
  bool erase(id_argument<Id> id) {
    if (const std::size_t number = base_.find(id); number != base_type::none) {
      base_.prepare_erase();
      base_.erase(number);
      return true;
    }
    const std::uint32_t entry = ids_.find(id);
    if (entry == ids_type::none) return false;
    unlink(entry);
    ids_.erase(entry);
    return true;
  }

  /// Returns the set of an id, or nullopt if the id is not stored. The span is valid until the index is changed.
  [[nodiscard]] std::optional<set_type> find(id_argument<Id> id) const noexcept {
    if (const std::size_t number = base_.find(id); number != base_type::none) return base_.set_of(number);
    const std::uint32_t entry = ids_.find(id);
    if (entry == ids_type::none) return std::nullopt;
    return sets_[ids_.slot(entry)];
  }
  /// Returns true if a set is stored under the id.
  [[nodiscard]] bool contains(id_argument<Id> id) const noexcept {
    return base_.find(id) != base_type::none || ids_.find(id) != ids_type::none;
  }

  /// Returns the number of ids.
  [[nodiscard]] std::size_t size() const noexcept { return base_.size() + ids_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// Returns the number of distinct sets. A set that is both in the mapped file (the base) and in memory counts twice.
  /// Complexity: O(1). Linear in the size of the base if an id of the base was erased.
  [[nodiscard]] std::size_t distinct_size() const noexcept { return base_.distinct_size() + distinct_; }

  /// Calls `visit(id, set)` for each id, in unspecified order. The visit ends when `visit` returns false.
  /// Precondition: `visit` does not change the index.
  template <std::invocable<const Id&, set_type> Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t slot = 0; slot < slots(); ++slot) {
      const set_type set = set_at(slot);
      if (!visit_ids(slot, [&](const Id& id) { return detail::visit_goes_on(visit, id, set); })) return;
    }
  }

  // ---- Memory -------------------------------------------------------------------------------------------------------

  /// Returns the number of bytes that the index has allocated. The mapped file of a base is not counted.
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return base_.memory_usage() + sets_.memory_usage() + postings_.memory_usage() + slots_.memory_usage() +
           contents_.memory_usage() + ids_.memory_usage();
  }

  /// Stores all sets in memory anew. compact() frees the memory of erased sets, and learns the order of the features
  /// from the sets that are stored now. Afterwards the index does not use the mapped file (its base).
  /// Precondition: the mapped file (the base) is undamaged: set_index_file::verify() succeeds.
  /// Complexity: the same as insert_all().
  void compact() {
    set_index fresh(postings_.fresh(), {});
    std::vector<std::size_t> held;
    for (std::size_t slot = 0; slot < slots(); ++slot) {
      if (has_ids(slot)) held.push_back(slot);
    }
    fresh.postings_.learn_from(held.size(), [&](std::size_t i) { return set_at(held[i]); });
    for (const std::size_t slot : held) {
      visit_ids(slot, [&](const Id& id) {
        fresh.add(set_at(slot), id);
        return true;
      });
    }
    swap(fresh);
  }

  /// Removes all sets, also the sets of the mapped file on which the index was opened (the base), and frees the memory.
  void clear() noexcept {
    base_ = {};
    sets_ = {};
    postings_.clear();
    slots_.clear();
    contents_ = {};
    ids_ = {};
    free_ = none;
    distinct_ = 0;
  }

  void swap(set_index& other) noexcept { std::swap(*this, other); }
  friend void swap(set_index& a, set_index& b) noexcept { a.swap(b); }

 private:
  friend struct detail::set_index_access;
  using base_type = detail::set_base<Feature, Id>;
  using ids_type = detail::id_table<Id>;
  static constexpr std::uint32_t none = ids_type::none;

  /// The data of a distinct set, without its features.
  struct slot_entry {
    std::uint32_t first = none;  // an entry of ids_; none for a free slot
    std::uint32_t next = none;   // the next slot in a chain of contents_, or of free slots
    std::uint32_t hash = 0;
  };

  set_index(detail::set_postings empty, base_type base) : base_(std::move(base)), postings_(std::move(empty)) {}

  [[nodiscard]] auto next_of() noexcept {
    return [this](std::uint32_t slot) -> std::uint32_t& { return slots_[slot].next; };
  }

  /// Stores `set` under `id`, which is not stored yet.
  /// Guarantee: strong.
  void add(set_type set, const Id& id) {
    const std::uint32_t entry = ids_.insert(id);
    detail::undo naming{[&] { ids_.erase(entry); }};
    const std::uint32_t slot = hold(set);
    naming.is_due = false;
    slots_[slot].first = ids_.link(entry, slot, slots_[slot].first);
  }

  /// Returns the slot of a set, and stores the set if it is new. The caller must link an id to the slot.
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

  /// Unlinks the entry of an id from its set. Removes the set if it has no other id.
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

  // ---- Searches -----------------------------------------------------------------------------------------------------
  // The slots of the sets in the mapped file (the base) come first. The slots of the sets in memory follow.

  [[nodiscard]] std::size_t slots() const noexcept { return base_.slots() + slots_.size(); }
  [[nodiscard]] set_type set_at(std::size_t slot) const noexcept {
    return slot < base_.slots() ? base_.set(slot) : sets_[slot - base_.slots()];
  }
  [[nodiscard]] bool has_ids(std::size_t slot) const noexcept {
    return slot < base_.slots() ? base_.has_ids(slot) : slots_[slot - base_.slots()].first != none;
  }

  /// Calls `visit(id)` for each id of `slot`, until `visit` returns false.
  /// Returns: false if `visit` returned false.
  template <class Visit>
  bool visit_ids(std::size_t slot, const Visit& visit) const {
    if (slot < base_.slots()) return base_.visit_ids(slot, visit);
    const std::uint32_t first = slots_[slot - base_.slots()].first;
    if (first == none) return true;
    std::uint32_t entry = first;
    do {
      if (!visit(ids_.id(entry))) return false;
      entry = ids_.following(entry);
    } while (entry != first);
    return true;
  }

  [[nodiscard]] detail::overlap_bounds bounds_for(std::optional<search_threshold> least) const {
    if (!least) return postings_.bounds();
    const set_threshold own = threshold();
    const detail::overlap_bounds wanted({least->measure.value_or(own.measure), least->similarity,
                                         (std::max)(least->min_common, least->min_common == 0 ? own.min_common : 1)});
    if (wanted.measure() != own.measure) {
      detail::fail<std::invalid_argument>("a set_index of one measure cannot search by another one");
    }
    if (wanted.threshold() < own.similarity || wanted.min_common() < own.min_common) {
      detail::fail<std::invalid_argument>({"a set_index for similarities of at least ", own.similarity, " and ",
                                           own.min_common, " common features cannot search for ", wanted.threshold(),
                                           " and ", wanted.min_common()});
    }
    return wanted;
  }

  /// Calls `take(slot, common, similarity)` for each set that matches the query, until `take` returns false.
  /// Returns: false if `take` returned false.
  template <class Take>
  bool visit_sets(set_type query, const detail::overlap_bounds& bounds, workspace& scratch, const Take& take) const {
    detail::check_ascending(query);
    bool goes_on = true;
    const auto verify = [&](std::size_t slot, set_type set, std::size_t least) {
      const std::size_t common = detail::count_common(set, query, least);
      if (common >= least) {
        goes_on = take(slot, static_cast<std::uint32_t>(common), bounds.similarity(set.size(), query.size(), common));
      }
      return goes_on;
    };
    base_.for_each(query, bounds, scratch.finding_,
                   [&](std::uint32_t slot, std::size_t least) { return verify(slot, base_.set(slot), least); });
    if (!goes_on) return false;
    // Three loops instead of one, so that the cache misses of all candidates overlap.
    std::vector<detail::set_candidate>& found = scratch.found_;
    found.clear();
    postings_.for_each(query, bounds, scratch.finding_, [&](std::uint32_t slot, std::size_t least) {
      sets_.prefetch(slot);
      detail::prefetch(&slots_[slot]);
      found.push_back({slot, static_cast<std::uint32_t>(least)});
      return true;
    });
    for (const detail::set_candidate& one : found) {
      const set_type set = sets_[one.place];
      detail::prefetch(set.data());
      detail::prefetch(set.data() + set.size() - 1);
      ids_.prefetch(slots_[one.place].first);
    }
    for (const detail::set_candidate& one : found) {
      if (!verify(base_.slots() + one.place, sets_[one.place], one.least)) return false;
    }
    return true;
  }

  void append_matches(set_type query, const detail::overlap_bounds& bounds, workspace& scratch,
                      std::vector<match_type>& to) const {
    const auto first = static_cast<std::ptrdiff_t>(to.size());
    visit_sets(query, bounds, scratch, [&](std::size_t slot, std::uint32_t common, double similarity) {
      return visit_ids(slot, [&](const Id& id) {
        to.push_back({id, common, similarity});
        return true;
      });
    });
    std::sort(to.begin() + first, to.end());
  }

  base_type base_;
  // The sets that are in memory, and not in the mapped file (the base).
  detail::set_store<Feature> sets_;  // indexed by slot
  detail::set_postings postings_;    // indexed by slot
  detail::chunked_array<slot_entry> slots_;
  detail::hash_chains contents_;  // finds slots by the hashes of their sets
  ids_type ids_;
  std::uint32_t free_ = none;  // the first slot of the chain of free slots
  std::size_t distinct_ = 0;
};

namespace detail {

/// Lets the class set_index_file make an index with a base.
struct set_index_access {
  /// Returns an index that has only the sets of `base`.
  template <class Feature, class Id>
  static set_index<Feature, Id> make(const overlap_bounds& bounds, set_base<Feature, Id> base) {
    return set_index<Feature, Id>(set_postings(bounds), std::move(base));
  }
};

}  // namespace detail

}  // namespace neardup::inline v0
