// expect: Offset numbers the stored fingerprints; write an unsigned integer
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
neardup::pigeonhole_index<64, 3, 4, int, unsigned> wrong;
#else
neardup::pigeonhole_index<64, 3, 4, int, int> wrong;
#endif
