// A similarity in the place of a distance of fingerprints.
// expect: fingerprints are compared by a whole number of bits: write bits
// errors: 9
#include <neardup/dedup.hpp>
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
constexpr neardup::bits least = 3, other = 3;
constexpr int number = 3;
#else
constexpr double least = 0.8;
constexpr neardup::jaccard other{0.8};
constexpr float number = 0.8F;
#endif

auto found(const neardup::pigeonhole_index<64>& index, const neardup::simhash<64>& query) {
  return index.search(query, number).size() + index.search(query, other).size();
}
neardup::fingerprint_deduplicator dedup{neardup::simhasher{neardup::words{}}, least};
auto named = neardup::make_fingerprint_deduplicator<std::string>(neardup::simhasher{neardup::words{}}, number);
neardup::pigeonhole_index<64, neardup::dynamic_layout> index_within(least);
bool are_near() { return neardup::near_duplicates("a text", "a text", number); }
