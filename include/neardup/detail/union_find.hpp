// SPDX-License-Identifier: MIT
// A union-find for several threads. It finds the connected components of a graph whose vertices are numbers.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace neardup::inline v0::detail {

/// Lock-free union-find of the numbers 0..count - 1. The representative of a component is its smallest number.
/// Invariant: parent_[x] <= x.
/// Only roots get new parents, by compare-and-exchange. So from every number, the parents lead to the root of its
/// component, even if a thread sees the writes of other threads late.
template <class Number>
class shared_components {
 public:
  explicit shared_components(std::size_t count) : parent_(count) {
    for (std::size_t x = 0; x < count; ++x) parent_[x].store(static_cast<Number>(x), std::memory_order_relaxed);
  }

  /// Returns the representative of the component of `x`. If another thread makes a union at the same time, the result
  /// may be the representative before the union.
  std::size_t find(std::size_t x) noexcept {
    std::size_t parent = load(x);
    while (parent != x) {
      const std::size_t above = load(parent);
      // Path halving makes later calls faster. The store may overwrite a parent that another thread has just written.
      // The overwriting does no harm, because the two parents lead to the same root.
      if (above != parent) parent_[x].store(static_cast<Number>(above), std::memory_order_relaxed);
      x = parent;
      parent = above;
    }
    return x;
  }

  void unite(std::size_t a, std::size_t b) noexcept {
    while (true) {
      a = find(a);
      b = find(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      auto root = static_cast<Number>(a);
      if (parent_[a].compare_exchange_strong(root, static_cast<Number>(b), std::memory_order_relaxed)) return;
    }
  }

 private:
  std::size_t load(std::size_t x) const noexcept {
    return static_cast<std::size_t>(parent_[x].load(std::memory_order_relaxed));
  }

  std::vector<std::atomic<Number>> parent_;
};

}  // namespace neardup::inline v0::detail
