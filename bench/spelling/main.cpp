// Measures how similar texts are to the same texts in another spelling, with normalised and with canonical features.
//
// Usage: neardup_bench_spelling TEXTS OTHER...
// All files have one text on each line. Prints a line for each OTHER: the mean Jaccard similarity of pairs of words,
// then that of windows of five characters, each of normalised and of canonical text.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <neardup/fingerprint.hpp>
#include <neardup/sets/similarity.hpp>
#include <neardup/text.hpp>

namespace {

std::vector<std::string> read_lines(const char* path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(std::string(path) + ": cannot be read");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

template <class Tokenizer>
double mean_similarity(const Tokenizer& tokenize, const std::vector<std::string>& a,
                       const std::vector<std::string>& b) {
  const neardup::feature_extractor features{tokenize};
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += neardup::jaccard_similarity(features(a[i]), features(b[i]));
  return sum / static_cast<double>(a.size());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace neardup;
  try {
    if (argc < 3) throw std::runtime_error("usage: neardup_bench_spelling TEXTS OTHER...");
    const std::vector<std::string> texts = read_lines(argv[1]);
    for (int i = 2; i < argc; ++i) {
      const std::vector<std::string> others = read_lines(argv[i]);
      if (others.size() != texts.size()) throw std::runtime_error(std::string(argv[i]) + ": another number of lines");
      std::printf("%.4f %.4f %.4f %.4f\n", mean_similarity(normalised{shingles{2, words{}}}, texts, others),
                  mean_similarity(canonical{shingles{2, words{}}}, texts, others),
                  mean_similarity(normalised{code_point_ngrams{5}}, texts, others),
                  mean_similarity(canonical{code_point_ngrams{5}}, texts, others));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "neardup_bench_spelling: %s\n", error.what());
    return 2;
  }
  return 0;
}
