// The searches that all indexes share.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../detail/first_failure.hpp"
#include "../../detail/visitor.hpp"
#include "../../simhash.hpp"
#include "../../threads.hpp"
#include "entry_iterator.hpp"
#include "../layout.hpp"
#include "../match.hpp"

namespace neardup::inline v0 {

/// A set of (fingerprint, id) pairs that answers "which stored fingerprints differ from this one in at most k bits?".
///
/// Not used by this name: it is what all indexes have in common.
/// Searches are exact and inclusive (distance <= k), and each match comes once. In every search, k outside of
/// 0..max_distance() throws std::invalid_argument; without k it is default_distance().
/// Guarantee: const members may run in many threads while nobody writes; what throws leaves the index unchanged.
template <std::size_t Bits, class Id, class Engine>
class searchable {
  static_assert(std::is_trivially_copyable_v<Id>,
                "neardup: an Id must be trivially copyable: a number or a small struct, not a string; give documents "
                "numbers and keep their names in a vector");
  static_assert(std::regular<Id>,
                "neardup: an Id must be regular: default-constructible, copyable and comparable by ==");
  static_assert(std::totally_ordered<Id>,
                "neardup: an Id must be ordered: write `auto operator<=>(const id&) const = default;` into it");
  static_assert(!std::floating_point<Id>, "neardup: an Id must not be a floating-point number, NaN has no order");

 public:
  static constexpr std::size_t bits = Bits;
  using fingerprint_type = simhash<Bits>;
  using id_type = Id;
  using value_type = entry<Bits, Id>;
  using match_type = neardup::match<Bits, Id>;
  using batch_type = batch_result<Bits, Id>;
  using const_iterator = detail::entry_iterator<Bits, Id, typename Engine::store_type>;
  using iterator = const_iterator;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;

  /// Whether the pair is stored.
  [[nodiscard]] bool contains(const fingerprint_type& fingerprint, const Id& id) const noexcept {
    const auto slot = store().find(fingerprint.to_words());
    return slot != store().none && store().ids(slot).contains(id);
  }

  /// Whether the fingerprint is stored under any id.
  [[nodiscard]] bool contains(const fingerprint_type& fingerprint) const noexcept {
    return store().find(fingerprint.to_words()) != store().none;
  }

  /// All pairs within k bits, by distance, then id, then fingerprint.
  [[nodiscard]] std::vector<match_type> search(const fingerprint_type& query, int k) const {
    std::vector<match_type> matches;
    append_matches(query, k, matches);
    return matches;
  }
  [[nodiscard]] std::vector<match_type> search(const fingerprint_type& query) const {
    return search(query, default_distance());
  }

  /// The matches of each query in turn, as search() gives them: many at a time, so that their waits for memory overlap.
  ///
  /// `run` is how the work is spread: `threads{8}`, or a runner of the caller's (see threads); without it, the caller's
  /// thread does it all. The result does not depend on it.
  template <runner Run = threads>
  [[nodiscard]] batch_type search_batch(std::span<const fingerprint_type> queries, int k,
                                        const Run& run = Run{1}) const {
    check(k);
    const std::size_t wanted = (std::max)(std::size_t{1}, static_cast<std::size_t>(run.parts()));
    const std::size_t parts = (std::min)(wanted, queries.size() / least_queries + 1);
    if (parts == 1) {
      batch_type result;
      append_batch(queries, k, result);
      return result;
    }
    std::vector<batch_type> results(parts);
    detail::first_failure failure;
    run(parts, [&](std::size_t part) {
      const std::size_t begin = queries.size() * part / parts, end = queries.size() * (part + 1) / parts;
      failure.guard(part, [&] { append_batch(queries.subspan(begin, end - begin), k, results[part]); });
    });
    failure.rethrow();
    return joined(results);
  }
  [[nodiscard]] batch_type search_batch(std::span<const fingerprint_type> queries) const {
    return search_batch(queries, default_distance());
  }

  /// Calls `visit(match)` for each pair within k bits, once each, in no particular order.
  /// A visitor that returns false ends the visit. What it throws passes through. It must not change the index.
  /// Allocates nothing.
  template <class Visit>
    requires std::invocable<Visit&, match_type>
  void for_each_match(const fingerprint_type& query, int k, Visit&& visit) const {
    check(k);
    engine_.visit_within({&query.to_words(), 1}, k, [&](std::size_t, std::size_t slot, int distance) {
      const fingerprint_type stored(store().fingerprint(slot));
      const id_list ids = store().ids(slot);
      for (typename id_list::cursor id(ids); !id.done(); ++id) {
        if (!detail::visit_goes_on(visit, match_type{*id, distance, stored})) return false;
      }
      return true;
    });
  }

  /// Whether any stored fingerprint is within k bits. Stops at the first.
  [[nodiscard]] bool any_within(const fingerprint_type& query, int k) const {
    check(k);
    return !engine_.visit_within({&query.to_words(), 1}, k, [](std::size_t, std::size_t, int) { return false; });
  }
  [[nodiscard]] bool any_within(const fingerprint_type& query) const { return any_within(query, default_distance()); }

