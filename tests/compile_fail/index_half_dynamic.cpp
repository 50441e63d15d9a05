// expect: K, the largest search distance, must not be negative
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
neardup::pigeonhole_index<64, neardup::dynamic_layout> wrong(3, 4);
#else
neardup::pigeonhole_index<64, neardup::dynamic_layout, 4> wrong;
#endif
