// expect: a fingerprint has at least 16 bits
#include <neardup/simhash.hpp>

int main() {
#ifdef NEARDUP_COMPILES
  return neardup::simhash<16>().test(0) ? 1 : 0;
#else
  return neardup::simhash<8>().test(0) ? 1 : 0;
#endif
}
