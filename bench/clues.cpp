// neardup_bench_clues [DOCUMENTS…]: measures the time in which the posting lists of an index find the documents that
// contain a clue.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <neardup/fingerprint/feature_extractor.hpp>
#include <neardup/text.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../examples/common/postings.hpp"
#include "synthetic.hpp"

namespace {

constexpr std::size_t words_of_document = 36, words_of_clue = 20, words_changed = 2, clues = 1000;

/// Draws random words. Word n has a frequency proportional to 1 / (n + 3), so pairs of the first words occur in
/// thousands of documents.
class word_source {
 public:
  word_source() {
    for (std::size_t i = 0; i < words; ++i) {
      sum_ += 1 / static_cast<double>(i + 3);
      sums_.push_back(sum_);
    }
  }
  std::string next(neardup_bench::random_source& random) const {
    const auto number = std::upper_bound(sums_.begin(), sums_.end(), random.uniform() * sum_) - sums_.begin();
    return word(static_cast<std::size_t>(number));
  }
  /// Returns word n. With the space after it, it has about six bytes.
  static std::string word(std::size_t n) { return "w" + std::to_string(n * 7919 % 100000); }

 private:
  static constexpr std::size_t words = 50000;
  std::vector<double> sums_;
  double sum_ = 0;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

using feature_list = std::vector<std::uint32_t>;

void search(const common::posting_lists& lists, std::size_t documents, const char* what,
            const std::vector<feature_list>& asked, double share) {
  using clock = std::chrono::steady_clock;
  std::vector<double> spent;
  std::size_t found = 0;
  for (const feature_list& features : asked) {
    const auto start = clock::now();
    found += lists.holding(features, common::least_of(features.size(), share), documents).size();
    spent.push_back(std::chrono::duration<double, std::micro>(clock::now() - start).count());
  }
  std::sort(spent.begin(), spent.end());
  std::cout << "| " << documents << " | " << what << " | " << share << " | "
            << static_cast<double>(found) / static_cast<double>(asked.size()) << std::fixed << std::setprecision(0)
            << " | " << spent[spent.size() / 2] << " | " << spent[spent.size() * 99 / 100] << " |\n"
            << std::defaultfloat << std::setprecision(3) << std::flush;
}

void measure(std::size_t documents) {
  neardup_bench::random_source random(1);
  const word_source source;
  const neardup::feature_extractor extract{neardup::shingles{2, neardup::normalised{neardup::words{}}}};
  decltype(extract)::workspace scratch;
  const auto features_of = [&](const std::vector<std::string>& words) {
    const auto features = extract(joined(words), scratch);
    return feature_list(features.begin(), features.end());
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::vector<feature_list> changed, frequent;
  for (std::size_t i = 0; i < documents; ++i) {
    std::vector<std::string> words;
    while (words.size() < words_of_document) words.push_back(source.next(random));
    for (const std::uint32_t feature : features_of(words)) pairs.emplace_back(feature, static_cast<std::uint32_t>(i));
    if (changed.size() == clues || i < changed.size() * (documents / clues)) continue;
    words.resize(words_of_clue);
    for (std::size_t n = 0; n < words_changed; ++n) words[random.below(words_of_clue)] = source.next(random);
    changed.push_back(features_of(words));
    for (std::string& word : words) word = word_source::word(random.below(words_of_clue));
    frequent.push_back(features_of(words));
  }
  const common::posting_columns columns(std::move(pairs));
  const common::posting_lists lists = columns.lists();
  for (const double share : {0.5, 0.2}) search(lists, documents, "2 of 20 words changed", changed, share);
  search(lists, documents, "20 of the 20 most frequent words", frequent, 0.5);
}

}  // namespace

int main(int count, char** words) {
  std::cout << "| documents | clue | share | found | median, us | 99 of 100 within |\n"
               "|---|---|---|---|---|---|\n";
  std::vector<std::size_t> sizes;
  for (int i = 1; i < count; ++i) sizes.push_back(std::strtoull(words[i], nullptr, 10));
  if (sizes.empty()) sizes = {100000, 1000000};
  for (const std::size_t size : sizes) measure(size);
}
