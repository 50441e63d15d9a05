// expect: Blocks must not exceed Bits
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
neardup::pigeonhole_index<16, 0, 16> index;
#else
neardup::pigeonhole_index<16, 0, 17> index;
#endif
