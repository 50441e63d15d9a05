// expect: has a deduplicator or a stream_deduplicator in it: write durable_deduplicator{path, deduplicator{jaccard{0.8}}}
#include <neardup/neardup.hpp>

using plain = neardup::deduplicator<>;

#ifdef NEARDUP_COMPILES
using made = neardup::guarded<neardup::durable_deduplicator<plain>>;
#else
using made = neardup::durable_deduplicator<neardup::guarded<plain>>;
#endif

constexpr std::size_t size = sizeof(made);
