// The index in memory. When the service starts, all documents of the mapping are added to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <neardup/guarded.hpp>
#include <neardup/index.hpp>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "stores.hpp"

namespace docid {

/// An index in memory. It consists of a main index, and of small indexes with the additions of the current transaction
/// and of recent commits. near() scans the small indexes. They have two purposes:
/// - Adding to the main index blocks searches. So documents wait in a small index until many can be added at once.
/// - search_early() runs before the transaction that uses its results, so it misses documents that are committed in
///   between. near() finds these documents in the small indexes.
/// The number of small indexes does not depend on the number of commits: each commit adds its documents to `waiting_`.
class memory_index final : public fingerprint_index {
  using index_type = neardup::pigeonhole_index<64, neardup::dynamic_layout>;
  using entry = std::pair<fingerprint, doc_number>;

  struct committed {
    explicit committed(int distance) : index(distance) {}
    index_type index;
    std::uint64_t rounds = 0;  // number of calls of take_waiting() that the index has seen
  };
  struct found_part {
    index_type::batch_type found;
    std::uint64_t rounds = 0;  // `rounds` of the index when it was searched
  };
  struct found_early final : early_results {
    std::vector<found_part> parts;
    std::vector<std::size_t> places;  // by query: the position of its result, counted through all parts
  };

 public:
  /// Makes an empty index. When `max_waiting` committed documents wait, they are added to the main index. Scanning the
  /// default number takes a few microseconds.
  explicit memory_index(int distance, std::size_t max_waiting = 8000)
      : distance_(distance), max_waiting_(max_waiting), committed_(distance) {}

  std::uint64_t known() override { return known_; }

  void search_early(query_group& queries) const override {
    // Smaller groups are left to prepare(), which searches for several groups at once.
    constexpr std::size_t worth_while = 32;
    if (queries.prints.size() < worth_while) return;
    auto result = std::make_unique<found_early>();
    result->parts = search(queries.prints, result->places);
    queries.early = std::move(result);
  }

  void prepare(std::span<const query_group* const> groups) override {
    queries_.clear();
    late_places_.clear();
    std::vector<std::optional<fingerprint>> late;
    for (const query_group* const group : groups) {
      if (!is_recent(*group)) late.insert(late.end(), group->prints.begin(), group->prints.end());
    }
    late_ = search(late, late_places_);
    std::size_t next = 0;
    for (const query_group* const group : groups) {
      const bool is_early = is_recent(*group);
      const auto* const early = static_cast<const found_early*>(group->early.get());
      for (std::size_t i = 0; i < group->prints.size(); ++i) {
        const std::size_t place = is_early ? early->places[i] : late_places_[next++];
        const auto& parts = is_early ? early->parts : late_;
        queries_.push_back({group->prints[i], place == none ? nullptr : &parts[place / together], place % together});
      }
    }
  }

  std::vector<candidate> near(std::size_t number) override {
    std::vector<candidate> result;
    const auto& [print, part, place] = queries_[number];
    if (part == nullptr) return result;
    const auto add = [&](const auto& match) {
      if (erased_.empty() || !erased_.contains(entry{match.fingerprint, match.id}))
        result.push_back({match.id, match.distance});
    };
    for (const auto& match : part->found[place]) add(match);
    const std::size_t old = result.size();
    if (part->rounds < rounds_) taken_.for_each_match(*print, distance_, add);
    waiting_.for_each_match(*print, distance_, add);
    added_.for_each_match(*print, distance_, add);
    if (result.size() > old) {
      std::sort(result.begin(), result.end(), [](const candidate& a, const candidate& b) {
        return a.distance != b.distance ? a.distance < b.distance : a.document < b.document;
      });
    }
    return result;
  }

  void insert(const fingerprint& print, doc_number document) override {
    if (erased_.erase(entry{print, document}) == 0) added_.insert(print, document);
  }
  void erase(const fingerprint& print, doc_number document) override {
    if (!added_.erase(print, document)) erased_.emplace(print, document);
  }

  void commit(std::uint64_t known) override {
    if (!erased_.empty()) {
      for (const auto& [print, document] : erased_) {
        taken_.erase(print, document);
        waiting_.erase(print, document);
      }
      committed_.write([&](committed& all) {
        for (const auto& [print, document] : erased_) all.index.erase(print, document);
      });
      erased_.clear();
    }
    if (added_.size() > waiting_.size()) waiting_.swap(added_);
    for (const auto& [print, document] : added_) waiting_.insert(print, document);
    added_.clear();
    known_ = known;
    if (waiting_.size() >= max_waiting_) take_waiting();
  }

  void rollback() noexcept override {
    added_.clear();
    erased_.clear();
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static constexpr std::size_t together = 250;  // queries of one part, for which take_waiting() may have to wait

  /// Searches for `together` queries at a time. `places` gets the position of the result of each query, or `none` for a
  /// query without a fingerprint.
  std::vector<found_part> search(std::span<const std::optional<fingerprint>> queries,
                                 std::vector<std::size_t>& places) const {
    std::vector<fingerprint> all;
    for (const auto& print : queries) {
      places.push_back(print ? all.size() : none);
      if (print) all.push_back(*print);
    }
    std::vector<found_part> parts;
    for (std::span<const fingerprint> rest(all); !rest.empty();) {
      const auto some = rest.first(std::min(rest.size(), together));
      parts.push_back(committed_.read([&](const committed& known) {
        return found_part{known.index.search_batch(some, distance_), known.rounds};
      }));
      rest = rest.subspan(some.size());
    }
    return parts;
  }

  /// Returns true if the early results of `group` and a scan of the small indexes together find all matches.
  [[nodiscard]] bool is_recent(const query_group& group) const {
    const auto* const early = static_cast<const found_early*>(group.early.get());
    return early != nullptr && (early->parts.empty() || rounds_ - early->parts.front().rounds <= 1);
  }

  /// Adds the waiting documents to the main index. They stay in `taken_` until the next call, because early searches
  /// may predate the addition.
  void take_waiting() {
    committed_.write([&](committed& all) {
      for (const auto& [print, document] : waiting_) all.index.insert(print, document);
      all.rounds = ++rounds_;
    });
    taken_.swap(waiting_);
    waiting_.clear();
  }

  struct query {
    std::optional<fingerprint> print;
    const found_part* part;  // null for a query without a fingerprint
    std::size_t place;
  };

  int distance_;
  std::size_t max_waiting_;
  neardup::guarded<committed> committed_;
  std::uint64_t known_ = 0;
  std::uint64_t rounds_ = 0;         // number of calls of take_waiting()
  neardup::flat_index<64> taken_;    // additions that the last take_waiting() moved to the main index
  neardup::flat_index<64> waiting_;  // additions that were committed since
  neardup::flat_index<64> added_;    // additions of the current transaction
  std::set<entry> erased_;           // pairs that the current transaction erases
  std::vector<query> queries_;
  std::vector<found_part> late_;
  std::vector<std::size_t> late_places_;
};

}  // namespace docid
