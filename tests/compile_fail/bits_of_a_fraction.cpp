// expect: fingerprints are compared by a whole number of bits: write bits
#include <neardup/threshold.hpp>

#ifdef NEARDUP_COMPILES
neardup::bits within() { return neardup::bits(3); }
#else
neardup::bits within() { return neardup::bits(3.7); }
#endif
