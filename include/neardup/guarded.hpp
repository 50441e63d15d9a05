// One value for many threads: many read it at once, one changes it, and neither waits for ever.
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
#include <vector>

#include "runner.hpp"
#include "version.hpp"

namespace neardup::inline v0 {

/// A deduplicator, or what stands on one: texts can be described for it without it.
template <class T>
concept deduplicating = requires(const T& value) {
  typename T::workspace;
  *value.describer();
};

namespace detail {

/// Memory for one thread at a time, for as many threads as come at once.
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

  /// Lends memory until what is returned goes.
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

  std::mutex mutex_;
  std::array<std::unique_ptr<T>, most> free_;
  std::size_t count_ = 0;
};

/// What a thread needs to describe a text for a value, and to look for it there.
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

/// A value, such as an index or a deduplicator, that threads read and change: any number of readers at a time, or one
/// writer.
///
/// A writer waits for the readers that are under way and for those that its predecessor kept waiting, each of which
/// comes in once; later readers wait for it. So a reader waits for one writer at most, and a writer for one call of each
/// reader. (std::shared_mutex of glibc lets readers overtake for ever: with eight of them, no write in 28 s.) Readers of
/// different threads rarely touch the same line of the cache, so that reading costs two atomic additions. A reader must
/// not read again, nor write, within its call; nor a writer.
///
/// A deduplicator, or what stands on one, has its calls here too: texts are described before it is locked, so that a
/// writer keeps others waiting for the search alone. Writing many documents at once, by add_batch, waits for readers
/// once.
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
      ~leaving() { from.leave(own); }
    } left{*this, own};
    return std::forward<Use>(use)(value_);
  }

  /// Calls `change(value)`, alone. Returns: what that returns. Throws: what it throws.
  template <std::invocable<T&> Change>
  decltype(auto) write(Change&& change) {
    const std::lock_guard lock(writers_);
    const std::uint32_t phase = phase_.load() + 1;
    phase_.store(phase);
    wait_for_none(kept_waiting_by(phase - 2));
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

  // ---- what a deduplicator has ---------------------------------------------------------------------------------------

  /// As the deduplicator's; `when` is the time of a stream_deduplicator.
  template <deduplicating D = T, std::convertible_to<std::uint64_t>... When>
  auto add(std::string_view text, const typename D::id_type& id, When... when) {
    return change_by(text, [&](T& value, const auto& document) {
      return value.add(document, id, static_cast<std::uint64_t>(when)...);
    });
  }
  template <deduplicating D = T, std::convertible_to<std::uint64_t>... When>
  auto replace(std::string_view text, const typename D::id_type& id, When... when) {
    return change_by(text, [&](T& value, const auto& document) {
      return value.replace(document, id, static_cast<std::uint64_t>(when)...);
    });
  }
  template <class Texts, deduplicating D = T, std::convertible_to<std::uint64_t>... When>
  auto add_batch(const Texts& texts, std::span<const typename D::id_type> ids, When... when) {
    return add_batch(texts, ids, any_runner(), when...);
  }
  template <class Texts, deduplicating D = T, std::convertible_to<std::uint64_t>... When>
  auto add_batch(const Texts& texts, std::span<const typename D::id_type> ids, const any_runner& run, When... when) {
    const auto describe = read([](const T& value) { return value.describer(); });
    const auto batch = describe_all(*describe, texts, run);
    return write([&](T& value) { return value.add_batch(batch, ids, static_cast<std::uint64_t>(when)..., run); });
  }
  [[nodiscard]] auto find(std::string_view text) const requires deduplicating<T> {
    const auto describe = read([](const T& value) { return value.describer(); });
    const auto memory = memory_.lend();
    const auto document = (*describe)(text, memory->describing);
    return read([&](const T& value) { return value.find(document, memory->deciding); });
  }
  template <deduplicating D = T>
  bool erase(const typename D::id_type& id) {
    return write([&](T& value) { return value.erase(id); });
  }
  template <deduplicating D = T>
  [[nodiscard]] bool contains(const typename D::id_type& id) const {
    return read([&](const T& value) { return value.contains(id); });
  }
  [[nodiscard]] std::size_t size() const requires deduplicating<T> {
    return read([](const T& value) { return value.size(); });
  }
  /// Writers wait until all is visited.
  template <class Visit>
  void for_each_kept(Visit&& visit) const requires deduplicating<T> {
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

  // Phases are even while nobody writes. Writers have every second odd one in turn, so that those whom one of them keeps
  // waiting are counted apart from those of the next.
  static constexpr bool is_writing(std::uint32_t phase) noexcept { return phase % 2 != 0; }
  std::atomic<std::uint32_t>& kept_waiting_by(std::uint32_t phase) const noexcept { return waiting_[phase / 2 % 2]; }

  static void wait_for_none(const std::atomic<std::uint32_t>& count) noexcept {
    for (std::uint32_t left = count.load(); left != 0; left = count.load()) count.wait(left);
  }
  static void take_off(std::atomic<std::uint32_t>& count) noexcept {
    if (count.fetch_sub(1) == 1) count.notify_all();
  }

  // A reader counts itself and then looks for a writer; a writer says that it comes and then looks at the counts: in
  // one order of all, so that one of them sees the other.
  void enter(slot& own) const noexcept {
    own.readers.fetch_add(1);
    for (std::uint32_t phase = phase_.load(); is_writing(phase); phase = phase_.load()) {
      leave(own);
      std::atomic<std::uint32_t>& waiting = kept_waiting_by(phase);
      waiting.fetch_add(1);
      // If the writer is there still, the next one will see this count, and let this reader in before it writes.
      const bool is_counted = phase_.load() == phase;
      if (is_counted) phase_.wait(phase);
      own.readers.fetch_add(1);
      take_off(waiting);
      if (is_counted) return;
    }
  }
  void leave(slot& own) const noexcept {
    own.readers.fetch_sub(1);
    if (is_writing(phase_.load())) own.readers.notify_all();
  }

  template <class Change>
  auto change_by(std::string_view text, const Change& change) {
    const auto describe = read([](const T& value) { return value.describer(); });
    const auto memory = memory_.lend();
    const auto document = (*describe)(text, memory->describing);
    return write([&](T& value) { return change(value, document); });
  }

  T value_;
  std::mutex writers_;
  std::atomic<std::uint32_t> phase_{0};
  mutable std::array<std::atomic<std::uint32_t>, 2> waiting_{};  // readers that met a writer, by its phase
  mutable std::array<slot, slot_count> slots_;
  mutable typename detail::describing_memory_of<T>::type memory_;
};

}  // namespace neardup::inline v0
