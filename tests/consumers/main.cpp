// A few calls from text to groups, with all headers.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <neardup/neardup.hpp>
#include <span>
#include <string_view>
#include <vector>

int main() {
  const std::string_view texts[] = {"The quick brown fox jumps over the lazy dog, again and again and again.",
                                    "the quick brown fox jumps over the lazy dog, AGAIN and again and again!",
                                    "Something else altogether: a text about the weather in the mountains."};

  neardup::pigeonhole_index<64, 3> index;
  std::vector<neardup::simhash<64>> fingerprints;
  for (const auto text : texts) {
    const auto fingerprint = neardup::simhash_of(text);
    if (!fingerprint) return 1;
    index.insert(*fingerprint, static_cast<std::uint32_t>(fingerprints.size()));
    fingerprints.push_back(*fingerprint);
  }
  if (!neardup::near_duplicates(texts[0], texts[1]) || neardup::near_duplicates(texts[0], texts[2])) return 2;
  if (index.search(fingerprints[0]).size() != 2) return 3;

  const auto labels = neardup::cluster(std::span<const neardup::simhash<64>>{fingerprints}, neardup::bits{3});
  if (labels != std::vector<std::uint32_t>{0, 0, 2}) return 4;

  std::printf("neardup %s\n", NEARDUP_VERSION_STRING);
  return 0;
}
