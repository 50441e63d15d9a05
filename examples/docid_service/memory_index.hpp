// The index in memory: at the start it knows nothing, and is given all that the mapping has.
#pragma once

#include <algorithm>
#include <neardup/index.hpp>
#include <neardup/threads.hpp>
#include <utility>

#include "stores.hpp"

namespace docid {

/// What a transaction adds is kept apart until it is committed, and searched by a plain scan.
class memory_index final : public fingerprint_index {
  using index_type = neardup::pigeonhole_index<64, neardup::dynamic_layout>;
  using entry = std::pair<fingerprint, doc_number>;

 public:
  memory_index(int distance, unsigned threads) : distance_(distance), threads_(threads), index_(distance) {}

  std::uint64_t known() override { return known_; }

  void prepare(std::span<const std::optional<fingerprint>> queries) override {
    queries_.clear();
    place_.clear();
    for (const auto& query : queries) {
      place_.push_back(query ? queries_.size() : none);
      if (query) queries_.push_back(*query);
    }
    // Below some hundred queries a thread costs more than it does.
    constexpr std::size_t worth_threads = 256;
    if (queries_.size() >= worth_threads) {
      found_ = index_.search_batch(queries_, distance_, neardup::threads{threads_});
    } else {
      found_ = index_.search_batch(queries_, distance_);
    }
  }

  void confirm() override {}

  std::vector<candidate> near(std::size_t query) override {
    std::vector<candidate> result;
    if (place_[query] == none) return result;
    const std::size_t place = place_[query];
    for (const auto& match : found_[place]) {
      const entry pair{match.fingerprint, match.id};
      if (erased_.empty() || std::find(erased_.begin(), erased_.end(), pair) == erased_.end())
        result.push_back({match.id, match.distance});
    }
    const std::size_t old = result.size();
    added_.for_each_match(queries_[place], distance_, [&](const auto& match) {
      result.push_back({match.id, match.distance});
    });
    if (result.size() > old) {
      std::sort(result.begin(), result.end(), [](const candidate& a, const candidate& b) {
        return a.distance != b.distance ? a.distance < b.distance : a.document < b.document;
      });
    }
    return result;
  }

  void insert(const fingerprint& print, doc_number document) override { added_.insert(print, document); }
  void erase(const fingerprint& print, doc_number document) override { erased_.emplace_back(print, document); }

  void commit(std::uint64_t known) override {
    for (const auto& [print, document] : added_) index_.insert(print, document);
    for (const auto& [print, document] : erased_) index_.erase(print, document);
    known_ = known;
    rollback();
  }

  void rollback() noexcept override {
    added_.clear();
    erased_.clear();
  }

  [[nodiscard]] std::size_t memory_usage() const { return index_.memory_usage(); }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  int distance_;
  unsigned threads_;
  index_type index_;
  std::uint64_t known_ = 0;
  neardup::flat_index<64> added_;
  std::vector<entry> erased_;
  std::vector<fingerprint> queries_;
  std::vector<std::size_t> place_;  // of a query among those that have a fingerprint
  index_type::batch_type found_;
};

}  // namespace docid
