// A deduplicator decides by a measure of sets, whoever makes it.
// expect: sets are compared by a measure: write jaccard
// expect: a deduplicator cannot decide by containment
// errors: 6
#include <neardup/dedup.hpp>
#include <neardup/sets.hpp>

#ifdef NEARDUP_COMPILES
constexpr neardup::jaccard number{0.8}, distance{0.8}, edits{0.8};
constexpr neardup::cosine contained{0.8};
#else
constexpr double number = 0.8;
constexpr neardup::bits distance = 3;
const neardup::edit edits{0.8};
constexpr neardup::containment contained{0.8};
#endif

neardup::deduplicator by_number{neardup::feature_extractor{neardup::words{}}, number};
neardup::deduplicator by_distance{neardup::feature_extractor{neardup::words{}}, distance};
neardup::deduplicator by_edits{neardup::feature_extractor{neardup::words{}}, edits};
auto named = neardup::make_deduplicator<std::string>(number);
auto by_containment = neardup::make_deduplicator<std::string>(contained);
auto found(const neardup::set_index<>& index) { return index.search({}, distance); }
