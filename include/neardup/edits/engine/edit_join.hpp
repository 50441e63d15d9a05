// SPDX-License-Identifier: MIT
// Finds the candidate pairs of texts within an edit distance. Two texts are a candidate pair if they have a common
// q-gram at nearby positions. If q-grams would save no time, all texts of similar length are candidate pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../detail/compiled.hpp"
#include "distinct_texts.hpp"
#include "edit_filter.hpp"

namespace neardup::inline v0::detail {

/// The q-grams of texts, and how frequent they are. A q-gram is a run of q code points. Each q-gram is hashed to a
/// bucket. Q-grams of one bucket count as equal, which adds candidates and loses none.
class gram_order {
 public:
  /// Counts the q-grams of all texts.
  /// Memory: 4 bytes per bucket. There are about as many buckets as code points, at most 2^22.
  gram_order(const distinct_texts& texts, std::size_t q);

  [[nodiscard]] std::size_t q() const noexcept { return q_; }
  [[nodiscard]] std::size_t buckets() const noexcept { return frequency_.size(); }
  [[nodiscard]] std::uint32_t frequency(std::size_t bucket) const noexcept { return frequency_[bucket]; }
  [[nodiscard]] std::size_t bucket(std::span<const char32_t> text, std::size_t i) const noexcept {
    std::uint64_t hash = q_;
    for (std::size_t k = 0; k < q_; ++k) hash = (hash ^ text[i + k]) * 0x9e3779b97f4a7c15U;
    return to_size(mix(hash) >> shift_);
  }

  struct gram {
    std::uint32_t frequency, bucket, position;
    friend auto operator<=>(const gram&, const gram&) = default;
  };
  struct prefix_memory {
    std::vector<gram> grams;          // the q-grams of the prefix
    std::vector<std::uint8_t> marks;  // marks of positions in the text
  };

  /// Prefix filter: writes the shortest prefix of a text to memory.grams. The prefix consists of the rarest q-grams of
  /// the text: as few as possible, but so many that `edits` edits cannot change all of them. Of each bucket, the prefix
  /// has either all q-grams of the text or none.
  ///
  /// An edit changes only the q-grams that overlap its position. So changing two q-grams whose positions differ by q or
  /// more takes two edits. If two texts are within `edits` edits, their prefixes share a q-gram, at positions at most
  /// `edits` apart. Proof: name the texts x and y so that the last q-gram of x's prefix is no more frequent than the
  /// last q-gram of y's prefix. At least one q-gram g of x's prefix is unchanged in y. g is no more frequent than the
  /// last q-gram of y's prefix. So y's prefix contains g, because a prefix has all q-grams of a bucket or none.
  /// Returns: false if `edits` edits can change all q-grams of the text.
  /// Source: Xiao, Wang, Lin, Ed-Join, VLDB 2008.
  bool prefix(std::size_t rank, std::size_t edits, prefix_memory& memory) const;

 private:
  /// Returns a lower bound of the number of edits that change all of the first `count` q-grams of memory.grams.
  [[nodiscard]] std::size_t edits_needed(prefix_memory& memory, std::size_t count) const;

  const distinct_texts* texts_;
  std::size_t q_;
  int shift_ = 0;
  std::vector<std::uint32_t> frequency_;
};

/// Finds, among the added texts, the texts that are similar to a given text. A text is named by its rank.
class edit_join {
 public:
  /// Scratch memory of one thread: 4 bytes per text, and for each distinct code point 24 bytes plus 16 bytes per lane.
  class workspace {
   public:
    /// Makes scratch memory. `pause` is called from time to time while edit distances are computed. `pause` may throw.
    explicit workspace(const edit_join& join, const std::function<void()>& pause = nullptr)
        : distances_(join.texts_.alphabet(), pause), seen_(join.texts_.size(), 0) {}

   private:
    friend edit_join;
    edit_distances distances_;
    gram_order::prefix_memory prefix_;
    std::vector<std::uint32_t> seen_;
    std::uint32_t round_ = 0;
  };

  /// Makes a join. `q` is the length of the q-grams. If q == 0, choose_q() chooses the length, and may decide against
  /// q-grams. If q == most_q + 1, the join uses no q-grams.
  edit_join(const distinct_texts& texts, double similarity, std::size_t q = 0);
  edit_join(const edit_join&) = delete;
  edit_join& operator=(const edit_join&) = delete;

  static constexpr std::size_t most_q = 8;

  /// Returns the length of the q-grams. Returns 0 if the join uses no q-grams; each text is then compared with all
  /// texts of similar length.
  [[nodiscard]] std::size_t q() const noexcept { return order_ ? order_->q() : 0; }

  /// Adds a text, which later searches find.
  void add(std::size_t rank);

