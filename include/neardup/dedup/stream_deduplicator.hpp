// SPDX-License-Identifier: MIT
// A deduplicator for endless streams of documents. It forgets old documents.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "../detail/visits.hpp"
#include "../error.hpp"
#include "../ids.hpp"
#include "../runner.hpp"
#include "../sets/engine/chunked_array.hpp"
#include "deduplicator.hpp"

namespace neardup::inline v0 {

namespace detail {

inline constexpr char name_of_time[] = "the time";

}  // namespace detail

/// The type of a parameter that takes a time: an integer of any type. A negative number throws std::invalid_argument.
using time_argument = detail::whole_argument<std::uint64_t, detail::name_of_time>;

/// Limits of the documents that a stream_deduplicator keeps. By default, there is no limit.
struct stream_limits {
  std::size_t max_documents = (std::numeric_limits<std::size_t>::max)();
  /// The limit of memory_usage(). The limit is checked after each batch, and after every 64th document that is added
  /// singly. While fewer than 64 documents are kept, the limit is checked after each call. A single document is kept
  /// whatever its size.
  std::size_t max_bytes = (std::numeric_limits<std::size_t>::max)();
  /// The greatest age of a document, in the unit of the times. If max_age is set, each add() needs a time.
  time_argument max_age = (std::numeric_limits<std::uint64_t>::max)();
  bool duplicates_renew = false;  ///< if true, an original becomes as young as its newest duplicate
  /// If false, a new document makes a full stream_deduplicator erase the oldest document. If true, adding a new
  /// document throws std::length_error, and all documents are kept. If max_bytes is reached, adding then fails until an
  /// eighth of the documents is erased. A batch is refused as a whole.
  bool refuse_when_full = false;
};

namespace detail {

/// A linked list of slots, oldest first. Each slot has a time.
class age_list {
 public:
  using slot_type = std::uint32_t;
  static constexpr slot_type none = (std::numeric_limits<slot_type>::max)();

  /// Allocates memory for the slots below `count`, so that push_back() of these slots cannot fail.
  void make_room(std::size_t count) { nodes_.grow_to(count); }
  void push_back(slot_type slot, std::uint64_t time) noexcept {
    nodes_[slot] = {time, last_, none};
    (last_ == none ? first_ : nodes_[last_].next) = slot;
    last_ = slot;
  }
  void remove(slot_type slot) noexcept {
    const node& gone = nodes_[slot];
    (gone.previous == none ? first_ : nodes_[gone.previous].next) = gone.next;
    (gone.next == none ? last_ : nodes_[gone.next].previous) = gone.previous;
  }

  /// Returns the oldest slot, or `none` if the list is empty.
  [[nodiscard]] slot_type first() const noexcept { return first_; }
  [[nodiscard]] slot_type next(slot_type slot) const noexcept { return nodes_[slot].next; }
  [[nodiscard]] std::uint64_t time(slot_type slot) const noexcept { return nodes_[slot].time; }
  [[nodiscard]] std::size_t memory_usage() const noexcept { return nodes_.memory_usage(); }

 private:
  struct node {
    std::uint64_t time = 0;
    slot_type previous = none, next = none;
  };

  chunked_array<node> nodes_;  // indexed by slot
  slot_type first_ = none, last_ = none;
};

}  // namespace detail

/// A deduplicator or a fingerprint_deduplicator with limits. The oldest documents are removed if there are too many
/// documents, if they take too much memory, or if they are too old. A removed document can no longer be an original, so
/// its next copy is new.
///
/// The caller defines the times, in any unit. Times must not decrease. Without times, all documents have the same age.
/// A batch has one time. Documents that are too old are removed before the batch is added. Documents beyond
/// max_documents are removed after the batch is added. If `max_bytes` is set, and refuse_when_full is not, a batch is
/// cut into pieces of at least 64 documents. A piece has as many documents as probably fit. Old documents are removed
/// after each piece. If a call throws, earlier pieces remain added, and added() counts their documents.
/// Memory: the memory of the deduplicator, and 16 bytes per kept document. The deduplicator is compacted, which frees
/// unused memory, in two cases: three quarters of the allocated entries are unused, or max_bytes is reached.
/// Guarantee: a call that throws may have changed two things. Documents that were too old, or beyond a limit, may have
/// been removed. Earlier pieces of the batch may have been added. If documents were added, but removing old documents
/// fails, the call still returns its verdicts. The next call then tries again to remove the old documents, and throws
/// if the removal fails.
/// Example: `stream_deduplicator seen(deduplicator{jaccard{0.8}}, {.max_documents = 1'000'000, .max_age = 3600});
///          if (seen.add(line, number, now).is_new()) print(line);`
template <class Deduplicator>
class stream_deduplicator : private Deduplicator {
  static_assert(detail::is_deduplicator<Deduplicator>,
                "neardup: a stream_deduplicator has a deduplicator or a fingerprint_deduplicator in it; "
                "durable_deduplicator and guarded go around it: durable_deduplicator(path, "
                "stream_deduplicator(deduplicator{...}, limits))");

