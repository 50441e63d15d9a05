// An inverted index of the rare features of sets, which finds stored sets that may be similar to a given set.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/instructions.hpp"
#include "../../detail/prefetch.hpp"
#include "../../error.hpp"
#include "../../instruction_set.hpp"
#include "bitmap_filter.hpp"
#include "chunked_array.hpp"
#include "feature_rarity.hpp"
#include "overlap_bounds.hpp"
#include "posting_lists.hpp"
#include "rare_first.hpp"

namespace neardup::inline v0::detail {

/// The least overlap of a given set with sets of each size. Keeps a table from set to set.
class least_overlaps {
 public:
  /// Makes the table for a given set of `n` features.
  void prepare(const overlap_bounds& bounds, std::size_t n) {
    if (bounds_ && *bounds_ == bounds && n_ == n) return;
    if (!bounds_ || !(*bounds_ == bounds)) table_.clear();
    bounds_.reset();
    n_ = n;
    first_ = bounds.least_partner(n);
    last_ = (std::numeric_limits<std::size_t>::max)();
    if (!bounds.looks_up_all()) {
      const double t = bounds.threshold(), ratio = bounds.measure() == set_similarity::cosine ? t * t : t;
      last_ = (std::max)(n, static_cast<std::size_t>(static_cast<double>(n) / ratio));
      while (bounds.least_partner(last_ + 1) <= n) ++last_;
      while (last_ > n && bounds.least_partner(last_) > n) --last_;
    } else {
      first_ = bounds.min_common();
    }
    if (bounds.measure() == set_similarity::jaccard) {
      // The least overlap depends only on the sum of the sizes.
      const std::size_t most = (std::min)(n + last_, max_in_table);
      for (std::size_t sum = table_.size(); sum <= most; ++sum) {
        table_.push_back(static_cast<std::uint32_t>(bounds.least(sum / 2, sum - sum / 2)));
      }
    } else if (bounds.measure() == set_similarity::containment) {
      const std::size_t most = (std::min)(n, max_in_table);
      for (std::size_t size = table_.size(); size <= most; ++size) {
        table_.push_back(static_cast<std::uint32_t>(bounds.least(size, size)));
      }
    }
    bounds_.emplace(bounds);
  }

  /// Whether a set of `size` features can be similar enough at all.
  [[nodiscard]] bool fits(std::size_t size) const noexcept { return size >= first_ && size <= last_; }
  [[nodiscard]] std::size_t first_size() const noexcept { return first_; }
  [[nodiscard]] std::size_t last_size() const noexcept { return last_; }
  /// The least overlap with a set of `size` features; more than the smaller size if no overlap suffices.
  [[nodiscard]] std::size_t operator()(std::size_t size) const noexcept {
    if (bounds_->measure() != set_similarity::cosine) {
      const std::size_t at = bounds_->measure() == set_similarity::jaccard ? size + n_ : (std::min)(size, n_);
      if (at < table_.size()) return table_[at];
    }
    return bounds_->least(size, n_);
  }

 private:
  static constexpr std::size_t max_in_table = std::size_t{1} << 17;

  std::optional<overlap_bounds> bounds_;
  std::size_t n_ = 0, first_ = 0, last_ = 0;
  std::vector<std::uint32_t> table_;  // by sum of the sizes (jaccard), or by the smaller size (containment)
};

/// An inverted index of sets: finds every stored set that is similar enough to a given set, and few others. Sets are
/// numbered; the caller provides their features.
///
/// All features are in one order, rare ones first. Two sets that are similar enough have one of their prefix features
/// in common (set_join.hpp names the sources), so only prefix features are indexed and looked up. Candidates are
/// discarded by their sizes, by the positions of the common feature in both sets, then by comparing bitmaps. For
/// containment, the smaller set may have any size: all features are indexed and looked up, the prefix features apart
/// from the others, and a candidate needs several common prefix features (overlap_bounds::least_met).
///
/// The order is frozen in a *generation* of postings. The order is learnt anew when as many sets were inserted, or
/// erased, as there were when it was learnt, or when examining postings has taken longer than learning. So a feature
/// that was rare and is now in every set, such as a phrase of a new template, does not slow down searches for long.
/// Learning opens a second generation. Each insert() then moves some sets to the second, and a search looks into both
/// generations, until the first is empty and is freed in pieces. So no insert takes long, and erased sets leave no
/// postings behind. An outdated posting, of an erased set or of a number that was used again, leads to a candidate that
/// the bitmap or the caller discards. So an insert that throws need not remove what it has posted.
///
/// Complexity: insert() and for_each() are near-linear in the features of the set, and linear in the candidates; erase()
/// is O(1). Memory: 24 bytes for each number, about 15 for each indexed feature, and one for about four features. A set
/// of n features has n - ceil(similarity * n) + 1 indexed features, for containment n. Erased sets keep their postings
/// until the next generation; while sets are moved, there are up to twice as many postings.
/// Guarantee: an exception changes no result. Movable, not copyable.
/// Thread safety: const members may be called from many threads while no thread writes, each with its own workspace.
class set_postings {
 public:
  /// Scratch memory, reused from set to set. Each thread needs its own object.
  class workspace {
    friend set_postings;
    prefix_finder finder_;
    least_overlaps least_;
    std::vector<std::uint64_t> rest_;        // keys of the features behind the prefix
    std::vector<std::uint32_t> met_;         // numbers of sets found by a feature
    std::vector<set_candidate> candidates_;  // the sets among met_ that bitmaps do not exclude
  };

