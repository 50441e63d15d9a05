// Random feature sets of several shapes, for which joins take different paths.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace oracle {

enum class set_shape {
  clusters,   // edited copies of earlier sets; feature frequencies as those of words
  templates,  // mostly common features; similarities around a threshold
  copies,     // few distinct sets
  family,     // variants of one set
  common,     // one feature in every set
  small,      // up to five features out of a few
  mixed,      // sizes from ten to many
  few,        // pairs of words out of three to thirty: all features are common
};
inline constexpr set_shape all_set_shapes[] = {set_shape::clusters, set_shape::templates, set_shape::copies,
                                               set_shape::family,   set_shape::common,    set_shape::small,
                                               set_shape::mixed,    set_shape::few};

/// Draws `count` sets of a shape; the features of a set ascend and are distinct.
template <class Feature>
std::vector<std::vector<Feature>> draw_sets(set_shape shape, std::size_t count, std::mt19937_64& random) {
  const auto spread = [](std::uint64_t n) { return static_cast<Feature>(n * 0x2545f4914f6cdd1dU); };
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  // Small numbers are much more frequent than large ones.
  const auto word = [&](std::uint64_t kinds) { return spread(below(below(kinds) + 1)); };
  const auto distinct = [](std::vector<Feature>& set) {
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
  };
  const auto add = [&](std::vector<Feature>& set, std::size_t features, std::uint64_t kinds) {
    for (; features > 0; --features) set.push_back(word(kinds));
  };
  const auto edit = [&](std::vector<Feature>& set, std::size_t changes) {
    for (; changes > 0 && !set.empty(); --changes) {
      switch (below(3)) {
        case 0: set[below(set.size())] = word(4000); break;
        case 1: set.erase(set.begin() + static_cast<std::ptrdiff_t>(below(set.size()))); break;
        default: set.push_back(word(4000));
      }
    }
  };
  std::vector<std::vector<Feature>> sets;
  std::vector<Feature> base;
  for (std::size_t i = 0; i < 51; ++i) base.push_back(spread(100000 + i));
  const std::uint64_t vocabulary = shape == set_shape::few ? 3 + below(28) : 0;
  while (sets.size() < count) {
    std::vector<Feature> set;
    switch (shape) {
      case set_shape::clusters:
        if (!sets.empty() && below(2) == 0) set = sets[below(sets.size())];
        if (set.empty()) add(set, 1 + below(60), 4000);
        edit(set, below(8));
        break;
      case set_shape::templates:
        set = base;
        for (std::size_t i = 0, changed = 2 + below(8); i < changed; ++i) set[below(set.size())] = spread(random());
        break;
      case set_shape::copies:
        if (sets.size() < 4) {
          add(set, 5 + below(30), 300);
        } else {
          set = sets[below(sets.size())];
        }
        break;
      case set_shape::family:
        set = base;
        edit(set, below(3));
        break;
      case set_shape::common:
        set.push_back(spread(7));
        add(set, below(12), 100000);
        if (!sets.empty() && below(4) == 0) set = sets[below(sets.size())];
        edit(set, below(2));
        set.push_back(spread(7));
        break;
      case set_shape::small: add(set, below(6), 12); break;
      case set_shape::mixed:
        if (!sets.empty() && below(3) == 0) {
          set = sets[below(sets.size())];
        } else {
          add(set, below(8) == 0 ? 1000 : 10, 100000);
        }
        edit(set, below(1 + set.size() / 8));
        break;
      case set_shape::few:
        if (!sets.empty() && below(3) == 0) {
          set = sets[below(sets.size())];
          if (!set.empty()) set[below(set.size())] = set.front();
        }
        for (std::size_t words = set.empty() ? below(25) : below(3); words > 0; --words) {
          set.push_back(spread(below(vocabulary) * vocabulary + below(vocabulary)));
        }
        break;
    }
    distinct(set);
    sets.push_back(set);
  }
  return sets;
}

}  // namespace oracle
