// expect: K must be smaller than Bits
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
neardup::pigeonhole_index<64, 63, 4> wrong;
#else
neardup::pigeonhole_index<64, 64, 4> wrong;
#endif
