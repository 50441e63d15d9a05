// A deduplicator for streams that do not end: it forgets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "../error.hpp"
#include "../index/keyed_index.hpp"
#include "deduplicator.hpp"

namespace neardup::inline v0 {

/// What a stream_deduplicator does when it is full and a document is new.
enum class when_full {
  forget_oldest,  ///< makes room
  refuse          ///< throws std::length_error, and keeps what it has; for bytes, until an eighth of that is erased
};

/// How much of a stream is kept. By default, all of it.
struct stream_limits {
  std::size_t max_documents = (std::numeric_limits<std::size_t>::max)();
  std::size_t max_bytes =
      (std::numeric_limits<std::size_t>::max)();  ///< of memory_usage(), which is looked at every 64 documents: it may
                                                  ///< be more until then, when a table has just grown
  std::uint64_t max_age =
      (std::numeric_limits<std::uint64_t>::max)();  ///< in the units of the times that add() is given
  bool duplicates_renew = false;                    ///< a duplicate makes its original as young as itself
  when_full full = when_full::forget_oldest;
};

/// A deduplicator that keeps no more than it may: the oldest documents go when there are too many, when they take too
/// much memory, and when they are too old. What is forgotten is no original any more, so that its next copy is new.
///
/// Times are the caller's, in whatever unit, and must not go back; without them, all documents have the same age.
/// Memory: besides the deduplicator's, about 100 bytes per kept document. It is really given back: when three quarters
/// of what is allocated for are gone, or max_bytes are reached, the rest moves together.
/// Guarantee: what throws leaves it as it was, but that documents which are too old, or for which there is no room, are
/// gone.
/// Example: `stream_deduplicator seen(deduplicator{hash}, {.max_documents = 1'000'000, .max_age = 3600});
///          if (seen.add(line, number, now).is_new()) print(line);`
template <class Deduplicator>
class stream_deduplicator {
 public:
  using id_type = typename Deduplicator::id_type;
  using verdict_type = typename Deduplicator::verdict_type;

  /// Throws: std::invalid_argument if `empty` keeps documents.
  explicit stream_deduplicator(Deduplicator empty, const stream_limits& limits = {})
      : dedup_(std::move(empty)), limits_(limits) {
    if (dedup_.size() != 0) {
      detail::fail<std::invalid_argument>("stream_deduplicator: the deduplicator has documents already");
    }
  }

  /// As deduplicator::add, at a time. Throws: besides, std::invalid_argument if the time is before that of an earlier
  /// call; std::length_error if there is no room, with when_full::refuse.
  verdict_type add(std::string_view text, const id_type& id, std::uint64_t now = 0) {
    expire(now);
    if (dedup_.contains(id)) detail::fail<std::invalid_argument>("a document of this id is kept already");
    if (limits_.full == when_full::refuse && is_full()) {
      const verdict_type found = dedup_.find(text);
      if (found.is_new() && found.has_fingerprint) {
        detail::fail<std::length_error>("a stream_deduplicator is full: it keeps " + std::to_string(size()) +
                                        " documents");
      }
    }
    // Its place in the order comes first, so that nothing is left to fail once it is kept.
    std::list<kept> added{kept{id, now}};
    const auto place = place_of_.emplace(id, added.begin()).first;
    detail::undo placing{[&] { place_of_.erase(place); }};
    const verdict_type result = dedup_.add(text, id);
    if (result.is_new() && result.has_fingerprint) {
      order_.splice(order_.end(), added);
      placing.is_due = false;
      while (size() > limits_.max_documents) erase(order_.front().id);
    } else if (limits_.duplicates_renew && result.original) {
      const auto original = place_of_.find(*result.original)->second;
      original->time = now;
      order_.splice(order_.end(), order_, original);
    }
    return result;
  }

  /// As deduplicator::erase.
  bool erase(const id_type& id) noexcept {
    const auto place = place_of_.find(id);
    if (place == place_of_.end()) return false;
    dedup_.erase(id);
    order_.erase(place->second);
    place_of_.erase(place);
    ++erased_;
    return true;
  }

  /// Forgets what is older than max_age, and gives memory back. Throws: std::invalid_argument if the time goes back;
  /// std::bad_alloc.
  void expire(std::uint64_t now) {
    if (now < now_) detail::fail<std::invalid_argument>("stream_deduplicator: the time goes back");
    now_ = now;
    while (!order_.empty() && now - order_.front().time > limits_.max_age) erase(order_.front().id);
    give_back();
  }

  [[nodiscard]] verdict_type find(std::string_view text) const { return dedup_.find(text); }
  [[nodiscard]] std::size_t size() const noexcept { return dedup_.size(); }
  [[nodiscard]] bool empty() const noexcept { return dedup_.empty(); }

  /// Bytes that are allocated, of the maps about.
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    constexpr std::size_t node = sizeof(kept) + sizeof(typename place_map::value_type) + 6 * sizeof(void*);
    return dedup_.memory_usage() + order_.size() * node;
  }

  /// For searches, and what it tells of itself.
  [[nodiscard]] const Deduplicator& get() const noexcept { return dedup_; }

 private:
  struct kept {
    id_type id;
    std::uint64_t time;
  };
  using place_type = typename std::list<kept>::iterator;
  using place_map = detail::id_map<id_type, place_type>;

  [[nodiscard]] bool is_full() const noexcept {
    return size() >= limits_.max_documents || (!empty() && memory_usage() > limits_.max_bytes);
  }

  // Memory goes back before a document comes, not after: nothing is left to fail then.
  void give_back() {
    if (limits_.full == when_full::forget_oldest && (size() < 64 || ++steps_ % 64 == 0)) {
      while (memory_usage() > limits_.max_bytes && size() > 1) {
        for (std::size_t left = size() / 8 + 1; left > 0; --left) erase(order_.front().id);
        shrink();
      }
    }
    // What refuses documents for its bytes looks whether it could do with fewer, once enough is gone to pay for that.
    if (limits_.full == when_full::refuse && erased_ > size() / 8 && memory_usage() > limits_.max_bytes) shrink();
    largest_ = size() > largest_ ? size() : largest_;
    if (size() < largest_ / 4 && largest_ >= 64) shrink();
  }

  void shrink() {
    dedup_.shrink_to_fit();
    largest_ = size();
    erased_ = 0;
  }

  Deduplicator dedup_;
  stream_limits limits_;
  std::list<kept> order_;  // the oldest first
  place_map place_of_;
  std::uint64_t now_ = 0;
  std::size_t steps_ = 0;
  std::size_t largest_ = 0;  // since memory was given back
  std::size_t erased_ = 0;   // since then
};

}  // namespace neardup::inline v0