  /// Calls `take(candidate)` for each candidate of the text `rank`: an added text of rank < end that may be similar. No
  /// similar text of rank < end is missed.
  /// Precondition: if `is_ordered` is true, the texts were added in ascending rank.
  template <class Take>
  void visit_candidates(std::size_t rank, std::size_t end, bool is_ordered, workspace& memory, const Take& take) const {
    const std::size_t length = texts_.length(rank);
    const std::size_t longest = end <= rank ? length : longest_partner(length);
    const std::size_t edits = most_edits(similarity_, longest);
    const std::size_t most_for_shorter = most_edits(similarity_, length);
    const std::size_t first = texts_.first_of_length(length - most_for_shorter);
    end = (std::min)(end, texts_.first_of_length(longest + 1));
    const auto meet = [&](std::size_t other) {
      if (other == rank) return;
      const std::size_t most = other < rank ? most_for_shorter : most_edits_between(length, texts_.length(other));
      if (filter_.passes(rank, other, most)) take(other);
    };
    if (!order_ || !order_->prefix(rank, edits, memory.prefix_)) {
      for (std::size_t other = first; other < end; ++other) {
        if (is_added_[other] != 0) meet(other);
      }
      return;
    }
    if (++memory.round_ == 0) {
      std::fill(memory.seen_.begin(), memory.seen_.end(), 0);
      memory.round_ = 1;
    }
    const auto meet_once = [&](std::uint32_t other) {
      if (memory.seen_[other] == memory.round_) return;
      memory.seen_[other] = memory.round_;
      meet(other);
    };
    for (const std::uint32_t other : without_grams_) {
      if (other >= first && other < end) meet_once(other);
    }
    for (const auto& gram : memory.prefix_.grams) {
      std::size_t at = begins_[gram.bucket];
      const std::size_t last = ends_[gram.bucket];
      if (is_ordered) {
        at = static_cast<std::size_t>(std::partition_point(entries_.begin() + static_cast<std::ptrdiff_t>(at),
                                                           entries_.begin() + static_cast<std::ptrdiff_t>(last),
                                                           [&](const entry& e) { return e.rank < first; }) -
                                      entries_.begin());
      }
      for (; at < last; ++at) {
        const entry& e = entries_[at];
        if (e.rank >= end && is_ordered) break;
        const std::size_t apart = e.position > gram.position ? e.position - gram.position : gram.position - e.position;
        if (apart <= edits && e.rank >= first && e.rank < end) meet_once(e.rank);
      }
    }
  }

  /// Calls `take(other, distance)` for each candidate of the text `rank` whose similarity is at least `least(other)`.
  /// If `least(other)` exceeds 1, the candidate is left out. See visit_candidates(). Matches come in any order.
  template <class Least, class Take>
  void visit_similar(std::size_t rank, std::size_t end, bool is_ordered, workspace& memory, const Least& least,
                     const Take& take) const {
    memory.distances_.begin(texts_.text(rank));
    visit_candidates(rank, end, is_ordered, memory, [&](std::size_t other) {
      const double similarity = least(other);
      if (similarity > 1) return;
      const std::size_t most = most_edits(similarity, (std::max)(texts_.length(rank), texts_.length(other)));
      memory.distances_.compare(other, texts_.text(other), most, take);
    });
    memory.distances_.finish(take);
  }

 private:
  struct entry {
    std::uint32_t rank, position;
  };

  [[nodiscard]] std::size_t most_edits_between(std::size_t a, std::size_t b) const {
    return most_edits(similarity_, (std::max)(a, b));
  }

  /// Returns the length of the longest text that may be similar to a text of this length. The lengths of similar texts
  /// differ by at most the number of edits.
  [[nodiscard]] std::size_t longest_partner(std::size_t length) const {
    // At a similarity near 0 a similar text may have any length.
    if (similarity_ * static_cast<double>(longest_length()) <= static_cast<double>(length)) return longest_length();
    auto longest = static_cast<std::size_t>(static_cast<double>(length) / similarity_) + 2;
    while (longest > length && longest - length > most_edits(similarity_, longest)) --longest;
    return longest;
  }
  [[nodiscard]] std::size_t longest_length() const { return texts_.size() == 0 ? 0 : texts_.length(texts_.size() - 1); }

  /// Returns the greatest number of edits between the text `rank` and any similar text.
  [[nodiscard]] std::size_t most_edits_of(std::size_t rank) const {
    return most_edits(similarity_, longest_partner(texts_.length(rank)));
  }

  /// Returns the number of texts before `rank` whose length allows them to be similar to the text `rank`.
  [[nodiscard]] double shorter_partners(std::size_t rank) const {
    const std::size_t length = texts_.length(rank);
    return static_cast<double>(rank - texts_.first_of_length(length - most_edits(similarity_, length)));
  }

  /// Chooses the q with which searches for a sample of texts cost least. If it is cheaper to compare all texts of
  /// similar length, no q-grams are used. The choice changes no result.
  void choose_q();

