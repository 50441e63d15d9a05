// SPDX-License-Identifier: MIT
// Large arrays of up to many gigabytes. The arrays are not initialised, and use large memory pages if the system has
// such pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "../error.hpp"

namespace neardup::inline v0::detail {

/// An array of trivially copyable values. It is allocated once, and not initialised.
///
/// An array of 2 MiB or more is aligned to large pages, and Linux is asked to use large pages. So random reads cause
/// fewer TLB misses. `./dev bench index --benchmark_filter=random_lines` reads random cache lines of 1 GB, 64 at a
/// time: 7.5 ns per line with large pages, and 8.8 ns with small pages (in a virtual machine on a Zen 5).
template <class T>
class large_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  large_array() noexcept = default;
  /// Allocates `size` values. Their content is unspecified.
  /// Throws: std::bad_alloc.
  explicit large_array(std::size_t size) : data_(allocate(size)), size_(size), capacity_(size) {}
  large_array(const large_array& other) : large_array(other.size_) { std::copy_n(other.data_, size_, data_); }
  large_array(large_array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  large_array& operator=(const large_array& other) { return *this = large_array(other); }
  large_array& operator=(large_array&& other) noexcept {
    large_array taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~large_array() { release(data_, capacity_); }

  void swap(large_array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t memory_usage() const noexcept { return capacity_ * sizeof(T); }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  [[nodiscard]] std::span<T> span() noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }
  /// Returns the elements from `begin` to `end` - 1.
  /// Precondition: begin <= end <= size().
  [[nodiscard]] std::span<const T> span(std::size_t begin, std::size_t end) const noexcept {
    return {data_ + begin, end - begin};
  }

  /// Shrinks the array to its first `size` values. The memory is reallocated if this saves much memory.
  /// Precondition: size <= size().
  void truncate(std::size_t size) {
    size_ = size;
    if (size >= capacity_ / 16 * 15) return;
    large_array copy(*this);
    swap(copy);
  }

 private:
  static constexpr std::size_t large_page = std::size_t{1} << 21;

  // Only Linux is asked to use large pages. So other systems need no alignment to 2 MiB, which the allocator of WASI
  // (zig 0.17) cannot give.
  static bool is_large(std::size_t count) noexcept {
#if defined(__linux__)
    return count >= large_page / sizeof(T);
#else
    static_cast<void>(count);
    return false;
#endif
  }

  static T* allocate(std::size_t count) {
    if (count == 0) return nullptr;
    if (count > ((std::numeric_limits<std::size_t>::max)() - large_page) / sizeof(T)) {
      fail<std::length_error>({"an array of ", count, " values is too large for this machine"});
    }
    if (!is_large(count)) return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{alignment}));
    void* const memory = ::operator new (count * sizeof(T), std::align_val_t{large_page});
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    // The result of madvise is ignored. Without large pages, the memory is slower, but works.
    static_cast<void>(madvise(memory, count * sizeof(T), MADV_HUGEPAGE));
#endif
    return static_cast<T*>(memory);
  }

  static void release(T* data, std::size_t count) noexcept {
    if (data == nullptr) return;
    ::operator delete (data, std::align_val_t{is_large(count) ? large_page : alignment});
  }

  static constexpr std::size_t alignment = (std::max)(std::size_t{64}, alignof(T));  // a cache line

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// A read-only array with the interface of large_array. It does not own its memory, which may be a damaged file with
/// wrong indexes. So operator[] returns an element of the array for any index.
template <class T>
class mapped_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  mapped_array() noexcept = default;
  explicit mapped_array(std::span<const T> values) noexcept : data_(values.data()), size_(values.size()) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] static constexpr std::size_t memory_usage() noexcept { return 0; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  /// Returns element i, or element 0 if i is out of range.
  /// Precondition: size() > 0.
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i < size_ ? i : 0]; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }
  /// Returns the elements [begin, end), or an empty span if this range is invalid.
  [[nodiscard]] std::span<const T> span(std::size_t begin, std::size_t end) const noexcept {
    if (begin > end || end > size_) return {};
    return {data_ + begin, end - begin};
  }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace neardup::inline v0::detail
