// Makes a fingerprint without a tokenizer, from words and weights that another program has computed, such as a
// segmenting service.
#include <cstdlib>
#include <iostream>
#include <neardup/neardup.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

using weighted_words = std::vector<std::pair<std::string, double>>;

// Weights are rounded to multiples of 1/256, so weights from 0 to 1 are scaled first. Only their proportions matter.
std::optional<neardup::simhash<64>> fingerprint_of(const weighted_words& words) {
  constexpr double scale = 4096;
  const neardup::xxh3<64> hash;
  neardup::accumulator<64> sums;
  for (const auto& [word, weight] : words) sums.add(hash(word), neardup::weight(scale * weight));
  return sums.result();
}

}  // namespace

int main() {
  // jieba.analyse.extract_tags(text, withWeight=True) returns words and weights in this form.
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
