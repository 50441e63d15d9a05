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

#include "../../detail/filter_join.hpp"
#include "../../runner.hpp"
#include "../join_options.hpp"
#include "in_steps.hpp"
#include "join_input.hpp"
#include "near_pairs.hpp"
#include "self_join.hpp"

namespace neardup::inline v0::detail {

/// Documents by their fingerprints, and the ascending numbers by which they are known.
template <std::size_t Words, class Number>
struct document_list {
  std::vector<std::array<std::uint64_t, Words>> fingerprints;
  std::vector<Number> numbers;

  void reserve(std::size_t count) {
    fingerprints.reserve(count);
    numbers.reserve(count);
  }
  void add(const std::array<std::uint64_t, Words>& fingerprint, Number number) {
    fingerprints.push_back(fingerprint);
    numbers.push_back(number);
  }
};

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
/// each other in another. Where that finds too many candidates, as in a crowd of documents that are all alike, the first
/// half is decided before the second one is joined with what was kept of it.
template <std::size_t Words, class Number>
class ordered_join {
 public:
  using words_type = std::array<std::uint64_t, Words>;
  using list_type = document_list<Words, Number>;

  /// Joins fingerprints of `bits` bits within k bits; remembers about `max_candidates` at a time, 24 bytes each.
  ordered_join(std::size_t bits, int k, int blocks, std::size_t max_candidates, const any_runner& run,
               decision_order order, decisions<Number>& rule)
      : bits_(bits),
        k_(k),
        blocks_(blocks),
        max_candidates_((std::max)(max_candidates, std::size_t{1} << 16)),
        run_(run),
        order_(order),
        rule_(rule) {}

  /// Decides about `documents`, all of which stand behind all of `kept`.
  void decide(const list_type& kept, const list_type& documents) {
    if (kept.numbers.empty()) return settle(view(documents));
    meet(view(kept), view(documents));
    list_type open;
    for (std::size_t i = 0; i < documents.numbers.size(); ++i) {
      if (!rule_.is_decided_early(documents.numbers[i])) open.add(documents.fingerprints[i], documents.numbers[i]);
    }
    settle(view(open));
  }

  /// Considers everything kept for each of `documents`, and decides nothing.
  void consider_kept(const list_type& kept, const list_type& documents) { meet(view(kept), view(documents)); }

 private:
  struct view {
    std::span<const words_type> fingerprints;
    std::span<const Number> numbers;

    view(std::span<const words_type> f, std::span<const Number> n) : fingerprints(f), numbers(n) {}
    explicit view(const list_type& list) : fingerprints(list.fingerprints), numbers(list.numbers) {}

    [[nodiscard]] std::size_t size() const noexcept { return numbers.size(); }
    [[nodiscard]] view part(std::size_t first, std::size_t count) const noexcept {
      return {fingerprints.subspan(first, count), numbers.subspan(first, count)};
    }
  };

  // To compare so few with everything kept costs less than to move what is kept into buckets.
  static constexpr std::size_t max_scanned = 256;

  /// A later document and an earlier one, by their places in what is joined.
  using candidate = near_pair<Number>;

  /// Considers everything kept for each of the documents.
  void meet(const view& kept, const view& documents) {
    if (kept.size() == 0 || documents.size() == 0) return;
    if (documents.size() <= max_scanned) {
      scan_all(kept.fingerprints, documents.fingerprints, k_,
               [&](std::size_t document, std::size_t place, int distance) {
                 consider(kept.numbers[place], documents.numbers[document], distance);
                 return true;
               });
      return;
    }
    join_of_two<Words, Number> both(fingerprint_words<Words>(kept.fingerprints),
                                    fingerprint_words<Words>(documents.fingerprints), bits_, k_,
                                    {.blocks = blocks_, .run = run_});
    self_join<Words, Number>& join = both.join();
    const auto number = [&](Number place) {
      return place < kept.size() ? kept.numbers[place] : documents.numbers[place - kept.size()];
    };
    std::vector<std::vector<candidate>> found(join.parts(run_));
    const std::size_t room = max_candidates_ / found.size();
    visit_distinct_pairs<Words, Number>(join, run_, [&](std::size_t part, std::span<const candidate> pairs) {
      std::vector<candidate>& own = found[part];
      for (const candidate& c : pairs) own.push_back({c.second, c.first, c.distance});
      if (own.size() >= room) {
        sort_pairs(own, both.size(), {});
        for (const candidate& c : own) consider(number(c.second), number(c.first), c.distance);
        own.clear();
      }
      return true;
    });
    join.release();
    std::vector<candidate> rest = gathered(found);
    sort_pairs(rest, both.size(), run_);
    // All of one document by the same part, so that none is considered after the one that takes it.
    in_steps(run_, parts_for(run_, rest.size(), 64), rest.size(), 256,
             [&](std::size_t /*part*/, std::size_t first, std::size_t last) {
               const auto is_inside = [&](std::size_t i) { return i > 0 && rest[i].first == rest[i - 1].first; };
               while (first < last && is_inside(first)) ++first;
               if (first == last) return true;
               for (; first < last || (first < rest.size() && is_inside(first)); ++first) {
                 consider(number(rest[first].second), number(rest[first].first), rest[first].distance);
               }
               return true;
             });
  }

