// A bare number does not say by which measure sets are compared, and bits are of fingerprints.
// expect: sets are compared by a measure
// errors: 6
#include <neardup/dedup.hpp>
#include <neardup/sets.hpp>

#ifdef NEARDUP_COMPILES
constexpr neardup::jaccard least{0.8}, percent{0.8};
constexpr neardup::cosine near{0.8};
#else
constexpr int least = 3;
constexpr double percent = 80;
constexpr neardup::bits near = 3;
#endif

auto pairs_of(const neardup::feature_sets<>& sets) { return neardup::pairs(sets, least); }
auto across(const neardup::feature_sets<>& sets) { return neardup::pairs(sets, sets, near); }
auto labels(const neardup::feature_sets<>& sets) { return neardup::group(sets, percent); }
neardup::set_index<> index_of_sets() { return neardup::set_index<>{percent}; }
