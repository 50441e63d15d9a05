// A hasher, an extractor, or the type of the ids is missing.
// expect: write fingerprint_deduplicator{default_simhasher<>{}, bits\{3}}
// expect: write sets.add\(extract\(text\)\)
// expect: write index.insert\(extract\(text\), id\)
// expect: write make_deduplicator<std::string>\(jaccard{0.8}\)
// errors: 4
#include <string>

#include <neardup/dedup.hpp>
#include <neardup/sets.hpp>

#ifdef NEARDUP_COMPILES
const neardup::feature_extractor features_of{neardup::words{}};
auto seen = neardup::make_deduplicator<std::string>(neardup::jaccard{0.8});
neardup::fingerprint_deduplicator by_bits{neardup::default_simhasher<>{}, neardup::bits{3}};
#else
auto features_of(std::string_view text) { return text; }
neardup::deduplicator seen{neardup::jaccard{0.8}};
neardup::fingerprint_deduplicator by_bits{neardup::bits{3}};
#endif

auto set_of(neardup::feature_sets<>& sets) { return sets.add(features_of("a text")); }
bool is_new(neardup::set_index<>& index) { return index.insert(features_of("a text"), 1); }
bool is_new(const std::string& url) { return seen.add("a text", url).is_new(); }
