// expect: no matching function for call to
#include <neardup/simhash.hpp>

int main() {
#ifdef NEARDUP_COMPILES
  return hamming_distance(neardup::simhash<64>(), neardup::simhash<64>());
#else
  return hamming_distance(neardup::simhash<64>(), neardup::simhash<128>());
#endif
}
