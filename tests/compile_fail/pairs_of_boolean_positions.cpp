// expect: positions are numbered with an integer type such as std::uint32_t
// errors: 1
#include <neardup/index.hpp>

#ifdef NEARDUP_COMPILES
using position = short;
#else
using position = bool;
#endif

auto pairs_of(const std::vector<neardup::simhash<64>>& all) { return neardup::pairs<position>(all, neardup::bits{3}); }
