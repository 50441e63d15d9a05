// expect: keyed_index keeps an index that grows and shrinks
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
neardup::keyed_index<neardup::pigeonhole_index<64, neardup::dynamic_layout>> wrong(3, 4);
#else
neardup::keyed_index<neardup::frozen_index<64>> wrong;
#endif
