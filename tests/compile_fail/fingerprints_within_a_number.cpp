// A bare number does not say what is compared, and 0.8 would be a search within 0 bits.
// expect: compared by a number of bits: write bits\{3} for copies.*bits{distance_for\(64, 0.8\)}.*Verify
// errors: 6
#include <neardup/dedup.hpp>
#include <neardup/index.hpp>
#include <neardup/threads.hpp>

#ifdef NEARDUP_COMPILES
constexpr neardup::bits within = 3, wide = 8, similar = 14;
#else
constexpr int within = 3;
constexpr double wide = 0.8;
constexpr neardup::jaccard similar{0.8};
#endif

using prints = std::vector<neardup::simhash<64>>;

auto pairs_of(const prints& all) { return neardup::pairs(all, within); }
auto across(const prints& all) { return neardup::pairs(all, all, wide); }
auto labels(const prints& all) { return neardup::cluster(all, wide); }
auto groups(const prints& all) { return neardup::group(all, wide, {.run = neardup::threads{2}}); }
auto alike(const prints& all) { return neardup::group(all, similar); }
auto more(const prints& all) { return neardup::extend_groups(all, all, within); }
