// Finds all pairs and all groups of a corpus, and checks each candidate exactly.
#include <cstddef>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <neardup/neardup.hpp>
#include <string>
#include <vector>

int main() {
  const std::vector<std::string> documents = {
      "The committee meets on the first Monday of each month, at nine, in the old library on Station Road.",
      "The committee meets on the first Tuesday of each month, at nine, in the old library on Station Road.",
      "Bread needs flour, water, salt, yeast, and above all patience while the dough rises twice overnight.",
      "...",  // no words, so no fingerprint
      "THE COMMITTEE MEETS ON THE FIRST MONDAY OF EACH MONTH, AT NINE, IN THE OLD LIBRARY ON STATION ROAD.",
      "Committee meets first Tuesday of each month, at nine, in the old library on Station Road; bring chairs.",
  };

  // Texts without a fingerprint are left out; origin[i] is the document of fingerprint i.
  const neardup::simhasher hash{neardup::normalised{neardup::words{}}};
  std::vector<neardup::simhash<64>> fingerprints;
  std::vector<std::size_t> origin;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const auto fingerprint = hash(documents[i]);
    if (!fingerprint) continue;
    fingerprints.push_back(*fingerprint);
    origin.push_back(i);
  }

  // Short texts need a large distance, and then a check: the Jaccard similarity of their sets of words.
  std::cout << std::fixed << std::setprecision(2);
  const auto near = neardup::pairs(fingerprints, neardup::bits{10});
  for (const auto& [i, j, distance] : near) {
    const double similarity =
        neardup::jaccard_similarity(hash.features(documents[origin[i]]), hash.features(documents[origin[j]]));
    std::cout << origin[i] << " and " << origin[j] << ": " << distance << " bits, cosine about "
              << neardup::estimated_similarity(64, distance) << ", Jaccard " << similarity << '\n';
  }
  // Groups are connected components. The label of a group is its smallest position.
  const auto label = neardup::cluster(fingerprints, neardup::bits{10});
  for (std::size_t i = 0; i < label.size(); ++i) {
    std::cout << "document " << origin[i] << " is in the group of document " << origin[label[i]] << '\n';
  }
  return fingerprints.size() == 5 && label[2] == 2 && label[4] == 0 && near.size() == 6 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: 0 and 1: 7 bits, cosine about 0.94, Jaccard 0.88
// prints: 0 and 4: 0 bits, cosine about 1.00, Jaccard 1.00
// prints: 0 and 5: 8 bits, cosine about 0.92, Jaccard 0.79
// prints: 1 and 4: 7 bits, cosine about 0.94, Jaccard 0.88
// prints: 1 and 5: 3 bits, cosine about 0.99, Jaccard 0.89
// prints: 4 and 5: 8 bits, cosine about 0.92, Jaccard 0.79
// prints: document 0 is in the group of document 0
// prints: document 1 is in the group of document 0
// prints: document 2 is in the group of document 2
// prints: document 4 is in the group of document 0
// prints: document 5 is in the group of document 0
