// expect: positions are numbered with an integer type such as std::uint32_t
// errors: 1
#include <neardup/dedup.hpp>

#ifdef NEARDUP_COMPILES
using position = unsigned char;
#else
using position = char;
#endif

auto labels(const std::vector<neardup::simhash<64>>& all) { return neardup::cluster<position>(all, neardup::bits{3}); }
