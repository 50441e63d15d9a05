// The characters of a text are neither sorted nor its features.
// expect: a text is no set of characters: write near_duplicates
#include <neardup/dedup.hpp>

#ifdef NEARDUP_COMPILES
using text = std::vector<std::uint32_t>;
#else
using text = std::string;
#endif

double similarity(const text& a, const text& b) { return neardup::jaccard_similarity(a, b); }
