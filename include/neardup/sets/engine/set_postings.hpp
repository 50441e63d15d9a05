// SPDX-License-Identifier: MIT
// An inverted index of the rare features of sets. A search returns the stored sets that may be similar to a given set.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "../../error.hpp"
#include "bitmap_filter.hpp"
#include "candidate_search.hpp"
#include "chunked_array.hpp"
#include "feature_rarity.hpp"
#include "overlap_bounds.hpp"
#include "posting_lists.hpp"
#include "rare_first.hpp"

namespace neardup::inline v0::detail {

/// An inverted index of sets. A search finds every stored set that is similar enough to a given set, and few other
/// sets. Sets have numbers, and the caller provides their features.
///
/// Prefix filter: all features are in one order, rare ones first. Two sets that are similar enough share a prefix
/// feature (set_join.hpp names the sources), so only prefix features are indexed and looked up. Candidates are dropped
/// by their sizes, by the positions of the common feature in the two sets, and by their bitmaps. For containment, the
/// smaller set may have any size, so all features are indexed and looked up. Features after the prefix have changed
/// tokens (for_each_posting). A candidate needs several common prefix features (overlap_bounds::least_met).
///
/// Generations: a *generation* is the postings of sets in one frozen order of the features. A new order is learnt in
/// three cases: (1) three times as many sets were inserted since the last order was learnt as there were at that time;
/// (2) the erasures since then have reached the present number of sets; (3) searches have since then spent more time on
/// postings than learning takes. So a rare feature that becomes frequent, such as a phrase of a new template, slows
/// down searches only for a while. A new order opens a second generation. Each insert() then moves some sets to the
/// second generation, and a search reads the two generations. An old generation without sets is freed in pieces. So no
/// insertion takes long, and erased sets leave no postings behind. A posting is outdated if its set was erased or its
/// number reused. An outdated posting leads to a candidate that the bitmap filter or the caller drops. So an insertion
/// that throws need not remove its postings.
///
/// Complexity: insert() and for_each() are near-linear in the features of the set, and linear in the candidates;
/// erase() is O(1).
/// Memory: 24 bytes for each number, about 15 bytes for each indexed feature, and one byte for about four features, for
/// the document frequencies. A set of n features has n - ceil(s * n) + 1 indexed features, or n for containment. For
/// Jaccard, s is the similarity; for cosine, s is its square. Erased sets keep their postings until the next
/// generation. While sets are moved, there are up to twice as many postings.
/// Guarantee: an exception changes no result. The index is movable, not copyable.
/// Thread safety: several threads may call const members at once, each with its own workspace, while no thread writes.
class set_postings {
 public:
  using workspace = candidate_search;

  /// Makes an empty index. If a feature has more than `max_in_row` postings, they are grouped by size and position.
  /// `max_in_row` changes no result.
  explicit set_postings(const overlap_bounds& bounds, std::size_t max_in_row = 2048)
      : bounds_(bounds), max_in_row_(max_in_row), current_(std::make_unique<generation>(max_in_row)) {}

  set_postings(set_postings&& other) = default;
  set_postings& operator=(set_postings&& other) = default;

  /// Returns an empty index with the same settings.
  [[nodiscard]] set_postings fresh() const { return set_postings(bounds_, max_in_row_); }

  /// Adds a set. `features_of(other)` returns the features with which the earlier set `other` was last added, or no
  /// features if searches shall no longer find the set `other`. A number may be added again: the new features replace
  /// the old features. `searched`: if given, the workspace of a search for these features, which saves work.
  /// Precondition: since that search, neither the workspace nor this index was used.
  template <class Feature, class FeaturesOf>
  void insert(std::span<const Feature> features, std::uint32_t number, const FeaturesOf& features_of,
              const workspace* searched = nullptr) {
    if (features.empty()) return erase(number);
    if (features.size() > record::max_size)
      fail<std::length_error>("a set has at most 2^30 - 1 features; split its text");
    advance(features.size(), features_of);
    records_.grow_to(std::size_t{number} + 1);
    add_counts(features, next_);
    place(features, number, searched != nullptr ? searched->bitmap() : sketch_of(features).bitmap, searched);
    ++inserted_;
  }

  /// Learns the order of the features from the sets set_at(0), ..., set_at(count - 1), which will be added next. So
  /// insert() need not learn the order from these sets. Reserves memory for these sets.
  /// Precondition: no set is stored.
  template <class SetAt>
  void learn_from(std::size_t count, const SetAt& set_at) {
    std::size_t features = 0, postings = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t n = set_at(i).size();
      features += n;
      if (n != 0) postings += bounds_.looks_up_all() ? n : bounds_.prefix(n);
    }
    auto learnt = std::make_unique<generation>(max_in_row_);
    learnt->counts = feature_rarity(features);
    for (std::size_t i = 0; i < count; ++i) add_counts(set_at(i), learnt->counts);
    learnt->postings.reserve(postings);
    feature_rarity next(2 * features);
    clear();
    current_ = std::move(learnt);
    next_ = std::move(next);
    learnt_ = count;
  }

