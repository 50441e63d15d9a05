// expect: no match for|no viable|invalid operands
#include <neardup/index.hpp>

using dynamic = neardup::pigeonhole_index<64, neardup::dynamic_layout>;

#ifdef NEARDUP_COMPILES
bool same(const dynamic& a, const dynamic& b) { return a == b; }
#else
bool same(const dynamic& a, const neardup::pigeonhole_index<64>& b) { return a == b; }
#endif
