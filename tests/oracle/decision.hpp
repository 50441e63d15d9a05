// The rule of decisions, by comparing each document with all documents kept before it.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace oracle {

/// How close two documents are: a fraction of whole numbers, or a floating-point number. Greater is closer.
struct closeness {
  std::size_t part = 0, whole = 1;
  double number = 0;

  static closeness of_share(std::size_t part, std::size_t whole) { return {part, whole, 0}; }
  static closeness of_bits(int distance) { return {static_cast<std::size_t>(1000000 - distance), 1, 0}; }
  static closeness of_number(double number) { return {0, 1, number}; }

  friend std::partial_ordering operator<=>(const closeness& a, const closeness& b) {
    const auto by_share = a.part * b.whole <=> b.part * a.whole;
    return by_share != 0 ? std::partial_ordering(by_share) : a.number <=> b.number;
  }
  friend bool operator==(const closeness& a, const closeness& b) { return (a <=> b) == 0; }
};

/// Returns the original of each document, or the document itself if it is kept. The original is the closest of the
/// matching documents that were kept before; ties go to the earliest. `order` is the order of decision. Its first
/// `known` documents are always kept. If `among` is false, documents are compared with the known ones only.
/// `match(earlier, later)` returns how close two documents are, or nullopt.
template <class Match>
std::vector<std::size_t> originals(std::span<const std::size_t> order, std::size_t known, bool among,
                                   const Match& match) {
  std::vector<std::size_t> original(order.size()), kept;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t document = order[place];
    original[document] = document;
    std::optional<closeness> best;
    for (std::size_t i = 0; i < kept.size() && place >= known; ++i) {
      const std::optional<closeness> found = match(kept[i], document);
      if (!found || (best && !(*found > *best))) continue;
      best = found;
      original[document] = kept[i];
    }
    if (place < known || (among && !best)) kept.push_back(document);
  }
  return original;
}

/// Returns the label of each document: the first document of its connected component, in the order of preference.
template <class Match>
std::vector<std::size_t> connected(std::span<const std::size_t> order, const Match& match) {
  std::vector<std::size_t> label(order.size(), order.size());
  for (const std::size_t first : order) {
    if (label[first] != order.size()) continue;
    std::vector<std::size_t> open{label[first] = first};
    while (!open.empty()) {
      const std::size_t document = open.back();
      open.pop_back();
      for (std::size_t other = 0; other < label.size(); ++other) {
        if (label[other] != order.size()) continue;
        if (match((std::min)(document, other), (std::max)(document, other)))
          open.push_back(other), label[other] = first;
      }
    }
  }
  return label;
}

/// Returns the order of decision: the first `known` documents, then the others by descending score. Ties keep their
/// order.
inline std::vector<std::size_t> order_of(std::size_t count, std::size_t known, std::span<const double> scores) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (scores.empty()) return order;
  std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(known), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a - known] > scores[b - known]; });
  return order;
}

}  // namespace oracle
