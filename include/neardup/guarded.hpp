// SPDX-License-Identifier: MIT
// A value that threads share. Many readers, or one writer, have access at a time, and neither starves.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "detail/mutex.hpp"
#include "ids.hpp"
#include "runner.hpp"
#include "version.hpp"

namespace neardup::inline v0 {

namespace detail {

/// A deduplicator, or a class that wraps a deduplicator. The member describer() returns a describer, which computes the
/// fingerprint and the features of a text without access to the deduplicator. So the computation needs no lock.
template <class T>
concept deduplicating = requires(const T& value) {
  typename T::workspace;
  *value.describer();
};

/// A pool of scratch objects. Concurrent callers borrow different objects.
/// Thread safety: several threads may call all members at once.
template <class T>
class memory_pool {
 public:
  class lent {
   public:
    lent(memory_pool& from, std::unique_ptr<T> memory) noexcept : from_(from), memory_(std::move(memory)) {}
    lent(const lent&) = delete;
    lent& operator=(const lent&) = delete;
    ~lent() { from_.take_back(std::move(memory_)); }
    T& operator*() const noexcept { return *memory_; }
    T* operator->() const noexcept { return memory_.get(); }

   private:
    memory_pool& from_;
    std::unique_ptr<T> memory_;
  };

  /// Lends an object. The object returns to the pool when the result is destroyed.
  [[nodiscard]] lent lend() {
    std::unique_lock lock(mutex_);
    if (count_ > 0) return lent(*this, std::move(free_[--count_]));
    lock.unlock();
    return lent(*this, std::make_unique<T>());
  }

 private:
  static constexpr std::size_t most = 64;

  void take_back(std::unique_ptr<T> memory) noexcept {
    const std::lock_guard lock(mutex_);
    if (count_ < most) free_[count_++] = std::move(memory);
  }

  detail::mutex_type mutex_;
  std::array<std::unique_ptr<T>, most> free_;
  std::size_t count_ = 0;
};

/// The scratch memory of one thread: for the fingerprint and the features of a text, and for searches.
template <class T>
struct describing_memory {
  typename T::describer_type::workspace describing;
  typename T::workspace deciding;
};
struct no_memory {};

template <class T>
struct describing_memory_of {
  using type = no_memory;
};
template <deduplicating T>
struct describing_memory_of<T> {
  using type = memory_pool<describing_memory<T>>;
};

}  // namespace detail

/// A value that threads share, such as an index or a deduplicator. Any number of readers may use it at a time, or one
/// writer.
///
/// A writer waits for the readers that are reading now, and for the readers that waited for the previous writer. While
/// a writer waits or writes, new readers wait for this writer. So a reader waits for at most one writer, and a writer
/// waits for at most one call of each reader. (With the std::shared_mutex of glibc, eight readers starved a writer for
/// 28 s.) Readers on different threads rarely share a cache line, so reading costs two atomic additions.
/// Precondition: the function that is passed to read() or write() calls neither read() nor write() of this object.
///
/// If T is a deduplicator, or wraps one, `guarded` also has the main members of T. These members compute the
/// fingerprint and the features of a text before they take the lock. So a writer blocks other threads only while it
/// searches and stores. add_batch() adds many documents under one lock.
/// Example: `guarded<pigeonhole_index<64>> index;  index.write([&](auto& i) { i.insert(fingerprint, id); });
///          bool known = index.read([&](const auto& i) { return i.any_within(query); });`
template <class T>
class guarded {
  static constexpr bool is_deduplicator = detail::deduplicating<T>;

 public:
  template <class... Arguments>
    requires std::is_constructible_v<T, Arguments...>
  explicit guarded(Arguments&&... arguments) : value_(std::forward<Arguments>(arguments)...) {}
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;
  ~guarded() = default;

  /// Calls `use(value)`. Other readers may read at the same time.
  /// Returns: the result of `use`.
  /// Throws: the exceptions of `use`.
  template <std::invocable<const T&> Use>
  decltype(auto) read(Use&& use) const {
    slot& reader_slot = own_slot();
    enter(reader_slot);
    struct leaving {
      const guarded& from;
      slot& reader_slot;
      ~leaving() { from.leave(reader_slot); }
    } left{*this, reader_slot};
    return std::forward<Use>(use)(value_);
  }

  /// Calls `change(value)` while no other thread reads or writes.
  /// Returns: the result of `change`.
  /// Throws: the exceptions of `change`.
  template <std::invocable<T&> Change>
  decltype(auto) write(Change&& change) {
    const std::lock_guard lock(writers_);
    const std::uint32_t phase = phase_.load() + 1;
    phase_.store(phase);
    wait_for_none(waiting_for(phase - 2));
    for (slot& s : slots_) wait_for_none(s.readers);
    struct ending {
      guarded& of;
      ~ending() {
        of.phase_.fetch_add(1);
        of.phase_.notify_all();
      }
    } ended{*this};
    return std::forward<Change>(change)(value_);
  }

