// expect: durable_deduplicator and guarded go around
#include <neardup/neardup.hpp>

using plain = neardup::deduplicator<>;

#ifdef NEARDUP_COMPILES
using made = neardup::durable_deduplicator<neardup::stream_deduplicator<plain>>;
#else
using made = neardup::stream_deduplicator<neardup::durable_deduplicator<plain>>;
#endif

constexpr std::size_t size = sizeof(made);
