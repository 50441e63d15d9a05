// An inverted index of the rare features of sets, which finds stored sets that may be similar to a given set.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../../detail/bits.hpp"
#include "../../error.hpp"
#include "overlap_bounds.hpp"
#include "rare_first.hpp"

namespace neardup::inline v0::detail {

/// An inverted index of sets: finds every stored set with a Jaccard similarity or a cosine of at least a threshold, and
/// few others. Sets are numbered; the caller provides their features.
///
/// All features are in one order, rare ones first. Two sets that are similar enough have one of their prefix features
/// in common (set_join.hpp names the sources), so only prefix features are indexed and looked up. Candidates are
/// discarded by their sizes, by the positions of the common feature in both sets, then by comparing bitmaps
/// (distinct_sets.hpp), which are stored in the postings.
///
/// The order depends on the counts at the time when it is learnt. The order is learnt anew when the number of documents
/// has doubled, or when examining postings has taken longer than learning. So a feature that was rare and is now in
/// every document, such as a phrase of a new template, does not slow down searches for long. The postings of a frequent
/// feature are grouped by size and position, and a group is accepted or skipped as a whole.
///
/// Complexity: insert() and for_each() are near-linear in the features of the document, and linear in the candidates.
/// Learning the order is one pass over all kept features; it is amortised. Memory: about 36 bytes for each prefix
/// feature; a document of n features has n - ceil(similarity * n) + 1 of them.
/// Guarantee: an exception changes no result. Movable, not copyable.
/// Thread safety: const members may be called from many threads while no thread writes, each with its own workspace.
class set_postings {
  using feature_type = std::uint32_t;
  using feature_span = std::span<const feature_type>;

 public:
  /// Scratch memory, reused from document to document. Each thread needs its own object.
  class workspace {
    friend set_postings;
    prefix_finder finder_;
    std::vector<std::uint32_t> candidates_;
    std::vector<std::uint32_t> least_;  // least overlap for the Jaccard similarity, by sum of sizes
    std::size_t size_ = 0, first_size_ = 0, last_size_ = 0;  // a size, and the range of sizes similar to it
  };

  /// Throws: std::invalid_argument unless the similarity is above 0. `by`: jaccard or cosine. `max_in_row`: if more
  /// documents have a feature, its postings are grouped by size and position, which changes no result.
  explicit set_postings(double similarity, std::size_t max_in_row = 2048, set_similarity by = set_similarity::jaccard)
      : similarity_(similarity),
        max_in_row_(max_in_row),
        by_(by),
        bounds_(by, similarity),
        heads_(min_heads, none),
        counts_(min_heads) {}

  set_postings(set_postings&& other) = default;
  set_postings& operator=(set_postings&& other) = default;

  /// Returns: an empty index with the same settings.
  [[nodiscard]] set_postings fresh() const { return set_postings(similarity_, max_in_row_, by_); }

  /// Adds a document. `features_of(number)` returns the features of a document that was added before: those with which
  /// it was last added, or none if it should not be found any more. A number may be added again with other features. A
  /// caller that no longer knows the old features need not erase them: until the order is learnt anew, the document is
  /// also found by its old features, which adds candidates, but misses none.
  template <class FeaturesOf>
  void insert(feature_span features, std::uint32_t number, const FeaturesOf& features_of) {
    if (features.empty()) return;
    if (size_ + again_ >= 2 * learnt_ + min_learnt || looked_at_.value() > min_looked_at + 16 * features_) {
      learn(features_of);
    }
    if (number >= is_kept_.size()) is_kept_.resize(std::size_t{number} + 1);
    post(features, number);
    ++(is_kept_[number] ? again_ : size_);
    is_kept_[number] = true;
    features_ += features.size();
  }

  /// Learns the order from documents that will be added, so that it need not be learnt while they are added. Reserves
  /// memory for them. Precondition: no document has been added yet.
  template <class FeaturesOf>
  void learn_from(std::span<const std::uint32_t> numbers, const FeaturesOf& features_of) {
    std::size_t features = 0, postings = 0;
    for (const std::uint32_t number : numbers) {
      const std::size_t n = features_of(number).size();
      features += n;
      postings += n == 0 ? 0 : bounds_.prefix(n);
    }
    counts_ = token_counts((std::max)(2 * features, min_heads));
    for (const std::uint32_t number : numbers) {
      for (const feature_type feature : features_of(number)) counts_.count(feature_token(feature), false);
    }
    heads_.assign(std::bit_ceil((std::max)(2 * postings, min_heads)), none);
    learnt_ = numbers.size();
  }

