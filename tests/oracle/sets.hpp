// The similarity of two sets, written without the library's bounds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <vector>

#include <neardup/threshold.hpp>

namespace oracle {

/// The number of common elements of two sets, which ascend.
template <class A, class B>
std::size_t common_of(const A& a, const B& b) {
  std::vector<std::remove_cvref_t<decltype(*a.begin())>> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both.size();
}

/// The similarity of non-empty sets of `a` and `b` elements with `common` elements in common.
inline double similarity_of(neardup::set_similarity by, std::size_t a, std::size_t b, std::size_t common) {
  const auto x = static_cast<double>(a), y = static_cast<double>(b), both = static_cast<double>(common);
  if (by == neardup::set_similarity::jaccard) return both / (x + y - both);
  if (by == neardup::set_similarity::containment) return both / std::min(x, y);
  return std::min(1.0, both / std::sqrt(x * y));
}

template <class A, class B>
double similarity_of(neardup::set_similarity by, const A& a, const B& b) {
  return similarity_of(by, a.size(), b.size(), common_of(a, b));
}

}  // namespace oracle