 public:
  using typename Deduplicator::batch_type;
  using typename Deduplicator::change_type;
  using typename Deduplicator::describer_type;
  using typename Deduplicator::description_type;
  using typename Deduplicator::id_type;
  using typename Deduplicator::kept_type;
  using typename Deduplicator::verdict_type;
  using typename Deduplicator::workspace;

  /// Makes a stream_deduplicator from an empty deduplicator.
  /// Throws: std::invalid_argument if `initial` already keeps documents.
  explicit stream_deduplicator(Deduplicator initial, const stream_limits& limits = {})
      : Deduplicator(std::move(initial)), limits_(limits) {
    if (size() != 0) {
      detail::fail<std::invalid_argument>("stream_deduplicator: the deduplicator has documents already");
    }
  }

  /// Decides about a document that has the time `now`. Keeps the document if it is new and comparable. If no time is
  /// given, the time of the last call is used, or 0 if there was no call.
  /// Returns: the verdict, as deduplicator::add() does.
  /// Throws: the exceptions of deduplicator::add(); std::invalid_argument if the time is before the time of an earlier
  /// call, or if there is a max_age but no time; std::length_error if the limits are reached, with refuse_when_full.
  verdict_type add(std::string_view text, id_argument<id_type> id, std::optional<time_argument> now = std::nullopt) {
    return add(describe(text, own_), id, now);
  }
  verdict_type add(const description_type& document, id_argument<id_type> id,
                   std::optional<time_argument> now = std::nullopt) {
    return add_at(now, {&document, 1}, false, [&](const auto& commit) { return this->add_with(document, id, commit); });
  }

  /// Removes the document that is kept under this id, if there is one. Then adds the new document. See
  /// deduplicator::replace().
  /// Throws: the exceptions of add().
  verdict_type replace(std::string_view text, id_argument<id_type> id,
                       std::optional<time_argument> now = std::nullopt) {
    return replace(describe(text, own_), id, now);
  }
  verdict_type replace(const description_type& document, id_argument<id_type> id,
                       std::optional<time_argument> now = std::nullopt) {
    return add_at(now, {&document, 1}, contains(id),
                  [&](const auto& commit) { return this->replace_with(document, id, commit); });
  }

  /// Decides about many documents in order. All documents have the same time. See deduplicator::add_batch().
  /// Throws: the exceptions of add() and of deduplicator::add_batch.
  /// Example: `seen.add_batch(texts, ids, threads{8}, seconds)`
  template <text_range Texts = std::span<const std::string_view>>
  std::vector<verdict_type> add_batch(const Texts& texts, std::span<const id_type> ids, const any_runner& run = {},
                                      std::optional<time_argument> now = std::nullopt) {
    return add_batch(describe_batch(texts, run, own_), ids, run, now);
  }
  std::vector<verdict_type> add_batch(const batch_type& batch, std::span<const id_type> ids, const any_runner& run = {},
                                      std::optional<time_argument> now = std::nullopt) {
    const std::span<const description_type> documents(batch.documents);
    remove_too_old(now.value_or(now_));  // their ids are free again
    this->check_ids(documents.size(), ids);
    std::vector<verdict_type> verdicts;
    verdicts.reserve(documents.size());
    do {
      // With refuse_when_full there is only one piece, because a batch is refused as a whole.
      const std::size_t most = limits_.refuse_when_full ? no_limit : max_piece();
      const std::size_t number = (std::min)(documents.size() - verdicts.size(), most);
      const auto piece = documents.subspan(verdicts.size(), number);
      const auto own_ids = ids.subspan(verdicts.size(), number);
      auto found = add_at(now, piece, false,
                          [&](const auto& commit) { return this->add_descriptions_with(piece, own_ids, run, commit); });
      // The verdicts are moved, because moving cannot throw. Copying an id might throw when the documents are already
      // added.
      std::move(found.begin(), found.end(), std::back_inserter(verdicts));
    } while (verdicts.size() < documents.size());
    if (unchecked_ > 0) try_to_keep_within_bytes();
    return verdicts;
  }

