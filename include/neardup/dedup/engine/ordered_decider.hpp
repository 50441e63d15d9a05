// SPDX-License-Identifier: MIT
// Decides about documents in a given order by the rule of original_choice, with any matcher.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "../../detail/mutex.hpp"
#include "../../detail/visits.hpp"
#include "../../index/match.hpp"
#include "../../runner.hpp"
#include "../rule.hpp"
#include "candidate_collector.hpp"

namespace neardup::inline v0::detail {

/// Finds candidate pairs, and decides which candidate pairs match. Documents are numbered in the order of decision.
template <class Number>
class matcher {
 public:
  /// A candidate pair: two positions in a list of documents, first < second. The member `distance` has the distance of
  /// the fingerprints or texts, or the number of common features. closeness() gets this number as `known`.
  using candidate = near_pair<Number>;
  using take_type = std::function<bool(std::size_t part, std::span<const candidate>)>;

  /// Says which pairs a search may leave out. If `classes` is given, the search may leave out pairs of two positions in
  /// one class, and adds each match to `classes`. If `may_give_up` is true, the search may end because too many
  /// candidate pairs fail.
  struct left_out {
    set_classes* classes = nullptr;
    bool may_give_up = false;
  };

  virtual ~matcher() = default;

  /// Returns the greatest number of threads that find_candidates() uses for `documents` documents.
  [[nodiscard]] virtual std::size_t parts(std::size_t documents) const = 0;

  /// Calls `take(part, candidates)` with all pairs in the list `documents` that may match, except the pairs that
  /// `pairs` leaves out. If `kept` is not 0, each pair has one of the first `kept` documents and one of the remaining
  /// documents. The parts of the runner call `take` concurrently. If `take` returns false, the search ends soon.
  /// Returns: false if the search gave up.
  /// Precondition: the first `kept` numbers of the list ascend, and so do the other numbers.
  virtual bool find_candidates(std::span<const Number> documents, std::size_t kept, const take_type& take,
                               const left_out& pairs) = 0;
  /// Returns n <= 127: once a search has found n candidate pairs of a document, find_candidates() may leave out further
  /// pairs of this document. The result is 0 if no pair may be left out. If the result is not 0, each candidate pair
  /// matches.
  [[nodiscard]] virtual std::uint8_t enough_pairs() const { return 0; }

  /// Returns the closeness of a candidate pair, or nullopt if the pair does not match. The result may also be nullopt
  /// if the closeness is not above `best`.
  /// Thread safety: several threads call this function at once.
  [[nodiscard]] virtual std::optional<double> closeness(Number earlier, Number later, int known,
                                                        std::optional<double> best) const = 0;

  /// Returns true if this document has copies. The caller decides about the copies, from the matches of the document;
  /// see ordered_decider::matches_of_copies().
  [[nodiscard]] virtual bool has_copies(Number /*document*/) const { return false; }

  /// Returns true if find_more() may find matches. Then one thread decides about one document after the other.
  [[nodiscard]] virtual bool finds_more() const { return false; }
  /// Calls `consider(kept, known)` for each kept document that may match `document` but that find_candidates() does not
  /// find.
  virtual void find_more(Number /*document*/, const std::function<void(Number, int)>& /*consider*/) const {}
  /// Records that a document is kept. This function is called for each kept document if finds_more() is true.
  virtual void keep(Number /*document*/) {}
};

/// Decides about each document: a document is kept unless an earlier kept document matches it.
///
/// There are two phases. The first phase decides which documents are kept. One match suffices to drop a document, so
/// this decision does not depend on the choice of originals. The first phase uses the candidate pairs among all
/// documents, unless there are too many of them, as in a large group of similar documents. If there are too many:
/// - If the matcher can leave out pairs, it finds some candidate pairs of each document. A document with missing pairs
/// is dropped if one of the found candidates is kept. Otherwise the document stays open. Open documents are matched
/// with the kept documents. Documents that are still open are decided in the same way, without the decided documents.
/// - If the matcher cannot leave out pairs, or too many candidate pairs fail, the first half of the documents is
/// decided. Then the second half is matched with the kept documents of the first half, and decided.
/// So the work depends on the number of matches of kept documents, not on the number of all pairs.
///
/// The second phase runs only if originals are wanted. The first phase may skip some matches of a document. The second
/// phase matches such a document with the kept documents.
template <class Number>
class ordered_decider {
 public:
  using rank_type = original_rank<Number>;

