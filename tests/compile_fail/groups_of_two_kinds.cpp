// expect: neardup: the fingerprints of both ranges are of one kind and width
#include <vector>

#include <neardup/dedup.hpp>

std::vector<neardup::minwise<64>> kept;
#ifdef NEARDUP_COMPILES
std::vector<neardup::minwise<64>> more;
#else
std::vector<neardup::simhash<64>> more;
#endif
auto labels() { return neardup::extend_groups(kept, more, neardup::bits{3}); }
