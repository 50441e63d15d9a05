// Words and weights from elsewhere, a segmenting service or another program: hashed and summed, without a tokenizer.
#include <cstdlib>
#include <iostream>
#include <neardup/neardup.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

using weighted_words = std::vector<std::pair<std::string, double>>;

// Weights have steps of 1/256, so those of a service that go from 0 to 1 are made larger first. Only proportions count.
std::optional<neardup::simhash<64>> fingerprint_of(const weighted_words& words) {
  constexpr double scale = 4096;
  const neardup::xxh3<64> hash;
  neardup::accumulator<64> sums;
  for (const auto& [word, weight] : words) sums.add(hash(word), neardup::weight(scale * weight));
  return sums.result();
}

}  // namespace

int main() {
  // What jieba.analyse.extract_tags(text, withWeight=True) might have given.
  const weighted_words page = {{"分布式", .92}, {"数据库", .75}, {"事务", .41},
                               {"集群", .33},   {"部署", .31},   {"开源", .17}};
  weighted_words edited = page;
  edited.back() = {"许可", .12};
  const weighted_words other = {{"天气", .81}, {"晴", .54}, {"明天", .38}, {"气温", .27}, {"云", .21}};

  const auto a = fingerprint_of(page), b = fingerprint_of(edited), c = fingerprint_of(other);
  const int near = neardup::hamming_distance(*a, *b), far = neardup::hamming_distance(*a, *c);
  std::cout << "one word in six: " << near << " bits\nother words: " << far << " bits\n";
  return near < 10 && far > 20 && !fingerprint_of({}) ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: one word in six:
// prints: other words:
