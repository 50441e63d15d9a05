// expect: the width of a fingerprint is a whole number of bytes
#include <neardup/simhash.hpp>

int main() {
#ifdef NEARDUP_COMPILES
  return neardup::simhash<24>().test(0) ? 1 : 0;
#else
  return neardup::simhash<20>().test(0) ? 1 : 0;
#endif
}
