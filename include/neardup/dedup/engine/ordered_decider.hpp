// SPDX-License-Identifier: MIT
// Decides about documents in a given order, by the rule of original_choice, with any matcher.
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
#include "../../index/fingerprint_range.hpp"
#include "../../runner.hpp"
#include "../rule.hpp"
#include "candidate_collector.hpp"

namespace neardup::inline v0::detail {

/// Finds candidate pairs, and decides which of them match. Documents are numbered in the order of decision.
template <class Number>
class matcher {
 public:
  /// A candidate pair: two positions in a list of documents, first < second, and a number such as their distance.
  /// closeness() gets this number as `known`.
  using candidate = near_pair<Number>;
  using take_type = std::function<bool(std::size_t part, std::span<const candidate>)>;

  /// The pairs that a search may leave out. If `classes` is given, these are the pairs of positions in one class, and
  /// the search adds each match to the classes. `may_give_up`: true if the search may end because too many candidates
  /// fail.
  struct left_out {
    set_classes* classes = nullptr;
    bool may_give_up = false;
  };

  virtual ~matcher() = default;

  /// Returns the greatest number of threads that find_candidates() uses for a number of documents.
  [[nodiscard]] virtual std::size_t parts(std::size_t documents) const = 0;

  /// Calls `take(part, candidates)` with all pairs of the list `documents` that may match. If `kept` is not 0, each
  /// pair has one of the first `kept` documents of the list and one of the others. Parts call `take` concurrently. If
  /// `take` returns false, the search ends soon.
  /// Returns: false if it gave up.
  /// Precondition: the first `kept` numbers of the list ascend, and so do the others; kept is 0 if classes are given.
  virtual bool find_candidates(std::span<const Number> documents, std::size_t kept, const take_type& take,
                               const left_out& pairs) = 0;
  /// Returns the number of candidates of a document after which find_candidates() may leave out others, at most 127; 0
  /// if it cannot leave out pairs. If the number is not 0, each candidate matches.
  [[nodiscard]] virtual std::uint8_t enough_pairs() const { return 0; }

  /// Returns the closeness of a candidate pair, or nullopt if it does not match. May also return nullopt if the
  /// closeness is not above `best`.
  /// Thread safety: several threads call it at once.
  [[nodiscard]] virtual std::optional<double> closeness(Number earlier, Number later, int known,
                                                        std::optional<double> best) const = 0;

  /// Returns true if this document has copies. The caller decides about copies by the matches of the document; see
  /// ordered_decider::matches_of_copies().
  [[nodiscard]] virtual bool has_copies(Number /*document*/) const { return false; }

  /// Returns true if find_more() may find matches. One thread then decides about documents one after the other.
  [[nodiscard]] virtual bool finds_more() const { return false; }
  /// Calls `consider(kept, known)` for each kept document that may match this document and that find_candidates() does
  /// not find.
  virtual void find_more(Number /*document*/, const std::function<void(Number, int)>& /*consider*/) const {}
  /// Called for each document that is kept, if finds_more() is true.
  virtual void keep(Number /*document*/) {}
};

/// Decides about each document: a document is kept unless an earlier kept document matches it.
///
/// There are two phases. The first phase decides which documents are kept. This does not depend on the choice of
/// originals, because one match suffices to drop a document. It uses the candidates among all documents, unless there
/// are too many of them, as in a large group of similar documents. In that case:
/// - A matcher that can leave out pairs finds some candidates of each document. A document with missing candidates is
///   dropped if one of the found candidates is kept. Otherwise it stays open. The open documents are matched with the
///   kept documents. Documents that are still open are decided among themselves, in the same way.
/// - Otherwise, or if too many candidates fail, the first half of the documents is decided. Then its kept documents are
///   matched with the second half.
/// So the work grows with the number of matches of kept documents, not with the number of all pairs.
///
/// The second phase runs if originals are asked for. It matches kept documents with the documents of which not all
/// matches have been considered.
template <class Number>
class ordered_decider {
 public:
  using rank_type = original_rank<Number>;

  /// Makes a decider for documents 0 to size - 1. The first `known` documents are kept already. It holds about
  /// `max_candidates` candidates at most at a time.
  ordered_decider(matcher<Number>& by, std::size_t known, std::size_t size, bool names_originals,
                  std::size_t max_candidates, const any_runner& run)
      : by_(by),
        known_(known),
        names_originals_(names_originals),
        max_candidates_(max_candidates),
        run_(run),
        fates_(size),
        considered_until_(names_originals ? size : 0),
        best_(names_originals ? size : 0, rank_type{-std::numeric_limits<double>::infinity(), 0}) {
    for (std::size_t i = 0; i < known; ++i) fates_[i].store(fate::kept, std::memory_order_relaxed);
  }

