// expect: Blocks must not exceed Bits
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
neardup::pigeonhole_index<16, 0, 16> wrong;
#else
neardup::pigeonhole_index<16, 0, 17> wrong;
#endif
