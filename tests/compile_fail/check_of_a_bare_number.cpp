// A check that returns a similarity does not say how much is enough.
// expect: say how much is enough
#include <neardup/dedup.hpp>

auto labels(const std::vector<neardup::simhash<64>>& all) {
  const auto similarity = [](std::size_t i, std::size_t j) { return i == j ? 1.0 : 0.5; };
#ifdef NEARDUP_COMPILES
  return neardup::group(all, neardup::bits{3}, neardup::at_least{0.8, similarity});
#else
  return neardup::group(all, neardup::bits{3}, similarity);
#endif
}
