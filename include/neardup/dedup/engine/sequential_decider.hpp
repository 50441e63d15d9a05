// Decides about documents in an order, each by those before it that are near it and were kept. Joins find these.
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
#include "../../error.hpp"
#include "../../index/join/fingerprint_join.hpp"
#include "../../index/join/join_input.hpp"
#include "../../index/join/join_pairs.hpp"
#include "../../index/join_options.hpp"
#include "../../runner.hpp"
#include "candidate_collector.hpp"
#include "feature_join.hpp"

namespace neardup::inline v0::detail {

/// The rule by which documents are decided. Documents are given by their numbers.
template <class Number>
class decisions {
 public:
  virtual ~decisions() = default;

  /// Whether `kept` may still take `document`, as far as that can be told at no cost.
  [[nodiscard]] virtual bool may_take(Number kept, Number document) const = 0;
  /// Considers `kept`, which comes before `document`, was kept and is near it. It is called from any thread, for one
  /// document from several at a time.
  virtual void consider(Number kept, Number document, int distance) = 0;
  /// Decides about a document, once, after all near ones before it have been considered. If the order is strict, all
  /// documents before it are decided by then.
  virtual void decide(Number document) = 0;
  /// Whether the fate of a document is settled before decide(): kept documents that come after those considered so far
  /// make no difference.
  [[nodiscard]] virtual bool is_decided_early(Number document) const = 0;
  /// Whether a document that was decided is kept.
  [[nodiscard]] virtual bool is_kept(Number document) const = 0;
};

/// Whether documents are decided one by one in their order, or by several threads as if in their order.
enum class decision_order { strict, any };

/// Decides about documents, in their order, which of those kept before takes each of them.
///
/// Searching an index of what is kept for one document after the other would give the same result, but far more slowly:
/// at the distances of everyday similarities a search costs hardly less than a scan. Here one join finds the pairs of
/// documents and those that are kept, and another one the pairs among documents. Where that finds too many candidates,
/// as in a crowd of documents that are all alike, the first half is decided before the second one is joined with what
/// was kept of it.
template <std::size_t Words, class Number>
class sequential_decider {
 public:
  using words_type = std::array<std::uint64_t, Words>;
  using documents_type = chosen_words<Words, Number>;

  /// Joins fingerprints of `bits` bits within k bits, and remembers at most `max_candidates` at a time. It joins by the
  /// features that documents share, if features are given and that costs less.
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

  /// Considers the first `kept` documents for each of the others, without deciding.
  void consider_kept(const documents_type& both, std::size_t kept) {
    if (kept == 0 || kept == both.size()) return;
    if (both.size() - kept <= max_scanned) {
      scan_kept(both, kept);
    } else {
      join_with_kept(both, kept);
    }
  }

 private:
  // Comparing so few with everything kept costs less than moving what is kept into buckets.
  static constexpr std::size_t max_scanned = 256;

  /// A later document and an earlier one, by their positions in what is joined.
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
               [&](std::size_t document, std::size_t other, int distance) {
                 consider(both.number(begin + other), both.number(kept + document), distance);
                 return true;
               });
    }
  }

  void join_with_kept(const documents_type& both, std::size_t kept) {
    const auto number = [&](Number position) { return both.number(static_cast<std::size_t>(position)); };
    std::vector<std::vector<candidate>> found(parts_of(both));
    const std::size_t room = max_candidates_ / 4 / found.size();  // considering some of them earlier costs nothing
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

  /// Calls `take` as visit_distinct_pairs() does, for all pairs that may belong together. If `kept` is not 0, these are
  /// pairs of a kept document and another. A pair may come several times.
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

  /// Sorts the candidates and removes repetitions, piece by piece, since sorting takes as much memory again.
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

  /// Decides about documents for which everything kept before them has been considered.
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

  /// The same with a single join. Returns: false if there are too many candidates; then nothing was decided.
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

  /// All parts take documents in their order. A part that meets a candidate which is not decided yet waits for it. So
  /// exactly the candidates that one thread would consider are considered.
  void decide_in_order(const documents_type& documents, const candidate_collector<Number>& candidates) {
    std::vector<std::atomic<fate>> fates(documents.size());
    constexpr std::size_t step = candidate_collector<Number>::block;
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
    // Steps are taken in order, so a document that is waited for belongs to a part that is running, and the first
    // document never waits.
    in_steps(run_, parts, documents.size(), step, [&](std::size_t /*part*/, std::size_t first, std::size_t last) {
      undo give_up{[&] {
        // Nobody may wait for ever for a document that a failure leaves undecided.
        for (std::size_t i = first; i < last; ++i) {
          if (fates[i].load(std::memory_order_relaxed) != fate::undecided) continue;
          fates[i].store(fate::dropped, std::memory_order_release);
          fates[i].notify_all();
        }
      }};
      decide_from(first, last);
      give_up.is_due = false;
      return true;
    });
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
