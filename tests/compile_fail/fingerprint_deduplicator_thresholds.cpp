// Distances follow from a Jaccard similarity alone; a distance says nothing about features, and a number not how much is
// enough.
// expect: a check of yours gets the candidates within a number of bits
// expect: a check that returns numbers says how much is enough
// expect: distances of fingerprints follow from a Jaccard similarity alone
// expect: features are compared by their Jaccard similarity
// errors: 4
#include <neardup/dedup.hpp>

using neardup::simhasher;
using neardup::words;

const auto one = [](std::uint32_t, std::string_view) { return 1.0; };

#ifdef NEARDUP_COMPILES
neardup::fingerprint_deduplicator within_bits{simhasher{words{}}, neardup::at_least{0.8, one}, neardup::bits{3}};
neardup::fingerprint_deduplicator by_number{simhasher{words{}}, neardup::at_least{0.8, one}, neardup::bits{3}};
neardup::fingerprint_deduplicator by_similarity{simhasher{words{}}, neardup::jaccard{0.8}};
neardup::fingerprint_deduplicator by_features{simhasher{words{}}, neardup::feature_extractor{words{}},
                                              neardup::jaccard{0.8}};
#else
neardup::fingerprint_deduplicator within_bits{simhasher{words{}}, neardup::at_least{0.8, one}, neardup::jaccard{0.8}};
neardup::fingerprint_deduplicator by_number{simhasher{words{}}, one, neardup::bits{3}};
neardup::fingerprint_deduplicator by_similarity{simhasher{words{}}, neardup::cosine{0.8}};
neardup::fingerprint_deduplicator by_features{simhasher{words{}}, neardup::feature_extractor{words{}},
                                              neardup::bits{3}};
#endif

bool is_new() { return by_number.add("a text").is_new(); }
