// Counts allocations, and makes some of them fail. This header replaces the global allocation functions, so only one
// file of a test program includes it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "../catch.hpp"

namespace support {

// Per thread, so that other threads are not affected.
inline thread_local std::size_t allocations = 0;
inline thread_local std::size_t allocated_bytes = 0;
inline thread_local std::size_t largest_allocation = 0;         // in bytes
inline thread_local std::size_t allocations_until_failure = 0;  // 0: none fails
inline thread_local bool has_failed = false;
inline std::atomic<std::ptrdiff_t> living_allocations{0};

/// Counts failed allocations, and prints their number at the end of the program.
struct failure_counter {
  failure_counter() = default;
  failure_counter(const failure_counter&) = delete;
  failure_counter& operator=(const failure_counter&) = delete;
  ~failure_counter() {
    if (count > 0) std::printf("%zu allocations made to fail\n", count.load());
  }
  std::atomic<std::size_t> count{0};
};
inline failure_counter failed_allocations;

/// Returns: null if this allocation is to fail.
inline void* try_to_allocate(std::size_t size) noexcept {
  if (allocations_until_failure > 0 && --allocations_until_failure == 0) {
    has_failed = true;
    ++failed_allocations.count;
    return nullptr;
  }
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory != nullptr) {
    ++allocations;
    allocated_bytes += size;
    if (size > largest_allocation) largest_allocation = size;
    ++living_allocations;
  }
  return memory;
}

inline void* allocate(std::size_t size) {
  void* const memory = try_to_allocate(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

inline void release(void* memory) noexcept {
  if (memory == nullptr) return;
  --living_allocations;
  std::free(memory);
}

/// Runs `operation` with only its n-th allocation failing.
/// Returns: true if an allocation failed; false if the operation has fewer than n allocations.
template <class Operation>
bool fails_at(std::size_t n, const Operation& operation) {
  has_failed = false;
  allocations_until_failure = n;
  bool thrown = false;
  try {
    operation();
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  allocations_until_failure = 0;
  REQUIRE(thrown == has_failed);  // A failed allocation throws, and nothing else does.
  return thrown;
}

/// Runs `operation` with its 1st, 2nd, ... allocation failing, until it succeeds. Runs `check` after each failure.
template <class Operation, class Check>
std::size_t fail_each_allocation(const Operation& operation, const Check& check) {
  std::size_t failures = 0;
  while (fails_at(failures + 1, operation)) {
    ++failures;
    check();
  }
  return failures;
}

}  // namespace support

void* operator new(std::size_t size) { return support::allocate(size); }
void* operator new[](std::size_t size) { return support::allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return support::try_to_allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return support::try_to_allocate(size); }
void operator delete(void* memory) noexcept { support::release(memory); }
void operator delete[](void* memory) noexcept { support::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { support::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { support::release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { support::release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { support::release(memory); }