  void consider(Number kept, Number document, int distance) {
    if (rule_.may_take(kept, document)) rule_.consider(kept, document, distance);
  }

  static std::vector<candidate> gathered(std::vector<std::vector<candidate>>& found) {
    std::vector<candidate> all = std::move(found.front());
    for (std::size_t part = 1; part < found.size(); ++part) {
      all.insert(all.end(), found[part].begin(), found[part].end());
      found[part] = {};
    }
    return all;
  }

  /// Decides about documents that have met everything kept before all of them.
  void settle(const view& documents) {
    if (documents.size() == 0 || settle_at_once(documents)) return;
    const std::size_t half = documents.size() / 2;
    settle(documents.part(0, half));
    list_type kept, open;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const Number number = documents.numbers[i];
      if (i < half && rule_.is_kept(number)) kept.add(documents.fingerprints[i], number);
      if (i >= half && !rule_.is_decided_early(number)) open.add(documents.fingerprints[i], number);
    }
    decide(kept, open);
  }

  /// The same by one join. Returns: false if there are too many candidates; then nothing was decided.
  bool settle_at_once(const view& documents) {
    std::vector<candidate> candidates;
    {
      self_join<Words, Number> join(fingerprint_words<Words>(documents.fingerprints), bits_, k_, blocks_, run_,
                                    copies_as::others);
      std::vector<std::vector<candidate>> found(join.parts(run_));
      std::atomic<std::size_t> count = 0;
      visit_distinct_pairs<Words, Number>(join, run_, [&](std::size_t part, std::span<const candidate> pairs) {
        for (const candidate& c : pairs) found[part].push_back({c.second, c.first, c.distance});
        return count.fetch_add(pairs.size(), std::memory_order_relaxed) + pairs.size() <= max_candidates_;
      });
      if (count.load(std::memory_order_relaxed) > max_candidates_) return false;
      candidates = gathered(found);
    }
    sort_pairs(candidates, documents.size(), run_);
    decide_in_order(documents, candidates);
    return true;
  }

  enum class fate : unsigned char { undecided, kept, dropped };

  /// Documents are taken in order, by all parts; where a candidate is not decided yet, it is waited for. So exactly what
  /// one thread would consider is considered.
  void decide_in_order(const view& documents, std::span<const candidate> candidates) {
    std::vector<std::atomic<fate>> fates(documents.size());
    constexpr std::size_t step = 64;
    std::atomic<bool> failed = false;
    first_failure failure;
    std::atomic<std::size_t> next = 0;
    const auto decide_from = [&](std::size_t first, std::size_t last) {
      auto c = std::partition_point(candidates.begin(), candidates.end(),
                                    [&](const candidate& pair) { return pair.first < first; });
      for (std::size_t i = first; i < last; ++i) {
        const Number document = documents.numbers[i];
        for (; c != candidates.end() && c->first == i; ++c) {
          const Number before = documents.numbers[c->second];
          if (!rule_.may_take(before, document)) continue;
          std::atomic<fate>& other = fates[c->second];
          other.wait(fate::undecided, std::memory_order_acquire);
          if (other.load(std::memory_order_acquire) == fate::kept) rule_.consider(before, document, c->distance);
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
};

}  // namespace neardup::inline v0::detail
