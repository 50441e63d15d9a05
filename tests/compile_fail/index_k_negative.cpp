// expect: K, the largest search distance, must not be negative
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
neardup::pigeonhole_index<64, 0> wrong;
#else
neardup::pigeonhole_index<64, -1, 4> wrong;
#endif