  /// Removes a document, given the features with which it was last added.
  void erase(feature_span features, std::uint32_t number) noexcept {
    const std::size_t n = features.size();
    if (n == 0) return;
    std::size_t position = 0;
    for (const std::uint64_t key : prefix_of(features, writer_scratch_.finder_)) {
      remove(static_cast<std::uint32_t>(key), number, clipped(n), clipped(position++));
    }
    is_kept_[number] = false;
    features_ -= n;
    --size_;
  }

  /// Calls `visit(number)` once for each stored set that may be similar to the set `features`, in ascending order.
  template <class Visit>
  void for_each(feature_span features, workspace& scratch, const Visit& visit) const {
    if (features.empty() || size_ == 0) return;
    prepare(features.size(), scratch);
    scratch.candidates_.clear();
    const query asked{features.size(), signature_of(features)};
    std::size_t looked_at = 0, position = 0;
    for (const std::uint64_t key : prefix_of(features, scratch.finder_)) {
      looked_at += meet(static_cast<std::uint32_t>(key), position++, asked, scratch);
    }
    looked_at_.add(looked_at);
    std::sort(scratch.candidates_.begin(), scratch.candidates_.end());
    scratch.candidates_.erase(std::unique(scratch.candidates_.begin(), scratch.candidates_.end()),
                              scratch.candidates_.end());
    for (const std::uint32_t number : scratch.candidates_) visit(number);
  }

  void reserve(std::size_t count) { is_kept_.reserve(count); }
  [[nodiscard]] double similarity() const noexcept { return similarity_; }
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    std::size_t of_lists = lists_.capacity() * sizeof(posting_list);
    for (const posting_list& list : lists_) {
      of_lists += list.row.capacity() * sizeof(listed) + list.runs.capacity() * sizeof(run);
      for (const run& one : list.runs) of_lists += one.documents.capacity() * sizeof(listed);
    }
    return is_kept_.capacity() / 8 + heads_.capacity() * sizeof(std::uint32_t) +
           postings_.capacity() * sizeof(posting) + of_lists + counts_.memory_usage();
  }

 private:
  static constexpr std::uint32_t none = (std::numeric_limits<std::uint32_t>::max)();
  static constexpr std::size_t min_heads = 1024;
  static constexpr std::size_t min_learnt = 32, min_looked_at = std::size_t{1} << 16;
  static constexpr std::size_t max_in_chain = 8;  // postings of one feature; if it has more, they go into a list
  static constexpr std::uint16_t large = 0xffff;  // a size or position that does not fit

  /// A prefix feature of a document, in the chain of a bucket. If size is 0, it stands for a posting_list, whose index
  /// is `number`.
  struct posting {
    std::uint32_t token;
    std::uint32_t number;  // of the document or the list
    std::uint32_t next;
    std::uint16_t size;
    std::uint16_t position;
    std::uint64_t signature;
  };
  /// A document in a list.
  struct listed {
    std::uint64_t signature;
    std::uint32_t number;
    std::uint16_t size, position;
  };
  /// Documents of one size that have a feature at one position.
  struct run {
    std::uint16_t size, position;
    std::vector<listed> documents;
  };
  /// The documents of a frequent feature: in one row, or, if there are more than max_in_row, in a run for each size and
  /// position.
  struct posting_list {
    std::vector<listed> row;
    std::vector<run> runs;  // sorted by size, then position
  };

  /// Properties of the set that is searched for, to reject candidates before features are compared.
  struct query {
    std::size_t size;
    std::uint64_t signature;
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
    [[nodiscard]] std::size_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

   private:
    std::atomic<std::size_t> value_ = 0;
  };

  static std::uint16_t clipped(std::size_t n) noexcept {
    return static_cast<std::uint16_t>((std::min)(n, std::size_t{large}));
  }

  /// A bitmap of 64 bits; see set_bitmap.
  static std::uint64_t signature_of(feature_span features) noexcept {
    std::uint64_t signature = 0;
    for (const feature_type feature : features) signature ^= std::uint64_t{1} << (feature_token(feature) >> 26);
    return signature;
  }

  [[nodiscard]] std::span<const std::uint64_t> prefix_of(feature_span features, prefix_finder& finder) const {
    const std::size_t count = bounds_.prefix(features.size());
    if (count == 0) return {};
    return finder.find(features, count, counts_);
  }

  [[nodiscard]] std::size_t bucket(std::uint32_t token) const noexcept {
    return static_cast<std::size_t>(mix(token)) & (heads_.size() - 1);
  }