  /// Makes a decider for the documents 0 to size - 1, which `by` matches. The first `known` documents are already kept.
  /// `names_originals`: whether originals are wanted. At most about `max_candidates` pairs are in memory.
  ordered_decider(matcher<Number>& by, std::size_t known, std::size_t size, bool names_originals,
                  std::size_t max_candidates, const any_runner& run)
      : by_(by),
        known_(known),
        names_originals_(names_originals),
        max_candidates_(max_candidates),
        run_(run),
        fates_(size),
        originals_(names_originals ? size : 0) {
    for (std::size_t i = 0; i < known; ++i) fates_[i].store(fate::kept, std::memory_order_relaxed);
  }

  /// Decides about all documents. If `among_themselves` is false, documents are matched with the known documents only.
  void decide(bool among_themselves) {
    std::vector<Number> open = chosen(known_, fates_.size(), [](std::size_t) { return true; });
    match(chosen(0, known_, [](std::size_t) { return true; }), open);
    if (!among_themselves) return keep_the_rest();
    if (known_ != 0 && !by_.finds_more()) open = undecided(open);
    settle(open);
    open = {};
    if (!names_originals_) return;
    const auto kept = chosen(known_, fates_.size(), [&](std::size_t i) { return is_kept(i); });
    match(kept, chosen(known_, fates_.size(), [&](std::size_t i) {
            if (is_kept(i)) return false;
            return originals_[i].considered_until < i || (is_divided_ && by_.has_copies(static_cast<Number>(i)));
          }));
  }

  [[nodiscard]] bool is_kept(std::size_t document) const noexcept { return fate_of(document) == fate::kept; }
  /// Returns the original of a dropped document.
  /// Precondition: `names_originals` was true.
  [[nodiscard]] rank_type original(std::size_t document) const noexcept { return originals_[document].rank(); }
  /// Returns the late matches (see late_matches), from which the originals of copies are chosen.
  /// Precondition: `names_originals` was true.
  [[nodiscard]] late_matches<Number>& matches_of_copies() noexcept { return late_; }

 private:
  using candidate = typename matcher<Number>::candidate;
  enum class fate : unsigned char { undecided, kept, dropped };

  /// The original of a document among the kept documents below `considered_until`.
  struct original_so_far {
    double closeness = -std::numeric_limits<double>::infinity();
    Number age = 0;
    Number considered_until = 0;  // not in a vector of its own, because this struct has padding for it

    [[nodiscard]] rank_type rank() const noexcept { return {closeness, age}; }
  };

  [[nodiscard]] fate fate_of(std::size_t document) const noexcept {
    return fates_[document].load(std::memory_order_acquire);
  }

  template <class Which>
  static std::vector<Number> chosen(std::size_t first, std::size_t last, const Which& which) {
    std::vector<Number> numbers;
    for (std::size_t i = first; i < last; ++i) {
      if (which(i)) numbers.push_back(static_cast<Number>(i));
    }
    return numbers;
  }
  [[nodiscard]] std::vector<Number> undecided(std::span<const Number> of) const {
    std::vector<Number> numbers;
    std::copy_if(of.begin(), of.end(), std::back_inserter(numbers),
                 [&](Number i) { return fate_of(i) == fate::undecided; });
    return numbers;
  }
  void keep_the_rest() noexcept {
    for (auto& one : fates_) {
      if (one.load(std::memory_order_relaxed) == fate::undecided) one.store(fate::kept, std::memory_order_relaxed);
    }
  }