  /// Decides about all documents. Without `among_themselves`, documents are matched only with the known documents.
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
            return considered_until_[i] < i || (is_divided_ && by_.has_copies(static_cast<Number>(i)));
          }));
  }

  [[nodiscard]] bool is_kept(std::size_t document) const noexcept { return fate_of(document) == fate::kept; }
  /// Returns the original of a dropped document.
  /// Precondition: the caller of the decider has asked for originals.
  [[nodiscard]] const rank_type& original(std::size_t document) const noexcept { return best_[document]; }
  /// Returns the matches from which the originals of copies are chosen.
  /// Precondition: originals were asked for.
  [[nodiscard]] late_matches<Number>& matches_of_copies() noexcept { return late_; }

 private:
  using candidate = typename matcher<Number>::candidate;
  enum class fate : unsigned char { undecided, kept, dropped };

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

  /// Matches kept documents with other documents. If no originals are asked for, it stops at the first match of each
  /// other document.
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
        } else if (names_originals_ ? earlier >= considered_until_[later] : fate_of(later) != fate::dropped) {
          consider(earlier, later, c.distance);
        }
      }
      return true;
    };
    by_.find_candidates(both, kept.size(), take, {});
  }

  /// Considers a kept document as the original of a later document.
  /// Returns: true if they match.
  bool consider(Number kept, Number document, int known) {
    std::optional<double> best;
    if (names_originals_ && fate_of(document) == fate::dropped) {
      const std::lock_guard lock(mutex_of(document));
      best = best_[document].closeness;
    }
    const std::optional<double> closeness = by_.closeness(kept, document, known, best);
    if (!closeness) return false;
    if (names_originals_) {
      const std::lock_guard lock(mutex_of(document));
      const rank_type rank{*closeness, kept};
      if (rank.is_better_than(best_[document])) best_[document] = rank;
    }
    fates_[document].store(fate::dropped, std::memory_order_release);
    return true;
  }

  /// Records that all kept documents before `until` have been considered for a document.
  void note_considered(Number document, Number until) {
    if (names_originals_) considered_until_[document] = until;
  }

  void consider_late(Number document, Number kept, int known) {
    if (!names_originals_ || !by_.has_copies(document)) return;
    const std::optional<double> closeness = by_.closeness(document, kept, known, std::nullopt);
    if (!closeness) return;
    const std::lock_guard lock(mutexes_.front());
    late_.add(document, kept, *closeness);
  }

  /// Decides about documents.
  /// Precondition: they have been matched with all kept documents before the first of them.
  void settle(std::span<const Number> documents) {
    if (!settle_at_once(documents)) return settle_halves(documents);
    const std::vector<Number> open = undecided(documents);
    if (open.empty()) return;
    match(kept_of(documents), open);
    const std::vector<Number> left = undecided(open);
    // Halving bounds the depth of the recursion, also if each call would decide about few documents.
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
  /// Returns: false if there are too many pairs and none can be left out, or if the matcher gave up. Nothing has been
  /// decided then.
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

  /// Decides about documents in order, in all parts. A part that needs a document which is not decided yet waits for
  /// it. So the parts consider exactly the candidates that a single thread would.
  void decide_in_order(std::span<const Number> documents, const candidate_collector<Number>& candidates) {
    constexpr std::size_t step = candidate_collector<Number>::block;
    const std::size_t parts = by_.finds_more() ? 1 : parts_for(run_, documents.size(), step);
    // Indexed by position: true once the document is decided. The store has release semantics, so a part that has waited for it
    // also sees the originals that were changed before.
    std::vector<std::atomic<bool>> is_decided(documents.size());
    // There is no deadlock. Steps are taken in order, so a part waits only for documents of running parts. The part
    // with the first undecided document never waits.
    in_steps(run_, parts, documents.size(), step, [&](std::size_t /*part*/, std::size_t first, std::size_t last) {
      const auto decided = [&](std::size_t i) {
        is_decided[i].store(true, std::memory_order_release);
        is_decided[i].notify_all();
      };
      undo give_up{[&] {
        // If this step throws, its documents stay undecided. They are marked as decided, so that no part waits for them
        // forever.
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

  /// Decides about the document at position `i`. The document stays undecided if no candidate is kept, and a candidate
  /// is undecided or may be missing.
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
  std::atomic<bool> is_divided_ = false;  // true if some pairs were not considered in settle_at_once()
  std::vector<Number> considered_until_;  // by document: kept documents below this number have been considered
  // The original of each document, indexed by document. The columns best_ and considered_until_ are empty unless originals are asked for.
  std::vector<rank_type> best_;
  late_matches<Number> late_;
  std::array<detail::mutex_type, 64> mutexes_;
};

}  // namespace neardup::inline v0::detail
