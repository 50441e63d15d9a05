// Shows levels from 1 to 5. `levels` uses the weight of a word (here, the count), `quantile_levels` uses its rank.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <neardup/neardup.hpp>
#include <string_view>

int main() {
  using namespace neardup;
  const std::string_view text = "a a a a a a a a a a b b b b b b b b c c c c c c d d d d e e";
  // by_count computes levels from counts: the most frequent word has level 5, and a word half as frequent has level 3.
  const simhasher by_count{words{}, levels{5, tf{}}};
  const simhasher by_quantile{words{}, quantile_levels{5, tf{}}};

  const auto show = [](const char* name, auto tokens) {
    std::sort(tokens.begin(), tokens.end(), [](const auto& x, const auto& y) { return x.units > y.units; });
    std::cout << name;
    for (const auto& token : tokens) std::cout << ' ' << token.units / weight::one;
    std::cout << '\n';
  };
  show("by count:", by_count.weighted_features(text));
  show("by quantile:", by_quantile.weighted_features(text));
  show("by count, one word prevails:", by_count.weighted_features("a a a a a a a a a a a a a a a a a a a a b b c d"));
  show("by quantile, one prevails:", by_quantile.weighted_features("a a a a a a a a a a a a a a a a a a a a b b c d"));
  return by_count(text) && by_quantile(text) ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: by count: 5 4 3 2 1
// prints: by quantile: 5 4 3 2 1
// prints: by count, one word prevails: 5 1 1 1
// prints: by quantile, one prevails: 4 3 1 1
