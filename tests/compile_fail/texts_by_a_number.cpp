// Texts are compared by their features or by edits: 0.8 does not say which, and bits are of fingerprints.
// expect: texts are compared by their features or by edits
// errors: 6
#include <string>

#include <neardup/dedup.hpp>
#include <neardup/edits.hpp>

#ifdef NEARDUP_COMPILES
constexpr neardup::jaccard least{0.8};
const neardup::edit near{0.8};
#else
constexpr double least = 0.8;
constexpr neardup::bits near = 3;
#endif

auto pairs_of(const std::vector<std::string>& texts) { return neardup::pairs(texts, near); }
auto labels(const std::vector<std::string>& texts) { return neardup::group(texts, least); }
auto more(const std::vector<std::string>& texts) { return neardup::extend_groups(texts, texts, near); }
