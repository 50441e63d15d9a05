// expect: no matching function|could not convert|no matching constructor
#include <neardup/threshold.hpp>

#ifdef NEARDUP_COMPILES
neardup::bits within() { return neardup::bits(3); }
#else
neardup::bits within() { return neardup::bits(3.7); }
#endif