  /// Erases a kept document.
  /// Returns: true if a document with this id was kept.
  bool erase(id_argument<id_type> id) noexcept {
    const slot_type slot = this->kept().slot_of(id);
    if (slot == none) return false;
    ages_.remove(slot);
    Deduplicator::erase(id);
    ++erased_;
    return true;
  }

  /// Removes the documents older than `max_age`. Unless refuse_when_full is set, also removes the oldest documents
  /// while `max_bytes` is exceeded.
  /// Throws: std::invalid_argument if the time is before the time of an earlier call; std::bad_alloc.
  void expire(time_argument now) {
    remove_too_old(now);
    keep_within_bytes();
  }

  using Deduplicator::added;
  using Deduplicator::contains;
  using Deduplicator::count;
  using Deduplicator::describe;
  using Deduplicator::describe_batch;
  using Deduplicator::describer;
  using Deduplicator::empty;
  using Deduplicator::find;
  using Deduplicator::size;
  [[nodiscard]] const stream_limits& limits() const noexcept { return limits_; }

  /// Calls `visit(document)` for each kept_document, whose member `time` is set, until `visit` returns false. The
  /// document that will be removed next comes first.
  /// Precondition: `visit` does not change the deduplicator.
  template <class Visit>
  void for_each_kept(Visit&& visit) const {
    for (slot_type slot = ages_.first(); slot != none; slot = ages_.next(slot)) {
      kept_type kept = this->kept().kept_at(slot);
      kept.time = ages_.time(slot);
      if (!detail::visit_goes_on(visit, std::as_const(kept))) return;
    }
  }

  /// Keeps a document as the youngest one, without a decision about the document; see deduplicator::keep().
  /// Throws: the exceptions of deduplicator::keep(); std::invalid_argument if the time is before the time of an earlier
  /// call.
  void keep(id_argument<id_type> id, const description_type& document, std::uint64_t serial, time_argument time) {
    if (time < now_) detail::fail<std::invalid_argument>("stream_deduplicator: the time goes back");
    ages_.make_room(this->kept().slot_count() + 1);
    Deduplicator::keep(id, document, serial);
    ages_.push_back(this->kept().slot_of(id), time);
    now_ = time;
  }
  /// Makes a kept document the youngest one.
  /// Returns: false if no document with this id is kept.
  /// Throws: std::invalid_argument if the time is before the time of an earlier call.
  bool renew(id_argument<id_type> id, time_argument time) {
    if (time < now_) detail::fail<std::invalid_argument>("stream_deduplicator: the time goes back");
    const slot_type slot = this->kept().slot_of(id);
    if (slot == none) return false;
    make_youngest(slot, time);
    now_ = time;
    return true;
  }
  /// Returns the number of allocated bytes. The bytes of maps are estimated.
  [[nodiscard]] std::size_t memory_usage() const noexcept {
    return Deduplicator::memory_usage() + ages_.memory_usage();
  }

  /// Returns how many documents still fit into `max_bytes`: an estimate of at least 64. Without `max_bytes`, the number
  /// is unlimited. add_batch() cuts larger batches into pieces, unless refuse_when_full is set.
  [[nodiscard]] std::size_t max_piece() const noexcept {
    if (limits_.max_bytes == stream_limits{}.max_bytes) return no_limit;
    constexpr std::size_t guess = 1024;  // estimated bytes of a document
    const std::size_t used = memory_usage(), of_each = empty() ? guess : used / size() + 1;
    return (std::max)(checked_documents, (limits_.max_bytes - (std::min)(used, limits_.max_bytes)) / of_each);
  }

