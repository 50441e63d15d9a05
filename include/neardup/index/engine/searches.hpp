// SPDX-License-Identifier: MIT
// The searches of all indexes, written once for all engines: sorted matches, the nearest match, and batches.
//
// An engine has a store of distinct fingerprints in slots, with their ids. Its members are store(), max_distance(),
// default_distance(); visit_within(query, k, slot_visitor), which visits (slot, distance) once for each fingerprint
// within k bits; visit_batch(queries, k, batch_visitor), which visits (query, slot, distance); and
// count_compared(query, k), which returns how many fingerprints visit_within compares. A visit ends when the visitor
// returns false.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/visits.hpp"
#include "../../runner.hpp"
#include "../../simhash.hpp"
#include "../match.hpp"

namespace neardup::inline v0::detail {

/// A reference to a callable bool(Arguments...). The callable receives each result of a search, and returns false to
/// end the search. Searches take callables only as this type, so that a search is instantiated once.
template <class... Arguments>
class visitor {
 public:
  template <class Visit>
  visitor(const Visit& visit) noexcept  // NOLINT(google-explicit-constructor): any callable converts to it
      : visit_(&visit), call_(call<Visit>) {}

  bool operator()(Arguments... arguments) const { return call_(visit_, arguments...); }

 private:
  template <class Visit>
  static bool call(const void* visit, Arguments... arguments) {
    return (*static_cast<const Visit*>(visit))(arguments...);
  }

  const void* visit_;
  bool (*call_)(const void*, Arguments...);
};

using slot_visitor = visitor<std::size_t, int>;                // (slot, distance)
using batch_visitor = visitor<std::size_t, std::size_t, int>;  // (query, slot, distance)

template <class Engine, class Fingerprint>
using match_of = match<Fingerprint::bits, typename Engine::id_type, Fingerprint>;

template <class Engine>
void check_search(const Engine& engine, int k) {
  if (k < 0 || k > engine.max_distance()) refuse_distance(k, engine.max_distance());
}

/// Calls `visit(match)` for each stored pair within k bits of the query, until `visit` returns false.
template <class Fingerprint, class Engine, class Visit>
void visit_matches(const Engine& engine, const Fingerprint& query, int k, Visit& visit) {
  check_search(engine, k);
  engine.visit_within(query.to_words(), k, [&](std::size_t slot, int distance) {
    const Fingerprint stored(engine.store().fingerprint(slot));
    for (const auto& id : engine.store().ids(slot)) {
      if (!visit_goes_on(visit, match_of<Engine, Fingerprint>{id, distance, stored})) return false;
    }
    return true;
  });
}

/// Returns all matches of a query, sorted.
template <class Fingerprint, class Engine>
[[nodiscard]] auto search(const Engine& engine, const Fingerprint& query, int k) {
  std::vector<match_of<Engine, Fingerprint>> matches;
  const auto append = [&](const auto& found) { matches.push_back(found); };
  visit_matches(engine, query, k, append);
  std::sort(matches.begin(), matches.end());
  return matches;
}

/// Returns true if the query has a match.
template <class Fingerprint, class Engine>
[[nodiscard]] bool any_within(const Engine& engine, const Fingerprint& query, int k) {
  check_search(engine, k);
  return !engine.visit_within(query.to_words(), k, [](std::size_t, int) { return false; });
}

/// Returns the first element of the result of search(), or nullopt if there is no match.
template <class Fingerprint, class Engine>
[[nodiscard]] auto nearest(const Engine& engine, const Fingerprint& query, int k) {
  using match_type = match_of<Engine, Fingerprint>;
  check_search(engine, k);
  std::optional<match_type> best;
  engine.visit_within(query.to_words(), k, [&](std::size_t slot, int distance) {
    if (best && distance > best->distance) return true;
    const match_type candidate{engine.store().ids(slot).front(), distance,
                               Fingerprint(engine.store().fingerprint(slot))};
    if (!best || candidate < *best) best = candidate;
    return true;
  });
  return best;
}

/// Returns how many stored fingerprints a search compares with the query.
template <class Fingerprint, class Engine>
[[nodiscard]] std::size_t count_compared(const Engine& engine, const Fingerprint& query, int k) {
  check_search(engine, k);
  return engine.count_compared(query.to_words(), k);
}

/// Searches for `queries`, a limited number at a time. Appends the matches to `result`.
template <class Fingerprint, class Engine>
void append_batch(const Engine& engine, std::span<const Fingerprint> queries, int k,
                  match_batch<match_of<Engine, Fingerprint>>& result) {
  using match_type = match_of<Engine, Fingerprint>;
  // With more queries at a time a batch is faster, but many long fingerprints would take much of the stack.
  constexpr std::size_t block = (std::max)(std::size_t{256}, std::size_t{1024} / words_for(Fingerprint::bits));
  result.offsets.reserve(queries.size() + 1);
  result.offsets.push_back(0);
  std::array<typename Fingerprint::words_type, block> words;
  std::vector<std::pair<std::size_t, match_type>> found;
  std::array<std::size_t, block> next;  // next[query]: number of matches; then the index of the query's next match
  const auto append = [&](std::size_t query, std::size_t slot, int distance) {
    const Fingerprint stored(engine.store().fingerprint(slot));
    for (const auto& id : engine.store().ids(slot)) {
      found.emplace_back(query, match_type{id, distance, stored});
      ++next[query];
    }
    return true;
  };
  for (std::size_t begin = 0; begin < queries.size(); begin += block) {
    const std::size_t count = (std::min)(block, queries.size() - begin);
    for (std::size_t i = 0; i < count; ++i) words[i] = queries[begin + i].to_words();
    found.clear();
    next.fill(0);
    engine.visit_batch({words.data(), count}, k, append);
    std::size_t end = result.matches.size();
    result.matches.resize(end + found.size());
    for (std::size_t i = 0; i < count; ++i) {
      end += next[i];
      result.offsets.push_back(end);
      next[i] = end - next[i];
    }
    for (const auto& [query, match] : found) result.matches[next[query]++] = match;
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = [&](std::size_t of) {
        return result.matches.begin() + static_cast<std::ptrdiff_t>(result.offsets[of]);
      };
      if (at(begin + i + 1) - at(begin + i) > 1) std::sort(at(begin + i), at(begin + i + 1));
    }
  }
}