  /// Adds the prefix features of a document. Guarantee: strong.
  void post(feature_span features, std::uint32_t number) {
    const std::span<const std::uint64_t> keys = prefix_of(features, writer_scratch_.finder_);
    const std::uint16_t size = clipped(features.size());
    std::size_t position = 0;
    undo posting_all{[&] {
      while (position-- > 0) remove(static_cast<std::uint32_t>(keys[position]), number, size, clipped(position));
    }};
    const std::uint64_t signature = signature_of(features);
    for (; position < keys.size(); ++position) {
      add({static_cast<std::uint32_t>(keys[position]), number, none, size, clipped(position), signature});
    }
    posting_all.is_due = false;
  }

  void add(posting added) {
    std::uint32_t& head = heads_[bucket(added.token)];
    std::size_t same = 0;
    for (std::uint32_t at = head; at != none; at = postings_[at].next) {
      if (postings_[at].token != added.token) continue;
      if (postings_[at].size == 0) return add_to(lists_[postings_[at].number], listed_as(added));
      ++same;
    }
    if (same >= max_in_chain) return move_to_list(head, added);
    std::uint32_t at = free_;
    if (at == none) {
      at = static_cast<std::uint32_t>(postings_.size());
      if (at == none) fail<std::length_error>("sets have at most 2^32 - 1 postings");
      postings_.emplace_back();
    } else {
      free_ = postings_[at].next;
    }
    added.next = head;
    postings_[at] = added;
    head = at;
  }

  /// Moves the postings of the feature of `added` from a chain to a new list, and adds `added`.
  void move_to_list(std::uint32_t& head, const posting& added) {
    posting_list list;
    std::uint32_t first = none;
    for (std::uint32_t at = head; at != none; at = postings_[at].next) {
      if (postings_[at].token != added.token) continue;
      add_to(list, listed_as(postings_[at]));
      if (first == none) first = at;
    }
    add_to(list, listed_as(added));
    lists_.push_back(std::move(list));
    for (std::uint32_t* link = &head; *link != none;) {
      posting& p = postings_[*link];
      if (p.token == added.token && *link != first) {
        release(*link);
      } else {
        link = &p.next;
      }
    }
    postings_[first].number = static_cast<std::uint32_t>(lists_.size() - 1);
    postings_[first].size = 0;
  }
  static listed listed_as(const posting& p) noexcept { return {p.signature, p.number, p.size, p.position}; }

  /// Removes a posting from its chain. `link` is the link that leads to it.
  void release(std::uint32_t& link) noexcept {
    const std::uint32_t at = link;
    link = postings_[at].next;
    postings_[at].next = free_;
    free_ = at;
  }

  static bool is_before(const run& a, const std::pair<std::uint16_t, std::uint16_t>& b) noexcept {
    return a.size != b.first ? a.size < b.first : a.position < b.second;
  }
  void add_to(posting_list& list, const listed& added) const {
    if (list.runs.empty() && list.row.size() < max_in_row_) return list.row.push_back(added);
    if (list.runs.empty()) {
      posting_list by_size;
      for (const listed& one : list.row) add_to_run(by_size, one);
      add_to_run(by_size, added);
      std::swap(list, by_size);
    } else {
      add_to_run(list, added);
    }
  }
  static void add_to_run(posting_list& list, const listed& added) {
    auto at = std::lower_bound(list.runs.begin(), list.runs.end(), std::pair{added.size, added.position}, is_before);
    if (at == list.runs.end() || at->size != added.size || at->position != added.position) {
      at = list.runs.insert(at, {added.size, added.position, {}});
    }
    at->documents.push_back(added);
  }

  static void remove_from(std::vector<listed>& documents, std::uint32_t number) noexcept {
    const auto found =
        std::find_if(documents.begin(), documents.end(), [=](const listed& one) { return one.number == number; });
    if (found == documents.end()) return;
    *found = documents.back();
    documents.pop_back();
  }

  void remove(std::uint32_t token, std::uint32_t number, std::uint16_t size, std::uint16_t position) noexcept {
    for (std::uint32_t* link = &heads_[bucket(token)]; *link != none; link = &postings_[*link].next) {
      const posting& p = postings_[*link];
      if (p.token != token) continue;
      if (p.size == 0) {
        posting_list& list = lists_[p.number];
        if (list.runs.empty()) return remove_from(list.row, number);
        const auto at = std::lower_bound(list.runs.begin(), list.runs.end(), std::pair{size, position}, is_before);
        if (at == list.runs.end() || at->size != size || at->position != position) return;
        return remove_from(at->documents, number);
      }
      if (p.number == number) {
        release(*link);
        return;
      }
    }
  }

