// Threads are an option, and a tokenizer makes no features.
// expect: threads are an option of group: write group\(texts, jaccard{0.8}, {.run = threads\{2}}\)
// expect: write group\(texts, jaccard{0.8}, feature_extractor{tokenizer}\)
// errors: 5
#include <neardup/dedup.hpp>
#include <neardup/text.hpp>
#include <neardup/threads.hpp>

#ifdef NEARDUP_COMPILES
const neardup::group_options run{.run = neardup::threads{2}};
const neardup::feature_extractor extract{neardup::words{}};
#else
const neardup::threads run{2};
const neardup::words extract;
#endif

using texts = std::vector<std::string>;

auto labels(const texts& all) { return neardup::group(all, neardup::jaccard{0.8}, run); }
auto edits(const texts& all) { return neardup::group(all, neardup::edit{0.8}, run); }
auto copies(const std::vector<neardup::simhash<64>>& all) { return neardup::group(all, neardup::bits{3}, run); }
auto similar(const neardup::feature_sets<>& all) { return neardup::group(all, neardup::jaccard{0.8}, run); }
auto words(const texts& all) { return neardup::group(all, neardup::jaccard{0.8}, extract); }
