// Documents decided in an order: each by those before it that are near it and were kept, found by joins.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/filters.hpp"
#include "../../runner.hpp"
#include "../join_options.hpp"
#include "candidate_collector.hpp"
#include "feature_join.hpp"
#include "fingerprint_join.hpp"
#include "join_input.hpp"
#include "join_pairs.hpp"

namespace neardup::inline v0::detail {

/// The rule by which documents are decided. Numbers are those of documents.
template <class Number>
class decisions {
 public:
  virtual ~decisions() = default;

  /// Whether `document` could still be taken by `kept`, by what costs nothing.
  [[nodiscard]] virtual bool may_take(Number kept, Number document) const = 0;
  /// `kept`, which stands before `document` and was kept, is near it. From any thread, for one document from several at
  /// a time.
  virtual void consider(Number kept, Number document, int distance) = 0;
  /// Decides about a document, all before it that are near it having been considered; once, and if `order` is strict,
  /// when all before it are decided.
  virtual void decide(Number document) = 0;
  /// Whether a document that is not decided need not be: kept ones behind those considered so far make no difference.
  [[nodiscard]] virtual bool is_decided_early(Number document) const = 0;
  /// Whether a document that was decided is kept.
  [[nodiscard]] virtual bool is_kept(Number document) const = 0;
};

/// Whether documents are decided one by one in their order, or by several threads as if in their order.
enum class decision_order { strict, any };

/// Decides for documents, in their order, which of those kept before takes each of them.
///
/// Searches in an index of what is kept, one after the other, would be as right, and far slower: at the distances of
/// everyday similarities a search is hardly less than a scan. Here documents meet those that are kept in one join, and
/// each other in another. Where that finds too many candidates, as in a crowd of documents that are all alike, the
/// first half is decided before the second one is joined with what was kept of it.
template <std::size_t Words, class Number>
class sequential_decider {
 public:
  using words_type = std::array<std::uint64_t, Words>;
  using documents_type = chosen_words<Words, Number>;

  /// Joins fingerprints of `bits` bits within k bits; remembers at most `max_candidates` at a time. By the features
  /// that documents share, if there are any and that costs less.
  sequential_decider(std::size_t bits, int k, int blocks, std::size_t max_candidates, const any_runner& run,
                     decision_order order, decisions<Number>& rule, compared_features<Number> features)
      : bits_(bits),
        k_(k),
        blocks_(blocks),
        max_candidates_((std::max)(max_candidates, std::size_t{1} << 16)),
        run_(run),
        order_(order),
        rule_(rule),
        features_(std::move(features)) {}

  /// Decides about documents, the first `kept` of which are kept already.
  void decide(const documents_type& documents, std::size_t kept) {
    if (kept == 0) return settle(documents);
    consider_kept(documents, kept);
    std::vector<Number> open;
    for (std::size_t i = kept; i < documents.size(); ++i) {
      if (!rule_.is_decided_early(documents.number(i))) open.push_back(documents.number(i));
    }
    settle(documents.of(open));
  }

  /// Considers the first `kept` for each of the others, and decides nothing.
  void consider_kept(const documents_type& both, std::size_t kept) {
    if (kept == 0 || kept == both.size()) return;
    if (both.size() - kept <= max_scanned) {
      scan_kept(both, kept);
    } else {
      join_with_kept(both, kept);
    }
  }

 private:
  // To compare so few with everything kept costs less than to move what is kept into buckets.
  static constexpr std::size_t max_scanned = 256;

  /// A later document and an earlier one, by their places in what is joined.
  using candidate = near_pair<Number>;

  void scan_kept(const documents_type& both, std::size_t kept) {
    constexpr std::size_t step = std::size_t{1} << 12;  // so many are copied at a time: they stay in the cache
    const auto copy = [&](std::size_t begin, std::size_t end, std::vector<words_type>& to) {
      to.clear();
      for (std::size_t i = begin; i < end; ++i) to.push_back(both[i]);
    };
    std::vector<words_type> documents, some;
    copy(kept, both.size(), documents);
    for (std::size_t begin = 0; begin < kept; begin += step) {
      copy(begin, (std::min)(begin + step, kept), some);
      scan_all(std::span<const words_type>(some), std::span<const words_type>(documents), k_,
               [&](std::size_t document, std::size_t place, int distance) {
                 consider(both.number(begin + place), both.number(kept + document), distance);
                 return true;
               });
    }
  }

  void join_with_kept(const documents_type& both, std::size_t kept) {
    const auto number = [&](Number place) { return both.number(static_cast<std::size_t>(place)); };
    std::vector<std::vector<candidate>> found(parts_of(both));
    const std::size_t room = max_candidates_ / 4 / found.size();  // to consider some sooner costs nothing
    const auto consider_all = [&](std::vector<candidate>& own) {
      sort_candidates(own, both.size());
      for (const candidate& c : own) consider(number(c.second), number(c.first), c.distance);
      own.clear();
    };
    visit_candidates(both, kept, [&](std::size_t part, std::span<const candidate> pairs) {
      std::vector<candidate>& own = found[part];
      for (const candidate& c : pairs) own.push_back({c.second, c.first, c.distance});
      if (own.size() >= room) consider_all(own);
      return true;
    });
    in_steps(run_, found.size(), found.size(), 1, [&](std::size_t /*part*/, std::size_t of, std::size_t) {
      consider_all(found[of]);
      return true;
    });
  }