  /// Computes the sizes of sets that may be similar enough to a set of `n` features, and the least overlap for each
  /// size.
  void prepare(std::size_t n, workspace& scratch) const {
    if (scratch.size_ == n) return;
    scratch.size_ = 0;
    scratch.first_size_ = bounds_.least_partner(n);
    const double ratio = by_ == set_similarity::cosine ? similarity_ * similarity_ : similarity_;
    std::size_t last = (std::max)(n, static_cast<std::size_t>(static_cast<double>(n) / ratio));
    while (bounds_.least_partner(last + 1) <= n) ++last;
    while (last > n && bounds_.least_partner(last) > n) --last;
    scratch.last_size_ = last;
    // For the Jaccard similarity, the least overlap depends only on the sum of both sizes.
    for (std::size_t sum = scratch.least_.size(); by_ == set_similarity::jaccard && sum <= n + last; ++sum) {
      scratch.least_.push_back(static_cast<std::uint32_t>(bounds_.least(sum / 2, sum - sum / 2)));
    }
    scratch.size_ = n;
  }

  /// The number of features in which two similar sets of these sizes may differ, if their first common prefix feature
  /// is at these positions; nullopt if they cannot be similar enough.
  [[nodiscard]] std::optional<std::size_t> may_differ(const workspace& scratch, std::size_t size, std::size_t position,
                                                      std::size_t own_size, std::size_t own_position) const noexcept {
    if (size == large) return (std::numeric_limits<std::size_t>::max)();
    if (size < scratch.first_size_ || size > scratch.last_size_) return std::nullopt;
    const std::size_t least =
        by_ == set_similarity::jaccard ? scratch.least_[size + own_size] : bounds_.least(size, own_size);
    if (least + position > size || least + own_position > own_size) return std::nullopt;
    return size + own_size - 2 * least;
  }

  /// Adds the documents that have a token to the candidates. Returns: the number of postings or runs that were
  /// examined.
  std::size_t meet(std::uint32_t token, std::size_t position, const query& asked, workspace& scratch) const {
    std::size_t looked_at = 0;
    const auto take = [&](std::uint64_t signature, std::size_t differing, std::uint32_t number) {
      if (static_cast<std::size_t>(std::popcount(signature ^ asked.signature)) <= differing)
        scratch.candidates_.push_back(number);
    };
    const auto take_if = [&](const auto& p) {
      const auto most = may_differ(scratch, p.size, p.position, asked.size, position);
      if (most) take(p.signature, *most, p.number);
    };
    for (std::uint32_t at = heads_[bucket(token)]; at != none; at = postings_[at].next) {
      const posting& p = postings_[at];
      ++looked_at;
      if (p.token != token) continue;
      if (p.size != 0) {
        take_if(p);
        continue;
      }
      const posting_list& list = lists_[p.number];
      looked_at += list.row.size() + list.runs.size();
      for (const listed& one : list.row) take_if(one);
      for (const run& one : list.runs) {
        const auto most = may_differ(scratch, one.size, one.position, asked.size, position);
        if (!most) continue;
        looked_at += one.documents.size();
        for (const listed& document : one.documents) take(document.signature, *most, document.number);
      }
      break;  // a feature with a list has no other postings
    }
    return looked_at;
  }

  /// Learns the order from the features of all kept documents, and adds these documents again.
  template <class FeaturesOf>
  void learn(const FeaturesOf& features_of) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(size_);
    for (std::size_t number = 0; number < is_kept_.size(); ++number) {
      if (is_kept_[number]) numbers.push_back(static_cast<std::uint32_t>(number));
    }
    set_postings anew = fresh();
    anew.learn_from(numbers, features_of);
    for (const std::uint32_t number : numbers) {
      const feature_span features = features_of(number);
      anew.post(features, number);
      anew.features_ += features.size();
    }
    anew.is_kept_ = std::move(is_kept_);
    anew.size_ = size_;
    *this = std::move(anew);
  }

  double similarity_;
  std::size_t max_in_row_;
  set_similarity by_;
  overlap_bounds bounds_;
  std::vector<std::uint32_t> heads_;  // by bucket: the first posting of its chain
  std::vector<posting> postings_;
  std::uint32_t free_ = none;  // the first of the chain of free postings
  std::vector<posting_list> lists_;
  token_counts counts_;        // as of when the order was learnt
  std::size_t size_ = 0;       // number of documents
  std::size_t again_ = 0;      // documents added again since the order was learnt
  std::vector<bool> is_kept_;  // by document number
  std::size_t learnt_ = 0;     // number of documents when the order was learnt
  std::size_t features_ = 0;   // number of features of all documents
  mutable counter looked_at_;  // postings examined since the order was learnt
  workspace writer_scratch_;   // used by functions that write
};

}  // namespace neardup::inline v0::detail