  /// Matches kept documents with other documents. If no originals are wanted, a document needs only its first match.
  void match(std::span<const Number> kept, std::span<const Number> others) {
    if (kept.empty() || others.empty()) return;
    std::vector<Number> both(kept.begin(), kept.end());
    both.insert(both.end(), others.begin(), others.end());
    const auto take = [&](std::size_t /*part*/, std::span<const candidate> pairs) {
      for (const candidate& c : pairs) {
        const Number earlier = both[static_cast<std::size_t>(c.first)],
                     later = both[static_cast<std::size_t>(c.second)];
        if (later < earlier) {
          consider_late(later, earlier, c.distance);
        } else if (names_originals_ ? earlier >= originals_[later].considered_until : fate_of(later) != fate::dropped) {
          consider(earlier, later, c.distance);
        }
      }
      return true;
    };
    by_.find_candidates(both, kept.size(), take, {});
  }

  /// Considers the kept document `kept` as the original of the later document `document`. A match drops `document`.
  /// Returns: true if the two documents match.
  bool consider(Number kept, Number document, int known) {
    std::optional<double> best;
    if (names_originals_ && fate_of(document) == fate::dropped) {
      const std::lock_guard lock(mutex_of(document));
      best = originals_[document].closeness;
    }
    const std::optional<double> closeness = by_.closeness(kept, document, known, best);
    if (!closeness) return false;
    if (names_originals_) {
      const std::lock_guard lock(mutex_of(document));
      original_so_far& original = originals_[document];
      if (rank_type{*closeness, kept}.is_better_than(original.rank())) {
        original.closeness = *closeness;
        original.age = kept;
      }
    }
    fates_[document].store(fate::dropped, std::memory_order_release);
    return true;
  }

  /// Records that all kept documents below `until` have been considered as originals of `document`.
  void note_considered(Number document, Number until) {
    if (names_originals_) originals_[document].considered_until = until;
  }

  void consider_late(Number document, Number kept, int known) {
    if (!names_originals_ || !by_.has_copies(document)) return;
    const std::optional<double> closeness = by_.closeness(document, kept, known, std::nullopt);
    if (!closeness) return;
    const std::lock_guard lock(mutexes_.front());
    late_.add(document, kept, *closeness);
  }

  /// Decides about `documents`.
  /// Precondition: all documents that were kept before documents.front() have been matched with `documents`.
  void settle(std::span<const Number> documents) {
    if (!settle_at_once(documents)) return settle_halves(documents);
    const std::vector<Number> open = undecided(documents);
    if (open.empty()) return;
    match(kept_of(documents), open);
    const std::vector<Number> left = undecided(open);
    // If less than half of the documents were decided, the undecided documents are divided into two halves. So the
    // depth of the recursion is bounded.
    if (left.size() > documents.size() / 2) {
      settle_halves(left);
    } else {
      settle(left);
    }
  }

  void settle_halves(std::span<const Number> documents) {
    is_divided_ = true;
    const std::span<const Number> first = documents.first(documents.size() / 2),
                                  second = documents.subspan(first.size());
    settle(first);
    match(kept_of(first), second);
    for (const Number document : second) note_considered(document, second.front());
    if (by_.finds_more()) return settle(second);
    settle(undecided(second));
  }

  [[nodiscard]] std::vector<Number> kept_of(std::span<const Number> documents) const {
    std::vector<Number> kept;
    std::copy_if(documents.begin(), documents.end(), std::back_inserter(kept), [&](Number i) { return is_kept(i); });
    return kept;
  }

  /// Decides about documents by the candidate pairs among them. If pairs were left out, some documents may stay
  /// undecided.
  /// Returns: false if there are too many pairs and no pair may be left out, or if the matcher gave up. Then no
  /// document is decided.
  bool settle_at_once(std::span<const Number> documents) {
    if (documents.empty()) return true;
    const std::uint8_t enough = by_.enough_pairs();
    candidate_collector<Number> candidates(documents.size(), max_candidates_, by_.parts(documents.size()), enough);
    const auto take = [&](std::size_t part, std::span<const candidate> pairs) {
      return std::all_of(pairs.begin(), pairs.end(), [&](const candidate& c) {
        return candidates.add(part, {c.second, c.first, c.distance});
      });
    };
    const bool gave_up = !by_.find_candidates(documents, 0, take, {enough != 0 ? &candidates : nullptr, enough != 0});
    if (gave_up || !candidates.close(run_)) return false;
    decide_in_order(documents, candidates);
    return true;
  }