/// Returns the matches of each query.
template <class Fingerprint, class Engine>
[[nodiscard]] auto search_batch(const Engine& engine, std::span<const Fingerprint> queries, int k,
                                const any_runner& run) {
  constexpr std::size_t min_queries = 256;  // fewer queries are not worth a thread
  check_search(engine, k);
  const std::size_t parts = (std::min)(run.parts(), queries.size() / min_queries + 1);
  std::vector<match_batch<match_of<Engine, Fingerprint>>> results(parts);
  first_failure failure;
  run(parts, [&](std::size_t part) {
    const std::size_t begin = queries.size() * part / parts, end = queries.size() * (part + 1) / parts;
    failure.guard(part, [&] { append_batch(engine, queries.subspan(begin, end - begin), k, results[part]); });
  });
  failure.rethrow();
  auto result = std::move(results.front());
  std::size_t matches = 0;
  for (const auto& part : results) matches += part.matches.size();
  result.matches.reserve(matches + result.matches.size());
  result.offsets.reserve(queries.size() + 1);
  for (std::size_t i = 1; i < parts; ++i) {
    const std::size_t before = result.matches.size();
    result.matches.insert(result.matches.end(), results[i].matches.begin(), results[i].matches.end());
    for (std::size_t j = 1; j < results[i].offsets.size(); ++j) {
      result.offsets.push_back(before + results[i].offsets[j]);
    }
    results[i] = {};
  }
  return result;
}

/// Returns true if the store has the pair of a fingerprint and an id.
template <class Store, class Words, class Id>
[[nodiscard]] bool contains(const Store& store, const Words& fingerprint, const Id& id) noexcept {
  const auto slot = store.find(fingerprint);
  return slot != Store::none && store.has_id(slot, id);
}

/// Returns true if two stores have the same pairs.
template <class Store>
[[nodiscard]] bool same_pairs(const Store& a, const Store& b) {
  if (a.pairs() != b.pairs() || a.slots() != b.slots()) return false;
  for (std::size_t slot = 0; slot < a.slots(); ++slot) {
    const auto other = b.find(a.fingerprint(slot));
    if (other == Store::none) return false;
    const auto ids = a.ids(slot), others = b.ids(other);
    if (ids.size() != others.size()) return false;
    auto id = ids.begin();
    for (const auto& same : others) {
      if (!(*id == same)) return false;
      ++id;
    }
  }
  return true;
}

/// A constant forward iterator over the pairs of a store. Dereferencing returns an entry by value. The order of the
/// pairs is unspecified, but the ids of one fingerprint are neighbours, and ascend. Any change of the index invalidates
/// the iterator.
template <class Fingerprint, class Id, class Store>
class entry_iterator {
 public:
  using value_type = entry<Fingerprint::bits, Id, Fingerprint>;
  using reference = value_type;
  using pointer = void;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::forward_iterator_tag;
  using iterator_category = std::input_iterator_tag;  // a forward iterator of C++17 returns references

  entry_iterator() = default;
  entry_iterator(const Store& store, std::size_t slot) noexcept : store_(&store), slot_(slot) { start_slot(); }

  [[nodiscard]] value_type operator*() const { return {Fingerprint(store_->fingerprint(slot_)), *id_}; }
  entry_iterator& operator++() noexcept {
    if (++id_ == end_of_ids_) {
      ++slot_;
      start_slot();
    }
    return *this;
  }
  entry_iterator operator++(int) noexcept {
    entry_iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const entry_iterator& a, const entry_iterator& b) noexcept = default;

 private:
  using id_iterator = decltype(std::declval<const Store&>().ids(0).begin());

  void start_slot() noexcept {
    id_ = end_of_ids_ = {};
    if (slot_ >= store_->slots()) return;
    const auto ids = store_->ids(slot_);
    id_ = ids.begin();
    end_of_ids_ = ids.end();
  }

  const Store* store_ = nullptr;
  std::size_t slot_ = 0;
  id_iterator id_{}, end_of_ids_{};
};

}  // namespace neardup::inline v0::detail
