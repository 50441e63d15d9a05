// expect: Blocks must be at least 1
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
neardup::pigeonhole_index<64, 3, 1> wrong;
#else
neardup::pigeonhole_index<64, 3, 0> wrong;
#endif