  const distinct_texts& texts_;
  double similarity_;
  edit_filter filter_;
  std::optional<gram_order> order_;
  std::vector<std::uint8_t> is_added_;
  std::vector<std::size_t> begins_, ends_;  // bucket b: [begins_[b], ends_[b]), allocated up to begins_[b + 1]
  std::vector<entry> entries_;
  // Added texts without a prefix, because the allowed edits may change all q-grams of the text. These texts are
  // candidates for every text.
  std::vector<std::uint32_t> without_grams_;
  gram_order::prefix_memory prefix_;
};

#if NEARDUP_BODIES

NEARDUP_INLINE gram_order::gram_order(const distinct_texts& texts, std::size_t q) : texts_(&texts), q_(q) {
  const int bits = std::clamp(bit_width(texts.total_length()), 10, 22);
  shift_ = 64 - bits;
  frequency_.assign(std::size_t{1} << bits, 0);
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const auto text = texts.text(rank);
    for (std::size_t i = 0; i + q <= text.size(); ++i) ++frequency_[bucket(text, i)];
  }
}

NEARDUP_INLINE bool gram_order::prefix(std::size_t rank, std::size_t edits, prefix_memory& memory) const {
  const auto text = texts_->text(rank);
  std::vector<gram>& result = memory.grams;
  result.clear();
  if (text.size() < q_) return false;
  const std::size_t count = text.size() - q_ + 1;
  if ((count + q_ - 1) / q_ <= edits) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t b = bucket(text, i);
    result.push_back({frequency_[b], static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(i)});
  }
  std::sort(result.begin(), result.end());
  if (edits_needed(memory, result.size()) <= edits) return false;
  std::size_t low = edits + 1, high = result.size();  // binary search for the least sufficient number
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (edits_needed(memory, middle) > edits) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  while (low < result.size() && result[low].bucket == result[low - 1].bucket) ++low;
  result.resize(low);
  return true;
}

NEARDUP_INLINE std::size_t gram_order::edits_needed(prefix_memory& memory, std::size_t count) const {
  memory.marks.assign(memory.grams.size(), 0);
  for (std::size_t i = 0; i < count; ++i) memory.marks[memory.grams[i].position] = 1;
  std::size_t edits = 0;
  for (std::size_t i = 0; i < memory.marks.size();) {
    edits += memory.marks[i];
    i += memory.marks[i] != 0 ? q_ : 1;
  }
  return edits;
}

NEARDUP_INLINE edit_join::edit_join(const distinct_texts& texts, double similarity, std::size_t q)
    : texts_(texts), similarity_(similarity), filter_(texts), is_added_(texts.size(), 0) {
  if (q == 0) choose_q();
  if (q > 0 && q <= most_q) order_.emplace(texts, q);
  if (!order_) return;
  // The entries of each bucket are counted first, so that one array can hold all lists.
  begins_.assign(order_->buckets() + 1, 0);
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    if (!order_->prefix(rank, most_edits_of(rank), prefix_)) continue;
    for (const auto& gram : prefix_.grams) ++begins_[gram.bucket + std::size_t{1}];
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  ends_.assign(begins_.begin(), begins_.end() - 1);
  entries_.resize(begins_.back());
}

NEARDUP_INLINE void edit_join::add(std::size_t rank) {
  is_added_[rank] = 1;
  if (!order_) return;
  if (!order_->prefix(rank, most_edits_of(rank), prefix_)) {
    without_grams_.push_back(static_cast<std::uint32_t>(rank));
    return;
  }
  for (const auto& gram : prefix_.grams) {
    entries_[ends_[gram.bucket]++] = {static_cast<std::uint32_t>(rank), gram.position};
  }
}

NEARDUP_INLINE void edit_join::choose_q() {
  constexpr std::size_t sample = 256;
  // Costs relative to comparing the counts of two texts, which takes about 3 ns.
  constexpr double cost_of_entry = 3;  // reading an entry, and the counts of its text, which are seldom in the cache
  constexpr double cost_of_character = 80;  // counting and sorting the q-grams of a text, per character
  const std::size_t step = texts_.size() / sample + 1;
  double meeting = 0, ordering = 0;  // cost without q-grams; cost of making the q-grams
  for (std::size_t rank = step / 2; rank < texts_.size(); rank += step) {
    meeting += shorter_partners(rank);
    ordering += cost_of_character * static_cast<double>(texts_.length(rank));
  }
  double least = meeting;
  for (std::size_t q = 1; q <= most_q && ordering < meeting; ++q) {
    // If q is this large or larger, the allowed edits may change all q-grams of a text, unless the text is very short.
    if (static_cast<double>(q) * (1 - similarity_) >= similarity_) break;
    gram_order order(texts_, q);
    double cost = ordering;
    for (std::size_t rank = step / 2; rank < texts_.size(); rank += step) {
      const double shorter = shorter_partners(rank);
      if (!order.prefix(rank, most_edits(similarity_, texts_.length(rank)), prefix_)) {
        cost += shorter;
        continue;
      }
      const double share = shorter / static_cast<double>(texts_.size());
      for (const auto& gram : prefix_.grams) cost += cost_of_entry * share * gram.frequency;
    }
    if (cost >= least) continue;
    least = cost;
    order_.emplace(std::move(order));
  }
}

#endif  // NEARDUP_BODIES

}  // namespace neardup::inline v0::detail
