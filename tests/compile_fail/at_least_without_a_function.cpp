// expect: at_least takes a least similarity, and the function that computes it
#include <neardup/dedup.hpp>

#ifdef NEARDUP_COMPILES
neardup::at_least enough{0.8, [](std::size_t, std::size_t) { return 1.0; }};
#else
neardup::at_least enough{0.8};
#endif
