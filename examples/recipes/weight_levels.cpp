// Weights in levels 1 to 5: by count, and by quantile. A weighter with `inner` and `adjust` changes the weights of all
// tokens of a text together; `levels` of the library goes by weight, this one by rank.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <neardup/neardup.hpp>
#include <string_view>
#include <vector>

namespace {

// The lightest fifth of a text's tokens has level 1, the next one level 2, and so on; equal weights have one level.
template <neardup::weighter Inner>
struct quantile_levels {
  std::size_t n = 5;
  Inner inner{};

  template <std::size_t Words>
  void adjust(std::vector<neardup::weighted_token<Words>>& tokens) const {
    std::vector<std::uint64_t> sorted;
    for (const auto& token : tokens) sorted.push_back(token.units);
    std::sort(sorted.begin(), sorted.end());
    for (auto& token : tokens) {
      const auto lighter =
          static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), token.units) - sorted.begin());
      token.units = neardup::weight::one * (1 + n * lighter / sorted.size());
    }
  }
};
template <class Inner>
quantile_levels(std::size_t, Inner) -> quantile_levels<Inner>;

}  // namespace

int main() {
  using namespace neardup;
  const std::string_view text = "a a a a a a a a a a b b b b b b b b c c c c c c d d d d e e";
  // By count: the most frequent word has level 5, one that is half as frequent level 3.
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