  /// Removes the set with this number. No-op if the index does not have the number.
  void erase(std::uint32_t number) noexcept {
    if (number >= records_.size() || !records_[number].is_live) return;
    records_[number].is_live = 0;
    features_ -= records_[number].size;
    --size_;
    ++erased_;
  }

  void clear() noexcept;

  /// Calls `visit(number, least)` once for each stored set that may be similar to `features` by `bounds`, in ascending
  /// order of the numbers, until `visit` returns false. The set is similar if its overlap with `features` is at least
  /// `least`.
  /// Precondition: `bounds` have the measure of this index, and at least its threshold and its min_common.
  template <class Feature, class Visit>
  void for_each(std::span<const Feature> features, const overlap_bounds& bounds, workspace& scratch,
                const Visit& visit) const {
    if (features.empty()) return;
    scratch.begin(features, bounds);
    if (size_ == 0) return;
    std::size_t examined = 0;
    for (const auto* from : {old_.get(), current_.get()}) {
      if (from != nullptr) examined += scratch.collect(features, bounds, *from, records_in{records_, from->parity});
    }
    looked_at_.add(examined);
    scratch.for_each(visit);
  }

  [[nodiscard]] const overlap_bounds& bounds() const noexcept { return bounds_; }
  /// Returns the number of sets with features.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    std::size_t sum = records_.memory_usage() + next_.memory_usage();
    for (const auto* one : {old_.get(), current_.get(), dying_.get()}) {
      if (one != nullptr) sum += sizeof(generation) + one->counts.memory_usage() + one->postings.memory_usage();
    }
    return sum;
  }

 private:
  static constexpr std::size_t min_learnt = 32, min_looked_at = std::size_t{1} << 16, looked_at_a_feature = 16;
  static constexpr std::size_t moved_a_feature = 4, least_moved = 256;  // see advance()
  static constexpr int freed_an_insert = 8;                             // pieces of memory freed by an insertion

  /// The data of a stored set.
  struct record {
    static constexpr std::uint32_t max_size = (std::uint32_t{1} << 30) - 1;

    set_bitmap bitmap{};
    std::uint32_t size : 30;
    std::uint32_t is_live : 1;
    std::uint32_t parity : 1;  // parity of the set's generation

    record() noexcept : size(0), is_live(0), parity(0) {}
  };

  /// The records of the sets in one generation, in the form that candidate_search reads.
  struct records_in {
    const chunked_array<record>& records;
    std::uint32_t parity;

    [[nodiscard]] bool has(std::uint32_t number) const noexcept {
      return records[number].is_live && records[number].parity == parity;
    }
    [[nodiscard]] std::size_t size(std::uint32_t number) const noexcept { return records[number].size; }
    [[nodiscard]] const set_bitmap& bitmap(std::uint32_t number) const noexcept { return records[number].bitmap; }
    void prefetch(std::uint32_t number) const noexcept { detail::prefetch(&records[number]); }
  };

  /// A generation: the postings of sets in one frozen order of the features.
  struct generation {
    explicit generation(std::size_t max_in_row) : postings(max_in_row) {}

    /// Frees a piece of the memory.
    /// Returns: false if no piece was left.
    bool free_piece() noexcept { return postings.free_piece() || counts.free_piece(); }

    feature_rarity counts;
    posting_lists postings;
    std::uint32_t parity = 0;
  };

  /// A counter to which several threads may add at once.
  class counter {
   public:
    counter() = default;
    counter(counter&& other) noexcept : value_(other.value()) {}
    counter& operator=(counter&& other) noexcept {
      value_.store(other.value(), std::memory_order_relaxed);
      return *this;
    }
    void add(std::size_t more) noexcept { value_.fetch_add(more, std::memory_order_relaxed); }
    void reset() noexcept { value_.store(0, std::memory_order_relaxed); }
    [[nodiscard]] std::size_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

   private:
    std::atomic<std::size_t> value_ = 0;
  };

  template <class Feature>
  static void add_counts(std::span<const Feature> features, feature_rarity& in) {
    for (const Feature feature : features) in.prefetch(feature_token(feature));
    for (const Feature feature : features) in.count(feature_token(feature));
  }

  /// Adds the postings of a set to the current generation, then writes records_[number].
  template <class Feature>
  void place(std::span<const Feature> features, std::uint32_t number, const set_bitmap& bitmap,
             const workspace* searched = nullptr) {
    const std::uint64_t bits = fold_bitmap(bitmap);
    const auto bits_of = [&](std::uint32_t other) {
      return other == number ? bits : fold_bitmap(records_[other].bitmap);
    };
    posting_lists& postings = current_->postings;
    const auto find = [&](std::size_t posted) {
      // After open(), the prefix that the search found is in an old order.
      const auto keys = searched == nullptr ? std::span<const std::uint64_t>() : searched->keys_in(current_->counts);
      return keys.size() == posted ? keys : finder_.find(features, posted, current_->counts);
    };
    for_each_posting(
        features.size(), number, bounds_, find,
        [&](std::span<const std::uint64_t> keys) { postings.prefetch_buckets(keys); },
        [&](const set_posting& posting) { postings.add(posting, bits, bits_of); });
    record& to = records_[number];
    if (to.is_live) {
      features_ -= to.size;
    } else {
      ++size_;
    }
    features_ += features.size();
    to.bitmap = bitmap;
    to.size = static_cast<std::uint32_t>(features.size()) & record::max_size;
    to.is_live = 1;
    to.parity = current_->parity & 1U;
  }

  // ---- Generations --------------------------------------------------------------------------------------------------

  [[nodiscard]] bool is_due() const noexcept {
    return inserted_ >= (std::max)(min_learnt, 3 * learnt_) || erased_ >= (std::max)(min_learnt, size_) ||
           looked_at_.value() > min_looked_at + looked_at_a_feature * features_;
  }

  /// Frees some memory of dying_. Opens a generation if one is due. Moves some sets from old_ to current_: sets of
  /// about moved_a_feature * `features` + least_moved features in total.
  template <class FeaturesOf>
  void advance(std::size_t features, const FeaturesOf& features_of) {
    for (int pieces = 0; dying_ != nullptr && pieces < freed_an_insert; ++pieces) {
      if (!dying_->free_piece()) dying_.reset();
    }
    if (old_ == nullptr && dying_ == nullptr && is_due()) open();
    if (old_ == nullptr) return;
    constexpr std::size_t step = 16;  // moving a set costs as much as moving this many features
    std::size_t budget = moved_a_feature * features + least_moved;
    for (; moved_ < to_move_ && budget > 0; ++moved_) {
      const record& of = records_[moved_];
      std::size_t work = 1;
      if (of.is_live && of.parity == old_->parity) {
        const auto number = static_cast<std::uint32_t>(moved_);
        const auto set = features_of(number);
        work = set.size() + step;
        if (set.empty()) {
          erase(number);
        } else {
          add_counts(set, next_);
          place(set, number, set_bitmap(of.bitmap));
        }
      }
      budget -= (std::min)(budget, work);
    }
    if (moved_ == to_move_) dying_ = std::move(old_);
  }

  void open();

  overlap_bounds bounds_;
  std::size_t max_in_row_;
  chunked_array<record> records_;          // indexed by number
  std::unique_ptr<generation> current_;    // the generation of new sets
  std::unique_ptr<generation> old_;        // the generation whose sets are being moved, or null
  std::unique_ptr<generation> dying_;      // the generation whose memory is being freed, or null
  feature_rarity next_;                    // the counts of features for the next generation
  std::size_t moved_ = 0, to_move_ = 0;    // of the sets [0, to_move_), the sets [0, moved_) have left old_
  std::size_t size_ = 0, features_ = 0;    // number of sets, and number of their features
  std::size_t learnt_ = 0;                 // number of sets when the order was learnt
  std::size_t inserted_ = 0, erased_ = 0;  // number of insertions and erasures since the order was learnt
  mutable counter looked_at_;              // number of postings examined since the order was learnt
  prefix_finder finder_;                   // used by non-const members only
};

#if NEARDUP_BODIES

NEARDUP_INLINE void set_postings::clear() noexcept {
  records_.clear();
  old_.reset();
  dying_.reset();
  current_->postings.clear();
  current_->counts.clear();
  next_.clear();
  moved_ = to_move_ = size_ = features_ = learnt_ = inserted_ = erased_ = 0;
  looked_at_.reset();
}

NEARDUP_INLINE void set_postings::open() {
  auto opened = std::make_unique<generation>(max_in_row_);
  feature_rarity next(2 * features_);
  opened->counts = std::move(next_);
  opened->parity = current_->parity ^ 1U;
  // Announces the postings of the present sets, and of some sets that may come before the next generation.
  const double present = static_cast<double>(size_) / static_cast<double>(size_ + erased_ + 1);
  opened->postings.expect(static_cast<std::size_t>(2.5 * present * static_cast<double>(current_->postings.size())));
  next_ = std::move(next);
  old_ = std::move(current_);
  current_ = std::move(opened);
  moved_ = 0;
  to_move_ = records_.size();
  learnt_ = size_;
  inserted_ = erased_ = 0;
  looked_at_.reset();
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
