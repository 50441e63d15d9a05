// Uses a deduplicator. Documents arrive one by one, and each is new or a duplicate of an earlier document.
#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <neardup/neardup.hpp>
#include <string>
#include <string_view>
#include <vector>

int main() {
  const std::vector<std::string> documents = {
      "The committee meets on the first Monday of each month, at nine, in the old library on Station Road.",
      "Bread needs flour, water, salt, yeast, and above all patience while the dough rises twice overnight.",
      "THE COMMITTEE MEETS ON THE FIRST MONDAY OF EACH MONTH, AT NINE, IN THE OLD LIBRARY ON STATION ROAD.",
      "The committee meets on the first Tuesday of each month, at nine, in the old library on Station Road.",
      "...",  // no words, so nothing to compare
      "Good bread needs flour, water, salt, and above all patience while the dough rises twice overnight.",
      "Contents",
      "Contact",
      "CONTENTS",
  };

  // Duplicates have a Jaccard similarity of at least 0.8. None is missed.
  neardup::deduplicator dedup{neardup::feature_extractor{neardup::normalised{neardup::words{}}}, neardup::jaccard{0.8}};
  std::cout << std::fixed << std::setprecision(2);
  for (std::uint32_t i = 0; i < documents.size(); ++i) {
    const auto verdict = dedup.add(documents[i], i);
    std::cout << i << ": ";
    if (!verdict.is_comparable) {
      std::cout << "nothing to compare\n";
    } else if (verdict.is_new()) {
      std::cout << "new\n";
    } else {
      std::cout << "repeats " << *verdict.original << ", similarity " << *verdict.similarity << '\n';
    }
  }
  std::cout << dedup.size() << " of " << dedup.added() << " kept\n";

  // A deduplicator of fingerprints takes any check. The check gets the id of a candidate, and looks up its text.
  // This check computes the share of letters that stay unchanged.
  const auto by_edits = [&](std::uint32_t id, std::string_view text) {
    return neardup::edit_similarity(documents[id], text);
  };
  const neardup::minwise_hasher hash{neardup::normalised{neardup::code_point_ngrams{3}}};
  neardup::fingerprint_deduplicator careful{hash, neardup::at_least{0.85, by_edits}, neardup::bits{15}};
  careful.add(documents[1], 1);
  const auto verdict = careful.add(documents[5], 5);
  std::cout << "by edits: " << verdict.similarity.value_or(0) << '\n';

  return dedup.size() == 4 && verdict.original == 1U ? EXIT_SUCCESS : EXIT_FAILURE;
}

// prints: 0: new
// prints: 1: new
// prints: 2: repeats 0, similarity 1.00
// prints: 3: repeats 0, similarity 0.88
// prints: 4: nothing to compare
// prints: 5: repeats 1, similarity 0.88
// prints: 6: new
// prints: 7: new
// prints: 8: repeats 6, similarity 1.00
// prints: 4 of 9 kept
// prints: by edits: 0.87
