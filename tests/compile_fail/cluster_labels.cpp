// expect: integral
#include <neardup/dedup.hpp>

#ifdef NEARDUP_COMPILES
using label = long;
#else
using label = double;
#endif

auto labels(const std::vector<neardup::simhash<64>>& fingerprints) {
  return neardup::cluster<label>(fingerprints, neardup::bits{3});
}