  /// The first of search(): the closest pair within k bits, the smallest id among equally close ones.
  [[nodiscard]] std::optional<match_type> nearest(const fingerprint_type& query, int k) const {
    check(k);
    std::optional<match_type> best;
    engine_.visit_within({&query.to_words(), 1}, k, [&](std::size_t, std::size_t slot, int distance) {
      if (best && distance > best->distance) return true;
      const match_type candidate{store().ids(slot).smallest(), distance, fingerprint_type(store().fingerprint(slot))};
      if (!best || candidate < *best) best = candidate;
      return true;
    });
    return best;
  }
  [[nodiscard]] std::optional<match_type> nearest(const fingerprint_type& query) const {
    return nearest(query, default_distance());
  }

  /// The largest k that a search may have.
  [[nodiscard]] int max_distance() const noexcept { return engine_.max_distance(); }
  /// The k of a search that does not say.
  [[nodiscard]] int default_distance() const noexcept { return engine_.default_distance(); }

  /// The number of pairs.
  [[nodiscard]] std::size_t size() const noexcept { return store().pairs(); }
  /// The number of different fingerprints.
  [[nodiscard]] std::size_t distinct_size() const noexcept { return store().slots(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// Bytes that the index has allocated.
  [[nodiscard]] std::size_t memory_usage() const noexcept { return engine_.memory_usage(); }

  /// The pairs, in no particular order. A change of the index invalidates all iterators.
  [[nodiscard]] const_iterator begin() const noexcept { return const_iterator(store(), 0); }
  [[nodiscard]] const_iterator end() const noexcept { return const_iterator(store(), store().slots()); }

 protected:
  explicit searchable(Engine engine) noexcept : engine_(std::move(engine)) {}
  // Only whole indexes are copied or moved: a part of one would have lost its layout.
  searchable(const searchable&) = default;
  searchable(searchable&&) noexcept = default;
  searchable& operator=(const searchable&) = default;
  searchable& operator=(searchable&&) noexcept = default;
  ~searchable() = default;

  [[nodiscard]] const Engine& engine() const noexcept { return engine_; }
  [[nodiscard]] Engine& engine() noexcept { return engine_; }

 private:
  using words_type = typename fingerprint_type::words_type;
  using store_type = typename Engine::store_type;
  using id_list = typename store_type::id_list_type;

  const store_type& store() const noexcept { return engine_.store(); }

  void check(int k) const {
    if (k < 0 || k > max_distance()) detail::refuse_distance(k, max_distance());
  }

  void append_matches(const fingerprint_type& query, int k, std::vector<match_type>& matches) const {
    const auto first = static_cast<std::ptrdiff_t>(matches.size());
    for_each_match(query, k, [&](const match_type& found) { matches.push_back(found); });
    std::sort(matches.begin() + first, matches.end());
  }

  // Fewer are not worth a thread.
  static constexpr std::size_t least_queries = 256;

  // Appends the matches of `queries`, a few at a time.
  void append_batch(std::span<const fingerprint_type> queries, int k, batch_type& result) const {
    // A batch_search gains by many; of long fingerprints they would take much of the stack.
    constexpr std::size_t block = (std::max)(std::size_t{256}, std::size_t{1024} / detail::words_for(Bits));
    result.offsets.reserve(queries.size() + 1);
    result.offsets.push_back(0);
    std::array<words_type, block> words;
    std::vector<std::pair<std::size_t, match_type>> found;
    std::array<std::size_t, block> next;  // where the next match of each query goes
    for (std::size_t begin = 0; begin < queries.size(); begin += block) {
      const std::size_t count = (std::min)(block, queries.size() - begin);
      for (std::size_t i = 0; i < count; ++i) words[i] = queries[begin + i].to_words();
      found.clear();
      next.fill(0);
      engine_.visit_within({words.data(), count}, k, [&](std::size_t query, std::size_t slot, int distance) {
        const fingerprint_type stored(store().fingerprint(slot));
        const id_list ids = store().ids(slot);
        for (typename id_list::cursor id(ids); !id.done(); ++id) {
          found.emplace_back(query, match_type{*id, distance, stored});
          ++next[query];
        }
        return true;
      });
      std::size_t end = result.matches.size();
      result.matches.resize(end + found.size());
      for (std::size_t i = 0; i < count; ++i) {
        end += next[i];
        result.offsets.push_back(end);
        next[i] = end - next[i];
      }
      for (const auto& [query, match] : found) result.matches[next[query]++] = match;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t first = result.offsets[begin + i], last = result.offsets[begin + i + 1];
        if (last - first > 1) std::sort(result.matches.data() + first, result.matches.data() + last);
      }
    }
  }

  static batch_type joined(std::vector<batch_type>& parts) {
    batch_type result = std::move(parts.front());
    std::size_t matches = 0, offsets = 1;
    for (const batch_type& part : parts) matches += part.matches.size();
    for (const batch_type& part : parts) offsets += part.offsets.empty() ? 0 : part.offsets.size() - 1;
    result.matches.reserve(matches + result.matches.size());
    result.offsets.reserve(offsets + result.offsets.size());
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::size_t before = result.matches.size();
      result.matches.insert(result.matches.end(), parts[i].matches.begin(), parts[i].matches.end());
      for (std::size_t j = 1; j < parts[i].offsets.size(); ++j) result.offsets.push_back(before + parts[i].offsets[j]);
      parts[i] = {};
    }
    return result;
  }

  Engine engine_;
};

}  // namespace neardup::inline v0
