// Calls functions that neardup::compiled contains, and others: fingerprints of 192 bits, ids of 16 bytes. The macro
// PART names this source file.
#include <neardup/neardup.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#define CONCATENATED(a, b) a##b
#define NAMED(a, b) CONCATENATED(a, b)

// The results of this source file as text. The other source file must return the same text.
std::string NAMED(results_of_, PART)(const char* path) {
  using namespace neardup;
  std::string results;
  const std::vector<std::string> texts = {"the ferry leaves the pier at seven, every day but Sunday, from May on",
                                          "the ferry leaves the pier at eight, every day but Sunday, from May on",
                                          "roasted bones and cold water, an onion, two carrots and enough time"};
  std::vector<simhash<64>> narrow;
  std::vector<simhash<192>> wide;
  pigeonhole_index<64> index;
  pigeonhole_index<192, 3, 4, std::array<std::uint64_t, 2>> other;
  for (const auto& text : texts) {
    narrow.push_back(*simhash_of(text));
    wide.push_back(*simhash_of<192>(text));
    results += narrow.back().to_hex() + ' ' + wide.back().to_hex() + '\n';
    index.insert(narrow.back(), static_cast<std::uint32_t>(narrow.size()));
    other.insert(wide.back(), {wide.size(), 0});
  }
  for (const auto& match : index.search(narrow[0])) results += std::to_string(match.id) + ' ';
  for (const auto& match : other.search(wide[1])) results += std::to_string(match.id[0]) + ' ';
  for (const auto label : cluster(narrow, bits{16})) results += std::to_string(label) + ' ';
  for (const auto label : cluster(wide, bits{48})) results += std::to_string(label) + ' ';
  for (const auto label : group(texts, jaccard{0.5})) results += std::to_string(label) + ' ';
  for (const auto& pair : pairs(narrow, bits{16}))
    results += std::to_string(pair.first) + std::to_string(pair.second) + ' ';

  std::remove(path);
  std::remove((std::string(path) + ".log").c_str());
  const std::vector<std::string> names = {"a", "b", "c"};
  {
    durable_deduplicator seen(path, make_deduplicator<std::string>(jaccard{0.5}));
    for (const auto& verdict : seen.add_batch(texts, names, threads{2}))
      results += verdict.is_new() ? "new " : "known ";
  }
  durable_deduplicator seen(path, make_deduplicator<std::string>(jaccard{0.5}));
  return results + std::to_string(seen.size()) + (seen.find(texts[1]).is_new() ? " new" : " known");
}
