// A similarity in the place of a distance: 0.8 would be a search within 0 bits.
// expect: (search|any_within|nearest|search_batch)
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
constexpr int k = 3;
#else
constexpr double k = 0.8;
#endif

bool is_there(const neardup::pigeonhole_index<64>& index, const neardup::simhash<64>& query) {
  return !index.search(query, k).empty() && index.any_within(query, k) && index.nearest(query, k) &&
         index.search_batch({}, k).size() == 0;
}
