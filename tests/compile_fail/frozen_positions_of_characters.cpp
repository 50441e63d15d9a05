// expect: positions are ids only of an integer type
// errors: 1
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
using id = signed char;
#else
using id = char;
#endif

neardup::frozen_index<64, id> freeze(const std::vector<neardup::simhash<64>>& all) { return {3, 4, all}; }