  // ---- members of a deduplicator ------------------------------------------------------------------------------------

  // Each of the following members calls the member of T with the same name.

  /// Calls T::add(). `when`: the time of the document, if T is a stream_deduplicator.
  template <class D = T, class... When>
    requires(is_deduplicator)
  auto add(std::string_view text, id_argument<typename D::id_type> id, When... when) {
    return change_by(text, [&](T& value, const auto& document) { return value.add(document, id, when...); });
  }
  template <class D = T, class... When>
    requires(is_deduplicator)
  auto replace(std::string_view text, id_argument<typename D::id_type> id, When... when) {
    return change_by(text, [&](T& value, const auto& document) { return value.replace(document, id, when...); });
  }
  template <class Texts, class D = T, class... When>
    requires(is_deduplicator)
  auto add_batch(const Texts& texts, std::span<const typename D::id_type> ids, const any_runner& run = {},
                 When... when) {
    const auto batch = describe_batch(texts, run);
    return write([&](T& value) { return value.add_batch(batch, ids, run, when...); });
  }
  [[nodiscard]] auto find(std::string_view text) const requires is_deduplicator {
    const auto describe = read([](const T& value) { return value.describer(); });
    const auto memory = memory_.lend();
    const auto document = (*describe)(text, memory->describing);
    return read([&](const T& value) { return value.find(document, memory->deciding); });
  }
  template <class D = T>
    requires(is_deduplicator)
  bool erase(id_argument<typename D::id_type> id) {
    return write([&](T& value) { return value.erase(id); });
  }
  template <class D = T>
    requires(is_deduplicator)
  [[nodiscard]] bool contains(id_argument<typename D::id_type> id) const {
    return read([&](const T& value) { return value.contains(id); });
  }
  [[nodiscard]] std::size_t size() const requires is_deduplicator {
    return read([](const T& value) { return value.size(); });
  }
  /// Visits all kept documents. The whole visit counts as one read, so writers wait until the visit ends.
  template <class Visit>
  void for_each_kept(Visit&& visit) const requires is_deduplicator {
    read([&](const T& value) { value.for_each_kept(visit); });
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

  // phase_ is odd while a writer is active. Odd phases use waiting_[0] and waiting_[1] in turn. So the readers that
  // wait for one writer are counted separately from the readers that wait for the next writer.
  static constexpr bool is_writing(std::uint32_t phase) noexcept { return phase % 2 != 0; }
  std::atomic<std::uint32_t>& waiting_for(std::uint32_t phase) const noexcept { return waiting_[phase / 2 % 2]; }

  static void wait_for_none(const std::atomic<std::uint32_t>& count) noexcept {
    for (std::uint32_t left = count.load(); left != 0; left = count.load()) count.wait(left);
  }
  static void decrement(std::atomic<std::uint32_t>& count) noexcept {
    if (count.fetch_sub(1) == 1) count.notify_all();
  }

  // A reader increments its count, and then reads phase_. A writer sets phase_, and then reads the counts. All these
  // operations are sequentially consistent. So the reader sees the writer, or the writer sees the reader, or both.
  void enter(slot& reader_slot) const noexcept {
    reader_slot.readers.fetch_add(1);
    for (std::uint32_t phase = phase_.load(); is_writing(phase); phase = phase_.load()) {
      leave(reader_slot);
      std::atomic<std::uint32_t>& waiting = waiting_for(phase);
      waiting.fetch_add(1);
      // If the same writer is still active, the next writer will see `waiting`, and let this reader read first.
      const bool is_counted = phase_.load() == phase;
      if (is_counted) phase_.wait(phase);
      reader_slot.readers.fetch_add(1);
      decrement(waiting);
      if (is_counted) return;
    }
  }
  void leave(slot& reader_slot) const noexcept {
    reader_slot.readers.fetch_sub(1);
    if (is_writing(phase_.load())) reader_slot.readers.notify_all();
  }

  template <class Texts>
  auto describe_batch(const Texts& texts, const any_runner& run) const {
    const auto describe = read([](const T& value) { return value.describer(); });
    return describe->describe_all(texts, run);
  }

  template <class Change>
  auto change_by(std::string_view text, const Change& change) {
    const auto describe = read([](const T& value) { return value.describer(); });
    const auto memory = memory_.lend();
    const auto document = (*describe)(text, memory->describing);
    return write([&](T& value) { return change(value, document); });
  }

  T value_;
  detail::mutex_type writers_;
  std::atomic<std::uint32_t> phase_{0};
  mutable std::array<std::atomic<std::uint32_t>, 2> waiting_{};  // waiting_[i]: the number of blocked readers
  mutable std::array<slot, slot_count> slots_;
  mutable typename detail::describing_memory_of<T>::type memory_;
};

}  // namespace neardup::inline v0
