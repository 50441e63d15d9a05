// expect: a deduplicator compares sets of features.*fingerprints and checks are for a fingerprint_deduplicator
#include <neardup/dedup.hpp>

#ifdef NEARDUP_COMPILES
using features = neardup::feature_extractor<neardup::words>;
#else
using features = neardup::simhasher<neardup::words>;
#endif

constexpr std::size_t size = sizeof(neardup::deduplicator<features>);
