// Compares short texts of at most 140 characters. SimHash is a coarse filter, and another measure decides. One changed
// word flips many bits of a fingerprint of so few features, so the filter uses a large distance.
#include <cstddef>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <neardup/neardup.hpp>
#include <string>
#include <vector>

int main() {
  using namespace neardup;
  const std::vector<std::string> posts = {
      "转发微博：今天下午三点，市图书馆二楼报告厅有一场关于古代天文学的公开讲座，欢迎大家带孩子来听！",
      "今天下午3点，市图书馆2楼报告厅有一场关于古代天文学的公开讲座，欢迎大家带孩子来听。",
      "今天下午三点，市图书馆二楼报告厅有一场关于古代建筑学的公开讲座，欢迎大家来听！",
      "明天早上八点，体育馆门口集合，一起去爬山，记得带水和雨衣，下雨也不改期。",
      "这家店的面条太好吃了，尤其是牛肉面，汤头浓，肉也多，推荐给住在附近的朋友。",
  };
  const simhasher hash{normalised{code_point_ngrams{2}}};  // each distinct pair of characters
  const simhasher counted{normalised{words{}}, log_tf{}};  // single characters, for the cosine
  const auto fingerprints = fingerprint_all(hash, posts);
  std::vector<simhash<64>> known;
  for (const auto& fingerprint : fingerprints) known.push_back(fingerprint.value());

  std::cout << std::fixed << std::setprecision(2);
  std::size_t by_edits = 0;
  const auto candidates = pairs(known, bits{22});
  for (const auto& [i, j, distance] : candidates) {
    const std::string a = normalise(posts[i]), b = normalise(posts[j]);
    const double edit = edit_similarity(a, b);
    std::cout << i << ' ' << j << ": " << distance << " bits, edit " << edit << ", cosine "
              << weighted_cosine(counted.weighted_features(a), counted.weighted_features(b)) << ", Jaccard "
              << jaccard_similarity(hash.features(a), hash.features(b)) << '\n';
    if (edit >= .7) ++by_edits;
  }
  std::cout << candidates.size() << " of 10 pairs are looked at, " << by_edits << " are near-duplicates\n";
  return by_edits == 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: 0 1:
// prints: 0 2:
// prints: 1 2:
// prints: 3 are near-duplicates
