// expect: a deduplicator cannot decide by containment.*write group\(sets, containment
#include <neardup/dedup.hpp>

#ifdef NEARDUP_COMPILES
neardup::deduplicator<> dedup{neardup::cosine{0.8}};
#else
neardup::deduplicator<> dedup{neardup::containment{0.8}};
#endif