  [[nodiscard]] std::size_t parts_of(const documents_type& documents) const {
    return parts_for(run_, documents.size(), std::size_t{1} << 12);
  }

  /// Calls `take` as visit_distinct_pairs() does, for all pairs that may belong together: of a kept one and another, if
  /// there are any kept. It may come several times.
  void visit_candidates(const documents_type& documents, std::size_t kept,
                        const std::function<bool(std::size_t, std::span<const candidate>)>& take) const {
    fingerprint_join<Words, Number> join(documents, bits_, k_, blocks_, run_, copies_as::others, kept);
    using by_features = feature_join<Words, Number>;
    if (blocks_ == 0 && features_.suffices() && join.plan().cost() > by_features::min_cost(documents.size())) {
      const by_features other(documents, kept, bits_, k_, features_);
      if (other.cost() < join.plan().cost()) return other.visit(run_, parts_of(documents), take);
    }
    visit_distinct_pairs<Words, Number>(join, run_, take);
  }

  /// Each once. In pieces, since sorting takes as much memory again.
  static void sort_candidates(std::vector<candidate>& candidates, std::size_t count) {
    const std::size_t step = count / 8 + 1;
    auto rest = candidates.begin();
    for (std::size_t begin = 0; begin < count; begin += step) {
      const std::size_t end = (std::min)(begin + step, count);
      const auto last = std::partition(rest, candidates.end(), [=](const candidate& c) { return c.first < end; });
      sort_pairs(std::span(rest, last), begin, end, {});
      rest = last;
    }
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  }

  void consider(Number kept, Number document, int distance) {
    if (rule_.may_take(kept, document)) rule_.consider(kept, document, distance);
  }

  /// Decides about documents that have met everything kept before all of them.
  void settle(const documents_type& documents) {
    if (documents.size() == 0 || settle_at_once(documents)) return;
    const std::size_t half = documents.size() / 2;
    settle(documents.part(0, half));
    std::vector<Number> both;
    for (std::size_t i = 0; i < half; ++i) {
      if (rule_.is_kept(documents.number(i))) both.push_back(documents.number(i));
    }
    const std::size_t kept = both.size();
    for (std::size_t i = half; i < documents.size(); ++i) {
      if (!rule_.is_decided_early(documents.number(i))) both.push_back(documents.number(i));
    }
    decide(documents.of(both), kept);
  }

  /// The same by one join. Returns: false if there are too many candidates; then nothing was decided.
  bool settle_at_once(const documents_type& documents) {
    candidate_collector<Number> candidates(documents.size(), max_candidates_ / 3 * 2, parts_of(documents));
    visit_candidates(documents, 0, [&](std::size_t part, std::span<const candidate> pairs) {
      return std::all_of(pairs.begin(), pairs.end(), [&](const candidate& c) {
        return candidates.add(part, {c.second, c.first, c.distance});
      });
    });
    if (!candidates.close(run_)) return false;
    decide_in_order(documents, candidates);
    return true;
  }

  enum class fate : unsigned char { undecided, kept, dropped };

  /// Documents are taken in order, by all parts; where a candidate is not decided yet, it is waited for. So exactly
  /// what one thread would consider is considered.
  void decide_in_order(const documents_type& documents, const candidate_collector<Number>& candidates) {
    std::vector<std::atomic<fate>> fates(documents.size());
    constexpr std::size_t step = candidate_collector<Number>::block;
    std::atomic<bool> failed = false;
    first_failure failure;
    std::atomic<std::size_t> next = 0;
    const auto decide_from = [&](std::size_t first, std::size_t last) {
      std::span<const candidate> own;
      for (std::size_t i = first; i < last; ++i) {
        const Number document = documents.number(i);
        own = candidates.of(i, own);
        for (const candidate& c : own) {
          const Number before = documents.number(static_cast<std::size_t>(c.second));
          if (!rule_.may_take(before, document)) continue;
          std::atomic<fate>& other = fates[c.second];
          other.wait(fate::undecided, std::memory_order_acquire);
          if (other.load(std::memory_order_acquire) == fate::kept) rule_.consider(before, document, c.distance);
        }
        rule_.decide(document);
        fates[i].store(rule_.is_kept(document) ? fate::kept : fate::dropped, std::memory_order_release);
        fates[i].notify_all();
      }
    };
    const std::size_t parts = order_ == decision_order::strict ? 1 : parts_for(run_, documents.size(), step);
    run_(parts, [&](std::size_t /*part*/) {
      // Taken in order: whoever is waited for has been taken, by a part that runs, and the first one never waits.
      while (!failed.load(std::memory_order_relaxed)) {
        const std::size_t first = next.fetch_add(step, std::memory_order_relaxed);
        if (first >= documents.size()) return;
        const std::size_t last = (std::min)(first + step, documents.size());
        if (failure.guard(first, [&] { decide_from(first, last); })) continue;
        failed.store(true, std::memory_order_relaxed);
        for (std::size_t i = first; i < last; ++i) {
          if (fates[i].load(std::memory_order_relaxed) != fate::undecided) continue;
          fates[i].store(fate::dropped, std::memory_order_release);
          fates[i].notify_all();
        }
      }
    });
    failure.rethrow();
  }

  std::size_t bits_;
  int k_;
  int blocks_;
  std::size_t max_candidates_;
  any_runner run_;
  decision_order order_;
  decisions<Number>& rule_;
  compared_features<Number> features_;
};

}  // namespace neardup::inline v0::detail