  /// Returns the wrapped deduplicator, so that you can read its options and kept documents.
  [[nodiscard]] const Deduplicator& get() const noexcept { return *this; }

 protected:
  using Deduplicator::commit_to;

 private:
  using slot_type = detail::age_list::slot_type;
  static constexpr slot_type none = detail::age_list::none;
  static constexpr std::size_t checked_documents = 64;  // see stream_limits::max_bytes
  static constexpr std::size_t no_limit = (std::numeric_limits<std::size_t>::max)();

  /// Adds documents. `add(commit)` has to call a function of the deduplicator, and pass `commit` to that function.
  template <class Add>
  auto add_at(std::optional<time_argument> at, std::span<const description_type> documents, bool replaces,
              const Add& add) {
    if (!at && limits_.max_age != stream_limits{}.max_age) {
      detail::fail<std::invalid_argument>("a stream_deduplicator with a max_age needs the time of what is added");
    }
    const std::uint64_t now = at.value_or(now_);
    remove_too_old(now);
    if (is_check_due()) keep_within_bytes();
    const bool is_full = limits_.refuse_when_full && !replaces &&
                         (size() >= limits_.max_documents || (!empty() && has_too_many_bytes()));
    if (is_full) {
      for (const description_type& document : documents) {
        const verdict_type found = find(document, own_);
        if (found.is_new() && found.is_comparable) refuse_for_room();
      }
    }
    std::vector<kept_type> kept;
    std::vector<id_type> renewed, gone;
    slot_type replaced = none;
    ages_.make_room(this->kept().slot_count() + documents.size());
    auto result = add([&](const change_type& of_dedup) {
      change_type change = of_dedup;
      change.time = now;
      kept = std::vector<kept_type>(change.kept.begin(), change.kept.end());
      for (kept_type& one : kept) one.time = now;
      change.kept = kept;
      if (!change.replaced.empty()) replaced = this->kept().slot_of(change.replaced.front());
      if (limits_.duplicates_renew) {
        for (const verdict_type& found : change.verdicts) {
          if (found.original) renewed.push_back(*found.original);
        }
      }
      change.renewed = renewed;
      find_too_many(kept, replaced, renewed, gone);
      if (limits_.refuse_when_full && kept.size() > 1 && has_too_many_bytes()) {
        erased_ += size();  // so that the next call frees the memory of this batch
        refuse_for_room(kept.size());
      }
      change.gone = gone;
      this->commit(change);
    });
    // None of the following statements can throw.
    if (replaced != none) ages_.remove(replaced);
    for (const kept_type& one : kept) ages_.push_back(this->kept().slot_of(one.id), now);
    for (const id_type& id : renewed) make_youngest(this->kept().slot_of(id), now);
    for (const id_type& id : gone) erase(id);
    unchecked_ += documents.size();
    if (is_check_due()) try_to_keep_within_bytes();
    return result;
  }

  /// Sets `gone` to the ids of the oldest documents that exceed the limit `max_documents`. The documents in `kept` are
  /// already in the deduplicator, but not in the list of ages. The documents in `renewed` count as the youngest of all.
  /// The document in slot `replaced` will be removed anyway.
  void find_too_many(std::span<const kept_type> kept, slot_type replaced, const std::vector<id_type>& renewed,
                     std::vector<id_type>& gone) const {
    const std::size_t all = size() - (replaced != none && kept.empty() ? 1 : 0);
    if (all <= limits_.max_documents) return;
    if (limits_.refuse_when_full) {
      detail::fail<std::length_error>(
          {"a stream_deduplicator has no room for the new documents. At most: ", limits_.max_documents,
           ", kept: ", size() - kept.size(), ", new: ", kept.size()});
    }
    std::size_t left = all - limits_.max_documents;
    gone.reserve(left);
    std::vector<slot_type> skipped{replaced};
    for (const id_type& id : renewed) skipped.push_back(this->kept().slot_of(id));
    std::sort(skipped.begin(), skipped.end());
    const auto take = [&](slot_type slot) {
      if (left == 0 || std::binary_search(skipped.begin(), skipped.end(), slot)) return;
      gone.push_back(this->kept().kept_at(slot).id);
      --left;
    };
    for (slot_type slot = ages_.first(); slot != none && left > 0; slot = ages_.next(slot)) take(slot);
    for (const kept_type& one : kept) take(this->kept().slot_of(one.id));
    for (auto id = renewed.begin(); id != renewed.end() && left > 0; ++id) {
      if (std::find(id + 1, renewed.end(), *id) != renewed.end()) continue;  // the id occurs again later in the list
      gone.push_back(*id);
      --left;
    }
  }

