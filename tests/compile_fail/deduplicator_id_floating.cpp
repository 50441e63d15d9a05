// expect: an Id is regular, ordered and trivially copyable
#include <neardup/dedup.hpp>

#ifdef NEARDUP_COMPILES
using id = std::string;
#else
using id = double;
#endif

auto pages() { return neardup::make_deduplicator<id>(neardup::jaccard{0.8}); }