  /// Decides about documents in order, in all parts of the runner. If the decision needs a document that is not decided
  /// yet, the part waits for that document. So the parts consider the same candidate pairs as a single thread.
  void decide_in_order(std::span<const Number> documents, const candidate_collector<Number>& candidates) {
    constexpr std::size_t step = candidate_collector<Number>::block;
    const std::size_t parts = by_.finds_more() ? 1 : parts_for(run_, documents.size(), step);
    // is_decided[position] is true once the document is decided. The store has release semantics. So a part that waited
    // for the document also sees the changes of its original.
    std::vector<std::atomic<bool>> is_decided(documents.size());
    // There is no deadlock. Steps are taken in order, so a part waits only for documents of steps that are running. The
    // part that has the first undecided document never waits.
    in_steps(run_, parts, documents.size(), step, [&](std::size_t /*part*/, std::size_t first, std::size_t last) {
      const auto decided = [&](std::size_t i) {
        is_decided[i].store(true, std::memory_order_release);
        is_decided[i].notify_all();
      };
      undo give_up{[&] {
        // If this step throws, it leaves documents undecided. is_decided is set for them, too, so that no part waits
        // for them forever.
        for (std::size_t i = first; i < last; ++i) decided(i);
      }};
      std::span<const candidate> own;
      std::vector<candidate> with_copies;
      for (std::size_t i = first; i < last; ++i) {
        own = candidates.of(i, own);
        decide_one(documents, i, own, candidates.has_enough(i), is_decided, with_copies);
        decided(i);
      }
      give_up.is_due = false;
      return true;
    });
  }

  /// Decides about the document at position `i`. The document stays undecided in one case: no candidate is kept, but a
  /// candidate is undecided or may be missing.
  void decide_one(std::span<const Number> documents, std::size_t i, std::span<const candidate> candidates,
                  bool may_lack_some, std::vector<std::atomic<bool>>& is_decided, std::vector<candidate>& with_copies) {
    const Number document = documents[i];
    bool is_open = may_lack_some;
    with_copies.clear();
    for (const candidate& c : candidates) {
      if (!names_originals_ && fate_of(document) == fate::dropped) break;
      const auto place = static_cast<std::size_t>(c.second);
      is_decided[place].wait(false, std::memory_order_acquire);
      const fate other = fate_of(documents[place]);
      if (other == fate::kept) {
        consider(documents[place], document, c.distance);
      } else if (other == fate::undecided) {
        is_open = true;
      } else if (names_originals_ && by_.has_copies(documents[place])) {
        with_copies.push_back(c);
      }
    }
    if (is_open) {
      is_divided_.store(true, std::memory_order_relaxed);
      return;
    }
    note_considered(document, document);
    if (by_.finds_more()) by_.find_more(document, [&](Number kept, int known) { consider(kept, document, known); });
    if (fate_of(document) == fate::dropped) return;
    fates_[document].store(fate::kept, std::memory_order_release);
    if (by_.finds_more()) by_.keep(document);
    for (const candidate& c : with_copies) {
      consider_late(documents[static_cast<std::size_t>(c.second)], document, c.distance);
    }
  }

  [[nodiscard]] detail::mutex_type& mutex_of(Number document) noexcept {
    return mutexes_[static_cast<std::size_t>(document) % mutexes_.size()];
  }

  matcher<Number>& by_;
  std::size_t known_;
  bool names_originals_;
  std::size_t max_candidates_;
  any_runner run_;
  std::vector<std::atomic<fate>> fates_;
  std::atomic<bool> is_divided_ = false;    // true if some pairs were not considered in settle_at_once()
  std::vector<original_so_far> originals_;  // [document]; empty if no originals are wanted
  late_matches<Number> late_;
  std::array<detail::mutex_type, 64> mutexes_;
};

}  // namespace neardup::inline v0::detail
