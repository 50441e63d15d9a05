// Joins of sets and texts, groups and deduplicators.
#include "case.hpp"

// A bare number names no measure of sets, and `bits` is for fingerprints.
// expect: sets are compared by a measure
// errors: 6
namespace sets_by_a_number {
constexpr RIGHT(neardup::jaccard least{0.8}) WRONG(int least = 3);
constexpr RIGHT(neardup::jaccard percent{0.8}) WRONG(double percent = 80);
constexpr RIGHT(neardup::cosine near{0.8}) WRONG(neardup::bits near = 3);
auto pairs_of(const neardup::feature_sets<>& sets) { return neardup::pairs(sets, least); }
auto across(const neardup::feature_sets<>& sets) { return neardup::pairs(sets, sets, near); }
auto labels(const neardup::feature_sets<>& sets) { return neardup::group(sets, percent); }
neardup::set_index<> index_of_sets() { return neardup::set_index<>{percent}; }
}

// expect: neardup: sets are compared if their features have one type
namespace sets_of_two_widths {
using other = RIGHT(std::uint32_t) WRONG(std::uint64_t);
std::vector<std::vector<std::uint32_t>> sets;
std::vector<std::vector<other>> others;
neardup::set_index<other> stored{neardup::jaccard{0.8}};
auto found() { return neardup::pairs(sets, others, neardup::jaccard{0.8}); }
auto matches() { return stored.search_batch(sets); }
}

// Texts are compared by their features or by edits. The number 0.8 names neither, and `bits` is for fingerprints.
// expect: texts are compared by their features or by edits
// errors: 6
namespace texts_by_a_number {
RIGHT(constexpr neardup::jaccard least{0.8}) WRONG(constexpr double least = 0.8);
RIGHT(const neardup::edit near{0.8}) WRONG(constexpr neardup::bits near = 3);
auto pairs_of(const std::vector<std::string>& texts) { return neardup::pairs(texts, near); }
auto labels(const std::vector<std::string>& texts) { return neardup::group(texts, least); }
auto more(const std::vector<std::string>& texts) { return neardup::extend_groups(texts, texts, near); }
}

// The characters of a text are neither sorted nor its features.
// expect: a text is no set of characters: write near_duplicates
namespace texts_as_sets_of_characters {
using text = RIGHT(std::vector<std::uint32_t>) WRONG(std::string);
double similarity(const text& a, const text& b) { return neardup::jaccard_similarity(a, b); }
}

// expect: positions are numbered with an integer type such as std::uint32_t
// errors: 1
namespace positions_of_characters {
auto labels(const std::vector<neardup::simhash<64>>& all) {
  return neardup::cluster<RIGHT(unsigned) char>(all, neardup::bits{3});
}
}

// expect: integral
namespace cluster_labels {
auto labels(const std::vector<neardup::simhash<64>>& fingerprints) {
  return neardup::cluster<RIGHT(long) WRONG(double)>(fingerprints, neardup::bits{3});
}
}

// expect: cluster\(\) is of fingerprints; the components of sets and texts are group
// errors: 1
namespace cluster_of_sets {
auto labels(const neardup::feature_sets<>& sets) {
  return neardup::RIGHT(group) WRONG(cluster)(sets, neardup::jaccard{0.8});
}
}

// Threads are an option, and a tokenizer makes no features.
// expect: threads are an option of group: write group\(texts, jaccard{0.8}, {.run = threads\{2}}\)
// expect: write group\(texts, jaccard{0.8}, feature_extractor{tokenizer}\)
// errors: 5
namespace group_options_that_are_none {
RIGHT(const neardup::group_options run{.run = neardup::threads{2}}) WRONG(const neardup::threads run{2});
const neardup::RIGHT(feature_extractor extract{neardup::words{}}) WRONG(words extract);
using texts = std::vector<std::string>;
auto labels(const texts& all) { return neardup::group(all, neardup::jaccard{0.8}, run); }
auto edits(const texts& all) { return neardup::group(all, neardup::edit{0.8}, run); }
auto copies(const std::vector<neardup::simhash<64>>& all) { return neardup::group(all, neardup::bits{3}, run); }
auto similar(const neardup::feature_sets<>& all) { return neardup::group(all, neardup::jaccard{0.8}, run); }
auto words(const texts& all) { return neardup::group(all, neardup::jaccard{0.8}, extract); }
}

// expect: neardup: the fingerprints of both ranges are of one kind and width
namespace groups_of_two_kinds {
std::vector<neardup::minwise<64>> kept;
std::vector<RIGHT(neardup::minwise<64>) WRONG(neardup::simhash<64>)> more;
auto labels() { return neardup::extend_groups(kept, more, neardup::bits{3}); }
}

// expect: at_least takes a least similarity, and the function that computes it
namespace at_least_without_a_function {
neardup::at_least enough{0.8 RIGHT(, [](std::size_t, std::size_t) { return 1.0; })};
}

// A check that returns a similarity does not say how much is enough.
// expect: say how much is enough
namespace check_of_a_bare_number {
const auto similarity = [](std::size_t i, std::size_t j) { return i == j ? 1.0 : 0.5; };
auto labels(const std::vector<neardup::simhash<64>>& all) {
  return neardup::group(all, neardup::bits{3}, RIGHT(neardup::at_least{0.8, similarity}) WRONG(similarity));
}
}

