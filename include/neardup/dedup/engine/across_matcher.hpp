// SPDX-License-Identifier: MIT
// A matcher that leaves out the pairs of documents with equal values. See group_options::across.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../detail/visits.hpp"
#include "ordered_decider.hpp"

namespace neardup::inline v0::detail {

/// Passes on the pairs of another matcher, except pairs of documents with equal values. If the other matcher finds too
/// many of these excluded pairs, its search ends, and the values are divided into two halves. Pairs of a document of one
/// half and one of the other are then found by a search that finds no excluded pairs, and each half is searched in the
/// same way as the whole. So O(n log n) excluded pairs of n documents are found.
template <class Number>
class across_matcher final : public matcher<Number> {
 public:
  using typename matcher<Number>::candidate;
  using typename matcher<Number>::left_out;
  using typename matcher<Number>::take_type;

  /// Makes a matcher. values[document] is the value of a document.
  /// Precondition: for `by`, no document has copies, and finds_more() is false.
  across_matcher(matcher<Number>& by, std::vector<std::uint32_t> values) : by_(by), values_(std::move(values)) {}

  [[nodiscard]] std::size_t parts(std::size_t documents) const override { return by_.parts(documents); }
  [[nodiscard]] std::uint8_t enough_pairs() const override { return by_.enough_pairs(); }
  [[nodiscard]] std::optional<double> closeness(Number earlier, Number later, int known,
                                                std::optional<double> best) const override {
    return by_.closeness(earlier, later, known, best);
  }

  /// Finds pairs as matcher::find_candidates() does. A pair may be passed to `take` several times.
  bool find_candidates(std::span<const Number> documents, std::size_t kept, const take_type& take,
                       const left_out& left) override {
    positions first, second;
    for (std::size_t i = 0; i < documents.size(); ++i) (i < kept ? first : second).push_back(static_cast<Number>(i));
    return find({values_, documents, take, left}, first, second);
  }

 private:
  using positions = std::vector<Number>;  // of documents, in the list of a search

  struct search {
    const std::vector<std::uint32_t>& values;
    std::span<const Number> documents;
    const take_type& take;
    const left_out& left;

    [[nodiscard]] std::uint32_t value(Number position) const { return values[documents[position]]; }
  };

  /// The classes of a search, for some of its documents. Excluded pairs are not added.
  class listed_classes final : public set_classes {
   public:
    listed_classes(const search& of, const positions& listed) : of_(of), listed_(listed) {}
    [[nodiscard]] std::size_t of(std::size_t i) const override { return of_.left.classes->of(listed_[i]); }
    [[nodiscard]] bool leaves_out(std::size_t a, std::size_t b) const override {
      return of_.left.classes->leaves_out(listed_[a], listed_[b]);
    }
    void add(std::size_t a, std::size_t b) override {
      if (of_.value(listed_[a]) != of_.value(listed_[b])) of_.left.classes->add(listed_[a], listed_[b]);
    }

   private:
    const search& of_;
    const positions& listed_;
  };

  /// Finds the pairs of a document of `first` and one of `second`, or of two documents of `second` if `first` is empty.
  bool find(const search& of, const positions& first, const positions& second) {
    positions listed(first), numbers;
    listed.insert(listed.end(), second.begin(), second.end());
    std::vector<std::uint32_t> values;
    for (const Number position : listed) {
      numbers.push_back(of.documents[position]);
      values.push_back(of.value(position));
    }
    std::sort(values.begin(), values.end());
    if (second.empty() || values.front() == values.back()) return true;
    constexpr std::size_t most_of_each = 32;  // finding so many excluded pairs takes about as long as another search
    const std::size_t most = most_of_each * listed.size();
    std::atomic<std::size_t> excluded = 0;
    std::atomic<bool> goes_on = true;
    std::vector<std::vector<candidate>> found(by_.parts(listed.size()));
    const auto take = [&](std::size_t part, std::span<const candidate> pairs) {
      found[part].clear();
      for (const candidate& c : pairs) {
        const auto [a, b] = std::minmax(listed[c.first], listed[c.second]);
        if (of.value(a) != of.value(b)) found[part].push_back({a, b, c.distance});
      }
      if ((excluded += pairs.size() - found[part].size()) > most) return false;
      if (!found[part].empty() && !of.take(part, found[part])) goes_on = false;
      return goes_on.load();
    };
    listed_classes classes(of, listed);
    const bool is_complete = by_.find_candidates(
        numbers, first.size(), take, {of.left.classes != nullptr ? &classes : nullptr, of.left.may_give_up});
    if (excluded <= most || !goes_on) return is_complete && goes_on;
    const std::uint32_t middle = (std::max)(values[values.size() / 2], values.front() + 1);
    const auto half = [&](const positions& all, bool is_high) {
      positions some;
      std::copy_if(all.begin(), all.end(), std::back_inserter(some),
                   [&](Number i) { return (of.value(i) >= middle) == is_high; });
      return some;
    };
    const positions low = half(second, false), high = half(second, true);
    if (first.empty()) return find(of, low, high) && find(of, {}, low) && find(of, {}, high);
    for (const positions& some : {half(first, false), half(first, true)}) {
      if (!some.empty() && !(find(of, some, low) && find(of, some, high))) return false;
    }
    return true;
  }

  matcher<Number>& by_;
  std::vector<std::uint32_t> values_;
};

}  // namespace neardup::inline v0::detail
