// expect: cluster\(\) is of fingerprints; the components of sets and texts are group
// errors: 1
#include <neardup/dedup.hpp>
#include <neardup/sets.hpp>

#ifdef NEARDUP_COMPILES
auto labels(const neardup::feature_sets<>& sets) {
  return neardup::group(sets, neardup::jaccard{0.8}, {.by = neardup::grouping::components});
}
#else
auto labels(const neardup::feature_sets<>& sets) { return neardup::cluster(sets, neardup::jaccard{0.8}); }
#endif