// expect: an Id is regular, ordered and trivially copyable
namespace deduplicator_id_floating {
auto pages() { return neardup::make_deduplicator<RIGHT(std::string) WRONG(double)>(neardup::jaccard{0.8}); }
}

// expect: a deduplicator compares sets of features.*fingerprints and checks are for a fingerprint_deduplicator
namespace deduplicator_of_a_hasher {
using features = neardup::RIGHT(feature_extractor) WRONG(simhasher)<neardup::words>;
constexpr std::size_t size = sizeof(neardup::deduplicator<features>);
}

// expect: a deduplicator cannot decide by containment.*write group\(sets, containment
namespace deduplicator_of_containment {
neardup::deduplicator<> dedup{neardup::RIGHT(cosine) WRONG(containment){0.8}};
}

// However a deduplicator is made, its threshold must be a measure of sets, and not a containment.
// expect: sets are compared by a measure: write jaccard
// expect: a deduplicator cannot decide by containment
// errors: 6
namespace deduplicator_thresholds {
constexpr RIGHT(neardup::jaccard number{0.8}) WRONG(double number = 0.8);
constexpr RIGHT(neardup::jaccard distance{0.8}) WRONG(neardup::bits distance = 3);
const neardup::RIGHT(jaccard) WRONG(edit) edits{0.8};
constexpr neardup::RIGHT(cosine) WRONG(containment) contained{0.8};
neardup::deduplicator by_number{neardup::feature_extractor{neardup::words{}}, number};
neardup::deduplicator by_distance{neardup::feature_extractor{neardup::words{}}, distance};
neardup::deduplicator by_edits{neardup::feature_extractor{neardup::words{}}, edits};
auto named = neardup::make_deduplicator<std::string>(number);
auto by_containment = neardup::make_deduplicator<std::string>(contained);
auto found(const neardup::set_index<>& index) { return index.search({}, distance); }
}

// expect: write search\(extract\(text\)\)
// errors: 1
namespace search_by_a_text {
auto found(const neardup::set_index<>& index, const std::vector<std::uint32_t>& features) {
  return index.search(RIGHT(features) WRONG("a text"), 0.9);
}
}

// A check of the caller needs a number of bits for the candidates. A check that returns numbers needs at_least. Only a
// Jaccard similarity gives a distance of fingerprints. A number of bits cannot compare features.
// expect: a check of yours gets the candidates within a number of bits
// expect: a check that returns numbers says how much is enough
// expect: distances of fingerprints follow from a Jaccard similarity alone
// expect: features are compared by their Jaccard similarity
// errors: 4
namespace fingerprint_deduplicator_thresholds {
using namespace neardup;
const simhasher hash{words{}};
const feature_extractor extract{words{}};
const auto one = [](std::uint32_t, std::string_view) { return 1.0; };
fingerprint_deduplicator within_bits{hash, at_least{0.8, one}, RIGHT(bits{3}) WRONG(jaccard{0.8})};
fingerprint_deduplicator by_number{hash, RIGHT(at_least{0.8, one}) WRONG(one), bits{3}};
fingerprint_deduplicator by_similarity{hash, RIGHT(jaccard) WRONG(cosine){0.8}};
fingerprint_deduplicator by_features{hash, extract, RIGHT(jaccard{0.8}) WRONG(bits{3})};
bool is_new() { return by_number.add("a text").is_new(); }
}

// A hasher, an extractor, or the type of the ids is missing.
// expect: write fingerprint_deduplicator{default_simhasher<>{}, bits\{3}}
// expect: write sets.add\(extract\(text\)\)
// expect: write index.insert\(extract\(text\), id\)
// expect: write make_deduplicator<std::string>\(jaccard{0.8}\)
// errors: 4
namespace parts_that_are_missing {
using namespace neardup;
const auto features_of = RIGHT(feature_extractor{words{}}) WRONG([](std::string_view text) { return text; });
auto seen = RIGHT(make_deduplicator<std::string>(jaccard{0.8})) WRONG(deduplicator{jaccard{0.8}});
fingerprint_deduplicator by_bits{RIGHT(default_simhasher<>{}, ) bits{3}};
auto set_of(feature_sets<>& sets) { return sets.add(features_of("a text")); }
bool is_new(set_index<>& index) { return index.insert(features_of("a text"), 1); }
bool is_new(const std::string& url) { return seen.add("a text", url).is_new(); }
}

// expect: a number behind the hasher of a describer is how many tokens make a text long, and has to be a std::size_t
// errors: 1
namespace describer_of_a_number {
constexpr RIGHT(std::size_t) WRONG(int) min_tokens = 5;
const neardup::describer describe(neardup::simhasher{neardup::words{}}, min_tokens);
}

// A time of type double would be cut off to a whole number: all times within a second would be equal.
// expect: ids and times are whole numbers
// errors: 1
namespace time_of_a_fraction {
constexpr RIGHT(std::int64_t) WRONG(double) now = 3;
bool is_new(neardup::stream_deduplicator<neardup::deduplicator<>>& seen) {
  return seen.add("a text", 1, now).is_new() && seen.add_batch(std::vector<std::string>{}, {}, {}, now).empty();
}
}
