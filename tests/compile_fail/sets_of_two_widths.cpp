// expect: neardup: sets are compared if their features have one type
#include <cstdint>
#include <vector>

#include <neardup/sets.hpp>

std::vector<std::vector<std::uint32_t>> sets;
#ifdef NEARDUP_COMPILES
std::vector<std::vector<std::uint32_t>> others;
neardup::set_index<std::uint32_t> stored{neardup::jaccard{0.8}};
#else
std::vector<std::vector<std::uint64_t>> others;
neardup::set_index<std::uint64_t> stored{neardup::jaccard{0.8}};
#endif
auto found() { return neardup::pairs(sets, others, neardup::jaccard{0.8}); }
auto matches() { return stored.search_batch(sets); }
