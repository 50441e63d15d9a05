// One value for many threads: many read it at once, one changes it, and neither waits for ever.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>

#include "version.hpp"

namespace neardup::inline v0 {

/// A value, such as an index or a deduplicator, that threads read and change: any number of readers at a time, or one
/// writer.
///
/// A writer waits for the readers that are under way, and later ones wait for it; after it, those that waited come
/// before the next writer. (std::shared_mutex of glibc lets readers overtake for ever: with eight of them, no write in
/// 28 s.) Readers of different threads rarely touch the same line of the cache, so that reading costs two atomic
/// additions. A reader must not read again, nor write, within its call; nor a writer.
/// Example: `guarded<pigeonhole_index<64>> index;  index.write([&](auto& i) { i.insert(fingerprint, id); });
///          bool known = index.read([&](const auto& i) { return i.any_within(query); });`
template <class T>
class guarded {
 public:
  template <class... Arguments>
    requires std::is_constructible_v<T, Arguments...>
  explicit guarded(Arguments&&... arguments) : value_(std::forward<Arguments>(arguments)...) {}
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;
  ~guarded() = default;

  /// Calls `use(value)`, with others at the same time. Returns: what that returns. Throws: what it throws.
  template <std::invocable<const T&> Use>
  decltype(auto) read(Use&& use) const {
    slot& own = own_slot();
    enter(own);
    struct leaving {
      const guarded& from;
      slot& own;
      ~leaving() {
        own.readers.fetch_sub(1);
        if (from.writing_.load()) own.readers.notify_all();
      }
    } left{*this, own};
    return std::forward<Use>(use)(value_);
  }

  /// Calls `change(value)`, alone. Returns: what that returns. Throws: what it throws.
  template <std::invocable<T&> Change>
  decltype(auto) write(Change&& change) {
    const std::lock_guard lock(writers_);
    // Those that waited for the last writer come first.
    for (std::uint32_t waiting = waiting_; waiting != 0; waiting = waiting_) waiting_.wait(waiting);
    writing_ = true;
    for (slot& s : slots_) {
      for (std::uint32_t readers = s.readers; readers != 0; readers = s.readers) s.readers.wait(readers);
    }
    struct ending {
      guarded& of;
      ~ending() {
        of.writing_ = false;
        of.writing_.notify_all();
      }
    } ended{*this};
    return std::forward<Change>(change)(value_);
  }

 private:
  struct alignas(64) slot {
    std::atomic<std::uint32_t> readers{0};
  };
  static constexpr std::size_t slot_count = 32;

  slot& own_slot() const noexcept {
    static std::atomic<std::size_t> threads{0};
    thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);
    return slots_[number % slot_count];
  }

  // A reader counts itself and then looks for a writer; a writer says that it comes and then looks at the counts: in
  // one order of all, so that one of them sees the other.
  void enter(slot& own) const {
    own.readers.fetch_add(1);
    if (!writing_.load()) return;
    waiting_.fetch_add(1);
    do {
      own.readers.fetch_sub(1);
      own.readers.notify_all();
      writing_.wait(true);
      own.readers.fetch_add(1);
    } while (writing_.load());
    if (waiting_.fetch_sub(1) == 1) waiting_.notify_all();
  }

  T value_;
  std::mutex writers_;
  std::atomic<bool> writing_{false};
  mutable std::atomic<std::uint32_t> waiting_{0};  // readers that met a writer
  mutable std::array<slot, slot_count> slots_;
};

}  // namespace neardup::inline v0
