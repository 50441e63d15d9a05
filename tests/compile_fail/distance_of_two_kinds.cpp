// expect: no matching function for call to
#include <neardup/minwise.hpp>
#include <neardup/simhash.hpp>

int main() {
#ifdef NEARDUP_COMPILES
  return hamming_distance(neardup::minwise<64>(), neardup::minwise<64>());
#else
  return hamming_distance(neardup::simhash<64>(), neardup::minwise<64>());
#endif
}
