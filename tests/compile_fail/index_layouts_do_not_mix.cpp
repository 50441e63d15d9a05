// expect: no match for|no viable|invalid operands
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
bool same(const neardup::pigeonhole_index<64>& a, const neardup::pigeonhole_index<64, 3, 4>& b) { return a == b; }
#else
bool same(const neardup::pigeonhole_index<64>& a, const neardup::pigeonhole_index<64, 3, 5>& b) { return a == b; }
#endif
