// expect: more than 256 tables
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
neardup::pigeonhole_index<64, 4, 10> wrong;
#else
neardup::pigeonhole_index<64, 4, 11> wrong;
#endif
