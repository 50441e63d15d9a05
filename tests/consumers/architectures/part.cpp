// Compiled twice, for two instruction sets, as PART = first and PART = second.
#include <cstddef>
#include <cstdint>
#include <neardup/fingerprint.hpp>
#include <neardup/index/pigeonhole_index.hpp>
#include <neardup/text/shingles.hpp>
#include <optional>
#include <string>
#include <vector>

#include "part.hpp"

std::vector<std::uint64_t> PART() {
  std::vector<std::uint64_t> seen;
  neardup::pigeonhole_index<128, 3> index;
  neardup::pigeonhole_index<64, 6, 3> wide;
  const auto hash = neardup::simhasher{neardup::shingles{2, neardup::words{}}, neardup::log_tf{}, neardup::xxh3<128>{}};
  std::string text = "a text that grows";
  for (std::uint32_t i = 0; i < 200; ++i) {
    text += " word" + std::to_string(i % 37) + " wörter und 文字";
    const auto fingerprint = hash(text);
    const auto small_fingerprint = neardup::simhash_of(text);
    if (!fingerprint || !small_fingerprint) return {};
    for (const auto word : fingerprint->to_words()) seen.push_back(word);
    seen.push_back(small_fingerprint->to_uint64());
    index.insert(*fingerprint, i);
    wide.insert(*small_fingerprint, i);
    for (const auto& match : index.search(*fingerprint)) seen.push_back(match.id);
    for (const auto& match : wide.search(*small_fingerprint)) seen.push_back(match.id);
  }
  return seen;
}