  /// `max_in_row`: if a feature has more postings, they are grouped by size and position, which changes no result.
  explicit set_postings(const overlap_bounds& bounds, std::size_t max_in_row = 2048)
      : bounds_(bounds), max_in_row_(max_in_row), current_(std::make_unique<generation>(max_in_row)) {}

  set_postings(set_postings&& other) = default;
  set_postings& operator=(set_postings&& other) = default;

  /// Returns: an empty index with the same settings.
  [[nodiscard]] set_postings fresh() const { return set_postings(bounds_, max_in_row_); }

  /// Adds a set. `features_of(number)` returns the features of a set that was added before: those with which it was
  /// last added, or none if the set should not be found any more. A number may be added again with other features,
  /// which replace the previous ones.
  template <class Feature, class FeaturesOf>
  void insert(std::span<const Feature> features, std::uint32_t number, const FeaturesOf& features_of) {
    if (features.empty()) return erase(number);
    if (features.size() > record::max_size) fail<std::length_error>("a set has at most 2^30 - 1 features");
    advance(features.size(), features_of);
    records_.grow_to(std::size_t{number} + 1);
    add_counts(features, next_);
    place(features, number, sketch_of(features).bitmap);
    ++inserted_;
  }

  /// Learns the order from `count` sets that will be added, set_at(0) to set_at(count - 1), so that it need not be
  /// learnt while they are added. Reserves memory for them. Precondition: no set is stored.
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

  /// Removes a set, if there is one with this number.
  void erase(std::uint32_t number) noexcept {
    if (number >= records_.size() || !records_[number].is_live) return;
    records_[number].is_live = 0;
    features_ -= records_[number].size;
    --size_;
    ++erased_;
  }

  /// Removes everything.
  void clear() noexcept {
    records_.clear();
    old_.reset();
    dying_.reset();
    current_->postings.clear();
    current_->counts.clear();
    next_.clear();
    moved_ = to_move_ = size_ = features_ = learnt_ = inserted_ = erased_ = 0;
    looked_at_.reset();
  }

