// The index in memory. It starts empty, and is given all documents of the mapping.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <neardup/guarded.hpp>
#include <neardup/index.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "stores.hpp"

namespace docid {

/// The additions of the current transaction and of recent commits are in parts of their own, which are searched by a
/// plain scan, for two reasons: adding them to the main index makes searches wait, so it is done for many at once; and
/// early searches for a transaction run before all previous commits are there.
class memory_index final : public fingerprint_index {
  using index_type = neardup::pigeonhole_index<64, neardup::dynamic_layout>;
  using entry = std::pair<fingerprint, doc_number>;

  struct committed {
    explicit committed(int distance) : index(distance) {}
    index_type index;
    std::uint64_t commits = 0;  // the number of commits that the index contains, counted from the first
  };
  struct found_part {
    index_type::batch_type found;
    std::uint64_t commits = 0;  // the number of commits that it had seen
  };
  struct found_early final : early_results {
    std::vector<found_part> parts;
    std::vector<std::size_t> places;  // for each query: the position of its result, counted through all parts
  };

 public:
  explicit memory_index(int distance) : distance_(distance), committed_(distance) {}

  std::uint64_t known() override { return known_; }

  void search_early(query_group& queries) const override {
    // Smaller groups are searched later, together with the queries of other requests.
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

  void confirm() override {}

  std::vector<candidate> near(std::size_t number) override {
    std::vector<candidate> result;
    const auto& [print, part, place] = queries_[number];
    if (part == nullptr) return result;
    const auto add = [&](const auto& match) {
      const entry one{match.fingerprint, match.id};
      if (erased_.empty() || std::find(erased_.begin(), erased_.end(), one) == erased_.end())
        result.push_back({match.id, match.distance});
    };
    for (const auto& match : part->found[place]) add(match);
    const std::size_t old = result.size();
    for (std::size_t i = unknown_to(*part); i < recent_.size(); ++i) recent_[i].for_each_match(*print, distance_, add);
    added_.for_each_match(*print, distance_, add);
    if (result.size() > old) {
      std::sort(result.begin(), result.end(), [](const candidate& a, const candidate& b) {
        return a.distance != b.distance ? a.distance < b.distance : a.document < b.document;
      });
    }
    return result;
  }

  void insert(const fingerprint& print, doc_number document) override {
    if (std::erase(erased_, entry{print, document}) == 0) added_.insert(print, document);
  }
  void erase(const fingerprint& print, doc_number document) override {
    if (!added_.erase(print, document)) erased_.emplace_back(print, document);
  }

  void commit(std::uint64_t known) override {
    for (const entry& gone : erased_) {
      for (auto& part : recent_) part.erase(gone.first, gone.second);
      committed_.write([&](committed& all) { all.index.erase(gone.first, gone.second); });
    }
    erased_.clear();
    recent_.emplace_back();
    std::swap(recent_.back(), added_);
    ++commits_;
    known_ = known;
    waiting_ += recent_.back().size();
    if (waiting_ >= max_waiting) take_recent();
  }

  void rollback() noexcept override {
    added_.clear();
    erased_.clear();
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static constexpr std::size_t together = 250;      // queries of one part; take_recent() may have to wait for them
  static constexpr std::size_t max_waiting = 8000;  // documents; scanning so many takes a few microseconds

  /// Searches in parts of `together` queries. `places` gets for each query the position of its result, or `none`
  /// without a fingerprint.
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
        return found_part{known.index.search_batch(some, distance_), known.commits};
      }));
      rest = rest.subspan(some.size());
    }
    return parts;
  }

  /// Whether a group's early results together with the recent commits are complete.
  [[nodiscard]] bool is_recent(const query_group& group) const {
    const auto* const early = static_cast<const found_early*>(group.early.get());
    return early != nullptr && (early->parts.empty() || commits_ - early->parts.front().commits <= recent_.size());
  }

  /// Index of the first recent commit that a search has not seen. Precondition: earlier commits are in the index.
  [[nodiscard]] std::size_t unknown_to(const found_part& part) const {
    return recent_.size() - static_cast<std::size_t>(commits_ - part.commits);
  }

  /// Adds the recent commits to the main index. Their list is kept until the next call, because early searches may
  /// predate the addition.
  void take_recent() {
    committed_.write([&](committed& all) {
      const std::size_t old = recent_.size() - static_cast<std::size_t>(commits_ - all.commits);
      for (std::size_t i = old; i < recent_.size(); ++i) {
        for (const auto& [print, document] : recent_[i]) all.index.insert(print, document);
      }
      recent_.erase(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(old));
      all.commits = commits_;
    });
    waiting_ = 0;
  }

  struct query {
    std::optional<fingerprint> print;
    const found_part* part;  // null for a query without a fingerprint
    std::size_t place;
  };

  int distance_;
  neardup::guarded<committed> committed_;
  std::uint64_t known_ = 0;
  std::uint64_t commits_ = 0;
  std::deque<neardup::flat_index<64>> recent_;  // the additions of the last commits, the latest at the end
  std::size_t waiting_ = 0;                     // documents not yet in the main index
  neardup::flat_index<64> added_;
  std::vector<entry> erased_;
  std::vector<query> queries_;
  std::vector<found_part> late_;
  std::vector<std::size_t> late_places_;
};

}  // namespace docid