  /// Throws std::length_error because the limits are reached. `more`: how many documents the failed call has kept, and
  /// will remove again.
  [[noreturn]] void refuse_for_room(std::size_t more = 0) const {
    detail::fail<std::length_error>({"a stream_deduplicator is full. Documents that it keeps: ", size() - more});
  }

  void make_youngest(slot_type slot, std::uint64_t time) noexcept {
    ages_.remove(slot);
    ages_.push_back(slot, time);
  }

  void remove_too_old(std::uint64_t now) {
    if (now < now_) detail::fail<std::invalid_argument>("stream_deduplicator: the time goes back");
    std::size_t too_old = 0;
    for (slot_type slot = ages_.first(); slot != none && now - ages_.time(slot) > limits_.max_age;
         slot = ages_.next(slot)) {
      ++too_old;
    }
    forget_oldest(too_old, now);
    now_ = now;
    give_back();
  }

  void forget_oldest(std::size_t number, std::uint64_t now) {
    if (number == 0) return;
    std::vector<id_type> gone;
    gone.reserve(number);
    for (slot_type slot = ages_.first(); gone.size() < number; slot = ages_.next(slot)) {
      gone.push_back(this->kept().kept_at(slot).id);
    }
    this->commit(change_type{.gone = gone, .time = now, .added = added()});
    for (const id_type& id : gone) erase(id);
  }

  [[nodiscard]] bool has_too_many_bytes() const noexcept {
    return limits_.max_bytes != stream_limits{}.max_bytes && memory_usage() > limits_.max_bytes;
  }
  [[nodiscard]] bool is_check_due() const noexcept {
    return unchecked_ >= checked_documents || size() < checked_documents;
  }

  void keep_within_bytes() {
    if (!limits_.refuse_when_full) {
      while (size() > 1 && has_too_many_bytes()) {
        forget_oldest(size() / 8 + 1, now_);
        shrink();
      }
    }
    unchecked_ = 0;
  }
  /// Calls keep_within_bytes(). If keep_within_bytes() throws, the exception is dropped, because documents have been
  /// added already. The next call then tries again.
  void try_to_keep_within_bytes() {
#if NEARDUP_EXCEPTIONS
    try {
      keep_within_bytes();
    } catch (...) {
      unchecked_ = checked_documents;
    }
#else
    keep_within_bytes();
#endif
  }

  // Frees memory before a document is added, so that nothing after the addition can fail.
  void give_back() {
    // With refuse_when_full, memory is compacted only if enough documents were erased since it was last compacted.
    // Compacting is expensive, and would otherwise occur too often.
    if (limits_.refuse_when_full && erased_ > size() / 8 && has_too_many_bytes()) shrink();
    largest_ = size() > largest_ ? size() : largest_;
    if (size() < largest_ / 4 && largest_ >= 64) shrink();
  }

  void shrink() {
    // shrink_to_fit() numbers the slots by age, so the list of ages is numbered in the same way.
    const std::vector<slot_type> slots = this->kept().slots_by_age();
    std::vector<slot_type> new_slot(this->kept().slot_count());
    for (std::size_t i = 0; i < slots.size(); ++i) new_slot[slots[i]] = static_cast<slot_type>(i);
    detail::age_list ages;
    ages.make_room(slots.size());
    for (slot_type slot = ages_.first(); slot != none; slot = ages_.next(slot)) {
      ages.push_back(new_slot[slot], ages_.time(slot));
    }
    Deduplicator::shrink_to_fit();
    ages_ = std::move(ages);
    largest_ = size();
    erased_ = 0;
  }

  stream_limits limits_;
  detail::age_list ages_;
  std::uint64_t now_ = 0;
  std::size_t unchecked_ = 0;  // documents added since memory_usage() was checked
  std::size_t largest_ = 0;    // greatest size() since shrink()
  std::size_t erased_ = 0;     // documents erased since shrink()
  workspace own_;
};

}  // namespace neardup::inline v0
