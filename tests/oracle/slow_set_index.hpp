// An index of sets that compares a query with every stored set, and streams of sets to test with.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <type_traits>
#include <vector>

#include <neardup/sets/set_index.hpp>
#include <neardup/threshold.hpp>

#include "oracle/random_engine.hpp"
#include "oracle/sets.hpp"

namespace oracle {

/// A map from ids to sets. A search compares the query with each set. It does not use the library's bounds.
template <class Feature, class Id>
class slow_set_index {
 public:
  using set_type = std::vector<Feature>;
  using match_type = neardup::set_match<Id>;

  slow_set_index(double least, neardup::set_similarity measure, std::size_t min_common)
      : least_(least), measure_(measure), min_common_(min_common) {
    if (min_common == 0)
      min_common_ = measure == neardup::set_similarity::containment ? neardup::default_min_contained : 1;
  }

  [[nodiscard]] std::vector<match_type> search(const set_type& query, std::optional<double> least = {}) const {
    std::vector<match_type> result;
    for (const auto& [id, set] : sets) {
      const std::size_t common = common_of(query, set);
      if (common < min_common_) continue;
      const double similarity = similarity_of(measure_, query.size(), set.size(), common);
      if (similarity < least.value_or(least_)) continue;
      result.push_back({id, static_cast<std::uint32_t>(common), similarity});
    }
    std::sort(result.begin(), result.end(), [](const match_type& x, const match_type& y) {
      return x.similarity != y.similarity ? x.similarity > y.similarity : x.id < y.id;
    });
    return result;
  }

  std::map<Id, set_type> sets;

 private:
  double least_;
  neardup::set_similarity measure_;
  std::size_t min_common_;
};

/// The kinds of sequences of sets.
enum class set_stream { mixed, few_features, of_a_template, drifting, copies, sizes_apart };

template <class Feature>
class set_maker {
 public:
  set_maker(set_stream form, std::uint64_t seed) : form_(form), random_(seed) {}

  [[nodiscard]] std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  std::vector<Feature> next() {
    ++made_;
    std::vector<Feature> set;
    const bool is_changed_copy = !before_.empty() && below(3) == 0;
    if (is_changed_copy) {
      set = before_[below(before_.size())];
      if (form_ != set_stream::copies || below(4) == 0) {
        for (std::uint64_t changes = below(5); changes > 0 && !set.empty(); --changes) {
          if (below(2) == 0) set.erase(set.begin() + static_cast<std::ptrdiff_t>(below(set.size())));
          set.push_back(feature(below(100000)));
        }
      }
    } else {
      std::uint64_t size = 0, first = 0, vocabulary = 0;
      switch (form_) {
        case set_stream::mixed: size = below(40), vocabulary = 2000; break;
        case set_stream::few_features: size = 5 + below(25), vocabulary = 50; break;
        case set_stream::of_a_template:
          for (std::uint64_t i = 0; i < 20; ++i) set.push_back(feature(i));
          size = 4, vocabulary = 100000;
          break;
        case set_stream::drifting: size = 15, first = made_, vocabulary = 40; break;
        case set_stream::copies: size = 12, vocabulary = 300; break;
        case set_stream::sizes_apart: size = below(8) == 0 ? 100 + below(300) : below(12), vocabulary = 500; break;
      }
      for (; size > 0; --size) set.push_back(feature(first + below(vocabulary)));
    }
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    before_.push_back(set);
    if (before_.size() > 100) before_.pop_front();
    return set;
  }

 private:
  /// Makes the feature of a number. Three features of 64 bits have the same upper half, and so the same token.
  static Feature feature(std::uint64_t number) {
    if constexpr (sizeof(Feature) == 4) return static_cast<Feature>(number * 2654435761U);
    return static_cast<Feature>(number / 3 * 0x9e3779b97f4a7c15U + number % 3);
  }

  set_stream form_;
  oracle::random_engine random_;
  std::uint64_t made_ = 0;
  std::deque<std::vector<Feature>> before_;
};

struct ordered_set_id {
  std::uint64_t high = 0, low = 0;
  friend constexpr auto operator<=>(const ordered_set_id&, const ordered_set_id&) = default;
};

template <class Id>
Id set_id(std::uint64_t number) {
  if constexpr (std::is_integral_v<Id>) {
    return static_cast<Id>(number * 0x9e3779b97f4a7c15U);
  } else {
    return {number % 7, number};
  }
}

}  // namespace oracle