  /// Calls `visit(number, least)` once for each stored set that may be similar to `features` by `bounds`, in ascending
  /// order, until `visit` returns false. `least` is the overlap that makes the set similar. Precondition: `bounds` have
  /// the same measure and the same least overlap as this index, and no smaller threshold.
  template <class Feature, class Visit>
  void for_each(std::span<const Feature> features, const overlap_bounds& bounds, workspace& scratch,
                const Visit& visit) const {
    scratch.candidates_.clear();
    if (features.empty() || size_ == 0) return;
    const set_bitmap bitmap = sketch_of(features).bitmap;
    scratch.least_.prepare(bounds, features.size());
    std::size_t examined = 0;
    for (const auto* from : {old_.get(), current_.get()}) {
      if (from == nullptr) continue;
      if (bounds.looks_up_all()) {
        examined += meet_all(*from, features, bounds, bitmap, scratch);
      } else {
        examined += meet_prefix(*from, features, bounds, bitmap, scratch);
      }
    }
    looked_at_.add(examined);
    std::vector<set_candidate>& found = scratch.candidates_;
    const auto key = [](const set_candidate& c) { return c.place; };
    std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    const auto end =
        std::unique(found.begin(), found.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); });
    for (auto at = found.begin(); at != end; ++at) {
      if (!visit(at->place, std::size_t{at->least})) return;
    }
  }

  [[nodiscard]] const overlap_bounds& bounds() const noexcept { return bounds_; }
  /// The number of sets with features.
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
  static constexpr int freed_an_insert = 8;                             // pieces of memory
  static constexpr std::uint32_t salt = 0x85ebca6bU;  // changes tokens behind the prefix (containment)

  /// A stored set.
  struct record {
    static constexpr std::uint32_t max_size = (std::uint32_t{1} << 30) - 1;

    set_bitmap bitmap{};
    std::uint32_t size : 30;
    std::uint32_t is_live : 1;
    std::uint32_t parity : 1;  // parity of its generation

    record() noexcept : size(0), is_live(0), parity(0) {}
  };

  /// The postings of sets in one order of the features.
  struct generation {
    explicit generation(std::size_t max_in_row) : postings(max_in_row) {}

    /// Frees a piece of the memory. Returns: false if nothing was left.
    bool free_piece() noexcept { return postings.free_piece() || counts.free_piece(); }

    feature_rarity counts;
    posting_lists postings;
    std::uint32_t parity = 0;
  };

  /// A number that many threads add to.
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

  static std::uint64_t folded(const set_bitmap& bitmap) noexcept { return bitmap[0] ^ bitmap[1]; }

  template <class Feature>
  static void add_counts(std::span<const Feature> features, feature_rarity& in) {
    for (const Feature feature : features) in.prefetch(feature_token(feature));
    for (const Feature feature : features) in.count(feature_token(feature));
  }

  /// Adds the postings of a set to the current generation, then its record.
  template <class Feature>
  void place(std::span<const Feature> features, std::uint32_t number, const set_bitmap& bitmap) {
    const std::uint64_t bits = folded(bitmap);
    const auto bits_of = [&](std::uint32_t other) { return other == number ? bits : folded(records_[other].bitmap); };
    const std::size_t n = features.size();
    set_posting posting{0, number, set_posting::clipped(n), 0};
    if (bounds_.looks_up_all()) {
      const std::size_t indexed = bounds_.indexed(n);
      std::size_t position = 0;
      for (const std::uint64_t key : writer_scratch_.finder_.find(features, n, current_->counts)) {
        posting.token = static_cast<std::uint32_t>(key) ^ (position++ < indexed ? 0 : salt);
        current_->postings.add(posting, bits, bits_of);
      }
    } else if (const std::size_t prefix = bounds_.prefix(n); prefix != 0) {
      const auto keys = writer_scratch_.finder_.find(features, prefix, current_->counts);
      constexpr std::size_t step = 32;  // postings at a time, so that their cache misses overlap
      for (std::size_t position = 0; position < prefix; ++position) {
        if (position % step == 0) {
          current_->postings.prefetch_buckets(keys.subspan(position, (std::min)(step, prefix - position)));
        }
        posting.token = static_cast<std::uint32_t>(keys[position]);
        posting.position = set_posting::clipped(position);
        current_->postings.add(posting, bits, bits_of);
      }
    }
    record& to = records_[number];
    if (to.is_live) {
      features_ -= to.size;
    } else {
      ++size_;
    }
    features_ += n;
    to.bitmap = bitmap;
    to.size = static_cast<std::uint32_t>(n) & record::max_size;
    to.is_live = 1;
    to.parity = current_->parity & 1U;
  }

  // ---- Generations --------------------------------------------------------------------------------------------------

  [[nodiscard]] bool is_due() const noexcept {
    return inserted_ >= (std::max)(min_learnt, learnt_) || erased_ >= (std::max)(min_learnt, size_) ||
           looked_at_.value() > min_looked_at + looked_at_a_feature * features_;
  }

  /// Opens a generation if one is due, and moves sets to it. The moved sets have about moved_a_feature times as many
  /// features as the inserted set, and least_moved more.
  template <class FeaturesOf>
  void advance(std::size_t features, const FeaturesOf& features_of) {
    for (int pieces = 0; dying_ != nullptr && pieces < freed_an_insert; ++pieces) {
      if (!dying_->free_piece()) dying_.reset();
    }
    if (old_ == nullptr && dying_ == nullptr && is_due()) open();
    if (old_ == nullptr) return;
    constexpr std::size_t step = 16;  // moving a set costs as much as so many features
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

  void open() {
    auto opened = std::make_unique<generation>(max_in_row_);
    feature_rarity next(2 * features_);
    opened->counts = std::move(next_);
    opened->parity = current_->parity ^ 1U;
    // The postings of the present sets, and half as many for sets that are inserted before the next generation.
    const double present = static_cast<double>(size_) / static_cast<double>(size_ + erased_ + 1);
    opened->postings.expect(static_cast<std::size_t>(1.5 * present * static_cast<double>(current_->postings.size())));
    next_ = std::move(next);
    old_ = std::move(current_);
    current_ = std::move(opened);
    moved_ = 0;
    to_move_ = records_.size();
    learnt_ = size_;
    inserted_ = erased_ = 0;
    looked_at_.reset();
  }

  // ---- Candidates ---------------------------------------------------------------------------------------------------

  /// Receives the postings of the prefix features of a set of n features; collects the sets that may be similar.
  struct prefix_query {
    const least_overlaps& least;
    std::vector<std::uint32_t>& met;
    const chunked_array<record>& records;
    std::uint64_t bits;
    std::size_t n;

    /// The number of features in which similar sets of `size` and n features may differ, if their first common prefix
    /// feature is at these positions; -1 if they cannot be similar enough.
    [[nodiscard]] std::ptrdiff_t may_differ(std::size_t size, std::size_t position, std::size_t own) const noexcept {
      if (size == set_posting::large) return (std::numeric_limits<std::ptrdiff_t>::max)();
      if (!least.fits(size)) return -1;
      const std::size_t common = least(size);
      if (common + position > size || common + own > n) return -1;
      return static_cast<std::ptrdiff_t>(size + n - 2 * common);
    }
    void meet(std::uint32_t number, std::size_t size, std::size_t position, std::size_t own) {
      if (may_differ(size, position, own) < 0) return;
      met.push_back(number);
      prefetch(&records[number]);
    }
    void meet(const posting_lists::listed& one, std::size_t own) {
      if (portable_popcount(one.bits ^ bits) <= may_differ(one.size, one.position, own)) met.push_back(one.number);
    }
    /// Whether a stored set of a size in [from, to] can have the required overlap, if its common feature is at `position`
    /// of the stored set and at `own` of the given one. A stored set of the largest size tolerates the greatest
    /// `position`, one of the smallest size the greatest `own`.
    [[nodiscard]] bool admits(std::size_t from, std::size_t to, std::size_t position, std::size_t own) const noexcept {
      if (to == set_posting::large) return true;
      if (to < least.first_size() || from > least.last_size()) return false;
      const std::size_t smallest = (std::max)(from, least.first_size()), largest = (std::min)(to, least.last_size());
      return least(largest) + position <= largest && least(smallest) + own <= n;
    }
  };

  template <class Feature>
  std::size_t meet_prefix(const generation& from, std::span<const Feature> features, const overlap_bounds& bounds,
                          const set_bitmap& bitmap, workspace& scratch) const {
    const std::size_t n = features.size(), prefix = bounds.prefix(n);
    if (prefix == 0) return 0;
    scratch.met_.clear();
    prefix_query query{scratch.least_, scratch.met_, records_, folded(bitmap), n};
    const std::size_t examined = from.postings.visit(scratch.finder_.find(features, prefix, from.counts), query);
    const std::size_t first = scratch.candidates_.size();
    for (const std::uint32_t number : scratch.met_) {
      const record& of = records_[number];
      if (!of.is_live || of.parity != from.parity || !scratch.least_.fits(of.size)) continue;
      scratch.candidates_.push_back({number, static_cast<std::uint32_t>(scratch.least_(of.size))});
    }
    discard_by_bitmap(n, bitmap, first, scratch.candidates_);
    return examined;
  }

  /// Receives the postings of the features of a set of n features, for containment; collects the sets of the requested
  /// sizes.
  struct feature_query {
    std::vector<std::uint32_t>& met;
    const chunked_array<record>& records;
    std::size_t n, min_size;
    bool takes_smaller, takes_others;

    void take(std::uint32_t number, std::size_t size) {
      if (size == set_posting::large) size = records[number].size;
      if (size >= min_size && (size < n ? takes_smaller : takes_others)) met.push_back(number);
    }
    void meet(std::uint32_t number, std::size_t size, std::size_t /*position*/, std::size_t /*own*/) {
      take(number, size);
    }
    void meet(const posting_lists::listed& one, std::size_t /*own*/) { take(one.number, one.size); }
    [[nodiscard]] bool admits(std::size_t from, std::size_t to, std::size_t /*position*/,
                              std::size_t /*own*/) const noexcept {
      if (to == set_posting::large) return true;
      return to >= min_size && (takes_others || from < n) && (takes_smaller || to >= n);
    }
  };

  /// Finds smaller sets by their prefix features, which are compared with all features of this set. Finds the other
  /// sets by all their features, which are compared with the prefix features of this set.
  template <class Feature>
  std::size_t meet_all(const generation& from, std::span<const Feature> features, const overlap_bounds& bounds,
                       const set_bitmap& bitmap, workspace& scratch) const {
    const std::size_t n = features.size(), indexed = bounds.indexed(n);
    scratch.met_.clear();
    feature_query query{scratch.met_, records_, n, bounds.min_common(), true, true};
    std::vector<std::uint64_t>& keys = scratch.rest_;
    const auto sorted = scratch.finder_.find(features, n, from.counts);
    keys.assign(sorted.begin(), sorted.end());
    // Features of 64 bits may share a token, which is looked up only once. A stored set is then counted once for each
    // of its own features with that token, which are at least as many as the common features.
    const auto looked_up = [&](std::size_t first, std::size_t last) {
      const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = std::unique(begin, keys.begin() + static_cast<std::ptrdiff_t>(last));
      return std::span<const std::uint64_t>(begin, end);
    };
    const auto prefix = looked_up(0, indexed);
    std::size_t examined = from.postings.visit(prefix, query);
    query.takes_others = false;
    std::size_t behind = indexed;
    while (behind < n && !prefix.empty() && keys[behind] == prefix.back()) ++behind;
    examined += from.postings.visit(looked_up(behind, n), query);
    query.takes_smaller = false;
    query.takes_others = true;
    for (std::size_t i = 0; i < prefix.size(); ++i) keys[i] ^= salt;
    examined += from.postings.visit(prefix, query);

    std::vector<std::uint32_t>& met = scratch.met_;
    std::sort(met.begin(), met.end());
    const std::size_t first = scratch.candidates_.size();
    for (std::size_t begin = 0, end = 0; begin < met.size(); begin = end) {
      while (end < met.size() && met[end] == met[begin]) ++end;
      const record& of = records_[met[begin]];
      if (!of.is_live || of.parity != from.parity) continue;
      const std::size_t least = scratch.least_(of.size);
      if (least > of.size || least > n || end - begin < overlap_bounds::least_met(least)) continue;
      scratch.candidates_.push_back({met[begin], static_cast<std::uint32_t>(least)});
    }
    discard_by_bitmap(n, bitmap, first, scratch.candidates_);
    return examined;
  }

  void discard_by_bitmap(std::size_t n, const set_bitmap& bitmap, std::size_t first,
                         std::vector<set_candidate>& candidates) const {
    const auto size_of = [&](std::size_t number) { return std::size_t{records_[number].size}; };
    const auto bitmap_of = [&](std::size_t number) -> const set_bitmap& { return records_[number].bitmap; };
    const std::span<set_candidate> some = std::span(candidates).subspan(first);
#if NEARDUP_X86_KERNELS
    if (has_avx2(level_)) {
      candidates.resize(first + filter_by_bitmaps_avx2(some, n, bitmap, size_of, bitmap_of));
      return;
    }
#endif
    candidates.resize(first + filter_by_bitmaps_portable(some, n, bitmap, size_of, bitmap_of));
  }

  overlap_bounds bounds_;
  std::size_t max_in_row_;
  chunked_array<record> records_;          // by number
  std::unique_ptr<generation> current_;    // new sets are posted here
  std::unique_ptr<generation> old_;        // its sets are being moved; or null
  std::unique_ptr<generation> dying_;      // its memory is being freed; or null
  feature_rarity next_;                    // counts for the next generation
  std::size_t moved_ = 0, to_move_ = 0;    // sets below moved_ have left old_, of those below to_move_
  std::size_t size_ = 0, features_ = 0;    // number of sets, and of their features
  std::size_t learnt_ = 0;                 // number of sets when the order was learnt
  std::size_t inserted_ = 0, erased_ = 0;  // sets since the order was learnt
  mutable counter looked_at_;              // postings examined since the order was learnt
  instruction_set level_ = active_instruction_set();
  workspace writer_scratch_;  // used by functions that write
};

}  // namespace neardup::inline v0::detail
